"""``ir_divmeasures rag``: what a RAG pipeline retrieved, said, supported and missed."""

from __future__ import annotations

import click

from ..results.tables import render
from . import common


def _points(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[float] | None:
    if value is None:
        return None
    try:
        return [float(point) for point in value.replace(',', ' ').split()]
    except ValueError:
        raise click.BadParameter(
            f'{value!r}: expected numbers separated by commas, as in 500,1000,2000'
        ) from None


@click.command(
    cls=common.Command,
    short_help='Score a RAG pipeline or a search agent from the files that it writes.',
)
@common.argument(
    'files',
    'FILE...',
    'JSON or JSON lines, folders, or patterns: contexts, answers with citations, '
    'nuggets, rubrics, traces of agents, MTEB predictions.',
    nargs=-1,
    required=True,
    type=common.PATH,
)
@click.option(
    '--nuggets',
    metavar='FILE',
    type=common.PATH,
    help='File of further nuggets and of the documents that contain them.',
)
@common.measures(required=False)
@click.option(
    '--cutoff',
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help='Number of documents of a ranking that are the context.',
)
@click.option(
    '--along',
    type=click.Choice(['iteration', 'length']),
    help='Score the contexts after each round of a search, or within each of several budgets.',
)
@click.option(
    '--at',
    callback=_points,
    metavar='NUMBERS',
    help='Rounds or budgets at which --along scores, separated '
    'by commas, for example 500,1000,2000.',
)
@click.option(
    '--part', metavar='NAME', help="Part of MTEB's files to read, for example default/test."
)
@click.option('--labels', is_flag=True, help='Name the measures as the tools that report them do.')
@common.by_query
@common.form(None, 'text with descriptions')
@common.places
@common.written
def rag(
    files: tuple[str, ...],
    nuggets: str | None,
    names: tuple[str, ...],
    cutoff: int,
    along: str | None,
    at: list[float] | None,
    part: str | None,
    labels: bool,
    by_query: bool,
    places: int,
    form: str | None,
    output: str | None,
    force: bool,
) -> None:
    """Score a RAG pipeline or a search agent from the files that it writes.

    Each file, or each run_id in it, is a system. --measures names measures of the contexts, and the presets trec-rag,
    argue and rubric for answers.

    \b
    ir_divmeasures rag A.jsonl --labels
    ir_divmeasures rag agent.jsonl --nuggets aspects.jsonl -m alpha_nDCG@10 --along iteration
    """
    from ..evaluation.rag_summary import summarise
    from ..io.files import paths_of
    from ..judgments.nuggets import read_rag

    if (at is not None or along == 'length') and (at is None or along is None):
        raise click.UsageError('--at needs --along, and --along length needs --at')
    common.fresh(output, force=force)
    paths = paths_of(files)
    answers = read_rag([*paths, nuggets] if nuggets else paths, part=part)
    summary = summarise(
        answers, paths, names, cutoff=cutoff, along=along, at=at, labels=labels, by_query=by_query
    )
    common.write(
        summary.text(places) if form is None else render(summary.to_frame(), form, places),
        output,
        force,
    )
