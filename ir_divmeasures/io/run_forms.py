"""Forms of run files beside TREC's: TREC Dynamic Domain's, by iterations, and EvALL's, two columns in ranking order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import did_you_mean
from . import text

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 200
"""The number of lines that are used to recognize the form of a file."""

REPEATED = '_dup'
"""The suffix of a document that a topic retrieves again."""

DD = tuple(
    text.Shape(fields, ('iteration', 'score', 'on_topic'))
    for fields in (
        ('query_id', 'iteration', 'doc_id', 'score', 'on_topic'),
        ('query_id', 'iteration', 'doc_id', 'score', 'on_topic', 'feedback'),
    )
)
"""The lines of a TREC Dynamic Domain run; the feedback may be absent."""

EVALL = text.Shape(('query_id', 'doc_id'))
"""A line of a run of EvALL."""

_FEEDBACK = re.compile(r'NULL|[^\s|]+:-?\d+(\|[^\s|]+:-?\d+)*')


@dataclass(frozen=True)
class RunForm:
    """A form of run files.

    Attributes:
        name: what ``format=`` calls it.
        says: a line in words.
        sniff: whether some lines, each split into fields, look like this form.
        parse: the file's bytes and its path → a run, rows as in the file.
    """

    name: str
    says: str
    sniff: Callable[[list[list[str]]], bool]
    parse: Callable[[bytes, str], pd.DataFrame]


def _is_dd(lines: list[list[str]]) -> bool:
    return all(
        len(line) in (5, 6)
        and line[1].isascii()
        and line[1].isdigit()
        and text.number(line[3]) is not None
        and line[4] in ('0', '1')
        and (len(line) == 5 or _FEEDBACK.fullmatch(line[5]))
        for line in lines
    )


def _is_evall(lines: list[list[str]]) -> bool:
    return all(len(line) == 2 for line in lines)


def _parse_dd(data: bytes, path: str) -> pd.DataFrame:
    """Iteration, score descending, then the file's order decide; the scores are rewritten so that they say so."""
    import pandas as pd

    query, document, iteration, score = [], [], [], []
    for at, line in _lines(data, path, *DD):
        fields = line.split()
        if len(fields) not in (5, 6):
            raise ValueError(
                f'{path}, line {at}: expected 5 or 6 fields (query_id iteration doc_id score on_topic '
                f'feedback), found {len(fields)}: {line.strip()[:120]!r}'
            )
        number = text.number(fields[3])
        if not (fields[1].isascii() and fields[1].isdigit()):
            raise ValueError(
                f'{path}, line {at}: iteration is {fields[1]!r}, expected a whole number of at least 0'
            )
        if number is None:
            raise ValueError(f'{path}, line {at}: score is {fields[3]!r}, expected a number')
        if fields[4] not in ('0', '1'):
            raise ValueError(
                f'{path}, line {at}: the on-topic flag is {fields[4]!r}, expected 0 or 1'
            )
        query.append(fields[0])
        document.append(fields[2])
        iteration.append(int(fields[1]) + 1)
        score.append(number)
    table = pd.DataFrame(
        {
            'query_id': query,
            'doc_id': document,
            'score': np.asarray(score, dtype=float),
            'iteration': np.asarray(iteration, dtype=np.int64),
        }
    )
    ordered = table.sort_values(['iteration', 'score'], ascending=[True, False], kind='stable')
    by_query = ordered.groupby('query_id', sort=False)
    table['score'] = (by_query['doc_id'].transform('size') - by_query.cumcount()).astype(float)
    again = ordered.groupby(['query_id', 'doc_id'], sort=False).cumcount()
    table['doc_id'] += again.map(lambda n: REPEATED + str(n) * (n > 1) if n else '')
    return table


def _parse_evall(data: bytes, path: str) -> pd.DataFrame:
    import pandas as pd

    query, document = [], []
    for at, line in _lines(data, path, EVALL):
        fields = [
            field.strip().strip('"')
            for field in (line.split('\t') if '\t' in line else line.split())
        ]
        if len(fields) != 2 or not all(fields):
            raise ValueError(
                f'{path}, line {at}: expected 2 fields (query_id doc_id), found '
                f'{len([f for f in fields if f])}: {line.strip()[:120]!r}'
            )
        query.append(fields[0])
        document.append(fields[1])
    table = pd.DataFrame({'query_id': query, 'doc_id': document})
    by_query = table.groupby('query_id', sort=False)['doc_id']
    return table.assign(score=(by_query.transform('size') - by_query.cumcount()).astype(float))


def _lines(data: bytes, path: str, *shapes: text.Shape) -> list[tuple[int, str]]:
    lines = []
    for at, raw in text.content(data, *shapes):
        try:
            lines.append((at, raw.decode('utf-8')))
        except UnicodeDecodeError as error:
            raise ValueError(f'{path}, line {at}: not UTF-8 text ({error})') from None
    return lines


RUN_FORMS: dict[str, RunForm] = {
    form.name: form
    for form in (
        RunForm(
            'dd',
            'TREC Dynamic Domain: query iteration doc score on-topic feedback',
            _is_dd,
            _parse_dd,
        ),
        RunForm('evall', 'EvALL: query doc, in the order of the ranking', _is_evall, _parse_evall),
    )
}
"""The forms by name; a file that looks like none of them is ``'trec'``."""


def form_of(data: bytes, name: str | None) -> RunForm | None:
    """The form that is named, or that some lines of a file look like; None for TREC's.

    Raises:
        ValueError: no such form.
    """
    if name is not None:
        names = ['trec', *RUN_FORMS]
        if name not in names:
            raise ValueError(
                f'format={name!r}: expected one of {", ".join(names)}{did_you_mean(name, names)}'
            )
        return RUN_FORMS.get(name)
    first = [line.split() for line in text.first_lines(data, 1)]
    forms = [form for form in RUN_FORMS.values() if first and form.sniff(first)]
    lines = [line.split() for line in text.first_lines(data, SAMPLE)] if forms else []
    return next((form for form in forms if form.sniff(lines)), None)


__all__ = ['RUN_FORMS', 'RunForm', 'form_of']
