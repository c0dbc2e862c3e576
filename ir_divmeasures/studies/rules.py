"""Numbers with what they would be on other topics, the rules that compare them, and the verdicts that follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..results.estimates import student

VERDICTS = AGREE, DISAGREE, CLOSE, UNTESTED = 'agree', 'disagree', 'too close', 'not testable'
"""The four words for a claim."""

Ends = tuple[float, float]


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
        limit: its largest possible size, at which intervals end.

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
    def mean(cls, values: Any) -> Quantity:
        """The mean over topics, (Q,)."""
        n, value = len(values), float(np.mean(values))
        return cls(value, (np.asarray(values) - value) / math.sqrt(max(n * (n - 1), 1)), n - 1)

    @classmethod
    def resampled(
        cls, value: float, replicates: Any, n_topics: int, total: int = 0, limit: float = math.inf
    ) -> Quantity:
        """A statistic with its values on resamples of the topics, (B,)."""
        spread = np.asarray(replicates, dtype=float) - np.mean(replicates)
        spread /= math.sqrt(max(len(spread) - 1, 1))
        return cls(float(value), spread, n_topics - 1, total, total or limit)

    @classmethod
    def jackknifed(cls, value: float, without: np.ndarray, limit: float = math.inf) -> Quantity:
        """A statistic with its values without each topic, (Q,)."""
        spread = (without - without.mean()) * math.sqrt(1 - 1 / len(without))
        return cls(float(value), spread, len(without) - 1, limit=limit)

    @property
    def error(self) -> float:
        """The standard error."""
        error = math.sqrt(np.square(self.deviations).sum())
        return 0.0 if error < 1e-14 else error

    def interval(self, level: float = 0.95) -> Ends:
        """The ends of the t interval."""
        estimate = student(self.value, self.error, self.df, level)
        return max(estimate.low, -self.limit), min(estimate.high, self.limit)

    def __add__(self, other: Quantity) -> Quantity:
        deviations = self.deviations + other.deviations
        return replace(self, value=self.value + other.value, deviations=deviations, limit=math.inf)

    def __mul__(self, factor: float) -> Quantity:
        deviations = self.deviations * factor
        return replace(self, value=self.value * factor, deviations=deviations, limit=math.inf)

    def __sub__(self, other: Quantity) -> Quantity:
        return self + other * -1

    def __str__(self) -> str:
        return short(self.value)


def average(quantities: Sequence[Quantity]) -> Quantity:
    """The mean of quantities of the same resamples."""
    return sum(quantities[1:], quantities[0]) * (1 / len(quantities))


def short(value: float) -> str:
    """A number with four significant digits; a whole number has all."""
    value += 0.0  # no negative zero
    return f'{value:.0f}' if float(value).is_integer() else f'{value:.4g}'


def span(ends: Ends) -> str:
    """An interval as text, '' if it is not known."""
    return '' if math.isnan(ends[0]) else f'[{short(ends[0])}, {short(ends[1])}]'


class Part(NamedTuple):
    """One comparison of a claim.

    Attributes:
        kind: one of ``'above'``, ``'near'``, ``'at least'``, ``'exact'``, ``'share'``.
        yours: what was computed, as text.
        ends: the interval of what is compared, by its level; NaN where it is not known.
    """

    kind: str
    yours: str
    ends: Callable[[float], Ends]


def above(a: Quantity, b: Quantity, what: str = '') -> Part:
    """A is larger than B. If they are tied in every resample, it is not.

    Raises:
        NotTestableError: both are as large as they can be.
    """
    if a.value > a.limit - 1e-9 and b.value > b.limit - 1e-9:
        raise NotTestableError(f'{what}both reach the largest possible value, {a}')
    ends = (a - b).interval
    return Part('above', f'{what}{a} against {b} ({span(ends())})', ends)


def exact(equal: Any, yours: str) -> Part:
    """The paper's statement is true of what was computed."""
    return Part('exact', yours, lambda level: (float(equal), float(equal)))


