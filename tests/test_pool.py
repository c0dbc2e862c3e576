"""The pool as a thing: files, pieces, groups, depth; and what an organiser asks of it."""

import itertools
import random

import pandas as pd
import pytest
from scipy.special import stdtrit

import ir_divmeasures as dm
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.pools import Pool, campaign

from .builders import expect_error, over, refused
from .reference import rareness as twins
from .test_rareness import QRELS, RUNS, random_collection

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

GROUPS = {'s0': 'x', 's1': 'y', 's2': 'x', 's3': 's3', 's4': 'x', 's5': 'y'}


def collection(seed=1, subtopics=1):
    qrels, runs = random_collection(seed, subtopics=subtopics)
    return qrels, runs, Pool.from_runs(runs, depth=10, groups=GROUPS)


# --------------------------------------------------------------------------------------------------- making


@over('seed', range(4))
@over('depth', [3, 100, None])
def test_rows_are_the_top_of_the_runs(seed, depth):
    _, runs = random_collection(seed)
    wanted = sorted(
        (q, d, s, rank)
        for s, run in runs.items()
        for q, docs in run.items()
        for rank, d in enumerate(twins.ranking_of(docs)[:depth], 1)
    )
    assert list(Pool.from_runs(runs, depth).to_frame().itertuples(index=False, name=None)) == wanted


@pytest.mark.parametrize('seed', range(1))
def test_pieces_give_the_whole(seed, tmp_path):
    """In any order and any partition, groups split over the parts, bit for bit on disk."""
    _, runs, whole = collection(seed)
    whole.save(tmp_path / 'whole.parquet')
    rng = random.Random(seed)
    for _ in range(5):
        names = list(runs)
        rng.shuffle(names)
        cuts = sorted(rng.sample(range(1, 6), rng.randint(1, 3)))
        parts = [
            Pool.from_runs({s: runs[s] for s in names[a:b]}, 10, GROUPS)
            for a, b in itertools.pairwise([0, *cuts, 6])
        ]
        pool = parts[0]
        for part in parts[1:]:
            pool = pool + part
        assert pool == whole
        assert (pool + parts[0]) == whole  # a system in both counts once
        pool.save(tmp_path / 'parts.parquet', overwrite=True)
        assert (tmp_path / 'parts.parquet').read_bytes() == (
            tmp_path / 'whole.parquet'
        ).read_bytes()


def test_saved_and_loaded(tmp_path):
    qrels, _, pool = collection()
    path = tmp_path / 'pool.parquet'
    pool.save(path)
    loaded = Pool.load(path)
    assert loaded == pool == Pool.of(path)
    pd.testing.assert_frame_equal(loaded.judgments(qrels), pool.judgments(qrels))
    assert [p.name for p in tmp_path.iterdir()] == ['pool.parquet']
    refused('pool.parquet exists; overwrite=True', pool.save, path, error=FileExistsError)
    assert (
        pd.read_parquet(path)['rank'].tolist() == pool.to_frame()['rank'].tolist()
    )  # readable without us


def test_a_system_without_documents_counts(tmp_path):
    pool = Pool.from_runs({**RUNS, 'N': {'other': {'d1': 1.0}}})
    assert set(pool.judgments(QRELS)['n_systems']) == {4}
    pool.save(tmp_path / 'pool.parquet')
    assert Pool.load(tmp_path / 'pool.parquet') == pool
    assert pool.without('A', 'B', 'C').systems == ['N']


def test_without_a_system_or_a_group():
    _, runs, pool = collection()
    for names, left in ((['s3'], '01245'), (['x'], '135'), (['x', 's1'], '35'), (['s0'], '12345')):
        kept = {f's{i}': runs[f's{i}'] for i in left}
        assert pool.without(*names) == Pool.from_runs(kept, 10, GROUPS)


def test_judgments_that_carry_another_pool():
    pool, other = Pool.from_runs(RUNS), Pool.from_runs({'A': RUNS['A']})
    pd.testing.assert_frame_equal(pool.judgments(other.judgments(QRELS)), pool.judgments(QRELS))


# --------------------------------------------------------------------------------------------------- scores


