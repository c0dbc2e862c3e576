"""Pools of systems: which system retrieves which document at which rank, down to a depth."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import pool_ranks
from ..core.registry import measures as parse_all
from ..core.registry import ours
from ..errors import did_you_mean
from ..evaluation import checks
from ..evaluation.bounds import Bounds, report_refused
from ..evaluation.evaluate import warn_of, without_missing
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores
from ..evaluation.scoring import System, score_run
from ..io import runs as several
from ..io.coding import (
    encode,
    first_repetition,
    place_by_name,
    place_in_group,
    ranking_order,
    whole,
)
from ..io.groups import Groups, group_of, read_teams
from ..io.pairs import pair_keys, text_keys
from ..io.rows import Strings
from ..io.writing import replacing
from ..meta.resampling import whole as whole_number
from .judged import JudgedPool, with_counts, without_pool

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import MeasuresLike, QrelsLike, RngLike, RunsLike

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
    has the score that it would have as a member. A run that is no member is never scored as one: its
    judged documents must be those of a system, at the same ranks. :class:`Pool` has further functions, and can be
    saved.

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

    Raises:
        FileNotFoundError: no such file or folder of runs.
        TypeError: not runs.
        ValueError: an empty pool; a run without any query of the judgments, or two systems of one name; a system that
            ``groups`` does not name; a depth below 1. Names it.

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
    depth, judgments, groups = check_depth(depth), without_pool(qrels), read_teams(groups)
    collection = judgments.collection
    members: dict[str, tuple[str, NDArray[np.intp], NDArray[np.intp]]] = {}
    messages, digests = [], []
    for system, run in several.each(runs):
        with several.of_system(system), run.naming_line():
            coded = collection.read(run)
            located = coded.located()
        messages.append([*checks.ask(checks.Facts(run=run), 'run')])
        digests.append(checks.ranking_digest(coded))
        if not located.n.any():
            queries = run.table['query_id'].unique()
            raise ValueError(
                f'system {system!r}: none of the {len(queries)} queries of its run is among the '
                f'{len(collection.query_ids)} queries of the judgments (run: {_some(queries)}; judgments: '
                f'{_some(collection.query_ids)})'
            )
        within = located.rank <= (depth or np.inf)
        members[system] = group_of(system, groups), located.pair[within], located.rank[within]
    if not members:
        raise ValueError(
            f'an empty pool: no runs in {runs if isinstance(runs, str) else type(runs).__name__}'
        )
    warn_of(list(members), messages, digests)
    of_group, pairs, ranks = zip(*(members[system] for system in sorted(members)))
    place = np.repeat(np.arange(len(members)), [len(each) for each in pairs])
    return with_counts(
        judgments,
        np.concatenate(pairs),
        place,
        np.concatenate(ranks),
        list(of_group),
        depth,
        newcomer,
    )


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
        return Rows(
            self.query[mask],
            self.document[mask],
            self.system[mask],
            self.rank[mask],
            self.query_ids,
            self.doc_ids,
        )


class Pool:
    """Which system retrieves which document at which rank, down to a depth. A campaign can publish its pool.

    :meth:`from_runs` and :meth:`load` create pools. They need no judgments. A pool never changes: :meth:`add`, ``+``,
    :meth:`without`, :meth:`regroup` and :meth:`shallower` return new pools. Pools of the same systems are equal,
    however they were created.

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
        self, systems: Mapping[str, str], depth: int | None, rows: Rows, date: str | None = None
    ):
        """Use :meth:`from_runs` or :meth:`load`; ``systems`` gives each one's group, in the order of their codes."""
        names = list(systems)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        self.systems = [names[i] for i in order]
        self.groups = [systems[name] for name in self.systems]
        self.depth, self.date = depth, date
        place = np.empty(len(names), dtype=np.int32)
        place[order] = np.arange(len(names))
        query, query_ids = _compact(rows.query, rows.query_ids)
        document, doc_ids = _compact(rows.document, rows.doc_ids)
        query, document, system, rank = _sorted((query, document, place[rows.system], rows.rank))
        self.rows = Rows(query, document, system, rank, query_ids, doc_ids)

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

        Raises:
            FileNotFoundError, TypeError, ValueError: no runs or unreadable ones; two systems of one name; a duplicate
                document; a system that ``groups`` does not name; a depth below 1.

        Examples:
            >>> pool = Pool.from_runs({'a1': {'q': {'d': 1.0}}, 'a2': {'q': {'d': 1.0}}}, groups=lambda name: name[0])
            >>> pool.groups
            ['a', 'a']
        """
        depth, groups = check_depth(depth), read_teams(groups)
        systems: dict[str, str] = {}
        parts, messages, digests = [], [], []
        for system, run in several.each(runs):
            with several.of_system(system), run.naming_line():
                parts.append(_top(run, depth, len(systems)))
            messages.append([*checks.ask(checks.Facts(run=run), 'run')])
            digests.append(_digest(parts[-1]))
            systems[system] = group_of(system, groups)
        warn_of(list(systems), messages, digests)
        if not systems:
            raise ValueError(
                f'an empty pool: no runs in {runs if isinstance(runs, str) else type(runs).__name__}'
            )
        rows = _joined(parts)
        parts.clear()  # hundreds of MiB
        return cls(systems, depth, rows)

    def add(self, runs: RunsLike, groups: Groups | None = None) -> Pool:
        """The pool with further runs, which may belong to groups that it has.

        Args:
            runs: in any form that :func:`~ir_divmeasures.read_runs` takes.
            groups: as for :meth:`from_runs`, of the further runs.

        Raises:
            ValueError: as for :meth:`from_runs` and ``+``.
        """
        added = Pool.from_runs(runs, self.depth, groups)
        if groups is None:
            for name in added.systems:
                if name not in self.systems:
                    self._check_free(name)
            group_by_system = dict(
                zip(self.systems, self.groups)
            )  # a system of the pool keeps its group
            added = added.regroup({name: group_by_system.get(name, name) for name in added.systems})
        return self + added

    def __add__(self, other: Pool) -> Pool:
        """The systems of both pools. A system in both must have the same top ``depth`` and group, and counts once.

        Raises:
            ValueError: the pools have different depths, or a system has two rankings or two groups.
        """
        if not isinstance(other, Pool):
            return NotImplemented
        if self.depth != other.depth:
            raise ValueError(
                f'pools of depth {self.depth} and {other.depth}: expected the same; use shallower()'
            )
        own_groups, other_groups = (
            dict(zip(self.systems, self.groups)),
            dict(zip(other.systems, other.groups)),
        )
        for name in sorted(own_groups.keys() & other_groups.keys()):
            if self.hashes[name] != other.hashes[name]:
                raise ValueError(
                    f'system {name!r} has two different rankings: one in each of the pools'
                )
            if own_groups[name] != other_groups[name]:
                raise ValueError(
                    f'system {name!r} has two groups: {own_groups[name]!r} in one pool, '
                    f'{other_groups[name]!r} in the other'
                )
        new = [name for name in other.systems if name not in own_groups]
        code = np.array(
            [
                len(own_groups) + new.index(name) if name not in own_groups else -1
                for name in other.systems
            ]
        )
        rows = other.rows._replace(system=code[other.rows.system])
        rows = rows.where(rows.system >= 0)
        return Pool(
            {**own_groups, **{name: other_groups[name] for name in new}},
            self.depth,
            _joined([self.rows, rows]),
        )

    def without(self, *names: str) -> Pool:
        """The pool without some systems or groups.

        Raises:
            ValueError: a name that is neither a system nor a group, or is a system of one group and the name of
                another; or none would be left.

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
                raise ValueError(
                    f'{name!r} is not in the pool{near(name, [*self.systems, *self.groups])}'
                )
            removed |= members
        mask = np.array([name not in removed for name in self.systems])
        if not mask.any():
            raise ValueError(f'an empty pool: all of its {len(self.systems)} systems are left out')
        return self._members(mask)

    def _members(self, mask: NDArray[np.bool_]) -> Pool:
        """The pool of the kept systems, (systems,) true where kept."""
        code = np.cumsum(mask) - 1
        rows = self.rows.where(mask[self.rows.system])
        return Pool(
            {
                name: group
                for name, group, is_kept in zip(self.systems, self.groups, mask)
                if is_kept
            },
            self.depth,
            rows._replace(system=code[rows.system]),
        )

    def regroup(self, groups: Groups | None) -> Pool:
        """The same systems in other groups. With None, each system is a group of its own.

        Raises:
            TypeError, ValueError: as for :meth:`from_runs`.
        """
        groups = read_teams(groups)
        return Pool({name: group_of(name, groups) for name in self.systems}, self.depth, self.rows)

    def shallower(self, depth: int) -> Pool:
        """The pool that the same runs give at a smaller depth.

        Raises:
            ValueError: a depth below 1, or beyond that of the pool.
        """
        cut = check_depth(depth)
        if cut is None or (self.depth is not None and cut > self.depth):
            raise ValueError(
                f'depth={depth}: the pool contains the top {self.depth} of each system'
            )
        return Pool(
            dict(zip(self.systems, self.groups)), cut, self.rows.where(self.rows.rank <= cut)
        )

    # ---- files ----------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the pool to one parquet file, which :meth:`load` reads.

        The file has a row ``query_id, doc_id, system, rank`` for each retrieved document. Its metadata contain the
        depth, the date, and the name, group and hash of every system.

        Args:
            path: the file.
            overwrite: replace an existing file.

        Raises:
            FileExistsError: the file exists and ``overwrite`` is False.

        Examples:
            >>> import os, tempfile
            >>> path = os.path.join(tempfile.mkdtemp(), 'pool.parquet')
            >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}})
            >>> pool.save(path)
            >>> Pool.load(path) == pool
            True
        """
        import pyarrow as pa
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
        table = self._arrow().replace_schema_metadata(
            {METADATA: json.dumps(metadata, ensure_ascii=False).encode()}
        )
        assert isinstance(table, pa.Table)
        with replacing(path, overwrite) as partial:
            parquet.write_table(table, partial, compression='zstd', compression_level=9)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pool:
        """Read a pool that :meth:`save` wrote.

        Raises:
            FileNotFoundError: no such file.
            ValueError: the file is no pool, or its rows are not those that were saved.
        """
        import pyarrow as pa
        from pyarrow import parquet

        path = os.fspath(path)
        if not os.path.isfile(path):
            raise FileNotFoundError(f'{path}: no such file')
        try:
            table = parquet.read_table(path)
        except (pa.ArrowInvalid, OSError) as error:
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
        (query, query_ids), (document, doc_ids), (system, names) = (
            encode(
                table[column].combine_chunks().dictionary_decode()
                if pa.types.is_dictionary(table[column].type)
                else table[column]
            )
            for column in ('query_id', 'doc_id', 'system')
        )
        place = {name: i for i, name in enumerate(systems)}
        unknown = [name for name in names.to_pylist() if name not in place]
        if unknown:
            raise ValueError(f'{path}: rows of a system {unknown[0]!r} that the file does not list')
        code = np.array([place[name] for name in names.to_pylist()], dtype=np.int64)
        rank = table['rank'].to_numpy().astype(np.int64)
        rows = Rows(
            query.astype(np.int32),
            document.astype(np.int32),
            code[system].astype(np.int32),
            rank.astype(np.int32),
            query_ids,
            doc_ids,
        )
        pool = cls(systems, metadata['depth'], rows, metadata['date'])
        for entry in metadata['systems']:
            if pool.hashes[entry['name']] != entry['hash']:
                raise ValueError(
                    f'{path}: the rows of system {entry["name"]!r} are not those that it was saved with'
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

    def _arrow(self) -> Any:
        import pyarrow as pa

        rows = self.rows
        names = pa.array(self.systems, pa.string())
        return pa.table(
            {
                'query_id': pa.DictionaryArray.from_arrays(
                    rows.query.astype(np.int32), rows.query_ids.cast(pa.string())
                ),
                'doc_id': pa.DictionaryArray.from_arrays(
                    rows.document.astype(np.int32), rows.doc_ids.cast(pa.string())
                ),
                'system': pa.DictionaryArray.from_arrays(rows.system.astype(np.int32), names),
                'rank': pa.array(rows.rank.astype(np.int32)),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """The rows ``query_id, doc_id, system, rank``, sorted.

        Examples:
            >>> Pool.from_runs({'A': {'q': {'d2': 2.0, 'd1': 1.0}}}).to_frame()
              query_id doc_id system  rank
            0        q     d1      A     2
            1        q     d2      A     1
        """
        import pandas as pd

        rows = self.rows
        return pd.DataFrame(
            {
                'query_id': _texts(rows.query_ids)[rows.query],
                'doc_id': _texts(rows.doc_ids)[rows.document],
                'system': np.array(self.systems, dtype=object)[rows.system],
                'rank': rows.rank.astype(np.int64),
            }
        )

    # ---- identity -------------------------------------------------------------------------------------------

    @functools.cached_property
    def hashes(self) -> dict[str, str]:
        """A hash of the top ``depth`` of each system: its queries in ascending order, and their documents by rank."""
        rows = self.rows
        order = np.lexsort((rows.rank, rows.query, rows.system))
        end = np.searchsorted(rows.system[order], np.arange(len(self.systems) + 1))
        return {
            name: _hash(rows, order[end[i] : end[i + 1]]) for i, name in enumerate(self.systems)
        }

    @property
    def query_ids(self) -> list[str]:
        """The queries for which a system retrieves something, ascending."""
        return list(self.rows.query_ids.to_pylist())

    def __repr__(self) -> str:
        counts = [
            (len(self.systems), 'system', 'systems'),
            (len(set(self.groups)), 'group', 'groups'),
            (len(self.rows.query_ids), 'query', 'queries'),
            (len(self.rows.doc_ids), 'document', 'documents'),
        ]
        return f'Pool({", ".join(f"{n} {one if n == 1 else more}" for n, one, more in counts)}, depth {self.depth})'

    def __eq__(self, other: object) -> bool:
        """Whether two pools have the same systems, groups, depth and rows. The date of a file is ignored."""
        if not isinstance(other, Pool):
            return NotImplemented
        return (
            (self.systems, self.groups, self.depth) == (other.systems, other.groups, other.depth)
            and all(
                np.array_equal(column, other_column)
                for column, other_column in zip(self.rows[:4], other.rows[:4])
            )
            and all(
                column.equals(other_column)
                for column, other_column in zip(self.rows[4:], other.rows[4:])
            )
        )

    __hash__ = None  # type: ignore[assignment]

    # ---- with judgments -------------------------------------------------------------------------------------

    def over(self, qrels: QrelsLike) -> JudgedPool:
        """The pool with judgments, which the functions of :mod:`~ir_divmeasures.pools.analysis` take.

        Args:
            qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.

        Raises:
            ValueError: none of the pool's queries is judged.
        """
        judgments = without_pool(qrels)
        rows, collection = self.rows, judgments.collection
        query, document = collection.numbers_of(rows.query_ids, rows.doc_ids)
        system = rows.system.astype(np.int64)
        if not (query >= 0).any():
            raise ValueError(
                f'none of the {len(query)} queries of the pool is among the {len(collection.query_ids)} '
                f'queries of the judgments (pool: {_some(self.query_ids)}; judgments: '
                f'{_some(collection.query_ids)})'
            )
        row_query, row_document = query[rows.query], document[rows.document]
        both = np.flatnonzero((row_query >= 0) & (row_document >= 0))
        pair, is_judged = collection.pair_of(row_query[both], row_document[both])
        rank = np.zeros((len(self.systems), collection.n_pairs), dtype=np.int32)
        rank[system[both[is_judged]], pair[is_judged]] = rows.rank[both[is_judged]]
        has_judgments = row_query >= 0
        n_queries = len(collection.query_ids)
        n = np.bincount(
            system[has_judgments] * n_queries + row_query[has_judgments],
            minlength=len(self.systems) * n_queries,
        )
        return JudgedPool(
            judgments,
            self.systems,
            self.groups,
            self.depth,
            rank,
            n.reshape(len(self.systems), n_queries),
        )

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

        Warns:
            MembershipWarning: a newcomer has the ranking of a member under another name, and is counted twice.

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
        scored = [system for *_, system in self._scored(runs, judged_pool, parsed, groups)]
        if not scored:
            raise ValueError('no runs')
        systems, values, present, messages, digests = zip(*scored)
        warn_of(systems, messages, digests)
        values_kept, queries_kept = without_missing(
            np.stack(values),
            np.stack(present),
            list(systems),
            judged_pool.judged.query_ids,
            missing,
        )
        return Scores(values_kept, systems, tuple(queries_kept), tuple(map(str, parsed)))

    def _scored(
        self,
        runs: Any,
        judged_pool: JudgedPool,
        measures: list[Any],
        groups: Groups | None,
    ) -> Iterator[tuple[several.Run, bool | str, System]]:
        """Each run, its standing (see :meth:`_standing`) and its scores."""
        evaluators: dict[bool | str, Evaluator] = {}
        for name, run in several.each(runs):
            membership = self._membership(name, run, groups)
            if membership not in evaluators:
                own = membership if isinstance(membership, str) else None
                evaluators[membership] = Evaluator(
                    measures,
                    judged_pool.judgments(membership),
                    about_missing=False,
                    pool_systems=dict(
                        zip(pool_ranks.labels_of(judged_pool.groups, own), judged_pool.systems)
                    ),
                )
            yield (
                run,
                membership,
                score_run(
                    name, run, evaluators[membership], measures, judged_pool.judged.query_ids
                ),
            )

    def bounds(
        self,
        runs: RunsLike | None,
        qrels: QrelsLike,
        measures: MeasuresLike,
        *,
        groups: Groups | None = None,
        relevance: Any = None,
        n_samples: int = 1000,
        rng: RngLike = None,
    ) -> Bounds:
        """The least and the largest scores by measures of innovation that unjudged documents leave open.

        An unjudged document that the pool, or the top ``depth`` of the scored run, retrieves may be relevant, with the
        query's highest grade, or not. Its S_d is known. N_R, ideal rankings and the unique finds count it too.

        * Exact bounds (``grades`` is ``'any'``): P_Rareness, RBP_Rareness, NumUnique, UniqueRecall, Rareness.
        * AP_Rareness and nDCG_Rareness (``'outer'``): no grades lead beyond these bounds, but the extremes may be
          closer. Each number m of relevant unjudged documents in the top k is bounded by the m least or largest R.

        Args:
            runs, qrels, groups: as for :meth:`scores`.
            measures: measures of innovation. Those without bounds are left out with a warning that gives the reason:
                Coverage_Rareness, ``of='intent'``, ``alpha='auto'``, ``mu`` and ``judged_only``.
            relevance: the probability that an unjudged document is relevant: a number, ``{query: {document:
                probability}}``, or a table ``query_id, doc_id, probability``. Other documents have probability 0.
            n_samples: number of draws of relevance.
            rng: a seed or generator.

        Returns:
            :class:`~ir_divmeasures.Bounds`; ``to_frame()`` has ``system, query_id, measure, judged, score, lower,
            upper, grades``, and with ``relevance`` also ``expected`` and ``expected_error``: the expected score and its
            standard error, 0 where it is exact (P_Rareness, RBP_Rareness, NumUnique).

        Raises:
            TypeError, ValueError: no measure has bounds; probabilities that are none; and as for :meth:`scores`.

        Examples:
            >>> pool = Pool.from_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}})
            >>> found = pool.bounds(None, {'q': {'d1': 1}}, 'P_Rareness@2', relevance=0.5)  # (1 + 0)/2, (1 + 1.5)/2
            >>> found.table[['system', 'judged', 'score', 'lower', 'upper', 'expected']]
              system  judged  score  lower  upper  expected
            0      A     0.5    0.5    0.5   1.25     0.875
            1      B     1.0    0.5    0.5   0.50     0.500
        """
        import pandas as pd

        from .unjudged import Rankings, refusal, relevance_of, table_of

        parsed = parse_all(measures)
        refused = {
            str(own_measure): reason
            for own_measure in parsed
            if (reason := refusal(own_measure, ours(own_measure)))
        }
        bounded = [
            own_measure
            for measure in parsed
            if str(measure) not in refused and (own_measure := ours(measure)) is not None
        ]
        report_refused(refused, len(parsed))
        relevance = None if relevance is None else relevance_of(relevance)
        whole_number(n_samples, 'n_samples', 2)
        generator, judged_pool, groups = (
            np.random.default_rng(rng),
            self.over(qrels),
            read_teams(groups),
        )
        if runs is None:
            scores = judged_pool.scores(bounded).values
            return Bounds(
                table_of(
                    Rankings(self, qrels),
                    self.systems,
                    bounded,
                    scores,
                    relevance,
                    n_samples,
                    generator,
                ),
                refused,
            )
        tables, names, messages = [], [], []
        members: Rankings | None = None
        for run, membership, (name, values, _, run_messages, _) in self._scored(
            runs, judged_pool, bounded, groups
        ):
            if membership is False:
                members = rankings = members or Rankings(self, qrels)
            else:
                group = membership if isinstance(membership, str) else name
                rankings = Rankings(
                    self + Pool({name: group}, self.depth, _top(run, self.depth, 0)), qrels
                )
            tables.append(
                table_of(rankings, [name], bounded, values[None], relevance, n_samples, generator)
            )
            names.append(name)
            messages.append(run_messages)
        if not tables:
            raise ValueError('no runs')
        warn_of(names, messages)
        return Bounds(pd.concat(tables, ignore_index=True), refused)

    def _membership(self, name: str, run: several.Run, groups: Groups | None) -> bool | str:
        """False for a member, a group's name for a newcomer of that group, True for any other newcomer.

        Raises:
            ValueError: a run with the name of a member differs from it, or a newcomer has the name of a group.
        """
        if name in self.systems:
            with several.of_system(name), run.naming_line():
                top = _top(run, self.depth, 0)
            if Pool({name: name}, self.depth, top).hashes[name] != self.hashes[name]:
                depth = 'ranking' if self.depth is None else f'top {self.depth}'
                raise ValueError(
                    f'system {name!r} is a member of the pool, but the {depth} of this run differs from '
                    f'that in the pool; give another system another name'
                )
            return False
        if groups is None or (isinstance(groups, Mapping) and name not in groups):
            self._check_free(name)
            return True
        group = group_of(name, groups)
        return group if group in self.groups else True

    def _check_free(self, name: str) -> None:
        if name in self.groups:
            raise ValueError(
                f'system {name!r} has the name of a group of the pool; pass groups={{{name!r}: …}}'
            )


# ---------------------------------------------------------------------------------------------------- helpers


def _top(run: several.Run, depth: int | None, number: int) -> Rows:
    """The top ``depth`` of each query of a run, as rows of the system with this number."""
    query, query_ids = encode(run.query_id)
    names = run.doc_id
    coded = names.array.dictionary_encode()
    document, score = whole(coded.indices), run.score
    several.check_documents(run, first_repetition(query * max(len(coded.dictionary), 1) + document))
    order = ranking_order(query, score, names, np.ones(len(query), dtype=bool))
    if order is not None:
        query, document = query[order], document[order]
    rank = place_in_group(query, np.bincount(query, minlength=len(query_ids))) + 1
    rows = Rows(
        query.astype(np.int32),
        document.astype(np.int32),
        np.full(len(query), number, dtype=np.int32),
        rank.astype(np.int32),
        query_ids,
        coded.dictionary,
    )
    return (
        rows
        if depth is None or len(rank) == 0 or rank.max() <= depth
        else rows.where(rank <= depth)
    )


def _digest(rows: Rows) -> str | None:
    """A text that systems with the same top documents in the same order share, and others hardly ever do; None of a
    run with few documents."""
    if len(rows.query) < checks.MANY_ALIKE:
        return None
    query, document = (text_keys(Strings(ids)) for ids in (rows.query_ids, rows.doc_ids))
    key = pair_keys(query[rows.query], document[rows.document])
    return str(int(pair_keys(rows.rank, key.view(np.uint64)).sum()))


def _joined(parts: list[Rows]) -> Rows:
    """The rows of several parts, with codes for the ids of all parts."""
    import pyarrow as pa

    codes, ids = [], []
    for field in ('query', 'document'):
        dictionaries, coded = [], []
        for part in parts:
            code, names = _used(
                getattr(part, field), part.query_ids if field == 'query' else part.doc_ids
            )
            coded.append(code)
            dictionaries.append(names)
        unified = pa.concat_arrays(dictionaries).dictionary_encode()
        place = np.split(
            whole(unified.indices), np.cumsum([len(names) for names in dictionaries])[:-1]
        )
        codes.append(
            np.concatenate([numbers.astype(np.int32)[code] for numbers, code in zip(place, coded)])
        )
        ids.append(unified.dictionary)
    return Rows(
        codes[0],
        codes[1],
        np.concatenate([part.system for part in parts]),
        np.concatenate([part.rank for part in parts]),
        *ids,
    )


def _used(code: NDArray[np.int32], names: Any) -> tuple[NDArray[np.int32], Any]:
    """Codes (n,) and names without the names that no code uses."""
    is_used = np.zeros(len(names), dtype=bool)
    is_used[code] = True
    if is_used.all():
        return code, names
    return (np.cumsum(is_used) - 1).astype(np.int32)[code], names.take(np.flatnonzero(is_used))


def _compact(code: NDArray[np.int32], names: Any) -> tuple[NDArray[np.int32], Any]:
    """Codes (n,) and the used names in ascending order."""
    from pyarrow import compute as pc

    code, names = _used(code, names)
    return place_by_name(names).astype(np.int32)[code], names.take(pc.array_sort_indices(names))


def _sorted(columns: tuple[NDArray[np.int32], ...]) -> list[NDArray[np.int32]]:
    """Columns of whole numbers of at least 0, (rows,) each, with their rows in ascending order.

    All columns of a row become one number, which is sorted in place and taken apart again: that takes less time and
    memory than an order of the rows.
    """
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) > 63:
        order = np.lexsort(columns[::-1])
        return [column[order] for column in columns]
    key = columns[0].astype(np.int64)
    for column, width in zip(columns[1:], widths[1:]):
        key <<= width
        key |= column
    if np.all(key[1:] > key[:-1]):
        return list(columns)
    key.sort()
    ordered = []
    for width in widths[:0:-1]:
        ordered.append((key & (1 << width) - 1).astype(np.int32))
        key >>= width
    return [key.astype(np.int32), *ordered[::-1]]


def _hash(rows: Rows, order: NDArray[np.intp]) -> str:
    """A SHA-256 hash of the rows at these indices, which are sorted by query and rank.

    It covers the number of rows of each query, the lengths and bytes of the query ids, and those of the document ids.
    """
    queries = rows.query[order]
    first = np.flatnonzero(np.diff(queries, prepend=-1))
    digest = hashlib.sha256(np.diff(first, append=len(order)).astype('<i8').tobytes())
    for names in (rows.query_ids.take(queries[first]), rows.doc_ids.take(rows.document[order])):
        text = Strings.of(names).array
        _, offsets, data = text.buffers()
        ends = np.frombuffer(offsets, dtype=np.int64)[text.offset : text.offset + len(text) + 1]
        digest.update((ends - ends[0]).astype('<i8').tobytes())
        if data is not None:
            digest.update(memoryview(data)[int(ends[0]) : int(ends[-1])])
    return digest.hexdigest()


def _texts(names: Any) -> NDArray[Any]:
    return np.array(names.to_pylist(), dtype=object)


def check_depth(depth: Any) -> int | None:
    """A depth as a whole number, or None.

    Raises:
        ValueError: anything else.
    """
    if depth is not None and (
        isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 1
    ):
        raise ValueError(
            f'depth={depth!r}: expected a whole number of at least 1, or None for the whole run'
        )
    return None if depth is None else int(depth)


def near(name: str, names: Iterable[str]) -> str:
    """The end of a message that suggests a similar known name, if there is one. It does not list all names."""
    return did_you_mean(name, names, list_known=False)


def _some(ids: Iterable[str]) -> str:
    ids = list(ids)
    return ', '.join(map(repr, ids[:3])) + (', …' if len(ids) > 3 else '')


__all__ = ['Groups', 'Pool', 'with_rareness']
