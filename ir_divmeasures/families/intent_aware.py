"""Intent-aware measures: M_IA = Σ_t w_t M_t, where M_t sees only aspect t's grades (Agrawal et al. 2009)."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.kernels import blended, discount, ideal
from ..core.names import MeasureName
from ..core.parameters import Beta, BinaryOrShare, Gain, MaxRel, Persistence, Probability
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import measure, ours, parse
from ..core.terms import Parts, Terms, weighted_by_aspect

intent_aware = functools.partial(measure, family='intent-aware', aspects='relevant')
"""Declare an intent-aware measure: :func:`measure` with the facts that all of them share."""


@intent_aware(
    pretty='Intent-Aware Precision',
    cite=('Agrawal2009', 'TRECWebTrack2013'),
)
def P_IA(r: Ranking) -> Terms:
    r"""Intent-aware precision: the precision for each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{P\_IA}@k = \sum_t w_t\, \frac{1}{k} \sum_{i \leq k} J(d_i,t)

    Without a cutoff k is the run's length (0 for an empty run).

    Reference: Agrawal et al., WSDM 2009; ndeval 4.5.

    Examples:
        >>> (P_IA@2).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})  # (1/2)(1/2) + 0
        0.25
    """
    return Terms(r, r.relevant(), divisor=np.maximum(r.length, 1))


@intent_aware(
    pretty='Intent-Aware Average Precision',
    cite=('Agrawal2009', 'TRECWebTrack2013'),
)
def AP_IA(r: Ranking, *, cutoff: None = None) -> Terms:
    r"""Intent-aware average precision: that of each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{AP\_IA} = \sum_t w_t\, \frac{1}{R_t} \sum_{i} J(d_i,t)\; \mathrm{prec}_t(i)

    R_t documents relevant to t; prec_t(i) the share of them among the top i. Over the whole ranking.

    Reference: Agrawal et al., WSDM 2009; ndeval 4.5 (MAP-IA).

    Examples:
        >>> AP_IA.calc_aggregate({'q': {'d1': 1, 'd2': 1}}, {'q': {'d1': 2.0}})  # (1/2) · 1
        0.5
    """
    precision = (r.count_before() + 1) / r.rank[..., None]
    return Terms(r, r.relevant(), precision, divisor=r.n_relevant)


@intent_aware(pretty='Intent-Aware Reciprocal Rank', cite='Carterette2011')
def RR_IA(r: Ranking) -> Terms:
    r"""Intent-aware reciprocal rank: 1 divided by the rank at which each aspect is first served, weighted.

    .. math::

        \mathrm{RR\_IA}@k = \sum_t \frac{w_t}{\min\{ i \leq k : J(d_i,t) = 1 \}}

    An aspect that is not served adds 0.

    Reference: Carterette, SIGIR 2011, §5.

    Examples:
        >>> RR_IA.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        0.75
    """
    return Terms(r, r.relevant(), discount.reciprocal(r.rank), redundancy=r.first_of_aspect())


@intent_aware(
    rel_means='gate',
    bounds=(0, None),
    pretty='Intent-Aware Discounted Cumulative Gain',
    cite=('Amigo2018', 'Dou2019'),
)
def DCG_IA(r: Ranking, *, gain: Gain = 'linear') -> Terms:
    r"""Intent-aware DCG: that of each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{DCG\_IA}@k = \sum_t w_t \sum_{i \leq k} \frac{\mathrm{gain}(d_i,t)}{\log_2(i+1)}

    Reference: Amigó et al., SIGIR 2018, §4.2; Dou et al., IRJ 2019, §2.2.

    Examples:
        >>> DCG_IA.calc_aggregate({'q': {'d1': 2}}, {'q': {'d1': 2.0}})
        2.0
    """
    return Terms(r, r.gain(gain), r.log_discount())


@intent_aware(
    rel_means='gate',
    pretty='Intent-Aware Normalised Discounted Cumulative Gain',
    cite='Dou2019',
)
def nDCG_IA(r: Ranking, *, gain: Gain = 'linear') -> Terms:
    r"""Intent-aware nDCG: the DCG of each aspect divided by that of the aspect's own ideal list, weighted.

    .. math::

        \mathrm{nDCG\_IA}@k = \sum_t w_t\, \frac{\mathrm{DCG}_t@k}{\mathrm{DCG}_t^*@k}

    Reference: Dou et al., IRJ 2019, §2.2.

    Examples:
        >>> nDCG_IA.calc_aggregate({'q': {'d1': 2}}, {'q': {'d1': 2.0}})
        1.0
    """
    best = ideal.discounted(r.judgments.ideal_gain(gain, r.rel)[:, : r.k], discount.log_discount)
    return Terms(r, r.gain(gain), r.log_discount(), divisor=best)


def share_of_highest(r: Ranking, gain: str, max_rel: float | None) -> Array:
    """x of the hits: J (``binary``) or g/gmax (``linear``); (Q, H, T).

    Raises:
        ValueError: a grade above ``max_rel``.
    """
    highest = r.judgments.highest_grade
    if max_rel is not None and gain == 'linear' and highest.max(initial=0.0) > max_rel:
        raise ValueError(f'max_rel={max_rel:g}, but a grade of {highest.max():g} was judged')
    top = (highest if max_rel is None else np.full_like(highest, max_rel))[:, None, :]
    return r.relevant() if gain == 'binary' else ratio(r.gain('linear'), top)


@intent_aware(
    rel_means='gate',
    pretty='Intent-Aware Rank-Biased Precision',
    cite=('Moffat2008', 'Amigo2018'),
)
def RBP_IA(
    r: Ranking,
    *,
    p: Persistence = 0.8,
    gain: BinaryOrShare = 'binary',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Intent-aware RBP: that of each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{RBP\_IA}@k = \sum_t w_t\, (1-p) \sum_{i \leq k} p^{i-1} x_t(d_i)

    x = J (``binary``) or g/gmax (``linear``).

    Reference: Moffat & Zobel, TOIS 2008; Amigó et al., SIGIR 2018, §4.2.

    Examples:
        >>> RBP_IA(p=0.5).calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 − 0.5) · 0.5
        0.25
    """
    return Terms(r, share_of_highest(r, gain, max_rel), r.geometric(p), scale=1 - p)


