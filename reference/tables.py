"""Generated tables: the page of all subcommands, and the table of RAG forms."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from ir_divmeasures.cli.main import ir_divmeasures
from ir_divmeasures_command import CORE

from . import records
from .common import ROOT


def commands() -> str:
    """docs/reference/commands.md: every subcommand with its arguments and the first sentence of its help."""
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


def rag() -> str:
    """The page of forms; its table is made from the records of the readers."""
    path = ROOT / 'docs/reference/rag-forms.md'
    text, n_replaced = re.subn(
        r'^\| written by \| one record \|\n(\|.*\n)*',
        lambda _: records.table() + '\n',
        path.read_text(encoding='utf-8'),
        flags=re.M,
    )
    if n_replaced != 1:
        raise ValueError(f'{path}: expected one table "written by", found {n_replaced}')
    return text
