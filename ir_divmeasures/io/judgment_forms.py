"""Forms of judgment files, each declared once: fields, how to tell it, how to read and write it.

To add a form of lines of fields, add a :class:`Format` to :data:`FORMATS`; one of another shape states ``parse``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import did_you_mean
from ..lazy import pd
from . import frames as tables
from . import text
from .columns import KEYS, is_text
from .text_columns import as_frame

PASSAGES = ('sum', 'log', 'max')
SAMPLE = 200
"""The number of lines that are used to recognize the form of a file."""


@dataclass(frozen=True)
class Format:
    """A form of judgment files.

    Attributes:
        name: what ``format=`` calls it.
        says: a line in words.
        fields: the fields of a line, as columns of the judgments. Other fields are skipped.
        sniff: whether some lines, each split into fields, look like this form.
        tabs_only: fields are separated by tabs, not by other white space.
        quoted: quotation marks around fields are removed.
        grade: a function from the text of a grade to a number, None for other texts. Without it, the text is a number.
        grade_expected: the valid grades, in words.
        parse: reads the whole file in place of all this: a table whose columns have names, or a nested dict.
        writes: whether :func:`write` writes it.
    """

    name: str
    says: str
    fields: tuple[str, ...] = ()
    sniff: Callable[[list[list[str]]], bool] = lambda lines: False
    tabs_only: bool = False
    quoted: bool = False
    grade: Callable[[str], float | None] | None = None
    grade_expected: str = 'a number'
    parse: Callable[[bytes, str], Any] | None = None
    writes: bool = False


def _level(grade: str) -> float | None:
    return float(grade[1:]) if re.fullmatch('L[0-9]{1,3}', grade) else None


def _is_ntcir(lines: list[list[str]]) -> bool:
    return len(lines[0]) == 4 and lines[0][3][:1] == 'L' and lines[0][3][1:].isdigit()


def _is_evall(lines: list[list[str]]) -> bool:
    """Quoted fields; or small grades in the third field, decimal weights of at most 1 in the fifth, and documents or
    aspects with names: numbers everywhere may also be a subtopic, a document and its grade."""
    if not all(len(line) == 5 for line in lines) or _is_dd(lines):
        return len(lines[0]) == 5 and lines[0][0].startswith('"')
    if lines[0][0].startswith('"'):
        return True
    grades, weights = ([text.number(line[place]) for line in lines] for place in (2, 4))
    named = any(text.number(line[place]) is None for line in lines for place in (1, 3))
    return (
        named
        and '.' in lines[0][4]
        and all(grade is not None and abs(grade) <= 100 for grade in grades)
        and all(weight is not None and 0 <= weight <= 1 for weight in weights)
    )


def _is_dd(lines: list[list[str]]) -> bool:
    """Subtopics that begin with the name of their query, as DD16-1.3 of DD16-1. Without that, the fields may also be a
    document, its grade and something else."""
    return all(
        len(line) == 5 and line[1].startswith(f'{line[0]}.') and text.number(line[4]) is not None
        for line in lines
    )


def _parse_nuggets(data: bytes, path: str) -> Any:
    from . import json_forms

    return json_forms.parse(data, path)


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format(
            'trec',
            'query subtopic doc grade',
            ('query_id', 'subtopic_id', 'doc_id', 'relevance'),
            writes=True,
        ),
        Format(
            'evall',
            'query doc grade aspect weight, separated by tabs, quoted or not',
            ('query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight'),
            _is_evall,
            tabs_only=True,
            quoted=True,
            writes=True,
        ),
        Format(
            'ntcir',
            'query intent doc grade, the grade as L0, L1, …',
            ('query_id', 'subtopic_id', 'doc_id', 'relevance'),
            _is_ntcir,
            grade=_level,
            grade_expected='L0, L1, … L999',
        ),
        Format(
            'dd',
            'TREC Dynamic Domain passages: query subtopic doc passage rating',
            ('query_id', 'subtopic_id', 'doc_id', 'passage_id', 'relevance'),
            _is_dd,
        ),
        Format(
            'tsv',
            'a header names the columns, separated by tabs; what write_qrels writes',
            KEYS,
            tabs_only=True,
            parse=tables.FORMS['tsv'],
            writes=True,
        ),
        Format(
            'csv',
            'a header names the columns, separated by commas',
            KEYS,
            parse=tables.FORMS['csv'],
        ),
        Format('parquet', 'a table with named columns', KEYS, parse=tables.FORMS['parquet']),
        Format(
            'json',
            'a nested object {query: {doc: grade}}, a list of records, or a record a line',
            KEYS,
            parse=tables.FORMS['json'],
        ),
        Format(
            'nuggets',
            'JSON files of nugget evaluation, in any form that read_nuggets tells',
            parse=_parse_nuggets,
        ),
    )
}
"""Every form by name; a file that looks like none of the others is ``'trec'``."""


def check_format(name: str | None, passages: str) -> None:
    """Raise unless a form is known (or None), and a way to combine passages.

    Raises:
        ValueError: lists the known ones.
    """
    for option, value, known in (
        ('format', FORMATS['trec'].name if name is None else name, FORMATS),
        ('passages', passages, PASSAGES),
    ):
        if value not in known:
            raise ValueError(
                f'{option}={value!r}: expected one of {", ".join(known)}'
                + did_you_mean(value, known, list_known=False)
            )


class Rows(NamedTuple):
    """The judgments of a file of lines.

    Attributes:
        columns: the columns by name.
        line_of: a function that gives the line of a row.
    """

    columns: dict[str, Any]
    line_of: Callable[[int], int]


def read(source: str | tables.Content, name: str | None = None, passages: str = 'sum') -> Any:
    """A file of judgments as :class:`Rows` or a table (JSON also as a nested dict), in the form named, or recognized from
    its content.

    Raises:
        ValueError: an empty file, a form that cannot be told, an unreadable line; names the file and the line.
    """
    data, path = source if isinstance(source, tables.Content) else (text.read_bytes(source), source)
    text.check_kind(data, path)
    form_name = name or tables.recognize(data)
    if form_name == 'json' and name is None:
        from . import json_forms

        form_name = 'nuggets' if json_forms.has_nuggets(data, path) else form_name
    lines = text.first_lines(data, SAMPLE)
    if not lines:
        raise ValueError(f'{path}: holds no judgments')
    form = FORMATS[form_name or _recognize(lines, path)]
    if form.parse is not None:
        return form.parse(data, path)
    keep = [field for field in form.fields if is_text(field) is not None]
    numeric = tuple(
        field
        for field in keep
        if is_text(field) is False and not (form.grade and field == 'relevance')
    )
    shape = text.Shape(form.fields, numeric, form.tabs_only, form.quoted)
    columns = text.split_columns(data, path, form.fields, keep, *shape[1:])
    line_of = functools.partial(text.line_of, data, shape=shape)
    if form.grade is not None:
        code, texts = columns['relevance'].codes()
        grades = [form.grade(grade) for grade in texts.array.to_pylist()]
        if None in grades:
            wrong = grades.index(None)
            raise ValueError(
                f'{path}, line {line_of(int(np.argmax(code == wrong)))}: grade is '
                f'{texts.array[wrong].as_py()!r}, expected {form.grade_expected}'
            )
        columns['relevance'] = np.array(grades, dtype=float)[code]
    if form.name == 'dd':
        keys = [field for field in keep if field != 'relevance']
        return _of_passages(as_frame(columns), keys, passages)
    return Rows(columns, line_of)


def _of_passages(table: pd.DataFrame, keys: list[str], method: str) -> pd.DataFrame:
    """One grade for a document and subtopic from its passages' ratings: 0 counts as 1, negative ones are left out."""
    table = table[table['relevance'] >= 0]
    table = table.assign(relevance=table['relevance'].where(table['relevance'] != 0, 1.0))
    if method == 'log':  # the j-th best rating over log2(j + 1)
        best = table.sort_values('relevance', ascending=False, kind='stable')
        place = best.groupby(keys, sort=False).cumcount()
        table = table.assign(relevance=best['relevance'] / np.log2(place + 2))
    return table.groupby(keys, sort=False, as_index=False)['relevance'].agg(
        'max' if method == 'max' else 'sum'
    )


