"""Intervals over queries. Queries are a sample, systems are fixed."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-np.inf, np.inf)
EQUAL, NO_SPREAD = 1e-12, 1e-14
"""Smaller differences of scores, and smaller standard deviations, are rounding errors."""


def student_interval(
    value: Array,
    error: Array,
    df: int | Array,
    confidence_level: float = 0.95,
    bounds: Bounds = UNBOUNDED,
) -> tuple[Array, Array]:
    """Return the ends of value ± t_df · error, cut at the bounds; NaN where df is below 1.

    Args:
        value, error: (...) an estimate and its standard error.
        df: degrees of freedom, a number or (...).
        confidence_level: confidence level.
        bounds: the smallest and the largest possible value.

    Examples:
        >>> low, high = student_interval(0.9, 0.1, 10, bounds=(0, 1))
        >>> round(float(low), 3), float(high)
        (0.677, 1.0)
    """
    from scipy.special import stdtrit  # importing scipy.stats takes a second

    half = stdtrit(np.maximum(df, 1), (1 + confidence_level) / 2) * error
    half = np.where(np.less(df, 1), np.nan, half)
    return np.clip(value - half, *bounds), np.clip(value + half, *bounds)


def mean_interval(
    values: Array, confidence_level: float = 0.95, bounds: Bounds = UNBOUNDED
) -> tuple[Array, Array]:
    """Return the ends of the t interval x̄ ± t_{Q−1} s/√Q of means over the last axis, cut at the bounds.

    They are NaN for one query, and where all queries have the same value, which says nothing about other queries.

    Examples:
        >>> low, high = mean_interval(np.array([0.2, 0.4, 0.3, 0.5]))
        >>> round(float(low), 3), round(float(high), 3)
        (0.145, 0.555)
    """
    n = values.shape[-1]
    spread = values.std(axis=-1, ddof=min(1, n - 1))
    error = np.where(spread < NO_SPREAD, np.nan, spread) / np.sqrt(n)
    return student_interval(values.mean(axis=-1), error, n - 1, confidence_level, bounds)


def resampled_interval(
    value: Array, replicates: Array, n_queries: int, bounds: Bounds
) -> tuple[Array, Array]:
    """Return the ends of value ± t_{Q−1} · standard deviation of replicates (resamples of the queries, ...).

    They are cut at the bounds, and NaN with fewer than two resamples.
    """
    error = replicates.std(axis=0, ddof=1) if len(replicates) > 1 else np.full_like(value, np.nan)
    return student_interval(value, error, n_queries - 1, bounds=bounds)


def resample_queries(n: int, n_resamples: int, rng: np.random.Generator) -> Array:
    """Return how often each of n queries is drawn in bootstrap resamples, (resamples, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples)


def sample_queries(counts: Array, size: int, n_trials: int, rng: np.random.Generator) -> Array:
    """Return the weight of each query in the mean of ``size`` queries drawn without replacement, (trials, Q).

    Args:
        counts: (Q,) how often each query is there.
        size, n_trials: number of queries in a trial, and number of trials.
        rng: random generator.
    """
    return rng.multivariate_hypergeometric(counts, size, n_trials, method='count') / size


def beta_interval(share: Array, error: Array, n: Array) -> Array:
    """Return 95 % beta quantiles (..., 2) around a share of n queries, with half a query more at 0 and at 1.

    With m = (n·share + ½)/(n + 1), V the variance of the mean of the n queries and the two halves, and
    K = m(1 − m)/V − 1, at least 1, the ends are quantiles of Beta(mK, (1 − m)K), moved to the share if it is outside.
    Where queries are 0 or 1, it is Jeffreys' interval. It has a width even where the error is 0.

    Args:
        share, error, n: (...) a number in [0, 1], its standard error, and the number of queries.

    Reference: Brown, Cai, DasGupta, Statistical Science 2001.

    Examples:
        >>> beta_interval(0.62, 0.04, 30).round(4)
        array([0.5346, 0.6945])
    """
    from scipy.special import betaincinv

    m = (n * share + 0.5) / (n + 1)
    squares = n * (n - 1) * error**2 + n * (share - m) ** 2 + (m**2 + (1 - m) ** 2) / 2
    K = np.maximum(m * (1 - m) * (n + 1) * (n + 2) / squares - 1, 1)
    tail = (1 - 0.95) / 2
    low, high = (betaincinv(m * K, (1 - m) * K, part) for part in (tail, 1 - tail))
    return np.stack([np.minimum(low, share), np.maximum(high, share)], axis=-1)
