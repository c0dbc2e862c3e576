"""The console script ``ir_divmeasures``: the names of its commands, their exit codes, and how errors are printed.

It is a module beside the package, because importing the package imports ir_measures. That alone takes longer than
``ir_divmeasures --help`` may take.
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

SCORING = {
    'evaluate': 'Score runs by measures.',
    'compare': 'Compare systems: differences, intervals and tests, or the table of a paper.',
    'explain': 'Show what each rank and subtopic contributes to the score of a query.',
    'leaderboard': 'Write a web page that ranks systems and says which ones may be first.',
    'measures': 'List the measures and presets, or describe one of them.',
    'cite': 'Print the papers that define measures, for a bibliography.',
    'demo': 'Compare retrieval systems on the sample collection.',
}
"""The commands of :mod:`ir_divmeasures.cli.scoring` with the first sentences of their help."""
RESEARCH = {
    'qrels': 'Convert and check judgments, and make judgments from nuggets and hierarchies.',
    'pool': 'Measure innovation: what systems add to a pool of systems.',
    'meta': 'Compare measures: discriminative power, correlation, stability, unanimity, robustness.',
    'axioms': 'Test which constraints on rankings measures satisfy.',
    'study': 'Recompute the tables of a published paper on your runs.',
}
"""The commands of :mod:`ir_divmeasures.cli.research` with the first sentences of their help."""

DONE, BUG, ERROR, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: success; a bug of ir_divmeasures; an error in the arguments or files; Ctrl-C."""

ASCII = {'α': 'alpha', 'β': 'beta', '♯': 'sharp', '−': '-', '–': '-', '…': '...', '’': "'"}
"""What is printed for characters that the encoding of the output does not have."""


class LazyGroup(click.Group):
    """The commands, each of which is imported when it is used.

    The arguments of the command ``ir_measures`` mean ``evaluate``: ``ir_divmeasures QRELS RUN MEASURE...``.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*SCORING, *RESEARCH]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = 'scoring' if cmd_name in SCORING else 'research'
        command: click.Command = getattr(import_module(f'ir_divmeasures.cli.{module}'), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in ('Commands', SCORING), ('Commands for research', RESEARCH):
            with formatter.section(title):
                formatter.write_dl([*commands.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else ''
        options = [name for option in self.get_params(ctx) for name in option.opts]
        is_option = first.startswith('-') and first not in options
        is_path = len(args) > 1 and ('/' in first or os.path.exists(first))
        if first not in self.list_commands(ctx) and (is_option or is_path):
            args = ['evaluate', *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from ir_divmeasures.errors import limited, visible

        with limited(lambda text: click.echo(f'warning: {visible(text)}', err=True)):
            return super().invoke(ctx)


@click.group(
    cls=LazyGroup,
    context_settings={
        'help_option_names': ['-h', '--help'],
        'max_content_width': 100,
        'show_default': True,
    },
)
@click.option(
    '--version',
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, option, value: print_version(ctx) if value else None,
    help='Show the version and exit.',
)
@click.option('--debug', is_flag=True, help='Show the Python traceback of an error.')
def root(debug: bool) -> None:
    """Diversity, novelty, innovation and user-model measures for information retrieval.

    Each command has its own help, for example `ir_divmeasures evaluate --help`. The arguments of the command
    ir_measures also work: `ir_divmeasures QRELS RUN MEASURE...` scores a run.
    """


def print_version(ctx: click.Context) -> None:
    """Print the version, and exit."""
    click.echo(f'ir_divmeasures {import_module("ir_divmeasures").__version__}')
    ctx.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default that of the process, and return its exit code."""
    if arguments is None:
        # Imports make many objects and no garbage. The threads of OpenBLAS take time while they wait.
        gc.set_threshold(100_000)
        os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
        code = run(sys.argv[1:])
        gc.freeze()  # otherwise, Python searches all objects for garbage before it ends
        return code
    return run(list(arguments))


def run(arguments: list[str]) -> int:
    """Run a command, print what stops it, and return its exit code."""
    codecs.register_error('ascii-names', name_in_ascii)
    streams: list[Any] = [sys.stdout, sys.stderr]
    for stream in streams:
        with contextlib.suppress(AttributeError):  # the stream is closed or replaced
            stream.reconfigure(errors='ascii-names')
    try:
        code = root.main(
            arguments or ['--help'], 'ir_divmeasures', standalone_mode=False, obj=arguments
        )
        if sys.stdout is not None:
            sys.stdout.flush()
        return code or (DONE if arguments else ERROR)
    except SystemExit:  # click's answer to a broken pipe, and the end of completion in a shell
        return DONE
    except BrokenPipeError:  # while the output is flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (KeyboardInterrupt, click.Abort):
        click.echo('interrupted. No incomplete file is left behind.', err=True)
        return INTERRUPTED
    except Exception as error:
        if arguments[:1] == ['--debug']:
            raise
        return report(error)


def report(error: Exception) -> int:
    """Print an error as one line, and return the exit code."""
    from concurrent.futures import BrokenExecutor

    code, hint = ERROR, ''
    message = ' '.join(str(error).split()) or type(error).__name__
    if isinstance(error, click.ClickException):
        message = error.format_message()
        context = getattr(error, 'ctx', None)
        if context is not None:
            hint = f'`{context.command_path} --help` explains the arguments'
    elif 'download sources failed' in message or type(error).__module__.startswith('requests'):
        message = 'ir_datasets could not download the data'
        hint = 'the environment variable IR_DATASETS_HOME names the folder of data that you have'
    elif isinstance(error, OSError) and error.strerror:
        message = f'{error.filename or "output"}: {error.strerror.lower()}'
    elif isinstance(error, (BrokenExecutor, MemoryError)):
        message = 'the memory is full, or something else ended a worker process'
        hint = 'fewer worker processes (--jobs) and fewer runs at a time need less memory'
    elif not isinstance(error, (ValueError, TypeError, OSError, ImportError)):
        code = BUG
        message = f'a bug of ir_divmeasures: {type(error).__name__}: {message}'
        hint = 'please report it with the output of `ir_divmeasures --debug ...`'
    visible = import_module('ir_divmeasures.errors').visible
    for line in [f'error: {message}', f'hint: {hint}'][: 1 + bool(hint)]:
        click.echo(visible(line), err=True)
    return code


def name_in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding does not have, as error handlers of :mod:`codecs` do."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return ''.join(ASCII.get(character, '?') for character in missing), error.end


__all__ = ['RESEARCH', 'SCORING', 'main', 'root']
