"""Judgments: every source that read_qrels takes, what the functions on them do, and what bad input is told."""

import gzip
import os
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ir_divmeasures import (
    diagnose,
    evaluate,
    read_qrels,
    read_run,
    topic_level,
    with_intents,
    with_weights,
    write_qrels,
)

from .builders import expect_error, expect_warning, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

ROWS = [('1', 'd1', 2, 'a'), ('1', 'd1', 0, 'b'), ('1', 'd2', 1, 'b'), ('2', 'd1', -2, '0')]
COLUMNS = ['query_id', 'doc_id', 'relevance', 'subtopic_id']
TABLE = pd.DataFrame(ROWS, columns=COLUMNS)
TREC = '1 a d1 2\n1 b d1 0\n1 b d2 1\n2 0 d1 -2\n'


def rows(table, *further):
    assert list(table.columns)[:4] == COLUMNS
    return list(table[[*COLUMNS, *further]].itertuples(index=False, name=None))


def write(tmp_path, text, name='qrels.txt'):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


# -------------------------------------------------------------------------------------------------------- files


@over(
    'text',
    [
        TREC,
        '\ufeff# a comment\n' + TREC.replace('\n', '\n\n') + '# another\n',
        TREC.replace(' 1\n', ' 1.0\n').replace(' 2\n', ' +2\n').replace(' 0\n', ' 0e0\n'),
    ],
)
def test_trec_file(tmp_path, text):
    table = read_qrels(write(tmp_path, text))
    assert rows(table) == ROWS and table['relevance'].dtype == np.int64
    assert rows(read_qrels(tmp_path / 'qrels.txt', format='trec')) == ROWS


def test_gzip_is_told_by_content_not_by_name(tmp_path):
    assert rows(read_qrels(write(tmp_path, gzip.compress(TREC.encode()), 'plain.txt'))) == ROWS
    assert rows(read_qrels(write(tmp_path, TREC, 'not.gz'))) == ROWS


def test_ids_with_no_break_spaces_and_other_scripts(tmp_path):
    wanted = [('1', 'a\u00a0b', 1, 'é'), ('1', '中\u3000', 2, '0')]
    for text in (
        '1 é a\u00a0b 1\n1 0 中\u3000 2\n',
        '\n1  é a\u00a0b  1\n# slow path\n1 0 中\u3000 2\n',
    ):
        assert rows(read_qrels(write(tmp_path, text))) == wanted


def test_a_web_track_year(web_track):
    dataset = web_track(2010)
    judged = list(dataset.qrels_iter())
    known = {(q.query_id, q.doc_id, q.subtopic_id): q.relevance for q in judged}
    for source in (dataset.dataset_id(), dataset, judged):
        table = read_qrels(source)
        assert {(q, d, s): g for q, d, g, s in rows(table)} == known
    assert table['query_id'].nunique() == 48


# ------------------------------------------------------------------------------------------------------- memory


class Sub(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


NESTED = {'1': {'d1': {'a': 2, 'b': 0}, 'd2': {'b': 1}}, '2': {'d1': {'0': -2}}}
SOURCES = {
    'table': TABLE,
    'iteration': TABLE.rename(columns={'subtopic_id': 'iteration'}),
    'PyTerrier': TABLE.rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}),
    'both columns': TABLE.assign(iteration='Q0'),
    'other order': TABLE[COLUMNS[::-1]],
    'index': TABLE.set_axis([5, 5, 1, 0]),
    'float grades': TABLE.astype({'relevance': float}),
    'nullable': TABLE.convert_dtypes(),
    'categories': TABLE.astype({c: 'category' for c in COLUMNS if c != 'relevance'}),
    'Qrel': [ir_measures.Qrel(*row) for row in ROWS],
    'Sub': [Sub(*row) for row in ROWS],
    'nested': NESTED,
    'object ids': TABLE.astype(object),
    'a further column': TABLE.assign(text=['x', None, 'y', 'z']),
}


