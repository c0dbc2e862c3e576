"""Judgments from any source, checked once: as columns, as a table, and as numbers that arrays are made of.

A row is the grade of a document for a subtopic of a query, ``query_id, doc_id, relevance, subtopic_id``, with further
columns that :mod:`~ir_divmeasures.data.columns` declares. Users pass and receive plain DataFrames. The class
:class:`Judgments` is what the package works with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import JudgmentArrays
from ..errors import check_number, short
from ..lazy import cached_property, pa, pd
from . import columns as declarations
from . import forms, sources
from .arrays import Layout, Overlay, blocks_of, layout_of
from .columns import KEYS
from .files import is_path, read_blocks
from .ids import (
    KnownKeys,
    Texts,
    are_documents,
    as_frame,
    find_duplicate,
    numbered,
    row_keys,
)
from .lines import Lines
from .runs import path_of
from .runs import read as read_run

PYTERRIERS = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
"""Our column → PyTerrier's."""
LARGE = 1 << 18
"""The number of rows of a run that is large."""


class Judgments:
    """Judgments from any source, checked and in standard form, and the numbers that stand for their ids.

    :meth:`of` creates them. The table is shared, so use :meth:`frame` to get a copy that you can change. Queries and
    subtopics are numbered in order of first appearance. A *pair* is a judged query and document. Pairs are numbered by
    query, and within a query by document.

    Attributes:
        columns: the columns by name.
        subtopic_column: the column of the source with the subtopics; None if it has none (all are subtopic '0').
        passed_over: a column that looks like one of subtopics but is none, in words; otherwise empty.
        kept: a cache for results that other modules compute from these judgments. They choose the keys and limit its
            size.
        relevance, layer: (rows,) the grade and the layer of each row.
        base: the layer of the official intents: 0, or the smallest layer if there is no layer 0.
        document_ids: (rows,) the document of each row.
        query_of_row, row_pair: (rows,) the query and the pair of each row.
        query_ids: the ids of the queries.
        subtopic: (rows,) the subtopic of each row, and the ids of the subtopics.
        query_of_pair: (pairs,) the query of each pair, ascending.
        n_pairs: the number of pairs.
    """

    def __init__(
        self, columns: Mapping[str, Any], subtopic_column: str | None, passed_over: str = ''
    ):
        self.columns, self.subtopic_column = columns, subtopic_column
        self.passed_over = passed_over
        self.kept: dict[Any, Any] = {}
        self.relevance = np.asarray(columns['relevance'], dtype=float)
        layer = np.asarray(columns.get('layer', 0)).astype(np.intp)
        self.layer = np.broadcast_to(layer, self.relevance.shape)
        self.base = int(0 if 0 in self.layer or not len(self.layer) else self.layer.min())
        self.document_ids = Texts.of(columns['doc_id'])
        self.query_of_row, self._queries = Texts.of(columns['query_id']).codes()
        self.query_ids: list[str] = self._queries.array.to_pylist()
        self.subtopic = Texts.of(columns['subtopic_id']).codes()
        document, self._documents = self.document_ids.codes()
        span = max(len(self._documents), 1)
        pairs, self.row_pair = np.unique(self.query_of_row * span + document, return_inverse=True)
        self.query_of_pair, self._document_of_pair = np.divmod(pairs, span)
        self.n_pairs = len(pairs)

    def __getstate__(self) -> dict[str, Any]:
        """The arrays are computed before the judgments are sent to other processes, and the cache is not sent."""
        return {'blocks': self.blocks, **self.__dict__, 'kept': {}}

    # ---- reading --------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, source: Any, format: str | None = None) -> Judgments:
        """Judgments of any source that :func:`ir_divmeasures.read_qrels` takes.

        While a DataFrame does not change, its judgments are checked and coded only once.

        Raises:
            FileNotFoundError, TypeError, ValueError: as :func:`ir_divmeasures.read_qrels`.
        """
        if isinstance(source, Judgments):
            return source
        if forms.is_frame(source):
            judgments = recall(source)
            if judgments is None:
                own = source.copy()
                judgments = cls._checked(own, 'judgments')
                remember(own, judgments)
            return judgments
        if isinstance(source, (list, tuple)) and _are_places(source):
            return cls._together(source, format)
        if sources.is_of_pyterrier(source) or (
            is_path(source)
            and format is None
            and not os.path.exists(source)
            and sources.is_dataset_id(source)
        ):
            source = sources.load_dataset(source)
        if not is_path(source) and not hasattr(source, 'read'):
            return cls._checked(source, 'judgments')
        path = path_of(source)
        if os.path.isdir(path):
            raise IsADirectoryError(
                f'{path}: a folder, expected a file of judgments; {forms.ORDER}'
            )
        rows = forms.read(read_blocks(source, path), path, forms.JUDGMENTS, format)
        return cls._checked(rows, path)

    @classmethod
    def _together(cls, sources: Sequence[Any], format: str | None) -> Judgments:
        """The judgments of several files or ids, whose queries must differ."""
        tables = [cls.of(each, format).table for each in sources]
        queries = pd.concat([table['query_id'].drop_duplicates() for table in tables])
        repeated = queries[queries.duplicated()]
        if len(repeated):
            raise ValueError(
                f'{len(repeated)} query ids are in several of {", ".join(map(str, sources))}, such as '
                f'{short(repeated.iloc[0])}; expected different queries'
            )
        return cls.of(pd.concat(tables, ignore_index=True))

    @classmethod
    def _checked(cls, source: Any, name: str) -> Judgments:
        """The judgments of lines, or of a source in memory, which messages call by a name."""
        lines = source if isinstance(source, Lines) else None
        columns = lines.columns if lines else sources.columns_of(source, name)
        rows, column = sources.standard_columns(columns, name)
        judgments = cls(rows, column)
        if column is not None and (passed_over := judgments._without_subtopics()):
            rows['subtopic_id'] = sources.one_subtopic(len(judgments.relevance))
            judgments = cls(rows, None, f'found {column!r}, which holds {passed_over}')
        if find_duplicate(judgments.row_pair, judgments.subtopic[0], judgments.layer) is not None:
            rows = sources.drop_repetitions(as_frame(rows), name, judgments.subtopic_column, lines)
            judgments = cls(rows, judgments.subtopic_column, judgments.passed_over)
        if set(rows) > {*KEYS}:
            declarations.check_facts(judgments.table, judgments.lists, name)
        return judgments

    def _without_subtopics(self) -> str:
        """What is where subtopics are expected and is none, in words: ``Q0``, or half rounds of judging such as
        TREC-COVID's 4.5, of which no document of a query has two; else ''."""
        values = {*self.subtopic[1].array.to_pylist()}
        if {'Q0', 'q0'} & values and values <= {'0', 'Q0', 'q0'}:
            return 'Q0 and no subtopics'
        half = [value for value in sorted(values) if value.endswith('.5')]
        are_rounds = all(re.fullmatch(r'\d+(\.[05])?', value) for value in values)
        if half and are_rounds and self.n_pairs == len(self.row_pair):
            return f'rounds of judging ({half[0]}, …) and no subtopics; subtopics of other names are read'
        return ''

    # ---- the table ------------------------------------------------------------------------------------------

    @cached_property
    def table(self) -> pd.DataFrame:
        """``query_id, doc_id`` (str), ``relevance`` (int, or float where a grade is fractional), ``subtopic_id`` (str),
        and further columns. Grades stand as judged. Numbers are not copied."""
        return as_frame(self.columns, copy=False)

    def frame(self) -> pd.DataFrame:
        """The table, to be changed freely."""
        return self.table.copy()

    @property
    def names(self) -> list[str]:
        """The columns of the table."""
        return list(self.columns)

    @cached_property
    def official(self) -> pd.DataFrame:
        """The rows of the official intents."""
        return self.table[self.layer == self.base]

    def relevant_rows(self, rel: float) -> pd.DataFrame:
        """The rows of the official intents with a relevant document."""
        return self.official[are_relevant(self.official, rel)]

    def of_query(self, query_id: str) -> Judgments:
        """The judgments of one query."""
        rows = self.table[self.query_of_row == self.query_ids.index(query_id)]
        columns = dict(rows.reset_index(drop=True).items())
        return Judgments(columns, self.subtopic_column, self.passed_over)

    # ---- documents ------------------------------------------------------------------------------------------

    @cached_property
    def some_documents(self) -> list[str]:
        """At most 400 documents of evenly spread rows."""
        n = len(self.document_ids)
        return self.document_ids.pick(np.arange(0, n, n // 400 + 1))

    def document_of(self, pairs: NDArray[np.intp]) -> Texts:
        """The documents of some pairs."""
        return self._documents.take(self._document_of_pair[pairs])

    @cached_property
    def of_documents(self) -> NDArray[np.bool_]:
        """(pairs,) which pairs belong to a document; the others belong to intent rows, which only list an intent."""
        return are_documents(self._documents)[self._document_of_pair]

    @cached_property
    def documents_per_query(self) -> NDArray[np.intp]:
        """(queries,): the number of judged documents of each query."""
        return np.bincount(self.query_of_pair[self.of_documents], minlength=len(self.query_ids))

    # ---- grades ---------------------------------------------------------------------------------------------

    @property
    def is_official(self) -> NDArray[np.bool_]:
        """(rows,) which rows grade a document for an official intent."""
        return self.of_documents[self.row_pair] & (self.layer == self.base)

    @property
    def judged_rows(self) -> NDArray[np.bool_]:
        """(rows,) the official rows, and the first intent row of a query that has nothing else."""
        judged, query = self.is_official, self.query_of_row
        has_document = np.bincount(query[judged], minlength=len(self.query_ids)) > 0
        alone = np.flatnonzero((self.layer == self.base) & ~has_document[query])
        judged[alone[np.unique(query[alone], return_index=True)[1]]] = True
        return judged

    @cached_property
    def lists(self) -> NDArray[np.bool_]:
        """(rows,) which rows list their aspect: all, unless subtopic '0' is the tracks' mark for non-relevant documents.

        It is that if no document has a grade above 0 for it, and its documents have no other row in their query, as in
        the Web Track of 2009. Then only an intent row lists it.
        """
        code, names = self.subtopic
        places = dict(zip(names.array.to_pylist(), range(len(names))))
        marked = (code == places.get('0', -1)) & self.of_documents[self.row_pair]
        if not marked.any() or (self.relevance[marked] > 0).any():
            return np.ones(len(code), dtype=bool)
        number, _ = numbered(row_keys(self.row_pair, self.layer))
        return ~marked | (np.bincount(number)[number[marked]] > 1).any()

    @cached_property
    def total_grades(self) -> NDArray[np.float64]:
        """(pairs,): the sum of the grades above 0 of each pair."""
        grades = np.maximum(self.relevance, 0.0)
        return np.bincount(self.row_pair, grades, minlength=self.n_pairs).astype(float)

    def grades_of_layer(self, layer: int) -> NDArray[np.float64]:
        """The highest grade of each pair on a layer, NaN where it has none; (pairs,).

        Grades below 0 stay, but for queries that have no other: trec_eval's library crashes on them. Intent rows have
        none, but for those of a query that has nothing else, which are 0.
        """
        rows = np.flatnonzero((self.layer == layer) & self.of_documents[self.row_pair])
        grades, best = np.full(self.n_pairs, np.nan), np.full(len(self.query_ids), np.nan)
        np.fmax.at(grades, self.row_pair[rows], self.relevance[rows])
        np.fmax.at(best, self.query_of_pair, grades)
        best = best[self.query_of_pair]
        grades[np.isnan(best) & ~self.of_documents] = 0.0
        return np.where(best < 0, np.maximum(grades, 0), grades)

    @cached_property
    def pair_grades(self) -> NDArray[np.float64]:
        """(pairs,): the grades of the official intents, which ad-hoc measures see."""
        return self.grades_of_layer(self.base)

    def grades_by_aspect(self, layer: int) -> list[NDArray[np.float64]]:
        """Return the grades of the pairs for one aspect of a layer at a time: the first aspect of every query, the
        second, ….

        The grades of a query are NaN if it does not have that aspect, or if no document has a grade above 0 for it.
        Otherwise every document that is judged for the query has a grade for the aspect, 0 if none is given.
        """
        aspect, grades = np.where(self.layer == layer, self.layout.aspect, -1), []
        for number in range(aspect.max(initial=-1) + 1):
            members = aspect == number
            grade = np.zeros(self.n_pairs)
            grade[self.row_pair[members]] = np.maximum(self.relevance[members], 0)
            relevant = np.zeros(len(self.query_ids), dtype=bool)
            relevant[self.query_of_pair[grade > 0]] = True
            counts = relevant[self.query_of_pair] & self.of_documents
            grades.append(np.where(counts, grade, np.nan))
        return grades

    def graded(self, grades: NDArray[np.float64]) -> pd.DataFrame:
        """A row ``query_id, doc_id, relevance`` for each pair whose grade, (pairs,), is not NaN."""
        pair = np.flatnonzero(~np.isnan(grades))
        queries = self._queries.take(self.query_of_pair[pair])
        columns = queries, self.document_of(pair), sources.as_whole(grades[pair])
        return as_frame(dict(zip(KEYS, columns)))

    # ---- arrays, and runs ------------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> Layout:
        """The place of every judgment in the arrays of the blocks. Ad-hoc measures do not need it."""
        return layout_of(self)

    @cached_property
    def blocks(self) -> list[JudgmentArrays]:
        """The judgments as arrays, block by block."""
        return blocks_of(self)

    @cached_property
    def _known(self) -> KnownKeys:
        return KnownKeys(row_keys(self.query_of_pair, self.document_of(np.arange(self.n_pairs))))

    def pairs_of(self, query: NDArray[np.int64], names: Texts) -> NDArray[Any]:
        """Return the judged pair of each row of a query and a document, −1 where there is none.

        Args:
            query: (rows,) the number of the query; other numbers have no judged pair.
            names: (rows,) the document.
        """
        return self._known.find(row_keys(query, names))

    def align(self, run: Any) -> Overlay:
        """Lay a run over the judgments. Queries without judgments are omitted.

        Raises:
            ValueError: a query has a duplicate document, judged or not, or a document ``'-'``.
        """
        run = read_run(run)
        if len(run) > LARGE:  # Arrow keeps the memory of what was read and is not used any more
            pa.default_memory_pool().release_unused()
        # Queries without judgments have numbers from len(query_ids) on, in order of first appearance.
        (query, queries), names = run.query_id.codes(self._queries), run.doc_id
        query = query.astype(np.int32)
        keys = row_keys(query, names)
        run.check_documents(find_duplicate(query, names, keys=keys))
        pair, score = self._known.find(keys), run.score
        unjudged = queries.array[len(self.query_ids) :].to_pylist()
        overlay = Overlay(self, query, pair, score, names, unjudged)
        return overlay.of_rows(np.flatnonzero(query < len(self.query_ids))) if unjudged else overlay


def _are_places(source: Sequence[Any]) -> bool:
    """Whether a list has paths or ids of judgments. ir_measures hands a text on as its letters."""
    places = all(isinstance(each, (str, os.PathLike)) for each in source)
    return places and any(len(os.fspath(each)) > 1 for each in source)


# ------------------------------------------------------------------------------- the judgments of the last few DataFrames

MOST = 4
"""The largest number of DataFrames whose judgments are remembered."""

_memory: list[tuple[pd.DataFrame, Judgments]] = []
"""Each remembered DataFrame and its judgments, the latest last.

Hosts hand over the same judgments for every run, each time as another DataFrame. A DataFrame is therefore recognised by
its content, which pandas compares in full with a copy, so that no change in place is missed. One that has columns of
anything but numbers and texts is not remembered.
"""


def recall(table: pd.DataFrame) -> Judgments | None:
    """The judgments that are remembered for a DataFrame like this one, or None."""
    for entry in _memory[:]:
        if entry[0].equals(table):
            _memory[:] = [*(each for each in _memory if each is not entry), entry]
            return entry[1]
    return None


def remember(table: pd.DataFrame, judgments: Judgments) -> None:
    """Remember the judgments of a DataFrame that nobody changes, unless its copies share values that can change."""
    if all(
        column.dtype.kind in 'biuf' or pd.api.types.infer_dtype(column, skipna=False) == 'string'
        for _, column in table.items()
    ):
        _memory.append((table, judgments))
        del _memory[:-MOST]


# --------------------------------------------------------------------------------------------------------- tables


def are_relevant(table: pd.DataFrame, rel: float) -> pd.Series:
    """Which rows have a grade above 0 and of at least ``rel``."""
    check_number('rel', rel, 1e9)
    return (table['relevance'] >= rel) & (table['relevance'] > 0)


def named_as(table: pd.DataFrame, source: Any) -> pd.DataFrame:
    """The table with PyTerrier's names of columns where what it was made from has them, or is a PyTerrier dataset."""
    names = (
        PYTERRIERS.values() if sources.is_of_pyterrier(source) else getattr(source, 'columns', ())
    )
    return table.rename(
        columns={
            name: their_name
            for name, their_name in PYTERRIERS.items()
            if their_name in names and name not in names
        }
    )
