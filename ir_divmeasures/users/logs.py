"""Read click logs: the ranks of clicks by query session, from arrays, tables, parts of tables and ir_datasets."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import warn
from ..results.progress import with_progress

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

READINGS = ('every', 'last')
COLUMNS = {
    'session': ('session', 'session_id', 'sessionid', 'anonid', 'user_id', 'user'),
    'query': ('query', 'query_id', 'queryid', 'qid'),
    'rank': ('rank', 'position', 'itemrank', 'click_rank'),
    'time': ('time', 'timestamp', 'querytime', 'click_time'),
    'clicked': ('clicked', 'click'),
}
"""Names that columns of click tables may have, in lower case. The first name that a table has is used."""


class Observations(NamedTuple):
    """Observed stopping ranks in one reading of a log.

    Attributes:
        reading: ``'every'`` or ``'last'``.
        owner: (n,) query session 0.. of each observation.
        rank: (n,) ranks from 1.
        query: (n,) index of the query among the queries to keep, or None.
    """

    reading: str
    owner: Codes
    rank: Codes
    query: Codes | None

    def keep(self, mask: NDArray[np.bool_]) -> Observations:
        """The chosen observations, (n,) true where kept. Their query sessions are numbered from 0 again."""
        query = None if self.query is None else self.query[mask]
        owner = np.unique(self.owner[mask], return_inverse=True)[1]
        return Observations(self.reading, owner, self.rank[mask], query)


class _Clicks(NamedTuple):
    """Clicks of a log, (n,) each.

    Attributes:
        owner: query session 0.. of each click.
        rank: ranks from 1.
        time: times, or None.
        query: index of the query among the queries to keep, or None.
    """

    owner: Codes
    rank: Codes
    time: Any
    query: Codes | None


def observations(
    clicks: Any, reading: str | Iterable[str] | None = None, queries: Iterable[Any] | None = None
) -> list[Observations]:
    """Observed stopping ranks in each reading of a log.

    Args:
        clicks: ranks; a click table or an iterator of parts of one; an ir_datasets dataset with query logs, its name,
            or the records of ``qlogs_iter()``. The function reads a log once, record by record, and needs 20 bytes per
            click.
        reading: ``'every'`` click is an observation, or the ``'last'`` click of each query session. The default is
            both for logs and ``'every'`` for ranks.
        queries: keep clicks of these queries only, and record the query of each.

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.fit_stopping`.
    """
    readings = (
        READINGS if reading is None else (reading,) if isinstance(reading, str) else tuple(reading)
    )
    for name in readings:
        if name not in READINGS:
            raise ValueError(f"reading={name!r}: expected 'every' or 'last'")
    places = None if queries is None else {query: place for place, query in enumerate(queries)}
    log = _read(clicks, 'last' in readings, places)
    if not isinstance(log, _Clicks):
        if reading is not None and readings != ('every',):
            raise ValueError(
                "reading='last' needs a click log with columns session, query, rank, time"
            )
        if places is not None:
            raise ValueError('relevance= needs a click log with columns session, query, rank')
        rank = check_ranks(np.asarray(log).ravel())
        return [Observations('every', np.arange(len(rank)), rank, None)]
    if not len(log.rank):
        raise ValueError('no click ranks')
    return [
        _last(log) if name == 'last' else Observations(name, log.owner, log.rank, log.query)
        for name in readings
    ]


def patterns(owner: Codes, place: Codes, width: int) -> tuple[Any, NDArray[np.int64]]:
    """Distinct query sessions, since sessions with the same observations are interchangeable.

    Args:
        owner: (n,) query session of each observation.
        place: (n,) cell of each observation.
        width: number of cells.

    Returns:
        A sparse matrix (patterns, width) of the number of observations in each cell, and how often each pattern occurs,
        (patterns,).
    """
    from scipy.sparse import csr_matrix

    owners = int(owner.max()) + 1
    counts = csr_matrix((np.ones(len(owner)), (owner, place)), shape=(owners, width))
    # Each cell has a random 64-bit number, and the key of a session is their sum. Keys of equal sessions are equal;
    # those of different sessions are equal with probability 2⁻⁶⁴.
    number = np.random.default_rng(0).integers(0, 2**63, width, dtype=np.uint64)
    key = np.zeros(owners, dtype=np.uint64)
    np.add.at(key, owner, number[place])
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    order = np.argsort(first)
    return counts[first[order]], times[order]


def check_ranks(values: NDArray[Any]) -> Codes:
    """Ranks as whole numbers, (n,).

    Raises:
        TypeError, ValueError: there are no ranks, or one is no whole number of at least 1.
    """
    if not len(values):
        raise ValueError('no click ranks')
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise TypeError(
            f'click ranks: expected whole numbers of at least 1, found {values[:3].tolist()}'
        ) from None
    bad = ~(numbers >= 1) | (numbers != np.floor(numbers)) | np.isinf(numbers)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f'click ranks: row {row} is {numbers[row]:g}, expected a whole number of at least 1 '
            f'({int(bad.sum())} of {len(bad)} are not)'
        )
    return numbers.astype(np.intp)


def _last(clicks: _Clicks) -> Observations:
    """The last click of each query session. Of clicks at the same time, the later row is the last."""
    by_time = np.argsort(clicks.time, kind='stable')
    last = np.zeros(int(clicks.owner.max()) + 1, dtype=np.intp)
    last[clicks.owner[by_time]] = by_time
    return Observations(
        'last',
        np.arange(len(last)),
        clicks.rank[last],
        None if clicks.query is None else clicks.query[last],
    )


def _read(source: Any, timed: bool, places: Mapping[Any, int] | None) -> Any:
    """The clicks of a log, or an array or list of ranks.

    Args:
        source: as ``clicks`` of :func:`observations`.
        timed: whether times are needed.
        places: index of each query to keep, or None for all queries.
    """
    if isinstance(source, str):
        import ir_datasets

        name, source = source, ir_datasets.load(source)
        if not hasattr(source, 'qlogs_iter'):
            raise ValueError(f'ir_datasets {name!r} has no query log')
    if hasattr(source, 'qlogs_iter'):
        return _records(source.qlogs_iter(), timed, places)
    if hasattr(source, 'columns'):
        return _table(source, timed, places)
    if (
        isinstance(source, np.ndarray)
        or hasattr(source, 'to_numpy')
        or not isinstance(source, Iterable)
    ):
        return source
    several = iter(source)
    first = next(several, None)
    if first is None:
        return []
    several = itertools.chain([first], several)
    if hasattr(first, 'columns'):
        return _chunks(several, timed, places)
    if hasattr(first, 'query_id') and hasattr(first, 'items'):
        return _records(several, timed, places)
    return list(several)


def _table(table: pd.DataFrame, timed: bool, places: Mapping[Any, int] | None) -> _Clicks:
    part = _columns(table, timed)
    rank = _ranks_of(part)
    owner = part.groupby(['session', 'query'], sort=False, dropna=False).ngroup().to_numpy()
    return _kept(owner, rank, part['time'].to_numpy() if timed else None, part['query'], places)


def _chunks(
    tables: Iterator[pd.DataFrame], timed: bool, places: Mapping[Any, int] | None
) -> _Clicks:
    """The clicks of a table in parts. Sessions and queries are identified by 64-bit hashes to save memory."""
    import pandas as pd

    owners, ranks, times, queries = [], [], [], []
    for table in tables:
        part = _columns(table, timed)
        ranks.append(_ranks_of(part))
        owners.append(
            pd.util.hash_pandas_object(part[['session', 'query']], index=False).to_numpy()
        )
        if timed:
            times.append(part['time'])
        queries.append(part['query'] if places is not None else part['query'].iloc[:0])
    time = pd.concat(times, ignore_index=True).to_numpy() if timed else None
    owner = pd.factorize(np.concatenate(owners))[0]
    return _kept(owner, np.concatenate(ranks), time, pd.concat(queries, ignore_index=True), places)


def _columns(table: pd.DataFrame, timed: bool) -> pd.DataFrame:
    """The columns session, query, rank and, if the table has it, time of the rows with a click.

    Raises:
        ValueError: a column is missing, or a row has no time and times are needed.
    """
    by_name = {str(column).lower(): column for column in reversed(list(table.columns))}
    new_names = {}
    for column, synonyms in COLUMNS.items():
        source = next((by_name[name] for name in synonyms if name in by_name), None)
        if source is not None:
            new_names[source] = column
        elif column in ('session', 'query', 'rank') or (column == 'time' and timed):
            raise ValueError(
                f'click log: no column {column!r} (found {", ".join(map(str, table.columns))})'
                + (", which reading='last' needs" if column == 'time' else '')
            )
    part = table[list(new_names)].rename(columns=new_names)
    clicked = part['rank'].notna()
    if 'clicked' in part:
        clicked &= part['clicked'].astype(float) > 0
    part = part[clicked]
    if timed and part['time'].isna().any():
        raise ValueError(
            f'click log: row {int(np.flatnonzero(part["time"].isna())[0])} has no time'
        )
    return part


def _ranks_of(part: pd.DataFrame) -> Codes:
    return check_ranks(part['rank'].to_numpy()) if len(part) else np.zeros(0, dtype=np.intp)


def _kept(
    owner: Codes, rank: Codes, time: Any, query: Any, places: Mapping[Any, int] | None
) -> _Clicks:
    """The clicks of the queries to keep, with query sessions numbered from 0."""
    if places is None:
        return _Clicks(owner, rank, time, None)
    numbers = {str(name): number for name, number in places.items()}
    place = query.astype(str).map(numbers).fillna(-1).to_numpy().astype(np.intp)
    valid = place >= 0
    owner = np.unique(owner[valid], return_inverse=True)[1] if valid.any() else owner[:0]
    return _Clicks(owner, rank[valid], None if time is None else time[valid], place[valid])


def _records(records: Iterable[Any], timed: bool, places: Mapping[Any, int] | None) -> _Clicks:
    """The clicks of ir_datasets' query log records, which have a user or session, a query, a time and items.

    A warning says how many clicks have no rank.
    """
    import pandas as pd

    owners, ranks, times, queries = array('q'), array('q'), array('d'), array('q')
    id_name, without = None, 0
    numbers = None if places is None else {str(name): number for name, number in places.items()}
    for record in with_progress(records, 'record', 'query log'):
        if id_name is None:
            id_name = next(
                (name for name in ('session_id', 'user_id') if hasattr(record, name)), None
            )
            if id_name is None:
                raise ValueError(f'query log: no session_id or user_id in {type(record).__name__}')
        place = -1 if numbers is None else numbers.get(str(record.query_id), -1)
        if numbers is not None and place < 0:
            continue
        for position, item in enumerate(record.items, 1):
            if not getattr(item, 'clicked', True):
                continue
            rank = _rank(getattr(item, 'rank', position), record)
            if rank < 1:
                without += 1
                continue
            ranks.append(rank)
            owners.append(hash((getattr(record, id_name), record.query_id)))
            queries.append(place)
            if timed:
                times.append(_seconds(getattr(record, 'time', None), record))
    if without:
        warn(
            f'{without} of {without + len(ranks)} clicks are ignored because they have no rank of at least 1'
        )
    query = None if numbers is None else np.array(queries, dtype=np.intp)
    return _Clicks(
        pd.factorize(np.array(owners))[0],
        np.array(ranks, dtype=np.intp),
        np.array(times) if timed else None,
        query,
    )


def _rank(value: Any, record: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ValueError(
            f'query log: query {record.query_id!r} has a click at rank {value!r}, expected a whole '
            f'number'
        ) from None


def _seconds(time: Any, record: Any) -> float:
    if isinstance(time, datetime):
        return (
            time.replace(tzinfo=None)
            - (time.utcoffset() or datetime.min - datetime.min)
            - datetime(1970, 1, 1)
        ).total_seconds()
    try:
        return float(time)
    except (TypeError, ValueError):
        raise ValueError(
            f"query log: query {record.query_id!r} has the time {time!r}, which reading='last' "
            f'needs'
        ) from None
