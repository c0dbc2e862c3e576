"""Scores: from runs, tables and files; what happens with missing queries."""

import gzip

import ir_measures
import numpy as np
import pandas as pd
import pytest

import ir_divmeasures
from ir_divmeasures import Scores, evaluate, leaderboard
from ir_divmeasures.evaluation.scores import scores_of

from .builders import expect_error, expect_warning, judgment_table, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

QRELS = judgment_table(
    [('q1', 'd1', 1, '1'), ('q1', 'd2', 2, '2'), ('q2', 'd1', 1, '1'), ('q2', 'd3', 1, '2')]
)
RUNS = {
    'a': {'q1': {'d1': 3.0, 'd2': 2.0}, 'q2': {'d1': 2.0, 'd9': 1.0}},
    'b': {'q1': {'d9': 3.0, 'd2': 2.0}, 'q2': {'d3': 2.0, 'd1': 1.0}},
}
MEASURES = ['StRecall@1', 'alpha_nDCG@5', 'P@2', 'RBU']


def write(run, path):
    lines = ''.join(
        f'{q} Q0 {d} 1 {s} tag\n' for q, docs in run.items() for d, s in docs.items()
    ).encode()
    path.write_bytes(gzip.compress(lines) if path.suffix == '.gz' else lines)


@pytest.fixture
def folder(tmp_path):
    write(RUNS['a'], tmp_path / 'a.run.gz')
    write(RUNS['b'], tmp_path / 'b.run')
    (tmp_path / '.hidden').write_text('not a run')
    return tmp_path


# --------------------------------------------------------------------------------------------------- evaluate


def test_evaluate_equals_ir_measures(folder):
    scores = evaluate(QRELS, folder, MEASURES)
    assert scores.systems == ('a', 'b') and scores.queries == ('q1', 'q2')
    assert scores.measures == ('StRecall@1', 'alpha_nDCG@5', 'P@2', 'RBU')
    for s, name in enumerate('ab'):
        for m in ir_measures.iter_calc(
            [ir_divmeasures.core.registry.parse(m) for m in MEASURES], QRELS, RUNS[name]
        ):
            assert (
                scores.values[
                    s, scores.queries.index(m.query_id), scores.measures.index(str(m.measure))
                ]
                == m.value
            )


@over('call', [evaluate, leaderboard])
@over('jobs', [0, '2'])
def test_jobs_that_are_no_number_of_processes(call, jobs):
    refused(f'jobs={jobs!r}: expected a whole number', call, QRELS, RUNS, 'P@2', jobs=jobs)


def test_evaluate_missing_queries():
    runs = {'a': RUNS['a'], 'b': {'q2': RUNS['b']['q2']}}
    with expect_warning('1 of 2 systems lack queries that others have: b lacks q1'):
        scores = evaluate(QRELS, runs, ['P@2'])
    assert scores['P@2'].tolist() == [[1, 0.5], [0, 1]]
    dropped = evaluate(QRELS, runs, ['P@2'], missing='drop')
    assert dropped.queries == ('q2',) and dropped['P@2'].tolist() == [[0.5], [1]]
    refused('queries that are judged: b lacks q1', evaluate, QRELS, runs, ['P@2'], missing='raise')
    refused("missing='skip'", evaluate, QRELS, runs, ['P@2'], missing='skip')
    only = {'a': {'q1': {'d1': 1.0}}, 'b': {'q1': {'d2': 1.0}}}
    with expect_warning(r'1 of 2 judged queries are in no run \(q2\). They are scored 0'):
        assert evaluate(QRELS, only, ['P@1'])['P@1'].tolist() == [[1, 0], [1, 0]]
    with expect_error(r'no run has any of the 2 judged queries \(judgments: q1, q2; runs: x\)'):
        evaluate(QRELS, {'a': {'x': {'d1': 1.0}}}, ['P@1'])
    with expect_error('no query is left that all systems have'):
        evaluate(
            QRELS, {'a': {'q1': {'d1': 1.0}}, 'b': {'q2': {'d2': 1.0}}}, ['P@1'], missing='drop'
        )


def test_evaluate_errors(folder, tmp_path):
    refused('no measures', evaluate, QRELS, RUNS, [])
    refused('no runs', evaluate, QRELS, {}, MEASURES)
    refused('the judgments are empty', evaluate, {}, RUNS, MEASURES)
    refused('nowhere', evaluate, QRELS, tmp_path / 'nowhere', MEASURES, error=FileNotFoundError)
    with expect_error("system 'c': run: query 'q1', document 'd1': score is .*nan"):
        evaluate(QRELS, {'c': {'q1': {'d1': float('nan')}}}, MEASURES)
    write(RUNS['a'], folder / 'b.run.gz')
    refused("'b'", evaluate, QRELS, folder, MEASURES)


# ------------------------------------------------------------------------------------------ tables and files


