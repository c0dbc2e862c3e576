"""Utility and cascade: what the user gains until satisfied, less the effort (Amigó et al. 2018; Luo et al. 2013)."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np

from ..core.kernels import discount, ideal, redundancy, sums
from ..core.parameters import Alpha, Choice, Effort, MaxRel, Norm, Persistence, Probability, Range
from ..core.ranking import Array, JudgmentArrays, Ranking
from ..core.registry import ABOUT_1, measure
from ..core.terms import Terms


def _rbu_norm(params: dict[str, Any]) -> None:
    if params['norm'] and params['p'] == 0:
        raise ValueError('norm=True divides by p, which is 0')


utility_measure = functools.partial(measure, family='utility', rel_means='gate', aspects='relevant')
"""Declare a measure of utility: :func:`measure` with the facts that most of them share."""


@utility_measure(
    bounds=(None, 1),
    pretty='Rank-Biased Utility',
    check=_rbu_norm,
    cite='Amigo2018',
)
def RBU(
    r: Ranking,
    *,
    p: Persistence = 0.8,
    e: Effort = 0.03,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
    norm: Norm = False,
    effort: Annotated[
        str,
        Choice(('document', 'aspect')),
        "what costs the effort e: each 'document', or each 'aspect' of each document",
    ] = 'document',
) -> Terms:
    r"""Rank-Biased Utility: novel relevance of each aspect, discounted by rank, minus an effort for each document.

    .. math::

        \mathrm{RBU}@k = \sum_{i=1}^{\min(k,n)} p^i \left( \sum_t w_t\, r_t(d_i) \prod_{j<i} (1 - r_t(d_j)) - e \right)

    The parameters are the persistence p and the effort e. The value can be negative.

    Choices: Eq. 11 subtracts e for each document and aspect. The paper's appendix and the authors' program subtract it
    once for each document. ``effort='document'`` is the latter, and ``effort='aspect'`` is Eq. 11 as printed. With
    ``norm=True``, the score is multiplied by (1 − p)/p and equals that of the authors' program.

    p says how far the user looks: on average at 1/(1 − p) documents, which is 5 for the default 0.8 and 100 for 0.99.
    e is the smallest gain that justifies reading a document. Choose p so that 1/(1 − p) is at most the depth of the
    judgments, and e below the share of relevant documents that a useful page has.

    The paper's experiments use p = 0.99 and e = 0.05. Twenty documents then cost 0.9. If few relevant documents are
    judged, most scores are negative. Six runs on the topics of the Web Track 2014 have means of −0.51 to −0.52 at
    cutoff 20.

    RBU was proposed because of its axioms and its unanimity. Neither was tested with users. When 15 assessors compared
    1,127 pairs of result pages, RBU predicted the page that is likely to satisfy more users less well than the best
    D♯-measures (Sakai & Zeng, SIGIR 2019, abstract). Report ``Dsharp_nDCG`` with it.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, Eq. 11.

    Examples:
        One aspect of grades 0 and 1: r = (2^1 − 1)/2^1 = 1/2 at rank 1; 0.8 · (1/2 − 0.03) = 0.376.

        >>> RBU.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0}})
        0.376
    """
    satisfied, reached = r.probability(gain, max_rel), p * discount.geometric(r.ranks, p)
    cost = e * reached
    if effort == 'aspect':
        cost = cost * r.n_aspects[:, None]
    return Terms(
        r,
        satisfied,
        p * r.geometric(p),
        redundancy=r.unsatisfied(gain, max_rel),
        effort=cost,
        scale=(1 - p) / p if norm else 1.0,
    )


LogBase = Annotated[
    float, Range(1, float('inf'), '('), 'the base of the logarithm that discounts ranks'
]


@utility_measure(
    bounds=(None, None),
    pretty='Expected Utility',
    cite=('Amigo2018', 'Yang2009'),
)
def EU(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    e: Effort = 0.05,
    base: LogBase = 2.0,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Expected Utility: novel relevance minus effort, both discounted by rank.

    .. math::

        \mathrm{EU}@k = \sum_{i=1}^{\min(k,n)} \frac{\sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)} - e}{1 +
        \log_{\mathrm{base}} i}

    The value can be negative.

    Reference: Amigó et al., SIGIR 2018, §4.3, after Yang & Lad, ICTIR 2009.

    Examples:
        1/2 − 0.05 at rank 1, which is not discounted.

        >>> EU.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0}})
        0.45
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.shifted_log_discount(r.rank, base),
        redundancy=r.redundancy(alpha),
        effort=e * discount.shifted_log_discount(r.ranks, base),
    )


Saturation = Annotated[
    float,
    Range(0, float('inf'), '('),
    'the total relevance of an aspect at which further documents no longer count for it',
]


def _hungry(r: Ranking, alpha: float, saturation: float, gain: str, max_rel: float | None) -> Array:
    """(1 − α)^{c_t(i)} f_t(i) at the hits; (Q, H, T)."""

    def compute() -> Array:
        before = redundancy.before(r.probability(gain, max_rel))
        return r.redundancy(alpha) * (np.round(before, ideal.DECIMALS) < saturation)

    return r.keep(('hungry', alpha, saturation, gain, max_rel), compute)


@utility_measure(bounds=(0, None), pretty='Cube Test', cite=('Amigo2018', 'Luo2013'))
def CT(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    saturation: Saturation = 1.0,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Cube Test: novel relevance divided by the rank at which it is found, until an aspect is full.

    .. math::

        \mathrm{CT}@k = \sum_{i=1}^{\min(k,n)} \frac{1}{i} \sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)}\, f_t(i)

    f_t(i) = 1 while :math:`\sum_{j<i} r_t(d_j)` is below ``saturation``, then 0.

    Reference: Amigó et al., SIGIR 2018, §4.3, after Luo et al., CIKM 2013.

    Examples:
        >>> CT.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0, 'd2': 2.0}})  # (1/2)/2
        0.25
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.reciprocal(r.rank),
        redundancy=_hungry(r, alpha, saturation, gain, max_rel),
    )


@utility_measure(
    bounds=(0, None),
    pretty='Average Cube Test',
    cite='Amigo2018',
)
def ACT(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    saturation: Saturation = 1.0,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Average Cube Test: the mean of CT at the ranks that the user looks at.

    .. math::

        \mathrm{ACT}@k = \frac{1}{m} \sum_{i=1}^{m} \mathrm{CT}@i, \quad m = \min(k, n)

    0 if m = 0.

    Choices: by this definition documents appended to a run shorter than k raise the score even if nothing is relevant
    in them, since CT@i of each further rank is the greatest so far. Compare runs of one length only.

    Reference: Amigó et al., SIGIR 2018, §4.3.

    Examples:
        >>> ACT.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0, 'd2': 2.0}})  # (0 + (1/2)/2)/2
        0.125
    """
    m = np.maximum(r.depth, 1)[:, None]
    share = (
        np.where(r.within, m - np.where(r.within, r.rank, 0) + 1, 0) / m
    )  # of CT@1, …, CT@m, those that count a hit
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.reciprocal(r.rank) * share,
        redundancy=_hungry(r, alpha, saturation, gain, max_rel),
    )


