"""docs/reference/commands.md: every subcommand with its arguments and the first sentence of its help."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ir_divmeasures_command import SCORING, root


def page() -> str:
    """Return the text of the page."""
    rows = dict(usages(root, 'ir_divmeasures'))
    parts = [
        '# All commands',
        '`ir_divmeasures COMMAND --help` explains the arguments and options of a command. [The command](../guide/command.md) '
        'shows how to use the first ones.',
    ]
    for title, is_scoring in (('Commands', True), ('Commands for research', False)):
        lines = [
            f'| `{usage}` | {text} |'
            for usage, text in rows.items()
            if (usage.split()[0] in SCORING) == is_scoring
        ]
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
        elif command is not None:
            arguments = command.collect_usage_pieces(click.Context(command, context, name))
            yield ' '.join([words, *arguments[1:]]), command.get_short_help_str(300)
