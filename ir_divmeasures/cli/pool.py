"""``ir_divmeasures pool``: what systems find that others do not."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import click

from ..results.tables import render
from . import common


@click.group()
def pool() -> None:
    """Pools of systems: save one, score runs against it, ask what an organiser asks. Most answers have a picture.

    POOL is a file that `pool save` made (.parquet), or a folder or pattern of runs.
    """


def of(source: str, depth: int, groups: str | None) -> Any:
    """The pool of a file or of runs.

    Raises:
        FileNotFoundError: no such file, no runs there.
    """
    from ..pools.pool import Pool

    return Pool.of(source, depth, groups)


depth_option = click.option('--depth', type=int, default=100, show_default=True, help='Ranks of a run that count.')
groups_option = click.option('--groups', metavar='FILE', help="Lines `system group`: a team's systems count once.")
pooled = common.together(depth_option, groups_option)


@pool.command()
@common.runs
@click.argument('target', metavar='OUT.parquet')
@pooled
@common.force
def save(runs: tuple[str, ...], target: str, depth: int, groups: str | None, force: bool) -> None:
    """Keep a pool of runs as one file."""
    from ..pools.pool import Pool

    common.fresh(target, force=force)
    made = Pool.from_runs(common.several_runs(runs), depth, groups)
    made.save(target, overwrite=force)
    common.say(f'{target}: {made!r}')


@pool.command()
@common.qrels
@click.argument('source', metavar='POOL')
@click.argument('runs', nargs=-1, metavar='[RUN...]')
@common.measures
@pooled
@common.printing
def score(qrels: str, source: str, runs: tuple[str, ...], names: tuple[str, ...], depth: int, groups: str | None,
          form: str, places: int, output: str | None, force: bool) -> None:
    """Score runs against a pool, members as they are, others as newcomers; without runs the members."""
    common.fresh(output, force=force)
    given = common.several_runs(runs) if runs else None
    scores = of(source, depth, groups).scores(given, common.judgments(qrels), ' '.join(names))
    common.write(render(scores.means().reset_index(), form, places), output, force)


@pool.command()
@common.qrels
@click.argument('source', metavar='POOL')
@click.argument('runs', nargs=-1, metavar='[RUN...]')
@common.measures
@pooled
@click.option('--relevance', type=click.FloatRange(0, 1), help='Probability that an unjudged document is relevant. '
              'Adds the expected score and its standard error.')
@click.option('--by', type=click.Choice(['system', 'query']), default='system', show_default=True,
              help='Print means over the queries, or a line for each query.')
@common.seed
@common.printing
def bounds(qrels: str, source: str, runs: tuple[str, ...], names: tuple[str, ...], depth: int, groups: str | None,
           relevance: float | None, by: str, seed: int, form: str, places: int, output: str | None,
           force: bool) -> None:
    """Print the least and the largest score that unjudged documents leave open. Without runs, score the members."""
    common.fresh(output, force=force)
    given = common.several_runs(runs) if runs else None
    result = of(source, depth, groups).bounds(given, common.judgments(qrels), ' '.join(names), relevance=relevance,
                                              rng=seed)
    common.write(render(result.means() if by == 'system' else result.table, form, places), output, force)


@pool.command()
@common.qrels
@click.argument('source', metavar='POOL')
@click.argument('target', metavar='OUT')
@click.option('--newcomer', is_flag=True, help='Score runs that are no members. Without this option, only members can '
                                               'be scored.')
@pooled
@common.force
def judgments(qrels: str, source: str, target: str, newcomer: bool, depth: int, groups: str | None,
              force: bool) -> None:
    """Write judgments with the columns that measures of innovation read."""
    common.fresh(target, force=force)
    made = of(source, depth, groups).judgments(common.judgments(qrels), newcomer)
    common.save_qrels(made, target, 'tsv', force)


@pool.command()
@common.qrels
@click.argument('source', metavar='POOL')
@common.measures
@pooled
@click.option('--rel', type=float, default=1, show_default=True, help='The lowest relevant grade.')
@click.option('--threshold', type=float, default=0.9, show_default=True, help='Overlap of near-duplicate runs.')
@common.seed
@common.printing
def tables(qrels: str, source: str, names: tuple[str, ...], depth: int, groups: str | None, rel: float,
           threshold: float, seed: int, form: str, places: int, output: str | None, force: bool) -> None:
    """Unique finds, what each run adds, how far judgments favour teams, near-duplicates, reusability."""
    from ..pools.campaign import tables as asked

    common.fresh(output, force=force)
    found = asked(of(source, depth, groups), common.judgments(qrels), ' '.join(names), rel=rel, threshold=threshold,
                  rng=seed)
    parts = [f'# {name}\n{render(table if table.index.name is None else table.reset_index(), form, places)}'
             for name, table in found.items()]
    common.write('\n\n'.join(parts), output, force)


def question(name: str, draw: str | None, *parameters: Any, rel: bool = True,
             ) -> Callable[[common.Command], common.Command]:
    """Make a subcommand of a function from a pool laid over judgments and further options to a table.

    Args:
        name: of the subcommand.
        draw: what draws the table, as `module.function` of the pools; None for no picture.
        parameters: options and arguments of its own.
        rel: whether it takes the lowest relevant grade.
    """
    shared = (click.option('--rel', type=float, default=1, show_default=True, help='The lowest relevant grade.'),) * rel
    plot = (common.picture,) * (draw is not None)

    def decorate(function: common.Command) -> common.Command:
        def run(qrels: str, source: str, depth: int, groups: str | None, form: str, places: int, output: str | None,
                force: bool, plot: str | None = None, **options: Any) -> None:
            common.fresh(output, plot, force=force)
            table = function(of(source, depth, groups).over(common.judgments(qrels)), **options)
            if plot is not None and draw is not None:
                module, _, drawing = draw.partition('.')
                drawn = importlib.import_module(f'..pools.{module}', __package__)
                common.draw(getattr(drawn, drawing)(table), plot, force)
            common.write(render(table, form, places), output, force)
        run.__doc__ = function.__doc__
        return pool.command(name)(common.together(
            common.qrels, click.argument('source', metavar='POOL'), *parameters, *shared, pooled, common.printing,
            *plot)(run))
    return decorate


trials = click.option('--trials', type=int, default=20, show_default=True, help='Draws of each number of groups.')
sizes = click.option('--size', 'sizes', type=int, multiple=True, help='Numbers of groups; 1, 2, 4, … by default.')
alphas = click.option('--alpha', 'alphas', type=float, multiple=True, help='Values of α; may be repeated.')


@question('unique', 'campaign.plot_unique_by_group', common.seed)
def unique(judged: Any, rel: float, seed: int) -> Any:
    """Relevant documents that no other group found, and which groups found significantly more of them."""
    from ..pools.campaign import unique_by_group

    return unique_by_group(judged, rel, rng=seed)


@question('gain', None)
def gain(judged: Any, rel: float) -> Any:
    """What each run adds to the union of the others, and to that of other groups."""
    from ..pools.campaign import union_gain

    return union_gain(judged, rel)


@question('union', 'campaign.plot_union_curve',
          click.option('--order', multiple=True, metavar='SYSTEM', help='Add these systems, in this order; by default '
                                                                        'each time the one that adds most.'))
def union(judged: Any, order: tuple[str, ...], rel: float) -> Any:
    """How the union of relevant documents grows as systems are added."""
    from ..pools.campaign import union_curve

    return union_curve(judged, list(order) or 'greedy', rel)


@question('bias', 'campaign.plot_group_bias', common.measures, rel=False)
def bias(judged: Any, names: tuple[str, ...]) -> Any:
    """Scores and ranks of each group's runs with and without its own contributions to the judgments."""
    from ..pools.campaign import group_bias

    return group_bias(judged, ' '.join(names))


