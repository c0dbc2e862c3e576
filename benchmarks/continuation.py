"""C/W/L: all functions and all user models at three cutoffs, and cwl_eval on the functions that both have.

    python benchmarks/continuation.py

30 runs × 50 queries × 1000 documents, 500 judged documents a query. cwl_eval is given gains and costs in rank order, so
that only its arithmetic is timed, on one run, and scaled to all runs. Ours are timed with finding the judged documents
in the runs.
"""

from __future__ import annotations

import pathlib
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from user_models import COMBINATIONS, DEPTH, QUERIES, RUNS, data, seconds

CUTOFFS = (10, 100, 1000)
GOAL, RATE = {'T': 2, 'b1': 0.9, 'R1': 10}, {'A': 0.2, 'b2': 0.9, 'R2': 5}
FUNCTIONS = {
    'P': {},
    'RR': {},
    'AP': {},
    'RBP': {},
    'NPV': {},
    'NDCG': {},
    'SET': {'k': 10},
    'INSQ': {},
    'INST': {},
    'BPM': {},
    'BPMD': {},
    'IFTGoal': GOAL,
    'IFTRate': RATE,
    'IFTGoalRate': {**GOAL, **RATE},
    'TBG': {'halflife': 100},
    'UMeasure': {'L': 500},
    'NERR8': {},
    'NERR9': {},
    'NERR10': {},
    'NERR11': {},
}


def ours(functions: list[str], cutoffs: tuple[int, ...] = CUTOFFS) -> list[str]:
    """EU of each function at each cutoff."""
    return [
        f'CWL({", ".join([f"C={C!r}", *(f"{name}={value}" for name, value in FUNCTIONS[C].items())])})@{k}'
        for C in functions
        for k in cutoffs
    ]


def peers(k: int) -> dict[str, Any]:
    from cwl.ruler import cwl_ruler as r
    from cwl.ruler.measures.cwl_npv import NPVCWLMetric

    return {
        'P': r.PrecisionCWLMetric(k),
        'RR': r.RRCWLMetric(),
        'RBP': r.RBPCWLMetric(0.8),
        'NPV': NPVCWLMetric(),
        'NDCG': r.NDCGCWLMetric(k),
        'INSQ': r.INSQCWLMetric(1),
        'INST': r.INSTCWLMetric(1),
        'BPM': r.BPMCWLMetric(1, k),
        'BPMD': r.BPMDCWLMetric(1, k),
        'IFTGoal': r.IFTGoalCWLMetric(**GOAL),
        'IFTRate': r.IFTRateCWLMetric(**RATE),
        'NERR8': r.NERReq8CWLMetric(k),
        'NERR9': r.NERReq9CWLMetric(k),
        'NERR10': r.NERReq10CWLMetric(0.9),
        'NERR11': r.NERReq11CWLMetric(1),
    }


def by_cwl_eval(
    qrels: pd.DataFrame, run: pd.DataFrame, k: int
) -> tuple[float, dict[str, list[float]]]:
    """Seconds for one run at one cutoff, and the values."""
    from cwl.ruler.ranking import Ranking

    grades = {
        q: dict(zip(part['doc_id'], (part['relevance'] >= 1) * 1.0))
        for q, part in qrels.groupby('query_id')
    }
    gains = [
        np.array([grades[q].get(d, 0.0) for d in part['doc_id']][:k])
        for q, part in run.groupby('query_id')
    ]
    found = {}
    start = time.perf_counter()
    for name, metric in peers(k).items():
        found[name] = [metric.measure(Ranking('q', g, np.ones(len(g)), max_n=DEPTH)) for g in gains]
    return time.perf_counter() - start, found


def main() -> None:
    qrels, runs = data(np.random.default_rng(1))
    align = seconds(
        ['P_IA@1'], qrels.assign(subtopic_id='0'), runs
    )  # alignment and one cheap measure
    cells = [f'UM(model={m},P={P!r})@{k}' for m, P in COMBINATIONS for k in CUTOFFS]
    both = seconds(cells + ours(list(FUNCTIONS)), qrels, runs) - align
    common = list(peers(10))
    took = seconds(ours(common), qrels, runs)
    times = [by_cwl_eval(qrels, runs[0], k) for k in CUTOFFS]
    theirs = sum(each for each, _ in times) * RUNS
    from ir_divmeasures import measures
    from ir_divmeasures.evaluation.provider import Evaluator

    worst = 0.0
    for k, (_, found) in zip(CUTOFFS, times):
        values: dict[str, list[float]] = {}
        for each in Evaluator(measures(ours(common, (k,))), qrels).iter_calc(runs[0].copy()):
            values.setdefault(each.measure['C'], []).append((each.query_id, each.value))  # type: ignore[arg-type]
        for name in common:
            mine = [value for _, value in sorted(values[name])]  # type: ignore[misc]
            worst = max(worst, float(np.abs(np.array(mine) - found[name]).max()))
    print(f'{RUNS} runs × {QUERIES} queries × {DEPTH} documents; alignment {align:.2f} s\n')
    print('| what | seconds | target |\n|---|---|---|')
    print(
        f'| {len(cells)} cells and {3 * len(FUNCTIONS)} C/W/L measures, beyond alignment | {both:.2f} | 3 |'
    )
    print(f'| {3 * len(common)} C/W/L measures that cwl_eval has, with alignment | {took:.2f} | |')
    print(f'| cwl_eval on them | {theirs:.1f} | |')
    print(f'| ratio | {theirs / took:.0f} | 20 |\n\nlargest difference {worst:.1e}')


if __name__ == '__main__':
    main()
