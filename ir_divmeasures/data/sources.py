"""Judgments in memory and of ir_datasets as columns by name, and columns of judgments in standard form."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FilesWarning, did_you_mean, short, warn
from ..lazy import pa, pd
from . import columns as declarations
from . import forms
from .columns import KEYS
from .ids import Texts, are_documents, as_frame
from .lines import Lines

PREFIX = 'irds:'
"""What PyTerrier puts before an ir_datasets id."""
NUMBER = re.compile(r'\d{1,2}')
"""A number of a subtopic."""


def columns_of(source: Any, name: str) -> dict[str, Any]:
    """The columns of judgments in memory, not checked yet: of a table, nested dicts, namedtuples of ir_measures or
    ir_datasets, or a dataset of ir_datasets.

    Raises:
        TypeError: none of these.
        ValueError: a dataset without judgments.
    """
    if hasattr(source, 'has_qrels'):
        if not source.has_qrels():
            raise ValueError(f'{source!r} has no judgments')
        source = source.qrels_iter()
    if isinstance(source, dict):
        return _of_dict(source, name)
    if forms.is_table(source):
        source = forms.as_pandas(source)
    else:
        if not hasattr(source, '__iter__') or isinstance(source, (str, bytes)):
            raise TypeError(
                f'{name}: expected an ir_datasets id or dataset, a path, an open file, a DataFrame, a table of '
                f'Arrow, Polars or DuckDB, a nested dict or an iterable of namedtuples, found '
                f'{type(source).__name__}'
            )
        source = list(source)
        if not source:
            return forms.of_rows([], *KEYS)
    columns = forms.columns_of(source, KEYS[:3], name)
    if columns is None:
        raise TypeError(
            f'judgments: expected namedtuples, found {short(source[0])}. ir_measures takes neither paths nor ids of '
            f'ir_datasets: give it read_qrels(…)'
        )
    return columns


def _of_dict(source: dict[Any, Any], name: str) -> dict[str, Any]:
    """The columns of ``{query: {document: grade}}``, ``{query: {document: {subtopic: grade}}}`` or, where it can be told,
    ``{query: {subtopic: {document: grade}}}``."""
    for query, documents in source.items():
        if not isinstance(documents, dict):
            raise TypeError(
                f'{name}: query {short(query)}: expected a dict of documents, found {short(documents)}'
            )
    if not any(isinstance(grade, dict) for each in source.values() for grade in each.values()):
        return forms.columns_of(source, KEYS[:3], name) or {}
    rows: tuple[list[Any], ...] = [], [], [], []
    for query, documents in source.items():
        for document, grades in documents.items():
            grades = grades if isinstance(grades, dict) else {'0': grades}
            columns = [query] * len(grades), [document] * len(grades), grades.values(), grades
            for column, values in zip(rows, columns):
                column.extend(values)
    if _subtopics_first(source):
        rows = rows[0], rows[3], rows[2], rows[1]
    return dict(zip(KEYS, map(forms.column, rows)))


def _subtopics_first(source: dict[Any, Any]) -> bool:
    """Return whether the outer keys of a dict are subtopics and the inner ones documents.

    The dict shows this if a query has several outer names and many more inner names that are no numbers of subtopics.
    Outer names that are numbers of subtopics make it clearer.
    """
    if not all(isinstance(grades, dict) for each in source.values() for grades in each.values()):
        return False
    names = [
        ({*map(str, each)}, {str(document) for grades in each.values() for document in grades})
        for each in source.values()
    ]
    outer, inner = (sum(map(len, each)) for each in zip(*names))
    subtopics, documents = (set().union(*each) for each in zip(*names))
    return (
        len(documents) >= 5
        and outer >= 2 * len(source)
        and not any(map(NUMBER.fullmatch, documents))
        and inner >= (2 if all(map(NUMBER.fullmatch, subtopics)) else 4) * outer
    )


def is_of_pyterrier(source: Any) -> bool:
    """Whether this is a dataset of ``pt.get_dataset('irds:…')``, or its name."""
    return (
        hasattr(type(source), 'irds_ref') or isinstance(source, str) and source.startswith(PREFIX)
    )


def dataset_of(source: Any) -> Any:
    """The dataset of ir_datasets behind PyTerrier's or behind a text that may be an id; all else as it is."""
    if hasattr(type(source), 'irds_ref'):
        return source.irds_ref()
    name = os.fspath(source)
    is_id = '/' in name and not os.path.isabs(name) and not os.path.splitext(name)[1]
    is_id = is_id or name.startswith(PREFIX)
    return load_dataset(name) if is_id else source


