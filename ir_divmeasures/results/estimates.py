"""Estimates over queries: a value with its interval and p-value, by Student's t and by the jackknife."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """A value with its confidence interval, and the p-value of the hypothesis that the true value is 0.

    Attributes:
        value: the estimate, a number or an array.
        low, high: ends of the confidence interval over queries; NaN where the data do not tell.
        pvalue: two-sided p-value; NaN where the data do not tell.
    """

    value: Any
    low: Any
    high: Any
    pvalue: Any


def student(value: Any, error: Any, df: int, confidence_level: float = 0.95) -> Estimate:
    """value ± t_df · error, and the two-sided p of value/error under t_df.

    Args:
        value: (...) the estimate.
        error: (...) its standard error. An error of 0 gives an interval without width.
        df: degrees of freedom; below 1, the ends and p are NaN.
        confidence_level: confidence level of the interval.

    Examples:
        >>> estimate = student(1.0, 0.5, 10)
        >>> [round(float(each), 3) for each in estimate]
        [1.0, -0.114, 2.114, 0.073]
    """
    from scipy.special import stdtr, stdtrit  # what scipy.stats.t calls; its import takes a second

    value, error = np.asarray(value, dtype=float), np.asarray(error, dtype=float)
    if df < 1:
        error = np.full(value.shape, np.nan)
    half = stdtrit(max(df, 1), (1 + confidence_level) / 2) * error
    with np.errstate(invalid='ignore', divide='ignore', over='ignore'):
        ratio = np.where(value == 0, 0.0 * error, np.abs(value) / error)
        pvalue = 2 * stdtr(max(df, 1), -ratio)
        low, high = value - half, value + half
    return _numbers(Estimate(value, low, high, pvalue))


def _numbers(estimate: Estimate) -> Estimate:
    """The same with floats in place of arrays without axes."""
    return Estimate(*(float(each) if np.ndim(each) == 0 else np.asarray(each) for each in estimate))


def mean_over_queries(values: Any, confidence_level: float = 0.95) -> Estimate:
    """The mean of the last axis with its t interval: z̄ ± t_{Q−1} s/√Q. One query gives NaN ends."""
    values = np.asarray(values, dtype=float)
    n = values.shape[-1]
    spread = values.std(axis=-1, ddof=1) if n > 1 else np.full(values.shape[:-1], np.nan)
    return student(
        values.mean(axis=-1),
        np.where(spread < 1e-14, 0.0, spread) / np.sqrt(n),
        n - 1,
        confidence_level,
    )


def jackknife_error(without: Any) -> Any:
    """The jackknife's standard error: se² = (Q − 1)/Q Σ_q (x_q − x̄)².

    Args:
        without: (Q, ...) the statistic with each query left out.
    """
    without = np.asarray(without, dtype=float)
    n = len(without)
    with np.errstate(invalid='ignore'):
        return np.sqrt((n - 1) / n * np.square(without - without.mean(axis=0)).sum(axis=0))


def jackknife(whole: Any, without: Any, confidence_level: float = 0.95) -> Estimate:
    """The jackknife's interval: the statistic ± t_{Q−1} se, se² = (Q − 1)/Q Σ_q (x_q − x̄)².

    It holds for ratios of sums over queries and smooth functions of them. For rank correlations and counts, se is 1.4
    to 2.2 times too large; use :func:`ir_divmeasures.meta.around`.

    Args:
        whole: (...) the statistic of all queries.
        without: (Q, ...) the statistic with each query left out.
        confidence_level: confidence level of the interval.

    Returns:
        :class:`Estimate`. Ends and p are NaN where a value is not finite, and with fewer than two queries.

    Reference: Efron, *The Jackknife, the Bootstrap and Other Resampling Plans*, 1982, Eq. 3.4.

    Examples:
        For a mean, se is s/√Q, here √(1/3).

        >>> x = np.array([1.0, 2.0, 3.0])
        >>> estimate = jackknife(x.mean(), (x.sum() - x) / 2)
        >>> round(estimate.high - estimate.value, 3)  # 4.303 · √(1/3)
        2.484
    """
    without = np.asarray(without, dtype=float)
    usable = np.isfinite(without).all(axis=0) & np.isfinite(whole)
    error = np.where(usable, jackknife_error(np.where(usable, without, 0.0)), np.nan)
    return student(whole, error, len(without) - 1, confidence_level)


__all__ = ['Estimate', 'jackknife', 'jackknife_error', 'mean_over_queries', 'student']
