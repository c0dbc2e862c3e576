"""Pictures of stopping distributions, after Figures 1 and 2 of Carterette 2011."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.stopping import registries as stopping
from ..results.plotting import axes
from .fit import UNIT, fit_stopping, within_range
from .logs import observations
from .profile import UserModel, user_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = {
    'P': 'P(k)',
    'F': 'F(k)',
    1: 'M1: gain at k',
    2: 'M2: gain down to k',
    3: 'M3: 1/k',
    4: 'M4: average gain down to k',
}
"""The title of each value of ``show``."""


def plot_user_models(
    P: Iterable[str] | None = None,
    theta: float = 0.5,
    *,
    show: str | int = 'P',
    log: bool = False,
    depth: int = 20,
    grades: Any = None,
    judged: Any = None,
    rel: float = 1.0,
    clicks: Any = None,
    reading: str | Iterable[str] | None = None,
    gain: Any = 'binary',
    ax: Axes | None = None,
) -> Axes:
    """Draw P(k) or F(k) of stopping distributions, or the contribution of each stopping rank to a measure.

    Args:
        P: names of distributions. The default is all static ones, and with grades the dynamic ones too.
        theta: θ of the distributions that have it. With clicks, the maximum-likelihood θ of each one is used instead.
        show: ``'P'``, ``'F'``, or the number of a utility model (1 to 4), which needs grades. A utility model shows
            the contribution of each stopping rank; k = n + 1 is that of users who go beyond the ranking.
        log: whether the axis is logarithmic. Values of 0 are then not drawn.
        depth: number of ranks to draw.
        grades, judged, rel: a ranking, as for :func:`user_model`. Its relevant ranks are marked below the axis of P.
        clicks: observed ranks, a click log or a query log, as for :func:`fit_stopping`. The share of each rank is
            drawn with the static distributions, as in Figure 2.
        reading: reading of a click log, as for :func:`fit_stopping`. The default is both, each with its own fitted θ.
        gain: gain of a utility model, as for :meth:`UserModel.utility`.
        ax: matplotlib axes to draw on. By default a new figure is made.

    Returns:
        The matplotlib axes. ``ax.figure.savefig(path)`` writes the picture.

    Raises:
        ImportError: matplotlib is not installed (``pip install ir_divmeasures[plot]``).
        ValueError: as :func:`user_model` and :func:`fit_stopping`. Also if there is no distribution to draw, ``show``
            is none of these values, or a utility model has no grades.

    Reference: Carterette, SIGIR 2011, Figures 1 and 2.

    Examples:
        >>> ax = plot_user_models(['RBP', 'DCG', 'AP'], grades=[1, 0, 1, 1, 0])
        >>> ax.get_title(), len(ax.get_lines())  # three distributions, and the relevant ranks
        ('P(k)', 4)
        >>> plot_user_models(['RBP', 'AP'], show=4, grades=[1, 0, 1, 1, 0]).get_title()
        'M4: average gain down to k'
    """
    if show not in SHOWN or isinstance(show, bool):
        raise ValueError(f'show={show!r}: expected one of {", ".join(map(repr, SHOWN))}')
    if grades is None and isinstance(show, int):
        raise ValueError(
            f'show={show}: the contribution of a stopping rank depends on relevance; expected grades='
        )
    ax = axes(ax)
    from matplotlib.ticker import MaxNLocator

    logs = [] if clicks is None else observations(clicks, reading)
    users = _users(
        P, theta, depth, grades, judged, rel, {observed.reading: observed.rank for observed in logs}
    )
    if isinstance(show, int):
        for user, _, colour in users:
            part = user.utility(show, gain)
            _line(
                ax,
                part,
                log,
                color=colour,
                label=f'{user.name}: {part.sum():.3f}',
                marker='o',
                markersize=3,
                linestyle='--' if user.dynamic else '-',
            )
    else:
        for user, label, colour in users:
            _line(
                ax,
                getattr(user, show),
                log,
                color=colour,
                label=label,
                linestyle='--' if user.dynamic else '-',
                marker='o' if user.dynamic else None,
                markersize=3,
            )
        n = users[0][0].depth
        for observed, marker in zip(logs, '.x'):
            share = np.bincount(np.minimum(observed.rank, n + 1), minlength=n + 2)[1:] / len(
                observed.rank
            )
            _line(
                ax,
                (share if show == 'P' else np.cumsum(share[::-1])[::-1])[:n],
                log,
                color='k',
                marker=marker,
                linestyle='',
                label='clicks' if len(logs) == 1 else f'clicks, {observed.reading}',
            )
        relevant = users[0][0].relevant
        if relevant is not None and show == 'P' and not log:
            ranks = np.flatnonzero(relevant) + 1
            ax.plot(
                ranks,
                np.full(len(ranks), -0.02),
                'k^',
                markersize=4,
                clip_on=False,
                label='relevant',
            )
    if log:
        ax.set_yscale('log')
    ax.set(
        title=SHOWN[show] + ', log scale' * log,
        xlabel='stopping rank k' if isinstance(show, int) else 'rank k',
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(fontsize='small')
    return ax


def _users(
    P: Iterable[str] | None,
    theta: float,
    depth: int,
    grades: Any,
    judged: Any,
    rel: float,
    clicks: dict[str, Any],
) -> list[tuple[UserModel, str, str]]:
    """The users to draw, each with its label and colour.

    With clicks (reading → ranks), a distribution with θ gives one user for each reading, with the fitted θ.
    """
    names = (
        [P]
        if isinstance(P, str)
        else list(P)
        if P is not None
        else [
            name
            for name in stopping.complete()
            if grades is not None or not stopping.get(name).dynamic
        ]
    )
    if not names:
        raise ValueError('no distribution to draw')
    fitted: dict[str, dict[str, float]] = {}
    for name in names:
        if not stopping.get(name).dynamic and stopping.get(name).takes_theta:
            by_reading = {
                reading: float(fit_stopping(rank, [name], n_resamples=0, folds=0)['theta'].iloc[0])
                for reading, rank in clicks.items()
            }
            fitted[name] = {
                reading: within_range(value, UNIT)
                for reading, value in by_reading.items()
                if not np.isnan(value)
            }
    users: list[tuple[UserModel, str, str]] = []
    for name in names:
        for reading, value in (fitted.get(name) or {'': theta}).items():
            user = user_model(
                name,
                value,
                grades=grades,
                judged=judged,
                rel=rel,
                depth=depth if grades is None else min(depth, len(grades)),
            )
            label = name if user.theta is None else f'{name}, θ={user.theta:.2g}'
            users.append(
                (
                    user,
                    f'{label} ({reading})' if reading and len(clicks) > 1 else label,
                    f'C{len(users)}',
                )
            )
    return users


def _line(ax: Axes, values: np.ndarray, log: bool, **style: Any) -> None:
    """Draw the values (n,) of one distribution at ranks 1..n. On a logarithmic scale only values above 0 are drawn."""
    ax.plot(
        np.arange(1, len(values) + 1),
        np.where(values > 0, values, np.nan) if log else values,
        **style,
    )
