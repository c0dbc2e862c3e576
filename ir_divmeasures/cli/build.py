"""Make subcommands of functions: options come from their signatures, texts from their docstrings."""

from __future__ import annotations

import errno
import functools
import importlib
import inspect
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from ..errors import visible
from ..results import Result, count
from ..tables import render
from .options import OPTIONS, TARGET, Argument, declared, explanation, forced, shared
from .readers import READERS


class Command(click.Command):
    """A subcommand whose help explains its arguments, and which checks where it will write before it computes."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (piece, parameter.explanation)
            for parameter in self.params
            if isinstance(parameter, Argument)
            for piece in parameter.get_usage_pieces(context)
        ]
        if rows:
            with formatter.section('Arguments'):
                formatter.write_dl(rows)
        super().format_options(context, formatter)

    def invoke(self, context: click.Context) -> Any:
        from ..data.writing import check_target

        for parameter in self.params:
            path = context.params.get(parameter.name or '')
            if parameter.type is TARGET and path is not None:
                check_target(path, forced(), '--force')
        return super().invoke(context)


class Sub(NamedTuple):
    """A subcommand that calls one function.

    Attributes:
        name: the word that the user types.
        function: the function, as ``'module:name'`` below the package, or a function of this package's own.
        help: the help text. Its first sentence is shown in lists of commands.
        without: parameters of the function that the command does not offer, separated by spaces.
        further: options that are no parameters of the function, separated by spaces.
        then: a function of the result that gives what is printed. Its further parameters are options, too.
        names: entries of the table of options or of the readers, for parameters that have other names.
    """

    name: str
    function: str | Callable[..., Any]
    help: str
    without: str = ''
    further: str = 'form'
    then: Callable[..., Any] | None = None
    names: Mapping[str, str] = MappingProxyType({})


def subcommand(name: str = '', **attributes: Any) -> Callable[[Callable[..., Any]], Sub]:
    """Make a row of a function of this package. Its docstring is the help, with the texts of its own options."""
    return lambda function: Sub(
        name or function.__name__,
        function,
        (inspect.getdoc(function) or '').partition('\n\nArgs:')[0],
        **attributes,
    )


class Group(click.Group):
    """Subcommands that are built when they are used.

    Attributes:
        members: rows and groups by name, in the order of ``--help``.
    """

    def __init__(self, name: str, help: str, members: Sequence[Any], **attributes: Any) -> None:
        super().__init__(name, help=inspect.cleandoc(help), **attributes)
        self.members = {member.name: member for member in members}

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.members)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return command_of(self.members.get(name))

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section('Commands'):
            formatter.write_dl(
                [(name, first_sentence(member.help)) for name, member in self.members.items()]
            )


def first_sentence(text: str) -> str:
    """The first sentence of a help text, as lists of commands show it."""
    return re.split(r'\.(?:\s|$)', ' '.join(text.split()))[0] + '.'


def command_of(member: Sub | click.Command | None) -> click.Command | None:
    """The command of a row; groups are commands already."""
    return build(member) if isinstance(member, Sub) else member


def load(place: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function at ``'module:name'`` below the package; a function is returned as it is."""
    if callable(place):
        return place
    module, _, name = place.partition(':')
    loaded: Any = importlib.import_module(f'..{module}', __package__)
    return functools.reduce(getattr, name.split('.'), loaded)  # type: ignore[no-any-return]


