"""The commands for scores: ``evaluate``, ``compare``, ``explain``, ``leaderboard``, ``measures``, ``cite``, ``demo``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import click
from click import Choice, argument, command, option

from ..core import registry
from ..core.names import label
from ..errors import did_you_mean
from ..evaluation import catalogue, listing
from ..evaluation.evaluate import evaluate as compute_scores
from ..presets import PRESETS
from ..tables import FORMS, PAPER, paper_table
from . import options
from .options import Command, list_runs, read_judgments
from .output import show, write

LINES = ('tsv', 'jsonl')
"""The formats of the command ``ir_measures``: one line for each score, without a header."""


def read_names(pairs: Sequence[str], known: Collection[str]) -> dict[str, str]:
    """New names of systems and measures by their old ones, from ``OLD=NEW``."""
    names = {}
    for pair in pairs:
        old, _, new = pair.rpartition('=')
        if not old or not new:
            raise click.UsageError(f'--name {pair!r}: expected OLD=NEW')
        if old not in known:
            raise click.UsageError(
                f'--name: {old!r} is not in the results{did_you_mean(old, known)}'
            )
        names[old] = new
    return names


@command(
    cls=Command,
    # ir_measures writes --by_query.
    context_settings={'token_normalize_func': lambda name: name.replace('_', '-')},
)
@options.qrels
@argument(
    'runs_or_measures', type=options.INPUT, nargs=-1, required=True, metavar='RUN... [MEASURE...]'
)
@options.measures
@option('-q', '--by-query', is_flag=True, help='Print a line for each query, too.')
@option('-n', '--no-summary', is_flag=True, help='Omit the means. Use this with --by-query.')
@option(
    '--format',
    '--output-format',
    'form',
    type=Choice([*FORMS, *LINES]),
    help='Format of the output. The default is tsv for one run, and table for several. In latex, markdown and html, the '
    'best means are marked.',
)
@options.places
@options.output
@options.force
@option(
    '--save-scores',
    type=options.OUTPUT,
    help='Also write the scores of each query to this file, which ends in .csv, .csv.gz, .tsv or .parquet. The option '
    '--scores of other commands reads it.',
)
@options.intents
@options.missing
@option(
    '--ties',
    type=Choice(['doc_id', 'doc_id_ascending', 'rows']),
    help='How all measures order documents with equal scores: by document id, descending, as trec_eval and ndeval do; '
    'by document id, ascending, as pyndeval does; or in the order of the file. By default, each measure has the order '
    'of its original program, and a warning tells you where the order matters.',
)
@option(
    '-j',
    '--jobs',
    default=1,
    help='Number of worker processes. Use -1 for one process per core.',
)
@option(
    '--provider',
    help='Provider of ir_measures that computes all measures, for example pytrec_eval. By default, each measure has the '
    'first provider that supports it.',
)
def evaluate(
    qrels: str,
    runs_or_measures: Sequence[str],
    measures: Sequence[str],
    by_query: bool,
    no_summary: bool,
    form: str | None,
    places: int,
    output: str | None,
    force: bool,
    save_scores: str | None,
    intents: str | None,
    missing: str | None,
    ties: str | None,
    jobs: int,
    provider: str | None,
) -> None:
    """Score runs by measures.

    QRELS is a file of judgments in any form that the package reads, or an ir_datasets id. You can give several,
    separated by commas. RUN is a file, a folder, or a pattern such as 'runs/*.gz'. Measures follow the runs, or come
    with -m. Measures of innovation, such as NumUnique, need `ir_divmeasures pool score`.

    The output for one run is that of the command ir_measures: `measure value`, and with --by-query
    `query measure value` with the means as query `all`. For several runs, the system comes first. `-o tsv` and
    `-o jsonl` choose a format, as for ir_measures.

    \b
    ir_divmeasures evaluate qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures evaluate clueweb12/trec-web-2014/diversity my.run web-track -q
    """
    if output in LINES:
        form, output = output, None
    if no_summary and not by_query:
        raise click.UsageError('--no-summary needs --by-query')
    if ties and provider:
        raise click.UsageError('--ties cannot be combined with --provider')
    first, *rest = runs_or_measures
    runs = list_runs([first, *filter(options.is_run, rest)])
    names = ' '.join([*measures, *(word for word in rest if not options.is_run(word))])
    parsed = registry.measures(names)
    judgments = read_judgments(qrels, intents)
    missing = missing or 'zero'
    if provider:
        scores = listing.scores_by_provider(provider, runs, judgments.table, parsed)
    else:
        scores = compute_scores(judgments, runs, parsed, missing=missing, jobs=jobs, ties=ties)
    if save_scores:
        scores.write(save_scores, overwrite=force)
    rows = listing.rows_of(scores, parsed, by_query, not no_summary)
    form = form or ('tsv' if len(runs) == 1 else 'table')
    if form in LINES:
        write(listing.lines_of(rows, parsed, form, places), output, force)
    elif form in PAPER and form != 'table' and not by_query:
        means = [(key['system'], values) for key, values in rows]
        text = paper_table(['system', *map(label, parsed)], means, form, places)
        write(text, output, force)
    else:
        show(listing.table_of(rows, [*map(str, parsed)]), form, places, output, force)


@command(cls=Command)
@options.scored
@option(
    '-b',
    '--baseline',
    multiple=True,
    metavar='SYSTEM',
    help='System that the others are compared with. The default is the first one. You can repeat this option.',
)
@option(
    '--pairs',
    type=Choice(['baseline', 'all']),
    default='baseline',
    help='Test each system against the baseline, or all pairs of systems.',
)
@options.test
@options.correction
@options.alpha
@options.seed
@options.form
@options.places
@options.output
@options.force
@option(
    '--name',
    'new_names',
    multiple=True,
    metavar='OLD=NEW',
    help='New name of a system or measure in the table of a paper. You can repeat this option.',
)
def compare(
    scores: Any,
    baseline: Sequence[str],
    pairs: str,
    form: str,
    places: int,
    output: str | None,
    force: bool,
    new_names: Sequence[str],
    **test: Any,
) -> None:
    """Compare systems: differences, intervals and tests, or the table of a paper.

    The output has the means of all systems. For each system it has the difference from the baseline with its 95 %
    confidence interval, the effect size, the p-value, and the numbers of queries won, tied and lost. The p-values are
    corrected for the number of pairs of systems, and the intervals are not. With --format latex, markdown or html, the
    output is the table of a paper. The best means are bold, and signs show significant differences.

    \b
    ir_divmeasures compare qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' --baseline bm25
    ir_divmeasures compare qrels.txt runs/ -m web-track --pairs all --format latex
    ir_divmeasures compare --scores 'results/*.txt' --baseline bm25
    """
    from ..meta.significance import compare as compare_systems

    names = read_names(new_names, [*scores.systems, *scores.measures])
    result = compare_systems(scores, list(baseline) or None, pairs=pairs, **test)
    if form not in PAPER:
        show(result, form, places, output, force)
        return
    text = result.to_paper(form, places, names)
    if form == 'table':
        details = result.drop(columns=['n_queries', 'test'])
        show(details, form, places, output, force, above=[text, ''])
    else:
        write(text, output, force)


@command(cls=Command)
@options.qrels
@argument('runs', type=options.INPUT, nargs=-1, required=True, metavar='RUN...')
@argument('query')
@option(
    '-m',
    '--measure',
    '--measures',
    required=True,
    help='Measure to explain, for example RBU@20.',
)
@option(
    '--by-rank',
    is_flag=True,
    help='Print one line for each rank: the contribution of each subtopic, their sum, and the sum so far.',
)
@option(
    '--topics',
    type=options.INPUT,
    help='Texts of queries and subtopics: an ir_datasets id, or a .jsonl, .tsv or .csv file.',
)
@options.form
@option(
    '--plot',
    type=options.OUTPUT,
    help='Also draw a picture to this file, whose name ends in .png, .svg or .pdf.',
)
@options.force
def explain(
    qrels: str,
    runs: Sequence[str],
    query: str,
    measure: str,
    by_rank: bool,
    topics: str | None,
    form: str,
    plot: str | None,
    force: bool,
) -> None:
    """Show what each rank and subtopic contributes to the score of a query.

    QUERY is the id of a query, or with --topics its text. The output has a line for each document and each
    subtopic (`aspect`) that it serves, with the gain, the redundancy and the discount, and the effort of reading the
    document. Texts of subtopics come from the column `text` of the judgments, or from --topics.

    \b
    ir_divmeasures explain qrels.txt my.run 101 -m alpha_nDCG@10
    ir_divmeasures explain qrels.txt a.run b.run 101 -m RBU@10 --plot coverage.png
    ir_divmeasures explain qrels.txt my.run 'spider bites' -m RBU@10 --topics topics.tsv
    """
    from ..data.writing import replacing
    from ..evaluation.explain import explain as explain_scores

    judgments = read_judgments(qrels)
    result = explain_scores(judgments, list_runs(runs), measure, query, topics=topics)
    if plot:
        with replacing(plot, force) as partial:
            result.plot().savefig(partial, dpi=150)
    if result.says:
        click.echo(result.says, err=True)
    table = result.by_rank() if by_rank else result.table
    show(table, form, notes=result.summary())


@command(cls=Command)
@options.scored
@option('--title', help='Heading of the page.')
@option('-o', '--output', type=options.OUTPUT, required=True, help='File to write the page to.')
@options.force
def leaderboard(scores: Any, title: str | None, output: str, force: bool) -> None:
    """Write a web page that ranks systems and says which ones may be first.

    The first measure ranks the systems. The page is one HTML file, which works offline and without JavaScript.

    \b
    ir_divmeasures leaderboard qrels.txt runs/ -m 'RBU@20 nDCG@20' -o index.html
    ir_divmeasures leaderboard --scores 'results/*.txt' -o index.html
    """
    from .page import leaderboard as make_page

    write(make_page(scores, title=title).html, output, force)


@command()
@argument('name', required=False)
def measures(name: str | None) -> None:
    """List the measures and presets, or describe one of them.

    \b
    ir_divmeasures measures
    ir_divmeasures measures alpha_nDCG
    ir_divmeasures measures web-track
    """
    if name is None:
        write(f'{catalogue.listing()}\n\n`ir_divmeasures measures NAME` describes one of them.')
        return
    if name in PRESETS:
        write(catalogue.describe_preset(PRESETS[name]))
        return
    measure = registry.ours(registry.parse(name, complete=False))
    if measure is None:
        raise click.UsageError(f'{name} is a measure of ir_measures, which documents it')
    write(catalogue.describe(measure))


@command(cls=Command)
@options.measure_names
@option(
    '--style',
    type=Choice(['bibtex', 'text']),
    default='bibtex',
    help='Print BibTeX entries, or one line of text for each source.',
)
@options.output
@options.force
def cite(names: Sequence[str], style: str, output: str | None, force: bool) -> None:
    """Print the papers that define measures, for a bibliography.

    \b
    ir_divmeasures cite alpha_nDCG RBU -o measures.bib
    ir_divmeasures cite web-track --style text
    """
    write(catalogue.cite(' '.join(names), style), output, force)


@command()
@options.measures
def demo(measures: Sequence[str]) -> None:
    """Compare retrieval systems on the sample collection.

    pt.Experiment scores seven systems. The text below the table explains their scores with an example.
    """
    from .. import demo as experiment

    for line in experiment.report(' '.join(measures) or experiment.MEASURES):
        write(line)
