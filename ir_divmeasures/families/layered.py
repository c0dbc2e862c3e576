"""Intent hierarchies: measures layer by layer, or on gains summed over layers (Wang et al. 2016; Dou et al. 2019).

They read judgments with a column ``layer``, which ``build_hierarchy`` and ``with_superintents`` add. v_l is the weight
of layer l; over the H layers of a query the weights sum to 1.
"""
from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from ..core.parameters import Alpha, Beta, Gain, Gamma
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import DivMeasure, measure, ours
from ..errors import short
from ..kernels import sums
from .dmeasures import D_Q, D_nDCG, Dsharp_nDCG, Dsharp_Q, ndcg, q_measure
from .intent_aware import Q_IA, Inner, at_cutoff, one_cutoff
from .novelty import ERR_IA, alpha_nDCG
from .subtopic import StRecall

__all__ = ['I_rec_LA', 'alpha_nDCG_LA', 'ERR_IA_LA', 'Q_IA_LA', 'D_nDCG_LA', 'D_Q_LA', 'Dsharp_nDCG_LA', 'Dsharp_Q_LA',
           'LA', 'N_rec', 'HD_nDCG', 'HD_Q', 'HDsharp_nDCG', 'HDsharp_Q', 'LADsharp_nDCG', 'LADsharp_Q']

LAYERED = ('layer',)


def _weights(text: str) -> str:
    """The one written form of weights parted by commas."""
    try:
        numbers = [float(part) for part in text.split(',')]
    except ValueError:
        raise ValueError(f'layer_weights={short(text)}: expected numbers parted by commas') from None
    if not all(number >= 0 and math.isfinite(number) for number in numbers) or sum(numbers) == 0:
        raise ValueError(f'layer_weights={short(text)}: expected numbers of at least 0, not all 0')
    return ','.join(f'{number!r}' for number in numbers)


LayerWeights = Annotated[str | None, "weights of the layers, top layer first, as in '0.5,0.3,0.2'; a query with fewer "
                                     'layers uses the first ones; they are made to sum to 1; None: all alike', _weights]


def layer_weighted(r: Ranking, values: list[Array], layer_weights: str | None) -> Array:
    """Σ_l v_l · value on layer l; (Q,)."""
    weight = r.judged.layers.weight(layer_weights, r.rel)
    return sums.weighted(np.stack(values, axis=1), weight)


def _layer_aware(base: DivMeasure, r: Ranking, layer_weights: str | None, **params: Any) -> Array:
    """M_LA@k = Σ_l v_l M@k on layer l (Dou et al. 2019, Eq. 1)."""
    return layer_weighted(r, [base.compute(layer, **params) for layer in r.layers], layer_weights)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Layer-Aware Intent Recall')
