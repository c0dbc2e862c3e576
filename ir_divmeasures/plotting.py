"""Matplotlib axes, and the kinds of picture that several results share.

Every function that draws takes ``ax=None``, draws on these axes or on those of a new figure, and returns them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
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


def lines(
    x: Any,
    named: Mapping[str, Any],
    xlabel: str,
    ylabel: str,
    ax: Any = None,
    limits: tuple[float, float] | None = None,
) -> Any:
    """A line for each name over the same x, whole numbers or names. ``limits`` are those of the y axis."""
    ax = axes(ax)
    for i, (name, y) in enumerate(named.items()):
        ax.plot(x, y, 'os^Dv<>P'[i % 8] + '-', markersize=4, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel, ylim=limits)
    if not isinstance(x[0], str):
        ax.locator_params(axis='x', integer=True)
    legend = ax.legend(loc='upper left', bbox_to_anchor=(-0.05, -0.18), ncols=2, fontsize='small')
    return as_they_are(legend.get_texts(), ax)


def matrix(frame: Any, label: str, ax: Any = None) -> Any:
    """A square table as shaded cells with numbers."""
    ax = axes(ax)
    values = frame.to_numpy(dtype=float)
    # pcolormesh draws vector cells, which stay sharp on a page or in a paper; imshow would draw pixels
    mesh = ax.pcolormesh(values, edgecolors=ax.get_facecolor(), linewidth=1)
    for (i, j), value in np.ndenumerate(values):
        ax.text(
            j + 0.5,
            i + 0.5,
            f'{value:.2f}',
            ha='center',
            va='center',
            fontsize='small',
            color=_text_colour(mesh.to_rgba(value), ax.get_facecolor()),
        )
    places = np.arange(len(frame)) + 0.5
    ax.set(xticks=places, yticks=places, yticklabels=list(frame.index), title=label, aspect='equal')
    ax.set_xticklabels(list(frame.columns), rotation=45, ha='right', rotation_mode='anchor')
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.invert_yaxis()
    return as_they_are([*ax.get_xticklabels(), *ax.get_yticklabels()], ax)


def against(values: Any, names: Sequence[str], label: str, ax: Any = None) -> Any:
    """A point for each query at the scores of two systems, values (2, queries), and the line of equal scores."""
    ax = axes(ax, (5.5, 5.5))
    ends = [float(values.min()), float(values.max())]
    ax.plot(ends, ends, color=_ink(), linewidth=0.8)
    ax.plot(*values, 'o', alpha=0.6, markeredgewidth=0)
    ax.set(xlabel=f'{names[0]}: {label}', ylabel=f'{names[1]}: {label}', aspect='equal')
    return as_they_are([ax.xaxis.label, ax.yaxis.label], ax)


def as_they_are(texts: list[Any], ax: Any) -> Any:
    """The axes, of which some texts are drawn as they are: names with dollar signs are no formulas."""
    for text in texts:
        text.set_parse_math(False)
    return ax


def _ink() -> str:
    """The colour of text."""
    import matplotlib

    return str(matplotlib.rcParams['text.color'])


def _text_colour(colour: Any, surface: Any) -> Any:
    """The colour of text on a cell: that of other text on a light cell, else the colour of the surface."""
    red, green, blue = (
        colour[3] * np.asarray(colour[:3]) + (1 - colour[3]) * np.asarray(surface[:3])
    ).tolist()
    return _ink() if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else surface
