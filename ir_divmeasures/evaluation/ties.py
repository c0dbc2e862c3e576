"""Documents of equal scores, and of scores that are equal in 32 bits: which orders there are, and a run without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.registry import DivMeasure
from ..data import runs
from ..data.arrays import Hits, Overlay
from ..data.ids import TIES, check_ties, distinct, order_ranking, place_in_group, starts
from ..data.runs import Run
from ..lazy import pd

if TYPE_CHECKING:
    from ..typing import RunLike

Array = NDArray[Any]


def near_ties(run: Overlay) -> bool:
    """Whether a query of a run has different scores that are one in 32 bits."""
    _, query, score, _ = run.ordered
    with np.errstate(over='ignore'):
        single = score.astype(np.float32)
    is_near = (query[1:] == query[:-1]) & (score[1:] != score[:-1]) & (single[1:] == single[:-1])
    return bool(is_near.any())


def queries_of_another_order(run: Overlay, depth: float = np.inf) -> list[str]:
    """The queries in which a judged document has another rank where scores are compared in 32 bits, one of the two
    ranks being at most ``depth``."""
    if not near_ties(run):
        return []
    rank = np.zeros((2, run.judgments.n_pairs), dtype=np.intp)
    for ranks, located in zip(rank, (run.located(), run.located('single'))):
        ranks[located.pair] = located.rank
    differs = (rank[0] != rank[1]) & (rank.min(axis=0) <= depth)
    numbers = np.unique(run.judgments.query_of_pair[differs])
    return [run.judgments.query_ids[number] for number in numbers]


def last_rank(measure: Any) -> float:
    """Return the last rank that a measure reads, infinity for one without a cutoff."""
    is_own = isinstance(measure, DivMeasure)
    cutoff = measure.cutoff if is_own else measure.params.get('cutoff')
    if cutoff is None or measure.params.get('judged_only'):  # whose cutoff does not count ranks
        return np.inf
    return float(cutoff)


class Tied(NamedTuple):
    """Documents of equal scores whose order can matter, in the order of the ranking.

    Attributes:
        row: the row of each in the run, (tied,).
        rank: its rank, (tied,).
        group: a number for each tie, ascending, (tied,).
        n_queries: the number of queries with such documents.
    """

    row: Array
    rank: Array
    group: Array
    n_queries: int


def tied_documents(run: Overlay, depth: float) -> Tied:
    """The documents of ties that begin at a rank of at most ``depth``, and of which some have higher grades than
    others."""
    rows, query, _, tied = run.ordered
    with_former = np.append(False, tied)
    members = np.flatnonzero(with_former | np.append(tied, False))
    is_first = ~with_former[members]
    rank = members - starts(run.located().n)[query[members]] + 1
    row = rows[members]
    pair = run.pair[row]
    grade = np.where(pair >= 0, run.judgments.total_grades[pair], 0.0)
    first = np.flatnonzero(is_first)
    unlike = np.maximum.reduceat(grade, first) > np.minimum.reduceat(grade, first)
    matters = (unlike & (rank[first] <= depth))[np.cumsum(is_first) - 1]
    n_queries = len(distinct(query[members[matters]]))
    group = np.cumsum(is_first[matters])
    return Tied(row[matters], rank[matters], group, n_queries)


def in_ascending_order(run: Overlay, tied: Tied) -> Hits:
    """The run as pyndeval orders it: documents of equal scores by doc_id ascending."""
    hits = run.located()
    order = np.lexsort((run.names.take(tied.row).places, tied.group))
    pair = run.pair[tied.row[order]]
    rank, place = hits.rank.copy(), np.empty(hits.judgments.n_pairs, dtype=np.intp)
    place[hits.pair] = np.arange(len(hits.pair))
    judged = pair >= 0
    rank[place[pair[judged]]] = tied.rank[judged]
    order = np.lexsort((rank, hits.query))
    return replace(hits, pair=hits.pair[order], rank=rank[order])


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