@question('reusability', 'campaign.plot_reusability', common.measures, sizes, trials, common.seed, rel=False)
def reusability(judged: Any, names: tuple[str, ...], sizes: tuple[int, ...], trials: int, seed: int) -> Any:
    """How well judgments pooled from some of the groups rank all systems."""
    from ..pools.campaign import reusability as found

    return found(judged, ' '.join(names), sizes or None, n_trials=trials, rng=seed)


@question('finds', 'analysis.plot_system_finds')
def finds(judged: Any, rel: float) -> Any:
    """How many relevant, rare and unique documents each system found."""
    from ..pools.analysis import system_finds

    return system_finds(judged, rel=rel)


@question('rankings', 'analysis.plot_ranking_change', common.measures, alphas, rel=False)
def rankings(judged: Any, names: tuple[str, ...], alphas: tuple[float, ...]) -> Any:
    """How far the ranking by a measure of innovation moves away from the plain measure's as α grows."""
    from ..pools.analysis import ALPHAS, ranking_change
    from ..pools.analysis import rankings as found

    return ranking_change(found(judged, ' '.join(names), sorted({0.0, *alphas}) if alphas else ALPHAS))


@question('simulate', 'analysis.plot_rare_common', click.argument('query'),
          click.option('-m', '--measure', 'name', default='P_Rareness@100', show_default=True, type=common.Measures(),
                       metavar='MEASURE', help='A measure of innovation.'),
          alphas, click.option('--size', 'sizes', type=int, multiple=True,
                               help='Numbers of relevant documents; 0, 1, … by default.'), rel=False)
def simulate(judged: Any, query: str, name: str, alphas: tuple[float, ...], sizes: tuple[int, ...]) -> Any:
    """Two made-up systems among the real ones: one that finds what no other has, one that finds what most have."""
    from ..pools.analysis import simulate_rare_common

    return simulate_rare_common(judged, query, name, alphas or (0, 0.25, 0.5, 0.75, 1), sizes or None)


@pool.command()
@click.argument('source', metavar='POOL')
@click.option('--top', type=int, help='Documents of a query that are compared; the depth by default.')
@pooled
@common.printing
@common.picture
def overlap(source: str, top: int | None, depth: int, groups: str | None, form: str, places: int, output: str | None,
            force: bool, plot: str | None) -> None:
    """The share of their top documents that each two runs have in common; needs no judgments."""
    from ..pools.campaign import plot_run_overlap, run_overlap

    common.fresh(output, plot, force=force)
    table = run_overlap(of(source, depth, groups), top)
    if plot is not None:
        common.draw(plot_run_overlap(table), plot, force)
    common.write(render(table.reset_index(), form, places), output, force)
