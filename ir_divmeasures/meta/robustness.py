"""Robustness of a measure's ranking of systems to fewer topics, shallower pools or another assessor.

The studies are those of Carterette (SIGIR 2011, §4.2): Kendall's τ between the ranking of systems by all the data and
the ranking by less or other data. Intervals are over topics: the whole study is repeated on topics drawn with
replacement. An interval is the mean ± t_{Q−1} times its standard deviation over these resamples, cut to [−1, 1]. It is
an addition of this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import fraction, naming, whole
from ..evaluation.scores import Scores, scores_of
from ..progress import with_progress
from ..results import tidy
from .correlation import correlate_rankings
from .intervals import resample_queries, resampled_interval, sample_queries

if TYPE_CHECKING:
    from ..typing import RngLike, ScoresLike

Array = np.ndarray
TRIALS = 20
"""Trials of a procedure on each resample of the queries. More hardly change its standard deviation."""


def topic_robustness(
    scores: ScoresLike,
    sizes: Iterable[int] | None = None,
    *,
    n_trials: int = 100,
    n_resamples: int = 100,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Mean Kendall's τ between the ranking of systems on a sample of the topics and on all of them.

    In each trial all measures use the same topics, drawn without replacement.

    Args:
        scores: a :class:`~ir_divmeasures.Scores`, an array (systems, topics) or (systems, topics, measures), or a
            DataFrame of scores.
        sizes: numbers of topics; by default 5, 10, 15, … below the number of topics.
        n_trials: samples for every size.
        n_resamples: number of resamples of the topics for intervals, with 20 trials for every size in each. 0 gives no
            intervals.
        rng: seed or generator, as for ``numpy.random.default_rng``.
        confidence_level: confidence level of the intervals.

    Returns:
        A row for each measure and size: ``measure, topics, statistic, low, high``.

    Raises:
        ValueError: NaN, fewer than two systems, or a size that is not between 1 and the number of topics.

    Reference: Carterette, SIGIR 2011, §4.2, Figure 3 (100 trials of 5 to 45 of 50 topics).

    Examples:
        Three systems whose order is the same on every topic.

        >>> topic_robustness([[1, 2, 3], [4, 5, 6], [7, 8, 9]], sizes=[1, 2], n_trials=4, rng=0)
          measure  topics  statistic  low  high
        0   score       1        1.0  1.0   1.0
        1   score       2        1.0  1.0   1.0
    """
    table = scores_of(scores)
    n, level = len(table.queries), fraction(confidence_level, 'confidence_level')
    sizes = list(range(5, n, 5) if sizes is None else sizes)
    if not sizes:
        raise ValueError(
            f'{n} topics: expected sizes, the default being 5, 10, … below the number of topics'
        )
    for size in sizes:
        whole(size, 'size', 1, n)
    n_trials, n_resamples = whole(n_trials, 'n_trials'), whole(n_resamples, 'n_resamples', 0)
    generator = np.random.default_rng(rng)

    def study(counts: Array, n_trials: int) -> Array:
        """Mean τ by size and measure, on topics that are there so many times."""
        samples = [sample_queries(counts, size, n_trials, generator) for size in sizes]
        whole_ranking, others = _means(table, counts[None]), _means(table, np.vstack(samples))
        values = correlate_rankings(whole_ranking, others)
        return values.reshape(-1, len(sizes), n_trials).mean(axis=2).T

    value = study(np.ones(n, dtype=int), n_trials)
    resamples = with_progress(resample_queries(n, n_resamples, generator), 'resamples')
    replicates = np.array([study(counts, TRIALS) for counts in resamples])
    return _summary(table, 'topics', sizes, value, replicates, level)


