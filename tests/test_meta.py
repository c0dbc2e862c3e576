"""Meta-evaluation against published numbers, scipy, statsmodels and literal loops."""

import importlib
import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from ir_divmeasures import Scores, meta
from ir_divmeasures.estimates import bounded, jackknife
from ir_divmeasures.meta import significance
from ir_divmeasures.meta.resampling import bootstrap_weights, clustered
from ir_divmeasures.meta.significance import studentised_range_sf

from .builders import expect_error, expect_warning, refused
from .reference import meta as twin

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


def some_scores(seed, systems=5, queries=7, measures=3, steps=5):
    """Scores on a coarse grid, so that ties happen."""
    return np.random.default_rng(seed).integers(0, steps + 1, (systems, queries, measures)) / steps


# ------------------------------------------------------------------------------------------------ correlation

# https://github.com/julian-urbano/ircor, tests/testthat (commit 6335f56): data, and the expected τ_AP, τ_AP,a with ties
# in y, symmetric τ_AP, and τ_AP,b of the data rounded to one decimal.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.7454, 0.8333, 0.7321),
    ),
]


@pytest.mark.parametrize('x, y, expected', IRCOR)
def test_tau_ap_of_ircor(x, y, expected):
    x_ties, y_ties = np.round(x, 1), np.round(y, 1)
    found = [
        meta.tau_ap(x, y),
        meta.tau_ap(x, y_ties, ties='a'),
        meta.tau_ap(x, y, symmetric=True),
        meta.tau_ap(x_ties, y_ties, ties='b'),
    ]
    assert found == pytest.approx(expected, abs=5e-5)
    assert meta.tau_ap(x, y, ties='b') == pytest.approx(found[2])
    assert meta.tau_ap(y_ties, x_ties, ties='b') == found[3]


def test_correlations_of_ircor_readme_and_by_hand():
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    x_ties, y_ties = np.round(x * 5) / 5, np.round(y * 5) / 5
    assert meta.kendall(x, y) == pytest.approx(0.7777778, abs=5e-8)
    assert meta.kendall(x_ties, y_ties) == pytest.approx(0.75, abs=5e-8)
    assert meta.tau_ap(x, y_ties) == pytest.approx(0.6074515, abs=5e-8)
    assert meta.tau_ap(x_ties, y_ties, ties='b') == pytest.approx(0.6269841, abs=5e-8)
    # Truth A B C D, estimate B A C D: C(2)/1 = 0, C(3)/2 = 1, C(4)/3 = 1; 2/3 · 2 − 1.
    assert meta.tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(1 / 3)
    # The exchange at the bottom costs less: 1 + 1 + 2/3.
    assert meta.tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)


@pytest.mark.parametrize('seed', range(2))
def test_correlations_against_loops(seed, monkeypatch):
    """Five rankings in one call, which computes two of them in a block."""
    monkeypatch.setattr(importlib.import_module('ir_divmeasures.meta.correlation'), '_CELLS', 72)
    x, y = np.random.default_rng(seed).permuted(np.tile([0, 1, 1, 2, 3, 3], (2, 5, 1)), axis=2)
    pairs = list(zip(x, y))
    tau = [scipy.stats.kendalltau(a, b).statistic for a, b in pairs]
    assert meta.kendall(x, y) == pytest.approx(np.array(tau))
    forth, back = (np.array([twin.tau_ap_a(a, b) for a, b in each]) for each in (pairs, zip(y, x)))
    assert meta.tau_ap(x, y) == pytest.approx(forth)
    assert meta.tau_ap(x, y, symmetric=True) == pytest.approx((forth + back) / 2)


def test_correlation_limits():
    x = np.arange(8)
    for function in (meta.kendall, meta.tau_ap):
        assert function(x, x) == pytest.approx(1)
        assert function(x, -x) == pytest.approx(-1)
        with expect_warning('1 of 1 pairs of rankings'):
            assert function(x, np.ones(8)) == 0


@pytest.mark.parametrize(
    'x, y, message',
    [
        ([1, 2], [1, 2, 3], 'x ranks 2 systems and y 3'),
        ([1], [2], 'at least two'),
        ([1, float('nan')], [1, 2], r'x\[1\] is nan'),
        ([1, 2], [1, float('inf')], r'y\[1\] is inf'),
        (1, 2, 'single number'),
        (np.ones((2, 3)), np.ones((4, 3)), 'do not fit together'),
    ],
)
def test_correlation_errors(x, y, message):
    for function in (meta.kendall, meta.tau_ap):
        refused(message, function, x, y)


