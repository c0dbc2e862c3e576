"""Intent hierarchies: measures layer by layer, or on gains summed over layers (Wang et al. 2016; Dou et al. 2019).

They read judgments with a column ``layer``, which ``build_hierarchy`` and ``with_superintents`` add. v_l is the weight
of layer l; over the H layers of a query the weights sum to 1. Weights that you give never shift to another layer.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import sums
from ..core.kernels.ideal import sorted_gains
from ..core.names import MeasureName
from ..core.parameters import Beta, Gain, Parameter, parameter
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import DivMeasure, measure, ours
from ..core.terms import Parts, Terms, scaled
from ..errors import short
from .dmeasures import D_Q, D_nDCG, Dsharp_nDCG, Dsharp_Q, ndcg, q_measure, sharp
from .intent_aware import Q_IA, at_cutoff, one_cutoff
from .novelty import ERR_IA, alpha_nDCG
from .subtopic import StRecall, found_aspects

LAYERED = ('layer',)

hierarchical = functools.partial(
    measure,
    family='intent hierarchies',
    needs=LAYERED,
    cite=('Wang2016', 'Dou2019'),
)
"""Declare a measure of intent hierarchies: :func:`measure` with the facts that all of them share."""


def _weights(text: str) -> str:
    """The one written form of weights separated by commas."""
    try:
        numbers = [float(part) for part in text.split(',')]
    except ValueError:
        raise ValueError(
            f'layer_weights={short(text)}: expected numbers separated by commas'
        ) from None
    if not all(number >= 0 and math.isfinite(number) for number in numbers) or sum(numbers) == 0:
        raise ValueError(f'layer_weights={short(text)}: expected numbers of at least 0, not all 0')
    return ','.join(f'{number!r}' for number in numbers)


LayerWeights = Annotated[
    str | None,
    "the weights of the layers, top layer first, for example '0.5,0.3,0.2'. A query with "
    "fewer layers uses the first weights. The weights are divided by their sum. A layer "
    "without a relevant document keeps its weight and contributes 0. None: all layers with a "
    "relevant document have the same weight",
    _weights,
]


def weight_of_layers(judgments: JudgmentArrays, given: str | None, rel: float) -> Array:
    """v_l, weights of the layers; (Q, L).

    Without given weights, each of the H layers with an aspect in T has the weight 1/H. Given weights belong to the
    layers that the judgments list for a query, top layer first, and are divided by their sum. A layer without an
    aspect in T keeps its weight, and its value is 0.

    Raises:
        ValueError: there are fewer weights than layers, or the weights of all layers of a query are 0.
    """

    def present(having: Callable[[JudgmentArrays], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        return np.stack([having(each).any(axis=1) for each in judgments.layers.values()], axis=1)

    if given is None:
        return sums.alike(present(lambda each: each.aspects(rel)))
    numbers = np.array([float(number) for number in given.split(',')])
    listed = present(lambda each: each.named)
    height = listed.sum(axis=1, keepdims=True)
    if len(numbers) < height.max(initial=0):
        raise ValueError(
            f'layer_weights={short(given)}: {len(numbers)} weights, but a query has {height.max()} '
            f'layers'
        )
    place = np.clip(np.cumsum(listed, axis=1) - 1, 0, len(numbers) - 1)
    weight = np.where(listed, numbers[place], 0.0)
    total = sums.one_by_one(weight)[:, None]
    if np.any((total == 0) & (height > 0)):
        raise ValueError(
            f'layer_weights={short(given)}: a query has {height[total == 0].max()} layers, whose '
            f'weights sum to 0'
        )
    return ratio(weight, total)


def global_gain(judgments: JudgmentArrays, given: str | None, kind: str, rel: float) -> Array:
    """HGG(d) = Σ_l v_l GG_l(d) of the judged documents; (Q, D)."""

    def compute() -> Array:
        layers = judgments.layers.values()
        gains = np.stack([each.global_gain(kind, rel) for each in layers], axis=2)
        return sums.weighted(gains, weight_of_layers(judgments, given, rel))

    return judgments.keep(('global gain of layers', given, kind, rel), compute)


def ideal_global_gain(judgments: JudgmentArrays, given: str | None, kind: str, rel: float) -> Array:
    """HGG of the ideal list, largest first; (Q, D)."""
    return judgments.keep_ideal(
        ('global gain of layers', given, kind, rel),
        lambda: sorted_gains(global_gain(judgments, given, kind, rel)),
    )


def on_layers(r: Ranking, layer_weights: str | None, parts_of: Callable[[Ranking], Any]) -> Parts:
    """Σ_l v_l · measure on layer l (Dou et al. 2019, Eq. 1), from what the measure returns on each layer."""
    weight = weight_of_layers(r.judgments, layer_weights, r.rel)
    return tuple(
        part
        for number, layer, v in zip(r.judgments.layers, r.layers, weight.T)
        for part in scaled(parts_of(layer), v, f'layer {number}', number)
    )


LAYER_AWARE = r"""Layer-aware {words}: the mean of ``{inner}`` over the layers, weighted by layer.

