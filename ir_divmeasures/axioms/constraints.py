"""The constraints of Amigó et al. 2018, §3: their statements, and the pairs of rankings that test them.

Relevance is a real number r(d,t) in [0, 1]. Grades of at most ``SMALL`` stand for r ≪ 1 ("relevance contribution").
All short rankings are enumerated. Longer rankings are constructed (one or two relevant documents anywhere, or everything
else relevant) or drawn at random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array
from .cases import END, NOTHING, SMALL, Cases, Places, concatenated

LEVELS = (0.0, 0.01, 0.5, 1.0)
"""Grades of enumerated rankings, times ``SMALL`` where r ≪ 1."""

R_MAX = (0.25, 0.5, 0.75, 1.0)
"""Candidates for the relevance that saturates an aspect."""

LENGTHS = (4, 10, 16, 64, 256, 1024)
"""The lengths up to which rankings are scored together."""


@dataclass(frozen=True)
class Constraint:
    """One of the constraints.

    Attributes:
        equation: its number in the paper.
        statement: what must hold, and under which condition.
        narrow: the narrower reading of the constraint, which is checked too; empty where there is none.
        cases: the function that returns pairs of rankings for a length (n for DeepTh and CloseTh) and a generator, and
            for r_max (Sat). The first ranking should score higher (lower in CloseTh).
        shortest: the documents of the shortest ranking.
    """

    equation: int
    statement: str
    narrow: str
    cases: Callable[..., Iterator[Cases]]
    shortest: int = 1

    def batches(
        self, lengths: Iterable[int], rng: np.random.Generator, **options: float
    ) -> list[Cases]:
        """The pairs of rankings of these lengths, shortest first; those of similar length are scored together."""
        similar: dict[tuple[int, int], list[Cases]] = {}
        for n in lengths:
            for batch in filter(len, self.cases(n, rng, **options) if n >= self.shortest else ()):
                key = int(np.searchsorted(LENGTHS, n)), batch.pool.shape[2]
                similar.setdefault(key, []).append(batch)
        return [concatenated(group) for group in similar.values()]


# ------------------------------------------------------------------------------------------------ grades and rankings


def _grid(choices: Any, n: int) -> Array:
    """All sequences of n of these choices, (len(choices)^n, n[, T])."""
    places = np.array(list(itertools.product(range(len(choices)), repeat=n)), dtype=np.intp)
    return np.asarray(choices, dtype=float)[places.reshape(len(choices) ** n, n)]


def _rankings(
    choices: Any, n: int, enumerated: int, rng: np.random.Generator, count: int = 20
) -> Array:
    """All rankings of n of these documents up to the length ``enumerated``, else ``count`` of them.

    The first of those has the second document at the top, and the first one below. The others are random.
    """
    if n <= enumerated:
        return _grid(choices, n)
    places = rng.integers(0, len(choices), (count, n))
    places[0], places[0, 0] = 0, len(choices) > 1
    return np.asarray(choices, dtype=float)[places]


def _one_aspect(n: int, graded: int, binary: int, rng: np.random.Generator) -> Array:
    """Rankings of n documents: all of LEVELS up to length ``graded``, and all of 0 and 1 up to length ``binary``.

    Longer ones have no, one or only relevant documents, or are random.
    """
    if n <= binary:
        return _grid(LEVELS if n <= graded else (0, 1), n)
    systematic = [np.zeros((1, n)), np.eye(n), np.ones((1, n))]
    return np.concatenate([*systematic, *(_rankings(few, n, 0, rng) for few in (LEVELS, (0, 1)))])


def _kinds(aspects: int) -> Array:
    """A document relevant to nothing, and one for each aspect; (T + 1, T)."""
    return np.eye(aspects + 1, aspects, -1)


def _places(right: NDArray[np.bool_], n: int, rng: np.random.Generator) -> Any:
    """Where pairs of documents, or their like, are right: all places, or 100 random ones in rankings of more than 10."""
    places = np.nonzero(right)
    chosen = np.sort(rng.permutation(len(places[0]))[:100]) if n > 10 else slice(None)
    return [place[chosen] for place in places]


def _is_binary(grades: Array) -> NDArray[np.bool_]:
    return np.all((grades == 0) | (grades == 1), axis=tuple(range(1, grades.ndim)))


def _cases(
    pool: Array,
    higher: Places,
    lower: Places,
    narrow: Any = True,
    small: bool = True,
    weight: Any = None,
) -> Cases:
    """Cases where ``narrow`` broadcasts to (B,) and ``weight`` to (B, T); without weights, aspects are balanced."""
    cases, _, aspects = pool.shape
    weight = np.broadcast_to(1 / aspects if weight is None else weight, (cases, aspects))
    return Cases(pool, higher, lower, weight, np.broadcast_to(narrow, cases), np.full(cases, small))


def _with(documents: Array, *further: Any) -> Array:
    """Documents (B, n, T) of each case, and below them further ones, whose grades (T,) or (B, T) are the same or not."""
    shape = documents.shape[::2]
    last = [np.broadcast_to(grades, shape)[:, None] for grades in further]
    return np.concatenate([documents, *last], axis=1)


def _in_order(pool: Array, n: int) -> Places:
    return np.tile(np.arange(n), (len(pool), 1))


def _changed(places: Places, rank: Any, document: Any) -> Places:
    """The rankings with another document at one rank, an index from 0."""
    result = places.copy()
    result[np.arange(len(places)), rank] = document
    return result


def _swapped(order: Places, i: Any, j: Any) -> Places:
    """The rankings, of documents in their order, with two documents swapped."""
    return _changed(_changed(order, i, j), j, i)


# ------------------------------------------------------------------------------------------------ the constraints


def _pri(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking with a more relevant document below a less relevant one, against the ranking with the two swapped."""
    grades = _one_aspect(n, 4, 8, rng)
    i, j = np.triu_indices(n, 1)
    rows, pairs = _places(grades[:, j] > grades[:, i], n, rng)
    pool = grades[rows, :, None]
    order = _in_order(pool, n)
    yield _cases(pool * SMALL, _swapped(order, i[pairs], j[pairs]), order, _is_binary(pool))