def test_listed_intents():
    """Rows that only list an intent are no documents."""
    judged = pd.DataFrame(
        [('q', '1', 'd1', 1), ('q', '2', 'd2', 1), ('q', '3', '-', -1)],
        columns=['query_id', 'subtopic_id', 'doc_id', 'relevance'],
    )
    pool = Pool.from_runs(RUNS)
    carried = pool.judgments(judged, newcomer=True)
    assert carried[['doc_id', 'n_retrieved']].values.tolist() == [['d1', 3], ['d2', 2], ['-', 0]]
    scores = pool.scores({'n': {'q': {'d2': 2.0, 'd1': 1.0}}}, judged, 'P_Rareness@1 Coverage@2')
    assert scores.values[0, 0].tolist() == [1 + 1 / 4, 2 / 3]
    assert pool.scores(None, judged, 'Coverage@2').select(systems=['B']).values.item() == 2 / 3
    assert campaign.leave_one_group_out(pool.over(judged), 'A')['doc_id'].tolist() == [
        'd1',
        'd2',
        '-',
    ]


def test_a_run_under_a_members_name():
    pool = Pool.from_runs(RUNS, depth=2)
    other = {'q': {**RUNS['A']['q'], 'd3': 0.5, 'd9': 0.1}}  # the same top 2
    assert pool.scores({'A': other}, QRELS, 'P_Rareness@2').values.item() == 0.5
    with expect_error(r"system 'A' is a member of the pool, but the top 2 of this run differs"):
        pool.scores({'A': RUNS['B']}, QRELS, 'P_Rareness@2')


@over(
    'call, message',
    [
        (lambda p: Pool.from_runs({}), 'an empty pool: no runs'),
        (
            lambda p: p + Pool.from_runs({'A': RUNS['B']}, 10),
            "system 'A' has two different rankings",
        ),
        (lambda p: p + Pool.from_runs(RUNS, 5), 'pools of depth 10 and 5'),
        (lambda p: p.without('A', 'B', 'C'), 'an empty pool: all of its 3 systems are left out'),
        (
            lambda p: p.over({'other': {'d1': 1}}),
            "none of the 1 queries of the pool is among the 1 queries of the judgm",
        ),
        (
            lambda p: p.scores(None, QRELS, 'P_Rareness@11'),
            'the cutoff 11 is deeper than the pool, whose depth is 10',
        ),
        (lambda p: campaign.leave_one_group_out(p.over(QRELS), 'Z'), "'Z' is no group of the pool"),
    ],
)
def test_bad_input(call, message):
    refused(message, call, Pool.from_runs(RUNS, depth=10))


def test_bad_files(tmp_path):
    refused('nowhere', Pool.load, tmp_path / 'nowhere.parquet', error=FileNotFoundError)
    other = tmp_path / 'other.parquet'
    pd.DataFrame({'a': [1]}).to_parquet(other)
    refused('other.parquet: expected a pool', Pool.load, other)
    from pyarrow import parquet

    Pool.from_runs(RUNS).save(tmp_path / 'pool.parquet')
    table = parquet.read_table(tmp_path / 'pool.parquet')
    parquet.write_table(table.slice(1), tmp_path / 'short.parquet')
    with expect_error("the rows of system 'A' are not those that it was saved with"):
        Pool.load(tmp_path / 'short.parquet')


# ------------------------------------------------------------------------------------------ organiser's tools


