"""Views of a user, parameters of any name, click logs and fits, priors on θ."""

import math

import numpy as np
import pandas as pd
import pytest
from ir_divmeasures.core.stopping.distributions import BUILT_IN
from scipy import optimize, stats

from ir_divmeasures import CWL, evaluate, measures
from ir_divmeasures.user_models import (
    cells,
    continuation,
    continuations,
    convert,
    fit_stopping,
    mix_stopping,
    register_stopping,
    scores_over_users,
    unregister_stopping,
    user_model,
    users,
)

from .builders import expect_error, over, refused

STATIC = [made.name for made in BUILT_IN if not made.dynamic]


def weibull_F(k, shape, q=0.5):
    return q ** ((k - 1.0) ** shape)


@pytest.fixture
def weibull():
    register_stopping(
        'Weibull',
        lambda k, shape, q=0.5: weibull_F(k, shape, q) - weibull_F(k + 1, shape, q),
        weibull_F,
    )
    yield
    unregister_stopping('Weibull')


# ---- C, P, F -----------------------------------------------------------------------------------------------------


@over('given', list('CPF'))
@over('to', list('CPF'))
def test_convert_there_and_back(given, to):
    going = np.random.default_rng(3).random((4, 9))
    one = convert(going, 'C', given)
    beyond = 0.0
    for row, C in zip(one, going):
        beyond = float(np.prod(C))  # F(n + 1)
        made = convert(row, given, to, beyond=beyond)
        assert made == pytest.approx(convert(C, 'C', to))
        assert convert(made, to, given, beyond=beyond) == pytest.approx(row)


def test_convert_by_hand():
    assert convert([0.5, 0.2, 0], 'C', 'F') == pytest.approx([1, 0.5, 0.1])
    assert convert([0.5, 0.2, 0], 'C', 'L') == pytest.approx([0.5, 0.4, 0.1])
    assert convert([0.5, 0.4, 0.1], 'P', 'C') == pytest.approx([0.5, 0.2, 0], abs=1e-12)
    assert convert([1, 0, 0], 'P', 'C') == pytest.approx([0, 0, 0])


@over(
    'values, given, says',
    [
        ([0.6, 0.5], 'P', 'P: expected .* add up to at most 1, found'),
        ([0.9, 0.5], 'F', 'F: expected .* start at 1'),
        ([1, 1.5], 'C', 'C: expected'),
        ([], 'P', 'P: expected'),
        ([1], 'Q', "given='Q'"),
    ],
)
def test_convert_errors(values, given, says):
    refused(says, convert, values, given, 'C')


@over('P', STATIC)
def test_views_of_a_distribution(P):
    user = user_model(P, 0.3, depth=12)
    assert convert(user.C, 'C', 'P') == pytest.approx(user.P)
    assert convert(user.C, 'C', 'F') == pytest.approx(user.F)
    if P == 'RBP':
        assert pytest.approx(np.full(12, 0.7)) == user.C


@over('C', continuations())
@pytest.mark.filterwarnings('ignore:.*do not measure a ranking')
def test_a_continuation_seen_on_a_ranking(C):
    """L and V of the ranking give CWL's outputs."""
    further = {
        'NDCG': {'k': 10},
        'NERR8': {'k': 10},
        'NERR9': {'k': 10},
        'IFTGoal': dict(T=2, b1=0.9, R1=1),
        'IFTRate': dict(A=0.2, b2=0.9, R2=5),
        'IFTGoalRate': dict(T=2, b1=0.9, R1=1, A=0.2, b2=0.9, R2=5),
        'TBG': {'halflife': 3},
        'UMeasure': {'L': 8},
    }.get(C, {})
    gains = [0, 1, 0, 1, 1]
    user = continuation(C, gains=gains, depth=15, **further)
    qrels, run = (
        {'q': {f'd{i}': g for i, g in enumerate(gains)}},
        {'q': {f'd{i}': -i for i in range(5)}},
    )
    made = {
        out: CWL(C=C, out=out, depth=15, **further).calc_aggregate(qrels, run)
        for out in ('EU', 'ETU', 'ED')
    }
    g = np.append(gains, np.zeros(10))
    assert made == pytest.approx(
        {'EU': user.F @ g / user.F.sum(), 'ETU': user.P @ np.cumsum(g), 'ED': user.F.sum()}
    )
    assert user.P.sum() + user.beyond == pytest.approx(1)


