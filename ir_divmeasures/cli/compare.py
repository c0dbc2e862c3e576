"""``ir_divmeasures compare``: systems against a baseline."""

from __future__ import annotations

import click

from ..results.tables import render
from . import common


@click.command(
    cls=common.Command, short_help='Compare systems with a baseline: differences, intervals, tests.'
)
@common.qrels
@common.runs
@common.measures()
@common.baseline
@click.option(
    '--pairs',
    type=click.Choice(['baseline', 'all']),
    default='baseline',
    show_default=True,
    help='Test each system against the baseline, or all pairs of systems.',
)
@common.test('t')
@common.correction('holm')
@common.level
@common.confidence
@click.option(
    '--latex',
    is_flag=True,
    help='Print a LaTeX table for a paper: the best mean is bold, and superscripts '
    'show significant differences.',
)
@common.printing
@common.picture
@common.missing
@common.intents
@common.seed
@common.jobs
def compare(
    qrels: str,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    baseline: str | None,
    method: str,
    correction: str | None,
    pairs: str,
    alpha: float,
    confidence: float,
    latex: bool,
    form: str,
    places: int,
    output: str | None,
    force: bool,
    plot: str | None,
    missing: str,
    intents: str | None,
    seed: int,
    jobs: int,
) -> None:
    """Compare systems with a baseline.

    Prints, for each measure and system, the mean, the difference to the baseline with its confidence interval, the
    effect size, the numbers of queries won, tied and lost, and the p-value. The p-values are corrected for the number
    of pairs, the intervals are not. A picture shows the differences by the first measure.

    \b
    ir_divmeasures compare qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' --baseline bm25
    ir_divmeasures compare qrels.txt runs/ -m web-track --pairs all --latex
    """
    from ..evaluation.evaluate import evaluate
    from ..meta.comparison import compare as compared

    common.fresh(output, plot, force=force)
    paths = common.several_runs(runs)
    scores = evaluate(
        paths, common.judgments(qrels, intents), ' '.join(names), missing=missing, jobs=jobs
    )
    result = compared(
        scores,
        common.system(baseline, paths),
        method=method,
        correction=correction,
        pairs=pairs,
        alpha=alpha,
        confidence_level=confidence,
        rng=seed,
    )
    if plot is not None:
        common.draw(result.plot(), plot, force)
    if result.caution and not latex:
        common.say(f'note: {result.caution}', err=True)
    common.write(
        result.to_latex(places) if latex else render(result.to_frame(), form, places), output, force
    )
