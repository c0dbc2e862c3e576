"""The gate for questionable input: what a check is, the list of all checks, and how hosts ask them.

A :class:`Check` is declared once, by :func:`check` above its function: its name, the class of its warning, its stage,
what it needs to know. :func:`ask` runs all checks of a stage. The checks are in :mod:`~ir_divmeasures.evaluation.meaning`
(of judgments) and :mod:`~ir_divmeasures.evaluation.checks` (of runs).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..errors import LINES, DivMeasuresWarning, Message, shortened, warn
from .facts_of_runs import EXAMPLES, Facts

STAGES = ('judgments', 'run', 'scores', 'systems')
"""When checks are made: of judgments and measures, of each run, of its scores, and of all runs of a call."""

Question = Callable[[Facts], 'str | None']


class Check(NamedTuple):
    """A check.

    Attributes:
        name: the subject of the check.
        warning: the class of the warning.
        stage: one of :data:`STAGES`.
        needs: which of :attr:`~ir_divmeasures.evaluation.facts_of_runs.Facts.knows` it needs.
        message: a function of facts that returns the message, or None if nothing is questionable.
        every_part: whether the check must fail in every part, if judgments are checked in parts.
    """

    name: str
    warning: type[DivMeasuresWarning]
    stage: str
    needs: frozenset[str]
    message: Question
    every_part: bool = False


CHECKS: list[Check] = []
"""All checks in the order in which they run: special ones before general ones."""


def check(
    name: str, warning: type[DivMeasuresWarning], stage: str, *needs: str, every_part: bool = False
) -> Callable[[Question], Question]:
    """Declare a function of facts as a check. A check of judgments needs judgments, and one of a run needs the run."""

    def declare(message: Question) -> Question:
        CHECKS.append(Check(name, warning, stage, frozenset(needs), message, every_part))
        return message

    return declare


def ask(facts: Facts, stage: str) -> list[Message]:
    """The messages of the checks of a stage, each with the class of its warning; one of a class, and none where one of
    a more special class was given. Those of judgments are kept for the next call with the same measures."""
    kept = facts.judgments.kept if stage == 'judgments' else {}
    key = tuple(facts.own), tuple(facts.in_single)
    if 'asked' not in kept or kept['asked'][0] != key:
        knows = facts.knows
        texts: dict[type[DivMeasuresWarning], str] = {}
        for each in CHECKS:
            if each.stage != stage or not each.needs <= knows:
                continue
            if any(issubclass(category, each.warning) for category in texts):
                continue
            if (text := each.message(facts)) is not None:
                texts[each.warning] = text
        kept['asked'] = key, [(text, category) for category, text in texts.items()]
    messages: list[Message] = kept['asked'][1]
    return messages


def warn_of(facts: Facts, stage: str) -> None:
    """Give the warnings of the checks of a stage, as many as earlier stages left of the lines of a call. Those of
    judgments leave one line for the run."""
    place = STAGES.index(stage)
    earlier = sum(facts.lines.get(each, 0) for each in STAGES[:place])
    messages = shortened(ask(facts, stage), LINES - earlier - (place == 0))
    facts.lines[stage] = len(messages)
    for message, category in messages:
        warn(message, category)


def some(names: Sequence[Any]) -> str:
    """The first names, quoted."""
    return ', '.join(map(repr, names[:EXAMPLES])) + (', …' if len(names) > EXAMPLES else '')


def first_of(names: Sequence[str]) -> str:
    """The first name, and dots if there are more."""
    return names[0] + ' …' * (len(names) > 1)
