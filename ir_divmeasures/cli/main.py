"""The command and how it ends: an exit code of :data:`EXIT_CODES`; errors and warnings are one line each."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from ..errors import DivMeasuresWarning, did_you_mean, visible
from ..results.progress import above_bars
from .words import hint, spoken

COMMANDS = {
    'evaluate': 'evaluate',
    'compare': 'compare',
    'explain': 'explain',
    'sensitivity': 'sensitivity',
    'rag': 'rag',
    'compat': 'compat',
    'report': 'report',
    'qrels': 'qrels',
    'pool': 'pool',
    'hierarchy': 'hierarchy',
    'meta': 'meta',
    'axioms': 'axioms',
    'study': 'study',
    'measures': 'catalogue',
    'cite': 'catalogue',
    'demo': 'catalogue',
}
"""Every subcommand and the module of this package that holds it, read when the subcommand is used; in the order of
``--help``. A subcommand whose module is not there does not exist."""


DONE, BUG, ERROR, INTERRUPTED = 0, 1, 2, 130

EXIT_CODES = {
    DONE: 'The command did what you asked for.',
    BUG: 'A bug of ir_divmeasures stopped the command.',
    ERROR: 'Something in what you typed, or in a file, stopped the command.',
    INTERRUPTED: 'You pressed Ctrl-C.',
}
"""How the command ends; docs/guide/command.md says the same."""


class Commands(click.Group):
    """The subcommands; what is none of them is ``evaluate``'s arguments, as the command ``ir_measures`` takes them."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [
            name
            for name, module in COMMANDS.items()
            if importlib.util.find_spec(f'{__package__}.{module}') is not None
        ]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        return getattr(importlib.import_module(f'{__package__}.{COMMANDS[name]}'), name)

    def resolve_command(
        self,
        context: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first, known = args[0], self.list_commands(context)
        if (
            first not in known
            and len(args) > 1
            and not first.startswith('-')
            and (os.path.exists(first) or '/' in first)
        ):
            return 'evaluate', self.get_command(context, 'evaluate'), args
        if first not in known:
            raise click.UsageError(f'no command {first!r}' + did_you_mean(first, known))
        return super().resolve_command(context, args)


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        package = importlib.import_module(__package__.partition('.')[0])
        click.echo(f'ir_divmeasures {package.__version__}')
        context.exit()


@click.group(
    cls=Commands, context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 110}
)
@click.option(
    '--version',
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help='Print the version and exit.',
)
@click.option('--debug', is_flag=True, help='Show the Python traceback of an error.')
def ir_divmeasures(**_: bool) -> None:
    """Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

    Each command has a help of its own, for example `ir_divmeasures evaluate --help`. You can also type the arguments of
    the command ir_measures: `ir_divmeasures QRELS RUN MEASURE...` means `ir_divmeasures evaluate QRELS RUN MEASURE...`.

    Shells complete commands, options, files and names of measures. For bash, write this line to ~/.bashrc, and for zsh
    or fish replace bash by the name of the shell:

    \b
    eval "$(_IR_DIVMEASURES_COMPLETE=bash_source ir_divmeasures)"
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        One of :data:`EXIT_CODES`.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = '--debug' in words
    words = [argument for argument in words if argument != '--debug']  # anywhere
    words = [
        re.sub('^--[^=]+', lambda name: name[0].replace('_', '-'), each) for each in words
    ]  # as for ir_measures
    if words and words[0].startswith('-') and words[0] not in ('-h', '--help', '--version'):
        words = [
            'evaluate',
            *words,
        ]  # as the command ir_measures takes options before its arguments
    with warnings.catch_warnings():
        warnings.simplefilter('always', DivMeasuresWarning)
        warnings.showwarning = _warning  # type: ignore[assignment]
        try:
            ir_divmeasures.main(
                words or ['--help'], prog_name='ir_divmeasures', standalone_mode=False
            )
            if sys.stdout is not None:
                sys.stdout.flush()
            return DONE if words else ERROR
        except click.exceptions.Exit as stopped:
            return stopped.exit_code if words else ERROR
        except BrokenPipeError:  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except SystemExit:  # click's answer to the same
            return DONE
        except (KeyboardInterrupt, click.Abort) as interruption:
            cause = interruption.__cause__
            if isinstance(
                cause, EOFError
            ):  # of a file that ends too early: click takes it for Ctrl-D
                if debug:
                    raise cause from None
                _bug(cause)
                return BUG
            _print('interrupted. No incomplete file is left behind.')
            return INTERRUPTED
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx is not None else 'ir_divmeasures'
            _error(error.format_message(), f'`{where} --help` explains the arguments')
            return ERROR
        except (ValueError, TypeError, OSError, ImportError, click.ClickException) as error:
            if debug:
                raise
            message = (
                error.format_message()
                if isinstance(error, click.ClickException)
                else _message_of(error)
            )
            _error(message, hint(message))
            return ERROR
        except Exception as error:
            if debug:
                raise
            if 'All download sources failed' in str(error):  # of ir_datasets
                _error(
                    'ir_datasets could not download the data',
                    'the environment variable IR_DATASETS_HOME names the folder with data that you already have',
                )
                return ERROR
            from concurrent.futures import BrokenExecutor

            if isinstance(error, (BrokenExecutor, MemoryError)):
                _error(
                    'something killed a worker process, perhaps because the memory was full'
                    if isinstance(error, BrokenExecutor)
                    else 'the memory is full',
                    'fewer worker processes (--jobs), runs or measures at a time need less memory',
                )
                return ERROR
            _bug(error)
            return BUG
    return DONE


def _message_of(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return ('' if error.filename is None else f'{error.filename}: ') + error.strerror.lower()
    return spoken(' '.join(str(error).split())) or type(error).__name__


def _error(message: str, hint: str) -> None:
    _print(f'error: {visible(message)}')
    if hint:
        _print(f'hint: {hint}')


def _bug(error: BaseException) -> None:
    _error(
        f'a bug of ir_divmeasures: {type(error).__name__}: {_message_of(error)}',
        'please report it, with what --debug shows',
    )


def _warning(message: Any, category: type[Warning], *_: Any) -> None:
    text, context = spoken(str(message)), click.get_current_context(silent=True)
    if context is not None and all(
        parameter.name != 'missing' for parameter in context.command.params
    ):
        text = text.replace('; --missing drop leaves them out', '')  # there is no such option
    _print(f'warning: {visible(text)}')


def _print(text: str) -> None:
    with above_bars():
        click.echo(text, err=True)


__all__ = ['COMMANDS', 'EXIT_CODES', 'ir_divmeasures', 'main']
