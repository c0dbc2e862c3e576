"""The further columns of the judgments table, each declared once: what it says, of what, and who adds it.

A column is a fact of an *aspect* (intent weights), of a *document* (its similarities) or part of the *key* of a row (the
layer of a hierarchy). To add one, add a :class:`Column` to :data:`COLUMNS`: reading, checking, writing, the arrays that
measures see and the message "needs a column X, which Y adds" follow from it. Columns that are not declared here travel
with the table untouched.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import packed, pool_ranks
from ..errors import plain
from ..lazy import pd
from .text import number as plain_number
from .text_columns import NO_DOCUMENT, Texts, first_repetition

KEYS = ('query_id', 'doc_id', 'relevance', 'subtopic_id')
"""The four columns that every judgments table has, in this order."""
TYPES = ('inf', 'nav')
"""Types of intents: informational and navigational."""
IMPORTANCE = ('vital', 'okay')
"""How important an intent (a nugget) is; '' is neither."""


@dataclass(frozen=True)
class Column:
    """A further column of judgments.

    Attributes:
        name: what it is called in the table and in files.
        of: ``'aspect'``, ``'document'`` or ``'key'``: what has one value of it (a key tells rows apart).
        text: whether values are texts; otherwise they are numbers.
        admits: a function of an array of values that returns which are valid. With None, any value is.
        expected: the valid values, in words.
        missing: the value of rows without information. With None, every row must have a value.
        needed_where_listed: every listed aspect must have a value (not ``missing``).
        needed_for_relevant: a measure that reads the column needs one for each relevant document.
        checked: whether the values of every table are checked. Otherwise they are only passed on.
        array: a function from the table's values to the array that measures see. With None, measures do not see the
            column.
        added_by: the functions of the package that add it, as they are called.
    """

    name: str
    of: str
    text: bool
    admits: Callable[[NDArray[Any]], NDArray[np.bool_]] | None = None
    expected: str = ''
    missing: Any = None
    needed_where_listed: bool = False
    needed_for_relevant: bool = False
    checked: bool = True
    array: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    added_by: str = ''


def _each(values: NDArray[Any], right: Callable[[Any], bool]) -> NDArray[np.bool_]:
    is_valid = {value: right(value) for value in set(values.tolist())}
    return np.fromiter(
        (is_valid[value] for value in values.tolist()), dtype=bool, count=len(values)
    )


def _whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isfinite(values) & (values == np.floor(values))


COLUMNS: dict[str, Column] = {
    column.name: column
    for column in (
        Column(
            'layer',
            'key',
            False,
            _whole,
            'a whole number',
            added_by='build_hierarchy (or with_superintents)',
        ),
        Column(
            'parent',
            'aspect',
            True,
            missing='',
            checked=False,
            added_by='build_hierarchy (or with_superintents)',
        ),
        Column(
            'weight',
            'aspect',
            False,
            lambda w: (w >= 0) & (w < np.inf),
            'a number of at least 0 (negative points of a rubric belong in a column \'points\')',
            missing=0.0,
            needed_where_listed=True,
            array=np.nan_to_num,
            added_by='with_weights',
        ),
        Column(
            'points',
            'aspect',
            False,
            np.isfinite,
            'a number',
            missing=0.0,
            needed_where_listed=True,
            array=np.nan_to_num,
            added_by='read_answers',
        ),
        Column(
            'part_of',
            'aspect',
            True,
            missing='',
            array=lambda t: t.astype(str),
            added_by='read_nuggets',
        ),
        Column(
            'subtopic_type',
            'aspect',
            True,
            lambda t: _each(t, TYPES.__contains__),
            "'inf' or 'nav'",
            missing='inf',
            array=lambda t: t == 'nav',
            added_by='with_subtopic_types',
        ),
        Column(
            'importance',
            'aspect',
            True,
            lambda t: _each(t, ('', *IMPORTANCE).__contains__),
            "'vital', 'okay' or nothing",
            missing='',
            array=lambda t: t.astype('U5'),
            added_by='with_intents',
        ),
        Column('text', 'aspect', True, missing='', checked=False, added_by='with_intents'),
        Column(
            'similarity', 'aspect', False, missing=np.nan, checked=False, added_by='build_hierarchy'
        ),
        Column('clustering', 'aspect', True, missing='', checked=False, added_by='build_hierarchy'),
        Column(
            'document_similarity',
            'document',
            True,
            lambda s: _each(s, packed.is_packed),
            'similarities as with_similarity writes them, or nothing',
            missing='',
            needed_for_relevant=True,
            array=np.asarray,
            added_by='with_similarity',
        ),
        Column(
            'n_retrieved',
            'document',
            False,
            lambda n: n >= 0,
            'a number of at least 0',
            array=np.asarray,
            added_by='with_rareness',
        ),
        Column(
            'n_systems',
            'document',
            False,
            lambda n: n >= 1,
            'a number of at least 1',
            array=np.asarray,
            added_by='with_rareness',
        ),
        Column(
            'pool_depth',
            'document',
            False,
            lambda k: _whole(k) & (k >= 0),
            'a whole number of at least 0',
            array=np.asarray,
            added_by='with_rareness',
        ),
        Column(
            'newcomer',
            'document',
            False,
            lambda n: (n == 0) | (n == 1),
            '0 or 1',
            array=np.asarray,
            added_by='with_rareness',
        ),
        Column(
            'pool_ranks',
            'document',
            True,
            lambda t: _each(t, pool_ranks.is_written),
            'entries group:rank or group.system:rank separated by spaces, or nothing',
            missing='',
            array=pool_ranks.bits,
            added_by='with_rareness',
        ),
    )
}

POOL = ('n_retrieved', 'n_systems', 'pool_depth', 'newcomer', 'pool_ranks')
"""What judgments know of a pool: S_d; S; the depth to which a document counts as retrieved, 0 for any; whether the run
that is scored adds one to S_d where it retrieves the document, S then being counted with that run; and which system
retrieves the document at which rank. The last column may be missing: judgments of counts alone do not have it."""


def declared(table: pd.DataFrame, of: str | None = None) -> list[Column]:
    """The declared columns that a table has, in the order of declaration; ``of`` one kind only."""
    return [
        column
        for column in COLUMNS.values()
        if column.name in table.columns and (of is None or column.of == of)
    ]


def added_by(function: str) -> list[str]:
    """Names of the columns that a function adds."""
    return [column.name for column in COLUMNS.values() if function in column.added_by]


def aspect_key(table: pd.DataFrame) -> list[str]:
    """The columns that tell one aspect from another: query, layer where there is one, subtopic."""
    return ['query_id', *(column.name for column in declared(table, 'key')), 'subtopic_id']


def row_key(table: pd.DataFrame) -> list[str]:
    """The columns that tell one row from another."""
    return [*aspect_key(table), 'doc_id']


def intent_rows(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows stand for an intent alone, not for a judged document."""
    return np.asarray(table['doc_id'] == NO_DOCUMENT, dtype=bool)