@over('source', SOURCES.values())
def test_forms_in_memory(source, tmp_path):
    """Of a DataFrame, also as a parquet file, whatever types its columns have."""
    sources = [source]
    if isinstance(source, pd.DataFrame):
        source.to_parquet(tmp_path / 'qrels.parquet')
        sources.append(tmp_path / 'qrels.parquet')
    for each in sources:
        table = read_qrels(each)
        assert rows(table) == ROWS
        assert all(type(v) is str for c in COLUMNS if c != 'relevance' for v in table[c])
        assert table['relevance'].dtype == np.int64


def test_the_source_is_not_changed():
    before = TABLE.copy()
    with_weights(TABLE, {'1': {'a': 1, 'b': 1}})
    topic_level(TABLE)
    pd.testing.assert_frame_equal(TABLE, before)


def test_dict_of_two_levels_has_one_subtopic():
    assert rows(read_qrels({'1': {'d1': 2, 'd2': -1}})) == [
        ('1', 'd1', 2, '0'),
        ('1', 'd2', -1, '0'),
    ]


def test_whole_numbers_as_ids():
    assert rows(read_qrels({1: {10: {3: 2}}})) == [('1', '10', 2, '3')]


# ------------------------------------------------------------------------------------------------------- errors


@over(
    'text, said',
    [
        (
            '1 a d1 2\n1 a d2\n',
            r'qrels.txt, line 2: expected 4 fields \(query_id subtopic_id doc_id relevance\), found 3',
        ),
        ('1 a d1 2\n\n1 a d2 nan\n', "qrels.txt, line 3: relevance is 'nan', expected a number"),
        (
            '1 a d1 2\n1 a d2 inf\n',
            "qrels.txt: query '1', document 'd2', subtopic 'a': grade is inf, expected a number",
        ),
        (
            '1 a d1 2\n1 a d2 1\n1 a d1 1\n',
            "qrels.txt, line 3: query '1', document 'd1', subtopic 'a' has several grades",
        ),
        ('# nothing\n\n', 'qrels.txt: contains no judgments'),
        ('query_id\tdoc_id\trelevance\n1\td\t1\t2\n', 'qrels.txt, line 2: expected 3 fields'),
        (
            'query_id\tdoc_id\trelevance\tsubtopic_id\n1\td\t1\ta\n1\td\t\ta\n',
            "line 3: relevance is '', expected a number",
        ),
        (
            'query_id\tdoc_id\tsubtopic_id\n1\td\ta\n',
            "qrels.txt: no column 'relevance'.*found query_id, doc_id, subtopic_id",
        ),
    ],
)
def test_errors_in_files(tmp_path, text, said):
    refused(said, read_qrels, write(tmp_path, text))


def test_missing_files_and_unknown_datasets(tmp_path):
    write(tmp_path, TREC, 'qrels-2014.txt')
    with expect_error(
        "qrels-2013.txt: no such file; did you mean 'qrels-2014.txt'", FileNotFoundError
    ):
        read_qrels(tmp_path / 'qrels-2013.txt')
    refused('a folder, expected a file', read_qrels, tmp_path, error=IsADirectoryError)
    with expect_error(
        "'clueweb12/trec-web-2014/diversty' is neither a file nor an ir_datasets id; "
        "did you mean 'clueweb12/trec-web-2014/diversity'"
    ):
        read_qrels('clueweb12/trec-web-2014/diversty')
    with expect_error("format='tec': expected one of 'trec', .*did you mean 'trec'"):
        read_qrels(tmp_path / 'qrels-2014.txt', format='tec')


