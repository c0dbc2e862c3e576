"""How fast hierarchies are built and evaluated: against plain peers run side by side in this process.

    python benchmarks/hierarchies.py

An absolute time means little on a shared machine; the ratios are what to look at.
"""

from __future__ import annotations

import pathlib
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from ir_divmeasures import build_hierarchy, measures, with_similarity
from ir_divmeasures.data.clustering import cut, merges_of
from ir_divmeasures.data.similarity import alike_prints, simhash
from ir_divmeasures.data.texts import terms
from ir_divmeasures.evaluation.provider import Evaluator
from tests.reference import hierarchy as literal
from tests.reference import similarity as twins

FLAT = {
    'I_rec_LA': 'I_rec',
    'alpha_nDCG_LA': 'alpha_nDCG',
    'ERR_IA_LA': 'ERR_IA',
    'Q_IA_LA': 'Q_IA',
    'D_nDCG_LA': 'D_nDCG',
    'D_Q_LA': 'D_Q',
    'Dsharp_nDCG_LA': 'Dsharp_nDCG',
    'Dsharp_Q_LA': 'Dsharp_Q',
    'N_rec': 'I_rec',
    'HD_nDCG': 'D_nDCG',
    'HD_Q': 'D_Q',
    'HDsharp_nDCG': 'Dsharp_nDCG',
    'HDsharp_Q': 'Dsharp_Q',
    'LADsharp_nDCG': 'Dsharp_nDCG',
    'LADsharp_Q': 'Dsharp_Q',
}


