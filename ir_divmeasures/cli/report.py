"""``ir_divmeasures report``: one HTML page about runs."""
from __future__ import annotations

import click

from . import common
from .sensitivity import grid_of


@click.command()
@common.qrels
@common.runs
@common.measures
@click.option('-o', '--output', required=True, metavar='FILE', help='The page; never overwrites without --force.')
@common.force
@click.option('--title', default='Evaluation report', help='Heading of the page.')
@click.option('--baseline', metavar='SYSTEM', help='The system that others are compared with; the first one otherwise.')
@click.option('--docs', metavar='SOURCE', help='Titles of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file '
                                               'with doc_id and title or text.')
@click.option('--topics', metavar='SOURCE', help='Texts of queries and subtopics: an ir_datasets id, or a file (.xml '
                                                 'of the Web Track, .jsonl, .tsv, .csv).')
@click.option('--pool', metavar='POOL', help='A pool that `pool save` made, or a folder or pattern of runs: adds what '
              'an organiser asks of it.')
@click.option('--groups', metavar='FILE', help='Teams of a pool of runs: lines `system group`.')
@click.option('--answers', multiple=True, metavar='FILE',
              help='Answers with labels of nuggets, in any form that `rag` reads. The page then says what became of '
                   'each nugget. You can repeat this option.')
@click.option('--sensitivity', 'grids', multiple=True, metavar='GRID',
              help="A measure and values of its parameters, as in 'RBU@20 p=0.5:0.99:50 e=0,0.1'. The page then shows "
                   'which system is best at which setting. You can repeat this option.')
@click.option('--depth', type=click.IntRange(min=1), default=10, show_default=True,
              help='Documents of a ranking that are shown.')
@click.option('--test', type=click.Choice(['max_t', 'tukey', 'tukey_randomised']), default='max_t', show_default=True,
              help='Of the significance groups.')
@click.option('--alpha', type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help='Level of significance.')
@common.missing
@common.ties
@common.intents
def report(qrels: str, runs: tuple[str, ...], names: tuple[str, ...], output: str, force: bool, title: str,
           baseline: str | None, docs: str | None, topics: str | None, pool: str | None, groups: str | None,
           answers: tuple[str, ...], grids: tuple[str, ...], depth: int, test: str, alpha: float, missing: str,
           ties: str | None, intents: str | None) -> None:
    """Write one HTML page about runs, which works offline.

    \b
    ir_divmeasures report qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' -o report.html
    """
    common.fresh(output, force=force)
    from ..judgments.nuggets import read_answers
    from ..pools.pool import Pool
    from ..reporting import report as write

    common.say(write(common.several_runs(runs), common.judgments(qrels, intents), ' '.join(names), output, title=title,
                     docs=common.documents(docs) if docs else None, topics=topics, baseline=baseline, depth=depth,
                     test=test, alpha=alpha, missing=missing, overwrite=force,
                     pool=Pool.of(pool, groups=groups) if pool else None, ties=ties,
                     answers=read_answers(list(answers)) if answers else None,
                     sensitivity=dict(grid_of(text) for text in grids) if grids else None))
