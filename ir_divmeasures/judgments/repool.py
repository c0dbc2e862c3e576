"""Shallower pools: the judgments that would exist if only the top of each run had been judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..errors import warn
from ..io import columns
from ..io.runs import each, of_system
from ..lazy import pd
from .table import Judgments

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike


def repool(qrels: QrelsLike, runs: RunsLike, depths: Iterable[int]) -> dict[int, pd.DataFrame]:
    """Judgments of shallower pools: those of documents that some run ranks within a depth.

    Rankings are by score descending, ties by doc_id descending.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        runs: the pooled runs, in any form that :func:`~ir_divmeasures.read_runs` takes. Files are read one at a time.
        depths: pool depths.

    Returns:
        Depth → judgments, with all columns. A query that keeps no judgment has one row with its first judged document
        and grade 0, so that measures still count it. One warning reports such queries.

    Raises:
        TypeError, ValueError: depths that are no list of whole numbers from 1, no depth, no run, a run that cannot be
            read, two systems of one name.

    Examples:
        >>> qrels = {'q': {'a': 1, 'b': 1, 'c': 0}}
        >>> pools = repool(qrels, [{'q': {'c': 3.0, 'a': 2.0, 'b': 1.0}}], depths=[1, 2])
        >>> [list(pools[depth]['doc_id']) for depth in (1, 2)]
        [['c'], ['a', 'c']]
    """

    if not isinstance(depths, Iterable) or isinstance(depths, str):
        raise TypeError(f'depths={depths!r}: expected a list of pool depths')
    depth_list = list(depths)
    if not depth_list:
        raise ValueError('depths: expected at least one pool depth, found none')
    for depth in depth_list:
        if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 1:
            raise ValueError(f'pool depth {depth!r}: expected a whole number of at least 1')
    table = Judgments.of(qrels).frame()
    pairs = table[['query_id', 'doc_id']].drop_duplicates().reset_index(drop=True)
    best = np.full(len(pairs), np.inf)
    n_runs = 0
    for system, run in each(runs):
        n_runs += 1
        with of_system(system):
            frame = run.check().table.sort_values(
                ['query_id', 'score', 'doc_id'], ascending=[True, False, False]
            )
        frame = frame.assign(rank=frame.groupby('query_id').cumcount() + 1.0)
        ranks = pairs.merge(
            frame[['query_id', 'doc_id', 'rank']], on=['query_id', 'doc_id'], how='left'
        )['rank']
        best = np.fmin(best, ranks.to_numpy())
    if not n_runs:
        raise ValueError('no runs to pool')
    rank = table.merge(pairs.assign(pool_rank=best), on=['query_id', 'doc_id'], how='left')[
        'pool_rank'
    ].to_numpy()
    intents = columns.intent_rows(table)
    first = table[~intents].drop_duplicates('query_id')
    pools, n_emptied = {}, {}
    for depth in depth_list:
        pool = table[(rank <= depth) | intents]
        empty = first[~first['query_id'].isin(table.loc[rank <= depth, 'query_id'])]
        n_emptied[depth] = len(empty)
        pools[int(depth)] = (
            pd.concat([pool, empty.assign(relevance=0)], ignore_index=True)
            if len(empty)
            else pool.reset_index(drop=True)
        )
    if any(n_emptied.values()):
        warn(
            'no judged document in the pool: '
            + ', '.join(
                f'{count} queries at depth {depth}' for depth, count in n_emptied.items() if count
            )
        )
    return pools
