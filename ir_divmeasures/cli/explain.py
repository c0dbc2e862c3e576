"""``ir_divmeasures explain``: why a query scored what it did."""
from __future__ import annotations

import click

from ..results.tables import render
from . import common


@click.command()
@common.qrels
@click.argument('runs', nargs=-1, required=True, metavar='RUN... QUERY')
@click.option('-m', '--measure', 'name', required=True, type=common.Measures(), metavar='MEASURE',
              help='The measure to explain.')
@click.option('--top', type=click.IntRange(1), metavar='N', help='Only the first N ranks.')
@click.option('--by-rank', is_flag=True, help='A line a rank: what each aspect contributes, the sum, the sum so far.')
@click.option('--topics', metavar='SOURCE', help="Texts of queries, by which QUERY may then be named, and of intents: "
              "an ir_datasets id, or a file (.xml of the Web Track, .jsonl, .tsv, .csv); by default the judgments' "
              'column text.')
@common.printing
@common.picture
@common.intents
def explain(qrels: str, runs: tuple[str, ...], name: str, top: int | None, by_rank: bool, topics: str | None, form: str,
            places: int, output: str | None, force: bool, plot: str | None, intents: str | None) -> None:
    """Show what each rank and aspect contributes to a query's score: gain, redundancy, discount, effort.

    QUERY is an id, or with --topics a text. Several runs stand side by side in the picture.

    \b
    ir_divmeasures explain qrels.txt my.run 101 -m alpha_nDCG@10
    ir_divmeasures explain qrels.txt a.run b.run 101 -m RBU@10 --plot coverage.png
    ir_divmeasures explain qrels.txt my.run 'spider bites' -m RBU@10 --topics topics.xml
    """
    from ..explanation import explain as explained

    if len(runs) < 2:
        raise click.UsageError('give a run and a query')
    common.fresh(output, plot, force=force)
    *given, query = runs
    found = explained(common.several_runs(given), common.judgments(qrels, intents), name, query, topics=topics)
    table = found.by_rank() if by_rank else found.table
    if top is not None:
        table = table[table['rank'] <= top]
    if plot is not None:
        common.draw(found.plot(top=top or 20), plot, force)
    common.write(render(table, form, places), output, force)
    for system, score in found.scores.items():
        rest = found.rests[system]
        more = f', of which {rest:.{max(places, 0)}f} is not shown' if abs(rest) > 1e-9 else ''
        common.say(f'{found.measure} of {system} on query {found.query}: {score:.{max(places, 4)}f}{more}',
                   err=form not in ('table', 'markdown') or output is not None)
    if found.says:
        common.say(found.says, err=True)
