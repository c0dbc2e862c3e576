"""Times of ``sensitivity`` for every measure that has real parameters.

    python -m benchmarks.sensitivity [MEASURE …] [--settings 1000] [--systems 24]

50 queries and runs of 1000 documents at cutoff 20. The grid has values of the measure's first two real parameters (of
one, if it has only one), without the largest grade and cost. The last column is the time for 10,000 settings and 24
systems in proportion. It is an upper bound, since a part of the time does not depend on the number of settings.
"""

from __future__ import annotations

import argparse
import time
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import ir_divmeasures
from benchmarks.data import collection, run
from ir_divmeasures.core.registry import DivMeasure, catalogue

FULL, SYSTEMS, QUERIES, DEPTH, CUTOFF = 10_000, 24, 50, 1000, 20
UNITS = {'max_rel', 'max_cost', 'min_cost', 'unit', 'mu', 'per'}
"""Parameters that are units of grades, costs, lengths or numbers of documents."""
LONGEST = 300.0 * CUTOFF
"""The largest budget, the length of about CUTOFF documents."""


def _hash(text: str) -> int:
    return zlib.crc32(text.encode())


COLUMNS: dict[str, Callable[[pd.DataFrame], Any]] = {
    'subtopic_type': lambda table: np.where(table['subtopic_id'].isin(['1', '2']), 'nav', 'inf'),
    'layer': lambda table: (table['subtopic_id'].astype(int) > 3).astype(int),
    'document_similarity': lambda table: ir_divmeasures.with_similarity(
        table, {doc: f'{_hash(doc) % 97} {_hash(doc) % 89}' for doc in table['doc_id']}, rel=0
    )['document_similarity'],
    'n_retrieved': lambda table: table['doc_id'].map(lambda doc: 1 + _hash(doc) % SYSTEMS),
    'n_systems': lambda table: SYSTEMS,
    'pool_depth': lambda table: 0,
    'newcomer': lambda table: 0,
    'pool_ranks': lambda table: table['doc_id'].map(
        lambda doc: ' '.join(
            f'{system}:{900 + system}' for system in range(1 + _hash(doc) % SYSTEMS)
        )
    ),
}
"""Columns of judgments that measures need."""


def data(systems: int) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Judgments, and runs by system with iterations of ten documents and with lengths."""
    rng = np.random.default_rng(1)
    qrels = collection(rng, QUERIES).rename(columns={'iteration': 'subtopic_id'})
    runs = {}
    for i in range(systems):
        ranked = run(rng, QUERIES, DEPTH)
        runs[f's{i}'] = ranked.assign(
            iteration=1 + ranked.groupby('query_id').cumcount() // 10,
            length=100 + np.arange(len(ranked)) * 37 % 400,
        )
    return qrels, runs


def grid(measure: DivMeasure, settings: int) -> dict[str, list[float]]:
    """The values of the axes; empty for a measure without real parameters."""
    parameters = {name: measure.SUPPORTED_PARAMS[name] for name in measure.own_params}
    names = [
        name
        for name, parameter in parameters.items()
        if parameter.dtype is float and name not in UNITS
    ][:2]
    sizes = [settings] if len(names) == 1 else [settings // 10, 10]
    axes = {}
    for name, size in zip(names, sizes):
        admitted, default = parameters[name].admits, measure[name]
        low = admitted.low if np.isfinite(admitted.low) else 0.0
        high = (
            admitted.high
            if np.isfinite(admitted.high)
            else LONGEST
            if name == 'budget'
            else low + 3 * (default or 1.0)
        )
        axes[name] = (low + (high - low) * (np.arange(size) + 0.5) / size).tolist()
    return axes


def call(
    measure: DivMeasure,
    axes: dict[str, list[float]],
    qrels: pd.DataFrame,
    runs: dict[str, pd.DataFrame],
) -> Callable[[], object]:
    """The call of ``sensitivity`` that is measured."""
    judgments = qrels.assign(
        **{name: COLUMNS[name](qrels) for name in measure.needs if name not in qrels.columns}
    )
    base = measure(cutoff=CUTOFF) if 'cutoff' in measure.SUPPORTED_PARAMS else measure
    default = {name: values[0] for name, values in axes.items() if measure[name] is None}
    return lambda: ir_divmeasures.sensitivity(runs, judgments, base, default=default, rng=0, **axes)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.sensitivity', description=__doc__.split('\n')[0]
    )
    parser.add_argument(
        'measures', nargs='*', metavar='MEASURE', help='names of measures; the default is all'
    )
    parser.add_argument('--settings', type=int, default=FULL // 10, help='number of settings')
    parser.add_argument('--systems', type=int, default=SYSTEMS, help='number of systems')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    qrels, runs = data(options.systems)
    print(
        f'| measure | parameters | CPU, s: {options.settings:,} settings × {options.systems} systems | '
        f'CPU, s: {FULL:,} × {SYSTEMS} |\n|---|---|---:|---:|',
        flush=True,
    )
    for measure in catalogue():
        axes = grid(measure, options.settings)
        if not axes or options.measures and measure.NAME not in options.measures:
            continue
        measured = call(measure, axes, qrels, runs)
        start = time.process_time()
        measured()
        seconds = time.process_time() - start
        share = FULL * SYSTEMS / (options.settings * options.systems)
        print(
            f'| {measure.NAME} | {", ".join(axes)} | {seconds:.1f} | {seconds * share:.0f} |',
            flush=True,
        )


if __name__ == '__main__':
    main()
