"""Several runs are read in one way, whichever function they are given to: forms, errors, laziness."""

import functools
import gc
import itertools
import weakref

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest

from ir_divmeasures import evaluate, measures, read_run, read_runs, with_rareness
from ir_divmeasures.data.forms import SYSTEM_COLUMNS
from ir_divmeasures.data.runs import MOST_SYSTEMS, named, read
from ir_divmeasures.errors import FilesWarning
from ir_divmeasures.evaluation.provider import Evaluator
from ir_divmeasures.pools import Pool, repool
from ir_divmeasures.user_models import weighted_pairs

from .builders import expect_error, over, recorded_warnings, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

QRELS = {
    '1': {'d1': {'a': 1}, 'd2': {'b': 1}, 'd3': {'a': 0}},
    '2': {'d1': {'a': 1}, 'd2': {'b': 0}},
}
A = {'1': {'d1': 3.0, 'd3': 2.0}, '2': {'d2': 2.0, 'd1': 1.0}}
B = {'1': {'d3': 3.0, 'd2': 2.0, 'd1': 1.0}, '2': {'d1': 1.0}}
RUNS = {'A': A, 'B': B}


def frame(run):
    return pd.DataFrame(
        [(q, d, s) for q, docs in run.items() for d, s in docs.items()],
        columns=['qid', 'docno', 'score'],
    )


def stacked(column):
    return pd.concat(
        [frame(run).assign(**{column: name}) for name, run in RUNS.items()], ignore_index=True
    )


def scored_docs(run):
    return [ir_measures.ScoredDoc(q, d, s) for q, docs in run.items() for d, s in docs.items()]


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp('runs')
    (tmp_path / '.hidden').write_text('not a run')
    for name, run in RUNS.items():
        (tmp_path / f'{name}.run').write_text(
            ''.join(f'{q} Q0 {d} 0 {s} tag\n' for q, docs in run.items() for d, s in docs.items())
        )
    return tmp_path


BOTH = {
    'folder': lambda f: f,
    'pattern': lambda f: f'{f}/*.run',
    'paths': lambda f: [f / 'A.run', str(f / 'B.run')],
    'dict of dicts': lambda f: RUNS,
    'dict of generators': lambda f: {n: iter(scored_docs(r)) for n, r in RUNS.items()},
    'dict of mixed': lambda f: {'A': f / 'A.run', 'B': B},
    'generator of pairs': lambda f: (pair for pair in RUNS.items()),
    'read_runs': read_runs,
    'groups': lambda f: stacked('method').groupby('method'),
    **{f'column {column}': lambda f, c=column: stacked(c) for column in SYSTEM_COLUMNS},
    'two columns': lambda f: stacked('system').assign(tag='mine', name='topic'),
}
UNNAMED = {
    'frames': lambda f: [frame(A), frame(B)],
    'values': lambda f: RUNS.values(),
    'generator of dicts': lambda f: (run for run in (A, B)),
}
ALONE = {
    'frame': lambda f: frame(A),
    'dict': lambda f: A,
    'namedtuples': lambda f: scored_docs(A),
    'generator of namedtuples': lambda f: iter(scored_docs(A)),
}
FORMS = {
    name: (form, systems)
    for forms, systems in [
        (BOTH, ['A', 'B']),
        (UNNAMED, ['run 1', 'run 2']),
        (ALONE, ['run']),
        ({'path': lambda f: f / 'A.run'}, ['A']),
    ]
    for name, form in forms.items()
}

FUNCTIONS = {
    'evaluate': lambda runs: evaluate(QRELS, runs, 'P@2 StRecall@2').means(),
    'evaluate, 2 jobs': lambda runs: evaluate(QRELS, runs, 'P@2 StRecall@2', jobs=2).means(),
    'with_rareness': lambda runs: with_rareness(QRELS, runs),
    'Pool': lambda runs: Pool.from_runs(runs).scores(None, QRELS, 'P_Rareness@2').means(),
    'repool': lambda runs: pd.concat(repool(QRELS, runs, [2, 3])),
    'read_runs': lambda runs: pd.concat(
        [run.assign(of=name) for name, run in read_runs(runs)], ignore_index=True
    ),
}


