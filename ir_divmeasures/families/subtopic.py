"""Subtopics covered."""
from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ..core.parameters import Budget, Choice, Range
from ..core.ranking import Ranking, ratio
from ..core.registry import measure
from ..core.terms import UNWEIGHTED, Terms, Value
from ..kernels import sums, symbolic

__all__ = ['StRecall', 'StRR', 'Coverage']


def subtopic_recall(r: Ranking) -> Terms:
    """The share of the aspects that have a relevant document within the cutoff."""
    return Terms(r, r.relevant, np.ones(r.rank.shape), redundancy=r.first_of_aspect, weight=UNWEIGHTED,
                 divisor=r.n_aspects, known=ratio(r.covered().sum(axis=1), r.n_aspects))


def lengths_read(params: dict[str, Any]) -> tuple[str, ...]:
    """A budget needs the lengths of the run's documents."""
    return () if params['budget'] is None else ('length',)


@measure(family='subtopics', aspects='relevant', run_columns=lengths_read, aliases=('I_rec', 'S_Recall'),
         pretty='Subtopic Recall', unjudged='any', any_scale=True, symbolic=symbolic.subtopic_recall,
         cite=('Zhai2003', 'TRECWebTrack2013'))
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
    return subtopic_recall(r.within_budget(budget))


def _coverage_needs(params: dict[str, Any]) -> tuple[str, ...]:
    return () if params['importance'] == 'all' else ('importance',)


@measure(family='subtopics', aspects='listed', needs=_coverage_needs, run_columns=lengths_read, pretty='Coverage',
         unjudged='any', any_scale=True, cite=('Thakur2025', 'Ju2025', 'Pradeep2025'))
def Coverage(r: Ranking, *,
             partial: Annotated[float, Range(0, 1), 'credit for a best grade above 0 and below rel'] = 0.0,
             importance: Annotated[str, Choice(('all', 'vital', 'okay')), 'which aspects count'] = 'all',
             weights: Annotated[str, Choice(('given', 'uniform')), 'weights of the judgments, where there are any, or '
                                'none'] = 'given',
             budget: Budget = None) -> Terms:
    r"""Coverage of intents, nuggets or sub-questions, also of those that no document serves; weighted, partial credit.

    .. math::

        \mathrm{Coverage}@k = \frac{\sum_t w_t\, \mathrm{credit}_t}{\sum_t w_t}

    0 where the weights sum to 0; credit_t = 1 if the best grade of t among d_1..d_k is above 0 and at least ``rel``,
    ``partial`` if it is above 0 and below ``rel``, else 0.

    The sums run over all listed aspects (``aspects='relevant'``: those with a relevant document), of one importance
    only if that is asked for. Weights need no sum of 1; without weights all are alike. With a budget the run is cut
    after the largest m with :math:`\sum_{i \leq m} \mathrm{length}(d_i) \leq \mathrm{budget}` (and at k, if that is
    sooner).

    Choices: equal to FreshStack's Coverage@k; to CRUX's as ``Coverage(rel=3)@k`` (its means are over the run's queries
    only); to AutoNuggetizer's scores of one answer as ``Coverage(rel=2[,partial=0.5][,importance='vital'],
    weights='uniform')@1``; to BRIGHT-Pro's weighted recall with its weights.

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
    r = r.within_budget(budget)
    weight = r.judged.aspects(r.rel) * 1.0
    if weights == 'given' and r.judged.given_weight is not None:
        weight = weight * r.judged.given_weight
    if importance != 'all':
        weight = weight * (r.judged.aspect_columns['importance'] == importance)
    grade = r.of_hits(r.judged.grade)
    credit = np.where(grade > 0, np.where(grade >= r.rel, 1.0, partial), 0.0)
    best = np.maximum.accumulate(credit, axis=1)
    return Terms(r, credit, np.ones(r.rank.shape), redundancy=ratio(np.diff(best, axis=1, prepend=0.0), credit),
                 weight=weight, divisor=sums.one_by_one(weight))


@measure(family='subtopics', aspects='relevant', pretty='Subtopic Reciprocal Rank',
         unjudged='any', any_scale=True, symbolic=symbolic.subtopic_reciprocal_rank,
         cite=('Zhai2003', 'Amigo2018'))
def StRR(r: Ranking, *, level: Annotated[float, Range(0, 1, '('), 'subtopic recall to reach'] = 1.0) -> Value:
    r"""S-RR@100%: one over the rank at which the share ``level`` of the subtopics is covered.

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
    return Value(1 / np.where(reached, r.rank, np.inf).min(axis=1, initial=np.inf),
                 'it is one over the rank at which enough subtopics are covered, not a sum')
