"""Documents of equal scores, and of scores that are equal in 32 bits: which orders there are, and a run without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..data import runs
from ..data.arrays import Hits, Overlay
from ..data.ids import TIES, check_ties, distinct, order_ranking, place_in_group, starts
from ..data.runs import Run
from ..lazy import pd

if TYPE_CHECKING:
    from ..typing import RunLike


def swap_ties(run: Overlay, depth: int) -> Hits | None:
    """The rankings of the queries in which the order of ties can matter, with the documents of these ties by doc_id
    ascending, as pyndeval orders them; None if there are none.

    These are ties that begin at a rank of at most ``depth``, and in which some documents have higher grades than others.
    """
    rows, query, _, tied = run.ordered
    first = np.flatnonzero(tied & ~np.append(False, tied)[:-1])
    hits, judgments = run.located(), run.judgments
    rank = first - starts(hits.n)[query[first]] + 1
    first, rank = first[rank <= depth], rank[rank <= depth]
    if not len(first):
        return None
    last = np.append(np.flatnonzero(~tied), len(tied))
    sizes = last[np.searchsorted(last, first)] - first + 1
    group = np.repeat(np.arange(len(first)), sizes)
    place = place_in_group(group, sizes)
    row = rows[first[group] + place]
    pair = run.pair[row]
    grade = np.where(pair >= 0, judgments.total_grades[pair], 0.0)
    begins = starts(sizes)[:-1]
    unlike = np.maximum.reduceat(grade, begins) > np.minimum.reduceat(grade, begins)
    if not unlike.any():
        return None
    pair = pair[np.lexsort((run.names.take(row).places, group))]
    moved = np.flatnonzero(unlike[group] & (pair >= 0))
    new_rank = np.zeros(judgments.n_pairs, dtype=np.intp)
    new_rank[pair[moved]] = (rank[group] + place)[moved]
    queries = distinct(query[first[unlike]])
    chosen = np.flatnonzero(np.isin(hits.query, queries))
    owner, pair = np.searchsorted(queries, hits.query[chosen]), hits.pair[chosen]
    rank = np.where(new_rank[pair] > 0, new_rank[pair], hits.rank[chosen])
    order = np.lexsort((rank, owner))
    return Hits(judgments, owner, pair[order], rank[order], hits.n[queries], queries)


def distinct_scores(run: RunLike, ties: str = 'doc_id') -> pd.DataFrame:
    """A run in the same order, whose scores are so far apart that all tools order it alike.

    The documents of a query get the scores n, n − 1, …, 1, without ties, which 32 bits hold exactly. trec_eval up to
    9.0.8 and pytrec_eval compare scores in 32 bits, ndeval and this package in 64: near-equal scores tie in one and not
    in the other.

    Args:
        run: a run in any form that :func:`~ir_divmeasures.read_run` takes.
        ties: which of some documents of one score comes first: ``'doc_id'`` the larger doc_id (as for ndeval and
            trec_eval, so that no diversity score changes), ``'doc_id_ascending'`` the smaller one (as for pyndeval,
            which computes diversity measures for ir_measures where this package is not installed), ``'rows'`` the one
            that the run names first.

    Returns:
        DataFrame ``query_id, doc_id, score``, rows as in the run.

    Raises:
        TypeError, ValueError: not a run, a duplicate document, or another word for ``ties``.

    Examples:
        >>> distinct_scores({'q': {'d1': 0.30000001, 'd2': 0.3, 'd3': 0.30000001}})
          query_id doc_id  score
        0        q     d1    2.0
        1        q     d2    1.0
        2        q     d3    3.0
    """
    check_ties(ties)
    return untied(runs.read(run).check(), ties).table


def untied(run: Run, ties: str) -> Run:
    """A run with distinct scores, given how to order documents of equal scores."""
    query = run.query_id.codes()[0]
    order = order_ranking(query, run.score, run.doc_id, how=TIES[ties])
    n = np.bincount(query)
    scores = np.empty(len(run))
    scores[order] = n[query[order]] - place_in_group(query[order], n)
    return replace(run, score=scores)
