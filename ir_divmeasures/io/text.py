"""Files of judgments and runs, plain or compressed: lines of fields → columns of text, bad lines named.

In well-formed files, all fields are found at once by the bytes that separate them. Any other file (several spaces in a
row, comments, an invalid line) is read again line by line, which either succeeds or names the invalid line.
"""

from __future__ import annotations

import contextlib
import csv
import importlib
import io
import itertools
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..lazy import pa
from .files import no_such_file
from .text_columns import GrowingTexts, Texts


class Shape(NamedTuple):
    """The shape of a line of a file: its fields in order, which of them are numbers, and whether tabs alone separate
    them."""

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


COMPRESSED = (
    ('gzip', b'\x1f\x8b', 'gzip'),
    ('bzip2', b'BZh', 'bz2'),
    ('xz', b'\xfd7zXZ\x00', 'lzma'),
    ('zstandard', b'\x28\xb5\x2f\xfd', ''),
)
"""Compression formats: name, first bytes, and the module with a function ``open``; pyarrow opens the last one."""

SIP, BLOCK, MOST_INFLATED = 1 << 15, 1 << 24, 250
"""The largest ratio of decompressed to compressed size. Files are decompressed in blocks, and a file with a larger
ratio is refused. Runs and judgments have ratios of about 4 to 40, and files that are made to fill the memory 1,000
to 10,000."""


OTHERS = (
    ('a pointer of Git LFS; `git lfs pull` fetches the file itself', rb'version https://git-lfs'),
    ('compressed twice; decompress it once', b'|'.join(re.escape(each[1]) for each in COMPRESSED)),
    ('a zip archive; unpack it', rb'PK\x03\x04'),
    ('a tar archive; unpack it', rb'.{257}ustar'),
    (
        'UTF-16 text; convert it to UTF-8',
        rb'\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]',
    ),
    ('a page of HTML', rb'(?i)\s*<(!doctype )?html\b'),
    ('XML', rb'\s*<([?!]|[A-Za-z][^\n]*>[^\S\n]*(\n|$))'),
)
"""Kinds of files that are neither runs nor judgments: what they are, and a pattern of how they begin."""


def check_kind(data: bytes, path: str) -> None:
    """Raise an error that says what a file is if it is neither a run nor judgments.

    Args:
        data: the decompressed content.
    """
    for kind, begins in OTHERS:
        if re.match(begins, data):
            raise ValueError(f'{path}: neither a run nor judgments, but {kind}')


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
    """How a file begins, decompressed; :data:`SIP` bytes.

    Raises:
        ValueError: an incomplete file.
    """
    with open(path, 'rb') as file:
        return _inflated(file, path, SIP)


def decompressed(data: bytes, path: str) -> bytes:
    """The content of a file from its bytes, without a byte order mark.

    Raises:
        ValueError: an incomplete file, or one that inflates to more than :data:`MOST_INFLATED` times its size.
    """
    return _inflated(io.BytesIO(data), path, sys.maxsize).removeprefix(b'\xef\xbb\xbf')


def _inflated(file: IO[bytes], path: str, most: int) -> bytes:
    """The content of an open file, about ``most`` bytes of it."""
    begins = file.read(8)
    file.seek(0)
    compressions = [each for each in COMPRESSED if begins.startswith(each[1])]
    if not compressions:
        return file.read(most)
    name, _, module = compressions[0]
    parts, read, inflated = list[bytes](), 0, 0
    try:
        stream = (
            importlib.import_module(module).open(file)
            if module
            else pa.CompressedInputStream(pa.PythonFile(file, 'r'), 'zstd')
        )
        with stream:
            while inflated < min(most, max(BLOCK, MOST_INFLATED * read)) and (
                part := stream.read(min(most, BLOCK))
            ):
                parts.append(part)
                read, inflated = file.tell(), inflated + len(part)
    except Exception as error:  # each library has its own
        raise ValueError(f'{path}: not a complete {name} file ({error})') from None
    if inflated >= max(BLOCK, MOST_INFLATED * read):
        raise ValueError(
            f'{path}: {inflated} bytes are inflated from {read} bytes of this {name} file; lines of '
            f'runs or judgments grow by less than {MOST_INFLATED} times. If they are right, inflate '
            f'the file first'
        )
    return b''.join(parts)  # one part is not copied


