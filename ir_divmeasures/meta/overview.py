"""Discriminative power, stability, correlation and unanimity of measures in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..evaluation.scores import as_scores
from ..results import Result, count
from .agreement import Correlations, correlations
from .significance import DiscriminativePower, discriminative_power
from .stability import Stability, stability
from .unanimity import Unanimity, unanimity

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ..typing import RngLike, ScoresLike


def overview(
    scores: ScoresLike,
    method: str = 'bootstrap',
    *,
    alpha: float = 0.05,
    coefficient: str = 'kendall',
    fuzziness: float = 0.0,
    rng: RngLike = None,
) -> Overview:
    """Discriminative power, stability, correlation and unanimity of measures.

    Args:
        scores: :class:`~ir_divmeasures.Scores` by at least two measures, an array (systems, queries, measures) or a
            tidy DataFrame of scores.
        method, alpha: as for :func:`discriminative_power`.
        coefficient: as for :func:`correlations`.
        fuzziness: as for :func:`stability`.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        :class:`Overview`.

    Raises:
        ValueError: as the four functions.

    Examples:
        Two systems are equal, and the third is better on every query. Two of three pairs differ in every sample.

        >>> values = np.array([[.1, .2, .1], [.1, .2, .1], [.8, .9, .7]])
        >>> scores = np.stack([values, values ** 2], axis=2)
        >>> overview(scores, 't').to_frame()[['significant', 'stability', 'closest', 'kendall']].round(3)
                  significant  stability   closest  kendall
        measure
        measure1            2      0.667  measure2      1.0
        measure2            2      0.667  measure1      1.0
    """
    table, generator = as_scores(scores), np.random.default_rng(rng)
    return Overview(
        discriminative_power(table, method, alpha=alpha, rng=generator),
        stability(table, fuzziness=fuzziness, n_resamples=0, rng=generator),
        correlations(table, coefficient),
        unanimity(table),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Result):
    """The result of :func:`overview`.

    Attributes:
        power, stability, correlations, unanimity: the results of the four functions.
    """

    power: DiscriminativePower
    stability: Stability
    correlations: Correlations
    unanimity: Unanimity

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return self.power.measures

    def _headline(self) -> str:
        return (
            f'Overview of {count(len(self.measures), "measure")} on {count(len(self.power.systems), "system")} and '
            f'{count(self.stability.n_queries, "query", "queries")}'
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per measure: significant pairs, their share (``power``), needed difference (``delta``), stability,
        unanimity, and the measure that ranks systems most alike (``closest``) with the correlation."""
        frame = self.power.to_frame().drop(columns='pairs')
        frame['stability'] = self.stability.values
        frame['unanimity'] = self.unanimity.values
        others = np.where(np.eye(len(self.measures), dtype=bool), -np.inf, self.correlations.values)
        frame['closest'] = [self.measures[m] for m in others.argmax(axis=1)]
        frame[self.correlations.coefficient] = others.max(axis=1)
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw discriminative power against stability, a point per measure, and return the matplotlib axes."""
        from ..results.plotting import axes

        ax, frame = axes(ax), self.to_frame()
        ax.scatter(frame['stability'], frame['power'])
        for name, row in frame.iterrows():
            ax.annotate(
                str(name),
                (row['stability'], row['power']),
                xytext=(4, 4),
                textcoords='offset points',
            )
        ax.set(xlabel='stability', ylabel='share of pairs significantly different')
        return ax
