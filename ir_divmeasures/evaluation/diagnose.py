"""What is to be known of runs and judgments before anyone scores: ``diagnose``."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import did_you_mean
from ..io import runs as several
from ..io.coding import codes, encode
from ..judgments.arrays import LocatedRun
from ..judgments.statistics import statistics
from ..judgments.table import Judgments
from ..results import Result
from . import checks

if TYPE_CHECKING:
    import pandas as pd

DEPTHS = (10, 20)
"""``judged@k`` is told for these k."""


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """What :func:`diagnose` found.

    Attributes:
        runs: a row for each system; see :func:`diagnose`.
        queries: a row for each judged query, as :func:`~ir_divmeasures.judgments.statistics.statistics` counts, and
            ``runs`` that have the query.
        subtopics_from: the column in which the subtopics were found, or why there are none.
        questions: what is to be questioned, each in a sentence; what measures would warn of.
    """
    runs: pd.DataFrame
    queries: pd.DataFrame
    subtopics_from: str
    questions: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """The table of the runs."""
        return self.runs

    def __str__(self) -> str:
        one = int((self.queries['subtopics'] <= 1).sum())
        lines = [self.runs.to_string(float_format=lambda value: f'{value:.3f}'), '',
                 f'{len(self.queries)} judged queries, {one} of them with at most one subtopic; subtopics: '
                 f'{self.subtopics_from}',
                 *(f'! {question}' for question in self.questions)]
        return '\n'.join(lines if self.questions else [*lines, 'nothing to question'])


def diagnose(runs: Any, qrels: Any) -> Diagnosis:
    """Look at runs and judgments before they are scored: do they belong together, and can they be scored as they are?

    Args:
        runs: several runs, or one, in any form that :func:`~ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.

    Returns:
        :class:`Diagnosis`: prints as a table with questions. ``runs`` has a row for each system:

        * ``queries`` of the run, ``matched`` of them judged, ``missing`` judged ones that it lacks, ``unjudged``;
        * ``documents`` in all, and ``per_query`` on average;
        * ``judged@10``, ``judged@20``: the share of the matched queries' top documents with a judgment, and ``judged``
          the same of all documents;
        * ``tied``: the share of documents whose score another one of the query has;
        * ``other_order``: matched queries in which a judged document has another rank where scores are compared in 32
          bits (see :func:`~ir_divmeasures.distinct_scores`).

    Raises:
        FileNotFoundError, TypeError, ValueError: as :func:`~ir_divmeasures.read_runs` and
            :func:`~ir_divmeasures.read_qrels`; judgments without a query; no runs.

    Examples:
        >>> qrels = {'q1': {'d1': {'a': 1}, 'd2': {'b': 1}}}
        >>> found = diagnose({'A': {'q1': {'d1': 2.0, 'x': 1.0}}, 'B': {'q1': {'D1': 2.0, 'D2': 1.0}}}, qrels)
        >>> found.runs[['matched', 'missing', 'judged@10']]
                matched  missing  judged@10
        system                             
        A             1        0        0.5
        B             1        0        0.0
        >>> found.questions
        ('B: 0 of the 2 documents in the top 10 of 1 judged queries are judged',)
    """  # noqa: W291
    import pandas as pd

    judged = Judgments.of(qrels)
    if not judged.query_ids:
        raise ValueError('the judgments are empty: no query')
    collection = judged.collection
    rows, asked, have = [], [], np.zeros(len(judged.query_ids), dtype=int)
    for system, run in several.each(runs):
        with several.of_system(system), run.naming_line():
            coded = collection.read(run)
            row, questions = _of_run(judged, run, coded)
        rows.append({'system': system, **row})
        asked += [f'{system}: {question}' for question in questions]
        have += coded.located().n > 0
    if not rows:
        raise ValueError('no runs')
    queries = statistics(judged).queries.set_index('query_id').assign(runs=have)
    return Diagnosis(pd.DataFrame(rows).set_index('system'), queries, _subtopics_from(judged),
                     (*_of_judgments(judged, queries), *asked))


def _of_run(judged: Judgments, run: several.Run, coded: LocatedRun) -> tuple[dict[str, Any], list[str]]:
    located = coded.located()
    names = encode(run.query_id)[1].to_pylist()
    found = checks.overlap(judged, names, coded)
    unlike = checks.queries_of_another_order(coded)
    query, score = codes(run.query_id), run.score
    tied = _tied(query, score)
    retrieved = int(located.n.sum())
    row: dict[str, Any] = {
        'queries': len(names), 'matched': found.matched, 'missing': found.judged_queries - found.matched,
        'unjudged': len(names) - found.matched, 'documents': len(run), 'per_query': len(run) / max(len(names), 1)}
    for k in DEPTHS:
        top = int(np.minimum(located.n, k).sum())
        row[f'judged@{k}'] = int(np.count_nonzero(located.rank <= k)) / top if top else float('nan')
    row['judged'] = len(located.pair) / retrieved if retrieved else float('nan')
    row['tied'] = float(tied.mean()) if len(tied) else 0.0
    row['other_order'] = len(unlike)
    asked = [message for message, _ in checks.questions(found, lambda: checks.ids_look_alike(judged, run))]
    if not len(run):
        asked.append('has no documents')
    elif not found.matched:
        near = did_you_mean(names[0], judged.query_ids, list_known=False)
        asked.append(f'none of its {len(names)} queries is judged (run: {names[0]!r}, …; judgments: '
                     f'{judged.query_ids[0]!r}, …){near}')
    if unlike:
        asked.append(f'{len(unlike)} queries are ordered differently where scores are compared in 32 bits; '
                     f'distinct_scores(run) makes all measures order them alike')
    return row, asked


def _tied(query: Any, score: Any) -> Any:
    """Which rows have a score that another row of the query has."""
    import pandas as pd

    return pd.DataFrame({'query': query, 'score': score}).duplicated(keep=False).to_numpy()


def _subtopics_from(judged: Judgments) -> str:
    if judged.subtopic_column is not None:
        return f'the column {judged.subtopic_column!r}'
    return judged.passed_over or 'none (no column subtopic_id or iteration)'


def _of_judgments(judged: Judgments, queries: pd.DataFrame) -> list[str]:
    asked = []
    n = len(queries)
    if (queries['subtopics'] <= 1).all():
        asked.append(f'judgments: {n} of {n} queries have one subtopic only, which says nothing about diversity')
    none = queries.index[queries['relevant'] == 0]
    if 2 * len(none) > n:
        asked.append(f'judgments: {len(none)} of {n} queries have no relevant document ({", ".join(none[:3])}, …)')
    if 'weight_sum' in queries.columns:
        off = queries.index[((queries['weight_sum'] - 1).abs() > checks.WEIGHT_TOLERANCE) & (queries['relevant'] > 0)]
        if len(off):
            asked.append(f'judgments: the weights of {len(off)} of {n} queries do not sum to 1 ({off[0]!r}: '
                         f'{queries.weight_sum[off[0]]:.4g})')
    grades = judged.by_document['relevance'].to_numpy()
    if grades.dtype.kind == 'f' and (fractional := int(np.count_nonzero(grades != np.floor(grades)))):
        asked.append(f'judgments: {fractional} of {len(grades)} documents have fractional grades, which measures '
                     f"left to trec_eval's library do not take (Bpref, IPrec, SetP, …)")
    return asked


__all__ = ['Diagnosis', 'diagnose']
