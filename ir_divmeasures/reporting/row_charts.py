"""Charts with a row for each system, as SVG in the colours of the page.

The page has two of them for each measure. Drawing them takes matplotlib longer than all other charts together, since it
has an object for each tick and measures each text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROW, PLOT, FONT = 23.0, 290.0, 12.7
"""Pixels: the height of a row, the width of the plot, and the size of the font."""
NARROW, WIDE = frozenset("fijlrtI.,:;!|'()[]/- "), frozenset('mwMW@%&#~+=<>')
TOP, RIGHT, BOTTOM, TICK = 4.0, 18.0, 44.0, 5.0
"""Pixels: the margins of the plot, and the length of a tick."""
MARGIN, MOST_TICKS = 0.05, 5
"""The share of the range of values that is empty at both ends, and the largest number of intervals between ticks."""
JITTER = 0.07
"""The distance of the seven lines of dots of a row, in rows. Equal values of neighbouring queries do not hide each
other."""


class Scale(NamedTuple):
    """The places of values on the x axis.

    Attributes:
        at: the pixels of 0.
        unit: the number of pixels of 1.
        ticks: the values of the ticks, ascending.
    """

    at: float
    unit: float
    ticks: list[float]

    @classmethod
    def of(cls, values: Array, left: float, from_zero: bool = False) -> Scale:
        """A scale for 0 and all finite values, with the plot's left end at these pixels. It can begin at 0 if no value
        is below 0."""
        from matplotlib.ticker import MaxNLocator

        shown = np.append(values[np.isfinite(values)], 0.0)
        low, high = float(shown.min()), float(shown.max())
        margin = MARGIN * (high - low) or MARGIN
        low, high = low if from_zero and low == 0 else low - margin, high + margin
        unit = PLOT / (high - low)
        ticks = MaxNLocator(MOST_TICKS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return cls(left - low * unit, unit, [float(tick) for tick in ticks if low <= tick <= high])

    def x(self, value: Any) -> Any:
        """The pixels of a value, or of an array of values."""
        return self.at + self.unit * value


def bars(
    heading: str, names: Sequence[str], values: Array, intervals: Array | None, label: str
) -> str:
    """A bar for each name, the first on top, with a whisker for its interval.

    Args:
        heading: what the chart shows.
        names: (rows,) names of the rows.
        values: (rows,) values; there is no bar where one is not finite.
        intervals: (2, rows) ends of the intervals, or None.
        label: label of the values.
    """
    left = _left(names)
    scale = Scale.of(
        np.append(values, [] if intervals is None else intervals), left, from_zero=True
    )
    marks = []
    for row in np.flatnonzero(np.isfinite(values)):
        start, end = sorted((scale.x(0.0), scale.x(float(values[row]))))
        marks.append(
            f'<rect x="{start:.1f}" y="{_y(row) - 0.4 * ROW:.1f}" width="{end - start:.1f}" '
            f'height="{0.8 * ROW:.1f}" fill="var(--series-1)"/>'
        )
    if intervals is not None:
        marks.append(_whiskers(scale, intervals))
    return _svg(heading, names, label, scale, marks, left)


def dots(heading: str, names: Sequence[str], values: Array, intervals: Array, label: str) -> str:
    """A row of dots for each name, in one colour from 0 on and another below, with their mean and its interval.

    Args:
        heading: what the chart shows.
        names: (rows,) names of the rows, the first on top.
        values: (rows, dots) values.
        intervals: (2, rows) ends of the intervals of the means.
        label: label of the values.
    """
    left = _left(names)
    scale = Scale.of(np.concatenate([values.ravel(), intervals.ravel()]), left)
    x, zero = scale.x(values), scale.x(0.0)
    y = _y(np.arange(len(names))[:, None] + JITTER * (np.arange(values.shape[1]) % 7 - 3))
    marks = []
    for colour, shown in (
        ('var(--high)', np.isfinite(values) & (values >= 0)),
        ('var(--low)', np.isfinite(values) & (values < 0)),
    ):
        circles = ''.join(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.3"/>'
            for a, b in zip(x[shown].tolist(), y[shown].tolist())
        )
        marks.append(f'<g fill="{colour}" fill-opacity="0.4">{circles}</g>')
    means = values.mean(axis=1)
    diamonds = ''.join(
        f'M{a:.1f} {b - 4.6:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z'
        for a, b in zip(scale.x(means).tolist(), _y(np.arange(len(names))).tolist())
        if np.isfinite(a)
    )
    marks += [
        _whiskers(scale, intervals),
        f'<path d="{diamonds}" fill="var(--ink)"/>',
        f'<path d="M{zero:.1f} {TOP}V{_end(names):.1f}" stroke="var(--ink)" stroke-width="1"/>',
    ]
    return _svg(heading, names, label, scale, marks, left)


def _whiskers(scale: Scale, intervals: Array) -> str:
    lines = ''.join(
        f'M{start:.1f} {_y(row):.1f}H{end:.1f}'
        for row, (start, end) in enumerate(scale.x(intervals).T.tolist())
        if np.isfinite(start) and np.isfinite(end)
    )
    return f'<path d="{lines}" stroke="var(--ink)" stroke-width="2"/>'


def _svg(
    heading: str, names: Sequence[str], label: str, scale: Scale, marks: Iterable[str], left: float
) -> str:
    """The plot with its marks, between names of rows on the left and the x axis below."""
    end = _end(names)
    width, height = left + PLOT + RIGHT, end + BOTTOM
    texts = [
        _text(left - TICK, _y(row) + 0.35 * FONT, name, 'end') for row, name in enumerate(names)
    ]
    texts += [
        _text(scale.x(tick), end + TICK + FONT, text)
        for tick, text in zip(scale.ticks, _written(scale.ticks))
    ]
    texts.append(_text(left + PLOT / 2, end + TICK + 2.5 * FONT, label))
    axis = f'M{left:.1f} {TOP}V{end:.1f}H{left + PLOT:.1f}' + ''.join(
        f'M{scale.x(tick):.1f} {end:.1f}v{TICK}' for tick in scale.ticks
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 '
        f'{width:.0f} {height:.0f}" role="img" aria-label={quoteattr(heading)}>{"".join(marks)}'
        f'<path d="{axis}" fill="none" stroke="var(--quiet)" stroke-width="1"/>'
        f'<g font-size="{FONT}px" fill="var(--ink)">{"".join(texts)}</g></svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = 'middle') -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _written(ticks: Sequence[float]) -> list[str]:
    """Ticks as texts with the fewest decimals that all of them need."""
    exact = (p for p in range(12) if np.allclose(np.round(ticks, p), ticks, 0, 1e-12))
    places = next(exact, 12)
    numbers = np.round(ticks, places) + 0.0  # −0 is 0
    return [f'{number:.{places}f}'.replace('-', '−') for number in numbers]


def _y(row: Any) -> Any:
    """The pixels of the middle of a row."""
    return TOP + ROW * (row + 0.6)


def _end(names: Sequence[str]) -> float:
    """The pixels of the lower end of the plot."""
    return TOP + ROW * (len(names) + 0.2)


def _left(names: Sequence[str]) -> float:
    """The pixels that the longest name needs at most, and a tick."""
    return FONT * max((sum(map(_width, name)) for name in names), default=0.0) + 2 * TICK


def _width(character: str) -> float:
    """The largest width of a character in sizes of the font. Common fonts are narrower than DejaVu Sans."""
    if character in WIDE or unicodedata.east_asian_width(character) in 'WF':
        return 1.0
    return 0.42 if character in NARROW else 0.79 if character.isupper() else 0.65


__all__ = ['bars', 'dots']
