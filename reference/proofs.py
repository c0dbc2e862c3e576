"""Prove or refute constraints of Amigó et al. (SIGIR 2018) for the rows of their Table 1, with the solver z3.

    pip install z3-solver
    python reference/proofs.py          # writes ir_divmeasures/data/proofs.csv
    python reference/proofs.py --check  # compares it; status 1 if a verdict differs

Which documents are relevant to which aspects is enumerated, for at most four documents and two aspects. Grades, weights,
normalisers and the parameters of measures are symbols, and the discount by rank of a measure is any decreasing sequence.
A constraint holds if no values make a pair of rankings that meets its conditions score the wrong way round, or equally.
DeepTh and CloseTh are about rankings of any length and cannot be proved so. Sat is decided for r_max = 1. Where the
constraint says r ≪ 1, grades are at most 1/100. Parameters are in (0, 1), both ends excluded.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import z3
from tqdm import tqdm

from ir_divmeasures.axioms.cases import END, Cases, Counterexample
from ir_divmeasures.axioms.claims import CLAIMS, PROOFS
from ir_divmeasures.axioms.subjects import of_measure, subject
from ir_divmeasures.core.registry import registry

VERDICTS = {'unsat': 'proved', 'sat': 'refuted', 'unknown': 'unknown'}
DEPENDS = 'depends on the discount'
READINGS = ('stated', 'narrow')
EFFORT = 20_000_000
"""What z3 may spend on one case, in its own units. Unlike a time, it is the same on a busy machine."""
DEEP = 1024
"""The cutoff under which a measure without one is scored."""
SMALL = Fraction(1, 100)
"""The largest grade where the constraint says r ≪ 1."""
FREE, FIXED, CONVEX = 'any decreasing', 'that of the measure', 'any strictly convex'
"""What the discounts by rank of a measure are, if it has one that is not a parameter."""

Document = tuple[Any, ...]
"""The grade of each aspect: 0, a number or a symbol."""


@dataclass
class Case:
    """One query of a constraint: two rankings in symbols, and what is assumed.

    Attributes:
        discounts: one of :data:`FREE`, :data:`FIXED`, :data:`CONVEX`.
        highest: the highest grade.
        symbols: symbols by name. All are positive.
        assumptions: conditions that hold.
        pool: the documents.
        higher, lower: the rankings, places in the pool; −1 is a document that is relevant to nothing.
        weights: (T,) weights of the aspects.
    """

    discounts: str
    highest: Fraction = SMALL
    symbols: dict[str, z3.ArithRef] = field(default_factory=dict)
    assumptions: list[z3.BoolRef] = field(default_factory=list)
    pool: list[Document] = field(default_factory=list)
    higher: tuple[int, ...] = ()
    lower: tuple[int, ...] = ()
    weights: list[Any] = field(default_factory=lambda: [1])

    def symbol(self, name: str, limit: Fraction | None = None) -> z3.ArithRef:
        """The symbol of a name, a positive number that is at most ``limit``."""
        if name not in self.symbols:
            made = self.symbols[name] = z3.Real(name)
            self.assumptions += [made > 0] if limit is None else [made > 0, made <= limit]
        return self.symbols[name]

    def grade(self, name: str) -> z3.ArithRef:
        """A grade above 0."""
        return self.symbol(name, self.highest)

    def balanced(self, aspects: int) -> None:
        """Give all aspects the same weight."""
        self.weights = [Fraction(1, aspects)] * aspects

    def simplex(self, aspects: int) -> None:
        """Give the aspects weights above 0 that add up to 1."""
        self.weights = [self.symbol(f'w{t + 1}') for t in range(aspects)]
        self.assumptions.append(z3.Sum(self.weights) == 1)

    def discount_assumptions(self) -> list[z3.BoolRef]:
        """That the discounts used decrease, and are convex."""
        d = [made for name, made in self.symbols.items() if name[0] == 'D']
        assumed = [after < before for before, after in zip(d, d[1:])]
        if self.discounts == CONVEX:
            assumed += [a - b > b - c for a, b, c in zip(d, d[1:], d[2:])]
        return assumed


class Ranking:
    """A ranking in symbols.

    Attributes:
        ranks: 1, 2, …, n.
        aspects: 0, 1, …, T − 1.
    """

    def __init__(self, case: Case, places: Sequence[int], topic: bool, weighted: bool):
        aspects = len(case.weights)
        documents = [case.pool[place] if place >= 0 else (0,) * aspects for place in places]
        if topic:
            documents = [(_highest(document),) for document in documents]
        self.case, self.documents = case, documents
        self.ranks, self.aspects = range(1, len(documents) + 1), range(1 if topic else aspects)
        equal = [Fraction(1, aspects)] * aspects
        self.weights = [1] if topic else case.weights if weighted else equal

    def r(self, i: int, t: int) -> Any:
        """The grade of the document at rank i for aspect t."""
        return self.documents[i - 1][t]

    def J(self, i: int, t: int) -> int:
        """1 if the document at rank i is relevant to aspect t, else 0."""
        return int(not _is_zero(self.r(i, t)))

    def c(self, i: int, t: int) -> int:
        """Number of documents above rank i that are relevant to aspect t."""
        return sum(self.J(j, t) for j in range(1, i))

    def unsatisfied(self, i: int, t: int) -> Any:
        """Π_{j<i} (1 − r_j) of aspect t."""
        return math.prod(1 - self.r(j, t) for j in range(1, i))

    def novel(self, i: int, t: int) -> Any:
        """r_t (1 − α)^c_t of the document at rank i."""
        return self.r(i, t) * power(1 - self.parameter('alpha'), self.c(i, t))

    def first(self, t: int) -> int:
        """The rank of the first document relevant to an aspect, 0 if there is none."""
        return next((i for i in self.ranks if self.J(i, t)), 0)

    def parameter(self, name: str) -> Any:
        """A parameter of the measure, in (0, 1)."""
        self.case.symbol(name)
        self.case.assumptions.append(self.case.symbols[name] < 1)
        return self.case.symbols[name]

    @property
    def normaliser(self) -> Any:
        """A positive number, the same for all rankings and aspects of the query."""
        return self.case.symbol('N')

    def discount(self, i: int, value: Callable[[int], float] = math.log2) -> Any:
        """The discount at rank i: ``value`` exactly, or a symbol of a decreasing sequence."""
        if self.case.discounts == FIXED:
            return Fraction(value(i))
        return [self.case.symbol(f'D{j}') for j in range(1, i + 1)][-1]

    def by_aspect(self, value: Callable[[int], Any]) -> Any:
        """Σ_t w_t value(t)."""
        return sum(self.weights[t] * value(t) for t in self.aspects)


def power(x: Any, k: int) -> Any:
    """x to the power of a whole number k ≥ 0, as a product."""
    return math.prod([x] * k)


def _is_zero(grade: Any) -> bool:
    return isinstance(grade, int) and grade == 0


def _highest(document: Document) -> Any:
    top, *others = [grade for grade in document if not _is_zero(grade)] or [0]
    for grade in others:
        top = z3.If(grade > top, grade, top)
    return top


# ------------------------------------------------------------------------------------------ measures, in symbols


def log2(i: int) -> float:
    return 1 / math.log2(i + 1)


def shifted_log2(i: int) -> float:
    return 1 / (1 + math.log2(i))


def discounted_gain(x: Ranking) -> Any:
    def of_aspect(t: int) -> Any:
        return sum(x.r(i, t) * x.discount(i, log2) for i in x.ranks) / x.normaliser

    return x.by_aspect(of_aspect)


def subtopic_recall(x: Ranking) -> Any:
    return Fraction(sum(x.first(t) > 0 for t in x.aspects), len(x.aspects))


def subtopic_reciprocal_rank(x: Ranking) -> Any:
    first = [x.first(t) for t in x.aspects]
    return Fraction(1, max(first)) if all(first) else 0


def expected_reciprocal_rank(x: Ranking) -> Any:
    return x.by_aspect(
        lambda t: sum(Fraction(1, i) * x.r(i, t) * x.unsatisfied(i, t) for i in x.ranks)
    )


def rank_biased_precision(x: Ranking) -> Any:
    p = x.parameter('p')
    return x.by_aspect(lambda t: sum(power(p, i - 1) * x.r(i, t) for i in x.ranks) * (1 - p))


def novelty_rank_biased(x: Ranking) -> Any:
    p = x.parameter('p')
    return x.by_aspect(lambda t: sum(power(p, i - 1) * x.novel(i, t) for i in x.ranks))


def recall_and_gain(x: Ranking) -> Any:
    gamma = x.parameter('gamma')
    return gamma * subtopic_recall(x) + (1 - gamma) * discounted_gain(x)


def expected_utility(x: Ranking) -> Any:
    e = x.parameter('e')
    return sum(
        x.discount(i, shifted_log2) * (x.by_aspect(lambda t, i=i: x.novel(i, t)) - e)
        for i in x.ranks
    )


def cube_test(x: Ranking) -> Any:
    def filled(i: int, t: int) -> Any:
        above = sum(x.r(j, t) for j in range(1, i))
        return x.novel(i, t) * (1 if isinstance(above, int) else z3.If(above < 1, 1, 0))

    return sum(Fraction(1, i) * x.by_aspect(lambda t, i=i: filled(i, t)) for i in x.ranks)


def rank_biased_utility(x: Ranking) -> Any:
    p, e = x.parameter('p'), x.parameter('e')
    return sum(
        power(p, i) * (x.by_aspect(lambda t, i=i: x.r(i, t) * x.unsatisfied(i, t)) - e)
        for i in x.ranks
    )


SCORES: dict[str, Callable[[Ranking], Any]] = {
    'P_IA': lambda x: x.by_aspect(lambda t: sum(x.J(i, t) for i in x.ranks) / x.normaliser),
    'RR_IA': lambda x: x.by_aspect(lambda t: Fraction(1, x.first(t)) if x.first(t) else 0),
    'AP_IA': lambda x: x.by_aspect(
        lambda t: sum(Fraction(x.c(i, t) + 1, i) for i in x.ranks if x.J(i, t)) / x.normaliser
    ),
    'nDCG_IA': discounted_gain,
    'gERR_IA': expected_reciprocal_rank,
    'RBP_IA': rank_biased_precision,
    'StRecall': subtopic_recall,
    'StRR': subtopic_reciprocal_rank,
    'gNRBP': novelty_rank_biased,
    'Dsharp_nDCG': recall_and_gain,
    'alpha_DCG_IA': lambda x: x.by_aspect(
        lambda t: sum(x.discount(i, log2) * x.novel(i, t) for i in x.ranks)
    ),
    'EU': expected_utility,
    'CT': cube_test,
    'RBU': rank_biased_utility,
}
"""The score of a ranking by the name of the measure. Normalisers are positive symbols, because constraints compare
rankings of one query."""


# --------------------------------------------------------------------------------------- the cases of each constraint

Make = Callable[[], Case]


def _one_aspect(case: Case, pattern: Sequence[int], binary: bool) -> list[Document]:
    return [(case.grade('r' if binary else f'r{d}') if J else 0,) for d, J in enumerate(pattern, 1)]


def _swapped(n: int, i: int, j: int) -> tuple[int, ...]:
    order = list(range(n))
    order[i], order[j] = j, i
    return tuple(order)


def _alone(aspects: int, t: int, grade: Any) -> Document:
    return tuple(grade if each == t else 0 for each in range(aspects))


def _replaced(n: int, i: int, by: int) -> tuple[int, ...]:
    return tuple(by if d == i else d for d in range(n))


def pri(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    for m in range(2, n + 1):
        for J in itertools.product((0, 1), repeat=m):
            for i, j in itertools.combinations(range(m), 2):
                if not J[j] or (reading == 'narrow' and J[i]):
                    continue
                case = make()
                case.pool = _one_aspect(case, J, reading == 'narrow')
                if J[i]:
                    case.assumptions.append(case.pool[i][0] < case.pool[j][0])
                case.higher, case.lower = _swapped(m, i, j), tuple(range(m))
                yield case


def deep(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    for m in range(4, n + 1):
        for J in itertools.product((0, 1), repeat=m):
            for i, j in itertools.combinations(range(m - 1), 2):
                if (
                    j < i + 2
                    or J[i] != J[j]
                    or not J[i + 1]
                    or not J[j + 1]
                    or (reading == 'narrow' and J[i])
                ):
                    continue
                case = make()
                case.pool = _one_aspect(case, J, reading == 'narrow')
                case.pool[j], case.pool[j + 1] = case.pool[i], case.pool[i + 1]
                if J[i]:
                    case.assumptions.append(case.pool[i][0] < case.pool[i + 1][0])
                case.higher, case.lower = _swapped(m, i, i + 1), _swapped(m, j, j + 1)
                yield case


def conf(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    for m in range(1, n):
        for J in itertools.product((0, 1), repeat=m):
            if reading == 'narrow' and not any(J):
                continue
            case = make()
            case.pool = _one_aspect(case, J, False)
            case.higher, case.lower = tuple(range(m)), (*range(m), -1)
            yield case


def aspdiv(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    kinds = list(itertools.product((0, 1), repeat=aspects))
    for m in range(1, n + 1):
        for pattern in itertools.product(kinds, repeat=m):
            for i in range(m):
                if reading == 'narrow' and any(pattern[i]):
                    continue
                case = make()
                case.simplex(aspects)
                case.pool = [
                    tuple(
                        case.grade('r' if reading == 'narrow' else f'r{d}_{t}') if J else 0
                        for t, J in enumerate(kind, 1)
                    )
                    for d, kind in enumerate(pattern, 1)
                ]
                better = tuple(
                    case.grade('r' if reading == 'narrow' else f'b{t}')
                    for t in range(1, aspects + 1)
                )
                case.assumptions += [
                    old < new for new, old in zip(better, case.pool[i]) if not _is_zero(old)
                ]
                case.pool.append(better)
                case.higher, case.lower = _replaced(m, i, m), tuple(range(m))
                yield case


def red(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    for m in range(1, n):
        for pattern in itertools.product(range(-1, aspects), repeat=m):  # −1: relevant to nothing
            if pattern.count(0) <= pattern.count(1):
                continue
            case = make()
            case.highest = SMALL if reading == 'narrow' else Fraction(1)
            case.balanced(aspects)
            case.pool = [_alone(aspects, t, case.grade('r')) for t in (*pattern, 1, 0)]
            case.higher, case.lower = (*range(m), m), (*range(m), m + 1)
            yield case


def mred(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    for m in range(1, n):
        for both in itertools.product((0, 1), repeat=m):
            case = make()
            case.balanced(2)
            case.pool = [
                (case.grade(f'r{d}_1'), case.grade(f'r{d}_2') if J else 0)
                for d, J in enumerate(both, 1)
            ]
            case.assumptions += [less < more for more, less in case.pool if not _is_zero(less)]
            case.pool += [(0, case.grade('r')), (case.grade('r'), 0)]
            case.higher, case.lower = (*range(m), m), (*range(m), m + 1)
            yield case


def sat(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    for T in range(1, aspects + 1):
        for m in range(n - 1):
            for pattern in itertools.product(range(-1, T), repeat=m):
                case = make()
                case.highest = Fraction(1)
                case.balanced(T)
                grades = [case.grade(f'r{d}') if t >= 0 else 0 for d, t in enumerate(pattern, 1)]
                case.pool = [_alone(T, t, grade) for t, grade in zip(pattern, grades)]
                case.pool += [_alone(T, 0, Fraction(1)), _alone(T, 0, case.grade('further'))]
                case.higher, case.lower = tuple(range(m + 1)), tuple(range(m + 2))
                yield case


def asprel(make: Make, n: int, aspects: int, reading: str) -> Iterator[Case]:
    unseen = (-1, *range(2, aspects))
    others = unseen if reading == 'narrow' else range(-1, aspects)
    for m in range(1, n + 1):
        for i in range(m):
            befores = itertools.product(unseen, repeat=i)
            afters = itertools.product(others, repeat=m - 1 - i)
            for before, after in itertools.product(befores, afters):
                case = make()
                case.highest = SMALL if reading == 'narrow' else Fraction(1)
                case.simplex(aspects)
                case.assumptions.append(case.weights[0] > case.weights[1])
                pattern = (*before, 0, *after)
                grades = ['r' if d == i else f'r{d + 1}' for d in range(m)]
                case.pool = [
                    _alone(aspects, t, case.grade(grade) if t >= 0 else 0)
                    for t, grade in zip(pattern, grades)
                ]
                case.pool.append(_alone(aspects, 1, case.grade('r')))
                case.higher, case.lower = tuple(range(m)), _replaced(m, i, m)
                yield case


CONSTRAINTS: dict[str, Callable[[Make, int, int, str], Iterator[Case]]] = {
    'Pri': pri,
    'Deep': deep,
    'Conf': conf,
    'AspDiv': aspdiv,
    'Red': red,
    'MRed': mred,
    'Sat': sat,
    'AspRel': asprel,
}


# --------------------------------------------------------------------------------------------------------- proofs


def decide(label: str, constraint: str, case: Case) -> tuple[str, z3.ModelRef | None]:
    """Whether values exist for which a row's measure orders a case wrongly: ``'unsat'``, ``'sat'`` or ``'unknown'``.

    The second item is the model, if there is one.
    """
    tested = subject(CLAIMS[label].with_symbols(), deep=DEEP)
    higher, lower = (
        SCORES[tested.measure.NAME](Ranking(case, places, tested.topic, tested.weighted))
        for places in (case.higher, case.lower)
    )
    solver = z3.SolverFor('QF_NRA')
    solver.set('rlimit', EFFORT)
    difference = z3.simplify(z3.RealVal(0) + higher - lower, som=True)
    solver.add(*case.assumptions, *case.discount_assumptions())
    solver.add(difference < 0 if constraint == 'Sat' else difference <= 0)
    answer = str(solver.check())
    return answer, solver.model() if answer == 'sat' else None


def prove(
    label: str, constraint: str, n: int = 4, aspects: int = 2, reading: str = 'stated'
) -> dict[str, Any]:
    """The verdict on a constraint for a row of Table 1, as a row of the data file.

    Args:
        label: the row's name in the paper.
        constraint: its short name.
        n, aspects: the number of documents of the longest ranking, and of aspects.
        reading: ``'stated'``, or ``'narrow'``, the constraint's narrower reading.
    """

    def decided(discounts: str) -> tuple[int, str, Case, z3.ModelRef | None]:
        """The number of cases up to the first that is not proved, the last answer, that case and its model."""
        number = 0
        for case in CONSTRAINTS[constraint](lambda: Case(discounts), n, aspects, reading):
            number += 1
            answer, model = decide(label, constraint, case)
            if answer != 'unsat':
                break
        return number, answer, case, model

    number, answer, case, model = decided(FREE)
    note = ''
    if answer != 'unsat' and 'D1' in case.symbols:
        number, answer, case, model = decided(FIXED)
        if answer == 'unsat':
            convex = decided(CONVEX)
            number += decided(FREE)[0] + convex[0]
            every = 'every' if convex[1] == 'unsat' else 'not every'
            note = (
                f'it holds for that of the measure, and for {every} strictly convex one, but not for '
                f'every decreasing one'
            )
    return {
        'measure': label,
        'constraint': constraint,
        'reading': reading,
        'n': n,
        'aspects': aspects,
        'verdict': DEPENDS if note else VERDICTS[answer],
        'note': note,
        'cases': number,
        'counterexample': '' if model is None else witness(label, constraint, case, model).text(),
    }


def witness(label: str, constraint: str, case: Case, model: z3.ModelRef) -> Counterexample:
    """The rankings of a model, scored by the measure of the package with the parameters of the model."""

    def value(grade: Any) -> float:
        if not isinstance(grade, z3.ArithRef):
            return float(grade)
        number = model.eval(grade, model_completion=True)
        exact = number if z3.is_rational_value(number) else number.approx(20)
        return float(Fraction(exact.as_string()))

    tested = subject(CLAIMS[label].with_symbols(), deep=DEEP)
    own = tested.measure
    params = {name: value(x) for name, x in case.symbols.items() if name in own.own_params}
    length = max(len(case.higher), len(case.lower))
    sides = [
        np.array([[*places, *[END] * (length - len(places))]])
        for places in (case.higher, case.lower)
    ]
    pool = np.array([[[value(grade) for grade in document] for document in case.pool]])
    weight = np.array([[value(w) for w in case.weights]])
    pair = Cases(pool, sides[0], sides[1], weight, np.ones(1, dtype=bool))
    measure = registry[own.NAME](**{**own.params, **params})
    scores = of_measure(measure, str(measure), tested.topic, tested.weighted).score(pair)
    return Counterexample(
        constraint,
        tested.label,
        (float(scores[0][0]), float(scores[1][0])),
        ', '.join(f'{name} = {x:g}' for name, x in params.items()),
        pair,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare verdicts, write no data file')
    options = parser.parse_args()
    wanted = list(itertools.product(CLAIMS, CONSTRAINTS, READINGS))
    found = pd.DataFrame(
        prove(label, constraint, reading=reading)
        for label, constraint, reading in tqdm(wanted, unit='cell')
    )
    if not options.check:
        found.to_csv(PROOFS, index=False, lineterminator='\n')
        return 0
    verdicts = ['measure', 'constraint', 'reading', 'verdict', 'note']
    known = pd.read_csv(PROOFS, keep_default_na=False)
    differ = found[(found[verdicts] != known[verdicts]).any(axis=1)]
    print(differ[verdicts].to_string(index=False) if len(differ) else 'The verdicts are the same.')
    return int(len(differ) > 0)


if __name__ == '__main__':
    sys.exit(main())
