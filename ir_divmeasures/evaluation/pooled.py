"""The pool that judgments carry: whether a run may be scored against it, and how it is counted in."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Judged, Layers
from ..core.registry import DivMeasure
from ..io.coding import place_in_group
from ..io.columns import POOL
from ..judgments.arrays import Aligned, Block, Located
from ..judgments.table import Judgments


def reads_pool(measure: DivMeasure) -> bool:
    """Whether a measure, or the one inside, reads how many systems retrieve a document."""
    return POOL[0] in measure.needed_columns


def check_cutoff(measure: DivMeasure, depth: float) -> None:
    """Raise if the cutoff is deeper than the pool.

    Raises:
        ValueError: names both.
    """
    if measure.cutoff is not None and measure.cutoff > depth:
        raise ValueError(f'{measure}: the cutoff {measure.cutoff} is deeper than the pool, whose depth is {depth:g}: '
                         f'who retrieves a document below that rank is not known')


class CarriedPool:
    """What judgments know of a pool of systems, by judged (query, document) pair.

    Args:
        judgments: judgments with the columns ``n_retrieved``, ``n_systems``, ``pool_depth`` and ``newcomer``.
        measures: those that will be computed and read the pool.

    Raises:
        ValueError: a cutoff deeper than the pool; names both.
    """

    def __init__(self, judgments: Judgments, measures: Iterable[DivMeasure]):
        self.collection = judgments.collection
        self.measures = list(measures)
        self.n_retrieved, self.newcomer, depth = (self._by_pair(judgments, name)
                                                  for name in ('n_retrieved', 'newcomer', 'pool_depth'))
        self.depth = np.where(depth == 0, np.inf, depth)
        self.query = self.collection.query_of_pair()
        self.depth_of_query = np.full(len(self.collection.query_ids), np.inf)
        self.depth_of_query[self.query] = self.depth
        for measure in self.measures:
            check_cutoff(measure, self.depth_of_query.min(initial=np.inf))

    def _by_pair(self, judgments: Judgments, name: str) -> NDArray[np.float64]:
        values = np.zeros(self.collection.n_pairs)
        values[self.collection.row_pair] = judgments.table[name].to_numpy()
        return values

    def check(self, located: Located) -> None:
        """Raise unless a run may be scored.

        Raises:
            ValueError: a run that cannot be one of the systems counted; one deeper than the pool where all of its
                documents count, or a counted document ranked below the depth. Names query and document.
        """
        stray = np.flatnonzero((self.n_retrieved[located.pair] == 0) & (self.newcomer[located.pair] == 0)
                               & (located.rank <= self.depth[located.pair]))
        if len(stray):
            raise ValueError(f'the run is not a member of the pool that the judgments carry: '
                             f'{self._at(located, stray)} '
                             f'at rank {located.rank[stray[0]]}, which no system retrieves; for judgments that count '
                             f'a run in, with_rareness(…, newcomer=True) or Pool.judgments(…, newcomer=True)')
        place = None
        for measure in self.measures:
            if measure.judged_only:
                if place is None:
                    owner = self.query[located.pair]
                    place = place_in_group(owner, np.bincount(owner, minlength=len(located.n))) + 1
                counted = place <= (np.inf if measure.cutoff is None else measure.cutoff)
                below = np.flatnonzero(counted & (located.rank > self.depth[located.pair]))
                if len(below):
                    raise ValueError(f'{measure}: {self._at(located, below)} at rank {located.rank[below[0]]}, '
                                     f'below the '
                                     f'depth {self.depth[located.pair[below[0]]]:g} of the pool')
            elif measure.cutoff is None:
                longer = np.flatnonzero(located.n > self.depth_of_query)
                if len(longer):
                    q = int(longer[0])
                    raise ValueError(f'{measure}: no cutoff, but the run has {located.n[q]} documents for query '
                                     f'{self.collection.query_ids[q]!r} and the depth of the pool is '
                                     f'{self.depth_of_query[q]:g}; give a cutoff of at most that')

    def _at(self, located: Located, rows: NDArray[np.intp]) -> str:
        pair = int(located.pair[rows[0]])
        row = self.collection.table.iloc[int(np.flatnonzero(self.collection.row_pair == pair)[0])]
        more = f' (and {len(rows) - 1} more)' if len(rows) > 1 else ''
        return f'query {row.query_id!r}: it has document {row.doc_id!r}{more}'


def counted_in(block: Block, aligned: Aligned) -> Judged:
    """A block's judgments with the run that is scored counted in: S_d + 1 where it is a newcomer that has d."""
    if not any(layer.columns['newcomer'].any() for layer in block.layers.values()):
        return block.judged
    layers = {number: _counted_in(layer, aligned) for number, layer in block.layers.items()}
    base = layers[block.base]
    base.layers = Layers(layers)
    return base


def _counted_in(layer: Judged, aligned: Aligned) -> Judged:
    depth = np.where(layer.columns['pool_depth'] == 0, np.inf, layer.columns['pool_depth'])
    rank = np.full(layer.shape[:2], np.inf)
    query, hit = np.nonzero(np.isfinite(aligned.rank))
    rank[query, aligned.document[query, hit]] = aligned.rank[query, hit]
    added = layer.columns['newcomer'] * (np.isfinite(rank) & (rank <= depth))
    return layer.with_columns({'n_retrieved': layer.columns['n_retrieved'] + added})


__all__ = ['CarriedPool', 'check_cutoff', 'counted_in', 'reads_pool']
