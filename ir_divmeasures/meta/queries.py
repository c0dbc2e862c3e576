"""How many queries a comparison of two systems needs, from the scores of a pilot."""

from __future__ import annotations

import bisect
import math
from typing import TYPE_CHECKING

import numpy as np

from ..errors import fraction
from ..evaluation.scores import as_scores
from ..lazy import pd
from ..results import Result, count
from .correlation import place_of

if TYPE_CHECKING:
    from ..typing import ScoresLike

Array = np.ndarray
MOST = 2**29
"""Effects so small that more queries are needed count as none."""


def queries_needed(
    scores: ScoresLike,
    one: str,
    other: str,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
) -> Result:
    """The number of queries with which a paired t test would find the difference of two systems, by a pilot's scores.

    With z the differences on the pilot's n queries and the effect size d = z̄/s_z, N queries give the two-sided paired t
    test at level alpha the power P(|T| > t_{N−1, 1−alpha/2}), where T has the noncentral t distribution with N − 1
    degrees of freedom and noncentrality d√N. The result is the smallest N whose power is at least ``power``.

    The pilot's d is an estimate. Its interval holds all δ for which z̄/(s_z/√n) is no extreme value of a noncentral t
    with n − 1 degrees of freedom and noncentrality δ√n, and gives the interval of N. With few queries it is wide:
    unless the pilot itself is significant, it has no upper end.

    Args:
        scores: the pilot: :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures),
            or a DataFrame of scores.
        one, other: the systems.
        power: probability of a significant result, in (0, 1).
        alpha: level of significance of the test.
        confidence_level: confidence level of the interval of N.

    Returns:
        :class:`~ir_divmeasures.results.Result`, one row per measure: ``difference, sd, effect, queries, low, high``.

    Facts:
        measures: names.
        effects: (measures,) effect size d.
        values: (measures,) number of queries needed; infinite where the pilot shows no difference at all.
        interval: (measures, 2) confidence interval of that number over pilots; infinite where the effect may be 0.

    Raises:
        ValueError: an unknown system, fewer than two queries, NaN, a power below alpha.

    Reference: Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 1988, chapter 2; Sakai, Information
    Retrieval Journal 2016, for topic set sizes.

    Examples:
        Differences of 0.5 ± 1 on average: d = 0.5 needs 34 queries.

        >>> from ir_divmeasures import Scores
        >>> z = np.array([1, -1, 1, -1]) / np.sqrt(4 / 3) + 0.5
        >>> queries_needed(Scores([z, z * 0], systems=['new', 'old']), 'new', 'old').to_frame()
                 difference   sd  effect  queries  low  high
        measure
        score           0.5  1.0     0.5     34.0  6.0   inf
    """

    table = as_scores(scores)
    a, b = (place_of(name, table.systems, 'system') for name in (one, other))
    n = len(table.queries)
    if n < 2:
        raise ValueError('scores of 1 query, expected at least two')
    power, alpha = fraction(power, 'power'), fraction(alpha, 'alpha')
    confidence_level = fraction(confidence_level, 'confidence_level')
    if power <= alpha:
        raise ValueError(
            f'power={power:g}, expected more than alpha={alpha:g}, which a test without any effect has'
        )
    z = table.values[a] - table.values[b]  # (queries, measures)
    difference, spread = z.mean(axis=0), z.std(axis=0, ddof=1)  # (measures,)
    spread = np.where(spread < 1e-14, 0.0, spread)
    with np.errstate(divide='ignore', invalid='ignore'):
        effects = np.where(difference == 0, 0.0, difference / spread)
    rows = []
    for mean, sd, effect in zip(difference, spread, effects):
        nearest, farthest = _effects(effect, n, confidence_level)
        numbers = [_smallest(d, power, alpha) for d in (abs(effect), farthest, nearest)]
        rows.append([mean, sd, effect, *numbers])
    frame = pd.DataFrame(
        rows,
        columns=['difference', 'sd', 'effect', 'queries', 'low', 'high'],
        index=pd.Index(table.measures, name='measure'),
    )
    return Result(
        frame,
        f'Queries needed to tell {one} from {other} with power {power:g} at α = {alpha:g}; '
        f'pilot of {count(n, "query", "queries")}, differences of means, {100 * confidence_level:g} % intervals of each '
        f'measure alone',
        measures=table.measures,
        effects=effects,
        values=frame['queries'].to_numpy(),
        interval=frame[['low', 'high']].to_numpy(),
    )


def power_of(effect: float, n: int, alpha: float = 0.05) -> float:
    """The power of the two-sided paired t test of n queries for an effect size."""
    from scipy.stats import nct, t

    critical, centre = t.ppf(1 - alpha / 2, n - 1), effect * math.sqrt(n)
    if centre > 37 + critical:  # beyond the range of the noncentral t, the power is 1
        return 1.0
    with np.errstate(all='ignore'):  # where it is NaN, some versions of scipy warn as well
        lower = nct.cdf(-critical, n - 1, centre)
        return float(nct.sf(critical, n - 1, centre) + (0.0 if np.isnan(lower) else lower))


def _smallest(effect: float, power: float, alpha: float) -> float:
    """The smallest number of queries with at least this power; infinite without an effect."""
    if not effect > 0:
        return math.inf
    numbers = range(2, MOST + 1)
    n_fewer = bisect.bisect_left(numbers, power, key=lambda n: power_of(effect, n, alpha))
    return float(numbers[n_fewer]) if n_fewer < len(numbers) else math.inf


def _effects(effect: float, n: int, confidence_level: float) -> tuple[float, float]:
    """The smallest and the largest |δ| in the confidence interval of an effect size seen on n queries."""
    from scipy.optimize import brentq
    from scipy.stats import nct

    if not math.isfinite(effect):
        return math.inf, math.inf
    ratio, tail = abs(effect) * math.sqrt(n), (1 - confidence_level) / 2

    def end(probability: float) -> float:
        """The noncentrality under which a t of at most this one has the probability."""

        def excess(centre: float) -> float:
            share = float(nct.cdf(ratio, n - 1, centre))
            if math.isnan(share):  # scipy's answer far from the centre, where the share is 1 or 0
                share = float(centre < ratio)
            return share - probability

        reach = 10.0 + 5 * ratio / math.sqrt(n - 1)
        return float(brentq(excess, ratio - reach, ratio + reach))

    low, high = end(1 - tail) / math.sqrt(n), end(tail) / math.sqrt(n)
    return max(low, 0.0), max(high, -low)
