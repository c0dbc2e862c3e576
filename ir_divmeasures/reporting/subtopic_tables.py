"""The sections about subtopics or nuggets: the systems that find them, and whether answers state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..evaluation.joint import SHARES, TOTALS, Joint
from ..judgments.table import Judgments
from ..judgments.topics import Texts
from ..lazy import pd
from .facts import Tops
from .sections import Section, Table, table_of

MOST_ROWS = 500
"""The largest number of rows of a table of subtopics or nuggets, which keeps the page of a thousand questions small."""
_NAMES = 6
_FACTS = ('importance', 'weight', 'points', 'subtopic_type', 'part_of')


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

    official = judgments.official
    facts = [name for name in _FACTS if name in official.columns]
    facts_of_subtopics = official.drop_duplicates(['query_id', 'subtopic_id']).set_index(
        ['query_id', 'subtopic_id']
    )[facts]
    rows = []
    for query in queries:
        place = tops.place[query]
        n_relevant, best, finders = _finders(tops, systems, place)
        name = ' '.join(filter(None, (query, texts.query(query))))
        for t, subtopic in enumerate(tops.subtopics[place]):
            row: dict[str, Any] = {
                'query': name,
                word: subtopic,
                'text': texts.subtopic(query, subtopic),
            }
            if facts:
                row.update(facts_of_subtopics.loc[(query, subtopic)])
            row.update(
                relevant_documents=n_relevant[t],
                systems=len(finders[t]),
                share=round(len(finders[t]) / len(systems), 3),
                best_rank=best.get(t, float('nan')),
                found_by=_some_names(finders[t], systems),
            )
            rows.append(row)
    table = pd.DataFrame(rows)
    if not table['text'].any():
        table = table.drop(columns='text')
    table['_none'] = table['relevant_documents'] == 0
    table = table.sort_values(['_none', 'share'], kind='stable').drop(columns='_none')
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


def _finders(
    tops: Tops, systems: Sequence[str], place: int
) -> tuple[list[int], dict[int, int], list[list[str]]]:
    """For each subtopic of a query: its number of relevant documents, their best rank, the systems that find it."""
    found_in = [
        [int(subtopic) for subtopic, _ in tops.grades(place, doc_id) or ()]
        for doc_id in tops.documents[place]
    ]
    n = len(tops.subtopics[place])
    finders: list[list[str]] = [[] for _ in range(n)]
    best: dict[int, int] = {}
    for system in systems:
        first: dict[int, int] = {}
        for rank, document in enumerate(tops.tops[system][place], start=1):
            for subtopic in found_in[document]:
                first.setdefault(subtopic, rank)
        for subtopic, rank in first.items():
            finders[subtopic].append(system)
            best[subtopic] = min(rank, best.get(subtopic, rank))
    return tops.n_relevant(place), best, finders


def _some_names(finders: Sequence[str], systems: Sequence[str]) -> str:
    """The names of some systems, or of those that are not among them, if these are fewer.

    Examples:
        >>> _some_names('ab', 'abc'), _some_names('abcdefgh', 'abcdefghi'), _some_names('abcdefgh', 'abcdefghijklmnop')
        ('a, b', 'all but i', 'a, b, c, d, e, f and 2 more')
    """
    if len(finders) == len(systems) > 1:
        return 'all'
    if len(finders) <= _NAMES:
        return ', '.join(finders) or 'none'
    members = set(finders)
    others = [system for system in systems if system not in members]
    if len(others) <= _NAMES:
        return f'all but {", ".join(others)}'
    return f'{", ".join(finders[:_NAMES])} and {len(finders) - _NAMES} more'


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


__all__ = ['joint_section', 'subtopic_section']
