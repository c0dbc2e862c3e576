"""Scores as the command prints them: lines a program reads, and tables with means or sums."""

from __future__ import annotations

import json
from typing import Any

from ..core.registry import ir_measures
from ..data.runs import read_runs
from ..errors import did_you_mean, visible
from ..lazy import pd
from ..tables import number
from .provider import aggregate
from .scores import Scores


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


Row = tuple[dict[str, str], list[float]]
"""A system, with values of queries also a query (``'all'`` for means and sums), and the values of the measures."""


def rows_of(scores: Scores, measures: list[Any], by_query: bool, summary: bool) -> list[Row]:
    """Scores of each query, and with ``summary`` each measure's aggregate, as ir_measures computes it."""
    rows: list[Row] = []
    names = [str(measure) for measure in measures]
    for system, values in zip(scores.systems, scores.select(measures=names).values):
        key = {'system': system}
        if by_query:
            rows += [
                ({**key, 'query_id': query}, of_query)
                for query, of_query in zip(scores.queries, values.tolist())
            ]
            key['query_id'] = 'all'
        if summary:
            rows.append((key, [aggregate(*each) for each in zip(measures, values.T)]))
    return rows


def lines_of(rows: list[Row], measures: list[Any], form: str, places: int) -> str:
    """One line for each value, as the command ``ir_measures`` writes them.

    A line has the system (if there are several), the query (if there are values of queries), the measure and the value.

    Args:
        rows: what is written.
        measures: measure objects, in the order of the values.
        form: ``'tsv'`` or ``'jsonl'``; JSON has every digit.
        places: decimals; −1 for all.
    """
    several = len({key['system'] for key, _ in rows}) > 1
    lines = []
    for key, values in rows:
        for measure, value in zip(measures, values):
            record = {**key, 'measure': str(measure)}
            if not several:
                del record['system']
            lines.append(
                json.dumps({**record, 'value': value})
                if form == 'jsonl'
                else '\t'.join([*map(visible, record.values()), number(value, places)])
            )
    return '\n'.join(lines)


def table_of(rows: list[Row], heads: list[str]) -> dict[str, list[Any]]:
    """A row for each system, or for each system and query, and a column for each measure."""
    columns = zip(*((*key.values(), *values) for key, values in rows))
    return {head: list(values) for head, values in zip([*rows[0][0], *heads], columns)}
