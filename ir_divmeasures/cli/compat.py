"""``ir_divmeasures compat``: stand-ins for other programs."""
from __future__ import annotations

import click

from . import common


@click.group()
def compat() -> None:
    """Stand in for another program: its arguments, its output."""


@compat.command()
@click.argument('qrels')
@click.argument('run')
@click.option('-alpha', '--alpha', type=float, default=0.5, show_default=True, help='Redundancy intolerance.')
@click.option('-beta', '--beta', type=float, default=0.5, show_default=True, help='Patience of NRBP.')
@click.option('-traditional', '--traditional', is_flag=True, help='Sort runs by score and docno, not by rank.')
@click.option('-c', '--complete', is_flag=True, help='Average over all topics of the judgments.')
@click.option('-M', '--depth', type=int, help='Cut the run at this depth.')
@click.option('-baseline', '--baseline', metavar='RUN', help='Differences to this run.')
@click.option('-riskAlpha', '--risk-alpha', 'risk_alpha', type=float, default=0.0, show_default=True,
              help='Differences below 0 count 1 + this.')
@click.option('-a', 'every', is_flag=True, hidden=True, help='Accepted, as by ndeval, without effect.')
@common.output
@common.force
def ndeval(qrels: str, run: str, alpha: float, beta: float, traditional: bool, complete: bool, depth: int | None,
           baseline: str | None, risk_alpha: float, every: bool, output: str | None, force: bool) -> None:
    """The CSV of ndeval 4.5, the program of the TREC Web Track."""
    from ..compat.ndeval import ndeval as csv

    common.write(csv(qrels, run, alpha=alpha, beta=beta, traditional=traditional, complete=complete, depth=depth,
                     baseline=baseline, risk_alpha=risk_alpha), output, force)


@compat.command()
@click.argument('answers')
@common.output
@common.force
def nuggetizer(answers: str, output: str | None, force: bool) -> None:
    """The metrics of castorini's nuggetizer: a JSON line for each record, then one for all."""
    from ..compat.rag_tools import nuggetizer as lines

    common.write(lines(answers), output, force)


@compat.command()
@click.argument('answers')
@common.output
@common.force
def argue(answers: str, output: str | None, force: bool) -> None:
    """The macro averages of Auto-ARGUE: lines `run_id request_id metric value`."""
    from ..compat.rag_tools import argue as lines

    common.write(lines(answers), output, force)
