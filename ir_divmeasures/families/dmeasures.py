"""D-measures: one gain per document, summed over intents (Sakai & Song 2011), and NTCIREVAL's further ones."""
from __future__ import annotations

import numpy as np

from ..kernels import blended, cascade, discount, novelty, sums
from ..parameters import Beta, Gain, Gamma, Persistence
from ..ranking import Array, Ranking, ratio
from ..registry import measure
from .intent_aware import q_by_aspect
from .subtopic import subtopic_recall

__all__ = ['D_nDCG', 'D_Q', 'Dsharp_nDCG', 'Dsharp_Q', 'D_ERR', 'D_nERR', 'D_EBR', 'D_RBP', 'Dsharp_ERR',
           'Dsharp_nERR', 'Dsharp_EBR', 'Dsharp_RBP', 'DIN_nDCG', 'DINsharp_nDCG', 'DIN_Q', 'DINsharp_Q', 'PplusQ',
           'PplusQsharp']


def ndcg(r: Ranking, gains: Array, ideal: Array) -> Array:
    """nDCG of gains (Q, H) against an ideal list's gains by rank (Q, D)."""
    ideal = ideal[:, :r.k]
    best = sums.one_by_one(ideal * discount.log_discount(np.arange(1.0, ideal.shape[1] + 1)))
    return ratio(r.total(gains * r.log_discount()), best)


def q_measure(r: Ranking, gains: Array, cumulated_ideal: Array, found: Array, beta: float) -> Array:
    """Q-measure of gains (Q, H); ``found`` (Q,) is R, the judged documents with a gain."""
    ratios = blended.blended_ratio(gains, r.rank, cumulated_ideal, beta)
    divisor = found if r.k is None else np.minimum(found, r.k)
    return ratio(r.total(ratios * (gains > 0)), divisor.astype(float))


def _d_ndcg(r: Ranking, gain: str) -> Array:
    return ndcg(r, r.global_gain(gain), r.judged.ideal_global_gain(gain, r.rel))


def _d_q(r: Ranking, beta: float, gain: str) -> Array:
    return q_measure(r, r.global_gain(gain), r.judged.cumulated_ideal(gain, r.rel), _n_gaining(r, gain), beta)


def _n_gaining(r: Ranking, gain: str) -> Array:
    """R: judged documents with GG > 0; (Q,)."""
    return (r.judged.global_gain(gain, r.rel) > 0).sum(axis=1)


def _sharp(r: Ranking, value: Array, gamma: float) -> Array:
    """γ · StRecall@k + (1 − γ) · value."""
    return gamma * subtopic_recall(r) + (1 - gamma) * value


@measure(family='D-measures', pretty='D-nDCG')
def D_nDCG(r: Ranking, *, gain: Gain = 'linear') -> Array:
    """nDCG on global gains: D_nDCG@k = Σ_i GG(d_i)/log2(i+1) / the same on the ideal list at k.

    GG(d) = Σ_t w_t gain(g(d,t)); the ideal list is all judged documents by GG.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (MSnDCG of Dnev).

    Examples:
        >>> D_nDCG.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        1.0
    """
    return _d_ndcg(r, gain)


