"""D-measures: one gain per document, summed over intents (Sakai & Song 2011), and NTCIREVAL's further ones."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.kernels import blended, cascade, discount, ideal
from ..core.parameters import Beta, Gain, Gamma, Parameter, Persistence, parameter
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import LAYERED, SHARES, DivMeasure, measure
from ..core.terms import Terms, mixture
from .intent_aware import BLENDED, blended_ratios
from .subtopic import StRecall


def ndcg(r: Ranking, gain: str, ideal_gain: Array) -> Terms:
    """nDCG on global gains: the gains of the ideal list by rank (Q, D)."""
    best = ideal.discounted(ideal_gain[:, : r.k], discount.log_discount)
    known = ratio(r.total(r.global_gain(gain) * r.log_discount()), best)
    return Terms(r, lambda: r.gain(gain), r.log_discount(), divisor=best, known=known)


def q_measure(
    r: Ranking,
    gain: Array,
    per_hit: Array,
    ideal_gain: Array,
    gaining: Array,
    beta: float,
) -> Terms:
    """Q-measure: a document with a gain counts 1, which its aspects share by gain.

    Args:
        gain: of hits and aspects; (Q, H, T).
        per_hit: the gains of documents, weighted sums over aspects; (Q, H).
        ideal_gain: the gains of the ideal list, largest first; (Q, D).
        gaining: R, the number of judged documents with a gain; (Q,).
    """
    return Terms(
        r,
        ratio(gain, per_hit[..., None]),
        blended.blended_ratio(per_hit, r.rank, ideal_gain, beta),
        divisor=r.capped(gaining),
    )


HIGHEST_GAIN = 'every gain is a share of the highest global gain, and takes from later ones; D_nDCG and D_RBP have bounds'


def _n_gaining(r: Ranking, gain: str) -> Array:
    """R: judged documents with GG > 0; (Q,)."""
    return (r.judgments.global_gain(gain, r.rel) > 0).sum(axis=1)


SHARP = r"""{words}: the mean of {recall_words} and ``{inner}``, weighted by γ and 1 − γ.

.. math::

    \mathrm{{{name}}}@k = \gamma\, \mathrm{{{recall}}}@k + (1-\gamma)\, \mathrm{{{tex}}}@k

Reference: {reference}

Examples:
    {example}
"""
"""The docstring of a measure M♯."""

GAMMA = parameter('gamma', Gamma, 0.5)


def sharp(
    inner: DivMeasure,
    name: str,
    words: str,
    *,
    reference: str,
    example: str,
    recall: DivMeasure = StRecall,
    **declaration: Any,
) -> DivMeasure:
    """The measure γ · recall + (1 − γ) · M of a measure M, with the parameters of M.

    Args:
        inner: M.
        name, words: the name of the new measure, in words too.
        reference, example: for its documentation.
        recall: the measure of recall.
        declaration: what :func:`ir_divmeasures.measure` is told, where it differs from what M is told.
    """

    def function(r: Ranking, *, gamma: float, **params: Any) -> Any:
        return mixture(
            (gamma, recall.compute(r), 'recall'),
            (1 - gamma, inner.compute(r, **params), inner.NAME),
        )

    function.__name__ = function.__qualname__ = name
    function.__module__ = type(inner).__module__
    function.__doc__ = SHARP.format(
        name=name.replace('_', r'\_'),
        words=words,
        inner=inner.NAME,
        tex=inner.NAME.replace('_', r'\_'),
        recall=recall.NAME.replace('_', r'\_'),
        recall_words=recall.PRETTY_NAME.lower(),
        reference=reference,
        example=example.replace('\n', '\n    '),
    )

    def parameters() -> dict[str, Parameter]:
        return {
            'gamma': GAMMA,
            **{each: inner.SUPPORTED_PARAMS[each] for each in inner.own_params},
        }

    own = {'aspects': 'relevant', 'pretty': words, 'parameters': parameters, **declaration}
    return measure(**inner.facts._asdict() | own)(function)


d_measure = functools.partial(
    measure, family='D-measures', rel_means='gate', cite=('Sakai2011a', 'Sakai2011b')
)
"""Declare a D-measure: :func:`measure` with the facts that most of them share."""


@d_measure(pretty='D-nDCG', unjudged='layered', any_scale=True)
def D_nDCG(r: Ranking, *, gain: Gain = 'linear') -> Terms:
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
    return ndcg(r, gain, r.judgments.ideal_global_gain(gain, r.rel))


@d_measure(aspects='relevant', pretty='D-Q', unjudged=BLENDED)
def D_Q(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Terms:
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
    return q_measure(
        r,
        r.gain(gain),
        r.global_gain(gain),
        r.judgments.ideal_global_gain(gain, r.rel),
        _n_gaining(r, gain),
        beta,
    )


Dsharp_nDCG = sharp(
    D_nDCG,
    'Dsharp_nDCG',
    'D#-nDCG',
    reference='Sakai & Song, SIGIR 2011; NTCIREVAL.',
    example=""">>> (Dsharp_nDCG@1).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
