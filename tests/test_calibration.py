"""How often intervals cover the truth, how wide they are, and how often tests are wrong and right.

A row is a simulated world (``calibration_worlds.py``: scores with zeros, ones, ties, skew, near copies) and a procedure.
With every change, the fast rows are measured on a few hundred worlds. ``pytest -m slow`` measures all rows on up to
2,000. ``python -m tests.test_calibration 1000 [words]`` prints rows; the guide to intervals quotes these rates.
"""

import sys
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import Scores, meta
from ir_divmeasures.meta.intervals import mean_interval

from . import calibration_worlds as worlds
from .builders import quietly


class Row(NamedTuple):
    """A world and a procedure.

    Attributes:
        simulate: a function of a generator and a number of worlds that returns, for each world, a value and the ends of
            its interval, or whether a test finds something.
        low, high: the band of the coverage, or of the share of worlds with a finding.
        truth: the true value; None for the mean of the values over the worlds.
        widest: the largest mean width in units of 2 · 1.96 · standard deviation of the values over the worlds.
        fast, slow: number of worlds in the fast form, 0 for none, and in the slow form.
    """

    simulate: Callable
    low: float
    high: float
    truth: float | None = None
    widest: float = np.inf
    fast: int = 0
    slow: int = 2000


ROWS: dict[str, Row] = {}


TOGETHER = 20
"""Worlds that are tested together, as measures are: Tukey's distribution is computed and resamples are drawn once."""


def one_by_one(simulate):
    """Simulate one world after the other."""
    return lambda rng, n: [simulate(rng) for _ in range(n)]


def finds(world, method='t', correction='holm', *pair):
    """Whether a test of all pairs of systems finds a difference, or that of one pair."""

    def simulate(rng, n):
        findings = []
        for start in range(0, n, TOGETHER):
            x = np.stack([world(rng) for _ in range(min(TOGETHER, n - start))])
            first, second = np.triu_indices(x.shape[1], 1)
            tests = meta.pvalues(x, first, second, method, correction, n_resamples=199, rng=rng)
            is_tested = (first == pair[0]) & (second == pair[1]) if pair else first >= 0
            findings += (tests.pvalue < 0.05)[:, is_tested].any(axis=1).tolist()
        return findings

    return simulate


# ------------------------------------------------------------------------------------------- tests: false findings

for n, highest in (10, 0.09), (25, 0.08), (50, 0.07):
    for name in ('ndcg', 'rr', 'sparse'):
        ROWS[f'equal systems, {name}, {n} queries: t finds'] = Row(
            finds(lambda rng, n=n, name=name: worlds.equal(rng, name, n)),
            0,
            highest,
            fast=100 if (name, n) == ('sparse', 10) else 0,
        )
for name, n, highest in (
    ('rr', 10, 0.08),
    ('sparse', 10, 0.17),
    ('sparse', 25, 0.22),
    ('sparse', 50, 0.14),
    ('sparser', 25, 0.29),
):
    ROWS[f'equal means, other shapes, {name}, {n} queries: t finds'] = Row(
        finds(lambda rng, n=n, name=name: worlds.shapes(rng, name, n)), 0, highest, fast=0
    )
ROWS['near copies, ndcg, 25 queries: t finds'] = Row(
    finds(lambda rng: worlds.copies(rng, 25)), 0, 0.07, fast=100
)
ROWS['4 of 50 queries differ equally: t finds'] = Row(
    finds(
        lambda rng: np.stack(
            [np.zeros(50), np.resize([0.1, -0.1], 4)[rng.integers(0, 2, 4)].tolist() + [0] * 46]
        )
    ),
    0,
    0.01,
    fast=100,
)
for method in ('bootstrap', 'tukey', 'unpaired'):
    ROWS[f'two equal systems, ndcg, 25 queries: {method} finds'] = Row(
        finds(lambda rng: worlds.equal(rng, 'ndcg', 25, 2), method, None),
        0,
        0.09,
        fast=0 if method == 'tukey' else 20,
    )

# --------------------------------------------------------------------------------------------------- tests: power


for method, correction in (('t', 'holm'), ('tukey', None), ('bootstrap', None)):
    ROWS[f'skills −.6 and .6 of ten systems, ndcg, 50 queries: {method} finds'] = Row(
        finds(worlds.one_query, method, correction, 0, 9),
        0.9,
        1,
        fast=0 if method == 'tukey' else 20,
    )
ROWS['a near copy that is a little better, ndcg, 50 queries: t finds'] = Row(
    finds(lambda rng: better_copy(rng, 50), 't', 'holm', 0, 8), 0.9, 1, fast=20
)


def better_copy(rng, n):
    """Ten systems by nDCG, the ninth of which is a copy of the first, .02 to .06 better."""
    x = worlds.equal(rng, 'ndcg', n)
    x[8] = x[0] + rng.uniform(0.02, 0.06, n)
    return x


# ------------------------------------------------------------------------------------------------ intervals of means


def mean_of(name, n):
    def simulate(rng):
        x = worlds.scored(name, rng.normal(size=n))
        return x.mean(), *mean_interval(x, bounds=(0, 1))

    return one_by_one(simulate)


