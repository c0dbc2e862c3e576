"""Analyses for organisers of campaigns: influence of each team on the judgments, unique finds, and near-duplicate runs.

Functions take a pool with judgments (:meth:`ir_divmeasures.pools.Pool.over`), or a :class:`~ir_divmeasures.pools.Pool` where they
need no judgments. They return DataFrames or :class:`~ir_divmeasures.Scores`. Functions ``plot_…`` draw them.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array
from ..core.registry import measures as parse_all
from ..errors import DivMeasuresWarning, fraction, whole
from ..evaluation.scores import Scores
from ..lazy import pd
from ..meta.correlation import kendall, tau_ap
from ..meta.resampling import clustered
from ..meta.significance import adjust, discriminative_power
from ..results.estimates import mean_over_queries
from ..results.plotting import axes, bars
from ..results.progress import progress
from .analysis import (
    near_duplicates,
    plot_run_overlap,
    propose_groups,
    ranks,
    relevant_pairs,
    run_overlap,
    unique_intents,
)
from .judged import JudgedPool
from .pool import Pool
from .unjudged import refusal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import QrelsLike, RngLike

__all__ = [
    'tables',
    'leave_one_group_out',
    'group_bias',
    'newcomer_loss',
    'plot_group_bias',
    'unique_finds',
    'unique_by_group',
    'plot_unique_by_group',
    'union_gain',
    'union_curve',
    'plot_union_curve',
    'reusability',
    'plot_reusability',
    'run_overlap',
    'near_duplicates',
    'propose_groups',
    'plot_run_overlap',
]


def tables(
    pool: Pool,
    qrels: QrelsLike,
    measures: Any,
    *,
    rel: float = 1,
    threshold: float = 0.9,
    rng: RngLike = None,
) -> dict[str, pd.DataFrame]:
    """Several analyses of a campaign at once, as tables.

    Args:
        pool: a pool whose groups are the teams. Its depth should be the depth to which documents were judged.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures: measures for the influence of the teams, any that :func:`ir_divmeasures.evaluate` takes.
        rel: the lowest relevant grade.
        threshold: the lowest overlap of near-duplicate runs.
        rng: a seed or generator.

    Returns:
        The tables ``groups`` (:func:`unique_by_group`), ``systems`` (:func:`union_gain`), ``union``
        (:func:`union_curve`), ``bias`` (:func:`group_bias`), ``near-duplicates`` (:func:`near_duplicates`), ``bounds``
        (means of :meth:`Pool.bounds <ir_divmeasures.pools.Pool.bounds>`) if a measure has bounds with a pool, and
        ``reusability`` (:func:`reusability`) if there are several groups.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d2': 2.0, 'd1': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> result = tables(ir_divmeasures.pools.Pool.from_runs(runs), {'q': {'d1': 1, 'd2': 1}}, 'P@1', rng=0)
        >>> list(result)
        ['groups', 'systems', 'union', 'bias', 'near-duplicates', 'reusability']
        >>> result['groups']['unique'].tolist()
        [1, 0]
    """
    judged_pool, generator = pool.over(qrels), np.random.default_rng(rng)
    results = {
        'groups': unique_by_group(judged_pool, rel),
        'systems': union_gain(judged_pool, rel),
        'union': union_curve(judged_pool, rel),
        'bias': group_bias(judged_pool, measures),
        'near-duplicates': near_duplicates(pool, threshold),
    }
    bounded = [measure for measure in parse_all(measures) if not refusal(measure)]
    if bounded:
        results['bounds'] = pool.bounds(None, judged_pool.judged, bounded).means()
    if len(judged_pool.group_names) > 1:
        results['reusability'] = reusability(judged_pool, measures, rng=generator)
    return results


# --------------------------------------------------------------------------------------- influence of a team


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
        raise ValueError(
            f'{group!r} is no group of the pool (known: {", ".join(pool.group_names[:5])}'
            f'{", …" if len(pool.group_names) > 5 else ""})'
        )
    own = pool.found_alone()[pool.group_names.index(group)]
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
        DataFrame ``group, system, measure, unique, score, score_without, change, low, high, pvalue, rank, rank_without,
        rank_change``, a row for each system. ``unique`` is the number of judged documents that only its group
        retrieves, and changes are values without minus values with. Means are over the queries of the full judgments.
        ``low`` and ``high`` are the ends of the 95 % t interval of the change over queries, and ``pvalue`` is that of
        its t test, with Holm's correction over the systems of all groups; all three are NaN for one query.

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
    whole_pool = pool.scores(parsed).values
    means = whole_pool.mean(axis=1)
    frames = []
    for group, n_unique, members, without in _without_each(pool, parsed, whole_pool):
        after = without.mean(axis=1)
        for m, measure in enumerate(parsed):
            estimate = mean_over_queries(without[members, :, m] - whole_pool[members, :, m])
            scores, scores_without = means[:, m], after[:, m]
            frame = pd.DataFrame(
                {
                    'group': group,
                    'system': pool.systems,
                    'measure': str(measure),
                    'unique': n_unique,
                    'score': scores,
                    'score_without': scores_without,
                    'change': scores_without - scores,
                    'rank': ranks(scores),
                    'rank_without': ranks(scores_without),
                }
            ).iloc[members]
            ends = zip(('low', 'high', 'pvalue'), estimate[1:])
            frames.append(frame.assign(**dict(ends)))
    frame = pd.concat(frames, ignore_index=True)
    p_of_measure = frame.groupby('measure')['pvalue']
    frame['pvalue'] = p_of_measure.transform(lambda p: adjust(p.to_numpy(), 'holm'))
    frame['rank_change'] = frame['rank_without'] - frame['rank']
    ranked = ['rank', 'rank_without', 'rank_change']
    return frame[[*frame.columns.drop(ranked), *ranked]]


def newcomer_loss(
    pool: JudgedPool, measures: Any, *, confidence_level: float = 0.95
) -> pd.DataFrame:
    """The change of score to expect of a new group that did not take part in the judging, with its interval.

    For each group, its runs are scored on the judgments of :func:`leave_one_group_out`, and the change is averaged over
    its runs. Groups and queries are both samples: another group, or other queries, would lose more or less. With
    V_groups and V_queries the variances of the mean over groups and over queries and V_cells that over both, the
    variance is max(V_groups + V_queries − V_cells, V_groups, V_queries), and t has the number of groups or of queries
    less 1 degrees of freedom, whichever is less.

    Args:
        pool: its depth should be the depth to which documents were judged.
        measures: any that :func:`ir_divmeasures.evaluate` takes.
        confidence_level: confidence level of the interval.

    Returns:
        DataFrame ``measure, groups, change, low, high``; negative changes are losses. The ends are NaN for one group
        and one query.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d2': 2.0, 'd1': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> newcomer_loss(pool, 'P@1')[['measure', 'groups', 'change']]  # A loses 1, B nothing
          measure  groups  change
        0     P@1       2    -0.5
    """
    confidence_level = fraction(confidence_level, 'confidence_level')
    if len(pool.group_names) < 2:
        raise ValueError('a pool of 1 group, expected at least two')
    parsed = parse_all(measures)
    whole_pool = pool.scores(parsed).values
    change = np.stack(
        [
            (without[members] - whole_pool[members]).mean(axis=0)
            for _, _, members, without in _without_each(pool, parsed, whole_pool)
        ]
    )  # (groups, queries, M)
    group, query = np.indices(change.shape[:2]).reshape(2, -1)
    estimate = clustered(
        change.reshape(len(group), -1), group, query, confidence_level=confidence_level
    )
    return pd.DataFrame(
        {
            'measure': [str(measure) for measure in parsed],
            'groups': len(change),
            'change': estimate.value,
            'low': estimate.low,
            'high': estimate.high,
        }
    )


def _without_each(
    pool: JudgedPool,
    measures: list[Any],
    whole_pool: Array,
) -> Iterator[tuple[str, int, list[int], Array]]:
    """For each group, scores without the judgments that only it brought.

    Args:
        whole_pool: (systems, queries, measures) scores with all judgments.

    Yields:
        Its name, the number of judged documents that only it retrieves, indices of its systems, and the scores of all
        systems (systems, queries, measures). Queries without judgments score 0.
    """
    query = pool.collection.query_of_pair
    with progress(len(pool.group_names), 'groups') as bar:
        for group, own in zip(pool.group_names, pool.found_alone()):
            changed = np.zeros(whole_pool.shape[1], dtype=bool)
            changed[query[own]] = True  # the other queries keep their scores
            without = np.where(changed[:, None], 0.0, whole_pool)
            left = ~own & changed[query]
            if left.any():
                without[:, changed] = _scores_on(pool, left, measures)[:, changed]
            members = [s for s, name in enumerate(pool.groups) if name == group]
            yield group, int(own.sum()), members, without
            bar.update()


def _scores_on(pool: JudgedPool, pairs: NDArray[np.bool_], measures: list[Any]) -> Array:
    """Scores (systems, queries, measures) on the judgments of these pairs, (pairs,). Queries without any score 0."""
    scores = pool.only(pairs).scores(measures)
    values = np.zeros((len(pool.systems), len(pool.collection.query_ids), len(measures)))
    values[:, [pool.collection.query_ids.index(query) for query in scores.queries]] = scores.values
    return values


def plot_group_bias(bias: pd.DataFrame, top: int = 30, ax: Axes | None = None) -> Axes:
    """Draw the largest changes of rank for the first measure, and return the matplotlib axes."""
    rows = bias[bias['measure'] == bias['measure'].iloc[0]].sort_values(
        'rank_change', ascending=False, kind='stable'
    )
    return bars(
        rows.head(top).set_index('system'),
        'rank_change',
        f'ranks lost without the team’s own judgments\n({rows["measure"].iloc[0]})',
        ax,
    )


# ---------------------------------------------------------------------------------------------- unique finds


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
    relevant = relevant_pairs(pool, rel)
    query = pool.collection.query_of_pair[relevant]
    queries = np.arange(len(pool.collection.query_ids))
    unique = pool.found_alone()[:, relevant]
    n = unique.astype(float) @ (query[:, None] == queries)
    return Scores(
        np.stack([n, n / np.maximum(n.sum(axis=0), 1)], axis=2),
        tuple(pool.group_names),
        tuple(pool.collection.query_ids),
        ('NumUnique', 'UniqueRecall'),
    )


def unique_by_group(
    pool: JudgedPool,
    rel: float = 1,
    *,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Unique relevant documents of each group over all topics, and which groups find significantly more.

    Args:
        pool: the systems.
        rel: the lowest relevant grade.
        alpha: the level of the paired t test on unique finds by topic, with Holm's correction for all pairs of groups
            (:func:`ir_divmeasures.meta.discriminative_power`).

    Returns:
        DataFrame ``group, systems, relevant, unique, unique_intents, unique_with_intent, topics, share, groups_below``, most unique
        finds first: the number of runs of the group; of relevant documents that it retrieves; of those that no other
        group retrieves; of intents that it serves and no other group does; of its unique documents that serve such an
        intent; and of topics with unique documents; their mean share of a topic's unique finds; and the number of
        groups with significantly fewer unique finds (0 for one topic, on which no test is possible). Where the
        judgments have no subtopics, the topic is the only intent.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> unique_by_group(pool)[['group', 'relevant', 'unique', 'unique_intents', 'unique_with_intent', 'share']]
          group  relevant  unique  unique_intents  unique_with_intent  share
        0     A         2       1               0                   0    1.0
        1     B         1       0               0                   0    0.0
    """
    scores = unique_finds(pool, rel)
    intents, with_intent = unique_intents(pool, rel)
    n = scores['NumUnique']
    more: Counter[str] = Counter()
    if min(n.shape) > 1 and n.any():
        pairs = discriminative_power(
            scores.select(measures=['NumUnique']), alpha=alpha
        ).pairs_frame()
        first_wins = pairs['difference'] > 0
        winners = pairs['system_a'].where(first_wins, pairs['system_b'])
        more.update(winners[pairs['significant']])
    frame = pd.DataFrame(
        {
            'group': scores.systems,
            'systems': [pool.groups.count(group) for group in scores.systems],
            'relevant': pool.group_retrieved[:, relevant_pairs(pool, rel)].sum(axis=1),
            'unique': n.sum(axis=1).astype(int),
            'unique_intents': intents,
            'unique_with_intent': with_intent,
            'topics': (n > 0).sum(axis=1),
            'share': scores['UniqueRecall'].mean(axis=1),
            'groups_below': [more[group] for group in scores.systems],
        }
    )
    return frame.sort_values(
        ['unique', 'relevant'], ascending=False, kind='stable', ignore_index=True
    )


