"""Subtopics covered."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np

from ..core.kernels import sums
from ..core.parameters import Choice, MaxRel, Range
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import measure
from ..core.terms import UNWEIGHTED, Terms


def found_aspects(r: Ranking, divisor: Array | None, worth: Array = UNWEIGHTED) -> Terms:
    """Σ of the worth of the aspects, (Q, T) or (1, 1), that have a relevant document within the cutoff, / divisor."""
    first = r.first_of_aspect()
    return Terms(r, r.relevant(), redundancy=first, weight=worth, divisor=divisor)


subtopic_measure = functools.partial(measure, family='subtopics', any_scale=True)
"""Declare a measure of subtopics: :func:`measure` with the facts that all of them share."""


@subtopic_measure(
    aspects='relevant',
    pretty='Subtopic Recall',
    cite=('Zhai2003', 'TRECWebTrack2013'),
)
def StRecall(r: Ranking) -> Terms:
    r"""Subtopic recall (I-rec, S-recall): the share of the query's subtopics that the top k covers.

    .. math::

        \mathrm{StRecall}@k = \frac{\#\{t : J(d_i,t) = 1 \text{ for some } i \leq k\}}{\#\{t\}}

    Weights play no part.

    Reference: Zhai, Cohen, Lafferty, SIGIR 2003; ndeval 4.5 (strec).

    Examples:
        >>> StRecall.calc_aggregate({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'d1': 2.0}})
        0.5
    """
    return found_aspects(r, r.n_aspects)


def _coverage_needs(params: dict[str, Any]) -> tuple[str, ...]:
    reads = params['importance'] != 'all' or params['weights'] == 'importance'
    return ('importance',) if reads else ()


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
    top: Any = r.judgments.highest_grade[:, None, :] if max_rel is None else max_rel
    return np.minimum(1.0, ratio(grade, top))


def weights_of(r: Ranking, weights: str) -> Array:
    """1 for each aspect that counts; with ``'given'`` its weight in the judgments, if they have weights; (Q, T)."""
    aspects = r.judgments.aspects(r.rel).astype(float)
    own = r.judgments.given_weight
    return aspects if own is None or weights != 'given' else aspects * own


@subtopic_measure(
    rel_means='credit',
    aspects='listed',
    needs=_coverage_needs,
    pretty='Coverage',
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
        Choice(('given', 'uniform', 'importance')),
        "the weights of the aspects: 'given' takes those of the judgments if there are any, "
        "'uniform' weights all the same, and 'importance' is 1 for vital and 1/2 for okay aspects",
    ] = 'given',
    gain: CreditGain = 'steps',
    max_rel: MaxRel = None,
) -> Terms:
    r"""The share of intents, nuggets or sub-questions that the top k covers, with weights and partial credit.

    .. math::

        \mathrm{Coverage}@k = \frac{\sum_t w_t\, \mathrm{credit}_t}{\sum_t w_t}

    0 where the denominator is 0; credit_t = 1 if the best grade of t among d_1..d_k is above 0 and at least ``rel``,
    ``partial`` if it is above 0 and below ``rel``, else 0. With ``gain='linear'`` credit_t = min(1, g/max_rel) of
    the best grade g, whatever ``rel`` and ``partial`` are.

    The sums run over all listed aspects (``aspects='relevant'``: those with a relevant document), of one importance
    only if that is asked for. Weights need no sum of 1; without weights all are alike. ``weights='importance'``: a
    vital aspect weighs 1, an okay one 1/2, any other 0.

    Choices: equal to FreshStack's Coverage@k; to CRUX's as ``Coverage(rel=3)@k`` (its means are over the run's queries
    only); to AutoNuggetizer's scores of one document as ``Coverage(rel=2[,partial=0.5][,importance='vital'],
    weights='uniform')@1``, its weighted score with ``weights='importance'``; to BRIGHT-Pro's weighted recall with its
    weights.

    Reference: Thakur et al., FreshStack, 2025 (Coverage@k); Ju et al., CRUX, 2025; Pradeep et al., AutoNuggetizer,
    2025.

    Examples:
        >>> from ir_divmeasures import with_intents
        >>> qrels = with_intents({'q': {'d1': {'1': 3, '2': 1}}}, {'q': ['1', '2', '3', '4']})
        >>> Coverage(rel=3).calc_aggregate(qrels, {'q': {'d1': 1.0}})
        0.25
        >>> Coverage(rel=3, partial=0.5).calc_aggregate(qrels, {'q': {'d1': 1.0}})  # (1 + 0.5)/4
        0.375
    """
    weight = weights_of(r, weights)
    if weights == 'importance':
        importance_of = r.judgments.aspect_columns['importance']
        weight = weight * np.where(
            importance_of == 'vital', 1.0, np.where(importance_of == 'okay', 0.5, 0.0)
        )
    if importance != 'all':
        weight = weight * (r.judgments.aspect_columns['importance'] == importance)
    credit = credits(r, partial, gain, max_rel)
    best = np.maximum.accumulate(credit, axis=-2)
    return Terms(
        r,
        credit,
        redundancy=ratio(np.diff(best, axis=-2, prepend=0.0), credit),
        weight=weight,
        divisor=sums.one_by_one(weight),
    )


@subtopic_measure(
    aspects='relevant',
    pretty='Subtopic Reciprocal Rank',
    cite=('Zhai2003', 'Amigo2018'),
)
def StRR(
    r: Ranking,
    *,
    level: Annotated[
        float, Range(0, 1, '('), 'the subtopic recall that the ranking has to reach'
    ] = 1.0,
) -> Array:
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
    return 1 / np.where(reached, r.rank, np.inf).min(axis=1, initial=np.inf)
