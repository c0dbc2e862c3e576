"""Utility and cascade: what the user gains until satisfied, less the effort (Amigó et al. 2018; Luo et al. 2013)."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np

from ..core.kernels import discount, ideal, redundancy, sums
from ..core.parameters import Alpha, Choice, Effort, MaxRel, Norm, Persistence, Probability, Range
from ..core.ranking import Array, JudgmentArrays, Ranking, cutoff_free, memo
from ..core.registry import DivMeasure, measure
from ..core.terms import Terms


def _rbu_norm(params: dict[str, Any]) -> None:
    if params['norm'] and params['p'] == 0:
        raise ValueError('norm=True divides by p, which is 0')


LOWER_GRADES = 'a document of a low grade may take more from later ones than it gives'


def exact_if_binary(measure: DivMeasure) -> str:
    """A document of a low grade may take more from later ones than it gives: there are bounds only if binary."""
    return (
        'rises by aspect'
        if measure['gain'] == 'binary'
        else f"{LOWER_GRADES}; with gain='binary' it has bounds"
    )


def _rbu_unjudged(measure: DivMeasure) -> str:
    return (
        "effort='aspect' grows with the number of subtopics that count"
        if measure['effort'] == 'aspect'
        else 'rises by aspect'
    )


def _rbu_reads(params: dict[str, Any]) -> tuple[str, ...]:
    return ('length',) if params['effort'] == 'length' else ()


utility_measure = functools.partial(measure, family='utility', rel_means='gate', aspects='relevant')
"""Declare a measure of utility: :func:`measure` with the facts that most of them share."""


@utility_measure(
    run_columns=_rbu_reads,
    bounds=(None, 1),
    pretty='Rank-Biased Utility',
    check=_rbu_norm,
    unjudged=_rbu_unjudged,
    affine=('e',),
    cite='Amigo2018',
)
def RBU(
    r: Ranking,
    *,
    p: Persistence = 0.8,
    e: Effort = 0.03,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
    norm: Norm = False,
    effort: Annotated[
        str,
        Choice(('document', 'aspect', 'length')),
        "what costs the effort e: each 'document', each 'aspect' of each document, or the "
        "'length' of a document, in multiples of unit",
    ] = 'document',
    unit: Annotated[
        float, Range(0, float('inf'), '('), "the length that costs e, with effort='length'"
    ] = 100.0,
) -> Terms:
    r"""Rank-Biased Utility: novel relevance of each aspect, discounted by rank, minus an effort for each document.

    .. math::

        \mathrm{RBU}@k = \sum_{i=1}^{\min(k,n)} p^i \left( \sum_t w_t\, r_t(d_i) \prod_{j<i} (1 - r_t(d_j)) - e \right)

    p persistence, e effort, r_t(d) probability that d satisfies a user with intent t, w_t weight of t. The value can be negative.

    Choices: Eq. 11 puts −e inside the sum over aspects, the paper's appendix and the authors' program outside:
    ``effort='document'`` subtracts e once per document, ``'aspect'`` once per document and aspect, ``'length'``
    e · length(d_i)/unit, the length from the run's column ``length``; p^i goes by rank all the same. ``norm=True``
    multiplies by (1 − p)/p and then equals the authors' program.

    The paper's experiments use p = 0.99 and e = 0.05. A document that satisfies nobody then costs 0.05 at nearly every
    rank, so that 20 documents cost up to 0.9: where few relevant documents are judged, all systems have negative values
    (about −0.51 for six runs on the topics of the Web Track of 2014). p says how far the user looks: on average 1/(1 − p) documents, 5 for the
    default 0.8 and 100 for 0.99. e is the least novel relevance that is worth looking at. Choose p so that 1/(1 − p) is
    at most the depth of the judgments, and e below the share of relevant documents that a useful page has.

    The axioms and the unanimity that RBU was proposed for are no evidence about users. With 15 assessors and 1,127 pairs
    of result pages, it agreed less than the best D♯-measures on which page is likely to satisfy more users (Sakai & Zeng,
    SIGIR 2019, abstract). Report ``Dsharp_nDCG`` with it.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, Eq. 11.

    Examples:
        One aspect of grades 0 and 1: r = (2^1 − 1)/2^1 = 1/2 at rank 1; 0.8 · (1/2 − 0.03) = 0.376.

        >>> RBU.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0}})
        0.376
    """
    satisfied, reached = r.probability(gain, max_rel), p * discount.geometric(r.ranks, p)
    cost = e * reached
    if effort == 'length':
        cost = cost * r.run_column('length')[:, : reached.shape[-1]] / unit
    elif effort == 'aspect':
        cost = cost * r.n_aspects[:, None]
    return Terms(
        r,
        satisfied,
        p * r.geometric(p),
        redundancy=r.unsatisfied(gain, max_rel),
        effort=cost,
        scale=(1 - p) / p if norm else 1.0,
    )


@utility_measure(
    diversity=False,
    pretty='Intentwise Rank-Biased Utility',
    unjudged='rises by aspect',
    cite=('Sakai2019', 'Sakai2021', 'Sakai2011b'),
    aspects=None,
)
def iRBU(
    r: Ranking,
    *,
    p: Persistence = 0.99,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Intentwise Rank-Biased Utility: RBU of the topic as a whole, without subtopics, weights and effort.

    .. math::

        \mathrm{iRBU}@k = \sum_{i=1}^{\min(k,n)} p^i\, s(d_i) \prod_{j<i} (1 - s(d_j))

    p persistence, s(d) probability that d satisfies a user, from the largest grade of d over the subtopics. On
    judgments without subtopics it equals ``RBU(e=0)`` of the same p. With a ``rel`` of at most the smallest positive
    grade it is the measure of relevance in ``GFR(relevance='iRBU')``.

    Choices: the name and the use are those of Sakai & Zeng. The formula is that of NTCIREVAL, as in ``GFR``. The
    definition in the paper of 2019 was not available to us, so we do not know whether it differs.

    Reference: Sakai & Zeng, SIGIR 2019; Sakai & Zeng, TOIS 2021; NTCIREVAL 230128 (GFRcompute).

    Examples:
        Grades 0 to 1: s = 1/2 at rank 1, and 1/2 of those who are left at rank 2: 0.99/2 + 0.99²/4.

        >>> round(iRBU.calc_aggregate({'q': {'d1': 1, 'd2': 1}}, {'q': {'d1': 2.0, 'd2': 1.0}}), 6)
        0.740025
    """
    topic = r.topic
    return Terms(
        topic,
        topic.probability(gain, max_rel),
        p * topic.geometric(p),
        redundancy=topic.unsatisfied(gain, max_rel),
    )


