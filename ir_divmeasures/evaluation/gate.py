"""The gate for questionable input: what a check is, the list of all checks, and who asks them.

A :class:`Check` is declared once, by :func:`check` above its function: its name, the class of its warning, its stage,
what it needs to know. :func:`ask` runs all checks of a stage. :data:`HOSTS` lists what each host passes on, and therefore
what it can know (:meth:`Check.reason_without`). The checks are in :mod:`~ir_divmeasures.evaluation.meaning` (of
judgments) and :mod:`~ir_divmeasures.evaluation.checks` (of runs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import (
    LINES,
    DivMeasuresWarning,
    FewQueriesWarning,
    FilesWarning,
    MembershipWarning,
    Message,
    RepeatedRowsWarning,
    TopicLevelWarning,
    TypesWarning,
    shortened,
    warn,
)
from .facts_of_runs import EXAMPLES, Facts

STAGES = ('judgments', 'run', 'scores', 'systems')
"""When checks are made: of judgments and measures, of each run, of its scores, and of all runs of a call."""

KNOWLEDGE = {
    'judgments': 'judgments',
    'run': 'ids and scores',
    'rows': 'the order of the rows',
    'rank': 'a rank column',
    'tag': 'run tags',
    'located': 'ranks of judged documents',
    'measures': 'measures',
    'subtopics': 'measures of diversity',
    'systems': 'several systems in a call',
}
"""The kinds of knowledge that checks need, in words."""

HOSTS: dict[str, dict[str, str]] = {
    'evaluate': {},
    'Evaluator': {'systems': 'scores one run a call'},
    'ir_measures.calc': {
        'rank': 'namedtuples of ir_measures have no rank',
        'tag': 'namedtuples of ir_measures have no tag',
        'systems': 'scores one run a call',
    },
    'pt.Experiment': {
        'tag': 'frames of PyTerrier have no tag',
        'systems': 'evaluates one system after the other',
    },
    'command': {},
    'parquet': {'tag': 'the column names the systems'},
    'Dask': {'tag': 'the column names the systems'},
    'leaderboard': {},
    'Pool': {
        'judgments': 'a pool of runs has no judgments',
        'measures': 'a pool of runs has no measures',
    },
    'diagnose': {},
}
"""The knowledge that each host lacks, and why."""

Question = Callable[[Facts], 'str | None']


@dataclass(frozen=True)
class Check:
    """A check.

    Attributes:
        name: the subject of the check.
        warning: the class of the warning.
        stage: one of :data:`STAGES`.
        needs: which of :data:`KNOWLEDGE` it needs.
        message: a function of facts that returns the message, or None if nothing is questionable.
        every_part: whether the check must fail in every part, if judgments are checked in parts.
    """

    name: str
    warning: type[DivMeasuresWarning]
    stage: str
    needs: frozenset[str]
    message: Question
    every_part: bool = False

    def reason_without(self, host: str) -> str | None:
        """Return why a host cannot make the check, or None if it can."""
        return next((why for what, why in HOSTS[host].items() if what in self.needs), None)


CHECKS: list[Check] = []
"""All checks in the order in which they run: special ones before general ones."""

ELSEWHERE: dict[type[DivMeasuresWarning], str] = {
    FewQueriesWarning: 'said where systems are compared',
    FilesWarning: 'said where a folder of runs is read',
    MembershipWarning: 'said where a run meets judgments of a pool',
    RepeatedRowsWarning: 'said where judgments are read',
    TopicLevelWarning: 'said once where a host asks for ad-hoc measures',
    TypesWarning: 'said where types are added to judgments',
}
"""Warnings that need no run."""


def check(
    name: str, warning: type[DivMeasuresWarning], stage: str, *needs: str, every_part: bool = False
) -> Callable[[Question], Question]:
    def declare(message: Question) -> Question:
        CHECKS.append(Check(name, warning, stage, frozenset(needs), message, every_part))
        return message

    return declare


def ask(facts: Facts, stage: str) -> Iterable[Message]:
    """The messages of the checks of a stage, each with the class of its warning; one of a class, and none where one of
    a more special class was given. Those of judgments are kept for the next call with the same measures."""
    if stage != 'judgments' or facts.judgments is None:
        return _ask(facts, stage)
    key, kept = (tuple(facts.own), tuple(facts.in_single)), facts.judgments.kept
    if kept.get('asked', (None, None))[0] != key:
        kept['asked'] = key, [*_ask(facts, stage)]
    messages: list[Message] = kept['asked'][1]
    return messages


def _ask(facts: Facts, stage: str) -> Iterator[Message]:
    knows, warned = facts.knows, set[type[DivMeasuresWarning]]()
    for each in CHECKS:
        if each.stage == stage and each.needs <= knows:
            if any(issubclass(category, each.warning) for category in warned):
                continue
            message = each.message(facts)
            if message is not None:
                warned.add(each.warning)
                yield message, each.warning


def warn_of(facts: Facts, stage: str) -> None:
    """Give the warnings of the checks of a stage, as many as earlier stages left of the lines of a call. Those of
    judgments leave one line for the run."""
    place = STAGES.index(stage)
    earlier = sum(facts.lines.get(each, 0) for each in STAGES[:place])
    messages = shortened([*ask(facts, stage)], LINES - earlier - (place == 0))
    facts.lines[stage] = len(messages)
    for message, category in messages:
        warn(message, category)


def some(names: Sequence[Any], n: int | None = None) -> str:
    """The first names, quoted, of n in all."""
    n = len(names) if n is None else n
    return ', '.join(map(repr, names[:EXAMPLES])) + (', …' if n > EXAMPLES else '')


__all__ = [
    'CHECKS',
    'ELSEWHERE',
    'HOSTS',
    'KNOWLEDGE',
    'STAGES',
    'Check',
    'ask',
    'check',
    'some',
    'warn_of',
]
