"""Counts of judgments by query."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .table import Judgments


def by_query(judgments: Judgments) -> dict[str, NDArray[Any]]:
    """Count subtopics, documents and relevant documents of the official intents.

    Args:
        judgments: the judgments.

    Returns:
        By name, each (queries,): ``subtopics`` that the judgments list, ``relevant_subtopics`` with a grade above 0,
        ``judged`` and ``relevant`` documents, ``per_subtopic``, relevant documents of a relevant subtopic on average,
        and ``weight_sum`` where there are weights.
    """
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


def _judged(judgments: Judgments) -> NDArray[np.bool_]:
    """Which rows are those of :func:`~ir_divmeasures.judgments.table.of_documents` on the official layer."""
    collection, judged = judgments.collection, judgments.is_official.copy()
    query = collection.query_of_pair[collection.row_pair]
    has_document = np.bincount(query[judged], minlength=len(judgments.query_ids)) > 0
    alone = np.flatnonzero((judgments.layers == collection.base) & ~has_document[query])
    judged[alone[np.unique(query[alone], return_index=True)[1]]] = True
    return judged
