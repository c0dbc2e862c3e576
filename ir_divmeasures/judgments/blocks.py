"""The arrays of a block of queries, and the arrays of a run that is aligned with them.

:mod:`~ir_divmeasures.judgments.arrays` describes the arrays and shows an example.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import InnerMeasures, JudgmentArrays, Ranking
from ..io.ordering import place_in_group, starts
from ..io.text_columns import KnownKeys, Texts, numbered

BLOCK_CELLS = 1_000_000
"""The approximate number of (document, aspect) cells in a block of queries."""


class Block(NamedTuple):
    """Queries that are evaluated together.

    Attributes:
        queries: (Q,) the number of each query, which is its place in ``Collection.query_ids``.
        layers: the judgments of these queries by layer. Their arrays have shape (Q, D, T).
        base: the number of the official layer.
    """

    queries: NDArray[np.intp]
    layers: dict[int, JudgmentArrays]
    base: int

    @property
    def judgments(self) -> JudgmentArrays:
        return self.layers[self.base]


class BlockRankings(NamedTuple):
    """The rankings of the queries of a block.

    Attributes:
        n: (Q,) the number of documents that the run retrieves for each query.
        rank: (Q, H) the rank of each hit, counted from 1; ``inf`` where padded.
    """

    n: NDArray[np.float64]
    rank: NDArray[np.float64]


class AlignedRun(NamedTuple):
    """The part of a run that belongs to one block.

    Attributes:
        document: (Q, H) the place of each hit on the document axis of its query; 0 where padded.
        rankings: a function that returns the rankings as they are, or, given True, without unjudged documents.
    """

    document: NDArray[np.intp]
    rankings: Callable[[bool], BlockRankings]

    @property
    def rank(self) -> NDArray[np.float64]:
        """(Q, H): the rank of each hit; ``inf`` where padded."""
        return self.rankings(False).rank

    def of_queries(self, rows: NDArray[np.intp]) -> AlignedRun:
        """The queries in some rows."""

        @functools.cache
        def rankings(judged_only: bool) -> BlockRankings:
            n, rank = self.rankings(judged_only)
            return BlockRankings(n[rows], rank[rows])

        return AlignedRun(self.document[rows], rankings)

    def ranking(
        self,
        judged: JudgmentArrays,
        rel: float,
        judged_only: bool,
        depth: int | None = None,
        inner: InnerMeasures | None = None,
    ) -> Ranking:
        """Return the ranking that measures with this ``rel`` and ``judged_only`` see, cut at ``depth`` if it is
        given."""
        n, rank = self.rankings(judged_only)
        width = rank.shape[1]
        if depth is not None:
            width = int((rank <= depth).sum(axis=1).max(initial=0))
        document, rank = self.document[:, :width], rank[:, :width]
        return Ranking(judged, document, rank, n, rel, None, judged_only, inner)


class JudgedHits(NamedTuple):
    """The judged documents that runs retrieve, in the order of the rankings.

    Attributes:
        query: the query of each document, (documents,): run · queries + number of the query.
        pair: (documents,) the pair of each document, numbered as in :attr:`Collection.row_pair`.
        rank: (documents,) the rank of each document, counted from 1.
        n: (runs · queries,) the number of documents, judged or not, that a run retrieves for each query of the judgments.
    """

    query: NDArray[np.intp]
    pair: NDArray[np.intp]
    rank: NDArray[np.intp]
    n: NDArray[np.intp]

    @classmethod
    def joined(cls, parts: Sequence[JudgedHits]) -> JudgedHits:
        """Those of several parts that have the same queries, one after the other."""
        if len(parts) == 1:
            return parts[0]
        first = starts(np.array([len(part.n) for part in parts]))
        query, pair, rank, n = zip(*parts)
        return cls(
            np.concatenate([own + shift for own, shift in zip(query, first)]),
            np.concatenate(pair),
            np.concatenate(rank),
            np.concatenate(n),
        )


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

    def ids_of(self, query: int) -> list[str]:
        """Return the ids of a query's aspects, in the order of the aspect axis."""
        first = int(self.n[:query].sum())
        return self.names.pick(self.code[first : first + int(self.n[query])])


