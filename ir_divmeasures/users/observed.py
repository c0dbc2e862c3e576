"""Observed stopping and continuation of the users of a log, compared with fitted distributions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..results.plotting import axes
from .conversion import VIEWS, convert
from .fit import candidates, check_depth, check_level, fit_stopping, within, within_range
from .logs import observations, patterns

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


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
        clicks, reading, depth: as for :func:`fit_stopping`. With a depth, shares are of the users who stop within it.
        confidence_level: of the interval at each rank.

    Returns:
        DataFrame ``reading, rank, at_risk, P, P_low, P_high, F, F_low, F_high, C, C_low, C_high`` for ranks 1 to the
        deepest observed one. ``at_risk`` is the number of observations at that rank or a deeper one.

    Raises:
        TypeError, ValueError: as :func:`fit_stopping`.

    Examples:
        >>> observed_stopping([1, 1, 2, 1, 3, 4])[['rank', 'at_risk', 'P', 'F', 'C']].round(3)
           rank  at_risk      P      F      C
        0     1        6  0.500  1.000  0.500
        1     2        3  0.167  0.500  0.667
        2     3        2  0.167  0.333  0.500
        3     4        1  0.167  0.167  0.000
    """
    import pandas as pd

    check_depth(depth)
    check_level(confidence_level)
    tables = []
    for log in observations(clicks, reading):
        log = within(log, depth)
        distinct, times = patterns(log.owner, log.rank - 1, int(log.rank.max()))
        columns, n = distinct.tocsc(), np.asarray(distinct.sum(axis=1)).ravel()
        rows, n_reaching = [], n
        for rank in range(1, columns.shape[1] + 1):
            n_stopping = columns[:, [rank - 1]].toarray().ravel()
            beyond = n_reaching - n_stopping
            bands = [
                _share(part, whole, times, confidence_level)
                for part, whole in ((n_stopping, n), (n_reaching, n), (beyond, n_reaching))
            ]
            rows.append([rank, int(times @ n_reaching), *(x for band in bands for x in band)])
            n_reaching = beyond
        names = [f'{view}{end}' for view in 'PFC' for end in ('', '_low', '_high')]
        tables.append(
            pd.DataFrame(rows, columns=['rank', 'at_risk', *names]).assign(reading=log.reading)
        )
    table = pd.concat(tables, ignore_index=True)
    return table[['reading', *(column for column in table.columns if column != 'reading')]]


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
    centre, spread = (
        p + z * z / (2 * effective),
        z * np.sqrt(p * (1 - p) / effective + (z / (2 * effective)) ** 2),
    )
    scale = 1 + z * z / effective
    return p, max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)


def plot_fit(
    clicks: Any,
    P: Iterable[str] | None = None,
    *,
    C: Iterable[str] = (),
    show: str = 'C',
    reading: str | Iterable[str] | None = None,
    depth: int | None = None,
    shown_depth: int = 20,
    log: bool = False,
    confidence_level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the observed stopping of a log with intervals, and the fitted distributions, for each reading.

    Args:
        clicks, P, C, reading, depth: as for :func:`fit_stopping`, static distributions only. With a depth the lines,
            too, are those of users who stop within it.
        show: ``'C'`` for the share that goes on from a rank, ``'P'`` for the share that stops there, or ``'F'`` for
            the share that reaches it.
        shown_depth: number of ranks to draw.
        log: whether the axis is logarithmic. Values of 0 are then not drawn.
        confidence_level: of the intervals.
        ax: matplotlib axes to draw on. By default a new figure is made.

    Returns:
        The matplotlib axes.

    Reference: Carterette, SIGIR 2011, Figure 2.

    Examples:
        >>> ax = plot_fit([1, 1, 2, 1, 3, 4], ['RBP', 'RR'], show='P')
        >>> sorted(line.get_label() for line in ax.get_lines() if line.get_label()[0] != '_')
        ['RBP, theta=0.5', 'RR']
    """
    if show not in ('C', 'P', 'F'):
        raise ValueError(f"show={show!r}: expected 'C', 'P' or 'F'")
    ax = axes(ax)
    models = {model.name: model for model in candidates(P, C, False)}
    check_depth(depth)
    logs = [within(observed, depth) for observed in observations(clicks, reading)]
    every = len(logs) > 1
    for number, observed in enumerate(logs):
        marker, style = ('o', '-') if number == 0 else ('s', '--')
        table = observed_stopping(
            _as_table(observed), reading='every', depth=depth, confidence_level=confidence_level
        )
        table = table[table['rank'] <= shown_depth]
        if show == 'C':  # nobody goes on from the deepest rank of a log
            table = table[table['C'] > 0]
        middle = table[show].to_numpy()
        ends = np.abs(table[[f'{show}_low', f'{show}_high']].to_numpy().T - middle)
        ax.errorbar(
            table['rank'] + 0.12 * number,
            middle,
            yerr=ends,
            fmt=marker,
            color='k' if number == 0 else 'grey',
            markersize=4,
            linewidth=1,
            label=f'clicks, {observed.reading}' if every else 'clicks',
        )
        fit = fit_stopping(
            _as_table(observed), P, C=C, reading='every', depth=depth, n_resamples=0, folds=0
        )
        for i, (name, model) in enumerate(models.items()):
            row = fit[fit['P'] == name].iloc[0]
            if row['status'] in ('free', 'impossible'):  # no line is its own
                continue
            values = {
                parameter: within_range(float(row[parameter]), where)
                for parameter, where in model.free.items()
            }
            P_by_rank = model.by_rank(values, int(depth or shown_depth), None)
            P_by_rank = P_by_rank / P_by_rank.sum() if depth is not None else P_by_rank
            line = convert(np.clip(P_by_rank, 0, 1), 'P', show)[:shown_depth]
            fitted = ', '.join(
                [name, *(f'{parameter}={value:.2g}' for parameter, value in values.items())]
            )
            ax.plot(
                np.arange(1, len(line) + 1),
                np.where(line > 0, line, np.nan) if log else line,
                style,
                color=f'C{i}',
                label=f'{fitted} ({observed.reading})' if every else fitted,
            )
    if log:
        ax.set_yscale('log')
    ax.set(title=VIEWS[show], xlabel='rank k')
    ax.legend(fontsize='small')
    return ax


def _as_table(log: Any) -> pd.DataFrame:
    """Observations as a click table with one row for each."""
    import pandas as pd

    return pd.DataFrame({'session': log.owner, 'query': 0, 'rank': log.rank})
