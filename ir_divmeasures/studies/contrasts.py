"""Rules that the data file of a paper states in full: cells of a table against other cells of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .quantities import NotTestableError, Part, Quantity, above, average, short, span


def named(cells: Mapping[Any, Any], name: Any, rows: Sequence[str] = ()) -> Quantity:
    """A cell (a list of names), the mean of a row that has a column ``mean``, or the mean of a column over rows."""
    whole = tuple(name) if isinstance(name, list) else (name, 'mean')
    if whole in cells or isinstance(name, list):
        return cells[whole]  # type: ignore[no-any-return]
    column = [cells[key] for key in cells if key[-1] == name and (not rows or key[0] in rows)]
    return column[0] if len(column) == 1 else average(column)


def contrasts(paper: Any, claim: str) -> Iterator[Part]:
    """Every A against every B of a claim's rules; an A without B is compared with the margin.

    A rule has ``in`` (a table), and may have ``block``, ``A`` and ``B`` (columns, rows or cells; without them, A are all
    cells), ``column`` (A and B are rows of it), ``rows`` (over which columns are averaged; all by default),
    ``each: true`` (compare in each row instead), ``extremes: true`` (only the smallest A and the largest B) and ``only``
    (what the name of the data must contain). ``near`` and ``at least`` compare counts of pairs as shares of all pairs.
    """
    for rule in paper.rules(claim):
        if rule.get('only', '') not in paper.work.name:
            raise NotTestableError(f'needs the runs and judgments of {rule["only"]} (--data-name)')
        cells, at = paper[rule['in']], ''
        if 'block' in rule:
            cells = {key[1:]: cell for key, cell in cells.items() if key[0] == rule['block']}
        if 'column' in rule:
            at = f'{rule["column"]}: '
            cells = {(key[0], 'mean'): cells[key] for key in cells if key[-1] == rule['column']}
            if not cells:
                raise NotTestableError(f'{rule["in"]} has no {rule["column"]} for these data')
        rows = rule.get('rows') or list(dict.fromkeys(key[0] for key in cells if len(key) == 2))
        levels = {f'{row}: ': [row] for row in rows} if rule.get('each') else {at: rows}
        for at, level in levels.items():
            a, b = (
                [
                    (
                        ' and '.join(name[-2:]) if isinstance(name, list) else name,
                        named(cells, name, level),
                    )
                    for name in side
                ]
                for side in (rule.get('A') or map(list, cells), rule.get('B', ()))
            )
            if rule.get('extremes'):
                a = sorted(a, key=lambda pair: pair[1].value)[:1]
                b = sorted(b, key=lambda pair: -pair[1].value)[:1]
            for name, one in () if b else a:
                text = f'{at}{name} {one} {span(one.interval())}'
                yield Part(rule['kind'], text.rstrip(), one.interval)
            for (name, one), (other_name, other) in itertools.product(a, b):
                if name != other_name:
                    text = f'{at}{name} {one}, {other_name} {other}'
                    yield compared(rule['kind'], one, other, text)


def compared(kind: str, one: Quantity, other: Quantity, text: str) -> Part:
    """One comparison, with the difference in the text."""
    difference = one - other
    yours = f'{text} ({short(difference.value)} {span(difference.interval())})'
    if kind == 'above':
        return above(one, other, f'{text}: ')._replace(yours=yours)
    return Part(kind, yours, (difference * (1 / (one.total or 1))).interval)
