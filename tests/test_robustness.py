"""Robustness of measures to topics, pools and assessors, and shallower pools."""

import numpy as np
import pytest
import scipy

from ir_divmeasures import Scores
from ir_divmeasures.meta import assessor_robustness, pool_robustness, topic_robustness
from ir_divmeasures.meta.intervals import sample_queries
from ir_divmeasures.pools import repool

from .builders import expect_warning, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


def of(by_measure):
    """Scores from measure → (systems, topics)."""
    return Scores(np.stack(list(by_measure.values()), axis=2), measures=tuple(by_measure))


@pytest.fixture(scope='module')
def scores():
    rng = np.random.default_rng(1)
    skill = np.linspace(0, 1, 12)[:, None]
    return of(
        {
            'A': skill + rng.normal(0, 0.2, (12, 20)),
            'B': skill + rng.normal(0, 1, (12, 20)),
            'C': np.round(skill + rng.normal(0, 2, (12, 20))),
        }
    )


def test_topic_samples_equal_a_plain_loop(scores):
    """The same samples, and scipy's τ for each on its own."""
    table = topic_robustness(scores, sizes=[3, 10], n_trials=7, n_resamples=0, rng=5)
    rng = np.random.default_rng(5)
    samples = [sample_queries(np.ones(20, dtype=int), size, 7, rng) for size in (3, 10)]
    assert all(((sample > 0).sum(axis=1) == size).all() for sample, size in zip(samples, (3, 10)))
    wanted = [
        np.mean(
            [
                scipy.stats.kendalltau(values.mean(axis=1), (values @ weights).round(12)).statistic
                for weights in sample
            ]
        )
        for values in scores.values.transpose(2, 0, 1)
        for sample in samples
    ]
    assert table['statistic'].tolist() == pytest.approx(wanted)
    assert table['topics'].tolist() == [3, 10] * 3 and table['low'].isna().all()


def test_samples_are_the_same_for_all_measures(scores):
    one, two = (topic_robustness(scores, n_trials=5, n_resamples=3, rng=3) for _ in range(2))
    assert one.equals(two) and one['topics'].unique().tolist() == [5, 10, 15]
    whole = topic_robustness(scores, sizes=[20], n_trials=3, n_resamples=0)
    assert whole['statistic'].tolist() == pytest.approx([1, 1, 1])
    alone = topic_robustness(scores.select(measures=['B']), n_trials=5, n_resamples=3, rng=3)
    assert alone['statistic'].tolist() == one['statistic'][3:6].tolist()


def test_a_resample_of_the_topics_serves_both_sides(scores):
    """The replicates are τ_b of the resampled means; the same judgments have τ = 1 in each, and the interval (1, 1)."""
    change = np.linspace(0, 3, 20) * np.linspace(-1, 1, 12)[:, None]
    worse = of({name: scores[name] + change for name in 'ABC'})
    table = assessor_robustness(scores, {'same': scores, 'other': worse}, n_resamples=5, rng=2)
    assert table[['low', 'high']].values[::2] == pytest.approx(np.ones((3, 2)))
    taus = [
        scipy.stats.kendalltau(scores['B'] @ counts, worse['B'] @ counts).statistic
        for counts in np.random.default_rng(2).multinomial(20, [1 / 20] * 20, size=5)
    ]
    row = table.loc[3]
    half = scipy.stats.t.ppf(0.975, 19) * np.std(taus, ddof=1)
    assert row[['measure', 'assessor']].tolist() == ['B', 'other']
    assert row['high'] == pytest.approx(min(row['statistic'] + half, 1))


def test_pools_and_assessors(scores):
    worse = of({'A': scores['A'][:, ::-1], 'B': -scores['B'], 'C': -scores['C']})
    for function, column in ((pool_robustness, 'depth'), (assessor_robustness, 'assessor')):
        table = function(scores, {1: worse, 9: scores}, n_resamples=3)
        assert table[column].tolist() == [1, 9] * 3
        assert table['statistic'].tolist() == pytest.approx([1, 1, -1, 1, -1, 1])
        refused('no ' + column, function, scores, {})
    other = {'B': scores.select(systems=scores.systems[1:])}
    refused("assessor 'B': no system 'system1'", assessor_robustness, scores, other)
    turned = scores.select(systems=scores.systems[::-1], queries=scores.queries[::-1])
    same = assessor_robustness(scores, {'B': turned}, n_resamples=0)
    assert same['statistic'].tolist() == pytest.approx([1, 1, 1])


def test_bad_sizes(scores):
    refused('size=21', topic_robustness, scores, [21])
    refused('4 topics: expected sizes', topic_robustness, np.ones((3, 4)))
    refused('n_trials=0', topic_robustness, scores, n_trials=0)
    refused('n_resamples=-1', topic_robustness, scores, n_resamples=-1)


def test_constant_scores_have_no_order():
    assert topic_robustness(np.ones((3, 8)), [2], rng=0)['statistic'].tolist() == [0]


# -------------------------------------------------------------------------------------------------- shallower pools

QRELS = {'q1': {'a': 1, 'b': 2, 'c': 0, 'z': 1}, 'q2': {'a': 0}}
RUNS = {
    'r': {'q1': {'c': 3.0, 'a': 2.0, 'x': 1.0}, 'q2': {'x': 2.0, 'a': 1.0}},
    's': {'q1': {'a': 1.0, 'b': 1.0}},
}


def test_repool():
    pools = repool(QRELS, RUNS, [2, 3])
    # ties: b before a; z was retrieved by nobody
    assert [pools[2][pools[2].query_id == 'q1'].doc_id.tolist(), pools[2].relevance.tolist()] == [
        ['a', 'b', 'c'],
        [1, 2, 0, 0],
    ]
    with expect_warning('1 queries at depth 1'):
        first = repool(QRELS, RUNS.values(), [1])[1]
    assert first[['query_id', 'doc_id', 'relevance']].to_numpy().tolist() == [
        ['q1', 'b', 2],
        ['q1', 'c', 0],
        ['q2', 'a', 0],
    ]


def test_repool_reads_a_folder(tmp_path):
    (tmp_path / 'r.run').write_text('q1 Q0 b 1 2.0 tag\nq1 Q0 a 2 1.0 tag\n')
    assert repool({'q1': {'a': 1, 'b': 0}}, tmp_path, [1])[1]['doc_id'].tolist() == ['b']


def test_repool_errors():
    refused('depths=0', repool, QRELS, RUNS, [0])
    refused("depths='ten': expected a whole number", repool, QRELS, RUNS, ['ten'])
    refused('no run', repool, QRELS, [], [1])
