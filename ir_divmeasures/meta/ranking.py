"""Ranks of systems, with intervals and tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..core.registry import ABOUT_1, ours, parse
from ..results import tidy
from .intervals import Array, Bounds, mean_interval
from .significance import TIED, pvalues, table_of

if TYPE_CHECKING:
    from ..typing import ScoresLike


def ranks(scores: ScoresLike, *, alpha: float = 0.05) -> pd.DataFrame:
    """Rank systems by their mean scores, with intervals of means and of ranks.

    * ``low, high`` are the ends of the t interval of the mean, cut at the range of the measure's scores.
    * ``rank`` is by means rounded to 12 places; equal means share the average of their ranks.
    * ``rank_low`` is 1 + the number of significantly better systems, ``rank_high`` is S − the number of significantly
      worse ones, by paired t tests of all pairs with Holm's correction (:func:`pvalues`). The intervals of ranks hold
      for all systems together.
    * ``may_be_first``: ``rank_low`` is 1, so no system is significantly better.
    * ``tier``: a new tier begins where every system above differs significantly from every system below.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures), or a
            DataFrame of scores.
        alpha: level of the tests; the intervals of means have confidence level 1 − alpha.

    Returns:
        A row for each measure and system, by rank: ``measure, system, mean, low, high, rank, rank_low, rank_high, tier,
        may_be_first``.

    Raises:
        ValueError: fewer than two systems or queries.

    Reference: Klein, Wright, Wieczorek, JRSS A 2020; Al Mohamad, Goeman, van Zwet, Biometrics 2022 (who use Tukey's
    test).

    Examples:
        >>> a, b = [.8, .6, .9, .7, .5, .8, 1, .7, .8, .7], [.7, .6, .8, .6, .5, .6, .9, .7, .7, .6]
        >>> ranks([a, b])[['system', 'rank', 'rank_low', 'rank_high', 'tier', 'may_be_first']]
            system  rank  rank_low  rank_high  tier  may_be_first
        0  system1   1.0         1          1     1          True
        1  system2   2.0         2          2     2         False
    """
    table, x = table_of(scores)
    n, mean = len(table.systems), x.mean(axis=2)
    first, second = np.triu_indices(n, 1)
    significant = pvalues(x, first, second, alpha=alpha).pvalue < alpha
    is_ahead = mean[:, first] > mean[:, second]
    is_better = np.zeros((len(x), n, n), dtype=bool)  # a system than another one, significantly
    is_better[:, first, second] = significant & is_ahead
    is_better[:, second, first] = significant & ~is_ahead
    ends = [mean_interval(y, 1 - alpha, range_of(m, y)) for m, y in zip(table.measures, x)]
    low, high = np.array(ends).swapaxes(0, 1)
    rank = pd.DataFrame(mean.round(12)).rank(axis=1, ascending=False).to_numpy()
    order, tier = rank.argsort(axis=1, kind='stable'), np.empty(rank.shape, dtype=int)
    for m, places in enumerate(order):
        by_rank = is_better[m][np.ix_(places, places)]
        tier[m, places] = np.cumsum([k == 0 or bool(by_rank[:k, k:].all()) for k in range(n)])
    rank_low = 1 + is_better.sum(axis=1)
    result = tidy(
        measure=[[measure] for measure in table.measures],
        system=table.systems,
        mean=mean,
        low=low,
        high=high,
        rank=rank,
        rank_low=rank_low,
        rank_high=n - is_better.sum(axis=2),
        tier=tier,
        may_be_first=rank_low == 1,
    )
    rows = order + n * np.arange(len(x))[:, None]
    return result.iloc[rows.ravel()].reset_index(drop=True)


def range_of(name: str, values: Array) -> Bounds:
    """Return the range at which intervals of means are cut: that of the measure, or [0, 1] if it is not known.

    An end that a score exceeds is none.

    Examples:
        >>> range_of('P@5', np.array([0.2, 0.4])), range_of('own', np.array([20, 40]))
        ((0, 1), (0, inf))
    """
    try:
        measure = ours(parse(name, complete=False))
    except ValueError:
        measure = None
    low, high = (0, 1) if measure is None else measure.bounds
    high = 1 if high == ABOUT_1 else np.inf if high is None else high
    low = -np.inf if low is None else low
    return (
        low if values.min() >= low - TIED else -np.inf,
        high if values.max() <= high + TIED else np.inf,
    )
