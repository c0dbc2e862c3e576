"""Tables of runs and judgments that name their columns: files with a header, parquet, JSON, and objects in memory.

Objects of other packages are recognized by their methods (``__arrow_c_stream__``, ``to_dict``, ``read``), so none of
these packages is imported here.
"""

from __future__ import annotations

import gzip
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import did_you_mean
from ..lazy import pa, pd
from . import text
from .columns import check_cells, is_text, may_be_empty
from .files import check_target, replacing
from .text_columns import Texts

NAMES = {
    'query_id': ('query_id', 'qid', 'query-id', 'query'),
    'doc_id': ('doc_id', 'docno', 'docid', 'corpus-id'),
    'relevance': ('relevance', 'label', 'rel'),
    'score': ('score',),
}
"""The names of each column in this package and ir_measures, PyTerrier, BEIR and trectools. The first one in a table
counts."""

SYSTEM_COLUMNS = ('system', 'run', 'tag', 'model', 'name', 'run_id')
"""Columns that may name the system of each row in a table of runs."""

TEXTS = {*NAMES['query_id'], *NAMES['doc_id'], 'iteration', 'subtopic_id', *SYSTEM_COLUMNS}
"""Columns of ids: texts, whatever they look like."""

IDS = {*NAMES['query_id'], *NAMES['doc_id']} - {'query'}
"""Columns, at least one of which is in each header; lines of EvALL may begin with the word query."""

FETCHES = ('fetch_df', 'to_pandas', 'toPandas')
"""Methods that give a DataFrame: of a DuckDB connection, of others, of Spark's tables."""


class Content(NamedTuple):
    """What was read from an open file, and the name of that file."""

    data: bytes
    name: str


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


