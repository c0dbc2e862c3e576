"""Scores subtopic by subtopic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..core.registry import measures as parse_all
from ..io import runs as several
from ..io.columns import COLUMNS, KEYS
from ..judgments.table import Judgments, of_documents
from .evaluate import warn_of
from .provider import Evaluator
from .scoring import Message, collecting

if TYPE_CHECKING:
    import pandas as pd


def by_subtopic(runs: Any, qrels: Any, measures: str | Iterable[Any]) -> pd.DataFrame:
    """Score each subtopic as a query of its own.

    Documents that are judged for the query, but not for the subtopic, have grade 0 for it; weights play no part.

    Args:
        runs: several runs, or one, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measures: as :func:`ir_divmeasures.measures` takes them.

    Returns:
        DataFrame ``system, query_id, subtopic_id`` and a column for each measure; subtopics in the order of the
        judgments.

    Raises:
        ValueError: as :func:`ir_divmeasures.evaluate`.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> by_subtopic({'a': {'q': {'d1': 2.0, 'd2': 1.0}}}, qrels, 'RR')
          system query_id subtopic_id   RR
        0      a        q           1  1.0
        1      a        q           2  0.5
    """
    import pandas as pd

    parsed_measures = parse_all(measures)
    table = Judgments.of(qrels).official
    rows = of_documents(table)
    aspects = table[['query_id', 'subtopic_id']].drop_duplicates().reset_index(drop=True)
    aspects['part'] = aspects.index.astype(str)
    facts = [
        name
        for name in table.columns
        if name not in KEYS and name in COLUMNS and COLUMNS[name].of == 'document'
    ]
    documents = rows[['query_id', 'doc_id', *facts]].drop_duplicates(['query_id', 'doc_id'])
    parts = aspects.merge(documents, on='query_id').merge(
        rows[['query_id', 'subtopic_id', 'doc_id', 'relevance']],
        on=['query_id', 'subtopic_id', 'doc_id'],
        how='left',
    )
    parts = parts.assign(
        relevance=parts['relevance'].fillna(0), query_id=parts['part'], subtopic_id='0'
    )
    evaluator = Evaluator(parsed_measures, parts.drop(columns='part'), warn=False)
    tables = []
    messages_of: dict[str, list[Message]] = {}
    for name, run in several.each(runs):
        with several.of_system(name), collecting(messages_of.setdefault(name, [])):
            query_rows = run.check().table.merge(aspects[['query_id', 'part']], on='query_id')
            values = {
                (m.query_id, str(m.measure)): m.value
                for m in evaluator.iter_calc(
                    query_rows.assign(query_id=query_rows['part']).drop(columns='part')
                )
            }
        tables.append(
            aspects.assign(
                system=name,
                **{
                    str(m): [values.get((part, str(m)), 0.0) for part in aspects['part']]
                    for m in parsed_measures
                },
            )
        )
    if not tables:
        raise ValueError('no runs')
    warn_of(list(messages_of), list(messages_of.values()))
    every = pd.concat(tables, ignore_index=True)
    return every[['system', 'query_id', 'subtopic_id', *map(str, parsed_measures)]]


__all__ = ['by_subtopic']
