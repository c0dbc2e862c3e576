"""``ir_divmeasures compare``: systems against a baseline."""
from __future__ import annotations

import click

from ..results.tables import render
from . import common


@click.command()
@common.qrels
@common.runs
@common.measures
@click.option('-b', '--baseline', metavar='SYSTEM', help="A run's name or path; the first run by default.")
@click.option('--test', 'method', default='t', show_default=True, type=click.Choice(
    ['t', 'wilcoxon', 'bootstrap', 'tukey', 'tukey_randomised', 'max_t']), help='Of the differences.')
@click.option('--correction', type=click.Choice(['holm', 'bonferroni', 'bh', 'none']), default='holm',
              show_default=True, help="Over the tested pairs of a measure; Tukey's tests need none.")
@click.option('--pairs', type=click.Choice(['baseline', 'all']), default='baseline', show_default=True,
              help='Which pairs are tested.')
@click.option('--alpha', type=float, default=0.05, show_default=True, help='Level of significance.')
@click.option('--confidence', type=float, default=0.95, show_default=True, help='Of the intervals.')
@click.option('--latex', is_flag=True, help='The table for a paper: best in bold, superscripts for significance.')
@common.printing
@click.option('--plot', metavar='FILE', help='Draw the differences by the first measure, .png, .svg or .pdf.')
@common.missing
@common.intents
@common.seed
@common.jobs
def compare(qrels: str, runs: tuple[str, ...], names: tuple[str, ...], baseline: str | None, method: str,
            correction: str, pairs: str, alpha: float, confidence: float, latex: bool, form: str, places: int,
            output: str | None, force: bool, plot: str | None, missing: str, intents: str | None, seed: int,
            jobs: int) -> None:
    """Means, differences to a baseline with confidence intervals, effect sizes, wins, ties and losses, tests.

    \b
    ir_divmeasures compare qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20' --baseline bm25
    ir_divmeasures compare qrels.txt runs/ -m web-track --pairs all --latex
    """
    from ..evaluation.evaluate import evaluate
    from ..meta.comparison import compare as compared

    common.fresh(output, plot, force=force)
    paths = common.several_runs(runs)
    scores = evaluate(paths, common.judgments(qrels, intents), ' '.join(names), missing=missing, jobs=jobs)
    if baseline is not None and baseline not in scores.systems and baseline in paths:
        baseline = scores.systems[paths.index(baseline)]
    found = compared(scores, baseline, method=method, correction=None if correction == 'none' else correction,
                     pairs=pairs, alpha=alpha, confidence_level=confidence, rng=seed)
    if plot is not None:
        common.draw(found.plot(), plot, force)
    common.write(found.to_latex(places) if latex else render(found.to_frame(), form, places), output, force)
