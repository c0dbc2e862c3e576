"""Ranks of systems with intervals, the systems that may be best, and tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..evaluation.ranges import means
from ..evaluation.scores import as_scores, some
from ..lazy import pd
from ..results import Result, count
from ..results.estimates import differing
from .prediction_powered import pairs_by_both, prediction_powered
from .significance import corrected, discriminative_power, tested

if TYPE_CHECKING:
    from ..typing import ScoresLike


Array = np.ndarray


class Ranks(Result):
    """The result of :func:`ranks`: the printed table, with a sentence for each measure in ``best``."""


def ranks(scores: ScoresLike, *, human: Any = None, alpha: float = 0.05) -> Ranks:
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
        human: scores by human judgments of a random part of the queries. Means and differences are then those of
            :func:`prediction_powered`.
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
    n = len(table.systems)
    if human is None:
        power = discriminative_power(table, alpha=alpha)
        pairs, differences, pvalues = power.pairs, power.differences, power.pvalues
        single = power.uncorrected
        said, notes = power.tested, list(power._notes())
    else:
        pairs, estimate = pairs_by_both(table, human, 1 - alpha)
        differences, single = estimate.value, estimate.pvalue
        pvalues = corrected(single, 'holm', 'measure')
        said, notes = tested('t', 'holm', 'measure', len(pairs), len(table.measures)), []
        corrected_means = prediction_powered(table, human, confidence_level=1 - alpha).to_frame()
        corrected_means = corrected_means.set_index('measure')
    first, second = pairs.T
    parts, best, ordered, ranges = [], {}, {}, []
    for m, measure in enumerate(table.measures):
        values = table.values[:, :, m]
        if human is None:
            estimated, note = means(values, measure, 1 - alpha)
            of_systems = values.mean(axis=1), estimated.low, estimated.high
            ranges += [note] * bool(note)
            equal = np.flatnonzero(single[m] == 1)
            equal = equal[differing(values[first[equal]] - values[second[equal]]) == 0]
        else:
            of_systems = corrected_means.loc[[measure], ['mean', 'low', 'high']].to_numpy().T
            equal = first[:0]
        best_p = _best_pvalues(n, pairs, differences[m], single[m], equal)
        above = np.zeros(
            (n, n), dtype=bool
        )  # whether a system is significantly better than another
        significant = pvalues[m] < alpha
        above[first, second] = significant & (differences[m] > 0)
        above[second, first] = significant & (differences[m] < 0)
        part = pd.DataFrame(
            {
                'measure': measure,
                'system': table.systems,
                **dict(zip(('mean', 'low', 'high'), of_systems)),
                'rank_low': 1 + above.sum(axis=0),
                'rank_high': n - above.sum(axis=1),
                'best_p': best_p,
                'may_be_best': best_p >= alpha,
            }
        )
        part.insert(5, 'rank', part['mean'].rank(ascending=False))
        part = part.sort_values('rank', kind='stable')
        above = above[np.ix_(part.index, part.index)]
        ordered[measure] = int(np.diagonal(above, 1).sum())
        part.insert(8, 'tier', np.cumsum([k == 0 or bool(above[:k, k:].all()) for k in range(n)]))
        parts.append(part)
        candidates = part['system'][part['may_be_best']].tolist()
        best[measure] = f'{len(candidates)} of {n} may be best: {some(candidates)}'
        if len(candidates) == 1:
            largest = part['best_p'][~part['may_be_best']].max()
            best[measure] = f'{candidates[0]} is best (p = {largest:.2g})'
    sentences = '; '.join(f'{measure}: {sentence}' for measure, sentence in best.items())
    return Ranks(
        pd.concat(parts, ignore_index=True),
        f'{sentences if len(best) > 1 else best[measure]}. Ranks by means over '
        f'{count(len(table.queries), "query", "queries")}, {said}; intervals of ranks hold for all systems '
        f'together, {100 * (1 - alpha):g} % intervals of means for each alone'
        + ''.join(f'; {note}' for note in ranges[:3]),
        [*ranges[3:], *notes],
        best=best,
        ordered=ordered,
        tested=said,
    )


def _best_pvalues(n: int, pairs: Array, differences: Array, pvalues: Array, equal: Array) -> Array:
    """For each of n systems the p-value of the claim that it is the best one, at most 1.

    It is the smallest p-value of the one-sided tests that another system is better, times their number. ``pvalues`` are
    the two-sided ones of the pairs, and ``equal`` the places of pairs whose values are all equal.
    """
    is_above = np.ones((n, n))  # p-values of the claim that the second system is above the first
    first, second = pairs.T
    half = np.nan_to_num(pvalues / 2, nan=0.5)
    is_above[first, second] = np.where(differences < 0, half, 1 - half)
    is_above[second, first] = np.where(differences > 0, half, 1 - half)
    is_above[first[equal], second[equal]] = is_above[second[equal], first[equal]] = 1
    return np.minimum((n - 1) * is_above.min(axis=1), 1)
