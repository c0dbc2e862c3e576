"""D-measures: one gain per document, summed over intents (Sakai & Song 2011), and NTCIREVAL's further ones."""
from __future__ import annotations

import numpy as np

from ..core.parameters import Beta, Gain, Gamma, Persistence
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import measure
from ..kernels import blended, cascade, discount, sums
from ..kernels import redundancy as novelty
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
    r"""nDCG on global gains: a document's gain is the sum of its gains for all aspects, weighted.

    .. math::

        \mathrm{D\_nDCG}@k = \frac{\sum_{i \leq k} GG(d_i) / \log_2(i+1)}{\sum_{i \leq k} GG(d_i^*) / \log_2(i+1)}

    .. math::

        GG(d) = \sum_t w_t\, \mathrm{gain}(g(d,t))

    d* are the documents of the ideal list: all judged ones by GG.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (MSnDCG of Dnev).

    Examples:
        >>> D_nDCG.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        1.0
    """
    return _d_ndcg(r, gain)


@measure(family='D-measures', aspects='relevant', pretty='D-Q')
def D_Q(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    r"""Q-measure on global gains: blends precision and cumulated gain at each relevant document.

    .. math::

        \mathrm{D\_Q}@k = \frac{1}{\min(k,R)} \sum_{i \leq k,\; GG(d_i) > 0} \frac{C(i) + \beta\, \mathrm{cg}(i)}{i +
        \beta\, \mathrm{cg}^*(i)}

    C(i) documents with GG > 0 among the top i, cg cumulated GG (as in ``D_nDCG``), cg* the ideal list's, R judged
    documents with GG > 0; without a cutoff 1/R.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (Q of Dnev).

    Examples:
        >>> D_Q.calc_aggregate({'q': {'d1': {'1': 1}}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 + 1)/(2 + 1)
        0.6666666666666666
    """
    return _d_q(r, beta, gain)


@measure(family='D-measures', aspects='relevant', pretty='D#-nDCG')
def Dsharp_nDCG(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    r"""D#-nDCG: the mean of subtopic recall and ``D_nDCG``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{Dsharp\_nDCG}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{D\_nDCG}@k

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL.

    Examples:
        >>> (Dsharp_nDCG@1).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.75
    """
    return _sharp(r, _d_ndcg(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', pretty='D#-Q')
def Dsharp_Q(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    r"""D#-Q: the mean of subtopic recall and ``D_Q``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{Dsharp\_Q}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{D\_Q}@k

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
    return (1 - p) * ratio(r.total(r.global_gain(gain) * r.geometric(p)), top)


@measure(family='D-measures', aspects='relevant', pretty='D-ERR')
def D_ERR(r: Ranking, *, gain: Gain = 'linear') -> Array:
    r"""ERR on global gains: the expected reciprocal rank at which the user is satisfied.

    .. math::

        \mathrm{D\_ERR}@k = \sum_{i \leq k} \frac{1}{i}\, R_i \prod_{j<i} (1 - R_j)

    .. math::

        R_i = \frac{GG(d_i)}{\max GG + 1}

    GG as in ``D_nDCG``; max GG is the largest one judged for the query.

    Reference: NTCIREVAL (ERR of Dnev).

    Examples:
        >>> D_ERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1/2) · 1/(1 + 1)
        0.25
    """
    return _d_err(r, gain)


@measure(family='D-measures', aspects='relevant', bounds=(0, None), pretty='D-nERR')
def D_nERR(r: Ranking, *, gain: Gain = 'linear') -> Array:
    r"""ERR on global gains over that of the list of all judged documents by GG.

    .. math::

        \mathrm{D\_nERR}@k = \frac{\mathrm{D\_ERR}@k}{\mathrm{D\_ERR}^*@k}

    Reference: NTCIREVAL (nERR of Dnev).

    Examples:
        >>> D_nERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.5
    """
    return _d_nerr(r, gain)


@measure(family='D-measures', aspects='relevant', pretty='D-EBR')
def D_EBR(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    r"""Expected blended ratio on global gains: the blended ratio at which the user is satisfied.

    .. math::

        \mathrm{D\_EBR}@k = \sum_{i \leq k} \mathrm{BR}(i)\, R_i \prod_{j<i} (1 - R_j)

    .. math::

        \mathrm{BR}(i) = \frac{C(i) + \beta\, \mathrm{cg}(i)}{i + \beta\, \mathrm{cg}^*(i)}

    .. math::

        R_i = \frac{GG(d_i)}{\max GG + 1}

    C, cg and cg* as in ``D_Q``.

    Reference: Sakai & Robertson, EVIA 2008; NTCIREVAL (EBR of Dnev).

    Examples:
        >>> D_EBR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # BR = 1, R = 1/2
        0.5
    """
    return _d_ebr(r, beta, gain)


@measure(family='D-measures', pretty='D-RBP')
def D_RBP(r: Ranking, *, p: Persistence = 0.99, gain: Gain = 'linear') -> Array:
    r"""RBP on global gains: the gain per document of a user who goes on with probability p.

    .. math::

        \mathrm{D\_RBP}@k = (1-p) \sum_{i \leq k} p^{i-1}\, \frac{GG(d_i)}{\max GG}

    Reference: NTCIREVAL (D#-RBP of Dnev, p = 0.99).

    Examples:
        >>> D_RBP(p=0.5).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
        0.5
    """
    return _d_rbp(r, p, gain)


@measure(family='D-measures', aspects='relevant', pretty='D#-ERR')
def Dsharp_ERR(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    r"""D#-ERR: the mean of subtopic recall and ``D_ERR``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{Dsharp\_ERR}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{D\_ERR}@k

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_ERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # (1 + 1/2)/2
        0.75
    """
    return _sharp(r, _d_err(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', bounds=(0, None), pretty='D#-nERR')
def Dsharp_nERR(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear') -> Array:
    r"""D#-nERR: the mean of subtopic recall and ``D_nERR``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{Dsharp\_nERR}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{D\_nERR}@k

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_nERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.75
    """
    return _sharp(r, _d_nerr(r, gain), gamma)


@measure(family='D-measures', aspects='relevant', pretty='D#-EBR')
def Dsharp_EBR(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear') -> Array:
    r"""D#-EBR: the mean of subtopic recall and ``D_EBR``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{Dsharp\_EBR}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{D\_EBR}@k

    Reference: NTCIREVAL.

    Examples:
        >>> Dsharp_EBR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
        0.75
    """
    return _sharp(r, _d_ebr(r, beta, gain), gamma)


@measure(family='D-measures', aspects='relevant', pretty='D#-RBP')
def Dsharp_RBP(r: Ranking, *, gamma: Gamma = 0.5, p: Persistence = 0.99, gain: Gain = 'linear') -> Array:
    r"""D#-RBP: the mean of subtopic recall and ``D_RBP``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{Dsharp\_RBP}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{D\_RBP}@k

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
    r"""D_nDCG in which a navigational intent adds its gain only at its first relevant document of the run.

    .. math::

        \mathrm{DIN\_nDCG}@k = \frac{\sum_{i \leq k} GG'(d_i) / \log_2(i+1)}{\sum_{i \leq k} GG(d_i^*) / \log_2(i+1)}

    .. math::

        GG'(d_i) = \sum_{t \text{ informational or } c_t(i) = 0} w_t\, \mathrm{gain}(g(d_i,t))

    The ideal list stays that of ``D_nDCG``, so the maximum can be below 1. Needs a column ``subtopic_type``.

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
    r"""DIN#-nDCG: the mean of subtopic recall and ``DIN_nDCG``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{DINsharp\_nDCG}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{DIN\_nDCG}@k

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
    r"""D_Q in which a navigational intent adds its gain only at its first relevant document of the run.

    .. math::

        \mathrm{DIN\_Q}@k = \frac{1}{\min(k,R)} \sum_{i \leq k,\; GG'(d_i) > 0} \frac{C'(i) + \beta\,
        \mathrm{cg}'(i)}{i + \beta\, \mathrm{cg}^*(i)}

    C' and cg' are made of the GG' of ``DIN_nDCG``; R and cg* are those of ``D_Q``.

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
    r"""DIN#-Q: the mean of subtopic recall and ``DIN_Q``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{DINsharp\_Q}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{DIN\_Q}@k

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
    r"""P-plus for navigational intents and the Q-measure for informational ones, weighted by intent.

    .. math::

        \mathrm{PplusQ}@k = \sum_{t \text{ navigational}} w_t\, \mathrm{P}^+_t@k + \sum_{t \text{ informational}} w_t\,
        \mathrm{Q}_t@k

    P+ is the mean blended ratio (``D_EBR``) over the relevant documents at or above the preferred rank: the first rank
    of the highest grade retrieved in the list cut at k. Needs a column ``subtopic_type``.

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
    r"""P+Q#: the mean of subtopic recall and ``PplusQ``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{PplusQsharp}@k = \gamma\, \mathrm{StRecall}@k + (1-\gamma)\, \mathrm{PplusQ}@k

    Reference: Sakai, WWW 2012; NTCIREVAL.

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> PplusQsharp.calc_aggregate(qrels, {'q': {'d1': 1.0}})
        1.0
    """
    return _sharp(r, _p_plus_q(r, beta, gain), gamma)
