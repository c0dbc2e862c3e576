"""Curves as SVG within a page: text and axes take the colour of the page, light or dark (``docs/static/site.css``).

:func:`family_pictures` draws a family, :func:`measure_pictures` one measure with what its parameters change.
"""

from __future__ import annotations

import html
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir_divmeasures import measures
from ir_divmeasures.core.parameters import Choice, Parameter, Range
from ir_divmeasures.core.registry import DivMeasure

from .families import (
    DEPTH,
    FAMILIES,
    HIGHEST,
    Curves,
    Family,
    discount,
    graded,
    judged_for,
    redundancy,
    together,
)

COLOURS = (
    '#3b7dd8',
    '#e0701b',
    '#2e9e5b',
    '#d0417e',
    '#8a63d2',
    '#10869c',
    '#a8860a',
    '#d64545',
    '#6b7f99',
    '#8c6d46',
)
"""Legible on white and on black."""
Lines = list[tuple[str, int, NDArray[np.float64]]]


@dataclass(frozen=True)
class Panel:
    """What one picture of a measure shows.

    Attributes:
        title: of the picture.
        x, y: its axes.
        of: curves of measures, as families make them.
        says: the word for the picture in the table of parameters.
        top: the largest value shown.
    """

    title: str
    x: str
    y: str
    of: Callable[[list[str]], Curves]
    says: str
    top: float = 1.05


def panels(family: Family, judged: Callable[[dict[str, Any]], Any]) -> list[Panel]:
    """The pictures of a measure of a family: by rank, by repetition or what the family looks at, and by grade."""
    found = [
        Panel(
            'One relevant document, by its rank',
            'rank',
            'share of what it adds at rank 1',
            lambda names: discount(names, judged),
            'rank',
        ),
        Panel(
            'Documents for the same aspect',
            'j-th relevant document for the same aspect',
            'share of what it adds if it is first',
            lambda names: redundancy(names, judged),
            'repetition',
            max(family.top, 1.05),
        ),
    ]
    if family.second is not None:
        found[1] = Panel(
            'Documents that differ',
            family.x,
            family.y,
            family.second,
            'documents that differ',
            family.top,
        )
    return [
        *found,
        Panel(
            'One document at rank 1, by its grade',
            'grade',
            f'share of what grade {HIGHEST} adds',
            lambda names: graded(names, judged),
            'grade',
        ),
    ]


