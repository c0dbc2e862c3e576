"""Ids as Arrow texts, the whole numbers that stand for them, and the order of a ranking.

A column of ids is :class:`Texts`. There is one function for each step from ids to ranks:

* :meth:`Texts.codes` turns ids into numbers from 0;
* :func:`row_keys` turns rows, such as a query and a document, into whole numbers of 63 bits, and :class:`KnownKeys` finds
  such keys among those of the judgments;
* :func:`find_duplicate` finds a row that repeats an earlier one;
* :func:`order_ranking` orders rows by query, score descending and doc_id descending (trec_eval's order).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..lazy import cached_property, pa, pd

NO_DOCUMENT = '-'
"""The document of *intent rows*. Such a row has a grade of at most 0 and says only that the query has this intent. It
never counts as a judged document, and no run may contain it."""

FACTOR, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""The odd number by which the parts of a key are multiplied, and by how many bits the product is shifted."""

ROWS_AT_ONCE = 1 << 15
"""The number of rows whose hashes are computed at once."""

FIRST_BYTES = (255 * (np.arange(32) < np.arange(33)[:, None]).astype(np.uint8)).view('<u8')
"""Masks that keep the first 0, 1, …, 32 bytes of four words; (33, 4)."""


# ---------------------------------------------------------------------------------------------------------------- Arrow


@functools.cache
def _arrow_functions() -> Any:
    """A module with ``call_function``. Importing ``pyarrow.compute`` takes longer than scoring a small run."""
    try:
        import pyarrow._compute as functions
    except ImportError:  # pyarrow makes no promise about this module
        import pyarrow.compute as functions
    return functions


def call_arrow(function: str, *arrays: Any, **options: Any) -> Any:
    """Call one of Arrow's functions by its name in ``pyarrow.compute``; ``cast`` has the option ``target_type``."""
    functions = _arrow_functions()
    chosen = functions.CastOptions(**options) if options else None
    return functions.call_function(function, list(arrays), chosen)


def values_of(array: Any) -> NDArray[Any]:
    """The values of an Arrow array of numbers. Its own ``to_numpy`` imports pandas."""
    n, first, data = len(array), array.offset, array.buffers()[1]
    if array.null_count or data is None:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    return np.frombuffer(data, dtype=array.type.to_pandas_dtype())[first : first + n]


