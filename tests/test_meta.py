"""Meta-evaluation against published numbers, scipy and literal loops."""

import itertools
import math
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
import scipy

from ir_divmeasures import Scores, meta
from ir_divmeasures.meta import correlation, significance
from ir_divmeasures.meta.intervals import beta_interval, mean_interval
from ir_divmeasures.meta.ranking import range_of
from ir_divmeasures.meta.significance import holm, paired_t, studentised_range

from .builders import QUICK, expect_error, expect_warning, quietly, refused
from .reference import meta as twin

A = [0.8, 0.6, 0.9, 0.7, 0.5, 0.8, 1, 0.7]
B = [0.7, 0.6, 0.8, 0.6, 0.5, 0.6, 0.9, 0.7]
C = [0.3, 0.5, 0.2, 0.4, 0.1, 0.6, 0.4, 0.5]
D = [*C[:-1], 0.4]
E = Scores([A, B, C, D], systems='ABCD')
PAIRS5 = list(itertools.combinations(range(5), 2))
ALL5 = np.triu_indices(5, 1)


def some_scores(seed, systems=5, queries=7, measures=3, steps=5):
    """Scores on a coarse grid, so that ties happen."""
    return np.random.default_rng(seed).integers(0, steps + 1, (systems, queries, measures)) / steps


def by_measure(scores):
    return np.asarray(scores).transpose(2, 0, 1)


# ---------------------------------------------------------------------------------------------------------- tables


def tables():
    """A table of each function, of five systems, 12 queries and three measures."""
    scores = some_scores(0, 5, 12, 3)
    table = Scores(scores)
    answers = pd.DataFrame(
        {'query_id': ['1', '2'], 'system_a': 'system1', 'system_b': 'system2', 'preference': [1, 0]}
    )
    draws = {'rng': 0, 'n_resamples': 5}
    return {
        'compare': meta.compare(scores),
        'discriminative_power': meta.discriminative_power(scores),
        'ranks': meta.ranks(scores),
        'correlations': meta.correlations(scores, **draws),
        'unanimity': meta.unanimity(scores),
        'stability': meta.stability(scores, n_trials=9, **draws),
        'system_count': meta.system_count(
            lambda pool: scores[pool].mean(axis=1), 5, [2, 4], n_trials=3
        ),
        'topic_robustness': meta.topic_robustness(scores, n_trials=4, **draws),
        'pool_robustness': meta.pool_robustness(scores, {1: scores[:, ::-1]}, **draws),
        'assessor_robustness': meta.assessor_robustness(scores, {'B': scores[:, ::-1]}, **draws),
        'preference_agreement': meta.preference_agreement(table, answers),
    }


def test_all_results_are_tidy_tables():
    """They survive concat and pickle, hide nothing in attrs, and their intervals contain their values. The same seed gives
    the same table."""
    for (name, table), other in zip(tables().items(), tables().values()):
        assert name == 'system_count' or table.equals(other), name
        assert isinstance(table, pd.DataFrame) and not table.attrs, name
        assert table.columns[0] == 'measure' and table.index.equals(pd.RangeIndex(len(table)))
        assert pickle.loads(pickle.dumps(table)).equals(table)
        assert len(pd.concat([table, table])) == 2 * len(table)
        if 'low' in table:
            value = table[[*{'statistic', 'difference', 'mean'} & {*table}]].iloc[:, 0]
            value = table['difference'] if name == 'compare' else value
            inside = (table['low'] <= value + 1e-12) & (value <= table['high'] + 1e-12)
            assert (inside | table['low'].isna()).all(), name


# ------------------------------------------------------------------------------------------------ correlation


def test_tau_ap_of_ircor():
    """https://github.com/julian-urbano/ircor, tests/testthat (commit 6335f56)."""
    x = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
    y = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]
    x_ties, y_ties = np.round(x, 1), np.round(y, 1)
    found = [
        meta.tau_ap(x, y),
        meta.tau_ap(x, y_ties, ties='a'),
        meta.tau_ap(x, y, symmetric=True),
        meta.tau_ap(x_ties, y_ties, ties='b'),
    ]
    assert found == pytest.approx([0.8519, 0.7454, 0.8333, 0.7321], abs=5e-5)
    assert meta.tau_ap(x, y, ties='b') == pytest.approx(found[2])
    assert meta.tau_ap(y_ties, x_ties, ties='b') == pytest.approx(found[3])


