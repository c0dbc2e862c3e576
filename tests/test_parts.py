"""Parts of judgments and runs: scored alone, on Dask, Spark and parquet folders, they give what one call gives."""

import functools
import os
import shutil
import sys

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from ir_divmeasures import DivMeasuresWarning, evaluate, measures, with_rareness
from ir_divmeasures.core.registry import catalogue
from ir_divmeasures.evaluation.parts import each_part, gather, score_part, totals
from ir_divmeasures.io import columns

from .builders import (
    expect_error,
    over,
    quietly,
    random_query,
    recorded_warnings,
    refused,
    run_of,
    table_of,
)
from .fresh import BARE, printed

MEASURES = [
    str(m)
    for m in measures(
        'alpha_nDCG@10 ERR_IA@10 StRecall@5 NRBP RBU@20 P_Rareness@5 CT@5 nDCG@10 AP ERR@10 '
        "IA(M='P@5') Bpref"
    )
]
N = 40
EXACT = 1e-12


@functools.cache
def collection():
    """Judgments and the runs of two systems; B lacks queries, q3 is in no run, 'unjudged' has no judgments."""
    rng = np.random.default_rng(17)
    qrels = {str(i): random_query(rng, weighted=True, facts=True) for i in range(N)}
    table = table_of(qrels)
    runs = []
    for system in 'AB':
        run = run_of({q: random_query(rng, facts=True) for q in [*qrels, 'unjudged']})
        runs.append(run.assign(system=system))
    runs = pd.concat(runs, ignore_index=True)
    left_out = (runs['query_id'] == '3') | (runs['system'] == 'B') & runs['query_id'].isin(
        ['5', '6']
    )
    return table, runs[~left_out].sample(frac=1, random_state=0).reset_index(drop=True)


@functools.cache
def wanted():
    """The scores of one call in memory, systems and queries in the order of their ids."""
    table, runs = collection()
    with quietly():
        scores = evaluate(runs, table, MEASURES)
    return scores.select(systems=sorted(scores.systems), queries=sorted(scores.queries))


def check(found):
    assert (found.systems, found.queries, found.measures) == (
        wanted().systems,
        wanted().queries,
        wanted().measures,
    )
    np.testing.assert_array_equal(found.values, wanted().values)


def check_totals(found):
    means, std = (
        found.pivot(index='system', columns='measure', values=v)[MEASURES] for v in ('mean', 'std')
    )
    pd.testing.assert_frame_equal(
        means, wanted().means(), rtol=0, atol=EXACT, check_index_type=False, check_column_type=False
    )
    np.testing.assert_allclose(std, wanted().values.std(axis=1, ddof=1), rtol=0, atol=EXACT)
    table, runs = collection()
    judged = runs[runs['query_id'].isin(table['query_id'])].groupby('system')['query_id'].nunique()
    assert found.drop_duplicates('system')['count'].tolist() == judged.tolist()
    assert (found['n_queries'] == N).all()


def parts(table, n):
    return [
        table[pd.util.hash_array(table['query_id'].to_numpy(dtype=object)) % n == i]
        for i in range(n)
    ]


@pytest.fixture
def quiet():
    with quietly():
        yield


# ------------------------------------------------------------------------------------------------------ one part


def test_scores_of_parts_are_the_scores_by_every_measure(quiet):
    """One of the parts has no query."""
    table, runs = collection()
    parts_without = [each[each['query_id'] == 'none'] for each in (runs, table)]
    every = [str(m @ 10 if 'cutoff' in m.SUPPORTED_PARAMS else m) for m in catalogue()]
    whole = evaluate(runs, table, every)
    values, _, systems, queries = gather(
        score_part(*pair, every) for pair in (parts_without, *zip(parts(runs, 5), parts(table, 5)))
    )
    np.testing.assert_array_equal(values, whole.select(systems=systems, queries=queries).values)


def test_a_part_as_arrow_has_the_rows_that_there_are():
    runs = pa.table(
        {
            'qid': ['1', '1', '7'],
            'docno': ['a', 'b', 'a'],
            'score': [2.0, 1.0, 1.0],
            'name': list('sss'),
        }
    )
    qrels = pa.table({'query_id': [1, 1, 2], 'doc_id': ['a', 'c', 'a'], 'relevance': [1, 1, 1]})
    wanted = pd.DataFrame(
        [('1', 's', 0.5, 1.0), ('2', np.nan, np.nan, np.nan)],
        columns=['query_id', 'system', 'P@2', 'RR'],
    )
    pd.testing.assert_frame_equal(score_part(runs, qrels, 'P@2 RR'), wanted)


