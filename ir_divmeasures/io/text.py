"""Files of judgments and runs, plain or compressed: lines of fields → columns of text, bad lines named.

In well-formed files, all fields are found at once by the bytes that separate them. Any other file (several spaces in a
row, comments, an invalid line) is read again line by line, which either succeeds or names the invalid line.
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
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import did_you_mean
from .rows import Rows, Strings, TextColumn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


class Shape(NamedTuple):
    """The shape of a line of a file: its fields in order, which of them are numbers, and what separates them."""

    names: tuple[str, ...]
    numeric: tuple[str, ...] = ()
    tabs_only: bool = False

    def split(self, raw: bytes) -> list[bytes]:
        """Return the fields of a line. Only ASCII spaces separate them; an id may contain a no-break space."""
        return raw.split(b'\t') if self.tabs_only else raw.split()

    def fits(self, raw: bytes) -> bool:
        """Whether a line that begins with ``#`` has all the fields of one with data, a query id such as ``#metoo``."""
        fields = self.split(raw)
        return (
            len(fields) == len(self.names)
            and fields[0].strip() != b'#'
            and all(
                number(field.decode('utf-8', 'replace')) is not None
                for name, field in zip(self.names, fields)
                if name in self.numeric
            )
        )


class _Sips(io.BytesIO):
    """Bytes that are read in small parts, so that the number of bytes behind each decompressed block is known."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(SIP if size is None or size < 0 else min(size, SIP))


def _gzip(file: Any) -> Any:
    return gzip.GzipFile(fileobj=file)


def _bzip2(file: Any) -> Any:
    return importlib.import_module('bz2').BZ2File(file)


def _xz(file: Any) -> Any:
    return importlib.import_module('lzma').LZMAFile(file)


def _zstandard(file: Any) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, 'r'), 'zstd')


COMPRESSED: tuple[tuple[str, bytes, Callable[[Any], Any]], ...] = (
    ('gzip', b'\x1f\x8b', _gzip),
    ('bzip2', b'BZh', _bzip2),
    ('xz', b'\xfd7zXZ\x00', _xz),
    ('zstandard', b'\x28\xb5\x2f\xfd', _zstandard),
)
"""Compression formats: name, first bytes, and the function that decompresses an open file."""

SIP, BLOCK, MOST_INFLATED = 1 << 15, 1 << 24, 250
"""The largest ratio of decompressed to compressed size. Files are decompressed in blocks, and a file with a larger
ratio is #: refused. Runs and judgments have ratios of about 4 to 40, and files that are made to fill the memory 1,000
to 10,000."""


def no_such_file(path: str) -> FileNotFoundError:
    """The error that there is no file of this name, with one of a like name in its folder."""
    folder = os.path.dirname(path) or '.'
    near = (
        did_you_mean(os.path.basename(path), os.listdir(folder), list_known=False)
        if os.path.isdir(folder)
        else ''
    )
    return FileNotFoundError(f'{path}: no such file{near}')


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file or pipe. Its first bytes tell whether it is compressed (gzip, bzip2, xz,
    zstandard)."""
    path = os.fspath(path)
    try:
        with open(path, 'rb') as file:
            return decompressed(file.read(), path)
    except IsADirectoryError:
        raise IsADirectoryError(f'{path}: a folder, expected a file') from None
    except FileNotFoundError:
        raise no_such_file(path) from None


def opening(path: str) -> bytes:
    """The first lines of a file, decompressed; about :data:`SIP` bytes.

    Raises:
        ValueError: an incomplete file.
    """
    with open(path, 'rb') as file:
        begins = file.read(8)
        file.seek(0)
        compression = next((each for each in COMPRESSED if begins.startswith(each[1])), None)
        if compression is None:
            data = file.read(SIP)
        else:
            try:
                with compression[2](file) as stream:
                    data = stream.read(SIP)
            except Exception as error:  # each library has its own
                raise ValueError(
                    f'{path}: not a complete {compression[0]} file ({error})'
                ) from None
    return data if len(data) < SIP else data[: data.rfind(NEWLINE) + 1]


def decompressed(data: bytes, path: str) -> bytes:
    """The content of a file from its bytes, without a byte order mark.

    Raises:
        ValueError: an incomplete file, or one that inflates to more than :data:`MOST_INFLATED` times its size.
    """
    for name, begins, inflating in COMPRESSED:
        if data.startswith(begins):
            data = _inflated(data, path, name, inflating)
            break
    return data[3:] if data[:3] == b'\xef\xbb\xbf' else data


