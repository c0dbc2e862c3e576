"""``ir_divmeasures meta``: what scores say about measures."""
from __future__ import annotations

from typing import Any

import click

from ..results.tables import render
from . import common


@click.group()
def meta() -> None:
    """Compare measures: discriminative power, stability, correlation, unanimity, robustness."""


sources = common.together(
    click.argument('inputs', nargs=-1, metavar='[QRELS RUN...]'),
    click.option('-m', '--measures', 'names', multiple=True, type=common.Measures(), metavar='MEASURES',
                 help='Measures or sets of measures, parted by blanks.'),
    click.option('--scores', 'files', multiple=True, metavar='[MEASURE=]FILE',
                 help='Scores instead of runs: a tidy table, or topic x system matrices.'),
    click.option('--save-scores', metavar='FILE', help='Keep the scores: .csv, .csv.gz, .tsv, .parquet.'),
    common.intents, common.missing, common.jobs, common.seed, common.printing, common.picture)


def scored(inputs: tuple[str, ...], names: tuple[str, ...], files: tuple[str, ...], save_scores: str | None,
           intents: str | None, missing: str, jobs: int, force: bool) -> Any:
    """Scores of runs, or of files."""
    from ..evaluation.scores import Scores

    if files:
        if inputs or names:
            raise click.UsageError('give scores, or QRELS, RUN and measures')
        named = dict(each.split('=', 1) for each in files if '=' in each)
        if named and len(named) != len(files) or len(files) > 1 and not named:
            raise click.UsageError('several files of scores need names: --scores AP=ap.csv --scores RR=rr.csv')
        scores = Scores.read(named or files[0])
    else:
        if len(inputs) < 2 or not names:
            raise click.UsageError("give QRELS, RUN and -m 'MEASURES', or --scores FILE")
        from ..evaluation.evaluate import evaluate

        scores = evaluate(common.several_runs(inputs[1:]), common.judgments(inputs[0], intents), ' '.join(names),
                          missing=missing, jobs=jobs)
    if save_scores is not None:
        scores.write(save_scores, overwrite=force)
    return scores


def subcommand(function: common.Command) -> common.Command:
    """Make a subcommand of a function from scores, a seed and the options of its own to a result."""
    def run(inputs: tuple[str, ...], names: tuple[str, ...], files: tuple[str, ...], save_scores: str | None,
            intents: str | None, missing: str, jobs: int, seed: int, form: str, places: int, output: str | None,
            force: bool, plot: str | None, **options: Any) -> None:
        common.fresh(save_scores, output, plot, force=force)
        found = function(scored(inputs, names, files, save_scores, intents, missing, jobs, force), seed, **options)
        if plot is not None:
            common.draw(found.plot(), plot, force)
        table = found.to_frame()
        table = table if list(table.index.names) == [None] else table.reset_index()
        common.write(render(table, form, places), output, force)
    run.__doc__ = function.__doc__
    run.__click_params__ = getattr(function, '__click_params__', [])  # type: ignore[attr-defined]
    return meta.command(function.__name__)(sources(run))


alpha = click.option('--alpha', type=float, default=0.05, show_default=True, help='Level of significance.')
test = click.option('--test', 'method', default='bootstrap', show_default=True, help='Of differences of systems.',
                    type=click.Choice(['bootstrap', 't', 'wilcoxon', 'tukey', 'tukey_oneway', 'tukey_pairwise',
                                       'tukey_randomised', 'max_t']))


@subcommand
@test
@alpha
def overview(scores: Any, seed: int, method: str, alpha: float) -> Any:
    """How discriminative, stable, alike and unanimous measures are, at once."""
    from ..meta import overview as found

    return found(scores, method, alpha=alpha, rng=seed)


@subcommand
@test
@alpha
@click.option('--correction', type=click.Choice(['holm', 'bonferroni', 'bh']), help='Over the pairs of systems.')
def power(scores: Any, seed: int, method: str, alpha: float, correction: str | None) -> Any:
    """Discriminative power: which share of the pairs of systems a measure tells apart."""
    from ..meta import discriminative_power

    return discriminative_power(scores, method, alpha=alpha, correction=correction, rng=seed)


@subcommand
@click.option('--coefficient', type=click.Choice(['kendall', 'tau_ap', 'rbo']), default='kendall', show_default=True)
def correlations(scores: Any, seed: int, coefficient: str) -> Any:
    """How alike every two measures rank the systems."""
    from ..meta import correlations as found

    return found(scores, coefficient, rng=seed)


@subcommand
@click.option('--fuzziness', type=float, default=0.0, show_default=True, help='Differences up to it are ties.')
def stability(scores: Any, seed: int, fuzziness: float) -> Any:
    """How often samples of the queries agree on which of two systems is better."""
    from ..meta import stability as found

    return found(scores, fuzziness=fuzziness, rng=seed)


@subcommand
def unanimity(scores: Any, seed: int) -> Any:
    """Metric unanimity of each measure with regard to all others."""
    from ..meta import unanimity as found

    return found(scores)


@subcommand
@click.option('--trials', type=int, default=100, show_default=True)
def robustness(scores: Any, seed: int, trials: int) -> Any:
    """Kendall's tau between rankings of the systems on samples of the topics and on all."""
    from ..meta import topic_robustness

    return topic_robustness(scores, n_trials=trials, rng=seed)
