"""Rules that the data file of a paper states in full: cells of a table against other cells of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .paper import Paper
from .quantities import (
    NotTestableError,
    Part,
    Quantity,
    above,
    at_least,
    average,
    near,
    short,
    span,
)


def named(cells: Mapping[Any, Any], name: Any, rows: Sequence[str] = ()) -> Quantity:
    """A cell (a list of names), the mean of a row that has a column ``mean``, or the mean of a column over rows."""
    whole = tuple(name) if isinstance(name, list) else (name, 'mean')
    if whole in cells or isinstance(name, list):
        return cells[whole]  # type: ignore[no-any-return]
    rows = rows or list(dict.fromkeys(key[0] for key in cells if len(key) == 2))
    found = [cells[row, name] for row in rows if (row, name) in cells]
    return found[0] if len(found) == 1 else average(found)


def contrasts(paper: Paper, claim: str) -> Iterator[Part]:
    """Every A against every B of a claim's rules.

    A rule has ``in`` (a table), ``block``, ``A`` and ``B`` (columns, rows or cells), and may have ``rows`` (over which
    columns are averaged; all by default), ``each: true`` (compare in each row instead), ``extremes: true`` (only the
    smallest A and the largest B) and ``only`` (what the name of the data must contain). Counts of pairs are compared as
    shares of all pairs.
    """
    (spec,) = (each for each in paper.data['claims'] if each['id'] == claim)
    if 'needs' in spec:
        paper.work.need(spec['needs'])
    for rule in spec['rule'] if isinstance(spec['rule'], list) else [spec['rule']]:
        if rule.get('only', '') not in paper.work.name:
            raise NotTestableError(f'needs the runs and judgments of {rule["only"]} (--data-name)')
        cells: Mapping[Any, Any] = paper[rule['in']]
        if 'block' in rule:
            cells = {key[1:]: cell for key, cell in cells.items() if key[0] == rule['block']}
        rows = rule.get('rows') or list(dict.fromkeys(key[0] for key in cells if len(key) == 2))
        for level in [[row] for row in rows] if rule.get('each') else [rows]:
            at = f'{level[0]}: ' if rule.get('each') else ''
            a, b = (
                [(' and '.join(n[-2:]) if isinstance(n, list) else n, named(cells, n, level)) for n in rule.get(side, ())]
                for side in 'AB'
            )  # fmt: skip
            if rule.get('extremes'):
                a, b = [min(a, key=_value)], [max(b, key=_value)] if b else b
            for name, one in a if not b else ():
                yield at_least(one, f'{at}{name} ')
            for (name, one), (other_name, other) in itertools.product(a, b):
                if name != other_name:
                    text = f'{at}{name} {one}, {other_name} {other}'
                    yield _compared(rule['kind'], one, other, text)


def _value(pair: tuple[str, Quantity]) -> float:
    return pair[1].value


def _compared(kind: str, one: Quantity, other: Quantity, text: str) -> Part:
    """One comparison, with the difference in the text."""
    difference = one - other
    if kind == 'above':
        part = above(one, other, f'{text}: ')
    else:
        share = difference * (1 / one.total if one.total else 1)
        part = near(share, share * 0) if kind == 'near' else at_least(share)
    return replace(part, yours=f'{text} ({short(difference.value)} {span(difference.interval())})')


__all__ = ['contrasts', 'named']
