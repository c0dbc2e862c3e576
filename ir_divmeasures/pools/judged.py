"""A pool with judgments: which system retrieves which judged document, and the scores of the pool's members."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import pool_ranks
from ..core.ranking import JudgmentArrays
from ..core.registry import DivMeasure, ours
from ..core.registry import measures as parse_all
from ..evaluation.adhoc import AdHoc
from ..evaluation.pooled import check_cutoff, reads_pool
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores
from ..evaluation.scoring import score_run
from ..io.columns import POOL
from ..io.runs import Run
from ..judgments.arrays import AlignedRun, JudgedHits
from ..judgments.table import Judgments

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import MeasuresLike


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
        return self._by_group(np.arange(len(self.systems)))

    def _by_group(self, members: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether one of these systems retrieves a judged pair, by their groups, (groups, pairs)."""
        _, first, group = np.unique(
            np.array(self.groups)[members], return_index=True, return_inverse=True
        )
        if len(first) == len(members):
            return self.retrieved[members]
        place = np.argsort(np.argsort(first))[group]  # groups in the order of their first system
        order = np.argsort(place, kind='stable')
        starts = np.searchsorted(place[order], np.arange(len(first)))
        return np.logical_or.reduceat(self.retrieved[members][order], starts, axis=0)

    def counts(self, members: Any = None) -> tuple[NDArray[np.intp], int]:
        """S_d of each judged pair, (pairs,), and S. Systems of a group count once.

        ``members`` are indices of the systems that count; the default is all systems.
        """
        by_group = self.group_retrieved if members is None else self._by_group(np.asarray(members))
        return by_group.sum(axis=0), len(by_group)

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
        place = {query: q for q, query in enumerate(self.collection.query_ids)}
        queries = [place[query] for query in judgments.collection.query_ids]
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
        parsed = parse_all(measures)
        if not parsed:
            raise ValueError('no measures')
        members = np.arange(len(self.systems)) if members is None else np.asarray(members)
        for measure in parsed:
            self.check_known(measure, members)
        result = np.zeros((len(members), len(self.collection.query_ids), len(parsed)))
        fast = [
            (m, own)
            for m, measure in enumerate(parsed)
            if (own := ours(measure)) is not None and not own.wraps
        ]
        self._score_arrays(fast, members, result)
        others = [m for m in range(len(parsed)) if m not in dict(fast)]
        adhoc = AdHoc([parsed[m] for m in others], self.judged)
        for place, s in enumerate(members if adhoc.known else ()):
            for measure, values in adhoc.scores(self._located[s]):
                result[place][:, [m for m in others if parsed[m] == measure]] = values[:, None]
        others = [m for m in others if parsed[m] in adhoc.rest]
        if others:
            self._score_runs(others, [parsed[m] for m in others], members, result)
        return Scores(
            result,
            tuple(self.systems[s] for s in members),
            tuple(self.collection.query_ids),
            tuple(map(str, parsed)),
        )

    def check_known(self, measure: Any, members: Any = None) -> None:
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
        members = np.arange(len(self.systems)) if members is None else members
        if own is not None and reads_pool(own):
            check_cutoff(own, self.depth)
        cutoff, judged_only = (
            (own.cutoff, own.judged_only)
            if own is not None
            else (measure.params.get('cutoff'), measure.params.get('judged_only', False))
        )
        n_documents = (
            np.add.reduceat(self.retrieved[members], self._query_starts, axis=1)
            if judged_only
            else self.n[members]
        )
        below = (self.n[members] >= self.depth) & (
            n_documents < (np.inf if cutoff is None else cutoff)
        )
        if cutoff is None:
            below = self.n[members] >= self.depth
        if below.any():
            s, q = np.argwhere(below)[0]
            raise ValueError(
                f'{measure}: the pool contains the top {self.depth} of its members, and system '
                f'{self.systems[members[s]]!r} may retrieve documents below it for query '
                f'{self.collection.query_ids[q]!r}; set a cutoff within the depth, or pass the runs'
            )

    @functools.cached_property
    def _query_starts(self) -> NDArray[np.intp]:
        return np.searchsorted(
            self.collection.query_of_pair(), np.arange(len(self.collection.query_ids))
        )

    def _score_arrays(
        self,
        measures: list[tuple[int, DivMeasure]],
        members: NDArray[np.intp],
        result: NDArray[np.float64],
    ) -> None:
        """Write scores by measures that read arrays into ``result``.

        Args:
            measures: pairs of an index on the last axis of the result, and a measure of this package.
            members: indices of the systems to score.
            result: (members, queries, measures) scores.
        """
        with_pool = [own for _, own in measures if reads_pool(own)]
        by_group = self._by_group(members) if with_pool else None
        n_retrieved = None if by_group is None else by_group.sum(axis=0)
        sets = (
            pool_ranks.bits_of(by_group)
            if by_group is not None and any('pool_ranks' in own.needed_columns for own in with_pool)
            else None
        )
        for number, block in enumerate(self.collection.blocks if measures else []):
            counted = (
                block.judgments
                if by_group is None or n_retrieved is None
                else self._with_counts(number, n_retrieved, len(by_group), sets)
            )
            for place, s in enumerate(members):
                aligned = self._aligned[s][number]
                views: dict[Any, Any] = {}
                for m, own in measures:
                    view = own.rel, own.judged_only, reads_pool(own)
                    if view not in views:
                        views[view] = aligned.ranking(
                            counted if view[2] else block.judgments, own.rel, own.judged_only
                        )
                    result[place, block.queries, m] = own.on(views[view])

    def _with_counts(
        self,
        number: int,
        n_retrieved: NDArray[np.intp],
        n_systems: int,
        sets: NDArray[np.uint8] | None,
    ) -> JudgmentArrays:
        """The judgments of the block with this number, with S_d of all pairs, (pairs,), S, and the groups that
        retrieve each pair, (pairs, bytes), if they are asked for."""
        pairs, judgments = self._pairs[number], self.collection.blocks[number].judgments
        columns: dict[str, NDArray[Any]] = {
            'n_retrieved': np.append(n_retrieved, 0)[pairs],
            'n_systems': np.full(pairs.shape, n_systems),
        }
        if sets is not None:
            columns['pool_ranks'] = np.concatenate([sets, np.zeros_like(sets[:1])])[pairs]
        return judgments.with_columns(columns)

    @functools.cached_property
    def _pairs(self) -> list[NDArray[np.intp]]:
        return [self.collection.pair_at(number) for number in range(len(self.collection.blocks))]

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

    def _score_runs(
        self,
        places: list[int],
        measures: list[Any],
        members: NDArray[np.intp],
        result: NDArray[np.float64],
    ) -> None:
        """Write scores by measures that read runs into ``result``: those of ir_measures, and measures of measures.

        Args:
            places: the index of each measure on the last axis of the result.
            measures: the measures.
            members: indices of the systems to score.
            result: (members, queries, all measures) scores.
        """
        with_pool = any((own := ours(m)) is not None and reads_pool(own) for m in measures)
        table = self.judgments() if with_pool else self.judged
        if len(members) < len(self.systems) and table is not self.judged:
            raise ValueError(
                f'{measures[0]}: expected a measure that does not contain another measure, because only '
                f'{len(members)} of {len(self.systems)} systems of the pool are scored'
            )
        evaluator = Evaluator(measures, table, warn=False, about_missing=False)
        for place, s in enumerate(members):
            _, values, *_ = score_run(
                self.systems[s],
                Run(self.run(int(s))),
                evaluator,
                measures,
                self.collection.query_ids,
            )
            result[place][:, places] = values

    def run(self, place: int) -> pd.DataFrame:
        """The ranking of a member as a run. Unjudged documents have invented ids."""
        import pandas as pd

        pair, rank, n, _ = self._located[place]
        query = np.repeat(np.arange(len(n)), n)
        position = np.arange(len(query)) - np.repeat(np.cumsum(n) - n, n) + 1
        documents = np.array([f'unjudged\t{i}' for i in position], dtype=object)  # no id has a tab
        position_of_pair = (np.cumsum(n) - n)[self.collection.query_of_pair()[pair]] + rank - 1
        documents[position_of_pair] = self._documents[pair]
        return pd.DataFrame(
            {
                'query_id': np.array(self.collection.query_ids, dtype=object)[query],
                'doc_id': documents,
                'score': -position.astype(float),
            }
        )

    @functools.cached_property
    def _documents(self) -> NDArray[Any]:
        """The document of each judged pair, (pairs,)."""
        documents = np.empty(self.collection.n_pairs, dtype=object)
        documents[self.collection.row_pair] = self.table['doc_id'].to_numpy(dtype=object)
        return documents


__all__ = ['JudgedPool']
