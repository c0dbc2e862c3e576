"""Several judgments of the same document and intent, by several judges or repeated calls of one: combined, or
sampled."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import one_of
from ..io import frames as tables
from ..io.columns import KEYS, NO_DOCUMENT, declared, listing
from ..io.text_columns import as_frame
from ..lazy import pd
from .table import Judgments, require_fields

if TYPE_CHECKING:
    from ..typing import QrelsLike

HOW = ('max', 'mean', 'majority')
UNKNOWN = -1
"""The rating of a judge who does not know."""
_RECORD = ['query_id', 'doc_id']


def aggregate_judges(judgments: QrelsLike, how: str = 'mean') -> pd.DataFrame:
    """One judgment of each document and intent from those of several judges.

    Ratings of −1 are unknown and left out; where all are unknown there is no judgment, and the intent stays listed.

    Args:
        judgments: a DataFrame of judgments with a column ``judge``, as :func:`~ir_divmeasures.read_nuggets` gives it
            for documents judged several times (without that column, repeated rows are further judges);
            or ``{judge: judgments}``, in any form that :func:`~ir_divmeasures.read_qrels` takes.
        how: ``'max'``, the highest grade; ``'mean'``, a real number, which ``rel`` of a measure is then compared to;
            ``'majority'``, the most frequent grade, of several the lower middle one.

    Returns:
        Judgments with the further columns of the source, without ``judge``.

    Raises:
        TypeError, ValueError: no judgments, a missing column, an unknown ``how``, one judge's two grades.

    Examples:
        >>> rows = [('q', 'd', 4, '1', 'a'), ('q', 'd', 1, '1', 'b'), ('q', 'd', 1, '1', 'c'), ('q', 'd', -1, '2', 'a')]
        >>> import pandas as pd
        >>> table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge'])
        >>> aggregate_judges(table, how='majority')
          query_id doc_id  relevance subtopic_id
        0        q      d          1           1
        1        q      -         -1           2
        >>> float(aggregate_judges(table, how='mean')['relevance'][0])
        2.0
    """
    return SeveralJudgments(judgments).aggregated(one_of(how, HOW, 'how'))


class SeveralJudgments:
    """Judgments of several judges, by record. A record contains what one judge says about a document at one time.

    Attributes:
        table: known judgments, ``query_id, doc_id, relevance, subtopic_id`` and further columns, without intent rows.
        intents: an intent row for every listed intent, also of those that are judged.
        record: of each row of ``table``, its record.
        judge_of_row: of each row of ``table``, its judge.
        document: of each record, its document (of a query).
        n_records: of each document, how many records it has.
    """

    def __init__(self, source: Any):
        table = _rows(source)
        self.aspects = ['query_id', *(c.name for c in declared(table, 'key')), 'subtopic_id']
        intents = table[listing(table)].drop_duplicates(self.aspects).drop(columns='judge')
        self.intents = intents.assign(doc_id=NO_DOCUMENT, relevance=UNKNOWN).reset_index(drop=True)
        rows = table[table['doc_id'] != NO_DOCUMENT].reset_index(drop=True)
        for row in rows[rows.duplicated([*self.aspects, 'doc_id', 'judge'])].head(1).itertuples():
            raise ValueError(
                f'judgments: query {row.query_id!r}, document {row.doc_id!r}, subtopic '
                f'{row.subtopic_id!r} has several grades of judge {row.judge!r}'
            )
        record, first = _grouped(rows, [*_RECORD, 'judge'])
        of_records = rows.iloc[first][_RECORD].reset_index(drop=True)
        self.document, first = _grouped(of_records, _RECORD)
        self.n_records: NDArray[np.intp] = np.bincount(self.document)
        self.pairs = of_records.iloc[first].assign(n_records=self.n_records)
        is_known = (rows['relevance'] != UNKNOWN).to_numpy()
        self.judge_of_row: NDArray[Any] = rows['judge'].to_numpy(dtype=object)[is_known]
        self.table = rows[is_known].drop(columns='judge').reset_index(drop=True)
        self.record = record[is_known]

    def aggregated(self, how: str) -> pd.DataFrame:
        """One judgment of each document and intent. Every intent is listed."""
        cell = pd.Series(self._cell, name='cell')
        if how == 'majority':
            rated = self.table.groupby([cell, 'relevance'])
            count = rated.size().reset_index(name='n')
            most = count[count['n'] == count.groupby('cell')['n'].transform('max')]
            grades = most.groupby('cell')['relevance'].quantile(0.5, interpolation='lower')
        else:
            grades = self.table['relevance'].groupby(cell).agg(how)
        table = self.table[~cell.duplicated()].reset_index(drop=True)
        table = table.assign(relevance=grades.to_numpy())
        aspects, listed = (
            pd.MultiIndex.from_frame(each[self.aspects])
            for each in (self.intents, table[listing(table)])
        )
        missing = self.intents[~aspects.isin(listed)]
        joined = pd.concat([table, missing], ignore_index=True) if len(missing) else table
        if (joined['relevance'] % 1 == 0).all():
            return joined.astype({'relevance': np.int64})
        return joined

    @functools.cached_property
    def _cell(self) -> NDArray[np.intp]:
        """The number of each rating's document and intent, in the order of the ratings."""
        key = [*self.aspects, 'doc_id']
        return self.table.groupby(key, sort=False, dropna=False).ngroup().to_numpy()

    @functools.cached_property
    def cells(self) -> pd.DataFrame:
        """A row for each document and intent with a known rating, with its highest grade; intents stand at the end."""
        return self.aggregated('max')

    @functools.cached_property
    def _draws(self) -> tuple[NDArray[Any], ...]:
        """What :meth:`draw_grades` needs of the cells whose grades depend on the record of their document.

        Returns:
            These cells, the document of each, and the grades of each in the records of its document, (cells, records),
            −1 where not rated.
        """
        grade = self.table['relevance'].to_numpy(dtype=float)
        ratings = pd.Series(grade).groupby(self._cell)
        first = np.unique(self._cell, return_index=True)[1]
        document = self.document[self.record[first]]
        varies = (ratings.nunique() > 1) | (ratings.size() < self.n_records[document])
        varying = np.flatnonzero(varies)
        # the number of each record among those of its document
        number = pd.Series(self.document).groupby(self.document).cumcount().to_numpy()
        place = pd.Series(np.arange(len(varying)), varying).reindex(self._cell)
        rows = np.flatnonzero(place.notna())
        grades = np.full((len(varying), self.n_records.max(initial=0)), float(UNKNOWN))
        grades[place.iloc[rows].astype(np.intp), number[self.record[rows]]] = grade[rows]
        return varying, document[varying], grades

    def draw_grades(
        self, choices: NDArray[np.floating[Any]]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the grades if each document has one of its records.

        Args:
            choices: which record, in [0, 1), for each replicate and document, (C, documents).

        Returns:
            The rows of :attr:`cells` whose grades depend on the record, (n,), and their grades, (C, n). What a record
            does not rate has grade −1.
        """
        cells, document, grades = self._draws
        number = (choices * self.n_records).astype(np.intp)
        return cells, grades[np.arange(len(cells)), number[:, document]]


def _grouped(table: pd.DataFrame, key: list[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group rows that are the same in the columns of a key: the group of each row, and the first row of each group.

    Groups have the order in which the first column's values appear, then those of the second, and so on.
    """
    codes = pd.DataFrame({name: pd.factorize(table[name])[0] for name in key})
    group = codes.groupby(key).ngroup().to_numpy()
    return group, np.unique(group, return_index=True)[1]


def _rows(source: Any) -> pd.DataFrame:
    """Judgments of several judges as rows with a column ``judge``."""
    if isinstance(source, Mapping):
        if not source:
            raise ValueError('judgments: no judges')
        return pd.concat(
            [Judgments.of(each).frame().assign(judge=str(name)) for name, each in source.items()],
            ignore_index=True,
        )
    if isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f'judgments: found the path {os.fspath(source)!r}; give what read_nuggets reads from it'
        )
    if not isinstance(source, pd.DataFrame):
        raise TypeError(
            f'judgments: expected a DataFrame or {{judge: judgments}}, found {type(source).__name__}'
        )
    table = tables.renamed(source, *KEYS[:3]).reset_index(drop=True)
    require_fields(table, KEYS, 'judgments')
    for name in ('query_id', 'doc_id', 'subtopic_id'):
        table[name] = as_frame({name: tables.ids(table, name, 'judgments')})
    if 'judge' not in table.columns:
        table['judge'] = table.groupby(['query_id', 'doc_id', 'subtopic_id']).cumcount() + 1
    return table.astype({'judge': str})


__all__ = ['HOW', 'SeveralJudgments', 'aggregate_judges']
