"""``ir_divmeasures meta``: what scores say about measures."""

from __future__ import annotations

from typing import Any

import click

from ..results.tables import render
from . import common


@click.group(
    cls=common.Group,
    short_help='Compare measures: power, stability, correlation, unanimity, robustness.',
)
def meta() -> None:
    """Compare measures: discriminative power, stability, correlation, unanimity, robustness.

    Each question takes either QRELS, runs and measures, or files of scores (--scores).
    """


sources = common.together(
    common.argument(
        'inputs',
        '[QRELS RUN...]',
        'Judgments and runs, unless --scores has the scores. Judgments are a '
        'file or an ir_datasets id. Runs are files, folders, or patterns.',
        nargs=-1,
        type=common.PATH,
    ),
    common.measures(required=False),
    click.option(
        '--scores',
        'files',
        multiple=True,
        metavar='[MEASURE=]FILE',
        help='File of scores, in place of judgments and runs: a table with the columns system, query_id, '
        'measure and value, or a matrix of topics and systems for one measure. For several matrices, '
        'repeat this option with the names of the measures: --scores AP=ap.csv --scores RR=rr.csv.',
    ),
    click.option(
        '--save-scores',
        metavar='FILE',
        type=common.PATH,
        help='Also write the scores to this file, which ends in .csv, .csv.gz, .tsv or .parquet. --scores '
        'reads it.',
    ),
)
shared = common.together(
    common.printing, common.picture, common.missing, common.intents, common.seed, common.jobs
)


def scored(
    inputs: tuple[str, ...],
    names: tuple[str, ...],
    files: tuple[str, ...],
    save_scores: str | None,
    intents: str | None,
    missing: str,
    jobs: int,
    force: bool,
) -> Any:
    """Scores of runs, or of files."""
    from ..evaluation.scores import Scores

    if files:
        if inputs or names:
            raise click.UsageError(
                '--scores replaces QRELS, RUN and --measures: give one or the other'
            )
        named = dict(each.split('=', 1) for each in files if '=' in each)
        if named and len(named) != len(files) or len(files) > 1 and not named:
            raise click.UsageError(
                'several files of scores need names: --scores AP=ap.csv --scores RR=rr.csv'
            )
        scores = Scores.read(named or files[0])
    else:
        if len(inputs) < 2 or not names:
            raise click.UsageError("give QRELS, RUN and -m 'MEASURES', or --scores FILE")
        from ..evaluation.evaluate import evaluate

        scores = evaluate(
            common.several_runs(inputs[1:]),
            common.judgments(inputs[0], intents),
            ' '.join(names),
            missing=missing,
            jobs=jobs,
        )
    if save_scores is not None:
        scores.write(save_scores, overwrite=force)
    return scores


def subcommand(function: common.Function) -> common.Function:
    """Make a subcommand of a function from scores, a seed and the options of its own to a result."""

    def run(
        inputs: tuple[str, ...],
        names: tuple[str, ...],
        files: tuple[str, ...],
        save_scores: str | None,
        intents: str | None,
        missing: str,
        jobs: int,
        seed: int,
        form: str,
        places: int,
        output: str | None,
        force: bool,
        plot: str | None,
        **options: Any,
    ) -> None:
        common.fresh(save_scores, output, plot, force=force)
        result = function(
            scored(inputs, names, files, save_scores, intents, missing, jobs, force),
            seed,
            **options,
        )
        if plot is not None:
            common.draw(result.plot(), plot, force)
        table = result.to_frame()
        table = table if list(table.index.names) == [None] else table.reset_index()
        common.write(render(table, form, places), output, force)

    run.__doc__ = function.__doc__
    shared(run)
    run.__click_params__ = [*run.__click_params__, *getattr(function, '__click_params__', [])]  # type: ignore[attr-defined]
    return meta.command(function.__name__)(sources(run))


@subcommand
@common.test('bootstrap')
@common.level
def overview(scores: Any, seed: int, method: str, alpha: float) -> Any:
    """Print how discriminative, stable, alike and unanimous measures are.

    \b
    ir_divmeasures meta overview qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20 ERR_IA@20'
    """
    from ..meta import overview as result

    return result(scores, method, alpha=alpha, rng=seed)


@subcommand
@common.test('bootstrap')
@common.correction('none')
@common.level
def power(scores: Any, seed: int, method: str, correction: str | None, alpha: float) -> Any:
    """Print the discriminative power of measures.

    It is the share of the pairs of systems between which a measure finds a significant difference.

    \b
    ir_divmeasures meta power qrels.txt runs/ -m 'RBU@20 alpha_nDCG@20'
    ir_divmeasures meta power --scores scores.csv --test max_t --alpha 0.01
    """
    from ..meta import discriminative_power

    return discriminative_power(scores, method, alpha=alpha, correction=correction, rng=seed)


@subcommand
@click.option(
    '--coefficient',
    type=click.Choice(['kendall', 'tau_ap', 'rbo']),
    default='kendall',
    show_default=True,
    help="Coefficient of correlation of two rankings: Kendall's tau, or tau_ap and rank-biased overlap "
    "(rbo), in which the best systems count most.",
)
def correlations(scores: Any, seed: int, coefficient: str) -> Any:
    """Print how much alike each two measures rank the systems."""
    from ..meta import correlations as result

    return result(scores, coefficient, rng=seed)


@subcommand
@click.option(
    '--fuzziness',
    type=float,
    default=0.0,
    show_default=True,
    help='Largest difference of two means that counts as a tie, for example 0.05.',
)
def stability(scores: Any, seed: int, fuzziness: float) -> Any:
    """Print how often samples of the queries agree on which of two systems is better."""
    from ..meta import stability as result

    return result(scores, fuzziness=fuzziness, rng=seed)


@subcommand
def unanimity(scores: Any, seed: int) -> Any:
    """Print how far each measure agrees with what all other measures say unanimously."""
    from ..meta import unanimity as result

    return result(scores)


@subcommand
@common.trials(100)
def robustness(scores: Any, seed: int, trials: int) -> Any:
    """Print how far the ranking of the systems on samples of the queries agrees with that on all queries.

    The agreement is Kendall's tau.
    """
    from ..meta import topic_robustness

    return topic_robustness(scores, n_trials=trials, rng=seed)
