"""Judgments are checked and coded once for a DataFrame, as long as it is unchanged; columns and forms are declared."""

import contextlib
import functools
import gc
import itertools
import os
import subprocess
import sys
import weakref

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pyterrier as pt
import pytest

from ir_divmeasures import (
    measures,
    read_qrels,
)
from ir_divmeasures.core.registry import catalogue
from ir_divmeasures.data import columns
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


def test_what_read_qrels_returns_is_not_checked_again(coded):
    judged = read_qrels({'1': {'d1': {'a': 1, 'b': 1}}})
    for _ in range(3):
        ir_measures.calc_aggregate(measures('StRecall@1'), judged, RUN)
    assert len(coded) == 1


def test_many_judgments_leave_only_a_few_behind():
    frames = [table(relevance=[n, 0, 1, 1, 1]) for n in range(1, 30)]
    held = [weakref.ref(Judgments.of(frame)) for frame in frames]
    gc.collect()
    assert sum(each() is not None for each in held) == module.MOST
    assert all(
        Judgments.of(frame).table['relevance'].iloc[0] == n for n, frame in enumerate(frames, 1)
    )


def test_the_table_of_judgments_shares_no_numbers_with_the_source():
    judged = table(weight=[0.5, 0.5, 0.5, 0.5, 0.5], year=2014)
    made = Judgments.of(judged).table
    for name in ('relevance', 'weight', 'year'):
        assert not np.shares_memory(made[name].to_numpy(), judged[name].to_numpy()), name


def test_nothing_is_written_into_attrs():
    judged = table()
    judged.attrs['mine'] = 1
    ir_measures.calc_aggregate(measures('StRecall@1'), judged, RUN)
    assert judged.attrs == {'mine': 1} and not read_qrels({'1': {'d1': 1}}).attrs


# ------------------------------------------------------------------------------------------------ changes in place

TEXTS = {
    'object': object,
    'string-python': pd.StringDtype('python'),
    'string-pyarrow': pd.StringDtype('pyarrow'),
    'category': pd.CategoricalDtype(['d1', 'd2', 'd9']),
    'arrow': pd.ArrowDtype(pa.string()),
    'default': pd.Series(['d1']).dtype,
}
GRADES = {
    'int': int,
    'int8': np.int8,
    'float': float,
    'float32': np.float32,
    'object': object,
    'masked-int': pd.Int64Dtype(),
    'masked-float': pd.Float64Dtype(),
    'category': pd.CategoricalDtype([0, 1]),
    'arrow-int': pd.ArrowDtype(pa.int64()),
    'arrow-float': pd.ArrowDtype(pa.float64()),
}


def written(array, value):
    """Write into the first place of an array. A user can often make a read-only array writable, and so does this."""
    with contextlib.suppress(ValueError):
        if isinstance(array, np.ndarray):
            array.flags.writeable = True
        array[0] = value


REMEMBERED = {
    'object',
    'string-python',
    'string-pyarrow',
    'default',
    'int',
    'int8',
    'float',
    'float32',
}
NOT_TEXTS = {('relevance', 'object')}
"""Columns of anything but numbers and texts, whose changes could be missed, are not remembered."""

WAYS = {
    'loc': lambda table, name, value: table.loc.__setitem__((0, name), value),
    'iloc': lambda table, name, value: table.iloc.__setitem__(
        (0, table.columns.get_loc(name)), value
    ),
    'at': lambda table, name, value: table.at.__setitem__((0, name), value),
    'values': lambda table, name, value: written(table[name].values, value),
    'to_numpy': lambda table, name, value: written(table[name].to_numpy(), value),
    'array': lambda table, name, value: written(table[name].array, value),
    'column': lambda table, name, value: table.__setitem__(name, [value, *table[name][1:]]),
}
REACHES = {
    ('object', 'array'),
    ('object', 'values'),
    ('object', 'to_numpy'),
    ('int', 'values'),
    ('float', 'to_numpy'),
}
"""Some of the dtypes and ways of writing for which the array is known to be that of the DataFrame."""


def recall_of_two_subtopics(judged):
    """StRecall@1 of a query with two subtopics: .5 where d1, at rank 1, covers one, 0 where nothing at rank 1 does."""
    return float(
        ir_measures.calc_aggregate(measures('StRecall@1'), judged, {'1': {'d1': 2.0, 'd7': 1.0}})[
            measures('StRecall@1')[0]
        ]
    )


def two_subtopics(doc_id=object, relevance=int):
    """d1 is relevant to subtopic a, d2 to b; the year is there so that every DataFrame has a column of numbers."""
    return pd.DataFrame(
        {
            'query_id': ['1', '1', '1'],
            'doc_id': pd.Series(['d1', 'd2', 'd2'], dtype=doc_id),
            'relevance': pd.Series([1, 0, 1], dtype=relevance),
            'subtopic_id': ['a', 'a', 'b'],
            'year': np.array([2014, 2014, 2014]),
        }
    )


