"""Known (query, document) pairs found in runs, and duplicates in runs, without a dictionary of all documents.

Most documents of a run are judged nowhere, and a dictionary of them is used once. Here every pair gets a whole number
made from the end of its document's id (its *key*): equal pairs have equal keys. Only where keys are equal are the ids
themselves compared, so that no answer depends on the numbers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coding import codes, encode, first_repetition, whole
from .rows import AT_ONCE, Rows, Strings, call_arrow, values_of

Keys = NDArray[np.int64]

BITS = 63
"""The number of bits of a key. The first bits are mixed best."""

WORDS = 4
"""The number of words of eight bytes, from the end of an id, that its key is made of by default."""

_ODD = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5],
    dtype=np.uint64,
)
"""What keys are multiplied by: odd numbers with as many ones as zeros, taken in turn."""


class Pairs:
    """The distinct pairs of a query and a document in some rows. The number of a pair is its place.

    Pairs are sorted by the number of the query, and within a query in order of first appearance.

    Args:
        query: the number of each row's query, (rows,).
        names: each row's document.

    Attributes:
        row: the first row of each pair, (pairs,).
        of_row: the pair of each row, (rows,).
        query: the number of each pair's query, ascending, (pairs,).
        names: each pair's document, (pairs,).
    """

    def __init__(self, query: NDArray[Any], names: Strings):
        n, starts_here = len(names), np.zeros(len(names), dtype=bool)
        starts_here[names.stretches] = True  # the rows of a document are mostly together
        starts_here[1:] |= query[1:] != query[:-1]
        first = np.flatnonzero(starts_here)
        heads, query_of_head = (
            names if len(first) == n else Strings(names.take(first)),
            query[first],
        )
        longest = -(-int(heads.lengths.max(initial=1)) // 8)
        for attempt in itertools.count():  # until the keys tell all pairs apart
            self.words, self.seed = max(2, min(2 << min(attempt, 24), longest)), attempt
            key = pair_keys(query_of_head, text_keys(heads, self.words, self.seed))
            order = np.argsort(key)
            key = key[order]
            again = np.flatnonzero(key[1:] == key[:-1])
            one, other = order[again], order[again + 1]
            if np.array_equal(query_of_head[one], query_of_head[other]) and heads.take(one).equals(
                heads.take(other)
            ):
                break
        if len(again):
            begins = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
            key, of_pair = key[begins], np.minimum.reduceat(order, begins)
        else:
            begins, of_pair = np.arange(len(order)), order
        is_first = np.zeros(len(first), dtype=bool)
        is_first[of_pair] = True
        pairs = np.flatnonzero(is_first)
        if np.any(query_of_head[pairs[1:]] < query_of_head[pairs[:-1]]):
            pairs = pairs[np.argsort(query_of_head[pairs], kind='stable')]
        number = np.empty(len(first), dtype=np.intp)
        number[pairs] = np.arange(len(pairs))
        self._number = number[of_pair]
        if len(again):
            number[order] = np.repeat(self._number, np.diff(begins, append=len(order)))
        self.row, self.query, self.of_row = first[pairs], query_of_head[pairs], number
        if len(first) < n:
            self.of_row = np.repeat(number, np.diff(first, append=n))
        self.names = (
            names if np.array_equal(self.row, np.arange(n)) else Strings(names.take(self.row))
        )
        self._keys = np.append(key, np.iinfo(np.int64).max)  # greater than any key
        self._bits = max(int(len(key)).bit_length() + 2, 8)

    def __len__(self) -> int:
        return len(self.row)

    @functools.cached_property
    def _first(self) -> NDArray[Any]:
        """The place of the first key of each bucket among the ascending keys, −1 for an empty bucket."""
        bucket = self._keys[:-1] >> (BITS - self._bits)
        first = np.full(1 << self._bits, -1, dtype=np.min_scalar_type(-len(bucket) - 1))
        first[bucket[::-1]] = np.arange(len(bucket) - 1, -1, -1)
        return first

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
            same, further = (
                np.flatnonzero(key_candidates == keys_left),
                np.flatnonzero(key_candidates < keys_left),
            )
            matches.append((rows[same], position[same]))
            rows, keys_left, position = rows[further], keys_left[further], position[further] + 1
        place = np.full(len(keys), -1, dtype=np.intp)
        if matches:
            rows, position = map(np.concatenate, zip(*matches))
            candidates = self._number[position]
            place[rows] = candidates
            names_of_rows, names_of_pairs = names.take(rows), self.names.take(candidates)
            if not names_of_rows.equals(names_of_pairs):
                place[rows[values_of(call_arrow('not_equal', names_of_rows, names_of_pairs))]] = -1
        return place


class Coded:
    """The ids of judgments as numbers.

    Args:
        rows: judgments with the columns ``query_id``, ``doc_id`` and ``subtopic_id``.

    Attributes:
        queries: the ids of the queries in order of first appearance, an arrow array of large strings.
        pairs: the pairs of a query and a document.
    """

    def __init__(self, rows: Rows):
        query, self.queries = encode(rows.strings('query_id'))
        self.pairs, self._rows = Pairs(query, rows.strings('doc_id')), rows

    @functools.cached_property
    def subtopic(self) -> tuple[NDArray[np.int64], Any]:
        """The number of each row's subtopic, (rows,), and the ids of the subtopics, an arrow array."""
        return encode(self._rows.strings('subtopic_id'))


