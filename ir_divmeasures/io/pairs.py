"""Known (query, document) pairs found in runs, and duplicates in runs, without a dictionary of all documents.

Most documents of a run are judged nowhere, and a dictionary of them is used once. Here every pair gets a whole number
made from the end of its document's id (its *key*): equal pairs have equal keys. Only where keys are equal are the ids
themselves compared, so that no answer depends on the numbers.
"""
from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coding import first_repetition, lengths, whole

Keys = NDArray[np.int64]

BITS = 63
"""Keys are whole numbers of so many bits, the first of which are the most mixed."""

SCRATCH = 1 << 22
"""So many bytes are kept by each thread that looks for duplicates."""

_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], dtype=np.uint64)
"""What keys are multiplied by: odd numbers with as many ones as zeros, taken in turn."""
_LAST_BYTES = np.array([0] + [(1 << 64) - (1 << 64 - 8 * n) for n in range(1, 9)], dtype=np.uint64)
"""Masks that keep the last n bytes of a word."""


class Pairs:
    """Distinct pairs of a query and a document, each known by its place.

    Args:
        query: the number of each pair's query, (pairs,).
        document: its document's place in ``documents``, (pairs,).
        documents: distinct document ids, an arrow array of large strings.
    """

    def __init__(self, query: NDArray[Any], document: NDArray[Any], documents: Any):
        self.document, self.documents = document, documents
        longest = -(-int(lengths(documents).max(initial=1)) // 8)
        for attempt in itertools.count():  # until the keys tell all pairs apart
            self.words, self.seed = max(2, min(2 << min(attempt, 24), longest)), attempt
            key = pair_keys(query, text_keys(documents, self.words, self.seed)[document])
            order = np.argsort(key)
            ascending = key[order]
            if not np.any(ascending[1:] == ascending[:-1]):
                break
        self._order = order
        self._keys = np.append(ascending, np.iinfo(np.int64).max)  # greater than any key
        self._bits = max(int(len(key)).bit_length() + 2, 8)
        bucket = ascending >> (BITS - self._bits)
        self._first = np.full(1 << self._bits, -1, dtype=np.int64 if len(key) > 2**31 else np.int32)
        self._first[bucket[::-1]] = np.arange(len(key) - 1, -1, -1)

    def keys(self, query: NDArray[Any], names: Any) -> Keys:
        """The keys of other pairs of a query and an id, to be compared with those known here; (n,)."""
        return pair_keys(query, text_keys(names, self.words, self.seed))

    def find(self, keys: Keys, names: Any) -> NDArray[np.intp]:
        """The place of each of some pairs, given by key and id, among the known ones; −1 where it is none; (n,)."""
        import pyarrow as pa
        from pyarrow import compute as pc

        place = np.full(len(keys), -1, dtype=np.intp)
        at = self._first[keys >> (BITS - self._bits)]
        rows = np.flatnonzero(at >= 0)  # in a bucket with known keys, which ascend
        at, mine = at[rows], keys[rows]
        while len(rows):
            place[rows] = at
            known = self._keys[at]
            other = np.flatnonzero(known != mine)
            place[rows[other]] = -1
            further = other[known[other] < mine[other]]
            rows, mine, at = rows[further], mine[further], at[further] + 1
        rows = np.flatnonzero(place >= 0)
        found = self._order[place[rows]]
        place[rows] = found
        same = pc.equal(names.take(pa.array(rows)), self.documents.take(pa.array(self.document[found])))
        if not pc.all(same).as_py() and len(rows):
            place[rows[~same.to_numpy(zero_copy_only=False)]] = -1
        return place


def text_keys(names: Any, words: int, seed: int = 0) -> NDArray[np.uint64]:
    """A whole number for each of some ids (an arrow array of large strings), from its length and its last ``words`` · 8
    bytes; another one for another seed; (n,)."""
    length, tails = _tails(names, words)
    key = (length + seed).astype(np.uint64) * _ODD[3]
    for place, word in enumerate(tails):
        key ^= word
        key *= _ODD[place % 3]
        key ^= key >> np.uint64(29)
    return key


def pair_keys(query: NDArray[Any], text: NDArray[np.uint64]) -> Keys:
    """A whole number of :data:`BITS` bits for each pair of a query's number and an id's :func:`text_keys`; (n,)."""
    key = query.astype(np.uint64) * _ODD[1]
    key ^= text
    key *= _ODD[0]
    return (key >> np.uint64(64 - BITS)).view(np.int64)


def _tails(names: Any, words: int) -> tuple[NDArray[np.int64], list[NDArray[np.uint64]]]:
    """The lengths of some ids in bytes, and their last bytes as numbers, eight by eight from the end."""
    _, offsets, data = names.buffers()
    if not len(names) or data is None:
        return np.zeros(len(names), dtype=np.int64), [np.zeros(len(names), dtype=np.uint64)] * words
    ends = np.frombuffer(offsets, dtype=np.int64)[names.offset:names.offset + len(names) + 1]
    first, last = int(ends[0]), int(ends[-1])
    length = np.diff(ends)
    before = 8 * words
    text = np.zeros(before + -(-(last - first) // 8) * 8 + 16, dtype=np.uint8)
    text[before:before + last - first] = np.frombuffer(data, dtype=np.uint8)[first:last]
    aligned = text.view('<u8')
    end = ends[1:] + (before - first)
    # A word that begins within an aligned one has its last bytes and the first ones of the next.
    at, begun = end >> 3, ((end & 7) << 3).astype(np.uint64)
    rest = np.uint64(63) - begun
    shortest = int(length.min())
    after, found = aligned[at], []
    for place in range(words):
        at = at - 1
        own = aligned[at]
        word = (own >> begun) | ((after << np.uint64(1)) << rest)
        if shortest < 8 * (place + 1):
            word &= _LAST_BYTES[np.clip(length - 8 * place, 0, 8)]
        found.append(word)
        after = own
    return length, found


_buffers = threading.local()


def _scratch(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of any content, the same again for this thread while it is large enough and small: new memory takes
    longer than what is done with it."""
    if size * dtype.itemsize > SCRATCH:
        return np.empty(size, dtype=dtype)
    if not hasattr(_buffers, 'scratch'):
        _buffers.scratch = np.empty(SCRATCH, dtype=np.uint8)
    found: NDArray[Any] = _buffers.scratch[:size * dtype.itemsize].view(dtype)
    return found


def duplicate(keys: Keys, query: NDArray[Any], names: Any) -> int | None:
    """The first of some pairs, given by key, query and id, that repeats an earlier one, or None."""
    n = len(keys)
    bits = max(n.bit_length() + 2, 8)
    bucket = keys >> (BITS - bits)
    mine = np.arange(n, dtype=np.int64 if n > 2**31 else np.int32)
    last = _scratch(1 << bits, mine.dtype)  # only what was written is read
    last[bucket] = mine
    lasts = last[bucket]
    earlier = np.flatnonzero(lasts != mine)
    among, with_last = keys[earlier], keys[lasts[earlier]]
    ascending = np.sort(among)
    if not np.any(among == with_last) and not np.any(ascending[1:] == ascending[:-1]):
        return None
    # Some keys are equal: of the rows in their buckets the ids themselves say which is the first to repeat another.
    rows = np.union1d(earlier, lasts[earlier])
    coded = names.take(rows).dictionary_encode()
    again = first_repetition(query[rows] * len(coded.dictionary) + whole(coded.indices))
    return None if again is None else int(rows[again])


__all__ = ['Pairs', 'duplicate', 'pair_keys', 'text_keys']
