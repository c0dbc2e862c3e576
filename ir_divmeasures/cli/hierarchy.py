"""``ir_divmeasures hierarchy``: intents in layers."""
from __future__ import annotations

import click

from ..results.tables import render
from . import common


@click.group()
def hierarchy() -> None:
    """Build hierarchies of intents into judgments, and look at them."""


@hierarchy.command()
@common.qrels
@click.argument('docs', metavar='DOCS')
@click.argument('target', metavar='OUT')
@click.option('--similarity', type=click.Choice(['simhash', 'tfidf', 'static']), default='simhash', show_default=True,
              help="'static' (English word vectors, extra static) and 'tfidf' agree best with subtopics made by hand. "
                   "'simhash' is the method of the paper.")
@click.option('--cutoff', type=float, default=0.3, show_default=True, help='Documents this similar are one leaf.')
@click.option('--weighting', type=click.Choice(['WI', 'WD']), default='WI', show_default=True,
              help='Children share by leaves, or by gains.')
@click.option('--intent-weighting', type=click.Choice(['height', 'uniform', 'given']), default='height',
              show_default=True)
@click.option('--level', type=click.Choice(['intent', 'topic']), default='intent', show_default=True)
@click.option('--rel', type=float, default=1, show_default=True, help='The lowest relevant grade.')
@click.option('--missing', type=click.Choice(['error', 'skip']), default='error', show_default=True,
              help='Relevant documents without text.')
@common.force
def build(qrels: str, docs: str, target: str, similarity: str, cutoff: float, weighting: str, intent_weighting: str,
          level: str, rel: float, missing: str, force: bool) -> None:
    """Cluster the relevant documents of each intent. DOCS: an ir_datasets id, or a .tsv, .csv or .jsonl file with
    doc_id and text."""
    from ..judgments.hierarchy import build_hierarchy

    common.fresh(target, force=force)
    table = build_hierarchy(common.judgments(qrels), common.documents(docs), similarity, cutoff, weighting,
                            intent_weighting, level, rel=rel, missing=missing)
    common.save_qrels(table, target, None, force)


@hierarchy.command()
@click.argument('clusters', metavar='QRELS')
@click.argument('official', metavar='TRUTH')
@click.option('--layer', help="The layer that has the subtopics: a number, or 'deepest'. The official one by "
                              "default.")
@click.option('--rel', type=float, default=1, show_default=True, help='The lowest relevant grade.')
@click.option('--resamples', type=click.IntRange(min=1), default=1000, show_default=True,
              help='Number of chance assignments.')
@common.seed
@common.printing
def agreement(clusters: str, official: str, layer: str | None, rel: float, resamples: int, seed: int, form: str,
              places: int, output: str | None, force: bool) -> None:
    """Compare the subtopics of QRELS with those of TRUTH, and with chance."""
    from ..evaluation.subtopic_quality import subtopic_agreement

    common.fresh(output, force=force)
    try:
        number: int | str | None = None if layer is None else int(layer)
    except ValueError:
        number = layer
    found = subtopic_agreement(common.judgments(clusters), common.judgments(official), rel=rel, layer=number,
                               n_resamples=resamples, rng=seed)
    common.write(render(found.table, form, places), output, force)


@hierarchy.command()
@common.qrels
@click.argument('docs', metavar='DOCS')
@click.option('--similarity', type=click.Choice(['simhash', 'tfidf', 'static']), default='tfidf', show_default=True)
@click.option('--rel', type=float, default=1, show_default=True, help='The lowest relevant grade.')
@click.option('--missing', type=click.Choice(['error', 'skip']), default='error', show_default=True,
              help='Relevant documents without text.')
@common.printing
def calibrate(qrels: str, docs: str, similarity: str, rel: float, missing: str, form: str, places: int,
              output: str | None, force: bool) -> None:
    """Find the cutoff whose clusters agree best with the official subtopics of QRELS."""
    from ..evaluation.subtopic_quality import calibrate_cutoff

    common.fresh(output, force=force)
    found = calibrate_cutoff(common.judgments(qrels), common.documents(docs), similarity, rel=rel, missing=missing)
    said = f'Best cutoff: {found.best:g}. Mean omega with the best cutoff of the other queries: {found.held_out:.3f}.'
    common.write(f'{render(found.table, form, places)}\n\n{said}', output, force)


@hierarchy.command()
@common.qrels
@click.argument('parents', metavar='PARENTS')
@click.argument('target', metavar='OUT')
@common.force
def superintents(qrels: str, parents: str, target: str, force: bool) -> None:
    """Put superintents above the intents. PARENTS: lines `query subtopic superintent`, parted by tabs."""
    from ..judgments.superintents import with_superintents

    common.fresh(target, force=force)
    common.save_qrels(with_superintents(common.judgments(qrels), parents), target, None, force)


docs_option = click.option('--docs', metavar='DOCS', help='Texts, for top terms: an ir_datasets id or a file.')


@hierarchy.command()
@common.qrels
@docs_option
@common.printing
def describe(qrels: str, docs: str | None, form: str, places: int, output: str | None, force: bool) -> None:
    """The nodes of the hierarchies in judgments, a line each."""
    from ..judgments.views import describe_hierarchy

    common.fresh(output, force=force)
    table = describe_hierarchy(common.judgments(qrels), None if docs is None else common.documents(docs))
    common.write(render(table, form, places), output, force)


@hierarchy.command()
@common.qrels
@click.argument('query')
@docs_option
@common.picture
@common.force
def tree(qrels: str, query: str, docs: str | None, plot: str | None, force: bool) -> None:
    """One query's hierarchy as a tree."""
    from ..judgments.views import draw_hierarchy, hierarchy_tree

    common.fresh(plot, force=force)
    judged, texts = common.judgments(qrels), None if docs is None else common.documents(docs)
    if plot is not None:
        common.draw(draw_hierarchy(judged, query, texts), plot, force)
    common.say(hierarchy_tree(judged, query, texts))
