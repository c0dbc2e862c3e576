"""Sums whose last bit does not depend on padding: terms are added one after the other, in the order of the axis.

NumPy adds a contiguous axis up in parts that depend on its length, and so do einsum and matrix products. Queries that
are evaluated together are padded with zeros to one length, so that a query's last bit would depend on the others.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def one_by_one(x: NDArray[np.floating[Any]]) -> Array:
    """Σ along axis 1, term by term: (Q, H) → (Q,), (Q, H, T) → (Q, T)."""
    if x.ndim == 3:
        return np.add.reduce(np.ascontiguousarray(x), axis=1) if x.shape[2] > 1 else one_by_one(x[:, :, 0])[:, None]
    if len(x) == 1:  # rows are added to rows, but a single column would be added up in parts
        return np.add.accumulate(x[0])[-1:] if x.size else np.zeros(1)
    return np.add.reduce(x.T.copy(), dtype=float)


def chosen(x: NDArray[np.floating[Any]], which: NDArray[Any]) -> Array:
    """Σ along axis 1 where ``which`` (Q, H) is 1 or true: (Q, H) → (Q,), (Q, H, T) → (Q, T)."""
    if x.ndim == 3 and x.shape[2] > 1:
        return np.einsum('qht,qh->qt', np.ascontiguousarray(x), which)  # adds rows to rows
    return one_by_one(x * (which if x.ndim == 2 else which[..., None]))


def weighted(x: NDArray[np.floating[Any]], weight: NDArray[np.floating[Any]]) -> Array:
    """Σ_t w_t x_t over the last axis: (Q, T) → (Q,), (Q, H, T) → (Q, H); ``weight`` (Q, T)."""
    if x.ndim == 2:
        return one_by_one(x * weight)
    total = x[:, :, 0] * weight[:, None, 0] if x.shape[2] else np.zeros(x.shape[:2])
    for t in range(1, x.shape[2]):
        total += x[:, :, t] * weight[:, None, t]
    return total


def by_place(place: NDArray[np.intp], x: Array, shape: tuple[int, ...]) -> Array:
    """Σ of the numbers that belong to each place of an array of this shape, places counted along it: (n,) → shape."""
    total = np.bincount(place, x, int(np.prod(shape)))  # adds one number after the other
    return np.asarray(total, dtype=float).reshape(shape)
