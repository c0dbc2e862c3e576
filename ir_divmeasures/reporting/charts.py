"""Charts of the page as SVG. Those with a row for each system are drawn here (:mod:`.row_charts`). The others are
matplotlib's, and their colours are replaced by those of the page's style."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evaluation.joint import Joint
from ..evaluation.ranges import means
from ..evaluation.scores import Scores
from ..explanation.sensitivity import Sensitivity
from ..pools.campaign import PICTURES
from ..results import Result
from ..results.estimates import mean_over_queries
from ..results.plotting import axes, figure_class, lines, matrix
from .row_charts import bars, dots

TOP, MOST_LINES, MOST_MEASURES = 30, 8, 12
"""The largest numbers of rows of a chart, of lines of a chart, and of measures that have their own charts."""

_SERIES = ('#1668ad', '#b5521b', '#2f7d32', '#7b3fa0', '#8a6d00', '#00798c', '#b0306a', '#5a6570')
_COLOURS = {
    '#1d2329': 'var(--ink)',
    '#5a6571': 'var(--quiet)',
    '#ffffff': 'var(--surface)',
    '#b5521c': 'var(--low)',
    '#1668ae': 'var(--high)',
    **{colour: f'var(--series-{i})' for i, colour in enumerate(_SERIES, 1)},
}
"""The page's variable for each colour that matplotlib draws. Its value differs between the light and the dark style."""
_INK, _QUIET, _SURFACE, _LOW, _HIGH = list(_COLOURS)[:5]
_NOT_XML = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


class Chart(NamedTuple):
    """A chart.

    Attributes:
        heading: what the chart shows.
        svg: SVG that can be part of a page.
    """

    heading: str
    svg: str


def short(name: str, most: int = 32) -> str:
    """A name for a chart. The middle of a long name is omitted.

    Examples:
        >>> short('bm25'), short('a-very-long-name-of-a-run', 11)
        ('bm25', 'a-ver…a-run')
    """
    half = (most - 1) // 2
    return name if len(name) <= most else f'{name[: most - 1 - half]}…{name[-half:]}'


def _named(names: Iterable[str]) -> list[str]:
    return [_xml(short(name)) for name in names]


def _xml(text: str) -> str:
    """A text without characters that XML forbids."""
    return _NOT_XML.sub('\ufffd', text)


def _rows(names: Sequence[str]) -> tuple[float, float]:
    """The size in inches of a chart with a row for each name. With short names it fits the width of a phone."""
    return 3.2 + 0.075 * max(map(len, names), default=0), 0.9 + 0.22 * min(len(names), TOP)


_LINES = 4.6, 3.8


# ------------------------------------------------------------------------------------------------- charts


def _by_measure(scores: Scores) -> Iterator[tuple[str, NDArray[np.float64], list[int]]]:
    """For each of the first measures its name, its scores (systems, queries), and the systems, the best first."""
    for values, measure in zip(scores.values.transpose(2, 0, 1)[:MOST_MEASURES], scores.measures):
        yield measure, values, np.argsort(-values.mean(axis=1), kind='stable').tolist()


def of_means(scores: Scores) -> list[Chart]:
    """For each measure the means of the best systems, with 95 % confidence intervals if there are several queries."""
    charts = []
    for measure, values, order in _by_measure(scores):
        best = order[:TOP]
        names = _named(scores.systems[s] for s in best)
        estimate, _ = means(values[best], measure, scored=values)
        intervals = np.stack([estimate.low, estimate.high]) if values.shape[1] > 1 else None
        charts.append(Chart(measure, bars(_xml(measure), names, estimate.value, intervals, 'mean')))
    return charts


def of_differences(scores: Scores, baseline: int) -> list[Chart]:
    """For each measure the best systems' differences to a baseline: a dot for each query, the mean, its interval."""
    charts = []
    label = f'difference to {_xml(short(scores.systems[baseline]))}'
    for measure, values, order in _by_measure(scores):
        others = [s for s in order if s != baseline][:TOP]
        differences, names = values[others] - values[baseline], [scores.systems[s] for s in others]
        estimate = mean_over_queries(differences)
        intervals = np.stack([estimate.low, estimate.high])
        svg = dots(_xml(measure), _named(names), differences, intervals, label)
        charts.append(Chart(measure, svg))
    return charts