def curves(panel: Panel, names: list[str]) -> Curves:
    """The curves of measures in a panel; those that cannot be computed, or are not finite, are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            found = panel.of(names)
        except ValueError:
            found = {}
            for name in names if len(names) > 1 else []:
                found |= curves(panel, [name])
    return {name: values for name, values in found.items() if np.isfinite(values).all()}


def variants(made: DivMeasure) -> dict[str, list[str]]:
    """Parameter → the measure with other values of it: all other choices, or a smaller and a larger number."""
    found: dict[str, list[str]] = {}
    for name in made.own_params:
        for value in values_of(made.SUPPORTED_PARAMS[name]):
            try:
                (other,) = measures(f'{made.NAME}({name}={value!r})')
            except (TypeError, ValueError):
                continue  # goes only with another parameter
            if other.marked is None and other != made:
                found.setdefault(name, []).append(f'{made.NAME}({name}={value!r})')
    return found


def values_of(known: Parameter) -> list[Any]:
    """Other values of a parameter than its default: up to three choices, or a smaller and a larger number."""
    if isinstance(known.admits, Choice):
        return [value for value in known.admits.names if value != known.default][:3]
    if known.dtype is bool:
        return [not known.default]
    if (
        not isinstance(known.admits, Range)
        or known.dtype not in (int, float)
        or isinstance(known.default, str)
    ):
        return []
    if known.default is None:
        return [float(HIGHEST)] if known.name == 'max_rel' else []
    default, low, high = float(known.default), known.admits.low, known.admits.high
    if (low, high) == (0, 1):
        steps = [0.2, 0.5, 0.8, 0.95]
    else:
        steps = [default / 4, default * 4] if default else [1.0]
        steps = [*np.arange(low, high + 1)] if high - low < 5 else steps
    steps = [step for step in steps if step in known.admits and step != default]
    below, above = [s for s in steps if s < default][-1:], [s for s in steps if s > default][:1]
    return [
        int(round(step)) if known.dtype is int else float(f'{step:.3g}') for step in below + above
    ]


@dataclass(frozen=True)
class Drawn:
    """The pictures of a measure.

    Attributes:
        pictures: SVG.
        changes: parameter → the pictures in which its values move the curve; '' if there are none.
        flat: which of ``'rank'``, ``'repetition'`` and ``'grade'`` make no difference.
    """

    pictures: list[str]
    changes: dict[str, str]
    flat: tuple[str, ...]


def measure_pictures(made: DivMeasure) -> Drawn:
    """What rank, repetition and grade are worth to a measure, and what its parameters change."""
    family, others = FAMILIES[made.family], variants(made)
    asked = [made.NAME, *dict.fromkeys(name for names in others.values() for name in names)]
    pictures, moved, flat = [], {name: [] for name in others}, []
    for kind, panel in zip(('rank', 'repetition', 'grade'), panels(family, judged_for(made))):
        found = curves(panel, asked)
        if made.NAME not in found:
            continue
        own = found[made.NAME]
        if np.allclose(own, own[-1 if kind == 'grade' else 0], rtol=1e-6):
            flat.append(kind)
        moving = {
            name: values
            for name, values in found.items()
            if name == made.NAME or not np.allclose(values, own, atol=0.005)
        }
        for parameter, names in others.items():
            if any(name in moving for name in names):
                moved[parameter].append(panel.says)
        top = max(panel.top, 1.05) if max(own) > 1.05 else 1.05
        lines: Lines = [
            (', '.join(label(made, name) for name in names), i, values)
            for i, (names, values) in enumerate(together(moving))
        ]
        pictures.append(svg(lines[:8], f'{made.NAME}: {panel.title}', **axes(panel, top, own)))
    return Drawn(pictures, {name: ', '.join(said) for name, said in moved.items()}, tuple(flat))


def label(made: DivMeasure, name: str) -> str:
    """How a line is called: the measure, or the parameter that differs."""
    return made.NAME if name == made.NAME else name[len(made.NAME) + 1 : -1]


def axes(panel: Panel, top: float, values: NDArray[np.float64]) -> dict[str, Any]:
    """Further arguments of :func:`svg`."""
    ticks = np.arange(1, len(values) + 1) if len(values) <= DEPTH else None
    return {
        'title': panel.title,
        'xlabel': panel.x,
        'ylabel': panel.y,
        'ylim': (0.0, top),
        'xticks': ticks,
    }


def family_pictures(name: str) -> list[str]:
    """The two pictures of a family as SVG; measures with the same curve share a line."""
    family = FAMILIES[name]
    right = family.right or family.left
    second = (family.second or (lambda names: redundancy(names, family.judged)))(right)
    first, other, _ = panels(family, family.judged)
    drawn = []
    for panel, found in ((first, discount(family.left, family.judged)), (other, second)):
        lines: Lines = [
            (', '.join(names), place(family, names[0]), values) for names, values in together(found)
        ]
        top = 1.05 if panel is first else family.top
        drawn.append(svg(lines, f'{name}: {panel.title}', **axes(panel, top, lines[0][2])))
    return drawn


def place(family: Family, name: str) -> int:
    """A measure's number in a family: its colour and marker."""
    return list(dict.fromkeys([*family.left, *family.right])).index(name)


WIDTH, LEFT, RIGHT, ABOVE, HEIGHT, ROW = 360, 44, 10, 26, 160, 17
"""Of a picture in its own units, which are about pixels on a phone: all, margins, the height of the axes, a line."""
MARKERS = {  # drawn around (0, 0)
    'circle': 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0',
    'square': 'M-2.7-2.7h5.4v5.4h-5.4z',
    'triangle': 'M0-3.5L3.2 2.5H-3.2z',
    'diamond': 'M0-3.8L3.8 0L0 3.8L-3.8 0z',
    'bar': 'M-1.2-3.8h2.4v7.6h-2.4z',
}