@over('side', ['runs', 'judgments', 'both'])
def test_an_empty_part(side):
    table, runs = collection()
    found = score_part(
        runs[:0] if side != 'judgments' else runs, table[:0] if side != 'runs' else table, MEASURES
    )
    assert found['system'].isna().all()
    assert len(found) == found.attrs['n_queries'] == (N if side == 'runs' else 0)
    assert sorted(found.attrs['systems']) == (['A', 'B'] if side == 'judgments' else [])


def test_a_query_in_two_parts_is_an_error():
    part = score_part({'q': {'d': 1.0}}, {'q': {'d': 1}}, 'P@1')
    refused("query 'q' is in two parts", gather, [part, part])


def test_a_part_without_the_official_layer_is_an_error():
    qrels = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d'], 'relevance': [1], 'layer': [1]})
    refused('no row of layer 0 in this part', score_part, {'q': {'d': 1.0}}, qrels, 'StRecall@1')


# ------------------------------------------------------------------------------------------------ parquet folders

ROWS = 200
"""So few rows a part that there are several."""


def folder_of(path, frame, by=None):
    """Files of 300 rows, in folders ``by=value`` if asked for."""
    for value, rows in frame.groupby(by) if by else [(None, frame)]:
        folder = path / f'{by}={value}' if by else path
        folder.mkdir(parents=True)
        for i in range(0, max(len(rows), 1), 300):
            rows[i : i + 300].drop(columns=[by] if by else []).to_parquet(
                folder / f'part-{i}.parquet', index=False
            )
    return path


@pytest.mark.parametrize('jobs', [1, 2], ids='{} jobs'.format)
def test_parquet_folders_in_parts(tmp_path, quiet, jobs):
    table, runs = collection()
    assert len(runs) > 3 * ROWS and len(list(folder_of(tmp_path / 'runs', runs).iterdir())) > 2
    check(
        evaluate(
            tmp_path / 'runs',
            folder_of(tmp_path / 'qrels', table),
            MEASURES,
            jobs=jobs,
            rows_per_part=ROWS,
        )
    )


@pytest.mark.parametrize(
    'form',
    [
        'folders by system',
        'one file',
        'dataset',
        'judgments in memory',
        'numbers as ids',
        'one part',
    ],
)
def test_parquet_in_other_forms(tmp_path, quiet, form):
    table, runs = collection()
    qrels = table if form == 'judgments in memory' else folder_of(tmp_path / 'qrels', table)
    path = tmp_path / 'runs'
    if form == 'one file':
        path = tmp_path / 'runs.parquet'
        runs.to_parquet(path)
    elif form == 'numbers as ids':
        folder_of(path, runs[runs['query_id'] != 'unjudged'].astype({'query_id': int}))
    else:
        folder_of(path, runs, 'system' if form == 'folders by system' else None)
    rows = 10**9 if form == 'one part' else ROWS
    check(
        evaluate(
            ds.dataset(path) if form in ('dataset', 'one file') else path,
            qrels,
            MEASURES,
            rows_per_part=rows,
        )
    )
    if form in ('one file', 'one part'):
        check_totals(totals(path, qrels, MEASURES, rows_per_part=rows))


def test_totals_by_hand(tmp_path):
    """P@1 of q1 is 1, of q2 0, and q3 is not retrieved: mean 1/3, variance (2 · 1/9 + 4/9)/2 = 1/3."""
    run = pd.DataFrame({'query_id': ['q1', 'q2'], 'doc_id': ['d', 'e'], 'score': [1.0, 1.0]})
    found = totals(
        folder_of(tmp_path / 'run', run),
        {q: {'d': 1} for q in ('q1', 'q2', 'q3')},
        'P@1',
        rows_per_part=1,
    )
    (row,) = found.to_dict('records')
    assert row.pop('std') == pytest.approx((1 / 3) ** 0.5, abs=1e-15)
    assert row == {'system': 'run', 'measure': 'P@1', 'n_queries': 3, 'count': 2, 'mean': 1 / 3}


