"""Files of judgments and runs, plain or compressed: lines of fields → columns of text, bad lines named.

Well-formed files go through pyarrow's CSV reader. What it does not take (several blanks in a row, comments, mixed
tabs and blanks, a wrong line) is read again line by line, which either succeeds or says which line is wrong.
"""
from __future__ import annotations

import csv
import gzip
import importlib
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..errors import did_you_mean


class Shape(NamedTuple):
    """What a line of a file is: its fields in order, which of them are numbers, and how they are parted."""
    names: tuple[str, ...]
    numeric: tuple[str, ...] = ()
    tabs_only: bool = False

    def split(self, raw: bytes) -> list[bytes]:
        """The fields of a line; only ASCII blanks part them, an id may hold a no-break space."""
        return raw.split(b'\t') if self.tabs_only else raw.split()

    def fits(self, raw: bytes) -> bool:
        """Whether a line that begins with ``#`` has all the fields of one with data, a query id such as ``#metoo``."""
        fields = self.split(raw)
        return len(fields) == len(self.names) and fields[0].strip() != b'#' and all(
            number(field.decode('utf-8', 'replace')) is not None
            for name, field in zip(self.names, fields) if name in self.numeric)


def _zstandard(data: bytes) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), 'zstd') as stream:
        return stream.read()


COMPRESSED: tuple[tuple[str, bytes, Callable[[bytes], bytes]], ...] = (
    ('gzip', b'\x1f\x8b', gzip.decompress),
    ('bzip2', b'BZh', lambda data: importlib.import_module('bz2').decompress(data)),
    ('xz', b'\xfd7zXZ\x00', lambda data: importlib.import_module('lzma').decompress(data)),
    ('zstandard', b'\x28\xb5\x2f\xfd', _zstandard))
"""Ways to compress a file: name, first bytes, and how it is undone."""


