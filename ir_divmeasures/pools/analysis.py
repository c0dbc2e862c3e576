"""Rankings of a pool's systems by measures of innovation, for several α (Türkmen et al. 2023, §4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array
from ..core.registry import measures as parse_all
from ..lazy import pd
from ..meta.correlation import kendall, tau_ap
from .judged import JudgedPool

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
