"""The pool in the columns of judgments: whether a run may be scored with it, and how the run is counted."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import JudgmentArrays
from ..core.registry import DivMeasure
from ..data.arrays import Hits, Laid
from ..data.columns import POOL
from ..data.judgments import Judgments


def reads_pool(measure: DivMeasure) -> bool:
    """Return whether a measure, or its inner measure, reads the number of systems that retrieve a document."""
    return POOL[0] in measure.needed_columns


class CarriedPool:
    """The pool of systems in the columns of judgments, by judged (query, document) pair.

    Args:
        judgments: judgments with the columns ``n_retrieved``, ``n_systems``, ``pool_depth`` and ``newcomer``.
        measures: those that will be computed and read the pool.

    Raises:
        ValueError: a cutoff deeper than the pool; names both.
    """

    def __init__(self, judgments: Judgments, measures: Iterable[DivMeasure]):
        self.judgments, self.measures = judgments, list(measures)
        n_retrieved, newcomer, depth = np.zeros((3, judgments.n_pairs))
        for values, name in zip(
            (n_retrieved, newcomer, depth), ('n_retrieved', 'newcomer', 'pool_depth')
        ):
            values[judgments.row_pair] = judgments.table[name].to_numpy()
        self.is_counted = n_retrieved + newcomer > 0
        self.depth = np.where(depth == 0, np.inf, depth)
        self.depth_of_query = np.full(len(judgments.query_ids), np.inf)
        self.depth_of_query[judgments.query_of_pair] = self.depth
        least = self.depth_of_query.min(initial=np.inf)
        for measure in self.measures:
            if measure.cutoff is not None and measure.cutoff > least:
                raise ValueError(
                    f'{measure}: the cutoff {measure.cutoff} is deeper than the pool, whose depth is {least:g}; '
                    f'set a cutoff of at most {least:g}, or make a deeper pool'
                )

    def check(self, hits: Hits) -> None:
        """Raise an error unless a run may be scored.

        Raises:
            ValueError: a run that has a document within the depth which no system retrieves; one deeper than the pool
                where all of its documents count, or a counted document ranked below the depth. Names query and
                document.
        """
        depth = self.depth[hits.pair]
        strays = np.flatnonzero(~self.is_counted[hits.pair] & (hits.rank <= depth))
        if len(strays):
            raise ValueError(
                f'the run is not a member of the pool in the judgments: {self._at(hits, strays)}, which no '
                f'system retrieves; to score other runs, make the judgments with newcomer=True, or use Pool.scores'
            )
        for measure in self.measures:
            if measure.judged_only:
                within = hits.judged_only.rank <= (measure.cutoff or np.inf)
                below = np.flatnonzero(within & (hits.rank > depth))
                if len(below):
                    raise ValueError(
                        f'{measure}: {self._at(hits, below)}, below the depth {depth[below[0]]:g} of the pool'
                    )
            elif measure.cutoff is None:
                for query in np.flatnonzero(hits.n > self.depth_of_query)[:1]:
                    raise ValueError(
                        f'{measure}: no cutoff, but the run has {hits.n[query]} documents for query '
                        f'{self.judgments.query_ids[query]!r} and the depth of the pool is '
                        f'{self.depth_of_query[query]:g}; set a cutoff of at most that'
                    )

    def _at(self, hits: Hits, rows: NDArray[np.intp]) -> str:
        """Query, document and rank of the first of some hits, in words."""
        query = self.judgments.query_ids[hits.query[rows[0]]]
        (document,) = self.judgments.document_of(hits.pair[rows[:1]]).array.to_pylist()
        more = f' (and {len(rows) - 1} more)' if len(rows) > 1 else ''
        return f'query {query!r}: it has document {document!r}{more} at rank {hits.rank[rows[0]]}'


def count_in(judged: JudgmentArrays, laid: Laid) -> JudgmentArrays:
    """Judgments with the run that is scored counted in: S_d + 1 where the run is a newcomer that has d.

    A group that the newcomer belongs to can retrieve all documents of the block. S_d is then that of the judgments.
    """
    if not any(layer.columns['newcomer'].any() for layer in judged.layers.values()):
        return judged
    rank = np.full(judged.shape[:2], np.inf)
    query, hit = np.nonzero(np.isfinite(laid.rank))
    rank[query, laid.document[query, hit]] = laid.rank[query, hit]

    def on_layer(layer: JudgmentArrays) -> JudgmentArrays:
        depth = layer.columns['pool_depth']
        retrieved = np.isfinite(rank) & (rank <= np.where(depth == 0, np.inf, depth))
        counts = layer.columns['n_retrieved'] + layer.columns['newcomer'] * retrieved
        counted = {'n_retrieved': counts}
        if 'pool_ranks' in layer.columns:
            counted['pool_ranks'] = layer.columns['pool_ranks'].copy()
            counted['pool_ranks'][..., 0] |= retrieved  # bit 0 is the newcomer's group
        return layer.with_columns(counted)

    return judged.on_each_layer(on_layer)
