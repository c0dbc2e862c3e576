"""What a researcher brings: objects of other packages, open files, named columns, and what must not be misread."""

import gzip
import io
import subprocess

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.formats.trec import TrecQrel

from ir_divmeasures import (
    build_hierarchy,
    diagnose,
    evaluate,
    measures,
    read_qrels,
    read_run,
    read_runs,
    with_rareness,
)
from ir_divmeasures.errors import JudgmentsWarning

from .builders import (
    expect_error,
    expect_warning,
    judgment_table,
    over,
    quietly,
    refused,
    run_table,
)

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

QRELS = judgment_table(
    [
        ['01', 'a', 1, 'x'],
        ['01', 'b', 2, 'x'],
        ['01', 'b', 1, 'y'],
        ['2', 'a', 1, 'x'],
        ['2', 'c', 1, 'y'],
    ]
)
RUN = run_table(
    [['01', 'a', 3.0], ['01', 'b', 2.0], ['01', 'z', 1.0], ['2', 'a', 2.0], ['2', 'c', 1.5]]
)
NESTED_RUN = {'01': {'a': 3.0, 'b': 2.0, 'z': 1.0}, '2': {'a': 2.0, 'c': 1.5}}
MEASURES = measures('alpha_nDCG@5 StRecall@1 nDCG@5')
with quietly():  # nDCG is computed from the highest grades
    WANTED = ir_measures.calc_aggregate(MEASURES, QRELS, RUN)


def rows(table):
    return list(table.itertuples(index=False, name=None))


def check(qrels, run):
    """Read alike, and scored alike by evaluate. Both are made anew: a pipe is read once."""
    assert rows(read_qrels(qrels())) == rows(QRELS)
    assert rows(read_run(run())) == rows(RUN)
    scores = evaluate(qrels(), run(), 'StRecall@1')
    assert scores.values.ravel().tolist() == [0.5, 0.5]
    assert not diagnose(qrels(), run()).questions


# ----------------------------------------------------------------------------------------------- other packages


@over('lazy', [False, True])
def test_polars(lazy):
    polars = pytest.importorskip('polars', reason='an optional package that users bring')
    make = [polars.DataFrame(table.to_dict('list')) for table in (QRELS, RUN)]
    check(*[lambda table=table: table.lazy() if lazy else table for table in make])


@over('form', ['Table', 'RecordBatch', 'RecordBatchReader'])
def test_arrow(form):
    import pyarrow as pa

    def make(frame):
        table = pa.Table.from_pandas(frame)
        return {
            'Table': table,
            'RecordBatch': table.to_batches()[0],
            'RecordBatchReader': table.to_reader(2),
        }[form]

    check(lambda: make(QRELS), lambda: make(RUN))


def test_duckdb():
    duckdb = pytest.importorskip('duckdb', reason='an optional package that users bring')
    connection = duckdb.connect()
    connection.register('qrels', QRELS)
    connection.register('run', RUN)
    check(
        lambda: connection.sql('SELECT * FROM qrels'), lambda: connection.sql('SELECT * FROM run')
    )
    refused('found DuckDBPyConnection', read_qrels, connection.cursor(), error=TypeError)


# --------------------------------------------------------------------------------------------- wrong arguments

TEXTS_EXPECTED = "^docs: expected texts of documents in columns .*, found query_id, doc_id, "
IN_PYTERRIER = [
    table.rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    for table in (RUN, QRELS)
]
TOPICS = pd.DataFrame({'qid': ['01', '2'], 'query': ['x', 'y']})


@over(
    'call, error, message',
    [
        (lambda: build_hierarchy(QRELS, RUN), ValueError, TEXTS_EXPECTED),
        (lambda: build_hierarchy(QRELS, NESTED_RUN), ValueError, '3 of 3 documents have no text'),
        (lambda: build_hierarchy(QRELS, QRELS), ValueError, TEXTS_EXPECTED),
        (
            lambda: with_rareness(QRELS, {'A': RUN}, newcomer=RUN),
            TypeError,
            '^newcomer: expected True, False or the name of a group, found DataFrame$',
        ),
        (
            lambda: pt.Experiment([IN_PYTERRIER[0]], TOPICS, IN_PYTERRIER[1], 'alpha_nDCG@10'),
            ValueError,
            r"^no measure 'a'; if you passed a string .*, pass \['alpha_nDCG@10'\]$",
        ),
    ],
)
def test_a_wrong_argument_is_named_in_a_sentence(call, error, message):
    refused(message, call, error=error)