@over(
    'name, options, says',
    [
        ('NDCG', {}, 'needs k'),
        ('RBP', {'k': 3}, "unknown parameter 'k'"),
        ('RBP', {'gains': [2]}, r'gains in \[0, 1\]'),
        ('RBP', {'costs': [0]}, 'costs above 0'),
        ('RBP', {'depth': 0}, 'depth=0'),
        ('RBP', {'p': 3}, 'p=3'),
    ],
)
def test_continuation_errors(name, options, says):
    refused(says, continuation, name, **options)


# ---- parameters of any name -----------------------------------------------------------------------------------------


def test_parameters_in_the_name(weibull):
    (made,) = measures("UM(model=2,P='Weibull(shape=1, q=0.7)')@10")
    assert str(made) == "UM(P='Weibull(q=0.7,shape=1.0)')@10" == str(measures(str(made))[0])
    qrels, run = {'q': {'a': 1, 'c': 1}}, {'q': {'a': 3.0, 'b': 2.0, 'c': 1.0}}
    (geometric,) = measures("UM(model=2,P='RBP',theta=0.3)@10")  # shape 1
    assert made.calc_aggregate(qrels, run) == pytest.approx(
        geometric.calc_aggregate(qrels, run), abs=1e-12
    )
    assert pytest.approx([1, 0.5, 0.5**4]) == user_model('Weibull(shape=2)', depth=3).F
    assert 'Weibull' not in list(cells()['P'])


def test_a_dynamic_one_with_several_parameters():
    register_stopping(
        'Two',
        lambda count, total, theta, falls=1.0: theta * (1 - theta) ** (falls * (count - 1)),
        dynamic=True,
    )
    try:
        user = user_model('Two(falls=3)', 0.2, grades=[1, 0, 1])
        assert pytest.approx([0.2, 0, 0.2 * 0.8**3]) == user.P
        assert pytest.approx([0.2, 0, 0.16]) == user_model('Two', 0.2, grades=[1, 0, 1]).P
    finally:
        unregister_stopping('Two')


@pytest.mark.parametrize(
    'name, says',
    [
        ("UM(P='Weibull')", r"'Weibull' needs shape, as in P='Weibull\(shape=1.5\)'"),
        ("UM(P='Weibull(form=1)')", "unknown parameter 'form'"),
        ("UM(P='Weibull(shape=1,theta=0.5)')", 'of the measure'),
        ("UM(P='Weibull(shape=-1)')", 'probability'),
        ("UM(P='Weibull(2)')", 'numbers by name'),
        ("UM(P='RBP(shape=1)')", "unknown parameter 'shape'"),
        ("UM(P='Weibul(shape=1)')", "P='Weibul"),
    ],
)
def test_wrong_parameters_in_the_name(weibull, name, says):
    refused(says, measures, name)


# ---- logs -----------------------------------------------------------------------------------------------------------

CLICKS = [
    ('s1', 'q1', 3, 10),
    ('s1', 'q1', 1, 5),
    ('s1', 'q2', 2, 7),
    ('s2', 'q1', 1, 3),
    ('s2', 'q1', 4, 3),
]
LOG = pd.DataFrame(CLICKS, columns=['session', 'query', 'rank', 'time'])


def test_rows_without_a_rank_are_no_clicks():
    impressions = pd.DataFrame({'session': ['s9'], 'query': 'z', 'rank': np.nan, 'time': 1})
    every = fit_stopping(pd.concat([LOG, impressions]), 'RBP').iloc[0]
    assert (every['n'], every['theta']) == (5, pytest.approx(5 / 11))
    last = LOG.sort_values('time').drop_duplicates(['session', 'query'], keep='last')
    found = fit_stopping(last, 'RBP').iloc[0]  # the last ranks are 3, 2 and 1 or 4
    assert found['n'] == 3


# ---- fits -----------------------------------------------------------------------------------------------------------


