"""Rows of the calibration suite for judges, prediction-powered means, fits of stopping models, nuggets in answers,
grids of settings and agreement of subtopics.

``tests/test_calibration.py`` calls :func:`register`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats

from ir_divmeasures import (
    Scores,
    calibrate_cutoff,
    fit_stopping,
    judge_agreement,
    meta,
    register_stopping,
    subtopic_agreement,
    unregister_stopping,
)
from ir_divmeasures.core.parameters import Range
from ir_divmeasures.evaluation import joint
from ir_divmeasures.evaluation.judge_noise import JudgeNoise
from ir_divmeasures.explanation.sensitivity import Sensitivity
from ir_divmeasures.meta.resampling import bootstrap_weights

NOISE = 'evaluation/judge_noise.py:JudgeNoise'
SHOWN = 10


def judged_systems(
    rng: np.random.Generator,
    n_resamples: int,
    n_queries: int = 40,
    again: float = 0.5,
) -> tuple[JudgeNoise, np.ndarray, np.ndarray]:
    """Two systems by P@10 under judges who find a document relevant with a probability of its own.

    Every document is rated once, and a share of them twice. Three of ten documents are shown by both systems.

    Returns:
        What :func:`~ir_divmeasures.resample_judges` makes of it; each system's mean over these queries under the
        average judge; the same under one fresh rating of each document.
    """
    easiness = rng.beta(2, 2, n_queries)[:, None]
    chance = np.clip(easiness + rng.normal(0, 0.25, (n_queries, 2 * SHOWN - 3)), 0.02, 0.98)
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


def noise(
    of: str, pair: bool = False, again: float = 0.5
) -> Callable[[np.random.Generator, int], Any]:
    """The interval of the first system's mean, or of the difference, less what it is to cover."""

    def simulate(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
        found, average, fresh = judged_systems(rng, 100 * times, again=again)
        wanted = {'queries': np.full(2, 0.5), 'judges': average, 'again': fresh}[of]
        if pair:
            value, ends = found.differences[0, 0], found.difference_interval(of=of)[0, 0]
            return tuple(np.array([value, *ends]) - (wanted[0] - wanted[1]))
        return tuple(np.array([found.means[0, 0], *found.interval(of=of)[0, 0]]) - wanted[0])

    return simulate


def agreeing(coefficient: str, **options: Any) -> Callable[[np.random.Generator, int], Any]:
    """Two judges of eight documents a query who agree more on some queries than on others."""

    def simulate(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
        n_queries, n = 40, 8
        true = rng.binomial(2, rng.beta(1.5, 1.5, n_queries)[:, None], (n_queries, n))
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


def scored(rng: np.random.Generator, n: int, N: int, gap: float = 0.0) -> tuple[Scores, Scores]:
    """Two systems' skewed scores by an LLM on n + N queries, correlated with those by humans on n of them."""
    z = rng.normal(size=(2, n + N))
    f = scipy.stats.beta.ppf(
        scipy.stats.norm.cdf(0.8 * z + 0.6 * rng.normal(size=z.shape) + 0.3), 1, 1.2
    )
    y = scipy.stats.beta.ppf(scipy.stats.norm.cdf(z), 0.8, 1.2)
    llm = Scores(f)
    return llm, Scores(y[:, :n], llm.systems, llm.queries[:n])


def powered(n: int, N: int) -> Callable[[np.random.Generator, int], Any]:
    def simulate(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
        row = meta.prediction_powered(*scored(rng, n, N)).iloc[0]
        return row['mean'], row['low'], row['high']

    return simulate


def powered_pair(rng: np.random.Generator, times: int) -> pd.Series:
    return meta.prediction_powered(*scored(rng, 12, 60), baseline='system1').iloc[1]


def sessions(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    """RBP on 50 sessions of one to three clicks; users differ in θ, so that clicks of a session are alike."""
    n = rng.integers(1, 4, 50)
    rank = np.concatenate(
        [rng.geometric(theta, k) for theta, k in zip(rng.uniform(0.3, 0.6, 50), n)]
    )
    log = pd.DataFrame({'session': np.repeat(np.arange(50), n), 'query': 'q', 'rank': rank})
    row = fit_stopping(log, 'RBP', reading='every', n_resamples=0, folds=0).iloc[0]
    return row['theta'], row['theta_low'], row['theta_high']


def clicks_of(
    survival: Callable[[Any, Any], Any], n: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    """Clicks of sessions, by inversion of P(rank > k) = survival(ranks, session) at ranks 1 to 400."""
    rows = [
        (session, 1 + int((survival(np.arange(1.0, 401), session) > u).sum()))
        for session, count in enumerate(n)
        for u in rng.random(count)
    ]
    return pd.DataFrame(rows, columns=['session', 'rank']).assign(query='q')


SHAPE, LOWEST, HIGHEST = 0.7, 0.6, 0.8


def survives(ranks: Any, shape: Any, q: Any) -> Any:
    """P(rank ≥ k) of the discrete Weibull distribution."""
    return q ** ((ranks - 1.0) ** shape)


def stops(k: Any, shape: float, q: Annotated[float, Range(0, 1, '()')]) -> Any:
    return survives(k, shape, q) - survives(k + 1, shape, q)


def weibull_sessions(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    """Discrete Weibull users of one shape on 50 sessions of one to three clicks; users differ in q."""
    n, q = rng.integers(1, 4, 50), rng.uniform(LOWEST, HIGHEST, 50)
    log = clicks_of(lambda k, session: survives(k + 1, SHAPE, q[session]), n, rng)
    register_stopping('TwoParameters', stops, lambda k, shape, q: survives(k, shape, q))
    try:
        row = fit_stopping(log, 'TwoParameters', reading='every', n_resamples=0, folds=0).iloc[0]
    finally:
        unregister_stopping('TwoParameters')
    return tuple(
        row[[f'shape{end}', f'q{end}']].to_numpy(dtype=float) for end in ('', '_low', '_high')
    )


@functools.cache
def most_likely_weibull() -> np.ndarray:
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
SHOWN_GRADES = np.random.default_rng(7).random((10, 20)) < 0.4


def foraging_sessions(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    """Users of IFTGoal on 50 sessions of one to three clicks on ten queries; the gain at each rank is 0 or 1."""
    query, n = rng.integers(0, len(SHOWN_GRADES), 50), rng.integers(1, 4, 50)
    gained = np.cumsum(np.pad(SHOWN_GRADES, ((0, 0), (0, 380))), axis=1)
    odds = B1 * np.exp((T - gained) * R1)  # of going on
    goes_on = np.cumprod(odds / (1 + odds), axis=1)
    log = clicks_of(lambda k, session: goes_on[query[session]], n, rng)
    row = fit_stopping(
        log.assign(query=query[log['session']]),
        (),
        C=f'IFTGoal(b1={B1})',
        reading='every',
        relevance=dict(enumerate(SHOWN_GRADES.astype(int))),
        n_resamples=0,
        folds=0,
    ).iloc[0]
    return tuple(
        row[[f'T{end}', f'R1{end}']].to_numpy(dtype=float) for end in ('', '_low', '_high')
    )


def nuggets(n_queries: int) -> Callable[[np.random.Generator, int], Any]:
    """Shares of six nuggets a query that are retrieved and said, where queries differ in how often they are."""

    def simulate(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
        context, answer = rng.random((2, n_queries, 6)) < rng.beta(2, 2, (2, n_queries, 1))
        used = context & answer
        shares = [used, context & ~used, answer & ~used, ~(context | answer), context, answer]
        found = joint._intervals(
            Scores(np.stack([each.mean(axis=1) for each in shares], axis=1)[None]), 0.95
        )
        return tuple(found[name].to_numpy() for name in ('mean', 'low', 'high'))

    return simulate


def settings(n_queries: int) -> Callable[[np.random.Generator, int], Any]:
    """Two equal systems at three settings, whose scores are skewed and alike over settings."""

    def simulate(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
        common = rng.gamma(2, 1, (2, n_queries, 1)) + rng.normal(size=(1, n_queries, 1))
        values = common * [0.5, 1, 2] + rng.normal(size=(2, n_queries, 3))
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

    return simulate


def subtopics(rng: np.random.Generator, n_queries: int, right: bool) -> list[pd.DataFrame]:
    """Two assignments of eight documents a query to three subtopics; the first one is ``right`` as often as differs by
    query, or drawn by chance."""
    true, other = rng.integers(0, 3, (2, n_queries, 8))
    other = np.where(rng.random(true.shape) < right * rng.beta(3, 2, (n_queries, 1)), true, other)
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


def figures(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    found = (
        subtopic_agreement(*subtopics(rng, 25, True), n_resamples=1, rng=rng)
        .to_frame()
        .set_index('figure')
    )
    return tuple(found.loc[['omega', 'f1'], name].to_numpy() for name in ('mean', 'low', 'high'))


def by_chance(rng: np.random.Generator, times: int) -> pd.Series:
    """Omega of subtopics that documents have by chance."""
    return (
        subtopic_agreement(*subtopics(rng, 3, False), n_resamples=80 * times - 1, rng=rng)
        .to_frame()
        .iloc[0]
    )


def cutoffs(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    """Clusters of documents with some words of their subtopic, on queries with more or fewer of these words."""
    qrels = subtopics(rng, 20, True)[1].assign(
        doc_id=lambda table: table['query_id'] + table['doc_id']
    )
    own = rng.random((20, 8, 4)) < rng.beta(3, 2, (20, 1, 1))
    texts = {
        doc: ' '.join(
            [f's{subtopic}w{w}' for w in np.flatnonzero(words)] + [f'n{w}' for w in noise]
        )
        for doc, subtopic, words, noise in zip(
            qrels['doc_id'], qrels['subtopic_id'], own.reshape(-1, 4), rng.integers(0, 12, (160, 3))
        )
    }
    found = calibrate_cutoff(qrels, texts, cutoffs=[0.2, 0.4]).to_frame()
    return tuple(found[name].to_numpy() for name in ('omega', 'low', 'high'))


def register(row: Callable[..., None], once_a_world: Callable[..., Any]) -> None:
    """Add the rows of this file."""
    for of, said in (
        ('queries', 'over queries'),
        ('judges', 'these queries, average judge'),
        ('again', 'a fresh round of ratings'),
    ):
        row(
            f'judge noise: mean, {said}',
            noise(of),
            'interval',
            truth=0.0,
            band='wide',
            covers=NOISE,
            draws=True,
        )
        row(
            f'judge noise: difference, {said}',
            noise(of, pair=True),
            'interval',
            truth=0.0,
            band='wide',
            covers=NOISE,
            draws=True,
        )
    row(
        'judge noise: a fresh round, 15 % rated twice',
        noise('again', again=0.15),
        'interval',
        truth=0.0,
        band='wide',
        covers=NOISE,
        draws=True,
    )
    row(
        "judge agreement: α, 40 queries",
        agreeing('alpha', scale='interval'),
        'interval',
        covers='evaluation/judge_agreement.py:judge_agreement',
    )
    row(
        "judge agreement: κ, 40 queries",
        agreeing('kappa'),
        'interval',
        covers='evaluation/judge_agreement.py:judge_agreement',
    )
    place = 'meta/prediction_powered.py:prediction_powered'
    row(
        'prediction-powered mean, 10 of 50 queries',
        powered(10, 40),
        'interval',
        truth=0.4,
        covers=place,
    )
    row(
        'prediction-powered mean, 40 of 240 queries',
        powered(40, 200),
        'interval',
        truth=0.4,
        covers=place,
    )
    pair = once_a_world(powered_pair)
    row(
        'prediction-powered difference, 12 of 72 queries',
        lambda rng, times: tuple(
            pair(rng, times)[['difference', 'difference_low', 'difference_high']]
        ),
        'interval',
        truth=0.0,
        covers=place,
    )
    row(
        'prediction-powered p of a difference',
        lambda rng, times: pair(rng, times)['pvalue'],
        'test',
        covers=place,
    )
    # θ is a ratio of sums over sessions: clicks over ranks; E[1/θ] = ln 2/.3 over U(.3, .6)
    row(
        'fit_stopping: θ of RBP over sessions',
        sessions,
        'interval',
        truth=0.3 / np.log(2),
        covers='users/fit.py:_fit',
    )
    # A world takes 0.1 s, so that the fast form has few.
    row(
        'fit_stopping: shape and q of a discrete Weibull distribution over sessions',
        weibull_sessions,
        'interval',
        truth=most_likely_weibull,
        covers='users/fit.py:_fit',
        fast=25,
    )
    row(
        'fit_stopping: T and R1 of IFTGoal over sessions',
        foraging_sessions,
        'interval',
        truth=np.array([T, R1]),
        covers='users/fit.py:_fit',
        fast=0,
    )
    places = 'evaluation/joint.py:Joint evaluation/joint.py:_intervals'
    row('joint shares over 25 queries', nuggets(25), 'interval', covers=places)
    row('joint shares over 50 queries', nuggets(50), 'interval', covers=places)
    place = 'explanation/sensitivity.py:Sensitivity'
    row(
        'sensitivity: difference of two systems over 25 queries',
        settings(25),
        'interval',
        truth=0.0,
        covers=place,
    )
    row(
        'sensitivity: difference of two systems over 50 queries',
        settings(50),
        'interval',
        truth=0.0,
        covers=place,
    )
    place = 'evaluation/subtopic_quality.py:subtopic_agreement'
    row(
        'subtopic agreement: omega and F1 over 25 queries',
        figures,
        'interval',
        covers=place,
        fast=30,
    )
    chance = once_a_world(by_chance)
    # The interval of chance less the omega of one more assignment by chance, which it is to cover.
    row(
        'subtopic agreement: interval of chance',
        lambda rng, times: (
            lambda found: (
                0.0,
                found['chance_low'] - found['mean'],
                found['chance_high'] - found['mean'],
            )
        )(chance(rng, times)),
        'interval',
        truth=0.0,
        covers=place,
        draws=True,
        fast=60,
    )
    row(
        'subtopic agreement: p of an assignment by chance',
        lambda rng, times: chance(rng, times)['pvalue'],
        'test',
        covers=place,
        draws=True,
        fast=30,
    )
    row(
        'calibration of δ: omega at a δ over 20 queries',
        cutoffs,
        'interval',
        covers='evaluation/subtopic_quality.py:calibrate_cutoff',
        fast=30,
    )