# -------------------------------------------------------------------------------------------------- unanimity


def test_unanimity_ties_are_relative_to_the_measure():
    values = some_scores(2, 5, 8, 3)
    small = values * np.array([1e-13, 1, 1e6])  # RBU's p^i deep down, say: small is not tied
    assert meta.unanimity(small).values == pytest.approx(meta.unanimity(values).values)
    coarse = meta.unanimity(values, tolerance=2.0)  # everything is tied
    assert coarse.values == pytest.approx([0, 0, 0]) and (coarse.unanimous == 1).all()


def test_unanimity_ignores_rounding_noise_and_extremes():
    values = np.array([[[0.3, 0.3]], [[0.1 + 0.2, 0.3]]])  # 0.1 + 0.2 is 0.30000000000000004
    assert meta.unanimity(values).values == pytest.approx([0, 0])
    opposed = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    assert meta.unanimity(opposed).values.tolist() == [-math.inf, -math.inf]
    never = np.array(
        [[[1.0, 0.0, 5.0]], [[0.0, 1.0, 4.0]]]
    )  # the first and third agree; the second contradicts both
    with expect_warning('of 2 of 3 measures'):
        assert meta.unanimity(never).values.tolist() == [0, -math.inf, 0]


@pytest.mark.parametrize('seed', range(2))
@pytest.mark.parametrize('against', ['all', 'others', 'siblings'])
def test_parts_of_unanimity_against_loops(seed, against, monkeypatch):
    """Each part is counted by its words, and MU is what the parts make. Blocks have one query or all."""
    if seed:
        monkeypatch.setattr(importlib.import_module('ir_divmeasures.meta.unanimity'), '_CELLS', 16)
    values = some_scores(seed, 5, 6, 5, steps=2)
    scores = Scores(values, measures=list('abcde'))
    families = {'a': 'x', 'd': 'x', 'b': 'y', 'c': 'y'}
    outside = [[1, 2, 4], [0, 3, 4], [0, 3, 4], [1, 2, 4], [0, 1, 2, 3]]
    compared = outside
    if against == 'all':
        compared = [[m for m in range(5) if m != own] for own in range(5)]
    if against == 'siblings':
        families['e'] = 'y'
        outside, compared = [[]] * 5, [[3], [2, 4], [1, 4], [0], [1, 2]]
    found = meta.unanimity(scores, families=families, against=against)
    dropped = meta.unanimity(scores, families=families, against=against, tied='dropped')
    for m in range(5):
        parts = twin.unanimity_parts(values.tolist(), m, compared[m], outside[m])
        seen, missed, contradicted = parts['seen'], parts['missed'], parts['contradicted']
        assert [seen, missed, contradicted, parts['broken'], parts['kin']] == [
            getattr(found, name)[m] for name in ('seen', 'missed', 'contradicted', 'broken', 'kin')
        ]
        u, t = parts['unanimous'], parts['tied']
        assert seen + missed + contradicted == found.improvements[m] == u - t
        assert found.values[m] == pytest.approx(math.log2(2 * (seen + missed / 2 + t / 2) / u))
        assert found.values[m] == pytest.approx(twin.unanimity(values.tolist(), m, compared[m]))
        assert found.ceiling[m] == pytest.approx(math.log2(2 - t / u))
        share = (seen + missed / 2) / (u - t)
        assert dropped.values[m] == pytest.approx(math.log2(2 * share) if share else -math.inf)
    assert (found.values <= found.ceiling + 1e-12).all() and (dropped.ceiling == 1).all()
    if against == 'all':
        assert np.array_equal(found.values, meta.unanimity(scores).values)


