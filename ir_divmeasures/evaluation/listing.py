"""Scores as the command prints them: lines a program reads, and tables with means or sums."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..core.registry import ir_measures
from ..errors import did_you_mean, visible
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
            record = {name: text for name, text in record.items() if text is not None}
            lines.append(
                json.dumps({**record, 'value': value})
                if form == 'jsonl'
                else '\t'.join(
                    [
                        *(visible(str(text)) for text in record.values()),
                        number(float(value), places),
                    ]
                )
            )
    return lines


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


__all__ = ['aggregated', 'bounds_table', 'lines_of', 'scores_by_provider', 'table_of']