LogBase = Annotated[
    float, Range(1, float('inf'), '('), 'the base of the logarithm that discounts ranks'
]


@utility_measure(
    bounds=(None, None),
    pretty='Expected Utility',
    unjudged=exact_if_binary,
    affine=('e',),
    cite=('Amigo2018', 'Yang2009'),
)
def EU(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    e: Effort = 0.05,
    base: LogBase = 2.0,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Expected Utility: novel relevance minus effort, both discounted by rank.

    .. math::

        \mathrm{EU}@k = \sum_{i=1}^{\min(k,n)} \frac{\sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)} - e}{1 +
        \log_{\mathrm{base}} i}

    c_t(i) relevant documents for t above rank i. The value can be negative.

    Reference: Amigó et al., SIGIR 2018, §4.3, after Yang & Lad, ICTIR 2009.

    Examples:
        1/2 − 0.05 at rank 1, which is not discounted.

        >>> EU.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 2.0}})
        0.45
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.shifted_log_discount(r.rank, base),
        redundancy=r.redundancy(alpha),
        effort=e * discount.shifted_log_discount(r.ranks, base),
    )


Saturation = Annotated[
    float,
    Range(0, float('inf'), '('),
    'the total relevance of an aspect at which further documents no longer count for it',
]


@memo
def _hungry(r: Ranking, alpha: float, saturation: float, gain: str, max_rel: float | None) -> Array:
    """(1 − α)^{c_t(i)} f_t(i) at the hits; (Q, H, T)."""
    before = redundancy.before(r.probability(gain, max_rel))
    return r.redundancy(alpha) * (np.round(before, ideal.DECIMALS) < saturation)


