"""Agreement of measures with each other, with gold measures, and with the preferences of users."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DivMeasuresWarning, did_you_mean, fraction, one_of, plain, whole
from ..evaluation.scores import Scores, as_scores
from ..lazy import pd
from ..results import Result, count
from ..results.estimates import mean_over_queries
from ..results.plotting import bars, matrix
from ..results.progress import with_progress
from .correlation import COEFFICIENTS, warn_of_measures
from .resampling import (
    bootstrap_weights,
    check_columns,
    clustered,
    from_resamples,
    query_resamples,
)

if TYPE_CHECKING:
    from ..typing import RngLike, ScoresLike

Array = np.ndarray
PREFERENCES = ('query_id', 'system_a', 'system_b', 'preference')


# ------------------------------------------------------------------------------------- measures with measures


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
        coefficient: ``'kendall'``, ``'tau_ap'`` or ``'rbo'``. The row of the matrix is the reference.
        n_resamples: number of resamples of the queries for the confidence intervals, for example 200. The default is 0,
            which gives no intervals. An interval is the value ± t_{Q−1} times its standard deviation over the
            resamples. It covers the correlation to expect of as many such queries. With Kendall's τ, ``pairs`` then
            also has ``all_queries``, an estimate of τ between the rankings by all such queries.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: confidence level of the intervals.
        options: options of the coefficient: ``ties``, ``symmetric``, ``p``.

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
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
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
            least = 0.0 if coefficient == 'rbo' else -1.0
            interval = np.clip(np.array(ends).swapaxes(1, 2), least, 1.0)
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


# -------------------------------------------------------------------------------------------- concordance test


def intuitiveness(
    scores: ScoresLike, gold: str | Iterable[str], *, tolerance: float = 1e-9
) -> Result:
    """Sakai's concordance test: which of two measures agrees with a gold measure more often where the two disagree?

    The test uses all unordered pairs of systems and all queries for which measures a and b strictly disagree on which
    system is better. intuitiveness(a | b) is the share of these cases in which a is concordant with the gold measure,
    which means that a and the gold measure do not strictly disagree. With several gold measures, a must be concordant
    with each. The p-value is that of a t test over queries, since pairs of systems on one query are no independent
    cases: of the number of cases in which only a is right minus the number in which only b is.

    Args:
        scores: :class:`~ir_divmeasures.Scores` of at least two systems, gold measures included.
        gold: name or names of simple measures of the desired property, for example ``'StRecall@10'`` for diversity and
            ``'P@10'`` for relevance.
        tolerance: differences up to this are ties.

    Returns:
        :class:`~ir_divmeasures.results.Result`, one row per two measures that are not gold: ``measure, other,
        disagreements, intuitiveness, other_intuitiveness, pvalue``. The picture shows the values, row given column.

    Facts:
        measures: names of the measures that are not gold.
        values: (measures, measures) share of the cases in which row and column disagree in which the row is concordant
            with the gold measures; NaN without such cases.

    Raises:
        ValueError: an unknown gold measure, fewer than two others, fewer than two systems, NaN.

    Reference: Sakai, WWW 2012, Figure 2.

    Examples:
        The measures disagree on (1, 2) and (2, 3); a sides with the gold in the first, b in both (the second is a tie).
        One query is too few for a test.

        >>> scores = Scores([[[3, 1, 2]], [[2, 2, 3]], [[3, 1, 3]]], measures=['a', 'b', 'gold'])
        >>> intuitiveness(scores, 'gold').to_frame()
          measure other  disagreements  intuitiveness  other_intuitiveness  pvalue
        0       a     b              2            0.5                  1.0     NaN
    """
    table = as_scores(scores)
    golds = [gold] if isinstance(gold, str) else [str(name) for name in gold]
    names = tuple(m for m in table.measures if m not in golds)
    if not golds or len(names) < 2:
        raise ValueError(
            f'{len(golds)} gold measures and {len(names)} others, expected at least one and two'
        )
    if not tolerance >= 0:
        raise ValueError(f'tolerance={tolerance!r}, expected a number from 0 up')
    ahead = _verdicts(table, names, tolerance)
    right = np.all([ahead * g >= 0 for g in _verdicts(table, golds, tolerance)], axis=0)
    rows, shares = [], np.full((len(names), len(names)), np.nan)
    for a, b in itertools.combinations(range(len(names)), 2):
        disagrees, pvalue = ahead[a] * ahead[b] < 0, np.nan
        if disagrees.any():
            shares[a, b], shares[b, a] = right[a][disagrees].mean(), right[b][disagrees].mean()
            by_query = (disagrees * (right[a].astype(int) - right[b])).sum(axis=0)
            pvalue = mean_over_queries(by_query).pvalue if by_query.any() else 1.0
        found = int(disagrees.sum()), shares[a, b], shares[b, a], pvalue
        rows.append((names[a], names[b], *found))
    columns = 'measure other disagreements intuitiveness other_intuitiveness pvalue'
    listed = ', '.join(golds)
    return Result(
        pd.DataFrame(rows, columns=columns.split()),
        f'Intuitiveness of {count(len(names), "measure")} against {listed}: shares of cases on '
        f'{count(len(table.queries), "query", "queries")} in which two measures disagree; p-values of each pair alone',
        draw=partial(matrix, _square(shares, names), f'intuitiveness ({listed})'),
        measures=names,
        values=shares,
    )


def _verdicts(table: Scores, measures: Iterable[str], tolerance: float) -> Array:
    """1, 0 or −1 (first better, tied, second better) for every unordered pair of systems, (measures, pairs, queries)."""
    i, j = np.triu_indices(len(table.systems), 1)
    return np.array([_sign(table[name][i] - table[name][j], tolerance) for name in measures])


def _sign(difference: Array, tolerance: float) -> Array:
    return (difference > tolerance).astype(np.int8) - (difference < -tolerance).astype(np.int8)


# ------------------------------------------------------------------------------------- pairs of result lists


def measure_agreement(
    scores: ScoresLike, pairs: pd.DataFrame | None = None, *, tolerance: float = 1e-9
) -> Result:
    """How often every two measures prefer the same of two result lists.

    For two systems on a query, the answer of a measure is 'a is better', 'b is better' or 'equal'. Agreement is
    (agreements − disagreements) / pairs, in [−1, 1].

    Args:
        scores: :class:`~ir_divmeasures.Scores`, or a tidy DataFrame of scores.
        pairs: columns ``query_id, system_a, system_b``, as in results of :func:`sample_pairs` or in preferences. The
            default is all pairs of systems on all queries.
        tolerance: differences of scores up to this are 'equal'.

    Returns:
        :class:`~ir_divmeasures.results.Result`: the matrix, measures × measures; its picture has shaded cells.

    Facts:
        measures: names.
        n_pairs: number of pairs of result lists.
        values: (measures, measures) agreement.

    Raises:
        ValueError: a missing column, an unknown system or query, no pairs.

    Reference: Dou, Yang, Li, Wen, Sakai, IRJ 2019, §5.4 and Table 5.

    Examples:
        AP and RR disagree on q2, where RR ties the systems.

        >>> scores = Scores([[[.5, 1], [.2, 1]], [[.4, .5], [.4, 1]]], systems=['a', 'b'], measures=['AP', 'RR'])
        >>> measure_agreement(scores).values
        array([[1., 0.],
               [0., 1.]])
    """
    table = as_scores(scores)
    if pairs is None:
        ahead = _verdicts(table, table.measures, tolerance).reshape(len(table.measures), -1)
    else:
        q, a, b = _pairs(table, pairs, PREFERENCES[:3], 'pairs')
        ahead = _sign(table.values[a, q] - table.values[b, q], tolerance).T
    values = np.array([2 * (ahead == of_measure).mean(axis=1) - 1 for of_measure in ahead])
    frame, n_pairs = _square(values, table.measures), ahead.shape[1]
    return Result(
        frame,
        f'Agreement of {count(len(ahead), "measure")} on {count(n_pairs, "pair")} of result lists',
        draw=partial(matrix, frame, 'agreement'),
        measures=table.measures,
        n_pairs=n_pairs,
        values=values,
    )


def sample_pairs(
    scores: ScoresLike,
    disagree: Iterable[str] | None = None,
    *,
    n_queries: int = 50,
    n_pairs: int = 5,
    tolerance: float = 1e-9,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Pairs of result lists to show to users, drawn at random, also among those on which two measures disagree.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, or a tidy DataFrame of scores.
        disagree: two measures. For each query, the same number of further pairs is drawn from the pairs for which the
            answers of the two measures differ. A pair that was drawn before is drawn again only if the query has too
            few others.
        n_queries: number of queries to draw from those that have enough pairs.
        n_pairs: number of pairs of each kind for a query.
        tolerance: differences of scores up to this are 'equal'.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        DataFrame ``query_id, system_a, system_b, pool`` (``'random'`` or ``'disagreed'``). Which of two systems is
        ``system_a``, to be shown on the left, is random too. :func:`measure_agreement` takes this table, and
        :func:`preference_agreement` takes it with a column ``preference`` (and ``user``) that users fill.

    Raises:
        ValueError: a measure is unknown, there are not two measures, or too few queries have enough pairs.

    Reference: Dou, Yang, Li, Wen, Sakai, IRJ 2019, §5.4: 50 queries with five pairs of each kind.

    Examples:
        >>> scores = Scores([[[.5, 1]], [[.4, .5]], [[.3, .7]]], systems=['a', 'b', 'c'], measures=['AP', 'RR'])
        >>> sample_pairs(scores, ['AP', 'RR'], n_queries=1, n_pairs=1, rng=1)
          query_id system_a system_b       pool
        0        1        a        c     random
        1        1        c        b  disagreed
    """

    table = as_scores(scores)
    n_queries, n_pairs = whole(n_queries, 'n_queries'), whole(n_pairs, 'n_pairs')
    named = [str(measure) for measure in disagree] if disagree is not None else []
    if disagree is not None and (isinstance(disagree, str) or len(named) != 2):
        raise ValueError(f'disagree={disagree!r}: expected two measures')
    places = np.column_stack(np.triu_indices(len(table.systems), 1))
    enough = np.full(len(table.queries), len(places) >= n_pairs)
    disagrees = None
    if named:
        disagrees = np.not_equal(*_verdicts(table, named, tolerance))  # (pairs, queries)
        enough &= disagrees.sum(axis=0) >= n_pairs
    if enough.sum() < n_queries:
        raise ValueError(
            f'{int(enough.sum())} of {len(enough)} queries have {n_pairs} pairs of systems'
            + (f' on which {named[0]} and {named[1]} disagree' if named else '')
            + f'; n_queries={n_queries}'
        )
    generator = np.random.default_rng(rng)
    rows = []
    for q in np.sort(generator.choice(np.flatnonzero(enough), n_queries, replace=False)).tolist():
        samples = {'random': generator.choice(len(places), n_pairs, replace=False)}
        if disagrees is not None:
            candidates = generator.permutation(np.flatnonzero(disagrees[:, q]))
            again = np.isin(candidates, samples['random'])
            samples['disagreed'] = candidates[np.argsort(again, kind='stable')][:n_pairs]
        for pool, sample in samples.items():
            for pair in sample.tolist():
                a, b = generator.permutation(places[pair]).tolist()
                rows.append((table.queries[q], table.systems[a], table.systems[b], pool))
    return pd.DataFrame(rows, columns=[*PREFERENCES[:3], 'pool'])


# ------------------------------------------------------------------------------------------------------ users


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
    q, a, b = _pairs(table, preferences, PREFERENCES, 'preferences')
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
    ahead = _sign(table.values[a, q] - table.values[b, q], tolerance)
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


def _pairs(table: Scores, pairs: pd.DataFrame, columns: Sequence[str], what: str) -> list[Array]:
    """The indices of the query and of the two systems of each row of a table with these columns, three arrays (rows,)."""
    check_columns(pairs, columns, what)
    if not len(pairs):
        raise ValueError(f'{what}: the table has no rows')
    indices = []
    for column, names in zip(columns, (table.queries, table.systems, table.systems)):
        ids = pairs[column].astype(str)
        places = pd.Index(names).get_indexer(ids)
        if places.min() < 0:
            name = ids.iloc[places.argmin()]
            raise ValueError(f'{what}: {column} {name!r} has no scores{did_you_mean(name, names)}')
        indices.append(places)
    return indices


def _square(values: Array, names: tuple[str, ...]) -> pd.DataFrame:
    index = pd.Index(names, name='measure')
    return pd.DataFrame(values, index=index, columns=index)
