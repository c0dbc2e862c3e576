"""Agreement of measures with each other, and with the preferences of users."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import check_number, collecting, did_you_mean, fraction, one_of, plain, whole
from ..evaluation.scores import Scores, as_scores
from ..lazy import pd
from ..plotting import bars, matrix
from ..progress import with_progress
from ..results import Result, count
from .correlation import COEFFICIENTS, warn_of_measures
from .resampling import bootstrap_weights, clustered, from_resamples, query_resamples

if TYPE_CHECKING:
    from ..typing import RngLike, ScoresLike

Array = np.ndarray
PREFERENCES = ('query_id', 'system_a', 'system_b', 'preference')


def correlations(
    scores: ScoresLike,
    coefficient: str = 'kendall',
    *,
    n_resamples: int = 0,
    rng: RngLike = None,
    confidence_level: float = 0.95,
    **options: Any,
) -> Result:
    """Rank correlation of every two measures, over the systems' means.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries, measures) or a DataFrame of scores.
        coefficient: ``'kendall'`` or ``'tau_ap'``. The row of the matrix is the reference.
        n_resamples: number of resamples of the queries for the confidence intervals, for example 200. The default is 0,
            which gives no intervals. An interval is the value ± t_{Q−1} times its standard deviation over the
            resamples. It covers the correlation to expect of as many such queries. With Kendall's τ, ``pairs`` then
            also has ``all_queries``, an estimate of τ between the rankings by all such queries.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: confidence level of the intervals.
        options: options of ``'tau_ap'``: ``ties``, ``symmetric``.

    Returns:
        :class:`~ir_divmeasures.results.Result`: the matrix, measures × measures; its picture has shaded cells. A
        measure that ties all systems has correlation 0, with one warning.

    Facts:
        coefficient: its name.
        measures: names.
        values: (measures, measures).
        interval: (measures, measures, 2) confidence intervals over queries, or None.
        pairs: with intervals, a row for each two measures: ``measure, other, value, low, high``, and with Kendall's τ
            ``across``, the mean τ between the two measures on two halves of the queries, ``within_x`` and ``within_y``,
            that of each measure with itself, over 200 random halves, and ``all_queries, all_low, all_high``. With
            s(τ) = sin(πτ/2), s of ``all_queries`` is R = s(across)/√(s(within_x) s(within_y)), cut to [−1, 1]. Its
            interval is R ± t_{Q−1} times the standard deviation of R over at most 100 resamples. It is NaN where a
            measure does not agree with itself, there or in a resample.

    Raises:
        ValueError: fewer than two systems, NaN, an unknown coefficient.

    Examples:
        >>> scores = Scores([[[.1, .3]], [[.2, .1]], [[.3, .2]]], measures=['AP', 'RR'])
        >>> correlations(scores).to_frame().round(3)
        measure     AP     RR
        measure
        AP       1.000 -0.333
        RR      -0.333  1.000
    """

    table = as_scores(scores)
    one_of(coefficient, COEFFICIENTS, 'coefficient')
    correlate = partial(COEFFICIENTS[coefficient], **options)
    confidence_level = fraction(confidence_level, 'confidence_level')
    n_resamples, n = whole(n_resamples, 'n_resamples', 0), len(table.queries)
    means = table.values.mean(axis=1)
    warn_of_measures(
        (means == means[:1]).all(axis=0),
        table.measures,
        'Correlations of {} are set to 0 because they tie all systems',
    )
    with collecting([]):  # of tied samples
        values = correlate(means.T[:, None], means.T[None])
        interval, pairs, said, notes = None, None, '', []
        if n_resamples:
            generator = np.random.default_rng(rng)
            weights = bootstrap_weights(n, n_resamples, generator)
            resampled_means = np.einsum('bq,sqm->mbs', weights, table.values, optimize=True)
            ends = []
            for value, of_measure in zip(values, with_progress(resampled_means, 'measures')):
                replicates = correlate(of_measure[:, None], resampled_means.swapaxes(0, 1))
                ends.append(from_resamples(value, replicates, n, confidence_level)[1:3])
            interval = np.clip(np.array(ends).swapaxes(1, 2), -1.0, 1.0)
            x, y = np.triu_indices(len(table.measures), 1)
            labels = np.array(table.measures, dtype=object)
            columns = {'measure': labels[x], 'other': labels[y], 'value': values[x, y]}
            columns |= dict(zip(('low', 'high'), interval[x, y].T))
            if coefficient == 'kendall':
                columns |= _all_queries(
                    table, x, y, min(n_resamples, 100), confidence_level, generator, correlate
                )
                same = columns['all_high'] == 1
                alike = ', '.join(f'{a} and {b}' for a, b in zip(labels[x][same], labels[y][same]))
                notes = [f'{alike}: no disagreement beyond noise.'] * bool(alike)
            pairs = pd.DataFrame(columns)
            said = f', with {100 * confidence_level:g} % intervals of each value alone'
    frame = _square(values, table.measures)
    return Result(
        frame,
        f'Correlation ({coefficient}) of the rankings of systems by {count(len(frame), "measure")}, as expected on '
        f'{count(n, "query", "queries")} such as these{said}',
        notes,
        partial(matrix, frame, coefficient),
        printed='pairs' if n_resamples else '',
        coefficient=coefficient,
        measures=table.measures,
        values=values,
        interval=interval,
        pairs=pairs,
    )


def _all_queries(
    table: Scores,
    x: Array,
    y: Array,
    n_resamples: int,
    confidence_level: float,
    rng: np.random.Generator,
    correlate: Callable[..., Any],
) -> dict[str, Array]:
    """The columns of Kendall's τ between halves of the queries and on all queries, for pairs of measures x and y."""
    values, n = table.values.transpose(2, 0, 1), len(table.queries)

    def halves(counts: Array, n_halves: int) -> Array:
        """(measures, measures): mean τ between two halves of the queries, each query weighted by its count."""
        drawn = np.flatnonzero(counts)
        order, size = rng.permuted(np.tile(drawn, (n_halves, 1)), axis=1), len(drawn) // 2
        means = []
        for half in (order[:, :size], order[:, size : 2 * size]):
            weights = np.zeros((n_halves, n))
            np.put_along_axis(weights, half, counts[half], axis=1)
            means.append((values @ weights.T).swapaxes(1, 2))
        tau = correlate(means[0][:, None], means[1][None]).mean(axis=2)
        return (tau + tau.T) / 2

    def disattenuated(tau: Array) -> Array:
        """R of the pairs; NaN where a measure does not agree with itself."""
        s = np.sin(np.pi * tau / 2)
        within = np.where(np.diag(s) > 0, np.diag(s), np.nan)
        return s[x, y] / np.sqrt(within[x] * within[y])

    tau = halves(np.ones(n), 200)
    replicates = [
        disattenuated(halves(np.bincount(sample, minlength=n), 20))
        for sample in query_resamples(n, n_resamples, rng)
    ]
    estimate = from_resamples(disattenuated(tau), np.array(replicates), n, confidence_level)
    all_value, low, high = 2 / np.pi * np.arcsin(np.clip(estimate[:3], -1, 1))
    return {
        'across': tau[x, y],
        'within_x': tau[x, x],
        'within_y': tau[y, y],
        'all_queries': all_value,
        'all_low': low,
        'all_high': high,
    }


