"""Lines of fields, such as those of TREC runs and judgments, as columns.

A file is read in pieces of whole lines. :func:`_find_fields` finds all fields of a piece at once, with masks on its bytes:
several blanks and blanks at the ends of lines cost little. Where a piece has lines without data, or a line or a number is
not right, a plain loop (:func:`_data_lines`) goes through its lines. It names the file, the line, what was expected and
what stands there.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import short
from ..lazy import pa
from .ids import Texts, call_arrow, values_of

NEWLINE, BLANK, TAB, HASH = b'\n \t#'


class Shape(NamedTuple):
    """The shape of a line.

    Attributes:
        names: its fields in order.
        numeric: the fields that are numbers.
    """

    names: tuple[str, ...]
    numeric: tuple[str, ...] = ()

    def is_data(self, fields: list[bytes]) -> bool:
        """Whether a line that begins with ``#`` has data: all fields of a line whose query is called ``#metoo``."""
        texts = dict(zip(self.names, (field.decode() for field in fields)))
        return (
            len(fields) == len(self.names)
            and fields[0] != b'#'
            and all(number(texts[name]) is not None for name in self.numeric)
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
    # Arrays grow in place: a file of gigabytes needs the memory of its texts only once.
    texts = {
        name: (np.zeros(1, np.int64), np.zeros(0, np.uint8))
        for name in names
        if name not in numbers
    }
    skipped = list[int]()
    for piece in _whole_lines(blocks):
        parts, places, n_lines = _read_piece(piece, line, path, shape, names)
        for name in numbers:
            numbers[name].append(parts[name])
        for name, (bounds, data) in texts.items():
            _append(bounds, parts[name].bounds[1:] + len(data))
            _append(data, parts[name].data)
        skipped += places
        line += n_lines
    columns = {
        name: Texts(*texts[name])
        if name in texts
        else np.concatenate([np.zeros(0), *numbers[name]])
        for name in names
    }
    return Lines(path, columns, np.array(skipped, dtype=np.int64))


def _append(array: NDArray[Any], values: NDArray[Any]) -> None:
    """Append values to an array, in place."""
    n = len(array)
    array.resize(n + len(values), refcheck=False)
    array[n:] = values


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
    """The content of a file in pieces of whole lines. The last one ends with a line end too."""
    rest = b''
    for block in blocks:
        block = rest + block
        end = block.rfind(b'\n') + 1
        if end:
            yield block[:end]
        rest = block[end:]
    if rest:
        yield rest + b'\n'


def _read_piece(
    data: bytes, line: int, path: str, shape: Shape, names: tuple[str, ...]
) -> tuple[dict[str, Any], list[int], int]:
    """Read whole lines, the first of which has a number in its file.

    Returns:
        The columns, the numbers of the lines without data, and the number of all lines.
    """
    if b'\r' in data:
        data = data.replace(b'\r\n', b'\n').replace(b'\r', b'\n')
    if not data.isascii():
        decoded(data, path, line)
    n, skipped, error = len(shape.names), list[int](), None
    edges = _find_fields(data, n)
    if edges is None:
        data, skipped, error = _data_lines(data, line, path, shape)
        text = np.frombuffer(data, dtype=np.uint8)
        edges = np.flatnonzero(np.diff((text == BLANK) | (text == NEWLINE), prepend=True))
    n_lines = len(edges) // (2 * n) + len(skipped)
    fields, columns = Texts(edges, np.frombuffer(data, np.uint8)), dict[str, Any]()
    for name in names:  # the bytes between two fields are texts, too, which are not taken
        texts = fields.take(np.arange(2 * shape.names.index(name), len(edges), 2 * n))
        columns[name] = floats(texts) if name in shape.numeric else texts
        for row in np.flatnonzero(np.isnan(columns[name])) if name in shape.numeric else ():
            place = sorted({*range(line, line + n_lines)} - {*skipped})[row]
            raise ValueError(
                f'{path}, line {place}: {name} is {short(texts.pick(np.array([row]))[0])}, expected a number'
            )
    if error:
        raise error
    return columns, skipped, n_lines


def _find_fields(data: bytes, n: int) -> NDArray[np.int64] | None:
    """Find where the fields of whole lines begin and end: the beginnings and ends of all fields in turn.

    None if a line has no data or not n fields, an empty field between two tabs, or control characters.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    if np.any(text < TAB) or np.any(text - np.uint8(14) < BLANK - 14):
        return None
    edges = np.flatnonzero(np.diff(text <= BLANK, prepend=True))
    ends = np.flatnonzero(text == NEWLINE)
    first, last = edges[:: 2 * n], edges[2 * n - 1 :: 2 * n]
    if (
        len(edges) != 2 * n * len(ends)
        or np.any(last > ends)
        or np.any(first[1:] < ends[:-1])
        or b'#' in data
        and np.any(text[first] == HASH)
        or b'\t' in data
        and np.any(edges[2::2] - edges[1:-1:2] > 1)
        and b'\t\t' in data
    ):
        return None
    return edges


def floats(texts: Texts) -> NDArray[np.float64]:
    """The numbers that texts write, NaN where one writes no number; (rows,)."""
    with contextlib.suppress(pa.ArrowInvalid):
        values = values_of(call_arrow('cast', texts.array, target_type=pa.float64()))
        if np.isfinite(values).all():
            return values
    return np.array([number(text) for text in texts.array.to_pylist()], dtype=float)


def _data_lines(
    data: bytes, first: int, path: str, shape: Shape
) -> tuple[bytes, list[int], ValueError | None]:
    """The lines with data up to the first wrong one, with one blank between two fields.

    Returns:
        These lines, the numbers of the lines without data, and the error that names the wrong line.
    """
    lines, skipped, error, n = list[bytes](), list[int](), None, len(shape.names)
    has_tabs = b'\t\t' in data
    for line, raw in enumerate(data.splitlines(), first):
        fields = raw.split()  # at ASCII blanks; an id may contain a no-break space
        if not fields or fields[0][0] == HASH and not shape.is_data(fields):
            skipped.append(line)
        elif len(fields) == n and not (has_tabs and b'\t\t' in raw.strip()):
            lines.append(b' '.join(fields))
        else:
            is_empty = b'\t\t' in raw.strip()
            found = 'an empty one between two tabs' if is_empty else str(len(fields))
            hint = '; judgments come first, then runs' * ({len(fields), n} == {4, 6})
            error = ValueError(
                f'{path}, line {line}: expected {n} fields ({" ".join(shape.names)}), found {found}: '
                f'{short(raw.decode().strip())}{hint}'
            )
            break
    return b'\n'.join([*lines, b'']), skipped, error
