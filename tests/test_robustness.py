"""Robustness of measures to topics, pools and assessors, and shallower pools."""

import numpy as np
import pytest
from scipy import stats

from ir_divmeasures import Scores
from ir_divmeasures.meta.robustness import (
    assessor_robustness,
    pool_robustness,
    topic_robustness,
)
from ir_divmeasures.pools import repool

from .builders import expect_error, expect_warning, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

TAILS = {'A': 'fat', 'B': 'slim', 'C': 'slim'}


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
    """The same permutations, and scipy's τ for each sample on its own."""
    result = topic_robustness(scores, sizes=[3, 10], n_trials=7, rng=5)
    rng = np.random.default_rng(5)
    for level, size in enumerate((3, 10)):
        drawn = [rng.permutation(20)[:size] for _ in range(7)]
        for m, values in enumerate(scores.values.transpose(2, 0, 1)):
            wanted = [
                stats.kendalltau(values.mean(axis=1), values[:, topics].mean(axis=1)).statistic
                for topics in drawn
            ]
            assert result.tau[m, level] == pytest.approx(wanted)
    assert result.to_frame().loc['B', 10] == pytest.approx(result.tau[1, 1].mean())


def test_samples_are_reproducible_and_all_topics_give_one(scores):
    one, two = (topic_robustness(scores, n_trials=5, rng=3) for _ in range(2))
    assert (one.tau == two.tau).all() and one.levels == (5, 10, 15)
    whole = topic_robustness(scores, sizes=[20], n_trials=3)
    assert whole.tau == pytest.approx(np.ones((3, 1, 3)))
    alone = topic_robustness(  # the same samples whatever the measures
        scores.select(measures=['B']), n_trials=5, rng=3
    )
    assert (alone.tau[0] == one.tau[1]).all()


def test_intervals_are_over_topics(scores):
    """100 times the trials narrow the error of the trials, and not the interval over topics."""
    few, many = (topic_robustness(scores, [10], n_trials=n, rng=0) for n in (10, 1000))
    ends = [result.interval().loc['B'].to_numpy() for result in (few, many)]
    assert np.diff(ends[1]) == pytest.approx(np.diff(ends[0]), rel=0.4)
    assert many.monte_carlo().loc['B', 10] < few.monte_carlo().loc['B', 10] / 5
    assert ends[1][0] < many.to_frame().loc['B', 10] < ends[1][1]
    none = topic_robustness(scores, [10], n_trials=5, n_resamples=0, rng=0)
    assert none.interval().isna().all(axis=None)


def test_a_resample_of_the_topics_serves_both_sides(scores):
    """The replicates are τ_b of the resampled means; the same judgments have τ = 1 in each, and the interval (1, 1)."""
    worse = of(
        {
            name: scores[name] + np.linspace(0, 3, 20) * np.linspace(-1, 1, 12)[:, None]
            for name in 'ABC'
        }
    )
    result = assessor_robustness(scores, {'same': scores, 'other': worse}, n_resamples=5, rng=2)
    assert result.replicates[:, :, 0] == pytest.approx(np.ones((5, 3)))
    assert result.interval().loc['A', 'same'].tolist() == [1, 1]
    for number, topics in enumerate(np.random.default_rng(2).integers(0, 20, (5, 20))):
        assert result.replicates[number, 1, 1] == pytest.approx(
            stats.kendalltau(
                scores['B'][:, topics].mean(axis=1), worse['B'][:, topics].mean(axis=1)
            ).statistic
        )


def test_groups(scores):
    result = topic_robustness(scores, n_trials=50, rng=0)
    frame, by_tail = result.to_frame(), result.to_frame(TAILS)
    assert by_tail.loc['slim'].to_numpy() == pytest.approx(frame.loc[['B', 'C']].mean().to_numpy())
    assert by_tail.loc['fat'].to_numpy() == pytest.approx(frame.loc['A'].to_numpy())
    estimate = result.difference(TAILS, 'fat', 'slim')
    assert estimate.value == pytest.approx((by_tail.loc['fat'] - by_tail.loc['slim']).mean())
    assert 0 < estimate.low < estimate.value < estimate.high and 1e-9 < estimate.pvalue < 0.05
    half = result.monte_carlo(TAILS)
    trials = result.tau[0, 0]
    assert half.loc['fat', 5] == pytest.approx(
        stats.t.ppf(0.975, 49) * trials.std(ddof=1) / np.sqrt(50)
    )
    refused("no group 'M1'", result.difference, TAILS, 'fat', 'M1')
    refused('none of the measures belongs', result.to_frame, {'Z': 'fat'})


