"""Constraints of Amigó et al. 2018: that cases meet their conditions, that counter-examples are real, and Table 1."""

import functools
import itertools
import math

import ir_measures
import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import axioms
from ir_divmeasures.axioms.cases import END, SMALL
from ir_divmeasures.axioms.claims import CLAIMS, rows
from ir_divmeasures.axioms.constraints import CONSTRAINTS, R_MAX, Search
from ir_divmeasures.axioms.subjects import subject
from ir_divmeasures.data import with_superintents
from tests.reference import axioms as literal

from .builders import one_in, over, refused

UNIVERSAL = [name for name, constraint in CONSTRAINTS.items() if not constraint.exists]


@pytest.fixture(scope='module')
def search():
    return Search(longest=11)


@pytest.fixture(scope='module')
def tested():
    return axioms.table(longest=12, deepest=2048)


@pytest.fixture(scope='module')
def shallow():
    return axioms.table(rows(10), longest=8, deepest=64)  # ranks beyond 10 add nothing


# ------------------------------------------------------------------------------------------------ cases, literally


def every(blocks, sample=1):
    for cases, *_ in blocks:
        for b in range(0, len(cases), sample):
            yield (
                cases.grades(cases.higher, b).tolist(),
                cases.grades(cases.lower, b).tolist(),
                cases.weight[b].tolist(),
                bool(cases.narrow[b]),
            )


@over('name', UNIVERSAL)
def test_every_case_meets_the_conditions_of_its_constraint(search, name):
    count = 0
    for higher, lower, weights, narrow in every(search.blocks(name), sample=3):
        assert getattr(literal, name)(higher, lower, weights), (higher, lower, weights)
        assert not narrow or getattr(literal, f'{name}_narrow')(higher, lower, weights), (
            higher,
            lower,
            weights,
        )
        count += 1
    assert count > 200


@over('r_max', R_MAX)
def test_saturation_cases_end_with_r_max_and_one_more(search, r_max):
    for higher, lower, _weights, _ in every(search.blocks('Sat', r_max)):
        assert lower[:-1] == higher and higher[-1][0] == r_max and lower[-1][0] > 0
        assert all(sum(g > 0 for g in document) <= 1 for document in lower)


def test_threshold_cases():
    cases = CONSTRAINTS['DeepTh'].cases([1, 3])
    r = SMALL / 100
    assert cases.grades(cases.higher, 1)[:, 0].tolist() == [r, 0, 0, 0, 0, 0]
    assert cases.grades(cases.lower, 1)[:, 0].tolist() == [0, 0, 0, r, r, r]
    assert cases.grades(cases.higher, 0)[:, 0].tolist() == [r, 0]
    assert cases.grades(cases.lower, 0)[:, 0].tolist() == [0, r]


def test_short_rankings_are_enumerated(search):
    """As many cases of Pri and Deep as a nested loop over rankings and positions finds."""
    levels = [0.0, 0.01, 0.5, 1.0]
    for n in (2, 3, 4, 5):
        pri = sum(
            ranking[i] < ranking[j]
            for ranking in itertools.product(levels, repeat=n)
            for i in range(n)
            for j in range(i + 1, n)
        )
        assert sum(len(c) for c, *_ in search.blocks('Pri') if c.lower.shape[1] == n) == pri
        deep = sum(
            r[i] == r[j] < r[i + 1] == r[j + 1]
            for r in itertools.product(levels, repeat=n)
            for i in range(n - 1)
            for j in range(i + 1, n - 1)
        )
        assert sum(len(c) for c, *_ in search.blocks('Deep') if c.lower.shape[1] == n) == deep


def test_aspects_have_the_same_judgments(search):
    """Each aspect has the same grades, so that aspects are normalised alike."""
    for cases, *_ in search.blocks('AspRel'):
        grade = np.sort(cases.judged_grades(), axis=1)
        assert np.array_equal(grade, np.broadcast_to(grade[:, :, :1], grade.shape))


# --------------------------------------------------------------------------------- scores: measures, hosts, functions

