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
from .columns import check_valid, numbers
from .frames import SYSTEM_COLUMNS
from .text_columns import REPEATED, as_frame, first_repetition

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
    'msmarco': re.compile(r'\S+\s+\S+\s+[1-9]\d*', re.ASCII),
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

MOST_SYSTEMS = 1000
"""A column with more values names something else, such as the titles of documents."""

SAID = ('rank', 'tag')
"""Columns of a run that no score depends on, such as its own ranks. Checks compare the scores with them."""

READ = {
    *(written for name in COLUMNS for written in tables.NAMES[name]),
    *RUN_COLUMNS,
    *SAID,
    *SYSTEM_COLUMNS,
}
"""Columns of a table that are read, under all of their names."""

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
    lines = [] if form else [line.strip() for line in textfiles.first_lines(data, SAMPLE)]
    for name, sign in SIGNS.items() if lines else ():
        if all(map(sign.fullmatch, lines)):
            return name
    return form or 'trec'


def names_systems(table: pd.DataFrame, name: str) -> bool:
    """Whether a column names the systems of a table of runs, which then has a ranking for each query and value.

    It does if it is constant, or if no document is in one of these rankings twice and it is constant within each
    ranking of the table. If the table has a document twice for a query, it has several rankings for it. Otherwise, a
    ranking is recognized from the rows: its rows follow each other, and more rows have the value of the row before them than
    another value at no higher a score. A title or a kind of document changes within a ranking.
    """
    value, names = pd.factorize(table[name].astype(str))
    if len(names) == 1 or len(names) > MOST_SYSTEMS:
        return len(names) == 1
    query, document = (pd.factorize(table[each].astype(str)) for each in COLUMNS[:2])
    pair = query[0] * len(document[1]) + document[0]
    if first_repetition(pair) is not None:
        return first_repetition(pair * len(names) + value) is None
    group = query[0] * len(names) + value
    order = np.argsort(query[0], kind='stable')
    n_stretches = 1 + np.count_nonzero(np.diff(group[order]))
    if n_stretches > len(np.unique(group)):
        return False
    same, score = np.diff(query[0]) == 0, numbers(table['score'])
    kept = same & (np.diff(value) == 0)
    return bool(np.sum(same & ~kept & ~(np.diff(score) > 0)) <= np.sum(kept))


def by_iterations(data: bytes, path: str) -> pd.DataFrame:
    """A run of TREC Dynamic Domain: iteration, score descending, then the file's order make the ranking."""
    lines = [
        line + b' NULL' if len(line.split()) == 5 else line  # without feedback
        for line in data.splitlines()
    ]
    data = b'\n'.join(lines)
    columns = textfiles.split_columns(data, path, DD.names, [*DD.names[:5]], DD.numeric)
    iteration, on_topic = columns['iteration'], columns.pop('on_topic')
    is_whole, _ = RUN_COLUMNS['iteration']
    for name, valid, expected in (
        ('iteration', is_whole(iteration + 1), 'a whole number of at least 0'),
        ('on_topic', np.isin(on_topic, (0, 1)), '0 or 1'),
    ):
        for row in np.flatnonzero(~valid)[:1]:
            value = {'iteration': iteration, 'on_topic': on_topic}[name][row]
            raise ValueError(
                f'{path}, line {textfiles.line_of(data, row, DD)}: {name} is {value:g}, expected {expected}'
            )
    table = as_frame({**columns, 'iteration': iteration.astype(np.int64) + 1})
    ordered = table.sort_values(['iteration', 'score'], ascending=[True, False], kind='stable')
    again = ordered.groupby(['query_id', 'doc_id'], sort=False).cumcount()
    suffix = again.map(lambda n: REPEATED + str(n) * (n > 1) if n else '')
    return table.assign(score=_places(ordered), doc_id=table['doc_id'] + suffix)


def by_places(data: bytes, path: str) -> pd.DataFrame:
    """A run of EvALL: the file's order is the ranking."""
    names = list(COLUMNS[:2])
    table = as_frame(textfiles.split_columns(data, path, names, names, (), b'\t' in data, True))
    return table.assign(score=_places(table))


def by_ranks(data: bytes, path: str, named: bool) -> pd.DataFrame:
    """A run of MS MARCO: query, document and rank.

    Args:
        named: whether the form is named. Otherwise the ranks of each query must be distinct and begin with 1.
    """
    names = [*COLUMNS[:2], 'rank']
    table = as_frame(textfiles.split_columns(data, path, names, names, ('rank',)))
    rank = table.pop('rank')
    first = rank.groupby(table['query_id']).transform('min')
    if not named and ((first != 1).any() or table.assign(rank=rank).duplicated(names[::2]).any()):
        raise ValueError(
            f"{path}: three columns, the last of which are no ranks from 1. read_runs takes them as ranks as the "
            f"format 'msmarco'; scores need a header (query_id doc_id score)"
        )
    return table.assign(score=rank.max() + 1 - rank)


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


def by_system(source: Any) -> dict[str, Any] | None:
    """The rows of each system of a table, by the first of its columns that names systems (see
    :func:`names_systems`); None if none does.

    Raises:
        ValueError: a row has no value in this column.
    """
    if not tables.is_frame(source):
        return None
    tables.check_columns(source.columns, 'runs', READ)
    table = tables.renamed(source, *COLUMNS)
    if not set(COLUMNS) <= set(table.columns):
        return None
    for column in SYSTEM_COLUMNS:
        if column not in table.columns:
            continue
        if not len(table):
            return {}
        is_empty = table[column].isna() | (table[column].astype(str) == '')
        if is_empty.all() or not names_systems(table, column):
            continue
        if is_empty.any():
            raise ValueError(f'runs: row {int(np.argmax(is_empty))} has no {column}')
        groups = source.groupby(source[column].astype(str).to_numpy(), sort=False)
        return {name: run.reset_index(drop=True) for name, run in groups}
    return None


def column_values(
    run: pd.DataFrame, name: str, requester: Any = 'run'
) -> NDArray[np.float64] | None:
    """The values of a further column of a run, checked; None where it is optional and not there."""
    if name not in run.columns:
        if name in OPTIONAL:
            return None
        raise ValueError(
            f'{requester} needs a run with a column {name!r} (found {", ".join(map(str, run.columns))})'
        )
    admits, expected = RUN_COLUMNS[name]
    values = numbers(run[name])
    admitted = admits(values)
    if name in WITH_GAPS:
        admitted |= np.asarray(run[name].isna(), dtype=bool)
    check_valid(admitted, run, name, expected, *COLUMNS[:2])
    return values


def scores_of(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The score column as float64; NaN and text are errors that name query and document."""
    column = frame['score']
    values = numbers(column)
    check_valid(~np.isnan(values), frame, 'score', 'a number', *COLUMNS[:2])
    exact = column.dtype.kind in 'iuO' or column.dtype.itemsize > 8
    return in_order(column.to_numpy()) if exact else values
