"""Who may be scored with which judgments of a pool, in every host."""

import random

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import ir_divmeasures as dm
from ir_divmeasures import evaluate, measures
from ir_divmeasures.core.kernels import pool_ranks
from ir_divmeasures.pools import Pool

from .builders import expect_error, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

ASKED = measures('NumUnique@10 P_Rareness@10')


def campaign_of(seed=0, systems=5, queries=3, n=30, depth=20):
    """Judgments of half of the documents, runs of ``n`` documents without ties, and their pool."""
    rng = random.Random(seed)
    documents = [f'd{i:02d}' for i in range(60)]
    qrels = {
        f'q{q}': {
            d: {str(t): rng.choice([0, 1, 2]) for t in range(2)} for d in rng.sample(documents, 40)
        }
        for q in range(queries)
    }
    runs = {
        f's{s}': {
            q: {d: float(n - i) for i, d in enumerate(rng.sample(documents, n))} for q in qrels
        }
        for s in range(systems)
    }
    return qrels, runs, Pool.from_runs(runs, depth)


def by_evaluate(run, judged):
    return evaluate(judged, {'x': run}, ASKED).values.mean(axis=1)[0].tolist()


def by_calc(run, judged):
    result = ir_measures.calc_aggregate(ASKED, judged, run)
    return [result[m] for m in ASKED]


def by_experiment(run, judged):
    rows = [(q, d, score) for q, docs in run.items() for d, score in docs.items()]
    frame = pd.DataFrame(rows, columns=['qid', 'docno', 'score'])
    topics = pd.DataFrame([(q, q) for q in dict.fromkeys(frame['qid'])], columns=['qid', 'query'])
    qrels = dm.terrier.get_qrels(judged)
    table = pt.Experiment([frame], topics, qrels, ASKED, validate='ignore')
    return table[[str(m) for m in ASKED]].iloc[0].tolist()


HOSTS = pytest.mark.parametrize('host', [by_evaluate, by_calc, by_experiment])


@HOSTS
def test_a_member_is_scored_whole_or_cut(host):
    qrels, runs, pool = campaign_of()
    judged, wanted = pool.judgments(qrels), pool.scores(runs, qrels, ASKED).means()
    for system, run in list(runs.items())[:2]:
        for form in run, {q: dict(list(docs.items())[:15]) for q, docs in run.items()}:
            assert host(form, judged) == pytest.approx(wanted.loc[system].tolist(), abs=1e-12)


@HOSTS
def test_a_run_that_is_no_member_is_scored_as_a_newcomer(host):
    """A fusion of two members, and a run of pooled documents."""
    qrels, runs, pool = campaign_of(2)
    outside = pool.judgments(qrels, newcomer=True)
    rng = random.Random(3)
    fused = {q: {d: rng.random() for d in {*runs['s0'][q], *runs['s1'][q]}} for q in qrels}
    pooled = {
        q: {d: rng.random() for run in runs.values() for d in list(run[q])[:3]} for q in qrels
    }
    for run in (fused, pooled):
        wanted = (pool + Pool.from_runs({'new': run}, 20)).scores(None, qrels, ASKED).means()
        assert host(run, outside) == pytest.approx(wanted.loc['new'].tolist(), abs=1e-12)


def test_groups_and_the_newcomers_own_group():
    qrels, runs, _ = campaign_of(6)
    teams = {f's{i}': f't{i // 2}' for i in range(5)}
    pool = Pool.from_runs(runs, 20, teams)
    for run in runs.values():
        by_evaluate(run, pool.judgments(qrels))
    by_evaluate(runs['s2'], pool.judgments(qrels, newcomer='t1'))  # its group retrieves all of it
    # a group that retrieves every judged document has newcomers like any other
    everything = Pool.from_runs({'a': {'q': {'d1': 2.0, 'd2': 1.0}}}, groups={'a': 'we'})
    judged = everything.judgments({'q': {'d1': 1, 'd2': 1}}, newcomer='we')
    assert by_evaluate({'q': {'d2': 2.0, 'd1': 1.0}}, judged)[0] == 2


def test_judgments_without_ranks_are_checked_as_far_as_they_can():
    qrels, runs, pool = campaign_of(8)
    judged = pool.judgments(qrels).drop(columns='pool_ranks')
    reordered = {q: dict(zip(list(docs)[19::-1], docs.values())) for q, docs in runs['s0'].items()}
    assert by_evaluate(reordered, judged) != by_evaluate(runs['s0'], judged)  # not seen
    stray = judged.loc[judged['n_retrieved'] == 0].iloc[0]
    with expect_error(f"query '{stray.query_id}': it has document '{stray.doc_id}' at rank 1, "):
        by_evaluate({stray.query_id: {stray.doc_id: 1.0}}, judged)
    with expect_error(r"NumUnique\(of='intent'\)@3 needs judgments with a column 'pool_ranks'"):
        evaluate(judged, runs, "NumUnique(of='intent')@3")


def test_files_carry_who_retrieves_what(tmp_path):
    qrels, runs, pool = campaign_of(9)
    judged = pool.judgments(qrels)
    dm.write_qrels(judged, tmp_path / 'judged.tsv.gz')
    again = dm.read_qrels(tmp_path / 'judged.tsv.gz')
    assert again['pool_ranks'].tolist() == judged['pool_ranks'].tolist()
    assert by_evaluate(runs['s4'], again) == by_evaluate(runs['s4'], judged)
    with expect_error("pool_ranks is 'x:1', expected entries group:rank or group.system:rank"):
        dm.read_qrels(judged.assign(pool_ranks='x:1'))


def test_texts_of_ranks():
    labels = pool_ranks.labels_of(['x', 'y', 'x'])
    texts = pool_ranks.write(
        np.array([2, 0, 0]), np.array([1, 2, 0]), np.array([7, 1, 20]), labels, 3
    )
    assert texts == ['1.1:20 1.2:1', '', '2:7']
    sets = pool_ranks.bits(np.array([*texts, None, '9:1 300:4 0:2'], dtype=object))
    assert pool_ranks.size(sets).tolist() == [1, 0, 1, 0, 3]


# ------------------------------------------------------------------------------------------------ rough edges


def test_groups_from_a_file(tmp_path):
    qrels, runs, _ = campaign_of(50)
    teams = {f's{i}': f't{i // 2}' for i in range(5)}
    path = tmp_path / 'teams.txt'
    path.write_text(''.join(f'{system} {team}\n' for system, team in teams.items()))
    pool = Pool.from_runs(runs, groups=str(path))
    assert pool == Pool.from_runs(runs, groups=teams)
    pd.testing.assert_frame_equal(
        dm.with_rareness(qrels, runs, groups=path), dm.with_rareness(qrels, runs, groups=teams)
    )
    path.write_text('s0\n')
    refused('teams.txt', Pool.from_runs, runs, groups=path)
    with expect_error(
        'groups: expected a dict, a function of names or the path of a file, found', TypeError
    ):
        Pool.from_runs(runs, groups=['t0'])
