"""What a paper declares: its data file, its tables, the rules of its claims and the sentences that numbers choose."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ..errors import did_you_mean
from ..io.files import read_yaml
from .quantities import Part
from .workspace import PAPERS, Workspace

F = TypeVar('F', bound=Callable[..., Any])

MODULES = {path.stem: path.stem[:-5] for path in sorted(PAPERS.glob('*-????.yaml'))}
"""The papers and their modules."""
_EARLIER = {
    'amigo-2018': ('axioms', 'unanimity', 'dynamic-domain'),
    'turkmen-2023': ('innovation',),
    'carterette-2011': ('user-models',),
    'dou-2019': ('hierarchies',),
}
"""The papers and the studies of earlier versions that had their tables."""

Cells = Mapping[Any, Any]
"""What a table function returns: (row, column), or (block, row, column), → Quantity, number or text."""
Notes = list[tuple[str, str]]
"""(class, text) of warnings."""
Choice = tuple[Sequence[bool], Mapping[str, Any]]
"""Which sentences are true, and the numbers in them by name."""

TABLES: dict[tuple[str, str], Callable[[Workspace], Cells]] = {}
RULES: dict[tuple[str, str], Callable[[Any], Iterable[Part]]] = {}
SENTENCES: dict[tuple[str, str], tuple[Callable[[Any], Choice], Sequence[str]]] = {}


class Outcome(NamedTuple):
    """What became of a table.

    Attributes:
        cells: its numbers.
        seconds: CPU seconds.
        notes: its warnings.
        problem: why there are no numbers; '' if there are.
        failed: whether that is an error, rather than missing data.
    """

    cells: Cells = {}
    seconds: float = 0.0
    notes: Notes = []
    problem: str = ''
    failed: bool = False


class Claim(NamedTuple):
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


def table(key: str, identifier: str) -> Callable[[F], F]:
    """Declare the function that computes a table or figure of a paper."""

    def declare(function: F) -> F:
        TABLES[key, identifier] = function
        return function

    return declare


def rule(key: str, *identifiers: str) -> Callable[[F], F]:
    """Declare the function that compares what a claim compares; of several claims, it takes the claim's id, too.

    A claim whose rule in the data file names cells of a table needs none.
    """

    def declare(function: F) -> F:
        for name in identifiers:
            several = len(identifiers) > 1
            RULES[key, name] = functools.partial(function, claim=name) if several else function
        return function

    return declare


def sentence(key: str, identifier: str, *choices: str) -> Callable[[F], F]:
    """Declare the sentences below a table, by a function that says which one is true. Names in braces are numbers."""

    def declare(function: F) -> F:
        SENTENCES[key, identifier] = function, choices
        return function

    return declare


@functools.cache
def load(key: str) -> dict[str, Any]:
    """The data file of a paper, with its errata; its functions are declared.

    Raises:
        ValueError: no paper, or several, have a key that begins so.
    """
    for replacement, names in _EARLIER.items():
        if key in names:
            raise ValueError(f'the study {key!r} is now a part of {replacement!r}')
    fitting = [name for name in MODULES if key and name.startswith(key)]
    if len(fitting) != 1:
        raise ValueError(f'no paper {key!r}{did_you_mean(key, MODULES)}')
    (name,) = fitting
    importlib.import_module(f'.{MODULES[name]}', __package__)
    data: dict[str, Any] = read_yaml(PAPERS / f'{name}.yaml')
    data['errata'] = read_yaml(PAPERS / 'errata.yaml').get(name, [])
    data['parts'] = {each['id']: each for each in [*data['tables'], *data['figures']]}
    return data


def spec(key: str, identifier: str) -> dict[str, Any]:
    """A table or figure of the data file."""
    return dict(load(key)['parts'][identifier])
