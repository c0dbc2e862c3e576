"""Judgments as arrays, and runs aligned with them: what every measure computes on.

:class:`Collection` converts the ids of the judgments to numbers once, and arranges the grades in arrays.
:meth:`Collection.align` arranges each run in arrays that point into those of the judgments. Measures see these arrays
only. Their first axis is the query (Q), so one NumPy operation scores all queries of a block.

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

**A run.** A *hit* is a retrieved document that has a place on the document axis. Only hits can add to a score, so the
arrays of a run have shape (Q, H), where H is the largest number of hits of a query, however long the rankings are.
``document`` is the place of each hit on the document axis. ``rank`` is the rank of each hit, counted from 1. Rows with
fewer hits are padded, with rank ``inf``::

    ranking of q1: d2, d1, d9, d3              document (Q, H)    rank (Q, H)
                   1   2   3   4        →      [[1, 0]]           [[2, 4]]

The grades of the hits, in the order of the ranking, are ``grade[0, document[0]]``, here ``[[1, 1], [0, 2]]``. A measure
with ``judged_only`` sees the ranking d2, d1, d3, without the unjudged d9, and the ranks ``[[2, 3]]``.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import JudgmentArrays
from ..io.columns import KEYS, declared
from ..io.ordering import Sorted, by_score, distinct, place_in_group, ranking_order, starts
from ..io.runs import Run
from ..io.runs import read as read_one
from ..io.text_columns import (
    CHECKED_WORDS,
    KnownKeys,
    Texts,
    are_documents,
    as_frame,
    call_arrow,
    equal_ones,
    repeated_in_query,
    repeated_row,
    row_keys,
    values_of,
)
from ..lazy import pd
from .blocks import (
    AlignedRun,
    Aspects,
    Block,
    BlockRankings,
    Judged,
    JudgedHits,
    Layout,
    Pairs,
    aspect_places,
    blocks_of,
)

MOST_CELLS = 2**28
"""The largest number of cells of a query (2 GB)."""


@dataclass(eq=False)
class LocatedRun:
    """A run whose ids have the numbers of a collection of judgments.

    :meth:`Collection.read` returns it. It does not contain rows of queries without judgments. :meth:`located` finds the
    judged documents, for any way to order documents with equal scores.

    Attributes:
        collection: the judgments.
        query: (rows,) the number of the query of each row.
        pair: (rows,) the pair of each row, −1 where the document is not judged.
        score: (rows,) the score of each row.
        names: (rows,) the document id of each row.
        mark: a number that is the same for runs with the same documents for each query. Different runs almost never
            share it.
        unjudged: the queries without judgments, by first appearance.
    """

    collection: Collection
    query: NDArray[Any]
    pair: NDArray[np.intp]
    score: NDArray[Any]
    names: Texts
    mark: np.uint64
    unjudged: list[str]
    _known: dict[str, JudgedHits] = field(default_factory=dict, init=False)

    @functools.cached_property
    def judged_only(self) -> LocatedRun:
        """The rows with a judged document."""
        return self.of_rows(np.flatnonzero(self.pair >= 0))

    def of_rows(
        self, rows: NDArray[np.intp], score: NDArray[np.float64] | None = None
    ) -> LocatedRun:
        """Some rows in a certain order, with other scores if they are given."""
        return dataclasses.replace(
            self,
            query=self.query[rows],
            pair=self.pair[rows],
            score=self.score[rows] if score is None else score,
            names=self.names.take(rows),
        )

    @functools.cached_property
    def by_query(self) -> dict[str, dict[str, float]]:
        """``{query: {document: score}}``, which ir_measures' providers read fastest."""
        run: dict[str, dict[str, float]] = {}
        rows = zip(self.query.tolist(), self.names.array.to_pylist(), self.score.tolist())
        for query, name, score in rows:
            run.setdefault(self.collection.query_ids[query], {})[name] = score
        return run

    @functools.cached_property
    def ordered(self) -> Sorted:
        """The rows sorted by query and score."""
        return Sorted.of(self.query, self.score)

    def tied_ranks(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return the ranks that documents can have if scores are compared in 32 bits.

        Returns:
            Three arrays. The first two, (pairs,), are the first and the last rank that each judged document can have if
            documents with equal 32-bit scores are in any order, 0 where the run does not have it. The third, (queries,),
            is the first rank of the last group of equal scores of each query, 0 for a query without documents.
        """
        with np.errstate(over='ignore'):
            order, query, _, tied = Sorted.of(self.query, self.score.astype(np.float32))
        rank = place_in_group(query, np.bincount(query)) + 1
        edges = np.flatnonzero(np.append(True, ~tied)[: len(rank)])
        first, last = (
            np.repeat(reduce.reduceat(rank, edges), np.diff(edges, append=len(rank)))
            for reduce in (np.minimum, np.maximum)
        )
        first_rank, last_rank = np.zeros((2, self.collection.n_pairs + 1), dtype=np.intp)
        first_rank[self.pair[order]], last_rank[self.pair[order]] = first, last
        last_group = np.zeros(len(self.collection.query_ids), dtype=np.intp)
        last_group[query] = first  # that of the last row remains
        return first_rank[:-1], last_rank[:-1], last_group

    def located(self, order: str = 'descending') -> JudgedHits:
        """Return the judged documents in the order of the ranking (see :data:`~ir_divmeasures.io.ordering.ORDERS`)."""
        if order not in self._known:
            self._known[order] = self._locate(order)
        return self._known[order]

    def _locate(self, order: str) -> JudgedHits:
        judged = self.pair >= 0
        ranked = ranking_order(self.query, self.score, self.names, judged, order, self.ordered)
        pair = self.pair[ranked]
        rows = np.flatnonzero(pair >= 0)
        query = self.query[ranked[rows]]
        n = np.bincount(self.query, minlength=len(self.collection.query_ids))
        return JudgedHits(query, pair[rows], rows - starts(n)[query] + 1, n)


@dataclass(eq=False)
class LocatedRuns:
    """Runs that are scored together.

    Attributes:
        each: the runs.
        queries: the numbers of the queries that are scored; None for all. Scores of others are 0.
    """

    each: Sequence[LocatedRun]
    queries: NDArray[np.intp] | None = None

    @functools.cached_property
    def judged_only(self) -> LocatedRuns:
        """The rows with a judged document."""
        return LocatedRuns([run.judged_only for run in self.each], self.queries)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.each)

    @property
    def by_query(self) -> list[dict[str, dict[str, float]]]:
        """``{query: {document: score}}`` of each run."""
        return [run.by_query for run in self.each]

    @functools.cached_property
    def aligned(self) -> list[AlignedRun]:
        """The runs as arrays, one item for each block of the collection."""
        return self.each[0].collection.align(self.located())

    def located(self, order: str = 'descending') -> JudgedHits:
        """Return the judged documents of the runs, one run after the other."""
        return JudgedHits.joined([run.located(order) for run in self.each])


class Collection:
    """Judgments whose ids are numbers, and their arrays, each computed when it is first needed.

    The introduction of this module describes the arrays and shows an example.

    Args:
        columns: the judgments, a DataFrame or columns by name.

    Attributes:
        columns: the judgments, columns by name.
    """

    def __init__(self, columns: Mapping[str, Any]):
        self.columns = columns

    @functools.cached_property
    def _query(self) -> tuple[NDArray[np.int64], Texts]:
        """The number of each row's query, and the ids of the queries."""
        return Texts.of(self.columns['query_id']).codes()

    @property
    def queries(self) -> Texts:
        """The ids of the queries in order of first appearance. The number of a query is its place here."""
        return self._query[1]

    @functools.cached_property
    def layer(self) -> NDArray[np.intp]:
        """(rows,) the layer of each row."""
        layer = self.columns.get('layer')
        if layer is None:
            return np.broadcast_to(np.intp(0), len(self.columns['relevance']))
        return np.asarray(layer).astype(np.intp)

    @functools.cached_property
    def base(self) -> int:
        """The layer of the official intents: 0, or the smallest layer if there is no layer 0."""
        return int(0 if 0 in self.layer or not len(self.layer) else self.layer.min())

    @functools.cached_property
    def _pairs(self) -> Pairs:
        query, (document, documents) = self._query[0], Texts.of(self.columns['doc_id']).codes()
        span = max(len(documents), 1)
        key = query * span + document
        starts = np.flatnonzero(np.append(np.ones(min(len(key), 1), bool), key[1:] != key[:-1]))
        known, row = np.unique(key[starts], return_inverse=True)
        row = np.repeat(row, np.diff(starts, append=len(key)))
        return Pairs(row, *np.divmod(known, span), documents)

    @property
    def row_pair(self) -> NDArray[np.intp]:
        """(rows,) the pair of each row of the table."""
        return self._pairs.of_row

    @property
    def query_of_pair(self) -> NDArray[np.intp]:
        """(pairs,) the number of the query of each pair, ascending."""
        return self._pairs.query

    @functools.cached_property
    def of_documents(self) -> NDArray[np.bool_]:
        """(pairs,) which pairs belong to a document; the others belong to intent rows, which only list an intent."""
        return are_documents(self._pairs.documents)[self._pairs.document]

    @functools.cached_property
    def query_ids(self) -> list[str]:
        """The ids of the queries in the order of their numbers."""
        names: list[str] = self.queries.array.to_pylist()
        return names

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The judgments, whose numbers are not copied."""
        return as_frame(self.columns, copy=False)

    @functools.cached_property
    def relevance(self) -> NDArray[np.float64]:
        """The grade of each row of the table."""
        return np.asarray(self.columns['relevance'], dtype=float)

    @functools.cached_property
    def subtopic(self) -> tuple[NDArray[np.int64], Texts]:
        """The number of each row's subtopic, (rows,), and the ids of the subtopics."""
        return Texts.of(self.columns['subtopic_id']).codes()

    @property
    def has_repetitions(self) -> bool:
        """Whether two rows are of the same query, document, subtopic and layer."""
        query, document = (Texts.of(self.columns[name]) for name in KEYS[:2])
        return repeated_in_query(query, document, self.subtopic[0], self.layer) is not None

    @functools.cached_property
    def _judged(self) -> Judged:
        pairs = self._pairs
        words, longest = CHECKED_WORDS, int(pairs.documents.lengths.max(initial=0))
        while 8 * words < longest and len(equal_ones(pairs.documents.hashes(words))):
            words *= 2
        names = pairs.documents.take(pairs.document)
        keys = row_keys([pairs.query, names], words)
        order = np.argsort(keys)
        return Judged(words, KnownKeys(keys[order]), order, names)

    def __getstate__(self) -> dict[str, Any]:
        """Compute the arrays before the object is sent to other processes, so that each process does not repeat it."""
        return {'blocks': self.blocks, **self.__dict__}

    @property
    def aspects(self) -> dict[int, Aspects]:
        """The aspects of each query, by layer."""
        return self._layout.aspects

    @functools.cached_property
    def lists(self) -> NDArray[np.bool_]:
        """(rows,) which rows list their aspect, as :func:`~ir_divmeasures.io.columns.listing`."""
        code, subtopics = self.subtopic
        is_named = np.array([name != '0' for name in subtopics.array.to_pylist()], dtype=bool)[code]
        return is_named | (self.relevance > 0) | ~self.of_documents[self.row_pair]

    @functools.cached_property
    def _layout(self) -> Layout:
        """The rows of the table in the arrays of the blocks. Ad-hoc measures do not need them.

        Each pair with a grade above 0 gets a place on the document axis of its query, and each row of a layer a place on
        the aspect axis. Then the queries are split into blocks.
        """
        n, query = len(self.query_ids), self._query[0]
        positive = np.flatnonzero(self.total_grades > 0)
        names = self._pairs.documents.take(self._pairs.document[positive]).places
        positive = positive[by_score(self.query_of_pair[positive], names)]
        counts = np.bincount(self.query_of_pair[positive], minlength=n)
        place = np.full(self.n_pairs, -1, dtype=np.intp)
        place[positive] = place_in_group(self.query_of_pair[positive], counts)
        code, subtopics = self.subtopic
        aspects, aspect = dict[int, Aspects](), np.zeros(len(query), dtype=np.intp)
        layers = distinct(self.layer).tolist() if 'layer' in self.columns else []
        for each in layers or [0]:
            rows = np.flatnonzero(self.layer == each)
            aspect[rows], aspects[each] = aspect_places(query[rows], code[rows], subtopics, n)
        queries = blocks_of(counts, np.max([each.n for each in aspects.values()], axis=0))
        block_of, row_of = np.zeros((2, n), dtype=np.intp)
        for number, members in enumerate(queries):
            block_of[members], row_of[members] = number, np.arange(len(members))
        return Layout(place, aspect, self.lists, aspects, queries, block_of, row_of)

    @functools.cached_property
    def blocks(self) -> list[Block]:
        """The judgments as arrays, block by block.

        For each layer, the grade of each row is written into the cell (query, document, aspect) of its block. Further
        columns of the judgments become arrays (Q, D) if they describe documents, and (Q, T) if they describe aspects.
        Sets of groups (``pool_ranks``) have a further axis of bytes.
        """
        layout = self._layout
        facts = [] if set(self.columns) <= {*KEYS} else declared(self.table)
        arrays = {
            (fact.of, fact.name): fact.array(self.table[fact.name].to_numpy())
            for fact in facts
            if fact.array is not None and self.table[fact.name].notna().any()
        }
        blocks = []
        query, place = self._query[0], layout.place[self.row_pair]
        for queries, rows in zip(layout.queries, layout.by_block(query)):
            depth = int(place[rows].max(initial=-1)) + 1
            block = Block(queries, {}, self.base)
            for layer, aspects in layout.aspects.items():
                r = rows[self.layer[rows] == layer]
                q, d, a = layout.row_of[query[r]], place[r], layout.aspect[r]
                shape = len(queries), depth, int(aspects.n[queries].max(initial=1))
                if np.prod(shape, dtype=float) > MOST_CELLS:
                    raise ValueError(
                        f'a query with {depth} relevant documents and {shape[2]} subtopics has '
                        f'{depth * shape[2]} grades; expected at most {MOST_CELLS}'
                    )
                relevant = d >= 0  # for some subtopic
                grades, grade = np.zeros(shape), self.relevance[r]
                above = np.flatnonzero(grade > 0)
                grades[q[above], d[above], a[above]] = grade[above]
                n_aspects = len(queries) * shape[2]
                named = np.bincount(q * shape[2] + a, layout.lists[r], n_aspects) > 0
                have: dict[str, dict[str, NDArray[Any]]] = {'aspect': {}, 'document': {}}
                for (of, name), values in arrays.items():
                    of_aspects = of == 'aspect'
                    size = shape[::2] if of_aspects else shape[:2]
                    array = np.zeros((*size, *values.shape[1:]), dtype=values.dtype)
                    if of_aspects:
                        array[q, a] = values[r]
                    else:
                        array[q[relevant], d[relevant]] = values[r[relevant]]
                    have[of][name] = array
                block.layers[layer] = JudgmentArrays(
                    grades,
                    have['aspect'].get('weight'),
                    columns=have['document'],
                    aspect_columns=have['aspect'],
                    named=named.reshape(shape[::2]),
                )
            block.judgments.layers = dict(sorted(block.layers.items()))
            blocks.append(block)
        return blocks

    @property
    def n_pairs(self) -> int:
        """The number of judged (query, document) pairs."""
        return len(self.query_of_pair)

    def pair_at(self, number: int) -> NDArray[np.intp]:
        """Return the pair at each place of the document axis of a block, (Q, D); −1 where padded."""
        block = self.blocks[number]
        layout = self._layout
        pair = np.flatnonzero(layout.place >= 0)
        owner = self.query_of_pair[pair]
        members = layout.block_of[owner] == number
        pairs = np.full((len(block.queries), block.judgments.shape[1]), -1, dtype=np.intp)
        pairs[layout.row_of[owner[members]], layout.place[pair[members]]] = pair[members]
        return pairs

    @functools.cached_property
    def pairs_per_query(self) -> NDArray[np.intp]:
        """(queries,): the number of pairs of each query."""
        return np.bincount(self.query_of_pair, minlength=len(self.query_ids))

    @functools.cached_property
    def documents_per_query(self) -> NDArray[np.intp]:
        """(queries,): the number of judged documents of each query."""
        return np.bincount(self.query_of_pair[self.of_documents], minlength=len(self.query_ids))

    @functools.cached_property
    def total_grades(self) -> NDArray[np.float64]:
        """(pairs,): the sum of the grades above 0 of each pair."""
        grades: NDArray[np.float64] = np.bincount(
            self.row_pair, np.maximum(self.relevance, 0.0), minlength=self.n_pairs
        ).astype(float)
        return grades

    def pairs_of(
        self, query: NDArray[np.int64], names: Texts, keys: NDArray[np.uint64] | None = None
    ) -> NDArray[np.intp]:
        """Return the judged pair of each row of a query and a document, −1 where there is none.

        Args:
            query: (rows,) the number of the query; other numbers have no judged pair.
            names: (rows,) the document.
            keys: (rows,) the keys of the rows, if they are known.
        """
        judged = self._judged
        keys = row_keys([query, names], judged.words) if keys is None else keys
        pair = np.full(len(keys), -1, dtype=np.intp)
        rows, place = judged.keys.find(keys)
        while len(rows):  # nearly always once: unlike pairs hardly ever have one key
            candidates = judged.pair[place]
            documents = judged.names.take(candidates).array
            unlike = values_of(call_arrow('not_equal', names.take(rows).array, documents))
            same = ~unlike & (query[rows] == self.query_of_pair[candidates])
            pair[rows[same]] = candidates[same]
            rows, place = judged.keys.equal(keys, rows[~same], place[~same] + 1)
        return pair

    def read(self, run: pd.DataFrame | Run) -> LocatedRun:
        """Convert the ids of a run (``query_id, doc_id, score``) to numbers. Queries without judgments are omitted.

        Raises:
            ValueError: a query has a duplicate document, judged or not, or a document ``'-'``.
        """
        run = run if isinstance(run, Run) else read_one(run)
        # Queries without judgments have numbers from len(query_ids) on, in order of first appearance.
        (query, queries), names = run.query_id.codes(self.queries), run.doc_id
        keys = row_keys([query, names], self._judged.words)
        run.check_documents(repeated_row([query, names], keys))
        pair, score = self.pairs_of(query, names, keys), run.score
        unjudged = queries.array[len(self.query_ids) :].to_pylist()
        located = LocatedRun(self, query, pair, score, names, keys.sum(), unjudged)
        if unjudged:
            keep = np.flatnonzero(query < len(self.query_ids))
            located = located.of_rows(keep)
            located.mark = keys[keep].sum()
        return located

    def align(self, located: JudgedHits) -> list[AlignedRun]:
        """Arrange what a run retrieves in arrays, block by block: of several runs, the queries of the block for each."""
        pair, layout = located.pair, self._layout
        hits = np.flatnonzero(layout.place[pair] >= 0)
        owner, query = located.query[hits], self.query_of_pair[pair[hits]]
        firsts = np.arange(0, len(located.n), max(len(self.query_ids), 1))
        blocks = [(firsts[:, None] + queries).ravel() for queries in layout.queries]
        counts = np.bincount(owner, minlength=len(located.n))
        cell, rows, members = (
            place_in_group(owner, counts),
            layout.row_of[query],
            layout.by_block(query),
        )

        def lay_out(values: NDArray[Any], number: int, pad: float) -> NDArray[Any]:
            """The values of the hits of a block, (Q, H)."""
            of_block, n_queries = members[number], len(layout.queries[number])
            shape = len(blocks[number]), int(counts[blocks[number]].max(initial=0))
            padded = np.full(shape, pad, dtype=values.dtype)
            run = owner[of_block] // len(self.query_ids)
            padded[run * n_queries + rows[of_block], cell[of_block]] = values[of_block]
            return padded

        @functools.cache
        def rankings(number: int, judged_only: bool) -> BlockRankings:
            rank, n, queries = located.rank, located.n, blocks[number]
            if judged_only:
                n = np.bincount(located.query, minlength=len(n))
                rank = place_in_group(located.query, n) + 1
            return BlockRankings(
                n[queries].astype(float),
                lay_out(rank[hits].astype(float), number, np.inf),
            )

        return [
            AlignedRun(
                lay_out(layout.place[pair[hits]], number, 0), functools.partial(rankings, number)
            )
            for number in range(len(layout.queries))
        ]

    # ---- the same collection, aspect by aspect --------------------------------------------------------------

    def grades_by_aspect(self, layer: int) -> list[NDArray[Any]]:
        """Return the grades of the pairs for one aspect of a layer at a time: the first aspect of every query, the
        second, ….

        The grades of a query are NaN if it does not have that aspect, or if no document has a grade above 0 for it.
        Otherwise every document that is judged for the query has a grade for the aspect, 0 if none is given.
        """
        pair_query, aspect = self.query_of_pair, self._layout.aspect
        grades = []
        for number in range(int(aspect[self.layer == layer].max(initial=-1)) + 1):
            members = (self.layer == layer) & (aspect == number)
            grade = np.zeros(self.n_pairs)
            grade[self.row_pair[members]] = np.maximum(self.relevance[members], 0)
            relevant = np.zeros(len(self.query_ids), dtype=bool)
            relevant[pair_query[grade > 0]] = True
            counts = relevant[pair_query] & self.of_documents
            grades.append(np.where(counts, grade, np.nan))
        return grades

    def as_judgments(self, grades: NDArray[Any]) -> pd.DataFrame:
        """Return judgments with these grades of the pairs, without the pairs whose grade is NaN."""

        pair = np.flatnonzero(~np.isnan(grades))
        values = grades[pair]
        whole_numbers = bool(np.all(values == np.floor(values)))
        return pd.DataFrame(
            {
                'query_id': np.array(self.query_ids, dtype=object)[self.query_of_pair[pair]],
                'doc_id': np.array(
                    self._pairs.documents.pick(self._pairs.document[pair]), dtype=object
                ),
                'relevance': values.astype(np.int64) if whole_numbers else values,
            }
        )