@pytest.mark.parametrize('seed', range(2))
def test_correlations_against_scipy_and_loops(seed, monkeypatch):
    """Five rankings with ties, in one block of pairs or in several."""
    if seed:
        monkeypatch.setattr(correlation, 'CACHE', 1)
    means = np.random.default_rng(seed).permuted(np.tile([0, 1, 1, 2, 2], (5, 1)), axis=1)
    twins = {
        'kendall': lambda x, y: scipy.stats.kendalltau(x, y).statistic,
        'spearman': lambda x, y: scipy.stats.spearmanr(x, y).statistic,
        'tau_ap': twin.tau_ap_a,
    }
    for name, literal in twins.items():
        wanted = np.array([[literal(x, y) for y in means] for x in means])
        table = meta.correlations(means.T[:, None], name)
        assert table['statistic'].tolist() == pytest.approx(wanted.ravel().tolist(), abs=1e-12)
        assert getattr(meta, name)(means[0], means[1]) == pytest.approx(wanted[0, 1])


def test_limits_of_correlations():
    x = np.arange(8)
    for function in (meta.kendall, meta.tau_ap, meta.spearman):
        assert function(x, x) == pytest.approx(1) and function(x, -x) == pytest.approx(-1)
        assert function(x, np.ones(8)) == function(np.ones(8), x) == pytest.approx(0, abs=1e-12)
    assert meta.tau_ap(x, np.ones(8), ties='b') == meta.tau_ap(np.ones(8), x, ties='b') == 0


@pytest.mark.parametrize(
    'x, y, message',
    [
        ([1, 2], [1, 2, 3], r'x has shape \(2,\) and y \(3,\)'),
        ([1, float('nan')], [1, 2], 'x: 1 of 2 scores are not finite numbers'),
        ([1, 2], [1, float('inf')], 'y: 1 of 2 scores'),
    ],
)
def test_errors_of_correlations(x, y, message):
    for function in (meta.kendall, meta.tau_ap, meta.spearman):
        refused(message, function, x, y)
    refused("ties='c'", meta.tau_ap, [1, 2], [1, 2], ties='c')
    refused('coefficient', meta.correlations, some_scores(0), 'kendal')


def test_equal_means_are_ties():
    """(.1 + .2 + .3)/3 and (.3 + .2 + .1)/3 are other floats."""
    x, y = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9] * 3], [[0.4] * 3, [0.2] * 3, [0.9] * 3]
    assert np.mean(x[0]) != np.mean(x[1])
    table = meta.correlations(np.stack([x, y], axis=2))
    assert table['statistic'][1] == pytest.approx(2 / math.sqrt(2 * 3))
    with quietly():
        assert meta.ranks(x)['rank'].tolist() == [1, 2.5, 2.5]


def test_intervals_of_correlations():
    scores = np.random.default_rng(0).random((6, 20, 3)) + np.arange(6)[:, None, None] / 5
    table = meta.correlations(scores, n_resamples=200, rng=0)
    counts = np.random.default_rng(0).multinomial(20, [1 / 20] * 20, size=200)
    means = np.einsum('bq,sqm->mbs', counts / 20, scores)
    taus = [scipy.stats.kendalltau(*of_resample).statistic for of_resample in zip(*means[:2])]
    error = np.std(taus, ddof=1) * scipy.stats.t.ppf(0.975, 19)
    value, low, high = table.loc[1, ['statistic', 'low', 'high']]
    assert (low, high) == pytest.approx((max(value - error, -1), min(value + error, 1)))
    assert meta.correlations(scores)['low'].isna().all()


# -------------------------------------------------------------------------------------------------- unanimity


@pytest.mark.parametrize('seed', range(2))
def test_unanimity_against_loops(seed, monkeypatch):
    """Each part is counted by its words, and MU is what the parts make. Blocks have one query or all."""
    if seed:
        monkeypatch.setattr(sys.modules['ir_divmeasures.meta.unanimity'], 'CELLS', 16)
    values = some_scores(seed, 5, 6, 4, steps=2)
    for m, row in enumerate(meta.unanimity(values).itertuples()):
        parts = twin.unanimity_parts(values.tolist(), m)
        assert {name: getattr(row, name) for name in ('seen', 'missed', 'contradicted')} == {
            name: parts[name] for name in ('seen', 'missed', 'contradicted')
        }
        u, t = parts['unanimous'], parts['tied']
        assert row.improvements == u - t and row.unanimous == pytest.approx(u / (5 * 4 * 6))
        assert row.statistic == pytest.approx(twin.unanimity(values.tolist(), m))
        assert row.ceiling == pytest.approx(math.log2(2 - t / u)) and row.statistic <= row.ceiling


