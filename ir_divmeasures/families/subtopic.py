"""Subtopics covered."""

from __future__ import annotations

import functools
import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import sums
from ..core.parameters import Budget, Choice, MaxRel, Range
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import DivMeasure, measure
from ..core.terms import UNWEIGHTED, Reals, Terms, Value


def found_aspects(r: Ranking, divisor: Array, worth: Reals = UNWEIGHTED) -> Terms:
    """Σ of the worth of the aspects, (Q, T) or (1, 1), that have a relevant document within the cutoff, / divisor."""
    return Terms(
        r,
        r.relevant(),
        redundancy=r.first_of_aspect,
        weight=worth,
        divisor=divisor,
        known=ratio(sums.weighted(r.covered(), worth), divisor),
    )


def lengths_read(params: dict[str, Any]) -> tuple[str, ...]:
    """The columns of the run for a budget, which needs the lengths of documents."""
    return () if params['budget'] is None else ('length',)


subtopic_measure = functools.partial(measure, family='subtopics', any_scale=True)
"""Declare a measure of subtopics: :func:`measure` with the facts that all of them share."""


@subtopic_measure(
    aspects='relevant',
    run_columns=lengths_read,
    aliases=('I_rec', 'S_Recall'),
    pretty='Subtopic Recall',
    unjudged='rises',
    cite=('Zhai2003', 'TRECWebTrack2013'),
)
def StRecall(r: Ranking, *, budget: Budget = None) -> Terms:
    r"""Subtopic recall (I-rec, S-recall): the share of the query's subtopics that the top k covers.

    .. math::

        \mathrm{StRecall}@k = \frac{\#\{t : J(d_i,t) = 1 \text{ for some } i \leq k\}}{\#\{t\}}

    Weights play no part.

    With a budget the run is cut after the largest m with :math:`\sum_{i \leq m} \mathrm{length}(d_i) \leq
    \mathrm{budget}` (and at k, if that is sooner); the run needs a column ``length``.

    Reference: Zhai, Cohen, Lafferty, SIGIR 2003; ndeval 4.5 (strec).

    Examples:
        >>> StRecall.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.5
    """
    return found_aspects(r.within_budget(budget), r.n_aspects)


def _coverage_needs(params: dict[str, Any]) -> tuple[str, ...]:
    points = ('points',) * (params['weights'] == 'points')
    return (
        (*points, 'importance')
        if params['importance'] != 'all' or params['weights'] == 'importance'
        else points
    )


def _coverage_unjudged(measure: DivMeasure) -> str:
    if measure['weights'] == 'points':
        return 'points may be negative, so that a better document may lower it'
    alike = measure['aspects'] == 'listed' or (
        measure['weights'],
        measure['importance'],
        measure['parts'],
        measure['partial'],
    ) == ('uniform', 'all', 'each', 0)
    return (
        'rises' if alike else "the subtopics that count differ; with aspects='listed' it has bounds"
    )


Partial = Annotated[
    float, Range(0, 1), 'the credit for an aspect whose best grade is above 0 and below rel'
]
CreditGain = Annotated[
    str,
    Choice(('steps', 'linear')),
    "the credit of a grade g: 'steps' is 1 from rel up and partial below it, 'linear' is "
    "min(1, g/max_rel)",
]


def credits(r: Ranking, partial: float, gain: str, max_rel: float | None) -> Array:
    """The credit of each hit for each aspect, from 0 to 1; (Q, H, T)."""
    grade = r.of_hits(r.judgments.grade)
    if gain == 'steps':
        return np.where(grade > 0, np.where(grade >= r.rel, 1.0, partial), 0.0)
    top: Any = r.judgments.highest_grade()[:, None, :] if max_rel is None else max_rel
    return np.minimum(1.0, ratio(grade, top))


def weights_of(r: Ranking, weights: str) -> Array:
    """1 for each aspect that counts; with ``'given'`` its weight in the judgments, if they have weights; (Q, T)."""
    aspects = r.judgments.aspects(r.rel).astype(float)
    given = r.judgments.given_weight
    return aspects if given is None or weights != 'given' else aspects * given


def first_parts(part_of: NDArray[Any]) -> NDArray[np.intp]:
    """The place of the first aspect of each aspect's group, itself without one; (Q, T)."""
    together = (part_of[:, :, None] == part_of[:, None, :]) & (part_of != '')[:, :, None]
    return np.where(part_of == '', np.arange(part_of.shape[1]), together.argmax(axis=2))


