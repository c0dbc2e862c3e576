"""Worker processes: whether to start them, forks of this process, and how other workers receive the judgments."""

from __future__ import annotations

import multiprocessing
import numbers
import os
import pickle
import signal
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

FORK_SECONDS, START_SECONDS, KEPT_SECONDS = 0.2, 3.0, 300.0
"""About how long it takes to start workers that are forks of this process, and ones that import everything anew.
joblib keeps the latter for so long after their last task."""
CORES = 1.45
"""About how many cores this process uses without workers, because it reads the next file while it scores a run."""

_held = threading.local()
_last_used = -KEPT_SECONDS
_forked: tuple[Callable[[Any], Any], list[Any]] | None = None


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


def is_backend_chosen() -> bool:
    """Whether joblib was told to use other workers than its own processes (``joblib.parallel_config``)."""
    import joblib

    return type(joblib.parallel.get_active_backend()[0]).__name__ != 'LokyBackend'


def can_fork() -> bool:
    """Whether workers can be forks of this process, which have its judgments and modules from the start.

    On Linux, unless joblib was told to use other workers, and while no other thread of Python runs: it might have a
    lock that the fork would wait for. The thread of a progress bar has none.
    """
    return (
        sys.platform == 'linux'
        and not is_backend_chosen()
        and all(
            thread is threading.current_thread() or type(thread).__name__ == 'TMonitor'
            for thread in threading.enumerate()
        )
    )


def are_worth_it(seconds: float, n_workers: int) -> bool:
    """Whether workers save more time than their start takes.

    Args:
        seconds: how long the work takes in this process.
        n_workers: the number of workers.
    """
    start = (
        FORK_SECONDS
        if can_fork()
        else START_SECONDS
        if time.monotonic() - _last_used > KEPT_SECONDS
        else FORK_SECONDS
    )
    return n_workers > 1 and (is_backend_chosen() or seconds * (1 - CORES / n_workers) > start)


def were_used() -> None:
    """Record that joblib's workers run."""
    global _last_used
    _last_used = time.monotonic()


def in_forks(function: Callable[[Any], Any], items: list[Any], n_workers: int) -> Iterator[Any]:
    """What a function gives for each item, in order, from forks of this process. Results are pickled, the function and
    the items are not. If something stops this process's work, such as Ctrl-C, the forks end at once.

    Raises:
        concurrent.futures.process.BrokenProcessPool: a worker was killed.
    """
    from concurrent.futures import ProcessPoolExecutor

    global _forked
    _forked = function, items
    others = multiprocessing.active_children()
    try:
        with ProcessPoolExecutor(
            min(n_workers, len(items)),
            multiprocessing.get_context('fork'),
            initializer=_follow_parent,
        ) as pool:
            try:
                with (
                    warnings.catch_warnings()
                ):  # Arrow's and BLAS's threads, which Python warns of, are made for forks
                    warnings.simplefilter('ignore', DeprecationWarning)
                    results = [pool.submit(_of_item, place) for place in range(len(items))]
                for result in results:
                    yield result.result()
            except BaseException:
                # The pool would wait for the tasks that its processes have, and for those that they have queued.
                # No task is cancelled, because the pool's thread fails to report the end of its processes to such a
                # task.
                for process in multiprocessing.active_children():
                    if process not in others:
                        process.terminate()
                raise
    finally:
        _forked = None


def _follow_parent() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the parent of this fork, and end when the parent does.

    A fork whose parent was killed would wait for its next item forever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _of_item(place: int) -> Any:
    """What the function gives for an item, in a fork."""
    assert _forked is not None
    function, items = _forked
    return function(items[place])


class Shared:
    """A value to send to workers. Each worker computes one object from it, once.

    It is pickled when this object is made, its arrays apart (pickle protocol 5). joblib sends arrays of more than 1 MB
    as files that all processes of a machine map, so that such an array is in memory once.

    Args:
        value: what to share. Workers must not write into its arrays.
        make: a function of the value that can be pickled. Each worker calls it once, for all of its tasks.
    """

    def __init__(self, value: Any, make: Callable[[Any], Any]):
        arrays: list[pickle.PickleBuffer] = []
        # An array too, for joblib.
        self._data: Any = np.frombuffer(
            pickle.dumps(value, protocol=5, buffer_callback=arrays.append), np.uint8
        )
        self._arrays = [np.asarray(array.raw()) for array in arrays]
        self._make, self._key = make, uuid.uuid4().hex

    def load(self) -> Any:
        """Return the result of ``make`` in this worker. Each thread keeps the latest result."""
        if getattr(_held, 'key', None) != self._key:
            _held.key, _held.value = None, None
            _held.value = self._make(pickle.loads(self._data, buffers=self._arrays))
            _held.key = self._key
        return _held.value


__all__ = ['Shared', 'are_worth_it', 'can_fork', 'count_workers', 'in_forks', 'were_used']