SLOW = (
    *('EU', 'gERR_IA', 'nDCG_IA', 'Dsharp_nDCG', 'Q_IA', 'HD_Q', 'alpha_nDCG_LA', 'UM(P="RBP")'),
    *('alpha_DCG_IA', 'StRR', 'CT', 'P_IA@3', 'N_rec', 'UM_IA(alpha=0.5)'),
)
FAST = ('RBU(p=0.9)', 'AP_IA', 'alpha_nDCG', 'RBU@4', 'IA(M="nDCG_IA(rel=0)")', 'HDsharp_nDCG')


@functools.cache
def asked_together(names):
    """The checks of several measures by name; they share the pairs of rankings."""
    return dict(zip(names, (row.checks[0] for row in axioms.table(names, longest=8, deepest=64))))


@pytest.mark.filterwarnings('ignore:.*have one subtopic only')
@pytest.mark.parametrize(
    'name', [*(pytest.param(name, marks=pytest.mark.slow) for name in SLOW), *FAST]
)
def test_counterexamples_are_real(name):
    """ir_measures, given a counter-example's judgments and runs, gives the scores it shows; these break the rule."""
    check = asked_together(FAST if name in FAST else SLOW)[name]
    examples = [c.counterexample for c in check.cells.values() if c.counterexample]
    measure = subject(name, deep=128).measure
    assert examples
    for example in examples:
        qrels = qrels_of(example.case)
        if 'layer' in measure.needs:
            qrels = with_superintents(
                qrels, {'q': dict.fromkeys(qrels['subtopic_id'], 'all')}, rel=0
            )
        scores = [
            ir_measures.calc_aggregate([measure], qrels, run_of(side[0]))[measure]
            for side in (example.case.higher, example.case.lower)
        ]
        assert scores == pytest.approx(example.scores, rel=1e-9, abs=1e-15), str(example)
        if example.constraint == 'Sat':
            assert scores[0] < scores[1]
        else:
            assert scores[0] - scores[1] <= 1e-12 * abs(scores[1])


def qrels_of(case):
    """The judgments of a counter-example's case, weights included."""
    rows = [
        ('q', f'd{d + 1}', g, f't{t + 1}', case.weight[0, t])
        for d, by_aspect in enumerate(case.judged_grades()[0].tolist())
        for t, g in enumerate(by_aspect)
        if g > 0
    ]
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight'])


def run_of(side):
    """A ranking of a counter-example as a run."""
    names = [f'd{p + 1}' if p >= 0 else f'n{i + 1}' for i, p in enumerate(side) if p != END]
    return {'q': dict(zip(names, range(len(names), 0, -1)))}


def rbu(grades, weights, p=0.8, e=0.03):
    """Amigó et al. 2018, Eq. 11, in plain Python."""
    total, left = 0.0, [1.0] * len(weights)
    for i, document in enumerate(grades.tolist(), start=1):
        total += p**i * (sum(w * r * x for w, r, x in zip(weights.tolist(), document, left)) - e)
        left = [x * (1 - r) for x, r in zip(left, document)]
    return total


def test_a_function_of_ones_own_is_tested_like_a_measure():
    own, measure = (row.checks[0] for row in axioms.table([rbu, 'RBU'], longest=8, deepest=64))
    assert own.label == 'rbu'
    assert [c.symbol for c in own.cells.values()] == [c.symbol for c in measure.cells.values()]
    assert own['Red'].counterexample.scores == pytest.approx(measure['Red'].counterexample.scores)
    ours, other = (each['Red'].counterexample.to_frame() for each in (own, measure))
    assert ours.equals(other)


# ----------------------------------------------------------------------------------------------------- what is found


def test_thresholds_of_alpha_dcg():
    """1 against Σ_{k≤n} (1 − α)^{k−1}/log2(n + k + 1)."""

    def many(n, alpha):
        return sum((1 - alpha) ** (k - 1) / math.log2(n + k + 1) for k in range(1, n + 1))

    quarter, tenth, half = (
        row.checks[0]
        for row in axioms.table(
            'alpha_DCG_IA(alpha=0.25) alpha_DCG_IA(alpha=0.1) alpha_DCG_IA', longest=8
        )
    )
    assert many(9, 0.25) > 1 > many(10, 0.25) and quarter['DeepTh'].witness == 'n ≥ 10'
    assert many(4, 0.25) < 1 < many(5, 0.25) and quarter['CloseTh'].witness == 'm = 5'
    assert many(1013, 0.1) > 1 > many(1014, 0.1) and tenth['DeepTh'].witness == 'n ≥ 1014'
    half = half['CloseTh']
    assert not half.holds and 'm = 2 comes nearest' in half.counterexample.note
    assert half.counterexample.scores[0] == pytest.approx(1e-5 * (1 / 2 + 0.5 / math.log2(5)))


