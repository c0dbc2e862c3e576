"""The heart of the package: judgments as arrays, and a run aligned with them.

:class:`Collection` codes the judgments once. :meth:`Collection.align` aligns a run with them. Measures see only arrays,
one of whose axes is the query (Q), so that all queries of a block are scored at once.

**Judgments.** Each query has an axis of documents (D), with those that have a grade above 0 for some subtopic in
descending order of doc_id, and an axis of aspects (T), with its subtopics by length and name of their id. A cell of the
grade array (Q, D, T) is the grade of a document for an aspect, 0 where the document is not relevant::

    query_id  doc_id  subtopic_id  relevance          grade[0]       a  b
    q1        d1      a            1                  document 0: d3  0  2
    q1        d1      b            1           →      document 1: d1  1  1
    q1        d2      a            0
    q1        d3      b            2

Document d2 is judged and not relevant, so it has no place on the document axis. Each pair of a query and a document
with a judgment has a number, the *pair*; pairs are sorted by query and document in order of first appearance. Queries
with fewer documents or aspects than the largest one of their block are padded with grade 0.

**A run.** Only *hits* count: retrieved documents that have a place on the document axis. The arrays of a run are
therefore as wide as the largest number of hits of a query (H), not as the ranking is long. ``document`` is the place of
each hit on the document axis, and ``rank`` is its rank in the ranking from 1; ``inf`` pads::

    ranking of q1: d2, d1, d9, d3              document (Q, H)    rank (Q, H)
                   1   2   3   4        →      [[1, 0]]           [[2, 4]]

``grade[0, document[0]]`` is then ``[[1, 1], [0, 2]]``: the grades of the hits, in the order of the ranking. Where a
measure sees judged documents only, the ranking is d2, d1, d3 and the ranks are ``[[2, 3]]``.
"""
from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import JUDGED, InnerMeasures, JudgmentArrays, Layers, Ranking
from ..io.coding import (
    NO_DOCUMENT,
    Coded,
    Sorted,
    distinct,
    encode,
    place_by_name,
    place_in_group,
    ranking_order,
    starts,
    whole,
)
from ..io.columns import KEYS, declared
from ..io.pairs import Pairs, duplicate
from ..io.rows import Rows, Strings
from ..io.runs import Run, check_documents, column_values
from ..kernels.cells import Cells

if TYPE_CHECKING:
    import pandas as pd

BLOCK_CELLS = 1_000_000
"""Queries are worked on in blocks of at most about so many (document, aspect) cells."""


class Block(NamedTuple):
    """Queries that are evaluated together.

    Attributes:
        queries: the number of each query, its place in ``Collection.query_ids``; (Q,).
        layers: the judgments of these queries by layer, with arrays (Q, D, T).
        base: the official layer.
    """
    queries: NDArray[np.intp]
    layers: dict[int, JudgmentArrays]
    base: int

    @property
    def judgments(self) -> JudgmentArrays:
        """The judgments on the official layer."""
        return self.layers[self.base]


@dataclass(frozen=True)
class Seen:
    """The rankings of the queries of a block.

    Attributes:
        n: the number of documents that are retrieved for each query; (Q,).
        rank: the rank of each hit from 1, ``inf`` where padded; (Q, H).
        columns: further columns of the run, a value for each rank, NaN where padded; each (Q, N).
    """
    n: NDArray[np.float64]
    rank: NDArray[np.float64]
    columns: dict[str, NDArray[np.float64]]


class Aligned:
    """A run laid over one block.

    Attributes:
        document: the place of each hit among the judged documents of its query, (Q, H), 0 where padded.
        whole: the ranking.
        judged: the ranking without the documents that are not judged; made when it is first asked for.
    """

    def __init__(self, document: NDArray[np.intp], whole: Seen, judged: Callable[[], Seen]):
        self.document, self.whole, self._judged = document, whole, judged

    @functools.cached_property
    def judged(self) -> Seen:
        return self._judged()

    @property
    def rank(self) -> NDArray[np.float64]:
        """The rank of each hit, (Q, H); ``inf`` pads."""
        return self.whole.rank

    def ranking(self, judgments: JudgmentArrays, rel: float, judged_only: bool, depth: int | None = None,
                inner: InnerMeasures | None = None) -> Ranking:
        """What measures of one ``rel`` and ``judged_only`` see: the hits, those down to a depth if one is given."""
        block_rankings = self.judged if judged_only else self.whole
        width = block_rankings.rank.shape[1] if depth is None else int((block_rankings.rank <= depth).sum(axis=1).max(initial=0))
        return Ranking(judgments, self.document[:, :width], block_rankings.rank[:, :width], block_rankings.n, rel, None, judged_only, inner,
                       block_rankings.columns)


