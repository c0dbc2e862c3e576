"""Rows of the calibration suite for judges, prediction-powered means, fits of stopping models, nuggets in answers,
grids of settings, agreement of subtopics and logs of users.

``tests/test_calibration.py`` calls :func:`register`.
"""

import functools
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
import scipy.optimize

from ir_divmeasures import Scores, meta
from ir_divmeasures.core.parameters import Range
from ir_divmeasures.evaluation.judge_noise import JudgeNoise
from ir_divmeasures.evaluation.ranges import means_within
from ir_divmeasures.explanation.sensitivity import Sensitivity
from ir_divmeasures.meta.resampling import bootstrap_weights
from ir_divmeasures.quality import calibrate_cutoff, judge_agreement, subtopic_agreement
from ir_divmeasures.results import estimates
from ir_divmeasures.user_models import fit_stopping, register_stopping, unregister_stopping

from .calibration_worlds import latent, mean_of, scored

NOISE = 'evaluation/judge_noise.py:JudgeNoise'
SHOWN = 10


def judged_systems(rng, n_resamples, n_queries=40, again=0.5, relevant=0.5):
    """Two systems by P@10 under judges who find a document relevant with a probability of its own.

    A share of documents is ``relevant``. Every document is rated once, and a share of them twice. Three of ten documents are shown by both systems.

    Returns:
        What :func:`~ir_divmeasures.quality.resample_judges` makes of it; each system's mean over these queries under the
        average judge; the same under one fresh rating of each document.
    """
    easiness = rng.beta(4 * relevant, 4 - 4 * relevant, n_queries)[:, None]
    spread = min(relevant, 1 - relevant) / 2
    chance = np.clip(easiness + rng.normal(0, spread, (n_queries, 2 * SHOWN - 3)), 0.02, 0.98)
    shown = np.stack([np.arange(SHOWN), np.arange(SHOWN - 3, 2 * SHOWN - 3)])
    ratings = rng.random((2, *chance.shape)) < chance
    n_records = 1 + (rng.random(chance.shape) < again)
    record = (rng.random((n_resamples, *chance.shape)) * n_records).astype(int)
    drawn = np.where(record == 0, ratings[0], ratings[1])
    replicates = np.stack([drawn[:, :, documents].mean(axis=2) for documents in shown], axis=1)
    share = (n_records - 1) / n_records
    noise = np.array([[share[:, documents].mean()] for documents in shown])
    fresh = rng.random(chance.shape) < chance
    return JudgeNoise(
        ('P@10',),
        ('A', 'B'),
        tuple(map(str, range(n_queries))),
        replicates.mean(axis=(0, 2))[:, None],
        replicates[..., None],
        np.array([[0, 1]]),
        np.ones((1, 1)),
        np.zeros(2),
        noise,
        noise.mean(axis=0, keepdims=True),
        SHOWN,
    ), *(
        np.array([values[:, documents].mean() for documents in shown]) for values in (chance, fresh)
    )


@functools.cache
def share_relevant(relevant):
    """The mean P@10 of :func:`judged_systems` over all queries."""
    rng = np.random.default_rng(0)
    return float(judged_systems(rng, 1, 20_000, relevant=relevant)[1].mean())


def noise(of, pair=False, **world):
    """The interval of the first system's mean, or of the difference, less what it is to cover."""

    def simulate(rng, times):
        found, average, fresh = judged_systems(rng, 100 * times, **world)
        true = share_relevant(world.get('relevant', 0.5))
        wanted = {'queries': np.full(2, true), 'judges': average, 'again': fresh}[of]
        if pair:
            value, ends = found.differences[0, 0], found.difference_interval(of=of)[0, 0]
            return tuple(np.array([value, *ends]) - (wanted[0] - wanted[1]))
        return tuple(np.array([found.means[0, 0], *found.interval(of=of)[0, 0]]) - wanted[0])

    return simulate


