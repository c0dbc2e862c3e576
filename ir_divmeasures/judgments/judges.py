"""Several judgments of a document and intent, by several judges or repeated calls of one: made one, or drawn."""
from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import did_you_mean
from ..io import frames as tables
from ..io.coding import distinct, ids
from ..io.columns import KEYS, NO_DOCUMENT, combined_codes, declared, listing
from .table import Judgments

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import QrelsLike

HOW = ('max', 'mean', 'majority')
UNKNOWN = -1
"""A rating that says nothing."""
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


def one_of(value: str, choices: tuple[str, ...], name: str) -> str:
    """The value, if it is a known one.

    Raises:
        ValueError: it is not; lists the known ones.
    """
    if value not in choices:
        raise ValueError(f'{name}={value!r}: expected one of {", ".join(map(repr, choices))}{did_you_mean(value, choices)}')
    return value


class _Draws(NamedTuple):
    """Where the grades of cells are that depend on which record of a document is drawn.

    Attributes:
        fixed: the grade of each cell that all records agree on, −1 for the others; (cells,).
        record, cell, grade: of each rating of the other cells; (ratings,).
        by_document: the records, those of a document in succession; (records,).
        first: the place of each document's first record in ``by_document``; (documents,).
    """
    fixed: NDArray[np.float64]
    record: NDArray[np.intp]
    cell: NDArray[np.intp]
    grade: NDArray[np.float64]
    by_document: NDArray[np.intp]
    first: NDArray[np.intp]


