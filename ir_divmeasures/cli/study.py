"""``ir_divmeasures study``: a paper's analysis on runs of one's own."""
from __future__ import annotations

import click

from . import common

resamples_option = click.option('--resamples', type=int, help='Of the bootstrap, and other draws; 1000 by default.')


@click.group()
def study() -> None:
    """Repeat a published study on your runs; prints Markdown."""


@study.command()
@common.qrels
@common.runs
@click.option('--seeds', type=int, default=10, show_default=True, help='Simulations of each scenario.')
@common.seed
@common.output
@common.force
def unanimity(qrels: str, runs: tuple[str, ...], seeds: int, seed: int, output: str | None,
              force: bool) -> None:
    """Metric unanimity of 102 measures: Amigo et al., SIGIR 2018, experiments 1 to 3."""
    from ..studies import unanimity as repeated

    common.fresh(output, force=force)
    found = repeated(common.several_runs(runs), common.judgments(qrels), seeds=seeds, rng=seed)
    common.write(found.to_markdown(), output, force)


@study.command()
@click.argument('passages', metavar='PASSAGES')
@common.runs
@click.option('--variants/--no-variants', default=True, show_default=True, help='Make systems of each run.')
@common.seed
@common.output
@common.force
def dynamic_domain(passages: str, runs: tuple[str, ...], variants: bool, seed: int, output: str | None,
                   force: bool) -> None:
    """TREC Dynamic Domain: Amigo et al., SIGIR 2018, experiment 4. PASSAGES: the track's passage judgments."""
    from ..studies import dynamic_domain as repeated

    common.fresh(output, force=force)
    found = repeated(common.several_runs(runs), passages, variants=variants, rng=seed)
    common.write(found.to_markdown(), output, force)


@study.command()
@click.argument('names', nargs=-1, type=common.Measures(), metavar='[MEASURE...]')
@click.option('--longest', type=int, default=40, show_default=True, help='Documents in the longest ranking tried.')
@click.option('--deepest', type=int, default=4096, show_default=True, help='The largest n of DeepTh and CloseTh.')
@common.output
@common.force
def axioms(names: tuple[str, ...], longest: int, deepest: int, output: str | None, force: bool) -> None:
    """Which constraints measures satisfy, beside the paper's Table 1: Amigo et al., SIGIR 2018."""
    from ..studies import axioms as repeated

    common.fresh(output, force=force)
    found = repeated(' '.join(names) if names else None, longest=longest, deepest=deepest)
    common.write(found.to_markdown(), output, force)


@study.command()
@common.qrels
@common.runs
@click.option('--depth', type=int, default=100, show_default=True, help='Of the pool, and cutoff of the measures.')
@click.option('--groups', metavar='FILE', help='Lines `system group`: how far the judgments depend on each group.')
@resamples_option
@common.seed
@common.output
@common.force
def innovation(qrels: str, runs: tuple[str, ...], depth: int, groups: str | None, resamples: int | None, seed: int,
               output: str | None, force: bool) -> None:
    """Measures of innovation: Türkmen et al., ECIR 2023."""
    from ..studies import innovation as repeated

    common.fresh(output, force=force)
    found = repeated(common.several_runs(runs), common.judgments(qrels), depth=depth, groups=groups,
                     n_resamples=resamples, rng=seed)
    common.write(found.to_markdown(), output, force)


@study.command()
@common.qrels
@common.runs
@click.option('--assessor', 'assessors', multiple=True, metavar='QRELS', help="Another assessor's judgments.")
@click.option('--trials', type=int, default=100, show_default=True, help='Topic samples of each size.')
@click.option('--size', 'sizes', type=int, multiple=True, help='Of the topic samples; 5, 10, … by default.')
@common.seed
@common.output
@common.force
def user_models(qrels: str, runs: tuple[str, ...], assessors: tuple[str, ...], trials: int, sizes: tuple[int, ...],
                seed: int, output: str | None, force: bool) -> None:
    """How robust measures of user models are: Carterette, SIGIR 2011."""
    from ..studies import user_models as repeated

    common.fresh(output, force=force)
    others = {name: common.judgments(name) for name in assessors} or None
    found = repeated(common.several_runs(runs), common.judgments(qrels), assessors=others, sizes=sizes or None,
                     n_trials=trials, rng=seed)
    common.write(found.to_markdown(), output, force)


@study.command()
@common.qrels
@click.argument('docs', metavar='DOCS')
@common.runs
@click.option('--superintents', metavar='FILE', help='Lines `query subtopic superintent`, parted by tabs.')
@click.option('--vectors', metavar='FILE', help='Vectors of documents, a further similarity: .npz (arrays doc_ids and '
              'vectors), .jsonl (doc_id, vector), or a table with doc_id and a column for each dimension.')
@resamples_option
@common.seed
@common.output
@common.force
def hierarchies(qrels: str, docs: str, runs: tuple[str, ...], superintents: str | None, vectors: str | None,
                resamples: int | None, seed: int, output: str | None, force: bool) -> None:
    """Intents from texts: Dou et al., IRJ 2019. DOCS: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id
    and text."""
    from ..io.document_files import read_vectors
    from ..studies import hierarchies as repeated

    common.fresh(output, force=force)
    found = repeated(common.several_runs(runs), common.judgments(qrels), common.documents(docs),
                     vectors=read_vectors(vectors) if vectors else None, superintents=superintents,
                     n_resamples=resamples or 1000, rng=seed)
    common.write(found.to_markdown(), output, force)


@study.command()
@common.qrels
@common.runs
@click.option('--judges', metavar='FILE', multiple=True, help='Further ratings of the same documents, in any form of '
              'nuggets, or a table of judgments with a column `judge`; may be repeated. Those of QRELS are the first '
              "judge's.")
@click.option('--intents', metavar='FILE', help='All nuggets that are listed, if QRELS and --judges are ratings.')
@click.option('--rel', type=int, default=3, show_default=True, help='The grade from which a nugget counts as answered.')
@click.option('--cutoff', type=int, default=10, show_default=True, help='Of the measures.')
@resamples_option
@common.seed
@common.jobs
@common.output
@common.force
def nuggets(qrels: str, runs: tuple[str, ...], judges: tuple[str, ...], intents: str | None, rel: int, cutoff: int,
            resamples: int | None, seed: int, jobs: int, output: str | None, force: bool) -> None:
    """Coverage of sub-questions against other measures, and what the noise of judges does. QRELS: judgments, or a file
    of nuggets."""
    from ..studies import nuggets as repeated

    common.fresh(output, force=force)
    judged = common.nuggets(qrels, intents)
    several = common.nuggets([qrels, *judges], intents) if judges else None
    found = repeated(common.several_runs(runs), judged, judges=several, rel=rel, cutoff=cutoff, n_resamples=resamples,
                     rng=seed, jobs=jobs)
    common.write(found.to_markdown(), output, force)