0.75""",
)
Dsharp_Q = sharp(
    D_Q,
    'Dsharp_Q',
    'D#-Q',
    reference='Sakai & Song, SIGIR 2011; NTCIREVAL.',
    example=""">>> (Dsharp_Q@1).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
0.75""",
)


def _stop(gains: Array, r: Ranking, gain: str) -> Array:
    """R_i = GG(d_i)/(max GG + 1), the probability of stopping at a gain; (Q, n) like ``gains``."""
    return gains / (r.judgments.global_gain(gain, r.rel).max(axis=1, initial=0.0)[:, None] + 1)


def _unsatisfied(stop: Array) -> Array:
    """Π_{j<i}(1 − R_j); (Q, n)."""
    return cascade.unsatisfied(stop[..., None])[..., 0]


def _err(r: Ranking, gain: str, discounts: Array, divisor: Array | None = None) -> Terms:
    """Σ_i R_i Π_{j<i}(1 − R_j) discount(i) / divisor."""
    stop = _stop(r.global_gain(gain), r, gain)
    return Terms(
        r,
        ratio(r.gain(gain) * stop[..., None], r.global_gain(gain)[..., None]),
        discounts,
        redundancy=_unsatisfied(stop)[..., None],
        divisor=divisor,
    )


@d_measure(aspects='relevant', pretty='D-ERR', unjudged=HIGHEST_GAIN)
def D_ERR(r: Ranking, *, gain: Gain = 'linear') -> Terms:
    r"""ERR on global gains: the expected reciprocal rank at which the user is satisfied.

    .. math::

        \mathrm{D\_ERR}@k = \sum_{i \leq k} \frac{1}{i}\, R_i \prod_{j<i} (1 - R_j)

    .. math::

        R_i = \frac{GG(d_i)}{\max GG + 1}

    GG as in ``D_nDCG``; max GG is the largest one judged for the query.

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (ERR of Dnev).

    Examples:
        >>> D_ERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1/2) · 1/(1 + 1)
        0.25
    """
    return _err(r, gain, discount.reciprocal(r.rank))


@d_measure(
    aspects='relevant', bounds=(0, None), greedy=True, pretty='D-nERR', unjudged=HIGHEST_GAIN
)
def D_nERR(r: Ranking, *, gain: Gain = 'linear') -> Terms:
    r"""ERR on global gains, divided by that of the list of all judged documents in the order of their gains.

    .. math::

        \mathrm{D\_nERR}@k = \frac{\mathrm{D\_ERR}@k}{\mathrm{D\_ERR}^*@k}

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (nERR of Dnev).

    Examples:
        >>> D_nERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
        0.5
    """
    stop = _stop(r.judgments.ideal_global_gain(gain, r.rel), r, gain)
    best = ideal.discounted((stop * _unsatisfied(stop))[:, : r.k], discount.reciprocal)
    return _err(r, gain, discount.reciprocal(r.rank), divisor=best)


@d_measure(
    aspects='relevant',
    pretty='D-EBR',
    unjudged=BLENDED,
    cite=('Sakai2011a', 'Sakai2008', 'Sakai2011b'),
)
def D_EBR(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Terms:
    r"""Expected blended ratio on global gains: the blended ratio at which the user is satisfied.

    .. math::

        \mathrm{D\_EBR}@k = \sum_{i \leq k} \mathrm{BR}(i)\, R_i \prod_{j<i} (1 - R_j)

    .. math::

        \mathrm{BR}(i) = \frac{C(i) + \beta\, \mathrm{cg}(i)}{i + \beta\, \mathrm{cg}^*(i)}

    .. math::

        R_i = \frac{GG(d_i)}{\max GG + 1}

    C, cg and cg* as in ``D_Q``.

    Reference: Sakai & Song, SIGIR 2011; Sakai & Robertson, EVIA 2008; NTCIREVAL (EBR of Dnev).

    Examples:
        >>> D_EBR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # BR = 1, R = 1/2
        0.5
    """
    ratios = blended.blended_ratio(
        r.global_gain(gain), r.rank, r.judgments.ideal_global_gain(gain, r.rel), beta
    )
    return _err(r, gain, ratios)


@d_measure(pretty='D-RBP', unjudged=SHARES, any_scale=True)
def D_RBP(r: Ranking, *, p: Persistence = 0.99, gain: Gain = 'linear') -> Terms:
    r"""RBP on global gains: the gain per document of a user who goes on with probability p.

    .. math::

        \mathrm{D\_RBP}@k = (1-p) \sum_{i \leq k} p^{i-1}\, \frac{GG(d_i)}{\max GG}

    Reference: Sakai & Song, SIGIR 2011; NTCIREVAL (D#-RBP of Dnev, p = 0.99).

    Examples:
        >>> D_RBP(p=0.5).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
        0.5
    """
    return Terms(
        r,
        r.gain(gain),
        r.geometric(p),
        scale=1 - p,
        divisor=r.judgments.global_gain(gain, r.rel).max(axis=1, initial=0.0),
    )


Dsharp_ERR = sharp(
    D_ERR,
    'Dsharp_ERR',
    'D#-ERR',
    reference='Sakai & Song, SIGIR 2011; NTCIREVAL.',
    example=""">>> Dsharp_ERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})  # (1 + 1/2)/2
