"""Check runs and judgments before they are scored: ``diagnose``."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import DivMeasure
from ..core.registry import measures as parse_all
from ..data import runs as several
from ..data.arrays import Hits, Overlay
from ..data.ids import row_keys, sort_rows
from ..data.judgments import Judgments
from ..data.runs import Run
from ..errors import naming
from ..lazy import cached_property, pd
from ..results import Result, count
from .checks import some
from .provider import Evaluator

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RunsLike

DEPTHS = {'judged@10': 10, 'judged@20': 20, 'judged': np.inf}
"""How many documents at the top a share of judged ones is of."""

LOW_JUDGED, LOW_DEPTH, MANY = 0.5, 20, 100
"""A smaller share of judged documents among so many at the top is low, of queries with as many judged ones."""

MANY_ALIKE = 10
"""Systems that retrieve fewer documents for judged queries may have the same rankings by chance."""

SMALL_TIES, WEIGHT_TOLERANCE = 0.0001, 0.02
"""The least move of a mean by ties, and the largest difference of a sum of weights from 1, because files round them."""

MEASURES = 'alpha_nDCG@20 ERR_IA@20 P_IA@20 StRecall@20 nDCG@20'
"""The measures to check for, if none are given."""


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """The result of :func:`diagnose`.

    Attributes:
        columns: the columns of ``runs``, each a list of values, and the systems.
        query_columns: the columns of ``queries``, and the ids of the queries.
        subtopics_from: the column in which the subtopics were found, or why there are none.
        questions: sentences about what you should check. Each begins with the name of the system, or with
            ``judgments:`` or ``systems:``.
    """

    columns: dict[str, list[Any]]
    query_columns: dict[str, Any]
    subtopics_from: str
    questions: tuple[str, ...]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """A row for each system; see :func:`diagnose`."""
        return pd.DataFrame(self.columns).set_index('system')

    @cached_property
    def queries(self) -> pd.DataFrame:
        """A row for each judged query, as :func:`counts_by_query` counts, and ``runs`` that
        have the query."""
        return pd.DataFrame(self.query_columns).set_index('query_id')

    def _headline(self) -> str:
        one = int((self.queries['subtopics'] <= 1).sum())
        return (
            f'Diagnosis of {count(len(self.runs), "run")} on '
            f'{count(len(self.queries), "judged query", "judged queries")}, {one:,} with at most one subtopic '
            f'(subtopics: {self.subtopics_from})'
        )

    def _notes(self) -> list[str]:
        return [f'! {question}' for question in self.questions] or ['No problems found.']

    def to_frame(self) -> pd.DataFrame:
        """The table of the runs."""
        return self.runs


def diagnose(qrels: QrelsLike, runs: RunsLike, measures: MeasuresLike = MEASURES) -> Diagnosis:
    """Check before scoring whether runs and judgments belong together and can be scored as they are.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        runs: several runs, or one, in any form that :func:`~ir_divmeasures.read_runs` takes.
        measures: the measures that you want to compute, as :func:`~ir_divmeasures.measures` takes them. Some checks
            depend on them.

    Returns:
        :class:`Diagnosis`: prints as a table with questions. ``runs`` has a row for each system:

        * ``queries`` of the run, ``matched`` of them judged, ``missing`` judged ones that it lacks, ``unjudged``;
        * ``documents`` in all, and ``per_query`` on average;
        * ``judged@10``, ``judged@20``: the share of the matched queries' top documents with a judgment, and ``judged``
          the same of all documents;
        * ``tied``: the share of documents whose score another one of the query has.

    Raises:
        FileNotFoundError, TypeError, ValueError: as :func:`~ir_divmeasures.read_runs` and
            :func:`~ir_divmeasures.read_qrels`; judgments without a query; no runs.

    Examples:
        >>> qrels = {'q1': {'d1': {'a': 1}, 'd2': {'b': 1}}}
        >>> diagnosis = diagnose(qrels, {'A': {'q1': {'d1': 2.0, 'x': 1.0}}, 'B': {'q1': {'D1': 2.0, 'D2': 1.0}}})
        >>> diagnosis.runs[['matched', 'missing', 'judged@10']]
                matched  missing  judged@10
        system
        A             1        0        0.5
        B             1        0        0.0
        >>> print(*diagnosis.questions)
        B: 2 of 2 unjudged documents in the top 10 of 1 queries are judged if their ids are compared in lower case and
        Unicode form NFKC (run: 'D1', judgments: 'd1'). Give both the same ids
    """
    judgments = Judgments.of(qrels)
    if not judgments.query_ids:
        raise ValueError('the judgments are empty: no query')
    evaluator = Evaluator(parse_all(measures), judgments)
    questions = [f'judgments: {text}' for text, _ in evaluator.messages()]
    rows: list[dict[str, Any]] = []
    others: list[str] = []
    systems_of: dict[Any, list[str]] = {}
    n_runs = np.zeros(len(judgments.query_ids), dtype=int)
    for system, run in several.each(runs):
        with naming(f'system {system!r}'):
            overlay = judgments.align(run)
        hits = overlay.located()
        messages = evaluator.questions(run, overlay, moved=SMALL_TIES)
        questions += [f'{system}: {text}' for text, _ in messages]
        others += [f'{system}: {text}' for text in [_low_judged(judgments, hits)] if text]
        if hits.n.sum() >= MANY_ALIKE:
            same = row_keys(overlay.query, overlay.names).sum()  # whatever their order
            parts = hits.pair, hits.rank, hits.n, same
            key = tuple(zlib.crc32(part.tobytes()) for part in parts)
            systems_of.setdefault(key, []).append(system)
        rows.append({'system': system, **_of_run(run, overlay)})
        n_runs += hits.n > 0
    if not rows:
        raise ValueError('no runs')
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    counts = counts_by_query(judgments)
    others = [*_questions(judgments, counts, list(evaluator.own.values())), *others]
    others += [
        f'systems: {some(same)} have the same rankings. Are they one system?'
        for same in systems_of.values()
        if len(same) > 1
    ]
    subtopics = judgments.passed_over or 'none (no column of subtopics)'
    if judgments.subtopic_column is not None:
        subtopics = f'the column {judgments.subtopic_column!r}'
    return Diagnosis(
        columns,
        {'query_id': judgments.query_ids, **counts, 'runs': n_runs},
        subtopics,
        (*others, *questions),
    )


def _of_run(run: Run, overlay: Overlay) -> dict[str, Any]:
    """The row of a run in :attr:`Diagnosis.runs`."""
    hits, n_unjudged = overlay.located(), len(overlay.unjudged)
    n_matched = int(np.count_nonzero(hits.n))
    row: dict[str, Any] = {
        'queries': n_matched + n_unjudged,
        'matched': n_matched,
        'missing': len(hits.n) - n_matched,
        'unjudged': n_unjudged,
        'documents': len(run),
        'per_query': len(run) / max(n_matched + n_unjudged, 1),
    }
    for name, depth in DEPTHS.items():
        n_first = np.minimum(hits.n, depth).sum()
        n_judged = np.count_nonzero(hits.rank <= depth)
        row[name] = float(n_judged / n_first) if n_first else np.nan
    tied = sort_rows(run.query_id.codes()[0], run.score).tied
    n_tied = np.count_nonzero(np.append(tied, False) | np.append(False, tied))
    row['tied'] = n_tied / max(len(run), 1)
    return row


def _low_judged(judgments: Judgments, hits: Hits) -> str | None:
    """Most documents at the top are unjudged, in queries with many judged documents."""
    deep = (judgments.documents_per_query >= LOW_DEPTH) & (hits.n > 0)
    top = int(np.minimum(hits.n[deep], LOW_DEPTH).sum())
    judged = np.count_nonzero(deep[hits.query[hits.rank <= LOW_DEPTH]])
    if top < MANY or judged >= LOW_JUDGED * top:
        return None
    return (
        f'{top - judged} of the {top} documents in the top {LOW_DEPTH} of {np.count_nonzero(deep)} queries are not '
        f'judged, and count as not relevant: judged@{LOW_DEPTH} is {judged / top:.0%}. judged_only=True leaves them out'
    )


def _questions(
    judgments: Judgments,
    counts: dict[str, NDArray[Any]],
    measures: list[DivMeasure],
) -> Iterator[str]:
    """Questions about the judgments for which no measure gives a warning.

    Args:
        judgments: the judgments.
        counts: what :func:`counts_by_query` counts.
        measures: the measures of ours.
    """
    n_relevant = counts['relevant']
    sums = counts.get('weight_sum', np.ones(1))[: None if 'weight_sum' in counts else 0]
    off = np.abs(sums - 1) > WEIGHT_TOLERANCE
    off &= (n_relevant > 0)[: len(off)]
    own = sorted(str(each) for each in measures if each.diversity and not each.any_scale)
    if off.any() and own:
        example = int(np.flatnonzero(off)[0])
        yield (
            f'judgments: the weights of {off.sum()} of {len(sums)} queries do not sum to 1 over the judged intents '
            f'({judgments.query_ids[example]!r}: {sums[example]:.4g}), and {own[0]} depends on it; '
            f'with_weights(…, normalise=True) makes them sum to 1'
        )
    none = [query for query, n in zip(judgments.query_ids, n_relevant) if not n]
    if 2 * len(none) > len(n_relevant):
        yield f'judgments: {len(none)} of {len(n_relevant)} queries have no relevant document ({some(none)})'


def counts_by_query(judgments: Judgments) -> dict[str, NDArray[Any]]:
    """Count subtopics, documents and relevant documents of the official intents.

    Args:
        judgments: the judgments.

    Returns:
        By name, each (queries,): ``subtopics`` that the judgments list, ``relevant_subtopics`` with a grade above 0,
        ``judged`` and ``relevant`` documents, ``per_subtopic``, relevant documents of a relevant subtopic on average,
        and ``weight_sum`` where there are weights.
    """
    n, pair, query = len(judgments.query_ids), judgments.row_pair, judgments.query_of_row
    code, subtopics = judgments.subtopic
    listed = (judgments.layer == judgments.base) & judgments.lists
    judged = judgments.judged_rows
    positive = judged & (judgments.relevance > 0)
    aspect = query * len(subtopics) + code

    def count_distinct(rows: NDArray[np.bool_], number: NDArray[Any]) -> NDArray[Any]:
        """The count of distinct ones among the numbers of some rows, by query."""
        _, first = np.unique(number[rows], return_index=True)
        return np.bincount(query[rows][first], minlength=n)

    counts: dict[str, NDArray[Any]] = {
        'subtopics': count_distinct(listed, aspect),
        'relevant_subtopics': count_distinct(positive, aspect),
        'judged': count_distinct(judged, pair),
        'relevant': count_distinct(positive, pair),
    }
    with np.errstate(invalid='ignore'):
        graded = np.bincount(query[positive], minlength=n)
        counts['per_subtopic'] = graded / counts['relevant_subtopics']
    if 'weight' in judgments.names:
        weights = judgments.table[listed].drop_duplicates(['query_id', 'subtopic_id'])
        sums = weights.groupby('query_id')['weight'].sum()
        counts['weight_sum'] = sums.reindex(judgments.query_ids).to_numpy()
    return counts
