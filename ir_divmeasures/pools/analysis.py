"""Innovation across the systems of a pool: rankings over α, and rare relevant documents.

Every function takes a pool with judgments (:meth:`ir_divmeasures.pools.Pool.over`) and returns a DataFrame. Functions
``plot_…`` draw it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array
from ..core.registry import measures as parse_all
from ..data.judgments import relevant_rows
from ..errors import check_number, whole
from ..lazy import pd
from ..meta.correlation import kendall, tau_ap
from ..plotting import axes
from .judged import JudgedPool

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    'rankings',
    'ranking_change',
    'plot_ranking_change',
    'relevant_documents',
    'unique_intents',
    'rare_documents',
    'system_finds',
    'plot_system_finds',
]

MEASURES = ('P_Rareness@100', 'AP_Rareness@100')
ALPHAS = tuple(round(0.1 * step, 1) for step in range(11))


def rankings(
    pool: JudgedPool,
    measures: Iterable[Any] = MEASURES,
    alphas: Iterable[float | str] = ALPHAS,
) -> pd.DataFrame:
    """Score and rank of every system by measures of innovation, for each α.

    Args:
        pool: the systems.
        measures: measures of innovation with a parameter ``alpha``, which is set to each of ``alphas``.
        alphas: values of α; 0 gives the plain measure.

    Returns:
        DataFrame ``measure, alpha, system, score, rank``. The best system has rank 1. Tied systems share the smallest
        of their ranks.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd3': 1.0}}, 'B': {'q': {'d1': 1.0}}, 'C': {'q': {'d2': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> rankings(pool, ['P_Rareness@1'], [0, 1])
                measure  alpha system     score  rank
        0  P_Rareness@1    0.0      A  1.000000     1
        1  P_Rareness@1    0.0      B  1.000000     1
        2  P_Rareness@1    0.0      C  1.000000     1
        3  P_Rareness@1    1.0      A  1.333333     2
        4  P_Rareness@1    1.0      B  1.333333     2
        5  P_Rareness@1    1.0      C  1.666667     1
    """

    parsed, alphas = parse_all(measures), list(alphas)
    settings = [measure(alpha=alpha) for measure in parsed for alpha in alphas]
    means = pool.scores(settings).values.mean(axis=1)  # (systems, settings)
    n = len(pool.systems)
    return pd.DataFrame(
        {
            'measure': np.repeat([str(measure) for measure in parsed], n * len(alphas)),
            'alpha': np.repeat([setting['alpha'] for setting in settings], n),
            'system': pool.systems * len(settings),
            'score': means.T.ravel(),
            'rank': np.concatenate([ranks(of_setting) for of_setting in means.T]),
        }
    )


def ranks(scores: Array) -> NDArray[np.intp]:
    """1 + the number of systems with higher scores, (S,) → (S,). Scores that are equal to 12 decimals are tied."""
    scores = np.round(scores, 12)
    return 1 + (scores[None, :] > scores[:, None]).sum(axis=1)


def ranking_change(ranked: pd.DataFrame) -> pd.DataFrame:
    """Correlation of the ranking of systems for each α with that of the plain measure (Türkmen et al. 2023, Figure 2).

    Args:
        ranked: the result of :func:`rankings`, with α = 0.

    Returns:
        DataFrame ``measure, alpha, tau, tau_ap``: Kendall's τ_b and τ_AP,b between the rankings for α and for α = 0.
        Both ignore tied systems and are 1 for equal rankings.

    Raises:
        ValueError: no ranking for α = 0.

    Examples:
        >>> import pandas as pd
        >>> ranked = pd.DataFrame({'measure': 'P_Rareness@1', 'alpha': [0, 0, 0, 1, 1, 1], 'system': [*'ABCABC'],
        ...                        'score': [.5, .4, .3, .5, .4, .6]})
        >>> ranking_change(ranked).round(3)
                measure  alpha    tau  tau_ap
        0  P_Rareness@1      0  1.000    1.00
        1  P_Rareness@1      1 -0.333   -0.25
    """

    rows = []
    for measure, of_measure in ranked.groupby('measure', sort=False):
        table = of_measure.pivot(index='system', columns='alpha', values='score').round(12)
        if 0 not in table.columns:
            raise ValueError(
                f'{measure}: no ranking for alpha = 0 (found {", ".join(map(str, table.columns))})'
            )
        for alpha in of_measure['alpha'].unique():
            both = table[0], table[alpha]
            rows.append((measure, alpha, kendall(*both), tau_ap(*both, ties='b')))
    return pd.DataFrame(rows, columns=['measure', 'alpha', 'tau', 'tau_ap'])


def plot_ranking_change(change: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw τ (solid) and τ_AP (dashed) over α, a colour for each measure, and return the matplotlib axes."""
    ax = axes(ax)
    for measure, rows in change.groupby('measure', sort=False):
        (line,) = ax.plot(rows['alpha'], rows['tau'], marker='o', label=f'{measure}, τ')
        ax.plot(
            rows['alpha'],
            rows['tau_ap'],
            linestyle='--',
            color=line.get_color(),
            label=f'{measure}, τ_AP',
        )
    ax.set(xlabel='α', ylabel='correlation with the ranking for α = 0')
    ax.legend()
    return ax