def _deep(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking with two wrongly ordered pairs of neighbours of the same grades: the first pair corrected, against
    the second pair corrected."""
    grades = _one_aspect(n, 4, 8, rng)
    i, j = np.triu_indices(n - 1, 2)
    alike = (grades[:, i] == grades[:, j]) & (grades[:, i + 1] == grades[:, j + 1])
    rows, pairs = _places(alike & (grades[:, i] < grades[:, i + 1]), n, rng)
    pool = grades[rows, :, None]
    order = _in_order(pool, n)
    higher, lower = (_swapped(order, rank[pairs], rank[pairs] + 1) for rank in (i, j))
    yield _cases(pool * SMALL, higher, lower, _is_binary(pool))


def _deepth(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """(One relevant document, then 2n − 1 others) against (n non-relevant, then n relevant).

    The grade is SMALL/100, so that the sum of n grades is small too.
    """
    one, several = np.full((2, 1, 2 * n), NOTHING)
    one[0, 0], several[0, n:] = 0, np.arange(n)
    yield _cases(np.full((1, n, 1), SMALL / 100), one, several)


def _conf(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking, against the ranking with a non-relevant document at the end."""
    pool = _one_aspect(n, 4, 8, rng)[..., None]
    order = _in_order(pool, n + 1)
    higher, lower = (_changed(order, n, last) for last in (END, NOTHING))
    yield _cases(pool * SMALL, higher, lower, np.any(pool > 0, axis=(1, 2)))


def _aspdiv(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking with one document replaced by a document of higher grades for every aspect, against the ranking."""
    vectors = _grid((0.0, 0.01, 1.0), 2)
    all_but_one = np.repeat(1 - np.eye(n)[..., None], 2, axis=2)
    several = (_rankings(few, n, 2, rng) for few in (vectors, _grid((0, 1), 2)))
    rankings = np.concatenate([*several, all_but_one])
    higher = np.all(vectors > rankings[:, :, None], axis=-1)
    row, rank, better = _places(higher, n, rng)
    pool = _with(rankings[row], vectors[better])
    order = _in_order(pool, n)
    for weight in ((0.5, 0.5), (0.8, 0.2)):
        yield _cases(pool * SMALL, _changed(order, rank, n), order, _is_binary(pool), weight=weight)


def _red(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Rankings with more documents for aspect 1 than for aspect 2: one for aspect 2 is added, or one for aspect 1."""
    for aspects, enumerated in ((2, 6), (3, 3)):
        kinds = _kinds(aspects)
        documents = _rankings(kinds, n, enumerated, rng, count=40)
        counts = documents.sum(axis=1)
        pool = _with(documents[counts[:, 0] > counts[:, 1]], kinds[2], kinds[1])
        order = _in_order(pool, n + 1)
        for rc in (SMALL, 0.5, 1.0):
            small = rc == SMALL
            yield _cases(pool * rc, order, _changed(order, n, n + 1), small, small)


def _mred(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Rankings in which every document is more relevant to aspect 1: one for aspect 2 is added, or one for aspect 1."""
    vectors = _grid((0.0, 0.1, 0.5, 1.0), 2)
    documents = _rankings(vectors[vectors[:, 0] > vectors[:, 1]], n, 3, rng)
    for r in (0.1, 1.0):
        pool = _with(documents, (0, r), (r, 0))
        order = _in_order(pool, n + 1)
        yield _cases(pool * SMALL, order, _changed(order, n, n + 1))


def _sat(n: int, rng: np.random.Generator, r_max: float = 1) -> Iterator[Cases]:
    """Rankings whose last document has r_max for aspect 1, against the same with a further document for aspect 1."""
    for aspects in (1, 2):
        kinds = _kinds(aspects)
        before = _grid([*kinds, *(0.25 * kinds[1:])], n - 1)
        for following in (0.01, 0.25, 1.0):
            pool = _with(before, r_max * kinds[1], following * kinds[1])
            order = _in_order(pool, n + 1)
            yield _cases(pool, _changed(order, n, END), order, small=False)


def _asprel(n: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Rankings with a document for aspect 1, against the same with one for aspect 2, which has less weight.

    No document above it is for aspect 1 or 2. Documents for aspect 3 may be anywhere.
    """
    for weight in ((0.9, 0.1), (0.7, 0.3), (0.505, 0.495), (0.5, 0.3, 0.2)):
        kinds = _kinds(len(weight))
        documents = _rankings(kinds if n <= 4 else np.delete(kinds, (1, 2), axis=0), n, 4, rng)
        if n > 4:
            documents[:, -1] = kinds[1]
        for_either = np.any(documents[:, :, :2] > 0, axis=2)
        row, rank = np.nonzero((for_either.cumsum(axis=1) == for_either) & (documents[:, :, 0] > 0))
        pool, alone = _with(documents[row], kinds[2]), for_either[row].sum(axis=1) == 1
        order = _in_order(pool, n)
        for r in (SMALL, 1.0):
            small = r == SMALL
            yield _cases(pool * r, order, _changed(order, rank, n), alone & small, small, weight)


CONSTRAINTS = {
    'Pri': Constraint(
        1,
        'One aspect, r ≪ 1. Swapping two documents so that the more relevant one comes first raises the score.',
        'binary relevance',
        _pri,
        2,
    ),
    'Deep': Constraint(
        2,
        'One aspect, r ≪ 1. Correcting a swap of neighbours raises the score more at an earlier rank: '
        'r(d_i) = r(d_j) < r(d_{i+1}) = r(d_{j+1}), i < j.',
        'binary relevance',
        _deep,
        4,
    ),
    'DeepTh': Constraint(
        3,
        'One aspect, r ≪ 1, binary. One relevant document at the top is better than n of them after n non-relevant ones, '
        'for every sufficiently large n; rankings of equal length.',
        '',
        _deepth,
    ),
    'CloseTh': Constraint(
        4,
        'One aspect, r ≪ 1, binary. One relevant document at the top is worse than m of them after m non-relevant ones, '
        'for some m; rankings of equal length.',
        '',
        _deepth,
    ),
    'Conf': Constraint(
        5,
        'One aspect, r ≪ 1. A non-relevant document added at the end lowers the score.',
        'something relevant was retrieved',
        _conf,
    ),
    'AspDiv': Constraint(
        6,
        'r ≪ 1. A document replaced by one that is more relevant to every aspect raises the score.',
        'binary relevance',
        _aspdiv,
    ),
    'Red': Constraint(
        7,
        'Binary relevance r_c, balanced aspects, no document relevant to two. A document for the aspect seen less often, '
        'added at the end, scores higher than one for the aspect seen more often.',
        'r_c ≪ 1',
        _red,
    ),
    'MRed': Constraint(
        8,
        'Two balanced aspects, r ≪ 1. Where every document seen is more relevant to t than to t′, a document for t′, '
        'added at the end, scores higher than as relevant a one for t.',
        '',
        _mred,
    ),
    'Sat': Constraint(
        9,
        'No document relevant to two aspects. Some r_max ≤ 1 is so large that after a document of r(d,t) = r_max no '
        'further one for t raises the score.',
        '',
        _sat,
    ),
    'AspRel': Constraint(
        10,
        'No document relevant to two aspects. Where neither t nor t′ was seen before, a document for the aspect of more '
        'weight scores higher than as relevant a one for the other. (Eq. 10 is printed with the two documents '
        'interchanged.)',
        'r ≪ 1, and nothing relevant to t or t′ follows',
        _asprel,
    ),
}
"""All constraints by name, in the order of the paper's Table 1."""
