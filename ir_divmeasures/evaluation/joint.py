"""The fate of each nugget: retrieved and stated, only retrieved, only stated, or neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import check_number, fraction, one_of, whole
from ..io import columns
from ..io import runs as several
from ..io.budgets import within_budget
from ..judgments.table import Judgments
from ..lazy import pd
from ..results import Result, count, plotting
from .ranges import means_within
from .scores import Scores, some

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import QrelsLike, RunsLike

SHARES = ('used', 'unused', 'unsupported', 'unfound')
TOTALS = ('found', 'stated')
ADVICE = {
    'unfound': 'work on retrieval',
    'unused': 'work on the prompt',
    'unsupported': 'check the evidence',
}
"""What to do about the shares that are not used."""
FACTS = ('text', 'importance', 'weight', 'part_of')
WEIGHTS = ('given', 'uniform', 'importance')
_KEY = ['query_id', 'subtopic_id']
COLUMNS = ('system', *_KEY, *FACTS, 'context', 'answer', *SHARES)
"""Columns of the table of nuggets."""


class Joint(Result):
    """The result of :func:`joint`.

    Attributes:
        shares: means over queries, systems × (``used, unused, unsupported, unfound``, which sum to 1, and ``found,
            stated``).
        intervals: ``system, share, mean, low, high``: intervals over the queries, which stay inside [0, 1]
            (:func:`ir_divmeasures.results.estimates.bounded`).
        nuggets: a row for each system and nugget: ``system, query_id, subtopic_id``, its text, importance and weight
            where known, ``context`` and ``answer`` (its credit in each) and the four shares.
        confidence_level: the confidence level of the intervals.
    """

    def scores(self) -> Scores:
        """The shares of each system on each query."""
        return self._scores

    def hardest(self) -> pd.DataFrame:
        """A row for each nugget, the least found one first: ``found`` and ``stated``, the mean credits over systems."""
        credits = {'found': ('context', 'mean'), 'stated': ('answer', 'mean')}
        facts = {name: (name, 'first') for name in FACTS if name in self.nuggets.columns}
        listed = self.nuggets.groupby(_KEY, sort=False).agg(**facts, **credits).reset_index()
        return listed.sort_values(['found', 'stated'], kind='stable', ignore_index=True)

    def next_steps(self, most: int = 3) -> pd.DataFrame:
        """What to work on: a row for each system and each share that is not used, the largest mean first.

        ``system, share, advice``; ``nuggets``, the number of nuggets that have a part in the share, ``of`` all;
        ``mean, low, high``; ``questions``, the at most ``most`` questions with the largest shares, largest first.
        """
        names = ['system', 'share', 'advice', 'nuggets', 'of', 'mean', 'low', 'high', 'questions']
        table = self.intervals[self.intervals['share'].isin(ADVICE)]
        rows = []
        for system, of_system in table.groupby('system', sort=False):
            nuggets = self.nuggets[self.nuggets['system'] == system]
            largest = of_system.sort_values('mean', ascending=False, kind='stable')
            for row in largest.to_dict('records'):
                share = row['share']
                values = self._scores[share][self._scores.systems.index(system)]
                order = [q for q in np.argsort(-values, kind='stable')[:most] if values[q] > 0]
                row |= {'advice': ADVICE[share], 'of': len(nuggets)}
                row['nuggets'] = int((nuggets[share] > 0).sum())
                row['questions'] = [self._scores.queries[q] for q in order]
                rows.append(row)
        return pd.DataFrame(rows, columns=names)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the four shares of each system as a bar; returns the axes."""
        ax = plotting.axes(ax)
        left, places = np.zeros(len(self.shares)), np.arange(len(self.shares))
        for share in SHARES:
            ax.barh(places, self.shares[share], left=left, label=share)
            left = left + self.shares[share].to_numpy()
        ax = plotting.rows(list(self.shares.index), 'share of the nuggets', ax)
        ax.legend(loc='lower left', bbox_to_anchor=(0, 1), ncols=2, fontsize='small')
        return ax


