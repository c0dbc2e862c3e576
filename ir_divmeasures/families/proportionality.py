"""Groups and proportionality: whether a ranking gives each group, or each intent, the share that is meant for it.

Groups are intents, their target shares are the weights of the judgments, and several sets of groups (gender and origin
of one person) are layers, as those of a hierarchy are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import cascade, discount, sums
from ..core.parameters import Choice, MaxRel, Persistence, Probability
from ..core.ranking import Array, JudgmentArrays, Ranking, cutoff_free, memo, ratio
from ..core.registry import measure
from ..core.terms import UNWEIGHTED, Parts, Terms, Value
from ..errors import short

GROUPS_UNKNOWN = (
    'what an unjudged document adds depends on its groups, and one that belongs to all groups alike '
    'gives neither the least nor the largest value'
)


def _over_aspects(x: Array) -> Array:
    """Σ_t x_t over the last axis, one after the other: (…, T) → (…)."""
    return sums.weighted(x, np.ones((len(x), x.shape[-1])))


# ---------------------------------------------------------------------------------- distance of shares from a target


class Shares(NamedTuple):
    """The shares of the groups down to each hit, and their target. Q queries, H hits, T groups.

    Attributes:
        shares: (Q, H, T), of sum 1 over the groups of a query that has some.
        target: (Q, T), likewise; all 0 where no group has a weight.
        place: (Q, T) the number of each group in the order of ids, from 1.
        listed: (Q, T) which groups the query has.
    """

    shares: Array
    target: Array
    place: Array
    listed: NDArray[np.bool_]

    @property
    def steps(self) -> Array:
        """C − 1, the largest distance of two groups in their order, or 1 where it is 0; (Q, 1)."""
        return np.maximum(self.listed.sum(axis=1, keepdims=True) - 1.0, 1.0)


def _jensen_shannon(s: Shares) -> Array:
    """Jensen-Shannon divergence to base 2; (Q, H)."""
    target = np.broadcast_to(s.target[:, None, :], s.shares.shape)
    middle = (s.shares + target) / 2
    return _over_aspects(sum(_times_log(x, middle) for x in (s.shares, target)) / 2)  # type: ignore[arg-type]


def _times_log(x: Array, other: Array) -> Array:
    """x log2(x / other), 0 where x is 0."""
    return x * np.log2(np.where(x > 0, x, 1.0) / np.where(x > 0, other, 1.0))


def _match_distance(s: Shares) -> Array:
    """Normalised match distance: Σ_c |difference of the cumulated shares| / (C − 1); (Q, H)."""
    difference = np.abs(np.cumsum(s.shares - s.target[:, None, :], axis=2)) * s.listed[:, None, :]
    return _over_aspects(difference) / s.steps


def _root_order_aware(s: Shares) -> Array:
    """Root normalised order-aware divergence; (Q, H).

    Σ over the groups c of a share above 0 and over all groups j of |c − j| δ_j² is Σ_j δ_j² · Σ_c |c − j|.
    """
    counted = s.target > 0
    apart = np.abs(s.place[:, :, None] - s.place[:, None, :]) * counted[:, :, None]
    far = sums.one_by_one(apart) * s.listed  # Σ_c |c − j| for each j
    squares = (s.shares - s.target[:, None, :]) ** 2
    return np.sqrt(
        ratio(
            sums.weighted(squares, far),
            counted.sum(axis=1, keepdims=True) * s.steps,
        )
    )


DIVERGENCES: dict[str, Callable[[Shares], Array]] = {
    'JSD': _jensen_shannon,
    'NMD': _match_distance,
    'RNOD': _root_order_aware,
}
"""Distances of the shares that a ranking gives from those that are meant, in [0, 1]: of groups without an order
(``JSD``), and of groups that stand in the order of their ids (``NMD``, ``RNOD``)."""

Divergence = Annotated[
    str,
    Choice(tuple(DIVERGENCES)),
    "how the distance between the shares of the groups and their targets is measured: 'JSD' "
    "for groups without an order, 'NMD' or 'RNOD' for groups that are ordered by their ids",
]


@memo
def _members(judgments: JudgmentArrays, rel: float) -> Array:
    """m_t(d) of the judged documents, of sum 1 over the groups of T: the grades' shares, else alike; (Q, D, T)."""
    grade = judgments.grade * judgments.aspects(rel)[:, None, :]
    total = _over_aspects(grade)[..., None]
    unknown = sums.alike(judgments.aspects(rel))[:, None, :]
    return np.where(total > 0, ratio(grade, total), unknown)


