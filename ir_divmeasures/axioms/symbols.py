"""Rankings in symbols, and the cases of each constraint, in which it is known what is relevant to which aspects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from . import expressions
from .expressions import Expression

SMALL = Fraction(1, 100)
"""The largest grade where the constraint says r ≪ 1."""

FREE, FIXED, CONVEX = (
    'any decreasing discount',
    'the discount of the measure',
    'any strictly convex discount',
)
"""What the discounts by rank of a measure are, if it has one that is not a parameter."""

Document = tuple[Any, ...]
"""The grade of each aspect: 0, or an expression."""


@dataclass
class Case:
    """One query of a constraint: two rankings in symbols, and what is assumed.

    Attributes:
        small: whether grades are at most :data:`SMALL`, or at most 1.
        fixed: parameters of the measure that have values.
        discounts: one of :data:`FREE`, :data:`FIXED`, :data:`CONVEX`.
        assumptions: conditions that hold, in SMT-LIB 2.
        symbols: symbols by name. All are positive.
        pool: the documents.
        higher, lower: the rankings, places in the pool; −1 is a document that is relevant to nothing.
        weights: (T,) weights of the aspects.
        read: the parameters of the measure that its symbolic form reads.
    """

    small: bool
    fixed: dict[str, Any]
    discounts: str = FREE
    assumptions: list[str] = field(default_factory=list)
    symbols: dict[str, Expression] = field(default_factory=dict)
    pool: list[Document] = field(default_factory=list)
    higher: tuple[int, ...] = ()
    lower: tuple[int, ...] = ()
    weights: list[Any] = field(default_factory=list)
    read: set[str] = field(default_factory=set)

    def number(self, value: Any, over: int = 1) -> Expression:
        """A fraction."""
        return expressions.number(Fraction(value) / over)

    def symbol(self, name: str, *assumed: Callable[[Expression], str]) -> Expression:
        """The symbol of a name, a positive number; when it is made, further assumptions are added."""
        if name not in self.symbols:
            self.symbols[name] = made = expressions.symbol(name)
            self.assumptions += [made > 0, *(assumption(made) for assumption in assumed)]
        return self.symbols[name]

    def grade(self, name: str) -> Expression:
        """A grade above 0."""
        return self.symbol(name, lambda r: r <= (SMALL if self.small else 1))

    def discount(self, rank: int, value: Callable[[int], float]) -> Expression:
        """The discount at a rank: its value as a fraction, or a symbol of a decreasing sequence of positive numbers."""
        if self.discounts == FIXED:
            return self.number(Fraction(value(rank)))
        symbols = [self.symbol(f'D{i}') for i in range(1, rank + 1)]
        return symbols[-1]

    def discount_assumptions(self) -> list[str]:
        """That the discounts used decrease, and are convex."""
        d = [
            self.symbols[f'D{i}']
            for i in range(1, 1 + sum(name[0] == 'D' for name in self.symbols))
        ]
        assumed = [after < before for before, after in zip(d, d[1:])]
        if self.discounts == CONVEX:
            assumed += [a - b > b - c for a, b, c in zip(d, d[1:], d[2:])]
        return assumed


class SymbolicRanking:
    """A ranking in symbols, as ``@measure(symbolic=…)`` takes it.

    Attributes:
        ranks: 1, 2, …, n.
        aspects: 0, 1, …, T − 1.
    """

    def __init__(self, case: Case, places: Sequence[int], topic: bool, weighted: bool):
        aspects = len(case.weights)
        documents = [case.pool[place] if place >= 0 else (0,) * aspects for place in places]
        if topic:
            documents = [(self._highest(case, document),) for document in documents]
        self._case, self._documents = case, documents
        self.ranks, self.aspects = range(1, len(documents) + 1), range(1 if topic else aspects)
        self._weights = (
            [1] if topic else case.weights if weighted else [case.number(1, aspects)] * aspects
        )

    @staticmethod
    def _highest(case: Case, document: Document) -> Any:
        graded = [grade for grade in document if not _is_zero(grade)]
        top = graded[0] if graded else 0
        for grade in graded[1:]:
            top = expressions.conditional(grade > top, grade, top)
        return top

    def r(self, i: int, t: int) -> Any:
        """The grade of the document at rank i for aspect t."""
        return self._documents[i - 1][t]

    def J(self, i: int, t: int) -> int:
        """1 if the document at rank i is relevant to aspect t, else 0."""
        return 0 if _is_zero(self.r(i, t)) else 1

    def c(self, i: int, t: int) -> int:
        """Number of documents above rank i that are relevant to aspect t."""
        return sum(self.J(j, t) for j in range(1, i))

    def w(self, t: int) -> Any:
        """The weight of aspect t."""
        return self._weights[t]

    def unsatisfied(self, i: int, t: int) -> Any:
        """Π_{j<i} (1 − r_j) of aspect t."""
        left: Any = 1
        for j in range(1, i):
            if self.J(j, t):
                left = left * (1 - self.r(j, t))
        return left

    def number(self, value: Any, over: int = 1) -> Any:
        """A fraction."""
        return self._case.number(value, over)

    def power(self, x: Any, k: int) -> Any:
        """x to the power of a whole number k ≥ 0."""
        product: Any = 1
        for _ in range(k):
            product = product * x
        return product

    def parameter(self, name: str) -> Any:
        """A parameter of the measure: its value where the measure's name fixes it, else a symbol in (0, 1)."""
        self._case.read.add(name)
        if name in self._case.fixed:
            return self.number(Fraction(repr(self._case.fixed[name])))
        return self._case.symbol(name, lambda x: x < 1)

    @property
    def normaliser(self) -> Any:
        """A positive number, the same for all rankings and aspects of the query."""
        return self._case.symbol('N')

    def discount(self, i: int, value: Callable[[int], float]) -> Any:
        """The discount at rank i, in a proof for every decreasing one a symbol; ``value`` is that of the measure."""
        return self._case.discount(i, value)

    def if_below(self, x: Any, limit: Any) -> Any:
        """1 where x is below a limit, else 0."""
        return (
            expressions.conditional(x < limit, 1, 0)
            if isinstance(x, Expression)
            else int(x < limit)
        )


