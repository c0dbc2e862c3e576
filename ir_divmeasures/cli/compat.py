"""``ir_divmeasures compat``: stand-ins for other programs."""

from __future__ import annotations

import click

from . import common


@click.group(cls=common.Group)
def compat() -> None:
    """Print what another program prints, from the same arguments."""


@compat.command()
@common.qrels
@common.argument('run', 'RUN', 'A run: a file.', type=common.PATH)
@click.option(
    '-alpha',
    '--alpha',
    type=float,
    default=0.5,
    show_default=True,
    help='How much a repeated subtopic loses, from 0 to 1.',
)
@click.option(
    '-beta',
    '--beta',
    type=float,
    default=0.5,
    show_default=True,
    help='Patience of the user in NRBP, from 0 to 1.',
)
@click.option(
    '-traditional',
    '--traditional',
    is_flag=True,
    help='Sort the run by score and document id. Without it, the field rank decides.',
)
@click.option(
    '-c',
    '--complete',
    is_flag=True,
    help='Average over all topics of the judgments, not over those of the run.',
)
@click.option('-M', '--depth', type=int, help='Read the run only down to this rank.')
@click.option(
    '-baseline',
    '--baseline',
    metavar='RUN',
    type=common.PATH,
    help='Print the differences to this run.',
)
@click.option(
    '-riskAlpha',
    '--risk-alpha',
    'risk_alpha',
    type=float,
    default=0.0,
    show_default=True,
    help='Multiply differences below 0 by 1 plus this number.',
)
@click.option(
    '-a', 'every', is_flag=True, hidden=True, help='Accepted, as by ndeval, without effect.'
)
@common.written
def ndeval(
    qrels: str,
    run: str,
    alpha: float,
    beta: float,
    traditional: bool,
    complete: bool,
    depth: int | None,
    baseline: str | None,
    risk_alpha: float,
    every: bool,
    output: str | None,
    force: bool,
) -> None:
    """Print the CSV of ndeval 4.5, the program of the TREC Web Track.

    \b
    ir_divmeasures compat ndeval -traditional -c qrels.txt my.run
    ir_divmeasures compat ndeval clueweb12/trec-web-2014/diversity my.run
    """
    from ..compat.ndeval import ndeval as csv

    common.fresh(output, force=force)
    common.write(
        csv(
            qrels,
            run,
            alpha=alpha,
            beta=beta,
            traditional=traditional,
            complete=complete,
            depth=depth,
            baseline=baseline,
            risk_alpha=risk_alpha,
        ),
        output,
        force,
    )


ANSWERS = common.argument(
    'answers',
    'FILE',
    'Answers with labels, as JSON or JSON lines; a folder or a pattern.',
    type=common.PATH,
)


@compat.command()
@ANSWERS
@common.written
def nuggetizer(answers: str, output: str | None, force: bool) -> None:
    """Print the metrics of castorini's nuggetizer.

    There is a JSON line for each record, then one with their means.
    """
    from ..compat.rag_tools import nuggetizer as lines

    common.fresh(output, force=force)
    common.write(lines(answers), output, force)


@compat.command()
@ANSWERS
@common.written
def ragdoll(answers: str, output: str | None, force: bool) -> None:
    """Print the metrics of castorini's RAGDoll for the support of sentences by citations.

    There is a JSON line for each topic and run, with six metrics and the number of sentences.
    """
    from ..compat.rag_tools import ragdoll as lines

    common.fresh(output, force=force)
    common.write(lines(answers), output, force)


@compat.command()
@ANSWERS
@common.written
def argue(answers: str, output: str | None, force: bool) -> None:
    """Print the macro averages of Auto-ARGUE.

    There is a line `run_id request_id metric value` for each run, request and metric.
    """
    from ..compat.rag_tools import argue as lines

    common.fresh(output, force=force)
    common.write(lines(answers), output, force)