class Located(NamedTuple):
    """The judged documents that a run retrieved, in the order of the ranking, and how many it retrieved at all.

    Attributes:
        pair: the judged (query, document) pair of each, numbered as in :attr:`Collection.row_pair`; (documents,).
        rank: the rank of each from 1; (documents,).
        n: the number of documents that are retrieved for each query of the judgments; (queries,).
        columns: further columns of the run by name. Each has the values of all documents that are retrieved for judged
            queries, query by query in the order of the ranking, and those of the judged documents (documents,).
    """
    pair: NDArray[np.intp]
    rank: NDArray[np.intp]
    n: NDArray[np.intp]
    columns: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = MappingProxyType({})


class LocatedRun:
    """A run whose ids are coded as those of a collection of judgments; judged documents are found in it in any order.

    :meth:`Collection.read` returns it. Rows of queries without judgments are omitted.

    Attributes:
        collection: the judgments.
        query: the number of each row's query; (rows,).
        pair: the number of each row's judged pair, −1 where the document is not judged; (rows,).
        score: the score of each row; (rows,).
        names: the document of each row; (rows,).
        columns: further columns of the run by name; each (rows,).
        mark: a number that runs with the same documents for each query share; other runs hardly ever do.
    """

    def __init__(self, collection: Collection, query: NDArray[Any], pair: NDArray[np.intp], score: NDArray[Any],
                 names: Strings, columns: Mapping[str, NDArray[np.float64]] = MappingProxyType({}), mark: int = 0):
        self.collection, self.query, self.pair, self.score, self.names = collection, query, pair, score, names
        self.columns, self.mark = columns, mark
        self._known: dict[str, Located] = {}

    def located(self, order: str = 'descending') -> Located:
        """The judged documents in the order of the ranking (see :data:`~ir_divmeasures.io.coding.ORDERS`)."""
        if order not in self._known:
            self._known[order] = self._locate(order)
        return self._known[order]

    @functools.cached_property
    def ordered(self) -> Sorted:
        """The run by score."""
        return Sorted.of(self.query, self.score)

    @functools.cached_property
    def aligned(self) -> list[Aligned]:
        """The run laid over the blocks of the collection."""
        return self.collection.align(self.located())

    def tied_ranks(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The ranks that scores of 32 bits leave open.

        Returns:
            The first and last rank that each judged document can have where documents of equal scores stand in any
            order, (documents,) each, in the order of :meth:`located`; and the first rank of the last such documents of
            each query, (queries,), 0 without documents.
        """
        ranked = ranking_order(self.query, self.score, self.names, self.pair >= 0)
        order = np.arange(len(self.query)) if ranked is None else ranked
        n = np.bincount(self.query, minlength=len(self.collection.query_ids))
        query = np.repeat(np.arange(len(n)), n)
        with np.errstate(over='ignore'):
            score = self.score[order].astype(np.float32)
        new = np.ones(len(order), dtype=bool)
        new[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
        group = np.cumsum(new) - 1
        bounds = np.append(np.flatnonzero(new), len(order))
        before = starts(n)[:-1][query]
        first, last = bounds[:-1][group] - before + 1, bounds[1:][group] - before
        ends = starts(n)[1:] - 1
        last_group = np.where(n > 0, first[np.maximum(ends, 0)] if len(first) else 0, 0)
        judged = self.pair[order] >= 0
        return first[judged], last[judged], last_group

    def _locate(self, order: str) -> Located:
        ranked = ranking_order(self.query, self.score, self.names, (self.pair >= 0) | bool(self.columns), order,
                               None if order in ('single', 'rows') else self.ordered)
        pair, columns = self.pair, self.columns
        if ranked is not None:
            pair = pair[ranked]
            columns = {name: values[ranked] for name, values in columns.items()}
        n = np.bincount(self.query, minlength=len(self.collection.query_ids))
        rows = np.flatnonzero(pair >= 0)
        return Located(pair[rows], rows - np.repeat(starts(n)[:-1], n)[rows] + 1, n,
                       {name: (values, values[rows]) for name, values in columns.items()})


class Aspects:
    """The aspects that each query has on one layer.

    Attributes:
        n: how many, (queries,).
    """

    def __init__(self, n: NDArray[np.intp], code: NDArray[Any], names: Any):
        self.n, self._code, self._names, self._start = n, code, names, starts(n)

    def of(self, query: int) -> list[str]:
        """The ids of a query's aspects, by place on the aspect axis."""
        ids: list[str] = self._names.take(self._code[self._start[query]:self._start[query + 1]]).to_pylist()
        return ids


@dataclass(frozen=True)
class _Layout:
    """Where judgments stand in arrays.

    Attributes:
        place: of each judged pair with a grade above 0 the place on its query's document axis, else −1.
        block_of: each query's block.
        row_of: each query's row in its block.
        blocks: the queries' judgments as arrays.
        aspects: those of each query, by layer.
    """
    place: NDArray[np.intp]
    block_of: NDArray[np.intp]
    row_of: NDArray[np.intp]
    blocks: list[Block]
    aspects: dict[int, Aspects]

    def by_block(self, query: NDArray[np.intp]) -> list[NDArray[np.intp] | slice]:
        """The places, in order, of the members of each block among some queries' numbers."""
        if len(self.blocks) == 1:
            return [slice(None)]
        block = self.block_of[query]
        ends = np.cumsum(np.bincount(block, minlength=len(self.blocks)))
        return list(np.split(np.argsort(block, kind='stable'), ends[:-1])) if self.blocks else []


class _Cells(NamedTuple):
    """Where the grade of each row of the judgments stands; (rows,) each.

    Attributes:
        block: the number of its block.
        layer: its layer.
        cell: its place in the block's array (Q, D, T) as one line, −1 where the document has no place.
        grade: the grade, at least 0.
    """
    block: NDArray[np.intp]
    layer: NDArray[np.intp]
    cell: NDArray[np.intp]
    grade: NDArray[np.float64]


class Collection:
    """Judgments with every id coded as a number.

    Args:
        table: the judgments.
        coded: columns of the table that have been coded already.

    Attributes:
        query_ids: in order of first appearance.
        base: the layer of the official intents: 0, or the smallest where there is no 0.
        row_pair: for each row of the table the number of its (query, document) pair.
    """

    def __init__(self, table: pd.DataFrame | Rows, coded: Coded = MappingProxyType({})):
        self._rows = Rows.of(table)
        coded = {name: coded.get(name) or encode(self._rows.strings(name))
                 for name in ('query_id', 'doc_id', 'subtopic_id')}
        query, self._queries = coded['query_id']
        self.query_ids: list[str] = self._queries.to_pylist()
        document, self._documents = coded['doc_id']
        self._subtopic = coded['subtopic_id']
        self._span = max(len(self._documents), 1)
        names = Strings(self._documents)
        short = np.flatnonzero(names.lengths == len(NO_DOCUMENT))
        self._is_document = np.ones(len(names), dtype=bool)
        self._is_document[short] = [name != NO_DOCUMENT for name in names.pick(short)]
        self._judged_pairs, self.row_pair = distinct(query * self._span + document)  # the pairs are sorted
        layers = np.unique(self._rows.numbers('layer')) if 'layer' in self._rows.names else np.zeros(1)
        self.base = int(0 if 0 in layers or not len(layers) else layers[0])

    @property
    def table(self) -> pd.DataFrame:
        """The judgments."""
        return self._rows.frame

    @property
    def relevance(self) -> NDArray[np.float64]:
        """The grade of each row of the table."""
        return self._rows.numbers('relevance')

    def __getstate__(self) -> dict[str, Any]:
        """What goes to other processes is made here, once."""
        return {**self.__dict__, '_layout': self._layout, '_pairs': self._pairs, '_owner': self._owner}

    @functools.cached_property
    def _layout(self) -> _Layout:
        """The judgments as arrays; made when they are first asked for: ad-hoc measures do not."""
        return self._laid_out()

    @property
    def blocks(self) -> list[Block]:
        """The queries' judgments as arrays."""
        return self._layout.blocks

    @property
    def aspects(self) -> dict[int, Aspects]:
        """The aspects of each query, by layer."""
        return self._layout.aspects

    def _laid_out(self) -> _Layout:
        """The arrays of all blocks, from the rows of the table.

        First each pair with a grade above 0 gets its place on the document axis of its query, and each row of a layer
        its place on the aspect axis. Queries are then split into blocks, and each row writes its grade into the cell
        (query, document, aspect) of the block of its query, for each layer. Columns of the judgments become arrays
        (Q, D) if they are of documents, and (Q, T) if they are of aspects; sets of groups (``pool_ranks``) have a
        further axis of bytes.
        """
        n, query = len(self.query_ids), self._owner[self.row_pair]
        grade = np.maximum(self.relevance, 0.0)
        has_grade = np.zeros(self.n_pairs, dtype=bool)
        has_grade[self.row_pair[grade > 0]] = True
        positive = np.flatnonzero(has_grade)
        document = self._judged_pairs[positive] % self._span
        positive = positive[np.lexsort((-place_by_name(self._documents)[document], self._owner[positive]))]
        counts = np.bincount(self._owner[positive], minlength=n)
        place_of = np.full(self.n_pairs, -1, dtype=np.intp)
        place_of[positive] = place_in_group(self._owner[positive], counts)
        place = place_of[self.row_pair]
        layer = self._rows.numbers('layer').astype(np.intp) if 'layer' in self._rows.names else \
            np.zeros(len(self._rows), np.intp)
        layers = np.unique(layer)
        aspects: dict[int, Aspects] = {}
        place_of_row: dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
        for each in (layers if len(layers) else [0]):
            rows = np.flatnonzero(layer == each)
            aspect, aspects[int(each)] = _aspect_places(query[rows], self._subtopic[0][rows], self._subtopic[1], n)
            place_of_row[int(each)] = rows, aspect
        widest = np.max([each.n for each in aspects.values()], axis=0)
        layout = _Layout(place_of, np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp), [], aspects)
        for members in _blocks(counts, widest):
            layout.block_of[members], layout.row_of[members] = len(layout.blocks), np.arange(len(members))
            layout.blocks.append(Block(members, {}, self.base))
        code, subtopics = self._subtopic
        lists = np.array([name != '0' for name in subtopics.to_pylist()], dtype=bool)[code] | (self.relevance > 0) \
            | ~self.of_documents()[self.row_pair]  # as columns.listing
        arrays = {} if set(self._rows.names) <= set(KEYS) else {
            (fact.of, fact.name): fact.array(self.table[fact.name].to_numpy()) for fact in declared(self.table)
            if fact.array is not None and self.table[fact.name].notna().any()}
        rows_of = {each: layout.by_block(query[rows]) for each, (rows, _) in place_of_row.items()}
        for number, block in enumerate(layout.blocks):
            depth = int(counts[block.queries].max(initial=0))
            for each, (rows, aspect) in place_of_row.items():
                rows_of_block = rows_of[each][number]
                r, a = rows[rows_of_block], aspect[rows_of_block]
                q, d = layout.row_of[query[r]], place[r]
                shape = len(block.queries), depth, int(aspects[each].n[block.queries].max(initial=0))
                relevant = d >= 0  # for some subtopic
                grades = Cells.at(shape, ((q * shape[1] + d) * shape[2] + a)[relevant], grade[r[relevant]])
                listed = np.zeros((shape[0], shape[2]), dtype=bool)
                listed[q[lists[r]], a[lists[r]]] = True
                aspects_have: dict[str, NDArray[Any]] = {}
                documents_have: dict[str, NDArray[Any]] = {}
                for (of, name), values in arrays.items():
                    if of == 'aspect':
                        aspects_have[name] = np.zeros((shape[0], shape[2]), dtype=values.dtype)
                        aspects_have[name][q, a] = values[r]
                    else:
                        documents_have[name] = np.zeros((*shape[:2], *values.shape[1:]), dtype=values.dtype)
                        documents_have[name][q[relevant], d[relevant]] = values[r[relevant]]
                block.layers[each] = JudgmentArrays(grades, aspects_have.get('weight'),
                                                    aspects_have.get('subtopic_type'), documents_have, aspects_have,
                                                    listed)
            block.judgments.layers = Layers(block.layers)
        return layout

    @functools.cached_property
    def _cells(self) -> _Cells:
        """The cell of the grade arrays that each row of the table fills."""
        layout, query = self._layout, self._owner[self.row_pair]
        place, block = layout.place[self.row_pair], layout.block_of[query]
        layer = self._rows.numbers('layer').astype(np.intp) if 'layer' in self._rows.names else \
            np.zeros(len(query), dtype=np.intp)
        cell = np.full(len(query), -1, dtype=np.intp)
        for each in layout.aspects:
            rows = np.flatnonzero(layer == each)
            aspect = _aspect_places(query[rows], self._subtopic[0][rows], self._subtopic[1], len(self.query_ids))[0]
            shapes = np.array([block.layers[each].grade.shape for block in layout.blocks]).reshape(-1, 3)[block[rows]]
            cell[rows] = (layout.row_of[query[rows]] * shapes[:, 1] + place[rows]) * shapes[:, 2] + aspect
        cell[place < 0] = -1
        return _Cells(block, layer, cell, np.maximum(self.relevance, 0.0))

    def regraded(self, relevance: NDArray[np.float64]) -> Collection:
        """The same judged documents with other grades.

        Ids, pairs and places in arrays are those of this collection, so that a run read for one is read for the other.

        Args:
            relevance: the grade of each row of the table; (rows,).

        Raises:
            ValueError: a grade above 0 of a document that has none here, and so no place on the document axis.
        """
        cells, grade = self._cells, np.maximum(relevance, 0.0)
        rows = np.flatnonzero(grade != cells.grade)
        if (cells.cell[rows] < 0).any():
            raise ValueError('a document has a grade above 0 that has none in the judgments to regrade')
        blocks = []
        for number, block in enumerate(self.blocks):
            layers = {}
            for layer, judged in block.layers.items():
                rows_of_block = rows[(cells.block[rows] == number) & (cells.layer[rows] == layer)]
                grades = judged.grade.copy()
                grades.reshape(-1)[cells.cell[rows_of_block]] = grade[rows_of_block]
                layers[layer] = judged.regraded(grades)
            blocks.append(Block(block.queries, layers, block.base))
            blocks[-1].judgments.layers = Layers(layers)
        regraded_copy = copy.copy(self)  # which keeps what was computed of ids
        regraded_copy._rows = self._rows.replacing('relevance', relevance)
        regraded_copy.__dict__.pop('_cells')
        regraded_copy.__dict__['_layout'] = replace(self._layout, blocks=blocks)
        return regraded_copy

    @property
    def n_pairs(self) -> int:
        """Judged (query, document) pairs."""
        return len(self._judged_pairs)

    def pair_at(self, number: int) -> NDArray[np.intp]:
        """The pair on each place of a block's document axis; (Q, D), −1 where padded."""
        block = self.blocks[number]
        layout = self._layout
        pair = np.flatnonzero(layout.place >= 0)
        owner = self._owner[pair]
        members = layout.block_of[owner] == number
        pairs = np.full((len(block.queries), block.judgments.shape[1]), -1, dtype=np.intp)
        pairs[layout.row_of[owner[members]], layout.place[pair[members]]] = pair[members]
        return pairs

    def query_of_pair(self) -> NDArray[np.intp]:
        """The query of each judged pair, by its place in ``query_ids``; ascending; (pairs,)."""
        return self._owner

    @functools.cached_property
    def _owner(self) -> NDArray[np.intp]:
        owner: NDArray[np.intp] = self._judged_pairs // self._span
        return owner

    def of_documents(self) -> NDArray[np.bool_]:
        """Which judged pairs are of a document, and do not only list an intent; (pairs,)."""
        return self._is_document[self._judged_pairs % self._span]

    def has_relevant_grade(self, pair: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether some judged pairs, given by number and −1 for none, have a grade above 0."""
        return np.append(self.total_grades, 0.0)[pair] > 0

    @functools.cached_property
    def total_grades(self) -> NDArray[np.float64]:
        """The sum of the grades above 0 of each judged pair, (pairs,)."""
        grades: NDArray[np.float64] = np.bincount(self.row_pair, np.maximum(self.relevance, 0.0),
                                                  minlength=self.n_pairs).astype(float)
        return grades

    @property
    def n_documents(self) -> int:
        """Documents that are judged for some query."""
        return len(self._documents)

    def numbers_of(self, queries: Any, documents: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers that some distinct query ids and document ids have here; −1 where the judgments lack one."""
        import pyarrow as pa

        numbers = []
        for values, names in ((self._queries, queries), (self._documents, documents)):
            coded = whole(pa.concat_arrays([values, Strings.of(names).array]).dictionary_encode().indices)[len(values):]
            numbers.append(np.where(coded < len(values), coded, -1))
        return numbers[0], numbers[1]

    @functools.cached_property
    def _pairs(self) -> Pairs:
        """Finds the judged pairs in runs."""
        return Pairs(self._owner, self._judged_pairs % self._span, self._documents)

    def pair_of(self, query: NDArray[Any], document: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The number of each (query, document) among the judged pairs, and whether it is one of them."""
        pair = query * self._span + document
        if not self.n_pairs:
            return np.zeros(len(pair), dtype=np.intp), np.zeros(len(pair), dtype=bool)
        place = np.minimum(np.searchsorted(self._judged_pairs, pair), self.n_pairs - 1)
        return place, self._judged_pairs[place] == pair

    def locate(self, run: pd.DataFrame | Run) -> Located:
        """The judged documents in a run by score descending, ties by doc_id descending (see :meth:`read`)."""
        return self.read(run).located()

    def read(self, run: pd.DataFrame | Run, columns: Mapping[str, Any] = MappingProxyType({})) -> LocatedRun:
        """Code the ids of a run (``query_id, doc_id, score``). Queries without judgments are passed over.

        ``columns`` names further columns of the run to find, and who asks for each, for messages; :data:`JUDGED` is 1
        where a document has a judgment for the query, of whatever grade, else 0.

        Raises:
            ValueError: a duplicate document in a query, judged or not, or a document ``'-'``; a further column that is
                not there, or has a value that is not right.
        """
        run = run if isinstance(run, Run) else Run(run)
        query = np.repeat(self.stretch_numbers(run), np.diff(run.query_starts, append=len(run)))
        names, score = run.doc_id, run.score
        keys = self._pairs.keys(query, names)
        check_documents(run, None if run.distinct else duplicate(keys, query, names))
        pair = self._pairs.find(keys, names)
        extra_columns = {name: values for name, requester in columns.items()
                 if name != JUDGED and (values := column_values(run.table, name, requester)) is not None}
        if JUDGED in columns:
            extra_columns[JUDGED] = (pair >= 0).astype(float)
        if len(query) and query.max() >= len(self.query_ids):
            keep = np.flatnonzero(query < len(self.query_ids))
            query, pair, score, names = query[keep], pair[keep], score[keep], Strings(names.take(keep))
            keys = keys[keep]
            extra_columns = {name: values[keep] for name, values in extra_columns.items()}
        return LocatedRun(self, query, pair, score, names, extra_columns, int(keys.sum()))

    def align(self, run: pd.DataFrame | Run | Located) -> list[Aligned]:
        """Lay a run, or what :meth:`locate` found in it, over the blocks; order and errors as for :meth:`locate`."""
        pair, rank, n, extra_columns = run if isinstance(run, Located) else self.locate(run)
        layout = self._layout
        hits = np.flatnonzero(layout.place[pair] >= 0)
        hit = pair[hits]
        owner = self._owner[hit]
        counts = np.bincount(owner, minlength=len(self.query_ids))
        cell, place = place_in_group(owner, counts), layout.place[hit]
        rows = layout.row_of[owner]

        def laid_out(values: NDArray[Any], block: Block, members: NDArray[np.intp] | slice, pad: float) -> NDArray[Any]:
            width = int(counts[block.queries].max(initial=0))
            padded = np.full(len(block.queries) * width, pad, dtype=values.dtype)
            padded[rows[members] * width + cell[members]] = values[members]
            return padded.reshape(len(block.queries), width)

        @functools.cache
        def among_judged() -> tuple[NDArray[np.float64], NDArray[np.intp], list[Any]]:
            owners = self._owner[pair]
            n_judged = np.bincount(owners, minlength=len(self.query_ids))
            by_rank = {name: list(self._by_rank(values, n_judged)) for name, (_, values) in extra_columns.items()}
            return (place_in_group(owners, n_judged)[hits] + 1).astype(float), n_judged, self._by_block_of(by_rank)

        def of_judged(number: int, members: NDArray[np.intp] | slice) -> Seen:
            ranks, n_judged, columns = among_judged()
            block = self.blocks[number]
            return Seen(n_judged[block.queries].astype(float), laid_out(ranks, block, members, np.inf), columns[number])

        ranks = rank[hits].astype(float)
        columns = self._by_block_of({name: list(self._by_rank(values, n)) for name, (values, _) in extra_columns.items()})
        return [Aligned(laid_out(place, block, members, 0),
                        Seen(n[block.queries].astype(float), laid_out(ranks, block, members, np.inf), columns[number]),
                        functools.partial(of_judged, number, members))
                for number, (block, members) in enumerate(zip(self.blocks, layout.by_block(owner)))]

    def _by_block_of(self, by_rank: dict[str, list[Any]]) -> list[dict[str, Any]]:
        """Columns by name, each with an array a block → by block, each with an array a name."""
        return [{name: arrays[number] for name, arrays in by_rank.items()} for number in range(len(self.blocks))]

    def _by_rank(self, values: NDArray[np.float64], n: NDArray[np.intp]) -> Iterator[NDArray[np.float64]]:
        """Values of n documents a query, one query after the other, for each block by rank: (Q, N), NaN pads."""
        first = starts(n)
        for block in self.blocks:
            rank = np.arange(int(n[block.queries].max(initial=0)))
            inside = rank < n[block.queries][:, None]
            by_rank = np.full(inside.shape, np.nan)
            by_rank[inside] = values[(first[block.queries][:, None] + rank)[inside]]
            yield by_rank

    def stretch_numbers(self, run: Run) -> NDArray[np.int64]:
        """The number of the query of each stretch of a run (:attr:`Run.query_starts`), from ``len(query_ids)`` on where
        it has no judgments, in order of first appearance; (stretches,). The run keeps them."""
        if run.numbers is None or run.numbers[0] is not self._queries:
            run.numbers = self._queries, self._stretch_numbers(run)
        numbers: NDArray[np.int64] = run.numbers[1]
        return numbers

    def _stretch_numbers(self, run: Run) -> NDArray[np.int64]:
        """What :meth:`stretch_numbers` gives, looked up."""
        from pyarrow import compute as pc

        number = pc.index_in(run.stretch_names, value_set=self._queries)
        if not number.null_count:
            return whole(number)
        unknown = np.flatnonzero(number.is_null().to_numpy(zero_copy_only=False))
        numbers: NDArray[np.int64] = number.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        numbers[unknown] = len(self.query_ids) + whole(run.stretch_names.take(unknown).dictionary_encode().indices)
        return numbers

    # ---- the same collection, aspect by aspect --------------------------------------------------------------

    def on_layer(self, layer: int) -> pd.DataFrame:
        """The rows of one layer."""
        return self.table[self.table['layer'] == layer] if 'layer' in self.table.columns else self.table

    def grades_by_aspect(self, layer: int) -> list[NDArray[Any]]:
        """Grades of the judged pairs, one aspect of a layer at a time: the first of every query, the second, ….

        A query without that aspect, or with one that no document has a grade above 0 for, has NaN. Every document
        judged for the query is judged for each of its aspects: with its grade, or 0.
        """
        pair_query = self.query_of_pair()
        table = self.table
        rows = np.flatnonzero(table['layer'].to_numpy() == layer) if 'layer' in table.columns else np.arange(len(table))
        aspect = _aspect_places(pair_query[self.row_pair[rows]], self._subtopic[0][rows], self._subtopic[1],
                                len(self.query_ids))[0]
        graded = table['relevance'].to_numpy(dtype=float)[rows]
        grades = []
        for number in range(int(aspect.max(initial=-1)) + 1):
            members = aspect == number
            grade = np.zeros(self.n_pairs)
            grade[self.row_pair[rows[members]]] = np.maximum(graded[members], 0)
            relevant = np.zeros(len(self.query_ids), dtype=bool)
            relevant[pair_query[grade > 0]] = True
            counts = relevant[pair_query] & self.of_documents()
            grades.append(np.where(counts, grade, np.nan))
        return grades

    def as_judgments(self, grades: NDArray[Any]) -> pd.DataFrame:
        """Judgments with these grades of the judged pairs; pairs of NaN are left out."""
        import pandas as pd

        pair = np.flatnonzero(~np.isnan(grades))
        pairs, values = self._judged_pairs[pair], grades[pair]
        whole_numbers = bool(np.all(values == np.floor(values)))
        return pd.DataFrame({
            'query_id': np.array(self.query_ids, dtype=object)[pairs // self._span],
            'doc_id': self._documents.take(pairs % self._span).to_pandas().to_numpy(dtype=object),
            'relevance': values.astype(np.int64) if whole_numbers else values})

    def only_judged(self, run: pd.DataFrame) -> pd.DataFrame:
        """The rows of a run whose document has a judgment for the query."""
        pairs = self.table[['query_id', 'doc_id']].drop_duplicates()
        return run.merge(pairs, on=['query_id', 'doc_id'])


def _aspect_places(query: NDArray[Any], code: NDArray[Any], ids: Any, n: int) -> tuple[NDArray[np.intp], Aspects]:
    """Places of rows on their query's aspect axis, and the aspects of each of n queries.

    ``code`` says which of the subtopics ``ids`` each row is about. Aspects stand by length of their name, then by name
    (2 before 10), so that the order of rows changes no sum.
    """
    from pyarrow.compute import binary_length

    order = np.lexsort((place_by_name(ids), whole(binary_length(ids))))
    code, ids = np.argsort(order)[code], Strings(ids).take(order)
    span = max(len(ids), 1)
    pairs, inverse = distinct(query * span + code)
    sizes = np.bincount(pairs // span, minlength=n)
    return place_in_group(pairs // span, sizes)[inverse], Aspects(sizes, pairs % span, ids)


def _blocks(documents: NDArray[np.intp], aspects: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Queries in blocks whose padded arrays hold at most about BLOCK_CELLS cells; queries of like size together."""
    n = len(documents)
    if n == 0:
        return []
    if n * int(documents.max()) * max(int(aspects.max()), 1) <= BLOCK_CELLS:
        return [np.arange(n)]
    order = np.lexsort((documents, aspects))
    high_d, high_t = documents[order], aspects[order]
    blocks: list[NDArray[np.intp]] = []
    start = 0
    while start < n:
        most = 1 + BLOCK_CELLS // max(int(high_d[start] * high_t[start]), 1)  # more do not fit
        d, t = np.maximum.accumulate(high_d[start:start + most]), high_t[start:start + most]
        fit = int(np.searchsorted(np.arange(1, len(d) + 1) * d * t, BLOCK_CELLS, side='right'))
        blocks.append(order[start:start + max(fit, 1)])
        start += max(fit, 1)
    return blocks