@over(
    'way, column, dtype',
    [
        *itertools.product(WAYS, ['doc_id'], TEXTS),
        *itertools.product(WAYS, ['relevance'], GRADES),
    ],
    every=3,
)
def test_no_change_in_place_is_missed(column, dtype, way):
    value = 'd9' if column == 'doc_id' else 0
    if dtype not in REMEMBERED and way != 'values':
        return  # nothing is kept that could be wrong
    judged = two_subtopics(**{column: (TEXTS if column == 'doc_id' else GRADES)[dtype]})
    assert recall_of_two_subtopics(judged) == 0.5
    if dtype in REMEMBERED and (column, dtype) not in NOT_TEXTS:
        assert Judgments.of(judged) is Judgments.of(judged)
    WAYS[way](judged, column, value)
    changed = judged[column].iloc[0] == value  # not where pandas hands out a copy
    assert changed or way not in ('loc', 'iloc', 'at', 'column') and (dtype, way) not in REACHES
    # d9 is not in the run, and subtopic a has no relevant document where the grade is 0: then b is the only one.
    assert recall_of_two_subtopics(judged) == (0.0 if changed else 0.5)


def with_column_of(own, column):
    """The judgments of :func:`two_subtopics` with a column that shares the memory of an array."""
    columns = {**two_subtopics(), column: pd.Series(own, dtype=own.dtype, copy=False)}
    return pd.DataFrame(columns, copy=False)


@over(
    'column, before, after',
    [
        ('doc_id', np.array(['d1', 'd2', 'd2'], dtype=object), 'd9'),
        ('relevance', np.array([1, 0, 1], dtype=object), 0),
        ('relevance', np.array([1, 0, 1]), 0),
        ('relevance', np.array([1.0, 0.0, 1.0]), 0.0),
        ('relevance', np.array([1, 0, 1], dtype=np.int8), 0),
    ],
)
def test_a_change_in_the_array_of_the_user_is_not_missed(column, before, after):
    """The DataFrame shares the array with the user, who never touches the DataFrame again."""
    own = before.copy()
    judged = with_column_of(own, column)
    assert np.shares_memory(judged[column].to_numpy(), own)
    assert recall_of_two_subtopics(judged) == 0.5
    own[0] = after
    assert recall_of_two_subtopics(judged) == 0.0
    own[0] = before[0]
    assert recall_of_two_subtopics(judged) == 0.5


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


def test_missing_values_are_equal_values():
    judged = table(x=[0.0, 1.0, np.nan, 2.0, 3.0])
    known = Judgments.of(judged)
    assert Judgments.of(judged) is known and Judgments.of(judged.copy()) is known


# ------------------------------------------------------------------------------------------------- declarations


def test_every_column_that_a_measure_needs_is_declared():
    assert {name for made in catalogue() for name in made.needed_columns} <= set(columns.COLUMNS)


@over('name', columns.COLUMNS)
def test_a_declared_column_says_what_it_is_and_who_adds_it(name):
    import ir_divmeasures

    column = columns.COLUMNS[name]
    assert column.of in ('aspect', 'document', 'key') and (column.expected or column.admits is None)
    functions = [word.strip('(),') for word in column.added_by.split() if word != '(or']
    assert functions
    for function in functions:
        assert callable(functools.reduce(getattr, function.split('.'), ir_divmeasures))


FORK = """
import os, sys, threading
import pandas as pd
import ir_divmeasures
qrels = {str(q): {f'd{i}': {'1': i % 2, '2': i % 3} for i in range(20)} for q in range(20)}
run = {str(q): {f'd{i}': float(i) for i in range(20)} for q in range(20)}
ir_divmeasures.evaluate(qrels, run, 'RBU@20 alpha_nDCG@20 AP')
done = threading.Event()
def score():
    while not done.is_set():
        ir_divmeasures.evaluate(qrels, run, 'RBU@20 alpha_nDCG@20 AP', ties='doc_id')
thread = threading.Thread(target=score)
thread.start()
children = []
for _ in range(12):
    child = os.fork()
    if not child:
        ir_divmeasures.evaluate(qrels, run, 'RBU@20 alpha_nDCG@20 AP', ties='doc_id')
        os._exit(0)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children].count(0))
done.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='POSIX only')
def test_children_that_are_forked_while_a_thread_evaluates_can_evaluate():
    """No lock is held by a thread that the child does not have (functools.cached_property has one up to Python 3.11)."""
    ran = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', FORK], capture_output=True, text=True, timeout=120
    )
    assert ran.stdout == '12\n', ran.stderr