def test_intervals_of_unanimity():
    scores = Scores(some_scores(1, 6, 30, 3), measures=['a', 'b', 'c'])
    found = meta.unanimity(scores)
    low, high = found.interval.T
    for q in (0, 7):  # MU without a query is MU of the others
        rest = scores.select(queries=np.delete(scores.queries, q).tolist())
        assert found.without[q] == pytest.approx(meta.unanimity(rest).values)
    # By hand: the share x = 2^(MU − 1), its jackknife, and the ends of a share mapped back.
    shares = 2.0 ** (found.without[:, 0] - 1)
    error = math.sqrt(29 / 30 * sum((x - np.mean(shares)) ** 2 for x in shares))
    ends = bounded(2.0 ** (found.values[0] - 1), error, found.n_queries[0])[1:3]
    assert (low[0], high[0]) == pytest.approx(np.log2(2 * np.array(ends)))
    one = found.difference('a', 'b')
    assert one.value == pytest.approx(found.values[0] - found.values[1])
    assert one.low < one.value < one.high
    again = meta.Unanimity.averaged([found, found])
    assert again.values == pytest.approx(found.values)
    assert again.interval == pytest.approx(found.interval)


def test_degenerate_intervals_of_unanimity():
    """All improvements on 8 queries are seen, or none: Jeffreys' ends for 8 of 8 and 0 of 8."""
    right = meta.unanimity(np.stack([np.ones((8, 2)), np.zeros((8, 2))]))
    low = scipy.stats.beta.ppf(0.025, 8.5, 0.5)
    assert right.interval == pytest.approx(np.array([[math.log2(2 * low), 1]] * 2))
    wrong = meta.unanimity(np.stack([np.tile([1.0, 0.0], (8, 1)), np.tile([0.0, 1.0], (8, 1))]))
    assert wrong.interval == pytest.approx(np.array([[-math.inf, math.log2(2 * (1 - low))]] * 2))
    assert np.isnan(wrong.difference('measure1', 'measure2')[1:]).all()
    assert np.isnan(meta.unanimity(np.random.default_rng(0).random((5, 1, 2))).interval).all()


# ----------------------------------------------------------------------------------------------- significance

PAIRS5 = list(itertools.combinations(range(5), 2))


def test_bootstrap_against_loops():
    values = np.random.default_rng(0).random((5, 8, 2))
    found = meta.discriminative_power(
        values, 'bootstrap', correction=None, rng=0, n_resamples=100, alpha=0.1
    )
    counts = np.rint(bootstrap_weights(8, 100, np.random.default_rng(0)) * 8).astype(int)
    samples = [np.repeat(np.arange(8), row).tolist() for row in counts]
    for m in range(2):
        p, delta = zip(
            *(twin.bootstrap(values[i, :, m], values[j, :, m], samples, 0.1) for i, j in PAIRS5)
        )
        assert found.pvalues[m] == pytest.approx(p) and found.delta[m] == pytest.approx(max(delta))


def test_tests_against_scipy():
    values = np.random.default_rng(0).random((5, 9, 2)).round(1)
    by = {
        name: meta.discriminative_power(values, name, correction=None).pvalues
        for name in ('t', 'tukey_pairwise')
    }
    for m, (p, (i, j)) in itertools.product(range(2), enumerate(PAIRS5)):
        a, b = values[[i, j], :, m]
        k = (a != b).sum()
        least = 2.0 ** (1 - k) if k <= 9 / 2 else 0
        assert by['t'][m, p] == pytest.approx(max(scipy.stats.ttest_rel(a, b).pvalue, least))
        assert by['tukey_pairwise'][m, p] == pytest.approx(scipy.stats.ttest_ind(a, b).pvalue)
        if m == 0:
            hsd = scipy.stats.tukey_hsd(a, b).pvalue[0, 1]
            assert by['tukey_pairwise'][m, p] == pytest.approx(hsd, abs=1e-6)


def test_tukey_against_statsmodels():
    linear = pytest.importorskip('statsmodels.formula.api')

    x = np.random.default_rng(5).random((4, 10)) + np.array([[0], [0.1], [0.3], [0.5]])
    frame = Scores(x).to_frame()
    pairs = list(itertools.combinations(range(4), 2))
    # Queries as blocks: mean squared error of the two-way model, studentised range.
    fit = linear.ols('value ~ C(system) + C(query_id)', frame).fit()
    found = meta.discriminative_power(x, 'tukey')
    for p, (i, j) in enumerate(pairs):
        q = abs(x[i].mean() - x[j].mean()) / math.sqrt(fit.mse_resid / 10)
        assert found.pvalues[0, p] == pytest.approx(
            scipy.stats.studentized_range.sf(q, 4, fit.df_resid), abs=1e-9
        )
    needed = scipy.stats.studentized_range.ppf(0.95, 4, fit.df_resid) * math.sqrt(
        fit.mse_resid / 10
    )
    assert found.delta[0] == pytest.approx(needed)
    assert np.array_equal(np.abs(found.differences[0]) > needed, found.pvalues[0] < 0.05)


