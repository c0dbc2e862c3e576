"""Runs the tests on mutants, each in a copy of the project."""

import concurrent.futures
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
from typing import NamedTuple

from .operators import Mutant

ROOT = pathlib.Path(__file__).parents[2]
PYTEST = '-m pytest -x -q --assert=plain -p no:cacheprovider -p no:xdist --hypothesis-seed=0'
NO_TESTS = 5
"""The exit code of pytest for a file whose tests are all slow."""


class Task(NamedTuple):
    """A mutant of a module and the test files that are to notice it."""

    module: pathlib.Path
    mutant: Mutant
    tests: tuple[str, ...]


def outcomes(tasks, processes, limit, folder):
    """Each task with ``killed``, ``survived`` or ``timeout`` (which counts as killed), as they end."""
    copies = queue.Queue()
    hidden = shutil.ignore_patterns('.git', '.venv', '.*_cache', '.hypothesis', 'build', 'dist')
    for number in range(processes):
        copies.put(shutil.copytree(ROOT, folder / str(number), ignore=hidden, symlinks=True))

    def run(task):
        copy = copies.get()
        original = (ROOT / task.module).read_text(encoding='utf-8')
        (copy / task.module).write_text(task.mutant.source(original), encoding='utf-8')
        try:
            return _verdict(task.tests, copy, limit)
        finally:
            shutil.copy2(ROOT / task.module, copy / task.module)
            copies.put(copy)

    with concurrent.futures.ThreadPoolExecutor(processes) as threads:
        running = {threads.submit(run, task): task for task in tasks}
        for ended in concurrent.futures.as_completed(running):
            yield running[ended], ended.result()


def _verdict(tests, copy, limit):
    """One file after the other: those after the first that fails are not even collected."""
    for test in tests:
        process = subprocess.Popen(
            [sys.executable, '-B', *PYTEST.split(), test],
            cwd=copy,
            env={**os.environ, 'PYTHONPATH': str(copy)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            if process.wait(limit) not in (0, NO_TESTS):
                return 'killed'
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and what the tests started
            process.wait()
            return 'timeout'
    return 'survived'
