"""C/W/L: against cwl_eval and ir_measures, against the literal twin with costs; identities; functions of one's own."""

import itertools

import numpy as np
import pytest

from ir_divmeasures import CWL, evaluate, measures
from ir_divmeasures.core.registry import parse
from ir_divmeasures.core.stopping.continuation import BUILT_IN
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.families import cwl
from ir_divmeasures.user_models import (
    register_aggregation,
    register_continuation,
    unregister_aggregation,
    unregister_continuation,
)

from .builders import (
    expect_error,
    expect_warning,
    one_in,
    over,
    quietly,
    random_query,
    refused,
    run_of,
    run_table,
    table_of,
)
from .reference.cwl import TWINS

OUT = ('EU', 'ETU', 'EC', 'ETC', 'ED')
FURTHER = ('MEAN', 'MAX', 'LAST', 'RR', 'PE', 'SAT')
GOAL, RATE = dict(T=2, b1=0.9, R1=10), dict(A=0.2, b2=0.9, R2=5)
SETTINGS = [
    ('P', {'k': 5}),
    ('P', {}),
    ('RR', {}),
    ('AP', {}),
    ('RBP', {'p': 0.7}),
    ('RBP', {'p': 1}),
    ('NPV', {}),
    ('NDCG', {'k': 10}),
    ('SET', {'beta': 0.3, 'k': 20}),
    ('SET', {'beta': 1, 'k': 7}),
    ('INSQ', {'T': 2}),
    ('INST', {'T': 1.5}),
    ('INST', {'T': 0.25}),
    ('BPM', {'T': 2, 'K': 12}),
    ('BPM', {}),
    ('BPMD', {'T': 2, 'K': 12, 'hb': 0.4}),
    ('BPMD', {}),
    ('IFTGoal', GOAL),
    ('IFTGoal', {**GOAL, 'R1': 900}),
    ('IFTGoal', {**GOAL, 'b1': 0}),
    ('IFTRate', RATE),
    ('IFTRate', {**RATE, 'R2': 9000}),
    ('IFTGoalRate', {**GOAL, **RATE}),
    ('TBG', {'halflife': 15}),
    ('UMeasure', {'L': 30}),
    ('NERR8', {'k': 10}),
    ('NERR9', {'k': 10}),
    ('NERR10', {}),
    ('NERR11', {'T': 1.5}),
]
IN_CWL_EVAL = SETTINGS.copy()
SETTINGS += [('ERR', {}), ('ERR', {'theta': 0.4}), ('RRR', {})]
NO_OVERFLOW = [
    (C, params)
    for C, params in IN_CWL_EVAL
    if not (C.startswith('IFT') and any(value > 100 for value in params.values()))
]  # in cwl_eval
IDS = [f'{C}({",".join(f"{k}={v}" for k, v in params.items())})' for C, params in SETTINGS]


def test_every_function_is_in_the_settings():
    assert {C for C, _ in SETTINGS} == {made.name for made in BUILT_IN} and len(BUILT_IN) == 22


def found(asked, qrels, run):
    with quietly():
        return {
            (str(m.measure), m.query_id): m.value for m in Evaluator(asked, qrels).iter_calc(run)
        }


def five(C, params, **further):
    return [
        CWL(C=C, out=out, residual=residual, **params, **further)
        for out in OUT
        for residual in (False, True)
    ]


@pytest.fixture(scope='module')
def queries():
    rng = np.random.default_rng(8)
    made = {f'q{i}': random_query(rng, documents=30) for i in range(12)}
    return {name: q for name, q in made.items() if q.ranking}


@pytest.fixture(scope='module')
def costs(queries):
    """Costs of three of four documents."""
    rng = np.random.default_rng(9)
    return {
        d: float(rng.choice([0.5, 1, 2, 7.25]))
        for q in queries.values()
        for d in q.ranking
        if rng.random() < 0.75
    }


