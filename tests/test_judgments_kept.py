"""Judgments are checked and coded once for a DataFrame, as long as it is unchanged; columns and forms are declared."""
from __future__ import annotations

import gc
import weakref

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from ir_divmeasures import DivMeasuresWarning, measures, read_qrels, with_weights
from ir_divmeasures.core.registry import catalogue
from ir_divmeasures.io import columns
from ir_divmeasures.io import judgment_forms as formats
from ir_divmeasures.judgments import memory
from ir_divmeasures.judgments.arrays import Collection
from ir_divmeasures.judgments.table import Judgments

ROWS = [('1', 'd1', 2, 'a'), ('1', 'd1', 0, 'b'), ('1', 'd2', 1, 'b'), ('2', 'd1', 1, 'a'), ('2', 'd3', 1, 'b')]
NAMES = ['query_id', 'doc_id', 'relevance', 'subtopic_id']
PANDAS = int(pd.__version__.split('.')[0])


def table(**further) -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=NAMES).assign(**further)


@pytest.fixture
def coded(monkeypatch):
    """The tables that were coded as arrays."""
    found: list[pd.DataFrame] = []
    init = Collection.__init__
    monkeypatch.setattr(Collection, '__init__', lambda self, table, *args: (found.append(table),
                                                                            init(self, table, *args))[1])
    return found


RUN = {'1': {'d1': 2.0, 'd2': 1.0}}


def test_judgments_of_a_dataframe_are_made_once():
    judged = table()
    assert Judgments.of(judged) is Judgments.of(judged)
    assert Judgments.of(judged.rename(columns={'query_id': 'qid'})) is not Judgments.of(judged)
    assert Judgments.of(Judgments.of(judged)) is Judgments.of(judged)


def test_what_hosts_make_of_a_dataframe_is_found_by_content():
    judged = table().rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    first = Judgments.of(judged.rename(columns={'qid': 'query_id', 'docno': 'doc_id', 'label': 'relevance'}))
    again = judged.rename(columns={'qid': 'query_id', 'docno': 'doc_id', 'label': 'relevance'})
    assert (Judgments.of(again) is first) or PANDAS < 3  # before copy-on-write, a renamed DataFrame is a new one


@pytest.mark.parametrize('change', [
    lambda t: t.loc.__setitem__((1, 'relevance'), 3), lambda t: t.loc.__setitem__((1, 'doc_id'), 'd9'),
    lambda t: t.insert(4, 'weight', 0.5), lambda t: t.loc.__setitem__(5, ['3', 'd1', 1, 'a']),
    lambda t: setattr(t, 'columns', [*NAMES[:3], 'other'])],
    ids=['grade', 'document', 'column', 'row', 'name'])
def test_a_changed_dataframe_is_noticed(change):
    judged = table()
    before = Judgments.of(judged)
    kept = before.table.copy()
    change(judged)
    try:
        after = Judgments.of(judged)
    except ValueError:
        after = None  # without subtopics a document has two grades
    assert after is not before
    pd.testing.assert_frame_equal(before.table, kept)


def test_scores_after_a_change_are_those_of_the_changed_judgments():
    judged, (recall, precision) = table(), measures('StRecall@1 P@1')
    first = ir_measures.calc_aggregate([recall, precision], judged, RUN)
    judged.loc[0, 'relevance'] = 0
    second = ir_measures.calc_aggregate([recall, precision], judged, RUN)
    # Query 1: d1 covers one of two subtopics, then nothing is relevant at rank 1; query 2 is not in the run.
    assert (first[recall], first[precision]) == (0.25, 0.5)
    assert (second[recall], second[precision]) == (0.0, 0.0)


def test_an_experiment_codes_its_judgments_once(coded):
    judged = table().rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    runs = [pd.DataFrame([('1', d, 1.0), ('2', d, 1.0)], columns=['qid', 'docno', 'score']) for d in ('d1', 'd2', 'd3')]
    topics = pd.DataFrame({'qid': ['1', '2'], 'query': ['x', 'y']})
    pt.Experiment(runs, topics, judged, measures('alpha_nDCG@5 RBU@5 nDCG@5'), names=['A', 'B', 'C'])
    assert len(coded) == 1 or PANDAS < 3


def test_what_read_qrels_returns_is_not_checked_again(coded):
    judged = read_qrels({'1': {'d1': {'a': 1, 'b': 1}}})
    for _ in range(3):
        ir_measures.calc_aggregate(measures('StRecall@1'), judged, RUN)
    assert len(coded) == 1


def test_judgments_are_forgotten_with_their_dataframe():
    judged = table()
    held = weakref.ref(Judgments.of(judged))
    assert held() is not None
    del judged
    gc.collect()
    assert held() is None


