"""The page of a leaderboard: a function of what ``leaderboard.json`` has, and of the folded sections below it."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .sections import Section

MOST_ROWS = 300
"""The number of rows that the page shows before its reader asks for all."""


def number(value: float | None, places: int, sign: bool = False) -> str:
    """A number as the page writes it: – for None, a minus in place of a hyphen."""
    if value is None:
        return '–'
    return f'{value:{"+" if sign else ""}.{places}f}'.replace('-', '−')


def in_order(data: Mapping[str, Any], m: int = 0) -> list[int]:
    """The systems in the order of a measure, the best first."""
    rows = data['results'][m]
    return sorted(range(len(rows)), key=lambda i: -rows[i]['mean'])


def for_script(data: Any) -> str:
    """JSON that can be part of a page: no text of the user's ends the script."""
    text = json.dumps(data, ensure_ascii=False, separators=(',', ':'))
    return text.replace('<', '\\u003c').replace('\u2028', '\\u2028').replace('\u2029', '\\u2029')


def page(
    data: Mapping[str, Any], sections: Sequence[Section] = (), runs: Mapping[str, Any] | None = None
) -> str:
    """The page.

    Args:
        data: what ``leaderboard.json`` has.
        sections: the folded sections below the table.
        runs: what the page shows of the first documents of each system (:func:`.facts.rankings`).
    """
    template, parts = _template()
    order = in_order(data)
    tiers = [data['results'][0][i]['tier'] for i in order]
    begins = {
        i
        for i, tier, last in zip(order[1:], tiers[1:], tiers)
        if tier != last and None not in (tier, last)
    }
    return str(
        template.render(
            data=data,
            order=order,
            begins=begins,
            teams=sorted({each['team'] for each in data['systems'] if each.get('team')}),
            partial=any(
                each.get('answered', len(data['queries'])) < len(data['queries'])
                for each in data['systems']
            ),
            sections=sections,
            json=for_script(data),
            runs=runs and for_script(runs),
            most_rows=MOST_ROWS,
            **parts,
        )
    )


@functools.cache
def _template() -> tuple[Any, dict[str, str]]:
    """The template of the page, its style and script, and the hashes of both."""
    import jinja2

    loader = jinja2.PackageLoader('ir_divmeasures.reporting', 'page')
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters['number'] = number
    own = {name: loader.get_source(environment, f'lb.{name}')[0] for name in ('css', 'js')}
    allowed = {
        f'{name}_hash': base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for name, text in own.items()
    }
    return environment.get_template('leaderboard.html'), {**own, **allowed}


# -------------------------------------------------------------------------------------------------------------- badges


def file_name(system: str) -> str:
    """The name of a system as part of a file's name: only letters, digits, ``.``, ``-`` and ``_`` stay.

    Examples:
        >>> file_name('BM25 >> monoT5/v2')
        'BM25____monoT5_v2'
    """
    return re.sub(r'[^\w.-]', '_', system)


def badge(title: str, row: Mapping[str, Any], n: int) -> str:
    """A badge with the rank of a system, as SVG.

    Args:
        title: what the leaderboard is about.
        row: the system's row in ``results``.
        n: the number of ranked systems.
    """
    low, high = row['rank_low'], row['rank_high']
    rank = (
        f'rank {row["rank"]}'
        if low is None
        else f'rank {low}'
        if low == high
        else f'rank {low} to {high}'
    )
    rank = f'{rank} of {n}'
    left, right = (18 + 8 * len(text) for text in (title, rank))
    width, label = left + right, quoteattr(f'{title}: {rank}')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="22" role="img" aria-label={label}>'
        f'<title>{escape(title)}: {rank}</title><rect width="{width}" height="22" rx="4" fill="#3a434c"/>'
        f'<path d="M{left} 0h{right - 4}a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H{left}z" fill="#1668ad"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="12">'
        f'<text x="9" y="15.5" textLength="{left - 18}">{escape(title)}</text>'
        f'<text x="{left + 9}" y="15.5" textLength="{right - 18}">{rank}</text></g></svg>\n'
    )