# ---- cwl_eval -------------------------------------------------------------------------------------------------------


def peer(C, params):
    """cwl_eval's object for a function of ours; it stands for k, K by position."""
    from cwl.ruler import cwl_ruler as r
    from cwl.ruler.measures import cwl_npv, cwl_set

    named = {
        'P': r.PrecisionCWLMetric,
        'RR': r.RRCWLMetric,
        'AP': r.APCWLMetric,
        'NPV': cwl_npv.NPVCWLMetric,
        'NDCG': r.NDCGCWLMetric,
        'SET': cwl_set.SETCWLMetric,
        'INSQ': r.INSQCWLMetric,
        'INST': r.INSTCWLMetric,
        'BPM': r.BPMCWLMetric,
        'BPMD': r.BPMDCWLMetric,
        'IFTGoal': r.IFTGoalCWLMetric,
        'IFTRate': r.IFTRateCWLMetric,
        'IFTGoalRate': r.IFTGoalRateCWLMetric,
        'TBG': r.TBGCWLMetric,
        'UMeasure': r.UMeasureCWLMetric,
        'NERR8': r.NERReq8CWLMetric,
        'NERR9': r.NERReq9CWLMetric,
        'NERR11': r.NERReq11CWLMetric,
    }
    if C in ('RBP', 'NERR10'):
        return {'RBP': r.RBPCWLMetric, 'NERR10': r.NERReq10CWLMetric}[C](params.get('p', 0.9))
    return named[C](**params)


def by_cwl_eval(C, params, gains, costs, n=1000, max_cost=1.0, min_cost=1.0):
    """The five outputs and their residuals; NaN is an unjudged document, or one without cost."""
    from cwl.ruler.ranking import Ranking

    made = peer(C, params)
    made.residuals = True
    made.measure(
        Ranking(
            'q', np.array(gains), np.array(costs), max_cost=max_cost, min_cost=min_cost, max_n=n
        )
    )
    return [
        value
        for pair in zip(
            made.get_scores(),
            (
                made.residual_expected_utility,
                made.residual_expected_total_utility,
                made.residual_expected_cost,
                made.residual_expected_total_cost,
                made.residual_expected_items,
            ),
        )
        for value in pair
    ]


PRICES = {'max_cost': 3.5, 'min_cost': 0.25}


def as_deep_as_cwl_eval(C, params):
    n = 100 if C == 'AP' else 200  # cwl_eval is linear in the depth, where not quadratic
    return n, five(C, params, gain='linear', max_rel=3, depth=n, **PRICES)


@pytest.fixture(scope='module', params=[False, True], ids=['without costs', 'costs'])
def of_all_functions(request, queries, costs):
    """Our values of all functions, and the gains and costs of each query's ranking, with costs and without."""
    table, run = table_of(queries), run_of(queries)
    if request.param:
        run['cost'] = run['doc_id'].map(costs)
    grades = (
        table.assign(relevance=table['relevance'].clip(lower=0))
        .groupby(['query_id', 'doc_id'])['relevance']
        .max()
    )
    ours = found(
        [m for C, params in NO_OVERFLOW for m in as_deep_as_cwl_eval(C, params)[1]], table, run
    )
    return ours, {
        query: (
            [grades.get((query, d), np.nan) / 3 for d in part['doc_id']],
            [costs.get(d, np.nan) if request.param else np.nan for d in part['doc_id']],
        )
        for query, part in run.groupby('query_id')
    }


@pytest.mark.parametrize('C, params', NO_OVERFLOW, ids=str)
def test_equal_to_cwl_eval(C, params, of_all_functions):
    pytest.importorskip('cwl')
    n, asked = as_deep_as_cwl_eval(C, params)
    ours, rankings = of_all_functions
    for query, (gains, paid) in rankings.items():
        theirs = by_cwl_eval(C, params, gains, paid, n, **PRICES)
        assert [ours[str(m), query] for m in asked] == pytest.approx(theirs, rel=1e-9, abs=1e-9), (
            query
        )