def test_studentised_range_interpolated():
    q = np.concatenate([np.linspace(0, 9, 120), [50, np.inf]])
    found = studentised_range_sf(q, 30, 1421)
    expected = [0.9509866919812039, 0.00702838421202312]  # scipy.stats.studentized_range.sf, slowly
    assert found[40:-2:40] == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert found[-2:].tolist() == [0, 0]


def test_holm_against_statsmodels():
    multitest = pytest.importorskip('statsmodels.stats.multitest')
    p = np.random.default_rng(0).random((3, 40)) ** 3
    for row, adjusted in zip(p, significance.holm(p)):
        assert adjusted == pytest.approx(multitest.multipletests(row, method='holm')[1])


@pytest.mark.parametrize(
    'method',
    [
        pytest.param(method, marks=[pytest.mark.slow] * (method == 'tukey'))
        for method in significance._METHODS
    ],
)
def test_every_test(method):
    values = np.random.default_rng(2).random((6, 12, 3))
    values[1] = values[0]  # identical systems
    values[5, :, 0] = values[4, :, 0] + 0.4  # a constant difference
    small = {'n_resamples': 100} if method == 'bootstrap' else {}
    plain = {'correction': None, **small}
    found = meta.discriminative_power(values, method, rng=3, **plain)
    assert found.pvalues.shape == (3, 15) and ((found.pvalues >= 0) & (found.pvalues <= 1)).all()
    assert (found.pvalues[:, 0] == 1).all()  # systems 0 and 1
    if method in ('bootstrap', 't'):
        assert found.pvalues[0, 14] < 0.05  # systems 4 and 5
    again = meta.discriminative_power(values, method, rng=3, **plain)
    assert np.array_equal(found.pvalues, again.pvalues)
    # Measures asked together and alone see the same replicates.
    alone = meta.discriminative_power(values[:, :, 2], method, rng=3, **plain)
    assert alone.pvalues[0] == pytest.approx(found.pvalues[2])
    # Adding a constant, or swapping two systems, changes no p-value of tests that do not sample.
    if not small:
        assert meta.discriminative_power(
            values + 1, method, correction=None
        ).pvalues == pytest.approx(found.pvalues, abs=1e-6)
    flat = values.copy()
    flat[:, :, 1] = 0.5
    with expect_warning('1 of 3 measures because they score all systems the same'):
        assert (meta.discriminative_power(flat, method, rng=0, **plain).pvalues[1] == 1).all()


def test_tables_of_a_test():
    found = meta.discriminative_power(np.random.default_rng(2).random((6, 12, 3)))
    frame, curves, pairs = found.to_frame(), found.curves(), found.pairs_frame()
    assert frame['significant'].tolist() == found.counts.tolist()
    assert frame['pairs'].tolist() == [15] * 3 and len(pairs) == 45
    assert pairs.loc[16, ['measure', 'system_a', 'system_b']].tolist() == [
        'measure2',
        'system1',
        'system3',
    ]
    assert curves.shape == (15, 3) and (curves.diff().iloc[1:] <= 0).all().all()


@pytest.mark.parametrize('difference', [0.1, 0.3, 1e-9])
def test_a_difference_that_is_the_same_on_all_queries_is_larger_than_any_resample_makes(difference):
    """t is infinite, and no resample of z − z̄ = 0 reaches it. Rounding leaves about 1e-17 in place of 0."""
    values = np.random.default_rng(0).random((4, 50))
    values[1] = values[0] + difference
    values[2] = values[0] + difference - difference  # equals system 0 up to rounding
    found = meta.discriminative_power(values, 'bootstrap', correction=None, rng=0, n_resamples=999)
    pvalues = found.pvalues[0]
    assert pvalues[0] == 1 / 1000  # systems 0 and 1
    assert pvalues[1] == 1  # 0 and 2
    assert pvalues[3] == 1 / 1000  # 1 and 2