def build(row: Sub) -> Command:
    """The command of a row.

    Each parameter of the function is read by one of :data:`READERS`, which has options of its own, or is one option:
    of the table :func:`shared`, or else of the function, if its annotation is a number, a text or a flag.
    """
    function = load(row.function)
    parameters = inspect.signature(function).parameters
    read: dict[str, tuple[Callable[..., Any] | None, list[str]]] = {}
    made: dict[str, Any] = {}
    for name, parameter in parameters.items():
        key = row.names.get(name, name)
        reader = READERS.get(str(parameter.annotation)) or READERS.get(key)
        if callable(row.function) and (own := described(function, parameter)):
            reader, options = None, {name: own}
        elif reader:
            keys = inspect.signature(reader).parameters
            options = {each: tabled(each, parameter) for each in keys}
        elif key in OPTIONS:
            options = {key: tabled(key, parameter)}
        else:
            options = {key: declared(function, parameter)}
        if name not in row.without.split() and None not in options.values():
            read |= {name: (reader, list(options))}
            made |= options
    further = row.further.split()
    made |= {key: declared(shared, OPTIONS[key]) for key in further}
    then = row.then or (lambda result: result)
    last = dict([*inspect.signature(then).parameters.items()][1:])
    made |= {key: described(then, each) or tabled(key, each) for key, each in last.items()}
    order = [*OPTIONS, *made]

    def run(**typed: Any) -> None:
        arguments: dict[str, Any] = {}
        for name, (reader, keys) in read.items():
            values = [typed[key] for key in keys]
            required = parameters[name].default is inspect.Parameter.empty
            if required or any(value not in (None, ()) for value in values):
                arguments |= {name: reader(*values) if reader else values[0]}
        positional = [
            arguments.pop(name)
            for name, parameter in parameters.items()
            if name in arguments and (name == 'self' or parameter.kind is parameter.POSITIONAL_ONLY)
        ]
        result = function(*positional, **arguments)
        shown = then(result, **{key: typed[key] for key in last})
        if 'output' in further:
            say(save_qrels(shown, typed['output']))
        else:
            text = text_of(shown, typed.get('form'), typed.get('places', 4))
            write(text, typed['printed'] if 'printed' in further else None)

    return Command(
        row.name,
        callback=run,
        help=inspect.cleandoc(row.help),
        params=sorted(made.values(), key=lambda option: order.index(option.name or '')),
    )


def described(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """The option of a parameter that the docstring of its function explains."""
    return explanation(function, parameter.name) and declared(function, parameter)


def tabled(key: str, parameter: inspect.Parameter) -> Any:
    """The option of the table, with the default of the function's parameter of this name."""
    inherits = key == parameter.name and isinstance(parameter.default, (int, float, str))
    return declared(shared, OPTIONS[key], **({'default': parameter.default} if inherits else {}))


# ------------------------------------------------------------------------------------------------------------- output


def text_of(shown: Any, form: str | None, places: int = 4) -> str:
    """Tables and texts as one text; parts of a list are separated by an empty line."""
    if isinstance(shown, str):
        return shown
    if isinstance(shown, (list, tuple)):
        texts = [text_of(part, form, places) for part in shown]
        return ('\n\n' if isinstance(shown, list) else '\n').join(texts)
    if isinstance(shown, Result):
        if form is None and hasattr(shown, 'text'):
            return str(shown.text())
        shown = shown.to_frame()
    if not isinstance(shown, Mapping) and list(shown.index.names) != [None]:
        shown = shown.reset_index()
    width = shutil.get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else None
    return render(shown, form or 'table', places, width)


def say(text: str, err: bool = False) -> None:
    """Print a text. Control characters in it are visible: names in files could change what a terminal shows."""
    if sys.stdout is None and not err:
        raise OSError(errno.EBADF, 'the standard output is closed')
    click.echo(visible(text, '\n\t'), err=err)


def with_notes(
    table: Any, lines: Iterable[str], form: str | None, path: str | None = None
) -> tuple[Any, ...]:
    """A table with sentences below it, for people. For programs the sentences are messages."""
    if form in (None, 'table', 'markdown') and path is None:
        return (table, *lines)
    for line in lines:
        say(line, err=True)
    return (table,)


def write(text: str, path: str | None = None) -> None:
    """Print a text, or write it to a file."""
    if path is None:
        if text:
            say(text.removesuffix('\n'))
        return
    from ..data.writing import replacing

    text = text if text.endswith('\n') or not text else text + '\n'
    with (
        replacing(path, forced(), '--force') as partial,
        open(partial, 'w', encoding='utf-8') as file,
    ):
        file.write(text)


def draw(drawn: Any, path: str) -> None:
    """Write the picture on matplotlib axes."""
    from ..data.writing import replacing

    figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
    with replacing(path, forced(), '--force') as partial:
        figure.savefig(partial, dpi=150)


def save_qrels(table: Any, path: str, format: str | None = None) -> str:
    """Write judgments to a file, and return a line that says how many."""
    from ..data.judgments import Judgments
    from ..data.qrels import write_qrels

    judged = Judgments.of(table)
    write_qrels(judged, path, format=format, overwrite=forced())
    queries = count(len(judged.query_ids), 'query', 'queries')
    return f'{path}: {count(len(judged.layer), "row")}, {queries}'
