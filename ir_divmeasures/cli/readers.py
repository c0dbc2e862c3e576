"""What functions take and users cannot type: judgments, runs, scores and pools, read from what they type.

Each reader has the parameters that the user types; they are entries of the table of options.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import click

from .options import forced


def judgments(qrels: str, intents: str | None = None, format: str | None = None) -> Any:
    """Judgments of a file or an ir_datasets id."""
    from ..judgments.qrels import read_qrels
    from ..judgments.table import Judgments

    if intents is None:  # not as a DataFrame, so that pandas is imported only where one is needed
        return Judgments.of(qrels, format)
    return read_qrels(qrels, format=format, intents=intents)


def several_runs(runs: Iterable[str]) -> list[str]:
    """The files of paths, folders and patterns. Each path in the order given, of one of the latter by name."""
    from ..io.files import files

    return list(dict.fromkeys(path for given in runs for path in files(given)))


def is_run(text: str) -> bool:
    """Whether an argument is rather a run than a measure: a path that exists, or a pattern."""
    return (
        os.path.exists(text)
        or bool(re.search(r'[*?]', text))
        or text.endswith(('.run', '.gz', '.txt'))
    )


def system(baseline: str | None, paths: list[str]) -> str | None:
    """The name of a system, where its file may be given instead."""
    from ..io.runs import named

    return next((name for name, path in named(paths)[0] if path == baseline), baseline)


def documents(docs: str) -> Any:
    """Texts of documents: an ir_datasets id stays one; a file with a header or of JSON lines is read."""
    from ..io.document_files import read_documents

    is_id = (
        not os.path.exists(docs)
        and '/' in docs
        and not docs.endswith(('.tsv', '.csv', '.jsonl', '.gz'))
    )
    return docs if is_id else read_documents(docs)


def labelled_scores(cells: tuple[str, ...]) -> Any:
    """Scores by their labels, from files."""
    from ..evaluation.scores import Scores

    if not cells or not all('=' in each for each in cells):
        raise click.UsageError('--cell takes labels and a file: --cell judge1,bank1=scores.csv')
    pairs = (each.split('=', 1) for each in cells)
    return {tuple(labels.split(',')): Scores.read(path) for labels, path in pairs}


def scores(
    inputs: tuple[str, ...],
    optional_names: tuple[str, ...],
    files: tuple[str, ...],
    save_scores: str | None,
    missing: str,
) -> Any:
    """Scores of runs, or of files."""
    from ..evaluation.scores import Scores

    if files:
        if inputs or optional_names:
            raise click.UsageError(
                '--scores replaces QRELS, RUN and --measures: give one or the other'
            )
        named = dict(each.split('=', 1) for each in files if '=' in each)
        if named and len(named) != len(files) or len(files) > 1 and not named:
            raise click.UsageError(
                'several files of scores need names: --scores AP=ap.csv --scores RR=rr.csv'
            )
        scored = Scores.read(named or files[0])
    else:
        if len(inputs) < 2 or not optional_names:
            raise click.UsageError("give QRELS, RUN and -m 'MEASURES', or --scores FILE")
        scored = evaluated(inputs[0], inputs[1:], optional_names, None, missing)
    if save_scores is not None:
        scored.write(save_scores, overwrite=forced())
    return scored


def evaluated(
    qrels: str,
    runs: Iterable[str],
    names: Iterable[str],
    intents: str | None,
    missing: str,
    jobs: int = 1,
) -> Any:
    """Scores of runs."""
    from ..evaluation.evaluate import evaluate

    paths, judged = several_runs(runs), judgments(qrels, intents)
    return evaluate(paths, judged, ' '.join(names), missing=missing, jobs=jobs)


def pool(source: str, depth: int, groups: str | None) -> Any:
    """The pool of a file or of runs."""
    from ..pools.pool import Pool

    return Pool.of(source, depth, groups)


READERS: dict[str, Callable[..., Any]] = {
    'JudgedPool': lambda qrels, source, depth, groups: pool(source, depth, groups).over(
        judgments(qrels)
    ),
    'pool': pool,
    'scores': scores,
    'cells': labelled_scores,
    'facets': lambda facets: facets.split(','),
    'evaluated': evaluated,
    'qrels': lambda qrels: judgments(qrels),
    'path': lambda qrels: qrels,
    'formatted': lambda qrels, format, intents: (qrels, judgments(qrels, intents, format)),
    'judged': lambda qrels, intents: judgments(qrels, intents),
    'truth': lambda truth: judgments(truth),
    'paths': lambda runs: several_runs(runs),
    'newcomers': lambda newcomers: several_runs(newcomers) or None,
    'system': lambda baseline, runs: system(baseline, several_runs(runs)),
    'docs': documents,
    'optional_docs': lambda optional_docs: documents(optional_docs),
    'measures': lambda names: ' '.join(names),
    'correction': lambda correction: None if correction == 'none' else correction,
    'ranked_alphas': lambda alphas: sorted({0.0, *alphas}),
    'one_or_more': lambda sources: sources[0] if len(sources) == 1 else list(sources),
}
"""Readers by the parameter of a function, by its annotation, or by the name that a row gives."""

__all__ = ['READERS', 'documents', 'is_run', 'judgments', 'several_runs']
