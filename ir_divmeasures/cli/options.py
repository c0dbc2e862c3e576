"""Arguments and options that several commands share, and the readers of what is typed for them."""

from __future__ import annotations

import functools
import glob
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click
from click import Choice, argument, option

from ..data.files import run_files
from ..data.judgments import Judgments
from ..data.writing import check_target
from ..tables import FORMS
from .output import show

INPUT = click.Path()
"""A file, a folder, a pattern or an ir_datasets id that a command reads."""
OUTPUT = click.Path()
"""A file that a command writes."""


class Command(click.Command):
    """A command that checks where it will write before it computes anything."""

    def invoke(self, ctx: click.Context) -> Any:
        typed = [(each, ctx.params[each.name or '']) for each in self.params]
        inputs = {file for each, value in typed if each.type is INPUT for file in files(value)}
        for each, path in typed:
            if each.type is not OUTPUT or path is None:
                continue
            if os.path.exists(path) and any(os.path.samefile(path, file) for file in inputs):
                raise click.BadParameter(f'{path} is an input of the command', ctx, each)
            check_target(path, ctx.params['force'])
        return super().invoke(ctx)


class Group(click.Group):
    """A group of such commands."""

    command_class = Command


def files(value: Any) -> Iterator[str]:
    """The files of what was typed for an input: paths, several separated by commas, folders, patterns."""
    for text in [value] if isinstance(value, str) else value or ():
        for part in {text, *text.split(',')} - {''}:
            yield from filter(os.path.exists, [part, *glob.glob(part), *glob.glob(f'{part}/*')])


def is_run(text: str) -> bool:
    """Whether an argument is a run rather than a measure: a path that exists, a pattern, or the name of a file."""
    is_pattern = '*' in text or '?' in text
    return is_pattern or os.path.exists(text) or text.endswith(('.run', '.gz', '.txt'))


# --------------------------------------------------------------------------------------------------------- options

qrels = argument('qrels', type=INPUT)
runs = argument('runs', type=INPUT, nargs=-1, required=True, metavar='RUN...')
pool = argument('pool', type=INPUT)
measure_names = argument('names', nargs=-1, required=True, metavar='MEASURE...')
measures = option(
    '-m',
    '--measures',
    multiple=True,
    metavar='MEASURES',
    help="Measures to compute, separated by spaces, for example 'RBU@20 alpha_nDCG@20'. Presets such as web-track also "
    'work. You can repeat this option. `ir_divmeasures measures` lists all names.',
)
missing = option(
    '--missing',
    type=Choice(['zero', 'drop', 'raise']),
    help='What to do with judged queries that are missing from a run: score them 0 (the default), drop them for all '
    'systems, or stop with an error (the default with --scores).',
)
intents = option(
    '--intents',
    type=INPUT,
    help='File of weights of subtopics, with lines `query subtopic weight`.',
)
output = option(
    '-o', '--output', type=OUTPUT, help='File to write to, compressed if its name ends in .gz.'
)
docs = option(
    '--docs',
    type=INPUT,
    help='Texts of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text.',
)
force = option('--force', is_flag=True, help='Replace the output file if it exists.')
form = option(
    '--format',
    'form',
    type=Choice([*FORMS]),
    default='table',
    help='Format of the output. json has every digit.',
)
places = option(
    '-p',
    '--places',
    type=click.IntRange(min=-1),
    default=4,
    help='Number of decimal places. Use -1 to print every digit.',
)
seed = option(
    '--seed',
    'rng',
    type=int,
    default=0,
    help='Seed for all random draws. The same seed gives the same result.',
)
alpha = option(
    '--alpha',
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help='Level of significance. A difference is significant if its p-value is below this level.',
)
test = option(
    '--test',
    'method',
    type=Choice(['t', 'bootstrap', 'tukey', 'unpaired']),
    default='t',
    help="Test for the differences between systems: the paired t test, the bootstrap over queries, Tukey's HSD with the "
    'queries as blocks, which compares all systems at once, or the t test of Türkmen et al., which ignores that systems '
    'share queries.',
)
correction = option(
    '--correction',
    type=Choice(['holm', 'none']),
    default='holm',
    callback=lambda ctx, parameter, value: None if value == 'none' else value,
    help="Correction for multiple comparisons among the pairs of systems. Tukey's HSD needs none.",
)


# --------------------------------------------------------------------------------------------------------- readers


def read_judgments(qrels: str, intents: str | None = None, form: str | None = None) -> Judgments:
    """Read judgments: a file or an ir_datasets id, or several of them, separated by commas."""
    is_one = os.path.exists(qrels) or ',' not in qrels
    judged = Judgments.of(qrels if is_one else qrels.split(','), form)
    if intents is None:
        return judged
    from ..data.intents import with_weights

    return Judgments.of(with_weights(judged, intents))


def list_runs(runs: Sequence[str]) -> list[str]:
    """The files of runs, folders and patterns."""
    return list(dict.fromkeys(file for text in runs for file in run_files(text)))


def printed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--format``, and print the table that the command returns."""

    @form
    @functools.wraps(function)
    def command(*scores: Any, form: str, **typed: Any) -> None:
        show(function(*scores, **typed), form)

    return command


def scored(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options of a command that needs scores, and pass the scores and the list of runs."""

    @argument('inputs', type=INPUT, nargs=-1, metavar='[QRELS RUN...]')
    @measures
    @option(
        '--scores',
        'score_files',
        type=INPUT,
        multiple=True,
        help='Scores of each query, in place of QRELS, RUN and --measures: a table, or the output of trec_eval -q or '
        'ir_measures -q. You can repeat this option. A table with a row for each query and a column for each system has '
        'the scores of the measure that its file is named after, for example AP.csv.',
    )
    @missing
    @functools.wraps(function)
    def command(
        inputs: Sequence[str],
        measures: Sequence[str],
        score_files: Sequence[str],
        missing: str,
        **options: Any,
    ) -> Any:
        from ..evaluation.evaluate import evaluate
        from ..evaluation.scores import Scores

        if bool(score_files) == bool(inputs or measures) or not score_files and len(inputs) < 2:
            raise click.UsageError("expected QRELS, RUN and -m 'MEASURES', or --scores FILE")
        if score_files:
            return function(Scores.read(list(score_files), missing=missing or 'raise'), **options)
        judged, runs, names = read_judgments(inputs[0]), list_runs(inputs[1:]), ' '.join(measures)
        return function(evaluate(judged, runs, names, missing=missing or 'zero'), **options)

    return command
