"""Judgments as arrays, and runs laid over them: what every measure computes on.

Measures see these arrays only. Their first axis is the query (Q), so one NumPy operation scores all queries of a block.

**Judgments.** The grades are an array of shape (Q, D, T): queries, documents, aspects.

- The *document axis* (D) contains the documents of the query that have a grade above 0 for at least one subtopic, in
  descending order of doc_id.
- The *aspect axis* (T) contains the subtopics of the query. Shorter ids come first, and ids of equal length are sorted,
  so that 2 precedes 10.

The cell (q, d, t) is the grade of document d for aspect t. It is 0 if the document is not relevant to the aspect::

    query_id  doc_id  subtopic_id  relevance          grade[0]       a  b
    q1        d1      a            1                  document 0: d3  0  2
    q1        d1      b            1           →      document 1: d1  1  1
    q1        d2      a            0
    q1        d3      b            2

Document d2 is judged, but it is relevant to no aspect, so it has no place on the document axis. Every judged (query,
document), whether relevant or not, has a number, the *pair*. Pairs are sorted by query, and within a query by document,
both in order of first appearance. D and T are those of the largest query of the block. Smaller queries are padded with
grade 0.

**A run.** Only retrieved documents with a place on the document axis can add to a score, so the arrays of a run have
shape (Q, H), where H is the largest number of such documents of a query, however long the rankings are. ``document`` is
the place of each on the document axis. ``rank`` is its rank, counted from 1. Rows with fewer documents are padded, with
rank ``inf``::

    ranking of q1: d2, d1, d9, d3              document (Q, H)    rank (Q, H)
                   1   2   3   4        →      [[1, 0]]           [[2, 4]]

The grades of the ranking are ``grade[0, document[0]]``, here ``[[1, 1], [0, 2]]``. A measure with ``judged_only`` sees
the ranking d2, d1, d3, without the unjudged d9, and the ranks ``[[2, 3]]``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import InnerMeasures, JudgmentArrays, Ranking
from ..lazy import cached_property
from .columns import declared
from .ids import (
    Sorted,
    Texts,
    distinct,
    numbered,
    order_ranking,
    place_in_group,
    sort_rows,
    starts,
)

if TYPE_CHECKING:
    from .judgments import Judgments

BLOCK_CELLS = 1_000_000
"""The approximate number of (document, aspect) cells in a block of queries."""

MOST_CELLS = 2**28
"""The largest number of cells of a query (2 GB)."""


class Aspects(NamedTuple):
    """The aspects of each query on one layer.

    Attributes:
        n: (queries,) the number of aspects of each query.
        code: (aspects of all queries,) their places in ``names``, query by query in the order of the aspect axis.
        names: the ids of subtopics.
    """

    n: NDArray[np.intp]
    code: NDArray[Any]
    names: Texts


class Layout(NamedTuple):
    """The place of every judgment in the arrays of the blocks.

    Attributes:
        place: (pairs,) the place of each pair on the document axis of its query, −1 for a pair without a grade above 0.
        aspect: (rows,) the place of each row on the aspect axis of its query and layer.
        aspects: the aspects of each query, by layer.
        queries: the numbers of the queries of each block.
        block_of: (queries,) the block of each query.
        row_of: (queries,) the row of each query in the arrays of its block.
    """

    place: NDArray[np.intp]
    aspect: NDArray[np.intp]
    aspects: dict[int, Aspects]
    queries: list[NDArray[np.intp]]
    block_of: NDArray[np.intp]
    row_of: NDArray[np.intp]

    def by_block(self, query: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """The places of the items of each block, given the number of each item's query."""
        block = self.block_of[query].astype(np.min_scalar_type(len(self.queries)))
        ends = np.cumsum(np.bincount(block, minlength=len(self.queries)))
        return np.split(np.argsort(block, kind='stable'), ends[:-1])


