"""Novelty: ndeval's measures under ir_measures' names, and their graded, weighted forms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated

import numpy as np

from ..core.kernels import discount, sums
from ..core.parameters import Alpha, MaxRel, Persistence, Probability, Range
from ..core.ranking import Array, JudgmentArrays, Ranking
from ..core.registry import ABOUT_1, measure
from ..core.terms import Terms

NEGLIGIBLE = 2.0**-54
"""Gains never rise along a greedy ranking, so that terms with this discount or a smaller one, after one with the discount 1,
change no digit of the sum: the ideal ranking need not go so deep."""


def _ideal_ideal(r: Ranking, discount_at: Callable[[Array], Array], alpha: float) -> Array:
    """Σ_T w · Σ_{i=1..k} (1 − α)^{i−1} discount(i): a list in which every document is relevant to every aspect."""

    def compute() -> Array:
        each = discount.sum_smooth(
            lambda i: np.power(1.0 - alpha, i - 1) * discount_at(i), r.length
        )
        return sums.one_by_one(r.weight) * each

    if r.k is None:  # the length of the run
        return compute()
    return r.judgments.keep(('ideal ideal', r.rel, r.k, alpha, discount_at), compute)


def _greedy(
    judgments: JudgmentArrays,
    rel: float,
    k: int | None,
    alpha: float,
    discount_at: Callable[..., Array],
    *parameters: float,
) -> Array:
    """Σ_i G(i) discount(i) of the greedy ideal ranking within the cutoff; (Q,)."""

    def compute() -> Array:
        discounts = discount_at(np.arange(1, judgments.shape[1] + 1, dtype=float), *parameters)
        discounts = discounts[discounts > NEGLIGIBLE][:k]
        return sums.one_by_one(judgments.greedy_gains(rel, alpha, len(discounts)) * discounts)

    return judgments.keep_ideal(('novelty', rel, k, alpha, discount_at, *parameters), compute)


def _novel(
    r: Ranking, alpha: float, discounts: Array, *, divisor: Array | None = None, scale: float = 1.0
) -> Terms:
    """scale / divisor · Σ_i G(i) discount(i), of binary relevance."""
    return Terms(
        r,
        r.relevant(),
        discounts,
        redundancy=r.redundancy(alpha),
        divisor=divisor,
        scale=scale,
    )


novelty_measure = functools.partial(measure, family='novelty')
"""Declare a measure of novelty: :func:`measure` with the facts that all of them share."""


@novelty_measure(
    aspects='relevant',
    pretty='Alpha Discounted Cumulative Gain',
    any_scale=True,
    cite=('Clarke2008', 'TRECWebTrack2013'),
)
def alpha_DCG(r: Ranking, *, alpha: Alpha = 0.5) -> Terms:
    r"""DCG in which each further document for an aspect counts less, divided by the most that any collection could give.

    .. math::

        \mathrm{alpha\_DCG}@k = \frac{\sum_{i \leq k} G(i) / \log_2(i+1)}{\sum_t w_t \cdot \sum_{i=1}^{k}
        (1-\alpha)^{i-1} / \log_2(i+1)}

    .. math::

        G(i) = \sum_t w_t\, J(d_i,t)\,(1-\alpha)^{c_t(i)}

    Choices: without a cutoff k is the run's length in the divisor; at cutoff 1 we divide, which ndeval does not (its
    loop starts at 1).

    Reference: Clarke et al., SIGIR 2008; ndeval 4.5.

    Examples:
        >>> alpha_DCG.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})  # (1/2)/1
        0.5
    """
    return _novel(r, alpha, r.log_discount(), divisor=_ideal_ideal(r, discount.log_discount, alpha))


@novelty_measure(
    bounds=(0, ABOUT_1),
    pretty='Alpha Normalised Discounted Cumulative Gain',
    any_scale=True,
    cite=('Clarke2008', 'TRECWebTrack2013'),
)
def alpha_nDCG(r: Ranking, *, alpha: Alpha = 0.5) -> Terms:
    r"""DCG in which each further document for an aspect counts less, divided by that of a greedy ideal ranking.

    .. math::

        \mathrm{alpha\_nDCG}@k = \frac{\sum_{i \leq k} G(i) / \log_2(i+1)}{\sum_{i \leq k} G^*(i) / \log_2(i+1)}

    .. math::

        G(i) = \sum_t w_t\, J(d_i,t)\,(1-\alpha)^{c_t(i)}

    G* is the G of the ideal list, which takes, rank by rank, the document with the largest G, ties to the larger
    doc_id. Because it is greedy, a value can exceed 1 by a little.

    Reference: Clarke et al., SIGIR 2008; ndeval 4.5.

    Examples:
        >>> alpha_nDCG.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        1.0
    """
    return _novel(
        r,
        alpha,
        r.log_discount(),
        divisor=_greedy(r.judgments, r.rel, r.k, alpha, discount.log_discount),
    )


@novelty_measure(
    aspects='relevant',
    pretty='Intent-Aware Expected Reciprocal Rank',
    any_scale=True,
    cite=('Chapelle2009', 'TRECWebTrack2013'),
)
def ERR_IA(r: Ranking) -> Terms:
    r"""Intent-aware ERR as ndeval computes it: novel relevance divided by rank, and by the most that is possible.

    .. math::

        \mathrm{ERR\_IA}@k = \frac{\sum_{i \leq k} G(i) / i}{\sum_t w_t \cdot \sum_{i=1}^{k} 0.5^{\,i-1} / i}

    .. math::

        G(i) = \sum_t w_t\, J(d_i,t)\,0.5^{\,c_t(i)}

    Reference: Chapelle et al., CIKM 2009; ndeval 4.5. The graded measure is ``gERR_IA``.

    Examples:
        >>> ERR_IA.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1/2) / (1 + 0.5/2)
        0.4
    """
    by_rank = discount.reciprocal
    return _novel(r, 0.5, by_rank(r.rank), divisor=_ideal_ideal(r, by_rank, 0.5))


@novelty_measure(
    bounds=(0, ABOUT_1),
    pretty='Intent-Aware Normalised Expected Reciprocal Rank',
    any_scale=True,
    cite=('Chapelle2009', 'TRECWebTrack2013'),
)
def nERR_IA(r: Ranking) -> Terms:
    r"""Intent-aware ERR as ndeval computes it, divided by that of a greedy ideal ranking.

    .. math::

        \mathrm{nERR\_IA}@k = \frac{\sum_{i \leq k} G(i) / i}{\sum_{i \leq k} G^*(i) / i}

    .. math::

        G(i) = \sum_t w_t\, J(d_i,t)\,0.5^{\,c_t(i)}

    G* is the G of the greedy ideal list, as in ``alpha_nDCG``.

    Reference: Chapelle et al., CIKM 2009; ndeval 4.5.

    Examples:
        >>> nERR_IA.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.5
    """
    by_rank = discount.reciprocal
    return _novel(r, 0.5, by_rank(r.rank), divisor=_greedy(r.judgments, r.rel, r.k, 0.5, by_rank))


Patience = Annotated[
    float, Range(0, 1), 'patience, the probability that the user goes on to the next document'
]


@novelty_measure(
    aspects='relevant',
    pretty='Novelty- and Rank-Biased Precision',
    cite=('Clarke2009', 'TRECWebTrack2013'),
)
def NRBP(r: Ranking, *, alpha: Alpha = 0.5, beta: Patience = 0.5, cutoff: None = None) -> Terms:
    r"""Rank-biased precision in which each further document for an aspect counts less.

    .. math::

        \mathrm{NRBP} = (1 - (1-\alpha)\beta) \sum_{i} \beta^{i-1} G(i)

    .. math::

        G(i) = \sum_t w_t\, J(d_i,t)\,(1-\alpha)^{c_t(i)}

    The sum runs over the whole ranking.

    Reference: Clarke, Kolla, Vechtomova, ICTIR 2009; ndeval 4.5.

    Examples:
        >>> NRBP.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0}})  # 1 − 0.5 · 0.5
        0.75
    """
    return _novel(r, alpha, r.geometric(beta), scale=1 - (1 - alpha) * beta)


@novelty_measure(
    bounds=(0, ABOUT_1),
    pretty='Normalised Novelty- and Rank-Biased Precision',
    any_scale=True,
    cite=('Clarke2009', 'TRECWebTrack2013'),
)
def nNRBP(r: Ranking, *, alpha: Alpha = 0.5, beta: Patience = 0.5, cutoff: None = None) -> Terms:
    r"""NRBP divided by that of a greedy ideal ranking.

    .. math::

        \mathrm{nNRBP} = \frac{\mathrm{NRBP}}{\mathrm{NRBP}^*}

    NRBP* is that of the greedy ideal ranking of all judged documents.

    Reference: Clarke, Kolla, Vechtomova, ICTIR 2009; ndeval 4.5.

    Examples:
        >>> nNRBP.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.5
    """
    return _novel(
        r,
        alpha,
        r.geometric(beta),
        divisor=_greedy(r.judgments, r.rel, r.k, alpha, discount.geometric, beta),
    )


@novelty_measure(
    rel_means='gate',
    aspects='relevant',
    bounds=(0, None),
    pretty='Intent-Aware Alpha Discounted Cumulative Gain, graded',
    cite=('Amigo2018', 'Clarke2008'),
)
def alpha_DCG_IA(
    r: Ranking, *, alpha: Alpha = 0.5, gain: Probability = 'exp', max_rel: MaxRel = None
) -> Terms:
    r"""Graded, weighted alpha-DCG, as in the experiments of Amigó et al.

    .. math::

        \mathrm{alpha\_DCG\_IA}@k = \sum_{i \leq k} \frac{\sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)}}{\log_2(i+1)}

    Reference: Amigó et al., SIGIR 2018, §4.3, after Clarke et al., SIGIR 2008.

    Examples:
        >>> alpha_DCG_IA.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0}})  # r = 1/2 at rank 1
        0.5
    """
    return Terms(r, r.probability(gain, max_rel), r.log_discount(), redundancy=r.redundancy(alpha))


@novelty_measure(
    rel_means='gate',
    aspects='relevant',
    bounds=(0, None),
    pretty='Novelty- and Rank-Biased Precision, graded',
    cite=('Amigo2018', 'Clarke2009'),
)
def gNRBP(
    r: Ranking,
    *,
    p: Persistence = 0.8,
    alpha: Alpha = 0.5,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Graded, weighted NRBP, as in the experiments of Amigó et al.

    .. math::

        \mathrm{gNRBP}@k = \sum_{i \leq k} p^{i-1} \sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)}

    Reference: Amigó et al., SIGIR 2018, §4.3, after Clarke, Kolla, Vechtomova, ICTIR 2009.

    Examples:
        >>> gNRBP.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # 0.8 · 1/2
        0.4
    """
    return Terms(r, r.probability(gain, max_rel), r.geometric(p), redundancy=r.redundancy(alpha))
