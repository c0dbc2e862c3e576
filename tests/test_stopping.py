"""The six stopping distributions of Carterette (SIGIR 2011), their fit to stopping ranks, the form by preferences."""

import itertools
import math
import random

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import measures
from ir_divmeasures.user_models import fit_stopping, weighted_pairs

from .builders import over, quietly, refused
from .reference import usermodels as twin

STATIC = ('RBP', 'DCG', 'RR')
ALL = (*STATIC, 'ERR', 'AP', 'RRR')


# ---- fits -----------------------------------------------------------------------------------------------------------


def test_fits_by_hand():
    """RBP has θ = n/Σ ranks; RR has nothing to fit."""
    fit = fit_stopping([1, 3, 2, 5, 1], ['RBP', 'RR']).set_index('P')
    total = 5 * math.log(5 / 12) + 7 * math.log(7 / 12)
    assert fit.loc['RBP', 'theta'] == pytest.approx(5 / 12, abs=1e-6)
    assert fit.loc['RBP', 'log_likelihood'] == pytest.approx(total)
    # of the observed shares 2/5, 1/5, 1/5 and 1/5
    entropy = 2 * math.log(2 / 5) + 3 * math.log(1 / 5)
    assert fit.loc['RBP', 'kl'] == pytest.approx((entropy - total) / 5 / math.log(2), abs=1e-9)


@over('last_clicks', [False, True])
def test_fits_to_clicks_are_the_literal_twin(last_clicks):
    """Both empirical distributions of §4.1: every click is a stop, or the last click of a user and a query."""
    rng = np.random.default_rng(2)
    log = pd.DataFrame({'user': rng.integers(0, 50, 120), 'rank': rng.geometric(0.3, 120)})
    ranks = log.groupby('user')['rank'].last() if last_clicks else log['rank']
    table = fit_stopping(ranks)
    assert {*table['P']} == {*STATIC} and table['log_likelihood'].is_monotonic_decreasing
    for row in table.itertuples():
        theta, likelihood, divergence = twin.fit(ranks.tolist(), row.P)
        assert row.P != 'RBP' or row.theta == pytest.approx(theta, abs=0.001)
        assert -1e-9 <= row.log_likelihood - likelihood < 0.01
        assert row.kl == pytest.approx(divergence, abs=1e-4)


@over(
    'ranks, said',
    [([], 'whole numbers from 1'), ([1, 0], '0'), ([1, 2.5], '2.5'), ([1, math.nan], 'nan')],
)
def test_bad_ranks(ranks, said):
    refused(said, fit_stopping, ranks)


@over('P', ['AP', 'no'])
def test_distributions_that_cannot_be_fitted(P):
    refused(P, fit_stopping, [1, 2], [P])


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
    assert weighted_pairs(run, twice, P='RR', cutoff=3)['q'] == pytest.approx(2 / 12)


@over('options, says', [({'model': 1}, 'model=1: expected 2 or 4'), ({'P': 'no'}, "P='no'")])
def test_weighted_pairs_errors(options, says):
    refused(says, weighted_pairs, {'q': {'a': 1.0}}, said([('q', 'a', 'b')]), **options)
