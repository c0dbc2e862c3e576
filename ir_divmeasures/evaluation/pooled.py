"""The pool in the columns of judgments: whether a run may be scored with it, and how the run is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import pool_ranks
from ..core.ranking import JudgmentArrays
from ..core.registry import DivMeasure
from ..errors import MembershipWarning, warn
from ..io.columns import POOL
from ..io.ordering import place_in_group
from ..judgments.arrays import LocatedRun
from ..judgments.blocks import AlignedRun, JudgedHits
from ..judgments.table import Judgments

NO_MEMBER = 'the run is not a member of the pool that the judgments carry'
COUNT_IN = 'for judgments that count a run in, use with_rareness(…, newcomer=True) or Pool.judgments(…, newcomer=True)'
ENOUGH = 10
"""The smallest number of judged documents by which a newcomer is taken for a member."""


def reads_pool(measure: DivMeasure) -> bool:
    """Return whether a measure, or its inner measure, reads the number of systems that retrieve a document."""
    return POOL[0] in measure.needed_columns


def check_cutoff(measure: DivMeasure, depth: float) -> None:
    """Raise if the cutoff is deeper than the pool.

    Raises:
        ValueError: names both.
    """
    if measure.cutoff is not None and measure.cutoff > depth:
        raise ValueError(
            f'{measure}: the cutoff {measure.cutoff} is deeper than the pool, whose depth is {depth:g}: '
            f'who retrieves a document below that rank is not known'
        )


class CarriedPool:
    """The pool of systems in the columns of judgments, by judged (query, document) pair.

    Args:
        judgments: judgments with the columns ``n_retrieved``, ``n_systems``, ``pool_depth`` and ``newcomer``, and
            ``pool_ranks`` where it is known which system retrieves a document at which rank.
        measures: those that will be computed and read the pool.
        systems: the names of the systems by what ``pool_ranks`` calls them, if they are known.

    Raises:
        ValueError: a cutoff deeper than the pool; names both. ``n_retrieved`` and ``pool_ranks`` that contradict each
            other; names query and document.
    """

    def __init__(
        self,
        judgments: Judgments,
        measures: Iterable[DivMeasure],
        systems: Mapping[str, str] = MappingProxyType({}),
    ):
        self.collection, self.systems = judgments.collection, systems
        self.measures = list(measures)
        self.n_retrieved, self.newcomer, depth = (
            self._by_pair(judgments, name) for name in ('n_retrieved', 'newcomer', 'pool_depth')
        )
        self.depth = np.where(depth == 0, np.inf, depth)
        self.query = self.collection.query_of_pair
        self.depth_of_query = np.full(len(self.collection.query_ids), np.inf)
        self.depth_of_query[self.query] = self.depth
        self.entries = self._entries(judgments)
        for measure in self.measures:
            check_cutoff(measure, self.depth_of_query.min(initial=np.inf))

    def _by_pair(self, judgments: Judgments, name: str) -> NDArray[np.float64]:
        values = np.zeros(self.collection.n_pairs)
        values[self.collection.row_pair] = judgments.table[name].to_numpy()
        return values

    def _entries(self, judgments: Judgments) -> pool_ranks.Entries | None:
        """Which system retrieves which pair at which rank; ``place`` is the pair. None if it is not known."""
        if 'pool_ranks' not in judgments.table.columns:
            return None
        _, row = np.unique(self.collection.row_pair, return_index=True)
        entries = pool_ranks.read(
            judgments.table['pool_ranks'].to_numpy(dtype=object)[row].tolist()
        )
        self._check_counts(entries)
        return entries

    def _check_counts(self, entries: pool_ranks.Entries) -> None:
        """Raise unless ``n_retrieved`` is the number of groups in ``pool_ranks``, for each document."""
        group = entries.group[entries.system]
        n_groups = int(group.max(initial=0)) + 1
        named = np.bincount(
            np.unique(entries.place * n_groups + group) // n_groups,
            minlength=self.collection.n_pairs,
        )
        odd = np.flatnonzero((named != self.n_retrieved) & self.collection.of_documents)
        if len(odd):
            row = self._row(odd[0])
            more = f' ({len(odd)} documents in all)' if len(odd) > 1 else ''
            raise ValueError(
                f'query {row.query_id!r}, document {row.doc_id!r}: n_retrieved is '
                f'{self.n_retrieved[odd[0]]:g}, but pool_ranks names {named[odd[0]]} systems or groups'
                f'{more}. Both columns come from one pool: add them together, with with_rareness or '
                f'Pool.judgments'
            )

    def check(self, coded: LocatedRun) -> None:
        """Raise an error unless a run may be scored.

        Raises:
            ValueError: a run that cannot be one of the systems counted; one deeper than the pool where all of its
                documents count, or a counted document ranked below the depth. Names query and document.

        Warns:
            MembershipWarning: the judgments count the run in, and it has the ranking of a member.
        """
        located = coded.located()
        if self.entries is None:
            self._check_strays(located)
        elif (self.newcomer > 0).any() or (self.entries.group == 0).any():
            self._warn_of_member(self.entries, coded, located)
        else:
            members, n_judged = self._members(self.entries, coded, located)
            if n_judged and not len(members):  # a run without judged documents can be any member
                self._check_strays(located)
                raise ValueError(
                    f'{NO_MEMBER}: no system has the same judged documents at the same ranks; {COUNT_IN}'
                )
        for measure in self.measures:
            if measure.judged_only:
                sizes = np.bincount(located.query, minlength=len(located.n))
                counted = place_in_group(located.query, sizes) < (measure.cutoff or np.inf)
                below = np.flatnonzero(counted & (located.rank > self.depth[located.pair]))
                if len(below):
                    raise ValueError(
                        f'{measure}: {self._at(located, below)} at rank {located.rank[below[0]]}, '
                        f'below the depth {self.depth[located.pair[below[0]]]:g} of the pool'
                    )
            elif measure.cutoff is None:
                longer = np.flatnonzero(located.n > self.depth_of_query)
                if len(longer):
                    q = int(longer[0])
                    raise ValueError(
                        f'{measure}: no cutoff, but the run has {located.n[q]} documents for query '
                        f'{self.collection.query_ids[q]!r} and the depth of the pool is '
                        f'{self.depth_of_query[q]:g}; give a cutoff of at most that'
                    )

    def _check_strays(self, located: JudgedHits) -> None:
        """Raise if the run retrieves a judged document within the depth that no system retrieves."""
        strays = np.flatnonzero(
            (self.n_retrieved[located.pair] == 0)
            & (self.newcomer[located.pair] == 0)
            & (located.rank <= self.depth[located.pair])
        )
        if len(strays):
            raise ValueError(
                f'{NO_MEMBER}: {self._at(located, strays)} at rank {located.rank[strays[0]]}, which no '
                f'system retrieves; {COUNT_IN}'
            )

    def _warn_of_member(
        self, entries: pool_ranks.Entries, coded: LocatedRun, located: JudgedHits
    ) -> None:
        """Warn if the run is counted in, and a system has its ranking. A few judged documents can agree by chance."""
        members, n_judged = self._members(entries, coded, located)
        counted = located.pair[located.rank <= self.depth[located.pair]]
        if n_judged >= ENOUGH and len(members) and self.newcomer[counted].any():
            label = entries.labels[members[0]]
            named = (
                f'member {self.systems[label]!r}'
                if label in self.systems
                else 'a member of the pool'
            )
            warn(
                f'the run is counted twice: it is scored as a newcomer, but it has the ranking of {named} in its '
                f'{n_judged} judged documents; score a member under its name, or with judgments made without '
                f'newcomer=',
                MembershipWarning,
            )

    def _members(
        self,
        entries: pool_ranks.Entries,
        coded: LocatedRun,
        located: JudgedHits,
    ) -> tuple[NDArray[np.intp], int]:
        """The systems, as places in ``entries.labels``, that the run can be, and how many judged documents say so.

        On the queries that the run has, its judged documents within the depth must stand at the system's ranks, and
        none of the system's may be missing down to the run's length. Documents whose scores are equal in 32 bits may
        stand in any order.
        """
        first_rank, last_rank, last = coded.tied_ranks()
        is_certain = last_rank <= self.depth
        pair, n = entries.place, located.n
        query = self.query[pair]
        counted = entries.rank <= n[query]  # 0 where the run lacks the query
        agrees = (first_rank[pair] <= entries.rank) & (entries.rank <= last_rank[pair])
        # where a run was cut among equal scores, the system's document may have been cut off
        cut_off = (last_rank[pair] == 0) & (entries.rank >= last[query]) & (last[query] < n[query])
        n_systems = len(entries.labels)
        unlike = np.bincount(entries.system[counted & ~agrees & ~cut_off], minlength=n_systems)
        alike = np.bincount(
            entries.system[counted & agrees & is_certain[pair]], minlength=n_systems
        )
        n_judged = int(np.count_nonzero(is_certain[located.pair]))
        return np.flatnonzero((unlike == 0) & (alike == n_judged)), n_judged

    def _row(self, pair: int) -> Any:
        """The first row of a pair."""
        return self.collection.table.iloc[int(np.argmax(self.collection.row_pair == pair))]

    def _at(self, located: JudgedHits, rows: NDArray[np.intp]) -> str:
        row = self._row(located.pair[rows[0]])
        more = f' (and {len(rows) - 1} more)' if len(rows) > 1 else ''
        return f'query {row.query_id!r}: it has document {row.doc_id!r}{more}'


def counted_in(judged: JudgmentArrays, aligned: AlignedRun) -> JudgmentArrays:
    """Judgments with the runs that are scored counted in: S_d + 1 where the run is a newcomer that has d.

    A group that the newcomer belongs to can retrieve all documents of the block. S_d is then that of the judgments.
    """
    if not any(layer.columns['newcomer'].any() for layer in judged.layers.values()):
        return judged
    return judged.on_each_layer(lambda layer: _counted_in(layer, aligned))


def _counted_in(layer: JudgmentArrays, aligned: AlignedRun) -> JudgmentArrays:
    depth = np.where(layer.columns['pool_depth'] == 0, np.inf, layer.columns['pool_depth'])
    rank = np.full(layer.shape[:2], np.inf)
    query, hit = np.nonzero(np.isfinite(aligned.rank))
    rank[query, aligned.document[query, hit]] = aligned.rank[query, hit]
    retrieved = np.isfinite(rank) & (rank <= depth)
    counted = {'n_retrieved': layer.columns['n_retrieved'] + layer.columns['newcomer'] * retrieved}
    if 'pool_ranks' in layer.columns:
        counted['pool_ranks'] = layer.columns['pool_ranks'].copy()
        counted['pool_ranks'][..., 0] |= retrieved  # bit 0 is the newcomer's group
    return layer.with_columns(counted)
