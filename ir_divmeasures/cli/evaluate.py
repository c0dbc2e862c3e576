"""``ir_divmeasures evaluate``: scores, in the lines of the command ``ir_measures`` or as tables."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..results.tables import FORMS, number, render
from . import common

if TYPE_CHECKING:
    import pandas as pd

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
@common.jobs
@click.option('--bounds', is_flag=True, help='Beside each score judged@k, and the least and the largest value that it '
              'could have if unjudged documents were judged.')
@click.option('--provider', help='Have one provider of ir_measures compute all measures.')
def evaluate(qrels: str, runs: tuple[str, ...], names: tuple[str, ...], by_query: bool, no_summary: bool,
             by: str | None, places: int, form: str | None, output: str | None, force: bool, missing: str,
             intents: str | None, jobs: int, bounds: bool, provider: str | None) -> None:
    """Score runs.

    \b
    ir_divmeasures evaluate qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures evaluate clueweb12/trec-web-2014/diversity my.run web-track -q
    """
    from ..core import registry

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
    judged = common.judgments(qrels, intents)
    if bounds:
        if by == 'subtopic' or provider or missing != 'zero':
            raise click.UsageError('--bounds cannot be had with --by subtopic, --provider or --missing')
        table = _bounds(paths, judged, measures, jobs, by == 'query', not no_summary)
        common.write(render(table, form or 'table', places), output, force)
        return
    if by == 'subtopic':
        from ..evaluation.subtopics import by_subtopic

        frame = by_subtopic(paths, judged, measures)
        common.write(render(frame, form or 'tsv', places), output, force)
        return
    if form is None:
        form = 'tsv' if len(paths) == 1 else 'table'
    every_digit = form in ('json', 'jsonl') or places < 0
    scores = _provided(provider, paths, judged, measures) if provider else _scored(paths, judged, measures, missing,
                                                                                   jobs, every_digit)
    if form in LINES:
        common.write('\n'.join(_lines(scores, measures, form, places, by == 'query', not no_summary)), output, force)
    else:
        common.write(render(_table(scores, measures, by == 'query', not no_summary), form, places), output, force)


def _scored(paths: list[str], judged: Any, measures: list[Any], missing: str, jobs: int, every_digit: bool) -> Any:
    """Scores; where every digit is printed, those of ir_measures' measures as its providers compute them."""
    from ..evaluation.adhoc import own_adhoc_measures
    from ..evaluation.evaluate import evaluate

    own = own_adhoc_measures(not every_digit)
    try:
        return evaluate(paths, judged, measures, missing=missing, jobs=jobs)
    finally:
        own_adhoc_measures(own)


def _bounds(paths: list[str], judged: Any, measures: list[Any], jobs: int, by_query: bool,
            summary: bool) -> pd.DataFrame:
    import pandas as pd

    from ..evaluation.bounds import bounds

    found = bounds(paths, judged, measures, jobs=jobs)
    means = found.means()
    if not by_query:
        return means
    means.insert(1, 'query_id', 'all')
    return pd.concat([found.table, means], ignore_index=True) if summary else found.table


def _provided(name: str, paths: list[str], judged: Any, measures: list[Any]) -> Any:
    from ..core.registry import ir_measures
    from ..errors import did_you_mean
    from ..evaluation.scores import Scores
    from ..io.runs import read_runs

    known = ir_measures.providers.registry
    if name not in known:
        raise ValueError(f'no provider {name!r}{did_you_mean(name, known)}')
    qrels = judged.rename(columns={'subtopic_id': 'iteration'})
    import pandas as pd

    rows = [(system, m.query_id, str(m.measure), float(m.value)) for system, run in read_runs(paths)
            for m in known[name].iter_calc(measures, qrels, run)]
    frame = pd.DataFrame(rows, columns=['system', 'query_id', 'measure', 'value'])
    return Scores.from_frame(frame, missing='zero').select(measures=[str(m) for m in measures])


def _aggregated(scores: Any, measures: list[Any]) -> list[list[float]]:
    """By measure, of each system: as ir_measures sums up the measure, mostly the mean."""
    found = []
    for measure in measures:
        values = []
        for row in scores[measure]:
            total = measure.aggregator()
            for value in row.tolist():
                total.add(value)
            values.append(total.result())
        found.append(values)
    return found


def _lines(scores: Any, measures: list[Any], form: str, places: int, by_query: bool, summary: bool) -> list[str]:
    several = len(scores.systems) > 1
    lines = []
    totals = _aggregated(scores, measures)
    for s, system in enumerate(scores.systems):
        found: list[tuple[str | None, Any, float]] = []
        if by_query:
            values = [scores[measure][s].tolist() for measure in measures]
            found += [(query, measure, values[m][q]) for q, query in enumerate(scores.queries)
                      for m, measure in enumerate(measures)]
        if summary:
            found += [('all' if by_query else None, measure, totals[m][s]) for m, measure in enumerate(measures)]
        for query, measure, value in found:
            record = {'system': system if several else None, 'query_id': query, 'measure': str(measure)}
            record = {name: text for name, text in record.items() if text is not None}
            lines.append(json.dumps({**record, 'value': value}) if form == 'jsonl' else
                         '\t'.join([*map(str, record.values()), number(float(value), places)]))
    return lines


def _table(scores: Any, measures: list[Any], by_query: bool, summary: bool) -> pd.DataFrame:
    import pandas as pd

    names, totals = [str(measure) for measure in measures], _aggregated(scores, measures)
    rows: list[tuple[Any, ...]] = []
    for s, system in enumerate(scores.systems):
        if by_query:
            rows += [(system, query, *values) for query, values in
                     zip(scores.queries, scores.select(measures=names).values[s].tolist())]
        if summary:
            rows.append((system, *['all'] * by_query, *(total[s] for total in totals)))
    return pd.DataFrame(rows, columns=['system', *['query_id'] * by_query, *names])
