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

from ir_divmeasures import DivMeasuresWarning, evaluate, measures
from ir_divmeasures.core.registry import catalogue
from ir_divmeasures.evaluation.parts import join, score_part

from .builders import (
    QUICK,
    expect_error,
    over,
    quietly,
    random_query,
    recorded_warnings,
    refused,
    run_of,
    table_of,
)

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

MEASURES = [
    str(m)
    for m in measures(
        'alpha_nDCG@10 ERR_IA@10 StRecall@5 NRBP RBU@20 P_Rareness@5 CT@5 nDCG@10 AP ERR@10 '
        "IA(M='P@5') Bpref"
    )
]
N = 14


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
        scores = evaluate(table, runs, MEASURES)
    return scores.select(systems=sorted(scores.systems), queries=sorted(scores.queries))


def check(found):
    assert (found.systems, found.queries, found.measures) == (
        wanted().systems,
        wanted().queries,
        wanted().measures,
    )
    np.testing.assert_array_equal(found.values, wanted().values)


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
    whole = evaluate(table, runs, every)
    pairs = (parts_without, *zip(parts(runs, 2), parts(table, 2)))
    queries, systems = join([score_part(every, None, *pair) for pair in pairs], len(every))
    names = [system.name for system in systems]
    np.testing.assert_array_equal(
        [system.values for system in systems], whole.select(systems=names, queries=queries).values
    )


@pytest.mark.usefixtures('workers')
@pytest.mark.parametrize('engine', ['memory', 'parquet'])
def test_a_warning_about_a_system_is_said_once_and_names_it(tmp_path, engine):
    """In one part and several, and in two processes: all scores of system A are equal, those of B are not."""
    table, runs = collection()
    runs = runs.sort_values(['system', 'query_id', 'doc_id'])
    places = -runs.groupby(['system', 'query_id']).cumcount()
    runs['score'] = places.where(runs['system'] == 'B', 1).astype(float)
    if engine == 'parquet':
        runs = folder_of(tmp_path / 'runs', runs)
    with recorded_warnings() as caught:
        evaluate(table, runs, 'RR P@5', jobs=2, rows_per_part=ROWS)
    about_systems = [str(w.message) for w in caught if 'scores are equal' in str(w.message)]
    assert len(about_systems) == 1 and about_systems[0].startswith("system 'A': ")


@over('side', ['runs', 'judgments', 'both'])
def test_an_empty_part(side):
    table, runs = collection()
    runs, table = runs[: -1 if side == 'judgments' else 0], table[: -1 if side == 'runs' else 0]
    found = score_part(MEASURES, None, runs, table)
    assert len(found.queries) == (N if side == 'runs' else 0)
    systems = [each.name for each in found.systems]
    assert sorted(systems) == (['A', 'B'] if side == 'judgments' else [])


def test_a_query_in_two_parts_is_an_error():
    run = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d'], 'score': [1.0]})
    part = score_part(['P@1'], None, run, {'q': {'d': 1}})
    refused("query 'q' is in two parts", join, [part, part], 1)


def test_a_part_without_the_official_layer_is_an_error():
    qrels = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d'], 'relevance': [1], 'layer': [1]})
    run = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d'], 'score': [1.0]})
    refused('no row of layer 0 in this part', score_part, ['StRecall@1'], None, run, qrels)


def test_a_part_does_not_decide_whether_a_column_names_systems(tmp_path):
    """No document of a query is in both runs but for query 0, so that the other parts cannot tell."""
    rows = [('0', 'a', 2.0, 'A'), ('0', 'a', 2.0, 'B')]
    rows += [(str(q), doc, 1.0, system) for q in range(1, 9) for doc, system in ('aA', 'bB')]
    runs = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score', 'system'])
    qrels = {q: {'a': 1, 'b': 0} for q in runs['query_id']}
    runs.to_parquet(tmp_path / 'runs.parquet')
    scores = evaluate(qrels, ds.dataset(tmp_path / 'runs.parquet'), 'P@1', rows_per_part=3)
    assert scores.means()['P@1'].to_dict() == {'A': 1.0, 'B': pytest.approx(1 / 9)}
    names = pd.DataFrame({'query_id': 'q', 'doc_id': 'd', 'score': 1.0, 'name': range(1001)})
    refused('name has 1001 values', score_part, ['P@1'], None, names, {'q': {'d': 1}})


# ------------------------------------------------------------------------------------------------ parquet folders

ROWS = 170
"""So few rows a part that there are several."""


def folder_of(path, frame, by=None):
    """Files of 100 rows, in folders ``by=value`` if asked for."""
    for value, rows in frame.groupby(by) if by else [(None, frame)]:
        folder = path / f'{by}={value}' if by else path
        folder.mkdir(parents=True)
        for i in range(0, max(len(rows), 1), 100):
            rows[i : i + 100].drop(columns=[by] if by else []).to_parquet(
                folder / f'part-{i}.parquet', index=False
            )
    return path


@pytest.mark.usefixtures('workers')
def test_parquet_folders_in_parts_and_two_processes(tmp_path, quiet):
    table, runs = collection()
    assert len(table) > ROWS and len(list(folder_of(tmp_path / 'runs', runs).iterdir())) > 2
    check(
        evaluate(
            folder_of(tmp_path / 'qrels', table),
            tmp_path / 'runs',
            MEASURES,
            jobs=2,
            rows_per_part=ROWS,
        )
    )


