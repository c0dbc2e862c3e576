"""Tests of pairs of systems: one function of p-values, and the tables that follow from it."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ..core.names import label
from ..errors import fraction, one_of, visible, warn, whole
from ..evaluation.means import NO_NAMES, PaperTable
from ..evaluation.scores import Scores, index_of, scores_of
from ..progress import with_progress
from ..results import count, tidy
from ..tables import PAPER, paper_table
from .intervals import EQUAL, NO_SPREAD, mean_interval, resample_queries

if TYPE_CHECKING:
    from ..typing import RngLike, ScoresLike

Array = np.ndarray
FEW = 10
"""With fewer queries there is a warning about p-values of t tests."""
BLOCK = 500_000
"""Number of resampled pairs in a block of the bootstrap."""
WIDTH = 100
"""Number of resamples in a product of matrices. BLAS computes larger products with threads, which cost more than they save."""
TIED = 1e-9
"""Two systems are tied on a query if their scores differ by at most this."""

# ----------------------------------------------------------------------------------------------------------- tests


class Tests(NamedTuple):
    """What :func:`pvalues` returns.

    Attributes:
        statistic: (..., pairs) t, or q of Tukey's test.
        pvalue: (..., pairs) p-values, corrected if there is a correction.
        delta: (...) difference of means that suffices for significance; NaN for tests that do not estimate it.
    """

    statistic: Array
    pvalue: Array
    delta: Array


def pvalues(
    x: Array,
    first: Array,
    second: Array,
    method: str = 't',
    correction: str | None = 'holm',
    *,
    alpha: float = 0.05,
    n_resamples: int = 1000,
    rng: RngLike = None,
) -> Tests:
    """Test pairs of systems for differences of their mean scores.

    With z_q the difference of two systems on query q, Q queries, S systems, x̄ a system's mean and s a standard
    deviation:

    * ``'t'``: two-sided paired t test, t = z̄/(s_z/√Q). Where s_z = 0 or only k ≤ Q/2 differences are not 0, p is at
      least 2^(1−k), because the signs of k differences can say no more.
    * ``'bootstrap'``: paired bootstrap test, p = (1 + hits)/(1 + B). Hits are the resamples w* of z − z̄ with
      \\|t(w*)\\| ≥ \\|t(z)\\|. The difference that a pair needs is \\|w̄*\\| of the resample whose \\|t\\| is the αB-th
      largest; Δ is the largest over pairs. Sakai, SIGIR 2006, Figure 1 and §3; he uses no correction.
    * ``'tukey'``: Tukey's HSD with queries as blocks, q = \\|x̄_i − x̄_j\\|/√(MSE/Q) in the studentised range of S
      systems with (S−1)(Q−1) degrees of freedom. It corrects for all pairs of systems and ignores ``correction``. It
      assumes that all systems spread equally around the means of queries. Carterette, TOIS 2012. Δ is the honestly
      significant difference.
    * ``'unpaired'``: t test with pooled variance, as in the program of Türkmen et al., ECIR 2023, who use no
      correction.

    Args:
        x: (..., systems, queries) scores, for example of several measures. Measures share the resamples.
        first, second: (pairs,) indices of the systems of each pair.
        method: the test.
        correction: ``'holm'``, over the pairs of each measure, or None.
        alpha: level of significance, for Δ.
        n_resamples: number of resamples B of the bootstrap.
        rng: seed or generator as for ``numpy.random.default_rng``.

    Returns:
        :class:`Tests`. p is 1 where two systems have equal scores on every query.

    Raises:
        ValueError: an unknown method or correction, one query, or too few resamples for a p-value below alpha.

    Examples:
        >>> x = np.array([[.1, .2, .3, .2], [.5, .6, .6, .7], [.1, .2, .3, .3]])
        >>> pvalues(x, *np.triu_indices(3, 1)).pvalue.round(4)
        array([0.0045, 1.    , 0.0019])
    """
    one_of(method, METHODS, 'method')
    if correction is not None:
        one_of(correction, ['holm'], 'correction')
    alpha, n_resamples = fraction(alpha, 'alpha'), whole(n_resamples, 'n_resamples')
    *shape, n_systems, n = x.shape
    if n < 2:
        raise ValueError('scores of 1 query, expected at least two')
    family = len(first) if correction else 1
    if method == 'bootstrap' and family / (1 + n_resamples) >= alpha:
        scope = f' after Holm over {count(family, "pair")}' if correction else ''
        raise ValueError(
            f'{n_resamples} resamples cannot reach p < {alpha:g}{scope}; '
            f'n_resamples={int(family / alpha + 1e-9)} or more'
        )
    measures = np.ascontiguousarray(x, dtype=float).reshape(-1, n_systems, n)
    test, _ = METHODS[method]
    tests = test(measures, first, second, alpha, n_resamples, np.random.default_rng(rng))
    if correction and method != 'tukey':
        tests = tests._replace(pvalue=holm(tests.pvalue))
    return Tests(*(part.reshape((*shape, *part.shape[1:])) for part in tests))


def holm(pvalue: Array) -> Array:
    """Correct p-values (..., tests) by Holm's method along the last axis: max_{j≤i} (m − j + 1) p_(j), at most 1.

    Examples:
        >>> holm(np.array([0.01, 0.04, 0.03]))
        array([0.03, 0.06, 0.06])
    """
    order = np.argsort(pvalue, axis=-1, kind='stable')
    products = np.take_along_axis(pvalue, order, axis=-1) * np.arange(pvalue.shape[-1], 0, -1)
    result = np.minimum(np.maximum.accumulate(products, axis=-1), 1.0)
    return np.take_along_axis(result, np.argsort(order, axis=-1), axis=-1)


def paired_t(z: Array) -> tuple[Array, Array]:
    """Return t and p of paired t tests of differences (..., Q); see :func:`pvalues`.

    Examples:
        >>> paired_t(np.array([.1] * 5))[1], paired_t(np.array([.1] * 3 + [0] * 7))[1].round(4)
        (np.float64(0.0625), np.float64(0.25))
    """
    from scipy.special import stdtr

    n, n_different, mean = z.shape[-1], (np.abs(z) > EQUAL).sum(axis=-1), z.mean(axis=-1)
    spread = z.std(axis=-1, ddof=min(1, n - 1))  # p is NaN for one query
    t = _ratio(mean, np.where(n_different == 0, np.inf, spread) / np.sqrt(n))
    is_rough = (spread < NO_SPREAD) | (n_different <= n / 2)
    least = np.where(is_rough, np.minimum(2.0 ** (1 - n_different), 1), 0)
    return t, np.maximum(2 * stdtr(n - 1, -np.abs(t)), least)


def _ratio(difference: Array, error: Array) -> Array:
    """difference/error: 0 where the difference is 0 up to rounding, infinite where only the error is."""
    with np.errstate(divide='ignore', invalid='ignore'):
        ratio = difference / np.where(error < NO_SPREAD, 0.0, error)
    return np.where(np.abs(difference) < EQUAL, 0.0, ratio)


# Each method takes scores (M, S, Q), the pairs, alpha, B and a generator, and returns Tests without a correction.


def _t(x: Array, first: Array, second: Array, *_: Any) -> Tests:
    t, p = zip(*(paired_t(y[first] - y[second]) for y in with_progress(x, 'measures')))
    return Tests(np.array(t), np.array(p), np.full(len(x), np.nan))


def _bootstrap(
    x: Array, first: Array, second: Array, alpha: float, n_resamples: int, rng: np.random.Generator
) -> Tests:
    """Compare (Σ w)²/Σ w² of resamples with that of z, which increases with t², so that no variances are needed.

    The ratios of resamples have single precision, in which matrices are multiplied twice as fast. Σ w is a difference of
    sums of two systems. Ratios that are so near that of z that rounding may decide are computed again.
    """
    n = x.shape[2]
    counts = np.ones((n, -(-n_resamples // WIDTH) * WIDTH), np.float32)  # the end is unused
    counts[:, :n_resamples] = resample_queries(n, n_resamples, rng).T
    borderline = min(max(int(alpha * n_resamples), 1), n_resamples)
    hits, widest = np.empty((len(x), len(first)), dtype=np.intp), np.zeros(len(x))
    parts = np.ascontiguousarray(counts.reshape(n, -1, WIDTH).swapaxes(0, 1))
    n_blocks = len(first) * n_resamples // BLOCK + 1
    buffers = np.empty((3, -(-len(first) // n_blocks), counts.shape[1]), np.float32)
    scale = np.maximum(np.abs(x).max(axis=(1, 2)), 1e-300)
    for m, y in enumerate(with_progress(x / scale[:, None, None], 'measures')):
        z = y[first] - y[second]
        mean, mean_square = z.mean(axis=1), np.square(z).mean(axis=1)
        mean[np.abs(mean) < EQUAL] = 0.0
        ratio = n * np.square(mean) / np.where(mean == 0, 1.0, mean_square)
        z -= mean[:, None]
        z[np.abs(z) <= NO_SPREAD] = 0.0
        sums = (y - y.mean(axis=1, keepdims=True)) @ counts
        spread, root = np.linalg.norm(z, axis=1), np.sqrt(ratio)
        error = (
            1e-6 * np.abs(sums).max() / np.where(spread * root == 0, np.inf, spread) + 1e-5 * root
        )
        low, high = (np.square(np.maximum(end, 0)) for end in (root - error, root + error))
        sums, low, high = (part.astype(np.float32) for part in (sums, low, high))
        for rows in np.array_split(np.argsort(-spread), n_blocks):
            squares, ratios, divisors = buffers[:, : len(rows)]
            np.take(sums, first[rows], axis=0, out=squares, mode='clip')
            squares -= np.take(sums, second[rows], axis=0, out=divisors, mode='clip')
            squares *= squares
            squares[spread[rows] == 0] = 0.0
            z_squared = (np.square(z[rows]) + 1e-30).astype(np.float32)
            by_part = divisors.reshape(len(rows), -1, WIDTH).swapaxes(0, 1)
            np.matmul(z_squared, parts, out=by_part)
            ratios = np.divide(squares, divisors, out=ratios)[:, :n_resamples]
            is_hit, is_near = ratios >= high[rows, None], ratios >= low[rows, None]
            is_near ^= is_hit
            row, column = np.divmod(np.flatnonzero(is_near), n_resamples)
            count_z, near_z = counts.T[column], z[rows[row]]
            square_of_sum = np.square((count_z * near_z).sum(axis=1))
            sum_of_squares = (count_z * np.square(near_z)).sum(axis=1)
            is_hit[row, column] = square_of_sum >= ratio[rows[row]] * sum_of_squares * (1 - EQUAL)
            hits[m, rows] = [np.count_nonzero(hits_of_pair) for hits_of_pair in is_hit]
            wide = np.flatnonzero(squares.max(axis=1) > widest[m])
            if len(wide):  # the border of other pairs is at a smaller difference
                candidates = ratios[wide]
                border = np.partition(candidates, -borderline, axis=1)[:, -borderline, None]
                places = (candidates == border).argmax(axis=1)
                widest[m] = max(widest[m], squares[wide, places].max())
    delta = scale * np.sqrt(widest) / n
    return Tests(_t(x, first, second).statistic, (1 + hits) / (1 + n_resamples), delta)


def _tukey(x: Array, first: Array, second: Array, alpha: float, *_: Any) -> Tests:
    _, n_systems, n = x.shape
    means = x.mean(axis=2)
    residual = x - means[:, :, None]
    residual -= residual.mean(axis=1, keepdims=True)
    df = (n_systems - 1) * (n - 1)
    error = np.sqrt(np.square(residual).sum(axis=(1, 2)) / df / n)
    q = _ratio(np.abs(means[:, first] - means[:, second]), error[:, None])
    p, critical = studentised_range(q, n_systems, df, alpha)
    return Tests(q, p, critical * error)


def studentised_range(q: Array, k: int, df: int, alpha: float) -> tuple[Array, float]:
    """Return P(range/s ≥ q) of the range of k normal variables over their estimated deviation s, and the q of alpha.

    Both are interpolated between 300 values of q, whose probabilities are integrals by the trapezoidal rule over log s
    and over the largest variable z: P = 1 − ∫ f(s) k ∫ φ(z) [Φ(z) − Φ(z − qs)]^(k−1) dz ds. Values below 1e-8 are 0.
    (``scipy.stats.studentized_range`` takes 6 ms for each q.)

    Examples:
        >>> p, critical = studentised_range(np.array([3.5]), 3, 20, 0.05)
        >>> p.round(4), round(critical, 3)
        (array([0.0559]), 3.578)
    """
    from scipy.interpolate import CubicSpline
    from scipy.special import chdtri, gammaln, ndtr

    least, most = np.log(chdtri(df, [1 - 1e-15, 1e-15]) / df) / 2
    v = np.linspace(least, most, 150)  # log s
    density = np.exp(df * v - df / 2 * np.exp(2 * v) + df / 2 * np.log(df / 2) - gammaln(df / 2))
    z = np.linspace(-9, 9, 120)
    peak = k * np.exp(-np.square(z) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])

    def exceeds(q: float) -> float:
        w = q * np.exp(v)[:, None]
        inside = (ndtr(z) - ndtr(z - w)) ** (k - 1) @ peak
        return float(density / density.sum() @ (1 - inside))

    end = 8.0
    while exceeds(end) > 1e-8:
        end *= 1.5
    places = np.geomspace(1e-3, end, 300)
    p = np.maximum([exceeds(place) for place in places], 1e-12)
    curve = CubicSpline(np.log(places), np.log(p))
    result = np.exp(np.minimum(curve(np.log(np.clip(q, places[0], end))), 0.0))
    critical = np.exp(curve.solve(np.log(alpha), extrapolate=False)[0])
    return np.where(q >= end, 0.0, np.where(q < places[0], 1.0, result)), float(critical)


def _unpaired(x: Array, first: Array, second: Array, *_: Any) -> Tests:
    from scipy.special import stdtr

    n, variances, means = x.shape[2], x.var(axis=2, ddof=1), x.mean(axis=2)
    error = np.sqrt((variances[:, first] + variances[:, second]) / n)
    t = _ratio(means[:, first] - means[:, second], error)
    return Tests(t, 2 * stdtr(2 * n - 2, -np.abs(t)), np.full(len(x), np.nan))


METHODS: dict[str, tuple[Callable[..., Tests], str]] = {
    't': (_t, 'paired t test'),
    'bootstrap': (_bootstrap, 'paired bootstrap test'),
    'tukey': (_tukey, "Tukey's HSD"),
    'unpaired': (_unpaired, 'unpaired t test'),
}
"""The tests by name, and what they are called."""


def describe_test(method: str, correction: str | None, n_pairs: int, alpha: float) -> str:
    """Return a test, its family of pairs and its level in words.

    Examples:
        >>> describe_test('t', 'holm', 5, 0.05)
        'paired t test, Holm over 5 pairs, p < 0.05'
    """
    family = 'uncorrected' if correction is None else f'Holm over {count(n_pairs, "pair")}'
    if method == 'tukey':
        family = 'all systems together'
    return ', '.join([METHODS[method][1], *[family] * (n_pairs > 1), f'p < {alpha:g}'])


def table_of(scores: ScoresLike, method: str = 't') -> tuple[Scores, Array]:
    """The scores, and their array (measures, systems, queries). Warns where t tests are rough."""
    table = scores_of(scores)
    if method == 't' and len(table.queries) < FEW:
        warn(f'Few queries: p-values of t tests are rough below {FEW}')
    return table, np.ascontiguousarray(table.values.transpose(2, 0, 1))


# ---------------------------------------------------------------------------------------------------------- tables


def discriminative_power(
    scores: ScoresLike,
    method: str = 't',
    correction: str | None = 'holm',
    *,
    alpha: float = 0.05,
    n_resamples: int = 1000,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Count the pairs of systems that differ significantly by each measure.

    ``discriminative_power(scores, 'bootstrap', None)`` is the analysis of Sakai, SIGIR 2006. The p-values of all pairs,
    for curves of achieved significance levels, are those of ``compare(scores, pairs='all', …)``.

    Args:
        scores: a :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures), or a
            DataFrame of scores.
        method, correction, alpha, n_resamples, rng: as for :func:`pvalues`. A pair differs significantly if p < alpha.

    Returns:
        A row for each measure: ``measure, significant`` (number of pairs)``, pairs, power`` (their share)``, delta``
        (the difference of means that suffices for significance, of ``'bootstrap'`` and ``'tukey'``)``, test``.

    Raises:
        ValueError: fewer than two systems or queries, and what :func:`pvalues` raises.

    Examples:
        >>> x = [[.1, .2, .3, .2] * 3, [.5, .6, .6, .7] * 3, [.1, .2, .3, .3] * 3]
        >>> discriminative_power(x)[['measure', 'significant', 'pairs']]
          measure  significant  pairs
        0   score            2      3
    """
    table, x = table_of(scores, method)
    first, second = np.triu_indices(len(table.systems), 1)
    tests = pvalues(
        x, first, second, method, correction, alpha=alpha, n_resamples=n_resamples, rng=rng
    )
    significant = (tests.pvalue < alpha).sum(axis=-1)
    return tidy(
        measure=table.measures,
        significant=significant,
        pairs=len(first),
        power=significant / len(first),
        delta=tests.delta,
        test=describe_test(method, correction, len(first), alpha),
    )


