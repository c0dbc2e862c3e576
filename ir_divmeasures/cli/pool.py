"""``ir_divmeasures pool``: what systems find that others do not."""

from __future__ import annotations

import importlib
from typing import Any

import click

from ..results.tables import render
from . import common


@click.group(
    cls=common.Group, short_help='Measure innovation, and what systems add to a pool of systems.'
)
def pool() -> None:
    """Score runs against a pool of systems, and answer the questions of those who pooled them."""


source = common.argument(
    'source',
    'POOL',
    'A pool: a file that `pool save` wrote, or a folder or pattern of runs.',
    type=common.PATH,
)
scored_runs = common.argument(
    'runs',
    '[RUN...]',
    'Runs to score: files, folders or patterns. Without them, the systems of the pool are scored.',
    nargs=-1,
    type=common.PATH,
)


def of(source: str, depth: int, groups: str | None) -> Any:
    """The pool of a file or of runs.

    Raises:
        FileNotFoundError: no such file, no runs there.
    """
    from ..pools.pool import Pool

    return Pool.of(source, depth, groups)


depth_option = click.option(
    '--depth',
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help='Depth of the pool: a system retrieves a document if it ranks it at most this deep.',
)
pooled = common.together(depth_option, common.groups)


@pool.command()
@common.runs
@common.output(required=True)
@common.force
@pooled
def save(runs: tuple[str, ...], output: str, force: bool, depth: int, groups: str | None) -> None:
    """Write a pool of runs as one .parquet file.

    \b
    ir_divmeasures pool save runs/ -o pool.parquet --groups teams.txt
    """
    from ..pools.pool import Pool

    common.fresh(output, force=force)
    saved = Pool.from_runs(common.several_runs(runs), depth, groups)
    saved.save(output, overwrite=force)
    common.say(f'{output}: {saved!r}')


