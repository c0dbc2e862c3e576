"""Click logs: where users clicked, by query session, from arrays, tables, parts of tables and ir_datasets' logs."""
from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import warn

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

READINGS = ('every', 'last')
COLUMNS = {'session': ('session', 'session_id', 'sessionid', 'anonid', 'user_id', 'user'),
           'query': ('query', 'query_id', 'queryid', 'qid'),
           'rank': ('rank', 'position', 'itemrank', 'click_rank'),
           'time': ('time', 'timestamp', 'querytime', 'click_time'),
           'clicked': ('clicked', 'click')}
"""What the columns of click tables are called, in lower case; the first one found counts."""


class Observations(NamedTuple):
    """Observed stopping ranks in one reading of a log.

    Attributes:
        reading: ``'every'`` or ``'last'``.
        owner: (n,) query session 0.. of each observation.
        rank: (n,) ranks from 1.
        query: (n,) place of the query among those asked for, or None.
    """
    reading: str
    owner: Codes
    rank: Codes
    query: Codes | None

    def keep(self, chosen: NDArray[np.bool_]) -> Observations:
        """Some of the observations, owners numbered anew."""
        query = None if self.query is None else self.query[chosen]
        owner = np.unique(self.owner[chosen], return_inverse=True)[1]
        return Observations(self.reading, owner, self.rank[chosen], query)


class _Clicks(NamedTuple):
    owner: Codes
    rank: Codes
    time: Any
    query: Codes | None


def observations(clicks: Any, reading: str | Iterable[str] | None = None,
                 queries: Iterable[Any] | None = None) -> list[Observations]:
    """Observed stopping ranks, for every reading asked for.

    Args:
        clicks: ranks; a click table or an iterator of parts of one; an ir_datasets dataset with query logs, its name,
            or the records of ``qlogs_iter()``. Logs are read once, a record at a time, 20 bytes a click.
        reading: ``'every'`` click is an observation, or the ``'last'`` one of each query session; by default both, and
            ``'every'`` of ranks.
        queries: keep clicks of these queries only, and say which one.

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.fit_stopping`.
    """
    asked = READINGS if reading is None else (reading,) if isinstance(reading, str) else tuple(reading)
    for one in asked:
        if one not in READINGS:
            raise ValueError(f"reading={one!r}: expected 'every' or 'last'")
    places = None if queries is None else {query: place for place, query in enumerate(queries)}
    read = _read(clicks, 'last' in asked, places)
    if not isinstance(read, _Clicks):
        if reading is not None and asked != ('every',):
            raise ValueError("reading='last' needs a click log with columns session, query, rank, time")
        if places is not None:
            raise ValueError('relevance= needs a click log with columns session, query, rank')
        rank = check_ranks(np.asarray(read).ravel())
        return [Observations('every', np.arange(len(rank)), rank, None)]
    if not len(read.rank):
        raise ValueError('no click ranks')
    return [_last(read) if one == 'last' else Observations(one, read.owner, read.rank, read.query) for one in asked]


def patterns(owner: Codes, place: Codes, width: int) -> tuple[Any, NDArray[np.int64]]:
    """Distinct query sessions: a sparse matrix (patterns, width) of their observations by place, and how often each
    occurs. Sessions with the same observations are interchangeable."""
    from scipy.sparse import csr_matrix

    owners = int(owner.max()) + 1
    counts = csr_matrix((np.ones(len(owner)), (owner, place)), shape=(owners, width))
    # Sums of random 64-bit numbers, one a place: equal for equal sessions, and else by an accident of 2⁻⁶⁴.
    number = np.random.default_rng(0).integers(0, 2 ** 63, width, dtype=np.uint64)
    key = np.zeros(owners, dtype=np.uint64)
    np.add.at(key, owner, number[place])
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    order = np.argsort(first)
    return counts[first[order]], times[order]


def check_ranks(values: NDArray[Any]) -> Codes:
    """Ranks as whole numbers.

    Raises:
        TypeError, ValueError: none at all, or what is no whole number of at least 1.
    """
    if not len(values):
        raise ValueError('no click ranks')
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise TypeError(f'click ranks: expected whole numbers of at least 1, found {values[:3].tolist()}') from None
    bad = ~(numbers >= 1) | (numbers != np.floor(numbers)) | np.isinf(numbers)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ValueError(f'click ranks: row {at} holds {numbers[at]:g}, expected a whole number of at least 1 '
                         f'({int(bad.sum())} of {len(bad)} are not)')
    return numbers.astype(np.intp)


def _last(clicks: _Clicks) -> Observations:
    by_time = np.argsort(clicks.time, kind='stable')
    last = np.zeros(int(clicks.owner.max()) + 1, dtype=np.intp)
    last[clicks.owner[by_time]] = by_time  # the latest remains, of equal ones the later row
    return Observations('last', np.arange(len(last)), clicks.rank[last],
                        None if clicks.query is None else clicks.query[last])