def agreeing(coefficient, relevant, n_queries, **options):
    """Two judges of eight documents a query who agree more on some queries than on others."""

    def simulate(rng, times):
        n, shape = 8, (3 * relevant, 3 - 3 * relevant)
        true = rng.binomial(2, rng.beta(*shape, n_queries)[:, None], (n_queries, n))
        slips = rng.beta(1, 4, n_queries)[:, None]
        rows = []
        for judge in 'ab':
            grades = np.where(rng.random(true.shape) < slips, rng.integers(0, 3, true.shape), true)
            rows.append(
                pd.DataFrame(
                    {
                        'query_id': np.repeat([f'q{q}' for q in range(n_queries)], n),
                        'doc_id': np.tile([f'd{d}' for d in range(n)], n_queries),
                        'relevance': grades.ravel(),
                        'subtopic_id': '1',
                        'judge': judge,
                    }
                )
            )
        row = judge_agreement(pd.concat(rows), coefficient, **options).iloc[0]
        return row['value'], row['low'], row['high']

    return simulate


def by_llm(rng, marginal, n, N, gap=0.0):
    """Two systems' scores by an LLM, which are too high, on n + N queries, and those by humans on n of them."""
    z = latent(rng, [0, gap], n + N)
    f = scored(marginal, 0.8 * z + 0.6 * rng.normal(size=z.shape) + 0.3)
    llm = Scores(f)
    return llm, Scores(scored(marginal, z)[:, :n], llm.systems, llm.queries[:n])


def powered(marginal, n, N, rng, times):
    """A prediction-powered mean, and the width of ``bounded`` of the human queries alone."""
    llm, human = by_llm(rng, marginal, n, N)
    row = frame_of(meta.prediction_powered(llm, human)).iloc[0]
    y = human.values[0, :, 0]
    alone = estimates.bounded(y.mean(), y.std(ddof=1) / np.sqrt(n), n)
    return row['mean'], row['low'], row['high'], alone.high - alone.low


def powered_pair(marginal, n, N, gap=0.0):
    def simulate(rng, times):
        found = meta.prediction_powered(*by_llm(rng, marginal, n, N, gap), baseline='system1')
        return frame_of(found).iloc[1]

    return simulate


def frame_of(found):
    return found if isinstance(found, pd.DataFrame) else found.to_frame()


def sessions(lowest, highest, n_sessions, rng, times):
    """RBP on sessions of one to three clicks; users differ in θ, so that clicks of a session are alike."""
    n, theta = rng.integers(1, 4, n_sessions), rng.uniform(lowest, highest, n_sessions)
    rank = rng.geometric(np.repeat(theta, n))
    log = pd.DataFrame({'session': np.repeat(np.arange(n_sessions), n), 'query': 'q', 'rank': rank})
    row = fit_stopping(log, 'RBP').iloc[0]
    return row['theta'], row['theta_low'], row['theta_high']


def clicks_of(survival, n, rng):
    """Clicks of sessions, by inversion of P(rank > k) = survival(ranks, session) at ranks 1 to 400."""
    rows = [
        (session, 1 + int((survival(np.arange(1.0, 401), session) > u).sum()))
        for session, count in enumerate(n)
        for u in rng.random(count)
    ]
    return pd.DataFrame(rows, columns=['session', 'rank']).assign(query='q')


SHAPE, LOWEST, HIGHEST = 0.7, 0.6, 0.8


def survives(ranks, shape, q):
    """P(rank ≥ k) of the discrete Weibull distribution."""
    return q ** ((ranks - 1.0) ** shape)


def stops(k: Any, shape: float, q: Annotated[float, Range(0, 1, '()')]):
    return survives(k, shape, q) - survives(k + 1, shape, q)


def weibull_sessions(rng, times):
    """Discrete Weibull users of one shape on 50 sessions of one to three clicks; users differ in q."""
    n, q = rng.integers(1, 4, 50), rng.uniform(LOWEST, HIGHEST, 50)
    log = clicks_of(lambda k, session: survives(k + 1, SHAPE, q[session]), n, rng)
    register_stopping('TwoParameters', stops, lambda k, shape, q: survives(k, shape, q))
    try:
        row = fit_stopping(log, 'TwoParameters').iloc[0]
    finally:
        unregister_stopping('TwoParameters')
    return tuple(
        row[[f'shape{end}', f'q{end}']].to_numpy(dtype=float) for end in ('', '_low', '_high')
    )


