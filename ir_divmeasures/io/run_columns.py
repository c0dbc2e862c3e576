"""The columns of a run: scores, and those that name the systems of a table of several runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..lazy import pd
from . import frames as tables
from .columns import RUN_KEYS, check_valid, numbers, untyped
from .frames import SYSTEM_COLUMNS
from .text_columns import first_repetition

MOST_SYSTEMS = 1000
"""A column with more values names something else, such as the titles of documents."""

READ = {
    *(written for name in RUN_KEYS for written in tables.NAMES[name]),
    *SYSTEM_COLUMNS,
    'rank',
}
"""Columns of a table that are read, under all of their names."""

EXACT = 2.0**53
"""The number up to which floats represent every whole number exactly."""


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
    query, document = (pd.factorize(table[each].astype(str)) for each in RUN_KEYS[:2])
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
    table = tables.renamed(source, *RUN_KEYS)
    if not set(RUN_KEYS) <= set(table.columns):
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


def scores_of(columns: Mapping[str, Any]) -> NDArray[np.float64]:
    """The score column as float64; NaN and text are errors that name query and document."""
    column = untyped(columns['score'])
    values = numbers(column)
    check_valid(~np.isnan(values), columns, 'score', 'a number', *RUN_KEYS[:2])
    if column.dtype.kind not in 'iuO' and column.dtype.itemsize <= 8:
        return values
    return in_order(column if isinstance(column, np.ndarray) else column.to_numpy())
