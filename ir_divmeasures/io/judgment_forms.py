"""Forms of judgment files, each declared once: fields, how to tell it, how to read and write it.

To add a form of lines of fields, add a :class:`Format` to :data:`FORMATS`; one of another shape states ``parse``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import did_you_mean
from ..lazy import pd
from . import frames as tables
from . import text
from .columns import KEYS, has_repetitions, is_text, row_key
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
        grade: a function from the text of a grade to a number, which raises ValueError for other texts. With None, the
            text is a number.
        grade_expected: the valid grades, in words.
        passages: several rows may judge passages of one document.
        parse: reads the whole file in place of all this: a table whose columns have names, or a nested dict.
        writes: whether :func:`write` writes it.
    """

    name: str
    says: str
    fields: tuple[str, ...] = ()
    sniff: Callable[[list[list[str]]], bool] = lambda lines: False
    tabs_only: bool = False
    quoted: bool = False
    grade: Callable[[str], float] | None = None
    grade_expected: str = 'a number'
    passages: bool = False
    parse: Callable[[bytes, str], Any] | None = None
    writes: bool = False


def _level(grade: str) -> float:
    if grade[:1] != 'L' or not (grade[1:].isascii() and grade[1:].isdigit()) or len(grade) > 4:
        raise ValueError
    return float(grade[1:])


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
            passages=True,
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
    if name is not None and name not in FORMATS:
        raise ValueError(
            f'format={name!r}: expected one of {", ".join(FORMATS)}{did_you_mean(name, FORMATS)}'
        )
    if passages not in PASSAGES:
        raise ValueError(
            f"passages={passages!r}: expected {', '.join(map(repr, PASSAGES[:-1]))} or {PASSAGES[-1]!r}"
        )


def read(
    source: str | tables.Content,
    name: str | None = None,
    passages: str = 'sum',
    plain: bool = False,
) -> Any:
    """A file of judgments as a table (JSON also as a nested dict), in the form named, or recognized from its content;
    with ``plain`` as :class:`PlainRows` where it is simple.

    Raises:
        ValueError: an empty file, a form that cannot be told, an unreadable line, two grades of one document and
            subtopic; names the file and the line.
    """
    data, path = source if isinstance(source, tables.Content) else (text.read_bytes(source), source)
    if not data.strip():
        raise ValueError(f'{path}: holds no judgments')
    text.check_kind(data, path)
    form_name = name or tables.recognize(data)
    if form_name == 'json' and name is None:
        from . import json_forms

        form_name = 'nuggets' if json_forms.has_nuggets(data, path) else form_name
    if form_name is None:
        lines = text.first_lines(data, SAMPLE)
        if not lines:
            raise ValueError(f'{path}: holds no judgments')
        form_name = _recognize(lines, path).name
    form = FORMATS[form_name]
    if form.parse is not None:
        return form.parse(data, path)
    keep = [field for field in form.fields if field in KEYS or is_text(field) is not None]
    numeric = tuple(
        field
        for field in keep
        if is_text(field) is False and not (form.grade and field == 'relevance')
    )
    columns = text.split_columns(
        data, path, list(form.fields), keep, numeric, form.tabs_only, form.quoted
    )
    shape = text.Shape(form.fields, numeric, form.tabs_only)
    if plain and form.name == 'trec' and _is_plain(columns):
        columns['relevance'] = columns['relevance'].astype(np.int64)
        checked = functools.partial(_checked_table, columns, path, data, shape)
        return PlainRows({name: columns[name] for name in KEYS}, checked)
    if form.grade is not None:
        columns['relevance'] = _grades(form, columns['relevance'], path, data, shape)
    if form.passages:
        keys = [field for field in keep if field != 'relevance']
        return _of_passages(_table(columns, path), keys, passages)
    return _checked_table(columns, path, data, shape)


def _table(columns: dict[str, Any], path: str) -> pd.DataFrame:
    table = as_frame(columns)
    if not len(table):
        raise ValueError(f'{path}: holds no judgments')
    return table


