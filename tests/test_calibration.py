"""Every interval covers the truth, and every test rejects a true null, as often as it says.

``row`` registers a simulated world and the procedure that is applied to it, for each interval and p-value that the
package prints or returns. The fast form draws 100 worlds a row, and fewer where a world is slow. The slow form
(``pytest -m slow``) draws 2,000 and repeats rows with draws of their own at ten times as many of them.
``python -m tests.test_calibration [row …]`` does so for some rows or all, and writes their rates into the table of
docs/guide/intervals.md. The last tests walk the package for names of intervals and p-values that have no row.
"""

from __future__ import annotations

import argparse
import ast
import functools
import itertools
import pathlib
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from ir_divmeasures import DivMeasuresWarning, Scores, meta
from ir_divmeasures.meta import resampling
from ir_divmeasures.reporting.letters import significance_groups
from ir_divmeasures.results import estimates
from ir_divmeasures.user_models import observed_stopping

from . import calibration_judges

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / 'docs/guide/intervals.md'
FAST, SLOW = 100, 2000

# Lowest and highest coverage of 95 % intervals, by band. Rejections of true nulls at 5 % are one minus these. Of fewer
# worlds than SLOW, 1.5 standard errors are allowed beyond either end.
BANDS = {
    'exact': (0.93, 0.97),
    'wide': (0.91, 0.98),  # rank correlations, shares of pairs, judges
    'together': (0.93, 1.0),  # family-wise error, simultaneous intervals
    'conservative': (0.93, 1.0),
}


class Row(NamedTuple):
    """A simulated world, and what is computed there.

    Attributes:
        name: what is covered or tested, as the table on the page says it.
        simulate: a function of a generator and of ``times`` for one world. It returns the value and the ends of an
            interval (numbers or arrays of one shape; an ``Estimate`` will do), or the p-value of a true null.
            Procedures with draws of their own (resamples, trials) make ``times`` as many of them.
        kind: ``'interval'`` or ``'test'``.
        covers: the places of the package that print or return it, ``'meta/unanimity.py:Unanimity'``, with spaces
            between them.
        truth: the true value, or None for the mean of the values over all worlds, for statistics that estimate their
            own expectation on so many queries.
        band: a key of ``BANDS``.
        draws: whether the procedure draws at random itself, and is repeated at ten times the draws.
        fast: number of worlds of the fast form, fewer than FAST where a world is slow; with 0 it is skipped.
    """

    name: str
    simulate: Callable[[np.random.Generator, int], Any]
    kind: str
    covers: str
    truth: Any = None
    band: str = 'exact'
    draws: bool = False
    fast: int = FAST


ROWS: dict[str, Row] = {}


def once_a_world(
    procedure: Callable[[np.random.Generator, int], Any],
) -> Callable[[np.random.Generator, int], Any]:
    """The procedure, which is computed once for rows that look at several of its figures.

    Rows whose names begin with the same eight characters have the same worlds (:func:`rate`).
    """
    found: dict[tuple[int, int], Any] = {}

    def compute(rng: np.random.Generator, times: int) -> Any:
        key = rng.bit_generator.state['state']['state'], times
        if key not in found:
            if len(found) == FAST:
                found.clear()
            found[key] = procedure(rng, times)
        return found[key]

    return compute


def row(
    name: str, simulate: Callable[[np.random.Generator, int], Any], kind: str, **options: Any
) -> None:
    """Register a row; see :class:`Row`."""
    added = Row(name, simulate, kind, **options)
    assert kind in ('interval', 'test') and added.band in BANDS and name not in ROWS
    ROWS[name] = added


def rate(row: Row, n: int, times: int = 1) -> float:
    """The coverage of a row's interval, or its rate of rejections at 5 %, in n worlds.

    Worlds in which the procedure says NaN, because the data do not tell, are left out; more than one in 20 is an error.
    """
    seed = int.from_bytes(row.name.encode()[:8].ljust(8), 'big') % 2**32
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)  # of degenerate worlds
        for world in range(n):
            results.append(row.simulate(np.random.default_rng([seed, world]), times))
    if row.kind == 'test':
        pvalues = np.array(results, dtype=float)
        assert np.isfinite(pvalues).mean() > 0.95, (
            f'{row.name}: {np.isnan(pvalues).sum()} of {pvalues.size} p are NaN'
        )
        return float((pvalues[np.isfinite(pvalues)] < 0.05).mean())
    value, low, high = (
        np.array([result[part] for result in results], dtype=float) for part in range(3)
    )
    known = ~(np.isnan(low) | np.isnan(high))
    assert known.mean() > 0.95, f'{row.name}: {(~known).sum()} of {known.size} intervals are NaN'
    truth = row.truth() if callable(row.truth) else row.truth
    if truth is None:
        truth = np.nanmean(np.where(np.isfinite(value), value, np.nan), axis=0)
    slack = 1e-12  # rounding
    return float(((low - slack <= truth) & (truth <= high + slack))[known].mean())


