"""The first documents of each system for each query, and what they cover."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.ordering import TIES, ranking_order, starts
from ..judgments.arrays import LocatedRun
from ..judgments.datasets import load_dataset
from ..judgments.table import Judgments
from ..judgments.texts import texts as texts_of
from ..judgments.topics import Texts
from ..lazy import pd
from .diagnose import judged_share
from .facts_of_runs import Facts

_TITLE, _NAMES = 120, 6
"""The largest numbers of characters of a title, and of systems that are named."""
FACTS = ('importance', 'weight', 'points', 'subtopic_type', 'part_of')
"""Columns of judgments that describe subtopics."""


class Tops:
    """The first documents of each system for each query, recorded while the runs are read.

    Attributes:
        depth, rel, ties: the number of documents, the lowest relevant grade, the order of equal scores.
        query: the query of each subtopic, (subtopics of all queries,).
        place: the index of each query.
        subtopics: for each query, ids of the official subtopics.
        first: for each system the rank of the first recorded document that is relevant to a subtopic, (subtopics of all
            queries,); more than ``depth`` where there is none.
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
        self.first: dict[str, NDArray[np.intp]] = {}
        self._noted: dict[str, tuple[NDArray[np.intp], NDArray[np.intp], list[str]]] = {}
        self.place = {query: i for i, query in enumerate(judgments.query_ids)}
        collection, cells = judgments.collection, Facts(judgments).cells
        aspects, names = (
            collection.aspects[collection.base],
            collection.subtopic[1].array.to_pylist(),
        )
        self.subtopics = [sorted(aspects.ids_of(i), key=_natural) for i in self.place.values()]
        keys = [(query, name) for query, of in enumerate(self.subtopics) for name in of]
        number = {key: i for i, key in enumerate(keys)}
        self.query = np.array([query for query, _ in keys], dtype=np.intp)
        of_aspects = zip(cells.query_of_aspect.tolist(), cells.subtopic_of_aspect.tolist())
        numbers = np.array(
            [number[query, names[code]] for query, code in of_aspects], dtype=np.intp
        )
        serves = (cells.grade > 0) & (cells.grade >= rel)
        self._pair = cells.pair[serves]
        self._subtopic = numbers[cells.aspect[serves]]
        self._grade = np.asarray(collection.columns['relevance'])[cells.row[serves]]
        self._is_judged = np.zeros(collection.n_pairs, dtype=bool)
        self._is_judged[cells.pair] = True

    def note(self, name: str, run: LocatedRun) -> None:
        """Record the first documents of a system."""
        how = TIES[self.ties or 'doc_id']
        order = ranking_order(run.query, run.score, run.names, None, how, run.ordered)
        n = run.located().n
        query, place = np.nonzero(np.arange(self.depth) < n[:, None])
        rows = order[starts(n)[query] + place]
        pair, documents = run.pair[rows], run.names.take(rows).array.to_pylist()
        self._noted[name] = query, pair, documents
        ranks = np.full(len(self._is_judged), self.depth + 1)
        ranks[pair[pair >= 0]] = place[pair >= 0] + 1
        self.first[name] = np.full(len(self.query), self.depth + 1)
        np.minimum.at(self.first[name], self._subtopic, ranks[self._pair])
        share = judged_share(run.located(), self.cutoff)
        if share == share:
            self.judged[name] = share

    def of_query(self, place: int) -> slice:
        """Where the subtopics of a query stand among those of all queries."""
        return slice(*np.searchsorted(self.query, [place, place + 1]).tolist())

    @functools.cached_property
    def documents(self) -> tuple[list[list[tuple[str, Any]]], dict[str, list[list[int]]]]:
        """For each query the recorded documents, by first appearance, with pairs (index of a subtopic, grade), or None
        for one that is not judged; and for each system and query the indices of documents, best first."""
        query, pair, documents = zip(*self._noted.values())
        noted = pd.DataFrame(
            {
                'query': np.concatenate(query),
                'pair': np.concatenate(pair),
                'doc_id': list(itertools.chain.from_iterable(documents)),
            }
        )
        listed = noted.drop_duplicates(['query', 'doc_id']).sort_values('query', kind='stable')
        listed = listed.assign(number=listed.groupby('query').cumcount())
        noted = noted.merge(listed[['query', 'doc_id', 'number']])
        served = defaultdict[int, list[list[float]]](list)
        index = self._subtopic - np.searchsorted(self.query, self.query[self._subtopic])
        for pair, *each in zip(self._pair.tolist(), index.tolist(), self._grade.tolist()):
            served[pair].append(each)
        grades = [
            served.get(pair, []) if pair >= 0 and self._is_judged[pair] else None
            for pair in listed['pair']
        ]
        ends = starts(np.array([len(query) for query, *_ in self._noted.values()])).tolist()
        by_system = {
            name: noted[a:b] for name, (a, b) in zip(self._noted, itertools.pairwise(ends))
        }
        return self._by_query(listed, list(zip(listed['doc_id'], grades))), {
            name: self._by_query(rows, rows['number'].tolist()) for name, rows in by_system.items()
        }

    def _by_query(self, rows: pd.DataFrame, values: list[Any]) -> list[list[Any]]:
        """Values of rows, which are sorted by query, for each query."""
        ends = np.searchsorted(rows['query'], np.arange(len(self.place) + 1)).tolist()
        return [values[a:b] for a, b in itertools.pairwise(ends)]

    @functools.cached_property
    def n_relevant(self) -> NDArray[np.intp]:
        """The number of relevant documents of each subtopic of all queries."""
        return np.bincount(self._subtopic, minlength=len(self.query))

    def titles(self, docs: Any) -> dict[str, str]:
        """Titles of the recorded documents, or the beginnings of their texts, where the source has them."""
        if docs is None:
            return {}
        doc_ids = list(
            dict.fromkeys(doc_id for of_query in self.documents[0] for doc_id, _ in of_query)
        )
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
    n = np.bincount(tops.query[tops.n_relevant > 0], minlength=len(tops.place))
    counted = np.flatnonzero(np.isin(tops.query, places) & (tops.n_relevant > 0))
    depths, shares = np.arange(1, tops.depth + 1), 1 / n[tops.query[counted], None]
    totals = [
        ((tops.first[name][counted, None] <= depths) * shares).sum(axis=0) for name in systems
    ]
    return np.array(totals) / max(1, np.count_nonzero(n[places]))


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
    facts = [name for name in FACTS if name in judgments.names]
    if facts:
        key = ['query_id', 'subtopic_id']
        known = judgments.official.drop_duplicates(key).set_index(key)[facts]
    rows = []
    for query in queries:
        place = tops.place[query]
        of_query = tops.of_query(place)
        firsts = zip(*(tops.first[system][of_query].tolist() for system in systems))
        subtopics = zip(tops.subtopics[place], tops.n_relevant[of_query].tolist(), firsts)
        for name, n, first in subtopics:
            ranks = {system: rank for system, rank in zip(systems, first) if rank <= tops.depth}
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
    if len(systems) - len(finders) <= _NAMES:
        return f'all but {", ".join(name for name in systems if name not in finders)}'
    return f'{", ".join(finders[:_NAMES])} and {len(finders) - _NAMES} more'