class Layout(NamedTuple):
    """The place of every judgment in the arrays of the blocks. It depends on ids, and on which documents are relevant.

    Attributes:
        place: (pairs,) the place of each pair on the document axis of its query, −1 for a pair without a grade above 0.
        aspect: (rows,) the place of each row on the aspect axis of its query and layer.
        lists: (rows,) which rows list their aspect (see :func:`~ir_divmeasures.io.columns.listing`).
        aspects: the aspects of each query, by layer.
        queries: the numbers of the queries of each block.
        block_of: (queries,) the block of each query.
        row_of: (queries,) the row of each query in the arrays of its block.
    """

    place: NDArray[np.intp]
    aspect: NDArray[np.intp]
    lists: NDArray[np.bool_]
    aspects: dict[int, Aspects]
    queries: list[NDArray[np.intp]]
    block_of: NDArray[np.intp]
    row_of: NDArray[np.intp]

    def by_block(self, query: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Split items by the block of their query, given the numbers of the queries: the indices of each block's
        items."""
        if len(self.queries) == 1:
            return [np.arange(len(query))]
        block = self.block_of[query].astype(np.min_scalar_type(len(self.queries)))
        ends = np.cumsum(np.bincount(block, minlength=len(self.queries)))
        return list(np.split(np.argsort(block, kind='stable'), ends[:-1])) if self.queries else []


class Pairs(NamedTuple):
    """The judged pairs of a query and a document, numbered by query, and within a query by document.

    Attributes:
        of_row: (rows,) the pair of each row of the table.
        query, document: (pairs,) the numbers of the query and the document of each pair.
        documents: the ids of the documents.
    """

    of_row: NDArray[np.intp]
    query: NDArray[np.intp]
    document: NDArray[np.intp]
    documents: Texts


class Judged(NamedTuple):
    """The judged pairs by their keys (:func:`~ir_divmeasures.io.text_columns.row_keys`).

    Attributes:
        words: how many words at the end of an id tell the documents apart.
        keys: the keys, ascending.
        pair: (pairs,) the pair of each key.
        names: (pairs,) the document of each pair.
    """

    words: int
    keys: KnownKeys
    pair: NDArray[np.intp]
    names: Texts


def aspect_places(
    query: NDArray[Any], code: NDArray[Any], ids: Texts, n: int
) -> tuple[NDArray[np.intp], Aspects]:
    """Return the place of each row on the aspect axis of its query, and the aspects of each of n queries.

    ``code`` is the index of each row's subtopic in ``ids``. Aspects are sorted by the length of their id and then by
    the id (2 before 10). Sums over aspects therefore do not depend on the order of the rows.
    """
    number, pairs = numbered(query * len(ids) + code)
    query, code = np.divmod(pairs, max(len(ids), 1))
    order = np.lexsort((ids.places[code], ids.lengths[code], query))
    sizes, place = np.bincount(query, minlength=n), np.empty_like(order)
    place[order] = place_in_group(query[order], sizes)
    return place[number], Aspects(sizes, code[order], ids)


def blocks_of(documents: NDArray[np.intp], aspects: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Group queries of similar size into blocks whose padded arrays have at most about BLOCK_CELLS cells."""
    n = len(documents)
    if n == 0:
        return []
    if n * int(documents.max()) * max(int(aspects.max()), 1) <= BLOCK_CELLS:
        return [np.arange(n)]
    blocks: list[list[int]] = []
    depth = width = 0
    for query in np.lexsort((documents, aspects)).tolist():
        depth, width = max(depth, int(documents[query])), max(width, int(aspects[query]))
        if not blocks or (len(blocks[-1]) + 1) * depth * width > BLOCK_CELLS:
            blocks.append([])
            depth, width = int(documents[query]), int(aspects[query])
        blocks[-1].append(query)
    return [np.array(block) for block in blocks]
