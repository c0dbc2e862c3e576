"""The folded parts of the page below the leaderboard: tables, and one chart of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..evaluation.diagnose import Diagnosis
from ..evaluation.joint import SHARES, TOTALS, Joint
from ..evaluation.tops import Tops, coverage_by_rank, subtopics_found
from ..explanation.sensitivity import Sensitivity
from ..explanation.settings import agreement, value_text, winners
from ..io.columns import declared
from ..io.metadata import metadata_table
from ..judgments.table import Judgments, of_documents
from ..judgments.topics import Texts
from ..lazy import pd
from ..pools.campaign import HEADINGS, tables
from ..pools.pool import Pool

MOST_LINES = 8
"""The largest number of lines of a chart."""


class Table(NamedTuple):
    """A table of the page.

    Attributes:
        heading: what the table shows.
        says: a description of its columns.
        columns: names of the columns.
        rows: (text, value) of each cell, row by row.
        numbers: whether each column is numeric.
        tinted: cells of numbers between −1 and 1 are tinted.
        chart: SVG, or an empty text.
    """

    heading: str
    says: str
    columns: list[str]
    rows: list[list[tuple[str, Any]]]
    numbers: list[bool]
    tinted: bool = False
    chart: str = ''


class Section(NamedTuple):
    """A folded section of the page.

    Attributes:
        id: its id in the page.
        heading: its heading.
        tables: its tables.
    """

    id: str
    heading: str
    tables: list[Table]


def table_of(frame: pd.DataFrame, heading: str, says: str, most: int | None = None) -> Table:
    """A DataFrame as a table of the page. Of more than ``most`` rows only the first ones are part of it."""
    if most is not None and len(frame) > most:
        says = f'{says} Of {len(frame):,} rows the first {most} are listed.'
        frame = frame.head(most)
    numbers = [column.dtype.kind in 'iuf' for _, column in frame.items()]
    rows = [
        [(f'{value:.4g}' if isinstance(value, float) else str(value), value) for value in row]
        for row in frame.astype(object).itertuples(index=False)
    ]
    return Table(
        heading, says, [str(column).replace('_', ' ') for column in frame.columns], rows, numbers
    )


def polylines(frame: pd.DataFrame, heading: str) -> str:
    """The first rows of a table as lines: names in the first column, then values from 0 to 1 by rank.

    Args:
        frame: the table.
        heading: what the chart shows.
    """
    n, shown = len(frame.columns) - 1, frame.head(MOST_LINES)
    x = [40 + 400 * (i / (n - 1) if n > 1 else 0.5) for i in range(n)]
    parts = ['<path class="axis" d="M40 10V210H440"/>']
    for value in (0, 0.5, 1):
        parts.append(f'<text x="34" y="{214 - 200 * value:.0f}" text-anchor="end">{value:g}</text>')
    for rank in sorted({1, (n + 1) // 2, n}):
        parts.append(f'<text x="{x[rank - 1]:.1f}" y="228" text-anchor="middle">{rank}</text>')
    for line, row in enumerate(shown.itertuples(index=False)):
        points = ' '.join(f'{a:.1f},{210 - 200 * value:.1f}' for a, value in zip(x, row[1:]))
        y = 22 + 24 * line
        parts.append(f'<polyline class="line s{line}" points="{points}"/>')
        parts.append(f'<path class="line s{line}" d="M460 {y - 4}h22"/>')
        name = str(row[0]) if len(str(row[0])) <= 30 else f'{str(row[0])[:29]}…'
        parts.append(f'<text x="488" y="{y}">{escape(name)}</text>')
    return f'<svg class="lines" viewBox="0 0 740 236" role="img" aria-label={quoteattr(heading)}>{"".join(parts)}</svg>'


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
    documents, first = tops.documents
    return {
        'subtopics': [
            [{'id': t, 'text': texts.subtopic(query, t)} for t in tops.subtopics[place]]
            for query, place in zip(ids, places)
        ],
        'documents': [
            [[doc_id, titles.get(doc_id, ''), grades] for doc_id, grades in documents[place]]
            for place in places
        ],
        'tops': [[first[system][place] for place in places] for system in systems],
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


def sensitivity_section(results: Sequence[Sensitivity]) -> Section:
    """For each measure the system that is best at each setting, and how far settings agree with the default."""
    tables = []
    for result in results:
        frame = result.to_frame()
        grid = ' × '.join(f'{len(values)} {name}' for name, values in result.axes.items())
        default = ', '.join(f'{name}={value_text(x)}' for name, x in result.default.items())
        tables.append(
            table_of(
                winners(result),
                f'{result.measure}: the best system over {grid}',
                f'Share: of the {len(frame):,} settings. The further columns are the values of the parameters at which the '
                f'system is best, from the least to the largest. Default: {default}.',
            )
        )
        if 'kendall' in frame:
            tables.append(
                table_of(
                    agreement(result),
                    f'{result.measure}: agreement with the default',
                    'Kendall’s τ between the rankings of the systems at a setting and at the default: '
                    'mean and least over the settings with this value.',
                )
            )
    return Section('parameters', 'What the parameters decide', tables)


MOST_ROWS = 500
"""The largest number of rows of a table of subtopics or nuggets, which keeps the page of a thousand questions small."""


def subtopic_section(
    tops: Tops,
    systems: Sequence[str],
    queries: Sequence[str],
    texts: Texts,
    judgments: Judgments,
    word: str,
) -> Section:
    """The subtopics of the queries, the least found first: texts, relevant documents, and which systems find them.

    Args:
        tops: the first documents of each system.
        systems, queries: those of the scores.
        texts: texts of queries and subtopics.
        judgments: the judgments, which may have texts and other facts about subtopics.
        word: what the page calls a subtopic.
    """
    table = subtopics_found(tops, systems, queries, texts, judgments).rename(
        columns={'subtopic': word}
    )
    says = (
        f'A system finds a {word} if a relevant document for it is among the first {tops.depth}. Share: of the '
        f'systems. Best rank: the highest rank of such a document in any system. The {word}s that fewest systems '
        f'find come first, and those without a relevant document last.'
    )
    return Section(
        'intents',
        f'{word.capitalize()}s: who finds them, and how hard they are',
        [table_of(table, f'{word.capitalize()}s of the queries', says, most=MOST_ROWS)],
    )


def joint_section(result: Joint, depth: int) -> Section:
    """What became of the nuggets: the shares of each system with intervals, and each nugget."""

    names = [*SHARES, *TOTALS]
    cells = {
        (row.system, row.share): (
            f'{row.mean:.3f}' + ('' if pd.isna(row.low) else f' [{row.low:.3f}, {row.high:.3f}]'),
            row.mean,
        )
        for row in result.intervals.itertuples()
    }
    rows = [
        [(str(system), system), *(cells[system, name] for name in names)]
        for system in result.shares.index
    ]
    says = (
        f'Used: in the context and in the answer. Unused: in the context only. Unsupported: in the answer only. '
        f'Unfound: in neither. Found is used + unused, and stated is used + unsupported. The context is the first '
        f'{depth} documents. In brackets: {result.confidence_level:.0%} intervals over the queries.'
    )
    shares = Table(
        'Shares of the nuggets',
        says,
        ['system', *names],
        rows,
        [False, *[True] * len(names)],
    )
    by_nugget = result.nuggets.groupby(['query_id', 'subtopic_id'], sort=False)[list(SHARES)].mean()
    listed = result.hardest().merge(by_nugget.reset_index(), on=['query_id', 'subtopic_id'])
    listed = listed.rename(columns={'query_id': 'query', 'subtopic_id': 'nugget'}).drop(
        columns='part_of', errors='ignore'
    )
    texts = [column for column in listed.columns if listed[column].dtype.kind not in 'iuf']
    listed[texts] = listed[texts].astype(object).where(pd.notna(listed[texts]), '')
    return Section(
        'joint',
        'What became of the nuggets in contexts and answers',
        [
            shares,
            table_of(
                listed,
                'Shares of each nugget',
                'Means over the systems, the nugget that fewest contexts contain first.',
                most=MOST_ROWS,
            ),
        ],
    )