# ---- the literal twin -----------------------------------------------------------------------------------------------


OPTIONS = (
    dict(gain='linear', depth=40, max_cost=4, min_cost=0.5),
    dict(cutoff=20, depth=25, rel=2, max_cost=2),
    dict(cutoff=5, gain='linear', max_rel=2, depth=21, judged_only=True),
)


@one_in(3)
@over('place', range(len(SETTINGS)))
def test_twin(place, every, queries, costs):
    """At every output, with costs, cutoffs and residuals, at a small depth. The quick form takes one of the options
    for each setting."""
    C, params = SETTINGS[place]
    queries = dict(list(queries.items())[:2])
    table, run = table_of(queries), run_of(queries)
    run['cost'] = run['doc_id'].map(costs)
    asked = {
        CWL(C=C, **settings, **params): settings
        for settings in (
            dict(out=out, residual=residual, **option)
            for option in OPTIONS[place % every :: every]
            for out, residual in itertools.product(OUT + FURTHER, (False, True))
        )
    }
    ours = found(list(asked), table, run)
    for query, q in queries.items():
        wanted = [
            TWINS['CWL'](q, C=C, costs=costs, **settings, **params) for settings in asked.values()
        ]
        mine = [ours[str(m), query] for m in asked]
        assert mine == pytest.approx(wanted, rel=1e-9, abs=1e-9), query


def test_blocks_of_queries_change_nothing(queries, monkeypatch):
    asked = [CWL(C=C, out=out, **params) for C, params in SETTINGS for out in ('EU', 'ETC')]
    table, run = table_of(queries), run_of(queries)
    whole = found(asked, table, run)
    monkeypatch.setattr(cwl, 'CELLS', 3000)
    assert found(asked, table, run) == pytest.approx(whole, rel=1e-12)


# ---- identities -----------------------------------------------------------------------------------------------------


REGULAR = [
    ('RBP', {'p': 0.7}),
    ('NDCG', {'k': 10}),
    ('INSQ', {'T': 2}),
    ('INST', {'T': 1.5}),
    ('NERR10', {}),
]
"""Settings at which nothing but the combination decides."""


def test_combinations_that_measure_no_ranking():
    """Of 4 documents, all rankings: a marked combination has one value, or one for each order of those with gain."""
    grades = (0, 1, 2, 0)
    rankings = sorted(set(itertools.permutations(grades)))
    qrels = {f'q{i}': {f'd{j}': g for j, g in enumerate(each)} for i, each in enumerate(rankings)}
    run = {query: {f'd{j}': float(-j) for j in range(4)} for query in qrels}
    asked = {
        CWL(
            C=C,
            out=out,
            depth=4,
            cutoff=4,
            gain='linear',
            max_rel=2,
            **{name: 3 if name == 'k' else value for name, value in params.items()},
        ): (C, params) in REGULAR and out not in ('EC', 'ETC')
        for C, params in SETTINGS
        for out in OUT + FURTHER
    }
    values = found(list(asked), qrels, run)
    for made, is_regular in asked.items():
        by_order = {}
        for i, each in enumerate(rankings):
            order = tuple(g for g in each if g)
            by_order.setdefault(order, set()).add(round(values[str(made), f'q{i}'], 12))
        constant = len({v for of in by_order.values() for v in of}) == 1
        blind = all(len(of) == 1 for of in by_order.values())
        if made.marked:
            assert constant if 'constant' in made.marked else blind, str(made)
        else:
            assert not blind or not is_regular, str(made)
    with expect_warning("a constant: out='ED' with C='RBP' depends on no document"):
        evaluate({'a': {'q': {'d': 1.0}}}, {'q': {'d': 1}}, "CWL(out='ED')")


# ---- parameters -----------------------------------------------------------------------------------------------------