def renamed(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """A table whose columns of these kinds have our names."""
    new_names = {}
    for column in columns:
        old = next((name for name in NAMES[column] if name in table.columns), column)
        if old != column:
            new_names[old] = column
    present = {*table.columns}
    if 'rel' in new_names and 'q0' in present and not {'subtopic_id', 'iteration'} & present:
        new_names['q0'] = 'iteration'  # as trectools calls it
    known = {*present, *new_names.values()}
    if 'corpus-id' in new_names and 'relevance' in columns and 'relevance' not in known:
        new_names['score'] = 'relevance'  # as BEIR calls it
    return table.rename(columns=new_names) if new_names else table


# -------------------------------------------------------------------------------------------------- in memory


def in_memory(source: Any) -> Any:
    """An object of another package as a DataFrame, a dict or the content of a file; any other as it is.

    Arrow tables and what can be read as one (Polars, DuckDB, Ibis, DataFusion, …; ``__arrow_c_stream__``), a DuckDB
    connection on which a query was executed, whatever gives a DataFrame by ``to_pandas`` or ``toPandas``, ranx
    ``Qrels`` and ``Run``, trectools ``TrecQrel`` and ``TrecRun``, open files and pipes.
    """
    if isinstance(source, (str, bytes, Mapping, os.PathLike, list, tuple)) or hasattr(
        source, 'iloc'
    ):
        return source
    if hasattr(source, 'collect') and hasattr(source, 'collect_schema'):  # Polars' LazyFrame
        source = source.collect()
    if hasattr(source, '__arrow_c_stream__'):
        return _to_pandas(pa.table(source), type(source).__name__)
    for convert in FETCHES:
        if callable(getattr(source, convert, None)):
            return _fetched(source, convert)
    for table in ('qrels_data', 'run_data'):
        if hasattr(getattr(source, table, None), 'iloc'):
            return getattr(source, table)
    if type(source).__name__ in ('Qrels', 'Run') and hasattr(source, 'to_dict'):
        return {query: dict(documents) for query, documents in source.to_dict().items()}
    if hasattr(source, 'read'):
        data, name = source.read(), getattr(source, 'name', None)
        if not isinstance(name, str):  # a pipe's is a number
            name = f'<{type(source).__name__}>'
        data = data.encode() if isinstance(data, str) else bytes(data)
        return Content(text.decompressed(data, name), name)
    return source


def is_of_arrow(source: Any) -> bool:
    """Whether an object is a table of Arrow, which nobody can change."""
    return type(source).__module__.partition('.')[0] == 'pyarrow' and hasattr(
        source, '__arrow_c_stream__'
    )


def _fetched(source: Any, convert: str) -> pd.DataFrame:
    """The DataFrame that a method gives."""
    name = f'{type(source).__name__}: {convert}()'
    try:
        frame = getattr(source, convert)()
    except Exception as error:  # each library has its own
        raise ValueError(f'{name} fails: {error}') from error
    if not hasattr(frame, 'iloc'):
        raise ValueError(
            f'{name} gives {type(frame).__name__}, expected a DataFrame (of a connection, execute a query '
            f'first)'
        )
    check_columns(frame.columns, name)
    return frame


def in_pieces(source: Any) -> Any:
    """Rebuild the object that an iterator yields in pieces. ir_measures iterates over any iterable before we see it.

    Columns of a Polars table, batches of an Arrow reader, or lines of an open file; any other iterator as it is.
    """
    if not hasattr(source, '__next__'):
        return source
    first = next(source, None)
    pieces = itertools.chain([] if first is None else [first], source)
    if isinstance(first, (str, bytes)) and (len(first) > 1 or not first.strip()):
        lines = [line.encode() if isinstance(line, str) else line for line in pieces]
        return Content(text.decompressed(b''.join(lines), '<lines>'), '<lines>')
    if hasattr(first, '__arrow_c_array__'):
        batches = [
            piece.to_pyarrow() if hasattr(piece, 'to_pyarrow') else pa.record_batch(piece)
            for piece in pieces
        ]
        return _to_pandas(pa.Table.from_batches(batches), type(first).__name__)
    if hasattr(first, '__arrow_c_stream__') and isinstance(getattr(first, 'name', None), str):
        return pd.DataFrame({column.name: column.to_list() for column in pieces})
    return pieces


def of_texts(source: Mapping[Any, Any], *names: str) -> dict[str, Any] | None:
    """A nested dict of texts and numbers as columns (see :func:`of_nested`); None where it has anything else."""
    if not source or not all(isinstance(documents, dict) for documents in source.values()):
        return None
    try:
        values = pa.array(itertools.chain.from_iterable(of.values() for of in source.values()))
        documents = list(itertools.chain.from_iterable(source.values()))
        queries, documents = (pa.array(each, pa.large_string()) for each in ([*source], documents))
    except (ValueError, OverflowError, pa.ArrowException):
        return None
    if values.type not in (pa.int64(), pa.float64()) or values.null_count:
        return None
    query = np.repeat(np.arange(len(source)), [len(of) for of in source.values()])
    numbers = values.to_numpy()
    columns = (Texts(queries).take(query), Texts(documents), numbers)
    return None if np.isnan(numbers).any() else dict(zip(names, columns))


def of_nested(source: Mapping[Any, Mapping[Any, Any]], *names: str) -> pd.DataFrame:
    """A nested dict ``{query: {document: value}}`` as a table of three columns of these names."""
    rows = [(query, *item) for query, documents in source.items() for item in documents.items()]
    return pd.DataFrame(rows, columns=list(names))


def of_namedtuples(rows: Sequence[Any]) -> pd.DataFrame | None:
    """Namedtuples of one type as a table with all their fields; None where they are something else."""
    fields = getattr(rows[0], '_fields', None) if rows else None
    if fields is None or len(set(map(type, rows))) > 1:
        return None
    return pd.DataFrame({name: list(column) for name, column in zip(fields, zip(*rows))})


def _to_pandas(table: Any, name: str) -> pd.DataFrame:
    check_columns(table.column_names, name)
    return table.to_pandas()


def ids(frame: Any, column: str, name: str) -> Any:
    """A column of ids as strings.

    Raises:
        ValueError: a missing id, or several in a cell.
    """
    values = frame[column]
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=False) == 'string':
        return values
    check_cells(values, column, name)
    if values.isna().any():
        raise ValueError(f'{name}: row {int(np.flatnonzero(values.isna())[0])} has no {column}')
    if isinstance(values.dtype, pd.StringDtype):
        return values
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


# ------------------------------------------------------------------------------------------------------ files


def _with_header(data: bytes, path: str, delimiter: str) -> pd.DataFrame:
    header, columns, lines = text.split_table(data, path, delimiter)
    table: dict[str, Any] = {}
    for name in header:
        values = columns[name]
        needed = name in (*NAMES['relevance'], *NAMES['score'])
        if needed or is_text(name) is False:
            for line, written in zip(lines, values):
                if (needed or not _is_empty(written)) and text.number(written) is None:
                    raise ValueError(
                        f'{path}, line {line}: {name} is {written!r}, expected a number'
                    )
        table[name] = list(values) if is_text(name) or name in TEXTS else typed(values)
    return pd.DataFrame(table)


