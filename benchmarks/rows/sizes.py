"""Many systems in memory"""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np

import ir_divmeasures
from benchmarks.data import NDEVAL, anew, collection, parsed, run
from benchmarks.measuring import row
from ir_divmeasures import evaluate


@row(
    '126 systems, 50 × 1000, nine measures, judgments read',
    'ir_measures + pyndeval',
    turns=2,
    warm=False,
    cpu=15,
)
def many() -> Any:
    rng, theirs = np.random.default_rng(3), parsed(NDEVAL)
    qrels = collection(rng)
    few = [run(rng, share=0.25) for _ in range(6)]
    frames = {f's{i}': few[i % len(few)] for i in range(126)}

    def peer() -> None:
        evaluator = ir_measures.providers.registry['pyndeval'].evaluator(theirs, qrels)
        for frame in frames.values():
            evaluator.calc_aggregate(frame)

    return peer, anew(lambda: evaluate(qrels, frames, ir_divmeasures.measures(NDEVAL)))


@row('100 systems, 50 × 100, as DataFrames, five measures', turns=5, cpu_s=0.3)
def small() -> Any:
    rng = np.random.default_rng(3)
    qrels, frames = collection(rng), {f's{i}': run(rng, depth=100, share=0.3) for i in range(100)}
    return anew(lambda: evaluate(qrels, frames, 'alpha_nDCG@20 ERR_IA@20 StRecall@20 nDCG@20 AP'))
