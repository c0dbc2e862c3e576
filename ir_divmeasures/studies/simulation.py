"""Simulate graded relevance, weighted aspects and shorter rankings on real judgments and runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..typing import RngLike


def simulate(
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame],
    max_length: int | None = None,
    rng: RngLike = None,
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """The simulated scenarios of Amigó et al.

    1. Grades: every grade g above 0 becomes a real number drawn uniformly from (0, g).
    2. Weights: every aspect with a relevant document gets a weight drawn uniformly from (0, 1), divided by their sum
       over the query.
    3. Lengths: every ranking is cut to a length drawn uniformly from 0, …, n, where n is its length, or from 0, …,
       ``max_length``. A ranking never becomes longer.

    Measures of simulated judgments need ``rel=0``, because every grade above 0 is relevant.

    Args:
        qrels: table ``query_id, doc_id, relevance, subtopic_id``, as :func:`ir_divmeasures.read_qrels` returns it.
        runs: ``{system: table}`` with ``query_id, doc_id, score``, as :func:`ir_divmeasures.read_run` returns it.
        max_length: the largest random length, see 3.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        New judgments and runs. The arguments do not change.

    Reference: Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, §6.3.

    Examples:
        >>> qrels = pd.DataFrame({'query_id': 'q', 'doc_id': ['d1', 'd2'], 'relevance': [2, 0], 'subtopic_id': '1'})
        >>> simulate(qrels, {}, rng=0)[0].round(2)
          query_id doc_id  relevance subtopic_id  weight
        0        q     d1       0.73           1     1.0
        1        q     d2       0.00           1     1.0
    """
    generator = np.random.default_rng(rng)
    positive = np.maximum(qrels['relevance'].to_numpy(dtype=float), 0)
    table = qrels.assign(relevance=positive * (1 - generator.random(len(qrels))))  # in (0, g]
    table['weight'] = _weights(table, generator)
    return table, {name: _cut(run, max_length, generator) for name, run in runs.items()}


def _weights(table: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    """Random weights of the aspects, row by row; 0 for aspects without a relevant document, which measures ignore."""
    keys = ['query_id', 'subtopic_id']
    aspects = table[table['relevance'] > 0][keys].drop_duplicates().sort_values(keys)
    aspects = aspects.assign(weight=1 - rng.random(len(aspects)))
    aspects['weight'] /= aspects.groupby('query_id')['weight'].transform('sum')
    return table[keys].merge(aspects, how='left', on=keys)['weight'].fillna(0.0).to_numpy()


def _cut(run: pd.DataFrame, max_length: int | None, rng: np.random.Generator) -> pd.DataFrame:
    """The run with each ranking cut to a random length."""
    ordered = run.sort_values(
        ['query_id', 'score', 'doc_id'], ascending=[True, False, False], kind='stable'
    )
    lengths = ordered.groupby('query_id', sort=True).size()
    most = lengths.to_numpy() if max_length is None else np.full(len(lengths), max_length)
    n_kept = rng.integers(0, most, endpoint=True)
    place = ordered.groupby('query_id', sort=True).cumcount().to_numpy()
    return ordered[place < np.repeat(n_kept, lengths.to_numpy())].reset_index(drop=True)
