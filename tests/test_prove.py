"""``axioms.prove``: verdicts, witnesses scored by the measures, certificates checked by a second solver."""

from __future__ import annotations

import sys

import pytest

from ir_divmeasures import axioms, measure, unregister_measure
from ir_divmeasures.axioms import expressions
from ir_divmeasures.axioms.claims import CLAIMS
from ir_divmeasures.axioms.constraints import CONSTRAINTS
from ir_divmeasures.axioms.symbols import CASES
from ir_divmeasures.core.kernels import discount, symbolic
from ir_divmeasures.core.terms import Terms

from .reference import axioms as literal

z3 = pytest.importorskip('z3')
cvc5 = pytest.importorskip('cvc5')

# Verdicts for symbols are those of the search for settings, in both readings: r refuted, p proved, d depends.
EXPECTED = {
    'P_IA': {'AspRel': 'pp', 'Pri': 'rr', 'AspDiv': 'rp'},
    'RR': {'Sat': 'pp', 'Conf': 'rr'},
    'gERR_IA': {'Pri': 'pp', 'MRed': 'pp', 'Red': 'pp', 'AspRel': 'rp'},
    'RBP_IA': {'AspDiv': 'pp', 'Red': 'rr'},
    'StRecall': {'Sat': 'pp', 'AspDiv': 'rr'},
    'StRR': {'Red': 'pp'},
    'gNRBP': {'Pri': 'rp', 'Red': 'pp'},
    'Dsharp_nDCG': {'Pri': 'pp', 'AspRel': 'rp'},
    'alpha_DCG_IA': {'Red': 'pp', 'Pri': 'rp'},
    'EU': {'Conf': 'pp', 'Sat': 'rr'},
    'CT': {'Sat': 'pp', 'Conf': 'rr'},
    'RBU': {
        'Pri': 'pp',
        'Conf': 'pp',
        'AspDiv': 'pp',
        'Red': 'pp',
        'MRed': 'pp',
        'Sat': 'pp',
        'AspRel': 'rp',
    },
}
LETTER = {'p': 'proved', 'r': 'refuted', 'd': 'depends on the discount'}


@pytest.mark.parametrize(
    'name, constraint, verdicts',
    [
        (name, constraint, verdicts)
        for name, of in EXPECTED.items()
        for constraint, verdicts in of.items()
    ],
)
def test_verdicts(name, constraint, verdicts):
    """A refutation is a pair of rankings that falls under the constraint, and that the measure orders wrongly."""
    for reading, letter in zip(('stated', 'narrow'), verdicts):
        found = axioms.prove(name, constraint, n=3 if constraint == 'Pri' else 2, reading=reading)
        assert found.verdict == LETTER[letter] and found.cases > 0, (reading, str(found))
        if letter == 'p':
            assert found.counterexample is None
            continue
        example = found.counterexample
        assert example.scores[0] <= example.scores[1] + 1e-12
        if constraint != 'Sat':
            rankings = [
                [[float(g) for g in document] for document in side]
                for side in (example.higher, example.lower)
            ]
            small = [[[g / 10 for g in document] for document in side] for side in rankings]
            weights = example.weight.tolist()
            wants_small = constraint not in ('Red', 'AspRel')
            assert getattr(literal, constraint)(*(small if wants_small else rankings), weights)


def test_deep_depends_on_the_discount():
    """1/log2 is convex; a decreasing sequence need not be."""
    found = axioms.prove('nDCG', 'Deep', n=4)
    assert found.verdict == 'depends on the discount' and 'every strictly convex' in found.note
    assert {query.discounts for query in found.queries} == {
        'any decreasing discount',
        'the discount of the measure',
        'any strictly convex discount',
    }
    assert axioms.prove('RBP', 'Deep', n=4).verdict == 'proved'
    assert axioms.prove('P_IA', 'Deep', n=4).verdict == 'refuted'


def test_precision_of_proofs_is_that_of_their_length():
    """AP satisfies the narrow reading of Deep with at most 7 documents, and fails it with 8."""
    assert axioms.prove('AP', 'Deep', n=5, reading='narrow').verdict == 'proved'
    found = axioms.prove('AP', 'Deep', n=8, reading='narrow')
    assert found.verdict == 'refuted' and found.counterexample.length == 8


def test_a_parameter_that_is_given_is_a_number():
    """Without saturation of one aspect by a document of r = 1, EU loses by e what it gains by (1 − α)."""
    assert axioms.prove('EU(alpha=0.5,e=0.1)', 'Sat', n=2).verdict == 'refuted'
    assert axioms.prove('EU(alpha=0.9,e=0.2)', 'Sat', n=2, aspects=1).verdict == 'proved'


