"""Metric unanimity: how well a measure reflects the improvements on which other measures agree."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import did_you_mean, warn
from ..evaluation.scores import as_scores
from ..results import Result
from .resampling import bootstrap_weights, fraction, percentiles, progress, whole

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray
_CELLS = 4_000_000


def unanimity(scores: Any, *, families: Mapping[str, str] | None = None, against: str = 'all',
              tolerance: float = 1e-12, n_resamples: int = 0, rng: Any = None,
              confidence_level: float = 0.95) -> Unanimity:
    """Metric unanimity (MU) of each measure with regard to other measures.

    MU(m) = log2 [ P(Δm, ΔM) / (P(Δm) P(ΔM)) ] over ordered pairs of systems (i, j) and all queries. Δm is the
    event that m scores i above j (a tie counts ½, so P(Δm) = ½). ΔM is the event that every measure of M scores i at
    least as high as j.

    MU is 1 for a measure that reports every unanimous improvement, 0 for a random or constant measure, and −∞ for a
    measure that contradicts all of them. Copies of another measure in M change nothing. You can exclude related
    measures, such as one measure with several parameters, from M by ``families``.

    Args:
        scores: :class:`~ir_divmeasures.Scores` of at least two systems and two measures, or an array (systems,
            queries, measures).
        families: ``{measure: family}``, the related measures. A measure that is not named is a family of its own.
        against: the measures of M: ``'all'`` other measures (families change nothing), those of ``'others'``, the other
            families, or ``'siblings'``, the measures of the same family.
        tolerance: differences up to this share of the measure's largest absolute score, over all systems and queries,
            are ties, because they may be rounding errors.
        n_resamples: number of bootstrap resamples of the queries for the confidence interval. The default is 0, which
            gives no interval.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: confidence level of the interval.

    Returns:
        :class:`Unanimity`. The value is 0, with one warning, where the other measures never agree on an improvement or
        tie.

    Raises:
        ValueError: fewer than two systems or measures, NaN, a family for a measure that has no scores, a measure for
            which M is empty.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.1. Families are an addition of this package.

    Examples:
        The paper's example of three systems and three measures: log2((2/6)/(3/6 · 3/6)) = 0.415 for the first,
        log2((2/6)/(3/6 · 2/6)) = 1 for the others.

        >>> example = [[[1, .8, 1]], [[.5, .3, .2]], [[.2, .4, .5]]]
        >>> unanimity(example).values.round(3)
        array([0.415, 1.   , 1.   ])

        If the second and third are one family, each is compared with the first alone: log2((2/6)/(3/6 · 3/6)).

        >>> families = {'measure2': 'family', 'measure3': 'family'}
        >>> unanimity(example, families=families, against='others').values.round(3)
        array([0.415, 0.415, 0.415])
    """
    table = as_scores(scores)
    if len(table.measures) < 2:
        raise ValueError(f'scores by {table.measures[0]} alone, expected at least two measures')
    if not tolerance >= 0:
        raise ValueError(f'tolerance={tolerance!r}, expected a number from 0 up')
    if against not in AGAINST:
        raise ValueError(f'against={against!r}, expected {", ".join(map(repr, AGAINST))}')
    confidence_level, n_resamples = fraction(confidence_level, 'confidence_level'), whole(n_resamples, 'n_resamples', 0)
    family = _families(table.measures, families or {}, against)
    joint, unanimous = _counts(table.values, tolerance, family, against)
    total = unanimous.sum(axis=0)
    if (total == 0).any():
        names = [m for m, n in zip(table.measures, total) if n == 0]
        warn(f'Unanimity of {len(names)} of {len(table.measures)} measures is set to 0 because their other measures '
             f'order no pair of systems the same way: {", ".join(names[:3])}')
    replicates = interval = None
    if n_resamples:
        weights = bootstrap_weights(len(table.queries), n_resamples, np.random.default_rng(rng))
        replicates = _mutual_information(weights @ joint, weights @ unanimous)
        interval = percentiles(replicates, confidence_level)
    n_pairs = len(table.systems) * (len(table.systems) - 1) * len(table.queries)
    return Unanimity(table.measures, _mutual_information(joint.sum(axis=0), total), joint.sum(axis=0) / n_pairs,
                     total / n_pairs, interval, replicates)


AGAINST = ('all', 'others', 'siblings')
"""The values of ``against``: the measures that a measure is compared with."""


def _families(measures: tuple[str, ...], named: Mapping[str, str], against: str) -> list[Any]:
    """The family of each measure, (measures,). Measures that are not in ``named`` get a family of their own.

    Raises:
        ValueError: a named measure has no scores, or a measure has no measure to be compared with.
    """
    unknown = [name for name in named if name not in measures]
    if unknown:
        raise ValueError(f'families: no scores of the measure {unknown[0]!r}' + did_you_mean(unknown[0], measures))
    family = [('given', named[m]) if m in named else ('alone', place) for place, m in enumerate(measures)]
    empty = [m for m, f in zip(measures, family)
             if against == 'others' and len(set(family)) == 1 or against == 'siblings' and family.count(f) == 1]
    if empty:
        raise ValueError(f'against={against!r}: {empty[0]} has no measure to be compared with'
                         + (f', nor {len(empty) - 1} others' if len(empty) > 1 else ''))
    return family


def _mutual_information(joint: Array, unanimous: Array) -> Array:
    """log2 of joint/(½ unanimous), element by element; 0 where ``unanimous`` is 0."""
    with np.errstate(divide='ignore'):
        return np.where(unanimous > 0, np.log2(2 * joint / np.where(unanimous > 0, unanimous, 1.0)), 0.0)


def _counts(values: Array, tolerance: float, family: Sequence[Any], against: str) -> tuple[Array, Array]:
    """Count the events of ordered pairs of systems, for each query and measure.

    Args:
        values: (systems, queries, measures) scores.
        tolerance: differences up to this share of a measure's largest absolute score are ties.
        family: (measures,) family of each measure.
        against: one of :data:`AGAINST`.

    Returns:
        The counts of Δm and ΔM together, and of ΔM, (queries, measures) each.
    """
    n_systems, n_queries, n_measures = values.shape
    joint, unanimous = np.zeros((n_queries, n_measures)), np.zeros((n_queries, n_measures))
    equal = tolerance * np.abs(values).max(axis=(0, 1), initial=0.0)
    kin: dict[Any, list[int]] = {}
    for m, name in enumerate(family):
        kin.setdefault(name if against != 'all' else m, []).append(m)
    block = max(1, _CELLS // n_systems ** 2)
    with progress(n_queries, 'queries') as bar:
        for start in range(0, n_queries, block):
            part = slice(start, start + block)

            scores = values[:, part]
            below_by_all = _below(scores, range(n_measures), equal) if against != 'siblings' else None
            for members in kin.values():
                if below_by_all is None:
                    below = _below(scores, members, equal)
                else:
                    below = below_by_all if len(members) == 1 else below_by_all - _below(scores, members, equal)
                counts_itself = below_by_all is None or len(members) == 1
                for m in members:
                    difference = _difference(scores[:, :, m])
                    agreed = below == ((difference < -equal[m]) if counts_itself else 0)
                    improved = (agreed & (difference > equal[m])).sum(axis=(0, 1))
                    unanimous[part, m] = agreed.sum(axis=(0, 1)) - n_systems  # without the pairs (i, i)
                    tied = (agreed & (np.abs(difference) <= equal[m])).sum(axis=(0, 1)) - n_systems
                    joint[part, m] = improved + tied / 2
            bar.update(scores.shape[1])
    return joint, unanimous


def _below(values: Array, measures: Iterable[int], equal: Array) -> Array:
    """The number of these measures that score system i below system j, (systems, systems, queries)."""
    number = np.zeros((len(values), *values.shape[:2]), dtype=np.int32)
    for m in measures:
        number += _difference(values[:, :, m]) < -equal[m]
    return number


def _difference(x: Array) -> Array:
    return x[:, None] - x[None]


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(Result):
    """The result of :func:`unanimity`.

    Attributes:
        measures: names.
        values: (measures,) MU, at most 1.
        joint: (measures,) P(Δm, ΔM).
        unanimous: (measures,) P(ΔM).
        interval: (measures, 2) confidence interval over queries, or None.
        replicates: (resamples, measures) MU on each resample of the queries, the same ones for all measures, or None.
    """
    measures: tuple[str, ...]
    values: Array
    joint: Array
    unanimous: Array
    interval: Array | None = None
    replicates: Array | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, the most unanimous first: ``unanimity, joint, unanimous`` and the interval."""
        import pandas as pd

        frame = pd.DataFrame({'unanimity': self.values, 'joint': self.joint, 'unanimous': self.unanimous},
                             index=pd.Index(self.measures, name='measure'))
        if self.interval is not None:
            frame['low'], frame['high'] = self.interval.T
        return frame.sort_values('unanimity', ascending=False, kind='stable')

    def plot(self, ax: Any = None) -> Any:
        """Draw the values as bars, the most unanimous first, and return the matplotlib axes."""
        from ..results.plotting import bars

        return bars(self.to_frame(), 'unanimity', 'metric unanimity (bits)', ax)
