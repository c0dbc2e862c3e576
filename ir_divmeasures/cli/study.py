"""``ir_divmeasures study``: a paper's analysis on runs of one's own."""

from __future__ import annotations

import click

from . import common

resamples_option = common.resamples(None, '1000')


@click.group(cls=common.Group)
def study() -> None:
    """Repeat a published study on your runs, and print the results as Markdown."""


@study.command()
@common.qrels
@common.runs
@click.option(
    '--seeds',
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help='Number of simulations of each scenario.',
)
@common.seed
@common.written
def unanimity(
    qrels: str, runs: tuple[str, ...], seeds: int, seed: int, output: str | None, force: bool
) -> None:
    """Compute the metric unanimity of 102 measures: Amigó et al., SIGIR 2018, experiments 1 to 3."""
    from ..studies import unanimity as repeated

    common.fresh(output, force=force)
    result = repeated(common.several_runs(runs), common.judgments(qrels), seeds=seeds, rng=seed)
    common.write(result.to_markdown(), output, force)


@study.command()
@common.argument('passages', 'PASSAGES', "The track's file of passage judgments.", type=common.PATH)
@common.runs
@click.option(
    '--variants/--no-variants',
    default=True,
    show_default=True,
    help='Derive further systems from each run, as the paper does.',
)
@common.seed
@common.written
def dynamic_domain(
    passages: str, runs: tuple[str, ...], variants: bool, seed: int, output: str | None, force: bool
) -> None:
    """Repeat experiment 4 of Amigó et al., SIGIR 2018, on runs of TREC Dynamic Domain."""
    from ..studies import dynamic_domain as repeated

    common.fresh(output, force=force)
    result = repeated(common.several_runs(runs), passages, variants=variants, rng=seed)
    common.write(result.to_markdown(), output, force)


@study.command()
@common.argument(
    'names',
    '[MEASURE...]',
    'Measures or presets. Without them, the measures of the paper are tested.',
    nargs=-1,
    type=common.Measures(),
)
@common.longest
@common.deepest
@common.written
def axioms(
    names: tuple[str, ...], longest: int, deepest: int, output: str | None, force: bool
) -> None:
    """Test which constraints measures satisfy, and compare that with Table 1 of Amigó et al., SIGIR 2018."""
    from ..studies import axioms as repeated

    common.fresh(output, force=force)
    result = repeated(' '.join(names) if names else None, longest=longest, deepest=deepest)
    common.write(result.to_markdown(), output, force)


@study.command()
@common.qrels
@common.runs
@click.option(
    '--depth',
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help='Depth of the pool, and cutoff of the measures.',
)
@common.groups
@resamples_option
@common.seed
@common.written
def innovation(
    qrels: str,
    runs: tuple[str, ...],
    depth: int,
    groups: str | None,
    resamples: int | None,
    seed: int,
    output: str | None,
    force: bool,
) -> None:
    """Repeat the study of measures of innovation by Türkmen et al., ECIR 2023."""
    from ..studies import innovation as repeated

    common.fresh(output, force=force)
    result = repeated(
        common.several_runs(runs),
        common.judgments(qrels),
        depth=depth,
        groups=groups,
        n_resamples=resamples,
        rng=seed,
    )
    common.write(result.to_markdown(), output, force)


@study.command()
@common.qrels
@common.runs
@click.option(
    '--assessor',
    'assessors',
    multiple=True,
    metavar='QRELS',
    type=common.PATH,
    help='Judgments of another assessor. You can repeat this option.',
)
@common.trials(100)
@click.option(
    '--size',
    'sizes',
    type=click.IntRange(min=1),
    multiple=True,
    help='Number of topics in a sample. The '
    'default is 5, 10, and so on. You can repeat this option.',
)
@common.seed
@common.written
def user_models(
    qrels: str,
    runs: tuple[str, ...],
    assessors: tuple[str, ...],
    trials: int,
    sizes: tuple[int, ...],
    seed: int,
    output: str | None,
    force: bool,
) -> None:
    """Repeat the study of how robust measures of user models are, by Carterette, SIGIR 2011."""
    from ..studies import user_models as repeated

    common.fresh(output, force=force)
    others = {name: common.judgments(name) for name in assessors} or None
    result = repeated(
        common.several_runs(runs),
        common.judgments(qrels),
        assessors=others,
        sizes=sizes or None,
        n_trials=trials,
        rng=seed,
    )
    common.write(result.to_markdown(), output, force)


@study.command()
@common.qrels
@common.docs
@common.runs
@click.option(
    '--superintents',
    metavar='FILE',
    type=common.PATH,
    help='File of lines `query subtopic superintent`, separated by tabs.',
)
@click.option(
    '--vectors',
    metavar='FILE',
    type=common.PATH,
    help='Vectors of documents, for a further similarity: '
    '.npz with the arrays doc_ids and vectors, .jsonl with doc_id and vector, or a table with doc_id and a '
    'column for each dimension.',
)
@resamples_option
@click.option(
    '--shuffles',
    type=click.IntRange(min=1),
    default=99,
    show_default=True,
    help='Number of times that the control shuffles the texts among the relevant documents of an intent.',
)
@common.seed
@common.written
def hierarchies(
    qrels: str,
    docs: str,
    runs: tuple[str, ...],
    superintents: str | None,
    vectors: str | None,
    resamples: int | None,
    shuffles: int,
    seed: int,
    output: str | None,
    force: bool,
) -> None:
    """Repeat the study of hierarchies of subtopics from texts, by Dou et al., IRJ 2019."""
    from ..io.document_files import read_vectors
    from ..studies import hierarchies as repeated

    common.fresh(output, force=force)
    result = repeated(
        common.several_runs(runs),
        common.judgments(qrels),
        common.documents(docs),
        vectors=read_vectors(vectors) if vectors else None,
        superintents=superintents,
        n_resamples=resamples or 1000,
        n_shuffles=shuffles,
        rng=seed,
    )
    common.write(result.to_markdown(), output, force)


@study.command()
@common.qrels
@common.runs
@click.option(
    '--judges',
    metavar='FILE',
    multiple=True,
    type=common.PATH,
    help='Ratings of the same documents by another judge, in any form of nuggets, or a table of judgments '
    'with a column judge. Those of QRELS are the first judge\'s. You can repeat this option.',
)
@click.option(
    '--nuggets',
    'intents',
    metavar='FILE',
    type=common.PATH,
    help='File of all nuggets, if QRELS and --judges are ratings.',
)
@common.lowest_grade(3, int)
@click.option(
    '--cutoff',
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help='Cutoff of the measures.',
)
@resamples_option
@common.seed
@common.jobs
@common.written
def nuggets(
    qrels: str,
    runs: tuple[str, ...],
    judges: tuple[str, ...],
    intents: str | None,
    rel: int,
    cutoff: int,
    resamples: int | None,
    seed: int,
    jobs: int,
    output: str | None,
    force: bool,
) -> None:
    """Compare coverage of sub-questions with other measures, and show what the noise of judges does to them.

    QRELS can also be a file of nuggets.
    """
    from ..studies import nuggets as repeated

    common.fresh(output, force=force)
    judged = common.nuggets(qrels, intents)
    several = common.nuggets([qrels, *judges], intents) if judges else None
    result = repeated(
        common.several_runs(runs),
        judged,
        judges=several,
        rel=rel,
        cutoff=cutoff,
        n_resamples=resamples,
        rng=seed,
        jobs=jobs,
    )
    common.write(result.to_markdown(), output, force)
