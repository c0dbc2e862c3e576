"""``ir_divmeasures qrels``: look at judgments, convert them, add what measures need."""
from __future__ import annotations

from typing import Any

import click

from ..results.tables import render
from . import common


@click.group()
def qrels() -> None:
    """Validate, convert, count, diagnose judgments; add weights, types, intents, fingerprints."""


read_as = click.option('--from', 'given', metavar='FORM', help='The form of the file, told from its lines if not '
                                                               'given: trec, evall, ntcir, dd, tsv.')
write_as = click.option('--to', 'wanted', metavar='FORM', help='trec, evall or tsv; trec if there are no further '
                                                               'columns, else tsv.')


@qrels.command()
@click.argument('source', metavar='QRELS')
@read_as
@common.intents
def validate(source: str, given: str | None, intents: str | None) -> None:
    """Check judgments; say what they hold. Exit code 2 with file and line if they cannot be used."""
    from ..judgments.statistics import statistics

    found = statistics(common.judgments(source, intents, given))
    totals = found.summary().set_index('of a query')['total']
    grades = ', '.join(f'{grade:g}: {n}' for grade, n in found.grades.items())
    layers = f', layers {", ".join(map(str, found.layers))}' if len(found.layers) > 1 else ''
    further = f'; columns {", ".join(found.columns)}' if found.columns else ''
    common.say(f'{source}: {len(found.queries)} queries, {totals["subtopics"]} subtopics '
               f'({totals["relevant_subtopics"]} with a relevant document), {totals["judged"]} judged '
               f'documents ({totals["relevant"]} relevant){layers}; grades {grades}{further}')


@qrels.command()
@click.argument('source', metavar='QRELS')
@click.argument('target', metavar='OUT')
@read_as
@write_as
@click.option('--topic-level', is_flag=True, help='One grade for each document, the highest of its subtopics.')
@click.option('--passages', type=click.Choice(['sum', 'max']), default='sum', show_default=True,
              help='What becomes of several passages of a document (TREC Dynamic Domain).')
@common.intents
@common.force
def convert(source: str, target: str, given: str | None, wanted: str | None, topic_level: bool, passages: str,
            intents: str | None, force: bool) -> None:
    """Write judgments of any form, or of an ir_datasets id, as a file; .gz compresses."""
    from ..judgments.qrels import read_qrels
    from ..judgments.qrels import topic_level as of_topics

    common.fresh(target, force=force)
    table = read_qrels(source, format=given, intents=intents, passages=passages)
    common.save_qrels(of_topics(table) if topic_level else table, target, wanted, force)


@qrels.command()
@click.argument('source', metavar='QRELS')
@read_as
@click.option('-q', '--by-query', is_flag=True, help='A line a query.')
@click.option('--grades', is_flag=True, help='How many judgments have each grade.')
@common.printing
@common.intents
def statistics(source: str, given: str | None, by_query: bool, grades: bool, form: str, places: int,
               output: str | None, force: bool, intents: str | None) -> None:
    """Count subtopics, judged and relevant documents, grades."""
    from ..judgments.statistics import statistics as counted

    common.fresh(output, force=force)
    found = counted(common.judgments(source, intents, given))
    table = found.grades.rename('judgments').rename_axis('grade').reset_index() if grades else \
        found.queries if by_query else found.summary()
    common.write(render(table, form, places), output, force)


@qrels.command()
@click.argument('source', metavar='QRELS')
@common.runs
@common.intents
@common.printing
def diagnose(source: str, runs: tuple[str, ...], intents: str | None, form: str, places: int, output: str | None,
             force: bool) -> None:
    """Look at runs and judgments before they are scored: do they belong together, what is to be questioned?"""
    from ..evaluation.diagnose import diagnose as found

    common.fresh(output, force=force)
    diagnosis = found(common.several_runs(runs), common.judgments(source, intents))
    common.write(render(diagnosis.runs.reset_index(), form, places), output, force)
    for question in diagnosis.questions or ('nothing to question',):
        common.say(question, err=form not in ('table', 'markdown') or output is not None)


@qrels.group()
def add() -> None:
    """Add a column that measures need, and write the judgments as a file."""


def adding(function: common.Command) -> common.Command:
    """Arguments of what adds a column."""
    return common.together(click.argument('source', metavar='QRELS'), click.argument('facts', metavar='SOURCE'),
                           click.argument('target', metavar='OUT'), write_as, common.force)(function)