@pytest.mark.parametrize(
    'against, compared',
    [('others', ['bce', 'ad', 'ad', 'bce', 'ad']), ('siblings', ['d', 'ce', 'be', 'a', 'bc'])],
)
def test_unanimity_with_families_compares_some_measures(against, compared):
    scores = Scores(some_scores(1, 5, 6, 5, steps=2), measures=list('abcde'))
    table = meta.unanimity(scores, families=dict(zip('abcde', 'xyyxy')), against=against)
    for row, others in zip(table.itertuples(), compared):
        alone = meta.unanimity(scores.select(measures=[row.measure, *others])).iloc[0]
        assert (row.statistic, row.ceiling, row.seen) == (
            alone.statistic,
            alone.ceiling,
            alone.seen,
        )


def test_ties_of_unanimity_are_relative_to_the_measure():
    values = some_scores(2, 5, 8, 3)
    small = values * np.array([1e-13, 1, 1e6])  # RBU's p^i deep down, say: small is not tied
    wanted = meta.unanimity(values)['statistic']
    assert meta.unanimity(small)['statistic'].tolist() == pytest.approx(wanted.tolist())
    equal = meta.unanimity(np.ones((5, 8, 3)))
    assert (equal['statistic'] == 0).all() and (equal['unanimous'] == 1).all()
    noise = np.array([[[0.3, 0.3]], [[0.1 + 0.2, 0.3]]])  # 0.1 + 0.2 is 0.30000000000000004
    assert meta.unanimity(noise)['statistic'].tolist() == [0, 0]
    # The first and third agree; the second contradicts both.
    never = np.array([[[1.0, 0.0, 5.0]], [[0.0, 1.0, 4.0]]])
    with expect_warning('order no pair of systems the same way: measure1, measure3'):
        assert meta.unanimity(never)['statistic'].tolist() == [0, -math.inf, 0]


def test_intervals_of_unanimity():
    """By hand: the share x = 2^(MU − 1), its jackknife, and the ends of a share mapped back."""
    scores = Scores(some_scores(1, 6, 30, 3), measures=['a', 'b', 'c'])
    table = meta.unanimity(scores)
    rests = [[q for q in scores.queries if q != left] for left in scores.queries]
    shares = [
        2.0 ** (meta.unanimity(scores.select(queries=rest))['statistic'][0] - 1) for rest in rests
    ]
    error = math.sqrt(29 / 30 * sum((x - np.mean(shares)) ** 2 for x in shares))
    n = sum(
        twin.unanimity_parts(scores.values[:, [q]].tolist(), 0)['unanimous'] > 0 for q in range(30)
    )
    ends = beta_interval(2.0 ** (table['statistic'][0] - 1), error, n, 0.95)
    assert table.loc[0, ['low', 'high']].tolist() == pytest.approx(np.log2(2 * ends).tolist())


def test_degenerate_intervals_of_unanimity():
    """All improvements on 8 queries are seen, or none: Jeffreys' ends for 8 of 8 and 0 of 8."""
    right = meta.unanimity(np.stack([np.ones((8, 2)), np.zeros((8, 2))]))
    low = scipy.stats.beta.ppf(0.025, 8.5, 0.5)
    assert right[['low', 'high']].values == pytest.approx(np.array([[math.log2(2 * low), 1]] * 2))
    wrong = meta.unanimity(np.stack([np.tile([1.0, 0.0], (8, 1)), np.tile([0.0, 1.0], (8, 1))]))
    ends = [[-math.inf, math.log2(2 * (1 - low))]] * 2
    assert wrong[['low', 'high']].values == pytest.approx(np.array(ends))
    one_query = meta.unanimity(np.random.default_rng(0).random((5, 1, 2)))
    assert one_query[['low', 'high']].isna().all(axis=None)


# ----------------------------------------------------------------------------------------------- significance


