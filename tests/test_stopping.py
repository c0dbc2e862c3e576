"""The six stopping distributions of Carterette (SIGIR 2011), their fit to stopping ranks, the form by preferences."""

import itertools
import math
import random

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from ir_divmeasures import measures
from ir_divmeasures.user_models import fit_stopping, weighted_pairs

from .builders import expect_error, over, quietly, refused

STATIC = ('RBP', 'DCG', 'RR')
ALL = (*STATIC, 'ERR', 'AP', 'RRR')


# ---- fits -----------------------------------------------------------------------------------------------------------


def test_fits_by_hand():
    """RBP has θ = n/Σ ranks; RR has nothing to fit."""
    ranks = [1, 3, 2, 5, 1]
    fit = fit_stopping(ranks, ['RBP', 'RR']).set_index('P')
    total = 5 * math.log(5 / 12) + 7 * math.log(7 / 12)
    assert fit.loc['RBP', 'theta'] == pytest.approx(5 / 12, abs=1e-6)
    assert fit.loc['RBP', 'log_likelihood'] == pytest.approx(total)
    assert fit.loc['RR', 'log_likelihood'] == pytest.approx(
        sum(math.log(1 / (k * (k + 1))) for k in ranks)
    )
    # of the observed shares 2/5, 1/5, 1/5 and 1/5
    entropy = 2 * math.log(2 / 5) + 3 * math.log(1 / 5)
    assert fit.loc['RBP', 'kl'] == pytest.approx((entropy - total) / 5 / math.log(2), abs=1e-9)


def test_a_fit_is_the_maximum_of_the_likelihood():
    ranks = np.random.default_rng(2).geometric(0.3, 400)
    fit = fit_stopping(ranks, ['RBP']).iloc[0]
    peer = optimize.minimize_scalar(
        lambda theta: -np.log(theta * (1 - theta) ** (ranks - 1)).sum(),
        bounds=(1e-6, 1 - 1e-6),
        method='bounded',
    )
    assert fit['theta'] == pytest.approx(peer.x, abs=1e-4)
    assert fit['log_likelihood'] == pytest.approx(-peer.fun, abs=1e-6)


def test_static_distributions_are_fitted_by_default():
    assert set(fit_stopping([1, 2, 2, 7])['P']) == set(STATIC)


@over('ranks, said', [([], 'rank'), ([1, 0], '0'), ([1, 2.5], '2.5'), ([1, math.nan], 'nan')])
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


@over(
    'options, says',
    [
        ({'model': 1}, 'model=1: expected 2 or 4'),
        ({'P': 'no'}, "P='no'"),
    ],
)
def test_weighted_pairs_errors(options, says):
    with expect_error(says):
        weighted_pairs({'q': {'a': 1.0}}, **{'preferences': said([('q', 'a', 'b')]), **options})
