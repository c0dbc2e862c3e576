"""Judgments in numbers."""

from __future__ import annotations

from typing import Any

from ..io.columns import listing
from ..lazy import pd
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
    counts = by_query(judgments)
    layers, columns = [0], judgments.table.columns[4:]
    if 'layer' in columns:
        layers = sorted(judgments.table['layer'].unique().tolist())
    summary = counts.agg(['sum', 'mean', 'min', 'max']).T.astype(object)
    summary.columns = ['total', 'mean', 'least', 'most']
    for name, column in counts.items():
        if column.dtype.kind == 'i':
            summary.loc[name, ['total', 'least', 'most']] = [
                int(value) for value in summary.loc[name, ['total', 'least', 'most']]
            ]
        else:
            summary.loc[name, 'total'] = None
    grades = of_documents(judgments.official)['relevance'].value_counts().sort_index()
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


def by_query(judgments: Judgments) -> pd.DataFrame:
    """The table of :func:`statistics` by ``query_id``."""
    table = judgments.official
    rows, listed = of_documents(table), table[listing(table)]
    positive, queries = rows[rows['relevance'] > 0], pd.Index(judgments.query_ids, name='query_id')

    def distinct(rows: pd.DataFrame, name: str) -> pd.Series:
        """The number of distinct values of a column in the rows of each query."""
        return rows.groupby('query_id', sort=False)[name].nunique().reindex(queries, fill_value=0)

    counts = pd.DataFrame(
        {
            'subtopics': distinct(listed, 'subtopic_id'),
            'relevant_subtopics': distinct(positive, 'subtopic_id'),
            'judged': distinct(rows, 'doc_id'),
            'relevant': distinct(positive, 'doc_id'),
        }
    )
    graded = positive['query_id'].value_counts().reindex(queries, fill_value=0)
    counts['per_subtopic'] = graded / counts['relevant_subtopics']
    if 'weight' in table.columns:
        weights = listed.drop_duplicates(['query_id', 'subtopic_id'])
        counts['weight_sum'] = weights.groupby('query_id')['weight'].sum()
    return counts


__all__ = ['statistics']