@intent_aware(
    rel_means='gate',
    pretty='Intent-Aware Expected Reciprocal Rank, graded',
    cite=('Chapelle2009', 'Amigo2018'),
)
def gERR_IA(r: Ranking, *, gain: Probability = 'exp', max_rel: MaxRel = None) -> Terms:
    r"""Intent-aware ERR on grades: that of each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{gERR\_IA}@k = \sum_t w_t \sum_{i \leq k} \frac{1}{i}\, r_t(d_i) \prod_{j<i} (1 - r_t(d_j))

    ``ERR_IA`` is ndeval's, on binary relevance and with its normalisation.

    Reference: Chapelle et al., CIKM 2009; Amigó et al., SIGIR 2018, §4.2.

    Examples:
        >>> gERR_IA.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1/2)(1/2)
        0.25
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.reciprocal(r.rank),
        redundancy=r.unsatisfied(gain, max_rel),
    )


@intent_aware(
    rel_means='gate',
    pretty='Intent-Aware Q-measure',
    cite=('Sakai2011a', 'Dou2019', 'Sakai2011b'),
)
def Q_IA(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Terms:
    r"""Intent-aware Q-measure: that of each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{Q\_IA}@k = \sum_t w_t\, \mathrm{Q}_t@k

    .. math::

        \mathrm{Q}@k = \frac{1}{\min(k,R)} \sum_{i \leq k,\; \mathrm{gain} > 0} \frac{C(i) + \beta\, \mathrm{cg}(i)}{i +
        \beta\, \mathrm{cg}^*(i)}

    All of the aspect: C(i) relevant documents among the top i, cg cumulated gain, cg* the ideal list's, R relevant
    documents; without a cutoff 1/R.

    Reference: Sakai & Song, SIGIR 2011; Dou et al., IRJ 2019, §2.2; NTCIREVAL.

    Examples:
        >>> Q_IA.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 + 1)/(2 + 1)
        0.6666666666666666
    """
    gains = r.gain(gain)
    return Terms(
        r,
        (gains > 0).astype(float),
        blended.blended_ratio(gains, r.rank, r.judgments.ideal_gain(gain, r.rel), beta),
        divisor=r.capped(r.judgments.n_gaining(gain, r.rel)),
    )


def one_cutoff(params: dict[str, Any]) -> Any:
    """The measure M inside another one; an error if both have a cutoff, or M takes none."""
    inner = parse(params['M'], complete=False)
    if params['cutoff'] is not None and 'cutoff' in inner.params:
        raise ValueError(f"two cutoffs, {params['M']} inside and @{params['cutoff']} outside")
    if params['cutoff'] is not None and 'cutoff' not in inner.SUPPORTED_PARAMS:
        raise ValueError(f"{params['M']} takes no cutoff")
    return inner


def at_cutoff(name: str, k: int | None) -> Any:
    """The measure of a name, at cutoff k if it has no other."""
    inner = parse(name, complete=False)
    return inner if k is None or 'cutoff' not in inner.SUPPORTED_PARAMS else inner @ k


def _no_nesting(params: dict[str, Any]) -> None:
    inner = one_cutoff(params)
    if inner.NAME == 'IA':
        raise ValueError('an aspect has no aspects; M cannot be IA')
    if 'layer' in getattr(ours(inner), 'needed_columns', ()):
        raise ValueError(f'an aspect has no layers; M cannot be {inner.NAME}')


@intent_aware(
    rel_means='gate',
    bounds=(None, None),
    pretty='Intent-Aware',
    check=_no_nesting,
    cite='Agrawal2009',
)
def IA(r: Ranking, *, M: MeasureName = 'nDCG') -> Parts:
    r"""Any measure made intent-aware: its value for each aspect, weighted by the aspect's probability.

    .. math::

        \mathrm{IA}(M)@k = \sum_t w_t\, M_t@k

    M_t is M computed with aspect t's grades only; documents judged for the query but not for t have grade 0. The
    cutoff applies to M.

    Choices: a measure of ir_measures keeps the order of its own provider, to which scores are equal that are equal as
    32-bit numbers. ``P_IA``, ``AP_IA``, ``RR_IA`` and ``nDCG_IA`` compare scores in full; without such ties they equal
    ``IA`` of P, AP, RR and nDCG.

    Reference: Agrawal et al., WSDM 2009.

    Examples:
        >>> IA(M='P@1').calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.5
        >>> ir_measures.parse_measure('IA(M=\'nDCG(dcg="exp-log2")\')@10')
        IA(M="nDCG(dcg='exp-log2')")@10
    """
    inner = at_cutoff(M, r.k)
    own = ours(inner)
    if own is not None:
        return weighted_by_aspect(r, own.parts(r.by_aspect(own.rel)))
    if r.inner is None:
        raise ValueError(f'{M} of each aspect is a measure of ir_measures')
    values = r.inner.each_aspect(str(inner), r.judged_only)  # the aspects of the largest query
    return (r.weighted(values[:, : r.judgments.shape[2]]),)
