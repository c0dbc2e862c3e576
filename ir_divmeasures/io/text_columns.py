"""Columns of texts that stay in the memory of a file or table, and numbers that stand for them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import ids
from ..data.ids import are_documents as are_documents
from ..data.ids import as_frame as as_frame
from ..data.ids import rows_of as rows_of
from ..lazy import pa, pd

NO_DOCUMENT = '-'
"""The document of *intent rows*. Such a row has a grade of at most 0 and says only that the query has this intent. It
never counts as a judged document, and no run may contain it."""

KEY_BITS, FACTOR = 63, np.uint64(0x9E3779B97F4A7C15)
"""The number of bits of the key of a row, and the odd number by which its parts are multiplied."""

CHECKED_WORDS = 2
"""The number of words at the end of ids of which a search for repeated rows sees the hashes."""

ROWS_AT_ONCE = 1 << 15
"""The number of rows whose hashes are computed at once."""

MOST_BITS = 22
"""The largest number of bits of a key that tell where to look for it."""


@functools.cache
def _last_bytes(words: int) -> NDArray[np.uint64]:
    """Masks that keep the last 0, 1, … bytes of so many words; (8 · words + 1, words)."""
    width = 8 * words
    is_last = np.arange(width) >= width - np.arange(width + 1)[:, None]
    return (255 * is_last.astype(np.uint8)).view('<u8')


@functools.cache
def _arrow_functions() -> Any:
    """A module with ``call_function``. Importing ``pyarrow.compute`` takes longer than scoring a small run, because it
    builds a documented Python function for every function of Arrow."""
    try:
        import pyarrow._compute as functions
    except ImportError:  # pyarrow makes no promise about this module
        import pyarrow.compute as functions
    return functions


def call_arrow(function: str, *arrays: Any, **options: Any) -> Any:
    """Call one of Arrow's functions by its name in ``pyarrow.compute``: ``take``, ``dictionary_encode``, ….

    ``index_in`` has the option ``value_set``, and ``cast`` has ``target_type``.
    """
    functions = _arrow_functions()
    classes = {'index_in': 'SetLookupOptions', 'cast': 'CastOptions'}
    return functions.call_function(
        function,
        list(arrays),
        getattr(functions, classes[function])(**options) if options else None,
    )


FLOATS = {'halffloat': 'f2', 'float': 'f4', 'double': 'f8'}
"""What NumPy calls the floats of arrow; whole numbers have the same names."""


def values_of(array: Any) -> NDArray[Any]:
    """The values of an arrow array of numbers or booleans; its own ``to_numpy`` imports pandas, and so does the NumPy
    type of its type before pyarrow 26.
    """
    n, first, data = len(array), array.offset, array.buffers()[1]
    if array.null_count or data is None:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    if array.type == pa.bool_():
        bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder='little')
        return bits[first : first + n].view(bool)
    name = str(array.type)
    return np.frombuffer(data, dtype=FLOATS.get(name, name))[first : first + n]


def _strings(bounds: NDArray[np.int64], data: Any) -> Any:
    """An arrow array of large strings, which has the memory of ``data``: where each begins, and where the last one ends."""
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), max(bounds.size - 1, 0), buffers)


def _whole_numbers(values: NDArray[Any]) -> Any:
    """An arrow array of whole numbers of 64 bits. ``pa.array`` imports pandas to see whether an array is one of its own."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def numbered(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Numbers that stand for some whole numbers of 64 bits, (n,), and the distinct ones by first appearance."""
    coded = call_arrow('dictionary_encode', _whole_numbers(values))
    return values_of(coded.indices).astype(np.int64), values_of(coded.dictionary)


