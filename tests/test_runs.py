"""Runs: files and forms in memory, the order of a ranking, and what bad input is told."""

import gzip

import ir_measures
import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import measures, read_run, write_run
from ir_divmeasures.data.judgments import Judgments
from ir_divmeasures.data.runs import read

from .builders import expect_error, judgment_table, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

LINES = '1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1e-5 tag\n2 Q0 d1 1 -3 tag\n'
ROWS = [('1', 'd1', 2.5), ('1', 'd2', 1e-5), ('2', 'd1', -3.0)]
COLUMNS = ['query_id', 'doc_id', 'score']
FRAME = pd.DataFrame(ROWS, columns=COLUMNS)
QRELS = {'1': {'d1': {'a': 1}, 'd2': {'b': 1}}, '2': {'d1': {'a': 1}}}


def write(tmp_path, text, name='my.run'):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def rows(frame):
    assert list(frame.columns) == COLUMNS and frame['score'].dtype == np.float64
    return list(frame.itertuples(index=False, name=None))


# -------------------------------------------------------------------------------------------------------- files


@over(
    'text',
    [
        LINES,
        '\ufeff# head\n\n' + LINES.replace('\n', '\n\n'),
        LINES.replace('1e-5', '0.00001').replace('2.5', '+2.5E0'),
        LINES.replace(' 1 ', ' x ').replace(' 2 ', ' nan '),  # ranks are never read
    ],
)
def test_run_file(tmp_path, text):
    assert rows(read_run(write(tmp_path, text))) == ROWS
    assert rows(read_run(write(tmp_path, gzip.compress(text.encode()), 'my.run.gz'))) == ROWS


def test_scores_of_infinity_order_like_any_other(tmp_path):
    run = read_run(write(tmp_path, '1 Q0 d1 1 -inf t\n1 Q0 d2 2 inf t\n1 Q0 d3 3 1e308 t\n'))
    assert run['score'].tolist() == [-np.inf, np.inf, 1e308]
    assert order(run) == ['d2', 'd3', 'd1']


@over(
    'text, said',
    [
        (
            '1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5\n',
            r'my.run, line 2: expected 6 fields \(query_id Q0 doc_id rank score tag\), '
            r"found 5: '1 Q0 d2 2 1.5'",
        ),
        ('# c\n\n1 Q0 d1 1 nan t\n', "my.run, line 3: score is 'nan', expected a number"),
        (LINES + '\n1 Q0 d2 9 0.1 t\n', "my.run, line 5: duplicate document 'd2' in query '1'"),
    ],
)
def test_errors_in_files(tmp_path, text, said):
    refused(said, read_run, write(tmp_path, text))


def test_real_run_is_read_as_python_reads_it(shared):
    path = shared / 'data/runs/clueweb09/indri-baseline-2011.run.gz'
    with gzip.open(path, 'rt') as file:
        wanted = [(q, d, float(score)) for q, _, d, _, score, _ in map(str.split, file)]
    assert rows(read_run(path)) == wanted


# ------------------------------------------------------------------------------------------------------- memory


@over(
    'run',
    [
        FRAME,
        FRAME.rename(columns={'query_id': 'qid', 'doc_id': 'docno'}).assign(rank=0, query='x'),
        FRAME[COLUMNS[::-1]].assign(rank=5),
        FRAME.set_axis([1, 1, 0]),
        FRAME.astype(object),
        FRAME.astype({'query_id': 'category', 'doc_id': 'category'}),
        FRAME.convert_dtypes(),
        {'1': {'d1': 2.5, 'd2': 1e-5}, '2': {'d1': -3}},
        [ir_measures.ScoredDoc(*row) for row in ROWS],
        (ir_measures.ScoredDoc(*row) for row in ROWS),
    ],
)
def test_forms_in_memory(run):
    assert rows(read(run).table) == ROWS


def test_the_run_is_not_changed():
    before = FRAME.copy()
    ir_measures.calc_aggregate(measures('alpha_nDCG nDCG'), QRELS, FRAME)
    pd.testing.assert_frame_equal(FRAME, before)


