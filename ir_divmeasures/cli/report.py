"""``ir_divmeasures report``: one HTML page about runs."""

from __future__ import annotations

import click

from . import common
from .sensitivity import grid_of


@click.command(cls=common.Command, short_help='Write an HTML page about runs.')
@common.qrels
@common.runs
@common.measures()
@common.output(required=True)
@common.force
@click.option(
    '--title', default='Evaluation report', show_default=True, help='Heading of the page.'
)
@common.baseline
@click.option(
    '--docs',
    metavar='SOURCE',
    type=common.PATH,
    help='Titles of documents: an ir_datasets id, or a .tsv, '
    '.csv or .jsonl file with doc_id and title or text.',
)
@common.topics
@click.option(
    '--pool',
    metavar='POOL',
    type=common.PATH,
    help='Pool of systems whose judgments these are: a file that '
    '`pool save` wrote, or a folder or pattern of runs. The page then answers the questions of its '
    'organiser.',
)
@common.groups
@click.option(
    '--answers',
    multiple=True,
    metavar='FILE',
    type=common.PATH,
    help='Answers with labels of nuggets, in any form that `rag` reads. The page then says what became of '
    'each nugget. You can repeat this option.',
)
@click.option(
    '--sensitivity',
    'grids',
    multiple=True,
    metavar='GRID',
    help="Measure and values of its parameters, as in 'RBU@20 p=0.5:0.99:50 e=0,0.1'. The page then shows "
    'which system is best at which setting. You can repeat this option.',
)
@click.option(
    '--depth',
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help='Number of documents of a ranking to show.',
)
@common.test('max_t')
@common.level
@common.missing
@common.ties
@common.intents
def report(
    qrels: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    output: str,
    force: bool,
    title: str,
    baseline: str | None,
    docs: str | None,
    topics: str | None,
    pool: str | None,
    groups: str | None,
    answers: tuple[str, ...],
    grids: tuple[str, ...],
    depth: int,
    method: str,
    alpha: float,
    missing: str,
    ties: str | None,
    intents: str | None,
) -> None:
    """Write an HTML page about runs: scores, significance, queries, and every ranking.

    The page is one file that works offline. Systems that share a letter do not differ significantly by --test.

    \b
    ir_divmeasures report qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' -o report.html
    """
    common.fresh(output, force=force)
    from ..judgments.nuggets import read_answers
    from ..pools.pool import Pool
    from ..reporting import report as write

    paths = common.several_runs(runs)
    common.say(
        write(
            paths,
            common.judgments(qrels, intents),
            ' '.join(names),
            output,
            title=title,
            docs=common.documents(docs) if docs else None,
            topics=topics,
            baseline=common.system(baseline, paths),
            depth=depth,
            test=method,
            alpha=alpha,
            missing=missing,
            overwrite=force,
            pool=Pool.of(pool, groups=groups) if pool else None,
            ties=ties,
            answers=read_answers(list(answers)) if answers else None,
            sensitivity=dict(grid_of(text) for text in grids) if grids else None,
        )
    )
