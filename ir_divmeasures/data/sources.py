"""Judgments in memory and of ir_datasets as columns by name, not checked yet."""

from __future__ import annotations

import os
import re
from typing import Any

from ..errors import JudgmentsWarning, did_you_mean, short, warn
from . import forms
from .columns import KEYS

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
        if all(isinstance(row, str) and len(row) == 1 for row in source):
            # ir_measures hands a text on as its letters
            raise TypeError(
                f'judgments: found the text {"".join(source)!r}; ir_measures takes neither paths nor '
                f'ir_datasets ids, give ir_divmeasures.read_qrels({"".join(source)!r})'
            )
        raise TypeError(f'judgments: expected namedtuples, found {short(source[0])}')
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
    if _subtopics_first(source, name):
        rows = rows[0], rows[3], rows[2], rows[1]
    return dict(zip(KEYS, map(forms.column, rows)))


def _subtopics_first(source: dict[Any, Any], name: str) -> bool:
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
    numbered = all(map(NUMBER.fullmatch, subtopics))
    if (
        len(documents) < 5
        or inner <= outer
        or all(map(NUMBER.fullmatch, documents))
        and not numbered
    ):
        return False
    if (
        outer >= 2 * len(source)
        and not any(map(NUMBER.fullmatch, documents))
        and inner >= (2 if numbered else 4) * outer
    ):
        return True
    warn(
        f'{name}: read as {{query: {{document: {{subtopic: grade}}}}}}, which has more subtopics ({inner} over all '
        f'queries) than documents ({outer}); the other way round, give a table with a column subtopic_id',
        JudgmentsWarning,
    )
    return False


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
    is_id = name.startswith(PREFIX) or (
        '/' in name
        and not os.path.isabs(name)
        and not name.startswith('.')
        and not name.endswith(('.gz', '.txt', '.tsv', '.qrels'))
    )
    return load_dataset(name) if is_id else source


def load_dataset(name: str) -> Any:
    """The dataset of an id.

    Raises:
        ValueError: no such dataset; names the nearest.
    """
    import ir_datasets

    name = name.removeprefix(PREFIX)
    try:
        return ir_datasets.load(name)
    except KeyError:
        names = [str(key) for key in ir_datasets.registry]
        raise ValueError(
            f'{name!r} is neither a file nor an ir_datasets id'
            + (did_you_mean(name, names, list_known=False) if len(name) > 3 else '')
        ) from None
