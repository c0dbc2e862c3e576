"""Ids as numbers, ties, and the order of a ranking: the only module that knows them.

A ranking is ordered by score descending, ties by doc_id descending (trec_eval's order).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rows import Strings, call_arrow, values_of

NO_DOCUMENT = '-'
"""The document of *intent rows*. Such a row has a grade of at most 0 and says only that the query has this intent. It
never #: counts as a judged document, and no run may contain it."""


FEW_NAMES = 10_000
"""The number of names up to which Arrow sorts them as fast as numbers are made of them and sorted."""


def are_documents(names: Strings) -> NDArray[np.bool_]:
    """Return which of some ids are those of documents, (n,): all but :data:`NO_DOCUMENT`."""
    documents = np.ones(len(names), dtype=bool)
    short = np.flatnonzero(names.lengths == len(NO_DOCUMENT))
    documents[short] = [name != NO_DOCUMENT for name in names.pick(short)]
    return documents


def first_repetition(keys: np.ndarray) -> int | None:
    """Return the place of the first key that repeats an earlier one, or None."""
    span = int(keys.max()) + 1 if len(keys) else 0
    if span <= 64 * len(keys) + 1_000_000:
        present = np.zeros(span, dtype=bool)
        present[keys] = True
        if np.count_nonzero(present) == len(keys):
            return None
    else:
        ascending = np.sort(keys)
        if not np.any(ascending[1:] == ascending[:-1]):
            return None
    _, first = np.unique(keys, return_index=True)
    return int(np.setdiff1d(np.arange(len(keys)), first)[0])


