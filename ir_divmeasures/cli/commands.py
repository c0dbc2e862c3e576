"""The subcommands that do more than call one function."""

from __future__ import annotations

import ast
from typing import Any

import click

from ..results.tables import FORMS
from . import readers
from .build import command, draw, say, say_below, text_of, write
from .options import OPTIONS, PATH, POSITIVE, argument, file, forced, option

PRINTED = OPTIONS['output']('output', required=False)
"""``-o`` of commands that print without it."""


# ----------------------------------------------------------------------------------------------------------- scores

LINES = ('tsv', 'jsonl')
"""The forms that the command ``ir_measures`` has: one line a score, without a header."""


@command(
    'qrels',
    argument(
        'RUN... [MEASURE...]',
        "Runs: files, folders, or patterns such as 'runs/*.gz'. Measures may follow them.",
        nargs=-1,
        required=True,
        type=PATH,
    )('runs'),
    'optional_names by_query',
    option('-n', '--no-summary', is_flag=True, help='Omit the means. Use this with --by-query.')(
        'no_summary'
    ),
    option(
        '--by-subtopic',
        is_flag=True,
        help='Print the scores of each subtopic, as if it were a query of its own. Documents of other subtopics then '
        'have grade 0.',
    )('by_subtopic'),
    option(
        '--bounds',
        is_flag=True,
        help='Print for each score the share of judged documents, and the lowest and the highest score that the run '
        'could have if its unjudged documents were judged.',
    )('bounds'),
    option(
        '--format',
        '--output-format',
        type=click.Choice([*FORMS, 'ndeval']),
        show_default='tsv for one run, table for several',
        help='Format of the output. JSON has every digit. A spreadsheet is CSV in which programs read no cell as a '
        'formula. With -m web-track, ndeval prints the CSV of the program ndeval -traditional -c.',
    )('form'),
    'places',
    PRINTED,
    'missing intents ties jobs',
    option(
        '--provider',
        metavar='NAME',
        help='Provider of ir_measures that computes all measures, for example pytrec_eval. By default, each measure '
        'has the first provider that supports it.',
    )('provider'),
    epilog='The command ir_measures takes the same arguments and prints the same lines: `measure value` for one run, '
    'and `query measure value` with --by-query, the last lines with the query `all`. For several runs, the system '
    'comes first. As there, `-o tsv` and `-o jsonl` choose a format and not a file.',
)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    optional_names: tuple[str, ...],
    by_query: bool,
    no_summary: bool,
    by_subtopic: bool,
    places: int,
    form: str | None,
    output: str | None,
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
    from ..evaluation.evaluate import by_subtopic as compute_by_subtopic
    from ..evaluation.evaluate import evaluate as compute_scores

    if output in LINES:
        form, output = output, None
    if no_summary and not by_query:
        raise click.UsageError('--no-summary needs --by-query')
    if by_subtopic and by_query:
        raise click.UsageError('--by-query and --by-subtopic cannot be combined')
    if ties and (bounds or provider or by_subtopic):
        raise click.UsageError(
            '--ties cannot be combined with --bounds, --provider or --by-subtopic'
        )
    if bounds and (by_subtopic or provider or missing != 'zero'):
        raise click.UsageError(
            '--bounds cannot be combined with --by-subtopic, --provider or --missing'
        )
    given = [name for name in runs[1:] if not readers.is_run(name)]
    paths = readers.several_runs([runs[0], *(name for name in runs[1:] if readers.is_run(name))])
    names = ' '.join([*optional_names, *given])
    if form == 'ndeval':
        names = names.replace('web-track', 'ndeval')
    measures = registry.measures(names)
    if not measures:
        raise click.UsageError(
            "no measures: give them after the run, or with -m 'RBU@20 alpha_nDCG@20'"
        )
    judged = readers.judgments(qrels, intents)
    if form == 'ndeval':
        write(listing.ndeval_csv(paths, judged, measures, missing, ties or 'doc_id'), output)
        return
    if bounds:
        from ..evaluation.bounds import bounds as compute_bounds

        computed = compute_bounds(paths, judged, measures, jobs=jobs)
        table = listing.bounds_table(computed, by_query, not no_summary)
        write(text_of(table, form, places), output)
        return
    if by_subtopic:
        frame = compute_by_subtopic(paths, judged, measures)
        write(text_of(frame, form or 'tsv', places), output)
        return
    if form is None:
        form = 'tsv' if len(paths) == 1 else 'table'
    if provider:
        scores = listing.scores_by_provider(provider, paths, judged.table, measures)
    else:
        scores = compute_scores(paths, judged, measures, missing=missing, jobs=jobs, ties=ties)
    if form in LINES:
        lines = listing.lines_of(scores, measures, form, places, by_query, not no_summary)
        write('\n'.join(lines), output)
    else:
        table = listing.table_of(scores, measures, by_query, not no_summary)
        write(text_of(table, form, places), output)


