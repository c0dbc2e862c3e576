"""Interactive search: the measures of the TREC Dynamic Domain track of 2015, over all aspects of a topic."""

from __future__ import annotations

import functools
from typing import Annotated

import numpy as np

from ..core.kernels import discount, sums
from ..core.parameters import Choice, MaxRel, Probability
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import measure
from ..core.terms import UNWEIGHTED, Terms

Never = Annotated[
    str,
    Choice(('last', 'zero')),
    "what happens if the ranking never covers all aspects: 'last' takes its last rank, 'zero'"
    " scores 0",
]


def _full_recall(r: Ranking, never: str) -> Array:
    """i*: the first rank by which every aspect is covered, else the last one, or infinity with ``'zero'``; (Q,).

    Infinity too where nothing relevant was judged or nothing retrieved.
    """
    hits = (r.relevant() > 0) & r.within[..., None]
    first = np.where(hits, r.rank[..., None], np.inf).min(axis=1, initial=np.inf)
    covered = np.where(r.judgments.aspects(r.rel), first, 0.0).max(axis=1, initial=0.0)
    last = np.inf if never == 'zero' else r.depth.astype(float)
    rank = np.where(np.isinf(covered), last, covered)
    return np.where((r.n_relevant.sum(axis=1) > 0) & (r.depth > 0), rank, np.inf)


interactive = functools.partial(
    measure, family='interactive search', any_scale=True, cite='Yang2015'
)
"""Declare a measure of interactive search: :func:`measure` with the facts that all of them share."""


@interactive(
    aspects='listed',
    pretty='Precision at Full Aspect Recall',
)
def P_at_Recall(
    r: Ranking,
    *,
    modified: Annotated[
        bool,
        'whether a document counts only with the share of its aspects that no earlier '
        'document covers',
    ] = False,
    never: Never = 'last',
) -> Terms:
    r"""Precision at the rank by which every aspect of the topic is covered.

    .. math::

        \mathrm{P\_at\_Recall}@k = \frac{1}{i^*} \sum_{i \leq i^*} x(d_i)

    x = 1 for a document relevant to some aspect; with ``modified`` the share of its aspects that are new. i* is the
    first rank ≤ k by which every aspect is covered, else the last rank, min(k, n)
    (``never='zero'``: the value is 0).

    Choices: every aspect that the judgments list must be covered (``aspects='relevant'``: those with a relevant
    document). 0 where nothing relevant was judged.

    Reference: the simulation harness of TREC Dynamic Domain 2015: precision at recall, modified precision (Yang, Frank,
    Soboroff, TREC 2015).

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 1}, 'd3': {'2': 1}}}
        >>> run = {'q': {'d1': 4.0, 'x': 3.0, 'd2': 2.0, 'd3': 1.0}}
        >>> round(P_at_Recall.calc_aggregate(qrels, run), 4)  # d1 and d2 in the top 3
        0.6667
        >>> P_at_Recall(modified=True).calc_aggregate(qrels, run)  # (1 + 1/2)/3
        0.5
    """
    stop = _full_recall(r, never)
    aspects = r.relevant().sum(axis=2, keepdims=True)
    return Terms(
        r,
        ratio(r.relevant(), aspects),
        (r.rank <= stop[:, None]).astype(float),
        redundancy=r.first_of_aspect() if modified else None,
        weight=UNWEIGHTED,
        divisor=stop,
    )


@interactive(
    aspects='listed',
    pretty='Reciprocal Rank at Full Aspect Recall',
)
def RR_at_Recall(r: Ranking, *, never: Never = 'last') -> Array:
    r"""1 divided by the rank by which every aspect of the topic is covered.

    .. math::

        \mathrm{RR\_at\_Recall}@k = \frac{1}{i^*}

    i* as in ``P_at_Recall``: the last rank where the ranking never covers all aspects
    (``never='zero'``: the value is 0), so that a shorter ranking scores higher. ``StRR`` is the measure that is 0 there
    and asks for the aspects with a relevant document.

    Reference: the simulation harness of TREC Dynamic Domain 2015: reciprocal rank at recall (Yang, Frank, Soboroff,
    TREC 2015).

    Examples:
        >>> RR_at_Recall.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        0.5
    """
    return 1 / _full_recall(r, never)


@interactive(
    rel_means='gate',
    aspects='relevant',
    pretty='ERR over Aspects',
)
def ERR_over_aspects(
    r: Ranking,
    *,
    mean: Annotated[
        str,
        Choice(('arithmetic', 'harmonic')),
        'the kind of mean that is taken of the values of the aspects',
    ] = 'arithmetic',
    over: Annotated[
        str,
        Choice(('found', 'all')),
        "the aspects that the mean includes: 'found' takes those for which the ranking has a "
        "relevant document, 'all' takes all",
    ] = 'found',
    gain: Probability = 'exp',
    max_rel: MaxRel = 4,
) -> Terms | Array:
    r"""The mean of ERR over those aspects of a topic for which the ranking found a relevant document.

    .. math::

        \mathrm{ERR\_over\_aspects}@k = \frac{1}{\#\{t\}} \sum_t \mathrm{ERR}_t@k

    .. math::

        \mathrm{ERR}_t@k = \sum_{i \leq k} \frac{1}{i}\, r_t(d_i) \prod_{j<i} (1 - r_t(d_j))

    With ``mean='harmonic'`` the harmonic mean of the same; 0 where there is no aspect, and for the harmonic mean where
    one is 0.

    Choices: the harness's ratings go up to 4, so that a grade must be the highest rating of the document for the aspect
    (a higher grade is an error); ``gain='binary'`` is its binary form. Over queries the mean is always arithmetic.

    Reference: the simulation harness of TREC Dynamic Domain 2015: average ERR (Yang, Frank, Soboroff, TREC 2015).

    Examples:
        >>> qrels = {'q': {'d1': {'1': 4}, 'd2': {'2': 2}}}
        >>> ERR_over_aspects.calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})  # (15/16 + (3/16)/2)/2
        0.515625
    """
    satisfied = r.probability(gain, max_rel)
    counted = (r.covered() if over == 'found' else r.judgments.aspects(r.rel) * 1.0) > 0
    n = counted.sum(axis=1).astype(float)
    terms = Terms(
        r,
        satisfied,
        discount.reciprocal(r.rank),
        redundancy=r.unsatisfied(gain, max_rel),
        weight=counted.astype(float),
        divisor=n,
    )
    if mean == 'arithmetic':
        return terms
    err = r.total(satisfied * r.unsatisfied(gain, max_rel) * discount.reciprocal(r.rank)[..., None])
    inverse = sums.one_by_one(np.where(counted, 1 / np.where(counted & (err > 0), err, 1.0), 0.0))
    return np.where(np.any(counted & (err <= 0), axis=1), 0.0, ratio(n, inverse))