def check(row: Row, n: int, times: int = 1) -> float:
    seen = rate(row, n, times)
    error = 0.0 if n >= SLOW else 1.5 * np.sqrt(0.05 * 0.95 / n)
    low, high = BANDS[row.band][0] - error, min(BANDS[row.band][1] + error, 1.0)
    if row.kind == 'test':
        low, high = 1 - high, 1 - low
    assert low - 1e-9 <= seen <= high + 1e-9, (
        f'{row.name}: {seen:.4f} of {n} worlds, expected {low:.3f} to {high:.3f}'
    )
    return seen


# ------------------------------------------------------------------------------------------------ the simulated worlds


def skilled(
    rng: np.random.Generator,
    n_queries: int,
    n_systems: int = 8,
    n_measures: int = 2,
    gap: float = 1.0,
    noise: Sequence[float] = (2.0, 1.0),
    steps: int | None = None,
) -> np.ndarray:
    """Scores (systems, queries, measures): skill, the query's difficulty, a part of system and query that all measures
    see, and noise of each measure; rounded to ``steps`` a unit, so that ties happen."""
    skill = gap * np.linspace(0, 1, n_systems)[:, None, None]
    shared = rng.normal(size=(n_systems, n_queries, 1)) + rng.normal(size=(1, n_queries, 1))
    own = rng.normal(size=(n_systems, n_queries, n_measures)) * np.resize(noise, n_measures)
    values = skill + shared + own
    return values if steps is None else np.round(values * steps) / steps


def of_many(
    procedure: Callable[[np.ndarray], Any], n_queries: int = 40_000, **world: Any
) -> Callable[[], Any]:
    """The value of a procedure on very many queries."""
    return functools.cache(lambda: procedure(skilled(np.random.default_rng(0), n_queries, **world)))


# ---------------------------------------------------------------------------------------- means, ratios, procedures


def ratio(rng, times):
    x = rng.gamma(2, 1, 25)
    y = x * 0.5 + rng.gamma(2, 0.5, 25)
    return estimates.jackknife(y.sum() / x.sum(), (y.sum() - y) / (x.sum() - x))


row(
    'mean over 25 queries (charts of the report)',
    lambda rng, _: estimates.mean_over_queries(rng.normal(size=25)),
    'interval',
    truth=0.0,
    covers='results/estimates.py:mean_over_queries results/estimates.py:student results/estimates.py:Estimate meta/significance.py:verdict reporting/charts.py:of_means',
)
row(
    'jackknife: ratio of two sums over 25 queries',
    ratio,
    'interval',
    truth=1.0,
    covers='results/estimates.py:jackknife',
)
row(
    'resamples: logarithm of a mean over 25 queries',
    lambda rng, times: resampling.around(
        lambda x: np.log(x.mean(axis=1)), rng.gamma(9, 1 / 9, (1, 25)), 100 * times, rng
    ),
    'interval',
    truth=0.0,
    covers='meta/resampling.py:around meta/resampling.py:from_resamples',
    draws=True,
)
row(
    'p of chance: a statistic among 199 shuffles',
    lambda rng, _: resampling.chance_pvalue(*(lambda x: (x[0], x[1:]))(rng.normal(size=200))),
    'test',
    covers='meta/resampling.py:chance_pvalue',
)


# -------------------------------------------------------------------------------------------------------- unanimity

TIED = dict(n_systems=6, n_measures=4, noise=(0.7, 1, 1.5, 2), steps=1, gap=2.0)


def unanimity(n_queries: int) -> None:
    def interval(rng, times):
        found = meta.unanimity(skilled(rng, n_queries, **TIED))
        return found.values[:2], *found.interval[:2].T

    row(
        f'unanimity, {n_queries} queries',
        interval,
        'interval',
        truth=of_many(lambda x: meta.unanimity(x).values[:2], 20_000, **TIED),
        covers='meta/unanimity.py:Unanimity',
    )


unanimity(20)
unanimity(50)


def half_wrong(rng, times):
    """A measure that is right on 19 of 20 queries, and wrong on the others."""
    base = rng.random((4, 30))
    found = meta.unanimity(np.stack([np.where(rng.random(30) < 0.95, base, -base), base], axis=2))
    return first(found)


