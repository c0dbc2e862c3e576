"""``ir_divmeasures study``: a paper's analysis on runs of one's own."""

from __future__ import annotations

from typing import Any

import click

from . import readers
from .build import Group, command, write
from .options import OPTIONS, PATH, POSITIVE, Measures, argument, file, option


@command(
    'qrels runs',
    option('--seeds', type=POSITIVE, default=10, help='Number of simulations of each scenario.')(
        'seeds'
    ),
    'rng',
)
def unanimity(qrels: str, runs: tuple[str, ...], **settings: Any) -> None:
    """Compute the metric unanimity of 102 measures: Amigó et al., SIGIR 2018, experiments 1 to 3."""
    from ..studies import unanimity as repeated

    result = repeated(readers.several_runs(runs), readers.judgments(qrels), **settings)
    write(result.to_markdown())


@command(
    argument('PASSAGES', "The track's file of passage judgments.", type=PATH)('passages'),
    'runs',
    option(
        '--variants/--no-variants',
        default=True,
        help='Derive further systems from each run, as the paper does.',
    )('variants'),
    'rng',
    name='dynamic-domain',
)
def dynamic_domain(passages: str, runs: tuple[str, ...], **settings: Any) -> None:
    """Repeat experiment 4 of Amigó et al., SIGIR 2018, on runs of TREC Dynamic Domain."""
    from ..studies import dynamic_domain as repeated

    write(repeated(readers.several_runs(runs), passages, **settings).to_markdown())


@command(
    argument(
        '[MEASURE...]',
        'Measures or presets. Without them, the measures of the paper are tested.',
        nargs=-1,
        type=Measures(),
    )('names'),
    'longest deepest',
)
def axioms(names: tuple[str, ...], **settings: Any) -> None:
    """Test which constraints measures satisfy, and compare that with Table 1 of Amigó et al., SIGIR 2018."""
    from ..studies import axioms as repeated

    write(repeated(' '.join(names) if names else None, **settings).to_markdown())


@command(
    'qrels runs',
    OPTIONS['depth']('depth', help='Depth of the pool, and cutoff of the measures.'),
    'groups n_resamples rng',
)
def innovation(qrels: str, runs: tuple[str, ...], **settings: Any) -> None:
    """Repeat the study of measures of innovation by Türkmen et al., ECIR 2023."""
    from ..studies import innovation as repeated

    result = repeated(readers.several_runs(runs), readers.judgments(qrels), **settings)
    write(result.to_markdown())


@command(
    'qrels runs',
    file(
        '--assessor',
        'Judgments of another assessor. You can repeat this option.',
        multiple=True,
        metavar='QRELS',
    )('assessors'),
    OPTIONS['n_trials']('n_trials', default=100),
    OPTIONS['team_sizes'](
        'sizes',
        help='Number of topics in a sample. The default is 5, 10, and so on. You can repeat this option.',
    ),
    'rng',
    name='user-models',
)
def user_models(
    qrels: str,
    runs: tuple[str, ...],
    assessors: tuple[str, ...],
    sizes: tuple[int, ...],
    **settings: Any,
) -> None:
    """Repeat the study of how robust measures of user models are, by Carterette, SIGIR 2011."""
    from ..studies import user_models as repeated

    result = repeated(
        readers.several_runs(runs),
        readers.judgments(qrels),
        assessors={name: readers.judgments(name) for name in assessors} or None,
        sizes=sizes or None,
        **settings,
    )
    write(result.to_markdown())


@command(
    'qrels docs runs',
    file('--superintents', 'File of lines `query subtopic superintent`, separated by tabs.')(
        'superintents'
    ),
    file(
        '--vectors',
        'Vectors of documents, for a further similarity: .npz with the arrays doc_ids and vectors, .jsonl with doc_id '
        'and vector, or a table with doc_id and a column for each dimension.',
    )('vectors'),
    'n_resamples',
    option(
        '--shuffles',
        type=POSITIVE,
        default=99,
        help='Number of times that the control shuffles the texts among the relevant documents of an intent.',
    )('n_shuffles'),
    'rng',
)
def hierarchies(
    qrels: str,
    docs: str,
    runs: tuple[str, ...],
    vectors: str | None,
    **settings: Any,
) -> None:
    """Repeat the study of hierarchies of subtopics from texts, by Dou et al., IRJ 2019."""
    from ..io.document_files import read_vectors
    from ..studies import hierarchies as repeated

    result = repeated(
        readers.several_runs(runs),
        readers.judgments(qrels),
        readers.documents(docs),
        vectors=read_vectors(vectors) if vectors else None,
        **settings,
    )
    write(result.to_markdown())


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


@command(
    'qrels runs',
    file(
        '--judges',
        'Ratings of the same documents by another judge, in any form of nuggets, or a table of judgments with a '
        "column judge. Those of QRELS are the first judge's. You can repeat this option.",
        multiple=True,
    )('judges'),
    file('--nuggets', 'File of all nuggets, if QRELS and --judges are ratings.')('intents'),
    OPTIONS['rel']('rel', type=int, default=3),
    option('--cutoff', type=POSITIVE, default=10, help='Cutoff of the measures.')('cutoff'),
    'n_resamples rng jobs',
)
def nuggets(
    qrels: str,
    runs: tuple[str, ...],
    judges: tuple[str, ...],
    intents: str | None,
    **settings: Any,
) -> None:
    """Compare coverage of sub-questions with other measures, and show what the noise of judges does to them.

    QRELS can also be a file of nuggets.
    """
    from ..studies import nuggets as repeated

    judged = judges_of(qrels, intents)
    several = judges_of([qrels, *judges], intents) if judges else None
    paths = readers.several_runs(runs)
    write(repeated(paths, judged, judges=several, **settings).to_markdown())


study = Group(
    'study',
    'Repeat a published study on your runs, and print the results as Markdown.',
    [unanimity, dynamic_domain, axioms, innovation, user_models, hierarchies, nuggets],
)
