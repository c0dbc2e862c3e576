"""What functions take and users cannot type: judgments, runs, scores and pools, read from what they type.

Each reader has the parameters that the user types; they are entries of the table of options.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from .options import forced


def judgments(qrels: str, intents: str | None = None, format: str | None = None) -> Any:
    """Judgments of a file or an ir_datasets id, or of several, separated by commas."""
    from ..data.judgments import Judgments

    several = [] if os.path.exists(qrels) else qrels.split(',')
    judged = Judgments.of(several if len(several) > 1 else qrels, format)
    if intents is None:
        return judged
    from ..data.intents import with_weights

    return Judgments.of(with_weights(judged, intents))


def several_runs(runs: Iterable[str]) -> list[str]:
    """The files of paths, folders and patterns. Each path in the order given, of one of the latter by name."""
    from ..data.files import run_files

    return list(dict.fromkeys(path for given in runs for path in run_files(given)))


def is_run(text: str) -> bool:
    """Whether an argument is rather a run than a measure: a path that exists, or a pattern."""
    return (
        os.path.exists(text)
        or bool(re.search(r'[*?]', text))
        or text.endswith(('.run', '.gz', '.txt'))
    )


def system(baseline: str | None, paths: list[str]) -> str | None:
    """The name of a system, where its file may be given instead."""
    from ..data.runs import named

    return next((name for name, path in named(paths)[0] if path == baseline), baseline)


def documents(docs: str) -> Any:
    """Texts of documents: an ir_datasets id stays one; a file with a header or of JSON lines is read."""
    from ..data.forms import read_documents

    is_id = (
        not os.path.exists(docs)
        and '/' in docs
        and not docs.endswith(('.tsv', '.csv', '.jsonl', '.gz'))
    )
    return docs if is_id else read_documents(docs)


def files_of_scores(files: Sequence[str]) -> Any:
    """Files of scores, by measure if they have names of measures."""
    named = dict(each.split('=', 1) for each in files if '=' in each and not os.path.exists(each))
    if named and len(named) != len(files):
        raise click.UsageError(
            'either all or no files have the name of a measure: --scores AP=ap.csv --scores RR=rr.csv'
        )
    return named or list(files)


def scores(
    inputs: tuple[str, ...],
    optional_names: tuple[str, ...],
    files: tuple[str, ...],
    save_scores: str | None,
    missing: str,
    intents: str | None = None,
    jobs: int = 1,
    ties: str | None = None,
) -> Any:
    """Scores of runs, or of files."""
    from ..evaluation.evaluate import evaluate
    from ..evaluation.scores import Scores

    if files:
        if inputs or optional_names:
            raise click.UsageError(
                '--scores replaces QRELS, RUN and --measures: give one or the other'
            )
        scored = Scores.read(files_of_scores(files))
    else:
        if len(inputs) < 2 or not optional_names:
            raise click.UsageError("give QRELS, RUN and -m 'MEASURES', or --scores FILE")
        paths, judged = several_runs(inputs[1:]), judgments(inputs[0], intents)
        scored = evaluate(
            judged, paths, ' '.join(optional_names), missing=missing, jobs=jobs, ties=ties
        )
    if save_scores is not None:
        scored.write(save_scores, overwrite=forced())
    return scored


def pool(source: str, depth: int, groups: str | None) -> Any:
    """The pool of a file or of runs."""
    from ..pools.pool import Pool

    return Pool.of(source, depth, groups)


READERS: dict[str, Callable[..., Any]] = {
    'JudgedPool': lambda qrels, source, depth, groups: pool(source, depth, groups).over(
        judgments(qrels)
    ),
    'pool': pool,
    'self': pool,
    'scores': lambda inputs, optional_names, files, save_scores, missing: scores(
        inputs, optional_names, files, save_scores, missing
    ),
    'evaluated': lambda inputs, optional_names, files, intents, missing, jobs, ties: scores(
        inputs, optional_names, files, None, missing, intents, jobs, ties
    ),
    'qrels': lambda qrels: judgments(qrels),
    'path': lambda qrels: qrels,
    'judged': lambda qrels, intents: judgments(qrels, intents),
    'paths': lambda runs: several_runs(runs),
    'newcomers': lambda newcomers: several_runs(newcomers) or None,
    'compared': lambda baseline, inputs: system(baseline, several_runs(inputs[1:])),
    'docs': documents,
    'measures': lambda names: ' '.join(names),
    'correction': lambda correction: None if correction == 'none' else correction,
    'ranked_alphas': lambda alphas: sorted({0.0, *alphas}),
    'one_or_more': lambda sources: sources[0] if len(sources) == 1 else list(sources),
}
"""Readers by the parameter of a function, by its annotation, or by the name that a row gives."""
