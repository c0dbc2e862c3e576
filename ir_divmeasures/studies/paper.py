"""A published paper recomputed on runs: its tables, when they are asked for, and the verdicts on its claims."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DivMeasuresWarning, did_you_mean
from .declarations import (
    RULES,
    SENTENCES,
    TABLES,
    Cells,
    Claim,
    Outcome,
    load,
    rule,
    sentence,
    table,
)
from .layout import write
from .quantities import UNTESTED, NotTestableError, verdict
from .workspace import Workspace

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike


def noted(records: Iterable[warnings.WarningMessage]) -> tuple[tuple[str, str], ...]:
    """(class, text) of the warnings of this package; others are repeated."""
    notes = []
    for each in records:
        if issubclass(each.category, DivMeasuresWarning):
            notes.append((each.category.__name__, str(each.message)))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return tuple(notes)


def compute(work: Workspace, key: str, identifier: str) -> Outcome:
    """A table of a paper. Errors become its problem, so that other tables are still printed."""
    load(key)
    cells: Cells = {}
    problem, failed, start = '', False, time.process_time()
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        try:
            if load(key)['parts'].get(identifier, {}).get('status') != 'text':
                work.enough(2, 2)
            cells = TABLES[key, identifier](work)
        except NotTestableError as reason:
            problem = str(reason)
        except Exception as error:
            problem, failed = f'error: {type(error).__name__}: {error}', True
    return Outcome(cells, time.process_time() - start, noted(records), problem, failed)


class Paper:
    """A paper on a workspace. ``paper['table2']`` computes this table only, ``paper.claims`` what the claims need.

    Attributes:
        key, data: the paper's key and its data file.
        work: the data.
        outcomes: what became of the tables that were computed, by id.
        command: the command or call that made it.
        notes: (class, text) of warnings about the runs and judgments.
        interrupted: whether Ctrl-C stopped it.
    """

    def __init__(
        self,
        key: str,
        work: Workspace,
        command: str = '',
        notes: Iterable[tuple[str, str]] = (),
        jobs: int = 1,
    ) -> None:
        self.data = load(key)
        self.key = self.data['paper']['key']
        self.work, self.command, self.notes, self.jobs = work, command, list(notes), jobs
        self.outcomes: dict[str, Outcome] = {}
        self.interrupted = False

    def __repr__(self) -> str:
        cite = self.data['paper']
        return (
            f"{cite['title']} ({cite['venue']}) on {self.work.name}: {', '.join(self.identifiers)}"
        )

    @property
    def identifiers(self) -> list[str]:
        """Ids of the tables and figures that this package computes, in the order of the paper, then further ones."""
        known = [each for each in self.data['parts'] if (self.key, each) in TABLES]
        return known + [name for key, name in TABLES if key == self.key and name not in known]

    def named(self, name: str) -> str:
        """The id that a user means: ``'2'`` is ``'table2'``.

        Raises:
            ValueError: there is no such table.
        """
        known = [*self.data['parts'], *self.identifiers, 'claims', 'errata']
        for each in (name, f'table{name}'):
            if each in known:
                return each
        raise ValueError(f'{self.key} has no table {name!r}{did_you_mean(name, known)}')

    def __getitem__(self, identifier: str) -> Cells:
        identifier = self.named(identifier)
        self.compute([identifier])
        outcome = self.outcomes.get(identifier)
        if outcome is None:
            raise NotTestableError(f'{identifier} is not recomputed')
        if outcome.problem:
            raise NotTestableError(f'{identifier}: {outcome.problem}')
        return outcome.cells

    def compute(self, identifiers: Iterable[str]) -> None:
        """Compute the tables that are not computed yet; an interruption keeps those that are finished."""
        todo = [
            each
            for each in dict.fromkeys(identifiers)
            if each in self.identifiers and each not in self.outcomes
        ]
        if self.interrupted:
            self.outcomes |= dict.fromkeys(todo, Outcome(problem='interrupted'))
            return
        try:
            for identifier, outcome in zip(todo, self._computed(todo)):
                self.outcomes[identifier] = outcome
        except KeyboardInterrupt:
            self.interrupted = True
            self.compute(todo)

    def _computed(self, todo: Sequence[str]) -> Iterable[Outcome]:
        if self.jobs == 1 or len(todo) < 2:
            return (compute(self.work, self.key, each) for each in todo)
        import joblib

        tasks = (joblib.delayed(compute)(self.work, self.key, each) for each in todo)
        found: Iterable[Outcome] = joblib.Parallel(self.jobs, return_as='generator')(tasks)
        return found

    @functools.cached_property
    def claims(self) -> list[Claim]:
        """The paper's claims in its order, each with its verdict."""
        return [self._judged(each) for each in self.data['claims']]

    def _judged(self, claim: Mapping[str, Any]) -> Claim:
        rules = claim.get('rule') or []
        rules = [rules] if isinstance(rules, Mapping) else rules
        try:
            if claim['status'] == 'unavailable':
                raise NotTestableError(claim.get('why', ''))
            if why := next((each['why'] for each in rules if each['kind'] == 'none'), None):
                raise NotTestableError(why)
            if claim['status'] != 'text':
                self.work.enough()
            parts = list(RULES[self.key, claim['id']](self))
            word = verdict(parts, rules)
            margins = [f'we take: {each["margin"]:g}' for each in rules if each.get('ours')]
            yours = '; '.join([*(part.yours for part in parts), *margins])
        except NotTestableError as reason:
            word, yours = UNTESTED, str(reason)
        except KeyboardInterrupt:
            self.interrupted, word, yours = True, UNTESTED, 'interrupted'
        numbers = ', '.join(f'{number:g}' for number in claim.get('numbers', ()))
        return Claim(claim['id'], claim['where'], claim['says'], numbers, yours, word)

    def claim(self, identifier: str) -> Claim:
        """One claim, by its id, with only the tables that its rule needs."""
        return self._judged(next(each for each in self.data['claims'] if each['id'] == identifier))

    def sentences(self, identifier: str) -> list[str]:
        """The sentences that the numbers choose for a table."""
        texts = []
        for each in SENTENCES.get((self.key, identifier), []):
            try:
                texts.append(each.choose(each.facts(self)))
            except NotTestableError:
                continue
        return texts

    @property
    def failed(self) -> bool:
        """Whether a table ended with an error."""
        return any(outcome.failed for outcome in self.outcomes.values())

    def to(self, format: str = 'markdown', tables: Iterable[str] = ()) -> str:
        """The paper as a page.

        Args:
            format: ``'markdown'``, ``'html'``, ``'latex'`` or ``'csv'``.
            tables: ids of the tables on it; all tables and claims by default.
        """
        chosen = [self.named(name) for name in tables]
        self.compute(chosen or self.data['parts'])
        return write(self, format, chosen)