def pool_robustness(
    scores: ScoresLike,
    shallower: Mapping[Any, ScoresLike],
    *,
    n_resamples: int = 100,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Kendall's τ between the ranking of systems by shallower pools and by all judgments.

    Args:
        scores: by all judgments.
        shallower: pool depth → the same by the judgments of that pool (:func:`ir_divmeasures.pools.repool` makes them).
        n_resamples, rng, confidence_level: as for :func:`topic_robustness`.

    Returns:
        A row for each measure and depth: ``measure, depth, statistic, low, high``.

    Raises:
        ValueError: scores that lack a system, topic or measure, NaN, fewer than two systems.

    Reference: Carterette, SIGIR 2011, §4.2, Figure 4.

    Examples:
        >>> deep, shallow = [[0.5, 0.5], [0.4, 0.4], [0.3, 0.3]], [[0.5, 0.5], [0.2, 0.2], [0.3, 0.3]]
        >>> pool_robustness(deep, {1: shallow, 9: deep})['statistic'].round(3).tolist()
        [0.333, 1.0]
    """
    return _against(scores, 'depth', shallower, n_resamples, rng, confidence_level)


def assessor_robustness(
    scores: ScoresLike,
    others: Mapping[Any, ScoresLike],
    *,
    n_resamples: int = 100,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Kendall's τ between the rankings of systems by one assessor's judgments and by others'.

    Args:
        scores: by the first assessor's judgments.
        others: name of another assessor → the same by their judgments.
        n_resamples, rng, confidence_level: as for :func:`topic_robustness`.

    Returns:
        A row for each measure and assessor: ``measure, assessor, statistic, low, high``. The intervals do not contain
        the error of the choice of assessors.

    Raises:
        ValueError: scores that lack a system, topic or measure, NaN, fewer than two systems.

    Reference: Carterette, SIGIR 2011, §4.2, Table 2.

    Examples:
        >>> first, second = [[0.5], [0.4], [0.3]], [[0.5], [0.2], [0.3]]
        >>> assessor_robustness(first, {'Waterloo': second})['statistic'].round(3).tolist()
        [0.333]
    """
    return _against(scores, 'assessor', others, n_resamples, rng, confidence_level)


def _against(
    scores: ScoresLike,
    column: str,
    others: Mapping[Any, ScoresLike],
    n_resamples: int,
    rng: RngLike,
    confidence_level: float,
) -> pd.DataFrame:
    """τ to the ranking by some scores of those by others, by name. One resample of the topics serves all."""
    table, level = scores_of(scores), fraction(confidence_level, 'confidence_level')
    if not others:
        raise ValueError(f'no {column} to compare with')
    axes = {'systems': table.systems, 'queries': table.queries, 'measures': table.measures}
    sides = []
    for name, other in others.items():
        with naming(f'{column} {name!r}'):
            sides.append(scores_of(other).select(**axes))
    n, n_resamples = len(table.queries), whole(n_resamples, 'n_resamples', 0)
    resamples = resample_queries(n, n_resamples, np.random.default_rng(rng))
    counts = np.vstack([np.ones((1, n), dtype=int), resamples])
    order = _means(table, counts)[:, :, None]
    taus = [correlate_rankings(order, _means(side, counts)[:, :, None]) for side in sides]
    value, *replicates = np.transpose(taus, (2, 0, 1, 3, 4))[..., 0, 0]
    return _summary(table, column, list(others), value, np.array(replicates), level)


def _means(table: Scores, counts: Array) -> Array:
    """Mean scores by measure, sample of queries and system, where counts (samples, Q) are weights of the queries."""
    weights = counts / counts.sum(axis=1, keepdims=True)
    return weights @ table.values.transpose(2, 1, 0)


def _summary(
    table: Scores,
    column: str,
    levels: list[Any],
    value: Array,
    replicates: Array,
    confidence_level: float,
) -> pd.DataFrame:
    """The table of a study from τ by level and measure, and from its replicates (resamples, levels, measures)."""
    low, high = resampled_interval(value, replicates, len(table.queries), confidence_level, (-1, 1))
    names = [[measure] for measure in table.measures]
    return tidy(measure=names, **{column: levels}, statistic=value.T, low=low.T, high=high.T)
