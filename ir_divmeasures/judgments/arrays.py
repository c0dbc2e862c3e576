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

import copy
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import JUDGED, JudgmentArrays
from ..io.columns import KEYS, declared
from ..io.ordering import Sorted, by_score, distinct, place_in_group, ranking_order, starts
from ..io.run_columns import column_values
from ..io.runs import Run
from ..io.runs import read as read_one
from ..io.text_columns import (
    CHECKED_WORDS,
    FACTOR,
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
    values_by_rank,
)

MOST_CELLS = 2**28
"""The largest number of cells of a query (2 GB)."""


@dataclass(eq=False)
class LocatedRun:
    """A run, or several one after the other, whose ids have the numbers of a collection of judgments.

    :meth:`Collection.read` returns it. It does not contain rows of queries without judgments. :meth:`located` finds the
    judged documents, for any way to order documents with equal scores.

    Attributes:
        collection: the judgments.
        query: (rows,) the query of each row: run · queries + number of the query. A run's place is 0 if it is alone.
        pair: (rows,) the pair of each row, −1 where the document is not judged.
        score: (rows,) the score of each row.
        names: (rows,) the document id of each row.
        bounds: (runs + 1,) where the rows of each run begin, and where the last ones end.
        columns: further columns of the run by name, each (rows,).
        unjudged: for each run its queries without judgments, by first appearance.
        marks: (runs,) a number that is the same for runs with the same documents for each query. Different runs almost
            never share it.
    """

    collection: Collection
    query: NDArray[Any]
    pair: NDArray[np.intp]
    score: NDArray[Any]
    names: Texts
    bounds: NDArray[np.intp]
    columns: Mapping[str, NDArray[np.float64]]
    marks: NDArray[np.uint64]
    unjudged: list[list[str]]
    _known: dict[str, JudgedHits] = field(default_factory=dict)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.marks)

    @property
    def _n_queries(self) -> int:
        return self.n_runs * len(self.collection.query_ids)

    @property
    def each(self) -> list[LocatedRun]:
        """Each run alone. What was located before is not located again."""
        # Remembered, a run that holds itself would stay in memory until Python looks for circles.
        return [self] if self.n_runs == 1 else self._parts

    @functools.cached_property
    def _parts(self) -> list[LocatedRun]:
        firsts = np.arange(self.n_runs + 1) * len(self.collection.query_ids)
        hits = {order: np.searchsorted(known.query, firsts) for order, known in self._known.items()}
        return [
            self._one(
                run,
                slice(*self.bounds[run : run + 2].tolist()),
                slice(*firsts[run : run + 2].tolist()),
                {order: slice(*bounds[run : run + 2].tolist()) for order, bounds in hits.items()},
            )
            for run in range(self.n_runs)
        ]

    def _one(self, run: int, rows: slice, queries: slice, hits: dict[str, slice]) -> LocatedRun:
        """The run at a place, which has some rows, queries, and hits."""
        order, query, score, tied = self.ordered
        first, shift = rows.start, queries.start
        one = self._of_rows(rows, self.names.between_rows(first, rows.stop), [0, rows.stop - first])
        one.query = one.query - shift
        one.marks, one.unjudged = self.marks[run : run + 1], self.unjudged[run : run + 1]
        one.ordered = Sorted(
            order[rows] - first,
            query[rows] - shift,
            score[rows],
            tied[first : max(rows.stop - 1, first)],
        )
        for name, of in hits.items():
            found = self._known[name]
            one._known[name] = JudgedHits(
                found.query[of] - shift,
                found.pair[of],
                found.rank[of],
                found.n[queries],
                {key: (every[rows], judged[of]) for key, (every, judged) in found.columns.items()},
            )
        return one

    @functools.cached_property
    def judged_only(self) -> LocatedRun:
        """The rows with a judged document."""
        rows = np.flatnonzero(self.pair >= 0)
        return self._of_rows(rows, self.names.take(rows), np.searchsorted(rows, self.bounds))

    def _of_rows(self, rows: Any, names: Texts, bounds: Any) -> LocatedRun:
        """Some rows, with their documents and the bounds of the runs."""
        columns = {name: values[rows] for name, values in self.columns.items()}
        of_rows = self.query[rows], self.pair[rows], self.score[rows]
        known = self.marks, self.unjudged
        return LocatedRun(self.collection, *of_rows, names, np.asarray(bounds), columns, *known)

    @functools.cached_property
    def by_query(self) -> list[dict[str, dict[str, float]]]:
        """For each run ``{query: {document: score}}``, which ir_measures' providers read fastest."""
        runs: list[dict[str, dict[str, float]]] = [{} for _ in range(self.n_runs)]
        ids = self.collection.query_ids
        rows = zip(self.query.tolist(), self.names.array.to_pylist(), self.score.tolist())
        for number, name, score in rows:
            run, query = divmod(number, len(ids))
            runs[run].setdefault(ids[query], {})[name] = score
        return runs

    def located(self, order: str = 'descending') -> JudgedHits:
        """Return the judged documents in the order of the ranking (see :data:`~ir_divmeasures.io.ordering.ORDERS`)."""
        if order not in self._known:
            self._known[order] = self._locate(order)
        return self._known[order]

    @functools.cached_property
    def ordered(self) -> Sorted:
        """The rows sorted by query and score."""
        return Sorted.of(self.query, self.score)

    @functools.cached_property
    def aligned(self) -> list[AlignedRun]:
        """The run as arrays, one item for each block of the collection."""
        return self.collection.align(self.located())

    def tied_ranks(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return the ranks that documents can have if scores are compared in 32 bits.

        Returns:
            Three arrays. The first two, (documents,), are the first and the last rank that each judged document can
            have if documents with equal 32-bit scores are in any order; documents are in the order of :meth:`located`.
            The third, (queries,), is the first rank of the last group of equal scores of each query, 0 for a query
            without documents.
        """
        order = ranking_order(self.query, self.score, self.names, self.pair >= 0)
        n = np.bincount(self.query, minlength=self._n_queries)
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

    def _locate(self, order: str) -> JudgedHits:
        ranked = ranking_order(
            self.query,
            self.score,
            self.names,
            None if self.columns else self.pair >= 0,
            order,
            self.ordered,
        )
        pair = self.pair[ranked]
        columns = {name: values[ranked] for name, values in self.columns.items()}
        n = np.bincount(self.query, minlength=self._n_queries)
        rows = np.flatnonzero(pair >= 0)
        query = self.query[ranked[rows]]
        return JudgedHits(
            query,
            pair[rows],
            rows - starts(n)[query] + 1,
            n,
            {name: (values, values[rows]) for name, values in columns.items()},
        )


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
        return Pairs(known, row, *np.divmod(known, span), documents)

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
        is_named = np.array([name != '0' for name in subtopics.array.to_pylist()], dtype=bool)[code]
        lists = is_named | (self.relevance > 0) | ~self.of_documents[self.row_pair]
        return Layout(place, aspect, lists, aspects, queries, block_of, row_of)

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
                    have['aspect'].get('subtopic_type'),
                    have['document'],
                    have['aspect'],
                    named.reshape(shape[::2]),
                )
            block.judgments.layers = dict(sorted(block.layers.items()))
            blocks.append(block)
        return blocks

    def regraded(self, relevance: NDArray[np.float64]) -> Collection:
        """Return a collection of the same judged documents with other grades.

        Both collections have the same numbers, pairs and places, so a run that was read for one can be used with the
        other.

        Args:
            relevance: (rows,) the new grade of each row of the table.

        Raises:
            ValueError: a document gets a grade above 0, but has none in this collection, and so no place on the
                document axis.
        """
        if (relevance[self._layout.place[self.row_pair] < 0] > 0).any():
            raise ValueError(
                'a document has a grade above 0 that has none in the judgments to regrade'
            )
        regraded_copy = copy.copy(self)  # keeps everything that depends on ids only
        regraded_copy.columns = {**self.columns, 'relevance': relevance}
        for name in ('blocks', 'relevance', 'table', 'total_grades'):
            regraded_copy.__dict__.pop(name, None)
        return regraded_copy

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

    def numbers_of(
        self, queries: Any, documents: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of distinct query ids and document ids; −1 for ids that the judgments do not contain."""
        query, document = (
            Texts.of(names).codes(known)[0]
            for known, names in ((self.queries, queries), (self._pairs.documents, documents))
        )
        return (
            np.where(query < len(self.queries), query, -1),
            np.where(document < len(self._pairs.documents), document, -1),
        )

    def pair_of(
        self, query: NDArray[Any], document: NDArray[Any]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the pair of each (query, document), and whether it is judged. The number of an unjudged one means
        nothing."""
        pairs = self._pairs
        key = query * len(pairs.documents) + document
        if not self.n_pairs:
            return np.zeros(len(key), dtype=np.intp), np.zeros(len(key), dtype=bool)
        place = np.minimum(np.searchsorted(pairs.known, key), self.n_pairs - 1)
        return place, pairs.known[place] == key

    def read(
        self, *runs: pd.DataFrame | Run, columns: Mapping[str, Any] = MappingProxyType({})
    ) -> LocatedRun:
        """Convert the ids of runs (``query_id, doc_id, score``) to numbers. Queries without judgments are omitted.

        ``columns`` names further columns of the run to read, and who needs each one, for error messages. The column
        :data:`JUDGED` is computed: 1 where the document has a judgment of any grade for the query, else 0.

        Raises:
            ValueError: a query has a duplicate document, judged or not, or a document ``'-'``; a further column is
                missing or has an invalid value.
        """
        read = [run if isinstance(run, Run) else read_one(run) for run in runs]
        bounds = starts(np.array([len(run) for run in read]))
        owner = np.repeat(np.arange(len(read)), np.diff(bounds))
        # Queries without judgments have numbers from len(query_ids) on, in order of first appearance.
        of_queries = Texts.joined([run.query_id for run in read])
        of_queries.starts = np.concatenate(
            [run.query_id.starts + first for run, first in zip(read, bounds)]
        )
        query, queries = of_queries.codes(self.queries)
        names = Texts.joined([run.doc_id for run in read])
        score = read[0].score if len(read) == 1 else np.concatenate([run.score for run in read])
        judged = self._judged
        keys = row_keys([query, names], judged.words)
        row = repeated_row([owner, query, names], keys ^ (owner.astype(np.uint64) * FACTOR))
        repeated = {} if row is None else {int(owner[row]): row - int(bounds[owner[row]])}
        for number, run in enumerate(read):
            run.check_documents(repeated.get(number))
        pair = np.full(len(keys), -1, dtype=np.intp)
        rows, place = judged.keys.find(keys)
        while len(rows):  # nearly always once: unlike pairs hardly ever have one key
            candidates = judged.pair[place]
            documents = judged.names.take(candidates).array
            unlike = values_of(call_arrow('not_equal', names.take(rows).array, documents))
            same = ~unlike & (query[rows] == self.query_of_pair[candidates])
            pair[rows[same]] = candidates[same]
            rows, place = judged.keys.equal(keys, rows[~same], place[~same] + 1)
        for run, first, end in zip(read, bounds[:-1], bounds[1:]):
            if (pair[first:end] < 0).all():
                run.check_doubts()
        further = {}
        for name, requester in columns.items():
            if name == JUDGED:
                further[name] = (pair >= 0).astype(float)
                continue
            values = [column_values(run.table, name, requester) for run in read]
            found = [each for each in values if each is not None]
            if len(found) == len(values):
                further[name] = np.concatenate(found)
        unjudged: list[list[str]] = [[] for _ in read]
        if len(queries) > len(self.query_ids):
            other = np.flatnonzero(query >= len(self.query_ids))
            first = np.unique(owner[other] * len(queries) + query[other], return_index=True)[1]
            other = other[np.sort(first)]
            for number, name in zip(owner[other].tolist(), queries.pick(query[other])):
                unjudged[number].append(name)
            keep = np.flatnonzero(query < len(self.query_ids))
            query, pair, score, keys = query[keep], pair[keep], score[keep], keys[keep]
            names, owner, bounds = names.take(keep), owner[keep], np.searchsorted(keep, bounds)
            further = {name: values[keep] for name, values in further.items()}
        sums = np.append(np.uint64(0), np.cumsum(keys))[bounds]
        query = query + owner * len(self.query_ids)
        return LocatedRun(self, query, pair, score, names, bounds, further, np.diff(sums), unjudged)

    def align(self, run: pd.DataFrame | Run | JudgedHits) -> list[AlignedRun]:
        """Arrange a run, or what :meth:`LocatedRun.located` returns, in arrays, block by block: of several runs, the
        queries of the block for each of them. Errors are those of :meth:`read`."""
        located = run if isinstance(run, JudgedHits) else self.read(run).located()
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
                {
                    name: values_by_rank(of[judged_only], n, queries)
                    for name, of in located.columns.items()
                },
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