def timed(work: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """The best of a few times, and the result."""
    best, result = float('inf'), None
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def text(rng: np.random.Generator, topic: int, length: int) -> str:
    """Words of a topic's own vocabulary and of a common one, by Zipf's law."""
    own, common = rng.zipf(1.3, length) % 400, rng.zipf(1.2, length) % 5000
    return ' '.join(
        np.where(
            rng.random(length) < 0.5, [f't{topic}x{w}' for w in own], [f'w{w}' for w in common]
        )
    )


def collection(
    rng: np.random.Generator,
    queries: int,
    intents: int,
    relevant: int,
    length: int = 300,
) -> tuple[pd.DataFrame, dict[str, str]]:
    rows, docs = [], {}
    for q in range(queries):
        for t in range(intents):
            for d in range(relevant):
                doc = f'clueweb09-en{q:04d}-{t:02d}-{d:05d}'
                docs[doc] = text(rng, int(rng.integers(5)) + 10 * t, length)
                rows.append((str(q), doc, int(rng.integers(1, 4)), str(t)))
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id']), docs


def run(rng: np.random.Generator, qrels: pd.DataFrame, depth: int = 1000) -> pd.DataFrame:
    parts = []
    for query, rows in qrels.groupby('query_id'):
        found = rows['doc_id'].drop_duplicates().sample(frac=0.5, random_state=1).tolist()
        docs = [*found, *(f'other-{query}-{i}' for i in range(depth - len(found)))]
        parts.append(
            pd.DataFrame({'query_id': query, 'doc_id': docs, 'score': rng.random(len(docs))})
        )
    return pd.concat(parts, ignore_index=True)


def row(what: str, ours: float, peer: float | None, target: str) -> None:
    print(
        f'| {what} | {ours:.3f} s | {"" if peer is None else f"{peer:.3f} s"} | '
        f'{"" if peer is None else f"{peer / ours:.1f}×"} | {target} |'
    )


def main() -> None:
    rng = np.random.default_rng(0)
    print('| what | ours | peer | peer/ours | target |\n|---|---|---|---|---|')

    qrels, docs = collection(rng, 1, 1, 1000)
    texts = list(docs.values())
    ours, prints = timed(lambda: simhash(texts), 3)
    peer, same = timed(lambda: [twins.simhash(each) for each in texts[:20]], 1)
    assert same == prints[:20].tolist()
    row('SimHash of 1,000 texts of 300 words (peer: bit by bit)', ours, peer * 50, '')
    ours, _ = timed(lambda: simhash(texts), 3)
    peer, _ = timed(lambda: [Counter(terms(each)) for each in texts], 3)
    row('… of which counting terms', ours, peer, '')

    printed = with_similarity(qrels, docs)
    ours, _ = timed(lambda: build_hierarchy(printed), 3)
    row('1,000 relevant documents under one intent, SimHash given', ours, None, '≤ 2 s')
    ours, _ = timed(lambda: build_hierarchy(printed, raw=True, cutoff=1.0), 3)
    row('… raw, δ = 1', ours, None, '')
    ours, _ = timed(lambda: build_hierarchy(qrels, docs, similarity='tfidf', cutoff=0.6), 3)
    row('… TF-IDF, texts read', ours, None, '≤ 2 s')
    some = alike_prints(prints[:60]) - np.triu(rng.random((60, 60)), 1) * 1e-4  # no ties
    some = np.minimum(some, some.T)
    ours, _ = timed(lambda: cut(merges_of(some, np.arange(60)), 0.55), 3)
    peer, _ = timed(lambda: literal.tree(range(60), lambda x, y: some[x, y], 0.55), 1)
    row('one tree of 60 documents (peer: the literal twin)', ours, peer, '')

    qrels, docs = collection(rng, 50, 6, 60)
    printed = with_similarity(qrels, docs)
    ours, built = timed(lambda: build_hierarchy(printed, cutoff=0.55), 1)
    row('50 topics × 6 intents × 60 documents, SimHash given', ours, None, '≤ 3 s')
    ours, built = timed(lambda: build_hierarchy(qrels, docs, cutoff=0.55), 1)
    row('… texts read and fingerprinted', ours, None, '')
    ours, built = timed(lambda: build_hierarchy(qrels, docs, similarity='tfidf', cutoff=0.5), 1)
    row('… TF-IDF', ours, None, '≤ 3 s')

    for cutoff in (0.6, 0.65, 0.7, 0.72, 0.75, 0.8):
        built = build_hierarchy(printed, cutoff=cutoff)
        nodes = (
            built.drop_duplicates(['query_id', 'layer', 'subtopic_id'])
            .groupby('query_id')
            .size()
            .mean()
        )
        if nodes >= 100:
            break
    ranked = run(rng, qrels)
    at = '@20'
    flat, layered = (
        measures([f'{m}{at}' for m in set(FLAT.values())]),
        measures([f'{m}{at}' for m in FLAT]),
    )
    peer, _ = timed(lambda: Evaluator(flat, printed).arrays(ranked))
    ours, _ = timed(lambda: Evaluator(layered, built).arrays(ranked))
    print(
        f'\nLayered judgments: {nodes:.0f} nodes a query on {built["layer"].nunique()} layers, {len(built):,} rows '
        f'({len(printed):,} flat); 50 queries, run of 1000 documents each.\n'
    )
    print('| evaluation | layered | flat | layered/flat | target |\n|---|---|---|---|---|')

    def against(what: str, ours: float, peer: float, target: str = '≤ 5×') -> None:
        print(
            f'| {what} | {1000 * ours:.1f} ms | {1000 * peer:.1f} ms | {ours / peer:.1f}× | {target} |'
        )

    against(
        f'{len(layered)} layered against {len(flat)} flat measures, judgments read anew', ours, peer
    )
    evaluators = Evaluator(layered, built), Evaluator(flat, printed)
    ours, peer = (timed(lambda e=e: e.arrays(ranked))[0] for e in evaluators)
    against('… judgments coded before', ours, peer)
    for one, other in FLAT.items():
        evaluators = (
            Evaluator(measures(f'{one}{at}'), built),
            Evaluator(measures(f'{other}{at}'), printed),
        )
        ours, peer = (timed(lambda e=e: e.arrays(ranked))[0] for e in evaluators)
        against(f'{one} against {other}', ours, peer)
    ours, _ = timed(
        lambda: ir_measures.calc_aggregate(measures('DocSim@20 DS_nDCG@20'), printed, ranked)
    )
    peer, _ = timed(lambda: ir_measures.calc_aggregate(measures('D_nDCG@20'), printed, ranked))
    against('DocSim and DS_nDCG against D_nDCG, judgments read anew', ours, peer, '')


if __name__ == '__main__':
    main()