def test_discounts_that_run_below_rounding_are_no_counterexample():
    """RBP with p = 0.1 satisfies Pri and Deep; 0.1^40 beside 1 is nothing to a float."""
    found = [
        row.checks[0]
        for row in axioms.table('RBP(p=0.1) gNRBP(p=0.3,alpha=0.75) RBU(p=0.2,e=0.1)', deepest=32)
    ]
    assert all(each['Deep'].holds and each['Pri'].narrow for each in found), found
    assert found[-1]['Conf'].holds


def test_much_less_than_one_does_not_hang_on_the_grade():
    """With p = 0.99 and 40 documents of r = 0.001 the cascade outweighs the discount; with r → 0 it does not."""
    assert axioms.check('RBU(p=0.99,e=0.001)', deepest=32)['Deep'].holds


def test_past_the_cutoff():
    found = axioms.check('RBU@4', longest=12)
    assert found['Pri'].symbol == found['Conf'].symbol == '◎'
    assert found['Pri'].counterexample.length == 6 and found['Conf'].counterexample.length == 5
    assert (
        0.8**3 + 0.8**4 > 0.8 and found['DeepTh'].witness == 'n ≥ 3'
    )  # of n = 3 only rank 4 is in sight
    assert axioms.check('StRR@4', longest=12)['Pri'].symbol == '○'


COUNTED = ('NRBP', 'α-nDCG@k', 'EU', 'CT@k')  # a tiny relevance takes α from all that follow
UNLIKE_THE_PAPER = {
    # P: 1/k against n/k; S-Recall: 1 against 1. True only if k < n.
    **dict.fromkeys([(m, 'DeepTh') for m in ('P@k', 'P-IA@k', 'S-Recall@k')], '○'),
    # 0 0 0 0 [1 0] 1 [0 1]: 1/2 (1/5 + …) is less than with the second pair put right; AP itself has ○
    ('AP-IA', 'Deep'): '○',
    # ad-hoc measures at topic level see a document that is more relevant to everything, and stop when satisfied
    **dict.fromkeys([(m, 'AspDiv') for m in ('nDCG@k', 'ERR@k', 'RBP')], '●'),
    **dict.fromkeys([(m, 'Sat') for m in ('RR', 'ERR@k')], '●'),
    # small α only, and e ≥ 1 − α
    **dict.fromkeys([(m, 'CloseTh') for m in ('NRBP', 'α-nDCG@k', 'EU')], '±'),
    ('EU', 'Sat'): '±',
    **dict.fromkeys([(m, c) for m in COUNTED for c in ('Pri', 'AspDiv')], '◐'),
    ('AP-IA', 'Pri'): '◐',
    # both aspects satisfied at r = 1
    **dict.fromkeys([(m, 'Red') for m in ('ERR-IA@k', 'CT@k', 'RBU@k')], '◐'),
    **dict.fromkeys(
        [
            (m, 'AspRel')
            for m in ('RR-IA@k', 'AP-IA', 'ERR-IA@k', 'D#-Measure@k', 'EU', 'CT@k', 'RBU@k')
        ],
        '◐',
    ),
}
"""Our symbols of the cells of Table 1 that differ from the paper's, without a cutoff."""