def test_too_little():
    for function in (meta.discriminative_power, meta.stability, meta.unanimity, meta.correlations):
        refused('1 system', function, np.ones((1, 5, 2)))
        bad = some_scores(0)
        bad[1, 2, 0] = np.nan
        refused("system 'system2' on query '3' is nan", function, bad)
    for function in (meta.discriminative_power, meta.stability):
        refused('1 query', function, np.ones((3, 1)))


# ------------------------------------------------------------------------------- stability, number of systems


@pytest.mark.parametrize('fuzziness', [0.0, 0.1])
def test_stability_against_all_samples(fuzziness):
    values = some_scores(4, 4, 6, 2)
    found = meta.stability(values, n_trials=6000, rng=0, fuzziness=fuzziness)
    for m in range(2):
        expected = [
            twin.stability(values[i, :, m], values[j, :, m], 3, fuzziness)
            for i, j in itertools.combinations(range(4), 2)
        ]
        assert found.shares[m] == pytest.approx(expected, abs=0.03)
    assert found.values == pytest.approx(found.shares.mean(axis=1))
    for ends in (found.interval, found.monte_carlo):
        assert (ends[:, 0] <= found.values).all() and (found.values <= ends[:, 1]).all()
    estimate = found.difference('measure1', 'measure2')
    assert (
        estimate.value == pytest.approx(found.values[0] - found.values[1])
        and estimate.low < estimate.high
    )
    assert np.isnan(meta.stability(values, n_resamples=np.int64(0), rng=0).interval).all()


def test_stability_fuzziness():
    values = np.array([[0.50] * 4, [0.48] * 4])  # always ahead by 0.02, which is 4 per cent
    assert meta.stability(values, rng=0).values == [1]
    assert meta.stability(values, rng=0, fuzziness=0.05).values == [0]
    assert meta.stability(values, rng=0, fuzziness=0.05).ties.tolist() == [[1]]
    assert meta.stability(values, rng=0, fuzziness=0.03, relative=True).values == [1]
    assert meta.stability(values, rng=0, fuzziness=0.05, relative=True).values == [0]
    exactly = np.array([[0.20] * 4, [0.15] * 4])  # as floats, 0.2 − 0.15 is above 0.05
    assert meta.stability(exactly, rng=0, fuzziness=0.05).values == [0]
    assert meta.stability(exactly, rng=0, fuzziness=0.25, relative=True).values == [0]


def test_system_count():
    means = np.random.default_rng(0).random(9)
    assert meta.system_count(
        lambda pool: means[pool], 9, n_trials=20, rng=0
    ).values == pytest.approx(1)
    # Scores that turn round when fewer than all take part.
    turned = meta.system_count(
        lambda pool: means[pool] if len(pool) == 9 else -means[pool], 9, [2, 4], n_trials=20, rng=0
    )
    assert turned.values == pytest.approx(-1)
    assert turned.to_frame()['systems'].tolist() == [2, 4]
    with expect_warning('samples tie all'):
        tied = meta.system_count(
            lambda pool: np.where(len(pool) == 9, means[pool], 1.0), 9, [2], n_trials=5, rng=0
        )
    assert tied.values == 0


def test_system_count_by_hand():
    # Score of a system: its number, less 10 if system 2 takes part and it is system 1.
    def score(pool):
        return np.array([s - 10 * (s == 1 and 2 in pool) for s in pool.tolist()], dtype=float)

    # All of 0, 1, 2: order 2 > 0 > 1. Pools of 2: {0,1}: 1 > 0, contrary (−1); {0,2}: 1; {1,2}: 1. Mean 1/3.
    found = meta.system_count(score, 3, [2], n_trials=3000, rng=1)
    assert found.values[0, 0] == pytest.approx(1 / 3, abs=0.06)
    low, high = found.monte_carlo[0, 0]
    assert low < 1 / 3 < high


# ---------------------------------------------------------------------------------------------------- agreement