row(
    'unanimity near 1: right on 95 % of the queries',
    half_wrong,
    'interval',
    truth=np.log2(2 * 0.95),
    band='conservative',
    covers='meta/unanimity.py:Unanimity',
)
row(
    'unanimity, ties dropped',
    lambda rng, _: first(meta.unanimity(skilled(rng, 30, **TIED), tied='dropped')),
    'interval',
    truth=of_many(lambda x: meta.unanimity(x, tied='dropped').values[0], 20_000, **TIED),
    covers='meta/unanimity.py:Unanimity',
)
row(
    'difference of unanimity',
    lambda rng, _: meta.unanimity(skilled(rng, 30, **TIED)).difference('measure1', 'measure3'),
    'interval',
    covers='meta/unanimity.py:Unanimity',
    truth=of_many(lambda x: float(np.subtract(*meta.unanimity(x).values[[0, 2]])), 20_000, **TIED),
)
ALIKE = TIED | {'n_measures': 12, 'noise': (1.5,)}
row(
    'difference of unanimity, p of equal measures',
    lambda rng, _: (
        meta.unanimity(skilled(rng, 30, **ALIKE)).difference('measure1', 'measure2').pvalue
    ),
    'test',
    covers='meta/unanimity.py:Unanimity',
)
FAMILIES = {f'measure{m + 1}': 'first' if m < 6 else 'second' for m in range(12)}
row(
    'best unanimity of 12 equal measures',
    lambda rng, _: meta.unanimity(skilled(rng, 30, **ALIKE)).best()[1],
    'interval',
    band='together',
    covers='meta/unanimity.py:Unanimity',
    truth=of_many(lambda x: meta.unanimity(x).values.mean(), 10_000, **ALIKE),
)
lead = once_a_world(
    lambda rng, _: meta.unanimity(
        skilled(rng, 30, **ALIKE), families=FAMILIES, against='others'
    ).lead(
        *([name for name, of in FAMILIES.items() if of == each] for each in ('first', 'second'))
    )[1]
)
row(
    'lead of the best of 6 over the best of 6 others, all equal',
    lead,
    'interval',
    truth=0.0,
    band='together',
    covers='meta/unanimity.py:Unanimity',
)
row(
    'lead of the best of 6 over the best of 6 others, p',
    lambda rng, times: lead(rng, times).pvalue,
    'test',
    band='conservative',
    covers='meta/unanimity.py:Unanimity',
)


def simulations(rng: np.random.Generator, n_queries: int, seeds: int = 3) -> list[np.ndarray]:
    """Several simulations of the same queries, as in the study of unanimity."""
    scores = skilled(rng, n_queries, **TIED | {'steps': None})
    return [np.round(scores + rng.normal(scale=0.7, size=scores.shape)) for _ in range(seeds)]


def over_simulations(rng, times):
    found = meta.Unanimity.averaged([meta.unanimity(scores) for scores in simulations(rng, 30)])
    return first(found)


row(
    'unanimity, mean over three simulations',
    over_simulations,
    'interval',
    covers='meta/unanimity.py:Unanimity',
    truth=functools.cache(
        lambda: meta.unanimity(simulations(np.random.default_rng(0), 20_000, 1)[0]).values[0]
    ),
)


# ------------------------------------------------------------------------------- robustness, stability, correlations

STUDIED = dict(n_systems=8, n_measures=2, noise=(2, 1), gap=2.0)


def robustness(rng, times, **world):
    return meta.topic_robustness(
        skilled(rng, 30, **STUDIED | world), [10], n_trials=50, n_resamples=100 * times, rng=rng
    )


robust = once_a_world(robustness)
stable = once_a_world(
    lambda rng, times: meta.stability(
        skilled(rng, 30, **STUDIED), n_trials=100, n_resamples=100 * times, rng=rng
    )
)


def ends(found):
    interval = found.interval()
    return (
        found.to_frame().to_numpy()[0],
        interval.to_numpy()[0, 0::2],
        interval.to_numpy()[0, 1::2],
    )


def assessors(rng, times):
    scores = skilled(rng, 30, **STUDIED)
    other = scores + rng.normal(scale=2, size=scores.shape)
    return meta.assessor_robustness(
        Scores(scores), {'other': Scores(other)}, n_resamples=100 * times, rng=rng
    )


