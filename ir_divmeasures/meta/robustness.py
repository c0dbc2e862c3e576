"""Robustness of a measure's ranking of systems to fewer topics, shallower pools or another assessor.

The studies are those of Carterette (SIGIR 2011, §4.2). Each study computes, for every measure, Kendall's τ between the
ranking of systems by all the data and the ranking by less or other data. Results are averages over measures, or over
groups of measures (model families, tail types). Intervals and tests are over topics: the whole study is repeated on
topics drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import whole
from ..estimates import Estimate
from ..evaluation.scores import as_scores
from ..lazy import pd
from ..plotting import lines
from ..progress import progress
from ..results import Result, count
from .correlation import kendall, matched, place_of
from .resampling import by_system, from_resamples, query_resamples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import RngLike, ScoresLike

Array = NDArray[np.float64]


class Robustness(Result):
    """Kendall's τ to the full ranking of systems.

    Attributes:
        measures: (M,) names.
        level: the variable: ``'topics'``, ``'pool depth'`` or ``'assessor'``.
        levels: (L,) values of the variable.
        tau: (M, L, R) Kendall's τ in R trials; R = 1 where nothing is random.
        replicates: (B, M, L) mean τ of the same study on B resamples of the topics, the same ones for all measures.
        n_topics: number of topics.
    """

    measures: tuple[str, ...]
    level: str
    levels: tuple[Any, ...]
    tau: Array
    replicates: Array
    n_topics: int

    def _headline(self) -> str:
        return (
            f'Robustness to {self.level}: mean Kendall\'s τ to the full ranking of systems, for '
            f'{count(len(self.measures), "measure")} and {count(self.n_topics, "topic")}'
        )

    def to_frame(self, groups: Mapping[str, str] | None = None) -> pd.DataFrame:
        """Mean τ over trials, measures × levels.

        With groups (measure → its group), rows are means over the measures of a group. Measures that belong to no group
        are omitted.

        Raises:
            ValueError: none of the measures belongs to a group.
        """
        names, values, _ = self._grouped(groups)
        return self._frame(groups, names, values.mean(axis=2))

    def interval(
        self, groups: Mapping[str, str] | None = None, confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Confidence intervals over topics of the means in :meth:`to_frame`.

        The interval is that of atanh τ, ± t_{Q−1} times its standard deviation over the resamples of the topics, mapped
        back. More trials or resamples do not narrow it. Where τ is 1 on all topics and in all resamples, the interval
        is (1, 1). Without resamples, it is NaN.

        Returns:
            DataFrame with measures or groups in rows and two columns for each level: ``(level, 'low')`` and
            ``(level, 'high')``.
        """

        names, values, replicates = self._grouped(groups)
        estimate = from_resamples(
            _stretched(values.mean(axis=2)), _stretched(replicates), self.n_topics, confidence_level
        )
        ends = estimate.interval
        ends = np.where(np.abs(ends) >= np.arctanh(_ALIKE) - 1e-9, np.sign(ends), np.tanh(ends))
        columns = pd.MultiIndex.from_product(
            [self.levels, ['low', 'high']], names=[self.level, 'end']
        )
        return self._frame(groups, names, ends.reshape(len(names), -1), columns)

    def difference(
        self,
        groups: Mapping[str, str] | None,
        one: str,
        other: str,
        *,
        confidence_level: float = 0.95,
    ) -> Estimate:
        """The mean over levels of τ of one group minus τ of another, with its interval and p over topics.

        It is ± t_{Q−1} times the standard deviation of the same difference over the resamples of the topics.

        Args:
            groups: measure → its group, or None to compare two measures.
            one, other: groups, or measures.
            confidence_level: confidence level of the interval.

        Raises:
            ValueError: an unknown group.
        """
        names, values, replicates = self._grouped(groups)
        a, b = (place_of(name, names, 'group') for name in (one, other))
        return from_resamples(
            float((values[a] - values[b]).mean()),
            (replicates[:, a] - replicates[:, b]).mean(axis=1),
            self.n_topics,
            confidence_level,
        )

    def monte_carlo(
        self, groups: Mapping[str, str] | None = None, confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Half the width of the t interval of each mean in :meth:`to_frame` over trials on the same topics.

        It says how much the mean would change with other trials, and nothing about other topics. It goes to 0 with the
        number of trials.

        Raises:
            ValueError: fewer than two trials.
        """
        from scipy.special import stdtrit

        names, values, _ = self._grouped(groups)
        trials = values.shape[2]
        if trials < 2:
            raise ValueError(f'the error of the trials needs at least two of them, found {trials}')
        error = values.std(axis=2, ddof=1) / np.sqrt(trials)
        return self._frame(groups, names, stdtrit(trials - 1, (1 + confidence_level) / 2) * error)

    def plot(self, groups: Mapping[str, str] | None = None, ax: Axes | None = None) -> Axes:
        """Draw mean τ by level, a line per measure or group, as in the paper's Figures 3 and 4; return the axes."""
        curves = {str(name): row.to_numpy() for name, row in self.to_frame(groups).iterrows()}
        label = "Kendall's τ to the full ranking"
        return lines(list(map(str, self.levels)), curves, self.level, label, ax)

    def _frame(
        self, groups: Mapping[str, str] | None, names: list[str], values: Array, columns: Any = None
    ) -> pd.DataFrame:
        """Values of measures or groups, by default at each level."""

        index = pd.Index(names, name='group' if groups else 'measure')
        if columns is None:
            columns = pd.Index(self.levels, name=self.level)
        return pd.DataFrame(values, index=index, columns=columns)

    def _grouped(self, groups: Mapping[str, str] | None) -> tuple[list[str], Array, Array]:
        """Names of measures or groups, their τ (names, L, R), and their replicates (B, names, L)."""
        if groups is None:
            return list(self.measures), self.tau, self.replicates
        of_measure = [groups.get(m) for m in self.measures]
        names = sorted({name for name in of_measure if name is not None})
        if not names:
            known = ', '.join(self.measures[:5])
            raise ValueError(f'none of the measures belongs to a group; measures: {known} …')
        members = [[of == name for of in of_measure] for name in names]
        return (
            names,
            np.stack([self.tau[each].mean(axis=0) for each in members]),
            np.stack([self.replicates[:, each].mean(axis=1) for each in members], axis=1),
        )


_ALIKE = 1 - 1e-6  # larger τ are 1: their atanh is infinite


def _stretched(tau: Array) -> Array:
    """atanh τ, with τ of 1 and −1 slightly smaller."""
    return np.arctanh(np.clip(tau, -_ALIKE, _ALIKE))


def topic_robustness(
    scores: ScoresLike,
    sizes: Iterable[int] | None = None,
    *,
    n_trials: int = 100,
    n_resamples: int = 100,
    rng: RngLike = None,
) -> Robustness:
    """Kendall's τ between the ranking of systems on a sample of the topics and on all of them.

    In each trial all measures use the same topics, drawn without replacement.

    Args:
        scores: a :class:`~ir_divmeasures.Scores`, an array (systems, topics) or (systems, topics, measures), or a
            DataFrame of scores.
        sizes: numbers of topics; by default 5, 10, 15, … below the number of topics.
        n_trials: samples for every size.
        n_resamples: number of resamples of the topics for intervals and tests, with 20 trials for every size in each. 0
            gives no intervals.
        rng: seed or generator, as for ``numpy.random.default_rng``.

    Returns:
        A :class:`Robustness` of shape (measures, sizes, trials).

    Raises:
        ValueError: NaN, fewer than two systems, a size that is not between 1 and the number of topics.

    Reference: Carterette, SIGIR 2011, §4.2 (100 trials of 5 to 45 of 50 topics). The intervals are an addition of this
    package.

    Examples:
        Three systems whose order is the same on every topic.

        >>> result = topic_robustness([[1, 2, 3], [4, 5, 6], [7, 8, 9]], sizes=[1, 2], n_trials=4, rng=0)
        >>> result.to_frame().loc['score'].tolist()
        [1.0, 1.0]
        >>> result.interval().loc['score', 2].tolist()
        [1.0, 1.0]
    """
    table = as_scores(scores)
    arrays = by_system(table)
    topics = arrays.shape[2]
    sample_sizes = tuple(range(5, topics, 5) if sizes is None else sizes)
    if not sample_sizes:
        raise ValueError(
            f'{topics} topics: expected sizes, the default being 5, 10, … below the number of topics'
        )
    for size in sample_sizes:
        whole(size, 'size', 1, topics)
    whole(n_trials, 'n_trials')
    whole(n_resamples, 'n_resamples', 0)
    generator = np.random.default_rng(rng)
    full = arrays.mean(axis=2)[:, None, :]
    tau = np.empty((len(arrays), len(sample_sizes), n_trials))
    for level, size in enumerate(sample_sizes):
        samples = np.stack([generator.permutation(topics)[:size] for _ in range(n_trials)])
        sample = arrays[:, :, samples].mean(axis=3)  # (M, S, R)
        tau[:, level] = kendall(full.round(12), np.swapaxes(sample, 1, 2).round(12))
    return Robustness(
        table.measures,
        'topics',
        sample_sizes,
        tau,
        _resampled(arrays, sample_sizes, n_resamples, generator),
        topics,
    )


TRIALS = 20
"""Trials of a procedure on each resample of the topics. More hardly change its standard deviation."""
_CELLS = 4_000_000  # of a block's (measures, pairs, resamples, trials) arrays


def _resampled(
    arrays: Array, sizes: tuple[int, ...], n_resamples: int, rng: np.random.Generator
) -> Array:
    """Mean τ of :data:`TRIALS` samples of each size, on resamples of the topics: (B, M, L).

    Args:
        arrays: (M, S, Q) scores.
        sizes: (L,) numbers of topics in a sample.
        n_resamples: B.
        rng: draws resamples and samples.
    """
    n_measures, n_systems, topics = arrays.shape
    replicates = np.empty((n_resamples, n_measures, len(sizes)))
    block = max(1, _CELLS // (n_measures * n_systems * n_systems // 2 * TRIALS))
    with progress(n_resamples, 'resamples') as bar:
        for start in range(0, n_resamples, block):
            resamples = query_resamples(topics, min(block, n_resamples - start), rng)
            order = rng.permuted(np.tile(np.arange(topics), (len(resamples) * TRIALS, 1)), axis=1)
            samples = np.take_along_axis(np.repeat(resamples, TRIALS, axis=0), order, axis=1)
            ahead = pair_signs(arrays @ topic_weights(resamples, topics).T)[..., None]
            for level, size in enumerate(sizes):
                means = arrays @ topic_weights(samples[:, :size], topics).T
                tau = tau_of_signs(
                    ahead, pair_signs(means).reshape(n_measures, -1, len(resamples), TRIALS)
                )
                replicates[start : start + len(resamples), :, level] = tau.mean(axis=2).T
            bar.update(len(resamples))
    return replicates


def topic_weights(indices: NDArray[np.intp], n_topics: int) -> Array:
    """The weight of each topic in the mean over drawn ones: indices (n, size) → (n, Q)."""
    flat = indices + n_topics * np.arange(len(indices))[:, None]
    counts = np.bincount(flat.ravel(), minlength=len(indices) * n_topics)
    return counts.reshape(len(indices), n_topics) / indices.shape[1]


def pair_signs(means: Array) -> Array:
    """The sign of the difference of each pair of systems: (M, S, ...) → (M, S(S − 1)/2, ...).

    Differences that may be rounding errors are ties.
    """
    first, second = np.triu_indices(means.shape[1], 1)
    difference = means[:, first] - means[:, second]
    return np.sign(np.where(np.abs(difference) < 1e-12, 0.0, difference))


def tau_of_signs(one: Array, other: Array) -> Array:
    """Kendall's τ_b of signs of :func:`pair_signs` (M, pairs, ...), (M, ...); 0 where all systems are tied."""
    untied = np.abs(one).sum(axis=1) * np.abs(other).sum(axis=1)
    return (one * other).sum(axis=1) / np.sqrt(np.maximum(untied, 1))


def pool_robustness(
    scores: ScoresLike,
    shallower: Mapping[Any, Any],
    *,
    n_resamples: int = 100,
    rng: RngLike = None,
) -> Robustness:
    """Kendall's τ between the ranking of systems by shallower pools and by all judgments.

    Args:
        scores: by all judgments.
        shallower: pool depth → the same by the judgments of that pool (:func:`ir_divmeasures.pools.repool` makes them).
        n_resamples: number of resamples of the topics for intervals and tests. 0 gives no intervals.
        rng: seed or generator of the resamples.

    Returns:
        A :class:`Robustness` of shape (measures, depths, 1).

    Raises:
        ValueError: scores of other systems, topics or measures, NaN, fewer than two systems.

    Reference: Carterette, SIGIR 2011, §4.2, Figure 4.

    Examples:
        >>> deep, shallow = [[0.5, 0.5], [0.4, 0.4], [0.3, 0.3]], [[0.5, 0.5], [0.2, 0.2], [0.3, 0.3]]
        >>> result = pool_robustness(deep, {1: shallow, 9: deep})
        >>> result.to_frame().round(3).loc['score'].tolist()
        [0.333, 1.0]
    """
    return _against(scores, shallower, 'pool depth', n_resamples, rng)


def assessor_robustness(
    scores: ScoresLike,
    others: Mapping[Any, Any],
    *,
    n_resamples: int = 100,
    rng: RngLike = None,
) -> Robustness:
    """Kendall's τ between the rankings of systems by one assessor's judgments and by others'.

    Args:
        scores: by the first assessor's judgments.
        others: name of another assessor → the same by their judgments.
        n_resamples: number of resamples of the topics for intervals and tests. 0 gives no intervals.
        rng: seed or generator of the resamples.

    Returns:
        A :class:`Robustness` of shape (measures, assessors, 1).

    Raises:
        ValueError: scores of other systems, topics or measures, NaN, fewer than two systems.

    Reference: Carterette, SIGIR 2011, §4.2, Table 2.

    Examples:
        >>> first, second = [[0.5], [0.4], [0.3]], [[0.5], [0.2], [0.3]]
        >>> assessor_robustness(first, {'Waterloo': second}).to_frame().round(3).loc['score'].tolist()
        [0.333]
    """
    return _against(scores, others, 'assessor', n_resamples, rng)


def _against(
    scores: Any, others: Mapping[Any, Any], level: str, n_resamples: int, rng: Any
) -> Robustness:
    """Kendall's τ between the ranking of systems by some scores and by others (value of the level → scores).

    One resample of the topics serves all sides.
    """
    table = as_scores(scores)
    arrays = by_system(table)
    if not others:
        raise ValueError(f'no {level} to compare with')
    whole(n_resamples, 'n_resamples', 0)
    sides = [
        by_system(matched(as_scores(other), table, f'{level} {label!r}', AXES))
        for label, other in others.items()
    ]
    means = arrays.mean(axis=2).round(12)  # differences by rounding are ties
    by_side = [kendall(means, side.mean(axis=2).round(12)) for side in sides]
    n_topics = arrays.shape[2]
    resamples = query_resamples(n_topics, n_resamples, np.random.default_rng(rng))
    replicates = np.empty((len(resamples), len(arrays), len(sides)))
    block = max(1, _CELLS // (len(arrays) * arrays.shape[1] ** 2 // 2 + 1))
    for start in range(0, len(resamples), block):
        weights = topic_weights(resamples[start : start + block], n_topics).T
        ahead = pair_signs(arrays @ weights)
        for place, side in enumerate(sides):
            replicates[start : start + block, :, place] = tau_of_signs(
                ahead, pair_signs(side @ weights)
            ).T
    tau = np.stack(by_side, axis=1)[:, :, None]
    return Robustness(table.measures, level, tuple(others), tau, replicates, n_topics)


AXES = ('systems', 'queries', 'measures')
