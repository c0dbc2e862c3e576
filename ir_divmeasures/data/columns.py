"""The further columns of the judgments table, each declared once: what it says, of what, and who adds it.

A column is a fact of an *aspect* (intent weights), of a *document* (its similarities) or part of the *key* of a row (the
layer of a hierarchy). To add one, add a :class:`Column` to :data:`COLUMNS`: reading, checking, writing, the arrays that
measures see and the message "needs a column X, which Y adds" follow from it. Columns that are not declared here travel
with the table untouched.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import packed, pool_ranks
from ..errors import plain, short
from ..lazy import pd
from .ids import NO_DOCUMENT as NO_DOCUMENT
from .ids import as_frame
from .lines import number

KEYS = ('query_id', 'doc_id', 'relevance', 'subtopic_id')
"""The four columns that every judgments table has, in this order."""
RUN_KEYS = ('query_id', 'doc_id', 'score')
"""The columns that every run has."""
IMPORTANCE = ('vital', 'okay')
"""How important an intent (a nugget) is; '' is neither."""


class Column(NamedTuple):
    """A further column of judgments.

    Attributes:
        name: what it is called in the table and in files.
        of: ``'aspect'``, ``'document'`` or ``'key'``: what has one value of it (a key tells rows apart).
        added_by: the functions of the package that add it, as they are called.
        admits: a function of an array of values that returns which are valid. With None, values are only passed on.
        expected: the valid values, in words.
        missing: the value of rows without information; a text if the values are texts, otherwise they are numbers. With
            None, every row must have a value.
        needed_for_relevant: a measure that reads the column needs one for each relevant document.
        array: a function from the table's values to the array that measures see. With None, measures do not see the
            column.
    """

    name: str
    of: str
    added_by: str
    admits: Callable[[NDArray[Any]], NDArray[np.bool_]] | None = None
    expected: str = ''
    missing: Any = None
    needed_for_relevant: bool = False
    array: Callable[[NDArray[Any]], NDArray[Any]] | None = None

    @property
    def text(self) -> bool:
        """Whether values are texts."""
        return isinstance(self.missing, str)


def _each(valid: Callable[[Any], bool]) -> Callable[[NDArray[Any]], NDArray[np.bool_]]:
    """A function of an array of values that returns which are valid, given one that tells it of one value."""
    return lambda values: np.array([*map(functools.cache(valid), values.tolist())], dtype=bool)


def _whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isfinite(values) & (values == np.floor(values))


def _document_number(
    name: str, admits: Callable[[NDArray[Any]], NDArray[np.bool_]], expected: str
) -> Column:
    """A column with a number for each document of a pool."""
    return Column(name, 'document', 'with_rareness', admits, expected, array=np.asarray)


_HIERARCHY = 'build_hierarchy (or data.with_superintents)'

COLUMNS: dict[str, Column] = {
    column.name: column
    for column in (
        Column('layer', 'key', _HIERARCHY, _whole, 'a whole number'),
        Column('parent', 'aspect', _HIERARCHY, missing=''),
        Column(
            'weight',
            'aspect',
            'with_weights',
            lambda w: (w >= 0) & (w < np.inf),
            'a number of at least 0',
            missing=0.0,
            array=np.nan_to_num,
        ),
        Column(
            'importance',
            'aspect',
            'with_intents',
            _each(('', *IMPORTANCE).__contains__),
            "'vital', 'okay' or nothing",
            missing='',
            array=lambda t: t.astype('U5'),
        ),
        Column('text', 'aspect', 'with_intents', missing=''),
        Column('similarity', 'aspect', 'build_hierarchy', missing=np.nan),
        Column('clustering', 'aspect', 'build_hierarchy', missing=''),
        Column(
            'document_similarity',
            'document',
            'with_similarity',
            _each(packed.is_packed),
            'similarities as with_similarity writes them, or nothing',
            missing='',
            needed_for_relevant=True,
            array=np.asarray,
        ),
        _document_number('n_retrieved', lambda n: n >= 0, 'a number of at least 0'),
        _document_number('n_systems', lambda n: n >= 1, 'a number of at least 1'),
        _document_number(
            'pool_depth', lambda k: _whole(k) & (k >= 0), 'a whole number of at least 0'
        ),
        _document_number('newcomer', lambda n: (n == 0) | (n == 1), '0 or 1'),
        Column(
            'pool_ranks',
            'document',
            'with_rareness',
            _each(pool_ranks.is_written),
            'entries group:rank or group.system:rank separated by spaces, or nothing',
            missing='',
            array=pool_ranks.bits,
        ),
    )
}

POOL = ('n_retrieved', 'n_systems', 'pool_depth', 'newcomer', 'pool_ranks')
"""What judgments know of a pool: S_d; S; the depth to which a document counts as retrieved, 0 for any; whether the run
that is scored adds one to S_d where it retrieves the document, S then being counted with that run; and which system
retrieves the document at which rank. The last column may be missing: judgments of counts alone do not have it."""


def declared(names: Any, of: str | None = None) -> list[Column]:
    """The declared columns among those of a table, in the order of declaration; ``of`` one kind only."""
    return [each for each in COLUMNS.values() if each.name in names and of in (None, each.of)]


def aspect_key(table: pd.DataFrame) -> list[str]:
    """The columns that tell one aspect from another: query, layer where there is one, subtopic."""
    return ['query_id', *['layer'] * ('layer' in table), 'subtopic_id']


def layers_of(table: pd.DataFrame) -> str:
    """The layers of a table, in words."""
    return f'layers {", ".join(map(str, sorted(table["layer"].unique())))}'


def row_key(table: pd.DataFrame) -> list[str]:
    """The columns that tell one row from another."""
    return [*aspect_key(table), 'doc_id']


def intent_rows(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows stand for an intent alone, not for a judged document."""
    return np.asarray(table['doc_id'] == NO_DOCUMENT, dtype=bool)