@subtopic_measure(
    rel_means='credit',
    aspects='listed',
    needs=_coverage_needs,
    run_columns=lengths_read,
    pretty='Coverage',
    bounds=(None, 1),
    unjudged=_coverage_unjudged,
    cite=('Thakur2025', 'Ju2025', 'Pradeep2025'),
)
def Coverage(
    r: Ranking,
    *,
    partial: Partial = 0.0,
    importance: Annotated[
        str, Choice(('all', 'vital', 'okay')), 'the importance that an aspect must have to count'
    ] = 'all',
    weights: Annotated[
        str,
        Choice(('given', 'uniform', 'importance', 'points')),
        "the weights of the aspects: 'given' takes those of the judgments if there are any, "
        "'uniform' weights all the same, 'importance' is 1 for vital and 1/2 for okay "
        "aspects, and 'points' takes the points of a rubric, which can be negative",
    ] = 'given',
    budget: Budget = None,
    gain: CreditGain = 'steps',
    max_rel: MaxRel = None,
    parts: Annotated[
        str,
        Choice(('each', 'all')),
        "how a nugget with parts (column part_of) counts: 'each' counts every part, 'all' "
        "counts the nugget once, with the lowest credit of its parts",
    ] = 'each',
) -> Terms:
    r"""The share of intents, nuggets or sub-questions that the top k covers, with weights and partial credit.

    .. math::

        \mathrm{Coverage}@k = \frac{\sum_t w_t\, \mathrm{credit}_t}{\sum_t \max(w_t, 0)}

    0 where the denominator is 0; credit_t = 1 if the best grade of t among d_1..d_k is above 0 and at least ``rel``,
    ``partial`` if it is above 0 and below ``rel``, else 0. With ``gain='linear'`` credit_t = min(1, g/max_rel) of
    the best grade g, whatever ``rel`` and ``partial`` are.

    The sums run over all listed aspects (``aspects='relevant'``: those with a relevant document), of one importance
    only if that is asked for. Weights need no sum of 1; without weights all are alike. ``weights='importance'``: a
    vital aspect weighs 1, an okay one 1/2, any other 0. ``weights='points'`` reads the column ``points`` of rubrics,
    in which penalties are negative; the value may then be below 0. ``parts='all'``: the parts of a nugget (column
    ``part_of``) count once, with the least of their credits; the nugget has the sum of their weights (uniform,
    importance and points: that of one part). With a budget the run is cut
    after the largest m with :math:`\sum_{i \leq m} \mathrm{length}(d_i) \leq \mathrm{budget}` (and at k, if that is
    sooner).

    Choices: equal to FreshStack's Coverage@k; to CRUX's as ``Coverage(rel=3)@k`` (its means are over the run's queries
    only); to AutoNuggetizer's scores of one answer as ``Coverage(rel=2[,partial=0.5][,importance='vital'],
    weights='uniform')@1``, its weighted score with ``weights='importance'``; to BRIGHT-Pro's weighted recall with its
    weights; to ResearchRubrics' compliance as ``Coverage(rel=2,partial=0.5,weights='points')@1``; to HealthBench's
    score of one answer as ``Coverage(rel=2,weights='points')@1``.

    Reference: Thakur et al., FreshStack, 2025 (Coverage@k); Ju et al., CRUX, 2025; Pradeep et al., AutoNuggetizer,
    2025.

    Examples:
        >>> from ir_divmeasures import with_intents
        >>> qrels = with_intents({'q': {'d1': {'1': 3, '2': 1}}}, {'q': ['1', '2', '3', '4']})
        >>> Coverage(rel=3).calc_aggregate(qrels, {'q': {'d1': 1.0}})
        0.25
        >>> Coverage(rel=3, partial=0.5).calc_aggregate(qrels, {'q': {'d1': 1.0}})  # (1 + 0.5)/4
        0.375
        >>> rubric = qrels[qrels['subtopic_id'].isin(['1', '2'])].assign(points=[5.0, -3.0])
        >>> Coverage(weights='points').calc_aggregate(rubric, {'q': {'d1': 1.0}})  # (5 − 3)/5
        0.4
    """
    r = r.within_budget(budget)
    weight = weights_of(r, weights)
    if weights == 'importance':
        importance_of = r.judgments.aspect_columns['importance']
        weight = weight * np.where(
            importance_of == 'vital', 1.0, np.where(importance_of == 'okay', 0.5, 0.0)
        )
    elif weights == 'points':
        weight = weight * r.judgments.aspect_columns['points']
    if importance != 'all':
        weight = weight * (r.judgments.aspect_columns['importance'] == importance)
    credit = credits(r, partial, gain, max_rel)
    best = np.maximum.accumulate(credit, axis=-2)
    if parts == 'all' and 'part_of' in r.judgments.aspect_columns:
        weight, credit, best = _whole_nuggets(r, weight, credit, best, summed=weights == 'given')
    return Terms(
        r,
        credit,
        redundancy=ratio(np.diff(best, axis=-2, prepend=0.0), credit),
        weight=weight,
        divisor=sums.one_by_one(np.maximum(weight, 0.0)),
    )


