"""Stability of comparisons of systems under other queries, and under other participating systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Message, check_number, collecting, fraction, one_of, warn, whole
from ..estimates import Estimate
from ..evaluation.scores import as_scores
from ..lazy import pd
from ..plotting import axes, bars
from ..progress import progress
from ..results import Result, count, tidy
from .correlation import COEFFICIENTS, place_of
from .resampling import (
    from_resamples,
    normal_interval,
    query_resamples,
)
from .robustness import TRIALS, topic_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import RngLike, ScoresLike

Array = np.ndarray

EQUAL = 1e-12
"""Differences of at most this are those of rounding."""


def stability(
    scores: ScoresLike,
    *,
    n_trials: int = 1000,
    size: int | None = None,
    fuzziness: float = 0.0,
    relative: bool = False,
    n_resamples: int = 100,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> Stability:
    """The share of samples of the queries that agree on which of two systems is better.

    Each of R trials compares the means of all pairs of systems on ``size`` queries drawn without replacement. A system
    wins a trial if its mean is larger by more than the fuzziness; some trials have no winner. The stability of a pair
    is the share of trials that its more frequent winner wins. The stability of a measure is the mean over pairs.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries[, measures]) or a DataFrame of scores.
        n_trials: R.
        size: number of queries in a trial. The default is half of them, rounded down.
        fuzziness: the largest difference that is no win. The program of Türkmen et al. uses 0.05.
        relative: whether the fuzziness is a share of the larger mean (Buckley & Voorhees) instead of a difference.
        n_resamples: number of resamples of the queries for the interval, with 20 trials in each. 0 gives no interval.
        rng: seed or generator as for ``numpy.random.default_rng``. All measures have the same samples.
        confidence_level: confidence level of the interval, which is over queries.

    Returns:
        :class:`Stability`.

    Raises:
        ValueError: fewer than two systems or queries, NaN, or an invalid size or fuzziness.

    Reference: Buckley, Voorhees, SIGIR 2000; Türkmen, Lease, Kutlu, ECIR 2023, §4.4. The interval is an addition of
    this package.

    Examples:
        The first system is better on every query, and therefore in every sample.

        >>> stability([[.3, .4, .5, .6], [.1, .2, .3, .4]], rng=0).values
        array([1.])
    """
    table = as_scores(scores)
    if len(table.queries) < 2:
        raise ValueError('scores of 1 query, expected at least two')
    n_systems, n_queries, n_measures = table.values.shape
    n_trials, n_resamples = whole(n_trials, 'n_trials'), whole(n_resamples, 'n_resamples', 0)
    size = whole(n_queries // 2 if size is None else size, 'size', 1, n_queries)
    confidence_level = fraction(confidence_level, 'confidence_level')
    check_number('fuzziness', fuzziness, np.inf)
    generator = np.random.default_rng(rng)
    samples = _samples(n_queries, size, n_trials, generator)
    pairs = np.column_stack(np.triu_indices(n_systems, 1))
    shares, ties = np.empty((2, n_measures, len(pairs)))
    trials, replicates = np.empty((n_trials, n_measures)), np.empty((n_resamples, n_measures))
    with progress(n_measures + n_resamples, 'resamples') as bar:
        for m in range(n_measures):
            means = table.values[:, :, m] @ samples.T  # (S, R)
            shares[m], ties[m], trials[:, m] = _wins(means, fuzziness, relative)
            bar.update()
        for number, queries in enumerate(query_resamples(n_queries, n_resamples, generator)):
            inner = _samples(n_queries, size, TRIALS, generator).T
            means = table.values[:, queries].transpose(0, 2, 1) @ inner  # (S, measures, trials)
            won = _won(means[pairs[:, 0]], means[pairs[:, 1]], fuzziness, relative)
            n_won = np.maximum(*(each.sum(axis=-1) for each in won))
            replicates[number] = n_won.mean(axis=0) / TRIALS
            bar.update()
    values, least = shares.mean(axis=1), 0.0 if fuzziness else 0.5

    def stretched(stability: Array) -> Array:
        """The logit of a stability as a share of what it can be."""
        share = np.clip((stability - least) / (1 - least), _FARTHEST, 1 - _FARTHEST)
        return np.log(share / (1 - share))

    estimate = from_resamples(stretched(values), stretched(replicates), n_queries, confidence_level)
    ends = estimate.interval
    is_limit = np.abs(ends) >= np.log((1 - _FARTHEST) / _FARTHEST) - 1e-9
    share = np.where(is_limit, ends > 0, 1 / (1 + np.exp(-ends)))
    interval = least + (1 - least) * share
    frame = pd.DataFrame(
        {
            'stability': values,
            'low': interval[:, 0],
            'high': interval[:, 1],
            'ties': ties.mean(axis=1),
        },
        index=pd.Index(table.measures, name='measure'),
    )
    return Stability(
        frame,
        f'Stability of {count(n_measures, "measure")} over {count(len(pairs), "pair")} of systems '
        f'and {count(n_queries, "query", "queries")}: mean share of samples that agree, with '
        f'{100 * confidence_level:g} % intervals of each measure alone',
        draw=partial(bars, frame, 'stability', 'stability'),
        measures=table.measures,
        systems=table.systems,
        pairs=pairs,
        values=values,
        interval=interval,
        shares=shares,
        ties=ties,
        trials=trials,
        monte_carlo=normal_interval(trials, confidence_level).clip(0, 1),
        replicates=replicates,
        n_queries=n_queries,
        confidence_level=confidence_level,
    )


def _samples(n_queries: int, size: int, n_trials: int, rng: np.random.Generator) -> Array:
    """The weight of each query in the means of trials that draw ``size`` of them without replacement, (R, Q)."""
    order = rng.permuted(np.tile(np.arange(n_queries), (n_trials, 1)), axis=1)
    return topic_weights(order[:, :size], n_queries)


def _wins(means: Array, fuzziness: float, relative: bool) -> tuple[Array, Array, Array]:
    """Count wins in trials, from the means of systems (S, R).

    Returns:
        The share of trials that the more frequent winner of each pair wins, (P,), the share of trials without a winner,
        (P,), and for each trial the share of pairs that their more frequent winners win, (R,).
    """
    n_systems, n_trials = means.shape
    shares, ties, by_trial = [], [], np.zeros(n_trials)
    for system in range(n_systems - 1):
        wins, winners = _won(means[system], means[system + 1 :], fuzziness, relative)
        n_wins, n_losses = np.count_nonzero(wins, axis=1), np.count_nonzero(winners, axis=1)
        shares.append(np.maximum(n_wins, n_losses) / n_trials)
        ties.append(1 - (n_wins + n_losses) / n_trials)
        first_wins = n_wins >= n_losses
        winners[first_wins] = wins[first_wins]
        by_trial += np.count_nonzero(winners, axis=0)
    n_pairs = n_systems * (n_systems - 1) / 2
    return np.concatenate(shares), np.concatenate(ties), by_trial / n_pairs


def _won(one: Array, other: Array, fuzziness: float, relative: bool) -> tuple[Array, Array]:
    """Where the first of two means wins, and where the second does."""
    scale = np.maximum(np.abs(one), np.abs(other)) if relative else 1.0
    margin = fuzziness * scale + EQUAL
    return one - other > margin, other - one > margin


class Stability(Result):
    """The result of :func:`stability`: ``stability, low, high`` and ``ties``, the mean share of trials without a winner.

    Attributes:
        measures, systems: names.
        pairs: (P, 2) indices of the systems of each pair.
        values: (measures,) stability, the mean of ``shares``.
        interval: (measures, 2) confidence interval over queries; NaN without resamples. It is that of the logit of
            (s − ½)/½ (of s with a fuzziness), ± t_{Q−1} times its standard deviation over the resamples, mapped back. A
            stability of 1 on all queries and in all resamples has the interval (1, 1).
        shares: (measures, P) share of trials won by the pair's more frequent winner.
        ties: (measures, P) share of trials without a winner.
        trials: (R, measures) share of pairs that their more frequent winners win in each trial.
        monte_carlo: (measures, 2) interval of the error of R trials on the same queries. It says nothing about other
            queries.
        replicates: (B, measures) stability on B resamples of the queries, the same ones for all measures.
        n_queries: number of queries.
        confidence_level: confidence level of the intervals.
    """

    def difference(self, one: str, other: str) -> Estimate:
        """The stability of one measure minus that of another, with its interval and p over queries."""
        a, b = (place_of(name, self.measures, 'measure') for name in (one, other))
        return from_resamples(
            float(self.values[a] - self.values[b]),
            self.replicates[:, a] - self.replicates[:, b],
            self.n_queries,
            self.confidence_level,
        )


_FARTHEST = 1e-6  # shares are kept this far from 0 and 1, whose logits are infinite


def system_count(
    score: Callable[[Array], Any],
    n_systems: int,
    sizes: Iterable[int] | None = None,
    *,
    n_trials: int = 1000,
    coefficient: str = 'kendall',
    measures: Iterable[str] | None = None,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> Result:
    """Stability of rankings of systems by measures that depend on the participating systems.

    R_o ranks all systems. Each trial draws N systems, ranks them by their scores in a pool of these systems alone
    (r_N), and correlates r_N with their order in R_o. The result is the mean over trials.

    Args:
        score: a function of the indices of the systems of a pool (sorted whole numbers from 0) that returns their mean
            scores in this pool, (N,) or (N, measures). For measures that do not depend on the pool the correlation is 1
            by construction.
        n_systems: number of systems.
        sizes: values of N. The default is the powers of 2 below n_systems.
        n_trials: number of trials for each N.
        coefficient: ``'kendall'`` or ``'tau_ap'``.
        measures: names of the measures in the result.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: confidence level of ``monte_carlo``, the interval of the error of the trials.

    Returns:
        :class:`~ir_divmeasures.results.Result`, one row per measure and N: ``measure, systems, correlation,
        monte_carlo_low, monte_carlo_high``. The picture shows a line per measure over N. A sample in which all systems
        are tied counts as 0, with one warning.

    Facts:
        sizes: values of N.
        measures: names.
        values: (sizes, measures) mean correlation.
        monte_carlo: (sizes, measures, 2) interval of the error of the trials. It says nothing about other systems.

    Raises:
        ValueError: sizes below 2 or above n_systems, scores that do not fit the pool, NaN.

    Reference: Türkmen, Lease, Kutlu, ECIR 2023, Algorithm 1.

    Examples:
        >>> means = np.array([.1, .4, .2, .3])
        >>> system_count(lambda pool: means[pool], 4, [2, 3], n_trials=5, rng=0).values
        array([[1.],
               [1.]])
    """

    one_of(coefficient, COEFFICIENTS, 'coefficient')
    n_systems, n_trials = whole(n_systems, 'n_systems', 2), whole(n_trials, 'n_trials')
    confidence_level = fraction(confidence_level, 'confidence_level')
    sizes = [2**j for j in range(1, 64) if 2**j < n_systems] if sizes is None else list(sizes)
    sizes = [whole(size, 'size', 2, n_systems) for size in sizes]
    generator = np.random.default_rng(rng)
    whole_pool = _pool_scores(score, np.arange(n_systems))
    numbered = (f'measure{m + 1}' for m in range(whole_pool.shape[1]))
    names = tuple(numbered if measures is None else measures)
    if len(names) != whole_pool.shape[1]:
        raise ValueError(
            f'{len(names)} names of measures for {whole_pool.shape[1]} in what score() returns'
        )
    trials = np.empty((n_trials, len(sizes), len(names)))
    records: list[Message] = []
    with (
        progress(len(sizes) * n_trials, 'trials') as bar,
        collecting(records),
    ):
        for n, size in enumerate(sizes):
            pools = np.array(
                [np.sort(generator.choice(n_systems, size, replace=False)) for _ in range(n_trials)]
            )
            alone = np.empty((n_trials, size, len(names)))
            for trial, pool in enumerate(pools):
                alone[trial] = _pool_scores(score, pool)
                bar.update()
            for m in range(len(names)):
                trials[:, n, m] = COEFFICIENTS[coefficient](whole_pool[pools, m], alone[:, :, m])
    _pass_on(records)
    values, monte_carlo = trials.mean(axis=0), normal_interval(trials, confidence_level).clip(-1, 1)
    frame = tidy(
        measure=names,
        systems=np.array(sizes)[:, None],
        correlation=values,
        monte_carlo_low=monte_carlo[..., 0],
        monte_carlo_high=monte_carlo[..., 1],
    )
    return Result(
        frame,
        f'Rank correlation with the whole pool by number of systems ({", ".join(map(str, sizes))}), for '
        f'{count(len(names), "measure")}',
        draw=partial(draw_system_count, frame),
        sizes=tuple(sizes),
        measures=names,
        values=values,
        monte_carlo=monte_carlo,
    )


def draw_system_count(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a line per measure over the number of systems, and return the matplotlib axes."""
    ax = axes(ax)
    for name, part in frame.groupby('measure', sort=False):
        ax.plot(part['systems'], part['correlation'], marker='o', label=name)
        ends = part['monte_carlo_low'], part['monte_carlo_high']
        ax.fill_between(part['systems'], *ends, alpha=0.2)
    ax.set_xscale('log', base=2)
    ax.set(xlabel='systems in the pool', ylabel='rank correlation with the whole pool')
    ax.legend()
    return ax


def _pool_scores(score: Callable[[Array], Any], pool: Array) -> Array:
    """The scores of the systems of a pool, (N, measures), checked."""
    values = np.asarray(score(pool), dtype=float)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != len(pool):
        raise ValueError(
            f'score() of {len(pool)} systems has shape {values.shape}, expected ({len(pool)},) or '
            f'({len(pool)}, measures)'
        )
    return values


def _pass_on(records: list[Message]) -> None:
    """Replace the messages about tied samples by one."""
    if records:
        warn(
            'Correlations of some samples are set to 0 because the samples tie all their systems. First warning: '
            f'{records[0][0]}'
        )