def load_dataset(name: str) -> Any:
    """The dataset of an id.

    Raises:
        ValueError: no such dataset; names the nearest.
    """
    import ir_datasets

    importlib.import_module('ir_divmeasures.sample')  # registers the sample collection
    name = name.removeprefix(PREFIX)
    try:
        return ir_datasets.load(name)
    except KeyError:
        names = [str(key) for key in ir_datasets.registry]
        raise ValueError(
            f'{name!r} is neither a file nor an ir_datasets id'
            + (did_you_mean(name, names, list_known=False) if len(name) > 3 else '')
        ) from None


# ------------------------------------------------------------------------------------------------------- standard form


def require_fields(
    table: Mapping[str, Any] | pd.DataFrame, names: Iterable[str], what: str
) -> None:
    """Raise an error unless a table of what a message names has these columns."""
    for name in names:
        if name not in table:
            raise forms.no_column(what, name, table)


def one_subtopic(n: int) -> Texts:
    """The subtopics of n rows without subtopics."""
    return Texts(pa.repeat(pa.scalar('0', pa.large_string()), n))


def standard_columns(rows: Mapping[str, Any], name: str) -> tuple[dict[str, Any], str | None]:
    """Columns of judgments in standard form, their values checked, and the column where subtopics were found.

    Raises:
        ValueError: a missing column, or a value that is not right; names query, document and subtopic.
    """
    if 'score' in rows and 'relevance' not in rows:
        raise ValueError(
            f"{name}: expected judgments, found a run (a column 'score', and none 'relevance'); {forms.ORDER}"
        )
    column = next((c for c in forms.NAMES['subtopic_id'] if c in rows), None)
    subtopics = None if column is None else Texts.of(forms.ids(rows, column, name))
    require_fields(rows, KEYS[:3], name)
    query, document = (Texts.of(forms.ids(rows, each, name)) for each in KEYS[:2])
    subtopics = one_subtopic(len(query)) if subtopics is None else subtopics
    values = declarations.untyped(rows['relevance'])
    standard = dict(zip(KEYS, (query, document, values, subtopics)))
    grades = declarations.numbers(values)
    if values.dtype.kind not in 'iufb':
        grades[[isinstance(value, str) for value in values]] = np.nan
    is_intent = ~are_documents(document)
    for valid, expected in (
        (np.isfinite(grades), 'a number'),
        (
            ~is_intent | (grades <= 0),
            'at most 0: such a row stands for the intent, not for a document',
        ),
    ):
        declarations.check_valid(
            valid, standard, 'relevance', expected, *declarations.IDS, name=name, called='grade'
        )
    standard['relevance'] = as_whole(grades)
    further = {each: rows[each] for each in rows if each not in (*KEYS, column, 'iteration')}
    if further:
        table = declarations.standardise(as_frame(standard | further), name)
        standard |= {each: table[each] for each in further}
    return standard, column


def as_whole(grades: NDArray[Any]) -> NDArray[Any]:
    """Grades as whole numbers, if they all are."""
    if grades.max(initial=0) >= 2**53 or grades.min(initial=0) <= -(2**53):
        return grades
    whole = grades.astype(np.int64)
    return whole if np.array_equal(whole, grades) else grades


def drop_repetitions(
    table: pd.DataFrame, name: str, subtopic_column: str | None, lines: Lines | None
) -> dict[str, Any]:
    """The columns of a table without rows that repeat another.

    Raises:
        ValueError: a document has two grades for a subtopic.
    """
    keys = declarations.row_key(table)
    unlike = table.drop_duplicates([*keys, 'relevance'])
    for number, row in unlike[unlike.duplicated(keys)].head(1).iterrows():
        hint = ''
        if subtopic_column is None and not lines:
            hint = ' (no column of subtopics was found: did a reader drop it? read_qrels keeps it)'
        raise ValueError(
            f'{lines.place(number) if lines else name}: {declarations.place_of(row, *declarations.IDS)} has several '
            f'grades, one of them {row.relevance}{hint}'
        )
    once = table.drop_duplicates(keys).reset_index(drop=True)
    warn(
        f'{name}: {len(table) - len(once)} of {len(table)} rows repeat another row and are ignored',
        FilesWarning,
    )
    return dict(once)
