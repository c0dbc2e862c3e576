"""Diversity measures, 50 queries × 1000 documents"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import ir_divmeasures
from benchmarks.data import NDEVAL, anew, collection, parsed, plain, run, write
from benchmarks.measuring import files, row

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

    @row(f'DataFrame, one evaluator{size}', PYNDEVAL, cpu=18)
    def one_evaluator(size: str = size) -> Any:
        (peer, ours), (_, frame) = evaluators(size), drawn(size)
        return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)

    @row(f'file, one evaluator{size}', PYNDEVAL, turns=11, cpu=8)
    def file(size: str = size) -> Any:
        return both_on_file(size, path_of(size, 'run'))

    @row(f'DataFrame, nine of ndeval and nDCG@20 P@20 AP RR{size}', 'ir_measures', cpu=25)
    def mixed(size: str = size) -> Any:
        qrels, frame = drawn(size)
        peer = plain().evaluator(parsed(MIXED), qrels)
        ours = ir_measures.evaluator(ir_divmeasures.measures(MIXED), qrels)
        return lambda: peer.calc_aggregate(frame), lambda: ours.calc_aggregate(frame)


def both_on_file(size: str, path: str) -> Any:
    """Both evaluators on a file."""
    peer, ours = evaluators(size)
    return lambda: peer.calc_aggregate(
        ir_measures.read_trec_run(path)
    ), lambda: ours.calc_aggregate(path)


@row('DataFrame, one call', PYNDEVAL, cpu=10)
def one_call() -> Any:
    (qrels, frame), nine, theirs = drawn(''), ir_divmeasures.measures(NDEVAL), parsed(NDEVAL)
    pyndeval = ir_measures.providers.registry['pyndeval']
    return (
        lambda: pyndeval.calc_aggregate(theirs, qrels, frame),
        anew(lambda: ir_measures.calc_aggregate(nine, qrels, frame)),
    )


@row('file (.gz), one evaluator', PYNDEVAL, cpu=5)
def compressed_file() -> Any:
    return both_on_file('', path_of('', 'run.gz'))


IRREGULAR: dict[str, Callable[[bytes], bytes]] = {
    'two blanks between fields': lambda text: text.replace(b' ', b'  '),
    'blanks at the ends of lines': lambda text: text.replace(b'\n', b' \n'),
    'padded ranks': lambda text: re.sub(
        rb' (\d+) (\S+ bench)', lambda m: b' %5s %s' % m.groups(), text
    ),
    'empty last lines': lambda text: text + b'\n\n',
}
"""Kinds of files that are not written field by field with one blank, and how a plain file becomes one."""

for kind, change in IRREGULAR.items():

    @row(f'file with {kind}, one evaluator', PYNDEVAL, cpu=2)
    def irregular_file(kind: str = kind, change: Callable[[bytes], bytes] = change) -> Any:
        text = change(pathlib.Path(path_of('', 'run')).read_bytes())
        path = files(f'{kind.replace(" ", "-")}.run', lambda path: path.write_bytes(text))
        return both_on_file('', str(path))


@row(
    'pt.Experiment, 6 systems, nine of ndeval and nDCG@20 P@20 AP RR', 'PyTerrier', turns=3, cpu=40
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
    names, ours, theirs = (
        [f's{i}' for i in range(len(systems))],
        ir_divmeasures.measures(MIXED),
        parsed(MIXED),
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

    return without, anew(lambda: pt.Experiment(systems, topics, judged, ours, names=names))
