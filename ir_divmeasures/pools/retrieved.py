"""What systems retrieve: the rows of a pool, and the top of a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.ids import (
    Texts,
    call_arrow,
    digest,
    find_duplicate,
    order_ranking,
    place_in_group,
    values_of,
)
from ..data.judgments import Judgments
from ..data.runs import Run
from ..lazy import pa


class Rows(NamedTuple):
    """Retrieved documents of systems.

    Attributes:
        query, document, system: (rows,) codes of queries, documents and systems.
        rank: (rows,) ranks from 1. All four have 32 bits, since pools have millions of rows.
        query_ids, doc_ids, system_ids: Arrow arrays of the ids of the codes.
    """

    query: NDArray[np.int32]
    document: NDArray[np.int32]
    system: NDArray[np.int32]
    rank: NDArray[np.int32]
    query_ids: Any
    doc_ids: Any
    system_ids: Any

    @classmethod
    def top(cls, system: str, run: Run, depth: int | None) -> Rows:
        """The top documents of a run: its queries in ascending order, and their documents by rank.

        Raises:
            ValueError: as :meth:`Run.check`.
        """
        (code, queries), (document, documents) = run.query_id.codes(), run.doc_id.codes()
        pair = code * len(documents) + document
        run.check_documents(find_duplicate(pair))
        order = order_ranking(code, run.score, run.doc_id)
        rank = place_in_group(code[order], np.bincount(code)) + 1
        if depth is not None:
            order, rank = order[rank <= depth], rank[rank <= depth]
        columns = in_order(queries.places[code[order]], rank, document[order])
        return cls(
            columns[0],
            columns[2],
            np.zeros(len(order), dtype=np.int32),
            columns[1],
            queries.take(np.argsort(queries.places)).array,
            documents.array,
            Texts.of([system]).array,
        )

    def table(self) -> Any:
        """The rows as an Arrow table ``query_id, doc_id, system, rank``."""
        # From the buffers, since Arrow imports pandas to see whether an array is one of its own.
        codes = [
            pa.Array.from_buffers(pa.int32(), len(code), [None, pa.py_buffer(code)])
            for code in self[:4]
        ]
        columns = [pa.DictionaryArray.from_arrays(*each) for each in zip(codes, self[4:])]
        names = ['query_id', 'doc_id', 'system', 'rank']
        return pa.table([*columns, codes[3]], names=names)

    def hash(self) -> str:
        """A SHA-256 hash of the number of rows of each query, of the lengths and bytes of the query ids, and of those
        of the document ids."""
        first = np.flatnonzero(np.diff(self.query, prepend=-1))
        counts = np.diff(first, append=len(self.query)).astype('<i8')
        queries = Texts.of(self.query_ids).take(self.query[first])
        return digest([counts, queries, Texts.of(self.doc_ids).take(self.document)])


def pairs_of(rows: Rows, judgments: Judgments) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the number of each row's query in judgments, which is higher than those of their queries where it has no
    judgments, and its judged pair, −1 where there is none."""
    query = Texts.of(rows.query_ids).codes(judgments.queries)[0][rows.query]
    return query, judgments.pairs_of(query, Texts.of(rows.doc_ids).take(rows.document))


def coded_texts(column: Any) -> tuple[NDArray[np.int32], Any]:
    """Numbers (rows,) that stand for the texts of an Arrow column, and the distinct texts in ascending order."""
    coded = call_arrow('dictionary_encode', column).combine_chunks()
    code, texts = values_of(coded.indices), Texts.of(coded.dictionary)
    is_used = np.zeros(len(texts), dtype=bool)
    is_used[code] = True
    order = np.argsort(texts.places)
    order = order[is_used[order]]
    place = np.zeros(len(texts), dtype=np.int32)
    place[order] = np.arange(len(order))
    return place[code], call_arrow('cast', texts.take(order).array, target_type=pa.string())


def in_order(*columns: NDArray[Any]) -> list[NDArray[np.int32]]:
    """Rows of whole numbers of at least 0, sorted by the first column, then by the second, …

    Raises:
        ValueError: the numbers of a row have more than 63 bits.
    """
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) > 63:
        raise ValueError(f'a pool of {len(columns[0])} rows is too large: leave out some queries')
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths):
        key <<= width
        key |= column
    key.sort()
    ordered = [np.empty(len(key), dtype=np.int32) for _ in columns]
    for column, width in zip(ordered[::-1], widths[::-1]):
        np.bitwise_and(key, (1 << width) - 1, out=column, casting='unsafe')
        key >>= width
    return ordered


__all__ = ['Rows', 'coded_texts', 'in_order', 'pairs_of']
