"""Peak memory of a process, with the data it works on"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.data import NDEVAL, collection, run
from benchmarks.measuring import row


@row('100,000 queries × 20, one call', turns=2, isolated=True, mib=1200)
def queries() -> Any:
    import ir_measures

    import ir_divmeasures

    rng = np.random.default_rng(5)
    qrels, frame = collection(rng, 100_000, 10, 3), run(rng, 100_000, 20, 10, 0.25)
    return lambda: ir_measures.calc_aggregate(ir_divmeasures.measures(NDEVAL), qrels, frame)


@row('126 systems, 50 × 1000', turns=2, isolated=True, mib=256)
def systems() -> Any:
    from ir_divmeasures import evaluate

    rng = np.random.default_rng(5)
    qrels, frame = collection(rng), run(rng)
    return lambda: evaluate(qrels, {f's{i}': frame for i in range(126)}, NDEVAL)


@row('100 subtopics, 50 × 1000, one call', turns=2, isolated=True, mib=600)
def subtopics() -> Any:
    import ir_measures

    import ir_divmeasures

    rng = np.random.default_rng(5)
    qrels, frame = collection(rng, subtopics=100), run(rng)
    return lambda: ir_measures.calc_aggregate(ir_divmeasures.measures(NDEVAL), qrels, frame)


@row('bootstrap, 126 × 50, B = 100,000', turns=2, isolated=True, mib=1024)
def bootstrap() -> Any:
    from ir_divmeasures import Scores, meta

    scores = Scores(np.random.default_rng(5).random((126, 50, 1)))
    return lambda: meta.discriminative_power(
        scores, 'bootstrap', correction=None, n_resamples=100_000, rng=0
    )