def test_rows_of_a_query_keep_their_order(tmp_path, quiet):
    """Ties are broken by the places of rows."""
    table, runs = collection()
    runs = runs.assign(score=1.0)
    memory = evaluate(runs, table, 'RR P@5', ties='rows')
    found = evaluate(
        folder_of(tmp_path / 'r', runs), table, 'RR P@5', ties='rows', rows_per_part=ROWS
    )
    memory = memory.select(systems=found.systems, queries=found.queries)
    np.testing.assert_array_equal(found.values, memory.values)


def counted(runs, qrels):
    return with_rareness(qrels, runs).drop(columns='pool_ranks') if len(runs) else qrels[:0]


def test_columns_of_a_pool_part_by_part(tmp_path):
    """``each_part`` applies a function to parts."""
    table, runs = collection()
    table = table.drop(columns=list(columns.POOL), errors='ignore')
    runs = runs[runs['query_id'].isin(table['query_id'])]
    table = table[table['query_id'].isin(runs['query_id'])]
    each = each_part(folder_of(tmp_path / 'runs', runs), table, counted, rows_per_part=ROWS)
    found = pd.concat(
        part.to_pandas() if isinstance(part, pa.Table) else part for part in each
    ).assign(n_systems=2)
    keys = ['query_id', 'doc_id', 'subtopic_id', 'layer']
    whole = with_rareness(table, runs).drop(columns='pool_ranks')
    pd.testing.assert_frame_equal(
        *(each.sort_values(keys).reset_index(drop=True) for each in (found, whole)),
        check_dtype=False,
    )


def test_judgments_in_parquet_for_runs_in_memory(tmp_path, quiet):
    table, runs = collection()
    found = evaluate(runs, folder_of(tmp_path / 'qrels', table), MEASURES)
    check(found.select(systems=sorted(found.systems), queries=sorted(found.queries)))


def test_one_warning_says_what_parts_found(tmp_path):
    table, runs = collection()
    twice = pd.concat([table, table[:100]], ignore_index=True)
    folder_of(tmp_path / 'runs', runs)
    with pytest.warns(DivMeasuresWarning) as told:
        evaluate(
            tmp_path / 'runs',
            ds.dataset(pa.Table.from_pandas(twice)),
            'StRecall@5',
            rows_per_part=ROWS,
        )
    assert [
        ('repeat another row' in str(w.message), 'are in no run' in str(w.message)) for w in told
    ] == [(True, False), (False, True)]
    assert all(w.filename == __file__ for w in told)


@pytest.mark.parametrize(
    'case, said',
    [
        ('no query column', "runs: no column 'query_id' .found question, doc_id, score, system"),
        ('no runs', 'no runs, or none with a judged query'),
        ('no judgments', 'the judgments are empty'),
        ('a run in memory', 'runs are in memory, judgments in memory: expected runs of an engine'),
        ('a duplicate document', "system 'A': run: query '.*': duplicate document"),
    ],
)
def test_errors(tmp_path, case, said):
    table, runs = collection()
    if case == 'a run in memory':
        refused(said, totals, runs, table, 'P@5', error=TypeError)
        return
    frame = {
        'no query column': runs.rename(columns={'query_id': 'question'}),
        'no runs': runs[runs['query_id'] == 'unjudged'],
        'a duplicate document': pd.concat([runs[runs['system'] == 'A']] * 2),
    }.get(case, runs)
    folder_of(tmp_path / 'runs', frame)
    with expect_error(said):
        evaluate(
            tmp_path / 'runs',
            table[:0] if case == 'no judgments' else table,
            'P@5',
            rows_per_part=ROWS,
        )


def test_engines_are_imported_when_used(tmp_path):
    (tmp_path / 'runs').mkdir()
    runs = pd.DataFrame({'query_id': ['1'], 'doc_id': ['a'], 'score': [1.0]})
    runs.to_parquet(tmp_path / 'runs' / 'part-0.parquet')
    found = printed(
        f"""
import sys
import ir_divmeasures
print({{'dask', 'pyspark', 'distributed', 'pyarrow.dataset'}} & set(sys.modules))
ir_divmeasures.evaluate({str(tmp_path / 'runs')!r}, {{'1': {{'a': 1}}}}, 'P@1')
print({{'dask', 'pyspark', 'distributed'}} & set(sys.modules))""",
        BARE,
    )
    assert found == 'set()\nset()'