def typed(texts: Iterable[str]) -> Any:
    """A column of a file as whole numbers, else numbers (NaN where empty), else text."""
    if any(text.number(value) is None and not _is_empty(value) for value in texts):
        return list(texts)
    try:
        return [int(value) for value in texts]
    except ValueError:
        return [float('nan') if _is_empty(value) else float(value) for value in texts]


def _is_empty(written: str) -> bool:
    """Whether a field of a file has no value."""
    return written.strip().lower() in ('', 'nan')


def _parquet(data: bytes, path: str) -> pd.DataFrame:
    from pyarrow import parquet

    try:
        return _to_pandas(parquet.ParquetFile(pa.BufferReader(data)).read(), path)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f'{path}: not a complete parquet file ({error})') from None


def _json(data: bytes, path: str) -> Any:
    """A nested dict, or a table of records: a list of them, or one a line."""
    records = list(text.records(data, path, object_pairs_hook=without_repetition))
    if len(records) == 1 and any(isinstance(value, dict) for value in records[0][1].values()):
        return records[0][1]
    for place, record in records:
        if record.keys() != records[0][1].keys():
            raise ValueError(
                f'{place}: expected the names {", ".join(records[0][1])}, found {", ".join(record)}'
            )
    table = pd.DataFrame([record for _, record in records])
    for name in ('relevance', 'score'):
        written = next((each for each in NAMES[name] if each in table.columns), '')
        for place, record in records if written else ():
            value = record[written]
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f'{place}: {written} is {value!r}, expected a number')
    return table


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names must differ."""
    if (twice := text.first_twice(name for name, _ in pairs)) is not None:
        raise ValueError(f'the name {twice!r} is twice in an object')
    return dict(pairs)


FORMS: dict[str, Callable[[bytes, str], Any]] = {
    'tsv': lambda data, path: _with_header(data, path, '\t'),
    'csv': lambda data, path: _with_header(data, path, ','),
    'parquet': _parquet,
    'json': _json,
}
"""Forms of files that name their columns, and how each is read: as a DataFrame, or a nested dict."""


def recognize(data: bytes) -> str | None:
    """Recognize the form of a file that names its columns by its first bytes or line. Return None for any other
    file."""
    if data.startswith(b'PAR1'):
        return 'parquet'
    if re.match(rb'\s*(\{|\[\s*[\]{])', data):
        return 'json'
    line = next(iter(text.first_lines(data, 1)), '').strip()
    for form, delimiter in (('tsv', '\t'), ('csv', ',')):
        header = {name.strip().strip('"') for name in line.split(delimiter)}
        if len(header) > 1 and header & IDS:
            return form
    return None


def write_table(
    table: pd.DataFrame,
    path: str | os.PathLike[str],
    columns: list[str],
    form: str,
    separator: str,
    header: bool,
    overwrite: bool,
    quoted: bool = False,
    top: str = '',
) -> None:
    """Write columns of a table as lines of fields, compressed where the name ends with ``.gz``.

    Args:
        form: the name of the form, for messages.
        header: whether a line with the names of the columns comes first.
        quoted: whether readers of the form remove quotation marks.
        top: comment lines before all others.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: a text that would be read as something else.
    """
    check_target(path, overwrite)
    for name in columns:
        if pd.api.types.is_numeric_dtype(table[name]):
            continue
        texts = table[name].astype(str)
        wrong = (
            r'[\t\n\r]' if separator == '\t' else r'[ \t\n\r\v\f]',
            *['"'] * quoted,
            *['^#?$'] * (not may_be_empty(name)),
        )
        bad = texts[texts.str.contains('|'.join(wrong), regex=True)]
        if len(bad):
            raise ValueError(
                f'{name} {bad.iloc[0]!r} cannot be written in format {form!r}: it is empty, or holds white '
                f'space, a quotation mark or a # that would be read as something else'
            )
    lines = table.to_csv(
        sep=separator, columns=columns, header=header, index=False, quoting=3, lineterminator='\n'
    )
    data = (top + lines).encode()
    with replacing(path, overwrite) as partial, open(partial, 'wb') as file:
        file.write(gzip.compress(data, mtime=0) if os.fspath(path).endswith('.gz') else data)
