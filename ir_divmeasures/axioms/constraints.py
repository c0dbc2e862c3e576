"""The constraints of Amigó et al. 2018, §3: their statements, and the pairs of rankings that test them.

Relevance is a real number r(d,t) in [0, 1]. Grades of at most ``SMALL`` stand for r ≪ 1 ("relevance contribution").
All short rankings are enumerated. Longer rankings, of up to ``longest`` documents, are constructed (one or two relevant
documents anywhere, or everything else relevant) or drawn at random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array
from ..errors import whole
from .cases import END, NOTHING, SMALL, Cases, Places, concatenated, merged

if TYPE_CHECKING:
    from ..typing import RngLike

LEVELS = (0.0, 0.01, 0.5, 1.0)
"""Grades of enumerated rankings, times ``SMALL`` where r ≪ 1."""

R_MAX = (0.25, 0.5, 0.75, 1.0)
"""Candidates for the relevance that saturates an aspect."""


Maker = Callable[..., Any]


@dataclass(frozen=True)
class Constraint:
    """One of the constraints.

    Attributes:
        name: its short name.
        equation: its number in the paper; None for a constraint that is not in the paper.
        statement: what must hold, and under which condition.
        cases: the function that returns the pairs of rankings; see :func:`constraint`. The first ranking of a pair
            should score higher.
        narrow: the narrower reading of the constraint, which is checked too; empty where there is none.
        exists: for existential constraints, the variable for which a value must exist.
        exhaustive: for universal constraints, the rankings for which all pairs are checked.
    """

    name: str
    equation: int | None
    statement: str
    cases: Maker
    narrow: str = ''
    exists: str = ''
    exhaustive: str = ''


CONSTRAINTS: dict[str, Constraint] = {}
"""All constraints by name, in the order of the paper's Table 1; filled by :func:`constraint`."""


def constraint(
    name: str, equation: int | None, statement: str, narrow: str = '', **further: str
) -> Callable[[Maker], Maker]:
    """Add a constraint to ``CONSTRAINTS``, from which checks, tables and pages take it.

    The decorated function returns the pairs of rankings. Its arguments depend on ``exists``:

    * ``''``, a universal constraint: ``(longest, rng)`` → batches of :class:`Cases`, shortest rankings first. A measure
      must order every pair correctly.
    * ``'n'``: ``(depths)`` → :class:`Cases`, one for each depth. A measure must order every pair correctly from some n
      on.
    * ``'m'``: the same. A measure must order one pair correctly.
    * ``'r_max'``: ``(r_max)`` → batches of :class:`Cases`. A measure must order no pair wrongly for one r_max of
      ``R_MAX``.
    """

    def add(cases: Maker) -> Maker:
        CONSTRAINTS[name] = Constraint(name, equation, statement, cases, narrow, **further)
        return cases

    return add


class Block(NamedTuple):
    """A batch of cases, and its place in a larger batch that measures score at once.

    Attributes:
        cases: the batch.
        together: the larger batch.
        start: the batch's first case in it.
    """

    cases: Cases
    together: Cases
    start: int


LENGTHS = (4, 5, 8, 16, 24, 32)
"""The lengths up to which rankings are scored together. There are up to 3,840 pairs of rankings of five documents."""


def _in_blocks(batches: list[Cases]) -> list[Block]:
    """Batches, in their order. Those of similar length, which are few of each length, are in one larger batch."""
    similar: dict[tuple[int, int], list[Cases]] = {}
    for batch in batches:
        key = int(np.searchsorted(LENGTHS, batch.lower.shape[1])), batch.pool.shape[2]
        similar.setdefault(key, []).append(batch)
    blocks = {}
    for group in similar.values():
        together, start = concatenated(group), 0
        for batch in group:
            blocks[id(batch)] = Block(batch, together, start)
            start += len(batch)
    return [blocks[id(batch)] for batch in batches]


