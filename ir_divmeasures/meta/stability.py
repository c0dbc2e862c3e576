"""Stability of comparisons of systems under other queries, and under other participating systems."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DivMeasuresWarning, warn
from ..evaluation.scores import as_scores
from ..results import Result
from .correlation import COEFFICIENTS, one_of
from .resampling import fraction, normal_interval, progress, whole

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray


def stability(scores: Any, *, n_resamples: int = 1000, size: int | None = None, fuzziness: float = 0.0,
              relative: bool = False, rng: Any = None, confidence_level: float = 0.95) -> Stability:
    """The share of samples of the queries that agree on which of two systems is better.

    Each of R trials compares the means of all pairs of systems on ``size`` queries drawn without replacement. A system
    wins a trial if its mean is larger by more than the fuzziness; some trials have no winner. The stability of a pair
    is the share of trials that its more frequent winner wins. The stability of a measure is the mean over pairs.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries[, measures]) or a DataFrame of scores.
        n_resamples: R.
        size: number of queries in a trial. The default is half of them, rounded down.
        fuzziness: the largest difference that is no win. The program of Türkmen et al. uses 0.05.
        relative: whether the fuzziness is a share of the larger mean (Buckley & Voorhees) instead of a difference.
        rng: seed or generator as for ``numpy.random.default_rng``. All measures have the same samples.
        confidence_level: confidence level of the interval, which covers the sampling error of R trials.

    Returns:
        :class:`Stability`.

    Raises:
        ValueError: fewer than two systems or queries, NaN, or an invalid size or fuzziness.

    Reference: Buckley, Voorhees, SIGIR 2000; Türkmen, Lease, Kutlu, ECIR 2023, §4.4.

    Examples:
        The first system is better on every query, and therefore in every sample.

        >>> stability([[.3, .4, .5, .6], [.1, .2, .3, .4]], rng=0).values
        array([1.])
    """
    table = as_scores(scores)
    if len(table.queries) < 2:
        raise ValueError('scores of 1 query, expected at least two')
    n_systems, n_queries, _ = table.values.shape
    n_resamples = whole(n_resamples, 'n_resamples')
    size = whole(n_queries // 2 if size is None else size, 'size', 1, n_queries)
    confidence_level = fraction(confidence_level, 'confidence_level')
    if not fuzziness >= 0:
        raise ValueError(f'fuzziness={fuzziness!r}, expected a number from 0 up')
    order = np.random.default_rng(rng).permuted(np.tile(np.arange(n_queries), (n_resamples, 1)), axis=1)
    drawn = np.zeros((n_resamples, n_queries))
    np.put_along_axis(drawn, order[:, :size], 1 / size, axis=1)
    pairs = np.column_stack(np.triu_indices(n_systems, 1))
    shares, ties = np.empty((len(table.measures), len(pairs))), np.empty((len(table.measures), len(pairs)))
    trials = np.empty((n_resamples, len(table.measures)))
    with progress(len(table.measures), 'measures') as bar:
        for m in range(len(table.measures)):
            means = table.values[:, :, m] @ drawn.T  # (S, R)
            shares[m], ties[m], trials[:, m] = _wins(means, max(fuzziness, 1e-12), relative and fuzziness > 0)
            bar.update()
    return Stability(table.measures, table.systems, pairs, shares.mean(axis=1),
                     normal_interval(trials, confidence_level).clip(0, 1), shares, ties)


def _wins(means: Array, fuzziness: float, relative: bool) -> tuple[Array, Array, Array]:
    """Count wins in trials, from the means of systems (S, R).

    Returns:
        The share of trials that the more frequent winner of each pair wins, (P,), the share of trials without a winner,
        (P,), and for each trial the share of pairs that their more frequent winners win, (R,).
    """
    n_systems, n_trials = means.shape
    shares, ties, by_trial = [], [], np.zeros(n_trials)
    for i in range(n_systems - 1):
        others = means[i + 1:]
        difference = means[i] - others
        needed = fuzziness * np.maximum(np.abs(means[i]), np.abs(others)) if relative else fuzziness
        first, second = difference > needed, difference < -needed
        n_first, n_second = first.sum(axis=1), second.sum(axis=1)
        shares.append(np.maximum(n_first, n_second) / n_trials)
        ties.append(1 - (n_first + n_second) / n_trials)
        ahead = n_first >= n_second
        by_trial += first[ahead].sum(axis=0) + second[~ahead].sum(axis=0)
    return np.concatenate(shares), np.concatenate(ties), by_trial / (n_systems * (n_systems - 1) / 2)


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """The result of :func:`stability`.

    Attributes:
        measures, systems: names.
        pairs: (P, 2) indices of the systems of each pair.
        values: (measures,) stability, the mean of ``shares``.
        interval: (measures, 2) confidence interval.
        shares: (measures, P) share of trials won by the pair's more frequent winner.
        ties: (measures, P) share of trials without a winner.
    """
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: Array
    values: Array
    interval: Array
    shares: Array
    ties: Array

    def to_frame(self) -> pd.DataFrame:
        """One row per measure: ``stability, low, high, ties`` (mean share of trials without a winner)."""
        import pandas as pd

        return pd.DataFrame({'stability': self.values, 'low': self.interval[:, 0], 'high': self.interval[:, 1],
                             'ties': self.ties.mean(axis=1)}, index=pd.Index(self.measures, name='measure'))

    def plot(self, ax: Any = None) -> Any:
        """Draw the values as bars, and return the matplotlib axes."""
        from ..results.plotting import bars

        return bars(self.to_frame(), 'stability', 'stability', ax)


def system_count(score: Callable[[Array], Any], n_systems: int, sizes: Iterable[int] | None = None, *,
                 n_resamples: int = 1000, coefficient: str = 'kendall', measures: Iterable[str] | None = None,
                 rng: Any = None, confidence_level: float = 0.95) -> SystemCount:
    """Stability of rankings of systems by measures that depend on the participating systems.

    R_o ranks all systems. Each trial draws N systems, ranks them by their scores in a pool of these systems alone
    (r_N), and correlates r_N with their order in R_o. The result is the mean over trials.

    Args:
        score: a function of the indices of the systems of a pool (sorted whole numbers from 0) that returns their mean
            scores in this pool, (N,) or (N, measures). For measures that do not depend on the pool the correlation is 1
            by construction.
        n_systems: number of systems.
        sizes: values of N. The default is the powers of 2 below n_systems.
        n_resamples: number of trials for each N.
        coefficient: ``'kendall'``, ``'tau_ap'`` or ``'rbo'``.
        measures: names of the measures in the result.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: confidence level of the interval, which covers the sampling error of the trials.

    Returns:
        :class:`SystemCount`. A sample in which all systems are tied counts as 0, with one warning.

    Raises:
        ValueError: sizes below 2 or above n_systems, scores that do not fit the pool, NaN.

    Reference: Türkmen, Lease, Kutlu, ECIR 2023, Algorithm 1.

    Examples:
        >>> means = np.array([.1, .4, .2, .3])
        >>> system_count(lambda pool: means[pool], 4, [2, 3], n_resamples=5, rng=0).values
        array([[1.],
               [1.]])
    """
    correlate = one_of(coefficient, COEFFICIENTS, 'coefficient')
    n_systems, n_resamples = whole(n_systems, 'n_systems', 2), whole(n_resamples, 'n_resamples')
    confidence_level = fraction(confidence_level, 'confidence_level')
    sizes = [2 ** j for j in range(1, 64) if 2 ** j < n_systems] if sizes is None else list(sizes)
    sizes = [whole(size, 'size', 2, n_systems) for size in sizes]
    generator = np.random.default_rng(rng)
    whole_pool = _pool_scores(score, np.arange(n_systems))
    names = tuple(measures) if measures is not None else tuple(f'measure{m + 1}' for m in range(whole_pool.shape[1]))
    if len(names) != whole_pool.shape[1]:
        raise ValueError(f'{len(names)} names of measures for {whole_pool.shape[1]} in what score() returns')
    trials = np.empty((n_resamples, len(sizes), len(names)))
    with progress(len(sizes) * n_resamples, 'trials') as bar, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', DivMeasuresWarning)
        for n, size in enumerate(sizes):
            pools = np.array([np.sort(generator.choice(n_systems, size, replace=False)) for _ in range(n_resamples)])
            alone = np.empty((n_resamples, size, len(names)))
            for trial, pool in enumerate(pools):
                alone[trial] = _pool_scores(score, pool)
                bar.update()
            for m in range(len(names)):
                trials[:, n, m] = correlate(whole_pool[pools, m], alone[:, :, m])
    _pass_on(caught)
    return SystemCount(tuple(sizes), names, trials.mean(axis=0), normal_interval(trials, confidence_level).clip(-1, 1))


def _pool_scores(score: Callable[[Array], Any], pool: Array) -> Array:
    """The scores of the systems of a pool, (N, measures), checked."""
    values = np.asarray(score(pool), dtype=float)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != len(pool):
        raise ValueError(f'score() of {len(pool)} systems has shape {values.shape}, expected ({len(pool)},) or '
                         f'({len(pool)}, measures)')
    return values


def _pass_on(caught: list[warnings.WarningMessage]) -> None:
    """Repeat warnings of other packages, and replace those of this package about tied samples by one warning."""
    ours = [w for w in caught if issubclass(w.category, DivMeasuresWarning)]
    for w in caught:
        if w not in ours:
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
    if ours:
        warn('Correlations of some samples are set to 0 because the samples tie all their systems. First warning: '
             f'{ours[0].message}')


@dataclass(frozen=True, eq=False, repr=False)
class SystemCount(Result):
    """The result of :func:`system_count`.

    Attributes:
        sizes: values of N.
        measures: names.
        values: (sizes, measures) mean correlation.
        interval: (sizes, measures, 2) confidence interval.
    """
    sizes: tuple[int, ...]
    measures: tuple[str, ...]
    values: Array
    interval: Array

    def to_frame(self) -> pd.DataFrame:
        """One row per measure and N: ``measure, systems, correlation, low, high``."""
        import pandas as pd

        n = len(self.measures)
        return pd.DataFrame({'measure': np.tile(np.array(self.measures, dtype=object), len(self.sizes)),
                             'systems': np.repeat(self.sizes, n), 'correlation': self.values.ravel(),
                             'low': self.interval[..., 0].ravel(), 'high': self.interval[..., 1].ravel()})

    def plot(self, ax: Any = None) -> Any:
        """Draw a line per measure over N, and return the matplotlib axes."""
        from ..results.plotting import axes

        ax = axes(ax)
        for m, name in enumerate(self.measures):
            ax.plot(self.sizes, self.values[:, m], marker='o', label=name)
            ax.fill_between(self.sizes, self.interval[:, m, 0], self.interval[:, m, 1], alpha=0.2)
        ax.set_xscale('log', base=2)
        ax.set(xlabel='systems in the pool', ylabel='rank correlation with the whole pool')
        ax.legend()
        return ax
