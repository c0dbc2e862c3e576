"""Inference over queries: estimates with intervals and p-values, by formula, jackknife and bootstrap.

Queries are the sample, systems are fixed. Draws of a procedure (samples of topics, permutations) are no data: more of
them narrow no interval here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..estimates import Estimate, student
from ..evaluation.scores import Scores

Array = np.ndarray


def query_resamples(n: int, n_resamples: int, rng: np.random.Generator) -> Array:
    """Indices of queries drawn with replacement, (resamples, n)."""
    return rng.integers(0, n, (n_resamples, n))


def from_resamples(
    value: Any, replicates: Array, n_queries: int, confidence_level: float = 0.95
) -> Estimate:
    """value ± t_{Q−1} · standard deviation of its replicates on resamples of the queries, (resamples, ...)."""
    if len(replicates) < 2:
        error = np.full(np.shape(value), np.nan)
    else:
        error = np.asarray(replicates, dtype=float).std(axis=0, ddof=1)
    return student(value, np.where(error < 1e-14, 0.0, error), n_queries - 1, confidence_level)


def clustered(values: Any, *sources: Any, confidence_level: float = 0.95) -> Estimate:
    """The mean of observations that share one or two sources of chance, such as queries and users.

    With e = x − x̄ of N observations, the variance by source s with n_s levels is
    V_s = n_s/(n_s − 1) Σ_levels (Σ_level e)² / N². With two sources, the variance is
    max(V_1 + V_2 − V_cells, V_1, V_2), where cells are the combinations of their levels.

    Args:
        values: (N, ...) observations.
        sources: one or two sequences (N,), the level of each observation. A source with one level is no source.
        confidence_level: confidence level of the interval.

    Returns:
        :class:`Estimate`: t intervals with the smallest number of levels less 1 degrees of freedom.

    Reference: Cameron, Gelbach, Miller, Journal of Business & Economic Statistics 2011, Eq. 2.11.

    Examples:
        One observation of each query: the t interval of the mean.

        >>> from ir_divmeasures.estimates import mean_over_queries
        >>> clustered([1.0, 2.0, 3.0], ['a', 'b', 'c']).high == mean_over_queries([1.0, 2.0, 3.0]).high
        True
    """
    values = np.asarray(values, dtype=float)
    mean = values.mean(axis=0)
    levels = [np.asarray(source).astype(str) for source in sources]
    codes = [np.unique(each, return_inverse=True)[1] for each in levels]
    codes = [code for code in codes if code.max(initial=0) > 0]
    if not codes:
        return student(mean, np.full(np.shape(mean), np.nan), 0, confidence_level)

    def variance(code: Array) -> Array:
        n = int(code.max()) + 1
        totals = np.zeros((n, *values.shape[1:]))
        np.add.at(totals, code, values - mean)
        return n / (n - 1) * np.square(totals).sum(axis=0) / len(values) ** 2

    parts = [variance(code) for code in codes]
    if len(codes) == 2:
        cells = np.unique(np.stack(codes), axis=1, return_inverse=True)[1].ravel()
        parts.append(parts[0] + parts[1] - variance(cells))
    error = np.sqrt(np.maximum.reduce(parts))
    return student(
        mean,
        np.where(error < 1e-14, 0.0, error),
        min(int(code.max()) for code in codes),
        confidence_level,
    )


def by_system(table: Scores) -> Array:
    """Scores by measure, system and query, (measures, systems, queries)."""
    return np.ascontiguousarray(table.values.transpose(2, 0, 1))


def by_measure(parts: Iterable[tuple[Estimate, str]]) -> tuple[Estimate, list[str]]:
    """The estimates of several measures as one, (measures, ...), and what is to say about the ranges of their scores.

    Args:
        parts: what :func:`ir_divmeasures.evaluation.ranges.means` returns, of each measure.
    """
    estimates, notes = zip(*parts)
    return Estimate(*map(np.array, zip(*estimates))), [note for note in notes if note]


def resampling_pvalue(hits: Any, n_resamples: int) -> Any:
    """(1 + hits)/(1 + B): p of a test by B random resamples, ``hits`` of which reach what is observed. It is never 0.

    Reference: Phipson, Smyth, Statistical Applications in Genetics and Molecular Biology 2010.

    Examples:
        >>> resampling_pvalue(0, 999)
        0.001
    """
    return (1 + hits) / (1 + n_resamples)


def bootstrap_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Array:
    """The share of each of n queries in bootstrap resamples, (resamples, n). Rows sum to 1."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples) / n


def normal_interval(trials: Array, confidence_level: float) -> Array:
    """The ends of mean ± z · standard error of trials (trials, ...): (..., 2), the Monte-Carlo error of their mean."""
    from scipy.special import ndtri

    mean = trials.mean(axis=0)
    if len(trials) < 2:
        return np.stack([np.full_like(mean, -np.inf), np.full_like(mean, np.inf)], axis=-1)
    error = ndtri((1 + confidence_level) / 2) * trials.std(axis=0, ddof=1) / np.sqrt(len(trials))
    return np.stack([mean - error, mean + error], axis=-1)