@over(
    'several, first',
    [
        ('system run name tag run_id', 'system'),
        ('run_id tag name run', 'run'),
        ('model tag run_id name', 'tag'),
    ],
)
def test_the_column_that_names_the_system(several, first):
    """Of several the first of ``SYSTEM_COLUMNS``, in whatever order the table has them."""
    table = frame(A)
    for column in several.split():
        table[column] = f'by {column}'
    assert [name for name, _ in read_runs(table)] == [f'by {first}']


# ------------------------------------------------------------------------------------------- one table of several


def namedtuples(table):
    return list(table.itertuples(index=False, name='Retrieved'))


def written(table, path, make):
    data = make(table)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


TABLES = {
    'DataFrame': lambda table, f: table,
    'Arrow': lambda table, f: pa.Table.from_pandas(table),
    'namedtuples': lambda table, f: namedtuples(
        table.rename(columns={'qid': 'query_id', 'docno': 'doc_id'})
    ),
    'csv': lambda table, f: written(table, f / 't.csv', lambda t: t.to_csv(index=False)),
    'tsv': lambda table, f: written(table, f / 't.tsv', lambda t: t.to_csv(sep='\t', index=False)),
    'parquet': lambda table, f: written(table, f / 't.parquet', pd.DataFrame.to_parquet),
    'jsonl': lambda table, f: written(
        table, f / 't.jsonl', lambda t: t.to_json(orient='records', lines=True)
    ),
}
SHARED = stacked('system')
NAMED = SHARED.replace({'system': {'A': '01', 'B': '1'}})
APART = SHARED.assign(docno=SHARED['docno'] + SHARED['system'].where(SHARED['system'] == 'B', ''))
STACKS = {
    'shared documents': SHARED,
    'rows by document': SHARED.sort_values(['docno', 'qid', 'score']),
    'names that look like numbers': NAMED,
    'no document of two systems': APART,
    'one document for each system and query': APART.drop_duplicates(['qid', 'system']),
    'one system': SHARED[SHARED['system'] == 'B'],
    'systems of other queries': SHARED[(SHARED['system'] == 'A') == (SHARED['qid'] == '1')],
}


def split(table, form, folder):
    """The rows of each system that is read from a table in a form."""
    return {
        name: list(run[['query_id', 'doc_id', 'score']].itertuples(index=False, name=None))
        for name, run in read_runs(TABLES[form](table, folder))
    }


@over(
    'form, stack',
    [*((form, 'shared documents') for form in TABLES), *(('tsv', stack) for stack in STACKS)],
)
def test_a_table_is_split_alike_in_every_form(form, stack, tmp_path):
    table = STACKS[stack]
    expected = {
        name: list(run[['qid', 'docno', 'score']].itertuples(index=False, name=None))
        for name, run in table.groupby('system')
    }
    assert split(table.rename(columns={'system': 'tag'}), form, tmp_path) == expected


OTHERS = [
    (['x', 'y', 'x', 'y'], frame(B)),
    ([''] * 4, frame(B)),
    (list('xxyx'), frame(B).assign(qid='1', docno=list('abcd'))),
]


@over(
    'column, form, other',
    itertools.product(SYSTEM_COLUMNS, ['DataFrame', 'csv', 'jsonl'], OTHERS),
    every=4,
)
def test_a_column_that_names_no_systems(column, form, other, tmp_path):
    """It changes within a ranking, as titles and kinds of documents do, or is empty."""
    values, table = other
    (rows,) = split(table.assign(**{column: values}), form, tmp_path).values()
    assert len(rows) == len(table)


def test_more_than_a_thousand_values_are_no_systems():
    """They would be systems of one document each, of a query of which a document is in the table twice."""
    for n in (MOST_SYSTEMS, MOST_SYSTEMS + 1):
        table = pd.DataFrame({'qid': '1', 'docno': 'd1', 'score': 1.0, 'name': range(n)})
        assert named(table)[1] == (n if n == MOST_SYSTEMS else 1)


def test_the_next_column_names_the_systems():
    """A tag that leaves a document twice in a ranking does not."""
    table = SHARED.rename(columns={'system': 'model'}).assign(tag='x', run=[1, 2] * 4)
    table.loc[table['model'] == 'B', 'tag'] = ['x', 'y', 'x', 'y']
    assert [name for name, _ in read_runs(table)] == ['A', 'B']


