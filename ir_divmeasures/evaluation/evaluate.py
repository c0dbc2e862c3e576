"""From runs, judgments and measures to scores: ``evaluate``."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import warn
from ..io import runs
from ..judgments.table import Judgments
from ..registry import measures as parse_all
from .provider import Evaluator
from .scores import Scores, check_missing, lacking, some


def evaluate(runs: Any, qrels: Any, measures: str | Iterable[Any], *, missing: str = 'zero', jobs: int = 1) -> Scores:
    """Score every system on every query with every measure.

    A run is read while the one before it is scored; no more are in memory (per worker). A progress bar shows on a
    terminal.

    Args:
        runs: run files as for :func:`ir_divmeasures.read_runs` (a folder, a pattern, or paths; ``.gz`` too), or
            ``{system: run}`` with runs in any form that ir_measures or PyTerrier uses (path, DataFrame, dict).
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measures: as :func:`ir_divmeasures.measures` takes them, ours and any that ir_measures can compute.
        missing: what to do with judged queries that a run lacks. ``'zero'``: 0 by definition, with one warning;
            ``'drop'``: only queries that all runs have; ``'raise'``: an error
            unless all runs have all judged queries.
        jobs: so many processes (needs joblib); −1 takes all cores. Scores do not depend on it.

    Returns:
        :class:`Scores`, systems in the order given (files by name), queries in the order of the judgments.

    Raises:
        FileNotFoundError, TypeError, ValueError: no runs, a file or frame that is not a run (names it), a system
            twice, unknown measures, judgments that cannot be used.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> evaluate({'a': {'q': {'d1': 2.0, 'd2': 1.0}}, 'b': {'q': {'d1': 1.0}}}, qrels, 'StRecall@2').means()
        measure  StRecall@2
        system             
        a               1.0
        b               0.5
    """  # noqa: W291
    check_missing(missing)
    asked = parse_all(measures)
    if not asked:
        raise ValueError('no measures')
    named = _runs(runs)
    judged = Judgments.of(qrels)
    queries = judged.query_ids
    if not queries:
        raise ValueError('the judgments are empty: no query to score')
    values = np.empty((len(named), len(queries), len(asked)))
    present = np.empty((len(named), len(queries)), dtype=bool)
    with _progress(len(named)) as bar:
        for place, (scored, found) in _scored(named, judged, asked, queries, jobs):
            values[place], present[place] = scored, found
            bar.update(len(place))
    values, queries = _without_missing(values, present, [name for name, _ in named], queries, missing)
    return Scores(values, tuple(name for name, _ in named), tuple(queries), tuple(str(m) for m in asked))


def _runs(source: Any) -> list[tuple[str, Any]]:
    """(system, run) pairs; files are not read yet."""
    if isinstance(source, Mapping):
        named = [(str(name), run) for name, run in source.items()]
        names = [name for name, _ in named]
        if len(set(names)) < len(names):
            raise ValueError(f'two runs are called {next(n for n in names if names.count(n) > 1)!r}')
    elif isinstance(source, (str, os.PathLike)) or (
            isinstance(source, Iterable) and not hasattr(source, 'columns')):
        files = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        if not all(isinstance(f, (str, os.PathLike)) for f in files):
            odd = next(f for f in files if not isinstance(f, (str, os.PathLike)))
            raise TypeError(f'runs: expected paths, found {type(odd).__name__}; runs in memory go as {{system: run}}')
        named = list(runs.run_paths(source if isinstance(source, (str, os.PathLike)) else files).items())
    else:
        raise TypeError(f'runs: expected a folder, files or {{system: run}}, found {type(source).__name__}')
    if not named:
        raise ValueError(f'no runs in {source!r}')
    return named


def _scored(named: list[tuple[str, Any]], judged: Judgments, measures: list[Any], queries: list[str], jobs: int) -> Any:
    """Yields (places of the runs, (their values, which queries they have))."""
    if jobs == 1:
        for place, (values, present) in enumerate(_score_runs(named, judged, measures, queries)):
            yield [place], (values[None], present[None])
        return
    import joblib

    parallel = joblib.Parallel(n_jobs=jobs)
    n_parts = min(len(named), 4 * joblib.effective_n_jobs(jobs))
    parts = [part.tolist() for part in np.array_split(np.arange(len(named)), n_parts)]
    tasks = (joblib.delayed(_score_part)([named[i] for i in part], judged, measures, queries) for part in parts)
    yield from zip(parts, parallel(tasks))


def _score_part(part: list[tuple[str, Any]], judged: Judgments, measures: list[Any], queries: list[str]) -> Any:
    values, present = zip(*_score_runs(part, judged, measures, queries))
    return np.stack(values), np.stack(present)


def _score_runs(part: list[tuple[str, Any]], judged: Judgments, measures: list[Any], queries: list[str]) -> Any:
    """For each run its values (queries, measures), and which queries it has (queries,)."""
    evaluator = Evaluator(measures, judged)
    column = {str(m): i for i, m in enumerate(measures)}
    row = {query: q for q, query in enumerate(queries)}
    for name, get in runs.loaded_ahead(dict(part), runs.tidy):
        values = np.zeros((len(queries), len(measures)))
        present = np.zeros(len(queries), dtype=bool)
        try:
            frame = get()
            found = [row[query] for query in frame['query_id'].unique() if query in row]
            present[found] = True
            if found:  # else every score is 0
                for metric in evaluator.iter_calc(frame):
                    values[row[metric.query_id], column[str(metric.measure)]] = metric.value
        except (ValueError, TypeError) as error:
            raise type(error)(f'system {name!r}: {error}') from None
        yield values, present


def _without_missing(values: Any, present: Any, systems: list[str], queries: list[str], missing: str) -> Any:
    if missing == 'drop':
        kept = present.all(axis=0)
        if not kept.any():
            raise ValueError(f'no judged query is in all runs: {lacking(present, systems, queries)}')
        return values[:, kept], [q for q, keep in zip(queries, kept) if keep]
    if missing == 'raise' and not present.all():
        raise ValueError(f"{lacking(present, systems, queries, 'that are judged')}. missing='zero' scores them 0, "
                         f"missing='drop' leaves those queries out for all systems")
    if not present.any():
        raise ValueError(f'no run has any of the {len(queries)} judged queries ({", ".join(queries[:3])}, …)')
    if not present.all():
        nowhere = [q for q, found in zip(queries, present.any(axis=0)) if not found]
        told = [f'{len(nowhere)} of {len(queries)} judged queries are in no run ({some(nowhere)})'] if nowhere else []
        left = present[:, present.any(axis=0)]
        if not left.all():
            told.append(lacking(left, systems, [q for q in queries if q not in set(nowhere)]))
        warn(f"{'; '.join(told)}. They are scored 0; missing='drop' leaves them out.")
    return values, queries


def _progress(total: int) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc='runs', unit='run', disable=None)