@pytest.mark.parametrize('ending', ['csv', 'csv.gz', 'tsv', 'parquet'])
def test_written_and_read(tmp_path, ending):
    scores = evaluate(QRELS, RUNS, MEASURES)
    path = tmp_path / f'scores.{ending}'
    scores.write(path)
    again = Scores.read(path)
    assert (again.systems, again.queries, again.measures) == (
        scores.systems,
        scores.queries,
        scores.measures,
    )
    assert np.array_equal(again.values, scores.values)
    with pytest.raises(FileExistsError):
        scores.write(path)
    scores.write(path, overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_ids_stay_text(tmp_path):
    (tmp_path / 's.csv').write_text('system,query_id,measure,value\n01,007,AP,0.5\n')
    scores = Scores.read(tmp_path / 's.csv')
    assert scores.systems == ('01',) and scores.queries == ('007',)


def test_matrices(tmp_path):
    (tmp_path / 'ap.csv').write_text('"s1","s2"\n0.5,0.25\n0,5e-04\n')
    (tmp_path / 'rr.csv').write_text('topic,s2,s1\n1,1,0.5\n2,0,1\n')
    scores = Scores.read(tmp_path / 'ap.csv', measure='AP')
    assert scores.queries == ('1', '2') and scores['AP'].tolist() == [[0.5, 0], [0.25, 5e-4]]
    assert Scores.read(tmp_path / 'rr.csv').select(systems=['s1', 's2'])['rr'].tolist() == [
        [0.5, 1],
        [1, 0],
    ]
    (tmp_path / 'gap.csv').write_text('s1,s2\n0.5,\n0.1,0.2\n')
    with expect_error(r'gap.csv: 1 of 2 systems lack queries that others have: s2 lacks 1'):
        Scores.read(tmp_path / 'gap.csv')
    assert Scores.read(tmp_path / 'gap.csv', missing='zero').values.ravel().tolist() == [
        0.5,
        0.1,
        0,
        0.2,
    ]
    assert Scores.read(tmp_path / 'gap.csv', missing='drop').queries == ('2',)
    (tmp_path / 'bad.csv').write_text('s1,s2\n0.5,x\n')
    refused("bad.csv, line 2: bad of s2 on 1 is 'x', expected a", Scores.read, tmp_path / 'bad.csv')
    refused('ends in .csv', TWO.write, tmp_path / 'scores.json')


def test_frames():
    frame = evaluate(QRELS, RUNS, ['P@2', 'RR']).to_frame()
    shuffled = Scores.from_frame(frame.sample(frac=1, random_state=0))
    again = shuffled.select(systems=['a', 'b'], queries=['q1', 'q2'], measures=['P@2'])
    assert again['P@2'].tolist() == [[1, 0.5], [0.5, 1]]
    wide = frame[frame['measure'] == 'RR'].pivot(index='query_id', columns='system', values='value')
    assert np.array_equal(scores_of(wide)['score'], Scores.from_frame(frame)['RR'])
    for change, message in (
        (frame.drop(columns='value'), "no column 'value'"),
        (frame[:0], 'no rows'),
        (pd.concat([frame, frame[:1]]), 'P@2 of a on q1 is there twice'),
        (frame.assign(value=np.nan), r'P@2 of a on q1 is not a number \(8 of 8 are not\)'),
        (frame[1:], 'a lacks q1'),
    ):
        refused(message, Scores.from_frame, change)
    assert Scores.from_frame(frame[1:], missing='zero')['P@2'][0, 0] == 0


def test_the_object():
    scores = Scores(np.arange(12.0).reshape(2, 3, 2), measures=['A', 'B'])
    assert scores.systems == ('system1', 'system2') and scores.queries == ('1', '2', '3')
    assert scores.means().loc['system1', 'B'] == 3  # (1 + 3 + 5)/3
    with expect_error("no measure 'C'"):
        scores['C']
    with expect_error('read-only'):
        scores.values[0, 0, 0] = 1
    refused('1 names of systems for 2', Scores, np.ones((2, 3)), systems=['a'])
    refused("'a' is a duplicate", Scores, np.ones((2, 3)), systems=['a', 'a'])
    refused(r'shape \(3,\)', Scores, np.ones(3))


# ------------------------------------------------------------------------------------------------- for users

TWO = Scores(
    [
        [[0.1, 0.5], [0.2, 0.5], [0.3, 0.5], [0.2, 1]],
        [[0.5, 0.5], [0.6, 0.5], [0.6, 1], [0.7, 0.5]],
    ],
    systems=['bm25', 'b_2'],
    queries=['q1', 'q2', 'q3', 'q4'],
    measures=['AP', 'RR'],
)


def test_a_list_of_measures_selects_scores():
    part = TWO.select(measures=['RR', 'AP'])
    assert (
        part.measures == ('RR', 'AP')
        and part.systems == TWO.systems
        and part['AP'].tolist() == TWO['AP'].tolist()
    )
    with expect_error("no measure 'PA'; known: AP, RR"):
        TWO['PA']


def test_differences_by_query_are_of_the_first_system_minus_the_second():
    frame = TWO.differences('b_2', 'bm25')
    assert frame['AP'].tolist() == pytest.approx([0.4, 0.4, 0.3, 0.5]) and frame['RR'].tolist() == [
        0,
        0,
        0.5,
        -0.5,
    ]
    assert frame.index.tolist() == list(TWO.queries)
    refused("no system 'bm52'", TWO.differences, 'bm52', 'b_2')
