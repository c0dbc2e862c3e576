"""``ir_divmeasures rag``: what a RAG pipeline retrieved, said, supported and missed."""
from __future__ import annotations

import click

from ..results.tables import FORMS, render
from . import common


def _points(context: click.Context, parameter: click.Parameter, value: str | None) -> list[float] | None:
    if value is None:
        return None
    try:
        return [float(point) for point in value.replace(',', ' ').split()]
    except ValueError:
        raise click.BadParameter(f'{value!r}: expected numbers separated by commas, as in 500,1000,2000') from None


@click.command()
@click.argument('files', nargs=-1, required=True, metavar='FILE...')
@click.option('--nuggets', metavar='FILE', help='A further file of nuggets and the documents that hold them.')
@click.option('-m', '--measures', 'names', multiple=True, type=common.Measures(), metavar='MEASURES',
              help='Measures of the contexts, and presets of answers (trec-rag, argue, rubric), separated by spaces. '
                   'You can repeat this option.')
@click.option('--cutoff', type=click.IntRange(1), default=10, show_default=True,
              help='How many documents of a ranking are the context.')
@click.option('--along', type=click.Choice(['iteration', 'length']),
              help='Score the contexts after each round of a search, or within each of several budgets.')
@click.option('--at', callback=_points, metavar='NUMBERS', help='Rounds or budgets of --along, separated by commas.')
@click.option('--part', metavar='NAME', help="The part of MTEB's files to read, such as default/test.")
@click.option('--labels', is_flag=True, help='Name the measures as the tools do that report them.')
@click.option('-q', '--by-query', 'by_query', is_flag=True, help='Print the scores of each question.')
@common.places
@click.option('--format', 'form', type=click.Choice(list(FORMS)), help='Print a table in this format, without '
              'descriptions.')
@common.output
@common.force
def rag(files: tuple[str, ...], nuggets: str | None, names: tuple[str, ...], cutoff: int, along: str | None,
        at: list[float] | None, part: str | None, labels: bool, by_query: bool, places: int, form: str | None,
        output: str | None, force: bool) -> None:
    """Score a RAG pipeline or a search agent from the files that it writes.

    FILE is JSON or JSON lines, a folder, or a pattern: contexts, answers with citations, nuggets, rubrics, traces of
    agents, MTEB predictions. Each file, or each run_id in it, is a system.

    \b
    ir_divmeasures rag A.jsonl --labels
    ir_divmeasures rag agent.jsonl --nuggets aspects.jsonl -m alpha_nDCG@10 --along iteration
    """
    from ..evaluation.rag_summary import summarise
    from ..io.rag_forms import paths_of
    from ..judgments.rag import read_rag

    if (at is not None or along == 'length') and (at is None or along is None):
        raise click.UsageError('--at goes with --along, and --along length needs --at')
    common.fresh(output, force=force)
    paths = paths_of(files)
    known = read_rag([*paths, nuggets] if nuggets else paths, part=part)
    summary = summarise(known, paths, names, cutoff=cutoff, along=along, at=at, labels=labels, by_query=by_query)
    common.write(summary.text(places) if form is None else render(summary.to_frame(), form, places), output, force)
