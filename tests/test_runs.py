"""Runs: files and forms in memory, the order of a ranking, and what bad input is told."""
from __future__ import annotations

import gzip

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ir_divmeasures import measures, read_run, read_runs
from ir_divmeasures.core.registry import registry
from ir_divmeasures.errors import DivMeasuresWarning, EmptyRunWarning
from ir_divmeasures.io.runs import read
from ir_divmeasures.judgments.table import Judgments

LINES = '1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1e-5 tag\n2 Q0 d1 1 -3 tag\n'
ROWS = [('1', 'd1', 2.5), ('1', 'd2', 1e-5), ('2', 'd1', -3.0)]
COLUMNS = ['query_id', 'doc_id', 'score']
FRAME = pd.DataFrame(ROWS, columns=COLUMNS)
QRELS = {'1': {'d1': {'a': 1}, 'd2': {'b': 1}}, '2': {'d1': {'a': 1}}}


def write(tmp_path, text, name: str = 'my.run') -> str:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def rows(frame: pd.DataFrame) -> list[tuple]:
    assert list(frame.columns) == COLUMNS and frame['score'].dtype == np.float64
    return list(frame.itertuples(index=False, name=None))


# -------------------------------------------------------------------------------------------------------- files

@pytest.mark.parametrize('text', [
    LINES, LINES.replace('\n', '\r\n'), LINES.replace(' ', '\t'), LINES.replace(' ', '  '), LINES.replace(' ', ' \t'),
    LINES.rstrip('\n'), '# head\n' + LINES, '\n\n' + LINES.replace('\n', '\n\n'), '\ufeff' + LINES,
    LINES.replace('1e-5', '0.00001').replace('2.5', '+2.5E0')], ids=repr)
@pytest.mark.parametrize('zipped', [False, True])
def test_run_file(tmp_path, text, zipped):
    path = write(tmp_path, gzip.compress(text.encode()) if zipped else text, 'my.run.gz' if zipped else 'my.run')
    assert rows(read_run(path)) == ROWS
    assert rows(read(path).table) == ROWS


@pytest.mark.parametrize('rank', ['0', 'x', '-7', '3.5', 'nan'])
def test_rank_column_is_never_read(tmp_path, rank):
    path = write(tmp_path, LINES.replace(' 1 ', f' {rank} ').replace(' 2 ', f' {rank} '))
    assert rows(read_run(path)) == ROWS


def test_scores_of_infinity_order_like_any_other(tmp_path):
    run = read_run(write(tmp_path, '1 Q0 d1 1 -inf t\n1 Q0 d2 2 inf t\n1 Q0 d3 3 1e308 t\n'))
    assert run['score'].tolist() == [-np.inf, np.inf, 1e308]
    assert order(run) == ['d2', 'd3', 'd1']