@over(
    'run, kind, said',
    [
        (
            FRAME.rename(columns={'score': 'scores'}),
            ValueError,
            "run: no column 'score'.*did you mean 'scores'",
        ),
        (
            FRAME.assign(score=[1, np.nan, 2]),
            ValueError,
            "run: query '1', document 'd2': score is nan, expected a number",
        ),
        (FRAME.assign(score=['a', 'b', 'c']), ValueError, "document 'd1': score is 'a'"),
        (FRAME.assign(score=pd.Timestamp('2026-01-01')), ValueError, "document 'd1': score is "),
        (
            pd.concat([FRAME, FRAME[['score']]], axis=1),
            ValueError,
            r"run: has the column 'score' twice \(found query_id, doc_id, score, score\)",
        ),
        (
            FRAME.assign(score=[1.0, None, 2.0]).astype(object),
            ValueError,
            "document 'd2': score is (None|nan)",
        ),
        (FRAME.assign(doc_id=['d1', None, 'd1']), ValueError, 'run: row 1 has no doc_id'),
        (
            FRAME.assign(doc_id=['d1', 'd2', ['a']]),
            ValueError,
            r"row 2: doc_id is \['a'\], expected",
        ),
        ({'1': 3}, TypeError, "run: query '1': expected a dict of documents, found"),
        (
            [('1', 'd1')],
            TypeError,
            'run: expected namedtuples, .* fields are query_id, doc_id, score',
        ),
        (None, TypeError, 'run: expected a DataFrame, a path, .* found NoneType'),
        (
            pd.DataFrame([*ROWS, ('1', 'd1', 9)], columns=COLUMNS),
            ValueError,
            "query '1': duplicate document 'd1'",
        ),
    ],
)
def test_errors_in_memory(run, kind, said):
    with expect_error(said, kind):
        list(
            ir_measures.providers.registry['divmeasures'].iter_calc(
                measures('alpha_nDCG@5'), QRELS, run
            )
        )


# -------------------------------------------------------------------------------------------------------- order


def order(run):
    """The documents of a one-query run, as they are ranked by the collection."""
    judgments = Judgments.of(judgment_table([('1', d, 1, 'a') for d in run['doc_id']]))
    hits = judgments.align(read(run)).located()
    names = judgments.document_of(hits.pair).array.to_pylist()
    return [name for _, name in sorted(zip(hits.rank.tolist(), names))]


def test_scores_of_single_precision_tie_as_they_are():
    """Two numbers that differ as float64 and not as float32 are one score in a float32 column."""
    run = pd.DataFrame({'query_id': '1', 'doc_id': ['a', 'b'], 'score': [0.1 + 1e-12, 0.1]})
    assert order(run) == ['a', 'b']
    assert order(run.astype({'score': np.float32})) == ['b', 'a']


# ------------------------------------------------------------------------------------------- fast paths, same result


@over(
    'docs',
    [{'d1': 1, 'd2': 2.5}, {1: 2.0, 'd2': 1.0}, {'d1': 2.0, 2: True}, {}, {'d1': 2**70}],
)
def test_a_dict_is_read_as_its_rows_are(docs):
    frame = read({'q': docs, 7: {'d9': 1}}).table
    expected = [('q', str(doc), float(score)) for doc, score in docs.items()] + [('7', 'd9', 1.0)]
    assert rows(frame) == expected


# ------------------------------------------------------------------------------------ writing, and what a run says


@over('name', ['my.run', 'my.run.gz'])
def test_a_run_is_read_back_as_it_was_written(tmp_path, name):
    run = {'q2': {'d1': 0.1, 'd3': 0.30000000000000004, 'd2': 0.1}, 'q1': {'d1': -1e-300}}
    path = tmp_path / name
    write_run(run, path, tag='mine')
    data = path.read_bytes()
    text = (gzip.decompress(data) if name.endswith('.gz') else data).decode()
    assert text == (
        'q2 Q0 d3 1 0.30000000000000004 mine\nq2 Q0 d2 2 0.1 mine\nq2 Q0 d1 3 0.1 mine\n'
        'q1 Q0 d1 1 -1e-300 mine\n'
    )
    assert dict(zip(read_run(path)['doc_id'][:3], read_run(path)['score'])) == run['q2']


@over(
    'run, options, message',
    [
        ({'q': {'a b': 1.0}}, {}, "doc_id 'a b' cannot be written in format 'trec'"),
        ({'#': {'d': 1.0}}, {}, "query_id '#' cannot be written"),
        ({'q': {'d': 1.0}}, {'tag': ''}, "tag '' cannot"),
        ({'q': {'d': 1.0}}, {'format': 'csv'}, "format='csv': expected one of 'trec', 'tsv'"),
        ({'q': {'d': float('nan')}}, {}, 'expected a number'),
    ],
)
def test_what_cannot_be_written(tmp_path, run, options, message):
    refused(message, write_run, run, tmp_path / 'my.run', **options)
    assert list(tmp_path.iterdir()) == []


def test_files_are_replaced_only_if_asked_for(tmp_path):
    path = tmp_path / 'my.run'
    path.write_text('old')
    refused('overwrite=True .* replaces it', write_run, FRAME, path, error=FileExistsError)
    assert path.read_text() == 'old'
    write_run(FRAME, path, overwrite=True)
    assert rows(read_run(path)) == ROWS
