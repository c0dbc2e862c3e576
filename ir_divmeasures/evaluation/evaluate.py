"""From runs, judgments and measures to scores: ``evaluate``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures as parse_all
from ..data.ids import check_ties
from ..data.runs import named
from ..errors import QueriesWarning, limited, one_of, warn, whole
from ..progress import progress
from . import parts
from .parts import System
from .provider import Evaluator
from .scores import MISSING, Scores, complete, describe_missing, some

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RunsLike


@limited()
def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    missing: str = 'zero',
    jobs: int = 1,
    ties: str | None = None,
    rows_per_part: int = parts.ROWS,
) -> Scores:
    """Score every system on every query with every measure.

    Each process has one run in memory at a time. A terminal shows a progress bar.

    Args:
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes, or in the form of runs that are
            larger than memory.
        runs: several runs, or one, in any form that :func:`ir_divmeasures.read_runs` takes; or a Dask or Spark
            DataFrame, a parquet folder as engines write it, or a pyarrow dataset, which may be larger than memory
            (docs/guide/scripts.md).
        measures: as :func:`ir_divmeasures.measures` takes them, ours and any that ir_measures can compute.
        missing: what to do with judged queries that a run lacks. ``'zero'``: 0 by definition, with one warning;
            ``'drop'``: only queries that all runs have; ``'raise'``: an error
            unless all runs have all judged queries.
        jobs: number of worker processes (needs joblib); −1 takes all cores. Scores do not depend on it.
        ties: how all measures order documents of equal scores: ``'doc_id'``, ``'doc_id_ascending'`` or ``'rows'``, as
            for :func:`ir_divmeasures.distinct_scores`. By default each measure orders them as its program does, ours
            by doc_id descending, and a warning says where the order matters.
        rows_per_part: about how many rows of runs or judgments a part of a parquet folder has. Fewer rows take less
            memory in each process.

    Returns:
        :class:`Scores`, systems in the order given (files by name), queries in the order of the judgments; of
        Dask, Spark and parquet folders both in the order of their ids.

    Raises:
        FileNotFoundError, TypeError, ValueError: no runs, a file or frame that is not a run (names it), two systems of
            one name, unknown measures, judgments that cannot be used, arguments in the wrong order.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> evaluate(qrels, {'a': {'q': {'d1': 2.0, 'd2': 1.0}}, 'b': {'q': {'d1': 1.0}}}, 'StRecall@2').means()
        measure  StRecall@2
        system
        a               1.0
        b               0.5
    """
    one_of(missing, MISSING, 'missing')
    parsed_measures = parse_all(measures)
    if not parsed_measures:
        raise ValueError('no measures')
    if ties is not None:
        check_ties(ties)
    if isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)) or jobs == 0:
        raise ValueError(
            f'jobs={jobs!r}: expected a whole number that is not 0; -1 takes all cores'
        )
    whole(rows_per_part, 'rows_per_part')
    n_workers = 1
    if jobs != 1:
        import joblib

        n_workers = joblib.effective_n_jobs(int(jobs))
    if parts.engine_of(runs):
        queries, systems = parts.score_parts(
            runs, qrels, parsed_measures, n_workers, rows_per_part, ties
        )
        return collect(systems, parsed_measures, queries, missing)
    if engine := parts.engine_of(qrels):
        qrels = parts.in_memory(qrels, engine)
    evaluator = Evaluator(parsed_measures, qrels, ties)
    for message in evaluator.messages():
        warn(*message)
    pairs, total = named(runs)
    systems = []
    with progress(total, 'run', 'runs') as bar:
        for system in parts.score_systems(evaluator, pairs, total, n_workers):
            systems.append(system)
            bar.update()
    return collect(systems, parsed_measures, evaluator.query_ids, missing)


def collect(
    systems: Sequence[System], measures: Sequence[Any], queries: list[str], missing: str
) -> Scores:
    """The scores of systems on the judged queries, with the warnings about them.

    Raises:
        ValueError: no query, or no system.
    """
    if not queries:
        raise ValueError('the judgments are empty: no query to score')
    if not systems:
        raise ValueError('no runs')
    names = [system.name for system in systems]
    parts.warn_about('system', names, [system.messages for system in systems])
    present: NDArray[np.bool_] = np.stack([system.present for system in systems])
    if not present.any():
        retrieved = list(dict.fromkeys(query for each in systems for query in each.unjudged))
        known = f'; runs: {some(retrieved)}' if retrieved else ''
        raise ValueError(
            f'no run has any of the {len(queries)} judged queries (judgments: {some(queries)}{known})'
        )
    if missing == 'zero' and not present.all():
        clauses, is_met = [], np.any(present, axis=0)
        absent = [query for query, is_there in zip(queries, is_met) if not is_there]
        if absent:
            clauses.append(
                f'{len(absent)} of {len(queries)} judged queries are in no run ({some(absent)})'
            )
        if not present[:, is_met].all():
            met = [query for query, is_there in zip(queries, is_met) if is_there]
            clauses.append(describe_missing(present[:, is_met], names, met))
        warn(
            f"{'; '.join(clauses)}. They are scored 0. To leave them out, pass missing='drop' (--missing drop).",
            QueriesWarning,
        )
    values = np.stack([system.values for system in systems])
    if missing != 'zero':
        values, queries = complete(values, present, names, queries, missing, 'that are judged')
    return Scores(values, names, queries, measures)
