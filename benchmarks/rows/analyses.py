"""Axioms, and the page of a campaign"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

import ir_divmeasures
from benchmarks.data import collection, run
from benchmarks.measuring import row
from ir_divmeasures import axioms, evaluate

REPORTED = 'RBU@20 alpha_nDCG@20 ERR_IA@20 StRecall@20'


@row('axioms.table()', turns=3, cpu_s=5.0)
def axioms_table() -> Any:
    return lambda: axioms.table()


@row('leaderboard of 126 systems × 50 × 100', 'evaluate', turns=3, cpu=1 / 3)
def board() -> Any:
    rng = np.random.default_rng(1)
    qrels = collection(rng)
    runs = {f's{i}': run(rng, depth=100, share=0.3) for i in range(126)}
    path = f'{tempfile.mkdtemp()}/index.html'
    return (
        lambda: evaluate(qrels, runs, REPORTED),
        lambda: ir_divmeasures.leaderboard(qrels, runs, REPORTED).write(path, overwrite=True),
    )
