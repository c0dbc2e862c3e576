"""Files of judgments and runs, plain or .gz: lines of fields → columns of text, with the line named when one is bad.

Well-formed files go through pyarrow's CSV reader. What it does not take (several blanks in a row, comments, mixed
tabs and blanks, a wrong line) is read again line by line, which either succeeds or says which line is wrong.
"""
from __future__ import annotations

import gzip
import math
import os
import zlib
from typing import Any

from ..errors import did_you_mean


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file, decompressed if it is gzip (told by its first bytes, not by its name)."""
    path = os.fspath(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f'{path}: a folder, expected a file')
    if not os.path.isfile(path):
        folder = os.path.dirname(path) or '.'
        near = did_you_mean(os.path.basename(path), os.listdir(folder), list_known=False) \
            if os.path.isdir(folder) else ''
        raise FileNotFoundError(f'{path}: no such file{near}')
    with open(path, 'rb') as file:
        data = file.read()
    if data[:2] == b'\x1f\x8b':
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f'{path}: not a complete gzip file ({error})') from None
    return data[3:] if data[:3] == b'\xef\xbb\xbf' else data


def split_columns(data: bytes, path: str, names: list[str], keep: list[str], numeric: tuple[str, ...] = (),
                  tabs_only: bool = False) -> Any:
    """Columns ``keep`` of lines that have the fields ``names``: a pyarrow table of strings, ``numeric`` ones of floats.

    Fields are parted by blanks or tabs (``tabs_only``: by tabs). Empty lines and lines that begin with ``#`` are
    passed over; CRLF is fine.

    Raises:
        ValueError: a line with another number of fields, bytes that are not UTF-8, a numeric field that is not a
            number (NaN included); names file and line.
    """
    table = _fast(data, names, keep, numeric, tabs_only)
    return _careful(data, path, names, keep, numeric, tabs_only) if table is None else table


def _fast(data: bytes, names: list[str], keep: list[str], numeric: tuple[str, ...], tabs_only: bool) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    tab, blank = b'\t' in data, b' ' in data
    if not data or (tab and blank and not tabs_only):
        return None
    if b'\r' in data and data.count(b'\r') != data.count(b'\r\n'):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=names),
            parse_options=csv.ParseOptions(delimiter='\t' if tab or tabs_only else ' ', quote_char=False),
            convert_options=csv.ConvertOptions(null_values=[], column_types={
                name: pa.float64() if name in numeric else pa.large_string() for name in names}))
    except pa.ArrowInvalid:
        return None
    for name in names:
        if name in numeric:
            if pc.any(pc.is_nan(table[name])).as_py():
                return None
        elif table.num_rows and pc.min(pc.binary_length(table[name])).as_py() == 0:
            return None
    if pc.any(pc.starts_with(table[names[0]], '#')).as_py():
        return None
    return table.select(keep)


def _careful(data: bytes, path: str, names: list[str], keep: list[str], numeric: tuple[str, ...],
             tabs_only: bool) -> Any:
    import pyarrow as pa

    places = [names.index(name) for name in keep]
    columns: list[list[Any]] = [[] for _ in keep]
    for number, raw in enumerate(data.splitlines(), 1):
        if not raw.strip() or raw.lstrip().startswith(b'#'):
            continue
        try:
            line = raw.decode('utf-8')
            # Only ASCII blanks part fields: an id may hold a no-break space.
            fields = line.split('\t') if tabs_only else [field.decode('utf-8') for field in raw.split()]
        except UnicodeDecodeError as error:
            raise ValueError(f'{path}, line {number}: not UTF-8 text ({error})') from None
        if len(fields) != len(names):
            raise ValueError(f'{path}, line {number}: expected {len(names)} fields ({" ".join(names)}), '
                             f'found {len(fields)}: {line.strip()[:120]!r}')
        for column, place, name in zip(columns, places, keep):
            field = fields[place]
            column.append(_number(field, name, path, number) if name in numeric else field)
    return pa.table({name: pa.array(column, pa.float64() if name in numeric else pa.large_string())
                     for name, column in zip(keep, columns)})


def _number(text: str, name: str, path: str, line: int) -> float:
    try:
        value = math.nan if '_' in text else float(text)  # Python reads 1_0 as 10
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise ValueError(f'{path}, line {line}: {name} is {text!r}, expected a number')
    return value


def line_of(data: bytes, row: int) -> int:
    """The line number of the row-th line that is neither empty nor a comment."""
    for number, raw in enumerate(data.splitlines(), 1):
        if raw.strip() and not raw.lstrip().startswith(b'#'):
            if row == 0:
                return number
            row -= 1
    return 0


def frame(table: Any) -> Any:
    """A pyarrow table as a DataFrame."""
    return table.to_pandas()
