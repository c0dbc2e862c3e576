"""Every interval covers the truth and is no wider than it must be, and every test finds what is there.

``row`` registers a simulated world and the procedure that is applied to it, for each interval and p-value that the
package prints or returns. Worlds have scores as measures give them (``calibration_worlds.py``): zeros, ones, ties and
skew. A row of an interval asks for its coverage and for its width, compared with a named reference. Rows of a test ask
for its rate of false findings where nothing is there, and for its power where something is, compared with paired t
tests and Holm's correction. Each interval has three or more worlds, one of them with many zeros.

The fast form draws a few worlds of one row of each procedure, that of many zeros. The slow form (``pytest -m slow``) draws
2,000 of all rows, and repeats procedures that draw at random at ten times their draws. ``python -m tests.test_calibration [row …]`` measures some
rows or all.
"""

import argparse
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from . import calibration_scores, calibration_worlds
from .builders import quietly

SLOW = 2000
ALL = float('inf')


class Row(NamedTuple):
    """A simulated world, and what is computed there.

    Attributes:
        name: what is covered or tested.
        world: where, and on how many queries.
        simulate: a function of a generator and of ``times`` for one world. Procedures with draws of their own make
            ``times`` as many of them. It returns, by kind,

            * interval: the value and the ends (numbers or arrays of one shape), and the width of the reference if
              there is one;
            * test: the p-value of a true null, the smallest of several;
            * power: the number of true findings, and the number that the reference makes or could make; or the p-value
              of what is there.
        kind: ``'interval'``, ``'test'`` or ``'power'``.
        truth: the true value, or None for the mean of the values over all worlds, for statistics that estimate their
            own expectation on so many queries.
        band: lowest and highest coverage, rate of false findings, or ratio of findings.
        widest: the largest median width ÷ reference.
        reference: what widths and findings are compared with. ``'spread'`` is the width 2 · 1.96 · standard deviation
            of the values over the worlds, which the interval would have if it were known.
        bounds: no interval has an end outside.
        beyond: the share of intervals that may, where a bound is not a bound of the statistic.
        exact: whether an interval may have no width, because its statistic has few values.
        zeros: whether most scores are 0, or so many that means are near 0.
        draws: whether the procedure draws at random itself, and is repeated at ten times the draws.
        fast: number of worlds of the fast form; with 0 there is none.
        most: the largest number of worlds, 1 for data that are not drawn.
        real: whether it needs real scores.
    """

    name: str
    world: str
    simulate: Callable[[np.random.Generator, int], Any]
    kind: str
    truth: Any = None
    band: tuple[float, float] = (0.93, 0.97)
    widest: float = 1.5
    reference: str = 'spread'
    bounds: tuple[float, float] = (-ALL, ALL)
    beyond: float = 0.0
    exact: bool = False
    zeros: bool = False
    draws: bool = False
    fast: int = 12
    most: int = SLOW
    real: bool = False

    @property
    def title(self):
        return f'{self.name}: {self.world}'


ROWS = {}


def row(name, world, simulate, kind, **options):
    """Register a row; see :class:`Row`."""
    band = {'test': (0.03, 0.07), 'power': (0.9, ALL)}.get(kind, (0.93, 0.97))
    added = Row(name, world, simulate, kind, **{'band': band} | options)
    assert kind in ('interval', 'test', 'power') and added.title not in ROWS
    ROWS[added.title] = added


class Measured(NamedTuple):
    """What a row has in n worlds.

    Attributes:
        rate: coverage, rate of false findings at 5 %, or findings ÷ findings of the reference.
        worlds: n.
        width: median width ÷ reference; NaN for tests.
        outside: share of intervals with an end outside the bounds.
        without_width: share of intervals without a width.
        unknown: share of NaN.
    """

    rate: float
    worlds: int
    width: float = float('nan')
    outside: float = 0.0
    without_width: float = 0.0
    unknown: float = 0.0


