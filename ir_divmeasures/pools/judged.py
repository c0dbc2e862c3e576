"""A pool with judgments: which system retrieves which judged document, and the scores of the pool's members."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import pool_ranks
from ..core.registry import DivMeasure, ours
from ..core.registry import measures as parse_all
from ..evaluation.adhoc import AdHoc
from ..evaluation.pooled import check_cutoff, reads_pool
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores
from ..evaluation.scoring import score_run
from ..io.columns import POOL
from ..io.runs import read
from ..judgments.arrays import AlignedRun, Collection, JudgedHits
from ..judgments.table import Judgments

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import MeasuresLike


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

    def where(self, mask: NDArray[np.bool_]) -> Rows:
        """The rows that are kept, (rows,) true where kept, with the same ids."""
        query, document, system, rank = (column[mask] for column in self[:4])
        return Rows(query, document, system, rank, self.query_ids, self.doc_ids)


def pairs_of(rows: Rows, collection: Collection) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the number of each row's query in judgments, and of its judged pair; −1 where there is none."""
    query, document = collection.numbers_of(rows.query_ids, rows.doc_ids)
    query, document = query[rows.query], document[rows.document]
    known = np.flatnonzero((query >= 0) & (document >= 0))
    found, is_judged = collection.pair_of(query[known], document[known])
    pair = np.full(len(query), -1, dtype=np.intp)
    pair[known[is_judged]] = found[is_judged]
    return query, pair


def without_pool(qrels: Any) -> Judgments:
    """Judgments without the columns of a pool."""
    judgments = Judgments.of(qrels)
    carried = [name for name in POOL if name in judgments.table.columns]
    return Judgments.of(judgments.table.drop(columns=carried)) if carried else judgments


