"""Where users of a log stopped and went on, with bands, and the fitted distributions beside it."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..results.plotting import axes
from .conversion import VIEWS, convert
from .fit import candidates, check_depth, check_level, fit_stopping, within
from .logs import observations, patterns

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


def observed_stopping(clicks: Any, *, reading: str | Iterable[str] | None = None, depth: int | None = None,
                      confidence_level: float = 0.95) -> pd.DataFrame:
    """The empirical P(i), F(i) and continuation Ĉ(i) of a log: of those who reached rank i, the share that went on.

    Ĉ(i) = observations at ranks > i / observations at ranks ≥ i. Bands are Wilson's score intervals; where a query
    session has several observations they count as fewer, by the variance of the ratio between sessions.

    Args:
        clicks, reading, depth: as for :func:`fit_stopping`; within a depth, shares are of those who stop there.
        confidence_level: of the bands, rank by rank.

    Returns:
        DataFrame ``reading, rank, at_risk, P, P_low, P_high, F, F_low, F_high, C, C_low, C_high`` for ranks 1 to the
        deepest observed one, ``at_risk`` the observations at that rank or a deeper one.

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
        rows, reached = [], n
        for rank in range(1, columns.shape[1] + 1):
            here = columns[:, [rank - 1]].toarray().ravel()
            beyond = reached - here
            bands = [_share(part, whole, times, confidence_level)
                     for part, whole in ((here, n), (reached, n), (beyond, reached))]
            rows.append([rank, int(times @ reached), *(x for band in bands for x in band)])
            reached = beyond
        names = [f'{view}{end}' for view in 'PFC' for end in ('', '_low', '_high')]
        tables.append(pd.DataFrame(rows, columns=['rank', 'at_risk', *names]).assign(reading=log.reading))
    table = pd.concat(tables, ignore_index=True)
    return table[['reading', *(column for column in table.columns if column != 'reading')]]


def _share(part: Array, whole: Array, times: NDArray[np.int64], confidence_level: float) -> tuple[float, float, float]:
    """Σ part / Σ whole over the sessions, and Wilson's interval with the effective number of observations: that of
    independent ones whose share has the variance of this ratio."""
    from scipy.stats import norm

    n = float(times @ whole)
    p = float(times @ part) / n
    variance = float(times @ (part - p * whole) ** 2) / n ** 2
    effective = p * (1 - p) / variance if variance > 0 else float(times @ (whole > 0))
    z = norm.ppf((1 + confidence_level) / 2)
    centre, spread = p + z * z / (2 * effective), z * np.sqrt(p * (1 - p) / effective + (z / (2 * effective)) ** 2)
    scale = 1 + z * z / effective
    return p, max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)


def plot_fit(clicks: Any, P: Iterable[str] | None = None, *, C: Iterable[str] = (), show: str = 'C',
             reading: str | Iterable[str] | None = None, depth: int | None = None, shown_depth: int = 20,
             log: bool = False, confidence_level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw what a log says of its users, with bands, and the fitted distributions; both readings in one picture.

    Args:
        clicks, P, C, reading, depth: as for :func:`fit_stopping`, static distributions only. Within a depth the lines
            are those of users who stop there, too.
        show: ``'C'`` the share that goes on from a rank, ``'P'`` the share that stops there, ``'F'`` the share that
            reaches it.
        shown_depth: ranks to draw.
        log: a logarithmic axis; values of 0 are left out.
        confidence_level: of the bands.
        ax: matplotlib axes to draw on; by default a new figure's.

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
    logs = [within(one, depth) for one in observations(clicks, reading)]
    every = len(logs) > 1
    for number, one in enumerate(logs):
        marker, style = ('o', '-') if number == 0 else ('s', '--')
        table = observed_stopping(_as_table(one), reading='every', depth=depth, confidence_level=confidence_level)
        table = table[table['rank'] <= shown_depth]
        if show == 'C':  # nobody goes on from the deepest rank of a log
            table = table[table['C'] > 0]
        middle = table[show].to_numpy()
        ends = np.abs(table[[f'{show}_low', f'{show}_high']].to_numpy().T - middle)
        ax.errorbar(table['rank'] + 0.12 * number, middle, yerr=ends, fmt=marker, color='k' if number == 0 else 'grey',
                    markersize=4, linewidth=1, label=f'clicks, {one.reading}' if every else 'clicks')
        fit = fit_stopping(_as_table(one), P, C=C, reading='every', depth=depth, n_resamples=0, folds=0)
        for i, (name, model) in enumerate(models.items()):
            row = fit[fit['P'] == name].iloc[0]
            values = {each: float(row[each]) for each in model.free}
            at = model.by_rank(values, int(depth or shown_depth), None)
            at = at / at.sum() if depth is not None else at
            line = convert(np.clip(at, 0, 1), 'P', show)[:shown_depth]
            fitted = ', '.join([name, *(f'{each}={value:.2g}' for each, value in values.items())])
            ax.plot(np.arange(1, len(line) + 1), np.where(line > 0, line, np.nan) if log else line, style,
                    color=f'C{i}', label=f'{fitted} ({one.reading})' if every else fitted)
    if log:
        ax.set_yscale('log')
    ax.set(title=VIEWS[show], xlabel='rank k')
    ax.legend(fontsize='small')
    return ax


def _as_table(log: Any) -> pd.DataFrame:
    """Observations as a click table again, each a click."""
    import pandas as pd

    return pd.DataFrame({'session': log.owner, 'query': 0, 'rank': log.rank})
