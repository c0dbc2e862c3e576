"""``ir_divmeasures evaluate``: scores, in the lines of the command ``ir_measures`` or as tables."""

from __future__ import annotations

import click

from ..results.tables import render
from . import common

LINES = ('tsv', 'jsonl')
"""The forms that the command ``ir_measures`` has: one line a score, without a header."""


@click.command(
    cls=common.Command,
    short_help='Score runs.',
    epilog='The command ir_measures takes the same arguments and prints the same lines: `measure value` '
    'for one run, and `query measure value` with --by-query, the last lines with the query `all`. '
    'For several runs, the system comes first. As there, `-o tsv` and `-o jsonl` choose '
    'a format and not a file.',
)
@common.qrels
@common.argument(
    'runs',
    'RUN... [MEASURE...]',
    "Runs: files, folders, or patterns such as 'runs/*.gz'. Measures may follow them.",
    nargs=-1,
    required=True,
    type=common.PATH,
)
@common.measures(required=False)
@common.by_query
@click.option(
    '-n',
    '--no-summary',
    'no_summary',
    is_flag=True,
    help='Omit the means. Use this with --by-query.',
)
@click.option(
    '--by-subtopic',
    is_flag=True,
    help='Print the scores of each subtopic, as if it were a query of its '
    'own. Documents of other subtopics then have grade 0.',
)
@click.option(
    '--bounds',
    is_flag=True,
    help='Print for each score the share of judged documents, and the lowest and '
    'the highest score that the run could have if its unjudged documents were judged.',
)
@common.form(None, 'tsv for one run, table for several')
@common.places
@common.written
@common.missing
@common.intents
@common.ties
@common.jobs
@click.option(
    '--provider',
    metavar='NAME',
    help='Provider of ir_measures that computes all measures, for example '
    'pytrec_eval. By default, each measure has the first provider that supports it.',
)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    by_query: bool,
    no_summary: bool,
    by_subtopic: bool,
    places: int,
    form: str | None,
    output: str | None,
    force: bool,
    missing: str,
    intents: str | None,
    ties: str | None,
    jobs: int,
    bounds: bool,
    provider: str | None,
) -> None:
    """Score runs by measures.

    \b
    ir_divmeasures evaluate qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures evaluate clueweb12/trec-web-2014/diversity my.run web-track -q
    """
    from ..core import registry
    from ..evaluation import listing

    if output in LINES:
        form, output = output, None
    common.fresh(output, force=force)
    if no_summary and not by_query:
        raise click.UsageError('--no-summary needs --by-query')
    if by_subtopic and by_query:
        raise click.UsageError('--by-query and --by-subtopic cannot be combined')
    given = [name for name in runs[1:] if not common.is_run(name)]
    paths = common.several_runs([runs[0], *(name for name in runs[1:] if common.is_run(name))])
    measures = registry.measures(' '.join([*names, *given]))
    if not measures:
        raise click.UsageError(
            "no measures: give them after the run, or with -m 'RBU@20 alpha_nDCG@20'"
        )
    if ties and (bounds or provider or by_subtopic):
        raise click.UsageError(
            '--ties cannot be combined with --bounds, --provider or --by-subtopic'
        )
    judged = common.judgments(qrels, intents)
    if bounds:
        if by_subtopic or provider or missing != 'zero':
            raise click.UsageError(
                '--bounds cannot be combined with --by-subtopic, --provider or --missing'
            )
        from ..evaluation.bounds import bounds as compute_bounds

        table = listing.bounds_table(
            compute_bounds(paths, judged, measures, jobs=jobs), by_query, not no_summary
        )
        common.write(render(table, form or 'table', places), output, force)
        return
    if by_subtopic:
        from ..evaluation.evaluate import by_subtopic as compute_by_subtopic

        frame = compute_by_subtopic(paths, judged, measures)
        common.write(render(frame, form or 'tsv', places), output, force)
        return
    if form is None:
        form = 'tsv' if len(paths) == 1 else 'table'
    if provider:
        scores = listing.scores_by_provider(provider, paths, judged.table, measures)
    else:
        from ..evaluation.evaluate import evaluate as compute_scores

        scores = compute_scores(paths, judged, measures, missing=missing, jobs=jobs, ties=ties)
    if form in LINES:
        lines = listing.lines_of(scores, measures, form, places, by_query, not no_summary)
        common.write('\n'.join(lines), output, force)
    else:
        common.write(
            render(listing.table_of(scores, measures, by_query, not no_summary), form, places),
            output,
            force,
        )
