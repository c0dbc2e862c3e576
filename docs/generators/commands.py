"""docs/reference/commands.md: every subcommand with its arguments and the first sentence of its help."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ir_divmeasures.cli.main import ir_divmeasures
from ir_divmeasures_command import CORE


def page() -> str:
    """Return the text of the page."""
    rows = dict(usages(ir_divmeasures, 'ir_divmeasures'))
    core = {usage: text for usage, text in rows.items() if usage.split()[0] in CORE}
    research = {usage: text for usage, text in rows.items() if usage not in core}
    parts = [
        '# All commands',
        '`ir_divmeasures COMMAND --help` explains the arguments and options of a command. [The command](../guide/command.md) '
        'shows how to use the first ones.',
    ]
    for title, members in (('Commands', core), ('Commands for research', research)):
        lines = [f'| `{usage}` | {text} |' for usage, text in members.items()]
        parts += [f'## {title}', '\n'.join(['| command | what it does |', '| --- | --- |', *lines])]
    return '\n\n'.join(parts)


def usages(group: click.Group, path: str) -> Iterator[tuple[str, str]]:
    """The words and arguments of each subcommand, with the first sentence of its help."""
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        words = f'{path} {name}'.removeprefix('ir_divmeasures ')
        if isinstance(command, click.Group):
            yield from usages(command, words)
        elif command is not None and not command.hidden:
            inside = click.Context(command, parent=context, info_name=name)
            arguments = [
                piece
                for parameter in command.params
                for piece in parameter.get_usage_pieces(inside)
                if isinstance(parameter, click.Argument)
            ]
            yield ' '.join([words, *arguments]), command.get_short_help_str(300)
