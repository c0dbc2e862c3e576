"""Judgments in memory as a table with named columns, not checked yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import SubtopicsWarning, warn
from ..io import frames as tables
from ..io.columns import KEYS
from ..io.text_columns import Texts
from ..lazy import pd

PASSAGES = (('start', 'length'), ('span_start', 'span_len'))
"""Columns with the place of a judged passage in its document: ir_datasets' Highwire and TREC Genomics."""

NUMBER = re.compile(r'\d{1,2}')
"""A number of a subtopic."""


def from_dict(source: dict[Any, Any], name: str = 'judgments') -> pd.DataFrame:
    """``{query: {document: grade}}``, ``{query: {document: {subtopic: grade}}}`` or, where it can be told,
    ``{query: {subtopic: {document: grade}}}``."""

    for query, docs in source.items():
        if not isinstance(docs, dict):
            raise TypeError(
                f'{name}: query {query!r}: expected a dict of documents, found {docs!r:.120}'
            )
    if not any(isinstance(grade, dict) for docs in source.values() for grade in docs.values()):
        return tables.of_nested(source, *KEYS[:3])
    subtopics_first = _subtopics_first(source, name)
    rows = []
    for query, docs in source.items():
        for doc, grade in docs.items():
            if not isinstance(grade, dict):
                rows.append((query, doc, grade, '0'))
            elif subtopics_first:
                rows.extend((query, each, g, doc) for each, g in grade.items())
            else:
                rows.extend((query, doc, g, subtopic) for subtopic, g in grade.items())
    return pd.DataFrame(rows, columns=list(KEYS))


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


def of_qrels(rows: list[Any]) -> dict[str, Any] | None:
    """Namedtuples of ir_measures or ir_datasets with texts and whole grades as columns of query, document, grade and
    subtopic; None where they are anything else."""
    fields = getattr(rows[0], '_fields', ()) if rows else ()
    if (
        fields[:3] != KEYS[:3]
        or fields[3:] not in (('iteration',), ('subtopic_id',))
        or len(set(map(type, rows))) > 1
    ):
        return None
    query, document, grade, subtopic = zip(*rows)
    try:
        ids = [Texts.of_strings(each) for each in (query, document, subtopic)]
        return dict(zip(KEYS, (*ids[:2], np.array(grade), ids[2])))
    except (AttributeError, ValueError, OverflowError):
        return None


def from_namedtuples(source: Iterable[Any]) -> pd.DataFrame:
    """Namedtuples of ir_measures or ir_datasets, with all their fields."""

    rows = list(source)
    if not rows:
        return pd.DataFrame(
            {c: pd.Series(dtype=float if c == 'relevance' else object) for c in KEYS}
        )
    fields = getattr(rows[0], '_fields', None)
    if fields is None:
        if all(
            isinstance(row, str) and len(row) == 1 for row in rows
        ):  # ir_measures hands a text on as its letters
            raise TypeError(
                f'judgments: found the text {"".join(rows)!r}; ir_measures takes neither paths nor '
                f'ir_datasets ids, give ir_divmeasures.read_qrels({"".join(rows)!r})'
            )
        raise TypeError(f'judgments: expected namedtuples, found {rows[0]!r}')
    table = tables.of_namedtuples(rows)
    return pd.DataFrame.from_records(rows, columns=list(fields)) if table is None else table


def documents_of_passages(table: pd.DataFrame) -> pd.DataFrame:
    """Judgments of passages as judgments of documents: the highest grade of a document's passages."""
    for place in PASSAGES:
        if {*place, 'query_id', 'doc_id', 'relevance'} <= set(table.columns):
            rest = table.drop(columns=list(place))
            keys = [column for column in rest.columns if column != 'relevance']
            return rest.groupby(keys, sort=False, as_index=False, dropna=False)['relevance'].max()[
                list(rest.columns)
            ]
    return table


def judging_rounds(table: pd.DataFrame, column: str) -> str:
    """That a column holds no subtopics, in words: ``Q0``, or half rounds of judging such as TREC-COVID's 4.5; else ''.

    Rounds are numbers with and without ``.5``, and no document of a query has two.
    """
    values = {str(value) for value in table[column].unique()}
    if values <= {'0', 'Q0', 'q0'} and values != {'0'} and values:
        return f'found {column!r}, which holds {", ".join(sorted(values))} and no subtopics'
    half = sorted(value for value in values if value.endswith('.5'))
    if (
        not half
        or not all(re.fullmatch(r'\d+(\.[05])?', value) for value in values)
        or not {'query_id', 'doc_id'} <= set(table.columns)
        or table.duplicated(['query_id', 'doc_id']).any()
    ):
        return ''
    return (
        f'found {column!r}, which holds rounds of judging ({half[0]}, …) and no subtopics; a column subtopic_id of '
        f'other values would'
    )