def share(n: int, total: int, what: str = '') -> Part:
    """n of N topics are more than half of them, by Wilson's interval."""
    from scipy.stats import binomtest

    if not total:
        raise NotTestableError('no topic has the relevant documents that the claim needs')

    def ends(level: float) -> Ends:
        interval = binomtest(n, total).proportion_ci(level, 'wilson')
        return float(interval.low), float(interval.high)

    return Part('share', f'{what}{n} of {total} {span(ends(0.95))}', ends)


def region(kind: str, margin: float) -> Ends:
    """Where the interval of a part is if the claim is true."""
    known = {
        'above': (math.ulp(0), math.inf),
        'near': (-margin, margin),
        'at least': (margin, math.inf),
    }
    return known.get(kind, (0.5, math.inf))


def verdict(parts: Sequence[Part], rules: Sequence[Mapping[str, Any]]) -> str:
    """The word for a claim of several parts.

    It agrees if all its parts agree, each at 95 %. It disagrees if a part is on the wrong side at the level
    1 − .05/parts.

    Args:
        parts: what was computed.
        rules: what the data file of the paper says: ``kind``, and for some kinds ``margin``. There is one for each part,
            or one for all parts of its kind.

    Raises:
        ValueError: a part has a kind that the rules do not state.

    Examples:
        >>> one, other = Quantity.mean([.5, .6, .7]), Quantity.mean([.1, .2, .3])
        >>> verdict([above(one, other)], [{'kind': 'above'}])
        'agree'
    """
    if not parts:
        raise NotTestableError('there is nothing to compare')
    right, wrong = True, False
    for place, part in enumerate(parts):
        fitting = [rule for rule in rules if rule['kind'] == part.kind]
        if not fitting:
            raise ValueError(f'a part of kind {part.kind!r}, but the rules are {rules}')
        rule = rules[place] if len(rules) == len(parts) else fitting[0]
        least, most = region(part.kind, float(rule.get('margin', 0)))
        low, high = part.ends(0.95)
        right &= least <= low and high <= most
        low, high = part.ends(1 - 0.05 / len(parts))
        wrong |= high < least or low > most
    return DISAGREE if wrong else AGREE if right else CLOSE


def named(cells: Mapping[Any, Any], name: Any, rows: Sequence[str] = ()) -> Quantity:
    """A cell (a list of names), the mean of a row that has a column ``mean``, or the mean of a column over rows."""
    whole = tuple(name) if isinstance(name, list) else (name, 'mean')
    if whole in cells or isinstance(name, list):
        return cells[whole]  # type: ignore[no-any-return]
    column = [cells[key] for key in cells if key[-1] == name and (not rows or key[0] in rows)]
    return column[0] if len(column) == 1 else average(column)


def contrasts(paper: Any, rules: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    """Every A against every B of rules that a data file states in full; an A without B is compared with the margin.

    A rule has ``in`` (a table), and may have ``block``, ``A`` and ``B`` (columns, rows or cells; without them, A are all
    cells), ``column`` (A and B are rows of it), ``rows`` (over which columns are averaged; all by default),
    ``each: true`` (compare in each row instead), ``extremes: true`` (only the smallest A and the largest B) and ``only``
    (what the name of the data must contain). ``near`` and ``at least`` compare counts of pairs as shares of all pairs.
    """
    for rule in rules:
        if rule.get('only', '') not in paper.name:
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
                {
                    ' and '.join(name[-2:]) if isinstance(name, list) else name: named(
                        cells, name, level
                    )
                    for name in side
                }
                for side in (rule.get('A') or map(list, cells), rule.get('B', ()))
            )
            if rule.get('extremes'):
                a = dict(sorted(a.items(), key=lambda each: each[1].value)[:1])
                b = dict(sorted(b.items(), key=lambda each: -each[1].value)[:1])
            for name, one in a.items():
                if not b:
                    text = f'{at}{name} {one} {span(one.interval())}'
                    yield Part(rule['kind'], text.rstrip(), one.interval)
                for other_name, other in b.items():
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
