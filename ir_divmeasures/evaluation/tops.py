"""The first documents of each system for each query, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.ordering import TIES, place_in_group, ranking_order
from ..judgments.arrays import LocatedRun
from ..judgments.datasets import load_dataset
from ..judgments.table import Judgments, of_documents
from ..judgments.texts import texts as texts_of
from ..judgments.topics import Texts
from ..lazy import pd

_TITLE, _NAMES = 120, 6
"""The largest numbers of characters of a title, and of systems that are named."""
FACTS = ('importance', 'weight', 'points', 'subtopic_type', 'part_of')
"""Columns of judgments that describe subtopics."""


class Tops:
    """The first documents of each system for each query, recorded while the runs are read.

    Attributes:
        depth, rel, ties: the number of documents, the lowest relevant grade, the order of equal scores.
        place: the index of each query.
        subtopics: for each query, ids of the official subtopics.
        documents: for each query, the index of each recorded document.
        tops: for each system and query, indices of documents, best first.
        cutoff: the number of documents whose share of judged ones is recorded.
        judged: for each system, the share of judged documents among the first ones of all queries.
    """

    def __init__(
        self,
        judgments: Judgments,
        depth: int,
        rel: float,
        ties: str | None = None,
        cutoff: int = 10,
    ):
        self.depth, self.rel, self.ties, self.cutoff = depth, rel, ties, cutoff
        self.judged: dict[str, float] = {}
        self.place = {query: i for i, query in enumerate(judgments.query_ids)}
        official = judgments.official
        listed = official.groupby('query_id')['subtopic_id'].unique()
        self.subtopics = [sorted(listed.get(query, ()), key=_natural) for query in self.place]
        self._grades: list[dict[str, list[list[float]]]] = [{} for _ in self.place]
        rows = of_documents(official)
        columns = ('query_id', 'doc_id', 'relevance', 'subtopic_id')
        for query, doc_id, grade, subtopic in zip(*(rows[name].tolist() for name in columns)):
            place = self.place[query]
            grades = self._grades[place].setdefault(doc_id, [])
            if grade > 0 and grade >= rel:
                grades.append([self.subtopics[place].index(subtopic), grade])
        self.documents: list[dict[str, int]] = [{} for _ in self.place]
        self.tops: dict[str, list[list[int]]] = {}

    def note(self, name: str, run: LocatedRun) -> None:
        """Record the first documents of a system."""
        how = TIES[self.ties or 'doc_id']
        order = ranking_order(run.query, run.score, run.names, None, how, run.ordered)
        query = run.query[order]
        rows = np.flatnonzero(place_in_group(query, np.bincount(query)) < self.depth)
        tops: list[list[int]] = [[] for _ in self.place]
        for place, doc_id in zip(query[rows].tolist(), run.names.pick(order[rows])):
            documents = self.documents[place]
            tops[place].append(documents.setdefault(doc_id, len(documents)))
        self.tops[name] = tops
        located = run.located()
        n_first = int(np.minimum(located.n, self.cutoff).sum())
        if n_first:
            self.judged[name] = int(np.count_nonzero(located.rank <= self.cutoff)) / n_first

    def grades(self, place: int, doc_id: str) -> list[list[float]] | None:
        """Pairs (index of a subtopic, grade) of a query's document; None if it is not judged."""
        return self._grades[place].get(doc_id)

    def n_relevant(self, place: int) -> list[int]:
        """The number of relevant documents of each subtopic of a query."""
        served = [int(t) for grades in self._grades[place].values() for t, _ in grades]
        return np.bincount(served, minlength=len(self.subtopics[place])).tolist()

    def first_ranks(self, place: int, system: str) -> dict[int, int]:
        """The rank of the first document of a system for each subtopic of a query that it finds."""
        documents, ranks = list(self.documents[place]), dict[int, int]()
        for rank, document in enumerate(self.tops[system][place], start=1):
            for subtopic, _ in self.grades(place, documents[document]) or ():
                ranks.setdefault(int(subtopic), rank)
        return ranks

    def titles(self, docs: Any) -> dict[str, str]:
        """Titles of the recorded documents, or the beginnings of their texts, where the source has them."""
        if docs is None:
            return {}
        doc_ids = list(dict.fromkeys(doc_id for of_query in self.documents for doc_id in of_query))
        if isinstance(docs, str):
            docs = load_dataset(docs)
        store = docs.docs_store() if hasattr(docs, 'docs_store') else docs
        titles: dict[str, str] = {}
        if hasattr(store, 'get_many'):
            for doc in store.get_many(doc_ids).values():
                if getattr(doc, 'title', None):
                    titles[doc.doc_id] = str(doc.title)
        elif 'title' in getattr(docs, 'columns', ()):
            key = 'doc_id' if 'doc_id' in docs.columns else 'docno'
            titles = dict(zip(docs[key].astype(str), docs['title'].astype(str)))
        if not titles:
            if isinstance(docs, Mapping):
                doc_ids = [doc_id for doc_id in doc_ids if doc_id in docs]
            titles = texts_of(docs, doc_ids, missing='skip')
        return {
            doc_id: title if len(title) <= _TITLE else title[: _TITLE - 1] + '…'
            for doc_id, title in titles.items()
        }


