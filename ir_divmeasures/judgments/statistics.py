"""Judgments in numbers."""

from __future__ import annotations

from typing import Any

from ..io.columns import listing
from ..results import Result, count
from .table import Judgments, of_documents


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
    table = judgments.official
    rows, listed = of_documents(table), table[listing(table)]
    positive = rows[rows['relevance'] > 0]
    counts = listed.groupby('query_id', sort=False)['subtopic_id'].nunique().to_frame('subtopics')
    counts = counts.reindex(judgments.query_ids)
    counts['relevant_subtopics'] = positive.groupby('query_id')['subtopic_id'].nunique()
    counts['judged'] = rows.groupby('query_id')['doc_id'].nunique()
    counts['relevant'] = positive.groupby('query_id')['doc_id'].nunique()
    counts = counts.fillna(0).astype(int)
    counts['per_subtopic'] = positive.groupby('query_id').size() / counts['relevant_subtopics']
    if 'weight' in table.columns:
        weights = listed.drop_duplicates(['query_id', 'subtopic_id'])
        counts['weight_sum'] = weights.groupby('query_id')['weight'].sum()
    layers, columns = [0], judgments.table.columns[4:]
    if 'layer' in columns:
        layers = sorted(judgments.table['layer'].unique().tolist())
    counts = counts.rename_axis('query_id')
    summary = counts.agg(['sum', 'mean', 'min', 'max']).T.astype(object)
    summary.columns = ['total', 'mean', 'least', 'most']
    for name, column in counts.items():
        if column.dtype.kind == 'i':
            summary.loc[name, ['total', 'least', 'most']] = [
                int(value) for value in summary.loc[name, ['total', 'least', 'most']]
            ]
        else:
            summary.loc[name, 'total'] = None
    grades = rows['relevance'].value_counts().sort_index()
    headline = f'Judgments of {count(len(counts), "query", "queries")}'
    if layers != [0]:
        headline += f', layers {", ".join(map(str, layers))}'
    if len(columns):
        headline += f', further columns {", ".join(columns)}'
    queries = counts.reset_index()
    return Result(
        queries,
        headline,
        ['Grades: ' + ', '.join(f'{grade:g} ({n:,})' for grade, n in grades.items())],
        printed='summary',
        queries=queries,
        summary=summary.rename_axis('of a query').reset_index(),
        grades=grades,
        columns=tuple(columns),
        layers=tuple(layers),
    )


__all__ = ['statistics']
