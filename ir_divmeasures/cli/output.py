"""Print tables and texts, or write them to files."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import click

from ..errors import visible
from ..tables import PAPER, render


def show(
    table: Any,
    form: str,
    places: int | None = None,
    path: str | None = None,
    force: bool = False,
    above: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> None:
    """Print a table, or write it to a file.

    Args:
        table: a DataFrame, or a list of values for each column.
        form: one of :data:`ir_divmeasures.tables.FORMS`.
        places: number of decimal places. By default, csv and json have all of them, and other forms 4.
        path, force: as for :func:`write`.
        above: lines above the table.
        notes: lines below a table for people. In other cases they go to standard error.
    """
    if not isinstance(table, Mapping) and list(table.index.names) != [None]:
        table = table.reset_index()
    if places is None:
        places = 4 if form in PAPER else -1
    text = render(table, form, places)
    for_people = form in ('table', 'markdown') and path is None
    write('\n'.join([*above, text, *(notes if for_people else ())]), path, force)
    for note in () if for_people else notes:
        click.echo(visible(note), err=True)


def write(text: str, path: str | None = None, force: bool = False) -> None:
    """Print a text, or write it to a file. Control characters in printed texts are made visible."""
    text = text.rstrip('\n')
    if path is None:
        if sys.stdout is None:
            raise OSError('the standard output is closed')
        click.echo(visible(text, '\n\t'))
        return
    from ..data.writing import replacing

    opened = gzip.open if path.endswith('.gz') else open
    with replacing(path, force) as partial, opened(partial, 'wb') as file:
        file.write(f'{text}\n'.encode())
