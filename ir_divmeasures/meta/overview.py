"""Discriminative power, stability, correlation and unanimity of measures in one call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..evaluation.scores import as_scores
from ..lazy import pd
from ..results import Result, count
from ..results.plotting import axes
from .agreement import correlations
from .significance import discriminative_power
from .stability import stability
from .unanimity import unanimity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import RngLike, ScoresLike


def overview(
    scores: ScoresLike,
    method: str = 't',
    *,
    correction: str | None = 'holm',
    family: str = 'measure',
    alpha: float = 0.05,
    coefficient: str = 'kendall',
    fuzziness: float = 0.0,
    rng: RngLike = None,
) -> Result:
    """Discriminative power, stability, correlation and unanimity of measures.

    Args:
        scores: :class:`~ir_divmeasures.Scores` by at least two measures, an array (systems, queries, measures) or a
            tidy DataFrame of scores.
        method, correction, family, alpha: as for :func:`discriminative_power`.
        coefficient: as for :func:`correlations`.
        fuzziness: as for :func:`stability`.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        :class:`~ir_divmeasures.results.Result`, one row per measure: significant pairs, their share (``power``), needed
        difference (``delta``), stability, unanimity, and the measure that ranks systems most alike (``closest``) with the
        correlation. The picture shows discriminative power against stability.

    Facts:
        measures: names of the measures.
        power, stability, correlations, unanimity: the results of the four functions.

    Raises:
        ValueError: as the four functions.

    Examples:
        Two systems are equal, and the third is better on every query. Two of three pairs differ in every sample.

        >>> values = np.array([[.1, .2, .1], [.1, .2, .1], [.8, .9, .7]])
        >>> scores = np.stack([values, values ** 2], axis=2)
        >>> overview(scores, correction=None).to_frame()[['significant', 'stability', 'kendall']].round(3)
                  significant  stability  kendall
        measure
        measure1            2      0.667      1.0
        measure2            2      0.667      1.0
    """
    table, generator = as_scores(scores), np.random.default_rng(rng)
    power = discriminative_power(
        table, method, alpha=alpha, correction=correction, family=family, rng=generator
    )
    stable = stability(table, fuzziness=fuzziness, n_resamples=0, rng=generator)
    correlated, unanimous = correlations(table, coefficient), unanimity(table)
    frame = power.to_frame().drop(columns='pairs')
    frame['stability'] = stable.values
    frame['unanimity'] = unanimous.values
    others = np.where(np.eye(len(frame), dtype=bool), -np.inf, correlated.values)
    frame['closest'] = [table.measures[m] for m in others.argmax(axis=1)]
    frame[coefficient] = others.max(axis=1)
    return Result(
        frame,
        f'Overview of {count(len(frame), "measure")} on {count(len(table.systems), "system")} and '
        f'{count(len(table.queries), "query", "queries")}: significant differences of means by {power.tested}, '
        f'α = {alpha:g}',
        power._notes(),
        draw=partial(draw_overview, frame),
        measures=table.measures,
        power=power,
        stability=stable,
        correlations=correlated,
        unanimity=unanimous,
    )


def draw_overview(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw discriminative power against stability, a point per measure, and return the matplotlib axes."""
    ax = axes(ax)
    ax.scatter(frame['stability'], frame['power'])
    for place in zip(frame.index, frame['stability'], frame['power']):
        ax.annotate(place[0], place[1:], xytext=(4, 4), textcoords='offset points')
    ax.set(xlabel='stability', ylabel='share of pairs significantly different')
    return ax
