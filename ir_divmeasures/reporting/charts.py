"""Charts of the page: drawn by matplotlib, put in as SVG whose colours are those of the page's style."""
from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evaluation.scores import Scores
from ..meta.agreement import Correlations
from ..meta.resampling import t_interval
from ..pools.campaign import PICTURES
from ..results.plotting import axes, bars, lines, matrix, strips

TOP, MOST_LINES, MOST_MEASURES = 30, 8, 12
"""Most rows of a chart, lines of a chart, and measures that have charts of their own."""

_SERIES = ('#1668ad', '#b5521b', '#2f7d32', '#7b3fa0', '#8a6d00', '#00798c', '#b0306a', '#5a6570')
_COLOURS = {'#1d2329': 'var(--ink)', '#5a6571': 'var(--quiet)', '#ffffff': 'var(--surface)',
            '#b5521c': 'var(--low)', '#1668ae': 'var(--high)',
            **{colour: f'var(--series-{i})' for i, colour in enumerate(_SERIES, 1)}}
"""What is drawn in the first colour has the second in the page, which is another one in light and dark."""
_INK, _QUIET, _SURFACE, _LOW, _HIGH = list(_COLOURS)[:5]
_NOT_XML = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


class Chart(NamedTuple):
    """A chart: what it shows, and SVG that can be part of a page."""
    heading: str
    svg: str


def short(name: str, most: int = 32) -> str:
    """A name for a chart; the middle of a long one is left out.

    Examples:
        >>> short('bm25'), short('a-very-long-name-of-a-run', 11)
        ('bm25', 'a-ver…a-run')
    """
    half = (most - 1) // 2
    return name if len(name) <= most else f'{name[:most - 1 - half]}…{name[-half:]}'


def _named(names: Iterable[str]) -> list[str]:
    return [short(name) for name in names]


def _rows(names: Sequence[str]) -> tuple[float, float]:
    """The size of a chart with a row for each name, which is as wide as on a phone if names are short."""
    return 3.2 + 0.075 * max(map(len, names), default=0), 0.9 + 0.22 * min(len(names), TOP)


_LINES = 4.6, 3.8


# -------------------------------------------------------------------------------------------- what is drawn

def of_means(scores: Scores) -> list[Chart]:
    """For each measure the means of the best systems; whiskers are 95 % confidence intervals, if there are queries."""
    import pandas as pd

    charts = []
    for values, measure in zip(scores.values.transpose(2, 0, 1)[:MOST_MEASURES], scores.measures):
        best = np.argsort(-values.mean(axis=1), kind='stable')[:TOP]
        frame = pd.DataFrame({'mean': values[best].mean(axis=1)}, index=_named(scores.systems[s] for s in best))
        if values.shape[1] > 1:
            frame['low'], frame['high'] = t_interval(values[best], 0.95)
        charts.append(_chart(measure, partial(bars, frame, 'mean', 'mean'), _rows(frame.index)))
    return charts


def of_differences(scores: Scores, baseline: int) -> list[Chart]:
    """For each measure the best systems' differences to a baseline: a dot for each query, the mean, its interval."""
    charts = []
    for values, measure in zip(scores.values.transpose(2, 0, 1)[:MOST_MEASURES], scores.measures):
        others = [s for s in np.argsort(-values.mean(axis=1), kind='stable').tolist() if s != baseline][:TOP]
        differences, names = values[others] - values[baseline], _named(scores.systems[s] for s in others)
        label = f'difference to {short(scores.systems[baseline])}'
        draw = partial(strips, names, differences, t_interval(differences, 0.95), label, colours=(_HIGH, _LOW))
        charts.append(_chart(measure, draw, _rows(names)))
    return charts


def of_coverage(coverage: NDArray[np.float64], systems: Sequence[str]) -> Chart:
    """The mean coverage by rank of the systems that cover most."""
    best = np.lexsort(tuple(-coverage.T))[:MOST_LINES]  # by the last rank, then by those before
    named = {short(systems[s]): coverage[s] for s in best}
    return _chart('Mean coverage by rank', partial(lines, np.arange(1, coverage.shape[1] + 1), named, 'rank',
                                                   'share of the subtopics covered', limits=(0, 1.02)), _LINES)


def of_correlations(found: Correlations) -> Chart:
    """How alike measures rank the systems."""
    frame = found.to_frame().rename(index=lambda name: short(name, 32), columns=lambda name: short(name, 32))
    side = 1.8 + 0.5 * len(frame)
    return _chart('Kendall’s τ between the means of the systems', partial(
        matrix, frame, '', limits=(-1, 1), colours=_shades()), (side + 0.8, side))


