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

from .coding import first_repetition, whole
from .rows import AT_ONCE, Strings, call_arrow, values_of

Keys = NDArray[np.int64]

BITS = 63
"""The number of bits of a key. The first bits are mixed best."""

SCRATCH = 1 << 22
"""The number of bytes that each thread keeps for finding duplicates."""

_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], dtype=np.uint64)
"""What keys are multiplied by: odd numbers with as many ones as zeros, taken in turn."""


class Pairs:
    """Distinct pairs of a query and a document. The number of a pair is its place.

    Args:
        query: the number of each pair's query, (pairs,).
        document: its document's place in ``documents``, (pairs,).
        documents: distinct document ids, an arrow array of large strings.
    """

    def __init__(self, query: NDArray[Any], document: NDArray[Any], documents: Any):
        self.document, self.names = document, Strings(documents)
        longest = -(-int(self.names.lengths.max(initial=1)) // 8)
        for attempt in itertools.count():  # until the keys tell all pairs apart
            self.words, self.seed = max(2, min(2 << min(attempt, 24), longest)), attempt
            key = pair_keys(query, text_keys(self.names, self.words, self.seed)[document])
            order = np.argsort(key)
            ascending = key[order]
            if not np.any(ascending[1:] == ascending[:-1]):
                break
        self._order = order
        self._keys = np.append(ascending, np.iinfo(np.int64).max)  # greater than any key
        self._bits = max(int(len(key)).bit_length() + 2, 8)
        bucket = ascending >> (BITS - self._bits)
        self._first = np.full(1 << self._bits, -1, dtype=np.min_scalar_type(-len(key) - 1))
        self._first[bucket[::-1]] = np.arange(len(key) - 1, -1, -1)

    def keys(self, query: NDArray[Any], names: Strings) -> Keys:
        """The keys of other pairs of a query and an id, to be compared with those known here; (n,)."""
        return pair_keys(query, text_keys(names, self.words, self.seed))

    def find(self, keys: Keys, names: Strings) -> NDArray[np.intp]:
        """Return the place of each pair, given by key and id, among the known pairs; −1 if it is not known; (n,)."""
        position = self._first[keys >> (BITS - self._bits)]
        rows = np.flatnonzero(position >= 0)  # in a bucket with known keys, which ascend
        position, keys_left = position[rows], keys[rows]
        matches = []
        while len(rows):
            key_candidates = self._keys[position]
            same, further = np.flatnonzero(key_candidates == keys_left), np.flatnonzero(key_candidates < keys_left)
            matches.append((rows[same], position[same]))
            rows, keys_left, position = rows[further], keys_left[further], position[further] + 1
        place = np.full(len(keys), -1, dtype=np.intp)
        if matches:
            rows, position = map(np.concatenate, zip(*matches))
            candidates = self._order[position]
            place[rows] = candidates
            names_of_rows, names_of_pairs = names.take(rows), self.names.take(self.document[candidates])
            if not names_of_rows.equals(names_of_pairs):
                place[rows[values_of(call_arrow('not_equal', names_of_rows, names_of_pairs))]] = -1
        return place


def text_keys(names: Strings, words: int, seed: int = 0) -> NDArray[np.uint64]:
    """A whole number for each of some ids, from its length and its last ``words`` · 8 bytes; another one for another
    seed; (n,)."""
    if len(names) > AT_ONCE:
        return np.concatenate([text_keys(names.part(first, first + AT_ONCE), words, seed)
                               for first in range(0, len(names), AT_ONCE)])
    key = (names.lengths + seed).view(np.uint64) * _ODD[3]
    for place, word in enumerate(names.tails(words).T):
        key ^= word
        key *= _ODD[place % 3]
        key ^= key >> np.uint64(29)
    return key


def pair_keys(query: NDArray[Any], text: NDArray[np.uint64]) -> Keys:
    """A whole number of :data:`BITS` bits for each pair of a query's number and an id's :func:`text_keys`; (n,)."""
    key = query.astype(np.uint64)
    key *= _ODD[1]
    key ^= text
    key *= _ODD[0]
    return (key >> np.uint64(64 - BITS)).view(np.int64)


_buffers = threading.local()


def _scratch(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an array with arbitrary content. Each thread reuses a small array, because allocating memory takes longer
    than using it."""
    if size * dtype.itemsize > SCRATCH:
        return np.empty(size, dtype=dtype)
    if not hasattr(_buffers, 'scratch'):
        _buffers.scratch = np.empty(SCRATCH, dtype=np.uint8)
    scratch_array: NDArray[Any] = _buffers.scratch[:size * dtype.itemsize].view(dtype)
    return scratch_array


def repetition(query: NDArray[Any], names: Strings, words: int) -> int | None:
    """The first of some pairs, given by query and id, that repeats an earlier one, or None.

    If the rows of each query are together, as nearly always, a part of the queries is examined at a time, because what
    is needed for all of them takes several times the memory of the pairs.

    Args:
        query: the number of each row's query, by first appearance, (n,).
        names: the ids.
        words: as for :func:`text_keys`.
    """
    n = len(query)
    together = n > AT_ONCE and bool(np.all(query[1:] >= query[:-1]))
    first = 0
    while first < n:
        end = int(np.searchsorted(query, query[min(first + AT_ONCE, n) - 1], 'right')) if together else n
        part, ids = query[first:end], names.part(first, end)
        found = duplicate(pair_keys(part, text_keys(ids, words)), part, ids)
        if found is not None:
            return first + found
        first = end
    return None


def duplicate(keys: Keys, query: NDArray[Any], names: Strings) -> int | None:
    """The first of some pairs, given by key, query and id, that repeats an earlier one, or None."""
    n = len(keys)
    bits = max(n.bit_length() + (2 if n <= AT_ONCE else 0), 8)  # fewer buckets take more turns and less memory
    bucket = keys >> (BITS - bits)
    rows = np.arange(n, dtype=np.min_scalar_type(n))
    last = _scratch(1 << bits, rows.dtype)  # only what was written is read
    while len(rows):
        last[bucket] = rows
        lasts = last[bucket]
        earlier = np.flatnonzero(lasts != rows)
        if np.any(keys[rows[earlier]] == keys[lasts[earlier]]):
            break
        rows, bucket = rows[earlier], bucket[earlier]
    else:
        return None
    # Some keys are equal: the ids themselves say which row is the first to repeat another.
    ascending = np.sort(keys)
    several = ascending[1:][ascending[1:] == ascending[:-1]]
    rows = np.flatnonzero(np.isin(keys, several))
    coded = names.take(rows).dictionary_encode()
    again = first_repetition(query[rows] * len(coded.dictionary) + whole(coded.indices))
    return None if again is None else int(rows[again])


__all__ = ['Pairs', 'duplicate', 'pair_keys', 'repetition', 'text_keys']
