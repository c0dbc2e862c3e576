"""D-measures: one gain per document, summed over intents (Sakai & Song 2011)."""

from __future__ import annotations

import functools
from typing import Any

from ..core.kernels import blended, discount, ideal
from ..core.parameters import Beta, Gain, Gamma, Parameter, parameter
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import DivMeasure, measure
from ..core.terms import Terms, scaled
from .subtopic import StRecall


def ndcg(r: Ranking, gain: str, ideal_gain: Array) -> Terms:
    """nDCG on global gains: the gains of the ideal list by rank (Q, D)."""
    best = ideal.discounted(ideal_gain[:, : r.k], discount.log_discount)
    return Terms(r, r.gain(gain), r.log_discount(), divisor=best)


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
        of_recall = scaled(recall.compute(r), gamma, 'recall')
        return of_recall + scaled(inner.compute(r, **params), 1 - gamma, inner.NAME)

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
        own = {each: inner.SUPPORTED_PARAMS[each] for each in inner.own_params}
        return {'gamma': GAMMA, **own}

    function.parameters = parameters  # type: ignore[attr-defined]
    own = {'aspects': 'relevant', 'pretty': words, **declaration}
    return measure(**inner.facts._asdict() | own)(function)


d_measure = functools.partial(
    measure, family='D-measures', rel_means='gate', cite=('Sakai2011a', 'Sakai2011b')
)
"""Declare a D-measure: :func:`measure` with the facts that most of them share."""


@d_measure(pretty='D-nDCG', any_scale=True)
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


@d_measure(
    aspects='relevant',
    pretty='D-Q',
)
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