def test_correlation_matrix():
    scores = Scores(some_scores(0, 8, 10, 3, steps=50), measures=['a', 'b', 'c'])
    found = meta.correlations(scores, n_resamples=100, rng=0)
    means = scores.means()
    for a, b in itertools.product('abc', repeat=2):
        assert found.to_frame().loc[a, b] == pytest.approx(
            scipy.stats.kendalltau(means[a], means[b]).statistic
        )
    assert (found.interval[..., 0] <= found.interval[..., 1]).all()
    symmetric = meta.correlations(scores, 'tau_ap', symmetric=True).values
    assert symmetric == pytest.approx(symmetric.T)
    flat = np.stack([scores['a'], np.ones((8, 10))], axis=2)
    with expect_warning('1 of 2 measures are set to 0 because they tie all systems'):
        assert meta.correlations(flat).values[0, 1] == 0


def test_preference_agreement():
    scores = Scores(
        [[[0.5, 0.1], [0.4, 0.4]], [[0.2, 0.3], [0.4, 0.1]]],
        systems=['a', 'b'],
        queries=['q1', 'q2'],
        measures=['M', 'N'],
    )
    said = pd.DataFrame(
        [('q1', 'a', 'b', 1, 'u'), ('q2', 'b', 'a', 0, 'u'), ('q1', 'b', 'a', 1, 'v')],
        columns=['query_id', 'system_a', 'system_b', 'preference', 'user'],
    )
    found = meta.preference_agreement(scores, said)
    # M: q1 a > b (right for u, wrong for v), q2 equal (right). N: q1 b > a (wrong, right), q2 a > b (wrong).
    assert found.values == pytest.approx([(2 - 1) / 3, (1 - 2) / 3])
    assert (found.interval[:, 0] <= found.values).all()
    assert list(found.to_frame().columns) == ['agreement', 'low', 'high']
    for change, message in (
        ({'query_id': 'q9'}, "query_id 'q9' has no scores"),
        ({'system_a': 'c'}, "system_a 'c' has no scores"),
        ({'preference': 'left'}, "'left', expected a number"),
    ):
        refused(message, meta.preference_agreement, scores, said.assign(**change))
    with expect_error("no column 'preference'"):
        meta.preference_agreement(scores, said.drop(columns='preference'))
    refused("a second row of user 'u'", meta.preference_agreement, scores, pd.concat([said, said]))


@pytest.mark.parametrize('method', ['bootstrap', 'tukey', 't'])
def test_discriminative_power_over_collections(method):
    """Pairs are those within each collection, tested on its queries; delta is the largest."""
    one, other = (
        Scores(some_scores(seed, n, 12, 2), measures=['a', 'b']) for seed, n in ((1, 5), (2, 4))
    )
    plain = {'method': method, 'correction': None, 'rng': 0}
    both = meta.discriminative_power({1: one, 2: other.select(measures=['b', 'a'])}, **plain)
    alone = [meta.discriminative_power(each, **plain) for each in (one, other)]
    assert both.pvalues[:, :10] == pytest.approx(alone[0].pvalues)
    assert both.differences == pytest.approx(np.hstack([each.differences for each in alone]))
    if method != 'bootstrap':  # which draws other replicates for the second
        assert both.pvalues[:, 10:] == pytest.approx(alone[1].pvalues)
    if method == 'tukey':
        assert both.delta == pytest.approx(np.maximum(alone[0].delta, alone[1].delta))
    systems = both.pairs_frame()[['system_a', 'system_b']].map(lambda name: name.split(':')[0])
    assert (systems['system_a'] == systems['system_b']).all() and set(systems['system_a']) == {
        *'12'
    }
    if method == 't':
        p = meta.discriminative_power({'x': one, 'y': other}, correction='holm').pvalues
        assert p == pytest.approx(significance.holm(both.pvalues))


# ------------------------------------------------------------------------------------------------- common helpers


def test_jackknife_of_a_mean_is_the_t_interval():
    x = np.random.default_rng(0).normal(size=(12, 3))
    found = jackknife(x.mean(axis=0), (x.sum(axis=0) - x) / 11)
    expected = scipy.stats.ttest_1samp(x, 0)
    low, high = expected.confidence_interval()
    assert found.low == pytest.approx(low) and found.high == pytest.approx(high)
    assert found.pvalue == pytest.approx(expected.pvalue)
    assert np.isnan(jackknife(-math.inf, np.array([0.0, 1.0]))[1:]).all()


