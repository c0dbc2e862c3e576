"""All 24 user models at three cutoffs: python benchmarks/user_models.py

30 runs × 50 queries × 1000 documents, 500 judged documents a query. The peer is what one would write in NumPy: for each
query, cutoff and measure the four formulas on arrays over all ranks. It is timed on one run and scaled to all.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from ir_divmeasures import measures
from ir_divmeasures.data import runs as several
from ir_divmeasures.evaluation import provider

RUNS, QUERIES, DEPTH, JUDGED = 30, 50, 1000, 500
COMBINATIONS = [
    (model, P) for model in (1, 2, 3, 4) for P in ('RBP', 'DCG', 'RR', 'ERR', 'AP', 'RRR')
]


def data(rng: np.random.Generator) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Judgments and runs; runs find a judged document at every second rank or so near the top."""
    qrels = pd.DataFrame(
        [
            (str(q), f'd{d:05}', int(rng.choice(4, p=[0.7, 0.15, 0.1, 0.05])))
            for q in range(QUERIES)
            for d in range(JUDGED)
        ],
        columns=['query_id', 'doc_id', 'relevance'],
    )
    runs = []
    for _ in range(RUNS):
        documents = np.concatenate([rng.permutation(3000)[:DEPTH] for _ in range(QUERIES)])
        runs.append(
            pd.DataFrame(
                {
                    'query_id': np.repeat([str(q) for q in range(QUERIES)], DEPTH),
                    'doc_id': [f'd{d:05}' for d in documents],
                    'score': np.tile(np.arange(DEPTH, 0, -1.0), QUERIES),
                }
            )
        )
    return qrels, runs


def seconds(names: list[str], qrels: pd.DataFrame, runs: list[pd.DataFrame]) -> float:
    evaluator = provider.Evaluator(measures(names), qrels)
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        for run in runs:
            evaluator.score(several.read(run))
        best = min(best, time.perf_counter() - start)
    return float(best)


def formula(
    relevant: np.ndarray, total: int, model: int, P: str, k: int, theta: float = 0.5
) -> float:
    """One measure on one ranking, straight from the paper."""
    J = relevant[:k]
    rank, R = np.arange(1, len(J) + 1), np.cumsum(J)
    beyond = 0.0
    if P == 'RBP':
        stop, beyond = theta * (1 - theta) ** (rank - 1), (1 - theta) ** len(J)
    elif P == 'DCG':
        stop, beyond = 1 / np.log2(rank + 1) - 1 / np.log2(rank + 2), 1 / np.log2(len(J) + 2)
    elif P == 'RR':
        stop, beyond = 1 / (rank * (rank + 1)), 1 / (len(J) + 1)
    elif P == 'ERR':
        stop = J * theta * (1 - theta) ** (R - 1)
    elif P == 'AP':
        stop = J / total
    else:
        stop = J / np.maximum(R * (R + 1), 1)
    what = {1: J, 2: R, 3: 1 / rank, 4: R / rank}[model]
    return float((what * stop).sum() + (R[-1] * beyond if model == 2 else 0))


def peer(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
    """Seconds for one run, all combinations, at three cutoffs, alignment not counted."""
    relevant = {q: set(g['doc_id'][g['relevance'] >= 1]) for q, g in qrels.groupby('query_id')}
    found = {
        q: np.array([d in relevant[q] for d in g['doc_id']], dtype=float)
        for q, g in run.groupby('query_id')
    }
    start = time.perf_counter()
    for query, J in found.items():
        for model, P in COMBINATIONS:
            for k in (10, 100, 1000):
                formula(J, len(relevant[query]), model, P, k)
    return time.perf_counter() - start


def main() -> None:
    qrels, runs = data(np.random.default_rng(1))
    align = seconds(
        ['P_IA@1'], qrels.assign(subtopic_id='0'), runs
    )  # alignment and one cheap measure

    def names(norm: bool, cutoffs: tuple[int, ...]) -> list[str]:
        return [f'UM(model={m},P={P!r},norm={norm})@{k}' for m, P in COMBINATIONS for k in cutoffs]

    plain = peer(qrels, runs[0]) * RUNS
    print(f'{RUNS} runs × {QUERIES} queries × {DEPTH} documents; alignment {align:.2f} s\n')
    print('| what | seconds beyond alignment | peer | ratio |\n|---|---|---|---|')
    for label, norm, cutoffs in (
        ('24 measures at 10, 100, 1000', False, (10, 100, 1000)),
        ('the same, normalised', True, (10, 100, 1000)),
        ('24 measures at 1000', False, (1000,)),
        ('24 measures at 30 cutoffs', False, tuple(range(10, 310, 10))),
    ):
        took = seconds(names(norm, cutoffs), qrels, runs) - align
        scaled = plain * len(cutoffs) / 3 * (2 if norm else 1)
        print(f'| {label} | {took:.2f} | {scaled:.1f} | {scaled / took:.0f} |')


if __name__ == '__main__':
    main()
