"""Score the runs of systems one after the other, in one process or in several, and keep what is to be said of each."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data import runs as several
from ..data.judgments import Judgments
from ..errors import Message, collecting
from .checks import EXAMPLES
from .provider import Evaluator

AT_ONCE = 16
"""The number of runs that a worker gets, if it is not known how many there are."""


class System(NamedTuple):
    """A system that was scored.

    Attributes:
        name: its name.
        values: its scores, (queries, measures), 0 on queries that it lacks.
        present: which queries it has, (queries,).
        messages: the warnings about it.
        unjudged: the first queries of its run without judgments.
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    messages: list[Message]
    unjudged: list[str]


def score_system(name: str, source: Any, evaluator: Evaluator, measures: list[Any]) -> System:
    """Score a run by these measures, in this order. Errors name the system."""
    messages: list[Message] = []
    with several.of_system(name), collecting(messages):
        overlay, values = evaluator.score(several.read(source))
    return System(
        name,
        np.column_stack([values[measure] for measure in measures]),
        overlay.located().n > 0,
        messages,
        list(overlay.unjudged[:EXAMPLES]),
    )


def score_systems(
    pairs: Iterable[tuple[str, Any]],
    total: int | None,
    measures: list[Any],
    judgments: Judgments,
    jobs: int = 1,
    ties: str | None = None,
) -> Iterator[System]:
    """Score each system. The warnings about the judgments are given here.

    Args:
        pairs: runs by name.
        total: the number of runs, if it is known.
        measures: measures.
        judgments: judgments of some query.
        jobs: the number of processes; −1 takes all cores.
        ties: as for :func:`~ir_divmeasures.evaluate`.
    """
    n_workers = count_workers(jobs)
    evaluator = Evaluator(measures, judgments, about_missing=False, ties=ties)
    if n_workers == 1:
        for name, source in pairs:
            yield score_system(name, source, evaluator, measures)
        return
    import joblib

    size = AT_ONCE if total is None else -(-total // n_workers)
    pairs = iter(pairs)
    tasks = (
        joblib.delayed(_score_part)(measures, judgments, ties, part)
        for part in iter(
            lambda: [_portable_run(*each) for each in itertools.islice(pairs, size)], []
        )
    )
    for systems in joblib.Parallel(n_jobs=n_workers, return_as='generator')(tasks):
        yield from systems


def count_workers(jobs: Any) -> int:
    """The number of processes that ``jobs`` asks for; −1 means all cores.

    Raises:
        ValueError: no whole number, or 0.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)) or jobs == 0:
        raise ValueError(
            f'jobs={jobs!r}: expected a whole number that is not 0; -1 takes all cores'
        )
    if jobs == 1:
        return 1
    import joblib

    return int(joblib.effective_n_jobs(int(jobs)))


def _score_part(
    measures: list[Any], judgments: Judgments, ties: str | None, part: list[tuple[str, Any]]
) -> list[System]:
    """Score some runs in a worker. The warnings about the judgments were given before."""
    evaluator = Evaluator(measures, judgments, warn=False, about_missing=False, ties=ties)
    return [score_system(name, source, evaluator, measures) for name, source in part]


def _portable_run(name: str, run: Any) -> tuple[str, Any]:
    """Return a run in a form that another process can read: an absolute path, or a run that was read."""
    if isinstance(run, (str, os.PathLike)):
        return name, os.path.abspath(run)  # a worker that is reused has its old working folder
    with several.of_system(name):
        return name, several.read(run)
