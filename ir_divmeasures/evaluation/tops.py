"""The first documents of each system for each query, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels.sums import one_by_one
from ..io.ordering import TIES, place_in_group, ranking_order, starts
from ..judgments.arrays import LocatedRun
from ..judgments.datasets import load_dataset
from ..judgments.table import Judgments
from ..judgments.texts import texts as texts_of
from ..judgments.topics import Texts
from ..lazy import pd

_TITLE, _NAMES = 120, 6
"""The largest numbers of characters of a title, and of systems that are named."""
FACTS = ('importance', 'weight', 'points', 'subtopic_type', 'part_of')
"""Columns of judgments that describe subtopics."""


class Tops:
    """The first documents of each system for each query, recorded while the runs are read.

    The subtopics of all queries are numbered query by query.

    Attributes:
        depth, rel, ties: the number of documents, the lowest relevant grade, the order of equal scores.
        place: the index of each query.
        subtopics: for each query, ids of the official subtopics.
        starts: the number of the first subtopic of each query, (queries + 1,).
        n_relevant: (subtopics,) the number of their relevant documents.
        documents: for each query, the index of each recorded document.
        metadata: what each system's run says of itself in the form of ir_metadata.
        tops: for each system and query, indices of documents, best first.
        first_ranks: for each system, (subtopics,) the rank of the first relevant document, infinite if none is recorded.
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
        self.place = {query: i for i, query in enumerate(judgments.query_ids)}
        self.subtopics: list[list[str]] = [[] for _ in self.place]
        collection = judgments.collection
        code, names = collection.subtopic
        rows = np.flatnonzero(judgments.layers == collection.base)
        pair = collection.row_pair[rows]
        keys, key = np.unique(
            collection.query_of_pair[pair] * len(names) + code[rows], return_inverse=True
        )
        listed = list(zip((keys // len(names)).tolist(), names.pick(keys % len(names))))
        by_name = sorted(range(len(keys)), key=lambda k: (listed[k][0], _natural(listed[k][1])))
        for k in by_name:
            self.subtopics[listed[k][0]].append(listed[k][1])
        self.starts = starts(np.array([len(names) for names in self.subtopics]))
        grade = np.asarray(collection.columns['relevance'])[rows]
        relevant = np.flatnonzero((grade > 0) & (grade >= rel))
        relevant = relevant[np.argsort(pair[relevant], kind='stable')]
        self._subtopic, self._grade = np.argsort(by_name)[key[relevant]], grade[relevant]
        self._grades_of_pair = np.searchsorted(pair[relevant], np.arange(collection.n_pairs + 1))
        self._is_judged = np.zeros(collection.n_pairs + 1, dtype=bool)  # the last: no pair
        self._is_judged[pair] = True
        self.n_relevant = np.bincount(self._subtopic, minlength=len(keys))
        self.documents: list[dict[str, int]] = [{} for _ in self.place]
        self._pairs: list[list[int]] = [[] for _ in self.place]
        self.metadata: dict[str, dict[str, Any]] = {}
        self.tops: dict[str, list[list[int]]] = {}
        self.first_ranks: dict[str, NDArray[np.float64]] = {}
        self.judged: dict[str, float] = {}

    def note(self, name: str, run: LocatedRun) -> None:
        """Record the first documents of a system."""
        how = TIES[self.ties or 'doc_id']
        order = ranking_order(run.query, run.score, run.names, None, how, run.ordered)
        query = run.query[order]
        rank = place_in_group(query, np.bincount(query)) + 1
        first = np.flatnonzero(rank <= self.depth)
        query, rank, pair = query[first], rank[first], run.pair[order[first]]
        tops: list[list[int]] = [[] for _ in self.place]
        for place, doc_id, number in zip(
            query.tolist(), run.names.pick(order[first]), pair.tolist()
        ):
            documents = self.documents[place]
            if doc_id not in documents:
                self._pairs[place].append(number)
            tops[place].append(documents.setdefault(doc_id, len(documents)))
        self.tops[name] = tops
        rank, pair = rank[pair >= 0], pair[pair >= 0]
        begin, n = self._grades_of_pair[pair], np.diff(self._grades_of_pair)[pair]
        owner = np.repeat(np.arange(len(pair)), n)
        served = self._subtopic[begin[owner] + place_in_group(owner, n)]
        self.first_ranks[name] = np.full(len(self.n_relevant), np.inf)
        np.minimum.at(self.first_ranks[name], served, rank[owner])
        located = run.located()
        n_first = int(np.minimum(located.n, self.cutoff).sum())
        if n_first:
            self.judged[name] = int(np.count_nonzero(located.rank <= self.cutoff)) / n_first

    def grades(self, place: int, document: int) -> list[list[float]] | None:
        """Pairs (index of a subtopic, grade) of a recorded document of a query; None if it is not judged."""
        pair = self._pairs[place][document]
        if not self._is_judged[pair]:
            return None
        own = slice(*self._grades_of_pair[pair : pair + 2])
        subtopics = self._subtopic[own] - self.starts[place]
        return [list(each) for each in zip(subtopics.tolist(), self._grade[own].tolist())]

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
    subtopics = [np.arange(*tops.starts[place : place + 2]) for place in places]
    served = [each[tops.n_relevant[each] > 0] for each in subtopics]
    share = np.concatenate([np.full(len(each), 1 / max(len(each), 1)) for each in served])
    every, ranks = np.concatenate(served), np.arange(1, tops.depth + 1)[:, None]
    totals = [
        one_by_one(np.where(tops.first_ranks[system][every] <= ranks, share, 0.0))
        for system in systems
    ]
    return np.array(totals) / max(1, sum(len(each) > 0 for each in served))


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
    known = official.drop_duplicates(key).set_index(key)[facts] if facts else official
    first_ranks = np.array([tops.first_ranks[system] for system in systems])
    rows = []
    for query in queries:
        place = tops.place[query]
        for number, name in enumerate(tops.subtopics[place], tops.starts[place]):
            ranks = first_ranks[:, number]
            finders = [system for system, rank in zip(systems, ranks) if rank < np.inf]
            rows.append(
                {
                    'query': ' '.join(filter(None, (query, texts.query(query)))),
                    'subtopic': name,
                    'text': texts.subtopic(query, name),
                    **(known.loc[(query, name)] if facts else {}),
                    'relevant_documents': tops.n_relevant[number],
                    'systems': len(finders),
                    'share': round(len(finders) / len(systems), 3),
                    'best_rank': int(ranks.min()) if finders else float('nan'),
                    'found_by': _some_names(finders, systems),
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
    known = set(finders)
    others = [name for name in systems if name not in known]
    if len(others) <= _NAMES:
        return f'all but {", ".join(others)}'
    return f'{", ".join(finders[:_NAMES])} and {len(finders) - _NAMES} more'
