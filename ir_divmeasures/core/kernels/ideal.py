"""Ideal rankings: documents sorted by gain, and the greedy ranking of alpha-nDCG."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from . import Array
from .sums import one_by_one, weighted

DECIMALS = 12
"""Gains are rounded to this number of decimals before they are compared, so that equal gains tie whatever the order
of summation."""


def sorted_gains(gain: Array) -> Array:
    """g*_1 ≥ g*_2 ≥ …: the gains of all judged documents sorted from the largest, along axis 1.

    ``gain`` (Q, D) or (Q, D, T) → the same shape and unit.
    """
    return -np.sort(-gain, axis=1)


def discounted(gains: Array, discount_at: Callable[[Array], Array]) -> Array:
    """Σ_i g*_i discount(i), the sum of an ideal list's gains with their discounts: (Q, D[, T]) → (Q,) or (Q, T)."""
    discounts = discount_at(np.arange(1.0, gains.shape[1] + 1))
    return one_by_one(gains * (discounts if gains.ndim == 2 else discounts[:, None]))


def greedy_gains(
    value: Array, relevant: Array, weight: Array, alpha: float, least: float, depth: int
) -> Array:
    """Gains Σ_t w_t v(d,t)(1 − α)^c_t of the greedy ideal ranking, rank by rank.

    c_t is the number of documents ranked above that are relevant to aspect t. At each rank the document with the
    largest gain follows. Of documents with equal gains, the first on the document axis follows (documents are in
    descending order of doc_id). The ranking ends before the first document whose gain is not above ``least``.

    Documents with equal values have equal gains. The function therefore compares groups of such documents, and takes
    the documents of each group in order.

    Args:
        value: (Q, D, T) values v of the documents.
        relevant: (Q, D, T) 1 where a document is relevant, else 0. Equal values of an aspect are equally relevant.
        weight: (Q, T) weights w of the aspects.
        alpha: α in [0, 1], the redundancy intolerance.
        least: the gain that a document must exceed, in the unit of gains.
        depth: number of ranks.

    Returns:
        (Q, depth) gains in the unit of value times weight; NaN where the ranking has ended.
    """
    queries, documents, aspects = value.shape
    gains, query = np.full((queries, depth), np.nan), np.arange(queries)
    if not value.size:
        return gains
    order, start = _groups(value)
    # place is where the next document of each group stands in the order, (Q, groups).
    place, end = start[:, :-1].copy(), start[:, 1:]
    following = np.take_along_axis(order, np.minimum(place, documents - 1), axis=1)
    by_aspect = value[query[:, None], following].transpose(2, 0, 1).copy()
    open_ = place < end
    # Uniform weights are applied at the end, so that ties are exact.
    peak = weight.max(axis=1)
    uniform = np.all((weight == peak[:, None]) | (weight == 0), axis=1) & (peak > 0)
    left_over = np.where(uniform[:, None], weight > 0, weight)
    scale = np.where(uniform, peak, 1.0)
    running, enough = np.ones(queries, dtype=bool), np.round(least / scale, DECIMALS)
    offered = np.zeros(open_.shape)
    changed: slice | NDArray[np.intp] = slice(None)
    for i in range(min(depth, documents)):
        gain_of_next = np.einsum('tqg,qt->qg', by_aspect[:, :, changed], left_over)
        offered[:, changed] = np.round(gain_of_next, DECIMALS)
        offered[~open_] = -1.0
        best = offered.max(axis=1)
        chosen = np.where(offered == best[:, None], following, documents).argmin(axis=1)
        document = following[query, chosen]
        running &= best > enough
        if not running.any():
            break
        gain = scale * weighted(value[query, document], left_over)
        gains[running, i] = gain[running]
        left_over = np.where(relevant[query, document] > 0, left_over * (1 - alpha), left_over)
        place[query, chosen] += 1
        open_[query, chosen] = place[query, chosen] < end[query, chosen]
        following[query, chosen] = order[query, np.minimum(place[query, chosen], documents - 1)]
        if queries == 1:  # a query with many aspects and documents is evaluated alone
            changed = np.flatnonzero(by_aspect[relevant[0, document[0]] > 0, 0].any(axis=0))
    return gains


def _groups(value: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Order the documents of each query so that those with equal values for all aspects are neighbours.

    ``value`` (Q, D, T) → the order, (Q, D), and where each group begins in it, (Q, G + 1), D after the last group.
    """
    queries, documents, aspects = value.shape
    order = np.argsort(value @ np.cos(np.arange(aspects)), axis=1, kind='stable')
    ordered = value[np.arange(queries)[:, None], order]
    begins = np.ones((queries, documents), dtype=bool)
    begins[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=2)
    row, column = np.nonzero(begins)
    group = np.cumsum(begins, axis=1)[row, column] - 1
    start = np.full((queries, int(group.max()) + 2), documents)
    start[row, group] = column
    return order, start