@dataclass
class Search:
    """The pairs of rankings that are compared, created once for any number of measures.

    Args:
        longest: number of documents in the longest ranking for a universal constraint.
        deepest: the largest n and m for DeepTh and CloseTh.
        rng: seed or generator for the random rankings, as for ``np.random.default_rng``.
    """

    longest: int = 40
    deepest: int = 4096
    rng: RngLike = 0
    _batches: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        whole(self.longest, 'longest', 8)
        whole(self.deepest, 'deepest', 16)
        self._draw = np.random.default_rng(self.rng)

    def blocks(self, constraint: str, r_max: float | None = None) -> list[Block]:
        """The batches for a universal constraint, or for one value of a variable r_max, shortest rankings first, and the
        larger ones that measures score at once."""
        if (constraint, r_max) not in self._batches:
            make = CONSTRAINTS[constraint].cases
            made = make(self.longest, self._draw) if r_max is None else make(r_max)
            self._batches[constraint, r_max] = _in_blocks(merged(made))
        return self._batches[constraint, r_max]

    def cases_by_depth(self, constraint: str) -> Cases:
        """The cases for a constraint with a variable n or m, one for each of :attr:`depths`."""
        if constraint not in self._batches:
            self._batches[constraint] = CONSTRAINTS[constraint].cases(self.depths)
        return self._batches[constraint]

    def forget(self) -> None:
        """Drop all pairs, with the rankings that measures of them share."""
        self._batches.clear()

    @property
    def depths(self) -> list[int]:
        """The n and m that are compared first: all up to 16, then about four per octave, up to ``deepest``."""
        steps = 1 + 4 * int(np.ceil(np.log2(self.deepest / 16)))
        further = np.unique(np.geomspace(16, self.deepest, steps).round().astype(int))
        return [*range(1, 16), *further.tolist()]


# ------------------------------------------------------------------------------------------------ grades and rankings


def _grid(choices: Sequence[object], n: int) -> Array:
    """All sequences of n of these choices, (len(choices)^n, n[, T])."""
    places = np.array(list(itertools.product(range(len(choices)), repeat=n)), dtype=np.intp)
    return np.asarray(choices, dtype=float)[places.reshape(len(choices) ** n, n)]


def _kinds(aspects: int) -> Array:
    """A document relevant to nothing, and one for each aspect; (T + 1, T)."""
    return np.eye(aspects + 1, aspects, -1)


def _one_aspect(n: int, graded: int, binary: int) -> Array:
    """Rankings of n documents: of all LEVELS up to length ``graded``, of 0 and 1 up to length ``binary``."""
    return _grid(LEVELS if n <= graded else (0.0, 1.0), n) if n <= binary else np.zeros((0, n))


