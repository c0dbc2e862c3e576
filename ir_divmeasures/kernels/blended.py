"""Sakai's blended ratio and the measures made of it (Q-measure, P+)."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def blended_ratio(gain: Array, rank: Array, ideal_cumulated: Array, beta: float) -> Array:
    """BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)) at every hit.

    ``gain`` (Q, H) or (Q, H, T), ``rank`` (Q, H), ``ideal_cumulated`` the ideal list's cumulated gain by depth,
    (Q, D + 1[, T]) with a leading 0; beyond its end it stays what it is. C counts the hits with gain > 0.
    """
    aspects = gain.ndim == 3
    count = np.cumsum(gain > 0, axis=1)
    cumulated = np.cumsum(gain, axis=1)
    depth = np.minimum(rank, ideal_cumulated.shape[1] - 1).astype(np.intp)
    index = depth[..., None] if aspects else depth
    ideal = np.take_along_axis(ideal_cumulated, index, axis=1)
    i = rank[..., None] if aspects else rank
    finite = np.isfinite(i)
    return np.where(finite, (count + beta * cumulated) / (np.where(finite, i, 1) + beta * ideal), 0.0)


def cumulated_ideal(gain: Array) -> Array:
    """Cumulated gain of the list sorted by gain, by depth, with a leading 0: (Q, D[, T]) → (Q, D + 1[, T])."""
    ordered = -np.sort(-gain, axis=1)
    zero = np.zeros_like(gain[:, :1]) if gain.shape[1] else np.zeros((gain.shape[0], 1, *gain.shape[2:]))
    return np.concatenate([zero, np.cumsum(ordered, axis=1)], axis=1)
