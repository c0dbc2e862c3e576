"""Judgments in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..io.columns import listing
from ..lazy import pd
from ..results import Result, count
from .table import Judgments, of_documents


@dataclass(frozen=True, eq=False, repr=False)
class Statistics(Result):
    """What :func:`statistics` counts.

    Attributes:
        queries: a row for each query: ``subtopics`` that the judgments list, ``relevant_subtopics`` with a grade above
            0, ``judged`` and ``relevant`` documents, ``per_subtopic``, relevant documents of a relevant subtopic on
            average, and ``weight_sum`` where there are weights.
        grades: how many judgments (of a document for a subtopic) have each grade.
        columns: further columns of the judgments.
        layers: layers of the hierarchy; (0,) where there is none.
    """

    queries: pd.DataFrame
    grades: pd.Series
    columns: tuple[str, ...]
    layers: tuple[int, ...]

    def _headline(self) -> str:
        layers = f', layers {", ".join(map(str, self.layers))}' if self.layers != (0,) else ''
        columns = f', further columns {", ".join(self.columns)}' if self.columns else ''
        return f'Judgments of {count(len(self.queries), "query", "queries")}{layers}{columns}'

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.summary(), 'summary()'

    def _notes(self) -> list[str]:
        return ['Grades: ' + ', '.join(f'{grade:g} ({n:,})' for grade, n in self.grades.items())]

    def to_frame(self) -> pd.DataFrame:
        """The table of the queries."""
        return self.queries

    def summary(self) -> pd.DataFrame:
        """Every count of a query over all queries: ``total`` (of whole numbers), ``mean, least, most``."""

        rows = []
        for name, column in self.queries.drop(columns='query_id').items():
            total = None if column.dtype.kind == 'f' else int(column.sum())
            rows.append(
                (name, total, float(column.mean()), column.min().item(), column.max().item())
            )
        frame = pd.DataFrame(
            rows, columns=['of a query', 'total', 'mean', 'least', 'most'], dtype=object
        )
        return frame.astype({'of a query': str})


def statistics(qrels: Any) -> Statistics:
    """Count the queries, subtopics, documents and grades of judgments, on the layer of the official intents.

    Args:
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.

    Returns:
        :class:`Statistics`.

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
    layers = (
        tuple(sorted(judgments.table['layer'].unique().tolist()))
        if 'layer' in judgments.table.columns
        else (0,)
    )
    return Statistics(
        counts.rename_axis('query_id').reset_index(),
        rows['relevance'].value_counts().sort_index(),
        tuple(judgments.table.columns[4:]),
        layers,
    )


__all__ = ['Statistics', 'statistics']