def layout_of(judgments: Judgments) -> Layout:
    """Give each pair with a grade above 0 a place on the document axis of its query, and each row of a layer a place on
    the aspect axis. Then split the queries into blocks."""
    n, query = len(judgments.query_ids), judgments.query_of_row
    positive = np.flatnonzero(judgments.total_grades > 0)
    names = judgments.document_of(positive).places
    positive = positive[sort_rows(judgments.query_of_pair[positive], names).order]
    owner = judgments.query_of_pair[positive]
    counts = np.bincount(owner, minlength=n)
    place = np.full(judgments.n_pairs, -1, dtype=np.intp)
    place[positive] = place_in_group(owner, counts)
    code, subtopics = judgments.subtopic
    aspects, aspect = dict[int, Aspects](), np.zeros(len(query), dtype=np.intp)
    for layer in distinct(judgments.layer).tolist() or [0]:
        rows = np.flatnonzero(judgments.layer == layer)
        aspect[rows], aspects[layer] = _aspect_places(query[rows], code[rows], subtopics, n)
    queries = _blocks_of(counts, np.max([each.n for each in aspects.values()], axis=0))
    block_of, row_of = np.zeros((2, n), dtype=np.intp)
    for number, members in enumerate(queries):
        block_of[members], row_of[members] = number, np.arange(len(members))
    return Layout(place, aspect, aspects, queries, block_of, row_of)


def _aspect_places(
    query: NDArray[Any], code: NDArray[Any], ids: Texts, n: int
) -> tuple[NDArray[np.intp], Aspects]:
    """Return the place of each row on the aspect axis of its query, and the aspects of each of n queries.

    ``code`` is the index of each row's subtopic in ``ids``. Aspects are sorted by the length of their id and then by
    the id (2 before 10). Sums over aspects therefore do not depend on the order of the rows.
    """
    number, pairs = numbered(query * len(ids) + code)
    query, code = np.divmod(pairs, max(len(ids), 1))
    order = np.lexsort((ids.places[code], np.diff(ids.bounds)[code], query))
    sizes, place = np.bincount(query, minlength=n), np.empty_like(order)
    place[order] = place_in_group(query[order], sizes)
    return place[number], Aspects(sizes, code[order], ids)


