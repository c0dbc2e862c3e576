"""Inference over queries: estimates with intervals and p-values, by formula, jackknife and bootstrap.

Queries are the sample, systems are fixed. Draws of a procedure (samples of topics, permutations) are no data: more of
them narrow no interval here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evaluation.scores import Scores
from ..lazy import pd
from ..results.estimates import Estimate, jackknife_error, student

if TYPE_CHECKING:
    from ..typing import RngLike

Array = np.ndarray


def around(
    statistic: Callable[[Array], Any],
    values: Array,
    n_resamples: int = 100,
    rng: RngLike = None,
    *,
    axis: int = 1,
    confidence_level: float = 0.95,
) -> Estimate:
    """The interval of a whole procedure: its value ± t_{Q−1} · its standard deviation on resamples of the queries.

    The procedure may draw at random itself; its standard deviation hardly depends on the number of these draws.
    Percentiles of the resamples are not used because a rank correlation on resampled queries is lower than on as many
    different ones.

    Args:
        statistic: a function of scores that returns the statistic, a number or an array.
        values: scores with the queries on ``axis``.
        n_resamples: number of resamples of the queries; 0 gives NaN ends.
        rng: seed or generator as for ``numpy.random.default_rng``.
        axis: the axis of the queries.
        confidence_level: confidence level of the interval.

    Returns:
        :class:`Estimate`.

    Examples:
        The second system scores 0.5 on every query, so its mean cannot be another.

        >>> estimate = around(lambda x: x.mean(axis=1), np.array([[.1, .2, .3], [.5, .5, .5]]), 20, rng=0)
        >>> estimate.high > estimate.value
        array([ True, False])
    """
    n = values.shape[axis]
    generator, value = np.random.default_rng(rng), statistic(values)
    resamples = query_resamples(n, n_resamples, generator)
    replicates = [statistic(values.take(sample, axis)) for sample in resamples]
    return from_resamples(value, np.array(replicates), n, confidence_level)


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

        >>> from ir_divmeasures.results.estimates import mean_over_queries
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


def chance_pvalue(observed: float, shuffled: Any) -> float:
    """p of a statistic against its values on shuffled data: (1 + number of shuffles that reach it)/(1 + shuffles).

    Use it to ask whether an effect needs what the shuffles destroy. If p is large, shuffled data often
    reach the statistic too.

    Args:
        observed: the statistic of the data.
        shuffled: (n,) the statistic of n shuffled copies.

    Examples:
        Nine shuffles separate 162 to 170 pairs, the data 169: two of the nine reach it.

        >>> chance_pvalue(169, [162, 164, 165, 166, 166, 167, 168, 169, 170])
        0.3
    """
    shuffled = np.asarray(shuffled, dtype=float)
    if shuffled.ndim != 1 or not len(shuffled) or not np.isfinite([*shuffled, observed]).all():
        raise ValueError(
            f'shuffled: expected a list of numbers for the statistic {observed!r}, found {shuffled!r}'
        )
    return float(resampling_pvalue(int((shuffled >= observed).sum()), len(shuffled)))


def simultaneous(
    values: Any,
    without: Any,
    confidence_level: float = 0.95,
) -> tuple[Array, float, Any]:
    """Intervals that hold together for several statistics of the same queries.

    t_k = (x_k − true_k)/se_k are taken as multivariate t with Q − 1 degrees of freedom and the correlations of the
    values with one query left out. The quantile of max_k |t_k| comes from 10,000 draws with a fixed seed.

    Args:
        values: (K,) the statistics.
        without: (Q, K) the statistics with each query left out.
        confidence_level: of all intervals together.

    Returns:
        The standard errors (K,), the factor c of the intervals value ± c · error, and the p-values (K,) of the hypotheses
        that a true value is 0.
    """
    values, without = np.asarray(values, dtype=float), np.asarray(without, dtype=float)
    n = len(without)
    usable = np.isfinite(without).all(axis=0) & np.isfinite(values)
    error = np.where(usable, jackknife_error(np.where(usable, without, 0.0)), np.nan)
    varying = usable & (error > 1e-14)
    if n < 2 or not varying.any():
        return error, float('nan'), np.full(error.shape, np.nan)
    directions = without[:, varying] - without[:, varying].mean(axis=0)
    directions /= np.sqrt(np.square(directions).sum(axis=0))
    root = np.linalg.qr(directions, mode='r')  # root' root are the correlations
    generator = np.random.default_rng(0)
    largest = np.concatenate(
        [
            np.abs(generator.normal(size=(1000, len(root))) @ root).max(axis=1)
            / np.sqrt(generator.chisquare(n - 1, 1000) / (n - 1))
            for _ in range(10)
        ]
    )
    with np.errstate(divide='ignore', invalid='ignore'):
        ratio = np.where(values == 0, 0.0 * error, np.abs(values) / error)
    hits = len(largest) - np.searchsorted(np.sort(largest), ratio)
    pvalues = np.where(np.isnan(ratio), np.nan, resampling_pvalue(hits, len(largest)))
    return error, float(np.quantile(largest, confidence_level)), pvalues


def check_columns(frame: pd.DataFrame, columns: Iterable[str], what: str) -> None:
    """Raise ValueError if a table lacks one of the columns; its message begins with ``what``."""
    for column in columns:
        if column not in frame:
            found = ', '.join(map(str, frame.columns))
            raise ValueError(f'{what}: no column {column!r} (found {found})')


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
