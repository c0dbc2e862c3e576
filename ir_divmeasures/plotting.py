"""Matplotlib axes, and the kinds of picture that several results share.

Every function that draws takes ``ax=None``, draws on these axes or on those of a new figure, and returns them.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from .lazy import INSTALL


def axes(ax: Any = None, size: tuple[float, float] = (7, 4.5)) -> Any:
    """These matplotlib axes, or the axes of a new figure of this size in inches.

    Raises:
        ImportError: matplotlib is not installed; names the extra to install.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(f'drawing needs matplotlib: {INSTALL.format("plot")}') from None
    return Figure(figsize=size, layout='constrained').subplots() if ax is None else ax


def svg(frame: Any) -> str:
    """A line for each column over the index, as an SVG element."""
    ax, text = axes(), io.StringIO()
    ax.plot(frame.index, frame, label=list(frame))
    ax.legend(fontsize='small')
    ax.figure.savefig(text, format='svg', metadata={'Date': None})
    return '<svg' + text.getvalue().partition('<svg')[2]


def panels(ax: Any, n: int, size: tuple[float, float]) -> list[Any]:
    """These matplotlib axes, one or n, or n axes side by side in a new figure, each of this size in inches.

    Raises:
        ValueError: the number of axes is not n.
    """
    if ax is None:
        figure = axes(None, (size[0] * n, size[1])).figure
        figure.clear()
        return list(figure.subplots(1, n, sharey=True, squeeze=False)[0])
    listed = list(ax) if hasattr(ax, '__len__') else [ax]
    if len(listed) != n:
        raise ValueError(f'ax: {len(listed)} axes for {n} systems')
    return listed


def bars(frame: Any, column: str, label: str, ax: Any = None) -> Any:
    """Horizontal bars of a column, first row on top. Columns ``low`` and ``high``, if any, become whiskers."""
    ax = axes(ax)
    places = np.arange(len(frame))
    finite = frame[column].replace(-np.inf, np.nan)
    ax.barh(places, finite)
    if 'low' in frame:
        whiskers = [(finite - frame['low']).clip(lower=0), (frame['high'] - finite).clip(lower=0)]
        ax.errorbar(finite, places, xerr=whiskers, fmt='none', color=_ink())
    ax.set(
        yticks=places,
        yticklabels=list(frame.index),
        xlabel=label,
        ylim=(len(frame) - 0.4, -0.6),
    )
    ax.tick_params(axis='y', length=0)
    ax.locator_params(axis='x', nbins=5)
    return as_they_are([ax.xaxis.label, *ax.get_yticklabels()], ax)


def as_they_are(texts: list[Any], ax: Any) -> Any:
    """The axes, of which some texts are drawn as they are: names with dollar signs are no formulas."""
    for text in texts:
        text.set_parse_math(False)
    return ax


def _ink() -> str:
    """The colour of text."""
    import matplotlib

    return str(matplotlib.rcParams['text.color'])
