"""The subcommands that do more than call one function."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from typing import Any, Literal

import click

from ..errors import did_you_mean
from ..results import count
from ..results.tables import paper_table
from . import readers
from .build import draw, save_qrels, say, subcommand, text_of, with_notes, write
from .messages import spoken
from .options import AnyForm, File, Numbers, Positive, forced

# ----------------------------------------------------------------------------------------------------------- scores

MARKED = ('latex', 'markdown', 'html')
"""The forms of a table for a paper, in which the best values are marked."""
LINES = ('tsv', 'jsonl')
"""The forms that the command ``ir_measures`` has: one line a score, without a header."""


@subcommand(further='', names={'qrels': 'judged'})
def evaluate(
    qrels: Any,
    runs_or_measures: Sequence[File],
    optional_names: Sequence[str] = (),
    by_query: bool = False,
    no_summary: bool = False,
    by_subtopic: bool = False,
    bounds: bool = False,
    n_unseen: File = '0',
    aspects: File | None = None,
    max_grade: float | None = None,
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
        bounds: Print for each score the share of judged documents, and the lowest and the highest score that the run
            could have if its unjudged documents were judged, for any subtopics, while other judgments and weights stay
            as they are. By default, no relevant document exists outside the ranking (--n-unseen), no subtopic that the
            judgments do not list (--aspects), and no higher grade than theirs (--max-grade).
        n_unseen: Number of relevant documents that may exist outside the ranking of each query, for --bounds, or a file
            with lines `query number`.
        aspects: Subtopics that documents may be relevant to, for --bounds: a file of topics or an ir_datasets id.
        max_grade: Largest grade that a document may get, for --bounds.
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
    if ties and (bounds or provider or by_subtopic):
        raise click.UsageError(
            '--ties cannot be combined with --bounds, --provider or --by-subtopic'
        )
    if bounds and (by_subtopic or provider or missing != 'zero'):
        raise click.UsageError(
            '--bounds cannot be combined with --by-subtopic, --provider or --missing'
        )
    if not bounds and (n_unseen, aspects, max_grade) != ('0', None, None):
        raise click.UsageError('--n-unseen, --aspects and --max-grade need --bounds')
    first, *rest = runs_or_measures
    paths = readers.several_runs([first, *filter(readers.is_run, rest)])
    names = ' '.join([*optional_names, *(name for name in rest if not readers.is_run(name))])
    if form == 'ndeval':
        names = names.replace('web-track', 'ndeval')
    measures = registry.measures(names)
    if not measures:
        raise click.UsageError(
            "no measures: give them after the run, or with -m 'RBU@20 alpha_nDCG@20'"
        )
    table: Any
    if form == 'ndeval':
        table = listing.ndeval_csv(paths, qrels, measures, missing, ties or 'doc_id')
    elif bounds:
        from ..evaluation.bounds import bounds as compute_bounds

        computed = compute_bounds(
            paths,
            qrels,
            measures,
            n_unseen=n_unseen,
            aspects=aspects,
            max_grade=max_grade,
            jobs=jobs,
        )
        table = listing.bounds_table(computed, by_query, not no_summary)
    elif by_subtopic:
        table, form = compute_by_subtopic(paths, qrels, measures), form or 'tsv'
    else:
        form = form or ('tsv' if len(paths) == 1 else 'table')
        if provider:
            scores = listing.scores_by_provider(provider, paths, qrels.table, measures)
        else:
            scores = compute_scores(paths, qrels, measures, missing=missing, jobs=jobs, ties=ties)
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
    from ..explanation import explain as explained

    *runs, query = runs_and_query
    if not runs:
        raise click.UsageError('expected at least one run, and then a query')
    result = explained(readers.several_runs(runs), qrels, measure, query, topics=topics)
    if plot is not None:
        draw(result.plot(top=top or 20), plot)
    shown = result.top(top)
    if result.says:
        say(result.says, err=True)
    table = shown.columns_by_rank() if by_rank else shown.columns
    return with_notes(table, result.summary(places), form, printed)


def renamed(texts: Sequence[str], known: Sequence[str], option: str) -> dict[str, str]:
    """New names by old ones, from ``OLD=NEW`` or files whose lines have both, separated by a tab."""
    from ..io.text import read_bytes

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
    names = renamed(new_names, result.systems, '--name')
    names |= renamed(new_measure_names, result.measures, '--measure-name')
    if form in MARKED:
        return result.to_paper(form, places, names)
    for note in result.notes:
        say(f'note: {spoken(note)}', err=True)
    table = {
        name: [names.get(each, each) for each in values]
        if name in ('system', 'other', 'measure')
        else values
        for name, values in result.columns.items()
    }
    return [result.to_paper('table', places, names), table] if form in (None, 'table') else table


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


def grid_of(texts: Sequence[str], option: str) -> dict[str, Any]:
    """The values of each axis."""
    grid = dict(map(values_of, texts))
    if not grid or len(grid) < len(texts):
        raise click.UsageError(
            f'{option}: expected the values of parameters, each parameter once, as in p=0.5:0.99:50'
        )
    return grid


@subcommand(further='form places printed', names={'qrels': 'judged', 'runs': 'paths'})
def sensitivity(
    qrels: Any,
    runs: Any,
    measure: str,
    axis: Sequence[str],
    pair: tuple[str, str] | None = None,
    show: Literal['best', 'kendall', 'tau_ap', 'rbo'] = 'best',
    plot: str | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: int = 0,
    jobs: int = 1,
) -> Any:
    """Score runs at many settings of the parameters of a measure.

    Prints, for each setting, which system is best, how often it is best in resamples of the queries, and how far the
    ranking of the systems agrees with that by the default parameters.

    \b
    ir_divmeasures sensitivity qrels.txt runs/ -m RBU@20 -x p=0.5:0.99:50 -x e=0:0.3:31 --plot map.svg
    ir_divmeasures sensitivity qrels.txt runs/ -m alpha_nDCG@20 -x alpha=0.1,0.5,0.9 --pair bm25 dense

    Args:
        axis: Parameter and its values: p=0.5:0.99:50 for 50 values from 0.5 to 0.99, or p=0.8,0.9. You can repeat
            this option.
        pair: Print the difference of two systems at every setting.
        show: What the picture shows. With --pair it shows the difference.
    """
    from ..explanation.sensitivity import sensitivity as over_grid

    result = over_grid(
        runs,
        qrels,
        measure,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=rng,
        jobs=jobs,
        **grid_of(axis, '--axis'),
    )
    if plot is not None:
        draw(result.plot(pair or show), plot)
    return result.pair(*pair) if pair else result.to_frame()


@subcommand(further='', names={'baseline': 'compared'}, folders=True)
def leaderboard(
    inputs: Sequence[File],
    output: str,
    optional_names: Sequence[str] = (),
    files: Sequence[File] = (),
    judges: bool = False,
    human: File | None = None,
    entrants: File | None = None,
    baseline: str | None = None,
    title: str = 'Leaderboard',
    date: str | None = None,
    topics: str | None = None,
    docs: File | None = None,
    pool: File | None = None,
    answers: Sequence[File] = (),
    sensitivity: Sequence[str] = (),
    badges: bool = False,
    missing: str = 'zero',
    ties: str | None = None,
) -> str:
    """Rank systems on a page that anyone can host, with intervals of ranks, tiers, and who may be first.

    The first measure ranks. The page is one file that works offline. The output can end in .html, .json or .csv, or be
    a folder, which exists or ends in /, and also has the data and the scores.

    \b
    ir_divmeasures leaderboard qrels.txt runs/ -m 'RBU@20 nDCG@20' -o index.html
    ir_divmeasures leaderboard --scores 'results/*.eval.txt' -o site/

    Args:
        human: Scores by people on a random part of the queries, in any form that --scores reads. The means are corrected
            with them.
        entrants: Table (.csv, .tsv) of what to show of each system: system, name, team, tags, url, about, status (shown,
            anonymous, hidden, withdrawn or unranked) and note.
        title: Heading of the page.
        date: Date of the leaderboard, for its provenance.
        docs: Titles of documents: an ir_datasets id, or a .tsv, .csv or .jsonl file with doc_id and title or text.
        pool: Pool of systems whose judgments these are: a file that `pool save` wrote, or a folder or pattern of runs.
            The page then answers the questions of its organiser.
        answers: Answers with labels of nuggets, in any form that `rag` reads. The page then says what became of each
            nugget. You can repeat this option.
        sensitivity: Measure and values of its parameters, as in 'RBU@20 p=0.5:0.99:50 e=0,0.1'. The page then shows
            which system is best at which setting. You can repeat this option.
        badges: Also write a badge (SVG) with the rank of each system to the folder badges.
    """
    from ..io.files import check_targets
    from ..judgments.nuggets import read_answers
    from ..reporting import FOLDER
    from ..reporting import leaderboard as rank

    check_targets(output, FOLDER, forced(), '--force')
    names = ' '.join(optional_names) or None
    if files and inputs or not files and (len(inputs) < 2 or names is None):
        raise click.UsageError("give QRELS, RUN and -m 'MEASURES', or --scores FILES")
    grids = {
        name: grid_of(axes, '--sensitivity')
        for name, *axes in (text.split() or [''] for text in sensitivity)
    }
    board = rank(
        readers.files_of_scores(files) if files else readers.several_runs(inputs[1:]),
        None if files else inputs[0],
        names,
        human=human,
        judges=judges,
        systems=entrants,
        baseline=baseline,
        title=title,
        date=date,
        topics=topics,
        docs=readers.documents(docs) if docs else None,
        missing=missing,
        ties=ties,
        pool=pool,
        answers=read_answers(list(answers)) if answers else None,
        sensitivity=grids or None,
    )
    board.write(output, overwrite=forced(), badges=badges)
    return f'{output}: {board.data["verdicts"][0]}'


@subcommand(further='printed')
def rag(
    rag_files: Sequence[File],
    nuggets: File | None = None,
    optional_names: Sequence[str] = (),
    cutoff: Positive = 10,
    along: Literal['iteration', 'length'] | None = None,
    at: Numbers | None = None,
    part: str | None = None,
    labels: bool = False,
    by_query: bool = False,
    complete: bool = False,
    form: str | None = None,
    places: int = 4,
) -> str:
    """Score a RAG pipeline or a search agent from the files that it writes.

    Each file, or each run_id in it, is a system. --measures names measures of the contexts, and the presets trec-rag,
    argue and rubric for answers.

    \b
    ir_divmeasures rag A.jsonl --labels
    ir_divmeasures rag agent.jsonl --nuggets aspects.jsonl -m alpha_nDCG@10 --along iteration

    Args:
        nuggets: File of further nuggets and of the documents that contain them.
        cutoff: Number of documents of a ranking that are the context.
        along: Score the contexts after each round of a search, or within each of several budgets.
        at: Rounds or budgets at which --along scores, separated by commas, for example 500,1000,2000.
        part: Part of MTEB's files to read, for example default/test.
        labels: Name the measures as the tools that report them do.
        complete: Leave out the questions of which something is missing, for all systems. By default, a sentence names
            the missing fields in place of the score.
    """
    from ..evaluation.rag_summary import summarise
    from ..io.files import paths_of
    from ..judgments.nuggets import read_rag

    if (at is not None or along == 'length') and (at is None or along is None):
        raise click.UsageError('--at needs --along, and --along length needs --at')
    paths = paths_of(rag_files)
    summary = summarise(
        read_rag([*paths, nuggets] if nuggets else paths, part=part),
        paths,
        optional_names,
        cutoff=cutoff,
        along=along,
        at=at,
        labels=labels,
        by_query=by_query,
        complete=complete,
    )
    return summary.text(places) if form is None else text_of(summary, form, places)


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
    from ..explanation.catalogue import bibliography

    return bibliography(' '.join(measure_names), style)


@subcommand(further='')
def demo(optional_names: Sequence[str] = ()) -> str:
    """Compare retrieval systems on the sample collection with pt.Experiment."""
    from .. import demo as made

    for line in made.report(' '.join(optional_names) or made.MEASURES):
        say(line)  # as they come: the first run takes a while
    return ''


# -------------------------------------------------------------------------------------------------------- judgments


@subcommand(further='', names={'qrels': 'path'})
def validate(qrels: str, format: str | None = None, intents: str | None = None) -> str:
    """Check judgments, and say what they contain.

    If they cannot be used, the error names the file and the line, and the exit code is 2.
    """
    from ..io.columns import KEYS
    from ..io.ordering import distinct
    from ..judgments.statistics import grade_counts, in_all

    judged = readers.judgments(qrels, intents, format)
    totals = in_all(judged)
    grades = ', '.join(f'{grade:g}: {n}' for grade, n in grade_counts(judged).items())
    several = distinct(judged.layers).tolist()
    layers = f', layers {", ".join(map(str, several))}' if len(several) > 1 else ''
    columns = judged.names[len(KEYS) :]
    further = f'; columns {", ".join(columns)}' if columns else ''
    queries = count(len(judged.query_ids), 'query', 'queries')
    subtopics = count(totals['subtopics'], 'subtopic')
    return (
        f'{qrels}: {queries}, {subtopics} ({totals["relevant_subtopics"]} with a relevant document), '
        f'{count(totals["judged"], "judged document")} ({totals["relevant"]} relevant){layers}; '
        f'grades {grades}{further}'
    )


@subcommand(further='', names={'qrels': 'path'})
def convert(
    qrels: str,
    output: str,
    format: str | None = None,
    to: str | None = None,
    topic_level: bool = False,
    passages: Literal['sum', 'log', 'max'] = 'sum',
    intents: str | None = None,
) -> str:
    """Write judgments of any form, or of an ir_datasets id, as a file.

    A name that ends in .gz compresses the file.

    \b
    ir_divmeasures qrels convert clueweb12/trec-web-2014/diversity -o qrels.txt

    Args:
        to: Form of the file to write: trec, evall or tsv. The default is tsv if there are more columns than query,
            subtopic, document and grade, and trec otherwise.
        topic_level: Write one grade for each document: its highest for any subtopic.
        passages: How the ratings of the passages of a document become one grade (TREC Dynamic Domain): their sum, their
            sum with a logarithmic discount, or the best one.
    """
    from ..judgments.qrels import topic_level as of_topics

    judged = readers.judgments(qrels, intents, format, passages)
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

    diagnosis = diagnosed(runs, qrels)
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


@subcommand(further='output', names={'qrels': 'path'})
def groups(qrels: str, attribute: Sequence[tuple[str, str, str]]) -> Any:
    """Write judgments with groups of documents and their target shares, for the measures GF and GFR.

    The files are those of NTCIR FairWeb.

    Args:
        attribute: A set of groups: its name, the file of memberships (lines `topic doc p_1 … p_C`) and the file of
            target shares (one number a line). You can repeat this option.
    """
    from ..judgments.memberships import read_groups

    names = [name for name, _, _ in attribute]
    if len(set(names)) < len(names):
        raise ValueError(f'--attribute: {max(names, key=names.count)!r} is given twice')
    return read_groups(
        qrels,
        {name: members for name, members, _ in attribute},
        {name: shares for name, _, shares in attribute},
    )


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
