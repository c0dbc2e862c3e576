"""Judgments from any source as one tidy table: ``query_id, doc_id, relevance, subtopic_id`` and further columns.

This table contains everything that a measure needs to know about the documents of a query. A row is the grade of a
document for an aspect of a query. :mod:`~ir_divmeasures.io.columns` declares the further columns. :class:`Judgments`
contains such a table, checked once, and is remembered for the DataFrame that it was made from. Users pass and receive
plain DataFrames.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import RepeatedRowsWarning, warn
from ..io import columns, forms, text
from ..io import frames as tables
from ..io.columns import KEYS
from ..io.inputs import File, opened
from ..io.ordering import distinct
from ..io.text_columns import Texts, are_documents, as_frame, rows_of
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
        collection: their arrays, which measures see.
        subtopic_column: the column of the source with the subtopics; None if it has none (all are subtopic '0').
        passed_over: a column that looks like one of subtopics but is none, in words; otherwise empty.
        kept: a cache for results that other modules compute from these judgments. They choose the keys and limit its
            size.
    """

    def __init__(self, collection: Collection, subtopic_column: str | None, passed_over: str = ''):
        self.collection = collection
        self.subtopic_column, self.passed_over = subtopic_column, passed_over
        self.kept: dict[Any, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, 'kept': {}}  # the cache is not sent to other processes

    @classmethod
    def of(cls, source: Any, format: str | None = None) -> Judgments:
        """Judgments of any source that :func:`ir_divmeasures.read_qrels` takes.

        While a DataFrame does not change, its judgments are checked and coded only once.

        Raises:
            FileNotFoundError, TypeError, ValueError: as :func:`ir_divmeasures.read_qrels`.
        """
        forms.check_form(format)
        if isinstance(source, Judgments):
            return source
        if isinstance(source, (list, tuple)) and _are_places(source):
            return cls._together(source, format)
        if is_of_pyterrier(source):
            source = load_dataset(source) if isinstance(source, str) else source.irds_ref()
        if isinstance(source, (str, os.PathLike)) and format is None:
            path = os.fspath(source)
            if not os.path.exists(path) and is_dataset(path):
                source = load_dataset(path)
        one = opened(source)
        if isinstance(one, File):
            rows = forms.read(one.content(), one.path, forms.JUDGMENTS, format)
            return cls._checked(rows.columns, one.path, rows.lines)
        source = one.in_memory()
        if not tables.is_frame(source):
            return cls._checked(source, 'judgments')
        judgments: Judgments | None = memory.find(source)
        if judgments is None:
            own = source.copy()
            judgments = cls._checked(own, 'judgments')
            memory.hold(own, judgments)
        return judgments

    @classmethod
    def _together(cls, sources: Sequence[Any], format: str | None) -> Judgments:
        """The judgments of several files or ids, whose queries must differ."""
        tables = [cls.of(each, format).table for each in sources]
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
    def _checked(cls, source: Any, name: str, lines: text.Lines | None = None) -> Judgments:
        """The judgments of a source in memory, which messages call by a name, or of the columns of lines."""
        rows = source if lines else sources.columns_of(source, name)
        rows, column = _standard(rows, name)
        collection = Collection(rows)
        passed_over = '' if column is None else sources.judging_rounds(collection, column)
        if passed_over:
            column, rows['subtopic_id'] = None, _one_subtopic(len(collection.relevance))
            collection = Collection(rows)
        if collection.has_repetitions:
            has_subtopics = len(collection.subtopic[1]) > 1 and column is not None
            rows = _without_repetitions(as_frame(rows), name, has_subtopics, lines)
            collection = Collection(rows)
        if set(rows) > {*KEYS}:
            columns.check_facts(as_frame(rows), name)
        return cls(collection, column, passed_over)

    @property
    def table(self) -> pd.DataFrame:
        """``query_id, doc_id`` (str), ``relevance`` (int, or float where a grade is fractional), ``subtopic_id`` (str),
        and further columns. Grades stand as judged."""
        return self.collection.table

    @property
    def names(self) -> list[str]:
        """The columns of the table."""
        return list(self.collection.columns)

    @property
    def layers(self) -> np.ndarray:
        """The layer of each row."""
        return self.collection.layer

    @property
    def document_ids(self) -> Texts:
        """The document of each row."""
        return Texts.of(self.collection.columns['doc_id'])

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
        return is_counted & (self.layers == collection.base)

    def frame(self) -> pd.DataFrame:
        """The table, to be changed freely."""
        return self.table.copy()

    def of_query(self, query_id: str) -> Judgments:
        """The judgments of one query."""
        collection = self.collection
        number = self.query_ids.index(query_id)
        rows = np.flatnonzero(collection.query_of_pair[collection.row_pair] == number)
        columns = {name: rows_of(column, rows) for name, column in collection.columns.items()}
        return Judgments(Collection(columns), self.subtopic_column, self.passed_over)

    @property
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
        return self.collection.as_judgments(self.grades_by_document)

    @functools.cached_property
    def grades_by_document(self) -> np.ndarray:
        """The grades of :attr:`by_document` by the pairs of :attr:`collection`, NaN where it has none."""
        collection, grades = self.collection, self.pair_grades.copy()
        graded = np.bincount(
            collection.query_of_pair, ~np.isnan(grades), minlength=len(self.query_ids)
        )
        grades[~collection.of_documents & (graded[collection.query_of_pair] == 0)] = 0.0
        return grades

    @functools.cached_property
    def pair_grades(self) -> np.ndarray:
        """The highest grades of documents by the pairs of :attr:`collection`, NaN where there is none."""
        return self.grades_of_layer(self.collection.base)

    def grades_of_layer(self, layer: int) -> np.ndarray:
        """The highest grade of each pair of :attr:`collection` on a layer, NaN where it has none; (pairs,).

        Grades below 0 stay, but for queries that have no other. Intent rows have none.
        """
        collection, owner = self.collection, self.collection.query_of_pair
        pair = collection.row_pair
        rows = np.flatnonzero((collection.layer == layer) & collection.of_documents[pair])
        grades, best = np.full(collection.n_pairs, np.nan), np.full(len(self.query_ids), np.nan)
        np.fmax.at(grades, pair[rows], collection.relevance[rows])
        np.fmax.at(best, owner, grades)
        return np.where(best[owner] < 0, np.maximum(grades, 0), grades)


