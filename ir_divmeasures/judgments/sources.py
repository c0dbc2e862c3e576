"""Judgments in memory as columns by name, not checked yet."""

from __future__ import annotations

import re
from typing import Any

from ..errors import SubtopicsWarning, warn
from ..io import frames as tables
from ..io.columns import KEYS
from .arrays import Collection

NUMBER = re.compile(r'\d{1,2}')
"""A number of a subtopic."""


def columns_of(source: Any, name: str) -> dict[str, Any]:
    """The columns of judgments in memory: a table, ``{query: {document: grade}}``, ``{query: {document: {subtopic:
    grade}}}`` or, where it can be told, ``{query: {subtopic: {document: grade}}}``; namedtuples of ir_measures or
    ir_datasets; or a dataset of ir_datasets.

    Raises:
        TypeError: none of these.
        ValueError: a dataset without judgments.
    """
    if hasattr(source, 'has_qrels'):
        if not source.has_qrels():
            raise ValueError(f'{source!r} has no judgments')
        source = source.qrels_iter()
    if isinstance(source, dict):
        source = _of_dict(source, name)
    elif not tables.is_frame(source):
        if not hasattr(source, '__iter__') or isinstance(source, (str, bytes)):
            raise TypeError(
                f'{name}: expected an ir_datasets id or dataset, a path, an open file, a DataFrame, a table of '
                f'Arrow, Polars or DuckDB, a nested dict or an iterable of namedtuples, found '
                f'{type(source).__name__}'
            )
        source = list(source) or tables.of_rows([], *KEYS)
    columns = source if isinstance(source, dict) else tables.columns_of(source, KEYS[:3], name)
    if columns is None:
        if all(isinstance(row, str) and len(row) == 1 for row in source):
            # ir_measures hands a text on as its letters
            raise TypeError(
                f'judgments: found the text {"".join(source)!r}; ir_measures takes neither paths nor '
                f'ir_datasets ids, give ir_divmeasures.read_qrels({"".join(source)!r})'
            )
        raise TypeError(f'judgments: expected namedtuples, found {source[0]!r}')
    return columns


def _of_dict(source: dict[Any, Any], name: str) -> dict[str, Any]:
    for query, docs in source.items():
        if not isinstance(docs, dict):
            raise TypeError(
                f'{name}: query {query!r}: expected a dict of documents, found {docs!r:.120}'
            )
    if not any(isinstance(grade, dict) for docs in source.values() for grade in docs.values()):
        return tables.columns_of(source, KEYS[:3], name) or {}
    subtopics_first = _subtopics_first(source, name)
    rows: list[tuple[Any, ...]] = []
    for query, docs in source.items():
        for doc, grade in docs.items():
            if not isinstance(grade, dict):
                rows.append((query, doc, grade, '0'))
            elif subtopics_first:
                rows.extend((query, each, g, doc) for each, g in grade.items())
            else:
                rows.extend((query, doc, g, subtopic) for subtopic, g in grade.items())
    return tables.of_rows(rows, *KEYS)


def _subtopics_first(source: dict[Any, Any], name: str) -> bool:
    """Return whether the outer keys of a dict are subtopics and the inner ones documents.

    The dict shows this if a query has several outer names and many more inner names that are no numbers of subtopics.
    Outer names that are numbers of subtopics make it clearer.
    """
    outer = inner = 0
    subtopics: set[str] = set()
    documents: set[str] = set()
    for each in source.values():
        if not all(isinstance(grades, dict) for grades in each.values()):
            return False
        documents_of_query = {str(document) for grades in each.values() for document in grades}
        outer, inner = outer + len(each), inner + len(documents_of_query)
        subtopics.update(map(str, each))
        documents |= documents_of_query
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
        SubtopicsWarning,
    )
    return False


def judging_rounds(collection: Collection, column: str) -> str:
    """That a column holds no subtopics, in words: ``Q0``, or half rounds of judging such as TREC-COVID's 4.5; else ''.

    Rounds are numbers with and without ``.5``, and no document of a query has two.
    """
    values = {*collection.subtopic[1].array.to_pylist()}
    if values <= {'0', 'Q0', 'q0'} and values != {'0'} and values:
        return f'found {column!r}, which holds {", ".join(sorted(values))} and no subtopics'
    half = sorted(value for value in values if value.endswith('.5'))
    if not half or not all(re.fullmatch(r'\d+(\.[05])?', value) for value in values):
        return ''
    if collection.n_pairs < len(collection.row_pair):
        return ''
    return (
        f'found {column!r}, which holds rounds of judging ({half[0]}, …) and no subtopics; a column subtopic_id of '
        f'other values would'
    )