@pytest.mark.parametrize(
    'form',
    [
        'folders by system, judgments in memory',
        'dataset, numbers as ids',
        'one part',
    ],
)
def test_parquet_in_other_forms(tmp_path, quiet, form):
    table, runs = collection()
    qrels = table if 'in memory' in form else folder_of(tmp_path / 'qrels', table)
    path = tmp_path / 'runs'
    if 'numbers as ids' in form:
        folder_of(path, runs[runs['query_id'] != 'unjudged'].astype({'query_id': int}))
    else:
        folder_of(path, runs, 'system' if 'by system' in form else None)
    rows = 10**9 if form == 'one part' else ROWS
    check(
        evaluate(
            qrels,
            ds.dataset(path) if 'dataset' in form else path,
            MEASURES,
            rows_per_part=rows,
        )
    )


def test_rows_of_a_query_keep_their_order(tmp_path, quiet):
    """Ties are broken by the places of rows."""
    table, runs = collection()
    runs = runs.assign(score=1.0)
    memory = evaluate(table, runs, 'RR P@5', ties='rows')
    found = evaluate(
        table, folder_of(tmp_path / 'r', runs), 'RR P@5', ties='rows', rows_per_part=ROWS
    )
    memory = memory.select(systems=found.systems, queries=found.queries)
    np.testing.assert_array_equal(found.values, memory.values)


def test_judgments_in_parquet_for_runs_in_memory(tmp_path, quiet):
    table, runs = collection()
    found = evaluate(folder_of(tmp_path / 'qrels', table), runs, MEASURES)
    check(found.select(systems=sorted(found.systems), queries=sorted(found.queries)))


def test_one_warning_says_what_parts_found(tmp_path):
    table, runs = collection()
    twice = pd.concat([table, table[:30]], ignore_index=True)
    folder_of(tmp_path / 'runs', runs)
    with pytest.warns(DivMeasuresWarning) as told:
        evaluate(
            ds.dataset(pa.Table.from_pandas(twice)),
            tmp_path / 'runs',
            'StRecall@5',
            rows_per_part=ROWS,
        )
    assert [
        ('repeat another row' in str(w.message), 'are in no run' in str(w.message)) for w in told
    ] == [(True, False), (False, True)]
    assert all(w.filename == __file__ for w in told)


@over(
    'case, said',
    [
        ('no query column', "runs: no column 'query_id' .found question, doc_id, score, system"),
        ('no runs', f'no run has any of the {N} judged queries .*; runs: unjudged'),
        ('no judgments', 'the judgments are empty'),
        ('a duplicate document', "system 'A': run: query '.*': duplicate document"),
    ],
)
def test_errors(tmp_path, case, said):
    table, runs = collection()
    frame = {
        'no query column': runs.rename(columns={'query_id': 'question'}),
        'no runs': runs[runs['query_id'] == 'unjudged'],
        'a duplicate document': pd.concat([runs[runs['system'] == 'A']] * 2),
    }.get(case, runs)
    folder_of(tmp_path / case, frame)
    with expect_error(said):
        evaluate(
            table[:0] if case == 'no judgments' else table,
            tmp_path / case,
            'P@5',
            rows_per_part=ROWS,
        )


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
    check(evaluate(qrels, dd.from_pandas(runs, npartitions=5), MEASURES))


@pytest.mark.slow
@pytest.mark.filterwarnings(
    'ignore:.apply_async. is deprecated:DeprecationWarning'
)  # joblib's, of its own backend
def test_joblib_on_dask(client, quiet):
    table, runs = collection()
    with joblib.parallel_config(backend='dask'):
        found = evaluate(table, runs, MEASURES, jobs=-1)
    check(found.select(systems=sorted(found.systems), queries=sorted(found.queries)))


class OfDask:
    """What the package recognises a Dask DataFrame by, without importing Dask."""

    __module__ = 'dask.dataframe'
    map_partitions = None


@QUICK
def test_runs_and_judgments_of_different_engines_are_an_error(tmp_path, quick):
    table, runs = collection()
    if not quick:
        dd = pytest.importorskip('dask.dataframe')
    runs = OfDask() if quick else dd.from_pandas(runs, npartitions=2)
    with expect_error('runs are a Dask DataFrame, judgments parquet files', TypeError):
        evaluate(folder_of(tmp_path / 'qrels', table), runs, 'P@5')


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
    check(evaluate(qrels, spark.createDataFrame(runs), MEASURES))


@pytest.mark.parametrize('rows', [ROWS, 10**6])
def test_a_system_without_a_judged_query_is_scored_0(tmp_path, quiet, rows):
    """As in memory, and the scores of the others stay."""
    table, runs = collection()
    other = runs[runs['system'] == 'A'].assign(
        system='Z', query_id=lambda run: 'x' + run['query_id']
    )
    path = folder_of(tmp_path / 'runs', pd.concat([runs, other], ignore_index=True))
    found = evaluate(table, path, MEASURES, rows_per_part=rows)
    check(found.select(systems=['A', 'B']))
    assert found.systems == ('A', 'B', 'Z') and not found.select(systems='Z').values.any()
