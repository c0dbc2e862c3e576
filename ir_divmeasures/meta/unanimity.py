"""Metric unanimity: does a measure see the improvements on which other measures agree?"""
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

    MU(m) = log2 [ P(Δm, ΔM) / (P(Δm) P(ΔM)) ] over ordered pairs of systems (i, j) and all queries: Δm says that m
    scores i above j (a tie counts ½, so P(Δm) = ½), ΔM that every measure of M scores i at least as high as j.

    MU is 1 for a measure that reports every unanimous improvement, 0 for a random or constant one, −∞ for one that
    contradicts all of them. Further copies of another measure change nothing; what is not a copy, but meant alike (a
    measure with another parameter), can be left out of M by ``families``.

    Args:
        scores: :class:`~ir_divmeasures.Scores` of at least two systems and two measures, or an array (systems,
            queries, measures).
        families: ``{measure: family}``: which measures are meant alike; one that is not named is a family of its own.
        against: M: ``'all'`` other measures (families change nothing), those of ``'others'``, other families, only, or
            ``'siblings'``, those of the measure's own family only.
        tolerance: differences up to this share of the measure's largest absolute score, over all systems and queries,
            are ties (rounding noise is no improvement).
        n_resamples: bootstrap resamples of the queries for the confidence interval; none by default.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: of the interval.

    Returns:
        :class:`Unanimity`. Where the other measures never agree on an improvement or tie, 0 and one warning.

    Raises:
        ValueError: fewer than two systems or measures, NaN, a family for a measure that has no scores, a measure for
            which M is empty.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.1. Families are ours.

    Examples:
        The paper's example of three systems and three measures: log2((2/6)/(3/6 · 3/6)) = 0.415 for the first,
        log2((2/6)/(3/6 · 2/6)) = 1 for the others.

        >>> example = [[[1, .8, 1]], [[.5, .3, .2]], [[.2, .4, .5]]]
        >>> unanimity(example).values.round(3)
        array([0.415, 1.   , 1.   ])

        The second and third as one family: each is compared with the first alone, log2((2/6)/(3/6 · 3/6)).

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
        warn(f'no pair of systems that all others than {names[0]} order the same way, for {len(names)} of '
             f'{len(table.measures)} measures; their unanimity is taken as 0')
    replicates = interval = None
    if n_resamples:
        weights = bootstrap_weights(len(table.queries), n_resamples, np.random.default_rng(rng))
        replicates = _mutual_information(weights @ joint, weights @ unanimous)
        interval = percentiles(replicates, confidence_level)
    n_pairs = len(table.systems) * (len(table.systems) - 1) * len(table.queries)
    return Unanimity(table.measures, _mutual_information(joint.sum(axis=0), total), joint.sum(axis=0) / n_pairs,
                     total / n_pairs, interval, replicates)


AGAINST = ('all', 'others', 'siblings')
"""Which measures a measure is compared with."""


def _families(measures: tuple[str, ...], given: Mapping[str, str], against: str) -> list[Any]:
    """The family of each measure; of its own where none is given."""
    unknown = [name for name in given if name not in measures]
    if unknown:
        raise ValueError(f'families: no scores of the measure {unknown[0]!r}' + did_you_mean(unknown[0], measures))
    family = [('given', given[m]) if m in given else ('alone', place) for place, m in enumerate(measures)]
    empty = [m for m, f in zip(measures, family)
             if against == 'others' and len(set(family)) == 1 or against == 'siblings' and family.count(f) == 1]
    if empty:
        raise ValueError(f'against={against!r}: {empty[0]} has no measure to be compared with'
                         + (f', nor {len(empty) - 1} others' if len(empty) > 1 else ''))
    return family


def _mutual_information(joint: Array, unanimous: Array) -> Array:
    """log2 of joint/(½ unanimous); 0 where nothing is unanimous."""
    with np.errstate(divide='ignore'):
        return np.where(unanimous > 0, np.log2(2 * joint / np.where(unanimous > 0, unanimous, 1.0)), 0.0)


def _counts(values: Array, tolerance: float, family: Sequence[Any], against: str) -> tuple[Array, Array]:
    """Per query and measure, over ordered pairs of systems: (Δm and ΔM), ΔM; (queries, measures) each."""
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

            here = values[:, part]
            every = _below(here, range(n_measures), equal) if against != 'siblings' else None
            for members in kin.values():
                if every is None:
                    unlike = _below(here, members, equal)
                else:
                    unlike = every if len(members) == 1 else every - _below(here, members, equal)
                counts_itself = every is None or len(members) == 1
                for m in members:
                    difference = _difference(here[:, :, m])
                    agreed = unlike == ((difference < -equal[m]) if counts_itself else 0)
                    improved = (agreed & (difference > equal[m])).sum(axis=(0, 1))
                    unanimous[part, m] = agreed.sum(axis=(0, 1)) - n_systems  # less each system against itself
                    tied = (agreed & (np.abs(difference) <= equal[m])).sum(axis=(0, 1)) - n_systems
                    joint[part, m] = improved + tied / 2
            bar.update(here.shape[1])
    return joint, unanimous


def _below(values: Array, measures: Iterable[int], equal: Array) -> Array:
    """How many of some measures score i below j; (systems, systems, queries)."""
    number = np.zeros((len(values), *values.shape[:2]), dtype=np.int32)
    for m in measures:
        number += _difference(values[:, :, m]) < -equal[m]
    return number


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
        """Bars, the most unanimous first; returns the matplotlib axes."""
        from ..results.plotting import bars

        return bars(self.to_frame(), 'unanimity', 'metric unanimity (bits)', ax)