class SeveralJudgments:
    """Judgments of several judges, by record: what one judge says of a document in one go.

    Attributes:
        table: known judgments, ``query_id, doc_id, relevance, subtopic_id`` and further columns, without intent rows.
        intents: an intent row for every listed intent, also of those that are judged.
        record: of each row of ``table``, its record.
        judge_of_row: of each row of ``table``, its judge.
        document: of each record, its document (of a query).
        n_records: of each document, how many records it has.
    """

    def __init__(self, source: Any):
        import pandas as pd

        table = _rows(source)
        rows = table['doc_id'] != NO_DOCUMENT
        aspects = ['query_id', *(c.name for c in declared(table, 'key')), 'subtopic_id']
        self.aspects = aspects
        intents = table[listing(table)].drop_duplicates(aspects).drop(columns='judge')
        self.intents = intents.assign(doc_id=NO_DOCUMENT, relevance=UNKNOWN).reset_index(drop=True)
        document_rows = table[rows].reset_index(drop=True)
        record = distinct(combined_codes(document_rows, [*_RECORD, 'judge']))[1]
        twice = document_rows.duplicated([*aspects, 'doc_id', 'judge'])
        if twice.any():
            row = document_rows[twice].iloc[0]
            raise ValueError(f'judgments: query {row.query_id!r}, document {row.doc_id!r}, subtopic '
                             f'{row.subtopic_id!r} has several grades of judge {row.judge!r}')
        first = pd.Series(np.arange(len(document_rows))).groupby(record).first().to_numpy()
        self.document = distinct(combined_codes(document_rows.iloc[first].reset_index(drop=True), _RECORD))[1]
        self.n_records: NDArray[np.intp] = np.bincount(self.document)
        self.pairs = document_rows.iloc[first][_RECORD].reset_index(drop=True).assign(
            n_records=self.n_records[self.document]).drop_duplicates(_RECORD)
        is_known = (document_rows['relevance'] != UNKNOWN).to_numpy()
        self.judge_of_row: NDArray[Any] = document_rows['judge'].to_numpy(dtype=object)[is_known]
        self.table = document_rows[is_known].drop(columns='judge').reset_index(drop=True)
        self.record = record[is_known]

    def aggregated(self, how: str) -> pd.DataFrame:
        """One judgment of each document and intent."""
        key = [*self.aspects, 'doc_id']
        if how == 'majority':
            count = self.table.groupby([*key, 'relevance'], sort=True).size().rename('n').reset_index()
            most = count[count['n'] == count.groupby(key)['n'].transform('max')]
            place, of = most.groupby(key).cumcount(), most.groupby(key)['n'].transform('size')
            grades = most[place == (of - 1) // 2].set_index(key)['relevance']
        else:
            grades = self.table.groupby(key)['relevance'].agg(how)
        once = self.table.drop_duplicates(key).reset_index(drop=True)
        return self.with_intents(once.assign(relevance=once[key].merge(
            grades.reset_index(), on=key, how='left')['relevance'].to_numpy()))

    def cells(self) -> pd.DataFrame:
        """A row for each document and intent with a known rating, with its highest grade; intents stand at the end."""
        return self.aggregated('max')

    @functools.cached_property
    def _draws(self) -> _Draws:
        """What :meth:`drawn` needs, computed once."""
        key = [*self.aspects, 'doc_id']
        codes = distinct(combined_codes(self.table, key))[1]
        first = np.unique(codes, return_index=True)[1]
        place = np.empty(len(first), dtype=np.intp)
        place[np.argsort(first)] = np.arange(len(first))  # cells stand in the order of their first rows
        cell, grade = place[codes], self.table['relevance'].to_numpy(dtype=float)
        highest, lowest = np.full(len(first), -np.inf), np.full(len(first), np.inf)
        np.maximum.at(highest, cell, grade)
        np.minimum.at(lowest, cell, grade)
        n_ratings = np.bincount(cell)
        n_records = self.n_records[self.document[self.record[np.sort(first)]]]
        varies = (highest != lowest) | (n_ratings < n_records)
        fixed = np.full(len(self.cells()), float(UNKNOWN))
        fixed[:len(first)] = np.where(varies, UNKNOWN, highest)
        rows = np.flatnonzero(varies[cell])
        return _Draws(fixed, self.record[rows], cell[rows], grade[rows], np.argsort(self.document, kind='stable'),
                      np.concatenate([[0], np.cumsum(self.n_records)[:-1]]))

    def drawn(self, choice: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Grades of the rows of :meth:`cells` when each document has one of its records, whole; (cells,).

        Args:
            choice: which record, in [0, 1), for each document. What the record does not rate has grade −1.
        """
        draws = self._draws
        is_drawn = np.zeros(len(self.document), dtype=bool)
        is_drawn[draws.by_document[draws.first + (choice * self.n_records).astype(np.intp)]] = True
        rows = np.flatnonzero(is_drawn[draws.record])
        grades = draws.fixed.copy()
        grades[draws.cell[rows]] = draws.grade[rows]
        return grades

    def with_intents(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of judgments in which every intent is listed."""
        import pandas as pd

        listed_rows = table.loc[listing(table), self.aspects].drop_duplicates()
        listed = self.intents.merge(listed_rows, on=self.aspects, how='left', indicator='has')
        missing = self.intents[(listed['has'] == 'left_only').to_numpy()]
        joined = pd.concat([table, missing], ignore_index=True) if len(missing) else table
        whole = joined['relevance'].to_numpy(dtype=float)
        return joined.assign(relevance=whole.astype(np.int64)) if np.all(whole == np.floor(whole)) else joined


def _rows(source: Any) -> pd.DataFrame:
    """Judgments of several judges as rows with a column ``judge``."""
    import pandas as pd

    if isinstance(source, Mapping):
        if not source:
            raise ValueError('judgments: no judges')
        return pd.concat([Judgments.of(each).frame().assign(judge=str(name)) for name, each in source.items()],
                         ignore_index=True)
    if isinstance(source, (str, os.PathLike)):
        raise TypeError(f'judgments: found the path {os.fspath(source)!r}; give what read_nuggets reads from it')
    if not isinstance(source, pd.DataFrame):
        raise TypeError(f'judgments: expected a DataFrame or {{judge: judgments}}, found {type(source).__name__}')
    table = tables.renamed(source, *KEYS[:3]).reset_index(drop=True)
    for name in KEYS:
        if name not in table.columns:
            raise ValueError(f'judgments: no column {name!r} (found {", ".join(map(str, table.columns))})')
    for name in ('query_id', 'doc_id', 'subtopic_id'):
        table[name] = ids(table, name, 'judgments')
    if 'judge' not in table.columns:
        return table.assign(judge=(table.groupby(['query_id', 'doc_id', 'subtopic_id']).cumcount() + 1).astype(str))
    return table.assign(judge=table['judge'].astype(str))


__all__ = ['HOW', 'SeveralJudgments', 'aggregate_judges', 'one_of']