def _shades() -> Any:
    """From one colour of the page over its surface to the other."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    return LinearSegmentedColormap.from_list('shades', [(0, to_rgba(_LOW)), (0.5, to_rgba(_LOW, 0)),
                                                        (0.5, to_rgba(_HIGH, 0)), (1, to_rgba(_HIGH))])


def of_pool(name: str, table: Any, heading: str) -> Chart | None:
    """The chart of a table of :func:`ir_divmeasures.pools.campaign.tables`, if it has one."""
    if name not in PICTURES:
        return None
    columns = [column for column in ('system', 'group') if column in table]
    drawn = table.assign(**{column: _named(table[column]) for column in columns})
    rows = columns and name != 'union'
    size = _rows(drawn[columns[0]].tolist()) if rows else _LINES
    return _chart(heading, partial(PICTURES[name], drawn), size)


# ------------------------------------------------------------------------------------------ SVG for the page

def _chart(heading: str, draw: Callable[..., Any], size: tuple[float, float]) -> Chart:
    """What a function draws on axes of a size in inches, as SVG that is part of the page."""
    axes()  # an ImportError that says which extra is needed
    import matplotlib
    from cycler import cycler

    style: Any = {
        'svg.fonttype': 'none', 'svg.hashsalt': 'report', 'text.parse_math': False, 'text.usetex': False,
        'axes.formatter.use_mathtext': False, 'font.size': 9.5, 'figure.facecolor': 'none', 'axes.facecolor': _SURFACE,
        'axes.edgecolor': _QUIET, 'axes.labelcolor': _INK, 'text.color': _INK, 'xtick.color': _QUIET,
        'ytick.color': _QUIET, 'xtick.labelcolor': _INK, 'ytick.labelcolor': _INK, 'axes.grid': False,
        'axes.spines.top': False, 'axes.spines.right': False, 'legend.frameon': False,
        'axes.prop_cycle': cycler(color=_SERIES)}
    with matplotlib.rc_context(style), warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)  # of glyphs that matplotlib's own font lacks: the browser has them
        ax = axes(None, size)
        draw(ax=ax)
        written = io.StringIO()
        ax.figure.savefig(written, format='svg', metadata={'Date': None})
    return Chart(heading, _for_page(_NOT_XML.sub('\ufffd', written.getvalue()), heading))


def _for_page(text: str, said: str) -> str:
    """An SVG file of matplotlib's as a part of the page.

    Style attributes, which the content security policy forbids, become presentation attributes, colours those of the
    page, and of ids only those that are used stay.
    """
    from lxml import etree

    root = etree.fromstring(text.encode(), etree.XMLParser(remove_comments=True, resolve_entities=False))
    for unwanted in root.xpath('//*[local-name()="metadata" or local-name()="style"]'):
        unwanted.getparent().remove(unwanted)
    chart = hashlib.sha256(f'{said}{text}'.encode()).hexdigest()[:12]
    used: dict[str, str] = {}
    for element in root.iter():
        for name, value in _presentation(element.attrib.pop('style', '')):
            element.set(name, _COLOURS.get(value, value))
        link = element.attrib.pop('{http://www.w3.org/1999/xlink}href', None)
        if link is not None:
            element.set('href', link)
        for value in element.attrib.values():
            for found in re.findall(r'^#(.+)|^url\(#(.+)\)', value):
                used.setdefault(''.join(found), f'{chart}-{len(used)}')
    for element in root.iter():
        old = element.attrib.pop('id', None)
        if old in used:
            element.set('id', used[old])
        for name, value in element.attrib.items():
            element.set(name, re.sub(r'^(#|url\(#)([^)]+)', lambda found: found[1] + used[found[2]], value)
                        if value.startswith(('#', 'url(#')) and name in ('href', 'clip-path') else value)
    for group in root.iter('{*}g'):
        _hoist(group)
    width, height = root.get('viewBox').split()[2:]
    for name, size in (('width', width), ('height', height)):
        root.set(name, f'{float(size) * 4 / 3:.0f}')  # points are 4/3 pixels
    root.set('role', 'img')
    root.set('aria-label', _NOT_XML.sub('\ufffd', said))
    return str(etree.tostring(root, encoding='unicode', with_tail=False))


def _presentation(style: str) -> list[tuple[str, str]]:
    """A style attribute as presentation attributes; of fonts only the size."""
    found = []
    for declaration in filter(None, map(str.strip, style.split(';'))):
        name, value = map(str.strip, declaration.split(':', 1))
        if name == 'font':
            name, value = 'font-size', re.search(r'[\d.]+px', value)[0]  # type: ignore[index]
        if name != 'font-family':
            found.append((name, value))
    return found


def _hoist(group: Any) -> None:
    """What all markers of a group have in common is said once."""
    markers = list(group)
    if len(markers) < 2 or any(not marker.tag.endswith('}use') for marker in markers):
        return
    for name, value in [*markers[0].attrib.items()]:
        if name not in ('href', 'x', 'y') and all(marker.get(name) == value for marker in markers):
            group.set(name, value)
            for marker in markers:
                del marker.attrib[name]


__all__ = ['Chart', 'of_correlations', 'of_coverage', 'of_differences', 'of_means', 'of_pool', 'short']
