"""The teams of a campaign: the documents that only one of them finds, and the bias of the judgments towards each.

Functions take a pool with judgments (:meth:`ir_divmeasures.pools.Pool.over`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import meta
from ..core.ranking import Array
from ..core.registry import measures as parse_all
from ..errors import fraction
from ..evaluation.scores import Scores, some
from ..lazy import pd
from ..meta.intervals import mean_interval
from ..progress import with_progress
from .judged import JudgedPool


def ranks(scores: Array) -> NDArray[np.intp]:
    """1 + the number of systems with higher scores, (S,) → (S,). Scores that are equal to 12 decimals are tied."""
    scores = np.round(scores, 12)
    return 1 + (scores[None, :] > scores[:, None]).sum(axis=1)


def leave_one_group_out(pool: JudgedPool, group: str) -> pd.DataFrame:
    """The judgments without the documents that only one group retrieves, as if the group had not participated.

    Documents that no system of the pool retrieves are kept. Zobel, SIGIR 1998; for groups Voorhees, CLEF 2001.

    Args:
        pool: its depth should be the depth to which documents were judged.
        group: a group of the pool.

    Returns:
        The judgments without those rows.

    Raises:
        ValueError: an unknown group, or no judgment is left.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1, 'd3': 1}})
        >>> leave_one_group_out(pool, 'A')['doc_id'].tolist()
        ['d1', 'd3']
    """
    if group not in pool.group_names:
        raise ValueError(f'{group!r} is no group of the pool (known: {some(pool.group_names, 5)})')
    own = pool.unique()[pool.group_names.index(group)]
    return pool.only(~own).judged.frame()


def group_bias(pool: JudgedPool, measures: Any) -> pd.DataFrame:
    """Bias of the judgments towards each team: scores and ranks of its runs with and without its own contributions.

    For each group, all systems are scored again on the judgments of :func:`leave_one_group_out`. The loss of its runs
    estimates the loss of a new run that did not participate. Measures of innovation still use the whole pool.

    Args:
        pool: its depth should be the depth to which documents were judged.
        measures: any that :func:`ir_divmeasures.evaluate` takes. Measures of this package and common ad-hoc measures
            are computed from arrays. Others are computed from runs, which takes some minutes for 126 groups.

    Returns:
        DataFrame ``group, system, measure, unique, score, score_without, change, low, high, rank, rank_without``, a row
        for each system. ``unique`` is the number of judged documents that only its group retrieves, and ``change`` is
        ``score_without`` minus ``score``. Means are over the queries of the full judgments.
        ``low`` and ``high`` are the ends of the 95 % t interval of the change over queries (NaN for one query).

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d2': 2.0, 'd1': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> bias = group_bias(pool, 'P@1')
        >>> bias[['system', 'unique', 'score', 'score_without', 'rank', 'rank_without']]
          system  unique  score  score_without  rank  rank_without
        0      A       1    1.0            0.0     1             2
        1      B       0    1.0            1.0     1             1
    """
    parsed = parse_all(measures)
    everything = pool.scores(parsed).values
    query, frames = pool.judged.query_of_pair, []
    for group, own in with_progress([*zip(pool.group_names, pool.unique())], 'group', 'groups'):
        changed = np.zeros(everything.shape[1], dtype=bool)
        changed[query[own]] = True  # the other queries keep their scores
        without = np.where(changed[:, None], 0.0, everything)
        left = ~own & changed[query]
        if left.any():
            scored = pool.only(left).scores(parsed)
            places = [pool.judged.query_ids.index(name) for name in scored.queries]
            without[:, places] = scored.values
        low, high = mean_interval((without - everything).transpose(2, 0, 1))
        for m, measure in enumerate(parsed):
            before, after = (values[:, :, m].mean(axis=1) for values in (everything, without))
            frame = pd.DataFrame(
                {
                    'group': group,
                    'system': pool.systems,
                    'measure': str(measure),
                    'unique': int(own.sum()),
                    'score': before,
                    'score_without': after,
                    'change': after - before,
                    'low': low[m],
                    'high': high[m],
                    'rank': ranks(before),
                    'rank_without': ranks(after),
                }
            )
            frames.append(frame[np.array(pool.groups) == group])
    return pd.concat(frames, ignore_index=True)


def unique_finds(pool: JudgedPool, rel: float = 1) -> Scores:
    """Relevant documents that no other group retrieves, by group and topic, as scores for tests on systems.

    Args:
        pool: the systems.
        rel: the lowest relevant grade.

    Returns:
        :class:`~ir_divmeasures.Scores` whose systems are the groups. ``NumUnique`` is the number of unique finds, and
        ``UniqueRecall`` their share of the topic's unique finds.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0, 'd3': 0.5}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1, 'd3': 0}})
        >>> unique_finds(pool)['NumUnique'].tolist()
        [[1.0], [0.0]]
    """
    relevant = _relevant_pairs(pool, rel)
    query = pool.judged.query_of_pair[relevant]
    unique = pool.unique()[:, relevant]
    n = unique.astype(float) @ (query[:, None] == np.arange(len(pool.judged.query_ids)))
    return Scores(
        np.stack([n, n / np.maximum(n.sum(axis=0), 1)], axis=2),
        tuple(pool.group_names),
        tuple(pool.judged.query_ids),
        ('NumUnique', 'UniqueRecall'),
    )


def _relevant_pairs(pool: JudgedPool, rel: float) -> np.ndarray:
    """The places of pairs that are relevant, to one subtopic at least."""
    return np.unique(pool.judged.row_pair[pool.judged.relevant_rows(rel).index])


def unique_by_group(pool: JudgedPool, rel: float = 1, *, alpha: float = 0.05) -> pd.DataFrame:
    """Unique relevant documents of each group over all topics, and which groups find significantly more.

    Args:
        pool: the systems.
        rel: the lowest relevant grade.
        alpha: the level of the paired t test on unique finds by topic, with Holm's correction for all pairs of groups
            (:func:`ir_divmeasures.meta.compare`).

    Returns:
        DataFrame ``group, systems, relevant, unique, topics, share, groups_below``, most unique finds first: the number
        of runs of the group; of relevant documents that it retrieves; of those that no other group retrieves; of topics
        with unique documents; the mean share of a topic's unique finds; and the number of groups with significantly
        fewer unique finds (0 for one topic, on which no test is possible).

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> unique_by_group(pool)[['group', 'relevant', 'unique', 'share']]
          group  relevant  unique  share
        0     A         2       1    1.0
        1     B         1       0    0.0
    """
    fraction(alpha, 'alpha')
    scores = unique_finds(pool, rel)
    n = scores['NumUnique']
    winners: list[str] = []
    if min(n.shape) > 1 and n.any():
        pairs = meta.compare(scores.select(measures=['NumUnique']), pairs='all', alpha=alpha)
        for verdict, column in ('better', 'system'), ('worse', 'other'):
            winners += pairs.loc[pairs['verdict'] == verdict, column].tolist()
    frame = pd.DataFrame(
        {
            'group': scores.systems,
            'systems': [pool.groups.count(group) for group in scores.systems],
            'relevant': pool.group_retrieved[:, _relevant_pairs(pool, rel)].sum(axis=1),
            'unique': n.sum(axis=1).astype(int),
            'topics': (n > 0).sum(axis=1),
            'share': scores['UniqueRecall'].mean(axis=1),
            'groups_below': [winners.count(group) for group in scores.systems],
        }
    )
    return frame.sort_values(
        ['unique', 'relevant'], ascending=False, kind='stable', ignore_index=True
    )