@utility_measure(
    bounds=(0, None), pretty='Cube Test', unjudged=exact_if_binary, cite=('Amigo2018', 'Luo2013')
)
def CT(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    saturation: Saturation = 1.0,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Cube Test: novel relevance divided by the rank at which it is found, until an aspect is full.

    .. math::

        \mathrm{CT}@k = \sum_{i=1}^{\min(k,n)} \frac{1}{i} \sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)}\, f_t(i)

    f_t(i) = 1 while :math:`\sum_{j<i} r_t(d_j)` is below ``saturation``, then 0.

    Reference: Amigó et al., SIGIR 2018, §4.3, after Luo et al., CIKM 2013.

    Examples:
        >>> CT.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0, 'd2': 2.0}})  # (1/2)/2
        0.25
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.reciprocal(r.rank),
        redundancy=_hungry(r, alpha, saturation, gain, max_rel),
    )


@utility_measure(
    bounds=(0, None),
    pretty='Average Cube Test',
    unjudged=exact_if_binary,
    cite='Amigo2018',
    rises='it averages CT over the ranks looked at, CT never falls with the rank, and so every rank that a longer '
    'run fills adds a term that is at least the mean of those before',
)
def ACT(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    saturation: Saturation = 1.0,
    gain: Probability = 'exp',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Average Cube Test: the mean of CT at the ranks that the user looks at.

    .. math::

        \mathrm{ACT}@k = \frac{1}{m} \sum_{i=1}^{m} \mathrm{CT}@i, \quad m = \min(k, n)

    0 if m = 0.

    Choices: by this definition documents appended to a run shorter than k raise the score even if nothing is relevant
    in them, since CT@i of each further rank is the greatest so far. Compare runs of one length only.

    Reference: Amigó et al., SIGIR 2018, §4.3.

    Examples:
        >>> ACT.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0, 'd2': 2.0}})  # (0 + (1/2)/2)/2
        0.125
    """
    m = np.maximum(r.depth, 1)[:, None]
    share = (
        np.where(r.within, m - np.where(r.within, r.rank, 0) + 1, 0) / m
    )  # of CT@1, …, CT@m, those that count a hit
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.reciprocal(r.rank) * share,
        redundancy=_hungry(r, alpha, saturation, gain, max_rel),
    )


@memo
def _ideal_utility(
    judgments: JudgmentArrays,
    alpha: float,
    e: float,
    base: float,
    gain: str,
    max_rel: float | None,
    rel: float,
    k: int | None,
) -> Array:
    """Σ_i (gain_i − e)/log_base(base + i − 1) of the greedy ideal ranking; (Q,)."""
    gains = ideal.greedy_gains(
        judgments.probability(gain, max_rel, rel),
        judgments.relevant(rel),
        judgments.weight(rel),
        alpha,
        e,
        judgments.shape[1] if k is None else min(k, judgments.shape[1]),
    )
    discounts = discount.late_log_discount(np.arange(1.0, gains.shape[1] + 1), base)
    return sums.one_by_one(np.where(np.isnan(gains), 0.0, gains - e) * discounts)


@utility_measure(
    bounds=(None, None),
    greedy=True,
    pretty='Normalised Discounted Cumulated Utility',
    unjudged='its ideal ranking ends where a document costs more than it gives, so that a further relevant '
    'document may lower its value; EU has bounds',
    cite=('Yang2007', 'Amigo2018'),
)
def nDCU(
    r: Ranking,
    *,
    alpha: Alpha = 0.5,
    e: Effort = 0.05,
    base: LogBase = 2.0,
    gain: Probability = 'binary',
    max_rel: MaxRel = None,
) -> Terms:
    r"""Discounted cumulated utility adds up novel relevance minus effort, and is divided by that of a greedy ideal ranking.

    .. math::

        \mathrm{nDCU}@k = \frac{\mathrm{DCU}@k}{\mathrm{DCU}^*@k}

    .. math::

        \mathrm{DCU}@k = \sum_{i=1}^{\min(k,n)} \frac{\sum_t w_t\, r_t(d_i)\,(1-\alpha)^{c_t(i)} -
        e}{\log_{\mathrm{base}}(\mathrm{base} + i - 1)}

    DCU* is that of the ideal list; 0 where the ideal is empty. The value can be
    negative, and exceed 1 by a little.

    Choices: the ideal takes, rank by rank, the document with the largest gain, ties to the larger doc_id, and ends
    before the first whose gain is at most e. The paper's setting: weights 1, e = .1, α = 1 or .9.

    Reference: Yang, Lad, Lao, Harpale, Kisiel, Rogati, SIGIR 2007, Eq. 4–9; named in Amigó et al., SIGIR 2018, §4.3.

    Examples:
        A relevant document at rank 2: (−0.05/log2 2 + 0.95/log2 3) / (0.95/log2 2).

        >>> round(nDCU.calc_aggregate({'q': {'d1': 1}}, {'q': {'d1': 1.0, 'd2': 2.0}}), 4)
        0.5783
    """
    return Terms(
        r,
        r.probability(gain, max_rel),
        discount.late_log_discount(r.rank, base),
        redundancy=r.redundancy(alpha),
        effort=e * discount.late_log_discount(r.ranks, base),
        divisor=_ideal_utility(r.judgments, alpha, e, base, gain, max_rel, r.rel, r.k),
    )


Height = Annotated[
    float,
    Range(0, float('inf'), '('),
    'H, the height of the cube: the total gain of an aspect at which further documents no'
    ' longer count for it',
]
Decay = Annotated[
    float,
    Range(0, 1),
    'the factor that multiplies the gain of each further document of the same aspect',
]


def _filled(r: Ranking, gamma: float, max_height: float) -> Array:
    """What each hit adds to h_t / H; (Q, H, T).

    h_t = min(H, Σ γ^{c_t + 1} g): additions stop exactly when the sum reaches H.
    """
    count = r.count_before()
    powers = np.power(gamma, np.arange(1.0, int(count.max(initial=0)) + 2))
    utility = powers[count.astype(np.intp)] * r.of_hits(r.judgments.grade) * r.relevant()
    return (
        np.diff(np.minimum(np.cumsum(utility, axis=-2), max_height), axis=-2, prepend=0.0)
        / max_height
    )


def iterations(r: Ranking) -> tuple[Ranking, Array]:
    """The documents of the first k iterations, without a cutoff, and the iteration of each by rank (NaN pads), (Q, N).

    Where the run has no iterations, every document is one.
    """
    if 'iteration' in r.run_columns:
        _check_iterations(r)
    r = r if r.k is None else _first_iterations(r, r.k)
    if 'iteration' in r.run_columns:
        return r, r.run_column('iteration')
    rank = discount.ranks_to(r.n.astype(np.intp))
    return r, np.where(rank <= r.n[:, None], rank, np.nan)


@cutoff_free
def _check_iterations(r: Ranking) -> None:
    """Check that iterations never go back along a ranking."""
    iteration = r.run_column('iteration')
    back = np.argwhere(iteration[:, 1:] < iteration[:, :-1])
    if len(back):
        row, place = back[0]
        raise ValueError(
            f'iterations go back along a ranking: rank {place + 1} is of iteration '
            f'{iteration[row, place]:g}, rank {place + 2} of iteration {iteration[row, place + 1]:g}; '
            f"evaluate(…, along='iteration') orders by iteration"
        )


@memo
def _first_iterations(r: Ranking, k: int) -> Ranking:
    """The documents of the first k iterations, without a cutoff."""
    last = (r.run_column('iteration') <= k).sum(axis=1) if 'iteration' in r.run_columns else r.depth
    return r.cut(None).down_to(last)


@utility_measure(
    rel_means='gain',
    run_columns=('iteration',),
    bounds=(0, None),
    pretty='Cube Test (TREC Dynamic Domain)',
    unjudged=LOWER_GRADES,
    cite=('Luo2013', 'Yang2015'),
)
def CubeTest(r: Ranking, *, gamma: Decay = 0.5, max_height: Height = 5.0) -> Terms:
    r"""Cube Test as TREC Dynamic Domain computes it: how full the cube is, per iteration of the search.

    .. math::

        \mathrm{CubeTest}@k = \frac{1}{m} \sum_t w_t\, \frac{h_t}{H}

    A relevant document adds :math:`\min(\gamma^{c_t+1} g,\; H - h_t)` to h_t.

    With a column ``iteration`` in the run (``read_run(format='dd')``), k counts iterations: h_t is reached by the
    documents of iterations 1..k, m = min(k, the query's last iteration), and iterations without documents take time
    too. Else each document is an iteration, m = min(k, n).

    Choices: the mean is over all judged queries (the track's programs average over those of the run).

    Reference: Luo, Wing, Yang, Hearst, CIKM 2013; the programs of TREC Dynamic Domain, 2015–2017 (Yang, Frank,
    Soboroff, TREC 2015).

    Examples:
        >>> CubeTest.calc_aggregate({'q': {'d1': 2}}, {'q': {'d1': 1.0, 'd2': 2.0}})  # (0.5 · 2 / 5) / 2
        0.1
    """
    last = np.nan_to_num(r.run_columns.get('iteration', r.depth[:, None])).max(axis=1, initial=0.0)
    ranking, _ = iterations(r)
    return Terms(
        ranking,
        _filled(ranking, gamma, max_height),
        divisor=np.maximum(last if r.k is None else np.minimum(r.k, last), 1),
    )


@utility_measure(
    rel_means='gain',
    run_columns=('iteration',),
    bounds=(0, None),
    pretty='Average Cube Test (TREC Dynamic Domain)',
    unjudged=LOWER_GRADES,
    cite=('Yang2015', 'Luo2013'),
    rises='it averages CubeTest over the ranks looked at, and ranks before the first relevant document, at which '
    'CubeTest is 0, weigh less in the mean of a longer run',
)
def ACubeTest(r: Ranking, *, gamma: Decay = 0.5, max_height: Height = 5.0) -> Terms:
    r"""Average Cube Test as TREC Dynamic Domain computes it: the mean over the documents that the user looks at.

    .. math::

        \mathrm{ACubeTest}@k = \frac{1}{m} \sum_{i=1}^{m} \frac{1}{\tau_i} \sum_t w_t\, \frac{h_t(i)}{H}

    over the m documents of iterations 1..k; h_t(i) is the height reached at document i, τ_i its iteration. Without
    iterations in the run this is the mean of CubeTest@1..CubeTest@m, m = min(k, n). 0 if m = 0.

    Choices: documents appended to a run shorter than k may raise the score even if nothing is relevant in them, since
    ranks above the first relevant document then weigh less in the mean. Compare runs of one length only.

    Reference: the average cube test of the programs of TREC Dynamic Domain, 2015–2017 (Yang, Frank, Soboroff, TREC
    2015), after Luo et al., CIKM 2013.

    Examples:
        >>> ACubeTest.calc_aggregate({'q': {'d1': 2}}, {'q': {'d1': 1.0, 'd2': 2.0}})  # (0 + 0.1)/2
        0.05
    """
    r, iteration = iterations(r)
    per_iteration = np.where(
        np.arange(iteration.shape[1]) < r.depth[:, None], np.nan_to_num(1 / iteration), 0.0
    )
    still = np.cumsum(per_iteration[:, ::-1], axis=1)[:, ::-1]  # Σ 1/τ from each rank on
    return Terms(r, _filled(r, gamma, max_height), r.at_hits(still), divisor=np.maximum(r.depth, 1))