@functools.cache
def most_likely_weibull():
    """The shape and q that make the ranks of users who differ in q most likely, of very many users."""
    k, (nodes, weights) = np.arange(1.0, 2001), np.polynomial.legendre.leggauss(20)
    users = (LOWEST + HIGHEST) / 2 + (HIGHEST - LOWEST) / 2 * nodes
    share = (stops(k[:, None], SHAPE, users) * weights / 2).sum(axis=1)
    peer = scipy.optimize.minimize(
        lambda x: -share @ np.log(np.maximum(stops(k, *x), 1e-300)),
        [SHAPE, 0.7],
        method='Nelder-Mead',
        options={'xatol': 1e-8, 'fatol': 1e-12},
    )
    return np.asarray(peer.x)


T, R1, B1 = 1.5, 1.0, 0.5


def foraging(relevant):
    """Users of IFTGoal on 50 sessions of one to three clicks on ten queries; the gain at each rank is 0 or 1."""
    grades = np.random.default_rng(7).random((10, 20)) < relevant
    gained = np.cumsum(np.pad(grades, ((0, 0), (0, 380))), axis=1)
    odds = B1 * np.exp((T - gained) * R1)  # of going on
    goes_on = np.cumprod(odds / (1 + odds), axis=1)

    def simulate(rng, times):
        query, n = rng.integers(0, len(grades), 50), rng.integers(1, 4, 50)
        log = clicks_of(lambda k, session: goes_on[query[session]], n, rng)
        row = fit_stopping(
            log.assign(query=query[log['session']]),
            (),
            C=f'IFTGoal(b1={B1})',
            relevance=dict(enumerate(grades.astype(int))),
        ).iloc[0]
        return tuple(
            row[[f'T{end}', f'R1{end}']].to_numpy(dtype=float) for end in ('', '_low', '_high')
        )

    return simulate


def shares(share, n_queries, rng, times):
    """A mean share of 20 nuggets a query, of queries on which it is mostly 0 or 1; ten systems."""
    drawn = rng.binomial(20, rng.beta(share, 1 - share, (10, n_queries))) / 20
    return means_within(drawn)[:3]


def settings(marginal, n_queries, rng, times):
    """The difference of two equal systems at three settings."""
    base = latent(rng, [0, 0], n_queries)[..., None]
    values = scored(marginal, 0.8 * base + 0.6 * rng.normal(size=(2, n_queries, 3)))
    found = Sensitivity(
        'RBP',
        {'p': (0.5, 0.8, 0.9)},
        {'p': 0.8},
        ('a', 'b'),
        tuple(map(str, range(n_queries))),
        values,
        (),
        bootstrap_weights(n_queries, 1, rng),
        0.95,
    ).pair('a', 'b')
    return tuple(found[name].to_numpy() for name in ('difference', 'low', 'high'))


def subtopics(rng, n_queries, right):
    """Two assignments of eight documents a query to three subtopics. The first one is right on a share of documents,
    which differs by query, and elsewhere by chance."""
    true, other = rng.integers(0, 3, (2, n_queries, 8))
    chance = rng.beta(5 * right, 5 - 5 * right, (n_queries, 1)) if right else 0.0
    other = np.where(rng.random(true.shape) < chance, true, other)
    return [
        pd.DataFrame(
            {
                'query_id': np.repeat([f'q{q}' for q in range(n_queries)], 8),
                'doc_id': np.tile([f'd{d}' for d in range(8)], n_queries),
                'subtopic_id': each.ravel().astype(str),
                'relevance': 1,
            }
        )
        for each in (other, true)
    ]


def figures(right, n_queries, rng, times):
    """Omega and F1 of two assignments."""
    found = subtopic_agreement(*subtopics(rng, n_queries, right), n_resamples=1, rng=rng)
    frame = found.to_frame().set_index('figure').loc[['omega', 'f1']]
    return tuple(frame[name].to_numpy() for name in ('mean', 'low', 'high'))


def of_chance(n_queries, right, rng, times):
    """Omega of subtopics that documents have by chance, or of such that are right on a share of them."""
    return (
        subtopic_agreement(*subtopics(rng, n_queries, right), n_resamples=80 * times - 1, rng=rng)
        .to_frame()
        .iloc[0]
    )


def chance_interval(n_queries, rng, times):
    """The interval of chance less the omega of one more assignment by chance, which it is to cover."""
    found = of_chance(n_queries, 0.0, rng, times)
    return (
        -found['mean'],
        found['chance_low'] - found['mean'],
        found['chance_high'] - found['mean'],
    )


