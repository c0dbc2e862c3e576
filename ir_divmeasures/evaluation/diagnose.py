"""Check runs and judgments before they are scored: ``diagnose``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.registry import measures as parse_all
from ..io import runs as several
from ..io.ordering import Sorted
from ..judgments.blocks import JudgedHits
from ..judgments.statistics import by_query
from ..judgments.table import Judgments
from ..lazy import pd
from ..results import Result, count
from .facts_of_runs import Facts
from .gate import ask, some
from .provider import Evaluator
from .ties import queries_of_another_order

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RunsLike

DEPTHS = {'judged@10': 10, 'judged@20': 20, 'judged': np.inf}
"""How many documents at the top a share of judged ones is of."""

MEASURES = 'alpha_nDCG@20 ERR_IA@20 P_IA@20 StRecall@20 nDCG@20'
"""The measures to check for, if none are given."""


class Diagnosis(Result):
    """The result of :func:`diagnose`.

    Attributes:
        runs: a row for each system; see :func:`diagnose`.
        queries: a row for each judged query, as :func:`~ir_divmeasures.judgments.statistics.statistics` counts, and
            ``runs`` that have the query.
        subtopics_from: the column in which the subtopics were found, or why there are none.
        questions: sentences about what you should check. Each begins with the name of the system, or with
            ``judgments:`` or ``systems:``.
        kinds: for each question the name of the class of warning (:mod:`ir_divmeasures.errors`) that measures would
            give, or ''.
    """

    _notes_source = 'questions'


def diagnose(runs: RunsLike, qrels: QrelsLike, measures: MeasuresLike = MEASURES) -> Diagnosis:
    """Check before scoring whether runs and judgments belong together and can be scored as they are.

    Args:
        runs: several runs, or one, in any form that :func:`~ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures: the measures that you want to compute, as :func:`~ir_divmeasures.measures` takes them. Some checks
            depend on them.

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
        >>> print(*found.questions)
        B: 2 of 2 unjudged documents in the top 10 of 1 queries are judged if ids are compared in lower case (run: 'D1',
        judgments: 'd1')
    """
    judgments = Judgments.of(qrels)
    if not judgments.query_ids:
        raise ValueError('the judgments are empty: no query')
    examination = Examination(judgments, measures)
    for system, run in several.each(runs):
        examination.add(system, examination.facts(system, run))
    return examination.diagnosis()


class Examination:
    """What :func:`diagnose` has seen so far. A caller who reads runs for another purpose adds them one after the other.

    Args:
        judgments: the judgments.
        measures: as for :func:`diagnose`.
    """

    def __init__(self, judgments: Judgments, measures: MeasuresLike = MEASURES):
        self._judgments = judgments
        # Its warnings become the questions.
        self._evaluator = Evaluator(parse_all(measures), judgments, warn=False, asks=False)
        self._rows: list[dict[str, Any]] = []
        self._digests: dict[str, str] = {}
        self._n_runs = np.zeros(len(judgments.query_ids), dtype=int)
        self._questions: list[tuple[Any, ...]] = []
        self._ask('judgments', 'judgments', self._evaluator.facts())

    def _ask(self, about: str, stage: str, facts: Facts) -> None:
        self._questions += [(about, *question) for question in ask(facts, stage)]

    def facts(self, system: str, run: several.Run) -> Facts:
        """The facts about the run of a system.

        Raises:
            ValueError: the run cannot be used; names the system.
        """
        with several.of_system(system):
            return self._evaluator.facts(run, self._evaluator.locate(run))

    def add(self, system: str, known: Facts) -> None:
        """Examine the run of a system, of which any evaluator with these judgments knows the facts."""
        run, coded = known.run, known.coded
        facts = self._evaluator.facts(run, coded)
        facts.answers = known.answers
        for stage in ('run', 'scores'):
            self._ask(system, stage, facts)
        if known.ranking_digest is not None:
            self._digests[system] = known.ranking_digest
        self._rows.append({'system': system, **_of_run(known)})
        self._n_runs += coded.located().n > 0

    def diagnosis(self) -> Diagnosis:
        """Return what there is to say of all runs.

        Raises:
            ValueError: no runs.
        """
        if not self._rows:
            raise ValueError('no runs')
        self._ask('systems', 'systems', Facts(digests=self._digests))
        judgments = self._judgments
        queries = by_query(judgments).assign(runs=self._n_runs)
        runs = pd.DataFrame(self._rows).set_index('system')
        asked = [(each, '') for each in _questions(judgments, queries, runs)]
        asked += [
            (f'{about}: {message}', category.__name__)
            for about, message, category in self._questions
        ]
        questions, kinds = zip(*asked) if asked else ((), ())
        subtopics = judgments.passed_over or 'none (no column subtopic_id or iteration)'
        if judgments.subtopic_column is not None:
            subtopics = f'the column {judgments.subtopic_column!r}'
        one = int((queries['subtopics'] <= 1).sum())
        return Diagnosis(
            runs,
            f'Diagnosis of {count(len(runs), "run")} on '
            f'{count(len(queries), "judged query", "judged queries")}, {one:,} with at most one subtopic '
            f'(subtopics: {subtopics})',
            [f'! {question}' for question in questions] or ['No problems found.'],
            runs=runs,
            queries=queries,
            subtopics_from=subtopics,
            questions=questions,
            kinds=kinds,
        )


def _of_run(facts: Facts) -> dict[str, Any]:
    """The row of a run in :attr:`Diagnosis.runs`."""
    run, coded, located = facts.run, facts.coded, facts.coded.located()
    row: dict[str, Any] = {
        'queries': facts.n_queries,
        'matched': facts.n_matched,
        'missing': len(located.n) - facts.n_matched,
        'unjudged': len(coded.unjudged[0]),
        'documents': len(run),
        'per_query': len(run) / max(facts.n_queries, 1),
    }
    row |= {name: judged_share(located, depth) for name, depth in DEPTHS.items()}
    judged_alone = len(coded.query) == len(run)
    tied = (coded.ordered if judged_alone else Sorted.of(run.query_id.codes()[0], run.score)).tied
    n_tied = np.count_nonzero(np.append(tied, False) | np.append(False, tied))
    row['tied'] = n_tied / max(len(run), 1)
    row['other_order'] = len(queries_of_another_order(coded))
    return row


def judged_share(located: JudgedHits, depth: float) -> float:
    """The share of judged documents among the first ones of all queries, NaN where there are none."""
    n_first = np.minimum(located.n, depth).sum()
    return float(np.count_nonzero(located.rank <= depth) / n_first) if n_first else np.nan


def _questions(judgments: Judgments, queries: pd.DataFrame, runs: pd.DataFrame) -> Iterator[str]:
    """Questions about the judgments, and about queries of runs without judgments, for which no measure gives a warning."""
    none = queries.index[queries['relevant'] == 0]
    if 2 * len(none) > len(queries):
        yield f'judgments: {len(none)} of {len(queries)} queries have no relevant document ({some(none)})'
    fractional = (judgments.by_document['relevance'] % 1 != 0).to_numpy()
    if fractional.any():
        yield (
            f'judgments: {fractional.sum()} of {len(fractional)} documents have fractional grades, which measures '
            f"left to trec_eval's library do not take (Bpref, IPrec, SetP, …)"
        )
    # of runs that have most of the judged queries
    extra = runs[(runs['unjudged'] > 0) & (runs['matched'] >= runs['missing'])]
    if len(extra):
        first = extra.iloc[0]
        yield (
            f'systems: {len(extra)} of {len(runs)} ({some(extra.index)}) have queries without judgments, '
            f'which do not count ({first.unjudged:g} of {first.queries:g} in the first)'
        )
