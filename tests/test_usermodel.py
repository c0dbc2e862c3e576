"""User models: the identities of Carterette 2011, errors, hosts."""

import itertools
import pickle
import random

import ir_measures
import numpy as np
import pytest

from ir_divmeasures import measures
from ir_divmeasures.core.registry import registry
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.families.named_models import MODELS
from ir_divmeasures.families.stopping import DYNAMIC, STATIC, TAILS, Stops, dcg
from ir_divmeasures.families.usermodel import UM
from ir_divmeasures.user_models import cells

from .builders import expect_error, expect_warning, over, quietly, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

ALL = [(model, P) for model in (1, 2, 3, 4) for P in TAILS]


def score(names, qrels, run):
    """{(query, measure as asked for): value}, marked cells without their warning."""
    asked = {str(measures(n)[0]): n for n in ([names] if isinstance(names, str) else names)}
    evaluator = Evaluator(list(asked), qrels)
    return {(m.query_id, asked[str(m.measure)]): m.value for m in evaluator.iter_calc(run)}


def ranked(grades):
    """A run and judgments whose ranking has these grades."""
    return (
        {'q': {f'd{i:03}': g for i, g in enumerate(grades)}},
        {'q': {f'd{i:03}': float(-i) for i in range(len(grades))}},
    )


# Ranking 0 1 0 1, one further relevant document not retrieved. Other cases stand beside the twin.


@over('P', TAILS)
@over('theta', [0.1, 0.5, 0.9])
def test_every_distribution_is_one(P, theta):
    stops = Stops(P, theta)
    if stops.is_dynamic:
        stop = stops.at_relevant(np.ones((100, 1)), np.array([100.0]))[:, 0]
    else:
        stop, reach = stops.by_rank(1000)
        assert reach[1:-1] - reach[2:] == pytest.approx(stop[1:-1], abs=1e-12)
    assert (stop >= 0).all() and stop.sum() <= 1 + 1e-12
    assert {*STATIC, *DYNAMIC} == {*TAILS}


# ---- identities of the issue ----------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def random_data():
    rng = random.Random(3)
    docs = [f'd{i:02}' for i in range(40)]
    qrels = {f'{q}': {d: rng.choice([0, 0, 1]) for d in rng.sample(docs, 25)} for q in range(12)}
    for judged in qrels.values():
        judged['d00'] = 1
    run = {f'{q}': {d: float(-i) for i, d in enumerate(rng.sample(docs, 30))} for q in range(12)}
    return qrels, run


def values(name, data):
    with quietly():  # marked cells, one subtopic
        return np.array(
            [
                m.value
                for m in sorted(
                    ir_measures.iter_calc(measures(name), *data), key=lambda m: m.query_id
                )
            ]
        )


@over(
    'ours, theirs',
    [
        ('DCG(norm=True)', 'nDCG'),
        ('DCG(norm=True)@5', 'nDCG@5'),
        ("UM(model=4,P='AP')", 'AP'),
        ("UM(model=4,P='AP')@5", 'AP@5'),
        ("UM(model=1,P='RBP',theta=0.2)", 'RBP(p=0.8,rel=1)'),
        ("UM(model=1,P='AP')@7", 'R@7'),
    ],
)
def test_combinations_are_measures_of_ir_measures(random_data, ours, theirs):
    assert values(ours, random_data) == pytest.approx(values(theirs, random_data), abs=1e-12)


# ---- bad input, and stated values ----------------------------------------------------------------------------------


@over(
    'name, says',
    [
        ('UM(theta=0)', r'theta=0.*\(0, 1\)'),
        ("UM(P='XYZ')", "P='XYZ'.*'RBP' or 'DCG'"),
        ('UM(model=0)', r'model=0.*\[1, 4\]'),
        ('DCG(theta=0.5)', "unknown parameter 'theta'"),
        ('UM_IA(model=1,alpha=0.5)', 'model=1 accumulates no utility'),
        ('UM_IA(model=3,alpha=0)', 'model=3 accumulates no utility that alpha could lower'),
        ("UM_IA(model=3,redundancy='RR')", "accumulates no utility that redundancy='RR'"),
        ("UM_IA(redundancy='AP')", "redundancy='AP': expected 'RBP' or 'DCG' or 'RR' or None"),
        ("UM_IA(redundancy='RR',alpha=0.5)", "redundancy='RR' takes no alpha"),
        ("UM_IA(redundancy='RBP')", "redundancy='RBP' needs alpha"),
        ('DCG(base=1)', r'base=1.*\(1, inf\)'),
        ("UM(P='RR',base=3)", "base=3 belongs to P='DCG'"),
        ('UM(gain={1:2,2:1})', 'do not decrease with the grade'),
        ('UM(gain={})', r'gain=\{\}: expected .*grade: number'),
        ('UM(theta={1:.5})', "only P='ERR' takes a theta by grade, found P='DCG'"),
        ("EPR(theta={1:.5,2:.3},norm=True)", 'decreases with the grade'),
        ("UM(P='ERR',theta={1:.5},norm=True)", 'perfect ranking of model 2'),
        ("UM(effort='k')", "effort='k' belongs to model 3"),
        ("UM(model=3,P='ERR',effort='k',norm=True)", 'is a cost'),
        ('GAP(g={1:0})', 'above 0 for some grade'),
    ],
)
def test_errors_say_what_was_expected(name, says):
    refused(says, measures, name, error=(ValueError, TypeError))


