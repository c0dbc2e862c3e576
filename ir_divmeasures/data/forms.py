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
from .columns import KEYS, RUN_KEYS, check_cells, is_text, may_be_empty
from .files import OTHERS, SIP, check_inflated, read_blocks
from .ids import Texts, as_frame, values_of
from .lines import Shape, decoded, first_line, number, read_lines
from .writing import check_target, replacing

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
    """What a file contains.

    Attributes:
        fields: the fields of a line of TREC.
        keys: the columns of every table of this kind, the third of which is a number.
    """

    fields: tuple[str, ...]
    keys: tuple[str, ...]


RUNS = Kind(('query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag'), RUN_KEYS)
JUDGMENTS = Kind(('query_id', 'subtopic_id', 'doc_id', 'relevance'), KEYS)

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
    form = table_form(beginning)
    if form == 'parquet' and path.endswith('.parquet'):
        from pyarrow import parquet

        with contextlib.suppress(ValueError, OSError):  # the error of a broken file is raised later
            return not {*parquet.read_schema(path).names}.isdisjoint(names)
    if form in ('csv', 'tsv'):
        return not {*re.findall(r'\w+', first_line(beginning))}.isdisjoint(names)
    return form is not None


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
        fields = [field for field in kind.fields if field not in ('Q0', 'rank', 'tag')]
        shape = Shape(kind.fields, (kind.keys[2],))
        lines = read_lines(blocks, path, shape, fields)
        if kind is JUDGMENTS and not len(lines.columns['relevance']):
            raise ValueError(f'{path}: contains no judgments')
        return lines
    data = b''.join(blocks)
    if name == 'parquet':
        return _read_parquet(data, path)
    return _read_json(data, path) if name == 'json' else _read_table(data, path, name)


def _read_table(data: bytes, path: str, form: str) -> pd.DataFrame:
    """A table of text under a header."""
    header, columns, lines = split_table(data, path, '\t' if form == 'tsv' else ',')
    table: dict[str, Any] = {}
    for name in header:
        values = table[name] = list(columns[name])
        if is_text(name) or name in TEXTS:
            continue
        is_key = name in (*NAMES['relevance'], *NAMES['score'])
        read = [
            float('nan') if not is_key and value.strip().lower() in ('', 'nan') else number(value)
            for value in values
        ]
        if None not in read:
            try:
                table[name] = [int(value) for value in values]
            except ValueError:
                table[name] = read
        elif is_key or is_text(name) is False:
            place = read.index(None)
            raise ValueError(
                f'{path}, line {lines[place]}: {name} is {short(values[place])}, expected a number'
            )
    return pd.DataFrame(table)


QUOTED = re.compile(r'(?:^|(?<=[\t\n]))"(?:[^"\n]|"")*"(?=[\t\r\n]|$)')


def split_table(
    data: bytes,
    path: str,
    delimiter: str = '\t',
    header: Sequence[str] = (),
    quoted: bool = False,
) -> tuple[list[str], dict[str, tuple[str, ...]], list[int]]:
    """Lines of fields under a header: the header, each column's texts, and the number of each line. A table without a
    header can be given one.

    Fields may be quoted, as pandas writes them. If some fields between tabs begin with a quotation mark and are not
    quoted, quotation marks stand for themselves, unless all fields are ``quoted`` where they need it. Comments begin with ``#`` and have fewer fields than the header.

    Raises:
        ValueError: a column twice in the header, a line with another number of fields, bytes that are not UTF-8.
    """
    text = decoded(data, path)
    are_quoted = (
        quoted
        or delimiter != '\t'
        or len(QUOTED.findall(text)) == len(re.findall(r'(?:^|[\t\n])"', text))
    )
    options: dict[str, Any] = {} if are_quoted else {'quoting': csv.QUOTE_NONE}
    reader = csv.reader(io.StringIO(text, newline=''), delimiter=delimiter, **options)
    rows, numbers = [[*header]] * bool(header), [0] * bool(header)
    try:
        for fields in reader:
            has_all = bool(rows) and len(fields) == len(rows[0])
            if not ''.join(fields).strip() or fields[0].lstrip().startswith('#') and not has_all:
                continue
            if rows and not has_all:
                raise ValueError(
                    f'{path}, line {reader.line_num}: expected {len(rows[0])} fields ({short(" ".join(rows[0]), quotes=False)}), found {len(fields)}: '
                    f'{short(delimiter.join(fields))}'
                )
            rows.append(fields)
            numbers.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f'{path}, line {reader.line_num}: {error}') from None
    if not rows:
        raise ValueError(f'{path}: no header')
    names = rows[0] = [name.strip() for name in rows[0]]
    if (twice := first_twice(names)) is not None:
        raise ValueError(
            f'{path}, line {numbers[0]}: the header has the column {short(twice)} twice'
        )
    texts = list(zip(*rows[1:])) or [()] * len(names)
    return names, dict(zip(names, texts)), numbers[1:]