def _whole_numbers(values: NDArray[Any]) -> Any:
    """An Arrow array of whole numbers. ``pa.array`` imports pandas."""
    values = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def numbered(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Numbers that stand for some whole numbers, (n,), and the distinct ones by first appearance."""
    coded = call_arrow('dictionary_encode', _whole_numbers(values))
    return values_of(coded.indices).astype(np.int64), values_of(coded.dictionary)


# ---------------------------------------------------------------------------------------------------------------- texts


class Texts:
    """A column of texts.

    Attributes:
        bounds: where each text begins in the bytes, and where the last one ends; (rows + 1,).
        data: the bytes of all texts, one after the other.
    """

    def __init__(self, bounds: NDArray[np.int64], data: NDArray[np.uint8]):
        self.bounds, self.data = bounds, data

    @classmethod
    def of(cls, column: Any) -> Texts:
        """The texts of a list, a column of a DataFrame, or an Arrow array of strings of any kind.

        Raises:
            pyarrow.ArrowException, ValueError: one is no text, or missing.
        """
        if isinstance(column, Texts):
            return column
        if not isinstance(column, (pa.Array, pa.ChunkedArray)):
            column = pa.array(column, pa.large_string(), from_pandas=True)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if column.type != pa.large_string():
            column = column.cast(pa.large_string())
        if column.null_count:
            raise ValueError('a text is missing')
        _, bounds, data = column.buffers()
        bounds = np.frombuffer(bounds or bytes(8), dtype=np.int64)[column.offset :]
        bounds = bounds[: len(column) + 1]
        first, end = bounds[[0, -1]]
        data = np.frombuffer(data or b'', dtype=np.uint8)[first:end]
        return cls(bounds - first if first else bounds, data)

    @classmethod
    def joined(cls, parts: Sequence[Texts]) -> Texts:
        """Several columns of texts, one after the other."""
        return cls.of(pa.chunked_array([each.array for each in parts], pa.large_string()))

    def __reduce__(self) -> tuple[Any, ...]:
        """What is derived from the texts is not sent to other processes."""
        return Texts, (self.bounds, self.data)

    @cached_property
    def array(self) -> Any:
        """The texts as an Arrow array of large strings."""
        buffers = [None, pa.py_buffer(self.bounds), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_string(), len(self), buffers)

    def __len__(self) -> int:
        return max(len(self.bounds) - 1, 0)

    def take(self, rows: NDArray[Any]) -> Texts:
        """The texts of some rows."""
        return Texts.of(call_arrow('take', self.array, _whole_numbers(rows)))

    def pick(self, rows: NDArray[Any]) -> list[str]:
        """The texts of a few rows, as Python's strings."""
        names: list[str] = self.take(rows).array.to_pylist()
        return names

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The rows whose text is not the one of the row before."""
        ends = values_of(call_arrow('run_end_encode', self.array).run_ends)
        return np.append(0, ends)[: len(ends)]

    def codes(self, known: Texts | None = None) -> tuple[NDArray[np.int64], Texts]:
        """Numbers that stand for the distinct texts, (rows,), and these texts: the known ones, which are distinct, then
        others by first appearance. Equal neighbours are looked up once."""
        heads = self.take(self.starts) if len(self.starts) < len(self) else self
        coded = call_arrow(
            'dictionary_encode', (heads if known is None else Texts.joined([known, heads])).array
        )
        number = values_of(coded.indices)[0 if known is None else len(known) :].astype(np.int64)
        if len(number) < len(self):
            number = np.repeat(number, np.diff(self.starts, append=len(self)))
        return number, Texts.of(coded.dictionary)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The place of each text in ascending order; equal ones in any order."""
        places = np.empty(len(self), dtype=np.int64)
        places[values_of(call_arrow('array_sort_indices', self.array))] = np.arange(len(self))
        return places


def are_documents(names: Texts) -> NDArray[np.bool_]:
    """Which of some ids are those of documents, (n,): all but :data:`NO_DOCUMENT`."""
    documents = np.diff(names.bounds) != len(NO_DOCUMENT)
    rows = np.flatnonzero(~documents)
    documents[rows] = names.data[names.bounds[rows]] != ord(NO_DOCUMENT)
    return documents


def as_frame(columns: Mapping[str, Any], copy: bool = True) -> pd.DataFrame:
    """A DataFrame of columns, :class:`Texts` or others, by name; without ``copy``, it has the arrays themselves."""
    plain = {
        name: column.array.to_pandas() if isinstance(column, Texts) else column
        for name, column in columns.items()
    }
    return pd.DataFrame(plain, copy=copy)


def digest(columns: Iterable[Any]) -> str:
    """The sha256 of columns: of texts where each ends and their bytes, of numbers their bytes."""
    result = hashlib.sha256()
    for column in columns:
        if isinstance(column, Texts):
            result.update(column.bounds.astype('<i8').tobytes())
            column = column.data
        result.update(column.tobytes())
    return result.hexdigest()


# -------------------------------------------------------------------------------------------------- rows and duplicates


def mix(keys: NDArray[Any], words: NDArray[Any]) -> None:
    """Change whole numbers, in place, to ones of both themselves and some words; (rows,)."""
    keys ^= words
    keys *= FACTOR
    keys ^= keys >> SHIFT
    keys *= FACTOR


def row_keys(*columns: Texts | NDArray[Any]) -> NDArray[np.uint64]:
    """A whole number of 63 bits for each row of some columns of texts and whole numbers, (rows,).

    Equal rows have equal keys. Unlike ones have one key with a probability of 2⁻⁶³. Texts are mixed by blocks of four
    words of eight bytes, some rows at a time.
    """
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        if not isinstance(column, Texts):
            mix(keys, column.astype(np.int64, copy=False).view(np.uint64))
            continue
        for first in range(0, len(column), ROWS_AT_ONCE):
            part, ends = (
                each[first:][: ROWS_AT_ONCE + n] for n, each in enumerate((keys, column.bounds))
            )
            text = np.append(column.data[ends[0] : ends[-1]], np.zeros(32, np.uint8))
            blocks = np.ndarray(len(text) - 31, dtype='V32', buffer=text, strides=(1,))
            begin, left = ends[:-1] - ends[0], np.diff(ends)
            part += left.view(np.uint64) * FACTOR
            for start in range(0, int(left.max()), 32):
                rows = np.flatnonzero(left > start) if start else slice(None)
                block = blocks[begin[rows] + start].view('<u8').reshape(-1, 4)
                block &= FIRST_BYTES.take(left[rows] - start, axis=0, mode='clip')
                mixed = part[rows]
                for word in block.T:
                    mix(mixed, word)
                part[rows] = mixed
    keys >>= np.uint64(1)
    return keys


def find_duplicate(
    *columns: Texts | NDArray[Any], keys: NDArray[np.uint64] | None = None
) -> int | None:
    """The first row that is equal to an earlier one, or None; ``keys`` are the :func:`row_keys`, if you have them."""
    ordered = np.sort(row_keys(*columns) if keys is None else keys)
    if not np.any(ordered[1:] == ordered[:-1]):
        return None
    repeated = as_frame({str(place): column for place, column in enumerate(columns)}).duplicated()
    return int(np.argmax(repeated)) if repeated.any() else None


class KnownKeys:
    """Finds keys among known ones. The first bits of a key tell where to look, because keys are spread evenly.

    Args:
        keys: the known :func:`row_keys`.
    """

    def __init__(self, keys: NDArray[np.uint64]):
        order, bits = np.argsort(keys), min((8 * len(keys)).bit_length(), 22)
        self._shift = np.uint64(63 - bits)
        counts = np.bincount((keys >> self._shift).view(np.int64) + 1, minlength=(1 << bits) + 1)
        self._first = np.cumsum(counts, dtype=np.int32)
        self._keys = np.append(keys[order], np.uint64(1 << 63))  # which is above all keys
        self._places = np.append(order, -1).astype(np.int32)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[Any]:
        """The place of each key among the known ones, −1 of one that is not known; (rows,)."""
        places = np.empty(len(keys), dtype=np.int32)
        for first in range(0, len(keys), ROWS_AT_ONCE):
            part = keys[first : first + ROWS_AT_ONCE]
            place = self._first.take((part >> self._shift).view(np.int64))
            known = self._keys.take(place)
            rows = np.flatnonzero(known < part)
            while len(rows):
                place[rows] += 1
                known[rows] = self._keys.take(place[rows])
                rows = rows[known[rows] < part[rows]]
            place[known != part] = -1
            places[first : first + ROWS_AT_ONCE] = self._places.take(place, mode='wrap')
        return places


# ---------------------------------------------------------------------------------------------------------------- order

ORDERS = ('descending', 'single', 'ascending', 'rows')
"""How rankings are ordered by ir_measures' hosts: by score descending, equal scores by doc_id descending (ndeval,
gdeval, and all of ours); the same with scores in 32 bits (trec_eval); by doc_id ascending; as the rows stand."""

TIES = {'doc_id': 'descending', 'doc_id_ascending': 'ascending', 'rows': 'rows'}
"""What users call the ways to order documents of equal scores, and which of :data:`ORDERS` each is."""


def check_ties(ties: Any) -> None:
    """Raise an error that names the ways unless ``ties`` is a known order of documents with equal scores."""
    if ties not in TIES:
        raise ValueError(f'ties={ties!r}: expected one of {", ".join(map(repr, TIES))}')


class Sorted(NamedTuple):
    """Rows query by query, by score descending; equal scores in the order of the rows.

    Attributes:
        order: the rows in this order.
        query, score: those of the rows in this order.
        tied: whether each row but the first has the query and the score of the one before it, (rows − 1,).
    """

    order: NDArray[np.intp]
    query: NDArray[Any]
    score: NDArray[Any]
    tied: NDArray[np.bool_]


def sort_rows(query: NDArray[Any], score: NDArray[Any]) -> Sorted:
    """Sort the rows of a run by query, then by score descending; equal scores in the order of the rows.

    A run is rarely sorted as a whole. If scores fall within each query, only the queries change places.

    Args:
        query, score: the number of each row's query, and its score, (rows,).
    """
    order: NDArray[Any] = np.arange(len(query), dtype=np.int32)
    if np.any(query[1:] < query[:-1]):
        order = np.argsort(query, kind='stable').astype(np.int32)
        query, score = query[order], score[order]
    same = query[1:] == query[:-1]
    if np.any(same & (score[1:] > score[:-1])):
        rows = np.lexsort((-score, query))
        order, score = order[rows], score[rows]
    return Sorted(order, query, score, same & (score[1:] == score[:-1]))


def order_ranking(
    query: NDArray[Any],
    score: NDArray[Any],
    names: Texts,
    judged: NDArray[np.bool_] | None = None,
    how: str = 'descending',
    ordered: Sorted | None = None,
) -> NDArray[np.intp]:
    """The rows in the order of a ranking (see :data:`ORDERS`), query by query.

    Of the ties, only those that contain a judged document are resolved, because others change no rank of a judged
    document; without ``judged`` all are. ``ordered`` are the rows sorted by 64-bit scores, if the caller has them.
    """
    if how == 'single':
        with np.errstate(over='ignore'):
            score = score.astype(np.float32)
    if ordered is None or how == 'single':
        ordered = sort_rows(query, score)
    order, _, _, tied = ordered
    if how == 'rows' or not tied.any():
        return order
    with_former = np.append(False, tied)
    rows = np.flatnonzero(with_former | np.append(tied, False))
    group = np.cumsum(~with_former[rows])
    if judged is not None:
        matters = np.bincount(group, judged[order[rows]]) > 0
        rows, group = rows[matters[group]], group[matters[group]]
    place = names.take(order[rows]).places
    order = order.copy()
    order[rows] = order[rows][np.lexsort((place if how == 'ascending' else -place, group))]
    return order


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, ascending. For them alone ``np.unique`` imports ``numpy.ma``."""
    values_once: NDArray[Any] = np.unique(values, return_counts=True)[0]
    return values_once


def starts(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where each of several consecutive groups begins, given their sizes, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)


def place_in_group(group: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place, from 0, of each member within its group; ``group`` ascending, ``counts`` the groups' sizes."""
    return np.arange(len(group)) - starts(counts)[group]