def distinct(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of some whole numbers ≥ 0, sorted, and the place of each key among them."""
    span = int(keys.max()) + 1 if len(keys) else 0
    if span > 64 * len(keys) + 1_000_000:
        order = np.argsort(keys, kind='stable')
        ascending = keys[order]
        first = np.concatenate([[True], ascending[1:] != ascending[:-1]])
        place = np.empty(len(keys), dtype=np.intp)
        place[order] = np.cumsum(first) - 1
        return ascending[first], place
    present = np.zeros(span, dtype=bool)
    present[keys] = True
    values = np.flatnonzero(present)
    place = np.empty(span, dtype=np.intp)
    place[values] = np.arange(len(values))
    return values, place[keys]


def encode(column: Any) -> tuple[np.ndarray, Any]:
    """Whole numbers that stand for the distinct values of a column of ids, by first appearance, and those values.

    Consecutive rows with the same id need one look-up only.
    """
    names = Strings.of(column)
    first = names.stretches
    coded = call_arrow(
        'dictionary_encode', names.array if len(first) == len(names) else names.take(first)
    )
    return np.repeat(whole(coded.indices), np.diff(first, append=len(names))), coded.dictionary


def codes(column: Any) -> np.ndarray:
    """The numbers of :func:`encode` alone."""
    return encode(column)[0]


def ids(frame: Any, column: str, name: str) -> Any:
    """A column of ids as strings.

    Raises:
        ValueError: a missing id.
    """
    import pandas as pd

    values = frame[column]
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=False) == 'string':
        return values
    if values.isna().any():
        raise ValueError(f'{name}: row {int(np.flatnonzero(values.isna())[0])} has no {column}')
    if isinstance(values.dtype, pd.StringDtype):
        return values
    return pd.Series([str(value) for value in values], index=values.index, dtype=object)


def whole(array: Any) -> NDArray[np.int64]:
    return values_of(array).astype(np.int64, copy=False)


def order_of_names(names: Strings) -> NDArray[np.int64]:
    """Return the rows of some names, an arrow array of large strings, in ascending order; equal ones in any order."""
    words = names.ascending() if len(names) > FEW_NAMES else None
    if words is None:
        return whole(call_arrow('array_sort_indices', names.array))
    words = [word for word in words if len(word) and word.min() < word.max()]
    if len(words) < 2:
        return np.argsort(words[0]) if words else np.arange(len(names))
    return np.lexsort(words[::-1])


def place_by_name(names: Any) -> NDArray[np.int64]:
    """Return the place of each name in ascending order."""
    return inverse(order_of_names(Strings.of(names)))


def inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each row among rows in this order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


ORDERS = ('descending', 'single', 'ascending', 'rows')
"""How rankings are ordered by ir_measures' hosts: by score descending, equal scores by doc_id descending (ndeval,
gdeval, and all of ours); the same with scores in 32 bits (trec_eval); by doc_id ascending; as the rows stand."""

TIES = {'doc_id': 'descending', 'doc_id_ascending': 'ascending', 'rows': 'rows'}
"""What users call the ways to order documents of equal scores, and which of :data:`ORDERS` each is."""


def check_ties(ties: Any) -> None:
    """Raise an error unless ``ties`` is a known order of documents with equal scores.

    Raises:
        ValueError: names the ways.
    """
    if ties not in TIES:
        raise ValueError(f'ties={ties!r}: expected one of {", ".join(map(repr, TIES))}')


class Sorted(NamedTuple):
    """Rows query by query, by score descending; equal scores in any order.

    Attributes:
        order: the rows in this order; None if the rows are already in it.
        query, score: those of the rows in this order.
        tied: whether each row but the first has the query and the score of the one before it, (rows − 1,).
    """

    order: NDArray[np.intp] | None
    query: NDArray[Any]
    score: NDArray[Any]
    tied: NDArray[np.bool_]

    @classmethod
    def of(cls, query: NDArray[Any], score: NDArray[Any], stable: bool = False) -> Sorted:
        """The rows of a run, given the number of each one's query, and its score; ``stable`` keeps equal scores in
        the order of the rows."""
        same = query[1:] == query[:-1]
        order = None
        if not np.all((query[1:] > query[:-1]) | (same & (score[1:] <= score[:-1]))):
            order = by_score(query, score, stable)
            query, score = query[order], score[order]
            same = query[1:] == query[:-1]
        return cls(order, query, score, same & (score[1:] == score[:-1]))


def ranking_order(
    query: NDArray[Any],
    score: NDArray[Any],
    names: Strings,
    judged: NDArray[np.bool_],
    how: str = 'descending',
    ordered: Sorted | None = None,
) -> NDArray[np.intp] | None:
    """The rows in the order of a ranking (see :data:`ORDERS`), query by query; None where they have it already.

    Only ties that contain a judged document are resolved, because others change no rank of a judged document.
    ``ordered`` is the run sorted by 64-bit scores, if the caller has it.
    """
    if how == 'single':
        with np.errstate(over='ignore'):
            score = score.astype(np.float32)
    if ordered is None or how in ('single', 'rows'):
        ordered = Sorted.of(query, score, stable=how == 'rows')
    order, query, score, tied = ordered
    if how == 'rows' or not tied.any():
        return order
    with_former = np.concatenate([[False], tied])
    rows = np.flatnonzero(with_former | np.concatenate([tied, [False]]))
    group = np.cumsum(~with_former[rows])
    matters = np.zeros(group[-1] + 1, dtype=bool)
    matters[group[judged[rows if order is None else order[rows]]]] = True
    rows, group = rows[matters[group]], group[matters[group]]
    if not len(rows):
        return order
    order = np.arange(len(query)) if order is None else order.copy()
    place = place_by_name(names.take(order[rows]))
    order[rows] = order[rows][np.lexsort((place if how == 'ascending' else -place, group))]
    return order


def by_score(query: NDArray[Any], score: NDArray[Any], stable: bool = False) -> NDArray[np.intp]:
    """Rows by query, then by score descending; equal scores in any order, or as the rows stand."""
    counts = np.bincount(query)
    width = int(counts.max(initial=0))
    if len(counts) * width > 2 * len(query):  # some queries have far more rows than others
        return np.lexsort((-score, query))
    rows = (
        np.arange(len(query))
        if np.all(query[1:] >= query[:-1])
        else np.argsort(query, kind='stable')
    )
    filled = np.arange(width) < counts[:, None]
    descending = np.full(
        filled.shape, np.inf if score.dtype.kind == 'f' else np.iinfo(score.dtype).max, score.dtype
    )
    descending[filled] = -score[rows]
    order = np.argsort(descending, axis=1, kind='stable' if stable else None)
    order += starts(counts)[:-1, None]
    return rows[order[order < starts(counts)[1:, None]]]


def spread_over(n: int, most: int) -> NDArray[np.intp]:
    """Return at most so many places out of n, evenly spread from the first to the last, ascending.

    Examples:
        >>> spread_over(7, 3), spread_over(2, 5)
        (array([0, 3, 6]), array([0, 1]))
    """
    places = np.linspace(0, max(n - 1, 0), most).astype(np.intp)
    return places[
        np.diff(places, prepend=-1) > 0
    ]  # np.unique imports numpy.ma, which takes a while


def starts(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where each of several consecutive groups begins, given their sizes, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)


def place_in_group(group: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place, from 0, of each member within its group; ``group`` ascending, ``counts`` the groups' sizes."""
    return np.arange(len(group)) - starts(counts)[group]
