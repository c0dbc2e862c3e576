"""Answers from given labels: support of sentences by what they cite; scores combined with others and with cost."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.ranking import ratio
from ..errors import QueriesWarning, check_number, one_of, warn
from ..lazy import pd
from .scores import Scores, in_order_of, some

MEASURES = ('precision', 'recall', 'f1', 'citations', 'documents')
COLUMNS = ('system', 'query_id', 'sentence', 'place', 'doc_id', 'support')
SENTENCE = ('first', 'mean', 'all', 'any')
_OF_CREDITS = {'mean': 'mean', 'all': 'min', 'any': 'max'}


def citation_support(citations: Any, *, sentence: str = 'first', partial: float = 0.5) -> Scores:
    """How well citations support the sentences of answers, from labels of support.

    A citation labelled 2 (full support) has credit 1, one labelled 1 ``partial``, one labelled 0 none. c_i is the
    credit of a cited sentence; a sentence none of whose labels count is omitted from all denominators.

    * ``precision``: Σ c_i over the cited sentences;
    * ``recall``: Σ c_i over the cited sentences and the uncited ones that need a citation;
    * ``f1``: their harmonic mean;
    * ``citations``: mean credit of the judged citations;
    * ``documents``: mean, over the cited documents, of the mean credit of their judged citations.

    What has nothing to count is 0. TREC 2024's weighted precision and recall are the default, its strict ones
    ``partial=0``. With ``sentence='mean'`` recall is that of open-rag-eval, whose precision is ``documents``; with
    ``sentence='all', partial=0`` recall is Auto-ARGUE's sentence support and ``citations`` its citation support.

    Args:
        citations: ``rag.citations`` of :func:`~ir_divmeasures.read_rag`, or a DataFrame ``system, query_id, sentence,
            place, doc_id, support`` with a row for each citation; a sentence without one has a row with place 0.
            ``support`` is a grade (NaN: not judged). A column ``needed`` (0 or 1, default 1) says which sentences need
            a citation.
        sentence: the credit of a cited sentence: that of its ``'first'`` citation, or the ``'mean'``, the least
            (``'all'``) or the largest (``'any'``) credit of its judged citations.
        partial: the credit of partial support, from 0 to 1.

    Returns:
        :class:`Scores` of the five measures. A query that a system has not answered scores 0, with one warning.

    Raises:
        TypeError: no DataFrame.
        ValueError: a missing column, no rows, an unknown ``sentence``, ``partial`` outside [0, 1].

    Examples:
        >>> import pandas as pd
        >>> rows = [('A', 'q', 1, 1, 'd1', 1), ('A', 'q', 2, 1, 'd2', 2), ('A', 'q', 3, 0, '-', None)]
        >>> table = pd.DataFrame(rows, columns=['system', 'query_id', 'sentence', 'place', 'doc_id', 'support'])
        >>> citation_support(table).means()[['precision', 'recall']]  # 1.5/2 and 1.5/3
        measure  precision  recall
        system
        A             0.75     0.5
    """
    table = _checked(citations)
    one_of(sentence, SENTENCE, 'sentence')
    check_number('partial', partial)
    grade = table['support']
    credits = np.select([grade.isna(), grade >= 2, grade > 0], [np.nan, 1.0, partial], 0.0)
    table = table.assign(credit=credits)
    cited = table[table['place'] > 0]
    key = ['system', 'query_id']
    by_sentence = cited.sort_values('place', kind='stable').groupby([*key, 'sentence'], sort=False)
    credit = (
        by_sentence.head(1).set_index([*key, 'sentence'])['credit']
        if sentence == 'first'
        else by_sentence['credit'].agg(_OF_CREDITS[sentence])
    )
    of_answers = credit.groupby(level=key)
    uncited = table[(table['place'] == 0) & (table['needed'] == 1)].groupby(key).size()
    of_documents = cited.groupby([*key, 'doc_id'])['credit'].mean().groupby(level=key)
    answers = table[key].drop_duplicates()
    systems, queries = (tuple(answers[name].unique()) for name in key)
    # a row for each system and query; without an answer, or anything that counts, it is 0
    parts = pd.DataFrame(
        {
            'total': of_answers.sum(),
            'counted': of_answers.count(),
            'uncited': uncited,
            'citations': cited.groupby(key)['credit'].mean(),
            'documents': of_documents.mean(),
        },
        index=pd.MultiIndex.from_product([systems, queries]),
    ).fillna(0.0)
    n_missing = len(parts) - len(answers)
    if n_missing:
        n_answers = answers['system'].value_counts()
        fewer = [name for name in systems if n_answers[name] < len(queries)]
        warn(
            f'{n_missing} answers are missing (systems {some(fewer)}). They score 0.',
            QueriesWarning,
        )
    total, counted, uncited, *rest = parts.to_numpy().reshape(len(systems), len(queries), -1).T
    precision, recall = ratio(total, counted), ratio(total, counted + uncited)
    values = np.stack([precision, recall, _harmonic(precision, recall), *rest]).T
    return Scores(values, systems, queries, MEASURES)


def _check_columns(name: str, table: Any, columns: Iterable[str]) -> None:
    """Raise unless a table is a DataFrame with these columns; ``name`` is what read_rag calls it."""
    if not hasattr(table, 'columns'):
        raise TypeError(
            f'{name}: expected a DataFrame such as rag.{name}, found {type(table).__name__}'
        )
    for column in columns:
        if column not in table.columns:
            raise ValueError(
                f'{name}: no column {column!r} (found {", ".join(map(str, table.columns))})'
            )


def _checked(citations: Any) -> pd.DataFrame:
    _check_columns('citations', citations, COLUMNS)
    if not len(citations):
        raise ValueError('citations: the table has no rows')
    types = {'support': float, 'system': str, 'query_id': str}
    table = pd.DataFrame({'needed': 1.0, **citations}).astype(types)
    below = table[table['support'] < 0]
    if len(below):
        row = below.iloc[0]
        raise ValueError(
            f'citations: system {row.system!r}, query {row.query_id!r}, sentence {row.sentence}: support '
            f'is {row.support:g}, expected a grade of at least 0 (NaN: not judged)'
        )
    return table


def _harmonic(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return ratio(2 * one * other, one + other)


def f1(first: Scores, second: Scores) -> Scores:
    """The harmonic mean of two scores, query by query; 0 where both are 0.

    Auto-ARGUE's F1 is that of sentence support and nugget coverage; the mean over queries is its macro average.

    Args:
        first: scores by one measure.
        second: scores by one measure of the same systems and queries, in any order.

    Raises:
        ValueError: several measures, other systems or queries, or a score below 0.

    Examples:
        >>> f1(Scores([[0.5, 0.0]]), Scores([[1.0, 0.0]]))['f1']
        array([[0.66666667, 0.        ]])
    """
    for each in (first, second):
        if len(each.measures) > 1:
            raise ValueError(
                f'f1: found the measures {", ".join(each.measures)}, expected one; select(measures=[…]) '
                f'takes one'
            )
        if (each.values < 0).any():
            raise ValueError(f'f1: {each.measures[0]} has scores below 0')
    values = _harmonic(first.values, in_order_of(first, second).values)
    return Scores(values, first.systems, first.queries, ('f1',))


def aer(scores: Scores, usage: Any, gamma: float = 0.05) -> Scores:
    """Scores of a search agent lowered by its rounds: score · exp(−γ(R − 1)), BRIGHT-Pro's agentic efficiency.

    Args:
        scores: scores of systems on queries.
        usage: ``rag.usage`` of :func:`~ir_divmeasures.read_rag`, or a DataFrame ``system, query_id, rounds``.
        gamma: what a round costs, at least 0.

    Returns:
        :class:`Scores`, the measures named ``AER(…)``.

    Raises:
        TypeError: no DataFrame.
        ValueError: a system and query without rounds, or with fewer than 1; a gamma below 0.

    References:
        BRIGHT-Pro, Eq. 6.

    Examples:
        >>> import pandas as pd
        >>> usage = pd.DataFrame({'system': ['a'], 'query_id': ['q'], 'rounds': [3]})
        >>> aer(Scores([[0.5]], ['a'], ['q'], ['RR']), usage).values.ravel().round(4)  # 0.5 · exp(−0.1)
        array([0.4524])
    """
    check_number('gamma', gamma, sys.float_info.max)
    _check_columns('usage', usage, ('system', 'query_id', 'rounds'))
    keys = [usage['system'].astype(str), usage['query_id'].astype(str)]
    known = pd.Series(usage['rounds'].to_numpy(dtype=float), keys)
    places = pd.MultiIndex.from_product([scores.systems, scores.queries])
    rounds = known.reindex(places).to_numpy().reshape(scores.values.shape[:2])
    bad = np.argwhere(~(rounds >= 1))
    if len(bad):
        s, q = bad[0]
        description = 'no rounds' if np.isnan(rounds[s, q]) else f'{rounds[s, q]:g} rounds'
        raise ValueError(
            f'usage: system {scores.systems[s]!r}, query {scores.queries[q]!r} has {description}, '
            'expected at least 1'
        )
    return Scores(
        scores.values * np.exp(-gamma * (rounds - 1))[..., None],
        scores.systems,
        scores.queries,
        tuple(f'AER({name})' for name in scores.measures),
    )
