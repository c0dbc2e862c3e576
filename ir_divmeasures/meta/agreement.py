"""Agreement of measures with the preferences of users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..errors import did_you_mean, fraction, plain
from ..evaluation.scores import Scores, scores_of
from ..results import tidy
from .intervals import student_interval
from .significance import TIED

if TYPE_CHECKING:
    from ..typing import ScoresLike

Array = np.ndarray


def preference_agreement(
    scores: ScoresLike,
    preferences: pd.DataFrame,
    *,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """How far measures prefer the result lists that users prefer.

    A measure and a user say 'a is better', 'b is better' or 'equal' for two systems on a query; equal is an answer of
    its own. Differences of scores up to 1e-9 are equal. Agreement = (agreements − disagreements) / pairs, in [−1, 1].

    Args:
        scores: :class:`~ir_divmeasures.Scores`, or a tidy DataFrame of scores.
        preferences: columns ``query_id, system_a, system_b, preference`` (above 0: a is better, below 0: b, 0: equal)
            and, for several users, ``user``.
        confidence_level: confidence level of the interval. Queries are a sample, and so are users if there are several:
            the variance is max(V_queries + V_users − V_cells, V_queries, V_users), where a cell is a user on a query,
            and t has the number of queries or of users less 1 degrees of freedom, whichever is less.

    Returns:
        A row for each measure: ``measure, statistic, low, high, n_pairs``. The ends are NaN for one query.

    Raises:
        ValueError: a column is missing, a system or query is unknown, a preference is not a number, there are no
            preferences, or a user has two preferences for one pair.

    Reference: Dou, Yang, Li, Wen, Sakai, IRJ 2019, §5.4 and Table 5; Cameron, Gelbach, Miller, JBES 2011, Eq. 2.11, for
    the variance.

    Examples:
        The measure agrees with one preference and ties the systems of the other, so agreement is (1 − 1)/2 = 0.

        >>> from ir_divmeasures import Scores
        >>> scores = Scores([[.5, .4], [.2, .4]], systems=['a', 'b'], queries=['q1', 'q2'], measures=['AP'])
        >>> answers = pd.DataFrame({'query_id': ['q1', 'q2'], 'system_a': 'a', 'system_b': 'b', 'preference': [1, 1]})
        >>> preference_agreement(scores, answers)[['measure', 'statistic', 'n_pairs']]
          measure  statistic  n_pairs
        0      AP        0.0        2
    """
    table, confidence_level = scores_of(scores), fraction(confidence_level, 'confidence_level')
    query, a, b = _locate(table, preferences)
    answers = np.sign(
        pd.to_numeric(preferences['preference'], errors='coerce').to_numpy(dtype=float)
    )
    user = np.zeros(len(a), dtype=int)
    is_duplicate = np.zeros(len(a), dtype=bool)
    if 'user' in preferences:
        user = pd.factorize(preferences['user'].astype(str))[0]
        is_duplicate = pd.DataFrame([user, query, a, b]).T.duplicated().to_numpy()
    for is_wrong, fault in (
        (np.isnan(answers), 'is not a number'),
        (is_duplicate, 'is a duplicate of its user'),
    ):
        if is_wrong.any():
            row = preferences.iloc[is_wrong.argmax()]
            raise ValueError(
                f'preferences: {plain(row.preference)!r} for query {str(row.query_id)!r}, systems '
                f'{str(row.system_a)!r} and {str(row.system_b)!r}, {fault}; expected one number for each pair'
            )
    difference = table.values[a, query] - table.values[b, query]
    order = (difference > TIED).astype(int) - (difference < -TIED)
    agrees = np.where(order == answers[:, None], 1.0, -1.0)  # (N, measures)
    value, deviation = agrees.mean(axis=0), agrees - agrees.mean(axis=0)

    def variance(level: Array) -> Array:
        """V = n/(n − 1) Σ_levels (Σ_level e)² / N², with e the deviations from the mean; 0 for one level."""
        totals = pd.DataFrame(deviation).groupby(level).sum().to_numpy()
        n = len(totals)
        return n / max(n - 1, 1) * np.square(totals).sum(axis=0) / len(agrees) ** 2

    parts = variance(query), variance(user)
    cells = query * (user.max() + 1) + user
    error = np.sqrt(np.maximum(np.maximum(*parts), sum(parts) - variance(cells)))
    n_levels = [n for n in (len(np.unique(query)), len(np.unique(user))) if n > 1]
    low, high = student_interval(
        value, error, min(n_levels, default=1) - 1, confidence_level, (-1, 1)
    )
    return tidy(measure=table.measures, statistic=value, low=low, high=high, n_pairs=len(a))


def _locate(table: Scores, preferences: pd.DataFrame) -> list[Array]:
    """The indices of the query and of the two systems of each preference, three arrays (rows,)."""
    columns = {'query_id': table.queries, 'system_a': table.systems, 'system_b': table.systems}
    if missing := {*columns, 'preference'} - {*preferences}:
        raise ValueError(
            f'preferences: no column {min(missing)!r} (found {", ".join(map(str, preferences))})'
        )
    if not len(preferences):
        raise ValueError('preferences: the table has no rows')
    indices = []
    for column, names in columns.items():
        ids = preferences[column].astype(str)
        places = pd.Index(names).get_indexer(ids)
        if places.min() < 0:
            name = ids.iloc[places.argmin()]
            raise ValueError(
                f'preferences: {column} {name!r} has no scores{did_you_mean(name, names)}'
            )
        indices.append(places)
    return indices
