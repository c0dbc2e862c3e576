"""Judgments in memory and of ir_datasets as columns by name, and columns of judgments in standard form."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FilesWarning, did_you_mean, warn
from ..lazy import pd
from . import columns as declarations
from . import forms
from .columns import KEYS
from .files import is_path
from .ids import NO_DOCUMENT, Texts, are_documents, as_frame
from .lines import Lines

PREFIX = 'irds:'
"""What PyTerrier puts before an ir_datasets id."""


def columns_of(source: Any, name: str) -> dict[str, Any]:
    """The columns of judgments in memory (see :func:`~ir_divmeasures.data.forms.columns_of`), or of a dataset of
    ir_datasets, with values that are not checked yet.

    Raises:
        ValueError: a dataset without judgments.
    """
    if hasattr(source, 'has_qrels'):
        if not source.has_qrels():
            raise ValueError(f'{source!r} has no judgments')
        source = source.qrels_iter()
    return forms.columns_of(source, forms.JUDGMENTS, name)


def is_of_pyterrier(source: Any) -> bool:
    """Whether this is a dataset of ``pt.get_dataset('irds:…')``, or its name."""
    return (
        hasattr(type(source), 'irds_ref') or isinstance(source, str) and source.startswith(PREFIX)
    )


def is_dataset_id(path: str | os.PathLike[str]) -> bool:
    """Whether a path that does not exist may be an ir_datasets id."""
    name = os.fspath(path)
    return '/' in name and not os.path.isabs(name) and not os.path.splitext(name)[1]


def load_dataset(source: Any) -> Any:
    """The dataset of an id or behind PyTerrier's dataset; all else as it is.

    Raises:
        ValueError: no such dataset; names the nearest.
    """
    if hasattr(type(source), 'irds_ref'):
        return source.irds_ref()
    if not is_path(source):
        return source
    import ir_datasets

    importlib.import_module('ir_divmeasures.sample')  # registers the sample collection
    name = os.fspath(source).removeprefix(PREFIX)
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
    return Texts.of(['0']).take(np.zeros(n, dtype=int))


def standard_columns(rows: Mapping[str, Any], name: str) -> tuple[dict[str, Any], str | None]:
    """Columns of judgments in standard form, their values checked, and the column where subtopics were found.

    Raises:
        ValueError: a missing column, or a value that is not right; names query, document and subtopic.
    """
    column = next((c for c in forms.NAMES['subtopic_id'] if c in rows), None)
    query, document = (forms.ids(rows, each, name) for each in KEYS[:2])
    subtopics = forms.ids(rows, column, name) if column else one_subtopic(len(query))
    values = rows['relevance']
    standard = dict(zip(KEYS, (query, document, values, subtopics)))
    grades = declarations.numbers(values)
    if values.dtype.kind not in 'iufb':
        grades[[isinstance(value, str) for value in values]] = np.nan
    declarations.check_valid(
        np.isfinite(grades) & (are_documents(document) | (grades <= 0)),
        standard,
        'relevance',
        f'a number, at most 0 for document {NO_DOCUMENT!r}',
        *declarations.IDS,
        name=name,
        called='grade',
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
