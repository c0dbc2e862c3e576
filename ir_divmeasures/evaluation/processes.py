"""Worker processes, which start only where they save time."""

from __future__ import annotations

import itertools
import numbers
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import Message, warn
from ..io import runs as several
from .scoring import collecting

ENOUGH_SECONDS = 5.0
"""About how long the rest of the work takes at least where workers start, because their start takes 1 to 2 seconds."""

Task = Callable[[Iterable[tuple[str, Any]]], Iterable[Any]]
"""A function of runs by name that gives a result for each."""


def count_workers(jobs: Any) -> int:
    """The number of processes that ``jobs`` asks for; −1 means all cores.

    Raises:
        ValueError: no whole number, or 0.
    """
    import joblib

    if isinstance(jobs, bool) or not isinstance(jobs, numbers.Integral) or jobs == 0:
        raise ValueError(
            f'jobs={jobs!r}: expected a whole number that is not 0; -1 takes all cores'
        )
    return int(joblib.effective_n_jobs(jobs))


def in_processes(
    named: Iterator[tuple[str, Any]],
    total: int | None,
    task: Task,
    jobs: int,
    here: Task | None = None,
) -> Iterator[Any]:
    """Yield the results for each run, in order. Warnings of workers are given in this process.

    Args:
        named: runs by name.
        total: the number of runs, if it is known.
        task: a function that workers call, which can be pickled.
        jobs: the number of processes; −1 takes all cores.
        here: the function that this process calls, by default the same one.
    """
    import joblib

    n_workers, here = count_workers(jobs), here or task
    seen_messages: set[Message] = set()
    # All paths at once; of an iterator, which may contain runs in memory, some at a time.
    while pairs := list(itertools.islice(named, 4 * n_workers if total is None else total)):
        yield from here(_until_workers_pay(pairs, n_workers))
        parts = np.array_split(np.arange(len(pairs)), min(len(pairs), n_workers) or 1)
        tasks = (
            joblib.delayed(_in_worker)(task, [_portable_run(*pairs[place]) for place in part])
            for part in parts
            if len(part)
        )
        for results, messages in joblib.Parallel(n_jobs=jobs)(tasks) if pairs else ():
            yield from results
            for message in messages:
                if message not in seen_messages:
                    warn(*message)
                seen_messages.add(message)


def _until_workers_pay(pairs: list[tuple[str, Any]], n_workers: int) -> Iterator[tuple[str, Any]]:
    """Take runs from the front of a list until the rest would take so long that workers pay."""
    start, n, seconds = time.perf_counter(), 0, 0.0
    while pairs and not (n_workers > 1 and seconds * len(pairs) > ENOUGH_SECONDS):
        yield pairs.pop(0)
        n += 1
        seconds = (time.perf_counter() - start) / n  # on average, as several are scored together


def _portable_run(name: str, run: Any) -> tuple[str, Any]:
    """Return a run in a form that another process can read: an absolute path, or a run that was read."""
    if isinstance(run, (str, os.PathLike)):
        return name, os.path.abspath(run)  # a worker that is reused has its old working folder
    with several.of_system(name):
        return name, several.read(run)


def _in_worker(task: Task, part: list[tuple[str, Any]]) -> tuple[list[Any], list[Message]]:
    """Return the results for a part of the runs, and the warnings."""
    messages: list[Message] = []
    with collecting(messages):
        results = list(task(part))
    return results, messages