class Texts(ids.Texts):
    """The texts of some rows: every ``step``-th of an arrow array of large strings.

    The fields of a file are not copied (:meth:`between`): the bytes between two fields are texts of the array, too,
    which are skipped.
    """

    def __init__(self, array: Any, step: int = 1):
        self._array, self._step = array, step

    @classmethod
    def of(cls, column: Any) -> Texts:
        """A column of a DataFrame, or an arrow array of strings of any kind."""
        if isinstance(column, Texts):
            return column
        array = column = column.array if isinstance(column, ids.Texts) else column
        if not isinstance(column, (pa.Array, pa.ChunkedArray)):
            array = pa.array(column, from_pandas=True)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        return cls(array if array.type == pa.large_string() else array.cast(pa.large_string()))

    @classmethod
    def of_strings(cls, strings: Iterable[str]) -> Texts:
        """Python's strings.

        Raises:
            AttributeError, UnicodeEncodeError: one is no string, or has half of a character.
        """
        encoded = [each.encode() for each in strings]
        bounds = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(_strings(bounds, b''.join(encoded)))

    @classmethod
    def between(cls, data: bytes, bounds: NDArray[np.int64]) -> Texts:
        """Parts of UTF-8 text, one after the other; row i is ``data[bounds[i, 0]:bounds[i, 1]]``, (n, 2)."""
        return cls(_strings(bounds, data), 2)

    @classmethod
    def joined(cls, parts: Sequence[Texts]) -> Texts:
        """Several columns of texts, one after the other."""
        return (
            parts[0] if len(parts) == 1 else cls(pa.concat_arrays([each.array for each in parts]))
        )

    def __len__(self) -> int:
        return (len(self._array) + self._step - 1) // self._step

    @functools.cached_property
    def array(self) -> Any:
        """All of them, an arrow array of large strings."""
        return self._array if self._step == 1 else self.take(np.arange(len(self)))._array

    def between_rows(self, first: int, end: int) -> Texts:
        """Those of neighbouring rows, from the first to the one before ``end``."""
        n = self._step * (end - first - 1) + 1
        return Texts(self._array.slice(self._step * first, max(n, 0)), self._step)

    def take(self, rows: NDArray[Any]) -> Texts:
        """Those of some rows."""
        places = np.ascontiguousarray(rows * self._step, dtype=np.int64)
        return Texts(call_arrow('take', self._array, _whole_numbers(places)))

    def pick(self, rows: NDArray[Any]) -> list[str]:
        """Those of a few rows, as Python's strings."""
        names: list[str] = self.take(rows).array.to_pylist()
        return names

    @functools.cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Where each text of the array begins, and where the last ends."""
        n, first = len(self._array), self._array.offset
        if not n:
            return np.zeros(1, dtype=np.int64)
        return np.frombuffer(self._array.buffers()[1], dtype=np.int64)[first : first + n + 1]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each has; (n,)."""
        return self._lengths(slice(None))

    def _lengths(self, rows: slice) -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = (
            self.bounds[1 :: self._step][rows] - self.bounds[: -1 : self._step][rows]
        )
        return lengths

    def tails(self, words: int, rows: slice = slice(None)) -> NDArray[np.uint64]:
        """The last ``words`` · 8 bytes of some rows as numbers, zeros before shorter ones; (n, words)."""
        width, length, end = 8 * words, self._lengths(rows), self.bounds[1 :: self._step][rows]
        if not len(length):
            return np.zeros((0, words), dtype=np.uint64)
        data = self._array.buffers()[2]
        text = np.frombuffer(b'' if data is None else data, dtype=np.uint8)
        if len(text) < width:
            end = end + (width - len(text))
            text = np.concatenate([np.zeros(width - len(text), dtype=np.uint8), text])
        every = np.ndarray(len(text) - width + 1, dtype=f'V{width}', buffer=text, strides=(1,))
        begin = end - width
        first = int(np.searchsorted(begin, 0))  # those before it end in the first bytes of the text
        begin[:first] = 0
        tails = every[begin].view('<u8').reshape(-1, words)
        for row in range(first):
            tails[row] = np.frombuffer(text[: end[row]].tobytes().rjust(width, b'\0'), dtype='<u8')
        if length.min() < width:
            tails &= _last_bytes(words).take(length, axis=0, mode='clip')
        return tails

    def hashes(self, words: int, keys: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
        """A whole number for each, from its length and last ``words`` · 8 bytes; (n,). Numbers that the rows have
        already are changed in place to numbers of both."""
        hashes = np.zeros(len(self), dtype=np.uint64) if keys is None else keys
        for start in range(0, len(self), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            part = hashes[rows]
            part ^= self._lengths(rows).view(np.uint64)
            for word in self.tails(words, rows).T:
                part ^= word
                part *= FACTOR
                part ^= part >> np.uint64(29)
        return hashes

    @functools.cached_property
    def starts(self) -> NDArray[np.intp]:
        """The rows whose text is not that of the row before."""
        first = np.ones(len(self), dtype=bool)
        number = self._short() if self._step > 1 else None  # others need not be copied
        if number is not None:
            first[1:] = number[1:] != number[:-1]
        elif len(self):
            before, after = self.array.slice(0, len(self) - 1), self.array.slice(1)
            first[1:] = values_of(call_arrow('not_equal', after, before))
        return np.flatnonzero(first)

    def _short(self) -> NDArray[np.uint64] | None:
        """A number for each that only equal texts share, (n,), if all have less than 8 bytes: their bytes, and their
        length in the first byte, which is free."""
        lengths = self.lengths
        if lengths.max(initial=0) >= 8:
            return None
        return self.tails(1)[:, 0] | lengths.view(np.uint64)

    def codes(self, known: Texts | None = None) -> tuple[NDArray[np.int64], Texts]:
        """Numbers that stand for the distinct texts, (n,), and these texts: the known ones, which are distinct, then
        others by first appearance. Equal neighbours are looked up once."""
        heads = self.take(self.starts) if len(self.starts) < len(self) else self
        word = heads._short() if known is None else None
        if word is not None:
            number, words = numbered(word)
            row = np.empty(len(words), dtype=np.intp)
            row[number] = np.arange(len(number))
            return self._repeated(number), heads.take(row)
        array = heads.array if known is None else pa.concat_arrays([known.array, heads.array])
        coded = call_arrow('dictionary_encode', array)
        number = values_of(coded.indices)[0 if known is None else len(known) :].astype(np.int64)
        return self._repeated(number), Texts(coded.dictionary)

    def _repeated(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Values of the first ones of equal neighbours, for each row."""
        if len(values) in (1, len(self)):
            return np.broadcast_to(values, len(self))
        return np.repeat(values, np.diff(self.starts, append=len(self)))

    @functools.cached_property
    def places(self) -> NDArray[np.int64]:
        """The place of each in ascending order; equal ones in any order."""
        places = np.empty(len(self), dtype=np.int64)
        places[values_of(call_arrow('array_sort_indices', self.array))] = np.arange(len(self))
        return places

    def numbers(self) -> NDArray[np.float64]:
        """What they write, as numbers; (n,).

        Raises:
            pyarrow.ArrowInvalid: one writes no number.
        """
        array = self._array
        if self._step > 1:  # the texts between fields are set to missing, as nobody reads them
            counts = np.zeros(array.offset + len(array), dtype=bool)
            counts[:: self._step] = True
            validity = pa.py_buffer(np.packbits(counts, bitorder='little'))
            buffers = [validity, *array.buffers()[1:]]
            array = pa.Array.from_buffers(
                pa.large_string(), len(array), buffers, offset=array.offset
            )
        written = call_arrow('cast', array, target_type=pa.float64())
        values = np.frombuffer(written.buffers()[1], dtype=np.float64)[written.offset :]
        return values[: len(array) : self._step].copy()  # the buffer has the others, too


class GrowingTexts:
    """Texts that are appended in parts. What is not used of their buffers takes no memory.

    Args:
        most, size: the largest number of texts, and of their bytes.
    """

    def __init__(self, most: int, size: int):
        self._bounds = np.empty(most + 1, dtype=np.int64)
        self._bounds[0] = 0
        self._bytes = np.empty(size, dtype=np.uint8)
        self._n = 0

    def append(self, part: Texts) -> None:
        """Append texts."""
        texts, end = Texts(part.array), self._bounds[self._n]
        first, last = texts.bounds[[0, -1]]
        added = slice(self._n + 1, self._n + 1 + len(texts))
        np.add(texts.bounds[1:], end - first, out=self._bounds[added])
        written = np.frombuffer(part.array.buffers()[2], dtype=np.uint8)[first:last]
        self._bytes[end : end + len(written)] = written
        self._n += len(texts)

    def texts(self) -> Texts:
        """All of them."""
        bounds = self._bounds[: self._n + 1]
        return Texts(_strings(bounds, self._bytes[: bounds[-1]]))


def row_keys(columns: Iterable[Texts | NDArray[Any]], words: int) -> NDArray[np.uint64]:
    """A whole number of :data:`KEY_BITS` bits for each row of some columns of texts and whole numbers: equal rows have
    equal keys, and other rows hardly ever; (n,)."""
    columns = list(columns)
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        if isinstance(column, Texts):
            column.hashes(words, keys)
        else:
            keys ^= column.view(np.uint64)
            keys *= FACTOR
    keys >>= np.uint64(64 - KEY_BITS)
    return keys


def equal_ones(keys: NDArray[Any]) -> NDArray[Any]:
    """The keys that repeat another one, in any order.

    Each key has a bucket, and only keys that are not the last ones of their buckets are sorted: a key that is twice is
    equal to the last one of its bucket, or both are among these. Of more than a million keys all are sorted.
    """
    rest, equal_to_last, bits = keys, keys[:0], len(keys).bit_length() + 2
    if bits <= MOST_BITS:
        rows = np.arange(len(keys), dtype=np.int32)
        bucket = (keys.view(np.uint64) * FACTOR >> np.uint64(64 - bits)).view(np.int64)
        last = np.empty(1 << bits, dtype=np.int32)
        last[bucket] = rows
        last = last.take(bucket)
        others = np.flatnonzero(last != rows)
        rest = keys[others]
        equal_to_last = rest[rest == keys[last[others]]]
    rest = np.sort(rest)
    return np.append(equal_to_last, rest[1:][rest[1:] == rest[:-1]])


def repeated_row(columns: Iterable[Texts | NDArray[Any]], keys: NDArray[np.uint64]) -> int | None:
    """The first row that is equal to an earlier one, or None.

    Args:
        columns: texts and whole numbers.
        keys: the :func:`row_keys` of the columns.
    """
    again = equal_ones(keys)
    if not len(again):
        return None
    rows = np.flatnonzero(np.isin(keys, again))
    group = np.zeros(len(rows), dtype=np.int64)
    for column in columns:
        code = (
            column.take(rows).codes()[0]
            if isinstance(column, Texts)
            else np.unique(column[rows], return_inverse=True)[1]
        )
        group = group * (int(code.max()) + 1) + code
    repeated = first_repetition(group)
    return None if repeated is None else int(rows[repeated])


def repeated_in_query(query: Texts, *columns: Texts | NDArray[Any]) -> int | None:
    """The first row that is equal to an earlier one, or None. Where the rows of each query follow each other, they are
    searched in pieces of about :data:`ROWS_AT_ONCE`."""
    n, edges = len(query), np.append(query.starts, len(query))
    queries = query.take(query.starts).hashes(CHECKED_WORDS)
    size = n if len(equal_ones(queries)) else ROWS_AT_ONCE
    cuts = sorted({*np.searchsorted(edges, np.append(np.arange(0, n, size), n)).tolist()})
    for a, b in zip(cuts[:-1], cuts[1:]):
        first, end = edges[[a, b]].tolist()
        piece = [
            column.between_rows(first, end) if isinstance(column, Texts) else column[first:end]
            for column in (query, *columns)
        ]
        of_query = np.repeat(queries[a:b], np.diff(edges[a : b + 1]))
        row = repeated_row(piece, row_keys([of_query, *piece[1:]], CHECKED_WORDS))
        if row is not None:
            return first + row
    return None


class KnownKeys:
    """Finds keys among known ones.

    The first bits of a key tell where to look, because :func:`row_keys` spreads keys evenly.

    Args:
        keys: the known keys, ascending.
    """

    def __init__(self, keys: NDArray[np.uint64]):
        bits = min((8 * len(keys)).bit_length(), MOST_BITS)
        self._shift = np.uint64(KEY_BITS - bits)
        beginnings = (keys >> self._shift).view(np.int64)
        counts = np.bincount(beginnings + 1, minlength=(1 << bits) + 1)
        self._first = np.cumsum(counts, dtype=np.int32)
        self._keys = np.append(keys, np.uint64(1 << KEY_BITS))  # which is above all keys

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """The rows whose key is known, and the place of the first known key that equals each."""
        place = self._first.take((keys >> self._shift).view(np.int64))
        found = self._keys.take(place)
        rows = np.flatnonzero(found < keys)
        while len(rows):
            place[rows] += 1
            found[rows] = self._keys.take(place[rows])
            rows = rows[found[rows] < keys[rows]]
        rows = np.flatnonzero(found == keys)
        return rows, place[rows]

    def equal(
        self, keys: NDArray[np.uint64], rows: NDArray[np.intp], place: NDArray[Any]
    ) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Those of some rows whose key is the known one at a place, and this place."""
        same = np.flatnonzero(self._keys.take(place) == keys[rows])
        return rows[same], place[same]


def first_repetition(keys: NDArray[Any]) -> int | None:
    """The place of the first key that repeats an earlier one, or None."""
    _, first = np.unique(keys, return_index=True)
    again = np.ones(len(keys), dtype=bool)
    again[first] = False
    return int(np.argmax(again)) if len(first) < len(keys) else None