# -------------------------------------------------------------------------------------------- rare documents


def relevant_documents(pool: JudgedPool, rel: float = 1) -> pd.DataFrame:
    """The relevant documents with their rareness.

    Args:
        pool: the systems.
        rel: the lowest relevant grade.

    Returns:
        DataFrame ``query_id, doc_id, relevance, n_retrieved, n_systems, rareness``: the highest grade of the document
        over its subtopics, S_d, S, and R = 1 − max(S_d, 1)/S.

    Examples:
        >>> import ir_divmeasures
        >>> pool = ir_divmeasures.pools.Pool.from_runs({'A': {'q': {'d1': 2.0}}, 'B': {'q': {'d2': 1.0}}})
        >>> pool = pool.over({'q': {'d1': 1, 'd2': 0}})
        >>> relevant_documents(pool)
          query_id doc_id  relevance  n_retrieved  n_systems  rareness
        0        q     d1          1            1          2       0.5
    """
    return _relevant(pool, rel).drop(columns='pair')


def relevant_pairs(pool: JudgedPool, rel: float) -> NDArray[np.intp]:
    """Numbers of the judged pairs whose document is relevant to one of the query's official subtopics, ascending."""
    return np.sort(_relevant(pool, rel)['pair'].to_numpy())


def _relevant(pool: JudgedPool, rel: float, by: str = 'pair') -> pd.DataFrame:
    """The table of :func:`relevant_documents` with the number of each ``pair``.

    With ``by='row'``, a document has a row for each of its subtopics, and a column ``subtopic_id``.
    """
    (n_retrieved, n_systems), pair = pool.counts(), pool.judged.row_pair
    table = pool.table.assign(pair=pair, n_retrieved=n_retrieved[pair], n_systems=n_systems)
    table['rareness'] = 1 - np.maximum(n_retrieved[pair], 1) / n_systems
    table = relevant_rows(table, rel)
    names = ['query_id', 'doc_id', 'relevance', 'n_retrieved', 'n_systems', 'rareness', 'pair']
    if by == 'row':
        return table[[*names, 'subtopic_id']]
    best_first = table.sort_values('relevance', ascending=False, kind='stable')
    return best_first.drop_duplicates('pair').sort_index()[names].reset_index(drop=True)


