"""The groups of subcommands of judgments, pools and other programs, and those of them that are no rows."""

from __future__ import annotations

from typing import Any

import click

from ..results import count
from . import readers
from .build import Group, command, save_qrels, say, say_below, text_of, write
from .options import argument, forced, option
from .tables import COMPAT, POOL, QRELS

# -------------------------------------------------------------------------------------------------------- judgments


@command('qrels format intents')
def validate(qrels: str, format: str | None, intents: str | None) -> None:
    """Check judgments, and say what they contain.

    If they cannot be used, the error names the file and the line, and the exit code is 2.
    """
    from ..judgments.statistics import statistics

    result = statistics(readers.judgments(qrels, intents, format))
    totals = result.summary().set_index('of a query')['total']
    grades = ', '.join(f'{grade:g}: {n}' for grade, n in result.grades.items())
    layers = f', layers {", ".join(map(str, result.layers))}' if len(result.layers) > 1 else ''
    further = f'; columns {", ".join(result.columns)}' if result.columns else ''
    queries = count(len(result.queries), 'query', 'queries')
    subtopics = count(totals['subtopics'], 'subtopic')
    say(
        f'{qrels}: {queries}, {subtopics} ({totals["relevant_subtopics"]} with a relevant document), '
        f'{count(totals["judged"], "judged document")} ({totals["relevant"]} relevant){layers}; '
        f'grades {grades}{further}'
    )


@command(
    'qrels output format',
    option(
        '--to',
        metavar='FORM',
        help='Form of the file to write: trec, evall or tsv. The default is tsv if there are more columns than query, '
        'subtopic, document and grade, and trec otherwise.',
    )('wanted'),
    option(
        '--topic-level',
        is_flag=True,
        help='Write one grade for each document: its highest for any subtopic.',
    )('topic_level'),
    option(
        '--passages',
        type=click.Choice(['sum', 'log', 'max']),
        default='sum',
        help='How the ratings of the passages of a document become one grade (TREC Dynamic Domain): their sum, their '
        'sum with a logarithmic discount, or the best one.',
    )('passages'),
    'intents',
)
def convert(
    qrels: str,
    output: str,
    wanted: str | None,
    topic_level: bool,
    **settings: Any,
) -> None:
    """Write judgments of any form, or of an ir_datasets id, as a file.

    A name that ends in .gz compresses the file.

    \b
    ir_divmeasures qrels convert clueweb12/trec-web-2014/diversity -o qrels.txt
    """
    from ..judgments.qrels import read_qrels
    from ..judgments.qrels import topic_level as of_topics

    table = read_qrels(qrels, **settings)
    save_qrels(of_topics(table) if topic_level else table, output, wanted)


@command('qrels runs form')
def diagnose(qrels: str, runs: tuple[str, ...], form: str | None) -> None:
    """Check whether runs and judgments belong together, and list what looks wrong.

    \b
    ir_divmeasures qrels diagnose qrels.txt runs/
    """
    from ..evaluation.diagnose import diagnose as diagnosed

    diagnosis = diagnosed(readers.several_runs(runs), readers.judgments(qrels))
    write(text_of(diagnosis.runs, form, 4))
    say_below(diagnosis.questions or ('Nothing looks wrong.',), form)


@command(
    'qrels output',
    option(
        '-a',
        '--attribute',
        multiple=True,
        required=True,
        nargs=3,
        metavar='NAME MEMBERS TARGETS',
        help='A set of groups: its name, the file of memberships (lines `topic doc p_1 … p_C`) and the file of target '
        'shares (one number a line). You can repeat this option.',
    )('attributes'),
)
def groups(qrels: str, output: str, attributes: tuple[tuple[str, str, str], ...]) -> None:
    """Write judgments with groups of documents and their target shares, for the measures GF and GFR.

    The files are those of NTCIR FairWeb.
    """
    from ..judgments.memberships import read_groups

    names = [name for name, _, _ in attributes]
    if len(set(names)) < len(names):
        raise ValueError(f'--attribute: {max(names, key=names.count)!r} is given twice')
    table = read_groups(
        qrels,
        {name: members for name, members, _ in attributes},
        {name: shares for name, _, shares in attributes},
    )
    save_qrels(table, output, None)


qrels = Group(
    'qrels',
    'Check, convert, count and diagnose judgments, and add what measures need.',
    [validate, convert, *QRELS, diagnose, groups],
)

# ------------------------------------------------------------------------------------------------------------ pools


@command('runs output depth groups')
def save(runs: tuple[str, ...], output: str, depth: int, groups: str | None) -> None:
    """Write a pool of runs as one .parquet file.

    \b
    ir_divmeasures pool save runs/ -o pool.parquet --groups teams.txt
    """
    from ..pools.pool import Pool

    saved = Pool.from_runs(readers.several_runs(runs), depth, groups)
    saved.save(output, overwrite=forced())
    say(f'{output}: {saved!r}')


@command('qrels source newcomers names depth groups form places')
def score(
    qrels: str,
    source: str,
    newcomers: tuple[str, ...],
    names: tuple[str, ...],
    depth: int,
    groups: str | None,
    form: str | None,
    places: int,
) -> None:
    """Score runs by measures of innovation against a pool.

    Runs that are not in the pool are scored as newcomers.

    \b
    ir_divmeasures pool score qrels.txt runs/ -m 'NumUnique@100 P_Rareness@100'
    ir_divmeasures pool score qrels.txt pool.parquet my.run -m NumUnique@100
    """
    judged, runs = readers.judgments(qrels), readers.several_runs(newcomers) or None
    scores = readers.pool(source, depth, groups).scores(runs, judged, ' '.join(names))
    write(text_of(scores.means(), form, places))


pool = Group(
    'pool',
    'Measure innovation, and what systems add to a pool of systems.',
    [save, score, *POOL],
)

# --------------------------------------------------------------------------------------------------- other programs


@command(
    argument('...', 'Everything that the old command took.', nargs=-1, type=click.UNPROCESSED)(
        'words'
    ),
    context_settings={'ignore_unknown_options': True},
    add_help_option=False,
    hidden=True,
)
def ndeval(words: tuple[str, ...]) -> None:
    """Name the command that replaces this one."""
    raise click.ClickException(
        '`compat ndeval` is now `evaluate QRELS RUN -m web-track --format ndeval`, which prints the same lines'
    )


compat = Group(
    'compat', 'Print what another program prints, from the same arguments.', [*COMPAT, ndeval]
)


__all__ = ['compat', 'pool', 'qrels']
