"""The sections about subtopics or nuggets: the systems that find them, and whether answers state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..evaluation.joint import SHARES, TOTALS, Joint
from ..evaluation.tops import Tops, subtopics_found
from ..judgments.table import Judgments
from ..judgments.topics import Texts
from ..lazy import pd
from .sections import Section, Table, table_of

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

    names = (*SHARES, *TOTALS)
    intervals = result.intervals.set_index(['system', 'share'])
    rows = []
    for system in result.shares.index:
        cells: list[tuple[str, Any]] = [(str(system), system)]
        for name in names:
            row = intervals.loc[(system, name)]
            none = pd.isna(row['low'])  # over one query
            interval = '' if none else f' [{row["low"]:.3f}, {row["high"]:.3f}]'
            cells.append((f'{row["mean"]:.3f}{interval}', float(row['mean'])))
        rows.append(cells)
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
        [False, *(True for _ in names)],
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
