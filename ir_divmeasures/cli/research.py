"""The commands for research: ``qrels``, ``pool``, ``meta``, ``axioms``, ``study``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import click
from click import Choice, argument, command, group, option

import ir_divmeasures

from . import options
from .options import INPUT, Command, Group, list_runs, read_judgments
from .output import show, write

written = option(
    '-o',
    '--output',
    type=options.OUTPUT,
    required=True,
    help='File to write to, compressed if its name ends in .gz.',
)


# ----------------------------------------------------------------------------------------------------------- qrels


@group(cls=Group, no_args_is_help=False)
def qrels() -> None:
    """Convert and check judgments, and make judgments from nuggets and hierarchies."""


@qrels.command()
@options.qrels
@option(
    '--from',
    'source_form',
    metavar='FORM',
    help='Form of the judgments. By default, the content of the file decides. An error for an unknown form lists them all.',
)
@option(
    '--to',
    type=Choice(['trec', 'tsv']),
    help='Form of the file to write. The default is tsv if there are more columns than query, subtopic, document and '
    'grade, and trec otherwise.',
)
@option(
    '--topic-level',
    is_flag=True,
    help='Write one grade for each document: its highest for any subtopic.',
)
@options.intents
@written
@options.force
def convert(
    qrels: str,
    source_form: str | None,
    to: str | None,
    topic_level: bool,
    intents: str | None,
    output: str,
    force: bool,
) -> None:
    """Write judgments of any form, or of an ir_datasets id, as a file.

    \b
    ir_divmeasures qrels convert clueweb12/trec-web-2014/diversity -o qrels.txt
    ir_divmeasures qrels convert qrels.txt --intents weights.txt -o weighted.tsv
    """
    table: Any = read_judgments(qrels, intents, source_form)
    if topic_level:
        table = ir_divmeasures.topic_level(table)
    ir_divmeasures.write_qrels(table, output, format=to, overwrite=force)


@qrels.command()
@options.qrels
@options.runs
@options.form
def diagnose(qrels: str, runs: Sequence[str], form: str) -> None:
    """Check whether runs and judgments belong together, and list what looks wrong.

    \b
    ir_divmeasures qrels diagnose qrels.txt runs/
    """
    diagnosis = ir_divmeasures.diagnose(read_judgments(qrels), list_runs(runs))
    show(diagnosis.columns, form, notes=diagnosis.questions or ['Nothing looks wrong.'])


@qrels.command()
@argument('files', type=INPUT, nargs=-1, required=True, metavar='FILE...')
@option(
    '--nuggets',
    type=INPUT,
    help='File that lists all nuggets, also those that no document contains.',
)
@written
@options.force
def nuggets(files: Sequence[str], nuggets: str | None, output: str, force: bool) -> None:
    """Write nuggets, and the documents that contain them, as judgments.

    \b
    ir_divmeasures qrels nuggets bank.jsonl -o qrels.tsv
    """
    source = files[0] if len(files) == 1 else list(files)
    table = ir_divmeasures.read_nuggets(source, intents=nuggets)
    ir_divmeasures.write_qrels(table, output, overwrite=force)


@qrels.command()
@options.qrels
@option(
    '--superintents',
    type=INPUT,
    help='Add a layer above the subtopics: a file of lines `query subtopic superintent`, separated by tabs.',
)
@options.docs
@option(
    '--similarity',
    type=Choice(['simhash', 'tfidf']),
    default='simhash',
    help='Similarity of documents. tfidf agrees best with subtopics made by hand. simhash is the method of the paper.',
)
@option(
    '--cutoff',
    type=click.FloatRange(0, 1),
    default=0.3,
    help='Similarity from which documents are one leaf of the hierarchy.',
)
@option(
    '--weighting',
    type=Choice(['WI', 'WD']),
    default='WI',
    help='How the weight of a node is divided among its children: by their numbers of leaves (WI), or by their gains '
    '(WD).',
)
@written
@options.force
def hierarchy(
    qrels: str,
    superintents: str | None,
    docs: str | None,
    output: str,
    force: bool,
    **clustering: Any,
) -> None:
    """Add a hierarchy of subtopics to judgments, and write them.

    With --docs, the relevant documents of each subtopic are clustered. With --superintents, a file groups the subtopics.

    \b
    ir_divmeasures qrels hierarchy qrels.txt --docs texts.jsonl -o layered.tsv
    ir_divmeasures qrels hierarchy qrels.txt --superintents parents.tsv -o layered.tsv
    """
    if not docs and not superintents:
        raise click.UsageError('expected --docs, --superintents, or both')
    table: Any = read_judgments(qrels)
    if superintents:
        table = ir_divmeasures.with_superintents(table, superintents)
    if docs:
        table = ir_divmeasures.build_hierarchy(table, docs, **clustering)
    ir_divmeasures.write_qrels(table, output, overwrite=force)


# ------------------------------------------------------------------------------------------------------------ pool


@group(cls=Group, no_args_is_help=False)
def pool() -> None:
    """Measure innovation: what systems add to a pool of systems.

    POOL is a file that `pool save` wrote, or a folder or pattern of runs.
    """


@pool.command()
@options.runs
@option(
    '--depth',
    type=click.IntRange(min=1),
    default=100,
    help='Depth of the pool. Only the documents down to this rank count as retrieved by a system.',
)
@option(
    '--groups',
    type=INPUT,
    help='File of teams, with lines `system team`. The systems of a team count once.',
)
@written
@options.force
def save(runs: Sequence[str], depth: int, groups: str | None, output: str, force: bool) -> None:
    """Write a pool of runs as one .parquet file.

    \b
    ir_divmeasures pool save runs/ -o pool.parquet --groups teams.txt
    """
    pool = ir_divmeasures.pools.Pool.from_runs(list_runs(runs), depth, groups)
    pool.save(output, overwrite=force)


@pool.command()
@options.qrels
@options.pool
@argument('runs', type=INPUT, nargs=-1, metavar='[RUN...]')
@options.measures
@options.printed
def score(qrels: str, pool: str, runs: Sequence[str], measures: Sequence[str]) -> Any:
    """Score runs by measures of innovation against a pool.

    Runs that are not in the pool are scored as newcomers. Without RUN, the systems of the pool are scored.

    \b
    ir_divmeasures pool score qrels.txt runs/ -m 'NumUnique@100 P_Rareness@100'
    ir_divmeasures pool score qrels.txt pool.parquet my.run -m NumUnique@100
    """
    judgments, newcomers = read_judgments(qrels), list_runs(runs) or None
    return (
        ir_divmeasures.pools.Pool.of(pool).scores(newcomers, judgments, ' '.join(measures)).means()
    )


def over(pool: str, qrels: str) -> Any:
    """The pool of a file or of runs, with judgments."""
    return ir_divmeasures.pools.Pool.of(pool).over(read_judgments(qrels))


@pool.command()
@options.qrels
@options.pool
@options.printed
def unique(qrels: str, pool: str) -> Any:
    """Print how many relevant documents only one team found.

    Teams come from `pool save --groups`. The table says which teams found significantly more documents than others.
    """
    from ..pools.campaign import unique_by_group

    return unique_by_group(over(pool, qrels))


@pool.command()
@options.qrels
@options.pool
@options.measures
@options.printed
def team(qrels: str, pool: str, measures: Sequence[str]) -> Any:
    """Print the scores and ranks of each team's runs without the documents that only this team retrieved.

    Teams come from `pool save --groups`.
    """
    from ..pools.campaign import group_bias

    return group_bias(over(pool, qrels), ' '.join(measures))


# ------------------------------------------------------------------------------------------------------------ meta


@group(cls=Group, no_args_is_help=False)
def meta() -> None:
    """Compare measures: discriminative power, correlation, stability, unanimity, robustness.

    Each command takes either QRELS, runs and measures, or files of scores (--scores).
    """


@meta.command()
@options.scored
@options.test
@options.correction
@options.alpha
@options.seed
@options.printed
def power(scores: Any, **test: Any) -> Any:
    """Print the discriminative power of measures.

    It is the share of the pairs of systems between which a measure finds a significant difference.

    \b
    ir_divmeasures meta power qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures meta power --scores scores.csv --test bootstrap --alpha 0.01
    """
    return ir_divmeasures.meta.discriminative_power(scores, **test)


@meta.command()
@options.scored
@option(
    '--coefficient',
    type=Choice(['kendall', 'tau_ap']),
    default='kendall',
    help="Coefficient of correlation: Kendall's tau, or tau_ap, in which the best systems count most.",
)
@options.printed
def correlations(scores: Any, coefficient: str) -> Any:
    """Print how similarly two measures rank the systems, for each pair of measures."""
    return ir_divmeasures.meta.correlations(scores, coefficient)


@meta.command()
@options.scored
@options.alpha
@options.printed
def ranks(scores: Any, alpha: float) -> Any:
    """Print ranks of systems with intervals, which systems may be first, and tiers.

    \b
    ir_divmeasures meta ranks qrels.txt runs/ -m alpha_nDCG@20
    """
    return ir_divmeasures.meta.ranks(scores, alpha=alpha)


@meta.command()
@options.scored
@options.printed
def unanimity(scores: Any) -> Any:
    """Print how often each measure agrees with improvements on which all other measures agree."""
    return ir_divmeasures.meta.unanimity(scores)


@meta.command()
@options.scored
@option(
    '--fuzziness',
    type=click.FloatRange(min=0),
    default=0.0,
    help='Largest difference of two means that counts as a tie, for example 0.05.',
)
@options.seed
@options.printed
def stability(scores: Any, **settings: Any) -> Any:
    """Print how often samples of the queries agree on which of two systems is better."""
    return ir_divmeasures.meta.stability(scores, **settings)


@meta.command()
@options.scored
@options.seed
@options.printed
def robustness(scores: Any, rng: int) -> Any:
    """Print how well rankings of the systems on samples of the queries agree with that on all queries.

    The agreement is Kendall's tau.
    """
    return ir_divmeasures.meta.topic_robustness(scores, rng=rng)


# ---------------------------------------------------------------------------------------------- axioms and studies


@command()
@options.measure_names
@options.seed
@options.form
def axioms(names: Sequence[str], rng: int, form: str) -> None:
    """Test which constraints on rankings measures satisfy.

    The constraints are those of Amigó et al. (2018). The output has counter-examples for one measure, and is a table for
    several.

    \b
    ir_divmeasures axioms RBU
    ir_divmeasures axioms RBU alpha_nDCG ERR_IA --format csv > axioms.csv
    """
    tested, axioms = ir_divmeasures.measures(' '.join(names)), ir_divmeasures.axioms
    if len(tested) > 1:
        show(axioms.table(tested, rng=rng), form)
        return
    cells = axioms.check(tested, rng=rng)
    examples = [
        f'\n{cell.constraint} fails for {cell.setting}:\n{cell.counterexample}'
        for cell in cells[cells['counterexample'] != ''].itertuples()
    ]
    show(cells[['constraint', 'symbol', 'evidence']], form, notes=examples)


@command(cls=Command)
@argument('paper')
@argument('inputs', type=INPUT, nargs=-1, metavar='[QRELS RUN...]')
@option(
    '--sample',
    is_flag=True,
    help='Use the sample collection and seven rankings, which are part of the package.',
)
@option(
    '--table',
    'tables',
    multiple=True,
    help='Table to compute, for example table2 (or 2) or figure1. You can repeat this option. By default, all of them '
    'are computed.',
)
@option(
    '--format',
    'form',
    type=Choice(['markdown', 'csv']),
    default='markdown',
    help='Format of the page.',
)
@options.docs
@option(
    '--superintents',
    type=INPUT,
    help='File of lines `query subtopic superintent`, separated by tabs.',
)
@option(
    '--assessor',
    'assessors',
    type=INPUT,
    multiple=True,
    help='Judgments of another assessor. You can repeat this option.',
)
@option('--data-name', 'name', default='your runs', help='Name of your data on the page.')
@options.seed
@options.output
@options.force
def study(
    paper: str,
    inputs: Sequence[str],
    sample: bool,
    tables: Sequence[str],
    form: str,
    docs: str | None,
    superintents: str | None,
    assessors: Sequence[str],
    name: str,
    rng: int,
    output: str | None,
    force: bool,
) -> None:
    """Recompute the tables of a published paper on your runs.

    PAPER is amigo-2018, carterette-2011, dou-2019 or turkmen-2023, or the beginning of one of these. The page shows the
    numbers of the paper and yours.

    \b
    ir_divmeasures study turkmen-2023 QRELS RUN...
    ir_divmeasures study amigo-2018 --sample --table 2
    """
    from ..studies import study as find_paper
    from ..studies.study import sample as sample_data

    study = find_paper(paper)
    names = study.named(tables) if tables else ()
    if len(inputs) == 1 or sample == bool(inputs):
        raise click.UsageError('expected QRELS and RUN, or --sample')
    data: dict[str, Any] = sample_data() if sample else {'name': name}
    data |= {'qrels': inputs[0], 'runs': list_runs(inputs[1:])} if inputs else {}
    data |= {'superintents': superintents} if superintents else {}
    data |= {'docs': docs} if docs else {}
    data['assessors'] = [read_judgments(path) for path in assessors]
    command = shlex.join(['ir_divmeasures', *click.get_current_context().obj])
    write(study(**data, seed=rng).page(names, form, command), output, force)
