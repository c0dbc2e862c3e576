"""Make subcommands of functions: options come from their signatures, texts from the table of options."""

from __future__ import annotations

import errno
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from ..errors import visible
from ..results import count
from ..results.tables import render
from .options import OPTIONS, TARGET, Argument, forced, option
from .readers import READERS

# ------------------------------------------------------------------------------------------- commands and their help


def short(help: str) -> str:
    """The first sentence of a help text, as lists of commands show it."""
    return ' '.join(help.partition('\n\n')[0].split()).partition('. ')[0].removesuffix('.') + '.'


class Command(click.Command):
    """A subcommand whose help explains its arguments, and which checks where it will write before it computes."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (parameter.metavar or '', parameter.explanation)
            for parameter in self.params
            if isinstance(parameter, Argument)
        ]
        if rows:
            with formatter.section('Arguments'):
                formatter.write_dl(rows)
        super().format_options(context, formatter)

    def invoke(self, context: click.Context) -> Any:
        from ..io.files import check_target

        for parameter in self.params:
            path = context.params.get(parameter.name or '')
            if parameter.type is TARGET and path is not None:
                check_target(path, forced(), '--force')
        return super().invoke(context)


class Group(click.Group):
    """Subcommands that are built when they are used.

    Attributes:
        members: rows, commands and groups by name, in the order of ``--help``.
    """

    def __init__(self, name: str, help: str, members: Sequence[Any], **attributes: Any) -> None:
        super().__init__(name, help=inspect.cleandoc(help), **attributes)
        self.members = {member.name: member for member in members}

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.members)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        member = self.members.get(name)
        return build(member) if isinstance(member, Sub) else member

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section('Commands'):
            formatter.write_dl(
                [
                    (name, short(member.help or ''))
                    for name, member in self.members.items()
                    if not getattr(member, 'hidden', False)
                ]
            )


@dataclass(frozen=True)
class Sub:
    """A subcommand that calls one function.

    Attributes:
        name: the word that the user types.
        function: the function, as ``'module:name'`` below the package, or a function of this package's own.
        help: the help text. Its first sentence is shown in lists of commands.
        plot: a function that draws the result, as ``'module:name'``; ``'plot'`` for the result's own method.
        without: parameters of the function that the command does not offer, separated by spaces.
        further: options that are no parameters of the function, separated by spaces.
        then: a function of the result that gives what is printed.
        names: entries of the table of options or of the readers, for parameters that have other names.
    """

    name: str
    function: str | Callable[..., Any]
    help: str
    plot: str = ''
    without: str = ''
    further: str = 'form'
    then: Callable[[Any], Any] | None = None
    names: Mapping[str, str] = field(default_factory=dict)


def load(place: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function at ``'module:name'`` below the package; a function is returned as it is."""
    if callable(place):
        return place
    module, _, name = place.partition(':')
    loaded: Any = importlib.import_module(f'..{module}', __package__)
    return functools.reduce(getattr, name.split('.'), loaded)  # type: ignore[no-any-return]


