"""Proofs of constraints for all grades and parameters, with certificates that any solver for SMT-LIB can check."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.registry import DivMeasure, catalogue, registry
from ..errors import did_you_mean, short
from ..results import Result, count
from ..results.progress import with_progress
from .cases import Cases as Pairs
from .cases import Counterexample
from .claims import CLAIMS
from .constraints import CONSTRAINTS
from .expressions import as_expression, essence, formula
from .subjects import Subject, of_measure, subject
from .symbols import CASES, CONVEX, FIXED, FREE, Case, SymbolicRanking

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import MeasureLike

PROVED, REFUTED, DEPENDS, UNKNOWN = 'proved', 'refuted', 'depends on the discount', 'unknown'
READINGS = ('stated', 'narrow')
EFFORT = 20_000_000
"""What z3 may spend on one case, in its own units (``rlimit``). Unlike a time, it is the same on a busy machine."""
DEEP = 1024
"""The cutoff under which a measure without one is scored."""


@dataclass(frozen=True)
class Query:
    """One case as a formula: is there a ranking of these documents that the measure does not order as it should?

    Attributes:
        formula: SMT-LIB 2.
        answer: ``'unsat'``, the constraint holds; ``'sat'``, it does not; ``'unknown'``.
        rankings: both rankings in words.
        discounts: what was assumed of the discount by rank.
    """

    formula: str
    answer: str
    rankings: tuple[str, str]
    discounts: str


@dataclass(frozen=True, eq=False, repr=False)
class Proof(Result):
    """What :func:`prove` finds.

    Attributes:
        measure, constraint, reading: what was asked.
        n, aspects: the number of documents of the longest ranking, and of aspects.
        verdict: ``'proved'``, ``'refuted'``, ``'depends on the discount'`` or ``'unknown'``.
        note: for a verdict that depends on the discount, for which discounts it holds.
        counterexample: two rankings that the measure orders against the constraint, scored by the measure itself.
        queries: every case that was decided.
    """

    measure: str
    constraint: str
    reading: str
    n: int
    aspects: int
    verdict: str
    note: str = ''
    counterexample: Counterexample | None = None
    queries: tuple[Query, ...] = field(default=())

    @property
    def cases(self) -> int:
        """Number of cases that were decided."""
        return len(self.queries)

    def _headline(self) -> str:
        text = f'{self.measure}, {self.constraint} ({self.reading}): {self.verdict}'
        text += f' for at most {count(self.n, "document")}' if self.verdict == PROVED else ''
        return text + (f': {self.note}' if self.note else '')

    def _printed(self) -> tuple[pd.DataFrame, str]:
        if self.counterexample is not None:
            return self.counterexample._printed()[0], 'counterexample.text()'
        return self.to_frame()[['n', 'aspects', 'cases']], 'to_frame()'

    def _notes(self) -> list[str]:
        return [] if self.counterexample is None else [self.counterexample._headline() + '.']

    def to_frame(self) -> pd.DataFrame:
        """One row: what was asked, the verdict, the number of cases, the counter-example."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    'measure': self.measure,
                    'constraint': self.constraint,
                    'reading': self.reading,
                    'n': self.n,
                    'aspects': self.aspects,
                    'verdict': self.verdict,
                    'note': self.note,
                    'cases': self.cases,
                    'counterexample': ''
                    if self.counterexample is None
                    else self.counterexample.text(),
                }
            ]
        )

    def certificates(self, folder: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Write one SMT-LIB 2 file (QF_NRA) for each case; its header says what sat and unsat mean.

        Args:
            folder: is made if it does not exist. Files that exist are not replaced.

        Returns:
            The paths.

        Raises:
            FileExistsError: a file exists.
        """
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        statement = CONSTRAINTS[self.constraint].statement
        paths = []
        for number, query in enumerate(self.queries, start=1):
            header = [
                f'{self.constraint} ({self.reading} reading): {statement}',
                f'Measure: {self.measure}',
                f'Should be higher: {query.rankings[0]}',
                f'Should be lower:  {query.rankings[1]}',
                f'Discount by rank: {query.discounts}.',
                'unsat: the constraint holds in this case. sat: it does not; a model is a counter-example.',
                f'Found: {query.answer}',
            ]
            path = folder / f'{self.constraint}-{self.reading}-{number:04}.smt2'
            with open(path, 'x', encoding='utf-8') as file:
                file.write(''.join(f'; {line}\n' for line in header) + query.formula)
            paths.append(path)
        return paths


def prove(
    measure: MeasureLike, constraint: str, n: int = 4, aspects: int = 2, reading: str = 'stated'
) -> Proof:
    """Prove or refute a constraint of Amigó et al. (2018) for a measure, for all grades, weights and parameters.

    Which documents are relevant to which aspects is enumerated. Grades, weights, normalisers and the parameters of the
    measure that its name does not fix are symbols, and its discount by rank is any decreasing sequence. The constraint
    holds if no values make a pair of rankings that meets its conditions score the wrong way round, or equally; a solver
    decides that for each case. A proof for n documents says nothing about n + 1. Needs z3: ``pip install
    "ir_divmeasures[prove]"``.

    DeepTh and CloseTh, which speak of rankings of any length, cannot be proved so; :func:`ir_divmeasures.axioms.check`
    searches for counter-examples. Sat is decided for r_max = 1. Where r ≪ 1, grades are at most 1/100. Parameters are
    in (0, 1), both ends excluded.

    Args:
        measure: as :func:`ir_divmeasures.axioms.check` takes it; a measure with a symbolic form
            (``@measure(symbolic=…)``).
        constraint: its short name.
        n: the number of documents of the longest ranking.
        aspects: the number of aspects.
        reading: ``'stated'``, or ``'narrow'``, the constraint's narrower reading.

    Returns:
        :class:`Proof`.

    Raises:
        ImportError: z3 is missing.
        ValueError: an unknown constraint or reading, n or aspects too small, a measure without a symbolic form.

    Examples:
        >>> prove('RBU', 'Pri', n=3).verdict, prove('P_IA', 'Pri', n=3).verdict
        ('proved', 'refuted')
    """
    try:
        import z3
    except ImportError:
        raise ImportError('proofs need z3: pip install "ir_divmeasures[prove]"') from None
    if constraint not in CASES:
        unbounded = constraint in CONSTRAINTS
        raise ValueError(
            f'{constraint} speaks of rankings of any length and cannot be proved; axioms.check searches '
            f'for counter-examples'
            if unbounded
            else f'no constraint {short(constraint)}{did_you_mean(constraint, CASES)}'
        )
    if reading not in READINGS:
        raise ValueError(f"reading={reading!r}: expected 'stated' or 'narrow'")
    cases, least, least_aspects = CASES[constraint]
    for name, value, lowest in (('n', n, least), ('aspects', aspects, least_aspects)):
        if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
            raise ValueError(
                f'{name}={value!r}: {constraint} needs a whole number of at least {lowest}'
            )
    tested = subject(measure, deep=DEEP)
    asked = _symbolic(tested, n)
    narrow = reading == 'narrow'

    solver = _Solver(z3)

    def decided(discounts: str) -> tuple[list[Query], tuple[Case, Any] | None]:
        """Every case up to the first that is not proved, and that case with its model."""
        queries = []
        for case in cases(lambda small: Case(small, asked.fixed, discounts), n, aspects, narrow):
            query, model = _decide(solver, case, asked, constraint == 'Sat')
            queries.append(query)
            if query.answer != 'unsat':
                return queries, (case, model)
        return queries, None

    queries, failed = decided(FREE)
    verdict, note, example = PROVED, '', None
    uses_discount = any('D1' in query.formula for query in queries)
    if failed is not None and uses_discount:
        fixed, failed_fixed = decided(FIXED)
        if failed_fixed is None:
            convex, failed_convex = decided(CONVEX)
            queries += fixed + convex
            verdict = DEPENDS
            note = (
                f'it holds for that of the measure, and for {"every" if failed_convex is None else "not every"} '
                f'strictly convex one, but not for every decreasing one'
            )
            failed = None
        else:
            queries, failed = fixed, failed_fixed
    if failed is not None:
        case, model = failed
        verdict = REFUTED if queries[-1].answer == 'sat' else UNKNOWN
        example = None if model is None else _example(constraint, case, model, asked)
    return Proof(
        tested.label, constraint, reading, n, aspects, verdict, note, example, tuple(queries)
    )


@dataclass(frozen=True)
class _Asked:
    """The measure of a proof.

    Attributes:
        subject: as the search has it.
        measure: the measure as it was asked for, whose name may fix parameters.
        fixed: these parameters.
    """

    subject: Subject
    measure: DivMeasure
    fixed: dict[str, Any]

    def score(self, case: Case, places: tuple[int, ...]) -> Any:
        """The score of a ranking as an expression."""
        ranking = SymbolicRanking(case, places, self.subject.topic, self.subject.weighted)
        symbolic = self.measure.symbolic
        assert symbolic is not None
        return symbolic(ranking)


def _symbolic(tested: Subject, n: int) -> _Asked:
    """The measure of a proof, if it has a symbolic form."""
    own = tested.measure
    if own is None or own.symbolic is None:
        known = ', '.join(made.NAME for made in catalogue() if made.symbolic is not None)
        raise ValueError(f'{tested.label} has no symbolic form; those with one are {known}')
    if own.cutoff is not None and own.cutoff < n:
        raise ValueError(
            f'{tested.label}: the cutoff is below n={n}; expected a measure without a cutoff'
        )
    gain = own.params.get('gain')
    if gain not in (None, 'raw', 'linear'):
        raise ValueError(
            f'{tested.label}: the symbolic form reads grades as relevance, found gain={gain!r}'
        )
    free = {name for name in own.own_params if name not in ('gain', 'max_rel')}
    return _Asked(
        tested, own, {name: own.params[name] for name in sorted(free) if name in own.params}
    )


@dataclass(frozen=True)
class _Solver:
    """The solver of a proof.

    Attributes:
        z3: the module.
        known: texts that cannot be satisfied, and texts for which that is not known.
    """

    z3: Any
    known: dict[str, bool] = field(default_factory=dict)

    def check(self, text: str) -> tuple[str, Any]:
        """The answer to a text in SMT-LIB 2, and the values of its symbols by name, None without a model."""
        solver = self.z3.SolverFor('QF_NRA')
        solver.set('rlimit', EFFORT)
        solver.from_string(text)
        answer = str(solver.check())
        if answer != 'sat':
            return answer, None
        model = solver.model()
        return answer, {
            made.name(): _fraction(self.z3, model[made])
            for made in model.decls()
            if not made.arity()
        }

    def refutes(self, text: str) -> bool:
        """Whether a text cannot be satisfied. Each text is asked once."""
        if text not in self.known:
            self.known[text] = self.check(text)[0] == 'unsat'
        return self.known[text]


def _fraction(z3: Any, value: Any) -> Fraction:
    return Fraction(
        value.as_string() if z3.is_rational_value(value) else value.approx(20).as_string()
    )


def _decide(solver: _Solver, case: Case, asked: _Asked, equal_allowed: bool) -> tuple[Query, Any]:
    """Whether some values make the measure order a case the wrong way round, and these values by name."""
    higher, lower = (
        as_expression(asked.score(case, places)) for places in (case.higher, case.lower)
    )
    if unread := [
        name
        for name, value in asked.fixed.items()
        if name not in case.read and value != asked.measure.SUPPORTED_PARAMS[name].default
    ]:
        raise ValueError(
            f'{asked.subject.label}: the symbolic form does not read {", ".join(unread)}'
        )
    assumptions = [*case.assumptions, *case.discount_assumptions()]
    text = formula(
        [*assumptions, higher < lower if equal_allowed else higher <= lower], case.symbols
    )
    answer, values = (
        ('unsat', None)
        if solver.refutes(essence(higher - lower, equal_allowed, assumptions, case.symbols))
        else solver.check(text)
    )
    words = tuple(_in_words(case, places) for places in (case.higher, case.lower))
    return Query(text, answer, (words[0], words[1]), case.discounts), values


def _in_words(case: Case, places: Iterable[int]) -> str:
    """A ranking: the grades of each document."""
    return (
        ', '.join(
            '(' + ' '.join(str(grade) for grade in (case.pool[place] if place >= 0 else (0,))) + ')'
            for place in places
        )
        or 'empty'
    )


def _example(
    constraint: str, case: Case, values: dict[str, Fraction], asked: _Asked
) -> Counterexample:
    """The rankings of a model, scored by the measure with the parameters of the model."""

    def value(grade: Any) -> float:
        """The value of a grade or weight, which is a symbol or a number."""
        expression = as_expression(grade)
        return float(
            values[expression.text] if expression.text in values else expression.terms.get((), 0)
        )

    own = asked.measure
    params = {
        name: value(symbol) for name, symbol in case.symbols.items() if name in own.own_params
    }
    pool = np.array([[[value(grade) for grade in document] for document in case.pool]])
    length = max(len(case.higher), len(case.lower))
    sides = [
        np.array([[*places, *[-2] * (length - len(places))]])
        for places in (case.higher, case.lower)
    ]
    pairs = Pairs(
        pool,
        sides[0],
        sides[1],
        np.array([[value(w) for w in case.weights]]),
        np.ones(1, dtype=bool),
    )
    measure = registry[own.NAME](**{**own.params, **params})
    tested = of_measure(measure, str(measure), asked.subject.topic, asked.subject.weighted)
    higher, lower = tested.score(pairs)
    note = ', '.join(f'{name} = {x:g}' for name, x in params.items())
    return Counterexample(
        constraint,
        asked.subject.label,
        pairs.grades(pairs.higher, 0),
        pairs.grades(pairs.lower, 0),
        pairs.weight[0],
        (float(higher[0]), float(lower[0])),
        note,
        pairs,
        own.cutoff,
    )


def prove_table(
    constraints: Iterable[str] = tuple(CASES),
    *,
    n: int = 4,
    aspects: int = 2,
    readings: Iterable[str] = READINGS,
) -> pd.DataFrame:
    """Prove or refute constraints for the twenty rows of Table 1 of Amigó et al. (2018), parameters being symbols.

    Args:
        constraints: their short names.
        n, aspects: as for :func:`prove`. For a constraint that has no cases with n documents, the least n that it has.
        readings: ``'stated'``, ``'narrow'``.

    Returns:
        A row for each measure, constraint and reading, as :meth:`Proof.to_frame` has it, with the row's name as
        ``measure``.

    Examples:
        >>> found = prove_table(['Conf'], n=2, readings=['narrow'])
        >>> found.loc[found['verdict'] == 'proved', 'measure'].tolist()
        ['EU', 'RBU@k']
    """
    import pandas as pd

    rows = [
        (label, claim.with_symbols(), constraint, reading)
        for label, claim in CLAIMS.items()
        for constraint in constraints
        for reading in readings
    ]
    proofs = [
        replace(
            prove(tested, constraint, max(n, CASES[constraint][1]), aspects, reading), measure=label
        )
        for label, tested, constraint, reading in with_progress(rows, 'cell', 'proofs')
    ]
    return pd.concat([proof.to_frame() for proof in proofs], ignore_index=True)


__all__ = ['Proof', 'prove', 'prove_table']
