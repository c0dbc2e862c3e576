"""User models: four models of utility × six stopping distributions (Carterette, SIGIR 2011).

A user reads down the ranking and stops at rank k with probability P(k). What is expected of such a user:

=====  =======================================  ==================================================================
M1     Σ g_k P(k)                               gain of the document at which the user stops
M2     Σ CG_k P(k) + CG_n F(n+1)                gain of all documents down to there
M3     Σ f(k) P(k)                              effort: f(k) = 1/k, reciprocal of the rank at which the user stops
M4     Σ CG_k f(k) P(k)                         average gain of the documents down to there
=====  =======================================  ==================================================================

g_k gain at rank k, 0 below ``rel``, CG_k = Σ_{i≤k} g_i, n = min(cutoff, run length), F(n+1) = 1 − Σ_{i≤n} P(i): users
who would stop beyond rank n find nothing more there and keep what they found (the paper's worst case, §3.1). M3 and M4
with a static P therefore run on over the ranks that a short run does not fill, up to the cutoff or without end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import cascade, sums
from ..core.kernels.gain import by_grade
from ..core.parameters import ByGrade, Choice, Norm, PerGrade, Range
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import measure
from ..core.terms import UNWEIGHTED, Terms
from .stopping import DYNAMIC, RECIPROCAL, STATIC, Stops, effort_of

Model = Annotated[
    int,
    Range(1, 4),
    'what is expected: 1 is the gain at the stopping rank, 2 the total gain down to it, 3 the'
    ' effort to reach it, and 4 the average gain down to it',
]
P_ = Annotated[
    str,
    Choice((*STATIC, *DYNAMIC)),
    'the stopping distribution, which gives the probability that the user stops at each rank',
]
STOPS = (
    "the probability that the user stops at a document (P='RBP') or at a relevant document "
    "(P='ERR')"
)
Theta = Annotated[float, Range(0, 1, '()'), STOPS]
Thetas = Annotated[
    float | ByGrade,
    Range(0, 1, '()'),
    PerGrade(Range(0, 1, '()')),
    f'{STOPS}. For ERR you can give one for each grade',
]
Gains = Annotated[
    str | ByGrade,
    Choice(('linear', 'exp', 'binary')),
    PerGrade(Range(0, float('inf')), decreasing=False),
    "the gain of a relevant document of grade g: 'linear' is g, 'exp' is 2^g - 1, 'binary' is"
    " 1. A mapping gives the gains of the grades that it names. Other grades gain their own "
    "value",
]
Base = Annotated[
    float,
    Range(1, float('inf'), '('),
    "b, the base of the logarithm of P='DCG', where F(k) = 1/log_b(k + b - 1)",
]
EffortName = Annotated[
    str,
    Choice(('1/k', 'k')),
    'the effort f(k) of reaching rank k: models 3 and 4 use 1/k, and model 3 also takes k',
]

Redundancy = tuple[str, float | None]
"""P and α of the factor for the gain of the j-th relevant document of an aspect: (1 − α)^{j−1}, or F(j) of a static P."""


def expected(
    r: Ranking,
    model: int,
    stops: Stops,
    gain: str | ByGrade,
    effort: str = RECIPROCAL,
    redundancy: Redundancy | None = None,
    divisor: Array | None = None,
    weight: Array | None = None,
) -> Terms | Array:
    """M1 to M4 of each aspect, weighted: Σ_t w_t Σ_i g_i D(i), and Σ_i J_i f(i) P(i) of M3 with a dynamic P.

    A static P stops at any rank. M2 and M4 are rearranged so that only hits are summed: D(i) is P(i) in M1, F(i) in M2
    and Σ_{k≥i} f(k) P(k) = E(K) − E(i − 1) in M4, with E(k) = Σ_{i≤k} f(i) P(i), K the cutoff or infinity. M3 with a
    static P is E(K).

    Args:
        divisor: (Q, T), of M1 to M4 of each aspect.
        weight: of the aspects; None: the weights of the judgments.
    """
    if model == 3 and not stops.is_dynamic:
        everywhere = np.where(r.n > 0, total_effort(r, stops, effort), 0.0)[:, None]
        everywhere = ratio(everywhere, np.ones(r.weight.shape) if divisor is None else divisor)
        return sums.weighted(everywhere, r.weight if weight is None else weight)
    gains = r.relevant() if model == 3 else gain_at(r, gain)
    if model == 3:
        discount = stopping_at(r, stops) * effort_at(r, effort)
    elif model == 1:
        discount = stopping_at(r, stops)
    elif stops.is_dynamic:
        discount = _from_here_on(r, stops, effort if model == 4 else None)
    elif model == 2:
        discount = _gather(r, by_rank(r, stops)[1])
    else:
        before = np.append(0.0, effort_to(by_rank(r, stops)[0], effort)[:-1])  # E(i − 1) by rank
        discount = total_effort(r, stops, effort) - _gather(r, before)
    factor = None if redundancy is None else still_counts(r, redundancy)
    return Terms(r, gains, discount, redundancy=factor, weight=weight, divisor=divisor)


def _from_here_on(r: Ranking, stops: Stops, effort: str | None) -> Array:
    """The probability of stopping at rank i, below it, or beyond the run, for a dynamic P at the hits; (Q, H, T).

    With an effort the result is Σ_{k≥i} f(k) P(k) within the cutoff.
    """
    P = np.where(r.within[..., None], stopping_at(r, stops), 0.0)
    weighted = P if effort is None else P * effort_at(r, effort)
    still = np.cumsum(weighted[..., ::-1, :], axis=-2)[..., ::-1, :]
    return still + np.maximum(1 - r.total(P), 0)[:, None, :] if effort is None else still


def by_rank(r: Ranking, stops: Stops) -> tuple[Array, Array]:
    """P(k) and F(k) of a static distribution down to the last hit, place k for rank k; place 0 holds 0."""
    return stops.by_rank(int(places(r).max(initial=0)))


def places(r: Ranking) -> NDArray[np.intp]:
    """Ranks of the hits as whole numbers, 0 where padded; (Q, H)."""
    return r.keep(('places',), lambda: np.where(np.isfinite(r.rank), r.rank, 0).astype(np.intp))


def _gather(r: Ranking, table: Array) -> Array:
    """What a table by rank has at the hits; (Q, H, 1)."""
    return table[places(r)][..., None]


def effort_to(P: Array, effort: str) -> Array:
    """E(k) = Σ_{i≤k} f(i) P(i) from P by rank, place 0 for rank 0."""
    return np.cumsum(np.append(0.0, effort_of(effort, np.arange(1.0, len(P))) * P[1:]))


def total_effort(r: Ranking, stops: Stops, effort: str) -> float:
    """E(K) down to the cutoff, or to infinity, or where 2^22 ranks have it but for 1e-9."""
    if r.k is None and effort != RECIPROCAL:
        raise ValueError(f'effort={effort!r} with the static P={stops.P!r} needs a cutoff')
    if r.k is None or (r.k > 2**22 and effort == RECIPROCAL):
        return stops.mean_reciprocal()
    P, _ = stops.by_rank(r.k)
    return float(effort_to(P[: r.k + 1], effort)[-1])


def effort_at(r: Ranking, effort: str) -> Array:
    """f(k) at the hits; (Q, H, 1)."""
    return effort_of(effort, np.maximum(places(r), 1).astype(float))[..., None]


def stopping_at(r: Ranking, stops: Stops) -> Array:
    """P at the hits; (Q, H, T), or (Q, H, 1) where it does not depend on the aspect."""
    if isinstance(stops.theta, ByGrade):
        theta = r.of_hits(theta_of(r.judgments, r.rel, stops.theta))
        return theta * cascade.unsatisfied(theta)
    if stops.is_dynamic:
        return stops.at_relevant(r.relevant(), r.n_relevant)
    return _gather(r, by_rank(r, stops)[0])


def theta_of(judgments: JudgmentArrays, rel: float, theta: ByGrade) -> Array:
    """θ of the judged documents by their grades, 0 where not relevant; (Q, D, T)."""
    relevant = judgments.relevant(rel)
    lacking = np.setdiff1d(judgments.grade[relevant > 0], list(theta))
    if len(lacking):
        raise ValueError(
            f'theta={theta}: relevant documents of grade {", ".join(f"{g:g}" for g in lacking[:5])} were '
            f'judged; expected a theta for every relevant grade'
        )
    return by_grade(judgments.grade, theta) * relevant


def gain_at(r: Ranking, gain: str | ByGrade) -> Array:
    """Gain values of the hits, 0 where not relevant; (Q, H, T)."""
    return r.keep(('gain of relevant', gain), lambda: r.of_hits(gain_of(r.judgments, r.rel, gain)))


def gain_of(judgments: JudgmentArrays, rel: float, gain: str | ByGrade) -> Array:
    """Gain values of the judged documents, 0 where not relevant; (Q, D, T)."""
    relevant = judgments.relevant(rel)
    if isinstance(gain, ByGrade):
        grades = np.unique(judgments.grade[relevant > 0])
        falls = np.flatnonzero(np.diff(by_grade(grades, gain)) < 0)
        if len(falls):
            low, high = grades[falls[0]], grades[falls[0] + 1]
            raise ValueError(
                f'gain={gain}: grade {high:g} was judged and would gain {gain.get(high, high):g}, less '
                f'than grade {low:g}, {gain.get(low, low):g}; expected a value for grade {high:g}'
            )
    return judgments.gain(gain, rel) * relevant


def still_counts(r: Ranking, redundancy: Redundancy) -> Array:
    """The factor by which redundancy reduces the gain of each hit; (Q, H, T)."""
    P, alpha = redundancy
    if P == 'RBP' and alpha is not None:
        return r.redundancy(alpha)
    count = r.count_before().astype(np.intp) + 1
    return Stops(P).by_rank(int(count.max(initial=1)))[1][count]


def perfect(judgments: JudgmentArrays, rel: float) -> Ranking:
    """The perfect rankings of queries with one aspect: the relevant documents by grade."""

    def compute() -> Ranking:
        grade = (judgments.grade * judgments.relevant(rel))[:, :, 0]
        order = np.argsort(-grade, axis=1, kind='stable')
        hit = np.take_along_axis(grade, order, axis=1) > 0
        rank = np.where(hit, np.arange(1.0, grade.shape[1] + 1), np.inf)
        return Ranking(judgments, order, rank, judgments.n_relevant(rel)[:, 0], rel)

    return judgments.keep(('perfect', rel), compute)


def value(
    r: Ranking,
    model: int,
    stops: Stops,
    gain: str | ByGrade,
    norm: bool,
    effort: str = RECIPROCAL,
    redundancy: Redundancy | None = None,
    weight: Array | None = None,
) -> Terms | Array:
    """M1 to M4 of each aspect, divided by that of its perfect ranking if ``norm``, weighted."""
    of = functools.partial(
        expected, model=model, stops=stops, gain=gain, effort=effort, redundancy=redundancy
    )
    if not norm:
        return of(r, weight=weight)
    best = of(perfect(r.judgments.by_aspect, r.rel).cut(r.k), weight=UNWEIGHTED)
    value = best.value() if isinstance(best, Terms) else best
    return of(r, weight=weight, divisor=value.reshape(r.weight.shape))


def possible(**fixed: Any) -> Callable[[dict[str, Any]], str | None]:
    """A function that checks the parameters of a measure, including those that its name fixes (``Facts.check``)."""

    def check(params: dict[str, Any]) -> str | None:
        every: dict[str, Any] = {'theta': 0.5, 'base': 2.0, 'effort': RECIPROCAL, **fixed, **params}
        model, P, theta, base = (every[each] for each in ('model', 'P', 'theta', 'base'))
        effort, norm = every['effort'], every['norm']
        thetas = list(theta.values()) if isinstance(theta, Mapping) else []
        redundancy, alpha = every.get('redundancy'), every.get('alpha')
        label = 'alpha' if redundancy is None else f'redundancy={redundancy!r}'
        penalises = redundancy is not None or alpha is not None
        takes_alpha = redundancy in (None, 'RBP')
        problems = [
            (
                thetas and P != 'ERR',
                f"theta={theta!r}: only P='ERR' takes a theta by grade, found P={P!r}",
            ),
            (base != 2 and P != 'DCG', f"base={base:g} belongs to P='DCG', found P={P!r}"),
            (
                effort != RECIPROCAL and model != 3,
                f'effort={effort!r} belongs to model 3, found model={model}',
            ),
            (
                norm and effort == 'k',
                "effort='k' is a cost, lower is better; norm=True needs a greatest value",
            ),
            (
                norm and thetas and model == 2,
                'the perfect ranking of model 2 with a theta by grade is not known; expected '
                'norm=False or one theta',
            ),
            (
                norm and thetas != sorted(thetas),
                f'theta={theta!r} decreases with the grade; the perfect ranking is not known; '
                f'expected norm=False',
            ),
            (
                penalises and model in (1, 3),
                f'model={model} accumulates no utility that {label} could lower (Carterette 2011, '
                f'§5); expected model 2 or 4, or no {label}',
            ),
            (
                penalises and takes_alpha and alpha is None,
                f'{label} needs alpha, the share of its gain that the next relevant document loses',
            ),
            (not takes_alpha and alpha is not None, f'{label} takes no alpha'),
        ]
        for is_wrong, problem in problems:
            if is_wrong:
                raise ValueError(problem)
        return why_marked(every)

    return check


def why_marked(params: dict[str, Any]) -> str | None:
    """Why a combination does not compare rankings, or None if it does."""
    model, is_dynamic = params['model'], params['P'] in DYNAMIC
    if model == 3 and not is_dynamic:
        return 'a constant: M3 with a static P depends on no document'
    if model < 3 and is_dynamic:
        return (
            'blind to ranks: M1 and M2 with a dynamic P depend on which relevant documents stand in the top k, never '
            'on where non-relevant ones stand'
        )
    return None


user_model = functools.partial(
    measure,
    family='user models',
    rel_means='gain',
    bounds=(0, None),
    cite='Carterette2011',
)
"""Declare a user model: :func:`measure` with the facts that most of them share."""


@user_model(diversity=False, pretty='User Model', check=possible())
def UM(
    r: Ranking,
    *,
    model: Model = 2,
    P: P_ = 'DCG',
    theta: Thetas = 0.5,
    gain: Gains = 'binary',
    norm: Norm = False,
    base: Base = 2.0,
    effort: EffortName = '1/k',
) -> Terms | Array:
    r"""What a user gains who stops at rank k with probability P(k), for four models and six stopping distributions.

    .. math::

        M_1 = \sum_{k=1}^{n} g_k\, P(k), \quad M_2 = \sum_{k=1}^{n} \mathrm{CG}_k\, P(k) + \mathrm{CG}_n\, F(n+1)

    .. math::

        M_3 = \sum_{k=1}^{n} f(k)\, P(k), \quad M_4 = \sum_{k=1}^{n} \mathrm{CG}_k\, f(k)\, P(k), \quad f(k) = \frac{1}{k}

    n = min(cutoff, run length), :math:`\mathrm{CG}_k = \sum_{i \leq k} g_i`, :math:`F(n+1) = 1 - \sum_{i \leq n} P(i)`.
    A grade below ``rel`` has no gain. M3 and M4 with a static P run over all ranks to the cutoff, to infinity without
    one, also those that a short run does not fill (0 for an empty run).

    ============  =====================================  ===============================================
    P             P(k)                                   F(k)
    ============  =====================================  ===============================================
    ``'RBP'``     θ(1−θ)^(k−1)                           (1−θ)^(k−1)
    ``'DCG'``     1/log2(k+1) − 1/log2(k+2)              1/log2(k+1); with ``base`` b: 1/log_b(k+b−1)
    ``'RR'``      1/(k(k+1))                             1/k
    ``'ERR'``     J_k θ(1−θ)^(R_k−1)                     dynamic
    ``'AP'``      J_k/R                                  dynamic
    ``'RRR'``     J_k/(R_k(R_k+1))                       dynamic
    ============  =====================================  ===============================================

    J_k relevance at rank k, R_k relevant documents down to k, R all of them. θ matters to RBP and ERR only, gain not to
    M3. ERR also takes a θ by grade, ``theta={1: .3, 2: .6}``: P(k) = θ_{g_k} Π_{j<k} (1 −
    θ_{g_j}) over relevant documents.

    Choices: whoever would stop beyond rank n finds nothing new and keeps what was found, the worst case of §3.1, for a
    dynamic P too ("this argument generalizes to any M2 measure"). ``effort='k'`` makes M3 the expected stopping rank, a
    cost: lower is better. ``norm=True`` divides by the value on the perfect ranking, the relevant documents by grade,
    cut at k; 0 where that is 0. M3 with a static P, and M1 and M2 with a dynamic one, do not depend on where
    non-relevant documents stand; they are there for completeness, and asking for them warns.

    Reference: Carterette, SIGIR 2011, §2, §3 and §5.

    Examples:
        Relevant at ranks 1 and 3: (1/1 + 2/3)/2, average precision.

        >>> run = {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}
        >>> UM(model=4, P='AP').calc_aggregate({'q': {'d1': 1, 'd3': 1}}, run)
        0.8333333333333333
    """
    return value(r.topic, model, Stops(P, theta, base), gain, norm, effort, weight=UNWEIGHTED)


@user_model(aspects='relevant', pretty='Intent-Aware User Model', check=possible())
def UM_IA(
    r: Ranking,
    *,
    model: Model = 2,
    P: P_ = 'DCG',
    theta: Thetas = 0.5,
    alpha: Annotated[
        float | None,
        Range(0, 1),
        'how much the user dislikes redundancy: the gain of the j-th relevant document of an '
        'aspect is multiplied by (1 - alpha)^(j-1). None: redundant documents gain in full',
    ] = None,
    redundancy: Annotated[
        str | None,
        Choice(tuple(STATIC)),
        'another penalty for redundancy: a static stopping distribution, whose F(j) '
        'multiplies the gain of the j-th relevant document of an aspect. RBP gives the same '
        'penalty as alpha',
    ] = None,
    gain: Gains = 'binary',
    norm: Norm = False,
    base: Base = 2.0,
    effort: EffortName = '1/k',
) -> Terms | Array:
    r"""The gain of a user model for each aspect, weighted. Redundant documents count less.

    .. math::

        \mathrm{UM\_IA}@k = \sum_t w_t\, \mathrm{UM}_t@k

    UM_t is ``UM`` with the grades of aspect t only: J, R, gains and a dynamic P are the aspect's own. With alpha the
    gain of the j-th relevant document of an aspect is multiplied by (1−α)^(j−1); with ``redundancy='DCG'`` by
    1/log2(j+1), with ``'RR'`` by 1/j. ``norm=True`` normalises each aspect: 1 only if one ranking is perfect for all.

    Choices: M1 and M3 accumulate no utility; alpha or redundancy with them is an error.

    Reference: Carterette, SIGIR 2011, §5.

    Examples:
        Aspect 1 gains 1 + 0.5/2 (F_RR = 1, 1/2; the second document is redundant), aspect 2 gains 1.

        >>> qrels = {'q': {'d1': {'1': 1, '2': 1}, 'd2': {'1': 1}}}
        >>> UM_IA(P='RR', alpha=0.5).calc_aggregate(qrels, {'q': {'d1': 2.0, 'd2': 1.0}})  # (1.25 + 1)/2
        1.125
    """
    repeats = None if alpha is None and redundancy is None else (redundancy or 'RBP', alpha)
    return value(r, model, Stops(P, theta, base), gain, norm, effort, repeats)