@pytest.mark.parametrize(
    'correction, expected',
    [
        (None, [0.0199, 0.0016, 0.0010, 0.0046, 0.0033, 1]),
        ('holm', [0.0399, 0.0078, 0.0061, 0.0137, 0.0134, 1]),
    ],
)
def test_table_e(correction, expected):
    tests = meta.pvalues(E['score'], *np.triu_indices(4, 1), 't', correction)
    assert tests.pvalue == pytest.approx(expected, abs=5e-5)


def test_holm_by_hand():
    """In order 4 · .01, 3 · .03, at least as much for .04, and .5."""
    assert holm(np.array([0.01, 0.04, 0.03, 0.5])) == pytest.approx([0.04, 0.09, 0.09, 0.5])


def test_few_differences_say_no_more_than_their_signs():
    for differences, p in (([0.1] * 5, 0.0625), ([0.1] * 3 + [0] * 7, 0.25), ([0] * 4, 1)):
        assert paired_t(np.array(differences))[1] == p
    assert scipy.stats.ttest_1samp([0.1] * 3 + [0] * 7, 0).pvalue == pytest.approx(0.0811, abs=5e-5)
    for same in ([0.1] * 5, [0.0] * 4, [0.3]):
        assert np.isnan(mean_interval(np.array(same))).all()


def test_resamples_that_cannot_reach_alpha_are_refused():
    x = np.random.default_rng(0).random((48, 50))
    message = '1000 resamples cannot reach p < 0.05 after Holm over 1,128 pairs; n_resamples=22560 or more'
    refused(message, meta.discriminative_power, x, 'bootstrap')
    with expect_error('19 resamples cannot reach p < 0.05; n_resamples=20 or'):
        meta.discriminative_power(x[:4], 'bootstrap', None, n_resamples=19)
    table = meta.discriminative_power(x[:4], 'bootstrap', None, n_resamples=20)
    assert 'uncorrected' in table['test'][0] and table['delta'].notna().all()


def test_bootstrap_of_equal_means():
    """The mean difference is a rounding error."""
    x = np.array([[1, 2, 3, 4, 6, 7] * 2, [1, 3, 6, 2, 4, 7] * 2]) / 10 / 0.7
    assert (x[0] - x[1]).mean() != 0 and meta.pvalues(
        x, *np.triu_indices(2, 1), 'bootstrap'
    ).pvalue == 1


SCORES_OF_EVERY_SIZE = {
    'usual': lambda rng: rng.random((4, 8)),
    'few values': lambda rng: rng.integers(0, 3, (6, 6)) / 2,
    'mostly zeros': lambda rng: (rng.random((4, 25)) < 0.1) * rng.random((4, 25)),
    'near copies': lambda rng: rng.random(10) + 1e-7 * rng.random((4, 10)),
    'very small': lambda rng: 1e-60 * rng.random((4, 10)),
    'very large': lambda rng: 1e60 * rng.random((4, 10)),
}


@pytest.mark.parametrize('name', SCORES_OF_EVERY_SIZE)
def test_bootstrap_against_loops(name, monkeypatch):
    monkeypatch.setattr(significance, 'BLOCK', 300)
    x = SCORES_OF_EVERY_SIZE[name](np.random.default_rng(3))
    n = x.shape[1]
    pairs = np.triu_indices(len(x), 1)
    tests = meta.pvalues(x, *pairs, 'bootstrap', None, rng=4, n_resamples=60, alpha=0.1)
    counts = np.random.default_rng(4).multinomial(n, [1 / n] * n, size=60)
    samples = [np.repeat(np.arange(n), row).tolist() for row in counts]
    p, delta = zip(*(twin.bootstrap(x[i], x[j], samples, 0.1) for i, j in zip(*pairs)))
    assert tests.pvalue == pytest.approx(p)
    # delta has single precision
    assert name == 'near copies' or tests.delta == pytest.approx(max(delta))


def test_tests_against_scipy():
    values = np.random.default_rng(0).random((5, 9, 2)).round(1)
    paired, unpaired = (
        meta.pvalues(by_measure(values), *ALL5, name, None) for name in ('t', 'unpaired')
    )
    for m, (p, (i, j)) in itertools.product(range(2), enumerate(PAIRS5)):
        a, b = values[[i, j], :, m]
        k = (a != b).sum()
        least = 2.0 ** (1 - k) if k <= 9 / 2 else 0
        wanted = scipy.stats.ttest_rel(a, b)
        assert paired.statistic[m, p] == pytest.approx(wanted.statistic)
        assert paired.pvalue[m, p] == pytest.approx(max(wanted.pvalue, least))
        wanted = scipy.stats.ttest_ind(a, b)
        assert unpaired.statistic[m, p] == pytest.approx(wanted.statistic)
        assert unpaired.pvalue[m, p] == pytest.approx(wanted.pvalue)