def test_many_judgments_leave_only_a_few_behind():
    frames = [table(relevance=[n, 0, 1, 1, 1]) for n in range(1, 30)]
    held = [weakref.ref(Judgments.of(frame)) for frame in frames]
    gc.collect()
    assert sum(each() is not None for each in held) == memory.MOST
    assert all(Judgments.of(frame).table['relevance'].iloc[0] == n for n, frame in enumerate(frames, 1))


def test_the_table_of_judgments_shares_no_numbers_with_the_source():
    judged = table(weight=[.5, .5, .5, .5, .5], year=2014)
    made = Judgments.of(judged).table
    for name in ('relevance', 'weight', 'year'):
        assert not np.shares_memory(made[name].to_numpy(), judged[name].to_numpy()), name


def test_nothing_is_written_into_attrs():
    judged = table()
    judged.attrs['mine'] = 1
    ir_measures.calc_aggregate(measures('StRecall@1'), judged, RUN)
    assert judged.attrs == {'mine': 1} and not read_qrels({'1': {'d1': 1}}).attrs


def test_a_source_without_subtopics_is_told_as_such_after_reading_too():
    judged = read_qrels({'1': {'d1': 1}, '2': {'d2': 1}})
    with pytest.warns(DivMeasuresWarning, match=r'found neither \(columns: query_id, doc_id, relevance\)'):
        ir_measures.calc_aggregate(measures('alpha_nDCG@5'), judged, RUN)


# ------------------------------------------------------------------------------------------------- declarations

def test_every_column_that_a_measure_needs_is_declared():
    assert {name for made in catalogue() for name in made.needs} <= set(columns.COLUMNS)


@pytest.mark.parametrize('name', columns.COLUMNS)
def test_a_declared_column_says_what_it_is_and_who_adds_it(name):
    import ir_divmeasures

    column = columns.COLUMNS[name]
    assert column.of in ('aspect', 'document', 'key') and (column.expected or column.admits is None)
    functions = [word.strip('(),') for word in column.added_by.split() if word != '(or']
    assert functions and all(callable(getattr(ir_divmeasures, function)) for function in functions)


@pytest.mark.parametrize('form', [f.name for f in formats.FORMATS.values() if f.writes])
def test_what_a_form_writes_it_is_told_to_be(form, tmp_path):
    judged = with_weights(table(), {'1': {'a': 0.75, 'b': 0.25}, '2': {'a': 0.5, 'b': 0.5}})
    judged = judged.drop(columns='weight') if form == 'trec' else judged
    formats.write(judged, str(tmp_path / 'qrels'), form, False)
    pd.testing.assert_frame_equal(read_qrels(tmp_path / 'qrels'), judged)


@pytest.mark.parametrize('line, form', [
    ('1 a d1 2', 'trec'), ('1 a d1 L2', 'ntcir'), ('1\td1\t2\ta\t0.5', 'evall'), ('"1"\t"d1"\t"2"\t"a"\t"1"', 'evall'),
    ('DD16-1 DD16-1.1 ebola-45b 12:3 2', 'dd'), ('DD17-1 DD17-1.2 1234567 5 0.5', 'dd'),
    ('query_id\tdoc_id\trelevance\tsubtopic_id\n1\td1\t1\ta', 'tsv')])
def test_the_form_of_a_file_is_told_from_its_lines(line, form, tmp_path):
    (tmp_path / 'q').write_text(line + '\n')
    pd.testing.assert_frame_equal(read_qrels(tmp_path / 'q'), read_qrels(tmp_path / 'q', format=form))


@pytest.mark.parametrize('text, said', [
    ('1 2 1234567 5 0.5\n', "q: 5 columns, which may be EvALL's or TREC Dynamic Domain's; give format="),
    ('"1"\t"d1"\t"2"\t"a"\t"0.5"\n"1"\t"d2"\t"x"\t"a"\t"0.5"\n', "q, line 2: relevance is 'x', expected a number"),
    ('"1"\t"d1"\t"2"\t"a"\t"0.5"\n"1"\t"d2"\t"2"\t"a"\n', r"found 4: '\"1\"\\t\"d2\"\\t\"2\"\\t\"a\"'"),
    ('query_id\tdoc_id\tdoc_id\trelevance\n1\td\td\t1\n', "q, line 1: the header has the column 'doc_id' twice"),
    ('query_id\tdoc_id\trelevance\n1\td\t1_0\n', "q, line 2: relevance is '1_0', expected a number"),
    ('1 1 d1 L1\n1 1 d2 L99999\n', "q, line 2: grade is 'L99999', expected L0, L1, … L999")])
def test_a_wrong_line_is_shown_as_it_was_written(text, said, tmp_path):
    (tmp_path / 'q').write_text(text)
    with pytest.raises(ValueError, match=said):
        read_qrels(tmp_path / 'q')