def listing(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows list their aspect: all, but those of subtopic '0' without a grade above 0 that are no intent rows.

    The Web Track of 2009 judges documents non-relevant for the topic as a whole in this way.
    """
    named = np.asarray(table['subtopic_id'] != '0', dtype=bool)
    return (
        named
        if named.all()
        else named | intent_rows(table) | (table['relevance'].to_numpy(dtype=float) > 0)
    )


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


def check_documents_have(requester: Any, name: str, rows: pd.DataFrame) -> None:
    """Raise if one of these rows' documents has no value of a column.

    Raises:
        ValueError: lists the first five.
    """
    column = COLUMNS[name]
    without = rows.loc[
        rows[name].isna() if column.missing is np.nan else rows[name] == column.missing,
        ['query_id', 'doc_id'],
    ].drop_duplicates()
    if len(without):
        named = ', '.join(
            f'{row.doc_id!r} (query {row.query_id!r})' for row in without.head(5).itertuples()
        )
        raise ValueError(
            f'{requester}: {len(without)} relevant documents have no {name}: {named}'
            f'{" …" if len(without) > 5 else ""}; ir_divmeasures.{column.added_by} adds it'
        )


# ------------------------------------------------------------------------------------------------ standard form


def standardise(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table with its declared columns in their types, every value checked; ``name`` is what messages call it.

    Raises:
        ValueError: a value that is not right; two values of what has one; names query, document and subtopic.
    """
    for column in declared(table):
        if column.checked:
            table[column.name] = _values(column, table, name)
    return table


def check_facts(table: pd.DataFrame, name: str) -> None:
    """Raise if an aspect, a document or a query has several values of a column, or counts of systems contradict each
    other; names query, and subtopic or document."""
    documents = table[~intent_rows(table)] if intent_rows(table).any() else table
    counts = [column for column in ('n_systems', 'pool_depth') if column in table.columns]
    for rows, of, key, names in (
        (table, 'subtopic', aspect_key(table), _checked(table, 'aspect')),
        (documents, 'document', ['query_id', 'doc_id'], _checked(table, 'document')),
        (table, '', ['query_id'], counts),
    ):
        if not names or not len(rows):
            continue
        group, of_row = np.unique(combined_codes(rows, key), return_inverse=True)
        for column in names:
            value = combined_codes(rows, [column])
            one = np.zeros(len(group), dtype=value.dtype)
            one[of_row] = value
            unlike = np.flatnonzero(one[of_row] != value)
            if len(unlike):
                at = rows.iloc[int(unlike[0])]
                what = {'subtopic': at.subtopic_id, 'document': at.doc_id}.get(of)
                raise ValueError(
                    f'{name}: query {at.query_id!r}{f", {of} {what!r}" if of else ""} has several values of '
                    f'{column}, one of them {plain(at[column])!r}'
                )
    if {'n_retrieved', 'n_systems'} <= set(table.columns):
        newcomer = table['newcomer'] if 'newcomer' in table.columns else 0
        bad = table[~(table['n_retrieved'] + newcomer <= table['n_systems'])]
        for row in bad.head(1).itertuples():
            less = ' − newcomer' if 'newcomer' in table.columns else ''
            raise ValueError(
                f'{name}: query {row.query_id!r}, document {row.doc_id!r}: n_retrieved is '
                f'{row.n_retrieved:g}, n_systems is {row.n_systems:g}; expected 0 ≤ n_retrieved ≤ '
                f'n_systems{less}'
            )


def _checked(table: pd.DataFrame, of: str) -> list[str]:
    """The names of the checked columns of a kind."""
    return [column.name for column in declared(table, of) if column.checked]


def combined_codes(
    table: pd.DataFrame | Mapping[str, Any],
    key: list[str],
    numbers: Mapping[str, NDArray[np.int64]] = MappingProxyType({}),
) -> NDArray[np.int64]:
    """One whole number a row that tells apart what differs in the columns of a key, given the ``numbers`` of some."""
    combined = np.zeros(len(table['query_id']), dtype=np.int64)
    for each in key:
        code = (
            numbers[each]
            if each in numbers
            else Texts.of(table[each]).codes()[0]
            if is_text(each) is not False
            else np.unique(table[each].to_numpy(), return_inverse=True)[1].reshape(-1)
        )
        combined *= int(code.max(initial=0)) + 1
        combined += code
    return combined


def has_repetitions(
    table: pd.DataFrame | Mapping[str, Any], key: list[str], collection: Any = None
) -> bool:
    """Whether two rows are the same in the columns of a key, of which ``query_id`` and ``doc_id`` are two.

    ``collection`` (:class:`~ir_divmeasures.judgments.arrays.Collection`) has the ids as numbers, if they are known.
    """
    if collection is None:
        rows = combined_codes(table, key)
    elif collection.n_pairs == len(table['relevance']):
        return False
    else:
        numbers = {'doc_id': collection.row_pair, 'subtopic_id': collection.subtopic[0]}
        rows = combined_codes(table, [each for each in key if each != 'query_id'], numbers)
    return first_repetition(rows) is not None


def check_cells(values: pd.Series, column: str, name: str) -> None:
    """Raise if a cell of a column is a list or another collection.

    Raises:
        ValueError: names the row.
    """
    if values.dtype != object or pd.api.types.infer_dtype(values) == 'string':
        return
    for row, value in enumerate(values):
        if isinstance(value, (list, set, dict, np.ndarray)):
            raise ValueError(f'{name}: row {row}: {column} is {value!r:.60}, expected one value')


def _values(column: Column, table: pd.DataFrame, name: str) -> Any:
    """The values of a column in its type, checked."""
    values = table[column.name]
    check_cells(values, column.name, name)
    if column.text and column.missing is not None and values.isna().any():
        values = values.fillna(column.missing)
    result = values.to_numpy(dtype=object) if column.text else numbers(values)
    right = np.ones(len(result), dtype=bool) if column.admits is None else column.admits(result)
    if column.text:
        result = values
    elif column.missing is not None:
        absent = np.isnan(result)
        right = right | absent
        if column.needed_where_listed and absent.any():
            check_all_have(table[absent & listing(table)], column.name, f'{name}: ')
    elif right.all() and (values.dtype.kind in 'iu' or column.of == 'key'):
        result = result.astype(np.int64)
    if not right.all():
        row = table.iloc[int(np.flatnonzero(~right)[0])]
        at = [f'document {row.doc_id!r}'] * (column.of != 'aspect')
        at += [f'subtopic {row.subtopic_id!r}'] * (column.of != 'document')
        raise ValueError(
            f'{name}: query {row.query_id!r}, {", ".join(at)}: {column.name} is '
            f'{plain(row[column.name])!r}, expected {column.expected}'
        )
    return result


def check_all_have(without: pd.DataFrame, name: str, where: str = '') -> None:
    """Raise if there are rows, of listed aspects, that have no value of a column.

    Raises:
        ValueError: counts the aspects and names the first.
    """
    if len(without):
        row, n = without.iloc[0], len(without.drop_duplicates(aspect_key(without)))
        raise ValueError(
            f'{where}query {row.query_id!r}, subtopic {row.subtopic_id!r}: no {name} given ({n} listed '
            f'subtopics have none)'
        )


def numbers(values: Any) -> NDArray[np.float64]:
    """The values of a column as floats, NaN of what is no number."""
    if values.dtype.kind in 'iufb' or {*map(type, values)} <= {int, float, bool}:
        return np.array(values.to_numpy(dtype=float, na_value=np.nan))
    return np.array([or_nan(value) for value in values], dtype=float)


NO_NUMBERS = (
    complex,
    np.complexfloating,
    np.datetime64,
    np.timedelta64,
    datetime.date,
    datetime.timedelta,
)
"""Types of values some of which Python converts to a float, and which are no scores, grades or weights."""


def or_nan(value: Any) -> float:
    """The number that a value is, or that a text writes; NaN of any other."""
    if isinstance(value, str):
        number = plain_number(value)
        return float('nan') if number is None else number
    if isinstance(value, NO_NUMBERS):
        return float('nan')
    try:
        return float(value)
    except (TypeError, ValueError):
        return float('nan')


__all__ = [
    'COLUMNS',
    'IMPORTANCE',
    'KEYS',
    'NO_DOCUMENT',
    'POOL',
    'TYPES',
    'Column',
    'added_by',
    'aspect_key',
    'check_all_have',
    'check_cells',
    'check_documents_have',
    'check_facts',
    'combined_codes',
    'declared',
    'intent_rows',
    'is_text',
    'require_columns',
    'listing',
    'may_be_empty',
    'row_key',
    'standardise',
]