def _drawn(rng: np.random.Generator, rankings: int, n: int) -> Array:
    """Random rankings (rankings, n) with few to many relevant documents. One half of them is binary."""
    share = rng.uniform(0.05, 1, (rankings, 1))
    levels = rng.choice(LEVELS[1:], (rankings, n))
    levels[: rankings // 2] = 1.0
    return np.where(rng.random((rankings, n)) < share, levels, 0.0)


def _is_binary(grades: Array) -> NDArray[np.bool_]:
    return np.all((grades == 0) | (grades == 1), axis=tuple(range(1, grades.ndim)))


def _cases(
    pool: Array,
    higher: Places,
    lower: Places,
    narrow: Any = True,
    contribution: bool = True,
    weight: Any = None,
) -> Cases:
    """Cases where ``narrow`` broadcasts to (B,) and ``weight`` to (B, T); without weights, aspects are balanced."""
    cases, _, aspects = pool.shape
    weight = np.broadcast_to(1 / aspects if weight is None else weight, (cases, aspects))
    return Cases(pool, higher, lower, weight, np.broadcast_to(narrow, cases), contribution)


def _with(documents: Array, *further: Array) -> Array:
    """Documents (B, n, T) of each case, and below them further ones, whose grades broadcast to (B, T)."""
    cases, _, aspects = documents.shape
    last = [np.broadcast_to(each, (cases, aspects))[:, None] for each in further]
    return np.concatenate([documents, *last], axis=1)


def _in_order(cases: int, n: int) -> Places:
    return np.tile(np.arange(n), (cases, 1))


def _changed(places: Places, rank: Any, document: Any) -> Places:
    """The rankings with another document at one rank, an index from 0."""
    result = places.copy()
    result[np.arange(len(places)), rank] = document
    return result


def _swapped(order: Places, i: Any, j: Any) -> Places:
    """The rankings, of documents in their order, with two documents swapped."""
    return _changed(_changed(order, i, j), j, i)


# ------------------------------------------------------------------------------------------------ the constraints


@constraint(
    'Pri',
    1,
    'One aspect, r ≪ 1. Swapping two documents so that the more relevant one comes first raises '
    'the score.',
    'binary relevance',
    exhaustive='at most 5 documents over the grades 0, 1e-5, 5e-4, 1e-3, and at most 8 over 0, 1e-3',
)
def _pri(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking with a more relevant document below a less relevant one, against the ranking with the two swapped."""
    for n in range(2, longest + 1):
        grades = _one_aspect(n, 5, 8)
        i, j = np.triu_indices(n, 1)
        rows, pairs = np.nonzero(grades[:, j] > grades[:, i])
        grades, i, j = grades[rows], i[pairs], j[pairs]
        if n > 8:  # the last document is the only relevant one; and random rankings
            rankings = np.repeat(_drawn(rng, 20, n), 10, axis=0)
            row = np.arange(len(rankings))
            first, last = np.sort(rng.random((len(rankings), n)).argsort(axis=1)[:, :2], axis=1).T
            right = rankings[row, last] > rankings[row, first]
            grades = np.concatenate([np.eye(n)[[n - 1] * (n - 1)], rankings[right]])
            i = np.concatenate([np.arange(n - 1), first[right]])
            j = np.concatenate([np.full(n - 1, n - 1), last[right]])
        order = _in_order(len(grades), n)
        yield _cases(grades[..., None] * SMALL, _swapped(order, i, j), order, _is_binary(grades))


@constraint(
    'Deep',
    2,
    'One aspect, r ≪ 1. Correcting a swap of neighbours raises the score more at an earlier '
    'rank: r(d_i) = r(d_j) < r(d_{i+1}) = r(d_{j+1}), i < j.',
    'binary relevance',
    exhaustive='at most 5 documents over the grades 0, 1e-5, 5e-4, 1e-3, and at most 10 over 0, 1e-3',
)
def _deep(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking with two wrongly ordered pairs of neighbours of the same grades: the first pair corrected, against
    the second pair corrected."""
    for n in range(4, longest + 1):
        i, j = np.triu_indices(n - 1, 2)
        grades = _one_aspect(n, 5, 10)
        alike = (grades[:, i] == grades[:, j]) & (grades[:, i + 1] == grades[:, j + 1])
        rows, pairs = np.nonzero(alike & (grades[:, i] < grades[:, i + 1]))
        grades, i, j = grades[rows], i[pairs], j[pairs]
        if n > 10:  # the second swap at the end; elsewhere nothing, everything, or random documents
            fills = np.concatenate([np.zeros((1, n)), np.ones((1, n)), _drawn(rng, 6, n)])
            fill, i = np.indices((len(fills), n - 3)).reshape(2, -1)
            grades, j = fills[fill], np.full(len(i), n - 2)
            rows = np.arange(len(i))
            grades[rows, i], grades[rows, j], grades[rows, i + 1], grades[rows, j + 1] = 0, 0, 1, 1
        order = _in_order(len(grades), n)
        higher, lower = _swapped(order, i, i + 1), _swapped(order, j, j + 1)
        yield _cases(grades[..., None] * SMALL, higher, lower, _is_binary(grades))


@constraint(
    'DeepTh',
    3,
    'One aspect, r ≪ 1, binary. One relevant document at the top is better than n of them '
    'after n non-relevant ones, for every sufficiently large n; rankings of equal length.',
    exists='n',
)
def _deepth(depths: Sequence[int] | NDArray[np.intp]) -> Cases:
    """For each n: (one relevant document, then 2n − 1 others) against (n non-relevant, then n relevant).

    The grade is SMALL/100, so that the sum of n grades is small too.
    """
    n = np.asarray(depths)[:, None]
    deepest = int(n.max())
    rank = np.arange(2 * deepest)
    pool = np.where(np.arange(deepest) < n, SMALL / 100, 0.0)[..., None]
    one_relevant = np.where(rank >= 2 * n, END, np.where(rank == 0, 0, NOTHING))
    many_relevant = np.where(rank >= 2 * n, END, np.where(rank < n, NOTHING, rank - n))
    return _cases(pool, one_relevant, many_relevant)


constraint(
    'DeepTh∃',
    None,
    'DeepTh as Eq. 3 is printed: the same for some n ≥ 1, which n = 1 settles for any measure '
    'that prefers rank 1 to rank 2.',
    exists='m',
)(_deepth)


@constraint(
    'CloseTh',
    4,
    'One aspect, r ≪ 1, binary. One relevant document at the top is worse than m of them '
    'after m non-relevant ones, for some m; rankings of equal length.',
    exists='m',
)
def _closeth(depths: Sequence[int] | NDArray[np.intp]) -> Cases:
    """The pairs of DeepTh with the two rankings exchanged."""
    cases = _deepth(depths)
    return replace(cases, higher=cases.lower, lower=cases.higher)


@constraint(
    'Conf',
    5,
    'One aspect, r ≪ 1. A non-relevant document added at the end lowers the score.',
    'something relevant was retrieved',
    exhaustive='at most 4 documents over the grades 0, 1e-5, 5e-4, 1e-3, and at most 8 over 0, 1e-3',
)
def _conf(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking, against the ranking with a non-relevant document at the end."""
    for n in range(1, longest + 1):
        grades = _one_aspect(n, 4, 8)
        if n > 8:
            binary = np.concatenate([np.zeros((1, n)), np.eye(n), np.ones((1, n))])
            grades = np.concatenate([binary, _drawn(rng, 20, n)])
        order = _in_order(len(grades), n + 1)
        higher, lower = (_changed(order, n, last) for last in (END, NOTHING))
        yield _cases(grades[..., None] * SMALL, higher, lower, np.any(grades > 0, axis=1))


@constraint(
    'AspDiv',
    6,
    'r ≪ 1. A document replaced by one that is more relevant to every aspect raises the score.',
    'binary relevance',
    exhaustive='at most 3 documents over the grades 0, 1e-5, 1e-3 in each of two aspects, of weights .5 .5 or '
    '.8 .2',
)
def _aspdiv(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Each ranking with one document replaced by a document of higher grades for every aspect, against the ranking."""
    vectors = _grid((0.0, 0.01, 1.0), 2)
    for n in range(1, longest + 1):
        batches: list[tuple[Any, ...]] = []
        if n <= 3:
            rankings = _grid(vectors.tolist(), n)
            r, i, v = np.indices((len(rankings), n, len(vectors))).reshape(3, -1)
            right = np.all(vectors[v] > rankings[r, i], axis=1)
            for weight in ((0.5, 0.5), (0.8, 0.2)):
                batches.append((rankings[r[right]], i[right], vectors[v[right]], weight))
        else:  # a document relevant to all aspects replaces one relevant to none
            for aspects in (2, 3):
                documents = _drawn(rng, 25, n * aspects).reshape(-1, n, aspects)
                position = rng.integers(0, n, len(documents))
                documents[0], position[0] = 0, n - 1
                documents[np.arange(len(position)), position] = 0
                weights = rng.dirichlet(np.ones(aspects), len(position))
                batches.append((documents, position, np.ones(aspects), weights))
        for documents, position, replacement, weight in batches:
            pool, order = _with(documents, replacement), _in_order(len(documents), n)
            binary = _is_binary(pool)
            yield _cases(pool * SMALL, _changed(order, position, n), order, binary, weight=weight)


@constraint(
    'Red',
    7,
    'Binary relevance r_c, balanced aspects, no document relevant to two. A document for the '
    'aspect seen less often, added at the end, scores higher than one for the aspect seen more often.',
    'r_c ≪ 1',
    exhaustive='at most 6 documents before the last in two aspects, and at most 3 in three, for r_c of 1e-3, '
    '.5, 1',
)
def _red(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Rankings with more documents for aspect 1 than for aspect 2: one for aspect 2 is added, or one for aspect 1."""
    for n in range(1, longest + 1):
        for aspects in (2, 3):
            kinds = _kinds(aspects)
            if n <= (6 if aspects == 2 else 3):
                documents = _grid(kinds.tolist(), n)
            else:
                documents = kinds[rng.integers(0, len(kinds), (20, n))]
                documents[0] = kinds[0]
                documents[0, 0] = kinds[1]
            counts = documents.sum(axis=1)
            pool = _with(documents[counts[:, 0] > counts[:, 1]], kinds[2], kinds[1])
            order = _in_order(len(pool), n + 1)
            for rc in (SMALL, 0.5, 1.0):
                small = rc == SMALL
                yield _cases(pool * rc, order, _changed(order, n, n + 1), small, small)


@constraint(
    'MRed',
    8,
    'Two balanced aspects, r ≪ 1. Where every document seen is more relevant to t than to t′, a '
    'document for t′, added at the end, scores higher than as relevant a one for t.',
    exhaustive='at most 3 documents before the last, over the grades 0, 1e-4, 5e-4, 1e-3',
)
def _mred(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Rankings in which every document is more relevant to aspect 1: one for aspect 2 is added, or one for aspect 1."""
    levels = (0.0, 0.1, 0.5, 1.0)
    vectors = np.array([(high, low) for high in levels for low in levels if high > low])
    for n in range(1, longest + 1):
        documents = (
            _grid(vectors.tolist(), n)
            if n <= 3
            else vectors[rng.integers(0, len(vectors), (40, n))]
        )
        order = _in_order(len(documents), n + 1)
        for r in (0.1, 1.0):
            pool = _with(documents, r * np.eye(2)[1], r * np.eye(2)[0])
            yield _cases(pool * SMALL, order, _changed(order, n, n + 1))


@constraint(
    'Sat',
    9,
    'No document relevant to two aspects. Some r_max ≤ 1 is so large that after a document of '
    'r(d,t) = r_max no further one for t raises the score.',
    exists='r_max',
)
def _sat(r_max: float) -> Iterator[Cases]:
    """Rankings whose last document has r_max for aspect 1, against the same with a further document for aspect 1."""
    for n, aspects in itertools.product(range(4), (1, 2)):
        nothing, *relevant = _kinds(aspects).tolist()
        kinds = [nothing, *(0.25 * np.array(relevant)).tolist(), *relevant]
        before = _grid(kinds, n)
        order = _in_order(len(before), n + 2)
        for following in (0.01, 0.25, 1.0):
            pool = _with(before, *(r * np.eye(aspects)[0] for r in (r_max, following)))
            yield _cases(pool, _changed(order, n + 1, END), order, contribution=False)


@constraint(
    'AspRel',
    10,
    'No document relevant to two aspects. Where neither t nor t′ was seen before, a document '
    'for the aspect of more weight scores higher than as relevant a one for the other. (Eq. 10 is printed '
    'with the two documents interchanged.)',
    'r ≪ 1, and nothing relevant to t or t′ follows',
    exhaustive='at most 4 documents over the grades 0, r, for r of 1e-3 and 1, of weights .9 .1, .7 .3, '
    '.505 .495 or .5 .3 .2',
)
def _asprel(longest: int, rng: np.random.Generator) -> Iterator[Cases]:
    """Rankings with a document for aspect 1, against the same with one for aspect 2, which has less weight.

    No document above it is for aspect 1 or 2. Documents for aspect 3 may be anywhere.
    """
    for n in range(1, longest + 1):
        for weight in ((0.9, 0.1), (0.7, 0.3), (0.505, 0.495), (0.5, 0.3, 0.2)):
            kinds = _kinds(len(weight))
            free = np.delete(kinds, (1, 2), axis=0)
            for before in range(n) if n <= 4 else [n - 1]:
                heads = (
                    _grid(free.tolist(), before)
                    if n <= 4
                    else free[rng.integers(0, len(free), (5, before))]
                )
                tails = _grid(kinds.tolist(), n - 1 - before)
                h, t = np.indices((len(heads), len(tails))).reshape(2, -1)
                documents = np.concatenate([_with(heads[h], kinds[1]), tails[t]], axis=1)
                pool, order = _with(documents, kinds[2]), _in_order(len(h), n)
                changed = _changed(order, before, n)
                alone = ~np.any(tails[t][:, :, :2] > 0, axis=(1, 2))
                for r in (SMALL, 1.0):
                    small = r == SMALL
                    yield _cases(pool * r, order, changed, alone & small, small, weight)
