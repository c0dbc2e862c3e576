"""Sums whose last bit does not depend on the padding: terms are added one after the other, in the order of the axis.

NumPy adds a contiguous axis up in parts that depend on its length, and so do einsum and matrix products. Queries that are
evaluated together are padded with zeros to one length, so that a query's last bit would depend on the others.
"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def one_by_one(x: Array, axis: int = -1) -> Array:
    """Σ along an axis, term by term."""
    terms = np.ascontiguousarray(np.moveaxis(x, axis, 0), dtype=float)
    if not terms.size:
        return np.zeros(terms.shape[1:])
    columns = terms.reshape(len(terms), -1)
    # Rows are added to rows; a single column would be an axis that NumPy adds up in parts.
    total = np.add.accumulate(columns)[-1] if columns.shape[1] == 1 else np.add.reduce(columns)
    return total.reshape(terms.shape[1:])


def weighted(x: Array, weight: Array) -> Array:
    """Σ_t w_t x_t over the last axis: (Q, T) → (Q,), (Q, H, T) → (Q, H); ``weight`` (Q, T)."""
    if x.ndim == 2:
        return one_by_one(x * weight)
    total = np.zeros(x.shape[:2])
    for t in range(x.shape[2]):
        total += x[:, :, t] * weight[:, None, t]
    return total


def chosen(x: Array, which: NDArray[np.bool_]) -> Array:
    """Σ along axis 1 where ``which`` (Q, H) is true: (Q, H) → (Q,), (Q, H, T) → (Q, T)."""
    if x.ndim == 2:
        return one_by_one(x * which)
    if x.shape[2] == 1:
        return one_by_one(x[:, :, 0] * which)[:, None]
    return np.einsum('qht,qh->qt', np.ascontiguousarray(x), which)  # adds rows to rows
