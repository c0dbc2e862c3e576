"""Sessions of several queries, or turns, for one topic. A run's column ``iteration`` says which one a document is of.

A cutoff counts iterations. An iteration without documents takes its place all the same.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Annotated

import numpy as np

from ..core.kernels import discount, ideal, sums
from ..core.parameters import BinaryOrShare, MaxRel, Persistence, Range
from ..core.ranking import Array, JudgmentArrays, Ranking, memo
from ..core.registry import measure
from ..core.terms import UNWEIGHTED, Terms
from .intent_aware import share_of_highest
from .utility import LogBase, iterations

IterationBase = Annotated[
    float, Range(1, float('inf'), '('), 'the base of the logarithm that discounts later iterations'
]


def _placed(r: Ranking) -> tuple[Ranking, Array, Array]:
    """The documents of the first k iterations, without a cutoff; of the hits, the iteration and the rank in it.

    Returns:
        The ranking, and two arrays (Q, H), ``inf`` where padded.

    Raises:
        ValueError: a run without iterations, or with iterations that go back along a ranking.
    """
    r.run_column('iteration')
    ranking, _ = iterations(r)
    return ranking, *_places(ranking)


@memo
def _places(ranking: Ranking) -> tuple[Array, Array]:
    """The iteration of each hit, and the rank in it; (Q, H) each."""
    iteration = ranking.run_column('iteration')
    rank = discount.ranks_to(np.array([iteration.shape[1]]))
    begins = np.ones(iteration.shape, dtype=bool)
    begins[:, 1:] = iteration[:, 1:] != iteration[:, :-1]
    place = (
        rank - np.maximum.accumulate(np.where(begins, rank, 0.0), axis=1) + 1
        if len(rank)
        else iteration
    )
    hit = np.isfinite(ranking.rank)
    by_hit, place_by_hit = (
        np.where(hit, ranking.at_hits(by_rank), np.inf) for by_rank in (iteration, place)
    )
    return by_hit, place_by_hit


def _session_dcg(r: Ranking, b: float, bq: float) -> Terms:
    ranking, iteration, place = _placed(r)
    return Terms(
        ranking,
        ranking.gain('linear'),
        discount.shifted_log_discount(iteration, bq) * discount.shifted_log_discount(place, b),
        weight=UNWEIGHTED,
    )


of_sessions = functools.partial(
    measure, family='sessions', rel_means='gate', run_columns=('iteration',)
)
"""Declare a measure of sessions: :func:`measure` with the facts that all of them share."""


@of_sessions(
    bounds=(0, None),
    pretty='Session Discounted Cumulated Gain',
    any_scale=True,
    unjudged='rises',
    cite='Jarvelin2008',
)
def sesDCG(r: Ranking, *, b: LogBase = 2.0, bq: IterationBase = 4.0) -> Terms:
    r"""Session DCG (sDCG): gain discounted by the rank in its iteration, and again by the iteration.

    .. math::

        \mathrm{sesDCG}@k = \sum_{q=1}^{k} \frac{1}{1 + \log_{\mathrm{bq}} q} \sum_i \frac{\sum_t g(d_{qi}, t)}{1 +
        \log_b i}

    d_qi the document at rank i of iteration q. The run needs a column ``iteration``, and k counts iterations. Weights
    play no part.

    Choices: an iteration without documents keeps its place. A document that came before keeps its place and gains 0
    (``read_run`` gives it another id in runs of TREC Dynamic Domain). Equal to sDCG.py of TREC Dynamic Domain 2017.
    ir_measures' ``SDCG`` is another measure.

    Reference: Järvelin, Price, Delcambre, Nielsen, ECIR 2008.

    Examples:
        The second document of the first iteration, and the first one of the second: 1/(1 + log2 2) + 1/(1 + log4 2).

        >>> import pandas as pd
        >>> run = pd.DataFrame([('q', 'x', 3.0, 1), ('q', 'd1', 2.0, 1), ('q', 'd2', 1.0, 2)],
        ...                    columns=['query_id', 'doc_id', 'score', 'iteration'])
        >>> round(sesDCG.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, run), 4)
        1.1667
    """
    return _session_dcg(r, b, bq)


@memo
def _largest(
    judgments: JudgmentArrays, rel: float, k: int, b: float, bq: float, per_iteration: int
) -> Array:
    """The largest sums of grades at the k · per_iteration places of the largest discounts; (Q,).

    Of D documents no place (q, i) with q · i > D counts: all places up to q and up to i are at least as good.
    """
    gains = ideal.sorted_gains(
        sums.weighted(judgments.gain('linear', rel), np.ones(judgments.grade.shape[::2]))
    )
    documents = gains.shape[1]
    q = np.arange(1, min(k, documents) + 1)
    each = np.minimum(documents // q, per_iteration)
    iteration = np.repeat(q, each)
    place = np.arange(1, len(iteration) + 1) - np.repeat(np.cumsum(each) - each, each)
    discounts = np.sort(
        discount.shifted_log_discount(iteration.astype(float), bq)
        * discount.shifted_log_discount(place.astype(float), b)
    )[::-1][:documents]
    return sums.one_by_one(gains[:, : len(discounts)] * discounts)


@of_sessions(
    bounds=(0, None),
    pretty='Normalised Session Discounted Cumulated Gain',
    any_scale=True,
    cite='Jarvelin2008',
    unjudged='the top of an iteration counts more than the end of the one before, so that the first and the last '
    'unjudged documents of the ranking do not give the extremes; sesDCG has bounds',
)
def nsDCG(
    r: Ranking,
    *,
    b: LogBase = 2.0,
    bq: IterationBase = 4.0,
    per_iteration: Annotated[
        int, Range(1, 1e15), 'the number of documents in each iteration of the ideal session'
    ] = 5,
) -> Terms:
    r"""Session DCG divided by that of an ideal session of k iterations.

    .. math::

        \mathrm{nsDCG}@k = \frac{\mathrm{sesDCG}@k}{\mathrm{sesDCG}^*@k}

    sesDCG* has the documents with the largest :math:`\sum_t g(d,t)` at the k · ``per_iteration`` places, ranks 1 to
    ``per_iteration`` of k iterations, in the order of their discounts. The run needs a column ``iteration``, k counts
    iterations, and there is no value without k. May exceed 1 where iterations have more documents than
    ``per_iteration``.

    Choices: the ideal session is that of sDCG.py of TREC Dynamic Domain 2017.

    Reference: Järvelin, Price, Delcambre, Nielsen, ECIR 2008.

    Examples:
        Of two documents the better one is second: (1 + 2/2)/(2 + 1/2), since rank 2 counts half.

        >>> import pandas as pd
        >>> run = pd.DataFrame([('q', 'd1', 2.0, 1), ('q', 'd2', 1.0, 1)],
        ...                    columns=['query_id', 'doc_id', 'score', 'iteration'])
        >>> (nsDCG@1).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 2}}}, run)
        0.8
    """
    if r.k is None:
        raise ValueError(
            'nsDCG needs a cutoff, the number of iterations of the ideal session, as in nsDCG@10'
        )
    terms = _session_dcg(r, b, bq)
    return replace(terms, divisor=_largest(r.judgments, r.rel, r.k, b, bq, per_iteration))


@of_sessions(
    diversity=False, pretty='Session Rank-Biased Precision', unjudged='rises', cite='Lipani2019'
)
def sRBP(
    r: Ranking,
    *,
    p: Persistence = 0.86,
    b: Annotated[
        float,
        Range(0, 1),
        'the probability that a user who goes on reads on in the same iteration. The '
        'probability of going to the next iteration is 1 - b',
    ] = 0.64,
    gain: BinaryOrShare = 'binary',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Session RBP: the user reads on, goes to the next iteration or leaves, whatever was seen.

    .. math::

        \mathrm{sRBP}@k = (1-p) \sum_{m=1}^{k} \left( \frac{p - bp}{1 - bp} \right)^{m-1} \sum_n (bp)^{n-1} x(d_{mn})

    d_mn the document at rank n of iteration m; x = J (``binary``) or g/gmax (``linear``) of its highest grade. The run
    needs a column ``iteration``, and k counts iterations.

    Choices: a document that came before keeps its place and gains 0 (the authors' notebook, github aldolipani/sRBP,
    counts it again); 0 if bp = 1. The defaults are the authors' fit on TREC Session 2014.

    Reference: Lipani, Carterette, Yilmaz, ICTIR 2019.

    Examples:
        p = b = 1/2: bp = 1/4, (p − bp)/(1 − bp) = 1/3; the second document of the first iteration and the first of the
        second: (1/2)(1/4 + 1/3).

        >>> import pandas as pd
        >>> run = pd.DataFrame([('q', 'x', 3.0, 1), ('q', 'd1', 2.0, 1), ('q', 'd2', 1.0, 2)],
        ...                    columns=['query_id', 'doc_id', 'score', 'iteration'])
        >>> round(sRBP(p=0.5, b=0.5).calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, run), 4)
        0.2917
    """
    ranking, iteration, place = _placed(r.topic)
    onward = b * p
    further = 0.0 if onward == 1 else (p - onward) / (1 - onward)
    return Terms(
        ranking,
        share_of_highest(ranking, gain, max_rel),
        discount.geometric(iteration, further) * discount.geometric(place, onward),
        scale=0.0 if onward == 1 else 1 - p,
    )
