"""Ideal rankings: documents sorted by gain, and the greedy ranking of alpha-nDCG."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .sums import weighted

Array = NDArray[np.float64]

DECIMALS = 12
"""Gains are rounded to this number of decimals before they are compared, so that equal gains tie whatever the order
of summation."""


def sorted_gains(gain: Array) -> Array:
    """g*_1 ≥ g*_2 ≥ …: the gains of all judged documents sorted from the largest, along axis 1.

    ``gain`` (Q, D) or (Q, D, T) → the same shape and unit.
    """
    return -np.sort(-gain, axis=1)


def greedy_gains(relevant: Array, weight: Array, alpha: float, depth: int) -> Array:
    """Gains Σ_t w_t J(d,t)(1 − α)^c_t of the greedy ideal ranking, rank by rank.

    J(d,t) is 1 where document d is relevant to aspect t, and c_t is the number of documents ranked above that are
    relevant to t. At each rank the document with the largest gain follows. Of documents with equal gains, the first on
    the document axis follows (documents are in descending order of doc_id).

    Documents relevant to the same aspects have equal gains. The function therefore compares groups of such documents,
    and takes the documents of each group in order.

    Args:
        relevant: (Q, D, T) J, of 0 and 1.
        weight: (Q, T) weights w of the aspects.
        alpha: α in [0, 1], the redundancy intolerance.
        depth: number of ranks.

    Returns:
        (Q, depth) gains in the unit of the weights; 0 where no document is left.
    """
    queries, documents, aspects = relevant.shape
    gains = np.zeros((queries, depth))
    if not relevant.size or not depth:
        return gains
    group_of, pattern, sizes = _groups(relevant)
    groups = pattern.shape[1]
    # order[q] lists the documents group by group; group g begins at start[q, g]
    order = np.argsort(group_of, axis=1, kind='stable')
    start = np.concatenate([np.zeros((queries, 1), dtype=np.intp), np.cumsum(sizes, axis=1)], axis=1)
    taken = np.zeros((queries, groups), dtype=np.intp)
    left_over = np.ones((queries, aspects))
    query = np.arange(queries)
    # Uniform weights are applied at the end, so that ties are exact.
    peak = weight.max(axis=1, initial=0.0)
    uniform = np.all((weight == peak[:, None]) | (weight == 0), axis=1)
    compared = np.where(uniform[:, None], (weight > 0).astype(float), weight)
    scale = np.where(uniform, peak, 1.0)
    # The aspect axis is first, so that einsum adds aspects one after the other.
    by_aspect = np.ascontiguousarray(pattern.transpose(2, 0, 1))
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
        gains[:, i] = scale * np.maximum(weighted(pattern[query, chosen], compared * left_over), 0.0)
        gains[best <= 0, i] = 0.0
        taken[query, chosen] += 1
        left_over = np.where(pattern[query, chosen] > 0, left_over * (1 - alpha), left_over)
    return gains


def greedy_net_gains(value: Array, relevant: Array, weight: Array, alpha: float, least: float, depth: int) -> Array:
    """Gains Σ_t w_t v(d,t)(1 − α)^c_t of the greedy ideal ranking of graded documents, rank by rank.

    c_t is the number of documents ranked above that are relevant to aspect t. At each rank the document with the
    largest gain follows, and of documents with equal gains the first on the document axis. The ranking ends before the
    first document whose gain is not above ``least``.

    Args:
        value: (Q, D, T) values v of the documents.
        relevant: (Q, D, T) 1 where a document is relevant, else 0.
        weight: (Q, T) weights w of the aspects.
        alpha: α in [0, 1], the redundancy intolerance.
        least: the gain that a document must exceed, in the unit of gains.
        depth: largest number of ranks.

    Returns:
        (Q, L) gains in the unit of value times weight, with L ≤ depth; NaN where the ranking has ended.
    """
    queries, documents, aspects = value.shape
    depth = min(depth, documents)
    gains = np.full((queries, depth), np.nan)
    left_over, open_ = np.ones((queries, aspects)), np.ones((queries, documents), dtype=bool)
    running, query = np.ones(queries, dtype=bool), np.arange(queries)
    by_aspect = np.ascontiguousarray(value.transpose(2, 0, 1))
    for i in range(depth):
        offered = np.round(np.einsum('tqd,qt->qd', by_aspect, weight * left_over), DECIMALS)
        chosen = np.where(open_, offered, -1.0).argmax(axis=1)
        gain = weighted(value[query, chosen], weight * left_over)
        running &= np.round(gain, DECIMALS) > least
        if not running.any():
            return gains[:, :i]
        gains[running, i] = gain[running]
        open_[query, chosen] = False
        left_over = np.where(relevant[query, chosen] > 0, left_over * (1 - alpha), left_over)
    return gains


def _groups(relevant: Array) -> tuple[NDArray[np.intp], Array, NDArray[np.intp]]:
    """Group the documents of each query by the aspects that they are relevant to.

    ``relevant`` (Q, D, T) of 0/1 → the group of each document (Q, D), from 0; J of each group (Q, G, T), of 0 and 1;
    and the number of documents of each group (Q, G).
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
