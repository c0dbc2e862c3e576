"""What a paper declares: its data file, its tables, the rules of its claims and the sentences that numbers choose."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import did_you_mean
from ..io.files import read_yaml
from .quantities import Part
from .workspace import PAPERS, Workspace

MODULES = {
    'amigo-2018': 'amigo',
    'carterette-2011': 'carterette',
    'dou-2019': 'dou',
    'turkmen-2023': 'turkmen',
}
"""The papers and their modules."""

Cells = Mapping[tuple[str, ...], Any]
"""What a table function returns: (row, column), or (block, row, column), → Quantity, number or text."""

TABLES: dict[tuple[str, str], Callable[[Workspace], Cells]] = {}
RULES: dict[tuple[str, str], Callable[[Any], Iterable[Part]]] = {}
SENTENCES: dict[tuple[str, str], list[Sentence]] = {}


def table(key: str, identifier: str) -> Callable[[Callable[[Workspace], Cells]], Any]:
    """Declare the function that computes a table or figure of a paper."""

    def declare(function: Callable[[Workspace], Cells]) -> Callable[[Workspace], Cells]:
        TABLES[key, identifier] = function
        return function

    return declare


def rule(key: str, *identifiers: str) -> Callable[[Callable[..., Iterable[Part]]], Any]:
    """Declare the function that compares what a claim compares; of several claims, it takes the claim's id, too."""

    def declare(function: Callable[..., Iterable[Part]]) -> Callable[..., Iterable[Part]]:
        for identifier in identifiers:
            RULES[key, identifier] = (
                functools.partial(function, claim=identifier) if len(identifiers) > 1 else function
            )
        return function

    return declare


@dataclass(frozen=True)
class Sentence:
    """Sentences of which the numbers choose one.

    Attributes:
        facts: the numbers, by name, of a paper.
        choices: conditions on them, each with its sentence. Names in braces are numbers.
    """

    facts: Callable[[Any], Mapping[str, Any]]
    choices: Sequence[tuple[Callable[[Mapping[str, Any]], bool], str]]

    def choose(self, facts: Mapping[str, Any]) -> str:
        """The sentence whose condition holds.

        Raises:
            ValueError: no condition holds, or more than one.
        """
        true = [text for condition, text in self.choices if condition(facts)]
        if len(true) != 1:
            raise ValueError(f'{len(true)} of {len(self.choices)} sentences hold for {facts}')
        return true[0].format_map(facts)


def sentence(
    key: str,
    identifier: str,
    *choices: tuple[Callable[[Mapping[str, Any]], bool], str],
) -> Callable[[Callable[[Any], Mapping[str, Any]]], Any]:
    """Declare the sentences below a table, by a function that returns the numbers that choose one."""

    def declare(facts: Callable[[Any], Mapping[str, Any]]) -> Any:
        SENTENCES.setdefault((key, identifier), []).append(Sentence(facts, choices))
        return facts

    return declare


@functools.cache
def load(key: str) -> dict[str, Any]:
    """The data file of a paper, with its errata; its functions are declared.

    Raises:
        ValueError: no paper, or several, have a key that begins so.
    """
    replaced = {'innovation': 'turkmen-2023', 'user-models': 'carterette-2011'}
    replaced |= {'hierarchies': 'dou-2019', 'nuggets': ''}
    replaced |= dict.fromkeys(('axioms', 'unanimity', 'dynamic-domain'), 'amigo-2018')
    if new := replaced.get(key):
        raise ValueError(f'the study {key!r} is now a part of {new!r}')
    fitting = [name for name in MODULES if name.startswith(key)] if key else []
    if len(fitting) != 1:
        raise ValueError(f'no paper {key!r}{did_you_mean(key, MODULES)}')
    (name,) = fitting
    importlib.import_module(f'.{MODULES[name]}', __package__)
    texts = {file: read_yaml(PAPERS / f'{file}.yaml') for file in (name, 'errata')}
    data: dict[str, Any] = texts[name]
    data['errata'] = texts['errata'].get(name, [])
    data['parts'] = {each['id']: each for each in [*data['tables'], *data['figures']]}
    return data


@dataclass(frozen=True)
class Outcome:
    """What became of a table.

    Attributes:
        cells: its numbers.
        seconds: CPU seconds.
        notes: (class, text) of its warnings.
        problem: why there are no numbers; '' if there are.
        failed: whether that is an error, rather than missing data.
    """

    cells: Cells = field(default_factory=dict)
    seconds: float = 0.0
    notes: tuple[tuple[str, str], ...] = ()
    problem: str = ''
    failed: bool = False


@dataclass(frozen=True)
class Claim:
    """A claim of a paper and what the data say.

    Attributes:
        id, where, says: the claim.
        paper: the paper's numbers, as text.
        yours: what was computed, or why nothing was.
        verdict: one of four words.
    """

    id: str
    where: str
    says: str
    paper: str
    yours: str
    verdict: str


def notices(notes: Iterable[tuple[str, str]], systems: Iterable[str]) -> list[str]:
    """A line for each class of warnings: class, count, up to three systems, the first text; at most ten lines."""
    texts: dict[str, list[str]] = {}
    for category, text in notes:
        texts.setdefault(category, []).append(text)
    lines = []
    for category, several in texts.items():
        label = re.sub('(?<=[a-z])(?=[A-Z])', ' ', category.removesuffix('Warning')).lower()
        label = label.replace('div measures', 'other')
        named = [name for name in systems if any(name in text for text in several)]
        which = f' ({", ".join(named[:3])}{", …" * (len(named) > 3)})' if named else ''
        notice = 'notice' if len(several) == 1 else 'notices'
        lines.append(f'{label}: {len(several)} {notice}{which}; {several[0]}')
    return lines[:10]


__all__ = [
    'MODULES',
    'RULES',
    'SENTENCES',
    'TABLES',
    'Cells',
    'Claim',
    'Outcome',
    'Sentence',
    'load',
    'notices',
    'rule',
    'sentence',
    'table',
]
