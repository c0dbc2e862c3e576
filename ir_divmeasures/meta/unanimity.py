"""Metric unanimity: how well a measure reflects the improvements on which other measures agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import check_number, did_you_mean, fraction, one_of
from ..estimates import Estimate, bounded, jackknife, jackknife_error
from ..evaluation.scores import as_scores
from ..lazy import pd
from ..plotting import bars
from ..progress import progress
from ..results import Result, count
from .correlation import place_of, warn_of_measures

if TYPE_CHECKING:
    from ..typing import ScoresLike

Array = np.ndarray
_CELLS = 250_000  # of a block's (pairs, queries, measures) arrays


def unanimity(
    scores: ScoresLike,
    *,
    families: Mapping[str, str] | None = None,
    against: str = 'all',
    tied: str = 'counted',
    tolerance: float = 1e-12,
    confidence_level: float = 0.95,
) -> Unanimity:
    """Metric unanimity (MU) of each measure with other measures.

    MU(m) = log2 [ P(Δm, ΔM) / (P(Δm) P(ΔM)) ] over ordered pairs of systems (i, j) and all queries. Δm is the
    event that m scores i above j (a tie counts ½, so P(Δm) = ½). ΔM is the event that every measure of M scores i at
    least as high as j.

    Of the u unanimous pairs, t are tied by all of M. The other s = u − t are improvements, which m sees, misses (it
    ties the pair) or contradicts: MU = log2 [ 2 (seen + missed/2 + t/2) / u ]. Pairs that all of M tie give t/2
    whatever m does, so that MU is at most the ``ceiling`` log2(2 − t/u), which a measure that sees every improvement
    reaches. Breaking ties of all of M changes nothing. A random or constant measure has 0, and a measure that
    contradicts all improvements of an M without ties −∞.

    Copies of another measure in M change nothing. You can exclude related measures, such as one measure with several
    parameters, from M by ``families``.

    Args:
        scores: :class:`~ir_divmeasures.Scores` of at least two systems and two measures, or an array (systems,
            queries, measures).
        families: ``{measure: family}``, the related measures. A measure that is not named is a family of its own.
        against: the measures of M: ``'all'`` other measures (families change no value), those of ``'others'``, the
            other families, or ``'siblings'``, the measures of the same family.
        tied: pairs that all of M tie are ``'counted'``, as in the paper, or ``'dropped'``:
            log2 [ 2 (seen + missed/2) / s ], whose ceiling is 1.
        tolerance: differences up to this share of the measure's largest absolute score, over all systems and queries,
            are ties, because they may be rounding errors.
        confidence_level: confidence level of the intervals, which are over queries.

    Returns:
        :class:`Unanimity`. The value is 0, with one warning, where the other measures never agree on an improvement or
        tie (with ``tied='dropped'``, on an improvement).

    Raises:
        ValueError: fewer than two systems or measures, NaN, a family for a measure that has no scores, a measure for
            which M is empty.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.1. Families, the ceiling, the parts and the intervals
    are additions of this package.

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

        The first measure ties a pair that the second orders. The second, compared with it, breaks a tie, and has the
        ceiling log2(2 − 2/2) = 0; the first misses the only improvement of the second.

        >>> found = unanimity([[[1, 2]], [[1, 1]]])
        >>> found.ceiling, found.seen, found.missed, found.broken
        (array([1., 0.]), array([0, 0]), array([1, 0]), array([0, 1]))
    """
    table = as_scores(scores)
    if len(table.measures) < 2:
        raise ValueError(f'scores by {table.measures[0]} alone, expected at least two measures')
    check_number('tolerance', tolerance, np.inf)
    one_of(against, AGAINST, 'against')
    one_of(tied, TIED, 'tied')
    confidence_level = fraction(confidence_level, 'confidence_level')
    families = families or {}
    if unknown := [name for name in families if name not in table.measures]:
        known = did_you_mean(unknown[0], table.measures)
        raise ValueError(f'families: no scores of the measure {unknown[0]!r}{known}')
    family = np.array([families.get(m, object()) for m in table.measures], dtype=object)
    related, own = family[:, None] == family, np.eye(len(family), dtype=bool)
    compared = {'all': ~own, 'others': ~related, 'siblings': related & ~own}[against]
    outside = ~related & (against != 'siblings') & bool(families)
    empty = [m for m, others in zip(table.measures, compared) if not others.any()]
    if empty:
        more = f', nor {len(empty) - 1} others' if len(empty) > 1 else ''
        raise ValueError(
            f'against={against!r}: {empty[0]} has no measure to be compared with{more}'
        )
    parts = _counts(table.values, tolerance, compared, outside)
    if tied == 'dropped':
        parts[0] = 0
    all_tied, seen, missed, contradicted, broken, kin = parts.sum(axis=1)
    unanimous = parts[:4].sum(axis=0)  # (queries, measures)
    joint = parts[1] + parts[2] / 2 + parts[0] / 2
    total = unanimous.sum(axis=0)
    order = 'order no pair of systems the same way'
    if tied == 'dropped':
        order = 'never agree on an improvement'
    warn_of_measures(
        total == 0,
        table.measures,
        f'Unanimity of {{}} is set to 0 because their other measures {order}',
    )
    n_pairs = len(table.systems) * (len(table.systems) - 1) * len(table.queries)
    with np.errstate(invalid='ignore'):
        ceiling = np.log2(2 - all_tied / np.where(total > 0, total, np.nan))
    return _result(
        measures=table.measures,
        values=_mutual_information(joint.sum(axis=0), total),
        joint=joint.sum(axis=0) / n_pairs,
        unanimous=total / n_pairs,
        ceiling=ceiling,
        improvements=seen + missed + contradicted,
        seen=seen,
        missed=missed,
        contradicted=contradicted,
        broken=broken,
        kin=kin if families else None,
        without=_mutual_information(joint.sum(axis=0) - joint, total - unanimous),
        n_queries=(unanimous > 0).sum(axis=0),
        confidence_level=confidence_level,
    )


AGAINST = ('all', 'others', 'siblings')
"""The values of ``against``: the measures that a measure is compared with."""

TIED = ('counted', 'dropped')
"""The values of ``tied``: what becomes of pairs that all other measures tie."""


def _mutual_information(joint: Array, unanimous: Array) -> Array:
    """log2 of joint/(½ unanimous), element by element; 0 where ``unanimous`` is 0."""
    with np.errstate(divide='ignore'):
        return np.log2(np.where(unanimous > 0, 2 * joint / np.maximum(unanimous, 1), 1.0))


def _counts(values: Array, tolerance: float, compared: Array, outside: Array) -> Array:
    """Count events of pairs of systems.

    Args:
        values: (systems, queries, measures) scores.
        tolerance: differences up to this share of a measure's largest absolute score are ties.
        compared: (measures, measures) whether a measure is in the M of another one.
        outside: (measures, measures) whether a measure of M is outside of the other one's family.

    Returns:
        (6, queries, measures): ordered pairs that all of M tie; improvements by all of M that the measure sees, misses
        and contradicts; unordered pairs that all of M tie and the measure does not; and improvements on which all of M
        outside the measure's family tie.
    """
    n_systems, n_queries, n_measures = values.shape
    equal = tolerance * np.abs(values).max(axis=(0, 1), initial=0.0)
    first, second = np.triu_indices(n_systems, 1)
    counts = np.zeros((6, n_queries, n_measures), dtype=int)
    block = max(1, _CELLS // (len(first) * n_measures))
    scores = np.ascontiguousarray(values.transpose(2, 1, 0))

    def some_of(members: Array, votes: Array) -> Array:
        """Whether some member of the M of each measure votes so."""
        if not members.any():
            return np.zeros_like(votes)
        if members.sum() == n_measures * (n_measures - 1):  # all others, which are counted at once
            return votes.sum(axis=0) > votes
        return np.tensordot(members.astype(np.float32), votes.astype(np.float32), 1) > 0

    with progress(n_queries, 'queries') as bar:
        for start in range(0, n_queries, block):
            part = slice(start, start + block)
            difference = scores[:, part].take(first, axis=2)  # (measures, queries, pairs)
            difference -= scores[:, part].take(second, axis=2)
            own_up, own_down = difference > equal[:, None, None], difference < -equal[:, None, None]
            up, down = (some_of(compared, votes) for votes in (own_up, own_down))
            improved, all_tied, own_tied = up ^ down, ~(up | down), ~(own_up | own_down)
            events = (
                all_tied,
                improved & (up == own_up) & (down == own_down),
                improved & own_tied,
                improved & (up == own_down) & (down == own_up),
                all_tied & ~own_tied,
                improved & ~some_of(outside, own_up | own_down),
            )
            counts[:, part] = [np.count_nonzero(each, axis=2).T for each in events]
            bar.update(difference.shape[1])
    counts[0] *= 2
    return counts


class Unanimity(Result):
    """The result of :func:`unanimity`: one row per measure, the most unanimous first: ``unanimity, low, high, ceiling,
    joint, unanimous, improvements, seen, missed, contradicted, broken`` and, with families, ``kin``.

    Pairs of systems are counted over all queries. s, the number of improvements, is ``seen + missed + contradicted``.

    Attributes:
        measures: names.
        values: (measures,) MU, at most ``ceiling``.
        joint: (measures,) P(Δm, ΔM).
        unanimous: (measures,) P(ΔM).
        ceiling: (measures,) the largest MU that any measure can have against this M; NaN where M is never unanimous.
        improvements: (measures,) number of pairs that all of M order one way or tie, and not all of them tie.
        seen: (measures,) number of improvements that the measure orders as M does.
        missed: (measures,) number of improvements on which the measure ties.
        contradicted: (measures,) number of improvements that the measure orders the other way.
        broken: (measures,) number of pairs that all of M tie and the measure does not.
        kin: (measures,) number of improvements on which all of M outside the measure's family tie, so that its own
            family alone makes them; None without families.
        without: (queries, measures) MU with each query left out.
        n_queries: (measures,) number of queries on which M is unanimous about a pair.
        confidence_level: confidence level of the intervals.
        interval: (measures, 2) confidence interval over queries, of each measure alone. It is the interval of the share
            P(Δm | ΔM) = 2^(MU − 1) by its jackknife error over queries
            (:func:`ir_divmeasures.estimates.bounded`), where n is the number of queries on which M is unanimous
            about a pair, with its ends mapped back.
    """

    def difference(self, one: str, other: str) -> Estimate:
        """MU of one measure minus MU of another, with the jackknife's interval and p over queries.

        The ends are NaN where MU of one of the two is −∞, with all queries or without one of them.
        """
        a, b = self._place(one), self._place(other)
        with np.errstate(invalid='ignore'):
            return jackknife(
                self.values[a] - self.values[b],
                self.without[:, a] - self.without[:, b],
                self.confidence_level,
            )

    @classmethod
    def averaged(cls, results: Sequence[Unanimity]) -> Unanimity:
        """The mean over results of the same measures and queries, such as several simulations.

        MU is averaged with all queries and without each query, so that the intervals of the mean are over queries.
        Counts are means too.

        Raises:
            ValueError: no results, or results of different measures or numbers of queries.
        """
        if not results or len({(result.measures, len(result.without)) for result in results}) != 1:
            raise ValueError(
                'results: expected one or more results of the same measures and queries'
            )
        facts = {
            name: fact
            for name, fact in vars(results[0]).items()
            if not name.startswith('_') and name != 'interval'
        }
        for name, fact in facts.items():
            if isinstance(fact, np.ndarray):
                facts[name] = np.mean([getattr(result, name) for result in results], axis=0)
        facts['n_queries'] = np.min([result.n_queries for result in results], axis=0)
        return _result(**facts)

    def _place(self, name: str) -> int:
        return place_of(name, self.measures, 'measure')


def _result(**facts: Any) -> Unanimity:
    """The result with these attributes."""
    measures, level = facts['measures'], facts['confidence_level']
    interval = _ends(facts['values'], facts['without'], facts['n_queries'], level)
    names = ['ceiling', 'joint', 'unanimous', 'improvements', 'seen', 'missed', 'contradicted']
    names += ['broken'] if facts['kin'] is None else ['broken', 'kin']
    columns = {'unanimity': facts['values'], 'low': interval[:, 0], 'high': interval[:, 1]}
    frame = pd.DataFrame(
        columns | {name: facts[name] for name in names}, index=pd.Index(measures, name='measure')
    ).sort_values('unanimity', ascending=False, kind='stable')
    return Unanimity(
        frame,
        f'Metric unanimity of {count(len(measures), "measure")} over '
        f'{count(len(facts["without"]), "query", "queries")}, with {100 * level:g} % intervals of each measure alone',
        draw=partial(bars, frame, 'unanimity', 'metric unanimity (bits)'),
        interval=interval,
        **facts,
    )


def _ends(values: Array, without: Array, n_queries: Array, confidence_level: float) -> Array:
    """(measures, 2) the ends of intervals of MU, by the errors of the shares."""
    error, n = jackknife_error(_share(without)), np.maximum(n_queries, 1)
    estimate = bounded(_share(values), error, n, confidence_level=confidence_level)
    with np.errstate(divide='ignore'):
        ends = np.log2(2 * estimate.interval)
    ends[(n_queries == 0) | (len(without) < 2)] = np.nan
    return ends


def _share(mutual_information: Array) -> Array:
    """The share P(Δm | ΔM) = 2^(MU − 1)."""
    return np.asarray(2.0 ** (np.asarray(mutual_information) - 1))
