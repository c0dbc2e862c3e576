"""Click logs: the stopping ranks of users by query session, and the shares that they imply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import warn

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
        query: (n,) index of the query among the queries to keep; 0 without such queries.
    """

    reading: str
    owner: Codes
    rank: Codes
    query: Codes

    def keep(self, mask: NDArray[np.bool_]) -> Observations:
        """The chosen observations, (n,) true where kept. Their query sessions are numbered from 0 again."""
        owner = np.unique(self.owner[mask], return_inverse=True)[1]
        return Observations(self.reading, owner, self.rank[mask], self.query[mask])


def observations(
    clicks: Any,
    reading: str | Iterable[str] | None = None,
    queries: Iterable[Any] | None = None,
    depth: int | None = None,
) -> list[Observations]:
    """Observed stopping ranks in each reading of a log, with one warning if some are beyond the depth.

    Args:
        clicks, reading, depth: as for :func:`~ir_divmeasures.fit_stopping`.
        queries: keep clicks of these queries only, and record the query of each.
    """
    readings = (
        READINGS if reading is None else (reading,) if isinstance(reading, str) else tuple(reading)
    )
    if unknown := set(readings) - set(READINGS):
        raise ValueError(f"reading={unknown.pop()!r}: expected 'every' or 'last'")
    if depth is not None and (depth < 1 or depth != int(depth)):
        raise ValueError(f'depth={depth!r}: expected a whole number of at least 1')
    if hasattr(clicks, 'columns'):
        logs = _of_table(clicks, readings, queries)
    elif queries is not None:
        raise ValueError('relevance= needs a click log with columns session, query, rank')
    elif reading is not None and readings != ('every',):
        raise ValueError("reading='last' needs a click log with columns session, query, rank, time")
    else:
        rank = _whole_ranks(np.asarray(clicks).ravel())
        logs = [Observations('every', np.arange(len(rank)), rank, np.zeros_like(rank))]
    return logs if depth is None else [_within(log, depth) for log in logs]


def _within(log: Observations, depth: int) -> Observations:
    beyond = log.rank > depth
    if beyond.all():
        raise ValueError(
            f'all {len(beyond)} clicks ({log.reading}) are beyond depth={depth}; expected one at a rank '
            f'of at most {depth}'
        )
    if beyond.any():
        warn(
            f'{int(beyond.sum())} of {len(beyond)} clicks ({log.reading}) are ignored because they are beyond '
            f'depth={depth}'
        )
    return log.keep(~beyond)


def _of_table(
    table: pd.DataFrame, readings: Iterable[str], queries: Iterable[Any] | None
) -> list[Observations]:
    """The observations of a click table. Of clicks at the same time, the later row is the last."""
    by_name = {str(column).lower(): column for column in reversed(list(table.columns))}
    needed = {'session', 'query', 'rank', *(['time'] if 'last' in readings else [])}
    new_names = {}
    for column, synonyms in COLUMNS.items():
        source = next((by_name[name] for name in synonyms if name in by_name), None)
        if source is not None:
            new_names[source] = column
        elif column in needed:
            raise ValueError(
                f'click log: no column {column!r} (found {", ".join(map(str, table.columns))})'
                + (", which reading='last' needs" if column == 'time' else '')
            )
    part = table[list(new_names)].rename(columns=new_names)
    clicked = part['rank'].notna()
    if 'clicked' in part:
        clicked &= part['clicked'].astype(float) > 0
    part = part[clicked]
    rank = _whole_ranks(part['rank'].to_numpy())
    owner = part.groupby(['session', 'query'], sort=False, dropna=False).ngroup().to_numpy()
    query = np.zeros_like(rank)
    if queries is not None:
        places = {str(name): place for place, name in enumerate(queries)}
        query = part['query'].astype(str).map(places).fillna(-1).to_numpy().astype(np.intp)
    every = Observations('every', owner, rank, query)
    logs = []
    for reading in readings:
        log = every
        if reading == 'last':
            if part['time'].isna().any():
                row = int(np.flatnonzero(part['time'].isna())[0])
                raise ValueError(f'click log: row {row} has no time')
            by_time = np.argsort(part['time'].to_numpy(), kind='stable')
            last = np.zeros(int(owner.max()) + 1, dtype=np.intp)
            last[owner[by_time]] = by_time
            log = Observations('last', np.arange(len(last)), rank[last], query[last])
        if not (log.query >= 0).any():
            raise ValueError('no click ranks')
        logs.append(log.keep(log.query >= 0))
    return logs


