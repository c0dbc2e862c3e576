"""Collections of judgments and runs, drawn at random, that the benchmarks are measured on."""

from __future__ import annotations

import gzip
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

NDEVAL = 'ERR_IA@20 nERR_IA@20 alpha_DCG@20 alpha_nDCG@20 NRBP nNRBP AP_IA P_IA@20 StRecall@20'
FORTY = ' '.join(
    [
        NDEVAL,
        'RBU@20 RBU(p=0.99,e=0.05)@20 RBU@100 EU@20 CT@20 ACT@20 nDCU@20 Coverage@20 alpha_DCG_IA@20',
        'gNRBP@20 StRR RR_IA@20 DCG_IA@20 nDCG_IA@20 RBP_IA@20 gERR_IA@20 Q_IA@20 D_nDCG@20 D_Q@20 Dsharp_nDCG@20',
        'Dsharp_Q@20 RAP@20 EPR@20 RBTR@20 nERR_IA@10 ERR_IA@100 alpha_nDCG@5 alpha_nDCG@10 alpha_nDCG@100',
        'alpha_nDCG ERR_IA@10',
    ]
)

"""Nine measures of ndeval, and forty of ours with these among them."""


def collection(
    rng: np.random.Generator, queries: int = 50, judged: int = 300, subtopics: int = 6
) -> pd.DataFrame:
    """Judgments with ids as long as ClueWeb's, grades 0 to 3, of which 15 % are above 0."""
    grades = rng.choice([0, 1, 2, 3], size=queries * judged * subtopics, p=[0.85, 0.09, 0.04, 0.02])
    documents = [
        f'clueweb09-en{q:06d}-{d // 100:02d}-{d:05d}' for q in range(queries) for d in range(judged)
    ]
    return pd.DataFrame(
        {
            'query_id': np.repeat([str(q + 1) for q in range(queries)], judged * subtopics),
            'doc_id': np.repeat(documents, subtopics),
            'relevance': grades,
            'iteration': np.tile([str(t + 1) for t in range(subtopics)], queries * judged),
        }
    )


def run(
    rng: np.random.Generator,
    queries: int = 50,
    depth: int = 1000,
    judged: int = 300,
    share: float = 0.1,
) -> pd.DataFrame:
    """A run of which so large a share is judged; scores descend."""
    hits = int(min(judged, round(share * depth)))
    names = []
    for q in range(queries):
        found = [
            f'clueweb09-en{q:06d}-{d // 100:02d}-{d:05d}' for d in rng.permutation(judged)[:hits]
        ]
        found += [f'clueweb09-enwp{q:06d}-{d // 100:02d}-{d:05d}' for d in range(depth - hits)]
        names += [found[i] for i in rng.permutation(depth)]
    scores = np.sort(rng.random((queries, depth)) * 20, axis=1)[:, ::-1]
    return pd.DataFrame(
        {
            'query_id': np.repeat([str(q + 1) for q in range(queries)], depth),
            'doc_id': names,
            'score': scores.ravel(),
        }
    )


def write(frame: pd.DataFrame, path: pathlib.Path) -> pathlib.Path:
    """Write a run as TREC does, compressed where the path ends in .gz."""
    rank = frame.groupby('query_id', sort=False).cumcount() + 1
    lines = (
        '\n'.join(
            f'{q} Q0 {d} {r} {s:.6f} bench'
            for q, d, s, r in zip(frame['query_id'], frame['doc_id'], frame['score'], rank)
        )
        + '\n'
    )
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == '.gz' else lines.encode())
    return path


def anew(call: Callable[[], object]) -> Callable[[], object]:
    """A call that finds no judgments of earlier calls."""
    from ir_divmeasures.data import judgments

    def forgetful() -> None:
        judgments._memory.clear()
        call()

    return forgetful


def plain() -> Any:
    """ir_measures without this package."""
    import ir_measures

    from ir_divmeasures.evaluation.provider import others

    return ir_measures.providers.FallbackProvider(others())


def parsed(names: str) -> list[Any]:
    """Measures in ir_measures' own classes where it has them, for its providers."""
    import ir_measures

    return [ir_measures.parse_measure(name) for name in names.split()]
