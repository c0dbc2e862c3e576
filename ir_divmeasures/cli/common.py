"""What subcommands share: their arguments and options, each defined once, and where their output goes."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import visible
from ..results import count
from ..results.tables import FORMS

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


# ------------------------------------------------------------------------------------------- commands and their help


class Argument(click.Argument):
    """An argument with an explanation, which ``--help`` shows."""

    def __init__(self, declarations: list[str], explanation: str = '', **attributes: Any):
        super().__init__(declarations, **attributes)
        self.explanation = explanation


class Command(click.Command):
    """A subcommand whose help explains its arguments, too."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (parameter.metavar or '', parameter.explanation)
            for parameter in self.get_params(context)
            if isinstance(parameter, Argument)
        ]
        if rows:
            with formatter.section('Arguments'):
                formatter.write_dl(rows)
        super().format_options(context, formatter)

    def get_short_help_str(self, limit: int = 200) -> str:
        """The first sentence of the help; lists of commands show the whole of it."""
        return super().get_short_help_str(200)


class Group(click.Group):
    """Subcommands of :class:`Command`."""

    command_class = Command
    group_class = type

    def get_short_help_str(self, limit: int = 200) -> str:
        """The first sentence of the help; lists of commands show the whole of it."""
        return super().get_short_help_str(200)


def argument(name: str, metavar: str, explanation: str, **attributes: Any) -> Decorator:
    """An argument, and what it is in a sentence."""
    return click.argument(
        name, cls=Argument, metavar=metavar, explanation=explanation, **attributes
    )