@pytest.mark.parametrize('text, said', [
    ('1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5\n', r'my.run, line 2: expected 6 fields \(query_id Q0 doc_id rank score tag\), '
                                         r"found 5: '1 Q0 d2 2 1.5'"),
    ('1 Q0 d1 1 2.5 my tag\n', 'my.run, line 1: expected 6 fields .* found 7'),
    ('# c\n\n1 Q0 d1 1 nan t\n', "my.run, line 3: score is 'nan', expected a number"),
    ('1 Q0 d1 1 NaN t\n', "my.run, line 1: score is 'NaN', expected a number"),
    ('1 Q0 d1 1 high t\n', "my.run, line 1: score is 'high', expected a number"),
    ('1 Q0 d1 1 1,5 t\n', "my.run, line 1: score is '1,5', expected a number"),
    (LINES + '\n1 Q0 d2 9 0.1 t\n', "my.run, line 5: duplicate document 'd2' in query '1'"),
    (b'1 Q0 \xe4 1 2.5 t\n', 'my.run, line 1: not UTF-8 text'),
])
def test_errors_in_files(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        read_run(write(tmp_path, text))


def test_truncated_gzip_folder_and_missing_file(tmp_path):
    with pytest.raises(ValueError, match='a.gz: not a complete gzip file'):
        read_run(write(tmp_path, gzip.compress(LINES.encode() * 50)[:-15], 'a.gz'))
    with pytest.raises(IsADirectoryError, match='a folder, expected a file'):
        read_run(tmp_path)
    with pytest.raises(FileNotFoundError, match="b.gz: no such file; did you mean 'a.gz'"):
        read_run(tmp_path / 'b.gz')


def test_empty_file_is_an_empty_run(tmp_path):
    with pytest.warns(DivMeasuresWarning, match='my.run: a run without documents'):
        run = read_run(write(tmp_path, ''))
    assert rows(run) == []
    with pytest.warns(EmptyRunWarning, match='the run has no documents: its 2 judged queries count as'):
        assert ir_measures.calc_aggregate(measures('alpha_nDCG@5 nDCG@5'), QRELS, run) \
            == {m: 0 for m in measures('alpha_nDCG@5 nDCG@5')}


def test_real_run_is_read_as_python_reads_it(shared):
    path = shared / 'data/runs/clueweb09/indri-baseline-2011.run.gz'
    with gzip.open(path, 'rt') as file:
        wanted = [(q, d, float(score)) for q, _, d, _, score, _ in map(str.split, file)]
    assert rows(read_run(path)) == wanted


def test_folder_of_runs(tmp_path):
    for name in ('b.run', 'a.run.gz', '.hidden'):
        write(tmp_path, gzip.compress(LINES.encode()) if name.endswith('gz') else LINES, name)
    assert [(name, rows(run)) for name, run in read_runs(tmp_path)] == [('a', ROWS), ('b', ROWS)]
    assert [name for name, _ in read_runs(str(tmp_path / '*.run'))] == ['b']
    write(tmp_path, LINES, 'a.run')
    with pytest.raises(ValueError, match="two systems are named 'a': .*a.run and .*a.run.gz"):
        list(read_runs(tmp_path))
    with pytest.raises(FileNotFoundError, match='no run files there'):
        list(read_runs(tmp_path / 'nothing*'))
    with pytest.raises(FileNotFoundError, match="aa.run: no such file; did you mean 'a.run'"):
        list(read_runs(tmp_path / 'aa.run'))


# ------------------------------------------------------------------------------------------------------- memory

@pytest.mark.parametrize('run', [
    FRAME, FRAME.rename(columns={'query_id': 'qid', 'doc_id': 'docno'}).assign(rank=0, query='x'),
    FRAME[COLUMNS[::-1]].assign(rank=5), FRAME.set_axis([1, 1, 0]), FRAME.astype(object),
    FRAME.astype({'query_id': 'category', 'doc_id': 'category'}), FRAME.convert_dtypes(),
    {'1': {'d1': 2.5, 'd2': 1e-5}, '2': {'d1': -3}}, [ir_measures.ScoredDoc(*row) for row in ROWS],
    (ir_measures.ScoredDoc(*row) for row in ROWS)])
def test_forms_in_memory(run):
    assert rows(read(run).table) == ROWS


def test_whole_numbers_as_ids():
    assert rows(read({1: {10: 2}}).table) == [('1', '10', 2.0)]
    assert rows(read(pd.DataFrame([(1, 10, 2)], columns=COLUMNS)).table) == [('1', '10', 2.0)]


def test_the_run_is_not_changed():
    before = FRAME.copy()
    ir_measures.calc_aggregate(measures('alpha_nDCG nDCG'), QRELS, FRAME)
    pd.testing.assert_frame_equal(FRAME, before)


@pytest.mark.parametrize('run, kind, said', [
    (FRAME.rename(columns={'score': 'scores'}), ValueError, "run: no column 'score'.*did you mean 'scores'"),
    (FRAME.drop(columns='query_id'), ValueError, "run: no column 'query_id'"),
    (FRAME.assign(score=[1, np.nan, 2]), ValueError, "run: query '1', document 'd2': score is nan, expected a number"),
    (FRAME.assign(score=['a', 'b', 'c']), ValueError, "document 'd1': score is 'a'"),
    (FRAME.assign(score=[1.0, None, 2.0]).astype(object), ValueError, "document 'd2': score is (None|nan)"),
    (FRAME.assign(doc_id=['d1', None, 'd1']), ValueError, 'run: row 1 has no doc_id'),
    (FRAME.assign(query_id=['1', '1', None]), ValueError, 'run: row 2 has no query_id'),
    ({'1': ['d1', 'd2']}, TypeError, "run: query '1': expected a dict of documents, found"),
    ([('1', 'd1', 1.0)], TypeError, 'run: expected namedtuples with fields query_id, doc_id, score'),
    (None, TypeError, 'run: expected a DataFrame, a path, .* found NoneType'),
    (pd.DataFrame([*ROWS, ('1', 'd1', 9)], columns=COLUMNS), ValueError, "query '1': duplicate document 'd1'"),
])
def test_errors_in_memory(run, kind, said):
    with pytest.raises(kind, match=said):
        list(ir_measures.providers.registry['divmeasures'].iter_calc(measures('alpha_nDCG@5'), QRELS, run))


def test_run_of_unjudged_queries_only():
    with pytest.warns(DivMeasuresWarning, match='none of the 1 queries of the run has judgments'):
        found = ir_measures.calc_aggregate(measures('alpha_nDCG@5 nDCG@5 RBU'), QRELS, {'zz': {'d1': 1.0}})
    assert set(found.values()) == {0}


# -------------------------------------------------------------------------------------------------------- order

def order(run: pd.DataFrame) -> list[str]:
    """The documents of a one-query run, as they are ranked by the collection."""
    names = list(run['doc_id'])
    collection = Judgments.of(pd.DataFrame([('1', d, 1, 'a') for d in names], columns=[
        'query_id', 'doc_id', 'relevance', 'subtopic_id'])).collection
    aligned, = collection.align(run)
    by_place = sorted(names, reverse=True)  # documents stand by doc_id, descending
    return [by_place[int(d)] for d in aligned.document[0]]


NAMES = st.lists(st.text(st.characters(exclude_categories=['Cs']), min_size=1, max_size=3).filter('-'.__ne__),
                 min_size=1, max_size=8, unique=True)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(names=NAMES, data=st.data())
def test_score_descending_then_doc_id_descending(names, data):
    scores = data.draw(st.lists(st.sampled_from([0.0, -0.0, 1.0, 1e-300, -1.0, float('inf')]) | st.floats(-2, 2),
                                min_size=len(names), max_size=len(names)))
    run = pd.DataFrame({'query_id': '1', 'doc_id': names, 'score': scores})
    by_score = sorted(zip(names, scores), key=lambda pair: (pair[1] + 0.0, pair[0]), reverse=True)
    assert order(run) == [d for d, _ in by_score]


def test_scores_of_single_precision_tie_as_they_are():
    """Two numbers that differ as float64 and not as float32 are one score in a float32 column."""
    run = pd.DataFrame({'query_id': '1', 'doc_id': ['a', 'b'], 'score': [0.1 + 1e-12, 0.1]})
    assert order(run) == ['a', 'b']
    assert order(run.astype({'score': np.float32})) == ['b', 'a']
    assert order(run.assign(score=[2**60, 2**60 - 1])) == ['b', 'a']  # whole numbers are read as float64


def test_order_of_ties_reaches_the_score():
    run = {'1': {'d1': 1.0, 'd2': 1.0}}
    assert registry['StRecall'](cutoff=1).calc_aggregate({'1': {'d2': {'a': 1}, 'd1': {'b': 0}}}, run) == 1
    assert registry['StRecall'](cutoff=1).calc_aggregate({'1': {'d1': {'a': 1}, 'd2': {'b': 0, 'a': 0}}}, run) == 0


# ------------------------------------------------------------------------------------------- fast paths, same result

@pytest.mark.parametrize('line', ['1 Q0 d3 3  1.5 tag', '1  d3 3 1.5 tag', ' 1 Q0 d3 3 1.5', '1 Q0 d3 3 1.5 '])
def test_an_empty_field_is_told_wherever_it_is(tmp_path, line):
    """Fields that are not kept are not parsed; an empty one is found all the same."""
    path = write(tmp_path, LINES + line + '\n')
    if len(line.split()) == 6:  # two blanks in a row are fine
        assert rows(read_run(path))[-1] == ('1', 'd3', 1.5)
    else:
        with pytest.raises(ValueError, match='line 4: expected 6 fields'):
            read_run(path)


@pytest.mark.parametrize('docs', [{'d1': 1, 'd2': 2.5}, {1: 2.0, 'd2': 1.0}, {'d1': 2.0, 2: True}, {}, {'d1': 2**70}],
                         ids=str)
def test_a_dict_is_read_as_its_rows_are(docs):
    frame = read({'q': docs, 7: {'d9': 1}}).table
    expected = [('q', str(doc), float(score)) for doc, score in docs.items()] + [('7', 'd9', 1.0)]
    assert rows(frame) == expected


@pytest.mark.parametrize('score', ['high', None, float('nan')], ids=str)
def test_a_dict_with_a_score_that_is_no_number(score):
    with pytest.raises(ValueError, match="query '1', document 'd2': score is"):
        read({'1': {'d1': 1.0, 'd2': score}})


def test_means_are_those_of_the_values_one_by_one():
    rng = np.random.default_rng(3)
    qrels = pd.DataFrame({'query_id': np.repeat([f'q{i}' for i in range(101)], 6), 'doc_id': list('abcdef') * 101,
                          'relevance': rng.integers(0, 3, 606), 'iteration': rng.integers(1, 4, 606).astype(str)})
    run = qrels[['query_id', 'doc_id']].assign(score=rng.random(606))
    evaluator = ir_measures.evaluator(measures('alpha_nDCG@5 RBU@5 nDCG@5 AP Bpref NumQ'), qrels)
    one_by_one = evaluator.calc(run).aggregated
    assert evaluator.calc_aggregate(run) == one_by_one and len(one_by_one) == 6


def test_repetitions_among_few_keys_of_a_wide_range():
    from ir_divmeasures.io.coding import distinct, first_repetition

    keys = np.array([10**12, 5, 10**15, 5, 10**12])
    assert first_repetition(keys) == 3 and first_repetition(keys[:3]) is None
    values, place = distinct(keys)
    assert values.tolist() == [5, 10**12, 10**15] and place.tolist() == [1, 0, 2, 0, 1]
