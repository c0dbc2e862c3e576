"""``ir_divmeasures sensitivity``: what the parameters of a measure decide."""

from __future__ import annotations

import ast
from typing import Any

import click

from ..results.tables import render
from . import common


def values_of(text: str) -> tuple[str, list[Any]]:
    """The name and the values of an axis, from ``p=0.5:0.99:50`` or ``gain=exp,linear``.

    Raises:
        UsageError: the text has another form.
    """
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


def grid_of(text: str) -> tuple[str, dict[str, list[Any]]]:
    """A measure and its axes, from ``RBU@20 p=0.5:0.99:50 e=0,0.1``.

    Raises:
        UsageError: no axis, a parameter given twice, or an axis of another form.
    """
    name, *axes = text.split() or ['']
    grid = dict(values_of(axis) for axis in axes)
    if not grid or len(grid) < len(axes):
        raise click.UsageError(
            f'--sensitivity {text!r}: expected a measure and the values of its parameters, each '
            f"once, as in 'RBU@20 p=0.5:0.99:50'"
        )
    return name, grid


def _value(word: str) -> Any:
    try:
        return ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return word


@click.command(
    cls=common.Command, short_help='Score runs at many settings of the parameters of a measure.'
)
@common.qrels
@common.runs
@common.measure()
@click.option(
    '-x',
    '--axis',
    'axes',
    multiple=True,
    required=True,
    metavar='AXIS',
    help='Parameter and its values: p=0.5:0.99:50 for 50 values from 0.5 to 0.99, or p=0.8,0.9. You can '
    'repeat this option.',
)
@click.option(
    '--pair',
    nargs=2,
    metavar='SYSTEM SYSTEM',
    help='Print the difference of two systems at every setting.',
)
@click.option(
    '--show',
    type=click.Choice(['best', 'kendall', 'tau_ap', 'rbo']),
    default='best',
    show_default=True,
    help='What the picture shows. With --pair it shows the difference.',
)
@common.resamples()
@common.confidence
@common.printing
@common.picture
@common.intents
@common.seed
@common.jobs
def sensitivity(
    qrels: str,
    runs: tuple[str, ...],
    name: str,
    axes: tuple[str, ...],
    pair: tuple[str, str] | None,
    show: str,
    resamples: int,
    confidence: float,
    form: str,
    places: int,
    output: str | None,
    force: bool,
    plot: str | None,
    intents: str | None,
    seed: int,
    jobs: int,
) -> None:
    """Score runs by a measure at every setting of a grid of its parameters.

    Prints, for each setting, which system is best, how often it is best in resamples of the queries, and how far the
    ranking of the systems agrees with that by the default parameters.

    \b
    ir_divmeasures sensitivity qrels.txt runs/ -m RBU@20 -x p=0.5:0.99:50 -x e=0:0.3:31 --plot map.svg
    ir_divmeasures sensitivity qrels.txt runs/ -m alpha_nDCG@20 -x alpha=0.1,0.5,0.9 --pair bm25 dense
    """
    from ..explanation.sensitivity import sensitivity as over_grid

    common.fresh(output, plot, force=force)
    grid: dict[str, Any] = dict(values_of(text) for text in axes)
    if len(grid) < len(axes):
        raise click.UsageError('--axis: a parameter is given twice')
    result = over_grid(
        common.several_runs(runs),
        common.judgments(qrels, intents),
        name,
        n_resamples=resamples,
        confidence_level=confidence,
        rng=seed,
        jobs=jobs,
        **grid,
    )
    frame = result.pair(*pair) if pair else result.to_frame()
    if plot is not None:
        common.draw(result.plot(pair or show), plot, force)
    common.write(render(frame, form, places), output, force)