def test_pools_and_assessors(scores):
    worse = of({'A': scores['A'][:, ::-1], 'B': -scores['B'], 'C': -scores['C']})
    for result in (
        pool_robustness(scores, {1: worse, 9: scores}),
        assessor_robustness(scores, {1: worse, 9: scores}),
    ):
        assert result.to_frame()[9].to_numpy() == pytest.approx([1, 1, 1])
        assert result.to_frame()[1].to_numpy() == pytest.approx(
            [1, -1, -1]
        )  # means of A are the same
    assert pool_robustness(scores, {1: worse}).level == 'pool depth'
    with expect_error('at least two of them, found 1'):
        pool_robustness(scores, {1: worse}).monte_carlo()


def test_scores_in_other_forms(scores):
    """A Scores object, its table and a plain array give the same; names decide which systems are compared."""
    values = scores.values
    made = Scores(values, systems=tuple('abcdefghijkl'), measures=scores.measures)
    expected = topic_robustness(scores, n_trials=2, rng=1)
    for form in (made, made.to_frame(), values):
        assert (topic_robustness(form, n_trials=2, rng=1).tau == expected.tau).all()
    assert topic_robustness(made, n_trials=2, rng=1).measures == expected.measures
    # names decide, not places
    turned = made.select(systems=tuple('bacdefghijkl'))
    assert (pool_robustness(made, {1: turned}).tau == 1).all()
    with expect_error('same systems; a, m in one of the two only'):
        pool_robustness(made, {1: Scores(values, tuple('mbcdefghijkl'), measures=scores.measures)})


@over(
    'change, says',
    [
        (lambda s: s.values * np.nan, 'is nan'),
        (lambda s: s.values[:1], '1 system'),
    ],
)
def test_bad_scores(scores, change, says):
    refused(says, topic_robustness, change(scores))
    refused(says, pool_robustness, change(scores), {1: scores})


def test_further_bad_input(scores):
    short = scores.select(queries=scores.queries[:5])
    fewer = scores.select(measures=['A', 'B'])
    for call, says in (
        (lambda: topic_robustness(scores, [0]), 'expected a whole number from 1 to 20'),
        (lambda: topic_robustness(scores, [21]), 'size=21'),
        (lambda: topic_robustness(scores, [2.5]), 'size=2.5'),
        (lambda: topic_robustness(scores, n_trials=0), 'n_trials=0'),
        (lambda: topic_robustness(short), 'the default being 5'),
        (lambda: pool_robustness(scores, {1: fewer}), 'pool depth 1: .* same measures; C in one'),
        (lambda: pool_robustness(scores, {1: short}), 'same queries; 10, 11'),
        (lambda: pool_robustness(scores, {}), 'no pool depth to compare with'),
    ):
        refused(says, call)
    refused('none.csv: no such file', topic_robustness, 'none.csv', error=FileNotFoundError)


def test_constant_scores_are_defined():
    with expect_warning('tied'):
        result = topic_robustness(np.ones((3, 4)), sizes=[2], n_trials=2)
    assert (result.tau == 0).all()


def test_plot(scores):
    ax = topic_robustness(scores, n_trials=2, n_resamples=0, rng=0).plot(TAILS)
    assert [line.get_label() for line in ax.lines] == ['fat', 'slim']
    assert ax.get_xlabel() == 'topics'


# ---- shallower pools ------------------------------------------------------------------------------------------------

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


def test_means_that_differ_by_rounding_are_ties():
    """(.1 + .2 + .3)/3 and (.3 + .2 + .1)/3 are other floats; of three pairs, two agree and one is a tie on one side."""
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]])
    other = np.array([[0.4] * 3, [0.2] * 3, [0.9] * 3])
    assert scores[0].mean() != scores[1].mean()
    against = assessor_robustness(scores, {'B': other}, n_resamples=0)
    assert against.tau.item() == pytest.approx(2 / np.sqrt(2 * 3))
    by_size = topic_robustness(scores, sizes=[3], n_trials=20, n_resamples=0, rng=0)
    assert by_size.tau.ravel() == pytest.approx([1] * 20)
