"""How fast scores come: ratios against peers run side by side in this process.

    python benchmarks/evaluation.py [--runs 30] [--ndeval PATH]

Collection: 50 queries, 300 judged documents each, 6 subtopics, grades 0-3; runs of 1000 documents per query, a third of
them judged. An absolute time means little on a shared machine; the ratios are what to look at.
"""
from __future__ import annotations

import argparse
import gc
import gzip
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import ir_measures
import numpy as np
import pandas as pd

import ir_divmeasures

NDEVAL = 'ERR_IA@20 nERR_IA@20 alpha_DCG@20 alpha_nDCG@20 NRBP nNRBP AP_IA P_IA@20 StRecall@20'
FORTY = ' '.join([
    NDEVAL, 'RBU@20 RBU(p=0.99,e=0.05)@20 RBU@100 EU@20 CT@20 ACT@20 CubeTest@20 ACubeTest@20 alpha_DCG_IA@20',
    'gNRBP@20 StRR RR_IA@20 DCG_IA@20 nDCG_IA@20 RBP_IA@20 gERR_IA@20 Q_IA@20 D_nDCG@20 D_Q@20 Dsharp_nDCG@20',
    'Dsharp_Q@20 D_ERR@20 D_nERR@20 D_EBR@20 D_RBP@20 Dsharp_ERR@20 alpha_nDCG@5 alpha_nDCG@10 alpha_nDCG@100',
    'alpha_nDCG ERR_IA@10'])


def collection(rng: np.random.Generator, queries: int = 50, judged: int = 300, subtopics: int = 6) -> pd.DataFrame:
    rows = []
    for q in range(queries):
        grades = rng.choice([0, 1, 2, 3], size=(judged, subtopics), p=[.85, .09, .04, .02])
        rows += [(str(q + 1), f'clueweb09-en{q:04d}-{d // 100:02d}-{d:05d}', int(grades[d, t]), str(t + 1))
                 for d in range(judged) for t in range(subtopics)]
    return pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'iteration'])


def run(rng: np.random.Generator, queries: int = 50, depth: int = 1000, judged: int = 300) -> pd.DataFrame:
    rows = []
    for q in range(queries):
        found = rng.random(depth) < .33
        docs = rng.permutation(depth)
        names = [f'clueweb09-en{q:04d}-{d // 100:02d}-{d:05d}' if hit and d < judged else
                 f'clueweb09-enwp{q:02d}-{d // 100:02d}-{d:05d}' for hit, d in zip(found, docs)]
        rows.append(pd.DataFrame({'query_id': str(q + 1), 'doc_id': names,
                                  'score': np.sort(rng.random(depth))[::-1] * 20}))
    return pd.concat(rows, ignore_index=True)


def write(frame: pd.DataFrame, path: pathlib.Path) -> None:
    lines = '\n'.join(f'{q} Q0 {d} {i % 1000 + 1} {s:.6f} bench' for i, (q, d, s) in
                      enumerate(frame.itertuples(index=False))) + '\n'
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == '.gz' else lines.encode())