@cutoff_free
def _distance(r: Ranking, kind: str) -> Array:
    """D(A_i, D*) at the hits; (Q, H)."""
    listed = r.judgments.aspects(r.rel)
    hit = np.arange(1.0, r.rank.shape[1] + 1)
    rank = np.where(np.isfinite(r.rank), r.rank, hit)
    others = (rank - hit)[..., None] * sums.alike(listed)[:, None, :]
    proportions = (np.cumsum(r.of_hits(_members(r.judgments, r.rel)), axis=1) + others) / rank[
        ..., None
    ]
    shares = Shares(
        proportions,
        ratio(r.weight, sums.one_by_one(r.weight)[:, None]),
        np.cumsum(listed, axis=1).astype(float),
        listed,
    )
    several = listed.sum(axis=1, keepdims=True) > 1
    return np.where(several, np.clip(DIVERGENCES[kind](shares), 0.0, 1.0), 0.0)


@cutoff_free
def _satisfied(r: Ranking, gain: str, max_rel: float | None) -> Array:
    """s of the hits: the probability of relevance of the topic-level grade, 0 below ``rel``; (Q, H, 1)."""
    topic = r.judgments.topic
    return r.of_hits(topic.probability(gain, max_rel, r.rel) * topic.relevant(r.rel))


def _cascade(groups: Ranking, satisfied: Array, rank_counts: Array) -> Terms:
    """Σ_i s(d_i) Π_{j<i} (1 − s(d_j)) · what the rank counts, each document divided among its groups."""
    return Terms(
        groups,
        satisfied * groups.of_hits(_members(groups.judgments, groups.rel)),
        rank_counts,
        redundancy=cascade.unsatisfied(satisfied),
        weight=UNWEIGHTED,
    )


# ---------------------------------------------------------------------------------------------------- the measures


@measure(
    family='groups',
    rel_means='members',
    aspects='listed',
    pretty='Group Fairness',
    unjudged=GROUPS_UNKNOWN,
    any_scale=True,
    cite=('Sakai2023', 'Sakai2011b'),
)
def GF(
    r: Ranking, *, divergence: Divergence = 'JSD', gain: Probability = 'exp', max_rel: MaxRel = None
) -> Terms:
    r"""Group fairness: how near the groups' shares are to their targets at the rank where the user stops.

    .. math::

        \mathrm{GF}@k = \sum_{i \leq k} s(d_i) \prod_{j<i} (1 - s(d_j))\, (1 - D(A_i, D^*))

    s(d) probability of relevance of the topic-level grade, 0 below ``rel``; A_i mean membership of the documents at
    ranks 1 to i; D* the weights of the groups divided by their sum; D in [0, 1] the divergence. C groups in the order of their
    ids (2 before 10): JSD is that of Jensen and Shannon to base 2, NMD is :math:`\sum_c |\sum_{b \leq c} (A_b -
    D^*_b)| / (C - 1)`, RNOD the root of the mean, over the groups c with a target above 0, of :math:`\sum_j |c - j|
    (A_j - D^*_j)^2 / (C - 1)`.

    Alone it measures no ranking of relevance: with one group D is 0, and it is 1 minus the probability that no document
    satisfies, in any order. ``GFR`` is the mean with a measure of relevance.

    Choices: a document is a member of group t by the share of its grade for t in the sum of its grades, whatever
    ``rel``, and of all groups alike where it has no grade above 0, judged or not. Groups without a document keep their
    target shares (``aspects='relevant'`` leaves them out). 0 where all weights are 0.

    Reference: Sakai, Kim, Kang, TOIS 2023; NTCIREVAL 230128 (GFRcompute).

    Examples:
        Two groups of equal target. Down to rank 1 only one of them is served: the divergence is 0.3113; s = 1/2.

        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> round((GF@1).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}}), 4)  # (1/2)(1 − 0.3113)
        0.3444
        >>> round(GF.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}}), 4)  # and (1/2)(1/2)(1 − 0) at rank 2
        0.5944
    """
    return _group_fairness(r, _satisfied(r, gain, max_rel), _distance(r, divergence))


