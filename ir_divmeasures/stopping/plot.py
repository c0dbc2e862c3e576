"""Pictures of stopping distributions, after Figures 1 and 2 of Carterette 2011."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import registry as stopping
from .fit import _ranks, fit_stopping
from .profile import UserModel, user_model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UTILITY = {1: 'M1: gain at k', 2: 'M2: gain down to k', 3: 'M3: 1/k', 4: 'M4: average gain down to k'}


def plot_user_models(P: Iterable[str] | None = None, theta: float = 0.5, *, depth: int = 20, grades: Any = None,
                     judged: Any = None, rel: float = 1.0, clicks: Any = None, models: Iterable[int] = (1, 2, 3, 4),
                     gain: str = 'binary') -> Figure:
    """Draw P(k) and F(k) of stopping distributions, linear and logarithmic, and where a ranking's utility comes from.

    Args:
        P: names of distributions; by default all static ones, and the dynamic ones where grades are given.
        theta: parameter of those that have one; with clicks each one's maximum-likelihood θ is drawn instead.
        depth: ranks to draw.
        grades, judged, rel: a ranking, as for :func:`user_model`. It adds a row of panels, one for each of ``models``,
            with what each stopping rank contributes to the measure (k = n + 1 holds the users beyond the ranking). Its
            relevant ranks are marked below the axis of the P panels.
        clicks: observed stopping or click ranks (an array) to draw with the static distributions, as in Figure 2.
        models, gain: the panels of utility.

    Returns:
        A matplotlib figure; ``figure.savefig(path)`` writes it.

    Raises:
        ImportError: matplotlib is not installed (``pip install ir_divmeasures[plot]``).
        ValueError: as :func:`user_model`; no distribution to draw.

    Reference: Carterette, SIGIR 2011, Figures 1 and 2.

    Examples:
        >>> figure = plot_user_models(['RBP', 'DCG', 'AP'], grades=[1, 0, 1, 1, 0])
        >>> [axes.get_title() for axes in figure.axes][:4]
        ['P(k)', 'P(k), log scale', 'F(k)', 'F(k), log scale']
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        raise ImportError('plot_user_models needs matplotlib: pip install ir_divmeasures[plot]') from None

    users = _users(P, theta, depth, grades, judged, rel, clicks)
    models = list(models) if grades is not None else []
    rows = 1 + bool(models)
    figure = Figure(figsize=(15, 3.6 * rows), layout='constrained')
    panels = [figure.add_subplot(rows, 4, i + 1) for i in range(4)]
    for axes, values, title in zip(panels, ('P', 'P', 'F', 'F'),
                                   ('P(k)', 'P(k), log scale', 'F(k)', 'F(k), log scale')):
        for user, label, colour in users:
            shown = getattr(user, values)
            _line(axes, shown, label, colour, user.dynamic, logarithmic='log' in title)
        if clicks is not None:
            n = users[0][0].depth
            share = np.bincount(_ranks(np.asarray(clicks).ravel()), minlength=n + 2)[1:] / np.size(clicks)
            shown = (share if values == 'P' else np.cumsum(share[::-1])[::-1])[:n]
            axes.plot(np.arange(1, n + 1), np.where(shown > 0, shown, np.nan) if 'log' in title else shown, 'k.',
                      label='clicks')
        if 'log' in title:
            axes.set_yscale('log')
        axes.set(title=title, xlabel='rank k')
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    relevant = users[0][0].relevant
    if relevant is not None:
        at = np.flatnonzero(relevant) + 1
        panels[0].plot(at, np.full(len(at), -0.02), 'k^', markersize=4, clip_on=False, label='relevant')
    panels[0].legend(fontsize='small')
    for i, model in enumerate(models[:4]):
        axes = figure.add_subplot(2, 4, 5 + i)
        width = 0.8 / len(users)
        for j, (user, _, colour) in enumerate(users):
            part = user.utility(model, gain)
            axes.bar(np.arange(1, len(part) + 1) + (j - (len(users) - 1) / 2) * width, part, width, color=colour,
                     label=f'{user.name}: {part.sum():.3f}')
        axes.set(title=UTILITY[model], xlabel='stopping rank k')
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.legend(fontsize='small')
    return figure


def _users(P: Iterable[str] | None, theta: float, depth: int, grades: Any, judged: Any, rel: float,
           clicks: Any) -> list[tuple[UserModel, str, str]]:
    """What to draw, with label and colour."""
    names = [P] if isinstance(P, str) else list(P) if P is not None else [
        name for name in stopping.names() if grades is not None or not stopping.get(name).dynamic]
    if not names:
        raise ValueError('no distribution to draw')
    fitted = {}
    static = [name for name in names if not stopping.get(name).dynamic]
    if clicks is not None and static:
        fit = fit_stopping(clicks, static, n_resamples=0)
        fitted = {row.P: row.theta for row in fit.itertuples() if np.isfinite(row.theta)}
    users = []
    for i, name in enumerate(names):
        user = user_model(name, fitted.get(name, theta), grades=grades, judged=judged, rel=rel,
                          depth=depth if grades is None else min(depth, len(grades)))
        label = name if user.theta is None else f'{name}, θ={user.theta:.2g}'
        users.append((user, label, f'C{i}'))
    return users


def _line(axes: Any, values: np.ndarray, label: str, colour: str, dynamic: bool, logarithmic: bool) -> None:
    """One distribution; on a log scale only where it is above 0."""
    rank = np.arange(1, len(values) + 1)
    shown = np.where(values > 0, values, np.nan) if logarithmic else values
    axes.plot(rank, shown, color=colour, label=label, linestyle='--' if dynamic else '-',
              marker='o' if dynamic else None, markersize=3)
