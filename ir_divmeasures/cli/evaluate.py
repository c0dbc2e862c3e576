"""``ir_divmeasures evaluate``: scores, in the lines of the command ``ir_measures`` or as tables."""
from __future__ import annotations

import click

from ..results.tables import FORMS, render
from . import common

LINES = ('tsv', 'jsonl')
"""The forms that the command ``ir_measures`` has: one line a score, without a header."""


@click.command(epilog="Arguments and lines are those of the command ir_measures: of one run `measure value`, per query "
                      "`query measure value` and a last line of the query `all`; of several runs the system comes "
                      "first. `-o tsv` and `-o jsonl` are then forms, as there, and not files.")
@click.argument('qrels')
@click.argument('runs', nargs=-1, required=True, metavar='RUN... [MEASURE...]')
@click.option('-m', '--measures', 'names', multiple=True, type=common.Measures(), metavar='MEASURES',
              help="Measures or sets of measures, parted by blanks: 'RBU@20 alpha_nDCG@20', 'web-track'; may be "
                   'repeated.')
@click.option('-q', '--by_query', '--by-query', 'by_query', is_flag=True, help='Scores of each query as well.')
@click.option('-n', '--no_summary', '--no-summary', 'no_summary', is_flag=True, help='With -q: no means.')
@click.option('--by', type=click.Choice(['query', 'subtopic']), help='Scores of each query, or of each subtopic as a '
              'query of its own, in which documents of other subtopics have grade 0.')
@common.places
@click.option('--format', '--output_format', 'form', type=click.Choice(list(FORMS)),
              help='tsv for one run, table for several.')
@common.output
@common.force
@common.missing
@common.intents
@common.ties
@common.jobs
@click.option('--bounds', is_flag=True, help='Beside each score judged@k, and the least and the largest value that it '
              'could have if unjudged documents were judged.')
@click.option('--provider', help='Have one provider of ir_measures compute all measures.')
def evaluate(qrels: str, runs: tuple[str, ...], names: tuple[str, ...], by_query: bool, no_summary: bool,
             by: str | None, places: int, form: str | None, output: str | None, force: bool, missing: str,
             intents: str | None, ties: str | None, jobs: int, bounds: bool, provider: str | None) -> None:
    """Score runs.

    \b
    ir_divmeasures evaluate qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures evaluate clueweb12/trec-web-2014/diversity my.run web-track -q
    """
    from ..core import registry
    from ..evaluation import listing

    if output in LINES:
        form, output = output, None
    common.fresh(output, force=force)
    by = 'query' if by_query and by is None else by
    if no_summary and by != 'query':
        raise click.UsageError('--no-summary is for --by-query')
    given = [name for name in runs[1:] if not common.is_run(name)]
    paths = common.several_runs([runs[0], *(name for name in runs[1:] if common.is_run(name))])
    measures = registry.measures(' '.join([*names, *given]))
    if not measures:
        raise click.UsageError("no measures: give them after the run, or with -m 'RBU@20 alpha_nDCG@20'")
    if ties and (bounds or provider or by == 'subtopic'):
        raise click.UsageError('--ties cannot be combined with --bounds, --provider or --by subtopic')
    judged = common.judgments(qrels, intents)
    if bounds:
        if by == 'subtopic' or provider or missing != 'zero':
            raise click.UsageError('--bounds cannot be had with --by subtopic, --provider or --missing')
        from ..evaluation.bounds import bounds as compute_bounds

        table = listing.bounds_table(compute_bounds(paths, judged, measures, jobs=jobs), by == 'query', not no_summary)
        common.write(render(table, form or 'table', places), output, force)
        return
    if by == 'subtopic':
        from ..evaluation.subtopics import by_subtopic

        frame = by_subtopic(paths, judged, measures)
        common.write(render(frame, form or 'tsv', places), output, force)
        return
    if form is None:
        form = 'tsv' if len(paths) == 1 else 'table'
    if provider:
        scores = listing.scores_by_provider(provider, paths, judged, measures)
    else:
        from ..evaluation.evaluate import evaluate as compute_scores

        # Where every digit is printed, measures of ir_measures are those of its providers to the last one.
        own_adhoc = False if form in ('json', 'jsonl') or places < 0 else None
        scores = compute_scores(paths, judged, measures, missing=missing, jobs=jobs, own_adhoc=own_adhoc, ties=ties)
    if form in LINES:
        lines = listing.lines_of(scores, measures, form, places, by == 'query', not no_summary)
        common.write('\n'.join(lines), output, force)
    else:
        common.write(render(listing.table_of(scores, measures, by == 'query', not no_summary), form, places), output,
                     force)