def test_aic_counts_parameters():
    """RBP has θ = n / Σ ranks, and RR has nothing to fit."""
    ranks = [1, 3, 2, 5, 1]
    fit = fit_stopping(ranks, ['RBP', 'RR']).set_index('P')
    total = 5 * math.log(5 / 12) + 7 * math.log(7 / 12)
    assert fit.loc['RBP', 'log_likelihood'] == pytest.approx(total)
    assert fit.loc['RR', 'log_likelihood'] == pytest.approx(
        sum(math.log(1 / (k * (k + 1))) for k in ranks)
    )
    assert fit.loc['RBP', 'aic'] == pytest.approx(2 - 2 * fit.loc['RBP', 'log_likelihood'])
    assert fit.loc['RR', 'aic'] == pytest.approx(-2 * fit.loc['RR', 'log_likelihood'])


def test_several_parameters(weibull):
    rng = np.random.default_rng(5)
    uniform = rng.random(3000)  # F(k) = .6^((k−1)^.7) > u
    ranks = 1 + np.floor((np.log(uniform) / np.log(0.6)) ** (1 / 0.7)).astype(int)
    fit = fit_stopping(ranks, ['RBP', 'Weibull', 'Weibull(q=0.5)']).set_index('P')
    best = fit.loc['Weibull']
    assert (fit.index[0], fit['aic'].idxmin()) == ('Weibull',) * 2
    assert set(fit['status']) == {'fitted'}
    assert best['shape_low'] < 0.7 < best['shape_high'] and best['q_low'] < 0.6 < best['q_high']

    def loss(x):
        return -np.log(weibull_F(ranks, *x) - weibull_F(ranks + 1, *x)).sum()

    peer = optimize.minimize(loss, [1, 0.5], method='L-BFGS-B', bounds=[(0.1, 3), (0.1, 0.9)])
    assert best['log_likelihood'] == pytest.approx(-peer.fun, abs=1e-3)
    assert [best['shape'], best['q']] == pytest.approx(peer.x, abs=1e-3)
    assert math.isnan(fit.loc['Weibull(q=0.5)', 'q']) and math.isnan(fit.loc['RBP', 'shape_low'])
    (made,) = measures(best['measure'])  # the fitted model is a measure by name
    assert made['P'] == f"Weibull(q={best['q']:.6g},shape={best['shape']:.6g})"
    assert made.calc_aggregate({'q': {'d': 1}}, {'q': {'d': 1.0}}) == pytest.approx(1)


def test_continuation_functions():
    ranks = np.random.default_rng(2).geometric(0.3, 400)
    fit = fit_stopping(ranks, 'RBP', C=['RBP', 'INSQ', 'NPV']).set_index('P')
    assert fit.loc['C=RBP', 'p'] == pytest.approx(1 - fit.loc['RBP', 'theta'], abs=1e-5)
    assert fit.loc['C=NPV', 'rate'] == pytest.approx(1 / fit.loc['C=RBP', 'p'] - 1, abs=1e-4)
    for name in ('C=RBP', 'C=NPV'):
        assert fit.loc[name, 'log_likelihood'] == pytest.approx(
            fit.loc['RBP', 'log_likelihood'], abs=1e-6
        )

    def insq(T):
        i = np.arange(1, ranks.max() + 1)
        C = ((i + 2 * T - 1) / (i + 2 * T)) ** 2
        V = np.cumprod(np.append(1, C[:-1]))
        return np.log((V * (1 - C))[ranks - 1]).sum()

    grid = np.linspace(0.1, 20, 4000)
    values = [insq(T) for T in grid]
    assert fit.loc['C=INSQ', 'log_likelihood'] == pytest.approx(max(values), abs=1e-4)
    assert fit.loc['C=INSQ', 'T'] == pytest.approx(grid[np.argmax(values)], abs=0.01)
    assert fit.loc['C=INSQ', 'measure'] == f"CWL(C='INSQ',T={fit.loc['C=INSQ', 'T']:.6g})"
    assert measures(fit.loc['C=INSQ', 'measure'])
    fixed = fit_stopping(np.minimum(ranks, 5), [], C='NDCG(k=5)')  # F(i) = 1/log2(i + 1)
    P = -np.diff(np.append(1 / np.log2(np.arange(2, 7)), 0))
    assert fixed['log_likelihood'].item() == pytest.approx(
        np.log(P[np.minimum(ranks, 5) - 1]).sum()
    )


