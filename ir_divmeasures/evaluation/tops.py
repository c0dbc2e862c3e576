"""The first documents of each system for each query, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io import runs as several
from ..io.ordering import TIES, place_in_group, ranking_order
from ..judgments.arrays import LocatedRun
from ..judgments.datasets import load_dataset
from ..judgments.table import Judgments, of_documents
from ..judgments.texts import texts as texts_of
from ..judgments.topics import Texts
from ..lazy import pd
from .diagnose import Examination

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
        metadata: what each system's run says of itself in the form of ir_metadata.
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
        listed: list[list[str]] = [[] for _ in self.place]
        for query, subtopic in _rows(official[['query_id', 'subtopic_id']].drop_duplicates()):
            listed[self.place[query]].append(subtopic)
        self.subtopics = [sorted(ids, key=_natural) for ids in listed]
        column = [{subtopic: i for i, subtopic in enumerate(ids)} for ids in self.subtopics]
        self._grades: list[dict[str, list[list[float]]]] = [{} for _ in self.place]
        rows = of_documents(official)
        for query, doc_id in _rows(rows[['query_id', 'doc_id']].drop_duplicates()):
            self._grades[self.place[query]][doc_id] = []
        relevant = rows[(rows['relevance'] > 0) & (rows['relevance'] >= rel)]
        for query, doc_id, grade, subtopic in _rows(
            relevant[['query_id', 'doc_id', 'relevance', 'subtopic_id']]
        ):
            place = self.place[query]
            self._grades[place][doc_id].append([column[place][subtopic], grade])
        self.documents: list[dict[str, int]] = [{} for _ in self.place]
        self.metadata: dict[str, dict[str, Any]] = {}
        self.tops: dict[str, list[list[int]]] = {}

    def noting(self, runs: Any, examination: Examination) -> Iterator[tuple[str, Any]]:
        """The runs, one after the other. Each is examined, and its first documents are recorded."""
        for name, run in several.loaded(several.named(runs)[0]):
            coded = examination.add(name, run)
            self._note(name, coded)
            self.metadata[name] = run.metadata
            yield name, run

    def _note(self, name: str, run: LocatedRun) -> None:
        order = ranking_order(
            run.query,
            run.score,
            run.names,
            None,
            TIES[self.ties or 'doc_id'],
            run.ordered,
        )
        query = run.query[order]
        rows = np.flatnonzero(place_in_group(query, np.bincount(query)) < self.depth)
        tops: list[list[int]] = [[] for _ in self.place]
        for place, doc_id in zip(query[rows].tolist(), run.names.pick(order[rows])):
            places_of_documents = self.documents[place]
            tops[place].append(places_of_documents.setdefault(doc_id, len(places_of_documents)))
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
        counts = [0] * len(self.subtopics[place])
        for of_document in self._grades[place].values():
            for subtopic, _ in of_document:
                counts[int(subtopic)] += 1
        return counts

    def titles(self, docs: Any) -> dict[str, str]:
        """Titles of the recorded documents, or the beginnings of their texts, where the source has them."""
        if docs is None:
            return {}
        doc_ids = list(dict.fromkeys(doc_id for of_query in self.documents for doc_id in of_query))
        if isinstance(docs, str):
            docs = load_dataset(docs)
        store = docs.docs_store() if hasattr(docs, 'docs_store') else docs
        if hasattr(store, 'get_many'):
            documents = store.get_many(doc_ids).values()
            titles = {
                doc.doc_id: str(doc.title) for doc in documents if getattr(doc, 'title', None)
            }
        elif hasattr(docs, 'columns') and 'title' in docs.columns:
            key = 'doc_id' if 'doc_id' in docs.columns else 'docno'
            titles = dict(zip(docs[key].astype(str), docs['title'].astype(str)))
        else:
            titles = {}
        if not titles:
            if isinstance(docs, Mapping):
                doc_ids = [doc_id for doc_id in doc_ids if doc_id in docs]
            titles = texts_of(docs, doc_ids, missing='skip')
        return {doc_id: _beginning(text) for doc_id, text in titles.items()}


def _rows(table: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a DataFrame, column by column as Python's own values, which takes less time than row by row."""
    return zip(*(column.tolist() for _, column in table.items()))


def _natural(name: str) -> tuple[bool, int, str]:
    """A sort key that orders numbers by value, and other ids after them."""
    return (not name.isdecimal(), int(name) if name.isdecimal() else 0, name)


def coverage_by_rank(tops: Tops, systems: Iterable[str], places: list[int]) -> NDArray[np.float64]:
    """(systems, ranks): share of a query's subtopics that the documents down to a rank cover, mean over queries.

    Only subtopics that have a relevant document count, and queries that have such subtopics.
    """
    served = []
    for place in places:
        n = sum(count > 0 for count in tops.n_relevant(place))
        if n:
            subtopics = [
                {int(subtopic) for subtopic, _ in tops.grades(place, doc_id) or ()}
                for doc_id in tops.documents[place]
            ]
            served.append((place, n, subtopics))
    totals = []
    for system in systems:
        total = [0.0] * tops.depth
        for place, n, subtopics in served:
            covered: set[int] = set()
            ranked = tops.tops[system][place]
            for rank in range(tops.depth):
                if rank < len(ranked):
                    covered = covered | subtopics[ranked[rank]]
                total[rank] += len(covered) / n
        totals.append(total)
    return np.array(totals) / max(1, len(served))


def _found_by(
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


def _beginning(text: str) -> str:
    return text if len(text) <= _TITLE else text[: _TITLE - 1] + '…'


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
    official = judgments.official
    facts = [name for name in FACTS if name in official.columns]
    facts_of_subtopics = official.drop_duplicates(['query_id', 'subtopic_id']).set_index(
        ['query_id', 'subtopic_id']
    )[facts]
    rows = []
    for query in queries:
        place = tops.place[query]
        n_relevant, best, finders = _found_by(tops, systems, place)
        name = ' '.join(filter(None, (query, texts.query(query))))
        for t, subtopic in enumerate(tops.subtopics[place]):
            row: dict[str, Any] = {
                'query': name,
                'subtopic': subtopic,
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
    return table.sort_values(['_none', 'share'], kind='stable').drop(columns='_none')


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


__all__ = ['Tops', 'coverage_by_rank', 'subtopics_found']
