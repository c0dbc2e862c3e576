"""Check constraints on measures, and collect the results in tables."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure

from ..core.ranking import Array
from ..core.registry import measures
from ..lazy import pd
from ..progress import progress
from ..results import Result, count
from ..tables import render
from .cases import Cases, Counterexample
from .claims import rows as rows_of_table_1
from .constraints import CONSTRAINTS, R_MAX, Block, Constraint, Search
from .subjects import NotApplicableError, Subject, subject

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


def _symbols(results: Sequence[Check | Row], name: str) -> pd.DataFrame:
    """The symbols of results by label and constraint."""
    return pd.DataFrame(
        [[result.symbol(constraint) for constraint in CONSTRAINTS] for result in results],
        index=pd.Index([result.label for result in results], name=name),
        columns=list(CONSTRAINTS),
    )


def _legend(frame: pd.DataFrame) -> str:
    """The meanings of the symbols of a table in one line."""
    return ', '.join(f'{sign} {LEGEND[sign]}' for sign in LEGEND if (frame == sign).any(axis=None))


class Cell(NamedTuple):
    """The result of checking one constraint on one measure.

    Attributes:
        constraint: its short name.
        holds: whether it holds as stated.
        narrow: whether it holds in the constraint's narrower reading (equal to ``holds`` where there is none).
        past: whether it fails only past the cutoff of the measure.
        pairs: number of pairs of rankings compared.
        witness: for existential constraints, the parameter that satisfies them (``n ≥ 6``).
        counterexample: the smallest counter-example, or None where the constraint holds.
        narrow_counterexample: the smallest counter-example to the narrower reading, or None where that holds.
    """

    constraint: str
    holds: bool
    narrow: bool
    pairs: int
    witness: str = ''
    counterexample: Counterexample | None = None
    narrow_counterexample: Counterexample | None = None
    past: bool = False

    @property
    def symbol(self) -> str:
        """``●`` holds, ``◐`` in the narrower reading only, ``◎`` fails only past the cutoff, ``○`` fails."""
        if self.holds or self.narrow:
            return YES if self.holds else NARROW
        return CUT if self.past else NO

    @property
    def evidence(self) -> str:
        """The reason for the symbol in a few words."""
        if self.counterexample is None:
            return self.witness or f'no counter-example in {self.pairs:,} pairs'
        return f'counter-example of {count(self.counterexample.length, "document")}'


class Check(Result):
    """The results of checking all constraints on one measure. ``text()`` has the counter-examples.

    Attributes:
        label: the measure.
        cells: the :class:`Cell` of each constraint; empty where the constraints do not apply.
        reason: the reason why they do not apply.
    """

    label: str
    cells: Mapping[str, Cell]
    reason: str = ''

    def __getitem__(self, constraint: str) -> Cell:
        if constraint not in CONSTRAINTS:
            raise KeyError(f'no constraint {constraint!r} (there are {", ".join(CONSTRAINTS)})')
        return self.cells[constraint]

    def symbol(self, constraint: str) -> str:
        """The symbol of a constraint, or ``-`` if the constraints do not apply."""
        return self[constraint].symbol if self.cells else NONE

    def _headline(self) -> str:
        if self.reason:
            return f'{self.label}: does not apply: {self.reason}'
        n_holding = sum(cell.holds for cell in self.cells.values())
        return f'{self.label}: {n_holding} of {count(len(self.cells), "constraint")} hold'

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.to_frame()[['symbol', 'evidence']], 'to_frame()'

    def _notes(self) -> list[str]:
        return ['text() shows the counter-examples.']

    def to_frame(self) -> pd.DataFrame:
        """One row per constraint: ``symbol, holds, narrow, evidence, pairs`` compared, ``exhaustive`` (the rankings
        for which it holds by exhaustive search), ``counterexample``."""
        rows = [
            (
                cell.symbol,
                cell.holds,
                cell.narrow,
                cell.evidence,
                cell.pairs,
                CONSTRAINTS[name].exhaustive if cell.holds else '',
                '' if cell.counterexample is None else cell.counterexample.text(),
            )
            for name, cell in self.cells.items()
        ]
        names = ['symbol', 'holds', 'narrow', 'evidence', 'pairs', 'exhaustive', 'counterexample']
        return pd.DataFrame(rows, pd.Index(self.cells, name='constraint'), names)

    def text(self) -> str:
        """Every constraint with its symbol and evidence, and the counter-examples in full."""
        if self.reason:
            return self._headline()
        cells = self.cells.values()
        lines = [f'  {cell.symbol} {cell.constraint:<8} {cell.evidence}' for cell in cells]
        found = [cell.counterexample for cell in cells if cell.counterexample]
        return '\n'.join([self.label, *lines, *(f'\n{example.text()}' for example in found)])


class Row(Result):
    """A row of a table: one measure in one or several settings.

    Attributes:
        label: the label of the row.
        checks: the results of each setting.
    """

    label: str
    checks: tuple[Check, ...]

    def symbol(self, constraint: str) -> str:
        """The symbol of all settings, or ``±`` if the constraint holds for some settings only."""
        symbols = {check.symbol(constraint) for check in self.checks} - {NONE} or {NONE}
        if len(symbols) > 1:
            return MIXED if YES in symbols else NO
        return symbols.pop()

    def _headline(self) -> str:
        return f'{self.label} in {count(len(self.checks), "setting")}'

    def _notes(self) -> list[str]:
        return [_legend(self.to_frame())]

    def to_frame(self) -> pd.DataFrame:
        """Symbols by setting and constraint."""
        return _symbols(self.checks, 'setting')


class Table(Result):
    """Measures × constraints.

    ``table.text()`` is the whole table as text, ``table.to_frame()`` as a DataFrame, ``table[measure]`` a :class:`Row`.
    """

    rows: tuple[Row, ...]

    def __getitem__(self, label: str) -> Row:
        for row in self.rows:
            if row.label == label:
                return row
        raise KeyError(f'no row {label!r} (found {", ".join(row.label for row in self.rows)})')

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def _headline(self) -> str:
        return f'{count(len(self.rows), "measure")} × {count(len(CONSTRAINTS), "constraint")} of Amigó et al. (2018)'

    def _notes(self) -> list[str]:
        checks = [(row, check) for row in self.rows for check in row.checks]
        reasons = [f'{row.label}: {check.reason}' for row, check in checks if check.reason]
        return [*reasons, _legend(self.to_frame())]

    def to_frame(self) -> pd.DataFrame:
        """Symbols by measure and constraint."""
        return _symbols(self.rows, 'measure')

    def text(self) -> str:
        """The whole table with its legend, and the measures to which the constraints do not apply."""
        *reasons, meanings = self._notes()
        return '\n'.join([render(self.to_frame().reset_index()), meanings, *reasons])


def table(tested: Any = None, *, longest: int = 40, deepest: int = 4096, rng: RngLike = 0) -> Table:
    """Check which constraints of Amigó et al. (2018) measures satisfy; by default, the twenty rows of Table 1.

    Most constraints are universal. The function compares pairs of rankings that meet a constraint's conditions: all
    pairs of short rankings, and constructed and random pairs of up to ``longest`` documents. The smallest pair that a
    measure orders wrongly, or does not order, is the counter-example. For the rankings in the column ``exhaustive`` of
    a :class:`Check` all pairs were compared. For longer rankings and other grades the search found none.
    DeepTh, CloseTh and Sat are existential: n and m are sought up to ``deepest``, and r_max among 0.25, 0.5, 0.75 and 1.

    A measure reads the grades as relevance (``rel=0``, ``gain='raw'`` or ``'linear'``, ``max_rel=1``, unless the name
    sets another value). Without a cutoff in its name, a measure reads both rankings whole. P, RR, AP, nDCG, ERR and
    RBP are computed at topic level, r(d) = max_t r(d,t). Where a constraint requires r ≪ 1, grades are at most 0.001,
    and a counter-example must remain one when all grades are divided by 100.

    Args:
        tested: names of measures in one string, or an iterable of names, measures, functions ``f(grades, weights) →
            float`` (``grades`` (n, T) of a ranking by rank, ``weights`` (T,)), and results of :func:`at_topic_level`
            and :func:`unweighted`; or a mapping from a row's label to one or several of these, which are settings of
            one measure. The default is the twenty measures of the paper's Table 1 in all settings of its §6.2.
        longest: number of documents in the longest ranking for a universal constraint.
        deepest: the largest n and m for DeepTh and CloseTh. DeepTh must hold from half of it on at the latest.
        rng: seed or generator for the random rankings, as for ``np.random.default_rng``.

    Returns:
        A :class:`Table`. The last four tables of the default rows with a seed are kept in memory.

    Raises:
        ValueError, TypeError: a measure is unknown, or a function does not return a number.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §3 and Table 1.

    Examples:
        >>> result = table('RBU StRecall', longest=12)
        >>> result.to_frame()[['Pri', 'Conf', 'Red', 'Sat']].rename_axis(None)
                 Pri Conf Red Sat
        RBU        ●    ●   ◐   ●
        StRecall   ○    ○   ○   ●
        >>> print(str(result).splitlines()[-1])
        ● holds, ◐ holds in the narrower reading only, ○ fails
    """
    if tested is None and isinstance(rng, int):
        return _table_1(longest, deepest, rng)
    return _table(rows_of_table_1() if tested is None else tested, longest, deepest, rng)


@functools.lru_cache(maxsize=4, typed=True)
def _table_1(longest: int, deepest: int, seed: int) -> Table:
    """The twenty rows of Table 1."""
    return _table(rows_of_table_1(), longest, deepest, seed)


def _table(tested: Any, longest: int, deepest: int, rng: Any) -> Table:
    """The table of what is tested; the arguments are those of :func:`table`."""
    if isinstance(tested, Mapping):
        rows = [(str(label), _listed(settings)) for label, settings in tested.items()]
    else:  # the measure itself is the label
        each = measures(tested) if isinstance(tested, str) else _listed(tested)
        rows = [('', [one]) for one in each]
    settings = [setting for _, several in rows for setting in several]
    checks = iter(_checks(settings, Search(longest, deepest, rng)))
    found = []
    for label, several in rows:
        of_row = tuple(itertools.islice(checks, len(several)))
        found.append(Row(label or of_row[0].label, of_row))
    return Table(tuple(found))


def _listed(several: Any) -> list[Any]:
    is_one = isinstance(several, (str, Measure)) or not isinstance(several, Iterable)
    return [several] if is_one else list(several)


def check(tested: Any, *, longest: int = 40, deepest: int = 4096, rng: RngLike = 0) -> Check:
    """Check all constraints on one measure, or on a function of your own.

    Args:
        tested: as in :func:`table`: a measure's name, a measure, or a function ``f(grades, weights) → float``.
        longest, deepest, rng: as in :func:`table`.

    Returns:
        A :class:`Check`, which prints as a table. Its ``text()`` adds the smallest counter-example to each constraint
        that fails.

    Examples:
        >>> def covered(grades, weights):
        ...     return float(weights @ (grades > 0).any(axis=0))
        >>> result = check(covered, longest=8)
        >>> result['AspRel'].holds, result['Pri'].holds
        (False, False)
        >>> print(result['Pri'].counterexample.text())
        Pri fails for covered
          rank   should be higher  should be lower
          1      1e-05             0
          2      0                 1e-05
          score  1                 1
    """
    return _checks([tested], Search(longest, deepest, rng))[0]


def _checks(tested: Iterable[Any], search: Search) -> list[Check]:
    """The results of all constraints on each subject. Subjects share the rankings of one constraint at a time."""
    checks, subjects = [], []
    for each in tested:
        try:
            subjects.append(subject(each, deep=2 * search.deepest))
            checks.append(Check(subjects[-1].label, {}))
        except NotApplicableError as reason:
            checks.append(Check(str(each), {}, str(reason)))
    cells: list[dict[str, Cell]] = [{} for _ in subjects]
    with progress(len(CONSTRAINTS) * len(subjects), 'cell', 'axioms') as bar:
        for name in CONSTRAINTS:
            for each, of_subject in zip(subjects, cells):
                of_subject[name] = _cell(name, each, search)
                bar.update()
            search.forget()
    found = iter(cells)
    return [each if each.reason else replace(each, cells=next(found)) for each in checks]


def _cell(name: str, tested: Subject, search: Search) -> Cell:
    exists = CONSTRAINTS[name].exists
    if not exists:
        return _universal(name, tested, search.blocks(name))
    if exists != 'r_max':
        return _by_depth(CONSTRAINTS[name], tested, search)
    pairs = 0
    for r_max in R_MAX:
        cell = _universal(name, tested, search.blocks(name, r_max), equal_allowed=True)
        pairs += cell.pairs
        if cell.holds:
            return cell._replace(pairs=pairs, witness=f'r_max = {r_max:g}')
    return cell._replace(pairs=pairs, past=False)


# ------------------------------------------------------------------------------------------------- universal ones


def _universal(
    name: str, tested: Subject, blocks: list[Block], equal_allowed: bool = False
) -> Cell:
    """Check a universal constraint: the subject must order every pair correctly.

    Batches are compared until the narrower reading fails too. With ``equal_allowed``, equal scores are correct.
    """
    stated = narrower = None
    pairs, finest = 0, np.inf
    scored: dict[int, Array] = {}
    for cases, together, start in blocks:
        pairs += len(cases)
        if id(together) not in scored:
            scored[id(together)] = scores_of(tested, together)
        scores = scored[id(together)][:, start : start + len(cases)]
        margin = margins(scores)
        finest = min(finest, margin[margin > TOLERANCE].min(initial=np.inf))
        least = -TOLERANCE if equal_allowed or finest < RESOLUTION else TOLERANCE
        failed = np.flatnonzero(margin <= least)
        if cases.contribution and len(failed):  # r ≪ 1: it must fail at a smaller scale too
            failed = failed[margins(scores_of(tested, cases.take(failed).scaled(0.01))) <= least]
        if len(failed) and stated is None:
            stated = _example(name, tested, cases, cases.smallest(failed), scores)
        failed = failed[cases.narrow[failed]]
        if len(failed):
            narrower = _example(name, tested, cases, cases.smallest(failed), scores)
            break
    past = narrower is not None and tested.cutoff is not None and narrower.length > tested.cutoff
    return Cell(name, stated is None, narrower is None, pairs, '', stated, narrower, past)


TOLERANCE = 1e-14
"""Scores that differ by less than this share of the larger one are equal."""

RESOLUTION = 1e-11
"""Once differences have become smaller than this share, equal scores may be rounding and are no counter-example."""


def scores_of(tested: Subject, cases: Cases) -> Array:
    """The scores of the rankings that should be higher, and of the others; (2, B).

    Raises:
        ValueError: a score is not finite.
    """
    scores = np.stack(tested.score(cases))
    bad = np.flatnonzero(~np.isfinite(scores).all(axis=0))
    if len(bad):
        case = int(bad[0])
        raise ValueError(
            f'{tested.label} is not finite ({scores[0, case]}, {scores[1, case]}) for the grades '
            f'{cases.grades(cases.higher, case).tolist()} or '
            f'{cases.grades(cases.lower, case).tolist()}'
        )
    return scores


def margins(scores: Array) -> Array:
    """Differences (first score − second score) / larger absolute score of each pair, from the scores (2, B); (B,)."""
    larger = np.abs(scores).max(axis=0)
    return np.asarray((scores[0] - scores[1]) / np.where(larger == 0, 1, larger))


def _example(
    name: str, tested: Subject, cases: Cases, row: int, scores: Array, note: str = ''
) -> Counterexample:
    """The counter-example in a row of the cases, whose scores are (2, B)."""
    pair = (float(scores[0, row]), float(scores[1, row]))
    return Counterexample(name, tested.label, pair, note, cases.take(slice(row, row + 1)))


# ----------------------------------------------------------------------------------------------- existential ones


def _by_depth(constraint: Constraint, tested: Subject, search: Search) -> Cell:
    """Check a constraint that must hold for one depth, or for every sufficiently large one, and find the smallest."""
    depths, cases = np.array(search.depths), search.cases_by_depth(constraint.name)
    scores = scores_of(tested, cases)
    margin = margins(scores)
    holds = margin > TOLERANCE
    fails = np.flatnonzero(~holds)
    witness = ''
    if constraint.exists == 'm':
        letter = 'm' if constraint.equation == 4 else 'n'
        if holds.any():
            witness = f'{letter} = {depths[holds.argmax()]}'
        row = int(margin.argmax())
        note = f'{letter} = {depths[row]} comes nearest of all tried up to {depths[-1]}'
    elif not len(fails):
        witness = 'n ≥ 1'
    elif depths[fails[-1]] <= search.deepest // 2:
        failing, holding = depths[fails[-1]], depths[fails[-1] + 1]
        while holding - failing > 1:
            n = (failing + holding) // 2
            if margins(scores_of(tested, constraint.cases([n])))[0] > TOLERANCE:
                holding = n
            else:
                failing = n
        witness = f'n ≥ {holding}'
    else:  # the start of the last run of consecutive failures
        row = int(fails[np.flatnonzero(np.diff(fails, prepend=-2) > 1)[-1]])
        note = f'n = {depths[row]}, and every further n tried up to {depths[fails[-1]]}'
    if witness:
        return Cell(constraint.name, True, True, len(depths), witness)
    example = _example(constraint.name, tested, cases, row, scores, note)
    return Cell(constraint.name, False, False, len(depths), '', example, example)
