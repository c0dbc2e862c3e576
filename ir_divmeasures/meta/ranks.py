"""Ranks of systems with intervals, the systems that may be best, and tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..estimates import differing
from ..evaluation.ranges import means
from ..evaluation.scores import as_scores, some
from ..lazy import pd
from ..results import Result, count, tidy
from .resampling import by_measure, by_system
from .significance import discriminative_power

if TYPE_CHECKING:
    from ..typing import ScoresLike


class Ranks(Result):
    """The result of :func:`ranks`: the printed table, with a sentence for each measure in ``best``."""


def ranks(scores: ScoresLike, *, alpha: float = 0.05) -> Ranks:
    """Ranks of systems by their mean scores with intervals, the systems that may be best, and tiers.

    All follow from the paired t tests of all pairs with Holm's correction (:func:`discriminative_power`).

    * ``rank_low`` is 1 + the number of significantly better systems, ``rank_high`` is S − the number of significantly
      worse ones. The intervals hold for all systems together (Klein, Wright & Wieczorek 2020; Al Mohamad, Goeman &
      van Zwet 2022, who use Tukey's test).
    * ``best_p`` of a system is the smallest p-value, over the other systems, of the one-sided paired t test that the
      other one is better, times S − 1. A system with ``best_p`` ≥ alpha may be best. The truly best system is among
      these in 95 of 100 collections (Hsu's comparisons with the best).
    * ``tier``: a new tier begins where every system above differs significantly from every system below.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures), or a
            DataFrame of scores.
        alpha: level of the tests; the intervals of means have confidence level 1 − alpha.

    Returns:
        :class:`Ranks`, a row for each measure and system, by rank: ``measure, system, mean, low, high, rank, rank_low,
        rank_high, tier, best_p, may_be_best``. Systems with equal means share the average of their ranks.

    Facts:
        best: ``{measure: sentence}``, who is or may be best.
        ordered: ``{measure: number}``, pairs of neighbours in the ranking that differ significantly.
        tested: the test in words.

    Raises:
        ValueError: fewer than two systems or queries.

    Examples:
        >>> a, b = [.8, .6, .9, .7, .5, .8, 1, .7, .8, .7], [.7, .6, .8, .6, .5, .6, .9, .7, .7, .6]
        >>> ranks([a, b]).to_frame()[['system', 'rank', 'rank_low', 'rank_high', 'tier', 'best_p']].round(4)
            system  rank  rank_low  rank_high  tier  best_p
        0  system1   1.0         1          1     1  0.9984
        1  system2   2.0         2          2     2  0.0016
    """

    table = as_scores(scores)
    n, x = len(table.systems), by_system(table)
    power = discriminative_power(table, alpha=alpha)
    differences, pvalues, single = power.differences, power.pvalues, power.uncorrected
    (_, low, high, _), ranges = by_measure(map(means, x, table.measures, [1 - alpha] * len(x)))
    mean = x.mean(axis=2)
    first, second = power.pairs.T
    above = np.zeros((len(x), n, n), dtype=bool)  # whether a system is significantly better
    above[:, first, second] = (pvalues < alpha) & (differences > 0)
    above[:, second, first] = (pvalues < alpha) & (differences < 0)
    # p-values of the claim that the second system is above the first; those of equal scores stay 1
    is_above, half = np.ones((len(x), n, n)), np.nan_to_num(single / 2, nan=0.5)
    is_above[:, first, second] = np.where(differences < 0, half, 1 - half)
    is_above[:, second, first] = np.where(differences > 0, half, 1 - half)
    of, pair = np.nonzero(single == 1)
    one, other = first[pair], second[pair]
    equal = differing(x[of, one] - x[of, other]) == 0
    of, one, other = of[equal], one[equal], other[equal]
    is_above[of, one, other] = is_above[of, other, one] = 1
    best_p = np.minimum((n - 1) * is_above.min(axis=2), 1)
    rank = pd.DataFrame(mean).rank(axis=1, ascending=False).to_numpy()
    order, tier = rank.argsort(axis=1, kind='stable'), np.empty(rank.shape, dtype=int)
    best, ordered = {}, {}
    for m, (measure, places) in enumerate(zip(table.measures, order)):
        sorted_above = above[m][np.ix_(places, places)]
        ordered[measure] = int(np.diagonal(sorted_above, 1).sum())
        tier[m, places] = np.cumsum([k == 0 or bool(sorted_above[:k, k:].all()) for k in range(n)])
        candidates = [table.systems[s] for s in places if best_p[m, s] >= alpha]
        best[measure] = f'{len(candidates)} of {n} may be best: {some(candidates)}'
        if len(candidates) == 1:
            largest = best_p[m, best_p[m] < alpha].max()
            best[measure] = f'{candidates[0]} is best (p = {largest:.2g})'
    frame = tidy(
        measure=[[measure] for measure in table.measures],
        system=table.systems,
        mean=mean,
        low=low,
        high=high,
        rank=rank,
        rank_low=1 + above.sum(axis=1),
        rank_high=n - above.sum(axis=2),
        tier=tier,
        best_p=best_p,
        may_be_best=best_p >= alpha,
    )
    by_rank = order + n * np.arange(len(x))[:, None]
    sentences = '; '.join(f'{measure}: {sentence}' for measure, sentence in best.items())
    return Ranks(
        frame.iloc[by_rank.ravel()].reset_index(drop=True),
        f'{sentences if len(best) > 1 else best[measure]}. Ranks by means over '
        f'{count(len(table.queries), "query", "queries")}, {power.tested}; intervals of ranks hold for all systems '
        f'together, {100 * (1 - alpha):g} % intervals of means for each alone'
        + ''.join(f'; {note}' for note in ranges[:3]),
        [*ranges[3:], *power._notes()],
        best=best,
        ordered=ordered,
        tested=power.tested,
    )