def plot_unique_by_group(table: pd.DataFrame, top: int = 30, ax: Axes | None = None) -> Axes:
    """Draw bars of unique finds, most first, and return the matplotlib axes."""
    return bars(
        table.head(top).set_index('group'),
        'unique',
        'relevant documents that no other group retrieves',
        ax,
    )


def union_gain(pool: JudgedPool, rel: float = 1) -> pd.DataFrame:
    """The relevant documents that each run adds to the union of all other runs, and of the runs of other groups.

    Args:
        pool: the systems.
        rel: the lowest relevant grade.

    Returns:
        DataFrame ``system, group, relevant, added, added_by_group, share``, most added first: the number of
        relevant documents that it retrieves, of those in no other run, of those in no run of another group, and
        ``added`` divided by the size of the union.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> union_gain(pool)[['system', 'relevant', 'added', 'share']]
          system  relevant  added  share
        0      A         2      1    0.5
        1      B         1      0    0.0
    """
    relevant = relevant_pairs(pool, rel)
    retrieved = pool.retrieved[:, relevant]
    by_group = pool.group_retrieved[:, relevant].sum(axis=0) == 1
    added = (retrieved & (retrieved.sum(axis=0) == 1)).sum(axis=1)
    frame = pd.DataFrame(
        {
            'system': pool.systems,
            'group': pool.groups,
            'relevant': retrieved.sum(axis=1),
            'added': added,
            'added_by_group': (retrieved & by_group).sum(axis=1),
            'share': added / max(int(retrieved.any(axis=0).sum()), 1),
        }
    )
    return frame.sort_values(
        ['added', 'added_by_group', 'relevant'], ascending=False, kind='stable', ignore_index=True
    )


