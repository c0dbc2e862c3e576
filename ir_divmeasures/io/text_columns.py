"""Columns of texts that stay in the memory of a file or table, and numbers that stand for them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..lazy import pa, pd

NO_DOCUMENT = '-'
"""The document of *intent rows*. Such a row has a grade of at most 0 and says only that the query has this intent. It
never counts as a judged document, and no run may contain it."""

REPEATED = '_dup'
"""The suffix of a document that a query retrieves again in a later round."""

HASH_BITS = 44
"""The number of bits of a hash. The bits before them are those of the query in the key of a pair."""


FEW_BYTES, ROWS_AT_ONCE = 32, 1 << 15
"""Texts of at most so many bytes are compared as whole numbers of eight bytes each, so many rows at a time."""


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


def values_of(array: Any) -> NDArray[Any]:
    """The values of an arrow array of numbers or booleans; its own ``to_numpy`` imports pandas."""
    n, first, data = len(array), array.offset, array.buffers()[1]
    if array.null_count or data is None:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    if array.type == pa.bool_():
        bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder='little')
        return bits[first : first + n].astype(bool)
    return np.frombuffer(data, dtype=array.type.to_pandas_dtype())[first : first + n]


class Texts:
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
        array = column
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
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(b''.join(encoded))]
        return cls(pa.Array.from_buffers(pa.large_string(), len(encoded), buffers))

    @classmethod
    def between(cls, data: bytes, bounds: NDArray[np.int64]) -> Texts:
        """Parts of UTF-8 text, one after the other; row i is ``data[bounds[i, 0]:bounds[i, 1]]``, (n, 2)."""
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
        return cls(pa.Array.from_buffers(pa.large_string(), max(bounds.size - 1, 0), buffers), 2)

    def __len__(self) -> int:
        return (len(self._array) + self._step - 1) // self._step

    @functools.cached_property
    def array(self) -> Any:
        """All of them, an arrow array of large strings."""
        return self._array if self._step == 1 else self.take(np.arange(len(self)))._array

    def take(self, rows: NDArray[Any]) -> Texts:
        """Those of some rows."""
        places = np.ascontiguousarray(rows * self._step, dtype=np.int64)
        # From the buffer, since pa.array imports pandas to see whether an array is one of its own.
        indices = pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)])
        return Texts(call_arrow('take', self._array, indices))

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

    @functools.cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each has; (n,)."""
        lengths: NDArray[np.int64] = self.bounds[1 :: self._step] - self.bounds[: -1 : self._step]
        return lengths

    def tails(self, words: int, rows: slice = slice(None)) -> NDArray[np.uint64]:
        """The last ``words`` · 8 bytes of some rows as numbers, zeros before shorter ones; (n, words)."""
        width, length, end = 8 * words, self.lengths[rows], self.bounds[1 :: self._step][rows]
        if not len(length):
            return np.zeros((0, words), dtype=np.uint64)
        data = self._array.buffers()[2]
        text = np.frombuffer(b'' if data is None else data, dtype=np.uint8)
        if len(text) < width:
            end = end + (width - len(text))
            text = np.concatenate([np.zeros(width - len(text), dtype=np.uint8), text])
        every = np.ndarray(len(text) - width + 1, dtype=f'V{width}', buffer=text, strides=(1,))
        begin = end - width
        tails = every[np.maximum(begin, 0)].view('<u8').reshape(-1, words)
        for row in np.flatnonzero((begin < 0) & (length > 0)):  # few: they end in the first bytes
            tails[row] = np.frombuffer(text[: end[row]].tobytes().rjust(width, b'\0'), dtype='<u8')
        if length.min() < width:
            tails &= _last_bytes(words).take(length, axis=0, mode='clip')
        return tails

    def hashes(self, words: int) -> NDArray[np.uint64]:
        """A whole number of :data:`HASH_BITS` bits for each, from its length and last ``words`` · 8 bytes; (n,)."""
        hashes = self.lengths.astype(np.uint64)
        for word in self.tails(words).T:
            hashes ^= word
            hashes *= np.uint64(0x9E3779B97F4A7C15)
            hashes ^= hashes >> np.uint64(29)
        return hashes >> np.uint64(64 - HASH_BITS)

    @functools.cached_property
    def starts(self) -> NDArray[np.intp]:
        """The rows whose text is not that of the row before."""
        first, length = np.ones(len(self), dtype=bool), self.lengths
        if len(self) and (longest := int(length.max())) <= FEW_BYTES:  # without a copy of the texts
            first[1:] = length[1:] != length[:-1]
            for start in range(0, len(self), ROWS_AT_ONCE):
                rows = slice(start, start + ROWS_AT_ONCE + 1)
                for word in self.tails(max(1, -(-longest // 8)), rows).T:
                    first[rows][1:] |= word[1:] != word[:-1]
        elif len(self):
            before, after = self.array.slice(0, len(self) - 1), self.array.slice(1)
            first[1:] = values_of(call_arrow('not_equal', after, before))
        return np.flatnonzero(first)

    def codes(self, known: Texts | None = None) -> tuple[NDArray[np.int64], Texts]:
        """Numbers that stand for the distinct texts, (n,), and these texts: the known ones, which are distinct, then
        others by first appearance. Equal neighbours are looked up once."""
        heads = self.take(self.starts) if len(self.starts) < len(self) else self
        repeats = np.diff(self.starts, append=len(self))
        if known is None and len(heads) and heads.lengths.max() < 8:
            # Their bytes are a number, of which the first byte is free.
            word = heads.tails(1)[:, 0] | heads.lengths.astype(np.uint64)
            buffers = [None, pa.py_buffer(np.ascontiguousarray(word))]
            coded = call_arrow(
                'dictionary_encode', pa.Array.from_buffers(pa.uint64(), len(word), buffers)
            )
            number = values_of(coded.indices).astype(np.int64)
            first = np.empty(len(coded.dictionary), dtype=np.intp)
            first[number[::-1]] = np.arange(len(number))[::-1]
            return np.repeat(number, repeats), heads.take(first)
        array = heads.array if known is None else pa.concat_arrays([known.array, heads.array])
        coded = call_arrow('dictionary_encode', array)
        number = values_of(coded.indices)[0 if known is None else len(known) :].astype(np.int64)
        return np.repeat(number, repeats), Texts(coded.dictionary)

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
            counts = np.zeros(self._step * len(self), dtype=bool)
            counts[:: self._step] = True
            validity = pa.py_buffer(np.packbits(counts, bitorder='little'))
            buffers = [validity, *array.buffers()[1:]]
            array = pa.Array.from_buffers(pa.large_string(), len(array), buffers)
        written = call_arrow('cast', array, target_type=pa.float64())
        return np.frombuffer(written.buffers()[1], dtype=np.float64)[: len(array) : self._step]


def pair_keys(query: NDArray[Any], names: Texts, words: int) -> NDArray[np.uint64]:
    """A whole number for each pair of a query's number and an id: equal pairs have equal keys; (n,)."""
    return query.astype(np.uint64) << np.uint64(HASH_BITS) | names.hashes(words)


def repeated_row(
    query: NDArray[Any], names: Texts, keys: NDArray[np.uint64], order: NDArray[np.intp]
) -> int | None:
    """The first row whose query and id are those of an earlier one, or None.

    Args:
        query, names: the query and the id of each row.
        keys: the :func:`pair_keys` of the rows, in ascending order.
        order: the rows in the order of their keys.
    """
    equal = keys[1:] == keys[:-1]
    if not equal.any():
        return None
    rows = np.sort(order[np.append(equal, False) | np.append(False, equal)])
    code, texts = names.take(rows).codes()
    again = first_repetition(query[rows] * len(texts) + code)
    return None if again is None else int(rows[again])


def first_repetition(keys: NDArray[Any]) -> int | None:
    """The place of the first key that repeats an earlier one, or None."""
    _, first = np.unique(keys, return_index=True)
    again = np.ones(len(keys), dtype=bool)
    again[first] = False
    return int(np.argmax(again)) if len(first) < len(keys) else None


def are_documents(names: Texts) -> NDArray[np.bool_]:
    """Which of some ids are those of documents, (n,): all but :data:`NO_DOCUMENT`."""
    documents = np.ones(len(names), dtype=bool)
    short = np.flatnonzero(names.lengths == len(NO_DOCUMENT))
    documents[short] = [name != NO_DOCUMENT for name in names.pick(short)]
    return documents


def as_frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """A DataFrame of columns, :class:`Texts` or others, by name."""

    return pd.DataFrame(
        {
            name: column.array.to_pandas() if isinstance(column, Texts) else column
            for name, column in columns.items()
        }
    )
