"""Scores as the command prints them: lines a program reads, and tables with means or sums."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..core.names import TABLE
from ..core.registry import ir_measures
from ..data.files import read_bytes
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
        scores = evaluate(judged, path, measures, missing=missing, ties=ties)
        values = np.column_stack([scores[measure][0] for measure in measures])
        by_topic = dict(zip(scores.queries, values))
        topics = sorted(run['query_id'].unique(), key=int)
        rows = np.array([by_topic.get(topic, np.zeros(len(heads))) for topic in topics])
        first = read_bytes(path).split(b'\n', 1)[0].split()
        tag = first[5].decode() if len(first) == 6 else system
        means = rows.sum(axis=0) / len(scores.queries)
        lines += [
            ','.join([tag, topic, *(f'{value:.6f}' for value in row)])
            for topic, row in zip([*topics, 'amean'], [*rows, means])
        ]
    return '\n'.join(lines)
