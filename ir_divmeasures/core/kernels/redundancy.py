"""Redundancy of a hit with the hits above it: counts, covered aspects and sums. The hit axis is −2, as in (…, H, T)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Array


def before(x: Array) -> Array:
    """Σ_{j<i} x_j, the sum over the hits above hit i: (…, H, T) → the same shape and unit; 0 at the first hit."""
    return np.cumsum(x, axis=-2) - x


def count_before(relevant: Array) -> Array:
    """c_t(i) = Σ_{j<i} J(j,t), the number of documents above hit i that are relevant to aspect t.

    ``relevant`` (…, H, T) J of 0 and 1 → whole numbers in the same shape.
    """
    return before(relevant)


def redundancy(count: NDArray[Any], alpha: float) -> Array:
    """(1 − α)^c with 0^0 = 1: ``count`` whole numbers c ≥ 0 of any shape, α in [0, 1] → [0, 1] in the same shape."""
    powers = np.power(1.0 - alpha, np.arange(int(count.max(initial=0)) + 1, dtype=float))
    return powers[count.astype(np.intp)]


def first_of_aspect(relevant: Array) -> Array:
    """J(i,t) [c_t(i) = 0]: 1 where hit i is the first that is relevant to aspect t, else 0.

    ``relevant`` (…, H, T) J of 0 and 1 → the same shape.
    """
    return relevant * (count_before(relevant) == 0)