row(
    'topic robustness, τ',
    lambda rng, times: ends(robust(rng, times)),
    'interval',
    draws=True,
    band='wide',
    covers='meta/robustness.py:Robustness',
)
row(
    'topic robustness, difference of two measures',
    lambda rng, times: robust(rng, times).difference(None, 'measure1', 'measure2'),
    'interval',
    draws=True,
    band='wide',
    covers='meta/robustness.py:Robustness',
)
row(
    'topic robustness, p of equal measures',
    lambda rng, times: (
        robustness(rng, times, noise=(1.5, 1.5)).difference(None, 'measure1', 'measure2').pvalue
    ),
    'test',
    draws=True,
    band='wide',
    covers='meta/robustness.py:Robustness',
)
row(
    'assessor and pool robustness, τ',
    lambda rng, times: ends(assessors(rng, times)),
    'interval',
    draws=True,
    band='wide',
    covers='meta/robustness.py:Robustness',
)
row(
    'stability',
    lambda rng, times: first(stable(rng, times)),
    'interval',
    draws=True,
    covers='meta/stability.py:Stability',
)
row(
    'stability, difference of two measures',
    lambda rng, times: stable(rng, times).difference('measure1', 'measure2'),
    'interval',
    draws=True,
    covers='meta/stability.py:Stability',
)
for coefficient in ('kendall', 'tau_ap', 'rbo'):
    row(
        f'correlation of two measures, {coefficient}',
        lambda rng, times, coefficient=coefficient: (
            lambda found: (found.values[0, 1], *found.interval[0, 1])
        )(
            meta.correlations(
                skilled(rng, 30, **STUDIED | {'n_systems': 15}),
                coefficient,
                n_resamples=100 * times,
                rng=rng,
            )
        ),
        'interval',
        draws=True,
        band='wide',
        covers='meta/agreement.py:correlations',
    )


# ---------------------------------------------------------------------------------- agreement of measures, users


def concordant(rng, times):
    """Two measures that side with the gold measure equally often, on queries that favour one of the two."""
    scores = skilled(rng, 50, n_systems=10, n_measures=3, noise=(1.5, 1.5, 1))
    favour = rng.normal(size=(1, 50))
    scores[:, :, 0] += favour * scores[:, :, 2]
    scores[:, :, 1] -= favour * scores[:, :, 2]
    return meta.intuitiveness(Scores(scores, measures=['a', 'b', 'gold']), 'gold').pvalues[0, 1]


def users(
    n_users: int, n_queries: int, own_pairs: bool = False
) -> Callable[[np.random.Generator, int], Any]:
    """Users and queries that agree more or less with a measure; one pair a query for all, or other pairs for each
    user, of only some of the queries."""

    def simulate(rng, times):
        leaning, favour = 0.6 * rng.normal(size=n_users), 0.6 * rng.normal(size=n_queries)
        rows = []
        for u in range(n_users):
            for q in range(n_queries):
                if own_pairs and rng.random() < 0.5:
                    continue
                agrees = 0.5 + leaning[u] + favour[q] + rng.normal() > 0
                rows.append(
                    (
                        str(q + 1),
                        'system1',
                        f'system{2 + (rng.integers(3) if own_pairs else 0)}',
                        1 if agrees else -1,
                        f'u{u}',
                    )
                )
        scores = np.concatenate([np.ones((1, n_queries)), np.zeros((3, n_queries))])
        found = meta.preference_agreement(
            scores,
            pd.DataFrame(rows, columns=['query_id', 'system_a', 'system_b', 'preference', 'user']),
        )
        return found.values, *found.interval.T

    return simulate


def first(found):
    """The value and the interval of the first measure."""
    return found.values[0], *found.interval[0]


def agreement(spread: float) -> float:
    return 2 * scipy.stats.norm.cdf(0.5 / np.sqrt(1 + spread)) - 1


row(
    'intuitiveness, p of equally intuitive measures',
    concordant,
    'test',
    covers='meta/agreement.py:intuitiveness',
)


def one_user(rng, times):
    favour = 0.6 * rng.normal(size=40)
    rows = [
        (str(q + 1), 'system1', 'system2', 1 if 0.5 + favour[q] + rng.normal() > 0 else -1)
        for q in range(40)
        for _ in range(3)
    ]
    found = meta.preference_agreement(
        np.stack([np.ones(40), np.zeros(40)]),
        pd.DataFrame(rows, columns=['query_id', 'system_a', 'system_b', 'preference']),
    )
    return found.values, *found.interval.T


row(
    'agreement with the preferences of one user',
    one_user,
    'interval',
    truth=agreement(0.36),
    covers='meta/agreement.py:preference_agreement',
)
row(
    'agreement with the preferences of 10 users on 15 queries',
    users(10, 15),
    'interval',
    truth=agreement(0.72),
    band='wide',
    covers='meta/agreement.py:preference_agreement meta/resampling.py:clustered',
)
row(
    'the same, users who saw different pairs',
    users(10, 15, own_pairs=True),
    'interval',
    truth=agreement(0.72),
    band='wide',
    covers='meta/agreement.py:preference_agreement meta/resampling.py:clustered',
)


