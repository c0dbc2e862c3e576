"""Discounts by rank, and their sums over the first m ranks. Ranks count from 1, and ranks of padding are ``inf``.

Discounts take ranks of any shape and return numbers without a unit in that shape.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from . import Array


def log_discount(rank: Array) -> Array:
    """1/log2(rank + 1) (Järvelin & Kekäläinen): 1 at rank 1, 0 at infinite rank. Any shape."""
    return 1 / np.log2(rank + 1)


def shifted_log_discount(rank: Array, base: float) -> Array:
    """1/(1 + log_base(rank)) for a base above 1: 1 at rank 1, 0 at infinite rank. Any shape."""
    return 1 / (1 + np.log(rank) / np.log(base))


def late_log_discount(rank: Array, base: float) -> Array:
    """1/log_base(base + rank − 1) for a base above 1 (Yang et al. 2007): 1 at rank 1, 0 at infinite rank. Any shape."""
    return np.log(base) / np.log(base + rank - 1)


def reciprocal(rank: Array) -> Array:
    """1/rank: 1 at rank 1, 0 at infinite rank. Any shape."""
    return 1 / rank


def geometric(rank: Array, p: float) -> Array:
    """p^(rank − 1) for p in [0, 1]: 1 at rank 1, 0 at infinite rank, also for p = 1. Any shape."""
    return np.where(np.isinf(rank), 0.0, np.power(p, np.where(np.isinf(rank), 1.0, rank) - 1))


ONE_BY_ONE = 100_000
"""Number of terms of a sum that are added one by one. The sum of further terms is an integral."""


def sum_smooth(term: Callable[[Array], Array], m: NDArray[np.intp]) -> Array:
    """Σ_{i=1..m} f(i) for whole numbers m of any size and a function f that decreases smoothly.

    The first M = :data:`ONE_BY_ONE` terms are added. The rest follows from Euler and Maclaurin's formula,
    Σ_{i=M+1..m} f(i) = ∫_M^m f + (f(m) − f(M))/2 + (f'(m) − f'(M))/12 − …. The integral is computed by Gauss and
    Legendre's rule on intervals whose ends have equal ratios.

    Args:
        term: f of an array of ranks, in the shape of the array.
        m: whole numbers of at least 0, of any shape.

    Returns:
        The sums, in the shape of m.
    """
    first = np.minimum(m, ONE_BY_ONE)
    ranks = np.arange(1, int(first.max(initial=0)) + 1, dtype=float)
    total = np.append(0.0, np.cumsum(term(ranks)))[first]
    for end in sorted({*m[m > ONE_BY_ONE].tolist()}):
        ends = np.linspace(np.log(ONE_BY_ONE), np.log(end), 2 + int(2 * np.log(end / ONE_BY_ONE)))
        node, weight = np.polynomial.legendre.leggauss(20)
        half = np.diff(ends)[:, None] / 2
        x = np.exp(ends[:-1, None] + half * (1 + node))
        edge = np.array([ONE_BY_ONE, end], dtype=float)
        slope = (term(edge + 1) - term(edge - 1)) / 2
        total[m == end] += (
            np.sum(half * weight * term(x) * x)
            + np.diff(term(edge))[0] / 2
            + np.diff(slope)[0] / 12
        )
    return total
