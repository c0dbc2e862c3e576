"""Every measure: against arithmetic on paper, and against its slow literal twin on random judgments."""

import contextlib
import functools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_divmeasures.core.parameters import Choice
from ir_divmeasures.core.registry import catalogue, registry

from .builders import over, quietly, random_query, run_of, table_of, values
from .reference.every import CASES, TWINS, literal

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

VALUES = {
    'max_rel': [4, 5],
    'layer_weights': ['3,1,2'],
    'M': ['RBU', 'alpha_nDCG', 'nDCG_IA'],
    'g': [{1: 0.2, 2: 0.5, 3: 0.3}, {2: 1}],
    'model': [1, 3, 4],
}
"""Values of parameters that their declarations do not tell. Those of others are all choices, and some numbers."""
NUMBERS = 0, 1 / 3, 0.9, 1, 2, 10
TOGETHER = [
    {'gain': {1: 0, 2: 5, 3: 5}, 'norm': True},
    {'P': 'ERR', 'theta': {1: 0.2, 2: 0.3, 3: 0.9}},
    *(
        {'model': model, 'P': P, 'theta': 0.3}
        for model in (1, 2, 3, 4)
        for P in ('RBP', 'DCG', 'RR', 'ERR', 'AP', 'RRR')
    ),
]
"""Settings of all measures that take them."""


def values_of(parameter):
    """Values that are not the default. Raw gains are those of ``test_real_valued_grades``."""
    admits = parameter.admits or ()
    if isinstance(admits, Choice):
        found = [value for value in admits.names if value != 'raw']
    elif parameter.dtype is bool:
        found = [True, False]
    else:
        found = [value for value in ('auto', *NUMBERS) if value in admits]
    return [each for each in VALUES.get(parameter.name, found) if each != parameter.default]


@functools.cache
def settings_of(name, draws=3):
    """The default, each value of each parameter, and some of several parameters, but for those that are refused.

    ``draws`` is the number of random settings for each parameter.
    """
    made, rng = registry[name], random.Random(name)
    own = {each: values_of(made.SUPPORTED_PARAMS[each]) for each in made.own_params}
    own = {each: several for each, several in own.items() if several and each not in SHARED}
    found = [{}, *({each: value} for each, several in own.items() for value in several)]
    found += [each for each in TOGETHER if each.keys() <= own.keys()]
    for _ in range(draws * len(own)):
        found.append({p: rng.choice(several) for p, several in own.items() if rng.random() < 0.6})

    def is_admitted(settings):
        with contextlib.suppress(ValueError, TypeError):
            return made(**settings)

    return [each for each in found if is_admitted(each)]


NAMES = [name for name in TWINS if name == registry[name].NAME]
SHARED = ('cutoff', 'rel', 'judged_only', 'aspects')
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
    """Each third combination of own and common settings; or fewer, in which each setting is that is not drawn."""
    made = registry[name]
    other = [
        {**c, 'aspects': 'relevant' if made.facts.aspects == 'listed' else 'listed'}
        for c in OTHER_READING
        if made.facts.aspects
    ]
    common = [c for c in COMMON + other if 'cutoff' not in c or 'cutoff' in made.SUPPORTED_PARAMS]
    if 'document_similarity' in made.needed_columns:
        common = [c for c in common if 'cutoff' in c]
    settings = settings_of(name) if every else settings_of(name, 0)
    step = 3 if every else min(len(settings), len(common))
    return [
        {**own, **shared}
        for i, own in enumerate(settings)
        for j, shared in enumerate(common)
        if (i + j) % step == 0
        # Without a cutoff, the twin of UM sums the tail to the base 2 only, and efforts that grow have no sum.
        and ('cutoff' in shared or 'base' not in own and own.get('effort') != 'k')
    ]


def scored(queries, asked):
    """(query, measure) → value."""
    measures = [registry[name](**params) for name, params in asked]
    with quietly():
        return values(measures, table_of(queries), run_of(queries))


def check(queries, found, asked, every=1):
    """Each setting on one in ``every`` of the queries, in turn."""
    for place, (name, params) in enumerate(asked):
        measure = str(registry[name](**params))
        for query in list(queries)[place % every :: every]:
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
        query = case[1]
        known = [fact for fact, value in vars(query).items() if value is not None]
        own = [str(value) for value in case[2].values() if isinstance(value, dict)]
        own += [str(query)] if query.counted or query.finders else []
        alike.setdefault((*known, bool(query.importance), *own), []).append(case)
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
    """All measures are computed in one call. The quick form has half of the settings without weights, the others with; a
    twin has one of two queries."""
    asked = [(name, params) for name in NAMES for params in combinations(name, every)]
    for weighted in (False, True):
        rng = np.random.default_rng(int(weighted))
        queries = {
            f'q{i}': random_query(rng, weighted=weighted, facts=True)
            for i in range(8 if every else 2)
        }
        some = asked if every else asked[weighted::2]
        check(queries, scored(queries, some), some, 1 if every else 2)


@settings(max_examples=2, deadline=None)
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
    check(queries, scored(queries, asked), asked)


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