def _natural(name: str) -> tuple[bool, int, str]:
    """A sort key that orders numbers by value, and other ids after them."""
    return (not name.isdecimal(), int(name) if name.isdecimal() else 0, name)


def coverage_by_rank(tops: Tops, systems: Iterable[str], places: list[int]) -> NDArray[np.float64]:
    """(systems, ranks): share of a query's subtopics that the documents down to a rank cover, mean over queries.

    Only subtopics that have a relevant document count, and queries that have such subtopics.
    """
    systems = list(systems)
    totals, n_served = np.zeros((len(systems), tops.depth)), 0
    for place in places:
        n = np.count_nonzero(tops.n_relevant(place))
        n_served += bool(n)
        for total, system in zip(totals, systems):
            for rank in tops.first_ranks(place, system).values():
                total[rank - 1 :] += 1 / n
    return totals / max(1, n_served)


def subtopics_found(
    tops: Tops, systems: Sequence[str], queries: Sequence[str], texts: Texts, judgments: Judgments
) -> pd.DataFrame:
    """A row for each subtopic of the queries, the least found first: text, relevant documents, and who finds it.

    Args:
        tops: the first documents of each system.
        systems, queries: those of the scores.
        texts: texts of queries and subtopics.
        judgments: the judgments, which may have texts and other facts about subtopics.
    """
    official, key = judgments.official, ['query_id', 'subtopic_id']
    facts = [name for name in FACTS if name in official.columns]
    known = official.drop_duplicates(key).set_index(key)[facts]
    rows = []
    for query in queries:
        place = tops.place[query]
        found = {system: tops.first_ranks(place, system) for system in systems}
        for t, (name, n) in enumerate(zip(tops.subtopics[place], tops.n_relevant(place))):
            ranks = {system: first[t] for system, first in found.items() if t in first}
            rows.append(
                {
                    'query': ' '.join(filter(None, (query, texts.query(query)))),
                    'subtopic': name,
                    'text': texts.subtopic(query, name),
                    **(known.loc[(query, name)] if facts else {}),
                    'relevant_documents': n,
                    'systems': len(ranks),
                    'share': round(len(ranks) / len(systems), 3),
                    'best_rank': min(ranks.values(), default=float('nan')),
                    'found_by': _some_names(list(ranks), systems),
                }
            )
    table = pd.DataFrame(rows)
    if not table['text'].any():
        table = table.drop(columns='text')
    order = table.assign(none=table['relevant_documents'] == 0)
    return table.loc[order.sort_values(['none', 'share'], kind='stable').index]


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
    others = [name for name in systems if name not in finders]
    if len(others) <= _NAMES:
        return f'all but {", ".join(others)}'
    return f'{", ".join(finders[:_NAMES])} and {len(finders) - _NAMES} more'