def measure(row, n, times=1):
    """Draw n worlds. Worlds in which the procedure says NaN, because the data do not tell, are left out."""
    n = min(n, row.most)
    seed = zlib.crc32(f'{row.name[:8]}{row.world}'.encode())
    results = []
    with quietly():  # of degenerate worlds
        for world in range(n):
            results.append(row.simulate(np.random.default_rng([seed, world]), times))
    if row.kind == 'test':
        pvalues = np.array(results, dtype=float)
        known = np.isfinite(pvalues)
        return Measured(float((pvalues[known] < 0.05).mean()), n, unknown=1 - known.mean())
    if row.kind == 'power':
        found = np.array(results, dtype=float)
        if found.ndim == 1:
            found = np.column_stack([found < 0.05, np.ones(n)])
        return Measured(float(np.divide(*found.sum(axis=0))), n)
    value, low, high = (
        np.array([result[part] for result in results], dtype=float) for part in range(3)
    )
    truth = row.truth() if callable(row.truth) else row.truth
    if truth is None:
        truth = np.nanmean(np.where(np.isfinite(value), value, np.nan), axis=0)
    known = ~(np.isnan(low) | np.isnan(high))
    slack = 1e-9  # rounding
    width = high - low
    if row.reference == 'spread':
        inside = np.where(known & np.isfinite(value), value, np.nan)
        width = width / np.fmax(2 * 1.96 * np.nanstd(inside, axis=0), slack)
    else:
        reference = np.array([result[3] for result in results], dtype=float)
        width = width / (reference if reference.ndim == width.ndim else reference[:, None])
    outside = (low < row.bounds[0] - slack) | (high > row.bounds[1] + slack)
    covered = (low - slack <= truth) & (truth <= high + slack)
    return Measured(
        float(covered[known].mean()),
        n,
        float(np.nanmedian(width[known])),
        float(outside[known].mean()),
        float((high - low <= slack)[known].mean()),
        1 - float(known.mean()),
    )


def faults(row, seen, slack=0.0):
    """What is not as the row asks.

    Args:
        row: the row.
        seen: what was measured.
        slack: number of standard errors of a rate that are allowed beyond its band.
    """
    low, high = row.band
    error = 0.0
    if row.kind != 'power' and seen.worlds < SLOW:
        error = slack * np.sqrt(
            max(low * (1 - low), min(high, 1) * (1 - min(high, 1)), 0.02) / seen.worlds
        )
    found = []
    if not low - error - 5e-4 <= seen.rate <= high + error + 5e-4:
        found.append(f'rate {seen.rate:.4f}, expected {low} to {high}')
    if row.kind == 'interval':
        # The spread of n values is known to 1/√(2n).
        if not seen.width <= row.widest * (1 + slack / np.sqrt(2 * seen.worlds)):
            found.append(
                f'{seen.width:.3f} times as wide as {row.reference}, expected {row.widest}'
            )
        if seen.outside > row.beyond:
            found.append(f'ends outside: {seen.outside:.3f}')
        if seen.without_width > 0 and not row.exact:
            found.append(f'no width: {seen.without_width:.3f}')
    if seen.unknown > 0.05:
        found.append(f'NaN: {seen.unknown:.3f}')
    return found


def check(row, n, times=1):
    seen = measure(row, n, times)
    found = faults(row, seen, slack=1.5)
    assert not found, f'{row.title}, {seen.worlds} worlds: {"; ".join(found)}'


calibration_scores.register(row)


# -------------------------------------------------------------------------------------------------------- the tests


def drawn_rows(fast):
    skip = pytest.mark.skipif(not calibration_worlds.HAS_REAL, reason='no real scores')
    zeros_first = sorted(ROWS.values(), key=lambda each: not each.zeros)
    of_procedures = {(each.name, each.kind): each for each in reversed(zeros_first) if each.fast}
    return [
        pytest.param(each.title, marks=[skip] * each.real)
        for each in (of_procedures if fast else ROWS).values()
    ]


@pytest.mark.parametrize('title', drawn_rows(fast=True))
def test_calibration(title):
    check(ROWS[title], ROWS[title].fast)


@pytest.mark.slow
@pytest.mark.parametrize('times', [1, 10])
@pytest.mark.parametrize('title', drawn_rows(fast=False))
def test_calibration_in_full(title, times):
    if times > 1 and not ROWS[title].draws:
        pytest.skip('no draws of its own')
    check(ROWS[title], SLOW, times)


def test_every_interval_has_three_worlds_and_every_test_has_power():
    by_name = {}
    for each in ROWS.values():
        by_name.setdefault(each.name, []).append(each)
    lacking = {
        name: [(each.world, each.kind) for each in rows]
        for name, rows in by_name.items()
        if {'test', 'power'} & {each.kind for each in rows}
        and {each.kind for each in rows} != {'test', 'power'}
        or rows[0].kind == 'interval'
        and (len({each.world for each in rows}) < 3 or not any(each.zeros for each in rows))
    }
    assert lacking == {}


if __name__ == '__main__':
    parser = argparse.ArgumentParser(
        prog='python -m tests.test_calibration',
        description='Measure rows.',
    )
    parser.add_argument(
        'rows',
        nargs='*',
        metavar='row',
        help='a part of the title of a row; the default is all rows',
    )
    parser.add_argument('--worlds', type=int, default=SLOW, help='number of worlds')
    parser.add_argument(
        '--times', type=int, default=1, help='draws of each procedure, as a multiple'
    )
    asked = parser.parse_args()
    for title, each in ROWS.items():
        if any(part in title for part in asked.rows or ['']) and (
            calibration_worlds.HAS_REAL or not each.real
        ):
            seen = measure(each, asked.worlds, asked.times)
            print(f'{title}: {seen} {"; ".join(faults(each, seen, slack=2))}', flush=True)