@over(
    'name, says',
    [
        ("CWL(C='RBQ')", "no such continuation function; did you mean 'RBP'"),
        ("CWL(T=1)", "unknown parameter 'T'"),
        ("CWL(C='IFTGoal',T=1,b1=1)", 'needs R1'),
        ("CWL(C='IFTGoalRate')", 'needs T'),
        ("CWL(p=2)", 'p=2'),
        ("CWL(C='INST',T=0.2)", 'T=0.2'),
        ("CWL(C='SET',beta=0)", 'beta=0'),
        ("CWL(C='P',k=1002)", 'beyond depth=1000'),
        ("CWL(C='P')@1002", 'beyond depth=1000'),
        ("CWL(min_cost=0)", 'min_cost=0'),
        ("CWL(out='ET')", "out='ET'"),
        ("CWL(out='MAX',peak=0.2)", "peak=0.2 belongs to out='PE'"),
        ("CWL(out='PE',peak=1.2)", 'peak=1.2'),
        ("CWL(out='MX')", "no such aggregation; did you mean 'MAX'"),
        ("CWL(C='ERR',theta=0)", 'theta=0'),
        ("CWL(C='P',k=0)", 'k=0'),
        ("CWL(C='P',k=2.5)", 'k=2.5'),
        ("CWL(C='TBG',halflife=0)", 'halflife=0'),
    ],
)
def test_wrong_parameters(name, says):
    refused(says, measures, name, error=(ValueError, TypeError))


@over(
    'name, says',
    [
        ("CWL(C='NDCG')", 'needs k, or a cutoff'),
        ("CWL(C='P',depth=5)", 'k=10 is beyond depth=5'),
        ("CWL(gain='exp')", 'gives a gain of 3, expected gains in'),
    ],
)
def test_what_shows_when_it_is_computed(name, says):
    with expect_error(says):
        parse(name).calc_aggregate({'q': {'d': 2}}, {'q': {'d': 1.0}})


def test_gains_by_grade():
    """1/2 of .2 and 1/8 of .9, at p = 1/2."""
    qrels, run = {'q': {'a': 1, 'c': 2}}, {'q': {'a': 3.0, 'b': 2.0, 'c': 1.0}}
    (made,) = measures('CWL(p=0.5,gain={1:0.2,2:0.9})')
    assert made.calc_aggregate(qrels, run) == pytest.approx(0.2 / 2 + 0.9 / 8)
    with expect_error('gives a gain of 2, expected gains in'):
        CWL(gain={1: 0.2}).calc_aggregate(qrels, run)


def test_defaults_in_seconds_warn_without_costs():
    qrels, run = {'q': {'d': 1}}, [('q', 'd', 1.0)]
    run = run_table(run)
    for C, unit in (('TBG', 'seconds'), ('UMeasure', 'characters')):
        with expect_warning(unit):
            CWL(C=C).calc_aggregate(qrels, run)
        CWL(C=C).calc_aggregate(qrels, run.assign(cost=30.0))  # warnings are errors
    CWL(C='TBG', halflife=3).calc_aggregate(qrels, run)
    with expect_error("document 'd': cost is 0"):
        CWL(C='TBG').calc_aggregate(qrels, run.assign(cost=0))


# ---- functions of one's own -----------------------------------------------------------------------------------------


def test_function_of_ones_own(queries):
    """RBP written along the last axis, one ranking at a time, and as a loop."""

    def loop(gains, costs, persistence):
        return [persistence for _ in range(len(gains))]

    table, run = table_of(queries), run_of(queries)
    forms = [
        lambda gains, costs, persistence=0.5: np.full(gains.shape, persistence),
        lambda gains, costs, persistence: np.full(len(gains), persistence) * (gains.ndim == 1),
        loop,
    ]
    wanted = list(found([CWL(p=0.6)], table, run).values())
    for form in forms:
        register_continuation('Mine', form)
        try:
            made = parse("CWL(C='Mine',persistence=0.6)")
            assert list(found([made], table, run).values()) == pytest.approx(wanted, abs=1e-12)
        finally:
            unregister_continuation('Mine')


