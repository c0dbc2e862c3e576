"""The facts about runs, judgments, topics and documents that the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..evaluation.diagnose import Diagnosis
from ..evaluation.tops import Tops, coverage_by_rank
from ..io.columns import declared
from ..io.metadata import metadata_table
from ..judgments.table import Judgments, of_documents
from ..judgments.topics import Texts
from ..lazy import pd
from ..pools.campaign import HEADINGS, tables
from ..pools.pool import Pool
from .sections import Section, polylines, table_of

_TITLE = 120


def data_section(
    judgments: Judgments, diagnosis: Diagnosis, metadata: Mapping[str, Any]
) -> Section:
    """Facts about judgments and runs that readers should know before they trust the scores."""
    queries = diagnosis.queries
    grades = of_documents(judgments.official)['relevance'].value_counts().sort_index()
    listed = int(queries['subtopics'].sum())
    facts = {
        'Queries': len(queries),
        'Judged documents of a query': _spread(queries['judged']),
        'Relevant documents of a query': _spread(queries['relevant']),
        'Subtopics of a query': _spread(queries['subtopics']),
        'Subtopics from': diagnosis.subtopics_from,
        'Queries with one subtopic only': (queries['subtopics'] <= 1).sum(),
        'Subtopics without a relevant document': f'{listed - int(queries["relevant_subtopics"].sum())} of {listed}',
        'Queries without a relevant document': (queries['relevant'] == 0).sum(),
        'Grades': ', '.join(f'{grade:g}: {n}' for grade, n in grades.items()),
        'Grades below 0': grades[grades.index < 0].sum(),
        'Further columns': ', '.join(column.name for column in declared(judgments.table)) or 'none',
    }
    table = pd.DataFrame({'fact': list(facts), 'value': [str(value) for value in facts.values()]})
    runs = diagnosis.runs[list(_OF_RUNS)].rename(columns=_OF_RUNS).reset_index()
    tables = [
        table_of(table, 'Judgments', ''),
        table_of(
            runs,
            'Runs',
            'Judged@k: share of the first k documents that have a judgment. Tied: share of documents whose score '
            'another document of the query has.',
        ),
    ]
    odd = [
        question.partition(': ')[::2]
        for question in diagnosis.questions
        if not question.startswith(('judgments: ', 'systems: '))
    ]
    if odd:
        frame = pd.DataFrame(odd, columns=['system', 'question'])
        tables.append(table_of(frame, 'What looks wrong in runs', ''))
    heads, about = metadata_table(metadata)
    if heads:
        frame = pd.DataFrame(about, columns=['system', *heads])
        tables.append(table_of(frame, 'What the runs say of themselves', ''))
    return Section('data-checks', 'The data', tables)


_OF_RUNS = {
    'matched': 'judged queries answered',
    'missing': 'judged queries lacking',
    'unjudged': 'other queries',
    'per_query': 'documents a query',
    'judged@10': 'judged@10',
    'judged@20': 'judged@20',
    'tied': 'tied',
}


def coverage_section(tops: Tops, systems: Sequence[str], places: list[int]) -> Section:
    """The first documents of a query, and the mean coverage by rank of each system."""
    coverage = coverage_by_rank(tops, systems, places)
    best = np.lexsort(tuple(-coverage.T))  # by the last rank, then by those before
    frame = pd.DataFrame(coverage[best], columns=[str(k + 1) for k in range(tops.depth)])
    frame.insert(0, 'system', [systems[s] for s in best])
    says = (
        f'Share of the subtopics with a relevant document (grade of at least {tops.rel:g}) that the documents down to '
        f'a rank cover, mean over the queries.'
    )
    chart = polylines(frame, 'Mean coverage by rank')
    table = table_of(frame, 'Mean coverage by rank', says)._replace(chart=chart, tinted=True)
    return Section('coverage', 'Rankings of a query, and subtopics covered by rank', [table])


def correlation_section(correlations: Any) -> Section:
    """How alike the measures rank the systems."""
    frame = correlations.to_frame().rename_axis('measure').reset_index()
    says = 'Kendall’s τ between the means of the systems: 1 is the same ranking, −1 the reverse.'
    table = table_of(frame, 'Correlations', says)._replace(tinted=True)
    return Section('correlations', 'How alike the measures rank the systems', [table])


def rankings(
    tops: Tops,
    systems: Sequence[str],
    places: list[int],
    titles: Mapping[str, str],
    texts: Texts,
    ids: Any,
) -> dict[str, Any]:
    """What the page shows of the first documents of each system: subtopics, documents with grades, and rankings."""
    return {
        'subtopics': [
            [{'id': t, 'text': texts.subtopic(query, t)} for t in tops.subtopics[place]]
            for query, place in zip(ids, places)
        ],
        'documents': [
            [
                [doc_id, titles.get(doc_id, ''), grades]
                for doc_id, grades in zip(tops.documents[place], tops.grades(place))
            ]
            for place in places
        ],
        'tops': [[tops.tops[system][place] for place in places] for system in systems],
    }


def _spread(counts: Any) -> str:
    return f'{counts.mean():.1f} on average, {counts.min()} to {counts.max()}'


def pool_section(
    pool: Pool, judgments: Judgments, measures: Any, rel: float, rng: int = 0
) -> Section:
    """The tables of :func:`ir_divmeasures.pools.campaign.tables` for the page, without empty ones."""
    results = []
    for name, table in tables(pool, judgments, measures, rel=rel, rng=rng).items():
        if table.index.name is not None:
            table = table.reset_index()
        if len(table):
            heading, says = HEADINGS[name]
            results.append(table_of(table, heading, says))
    return Section('pool', 'The pool', results)
