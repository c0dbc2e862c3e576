"""Document similarity: diversity without intents (Dou et al. 2019, §4).

They read judgments with a column ``document_similarity``, which ``with_similarity`` adds, and need a cutoff.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np

from ..core.kernels import sums
from ..core.kernels.packed import Packed
from ..core.parameters import Beta, Choice, Gain, MaxRel, Probability
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import DivMeasure, measure
from ..core.terms import Parts, scaled
from .dmeasures import D_Q, D_nDCG
from .intent_aware import gERR_IA

NEEDS = ('document_similarity',)
Scheme = Annotated[
    str,
    Choice(('RA', 'RP', 'NA', 'NP')),
    "which pairs of documents count, and how much. First letter: 'R' weights a pair by its "
    "ranks, 'N' weights all pairs the same. Second letter: 'A' takes all pairs of ranks, 'P' "
    "takes pairs of successive relevant documents",
]


Pairs = Annotated[
    str,
    Choice(('ranks', 'relevant')),
    "what the schemes RA and NA divide by: 'ranks' is the number of all pairs of ranks down "
    "to k, 'relevant' is the number of pairs of relevant documents that were retrieved",
]


def _similarity(r: Ranking, scheme: str, pairs: str) -> Array:
    """S@k (Dou et al. 2019, Eq. 5); (Q,)."""
    if r.k is None:
        raise ValueError('DocSim, DS_nDCG, DS_Q and DS_ERR need a cutoff, as in DocSim@20')
    k = r.k
    return r.keep(('similarity', scheme, pairs, k), lambda: _similarity_at(r, k, scheme, pairs))


def _similarity_at(r: Ranking, k: int, scheme: str, pairs: str) -> Array:
    relevant = (r.topic.relevant()[..., 0] > 0) & r.within
    together = np.argsort(~relevant, axis=1, kind='stable')[
        :, : int(relevant.sum(axis=1).max(initial=0))
    ]
    counted = np.take_along_axis(relevant, together, axis=1)
    rank = np.where(counted, np.take_along_axis(r.rank, together, axis=1), k)
    packed = _packed(r.judgments)
    first = np.arange(len(together))[:, None] * r.judgments.shape[1]
    place = np.take_along_axis(r.document, together, axis=1) + first
    similar = weights = np.zeros(len(rank))
    for apart in range(1, 2 if scheme[1] == 'P' else max(counted.shape[1], 2)):
        i, j = slice(None, -apart), slice(apart, None)
        w = (
            (k - (rank[:, i] + rank[:, j]) / 2) / k
            if scheme[0] == 'R'
            else np.ones_like(rank[:, j])
        )  # Eq. 6
        w = w * counted[:, j]
        similar = similar + sums.one_by_one(w * packed.similarity(place[:, i], place[:, j]))
        weights = weights + sums.one_by_one(w)
    if scheme[1] == 'A' and pairs == 'ranks':  # Σ w_ij over all ranks i < j ≤ k
        weights = np.full(len(rank), (k - 1) ** 2 / 4 if scheme[0] == 'R' else k * (k - 1) / 2)
    return ratio(similar, weights)


def _packed(judgments: JudgmentArrays) -> Packed:
    return judgments.keep(('packed',), lambda: Packed(judgments.columns['document_similarity']))


similarity_measure = functools.partial(
    measure,
    family='document similarity',
    rel_means='gate',
    needs=NEEDS,
    diversity=False,
    cite='Dou2019',
)
"""Declare a measure of this family: :func:`measure` with the facts that all of them share."""


@similarity_measure(pretty='Document Similarity', rel_means='relevant')
def DocSim(r: Ranking, *, scheme: Scheme = 'RA', pairs: Pairs = 'ranks') -> Array:
    r"""How similar the relevant documents of the top k are to each other. A lower value means more diversity.

    .. math::

        \mathrm{DocSim}@k = \frac{\sum_{(i,j)} w_{ij}\, I(i)\, I(j)\, \mathrm{sim}(d_i,d_j)}{\sum_{(i,j)} w_{ij}}

    I topic-level relevance, sim the similarity in the judgments.
    :math:`w_{ij} = (k - (i+j)/2)/k` for the schemes RA and RP, 1 for NA and NP. Pairs are all ranks i < j ≤ k, also
    ranks that the run does not fill (RA, NA), or neighbours among the relevant documents found (RP, NP); no pair: 0.

    Choices: the paper prints w_ij = 0 for NA and NP, a slip, and describes NA by the pairs of relevant documents alone,
    which is pairs='relevant'. It does not print its scale of SimHash
    fingerprints that differ in H bits; ``with_similarity(…, 'simhash')`` takes max(0, cos(π·H/64)), or with
    ``scale='hamming'`` 1 − H/64.

    Reference: Dou et al., IRJ 2019, Eq. 5 and 6.

    Examples:
        >>> from ir_divmeasures import with_similarity
        >>> qrels = with_similarity({'q': {'d1': 1, 'd2': 1}}, {'d1': 'beagle dogs', 'd2': 'beagle dogs'})
        >>> # of three pairs of ranks one holds two relevant documents, which are alike
        >>> (DocSim(scheme='NA')@3).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})
        0.3333333333333333
    """
    return _similarity(r, scheme, pairs)


def _diverse(r: Ranking, inner: DivMeasure, scheme: str, pairs: str, **parameters: Any) -> Parts:
    """½ (M@k + 1 − S@k) (Dou et al. 2019, Eq. 7) of M with these parameters; 0 where nothing was retrieved."""
    unlike = np.where(r.n > 0, 1 - _similarity(r, scheme, pairs), 0.0)
    return (*scaled(inner.compute(r.topic, **parameters), 0.5), unlike * 0.5)


@similarity_measure(pretty='nDCG with document similarity')
def DS_nDCG(
    r: Ranking,
    *,
    scheme: Scheme = 'RA',
    gain: Gain = 'linear',
    pairs: Pairs = 'ranks',
) -> Parts:
    r"""The mean of nDCG on topic-level grades and of the diversity of the relevant documents found.

    .. math::

        \mathrm{DS\_nDCG}@k = \frac{1}{2} \left( \mathrm{nDCG}@k + 1 - \mathrm{DocSim}@k \right)

    A query absent from the run: 0.

    Reference: Dou et al., IRJ 2019, Eq. 7.

    Examples:
        >>> from ir_divmeasures import with_similarity
        >>> qrels = with_similarity({'q': {'d1': 1, 'd2': 1}}, {'d1': 'beagle dogs', 'd2': 'beagle dogs'})
        >>> (DS_nDCG(scheme='NP')@2).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})  # (1 + 1 − 1)/2
        0.5
    """
    return _diverse(r, D_nDCG, scheme, pairs, gain=gain)


@similarity_measure(pretty='Q-measure with document similarity')
def DS_Q(
    r: Ranking,
    *,
    scheme: Scheme = 'RA',
    beta: Beta = 1.0,
    gain: Gain = 'linear',
    pairs: Pairs = 'ranks',
) -> Parts:
    r"""The mean of the Q-measure on topic-level grades and of the diversity of the relevant documents found.

    .. math::

        \mathrm{DS\_Q}@k = \frac{1}{2} \left( \mathrm{Q}@k + 1 - \mathrm{DocSim}@k \right)

    A query absent from the run: 0.

    Reference: Dou et al., IRJ 2019, Eq. 7.

    Examples:
        >>> from ir_divmeasures import with_similarity
        >>> qrels = with_similarity({'q': {'d1': 1, 'd2': 1}}, {'d1': 'beagle dogs', 'd2': 'beagle dogs'})
        >>> (DS_Q(scheme='NP')@2).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # (1/2 + 1 − 0)/2
        0.75
    """
    return _diverse(r, D_Q, scheme, pairs, beta=beta, gain=gain)


@similarity_measure(pretty='ERR with document similarity')
def DS_ERR(
    r: Ranking,
    *,
    scheme: Scheme = 'RA',
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
    pairs: Pairs = 'ranks',
) -> Parts:
    r"""The mean of ERR on topic-level grades and of the diversity of the relevant documents found.

    .. math::

        \mathrm{DS\_ERR}@k = \frac{1}{2} \left( \mathrm{ERR}@k + 1 - \mathrm{DocSim}@k \right)

    A query absent from the run: 0.

    Reference: Dou et al., IRJ 2019, Eq. 7.

    Examples:
        >>> from ir_divmeasures import with_similarity
        >>> qrels = with_similarity({'q': {'d1': 1, 'd2': 1}}, {'d1': 'beagle dogs', 'd2': 'beagle dogs'})
        >>> (DS_ERR(scheme='NP')@2).calc_aggregate(qrels, {'q': {'d1': 2.0}})  # (1/2 + 1 − 0)/2
        0.75
    """
    return _diverse(r, gERR_IA, scheme, pairs, gain=gain, max_rel=max_rel)
