"""One command, as users type it: whole processes with their start"""

from __future__ import annotations

import functools
import os
import pathlib

import numpy as np

from benchmarks.data import NDEVAL, collection, run, write
from benchmarks.measuring import Command, NotMeasuredError, files, row
from benchmarks.rows.startup import ours, theirs

ADHOC = 'nDCG AP P@20'
N_RUNS = 126


@functools.cache
def judgments(form: str) -> str:
    """A file of judgments, 50 queries × 300 documents × 6 subtopics (3.1 MB), or with one grade for each document."""

    def make(path: pathlib.Path) -> None:
        frame = collection(np.random.default_rng(1))
        if form == 'adhoc':
            frame = frame.groupby(['query_id', 'doc_id'], sort=False, as_index=False).max()
            frame['iteration'] = '0'
        columns = ['query_id', 'iteration', 'doc_id', 'relevance']
        frame[columns].to_csv(path, sep=' ', header=False, index=False)

    return str(files(f'process-{form}.qrels', make))


@functools.cache
def run_file() -> str:
    """The file of one run, 50 queries × 1000 documents (2.6 MB)."""
    return str(files('process.run', lambda path: write(run(np.random.default_rng(1)), path)))


@functools.cache
def folder() -> str:
    """A folder of 126 runs, 50 queries × 100 documents."""

    def make(path: pathlib.Path) -> None:
        path.mkdir()
        for number in range(N_RUNS):
            write(run(np.random.default_rng(number), depth=100), path / f'{number}.run')

    return str(files('process-runs', make))


def program(variable: str, *arguments: str, runs: str) -> Command:
    """A program written in C, whose path the environment names, on one run after the other."""
    if variable not in os.environ:
        raise NotMeasuredError(
            f'pass the path of the program: --{variable.lower().replace("_", "-")} PATH'
        )
    loop = 'qrels=$1; shift; for run in $RUNS; do "$@" "$qrels" "$run" > /dev/null; done'
    paths = f'{runs}/*' if pathlib.Path(runs).is_dir() else runs
    words = [
        'sh',
        '-c',
        f'RUNS="{paths}"; {loop}',
        'sh',
        judgments('ndeval' if variable == 'NDEVAL' else 'adhoc'),
    ]
    return Command([*words, os.environ[variable], *arguments])


@row('one run of 2.6 MB, nine measures of ndeval', 'the command ir_measures', turns=9, cpu=1 / 0.6)
def one_run() -> tuple[Command, Command]:
    arguments = [judgments('ndeval'), run_file(), *NDEVAL.split()]
    return theirs(*arguments), ours(*arguments)


@row(f'one run of 2.6 MB, {ADHOC}', 'the command ir_measures', turns=9, cpu=1)
def one_run_adhoc() -> tuple[Command, Command]:
    arguments = [judgments('adhoc'), run_file(), *ADHOC.split()]
    return theirs(*arguments), ours(*arguments)


@row('one run of 2.6 MB, nine measures of ndeval', 'ndeval program', turns=9, cpu=0.2)
def one_run_ndeval() -> tuple[Command, Command]:
    peer = program('NDEVAL', '-traditional', '-c', runs=run_file())
    return peer, ours(judgments('ndeval'), run_file(), *NDEVAL.split())


@row(f'one run of 2.6 MB, {ADHOC}', 'trec_eval program', turns=9, cpu=0.1)
def one_run_trec_eval() -> tuple[Command, Command]:
    peer = program('TREC_EVAL', '-m', 'ndcg', '-m', 'map', '-m', 'P.20', runs=run_file())
    return peer, ours(judgments('adhoc'), run_file(), *ADHOC.split())


@row(
    f'{N_RUNS} runs of 50 × 100, nine measures of ndeval',
    f'ndeval program × {N_RUNS}',
    turns=5,
    cpu=1,
)
def many_runs_ndeval() -> tuple[Command, Command]:
    peer = program('NDEVAL', '-traditional', '-c', runs=folder())
    return peer, ours('evaluate', judgments('ndeval'), folder(), '-m', NDEVAL)


@row(f'{N_RUNS} runs of 50 × 100, {ADHOC}', f'trec_eval program × {N_RUNS}', turns=5, cpu=1)
def many_runs_trec_eval() -> tuple[Command, Command]:
    peer = program('TREC_EVAL', '-m', 'ndcg', '-m', 'map', '-m', 'P.20', runs=folder())
    return peer, ours('evaluate', judgments('adhoc'), folder(), '-m', ADHOC)
