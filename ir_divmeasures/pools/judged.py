"""A pool with judgments: which system retrieves which judged document, and the scores of the pool's members."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import pool_ranks
from ..core.registry import measures as parse_all
from ..core.registry import ours
from ..data.arrays import Overlay
from ..data.ids import Texts, place_in_group, starts
from ..data.judgments import Judgments
from ..evaluation.pooled import reads_pool
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores
from ..lazy import cached_property, pd

if TYPE_CHECKING:
    from ..typing import MeasuresLike


@dataclass(eq=False)
class JudgedPool:
    """A pool with judgments, which :meth:`ir_divmeasures.pools.Pool.over` returns and the functions of :mod:`ir_divmeasures.pools.campaign` take.

    It needs 4 bytes for each system and judged (query, document) pair.

    Attributes:
        judged: the judgments.
        systems, groups, depth: those of the pool.
        rank: (systems, pairs) rank at which a system retrieves a judged pair, 0 where it does not. Pairs are numbered
            as in ``judged.row_pair``.
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

    @cached_property
    def retrieved(self) -> NDArray[np.bool_]:
        """Whether a system retrieves a judged pair, (systems, pairs)."""
        return self.rank > 0

    @cached_property
    def group_names(self) -> list[str]:
        """The groups, in the order of the first of their systems."""
        return list(dict.fromkeys(self.groups))

    @cached_property
    def group_retrieved(self) -> NDArray[np.bool_]:
        """Whether a system of a group retrieves a judged pair, (groups, pairs)."""
        groups = np.array(self.groups, dtype=object)
        return np.stack([self.retrieved[groups == name].any(axis=0) for name in self.group_names])

    def unique(self) -> NDArray[np.bool_]:
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
        own = newcomer if isinstance(newcomer, str) and newcomer in self.group_names else None
        system, pair = np.nonzero(self.rank)
        labels = pool_ranks.labels_of(self.groups, own)
        texts = pool_ranks.write(pair, system, self.rank[system, pair], labels, self.judged.n_pairs)
        ranks = np.array(texts, dtype=object)[self.judged.row_pair]
        return self.judged.table.assign(**self._counts(newcomer, own), pool_ranks=ranks)

    def _counts(self, newcomer: bool | str = False, own: str | None = None) -> dict[str, Any]:
        """The columns that count systems, (rows,) each; ``own`` is the newcomer's group if it is in the pool."""
        n_retrieved, n_systems = self.counts()
        adds = np.full(len(n_retrieved), int(newcomer is not False))
        if own is not None:  # its documents are counted already
            adds[self.group_retrieved[self.group_names.index(own)]] = 0
        row = self.judged.row_pair
        n_systems += newcomer is not False and own is None
        return {
            'n_retrieved': n_retrieved[row],
            'n_systems': np.full(len(row), n_systems),
            'pool_depth': np.full(len(row), self.depth or 0),
            'newcomer': adds[row],
        }

    def only(self, pairs: NDArray[np.bool_]) -> JudgedPool:
        """The pool with only the judgments of these pairs, (pairs,) true where kept.

        Raises:
            ValueError: no judgment is kept.
        """
        rows = np.flatnonzero(pairs[self.judged.row_pair])
        if not len(rows):
            raise ValueError('no judgment is left')
        judgments = Judgments.of(self.judged.table.iloc[rows].reset_index(drop=True))
        rank = np.zeros((len(self.systems), judgments.n_pairs), dtype=np.int32)
        rank[:, judgments.row_pair] = self.rank[:, self.judged.row_pair[rows]]
        queries = [self.judged.query_ids.index(q) for q in judgments.query_ids]
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
        parsed = parse_all(measures)
        if not parsed:
            raise ValueError('no measures')
        for measure in parsed:
            self.check_depth(measure)
        own = [own for m in parsed if (own := ours(m)) is not None and reads_pool(own)]
        judgments = self.judged
        if any('pool_ranks' in m.needed_columns for m in own):
            judgments = Judgments.of(self.judgments())
        elif own:
            columns = {**self.judged.columns, **self._counts()}
            judgments = Judgments(columns, self.judged.subtopic_column)
        evaluator = Evaluator(parsed, judgments)
        values = [evaluator.values(member) for member in self._members(judgments)]
        return Scores(
            np.array([[by_measure[m] for m in parsed] for by_measure in values]).swapaxes(1, 2),
            tuple(self.systems),
            tuple(self.judged.query_ids),
            tuple(map(str, parsed)),
        )

    def check_depth(self, measure: Any) -> None:
        """Check that scores by a measure do not depend on documents below the depth.

        Raises:
            ValueError: they do.
        """
        if self.depth is None:
            return
        params = (ours(measure) or measure).params
        n_documents = self.n
        if params.get('judged_only'):
            queries = np.arange(len(self.judged.query_ids))
            first = np.searchsorted(self.judged.query_of_pair, queries)
            n_documents = np.add.reduceat(self.retrieved, first, axis=1)
        below = (self.n >= self.depth) & (n_documents < (params.get('cutoff') or np.inf))
        if below.any():
            s, q = np.argwhere(below)[0]
            raise ValueError(
                f'{measure}: the pool contains the top {self.depth} of its members, and system '
                f'{self.systems[s]!r} may retrieve documents below it for query '
                f'{self.judged.query_ids[q]!r}; set a cutoff within the depth, or pass the runs'
            )

    def _members(self, judgments: Judgments) -> Iterator[Overlay]:
        """The rankings of the members. Unjudged documents have invented ids."""
        invented = (f'unjudged\t{i}' for i in range(self.n.max(initial=0)))  # no id has a tab
        judged_names = judgments.document_of(np.arange(judgments.n_pairs))
        names = Texts.joined([judged_names, Texts.of(invented)])
        for rank, n in zip(self.rank, self.n):
            query = np.repeat(np.arange(len(n)), n)
            place, pair = place_in_group(query, n), np.full(len(query), -1)
            judged = np.flatnonzero(rank)
            pair[starts(n)[judgments.query_of_pair[judged]] + rank[judged] - 1] = judged
            documents = names.take(np.where(pair >= 0, pair, judgments.n_pairs + place))
            yield Overlay(judgments, query, pair, -place.astype(float), documents)