def test_cutoff_is_the_default_of_k_in_a_function_of_ones_own():
    register_continuation(
        'First', lambda gains, costs, k: (np.arange(1, gains.shape[-1] + 1) < k) * 1.0
    )
    try:
        assert (CWL(C='First') @ 4).calc_aggregate({'q': {'d': 1}}, {'q': {'d': 1.0}}) == 1 / 4
    finally:
        unregister_continuation('First')


WRONG = [
    ('a b', lambda g, c: g, ValueError, 'identifier'),
    ('One', lambda g: g, TypeError, 'expected f\\(gains, costs\\)'),
    ('Bad', lambda g, c: g[..., 1:], ValueError, 'one value for each rank'),
]


@over(
    'register, name, f, error, says',
    [
        *((register_continuation, *case) for case in WRONG),
        *((register_aggregation, *case) for case in WRONG),
        (register_continuation, 'RBP', lambda g, c: g, ValueError, "package's own"),
        (
            register_continuation,
            'Bad',
            lambda g, c: g + 1,
            ValueError,
            'C\\(1\\) = 1.*|C\\(2\\) = 2, expected a probability',
        ),
        (register_continuation, 'Bad', lambda g, c, depth=1: g, TypeError, "'depth' of its own"),
        (register_aggregation, 'MAX', lambda g, c: g, ValueError, "package's own"),
        (register_aggregation, 'Bad', lambda g, c: g * np.inf, ValueError, 'a finite number'),
        (register_aggregation, 'Bad', lambda g, c, out=1: g, TypeError, "'out' of its own"),
    ],
)
@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_functions_of_ones_own_that_are_refused(register, name, f, error, says):
    refused(says, register, name, f, error=error)


def test_a_function_that_gives_no_probability_for_some_parameter():
    register_continuation('Wild', lambda g, c, by=1.0: g * 0 + by)
    try:
        with expect_error(r"'Wild': C\(1\) = 2, expected a probability"):
            CWL(C='Wild', by=2).calc_aggregate({'q': {'d': 1}}, {'q': {'d': 1.0}})
        refused('exists; overwrite=True', register_continuation, 'Wild', lambda g, c: g)
    finally:
        unregister_continuation('Wild')
    refused("'Wild': no such continuation", unregister_continuation, 'Wild')


# ---- aggregations of one's own ---------------------------------------------------------------------------------------


def test_aggregation_of_ones_own(queries):
    """MEAN, and MEAN of the gains to a power, along the last axis and one ranking at a time."""

    def mean(gains, costs, power=1.0):
        return np.cumsum(gains**power, axis=-1) / np.arange(1, gains.shape[-1] + 1)

    table, run = table_of(queries), run_of(queries)
    wanted = list(found([CWL(out='MEAN', C='INST')], table, run).values())
    for form in (
        mean,
        lambda gains, costs, power=1.0: mean(gains, costs, power) * (gains.ndim == 1),
    ):
        register_aggregation('Average', form)
        try:
            made = parse("CWL(C='INST',out='Average')")
            assert list(found([made], table, run).values()) == pytest.approx(wanted, abs=1e-12)
            squares = found([made(power=2, gain='linear', residual=True)], table, run)
            assert all(np.isfinite(value) for value in squares.values())
        finally:
            unregister_aggregation('Average')


def test_a_parameter_of_both_parts_is_an_error():
    register_aggregation('Power', lambda g, c, p=2.0: g**p)
    try:
        assert CWL(C='RR', out='Power', p=3)['p'] == 3
        refused("C='RBP' and out='Power' both have a parameter 'p'", CWL, out='Power')
    finally:
        unregister_aggregation('Power')