# ---------------------------------------------------------------------------------------------------------- Dask


@pytest.fixture(scope='module')
def client():
    distributed = pytest.importorskip('distributed')
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=':0'
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.parametrize('judgments', ['Dask', 'in memory'])
def test_dask(client, quiet, judgments):
    dd = pytest.importorskip('dask.dataframe')
    table, runs = collection()
    qrels = dd.from_pandas(table, npartitions=3) if judgments == 'Dask' else table
    check(evaluate(dd.from_pandas(runs, npartitions=5), qrels, MEASURES))
    check_totals(totals(dd.from_pandas(runs, npartitions=2), qrels, MEASURES))


@pytest.mark.slow
@pytest.mark.filterwarnings(
    'ignore:.apply_async. is deprecated:DeprecationWarning'
)  # joblib's, of its own backend
def test_joblib_on_dask(client, quiet):
    table, runs = collection()
    with joblib.parallel_config(backend='dask'):
        found = evaluate(runs, table, MEASURES, jobs=-1)
    check(found.select(systems=sorted(found.systems), queries=sorted(found.queries)))


def test_runs_and_judgments_of_different_engines_are_an_error(tmp_path):
    dd = pytest.importorskip('dask.dataframe')
    table, runs = collection()
    with expect_error('runs are a Dask DataFrame, judgments parquet files', TypeError):
        evaluate(dd.from_pandas(runs, npartitions=2), folder_of(tmp_path / 'qrels', table), 'P@5')


# --------------------------------------------------------------------------------------------------------- Spark


@pytest.fixture(scope='module')
def spark():
    sql = pytest.importorskip('pyspark.sql')
    if shutil.which('java') is None:
        pytest.skip('no Java')
    with quietly(Warning):
        os.environ.setdefault('PYSPARK_PYTHON', sys.executable)  # workers run in this interpreter
        session = (
            sql.SparkSession.builder.master('local[2]')
            .config('spark.ui.enabled', False)
            .config('spark.sql.shuffle.partitions', 3)
            .config('spark.driver.host', '127.0.0.1')
            .getOrCreate()
        )
        session.sparkContext.setLogLevel('ERROR')
        yield session
        session.stop()


OF_SPARK = pytest.mark.filterwarnings(
    'ignore:PySpark does not yet fully support pandas:FutureWarning',
    'ignore:distutils Version:DeprecationWarning',
    'ignore:is_.*is deprecated:DeprecationWarning',
    'ignore:.*unclosed.*socket:ResourceWarning',
    'ignore:.*socket.socket:pytest.PytestUnraisableExceptionWarning',
)
"""What Spark itself warns of: new pandas, its use of distutils, sockets that it leaves open."""


@OF_SPARK
@pytest.mark.parametrize('judgments', ['Spark', 'in memory'])
def test_spark(spark, quiet, judgments):
    table, runs = collection()
    qrels = spark.createDataFrame(table) if judgments == 'Spark' else table
    check(evaluate(spark.createDataFrame(runs), qrels, MEASURES))


@OF_SPARK
def test_spark_totals(spark, quiet):
    table, runs = collection()
    check_totals(totals(spark.createDataFrame(runs), table, MEASURES))


# ------------------------------------------------------------------------------------------------ jobs of one machine


@pytest.mark.parametrize('rows, in_totals', [(ROWS, False), (10**6, True)])
def test_systems_without_a_judged_query_are_named_in_one_warning(tmp_path, rows, in_totals):
    """In parts with judgments and in parts without; the scores of the others stay."""
    table, runs = collection()
    other = runs[runs['system'] == 'A'].assign(
        system='Z', query_id=lambda run: 'x' + run['query_id']
    )
    path = folder_of(tmp_path / 'runs', pd.concat([runs, other], ignore_index=True))
    with recorded_warnings() as caught:
        found = (totals if in_totals else evaluate)(path, table, 'P@5', rows_per_part=rows)
    about = [str(w.message) for w in caught if 'no scores' in str(w.message)]
    assert about == [
        "1 of 3 systems have no scores, because no query of their runs has judgments: 'Z'"
    ]
    assert list(dict.fromkeys(found['system'] if in_totals else found.systems)) == ['A', 'B']