# ---------------------------------------------------------------------------------------- tests of pairs of systems


def equals(
    rng: np.random.Generator, n_systems: int, n_queries: int, spread: bool = False
) -> np.ndarray:
    """Systems of equal means; with ``spread`` their standard deviations go from ½ to 2."""
    deviations = np.geomspace(0.5, 2, n_systems) if spread else np.ones(n_systems)
    return rng.normal(size=n_queries) + deviations[:, None] * rng.normal(
        size=(n_systems, n_queries)
    )


def smallest_p(
    method: str,
    n_systems: int = 2,
    n_queries: int = 30,
    spread: bool = False,
    n_resamples: int = 200,
    **options: Any,
) -> Callable[[np.random.Generator, int], Any]:
    """The smallest p of all pairs of equal systems."""

    def simulate(rng, times):
        draws = (
            {'n_resamples': n_resamples * times - 1}
            if method in meta.significance.N_RESAMPLES
            else {}
        )
        return meta.discriminative_power(
            equals(rng, n_systems, n_queries, spread), method, rng=rng, **draws, **options
        ).pvalues.min()

    return simulate


TESTS = 'meta/significance.py:DiscriminativePower meta/comparison.py:Comparison'
for method in ('t', 'wilcoxon', 'bootstrap'):
    row(
        f'{method} test of a pair, 30 queries',
        smallest_p(method),
        'test',
        covers=TESTS,
        draws=method == 'bootstrap',
    )
row(
    'tukey_pairwise test of a pair without queries in common',
    lambda rng, _: meta.discriminative_power(
        rng.normal(size=(2, 30)), 'tukey_pairwise'
    ).pvalues.min(),
    'test',
    covers=TESTS,
)


def beyond(method: str, scores: np.ndarray) -> float:
    """0 if a pair differs by more than suffices for significance, which takes less time than all p-values; else 1."""
    means = scores.mean(axis=1)
    n_systems, n = scores.shape
    rest = scores - means[:, None]
    if method == 'tukey':
        rest = rest - rest.mean(axis=0)
    df = (n_systems - 1) * (n - 1) if method == 'tukey' else n_systems * (n - 1)
    needed = meta.significance._critical(0.05, n_systems, df) * np.sqrt(
        np.square(rest).sum() / df / n
    )
    return float(np.ptp(means) <= needed)


row(
    'tukey_oneway, 8 systems without queries in common',
    lambda rng, _: beyond('tukey_oneway', rng.normal(size=(8, 30))),
    'test',
    band='together',
    covers=TESTS,
)
row(
    'tukey, 8 systems of equal spread',
    lambda rng, _: beyond('tukey', equals(rng, 8, 30)),
    'test',
    band='together',
    covers=TESTS,
)
row(
    'tukey_randomised, 8 systems of equal spread',
    smallest_p('tukey_randomised', 8),
    'test',
    band='together',
    covers=TESTS,
    draws=True,
)
row(
    'max_t, 8 systems of spread 0.5 to 2',
    smallest_p('max_t', 8, spread=True),
    'test',
    band='conservative',
    covers=TESTS,
    draws=True,
)
row(
    't tests with Holm, 8 systems of spread 0.5 to 2',
    smallest_p('t', 8, spread=True, correction='holm'),
    'test',
    band='together',
    covers=f'{TESTS} meta/significance.py:adjust',
)
row(
    'letters of the report, 8 systems of spread 0.5 to 2',
    lambda rng, times: (
        1.0
        * any(
            not set(a) & set(b)
            for a, b in itertools.combinations(
                [
                    of[0]
                    for of in significance_groups(
                        Scores(equals(rng, 8, 30, spread=True)),
                        'max_t',
                        0.05,
                        n_resamples=400 * times - 1,
                    )
                ],
                2,
            )
        )
        < 1
    ),
    'test',
    band='conservative',
    covers='reporting/letters.py:significance_groups',
    draws=True,
)


def compared(rng, times):
    found = meta.compare(equals(rng, 3, 30))
    return found.differences[0, 1:], *found.intervals[:, 0, 1:]


row(
    'compare: difference to a baseline',
    compared,
    'interval',
    truth=0.0,
    covers='meta/comparison.py:Comparison',
)
row(
    'compare: p with Holm, two systems and a baseline',
    lambda rng, _: np.nanmin(meta.compare(equals(rng, 3, 30)).pvalues),
    'test',
    band='together',
    covers='meta/comparison.py:Comparison',
)
row(
    'discriminative power: difference of the shares of two measures',
    lambda rng, times: meta.discriminative_power(skilled(rng, 30, **STUDIED), 't').difference(
        'measure1', 'measure2', n_resamples=30 * times, rng=rng
    ),
    'interval',
    band='wide',
    draws=True,
    covers='meta/significance.py:DiscriminativePower',
)


