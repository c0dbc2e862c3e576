"""Judgments are checked and coded once for a DataFrame, as long as it is unchanged; columns and forms are declared."""

import gc
import weakref

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from ir_divmeasures import (
    measures,
)
from ir_divmeasures.data import judgments as module
from ir_divmeasures.data.judgments import Judgments

from .builders import over

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

ROWS = [
    ('1', 'd1', 2, 'a'),
    ('1', 'd1', 0, 'b'),
    ('1', 'd2', 1, 'b'),
    ('2', 'd1', 1, 'a'),
    ('2', 'd3', 1, 'b'),
]
NAMES = ['query_id', 'doc_id', 'relevance', 'subtopic_id']
PANDAS = int(pd.__version__.split('.')[0])


def table(**further):
    return pd.DataFrame(ROWS, columns=NAMES).assign(**further)


@pytest.fixture
def coded(monkeypatch):
    """The tables that were coded as arrays."""
    module._memory.clear()
    found = []
    init = Judgments.__init__
    monkeypatch.setattr(
        Judgments,
        '__init__',
        lambda self, table, *args: (found.append(table), init(self, table, *args))[1],
    )
    return found


RUN = {'1': {'d1': 2.0, 'd2': 1.0}}


def test_judgments_of_a_dataframe_are_made_once():
    judged = table()
    assert Judgments.of(judged) is Judgments.of(judged)
    assert Judgments.of(judged.rename(columns={'query_id': 'qid'})) is not Judgments.of(judged)
    assert Judgments.of(Judgments.of(judged)) is Judgments.of(judged)


@over(
    'change',
    [
        lambda t: t.loc.__setitem__((1, 'relevance'), 3),
        lambda t: t.loc.__setitem__((1, 'doc_id'), 'd9'),
        lambda t: t.insert(4, 'weight', 0.5),
        lambda t: t.loc.__setitem__(5, ['3', 'd1', 1, 'a']),
        lambda t: setattr(t, 'columns', [*NAMES[:3], 'other']),
    ],
)
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


def test_an_experiment_codes_its_judgments_once(coded):
    judged = table().rename(columns={'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'})
    runs = [
        pd.DataFrame([('1', d, 1.0), ('2', d, 1.0)], columns=['qid', 'docno', 'score'])
        for d in ('d1', 'd2', 'd3')
    ]
    topics = pd.DataFrame({'qid': ['1', '2'], 'query': ['x', 'y']})
    pt.Experiment(
        runs, topics, judged, measures('alpha_nDCG@5 RBU@5 nDCG@5'), names=['A', 'B', 'C']
    )
    assert len(coded) == 1 or PANDAS < 3


def test_many_judgments_leave_only_a_few_behind():
    frames = [table(relevance=[n, 0, 1, 1, 1]) for n in range(1, 10)]
    held = [weakref.ref(Judgments.of(frame)) for frame in frames]
    gc.collect()
    assert sum(each() is not None for each in held) == module.MOST
    assert all(
        Judgments.of(frame).table['relevance'].iloc[0] == n for n, frame in enumerate(frames, 1)
    )


# ------------------------------------------------------------------------------------------------ changes in place


@over(
    'column, before, after',
    [
        ('doc_id', np.array(['d1', 'd2', 'd2'], dtype=object), 'd9'),
        ('relevance', np.array([1, 0, 1], dtype=object), 0),
        ('relevance', np.array([1.0, 0.0, 1.0]), 0.0),
        ('relevance', np.array([1, 0, 1], dtype=np.int8), 0),
    ],
)
def test_a_change_in_place_is_not_missed(column, before, after):
    """The DataFrame shares the array with the user, who never touches the DataFrame again.

    d1 is relevant to subtopic a, d2 to b, so that StRecall@1 is .5 where d1, at rank 1, covers one. After the change
    nothing at rank 1 is relevant.
    """
    own = before.copy()
    columns = {
        'query_id': ['1', '1', '1'],
        'doc_id': ['d1', 'd2', 'd2'],
        'relevance': [1, 0, 1],
        'subtopic_id': ['a', 'a', 'b'],
        column: pd.Series(own, dtype=own.dtype, copy=False),
    }
    judged = pd.DataFrame(columns, copy=False)
    assert np.shares_memory(judged[column].to_numpy(), own)
    for value, expected in ((before[0], 0.5), (after, 0.0), (before[0], 0.5)):
        own[0] = value
        found = ir_measures.calc_aggregate(measures('StRecall@1'), judged, RUN)
        assert [*found.values()] == [expected]


@over(
    'dtype',
    [pd.StringDtype('python'), pd.StringDtype('pyarrow'), pd.CategoricalDtype(['d1', 'd9'])],
)
def test_a_change_of_texts_is_not_missed(dtype):
    judged = pd.DataFrame(
        {'query_id': ['1'], 'doc_id': pd.Series(['d1'], dtype=dtype), 'relevance': [1]}
    )
    assert Judgments.of(judged).table['doc_id'].tolist() == ['d1']
    judged['doc_id'].array[0] = 'd9'
    assert Judgments.of(judged).table['doc_id'].tolist() == [judged['doc_id'].iloc[0]]


@over('one', [True, 1.0, np.int64(1)])
def test_equal_objects_of_another_type_are_other_ids(one):
    """1, 1.0 and True are equal, and the ids '1', '1.0' and 'True' are not."""
    judged = pd.DataFrame(
        {'query_id': ['1'], 'doc_id': pd.Series([1], dtype=object), 'relevance': [1]}
    )
    assert Judgments.of(judged).table['doc_id'].tolist() == ['1']
    judged['doc_id'].array[0] = one
    assert Judgments.of(judged).table['doc_id'].tolist() == [str(one)]


def test_judgments_share_no_text_with_the_dataframe_that_they_were_made_from():
    """Otherwise a change in one DataFrame would reach the judgments of another one that had the same content."""
    first, second = (table(note=pd.Series(list('abcde'), dtype=object)) for _ in range(2))
    known = Judgments.of(first)
    first['note'].array[0] = first['doc_id'].array[0] = 'changed'
    assert Judgments.of(second).table['note'].tolist() == list('abcde')
    assert known.table['note'].tolist() == list('abcde') and known.table['doc_id'].tolist() == [
        r[1] for r in ROWS
    ]


def test_columns_of_values_that_can_change_are_not_remembered():
    judged = table(note=pd.Series([[n] for n in range(5)], dtype=object))
    assert Judgments.of(judged) is not Judgments.of(judged)
