"""The command and how it ends: an exit code of :data:`EXIT_CODES`; errors and warnings are one line each."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from ir_divmeasures_command import root as ir_divmeasures

from ..errors import DivMeasuresWarning, limited, visible
from ..results.progress import above_bars
from . import commands, study, tables
from .options import FLAGS

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
        commands.sensitivity,
        commands.rag,
        tables.compat,
        commands.leaderboard,
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

ANYWHERE = ('--debug', '--force')
"""Options of all commands, which may stand anywhere."""


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
    with warnings.catch_warnings():
        warnings.simplefilter('always', DivMeasuresWarning)
        warnings.showwarning = functools.partial(_warning, words)  # type: ignore[assignment]
        try:
            if words[:2] == ['compat', 'ndeval']:
                raise click.ClickException(
                    '`compat ndeval` is now `evaluate QRELS RUN -m web-track --format ndeval`, '
                    'which prints the same lines'
                )
            if words[:1] == ['report']:
                raise click.ClickException(
                    '`report` is now `leaderboard QRELS RUN... -m MEASURES -o report.html`'
                )
            with limited():
                code = ir_divmeasures.main(
                    [*(each for each in ANYWHERE if each in given), *(words or ['--help'])],
                    prog_name='ir_divmeasures',
                    standalone_mode=False,
                )
            if sys.stdout is not None:
                sys.stdout.flush()
            return (code or DONE) if words else ERROR  # the code of click.exceptions.Exit
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


def _warning(words: Sequence[str], message: Any, *_: Any) -> None:
    _print(f'warning: {visible(fitting(spoken(str(message)), running(words)))}')


def _print(text: str) -> None:
    with above_bars():
        click.echo(text, err=True)


# ------------------------------------------------------------- the package's messages in the words of the command

SUBCOMMANDS = {
    r'with_rareness\(…, newcomer=True\) or Pool\.judgments\(…, newcomer=True\)': 'pool judgments --newcomer',
    r'bounds\(\)': 'evaluate --bounds',
    r'diagnose\(runs, qrels\)': 'qrels diagnose',
    r'with_weights\(…, normalise=True\)': 'qrels add weights --normalise',
    'with_rareness': 'pool judgments',
    r'Pool\.judgments': 'pool judgments',
    'with_weights': 'qrels add weights',
    'with_subtopic_types': 'qrels add types',
    'with_intents': 'qrels add intents',
    'with_(similarity|fingerprints)': 'qrels add fingerprints',
    'build_hierarchy': 'hierarchy build',
    'with_superintents': 'hierarchy superintents',
    'read_nuggets': 'qrels nuggets',
}
"""Functions, as messages name them, and the subcommand that does the same."""
OPTIONS = {
    r"evaluate\(…, ties='doc_id'\)|(ir_divmeasures\.)?distinct_scores\(run\)": '--ties doc_id',
    'overwrite=True': '--force',
    'strict=True': '--strict',
    'judges=True': '--judges',
    r"measure='(\w+)'": r'--scores \1=FILES',
    r"format=('?)(\w+)\1: expected": r'--from \2: expected',
    r"format='(\w+)'": r'`ir_divmeasures qrels convert --from \1`',
    r"\bmissing=('?)(skip|error)\1": r'--missing-text \2',
    **{
        rf"\b{name}=('?)(\w+)\1": rf'{FLAGS.get(name, "--" + name.replace("_", "-"))} \2'
        for name in (
            'missing',
            'similarity',
            'weighting',
            'method',
            'intent_weighting',
            'correction',
            'n_resamples',
            'n_trials',
            'family',
            'n_unseen',
            'max_grade',
        )
    },
    r'\bgroups=\{.*?\}': '--groups FILE',
    r'\bqueries=\{.*?\}': '--queries',
    r'\brun=,': '--run,',
    'without newcomer=': 'without `ir_divmeasures pool judgments --newcomer`',
    r"\b(jobs|test)=('?)([\w-]+)\2": r'--\1 \3',
    r'^(order|topics): ': r'--\1: ',
    r"\blevel=('?)(topic|intent)\1": r'--level \2',
}
"""Arguments that are no parameters of measures, and the option that is meant."""


def spoken(message: str) -> str:
    """A message as the command says it.

    Examples:
        >>> spoken("They are scored 0; missing='drop' leaves them out.")
        'They are scored 0; --missing drop leaves them out.'
        >>> spoken("needs judgments with a column 'document_similarity', which ir_divmeasures.with_similarity adds")
        "needs judgments with a column 'document_similarity', which `ir_divmeasures qrels add fingerprints` adds"
        >>> spoken('distinct_scores(run) gives scores that all measures order alike')
        '--ties doc_id gives scores that all measures order alike'
    """
    for function, subcommand in SUBCOMMANDS.items():
        message = re.sub(
            rf'(?<![\w`])(ir_divmeasures\.)?(judgments\.)?{function}\b(\(\w*\))?'
            if function[-1] != ')'
            else rf'(ir_divmeasures\.)?{function}',
            f'`ir_divmeasures {subcommand}`',
            message,
        )
    for argument, option in OPTIONS.items():
        message = re.sub(argument, option, message)
    return message


def running(words: Sequence[str]) -> click.Command:
    """The subcommand that someone typed."""
    command: click.Command = ir_divmeasures
    for word in (*words, 'evaluate'):  # evaluate where none is named
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), word) or command
    return command


def fitting(message: str, command: click.Command) -> str:
    """A message without the clauses that advise an option which the command lacks.

    The first clause always stays, and so does the option of another command between backquotes.

    Examples:
        >>> fitting('They are scored 0; --missing drop leaves them out.', click.Command('demo'))
        'They are scored 0.'
    """
    options = {option for parameter in command.params for option in parameter.opts} | {*ANYWHERE}
    first, *rest = re.split(r'(?=[.;] |\.$)', message)
    return first + ''.join(
        clause
        for clause in rest
        if options.issuperset(re.findall(r'(?<![\w-])--[a-z][\w-]*', re.sub('`.*?`', '', clause)))
    )


HINTS = {
    r'expected 4 fields \(query_id .*found 6': 'this looks like a run: QRELS comes first, then RUN',
    r'expected 6 fields \(query_id .*found 4': 'this looks like judgments: QRELS comes first, then RUN',
    r'^no measure ': '`ir_divmeasures measures` lists all measures and presets',
    r"column '(n_retrieved|n_systems|pool_depth|newcomer)'": '`ir_divmeasures pool score QRELS POOL -m MEASURES` computes measures of innovation; POOL can be a folder of '
    'runs',
}
"""What helps with errors, by what they say."""


def hint(said: str) -> str:
    """What helps with an error that the user can mend; '' where the message says all.

    Examples:
        >>> hint('a.run, line 1: expected 4 fields (query_id subtopic_id doc_id relevance), found 6: …')
        'this looks like a run: QRELS comes first, then RUN'
    """
    return next((help for pattern, help in HINTS.items() if re.search(pattern, said)), '')


__all__ = ['EXIT_CODES', 'MEMBERS', 'ir_divmeasures', 'main']