class PlainRows(NamedTuple):
    """Judgments with whole grades, and with subtopics or the subtopic '0' alone.

    Attributes:
        columns: the columns :data:`~ir_divmeasures.io.columns.KEYS`.
        table: a function that gives them as a DataFrame if no two rows contradict each other.
    """

    columns: dict[str, Any]
    table: Callable[[], pd.DataFrame]


def _is_plain(columns: dict[str, Any]) -> bool:
    """Whether the grades are whole numbers, and all subtopics are certainly subtopics."""
    grades = columns['relevance']
    if not len(grades) or not np.all((grades == np.floor(grades)) & (np.abs(grades) < 2**53)):
        return False
    names = columns['subtopic_id'].codes()[1].array.to_pylist()
    return names == ['0'] or not any(name in ('Q0', 'q0') or name.endswith('.5') for name in names)


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


def _recognize(lines: list[str], path: str) -> Format:
    split = [line.split('\t') if line.count('\t') >= 4 else text.fields(line) for line in lines]
    matching = [form for form in FORMATS.values() if form.sniff(split)]
    if len(matching) == 1:
        return matching[0]
    if len(split[0]) == 5:
        raise ValueError(
            f"{path}: 5 columns, which may be EvALL's (query doc grade aspect weight), TREC Dynamic "
            f"Domain's (query subtopic doc passage rating) or others; give format='evall' or format='dd', "
            f"or leave out the column that does not belong to judgments (query subtopic doc grade)"
        )
    return FORMATS['trec']


def _grades(form: Format, written: Any, path: str, data: bytes, shape: text.Shape) -> np.ndarray:
    assert form.grade is not None
    code, texts = written.codes()
    numbers = np.zeros(len(texts))
    for place, grade in enumerate(texts.array.to_pylist()):  # in order of first appearance
        try:
            numbers[place] = form.grade(grade)
        except ValueError:
            row = int(np.flatnonzero(code == place)[0])
            raise ValueError(
                f'{path}, line {text.line_of(data, row, shape)}: grade is {grade!r}, expected '
                f'{form.grade_expected}'
            ) from None
    grades: np.ndarray = numbers[code]
    return grades


def _checked_table(
    columns: dict[str, Any], path: str, data: bytes, shape: text.Shape
) -> pd.DataFrame:
    """The columns of a file as a DataFrame, if no document has two grades for a subtopic."""
    table = _table(columns, path)
    keys = row_key(table)
    if not has_repetitions(table, keys):
        return table
    once = table.drop_duplicates([*keys, 'relevance'])
    unlike = once[once.duplicated(keys)]
    if len(unlike):
        other, row = unlike.iloc[0], int(unlike.index[0])
        raise ValueError(
            f'{path}, line {text.line_of(data, row, shape)}: query {other.query_id!r}, document '
            f'{other.doc_id!r}, subtopic {other.subtopic_id!r} has grade {other.relevance:g} here and '
            f'another above'
        )
    return table


def write(table: pd.DataFrame, path: str, name: str | None, overwrite: bool) -> None:
    """Write judgments in standard form to a file.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: the form cannot hold the table's columns or values.
    """
    further = [column for column in table.columns if column not in KEYS]
    form = FORMATS.get(name or ('tsv' if further else 'trec'))
    if form is None or not form.writes:
        writable = [repr(each.name) for each in FORMATS.values() if each.writes]
        raise ValueError(f'format={name!r}: expected {", ".join(writable[:-1])} or {writable[-1]}')
    columns = [*form.fields, *further] if form.parse else list(form.fields)
    unsupported = [column for column in further if column not in columns]
    missing = [column for column in columns if column not in table.columns]
    if unsupported or missing:
        raise ValueError(
            f'format {form.name!r} '
            + (
                f'would lose the columns {", ".join(unsupported)}'
                if unsupported
                else f'needs the columns {", ".join(missing)}'
            )
            + "; 'tsv' holds all"
        )
    separator = '\t' if form.tabs_only else ' '
    header = form.parse is not None
    tables.write_table(table, path, columns, form.name, separator, header, overwrite, form.quoted)


__all__ = ['FORMATS', 'PASSAGES', 'Format', 'PlainRows', 'check_format', 'read', 'write']