def no_such_file(path: str) -> FileNotFoundError:
    """The error that there is no file of this name, with one of a like name in its folder."""
    folder = os.path.dirname(path) or '.'
    near = did_you_mean(os.path.basename(path), os.listdir(folder), list_known=False) if os.path.isdir(folder) else ''
    return FileNotFoundError(f'{path}: no such file{near}')


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file or pipe, decompressed if it is gzip, bzip2, xz or zstandard (told by its first bytes)."""
    path = os.fspath(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f'{path}: a folder, expected a file')
    if not os.path.exists(path):
        raise no_such_file(path)
    with open(path, 'rb') as file:
        return decompressed(file.read(), path)


def decompressed(data: bytes, path: str) -> bytes:
    """The content of a file from its bytes, without a byte order mark."""
    for name, begins, undo in COMPRESSED:
        if data.startswith(begins):
            try:
                data = undo(data)
            except Exception as error:  # each library has its own
                raise ValueError(f'{path}: not a complete {name} file ({error})') from None
            break
    return data[3:] if data[:3] == b'\xef\xbb\xbf' else data


def split_columns(data: bytes, path: str, names: list[str], keep: list[str], numeric: tuple[str, ...] = (),
                  tabs_only: bool = False, quoted: bool = False) -> Any:
    """Columns ``keep`` of lines that have the fields ``names``: a pyarrow table of strings, ``numeric`` ones of floats.

    Fields are parted by blanks or tabs (``tabs_only``: by tabs); with ``quoted`` their quotation marks are taken off.
    Empty lines and lines that begin with ``#`` are passed over; CRLF is fine.

    Raises:
        ValueError: a line with another number of fields, bytes that are not UTF-8, a numeric field that is not a
            number (NaN included); names file and line.
    """
    table = _fast(data.replace(b'"', b'') if quoted else data, names, keep, numeric, tabs_only)
    if table is not None:
        return table
    return _careful(data, path, Shape(tuple(names), numeric, tabs_only), keep, quoted)


def _fast(data: bytes, names: list[str], keep: list[str], numeric: tuple[str, ...], tabs_only: bool) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    tab, blank = b'\t' in data, b' ' in data
    if not data or (tab and blank and not tabs_only):
        return None
    if b'\r' in data and data.count(b'\r') != data.count(b'\r\n'):
        return None
    # Where no field can be empty, those that are not kept need not be looked at.
    read = names if _may_have_empty_fields(data) else list(dict.fromkeys([names[0], *keep, *numeric]))
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=names, block_size=min(len(data) + 1, MOST_AT_ONCE)),
            parse_options=csv.ParseOptions(delimiter='\t' if tab or tabs_only else ' ', quote_char=False),
            convert_options=csv.ConvertOptions(include_columns=read, null_values=[],
                                               column_types={name: pa.float64() if name in numeric
                                                             else pa.large_string() for name in names}))
    except pa.ArrowInvalid:
        return None
    for name in read:
        if name in numeric:
            if np.isnan(table[name].to_numpy()).any():
                return None
        elif read is names and table.num_rows and pc.min(pc.binary_length(table[name])).as_py() == 0:
            return None
    if b'#' in data and pc.any(pc.starts_with(table[names[0]], '#')).as_py():
        return None
    return table.select(keep)


def _may_have_empty_fields(data: bytes) -> bool:
    """Whether two blanks, tabs or ends of lines stand side by side, as around an empty field, or one begins the data or
    ends it otherwise than a line. Told by bytes up to the blank, which is quick."""
    import numpy as np

    blank = np.frombuffer(data, dtype=np.uint8) <= BLANK
    return bool(blank[0] or blank[-1] and data[-1:] != NEWLINE or np.any(blank[1:] & blank[:-1]))


def _careful(data: bytes, path: str, shape: Shape, keep: list[str], quoted: bool) -> Any:
    import pyarrow as pa

    names, numeric = shape.names, shape.numeric
    places = [names.index(name) for name in keep]
    columns: list[list[Any]] = [[] for _ in keep]
    for at, raw in content(data, shape):
        try:
            line = raw.decode('utf-8')
            fields = [field.decode('utf-8') for field in shape.split(raw)]
        except UnicodeDecodeError as error:
            raise ValueError(f'{path}, line {at}: not UTF-8 text ({error})') from None
        if len(fields) != len(names):
            raise ValueError(f'{path}, line {at}: expected {len(names)} fields ({" ".join(names)}), '
                             f'found {len(fields)}: {line.strip()[:120]!r}')
        for column, place, name in zip(columns, places, keep):
            field = fields[place].replace('"', '') if quoted else fields[place]
            column.append(_number(field, name, path, at) if name in numeric else field)
    return pa.table({name: pa.array(column, pa.float64() if name in numeric else pa.large_string())
                     for name, column in zip(keep, columns)})


def _number(text: str, name: str, path: str, line: int) -> float:
    value = number(text)
    if value is None:
        raise ValueError(f'{path}, line {line}: {name} is {text!r}, expected a number')
    return value


def number(text: str) -> float | None:
    """The number that a text writes, or None: not NaN, nor Python's ``1_0`` and digits of other scripts."""
    try:
        value = float(text) if '_' not in text and text.isascii() else math.nan
    except ValueError:
        return None
    return None if math.isnan(value) else value


_HALVES = re.compile(r'\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}',
                     re.IGNORECASE)
"""An escape for half of a character, without the other half."""


def load_json(written: str, where: str, **options: Any) -> Any:
    """What a JSON text writes; whole numbers beyond a float's range are infinite.

    Raises:
        json.JSONDecodeError: not JSON.
        ValueError: nested too deep, or half of a character; names ``where``.
    """
    if '\\u' in written and (half := _HALVES.search(written.replace('\\\\', ''))):
        raise ValueError(f'{where}: {half[0]} is half of a character')
    try:
        return json.loads(written, parse_int=lambda digits: int(digits) if len(digits) < 300 else float(digits),
                          **options)
    except RecursionError:
        raise ValueError(f'{where}: not JSON (nested too deep)') from None


