"""The order of a ranking, and what to do with equal scores.

A ranking is ordered by score descending, ties by doc_id descending (trec_eval's order).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .text_columns import Texts

ORDERS = ('descending', 'single', 'ascending', 'rows')
"""How rankings are ordered by ir_measures' hosts: by score descending, equal scores by doc_id descending (ndeval,
gdeval, and all of ours); the same with scores in 32 bits (trec_eval); by doc_id ascending; as the rows stand."""

TIES = {'doc_id': 'descending', 'doc_id_ascending': 'ascending', 'rows': 'rows'}
"""What users call the ways to order documents of equal scores, and which of :data:`ORDERS` each is."""


def check_ties(ties: Any) -> None:
    """Raise an error that names the ways unless ``ties`` is a known order of documents with equal scores."""
    if ties not in TIES:
        raise ValueError(f'ties={ties!r}: expected one of {", ".join(map(repr, TIES))}')


class Sorted(NamedTuple):
    """Rows query by query, by score descending; equal scores in any order.

    Attributes:
        order: the rows in this order.
        query, score: those of the rows in this order.
        tied: whether each row but the first has the query and the score of the one before it, (rows − 1,).
    """

    order: NDArray[np.intp]
    query: NDArray[Any]
    score: NDArray[Any]
    tied: NDArray[np.bool_]

    @classmethod
    def of(cls, query: NDArray[Any], score: NDArray[Any], stable: bool = False) -> Sorted:
        """The rows of a run, given the number of each one's query, and its score; ``stable`` keeps equal scores in
        the order of the rows."""
        order, same = np.arange(len(query)), query[1:] == query[:-1]
        if not np.all((query[1:] > query[:-1]) | (same & (score[1:] <= score[:-1]))):
            order = by_score(query, score, stable)
            query, score = query[order], score[order]
            same = query[1:] == query[:-1]
        return cls(order, query, score, same & (score[1:] == score[:-1]))


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, ascending. For them alone ``np.unique`` imports ``numpy.ma``."""
    found: NDArray[Any] = np.unique(values, return_counts=True)[0]
    return found


def by_score(query: NDArray[Any], score: NDArray[Any], stable: bool = False) -> NDArray[np.intp]:
    """Rows by query, then by score descending; equal scores in any order, or as the rows stand."""
    order = np.argsort(-score, kind='stable' if stable else None)
    # NumPy sorts numbers of 16 bits in one pass over them.
    number = query.astype(np.min_scalar_type(int(query.max(initial=0))))
    return order[np.argsort(number[order], kind='stable')]


def ranking_order(
    query: NDArray[Any],
    score: NDArray[Any],
    names: Texts,
    judged: NDArray[np.bool_] | None = None,
    how: str = 'descending',
    ordered: Sorted | None = None,
) -> NDArray[np.intp]:
    """The rows in the order of a ranking (see :data:`ORDERS`), query by query.

    Of the ties, only those that contain a judged document are resolved, because others change no rank of a judged
    document; without ``judged`` all are. ``ordered`` is the run sorted by 64-bit scores, if the caller has it.
    """
    if how == 'single':
        with np.errstate(over='ignore'):
            score = score.astype(np.float32)
    if ordered is None or how in ('single', 'rows'):
        ordered = Sorted.of(query, score, stable=how == 'rows')
    order, _, _, tied = ordered
    if how == 'rows' or not tied.any():
        return order
    with_former = np.append(False, tied)
    rows = np.flatnonzero(with_former | np.append(tied, False))
    group = np.cumsum(~with_former[rows])
    if judged is not None:
        matters = np.bincount(group, judged[order[rows]]) > 0
        rows, group = rows[matters[group]], group[matters[group]]
    place = names.take(order[rows]).places
    order = order.copy()
    order[rows] = order[rows][np.lexsort((place if how == 'ascending' else -place, group))]
    return order


def starts(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where each of several consecutive groups begins, given their sizes, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)


def place_in_group(group: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place, from 0, of each member within its group; ``group`` ascending, ``counts`` the groups' sizes."""
    return np.arange(len(group)) - starts(counts)[group]