@over(
    'C, says',
    [
        ('INST', 'depends on gains'),
        ('NDCG', 'k is a whole number'),
        ('RBP(q=1)', "unknown parameter 'q'"),
        ('none', 'no such continuation'),
    ],
)
def test_continuation_functions_that_cannot_be_fitted(C, says):
    refused(says, fit_stopping, [1, 2], C=[C])


SHOWN = {'q1': [1, 0, 1, 1], 'q2': ([0, 1], [0, 1, 1])}


def test_dynamic_distributions_where_relevance_is_known():
    """P among the ranks 1 to 4 of a ranking. q1 has three relevant ranks, 1, 3, 4; q2 has one."""
    log = pd.DataFrame(
        [('a', 'q1', 1), ('b', 'q1', 3), ('c', 'q1', 4), ('d', 'q1', 1), ('e', 'q2', 2)],
        columns=['session', 'query', 'rank'],
    )
    fit = fit_stopping(log, relevance=SHOWN, C=['INST'], depth=4).set_index('P')
    assert fit.loc['AP', 'log_likelihood'] == pytest.approx(4 * math.log(1 / 3))
    assert fit.loc['RRR', 'log_likelihood'] == pytest.approx(
        sum(math.log(p / (3 / 4)) for p in (1 / 2, 1 / 2, 1 / 6, 1 / 12))
    )
    assert fit.loc['RR', 'log_likelihood'] == pytest.approx(
        sum(math.log(1 / (k * (k + 1)) / (4 / 5)) for k in (1, 1, 3, 4, 2))
    )

    def err(theta):
        at = theta * (1 - theta) ** np.arange(3)
        return np.log(at[[0, 0, 1, 2]] / at.sum()).sum()

    grid = np.linspace(0.001, 0.999, 9990)
    values = [err(theta) for theta in grid]
    assert fit.loc['ERR', 'log_likelihood'] == pytest.approx(max(values), abs=1e-5)
    assert fit.loc['ERR', 'theta'] == pytest.approx(grid[np.argmax(values)], abs=1e-3)
    # observed shares 2/4, 1/4, 1/4 of q1, all of q2
    saturated = 2 * math.log(2 / 4) + 2 * math.log(1 / 4)
    assert fit.loc['AP', 'kl'] == pytest.approx((saturated - 4 * math.log(1 / 3)) / 5 / math.log(2))
    assert measures(fit.loc['ERR', 'measure'])[0]['P'] == 'ERR' and 'C=INST' in fit.index
    assert set(fit['n']) == {5}


def test_relevance_that_is_wrong():
    log = pd.DataFrame([('a', 'q1', 1), ('e', 'q7', 2)], columns=['session', 'query', 'rank'])
    assert fit_stopping(log, 'AP', relevance=SHOWN)['n'].item() == 1  # clicks of other queries
    refused('judged, but', fit_stopping, log, relevance={'q1': ([1, 1], [1])})
    refused('expected {query: grades', fit_stopping, log, error=TypeError, relevance=[1, 0])
    with expect_error("relevance of query 'q': expected a list of numbers"):
        fit_stopping(log, relevance={'q': [math.nan]})
    refused('needs a click log', fit_stopping, [1, 2], relevance=SHOWN)
    refused('depends on relevance', fit_stopping, log, 'ERR')


def test_all_clicks_count():
    """A model that stops at relevant documents only excludes a click elsewhere; others have one support."""
    log = pd.DataFrame(
        [('a', 'q1', 1), ('b', 'q1', 2), ('c', 'q1', 9), ('e', 'q2', 2)],
        columns=['session', 'query', 'rank'],
    )
    fit = fit_stopping(log, ['AP', 'RBP', 'RR'], C=['INST'], relevance=SHOWN).set_index('P')
    assert set(fit['n']) == {4}
    row = fit.loc['AP']
    assert (row['status'], row['log_likelihood'], row['measure']) == ('impossible', -math.inf, None)
    assert fit.loc['RBP', 'theta'] == pytest.approx(4 / 14, abs=1e-6) and math.isnan(row['theta'])
    assert fit.loc['RR', 'log_likelihood'] == pytest.approx(
        sum(math.log(1 / (k * (k + 1))) for k in (1, 2, 9, 2))
    )

    def inst(T):  # gains of q1 1, 0, 1, 1, 0, …; of q2 0, 1, 0, …
        total = 0.0
        for gains, rank in (([1, 0, 1, 1], 1), ([1, 0, 1, 1], 2), ([1, 0, 1, 1], 9), ([0, 1], 2)):
            i = np.arange(1, 12)
            to = i + 2 * T - np.cumsum(np.append(gains, np.zeros(11 - len(gains))))
            C = ((to - 1) / to) ** 2
            total += math.log(np.prod(C[: rank - 1]) * (1 - C[rank - 1]))
        return total

    grid = np.linspace(0.26, 20, 3000)
    values = [inst(T) for T in grid]
    assert fit.loc['C=INST', 'log_likelihood'] == pytest.approx(max(values), abs=1e-3)


