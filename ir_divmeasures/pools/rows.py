"""The rows of a pool: which system retrieves which document of a query at which rank."""

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
        run.check_documents(find_duplicate(code * len(documents) + document))
        order = order_ranking(code, run.score, run.doc_id)
        rank = place_in_group(code[order], np.bincount(code)) + 1
        if depth is not None:
            order, rank = order[rank <= depth], rank[rank <= depth]
        query = queries.places[code[order]]
        in_order = query.argsort(kind='stable')
        codes = [c[in_order].astype(np.int32) for c in (query, document[order], rank)]
        return cls(
            codes[0],
            codes[1],
            np.zeros_like(codes[0]),
            codes[2],
            queries.take(np.argsort(queries.places)).array,
            documents.array,
            Texts.of([system]).array,
        )

    @classmethod
    def of_table(cls, table: Any, systems: list[str]) -> Rows:
        """The rows of an Arrow table ``query_id, doc_id, system, rank``, sorted by query, document and system, each
        ascending.

        Raises:
            KeyError: a column is missing, or a system is not one of ``systems``.
        """
        (query, query_ids), (document, doc_ids), (system, names) = (
            _codes(table[name]) for name in ('query_id', 'doc_id', 'system')
        )
        place = {name: s for s, name in enumerate(systems)}
        system = np.array([place[name] for name in names.to_pylist()], dtype=np.int32)[system]
        rank = values_of(table['rank'].combine_chunks())
        key = query.astype(np.int64) * len(doc_ids) + document
        key *= len(systems)
        key += system
        order = key.argsort()
        names = _strings(Texts.of(systems))
        rank = rank[order].astype(np.int32)
        return cls(query[order], document[order], system[order], rank, query_ids, doc_ids, names)

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

    def hashes(self) -> dict[str, str]:
        """A SHA-256 hash of the ranking of each system: of the number of rows of each query, of the lengths and bytes of
        the query ids, and of those of the document ids."""
        order = np.lexsort((self.rank, self.query, self.system))
        ends = np.bincount(self.system, minlength=len(self.system_ids)).cumsum()
        hashes = {}
        for name, own in zip(self.system_ids.to_pylist(), np.split(order, ends[:-1])):
            query = self.query[own]
            first = np.flatnonzero(np.diff(query, prepend=-1))
            counts = np.diff(first, append=len(query)).astype('<i8')
            queries = Texts.of(self.query_ids).take(query[first])
            documents = Texts.of(self.doc_ids).take(self.document[own])
            hashes[name] = digest([counts, queries, documents])
        return hashes


def _codes(column: Any) -> tuple[NDArray[np.int32], Any]:
    """Numbers (rows,) that stand for the texts of an Arrow column, and the distinct texts in ascending order."""
    coded = call_arrow('dictionary_encode', column).combine_chunks()
    code, texts = values_of(coded.indices), Texts.of(coded.dictionary)
    is_used = np.zeros(len(texts), dtype=bool)
    is_used[code] = True
    order = np.argsort(texts.places)
    order = order[is_used[order]]
    place = np.zeros(len(texts), dtype=np.int32)
    place[order] = np.arange(len(order))
    return place[code], _strings(texts.take(order))


def _strings(texts: Texts) -> Any:
    """An Arrow array of strings with lengths of 32 bits, as parquet files have them."""
    return call_arrow('cast', texts.array, target_type=pa.string())
