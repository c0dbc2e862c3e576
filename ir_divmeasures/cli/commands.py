"""The subcommands that do more than call one function."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import click

from ..errors import did_you_mean
from ..tables import paper_table
from . import readers
from .build import draw, save_qrels, say, subcommand, text_of, with_notes, write
from .messages import spoken
from .options import AnyForm, File, Positive, forced

# ----------------------------------------------------------------------------------------------------------- scores

MARKED = ('latex', 'markdown', 'html')
"""The forms of a table for a paper, in which the best values are marked."""
LINES = ('tsv', 'jsonl')
"""The forms that the command ``ir_measures`` has: one line a score, without a header."""
NDEVAL = (
    'ERR_IA@5 ERR_IA@10 ERR_IA@20 nERR_IA@5 nERR_IA@10 nERR_IA@20 alpha_DCG@5 alpha_DCG@10 alpha_DCG@20 alpha_nDCG@5 '
    'alpha_nDCG@10 alpha_nDCG@20 NRBP nNRBP AP_IA P_IA@5 P_IA@10 P_IA@20 StRecall@5 StRecall@10 StRecall@20'
)
"""The columns that ndeval 4.5 prints, in its order."""


@subcommand(further='', names={'qrels': 'judged'})
def evaluate(
    qrels: Any,
    runs_or_measures: Sequence[File],
    optional_names: Sequence[str] = (),
    by_query: bool = False,
    no_summary: bool = False,
    by_subtopic: bool = False,
    form: AnyForm | None = None,
    places: int = 4,
    printed: str | None = None,
    missing: str = 'zero',
    ties: str | None = None,
    jobs: int = 1,
    provider: str | None = None,
    new_names: Sequence[str] = (),
    new_measure_names: Sequence[str] = (),
) -> str:
    """Score runs by measures.

    The command ir_measures takes the same arguments and prints the same lines: `measure value` for one run, and
    `query measure value` with --by-query, the last lines with the query `all`. For several runs, the system comes
    first. As there, `-o tsv` and `-o jsonl` choose a format and not a file.

    \b
    ir_divmeasures evaluate qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures evaluate clueweb12/trec-web-2014/diversity my.run web-track -q

    Args:
        no_summary: Omit the means. Use this with --by-query.
        by_subtopic: Print the scores of each subtopic, as if it were a query of its own. Documents of other subtopics
            then have grade 0.
        form: Format of the output. The default is tsv for one run, and table for several. JSON has every digit. A
            spreadsheet is CSV in which programs read no cell as a formula. In latex, markdown and html, the best means of
            several systems are marked. With -m web-track, ndeval prints the CSV of
            the program ndeval -traditional -c.
        provider: Provider of ir_measures that computes all measures, for example pytrec_eval. By default, each measure
            has the first provider that supports it.
        new_names: New name of a system in the output: OLD=NEW, or a file of lines with both, separated by a tab. You can
            repeat this option.
        new_measure_names: New name of a measure in the output. You can repeat this option.
    """
    from ..core import registry
    from ..core.names import label
    from ..evaluation import listing
    from ..evaluation.evaluate import by_subtopic as compute_by_subtopic
    from ..evaluation.evaluate import evaluate as compute_scores

    if printed in LINES:
        form, printed = printed, None
    if no_summary and not by_query:
        raise click.UsageError('--no-summary needs --by-query')
    if by_subtopic and by_query:
        raise click.UsageError('--by-query and --by-subtopic cannot be combined')
    if ties and (provider or by_subtopic):
        raise click.UsageError('--ties cannot be combined with --provider or --by-subtopic')
    first, *rest = runs_or_measures
    paths = readers.several_runs([first, *filter(readers.is_run, rest)])
    names = ' '.join([*optional_names, *(name for name in rest if not readers.is_run(name))])
    if form == 'ndeval':
        names = names.replace('web-track', NDEVAL)
    measures = registry.measures(names)
    if not measures:
        raise click.UsageError(
            "no measures: give them after the run, or with -m 'RBU@20 alpha_nDCG@20'"
        )
    table: Any
    if form == 'ndeval':
        table = listing.ndeval_csv(paths, qrels, measures, missing, ties or 'doc_id')
    elif by_subtopic:
        table, form = compute_by_subtopic(qrels, paths, measures), form or 'tsv'
    else:
        form = form or ('tsv' if len(paths) == 1 else 'table')
        if provider:
            scores = listing.scores_by_provider(provider, paths, qrels.table, measures)
        else:
            scores = compute_scores(qrels, paths, measures, missing=missing, jobs=jobs, ties=ties)
        systems = renamed(new_names, scores.systems, '--name')
        heads = renamed(new_measure_names, [*map(str, measures)], '--measure-name')
        rows = [
            ({**key, 'system': systems.get(key['system'], key['system'])}, values)
            for key, values in listing.rows_of(scores, measures, by_query, not no_summary)
        ]
        if form in LINES:
            table = listing.lines_of(rows, measures, form, places)
        elif form in MARKED and not by_query:
            titles = ["system", *(heads.get(str(m)) or label(m) for m in measures)]
            means = [(key['system'], values) for key, values in rows]
            table = paper_table(titles, means, form, places)
        else:
            table = listing.table_of(rows, [heads.get(str(m)) or str(m) for m in measures])
    write(text_of(table, form, places), printed)
    return ''


@subcommand(further='form places printed', names={'qrels': 'judged'})
def explain(
    qrels: Any,
    runs_and_query: Sequence[File],
    measure: str,
    form: str | None = None,
    printed: str | None = None,
    by_rank: bool = False,
    top: Positive | None = None,
    topics: str | None = None,
    places: int = 4,
    plot: str | None = None,
) -> Any:
    """Show what each rank and subtopic contributes to a query's score.

    Prints the gain, redundancy and discount of each contribution, and the effort. A picture shows several runs side by
    side. Texts of subtopics come from the column text of the judgments, or from --topics.

    \b
    ir_divmeasures explain qrels.txt my.run 101 -m alpha_nDCG@10
    ir_divmeasures explain qrels.txt a.run b.run 101 -m RBU@10 --plot coverage.png
    ir_divmeasures explain qrels.txt my.run 'spider bites' -m RBU@10 --topics topics.tsv

    Args:
        by_rank: Print one line for each rank: the contribution of each subtopic, their sum, and the sum so far.
        top: Number of ranks to show. The default is all in the table, and 20 in the picture.
    """
    from ..evaluation.explain import explain as explained

    *runs, query = runs_and_query
    if not runs:
        raise click.UsageError('expected at least one run, and then a query')
    result = explained(qrels, readers.several_runs(runs), measure, query, topics=topics)
    if plot is not None:
        draw(result.plot(top=top or 20), plot)
    shown = result.top(top)
    if result.says:
        say(result.says, err=True)
    table = shown.by_rank() if by_rank else shown.table
    return with_notes(table, result.summary(places), form, printed)


def renamed(texts: Sequence[str], known: Sequence[str], option: str) -> dict[str, str]:
    """New names by old ones, from ``OLD=NEW`` or files whose lines have both, separated by a tab."""
    from ..data.files import read_bytes

    pairs = []
    for text in texts:
        if os.path.exists(text):
            lines = read_bytes(text).decode('utf-8').splitlines()
            pairs += [(line, line.partition('\t')) for line in lines if line.strip()]
        else:
            pairs.append((text, text.rpartition('=')))
    for line, (old, separator, new) in pairs:
        if not separator or not new.strip():
            raise click.UsageError(
                f'{option} {line!r}: expected OLD=NEW, or a file of OLD, tab, NEW'
            )
        if old.strip() not in known:
            raise click.UsageError(
                f'{option} {line!r}: {old.strip()!r} is not in the results{did_you_mean(old.strip(), known)}'
            )
    return {old.strip(): new.strip() for _, (old, _, new) in pairs}


def for_paper(
    result: Any,
    places: int,
    form: str | None,
    new_names: Sequence[str] = (),
    new_measure_names: Sequence[str] = (),
) -> Any:
    """The comparison of systems, as ``compare`` prints it: systems by measures for people, all numbers for programs.

    Args:
        new_names: New name of a system in the output: OLD=NEW, or a file of lines with both, separated by a tab. You can
            repeat this option.
        new_measure_names: New name of a measure in the output. You can repeat this option.
    """
    names = renamed(new_names, [*result['other'].unique(), *result['system'].unique()], '--name')
    names |= renamed(new_measure_names, result['measure'].unique(), '--measure-name')
    if form in MARKED:
        return result.to_paper(form, places, names)
    table = result.copy()
    for column in ('measure', 'system', 'other'):
        table[column] = [names.get(name, name) for name in result[column]]
    if form not in (None, 'table'):
        return table
    return [result.to_paper('table', places, names), table.drop(columns=['n_queries', 'test'])]


# ------------------------------------------------------------------------------------------- citations and the demo


@subcommand(further='printed')
def cite(measure_names: Sequence[str], style: Literal['bibtex', 'text'] = 'bibtex') -> str:
    """Print the papers and programs that define measures, for a bibliography.

    \b
    ir_divmeasures cite alpha_nDCG RBU -o measures.bib
    ir_divmeasures cite web-track --style text

    Args:
        style: Print BibTeX entries, or one line of text for each source.
    """
    from ..evaluation import catalogue

    return catalogue.cite(' '.join(measure_names), style)


@subcommand(further='')
def demo(optional_names: Sequence[str] = ()) -> str:
    """Compare retrieval systems on the sample collection with pt.Experiment."""
    from .. import demo as made

    for line in made.report(' '.join(optional_names) or made.MEASURES):
        say(line)  # as they come: the first run takes a while
    return ''


# -------------------------------------------------------------------------------------------------------- judgments


@subcommand(further='', names={'qrels': 'path'})
def convert(
    qrels: str,
    output: str,
    format: str | None = None,
    to: str | None = None,
    topic_level: bool = False,
    intents: str | None = None,
) -> str:
    """Write judgments of any form, or of an ir_datasets id, as a file.

    A name that ends in .gz compresses the file.

    \b
    ir_divmeasures qrels convert clueweb12/trec-web-2014/diversity -o qrels.txt

    Args:
        to: Form of the file to write: trec or tsv. The default is tsv if there are more columns than query,
            subtopic, document and grade, and trec otherwise.
        topic_level: Write one grade for each document: its highest for any subtopic.
    """
    from ..data.qrels import topic_level as of_topics

    judged = readers.judgments(qrels, intents, format)
    return save_qrels(of_topics(judged) if topic_level else judged, output, to)


@subcommand(names={'runs': 'paths'})
def diagnose(qrels: Any, runs: Any, form: str | None = None, strict: bool = False) -> Any:
    """Check whether runs and judgments belong together, and list what looks wrong.

    \b
    ir_divmeasures qrels diagnose qrels.txt runs/
    ir_divmeasures qrels diagnose qrels.txt my.run --strict && submit my.run

    Args:
        strict: Exit with code 2 if a run is empty, has none of the judged queries, or has no judged document.
    """
    from ..evaluation.diagnose import diagnose as diagnosed

    diagnosis = diagnosed(qrels, runs)
    columns, questions = diagnosis.columns, map(spoken, diagnosis.questions)
    shown = with_notes(columns, [*questions] or ['Nothing looks wrong.'], form)
    unusable = [
        system for system, share in zip(columns['system'], columns['judged']) if not share > 0
    ]
    if strict and unusable:
        say(text_of(shown, form))
        of_all = f'{len(unusable)} of {len(columns["system"])} runs'
        raise click.ClickException(f'{of_all} have no judged document: {", ".join(unusable)}')
    return shown


# ------------------------------------------------------------------------------------------------------------ pools


@subcommand(further='', names={'runs': 'paths'})
def save(runs: Any, output: str, depth: int = 100, groups: str | None = None) -> str:
    """Write a pool of runs as one .parquet file.

    \b
    ir_divmeasures pool save runs/ -o pool.parquet --groups teams.txt
    """
    from ..pools.pool import Pool

    saved = Pool.from_runs(runs, depth, groups)
    saved.save(output, overwrite=forced())
    return f'{output}: {saved!r}'
