"""Rows of the calibration suite for judges, prediction-powered means and fits of stopping models.

``tests/test_calibration.py`` calls :func:`register`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from ir_divmeasures import Scores, fit_stopping, judge_agreement, meta
from ir_divmeasures.evaluation.judge_noise import JudgeNoise

NOISE = 'evaluation/judge_noise.py:JudgeNoise'
SHOWN = 10


def judged_systems(rng: np.random.Generator, n_resamples: int, n_queries: int = 40, again: float = 0.5,
                   ) -> tuple[JudgeNoise, np.ndarray, np.ndarray]:
    """Two systems by P@10 under judges who find a document relevant with a probability of its own.

    Every document is rated once, and a share of them twice. Three of ten documents are shown by both systems.

    Returns:
        What :func:`~ir_divmeasures.resample_judges` makes of it; each system's mean over these queries under the
        average judge; the same under one fresh rating of each document.
    """
    easiness = rng.beta(2, 2, n_queries)[:, None]
    chance = np.clip(easiness + rng.normal(0, .25, (n_queries, 2 * SHOWN - 3)), .02, .98)
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
        ('P@10',), ('A', 'B'), tuple(map(str, range(n_queries))), replicates.mean(axis=(0, 2))[:, None],
        replicates[..., None], np.array([[0, 1]]), np.ones((1, 1)), np.zeros(2), noise,
        noise.mean(axis=0, keepdims=True), SHOWN), *(np.array([values[:, documents].mean() for documents in shown])
                                                     for values in (chance, fresh))


def noise(of: str, pair: bool = False, again: float = 0.5) -> Callable[[np.random.Generator, int], Any]:
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
            rows.append(pd.DataFrame({
                'query_id': np.repeat([f'q{q}' for q in range(n_queries)], n),
                'doc_id': np.tile([f'd{d}' for d in range(n)], n_queries), 'relevance': grades.ravel(),
                'subtopic_id': '1', 'judge': judge}))
        row = judge_agreement(pd.concat(rows), coefficient, **options).iloc[0]
        return row['value'], row['low'], row['high']
    return simulate


def scored(rng: np.random.Generator, n: int, N: int, gap: float = 0.0) -> tuple[Scores, Scores]:
    """Two systems' skewed scores by an LLM on n + N queries, correlated with those by humans on n of them."""
    z = rng.normal(size=(2, n + N))
    f = scipy.stats.beta.ppf(scipy.stats.norm.cdf(.8 * z + .6 * rng.normal(size=z.shape) + .3), 1, 1.2)
    y = scipy.stats.beta.ppf(scipy.stats.norm.cdf(z), .8, 1.2)
    llm = Scores(f)
    return llm, Scores(y[:, :n], llm.systems, llm.queries[:n])


def powered(n: int, N: int) -> Callable[[np.random.Generator, int], Any]:
    def simulate(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
        row = meta.prediction_powered(*scored(rng, n, N)).iloc[0]
        return row['mean'], row['low'], row['high']
    return simulate


def powered_pair(rng: np.random.Generator, times: int) -> float:
    return float(meta.prediction_powered(*scored(rng, 12, 60), baseline='system1')['pvalue'].iloc[1])


def powered_difference(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    row = meta.prediction_powered(*scored(rng, 12, 60), baseline='system1').iloc[1]
    return row['difference'], row['difference_low'], row['difference_high']


def sessions(rng: np.random.Generator, times: int) -> tuple[Any, Any, Any]:
    """RBP on 50 sessions of one to three clicks; users differ in θ, so that clicks of a session are alike."""
    n = rng.integers(1, 4, 50)
    rank = np.concatenate([rng.geometric(theta, k) for theta, k in zip(rng.uniform(.3, .6, 50), n)])
    log = pd.DataFrame({'session': np.repeat(np.arange(50), n), 'query': 'q', 'rank': rank})
    row = fit_stopping(log, 'RBP', reading='every', n_resamples=20 * times, folds=0, rng=rng).iloc[0]
    return row['theta'], row['theta_low'], row['theta_high']


def register(row: Callable[..., None]) -> None:
    """Add the rows of this file."""
    for of, said in (('queries', 'over queries'), ('judges', 'these queries, average judge'),
                     ('again', 'a fresh round of ratings')):
        row(f'judge noise: mean, {said}', noise(of), 'interval', truth=0.0, band='wide', covers=NOISE, draws=True)
        row(f'judge noise: difference, {said}', noise(of, pair=True), 'interval', truth=0.0, band='wide', covers=NOISE,
            draws=True)
    row('judge noise: a fresh round, 15 % rated twice', noise('again', again=.15), 'interval', truth=0.0, band='wide',
        covers=NOISE, draws=True)
    row("judge agreement: α, 40 queries", agreeing('alpha', scale='interval'), 'interval',
        covers='evaluation/judge_agreement.py:judge_agreement')
    row("judge agreement: κ, 40 queries", agreeing('kappa'), 'interval',
        covers='evaluation/judge_agreement.py:judge_agreement')
    place = 'meta/prediction_powered.py:prediction_powered'
    row('prediction-powered mean, 10 of 50 queries', powered(10, 40), 'interval', truth=.4, covers=place)
    row('prediction-powered mean, 40 of 240 queries', powered(40, 200), 'interval', truth=.4, covers=place)
    row('prediction-powered difference, 12 of 72 queries', powered_difference, 'interval', truth=0.0, covers=place)
    row('prediction-powered p of a difference', powered_pair, 'test', covers=place)
    # θ is a ratio of sums over sessions: clicks over ranks; E[1/θ] = ln 2/.3 over U(.3, .6)
    row('fit_stopping: θ of RBP over sessions', sessions, 'interval', truth=.3 / np.log(2), band='wide', draws=True,
        covers='users/fit.py:_fit')
