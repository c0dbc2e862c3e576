"""Systems as a leaderboard shows them: names, teams, links, and which of them are anonymous, hidden or unranked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import did_you_mean
from ..io.text import first_twice
from ..lazy import pd

STATUSES = {
    'shown': 'The system is shown.',
    'anonymous': 'The system is shown under another name, without team, link and description.',
    'hidden': 'The system is in no test, rank or file.',
    'withdrawn': 'The system has no scores. It is listed below the table with its note.',
    'unranked': 'The system is shown in its place without a rank, and is in no test.',
}
"""What a status means."""
FIELDS = ('system', 'name', 'team', 'tags', 'url', 'about', 'status', 'note')


@dataclass(frozen=True)
class Entrant:
    """A system of a leaderboard.

    Attributes:
        name: the name that the leaderboard shows.
        team, tags, url, about: what is shown with it, each perhaps empty.
        status: a key of :data:`STATUSES`.
        note: why a system is withdrawn.
    """

    name: str
    team: str = ''
    tags: tuple[str, ...] = ()
    url: str = ''
    about: str = ''
    status: str = 'shown'
    note: str = ''

    @property
    def has_scores(self) -> bool:
        """Whether the leaderboard has scores of the system."""
        return self.status not in ('hidden', 'withdrawn')


def entrants(table: Any, systems: Iterable[str]) -> dict[str, Entrant]:
    """The systems by their names in the data, in their order.

    Args:
        table: None; a DataFrame or a file (.csv, .tsv) with a column ``system`` and some of ``name, team, tags, url,
            about, status, note``; or ``{system: {field: text}}``.
        systems: the names of the systems in the data.

    Raises:
        TypeError: a table of another form.
        ValueError: an unknown system, status or field, an address that does not begin with http, or two systems of
            one name.

    Examples:
        >>> entrants({'b': {'status': 'anonymous', 'team': 'B'}}, ['a', 'b'])['b']
        Entrant(name='anonymous 1', team='', tags=(), url='', about='', status='anonymous', note='')
    """
    names, found, n_anonymous = list(systems), dict[str, Entrant](), 0
    for row in _rows(table):
        system, name, status = row['system'], row['name'], row['status'] or 'shown'
        if status not in STATUSES:
            raise ValueError(
                f'systems: {system!r} has the status {status!r}{did_you_mean(status, STATUSES)}'
            )
        if system not in names and status != 'withdrawn':
            raise ValueError(f'systems: no system {system!r}{did_you_mean(system, names)}')
        if row['url'] and not re.match('https?://', row['url']):
            raise ValueError(
                f'systems: {system!r} has the address {row["url"]!r}, expected http://… or https://…'
            )
        if status == 'anonymous':
            n_anonymous += not name
            found[system] = Entrant(name or f'anonymous {n_anonymous}', status=status)
        else:
            tags = tuple(re.findall(r'[^\s,;]+', row['tags']))
            texts = {field: row[field] for field in ('team', 'url', 'about', 'note')}
            found[system] = Entrant(name or system, tags=tags, status=status, **texts)
    listed = {system: found.pop(system, Entrant(system)) for system in names} | found
    shown = [entrant.name for entrant in listed.values() if entrant.status != 'hidden']
    if (twice := first_twice(shown)) is not None:
        raise ValueError(f'systems: two systems have the name {twice!r}')
    return listed


def _rows(table: Any) -> list[dict[str, str]]:
    """The fields of each system as texts."""
    if table is None:
        return []
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        separator = '\t' if path.endswith(('.tsv', '.tsv.gz')) else ','
        table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    elif isinstance(table, Mapping) and all(isinstance(row, Mapping) for row in table.values()):
        rows = [{'system': system, **row} for system, row in table.items()]
        table = pd.DataFrame(rows, columns=None if rows else ['system'], dtype=object)
    if not hasattr(table, 'columns'):
        raise TypeError(
            f'systems: expected a table, a file or {{system: {{field: text}}}}, found {type(table).__name__}'
        )
    if 'system' not in table.columns:
        raise ValueError(f'systems: no column system (found {", ".join(map(str, table.columns))})')
    for field in table.columns:
        if field not in FIELDS:
            raise ValueError(f'systems: no field {field!r}{did_you_mean(str(field), FIELDS)}')
    if (twice := first_twice(table['system'].astype(str))) is not None:
        raise ValueError(f'systems: {twice!r} is there twice')
    texts = table.astype(object).where(table.notna(), '').reindex(columns=FIELDS, fill_value='')
    return [
        {
            field: ' '.join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            for field, value in row.items()
        }
        for row in texts.to_dict('records')
    ]


def without_names(message: str, listed: Mapping[str, Entrant]) -> str:
    """A warning for readers: '' if it names a system that is not shown, and other names of those that are anonymous."""
    for system, entrant in listed.items():
        pattern = rf'(?<!\w){re.escape(system)}(?!\w)'
        if not entrant.has_scores and re.search(pattern, message):
            return ''
        if entrant.name != system:
            message = re.sub(pattern, lambda _, name=entrant.name: name, message)  # type: ignore[misc]
    return message
