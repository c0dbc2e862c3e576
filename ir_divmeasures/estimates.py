"""Estimates over queries: a value with its interval and p-value, by Student's t and by the jackknife."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
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

    @property
    def interval(self) -> Any:
        """(…, 2) both ends of the interval."""
        return np.stack([self.low, self.high], axis=-1)


def student(value: Any, error: Any, df: Any, confidence_level: float = 0.95) -> Estimate:
    """value ± t_df · error, and the two-sided p of value/error under t_df.

    Args:
        value: (...) the estimate.
        error: (...) its standard error. An error of 0 gives an interval without width.
        df: degrees of freedom, a number or (...); below 1, the ends and p are NaN.
        confidence_level: confidence level of the interval.

    Examples:
        >>> estimate = student(1.0, 0.5, 10)
        >>> [round(float(each), 3) for each in estimate]
        [1.0, -0.114, 2.114, 0.073]
    """
    from scipy.special import stdtr, stdtrit  # what scipy.stats.t calls; its import takes a second

    value, error = np.asarray(value, dtype=float), np.asarray(error, dtype=float)
    error, df = np.where(np.less(df, 1), np.nan, error), np.maximum(df, 1)
    half = stdtrit(df, (1 + confidence_level) / 2) * error
    with np.errstate(invalid='ignore', divide='ignore', over='ignore'):
        ratio = np.where(value == 0, 0.0 * error, np.abs(value) / error)
        pvalue = 2 * stdtr(df, -ratio)
        low, high = value - half, value + half
    return _numbers(Estimate(value, low, high, pvalue))


@dataclass(frozen=True)
class Quantity:
    """A number computed from scores, with its error over topics.

    Quantities of the same data add and subtract with their errors, because they share the resamples.

    Attributes:
        value: the number.
        deviations: (B,) contributions to its error, whose squares sum to the variance.
        df: degrees of freedom of its interval.
        total: of how many pairs the number is a count; 0 for other numbers.
        limit: its largest possible size, at which intervals end; that of a count is its total.

    Examples:
        >>> a, b = Quantity.mean([0.1, 0.2, 0.6]), Quantity.mean([0.0, 0.1, 0.5])
        >>> round((a - b).value, 3), round((a - b).error, 3)
        (0.1, 0.0)
    """

    value: float
    deviations: np.ndarray
    df: int
    total: int = 0
    limit: float = math.inf

    @classmethod
    def resampled(cls, numbers: Any, n_topics: int, **size: Any) -> Quantity:
        """A statistic, and its values on resamples of the topics, (1 + B,); perhaps with ``total`` or ``limit``."""
        value, *replicates = numbers
        spread = np.subtract(replicates, np.mean(replicates))
        spread /= math.sqrt(max(len(spread) - 1, 1))
        limit = size.get('total') or size.get('limit', math.inf)
        return cls(float(value), spread, n_topics - 1, size.get('total', 0), limit)

    @classmethod
    def mean(cls, values: Any) -> Quantity:
        """The mean over topics, (Q,)."""
        n = len(values)
        return cls.resampled([np.mean(values), *np.divide(values, math.sqrt(n))], n)

    @property
    def error(self) -> float:
        """The standard error."""
        error = math.sqrt(np.square(self.deviations).sum())
        return 0.0 if error < 1e-14 else error

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The ends of the t interval."""
        estimate = student(self.value, self.error, self.df, level)
        return max(estimate.low, -self.limit), min(estimate.high, self.limit)

    def __add__(self, other: Quantity) -> Quantity:
        deviations = self.deviations + other.deviations
        return replace(self, value=self.value + other.value, deviations=deviations, limit=math.inf)

    def __truediv__(self, n: float) -> Quantity:
        value, deviations = self.value / n, self.deviations / n
        return replace(self, value=value, deviations=deviations, limit=self.limit / abs(n))

    def __sub__(self, other: Quantity) -> Quantity:
        return self + other / -1

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return short(self.value)


def short(value: float) -> str:
    """A number with four significant digits; a whole number has all."""
    value += 0.0  # no negative zero
    return f'{value:.0f}' if float(value).is_integer() else f'{value:.4g}'


def _numbers(estimate: Estimate) -> Estimate:
    """The same with floats in place of arrays without axes."""
    return Estimate(*(float(each) if np.ndim(each) == 0 else np.asarray(each) for each in estimate))


