"""Numbers with what they would be on other topics, the rules that compare them, and the verdicts that follow."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..results.estimates import student

VERDICTS = AGREE, DISAGREE, CLOSE, UNTESTED = 'agree', 'disagree', 'too close', 'not testable'
"""The four words for a claim."""

Rule = Mapping[str, Any]
Part = tuple[str, Callable[[float], int]]
"""One comparison of a claim: what was computed, as text, and whether it is true, by level: 1, −1, or 0 if not known."""


class NotTestableError(Exception):
    """The data cannot test a claim, or cannot fill a table. The message is the reason."""


@dataclass(frozen=True)
class Quantity:
    """A number computed from scores, with its error over topics.

    Quantities of the same data add and subtract with their errors, because they share the resamples.

    Attributes:
        value: the number.
        deviations: (B,) contributions to its error, whose squares sum to the variance.
        df: degrees of freedom of its interval.
        total: of how many pairs the number is a count; 0 for other numbers.
        limit: its largest possible size, at which intervals end; that of a count is its total.

    Examples:
        >>> a, b = Quantity.mean([0.1, 0.2, 0.6]), Quantity.mean([0.0, 0.1, 0.5])
        >>> round((a - b).value, 3), round((a - b).error, 3)
        (0.1, 0.0)
    """

    value: float
    deviations: np.ndarray
    df: int
    total: int = 0
    limit: float = math.inf

    @classmethod
    def resampled(cls, numbers: Any, n_topics: int, **size: Any) -> Quantity:
        """A statistic, and its values on resamples of the topics, (1 + B,); perhaps with ``total`` or ``limit``."""
        value, *replicates = numbers
        spread = np.subtract(replicates, np.mean(replicates))
        spread /= math.sqrt(max(len(spread) - 1, 1))
        limit = size.get('total') or size.get('limit', math.inf)
        return cls(float(value), spread, n_topics - 1, size.get('total', 0), limit)

    @classmethod
    def mean(cls, values: Any) -> Quantity:
        """The mean over topics, (Q,)."""
        n = len(values)
        return cls.resampled([np.mean(values), *np.divide(values, math.sqrt(n))], n)

    @property
    def error(self) -> float:
        """The standard error."""
        error = math.sqrt(np.square(self.deviations).sum())
        return 0.0 if error < 1e-14 else error

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The ends of the t interval."""
        estimate = student(self.value, self.error, self.df, level)
        return max(estimate.low, -self.limit), min(estimate.high, self.limit)

    def __add__(self, other: Quantity) -> Quantity:
        deviations = self.deviations + other.deviations
        return replace(self, value=self.value + other.value, deviations=deviations, limit=math.inf)

    def __truediv__(self, n: float) -> Quantity:
        value, deviations = self.value / n, self.deviations / n
        return replace(self, value=value, deviations=deviations, limit=self.limit / abs(n))

    def __sub__(self, other: Quantity) -> Quantity:
        return self + other / -1

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return short(self.value)


def short(value: float) -> str:
    """A number with four significant digits; a whole number has all."""
    value += 0.0  # no negative zero
    return f'{value:.0f}' if float(value).is_integer() else f'{value:.4g}'


def span(ends: tuple[float, float]) -> str:
    """An interval as text, '' if it is not known."""
    return '' if math.isnan(ends[0]) else f'[{short(ends[0])}, {short(ends[1])}]'


def within(ends: tuple[float, float], least: float, most: float = math.inf) -> int:
    """1 if an interval lies within a region, −1 if it lies outside, 0 if neither is known."""
    low, high = ends
    return 1 if least <= low and high <= most else -1 if high < least or low > most else 0


def verdict(parts: Sequence[Part]) -> str:
    """The word for a claim of several parts, of which there must be one.

    It agrees if all its parts agree, each at 95 %. It disagrees if a part is on the wrong side at the level
    1 − .05/parts.
    """
    if not parts:
        raise NotTestableError('these data have nothing to compare')
    if any(side(1 - 0.05 / len(parts)) < 0 for _, side in parts):
        return DISAGREE
    return AGREE if all(side(0.95) > 0 for _, side in parts) else CLOSE


def compared(rule: Rule, text: str, one: Any, other: Any = None) -> Part:
    """A number against another one, or on its own. Counts are compared as shares of all pairs.

    It is not testable that one is above the other if both are as large as they can be.
    """
    kind, margin = rule['kind'], float(rule.get('margin', 0))
    difference = one if other is None else one - other
    if kind == 'exact':
        equal = abs(float(difference)) + getattr(difference, 'error', 0) < 1e-12
        return text, lambda level: 1 if equal else -1
    least = {'above': math.ulp(0), 'near': -margin}.get(kind, margin)
    most = margin if kind == 'near' else math.inf
    if other is None:
        yours = f'{text} {span(one.interval())}'.rstrip()
        return yours, lambda level: within(one.interval(level), least, most)
    if kind == 'above' and all(each.value > each.limit - 1e-9 for each in (one, other)):
        raise NotTestableError(f'{text}: both reach the largest possible value, {one}')
    yours, part = (
        f'{text} ({difference} {span(difference.interval())})',
        difference / (one.total or 1),
    )
    return yours, lambda level: within(part.interval(level), least, most)


def share(n: int, total: int, text: str = '') -> Part:
    """n of N, which must not be 0, are more than half of them, by Wilson's interval."""
    from scipy.stats import binomtest

    if not total:
        raise NotTestableError(f'{text}nothing to count')
    ends = functools.partial(binomtest(n, total).proportion_ci, method='wilson')
    yours = f'{text}{n} of {total} {span(ends(0.95))}'
    return yours, lambda level: within(ends(level), 0.5)


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
        text = f'{" or ".join(rule["A"])} above {", ".join(rule["B"])}: '
        yield share(sum(larger), len(larger), text)
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