def with_counts(
    judgments: Judgments,
    pair: NDArray[Any],
    system: NDArray[Any],
    rank: NDArray[Any],
    groups: list[str],
    depth: int | None,
    newcomer: bool | str,
) -> pd.DataFrame:
    """Judgments with the columns of a pool.

    Args:
        judgments: the judgments.
        pair, system, rank: an entry for each system that retrieves a judged pair in its top ``depth``: the numbers of
            both and the rank, (entries,) each, in any order.
        groups: (systems,) the group of each system.
        depth: depth of the pool, or None.
        newcomer: False if members will be scored. True or the name of a group if another run will be scored, which S
            then counts too, unless its group is in the pool.

    Raises:
        TypeError: ``newcomer`` is of another type.
    """
    if not isinstance(newcomer, (bool, str)):
        raise TypeError(f'newcomer={newcomer!r}: expected True, False or the name of a group')
    names = list(dict.fromkeys(groups))
    n_pairs, n_systems = judgments.collection.n_pairs, len(names)
    group = np.array([names.index(name) for name in groups], dtype=np.intp)[system]
    n_retrieved = np.bincount(np.unique(pair * n_systems + group) // n_systems, minlength=n_pairs)
    own = newcomer if isinstance(newcomer, str) and newcomer in names else None
    adds = np.zeros(n_pairs, dtype=np.int64)
    if newcomer is not False:
        adds += 1
        n_systems += own is None
    if own is not None:
        adds[pair[group == names.index(own)]] = 0
    texts = np.array(
        pool_ranks.write(pair, system, rank, pool_ranks.labels_of(groups, own), n_pairs),
        dtype=object,
    )
    row = judgments.collection.row_pair
    return judgments.table.assign(
        n_retrieved=n_retrieved[row],
        n_systems=n_systems,
        pool_depth=depth or 0,
        newcomer=adds[row],
        pool_ranks=texts[row],
    )


class JudgedPool:
    """A pool with judgments, which :meth:`ir_divmeasures.Pool.over` returns and the functions of reports take.

    It needs 4 bytes for each system and judged (query, document) pair.

    Attributes:
        judged, table, collection: the judgments as an object, as a table and as arrays.
        systems, groups, depth: those of the pool.
        rank: (systems, pairs) rank at which a system retrieves a judged pair, 0 where it does not. Pairs are numbered
            as in ``collection.row_pair``.
        n: (systems, queries) number of documents retrieved, down to ``depth``.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> n_retrieved, n_systems = pool.counts()
        >>> pool.systems, n_retrieved.tolist(), n_systems
        (['A', 'B'], [2, 1], 2)
    """

    def __init__(
        self,
        judgments: Judgments,
        systems: list[str],
        groups: list[str],
        depth: int | None,
        rank: NDArray[np.int32],
        n: NDArray[np.intp],
    ):
        self.judged, self.table, self.collection = judgments, judgments.table, judgments.collection
        self.systems, self.groups, self.depth, self.rank, self.n = systems, groups, depth, rank, n

    @functools.cached_property
    def retrieved(self) -> NDArray[np.bool_]:
        """Whether a system retrieves a judged pair, (systems, pairs)."""
        return self.rank > 0

    @functools.cached_property
    def group_names(self) -> list[str]:
        """The groups, in the order of the first of their systems."""
        return list(dict.fromkeys(self.groups))

    @functools.cached_property
    def group_retrieved(self) -> NDArray[np.bool_]:
        """Whether a system of a group retrieves a judged pair, (groups, pairs)."""
        return np.stack(
            [
                self.retrieved[[group == name for group in self.groups]].any(axis=0)
                for name in self.group_names
            ]
        )

    def found_alone(self) -> NDArray[np.bool_]:
        """Whether a group retrieves a judged pair that no other group retrieves, (groups, pairs)."""
        return self.group_retrieved & (self.group_retrieved.sum(axis=0) == 1)

    def counts(self) -> tuple[NDArray[np.intp], int]:
        """S_d of each judged pair, (pairs,), and S. Systems of a group count once."""
        return self.group_retrieved.sum(axis=0), len(self.group_names)

    def judgments(self, newcomer: bool | str = False) -> pd.DataFrame:
        """The judgments with the columns of the pool, as :func:`ir_divmeasures.with_rareness` returns them."""
        system, pair = np.nonzero(self.rank)
        return with_counts(
            self.judged, pair, system, self.rank[system, pair], self.groups, self.depth, newcomer
        )

    def only(self, pairs: NDArray[np.bool_]) -> JudgedPool:
        """The pool with only the judgments of these pairs, (pairs,) true where kept.

        Raises:
            ValueError: no judgment is kept.
        """
        rows = np.flatnonzero(pairs[self.collection.row_pair])
        if not len(rows):
            raise ValueError('no judgment is left')
        judgments = Judgments.of(self.table.iloc[rows].reset_index(drop=True))
        rank = np.zeros((len(self.systems), judgments.collection.n_pairs), dtype=np.int32)
        rank[:, judgments.collection.row_pair] = self.rank[:, self.collection.row_pair[rows]]
        queries = [self.collection.query_ids.index(q) for q in judgments.collection.query_ids]
        return JudgedPool(
            judgments, self.systems, self.groups, self.depth, rank, self.n[:, queries]
        )

    def scores(self, measures: MeasuresLike, members: Any = None) -> Scores:
        """Scores of the members from the top ``depth`` that the pool contains, without reading the runs again.

        Args:
            measures: any that :func:`ir_divmeasures.evaluate` takes.
            members: indices of the systems that form the pool and are scored. The default is all systems.

        Returns:
            :class:`~ir_divmeasures.Scores`, which the functions of :mod:`ir_divmeasures.meta` take.

        Raises:
            ValueError: there are no measures, or a measure depends on documents below the depth.

        Examples:
            >>> import ir_divmeasures
            >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
            >>> pool = ir_divmeasures.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
            >>> pool.scores('P_Rareness@2 P@2').means()
            measure  P_Rareness@2  P@2
            system
            A                1.25  1.0
            B                0.50  0.5
        """
        if members is not None:
            return self._of_members(members).scores(measures)
        parsed = parse_all(measures)
        if not parsed:
            raise ValueError('no measures')
        for measure in parsed:
            self.check_known(measure)
        result = np.zeros((len(self.systems), len(self.collection.query_ids), len(parsed)))
        own_measures = {
            m: own
            for m, measure in enumerate(parsed)
            if (own := ours(measure)) is not None and not own.wraps
        }
        self._score_arrays(own_measures, result)
        others = [m for m in range(len(parsed)) if m not in own_measures]
        adhoc = AdHoc([parsed[m] for m in others], self.judged)
        for s in range(len(self.systems) if adhoc.known else 0):
            for measure, values in adhoc.scores(self._located[s]):
                result[s][:, [m for m in others if parsed[m] == measure]] = values[:, None]
        by_runs = [m for m in others if parsed[m] in adhoc.rest]
        if by_runs:
            result[..., by_runs] = self._scores_of_runs([parsed[m] for m in by_runs])
        return Scores(
            result, tuple(self.systems), tuple(self.collection.query_ids), tuple(map(str, parsed))
        )

    def _of_members(self, members: Any) -> JudgedPool:
        """The pool of the systems with these indices alone."""
        part = JudgedPool(
            self.judged,
            [self.systems[s] for s in members],
            [self.groups[s] for s in members],
            self.depth,
            self.rank[members],
            self.n[members],
        )
        part._located = [self._located[s] for s in members]
        part._aligned = [self._aligned[s] for s in members]
        return part

    def check_known(self, measure: Any) -> None:
        """Check that scores by a measure do not depend on documents below the depth, or on further columns of runs.

        Raises:
            ValueError: they do.
        """
        own = ours(measure)
        if own is not None and own.run_columns:
            raise ValueError(
                f'{measure} reads the column {own.run_columns[0]!r} of runs, which a pool does not '
                f'contain; pass the runs'
            )
        if self.depth is None:
            return
        if own is not None:
            if reads_pool(own):
                check_cutoff(own, self.depth)
            cutoff, judged_only = own.cutoff, own.judged_only
        else:
            cutoff = measure.params.get('cutoff')
            judged_only = measure.params.get('judged_only', False)
        n_documents = self.n
        if judged_only:
            queries = np.arange(len(self.collection.query_ids))
            first = np.searchsorted(self.collection.query_of_pair(), queries)
            n_documents = np.add.reduceat(self.retrieved, first, axis=1)
        below = (self.n >= self.depth) & (n_documents < (np.inf if cutoff is None else cutoff))
        if below.any():
            s, q = np.argwhere(below)[0]
            raise ValueError(
                f'{measure}: the pool contains the top {self.depth} of its members, and system '
                f'{self.systems[s]!r} may retrieve documents below it for query '
                f'{self.collection.query_ids[q]!r}; set a cutoff within the depth, or pass the runs'
            )

    def _score_arrays(self, measures: dict[int, DivMeasure], result: NDArray[np.float64]) -> None:
        """Write scores by measures that read arrays into ``result``.

        Args:
            measures: measures of this package by their index on the last axis of the result.
            result: (systems, queries, measures) scores.
        """
        columns: dict[str, NDArray[Any]] = {}
        if any(reads_pool(own) for own in measures.values()):
            n_retrieved, n_systems = self.counts()
            sets = pool_ranks.bits_of(self.group_retrieved)
            columns = {  # the last row is of places without a document
                'n_retrieved': np.append(n_retrieved, 0),
                'n_systems': np.full(len(n_retrieved) + 1, n_systems),
                'pool_ranks': np.concatenate([sets, np.zeros_like(sets[:1])]),
            }
        for number, block in enumerate(self.collection.blocks if measures else []):
            counted = block.judgments
            if columns:
                pairs = self.collection.pair_at(number)
                counted = counted.with_columns(
                    {name: values[pairs] for name, values in columns.items()}
                )
            for s, blocks in enumerate(self._aligned):
                views: dict[Any, Any] = {}
                for m, own in measures.items():
                    view = own.rel, own.judged_only, reads_pool(own)
                    if view not in views:
                        views[view] = blocks[number].ranking(
                            counted if view[2] else block.judgments, own.rel, own.judged_only
                        )
                    result[s, block.queries, m] = own.on(views[view])

    @functools.cached_property
    def _located(self) -> list[JudgedHits]:
        query = self.collection.query_of_pair()
        located = []
        for rank, n in zip(self.rank, self.n):
            pair = np.flatnonzero(rank)
            pair = pair[np.lexsort((rank[pair], query[pair]))]
            located.append(JudgedHits(pair, rank[pair].astype(np.intp), n))
        return located

    @functools.cached_property
    def _aligned(self) -> list[list[AlignedRun]]:
        """The ranking of each system as arrays, one for each block of queries."""
        return [self.collection.align(located) for located in self._located]

    def _scores_of_runs(self, measures: list[Any]) -> NDArray[np.float64]:
        """Scores by measures that read runs: those of ir_measures, and measures of measures; (systems, queries, measures)."""
        with_pool = any((own := ours(m)) is not None and reads_pool(own) for m in measures)
        evaluator = Evaluator(
            measures,
            self.judgments() if with_pool else self.judged,
            warn=False,
            about_missing=False,
        )
        queries = self.collection.query_ids
        return np.stack(
            [
                score_run(name, read(self.run(s)), evaluator, measures, queries).values
                for s, name in enumerate(self.systems)
            ]
        )

    def run(self, place: int) -> pd.DataFrame:
        """The ranking of a member as a run. Unjudged documents have invented ids."""
        import pandas as pd

        pair, rank, n, _ = self._located[place]
        query = np.repeat(np.arange(len(n)), n)
        first = np.cumsum(n) - n
        position = np.arange(len(query)) - first[query] + 1
        documents = np.array([f'unjudged\t{i}' for i in position], dtype=object)  # no id has a tab
        of_pair = np.empty(self.collection.n_pairs, dtype=object)
        of_pair[self.collection.row_pair] = self.table['doc_id'].to_numpy(dtype=object)
        documents[first[self.collection.query_of_pair()[pair]] + rank - 1] = of_pair[pair]
        return pd.DataFrame(
            {
                'query_id': np.array(self.collection.query_ids, dtype=object)[query],
                'doc_id': documents,
                'score': -position.astype(float),
            }
        )


__all__ = ['JudgedPool']