def _whole_ranks(values: NDArray[Any]) -> Codes:
    if not len(values):
        raise ValueError('no click ranks')
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise TypeError(
            f'click ranks: expected whole numbers of at least 1, or a DataFrame with columns session, '
            f'query, rank; found {values[:3].tolist()}'
        ) from None
    bad = ~(numbers >= 1) | (numbers != np.floor(numbers)) | np.isinf(numbers)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f'click ranks: row {row} is {numbers[row]:g}, expected a whole number of at least 1 '
            f'({int(bad.sum())} of {len(bad)} are not)'
        )
    return numbers.astype(np.intp)


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


def check_level(confidence_level: float) -> None:
    if not 0 < confidence_level < 1:
        raise ValueError(f'confidence_level={confidence_level!r}: expected a number in (0, 1)')


def observed_stopping(
    clicks: Any,
    *,
    reading: str | Iterable[str] | None = None,
    depth: int | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """The empirical P(i), F(i) and continuation Ĉ(i) of a log.

    Ĉ(i) is the share of users at rank i who went on: observations at ranks > i / observations at ranks ≥ i. The
    intervals are Wilson's score intervals. Where a query session has several observations, the effective number of
    observations is smaller, by the variance of the ratio between sessions.

    Args:
        clicks, reading, depth: as for :func:`~ir_divmeasures.fit_stopping`. With a depth, shares are of the users who
            stop within it.
        confidence_level: of the interval at each rank.

    Returns:
        DataFrame ``reading, rank, at_risk, P, P_low, P_high, F, F_low, F_high, C, C_low, C_high`` for ranks 1 to the
        deepest observed one. ``at_risk`` is the number of observations at that rank or a deeper one.

    Examples:
        >>> observed_stopping([1, 1, 2, 1, 3, 4])[['rank', 'at_risk', 'P', 'F', 'C']].round(3)
           rank  at_risk      P      F      C
        0     1        6  0.500  1.000  0.500
        1     2        3  0.167  0.500  0.667
        2     3        2  0.167  0.333  0.500
        3     4        1  0.167  0.167  0.000
    """
    import pandas as pd

    check_level(confidence_level)
    rows = []
    for log in observations(clicks, reading, depth=depth):
        distinct, times = patterns(log.owner, log.rank - 1, int(log.rank.max()))
        columns, n = distinct.tocsc(), np.asarray(distinct.sum(axis=1)).ravel()
        n_reaching = n
        for rank in range(1, columns.shape[1] + 1):
            n_stopping = columns[:, [rank - 1]].toarray().ravel()
            beyond = n_reaching - n_stopping
            row: dict[str, Any] = {
                'reading': log.reading,
                'rank': rank,
                'at_risk': int(times @ n_reaching),
            }
            shares = {'P': (n_stopping, n), 'F': (n_reaching, n), 'C': (beyond, n_reaching)}
            for view, (part, whole) in shares.items():
                band = _share(part, whole, times, confidence_level)
                row |= dict(zip((view, f'{view}_low', f'{view}_high'), band))
            rows.append(row)
            n_reaching = beyond
    return pd.DataFrame(rows)


def _share(
    part: Array, whole: Array, times: NDArray[np.int64], confidence_level: float
) -> tuple[float, float, float]:
    """The share Σ part / Σ whole over the sessions, with the ends of Wilson's interval.

    The interval uses the effective number of observations: the number of independent observations whose share has the
    variance of this ratio.

    Args:
        part, whole: (patterns,) counts of each distinct session.
        times: (patterns,) how often each distinct session occurs.
        confidence_level: of the interval.
    """
    from scipy.stats import norm

    n = float(times @ whole)
    p = float(times @ part) / n
    variance = float(times @ (part - p * whole) ** 2) / n**2
    effective = p * (1 - p) / variance if variance > 0 else float(times @ (whole > 0))
    z = norm.ppf((1 + confidence_level) / 2)
    centre = p + z * z / (2 * effective)
    spread = z * np.sqrt(p * (1 - p) / effective + (z / (2 * effective)) ** 2)
    scale = 1 + z * z / effective
    return p, max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)
