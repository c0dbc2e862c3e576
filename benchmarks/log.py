"""A synthetic query log in parquet folders, scored in parts: seconds and peak memory of each process, as JSON.

python benchmarks/log.py --queries 500000 --jobs 2 --engine parquet
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pathlib
import resource
import shutil
import tempfile
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ir_divmeasures import evaluate
from ir_divmeasures.evaluation import parts

MEASURES = 'alpha_nDCG@10 ERR_IA@10 StRecall@10 nDCG@10'
CHUNK = 100_000


def write(
    folder: pathlib.Path,
    queries: int,
    retrieved: int = 20,
    judged: int = 6,
    candidates: int = 60,
    seed: int = 0,
) -> None:
    """Parquet folders ``runs`` and ``qrels``, a file for 100,000 queries.

    Of ``candidates`` documents a query, ``retrieved`` are retrieved, and ``judged`` judged for one of three subtopics
    each.
    """
    rng = np.random.default_rng(seed)
    for name in ('runs', 'qrels'):
        (folder / name).mkdir(parents=True)
    for first in range(0, queries, CHUNK):
        n = min(CHUNK, queries - first)
        query = np.arange(first, first + n)
        # A stride coprime to the number of candidates: distinct documents without a permutation of each query.
        start, stride = (
            rng.integers(0, candidates, (2, n, 1)),
            rng.choice([1, 7, 11, 13, 17, 19, 23], (n, 1)),
        )
        ranked = (start[0] + stride * np.arange(retrieved)) % candidates
        rated = (start[1] + 7 * np.arange(judged)) % candidates
        for what, places, further in (
            ('runs', ranked, {'score': np.tile(np.arange(retrieved, 0, -1.0), n)}),
            (
                'qrels',
                rated,
                {
                    'relevance': rng.integers(0, 4, n * judged),
                    'subtopic_id': pc.cast(pa.array(rng.integers(1, 4, n * judged)), pa.string()),
                },
            ),
        ):
            table = pa.table(
                {
                    'query_id': pc.cast(pa.array(np.repeat(query, places.shape[1])), pa.string()),
                    'doc_id': pc.cast(
                        pa.array((query[:, None] * candidates + places).ravel()), pa.string()
                    ),
                    **further,
                }
            )
            pq.write_table(table, folder / what / f'part-{first:010d}.parquet')


def peak(pids: set[int]) -> dict[int, float]:
    """The largest resident set of each process that is still there, in MiB."""
    found = {}
    for pid in pids:
        try:
            lines = pathlib.Path(f'/proc/{pid}/status').read_text().splitlines()
            found[pid] = next(
                int(line.split()[1]) / 1024 for line in lines if line.startswith('VmHWM')
            )
        except (OSError, StopIteration):
            continue
    return found


def run(engine: str, folder: pathlib.Path, jobs: int, rows: int) -> Any:
    runs: Any = folder / 'runs'
    qrels: Any = folder / 'qrels'
    if engine == 'dask':
        import dask.dataframe as dd
        import distributed

        cluster = distributed.LocalCluster(
            n_workers=jobs, threads_per_worker=1, dashboard_address=None
        )
        distributed.Client(cluster)
        runs, qrels = dd.read_parquet(runs), dd.read_parquet(qrels)
    elif engine == 'spark':
        from pyspark.sql import SparkSession

        session = SparkSession.builder.master(f'local[{jobs}]').getOrCreate()
        runs, qrels = session.read.parquet(str(runs)), session.read.parquet(str(qrels))
    return evaluate(qrels, runs, MEASURES, jobs=jobs, rows_per_part=rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--queries', type=int, default=500_000)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--engine', choices=['parquet', 'dask', 'spark'], default='parquet')
    parser.add_argument('--rows', type=int, default=parts.ROWS, help='rows of a part (parquet)')
    asked = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix='log-'))
    try:
        writer = multiprocessing.get_context('fork').Process(
            target=write, args=(folder, asked.queries)
        )
        writer.start()  # whose memory is not counted
        writer.join()
        begin, load = time.perf_counter(), os.getloadavg()[0]
        found = run(asked.engine, folder, asked.jobs, asked.rows)
        seconds = time.perf_counter() - begin
        workers = peak(
            {child.pid for child in multiprocessing.active_children() if child.pid} | children()
        )
        print(
            json.dumps(
                {
                    'engine': asked.engine,
                    'jobs': asked.jobs,
                    'queries': asked.queries,
                    'rows': asked.queries * 20,
                    'rows_of_a_part': asked.rows,
                    'seconds': round(seconds, 1),
                    'cpu_seconds': round(
                        sum(
                            resource.getrusage(who).ru_utime
                            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
                        ),
                        1,
                    ),
                    'load_before': round(load, 1),
                    'peak_mib': round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                    'peak_mib_workers': sorted(round(value) for value in workers.values()),
                    'means': found.means().iloc[0].round(6).to_dict(),
                }
            )
        )
    finally:
        shutil.rmtree(folder)


def children() -> set[int]:
    """The processes that this one started and that are still there."""
    listed = pathlib.Path(f'/proc/{os.getpid()}/task/{os.getpid()}/children')
    return {int(pid) for pid in listed.read_text().split()} if listed.exists() else set()


if __name__ == '__main__':
    main()
