"""Pools of systems: which system retrieves which document at which rank, down to a depth."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.registry import measures as parse_all
from ..data import runs as several
from ..data.ids import Texts
from ..data.judgments import Judgments
from ..data.writing import replacing
from ..errors import Message, ScoresWarning, did_you_mean, naming, warn, whole
from ..evaluation.checks import equal_scores
from ..evaluation.evaluate import collect
from ..evaluation.parts import System, score_system, warn_about
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores, some
from ..lazy import pa, pd
from .groups import Groups, group_of, read_groups
from .judged import JudgedPool
from .rows import Rows

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RunsLike

METADATA = b'ir_divmeasures.pool'


def with_rareness(
    qrels: QrelsLike,
    runs: RunsLike,
    depth: int | None = 100,
    groups: Groups | None = None,
    newcomer: bool | str = False,
) -> pd.DataFrame:
    """Judgments with S_d, the number of systems of a pool that retrieve a document, and S, the number of all systems.

    The columns are ``n_retrieved`` (S_d), ``n_systems`` (S), ``pool_depth``, ``newcomer``, and ``pool_ranks``, which
    says which system retrieves a document at which rank. The measures of innovation read them:
    R(d) = 1 − S_d/S (Türkmen, Lease & Kutlu, ECIR 2023, Eq. 2). The scored system is one of the S systems. It
    is a member of the pool, or with ``newcomer=True`` another run, which is counted while it is scored. A newcomer thus
    has the score that it would have as a member. A run that retrieves a judged document which no system retrieves is
    no member, and is not scored as one. :class:`Pool` has further functions, and can be saved.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        runs: the pool, in any form that :func:`~ir_divmeasures.read_runs` takes. One run is in memory at a time.
        depth: a document counts as retrieved if it is in a run's top ``depth``. None counts the whole run.
        groups: each system's participant, as a dict, a function, or the path of a file of lines ``system group``. The
            runs of a participant then count once: S is the
            number of participants, and S_d the number of participants with a run that retrieves d.
        newcomer: set this if the scored system is no member of the pool: True for a system without a group in the pool,
            or a group's name for a further run of that group. Newcomers do not count for each other.

    Returns:
        The judgments with the five columns, which replace existing columns of these names.

    Examples:
        >>> qrels = {'q': {'d1': 1, 'd2': 1, 'd3': 0}}
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> with_rareness(qrels, runs)[['doc_id', 'n_retrieved', 'n_systems', 'pool_depth', 'newcomer']]
          doc_id  n_retrieved  n_systems  pool_depth  newcomer
        0     d1            2          2         100         0
        1     d2            1          2         100         0
        2     d3            0          2         100         0
        >>> with_rareness(qrels, runs, newcomer=True)['n_systems'].tolist()  # with the run that will be scored
        [3, 3, 3]
    """
    pool = Pool.from_runs(runs, depth, groups).over(qrels)
    for system, n in zip(pool.systems, pool.n):
        if not n.any():
            raise ValueError(f'system {system!r}: none of the queries of its run is judged')
    return pool.judgments(newcomer)


class Pool:
    """Which system retrieves which document at which rank, down to a depth. A campaign can publish its pool.

    :meth:`from_runs` and :meth:`load` create pools. They need no judgments. A pool never changes: ``+`` and
    :meth:`without` return new pools. Pools of the same systems are equal, however they were created.

    Attributes:
        systems: names of the systems, ascending.
        groups: the group of each system. A system without a group is a group of its own.
        depth: the deepest rank at which a document counts as retrieved; None for the whole run.

    Examples:
        >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}})
        >>> pool
        Pool(systems=2, groups=2, queries=1, documents=2, depth=100)
        >>> pool == Pool.from_runs({'B': {'q': {'d1': 1.0}}}) + Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}})
        True
    """

    def __init__(self, groups: Mapping[str, str], depth: int | None, table: Any):
        """Use :meth:`from_runs` or :meth:`load`.

        Args:
            groups: the group of each system.
            depth: the attribute.
            table: Arrow columns ``query_id, doc_id, system, rank``, a row for each retrieved document.
        """
        self.systems = sorted(groups)
        self.groups = [groups[name] for name in self.systems]
        self.depth, self.rows = depth, Rows.of_table(table, self.systems)

    # ---- creation -------------------------------------------------------------------------------------------

    @classmethod
    def from_runs(
        cls, runs: RunsLike, depth: int | None = 100, groups: Groups | None = None
    ) -> Pool:
        """Pool runs.

        Args:
            runs: in any form that :func:`~ir_divmeasures.read_runs` takes.
            depth: a document counts as retrieved if it is in a run's top ``depth``. None counts the whole run.
            groups: each system's participant, as a dict, a function of names, or the path of a file of lines ``system
                group``. Systems of a participant count once.

        Examples:
            >>> pool = Pool.from_runs({'a1': {'q': {'d': 1.0}}, 'a2': {'q': {'d': 1.0}}}, groups=lambda name: name[0])
            >>> pool.groups
            ['a', 'a']
        """
        depth, groups = depth if depth is None else whole(depth, 'depth'), read_groups(groups)
        group_by_system: dict[str, str] = {}
        tables, messages = [], list[list[Message]]()
        for system, run in several.each(runs):
            with naming(f'system {system!r}'):
                top = Rows.top(system, run, depth)
            tables.append(top.table())
            text = equal_scores(run)
            messages.append([(text, ScoresWarning)] if text else [])
            group_by_system[system] = group_of(system, groups)
        if not tables:
            source = runs if isinstance(runs, str) else type(runs).__name__
            raise ValueError(f'an empty pool: no runs in {source}')
        warn_about('system', list(group_by_system), messages)
        return cls(group_by_system, depth, pa.concat_tables(tables))

    @classmethod
    def of(
        cls, source: Pool | RunsLike, depth: int | None = 100, groups: Groups | None = None
    ) -> Pool:
        """A pool itself, the saved pool of a path that ends in ``.parquet``, or the pool of runs in any other form."""
        if isinstance(source, Pool):
            return source
        if isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith('.parquet'):
            return cls.load(source)
        return cls.from_runs(source, depth, groups)

    def __add__(self, other: Pool) -> Pool:
        """The systems of both pools. A system in both must have the same top ``depth`` and group, and counts once."""
        if not isinstance(other, Pool):
            return NotImplemented
        if self.depth != other.depth:
            raise ValueError(f'pools of depth {self.depth} and {other.depth}: expected the same')
        groups = dict(zip(self.systems, self.groups))
        for name, group in zip(other.systems, other.groups):
            if name in self.systems and self.hashes[name] != other.hashes[name]:
                raise ValueError(
                    f'system {name!r} has two different rankings: one in each of the pools'
                )
            if groups.setdefault(name, group) != group:
                raise ValueError(
                    f'system {name!r} has two groups: {groups[name]!r} in one pool, '
                    f'{group!r} in the other'
                )
        further = [name not in self.systems for name in other.systems]
        return Pool(
            groups, self.depth, pa.concat_tables([self.rows.table(), other._table(further)])
        )

    def without(self, *names: str) -> Pool:
        """The pool without some systems, or without the systems of groups.

        Examples:
            >>> Pool.from_runs({'A': {'q': {'d1': 1.0}}, 'B': {'q': {'d1': 1.0}}}).without('A').systems
            ['B']
        """
        for name in names:
            if name not in self.systems and name not in self.groups:
                near = did_you_mean(name, [*self.systems, *self.groups], list_known=False)
                raise ValueError(f'{name!r} is not in the pool{near}')
        groups = set(names) - set(self.systems)  # a name of both is that of the system
        left = {
            name: group
            for name, group in zip(self.systems, self.groups)
            if name not in names and group not in groups
        }
        if not left:
            raise ValueError(f'an empty pool: all of its {len(self.systems)} systems are left out')
        return Pool(left, self.depth, self._table([name in left for name in self.systems]))

    def _table(self, selected: list[bool]) -> Any:
        """The rows of some systems, (systems,) true, as an Arrow table."""
        return self.rows.table().filter(np.array(selected)[self.rows.system])

    def to_frame(self) -> pd.DataFrame:
        """The rows ``query_id, doc_id, system, rank``, sorted.

        Examples:
            >>> Pool.from_runs({'A': {'q': {'d2': 2.0, 'd1': 1.0}}}).to_frame()
              query_id doc_id system  rank
            0        q     d1      A     2
            1        q     d2      A     1
        """
        fields = [(name, pa.string()) for name in ('query_id', 'doc_id', 'system')]
        table = self.rows.table().cast(pa.schema([*fields, ('rank', pa.int64())]))
        return pd.DataFrame(table.to_pandas())

    @functools.cached_property
    def hashes(self) -> dict[str, str]:
        """A hash of the top ``depth`` of each system: its queries in ascending order, and their documents by rank."""
        return self.rows.hashes()

    def __repr__(self) -> str:
        return (
            f'Pool(systems={len(self.systems)}, groups={len(set(self.groups))}, '
            f'queries={len(self.rows.query_ids)}, documents={len(self.rows.doc_ids)}, depth={self.depth})'
        )

    def __eq__(self, other: object) -> bool:
        """Whether two pools have the same systems, groups, depth and rows."""
        if not isinstance(other, Pool):
            return NotImplemented
        return (self.hashes, self.groups, self.depth) == (other.hashes, other.groups, other.depth)

    __hash__ = None  # type: ignore[assignment]

    # ---- files ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the pool to one parquet file, which :meth:`load` reads.

        The file has a row ``query_id, doc_id, system, rank`` for each retrieved document. Its metadata contain the
        depth, and the name, group and hash of every system.

        Args:
            path: the file.
            overwrite: replace an existing file.

        Examples:
            >>> import os, tempfile
            >>> path = os.path.join(tempfile.mkdtemp(), 'pool.parquet')
            >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}})
            >>> pool.save(path)
            >>> Pool.load(path) == pool
            True
        """
        from pyarrow import parquet

        metadata = {
            'depth': self.depth,
            'systems': {
                name: (group, self.hashes[name]) for name, group in zip(self.systems, self.groups)
            },
        }
        table = self.rows.table().replace_schema_metadata(
            {METADATA: json.dumps(metadata, ensure_ascii=False).encode()}
        )
        with replacing(path, overwrite) as partial:
            parquet.write_table(table, partial, compression='zstd', compression_level=9)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pool:
        """Read a pool that :meth:`save` wrote.

        Raises:
            FileNotFoundError: no such file.
            ValueError: a file that :meth:`save` did not write, or whose rows have changed.
        """
        from pyarrow import parquet

        if not os.path.exists(path):
            raise FileNotFoundError(f'{path}: no such file')
        try:
            table = parquet.read_table(path)
            metadata = json.loads((table.schema.metadata or {})[METADATA])
            systems = metadata['systems'].items()
            groups = {name: group for name, (group, _) in systems}
            pool = cls(groups, metadata['depth'], table)
        except (pa.ArrowInvalid, OSError, KeyError) as error:
            raise ValueError(
                f'{path}: expected a pool as Pool.save writes it, found another file '
                f'({type(error).__name__}: {error})'
            ) from None
        for name, (_, saved_hash) in systems:
            if pool.hashes[name] != saved_hash:
                raise ValueError(
                    f'{path}: the rows of system {name!r} are not those that it was saved with'
                )
        return pool

    # ---- with judgments -------------------------------------------------------------------------------------

    def over(self, qrels: QrelsLike) -> JudgedPool:
        """The pool with judgments, which the functions of :mod:`~ir_divmeasures.pools.campaign` take.

        Args:
            qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        """
        judgments, rows = Judgments.of(qrels), self.rows
        queries = judgments.query_ids
        # Queries without judgments have higher numbers than those of the judgments.
        query = Texts.of(rows.query_ids).codes(Texts.of(judgments.query_ids))[0][rows.query]
        pair = judgments.pairs_of(query, Texts.of(rows.doc_ids).take(rows.document))
        judged = query < len(queries)
        if not judged.any():
            names = rows.query_ids.to_pylist()
            raise ValueError(
                f'none of the {len(names)} queries of the pool is among the {len(queries)} '
                f'queries of the judgments (pool: {some(names)}; judgments: {some(queries)})'
            )
        rank = np.zeros((len(self.systems), judgments.n_pairs), dtype=np.int32)
        known = pair >= 0
        rank[rows.system[known], pair[known]] = rows.rank[known]
        n = np.zeros((len(self.systems), len(queries)), dtype=np.intp)
        np.add.at(n, (rows.system[judged], query[judged]), 1)
        return JudgedPool(judgments, self.systems, self.groups, self.depth, rank, n)

    def judgments(self, qrels: QrelsLike, newcomer: bool | str = False) -> pd.DataFrame:
        """Judgments with the columns of the pool, as :func:`with_rareness` returns them.

        Args:
            qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
            newcomer: set this if the scored system is no member: True for a system without a group in the pool, or a
                group's name for a further run of that group.

        Examples:
            >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}})
            >>> qrels = pool.judgments({'q': {'d1': 1, 'd3': 1}}, newcomer=True)
            >>> import ir_measures
            >>> ir_measures.calc_aggregate([ir_measures.parse_measure('P_Rareness@1')], qrels, {'q': {'d3': 1.0}})
            {P_Rareness@1: 1.6666666666666667}
        """
        return self.over(qrels).judgments(newcomer)

    def scores(
        self,
        runs: RunsLike | None,
        qrels: QrelsLike,
        measures: MeasuresLike,
        *,
        groups: Groups | None = None,
        missing: str = 'zero',
    ) -> Scores:
        """Score systems with the pool. Members are scored as such, and others as newcomers.

        Args:
            runs: in any form that :func:`~ir_divmeasures.read_runs` takes. A system with the name of a member must
                have its top ``depth``. With None, the members are scored on the top ``depth`` that the pool contains.
            qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
            measures: any that :func:`~ir_divmeasures.evaluate` takes.
            groups: the groups of newcomers, as for :meth:`from_runs`. Systems that a dict does not name have no group
                in the pool.
            missing: as for :func:`~ir_divmeasures.evaluate`.

        Raises:
            ValueError: as :func:`~ir_divmeasures.evaluate`. Also if a run with the name of a member differs from it, a
                newcomer has the name of a group, or without runs a measure has no cutoff within the depth.

        Examples:
            >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}})
            >>> qrels = {'q': {'d1': 1, 'd2': 1}}
            >>> pool.scores(None, qrels, 'P_Rareness@2').means()
            measure  P_Rareness@2
            system
            A                1.25
            B                0.50
            >>> pool.scores({'new': {'q': {'d2': 1.0}}}, qrels, 'P_Rareness@2').means()  # (1 + 1 − 2/3)/2
            measure  P_Rareness@2
            system
            new          0.666667
        """
        judged_pool, parsed, groups = self.over(qrels), parse_all(measures), read_groups(groups)
        if runs is None:
            return judged_pool.scores(parsed)
        if not parsed:
            raise ValueError('no measures')
        evaluators: dict[bool | str, Evaluator] = {}
        scored: list[System] = []
        for name, run in several.each(runs):
            newcomer = self._newcomer(name, run, groups)
            if newcomer not in evaluators:
                evaluators[newcomer] = Evaluator(parsed, judged_pool.judgments(newcomer))
                for message in evaluators[newcomer].messages():
                    warn(*message)
            scored.append(score_system(evaluators[newcomer], name, run))
        return collect(scored, parsed, judged_pool.judged.query_ids, missing)

    def _newcomer(self, name: str, run: several.Run, groups: Any) -> bool | str:
        """False for a member, a group's name for a newcomer of that group, True for any other newcomer."""
        if name in self.systems:
            with naming(f'system {name!r}'):
                hashes = Rows.top(name, run, self.depth).hashes()
            if hashes[name] != self.hashes[name]:
                depth = 'ranking' if self.depth is None else f'top {self.depth}'
                raise ValueError(
                    f'system {name!r} is a member of the pool, but the {depth} of this run differs from '
                    f'that in the pool; give another system another name'
                )
            return False
        is_dict = isinstance(groups, Mapping)
        group = str(groups.get(name, name)) if is_dict else group_of(name, groups)
        return group if group in self.groups else True