class Measures(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Names of measures or presets, separated by spaces; completion lists the names that the last word begins."""

    name = 'measures'

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ..core import registry

        names = sorted({*registry.registry, *registry.ir_measures.measures.registry, *sets()})
        before, space, begun = incomplete.rpartition(' ')
        return [CompletionItem(before + space + name) for name in names if name.startswith(begun)]


def sets() -> dict[str, Any]:
    """The presets by name."""
    from ..presets import PRESETS

    return PRESETS


def together(*decorators: Decorator) -> Decorator:
    """Several options as one decorator, in this order in ``--help``."""

    def decorate(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


# -------------------------------------------------------------------------------------------------------- arguments

PATH = click.Path()
"""A file, a folder or an id: shells complete names of files."""

QRELS = 'Judgments: a file in any form that the package reads, or an ir_datasets id.'
RUNS = "Runs: files, folders, or patterns such as 'runs/*.gz'."

qrels = argument('qrels', 'QRELS', QRELS, type=PATH)
runs = argument('runs', 'RUN...', RUNS, nargs=-1, required=True, type=PATH)
names = argument(
    'names',
    'MEASURE...',
    'Names of measures or presets. `ir_divmeasures measures` lists them.',
    nargs=-1,
    required=True,
    type=Measures(),
)
docs = argument(
    'docs',
    'DOCS',
    'Texts of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text.',
    type=PATH,
)


# ---------------------------------------------------------------------------------------------------------- options
# One name, one meaning: a subcommand that needs such an option takes it from here. Only defaults differ.

TESTS = (
    't',
    'wilcoxon',
    'bootstrap',
    'max_t',
    'tukey',
    'tukey_oneway',
    'tukey_pairwise',
    'tukey_randomised',
)
CORRECTIONS = ('holm', 'bonferroni', 'bh', 'none')


def measures(required: bool = True) -> Decorator:
    """``-m``: measures by name."""
    return click.option(
        '-m',
        '--measures',
        'names',
        multiple=True,
        required=required,
        type=Measures(),
        metavar='MEASURES',
        help="Measures to compute, separated by spaces, for example 'RBU@20 "
        "alpha_nDCG@20'. Presets such as web-track also work. You can repeat this option. "
        '`ir_divmeasures measures` lists all names.',
    )


def measure(default: str | None = None) -> Decorator:
    """``-m``, of what is about one measure."""
    return click.option(
        '-m',
        '--measures',
        'name',
        required=default is None,
        default=default,
        type=Measures(),
        show_default=default is not None,
        metavar='MEASURE',
        callback=_one,
        help='Measure to compute, for example RBU@20. This command takes one. `ir_divmeasures '
        'measures` lists all names.',
    )


def _one(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if len(value.split()) != 1 or value in sets():
        raise click.BadParameter(f'{value!r}: expected one measure')
    return value


def form(default: str | None = 'table', shown: str | bool = True) -> Decorator:
    """``--format``; ``shown`` is the default in words, where it depends."""
    return click.option(
        '--format',
        '--output-format',
        'form',
        type=click.Choice(list(FORMS)),
        default=default,
        show_default=shown,
        help='Format of the output. A spreadsheet is CSV in which programs read no '
        'cell as a formula.',
    )


def test(default: str) -> Decorator:
    """``--test``: as the functions of ``meta`` call the tests."""
    return click.option(
        '--test',
        'method',
        type=click.Choice(TESTS),
        default=default,
        show_default=True,
        help='Test for the differences between systems. t and wilcoxon are the paired tests of these '
        'names. bootstrap and max_t resample the queries. The others are variants of Tukey HSD, '
        'which compares all systems at once; tukey has the queries as blocks.',
    )


def correction(default: str) -> Decorator:
    """``--correction``; None where there is none."""
    return click.option(
        '--correction',
        type=click.Choice(CORRECTIONS),
        default=default,
        show_default=True,
        callback=lambda context, parameter, value: None if value == 'none' else value,
        help='Correction for multiple comparisons among the pairs of systems. bh controls the false '
        'discovery rate, holm and bonferroni control any false discovery. The tests max_t, tukey, '
        'tukey_oneway and tukey_randomised need none.',
    )


def output(required: bool = False) -> Decorator:
    """``-o``: required where the output is no text to print."""
    return click.option(
        '-o',
        '--output',
        required=required,
        metavar='FILE',
        type=PATH,
        help='File to write the output to. An existing file is replaced only with --force.',
    )


def resamples(default: int | None = 1000, shown: str | bool = True) -> Decorator:
    """``--resamples``."""
    return click.option(
        '--resamples',
        type=click.IntRange(min=1),
        default=default,
        show_default=shown,
        help='Number of random resamples. A larger number gives more precise results and takes longer.',
    )


def trials(default: int) -> Decorator:
    """``--trials``."""
    return click.option(
        '--trials',
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help='Number of random samples of each size.',
    )


def lowest_grade(default: float = 1, kind: type = float) -> Decorator:
    """``--rel``."""
    return click.option(
        '--rel',
        type=kind,
        default=default,
        show_default=True,
        help='Lowest grade that counts as relevant.',
    )


_BETWEEN = click.FloatRange(0, 1, min_open=True, max_open=True)

intents = click.option(
    '--intents',
    metavar='FILE',
    type=PATH,
    help='File of weights (and types) of subtopics, with lines `query subtopic weight [inf|nav]`.',
)
missing = click.option(
    '--missing',
    type=click.Choice(['zero', 'drop', 'raise']),
    default='zero',
    show_default=True,
    help='What to do with judged queries that are missing from a run: score them 0 (zero), drop '
    'them for all systems (drop), or stop with an error (raise).',
)
ties = click.option(
    '--ties',
    type=click.Choice(['doc_id', 'doc_id_ascending', 'rows']),
    help='How all measures order documents with equal scores: by document id, descending, as trec_eval '
    'and ndeval do (doc_id); by document id, ascending, as pyndeval does (doc_id_ascending); or '
    'in the order of the file (rows). By default, each measure has the order of its original '
    'program, and a warning tells you where the order matters.',
)
seed = click.option(
    '--seed',
    type=int,
    default=0,
    show_default=True,
    help='Seed for all random draws. The same seed gives the same result.',
)
jobs = click.option(
    '-j',
    '--jobs',
    type=int,
    default=1,
    show_default=True,
    help='Number of worker processes. Use -1 for one process per core.',
)
places = click.option(
    '-p',
    '--places',
    type=click.IntRange(min=-1),
    default=4,
    show_default=True,
    help='Number of decimal places. Use -1 to print every digit.',
)
force = click.option('--force', is_flag=True, help='Replace files that already exist.')
picture = click.option(
    '--plot',
    metavar='FILE',
    type=PATH,
    help='Also draw a picture to this file, whose name ends in .png, .svg or .pdf.',
)
by_query = click.option(
    '-q', '--by-query', 'by_query', is_flag=True, help='Print a line for each query, too.'
)
level = click.option(
    '--alpha',
    type=_BETWEEN,
    default=0.05,
    show_default=True,
    help='Level of significance. A difference is significant if its p-value is below this level.',
)
baseline = click.option(
    '-b',
    '--baseline',
    metavar='SYSTEM',
    help='System that the others are compared with: the '
    'name or the file of a run. The default is the first run.',
)
confidence = click.option(
    '--confidence',
    type=_BETWEEN,
    default=0.95,
    show_default=True,
    help='Confidence level of the intervals.',
)
rel = lowest_grade()
groups = click.option(
    '--groups',
    metavar='FILE',
    type=PATH,
    help='File of teams, with lines `system team`. The systems of a team count once.',
)
topics = click.option(
    '--topics',
    metavar='SOURCE',
    type=PATH,
    help='Texts of queries and subtopics: an ir_datasets '
    "id, or a .xml (the Web Track's), .jsonl, .tsv or .csv file.",
)
without_text = click.option(
    '--missing-text',
    'missing',
    type=click.Choice(['error', 'skip']),
    default='error',
    show_default=True,
    help='What to do with relevant documents that have no text: stop with an error, or skip them.',
)
longest = click.option(
    '--longest',
    type=click.IntRange(min=8),
    default=40,
    show_default=True,
    help='Number of documents in the longest ranking that is tried.',
)
deepest = click.option(
    '--deepest',
    type=click.IntRange(min=1),
    default=4096,
    show_default=True,
    help='Largest number n of documents that is tried for the constraints DeepTh and CloseTh.',
)

written = together(output(), force)
printing = together(form(), places, written)


# -------------------------------------------------------------------------------------------------- input and output


def judgments(source: str, intents: str | None = None, format: str | None = None) -> Any:
    """Judgments of a file or an ir_datasets id."""
    from ..judgments.qrels import read_qrels
    from ..judgments.table import Judgments

    if intents is None:  # not as a DataFrame, so that pandas is imported only where one is needed
        return Judgments.of(source, format)
    return read_qrels(source, format=format, intents=intents)


def nuggets(source: str | list[str], intents: str | None) -> Any:
    """Judgments of files of judgments or nuggets; of several files with a column ``judge``."""
    from ..judgments.judges import read_judges
    from ..judgments.nuggets import read_nuggets

    given = [source] if isinstance(source, str) else source
    if all('.json' in each for each in given):
        return read_nuggets(given, intents=intents)
    if intents is not None:
        raise click.UsageError('--nuggets needs ratings of nuggets (.json, .jsonl)')
    return read_judges(given)


def several_runs(paths: Iterable[str]) -> list[str]:
    """The files of paths, folders and patterns. Each path in the order given, of one of the latter by name.

    Raises:
        FileNotFoundError: nothing there.
    """
    from ..io.files import files

    return list(dict.fromkeys(path for given in paths for path in files(given)))


def system(given: str | None, paths: list[str]) -> str | None:
    """The name of a system, where its file may be given instead."""
    from ..io.runs import named

    return next((name for name, path in named(paths)[0] if path == given), given)


def is_run(text: str) -> bool:
    """Whether an argument is rather a run than a measure: a path that exists, or a pattern."""
    return (
        os.path.exists(text)
        or bool(re.search(r'[*?]', text))
        or text.endswith(('.run', '.gz', '.txt'))
    )


def say(text: str, err: bool = False) -> None:
    """Print a text. Control characters in it are visible: names in files could change what a terminal shows."""
    if sys.stdout is None and not err:
        raise OSError(errno.EBADF, 'the standard output is closed')
    click.echo(visible(text, '\n\t'), err=err)


def write(text: str, path: str | None, force: bool) -> None:
    """Print a text, or write it to a file.

    Raises:
        FileExistsError: the file exists, and ``force`` is False.
    """
    if path is None:
        if text:
            say(text.removesuffix('\n'))
        return
    text = text if text.endswith('\n') or not text else text + '\n'
    from ..io.files import replacing

    with replacing(path, force, '--force') as partial, open(partial, 'w', encoding='utf-8') as file:
        file.write(text)


def draw(drawn: Any, path: str, force: bool) -> None:
    """Write the picture on matplotlib axes.

    Raises:
        FileExistsError: the file exists, and ``force`` is False.
    """
    from ..io.files import replacing

    figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
    with replacing(path, force, '--force') as partial:
        figure.savefig(partial, dpi=150)


def save_qrels(table: Any, path: str, format: str | None, force: bool) -> None:
    """Write judgments to a file, and say how many."""
    from ..io.files import check_target
    from ..judgments.qrels import write_qrels

    check_target(path, force, '--force')
    write_qrels(table, path, format=format, overwrite=force)
    say(
        f'{path}: {count(len(table), "row")}, {count(table["query_id"].nunique(), "query", "queries")}'
    )


def fresh(*paths: str | None, force: bool) -> None:
    """Raise the errors of :func:`~ir_divmeasures.io.files.check_target` before anything is computed."""
    from ..io.files import check_target

    for path in filter(None, paths):
        check_target(path, force, '--force')


def documents(source: str) -> Any:
    """Texts of documents: an ir_datasets id stays one; a file with a header or of JSON lines is read."""
    from ..io.document_files import read_documents

    is_id = (
        not os.path.exists(source)
        and '/' in source
        and not source.endswith(('.tsv', '.csv', '.jsonl', '.gz'))
    )
    return source if is_id else read_documents(source)