def _group_fairness(groups: Ranking, satisfied: Array, distance: Array) -> Terms:
    known = sums.one_by_one(groups.weight) > 0
    return _cascade(groups, satisfied, (1 - distance) * known[:, None])


def _divergences(text: str) -> str:
    """The one written form of the names of divergences separated by commas."""
    names = [name.strip() for name in text.split(',')]
    for name in names:
        if name not in DIVERGENCES:
            raise ValueError(
                f'divergence={short(text)}: found {short(name)}, expected {", ".join(DIVERGENCES)}, or '
                f"several of them separated by commas, as in 'NMD,JSD'"
            )
    return ','.join(names)


Divergences = Annotated[
    str,
    "the divergence of all sets of groups, or one for each set, separated by commas, for "
    "example 'NMD,JSD'. A query with fewer sets uses the first ones",
    _divergences,
]


@measure(
    family='groups',
    rel_means='members',
    aspects='listed',
    pretty='Group Fairness and Relevance',
    unjudged=GROUPS_UNKNOWN,
    any_scale=True,
    cite=('Sakai2023', 'Sakai2011b'),
)
def GFR(
    r: Ranking,
    *,
    relevance: Annotated[
        str, Choice(('ERR', 'iRBU')), 'the measure that judges relevance to the query'
    ] = 'ERR',
    p: Persistence = 0.99,
    divergence: Divergences = 'JSD',
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Parts:
    r"""Group fairness and relevance: the mean of a measure of relevance and of GF for each set of groups.

    .. math::

        \mathrm{GFR}@k = \frac{1}{1 + L} \left( M@k + \sum_{l=1}^{L} \mathrm{GF}_l@k \right)

    L the query's sets of groups, which are the layers of the judgments; M the measure of relevance,
    :math:`\mathrm{ERR}@k = \sum_{i \leq k} \frac{1}{i}\, s(d_i) \prod_{j<i} (1 - s(d_j))` or
    :math:`\mathrm{iRBU}@k = \sum_{i \leq k} p^i\, s(d_i) \prod_{j<i} (1 - s(d_j))`; s and GF as in ``GF``.

    Choices: s is that of the official layer, for M and for each GF. Judgments without layers have one set of groups.
    FairWeb's measures are ``GFR(divergence='NMD,JSD',rel=0,max_rel=2)`` on what ``read_groups`` gives.

    Reference: Sakai, Kim, Kang, TOIS 2023; NTCIREVAL 230128 (GFRcompute).

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> round((GFR@1).calc_aggregate(qrels, {'q': {'d1': 2.0}}), 4)  # (1/2 + (1/2)(1 − 0.3113))/2
        0.4222
    """
    satisfied, layers = _satisfied(r, gain, max_rel), r.layers
    present = np.stack([layer.judgments.aspects(r.rel).any(axis=1) for layer in layers], axis=1)
    height, kinds = present.sum(axis=1), divergence.split(',')
    if len(kinds) > 1 and len(kinds) < height.max(initial=0):
        raise ValueError(
            f'divergence={short(divergence)}: {len(kinds)} divergences, but a query has {height.max()} '
            f'layers'
        )
    kind = np.clip(np.cumsum(present, axis=1) - 1, 0, len(kinds) - 1)
    counts = discount.reciprocal(r.rank) if relevance == 'ERR' else p * r.geometric(p)
    parts = [_cascade(r, satisfied, counts).as_part(1 / (1 + height), relevance)]
    for at, (layer, number) in enumerate(zip(layers, r.judgments.layers)):
        distance = np.zeros(r.rank.shape)
        for place, name in enumerate(kinds):
            mine = kind[:, at] == place
            if mine.any():
                distance = np.where(mine[:, None], _distance(layer, name), distance)
        parts.append(
            _group_fairness(layer, satisfied, distance).as_part(
                present[:, at] / (1 + height),
                f'layer {number}' if len(layers) > 1 else 'groups',
                number,
            )
        )
    return tuple(parts)


def _harmonic(m: Array, power: int) -> Array:
    """Σ_{i≤m} 1/i^power for whole numbers m ≥ 0 of any shape."""
    return discount.sum_smooth(lambda i: i ** -float(power), m.astype(np.intp))


@measure(
    family='groups',
    aspects='relevant',
    pretty='Cumulative Proportionality',
    unjudged='the ranks that each subtopic is due depend on the subtopics that count',
    any_scale=True,
    cite='Dang2012',
)
def CPR(r: Ranking) -> Value:
    r"""Cumulative proportionality: how near the numbers of documents of the intents are to their shares, at each rank.

    .. math::

        \mathrm{CPR}@k = \frac{1}{k} \sum_{i=1}^{k} \left( 1 - \frac{\mathrm{DP}@i}{\mathrm{IDP}@i} \right)

    .. math::

        \mathrm{DP}@i = \sum_{t:\; v_t \geq s_t} (v_t - s_t)^2 + \frac{n_i^2}{2}, \quad
        \mathrm{IDP}@i = \sum_t v_t^2 + \frac{i^2}{2}

    v_t = i · w_t / Σw the number of documents that t is due in the top i, s_t the number of those relevant to t, n_i
    of those relevant to no intent. Of what an intent has beyond its due, nothing is taken off.

    Choices: ranks below the run's end are documents relevant to no intent, so that retrieving less never pays (RankSys
    divides by min(k, n)). There is no value without k, because appended documents would raise it. 0 where nothing was retrieved or all weights are 0.

    Reference: Dang & Croft, SIGIR 2012, as RankSys computes it (CPR).

    Examples:
        At rank 1: v = (1/2, 1/2), s = (1, 0): DP = 1/4, IDP = 1/2 + 1/2; at rank 2: v = (1, 1), s = (2, 0): DP = 1,
        IDP = 2 + 2.

        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> (CPR@2).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})
        0.75
        >>> (CPR@2).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd3': 1.0}})  # (3/4 + 1)/2
        0.875
    """
    if r.k is None:
        raise ValueError('CPR needs a cutoff, as in CPR@20')
    # Between two hits all counts stay the same, so that the sum over ranks is one over stretches of ranks: with
    # v_t = i w, (i w − s)²/i² = w² − 2 w s/i + s²/i², from the first rank on at which i w ≥ s.
    total = sums.one_by_one(r.weight)
    weight = ratio(r.weight, total[:, None])
    due = sums.one_by_one(weight**2) + 0.5
    end = r.length.astype(float)[:, None]
    edge = np.concatenate([np.ones_like(end), np.minimum(r.rank, end + 1), end + 1], axis=1)
    first, last = edge[:, :-1], edge[:, 1:] - 1
    relevant = np.concatenate(
        [
            np.zeros_like(r.relevant()[:, :1])
            if r.rank.shape[1]
            else np.zeros((len(end), 1, weight.shape[1])),
            r.relevant(),
        ],
        axis=1,
    )
    served = np.cumsum(relevant, axis=1)
    useful = np.cumsum(relevant.any(axis=2), axis=1).astype(float)

    def squares(scale: Array, count: Array, first: Array, last: Array) -> Array:
        """Σ (i · scale − count)²/i² over the ranks i from first to last; none where first is last + 1."""
        one, two = (_harmonic(last, power) - _harmonic(first - 1, power) for power in (1, 2))
        return scale**2 * (last - first + 1) - 2 * scale * count * one + count**2 * two

    w, stop = weight[:, None, :], np.broadcast_to(last[..., None], served.shape)
    reached = np.ceil(np.where(w > 0, served / np.where(w > 0, w, 1.0), np.inf))
    start = np.minimum(np.maximum(reached, first[..., None]), stop + 1)
    missing = _over_aspects(squares(np.broadcast_to(w, served.shape), served, start, stop))
    off = sums.one_by_one(missing + squares(np.ones_like(useful), useful, first, last) / 2) / due
    values = ratio(end[:, 0] - off, end[:, 0])
    return Value(
        np.where(total > 0, np.clip(values, 0.0, 1.0), 0.0),
        'it is a mean over all ranks, and those without a relevant document count too',
    )