def I_rec_LA(r: Ranking, *, layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware intent recall: the mean of ``StRecall`` over the layers, weighted by layer.

    .. math::

        \mathrm{I\_rec\_LA}@k = \sum_l v_l\, \mathrm{StRecall}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        An intent of two subintents, of which the top document covers one: (1 + 1/2)/2.

        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (I_rec_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.75
    """
    return _layer_aware(StRecall, r, layer_weights)


@measure(family='intent hierarchies', needs=LAYERED, bounds=(0, None), pretty='Layer-Aware alpha-nDCG')
def alpha_nDCG_LA(r: Ranking, *, alpha: Alpha = 0.5, layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware alpha-nDCG: the mean of ``alpha_nDCG`` over the layers, weighted by layer.

    .. math::

        \mathrm{alpha\_nDCG\_LA}@k = \sum_l v_l\, \mathrm{alpha\_nDCG}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> alpha_nDCG_LA.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})
        1.0
    """
    return _layer_aware(alpha_nDCG, r, layer_weights, alpha=alpha)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Layer-Aware ERR-IA')
def ERR_IA_LA(r: Ranking, *, layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware ERR-IA: the mean of ``ERR_IA`` over the layers, weighted by layer.

    .. math::

        \mathrm{ERR\_IA\_LA}@k = \sum_l v_l\, \mathrm{ERR\_IA}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        ERR-IA is 1 for one intent of which one document is found at rank 1, 1/2 for two.

        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (ERR_IA_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.75
    """
    return _layer_aware(ERR_IA, r, layer_weights)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Layer-Aware Q-IA')
def Q_IA_LA(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware Q-IA: the mean of ``Q_IA`` over the layers, weighted by layer.

    .. math::

        \mathrm{Q\_IA\_LA}@k = \sum_l v_l\, \mathrm{Q\_IA}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (Q_IA_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # (1 + 1/2)/2
        0.75
    """
    return _layer_aware(Q_IA, r, layer_weights, beta=beta, gain=gain)


@measure(family='intent hierarchies', needs=LAYERED, pretty='Layer-Aware D-nDCG')
def D_nDCG_LA(r: Ranking, *, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware D-nDCG: the mean of ``D_nDCG`` over the layers, weighted by layer.

    .. math::

        \mathrm{D\_nDCG\_LA}@k = \sum_l v_l\, \mathrm{D\_nDCG}_l@k

    The measure on layer l, each with its own ideal list, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 2.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (D_nDCG_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        1.0
    """
    return _layer_aware(D_nDCG, r, layer_weights, gain=gain)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Layer-Aware D-Q')
def D_Q_LA(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware D-Q: the mean of ``D_Q`` over the layers, weighted by layer.

    .. math::

        \mathrm{D\_Q\_LA}@k = \sum_l v_l\, \mathrm{D\_Q}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (D_Q_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        1.0
    """
    return _layer_aware(D_Q, r, layer_weights, beta=beta, gain=gain)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Layer-Aware D#-nDCG')
def Dsharp_nDCG_LA(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear',
                   layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware D#-nDCG: the mean of ``Dsharp_nDCG`` over the layers, weighted by layer.

    .. math::

        \mathrm{Dsharp\_nDCG\_LA}@k = \sum_l v_l\, \mathrm{Dsharp\_nDCG}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        I-rec is 1 and 1/2, D-nDCG 1 and 1: (1 + 3/4)/2.

        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (Dsharp_nDCG_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.875
    """
    return _layer_aware(Dsharp_nDCG, r, layer_weights, gamma=gamma, gain=gain)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Layer-Aware D#-Q')
def Dsharp_Q_LA(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear',
                layer_weights: LayerWeights = None) -> Array:
    r"""Layer-aware D#-Q: the mean of ``Dsharp_Q`` over the layers, weighted by layer.

    .. math::

        \mathrm{Dsharp\_Q\_LA}@k = \sum_l v_l\, \mathrm{Dsharp\_Q}_l@k

    The measure on layer l, times the layer's weight v_l.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> (Dsharp_Q_LA@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.875
    """
    return _layer_aware(Dsharp_Q, r, layer_weights, gamma=gamma, beta=beta, gain=gain)


def _check_inner(params: dict[str, Any]) -> None:
    inner = one_cutoff('LA', params)
    own = ours(inner)
    if own is not None and 'layer' in own.needs:
        raise ValueError(f"LA: a layer has no layers; M cannot be {own.NAME}")
    if own is not None and {'rel', 'judged_only'} & set(own.params):
        raise ValueError(f"LA: {params['M']}: give rel and judged_only to LA, not to M")


@measure(family='intent hierarchies', needs=LAYERED, wraps='M', bounds=(None, None), pretty='Layer-Aware',
         check=_check_inner)
def LA(r: Ranking, *, M: Inner = 'alpha_nDCG', layer_weights: LayerWeights = None) -> Array:
    r"""Any measure made layer-aware: its mean over the layers, weighted by layer.

    .. math::

        \mathrm{LA}(M)@k = \sum_l v_l\, M_l@k

    The cutoff applies to M. A measure of one grade per document (P, nDCG, …) sees each document's highest grade on
    the layer.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 1.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> LA(M='StRR(level=0.5)@2').calc_aggregate(qrels, {'q': {'d3': 2.0, 'd1': 1.0}})
        0.5
        >>> ir_measures.parse_measure('LA(M="RBU(p=0.9)",layer_weights="2,1")@20')
        LA(M='RBU(p=0.9)',layer_weights='2.0,1.0')@20
    """
    inner = at_cutoff(M, r.k)
    own = ours(inner)
    return layer_weighted(r, [layer.whole(str(inner)) if own is None else own.on(layer) for layer in r.layers],
                          layer_weights)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='Node Recall')
def N_rec(r: Ranking) -> Array:
    r"""Node recall: the share of the nodes of all layers that the top k covers.

    .. math::

        \mathrm{N\_rec}@k = \frac{\#\{\text{nodes covered by the top } k\}}{\#\{\text{nodes that have a relevant
        document}\}}

    Dummy nodes count; the root does not.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, §2.3.2.

    Examples:
        Two of three nodes: the superintent, and one of its intents.

        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}})
        >>> N_rec.calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.6666666666666666
    """
    return _node_recall(r)


def _node_recall(r: Ranking) -> Array:
    covered = np.sum([layer.covered().sum(axis=1) for layer in r.layers], axis=0)
    return ratio(covered, np.sum([layer.n_aspects for layer in r.layers], axis=0))


def _hd_ndcg(r: Ranking, gain: str, layer_weights: str | None) -> Array:
    layers = r.judged.layers
    return ndcg(r, r.of_hits(layers.global_gain(layer_weights, gain, r.rel)),
                layers.ideal_global_gain(layer_weights, gain, r.rel))


def _hd_q(r: Ranking, beta: float, gain: str, layer_weights: str | None) -> Array:
    layers = r.judged.layers
    gains = layers.global_gain(layer_weights, gain, r.rel)
    return q_measure(r, r.of_hits(gains), layers.cumulated_ideal(layer_weights, gain, r.rel), (gains > 0).sum(axis=1),
                     beta)


def _sharp(r: Ranking, value: Array, gamma: float) -> Array:
    """γ · N_rec@k + (1 − γ) · value."""
    return gamma * _node_recall(r) + (1 - gamma) * value


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='HD-nDCG')
def HD_nDCG(r: Ranking, *, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Array:
    r"""nDCG on global gains summed over layers.

    .. math::

        \mathrm{HD\_nDCG}@k = \frac{\sum_{i \leq k} HGG(d_i) / \log_2(i+1)}{\sum_{i \leq k} HGG(d_i^*) / \log_2(i+1)}

    .. math::

        HGG(d) = \sum_l v_l\, GG_l(d)

    d* are the documents of the ideal list: all judged ones by HGG.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, §2.3.2.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}, {'q': {'1': 'a', '2': 'b'}})
        >>> (HD_nDCG@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # HGG is 1/2 for d1, 1 for d2
        0.5
    """
    return _hd_ndcg(r, gain, layer_weights)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='HD-Q')
def HD_Q(r: Ranking, *, beta: Beta = 1.0, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Array:
    r"""Q-measure on global gains summed over layers.

    .. math::

        \mathrm{HD\_Q}@k = \frac{1}{\min(k,R)} \sum_{i \leq k,\; HGG(d_i) > 0} \frac{C(i) + \beta\, \mathrm{cg}(i)}{i +
        \beta\, \mathrm{cg}^*(i)}

    .. math::

        HGG(d) = \sum_l v_l\, GG_l(d)

    C, R, cg and cg* as in ``D_Q``, of HGG in place of GG.

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, §2.3.2.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}}}, {'q': {'1': 'a'}})
        >>> HD_Q.calc_aggregate(qrels, {'q': {'d2': 2.0, 'd1': 1.0}})  # (1 + 1)/(2 + 1)
        0.6666666666666666
    """
    return _hd_q(r, beta, gain, layer_weights)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='HD#-nDCG')
def HDsharp_nDCG(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear', layer_weights: LayerWeights = None) -> Array:
    r"""HD#-nDCG: the mean of node recall and ``HD_nDCG``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{HDsharp\_nDCG}@k = \gamma\, \mathrm{N\_rec}@k + (1-\gamma)\, \mathrm{HD\_nDCG}@k

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 4.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}, {'q': {'1': 'a', '2': 'b'}})
        >>> (HDsharp_nDCG@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # 2 of 4 nodes; 1/2
        0.5
    """
    return _sharp(r, _hd_ndcg(r, gain, layer_weights), gamma)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='HD#-Q')
def HDsharp_Q(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear',
              layer_weights: LayerWeights = None) -> Array:
    r"""HD#-Q: the mean of node recall and ``HD_Q``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{HDsharp\_Q}@k = \gamma\, \mathrm{N\_rec}@k + (1-\gamma)\, \mathrm{HD\_Q}@k

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 4.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}}}, {'q': {'1': 'a'}})
        >>> HDsharp_Q.calc_aggregate(qrels, {'q': {'d1': 1.0}})
        1.0
    """
    return _sharp(r, _hd_q(r, beta, gain, layer_weights), gamma)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='LAD#-nDCG')
def LADsharp_nDCG(r: Ranking, *, gamma: Gamma = 0.5, gain: Gain = 'linear',
                  layer_weights: LayerWeights = None) -> Array:
    r"""LAD#-nDCG: the mean of node recall and ``D_nDCG_LA``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{LADsharp\_nDCG}@k = \gamma\, \mathrm{N\_rec}@k + (1-\gamma)\, \mathrm{D\_nDCG\_LA}@k

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 3.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}, {'q': {'1': 'a', '2': 'b'}})
        >>> (LADsharp_nDCG@1).calc_aggregate(qrels, {'q': {'d1': 2.0}})
        0.5
    """
    return _sharp(r, _layer_aware(D_nDCG, r, layer_weights, gain=gain), gamma)


@measure(family='intent hierarchies', aspects='relevant', needs=LAYERED, pretty='LAD#-Q')
def LADsharp_Q(r: Ranking, *, gamma: Gamma = 0.5, beta: Beta = 1.0, gain: Gain = 'linear',
               layer_weights: LayerWeights = None) -> Array:
    r"""LAD#-Q: the mean of node recall and ``D_Q_LA``, weighted by γ and 1 − γ.

    .. math::

        \mathrm{LADsharp\_Q}@k = \gamma\, \mathrm{N\_rec}@k + (1-\gamma)\, \mathrm{D\_Q\_LA}@k

    Reference: Wang et al., SIGIR 2016; Dou et al., IRJ 2019, Eq. 3.

    Examples:
        >>> from ir_divmeasures import with_superintents
        >>> qrels = with_superintents({'q': {'d1': {'1': 1}}}, {'q': {'1': 'a'}})
        >>> LADsharp_Q.calc_aggregate(qrels, {'q': {'d1': 1.0}})
        1.0
    """
    return _sharp(r, _layer_aware(D_Q, r, layer_weights, beta=beta, gain=gain), gamma)
