"""``ir_divmeasures explain``: why a query scored what it did."""

from __future__ import annotations

import click

from ..results.tables import render
from . import common


@click.command(cls=common.Command, short_help="Show what each rank contributes to a query's score.")
@common.qrels
@common.argument(
    'runs',
    'RUN... QUERY',
    'Runs, and then the id of a query, or with --topics its text.',
    nargs=-1,
    required=True,
    type=common.PATH,
)
@common.measure()
@click.option(
    '--by-rank',
    is_flag=True,
    help='Print one line for each rank: the contribution of each subtopic, their '
    'sum, and the sum so far.',
)
@click.option(
    '--top',
    type=click.IntRange(1),
    metavar='N',
    help='Number of ranks to show. The default is all in the table, and 20 in the picture.',
)
@common.topics
@common.printing
@common.picture
@common.intents
def explain(
    qrels: str,
    runs: tuple[str, ...],
    name: str,
    top: int | None,
    by_rank: bool,
    topics: str | None,
    form: str,
    places: int,
    output: str | None,
    force: bool,
    plot: str | None,
    intents: str | None,
) -> None:
    """Show what each rank and subtopic contributes to a query's score.

    Prints the gain, redundancy and discount of each contribution, and the effort. A picture shows several runs side by
    side. Texts of subtopics come from the column text of the judgments, or from --topics.

    \b
    ir_divmeasures explain qrels.txt my.run 101 -m alpha_nDCG@10
    ir_divmeasures explain qrels.txt a.run b.run 101 -m RBU@10 --plot coverage.png
    ir_divmeasures explain qrels.txt my.run 'spider bites' -m RBU@10 --topics topics.xml
    """
    from ..explanation import explain as explained

    if len(runs) < 2:
        raise click.UsageError('expected at least one run, and then a query')
    common.fresh(output, plot, force=force)
    *given, query = runs
    result = explained(
        common.several_runs(given), common.judgments(qrels, intents), name, query, topics=topics
    )
    if plot is not None:
        common.draw(result.plot(top=top or 20), plot, force)
    shown = result.top(top)
    common.write(
        render(shown.by_rank() if by_rank else shown.to_frame(), form, places), output, force
    )
    for line in result.summary(places):
        common.say(line, err=form not in ('table', 'markdown') or output is not None)
    if result.says:
        common.say(result.says, err=True)
