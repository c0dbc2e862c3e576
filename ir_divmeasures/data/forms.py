"""The forms of runs and judgments: lines of TREC, tables that name their columns (CSV, TSV, parquet, JSON, DataFrames) and
nested dicts. They become columns by name; :mod:`~ir_divmeasures.data.runs` and :mod:`~ir_divmeasures.data.judgments` check
these.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import itertools
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import did_you_mean, one_of, short
from ..lazy import pa, pd
from .columns import KEYS, RUN_KEYS, check_cells, is_text, may_be_empty, numbers
from .files import OTHERS, SIP, check_inflated, read_blocks
from .ids import Texts, as_frame, values_of
from .lines import Shape, decoded, first_line, read_lines
from .writing import replacing

FORMATS = ('trec', 'tsv', 'csv', 'parquet', 'json')
"""The forms of files, as ``format=`` calls them."""

NAMES = {
    'query_id': ('query_id', 'qid', 'query-id', 'query'),
    'doc_id': ('doc_id', 'docno', 'docid', 'corpus-id', 'document'),
    'relevance': ('relevance', 'label', 'grade'),
    'score': ('score',),
    'subtopic_id': ('subtopic_id', 'subtopic', 'aspect', 'intent', 'iteration'),
}
"""The names of each column in this package and ir_measures, PyTerrier, BEIR and papers. The first one in a table
counts."""

ORDER = 'judgments come first, then runs'
"""What errors say about arguments in the wrong order."""

SYSTEM_COLUMNS = ('system', 'run', 'tag', 'model', 'name', 'run_id')
"""Columns that may name the system of each row in a table of runs."""

TEXTS = {*NAMES['query_id'], *NAMES['doc_id'], *NAMES['subtopic_id'], *SYSTEM_COLUMNS}
"""Columns of ids: texts, whatever they look like."""

IDS = {*NAMES['query_id'], *NAMES['doc_id']} - {'query', 'document'}
"""Columns, at least one of which is in each header."""


class Kind(NamedTuple):
    """What a file or a table contains.

    Attributes:
        fields: the fields of a line of TREC.
        keys: the columns of every table of this kind. The first three are those of queries, documents and numbers.
        read: the columns of a table that are read, under all of their names; None for all columns.
        sources: the forms of this kind, as messages list them.
    """

    fields: tuple[str, ...]
    keys: tuple[str, ...]
    read: frozenset[str] | None
    sources: str


RUNS = Kind(
    ('query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag'),
    RUN_KEYS,
    frozenset(name for key in RUN_KEYS for name in NAMES[key]) | {'rank', *SYSTEM_COLUMNS},
    'a DataFrame, a path, an open file, a dict of dicts or an iterable of namedtuples',
)
JUDGMENTS = Kind(
    ('query_id', 'subtopic_id', 'doc_id', 'relevance'),
    KEYS,
    None,
    'an ir_datasets id or dataset, a path, an open file, a DataFrame, a table of Arrow, Polars or DuckDB, a nested dict '
    'or an iterable of namedtuples',
)

# ----------------------------------------------------------------------------------------------------------------- files


def table_form(beginning: bytes) -> str | None:
    """The form of a file that names its columns, by how it begins; None for any other file."""
    if beginning.startswith(b'PAR1'):
        return 'parquet'
    if re.match(rb'\s*(\{|\[\s*[\]{])', beginning):
        return 'json'
    line = first_line(beginning[:SIP]).strip()
    for form, delimiter in (('tsv', '\t'), ('csv', ',')):
        header = {name.strip().strip('"') for name in line.split(delimiter)}
        if len(header) > 1 and (header & IDS or {'query', 'document'} <= header):
            return form
    return None


def may_have_columns(path: str, names: Iterable[str]) -> bool:
    """Whether a file names its columns, and perhaps one of these; no other part of it is read than its beginning."""
    if not os.path.isfile(path):  # a pipe is read once
        return False
    beginning = next(read_blocks(path, path, SIP), b'')
    form, present = table_form(beginning), re.findall(r'\w+', first_line(beginning))
    if form == 'parquet' and path.endswith('.parquet'):
        from pyarrow import parquet

        with contextlib.suppress(ValueError, OSError):  # the error of a broken file is raised later
            return not {*parquet.read_schema(path).names}.isdisjoint(names)
    return form in ('parquet', 'json') or form is not None and not {*names}.isdisjoint(present)


def read(blocks: Iterable[bytes], path: str, kind: Kind, name: str | None = None) -> Any:
    """What a file contains: :class:`Lines`, a DataFrame or a nested dict.

    Args:
        blocks: the content, as :func:`~ir_divmeasures.data.files.read_blocks` gives it.
        path: what messages call the file.
        kind: :data:`RUNS` or :data:`JUDGMENTS`.
        name: the name of the form; None to recognise it.

    Raises:
        ValueError: an unreadable line; names the file and the line.
    """
    if name is not None:
        one_of(name, FORMATS, 'format')
    blocks = iter(blocks)
    beginning = next(blocks, b'')
    for other, begins in OTHERS:
        if re.match(begins, beginning):
            raise ValueError(f'{path}: neither a run nor judgments, but {other}')
    name, blocks = name or table_form(beginning) or 'trec', itertools.chain([beginning], blocks)
    if name == 'trec':
        names = [field for field in kind.fields if field in kind.keys]
        lines = read_lines(blocks, path, Shape(kind.fields, kind.keys[2:3]), names)
        if kind is JUDGMENTS and not len(lines.columns['relevance']):
            raise ValueError(f'{path}: contains no judgments')
        return lines
    data = b''.join(blocks)
    if name == 'parquet':
        return read_parquet(data, path)
    return _read_json(data, path) if name == 'json' else _read_table(data, path, name)


def _read_table(data: bytes, path: str, form: str) -> pd.DataFrame:
    """A table of text under a header."""
    table = split_table(data, path, '\t' if form == 'tsv' else ',')
    for name in table:
        if is_text(name) or name in TEXTS:
            continue
        is_key, values = name in (*NAMES['relevance'], *NAMES['score']), table[name]
        read = numbers(values)
        is_wrong = np.isnan(read)
        if not is_key:
            is_wrong &= ~values.str.strip().str.lower().isin(['', 'nan'])
        if not is_wrong.any():
            table[name] = read
            with contextlib.suppress(ValueError):
                table[name] = [int(value) for value in values]
        elif is_key or is_text(name) is False:
            place = values[is_wrong].index[0]
            raise ValueError(
                f'{path}, line {place}: {name} is {short(values[place])}, expected a number'
            )
    return table.reset_index(drop=True)


UNQUOTED = re.compile(r'(?:^|[\t\n])"(?!(?:[^"\n]|"")*"(?:[\t\r\n]|$))')
"""A field between tabs that begins with a quotation mark and is not quoted."""


def split_table(
    data: bytes,
    path: str,
    delimiter: str = '\t',
    header: Sequence[str] = (),
    quoted: bool = False,
) -> pd.DataFrame:
    """Lines of fields under a header as a table of texts, whose index has the number of each line. A table without a
    header can be given one.

    Fields may be quoted, as pandas writes them. If some fields between tabs begin with a quotation mark and are not
    quoted, quotation marks stand for themselves, unless all fields are ``quoted`` where they need it. Comments begin
    with ``#`` and have fewer fields than the header.

    Raises:
        ValueError: a column twice in the header, a line with another number of fields, bytes that are not UTF-8.
    """
    text = decoded(data, path)
    are_quoted = quoted or delimiter != '\t' or not UNQUOTED.search(text)
    reader = csv.reader(
        io.StringIO(text, newline=''),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if are_quoted else csv.QUOTE_NONE,
    )
    names, rows, numbers = [*header], list[list[str]](), list[int]()
    try:
        for fields in reader:
            has_all = len(fields) == len(names)
            if not ''.join(fields).strip() or fields[0].lstrip().startswith('#') and not has_all:
                continue
            if not names:
                names = [name.strip() for name in fields]
                check_columns(names, f'{path}, line {reader.line_num}')
            elif has_all:
                rows.append(fields)
                numbers.append(reader.line_num)
            else:
                raise ValueError(
                    f'{path}, line {reader.line_num}: expected {len(names)} fields ({short(" ".join(names), quotes=False)}), '
                    f'found {len(fields)}: {short(delimiter.join(fields))}'
                )
    except csv.Error as error:
        raise ValueError(f'{path}, line {reader.line_num}: {error}') from None
    if not names:
        raise ValueError(f'{path}: no header')
    return pd.DataFrame(rows, numbers, names, dtype=str)


def read_parquet(data: bytes, path: str) -> pd.DataFrame:
    """A table of parquet. Texts are first read as numbers of distinct ones, so that their size is known before they are
    written out."""
    from pyarrow import parquet

    try:
        buffer = pa.BufferReader(data)
        about = parquet.read_metadata(buffer)
        written = sum(about.row_group(n).total_byte_size for n in range(about.num_row_groups))
        size = max(8 * about.num_rows * about.num_columns, written)
        check_inflated(size, len(data), path, 'parquet')
        names = [about.schema.column(n).path for n in range(about.num_columns)]
        for column in parquet.read_table(buffer, read_dictionary=names).columns:
            if pa.types.is_dictionary(column.type):
                counts = column.to_pandas().value_counts()
                size += int(counts.index.astype(str).str.len() @ counts.to_numpy())
        check_inflated(size, len(data), path, 'parquet')
        return pandas_frame(parquet.read_table(buffer), path)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f'{path}: not a complete parquet file ({error})') from None


NOT_BLANK = re.compile(r'\S')


def records(data: bytes, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of JSON: objects one after the other, as in JSON lines, or a list of them; each with its place in words.

    Raises:
        ValueError: not JSON, no objects, or a name that is twice in an object; names file and line.
    """
    text, end, line = decoded(data, path), 0, 1
    decoder = json.JSONDecoder(object_pairs_hook=_without_repetition)
    while start := NOT_BLANK.search(text, end):
        begin = start.start()
        line += text.count('\n', end, begin)
        try:
            value, end = decoder.raw_decode(text, begin)
            if '\\u' in text[begin:end]:
                json.dumps(value, ensure_ascii=False).encode()  # an error for half of a character
        except (ValueError, RecursionError) as error:
            at, problem = getattr(error, 'lineno', line), getattr(error, 'msg', error)
            raise ValueError(f'{path}, line {at}: not JSON ({problem})') from None
        unit = 'record' if isinstance(value, list) else 'line'
        for n, item in enumerate(value, 1) if unit == 'record' else [(line, value)]:
            place = f'{path}, {unit} {n}'
            if not isinstance(item, dict):
                raise ValueError(f'{place}: found {short(item)}, expected a JSON object')
            yield place, item
        line += text.count('\n', begin, end)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names must differ."""
    if len(once := dict(pairs)) < len(pairs):
        twice = first_twice(name for name, _ in pairs)
        raise ValueError(f'the name {short(twice)} is twice in an object')
    return once


def _read_json(data: bytes, path: str) -> Any:
    """A nested dict, or a table of records: a list of them, or one a line."""
    listed = list(records(data, path))
    if len(listed) == 1 and any(isinstance(value, dict) for value in listed[0][1].values()):
        return listed[0][1]
    for place, record in listed:
        if record.keys() != listed[0][1].keys():
            expected, names = (
                short(', '.join(each), quotes=False) for each in (listed[0][1], record)
            )
            raise ValueError(f'{place}: expected the names {expected}, found {names}')
    return pd.DataFrame([record for _, record in listed])


# ------------------------------------------------------------------------------------------------------------- in memory


def is_frame(value: Any) -> bool:
    """Whether a value is a DataFrame; does not import pandas."""
    pandas = sys.modules.get('pandas')
    return pandas is not None and isinstance(value, pandas.DataFrame)


def is_table(value: Any) -> bool:
    """Whether a value is a DataFrame, or can become one: a table of Arrow, Polars, DuckDB, Ibis, DataFusion, …."""
    return (
        is_frame(value)
        or any(hasattr(value, name) for name in ('collect_schema', '__arrow_c_stream__'))
        and not hasattr(value, 'iloc')
    )


def pandas_frame(table: Any, name: str | None = None) -> pd.DataFrame:
    """A table, which messages call by a name, as a DataFrame. Two columns of one name are an error."""
    if is_frame(table):
        return table
    if hasattr(table, 'collect_schema'):  # Polars' LazyFrame
        table = table.collect()
    arrow = pa.table(table)
    check_columns(arrow.column_names, name or type(table).__name__)
    return arrow.to_pandas()


def columns_of(source: Any, kind: Kind, where: str) -> dict[str, Any]:
    """The columns of a run or of judgments in memory by name, with values that are not checked yet.

    Args:
        source: a table; ``{query: {document: number}}``; of a run, ``{query: [document, …]}`` or tuples (query,
            document, score); of judgments, dicts with subtopics; or namedtuples of the same fields.
        kind: :data:`RUNS` or :data:`JUDGMENTS`.
        where: what messages call the source.

    Returns:
        Texts, lists, arrays or Series with rows from 0. Numbers are arrays or Series.

    Raises:
        TypeError: none of these.
        ValueError: a column is missing, or is there twice.
    """
    if is_table(source):
        frame = pandas_frame(source)
        check_columns(frame.columns, where, kind.read)
        if not frame.index.equals(pd.RangeIndex(len(frame))):
            frame = frame.reset_index(drop=True)
        columns: dict[Any, Any] = dict(frame.items())  # of two columns of one name none is read
    elif isinstance(source, Mapping):
        columns = _of_dict(source, kind, where)
    else:
        columns = _of_rows(source, kind, where)
    names = new_names(columns, kind.keys[:3])
    wanted = {
        names.get(name, name): values
        for name, values in columns.items()
        if kind.read is None or name in kind.read
    }
    if kind is RUNS and 'score' not in wanted and 'rank' in wanted:
        wanted['score'] = -numbers(wanted['rank'])
    for key in kind.keys[:3]:
        if key not in wanted:
            raise no_column(where, key, columns)
    return wanted


def _of_dict(source: Mapping[Any, Any], kind: Kind, where: str) -> dict[str, Any]:
    """The columns of nested dicts. A list of documents has the numbers that give its order."""
    for query, documents in source.items():
        if not isinstance(documents, dict if kind is JUDGMENTS else (Mapping, list)):
            raise TypeError(
                f'{where}: query {short(query)}: expected a dict of documents, found {short(documents)}'
            )
    values = list(
        itertools.chain.from_iterable(
            range(0, -len(documents), -1) if isinstance(documents, list) else documents.values()
            for documents in source.values()
        )
    )
    if kind is JUDGMENTS and any(issubclass(each, dict) for each in {*map(type, values)}):
        return _of_subtopics(source)
    query = ids({'query_id': [*source]}, 'query_id', where)
    rows = np.repeat(np.arange(len(query)), [len(documents) for documents in source.values()])
    documents = list(itertools.chain.from_iterable(source.values()))
    return dict(zip(kind.keys, (query.take(rows), documents, numeric_column(values))))


NUMBER = re.compile(r'\d{1,2}')
"""A number of a subtopic."""


def _of_subtopics(source: Mapping[Any, dict[Any, Any]]) -> dict[str, Any]:
    """The columns of ``{query: {document: {subtopic: grade}}}`` or, where it can be told, ``{query: {subtopic: {document:
    grade}}}``.

    The outer names are subtopics if a query has several of them and many more inner names, none of which is a number of
    a subtopic. Outer names that are numbers of subtopics make it clearer.
    """
    rows: tuple[list[Any], ...] = [], [], [], []
    for query, documents in source.items():
        for outer, grades in documents.items():
            grades = grades if isinstance(grades, dict) else {'0': grades}
            columns = [query] * len(grades), [outer] * len(grades), grades.values(), grades
            for column, values in zip(rows, columns):
                column.extend(values)
    queries, outer_names, grades, inner_names = rows
    outer, inner = ({*zip(queries, names)} for names in (outer_names, inner_names))
    outer_texts, inner_texts = ({str(name) for _, name in pairs} for pairs in (outer, inner))
    are_numbers = all(map(NUMBER.fullmatch, outer_texts))
    if (
        all(isinstance(grade, dict) for each in source.values() for grade in each.values())
        and len(inner_texts) >= 5
        and len(outer) >= 2 * len(source)
        and not any(map(NUMBER.fullmatch, inner_texts))
        and len(inner) >= (2 if are_numbers else 4) * len(outer)
    ):
        outer_names, inner_names = inner_names, outer_names
    return dict(zip(KEYS, (queries, outer_names, numeric_column(grades), inner_names)))


ROWS_AT_ONCE = 1 << 9
"""Rows of tuples are taken in slices: many objects that are made at once wake Python's garbage collector, which visits all
tuples of the program."""


def _of_rows(source: Any, kind: Kind, where: str) -> dict[str, Any]:
    """The columns of namedtuples, or of tuples (query, document, score)."""
    if not hasattr(source, '__iter__') or isinstance(source, (str, bytes)):
        raise TypeError(f'{where}: expected {kind.sources}, found {type(source).__name__}')
    rows = list(source)
    types = {*map(type, rows)}
    fields = {getattr(each, '_fields', None) for each in types} or {kind.keys}
    if kind is RUNS and types == {tuple} and {*map(len, rows)} == {3}:
        fields = {RUN_KEYS}
    names = fields.pop()
    if fields or names is None:
        raise TypeError(
            f'{where}: expected namedtuples, found {short(rows[0])}. Their fields are {", ".join(kind.keys[:3])}. '
            f'ir_measures takes neither paths nor ids of ir_datasets: give it read_qrels(…) or read_run(…)'
        )
    columns: list[list[Any]] = [[] for _ in names]
    for first in range(0, len(rows), ROWS_AT_ONCE):
        for values, part in zip(columns, zip(*rows[first : first + ROWS_AT_ONCE])):
            values.extend(part)
    return {
        name: values if name in TEXTS else numeric_column(values)
        for name, values in zip(names, columns)
    }


def numeric_column(values: list[Any]) -> Any:
    """Values as an array if all are numbers, otherwise as a Series of objects."""
    with contextlib.suppress(ValueError, OverflowError, pa.ArrowException):
        array = pa.array(values)
        if not array.null_count and array.type in (pa.int64(), pa.float64()):
            return values_of(array)
    return pd.Series(values, dtype=object)


def new_names(present: Iterable[Any], kinds: Iterable[str]) -> dict[str, str]:
    """Our names of the columns of these kinds that a table calls otherwise."""
    present, names = {*present}, {}
    for kind in kinds:
        name = next((each for each in NAMES[kind] if each in present), kind)
        if name != kind:
            names[name] = kind
    if 'corpus-id' in names and 'relevance' in kinds and not present & {*NAMES['relevance']}:
        names['score'] = 'relevance'  # as BEIR calls it
    return names


def check_columns(columns: Iterable[Any], name: str, read: Iterable[str] | None = None) -> None:
    """Raise an error that names the column if two columns have the same name: of those that are read, or of all."""
    names = list(columns)
    twice = first_twice(each for each in names if read is None or each in read)
    if twice is not None:
        listed = short(', '.join(map(str, names)), quotes=False)
        raise ValueError(f'{name}: has the column {short(twice)} twice (found {listed})')


def first_twice(names: Iterable[Any]) -> Any:
    """The first of some names that repeats an earlier one, or None."""
    counts = Counter(names)
    return next((name for name in counts if counts[name] > 1), None)


def no_column(where: str, name: str, columns: Iterable[Any]) -> ValueError:
    """The error that a table lacks a column: its columns, and what that one may be called."""
    names = [short(str(each), quotes=False) for each in columns]
    others = ' or '.join(map(repr, NAMES.get(name, ())[1:]))
    hint = f'; it may also be called {others}' if others else did_you_mean(name, names, False)
    if {'score', 'relevance'} <= {name, *names}:
        hint = f'; {ORDER}'
    elif name == 'score' and not hint:
        hint = '; of ranks or distances, give minus'
    return ValueError(
        f'{where}: no column {name!r} (found {", ".join(names[:20]) or "an empty table"}){hint}'
    )


def ids(frame: Any, column: str, name: str) -> Texts:
    """A column of ids as texts.

    Raises:
        ValueError: a missing id, or several in a cell.
    """
    values = frame[column]
    with contextlib.suppress(pa.ArrowException, ValueError):
        return Texts.of(values)
    values = pd.Series(values, dtype=object if isinstance(values, list) else None)
    check_cells(values, column, name)
    for row in np.flatnonzero(values.isna())[:1]:
        raise ValueError(f'{name}: row {row} has no {column}')
    return Texts.of(values.map(str).astype(object))


# --------------------------------------------------------------------------------------------------------------- writing


def write(
    table: Mapping[str, Any],
    path: str | os.PathLike[str],
    kind: Kind,
    name: str | None,
    further: Sequence[str],
    overwrite: bool,
) -> None:
    """Write a run or judgments as lines of fields, compressed where the name ends with ``.gz``.

    Args:
        table: the columns by name: :class:`Texts`, arrays, or those of a DataFrame.
        path: the file.
        kind: :data:`RUNS` or :data:`JUDGMENTS`.
        name: ``'trec'`` or ``'tsv'``; by default ``'trec'`` where there are no further columns, else ``'tsv'``.
        further: the columns to write that not all tables have.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: the form cannot hold the table's columns or values.
    """
    name = one_of(name or ('tsv' if further else 'trec'), ('trec', 'tsv'), 'format')
    with_header = name == 'tsv'
    if further and not with_header:
        raise ValueError(
            f"format 'trec' would lose the columns {', '.join(further)}; 'tsv' holds all"
        )
    names = [*kind.keys, *further] if with_header else kind.fields
    frame = as_frame({each: table[each] for each in names})
    for each in names:
        wrong = (r'[\t\n\r]' if with_header else r'\s') + '|^#?$' * (not may_be_empty(each))
        for value in filter(re.compile(wrong, re.ASCII).search, map(str, frame[each].unique())):
            raise ValueError(
                f'{each} {short(value)} cannot be written in format {name!r}: it is empty, or holds white space or a # '
                f'that would be read as something else'
            )
    text: str = frame.to_csv(
        sep='\t' if with_header else ' ',
        header=with_header,
        index=False,
        quoting=csv.QUOTE_MINIMAL if with_header else csv.QUOTE_NONE,
        lineterminator='\n',
    )
    data = text.encode()
    with replacing(path, overwrite) as partial, open(partial, 'wb') as file:
        file.write(gzip.compress(data, mtime=0) if os.fspath(path).endswith('.gz') else data)
