"""Lines of fields, such as those of TREC runs and judgments, as columns.

A file is read in pieces of whole lines. :func:`_find_fields` finds all fields of a piece at once, with masks on its bytes:
several blanks, blanks at the ends of lines, empty lines and comments cost little. Where a line or a number is not right, a
plain loop (:func:`_read_by_line`) reads the piece again. It names the file, the line, what was expected and what stands
there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import short
from ..lazy import pa
from .ids import Texts, call_arrow, values_of

NEWLINE, RETURN, BLANK, TAB, HASH = b'\n\r \t#'

PIECE = 1 << 19
"""The number of bytes that are read at once: each piece uses the memory of the one before."""


class Shape(NamedTuple):
    """The shape of a line.

    Attributes:
        names: its fields in order.
        numeric: the fields that are numbers.
    """

    names: tuple[str, ...]
    numeric: tuple[str, ...] = ()

    def is_data(self, raw: bytes) -> bool:
        """Whether a line has data: it is not empty, and either does not begin with ``#`` or has all fields of a line
        whose query is called ``#metoo``."""
        if not raw.lstrip().startswith(b'#'):
            return bool(raw.strip())
        fields = raw.split()  # at ASCII blanks; an id may contain a no-break space
        return (
            len(fields) == len(self.names)
            and fields[0] != b'#'
            and all(
                number(field.decode('utf-8', 'replace')) is not None
                for name, field in zip(self.names, fields)
                if name in self.numeric
            )
        )


class Lines(NamedTuple):
    """The lines of a file as columns.

    Attributes:
        path: the file.
        columns: the fields by name: :class:`Texts`, or floats.
        skipped: the numbers of the lines without data, ascending.
    """

    path: str
    columns: dict[str, Any]
    skipped: NDArray[np.int64]

    def place(self, row: int) -> str:
        """The file and the line of a row, for messages."""
        rows_before = self.skipped - np.arange(1, len(self.skipped) + 1)
        return f'{self.path}, line {row + 1 + np.searchsorted(rows_before, row, "right")}'


def read_lines(
    blocks: Iterable[bytes], path: str, shape: Shape, names: Iterable[str] = ()
) -> Lines:
    """Read lines of fields. Empty lines and comments (``#``) are skipped, and lines may end with CRLF.

    Args:
        blocks: the content of the file in blocks of any size, without a byte order mark.
        path: what messages call the file.
        shape: the shape of a line.
        names: the fields that are read; all if you give none.

    Raises:
        ValueError: a line with another number of fields, a field that should be a number and is none (NaN included), or
            bytes that are not UTF-8; names file and line.
    """
    names, line = tuple(names) or shape.names, 1
    numbers: dict[str, list[Any]] = {name: [] for name in names if name in shape.numeric}
    # Arrays of bounds and bytes grow in place: a file of gigabytes needs the memory of its columns only once.
    texts = {name: (np.zeros(1, np.int64), np.zeros(0, np.uint8)) for name in names}
    skipped = [np.zeros(0, dtype=np.int64)]
    for piece in _whole_lines(blocks):
        columns, places, n_lines = _read_piece(piece, line, path, shape, names)
        for name in names:
            if name in numbers:
                numbers[name].append(columns[name])
                continue
            (bounds, data), part = texts[name], columns[name]
            first, n, end = part.bounds, len(bounds), len(data)
            bounds.resize(n + len(part), refcheck=False)
            np.add(first[1:], end - first[0], out=bounds[n:])
            data.resize(bounds[-1], refcheck=False)
            added = np.frombuffer(part.array.buffers()[2] or b'', dtype=np.uint8)
            data[end:] = added[first[0] : first[-1]]
        skipped.append(places + line)
        line += n_lines
    read: dict[str, Any] = {}
    for name, (bounds, data) in texts.items():
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
        read[name] = (
            np.concatenate([np.zeros(0), *numbers[name]])
            if name in numbers
            else Texts(pa.Array.from_buffers(pa.large_string(), len(bounds) - 1, buffers))
        )
    return Lines(path, read, np.concatenate(skipped))


def number(text: str) -> float | None:
    """The number that a text writes, or None: not NaN, no number that a float cannot hold, and not Python's ``1_0`` and
    digits of other scripts."""
    try:
        value = float(text) if '_' not in text and text.isascii() else math.nan
    except ValueError:
        return None
    return None if math.isnan(value) or math.isinf(value) and 'n' not in text.lower() else value


def decoded(data: bytes, path: str, line: int = 1) -> str:
    """The text of a file, or of a part of it that begins with a line.

    Raises:
        ValueError: bytes that are not UTF-8; names file and line.
    """
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError as error:
        line += data.count(b'\n', 0, error.start)
        raise ValueError(f'{path}, line {line}: not UTF-8 text ({error.reason})') from None


