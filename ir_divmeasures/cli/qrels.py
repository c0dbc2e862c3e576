"""``ir_divmeasures qrels``: look at judgments, convert them, add what measures need."""

from __future__ import annotations

from typing import Any

import click

from ..results import count
from ..results.tables import render
from . import common


@click.group(
    cls=common.Group, short_help='Check and convert judgments, and add what measures need.'
)
def qrels() -> None:
    """Check, convert, count and diagnose judgments, and add what measures need."""


source_argument = common.argument('source', 'QRELS', common.QRELS, type=common.PATH)
read_as = click.option(
    '--from',
    'given',
    metavar='FORM',
    help='Form of the judgments file: trec, evall, ntcir, dd, '
    'tsv, csv, parquet or json. By default, the reader finds out.',
)
write_as = click.option(
    '--to',
    'wanted',
    metavar='FORM',
    help='Form of the file to write: trec, evall or tsv. The '
    'default is tsv if there are more columns than query, subtopic, document and grade, and trec '
    'otherwise.',
)


@qrels.command()
@source_argument
@read_as
@common.intents
@common.written
def validate(
    source: str, given: str | None, intents: str | None, output: str | None, force: bool
) -> None:
    """Check judgments, and say what they contain.

    If they cannot be used, the error names the file and the line, and the exit code is 2.
    """
    from ..judgments.statistics import statistics

    common.fresh(output, force=force)
    result = statistics(common.judgments(source, intents, given))
    totals = result.summary().set_index('of a query')['total']
    grades = ', '.join(f'{grade:g}: {n}' for grade, n in result.grades.items())
    layers = f', layers {", ".join(map(str, result.layers))}' if len(result.layers) > 1 else ''
    further = f'; columns {", ".join(result.columns)}' if result.columns else ''
    queries, subtopics = (
        count(len(result.queries), 'query', 'queries'),
        count(totals['subtopics'], 'subtopic'),
    )
    common.write(
        f'{source}: {queries}, {subtopics} ({totals["relevant_subtopics"]} with a relevant document), '
        f'{count(totals["judged"], "judged document")} ({totals["relevant"]} relevant){layers}; '
        f'grades {grades}{further}',
        output,
        force,
    )


@qrels.command()
@source_argument
@common.output(required=True)
@common.force
@read_as
@write_as
@click.option(
    '--topic-level',
    is_flag=True,
    help='Write one grade for each document: its highest for any subtopic.',
)
@click.option(
    '--passages',
    type=click.Choice(['sum', 'log', 'max']),
    default='sum',
    show_default=True,
    help='How the ratings of the passages of a document become one grade (TREC Dynamic Domain): their sum, '
    'their sum with a logarithmic discount, or the best one.',
)
@common.intents
def convert(
    source: str,
    output: str,
    force: bool,
    given: str | None,
    wanted: str | None,
    topic_level: bool,
    passages: str,
    intents: str | None,
) -> None:
    """Write judgments of any form, or of an ir_datasets id, as a file.

    A name that ends in .gz compresses the file.

    \b
    ir_divmeasures qrels convert clueweb12/trec-web-2014/diversity -o qrels.txt
    """
    from ..judgments.qrels import read_qrels
    from ..judgments.qrels import topic_level as of_topics

    common.fresh(output, force=force)
    table = read_qrels(source, format=given, intents=intents, passages=passages)
    common.save_qrels(of_topics(table) if topic_level else table, output, wanted, force)


@qrels.command()
@source_argument
@read_as
@common.by_query
@click.option('--grades', is_flag=True, help='Print how many judgments have each grade instead.')
@common.printing
@common.intents
def statistics(
    source: str,
    given: str | None,
    by_query: bool,
    grades: bool,
    form: str,
    places: int,
    output: str | None,
    force: bool,
    intents: str | None,
) -> None:
    """Count queries, subtopics, and judged and relevant documents."""
    from ..judgments.statistics import statistics as counted

    common.fresh(output, force=force)
    result = counted(common.judgments(source, intents, given))
    table = (
        result.grades.rename('judgments').rename_axis('grade').reset_index()
        if grades
        else result.queries
        if by_query
        else result.summary()
    )
    common.write(render(table, form, places), output, force)


