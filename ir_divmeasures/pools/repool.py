"""Shallower pools: the judgments that would exist if only the top of each run had been judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..data import columns
from ..data.judgments import Judgments
from ..data.runs import each
from ..errors import naming, warn, whole
from ..lazy import pd

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

    if isinstance(depths, int):
        raise TypeError(f'depths={depths}: expected a list of pool depths')
    depth_list = [whole(depth, 'depths') for depth in depths]
    if not depth_list:
        raise ValueError('depths: expected at least one pool depth, found none')
    judgments = Judgments.of(qrels)
    table = judgments.frame()
    best = np.full(judgments.n_pairs, np.inf)  # the best rank of each judged document
    n_runs = 0
    for system, run in each(runs):
        n_runs += 1
        with naming(f'system {system!r}'):
            located = judgments.align(run).located()
        best[located.pair] = np.minimum(best[located.pair], located.rank)
    if not n_runs:
        raise ValueError('no runs to pool')
    rank = best[judgments.row_pair]
    intents = columns.intent_rows(table)
    first = table[~intents].drop_duplicates('query_id')
    pools, emptied = {}, []
    for depth in depth_list:
        pool = table[(rank <= depth) | intents]
        empty = first[~first['query_id'].isin(table.loc[rank <= depth, 'query_id'])]
        if len(empty):
            emptied.append(f'{len(empty)} queries at depth {depth}')
            pool = pd.concat([pool, empty.assign(relevance=0)])
        pools[depth] = pool.reset_index(drop=True)
    if emptied:
        warn(f'no judged document in the pool: {", ".join(emptied)}')
    return pools
