"""Pools of systems: which system retrieves which document at which rank, down to a depth."""

from __future__ import annotations

import datetime
import functools
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.registry import measures as parse_all
from ..data import runs as several
from ..data.ids import Texts, call_arrow, values_of
from ..data.writing import replacing
from ..errors import Message, ScoresWarning, did_you_mean, warn, whole
from ..evaluation.checks import equal_scores
from ..evaluation.evaluate import collect, warn_about
from ..evaluation.parts import System, score_system
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores, some
from ..lazy import pa, pd
from ..results import count
from .groups import Groups, group_of, read_teams
from .judged import JudgedPool, without_pool
from .retrieved import Rows, coded_texts, in_order, pairs_of

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RunsLike

METADATA = b'ir_divmeasures.pool'
VERSION = 1


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

    :meth:`from_runs` and :meth:`load` create pools. They need no judgments. A pool never changes: :meth:`add`, ``+``
    and :meth:`without` return new pools. Pools of the same systems are equal, however they were created.

    Attributes:
        systems: names of the systems, ascending.
        groups: the group of each system. A system without a group is a group of its own.
        depth: the deepest rank at which a document counts as retrieved; None for the whole run.
        date: the date of the file that the pool was loaded from, or None.

    Examples:
        >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}})
        >>> pool
        Pool(2 systems, 2 groups, 1 query, 2 documents, depth 100)
        >>> pool == Pool.from_runs({'B': {'q': {'d1': 1.0}}}).add({'A': {'q': {'d1': 2.0, 'd2': 1.0}}})
        True
    """

    def __init__(
        self, systems: Mapping[str, str], depth: int | None, table: Any, date: str | None = None
    ):
        """Use :meth:`from_runs` or :meth:`load`.

        Args:
            systems: the group of each system.
            depth, date: the attributes.
            table: Arrow columns ``query_id, doc_id, system, rank``, a row for each retrieved document.
        """
        self._teams = {name: systems[name] for name in sorted(systems)}
        self.systems, self.groups = list(self._teams), list(self._teams.values())
        self.depth, self.date = depth, date
        query, query_ids = coded_texts(table['query_id'])
        document, doc_ids = coded_texts(table['doc_id'])
        system, names = coded_texts(table['system'])
        place = {name: s for s, name in enumerate(self.systems)}
        system = np.array([place[name] for name in names.to_pylist()], dtype=np.int32)[system]
        rank = values_of(table['rank'].combine_chunks())
        system_ids = call_arrow(
            'cast', Texts.of_strings(self.systems).array, target_type=pa.string()
        )
        query, document, system, rank = in_order(query, document, system, rank)
        self.rows = Rows(query, document, system, rank, query_ids, doc_ids, system_ids)

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
        depth, groups = depth if depth is None else whole(depth, 'depth'), read_teams(groups)
        systems: dict[str, str] = {}
        tables, messages = [], list[list[Message]]()
        for system, run in several.each(runs):
            with several.of_system(system):
                top = Rows.top(system, run, depth)
            tables.append(top.table())
            text = equal_scores(run)
            messages.append([(text, ScoresWarning)] if text else [])
            systems[system] = group_of(system, groups)
        if not systems:
            source = runs if isinstance(runs, str) else type(runs).__name__
            raise ValueError(f'an empty pool: no runs in {source}')
        warn_about(list(systems), messages)
        return cls(systems, depth, pa.concat_tables(tables))

    def add(self, runs: RunsLike, groups: Groups | None = None) -> Pool:
        """The pool with further runs, which may belong to groups that it has.

        Args:
            runs: in any form that :func:`~ir_divmeasures.read_runs` takes.
            groups: as for :meth:`from_runs`, of the further runs.
        """
        own = self._teams
        return self + Pool.from_runs(
            runs, self.depth, groups or (lambda name: own.get(name) or self._free(name))
        )

    def __add__(self, other: Pool) -> Pool:
        """The systems of both pools. A system in both must have the same top ``depth`` and group, and counts once."""
        if not isinstance(other, Pool):
            return NotImplemented
        if self.depth != other.depth:
            raise ValueError(f'pools of depth {self.depth} and {other.depth}: expected the same')
        groups = {**other._teams, **self._teams}
        for name, group in zip(other.systems, other.groups):
            if name in self.systems and self.hashes[name] != other.hashes[name]:
                raise ValueError(
                    f'system {name!r} has two different rankings: one in each of the pools'
                )
            if groups[name] != group:
                raise ValueError(
                    f'system {name!r} has two groups: {groups[name]!r} in one pool, '
                    f'{group!r} in the other'
                )
        table = other._rows_of([name not in self.systems for name in other.systems])
        return Pool(groups, self.depth, pa.concat_tables([self.rows.table(), table]))

    def without(self, *names: str) -> Pool:
        """The pool without some systems or groups.

        Examples:
            >>> Pool.from_runs({'A': {'q': {'d1': 1.0}}, 'B': {'q': {'d1': 1.0}}}).without('A').systems
            ['B']
        """
        removed: set[str] = set()
        for name in names:
            members = {system for system, group in zip(self.systems, self.groups) if group == name}
            if name in self.systems and members and name not in members:
                raise ValueError(
                    f'{name!r} is a system of another group and the name of a group of '
                    f'{len(members)} systems: name the systems'
                )
            if name in self.systems and len(members) <= 1:
                members = {name}
            if not members:
                near = did_you_mean(name, [*self.systems, *self.groups], list_known=False)
                raise ValueError(f'{name!r} is not in the pool{near}')
            removed |= members
        left = {name: group for name, group in self._teams.items() if name not in removed}
        if not left:
            raise ValueError(f'an empty pool: all of its {len(self.systems)} systems are left out')
        return Pool(left, self.depth, self._rows_of([name in left for name in self.systems]))

    # ---- files ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the pool to one parquet file, which :meth:`load` reads.

        The file has a row ``query_id, doc_id, system, rank`` for each retrieved document. Its metadata contain the
        depth, the date, and the name, group and hash of every system.

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
            'version': VERSION,
            'depth': self.depth,
            'date': datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            'systems': [
                {'name': name, 'group': group, 'hash': self.hashes[name]}
                for name, group in zip(self.systems, self.groups)
            ],
        }
        table = self.rows.table().replace_schema_metadata(
            {METADATA: json.dumps(metadata, ensure_ascii=False).encode()}
        )
        with replacing(path, overwrite) as partial:
            parquet.write_table(table, partial, compression='zstd', compression_level=9)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pool:
        """Read a pool that :meth:`save` wrote."""
        from pyarrow import parquet

        try:
            table = parquet.read_table(path)
        except (pa.ArrowInvalid, OSError) as error:
            if isinstance(error, FileNotFoundError):
                raise FileNotFoundError(f'{path}: no such file') from None
            raise ValueError(
                f'{path}: expected a pool as Pool.save writes it, found no parquet file ({error})'
            ) from None
        metadata = json.loads((table.schema.metadata or {}).get(METADATA, b'null'))
        if metadata is None:
            raise ValueError(
                f'{path}: expected a pool as Pool.save writes it, found another parquet file (columns: '
                f'{", ".join(table.column_names)})'
            )
        if metadata['version'] != VERSION:
            raise ValueError(
                f'{path}: a pool of version {metadata["version"]}, this package reads version {VERSION}'
            )
        systems = {entry['name']: entry['group'] for entry in metadata['systems']}
        changed = set(table['system'].unique().to_pylist()) - set(systems)
        if not changed:
            pool = cls(systems, metadata['depth'], table, metadata['date'])
            saved = ((entry['name'], entry['hash']) for entry in metadata['systems'])
            changed = {name for name, digest in saved if pool.hashes[name] != digest}
        if changed:
            raise ValueError(
                f'{path}: the rows of system {min(changed)!r} are not those that it was saved with'
            )
        return pool

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

    def _rows_of(self, is_kept: list[bool]) -> Any:
        """The rows of some systems, (systems,) true, as an Arrow table."""
        return self.rows.table().filter(np.array(is_kept)[self.rows.system])

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

    # ---- identity -------------------------------------------------------------------------------------------

    @functools.cached_property
    def hashes(self) -> dict[str, str]:
        """A hash of the top ``depth`` of each system: its queries in ascending order, and their documents by rank."""
        rows = self.rows
        system, query, rank, document = in_order(rows.system, rows.query, rows.rank, rows.document)
        ends = np.searchsorted(system, np.arange(len(self.systems) + 1))
        hashes = {}
        for name, start, end in zip(self.systems, ends[:-1], ends[1:]):
            own = slice(start, end)
            columns = query[own], document[own], system[own], rank[own]
            hashes[name] = Rows(*columns, *rows[4:]).hash()
        return hashes

    @property
    def query_ids(self) -> list[str]:
        """The queries for which a system retrieves something, ascending."""
        return list(self.rows.query_ids.to_pylist())

    def __repr__(self) -> str:
        counts = (
            count(len(self.systems), 'system'),
            count(len(set(self.groups)), 'group'),
            count(len(self.rows.query_ids), 'query', 'queries'),
            count(len(self.rows.doc_ids), 'document'),
        )
        return f'Pool({", ".join(counts)}, depth {self.depth})'

    def __eq__(self, other: object) -> bool:
        """Whether two pools have the same systems, groups, depth and rows. The date of a file is ignored."""
        if not isinstance(other, Pool):
            return NotImplemented
        same = (self._teams, self.depth) == (other._teams, other.depth)
        return same and bool(self.rows.table().equals(other.rows.table()))

    __hash__ = None  # type: ignore[assignment]

    # ---- with judgments -------------------------------------------------------------------------------------

    def over(self, qrels: QrelsLike) -> JudgedPool:
        """The pool with judgments, which the functions of :mod:`~ir_divmeasures.pools.analysis` take.

        Args:
            qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        """
        judgments = without_pool(qrels)
        queries = judgments.query_ids
        rows = self.rows
        query, pair = pairs_of(rows, judgments)
        judged = query < len(queries)
        if not judged.any():
            raise ValueError(
                f'none of the {len(rows.query_ids)} queries of the pool is among the {len(queries)} '
                f'queries of the judgments (pool: {some(self.query_ids)}; judgments: '
                f'{some(queries)})'
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
        judged_pool, parsed, groups = self.over(qrels), parse_all(measures), read_teams(groups)
        if not parsed:
            raise ValueError('no measures')
        if runs is None:
            return judged_pool.scores(parsed)

        @functools.cache
        def evaluator(membership: bool | str) -> Evaluator:
            of_pool = Evaluator(parsed, judged_pool.judgments(membership))
            for message in of_pool.messages():
                warn(*message)
            return of_pool

        scored: list[System] = []
        for name, run in several.each(runs):
            membership = self._membership(name, run, groups)
            scored.append(score_system(evaluator(membership), name, run))
        return collect(scored, parsed, judged_pool.judged.query_ids, missing)

    def _membership(self, name: str, run: several.Run, groups: Groups | None) -> bool | str:
        """False for a member, a group's name for a newcomer of that group, True for any other newcomer."""
        if name in self.systems:
            with several.of_system(name):
                top = Rows.top(name, run, self.depth)
            if top.hash() != self.hashes[name]:
                depth = 'ranking' if self.depth is None else f'top {self.depth}'
                raise ValueError(
                    f'system {name!r} is a member of the pool, but the {depth} of this run differs from '
                    f'that in the pool; give another system another name'
                )
            return False
        if groups is None or (isinstance(groups, Mapping) and name not in groups):
            self._free(name)
            return True
        group = group_of(name, groups)
        return group if group in self.groups else True

    def _free(self, name: str) -> str:
        """A name, which no group of the pool may have."""
        if name in self.groups:
            raise ValueError(
                f'system {name!r} has the name of a group of the pool; pass groups={{{name!r}: …}}'
            )
        return name


__all__ = ['Groups', 'Pool', 'with_rareness']