@command(
    'qrels runs names baseline',
    option(
        '--pairs',
        type=click.Choice(['baseline', 'all']),
        default='baseline',
        help='Test each system against the baseline, or all pairs of systems.',
    )('pairs'),
    OPTIONS['method']('method', default='t'),
    OPTIONS['correction']('correction', default='holm'),
    'alpha confidence_level',
    option(
        '--latex',
        is_flag=True,
        help='Print a LaTeX table for a paper: the best mean is bold, and superscripts show significant differences.',
    )('latex'),
    'form places',
    PRINTED,
    'plot missing intents rng jobs',
)
def compare(
    qrels: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    baseline: str | None,
    correction: str,
    latex: bool,
    form: str | None,
    places: int,
    output: str | None,
    plot: str | None,
    missing: str,
    intents: str | None,
    jobs: int,
    **settings: Any,
) -> None:
    """Compare systems with a baseline: differences, intervals, tests.

    Prints, for each measure and system, the mean, the difference to the baseline with its confidence interval, the
    effect size, the numbers of queries won, tied and lost, and the p-value. The p-values are corrected for the number
    of pairs, the intervals are not. A picture shows the differences by the first measure.

    \b
    ir_divmeasures compare qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' --baseline bm25
    ir_divmeasures compare qrels.txt runs/ -m web-track --pairs all --latex
    """
    from ..evaluation.evaluate import evaluate
    from ..meta.comparison import compare as compared

    paths = readers.several_runs(runs)
    judged = readers.judgments(qrels, intents)
    scores = evaluate(paths, judged, ' '.join(names), missing=missing, jobs=jobs)
    result = compared(
        scores,
        readers.system(baseline, paths),
        correction=None if correction == 'none' else correction,
        **settings,
    )
    if plot is not None:
        draw(result.plot(), plot)
    if result.caution and not latex:
        say(f'note: {result.caution}', err=True)
    write(result.to_latex(places) if latex else text_of(result, form, places), output)