# ------------------------------------------------------------------------------------------------------- files


def write(table, path):
    form, _, compression = path.name.partition('.')[2].partition('.')
    if form == 'parquet':
        data = table.to_parquet()
    elif form == 'jsonl':
        data = table.to_json(orient='records', lines=True).encode()
    else:
        data = table.to_csv(index=False).encode()
    path.write_bytes(gzip.compress(data) if compression else data)


@pytest.fixture(params=['csv', 'parquet', 'jsonl', 'csv.gz', 'parquet.gz'])
def files(request, tmp_path):
    paths = tmp_path / f'qrels.{request.param}', tmp_path / f'mine.{request.param}'
    write(QRELS, paths[0])
    write(RUN, paths[1])
    return paths


def test_open_files(files):
    contents = [path.read_bytes() for path in files]
    check(*[lambda data=data: io.BytesIO(data) for data in contents])
    with open(files[0], 'rb') as qrels, open(files[1], 'rb') as run:
        assert rows(read_qrels(qrels)) == rows(QRELS)
        assert [(name, len(table)) for name, table in read_runs(run)] == [('mine', len(RUN))]


def test_open_text_and_pipe():
    texts = [table.to_csv(index=False) for table in (QRELS, RUN)]
    check(*[lambda text=text: io.StringIO(text) for text in texts])
    with subprocess.Popen(['printf', 'q 0 d 1\\n'], stdout=subprocess.PIPE) as process:
        assert rows(read_qrels(process.stdout)) == [('q', 'd', 1, '0')]


def test_an_open_file_is_named_in_errors(tmp_path):
    (tmp_path / 'my.run').write_text('q Q0 d 1 2.5 t\nq Q0 e 2 x t\n')
    with (
        open(tmp_path / 'my.run') as file,
        expect_error("my.run, line 2: score is 'x', expected"),
    ):
        read_run(file)
    with expect_error("<StringIO>, line 1: relevance is 'x', expected a number"):
        read_qrels(io.StringIO('q 0 d x\n'))


def test_columns_of_beir():
    assert rows(read_qrels(io.StringIO('query-id\tcorpus-id\tscore\n01\td\t2\n'))) == [
        ('01', 'd', 2, '0')
    ]
    assert rows(read_run(io.StringIO('query-id\tcorpus-id\tscore\n01\td\t2\n'))) == [
        ('01', 'd', 2.0)
    ]


