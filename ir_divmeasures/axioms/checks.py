"""Check constraints on measures, and collect the results in tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.ranking import Array
from ..core.registry import measures
from ..errors import whole
from ..lazy import pd
from ..progress import progress
from ..results import count
from .cases import Cases
from .constraints import CONSTRAINTS, R_MAX
from .subjects import NotApplicableError, View, rows, subject

if TYPE_CHECKING:
    from ..typing import RngLike

YES, NARROW, CUT, NO, MIXED, NONE = '●', '◐', '◎', '○', '±', '-'
LEGEND = {
    YES: 'holds',
    NARROW: 'holds in the narrower reading only',
    CUT: 'fails only past the cutoff',
    NO: 'fails',
    MIXED: 'holds for some settings',
    NONE: 'does not apply',
}
"""The symbols of tables, and their meanings."""

TOLERANCE = 1e-14
"""Scores that differ by less than this share of the larger one are equal."""
RESOLUTION = 1e-9
"""Once differences have become smaller than this share, equal scores may be rounding and are no counter-example."""


class Cell(NamedTuple):
    """The result of checking one constraint on one measure: a symbol, the reason for it, the counter-example as text."""

    symbol: str
    evidence: str
    counterexample: str = ''


def table(
    tested: Any = None, *, longest: int = 40, deepest: int = 4096, rng: RngLike = 0
) -> pd.DataFrame:
    """Which constraints of Amigó et al. (2018) measures satisfy; by default, the twenty rows of their Table 1.

    Most constraints are universal. The function compares pairs of rankings that meet a constraint's conditions: all
    pairs of short rankings, and constructed and random pairs of up to ``longest`` documents. The smallest pair that a
    measure orders wrongly, or does not order, is the counter-example (:func:`check` shows it). DeepTh, CloseTh and Sat
    are existential: n and m are sought up to ``deepest``, and r_max among 0.25, 0.5, 0.75 and 1.

    A measure reads the grades as relevance (``rel=0``, ``gain='raw'`` or ``'linear'``, ``max_rel=1``, unless the name
    sets another value). Without a cutoff in its name, a measure reads both rankings whole. P, RR, AP, nDCG, ERR and
    RBP are computed at topic level, r(d) = max_t r(d,t). Where a constraint requires r ≪ 1, grades are at most 0.001,
    and a counter-example must remain one when all grades are divided by 100.

    Args:
        tested: names of measures in one string; an iterable of names, measures and :class:`View`; or a mapping from a
            row's label to several of these, which are settings of one measure. The default is the twenty measures of
            Table 1 in all settings of the paper's §6.2.
        longest: number of documents in the longest ranking for a universal constraint, at least 8.
        deepest: the largest n and m for DeepTh and CloseTh, at least 16. DeepTh must hold from half of it on.
        rng: seed or generator for the random rankings, as for ``np.random.default_rng``.

    Returns:
        A symbol for each measure and constraint. ``LEGEND`` has their meanings.

    Raises:
        ValueError: a measure is unknown; ``longest`` or ``deepest`` is too small.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §3 and Table 1.

    Examples:
        >>> table('RBU StRecall', longest=8)[['Pri', 'Conf', 'Red', 'Sat']].rename_axis(None)
                 Pri Conf Red Sat
        RBU        ●    ●   ◐   ●
        StRecall   ○    ○   ○   ●
    """
    cells = check(tested, longest=longest, deepest=deepest, rng=rng)
    symbols = cells.groupby(['measure', 'constraint'], sort=False)['symbol'].agg(_of_settings)
    return symbols.unstack()[list(CONSTRAINTS)].rename_axis(columns=None)


def _of_settings(symbols: Iterable[str]) -> str:
    """The symbol of all settings of a measure."""
    several = set(symbols) - {NONE} or {NONE}
    return several.pop() if len(several) == 1 else MIXED if YES in several else NO


def check(
    tested: Any = None, *, longest: int = 40, deepest: int = 4096, rng: RngLike = 0
) -> pd.DataFrame:
    """Check all constraints on measures, with a counter-example for each one that fails.

    Args:
        tested, longest, deepest, rng: as in :func:`table`.

    Returns:
        One row per measure, setting and constraint: ``measure``, ``setting`` (the measure with its parameters),
        ``constraint``, ``symbol``, ``evidence`` (the reason in a few words) and ``counterexample`` (two rankings with
        their scores as text, empty where the constraint holds).

    Examples:
        >>> cells = check('StRecall', longest=8).set_index('constraint')
        >>> cells.loc['Sat', 'evidence']
        'r_max = 0.25'
        >>> print(cells.loc['Pri', 'counterexample'])
        rank       should be higher  should be lower
        1          1e-05             0
        2          0                 1e-05
        score      1                 1
    """
    whole(longest, 'longest', 8)
    whole(deepest, 'deepest', 16)
    if tested is None:
        tested = rows()
    if isinstance(tested, str):
        tested = measures(tested)
    if isinstance(tested, (Measure, View)):
        tested = [tested]
    if not isinstance(tested, Mapping):
        tested = {str(one): [one] for one in tested}
    settings = [(str(label), setting) for label, several in tested.items() for setting in several]
    cells = _check_settings(
        [setting for _, setting in settings], longest, deepest, np.random.default_rng(rng)
    )
    lines = [
        (label, str(setting), name, *row[name])
        for (label, setting), row in zip(settings, cells)
        for name in CONSTRAINTS
    ]
    return pd.DataFrame(lines, columns=['measure', 'setting', 'constraint', *Cell._fields])


def _check_settings(
    settings: list[Any], longest: int, deepest: int, rng: np.random.Generator
) -> list[dict[str, Cell]]:
    """The cells of each setting. Measures share the rankings of one constraint at a time."""
    cells: list[dict[str, Cell]] = []
    subjects = []
    for setting in settings:
        try:
            subjects.append((subject(setting, 2 * deepest), dict[str, Cell]()))
            cells.append(subjects[-1][1])
        except NotApplicableError as reason:
            cells.append(dict.fromkeys(CONSTRAINTS, Cell(NONE, str(reason))))
    octaves = np.geomspace(16, deepest, 1 + 4 * int(np.ceil(np.log2(deepest / 16))))
    depths = [*range(1, 16), *np.unique(octaves.round().astype(int)).tolist()]
    lengths = [n for n in range(1, longest + 1) if n <= 16 or n % 4 == 0 or n == longest]
    with progress(len(CONSTRAINTS) * len(subjects), 'cell', 'axioms') as bar:
        for name, constraint in CONSTRAINTS.items():
            if name == 'Sat':
                by_r_max = {r: constraint.batches(range(1, 5), rng, r_max=r) for r in R_MAX}
            else:
                batches = constraint.batches(depths if name.endswith('Th') else lengths, rng)
            for measure, row in subjects:
                if name == 'Sat':
                    row[name] = _check_saturation(measure, by_r_max)
                elif name == 'DeepTh':
                    row |= _check_thresholds(measure, batches, depths)
                elif name != 'CloseTh':
                    row[name] = _check_order(measure, batches)
                bar.update()
    return cells


def margins(scores: Array) -> Array:
    """Differences (first score − second score) / larger absolute score of each pair, from the scores (2, B); (B,)."""
    larger = np.abs(scores).max(axis=0)
    return np.asarray((scores[0] - scores[1]) / np.where(larger == 0, 1, larger))


def _check_saturation(measure: View, by_r_max: dict[float, list[Cases]]) -> Cell:
    """Check Sat: for one r_max, the measure must not score a further document."""
    for r_max, batches in by_r_max.items():
        cell = _check_order(measure, batches, ties=True)
        if cell.symbol == YES:
            return Cell(YES, f'r_max = {r_max:g}')
    return Cell(NO, *cell[1:])


def _check_order(measure: View, batches: list[Cases], ties: bool = False) -> Cell:
    """Whether a measure orders every pair correctly, or (``ties``) none wrongly.

    Batches are compared until the narrower reading fails too.
    """
    stated, pairs, finest = None, 0, np.inf
    for cases in batches:
        scores = measure.scores(cases)
        margin = margins(scores)
        finer = np.minimum.accumulate(np.where(margin > TOLERANCE, margin, finest).clip(max=finest))
        least = np.where(ties | (finer < RESOLUTION), -TOLERANCE, TOLERANCE)
        failed = np.flatnonzero(margin <= least)
        if cases.small[failed].any():  # r ≪ 1: it must fail at a smaller scale too
            again = margins(measure.scores(cases.take(failed, 0.01))) <= least[failed]
            failed = failed[again | ~cases.small[failed]]
        if len(failed) and not stated:
            row = cases.smallest(failed)
            evidence = f'counter-example of {count(int(cases.length()[row]), "document")}'
            stated = evidence, cases.text(row, scores[:, row])
        narrow = failed[cases.narrow[failed]]
        if stated and len(narrow):
            length, cutoff = cases.length()[cases.smallest(narrow)], measure.measure.cutoff
            return Cell(NO if cutoff is None or length <= cutoff else CUT, *stated)
        pairs, finest = pairs + len(cases), finer[-1]
    return Cell(NARROW, *stated) if stated else Cell(YES, f'no counter-example in {pairs:,} pairs')


def _check_thresholds(measure: View, batches: list[Cases], depths: list[int]) -> dict[str, Cell]:
    """Check DeepTh, which must hold for every sufficiently large n, and CloseTh, which must hold for one m."""
    scores = np.concatenate([measure.scores(cases) for cases in batches], axis=1)
    margin = margins(scores)

    def failure(row: int, note: str, swap: int = 1) -> Cell:
        (case,) = CONSTRAINTS['DeepTh'].batches([depths[row]], np.random.default_rng())
        return Cell(NO, note.format(depths[row]), case.text(0, scores[:, row], swap))

    fails = np.flatnonzero(margin <= TOLERANCE)
    if not len(fails):
        deep = Cell(YES, 'n ≥ 1')
    elif depths[fails[-1]] <= depths[-1] // 2:
        deep = Cell(YES, f'n ≥ {depths[fails[-1] + 1]}')
    else:  # the counter-example is the first of the last run of failures
        starts = np.flatnonzero(np.diff(fails, prepend=-2) > 1)
        deep = failure(int(fails[starts[-1]]), 'n = {} and larger')
    closer = -margin > TOLERANCE
    if closer.any():
        close = Cell(YES, f'm = {depths[closer.argmax()]}')
    else:
        close = failure(int(margin.argmin()), f'm = {{}} comes nearest up to {depths[-1]}', -1)
    return {'DeepTh': deep, 'CloseTh': close}