@over(
    'source, kind, said',
    [
        (
            TABLE.drop(columns='relevance'),
            ValueError,
            "no column 'relevance' .found query_id, doc_id, subtopic_id",
        ),
        (
            TABLE.assign(relevance=[1, 2, np.nan, 1]),
            ValueError,
            "query '1', document 'd2', subtopic 'b': grade is nan, expected a number",
        ),
        (
            TABLE.assign(relevance=[1, np.inf, 1, 1]),
            ValueError,
            "document 'd1', subtopic 'b': grade is inf",
        ),
        (
            TABLE.assign(relevance=['1', '2', '0', '1']),
            ValueError,
            "grade is '1', expected a number",
        ),
        (TABLE.assign(doc_id=['d1', 'd1', None, 'd1']), ValueError, 'row 2 has no doc_id'),
        *(
            (
                TABLE.assign(weight=0.5, **{column: [cell, *TABLE[column][1:]]}),
                ValueError,
                f'judgments: row 0: {column} is .*d1.*, expected one value',
            )
            for column in ('query_id', 'doc_id', 'subtopic_id')
            for cell in (['d1', 'd2'], {'d1': 1})
        ),
        (
            TABLE.assign(subtopic_id='a'),
            ValueError,
            "query '1', document 'd1', subtopic 'a' has several grades",
        ),
        (TABLE.drop(columns='subtopic_id'), ValueError, 'no column of subtopics was found'),
        (
            {'1': {'d1': {'a': None}}},
            ValueError,
            "query '1', document 'd1', subtopic 'a': grade is None",
        ),
        ({'1': ['d1']}, TypeError, "query '1': expected a dict of documents, found"),
        ([('1', 'd1', 1, 'a')], TypeError, 'expected namedtuples, found'),
        (5, TypeError, 'expected an ir_datasets id or dataset, a path, .* found int'),
        (
            TABLE.assign(weight=[1, 1, 2, 1]),
            ValueError,
            "subtopic 'b' has several values of weight, one of them [12].0",
        ),
    ],
)
def test_errors_in_memory(source, kind, said):
    refused(said, read_qrels, source, error=kind)


def test_repeated_rows_are_one_warning_with_counts(tmp_path):
    with expect_warning('2 of 6 rows repeat another row and are ignored') as caught:
        table = read_qrels(pd.concat([TABLE, TABLE.iloc[:2]]))
    assert len(caught) == 1 and rows(table) == ROWS
    with expect_warning(r'qrels.txt: 4 of 8 rows repeat'):
        assert rows(read_qrels(write(tmp_path, TREC + TREC))) == ROWS


# -------------------------------------------------------------------------------------------------- one subtopic

RUN = {'1': {'d1': 1.0}, '2': {'d2': 1.0}}


@over(
    'source, said',
    [
        (
            {'1': {'d1': 1}, '2': {'d2': 1}},
            r"2 of 2 queries have one subtopic only, so that alpha_nDCG@5 cannot measure diversity. Looked for a column "
            r"'subtopic_id', 'subtopic', 'aspect', 'intent' or 'iteration', found none \(columns: query_id, doc_id, relevance\)",
        ),
        (
            TABLE.assign(subtopic_id='0').drop_duplicates(['query_id', 'doc_id']),
            "found 'subtopic_id', in which every query",
        ),
        (
            [ir_measures.Qrel('1', 'd1', 1), ir_measures.Qrel('2', 'd2', 1)],
            "found 'iteration', in which every query has",
        ),
    ],
)
def test_one_subtopic_is_one_warning_that_says_what_was_looked_for(source, said):
    with expect_warning(said) as caught:
        evaluate(source, RUN, 'alpha_nDCG@5 nDCG@5')
    assert len(caught) == 1


# ------------------------------------------------------------------------------------------- weights


def test_weights_stand_as_given_or_sum_to_one_over_the_relevant_subtopics():
    given = {'1': {'a': 3, 'b': 1}, '2': {'0': 9}}
    assert with_weights(TABLE, given)['weight'].tolist() == [3, 1, 1, 9]
    # Query 2 has no relevant subtopic: nothing to sum to.
    assert with_weights(TABLE, given, normalise=True)['weight'].tolist() == [0.75, 0.25, 0.25, 9]
    assert with_weights(TABLE.assign(weight=7), given)['weight'].tolist() == [3, 1, 1, 9]
    frame = pd.DataFrame(
        [(1, 'a', 3.0), (1, 'b', 1.0), (2, 0, 9.0)], columns=['qid', 'subtopic_id', 'probability']
    )
    assert with_weights(TABLE, frame)['weight'].tolist() == [3, 1, 1, 9]


