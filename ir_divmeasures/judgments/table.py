"""Judgments from any source as one tidy table: ``query_id, doc_id, relevance, subtopic_id`` and further columns.

This table contains everything that a measure needs to know about the documents of a query. A row is the grade of a
document for an aspect of a query. :mod:`~ir_divmeasures.io.columns` declares the further columns. :class:`Judgments`
contains such a table, checked once, and is remembered for the DataFrame that it was made from. Users pass and receive
plain DataFrames.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import RepeatedRowsWarning, warn
from ..io import columns
from ..io import frames as tables
from ..io import judgment_forms as formats
from ..io.columns import KEYS
from ..io.ordering import distinct
from ..io.text_columns import Texts, are_documents, as_frame
from ..lazy import pa, pd
from . import memory, sources
from .arrays import Collection
from .datasets import is_dataset, is_of_pyterrier, load_dataset

PYTERRIERS = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
"""Our column → PyTerrier's."""
SUBTOPIC_COLUMNS = ('subtopic_id', 'iteration')


class Judgments:
    """Judgments from any source, checked and in standard form. Their arrays are built when they are first needed.

    :meth:`of` creates them. The table is shared, so use :meth:`frame` to get a copy that you can change.

    Attributes:
        subtopic_column: the column of the source with the subtopics; None if it has none (all are subtopic '0').
        passed_over: a column that looks like one of subtopics but is none, in words; otherwise empty.
        kept: a cache for results that other modules compute from these judgments. They choose the keys and limit its
            size.
    """

    def __init__(
        self,
        rows: pd.DataFrame | dict[str, Any],
        subtopic_column: str | None,
        passed_over: str = '',
        collection: Collection | None = None,
    ):
        self._rows, self.subtopic_column, self.passed_over = rows, subtopic_column, passed_over
        self.kept: dict[Any, Any] = {}
        self.collection = Collection(rows) if collection is None else collection

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, 'kept': {}}  # the cache is not sent to other processes

    @classmethod
    def of(cls, source: Any, format: str | None = None, passages: str = 'sum') -> Judgments:
        """Judgments of any source that :func:`ir_divmeasures.read_qrels` takes.

        While a DataFrame does not change, its judgments are checked and coded only once.

        Raises:
            FileNotFoundError, TypeError, ValueError: as :func:`ir_divmeasures.read_qrels`.
        """
        formats.check_format(format, passages)
        if isinstance(source, Judgments):
            return source
        if isinstance(source, (list, tuple)) and _are_places(source):
            return cls._together(source, format, passages)
        if is_of_pyterrier(source):
            source = load_dataset(source) if isinstance(source, str) else source.irds_ref()
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            if format is None and not os.path.exists(path) and is_dataset(path):
                return cls._checked(load_dataset(path), 'judgments')
            return cls._checked(formats.read(path, format, passages), path)
        is_of_arrow = tables.is_of_arrow(source)
        source = tables.in_pieces(tables.in_memory(source))
        if is_of_arrow:  # a DataFrame that nobody else has
            return cls._checked(source, 'judgments')
        if isinstance(source, tables.Content):
            return cls._checked(formats.read(source, format, passages), source.name)
        if not tables.is_frame(source):
            return cls._checked(source, 'judgments')
        known = memory.content(source)
        judgments: Judgments | None = memory.find(known)
        if judgments is None:
            judgments = cls._checked(source.copy(), 'judgments')
            memory.hold(known, judgments)
        return judgments

    @classmethod
    def _together(cls, sources: Sequence[Any], format: str | None, passages: str) -> Judgments:
        """The judgments of several files or ids, whose queries must differ."""
        tables = [cls.of(each, format, passages).table for each in sources]
        place: dict[str, int] = {}
        for number, table in enumerate(tables):
            queries = table['query_id'].unique()
            both = [query for query in queries if query in place]
            if both:
                raise ValueError(
                    f'{sources[place[both[0]]]} and {sources[number]} have {len(both)} query ids in common '
                    f'({", ".join(map(repr, both[:5]))}{", …" * (len(both) > 5)}); expected different queries'
                )
            place |= dict.fromkeys(queries, number)
        return cls.of(pd.concat(tables, ignore_index=True))

    @classmethod
    def _checked(cls, source: Any, name: str) -> Judgments:
        if hasattr(source, 'has_qrels'):
            if not source.has_qrels():
                raise ValueError(f'{source!r} has no judgments')
            source = list(source.qrels_iter())
        return cls(*(_plain(source) or _tidy(source, name)))

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """``query_id, doc_id`` (str), ``relevance`` (int, or float where a grade is fractional), ``subtopic_id`` (str),
        and further columns. Grades stand as judged."""
        return as_frame(self._rows) if isinstance(self._rows, dict) else self._rows

    @property
    def names(self) -> list[str]:
        """The columns of the table."""
        return list(self._rows)

    @property
    def layers(self) -> np.ndarray:
        """The layer of each row."""
        return self.collection.layer

    @property
    def document_ids(self) -> Texts:
        """The document of each row."""
        return Texts.of(self._rows['doc_id'])

    @functools.cached_property
    def some_documents(self) -> list[str]:
        """At most 400 documents of evenly spread rows."""
        places = distinct(np.linspace(0, len(self.document_ids) - 1, 400).astype(np.intp))
        return self.document_ids.pick(places) if len(self.document_ids) else []

    @property
    def is_official(self) -> np.ndarray:
        """Which rows grade a document for an official intent."""
        collection = self.collection
        is_counted = collection.of_documents[collection.row_pair]
        return (
            is_counted & (self.layers == collection.base) if 'layer' in self.names else is_counted
        )

    def of_queries(self, numbers: np.ndarray) -> Judgments:
        """The judgments of some queries, given by their places in :attr:`query_ids`."""
        rows = np.isin(self.collection.query_of_pair[self.collection.row_pair], numbers)
        return Judgments(
            self.table[rows].reset_index(drop=True), self.subtopic_column, self.passed_over
        )

    def frame(self) -> pd.DataFrame:
        """The table, to be changed freely."""
        return self.table.copy()

    def remember_for(self, table: pd.DataFrame) -> None:
        """Return these judgments again when :meth:`of` receives this DataFrame, which :meth:`frame` returned."""
        memory.hold(memory.content(table), self)

    def regraded(self, relevance: np.ndarray) -> Judgments:
        """The same judged documents with other grades, (rows,).

        Raises:
            ValueError: as :meth:`Collection.regraded`.
        """
        rows = {**{name: self._rows[name] for name in self.names}, 'relevance': relevance}
        collection = self.collection.regraded(relevance)
        return Judgments(rows, self.subtopic_column, self.passed_over, collection)

    @functools.cached_property
    def query_ids(self) -> list[str]:
        """Queries in order of first appearance."""
        return self.collection.query_ids

    @functools.cached_property
    def query_set(self) -> frozenset[str]:
        """The queries."""
        return frozenset(self.query_ids)

    @functools.cached_property
    def document_set(self) -> frozenset[str]:
        """The documents that are judged for some query."""
        return frozenset(self.document_ids.codes()[1].array.to_pylist())

    @functools.cached_property
    def official(self) -> pd.DataFrame:
        """The rows of the official intents."""
        return base_layer(self.table)

    @functools.cached_property
    def by_document(self) -> pd.DataFrame:
        """One row per query and document, with its highest grade: what ad-hoc measures of other providers see.

        Grades below 0 stay, but for queries that have no other: trec_eval's library crashes on them. Intent rows are
        left out, but for one of a query that has nothing else.
        """
        collection, grades = self.collection, self.pair_grades.copy()
        graded = np.bincount(
            collection.query_of_pair, ~np.isnan(grades), minlength=len(self.query_ids)
        )
        grades[~collection.of_documents & (graded[collection.query_of_pair] == 0)] = 0.0
        return collection.as_judgments(grades)

    @functools.cached_property
    def pair_grades(self) -> np.ndarray:
        """The grades of :attr:`by_document` by the pairs of :attr:`collection`, NaN where there is none."""
        return self.grades_of_layer(self.collection.base)

    def grades_of_layer(self, layer: int) -> np.ndarray:
        """The highest grade of each pair of :attr:`collection` on a layer, NaN where it has none; (pairs,).

        Grades below 0 stay, but for queries that have no other. Intent rows have none.
        """
        collection = self.collection
        rows = (collection.layer == layer) | ('layer' not in self.names)
        grades = np.full(collection.n_pairs, -np.inf)
        np.maximum.at(grades, collection.row_pair[rows], collection.relevance[rows])
        grades[~collection.of_documents] = -np.inf
        owner = collection.query_of_pair
        best = np.full(len(self.query_ids), -np.inf)
        np.maximum.at(best, owner, grades)
        grades[(best[owner] < 0) & np.isfinite(grades)] = 0.0
        return np.where(np.isfinite(grades), grades, np.nan)

    def relevant(self, rel: float) -> pd.DataFrame:
        """The rows of the official intents whose grade is above 0 and at least ``rel``."""
        rows = self.official
        return rows[(rows['relevance'] >= rel) & (rows['relevance'] > 0)]


