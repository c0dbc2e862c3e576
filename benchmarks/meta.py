"""How fast meta-evaluation is, against a plain loop over the pairs of systems on the same machine and scores.

    python benchmarks/meta.py [--systems 126] [--queries 50] [--measures 20]

The loop is measured on some pairs (or trials) of one measure and multiplied; its p-values are compared with ours. An
absolute time means little on a shared machine; the ratios are what to look at.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.integrate
import scipy.stats

from ir_divmeasures import Scores, meta
from ir_divmeasures.meta.resampling import bootstrap_weights


def scores(systems: int, queries: int, measures: int) -> Scores:
    """Systems of different quality, topics of different difficulty, measures that correlate."""
    rng = np.random.default_rng(0)
    values = (
        0.4
        + rng.normal(0, 0.08, (systems, 1, 1))
        + rng.normal(0, 0.15, (1, queries, 1))
        + rng.normal(0, 0.12, (systems, queries, 1))
        + rng.normal(0, 0.06, (systems, queries, measures))
    )
    return Scores(values.clip(0, 1))


def timed(function: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    best, result = float('inf'), None
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def loop_bootstrap(x: np.ndarray, pairs: list[tuple[int, int]], n_resamples: int) -> list[float]:
    """Sakai's procedure for one pair after the other; resamples of a pair at once in NumPy."""
    n = x.shape[1]
    counts = np.rint(bootstrap_weights(n, n_resamples, np.random.default_rng(0)) * n).astype(int)
    drawn = np.array([np.repeat(np.arange(n), row) for row in counts])
    result = []
    for i, j in pairs:
        z = x[i] - x[j]
        w = (z - z.mean())[drawn]
        t = np.abs(w.mean(axis=1)) / (w.std(axis=1, ddof=1) / np.sqrt(n))
        result.append(float(np.mean(t >= abs(z.mean()) / (z.std(ddof=1) / np.sqrt(n)))))
    return result


def loop_tukey(x: np.ndarray, trials: int) -> np.ndarray:
    """Randomised Tukey HSD, one replicate and query after the other."""
    rng = np.random.default_rng(0)
    ranges = []
    for _ in range(trials):
        shuffled = np.column_stack([rng.permutation(x[:, q]) for q in range(x.shape[1])])
        means = shuffled.mean(axis=1)
        ranges.append(means.max() - means.min())
    return np.array(ranges)


