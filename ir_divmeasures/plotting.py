"""Matplotlib axes: those that are given, or those of a new figure."""

from __future__ import annotations

from typing import Any

from .lazy import INSTALL


def panels(ax: Any, n: int, size: tuple[float, float]) -> list[Any]:
    """These matplotlib axes, one or n, or n axes side by side in a new figure, each of this size in inches.

    Raises:
        ImportError: matplotlib is not installed. The message names the extra to install.
        ValueError: the number of axes is not n.
    """
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError(f'drawing needs matplotlib: {INSTALL.format("plot")}') from None
        figure = Figure(figsize=(size[0] * n, size[1]), layout='constrained')
        return list(figure.subplots(1, n, sharey=True, squeeze=False)[0])
    listed = list(ax) if hasattr(ax, '__len__') else [ax]
    if len(listed) != n:
        raise ValueError(f'ax: {len(listed)} axes for {n} systems')
    return listed
