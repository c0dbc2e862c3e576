"""Ideal rankings: by gain, and the greedy one of alpha-nDCG."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .sums import weighted

Array = NDArray[np.float64]

DECIMALS = 12
"""Gains are compared after rounding to so many decimals: equal gains tie whatever the order of summation."""


def sorted_gains(gain: Array) -> Array:
    """Gains of the ideal list: every judged document, largest first, along axis 1: (Q, D[, T])."""
    return -np.sort(-gain, axis=1)


def greedy_gains(relevant: Array, weight: Array, alpha: float, depth: int) -> Array:
    """Novelty-discounted gains of the greedy ideal ranking, rank by rank.

    At each rank the document with the largest Σ_t w_t J(d,t)(1 − α)^c_t comes next; of equal ones the one that stands
    first on the document axis (documents stand by doc_id, descending). ``relevant`` (Q, D, T) of 0/1,
    ``weight`` (Q, T) → (Q, depth).

    Documents relevant to the same aspects gain the same, so it is enough to compare the groups they form and to walk
    through each group in order.
    """
    queries, documents, aspects = relevant.shape
    gains = np.zeros((queries, depth))
    if not relevant.size or not depth:
        return gains
    group_of, pattern, sizes = _groups(relevant)
    groups = pattern.shape[1]
    # queue[q, g, n]: place on the document axis of the n-th document of group g
    order = np.argsort(group_of, axis=1, kind='stable')
    start = np.concatenate([np.zeros((queries, 1), dtype=np.intp), np.cumsum(sizes, axis=1)], axis=1)
    taken = np.zeros((queries, groups), dtype=np.intp)
    left_over = np.ones((queries, aspects))
    everyone = np.arange(queries)
    # Uniform weights are applied at the end, so that ties are exact.
    peak = weight.max(axis=1, initial=0.0)
    uniform = np.all((weight == peak[:, None]) | (weight == 0), axis=1)
    compared = np.where(uniform[:, None], (weight > 0).astype(float), weight)
    scale = np.where(uniform, peak, 1.0)
    by_aspect = np.ascontiguousarray(pattern.transpose(2, 0, 1))  # whose sums over aspects are term by term
    for i in range(min(depth, documents)):
        gain = np.round(np.einsum('tqg,qt->qg', by_aspect, compared * left_over), DECIMALS)
        open_ = taken < sizes
        gain[~open_] = -1.0
        best = gain.max(axis=1)
        place = np.minimum(start[:, :-1] + taken, documents - 1)
        waiting = np.where(gain == best[:, None], np.take_along_axis(order, place, axis=1), documents)
        chosen = waiting.argmin(axis=1)
        if not (best > 0).any():
            break
        gains[:, i] = scale * np.maximum(weighted(pattern[everyone, chosen], compared * left_over), 0.0)
        gains[best <= 0, i] = 0.0
        taken[everyone, chosen] += 1
        left_over = np.where(pattern[everyone, chosen] > 0, left_over * (1 - alpha), left_over)
    return gains


def greedy_net_gains(value: Array, relevant: Array, weight: Array, alpha: float, least: float, depth: int) -> Array:
    """Gains of the greedy ideal ranking of graded documents, which ends before the first that gains ``least`` or less.

    At each rank the document with the largest Σ_t w_t value(d,t)(1 − α)^c_t comes next; of equal ones the one that
    stands first on the document axis. ``value``, ``relevant`` (Q, D, T), ``weight`` (Q, T) → (Q, at most depth), NaN
    where the ranking has ended.
    """
    queries, documents, aspects = value.shape
    depth = min(depth, documents)
    gains = np.full((queries, depth), np.nan)
    left_over, open_ = np.ones((queries, aspects)), np.ones((queries, documents), dtype=bool)
    running, everyone = np.ones(queries, dtype=bool), np.arange(queries)
    by_aspect = np.ascontiguousarray(value.transpose(2, 0, 1))
    for i in range(depth):
        offered = np.round(np.einsum('tqd,qt->qd', by_aspect, weight * left_over), DECIMALS)
        chosen = np.where(open_, offered, -1.0).argmax(axis=1)
        gain = weighted(value[everyone, chosen], weight * left_over)
        running &= np.round(gain, DECIMALS) > least
        if not running.any():
            return gains[:, :i]
        gains[running, i] = gain[running]
        open_[everyone, chosen] = False
        left_over = np.where(relevant[everyone, chosen] > 0, left_over * (1 - alpha), left_over)
    return gains


def _groups(relevant: Array) -> tuple[NDArray[np.intp], Array, NDArray[np.intp]]:
    """Documents grouped by the aspects they are relevant to.

    (Q, D, T) → group of each document (Q, D), aspects of each group (Q, G, T), size of each group (Q, G).
    """
    queries, documents, aspects = relevant.shape
    packed = np.ascontiguousarray(np.packbits(relevant > 0, axis=2))
    owner = np.repeat(np.arange(queries, dtype='>u4'), documents)
    key = np.concatenate([owner.view(np.uint8).reshape(queries * documents, 4),
                          packed.reshape(queries * documents, -1)], axis=1)
    _, first, inverse = np.unique(np.ascontiguousarray(key).view(f'V{key.shape[1]}').ravel(),
                                  return_index=True, return_inverse=True)
    # np.unique sorts by the query first, so the groups of a query are neighbours.
    query_of = first // documents
    offset = np.searchsorted(query_of, np.arange(queries))
    group_of = inverse.reshape(queries, documents) - offset[:, None]
    groups = int(group_of.max()) + 1
    pattern = np.zeros((queries, groups, aspects))
    pattern[query_of, np.arange(len(first)) - offset[query_of]] = relevant.reshape(-1, aspects)[first]
    sizes = np.zeros((queries, groups), dtype=np.intp)
    np.add.at(sizes, (np.arange(queries)[:, None], group_of), 1)
    return group_of, pattern, sizes