@pool.command()
@common.qrels
@source
@scored_runs
@common.measures()
@pooled
@common.printing
def score(
    qrels: str,
    source: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    depth: int,
    groups: str | None,
    form: str,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Score runs by measures of innovation against a pool.

    Runs that are not in the pool are scored as newcomers.

    \b
    ir_divmeasures pool score qrels.txt runs/ -m 'NumUnique@100 P_Rareness@100'
    ir_divmeasures pool score qrels.txt pool.parquet my.run -m NumUnique@100
    """
    common.fresh(output, force=force)
    newcomers = common.several_runs(runs) if runs else None
    scores = of(source, depth, groups).scores(newcomers, common.judgments(qrels), ' '.join(names))
    common.write(render(scores.means().reset_index(), form, places), output, force)


@pool.command()
@common.qrels
@source
@scored_runs
@common.measures()
@pooled
@click.option(
    '--relevance',
    type=click.FloatRange(0, 1),
    help='Probability that an unjudged document is relevant. '
    'With it, the expected score and its standard error are printed, too.',
)
@common.by_query
@common.seed
@common.printing
def bounds(
    qrels: str,
    source: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    depth: int,
    groups: str | None,
    relevance: float | None,
    by_query: bool,
    seed: int,
    form: str,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Print the lowest and the highest score that runs could have if their unjudged documents were judged.

    \b
    ir_divmeasures pool bounds qrels.txt runs/ -m NumUnique@100 --relevance 0.1
    """
    common.fresh(output, force=force)
    newcomers = common.several_runs(runs) if runs else None
    result = of(source, depth, groups).bounds(
        newcomers, common.judgments(qrels), ' '.join(names), relevance=relevance, rng=seed
    )
    common.write(render(result.table if by_query else result.means(), form, places), output, force)


@pool.command()
@common.qrels
@source
@common.output(required=True)
@common.force
@click.option(
    '--newcomer',
    is_flag=True,
    help='Write judgments for runs that are not in the pool. Without this '
    'option, they are for the runs of the pool.',
)
@pooled
def judgments(
    qrels: str,
    source: str,
    output: str,
    force: bool,
    newcomer: bool,
    depth: int,
    groups: str | None,
) -> None:
    """Write judgments with the columns that measures of innovation read, so that `evaluate` can compute them.

    \b
    ir_divmeasures pool judgments qrels.txt runs/ -o pooled.tsv
    """
    common.fresh(output, force=force)
    judgments = of(source, depth, groups).judgments(common.judgments(qrels), newcomer)
    common.save_qrels(judgments, output, 'tsv', force)


@pool.command()
@common.qrels
@source
@common.measures()
@pooled
@common.rel
@click.option(
    '--threshold',
    type=float,
    default=0.9,
    show_default=True,
    help='Share of their top documents from which two runs count as near-duplicates.',
)
@common.seed
@common.printing
def tables(
    qrels: str,
    source: str,
    names: tuple[str, ...],
    depth: int,
    groups: str | None,
    rel: float,
    threshold: float,
    seed: int,
    form: str,
    places: int,
    output: str | None,
    force: bool,
) -> None:
    """Print a table for each question of an organiser.

    The tables are unique finds, what each run adds, how the union grows, how far the judgments favour teams,
    near-duplicate runs, bounds over unjudged documents, and reusability.
    """
    from ..pools.campaign import tables as campaign_tables

    common.fresh(output, force=force)
    answers = campaign_tables(
        of(source, depth, groups),
        common.judgments(qrels),
        ' '.join(names),
        rel=rel,
        threshold=threshold,
        rng=seed,
    )
    parts = [
        f'# {name}\n{render(table if table.index.name is None else table.reset_index(), form, places)}'
        for name, table in answers.items()
    ]
    common.write('\n\n'.join(parts), output, force)


def question(name: str, draw: str | None, *parameters: Any, rel: bool = True) -> common.Decorator:
    """Make a subcommand of a function from a pool laid over judgments and further options to a table.

    Args:
        name: of the subcommand.
        draw: what draws the table, as a function of the package; None for no picture.
        parameters: options and arguments of its own.
        rel: whether it takes the lowest relevant grade.
    """
    shared = (common.rel,) * rel
    plot = (common.picture,) * (draw is not None)

    def decorate(function: common.Function) -> common.Function:
        def run(
            qrels: str,
            source: str,
            depth: int,
            groups: str | None,
            form: str,
            places: int,
            output: str | None,
            force: bool,
            plot: str | None = None,
            **options: Any,
        ) -> None:
            common.fresh(output, plot, force=force)
            table = function(of(source, depth, groups).over(common.judgments(qrels)), **options)
            if plot is not None and draw is not None:
                module, _, drawing = draw.rpartition('.')
                drawn = importlib.import_module(f'..{module}', __package__)
                common.draw(getattr(drawn, drawing)(table), plot, force)
            common.write(render(table, form, places), output, force)

        run.__doc__ = function.__doc__
        return pool.command(name)(
            common.together(
                common.qrels, source, *parameters, *shared, pooled, common.printing, *plot
            )(run)
        )

    return decorate


sizes = click.option(
    '--size',
    'sizes',
    type=click.IntRange(min=1),
    multiple=True,
    help='Number of teams that are '
    'pooled. The default is 1, 2, 4, and so on. You can repeat this option.',
)
alphas = click.option(
    '--rareness-alpha',
    'alphas',
    type=float,
    multiple=True,
    help='Value of the parameter alpha of '
    'the measure: how much rare documents count. You can repeat this option.',
)


@question('unique', 'pools.campaign.plot_unique_by_group', common.seed)
def unique(judged: Any, rel: float, seed: int) -> Any:
    """Print how many relevant documents only one team found, and which teams found significantly more of them."""
    from ..pools.campaign import unique_by_group

    return unique_by_group(judged, rel, rng=seed)


@question('gain', None)
def gain(judged: Any, rel: float) -> Any:
    """Print what each run adds to the relevant documents of all other runs, and to those of other teams."""
    from ..pools.campaign import union_gain

    return union_gain(judged, rel)


@question(
    'union',
    'pools.campaign.plot_union_curve',
    click.option(
        '--order',
        multiple=True,
        metavar='SYSTEM',
        help='System to add next. Repeat this option to '
        'give the order. By default, the system that adds most comes next.',
    ),
)
def union(judged: Any, order: tuple[str, ...], rel: float) -> Any:
    """Print how many relevant documents are known as systems are added one by one."""
    from ..pools.campaign import union_curve

    return union_curve(judged, list(order) or 'greedy', rel)


@question('bias', 'pools.campaign.plot_group_bias', common.measures(), rel=False)
def bias(judged: Any, names: tuple[str, ...]) -> Any:
    """Print the scores and ranks of each team's runs with and without the judgments that only this team brought."""
    from ..pools.campaign import group_bias

    return group_bias(judged, ' '.join(names))


@question('newcomer-loss', None, common.measures(), common.confidence, rel=False)
def newcomer_loss(judged: Any, names: tuple[str, ...], confidence: float) -> Any:
    """Print the change of score to expect of a team that took no part in the pooling, with its interval."""
    from ..pools.campaign import newcomer_loss as found

    return found(judged, ' '.join(names), confidence_level=confidence)


@question(
    'reusability',
    'pools.campaign.plot_reusability',
    common.measures(),
    sizes,
    common.trials(20),
    common.seed,
    rel=False,
)
def reusability(
    judged: Any, names: tuple[str, ...], sizes: tuple[int, ...], trials: int, seed: int
) -> Any:
    """Print how well judgments that were pooled from some of the teams rank all systems."""
    from ..pools.campaign import reusability as found

    return found(judged, ' '.join(names), sizes or None, n_trials=trials, rng=seed)


@question('finds', 'pools.analysis.plot_system_finds')
def finds(judged: Any, rel: float) -> Any:
    """Print how many relevant, rare and unique documents each system found."""
    from ..pools.analysis import system_finds

    return system_finds(judged, rel=rel)


@question('rankings', 'pools.analysis.plot_ranking_change', common.measures(), alphas, rel=False)
def rankings(judged: Any, names: tuple[str, ...], alphas: tuple[float, ...]) -> Any:
    """Print how far the ranking by a measure of innovation moves away from that by the plain measure.

    It moves as the parameter alpha of the measure grows.
    """
    from ..pools.analysis import ALPHAS, ranking_change
    from ..pools.analysis import rankings as found

    return ranking_change(
        found(judged, ' '.join(names), sorted({0.0, *alphas}) if alphas else ALPHAS)
    )


@question(
    'simulate',
    'studies.rare_common.plot_rare_common',
    common.argument('query', 'QUERY', 'Id of a query.'),
    common.measure('P_Rareness@100'),
    alphas,
    click.option(
        '--size',
        'sizes',
        type=click.IntRange(min=0),
        multiple=True,
        help='Number of relevant documents that the made-up systems find. The default is 0, 1, and so '
        'on. You can repeat this option.',
    ),
    rel=False,
)
def simulate(
    judged: Any, query: str, name: str, alphas: tuple[float, ...], sizes: tuple[int, ...]
) -> Any:
    """Print the scores of two made-up systems among the real ones.

    One finds the documents that no other system has, and the other those that most systems have.
    """
    from ..studies.rare_common import simulate_rare_common

    return simulate_rare_common(
        judged, query, name, alphas or (0, 0.25, 0.5, 0.75, 1), sizes or None
    )


@pool.command()
@source
@click.option(
    '--top',
    type=click.IntRange(min=1),
    metavar='N',
    help='Number of documents of a query that are compared. The default is the depth.',
)
@pooled
@common.printing
@common.picture
def overlap(
    source: str,
    top: int | None,
    depth: int,
    groups: str | None,
    form: str,
    places: int,
    output: str | None,
    force: bool,
    plot: str | None,
) -> None:
    """Print the share of their top documents that each two runs have in common. It needs no judgments."""
    from ..pools.campaign import plot_run_overlap, run_overlap

    common.fresh(output, plot, force=force)
    table = run_overlap(of(source, depth, groups), top)
    if plot is not None:
        common.draw(plot_run_overlap(table), plot, force)
    common.write(render(table.reset_index(), form, places), output, force)
