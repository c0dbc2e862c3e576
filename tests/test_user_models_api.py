"""Stopping distributions on their own: profiles, fits to clicks, preference form, pictures."""

import itertools
import math
import random

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import measures, user_models
from ir_divmeasures.core.stopping.distributions import BUILT_IN
from ir_divmeasures.pools import repool
from ir_divmeasures.user_models import (
    fit_stopping,
    groups,
    ranked_grades,
    register_stopping,
    user_model,
    weighted_pairs,
)

from .builders import expect_error, expect_warning, over, quietly, refused
from .test_stopping import LOG

ALL = [made.name for made in BUILT_IN]
GRADES, JUDGED = [0, 2, 1, 0, 0, 1], [2, 1, 1, 1, 0, 0, 0]


# ---- profiles -------------------------------------------------------------------------------------------------------


@over(
    'P, rank, viewed, tail',
    [
        # by hand at depth 3; expected_rank = Σ k P(k)/ΣP(k), viewed = Σ k P(k) + 3 F(4)
        ('RBP', (0.5 + 2 * 0.25 + 3 * 0.125) / 0.875, 0.5 + 0.5 + 0.375 + 3 * 0.125, 0.25),
        ('RR', (1 / 2 + 2 / 6 + 3 / 12) / (3 / 4), 1 + 1 / 2 + 1 / 3, 1 / 3),
        ('DCG', None, 1 + 1 / math.log2(3) + 1 / 2, 1 / 2),
    ],
)
def test_static_profile_by_hand(P, rank, viewed, tail):
    user = user_model(P, depth=3)
    assert rank is None or user.expected_rank == pytest.approx(rank)
    assert user.expected_viewed == pytest.approx(viewed) == user.F.sum()
    assert user.tail(2) == pytest.approx(tail)
    assert user.tail(0) == 1 and user.tail(3) == pytest.approx(user.beyond)
    viewing = user.F
    assert viewing == pytest.approx(np.cumsum(user.P[::-1])[::-1] + user.beyond)


@over(
    'P, at',
    [
        ('ERR', [0, 0.5, 0.25, 0, 0, 0.125]),
        ('AP', [0, 1 / 4, 1 / 4, 0, 0, 1 / 4]),
        ('RRR', [0, 1 / 2, 1 / 6, 0, 0, 1 / 12]),
    ],
)
def test_dynamic_profile_by_hand(P, at):
    user = user_model(P, grades=GRADES, judged=JUDGED)
    stop, viewing = user.P, user.F
    assert stop == pytest.approx(at)
    assert viewing == pytest.approx([1 - sum(at[:k]) for k in range(6)])
    assert user.expected_viewed == pytest.approx(viewing.sum())  # Σ F(k) = Σ k P(k) + n F(n + 1)
    assert user.beyond == pytest.approx(1 - sum(at))
    mean = sum(k * p for k, p in enumerate(at, 1))
    assert user.expected_rank == pytest.approx(mean / sum(at))
    assert user.expected_viewed == pytest.approx(mean + 6 * (1 - sum(at)))


@over(
    'call, says',
    [
        (lambda: user_model('RR', depth=6).tail(7), 'k=7'),
        (lambda: ranked_grades({'q': {'d': 1.0}}, {'q': {'d': 1}}, 'z'), "query 'z' has no judgm"),
    ],
)
def test_further_profile_errors(call, says):
    refused(says, call)


def test_nobody_stops_where_nothing_is_relevant():
    user = user_model('ERR', grades=[0, 0], judged=[0, 0])
    assert user.expected_rank == math.inf and user.expected_viewed == 2 and user.beyond == 1


def test_table_of_a_user():
    frame = user_model('RR', depth=4).to_frame()
    assert list(frame.columns) == ['rank', 'P', 'F', 'tail'] and frame['tail'].iloc[
        3
    ] == pytest.approx(1 / 5)


