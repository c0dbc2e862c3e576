"""Metric unanimity: does a measure see the improvements on which all other measures agree?"""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import warn
from ..evaluation.scores import as_scores
from ..results import Result
from .resampling import bootstrap_weights, fraction, percentiles, progress, whole

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray
_CELLS = 4_000_000


def unanimity(scores: Any, *, tolerance: float = 1e-9, n_resamples: int = 0, rng: Any = None,
              confidence_level: float = 0.95) -> Unanimity:
    """Metric unanimity (MU) of each measure with regard to all the others.

    MU(m) = log2 [ P(Δm, ΔM) / (P(Δm) P(ΔM)) ] over ordered pairs of systems (i, j) and all queries: Δm says that m
    scores i above j (a tie counts ½, so P(Δm) = ½), ΔM that every other measure scores i at least as high as j.

    MU is 1 for a measure that reports every unanimous improvement, 0 for a random or constant one, −∞ for one that
    contradicts all of them. Further copies of another measure change nothing.

    Args:
        scores: :class:`~ir_divmeasures.Scores` of at least two systems and two measures, or an array (systems,
            queries, measures).
        tolerance: differences up to this are ties (rounding noise is no improvement).
        n_resamples: bootstrap resamples of the queries for the confidence interval; none by default.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: of the interval.

    Returns:
        :class:`Unanimity`. Where the other measures never agree on an improvement or tie, 0 and one warning.

    Raises:
        ValueError: fewer than two systems or measures, NaN.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.1.

    Examples:
        The paper's example of three systems and three measures: log2((2/6)/(3/6 · 3/6)) = 0.415 for the first,
        log2((2/6)/(3/6 · 2/6)) = 1 for the others.

        >>> found = unanimity([[[1, .8, 1]], [[.5, .3, .2]], [[.2, .4, .5]]])
        >>> found.values.round(3)
        array([0.415, 1.   , 1.   ])
    """
    table = as_scores(scores)
    if len(table.measures) < 2:
        raise ValueError(f'scores by {table.measures[0]} alone, expected at least two measures')
    if not tolerance >= 0:
        raise ValueError(f'tolerance={tolerance!r}, expected a number from 0 up')
    confidence_level, n_resamples = fraction(confidence_level, 'confidence_level'), whole(n_resamples, 'n_resamples', 0)
    joint, unanimous = _counts(table.values, tolerance)
    total = unanimous.sum(axis=0)
    if (total == 0).any():
        names = [m for m, n in zip(table.measures, total) if n == 0]
        warn(f'no pair of systems that all others than {names[0]} order the same way, for {len(names)} of '
             f'{len(table.measures)} measures; their unanimity is taken as 0')
    interval = None
    if n_resamples:
        weights = bootstrap_weights(len(table.queries), n_resamples, np.random.default_rng(rng))
        interval = percentiles(_mutual_information(weights @ joint, weights @ unanimous), confidence_level)
    n_pairs = len(table.systems) * (len(table.systems) - 1) * len(table.queries)
    return Unanimity(table.measures, _mutual_information(joint.sum(axis=0), total), joint.sum(axis=0) / n_pairs,
                     total / n_pairs, interval)


def _mutual_information(joint: Array, unanimous: Array) -> Array:
    """log2 of joint/(½ unanimous); 0 where nothing is unanimous."""
    with np.errstate(divide='ignore'):
        return np.where(unanimous > 0, np.log2(2 * joint / np.where(unanimous > 0, unanimous, 1.0)), 0.0)


def _counts(values: Array, tolerance: float) -> tuple[Array, Array]:
    """Per query and measure, over ordered pairs of systems: (Δm and ΔM), ΔM; (queries, measures) each."""
    n_systems, n_queries, n_measures = values.shape
    joint, unanimous = np.zeros((n_queries, n_measures)), np.zeros((n_queries, n_measures))
    block = max(1, _CELLS // n_systems ** 2)
    with progress(n_queries, 'queries') as bar:
        for start in range(0, n_queries, block):
            part = slice(start, start + block)
            below = np.zeros((n_systems, n_systems, values[:, part].shape[1]), dtype=np.int32)
            for m in range(n_measures):
                below += _difference(values[:, part, m]) < -tolerance  # measures that score i below j
            for m in range(n_measures):
                difference = _difference(values[:, part, m])
                agreed = below == (difference < -tolerance)
                improved = (agreed & (difference > tolerance)).sum(axis=(0, 1))
                unanimous[part, m] = agreed.sum(axis=(0, 1)) - n_systems  # less each system against itself
                tied = (agreed & (np.abs(difference) <= tolerance)).sum(axis=(0, 1)) - n_systems
                joint[part, m] = improved + tied / 2
            bar.update(below.shape[2])
    return joint, unanimous


def _difference(x: Array) -> Array:
    return x[:, None] - x[None]


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(Result):
    """What :func:`unanimity` finds.

    Attributes:
        measures: names.
        values: (measures,) MU, at most 1.
        joint: (measures,) P(Δm, ΔM).
        unanimous: (measures,) P(ΔM).
        interval: (measures, 2) confidence interval over queries, or None.
    """
    measures: tuple[str, ...]
    values: Array
    joint: Array
    unanimous: Array
    interval: Array | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, the most unanimous first: ``unanimity, joint, unanimous`` and the interval."""
        import pandas as pd

        frame = pd.DataFrame({'unanimity': self.values, 'joint': self.joint, 'unanimous': self.unanimous},
                             index=pd.Index(self.measures, name='measure'))
        if self.interval is not None:
            frame['low'], frame['high'] = self.interval.T
        return frame.sort_values('unanimity', ascending=False, kind='stable')

    def plot(self, ax: Any = None) -> Any:
        """Bars, the most unanimous first; returns the matplotlib axes."""
        from ..plotting import bars

        return bars(self.to_frame(), 'unanimity', 'metric unanimity (bits)', ax)