def split_table(data: bytes, path: str, delimiter: str = '\t',
                ) -> tuple[list[str], dict[str, tuple[str, ...]], list[int]]:
    """Lines of fields under a header: the header, each column's texts, and the number of each line.

    Fields parted by tabs stand as they are; those parted by commas may be quoted. Comments begin with ``#`` and have
    not as many fields as the header.

    Raises:
        ValueError: a column twice in the header, a line with another number of fields, bytes that are not UTF-8.
    """
    rows: list[list[str]] = []
    numbers: list[int] = []
    lines = io.StringIO(decoded(data, path), newline='')
    reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE) if delimiter == '\t' \
        else csv.reader(lines, delimiter=delimiter)
    try:
        for fields in reader:
            if not ''.join(fields).strip() or fields[0].lstrip().startswith('#') \
                    and (not rows or len(fields) != len(rows[0])):
                continue
            if rows and len(fields) != len(rows[0]):
                raise ValueError(f'{path}, line {reader.line_num}: expected {len(rows[0])} fields '
                                 f'({" ".join(rows[0])}), found {len(fields)}: {delimiter.join(fields)[:120]!r}')
            rows.append(fields)
            numbers.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f'{path}, line {reader.line_num}: {error}') from None
    if not rows:
        raise ValueError(f'{path}: no header')
    header = rows[0] = [name.strip() for name in rows[0]]
    twice = [name for i, name in enumerate(header) if name in header[:i]]
    if twice:
        raise ValueError(f'{path}, line {numbers[0]}: the header has the column {twice[0]!r} twice')
    texts = list(zip(*rows[1:])) or [()] * len(header)
    return header, dict(zip(header, texts)), numbers[1:]


NEWLINE = b'\n'
BLANK = ord(' ')
MOST_AT_ONCE = 1 << 24
"""Bytes of a file that are parsed as one piece: a smaller file needs no putting together."""


def decoded(data: bytes, path: str) -> str:
    """A file's text.

    Raises:
        ValueError: bytes that are not UTF-8; names file and line.
    """
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError as error:
        raise ValueError(f'{path}, line {data.count(NEWLINE, 0, error.start) + 1}: not UTF-8 text '
                         f'({error.reason}, byte {error.start})') from None


def content(data: bytes, *shapes: Shape) -> Iterator[tuple[int, bytes]]:
    """The lines that are neither empty nor a comment, with their numbers.

    A comment begins with ``#``; of known shapes only where it has not all the fields of a line with data.
    """
    for at, raw in enumerate(data.splitlines(), 1):
        if raw.strip() and (not raw.lstrip().startswith(b'#') or any(shape.fits(raw) for shape in shapes)):
            yield at, raw


def fields(line: str) -> list[str]:
    """The fields of a line that are parted by ASCII blanks; an id may hold another one, as a no-break space."""
    return [field.decode('utf-8') for field in line.encode('utf-8').split()]


def first_lines(data: bytes, n: int) -> list[str]:
    """The first n lines with content, as text."""
    end = 0
    for _ in range(4 * n):  # no need to split a large file
        end = data.find(b'\n', end) + 1
        if not end:
            end = len(data)
            break
    for part in (data[:end], data):
        if found := [raw.decode('utf-8', 'replace') for _, raw in content(part)][:n]:
            return found
    # Each line begins with #: comments, or the file has no query but such as #metoo.
    return [raw.decode('utf-8', 'replace') for raw in data.splitlines() if len(raw.split()) > 3][:n]


def line_of(data: bytes, row: int, shape: Shape | None = None) -> int:
    """The line number of the row-th line that is neither empty nor a comment; 0 where there is none."""
    return next((at for place, (at, _) in enumerate(content(data, *[shape] if shape else []))
                if place == row), 0)


def frame(table: Any) -> Any:
    """A pyarrow table as a DataFrame."""
    return table.to_pandas()