@over(
    'weights, kind, said',
    [
        (
            {'1': {'a': 1}},
            ValueError,
            r"query '1', subtopic 'b': no weight given \(1 listed subtopics",
        ),
        ({'1': {'a': 1, 'b': float('nan')}}, ValueError, "subtopic 'b': no weight given"),
        ({'1': {'a': 1, 'b': 'x'}}, ValueError, "subtopic 'b': weight is 'x', expected"),
        (pd.DataFrame({'query_id': ['1']}), ValueError, "no column 'subtopic_id'"),
        (3, TypeError, 'found int'),
        ({'1': ['a']}, TypeError, r"query '1': expected a dict of intents, found \['a'\]"),
        (
            pd.DataFrame(
                [('1', 'a', 1), ('1', 'a', 2), ('1', 'b', 1)],
                columns=['query_id', 'subtopic_id', 'weight'],
            ),
            ValueError,
            "query '1', subtopic 'a' has several values of weight",
        ),
    ],
)
def test_weight_errors(weights, kind, said):
    refused(said, with_weights, TABLE, weights, error=kind)


def test_weights_of_zero_cannot_be_normalised():
    with expect_error("query '1': the weights of its subtopics sum to 0"):
        with_weights(TABLE, {'1': {'a': 0, 'b': 0}}, normalise=True)


def test_topic_level_is_the_maximum_with_grades_below_zero_as_zero():
    assert list(topic_level(TABLE).itertuples(index=False, name=None)) == [
        ('1', 'd1', 2),
        ('1', 'd2', 1),
        ('2', 'd1', 0),
    ]
    assert list(
        topic_level(TABLE.assign(layer=[0, 0, -1, 0])).itertuples(index=False, name=None)
    ) == [('1', 'd1', 2), ('2', 'd1', 0)]


# ------------------------------------------------------------------------------------------------------ writing


@pytest.mark.parametrize('name', ['q.txt', 'q.tsv.gz'])
@pytest.mark.parametrize(
    'further',
    [
        {},
        {'weight': [0.1 + 0.2, 1 / 3, 1 / 3, 1e-300]},
        {
            'layer': [0, 0, -1, 2],
            'n_retrieved': [1, 1, 2, 3],
            'document_similarity': ['AAAAAAAA8D8=', 'AAAAAAAA8D8=', '', 'AAAAAAAA8D8='],
        },
    ],
)
def test_round_trip_loses_nothing(tmp_path, name, further):
    table = read_qrels(TABLE.assign(**further))
    path = tmp_path / name
    write_qrels(table, path)
    pd.testing.assert_frame_equal(read_qrels(path), table, check_dtype=False)
    assert os.listdir(tmp_path) == [name]


ID = st.text(
    st.characters(exclude_categories=['Cs', 'Zs', 'Zl', 'Zp', 'Cc']), min_size=1, max_size=4
).filter(
    lambda text: text.split() == [text] and not text.startswith('#') and text != '-'
)  # '-' is no document


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    found=st.dictionaries(
        st.tuples(ID, ID, ID), st.integers(-3, 9) | st.floats(-3, 9), min_size=1, max_size=6
    ),
    form=st.sampled_from(['trec', 'tsv']),
)
def test_round_trip_of_any_ids(tmp_path, found, form):
    table = read_qrels([Sub(q, d, g, s) for (q, d, s), g in found.items()])
    path = tmp_path / 'round.trip'
    write_qrels(table, path, format=form, overwrite=True)
    assert rows(read_qrels(path, format=form)) == rows(table)