def test_one_run_is_expected(tmp_path):
    path = TABLES['csv'](SHARED, tmp_path)
    refused(r't.csv: has runs of 2 systems \(A, B\); read_runs reads them', read_run, path)
    TABLES['tsv'](SHARED, tmp_path)
    with expect_error("two systems are named 'A': .* pass a dict {system: run}"):
        evaluate(QRELS, tmp_path, 'P@2')


KINDS = ['folder', 'dict of generators', 'generator of pairs', 'column tag', 'namedtuples']


@pytest.mark.usefixtures('workers')
@over(
    'function, form',
    [
        *(('read_runs', form) for form in FORMS),
        # Each function takes two or three of five forms, and each form goes to three functions.
        *[*itertools.product(FUNCTIONS, KINDS)][::2],
    ],
)
def test_every_function_takes_every_kind_of_form(function, form, folder):
    """All read runs as ``read_runs`` does."""
    make, systems = FORMS[form]
    wanted = of_dicts(function.removesuffix(', 2 jobs'), *systems)
    pd.testing.assert_frame_equal(FUNCTIONS[function](make(folder)), wanted)


@functools.cache
def of_dicts(function, *systems):
    return FUNCTIONS[function](dict(zip(systems, [A, B])))


@pytest.mark.usefixtures('workers')
def test_a_worker_that_is_kept_finds_a_relative_path(folder, monkeypatch):
    """joblib keeps workers, which are in the folder in which they were started."""
    FUNCTIONS['evaluate, 2 jobs']({'A': A, 'B': B})
    monkeypatch.chdir(folder)
    pd.testing.assert_frame_equal(
        FUNCTIONS['evaluate, 2 jobs'](['A.run', 'B.run']), FUNCTIONS['evaluate']({'A': A, 'B': B})
    )


def test_one_run_or_several_in_a_dict():
    assert [name for name, _ in named(A)[0]] == ['run']
    assert [name for name, _ in named({'1': {}, **A})[0]] == ['run']
    assert [name for name, _ in named({'A': {}, 'B': B})[0]] == ['A', 'B']
    assert [name for name, _ in named({1: A})[0]] == ['1']


# ------------------------------------------------------------------------------------------------------ errors


@over('function', ['read_runs', 'evaluate'])
@over(
    'runs, found',
    [
        (3, 'found int'),
        (None, 'found NoneType'),
        ([('A', A), A.keys()], 'found dict_keys at place 2'),
        (iter([('A', A), None]), 'found NoneType at place 2'),
    ],
)
def test_what_is_not_runs(function, runs, found):
    runs = iter([('A', A), None]) if hasattr(runs, '__next__') else runs
    with expect_error(rf'^runs: expected a folder, .*{{system: run}}.*; {found}$', TypeError):
        FUNCTIONS[function](runs)


@over('function', ['read_runs', 'evaluate'])
@over(
    'make, said',
    [
        (
            lambda f: [f / 'A.run', f / 'sub' / 'A.run.gz'],
            "two systems are named 'A': .*A.run and .*sub.A.run.gz",
        ),
        (lambda f: {1: A, '1': A}, r"two systems are named '1': run 1 \(dict\) and run 2 \(dict\)"),
        (lambda f: stacked('tag').replace({'B': None}), 'runs: row 4 has no tag'),
        (lambda f: [('A', A), ('B', 7)], "system 'B': run: expected a DataFrame, .* found int"),
        (
            lambda f: {'1': {'d1': 'high'}},
            "system 'run': run: query '1', document 'd1': score is 'high'",
        ),
    ],
)
def test_wrong_runs(function, make, said, folder):
    refused(said, FUNCTIONS[function], make(folder), error=(TypeError, ValueError))


@over('function', FUNCTIONS.keys() - {'evaluate, 2 jobs'})
@over('make', [lambda f: f / 'nowhere', lambda f: f'{f}/*.gz', lambda f: [f / 'nowhere']])
def test_files_that_are_not_there(function, make, folder):
    refused('nowhere|gz', FUNCTIONS[function], make(folder), error=FileNotFoundError)


@over('function', ['evaluate', 'with_rareness', 'Pool', 'repool'])
@over('make', [dict, list, lambda: iter([])])
def test_no_runs(function, make):
    refused('no runs', FUNCTIONS[function], make())


