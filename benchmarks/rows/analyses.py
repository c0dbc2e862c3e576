"""Analyses, compared with the package at an earlier commit or with evaluate"""

from __future__ import annotations

import functools
import inspect
import tempfile
from typing import Any

import numpy as np
import pandas as pd

import ir_divmeasures
from benchmarks.data import collection, run
from benchmarks.measuring import BEFORE, row
from ir_divmeasures import Scores, axioms, bounds, evaluate, meta

REPORTED = 'RBU@20 alpha_nDCG@20 ERR_IA@20 StRecall@20'
BOUNDED = 'RBU@20 alpha_DCG@20 ERR_IA@20 alpha_DCG@10'


def drawn(systems: int, depth: int, share: float) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Judgments of 50 queries, and runs by system."""
    rng = np.random.default_rng(1)
    return collection(rng), {f's{i}': run(rng, depth=depth, share=share) for i in range(systems)}


@functools.cache
def scores() -> Scores:
    """126 systems × 50 queries × 20 measures: systems and queries differ, measures correlate."""
    rng = np.random.default_rng(0)
    values = (
        0.4
        + rng.normal(0, 0.08, (126, 1, 1))
        + rng.normal(0, 0.15, (1, 50, 1))
        + rng.normal(0, 0.12, (126, 50, 1))
        + rng.normal(0, 0.06, (126, 50, 20))
    )
    return Scores(values.clip(0, 1))


@row('axioms.table(), first call', BEFORE, turns=1, cpu=5)
def table() -> Any:
    return lambda: axioms.table()


@row('axioms.table(), second call', turns=3, cpu_s=0.05)
def table_again() -> Any:
    return lambda: axioms.table()


@row('report of 126 systems × 50 × 100', 'evaluate', turns=3, cpu=1 / 3)
def board() -> Any:
    qrels, runs = drawn(126, 100, 0.3)
    path = f'{tempfile.mkdtemp()}/index.html'
    return (
        lambda: evaluate(runs, qrels, REPORTED),
        lambda: ir_divmeasures.leaderboard(runs, qrels, REPORTED).write(path, overwrite=True),
    )


@row('bounds, 10 runs × 50 × 1000, 4 measures', BEFORE, turns=3, cpu=5)
def bounds_of_runs() -> Any:
    qrels, runs = drawn(10, 1000, 0.1)
    return lambda: bounds(runs, qrels, BOUNDED)


@row('discriminative_power, bootstrap, 126 × 50 × 20', BEFORE, turns=3, cpu=3)
def bootstrap() -> Any:
    values = scores()
    return lambda: meta.discriminative_power(values, 'bootstrap', correction=None, rng=0)


@row('meta.overview, 126 × 50 × 20', BEFORE, turns=3, cpu=3)
def overview() -> Any:
    values = scores()
    return lambda: meta.overview(values, rng=0)


@row(
    'resample_judges, 200 resamples, 10 runs, 3 judges × 150,000 judgments', BEFORE, turns=1, cpu=15
)
def judges() -> Any:
    rng = np.random.default_rng(1)
    qrels = collection(rng, queries=50, judged=500).rename(columns={'iteration': 'subtopic_id'})
    records = pd.concat(
        [
            qrels.assign(judge=judge, relevance=rng.permutation(qrels['relevance'].to_numpy()))
            for judge in 'abc'
        ],
        ignore_index=True,
    )
    runs = {f's{i}': run(rng, depth=100, judged=500, share=0.5) for i in range(10)}

    def measured() -> Any:
        home = getattr(ir_divmeasures, 'quality', ir_divmeasures)  # before, at the top level
        resample = home.resample_judges
        first = (
            (records, runs)
            if 'judgments' in inspect.signature(resample).parameters
            else (runs, records)
        )
        return resample(*first, 'alpha_nDCG@20', n_resamples=200, rng=0)

    return measured


@row('sensitivity, RBU, 24 systems × 50 × 1000, 10,000 settings', turns=1, warm=False, cpu_s=5)
def sensitivity_of_rbu() -> Any:
    qrels, runs = drawn(24, 1000, 0.1)
    p, e = np.linspace(0.01, 0.99, 100), np.linspace(0, 0.2, 100)
    return lambda: ir_divmeasures.sensitivity(runs, qrels, 'RBU@20', p=p, e=e, rng=0)


@row(
    'sensitivity, UM(P=RBP), 24 systems × 50 × 1000, 10,000 settings', turns=1, warm=False, cpu_s=5
)
def sensitivity_of_user_models() -> Any:
    qrels, runs = drawn(24, 1000, 0.1)
    return lambda: ir_divmeasures.sensitivity(
        runs, qrels, "UM(P='RBP')@20", theta=np.linspace(0.01, 0.99, 10_000), rng=0
    )


@row(
    'sensitivity, alpha_nDCG, 24 systems × 50 × 1000, 1,000 settings', turns=1, warm=False, cpu_s=6
)
def sensitivity_of_ideals() -> Any:
    qrels, runs = drawn(24, 1000, 0.1)
    return lambda: ir_divmeasures.sensitivity(
        runs, qrels, 'alpha_nDCG@20', alpha=np.linspace(0, 1, 1000), rng=0
    )


@row('sensitivity, CubeTest, 24 systems × 50 × 1000, 1,000 settings', turns=1, warm=False, cpu_s=6)
def sensitivity_of_cubes() -> Any:
    qrels, runs = drawn(24, 1000, 0.1)
    return lambda: ir_divmeasures.sensitivity(
        runs,
        qrels,
        'CubeTest@20',
        gamma=np.linspace(0, 1, 100),
        max_height=np.linspace(1, 10, 10),
        rng=0,
    )