@pytest.mark.parametrize(
    'text, told',
    [
        (
            'query_id\tdoc_id\trelevance\tdoc_id\nq\td\t1\td\n',
            "line 1: has the column 'doc_id' twice",
        ),
        (
            'query_id\tdoc_id\trelevance\tweight\nq\td\t1\t\nq\td\t1\t1_0\n',
            "line 3: weight is '1_0', expected a number",
        ),
        ('query_id,doc_id,relevance\nq,d,1_0\n', "line 2: relevance is '1_0', expected a number"),
        (
            '1 a d 1\n1 a - 1\n',
            "document '-', subtopic 'a': grade is 1.0, expected a number, at most 0",
        ),
        ('q 0 d ١\n', "line 1: relevance is '١', expected a number"),
        ('{"q": {"d": 1, "d": 2}}', "the name 'd' is twice in an object"),
        (
            '{"query_id": "q", "doc_id": "d", "relevance": 1}\n{"query_id": "q"}\n',
            'line 2: expected the names query_id, doc_id, relevance, found query_id',
        ),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_wrong_files_name_the_line(text, told, tmp_path):
    path = tmp_path / 'file'
    path.write_text(text)
    with pytest.raises(ValueError) as error:
        read_qrels(path)
    assert str(path) in str(error.value) and told in str(error.value)


def test_hash_in_a_query_id():
    qrels = '# judgments\n#metoo 0 d1 1\n1 0 d2 1\n# 0 d1 1\n#query subtopic doc grade\n'
    assert rows(read_qrels(io.StringIO(qrels))) == [('#metoo', 'd1', 1, '0'), ('1', 'd2', 1, '0')]
    assert rows(read_qrels(io.StringIO('#metoo 0 d1 1\n#blm 0 d2 1\n')))[1] == (
        '#blm',
        'd2',
        1,
        '0',
    )
    run = '#metoo Q0 d1 1 2.5 t\n#query Q0 doc rank score tag\n1 Q0 d2 1 1 t\n'
    assert rows(read_run(io.StringIO(run))) == [('#metoo', 'd1', 2.5), ('1', 'd2', 1.0)]


@over('column', ['weight', 'n_retrieved', 'layer'])
def test_numbers_of_further_columns_are_plain(column):
    with expect_error(f"(?s)query 'q'.*{column}"):
        read_qrels(QRELS.head(1).assign(query_id='q', **{column: '1_0'}))
    assert read_qrels(QRELS.head(1).assign(**{column: '3'}))[column].tolist() == [3]


# ---------------------------------------------------------------------------------------------- subtopics or not


def test_nested_dicts_either_way_round():
    inside = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 2}}}
    assert rows(read_qrels(inside))[0] == ('q', 'd1', 1, '1')
    numbered = {'q': {'1': {'A': 1, 'B': 1, 'C': 2}, '2': {'B': 1, 'D': 1, 'E': 1}}}
    assert ('q', 'C', 2, '1') in rows(read_qrels(numbered))
    named = {'q': {name: {f'doc{i}': 1 for i in range(20)} for name in ('history', 'prices')}}
    assert ('q', 'doc19', 1, 'prices') in rows(read_qrels(named))
    many_subtopics = {'q': {str(doc): {str(s): 1 for s in range(6)} for doc in range(3)}}
    assert rows(read_qrels(many_subtopics))[0] == ('q', '0', 1, '0')


# ------------------------------------------------------------------------------------------------ names of columns


@over(
    'query, document, grade, subtopic',
    [
        ('query_id', 'doc_id', 'relevance', 'subtopic_id'),
        ('qid', 'docno', 'label', 'iteration'),
        ('query', 'document', 'grade', 'subtopic'),
        ('query', 'document', 'label', 'aspect'),
        ('query', 'docid', 'grade', 'intent'),
    ],
)
def test_names_of_columns(query, document, grade, subtopic, tmp_path):
    """In a DataFrame and in a file; a run has the same names of queries and documents."""
    table = pd.DataFrame({query: [1], document: ['d'], grade: [2], subtopic: ['a']})
    table.to_csv(tmp_path / 'qrels.csv', index=False)
    for source in (table, tmp_path / 'qrels.csv'):
        assert rows(read_qrels(source)) == [('1', 'd', 2, 'a')]
    run = table[[query, document]].assign(score=1.5)
    run.to_csv(tmp_path / 'run.csv', index=False)
    for source in (run, tmp_path / 'run.csv'):
        assert rows(read_run(source)) == [('1', 'd', 1.5)]


def test_only_one_column_holds_subtopics():
    """The others stay in the table, but for a column that trec_eval calls the iteration."""
    table = QRELS.head(1).assign(subtopic_id='a', intent='to buy', iteration='0')
    assert read_qrels(table)[['subtopic_id', 'intent']].values.tolist() == [['a', 'to buy']]
    assert 'iteration' not in read_qrels(table)


@over(
    'table, named',
    [
        (pd.DataFrame({'topic': ['1'], 'document': ['d'], 'grade': [1]}), "'qid' or .*'query'"),
        (pd.DataFrame({'query': ['1'], 'url': ['d'], 'grade': [1]}), "'docno' or .*'document'"),
        (pd.DataFrame({'query': ['1'], 'document': ['d'], 'gain': [1]}), "'label' or 'grade'"),
    ],
)
def test_an_error_names_the_accepted_columns(table, named):
    refused(f'no column .*may also be called {named}', read_qrels, table)


