"""Sakai's blended ratio, of which the Q-measure is a mean."""

from __future__ import annotations

import numpy as np

from . import Array


def blended_ratio(gain: Array, rank: Array, ideal_gain: Array, beta: float) -> Array:
    """BR(i) = (C(i) + β cg(i)) / (i + β cg*(i)) at every hit, where i is its rank.

    C(i) is the number of hits with gain > 0 down to rank i, cg(i) their cumulated gain, and cg*(i) the cumulated gain
    of the ideal list at depth i.

    Args:
        gain: (Q, H) or (Q, H, T) gains of at least 0.
        rank: (Q, H) ranks from 1; ``inf`` for padding.
        ideal_gain: (Q, D) or (Q, D, T) the gains of the ideal list, largest first. Nothing follows at its end.
        beta: β ≥ 0, the weight of gains; 0 gives precision.

    Returns:
        Ratios in [0, 1] in the shape of ``gain``; 0 for padding.
    """
    aspects = gain.ndim == 3
    count = np.cumsum(gain > 0, axis=1)
    cumulated = np.cumsum(gain, axis=1)
    place = np.minimum(rank, ideal_gain.shape[1]).astype(np.intp) - 1
    index = place[..., None] if aspects else place
    ideal = np.take_along_axis(np.cumsum(ideal_gain, axis=1), index, axis=1)
    i = rank[..., None] if aspects else rank
    finite = np.isfinite(i)
    return np.where(
        finite, (count + beta * cumulated) / (np.where(finite, i, 1) + beta * ideal), 0.0
    )
