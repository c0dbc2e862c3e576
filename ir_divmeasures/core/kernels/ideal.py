"""Ideal rankings: documents sorted by gain, and the greedy ranking of alpha-nDCG."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import sums
from .cells import Cells
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


def greedy_gains(relevant: Cells, weight: Array, alpha: float | Array, depth: int) -> Array:
    """Gains Σ_t w_t J(d,t)(1 − α)^c_t of the greedy ideal ranking, rank by rank.

    J(d,t) is 1 where document d is relevant to aspect t, and c_t is the number of documents ranked above that are
    relevant to t. At each rank the document with the largest gain follows. Of documents with equal gains, the first on
    the document axis follows (documents are in descending order of doc_id).

    Documents relevant to the same aspects have equal gains. The function therefore compares groups of such documents,
    and takes the documents of each group in order.

    Args:
        relevant: (Q, D, T) the cells where J is 1.
        weight: (Q, T) weights w of the aspects.
        alpha: α in [0, 1], the redundancy intolerance; or several values of it, (S,).
        depth: number of ranks.

    Returns:
        (Q, depth) gains in the unit of the weights; 0 where no document is left. (S, Q, depth) for several α.
    """
    queries, documents, _ = relevant.shape
    if not len(relevant.place) or not depth:
        return np.zeros((*np.shape(alpha), queries, depth))
    group_of, groups = _groups(relevant)
    n_groups = groups.shape[1]
    sizes = np.bincount(
        (np.arange(queries)[:, None] * n_groups + group_of).ravel(), minlength=queries * n_groups
    )
    # order lists the documents of each query group by group; place is where the next document of each group stands.
    order = np.argsort(group_of.astype(np.min_scalar_type(n_groups)), axis=1, kind='stable').ravel()
    end = np.cumsum(sizes)
    place = end - sizes
    # The next document of each group. After its last one a group offers less than nothing.
    following = np.where(sizes > 0, order[np.minimum(place, len(order) - 1)], documents)
    open_ = sizes > 0
    # Uniform weights are applied at the end, so that ties are exact.
    peak = weight.max(axis=1, initial=0.0)
    uniform = np.all((weight == peak[:, None]) | (weight == 0), axis=1)
    left_over = np.where(uniform[:, None], (weight > 0).astype(float), weight).ravel()
    scale = np.where(uniform, peak, 1.0)
    # Each α has queries of its own from here on.
    kept = np.repeat(1 - np.ravel(alpha), queries)
    copies = np.size(alpha)
    groups = groups.copies(copies)
    end, place, following, open_, left_over, scale = (
        np.tile(each, copies) for each in (end, place, following, open_, left_over, scale)
    )
    gains = np.zeros((len(kept), depth))
    first = np.arange(len(kept)) * n_groups
    for i in range(min(depth, documents)):
        offered = sums.by_place(groups.document, left_over[groups.aspect], (len(kept) * n_groups,))
        compared = np.where(open_, np.round(offered, DECIMALS), -1.0)
        best = np.maximum.reduceat(
            compared, first
        )  # takes half the time of max(axis=1) for short rows
        if not (best > 0).any():
            break
        waiting = np.where(
            compared.reshape(-1, n_groups) == best[:, None],
            following.reshape(-1, n_groups),
            documents,
        )
        chosen = first + waiting.argmin(axis=1)
        gains[:, i] = np.where(best > 0, scale * offered[chosen], 0.0)
        place[chosen] += 1
        open_[chosen] = place[chosen] < end[chosen]
        following[chosen] = order[np.minimum(place[chosen], len(order) - 1)]
        cells, counts = groups.of_documents(chosen)
        left_over[groups.aspect[cells]] *= np.repeat(kept, counts)
    return gains.reshape(*np.shape(alpha), queries, depth)


def greedy_net_gains(
    value: Array, relevant: Array, weight: Array, alpha: float, least: float, depth: int
) -> Array:
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
        best_document = np.where(open_, offered, -1.0).argmax(axis=1)
        gain = weighted(value[query, best_document], weight * left_over)
        running &= np.round(gain, DECIMALS) > least
        if not running.any():
            return gains[:, :i]
        gains[running, i] = gain[running]
        open_[query, best_document] = False
        left_over = np.where(relevant[query, best_document] > 0, left_over * (1 - alpha), left_over)
    return gains


def _groups(relevant: Cells) -> tuple[NDArray[np.intp], Cells]:
    """Group the documents of each query by the aspects that they are relevant to.

    ``relevant`` (Q, D, T) → the group of each document, (Q, D), from 0, and J of each group, (Q, G, T).
    """
    queries, documents, aspects = relevant.shape
    if aspects < int(documents).bit_length():  # 2^aspects ≤ documents
        member, group_of = _by_pattern(relevant)
    else:
        member, group_of = _by_bytes(relevant)
    # The groups are sorted by query first, so the groups of a query are neighbours.
    query_of = member // documents
    offset = np.searchsorted(query_of, np.arange(queries))
    group_of = group_of.reshape(queries, documents) - offset[:, None]
    n_groups = int(group_of.max()) + 1
    cells, counts = relevant.of_documents(member)
    group = np.repeat(query_of * n_groups + np.arange(len(member)) - offset[query_of], counts)
    return group_of, Cells(
        (queries, n_groups, aspects),
        group * aspects + relevant.aspect[cells] % aspects,
        np.ones(len(cells)),
    )


def _by_pattern(relevant: Cells) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A document of each group, and the group of each document, (Q · D,); for few aspects, without sorting.

    Both are places in a flattened array (Q, D), as in :func:`_by_bytes`.
    """
    queries, documents, aspects = relevant.shape
    bit = 2.0 ** np.arange(aspects)  # their sums are exact
    pattern = np.bincount(
        relevant.document, bit[relevant.place - relevant.document * aspects], queries * documents
    )
    pattern = pattern.astype(np.intp) + np.repeat(np.arange(queries) << aspects, documents)
    member_of = np.full(queries << aspects, -1, dtype=np.intp)
    member_of[pattern] = np.arange(len(pattern))
    present = member_of >= 0
    return member_of[present], (np.cumsum(present) - 1)[pattern]


def _by_bytes(relevant: Cells) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The same for any number of aspects, by sorting keys that have a bit for each aspect."""
    queries, documents, aspects = relevant.shape
    width = max(-(-aspects // 8), 4)
    byte = relevant.document * width + relevant.aspect % aspects // 8
    bit = (128 >> (relevant.aspect % aspects % 8)).astype(np.uint8)
    first = np.flatnonzero(np.diff(byte, prepend=-1))
    packed = np.zeros((queries * documents, width), dtype=np.uint8)
    packed.reshape(-1)[byte[first]] = np.add.reduceat(bit, first, dtype=np.uint8)
    owner = np.repeat(np.arange(queries, dtype='>u4'), documents)
    key = np.concatenate([owner.view(np.uint8).reshape(queries * documents, 4), packed], axis=1)
    # Up to 32 aspects the key is a whole number in the same order, which takes less time to sort.
    keys = key.view(f'V{key.shape[1]}' if width > 4 else '>u8').ravel()
    _, member, inverse = np.unique(
        keys if width > 4 else keys.astype(np.uint64), return_index=True, return_inverse=True
    )
    return member, inverse