def test_a_table_without_columns_is_called_empty(tmp_path):
    (tmp_path / 'table.json').write_text('[]')
    for table in pd.DataFrame([]), tmp_path / 'table.json':
        for read in read_run, read_qrels:
            refused("no column 'query_id' .found an empty table", read, table)


@over('form', ['frame', 'csv', 'jsonl'])
def test_ranks_without_scores(form, tmp_path):
    """The first rank is the best one."""
    table = pd.DataFrame({'query_id': '1', 'doc_id': [*'abc'], 'rank': [2, 1, 3]})
    path = tmp_path / 'run'
    if form == 'csv':
        table.to_csv(path, index=False)
    elif form == 'jsonl':
        table.to_json(path, orient='records', lines=True)
    run = read_run(table if form == 'frame' else path)
    assert run.sort_values('score')['doc_id'].tolist() == ['c', 'a', 'b']
    assert read_run(table.assign(score=[3, 1, 2]))['score'].tolist() == [3, 1, 2]


@over('name', ['position', 'distance', 'pos'])
def test_other_numbers_than_scores_are_refused(name):
    table = pd.DataFrame({'query_id': '1', 'doc_id': [*'ab'], name: [1, 2]})
    refused("no column 'score' .*of ranks or distances, give minus", read_run, table)


def test_documents_in_order():
    assert rows(read_run({'1': ['b', 'a'], '2': ['c']})) == [
        ('1', 'b', 0),
        ('1', 'a', -1),
        ('2', 'c', 0),
    ]
    refused("duplicate document 'a'", read_run, {'1': ['a', 'a']})


def test_a_folder_that_pyterrier_wrote(tmp_path):
    """``pt.Experiment(save_dir=…)`` writes a file for each system; users save its two tables there, too."""
    run = '1 Q0 d1 0 3.0 pyterrier\n'
    (tmp_path / 'B.res').write_text(run)
    (tmp_path / 'A v1.2.res.gz').write_bytes(gzip.compress(run.encode()))
    (tmp_path / 'aggregated.csv').write_text('name,nDCG@10\nA,0.5\n')
    (tmp_path / 'perquery.csv').write_text('name,qid,measure,value\nA,1,nDCG@10,0.5\n')
    assert [name for name, _ in read_runs(tmp_path)] == ['A v1.2', 'B']
    (tmp_path / 'scores.csv').write_text('system,query_id,measure,value\nA,1,nDCG@10,0.5\n')
    refused("scores.csv: run: no column 'doc_id'", lambda: list(read_runs(tmp_path)))


@over(
    'values, said',
    [
        (('Q0', 'Q0'), 'Q0 and no subtopics'),
        (('4.5', '4'), 'rounds of judging .4.5, …. and no subtopics'),
    ],
)
def test_iterations_that_hold_no_subtopics(values, said):
    qrels = [TrecQrel('q', 'd1', 1, values[0]), TrecQrel('q', 'd2', 1, values[1])]
    assert read_qrels(qrels)['subtopic_id'].tolist() == ['0', '0']
    with expect_warning(said, JudgmentsWarning):
        evaluate(qrels, {'q': {'d1': 1.0}}, 'alpha_nDCG@5')


def test_iterations_with_a_document_in_two_are_subtopics():
    qrels = [TrecQrel('q', 'd', 1, '4.5'), TrecQrel('q', 'd', 1, '4')]
    assert read_qrels(qrels)['subtopic_id'].tolist() == ['4.5', '4']


IDS_WITH_MARKS = ['"a"', 'b"c', '"', '""', 'd', "'e'", '"f']


@over('delimiter', ['\t', ','])
def test_ids_with_quotation_marks_are_those_that_pandas_had(delimiter, tmp_path):
    path = tmp_path / 'table'
    table = pd.DataFrame({'query_id': 'q', 'doc_id': IDS_WITH_MARKS, 'score': 1.0, 'relevance': 1})
    table.to_csv(path, sep=delimiter, index=False)
    for read in (read_run, read_qrels):
        assert read(path)['doc_id'].tolist() == IDS_WITH_MARKS