def cutoffs(often, n_queries, rng, times):
    """Clusters of documents with some words of their subtopic, on queries with more or fewer of these words."""
    qrels = subtopics(rng, n_queries, 0.6)[1].assign(
        doc_id=lambda table: table['query_id'] + table['doc_id']
    )
    own = rng.random((n_queries, 8, 4)) < rng.beta(5 * often, 5 - 5 * often, (n_queries, 1, 1))
    texts = {
        doc: ' '.join(
            [f's{subtopic}w{w}' for w in np.flatnonzero(words)] + [f'n{w}' for w in noise]
        )
        for doc, subtopic, words, noise in zip(
            qrels['doc_id'],
            qrels['subtopic_id'],
            own.reshape(-1, 4),
            rng.integers(0, 12, (8 * n_queries, 3)),
        )
    }
    found = calibrate_cutoff(qrels, texts, cutoffs=[0.2, 0.4]).to_frame()
    return tuple(found[name].to_numpy() for name in ('omega', 'low', 'high'))


def register(row):
    """Add the rows of this file."""
    wide = (0.91, 0.985)
    for of, said in (
        ('queries', 'over queries'),
        ('judges', 'these queries, average judge'),
        ('again', 'a fresh round of ratings'),
    ):
        for label, world in (
            ('half are rated again', {}),
            ('15 % are rated again', dict(again=0.15)),
            ('hardly any is relevant', dict(relevant=0.05)),
        ):
            for pair in (False, True):
                row(
                    f'judge noise, {"difference" if pair else "mean"}: {said}',
                    label,
                    noise(of, pair=pair, **world),
                    'interval',
                    NOISE,
                    truth=0.0,
                    band=wide,
                    zeros='relevant' in world,
                    draws=True,
                )
    for coefficient, options in (('alpha', {'scale': 'interval'}), ('kappa', {})):
        for relevant, n_queries in ((0.5, 40), (0.3, 40), (0.1, 80)):
            row(
                f'judge agreement, {coefficient}',
                f'grades of {2 * relevant:g} on average, {n_queries} queries',
                agreeing(coefficient, relevant, n_queries, **options),
                'interval',
                'evaluation/judge_agreement.py:judge_agreement',
                band=(0.92, 0.98),
                bounds=(-1.0, 1.0),
                zeros=relevant < 0.2,
            )
    place = 'meta/prediction_powered.py:prediction_powered'
    for marginal, n, N in (('ndcg', 10, 40), ('ndcg', 40, 200), ('rr', 20, 80), ('sparse', 10, 40)):
        row(
            'prediction-powered mean',
            f'{marginal}, {n} of {n + N} queries',
            partial(powered, marginal, n, N),
            'interval',
            place,
            truth=mean_of(marginal),
            band=(0.93, 1.0),
            widest=1.05,
            reference='bounded of the human queries',
            bounds=(0.0, 1.0),
            zeros=marginal == 'sparse',
        )
    for marginal, n, N in (('ndcg', 12, 60), ('rr', 20, 80), ('sparse', 30, 100)):
        pair = powered_pair(marginal, n, N)
        row(
            'prediction-powered difference',
            f'{marginal}, {n} of {n + N} queries',
            lambda rng, times, pair=pair: tuple(
                pair(rng, times)[['difference', 'difference_low', 'difference_high']]
            ),
            'interval',
            f'{place} meta/prediction_powered.py:pairs_by_both',
            truth=0.0,
            band=wide,
            bounds=(-1.0, 1.0),
            zeros=marginal == 'sparse',
        )
    for gap, kind in ((0.0, 'test'), (0.6, 'power')):
        pair = powered_pair('ndcg', 20, 100, gap)
        row(
            'prediction-powered p of a difference',
            f'ndcg, 20 of 120 queries, {"equal" if kind == "test" else "one is better: share found"}',
            lambda rng, times, pair=pair: pair(rng, times)['pvalue'],
            kind,
            place,
            **dict(band=(0.6, 1.0)) if kind == 'power' else {},
        )
    # θ is a ratio of sums over sessions: clicks over ranks; E[1/θ] = ln(b/a)/(b − a) over U(a, b)
    for lowest, highest, n in ((0.3, 0.6, 50), (0.1, 0.3, 100), (0.85, 0.99, 100)):
        row(
            'fit_stopping, θ of RBP',
            f'users of {lowest} to {highest}, {n} sessions',
            partial(sessions, lowest, highest, n),
            'interval',
            'users/fit.py:_Fit',
            truth=(highest - lowest) / np.log(highest / lowest),
            band=(0.92, 0.97),
            bounds=(0.0, 1.0),
            zeros=lowest > 0.5,  # nearly all stop at the first rank
        )
    # A world takes 0.1 s, so that the fast form has few. One fit of two parameters is enough for the whole.
    for name, label, simulate, truth in (
        (
            'fit_stopping, two parameters',
            'shape and q of a discrete Weibull distribution',
            weibull_sessions,
            most_likely_weibull,
        ),
        ('fit_stopping, two parameters', 'T and R1 of IFTGoal', foraging(0.4), np.array([T, R1])),
        (
            'fit_stopping, two parameters',
            'T and R1 of IFTGoal, few relevant',
            foraging(0.2),
            np.array([T, R1]),
        ),
    ):
        row(
            name,
            f'{label}, 50 sessions',
            simulate,
            'interval',
            'users/fit.py:_Fit',
            truth=truth,
            band=(0.91, 0.99),
            widest=1.7,
            zeros='few' in label,
            fast=0,
            most=50,
        )
    for share, n, band, widest in (
        (0.03, 10, (0.92, 0.99), 4.0),
        (0.03, 50, (0.92, 0.99), 1.6),
        (0.95, 25, (0.92, 0.99), 1.8),
        (0.5, 25, (0.92, 0.99), 1.2),
    ):
        row(
            'joint share',
            f'{share}, {n} queries',
            partial(shares, share, n),
            'interval',
            'evaluation/joint.py:Joint evaluation/joint.py:joint',
            truth=share,
            band=band,
            widest=widest,
            bounds=(0.0, 1.0),
            zeros=share < 0.1,
        )
    for marginal, n in (('ndcg', 25), ('rr', 50), ('sparse', 50)):
        row(
            'sensitivity, difference of two systems',
            f'{marginal}, {n} queries',
            partial(settings, marginal, n),
            'interval',
            'explanation/sensitivity.py:Sensitivity',
            truth=0.0,
            band=(0.93, 0.985),
            bounds=(-1.0, 1.0),
            zeros=marginal == 'sparse',
        )
    place = 'evaluation/subtopic_quality.py:subtopic_agreement'
    for right, n in ((0.6, 25), (0.3, 25), (0.95, 25)):
        row(
            'subtopic agreement, omega and F1',
            f'{right} of the documents right, {n} queries',
            partial(figures, right, n),
            'interval',
            place,
            band=(0.92, 1.0) if right > 0.9 else (0.92, 0.98),
            widest=2.2 if right > 0.9 else 1.5,
            bounds=(-1.0, 1.0),
            zeros=right > 0.9,  # nearly all values are 1, a bound as 0 is
            fast=5,
        )
    for n in (3, 10, 25):
        row(
            'subtopic agreement, interval of chance',
            f'{n} queries',
            partial(chance_interval, n),
            'interval',
            place,
            truth=0.0,
            zeros=n == 3,  # omega by chance is around 0
            draws=True,
            fast=12,
        )
    for right, kind in ((0.0, 'test'), (0.4, 'power')):
        row(
            'p of subtopic agreement',
            'by chance, 3 queries'
            if kind == 'test'
            else '0.4 of the documents right, 10 queries: share found',
            lambda rng, times, right=right: of_chance(10 if right else 3, right, rng, times)[
                'pvalue'
            ],
            kind,
            place,
            band=(0.6, 1.0) if kind == 'power' else (0.02, 0.07),  # of 79 assignments by chance
            draws=True,
            fast=3,
        )
    for often, n in ((0.6, 20), (0.3, 20), (0.05, 40)):
        row(
            'omega at a δ (calibrate_cutoff)',
            f'{often} of the words of a subtopic, {n} queries',
            partial(cutoffs, often, n),
            'interval',
            'evaluation/subtopic_quality.py:calibrate_cutoff',
            band=(0.92, 0.99),
            bounds=(-1.0, 1.0),
            zeros=often < 0.1,
            fast=4,
        )