def base_layer(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the official intents: layer 0, or the smallest layer where there is no 0."""
    if 'layer' not in table.columns:
        return table
    layers = table['layer'].unique()
    return table[table['layer'] == (0 if 0 in layers else min(layers))]


def named_as(table: pd.DataFrame, source: Any) -> pd.DataFrame:
    """The table with PyTerrier's names of columns where what it was made from has them, or is a PyTerrier dataset."""
    names = PYTERRIERS.values() if is_of_pyterrier(source) else getattr(source, 'columns', ())
    return table.rename(
        columns={
            name: their_name
            for name, their_name in PYTERRIERS.items()
            if their_name in names and name not in names
        }
    )


def of_documents(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of judged documents: without intent rows, but for the first one of a query that has nothing else."""
    intents = columns.intent_rows(table)
    if not intents.any():
        return table
    documents = table[~intents]
    alone = table[intents & ~table['query_id'].isin(documents['query_id'])].drop_duplicates(
        'query_id'
    )
    return table[~intents | table.index.isin(alone.index)]


def one_subtopic(judgments: Judgments, measures: Iterable[Any]) -> str | None:
    """Return the warning about measures of diversity on judgments in which every query has one subtopic.

    Args:
        judgments: the judgments.
        measures: the measures of diversity that were asked for.
    """
    nuggets = judgments.subtopic_column is not None  # their coverage is no measure of diversity
    names = sorted(str(m) for m in measures if not (nuggets and m.NAME == 'Coverage'))
    subtopics = (
        np.sum([each.n for each in judgments.collection.aspects.values()], axis=0)
        if names
        else np.zeros(0)
    )
    n, column = len(subtopics), judgments.subtopic_column
    if n == 0 or subtopics.max() > 1:
        return None
    subtopics_seen = (
        f'found {column!r}, in which every query has one value'
        if column
        else judgments.passed_over
        if judgments.passed_over
        else f'found neither (columns: {", ".join(c for c in judgments.table.columns if c != "subtopic_id")})'
    )
    table = judgments.table
    graded = [
        c for c in table.columns if columns.is_text(c) is None and table[c].dtype.kind in 'iu'
    ]
    hint = (
        f' with_aspects_from makes aspects of columns of grades ({", ".join(graded[:3])}).'
        if graded
        else ''
    )
    return (
        f'{n} of {n} queries have one subtopic only: {", ".join(names[:3])}{" …" if len(names) > 3 else ""} cannot '
        f"tell anything about diversity. Looked for a column 'subtopic_id' or 'iteration', {subtopics_seen}.{hint}"
    )


# ------------------------------------------------------------------------------------------------ standard form


def _are_places(source: Sequence[Any]) -> bool:
    """Whether a list has paths or ids of judgments. ir_measures hands a text on as its letters."""
    places = all(isinstance(each, (str, os.PathLike)) for each in source)
    return places and any(len(os.fspath(each)) > 1 for each in source)


def _plain(source: Any) -> tuple[dict[str, Any], str | None, str, Collection] | None:
    """What :func:`_tidy` gives, of files of lines, nested dicts and namedtuples with one whole grade for each document and
    subtopic, read column by column; None where anything is not as simple."""
    rows: dict[str, Any] | None = None
    column = 'subtopic_id'
    if isinstance(source, formats.Rows):
        rows = source.columns
    elif isinstance(source, dict):
        rows, column = tables.of_texts(source, *KEYS[:3]), ''
    elif isinstance(source, list):
        rows = sources.of_qrels(source)
        column = source[0]._fields[3] if rows else ''
    if not rows or set(rows) - set(KEYS) or not len(rows['relevance']):
        return None
    grades = rows['relevance']
    if grades.dtype.kind not in 'if' or (_whole(grades)).dtype.kind != 'i':
        return None
    if not column:
        subtopics = Texts(pa.repeat(pa.scalar('0', pa.large_string()), len(grades)))
    else:
        subtopics = rows['subtopic_id']
    if not are_documents(rows['doc_id']).all():
        return None
    rows = dict(zip(KEYS, (rows['query_id'], rows['doc_id'], _whole(grades), subtopics)))
    collection = Collection(rows)
    ids = collection.subtopic[1].array.to_pylist()
    if any(name in ('Q0', 'q0') or name.endswith('.5') for name in ids):
        return None
    return None if collection.has_repetitions else (rows, column or None, '', collection)


def _tidy(source: Any, name: str) -> tuple[pd.DataFrame, str | None, str, Collection]:
    """Judgments in any form but a file → the checked table, where the subtopics were found, where not, coded ids."""

    line_of = None
    if isinstance(source, formats.Rows):
        line_of, source = source.line_of, as_frame(source.columns)
    if isinstance(source, pd.DataFrame):
        tables.check_columns(source.columns, name)
        table = tables.renamed(source, *KEYS[:3])
    elif isinstance(source, dict):
        table = sources.from_dict(source, name)
    elif hasattr(source, '__iter__') and not isinstance(source, (str, bytes)):
        table = sources.from_namedtuples(source)
    else:
        raise TypeError(
            f'{name}: expected an ir_datasets id or dataset, a path, an open file, a DataFrame, a table of '
            f'Arrow, Polars or DuckDB, ranx Qrels, a nested dict or an iterable of namedtuples, found '
            f'{type(source).__name__}'
        )
    table = sources.documents_of_passages(table)
    column = next((c for c in SUBTOPIC_COLUMNS if c in table.columns), None)
    if column:
        columns.check_cells(table[column], column, name)
    passed_over = sources.judging_rounds(table, column) if column else ''
    if passed_over:
        table, column = table.drop(columns=column), None  # type: ignore[arg-type]
    for column_needed in KEYS[:3]:
        if column_needed not in table.columns:
            raise tables.no_column(name, column_needed, table.columns)
    further = [c for c in table.columns if c not in KEYS and c not in SUBTOPIC_COLUMNS]
    table = pd.DataFrame(
        {
            'query_id': tables.ids(table, 'query_id', name).array,
            'doc_id': tables.ids(table, 'doc_id', name).array,
            'relevance': table['relevance'].array,
            'subtopic_id': tables.ids(table, column, name).array if column else '0',
            **{c: table[c].array for c in further},
        }
    )
    table['relevance'] = _grades(table, name)
    _check_intent_rows(table, name)
    table = columns.standardise(table, name)
    collection = Collection(table)
    once = _without_repetitions(table, name, bool(column), collection, line_of)
    columns.check_facts(once, name)
    return once, column, passed_over, collection if once is table else Collection(once)


def _grades(table: pd.DataFrame, name: str) -> np.ndarray:
    values = table['relevance']
    grades = columns.numbers(values)
    if values.dtype.kind not in 'iufb':
        grades[[isinstance(value, str) for value in values]] = np.nan
    valid = np.isfinite(grades)
    columns.check_valid(
        valid, table, 'relevance', 'a number', *columns.IDS, name=name, called='grade'
    )
    return _whole(grades)


def _whole(grades: np.ndarray) -> np.ndarray:
    """Grades as whole numbers, if they all are."""
    whole = np.all(grades == np.floor(grades)) and np.all(np.abs(grades) < 2**53)
    return grades.astype(np.int64) if whole else grades


def _check_intent_rows(table: pd.DataFrame, name: str) -> None:
    columns.check_valid(
        ~columns.intent_rows(table) | (table['relevance'].to_numpy() <= 0),
        table,
        'relevance',
        'at most 0: such a row stands for the intent, not for a document',
        *columns.IDS,
        name=name,
        called='grade',
    )


def _without_repetitions(
    table: pd.DataFrame,
    name: str,
    subtopics: bool,
    collection: Collection,
    line_of: Callable[[int], int] | None,
) -> pd.DataFrame:
    if not collection.has_repetitions:
        return table
    keys = columns.row_key(table)
    unlike = table.drop_duplicates([*keys, 'relevance'])
    for number, row in unlike[unlike.duplicated(keys)].head(1).iterrows():
        hint = (
            ' (several judges? aggregate_judges makes their judgments one)'
            if 'judge' in table.columns
            else ''
            if subtopics and table['subtopic_id'].nunique() > 1
            else ' (no column of subtopics was found: did a reader drop it? read_qrels keeps it)'
        )
        where = name if line_of is None else f'{name}, line {line_of(number)}'
        raise ValueError(
            f'{where}: {columns.place_of(row, *columns.IDS)} has several grades, one of them '
            f'{row.relevance}{hint if line_of is None else ""}'
        )
    once = table.drop_duplicates(keys).reset_index(drop=True)
    warn(
        f'{name}: {len(table) - len(once)} of {len(table)} rows repeat another row and are ignored',
        RepeatedRowsWarning,
    )
    return once
