"""Tables of runs and judgments in memory, and their columns."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import did_you_mean
from ..lazy import pa, pd
from . import text
from .columns import check_cells, is_text
from .text_columns import Texts, values_of

NAMES = {
    'query_id': ('query_id', 'qid', 'query-id', 'query'),
    'doc_id': ('doc_id', 'docno', 'docid', 'corpus-id'),
    'relevance': ('relevance', 'label'),
    'score': ('score',),
}
"""The names of each column in this package and ir_measures, PyTerrier and BEIR. The first one in a table counts."""

SYSTEM_COLUMNS = ('system', 'run', 'tag', 'model', 'name', 'run_id')
"""Columns that may name the system of each row in a table of runs."""

TEXTS = {*NAMES['query_id'], *NAMES['doc_id'], 'iteration', 'subtopic_id', *SYSTEM_COLUMNS}
"""Columns of ids: texts, whatever they look like."""

IDS = {*NAMES['query_id'], *NAMES['doc_id']} - {'query'}
"""Columns, at least one of which is in each header."""


def no_column(where: str, name: str, columns: Iterable[Any]) -> ValueError:
    """The error that a table lacks a column: its columns, which of them nothing reads, what it may be called."""
    names = list(map(str, columns))
    known = {each for every in NAMES.values() for each in every} | TEXTS
    unknown = [each for each in names if each not in known and is_text(each) is None]
    others = ' or '.join(map(repr, NAMES.get(name, ())[1:]))
    return ValueError(
        f'{where}: no column {name!r} (found {", ".join(names)})'
        + (f'; it may also be called {others}' if others else '')
        + (
            f'; if it is {unknown[0]!r}, rename that column'
            if len(unknown) == 1
            else did_you_mean(name, names, list_known=False)
        )
    )


def _new_names(present: Iterable[Any], kinds: Iterable[str]) -> dict[str, str]:
    """Our names of the columns of these kinds that a table calls otherwise."""
    present, new_names = {*present}, {}
    for kind in kinds:
        old = next((name for name in NAMES[kind] if name in present), kind)
        if old != kind:
            new_names[old] = kind
    known = {*present, *new_names.values()}
    if 'corpus-id' in new_names and 'relevance' in kinds and 'relevance' not in known:
        new_names['score'] = 'relevance'  # as BEIR calls it
    return new_names


def renamed(table: pd.DataFrame, *kinds: str) -> pd.DataFrame:
    """A table whose columns of these kinds have our names."""
    return table.rename(columns=_new_names(table.columns, kinds))


# -------------------------------------------------------------------------------------------------- in memory


def columns_of(
    source: Any, kinds: Sequence[str], where: str, read: Iterable[str] | None = None
) -> dict[str, Any] | None:
    """The columns of a table in memory by name; None of anything else.

    Args:
        source: a DataFrame, a dict ``{query: {document: value}}``, or a list of namedtuples of the same fields.
        kinds: the columns that get our names: those of queries, documents and values.
        where: what messages call the table.
        read: the columns that are read; None for all.

    Returns:
        Texts, arrays or Series with rows from 0.
    """
    if is_frame(source):
        check_columns(source.columns, where, read)
        if not source.index.equals(pd.RangeIndex(len(source))):
            source = source.reset_index(drop=True)
        columns: dict[Any, Any] = dict(source.items())  # of two columns of one name none is read
        new_names = _new_names(columns, kinds)
        return {
            new_names.get(name, name): column
            for name, column in columns.items()
            if read is None or name in read
        }
    if isinstance(source, Mapping):
        sizes = [len(documents) for documents in source.values()]
        documents = list(itertools.chain.from_iterable(source.values()))
        values = list(itertools.chain.from_iterable(of.values() for of in source.values()))
        query = column([*source])
        if isinstance(query, Texts):
            query = query.take(np.repeat(np.arange(len(sizes)), sizes))
        else:
            query = column([query for query, n in zip(source, sizes) for _ in range(n)])
        return dict(zip(kinds, (query, column(documents), column(values))))
    fields = {getattr(kind, '_fields', None) for kind in {*map(type, source)}}
    of_row = fields.pop() if len(fields) == 1 else None
    return None if of_row is None else of_rows(source, *of_row)


def of_rows(rows: Sequence[Sequence[Any]], *names: str) -> dict[str, Any]:
    """The columns of rows by name."""
    return dict(zip(names, map(column, zip(*rows) if rows else ((),) * len(names))))


def column(values: Sequence[Any]) -> Any:
    """Values as :class:`Texts` or an array, if all are texts or numbers, otherwise as a Series."""
    with contextlib.suppress(ValueError, OverflowError, pa.ArrowException):
        if 'pandas' in sys.modules:  # which pa.array imports; four times faster than the other way
            array = pa.array(values)
            if not array.null_count and array.type == pa.string():
                return Texts.of(array)
            if not array.null_count and array.type in (pa.int64(), pa.float64()):
                return values_of(array)
        elif (kinds := {*map(type, values)}) == {str}:
            return Texts.of_strings(values)
        elif kinds <= {int, float}:
            numbers = np.array(values)
            if numbers.dtype.kind == ('f' if float in kinds else 'i'):
                return numbers
    return pd.Series(list(values))


def to_pandas(table: Any, name: str) -> pd.DataFrame:
    """An Arrow table as a DataFrame; two columns of one name are an error."""
    check_columns(table.column_names, name)
    return table.to_pandas()


def ids(frame: Any, column: str, name: str) -> Any:
    """A column of ids as strings, Texts or a Series.

    Raises:
        ValueError: a missing id, or several in a cell.
    """
    values = frame[column]
    if isinstance(values, Texts):
        return values
    if isinstance(values, np.ndarray):
        values = pd.Series(values)
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=False) == 'string':
        return values
    if isinstance(values.dtype, pd.StringDtype):
        texts = Texts.of(values.array)
        if not texts.array.null_count:
            return texts
    check_cells(values, column, name)
    if values.isna().any():
        raise ValueError(f'{name}: row {int(np.flatnonzero(values.isna())[0])} has no {column}')
    return pd.Series([str(value) for value in values], index=values.index, dtype=object)


def is_frame(value: Any) -> bool:
    """Whether a value is a DataFrame; does not import pandas."""
    pandas = sys.modules.get('pandas')
    return pandas is not None and isinstance(value, pandas.DataFrame)


def check_columns(columns: Iterable[Any], name: str, read: Iterable[str] | None = None) -> None:
    """Raise an error that names the column if two columns have the same name: of those that are read, or of all."""
    names = list(columns)
    twice = text.first_twice(each for each in names if read is None or each in read)
    if twice is not None:
        raise ValueError(
            f'{name}: has the column {twice!r} twice (found {", ".join(map(str, names))})'
        )