def paper(
    key: str,
    runs: RunsLike | None = None,
    qrels: QrelsLike | None = None,
    *,
    jobs: int = 1,
    command: str = '',
    **settings: Any,
) -> Paper:
    """A published paper on your runs: its tables beside the paper's numbers, and a verdict on each of its claims.

    Nothing is computed before a table or the claims are asked for.

    Args:
        key: the paper: ``'amigo-2018'``, ``'carterette-2011'``, ``'dou-2019'``, ``'turkmen-2023'``, or a beginning.
        runs: the systems' runs, in any form that :func:`ir_divmeasures.read_runs` takes. Without them, the page is made
            for the sample collection.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        jobs: number of processes; the result does not depend on it.
        command: what the page says it was made by.
        settings: ``name`` of the data, ``seed``, ``full`` (all simulations on large data), and what some tables need:
            ``docs`` (texts of documents), ``superintents``, ``assessors`` (further judgments), ``passages``.

    Returns:
        A :class:`Paper`: ``paper['table2']``, ``paper.claims``, ``paper.to('markdown')``.

    Raises:
        ValueError: no such paper; runs without judgments.

    Examples:
        >>> study = paper('turkmen')
        >>> study.claim('t06').verdict
        'agree'
        >>> study.claim('t05').verdict
        'agree'
    """
    if (runs is None) != (qrels is None):
        raise ValueError('runs and qrels: expected both, or neither for the sample collection')
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        if runs is None or qrels is None:
            work = Workspace.sample(**settings)
        else:
            work = Workspace(runs, qrels, **settings)
    given = ', '.join(repr(each) for each in (key, runs, qrels) if isinstance(each, str))
    return Paper(key, work, command or f'studies.paper({given})', noted(records), jobs)


__all__ = ['Cells', 'Claim', 'Paper', 'load', 'paper', 'rule', 'sentence', 'table']