def test_certificates(tmp_path):
    """Of each verdict; cvc5 gives the same answer to every query."""
    checked = 0
    for name, constraint in (
        ('RBU', 'Pri'),
        ('RBU', 'Red'),
        ('CT', 'Pri'),
        ('P_IA', 'Red'),
        ('EU', 'Conf'),
    ):
        found = axioms.prove(name, constraint, n=4)
        paths = found.certificates(tmp_path / name / constraint)
        assert len(paths) == found.cases
        for path, query in zip(paths, found.queries):
            text = path.read_text(encoding='utf-8')
            assert text.startswith(f'; {constraint} (stated reading)') and 'QF_NRA' in text
            assert _answer(cvc5, text) == query.answer
            checked += 1
        with pytest.raises(FileExistsError):
            found.certificates(tmp_path / name / constraint)
    assert checked > 50


@pytest.mark.parametrize('name', ['RBU', 'nDCG', 'gERR_IA', 'CT'])
def test_cases_that_are_decided_together_have_the_same_answer(name):
    """An answer that another case has given is that of the whole formula too."""
    for query in axioms.prove(name, 'AspDiv', n=2).queries:
        solver = z3.Solver()
        solver.from_string(query.formula)
        assert str(solver.check()) == query.answer


def test_the_essence_of_a_case():
    """a(b + c)/d − ab/d < 0 is c < 0 for positive a, b, d, whatever the symbols are called."""

    def reduced(a, b, c, d, e):
        a, b, c, d, e = map(expressions.symbol, (a, b, c, d, e))
        return expressions.essence(
            a * (b + c) / d - a * b / d, True, [c <= e, b < a], [a.text, b.text, d.text]
        )

    expected = (
        '(set-logic QF_NRA)\n(declare-fun x0 () Real)\n(declare-fun x1 () Real)\n(assert (<= x0 x1))\n'
        '(assert (< (+ (* 1.0 x0) 0.0) 0.0))\n(check-sat)\n'
    )
    assert reduced(*'abcde') == reduced(*'vwxyz') == expected


def _answer(cvc5, text: str) -> str:
    solver = cvc5.Solver()
    solver.setOption('tlimit-per', '20000')
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, 'certificate')
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
    return answers[-1] or answers[-2]


def test_a_measure_of_ones_own():
    @measure(symbolic=symbolic.rank_biased_precision)
    def Patient(r, *, p: float = 0.5):
        """Rank-biased precision."""
        return Terms(r, r.of_hits(r.judgments.grade), discount.geometric(r.rank, p), scale=1 - p)

    try:
        assert axioms.prove('Patient', 'Pri', n=3).verdict == 'proved'
        assert axioms.prove('Patient(p=0.25)', 'Conf', n=3).verdict == 'refuted'
    finally:
        unregister_measure('Patient')


def test_a_table():
    found = axioms.prove_table(['Pri'], n=2, readings=['stated'])
    assert found['measure'].tolist() == list(CLAIMS) and set(found['verdict']) == {
        'proved',
        'refuted',
    }
    assert set(CASES) == set(CONSTRAINTS) - {'DeepTh', 'DeepTh∃', 'CloseTh'}


@pytest.mark.parametrize(
    'name, options, says',
    [
        ('RBU', {'constraint': 'DeepTh'}, 'rankings of any length'),
        ('RBU', {'constraint': 'Prio'}, 'no constraint'),
        ('RBU', {'constraint': 'Deep', 'n': 3}, 'at least 4'),
        ('RBU', {'constraint': 'Red', 'aspects': 1}, 'at least 2'),
        ('RBU', {'constraint': 'Pri', 'reading': 'wide'}, "reading='wide'"),
        ('RBU@2', {'constraint': 'Pri'}, 'below n=4'),
        ('Coverage', {'constraint': 'Pri'}, 'those with one are .*RBU'),
        ("RBU(norm=True)", {'constraint': 'Pri'}, 'norm'),
        ("RBU(gain='exp')", {'constraint': 'Pri'}, "gain='exp'"),
    ],
)
def test_bad_input(name, options, says):
    with pytest.raises(ValueError, match=says):
        axioms.prove(name, **options)


def test_z3_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, 'z3', None)
    with pytest.raises(ImportError, match=r'pip install "ir_divmeasures\[prove\]"'):
        axioms.prove('RBU', 'Pri')
