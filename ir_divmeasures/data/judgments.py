"""Judgments from any source, checked once: as columns, as a table, and as numbers that arrays are made of.

A row is the grade of a document for a subtopic of a query, ``query_id, doc_id, relevance, subtopic_id``, with further
columns that :mod:`~ir_divmeasures.data.columns` declares. Users pass and receive plain DataFrames. The class
:class:`Judgments` is what the package works with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import check_number, short
from ..lazy import cached_property, pa, pd
from . import columns as declarations
from . import forms, sources
from .arrays import Aspects, Block, Layout, Overlay, blocks_of, layout_of
from .columns import KEYS
from .files import is_path, read_blocks
from .ids import (
    KnownKeys,
    Texts,
    are_documents,
    as_frame,
    distinct,
    find_duplicate,
    row_keys,
)
from .lines import Lines
from .runs import path_of
from .runs import read as read_run

PYTERRIERS = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
"""Our column → PyTerrier's."""
LARGE = 1 << 18
"""The number of rows of a run that is large."""


class Pairs(NamedTuple):
    """The judged pairs of a query and a document, numbered by query, and within a query by document.

    Attributes:
        of_row: (rows,) the pair of each row of the table.
        query, document: (pairs,) the numbers of the query and the document of each pair.
        documents: the ids of the documents.
    """

    of_row: NDArray[np.intp]
    query: NDArray[np.intp]
    document: NDArray[np.intp]
    documents: Texts