def _is_zero(grade: Any) -> bool:
    return isinstance(grade, int) and grade == 0


# ------------------------------------------------------------------------------------------------ the cases

Make = Callable[[bool], Case]
"""A new case, with small grades or not."""
Cases = Callable[[Make, int, int, bool], Iterator[Case]]


def _patterns(n: int, kinds: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    return itertools.product(kinds, repeat=n)


def _one_aspect(case: Case, pattern: Sequence[int], binary: bool) -> list[Document]:
    case.weights = [1]
    return [
        ((case.grade('r' if binary else f'r{d + 1}') if J else 0),) for d, J in enumerate(pattern)
    ]


def _balanced(case: Case, aspects: int) -> None:
    case.weights = [case.number(1, aspects)] * aspects


def _swapped(n: int, i: int, j: int) -> tuple[int, ...]:
    order = list(range(n))
    order[i], order[j] = j, i
    return tuple(order)


def pri(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for m in range(2, n + 1):
        for J in _patterns(m, (0, 1)):
            for i, j in itertools.combinations(range(m), 2):
                if not J[j] or (narrow and J[i]):
                    continue
                case = make(True)
                case.pool = _one_aspect(case, J, narrow)
                if J[i]:
                    case.assumptions.append(case.pool[i][0] < case.pool[j][0])
                case.higher, case.lower = _swapped(m, i, j), tuple(range(m))
                yield case


def deep(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for m in range(4, n + 1):
        for J in _patterns(m, (0, 1)):
            for i, j in itertools.combinations(range(m - 1), 2):
                if j < i + 2 or J[i] != J[j] or not J[i + 1] or not J[j + 1] or (narrow and J[i]):
                    continue
                case = make(True)
                case.pool = _one_aspect(case, J, narrow)
                case.pool[j], case.pool[j + 1] = case.pool[i], case.pool[i + 1]
                if J[i]:
                    case.assumptions.append(case.pool[i][0] < case.pool[i + 1][0])
                case.higher, case.lower = _swapped(m, i, i + 1), _swapped(m, j, j + 1)
                yield case


def conf(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for m in range(1, n):
        for J in _patterns(m, (0, 1)):
            if narrow and not any(J):
                continue
            case = make(True)
            case.pool = _one_aspect(case, J, False)
            case.higher, case.lower = tuple(range(m)), (*range(m), -1)
            yield case


def aspdiv(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    kinds = list(itertools.product((0, 1), repeat=aspects))
    for m in range(1, n + 1):
        for pattern in _patterns(m, kinds):
            for i in range(m):
                if narrow and any(pattern[i]):
                    continue
                case = make(True)
                _simplex(case, aspects)
                case.pool = [
                    tuple(
                        case.grade('r' if narrow else f'r{d + 1}_{t + 1}') if J else 0
                        for t, J in enumerate(kind)
                    )
                    for d, kind in enumerate(pattern)
                ]
                better = tuple(case.grade('r' if narrow else f'b{t + 1}') for t in range(aspects))
                case.assumptions += [
                    old < new for new, old in zip(better, case.pool[i]) if not _is_zero(old)
                ]
                case.pool.append(better)
                case.higher, case.lower = (
                    tuple(m if d == i else d for d in range(m)),
                    tuple(range(m)),
                )
                yield case


def _simplex(case: Case, aspects: int) -> None:
    """Weights above 0 that add up to 1."""
    case.weights = [case.symbol(f'w{t + 1}') for t in range(aspects)]
    case.assumptions.append(expressions.equal(sum(case.weights), 1))


def _appended(case: Case, m: int, other: Document, same: Document) -> Case:
    case.pool += [other, same]
    case.higher, case.lower = (*range(m), m), (*range(m), m + 1)
    return case


def _alone(aspects: int, t: int, grade: Any) -> Document:
    return tuple(grade if each == t else 0 for each in range(aspects))


def red(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for m in range(1, n):
        for pattern in _patterns(m, range(-1, aspects)):  # −1: relevant to nothing
            if pattern.count(0) <= pattern.count(1):
                continue
            case = make(narrow)
            _balanced(case, aspects)
            r = case.grade('r')
            case.pool = [_alone(aspects, t, r) for t in pattern]
            yield _appended(case, m, _alone(aspects, 1, r), _alone(aspects, 0, r))


def mred(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for m in range(1, n):
        for both in _patterns(m, (0, 1)):
            case = make(True)
            _balanced(case, 2)
            case.pool = [
                (case.grade(f'r{d + 1}_1'), case.grade(f'r{d + 1}_2') if J else 0)
                for d, J in enumerate(both)
            ]
            case.assumptions += [less < more for more, less in case.pool if not _is_zero(less)]
            r = case.grade('r')
            yield _appended(case, m, (0, r), (r, 0))


def sat(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for T in range(1, aspects + 1):
        for m in range(n - 1):
            for pattern in _patterns(m, range(-1, T)):
                case = make(False)
                _balanced(case, T)
                case.pool = [
                    _alone(T, t, case.grade(f'r{d + 1}') if t >= 0 else 0)
                    for d, t in enumerate(pattern)
                ]
                case.pool += [_alone(T, 0, case.number(1)), _alone(T, 0, case.grade('further'))]
                case.higher, case.lower = tuple(range(m + 1)), tuple(range(m + 2))
                yield case


def asprel(make: Make, n: int, aspects: int, narrow: bool) -> Iterator[Case]:
    for m in range(1, n + 1):
        for i in range(m):
            for before in _patterns(i, (-1, *range(2, aspects))):
                for after in _patterns(
                    m - 1 - i, (-1, *range(2, aspects)) if narrow else range(-1, aspects)
                ):
                    case = make(narrow)
                    _simplex(case, aspects)
                    case.assumptions.append(case.weights[0] > case.weights[1])
                    r = case.grade('r')
                    case.pool = [
                        _alone(aspects, t, case.grade(f'r{d + 1}') if t >= 0 else 0)
                        for d, t in enumerate((*before, 0, *after))
                    ]
                    case.pool[i] = _alone(aspects, 0, r)
                    case.pool.append(_alone(aspects, 1, r))
                    case.higher, case.lower = (
                        tuple(range(m)),
                        tuple(m if d == i else d for d in range(m)),
                    )
                    yield case


CASES: dict[str, tuple[Cases, int, int]] = {
    'Pri': (pri, 2, 1),
    'Deep': (deep, 4, 1),
    'Conf': (conf, 2, 1),
    'AspDiv': (aspdiv, 1, 1),
    'Red': (red, 2, 2),
    'MRed': (mred, 2, 2),
    'Sat': (sat, 1, 1),
    'AspRel': (asprel, 1, 2),
}
"""The cases of each constraint that can be proved, with the least n and the least number of aspects it has any for."""