def compare(
    scores: ScoresLike,
    baseline: str | int | Sequence[str | int] | None = None,
    *,
    pairs: str = 'baseline',
    method: str = 't',
    correction: str | None = 'holm',
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RngLike = None,
) -> Comparison:
    """Compare systems with one or several baselines, or all pairs of systems, measure by measure.

    Args:
        scores: a :class:`~ir_divmeasures.Scores`, an array (systems, queries) or (systems, queries, measures), or a
            DataFrame of scores.
        baseline: the name of a system, its position, or a list of these. The default is the first system.
        pairs: ``'baseline'``, or ``'all'`` to compare every two systems.
        method, correction, alpha, n_resamples, rng: as for :func:`pvalues`. The correction is over all tested pairs of
            a measure.
        confidence_level: confidence level of the interval of each difference, which is not corrected for the number of
            pairs: it can exclude 0 where the difference is not significant.

    Returns:
        :class:`Comparison`, a row for each measure and tested pair.

    Raises:
        ValueError: an unknown system, method or correction, fewer than two systems or queries.

    Examples:
        >>> a, b = [.8, .6, .9, .7, .5, .8, 1, .7, .8, .7], [.7, .6, .8, .6, .5, .6, .9, .7, .7, .6]
        >>> result = compare([b, a])
        >>> result[['system', 'other', 'difference', 'low', 'high', 'pvalue', 'verdict']].round(3)
            system    other  difference    low   high  pvalue verdict
        0  system2  system1        0.08  0.035  0.125   0.003  better
        >>> print(result.to_markdown(places=2))
        | system | score |
        | --- | ---: |
        | system1 | 0.67 |
        | system2 | **0.75**<sup>+</sup> |
        <BLANKLINE>
        bold: best; +/-: significantly better/worse than system1 (paired t test, p &lt; 0.05, 10 queries)
    """
    table, x = table_of(scores, method)
    one_of(pairs, ('baseline', 'all'), 'pairs')
    n_systems = len(table.systems)
    if pairs == 'all':
        first, second = np.triu_indices(n_systems, 1)
    else:
        names: Any = 0 if baseline is None else baseline
        names = [names] if isinstance(names, (str, int, np.integer)) else names
        bases = list(dict.fromkeys(_place(name, table.systems) for name in names))
        if not bases:
            raise ValueError('baseline: expected at least one system')
        first, second = np.array(
            [
                (s, base)
                for place, base in enumerate(bases)
                for s in range(n_systems)
                if s not in bases[: place + 1]
            ]
        ).T
    tests = pvalues(
        x, first, second, method, correction, alpha=alpha, n_resamples=n_resamples, rng=rng
    )
    z, mean = x[:, first] - x[:, second], x.mean(axis=2)
    difference, spread = z.mean(axis=2), z.std(axis=2, ddof=1)
    low, high = mean_interval(z, fraction(confidence_level, 'confidence_level'))
    verdict = np.where(difference > 0, 'better', 'worse').astype(object)
    verdict[tests.pvalue >= alpha] = 'undecided'
    systems = np.array(table.systems, dtype=object)
    return Comparison(
        tidy(
            measure=[[measure] for measure in table.measures],
            system=systems[first],
            other=systems[second],
            mean=mean[:, first],
            other_mean=mean[:, second],
            difference=difference,
            low=low,
            high=high,
            effect=difference / np.where(spread < NO_SPREAD, np.nan, spread),
            statistic=tests.statistic,
            pvalue=tests.pvalue,
            verdict=verdict,
            wins=(z > TIED).sum(axis=2),
            ties=(np.abs(z) <= TIED).sum(axis=2),
            losses=(z < -TIED).sum(axis=2),
            n_queries=len(table.queries),
            test=describe_test(method, correction, len(first), alpha),
        )
    )