def command(
    *entries: str | click.Parameter, name: str = '', **attributes: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function, with its docstring as the help.

    Args:
        entries: what the function takes, in the order of the help: names in the table of options, separated by spaces,
            or parameters of the function's own.
        name: the word that the user types. The default is the name of the function.
        attributes: of the command.
    """
    parameters = [
        parameter
        for entry in entries
        for parameter in (
            [OPTIONS[key](key) for key in entry.split()] if isinstance(entry, str) else [entry]
        )
    ]
    return lambda function: Command(
        name or function.__name__,
        callback=function,
        help=inspect.getdoc(function),
        params=parameters,
        **attributes,
    )


# --------------------------------------------------------------------------------------------- a command of a function


def build(row: Sub) -> Command:
    """The command of a row.

    Each parameter of the function is read by one of :data:`READERS`, which has options of its own, or is one option.
    A parameter of neither table is offered if its annotation is a number, a text or a flag.
    """
    function = load(row.function)
    sources: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    declared: dict[str, click.Parameter] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        key = row.names.get(
            name, name if parameter.annotation not in READERS else parameter.annotation
        )
        if name in row.without.split():
            continue
        if key in READERS:
            read = READERS[key]
            keys = list(inspect.signature(read).parameters)
        elif key in OPTIONS or kind(parameter):
            read, keys = _itself, [key]
        else:
            continue
        sources.update({name: (read, keys)})
        inherits = key == name and isinstance(parameter.default, (int, float, str))
        for each in keys:
            make = OPTIONS.get(each) or derived(function, parameter)
            made = make(
                each, **({'default': parameter.default} if inherits and each == name else {})
            )
            declared.update({each: made})
    further = [*row.further.split(), *['plot'] * bool(row.plot)]
    declared.update({key: OPTIONS[key](key) for key in further})
    order = [*OPTIONS, *declared]

    def run(**typed: Any) -> None:
        arguments: dict[str, Any] = {}
        for name, (read, keys) in sources.items():
            values = [typed[key] for key in keys]
            required = (
                inspect.signature(function).parameters[name].default is inspect.Parameter.empty
            )
            if required or any(value not in (None, ()) for value in values):
                arguments.update({name: read(*values)})
        positional = [arguments.pop('self')] if 'self' in arguments else []
        output(row, function(*positional, **arguments), arguments, typed)

    return Command(
        row.name,
        callback=run,
        help=inspect.cleandoc(row.help),
        params=sorted(declared.values(), key=lambda made: order.index(made.name or '')),
    )


def _itself(value: Any) -> Any:
    return value


KINDS = {'bool': bool, 'int': int, 'float': float, 'str': str}


def kind(parameter: inspect.Parameter) -> type | None:
    """The type of what is typed for a parameter: a number, a text or a flag; None for everything else."""
    return KINDS.get(str(parameter.annotation).removesuffix(' | None'))


def derived(
    function: Callable[..., Any], parameter: inspect.Parameter
) -> Callable[..., click.Parameter]:
    """An option of a parameter that is not in the table: its text is in the docstring of the function."""
    found = re.search(
        rf'^ *{parameter.name}: (.*(?:\n(?! *\w+:|\n).*)*)',
        inspect.getdoc(function) or '',
        re.MULTILINE,
    )
    text = ' '.join(found[1].split()).replace('``', '') if found else ''
    flag = {'is_flag': True} if kind(parameter) is bool else {'type': kind(parameter)}
    return option('--' + parameter.name.replace('_', '-'), help=text[:1].upper() + text[1:], **flag)


# ------------------------------------------------------------------------------------------------------------- output


def output(row: Sub, result: Any, arguments: Mapping[str, Any], typed: Mapping[str, Any]) -> None:
    """Draw, save or print the result of a row's function."""
    shown = result if row.then is None else row.then(result)
    if typed.get('plot') is not None:
        if row.plot == 'plot':
            drawn = result.plot()
        else:
            draws = load(row.plot)
            own = (
                'qrels' in inspect.signature(draws).parameters
            )  # it draws what is asked for, not the result
            drawn = draws(**arguments) if own else draws(shown)
        draw(drawn, typed['plot'])
    if 'output' in typed and 'form' not in typed and not isinstance(shown, str):
        save_qrels(shown, typed['output'], None)
    else:
        write(text_of(shown, typed.get('form'), 4), typed.get('output'))


def text_of(shown: Any, form: str | None, places: int) -> str:
    """Tables and texts as one text; parts of a list are separated by an empty line."""
    if isinstance(shown, str):
        return shown
    if isinstance(shown, list):
        return '\n\n'.join(text_of(part, form, places) for part in shown)
    if isinstance(shown, tuple):
        return '\n'.join(text_of(part, form, places) for part in shown)
    if hasattr(shown, '_headline'):
        if form is None and hasattr(shown, 'text'):
            return str(shown.text())
        shown = shown.to_frame()
    named = list(shown.index.names) != [None]
    return render(shown.reset_index() if named else shown, form or 'table', places)


def say(text: str, err: bool = False) -> None:
    """Print a text. Control characters in it are visible: names in files could change what a terminal shows."""
    if sys.stdout is None and not err:
        raise OSError(errno.EBADF, 'the standard output is closed')
    click.echo(visible(text, '\n\t'), err=err)


def say_below(lines: Iterable[str], form: str | None, output: str | None = None) -> None:
    """Print sentences below a table that people read; otherwise print them as messages."""
    for line in lines:
        say(line, err=form not in (None, 'table', 'markdown') or output is not None)


def write(text: str, path: str | None = None) -> None:
    """Print a text, or write it to a file."""
    if path is None:
        if text:
            say(text.removesuffix('\n'))
        return
    from ..io.files import replacing

    text = text if text.endswith('\n') or not text else text + '\n'
    with (
        replacing(path, forced(), '--force') as partial,
        open(partial, 'w', encoding='utf-8') as file,
    ):
        file.write(text)


def draw(drawn: Any, path: str) -> None:
    """Write the picture on matplotlib axes."""
    from ..io.files import replacing

    figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
    with replacing(path, forced(), '--force') as partial:
        figure.savefig(partial, dpi=150)


def save_qrels(table: Any, path: str, format: str | None) -> None:
    """Write judgments to a file, and say how many."""
    from ..judgments.qrels import write_qrels

    write_qrels(table, path, format=format, overwrite=forced())
    say(
        f'{path}: {count(len(table), "row")}, {count(table["query_id"].nunique(), "query", "queries")}'
    )


__all__ = [
    'Command',
    'Group',
    'Sub',
    'build',
    'command',
    'draw',
    'save_qrels',
    'say',
    'say_below',
    'text_of',
    'write',
]
