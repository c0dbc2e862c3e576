"""Metric unanimity: how well a measure reflects the improvements on which other measures agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..errors import did_you_mean, fraction, one_of, warn
from ..evaluation.scores import scores_of, some
from ..progress import progress
from ..results import tidy
from .intervals import EQUAL, beta_interval

if TYPE_CHECKING:
    from ..typing import ScoresLike

Array = np.ndarray
CELLS = 250_000
"""Number of differences of pairs in a block of queries."""
AGAINST = ('all', 'others', 'siblings')
"""The values of ``against``: the measures that a measure is compared with."""


def unanimity(
    scores: ScoresLike,
    *,
    families: Mapping[str, str] | None = None,
    against: str = 'all',
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Metric unanimity (MU) of each measure with other measures.

    MU(m) = log2 [ P(Δm, ΔM) / (P(Δm) P(ΔM)) ] over ordered pairs of systems (i, j) and all queries. Δm is the
    event that m scores i above j (a tie counts ½, so P(Δm) = ½). ΔM is the event that every measure of M scores i at
    least as high as j.

    Of the u unanimous pairs, t are tied by all of M. The other s = u − t are improvements, which m sees, misses (it
    ties the pair) or contradicts: MU = log2 [ 2 (seen + missed/2 + t/2) / u ]. Pairs that all of M tie give t/2
    whatever m does, so that MU is at most the ``ceiling`` log2(2 − t/u), which a measure that sees every improvement
    reaches. A random or constant measure has 0, and a measure that contradicts all improvements of an M without ties
    −∞.

    Differences up to 1e-12 of a measure's largest absolute score are ties.

    Copies of another measure in M change nothing. You can exclude related measures, such as one measure with several
    parameters, from M by ``families``.

    Args:
        scores: :class:`~ir_divmeasures.Scores` of at least two systems and two measures, or an array (systems,
            queries, measures).
        families: ``{measure: family}``, the related measures. A measure that is not named is a family of its own.
        against: the measures of M: ``'all'`` other measures (families change no value), those of ``'others'``, the
            other families, or ``'siblings'``, the measures of the same family.
        confidence_level: confidence level of the intervals, which are over queries: beta quantiles around the share
            P(Δm | ΔM) = 2^(MU − 1) with its jackknife error over the queries on which M is unanimous about a pair.

    Returns:
        A row for each measure: ``measure, statistic`` (MU)``, low, high, ceiling, joint`` (P(Δm, ΔM))``, unanimous``
        (P(ΔM))``, improvements, seen, missed, contradicted`` (numbers of unordered pairs over all queries). MU is 0,
        with one warning, where the other measures never agree on an improvement or tie; the interval and the ceiling
        are then NaN.

    Raises:
        ValueError: fewer than two systems or measures, NaN, a family for a measure that has no scores, a measure for
            which M is empty.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.1. Families, the ceiling and the intervals are
    additions of this package.

    Examples:
        The paper's example of three systems and three measures: log2((2/6)/(3/6 · 3/6)) = 0.415 for the first,
        log2((2/6)/(3/6 · 2/6)) = 1 for the others.

        >>> example = [[[1, .8, 1]], [[.5, .3, .2]], [[.2, .4, .5]]]
        >>> unanimity(example)['statistic'].round(3).tolist()
        [0.415, 1.0, 1.0]

        If the second and third are one family, each is compared with the first alone: log2((2/6)/(3/6 · 3/6)).

        >>> families = {'measure2': 'family', 'measure3': 'family'}
        >>> unanimity(example, families=families, against='others')['statistic'].round(3).tolist()
        [0.415, 0.415, 0.415]

        The first measure ties a pair that the second orders. The second, compared with it, has the ceiling
        log2(2 − 2/2) = 0; the first misses the only improvement of the second.

        >>> unanimity([[[1, 2]], [[1, 1]]])[['ceiling', 'seen', 'missed']].values.tolist()
        [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    table = scores_of(scores)
    if len(table.measures) < 2:
        raise ValueError(f'scores by {table.measures[0]} alone, expected at least two measures')
    one_of(against, AGAINST, 'against')
    level, families = fraction(confidence_level, 'confidence_level'), families or {}
    if unknown := [name for name in families if name not in table.measures]:
        known = did_you_mean(unknown[0], table.measures)
        raise ValueError(f'families: no scores of the measure {unknown[0]!r}{known}')
    family = np.array([families.get(m, object()) for m in table.measures], dtype=object)
    related, own = family[:, None] == family, np.eye(len(family), dtype=bool)
    compared = {'all': ~own, 'others': ~related, 'siblings': related & ~own}[against]
    if empty := [m for m, others in zip(table.measures, compared) if not others.any()]:
        raise ValueError(f'against={against!r}: no measure to compare with for {some(empty)}')
    tied, seen, missed, contradicted = counts = _count_events(table.values, compared)
    joint, unanimous = seen + missed / 2 + tied / 2, counts.sum(axis=0)  # (queries, measures)
    total, n = unanimous.sum(axis=0), len(unanimous)
    if names := [m for m, n_pairs in zip(table.measures, total) if not n_pairs]:
        warn(
            f'Unanimity is set to 0 because the other measures order no pair of systems the same way: {some(names)}'
        )
    jackknife = _share(joint.sum(axis=0) - joint, total - unanimous)
    error = np.sqrt((n - 1) / n * np.square(jackknife - jackknife.mean(axis=0)).sum(axis=0))
    share = _share(joint.sum(axis=0), total)
    n_unanimous = (unanimous > 0).sum(axis=0)
    ends = beta_interval(share, error, np.maximum(n_unanimous, 1), level)
    ends[(n_unanimous == 0) | (n < 2)] = np.nan
    n_pairs = len(table.systems) * (len(table.systems) - 1) * n
    with np.errstate(divide='ignore', invalid='ignore'):
        statistic, low, high = np.log2(2 * np.array([share, *ends.T]))
        ceiling = np.log2(2 - tied.sum(axis=0) / total)
    return tidy(
        measure=table.measures,
        statistic=statistic,
        low=low,
        high=high,
        ceiling=ceiling,
        joint=joint.sum(axis=0) / n_pairs,
        unanimous=total / n_pairs,
        improvements=counts[1:].sum(axis=(0, 1)),
        seen=seen.sum(axis=0),
        missed=missed.sum(axis=0),
        contradicted=contradicted.sum(axis=0),
    )


def _share(joint: Array, unanimous: Array) -> Array:
    """P(Δm | ΔM), ½ where no pair is unanimous."""
    return np.where(unanimous > 0, joint / np.maximum(unanimous, 1), 0.5)


def _count_events(values: Array, compared: Array) -> Array:
    """Count events of pairs of systems.

    Args:
        values: (systems, queries, measures) scores.
        compared: (measures, measures) whether a measure is in the M of another one.

    Returns:
        (4, queries, measures): ordered pairs that all of M tie; improvements by all of M that the measure sees, misses
        and contradicts.
    """
    n_systems, n_queries, n_measures = values.shape
    equal = (EQUAL * np.abs(values).max(axis=(0, 1)))[:, None, None]
    first, second = np.triu_indices(n_systems, 1)
    counts = np.zeros((4, n_queries, n_measures), dtype=int)
    block = max(1, CELLS // (len(first) * n_measures))
    scores = np.ascontiguousarray(values.transpose(2, 1, 0))
    is_any_other = compared.sum() == n_measures * (n_measures - 1)

    def vote(votes: Array) -> Array:
        """Whether some member of the M of each measure votes so."""
        if is_any_other:  # all others, which are counted at once
            return votes.sum(axis=0) > votes
        return np.tensordot(compared.astype(np.float32), votes.astype(np.float32), 1) > 0

    with progress(n_queries, 'queries') as bar:
        for start in range(0, n_queries, block):
            part = slice(start, start + block)
            difference = scores[:, part].take(first, axis=2)  # (measures, queries, pairs)
            difference -= scores[:, part].take(second, axis=2)
            own_up, own_down = difference > equal, difference < -equal
            up, down = vote(own_up), vote(own_down)
            improved = up ^ down
            events = (
                ~(up | down),
                improved & (up == own_up) & (down == own_down),
                improved & ~(own_up | own_down),
                improved & (up == own_down) & (down == own_up),
            )
            counts[:, part] = [np.count_nonzero(event, axis=2).T for event in events]
            bar.update(difference.shape[1])
    counts[0] *= 2
    return counts