# ---------------------------------------------------------------------------------------------------- queries needed


def pilot(rng, times):
    """The true number of queries for an effect of 0.5, which is 34, among those that a pilot of 15 queries leaves."""
    found = meta.queries_needed(
        Scores([0.5 + rng.normal(size=15), np.zeros(15)]), 'system1', 'system2'
    )
    return first(found)


row(
    'queries needed, from a pilot of 15',
    pilot,
    'interval',
    truth=34.0,
    band='conservative',  # N is whole
    covers='meta/queries.py:queries_needed',
)


# ------------------------------------------------------------------------------------------------- pools, users' logs


def losses(
    rng: np.random.Generator, n_groups: int, n_queries: int, drawn: bool = True
) -> np.ndarray:
    """What groups lose on queries without the judgments that only they brought, (groups, queries).

    It is often nothing, and some queries and some groups (if they are drawn) lose more. tests/test_pool.py holds that
    ``newcomer_loss`` and ``group_bias`` are these procedures on such changes.
    """
    group = rng.beta(2, 3, (n_groups, 1)) if drawn else np.full((n_groups, 1), 0.4)
    chance = (group + rng.beta(2, 3, (1, n_queries))) / 2
    return np.where(
        rng.random((n_groups, n_queries)) < chance, -rng.gamma(3, 0.02, (n_groups, n_queries)), 0.0
    )


def newcomer(rng, times):
    change = losses(rng, 10, 20)
    return resampling.clustered(change.ravel(), *np.indices(change.shape).reshape(2, -1))


def few_finds(rng, times):
    """Numbers of unique documents, by topic, of groups that find equally many."""
    found = meta.discriminative_power(
        rng.poisson(1.5, (4, 25)), 'max_t', n_resamples=200 * times - 1, rng=rng
    )
    return found.pvalues.min()


row(
    'loss of a newcomer: groups and queries drawn',
    newcomer,
    'interval',
    band='wide',
    covers='pools/campaign.py:newcomer_loss meta/resampling.py:clustered',
)
row(
    'influence of a group on its own run',
    lambda rng, _: estimates.mean_over_queries(losses(rng, 1, 30, drawn=False)[0]),
    'interval',
    covers='pools/campaign.py:group_bias',
    band='wide',
)
row(
    'unique finds of 4 equal groups: which find more',
    few_finds,
    'test',
    band='conservative',
    draws=True,
    covers='pools/campaign.py:unique_by_group',
)


def stopping(rng, times):
    """The share of 60 users who go on after rank 1, where each goes on with probability 0.6."""
    found = observed_stopping(rng.geometric(0.4, 60)).iloc[0]
    return found['C'], found['C_low'], found['C_high']


row(
    'observed continuation after a rank',
    stopping,
    'interval',
    truth=0.6,
    covers='users/logs.py:observed_stopping',
)


calibration_judges.register(row, once_a_world)


# -------------------------------------------------------------------------------------------------------- the tests


@pytest.mark.parametrize('name', [name for name, each in ROWS.items() if each.fast])
def test_calibration(name):
    check(ROWS[name], ROWS[name].fast)


@pytest.mark.slow
@pytest.mark.parametrize('times', [1, 10])
@pytest.mark.parametrize('name', ROWS)
def test_calibration_in_full(name, times):
    if times > 1 and not ROWS[name].draws:
        pytest.skip('no draws of its own')
    check(ROWS[name], SLOW, times)


def test_a_procedure_that_does_not_hold_is_noticed():
    """Intervals of half the width, and a test that ignores that trials share the queries."""

    def narrow(rng, times):
        estimate = estimates.mean_over_queries(rng.normal(size=20))
        return estimate.value, *((end + estimate.value) / 2 for end in estimate[1:3])

    def trials(rng, times):
        queries = rng.normal(size=30)
        return estimates.mean_over_queries(
            [rng.choice(queries, 15, replace=False).mean() for _ in range(30)]
        ).pvalue

    for wrong in (Row('half', narrow, 'interval', '', 0.0), Row('trials', trials, 'test', '')):
        with pytest.raises(AssertionError, match='worlds, expected'):
            check(wrong, FAST)


# ------------------------------------------------------------------------------------- nothing is without a row

NAMES = re.compile(r'(\w*[_ ])?(low|high|lower|upper|intervals?|pvalues?|p|half)( \w+)?|±.*|95 %')
"""Names of attributes, methods and columns that hold an interval or a p-value."""

