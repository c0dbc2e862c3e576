"""A published paper recomputed on runs: its tables, when they are asked for, and the verdicts on its claims."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import DivMeasuresWarning, did_you_mean
from .contrasts import contrasts
from .declarations import RULES, SENTENCES, TABLES, Cells, Claim, Notes, Outcome, load
from .layout import write
from .quantities import UNTESTED, NotTestableError, verdict
from .workspace import Workspace

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike


def noted(records: Iterable[warnings.WarningMessage]) -> Notes:
    """The warnings of this package; others are repeated."""
    notes = []
    for each in records:
        if issubclass(each.category, DivMeasuresWarning):
            notes.append((each.category.__name__, str(each.message)))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return notes


def compute(work: Workspace, key: str, identifier: str) -> Outcome:
    """A table of a paper. Errors become its problem, so that other tables are still printed."""
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
        notes: warnings about the runs and judgments.
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
        self.work, self.command, self.notes, self.jobs = work, command, [*notes], jobs
        self.outcomes: dict[str, Outcome] = {}
        self.interrupted = False

    def __repr__(self) -> str:
        cite, names = self.data['paper'], ', '.join(self.identifiers)
        return f'{cite["title"]} ({cite["venue"]}) on {self.work.name}: {names}'

    @property
    def identifiers(self) -> list[str]:
        """Ids of the tables and figures that this package computes, in the order of the paper, then further ones."""
        own = [name for key, name in TABLES if key == self.key]
        return sorted(own, key=[*self.data['parts'], *own].index)

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
        import joblib

        known = set(self.identifiers) - set(self.outcomes)
        todo = [each for each in identifiers if each in known]
        tasks = (joblib.delayed(compute)(self.work, self.key, each) for each in todo)
        jobs = self.jobs if len(todo) > 1 else 1
        try:
            if self.interrupted:
                raise KeyboardInterrupt
            self.outcomes.update(zip(todo, joblib.Parallel(jobs, return_as='generator')(tasks)))
        except KeyboardInterrupt:
            self.interrupted = True
            for each in todo:
                self.outcomes.setdefault(each, Outcome(problem='interrupted'))

    @functools.cached_property
    def claims_by_id(self) -> dict[str, dict[str, Any]]:
        """The claims of the data file."""
        return {each['id']: each for each in self.data['claims']}

    def rules(self, claim: str) -> list[Mapping[str, Any]]:
        """What the data file says is compared for a claim."""
        stated = self.claims_by_id[claim].get('rule', [])
        return [stated] if isinstance(stated, Mapping) else stated

    @functools.cached_property
    def claims(self) -> list[Claim]:
        """The paper's claims in its order, each with its verdict."""
        return [self.claim(identifier) for identifier in self.claims_by_id]

    def claim(self, identifier: str) -> Claim:
        """One claim, by its id, with only the tables that its rule needs."""
        claim, rules = self.claims_by_id[identifier], self.rules(identifier)
        word = UNTESTED
        try:
            for each in [claim, *rules]:
                if 'why' in each:
                    raise NotTestableError(each['why'])
            if claim['status'] != 'text':
                self.work.enough()
            if 'needs' in claim:
                self.work.need(claim['needs'])
            own = RULES.get((self.key, identifier))
            parts = list(own(self) if own else contrasts(self, identifier))
            word = verdict(parts, rules)
            margins = {f'we take: {each["margin"]:g}' for each in rules if each.get('ours')}
            yours = '; '.join([*(part.yours for part in parts), *margins])
        except NotTestableError as reason:
            yours = str(reason)
        except KeyboardInterrupt:
            self.interrupted, yours = True, 'interrupted'
        numbers = ', '.join(f'{number:g}' for number in claim.get('numbers', ()))
        return Claim(identifier, claim['where'], claim['says'], numbers, yours, word)

    def sentence(self, identifier: str) -> str:
        """The sentence that the numbers choose for a table, '' if there is none.

        Raises:
            ValueError: no sentence is true, or more than one.
        """
        if (self.key, identifier) not in SENTENCES:
            return ''
        choose, texts = SENTENCES[self.key, identifier]
        try:
            true, numbers = choose(self)
        except NotTestableError:
            return ''
        if sum(true) != 1:
            raise ValueError(f'{sum(true)} of {len(texts)} sentences are true of {numbers}')
        return texts[list(true).index(True)].format_map(numbers)

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
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        if runs is None and qrels is None:
            work = Workspace.sample(**settings)
        elif runs is None or qrels is None:
            raise ValueError('runs and qrels: expected both, or neither for the sample collection')
        else:
            work = Workspace(runs, qrels, **settings)
    given = ', '.join(repr(each) for each in (key, runs, qrels) if isinstance(each, str))
    return Paper(key, work, command or f'studies.paper({given})', noted(records), jobs)


__all__ = ['Paper', 'paper']