@over('options', [{}, {'relevance': {'q': [1, 0, 1]}}])
def test_each_document_costs_one(options):
    """TBG goes on with 2^(−1/h), as RBP does with 1 − θ."""
    ranks = np.random.default_rng(2).geometric(0.3, 400)
    log = pd.DataFrame({'session': range(400), 'query': 'q', 'rank': ranks})
    fit = fit_stopping(log, 'RBP', C='TBG', **options)
    fit = fit.set_index('P')
    halflife, theta = fit.loc['C=TBG', 'halflife'], fit.loc['RBP', 'theta']
    assert 2 ** (-1 / halflife) == pytest.approx(1 - theta, abs=1e-4)


def test_parameters_at_the_end_of_their_range():
    """All users stop at rank 1: θ = 1, which no measure takes."""
    fit = fit_stopping([1] * 1000, ['RBP'], C=['RBP', 'INSQ']).set_index('P')
    assert set(fit['status']) == {'edge'} and fit['measure'].isna().all()
    assert (fit.loc['RBP', 'theta'], fit.loc['C=RBP', 'p'], fit.loc['C=INSQ', 'T']) == (1, 0, 0)
    assert fit[['theta_low', 'p_low', 'T_high']].isna().all().all()


def test_parameters_that_the_data_do_not_tell(weibull):
    """Ranks 1 only: P(1) = 1 − q whatever the shape is, and 1 whatever θ is where no click can be deeper."""
    fit = fit_stopping([1, 1, 1], ['Weibull']).iloc[0]
    assert fit['status'] == 'free' and fit['measure'] is None and fit['q'] == 0
    assert math.isnan(fit['shape']) and math.isnan(fit['shape_low'])
    fit = fit_stopping([1, 1, 1], ['RBP'], depth=1).iloc[0]
    assert fit['status'] == 'free' and math.isnan(fit['theta'])


def test_interval_of_a_parameter_is_t_times_its_jackknife_error_over_sessions():
    """RBP: θ is the number of clicks over the sum of ranks, 6/12; without one session 4/7, 5/10 and 3/7."""
    log = pd.DataFrame({'session': [0, 0, 1, 2, 2, 2], 'query': 'q', 'rank': [1, 4, 2, 1, 1, 3]})
    fit = fit_stopping(log, 'RBP').iloc[0]
    error = math.sqrt(2 / 3 * 2 * (4 / 7 - 1 / 2) ** 2)
    half = stats.t.ppf(0.975, 2) * error
    assert fit[['theta', 'theta_low', 'theta_high']].tolist() == pytest.approx(
        [0.5, 0.5 - half, 0.5 + half], abs=1e-5
    )


@pytest.mark.usefixtures('weibull')
def test_jackknife_of_two_parameters_is_that_of_the_refitted_model():
    """One Newton step against a fit without each rank in turn, on the scale that is searched."""
    ranks = np.random.default_rng(4).negative_binomial(2, 0.4, 40) + 1
    fit = fit_stopping(ranks, ['Weibull']).iloc[0]
    _, first, place = np.unique(ranks, return_index=True, return_inverse=True)
    without = [fit_stopping(np.delete(ranks, i), ['Weibull']).iloc[0] for i in first]
    without = [without[i] for i in place]
    assert len(first) < len(without) == 40
    for name in ('shape', 'q'):  # sought above 0, so on a logarithmic scale
        values = np.log([each[name] for each in without])
        error = math.sqrt(39 / 40 * np.square(values - values.mean()).sum())
        half = math.log(fit[f'{name}_high'] / fit[f'{name}_low']) / 2
        assert half == pytest.approx(stats.t.ppf(0.975, 39) * error, rel=0.15), name