def unique_intents(pool: JudgedPool, rel: float = 1) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each group, the number of intents that it serves and no other group does, and of its unique documents that
    serve such an intent, (groups,) each.

    Args:
        pool: the systems.
        rel: the lowest grade that serves an intent.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': {'n1': 1}, 'd2': {'n1': 1, 'n2': 1}}})
        >>> unique_intents(pool)
        (array([1, 0]), array([1, 0]))
    """
    rows = _relevant(pool, rel, by='row')
    intents = rows.groupby(['query_id', 'subtopic_id'], sort=False)['pair']
    serves = [pool.group_retrieved[:, pairs].any(axis=1) for _, pairs in intents]
    served = np.array(serves, dtype=bool).reshape(-1, len(pool.group_names))
    alone = served.sum(axis=1) == 1
    with_intent = np.unique(rows['pair'][alone[intents.ngroup()]])
    return (served[alone]).sum(axis=0), pool.found_alone()[:, with_intent].sum(axis=1)


def rare_documents(pool: JudgedPool, most: int = 1, rel: float = 1) -> pd.DataFrame:
    """The relevant documents that few systems retrieve, with the systems that retrieve them.

    Args:
        pool: the systems.
        most: the largest number of systems (or groups) that retrieve a listed document; 1 for unique finds.
        rel: the lowest relevant grade.

    Returns:
        DataFrame ``system, query_id, doc_id, relevance, rank, n_retrieved, rareness``, a row for each system that
        retrieves such a document.

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> rare_documents(pool)
          system query_id doc_id  relevance  rank  n_retrieved  rareness
        0      A        q     d2          1     2            1       0.5
    """
    relevant = _relevant(pool, rel)
    rare = relevant[relevant['n_retrieved'] <= whole(most, 'most')].reset_index(drop=True)
    pairs = rare['pair'].to_numpy()
    system, row = np.nonzero(pool.retrieved[:, pairs])
    table = rare.iloc[row].reset_index(drop=True)
    table.insert(0, 'system', np.array(pool.systems, dtype=object)[system])
    table.insert(4, 'rank', pool.rank[system, pairs[row]])
    return table.drop(columns=['pair', 'n_systems'])


def system_finds(pool: JudgedPool, rare: float = 0.9, rel: float = 1) -> pd.DataFrame:
    """Numbers of relevant, of rare and of unique documents that each system retrieves.

    Args:
        pool: the systems.
        rare: the lowest rareness R of a rare document.
        rel: the lowest relevant grade.

    Returns:
        DataFrame ``system, group, relevant, rare, unique, mean_rareness``, most unique finds first. Documents
        count if they are in the top ``depth`` of the pool. ``unique`` is the number of those with S_d = 1, and
        ``mean_rareness`` is the mean R of the system's relevant documents (0 if it has none).

    Examples:
        >>> import ir_divmeasures
        >>> runs = {'A': {'q': {'d1': 2.0, 'd2': 1.0}}, 'B': {'q': {'d1': 1.0}}}
        >>> pool = ir_divmeasures.pools.Pool.from_runs(runs).over({'q': {'d1': 1, 'd2': 1}})
        >>> system_finds(pool, rare=0.5)
          system group  relevant  rare  unique  mean_rareness
        0      A     A         2     1       1           0.25
        1      B     B         1     0       0           0.00
    """
    check_number('rare', rare)
    relevant = _relevant(pool, rel)
    retrieved = pool.retrieved[:, relevant['pair'].to_numpy()]
    rareness = relevant['rareness'].to_numpy()
    n = retrieved.sum(axis=1)
    table = pd.DataFrame(
        {
            'system': pool.systems,
            'group': pool.groups,
            'relevant': n,
            'rare': retrieved[:, rareness >= rare].sum(axis=1),
            'unique': retrieved[:, relevant['n_retrieved'].to_numpy() == 1].sum(axis=1),
            'mean_rareness': retrieved @ rareness / np.maximum(n, 1),
        }
    )
    return table.sort_values(
        ['unique', 'rare', 'relevant'], ascending=False, kind='stable', ignore_index=True
    )


def plot_system_finds(finds: pd.DataFrame, top: int = 20, ax: Axes | None = None) -> Axes:
    """Draw unique and other rare finds of the first systems as stacked bars, and return the matplotlib axes."""
    ax = axes(ax)
    rows = finds.head(top)
    places = np.arange(len(rows))
    ax.barh(places, rows['unique'], label='unique')
    ax.barh(
        places, (rows['rare'] - rows['unique']).clip(lower=0), left=rows['unique'], label='rare'
    )
    ax.set(yticks=places, yticklabels=list(rows['system']), xlabel='relevant documents')
    ax.invert_yaxis()
    ax.legend()
    return ax
