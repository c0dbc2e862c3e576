"""A pool with judgments: which system retrieves which judged document, and the scores of the pool's members."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import pool_ranks
from ..core.ranking import JudgmentArrays
from ..core.registry import measures as parse_all
from ..core.registry import ours
from ..evaluation.pooled import check_cutoff, reads_pool
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores
from ..io.columns import POOL
from ..io.ordering import place_in_group, starts
from ..io.text_columns import Texts
from ..judgments.arrays import LocatedRun, LocatedRuns
from ..judgments.table import Judgments
from ..lazy import pd

if TYPE_CHECKING:
    from ..typing import MeasuresLike


TOGETHER = 16
"""The largest number of members that are scored together."""


def without_pool(qrels: Any) -> Judgments:
    """Judgments without the columns of a pool."""
    judgments = Judgments.of(qrels)
    carried = [name for name in POOL if name in judgments.table.columns]
    return Judgments.of(judgments.table.drop(columns=carried)) if carried else judgments


@dataclass(eq=False)
class JudgedPool:
    """A pool with judgments, which :meth:`ir_divmeasures.pools.Pool.over` returns and the functions of :mod:`ir_divmeasures.pools.analysis` take.

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
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> n_retrieved, n_systems = pool.counts()
        >>> pool.systems, n_retrieved.tolist(), n_systems
        (['A', 'B'], [2, 1], 2)
    """

    judged: Judgments
    systems: list[str]
    groups: list[str]
    depth: int | None
    rank: NDArray[np.int32]
    n: NDArray[np.intp]

    def __post_init__(self) -> None:
        self.table, self.collection = self.judged.table, self.judged.collection

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
        groups = np.array(self.groups, dtype=object)
        return np.stack([self.retrieved[groups == name].any(axis=0) for name in self.group_names])

    def found_alone(self) -> NDArray[np.bool_]:
        """Whether a group retrieves a judged pair that no other group retrieves, (groups, pairs)."""
        return self.group_retrieved & (self.group_retrieved.sum(axis=0) == 1)

    def counts(self) -> tuple[NDArray[np.intp], int]:
        """S_d of each judged pair, (pairs,), and S. Systems of a group count once."""
        return self.group_retrieved.sum(axis=0), len(self.group_names)

    def judgments(self, newcomer: bool | str = False) -> pd.DataFrame:
        """The judgments with the columns of the pool, as :func:`ir_divmeasures.with_rareness` returns them.

        Args:
            newcomer: False if members will be scored. True or the name of a group if another run will be scored, which
                S then counts too, unless its group is in the pool.
        """
        if not isinstance(newcomer, (bool, str)):
            raise TypeError(
                f'newcomer: expected True, False or the name of a group, found {type(newcomer).__name__}'
            )
        n_retrieved, n_systems = self.counts()
        adds = np.full(len(n_retrieved), int(newcomer is not False))
        own = newcomer if isinstance(newcomer, str) and newcomer in self.group_names else None
        if own is not None:  # its documents are counted already
            adds[self.group_retrieved[self.group_names.index(own)]] = 0
        system, pair = np.nonzero(self.rank)
        labels = pool_ranks.labels_of(self.groups, own)
        texts = pool_ranks.write(pair, system, self.rank[system, pair], labels, len(adds))
        row = self.collection.row_pair
        return self.table.assign(
            n_retrieved=n_retrieved[row],
            n_systems=n_systems + (newcomer is not False and own is None),
            pool_depth=self.depth or 0,
            newcomer=adds[row],
            pool_ranks=np.array(texts, dtype=object)[row],
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
        return dataclasses.replace(self, judged=judgments, rank=rank, n=self.n[:, queries])

    def scores(self, measures: MeasuresLike) -> Scores:
        """Scores of the members from the top ``depth`` that the pool contains, without reading the runs again.

        Args:
            measures: any that :func:`ir_divmeasures.evaluate` takes.

        Returns:
            :class:`~ir_divmeasures.Scores`, which the functions of :mod:`ir_divmeasures.meta` take.

        Raises:
            ValueError: there are no measures, or a measure depends on documents below the depth.

        Examples:
            >>> import ir_divmeasures
            >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
            >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
            >>> pool.scores('P_Rareness@2 P@2').means()
            measure  P_Rareness@2  P@2
            system
            A                1.25  1.0
            B                0.50  0.5
        """
        parsed, queries = parse_all(measures), self.collection.query_ids
        if not parsed:
            raise ValueError('no measures')
        for measure in parsed:
            self.check_known(measure)
        own_of = {m: own for m in parsed if (own := ours(m)) is not None and reads_pool(own)}
        counted = {m: own for m, own in own_of.items() if not own.wraps}
        blocks = [self._counted(b) for b in range(len(self.collection.blocks)) if counted]
        rest = [m for m in parsed if m not in counted]
        judgments = self.judged if len(own_of) == len(counted) else Judgments.of(self.judgments())
        evaluator = Evaluator(rest, judgments, warn=False, asks=False)
        values = {m: np.zeros((len(self.systems), len(queries))) for m in parsed}
        copies = functools.cache(JudgmentArrays.copies)
        members, most = self._members(), min(TOGETHER, evaluator.most_runs)
        for first in range(0, len(self.systems), most):
            runs = LocatedRuns(list(itertools.islice(members, most)))
            part = slice(first, first + most)
            for measure, of_runs in evaluator.values(runs).items():
                values[measure][part] = of_runs
            aligned = runs.aligned if counted else []
            for block, judged, of_block in zip(self.collection.blocks, blocks, aligned):
                counting = copies(judged, runs.n_runs)
                ranking = functools.cache(functools.partial(of_block.ranking, counting))
                for measure, own in counted.items():
                    scores = own.on(ranking(own.rel, own.judged_only))
                    values[measure][part, block.queries] = scores.reshape(runs.n_runs, -1)
        return Scores(
            np.stack([values[m] for m in parsed], axis=-1),
            tuple(self.systems),
            tuple(queries),
            tuple(map(str, parsed)),
        )

    def check_known(self, measure: Any) -> None:
        """Check that scores by a measure do not depend on documents below the depth.

        Raises:
            ValueError: they do.
        """
        own = ours(measure)
        if self.depth is None:
            return
        if own is not None and reads_pool(own):
            check_cutoff(own, self.depth)
        params = measure.params
        cutoff = params.get('cutoff') if own is None else own.cutoff
        judged_only = params.get('judged_only') if own is None else own.judged_only
        n_documents = self.n
        if judged_only:
            queries = np.arange(len(self.collection.query_ids))
            first = np.searchsorted(self.collection.query_of_pair, queries)
            n_documents = np.add.reduceat(self.retrieved, first, axis=1)
        below = (self.n >= self.depth) & (n_documents < (np.inf if cutoff is None else cutoff))
        if below.any():
            s, q = np.argwhere(below)[0]
            raise ValueError(
                f'{measure}: the pool contains the top {self.depth} of its members, and system '
                f'{self.systems[s]!r} may retrieve documents below it for query '
                f'{self.collection.query_ids[q]!r}; set a cutoff within the depth, or pass the runs'
            )

    def _counted(self, number: int) -> JudgmentArrays:
        """The judgments of a block with the columns of the pool, which :meth:`judgments` writes as texts."""
        n_retrieved, n_systems = self.counts()
        pairs = self.collection.pair_at(number)
        is_pair = pairs >= 0
        groups = pool_ranks.bits_of(self.group_retrieved)[pairs]
        return self.collection.blocks[number].judgments.with_columns(
            {
                'n_retrieved': n_retrieved[pairs] * is_pair,
                'n_systems': np.full_like(pairs, n_systems),
                'pool_ranks': groups * is_pair[..., None],
            }
        )

    def _members(self) -> Iterator[LocatedRun]:
        """The rankings of the members. Unjudged documents have invented ids."""
        query_of_pair = self.collection.query_of_pair
        row = np.unique(self.collection.row_pair, return_index=True)[1]
        invented = (f'unjudged\t{i}' for i in range(self.n.max(initial=0)))  # no id has a tab
        names = Texts.joined([self.judged.document_ids.take(row), Texts.of_strings(invented)])
        for rank, n in zip(self.rank, self.n):
            query = np.repeat(np.arange(len(n)), n)
            place, pair = place_in_group(query, n), np.full(len(query), -1)
            judged = np.flatnonzero(rank)
            pair[starts(n)[query_of_pair[judged]] + rank[judged] - 1] = judged
            documents = names.take(np.where(pair >= 0, pair, len(row) + place))
            score = -place.astype(float)
            yield LocatedRun(self.collection, query, pair, score, documents, np.uint64(0), [])
