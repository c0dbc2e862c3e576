"""Judgments in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.columns import KEYS
from ..io.ordering import distinct
from ..lazy import pd
from ..results import Result, count
from .table import Judgments


def statistics(qrels: Any) -> Result:
    """Count the queries, subtopics, documents and grades of judgments, on the layer of the official intents.

    Args:
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.

    Returns:
        :class:`~ir_divmeasures.results.Result`, a row for each query: ``subtopics`` that the judgments list,
        ``relevant_subtopics`` with a grade above 0, ``judged`` and ``relevant`` documents, ``per_subtopic``, relevant
        documents of a relevant subtopic on average, and ``weight_sum`` where there are weights.

    Facts:
        queries: the same table.
        summary: every count of a query over all queries: ``total`` (of whole numbers), ``mean, least, most``.
        grades: how many judgments (of a document for a subtopic) have each grade.
        columns: further columns of the judgments.
        layers: layers of the hierarchy; (0,) where there is none.

    Examples:
        >>> found = statistics({'q': {'d1': {'1': 2, '2': 1}, 'd2': {'1': 0, '3': 0}}})
        >>> found.queries
          query_id  subtopics  relevant_subtopics  judged  relevant  per_subtopic
        0        q          3                   2       2         1           1.0
        >>> found.grades.to_dict()
        {0: 2, 1: 1, 2: 1}
    """
    judgments = Judgments.of(qrels)
    counts, grades = by_query(judgments), grade_counts(judgments)
    layers = distinct(judgments.layers).tolist()
    further = judgments.names[len(KEYS) :]
    headline = f'Judgments of {count(len(judgments.query_ids), "query", "queries")}'
    if layers != [0]:
        headline += f', layers {", ".join(map(str, layers))}'
    if further:
        headline += f', further columns {", ".join(further)}'
    queries = pd.DataFrame({'query_id': judgments.query_ids, **counts})
    return Result(
        queries,
        headline,
        ['Grades: ' + ', '.join(f'{grade:g} ({n:,})' for grade, n in grades.items())],
        printed='summary',
        queries=queries,
        summary=pd.DataFrame(summary(counts), dtype=object),
        grades=pd.Series(grades, name='count').rename_axis('relevance'),
        columns=tuple(further),
        layers=tuple(layers),
    )


def by_query(judgments: Judgments) -> dict[str, NDArray[Any]]:
    """The counts of :func:`statistics` by name, each (queries,)."""
    collection, n = judgments.collection, len(judgments.query_ids)
    pair, (code, subtopics) = collection.row_pair, collection.subtopic
    query = collection.query_of_pair[pair]
    listed = (judgments.layers == collection.base) & collection.lists
    judged = _judged(judgments)
    positive = judged & (collection.relevance > 0)
    aspect = query * len(subtopics) + code

    def count_distinct(rows: NDArray[np.bool_], number: NDArray[Any]) -> NDArray[Any]:
        """The count of distinct ones among the numbers of some rows, by query."""
        _, first = np.unique(number[rows], return_index=True)
        return np.bincount(query[rows][first], minlength=n)

    counts: dict[str, NDArray[Any]] = {
        'subtopics': count_distinct(listed, aspect),
        'relevant_subtopics': count_distinct(positive, aspect),
        'judged': count_distinct(judged, pair),
        'relevant': count_distinct(positive, pair),
    }
    with np.errstate(invalid='ignore'):
        graded = np.bincount(query[positive], minlength=n)
        counts['per_subtopic'] = graded / counts['relevant_subtopics']
    if 'weight' in judgments.names:
        weights = judgments.table[listed].drop_duplicates(['query_id', 'subtopic_id'])
        sums = weights.groupby('query_id')['weight'].sum()
        counts['weight_sum'] = sums.reindex(judgments.query_ids).to_numpy()
    return counts


def summary(counts: Mapping[str, NDArray[Any]]) -> dict[str, list[Any]]:
    """The columns of the summary of :func:`statistics`."""
    rows = []
    for name, values in counts.items():
        known = values[~np.isnan(values)] if values.dtype.kind == 'f' else values
        total = None if values.dtype.kind == 'f' else values.sum().item()
        ends = [known.min().item(), known.max().item()] if len(known) else [np.nan] * 2
        rows.append([name, total, known.mean().item() if len(known) else np.nan, *ends])
    return dict(zip(('of a query', 'total', 'mean', 'least', 'most'), map(list, zip(*rows))))


def in_all(judgments: Judgments) -> dict[str, int]:
    """The counts of :func:`by_query`, summed over the queries."""
    return {name: counts.sum() for name, counts in by_query(judgments).items()}


def grade_counts(judgments: Judgments) -> dict[Any, int]:
    """How many judgments (of a document for a subtopic) have each grade."""
    grades = np.asarray(judgments.collection.columns['relevance'])[_judged(judgments)]
    values, numbers = np.unique(grades, return_counts=True)
    return dict(zip(values.tolist(), numbers.tolist()))


def _judged(judgments: Judgments) -> NDArray[np.bool_]:
    """Which rows are those of :func:`~ir_divmeasures.judgments.table.of_documents` on the official layer."""
    collection, judged = judgments.collection, judgments.is_official.copy()
    query = collection.query_of_pair[collection.row_pair]
    has_document = np.bincount(query[judged], minlength=len(judgments.query_ids)) > 0
    alone = np.flatnonzero((judgments.layers == collection.base) & ~has_document[query])
    judged[alone[np.unique(query[alone], return_index=True)[1]]] = True
    return judged


__all__ = ['statistics']