def test_table_1(tested, shallow):
    """The paper's 200 cells, but for those listed, each with its reason; at a cutoff DeepTh differs elsewhere."""
    paper = [name for name, constraint in CONSTRAINTS.items() if constraint.equation is not None]
    assert len(paper) == 10 and len(CLAIMS) == 20
    unlike = {}
    for row in tested:
        cells = CLAIMS[row.label].cells
        assert list(cells) == paper
        for name, claimed in cells.items():
            symbol = row.symbol(name)
            if symbol != claimed and not (claimed == '○' and symbol in '◐◎'):
                unlike[row.label, name] = symbol
    assert unlike == UNLIKE_THE_PAPER
    discounted, holds = ('nDCG@k', 'nDCG-IA@k', 'D#-Measure@k'), []
    for row in shallow:
        claimed = CLAIMS[row.label].cells['DeepTh']
        assert (row.symbol('DeepTh') == claimed) == (row.label not in discounted), row.label
        holds.append(row.symbol('DeepTh∃'))  # Eq. 3 as printed, for some n
    assert set(holds) == {'●'}
    assert {
        row.label for row in tested if row.symbol('DeepTh∃') != CLAIMS[row.label].cells['DeepTh']
    } == {*('P@k', 'P-IA@k', 'S-Recall@k', 'AP', 'AP-IA'), *discounted}


PROVED = {
    'Pri': (5, 8),
    'Deep': (5, 10),
    'Conf': (5, 9),
    'AspDiv': (3, 3),
    'Red': (7, 7),
    'MRed': (4, 4),
    'AspRel': (4, 4),
}
"""Documents in the longest rankings that are tried exhaustively: over all grades, and over two."""


def test_counterexamples_of_table_1_are_as_short_as_there_are(tested):
    """They are no longer than the exhaustive search reaches, which goes from the shortest on."""
    for row in tested:
        for check in row.checks:
            for name, reach in PROVED.items():
                for example in (check[name].counterexample, check[name].narrow_counterexample):
                    assert example is None or example.length <= reach[1], str(example)
        cells = row.checks[-1].to_frame()
        for name in PROVED:
            assert bool(cells['exhaustive'][name]) == cells['holds'][name], row.label
    exhaustive = [name for name, c in CONSTRAINTS.items() if c.exhaustive]
    assert [*PROVED] == UNIVERSAL == exhaustive, 'write its lengths into PROVED'


def test_settings_of_table_1(tested):
    assert (
        len(tested['EU'].checks) == 16
        and len(tested['NRBP'].checks) == len(tested['RBU@k'].checks) == 12
    )
    assert holding(tested['EU'], 'Sat') == ['EU(e=0.5)', 'EU(alpha=0.75,e=0.5)']
    assert holding(tested['α-nDCG@k'], 'CloseTh') == [
        f'alpha_DCG_IA(alpha={a}), unweighted' for a in (0.1, 0.25)
    ]


def holding(row, constraint):
    """The settings for which a constraint holds as stated."""
    symbols = row.to_frame()[constraint]
    return symbols.index[symbols == '●'].tolist()


# ----------------------------------------------------------------------------------------------- tables and errors


def test_what_does_not_apply():
    table = axioms.table('Bpref RBU', longest=8)
    assert table.to_frame().loc['Bpref'].eq('-').all()
    assert 'Bpref: Bpref: neither a measure of this package nor one of P, RR, AP' in str(table)
    assert 'unknown parameter' in axioms.check('nDCG(gains={0:0})', longest=8).reason


@over(
    'tested, options, said',
    [
        (lambda grades, weights: 'high', {}, "lambda> returned 'high', expected a number"),
        (lambda grades, weights: math.nan, {}, r'not finite .nan, nan. for the grades \[\['),
        (lambda grades, weights: math.inf, {}, 'not finite .inf, inf. for the grades'),
        ('RBUU', {}, "no measure 'RBUU'"),
        (3, {}, 'expected the name of a measure, a measure, or a function'),
        ('RBU', {'longest': 3}, 'longest=3: expected a whole number of at least 8'),
        ('RBU', {'deepest': 99.5}, 'deepest=99.5: expected a whole number'),
    ],
)
def test_errors(tested, options, said):
    refused(said, axioms.check, tested, error=(TypeError, ValueError), **options)


@one_in(6)
def test_every_measure_of_the_package_can_be_asked(every):
    """The quick form asks every sixth measure."""
    from ir_divmeasures.core.registry import catalogue

    table = axioms.table(catalogue()[::every], longest=8, deepest=16)
    assert all(row.checks[0].cells or row.checks[0].reason for row in table)
    assert sum(bool(row.checks[0].cells) for row in table) > 35 / every