PRINTED = {
    'reporting/subtopic_tables.py:joint_section': 'mean over 25 queries (charts of the report)',
    'meta/comparison.py:compare': 'compare: difference to a baseline',
    'evaluation/scores.py:Scores': 'mean over 25 queries (charts of the report)',
    'results/plotting.py:bars': 'mean over 25 queries (charts of the report)',
    'studies/dynamic_domain.py:_official': 'best unanimity of 12 equal measures',
    'studies/metric_unanimity.py:_best': 'best unanimity of 12 equal measures',
    'studies/metric_unanimity.py:_lead': 'lead of the best of 6 over the best of 6 others, all equal',
    'studies/rarity.py:rarity_by_grade': 'mean over 25 queries (charts of the report)',
    'studies/subquestions.py:exchanged': 't tests with Holm, 8 systems of spread 0.5 to 2',
    'studies/subquestions.py:power': 'unanimity, 20 queries',
    'studies/subquestions.py:noise': 'judge noise: difference, a fresh round of ratings',
    'studies/bottom_up.py:by_chance': 'p of chance: a statistic among 199 shuffles',
    'studies/user_robustness.py:differences': 'topic robustness, difference of two measures',
}
"""Places that print what a function returns, and that function's row."""

EXEMPT = {
    'axioms/cases.py:Cases': 'rankings',
    'axioms/cases.py:concatenated': 'rankings',
    'axioms/cases.py:Counterexample': 'rankings',
    'core/parameters.py:Range': 'the range of a parameter',
    'reporting/charts.py:of_parameters': 'the place of a legend',
    'evaluation/bounds.py:bounds': 'what unjudged documents leave open, with certainty',
    'meta/stability.py:system_count': 'the error of the trials, called monte_carlo',
    'meta/stability.py:draw_system_count': 'the same',
    'evaluation/judge_agreement.py:_estimate': 'a scale of grades',
    'studies/bottom_up.py:hierarchies': 'the error of the resamples',
    'studies/bottom_up.py:more_pairs': 'the same',
    'pools/campaign.py:reusability': 'quantiles of the draws',
    'pools/campaign.py:plot_reusability': 'the same',
    'evaluation/adhoc.py:_rbp': 'the parameter p',
    'families/utility.py:_rbu_norm': 'the parameter p',
    'pools/unjudged.py:_rbp_parts': 'the parameter p',
    'pools/unjudged.py:table_of': 'what unjudged documents leave open, with certainty',
    'results/plotting.py:lines': 'the place of a legend',
    'studies/rarity.py:innovation': 'grades',
    'studies/rarity.py:table_1': 'a level of significance',
    'studies/rarity.py:table_2': 'the error of the trials',
}
"""Places with such names that hold no inference, and what they hold instead."""


