"""Tables stored by column: texts that stay in the memory of the file, and numbers. A DataFrame is built when needed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

MOST_WORDS = 8
"""The number of words of eight bytes up to which texts are compared as numbers."""

AT_ONCE = 1 << 16
"""The number of texts whose ends are read at a time, because they take several times the memory of keys, and should
stay in the cache."""


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
    """Call one of Arrow's functions: ``take``, ``dictionary_encode``, ``array_sort_indices``, ….

    Args:
        function: its name in ``pyarrow.compute``.
        arrays: its arrow arrays.
        options: for ``index_in``, the ``value_set``; for ``cast``, the ``target_type``.
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
    import pyarrow as pa

    n, first, data = len(array), array.offset, array.buffers()[1]
    if array.null_count or data is None:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(array.type):
        bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder='little')
        return bits[first : first + n].astype(bool)
    return np.frombuffer(data, dtype=array.type.to_pandas_dtype())[first : first + n]


class Strings:
    """The texts of some rows: every ``step``-th of an arrow array of large strings.

    The fields of a file are not copied (:meth:`between`). The bytes between two fields are also texts of the array,
    which are skipped.
    """

    def __init__(self, array: Any, step: int = 1):
        self._array, self._step = array, step

    @classmethod
    def of(cls, column: Any) -> Strings:
        """A column of a DataFrame, or an arrow array of strings of any kind."""
        import pyarrow as pa

        if isinstance(column, Strings):
            return column
        array = (
            column
            if isinstance(column, (pa.Array, pa.ChunkedArray))
            else pa.array(column, from_pandas=True)
        )
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        return cls(array if array.type == pa.large_string() else array.cast(pa.large_string()))

    @classmethod
    def between(cls, data: bytes, bounds: NDArray[np.int64]) -> Strings:
        """Parts of UTF-8 text, one after the other; row i is ``data[bounds[i, 0]:bounds[i, 1]]``, (n, 2)."""
        import pyarrow as pa

        return cls(
            pa.Array.from_buffers(
                pa.large_string(),
                max(bounds.size - 1, 0),
                [None, pa.py_buffer(bounds), pa.py_buffer(data)],
            ),
            2,
        )

    def __len__(self) -> int:
        return (len(self._array) + self._step - 1) // self._step

    @functools.cached_property
    def array(self) -> Any:
        """All of them, an arrow array of large strings."""
        return self._array if self._step == 1 else self.take(np.arange(len(self)))

    def part(self, first: int, end: int) -> Strings:
        """Those of the rows from the first to the one before the end."""
        return Strings(
            self._array.slice(first * self._step, (end - first) * self._step), self._step
        )

    def take(self, rows: NDArray[Any]) -> Any:
        """Those of some rows, an arrow array of large strings."""
        import pyarrow as pa

        places = np.ascontiguousarray(rows * self._step, dtype=np.int64)
        # From the buffer, since pa.array imports pandas to see whether an array is one of its own.
        return call_arrow(
            'take',
            self._array,
            pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)]),
        )

    def pick(self, rows: NDArray[Any]) -> list[str]:
        """Those of a few rows, as Python's strings."""
        data = self._array.buffers()[2]
        text = b'' if data is None else memoryview(data)
        begin, end = (
            self._bounds[: -1 : self._step][rows].tolist(),
            self._bounds[1 :: self._step][rows].tolist(),
        )
        return [str(text[i:j], 'utf-8') for i, j in zip(begin, end)]

    @functools.cached_property
    def _bounds(self) -> NDArray[np.int64]:
        """Where each text of the array begins, and where the last ends."""
        n, first = len(self._array), self._array.offset
        if not n:
            return np.zeros(1, dtype=np.int64)
        return np.frombuffer(self._array.buffers()[1], dtype=np.int64)[first : first + n + 1]

    @functools.cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each has; (n,)."""
        lengths: NDArray[np.int64] = self._bounds[1 :: self._step] - self._bounds[: -1 : self._step]
        return lengths

    def tails(self, words: int) -> NDArray[np.uint64]:
        """Their last ``words`` · 8 bytes as numbers, zeros before shorter ones; (n, words)."""
        width, length, end = 8 * words, self.lengths, self._bounds[1 :: self._step]
        if not len(length) or not words:
            return np.zeros((len(length), words), dtype=np.uint64)
        data = self._array.buffers()[2]
        text = np.frombuffer(b'' if data is None else data, dtype=np.uint8)
        if len(text) < width:
            end = end + (width - len(text))
            text = np.concatenate([np.zeros(width - len(text), dtype=np.uint8), text])
        every = np.ndarray(len(text) - width + 1, dtype=f'V{width}', buffer=text, strides=(1,))
        begin = end - width
        tails = every[np.maximum(begin, 0)].view('<u8').reshape(-1, words)
        front = np.flatnonzero(begin < 0)
        for row in front[length[front] > 0]:  # few: they end in the first bytes
            tails[row] = np.frombuffer(text[: end[row]].tobytes().rjust(width, b'\0'), dtype='<u8')
        if length.min() < width:
            tails &= _last_bytes(words).take(length, axis=0, mode='clip')
        return tails

    def ascending(self) -> list[NDArray[np.uint64]] | None:
        """Numbers that have the order of the texts if the first is compared first, (n,) each; None for long texts."""
        longest = int(self.lengths.max(initial=0))
        if longest >= 8 * MOST_WORDS:
            return None
        words = (
            longest // 8 + 1
        )  # the last byte is free for the length: a text precedes those that it begins
        right = np.concatenate(
            [self.tails(words).byteswap(), np.zeros((len(self), 2), dtype=np.uint64)], axis=1
        )
        places, bits = np.divmod(8 * words - self.lengths, 8)
        rows, bits = np.arange(len(self)), 8 * bits.astype(np.uint64)
        left = []
        for _ in range(words):
            left.append(right[rows, places] << bits | right[rows, places + 1] >> 64 - bits)
            places = np.minimum(places + 1, words)
        left[-1] |= self.lengths.view(np.uint64)
        return left

    @functools.cached_property
    def stretches(self) -> NDArray[np.intp]:
        """The first row of each stretch of rows that have the same text, which may be that of the one before, too."""
        array, n = self.array, len(self)
        first = np.ones(n, dtype=bool)
        if n:
            first[1:] = values_of(call_arrow('not_equal', array.slice(1), array.slice(0, n - 1)))
        return np.flatnonzero(first)

    def numbers(self) -> NDArray[np.float64]:
        """What they write, as numbers; (n,).

        Raises:
            pyarrow.ArrowInvalid: one writes no number.
        """
        import pyarrow as pa

        array = self._array
        if self._step > 1:  # the texts between fields are set to missing, as nobody reads them
            counts = np.zeros(-(-len(array) // self._step) * self._step, dtype=bool)
            counts[:: self._step] = True
            array = pa.Array.from_buffers(
                pa.large_string(),
                len(array),
                [pa.py_buffer(np.packbits(counts, bitorder='little')), *array.buffers()[1:]],
            )
        written = call_arrow('cast', array, target_type=pa.float64())
        return np.frombuffer(written.buffers()[1], dtype=np.float64)[: len(array) : self._step]


class TextColumn:
    """A column of texts that is written part by part. It takes memory only as far as it is written.

    Args:
        n: the number of texts.
        most: a number of bytes that they do not exceed.
    """

    def __init__(self, n: int, most: int):
        self._bounds, self._text = np.empty(n + 1, dtype=np.int64), np.empty(most, dtype=np.uint8)
        self._bounds[0] = 0

    def write(self, rows: slice, texts: Strings) -> None:
        """Write the texts of the next rows."""
        array = texts.array
        if not len(array):
            return
        _, bounds, text = array.buffers()
        ends = np.frombuffer(bounds, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
        begin = self._bounds[rows.start]
        np.add(ends[1:], begin - ends[0], out=self._bounds[rows.start + 1 : rows.stop + 1])
        self._text[begin : self._bounds[rows.stop]] = np.frombuffer(text, dtype=np.uint8)[
            ends[0] : ends[-1]
        ]

    def strings(self) -> Strings:
        """All of them, after the last are written."""
        import pyarrow as pa

        return Strings(
            pa.Array.from_buffers(
                pa.large_string(),
                len(self._bounds) - 1,
                [None, pa.py_buffer(self._bounds), pa.py_buffer(self._text[: self._bounds[-1]])],
            )
        )


class Rows:
    """Rows by column: a DataFrame, or :class:`Strings` and arrays of numbers by name. In the latter case the DataFrame
    is built when it is first needed, by a function ``build`` if one is given."""

    def __init__(
        self,
        source: pd.DataFrame | Mapping[str, Strings | NDArray[Any]],
        build: Callable[[], pd.DataFrame] | None = None,
    ):
        self._build = build
        self._columns = source if isinstance(source, Mapping) else None
        if self._columns is None:
            self.frame = source

    @classmethod
    def of(cls, source: Any) -> Rows:
        return source if isinstance(source, cls) else cls(source)

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """The columns as a DataFrame."""
        import pyarrow as pa

        if self._build is not None:
            return self._build()
        assert self._columns is not None
        frame: pd.DataFrame = pa.table(
            {
                name: column.array if isinstance(column, Strings) else column
                for name, column in self._columns.items()
            }
        ).to_pandas()
        return frame

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return list(self.frame.columns if self._columns is None else self._columns)

    def __len__(self) -> int:
        return len(self.frame) if self._columns is None else len(next(iter(self._columns.values())))

    def strings(self, name: str) -> Strings:
        """A column of texts."""
        return Strings.of(self.frame[name] if self._columns is None else self._columns[name])

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers; (n,)."""
        column: Any = self.frame[name] if self._columns is None else self._columns[name]
        return np.asarray(column, dtype=float)

    def replacing(self, name: str, values: NDArray[Any]) -> Rows:
        """The same rows with other numbers in one column, (n,)."""
        return _Replaced(self, name, values)


class _Replaced(Rows):
    """Rows with one column of numbers replaced. The DataFrame is built when it is first needed."""

    def __init__(self, rows: Rows, name: str, values: NDArray[Any]):
        self._of, self._name, self._values = rows, name, values

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """The columns as a DataFrame."""
        return self._of.frame.assign(**{self._name: self._values})

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return self._of.names

    def __len__(self) -> int:
        return len(self._of)

    def strings(self, name: str) -> Strings:
        """A column of texts."""
        return self._of.strings(name)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers; (n,)."""
        return (
            np.asarray(self._values, dtype=float) if name == self._name else self._of.numbers(name)
        )


__all__ = ['Rows', 'Strings', 'TextColumn', 'call_arrow', 'values_of']