def _recognize(lines: list[str], path: str) -> str:
    split = [line.split('\t') if line.count('\t') >= 4 else text.fields(line) for line in lines]
    matching = [form.name for form in FORMATS.values() if form.sniff(split)]
    if len(matching) == 1:
        return matching[0]
    if len(split[0]) == 5:
        raise ValueError(
            f"{path}: 5 columns, which may be EvALL's (query doc grade aspect weight), TREC Dynamic "
            f"Domain's (query subtopic doc passage rating) or others; give format='evall' or format='dd', "
            f"or leave out the column that does not belong to judgments (query subtopic doc grade)"
        )
    return 'trec'


def write(table: pd.DataFrame, path: str, name: str | None, overwrite: bool) -> None:
    """Write judgments in standard form to a file.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: the form cannot hold the table's columns or values.
    """
    further = [column for column in table.columns if column not in KEYS]
    form = FORMATS.get(name or ('tsv' if further else 'trec'))
    if form is None or not form.writes:
        writable = ', '.join(repr(each.name) for each in FORMATS.values() if each.writes)
        raise ValueError(f'format={name!r}: expected one of {writable}')
    columns = [*form.fields, *further] if form.parse else list(form.fields)
    for lacking, verb in (
        (set(further) - {*columns}, 'would lose'),
        ({*columns} - {*table.columns}, 'needs'),
    ):
        if lacking:
            raise ValueError(
                f"format {form.name!r} {verb} the columns {', '.join(sorted(lacking))}; 'tsv' holds all"
            )
    separator = '\t' if form.tabs_only else ' '
    header = form.parse is not None
    tables.write_table(table, path, columns, form.name, separator, header, overwrite, form.quoted)
