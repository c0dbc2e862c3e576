"""Sums whose last bit does not depend on padding, because terms are added one after the other in the order of the axis.

NumPy adds a contiguous axis in parts whose size depends on its length, and so do einsum and matrix products. Queries
that are evaluated together are padded with zeros to one length. With those sums, the last bit of a query's score would
depend on the other queries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Array


def one_by_one(x: NDArray[np.floating[Any]]) -> Array:
    """Σ_h x_h along axis 1, term by term: (Q, H) → (Q,), (Q, H, T) → (Q, T). The unit is that of x."""
    if x.ndim == 3:
        return (
            np.add.reduce(np.ascontiguousarray(x), axis=1)
            if x.shape[2] > 1
            else one_by_one(x[:, :, 0])[:, None]
        )
    if len(x) == 1:  # NumPy would add a single column in parts
        return np.add.accumulate(x[0])[-1:] if x.size else np.zeros(1)
    return np.add.reduce(x.T.copy(), dtype=float)


def chosen(x: NDArray[np.floating[Any]], which: NDArray[Any]) -> Array:
    """Σ_h which_h x_h along axis 1, where ``which`` (Q, H) is 0 or 1: (Q, H) → (Q,), (Q, H, T) → (Q, T).

    The unit is that of x.
    """
    if x.ndim == 3 and x.shape[2] > 1:
        return np.einsum('qht,qh->qt', np.ascontiguousarray(x), which)  # adds rows to rows
    return one_by_one(x * (which if x.ndim == 2 else which[..., None]))


def weighted(x: NDArray[np.floating[Any]], weight: NDArray[np.floating[Any]]) -> Array:
    """Σ_t w_t x_t over the last axis: (Q, T) → (Q,), (Q, H, T) → (Q, H), with ``weight`` w (Q, T).

    The unit is that of x times that of the weights.
    """
    if x.ndim == 2:
        return one_by_one(x * weight)
    total = x[:, :, 0] * weight[:, None, 0] if x.shape[2] else np.zeros(x.shape[:2])
    for t in range(1, x.shape[2]):
        total += x[:, :, t] * weight[:, None, t]
    return total


def alike(counted: NDArray[np.bool_]) -> Array:
    """1/n for each of the n that count along the last axis, else 0; in the shape of ``counted``."""
    return counted / np.maximum(counted.sum(axis=-1, keepdims=True), 1)