def joint(
    runs: RunsLike,
    qrels: QrelsLike,
    answers: Any,
    *,
    cutoff: int | None = None,
    budget: float | None = None,
    rel: float = 1,
    answer_rel: float = 2,
    partial: float = 0.0,
    importance: str = 'all',
    weights: str = 'given',
    confidence_level: float = 0.95,
) -> Joint:
    """Find for each nugget whether a RAG system's context contains it and whether its answer states it.

    With c the credit of a nugget in the context and a in the answer: ``used`` is min(c, a); ``unused`` is c − used,
    retrieved but not stated; ``unsupported`` is a − used, stated but not retrieved; ``unfound`` is 1 − max(c, a),
    neither. They sum to 1. ``found``, used + unused, is ``Coverage`` of the context; ``stated``, used + unsupported,
    that of the answer.

    Args:
        runs: the contexts of the systems, in any form that :func:`~ir_divmeasures.read_runs` takes.
        qrels: judgments of nuggets by document.
        answers: what :func:`~ir_divmeasures.read_answers` gives, for the same systems and nuggets.
        cutoff: how many documents of each ranking are the context; all by default.
        budget: how long the context is at most; the runs then need a column ``length``.
        rel: the lowest grade of a document that holds a nugget in full.
        answer_rel: the lowest grade of an answer that says it in full.
        partial: the credit of a grade above 0 and below these.
        importance: ``'vital'`` or ``'okay'`` keeps these nuggets only.
        weights: ``'given'`` (where there are any), ``'uniform'`` or ``'importance'``, as in ``Coverage``.
        confidence_level: of the intervals.

    Returns:
        :class:`Joint`.

    Raises:
        TypeError: answers of another form.
        ValueError: a system without answers, nuggets that differ between ``qrels`` and ``answers``, several judges, a
            setting out of range; as :func:`~ir_divmeasures.evaluate`.

    Examples:
        >>> from ir_divmeasures import read_answers
        >>> answers = read_answers({'A': {'q': {'1': 'support', '2': 'not_support', '3': 'support', '4': 'no'}}})
        >>> qrels = {'q': {'d1': {'1': 1, '2': 1}, 'd9': {'3': 1, '4': 1}}}
        >>> joint({'A': {'q': {'d1': 1.0}}}, qrels, answers).shares[['used', 'unused', 'unsupported', 'unfound']]
                used  unused  unsupported  unfound
        system
        A       0.25    0.25         0.25     0.25
    """
    if not hasattr(answers, 'qrels') or not hasattr(answers, 'runs'):
        raise TypeError(
            f'answers: expected what read_answers gives, found {type(answers).__name__}'
        )
    _check(cutoff, partial, importance, weights, confidence_level)
    of_documents, of_answers = Judgments.of(qrels).table, Judgments.of(answers.qrels).table
    listed = _weighted(_nuggets(of_documents, of_answers), importance, weights)
    parts = []
    for system, run in several.each(runs):
        if system not in answers.runs:
            raise ValueError(
                f'system {system!r} has no answers (answers of {some(list(answers.runs))})'
            )
        table = run.check().table if budget is None else within_budget(run, None, budget)
        own = answers.runs[system][['query_id', 'doc_id']]
        parts.append(
            listed.assign(
                system=system,
                context=_credit(listed, of_documents, first_documents(table, cutoff), rel, partial),
                answer=_credit(listed, of_answers, own, answer_rel, partial),
            )
        )
    if not parts:
        raise ValueError('no runs')
    table = pd.concat(parts, ignore_index=True)
    credits = table[['context', 'answer']]
    used = credits.min(axis=1)
    table = table.assign(
        used=used,
        unused=table['context'] - used,
        unsupported=table['answer'] - used,
        unfound=1 - credits.max(axis=1),
    )
    scores = _by_query(table)
    mean, low, high, _ = means_within(
        scores.values.transpose(0, 2, 1), confidence_level=confidence_level
    )
    cells = pd.MultiIndex.from_product([scores.systems, scores.measures], names=['system', 'share'])
    ends = {'mean': mean.ravel(), 'low': low.ravel(), 'high': high.ravel()}
    intervals = pd.DataFrame(ends, index=cells).reset_index()
    return Joint(
        intervals,
        f'Nuggets in context and answer of {count(len(scores.systems), "system")}: mean shares over '
        f'{count(len(scores.queries), "query", "queries")}, with '
        f'{100 * confidence_level:g} % intervals of each share alone',
        shares=scores.means().rename_axis(columns=None),
        intervals=intervals,
        nuggets=table[[name for name in COLUMNS if name in table.columns]],
        confidence_level=confidence_level,
        _scores=scores,
    )


