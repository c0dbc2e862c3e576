"""Stability of comparisons of systems under other queries, and under other participating systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import check_number, fraction, one_of, whole
from ..evaluation.scores import Scores, scores_of
from ..progress import progress, with_progress
from ..results import tidy
from .correlation import COEFFICIENTS, correlate_rankings
from .intervals import EQUAL, resample_queries, resampled_interval, sample_queries
from .robustness import TRIALS

if TYPE_CHECKING:
    from ..typing import RngLike, ScoresLike

Array = np.ndarray


def stability(
    scores: ScoresLike,
    *,
    n_trials: int = 1000,
    size: int | None = None,
    fuzziness: float = 0.0,
    n_resamples: int = 100,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """The share of samples of the queries that agree on which of two systems is better.

    Each of R trials compares the means of all pairs of systems on ``size`` queries drawn without replacement. A system
    wins a trial if its mean is larger by more than the fuzziness; some trials have no winner. The stability of a pair
    is the share of trials that its more frequent winner wins. The stability of a measure is the mean over pairs.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries[, measures]) or a DataFrame of scores.
        n_trials: R.
        size: number of queries in a trial. The default is half of them, rounded down.
        fuzziness: the largest difference that is no win. The program of Türkmen et al. uses 0.05.
        n_resamples: number of resamples of the queries for the interval, with 20 trials in each. 0 gives no interval.
            The interval is the value ± t_{Q−1} times its standard deviation over the resamples, cut at the smallest
            possible stability (0.5, or 0 with a fuzziness) and at 1.
        rng: seed or generator as for ``numpy.random.default_rng``. All measures have the same samples.
        confidence_level: confidence level of the interval, which is over queries.

    Returns:
        A row for each measure: ``measure, statistic, low, high, ties`` (mean share of trials without a winner).

    Raises:
        ValueError: fewer than two systems or queries, NaN, or an invalid size or fuzziness.

    Reference: Buckley, Voorhees, SIGIR 2000; Türkmen, Lease, Kutlu, ECIR 2023, §4.4. The interval is an addition of
    this package.

    Examples:
        The first system is better on every query, and therefore in every sample.

        >>> stability([[.3, .4, .5, .6], [.1, .2, .3, .4]], rng=0)
          measure  statistic  low  high  ties
        0   score        1.0  1.0   1.0   0.0
    """
    table = scores_of(scores)
    n, level = len(table.queries), fraction(confidence_level, 'confidence_level')
    if n < 2:
        raise ValueError('scores of 1 query, expected at least two')
    n_trials, n_resamples = whole(n_trials, 'n_trials'), whole(n_resamples, 'n_resamples', 0)
    size = whole(n // 2 if size is None else size, 'size', 1, n)
    check_number('fuzziness', fuzziness, np.inf)
    x, generator = np.ascontiguousarray(table.values.transpose(2, 0, 1)), np.random.default_rng(rng)
    pairs = np.triu_indices(x.shape[1], 1)

    def study(counts: Array, n_trials: int) -> Array:
        """Stability and ties by measure, on queries that are there so many times."""
        samples = sample_queries(counts, size, n_trials, generator)
        shares = np.empty((2, len(x)))
        for m, scores in enumerate(x):
            wins = np.zeros((len(scores), len(scores)), dtype=int)  # of each over each other system
            for start in range(0, n_trials, TRIALS):
                means = samples[start : start + TRIALS] @ scores.T
                is_win = means[:, :, None] > (means + fuzziness + EQUAL)[:, None, :]
                wins += is_win.view(np.uint8).sum(axis=0, dtype=np.uint8)  # bytes are added fast
            ahead, behind = wins[pairs], wins.T[pairs]
            shares[:, m] = np.maximum(ahead, behind).mean(), (n_trials - ahead - behind).mean()
        return shares / n_trials

    value, ties = study(np.ones(n, dtype=int), n_trials)
    resamples = with_progress(resample_queries(n, n_resamples, generator), 'resamples')
    replicates = np.array([study(counts, TRIALS)[0] for counts in resamples])
    bounds = (0.0 if fuzziness else 0.5, 1.0)
    low, high = resampled_interval(value, replicates, n, level, bounds)
    return tidy(measure=table.measures, statistic=value, low=low, high=high, ties=ties)


def system_count(
    score: Callable[[Array], Any],
    n_systems: int,
    sizes: Iterable[int] | None = None,
    *,
    n_trials: int = 1000,
    coefficient: str = 'kendall',
    measures: Iterable[str] = (),
    rng: RngLike = None,
) -> pd.DataFrame:
    """Stability of rankings of systems by measures that depend on the participating systems.

    R_o ranks all systems. Each trial draws N systems, ranks them by their scores in a pool of these systems alone
    (r_N), and correlates r_N with their order in R_o.

    Args:
        score: a function of the indices of the systems of a pool (sorted whole numbers from 0) that returns their mean
            scores in this pool, (N,) or (N, measures). For measures that do not depend on the pool the correlation is 1
            by construction.
        n_systems: number of systems.
        sizes: values of N. The default is the powers of 2 below n_systems.
        n_trials: number of trials for each N.
        coefficient: ``'kendall'``, ``'tau_ap'`` or ``'spearman'``.
        measures: names of the measures in the result.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        A row for each measure and N: ``measure, n_systems, statistic`` (the mean over trials)``, sd`` (the standard
        deviation of the trials). A trial that ties all systems counts as 0.

    Raises:
        ValueError: sizes below 2 or above n_systems, scores that do not fit the pool.

    Reference: Türkmen, Lease, Kutlu, ECIR 2023, Algorithm 1.

    Examples:
        >>> means = np.array([.1, .4, .2, .3])
        >>> system_count(lambda pool: means[pool], 4, [2, 3], n_trials=5, rng=0)
          measure  n_systems  statistic   sd
        0   score          2        1.0  0.0
        1   score          3        1.0  0.0
    """
    one_of(coefficient, COEFFICIENTS, 'coefficient')
    n_systems, n_trials = whole(n_systems, 'n_systems', 2), whole(n_trials, 'n_trials')
    sizes = [2**j for j in range(1, 64) if 2**j < n_systems] if sizes is None else list(sizes)
    sizes = [whole(size, 'size', 2, n_systems) for size in sizes]
    generator = np.random.default_rng(rng)
    all_scores = _pool_scores(score, np.arange(n_systems))
    names = Scores(all_scores[:, None], measures=measures).measures
    trials = np.empty((len(sizes), n_trials, len(names)))
    with progress(len(sizes) * n_trials, 'trials') as bar:
        for n, size in enumerate(sizes):
            for trial in range(n_trials):
                pool = np.sort(generator.choice(n_systems, size, replace=False))
                orders = all_scores[pool].T[:, None], _pool_scores(score, pool).T[:, None]
                trials[n, trial] = correlate_rankings(*orders, coefficient)[:, 0, 0]
                bar.update()
    return tidy(
        measure=[[name] for name in names],
        n_systems=sizes,
        statistic=trials.mean(axis=1).T,
        sd=trials.std(axis=1, ddof=1).T if n_trials > 1 else np.nan,
    )


def _pool_scores(score: Callable[[Array], Any], pool: Array) -> Array:
    """The scores of the systems of a pool, (N, measures), checked."""
    values = np.asarray(score(pool), dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != len(pool) or not np.isfinite(values).all():
        raise ValueError(
            f'score() of {len(pool)} systems has shape {values.shape}, expected finite numbers ({len(pool)},) or '
            f'({len(pool)}, measures)'
        )
    return values