def _place(baseline: Any, systems: tuple[str, ...]) -> int:
    """The index of a system that is named or given by its position."""
    if isinstance(baseline, str):
        return index_of(baseline, systems, 'system')
    if not -len(systems) <= baseline < len(systems):
        raise ValueError(
            f'baseline={baseline}: expected a name, or a position from 0 to {len(systems) - 1}'
        )
    return int(baseline) % len(systems)


class Comparison(PaperTable):
    """The table of :func:`compare`, a DataFrame that can also be written as the table of a paper.

    Columns: ``measure, system, other`` (the two systems)``, mean, other_mean`` (their means)``, difference`` (of the
    means)``, low, high`` (the t interval of the difference)``, effect`` (z̄/s_z)``, statistic, pvalue`` (corrected)``,
    verdict`` (``'better'``, ``'worse'`` or ``'undecided'``: whether the system differs significantly from the other
    one)``, wins, ties, losses`` (numbers of queries)``, n_queries, test`` (in words).

    :meth:`to_latex` (for booktabs), :meth:`to_markdown` and :meth:`to_html` write the means of systems by measures. All
    values that round to the best of a measure are bold. With one baseline, + and − mark means that are significantly
    better and worse. Otherwise letters name the systems that a system is significantly better than. They take
    ``places=4``, the number of decimals, and ``names={}``, new names of systems and measures by their old ones.
    """

    def to_paper(self, form: str, places: int = 4, names: Mapping[str, str] = NO_NAMES) -> str:
        """Write the table of a paper.

        Args:
            form: ``'latex'``, ``'markdown'``, ``'html'`` or ``'table'`` (plain text).
            places: number of decimals.
            names: new names of systems and measures by their old ones.

        Raises:
            ValueError: an unknown form, or a column of :func:`compare` is missing.
        """
        one_of(form, PAPER, 'form')
        if missing := {*COLUMNS} - {*self.columns}:
            raise ValueError(
                f'no column {", ".join(sorted(missing))}; expected the table of compare()'
            )
        others, measures = self['other'].unique(), self['measure'].unique()
        base = others[0] if len(others) == 1 else None
        systems = list(dict.fromkeys([*[base] * bool(base), *self['system'], *others]))
        has_letters = len(systems) <= len(string.ascii_lowercase)
        signs = string.ascii_lowercase if has_letters else map(str, range(1, len(systems) + 1))
        letters = dict(zip(systems, signs))
        means: dict[tuple[str, str], float] = {}
        marks: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in self.itertuples():
            system, other = (row.system, row.measure), (row.other, row.measure)
            means |= {system: row.mean, other: row.other_mean}
            if row.verdict == 'better':
                marks[system].append('+' if base else letters[row.other])
            if row.verdict == 'worse':
                marks[system if base else other].append('-' if base else letters[row.system])
        legend = 'letters: significantly better than that system'
        if base:
            legend = f'+/-: significantly better/worse than {visible(names.get(base, base))}'
        queries = count(int(self['n_queries'].iloc[0]), 'query', 'queries')
        titles = {s: names.get(s, s) + ('' if base else f' ({letters[s]})') for s in systems}
        return paper_table(
            ['system', *(names.get(m) or (m if form == 'table' else label(m)) for m in measures)],
            [(titles[s], [means[s, m] for m in measures]) for s in systems],
            form,
            places,
            [[('' if has_letters else ',').join(marks[s, m]) for m in measures] for s in systems],
            f'{legend} ({self["test"].iloc[0]}, {queries})',
        )


COLUMNS = ('measure', 'system', 'other', 'mean', 'other_mean', 'verdict', 'n_queries', 'test')
"""The columns of a :class:`Comparison` that the table of a paper needs."""