def test_tukey_against_scipy():
    """The residuals of an analysis of variance with systems and queries as factors have 3 · 9 degrees of freedom."""
    x = np.random.default_rng(5).random((4, 10)) + np.array([[0], [0.1], [0.3], [0.5]])
    residuals = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    error = math.sqrt((residuals**2).sum() / 27 / 10)
    first, second = np.triu_indices(4, 1)
    tests = meta.pvalues(x, first, second, 'tukey')
    q = np.abs(x[first].mean(axis=1) - x[second].mean(axis=1)) / error
    assert tests.statistic == pytest.approx(q)
    wanted = scipy.stats.studentized_range(4, 27)
    assert tests.pvalue == pytest.approx(wanted.sf(q), abs=1e-6)
    assert wanted.sf(tests.delta / error) == pytest.approx(0.05, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize('k, df', [(2, 1), (30, 1421)])
def test_studentised_range_against_scipy(k, df):
    q = np.array([0.01, 2, 5])
    p, critical = studentised_range(np.append(q, [0, np.inf]), k, df, 0.01)
    wanted = scipy.stats.studentized_range(k, df)
    assert p[:-2] == pytest.approx(wanted.sf(q), rel=1e-5) and p[-2:].tolist() == [1, 0]
    assert wanted.sf(critical) == pytest.approx(0.01, rel=1e-4)


@pytest.mark.parametrize('method', significance.METHODS)
def test_every_test(method):
    """Copies never differ, clear differences are found, p does not depend on the order of systems or queries."""
    rng = np.random.default_rng(1)
    x = rng.random((4, 20)) / 10
    x[1], x[3] = x[0], x[3] + 0.8 * rng.random(20)
    first, second = np.triu_indices(4, 1)
    options = {'rng': 0, 'n_resamples': 500, 'correction': None}
    both = np.append(first, second), np.append(second, first)
    tests = meta.pvalues(np.stack([x, x[:, ::-1]]), *both, method, **options)
    (p, reverse), turned = np.split(tests.pvalue[0], 2), tests.pvalue[1, :6]
    assert p[0] == 1 and (p[[2, 4, 5]] < 0.01).all() and ((p > 0) & (p <= 1) | (p == 0)).all()
    assert reverse == pytest.approx(p) and (method == 'bootstrap' or turned == pytest.approx(p))
    alone = meta.pvalues(x, first, second, method, **options)
    assert alone.pvalue == pytest.approx(p) and tests.delta.shape == (2,)


@QUICK
def test_discriminative_power_counts_the_pairs_of_compare(quick):
    """The quick form does without Tukey's distribution, which takes long."""
    scores = np.random.default_rng(0).random((6, 12, 3)) + np.arange(6)[:, None, None] / 6
    tests = [('t', 'holm'), ('bootstrap', None), ('unpaired', None), ('tukey', None)]
    for method, correction in tests[:3] if quick else tests:
        options = {'method': method, 'correction': correction, 'rng': 0}
        power = meta.discriminative_power(scores, **options)
        pairs = meta.compare(scores, pairs='all', **options)
        counts = (pairs['pvalue'] < 0.05).groupby(pairs['measure']).sum()
        assert power['significant'].tolist() == counts.tolist()
        assert power['power'].tolist() == pytest.approx((counts / 15).tolist())
        assert ((pairs['verdict'] != 'undecided') == (pairs['pvalue'] < 0.05)).all()


# ------------------------------------------------------------------------------------------- comparison and ranks


@quietly()
def test_rows_of_a_comparison():
    row = meta.compare(E, 'B').iloc[0]
    t = scipy.stats.ttest_rel(A, B)
    ends = t.confidence_interval()
    assert [row['system'], row['other'], row['verdict']] == ['A', 'B', 'better']
    assert [row[name] for name in ('mean', 'other_mean', 'difference')] == pytest.approx(
        [np.mean(A), np.mean(B), np.mean(A) - np.mean(B)]
    )
    assert [row['low'], row['high'], row['statistic']] == pytest.approx(
        [ends.low, ends.high, t.statistic]
    )
    assert row['effect'] == pytest.approx(1.061, abs=5e-4)
    assert row[['wins', 'ties', 'losses', 'n_queries']].tolist() == [5, 3, 0, 8]
    assert row['test'] == 'paired t test, Holm over 3 pairs, p < 0.05'


@quietly()
@pytest.mark.parametrize(
    'baseline, pairs',
    [
        (None, 'BA CA DA'),
        (-1, 'AD BD CD'),
        (['A', 2], 'BA CA DA BC DC'),
        (('B', 'B'), 'AB CB DB'),
    ],
)
def test_baselines(baseline, pairs):
    table = meta.compare(E, baseline)
    assert ' '.join(table['system'] + table['other']) == pairs
    assert table['test'][0] == f'paired t test, Holm over {len(table)} pairs, p < 0.05'


@quietly()
def test_bad_baselines_and_words():
    refused("no system 'F'", meta.compare, E, 'F')
    refused('baseline=4: expected a name, or a position from 0 to 3', meta.compare, E, 4)
    refused('at least one system', meta.compare, E, [])
    refused("pairs='some'", meta.compare, E, pairs='some')
    refused("method='welch'", meta.compare, E, method='welch')
    refused("correction='bh'", meta.discriminative_power, E, correction='bh')
    refused('alpha=1', meta.ranks, E, alpha=1)
    refused('1 query', meta.ranks, [[1], [2]])
    refused('at least 2', meta.compare, [[1, 2]])
    with expect_warning('rough below 10'):
        meta.discriminative_power(E)


@quietly()
def test_the_table_of_a_paper():
    table = meta.compare(E, 'B')
    assert table.to_latex(names={'B': 'base_line'}).splitlines() == [
        '% bold: best; +/-: significantly better/worse than base_line '
        '(paired t test, Holm over 3 pairs, p < 0.05, 8 queries)',
        r'\begin{tabular}{lr}',
        r'\toprule',
        r'system & score \\',
        r'\midrule',
        r'base\_line & 0.6750 \\',
        r'A & \textbf{0.7500}$^{+}$ \\',
        r'C & 0.3750$^{-}$ \\',
        r'D & 0.3625$^{-}$ \\',
        r'\bottomrule',
        r'\end{tabular}',
    ]
    ascending = meta.compare(E.select(systems=['C', 'B', 'A']), pairs='all').to_markdown()
    assert '| A (c) | **0.7500**<sup>ab</sup> |' in ascending
    assert '<strong>0.75</strong>' in table.to_html(places=2)
    both = pd.concat([table, table.assign(measure='other')])  # a comparison stays one
    assert r'system & score & other \\' in both.to_latex()
    many = meta.compare(np.random.default_rng(0).random((30, 12)), pairs='all').to_latex()
    assert r'system30 (30) &' in many


@quietly()
def test_ranks_of_table_e():
    table = meta.ranks(E)
    assert table[['system', 'rank_low', 'rank_high', 'tier', 'may_be_first']].values.tolist() == [
        ['A', 1, 1, 1, True],
        ['B', 2, 2, 2, False],
        ['C', 3, 4, 3, False],
        ['D', 3, 4, 3, False],
    ]
    t = scipy.stats.ttest_1samp(A, 0).confidence_interval()
    assert table.loc[0, ['low', 'high']].tolist() == pytest.approx([t.low, t.high])


def test_intervals_of_means_are_cut_at_the_range():
    x = np.array([[0.0] * 9 + [0.4], [1.0] * 9 + [0.6]])
    for low, high in (range_of('P@5', x), range_of('own', x)):
        ends = mean_interval(x, bounds=(low, high))
        assert ends[0][0] == 0 and ends[1][1] == 1
    assert range_of('RBU@20', np.array([-3.0, 1])) == (-math.inf, 1)
    assert range_of('own', np.array([20.0, 60])) == (0, math.inf)
    assert range_of('NumUnique', np.array([0.0, 0.9])) == (0, math.inf)


# ------------------------------------------------------------------------------------------- stability, agreement


@pytest.mark.parametrize('fuzziness', [0.0, 0.1])
def test_stability_against_all_samples(fuzziness):
    values = some_scores(3, 4, 8, 2)
    table = meta.stability(values, n_trials=4000, fuzziness=fuzziness, n_resamples=0, rng=0)
    for m in range(2):
        wanted = np.mean(
            [
                twin.stability(values[i, :, m], values[j, :, m], 4, fuzziness)
                for i, j in itertools.combinations(range(4), 2)
            ]
        )
        assert table['statistic'][m] == pytest.approx(wanted, abs=0.02)


def test_limits_of_stability():
    wide = meta.stability(some_scores(0, 4, 6, 1), n_trials=50, n_resamples=20, rng=0)
    assert 0.5 <= wide['low'][0] <= wide['high'][0] <= 1
    refused('1 query', meta.stability, [[1], [2]])
    refused('fuzziness=-1', meta.stability, [[1, 2], [2, 3]], fuzziness=-1)
    refused('size=3', meta.stability, [[1, 2], [2, 3]], size=3)


def test_system_count_by_hand():
    """In a pool of its own, a system's score is its mean less the largest of the others: the order is that of all."""
    means = np.array([0.1, 0.4, 0.2, 0.3, 0.9])

    def score(pool):
        own = means[pool]
        return np.stack([own, -own, np.ones(len(pool)) * len(pool)], axis=1)

    table = meta.system_count(score, 5, [2, 4], n_trials=4, rng=0)
    assert table['n_systems'].tolist() == [2, 4] * 3
    assert table['statistic'].tolist() == [1, 1, 1, 1, 0, 0] and (table['sd'] == 0).all()

    def changing(pool):
        return means[pool] * (-1 if len(pool) == 2 else 1)

    found = meta.system_count(changing, 5, [2, 4], n_trials=4, rng=0)
    assert found['statistic'].tolist() == pytest.approx([-1, 1])
    refused('size=6', meta.system_count, changing, 5, [6])
    refused('has shape', meta.system_count, lambda pool: 1, 5, [2])


def some_preferences(rng, n, users):
    """Scores of three systems on six queries by two measures, and different preferences of several users."""
    scores = Scores(rng.integers(0, 3, (3, 6, 2)) / 2, 'abc', list('123456'))
    cells = itertools.product(scores.queries, itertools.combinations('abc', 2), users)
    rows = [(*cell, int(rng.integers(-2, 3))) for cell in cells]
    rows = [rows[i] for i in rng.choice(len(rows), n, replace=False)]
    frame = [(query, a, b, user, preference) for query, (a, b), user, preference in rows]
    columns = ['query_id', 'system_a', 'system_b', 'user', 'preference']
    return scores, pd.DataFrame(frame, columns=columns)


@pytest.mark.parametrize('users, seed', [('u', 0), ('uvwx', 3)])
def test_preference_agreement_against_loops(users, seed):
    scores, answers = some_preferences(np.random.default_rng(seed), 14, users)
    table = meta.preference_agreement(scores, answers)
    for m, row in enumerate(table.itertuples()):
        by_names = {
            (system, query): scores.values[s, q, m]
            for s, system in enumerate('abc')
            for q, query in enumerate(scores.queries)
        }
        value, error, df = twin.preference_agreement(by_names, answers.to_dict('records'))
        half = scipy.stats.t.ppf(0.975, df) * error
        assert [row.statistic, row.n_pairs] == pytest.approx([value, 14])
        ends = max(value - half, -1), min(value + half, 1)
        assert (row.low, row.high) == pytest.approx(ends)


def test_bad_preferences():
    scores, answers = some_preferences(np.random.default_rng(0), 14, 'uv')
    first = dict(answers.iloc[0])
    for change, said in (
        ({'system_a': 'd'}, "system_a 'd' has no scores"),
        ({'preference': 'x'}, "'x' for query .* is not a number"),
        (first, 'duplicate'),
    ):
        refused(said, meta.preference_agreement, scores, answers.assign(**change))
    refused('no column', meta.preference_agreement, scores, answers.drop(columns='preference'))
    refused('no rows', meta.preference_agreement, scores, answers[:0])


def test_errors_say_what_is_wrong():
    refused('expected at least two measures', meta.unanimity, [[1, 2], [2, 3]])
    refused("no scores of the measure 'x'", meta.unanimity, some_scores(0), families={'x': 'f'})
    refused('siblings', meta.unanimity, some_scores(0), against='siblings')
    refused('is nan', meta.correlations, np.full((3, 4, 2), np.nan))
