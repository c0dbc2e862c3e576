"""The command and how it ends: one line for an error, exit code 2; 130 after Ctrl-C; warnings as one line each."""
from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from ..errors import DivMeasuresWarning, did_you_mean, visible
from .words import hint, spoken

COMMANDS = {
    'evaluate': 'evaluate', 'compare': 'compare', 'explain': 'explain', 'sensitivity': 'sensitivity', 'rag': 'rag',
    'compat': 'compat', 'report': 'report',
    'qrels': 'qrels', 'pool': 'pool', 'hierarchy': 'hierarchy', 'meta': 'meta', 'axioms': 'axioms', 'study': 'study',
    'measures': 'catalogue', 'cite': 'catalogue', 'demo': 'catalogue'}
"""Every subcommand and the module of this package that holds it, read when the subcommand is used; in the order of
``--help``. A subcommand whose module is not there does not exist."""


class Commands(click.Group):
    """The subcommands; what is none of them is ``evaluate``'s arguments, as the command ``ir_measures`` takes them."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [name for name, module in COMMANDS.items()
                if importlib.util.find_spec(f'{__package__}.{module}') is not None]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        return getattr(importlib.import_module(f'{__package__}.{COMMANDS[name]}'), name)

    def resolve_command(self, context: click.Context, args: list[str],
                        ) -> tuple[str | None, click.Command | None, list[str]]:
        first, known = args[0], self.list_commands(context)
        if first not in known and len(args) > 1 and not first.startswith('-') and (
                os.path.exists(first) or '/' in first):
            return 'evaluate', self.get_command(context, 'evaluate'), args
        if first not in known:
            raise click.UsageError(f'no command {first!r}' + did_you_mean(first, known))
        return super().resolve_command(context, args)


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        package = importlib.import_module(__package__.partition('.')[0])
        click.echo(f'ir_divmeasures {package.__version__}')
        context.exit()


@click.group(cls=Commands, context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 110})
@click.option('--version', is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help='Print the version and exit.')
@click.option('--debug', is_flag=True, help='Show the traceback of an error.')
def ir_divmeasures(**_: bool) -> None:
    """Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

    QRELS is a file of judgments in any form that the package reads, or an ir_datasets id. A RUN is a file, a folder, or
    a pattern such as 'runs/*.gz'. `ir_divmeasures QRELS RUN MEASURE...`, as the command ir_measures takes its
    arguments, is `ir_divmeasures evaluate QRELS RUN MEASURE...`.

    Completion: `eval "$(_IR_DIVMEASURES_COMPLETE=bash_source ir_divmeasures)"` in ~/.bashrc (zsh_source and fish_source
    for these shells).
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status: 0 done, 2 an error, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = '--debug' in given
    given = [argument for argument in given if argument != '--debug']  # anywhere
    if given and given[0].startswith('-') and given[0] not in ('-h', '--help', '--version'):
        given = ['evaluate', *given]  # as the command ir_measures takes options before its arguments
    with warnings.catch_warnings():
        warnings.simplefilter('always', DivMeasuresWarning)
        warnings.showwarning = _warning  # type: ignore[assignment]
        try:
            ir_divmeasures.main(given or ['--help'], prog_name='ir_divmeasures', standalone_mode=False)
            sys.stdout.flush()
            return 0 if given else 2
        except click.exceptions.Exit as stopped:
            return stopped.exit_code if given else 2
        except BrokenPipeError:  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except SystemExit:  # click's answer to the same
            return 0
        except (KeyboardInterrupt, click.Abort):
            click.echo('interrupted; no file was left half-written', err=True)
            return 130
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx is not None else 'ir_divmeasures'
            _error(error.format_message(), f'{where} --help tells the arguments')
            return 2
        except (ValueError, TypeError, OSError, ImportError, click.ClickException) as error:
            if debug:
                raise
            said = error.format_message() if isinstance(error, click.ClickException) else _said(error)
            _error(said, hint(said))
            return 2
        except Exception as error:
            if debug:
                raise
            if 'All download sources failed' in str(error):  # of ir_datasets
                _error('ir_datasets could not download the data', 'IR_DATASETS_HOME names the folder of data at hand')
                return 2
            _error(f'a mistake of ir_divmeasures: {type(error).__name__}: {_said(error)}',
                   '--debug shows where; please report it')
            return 2
    return 0


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f'{error.filename}: {error.strerror.lower()}'
    return spoken(' '.join(str(error).split())) or type(error).__name__


def _error(said: str, hint: str) -> None:
    click.echo(f'error: {visible(said)}', err=True)
    if hint:
        click.echo(f'hint: {hint}', err=True)


def _warning(message: Any, category: type[Warning], *_: Any) -> None:
    said, context = spoken(str(message)), click.get_current_context(silent=True)
    if context is not None and all(parameter.name != 'missing' for parameter in context.command.params):
        said = said.replace('; --missing drop leaves them out', '')  # there is no such option
    click.echo(f'warning: {visible(said)}', err=True)


__all__ = ['COMMANDS', 'ir_divmeasures', 'main']
