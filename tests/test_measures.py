"""Every measure: against arithmetic on paper, and against its slow literal twin on random judgments."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures import measures
from ir_divmeasures.core.registry import catalogue, registry
from ir_divmeasures.judgments.table import Judgments

from .builders import in_sessions, iterated, over, quietly, random_query, run_of, table_of, values
from .reference.every import CASES, TWINS, literal
from .test_laws import group_of, seed_of

SETTINGS = {
    'RBU': [
        {},
        {'p': 0.99, 'e': 0.05},
        {'p': 1, 'e': 0},
        {'p': 0},
        {'norm': True},
        {'effort': 'aspect'},
        {'effort': 'length', 'unit': 50},
        {'gain': 'linear'},
        {'gain': 'binary'},
        {'max_rel': 4},
        {'gain': 'linear', 'max_rel': 5},
    ],
    'EU': [{}, {'alpha': 0, 'e': 0}, {'alpha': 1, 'base': 10}, {'gain': 'linear'}],
    'CT': [{}, {'saturation': 0.5}, {'alpha': 0, 'gain': 'binary', 'saturation': 2}],
    'ACT': [{}, {'saturation': 0.5, 'gain': 'linear'}],
    'CubeTest': [{}, {'gamma': 1, 'max_height': 2}, {'gamma': 0}],
    'ACubeTest': [{}, {'gamma': 0.8, 'max_height': 3}],
    'nDCU': [
        {},
        {'e': 0},
        {'alpha': 0.9, 'e': 0.1, 'base': 10},
        {'gain': 'exp'},
        {'gain': 'linear', 'alpha': 1},
    ],
    'iRBU': [{}, {'p': 0.5, 'gain': 'linear'}, {'max_rel': 4}, {'gain': 'binary', 'p': 1}],
    'P_at_Recall': [{}, {'modified': True}, {'never': 'zero'}],
    'RR_at_Recall': [{}, {'never': 'zero'}],
    'ERR_over_aspects': [
        {},
        {'mean': 'harmonic'},
        {'over': 'all', 'gain': 'binary'},
        {'mean': 'harmonic', 'over': 'all'},
    ],
    'alpha_DCG': [{}, {'alpha': 0}, {'alpha': 0.25}, {'alpha': 1}],
    'alpha_nDCG': [{}, {'alpha': 0}, {'alpha': 0.25}, {'alpha': 1}, {'alpha': 0.9}],
    'NRBP': [{}, {'alpha': 0.25, 'beta': 0.8}, {'beta': 1}, {'beta': 0}],
    'nNRBP': [{}, {'alpha': 0.25, 'beta': 0.8}, {'beta': 1, 'alpha': 1}],
    'alpha_DCG_IA': [{}, {'alpha': 1, 'gain': 'linear'}],
    'gNRBP': [{}, {'p': 1, 'alpha': 0.1}],
    'StRecall': [{}, {'budget': 120}],
    'Coverage': [
        {},
        {'partial': 0.5},
        {'importance': 'vital'},
        {'importance': 'okay', 'weights': 'uniform'},
        {'budget': 120, 'partial': 0.25},
        {'weights': 'points', 'partial': 0.5},
        {'weights': 'importance'},
        {'gain': 'linear', 'max_rel': 2},
        {'gain': 'linear'},
        {'parts': 'all', 'partial': 0.5},
        {'parts': 'all', 'weights': 'points'},
        {'parts': 'all', 'weights': 'uniform', 'importance': 'vital'},
    ],
    'Density': [{}, {'partial': 0.5, 'per': 1}, {'gain': 'linear', 'max_rel': 2}],
    'Area': [{}, {'budget': 120}, {'budget': 60, 'M': 'alpha_nDCG'}, {'M': 'RBU'}],
    'StRR': [{}, {'level': 0.5}, {'level': 1 / 3}],
    'DCG_IA': [{}, {'gain': 'exp'}],
    'nDCG_IA': [{}, {'gain': 'exp'}, {'gain': 'binary'}],
    'RBP_IA': [{}, {'p': 0.5, 'gain': 'linear'}, {'gain': 'linear', 'max_rel': 4}],
    'gERR_IA': [{}, {'gain': 'linear'}, {'gain': 'linear', 'max_rel': 3}],
    'Q_IA': [{}, {'beta': 10, 'gain': 'exp'}, {'beta': 0}],
    'D_nDCG': [{}, {'gain': 'exp'}, {'gain': 'binary'}],
    'D_Q': [{}, {'beta': 0.1, 'gain': 'exp'}],
    'Dsharp_nDCG': [{}, {'gamma': 0.2, 'gain': 'exp'}],
    'Dsharp_Q': [{}, {'gamma': 1, 'beta': 2}],
    'D_ERR': [{}, {'gain': 'exp'}],
    'D_EBR': [{}, {'beta': 3}],
    'D_RBP': [{}, {'p': 0.5}],
    'Dsharp_RBP': [{}, {'gamma': 0.3, 'p': 0.9}],
    'PplusQ': [{}, {'beta': 5, 'gain': 'exp'}, {'gain': 'binary'}],
    'IA': [{}, {'M': 'RBU'}, {'M': 'alpha_nDCG'}],
    'LA': [{}, {'M': 'RBU'}, {'M': 'nDCG_IA', 'layer_weights': '3,1'}],
    'HD_nDCG': [{}, {'gain': 'exp', 'layer_weights': '1,2'}],
    'HD_Q': [{}, {'beta': 3, 'gain': 'binary'}],
    'HDsharp_nDCG': [{'gamma': 0.3}],
    'LADsharp_Q': [{'gamma': 0.3, 'beta': 2}],
    'Q_IA_LA': [{'gain': 'exp'}],
    'DocSim': [{'scheme': s} for s in ('RA', 'RP', 'NA', 'NP')],
    'DS_nDCG': [{}, {'scheme': 'RP'}],
    'DS_Q': [{}, {'scheme': 'NA'}],
    'DS_ERR': [{'scheme': 'NP', 'gain': 'linear'}],
    'P_Rareness': [
        {},
        {'alpha': 0.5, 'norm': True},
        {'alpha': 'auto'},
        {'norm': True, 'rarity': 'R'},
        {'rarity': 'idf', 'alpha': 2},
    ],
    'AP_Rareness': [{}, {'norm': True}, {'rarity': "R'", 'mu': 3}],
    'nDCG_Rareness': [{}, {'alpha': 3, 'gain': 'exp'}, {'alpha': 'auto'}, {'rarity': "R'"}],
    'RBP_Rareness': [{}, {'p': 0.5, 'alpha': 2}, {'norm': True, 'mu': 0.5}],
    'Rareness': [
        {},
        {'rarity': "R'"},
        {'rarity': 'idf'},
        {'of': 'intent'},
        {'of': 'intent', 'rarity': 'idf'},
    ],
    'NumUnique': [{}, {'of': 'intent'}],
    'UniqueRecall': [{}, {'of': 'intent'}],
    'Coverage_Rareness': [
        {},
        {'alpha': 0.5, 'norm': True},
        {'alpha': 2, 'weights': 'uniform'},
        {'rarity': 'idf'},
    ],
    'UM': [
        {'model': m, 'P': P, 'theta': 0.3}
        for m in (1, 2, 3, 4)
        for P in ('RBP', 'DCG', 'RR', 'ERR', 'AP', 'RRR')
    ]
    + [
        {'model': m, 'P': P, 'theta': 0.9, 'gain': {1: 0, 2: 5, 3: 5}, 'norm': True}
        for m in (1, 2, 4)
        for P in ('RBP', 'RR', 'RRR')
    ],
    'UM_IA': [
        {},
        {'model': 4, 'P': 'ERR', 'alpha': 0.4, 'gain': 'exp'},
        {'model': 2, 'P': 'RBP', 'alpha': 1},
        {'model': 4, 'P': 'RR', 'redundancy': 'DCG', 'norm': True, 'gain': 'linear'},
        {'P': 'ERR', 'redundancy': 'RR', 'theta': {1: 0.2, 2: 0.3, 3: 0.9}},
        {'model': 3, 'P': 'RRR', 'norm': True},
        {'P': 'DCG', 'base': 10, 'norm': True},
    ],
    'GAP': [{}, {'g': {1: 0.2, 2: 0.5, 3: 0.3}}, {'g': {2: 1}}],
    'EPR': [{}, {'theta': {1: 0.3, 2: 0.4, 3: 0.5}, 'norm': True}],
    'DCG': [{}, {'gain': 'exp', 'norm': True}, {'gain': {1: 0.5, 2: 3, 3: 3.5}, 'base': 1.5}],
    'RBAP': [{}, {'theta': 0.2, 'norm': True}],
    'GF': [
        {},
        {'divergence': 'NMD', 'gain': 'linear'},
        {'divergence': 'RNOD', 'max_rel': 4},
        {'gain': 'binary'},
    ],
    'GFR': [
        {},
        {'divergence': 'NMD,JSD', 'max_rel': 3},
        {'relevance': 'iRBU', 'divergence': 'RNOD', 'p': 0.8},
    ],
    'sesDCG': [{}, {'b': 10, 'bq': 1.5}],
    'nsDCG': [{}, {'b': 3, 'per_iteration': 2}, {'per_iteration': 40}, {'bq': 1.5}],
    'sRBP': [
        {},
        {'p': 0.5, 'b': 1},
        {'b': 0},
        {'p': 1, 'b': 1},
        {'p': 0, 'b': 0.3},
        {'gain': 'linear', 'max_rel': 4},
        {'gain': 'linear'},
    ],
}
NAMES = [name for name in TWINS if name == registry[name].NAME]
COMMON = [
    {},
    {'cutoff': 1},
    {'cutoff': 3},
    {'cutoff': 10},
    {'cutoff': 50},
    {'cutoff': 5, 'judged_only': True},
    {'judged_only': True},
    {'rel': 2},
    {'cutoff': 4, 'rel': 2, 'judged_only': True},
    {'rel': 0, 'cutoff': 6},
]
OTHER_READING = [{}, {'cutoff': 5}, {'rel': 2, 'judged_only': True}]


def combinations(name, every=True):
    """Each own setting with each common one, or every third of these combinations, in which each setting is."""
    made = registry[name]
    other = [
        {**c, 'aspects': 'relevant' if made.facts.aspects == 'listed' else 'listed'}
        for c in OTHER_READING
        if made.facts.aspects
    ]
    common = [
        c
        for c in COMMON + other
        if 'cutoff' not in c or 'cutoff' in registry[name].SUPPORTED_PARAMS
    ]
    if 'document_similarity' in registry[name].needs or name in ('nsDCG', 'CPR'):
        common = [c for c in common if 'cutoff' in c]
    settings = SETTINGS.get(name, [{}])
    step = 1 if every else min(3, len(settings))
    return [
        {**own, **shared}
        for i, own in enumerate(settings)
        for j, shared in enumerate(common)
        if (i + j) % step == 0
    ]


def scored(queries, asked):
    """The queries, with iterations if a measure cannot do without, and (query, measure) → value."""
    measures = [registry[name](**params) for name, params in asked]
    queries = in_sessions(queries, measures)
    with quietly():
        return queries, values(measures, table_of(queries), run_of(queries))


def check(queries, found, asked):
    for name, params in asked:
        measure = str(registry[name](**params))
        for query in queries:
            wanted = literal(name, queries[query], **params)
            assert math.isclose(found[query, measure], wanted, rel_tol=1e-9, abs_tol=1e-12), (
                name,
                params,
                query,
                queries[query],
                found[query, measure],
                wanted,
            )


@over('name', [m.NAME for m in catalogue()])
def test_every_measure_has_a_twin_and_a_case_on_paper(name):
    assert name in TWINS, (
        f'write the literal twin of {name} into TWINS of a module of tests/reference'
    )
    assert any(name == registry[case[0]].NAME for case in CASES), (
        f'write a case of {name} into CASES beside its twin'
    )


def test_paper_arithmetic():
    """Cases with the same facts are one table; each of their measures is asked of all of its queries.

    A measure that names the gains of grades takes no other grades, and a run is a newcomer to one pool.
    """
    alike = {}
    for case in CASES:
        one = {'q': case[1]}
        own = [str(value) for value in case[2].values() if isinstance(value, dict)]
        own += [str(case[1])] if case[1].counted or case[1].finders else []
        alike.setdefault((*table_of(one), *run_of(one), *own), []).append(case)
    off = []
    for cases in alike.values():
        queries = {f'q{i}': query for i, (_, query, *_) in enumerate(cases)}
        asked = [registry[name](**params) for name, _, params, _ in cases]
        with quietly():
            found = values(list(dict.fromkeys(asked)), table_of(queries), run_of(queries))
        for i, (made, (*_, expected)) in enumerate(zip(asked, cases)):
            value = found[f'q{i}', str(made)]
            if value != pytest.approx(expected, rel=1e-12, abs=1e-15):
                off.append((made, cases[i], value))
    assert not off, off


@pytest.mark.parametrize('every', [False, pytest.param(True, marks=pytest.mark.slow)])
def test_twin_on_a_batch_of_random_queries(every):
    """Measures that need the same columns have the same queries, and are computed in one call."""
    for group in {group_of(name) for name in NAMES}:
        asked = [(n, params) for n in group if n in NAMES for params in combinations(n, every)]
        for weighted in (False, True):
            rng = np.random.default_rng(seed_of(group[0]) + weighted)
            queries = {
                f'q{i}': random_query(rng, weighted=weighted, facts=True)
                for i in range(8 if every else 2)
            }
            check(*scored(queries, asked), asked)


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    weighted=st.booleans(),
    documents=st.integers(1, 20),
    aspects=st.integers(1, 12),
    top_grade=st.integers(1, 4),
)
def test_twins_asked_together(seed, weighted, documents, aspects, top_grade):
    rng = np.random.default_rng(seed)
    queries = {
        f'q{i}': random_query(rng, documents, aspects, min(top_grade, 3), weighted, facts=True)
        for i in range(3)
    }
    asked = [(name, params) for name in NAMES for params in combinations(name)]
    asked = [asked[i] for i in rng.integers(0, len(asked), 25)]
    check(*scored(queries, asked), asked)


def test_real_valued_grades():
    rng = np.random.default_rng(5)
    queries = {f'q{i}': random_query(rng, fractions=True) for i in range(20)}
    names = ['RBU', 'EU', 'CT', 'alpha_DCG_IA', 'gNRBP', 'gERR_IA']
    asked = [registry[name](gain='raw', rel=0, cutoff=8) for name in names]
    found = values(asked, table_of(queries), run_of(queries))
    for name in names:
        for query, q in queries.items():
            wanted = TWINS[name](q, gain='raw', rel=0, cutoff=8)
            assert found[query, str(registry[name](gain='raw', rel=0, cutoff=8))] == pytest.approx(
                wanted, abs=1e-12
            )


def area_takes(measure):
    """Whether Area of the measure is its mean over the first documents.

    It is not if the cutoff is a number of iterations, or if the whole run is counted as a further system of the pool.
    """
    return (
        'iteration' not in measure.run_columns
        and not measure.wraps
        and measure.family != 'innovation'
    )


def portions(query, along, k):
    """How many documents are seen, and in which share of the budgets up to 150 or of the rounds; literally."""
    if along == 'budgets':
        ends = [0, *np.cumsum([query.lengths[d] for d in query.ranking]), math.inf]
        return [
            (m, (min(after, 150) - min(before, 150)) / 150)
            for m, (before, after) in enumerate(zip(ends, ends[1:]))
        ]
    iteration = query.iterations or {d: i for i, d in enumerate(query.ranking, 1)}
    rounds = max(iteration.values(), default=0) if k is None else k
    return [(sum(i <= x for i in iteration.values()), 1 / rounds) for x in range(1, rounds + 1)]


@over('along', ['documents', 'rounds', 'budgets'])
def test_the_area_is_the_mean_over_the_first_documents(along):
    """With cutoffs, and without where a measure needs none. All measures are asked in one call for each length of the
    run."""
    rng = np.random.default_rng(7)
    queries = {f'q{i}': random_query(rng, documents=9, facts=True) for i in range(6)}
    if along == 'rounds':
        queries = {name: iterated(query) for name, query in queries.items()}
    judgments, run = Judgments.of(table_of(queries)), run_of(queries)
    needs_cutoff = ('DocSim', 'DS_nDCG', 'DS_Q', 'DS_ERR', 'CPR')
    pairs = []
    for each in filter(area_takes, catalogue()):
        if each.NAME not in needs_cutoff:
            pairs.append((each, None))
        if 'cutoff' in each.SUPPORTED_PARAMS:
            pairs.append((each(cutoff=5), 6))
    if along == 'budgets':
        areas = [registry['Area'](M=each.NAME, cutoff=k and 5, budget=150) for each, k in pairs]
    else:
        areas = [registry['Area'](M=str(each), cutoff=k) for each, k in pairs]
    rank = run.groupby('query_id').cumcount()
    with quietly():
        found = values(areas, judgments, run)
        inner = [each for each, _ in pairs]
        first = [values(inner, judgments, run[rank < m]) for m in range(rank.max() + 2)]
    off = {}
    for area, (each, k) in zip(areas, pairs):
        for name, query in queries.items():
            parts = portions(query, along, k)
            wanted = sum(share * first[m].get((name, str(each)), 0.0) for m, share in parts)
            if abs(found[name, str(area)] - wanted) > 1e-12:
                off[str(area), name] = found[name, str(area)], wanted
    assert not off and len(found) > 700, (len(found), off)


@over('wrong', ["IA(M='nDCG@5')@10", "IA(M='IA')", "IA(M='nope')", "IA(M='NRBP')@5", 'IA(M=3)'])
def test_ia_of_what_makes_no_sense(wrong):
    with pytest.raises((ValueError, TypeError)):
        measures(wrong)