def test_group_bias_is_scoring_on_the_smaller_judgments():
    measures = "P_IA@5 P_Rareness@5 P@5 nDCG@5 IA(M='P')@5"
    qrels, runs, pool = collection(2, subtopics=2)
    judged, finders = pool.over(qrels), finders_of(pool)
    bias = campaign.group_bias(judged, measures).set_index(['measure', 'system'])
    plain = [m for m in dm.measures(measures) if 'Rareness' not in str(m)]
    whole = Evaluator(plain, qrels)
    for group in ('x', 'y', 's3'):
        left = {
            q: {d: g for d, g in docs.items() if finders.get((q, d)) != {group}}
            for q, docs in qrels.items()
        }
        smaller = campaign.leave_one_group_out(judged, group)
        kept = {(q, d) for q in left for d in left[q]}
        assert set(zip(smaller['query_id'], smaller['doc_id'])) == kept
        n_unique = sum(map(len, qrels.values())) - len(kept)
        part = Evaluator(plain, left)
        for s in (s for s in runs if GROUPS[s] == group):
            cut = {
                q: {d: docs[d] for d in twins.ranking_of(docs)[:10]} for q, docs in runs[s].items()
            }
            for column, evaluator in (('score_without', part), ('score', whole)):
                for measure, values in evaluator.arrays(cut).items():
                    row = bias.loc[(str(measure), s)]
                    assert row[column] == pytest.approx(values.sum() / len(qrels))
                    assert row['unique'] == n_unique


def finders_of(pool):
    """The groups that retrieve each document of a query."""
    rows = pool.to_frame()
    return rows['system'].map(GROUPS).groupby([rows['query_id'], rows['doc_id']]).agg(set).to_dict()


def test_unique_finds_of_groups():
    qrels, _, pool = collection(3)
    judged, finders = pool.over(qrels), finders_of(pool)
    scores = campaign.unique_finds(judged)
    assert scores.systems == ('x', 'y', 's3')
    for (g, group), (q, query) in itertools.product(
        enumerate(scores.systems), enumerate(scores.queries)
    ):
        assert scores['NumUnique'][g, q] == sum(
            finders.get((query, d)) == {group}
            for d, grade in qrels[query].items()
            if max(grade.values()) >= 1
        )
    table = campaign.unique_by_group(judged).set_index('group')
    assert table['unique'].to_dict() == dict(zip(scores.systems, scores['NumUnique'].sum(axis=1)))
    best = {(q, d) for q, docs in qrels.items() for d in docs if max(docs[d].values()) >= 3}
    of_best = campaign.unique_by_group(judged, 3).set_index('group')['unique']
    assert of_best['x'] == sum(finders.get(pair) == {'x'} for pair in best) > 0
    assert table['systems'].to_dict() == {'x': 3, 'y': 2, 's3': 1}
    one = campaign.unique_by_group(Pool.from_runs(RUNS).over(QRELS))  # one topic: no test
    assert one[['unique', 'groups_below']].values.tolist() == [[1, 0], [0, 0], [0, 0]]


def test_significantly_more_unique_finds():
    """A alone finds three documents in each of 20 topics; B and C find what all find."""
    everyone = {f'q{i}': {'d0': 9.0} for i in range(20)}
    runs = {
        'A': {q: {**docs, 'd1': 3.0, 'd2': 2.0, 'd3': 1.0} for q, docs in everyone.items()},
        'B': everyone,
        'C': everyone,
    }
    qrels = {q: {'d0': 1, 'd1': 1, 'd2': 1, 'd3': 1} for q in everyone}
    table = campaign.unique_by_group(Pool.from_runs(runs).over(qrels)).set_index('group')
    assert table[['unique', 'topics', 'groups_below']].values.tolist() == [
        [60, 20, 2],
        [0, 0, 0],
        [0, 0, 0],
    ]


# ------------------------------------------------------------------------------------------------- real data


def test_loss_of_a_group():
    """One group alone finds d2 of q1, and none any of q2."""
    runs = {
        'A': {'q1': {'d2': 2.0, 'd1': 1.0}, 'q2': {'e': 1.0}},
        'A2': {'q1': {'d1': 2.0}, 'q2': {'e': 1.0}},
        'B': {'q1': {'d1': 1.0}, 'q2': {'e': 1.0}},
    }
    pool = Pool.from_runs(runs, groups=lambda system: system[0])
    judged = pool.over({'q1': {'d1': 1, 'd2': 1}, 'q2': {'e': 1}})
    bias = campaign.group_bias(judged, 'P@1').set_index('system')
    assert bias.loc['A', 'change'] == -0.5  # mean of −1 and 0, ± t_1 · 0.5
    assert bias.loc['A', 'high'] == pytest.approx(-0.5 + stdtrit(1, 0.975) * 0.5)