0.75""",
)
Dsharp_nERR = sharp(
    D_nERR,
    'Dsharp_nERR',
    'D#-nERR',
    reference='Sakai & Song, SIGIR 2011; NTCIREVAL.',
    example=""">>> Dsharp_nERR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d2': 2.0, 'd1': 1.0}})
0.75""",
)
Dsharp_EBR = sharp(
    D_EBR,
    'Dsharp_EBR',
    'D#-EBR',
    reference='Sakai & Song, SIGIR 2011; Sakai & Robertson, EVIA 2008; NTCIREVAL.',
    example=""">>> Dsharp_EBR.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
0.75""",
)
Dsharp_RBP = sharp(
    D_RBP,
    'Dsharp_RBP',
    'D#-RBP',
    reference='Sakai & Song, SIGIR 2011; NTCIREVAL.',
    unjudged=LAYERED,
    example=""">>> Dsharp_RBP(p=0.5).calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0}})
0.75""",
)


def _din_gain(r: Ranking, gain: str) -> Array:
    """Gains of the hits, of a navigational intent only at its first relevant document; (Q, H, T)."""
    return r.gain(gain) * np.where(r.judgments.navigational[:, None, :], r.first_of_aspect(), 1.0)


TYPED = ('subtopic_type',)
ONCE = 'which document counts for a navigational intent changes with those above; D_nDCG has bounds'


@d_measure(
    needs=TYPED, pretty='DIN-nDCG', unjudged=ONCE, any_scale=True, cite=('Sakai2012', 'Sakai2011b')
)
def DIN_nDCG(r: Ranking, *, gain: Gain = 'linear') -> Terms:
    r"""D_nDCG in which a navigational intent adds its gain only at its first relevant document of the run.

    .. math::

        \mathrm{DIN\_nDCG}@k = \frac{\sum_{i \leq k} GG'(d_i) / \log_2(i+1)}{\sum_{i \leq k} GG(d_i^*) / \log_2(i+1)}

    .. math::

        GG'(d_i) = \sum_{t \text{ informational}} w_t\, \mathrm{gain}(g(d_i,t)) + \sum_{t \text{ navigational, }
        J(d_i,t) = 1,\; c_t(i) = 0} w_t\, \mathrm{gain}(g(d_i,t))

    J(d,t) = 1 if the grade is at least ``rel``; c_t(i) counts the documents above rank i with J = 1. The ideal list stays that of ``D_nDCG``, so the maximum can be below 1. Needs a column ``subtopic_type``.

    Reference: Sakai, WWW 2012; NTCIREVAL (DINnev).

    Examples:
        >>> from ir_divmeasures import with_subtopic_types
        >>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}, 'd2': {'1': 1}}}, {'q': {'1': 'nav'}})
        >>> DIN_nDCG.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})  # 1 / (1 + 1/log2(3))
        0.6131471927654584
    """
    terms = ndcg(r, gain, r.judgments.ideal_global_gain(gain, r.rel))
    return replace(terms, gain=_din_gain(r, gain), known=None)


DINsharp_nDCG = sharp(
    DIN_nDCG,
    'DINsharp_nDCG',
    'DIN#-nDCG',
    reference='Sakai, WWW 2012; NTCIREVAL (DINnev).',
    example=""">>> from ir_divmeasures import with_subtopic_types