@over(
    'table, form, said',
    [
        (
            TABLE.assign(weight=0.5),
            'trec',
            "format 'trec' would lose the columns weight; 'tsv' holds all",
        ),
        (TABLE, 'trce', "format='trce': expected one of 'trec'"),
        (TABLE.replace({'d2': 'd 2'}), 'trec', "doc_id 'd 2' cannot be written in format 'trec'"),
        (TABLE.replace({'d2': 'd\t2'}), 'tsv', r"doc_id 'd\\t2' cannot be written in format 'tsv'"),
        (TABLE.replace({'d2': ''}), 'tsv', "doc_id '' cannot be written"),
        (TABLE.replace({'2': '#'}), None, "query_id '#' cannot be written"),
    ],
)
def test_what_cannot_be_written(tmp_path, table, form, said):
    refused(said, write_qrels, table, tmp_path / 'q', format=form)
    assert not os.listdir(tmp_path)


def test_ids_with_blanks_fit_into_tsv(tmp_path):
    table = TABLE.replace({'d2': 'd 2 "quoted"', 'b': ' b '})
    write_qrels(table, tmp_path / 'q', format='tsv')
    assert rows(read_qrels(tmp_path / 'q')) == rows(table)


def test_the_same_judgments_make_the_same_bytes(tmp_path):
    for name in ('a.gz', 'b.gz'):
        write_qrels(TABLE, tmp_path / name)
    assert (tmp_path / 'a.gz').read_bytes() == (tmp_path / 'b.gz').read_bytes()


# ---------------------------------------------------------------------------------------------------- subtopic 0


def covered(judged, measure='Coverage@5'):
    """The coverage of a run that retrieves d1 alone."""
    return evaluate(judged, {q: {'d1': 1.0} for q in judged}, measure).values[0].ravel().tolist()


def test_a_subtopic_called_0_counts_like_any_other():
    """Three subtopics, of which d1 serves one, whatever they are called."""
    for zero, one, two in (('0', '1', '2'), ('1', '2', '3')):
        assert covered({'q': {'d1': {zero: 0, one: 1, two: 0}}}) == [1 / 3]
    # no other row, but relevant in another query
    judged = {'q': {'d1': {'1': 1}, 'd2': {'0': 0}}, 'r': {'d1': {'0': 1}}}
    assert covered(judged) == [1 / 2, 1.0]


def test_subtopic_0_that_marks_documents_is_left_out():
    judged = {'q': {'d1': {'1': 1, '2': 0}, 'd2': {'0': 0}, 'd3': {'0': -2}}}
    assert covered(judged) == [1 / 2]
    listed = with_intents(judged, {'q': ['0', '1', '2']})
    assert evaluate(listed, {'q': {'d1': 1.0}}, 'Coverage@5').values.tolist() == [[[1 / 3]]]
    evaluate(judged, {'q': {'d1': 1.0}}, 'StRecall@5')  # warnings are errors


# ------------------------------------------------------------------------------------ numbers, options, order


@over('options', [{'rows_per_part': 0}, {'rows_per_part': 1.5}, {'jobs': 0}, {'jobs': 'x'}])
def test_options_out_of_range_are_an_error(options):
    (name,) = options
    refused(f'{name}=.*expected a whole number', evaluate, NESTED, RUN, 'P@1', **options)


def test_arguments_in_the_wrong_order_are_named(tmp_path):
    run, judged = write(tmp_path, '1 Q0 d1 1 2.5 tag\n', 'a.run'), write(tmp_path, TREC)
    frame = read_run(run)
    for source in (frame, [ir_measures.ScoredDoc('1', 'd1', 1.0)]):
        refused(
            "no column 'relevance'.*; judgments come first, then runs",
            evaluate,
            source,
            TABLE,
            'P@1',
        )
        refused("no column 'relevance'.*; judgments come first, then runs", diagnose, source, TABLE)
    refused(
        'a folder, expected a file of judgments; judgments',
        evaluate,
        tmp_path,
        judged,
        'P@1',
        error=IsADirectoryError,
    )
    refused('expected 4 fields .*, found 6.*judgments come first', evaluate, run, judged, 'P@1')
    refused('expected 6 fields .*, found 4.*judgments come first', evaluate, judged, judged, 'P@1')
    refused("no column 'score'.*judgments come first", evaluate, TABLE, TABLE, 'P@1')
