"""``ir_divmeasures hierarchy``: intents in layers."""

from __future__ import annotations

import click

from ..results.tables import render
from . import common


@click.group(cls=common.Group)
def hierarchy() -> None:
    """Build hierarchies of subtopics into judgments, and look at them."""


def similarity(default: str) -> common.Decorator:
    return click.option(
        '--similarity',
        type=click.Choice(['simhash', 'tfidf', 'static']),
        default=default,
        show_default=True,
        help='Similarity of documents. static (English word vectors, which the '
        'extra static installs) and tfidf agree best with subtopics made by hand. simhash is the '
        'method of the paper.',
    )


@hierarchy.command()
@common.qrels
@common.docs
@common.output(required=True)
@common.force
@similarity('simhash')
@click.option(
    '--cutoff',
    type=float,
    default=0.3,
    show_default=True,
    help='Similarity from which documents are one leaf of the hierarchy.',
)
@click.option(
    '--weighting',
    type=click.Choice(['WI', 'WD']),
    default='WI',
    show_default=True,
    help='How the weight of a node is divided among its children: by their numbers of leaves (WI), or by '
    'their gains (WD).',
)
@click.option(
    '--intent-weighting',
    type=click.Choice(['height', 'uniform', 'given']),
    default='height',
    show_default=True,
    help='Weights of the subtopics of a query: by the heights of their hierarchies, all '
    'equal, or those of the judgments.',
)
@click.option(
    '--level',
    type=click.Choice(['intent', 'topic']),
    default='intent',
    show_default=True,
    help='Build one hierarchy for each subtopic (intent), or one for each query (topic).',
)
@common.rel
@common.without_text
def build(
    qrels: str,
    docs: str,
    output: str,
    similarity: str,
    cutoff: float,
    weighting: str,
    intent_weighting: str,
    level: str,
    rel: float,
    missing: str,
    force: bool,
) -> None:
    """Cluster the relevant documents of each subtopic, and write judgments with the hierarchy.

    \b
    ir_divmeasures hierarchy build qrels.txt texts.jsonl -o layered.tsv --similarity tfidf
    """
    from ..judgments.hierarchy import build_hierarchy

    common.fresh(output, force=force)
    table = build_hierarchy(
        common.judgments(qrels),
        common.documents(docs),
        similarity,
        cutoff,
        weighting,
        intent_weighting,
        level,
        rel=rel,
        missing=missing,
    )
    common.save_qrels(table, output, None, force)


@hierarchy.command()
@common.argument('clusters', 'QRELS', common.QRELS, type=common.PATH)
@common.argument(
    'official',
    'TRUTH',
    'Judgments with the subtopics to compare with, in the same forms.',
    type=common.PATH,
)
@click.option(
    '--layer',
    metavar='LAYER',
    help='Layer of QRELS that has the subtopics: a number, or deepest. The '
    'default is the official layer.',
)
@common.rel
@common.resamples()
@common.seed
@common.printing
def agreement(
    clusters: str,
    official: str,
    layer: str | None,
    rel: float,
    resamples: int,
    seed: int,
    form: str,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Compare the subtopics of QRELS with those of TRUTH, and with random assignments.

    \b
    ir_divmeasures hierarchy agreement layered.tsv qrels.txt --layer deepest
    """
    from ..evaluation.subtopic_quality import subtopic_agreement

    common.fresh(output, force=force)
    try:
        number: int | str | None = None if layer is None else int(layer)
    except ValueError:
        number = layer
    result = subtopic_agreement(
        common.judgments(clusters),
        common.judgments(official),
        rel=rel,
        layer=number,
        n_resamples=resamples,
        rng=seed,
    )
    common.write(render(result.to_frame(), form, places), output, force)


@hierarchy.command()
@common.qrels
@common.docs
@similarity('tfidf')
@common.rel
@common.without_text
@common.printing
def calibrate(
    qrels: str,
    docs: str,
    similarity: str,
    rel: float,
    missing: str,
    form: str,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Find the cutoff of `hierarchy build` whose clusters agree best with the official subtopics of QRELS.

    \b
    ir_divmeasures hierarchy calibrate qrels.txt texts.jsonl
    """
    from ..evaluation.subtopic_quality import calibrate_cutoff

    common.fresh(output, force=force)
    result = calibrate_cutoff(
        common.judgments(qrels), common.documents(docs), similarity, rel=rel, missing=missing
    )
    message = (
        f'Best cutoff: {result.best:g}. Mean omega with the best cutoff of the other queries: '
        f'{result.held_out:.3f}.'
    )
    common.write(f'{render(result.to_frame(), form, places)}\n\n{message}', output, force)


@hierarchy.command()
@common.qrels
@common.argument(
    'parents',
    'PARENTS',
    'File of lines `query subtopic superintent`, separated by tabs.',
    type=common.PATH,
)
@common.output(required=True)
@common.force
def superintents(qrels: str, parents: str, output: str, force: bool) -> None:
    """Add a layer of superintents above the subtopics, and write the judgments."""
    from ..judgments.superintents import with_superintents

    common.fresh(output, force=force)
    common.save_qrels(with_superintents(common.judgments(qrels), parents), output, None, force)


docs_option = click.option(
    '--docs',
    metavar='DOCS',
    type=common.PATH,
    help='Texts of documents, from which each node '
    'gets its most typical terms: an ir_datasets id or a file.',
)


@hierarchy.command()
@common.qrels
@docs_option
@common.printing
def describe(
    qrels: str, docs: str | None, form: str, places: int, output: str | None, force: bool
) -> None:
    """Print the nodes of the hierarchies in judgments, one on each line."""
    from ..judgments.views import describe_hierarchy

    common.fresh(output, force=force)
    table = describe_hierarchy(
        common.judgments(qrels), None if docs is None else common.documents(docs)
    )
    common.write(render(table, form, places), output, force)


@hierarchy.command()
@common.qrels
@common.argument('query', 'QUERY', 'Id of a query.')
@docs_option
@common.written
@common.picture
def tree(
    qrels: str, query: str, docs: str | None, output: str | None, plot: str | None, force: bool
) -> None:
    """Print the hierarchy of a query as a tree."""
    from ..judgments.views import draw_hierarchy, hierarchy_tree

    common.fresh(output, plot, force=force)
    judged, texts = common.judgments(qrels), None if docs is None else common.documents(docs)
    if plot is not None:
        common.draw(draw_hierarchy(judged, query, texts), plot, force)
    common.write(hierarchy_tree(judged, query, texts), output, force)