def first_documents(run: pd.DataFrame, cutoff: int | None) -> pd.DataFrame:
    """The rows of the first documents of each query, or of all, the best first."""
    ranked = run.sort_values(['score', 'doc_id'], ascending=False, kind='stable')
    return ranked if cutoff is None else ranked.groupby('query_id', sort=False).head(cutoff)


def _check(cutoff: Any, partial: Any, importance: str, weights: str, confidence_level: Any) -> None:
    if cutoff is not None:
        whole(cutoff, 'cutoff')
    check_number('partial', partial)
    fraction(confidence_level, 'confidence_level')
    one_of(importance, ('all', *columns.IMPORTANCE), 'importance')
    one_of(weights, WEIGHTS, 'weights')


def _nuggets(of_documents: pd.DataFrame, of_answers: pd.DataFrame) -> pd.DataFrame:
    """The nuggets, which must be the same for documents and answers, with the facts that the judgments know."""
    first, second = (
        table[columns.listing(table)].drop_duplicates(_KEY).set_index(_KEY)
        for table in (of_documents, of_answers)
    )
    odd = sorted(first.index.symmetric_difference(second.index))
    if odd:
        query, nugget = odd[0]
        where = 'documents' if odd[0] in first.index else 'answers'
        raise ValueError(
            f'query {query!r}: nugget {nugget!r} is judged of {where} only ({len(odd)} nuggets are judged '
            f'of one of the two); intents= lists the nuggets for both readers'
        )
    known = first.join(second[second.columns.difference(first.columns)])
    return known[[fact for fact in FACTS if fact in known.columns]].reset_index()


def _weighted(listed: pd.DataFrame, importance: str, weights: str) -> pd.DataFrame:
    """The nuggets that count, with a column ``share``: the weight of each in its query, of sum 1."""
    if importance != 'all' or weights == 'importance':
        columns.require_columns('joint', ['importance'], listed.columns)
    if importance != 'all':
        listed = listed[listed['importance'] == importance]
    share: Any = 1.0
    if weights == 'importance':
        share = listed['importance'].map({'vital': 1.0, 'okay': 0.5}).fillna(0.0)
    elif weights == 'given' and 'weight' in listed.columns:
        share = listed['weight']
    listed = listed.assign(share=share)
    total = listed.groupby('query_id')['share'].transform('sum')
    listed = listed.assign(share=listed['share'] / total)[total > 0].reset_index(drop=True)
    if not len(listed):
        raise ValueError('no nugget counts: none has this importance, or all weights are 0')
    return listed


def _credit(
    listed: pd.DataFrame, judged: pd.DataFrame, documents: pd.DataFrame, rel: float, partial: float
) -> np.ndarray:
    """The credit of each nugget for the best grade among some documents of its query."""
    found = judged.merge(documents[['query_id', 'doc_id']], on=['query_id', 'doc_id'])
    best = found.groupby(_KEY)['relevance'].max()
    grade = best.reindex(pd.MultiIndex.from_frame(listed[_KEY]), fill_value=0).to_numpy()
    return np.where(grade > 0, np.where(grade >= rel, 1.0, partial), 0.0)


def _by_query(table: pd.DataFrame) -> Scores:
    """The weighted shares of each system on each query."""
    weighted = table[[*SHARES]].mul(table['share'], axis=0)
    sums = weighted.groupby([table['system'], table['query_id']], sort=False).sum()
    sums['found'], sums['stated'] = (sums['used'] + sums[share] for share in SHARES[1:3])
    systems, queries = (tuple(sums.index.unique(level)) for level in ('system', 'query_id'))
    values = sums.to_numpy().reshape(len(systems), len(queries), -1)
    return Scores(values, systems, queries, (*SHARES, *TOTALS))