def is_text(name: str) -> bool | None:
    """Whether a column holds text; None where it is not declared."""
    if name in KEYS:
        return name != 'relevance'
    return COLUMNS[name].text if name in COLUMNS else None


def may_be_empty(name: str) -> bool:
    """Whether an empty text says that a row has no value."""
    return name in COLUMNS and COLUMNS[name].missing == ''


def require_columns(requester: Any, names: Iterable[str], columns_present: Iterable[str]) -> None:
    """Raise an error unless the columns that ``requester`` needs are present.

    Raises:
        ValueError: names the column, and the function that adds it.
    """
    columns_present = list(map(str, columns_present))
    for name in names:
        if name not in columns_present:
            adds = (
                f', which ir_divmeasures.{COLUMNS[name].added_by} adds' if name in COLUMNS else ''
            )
            raise ValueError(
                f'{requester} needs judgments with a column {name!r}{adds} (found '
                f'{", ".join(columns_present)})'
            )


IDS = {'query_id': 'query', 'doc_id': 'document', 'subtopic_id': 'subtopic'}
"""Columns of ids, and what messages call them."""


def place_of(row: Any, *keys: str) -> str:
    """The ids of a row in these columns, in the words of messages."""
    return ', '.join(f'{IDS[key]} {short(getattr(row, key))}' for key in keys)


def check_valid(
    valid: NDArray[np.bool_],
    table: pd.DataFrame | Mapping[str, Any],
    column: str,
    expected: str,
    *keys: str,
    name: str = 'run',
    called: str = '',
) -> None:
    """Raise if a value of a column is not valid.

    Args:
        valid: (rows,) which values are.
        expected: the valid values, in words.
        keys: the columns with the ids that the message names.
        name: what messages call the table.
        called: what messages call the column; by default its name.

    Raises:
        ValueError: names the ids of the first such row.
    """
    for place in np.flatnonzero(~valid)[:1]:
        row = as_frame(table).iloc[place]
        raise ValueError(
            f'{name}: {place_of(row, *keys)}: {called or column} is {short(plain(row[column]))}, expected '
            f'{expected}'
        )


def check_documents_have(requester: Any, name: str, rows: pd.DataFrame) -> None:
    """Raise if one of these rows' documents has no value of a column.

    Raises:
        ValueError: lists the first five.
    """
    without = rows[rows[name] == COLUMNS[name].missing].drop_duplicates(['query_id', 'doc_id'])
    if len(without):
        named = ', '.join(
            f'{row.doc_id!r} (query {row.query_id!r})' for row in without.head(5).itertuples()
        )
        raise ValueError(
            f'{requester}: {len(without)} relevant documents have no {name}: {named}'
            f'{" …" if len(without) > 5 else ""}; ir_divmeasures.{COLUMNS[name].added_by} adds it'
        )


# ------------------------------------------------------------------------------------------------ standard form