def _read_parquet(data: bytes, path: str) -> pd.DataFrame:
    """A table of parquet. Texts are first read as numbers of distinct ones, so that their size is known before they are
    written out."""
    from pyarrow import parquet

    try:
        buffer = pa.BufferReader(data)
        about = parquet.read_metadata(buffer)
        groups = [about.row_group(place) for place in range(about.num_row_groups)]
        size = max(8 * about.num_rows * about.num_columns, sum(g.total_byte_size for g in groups))
        check_inflated(size, len(data), path, 'parquet')
        names = [about.schema.column(place).path for place in range(about.num_columns)]
        for column in parquet.read_table(buffer, read_dictionary=names).columns:
            for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
                lengths = Texts.of(chunk.dictionary).lengths
                size += int(lengths[values_of(chunk.indices.drop_null())].sum())
        check_inflated(size, len(data), path, 'parquet')
        return to_pandas(parquet.read_table(buffer), path)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f'{path}: not a complete parquet file ({error})') from None


def records(data: bytes, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of JSON lines, or of a JSON file (an object, or a list of them), each with its place in words.

    Raises:
        ValueError: not JSON, no objects, or a name that is twice in an object; names file and line.
    """
    text = decoded(data, path)
    lines = [each for each in enumerate(text.split('\n'), 1) if each[1].strip()]
    items: Iterable[tuple[str, Any]] = ()
    if lines and re.fullmatch(r'\s*\{.*\}\s*', lines[0][1]):
        items = ((f'{path}, line {n}', _parse_json(line, path, n)) for n, line in lines)
    elif lines:
        whole = _parse_json(text, path)
        listed = whole if isinstance(whole, list) else [whole]
        items = ((f'{path}, record {n}', item) for n, item in enumerate(listed, 1))
    for place, item in items:
        if not isinstance(item, dict):
            raise ValueError(f'{place}: found {short(item)}, expected a JSON object')
        yield place, item


def _parse_json(text: str, path: str, line: int = 1) -> Any:
    """What a JSON text says that begins in a line of a file."""
    try:
        value = json.loads(text, object_pairs_hook=_without_repetition)
        if '\\u' in text:
            json.dumps(value, ensure_ascii=False).encode()  # an error for half of a character
        return value
    except json.JSONDecodeError as error:
        line, problem = line + error.lineno - 1, f'not JSON ({error.msg})'
    except RecursionError:
        problem = 'not JSON (nested too deep)'
    except ValueError as error:
        problem = str(error)
    raise ValueError(f'{path}, line {line}: {problem}')


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


def first_twice(names: Iterable[Any]) -> Any:
    """The first of some names that repeats an earlier one, or None."""
    counts = Counter(names)
    return next((name for name in counts if counts[name] > 1), None)


def read_documents(path: str) -> pd.DataFrame:
    """Texts of documents: a table with the columns ``doc_id`` and ``text`` of a file with a header or of JSON lines.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a file of another ending.
    """
    name = path.removesuffix('.gz')
    if name.endswith(('.tsv', '.csv')):
        delimiter = '\t' if name.endswith('.tsv') else ','
        return pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False)
    if name.endswith('.jsonl'):
        return pd.read_json(path, lines=True, dtype=str)
    raise ValueError(
        f'{path}: expected an ir_datasets id, or a .tsv, .csv or .jsonl file with the columns doc_id '
        f'and text'
    )


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


def as_pandas(table: Any) -> pd.DataFrame:
    """A table as a DataFrame. Two columns of one name are an error."""
    if is_frame(table):
        return table
    if hasattr(table, 'collect_schema'):  # Polars' LazyFrame
        table = table.collect()
    return to_pandas(pa.table(table), type(table).__name__)


def to_pandas(table: Any, name: str) -> pd.DataFrame:
    """An Arrow table as a DataFrame; two columns of one name are an error."""
    check_columns(table.column_names, name)
    return table.to_pandas()


def columns_of(
    source: Any, kinds: Sequence[str], where: str, read: Iterable[str] | None = None
) -> dict[str, Any] | None:
    """The columns of a table in memory by name; None of anything else.

    Args:
        source: a DataFrame, a dict ``{query: {document: value}}`` or, of rankings, ``{query: [document, …]}``, or a list
            of namedtuples of the same fields.
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
        names = new_names(columns, kinds)
        wanted = (name for name in columns if read is None or name in read)
        return {names.get(name, name): columns[name] for name in wanted}
    if isinstance(source, Mapping):
        sizes = [len(documents) for documents in source.values()]
        documents = list(itertools.chain.from_iterable(source.values()))
        values = list(itertools.chain.from_iterable(map(_values_of_documents, source.values())))
        query = column([query for query, n in zip(source, sizes) for _ in range(n)])
        return dict(zip(kinds, (query, column(documents), column(values))))
    fields = {getattr(kind, '_fields', None) for kind in {*map(type, source)}}
    of_row = fields.pop() if len(fields) == 1 else None
    return None if of_row is None else of_rows(source, *of_row)


def _values_of_documents(documents: Mapping[Any, Any] | list[Any]) -> Iterable[Any]:
    """The values of the documents of a query; of a list of ids, the numbers that give its order."""
    return documents.values() if isinstance(documents, Mapping) else range(0, -len(documents), -1)


ROWS_AT_ONCE = 1 << 9
"""Rows of tuples are taken in slices: many objects that are made at once wake Python's garbage collector, which visits all
tuples of the program."""


def of_rows(rows: Sequence[Sequence[Any]], *names: str) -> dict[str, Any]:
    """The columns of rows by name."""
    columns: list[list[Any]] = [[] for _ in names]
    for first in range(0, len(rows), ROWS_AT_ONCE):
        for values, part in zip(columns, zip(*rows[first : first + ROWS_AT_ONCE])):
            values.extend(part)
    return dict(zip(names, map(column, columns)))


def column(values: Sequence[Any]) -> Any:
    """Values as :class:`Texts` or an array, if all are texts or numbers, otherwise as a Series."""
    with contextlib.suppress(ValueError, OverflowError, pa.ArrowException):
        array = pa.array(values)
        if not array.null_count and array.type == pa.string():
            return Texts.of(array)
        if not array.null_count and array.type in (pa.int64(), pa.float64()):
            return values_of(array)
    return pd.Series(list(values), dtype=object)


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


def no_column(where: str, name: str, columns: Iterable[Any]) -> ValueError:
    """The error that a table lacks a column: its columns, and what that one may be called."""
    names = [short(str(each), quotes=False) for each in columns]
    others = ' or '.join(map(repr, NAMES.get(name, ())[1:]))
    hint = f'; it may also be called {others}' if others else did_you_mean(name, names, False)
    if name == 'score':
        hint = (
            f'; {ORDER}' if 'relevance' in names else hint or '; of ranks or distances, give minus'
        )
    return ValueError(
        f'{where}: no column {name!r} (found {", ".join(names[:20]) or "an empty table"}){hint}'
    )


def ids(frame: Any, column: str, name: str) -> Texts:
    """A column of ids as texts.

    Raises:
        ValueError: a missing id, or several in a cell.
    """
    if isinstance(frame[column], Texts):
        return frame[column]
    values = pd.Series(frame[column])
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=False) == 'string':
        return Texts.of(values)
    check_cells(values, column, name)
    for row in np.flatnonzero(values.isna())[:1]:
        raise ValueError(f'{name}: row {row} has no {column}')
    return Texts.of(values if values.dtype == 'string' else values.map(str).astype(object))


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
    check_target(path, overwrite)
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
