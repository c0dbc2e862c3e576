"""Diversity measures, 50 queries × 1000 documents"""

from __future__ import annotations

import functools
import os
import subprocess
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import ir_divmeasures
from benchmarks.data import FORTY, NDEVAL, anew, collection, parsed, plain, run, write
from benchmarks.measuring import NotMeasuredError, files, row

MIXED = NDEVAL + ' nDCG@20 P@20 AP RR'
PYNDEVAL = 'ir_measures + pyndeval'
SIZES = {'': (300, 0.1), '; 500 judged a query, 450 of them retrieved': (500, 0.45)}
"""Judged documents of each query, and the share of a run that is judged, by what names of rows say of them."""


@functools.cache
def drawn(size: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judgments and a run."""
    judged, share = SIZES[size]
    rng = np.random.default_rng(1)
    return collection(rng, judged=judged), run(rng, judged=judged, share=share)


@functools.cache
def evaluators(size: str) -> tuple[Any, Any]:
    """Evaluators of nine measures: pyndeval's, and ours."""
    qrels, _ = drawn(size)
    peer = ir_measures.providers.registry['pyndeval'].evaluator(parsed(NDEVAL), qrels)
    return peer, ir_measures.evaluator(ir_divmeasures.measures(NDEVAL), qrels)


def path_of(size: str, suffix: str) -> str:
    """The run as a file."""
    return str(files(f'{SIZES[size][0]}.{suffix}', lambda path: write(drawn(size)[1], path)))


for size in SIZES:

    @row(f'DataFrame, one evaluator{size}', PYNDEVAL, cpu=15)
    def one_evaluator(size: str = size) -> Any:
        (peer, ours), (_, frame) = evaluators(size), drawn(size)
        return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)

    @row(f'DataFrame, one call{size}', PYNDEVAL, cpu=10)
    def one_call(size: str = size) -> Any:
        (qrels, frame), nine, theirs = drawn(size), ir_divmeasures.measures(NDEVAL), parsed(NDEVAL)
        pyndeval = ir_measures.providers.registry['pyndeval']
        return (
            lambda: pyndeval.calc_aggregate(theirs, qrels, frame),
            anew(lambda: ir_measures.calc_aggregate(nine, qrels, frame)),
        )

    @row(f'file (.run), one evaluator{size}', PYNDEVAL, turns=21, judged='lower quartile', cpu=10)
    def file(size: str = size) -> Any:
        (peer, ours), path = evaluators(size), path_of(size, 'run')
        return lambda: peer.calc_aggregate(
            ir_measures.read_trec_run(path)
        ), lambda: ours.calc_aggregate(path)

    @row(f'file (.run.gz), one evaluator{size}', PYNDEVAL, turns=11, cpu=5)
    def compressed_file(size: str = size) -> Any:
        (peer, ours), path = evaluators(size), path_of(size, 'run.gz')
        return lambda: peer.calc_aggregate(
            ir_measures.read_trec_run(path)
        ), lambda: ours.calc_aggregate(path)

    @row(f'file (.run), one evaluator{size}', 'ndeval program', wall=4)
    def ndeval_program(size: str = size) -> Any:
        if 'NDEVAL' not in os.environ:
            raise NotMeasuredError('pass the path of the ndeval program: --ndeval PATH')
        (_, ours), path, (qrels, _) = evaluators(size), path_of(size, 'run'), drawn(size)
        columns = ['query_id', 'iteration', 'doc_id', 'relevance']
        judged = files(
            f'{SIZES[size][0]}.qrels',
            lambda path: qrels[columns].to_csv(path, sep=' ', header=False, index=False),
        )
        command = [os.environ['NDEVAL'], '-traditional', '-c', str(judged), path]
        return lambda: subprocess.run(
            command, check=True, capture_output=True
        ), lambda: ours.calc_aggregate(path)

    @row(f'DataFrame, nine of ndeval and nDCG@20 P@20 AP RR{size}', 'ir_measures', cpu=10)
    def mixed(size: str = size) -> Any:
        qrels, frame = drawn(size)
        peer = plain().evaluator(parsed(MIXED), qrels)
        ours = ir_measures.evaluator(ir_divmeasures.measures(MIXED), qrels)
        return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)


@row(
    'pt.Experiment, 6 systems; 500 judged a query, 450 of them retrieved',
    'PyTerrier without us',
    turns=3,
    cpu=40,
)
def experiment() -> Any:
    """``pt.Experiment``, with ir_measures' pipeline as it is without this package and with it."""
    import pyterrier as pt

    rng, (qrels, _) = np.random.default_rng(6), drawn([*SIZES][1])
    judged = qrels.rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    systems = [
        run(rng, judged=500, share=0.45).rename(columns={'query_id': 'qid', 'doc_id': 'docno'})
        for _ in range(6)
    ]
    topics = pd.DataFrame({'qid': judged['qid'].unique(), 'query': 'x'})
    names, nine, theirs = (
        [f's{i}' for i in range(len(systems))],
        ir_divmeasures.measures(NDEVAL),
        parsed(NDEVAL),
    )

    def without() -> None:
        pipeline = ir_measures.DefaultPipeline
        with_us, pipeline.providers = (
            pipeline.providers,
            [p for p in pipeline.providers if p.NAME != 'divmeasures'],
        )
        try:
            pt.Experiment(systems, topics, judged, theirs, names=names)
        finally:
            pipeline.providers = with_us

    return without, anew(lambda: pt.Experiment(systems, topics, judged, nine, names=names))


@row(
    f'DataFrame, {len(FORTY.split())} measures of ours, nine of theirs, per measure',
    PYNDEVAL,
    factor=len(FORTY.split()) / 9,
    cpu=5,
)
def forty() -> Any:
    size = [*SIZES][1]
    (peer, _), (qrels, frame) = evaluators(size), drawn(size)
    ours = ir_measures.evaluator(ir_divmeasures.measures(FORTY), qrels)
    return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)