def require_fields(
    table: Mapping[str, Any] | pd.DataFrame, names: Iterable[str], what: str
) -> None:
    """Raise an error unless a table of what a message names has these columns."""
    for name in names:
        if name not in table:
            raise tables.no_column(what, name, table)


def base_layer(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the official intents: layer 0, or the smallest layer where there is no 0."""
    if 'layer' not in table.columns:
        return table
    layers = table['layer'].unique()
    return table[table['layer'] == (0 if 0 in layers else min(layers))]


def relevant_rows(table: pd.DataFrame, rel: float) -> pd.DataFrame:
    """The rows of the official intents whose grade is above 0 and at least ``rel``."""
    official = base_layer(table)
    return official[(official['relevance'] >= rel) & (official['relevance'] > 0)]


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
    alone = table[
        intents & ~table['query_id'].isin(documents['query_id'].unique())
    ].drop_duplicates('query_id')
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
    return (
        f'{n} of {n} queries have one subtopic only: {", ".join(names[:3])}{" …" if len(names) > 3 else ""} cannot '
        f"tell anything about diversity. Looked for a column 'subtopic_id' or 'iteration', {subtopics_seen}."
    )


# ------------------------------------------------------------------------------------------------ standard form


def _are_places(source: Sequence[Any]) -> bool:
    """Whether a list has paths or ids of judgments. ir_measures hands a text on as its letters."""
    places = all(isinstance(each, (str, os.PathLike)) for each in source)
    return places and any(len(os.fspath(each)) > 1 for each in source)


def _one_subtopic(n: int) -> Texts:
    """The subtopics of n rows without subtopics."""
    return Texts(pa.repeat(pa.scalar('0', pa.large_string()), n))


def _standard(rows: Mapping[str, Any], name: str) -> tuple[dict[str, Any], str | None]:
    """Columns of judgments in standard form, their values checked, and the column where subtopics were found.

    Raises:
        ValueError: a missing column, or a value that is not right; names query, document and subtopic.
    """
    column = next((c for c in SUBTOPIC_COLUMNS if c in rows), None)
    subtopics = None if column is None else Texts.of(tables.ids(rows, column, name))
    require_fields(rows, KEYS[:3], name)
    query, document = (Texts.of(tables.ids(rows, each, name)) for each in KEYS[:2])
    subtopics = _one_subtopic(len(query)) if subtopics is None else subtopics
    values = columns.untyped(rows['relevance'])
    standard = dict(zip(KEYS, (query, document, values, subtopics)))
    grades = columns.numbers(values)
    if values.dtype.kind not in 'iufb':
        grades[[isinstance(value, str) for value in values]] = np.nan
    about = {'name': name, 'called': 'grade'}
    valid = np.isfinite(grades)
    columns.check_valid(valid, standard, 'relevance', 'a number', *columns.IDS, **about)
    standard['relevance'] = _whole(grades)
    columns.check_valid(
        are_documents(document) | (grades <= 0),
        standard,
        'relevance',
        'at most 0: such a row stands for the intent, not for a document',
        *columns.IDS,
        **about,
    )
    further = {each: rows[each] for each in rows if each not in (*KEYS, *SUBTOPIC_COLUMNS)}
    if further:
        table = columns.standardise(as_frame(standard | further), name)
        standard |= {each: table[each] for each in further}
    return standard, column


def _whole(grades: np.ndarray) -> np.ndarray:
    """Grades as whole numbers, if they all are."""
    if grades.max(initial=0) >= 2**53 or grades.min(initial=0) <= -(2**53):
        return grades
    whole = grades.astype(np.int64)
    return whole if np.array_equal(whole, grades) else grades


def _without_repetitions(
    table: pd.DataFrame, name: str, has_subtopics: bool, lines: text.Lines | None
) -> dict[str, Any]:
    """The columns of a table without rows that repeat another.

    Raises:
        ValueError: a document has two grades for a subtopic.
    """
    keys = columns.row_key(table)
    unlike = table.drop_duplicates([*keys, 'relevance'])
    for number, row in unlike[unlike.duplicated(keys)].head(1).iterrows():
        hint = (
            ''
            if has_subtopics or lines
            else ' (no column of subtopics was found: did a reader drop it? read_qrels keeps it)'
        )
        raise ValueError(
            f'{lines.at(number) if lines else name}: {columns.place_of(row, *columns.IDS)} has several grades, one '
            f'of them {row.relevance}{hint}'
        )
    once = table.drop_duplicates(keys).reset_index(drop=True)
    warn(
        f'{name}: {len(table) - len(once)} of {len(table)} rows repeat another row and are ignored',
        RepeatedRowsWarning,
    )
    return dict(once)
