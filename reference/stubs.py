"""Stubs for editors and type checkers: the parameters of each measure, and the public names of the package."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import ir_divmeasures
from ir_divmeasures import families
from ir_divmeasures import judgments as judgments_package
from ir_divmeasures.core.parameters import ByGrade, Choice, Parameter
from ir_divmeasures.core.registry import DivMeasure, catalogue, registry

HEAD = '''\
# mypy: disable-error-code="override"
# pyright: reportIncompatibleMethodOverride=false
"""The measures, for editors and type checkers. Made by ``python -m reference stubs``; do not change it by hand."""
from collections.abc import Mapping
from typing import Literal

from ir_measures import Measure

from ..core.registry import DivMeasure
'''
BLANK = '\0'
"""A space at which a line is not broken."""


def type_of(parameter: Parameter) -> str:
    """The annotation of a parameter: ``float``, ``Literal['exp', 'linear'] | None``, ….

    Names that users can add to, such as stopping distributions, are ``str``.
    """
    admits = parameter.admits
    if parameter.dtype is ByGrade:
        kinds = []
    elif isinstance(admits, Choice) and not callable(admits.names) and admits.also is None:
        kinds = [f'Literal[{", ".join(map(repr, admits.names))}]']
    else:
        kinds = [parameter.dtype.__name__]
    if words := getattr(admits, 'words', ()):
        kinds.append(f'Literal[{", ".join(map(repr, words))}]')
    if parameter.per_grade is not None:
        kinds.append('Mapping[float, float]')
    if parameter.optional:
        kinds.append('None')
    return ' | '.join(kinds)


def stub_of(measure: DivMeasure) -> str:
    """The class of a measure, and the name of its one object."""
    name, every = measure.NAME, measure.SUPPORTED_PARAMS
    inside = [each for each in every.values() if each.name == measure.wraps]
    named = [each for each in every.values() if each.name != measure.wraps]
    arguments = (
        [f'{each.name}: str | Measure = {each.default!r}' for each in inside]
        + ['*']
        + [f'{each.name}: {type_of(each)} = {each.default!r}' for each in named]
    )
    if measure.facts.further is not None:
        arguments.append('**parameters: bool | float | str | None')
    meaning = [f'{each.name}: {each.desc}{_admitted(each)}.' for each in every.values()]
    doc = '\n'.join(
        [
            measure.SHORT_DESC,
            '',
            'Args:',
            *(
                textwrap.fill(line, 108, initial_indent='    ', subsequent_indent=' ' * 8)
                for line in meaning
            ),
        ]
    )
    unbroken = [each.replace(' ', BLANK) for each in ('self', *arguments)]
    signature = textwrap.fill(
        f'{", ".join(unbroken)}){BLANK}->{BLANK}_{name}:',
        118,
        initial_indent=' ' * 12,
        subsequent_indent=' ' * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )
    signature = signature.replace(BLANK, ' ').strip()
    at = (
        f'''
    def __matmul__(self, at_param: int, /) -> _{name}:
        """The measure with this cutoff."""
'''
        if 'cutoff' in every
        else ''
    )
    return f'''
class _{name}(DivMeasure):
    def __call__(
            {signature}
        {_quoted(doc)}
{at}
{name}: _{name}
'''


def _admitted(parameter: Parameter) -> str:
    """The admitted values in words, where the type does not say them."""
    choice = isinstance(parameter.admits, Choice)
    return (
        f'. Allowed: {parameter.expected}'
        if parameter.admits is not None and not choice or parameter.per_grade
        else ''
    )


def _quoted(text: str) -> str:
    quoted = textwrap.indent(text.replace('\\', '\\\\'), ' ' * 8).strip()
    return f'"""{quoted}\n        """'


def page() -> str:
    """The stub of the measures and of their further names."""
    measures = [measure for measure in catalogue() if measure.NAME in families.__all__]
    names = [
        name for name, measure in registry.items() if measure in measures and name != measure.NAME
    ]
    aliases = [f'{name}: _{registry[name].NAME}' for name in names]
    names_text = textwrap.fill(
        ', '.join(map(repr, families.__all__)), 116, initial_indent='    ', subsequent_indent='    '
    )
    return (
        HEAD
        + ''.join(map(stub_of, measures))
        + '\n'
        + '\n'.join(aliases)
        + f'\n\n__all__ = [\n{names_text}\n]\n'
    )


PACKAGE_HEAD = '''\
"""Public names, for editors and type checkers. Made by ``python -m reference stubs``; do not change it by hand."""
from . import presets as presets
from .core.registry import measure as measure
from .core.registry import measures as measures
from .core.registry import unregister_measure as unregister_measure
from .errors import DivMeasuresWarning as DivMeasuresWarning
from .families import *
'''


def package() -> str:
    """The stub of the package itself."""
    further = [name for name, measure in registry.items() if name not in families.__all__]
    lines = [f'from . import {name} as {name}' for name in ir_divmeasures._MODULES]
    lines += imports(ir_divmeasures._HOMES)
    lines += [f'from .families import {name} as {name}' for name in further]
    listed = textwrap.fill(
        ', '.join(map(repr, ir_divmeasures.__all__)),
        116,
        initial_indent='    ',
        subsequent_indent='    ',
    )
    body = '\n'.join(lines)
    return f'{PACKAGE_HEAD}{body}\n\n__version__: str\n__all__ = [\n{listed}\n]\n'


def imports(homes: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The lines that import names from their modules."""
    return [
        f'from .{module} import {name} as {name}'
        for module, names in homes.items()
        for name in names
    ]


def judgments() -> str:
    """The stub of the package ``judgments``."""
    head = PACKAGE_HEAD.split('\n')[0]
    return '\n'.join([head, *imports(judgments_package._HOMES), '', '__all__: list[str]'])


__all__ = ['judgments', 'package', 'page', 'stub_of', 'type_of']