.. math::

    \mathrm{{{name}}}@k = \sum_l v_l\, \mathrm{{{tex}}}_l@k

The measure on layer l, times the layer's weight v_l.

Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. {equation}.

Examples:
    An intent of two subintents, of which the top document covers one.

    >>> from ir_divmeasures.data import with_superintents
    >>> qrels = with_superintents({{'q': {{'d1': {{'1': 1}}, 'd2': {{'2': 1}}}}}}, {{'q': {{'1': 'a', '2': 'a'}}}})
    >>> ({plain}@1).calc_aggregate(qrels, {{'q': {{'d1': 2.0}}}})
    {example}
"""


def layer_aware(inner: DivMeasure, words: str, example: float, equation: int = 1) -> DivMeasure:
    """The measure ``…_LA`` of a measure M: ``LA(M=…)`` with the parameters of M; ``example`` is a value."""
    name = f'{inner.NAME}_LA' if inner.NAME != 'StRecall' else 'I_rec_LA'

    def function(r: Ranking, *, layer_weights: str | None, **params: Any) -> Parts:
        return on_layers(r, layer_weights, lambda layer: inner.compute(layer, **params))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = LAYER_AWARE.format(
        words=words,
        inner=inner.NAME,
        name=name.replace('_', r'\_'),
        plain=name,
        tex=inner.NAME.replace('_', r'\_'),
        equation=equation,
        example=example,
    )

    def parameters() -> dict[str, Parameter]:
        own = {each: inner.SUPPORTED_PARAMS[each] for each in inner.own_params}
        return {**own, 'layer_weights': parameter('layer_weights', LayerWeights, None)}

    function.parameters = parameters  # type: ignore[attr-defined]
    made: DivMeasure = hierarchical(
        aspects=inner.facts.aspects,
        bounds=inner.bounds,
        rel_means=inner.facts.rel_means,
        pretty=f'Layer-Aware {words}',
        any_scale=inner.facts.any_scale,
    )(function)
    return made


I_rec_LA = layer_aware(StRecall, 'Intent Recall', 0.75)
alpha_nDCG_LA = layer_aware(alpha_nDCG, 'alpha-nDCG', 1.0)
ERR_IA_LA = layer_aware(ERR_IA, 'ERR-IA', 0.75)
Q_IA_LA = layer_aware(Q_IA, 'Q-IA', 0.75)
D_nDCG_LA = layer_aware(D_nDCG, 'D-nDCG', 1.0, equation=2)
D_Q_LA = layer_aware(D_Q, 'D-Q', 1.0)
Dsharp_nDCG_LA = layer_aware(Dsharp_nDCG, 'D#-nDCG', 0.875)
Dsharp_Q_LA = layer_aware(Dsharp_Q, 'D#-Q', 0.875)


def _check_inner(params: dict[str, Any]) -> None:
    inner = one_cutoff(params)
    own = ours(inner)
    if own is not None and 'layer' in own.needed_columns:
        raise ValueError(f"a layer has no layers; M cannot be {own.NAME}")
    if own is not None and {'rel', 'judged_only'} & set(own.params):
        raise ValueError(f"{params['M']}: give rel and judged_only to LA, not to M")


@hierarchical(
    rel_means='wrapped',
    bounds=(None, None),
    pretty='Layer-Aware',
    check=_check_inner,
    any_scale=True,
)
def LA(r: Ranking, *, M: MeasureName = 'alpha_nDCG', layer_weights: LayerWeights = None) -> Parts:
    r"""Any measure made layer-aware: its mean over the layers, weighted by layer.

    .. math::

        \mathrm{LA}(M)@k = \sum_l v_l\, M_l@k

    The cutoff applies to M. A measure of one grade per document (P, nDCG, …) sees each document's highest grade on
    the layer.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        >>> from ir_divmeasures.data import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> LA(M='StRR(level=0.5)@2').calc_aggregate(qrels, {'q': {'d3': 2.0, 'd1': 1.0}})
        0.5
        >>> ir_measures.parse_measure('LA(M="RBU(p=0.9)",layer_weights="2,1")@20')
        LA(M='RBU(p=0.9)',layer_weights='2.0,1.0')@20
    """
    inner = at_cutoff(M, r.k)
    own = ours(inner)
    if own is not None:
        return on_layers(r, layer_weights, own.parts)

    def on_layer(layer: Ranking) -> Array:
        if layer.inner is None:
            raise ValueError(f'{M} of a layer is a measure of ir_measures')
        return layer.inner.whole(str(inner), r.judged_only)

    return on_layers(r, layer_weights, on_layer)


@hierarchical(aspects='relevant', pretty='Node Recall', any_scale=True)
def N_rec(r: Ranking) -> Parts:
    r"""Node recall: the share of the nodes of all layers that the top k covers.

    .. math::

        \mathrm{N\_rec}@k = \frac{\#\{\text{nodes covered by the top } k\}}{\#\{\text{nodes that have a relevant
        document}\}}

    Dummy nodes count; the root does not.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, §2.3.2.

    Examples:
        Two of three nodes: the superintent, and one of its intents.

        >>> from ir_divmeasures.data import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> N_rec.calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.6666666666666666
    """
    nodes = np.sum([layer.n_aspects for layer in r.layers], axis=0)
    return tuple(
        replace(found_aspects(layer, nodes), part=f'layer {number}', layer=number)
        for number, layer in zip(r.judgments.layers, r.layers)
    )


def _by_layer(r: Ranking, layer_weights: str | None, terms_of: Callable[[Ranking], Terms]) -> Parts:
    """A measure of HGG = Σ_l v_l GG_l, taken apart: the terms of each layer."""
    weight = weight_of_layers(r.judgments, layer_weights, r.rel)
    return tuple(
        replace(
            terms_of(layer),
            weight=layer.weight * v[:, None],
            part=f'layer {number}',
            layer=number,
        )
        for number, layer, v in zip(r.judgments.layers, r.layers, weight.T)
    )


@hierarchical(rel_means='gate', aspects='relevant', pretty='HD-nDCG', any_scale=True)
def HD_nDCG(r: Ranking, *, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Parts:
    r"""nDCG on global gains summed over layers.

    .. math::

        \mathrm{HD\_nDCG}@k = \frac{\sum_{i \leq k} HGG(d_i) / \log_2(i+1)}{\sum_{i \leq k} HGG(d_i^*) / \log_2(i+1)}

    .. math::

        HGG(d) = \sum_l v_l\, GG_l(d)

    d* are the documents of the ideal list: all judged ones by HGG.

    Choices: the paper divides by :math:`\sum_l v_l\, GG_l^*(i)` at each rank, GG_l* being the gain of the ideal list of
    layer l. The layers' ideal lists can differ, so that no ranking reaches all of them at once and the best one stays
    below 1. There is one ideal list here, and its ranking has the value 1.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, §2.3.2.

    Examples:
        >>> from ir_divmeasures.data import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}, {'q': {'1': 'a', '2': 'b'}})
        >>> (HD_nDCG@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # HGG is 1/2 for d1, 1 for d2
        0.5
    """
    ideal = ideal_global_gain(r.judgments, layer_weights, gain, r.rel)
    return _by_layer(r, layer_weights, lambda layer: ndcg(layer, gain, ideal))


@hierarchical(rel_means='gate', aspects='relevant', pretty='HD-Q')
def HD_Q(
    r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear', layer_weights: LayerWeights = None
) -> Parts:
    r"""Q-measure on global gains summed over layers.

    .. math::

        \mathrm{HD\_Q}@k = \frac{1}{\min(k,R)} \sum_{i \leq k,\; HGG(d_i) > 0} \frac{C(i) + \beta\, \mathrm{cg}(i)}{i +
        \beta\, \mathrm{cg}^*(i)}

    .. math::

        HGG(d) = \sum_l v_l\, GG_l(d)

    C, R, cg and cg* as in ``D_Q``, of HGG in place of GG.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, §2.3.2.

    Examples:
        >>> from ir_divmeasures.data import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}}}, {'q': {'1': 'a'}})
        >>> HD_Q.calc_aggregate(qrels, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 + 1)/(2 + 1)
        0.6666666666666666
    """
    every = global_gain(r.judgments, layer_weights, gain, r.rel)
    hits, ideal = r.of_hits(every), ideal_global_gain(r.judgments, layer_weights, gain, r.rel)
    gaining = (every > 0).sum(axis=1)
    return _by_layer(
        r,
        layer_weights,
        lambda layer: q_measure(layer, layer.gain(gain), hits, ideal, gaining, beta),
    )


EXAMPLE = """>>> from ir_divmeasures.data import with_superintents
>>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
>>> """
"""An intent of two subintents, each with a document."""
UNEQUAL = """>>> from ir_divmeasures.data import with_superintents
>>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}, {'q': {'1': 'a', '2': 'b'}})
>>> """
HDsharp_nDCG = sharp(
    HD_nDCG,
    'HDsharp_nDCG',
    'HD#-nDCG',
    reference='Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 4.',
    recall=N_rec,
    example=UNEQUAL
    + "(HDsharp_nDCG@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # 2 of 4 nodes; 1/2\n0.5",
)
HDsharp_Q = sharp(
    HD_Q,
    'HDsharp_Q',
    'HD#-Q',
    reference='Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 4.',
    recall=N_rec,
    example=EXAMPLE
    + "HDsharp_Q.calc_aggregate(qrels, {'q': {'d2': 1.0}})  # (2/3 + 1/2)/2\n0.5833333333333334",
)
LADsharp_nDCG = sharp(
    D_nDCG_LA,
    'LADsharp_nDCG',
    'LAD#-nDCG',
    reference='Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 3.',
    recall=N_rec,
    example=UNEQUAL + "(LADsharp_nDCG@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})\n0.5",
)
LADsharp_Q = sharp(
    D_Q_LA,
    'LADsharp_Q',
    'LAD#-Q',
    reference='Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 3.',
    recall=N_rec,
    example=EXAMPLE + "LADsharp_Q.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})\n1.0",
)
