"""``ir_divmeasures study``: a paper's analysis on runs of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from . import readers
from .build import Group, subcommand
from .options import File, Positive

RUNS = {'runs': 'paths'}


@subcommand(further='', names=RUNS)
def unanimity(qrels: Any, runs: Any, seeds: Positive = 10, rng: int = 0) -> str:
    """Compute the metric unanimity of 102 measures: Amigó et al., SIGIR 2018, experiments 1 to 3.

    Args:
        seeds: Number of simulations of each scenario.
    """
    from ..studies import unanimity as repeated

    return repeated(runs, qrels, seeds=seeds, rng=rng).to_markdown()


@subcommand('dynamic-domain', further='', names=RUNS)
def dynamic_domain(passages: str, runs: Any, variants: bool = True, rng: int = 0) -> str:
    """Repeat experiment 4 of Amigó et al., SIGIR 2018, on runs of TREC Dynamic Domain.

    Args:
        variants: Derive further systems from each run, as the paper does.
    """
    from ..studies import dynamic_domain as repeated

    return repeated(runs, passages, variants=variants, rng=rng).to_markdown()


@subcommand(further='', names={'names': 'some_measures'})
def axioms(names: Sequence[str] = (), longest: int = 40, deepest: int = 4096) -> str:
    """Test which constraints measures satisfy, and compare that with Table 1 of Amigó et al., SIGIR 2018."""
    from ..studies import axioms as repeated

    chosen = ' '.join(names) if names else None
    return repeated(chosen, longest=longest, deepest=deepest).to_markdown()


@subcommand(further='', names=RUNS)
def innovation(
    qrels: Any,
    runs: Any,
    depth: Positive = 100,
    groups: str | None = None,
    n_resamples: int = 1000,
    rng: int = 0,
) -> str:
    """Repeat the study of measures of innovation by Türkmen et al., ECIR 2023.

    Args:
        depth: Depth of the pool, and cutoff of the measures.
    """
    from ..studies import innovation as repeated

    settings: dict[str, Any] = {'n_resamples': n_resamples, 'rng': rng}
    return repeated(runs, qrels, depth=depth, groups=groups, **settings).to_markdown()


@subcommand('user-models', further='', names=RUNS)
def user_models(
    qrels: Any,
    runs: Any,
    assessor: Sequence[File] = (),
    n_trials: int = 100,
    size: Sequence[Positive] = (),
    rng: int = 0,
) -> str:
    """Repeat the study of how robust measures of user models are, by Carterette, SIGIR 2011.

    Args:
        assessor: Judgments of another assessor. You can repeat this option.
        size: Number of topics in a sample. The default is 5, 10, and so on. You can repeat this option.
    """
    from ..studies import user_models as repeated

    others = {name: readers.judgments(name) for name in assessor} or None
    settings: dict[str, Any] = {'n_trials': n_trials, 'rng': rng}
    return repeated(runs, qrels, assessors=others, sizes=size or None, **settings).to_markdown()


@subcommand(further='', names=RUNS)
def hierarchies(
    qrels: Any,
    docs: Any,
    runs: Any,
    superintents: File | None = None,
    vectors: File | None = None,
    n_resamples: int = 1000,
    shuffles: Positive = 99,
    rng: int = 0,
) -> str:
    """Repeat the study of hierarchies of subtopics from texts, by Dou et al., IRJ 2019.

    Args:
        superintents: File of lines `query subtopic superintent`, separated by tabs.
        vectors: Vectors of documents, for a further similarity: .npz with the arrays doc_ids and vectors, .jsonl with
            doc_id and vector, or a table with doc_id and a column for each dimension.
        shuffles: Number of times that the control shuffles the texts among the relevant documents of an intent.
    """
    from ..io.document_files import read_vectors
    from ..studies import hierarchies as repeated

    result = repeated(
        runs,
        qrels,
        docs,
        superintents=superintents,
        vectors=read_vectors(vectors) if vectors else None,
        n_resamples=n_resamples,
        n_shuffles=shuffles,
        rng=rng,
    )
    return result.to_markdown()


def judges_of(source: str | list[str], intents: str | None) -> Any:
    """Judgments of files of judgments or nuggets; of several files with a column ``judge``."""
    from ..judgments.judges import read_judges
    from ..judgments.nuggets import read_nuggets

    given = [source] if isinstance(source, str) else source
    if all('.json' in each for each in given):
        return read_nuggets(given, intents=intents)
    if intents is not None:
        raise click.UsageError('--nuggets needs ratings of nuggets (.json, .jsonl)')
    return read_judges(given)


@subcommand(further='', names={'qrels': 'path', **RUNS})
def nuggets(
    qrels: str,
    runs: Any,
    judges: Sequence[File] = (),
    nuggets: File | None = None,
    rel: int = 3,
    cutoff: Positive = 10,
    n_resamples: int = 1000,
    rng: int = 0,
    jobs: int = 1,
) -> str:
    """Compare coverage of sub-questions with other measures, and show what the noise of judges does to them.

    QRELS can also be a file of nuggets.

    Args:
        judges: Ratings of the same documents by another judge, in any form of nuggets, or a table of judgments with a
            column judge. Those of QRELS are the first judge's. You can repeat this option.
        nuggets: File of all nuggets, if QRELS and --judges are ratings.
        rel: Lowest grade that counts as relevant.
        cutoff: Cutoff of the measures.
    """
    from ..studies import nuggets as repeated

    judged = judges_of(qrels, nuggets)
    several = judges_of([qrels, *judges], nuggets) if judges else None
    settings: dict[str, Any] = {'rel': rel, 'cutoff': cutoff, 'n_resamples': n_resamples}
    return repeated(runs, judged, judges=several, **settings, rng=rng, jobs=jobs).to_markdown()


study = Group(
    'study',
    'Repeat a published study on your runs, and print the results as Markdown.',
    [unanimity, dynamic_domain, axioms, innovation, user_models, hierarchies, nuggets],
)