def standardise(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table with its declared columns in their types, every value checked; ``name`` is what messages call it.

    Raises:
        ValueError: a value that is not right; names query, document and subtopic.
    """
    for column in declared(table):
        if column.admits:
            table[column.name] = checked_values(column, table, name)
    return table


def check_facts(table: pd.DataFrame, lists: NDArray[np.bool_], name: str) -> None:
    """Raise if an aspect, a document or a query has several values of a column, a listed aspect no weight, or counts of
    systems contradict each other; names query, and subtopic or document.

    Args:
        lists: (rows,) which rows list their aspect.
        name: what messages call the table.
    """
    keys = {'aspect': aspect_key(table), 'document': ['query_id', 'doc_id']}
    facts = [
        (keys[each.of], each.name) for each in declared(table) if each.admits and each.of in keys
    ]
    facts += [(['query_id'], name) for name in ('n_systems', 'pool_depth') if name in table]
    of_documents = table[~intent_rows(table)]
    for key, column in facts:
        rows = table if 'subtopic_id' in key else of_documents
        unlike = rows[[*key, column]].drop_duplicates()
        for row in unlike[unlike.duplicated(key)].head(1).itertuples():
            raise ValueError(
                f'{name}: {place_of(row, *(each for each in key if each in IDS))} has several values of {column}, one of '
                f'them {short(getattr(row, column))}'
            )
    if 'weight' in table:
        check_weights(table[table['weight'].isna() & lists], name)
    if {'n_retrieved', 'n_systems'} <= {*table}:
        counted = table['n_retrieved'] + table.get('newcomer', 0) <= table['n_systems']
        expected = 'at most n_systems' + ' − newcomer' * ('newcomer' in table)
        ids = 'query_id', 'doc_id'
        check_valid(counted, table, 'n_retrieved', expected, *ids, name=name)


def check_weights(without: pd.DataFrame, name: str) -> None:
    """Raise if there are rows of listed aspects without a weight; counts the aspects and names the first."""
    if len(without):
        row, n = without.iloc[0], len(without.drop_duplicates(aspect_key(without)))
        raise ValueError(
            f'{name}: {place_of(row, "query_id", "subtopic_id")}: no weight given ({n} listed subtopics have none)'
        )


def check_cells(values: pd.Series, column: str, name: str) -> None:
    """Raise if a cell of a column is a list or another collection.

    Raises:
        ValueError: names the row.
    """
    if values.dtype != object or pd.api.types.infer_dtype(values) == 'string':
        return
    for row, value in enumerate(values):
        if isinstance(value, (list, set, dict, np.ndarray)):
            raise ValueError(f'{name}: row {row}: {column} is {short(value)}, expected one value')


def checked_values(column: Column, table: pd.DataFrame, name: str) -> Any:
    """The values of a column in its type, checked."""
    assert column.admits
    values = result = table[column.name]
    check_cells(values, column.name, name)
    if column.text:
        result = values.fillna('') if values.isna().any() else values
        valid = column.admits(result.to_numpy(dtype=object))
    else:
        result = numbers(values)
        valid = column.admits(result) | (values.isna().to_numpy() & (column.missing is not None))
        is_whole = values.dtype.kind in 'iu' or column.of == 'key'
        if column.missing is None and is_whole and valid.all():
            result = result.astype(np.int64)
    other = {'aspect': 'doc_id', 'document': 'subtopic_id'}.get(column.of)
    keys = [key for key in IDS if key != other]
    check_valid(valid, table, column.name, column.expected, *keys, name=name)
    return result


def numbers(values: Any) -> NDArray[np.float64]:
    """The values of a column as floats, NaN of what is no number, or too large for a float."""
    if values.dtype.kind in 'iufb' and isinstance(values, np.ndarray):
        return values.astype(float, copy=False)
    if values.dtype.kind in 'iufb':
        return np.array(values.to_numpy(dtype=float, na_value=np.nan))
    return np.array([or_nan(value) for value in values], dtype=float)


NO_NUMBERS = (np.complexfloating, np.datetime64, np.timedelta64)
"""Types of values that Python converts to a float, and which are no scores, grades or weights."""


def or_nan(value: Any) -> float:
    """The number that a value is, or that a text writes; NaN of any other."""
    if isinstance(value, NO_NUMBERS):
        return math.nan
    try:
        as_float = number(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        as_float = None
    return math.nan if as_float is None else as_float