class Judgments:
    """Judgments from any source, checked and in standard form. What is derived from them is computed when it is first
    needed.

    :meth:`of` creates them. The table is shared, so use :meth:`frame` to get a copy that you can change.

    Attributes:
        columns: the columns by name.
        subtopic_column: the column of the source with the subtopics; None if it has none (all are subtopic '0').
        passed_over: a column that looks like one of subtopics but is none, in words; otherwise empty.
        kept: a cache for results that other modules compute from these judgments. They choose the keys and limit its
            size.
    """

    def __init__(
        self, columns: Mapping[str, Any], subtopic_column: str | None, passed_over: str = ''
    ):
        self.columns, self.subtopic_column = columns, subtopic_column
        self.passed_over = passed_over
        self.kept: dict[Any, Any] = {}

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
            declarations.check_facts(judgments.table, name)
        return judgments

    def _without_subtopics(self) -> str:
        """What is where subtopics are expected and is none, in words: ``Q0``, or half rounds of judging such as
        TREC-COVID's 4.5, of which no document of a query has two; else ''."""
        values = {*self.subtopic[1].array.to_pylist()}
        if {'Q0', 'q0'} & values and values <= {'0', 'Q0', 'q0'}:
            return 'Q0 and no subtopics'
        half = min((value for value in values if value.endswith('.5')), default='')
        if (
            half
            and self.n_pairs == len(self.row_pair)
            and all(re.fullmatch(r'\d+(\.[05])?', value) for value in values)
        ):
            return (
                f'rounds of judging ({half}, …) and no subtopics; subtopics of other names are read'
            )
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
        return base_layer(self.table)

    def of_query(self, query_id: str) -> Judgments:
        """The judgments of one query."""
        rows = self.table[self.query_of_row == self.query_ids.index(query_id)]
        columns = dict(rows.reset_index(drop=True).items())
        return Judgments(columns, self.subtopic_column, self.passed_over)

    # ---- ids as numbers -------------------------------------------------------------------------------------

    @cached_property
    def _query(self) -> tuple[NDArray[np.int64], Texts]:
        return Texts.of(self.columns['query_id']).codes()

    @property
    def query_of_row(self) -> NDArray[np.int64]:
        """(rows,) the number of the query of each row."""
        return self._query[0]

    @cached_property
    def query_ids(self) -> list[str]:
        """The ids of the queries in order of first appearance. The number of a query is its place here."""
        names: list[str] = self._query[1].array.to_pylist()
        return names

    @cached_property
    def subtopic(self) -> tuple[NDArray[np.int64], Texts]:
        """The number of each row's subtopic, (rows,), and the ids of the subtopics."""
        return Texts.of(self.columns['subtopic_id']).codes()

    @property
    def document_ids(self) -> Texts:
        """The document of each row."""
        return Texts.of(self.columns['doc_id'])

    @cached_property
    def some_documents(self) -> list[str]:
        """At most 400 documents of evenly spread rows."""
        places = distinct(np.linspace(0, len(self.document_ids) - 1, 400).astype(np.intp))
        return self.document_ids.pick(places) if len(self.document_ids) else []

    @cached_property
    def _pairs(self) -> Pairs:
        query, (document, documents) = self.query_of_row, self.document_ids.codes()
        span = max(len(documents), 1)
        key = query * span + document
        starts = np.flatnonzero(np.append(np.ones(min(len(key), 1), bool), key[1:] != key[:-1]))
        known, row = np.unique(key[starts], return_inverse=True)
        row = np.repeat(row, np.diff(starts, append=len(key)))
        return Pairs(row, *np.divmod(known, span), documents)

    @property
    def row_pair(self) -> NDArray[np.intp]:
        """(rows,) the pair of each row of the table."""
        return self._pairs.of_row

    @property
    def query_of_pair(self) -> NDArray[np.intp]:
        """(pairs,) the number of the query of each pair, ascending."""
        return self._pairs.query

    @property
    def n_pairs(self) -> int:
        """The number of judged (query, document) pairs."""
        return len(self._pairs.query)

    def document_of(self, pairs: NDArray[np.intp]) -> Texts:
        """The documents of some pairs."""
        return self._pairs.documents.take(self._pairs.document[pairs])

    @cached_property
    def of_documents(self) -> NDArray[np.bool_]:
        """(pairs,) which pairs belong to a document; the others belong to intent rows, which only list an intent."""
        return are_documents(self._pairs.documents)[self._pairs.document]

    @cached_property
    def pairs_per_query(self) -> NDArray[np.intp]:
        """(queries,): the number of pairs of each query."""
        return np.bincount(self.query_of_pair, minlength=len(self.query_ids))

    @cached_property
    def documents_per_query(self) -> NDArray[np.intp]:
        """(queries,): the number of judged documents of each query."""
        return np.bincount(self.query_of_pair[self.of_documents], minlength=len(self.query_ids))

    # ---- grades ---------------------------------------------------------------------------------------------

    @cached_property
    def relevance(self) -> NDArray[np.float64]:
        """(rows,) the grade of each row."""
        return np.asarray(self.columns['relevance'], dtype=float)

    @cached_property
    def layer(self) -> NDArray[np.intp]:
        """(rows,) the layer of each row."""
        layer = self.columns.get('layer')
        if layer is None:
            return np.broadcast_to(np.intp(0), len(self.columns['relevance']))
        return np.asarray(layer).astype(np.intp)

    @cached_property
    def base(self) -> int:
        """The layer of the official intents: 0, or the smallest layer if there is no layer 0."""
        return int(0 if 0 in self.layer or not len(self.layer) else self.layer.min())

    @property
    def is_official(self) -> NDArray[np.bool_]:
        """(rows,) which rows grade a document for an official intent."""
        return self.of_documents[self.row_pair] & (self.layer == self.base)

    @cached_property
    def lists(self) -> NDArray[np.bool_]:
        """(rows,) which rows list their aspect, as :func:`~ir_divmeasures.data.columns.listing`."""
        return declarations.listing(self.columns)

    @cached_property
    def total_grades(self) -> NDArray[np.float64]:
        """(pairs,): the sum of the grades above 0 of each pair."""
        grades = np.maximum(self.relevance, 0.0)
        return np.bincount(self.row_pair, grades, minlength=self.n_pairs).astype(float)

    def grades_of_layer(self, layer: int) -> NDArray[np.float64]:
        """The highest grade of each pair on a layer, NaN where it has none; (pairs,).

        Grades below 0 stay, but for queries that have no other. Intent rows have none.
        """
        rows = np.flatnonzero((self.layer == layer) & self.of_documents[self.row_pair])
        grades, best = np.full(self.n_pairs, np.nan), np.full(len(self.query_ids), np.nan)
        np.fmax.at(grades, self.row_pair[rows], self.relevance[rows])
        np.fmax.at(best, self.query_of_pair, grades)
        return np.where(best[self.query_of_pair] < 0, np.maximum(grades, 0), grades)

    @cached_property
    def pair_grades(self) -> NDArray[np.float64]:
        """(pairs,): the highest grade of each pair for an official intent, NaN where it has none."""
        return self.grades_of_layer(self.base)

    @cached_property
    def grades_by_document(self) -> NDArray[np.float64]:
        """(pairs,): the grades that ad-hoc measures of other providers see, NaN where there is none.

        Grades below 0 stay, but for queries that have no other: trec_eval's library crashes on them. Intent rows are
        left out, but for those of a query that has nothing else.
        """
        grades = self.pair_grades.copy()
        graded = np.bincount(self.query_of_pair, ~np.isnan(grades), minlength=len(self.query_ids))
        grades[~self.of_documents & (graded[self.query_of_pair] == 0)] = 0.0
        return grades

    def grades_by_aspect(self, layer: int) -> list[NDArray[np.float64]]:
        """Return the grades of the pairs for one aspect of a layer at a time: the first aspect of every query, the
        second, ….

        The grades of a query are NaN if it does not have that aspect, or if no document has a grade above 0 for it.
        Otherwise every document that is judged for the query has a grade for the aspect, 0 if none is given.
        """
        aspect, grades = self.layout.aspect, []
        for number in range(int(aspect[self.layer == layer].max(initial=-1)) + 1):
            members = (self.layer == layer) & (aspect == number)
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
        return pd.DataFrame(
            {
                'query_id': np.array(self.query_ids, dtype=object)[self.query_of_pair[pair]],
                'doc_id': np.array(self.document_of(pair).array.to_pylist(), dtype=object),
                'relevance': sources.as_whole(grades[pair]),
            }
        )

    # ---- arrays, and runs ------------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> Layout:
        """The place of every judgment in the arrays of the blocks. Ad-hoc measures do not need it."""
        return layout_of(self)

    @cached_property
    def blocks(self) -> list[Block]:
        """The judgments as arrays, block by block."""
        return blocks_of(self)

    @property
    def aspects(self) -> dict[int, Aspects]:
        """The aspects of each query, by layer."""
        return self.layout.aspects

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
        (query, queries), names = run.query_id.codes(self._query[1]), run.doc_id
        query = query.astype(np.int32)
        keys = row_keys(query, names)
        run.check_documents(find_duplicate(query, names, keys=keys))
        pair, score = self._known.find(keys), run.score
        unjudged = queries.array[len(self.query_ids) :].to_pylist()
        overlay = Overlay(self, query, pair, score, names, keys.sum(), unjudged)
        if unjudged:
            rows = np.flatnonzero(query < len(self.query_ids))
            overlay = overlay.of_rows(rows)
            overlay.mark = keys[rows].sum()
        return overlay


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


def base_layer(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the official intents: layer 0, or the smallest layer where there is no 0."""
    if 'layer' not in table.columns:
        return table
    layers = table['layer'].unique()
    return table[table['layer'] == (0 if 0 in layers else min(layers))]


def relevant_rows(table: pd.DataFrame, rel: float) -> pd.DataFrame:
    """The rows of the official intents whose grade is above 0 and at least ``rel``."""
    check_number('rel', rel, 1e9)
    official = base_layer(table)
    return official[(official['relevance'] >= rel) & (official['relevance'] > 0)]


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


def of_documents(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of judged documents: without intent rows, but for the first one of a query that has nothing else."""
    intents, queries = declarations.intent_rows(table), table['query_id']
    if not intents.any():
        return table
    alone = ~queries.isin(queries[~intents]) & ~queries.duplicated()
    return table[~intents | alone]