def union_curve(pool: JudgedPool, rel: float = 1) -> pd.DataFrame:
    """The size of the union of relevant documents as systems are added one after the other.

    The next system is always the one that adds most, or the first by name of those that do.

    Args:
        pool: the systems.
        rel: the lowest relevant grade.

    Returns:
        DataFrame ``system, n, union, added``.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 1.0}}, 'B': {'q': {'d1': 2.0, 'd2': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> union_curve(pool)
          system  n  union  added
        0      B  1      2      2
        1      A  2      2      0
    """
    new = pool.retrieved[:, relevant_pairs(pool, rel)]  # what each system would add
    left, rows = list(range(len(new))), []
    while left:
        s = left.pop(int(np.argmax(new[left].sum(axis=1))))
        rows.append((pool.systems[s], new[s].sum()))
        new = new & ~new[s]
    frame = pd.DataFrame(rows, columns=['system', 'added'])
    frame.insert(1, 'n', np.arange(1, len(rows) + 1))
    frame.insert(2, 'union', frame['added'].cumsum())
    return frame


def plot_union_curve(curve: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the size of the union over the number of systems, and return the matplotlib axes."""
    ax = axes(ax)
    ax.plot(curve['n'], curve['union'])
    ax.set(xlabel='systems', ylabel='relevant documents in their union')
    ax.locator_params(axis='x', integer=True)
    return ax


# ------------------------------------------------------------------------------------------------- reusability


def reusability(
    pool: JudgedPool,
    measures: Any,
    sizes: Iterable[int] | None = None,
    *,
    n_trials: int = 20,
    rng: RngLike = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """How well judgments pooled from n of the groups rank all systems.

    In each trial n groups are drawn. Judgments of documents that only other groups retrieve are removed, and all
    systems are scored on the rest. Voorhees, Soboroff & Lin (2022) study this for new runs on old pools.

    Args:
        pool: its depth should be the depth to which documents were judged.
        measures: any that :func:`ir_divmeasures.evaluate` takes.
        sizes: values of n. The default is 1, 2, 4, … below the number of groups.
        n_trials: number of trials for each size.
        rng: a seed or generator.
        confidence_level: the share of the trials between ``tau_low`` and ``tau_high``.

    Returns:
        DataFrame ``measure, n_groups, relevant, tau, tau_low, tau_high, tau_ap, tau_outside``: means over trials of the
        share of the relevant documents (grade above 0) that are still judged; Kendall's τ_b with the full ranking, and
        between which values it is in most trials (quantiles: the spread over groups that are drawn); τ_AP; and τ_b of
        the systems of the other groups alone (0 where all are tied, NaN where there is one).

    Examples:
        >>> import ir_divmeasures
        >>> runs = {name: {'q': {d: 9.0 - i for i, d in enumerate(docs)}}
        ...         for name, docs in {'A': ['d1', 'd2'], 'B': ['d1', 'x'], 'C': ['x', 'y']}.items()}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1, 'x': 0, 'y': 0}})
        >>> reusability(pool, 'P@2', [2], n_trials=4, rng=0)[['measure', 'n_groups', 'relevant']].round(2)
          measure  n_groups  relevant
        0     P@2         2      0.75
    """
    parsed, generator = parse_all(measures), np.random.default_rng(rng)
    n_groups = len(pool.group_names)
    if sizes is None:
        sizes = [2**i for i in range(n_groups.bit_length()) if 2**i < n_groups]
    sizes = [whole(size, 'sizes', 1, n_groups - 1) for size in sizes]
    whole(n_trials, 'n_trials', 1)
    tail = (1 - fraction(confidence_level, 'confidence_level')) / 2
    full = pool.scores(parsed).values.mean(axis=1).round(12)
    group = np.array([pool.group_names.index(name) for name in pool.groups])
    unretrieved: NDArray[np.bool_] = pool.group_retrieved.sum(axis=0) == 0
    relevant, n = relevant_pairs(pool, 0), len(parsed)
    shares, outside = np.zeros((len(sizes), n_trials, 1)), np.zeros((len(sizes), n_trials, n))
    parts = np.zeros((len(sizes), n_trials, *full.T.shape))
    with progress(len(sizes) * n_trials, 'trials') as bar:
        for i, trial in np.ndindex(len(sizes), n_trials):
            selection = generator.choice(n_groups, sizes[i], replace=False)
            is_kept = (pool.group_retrieved[selection].sum(axis=0) > 0) | unretrieved
            part = _scores_on(pool, is_kept, parsed).mean(axis=1).T.round(12)
            parts[i, trial] = part
            shares[i, trial] = is_kept[relevant].mean() if len(relevant) else np.nan
            others = ~np.isin(group, selection)
            outside[i, trial] = np.nan
            if others.sum() > 1:
                with warnings.catch_warnings():  # 0 where all are tied
                    warnings.simplefilter('ignore', DivMeasuresWarning)
                    outside[i, trial] = kendall(full.T[:, others], part[:, others])
            bar.update()
    whole_pool = np.broadcast_to(full.T, parts.shape)
    tau, ap = kendall(whole_pool, parts), tau_ap(whole_pool, parts, ties='b')
    values = {
        'relevant': np.broadcast_to(shares.mean(axis=1), (len(sizes), n)),
        'tau': np.mean(tau, axis=1),
        'tau_low': np.quantile(tau, tail, axis=1),
        'tau_high': np.quantile(tau, 1 - tail, axis=1),
        'tau_ap': np.mean(ap, axis=1),
        'tau_outside': outside.mean(axis=1),
    }
    return pd.DataFrame(
        {
            'measure': [str(measure) for measure in parsed] * len(sizes),
            'n_groups': np.repeat(sizes, n),
            **{name: of_size.ravel() for name, of_size in values.items()},
        }
    )


def plot_reusability(curve: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw τ over the number of groups with the spread of trials, τ of the systems outside dashed; return the axes."""
    ax = axes(ax)
    for measure, rows in curve.groupby('measure', sort=False):
        (line,) = ax.plot(
            rows['n_groups'], rows['tau'], marker='o', label=f'{measure}, all systems'
        )
        ax.fill_between(
            rows['n_groups'], rows['tau_low'], rows['tau_high'], color=line.get_color(), alpha=0.2
        )
        ax.plot(
            rows['n_groups'],
            rows['tau_outside'],
            linestyle='--',
            color=line.get_color(),
            label=f'{measure}, systems outside',
        )
    ax.set(
        xlabel='groups whose documents are judged',
        ylabel='Kendall’s τ with the ranking\nby all judgments',
    )
    ax.locator_params(axis='x', integer=True)
    ax.legend(fontsize='small')
    return ax


HEADINGS = {
    'groups': (
        'Relevant documents that one team alone found',
        'Unique intents: subtopics that no other team serves; '
        'unique_with_intent: unique documents that serve one.',
    ),
    'bounds': (
        'What unjudged documents leave open',
        'Least and largest score if the unjudged documents that the runs '
        'of the pool retrieve were judged. Kind: exact bounds are attained, outer ones may not be.',
    ),
    'systems': (
        'What each run adds to the union of the others',
        'Added: relevant documents in no other run; added by '
        'group: in no run of another team; share: of the relevant documents that any run found.',
    ),
    'union': (
        'How the union grows',
        'Relevant documents that the runs find together; next comes the run that adds most.',
    ),
    'bias': (
        'How far the judgments depend on each team',
        'Scores and ranks of a team’s runs with all judgments, and '
        'without those of documents that only the team found.',
    ),
    'near-duplicates': (
        'Near-duplicate runs',
        'Pairs of runs that share at least 90 % of their top documents.',
    ),
    'reusability': (
        'Reusability',
        'Kendall’s τ of the ranking of systems by judgments pooled from some of the teams '
        'with that by all judgments, of all systems and of those outside; means over random draws.',
    ),
}
"""What each of :func:`tables` answers, and what its columns are."""
