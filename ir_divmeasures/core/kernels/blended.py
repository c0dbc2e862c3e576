"""Sakai's blended ratio, of which Q-measure and P+ are means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def blended_ratio(gain: Array, rank: Array, ideal_cumulated: Array, beta: float) -> Array:
    """BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)) at every hit, where i is its rank.

    C(i) is the number of hits with gain > 0 down to rank i, cg(i) their cumulated gain, and cg*(i) the cumulated gain
    of the ideal list at depth i.

    Args:
        gain: (Q, H) or (Q, H, T) gains of at least 0.
        rank: (Q, H) ranks from 1; ``inf`` for padding.
        ideal_cumulated: (Q, D + 1) or (Q, D + 1, T) cumulated gain of the ideal list by depth from 0, as
            :func:`cumulated_ideal` returns it. Beyond its end the last value continues.
        beta: β ≥ 0, the weight of gains; 0 gives precision.

    Returns:
        Ratios in [0, 1] in the shape of ``gain``; 0 for padding.
    """
    aspects = gain.ndim == 3
    count = np.cumsum(gain > 0, axis=1)
    cumulated = np.cumsum(gain, axis=1)
    depth = np.minimum(rank, ideal_cumulated.shape[1] - 1).astype(np.intp)
    index = depth[..., None] if aspects else depth
    ideal = np.take_along_axis(ideal_cumulated, index, axis=1)
    i = rank[..., None] if aspects else rank
    finite = np.isfinite(i)
    return np.where(
        finite, (count + beta * cumulated) / (np.where(finite, i, 1) + beta * ideal), 0.0
    )


def cumulated_ideal(gain: Array) -> Array:
    """cg*(i) = Σ_{j≤i} g*_j for i = 0..D, where g* are the gains sorted from the largest.

    ``gain`` (Q, D) or (Q, D, T) gains of the judged documents in any order → (Q, D + 1) or (Q, D + 1, T) cumulated
    gains; the first is 0.
    """
    ordered = -np.sort(-gain, axis=1)
    zero = (
        np.zeros_like(gain[:, :1])
        if gain.shape[1]
        else np.zeros((gain.shape[0], 1, *gain.shape[2:]))
    )
    return np.concatenate([zero, np.cumsum(ordered, axis=1)], axis=1)
