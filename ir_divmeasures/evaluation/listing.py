"""Scores as the command prints them: lines a program reads, and tables with means or sums."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.names import TABLE
from ..core.registry import ir_measures
from ..errors import did_you_mean, visible
from ..io import text
from ..io.runs import read_runs
from ..results.tables import number
from .scores import Scores

if TYPE_CHECKING:
    import pandas as pd

    from .bounds import Bounds


def scores_by_provider(name: str, runs: Any, qrels: pd.DataFrame, measures: list[Any]) -> Scores:
    """Compute all scores with one provider of ir_measures.

    Args:
        name: of the provider, in ir_measures' registry.
        runs: as :func:`~ir_divmeasures.read_runs` takes them.
        qrels: judgments as :func:`~ir_divmeasures.read_qrels` gives them.
        measures: measure objects.

    Raises:
        ValueError: no such provider; names the nearest.
    """
    import pandas as pd

    known = ir_measures.providers.registry
    if name not in known:
        raise ValueError(f'no provider {name!r}{did_you_mean(name, known)}')
    judged = qrels.rename(columns={'subtopic_id': 'iteration'})
    rows = [
        (system, m.query_id, str(m.measure), float(m.value))
        for system, run in read_runs(runs)
        for m in known[name].iter_calc(measures, judged, run)
    ]
    frame = pd.DataFrame(rows, columns=['system', 'query_id', 'measure', 'value'])
    return Scores.from_frame(frame, missing='zero').select(measures=[str(m) for m in measures])


def bounds_table(bounds: Bounds, by_query: bool, summary: bool) -> pd.DataFrame:
    """Bounds of means, or with ``by_query`` of each query, then with ``summary`` the means as a query ``all``."""
    import pandas as pd

    means = bounds.means()
    if not by_query:
        return means
    means.insert(1, 'query_id', 'all')
    return pd.concat([bounds.table, means], ignore_index=True) if summary else bounds.table


def aggregated(scores: Scores, measures: list[Any]) -> list[list[float]]:
    """Aggregate each measure for each system as ir_measures does, mostly by the mean."""

    def of_queries(measure: Any, values: Any) -> float:
        total = measure.aggregator()
        for value in values.tolist():
            total.add(value)
        return float(total.result())

    return [[of_queries(measure, row) for row in scores[measure]] for measure in measures]


def lines_of(
    scores: Scores, measures: list[Any], form: str, places: int, by_query: bool, summary: bool
) -> list[str]:
    """One line for each value, as the command ``ir_measures`` writes them: system (if there are several), query,
    measure, value.

    Args:
        scores: what is written.
        measures: measure objects, in the order of the lines.
        form: ``'tsv'`` or ``'jsonl'``; JSON has every digit.
        places: decimals; −1 for all.
        by_query: values of each query.
        summary: each measure's mean or sum, with ``by_query`` as a query ``all``.
    """
    several = len(scores.systems) > 1
    lines = []
    totals = aggregated(scores, measures)
    for s, system in enumerate(scores.systems):
        rows: list[tuple[str | None, Any, float]] = []
        if by_query:
            values = [scores[measure][s].tolist() for measure in measures]
            rows += [
                (query, measure, values[m][q])
                for q, query in enumerate(scores.queries)
                for m, measure in enumerate(measures)
            ]
        if summary:
            rows += [
                ('all' if by_query else None, measure, totals[m][s])
                for m, measure in enumerate(measures)
            ]
        for query, measure, value in rows:
            record = {
                'system': system if several else None,
                'query_id': query,
                'measure': str(measure),
            }
            record = {name: field for name, field in record.items() if field is not None}
            lines.append(
                json.dumps({**record, 'value': value})
                if form == 'jsonl'
                else '\t'.join(
                    [
                        *(visible(str(field)) for field in record.values()),
                        number(float(value), places),
                    ]
                )
            )
    return lines


NDEVAL = {measure: name for name, measure in TABLE['ndeval'].items()}
"""ndeval's names of measures."""


def ndeval_csv(
    runs: list[str], judgments: Any, measures: list[Any], missing: str, ties: str
) -> str:
    """The lines that ``ndeval -traditional -c`` prints: one for each topic of a run, and their means.

    As for ndeval, a grade above 0 is 1, and weights are ignored. A topic without judgments has a line of zeros.

    Args:
        runs: run files.
        judgments: the judgments.
        measures: measures that ndeval has.
        missing: ``'zero'`` averages over all judged topics, ``'drop'`` over those of the run.
        ties: as for :func:`~ir_divmeasures.evaluate`.
    """
    from .evaluate import evaluate

    others = [str(measure) for measure in measures if measure.NAME not in NDEVAL]
    if others:
        raise ValueError(f'ndeval has no measure {", ".join(others)}; expected web-track')
    heads = [
        NDEVAL[m.NAME] + (f'@{m.params["cutoff"]}' if 'cutoff' in m.params else '')
        for m in measures
    ]
    judged = judgments.table[['query_id', 'subtopic_id', 'doc_id', 'relevance']]
    judged = judged.assign(relevance=(judged['relevance'] > 0).astype(int))
    lines = [','.join(['runid', 'topic', *heads])]
    for path in runs:
        ((system, run),) = read_runs(path)
        scores = evaluate(path, judged, measures, missing=missing, ties=ties)
        values = np.column_stack([scores[measure][0] for measure in measures])
        by_topic = dict(zip(scores.queries, values))
        topics = sorted(run['query_id'].unique(), key=int)
        rows = np.array([by_topic.get(topic, np.zeros(len(heads))) for topic in topics])
        first = text.read_bytes(path).split(b'\n', 1)[0].split()
        tag = first[5].decode() if len(first) == 6 else system
        means = rows.sum(axis=0) / len(scores.queries)
        lines += [
            ','.join([tag, topic, *(f'{value:.6f}' for value in row)])
            for topic, row in zip([*topics, 'amean'], [*rows, means])
        ]
    return '\n'.join(lines)


def table_of(scores: Scores, measures: list[Any], by_query: bool, summary: bool) -> pd.DataFrame:
    """A row for each system, or with ``by_query`` for each system and query, and a column for each measure.

    ``summary`` adds each measure's mean or sum, with ``by_query`` as a query ``all``.
    """
    import pandas as pd

    names, totals = [str(measure) for measure in measures], aggregated(scores, measures)
    rows: list[tuple[Any, ...]] = []
    for s, system in enumerate(scores.systems):
        if by_query:
            rows += [
                (system, query, *values)
                for query, values in zip(
                    scores.queries, scores.select(measures=names).values[s].tolist()
                )
            ]
        if summary:
            rows.append((system, *['all'] * by_query, *(total[s] for total in totals)))
    return pd.DataFrame(rows, columns=['system', *['query_id'] * by_query, *names])


__all__ = ['aggregated', 'bounds_table', 'lines_of', 'ndeval_csv', 'scores_by_provider', 'table_of']