def _inflated(data: bytes, path: str, name: str, inflating: Callable[[Any], Any]) -> bytes:
    """Yield the blocks of a compressed file. The size of each block is checked before the next one is decompressed."""
    compressed, parts = _Sips(data), list[bytes]()
    inflated = read = before = 0
    try:
        with inflating(compressed) as stream:
            while part := stream.read(BLOCK):
                parts.append(part)
                inflated += len(part)
                if inflated >= BLOCK:
                    read = compressed.tell() - before
                    if read * MOST_INFLATED < inflated:
                        break
                    inflated, before = 0, compressed.tell()
            else:
                return b''.join(parts)  # one part is not copied
    except Exception as error:  # each library has its own
        raise ValueError(f'{path}: not a complete {name} file ({error})') from None
    raise ValueError(
        f'{path}: {inflated} bytes are inflated from {read} bytes of this {name} file; lines of runs '
        f'or judgments grow by less than {MOST_INFLATED} times. If they are right, inflate the file first'
    )


def split_columns(
    data: bytes,
    path: str,
    names: list[str],
    keep: list[str],
    numeric: tuple[str, ...] = (),
    tabs_only: bool = False,
    quoted: bool = False,
) -> dict[str, Any]:
    """Columns ``keep`` of lines that have the fields ``names``: by name the texts, ``numeric`` ones as floats.

    Fields are separated by spaces or tabs (``tabs_only``: by tabs); with ``quoted`` their quotation marks are removed.
    Empty lines and lines that begin with ``#`` are skipped. Lines may end with CRLF.

    Raises:
        ValueError: a line with another number of fields, bytes that are not UTF-8, a numeric field that is not a
            number (NaN included); names file and line.
    """
    lines = data[after_comments(data) :]
    columns_read = _fast(
        lines.replace(b'"', b'') if quoted else lines, Shape(tuple(names), numeric, tabs_only), keep
    )
    return columns_read or _careful(
        data, path, Shape(tuple(names), numeric, tabs_only), keep, quoted
    )


def _fast(data: bytes, shape: Shape, keep: list[str]) -> dict[str, Any] | None:
    """What :func:`_careful` gives, of well-formed lines: all fields there, one blank or tab between them, no comments;
    None of any others."""
    import numpy as np
    import pyarrow as pa

    if shape.tabs_only:
        data = data.replace(b'\r\n', NEWLINE)
    if data[-1:] != NEWLINE:
        data += NEWLINE
    if b'#' in data and (data[:1] == b'#' or b'\n#' in data) or shape.tabs_only and b'\r' in data:
        return None
    if not data.isascii():
        try:
            data.decode('utf-8')
        except UnicodeDecodeError:
            return None
    pieces = list(_pieces(data))
    columns: dict[str, Any] = {}
    if (
        len(pieces) > 1
    ):  # the fields are copied, so that no more than a piece's bounds are in memory
        lines = data.count(NEWLINE)
        columns = {
            name: np.empty(lines) if name in shape.numeric else TextColumn(lines, len(data))
            for name in keep
        }
    row = 0
    for start, end in pieces:
        bounds = _bounds(data, start, end, shape, [shape.names.index(name) for name in keep])
        if bounds is None:
            return _fast(data.replace(b'\r\n', NEWLINE), shape, keep) if b'\r\n' in data else None
        rows = slice(row, row := row + bounds.shape[1])
        for name, each in zip(keep, bounds):
            texts = Strings.between(data, each)
            try:
                values: Any = texts.numbers() if name in shape.numeric else texts
            except pa.ArrowInvalid:
                return None
            if name in shape.numeric and np.isnan(values.min()):
                return None
            if len(pieces) == 1:
                columns[name] = values
            elif name in shape.numeric:
                columns[name][rows] = values
            else:
                columns[name].write(rows, values)
    return {
        name: each.strings() if isinstance(each, TextColumn) else each
        for name, each in columns.items()
    }


def _pieces(data: bytes) -> Iterator[tuple[int, int]]:
    """Return where pieces of whole lines begin and end. A piece has about :data:`MOST_AT_ONCE` bytes at most."""
    start = 0
    while start < len(data):
        end = data.find(NEWLINE, min(start + MOST_AT_ONCE, len(data)) - 1) + 1
        yield start, end
        start = end


def _bounds(
    data: bytes, start: int, end: int, shape: Shape, places: list[int]
) -> NDArray[np.int64] | None:
    """Where some fields begin and end in the lines of a piece, (fields, lines, 2); None where a field is empty, or a
    line has not as many as it should."""
    import numpy as np

    text, n = np.frombuffer(data, dtype=np.uint8)[start:end], len(shape.names)
    parts = np.flatnonzero((text == TAB) | (text == LINE_END) if shape.tabs_only else text <= BLANK)
    if len(parts) % n or parts[0] == 0 or np.min(parts[1:] - parts[:-1], initial=2) < 2:
        return None
    ends, bytes_at_ends = parts.reshape(-1, n), text.take(parts)
    if np.any(bytes_at_ends[n - 1 :: n] != LINE_END) or np.count_nonzero(
        (bytes_at_ends == BLANK) | (bytes_at_ends == TAB)
    ) != len(bytes_at_ends) - len(ends):
        return None
    bounds = np.empty((len(places), len(ends), 2), dtype=np.int64)
    for (begin, stop), place in zip(bounds.transpose(0, 2, 1), places):
        np.add(ends[:, place], start, out=stop)
        if place:
            np.add(ends[:, place - 1], start + 1, out=begin)
        else:
            begin[0] = start
            np.add(ends[:-1, -1], start + 1, out=begin[1:])
    return bounds


