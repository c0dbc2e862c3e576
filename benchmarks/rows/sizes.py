"""Other sizes, nine ndeval measures"""

from __future__ import annotations

import functools
import sys
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import ir_divmeasures
from benchmarks.data import NDEVAL, anew, collection, parsed, run
from benchmarks.measuring import row
from ir_divmeasures import evaluate
from ir_divmeasures.evaluation.provider import Evaluator

SIZES = {
    '126 systems, 50 × 1000': (50, 1000, 300, 6, 126, 15),
    '100 subtopics, 50 × 1000': (50, 1000, 300, 100, 1, 10),
    '100,000 queries × 20': (100_000, 20, 10, 3, 1, 8),
}
"""Queries, depth, judged documents, subtopics, systems, and the target."""

for what, (queries, depth, judged, subtopics, systems, target) in SIZES.items():

    @row(f'{what}, judgments read', 'ir_measures + pyndeval', turns=3, warm=False, cpu=target)
    def size(
        queries: int = queries,
        depth: int = depth,
        judged: int = judged,
        subtopics: int = subtopics,
        systems: int = systems,
    ) -> Any:
        rng, theirs = np.random.default_rng(3), parsed(NDEVAL)
        qrels = collection(rng, queries, judged, subtopics)
        few = [run(rng, queries, depth, judged, 0.25) for _ in range(min(systems, 6))]
        frames = {f's{i}': few[i % len(few)] for i in range(systems)}

        def peer() -> None:
            evaluator = ir_measures.providers.registry['pyndeval'].evaluator(theirs, qrels)
            for frame in frames.values():
                evaluator.calc_aggregate(frame)

        return peer, anew(lambda: evaluate(frames, qrels, ir_divmeasures.measures(NDEVAL)))


@row('100 systems, 50 × 100, as DataFrames, five measures', turns=5, cpu_s=0.3)
def small() -> Any:
    rng = np.random.default_rng(3)
    qrels, frames = collection(rng), {f's{i}': run(rng, depth=100, share=0.3) for i in range(100)}
    return anew(lambda: evaluate(frames, qrels, 'alpha_nDCG@20 ERR_IA@20 StRecall@20 nDCG@20 AP'))


@row('30 runs, 50 × 1000, the catalogue', turns=3, cpu_s=2)
def catalogue() -> Any:
    qrels, asked = rich()
    rng = np.random.default_rng(3)
    frames = {f's{i}': run(rng) for i in range(30)}
    return anew(lambda: evaluate(frames, qrels, asked))


@functools.cache
def rich() -> tuple[pd.DataFrame, list[Any]]:
    """Judgments with all the further columns that measures may need, and every measure that can be computed on them."""
    from ir_divmeasures.core.registry import catalogue

    rng = np.random.default_rng(3)
    qrels = collection(rng)
    qrels['weight'] = 1 / 6
    qrels['n_retrieved'] = qrels.groupby(['query_id', 'doc_id'], sort=False).ngroup() % 29 + 1
    qrels['n_systems'], qrels['pool_depth'], qrels['newcomer'] = 30, 1000, 0
    words = {doc: f'w{place % 97} w{place % 89}' for place, doc in enumerate(qrels['doc_id'])}
    qrels['document_similarity'] = ir_divmeasures.with_similarity(
        qrels.rename(columns={'iteration': 'subtopic_id'}), words, rel=0
    )['document_similarity'].to_numpy()
    below, top = (
        qrels.assign(layer=0),
        qrels.assign(layer=1, iteration=lambda x: (x['iteration'] > '3').astype(str)),
    )
    top = top.sort_values('relevance', ascending=False).drop_duplicates(
        ['query_id', 'doc_id', 'iteration']
    )
    top = top.assign(weight=0.5)
    layered = pd.concat([below, top], ignore_index=True)
    asked, short, refused = [], run(rng, depth=5), ''
    for measure in catalogue():
        for cutoff in (None, 20):  # some need one
            try:
                one = measure if cutoff is None else measure @ cutoff
                Evaluator([one], layered).calc_aggregate(short)
            except (TypeError, ValueError) as error:
                refused = refused or str(error)
            else:
                asked.append(one)
                break
        else:
            print(f'catalogue without {measure}: {refused}', file=sys.stderr)
        refused = ''
    return layered, asked