@qrels.command()
@source_argument
@common.runs
@common.intents
@common.printing
def diagnose(
    source: str,
    runs: tuple[str, ...],
    intents: str | None,
    form: str,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Check whether runs and judgments belong together, and list what looks wrong.

    \b
    ir_divmeasures qrels diagnose qrels.txt runs/
    """
    from ..evaluation.diagnose import diagnose as result

    common.fresh(output, force=force)
    diagnosis = result(common.several_runs(runs), common.judgments(source, intents))
    common.write(render(diagnosis.runs.reset_index(), form, places), output, force)
    for question in diagnosis.questions or ('Nothing looks wrong.',):
        common.say(question, err=form not in ('table', 'markdown') or output is not None)


@qrels.group()
def add() -> None:
    """Add a column that measures need, and write the judgments."""


def adding(source: str) -> common.Decorator:
    """The parameters of a subcommand that adds a column, given what its source is."""
    return common.together(
        source_argument,
        common.argument('facts', 'SOURCE', source, type=common.PATH),
        common.output(required=True),
        common.force,
        write_as,
    )


LINES = 'File of weights, with lines `query subtopic weight [inf|nav]`.'


@add.command()
@adding(LINES)
@click.option('--normalise', is_flag=True, help='Make the weights of each query sum to 1.')
def weights(
    source: str, facts: str, output: str, force: bool, wanted: str | None, normalise: bool
) -> None:
    """Add weights of subtopics.

    \b
    ir_divmeasures qrels add weights qrels.txt weights.txt -o weighted.tsv
    """
    from ..judgments.intents import with_weights

    common.fresh(output, force=force)
    common.save_qrels(
        with_weights(common.judgments(source), facts, normalise=normalise), output, wanted, force
    )


@add.command()
@adding('File with lines `query subtopic weight inf|nav`, or an ir_datasets id of the Web Track.')
def types(source: str, facts: str, output: str, force: bool, wanted: str | None) -> None:
    """Add types of subtopics: informational (inf) or navigational (nav)."""
    from ..judgments.intents import with_subtopic_types

    common.fresh(output, force=force)
    common.save_qrels(with_subtopic_types(common.judgments(source), facts), output, wanted, force)


@add.command()
@adding(LINES)
def intents(source: str, facts: str, output: str, force: bool, wanted: str | None) -> None:
    """Add all subtopics of a list, even those for which no document is judged."""
    from ..judgments.intents import with_intents

    common.fresh(output, force=force)
    common.save_qrels(with_intents(common.judgments(source), facts), output, wanted, force)


@add.command()
@adding(
    'Texts of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and text.'
)
@common.rel
@common.without_text
def fingerprints(
    source: str, facts: str, output: str, force: bool, wanted: str | None, rel: float, missing: str
) -> None:
    """Add SimHash similarities of the relevant documents, which measures of document similarity need."""
    from ..judgments.similarity import with_fingerprints

    common.fresh(output, force=force)
    result = with_fingerprints(
        common.judgments(source), common.documents(facts), rel=rel, missing=missing
    )
    common.save_qrels(result, output, wanted, force)


@qrels.command()
@common.argument(
    'sources',
    'FILE...',
    'Files of nuggets or sub-questions, of one form.',
    nargs=-1,
    required=True,
    type=common.PATH,
)
@common.output(required=True)
@common.force
@click.option(
    '--from',
    'given',
    metavar='FORM',
    help='Form of the files: autonuggetizer, crux, lancer, freshstack, '
    'autojudge, neuclir, bright-pro, coveragebench or table. By default, the reader finds out.',
)
@click.option(
    '--nuggets',
    'listed',
    metavar='FILE',
    type=common.PATH,
    help='File of all nuggets, which also counts those that no document answers.',
)
@click.option(
    '--run', metavar='FILE', type=common.PATH, help='Run that ratings of the form lancer are about.'
)
@click.option(
    '--strict', is_flag=True, help='Stop with an error at a value that the form does not know.'
)
@write_as
def nuggets(
    sources: tuple[str, ...],
    output: str,
    force: bool,
    given: str | None,
    listed: str | None,
    run: str | None,
    strict: bool,
    wanted: str | None,
) -> None:
    """Write nuggets or sub-questions, and the documents that answer them, as judgments.

    \b
    ir_divmeasures qrels nuggets bank.jsonl -o qrels.tsv
    """
    from ..judgments.nuggets import read_nuggets

    common.fresh(output, force=force)
    given_sources: Any = sources[0] if len(sources) == 1 else list(sources)
    table = read_nuggets(given_sources, given, intents=listed, run=run, strict=strict)
    common.save_qrels(table, output, wanted, force)


@qrels.command()
@source_argument
@common.output(required=True)
@common.force
@click.option(
    '-a',
    '--attribute',
    'attributes',
    multiple=True,
    required=True,
    nargs=3,
    metavar='NAME MEMBERS TARGETS',
    help='A set of groups: its name, the file of memberships (lines `topic doc p_1 … p_C`) and the file of '
    'target shares (one number a line). You can repeat this option.',
)
@write_as
def groups(
    source: str,
    output: str,
    force: bool,
    attributes: tuple[tuple[str, str, str], ...],
    wanted: str | None,
) -> None:
    """Write judgments with groups of documents and their target shares, for the measures GF and GFR.

    The files are those of NTCIR FairWeb.
    """
    from ..judgments.memberships import read_groups

    common.fresh(output, force=force)
    names = [name for name, _, _ in attributes]
    if len(set(names)) < len(names):
        raise ValueError(f'--attribute: {max(names, key=names.count)!r} is given twice')
    table = read_groups(
        source,
        {name: members for name, members, _ in attributes},
        {name: shares for name, _, shares in attributes},
    )
    common.save_qrels(table, output, wanted, force)