def loop_stability(x: np.ndarray, trials: int) -> list[float]:
    rng = np.random.default_rng(0)
    samples = [rng.choice(x.shape[1], x.shape[1] // 2, replace=False) for _ in range(trials)]
    means = [x[:, sample].mean(axis=1) for sample in samples]
    result = []
    for i, j in itertools.combinations(range(len(x)), 2):
        wins = sum(m[i] > m[j] for m in means)
        losses = sum(m[j] > m[i] for m in means)
        result.append(max(wins, losses) / trials)
    return result


def loop_unanimity(values: np.ndarray, m: int) -> tuple[float, float]:
    """Ordered pairs of systems one after the other, queries at once."""
    others = [o for o in range(values.shape[2]) if o != m]
    joint = unanimous = 0.0
    for i, j in itertools.permutations(range(len(values)), 2):
        agreed = (values[i][:, others] >= values[j][:, others]).all(axis=1)
        difference = values[i, :, m] - values[j, :, m]
        unanimous += agreed.sum()
        joint += (agreed & (difference > 0)).sum() + (agreed & (difference == 0)).sum() / 2
    return joint, unanimous


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (('systems', 126), ('queries', 50), ('measures', 20)):
        parser.add_argument(f'--{name}', type=int, default=default)
    args = parser.parse_args()
    table = scores(args.systems, args.queries, args.measures)
    x, n_measures = table[table.measures[0]], len(table.measures)
    pairs = list(itertools.combinations(range(args.systems), 2))
    some = pairs[:: max(1, len(pairs) // 150)]
    places = [pairs.index(pair) for pair in some]
    rows = []

    def report(name: str, ours: float, loop: float, target: str, agrees: str) -> None:
        rows.append(
            {
                '': name,
                'seconds': round(ours, 2),
                'plain loop, seconds': round(loop, 1),
                'ratio': round(loop / ours, 1),
                'target': target,
                'agreement': agrees,
            }
        )

    ours, power = timed(
        lambda: meta.discriminative_power(table, 'bootstrap', correction=None, rng=0)
    )
    loop, found = timed(lambda: loop_bootstrap(x, some, 1000))
    report(
        'paired bootstrap, B=1000, with needed Δ',
        ours,
        loop / len(some) * len(pairs) * n_measures,
        '20 s',
        f'p differs by at most {np.abs(power.pvalues[0, places] - found).max():.3f}',
    )

    ours, power = timed(lambda: meta.discriminative_power(table, 'tukey_randomised', rng=0))
    loop, ranges = timed(lambda: loop_tukey(x, 200))
    report(
        'randomised Tukey HSD, B=5000',
        ours,
        loop / 200 * 5000 * n_measures,
        '20 s',
        f'needed difference {power.delta[0]:.3f} and {np.quantile(ranges, 0.95):.3f} (200 replicates)',
    )

    warnings.simplefilter('ignore', scipy.integrate.IntegrationWarning)
    ours, power = timed(lambda: meta.discriminative_power(table, 'tukey'))
    q = np.abs(power.differences[0]) / (
        power.delta[0]
        / scipy.stats.studentized_range.ppf(
            0.95, args.systems, (args.systems - 1) * (args.queries - 1)
        )
    )
    loop, exact = timed(
        lambda: scipy.stats.studentized_range.sf(
            q[places], args.systems, (args.systems - 1) * (args.queries - 1)
        )
    )
    report(
        'Tukey HSD, all systems (p by scipy, pair by pair)',
        ours,
        loop / len(some) * len(pairs) * n_measures,
        '',
        f'p differs by at most {np.abs(power.pvalues[0, places] - exact).max():.1e}',
    )

    ours, power = timed(lambda: meta.discriminative_power(table, 't', correction='holm'))
    loop, found = timed(lambda: [scipy.stats.ttest_rel(x[i], x[j]).pvalue for i, j in some])
    report(
        'paired t, Holm',
        ours,
        loop / len(some) * len(pairs) * n_measures,
        '',
        'tested against scipy',
    )

    ours, stable = timed(lambda: meta.stability(table, rng=0))
    loop, found = timed(lambda: loop_stability(x, 20))
    report(
        'stability, R=1000',
        ours,
        loop / 20 * 1000 * n_measures,
        '5 s',
        f'{stable.values[0]:.3f} and {np.mean(found):.3f} (20 trials)',
    )

    ours, mu = timed(lambda: meta.unanimity(table))
    loop, (joint, unanimous) = timed(lambda: loop_unanimity(table.values, 0))
    report(
        'unanimity',
        ours,
        loop * n_measures,
        '',
        f'{mu.values[0]:.6f} and {np.log2(2 * joint / unanimous):.6f}',
    )

    ours, matrix = timed(lambda: meta.correlations(table))
    means = table.means().to_numpy()
    loop, found = timed(
        lambda: [[scipy.stats.kendalltau(a, b).statistic for a in means.T] for b in means.T]
    )
    report(
        'Kendall τ_b of all measures',
        ours,
        loop,
        '',
        f'differs by at most {np.abs(matrix.values - found).max():.0e}',
    )

    print(
        f'{args.systems} systems ({len(pairs)} pairs) x {args.queries} queries x {n_measures} measures'
    )
    print(pd.DataFrame(rows).to_string(index=False))
    print(f'peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB')


if __name__ == '__main__':
    main()
