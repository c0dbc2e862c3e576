"""The console script ``ir_divmeasures``, which imports the package only when a subcommand needs it.

The help of the root, the version and the names of subcommands are here and not in :mod:`ir_divmeasures.cli`, because
importing a part of a package imports the package.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

CORE = {
    'evaluate': 'Score runs by measures.',
    'compare': 'Compare systems with a baseline: differences, intervals, tests.',
    'explain': "Show what each rank and subtopic contributes to a query's score.",
    'leaderboard': 'Rank systems on a page that anyone can host, with intervals of ranks, and who may be first.',
    'measures': 'List the measures and presets, or describe one of them.',
}
"""The subcommands that most users need, with the first sentence of their help."""
RESEARCH = {
    'qrels': 'Convert and diagnose judgments, and make judgments of nuggets.',
    'pool': 'Measure innovation, and what systems add to a pool of systems.',
    'hierarchy': 'Build hierarchies of subtopics into judgments.',
    'meta': 'Compare measures and rank systems: discriminative power, stability, correlation, unanimity, robustness, '
    'ranks.',
    'axioms': 'Test which constraints on rankings measures satisfy.',
    'study': 'Recompute a published paper on your runs.',
    'cite': 'Print the papers and programs that define measures, for a bibliography.',
    'demo': 'Compare retrieval systems on the sample collection with pt.Experiment.',
}
"""The other subcommands."""


class Commands(click.Group):
    """The subcommands; what is none of them is ``evaluate``'s arguments, as the command ``ir_measures`` takes them."""

    @property
    def members(self) -> Mapping[str, Any]:
        """The rows and groups of :mod:`ir_divmeasures.cli` by name."""
        found: Mapping[str, Any] = importlib.import_module('ir_divmeasures.cli.main').MEMBERS
        return found

    def list_commands(self, context: click.Context) -> list[str]:
        return [*CORE, *RESEARCH]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        build = importlib.import_module('ir_divmeasures.cli.build')
        found: click.Command | None = build.command_of(self.members.get(name))
        return found

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in (('Commands', CORE), ('Commands for research', RESEARCH)):
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        named = {**CORE, **RESEARCH}.items()
        words = [
            CompletionItem(name, help=text) for name, text in named if name.startswith(incomplete)
        ]
        return words + click.Command.shell_complete(self, context, incomplete)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first = args[0]
        known = first in CORE or first in RESEARCH
        has_run = any(not each.startswith('-') for each in args[1:])
        if not known and has_run and (os.path.exists(first) or '/' in first):
            return 'evaluate', self.get_command(context, 'evaluate'), args
        if not known:
            errors = importlib.import_module('ir_divmeasures.errors')
            suggestion = errors.did_you_mean(first, self.list_commands(context))
            raise click.UsageError(f'no command {first!r}{suggestion}')
        return super().resolve_command(context, args)


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from importlib import metadata

        try:
            version = metadata.version('ir_divmeasures')
        except metadata.PackageNotFoundError:  # a checkout that is not installed
            version = importlib.import_module('ir_divmeasures').__version__
        click.echo(f'ir_divmeasures {version}')
        context.exit()


root = Commands(
    'ir_divmeasures',
    help="""Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

    Each command has a help of its own, for example `ir_divmeasures evaluate --help`. You can also type the arguments of
    the command ir_measures: `ir_divmeasures QRELS RUN MEASURE...` means `ir_divmeasures evaluate QRELS RUN MEASURE...`.

    Shells complete commands, options, files and names of measures. For bash, write this line to ~/.bashrc, and for zsh
    or fish replace bash by the name of the shell:

    \b
    eval "$(_IR_DIVMEASURES_COMPLETE=bash_source ir_divmeasures)"
    """,
    context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 110},
    params=[
        click.Option(
            ['--version'],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help='Print the version and exit.',
        ),
        click.Option(
            ['--debug'],
            is_flag=True,
            help='Show the Python traceback of an error. You can write this option anywhere.',
        ),
        click.Option(
            ['--force'],
            is_flag=True,
            help='Replace files that already exist. You can write this option anywhere.',
        ),
    ],
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. The exit codes are those of :func:`ir_divmeasures.cli.main`.

    Without arguments this is the installed script, and it ends the process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if '_IR_DIVMEASURES_COMPLETE' in os.environ:
        root.main([], prog_name='ir_divmeasures')
    if given in (['-h'], ['--help'], ['--version']) and sys.stdout is not None:
        try:
            root.main(given, prog_name='ir_divmeasures', standalone_mode=False)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if arguments is None and not RESEARCH.keys() & given[:1]:
        # These subcommands multiply no matrices. OpenBLAS starts a thread for each core, which spins before it sleeps.
        os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
    if arguments is None:
        gc.set_threshold(100_000)  # importing makes many objects and no cycles that could be freed
    code: int = importlib.import_module('ir_divmeasures.cli').main(given)
    if arguments is None and threading.active_count() == 1:
        _leave(code)
    return code


def _leave(code: int) -> None:
    """End the process without taking its objects apart, which takes as long as reading a small run."""
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):  # the ordinary end says which stream is broken
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)


__all__ = ['CORE', 'RESEARCH', 'main', 'root']
