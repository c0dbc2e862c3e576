"""The folded parts of the page below the leaderboard: tables, and one chart of lines."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ..lazy import pd

MOST_LINES = 8
"""The largest number of lines of a chart."""


class Table(NamedTuple):
    """A table of the page.

    Attributes:
        heading: what the table shows.
        says: a description of its columns.
        columns: names of the columns.
        rows: (text, value) of each cell, row by row.
        numbers: whether each column is numeric.
        tinted: cells of numbers between −1 and 1 are tinted.
        chart: SVG, or an empty text.
    """

    heading: str
    says: str
    columns: list[str]
    rows: list[list[tuple[str, Any]]]
    numbers: list[bool]
    tinted: bool = False
    chart: str = ''


class Section(NamedTuple):
    """A folded section of the page.

    Attributes:
        id: its id in the page.
        heading: its heading.
        tables: its tables.
    """

    id: str
    heading: str
    tables: list[Table]


def table_of(frame: pd.DataFrame, heading: str, says: str, most: int | None = None) -> Table:
    """A DataFrame as a table of the page. Of more than ``most`` rows only the first ones are part of it."""
    if most is not None and len(frame) > most:
        says = f'{says} Of {len(frame):,} rows the first {most} are listed.'
        frame = frame.head(most)
    numbers = [column.dtype.kind in 'iuf' for _, column in frame.items()]
    rows = [
        [(f'{value:.4g}' if isinstance(value, float) else str(value), value) for value in row]
        for row in frame.astype(object).itertuples(index=False)
    ]
    return Table(
        heading, says, [str(column).replace('_', ' ') for column in frame.columns], rows, numbers
    )


def polylines(frame: pd.DataFrame, heading: str) -> str:
    """The first rows of a table as lines: names in the first column, then values from 0 to 1 by rank.

    Args:
        frame: the table.
        heading: what the chart shows.
    """
    n, shown = len(frame.columns) - 1, frame.head(MOST_LINES)
    x = [40 + 400 * (i / (n - 1) if n > 1 else 0.5) for i in range(n)]
    parts = ['<path class="axis" d="M40 10V210H440"/>']
    for value in (0, 0.5, 1):
        parts.append(f'<text x="34" y="{214 - 200 * value:.0f}" text-anchor="end">{value:g}</text>')
    for rank in sorted({1, (n + 1) // 2, n}):
        parts.append(f'<text x="{x[rank - 1]:.1f}" y="228" text-anchor="middle">{rank}</text>')
    for line, row in enumerate(shown.itertuples(index=False)):
        points = ' '.join(f'{a:.1f},{210 - 200 * value:.1f}' for a, value in zip(x, row[1:]))
        y = 22 + 24 * line
        parts.append(f'<polyline class="line s{line}" points="{points}"/>')
        parts.append(f'<path class="line s{line}" d="M460 {y - 4}h22"/>')
        name = str(row[0]) if len(str(row[0])) <= 30 else f'{str(row[0])[:29]}…'
        parts.append(f'<text x="488" y="{y}">{escape(name)}</text>')
    return f'<svg class="lines" viewBox="0 0 740 236" role="img" aria-label={quoteattr(heading)}>{"".join(parts)}</svg>'