def _blocks_of(documents: NDArray[np.intp], aspects: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Group queries of similar size into blocks whose padded arrays have at most about BLOCK_CELLS cells."""
    blocks: list[list[int]] = []
    depth = 0
    for query in np.lexsort((documents, aspects)).tolist():
        depth = max(depth, int(documents[query]))
        if not blocks or (len(blocks[-1]) + 1) * depth * int(aspects[query]) > BLOCK_CELLS:
            blocks.append([])
            depth = int(documents[query])
        blocks[-1].append(query)
    return [np.sort(block) for block in blocks]


def blocks_of(judgments: Judgments) -> list[JudgmentArrays]:
    """The judgments of the official intents as arrays, block by block. Other layers are in their ``layers``.

    For each layer, the grade of each row is written into the cell (query, document, aspect) of its block. Further
    columns of the judgments become arrays (Q, D) if they describe documents, and (Q, T) if they describe aspects. Sets
    of groups (``pool_ranks``) have a further axis of bytes.
    """
    layout = judgments.layout
    arrays = {
        (fact.of, fact.name): fact.array(judgments.table[fact.name].to_numpy())
        for fact in declared(judgments.columns)
        if fact.array
    }
    blocks = []
    for queries, rows in zip(layout.queries, layout.by_block(judgments.query_of_row)):
        layers = dict[int, JudgmentArrays]()
        for layer, aspects in layout.aspects.items():
            r = rows[judgments.layer[rows] == layer]
            depth = int(layout.place[judgments.row_pair[rows]].max(initial=-1)) + 1
            shape = len(queries), depth, int(aspects.n[queries].max(initial=1))
            layers[layer] = _arrays_of(judgments, layout, r, shape, arrays)
        blocks.append(layers[judgments.base])
        blocks[-1].layers = layers
    return blocks


def _arrays_of(
    judgments: Judgments,
    layout: Layout,
    rows: NDArray[np.intp],
    shape: tuple[int, int, int],
    columns: dict[tuple[str, str], NDArray[Any]],
) -> JudgmentArrays:
    """The arrays of a block and a layer.

    Args:
        rows: the rows of the judgments on this layer.
        shape: (Q, D, T).
        columns: (rows,) the values of further columns, by what they describe and their name.
    """
    n_queries, depth, width = shape
    if np.prod(shape, dtype=float) > MOST_CELLS:
        raise ValueError(
            f'a query with {depth} relevant documents and {width} subtopics has {depth * width} grades; expected at '
            f'most {MOST_CELLS}'
        )
    q = layout.row_of[judgments.query_of_row[rows]]
    d, a = layout.place[judgments.row_pair[rows]], layout.aspect[rows]
    grades, grade = np.zeros(shape), judgments.relevance[rows]
    above = np.flatnonzero(grade > 0)
    grades[q[above], d[above], a[above]] = grade[above]
    n_listing = np.bincount(q * width + a, judgments.lists[rows], n_queries * width)
    named = n_listing.reshape(n_queries, width) > 0
    facts: dict[str, dict[str, NDArray[Any]]] = {'aspect': {}, 'document': {}}
    for (of, name), values in columns.items():
        place, size = (a, width) if of == 'aspect' else (d, depth)
        here = place >= 0  # documents that are relevant to some aspect
        array = facts[of][name] = np.zeros((n_queries, size, *values.shape[1:]), values.dtype)
        array[q[here], place[here]] = values[rows[here]]
    weight = facts['aspect'].get('weight')
    return JudgmentArrays(grades, weight, facts['document'], facts['aspect'], named)


# ------------------------------------------------------------------------------------------------------------- a run


class Laid(NamedTuple):
    """Rankings of a block as arrays.

    Attributes:
        rankings: (Q,) the number of each ranking.
        queries: (Q,) its row in the block.
        document: (Q, H) the place of each retrieved document on the document axis; 0 where padded.
        rank: (Q, H) its rank, counted from 1; ``inf`` where padded.
        n: (Q,) the number of documents that each ranking has.
    """

    rankings: NDArray[np.intp]
    queries: NDArray[np.intp]
    document: NDArray[np.intp]
    rank: NDArray[np.float64]
    n: NDArray[np.float64]


@dataclasses.dataclass(eq=False)
class Hits:
    """The judged documents of some rankings, in the order of the rankings.

    Attributes:
        judgments: the judgments.
        query: (documents,) the ranking of each document. The rankings of a run have the numbers of their queries.
        pair: (documents,) the pair of each document.
        rank: (documents,) the rank of each document, counted from 1.
        n: (rankings,) the number of documents, judged or not, of each ranking.
        queries: (rankings,) the number of the query of each ranking; None if each query has one.
    """

    judgments: Judgments
    query: NDArray[np.intp]
    pair: NDArray[np.intp]
    rank: NDArray[np.intp]
    n: NDArray[np.intp]
    queries: NDArray[np.intp] | None = None

    def located(self, order: str) -> Hits:
        """The same documents in another order of equal scores (see :meth:`Overlay.located`), of which there are none."""
        return self

    @cached_property
    def judged_only(self) -> Hits:
        """The same rankings without unjudged documents."""
        n = np.bincount(self.query, minlength=len(self.n))
        return dataclasses.replace(self, rank=place_in_group(self.query, n) + 1, n=n)

    @cached_property
    def laid(self) -> list[Laid]:
        """The rankings as arrays, block by block."""
        layout = self.judgments.layout
        hits = np.flatnonzero(layout.place[self.pair] >= 0)
        owner, pair = self.query[hits], self.pair[hits]
        counts = np.bincount(owner, minlength=len(self.n))
        column, row = place_in_group(owner, counts), np.zeros(len(self.n), dtype=np.intp)
        queries = np.arange(len(self.n)) if self.queries is None else self.queries
        of_block = layout.by_block(self.judgments.query_of_pair[pair])
        laid = []
        for members, rows in zip(layout.by_block(queries), of_block):
            row[members] = np.arange(len(members))
            shape = len(members), int(counts[members].max(initial=0))
            document, rank = np.zeros(shape, dtype=np.intp), np.full(shape, np.inf)
            cells = row[owner[rows]], column[rows]
            document[cells], rank[cells] = layout.place[pair[rows]], self.rank[hits[rows]]
            n = self.n[members].astype(float)
            laid.append(Laid(members, layout.row_of[queries[members]], document, rank, n))
        return laid

    def judged(self, block: int) -> JudgmentArrays:
        """The judgments of the rankings of a block."""
        judgments = self.judgments.blocks[block]
        return judgments if self.queries is None else judgments.of_queries(self.laid[block].queries)

    def ranking(
        self,
        block: int,
        judged: JudgmentArrays,
        rel: float = 1,
        judged_only: bool = False,
        depth: float = np.inf,
        inner: InnerMeasures | None = None,
    ) -> Ranking:
        """The rankings of a block as measures with this ``rel`` and ``judged_only`` see them, down to a depth.

        Args:
            judged: the judgments of the block's rankings, perhaps with the run counted in.
            inner: computes wrapped measures.
        """
        laid = (self.judged_only if judged_only else self).laid[block]
        document, rank = laid.document, laid.rank
        if depth < np.inf:
            width = int((rank <= depth).sum(axis=1).max(initial=0))
            document, rank = document[:, :width], rank[:, :width]
        return Ranking(judged, document, rank, laid.n, rel, None, judged_only, inner)


@dataclasses.dataclass(eq=False)
class Overlay:
    """A run laid over judgments: its rows, without those of queries that have no judgments.

    Attributes:
        judgments: the judgments.
        query: (rows,) the number of the query of each row.
        pair: (rows,) the pair of each row, −1 where the document is not judged.
        score: (rows,) the score of each row.
        names: (rows,) the document id of each row.
        unjudged: the queries without judgments, by first appearance.
    """

    judgments: Judgments
    query: NDArray[Any]
    pair: NDArray[Any]
    score: NDArray[Any]
    names: Texts
    unjudged: Sequence[str] = ()
    _hits: dict[str, Hits] = dataclasses.field(default_factory=dict, init=False)

    def of_rows(self, rows: NDArray[np.intp]) -> Overlay:
        """Some rows of the run."""
        return dataclasses.replace(
            self,
            query=self.query[rows],
            pair=self.pair[rows],
            score=self.score[rows],
            names=self.names.take(rows),
        )

    @cached_property
    def judged_only(self) -> Overlay:
        """The rows with a judged document."""
        return self.of_rows(np.flatnonzero(self.pair >= 0))

    @cached_property
    def nested(self) -> dict[str, dict[str, float]]:
        """``{query: {document: score}}``, which ir_measures' providers read fastest."""
        run: dict[str, dict[str, float]] = {}
        rows = zip(self.query.tolist(), self.names.array.to_pylist(), self.score.tolist())
        for query, name, score in rows:
            run.setdefault(self.judgments.query_ids[query], {})[name] = score
        return run

    @cached_property
    def ordered(self) -> Sorted:
        """The rows sorted by query and score."""
        return sort_rows(self.query, self.score)

    @cached_property
    def _ties_equal_in_32_bits(self) -> bool:
        """Whether no query has different scores that are one in 32 bits."""
        with np.errstate(over='ignore'):
            single = self.ordered.score.astype(np.float32)
        query, tied = self.ordered.query, self.ordered.tied
        near = (single[1:] == single[:-1]) & (query[1:] == query[:-1])
        return not (near & ~tied).any()

    def located(self, order: str = 'descending') -> Hits:
        """The judged documents in the order of the ranking (see :data:`~ir_divmeasures.data.ids.ORDERS`)."""
        if order == 'single' and self._ties_equal_in_32_bits:
            order = 'descending'
        if order not in self._hits:
            judged = self.pair >= 0
            ranked = order_ranking(self.query, self.score, self.names, judged, order, self.ordered)
            pair = self.pair[ranked]
            rows = np.flatnonzero(pair >= 0)
            query = self.query[ranked[rows]]
            n = np.bincount(self.query, minlength=len(self.judgments.query_ids))
            rank = rows - starts(n)[query] + 1
            self._hits[order] = Hits(self.judgments, query, pair[rows], rank, n)
        return self._hits[order]