@command(
    'qrels',
    argument(
        'RUN... QUERY',
        'Runs, and then the id of a query, or with --topics its text.',
        nargs=-1,
        required=True,
        type=PATH,
    )('runs'),
    'measure',
    option(
        '--by-rank',
        is_flag=True,
        help='Print one line for each rank: the contribution of each subtopic, their sum, and the sum so far.',
    )('by_rank'),
    OPTIONS['top'](
        'top',
        help='Number of ranks to show. The default is all in the table, and 20 in the picture.',
    ),
    'topics form places',
    PRINTED,
    'plot intents',
)
def explain(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    top: int | None,
    by_rank: bool,
    topics: str | None,
    form: str | None,
    places: int,
    output: str | None,
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
    *given, query = runs
    paths = readers.several_runs(given)
    result = explained(paths, readers.judgments(qrels, intents), measure, query, topics=topics)
    if plot is not None:
        draw(result.plot(top=top or 20), plot)
    shown = result.top(top)
    write(text_of(shown.by_rank() if by_rank else shown.to_frame(), form, places), output)
    say_below(result.summary(places), form, output)
    if result.says:
        say(result.says, err=True)


def values_of(text: str) -> tuple[str, list[Any]]:
    """The name and the values of an axis, from ``p=0.5:0.99:50`` or ``gain=exp,linear``."""
    name, _, given = text.partition('=')
    try:
        if not name.isidentifier() or not given:
            raise ValueError
        if ':' in given:
            low, high, number = given.split(':')
            steps = max(int(number) - 1, 1)
            return name, [
                float(low) + (float(high) - float(low)) * i / steps for i in range(int(number))
            ]
        return name, [_value(word) for word in given.split(',')]
    except ValueError:
        raise click.UsageError(
            f'--axis {text!r}: expected NAME=FIRST:LAST:NUMBER, as in p=0.5:0.99:50, or values '
            f'separated by commas, as in p=0.8,0.9'
        ) from None


def _value(word: str) -> Any:
    try:
        return ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return word


def grid_of(text: str) -> tuple[str, dict[str, list[Any]]]:
    """A measure and its axes, from ``RBU@20 p=0.5:0.99:50 e=0,0.1``."""
    name, *axes = text.split() or ['']
    grid = dict(values_of(axis) for axis in axes)
    if not grid or len(grid) < len(axes):
        raise click.UsageError(
            f'--sensitivity {text!r}: expected a measure and the values of its parameters, each '
            f"once, as in 'RBU@20 p=0.5:0.99:50'"
        )
    return name, grid


@command(
    'qrels runs measure',
    option(
        '-x',
        '--axis',
        multiple=True,
        required=True,
        metavar='AXIS',
        help='Parameter and its values: p=0.5:0.99:50 for 50 values from 0.5 to 0.99, or p=0.8,0.9. You can repeat '
        'this option.',
    )('axes'),
    option(
        '--pair',
        nargs=2,
        metavar='SYSTEM SYSTEM',
        help='Print the difference of two systems at every setting.',
    )('pair'),
    option(
        '--show',
        type=click.Choice(['best', 'kendall', 'tau_ap', 'rbo']),
        default='best',
        help='What the picture shows. With --pair it shows the difference.',
    )('show'),
    'n_resamples confidence_level form places',
    PRINTED,
    'plot intents rng jobs',
)
def sensitivity(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    axes: tuple[str, ...],
    pair: tuple[str, str] | None,
    show: str,
    form: str | None,
    places: int,
    output: str | None,
    plot: str | None,
    intents: str | None,
    **settings: Any,
) -> None:
    """Score runs at many settings of the parameters of a measure.

    Prints, for each setting, which system is best, how often it is best in resamples of the queries, and how far the
    ranking of the systems agrees with that by the default parameters.

    \b
    ir_divmeasures sensitivity qrels.txt runs/ -m RBU@20 -x p=0.5:0.99:50 -x e=0:0.3:31 --plot map.svg
    ir_divmeasures sensitivity qrels.txt runs/ -m alpha_nDCG@20 -x alpha=0.1,0.5,0.9 --pair bm25 dense
    """
    from ..explanation.sensitivity import sensitivity as over_grid

    grid: dict[str, Any] = dict(values_of(text) for text in axes)
    if len(grid) < len(axes):
        raise click.UsageError('--axis: a parameter is given twice')
    paths = readers.several_runs(runs)
    result = over_grid(paths, readers.judgments(qrels, intents), measure, **settings, **grid)
    if plot is not None:
        draw(result.plot(pair or show), plot)
    write(text_of(result.pair(*pair) if pair else result.to_frame(), form, places), output)


@command(
    'qrels runs names output',
    option('--title', default='Evaluation report', help='Heading of the page.')('title'),
    'baseline',
    file(
        '--docs',
        'Titles of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and title or text.',
        metavar='SOURCE',
    )('docs'),
    'topics',
    file(
        '--pool',
        'Pool of systems whose judgments these are: a file that `pool save` wrote, or a folder or pattern of runs. '
        'The page then answers the questions of its organiser.',
        metavar='POOL',
    )('pool'),
    'groups',
    file(
        '--answers',
        'Answers with labels of nuggets, in any form that `rag` reads. The page then says what became of each nugget. '
        'You can repeat this option.',
        multiple=True,
    )('answers'),
    option(
        '--sensitivity',
        multiple=True,
        metavar='GRID',
        help="Measure and values of its parameters, as in 'RBU@20 p=0.5:0.99:50 e=0,0.1'. The page then shows which "
        'system is best at which setting. You can repeat this option.',
    )('grids'),
    OPTIONS['depth']('depth', default=10, help='Number of documents of a ranking to show.'),
    OPTIONS['method']('method', default='max_t'),
    'alpha missing ties intents',
)
def report(
    qrels: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    output: str,
    baseline: str | None,
    docs: str | None,
    pool: str | None,
    groups: str | None,
    answers: tuple[str, ...],
    grids: tuple[str, ...],
    method: str,
    intents: str | None,
    **settings: Any,
) -> None:
    """Write an HTML page about runs: scores, significance, queries, and every ranking.

    The page is one file that works offline. Systems that share a letter do not differ significantly by --test.

    \b
    ir_divmeasures report qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' -o report.html
    """
    from ..judgments.nuggets import read_answers
    from ..pools.pool import Pool
    from ..reporting import report as write_page

    paths = readers.several_runs(runs)
    page = write_page(
        paths,
        readers.judgments(qrels, intents),
        ' '.join(names),
        output,
        docs=readers.documents(docs) if docs else None,
        baseline=readers.system(baseline, paths),
        test=method,
        overwrite=forced(),
        pool=Pool.of(pool, groups=groups) if pool else None,
        answers=read_answers(list(answers)) if answers else None,
        sensitivity=dict(grid_of(text) for text in grids) if grids else None,
        **settings,
    )
    say(page)


def _points(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[float] | None:
    if value is None:
        return None
    try:
        return [float(point) for point in value.replace(',', ' ').split()]
    except ValueError:
        raise click.BadParameter(
            f'{value!r}: expected numbers separated by commas, as in 500,1000,2000'
        ) from None


@command(
    argument(
        'FILE...',
        'JSON or JSON lines, folders, or patterns: contexts, answers with citations, nuggets, rubrics, traces of '
        'agents, MTEB predictions.',
        nargs=-1,
        required=True,
        type=PATH,
    )('files'),
    file('--nuggets', 'File of further nuggets and of the documents that contain them.')('nuggets'),
    'optional_names',
    option(
        '--cutoff',
        type=POSITIVE,
        default=10,
        help='Number of documents of a ranking that are the context.',
    )('cutoff'),
    option(
        '--along',
        type=click.Choice(['iteration', 'length']),
        help='Score the contexts after each round of a search, or within each of several budgets.',
    )('along'),
    option(
        '--at',
        callback=_points,
        metavar='NUMBERS',
        help='Rounds or budgets at which --along scores, separated by commas, for example 500,1000,2000.',
    )('at'),
    option(
        '--part',
        metavar='NAME',
        help="Part of MTEB's files to read, for example default/test.",
    )('part'),
    option('--labels', is_flag=True, help='Name the measures as the tools that report them do.')(
        'labels'
    ),
    'by_query form places',
    PRINTED,
)
def rag(
    files: tuple[str, ...],
    nuggets: str | None,
    optional_names: tuple[str, ...],
    along: str | None,
    at: list[float] | None,
    part: str | None,
    form: str | None,
    places: int,
    output: str | None,
    **settings: Any,
) -> None:
    """Score a RAG pipeline or a search agent from the files that it writes.

    Each file, or each run_id in it, is a system. --measures names measures of the contexts, and the presets trec-rag,
    argue and rubric for answers.

    \b
    ir_divmeasures rag A.jsonl --labels
    ir_divmeasures rag agent.jsonl --nuggets aspects.jsonl -m alpha_nDCG@10 --along iteration
    """
    from ..evaluation.rag_summary import summarise
    from ..io.files import paths_of
    from ..judgments.nuggets import read_rag

    if (at is not None or along == 'length') and (at is None or along is None):
        raise click.UsageError('--at needs --along, and --along length needs --at')
    paths = paths_of(files)
    answers = read_rag([*paths, nuggets] if nuggets else paths, part=part)
    summary = summarise(answers, paths, optional_names, along=along, at=at, **settings)
    write(summary.text(places) if form is None else text_of(summary, form, places), output)


# ------------------------------------------------------------------------------------------- citations and the demo


@command(
    'measure_names',
    option(
        '--style',
        type=click.Choice(['bibtex', 'text']),
        default='bibtex',
        help='Print BibTeX entries, or one line of text for each source.',
    )('form'),
    PRINTED,
)
def cite(measure_names: tuple[str, ...], form: str, output: str | None) -> None:
    """Print the papers and programs that define measures, for a bibliography.

    \b
    ir_divmeasures cite alpha_nDCG RBU -o measures.bib
    ir_divmeasures cite web-track --style text
    """
    from ..explanation.catalogue import bibliography

    write(bibliography(' '.join(measure_names), form), output)


@command(
    'optional_names by_query',
    option(
        '--save',
        metavar='FOLDER',
        type=PATH,
        help='Also write the runs and judgments to this folder. Existing files are never replaced.',
    )('folder'),
)
def demo(optional_names: tuple[str, ...], by_query: bool, folder: str | None) -> None:
    """Compare retrieval systems on the sample collection with pt.Experiment."""
    from .. import demo as made

    for line in made.report(' '.join(optional_names) or made.MEASURES, by_query, folder):
        say(line)  # as they come: the first run takes a while


__all__ = [
    'cite',
    'compare',
    'demo',
    'evaluate',
    'explain',
    'rag',
    'report',
    'sensitivity',
]
