"""A pool of 126 systems × 50 topics × 100 documents (or 1000), pooled and scored with 12 measure settings.

    python benchmarks/rareness.py [--pool FOLDER] [--length 1000]

FOLDER holds qrels.gz and runs/; without it ../shared/data/pool/trec-covid-r5 is used, or else, and with --length, a
made-up pool of the same size. The peer is a straightforward pandas implementation, which computes the same numbers
(checked). The target is 5 s on two cores beyond reading the files, which has a row of its own.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import ir_divmeasures
from ir_divmeasures.terrier import Experiment

SHARED = pathlib.Path(__file__).parents[2] / 'shared/data/pool/trec-covid-r5'
SETTINGS = [
    (name, alpha, norm)
    for name in ('P', 'AP')
    for alpha, norm in (
        (0, False),
        (0.25, False),
        (0.5, False),
        (0.75, False),
        (1, False),
        (0.5, True),
    )
]
DEPTH = 100


def our_measures() -> list[Any]:
    return [
        ir_measures.parse_measure(f'{name}_Rareness(alpha={alpha},norm={norm})@{DEPTH}')
        for name, alpha, norm in SETTINGS
    ]


def pandas_peer(qrels: pd.DataFrame, files: list[pathlib.Path]) -> pd.DataFrame:
    """Pool and score with merges, groupby and cumsum; mean scores, systems × settings."""
    runs = {}
    for file in files:
        run = pd.read_csv(
            file,
            sep=r'\s+',
            header=None,
            names=['query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag'],
            dtype={'query_id': str, 'doc_id': str},
        )
        run = run.sort_values(['query_id', 'score', 'doc_id'], ascending=[True, False, False])
        run['rank'] = run.groupby('query_id').cumcount() + 1
        runs[file.name.split('.run')[0]] = run[run['rank'] <= DEPTH]
    n_retrieved = (
        pd.concat(runs.values())
        .groupby(['query_id', 'doc_id'])
        .size()
        .rename('n_retrieved')
        .reset_index()
    )
    judged = qrels.merge(n_retrieved, on=['query_id', 'doc_id'], how='left').fillna(
        {'n_retrieved': 0}
    )
    judged['relevant'] = judged['relevance'] > 0
    n_relevant = judged.groupby('query_id')['relevant'].sum()
    systems = len(runs)
    rows = {}
    for name, run in runs.items():
        hits = run.merge(judged[judged['relevant']], on=['query_id', 'doc_id'])
        scores = []
        for measure, alpha, norm in SETTINGS:
            if norm:
                worth = (1 - alpha) + alpha * (
                    1 - (hits['n_retrieved'].clip(lower=1) - 1) / (systems - 1)
                )
            else:
                worth = 1 + alpha * (1 - hits['n_retrieved'] / systems)
            by_query = worth.groupby(hits['query_id'])
            if measure == 'P':
                score = by_query.sum() / DEPTH
            else:
                precision = by_query.cumsum() / hits['rank']
                score = precision.groupby(hits['query_id']).sum() / n_relevant
            scores.append(score.reindex(n_relevant.index).fillna(0).mean())
        rows[name] = scores
    return pd.DataFrame.from_dict(rows, orient='index')


def only_reading(_: pd.DataFrame, folder: pathlib.Path) -> pd.DataFrame:
    """Reads the files and does nothing with them."""
    return pd.DataFrame({name: [len(run)] for name, run in ir_divmeasures.read_runs(folder)})


def with_ir_measures(qrels: pd.DataFrame, folder: pathlib.Path) -> pd.DataFrame:
    """with_rareness, then one evaluator of ir_measures over the files."""
    asked = our_measures()
    evaluator = ir_measures.evaluator(
        asked, ir_divmeasures.with_rareness(qrels, folder, depth=DEPTH)
    )
    rows = {}
    for name, run in ir_divmeasures.read_runs(folder):
        values = evaluator.calc_aggregate(run)
        rows[name] = [values[m] for m in asked]
    return pd.DataFrame.from_dict(rows, orient='index')


def with_pool(qrels: pd.DataFrame, folder: pathlib.Path) -> pd.DataFrame:
    """A Pool, which scores its members from what it has read."""
    return (
        ir_divmeasures.pools.Pool.from_runs(folder, depth=DEPTH)
        .scores(None, qrels, our_measures())
        .means()
    )


def with_experiment(qrels: pd.DataFrame, folder: pathlib.Path) -> pd.DataFrame:
    """terrier.Experiment over the runs as result frames."""
    frames = {
        name: run.rename(columns={'query_id': 'qid', 'doc_id': 'docno'})
        for name, run in ir_divmeasures.read_runs(folder)
    }
    topics = pd.DataFrame({'qid': qrels['query_id'].unique()}).assign(query='')
    asked = our_measures()
    table = Experiment(list(frames.values()), topics, qrels, asked, list(frames)).set_index('name')
    return table[[str(m) for m in asked]]


def made_up(
    folder: pathlib.Path, length: int = DEPTH, systems: int = 126, topics: int = 50
) -> None:
    rng = np.random.default_rng(0)
    (folder / 'runs').mkdir()
    lines = []
    worth = rng.normal(size=(topics, 10 * length))
    for t in range(topics):
        grade = rng.choice([0, 1, 2], size=463, p=[0.53, 0.18, 0.29])
        lines += [f'{t + 1} 0 doc{d:06d} {g}' for d, g in enumerate(grade)]
    pd.Series(lines).to_csv(folder / 'qrels.gz', index=False, header=False, quoting=3, sep='\t')
    for s in range(systems):
        order = np.argsort(-(worth + rng.normal(scale=2, size=worth.shape)), axis=1)[:, :length]
        lines = [
            f'{t + 1} Q0 doc{d:06d} {i + 1} {length - i} s{s}'
            for t in range(topics)
            for i, d in enumerate(order[t])
        ]
        pd.Series(lines).to_csv(
            folder / f'runs/s{s:03d}.run.gz', index=False, header=False, quoting=3, sep='\t'
        )


def timed(
    function: Callable[..., pd.DataFrame], *args: Any, repeats: int = 3
) -> tuple[float, pd.DataFrame]:
    best = float('inf')
    for _ in range(repeats):
        start = time.perf_counter()
        result = function(*args)
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--pool', type=pathlib.Path)
    parser.add_argument('--length', type=int, help='documents of each query in a made-up pool')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.pool or (
            SHARED if SHARED.is_dir() and not options.length else pathlib.Path(made)
        )
        if not (folder / 'runs').is_dir():
            made_up(folder, options.length or DEPTH)
        qrels = ir_divmeasures.topic_level(folder / 'qrels.gz')
        files = sorted((folder / 'runs').iterdir())
        print(
            f'{len(files)} systems, {qrels["query_id"].nunique()} topics, {len(qrels)} judgments, '
            f'{len(SETTINGS)} settings\n'
        )
        theirs, expected = timed(pandas_peer, qrels, files, repeats=1)
        print(f'| {"way":58} | {"s":>7} | {"ratio":>6} |\n|{"-" * 60}|{"-" * 9}|{"-" * 8}|')
        print(f'| {"pandas: files to scores":58} | {theirs:7.2f} | {1:6.1f} |')
        reading, _ = timed(only_reading, qrels, folder / 'runs')
        print(f'| {"read_runs alone":58} | {reading:7.2f} | {"":6} |')
        for title, function in (
            ('Pool, Pool.scores: files to scores', with_pool),
            ('with_rareness, ir_measures.evaluator: files to scores', with_ir_measures),
            ('terrier.Experiment over the runs as frames', with_experiment),
        ):
            ours, found = timed(function, qrels, folder / 'runs')
            difference = np.abs(found.loc[expected.index].to_numpy() - expected.to_numpy()).max()
            assert difference < 1e-12, difference
            print(f'| {title:58} | {ours:7.2f} | {theirs / ours:6.1f} |')


if __name__ == '__main__':
    main()