def of_coverage(coverage: NDArray[np.float64], systems: Sequence[str]) -> Chart:
    """The mean coverage by rank of the systems that cover most."""
    best = np.lexsort(tuple(-coverage.T))[:MOST_LINES]  # by the last rank, then by those before
    named = {short(systems[s]): coverage[s] for s in best}
    ranks, label = np.arange(1, coverage.shape[1] + 1), 'share of the subtopics covered'
    draw = partial(lines, ranks, named, 'rank', label, limits=(0, 1.02))
    return _chart('Mean coverage by rank', draw, _LINES)


def of_correlations(correlations: Result) -> Chart:
    """The matrix of rank correlations of measures."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    frame = correlations.to_frame().rename(index=short, columns=short)
    side = 1.8 + 0.5 * len(frame)
    # from the page's colour of low values, by transparent, to that of high values
    shades = ((0, _LOW, 1), (0.5, _LOW, 0), (0.5, _HIGH, 0), (1, _HIGH, 1))
    colours = LinearSegmentedColormap.from_list(
        'shades', [(place, to_rgba(colour, opacity)) for place, colour, opacity in shades]
    )
    return _chart(
        'Kendall’s τ between the means of the systems',
        partial(matrix, frame, '', limits=(-1, 1), colours=colours),
        (side + 0.8, side),
    )


def of_pool(name: str, table: Any, heading: str) -> Chart | None:
    """The chart of a table of :func:`ir_divmeasures.pools.campaign.tables`, if it has one."""
    if name not in PICTURES:
        return None
    columns = [column for column in ('system', 'group') if column in table]
    named_table = table.assign(**{column: _named(table[column]) for column in columns})
    rows = columns and name != 'union'
    size = _rows(named_table[columns[0]].tolist()) if rows else _LINES
    return _chart(heading, partial(PICTURES[name], named_table), size)


def of_joint(result: Joint) -> Chart:
    """What became of the nuggets in the systems that use most of them."""
    best = result.shares.sort_values('used', ascending=False, kind='stable').head(TOP)
    named = replace(result, shares=best.rename(index=short))
    width, height = _rows([str(name) for name in named.shares.index])
    return _chart('What became of the nuggets', named.plot, (width, height + 0.4))


def of_parameters(result: Sensitivity) -> Chart | None:
    """The best system at each setting, or with many lines how far settings agree with the default.

    None if no parameter, or more than two, have several values.
    """
    n_axes = sum(len(values) > 1 for values in result.axes.values())
    if not 1 <= n_axes <= 2:
        return None
    named = replace(result, systems=tuple(_named(result.systems)))
    show = 'best' if n_axes == 2 or len(result.systems) <= MOST_LINES else 'kendall'

    def draw(ax: Any) -> None:
        named.plot(show, ax)
        for cells in ax.collections:
            cells.set_rasterized(
                n_axes == 2
            )  # thousands of cells as shapes would make the page large
        if ax.get_legend() is not None:
            ax.legend(
                handles=ax.get_legend().legend_handles,
                loc='upper left',
                bbox_to_anchor=(-0.05, -0.18),
                ncols=2,
                fontsize='small',
            )

    return _chart(f'Parameters of {result.measure}', draw, _LINES)


# ------------------------------------------------------------------------------------------ SVG for the page


def _chart(heading: str, draw: Callable[..., Any], size: tuple[float, float]) -> Chart:
    """A chart as SVG for the page.

    Args:
        heading: what the chart shows.
        draw: a function that draws on the axes ``ax``.
        size: width and height in inches.
    """
    figure_class()  # raises an ImportError that names the extra to install
    import matplotlib
    from cycler import cycler
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    style: Any = {
        'svg.fonttype': 'none',
        'svg.hashsalt': 'report',
        'text.parse_math': False,
        'text.usetex': False,
        'axes.formatter.use_mathtext': False,
        'font.size': 9.5,
        'figure.facecolor': 'none',
        'axes.facecolor': _SURFACE,
        'axes.edgecolor': _QUIET,
        'axes.labelcolor': _INK,
        'text.color': _INK,
        'xtick.color': _QUIET,
        'ytick.color': _QUIET,
        'xtick.labelcolor': _INK,
        'ytick.labelcolor': _INK,
        'axes.grid': False,
        'axes.spines.top': False,
        'axes.spines.right': False,
        'legend.frameon': False,
        'axes.prop_cycle': cycler(color=_SERIES),
    }
    with matplotlib.rc_context(style), warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)  # of glyphs that only browsers have
        ax = axes(None, size)
        draw(ax=ax)
        written = io.StringIO()
        canvas: Any = FigureCanvasSVG(ax.figure)
        canvas.print_svg(written, metadata={'Date': None})  # savefig would draw the figure twice
    return Chart(heading, _for_page(_xml(written.getvalue()), heading))


def _for_page(text: str, heading: str) -> str:
    """Convert the text of an SVG file by matplotlib to SVG for the page, labelled with the heading.

    Style attributes become presentation attributes, because the content security policy forbids the former. Colours
    become those of the page. Ids that nothing refers to are removed.
    """
    from lxml import etree

    root = etree.fromstring(
        text.encode(), etree.XMLParser(remove_comments=True, resolve_entities=False)
    )
    for element in root.xpath('//*[local-name()="metadata" or local-name()="style"]'):
        element.getparent().remove(element)
    chart = hashlib.sha256(f'{heading}{text}'.encode()).hexdigest()[:12]
    reference = re.compile(r'^(#|url\(#)([^)]+)')
    used: dict[str, str] = {}
    for element in root.iter():
        for name, value in _presentation(element.attrib.pop('style', '')):
            element.set(name, _COLOURS.get(value, value))
        link = element.attrib.pop('{http://www.w3.org/1999/xlink}href', None)
        if link is not None:
            element.set('href', link)
        for name, value in element.attrib.items():
            if match := reference.match(value):
                new = used.setdefault(match[2], f'{chart}-{len(used)}')
                if name in ('href', 'clip-path'):  # and no colour
                    element.set(name, match[1] + new + value[match.end() :])
    for element in root.iter():
        old = element.attrib.pop('id', None)
        if old in used:
            element.set('id', used[old])
    for group in root.iter('{*}g'):
        _hoist(group)
    width, height = root.get('viewBox').split()[2:]
    root.set('width', f'{float(width) * 4 / 3:.0f}')  # points are 4/3 pixels
    root.set('height', f'{float(height) * 4 / 3:.0f}')
    root.set('role', 'img')
    root.set('aria-label', _xml(heading))
    return str(etree.tostring(root, encoding='unicode', with_tail=False))


def _presentation(style: str) -> list[tuple[str, str]]:
    """The (name, value) pairs of a style attribute as presentation attributes. Only the size of fonts is kept."""
    attributes = []
    for declaration in filter(None, map(str.strip, style.split(';'))):
        name, value = map(str.strip, declaration.split(':', 1))
        if name == 'font':
            name, value = 'font-size', re.search(r'[\d.]+px', value)[0]  # type: ignore[index]
        if name != 'font-family':
            attributes.append((name, value))
    return attributes


def _hoist(group: Any) -> None:
    """Move attributes that all markers of a group share to the group."""
    markers = list(group)
    if len(markers) < 2 or any(not marker.tag.endswith('}use') for marker in markers):
        return
    for name, value in [*markers[0].attrib.items()]:
        if name not in ('href', 'x', 'y') and all(marker.get(name) == value for marker in markers):
            group.set(name, value)
            for marker in markers:
                del marker.attrib[name]


__all__ = [
    'Chart',
    'of_correlations',
    'of_coverage',
    'of_differences',
    'of_joint',
    'of_means',
    'of_parameters',
    'of_pool',
    'short',
]