class Lines(NamedTuple):
    """The lines of fields of a file, as columns.

    Attributes:
        data, path: the content of the file and its name.
        shape: the shape of a line.
        columns: the fields that are read, by name: texts, or numbers, NaN where a field writes none.
    """

    data: bytes
    path: str
    shape: Shape
    columns: dict[str, Any]

    @classmethod
    def read(
        cls, data: bytes, path: str, shape: Shape, names: Iterable[str], as_texts: bool = False
    ) -> Lines:
        """Read lines. Empty lines and lines that begin with ``#`` are skipped; lines may end with CRLF.

        Args:
            names: the fields that are read.
            as_texts: read numbers as texts, too.

        Raises:
            ValueError: a line with another number of fields, or bytes that are not UTF-8; names file and line.
        """
        keep = {name: name in shape.numeric and not as_texts for name in names}
        lines = data[after_comments(data) :]
        if b'\r' in lines:  # one byte is found faster than two
            lines = lines.replace(b'\r\n', NEWLINE)
        columns = None
        with contextlib.suppress(UnicodeDecodeError):
            columns = _fast(lines, shape, keep)
        return cls(data, path, shape, columns or _careful(data, path, shape, keep))

    def at(self, row: int) -> str:
        """The file and the line of a row, for messages."""
        return f'{self.path}, line {line_of(self.data, row, self.shape)}'

    def texts(self, name: str) -> Texts:
        """What the fields of a column write, read again."""
        return Lines.read(self.data, self.path, self.shape, [name], as_texts=True).columns[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The numbers that the fields of a column write, (rows,).

        Raises:
            ValueError: a field that writes no number (NaN included); names file and line.
        """
        values: NDArray[np.float64] = self.columns[name]
        is_wrong = np.isnan(values)
        if is_wrong.any():
            row = int(np.argmax(is_wrong))
            (written,) = self.texts(name).pick(np.array([row]))
            raise ValueError(f'{self.at(row)}: {name} is {written!r}, expected a number')
        return values


def split_columns(
    data: bytes,
    path: str,
    names: Iterable[str],
    numeric: tuple[str, ...] = (),
    tabs_only: bool = False,
) -> dict[str, Any]:
    """The columns of lines of fields: :class:`Texts` by name, and floats for ``numeric`` ones (see :class:`Lines`)."""
    shape = Shape(tuple(names), numeric, tabs_only)
    lines = Lines.read(data, path, shape, shape.names)
    return lines.columns | {name: lines.numbers(name) for name in numeric}


def _numbers(texts: Texts) -> NDArray[np.float64]:
    """The numbers that texts write, NaN for those that write none; (n,)."""
    with contextlib.suppress(pa.ArrowInvalid):
        return texts.numbers()
    code, distinct = texts.codes()
    return np.array(list(map(number, distinct.array.to_pylist())), dtype=float)[code]


def _fast(data: bytes, shape: Shape, keep: Mapping[str, bool]) -> dict[str, Any] | None:
    """What :func:`_careful` gives, of well-formed lines: all fields there, one blank or tab between them, no comments.
    For any others it returns None or raises UnicodeDecodeError.

    Args:
        keep: the fields that are read, and whether they become numbers.
    """
    if data[-1:] != NEWLINE:
        data += NEWLINE
    if b'#' in data and (data[:1] == b'#' or b'\n#' in data) or shape.tabs_only and b'\r' in data:
        return None
    if np.frombuffer(data, dtype=np.uint8).max() > 127:
        data.decode()
    n, columns, start, size = len(shape.names), list[Any](), 0, len(data)
    if len(data) > MOST_AT_ONCE:
        most, size = len(data) // (2 * n), PIECE
        columns = [[] if numeric else GrowingTexts(most, len(data)) for numeric in keep.values()]
    while start < len(data):
        end = data.find(NEWLINE, min(start + size, len(data)) - 1) + 1
        ends = _ends_of_fields(data, start, end, n, shape.tabs_only)
        if ends is None:
            return None
        fields = list[Any]()
        for name, numeric in keep.items():
            place = shape.names.index(name)
            bounds = np.empty((len(ends) // n, 2), dtype=np.int64)
            bounds[0, 0], bounds[:, 1] = start, ends[place::n]
            if place:
                np.add(ends[place - 1 :: n], 1, out=bounds[:, 0])
            else:
                np.add(ends[n - 1 : -1 : n], 1, out=bounds[1:, 0])
            texts = Texts.between(data, bounds)
            fields.append(_numbers(texts) if numeric else texts)
        if not columns:  # nothing is copied
            return dict(zip(keep, fields))
        for column, part in zip(columns, fields):
            column.append(part)
        start = end
    return {
        name: np.concatenate(column) if keep[name] else column.texts()
        for name, column in zip(keep, columns)
    }


def _ends_of_fields(
    data: bytes, start: int, end: int, n: int, tabs_only: bool
) -> NDArray[np.int64] | None:
    """Where the fields of the lines of a piece end; None where a field is empty, or a line has not n of them."""
    text = np.frombuffer(data, dtype=np.uint8)[start:end]
    is_end = (text == TAB) | (text == LINE_END) if tabs_only else text <= BLANK
    ends = np.flatnonzero(is_end)
    if len(ends) % n or ends[0] == 0 or np.any(is_end[1:] & is_end[:-1]):
        return None
    separators = text.take(ends)
    n_inside, n_blank = len(ends) - len(ends) // n, np.count_nonzero(separators == BLANK)
    if n_blank < n_inside:
        n_blank += np.count_nonzero(separators == TAB)
    if np.any(separators[n - 1 :: n] != LINE_END) or n_blank != n_inside:
        return None
    return ends + start if start else ends


def _careful(data: bytes, path: str, shape: Shape, keep: Mapping[str, bool]) -> dict[str, Any]:
    """The columns of lines that are read one by one."""
    rows = []
    for at, raw in content(data, shape):
        try:
            line = raw.decode('utf-8')
        except UnicodeDecodeError as error:
            raise ValueError(f'{path}, line {at}: not UTF-8 text ({error})') from None
        fields = [field.decode() for field in shape.split(raw)]
        if len(fields) != len(shape.names):
            raise ValueError(
                f'{path}, line {at}: expected {len(shape.names)} fields ({" ".join(shape.names)}), '
                f'found {len(fields)}: {line.strip()[:120]!r}'
            )
        rows.append(fields)
    columns = dict(zip(shape.names, zip(*rows)))
    texts = {name: Texts.of_strings(columns.get(name, ())) for name in keep}
    return {name: _numbers(texts[name]) if keep[name] else texts[name] for name in keep}


def number(text: str) -> float | None:
    """The number that a text writes, or None: not NaN, nor Python's ``1_0`` and digits of other scripts."""
    try:
        value = float(text) if '_' not in text and text.isascii() else math.nan
    except ValueError:
        return None
    return None if math.isnan(value) else value


_HALVES = r'(?i)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}'
"""An escape for half of a character, without the other half."""


def records(data: bytes, path: str, **options: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of JSON lines, or of a JSON file (an object, or a list of them), each with its place in words.

    Args:
        options: of :func:`json.loads`.

    Raises:
        ValueError: not JSON, or no objects; names file and line.
    """
    text = decoded(data, path)
    numbered = enumerate(text.split('\n'), 1)
    lines = [(f'{path}, line {number}', line) for number, line in numbered if line.strip()]
    if not lines:
        return
    try:
        whole = _json(*lines[0], options)
    except ValueError as error:  # an object or list that is written in several lines
        if len(lines) == 1 or 'not JSON' not in str(error):
            raise
        lines, whole = [(path, text)], _json(path, text, options)
    items: Iterator[Any] = itertools.chain([whole], (_json(*line, options) for line in lines[1:]))
    places: Iterable[str] = (place for place, _ in lines)
    if isinstance(whole, list) and len(lines) == 1:
        items, places = iter(whole), (f'{path}, record {n}' for n in itertools.count(1))
    for place, item in zip(places, items):
        if not isinstance(item, dict):
            raise ValueError(f'{place}: found {item!r:.60}, expected a JSON object')
        yield place, item


def _json(place: str, written: str, options: dict[str, Any]) -> Any:
    """What a JSON text writes; whole numbers beyond a float's range are infinite."""
    try:
        if '\\u' in written and (half := re.search(_HALVES, written.replace('\\\\', ''))):
            raise ValueError(f'{half[0]} is half of a character')
        return json.loads(
            written,
            parse_int=lambda digits: int(digits) if len(digits) < 300 else float(digits),
            **options,
        )
    except RecursionError:
        raise ValueError(f'{place}: not JSON (nested too deep)') from None
    except json.JSONDecodeError as error:
        line = '' if ', line ' in place else f', line {error.lineno}'
        raise ValueError(f'{place}{line}: not JSON ({error.msg})') from None
    except ValueError as error:
        raise ValueError(f'{place}: {error}') from None


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names must differ."""
    if (twice := first_twice(name for name, _ in pairs)) is not None:
        raise ValueError(f'the name {twice!r} is twice in an object')
    return dict(pairs)


def split_table(
    data: bytes,
    path: str,
    delimiter: str = '\t',
    quoted: bool = False,
) -> tuple[list[str], dict[str, tuple[str, ...]], list[int]]:
    """Lines of fields under a header: the header, each column's texts, and the number of each line.

    Fields separated by tabs stand as they are unless ``quoted`` is true; those separated by commas may be quoted.
    Comments begin with ``#`` and have fewer fields than the header.

    Raises:
        ValueError: a column twice in the header, a line with another number of fields, bytes that are not UTF-8.
    """
    rows: list[list[str]] = []
    numbers: list[int] = []
    reader = csv.reader(
        io.StringIO(decoded(data, path), newline=''),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted or delimiter != '\t' else csv.QUOTE_NONE,
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
            if len(fields) > MOST_COLUMNS:
                raise ValueError(
                    f'{path}, line {reader.line_num}: {len(fields)} columns, expected at most '
                    f'{MOST_COLUMNS}: name, in a file of its own, only what a run or judgments need'
                )
            rows.append(fields)
            numbers.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f'{path}, line {reader.line_num}: {error}') from None
    if not rows:
        raise ValueError(f'{path}: no header')
    header = rows[0] = [name.strip() for name in rows[0]]
    if (twice := first_twice(header)) is not None:
        raise ValueError(f'{path}, line {numbers[0]}: the header has the column {twice!r} twice')
    texts = list(zip(*rows[1:])) or [()] * len(header)
    return header, dict(zip(header, texts)), numbers[1:]


MOST_COLUMNS = 1000
"""The largest number of columns of a table of text."""


def first_twice(names: Iterable[Any]) -> Any:
    """The first of some names that repeats an earlier one, or None."""
    seen = set[Any]()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


NEWLINE = b'\n'
BLANK, TAB, LINE_END = b' \t\n'
MOST_AT_ONCE, PIECE = 1 << 22, 1 << 18
"""The largest number of bytes of a file that are processed at once, and the size of the pieces of a larger file, of which
each uses the memory of the one before."""


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
    comments = re.match(rb'(#(?=[ \t\r\n])[^\n]*\n?)*', data)
    return comments.end() if comments else 0


def fields(line: str) -> list[str]:
    """The fields of a line that are separated by ASCII blanks; an id may hold another one, as a no-break space."""
    return re.findall(r'\S+', line, re.ASCII)


def first_lines(data: bytes, n: int) -> list[str]:
    """The first n lines with content, as text."""
    start = after_comments(data)
    for end in (start + SIP, len(data)):  # no need to split a large file
        lines = [raw for _, raw in itertools.islice(content(data[start:end]), n + 1)]
        if len(lines) > n:
            break
    # If each line begins with #: comments, or the file has no query but such as #metoo.
    lines = lines or [raw for raw in data.splitlines() if len(raw.split()) > 3]
    return [raw.decode('utf-8', 'replace') for raw in lines[:n]]


def line_of(data: bytes, row: int, *shapes: Shape) -> int:
    """The line number of the row-th line that is neither empty nor a comment; 0 where there is none."""
    return next(itertools.islice(content(data, *shapes), row, None), (0, b''))[0]
