"""Runs the tests on mutants, several at a time, each in a process of its own."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .operators import Mutant

ROOT = pathlib.Path(__file__).parents[2]
HEAVY = (
    'numpy',
    'pandas',
    'pyarrow.compute',
    'scipy.stats',
    'scipy.optimize',
    'ir_measures',
    'ir_datasets',
    'pytest',
    'hypothesis',
    'jinja2',
    'lxml.etree',
    'joblib',
    'click',
    'yaml',
    'matplotlib.pyplot',
)
"""What every test imports: it is imported once, before processes are forked. Nothing here may import the package."""


class Task(NamedTuple):
    """A mutant of a module and the test files that are to notice it; without a mutant the code as it is."""

    module: pathlib.Path
    mutant: Mutant | None
    tests: tuple[str, ...]


class Outcome(NamedTuple):
    """What the tests said: ``killed``, ``survived`` or ``timeout`` (which counts as killed), in how many seconds, and
    the end of what they wrote."""

    task: Task
    verdict: str
    seconds: float
    output: str


def copy_project(target: pathlib.Path) -> pathlib.Path:
    """A copy of the project in which mutants can be written."""
    hidden = shutil.ignore_patterns('.git', '.venv', '.*_cache', '.hypothesis', 'build', 'dist')
    shutil.copytree(ROOT, target, ignore=hidden, symlinks=True)
    return target


def outcomes(
    tasks: Sequence[Task], copies: Sequence[pathlib.Path], limit: float
) -> Iterator[Outcome]:
    """Each task with its outcome, as they end; as many at a time as there are copies of the project.

    Processes are forked after the imports of :data:`HEAVY`, so that a mutant costs its tests and little more.
    """
    for name in HEAVY:
        importlib.import_module(name)
    if 'ir_divmeasures' in sys.modules:
        raise RuntimeError('ir_divmeasures is imported already: its mutants would not be')
    context = multiprocessing.get_context('fork')
    waiting, free, running = list(tasks)[::-1], list(copies), {}
    try:
        while waiting or running:
            while waiting and free:
                task, copy = waiting.pop(), free.pop()
                process = context.Process(target=_test, args=(task, copy))
                process.start()
                running[process.sentinel] = process, task, copy, time.monotonic()
            ended = multiprocessing.connection.wait(list(running), timeout=1)
            for sentinel, (process, task, copy, begin) in list(running.items()):
                seconds = time.monotonic() - begin
                if sentinel not in ended and seconds < limit:
                    continue
                if sentinel not in ended:
                    os.killpg(process.pid, 9)
                process.join()
                del running[sentinel]
                shutil.copy2(ROOT / task.module, copy / task.module)
                free.append(copy)
                verdict = (
                    'timeout'
                    if sentinel not in ended
                    else 'killed'
                    if process.exitcode
                    else 'survived'
                )
                yield Outcome(
                    task,
                    verdict,
                    seconds,
                    (copy / 'output.txt').read_text(errors='replace')[-3000:],
                )
    finally:  # interrupted
        for process, *_ in running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)


def _test(task: Task, copy: pathlib.Path) -> None:
    """Ends the process: with 0 if all tests pass."""
    import pytest

    os.setpgid(0, 0)  # what the tests start ends with them
    for output in (1, 2):
        os.dup2(os.open(copy / 'output.txt', os.O_WRONLY | os.O_CREAT | os.O_TRUNC), output)
    os.chdir(copy)
    if task.mutant is not None:
        (copy / task.module).write_text(
            task.mutant.source((ROOT / task.module).read_text(encoding='utf-8')), encoding='utf-8'
        )
        sys.dont_write_bytecode = True  # files written within one second could share their bytecode
        os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
        os.utime(copy / task.module, (0, 0))
    os.environ['PYTHONPATH'] = str(copy)
    sys.path[:] = [str(copy), *(each for each in sys.path if each not in ('', str(ROOT)))]
    for name in [name for name in sys.modules if name.split('.')[0] == 'tests']:
        del sys.modules[name]
    options = [
        '-x',
        '-q',
        '--assert=plain',
        '-p',
        'no:cacheprovider',
        '-p',
        'no:xdist',
        '--hypothesis-seed=0',
    ]
    # One file after the other: those after the first that fails are not even collected.
    failed = any(pytest.main([*options, file]) for file in task.tests)
    sys.stdout.flush()
    os._exit(int(failed))
