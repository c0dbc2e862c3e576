"""The command and how it ends: an exit code of :data:`EXIT_CODES`; errors and warnings are one line each."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import click

from ir_divmeasures_command import root as ir_divmeasures

from ..errors import limited, visible
from ..progress import above_bars
from . import commands, study, tables
from .messages import ANYWHERE, fitting, hint, spoken

DONE, BUG, ERROR, INTERRUPTED = 0, 1, 2, 130

EXIT_CODES = {
    DONE: 'The command did what you asked for.',
    BUG: 'A bug of ir_divmeasures stopped the command.',
    ERROR: 'Something in what you typed, or in a file, stopped the command.',
    INTERRUPTED: 'You pressed Ctrl-C.',
}
"""How the command ends; docs/guide/command.md says the same."""


MEMBERS: dict[str, Any] = {
    str(member.name): member
    for member in (
        commands.evaluate,
        tables.compare,
        commands.explain,
        tables.leaderboard,
        tables.qrels,
        tables.pool,
        tables.hierarchy,
        tables.meta,
        tables.axioms,
        study.study,
        tables.measures,
        commands.cite,
        commands.demo,
    )
}
"""The rows and groups of subcommands by name; the module ``ir_divmeasures_command`` has their order and summaries."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        One of :data:`EXIT_CODES`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = [
        re.sub('^--[^=]+', lambda name: name[0].replace('_', '-'), each)  # as for ir_measures
        for each in given
        if each not in ANYWHERE
    ]
    if words and words[0].startswith('-') and words[0] not in ('-h', '--help', '--version'):
        words = ['evaluate', *words]  # as ir_measures takes options before its arguments
    try:
        with limited(functools.partial(_warning, words)):
            code = ir_divmeasures.main(
                [*(each for each in ANYWHERE if each in given), *(words or ['--help'])],
                prog_name='ir_divmeasures',
                standalone_mode=False,
            )
        if sys.stdout is not None:
            sys.stdout.flush()
        return (code or DONE) if words else ERROR  # the code of click.exceptions.Exit
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except SystemExit:  # click's answer to the same
        return DONE
    except (KeyboardInterrupt, click.Abort) as interruption:
        cause = interruption.__cause__
        if isinstance(cause, EOFError):  # of a file that ends too early: click takes it for Ctrl-D
            if '--debug' in given:
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
        if '--debug' in given:
            raise
        message = (
            error.format_message()
            if isinstance(error, click.ClickException)
            else fitting(_message_of(error), running(words))
        )
        _error(message, hint(message))
        return ERROR
    except Exception as error:
        if '--debug' in given:
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


def _warning(words: Sequence[str], text: str) -> None:
    _print(f'warning: {visible(fitting(spoken(text), running(words)))}')


def _print(text: str) -> None:
    with above_bars():
        click.echo(text, err=True)


def running(words: Sequence[str]) -> click.Command:
    """The subcommand that someone typed."""
    command: click.Command = ir_divmeasures
    for word in (*words, 'evaluate'):  # evaluate where none is named
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), word) or command
    return command
