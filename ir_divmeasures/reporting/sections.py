"""The parts of the page that are tables with charts."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..lazy import pd
from .charts import Chart


class Table(NamedTuple):
    """A table of the page.

    Attributes:
        heading: what the table shows.
        says: a description of its columns.
        columns: names of the columns.
        rows: (text, value) of each cell, row by row.
        numbers: whether each column is numeric.
        chart: a chart of the table, or None.
    """

    heading: str
    says: str
    columns: list[str]
    rows: list[list[tuple[str, Any]]]
    numbers: list[bool]
    chart: Chart | None = None


class Section(NamedTuple):
    """A section of the page.

    Attributes:
        id: its id in the page.
        label: what links to it.
        heading: its heading.
        says: a description, or ''.
        tables: its tables.
    """

    id: str
    label: str
    heading: str
    says: str
    tables: list[Table]


def table_of(
    frame: pd.DataFrame,
    heading: str,
    says: str,
    chart: Chart | None = None,
    most: int | None = None,
) -> Table:
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
        heading,
        says,
        [str(column).replace('_', ' ') for column in frame.columns],
        rows,
        numbers,
        chart,
    )


__all__ = ['Section', 'Table', 'table_of']