def _ideal_utility(
    judgments: JudgmentArrays,
    alpha: float,
    e: float,
    base: float,
    gain: str,
    max_rel: float | None,
    rel: float,
    k: int | None,
) -> Array:
    """Σ_i (gain_i − e)/log_base(base + i − 1) of the greedy ideal ranking; (Q,)."""

    def compute() -> Array:
        return ideal.greedy_gains(
            judgments.probability(gain, max_rel, rel),
            judgments.relevant(rel),
            judgments.weight(rel),
            alpha,
            e,
            judgments.shape[1] if k is None else min(k, judgments.shape[1]),
        )

    gains = judgments.keep_ideal(('utility', alpha, e, gain, max_rel, rel, k), compute)
    discounts = discount.late_log_discount(np.arange(1.0, gains.shape[1] + 1), base)
    return sums.one_by_one(np.where(np.isnan(gains), 0.0, gains - e) * discounts)


@utility_measure(
    bounds=(None, ABOUT_1),
    pretty='Normalised Discounted Cumulated Utility',
    cite=('Yang2007', 'Amigo2018'),
)
def nDCU(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    e: Effort = 0.05,
    base: LogBase = 2.0,
    gain: Probability = 'binary',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Discounted cumulated utility adds up novel relevance minus effort, and is divided by that of a greedy ideal ranking.

    .. math::

        \mathrm{nDCU}@k = \frac{\mathrm{DCU}@k}{\mathrm{DCU}^*@k}

    .. math::

        \mathrm{DCU}@k = \sum_{i=1}^{\min(k,n)} \frac{\sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)} -
        e}{\log_{\mathrm{base}}(\mathrm{base} + i - 1)}

    DCU* is that of the ideal list; 0 where the ideal is empty. The value can be
    negative, and exceed 1 by a little.

    Choices: the ideal takes, rank by rank, the document with the largest gain, ties to the larger doc_id, and ends
    before the first whose gain is at most e. The paper's setting: weights 1, e = .1, α = 1 or .9.

    Reference: Yang, Lad, Lao, Harpale, Kisiel, Rogati, SIGIR 2007, Eq. 4–9; named in Amigó et al., SIGIR 2018, §4.3.

    Examples:
        A relevant document at rank 2: (−0.05/log2 2 + 0.95/log2 3) / (0.95/log2 2).

        >>> round(nDCU.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0, 'd2': 2.0}}), 4)
        0.5783
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.late_log_discount(r.rank, base),
        redundancy=r.redundancy(alpha),
        effort=e * discount.late_log_discount(r.ranks, base),
        divisor=_ideal_utility(r.judgments, alpha, e, base, gain, max_rel, r.rel, r.k),
    )