def _careful(data: bytes, path: str, shape: Shape, keep: list[str], quoted: bool) -> dict[str, Any]:
    import numpy as np
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
            raise ValueError(
                f'{path}, line {at}: expected {len(names)} fields ({" ".join(names)}), '
                f'found {len(fields)}: {line.strip()[:120]!r}'
            )
        for column, place, name in zip(columns, places, keep):
            field = fields[place].replace('"', '') if quoted else fields[place]
            column.append(_number(field, name, path, at) if name in numeric else field)
    return {
        name: np.array(column, dtype=float)
        if name in numeric
        else Strings(pa.array(column, pa.large_string()))
        for name, column in zip(keep, columns)
    }


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


_HALVES = re.compile(
    r'\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}',
    re.IGNORECASE,
)
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
        return json.loads(
            written,
            parse_int=lambda digits: int(digits) if len(digits) < 300 else float(digits),
            **options,
        )
    except RecursionError:
        raise ValueError(f'{where}: not JSON (nested too deep)') from None


def split_table(
    data: bytes,
    path: str,
    delimiter: str = '\t',
) -> tuple[list[str], dict[str, tuple[str, ...]], list[int]]:
    """Lines of fields under a header: the header, each column's texts, and the number of each line.

    Fields separated by tabs stand as they are; those separated by commas may be quoted. Comments begin with ``#`` and
    have fewer fields than the header.

    Raises:
        ValueError: a column twice in the header, a line with another number of fields, bytes that are not UTF-8.
    """
    rows: list[list[str]] = []
    numbers: list[int] = []
    lines = io.StringIO(decoded(data, path), newline='')
    reader = (
        csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
        if delimiter == '\t'
        else csv.reader(lines, delimiter=delimiter)
    )
    try:
        for fields in reader:
            if (
                not ''.join(fields).strip()
                or fields[0].lstrip().startswith('#')
                and (not rows or len(fields) != len(rows[0]))
            ):
                continue
            if rows and len(fields) != len(rows[0]):
                raise ValueError(
                    f'{path}, line {reader.line_num}: expected {len(rows[0])} fields '
                    f'({" ".join(rows[0])}), found {len(fields)}: {delimiter.join(fields)[:120]!r}'
                )
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
BLANK, TAB, LINE_END = b' \t\n'
MOST_AT_ONCE = 1 << 22
"""The number of bytes of a file that are processed at once."""


def decoded(data: bytes, path: str) -> str:
    """A file's text.

    Raises:
        ValueError: bytes that are not UTF-8; names file and line.
    """
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError as error:
        raise ValueError(
            f'{path}, line {data.count(NEWLINE, 0, error.start) + 1}: not UTF-8 text '
            f'({error.reason}, byte {error.start})'
        ) from None


def content(data: bytes, *shapes: Shape) -> Iterator[tuple[int, bytes]]:
    """The lines that are neither empty nor a comment, with their numbers.

    A comment begins with ``#``; of known shapes only where it has not all the fields of a line with data.
    """
    for at, raw in enumerate(data.splitlines(), 1):
        if raw.strip() and (
            not raw.lstrip().startswith(b'#') or any(shape.fits(raw) for shape in shapes)
        ):
            yield at, raw


def after_comments(data: bytes) -> int:
    """Where the comments at the top of a file end: lines whose first field is ``#``, which is no id."""
    start = 0
    while data[start : start + 2] in (b'# ', b'#\t', b'#\n', b'#\r'):
        start = data.find(NEWLINE, start) + 1
        if not start:
            return len(data)
    return start


def fields(line: str) -> list[str]:
    """The fields of a line that are separated by ASCII blanks; an id may hold another one, as a no-break space."""
    return [field.decode('utf-8') for field in line.encode('utf-8').split()]


def first_lines(data: bytes, n: int) -> list[str]:
    """The first n lines with content, as text."""
    end = after_comments(data)
    for _ in range(4 * n):  # no need to split a large file
        end = data.find(b'\n', end) + 1
        if not end:
            end = len(data)
            break
    for part in (data[:end], data):
        if lines := [raw.decode('utf-8', 'replace') for _, raw in content(part)][:n]:
            return lines
    # Each line begins with #: comments, or the file has no query but such as #metoo.
    return [raw.decode('utf-8', 'replace') for raw in data.splitlines() if len(raw.split()) > 3][:n]


def line_of(data: bytes, row: int, shape: Shape | None = None) -> int:
    """The line number of the row-th line that is neither empty nor a comment; 0 where there is none."""
    return next(
        (
            at
            for place, (at, _) in enumerate(content(data, *[shape] if shape else []))
            if place == row
        ),
        0,
    )


def frame(columns: dict[str, Any]) -> pd.DataFrame:
    """The columns of :func:`split_columns` as a DataFrame."""
    return Rows(columns).frame
