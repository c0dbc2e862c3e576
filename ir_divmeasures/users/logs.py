"""Click logs: the stopping ranks of users by query session, and the shares that they imply."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import warn
from ..lazy import pd
from ..meta.resampling import fraction, whole

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

READINGS = ('every', 'last')


def observations(
    clicks: Any,
    reading: str | None = None,
    queries: list[Any] | None = None,
    depth: int | None = None,
) -> dict[str, pd.DataFrame]:
    """Observed stopping ranks in each reading of a log, with one warning if some are beyond the depth.

    Args:
        clicks, reading, depth: as for :func:`~ir_divmeasures.user_models.fit_stopping`.
        queries: keep clicks of these queries only.

    Returns:
        For each reading a table ``owner, rank, query``: the query session 0.., the rank from 1, and the place of the
        query among the queries to keep, 0 without such queries.
    """
    if reading not in (None, *READINGS):
        raise ValueError(f"reading={reading!r}: expected 'every' or 'last'")
    if depth is not None:
        whole(depth, 'depth')
    readings = READINGS if reading is None else (reading,)
    is_table = isinstance(clicks, pd.DataFrame)
    if not is_table:
        if queries is not None or reading == 'last':
            raise ValueError(
                "relevance= and reading='last' need a click log with columns session, query, rank, time"
            )
        readings = ('every',)
        clicks = pd.DataFrame({'rank': np.asarray(clicks).ravel(), 'query': 0})
        clicks['session'] = clicks.index
    columns = ['session', 'query', 'rank', *(['time'] if 'last' in readings else [])]
    for column in columns:
        if column not in clicks:
            raise ValueError(
                f'click log: no column {column!r} (found {", ".join(map(str, clicks.columns))})'
                + (", which reading='last' needs" if column == 'time' else '')
            )
    table = clicks[columns].dropna(subset='rank' if is_table else [], ignore_index=True)
    try:
        rank = table['rank'].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            f'click ranks: expected whole numbers of at least 1, or a DataFrame with columns session, '
            f'query, rank; found {table["rank"][:3].tolist()}'
        ) from None
    bad = np.flatnonzero(~(rank >= 1) | (rank != np.floor(rank)) | np.isinf(rank))
    if len(bad):
        raise ValueError(
            f'click ranks: row {bad[0]} is {rank[bad[0]]:g}, expected a whole number of at least 1 '
            f'({len(bad)} of {len(rank)} are not)'
        )
    owner = table.groupby(['session', 'query'], sort=False, dropna=False).ngroup()
    table = table.assign(owner=owner, rank=rank.astype(np.intp))
    places = {str(name): place for place, name in enumerate(queries or ())}
    table['query'] = 0 if queries is None else table['query'].astype(str).map(places)
    logs = {}
    for name in readings:
        log = table
        if name == 'last':
            if log['time'].isna().any():
                raise ValueError(f'click log: row {int(np.argmax(log["time"].isna()))} has no time')
            # of equal times, the later row is the last
            by_time = log.sort_values('time', kind='stable')
            log = by_time.drop_duplicates('owner', keep='last')
        log = log.dropna(subset='query').astype({'query': np.intp})
        if not len(log):
            raise ValueError('no click ranks')
        within = (log['rank'] <= (depth or np.inf)).to_numpy()
        log = kept(log, within, name, f'beyond depth={depth}')[['owner', 'rank', 'query']]
        logs[name] = log.assign(owner=np.unique(log['owner'], return_inverse=True)[1])
    return logs


def kept(log: pd.DataFrame, is_kept: NDArray[np.bool_], reading: str, why: str) -> pd.DataFrame:
    """Some observations, with one warning that the others are ignored, and why."""
    said = f'{int((~is_kept).sum())} of {len(log)} clicks ({reading}) are'
    if not is_kept.any():
        raise ValueError(f'{said} {why}, and no other is left')
    if not is_kept.all():
        warn(f'{said} ignored because they are {why}')
    return log[is_kept]


def sessions(owner: Codes, place: Codes, width: int) -> tuple[Any, NDArray[np.int64]]:
    """Distinct query sessions, since sessions with the same observations are interchangeable.

    Args:
        owner: (n,) query session of each observation.
        place: (n,) place of each observation, below ``width``.
        width: number of places.

    Returns:
        A sparse matrix (patterns, width) of the number of observations at each place, and how often each pattern
        occurs, (patterns,).
    """
    from scipy.sparse import csr_matrix

    counts = csr_matrix((np.ones(len(owner), np.uint64), (owner, place)), (owner.max() + 1, width))
    # Each place has a random 64-bit number, and the key of a session is their sum. Keys of equal sessions are equal;
    # those of different sessions are equal with probability 2⁻⁶⁴.
    key = counts @ np.random.default_rng(0).integers(0, 2**63, width, dtype=np.uint64)
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    order = np.argsort(first)
    return counts[first[order]].astype(float), times[order]


def observed_stopping(
    clicks: Any,
    *,
    reading: str | None = None,
    depth: int | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """The empirical P(i), F(i) and continuation Ĉ(i) of a log.

    Ĉ(i) is the share of users at rank i who went on: observations at ranks > i / observations at ranks ≥ i. The
    intervals are Wilson's score intervals. Where a query session has several observations, the effective number of
    observations is smaller, by the variance of the ratio between sessions.

    Args:
        clicks, reading, depth: as for :func:`~ir_divmeasures.user_models.fit_stopping`. With a depth, shares are of the users who
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
    fraction(confidence_level, 'confidence_level')
    rows = []
    for name, log in observations(clicks, reading, depth=depth).items():
        reaching = n = np.bincount(log['owner']).astype(float)
        for rank in range(1, int(log['rank'].max()) + 1):
            stopping = np.bincount(log['owner'], log['rank'] == rank)
            beyond = reaching - stopping
            row: dict[str, Any] = {'reading': name, 'rank': rank, 'at_risk': int(reaching.sum())}
            shares = {'P': (stopping, n), 'F': (reaching, n), 'C': (beyond, reaching)}
            for view, parts in shares.items():
                band = _share(*parts, confidence_level)
                row |= dict(zip((view, f'{view}_low', f'{view}_high'), band))
            rows.append(row)
            reaching = beyond
    return pd.DataFrame(rows)


def _share(part: Array, whole: Array, confidence_level: float) -> tuple[float, float, float]:
    """The share Σ part / Σ whole over the sessions, (sessions,) each, with the ends of Wilson's interval.

    The interval uses the effective number of observations: the number of independent observations whose share has the
    variance of this ratio.
    """
    from scipy.stats import norm

    p = float(part.sum() / whole.sum())
    variance = float(np.square(part - p * whole).sum()) / float(whole.sum()) ** 2
    effective = p * (1 - p) / variance if variance > 0 else float((whole > 0).sum())
    z = norm.ppf((1 + confidence_level) / 2)
    centre = p + z * z / (2 * effective)
    spread = z * np.sqrt(p * (1 - p) / effective + (z / (2 * effective)) ** 2)
    scale = 1 + z * z / effective
    return p, max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)