@add.command()
@adding
@click.option('--normalise', is_flag=True, help='Make the weights of each query sum to 1.')
def weights(source: str, facts: str, target: str, wanted: str | None, force: bool, normalise: bool) -> None:
    """Weights of intents. SOURCE: lines `query subtopic weight [inf|nav]`."""
    from ..judgments.intents import with_weights

    common.fresh(target, force=force)
    common.save_qrels(with_weights(common.judgments(source), facts, normalise=normalise), target, wanted, force)


@add.command()
@adding
def types(source: str, facts: str, target: str, wanted: str | None, force: bool) -> None:
    """Types of intents. SOURCE: lines `query subtopic weight inf|nav`, or an ir_datasets id of the Web Track."""
    from ..judgments.intents import with_subtopic_types

    common.fresh(target, force=force)
    common.save_qrels(with_subtopic_types(common.judgments(source), facts), target, wanted, force)


@add.command()
@adding
def intents(source: str, facts: str, target: str, wanted: str | None, force: bool) -> None:
    """Listed intents, also such that no document is judged for. SOURCE: lines `query subtopic weight [inf|nav]`."""
    from ..judgments.intents import with_intents

    common.fresh(target, force=force)
    common.save_qrels(with_intents(common.judgments(source), facts), target, wanted, force)


@add.command()
@adding
@click.option('--rel', type=float, default=1, show_default=True, help='The lowest relevant grade.')
@click.option('--missing', type=click.Choice(['error', 'skip']), default='error', show_default=True,
              help='Relevant documents without text.')
def fingerprints(source: str, facts: str, target: str, wanted: str | None, force: bool, rel: float,
                 missing: str) -> None:
    """Fingerprints of relevant documents. SOURCE: an ir_datasets id, or a file of texts (see `hierarchy build`)."""
    from ..judgments.fingerprints import with_fingerprints

    common.fresh(target, force=force)
    found = with_fingerprints(common.judgments(source), common.documents(facts), rel=rel, missing=missing)
    common.save_qrels(found, target, wanted, force)


@qrels.command()
@click.argument('sources', nargs=-1, required=True, metavar='FILE...')
@click.argument('target', metavar='OUT')
@click.option('--from', 'given', metavar='FORM', help='autonuggetizer, crux, lancer, freshstack, autojudge, neuclir, '
                                                      'bright-pro, coveragebench, table; else told from the data.')
@click.option('--intents', 'listed', metavar='FILE', help='All nuggets that are listed.')
@click.option('--run', metavar='FILE', help="The run that 'lancer' ratings are of.")
@click.option('--strict', is_flag=True, help='Unknown values are errors.')
@write_as
@common.force
def nuggets(sources: tuple[str, ...], target: str, given: str | None, listed: str | None, run: str | None,
            strict: bool, wanted: str | None, force: bool) -> None:
    """Write nuggets, or sub-questions, and the documents that answer them as judgments."""
    from ..judgments.nuggets import read_nuggets

    common.fresh(target, force=force)
    given_sources: Any = sources[0] if len(sources) == 1 else list(sources)
    table = read_nuggets(given_sources, given, intents=listed, run=run, strict=strict)
    common.save_qrels(table, target, wanted, force)


@qrels.command()
@click.argument('source', metavar='QRELS')
@click.argument('target', metavar='OUT')
@click.option('-a', '--attribute', 'attributes', multiple=True, required=True, nargs=3, metavar='NAME MEMBERS TARGETS',
              help='A set of groups: its name, the file of memberships (lines `topic doc p_1 … p_C`) and the file of '
                   'target shares (one number a line). You can repeat this option.')
@write_as
@common.force
def groups(source: str, target: str, attributes: tuple[tuple[str, str, str], ...], wanted: str | None,
           force: bool) -> None:
    """Write judgments with groups of documents and their target shares (NTCIR FairWeb), for GF and GFR."""
    from ..judgments.memberships import read_groups

    common.fresh(target, force=force)
    names = [name for name, _, _ in attributes]
    if len(set(names)) < len(names):
        raise ValueError(f'--attribute: {max(names, key=names.count)!r} is given twice')
    table = read_groups(source, {name: members for name, members, _ in attributes},
                        {name: shares for name, _, shares in attributes})
    common.save_qrels(table, target, wanted, force)