def svg(
    lines: Lines,
    described: str,
    *,
    title: str,
    xlabel: str,
    ylabel: str,
    ylim: tuple[float, float],
    xticks: NDArray[np.int64] | None = None,
) -> str:
    """Lines with their legend as an ``<svg>`` element that is as wide as its place.

    matplotlib takes a quarter of a second for such a picture, and there are three hundred of them.

    Args:
        lines: label, number of the colour and marker, and values from rank 1 down, or from 0 to 1.
        described: for screen readers.
        title: above the axes; ``ylabel`` is written there too.
        xlabel: below them.
        ylim: the least and the largest value shown; lines leave the picture above.
        xticks: where the values are; by default in equal steps from 0 to 1.
    """
    labels = [(textwrap.wrap(name, 50, break_long_words=False), i) for name, i, _ in lines]
    height = ABOVE + HEIGHT + 42 + ROW * sum(len(rows) for rows, _ in labels)
    ticks = np.linspace(0, 1, 6) if xticks is None else xticks
    start, end = float(ticks[0]), float(ticks[-1])

    def x(value: float) -> str:
        return f'{LEFT + 8 + (WIDTH - LEFT - RIGHT - 16) * (value - start) / (end - start):.1f}'

    def y(value: float) -> str:
        return f'{ABOVE + HEIGHT * (1 - (value - ylim[0]) / (ylim[1] - ylim[0])):.1f}'

    clip = re.sub(r'\W', '-', described)
    parts = [
        f'<svg class="curves" role="img" viewBox="0 0 {WIDTH} {height}" xmlns="http://www.w3.org/2000/svg">',
        f'<title>{html.escape(described)}</title>',
        f'<clipPath id="{clip}"><rect x="{LEFT}" y="{ABOVE - 4}" width="{WIDTH - LEFT - RIGHT}" '
        f'height="{HEIGHT + 8}"/></clipPath>',
        f'<text class="title" x="{LEFT}" y="14">{html.escape(title)}</text>',
    ]
    step = next(step for step in (0.2, 0.5, 1, 2, 5) if (ylim[1] - ylim[0]) / step <= 6)
    for value in np.arange(np.ceil(ylim[0] / step) * step, ylim[1] + 1e-9, step):
        parts.append(
            f'<path class="grid" d="M{LEFT} {y(value)}H{WIDTH - RIGHT}"/>'
            f'<text class="end" x="{LEFT - 6}" y="{float(y(value)) + 4:.1f}">{value:g}</text>'
        )
    for value in ticks:
        parts.append(
            f'<text class="middle" x="{x(value)}" y="{ABOVE + HEIGHT + 16}">{value:g}</text>'
        )
    middle = ABOVE + HEIGHT / 2
    parts += [
        f'<path class="axis" d="M{LEFT} {ABOVE}V{ABOVE + HEIGHT}H{WIDTH - RIGHT}"/>',
        f'<text class="middle" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{ABOVE + HEIGHT + 32}">'
        f'{html.escape(xlabel)}</text>',
        f'<text class="middle" transform="translate(11 {middle:.0f}) rotate(-90)">{html.escape(ylabel)}</text>',
    ]
    marks = list(MARKERS.values())
    for _, i, values in reversed(lines):  # the first one on top
        places = ticks if xticks is not None else np.linspace(0, 1, len(values))
        points = [f'{x(at)} {y(value)}' for at, value in zip(places, values)]
        dots = ''.join(
            f'<path transform="translate({point})" d="{marks[i % len(marks)]}"/>'
            for point in points
        )
        parts.append(
            f'<g clip-path="url(#{clip})" style="color:{COLOURS[i % len(COLOURS)]}">'
            f'<path class="line" d="M{"L".join(points)}"/>{dots}</g>'
        )
    down = ABOVE + HEIGHT + 52
    for rows, i in labels:
        parts.append(
            f'<g style="color:{COLOURS[i % len(COLOURS)]}"><path class="line" d="M{LEFT} {down - 4}h22"/>'
            f'<path transform="translate({LEFT + 11} {down - 4})" d="{marks[i % len(marks)]}"/></g>'
        )
        for row in rows:
            parts.append(f'<text x="{LEFT + 30}" y="{down}">{html.escape(row)}</text>')
            down += ROW
    return '\n'.join([*parts, '</svg>'])


__all__ = ['Drawn', 'family_pictures', 'measure_pictures', 'svg', 'values_of', 'variants']