def preference_agreement(
    scores: ScoresLike,
    preferences: pd.DataFrame,
    *,
    tolerance: float = 1e-9,
    confidence_level: float = 0.95,
) -> Result:
    """How far measures prefer the result lists that users prefer.

    A measure and a user say 'a is better', 'b is better' or 'equal' for two systems on a query; equal is an answer of
    its own. Agreement = (agreements − disagreements) / pairs, in [−1, 1].

    Args:
        scores: :class:`~ir_divmeasures.Scores`, or a tidy DataFrame of scores.
        preferences: columns ``query_id, system_a, system_b, preference`` (above 0: a is better, below 0: b, 0: equal)
            and, for several users, ``user``.
        tolerance: differences of scores up to this are 'equal'.
        confidence_level: confidence level of the interval. Queries are a sample, and so are users if there are several:
            the variance is max(V_queries + V_users − V_cells, V_queries, V_users), where a cell is a user on a query,
            and t has the number of queries or of users less 1 degrees of freedom, whichever is less.

    Returns:
        :class:`~ir_divmeasures.results.Result`, one row per measure: ``agreement, low, high``. The picture shows the
        values as bars.

    Facts:
        measures, users: names.
        n_pairs: preferences compared.
        values: (measures,) agreement over all preferences.
        interval: (measures, 2) confidence interval over queries and, if there are several, users; NaN for one query.

    Raises:
        ValueError: a column is missing, a system or query is unknown, a preference is not a number, there are no
            preferences, or a user has two preferences for one pair.

    Reference: Dou, Yang, Li, Wen, Sakai, IRJ 2019, §5.4 and Table 5.

    Examples:
        The measure agrees with one preference and ties the systems of the other, so agreement is (1 − 1)/2 = 0.

        >>> import pandas as pd
        >>> scores = Scores([[.5, .4], [.2, .4]], systems=['a', 'b'], queries=['q1', 'q2'], measures=['AP'])
        >>> answers = pd.DataFrame({'query_id': ['q1', 'q2'], 'system_a': 'a', 'system_b': 'b', 'preference': [1, 1]})
        >>> preference_agreement(scores, answers).values
        array([0.])
    """
    table, confidence_level = as_scores(scores), fraction(confidence_level, 'confidence_level')
    check_number('tolerance', tolerance, np.inf)
    q, a, b = _pairs(table, preferences)
    frame = preferences.reset_index(drop=True)
    answers = np.sign(pd.to_numeric(frame['preference'], errors='coerce').to_numpy(dtype=float))
    user = frame['user'].astype(str) if 'user' in frame else pd.Series('all', index=frame.index)
    repeated = pd.DataFrame({'user': user, 'q': q, 'a': a, 'b': b}).duplicated()
    wrong = np.isnan(answers) | (repeated & ('user' in frame))
    if wrong.any():
        row = frame.loc[wrong.idxmax()]
        found = (
            f'preference {plain(row.preference)!r}, expected a number'
            if np.isnan(answers[row.name])
            else f'a second row of user {user[row.name]!r}, expected one'
        )
        raise ValueError(
            f'preferences: query {str(row.query_id)!r}, systems {str(row.system_a)!r} and {str(row.system_b)!r}: '
            f'{found}'
        )
    difference = table.values[a, q] - table.values[b, q]
    ahead = (difference > tolerance).astype(np.int8) - (difference < -tolerance).astype(np.int8)
    agrees = np.where(ahead == answers[:, None], 1, -1)  # (N, M)
    estimate = clustered(agrees, q, user, confidence_level=confidence_level)
    interval = np.clip(estimate.interval, -1, 1)
    users = tuple(dict.fromkeys(user))
    values = agrees.mean(axis=0)
    result = pd.DataFrame(
        {'agreement': values, 'low': interval[:, 0], 'high': interval[:, 1]},
        index=pd.Index(table.measures, name='measure'),
    )
    return Result(
        result,
        f'Agreement of {count(len(values), "measure")} with {len(frame):,} preferences of '
        f'{count(len(users), "user")} on {count(len(np.unique(q)), "query", "queries")}: means with intervals '
        f'of each measure alone',
        draw=partial(bars, result, 'agreement', 'agreement with users'),
        measures=table.measures,
        users=users,
        n_pairs=len(frame),
        values=values,
        interval=interval,
    )


def _pairs(table: Scores, preferences: pd.DataFrame) -> list[Array]:
    """The indices of the query and of the two systems of each preference, three arrays (rows,)."""
    for column in PREFERENCES:
        if column not in preferences:
            found = ', '.join(map(str, preferences.columns))
            raise ValueError(f'preferences: no column {column!r} (found {found})')
    if not len(preferences):
        raise ValueError('preferences: the table has no rows')
    indices = []
    for column, names in zip(PREFERENCES, (table.queries, table.systems, table.systems)):
        ids = preferences[column].astype(str)
        places = pd.Index(names).get_indexer(ids)
        if places.min() < 0:
            name = ids.iloc[places.argmin()]
            raise ValueError(
                f'preferences: {column} {name!r} has no scores{did_you_mean(name, names)}'
            )
        indices.append(places)
    return indices


def _square(values: Array, names: tuple[str, ...]) -> pd.DataFrame:
    index = pd.Index(names, name='measure')
    return pd.DataFrame(values, index=index, columns=index)