def test_two_sources_of_chance():
    """Balanced: the variances of the means of rows and of columns, less that of cells; at least the larger of two."""
    x = np.random.default_rng(1).normal(size=(5, 7))
    row, column = np.indices(x.shape).reshape(2, -1)
    parts = x.mean(axis=1).var(ddof=1) / 5, x.mean(axis=0).var(ddof=1) / 7
    error = math.sqrt(max(*parts, sum(parts) - x.var(ddof=1) / 35))
    found = clustered(x.ravel(), row, column)
    assert found.value == pytest.approx(x.mean())
    assert found.high - found.value == pytest.approx(scipy.stats.t.ppf(0.975, 4) * error)
    assert np.isnan(clustered(x.ravel(), np.zeros(35)).low)


def test_difference_of_discriminative_power():
    scores = Scores(some_scores(2, 6, 30, 2, steps=9), measures=['a', 'b'])
    power = meta.discriminative_power(scores, 't')
    found = power.difference('a', 'b', n_resamples=20, rng=0)
    assert found.value == pytest.approx((power.counts[0] - power.counts[1]) / 15)
    assert found.low < found.value < found.high
    assert np.isnan(power.difference('a', 'b', n_resamples=0).low)


# -------------------------------------------------------------------------------------------------------- errors

SOME = Scores(some_scores(0, 4, 4, 3), measures=['RBU', 'EU', 'AP'])
FAMILIES = {'RBU': 'effort', 'EU': 'effort'}
ERRORS = [
    (lambda: meta.tau_ap([1, 2], [1, 2], ties='c'), "ties='c': expected one of 'a', 'b'"),
    (lambda: meta.correlations(SOME, 'tau'), "coefficient='tau'"),
    (
        lambda: meta.unanimity(SOME, families=FAMILIES, against='siblings'),
        "against='siblings': AP has no measure",
    ),
    (
        lambda: meta.unanimity(SOME, families={**FAMILIES, 'AP': 'effort'}, against='others'),
        "against='others': RBU has no measure to be compared with, nor 2 others",
    ),
    (lambda: meta.unanimity(SOME, families={'RBV': ''}), "measure 'RBV'; did you mean 'RBU'"),
    (lambda: meta.unanimity(SOME, against='none'), "against='none'"),
    (lambda: meta.unanimity(SOME, tied='split'), "tied='split': expected one of 'counted', 'dro"),
    (lambda: meta.unanimity(SOME['AP']), 'at least two measures'),
    (lambda: meta.unanimity(SOME).difference('AP', 'd'), "no measure 'd'"),
    (lambda: meta.discriminative_power(SOME, 'anova'), "method='anova'"),
    (lambda: meta.discriminative_power(SOME, alpha=1), 'alpha=1'),
    (lambda: meta.discriminative_power(SOME, correction='sidak'), 'correction'),
    (lambda: meta.discriminative_power(SOME, 'bootstrap', n_resamples=0), 'n_resamples=0'),
    (lambda: meta.discriminative_power(SOME, confidence_level=95), 'confidence_level=95'),
    (
        lambda: meta.discriminative_power({'x': SOME, 'y': SOME.select(measures=['AP'])}, 't'),
        "collection 'y': expected scores of the same measures; EU, RBU in one of the two only",
    ),
    (lambda: meta.discriminative_power(SOME, 't').difference('AP', 'c'), "no measure 'c'"),
    (
        lambda: meta.discriminative_power({'x': SOME, 'y': SOME}, 't').difference('AP', 'EU'),
        '2 collections, expected one',
    ),
    (lambda: meta.stability(SOME, size=5), 'size=5: expected a whole number from 1 to 4'),
    (lambda: meta.stability(SOME, fuzziness=-1), 'fuzziness=-1'),
    (
        lambda: meta.system_count(lambda pool: [1, 2], 9),
        r'score\(\) of 9 systems has shape \(2, 1\)',
    ),
    (lambda: meta.system_count(lambda pool: pool, 9, [10]), 'size=10'),
]


def test_errors_say_what_is_wrong():
    wrong = []
    for call, message in ERRORS:
        try:
            call()
            wrong.append(f'no error: {message}')
        except ValueError as error:
            if not re.search(message, str(error)):
                wrong.append(f'{message}: {error}')
    assert wrong == []