def first_line(data: bytes) -> str:
    """The first line that is neither empty nor a comment. If all lines begin with ``#``, queries such as ``#metoo``
    may do so: then the first one of at least four fields."""
    other = b''
    for raw in re.finditer(rb'[^\r\n]+', data):
        line = raw[0].lstrip()
        if line and not line.startswith(b'#'):
            return line.decode('utf-8', 'replace')
        if not other and len(line.split()) > 3:
            other = line
    return other.decode('utf-8', 'replace')


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of whole lines of at least :data:`PIECE` bytes. The last one ends with a line end too."""
    rest = b''
    for block in blocks:
        block, start = rest + block, 0
        while end := block.find(b'\n', start + PIECE) + 1:
            yield block[start:end]
            start = end
        rest = block[start:]
    if rest:
        yield rest if rest.endswith(b'\n') else rest + b'\n'


Piece = tuple[dict[str, Any], NDArray[np.int64], int]
"""The columns of some lines, the places of those without data from 0, and the number of all lines."""


def _read_piece(data: bytes, line: int, path: str, shape: Shape, names: tuple[str, ...]) -> Piece:
    """Read whole lines, the first of which has a number in its file."""
    if b'\r' in data:  # which is a blank before a line end
        text = np.frombuffer(data, dtype=np.uint8)
        if np.any(text[np.flatnonzero(text == RETURN) + 1] != NEWLINE):
            data = data.replace(b'\r\n', b'\n').replace(b'\r', b'\n')
    if not data.isascii():
        decoded(data, path, line)
    edges, skipped, n_lines = _find_fields(data, shape)
    if edges is not None:
        columns: dict[str, Any] = {}
        buffers = [None, pa.py_buffer(edges), pa.py_buffer(data)]
        fields = Texts(pa.Array.from_buffers(pa.large_string(), max(len(edges) - 1, 0), buffers))
        n = 2 * len(shape.names)
        for name in names:  # the bytes between two fields are texts, too, which are not taken
            texts = fields.take(np.arange(2 * shape.names.index(name), len(edges), n))
            columns[name] = floats(texts) if name in shape.numeric else texts
        if all(column is not None for column in columns.values()):
            return columns, skipped, n_lines
    return _read_by_line(data, line, path, shape, names)


def _find_fields(
    data: bytes, shape: Shape
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64], int]:
    """Find where the fields of whole lines begin and end: wherever bytes change from blanks to others, and back.

    Returns:
        The beginnings and ends of all fields in turn, the places of the lines without data, and the number of lines. The
        first is None if a line has another number of fields, an empty field between two tabs, or control characters.
    """
    n, text = len(shape.names), np.frombuffer(data, dtype=np.uint8)
    is_space = np.ones(len(text) + 1, dtype=bool)
    np.less_equal(text, BLANK, out=is_space[1:])
    edges = np.flatnonzero(is_space[1:] != is_space[:-1])
    ends = np.flatnonzero(text == NEWLINE)
    skipped, irregular = ends[:0], (None, ends[:0], len(ends))
    if np.any(text < TAB) or np.any(text - np.uint8(14) < BLANK - 14):
        return irregular
    if b'\t' in data and np.any(edges[2::2] - edges[1:-1:2] > 1) and b'\t\t' in data:
        return irregular
    first, last = edges[:: 2 * n], edges[2 * n - 1 :: 2 * n]
    if (
        len(edges) != 2 * n * len(ends)
        or np.any(last > ends)
        or np.any(first[1:] < ends[:-1])
        or b'#' in data
        and np.any(text[first] == HASH)
    ):
        counts = np.diff(np.searchsorted(edges[::2], ends), prepend=0)
        has_data = counts > 0
        begins = edges[2 * (np.cumsum(counts) - counts)[has_data]]
        is_hash = text[begins] == HASH
        for place, begin in zip(np.flatnonzero(has_data)[is_hash], begins[is_hash]):
            has_data[place] = shape.is_data(data[begin : ends[place]])
        if np.any(counts[has_data] != n):
            return irregular
        skipped = np.flatnonzero(~has_data)
        fields = np.flatnonzero(np.repeat(has_data, counts))
        edges = edges.reshape(-1, 2).take(fields, axis=0).ravel()
    return edges, skipped, len(ends)


def floats(texts: Texts) -> NDArray[np.float64] | None:
    """The numbers that texts write; None if one writes no number, or an infinite one."""
    try:
        values = values_of(call_arrow('cast', texts.array, target_type=pa.float64()))
    except pa.ArrowInvalid:
        return None
    return values if np.isfinite(values).all() else None


def _read_by_line(
    data: bytes, first: int, path: str, shape: Shape, names: tuple[str, ...]
) -> Piece:
    """What :func:`_read_piece` returns, read line by line; or an error that names the line."""
    rows, skipped, lines = list[list[str]](), list[int](), data.splitlines()
    for line, raw in enumerate(lines, first):
        if not shape.is_data(raw):
            skipped.append(line - first)
            continue
        fields = [field.decode() for field in raw.split()]
        expected = f'{path}, line {line}: expected {len(shape.names)} fields ({" ".join(shape.names)}), found '
        if b'\t\t' in raw.strip():
            raise ValueError(f'{expected}an empty one between two tabs: {short(raw.decode())}')
        if len(fields) != len(shape.names):
            is_other = {len(fields), len(shape.names)} == {4, 6}
            hint = '; judgments come first, then runs' if is_other else ''
            raise ValueError(f'{expected}{len(fields)}: {short(raw.decode().strip())}{hint}')
        for name, field in zip(shape.names, fields):
            if name in shape.numeric and number(field) is None:
                raise ValueError(
                    f'{path}, line {line}: {name} is {short(field)}, expected a number'
                )
        rows.append(fields)
    columns: dict[str, Any] = {}
    for name in names:
        texts = [fields[shape.names.index(name)] for fields in rows]
        columns[name] = (
            np.array(list(map(float, texts))) if name in shape.numeric else Texts.of(texts)
        )
    return columns, np.array(skipped, dtype=np.int64), len(lines)
