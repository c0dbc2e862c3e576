"""Redundancy of a hit with the hits above it. The hit axis is −2, as in (…, H, T)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Array


def before(x: Array) -> Array:
    """Σ_{j<i} x_j, the sum over the hits above hit i: (…, H, T) → the same shape and unit; 0 at the first hit."""
    return np.cumsum(x, axis=-2) - x


def redundancy(count: NDArray[Any], alpha: float) -> Array:
    """(1 − α)^c with 0^0 = 1: ``count`` whole numbers c ≥ 0 of any shape, α in [0, 1] → [0, 1] in the same shape."""
    powers = np.power(1.0 - alpha, np.arange(int(count.max(initial=0)) + 1, dtype=float))
    return powers[count.astype(np.intp)]