@measure(family='D-measures', aspects='relevant', pretty='D-Q')
def D_Q(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """Q-measure on global gains: D_Q@k = 1/min(k,R) Σ_{i≤k: GG>0} (C(i) + β cg(i)) / (i + β cg*(i)).

    C(i) documents with GG > 0 among the top i, cg cumulated GG, cg* the ideal list's, R judged documents with GG > 0;
    without a cutoff 1/R.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (Q of Dnev).

    Examples:
        >>> D_Q.calc_aggregate({'q': {'d1': {'1': 1}}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 + 1)/(2 + 1)
        0.6666666666666666
    """
    return _d_q(r, beta, gain)


@measure(family='D-measures', aspects='relevant', pretty='D#-nDCG')
def Dsharp_nDCG(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    """D#-nDCG@k = γ · StRecall@k + (1 − γ) · D_nDCG@k.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL.

    Examples:
        >>> (Dsharp_nDCG@1).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.75
    """
    return _sharp(r, _d_ndcg(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', pretty='D#-Q')
def Dsharp_Q(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """D#-Q@k = γ · StRecall@k + (1 − γ) · D_Q@k.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL.

    Examples:
        >>> (Dsharp_Q@1).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.75
    """
    return _sharp(r, _d_q(r, beta, gain), gamma)


def _stop(gains: Array, r: Ranking, gain: str) -> Array:
    """R_i = GG(d_i)/(max GG + 1), the probability of stopping at a gain; (Q, n) like ``gains``."""
    return gains / (r.judged.global_gain(gain, r.rel).max(axis=1, initial=0.0)[:, None] + 1)


def _reached(stop: Array) -> Array:
    """R_i Π_{j<i}(1 − R_j)."""
    return stop * cascade.unsatisfied(stop[..., None])[..., 0]


def _d_err(r: Ranking, gain: str) -> Array:
    return r.total(_reached(_stop(r.global_gain(gain), r, gain)) * discount.reciprocal(r.rank))


def _d_nerr(r: Ranking, gain: str) -> Array:
    ideal = _reached(_stop(r.judged.ideal_global_gain(gain, r.rel), r, gain))[:, :r.k]
    return ratio(_d_err(r, gain), sums.one_by_one(ideal * discount.reciprocal(np.arange(1.0, ideal.shape[1] + 1))))


def _d_ebr(r: Ranking, beta: float, gain: str) -> Array:
    ratios = blended.blended_ratio(r.global_gain(gain), r.rank, r.judged.cumulated_ideal(gain, r.rel), beta)
    return r.total(ratios * _reached(_stop(r.global_gain(gain), r, gain)))


def _d_rbp(r: Ranking, p: float, gain: str) -> Array:
    top = r.judged.global_gain(gain, r.rel).max(axis=1, initial=0.0)
    return (1 - p) * ratio(r.total(r.global_gain(gain) * discount.geometric(r.rank, p)), top)


@measure(family='D-measures', aspects='relevant', pretty='D-ERR')
def D_ERR(r: Ranking, *, gain: Gain = 'linear') -> Array:
    """ERR on global gains: D_ERR@k = Σ_i (1/i) R_i Π_{j<i}(1 − R_j), R_i = GG(d_i)/(max GG + 1).

    max GG is the largest global gain judged for the query.

    Reference: NTCIREVAL (ERR of Dnev).

    Examples:
        >>> D_ERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1/2) · 1/(1 + 1)
        0.25
    """
    return _d_err(r, gain)


@measure(family='D-measures', aspects='relevant', bounds=(0, None), pretty='D-nERR')
def D_nERR(r: Ranking, *, gain: Gain = 'linear') -> Array:
    """D_ERR@k over that of the list of all judged documents by GG.

    Reference: NTCIREVAL (nERR of Dnev).

    Examples:
        >>> D_nERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.5
    """
    return _d_nerr(r, gain)


@measure(family='D-measures', aspects='relevant', pretty='D-EBR')
def D_EBR(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """Expected blended ratio on global gains: D_EBR@k = Σ_i BR(i) R_i Π_{j<i}(1 − R_j).

    BR as in D_Q, R_i = GG(d_i)/(max GG + 1).

    Reference: Sakai & Robertson, EVIA 2008; NTCIREVAL (EBR of Dnev).

    Examples:
        >>> D_EBR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # BR = 1, R = 1/2
        0.5
    """
    return _d_ebr(r, beta, gain)


@measure(family='D-measures', pretty='D-RBP')
def D_RBP(r: Ranking, *, p: Persistence = 0.99, gain: Gain = 'linear') -> Array:
    """RBP on global gains: D_RBP@k = (1 − p) Σ_i p^{i−1} GG(d_i)/max GG.

    Reference: NTCIREVAL (D#-RBP of Dnev, p = 0.99).

    Examples:
        >>> D_RBP(p=0.5).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
        0.5
    """
    return _d_rbp(r, p, gain)


@measure(family='D-measures', aspects='relevant', pretty='D#-ERR')
def Dsharp_ERR(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    """D#-ERR@k = γ · StRecall@k + (1 − γ) · D_ERR@k.

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_ERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # (1 + 1/2)/2
        0.75
    """
    return _sharp(r, _d_err(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', bounds=(0, None), pretty='D#-nERR')
def Dsharp_nERR(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    """D#-nERR@k = γ · StRecall@k + (1 − γ) · D_nERR@k.

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_nERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.75
    """
    return _sharp(r, _d_nerr(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', pretty='D#-EBR')
def Dsharp_EBR(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """D#-EBR@k = γ · StRecall@k + (1 − γ) · D_EBR@k.

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_EBR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
        0.75
    """
    return _sharp(r, _d_ebr(r, beta, gain), gamma)


@measure(family='D-measures', aspects='relevant', pretty='D#-RBP')
def Dsharp_RBP(r: Ranking, *, gamma: Gamma = 0.5, p: Persistence = 0.99, gain: Gain = 'linear') -> Array:
    """D#-RBP@k = γ · StRecall@k + (1 − γ) · D_RBP@k.

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_RBP(p=0.5).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
        0.75
    """
    return _sharp(r, _d_rbp(r, p, gain), gamma)


def _din_gain(r: Ranking, gain: str) -> Array:
    """GG of the hits, where a navigational intent gives its gain only once; (Q, H)."""
    gains = r.gain(gain)
    counted = np.where(r.judged.navigational[:, None, :], novelty.first_of_aspect((gains > 0).astype(float)), 1.0)
    return r.weighted(gains * counted)


def _din_ndcg(r: Ranking, gain: str) -> Array:
    return ndcg(r, _din_gain(r, gain), r.judged.ideal_global_gain(gain, r.rel))


def _din_q(r: Ranking, beta: float, gain: str) -> Array:
    return q_measure(r, _din_gain(r, gain), r.judged.cumulated_ideal(gain, r.rel), _n_gaining(r, gain), beta)


TYPED = ('subtopic_type',)


@measure(family='D-measures', needs=TYPED, pretty='DIN-nDCG')
def DIN_nDCG(r: Ranking, *, gain: Gain = 'linear') -> Array:
    """D_nDCG in which a navigational intent adds its gain only at its first relevant document of the run.

    The ideal list stays the plain one, so the maximum can be below 1. Needs a column ``subtopic_type``.

    Reference: Sakai, WWW 2012; NTCIREVAL (DINnev).

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}, 'd2': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> DIN_nDCG.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1 / (1 + 1/log2(3))
        0.6131471927654584
    """
    return _din_ndcg(r, gain)


@measure(family='D-measures', aspects='relevant', needs=TYPED, pretty='DIN#-nDCG')
def DINsharp_nDCG(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    """DIN#-nDCG@k = γ · StRecall@k + (1 − γ) · DIN_nDCG@k.

    Reference: Sakai, WWW 2012; NTCIREVAL (DINnev).

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> DINsharp_nDCG.calc_aggregate(qrels, {'q': {'d1': 2.0}})
        1.0
    """
    return _sharp(r, _din_ndcg(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', needs=TYPED, pretty='DIN-Q')
def DIN_Q(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """D_Q in which a navigational intent adds its gain only at its first relevant document of the run.

    Reference: Sakai, WWW 2012; NTCIREVAL (DINnev).

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}, 'd2': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> DIN_Q.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})  # (1 + 1)/(1 + 1) / 2
        0.5
    """
    return _din_q(r, beta, gain)


@measure(family='D-measures', aspects='relevant', needs=TYPED, pretty='DIN#-Q')
def DINsharp_Q(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """DIN#-Q@k = γ · StRecall@k + (1 − γ) · DIN_Q@k.

    Reference: Sakai, WWW 2012; NTCIREVAL (DINnev).

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> DINsharp_Q.calc_aggregate(qrels, {'q': {'d1': 2.0}})
        1.0
    """
    return _sharp(r, _din_q(r, beta, gain), gamma)


def _p_plus_q(r: Ranking, beta: float, gain: str) -> Array:
    gains = r.gain(gain)
    ratios = blended.blended_ratio(gains, r.rank, r.judged.cumulated_ideal_by_aspect(gain, r.rel), beta)
    counted = (gains > 0) & r.within[..., None]
    grades = np.where(counted, r.of_hits(r.judged.grade), 0.0)
    highest = counted & (grades == grades.max(axis=1, initial=0.0, keepdims=True))
    preferred = np.where(highest, r.rank[..., None], np.inf).min(axis=1, initial=np.inf,
                                                                                   keepdims=True)
    above = counted & (r.rank[..., None] <= preferred)
    p_plus = ratio(sums.one_by_one(ratios * above), above.sum(axis=1).astype(float))
    return r.weighted(np.where(r.judged.navigational, p_plus, q_by_aspect(r, beta, gain)))


@measure(family='D-measures', aspects='relevant', needs=TYPED, pretty='P+Q')
def PplusQ(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """P+Q@k = Σ_t w_t (P+_t@k for a navigational intent, Q_t@k for an informational one).

    P+ = mean blended ratio over the relevant documents at or above the preferred rank: the first rank of the highest
    grade retrieved in the list cut at k. Needs a column ``subtopic_type``.

    Reference: Sakai, WWW 2012; NTCIREVAL (nevPQ).

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> PplusQ.calc_aggregate(qrels, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 + 1)/(2 + 1)
        0.6666666666666666
    """
    return _p_plus_q(r, beta, gain)


@measure(family='D-measures', aspects='relevant', needs=TYPED, pretty='P+Q#')
def PplusQsharp(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    """P+Q#@k = γ · StRecall@k + (1 − γ) · P+Q@k.

    Reference: Sakai, WWW 2012; NTCIREVAL.

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> PplusQsharp.calc_aggregate(qrels, {'q': {'d1': 1.0}})
        1.0
    """
    return _sharp(r, _p_plus_q(r, beta, gain), gamma)