EMPTY = {
    'read_runs': lambda path: list(read_runs(path)),
    'evaluate': lambda path: evaluate(QRELS, {'A': A, 'empty': path}, 'P@2'),
    'evaluate, 2 jobs': lambda path: evaluate(QRELS, {'A': A, 'empty': path}, 'P@2', jobs=2),
    'evaluator': lambda path: ir_measures.evaluator(measures('StRecall@2'), QRELS).calc_aggregate(
        path
    ),
    'repool': lambda path: repool(QRELS, {'A': A, 'empty': path}, [2]),
}


@pytest.mark.usefixtures('workers')
@over('call', EMPTY.values())
def test_warning_of_an_empty_file(call, tmp_path):
    (tmp_path / 'empty.run').write_text('')
    with recorded_warnings() as caught:
        call(tmp_path / 'empty.run')
    ours = [w for w in caught if 'empty.run: a run without documents' in str(w.message)]
    assert [w.category for w in ours] == [FilesWarning]


# -------------------------------------------------------------------------------------------- duplicate documents
# An error in a worker ends all workers: tests that need some stand above.

LINES = '# a comment\n\n1 Q0 d1 1 2.5 tag\n9 Q0 x 1 2.5 tag\n'
TWICE = {
    'judged': (
        LINES + '1 Q0 d1 4 0.1 t\n',
        "dup.run, line 5: duplicate document 'd1' in query '1'",
    ),
    'not judged': (
        LINES + '\n9 Q0 x 4 0.1 t\n',
        "dup.run, line 6: duplicate document 'x' in query '9'",
    ),
}


def evaluator(asked, run):
    return Evaluator(measures(asked), QRELS).calc_aggregate(run)


READERS = {
    'read_run': read_run,
    'ours': functools.partial(evaluator, 'alpha_nDCG@5'),
    "ir_measures' own": functools.partial(evaluator, 'P@5'),
    'both': functools.partial(evaluator, 'P@5 StRecall@5'),
    'weighted_pairs': lambda run: weighted_pairs(
        run, pd.DataFrame({'query': ['1'], 'preferred': 'd1', 'other': 'd2'})
    ),
    **FUNCTIONS,
}


@pytest.mark.usefixtures('workers')
@over(
    'reader, text, said',
    [
        *(('read_run', *case) for case in TWICE.values()),
        *((reader, *TWICE['judged']) for reader in READERS),
    ],
)
def test_duplicate_document_in_a_file_names_the_line(reader, text, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'dup.run').write_text(text)
    with expect_error(said) as caught:
        READERS[reader]('dup.run')
    assert ("system 'dup'" in str(caught.value)) == (reader in FUNCTIONS)


# ------------------------------------------------------------------------------------------------ laziness, warnings


def test_a_generator_is_asked_for_one_run_at_a_time():
    asked = []

    def runs():
        for name, run in RUNS.items():
            asked.append(name)
            yield name, run

    read = read_runs(runs())
    assert asked == []
    for name, _ in read:
        assert asked[-1] == name


def test_a_file_name_that_is_no_utf8_gives_a_name_that_can_be_written():
    names = [name for name, _ in named(['x/caf\udce9.run', 'x/caf\udce8.run', 'x/café.run.gz'])[0]]
    assert names == ['caf\\xe9', 'caf\\xe8', 'café'] and ''.join(names).encode()


def test_the_parts_of_a_table_are_no_systems(tmp_path):
    """evaluate reads such a folder as one table; what takes files would score each part as a system."""
    stacked('system').to_parquet(tmp_path / 'part-0.parquet')
    assert evaluate(QRELS, tmp_path, 'P@2').systems == ('A', 'B')
    with expect_error('the parts of one table, .* expected a file for each run'):
        with_rareness(QRELS, tmp_path)
    assert [name for name, _ in named(f'{tmp_path}/*.parquet')[0]] == ['A', 'B']


@over('n', [1, 2])
def test_runs_that_were_scored_leave_memory_at_once(n):
    """A run that holds itself stays in memory until Python looks for circles: 340 MiB on 10^6 queries."""
    evaluator = Evaluator(
        measures('alpha_nDCG@5 nDCG@5 IA(nDCG@5)'), {'q': {'d': {'1': 1}, 'e': {'2': 1}}}
    )
    gc.disable()
    try:
        scored = [evaluator.score(read({'q': {'d': 1.0, 'e': 0.5}})) for _ in range(n)]
        located = [weakref.ref(overlay) for overlay, _ in scored]
        del scored
        assert [each() for each in located] == [None] * n
    finally:
        gc.enable()