def seconds(function: Callable[[], object], repeat: int = 3) -> float:
    """The median time of a call."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def row(what: str, peer: float, ours: float, target: str = '') -> None:
    print(f'{what:58} {peer * 1e3:10.1f} {ours * 1e3:10.1f} {peer / ours:8.1f}x  {target}')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--runs', type=int, default=30)
    parser.add_argument('--ndeval', help='path of the ndeval program, if it is built')
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    qrels = collection(rng)
    frames = [run(rng) for _ in range(options.runs)]
    nine = ir_divmeasures.measures(NDEVAL)
    pyndeval = ir_measures.providers.registry['pyndeval']
    ndeval_measures = [getattr(ir_measures, str(m).split('@')[0])(**m.params) for m in nine]

    peer, ours = pyndeval.evaluator(ndeval_measures, qrels), ir_measures.evaluator(nine, qrels)
    theirs, own = peer.calc(frames[0]).per_query, ours.calc(frames[0]).per_query
    expected = {(m.query_id, str(m.measure)): m.value for m in theirs}
    worst = max(abs(expected[m.query_id, str(m.measure)] - m.value) for m in own)
    print(f'{options.runs} runs x 50 queries x 1000 documents, nine ndeval measures; '
          f'largest difference of a value: {worst:.1e}\n')
    print(f'{"":58} {"peer ms":>10} {"ours ms":>10} {"ratio":>9}')

    def frames_in(make: Callable[[], object]) -> Callable[[], object]:
        def call() -> None:
            evaluator = make()
            for frame in frames:
                evaluator.calc_aggregate(frame)
        return call

    row('DataFrames in, one evaluator (ir_measures + pyndeval)',
        seconds(frames_in(lambda: pyndeval.evaluator(ndeval_measures, qrels)), 1),
        seconds(frames_in(lambda: ir_measures.evaluator(nine, qrels))), 'target 10x')
    row('DataFrame in, one calc_aggregate call',
        seconds(lambda: pyndeval.calc_aggregate(ndeval_measures, qrels, frames[0])),
        seconds(lambda: ir_measures.calc_aggregate(nine, qrels, frames[0]), 5), 'target 10x')

    with tempfile.TemporaryDirectory() as folder:
        for suffix in ('run', 'run.gz'):
            paths = [pathlib.Path(folder) / f'{i}.{suffix}' for i in range(options.runs)]
            for frame, path in zip(frames, paths):
                write(frame, path)

            def read_by_ir_measures(paths: list[pathlib.Path] = paths) -> None:
                evaluator = pyndeval.evaluator(ndeval_measures, qrels)
                for path in paths:
                    evaluator.calc_aggregate(ir_measures.read_trec_run(str(path)))

            def read_by_us(paths: list[pathlib.Path] = paths) -> None:
                evaluator = ir_measures.evaluator(nine, qrels)
                for _, frame in ir_divmeasures.read_runs(paths):
                    evaluator.calc_aggregate(frame)

            row(f'{options.runs} files ({suffix}) to scores, one evaluator',
                seconds(read_by_ir_measures, 1), seconds(read_by_us), 'target 10x')
            row(f'one file ({suffix}) to scores, one call',
                seconds(lambda p=paths[0]: pyndeval.calc_aggregate(
                    ndeval_measures, qrels, ir_measures.read_trec_run(str(p)))),
                seconds(lambda p=paths[0]: ir_measures.calc_aggregate(nine, qrels, p), 5), 'target 10x')
            if options.ndeval and suffix == 'run':
                plain = pathlib.Path(folder) / 'qrels'
                qrels[['query_id', 'iteration', 'doc_id', 'relevance']].to_csv(plain, sep=' ', header=False,
                                                                               index=False)

                def by_ndeval(paths: list[pathlib.Path] = paths, plain: pathlib.Path = plain) -> None:
                    for path in paths:
                        subprocess.run([options.ndeval, '-traditional', '-c', plain, path], check=True,
                                       capture_output=True)

                row(f'{options.runs} files to scores (ndeval program)', seconds(by_ndeval, 1), seconds(read_by_us),
                    'target 10x')

    forty = ir_divmeasures.measures(FORTY)
    ours40, theirs9 = ir_measures.evaluator(forty, qrels), pyndeval.evaluator(ndeval_measures, qrels)
    row(f'per measure: {len(forty)} of ours, 9 of pyndeval',
        seconds(lambda: theirs9.calc_aggregate(frames[0])) / 9,
        seconds(lambda: ours40.calc_aggregate(frames[0]), 5) / len(forty), 'target 5x')

    import resource
    evaluator = ir_measures.evaluator(nine, qrels)
    small = frames[0][frames[0]['query_id'].isin(['1', '2', '3', '4', '5'])]
    sizes = []
    for i in range(1000):
        evaluator.calc_aggregate(small)
        if i in (99, 999):
            sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(f'\nPeak memory after 100 and after 1000 evaluations: {sizes[0]:.1f} and {sizes[1]:.1f} MiB')

    def import_time(module: str) -> float:
        code = f'import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)'
        return statistics.median(float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                                                      check=True).stdout) for _ in range(5))
    alone, both = import_time('ir_measures'), import_time('ir_measures, ir_divmeasures')
    print(f'Import: ir_measures {alone:.2f} s, with ir_divmeasures {both:.2f} s: {both - alone:.2f} s more '
          f'(target below 0.3 s)')


if __name__ == '__main__':
    main()