def text_keys(names: Strings, words: int = WORDS, seed: int = 0) -> NDArray[np.uint64]:
    """A whole number for each of some ids, from its length and its last ``words`` · 8 bytes; another one for another
    seed; (n,)."""
    if len(names) > AT_ONCE:
        return np.concatenate(
            [
                text_keys(names.part(first, first + AT_ONCE), words, seed)
                for first in range(0, len(names), AT_ONCE)
            ]
        )
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


def parts_of_queries(queries: Strings) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Parts of some rows, each with all rows of its queries, and for each of its rows a number of the query.

    If the rows of each query are together, as nearly always, a part has about :data:`AT_ONCE` rows, because what is
    computed from all rows at once takes several times their memory. Otherwise there is one part.
    """
    n, first = len(queries), queries.stretches
    keys = np.sort(text_keys(Strings(queries.take(first)))) if n > AT_ONCE else np.zeros(2)
    if np.any(keys[1:] == keys[:-1]):  # of a query whose rows are apart, or of different ones
        yield slice(0, n), codes(queries)
        return
    begin, bounds = 0, np.append(first, n)
    while begin < len(first):
        end = max(begin + 1, int(np.searchsorted(first, first[begin] + AT_ONCE)))
        yield (
            slice(int(bounds[begin]), int(bounds[end])),
            np.repeat(np.arange(end - begin), np.diff(bounds[begin : end + 1])),
        )
        begin = end


def repetition(queries: Strings, names: Strings) -> int | None:
    """The first of some pairs, given by query and id, that repeats an earlier one, or None.

    Args:
        queries: the query of each pair.
        names: the ids.
    """
    for rows, query in parts_of_queries(queries):
        ids = names.part(rows.start, rows.stop)
        found = duplicate(pair_keys(query, text_keys(ids)), query, ids)
        if found is not None:
            return rows.start + found
    return None


def duplicate(keys: Keys, query: NDArray[Any], names: Strings) -> int | None:
    """The first of some pairs, given by key, query and id, that repeats an earlier one, or None."""
    ascending = np.sort(keys)
    several = ascending[1:][ascending[1:] == ascending[:-1]]
    if not len(several):
        return None
    # Some keys are equal: the ids themselves say which row is the first to repeat another.
    rows = np.flatnonzero(np.isin(keys, several))
    coded = names.take(rows).dictionary_encode()
    again = first_repetition(query[rows] * len(coded.dictionary) + whole(coded.indices))
    return None if again is None else int(rows[again])


__all__ = [
    'Coded',
    'Pairs',
    'duplicate',
    'pair_keys',
    'parts_of_queries',
    'repetition',
    'text_keys',
]
