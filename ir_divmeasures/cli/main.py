"""The command and how it ends: an exit code of :data:`EXIT_CODES`; errors and warnings are one line each."""

from __future__ import annotations

import importlib
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from ..errors import DivMeasuresWarning, did_you_mean, visible
from ..results.progress import above_bars
from . import commands, study, tables
from .build import Group
from .options import FLAGS

DONE, BUG, ERROR, INTERRUPTED = 0, 1, 2, 130

EXIT_CODES = {
    DONE: 'The command did what you asked for.',
    BUG: 'A bug of ir_divmeasures stopped the command.',
    ERROR: 'Something in what you typed, or in a file, stopped the command.',
    INTERRUPTED: 'You pressed Ctrl-C.',
}
"""How the command ends; docs/guide/command.md says the same."""


class Commands(Group):
    """The subcommands; what is none of them is ``evaluate``'s arguments, as the command ``ir_measures`` takes them."""

    def resolve_command(
        self,
        context: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first = args[0]
        is_file = os.path.exists(first) or '/' in first
        if first not in self.members and len(args) > 1 and is_file:
            return 'evaluate', self.get_command(context, 'evaluate'), args
        if first not in self.members:
            raise click.UsageError(f'no command {first!r}' + did_you_mean(first, self.members))
        return super().resolve_command(context, args)


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        package = importlib.import_module(__package__.partition('.')[0])
        click.echo(f'ir_divmeasures {package.__version__}')
        context.exit()


ir_divmeasures = Commands(
    'ir_divmeasures',
    """Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

    Each command has a help of its own, for example `ir_divmeasures evaluate --help`. You can also type the arguments of
    the command ir_measures: `ir_divmeasures QRELS RUN MEASURE...` means `ir_divmeasures evaluate QRELS RUN MEASURE...`.

    Shells complete commands, options, files and names of measures. For bash, write this line to ~/.bashrc, and for zsh
    or fish replace bash by the name of the shell:

    \b
    eval "$(_IR_DIVMEASURES_COMPLETE=bash_source ir_divmeasures)"
    """,
    [
        commands.evaluate,
        tables.compare,
        commands.explain,
        commands.sensitivity,
        commands.rag,
        tables.compat,
        commands.report,
        tables.qrels,
        tables.pool,
        tables.hierarchy,
        tables.meta,
        tables.axioms,
        study.study,
        tables.measures,
        commands.cite,
        commands.demo,
    ],
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
        warnings.showwarning = _warning  # type: ignore[assignment]
        try:
            if words[:2] == ['compat', 'ndeval']:
                raise click.ClickException(
                    '`compat ndeval` is now `evaluate QRELS RUN -m web-track --format ndeval`, '
                    'which prints the same lines'
                )
            ir_divmeasures.main(
                [*(each for each in ANYWHERE if each in given), *(words or ['--help'])],
                prog_name='ir_divmeasures',
                standalone_mode=False,
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
                else _message_of(error)
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


# ------------------------------------------------------------- the package's messages in the words of the command

SUBCOMMANDS = {
    r'with_rareness\(…, newcomer=True\) or Pool\.judgments\(…, newcomer=True\)': 'pool judgments --newcomer',
    r"evaluate\(…, ties='doc_id'\)": 'evaluate --ties doc_id',
    r'distinct_scores': 'evaluate --ties',
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
    'overwrite=True': '--force',
    'strict=True': '--strict',
    r"format=('?)(\w+)\1: expected": r'--from \2: expected',
    r"format='(\w+)'": r'`qrels convert --from \1`',
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
        )
    },
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
        '`ir_divmeasures evaluate --ties` gives scores that all measures order alike'
    """
    for function, subcommand in SUBCOMMANDS.items():
        message = re.sub(
            rf'(?<![\w`])(ir_divmeasures\.)?{function}\b(\(\w*\))?'
            if function[-1] != ')'
            else rf'(ir_divmeasures\.)?{function}',
            f'`ir_divmeasures {subcommand}`',
            message,
        )
    for argument, option in OPTIONS.items():
        message = re.sub(argument, option, message)
    return message


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


__all__ = ['EXIT_CODES', 'ir_divmeasures', 'main']