# ---- priors ---------------------------------------------------------------------------------------------------------


def test_the_uniform_prior_makes_RBP_RR_and_ERR_RRR():
    """Carterette 2011, §3.4: ∫ θ(1 − θ)^(k−1) dθ = 1/(k(k+1))."""
    k = np.arange(1.0, 101)
    P, F = mix_stopping('RBP')
    assert P(k) == pytest.approx(1 / (k * (k + 1))) and F(k) == pytest.approx(1 / k)
    P, F = mix_stopping('ERR')
    assert P(k, np.full(100, 100.0)) == pytest.approx(1 / (k * (k + 1))) and F is None


def test_other_priors():
    P, F = mix_stopping('RBP', stats.beta(2, 3))
    assert P(np.array([1.0])) == pytest.approx(2 / 5, abs=1e-6)  # the mean of Beta(2, 3)
    P, F = mix_stopping('RBP', {0.2: 3, 0.6: 1})
    assert F(np.array([1.0, 3.0])) == pytest.approx([1, (3 * 0.64 + 0.16) / 4])
    assert users([0.1, 0.3])[1] == pytest.approx([0.5, 0.5])


@over(
    'P, options, says',
    [
        ('RR', {}, 'no parameter theta'),
        ('RBP', {'prior': [0.5, 1]}, 'theta=1'),
        ('RBP', {'prior': {0.5: -1}}, 'expected weights'),
        ('RBP', {'prior': []}, 'no values'),
        ('RBP', {'nodes': 0}, 'nodes=0'),
    ],
)
def test_wrong_priors(P, options, says):
    refused(says, mix_stopping, P, **options)


def test_scores_over_users(tmp_path):
    """The mean over users of the uniform prior is the measure with P_RR, or P_RRR in place of ERR."""
    refused("prior='normal'", users, 'normal', error=TypeError)
    rng = np.random.default_rng(4)
    qrels = {
        f'q{i}': {f'd{j}': int(rng.random() < 0.4) for j in range(12)} | {'d0': 1} for i in range(3)
    }
    runs = {
        name: {q: {d: float(rng.random()) for d in judged} for q, judged in qrels.items()}
        for name in 'ab'
    }
    for measure, same in (
        ('CDG', None),
        ("UM(model=1,P='RBP')@10", 'RRG@10'),
        ("UM(model=2,P='RBP')@10", 'RRDCG@10'),
        ("UM(model=4,P='ERR')@10", 'RRAP@10'),
        ("UM(model=3,P='ERR')@10", 'RRR@10'),
    ):
        if same is None:
            refused("no parameter 'theta'", scores_over_users, runs, qrels, measure)
            continue
        scores = scores_over_users(runs, qrels, measure)
        wanted = evaluate(runs, qrels, same).values[:, :, 0]
        assert scores.to_frame()['mean'].to_numpy() == pytest.approx(np.ravel(wanted), abs=1e-9)
    frame = scores.to_frame()
    assert list(frame.columns) == [
        'system',
        'query',
        'mean',
        'sd',
        'q05',
        'q25',
        'q50',
        'q75',
        'q95',
    ]
    assert len(frame) == 6 and (frame['q05'] <= frame['q95']).all()


@pytest.mark.filterwarnings('ignore:.*do not measure a ranking')
def test_distribution_over_three_users():
    one = {'a': {'q': {'d': 1.0}}}, {'q': {'d': 1}}
    scores = scores_over_users(*one, "UM(model=1,P='RBP')", {0.2: 1, 0.5: 2, 0.7: 1})
    assert scores.values[0, 0] == pytest.approx([0.2, 0.5, 0.7]) and scores.to_frame()[
        'mean'
    ].item() == pytest.approx(0.475)
    quantiles = scores.to_frame().loc[0, ['q05', 'q25', 'q50', 'q75', 'q95']]
    assert quantiles.tolist() == pytest.approx([0.2, 0.2, 0.5, 0.5, 0.7])
    assert scores.to_frame()['sd'].item() == pytest.approx(
        math.sqrt((0.275**2 + 2 * 0.025**2 + 0.225**2) / 4)
    )
    p = scores_over_users(*one, "CWL(C='RBP',out='ED')", [0.5, 0.8], parameter='p')
    assert p.values.ravel() == pytest.approx([2, 5])