@functools.cache
def defined(root: pathlib.Path = ROOT / 'ir_divmeasures') -> dict[str, set[str]]:
    """Each class and function by ``'file:name'``, with the names of intervals and p-values that it has.

    Names are those of attributes and methods of classes and of columns (texts that are just such a name), and functions
    that return an ``Estimate``.
    """
    found: dict[str, set[str]] = {}
    for path in sorted(root.rglob('*.py')):
        file = path.relative_to(root).as_posix()
        for top in ast.parse(path.read_text(encoding='utf-8')).body:
            if not isinstance(top, (ast.ClassDef, ast.FunctionDef)):
                continue
            inside = top.body if isinstance(top, ast.ClassDef) else [top]
            names = {
                node.target.id
                for node in inside
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            }
            names |= {node.name for node in inside if isinstance(node, ast.FunctionDef)} - {
                top.name
            }
            names |= {
                node.value
                for node in ast.walk(top)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
            hits = {name for name in names if NAMES.fullmatch(name)}
            hits |= {
                node.name
                for node in inside
                if isinstance(node, ast.FunctionDef)
                and node.returns is not None
                and 'Estimate' in ast.unparse(node.returns)
                and not node.name.startswith('_')
            }
            found[f'{file}:{top.name}'] = hits
    return found


def without_row(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """The places that name intervals or p-values and have no row."""
    covered = {place for row in ROWS.values() for place in row.covers.split()}
    return {
        place: names
        for place, names in found.items()
        if names and place not in covered | set(PRINTED) | set(EXEMPT)
    }


def test_every_interval_and_p_value_has_a_row():
    assert without_row(defined()) == {}
    assert set(PRINTED.values()) <= set(ROWS)


def test_what_rows_cover_exists():
    """A place that is gone has no row, and no reason for having none."""
    covered = {place for row in ROWS.values() for place in row.covers.split()}
    assert covered | set(PRINTED) | set(EXEMPT) <= defined().keys()


@pytest.mark.parametrize(
    'code',
    [
        'class New(Result):\n    interval: Array',
        'class New(Result):\n    def confidence_interval(self): ...',
        "def new():\n    return pd.DataFrame({'value': 1, 'low': 0, 'high': 2})",
        "def new():\n    frame['p'] = 0.04",
        'def new() -> Estimate: ...',
        "class New:\n    def difference(self) -> Estimate: ...",
        "def new():\n    return {'± (trials)': 1}",
        "def new():\n    columns = ['change_low']",
    ],
)
def test_a_new_interval_without_a_row_is_noticed(tmp_path, code):
    (tmp_path / 'new.py').write_text(code, encoding='utf-8')
    assert list(without_row(defined(tmp_path))) == ['new.py:' + ('New' if 'New' in code else 'new')]


# -------------------------------------------------------------------------------------------------- the page's table

Rates = dict[str, tuple[float, int]]


def table(results: Rates, more: Rates) -> str:
    """The table of the page: rates by row, and the same at ten times the draws, with the number of worlds."""
    lines = [
        '| interval or test | kind | band | coverage or rejections | at ten times the draws |',
        '| --- | --- | --- | --- | --- |',
    ]
    for name, each in ROWS.items():
        low, high = BANDS[each.band]
        if each.kind == 'test':
            low, high = 1 - high, 1 - low
        band = (
            f'{low:.2f} to {high:.2f}'
            if low > 0 and high < 1
            else f'at least {low:.2f}'
            if low
            else f'at most {high:.2f}'
        )
        cells = [
            f'{part[name][0]:.3f} ({part[name][1]} worlds)' if name in part else ''
            for part in (results, more)
        ]
        lines.append(f'| {name} | {each.kind} | {band} | {" | ".join(cells)} |')
    return '\n'.join(lines)


MARKS = '<!-- calibration -->\n', '\n<!-- end of calibration -->'


def written() -> tuple[Rates, Rates]:
    """The rates that the page has, and those at ten times the draws."""
    parts: tuple[Rates, Rates] = {}, {}
    for line in (
        PAGE.read_text(encoding='utf-8').split(MARKS[0])[1].split(MARKS[1])[0].splitlines()[2:]
    ):
        name, *_, once, more = line.strip('|').split('|')
        for part, cell in zip(parts, (once, more)):
            if found := re.search(r'([\d.]+) \((\d+) worlds\)', cell):
                part[name.strip()] = float(found[1]), int(found[2])
    return parts


def write(results: Rates, more: Rates) -> None:
    """Put rates into the table of the page; other rows keep theirs."""
    before, rest = PAGE.read_text(encoding='utf-8').split(MARKS[0])
    old, old_more = written()
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(
        before + MARKS[0] + table(old | results, old_more | more) + MARKS[1] + after,
        encoding='utf-8',
    )


def test_the_page_has_every_row_within_its_band():
    """The table is of these rows, was made of at least 200 worlds a row, and each number is where its row says."""
    once, more = written()
    assert set(once) == set(ROWS)
    cells = {name: [once[name], *([more[name]] if name in more else [])] for name in once}
    for name, rates in cells.items():
        low, high = BANDS[ROWS[name].band]
        if ROWS[name].kind == 'test':
            low, high = 1 - high, 1 - low
        assert all(n >= 200 for _, n in rates), name
        for seen, n in rates:
            slack = 0 if n >= SLOW else 2 * np.sqrt(0.05 * 0.95 / n)
            assert low - slack - 5e-4 <= seen <= high + slack + 5e-4, f'{name}: {seen}'


if __name__ == '__main__':
    parser = argparse.ArgumentParser(
        prog='python -m tests.test_calibration',
        description='Simulate rows, and write their rates into docs/guide/intervals.md.',
    )
    parser.add_argument(
        'rows',
        nargs='*',
        metavar='row',
        help='a part of the names of rows; the default is all rows',
    )
    parser.add_argument('--worlds', type=int, default=SLOW, help='number of worlds')
    parser.add_argument(
        '--times', type=int, choices=(1, 10), help='draws of each procedure; the default is both'
    )
    asked = parser.parse_args()
    for name, each in ROWS.items():
        for times in (1, 10) if asked.times is None else (asked.times,):
            if any(part in name for part in asked.rows or ['']) and (times == 1 or each.draws):
                found = {name: (rate(each, asked.worlds, times), asked.worlds)}
                print(
                    f'{name}, draws × {times}: {found[name][0]:.3f} of {asked.worlds} worlds',
                    flush=True,
                )
                write(*((found, {}) if times == 1 else ({}, found)))
