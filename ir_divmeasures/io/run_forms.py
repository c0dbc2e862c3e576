"""Lines of run files: TREC's, TREC Dynamic Domain's by iterations, and EvALL's, two columns in the ranking's order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import did_you_mean
from ..lazy import pd
from . import frames as tables
from . import text as textfiles
from .text_columns import REPEATED, as_frame

COLUMNS = ('query_id', 'doc_id', 'score')
SHAPE = textfiles.Shape(('query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag'), ('score',))
"""A line of a TREC run."""
DD = textfiles.Shape(
    ('query_id', 'iteration', 'doc_id', 'score', 'on_topic', 'feedback'),
    ('iteration', 'score', 'on_topic'),
)
"""A line of a TREC Dynamic Domain run; the feedback may be absent."""

SAMPLE = 200
"""The number of lines that are used to recognize the form of a file."""
SIGNS = {
    'dd': re.compile(
        r'\S+\s+\d+\s+\S+\s+[-+.\d]\S*\s+[01](\s+(NULL|[^\s|]+:-?\d+(\|[^\s|]+:-?\d+)*))?', re.ASCII
    ),
    'evall': re.compile(r'\S+\s+\S+', re.ASCII),
}
"""What all lines of a form of run files look like; a file that looks like none of them is ``'trec'``."""

RUN_COLUMNS: dict[str, tuple[Callable[[NDArray[Any]], NDArray[np.bool_]], str]] = {
    'length': (lambda x: (x >= 0) & (x < np.inf), 'a number of at least 0'),
    'cost': (lambda x: (x > 0) & (x < np.inf), 'a number above 0'),
    'iteration': (
        lambda x: (x >= 1) & (x == np.floor(x)) & (x < np.inf),
        'a whole number of at least 1',
    ),
}
"""Further columns of runs, a number for each retrieved document: which values are valid, and that in words. They are
kept, and checked when a measure needs them."""
OPTIONAL, WITH_GAPS = ('cost', 'iteration'), ('cost',)
"""The further columns that a run may lack, and those of which it may lack values."""

EXACT = 2.0**53
"""The number up to which floats represent every whole number exactly."""


def form_of(data: bytes, form: str | None) -> str:
    """The form that is named, or that the content shows: a form of lines, or one of :data:`tables.FORMS`."""
    names = ('trec', *SIGNS)
    if form is not None and form not in names:
        raise ValueError(
            f'format={form!r}: expected one of {", ".join(names)}{did_you_mean(form, names)}'
        )
    form = form or tables.recognize(data)
    signs = {} if form else SIGNS
    for n in (1, SAMPLE):
        lines = textfiles.first_lines(data, n) if signs else []
        signs = {
            name: sign
            for name, sign in signs.items()
            if lines and all(sign.fullmatch(line.strip()) for line in lines)
        }
    return form or next(iter(signs), 'trec')


def by_iterations(data: bytes, path: str) -> pd.DataFrame:
    """A run of TREC Dynamic Domain: iteration, score descending, then the file's order make the ranking."""
    lines = [
        line + b' NULL' if len(line.split()) == 5 else line  # without feedback
        for line in data.splitlines()
    ]
    data = b'\n'.join(lines)
    columns = textfiles.split_columns(data, path, DD.names, [*DD.names[:5]], DD.numeric)
    iteration, on_topic = columns['iteration'], columns.pop('on_topic')
    for name, values, valid, expected in (
        (
            'iteration',
            iteration,
            RUN_COLUMNS['iteration'][0](iteration + 1),
            'a whole number of at least 0',
        ),
        ('on_topic', on_topic, np.isin(on_topic, (0, 1)), '0 or 1'),
    ):
        for row in np.flatnonzero(~valid)[:1]:
            raise ValueError(
                f'{path}, line {textfiles.line_of(data, row, DD)}: {name} is {values[row]:g}, expected {expected}'
            )
    table = as_frame({**columns, 'iteration': iteration.astype(np.int64) + 1})
    ordered = table.sort_values(['iteration', 'score'], ascending=[True, False], kind='stable')
    again = ordered.groupby(['query_id', 'doc_id'], sort=False).cumcount()
    suffix = again.map(lambda n: REPEATED + str(n) * (n > 1) if n else '')
    return table.assign(score=_places(ordered), doc_id=table['doc_id'] + suffix)


def by_places(data: bytes, path: str) -> pd.DataFrame:
    """A run of EvALL: the file's order is the ranking."""
    names = list(COLUMNS[:2])
    tabs_only = b'\t' in data
    table = as_frame(
        textfiles.split_columns(data, path, names, names, tabs_only=tabs_only, quoted=True)
    )
    return table.assign(score=_places(table))


def _places(table: pd.DataFrame) -> pd.Series:
    """Scores that fall from row to row in each query, down to 1."""
    by_query = table.groupby('query_id', sort=False)['doc_id']
    return (by_query.transform('size') - by_query.cumcount()).astype(float)


def in_order(values: NDArray[Any]) -> NDArray[np.float64]:
    """Scores as floats in the order of exact numbers.

    Floats do not tell all whole numbers above 2^53 apart. Scores some of which would become equal are replaced by their
    places among the distinct scores of the run, from 0.

    Args:
        values: numbers of any type, none of them NaN, (rows,).
    """
    floats: NDArray[np.float64] = values.astype(float)
    if values.dtype.kind == 'O':
        large = not {*map(type, values.tolist())} <= {float, int, bool}
    else:
        large = values.dtype.itemsize > 8
    if not large and (values.dtype.kind == 'f' or not np.any(np.abs(floats) >= EXACT)):
        return floats
    try:
        distinct, place = np.unique(values, return_inverse=True)
    except TypeError:  # types that cannot be compared with each other
        return floats
    return floats if len(np.unique(floats)) == len(distinct) else place.reshape(-1).astype(float)


__all__ = [
    'COLUMNS',
    'EXACT',
    'OPTIONAL',
    'RUN_COLUMNS',
    'SHAPE',
    'SIGNS',
    'WITH_GAPS',
    'by_iterations',
    'by_places',
    'form_of',
    'in_order',
]
