"""What has been seen before: counts, covered aspects, cumulated relevance. The hit axis is the last but one (H, T)."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def before(x: Array) -> Array:
    """Σ_{j<i} x_j along the hit axis −2: (…, H, T) → the same shape."""
    return np.cumsum(x, axis=-2) - x


def count_before(relevant: Array) -> Array:
    """c_t(i): relevant documents for aspect t ranked above hit i."""
    return before(relevant)


def redundancy(count: NDArray[Any], alpha: float) -> Array:
    """(1 − α)^c for whole numbers c, with 0^0 = 1."""
    powers = np.power(1.0 - alpha, np.arange(int(count.max(initial=0)) + 1, dtype=float))
    return powers[count.astype(np.intp, copy=False)]


def first_of_aspect(relevant: Array) -> Array:
    """1 where a hit is the first relevant one of an aspect, else 0: (…, H, T)."""
    return relevant * (count_before(relevant) == 0)
