"""What systems retrieve: the rows of a pool, and the top of a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.digests import of_columns
from ..io.ordering import place_in_group, ranking_order
from ..io.runs import Run
from ..io.text_columns import Texts
from ..judgments.arrays import Collection


class Rows(NamedTuple):
    """Retrieved documents of systems.

    Attributes:
        query, document, system: (rows,) codes of queries, documents and systems.
        rank: (rows,) ranks from 1. All four have 32 bits, since pools have millions of rows.
        query_ids, doc_ids: Arrow arrays of the ids of the codes.
    """

    query: NDArray[np.int32]
    document: NDArray[np.int32]
    system: NDArray[np.int32]
    rank: NDArray[np.int32]
    query_ids: Any
    doc_ids: Any


def pairs_of(rows: Rows, collection: Collection) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the number of each row's query in judgments, and of its judged pair; −1 where there is none."""
    query, document = collection.numbers_of(rows.query_ids, rows.doc_ids)
    query, document = query[rows.query], document[rows.document]
    known = np.flatnonzero((query >= 0) & (document >= 0))
    found, is_judged = collection.pair_of(query[known], document[known])
    pair = np.full(len(query), -1, dtype=np.intp)
    pair[known[is_judged]] = found[is_judged]
    return query, pair


class Top(NamedTuple):
    """The top documents of a run: its queries in ascending order, and their documents by rank.

    Attributes:
        query: (rows,) the number of each row's query.
        query_ids: the queries of these numbers, ascending.
        documents: (rows,) the document ids.
        rank: (rows,) ranks from 1.
    """

    query: NDArray[np.int32]
    query_ids: Texts
    documents: Texts
    rank: NDArray[np.int32]

    @classmethod
    def of(cls, run: Run, depth: int | None) -> Top:
        code, names = run.query_id.codes()
        query = names.places[code]
        order = ranking_order(query, run.score, run.doc_id)
        rank = place_in_group(query[order], np.bincount(query)) + 1
        if depth is not None:
            order, rank = order[rank <= depth], rank[rank <= depth]
        return cls(
            query[order].astype(np.int32),
            names.take(np.argsort(names.places)),
            run.doc_id.take(order),
            rank.astype(np.int32),
        )

    def table(self, system: str) -> Any:
        """The rows as :class:`Pool` takes them."""
        import pyarrow as pa

        return pa.table(
            {
                'query_id': pa.DictionaryArray.from_arrays(self.query, self.query_ids.array),
                'doc_id': self.documents.array,
                'system': pa.DictionaryArray.from_arrays(np.zeros_like(self.query), [system]),
                'rank': self.rank,
            }
        )

    def hash(self) -> str:
        """A SHA-256 hash of the number of rows of each query, of the lengths and bytes of the query ids, and of those
        of the document ids."""
        first = np.flatnonzero(np.diff(self.query, prepend=-1))
        counts = np.diff(first, append=len(self.query)).astype('<i8')
        return of_columns([counts, self.query_ids.take(self.query[first]), self.documents])


def coded_texts(column: Any) -> tuple[NDArray[np.int32], Any]:
    """Numbers (rows,) that stand for the texts of an Arrow column, and the distinct texts in ascending order."""
    import pyarrow as pa

    coded = column.dictionary_encode().combine_chunks()
    code, texts = coded.indices.to_numpy(), coded.dictionary
    is_used = np.zeros(len(texts), dtype=bool)
    is_used[code] = True
    order = np.argsort(Texts.of(texts).places)
    order = order[is_used[order]]
    place = np.zeros(len(texts), dtype=np.int32)
    place[order] = np.arange(len(order))
    return place[code], texts.take(order).cast(pa.string())


__all__ = ['Rows', 'Top', 'coded_texts', 'pairs_of']