>>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
>>> DINsharp_nDCG.calc_aggregate(qrels, {'q': {'d1': 2.0}})
1.0""",
)


@d_measure(
    aspects='relevant', needs=TYPED, pretty='DIN-Q', unjudged=ONCE, cite=('Sakai2012', 'Sakai2011b')
)
def DIN_Q(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Terms:
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
    gains = _din_gain(r, gain)
    return q_measure(
        r,
        gains,
        r.weighted(gains),
        r.judgments.ideal_global_gain(gain, r.rel),
        _n_gaining(r, gain),
        beta,
    )


DINsharp_Q = sharp(
    DIN_Q,
    'DINsharp_Q',
    'DIN#-Q',
    reference='Sakai, WWW 2012; NTCIREVAL (DINnev).',
    example=""">>> from ir_divmeasures import with_subtopic_types
>>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
>>> DINsharp_Q.calc_aggregate(qrels, {'q': {'d1': 2.0}})
1.0""",
)


@d_measure(
    aspects='relevant',
    needs=TYPED,
    pretty='P+Q',
    unjudged=BLENDED,
    cite=('Sakai2012', 'Sakai2011b'),
)
def PplusQ(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear') -> Terms:
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
    gaining = r.gain(gain) > 0
    counted = gaining & r.within[..., None]
    grades = np.where(counted, r.of_hits(r.judgments.grade), 0.0)
    highest = counted & (grades == grades.max(axis=1, initial=0.0, keepdims=True))
    preferred = np.where(highest, r.rank[..., None], np.inf).min(
        axis=1, initial=np.inf, keepdims=True
    )
    above = counted & (r.rank[..., None] <= preferred)
    navigational = r.judgments.navigational
    return Terms(
        r,
        np.where(navigational[:, None, :], above, gaining) * 1.0,
        blended_ratios(r, beta, gain),
        divisor=np.where(
            navigational, above.sum(axis=1) * 1.0, r.capped(r.judgments.n_gaining(gain, r.rel))
        ),
    )


PplusQsharp = sharp(
    PplusQ,
    'PplusQsharp',
    'P+Q#',
    reference='Sakai, WWW 2012; NTCIREVAL.',
    example=""">>> from ir_divmeasures import with_subtopic_types
>>> qrels = with_subtopic_types({'q': {'d1': {'1': 1}}}, {'q': {'1': 'nav'}})
>>> PplusQsharp.calc_aggregate(qrels, {'q': {'d1': 1.0}})
1.0""",
)
