"""A small test collection for search result diversification, written for this package.

40 ambiguous or broad queries, each with 5 or 6 subtopics (of type ``inf`` or ``nav``), 630 short documents, and
judgments of grades 0 to 3 for each subtopic. This module registers it with ir_datasets. ``import ir_divmeasures`` imports
the module if ir_datasets is imported already, and so do the functions of this package that take ids of ir_datasets:

* ``divmeasures/sample``: documents and queries;
* ``divmeasures/sample/diversity``: the same with judgments.

The files are in the package and in the forms of the field: topics in the Web Track's XML, judgments
``query subtopic doc grade``, probabilities of intents ``query subtopic probability``. Nothing is downloaded
and nothing is written to disk. A few judged subtopics have no relevant document, as in real collections.

``import pyterrier`` and the command ``ir_datasets`` do not import this module. Import ``ir_divmeasures.sample`` before
``pt.get_dataset('irds:divmeasures/sample')``. In place of the command, run ``python -c 'import ir_divmeasures.sample,
ir_datasets; ir_datasets.main_cli()' export divmeasures/sample/diversity qrels``.

    >>> import ir_datasets, ir_divmeasures
    >>> dataset = ir_datasets.load('divmeasures/sample/diversity')
    >>> dataset.docs_count(), dataset.queries_count()
    (630, 40)
    >>> query = next(dataset.queries_iter())
    >>> query.query, query.type, [subtopic.type for subtopic in query.subtopics]
    ('jaguar', 'ambiguous', ['inf', 'inf', 'nav', 'inf', 'inf'])
"""

# No `from __future__ import annotations` here: ir_datasets and PyTerrier read the field types of Document as objects.
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.datasets.clueweb12 import TrecWebTrackQuery
from ir_datasets.formats import TrecSubQrels, TrecXmlQueries, TsvDocs
from ir_datasets.indices import Docstore
from ir_datasets.util import LocalDownload

from .lazy import cached_property

FOLDER = pathlib.Path(__file__).parent / 'resources' / 'sample'
"""Where the files are."""

INTENTS = FOLDER / 'intents.txt'
"""How likely each subtopic is: ``with_weights('divmeasures/sample/diversity', INTENTS)``."""

SUPERINTENTS = FOLDER / 'superintents.tsv'
"""Subtopics of a query that belong together, by hand: ``with_superintents('divmeasures/sample/diversity',
SUPERINTENTS)``. 38 of the queries have some; other subtopics are alone."""

GRADES = {3: 'excellent', 2: 'relevant', 1: 'marginally relevant', 0: 'not relevant'}


class Document(NamedTuple):
    """A document of the sample collection."""

    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        """Title and text."""
        return f'{self.title} {self.text}'


class Documents(TsvDocs):
    """The documents as ir_datasets serves them, but held in memory: its own store would be a file in this package."""

    @cached_property
    def _documents(self) -> list[Document]:
        with open(self.docs_path(), encoding='utf-8') as file:
            return [Document(*line.rstrip('\n').split('\t')) for line in file]

    def docs_iter(self) -> '_Slices':
        return _Slices(self._documents)

    def docs_store(self, field: str = 'doc_id', options: Any = None) -> '_Store':
        return _Store(self._documents, field)

    def docs_count(self) -> int:
        return len(self._documents)


class _Slices(Iterator[Document]):
    """An iterator that can be sliced, as ir_datasets promises of ``docs_iter()``."""

    def __init__(self, documents: list[Document]):
        self._documents, self._rest = documents, iter(documents)

    def __next__(self) -> Document:
        return next(self._rest)

    def __getitem__(self, key: int | slice) -> Any:
        return _Slices(self._documents[key]) if isinstance(key, slice) else self._documents[key]


class _Store(Docstore):
    """Documents by id; ids that are unknown are left out, as in ir_datasets' own stores."""

    def __init__(self, documents: list[Document], field: str):
        super().__init__(Document, field)
        self._by_id = {getattr(document, field): document for document in documents}

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Document]:
        return (self._by_id[doc_id] for doc_id in doc_ids if doc_id in self._by_id)

    def __iter__(self) -> Iterator[Document]:
        return iter(self._by_id.values())

    def built(self) -> bool:
        return True

    def count(self) -> int:
        return len(self._by_id)


class _Queries(TrecXmlQueries):
    """Topics of the Web Track's form, with their number known beforehand."""

    def queries_count(self) -> int:
        return sum(1 for _ in self.queries_iter())


def register() -> None:
    """Register the collection with ir_datasets, unless it has datasets of these names."""
    origin = {'namespace': 'divmeasures/sample', 'lang': 'en'}
    documents = Documents(LocalDownload(FOLDER / 'docs.tsv', mkdir=False), Document, **origin)
    queries = _Queries(
        LocalDownload(FOLDER / 'queries.xml', mkdir=False), qtype=TrecWebTrackQuery, **origin
    )
    qrels = TrecSubQrels(LocalDownload(FOLDER / 'qrels.txt', mkdir=False), GRADES)
    for name, parts in (
        ('divmeasures/sample', (documents, queries)),
        ('divmeasures/sample/diversity', (documents, queries, qrels)),
    ):
        if name not in ir_datasets.registry:
            ir_datasets.registry.register(name, Dataset(*parts))


__all__ = ['FOLDER', 'GRADES', 'INTENTS', 'SUPERINTENTS', 'Document', 'Documents', 'register']
register()
