"""The rules that compare the numbers of tables, and the verdicts that follow."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..estimates import short

VERDICTS = AGREE, DISAGREE, CLOSE, UNTESTED = 'agree', 'disagree', 'too close', 'not testable'
"""The four words for a claim."""

Rule = Mapping[str, Any]


class NotTestableError(Exception):
    """The data cannot test a claim, or cannot fill a table. The message is the reason."""


def span(ends: tuple[float, float]) -> str:
    """An interval as text, '' if it is not known."""
    return '' if math.isnan(ends[0]) else f'[{short(ends[0])}, {short(ends[1])}]'


class Part(NamedTuple):
    """One comparison of a claim.

    Attributes:
        yours: what was computed, as text.
        value, ends: the number that decides, and its interval by level.
        least, most: what the number lies between if the claim is true.
    """

    yours: str
    value: float
    ends: Callable[[float], tuple[float, float]]
    least: float
    most: float = math.inf

    def truth(self, level: float = 0.95) -> int:
        """1 if the interval lies within the region, −1 if it lies outside, 0 if neither is known."""
        low, high = self.ends(level)
        if self.least <= low and high <= self.most:
            return 1
        return -1 if high < self.least or low > self.most else 0


def verdict(parts: Sequence[Part]) -> str:
    """The word for a claim of several parts, of which there must be one.

    It agrees if all its parts agree, each at 95 %. It disagrees if a part is on the wrong side at the level
    1 − .05/parts.
    """
    if not parts:
        raise NotTestableError('these data have nothing to compare')
    if any(part.truth(1 - 0.05 / len(parts)) < 0 for part in parts):
        return DISAGREE
    return AGREE if all(part.truth() > 0 for part in parts) else CLOSE


def tally(words: Iterable[str]) -> str:
    """How many verdicts are each word."""
    found = list(words)
    return ', '.join(f'{found.count(word)} {word}' for word in VERDICTS if word in found)


def told(parts: Sequence[Part]) -> str:
    """The one part, or the verdicts of several; of equal verdicts also the part that speaks least for the claim."""
    if len(parts) == 1:
        return parts[0].yours
    words = [verdict([part]) for part in parts]
    if len(set(words)) > 1:
        return tally(words)
    weakest = min(parts, key=lambda part: min(part.value - part.least, part.most - part.value))
    return f'{tally(words)}; weakest: {weakest.yours}'


def compared(rule: Rule, text: str, one: Any, other: Any = None) -> Part:
    """A number against another one, or on its own. Counts are compared as shares of all pairs.

    It is not testable that one is above the other if both are as large as they can be.
    """
    kind, margin = rule['kind'], float(rule.get('margin', 0))
    difference = one if other is None else one - other
    if kind == 'exact':
        apart = abs(float(difference)) + getattr(difference, 'error', 0)
        return Part(text, apart, lambda level: (apart, apart), 0, 1e-12)
    if other is not None:
        margin *= one.total or 1
    least = {'above': math.ulp(0), 'near': -margin}.get(kind, margin)
    most = margin if kind == 'near' else math.inf
    if other is None:
        yours = f'{text} {span(one.interval())}'.rstrip()
    elif kind == 'above' and all(each.value > each.limit - 1e-9 for each in (one, other)):
        raise NotTestableError(f'{text}: both reach the largest possible value, {one}')
    elif kind == 'above' and abs(difference.value) + difference.error < 1e-12:
        yours = f'{text} (tied)'
    else:
        yours = f'{text} ({difference} {span(difference.interval())})'
    return Part(yours, difference.value, difference.interval, least, most)


def share(n: int, total: int, text: str = '', of: str = '') -> Part:
    """n of N, which must not be 0, are more than half of them, by Wilson's interval. ``of`` says of what."""
    from scipy.stats import binomtest

    if not total:
        raise NotTestableError(f'{text}nothing to count')
    ends = functools.partial(binomtest(n, total).proportion_ci, method='wilson')
    yours = ' '.join(filter(None, [f'{text}{n} of {total}', of, span(ends(0.95))]))
    return Part(yours, n / total, ends, 0.5)


def sides(paper: Any, rule: Rule) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """What a rule compares: for each level, a text that names it, and the numbers of A and of B by name.

    A rule has ``in`` (a table, or several), and may have ``block`` and ``column`` (of the table), ``A`` and ``B``
    (columns, or rows of the column, or cells as ``row and column``; without A, all cells), ``rows`` (over which columns
    are averaged; all by default), ``each: true`` (each row is a level), ``extremes`` (only the smallest A, the largest
    B) and ``successive: true`` (each A is compared with the one before). What the data lack is left out.
    """
    block, column, extremes = (rule.get(name, '') for name in ('block', 'column', 'extremes'))
    cells: dict[str, list[Any]] = {}
    levels: dict[str, dict[str, list[Any]]] = {} if rule.get('each') else {column: {}}
    for table in rule['in'].split():
        for (*own, row, name), cell in paper[table].items():
            is_own = ''.join(own) == block
            cells[' and '.join([row, name] if is_own else [*own, row, name])] = [cell]
            if is_own and column in ('', name) and row in rule.get('rows', [row]):
                several = levels.setdefault(row if rule.get('each') else column, {})
                several.setdefault(row if column else name, []).append(cell)
    for level, named in levels.items():
        known = cells | named
        a, b = (
            {name: np.mean(known[name]) for name in names if name in known}
            for names in (rule.get('A', cells), rule.get('B', ()))
        )
        if 'A' in extremes:
            a = dict(sorted(a.items(), key=lambda each: float(each[1]))[:1])
        if 'B' in extremes:
            b = dict(sorted(b.items(), key=lambda each: -float(each[1]))[:1])
        at = f'{level}: ' if level else ''
        if 'successive' in rule:
            for low, high in itertools.pairwise(a.items()):
                yield at, dict([high]), dict([low])
        elif a and (b or 'B' not in rule):
            yield at, a, b


def contrasts(paper: Any, rule: Rule) -> Iterator[Part]:
    """Every A against every B of a rule (see :func:`sides`), an A without B against the margin.

    With ``than``, which is a rule as well, the difference of A and B is compared with the difference there.
    """
    levels = list(sides(paper, rule))
    if rule['kind'] == 'share':
        larger = [max(map(float, a.values())) > max(map(float, b.values())) for _, a, b in levels]
        texts = [
            ', '.join(f'{name} {short(float(number))}' for name, number in side.items())
            for _, *both in sides(paper, {**rule, 'each': False})
            for side in both
        ]
        yield share(sum(larger), len(larger), f'{" above ".join(texts)}: ', rule['of'])
    elif 'than' in rule:
        texts, differences = [], []
        for at, a, b in [*levels, *sides(paper, rule['than'])]:
            ((name, one),), ((other_name, other),) = a.items(), b.items()
            differences.append(one - other)
            texts.append(f'{at}{name} − {other_name} {differences[-1]}')
        yield compared(rule, ', '.join(texts), *differences)
    else:
        for at, a, b in levels:
            for (name, one), other in itertools.product(a.items(), b or ['']):
                text = f'{at}{name} {short(float(one))}'
                if not b:
                    yield compared(rule, text, one)
                elif name != other:
                    yield compared(rule, f'{text}, {other} {b[other]}', one, b[other])