def mean_over_queries(values: Any, confidence_level: float = 0.95) -> Estimate:
    """The mean of the last axis with its t interval z̄ ± t_{Q−1} s/√Q, and the p-value of a paired t test.

    k values that differ from 0 say no more by their signs than 2^(1−k). If s = 0 or k ≤ Q/2, p is at least that. Ends
    are NaN for one query, and where all values are the same but not 0.

    Args:
        values: (..., Q), for example the differences of two systems.
        confidence_level: confidence level of the interval.

    Examples:
        >>> mean_over_queries([0.1] * 5).pvalue, round(mean_over_queries([0.1] * 3 + [0] * 7).pvalue, 4)
        (0.0625, 0.25)
    """
    values = np.asarray(values, dtype=float)
    n, differ, mean = values.shape[-1], differing(values), values.mean(axis=-1)
    spread = values.std(axis=-1, ddof=1) if n > 1 else np.full(mean.shape, np.nan)
    spread = np.where(spread < 1e-14, 0.0, spread)
    error = np.where((spread == 0) & (differ > 0), np.nan, spread) / np.sqrt(n)
    estimate = student(mean, error, n - 1, confidence_level)
    least = np.where((spread == 0) | (differ <= n / 2), np.minimum(2.0 ** (1 - differ), 1), 0)
    pvalue = np.maximum(np.where(spread == 0, 0, estimate.pvalue), least)
    return _numbers(estimate._replace(pvalue=pvalue))


def differing(values: Any) -> Any:
    """The number k of values on the last axis that differ from 0 by more than rounding."""
    return (np.abs(values) > 1e-12).sum(axis=-1)


def bounded(
    value: Any,
    error: Any,
    n: int | Any,
    bounds: tuple[float | None, float | None] = (0, 1),
    confidence_level: float = 0.95,
) -> Estimate:
    """The interval of a mean of n scores that lie between bounds: beta quantiles, with half a score more at each bound.

    On [0, 1], with m = (nv + ½)/(n + 1), V the variance of the mean of the n scores and the two halves, and
    K = m(1 − m)/V − 1, at least 1, the ends are quantiles of Beta(mK, (1 − m)K), moved to v if v is outside. For scores
    of 0 and 1 it is Jeffreys' interval, otherwise the Bayesian bootstrap by its first two moments. It has a width where
    all scores are the same. For differences use :func:`mean_over_queries`.

    Args:
        value: (...) the mean, or another estimate between the bounds.
        error: (...) its standard error, s/√n for a mean, 0 for one score.
        n: number of scores, or (...) numbers.
        bounds: the lowest and highest possible score. If one is None, the interval is that of Student's t, cut at the
            other one.
        confidence_level: confidence level of the interval.

    Returns:
        :class:`Estimate`, whose p is NaN.

    Reference: Brown, Cai, DasGupta, Statistical Science 2001 (Jeffreys' interval); Rubin, Annals of Statistics 1981.

    Examples:
        >>> estimate = bounded(0.62, 0.04, 30)
        >>> round(estimate.low, 4), round(estimate.high, 4)
        (0.5346, 0.6945)
    """
    from scipy.special import betaincinv

    lowest = -np.inf if bounds[0] is None else bounds[0]
    highest = np.inf if bounds[1] is None else bounds[1]
    value = np.clip(np.asarray(value, dtype=float), lowest, highest)
    if None in bounds:
        estimate = student(value, error, n - 1, confidence_level)
        low, high = (np.clip(end, lowest, highest) for end in (estimate.low, estimate.high))
    else:
        scale = highest - lowest
        v, e = (value - lowest) / scale, np.asarray(error, dtype=float) / scale
        m = (n * v + 0.5) / (n + 1)
        squares = n * (n - 1) * e**2 + n * (v - m) ** 2 + (m**2 + (1 - m) ** 2) / 2
        K = np.maximum(m * (1 - m) * (n + 1) * (n + 2) / squares - 1, 1)
        tail = (1 - confidence_level) / 2
        low, high = (betaincinv(m * K, (1 - m) * K, part) for part in (tail, 1 - tail))
        low, high = (lowest + scale * end for end in (np.minimum(low, v), np.maximum(high, v)))
    return _numbers(Estimate(value, low, high, np.full(value.shape, np.nan)))


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
    to 2.2 times too large.

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