@over(
    'arguments, says',
    [
        (dict(P='nothing'), "P='nothing'"),
        (dict(theta=1), 'theta=1'),
        (dict(P='AP'), 'expected the grades of a ranking'),
        (dict(depth=0), 'depth=0'),
        (dict(grades=[]), 'number of grades=0'),
        (
            dict(grades=[1, 1], judged=[1]),
            'judged has 1 relevant documents, fewer than the 2 of the ranking',
        ),
        (dict(grades=[1, math.nan]), 'expected a list of numbers'),
    ],
)
def test_profile_errors(arguments, says):
    refused(says, user_model, **arguments)


def test_groups():
    found = groups(measures("CDG RBP(p=0.9)@10 ERR@20 AP UM(model=4,P='RR')@5 nDCG"))
    assert found['model'] == {
        'CDG': 'M1',
        'RBP(p=0.9)@10': 'M1',
        'ERR@20': 'M3',
        'AP': 'M4',
        "UM(model=4,P='RR')@5": 'M4',
    }
    assert found['tail'] == {
        'CDG': 'fat',
        'RBP(p=0.9)@10': 'slim',
        'ERR@20': 'slim',
        'AP': 'fat',
        "UM(model=4,P='RR')@5": 'medium',
    }


# ---- clicks ---------------------------------------------------------------------------------------------------------


def test_fit_within_a_depth():
    """A log of at most 2 ranks: geometric among ranks 1 and 2, P(1) = 1/(2 − θ), which is 3/4 for θ = 2/3."""
    fit = fit_stopping([1, 1, 1, 2], ['RBP', 'RR'], depth=2).set_index('P')
    assert fit.loc['RBP', 'theta'] == pytest.approx(2 / 3, abs=1e-6)
    assert fit.loc['RBP', 'kl'] == pytest.approx(0, abs=1e-9)
    assert fit.loc['RR', 'kl'] == pytest.approx(0, abs=1e-9)  # (1/2)/(1/2 + 1/6) = 3/4
    with expect_warning('1 of 5 clicks.*beyond depth=2'):
        beyond = fit_stopping([1, 1, 1, 2, 3], ['RBP', 'RR'], depth=2).set_index('P')
    assert beyond['log_likelihood'].tolist() == fit['log_likelihood'].tolist() and set(
        beyond['n']
    ) == {4}


@over(
    'clicks, options, says',
    [
        ([], {}, 'no click ranks'),
        (LOG[:0], {}, 'no click ranks'),
        (LOG.assign(rank=math.nan), {}, 'no click ranks'),
        ([1, 0], {}, 'row 1 is 0'),
        ([1, 2.5], {}, 'row 1 is 2.5'),
        ([1, math.nan], {}, 'row 1 is nan'),
        ([1], {'P': ['AP']}, 'depends on relevance'),
        ([1], {'P': 'no'}, "P='no'"),
        ([1], {'depth': 0}, 'depth=0'),
        ([1], {'confidence_level': 1}, 'confidence_level=1'),
        (LOG.drop(columns='rank'), {}, "no column 'rank'"),
        (LOG.assign(rank=-1), {}, 'row 0 is -1'),
    ],
)
def test_bad_clicks(clicks, options, says):
    refused(says, fit_stopping, clicks, **options)


@over('clicks', [['first', 'second'], 'tripclick/logs', {3: 1}, iter([LOG])])
def test_clicks_that_are_no_numbers(clicks):
    with expect_error('expected whole numbers.*or a DataFrame with columns', TypeError):
        fit_stopping(clicks)


# ---- preferences ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def judged_runs():
    rng = random.Random(5)
    docs = [f'd{i:02}' for i in range(15)]
    qrels = {f'q{q}': {d: rng.choice([0, 0, 1, 2]) for d in rng.sample(docs, 10)} for q in range(8)}
    for judged in qrels.values():
        judged['d00'] = 1
    run = {f'q{q}': {d: float(-i) for i, d in enumerate(rng.sample(docs, 9))} for q in range(8)}
    return qrels, run


def said(rows):
    """Preferences as weighted_pairs takes them."""
    return pd.DataFrame(rows, columns=['query', 'preferred', 'other'])