# ---- the edges ---------------------------------------------------------------------------------------------------


@over('k', ['', '@1', '@4', '@9'], every=2)
def test_no_ranking_beats_the_perfect_one(k):
    """All rankings of five documents: the greatest normalised value is 1, in every cell."""
    grades = {'a': 3, 'b': 1, 'c': 2, 'd': 0, 'e': 1}
    orders = list(itertools.permutations(grades))[::3] + [tuple('acbed'), tuple('acbe'), ('a', 'c')]
    qrels = {f'q{i:03}': grades for i in range(len(orders))}
    run = {
        f'q{i:03}': {d: float(-j) for j, d in enumerate(order)} for i, order in enumerate(orders)
    }
    names = [
        f'UM(model={model},P={P!r},norm=True,gain={gain!r}){k}'
        for model, P in ALL
        for gain in ('linear', {1: 0, 2: 5, 3: 5})
    ]
    names += [
        f"UM(model={model},P='ERR',theta={{1:.2,2:.2,3:.7}},norm=True){k}" for model in (1, 3, 4)
    ]
    best = {}
    for (_, name), value in score(names, qrels, run).items():
        best[name] = max(value, best.get(name, 0.0))
    assert best == pytest.approx(dict.fromkeys(names, 1.0), abs=1e-12)


@over('base', [1.1, 2, 10, 1000])
def test_the_sum_over_all_ranks(base):
    """Σ P(k)/k = 1 − Σ_{k≥2} F(k)/(k(k−1)), by parts; what is left beyond 10^6 ranks is at most F/10^6."""
    made = dcg(base)
    k = np.arange(2.0, 1e6)
    by_parts = 1 - float((made.F(k, None) / (k * (k - 1))).sum())
    assert by_parts - 1e-6 < made.reciprocal(None) < by_parts
    assert made.reciprocal(None) == pytest.approx(0.491337431986215, abs=1e-14) or base != 2


# ---- marked cells ------------------------------------------------------------------------------------------------


def test_what_is_left_are_the_papers_15():
    table = cells()
    assert len(table) == 24
    left = table[table['marked'].isna()]
    assert set(left['name']) == {*MODELS, 'RBP', 'ERR', 'AP'} and len(left) == 15
    assert table[table['marked'].notna()]['name'].isna().all()
    for row in table.itertuples():
        assert measures(row.measure)[0].marked == row.marked


def test_marked_cells_are_blind_and_others_are_not():
    """Where non-relevant documents stand changes every cell but the marked ones, whatever the gain."""
    names = [f"UM(model={model},P={P!r},gain='linear')@4" for model, P in ALL]
    one, other = (score(names, *ranked(grades)) for grades in ([1, 2, 0, 0], [0, 1, 0, 2]))
    for name in names:
        same = one['q', name] == pytest.approx(other['q', name], abs=1e-15)
        assert same == (measures(name)[0].marked is not None), name


def test_asking_for_marked_cells_warns_once_and_names_them(random_data):
    asked = measures(
        "UM(model=1,P='AP') UM(model=3,P='RR')@5 UM_IA(model=2,P='ERR') DCG IA(M=\"UM(model=1,P='AP')\")"
    )
    qrels = {
        q: {d: {'1': g, '2': g} for d, g in docs.items()} for q, docs in random_data[0].items()
    }
    says = r"4 of 5 measures do not measure a ranking .*UM\(model=1,P='AP'\)"
    with expect_warning(says) as seen:
        ir_measures.calc_aggregate(asked, qrels, random_data[1])
    assert len(seen) == 1


# ---- parameters that are mappings ----------------------------------------------------------------------------------


def test_mappings_print_all_entries_and_come_back():
    (made,) = measures('UM(gain={1:.3,2:2})')
    assert str(made) == 'UM(gain={1:0.3,2:2})' and measures(str(made)) == [made]
    assert ir_measures.parse_measure(str(made)) == made and pickle.loads(pickle.dumps(made)) == made
    assert made == UM(gain={2.0: 2, 1: 0.3}) and hash(made) == hash(UM(gain={2.0: 2, 1: 0.3}))
    assert made != UM(gain={1: 0.3}) and (made @ 5)['gain'] == {1: 0.3, 2: 2}
    both = [UM(gain={1: 0.3, 2: 1}), registry['DCG'](gain={1: 1}, cutoff=5)]
    assert measures('UM(gain={1:.3,2:1}) DCG(gain={1: 1})@5') == both


def test_judged_grades_need_values():
    qrels, run = ranked([1, 2, 3])
    with expect_error('grade 2 was judged and would gain 2, less than grade 1, 5'):
        score('UM(gain={1:5})', qrels, run)
    with expect_error('grade 3 were judged; expected a theta'):
        score("UM(model=3,P='ERR',theta={1:.5,2:.6})", qrels, run)


# ---- the seam ----------------------------------------------------------------------------------
