"""Runs that fit a budget: the lengths of documents, and the part of each ranking that a reader has room for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lazy import pd
from .run_columns import column_values
from .runs import read

if TYPE_CHECKING:
    from ..typing import RunLike


def with_lengths(run: RunLike, lengths: Mapping[str, Any]) -> pd.DataFrame:
    """A run with the lengths of its documents in a column ``length``, which budgets and ``RBU(effort='length')`` read.

    Args:
        run: a run in any form that ir_measures or PyTerrier uses.
        lengths: in tokens, characters or whatever the budget counts: ``{doc_id: length}``.

    Returns:
        DataFrame ``query_id, doc_id, score, length``, in the order of the run.

    Raises:
        TypeError: no dict of lengths.
        ValueError: a document without length, or one that is no number of at least 0; names query and document.

    Examples:
        >>> with_lengths({'q': {'d1': 2.0, 'd2': 1.0}}, {'d1': 80, 'd2': 50})
          query_id doc_id  score  length
        0        q     d1    2.0    80.0
        1        q     d2    1.0    50.0
    """
    table = read(run).check().table
    if not isinstance(lengths, Mapping):
        raise TypeError(
            f'lengths: expected a dict {{doc_id: length}}, found {type(lengths).__name__}'
        )
    table = table.assign(length=[lengths.get(document) for document in table['doc_id']])
    return table.assign(length=column_values(table, 'length'))


def within_budget(run: RunLike, lengths: Mapping[str, Any] | None, budget: float) -> pd.DataFrame:
    """The part of a run that fits a budget: for every query the first m documents, Σ_{i≤m} length(d_i) ≤ budget.

    The first document that does not fit ends the list; none is taken in part, none is skipped. This is what ``budget=``
    does in ``Coverage`` and ``StRecall``; measures that compare with an ideal ranking see the shorter run in this way.

    Args:
        run: a run in any form that ir_measures or PyTerrier uses.
        lengths: as for :func:`with_lengths`; None: the run has a column ``length``.
        budget: what there is room for, in the unit of the lengths; at least 0.

    Returns:
        DataFrame ``query_id, doc_id, score, length``: by query, score descending, ties by doc_id descending.

    Raises:
        TypeError: no dict of lengths.
        ValueError: a budget below 0, a run without lengths, a document without length; names query and document.

    Examples:
        >>> within_budget({'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}, {'d1': 80, 'd2': 50, 'd3': 10}, budget=100)
          query_id doc_id  score  length
        0        q     d1    3.0    80.0
    """
    if (
        isinstance(budget, bool)
        or not isinstance(budget, (int, float, np.number))
        or not budget >= 0
    ):
        raise ValueError(f'budget={budget!r}: expected a number of at least 0')
    table = read(run).check().table if lengths is None else with_lengths(run, lengths)
    length = column_values(table, 'length', 'within_budget')
    table = table.assign(length=length, query_place=pd.factorize(table['query_id'])[0])
    order = {'query_place': True, 'score': False, 'doc_id': False}
    table = table.sort_values([*order], ascending=[*order.values()], kind='stable')
    fits = table.groupby('query_place')['length'].cumsum() <= budget
    return table[fits].drop(columns='query_place').reset_index(drop=True)