@over('model, P, cutoff', itertools.product([2, 4], ALL, [None, 4]), every=3)
def test_binary_relevance_gives_M2_and_M4(judged_runs, model, P, cutoff):
    """Carterette 2011, §5: a relevant document is preferred to every document."""
    um = measures(f'UM(model={model},P={P!r},theta=0.3)' + (f'@{cutoff}' if cutoff else ''))[0]
    with quietly():  # marked cells
        wanted = {m.query_id: m.value for m in um.iter_calc(*judged_runs)}
    relevant = [(q, d, None) for q, judged in judged_runs[0].items() for d in judged if judged[d]]
    ours = weighted_pairs(
        judged_runs[1], said(relevant), model=model, P=P, theta=0.3, cutoff=cutoff
    )
    assert ours.to_dict() == pytest.approx(wanted, abs=1e-12)


def test_weighted_pairs_by_hand():
    run = {'q': {'a': 4.0, 'b': 3.0, 'c': 2.0, 'd': 1.0}, 'other': {'a': 1.0}}
    pairs = [
        ('q', 'a', 'c'),
        ('q', 'b', 'c'),
        ('q', 'd', 'a'),
        ('q', 'a', 'd'),
        ('q', 'a', 'z'),
        ('none', 'a', 'b'),
    ]
    pairs, twice = said(pairs), said(pairs + pairs)
    # two pairs at rank 3, one at rank 4
    assert weighted_pairs(run, pairs, P='RR').to_dict() == pytest.approx(
        {'q': 2 / 12 + 1 / 20, 'none': 0}
    )
    assert weighted_pairs(run, pairs, model=4, P='RR')['q'] == pytest.approx(
        2 / 3 / 12 + 1 / 4 / 20
    )
    with pytest.raises(TypeError, match='P=.*: expected'):
        weighted_pairs(run, pairs, P=[0, 0, 1])
    assert weighted_pairs(run, twice, P='RR', cutoff=3)['q'] == pytest.approx(2 / 12)
    with pytest.raises(TypeError, match='expected a DataFrame, found list'):
        weighted_pairs(run, [('q', 'a', 'c')])


@over(
    'options, says',
    [
        ({'model': 1}, 'model=1: expected 2 or 4'),
        ({'P': 'no'}, "P='no'"),
        ({'theta': 0}, 'theta=0'),
        ({'P': 'AP'}, 'preferences that hold for every document'),
        ({'cutoff': 0}, 'cutoff=0'),
        ({'preferences': pd.DataFrame({'query': ['q']})}, "no column 'preferred'"),
        ({'preferences': said([('q', None, 'b')])}, 'row 0 has no preferred'),
    ],
)
def test_weighted_pairs_errors(options, says):
    with pytest.raises(ValueError, match=says):
        weighted_pairs({'q': {'a': 1.0}}, **{'preferences': said([('q', 'a', 'b')]), **options})


def test_a_distribution_of_ones_own_is_known_everywhere():
    register_stopping('zeta', lambda k: 6 / (math.pi * k) ** 2, tail='medium')
    try:
        stop = user_model('zeta', depth=2).P
        assert stop == pytest.approx([6 / math.pi**2, 6 / math.pi**2 / 4])
        assert 'zeta' in set(fit_stopping([1, 2])['P'])
        pairs = weighted_pairs({'q': {'a': 1.0}}, said([('q', 'a', None)]), P='zeta')
        assert pairs['q'] == pytest.approx(1)
        assert groups(["UM(P='zeta')"])['tail'] == {"UM(P='zeta')": 'medium'}
    finally:
        user_models.unregister_stopping('zeta')


@over('depths, message', [(5, 'expected a list'), ('12', 'expected a list'), ([], 'at least one')])
def test_repool_without_depths(depths, message):
    with expect_error(message, (TypeError, ValueError)):
        repool({'q': {'a': 1}}, [{'q': {'a': 1.0}}], depths)