MEANS = {
    'ndcg': (0.93, 0.93, 0.94),
    'rr': (0.92, 0.93, 0.94),
    'strec': (0.92, 0.93, 0.94),
    'high': (0.92, 0.93, 0.94),
    'skew': (0.82, 0.87, 0.90),
    'sparse': (0.79, 0.88, 0.90),
}
"""The lowest coverage of the t interval, cut at the range, for 10, 25 and 50 queries."""
for name, lowest in MEANS.items():
    for n, low in zip((10, 25, 50), lowest):
        ROWS[f'mean, {name}, {n} queries'] = Row(
            mean_of(name, n), low, 0.97, worlds.mean_of(name), 1.25, fast=400 if n == 10 else 0
        )

# ---------------------------------------------------------------------------------------- intervals of other statistics


def statistic(function, world, **options):
    """The first row of a table."""

    def simulate(rng):
        table = function(
            world(rng), **({'rng': rng} if function is not meta.unanimity else {}), **options
        )
        return tuple(table.loc[table.index[-1], ['statistic', 'low', 'high']])

    return one_by_one(simulate)


def measured(*marginals, **options):
    return lambda rng: worlds.measured(rng, marginals, 30, **options)


for name, marginals in {
    'ndcg': ('ndcg', 'rr', 'strec'),
    'many zeros': ('sparse', 'sparse', 'skew'),
}.items():
    world = measured(*marginals)
    ROWS[f'τ of two measures, {name}'] = Row(
        statistic(
            lambda x, rng: meta.correlations(x[..., :2], n_resamples=100, rng=rng).iloc[[1]], world
        ),
        0.88,
        1,
        widest=1.6,
        fast=15,
    )
    ROWS[f'stability, {name}'] = Row(
        statistic(meta.stability, world, n_trials=100, n_resamples=30),
        0.88,
        1,
        widest=1.7,
        fast=8 if name == 'ndcg' else 0,
        slow=300,
    )
    ROWS[f'τ of 10 of 30 topics, {name}'] = Row(
        statistic(meta.topic_robustness, world, sizes=[10], n_trials=50, n_resamples=30),
        0.85,
        1,
        widest=1.7,
        fast=8 if name == 'ndcg' else 0,
        slow=300,
    )
    ROWS[f'unanimity, {name}'] = Row(statistic(meta.unanimity, world), 0.9, 1, widest=1.9, fast=20)


def agreement(rng):
    """One preference of each of four users on 25 queries; users and queries differ in how often they agree."""
    chance = 0.7 + rng.normal(0, 0.1, (25, 1)) + rng.normal(0, 0.05, (1, 4))
    agrees = rng.random((25, 4)) < chance
    scores = Scores(np.tile([[1.0], [0.0]], (1, 25)), 'ab')
    query, user = np.indices(agrees.shape).reshape(2, -1)
    answers = {
        'query_id': (query + 1).astype(str),
        'user': user,
        'preference': np.where(agrees.ravel(), 1, -1),
    }
    table = meta.preference_agreement(
        scores, pd.DataFrame(answers).assign(system_a='a', system_b='b')
    )
    return tuple(table.loc[0, ['statistic', 'low', 'high']])


ROWS['agreement with users'] = Row(one_by_one(agreement), 0.88, 1, 0.4, fast=15)


def keeps_best(name):
    def simulate(rng):
        x = worlds.systems(rng, name, 25, np.linspace(-0.3, 0.3, 8))
        table = meta.ranks(x)
        return table['may_be_first'][table['system'] == 'system8'].item()

    return one_by_one(simulate)


for name in ('ndcg', 'sparse'):
    ROWS[f'the best of eight systems may be first, {name}'] = Row(
        keeps_best(name), 0.95, 1, fast=20
    )


# -------------------------------------------------------------------------------------------------------- measuring


def measure(title, n):
    """The rate of a row, and the mean width of its intervals by their spread (NaN for tests)."""
    row, rng = ROWS[title], np.random.default_rng(zlib.crc32(title.encode()))
    with quietly():
        drawn = np.array(row.simulate(rng, n), dtype=float)
    if drawn.ndim == 1:
        return drawn.mean(), np.nan
    value, low, high = np.moveaxis(drawn, 1, 0)
    finite = np.isfinite(value)
    truth = value[finite].mean(axis=0) if row.truth is None else row.truth
    width = np.mean((high - low)[np.isfinite(high - low)]) / (2 * 1.96 * value[finite].std())
    return np.mean((low <= truth) & (truth <= high)), width


def check(title, n):
    row, (rate, width) = ROWS[title], measure(title, n)
    error = 3 * np.sqrt(0.1 * 0.9 / n)
    assert row.low - error <= rate <= row.high + error, (title, rate)
    assert np.isnan(width) or width <= row.widest * (1 + error), (title, width)


@pytest.mark.parametrize('title', [title for title, row in ROWS.items() if row.fast])
def test_calibration(title):
    check(title, ROWS[title].fast)


@pytest.mark.slow
@pytest.mark.parametrize('title', ROWS)
def test_calibration_in_full(title):
    check(title, ROWS[title].slow)


if __name__ == '__main__':
    n, *words = sys.argv[1:]
    for title in ROWS:
        if all(word in title for word in words):
            print(title, *(f'{number:.3f}' for number in measure(title, int(n))))