def _whole_nuggets(
    r: Ranking, weight: Array, credit: Array, best: Array, summed: bool
) -> tuple[Array, Array, Array]:
    """Weights, credits and best credits so far in which the first part of each nugget stands for all its parts.

    Args:
        weight: (Q, T).
        credit: (Q, H, T).
        best: (Q, H, T): the best credit up to each hit.
        summed: the nugget has the sum of its parts' weights; else that of one part.
    """
    part_of = r.judgments.aspect_columns['part_of']
    first, counted = first_parts(part_of), r.judgments.aspects(r.rel)
    rows, aspects = np.arange(len(first))[:, None], np.arange(first.shape[1])
    total, n_parts = np.zeros(weight.shape), np.zeros(weight.shape)
    np.add.at(total, (rows, first), weight)
    np.add.at(n_parts, (rows, first), counted)
    least = np.full((len(first), first.shape[1], best.shape[1]), np.inf)
    np.minimum.at(
        least, (rows, first), np.where(counted[..., None], best.transpose(0, 2, 1), np.inf)
    )
    least = np.where(np.isinf(least), 0.0, least).transpose(0, 2, 1)
    several = part_of != ''
    weight = np.where(
        several, np.where(first == aspects, total if summed else ratio(total, n_parts), 0.0), weight
    )
    increase = np.diff(least, axis=1, prepend=0.0)
    return (
        weight,
        np.where(several[:, None, :], increase, credit),
        np.where(several[:, None, :], least, best),
    )


@subtopic_measure(
    aspects='relevant',
    pretty='Subtopic Reciprocal Rank',
    unjudged='rises',
    cite=('Zhai2003', 'Amigo2018'),
)
def StRR(
    r: Ranking,
    *,
    level: Annotated[
        float, Range(0, 1, '('), 'the subtopic recall that the ranking has to reach'
    ] = 1.0,
) -> Value:
    r"""S-RR@100%: the reciprocal of the rank at which the share ``level`` of the subtopics is covered.

    .. math::

        \mathrm{StRR}@k = \frac{1}{\min\{ i \leq k : \mathrm{StRecall}@i \geq \mathrm{level} \}}

    0 if that is never reached.

    Reference: Zhai, Cohen, Lafferty, SIGIR 2003; Amigó et al., SIGIR 2018, §6.2.

    Examples:
        >>> StRR.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0, 'd2': 1.0}})
        0.5
    """
    covered = np.cumsum(r.first_of_aspect().sum(axis=2), axis=1)
    needed = np.ceil(level * r.n_aspects[:, None] - 1e-9)
    reached = (covered >= needed) & (covered > 0) & r.within
    return Value(
        1 / np.where(reached, r.rank, np.inf).min(axis=1, initial=np.inf),
        'it is the reciprocal of the rank at which enough subtopics are covered, not a sum',
    )


@subtopic_measure(
    rel_means='credit',
    aspects='listed',
    run_columns=('length',),
    bounds=(0, None),
    pretty='Density',
    unjudged='rises',
    cite='Ju2025',
)
def Density(
    r: Ranking,
    *,
    per: Annotated[
        float,
        Range(0, math.inf, '('),
        'the value is per this length, in the unit of the column length of the run',
    ] = 100.0,
    partial: Partial = 0.0,
    gain: CreditGain = 'steps',
    max_rel: MaxRel = None,
) -> Terms:
    r"""How many aspects (nuggets, sub-questions) the ranking contains per 100 tokens, or other units of length.

    .. math::

        \mathrm{Density}@k = \mathrm{per} \cdot \frac{\sum_t \mathrm{credit}_t}{\sum_{i \leq m} \mathrm{length}(d_i)}

    credit_t as in ``Coverage``, m = min(k, n). 0 where the length is 0. Weights play no part. The run needs a column
    ``length``.

    Choices: not the density of CRUX, which needs the lengths of all relevant documents.

    Reference: ours, after Ju et al., CRUX, 2025.

    Examples:
        >>> from ir_divmeasures.rag import with_lengths
        >>> run = with_lengths({'q': {'d1': 2.0, 'd2': 1.0}}, {'d1': 150, 'd2': 50})
        >>> Density.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, run)  # 100 · 2/200
        1.0
    """
    credit = credits(r, partial, gain, max_rel)
    best = np.maximum.accumulate(credit, axis=-2)
    return Terms(
        r,
        credit,
        redundancy=ratio(np.diff(best, axis=-2, prepend=0.0), credit),
        weight=weights_of(r, 'uniform'),
        scale=per,
        divisor=r.total_by_rank(np.nan_to_num(r.run_column('length'))),
    )