def _read(source: Any, timed: bool, places: Mapping[Any, int] | None) -> Any:
    """Clicks of a log, or what holds ranks."""
    if isinstance(source, str):
        import ir_datasets

        name, source = source, ir_datasets.load(source)
        if not hasattr(source, 'qlogs_iter'):
            raise ValueError(f'ir_datasets {name!r} has no query log')
    if hasattr(source, 'qlogs_iter'):
        return _records(source.qlogs_iter(), timed, places)
    if hasattr(source, 'columns'):
        return _table(source, timed, places)
    if isinstance(source, np.ndarray) or hasattr(source, 'to_numpy') or not isinstance(source, Iterable):
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


def _chunks(tables: Iterator[pd.DataFrame], timed: bool, places: Mapping[Any, int] | None) -> _Clicks:
    """A table in parts; sessions and queries are kept as 64-bit hashes."""
    import pandas as pd

    owners, ranks, times, queries = [], [], [], []
    for table in tables:
        part = _columns(table, timed)
        ranks.append(_ranks_of(part))
        owners.append(pd.util.hash_pandas_object(part[['session', 'query']], index=False).to_numpy())
        if timed:
            times.append(part['time'])
        queries.append(part['query'] if places is not None else part['query'].iloc[:0])
    time = pd.concat(times, ignore_index=True).to_numpy() if timed else None
    owner = pd.factorize(np.concatenate(owners))[0]
    return _kept(owner, np.concatenate(ranks), time, pd.concat(queries, ignore_index=True), places)


def _columns(table: pd.DataFrame, timed: bool) -> pd.DataFrame:
    """Columns session, query, rank, time of the rows with a click."""
    known = {str(column).lower(): column for column in reversed(list(table.columns))}
    named = {}
    for column, called in COLUMNS.items():
        at = next((known[name] for name in called if name in known), None)
        if at is not None:
            named[at] = column
        elif column in ('session', 'query', 'rank') or (column == 'time' and timed):
            raise ValueError(f'click log: no column {column!r} (found {", ".join(map(str, table.columns))})'
                             + (", which reading='last' needs" if column == 'time' else ''))
    part = table[list(named)].rename(columns=named)
    clicked = part['rank'].notna()
    if 'clicked' in part:
        clicked &= part['clicked'].astype(float) > 0
    part = part[clicked]
    if timed and part['time'].isna().any():
        raise ValueError(f'click log: row {int(np.flatnonzero(part["time"].isna())[0])} has no time')
    return part


def _ranks_of(part: pd.DataFrame) -> Codes:
    return check_ranks(part['rank'].to_numpy()) if len(part) else np.zeros(0, dtype=np.intp)


def _kept(owner: Codes, rank: Codes, time: Any, query: Any, places: Mapping[Any, int] | None) -> _Clicks:
    """Clicks of the queries asked for, owners numbered from 0."""
    if places is None:
        return _Clicks(owner, rank, time, None)
    place = query.astype(str).map({str(name): at for name, at in places.items()}).fillna(-1).to_numpy().astype(np.intp)
    kept = place >= 0
    owner = np.unique(owner[kept], return_inverse=True)[1] if kept.any() else owner[:0]
    return _Clicks(owner, rank[kept], None if time is None else time[kept], place[kept])


def _records(records: Iterable[Any], timed: bool, places: Mapping[Any, int] | None) -> _Clicks:
    """ir_datasets' query log records: the user or session, the query, the time, and the items with clicks."""
    import pandas as pd
    from tqdm import tqdm

    owners, ranks, times, queries = array('q'), array('q'), array('d'), array('q')
    who, without = None, 0
    known = None if places is None else {str(name): at for name, at in places.items()}
    for record in tqdm(records, desc='query log', disable=None, leave=False):
        if who is None:
            who = next((name for name in ('session_id', 'user_id') if hasattr(record, name)), None)
            if who is None:
                raise ValueError(f'query log: no session_id or user_id in {type(record).__name__}')
        place = -1 if known is None else known.get(str(record.query_id), -1)
        if known is not None and place < 0:
            continue
        for position, item in enumerate(record.items, 1):
            if not getattr(item, 'clicked', True):
                continue
            rank = _rank(getattr(item, 'rank', position), record)
            if rank < 1:
                without += 1
                continue
            ranks.append(rank)
            owners.append(hash((getattr(record, who), record.query_id)))
            queries.append(place)
            if timed:
                times.append(_seconds(getattr(record, 'time', None), record))
    if without:
        warn(f'{without} of {without + len(ranks)} clicks have no rank of at least 1 and are left out')
    query = None if known is None else np.array(queries, dtype=np.intp)
    return _Clicks(pd.factorize(np.array(owners))[0], np.array(ranks, dtype=np.intp),
                   np.array(times) if timed else None, query)


def _rank(value: Any, record: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ValueError(f'query log: query {record.query_id!r} has a click at rank {value!r}, expected a whole '
                         f'number') from None


def _seconds(time: Any, record: Any) -> float:
    if isinstance(time, datetime):
        return (time.replace(tzinfo=None) - (time.utcoffset() or datetime.min - datetime.min)
                - datetime(1970, 1, 1)).total_seconds()
    try:
        return float(time)
    except (TypeError, ValueError):
        raise ValueError(f"query log: query {record.query_id!r} has the time {time!r}, which reading='last' "
                         f'needs') from None
