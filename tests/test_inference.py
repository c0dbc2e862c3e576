"""Tests of pairs, intervals of bounded means, ranks, correlations on all queries.

The numbers are those of the definition, computed apart from the package.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from ir_divmeasures import Scores, meta
from ir_divmeasures.errors import DivMeasuresWarning
from ir_divmeasures.estimates import (
    bounded,
    mean_over_queries,
)
from ir_divmeasures.evaluation.ranges import means, range_of
from ir_divmeasures.meta.agreement import correlations

from .builders import expect_error, expect_warning, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

A = [0.8, 0.6, 0.9, 0.7, 0.5, 0.8, 1, 0.7]
B = [0.7, 0.6, 0.8, 0.6, 0.5, 0.6, 0.9, 0.7]
C = [0.3, 0.5, 0.2, 0.4, 0.1, 0.6, 0.4, 0.5]
D = [*C[:-1], 0.4]
E = Scores([A, B, C, D], systems='ABCD')


# ------------------------------------------------------------------------------------------------- tests of pairs


@pytest.mark.parametrize(
    'method, correction, expected, within',
    [
        ('t', None, [0.0199, 0.0016, 0.0010, 0.0046, 0.0033, 1], 5e-5),
        ('t', 'holm', [0.0399, 0.0078, 0.0061, 0.0137, 0.0134, 1], 5e-5),
    ],
)
def test_table_e(method, correction, expected, within):
    found = meta.discriminative_power(E, method, correction=correction)
    assert found.pvalues[0] == pytest.approx(expected, abs=within)


def test_few_differences_say_no_more_than_their_signs():
    for differences, p in (([0.1] * 5, 0.0625), ([0.1] * 3 + [0] * 7, 0.25), ([0] * 4, 1)):
        assert mean_over_queries(differences).pvalue == p
    assert stats.ttest_1samp([0.1] * 3 + [0] * 7, 0).pvalue == pytest.approx(0.0811, abs=5e-5)
    assert np.isnan(mean_over_queries([0.1] * 5)[1:3]).all()
    assert mean_over_queries([0.0] * 4)[1:3] == (0, 0)


def test_resamples_that_cannot_reach_alpha_are_refused():
    x = np.random.default_rng(0).random((48, 50))
    message = r'1000 resamples cannot reach p < 0.05 after Holm over 1128 pairs; n_resamples=22560 or more'
    refused(message, meta.discriminative_power, x, 'bootstrap')
    with expect_error('19 resamples cannot reach p < 0.05; n_resamples=20 or'):
        meta.discriminative_power(x[:4], 'bootstrap', correction=None, n_resamples=19)
    sakai = meta.discriminative_power(x[:4], 'bootstrap', correction=None, n_resamples=20)
    assert 'uncorrected, as Sakai 2006' in sakai._headline() and sakai.delta is not None
    assert meta.discriminative_power(x[:4]).delta is None


def test_notes_of_a_comparison():
    with expect_warning('rough below 10', DivMeasuresWarning):
        few = meta.compare(E)
    assert any('differ on at most 8 queries; if large differences are rare' in n for n in few.notes)


def test_a_further_measure_changes_no_p():
    two = Scores(np.stack([E.values[:, :, 0], E.values[:, :, 0] ** 2], axis=2), E.systems)
    alone = meta.discriminative_power(E)
    assert meta.discriminative_power(two).pvalues[0] == pytest.approx(alone.pvalues[0])
    assert 't test, Holm over the 3 pairs of each measure' in meta.compare(two, 'B')._headline()


def test_verdicts_and_intervals_of_differences():
    frame = meta.compare(E, 'C').to_frame().set_index('system')
    assert frame['verdict'].dropna().to_dict() == {'A': 'better', 'B': 'better', 'D': 'undecided'}
    row = meta.compare(E.select(systems=['B', 'A']), confidence_level=0.9).to_frame().iloc[1]
    assert (row['low'], row['high']) == pytest.approx((0.0276, 0.1224), abs=5e-5)
    assert row['effect'] == pytest.approx(1.061, abs=5e-4)
    shifted = meta.compare([A, [a + 0.1 for a in A]]).to_frame()
    assert np.isnan(shifted['low'][1])


def test_all_pairs_are_rows():
    frame = meta.compare(E, pairs='all').to_frame()
    assert [*zip(frame['system'], frame['other'])] == list(itertools.combinations('ABCD', 2))
    assert frame['differ'].tolist() == [5, 8, 8, 7, 7, 1]
    columns = 'measure system other difference low high effect pvalue verdict wins ties losses differ significant'
    assert ' '.join(frame) == columns


# ------------------------------------------------------------------------------------------------- bounded means


@pytest.mark.parametrize(
    'scores, bounds, expected',
    [
        ([0] * 25, (0, 1), (0, 0.0947)),
        ([0] * 24 + [1], (0, 1), (0.0044, 0.1721)),
        ([0.3], (0, 1), (0.0546, 0.8291)),
        ([0, 1], (0, 1), (0.0608, 0.9392)),
        ([1, 1], (0, 1), (0.3332, 1)),
        ([0.2] * 10, (0, 1), (0.1370, 0.3325)),
        (A, (0, 1), (0.5679, 0.8534)),
        (2 * np.array(C) - 1, (-1, 1), (-0.4914, 0.0655)),
    ],
)
def test_examples_of_bounded(scores, bounds, expected):
    x = np.array(scores, dtype=float)
    error = x.std(ddof=1) / len(x) ** 0.5 if len(x) > 1 else 0
    found = bounded(x.mean(), error, len(x), bounds)
    assert found[1:3] == pytest.approx(expected, abs=5e-5)


def test_bounded_is_jeffreys_interval_of_shares():
    assert bounded(0.62, 0.04, 30)[1:3] == pytest.approx((0.5346, 0.6945), abs=5e-5)
    proportion = pytest.importorskip('statsmodels.stats.proportion')
    for n, hits in ((10, 3), (25, 24)):
        x = np.arange(n) < hits
        found = bounded(x.mean(), x.std(ddof=1) / n**0.5, n)
        assert found[1:3] == pytest.approx(
            proportion.proportion_confint(hits, n, method='jeffreys'), abs=1e-9
        )


def test_a_missing_bound_leaves_t_cut_at_the_known_one():
    half = stats.t.ppf(0.975, 4) * 0.4
    assert bounded(0.3, 0.4, 5, (0, None))[1:3] == pytest.approx((0, 0.3 + half))
    assert bounded(0.3, 0.4, 5, (None, 1))[1:3] == pytest.approx((0.3 - half, 1))
    assert bounded(0.3, 0.4, 5, (None, None))[1:3] == pytest.approx((0.3 - half, 0.3 + half))


def test_ranges_of_measures():
    shares, above = [0.2, 0.4], [0.2, 1.01]
    assert range_of('P@5', shares) == range_of('ERR_IA@20', shares) == ((0, 1), '')
    assert range_of('RBU@20', shares) == ((None, 1), '')
    assert range_of('DCG_IA@20', shares) == ((0, None), '')
    assert range_of('alpha_nDCG@20', shares) == range_of('IA(M=nDCG@10)', shares) == ((0, 1), '')
    for name in ('alpha_nDCG@20', 'alpha_nDCG_LA@20', 'nERR_IA@20'):
        assert range_of(name, above) == ((0, 1), f'{name}: 1 score above 1 clipped')
    assert range_of('nDCU@20', [-0.1, 1.01]).bounds == (None, 1)
    assert range_of('own', shares) == ((0, 1), 'own: read as shares of 1')
    assert range_of('own', above).bounds == range_of('AP', [20, 30]).bounds == (None, None)
    estimate, _ = means(np.array([[0.5, 1.2], [0.5, 1.0]]), 'alpha_nDCG@20')
    assert estimate.low[0] == estimate.low[1] and estimate.value[0] == 0.75


# ------------------------------------------------------------------------------------------------- unanimity, ranks


@pytest.mark.parametrize(
    'wrong, expected',
    [(0, (1, 0.9279, 1)), (1 / 6, (0.9952, 0.9242, 0.9997)), (1, (0.9709, 0.8644, 0.9969))],
)
def test_intervals_of_unanimity_of_fifty_queries(wrong, expected):
    """4 systems whose pairs all of M orders: all right, one of six pairs wrong on a query, all wrong on a query."""
    m = np.tile(np.arange(4.0), (50, 1)).T[:, :, None].repeat(2, axis=2)
    m[:, 0, 1] = {0: [0, 1, 2, 3], 1 / 6: [1, 0, 2, 3], 1: [3, 2, 1, 0]}[wrong]
    found = meta.unanimity(m)
    assert (found.values[1], *found.interval[1]) == pytest.approx(expected, abs=5e-5)


def test_ranks_of_table_e():
    found = meta.ranks(E)
    frame = found.to_frame().set_index('system')
    assert frame[['rank_low', 'rank_high', 'tier']].values.tolist() == [
        [1, 1, 1],
        [2, 2, 2],
        [3, 4, 3],
        [3, 4, 3],
    ]
    assert frame['best_p'].tolist() == pytest.approx([1, 0.0299, 0.0023, 0.0015], abs=5e-5)
    assert found.best == {'score': 'A is best (p = 0.03)'}
    assert frame.loc['A', ['low', 'high']].tolist() == pytest.approx([0.5679, 0.8534], abs=5e-5)
    assert 'read as shares of 1' in found._headline()


def test_ranks_of_ties():
    found = meta.ranks([A, A, C]).to_frame()
    assert found['rank'].tolist() == [1.5, 1.5, 3] and found['may_be_best'].tolist() == [1, 1, 0]
    with expect_warning('score all systems the same'):
        assert meta.ranks([A, A]).to_frame()['best_p'].tolist() == [1, 1]


def test_ranks_of_real_scores(shared):
    folder = shared / 'data' / 'scores'
    ndcg, ap = (
        meta.ranks(Scores.read(folder / f'{n}.csv')) for n in ('web2012_ndcg20', 'web2014_ap')
    )
    of_ndcg, of_ap = (found.to_frame() for found in (ndcg, ap))
    lengths = [(f['rank_high'] - f['rank_low'] + 1).mean() for f in (of_ndcg, of_ap)]
    assert lengths == pytest.approx([45.3, 15.8], abs=0.05)
    assert ndcg.best['web2012_ndcg20'].startswith('12 of 48 may be best: sys44, sys24')
    assert of_ndcg['tier'].max() == 1 and of_ap['may_be_best'].sum() == 1
    assert ap.best == {'web2014_ap': 'sys20 is best (p = 0.049)'}
    assert of_ap.loc[0, ['system', 'rank_low', 'rank_high']].tolist() == ['sys20', 1, 3]
    found = meta.discriminative_power(Scores.read(folder / 'web2012_ndcg20.csv'))
    assert found.counts.tolist() == [65]


# ------------------------------------------------------------------------------------------------- correlations


def test_correlations_on_all_queries():
    """across .487, within .626 and .590: the correlation on all queries is .645."""
    s = np.sin(np.pi * np.array([0.487, 0.626, 0.590]) / 2)
    assert 2 / np.pi * np.arcsin(s[0] / (s[1] * s[2]) ** 0.5) == pytest.approx(0.645, abs=5e-4)
    rng = np.random.default_rng(0)
    skill, query = rng.normal(0, 0.6, (20, 1, 1)), rng.normal(0, 1, (1, 60, 1))
    scores = Scores(skill + query + rng.normal(0, 1, (20, 60, 2)), measures=['a', 'b'])
    found = correlations(scores, n_resamples=20, rng=0)
    row = found.pairs.iloc[0]
    s = np.sin(np.pi * row[['across', 'within_x', 'within_y']].astype(float) / 2)
    ratio = s['across'] / (s['within_x'] * s['within_y']) ** 0.5
    assert row['all_queries'] == pytest.approx(2 / np.pi * np.arcsin(min(ratio, 1)))
    assert row['value'] < row['all_queries'] and row['all_high'] == 1
    assert 'a and b: no disagreement beyond noise.' in str(found)
    assert 'as expected on 60 queries' in found._headline()
    noise = correlations(rng.normal(0, 1, (10, 4, 2)), n_resamples=5, rng=0).pairs.iloc[0]
    assert np.isnan(noise[['all_low', 'all_high']].astype(float)).all()
