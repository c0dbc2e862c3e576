"""The facts about runs, judgments, topics and documents that the report shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluation.diagnose import Diagnosis, Examination
from ..io import runs as several
from ..io.columns import declared
from ..io.ordering import TIES, place_in_group, ranking_order
from ..judgments.arrays import LocatedRun
from ..judgments.datasets import load_dataset
from ..judgments.table import Judgments, of_documents
from ..judgments.texts import texts as texts_of
from ..judgments.topics import Texts
from ..lazy import pd
from ..pools.campaign import tables
from ..pools.pool import Pool
from .sections import Section, polylines, table_of

_TITLE = 120


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
                [doc_id, titles.get(doc_id, ''), tops.grades(place, doc_id)]
                for doc_id in tops.documents[place]
            ]
            for place in places
        ],
        'tops': [[tops.tops[system][place] for place in places] for system in systems],
    }


def _spread(counts: Any) -> str:
    return f'{counts.mean():.1f} on average, {counts.min()} to {counts.max()}'


ABOUT = {
    'Team': (('actor', 'team'), ('actor', 'name')),
    'Method': (('method', 'name'), ('method', 'retrieval'), ('method', 'description')),
    'Collection': (('data', 'test collection', 'name'), ('data', 'test collection', 'ir_datasets')),
    'Implementation': (
        ('implementation', 'source', 'repository'),
        ('implementation', 'executable', 'cmd'),
    ),
    'Processor': (('platform', 'hardware', 'cpu', 'model'),),
    'Memory': (('platform', 'hardware', 'ram'),),
    'Graphics': (('platform', 'hardware', 'gpu', 'model'), ('platform', 'hardware', 'gpu')),
    'Run time': (('resources', 'runtime', 'wallclock'),),
}
"""What the report shows of ir_metadata: each heading with the fields of which the first that is there counts."""


def metadata_table(metadata: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """What runs say of themselves: the headings, and a row for each system with metadata. Empty columns are omitted.

    Examples:
        >>> metadata_table({'a': {'actor': {'team': 'A'}, 'platform': {'hardware': {'ram': '64 GB'}}}, 'b': {}})
        (['Team', 'Memory'], [['a', 'A', '64 GB']])
    """
    rows = {
        system: [_first_value(fields, paths) for paths in ABOUT.values()]
        for system, fields in metadata.items()
        if fields
    }
    filled = [place for place in range(len(ABOUT)) if any(row[place] for row in rows.values())]
    return (
        [list(ABOUT)[place] for place in filled],
        [[system, *(row[place] for place in filled)] for system, row in rows.items()],
    )


def _first_value(fields: Any, paths: Iterable[tuple[str, ...]]) -> str:
    """The first of several fields that has a value, as a short text."""
    for path in paths:
        value = fields
        for key in path:  # test_collection stands for "test collection"
            known = value if isinstance(value, Mapping) else {}
            value = known.get(key, known.get(key.replace(' ', '_')))
        parts = [
            part.get('name', '') if isinstance(part, Mapping) else part
            for part in (value if isinstance(value, list) else [value])
        ]
        text = ', '.join(str(part) for part in parts[:20] if part not in (None, ''))
        if text:
            return _beginning(text)
    return ''


def _beginning(text: str) -> str:
    return text if len(text) <= _TITLE else text[: _TITLE - 1] + '…'


_OF_POOL = {
    'groups': (
        'Relevant documents that one team alone found',
        'Unique intents: subtopics that no other team serves; '
        'bringing: unique documents that serve one.',
    ),
    'bounds': (
        'What unjudged documents leave open',
        'Least and largest score if the unjudged documents that the runs '
        'of the pool retrieve were judged. Kind: exact bounds are attained, outer ones may not be.',
    ),
    'systems': (
        'What each run adds to the union of the others',
        'Added: relevant documents in no other run; added by '
        'group: in no run of another team; share: of the relevant documents that any run found.',
    ),
    'union': (
        'How the union grows',
        'Relevant documents that the runs find together; next comes the run that adds most.',
    ),
    'bias': (
        'How far the judgments depend on each team',
        'Scores and ranks of a team’s runs with all judgments, and '
        'without those of documents that only the team found.',
    ),
    'near-duplicates': (
        'Near-duplicate runs',
        'Pairs of runs that share at least 90 % of their top documents.',
    ),
    'reusability': (
        'Reusability',
        'Kendall’s τ of the ranking of systems by judgments pooled from some of the teams '
        'with that by all judgments, of all systems and of those outside; means over random draws.',
    ),
}


def pool_section(
    pool: Pool, judgments: Judgments, measures: Any, rel: float, rng: int = 0
) -> Section:
    """The tables of :func:`ir_divmeasures.pools.campaign.tables` for the page, without empty ones."""
    results = []
    for name, table in tables(pool, judgments, measures, rel=rel, rng=rng).items():
        if table.index.name is not None:
            table = table.reset_index()
        if len(table):
            heading, says = _OF_POOL[name]
            results.append(table_of(table, heading, says))
    return Section('pool', 'The pool', results)


__all__ = [
    'Tops',
    'correlation_section',
    'coverage_by_rank',
    'coverage_section',
    'data_section',
    'metadata_table',
    'pool_section',
    'rankings',
]
