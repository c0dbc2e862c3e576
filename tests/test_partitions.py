"""Parts of judgments and runs: scored alone, on Dask, Spark and parquet folders, they give what one call gives."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from ir_divmeasures import DivMeasuresWarning, Scores, evaluate, measures, with_rareness
from ir_divmeasures.core.registry import catalogue
from ir_divmeasures.evaluation import engines
from ir_divmeasures.evaluation.evaluate import _evaluator
from ir_divmeasures.evaluation.partitions import PoolCounts, Totals, add_up, gather, score_partition
from ir_divmeasures.evaluation.sharing import Shared
from ir_divmeasures.io import columns
from ir_divmeasures.judgments.table import Judgments

from .builders import random_query, run_of, table_of

MEASURES = [
    str(m)
    for m in measures(
        [
            'alpha_nDCG@10',
            'ERR_IA@10',
            'StRecall@5',
            'NRBP',
            'RBU@20',
            'P_Rareness@5',
            'CT@5',
            'nDCG@10',
            'AP',
            'ERR@10',
            "IA(M='P@5')",
            'Bpref',
        ]
    )
]
N = 40
EXACT = 1e-12


@functools.cache
def collection() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judgments and the runs of two systems; B lacks queries, q3 is in no run, 'unjudged' has no judgments."""
    rng = np.random.default_rng(17)
    qrels = {str(i): random_query(rng, weighted=True, facts=True) for i in range(N)}
    table = table_of(qrels)
    runs = []
    for system in 'AB':
        run = run_of({q: random_query(rng, facts=True) for q in [*qrels, 'unjudged']})
        runs.append(run.drop(columns='length').assign(system=system))
    runs = pd.concat(runs, ignore_index=True)
    left_out = (runs['query_id'] == '3') | (runs['system'] == 'B') & runs['query_id'].isin(
        ['5', '6']
    )
    return table, runs[~left_out].sample(frac=1, random_state=0).reset_index(drop=True)


@functools.cache
def wanted() -> Scores:
    """The scores of one call in memory, systems and queries in the order of their ids."""
    table, runs = collection()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        scores = evaluate(runs, table, MEASURES)
    return scores.select(systems=sorted(scores.systems), queries=sorted(scores.queries))


def check(found: Scores) -> None:
    assert (found.systems, found.queries, found.measures) == (
        wanted().systems,
        wanted().queries,
        wanted().measures,
    )
    np.testing.assert_array_equal(found.values, wanted().values)


def parts(table: pd.DataFrame, n: int) -> list[pd.DataFrame]:
    return [
        table[pd.util.hash_array(table['query_id'].to_numpy(dtype=object)) % n == i]
        for i in range(n)
    ]


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DivMeasuresWarning)
        yield


# ------------------------------------------------------------------------------------------------------ one part


@pytest.mark.parametrize('n', [1, 3, 60], ids='{} parts'.format)
def test_scores_of_parts_are_the_scores(n, quiet):
    found = [
        score_partition(*pair, MEASURES) for pair in zip(*(parts(t, n) for t in collection()[::-1]))
    ]
    values, _, systems, queries = gather(found, MEASURES)
    check(Scores(values, tuple(systems), tuple(queries), tuple(MEASURES)))


def test_scores_of_parts_are_the_scores_by_every_measure(quiet):
    table, runs = collection()
    runs = runs.assign(length=np.arange(len(runs)) % 90.0, iteration=1 + -runs['score'] // 3)
    every = [str(m @ 10 if 'cutoff' in m.SUPPORTED_PARAMS else m) for m in catalogue()]
    whole = evaluate(runs, table, every)
    values, _, systems, queries = gather(
        [score_partition(*pair, every) for pair in zip(parts(runs, 5), parts(table, 5))], every
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
    found = score_partition(runs, qrels, 'P@2 RR')
    assert found.schema.names == ['query_id', 'system', 'measure', 'value']
    assert found.to_pylist() == [
        {'query_id': '1', 'system': 's', 'measure': 'P@2', 'value': 0.5},
        {'query_id': '1', 'system': 's', 'measure': 'RR', 'value': 1.0},
        {'query_id': '2', 'system': None, 'measure': None, 'value': None},
    ]


@pytest.mark.parametrize('side', ['runs', 'judgments', 'both'])
def test_an_empty_part(side):
    table, runs = collection()
    found = score_partition(
        runs[:0] if side != 'judgments' else runs, table[:0] if side != 'runs' else table, MEASURES
    )
    assert len(found) == (N if side == 'runs' else 0)
    total = Totals.of(found, MEASURES)
    assert (total.n_queries, total.systems) == (len(found), ())


def test_a_query_in_two_parts_is_an_error():
    part = score_partition({'q': {'d': 1.0}}, {'q': {'d': 1}}, 'P@1')
    with pytest.raises(ValueError, match="query 'q' is in two parts"):
        gather([part, part], ['P@1'])


def test_a_part_without_the_official_layer_is_an_error():
    qrels = pd.DataFrame({'query_id': ['q'], 'doc_id': ['d'], 'relevance': [1], 'layer': [1]})
    with pytest.raises(ValueError, match='no row of layer 0 in this part .found 1.'):
        score_partition({'q': {'d': 1.0}}, qrels, 'StRecall@1')


# ------------------------------------------------------------------------------------------------ partial results


def test_totals_by_hand():
    """P@1 of q1 is 1, of q2 0, and q3 is not retrieved: mean 1/3, variance (2 · 1/9 + 4/9)/2 = 1/3."""
    qrels = {q: {'d': 1} for q in ('q1', 'q2', 'q3')}
    run = {'q1': {'d': 1.0}, 'q2': {'e': 1.0}}
    found = add_up(Totals.of(score_partition(run, {q: qrels[q]}, 'P@1'), 'P@1') for q in qrels)
    assert (found.n_queries, found.count.tolist(), found.sum.tolist(), found.squares.tolist()) == (
        3,
        [2],
        [[1]],
        [[1]],
    )
    row = found.to_frame().iloc[0]
    assert row['mean'] == 1 / 3 and row['std'] == pytest.approx((1 / 3) ** 0.5, abs=1e-15)
    assert found.means().loc['run', 'P@1'] == 1 / 3


def test_totals_are_those_of_the_scores_in_any_order(quiet):
    pieces = [
        Totals.of(score_partition(*pair, MEASURES), MEASURES)
        for pair in zip(*(parts(t, 7) for t in collection()[::-1]))
    ]
    (a, b, c, *_), whole = pieces, add_up(pieces)
    for name in ('count', 'sum', 'squares'):
        np.testing.assert_allclose(
            getattr((a + b) + c, name), getattr(a + (b + c), name), rtol=0, atol=EXACT
        )
        np.testing.assert_allclose(
            getattr(add_up(pieces[::-1]), name), getattr(whole, name), rtol=0, atol=EXACT
        )
    pd.testing.assert_frame_equal(whole.means(), wanted().means(), rtol=0, atol=EXACT)
    np.testing.assert_allclose(
        whole.to_frame()['std'], wanted().values.std(axis=1, ddof=1).ravel(), atol=1e-12
    )
    table, runs = collection()
    judged = runs[runs['query_id'].isin(table['query_id'])]
    assert whole.count.tolist() == judged.groupby('system')['query_id'].nunique().tolist()
    assert 0 < whole.count.max() < N


def test_totals_of_different_measures_do_not_add_up():
    p, rr = (
        Totals.of(score_partition({'q': {'d': 1.0}}, {'q': {'d': 1}}, m), m) for m in ('P@1', 'RR')
    )
    with pytest.raises(ValueError, match='different measures: P@1; RR'):
        p + rr


@pytest.mark.parametrize('depth', [1, 3, None], ids='depth {}'.format)
@pytest.mark.parametrize('by', ['query_id', 'system'])
def test_pool_counts_add_up_to_those_of_the_pool(by, depth):
    table, runs = collection()
    table = table.drop(columns=columns.added_by('with_rareness'), errors='ignore')
    whole = with_rareness(table, runs, depth=depth).drop(
        columns='pool_ranks'
    )  # counts do not say who
    pieces = [PoolCounts.of(part, table, depth) for _, part in runs.groupby(by)]
    (a, b, *_), total = [*pieces, pieces[0]], add_up(pieces)
    assert (a + b).systems == (b + a).systems
    pd.testing.assert_frame_equal(total.judgments(table), whole)
    pd.testing.assert_frame_equal(
        total.judgments(table[table['query_id'] == '7']),
        whole[whole['query_id'] == '7'].reset_index(drop=True),
    )


@pytest.mark.parametrize('by', ['query_id', 'system'])
def test_pool_counts_of_groups_add_up_to_those_of_the_pool(by):
    """A group counts once, though its systems are in different parts."""
    table, runs = collection()
    table = table.drop(columns=columns.added_by('with_rareness'), errors='ignore')
    names = runs['system'].unique().tolist()
    groups = {name: f'team {place // 2}' for place, name in enumerate(names)}
    assert len(set(groups.values())) < len(names)
    pieces = [PoolCounts.of(part, table, groups=groups) for _, part in runs.groupby(by)]
    whole = with_rareness(table, runs, groups=groups).drop(
        columns='pool_ranks'
    )  # counts do not say who
    pd.testing.assert_frame_equal(add_up(pieces).judgments(table), whole)
    pd.testing.assert_frame_equal(
        (pieces[1] + pieces[0]).judgments(table), (pieces[0] + pieces[1]).judgments(table)
    )
    with pytest.raises(ValueError, match='with groups and of one without'):
        pieces[0] + PoolCounts.of({'x': {'7': {'d': 1.0}}}, table)


# ------------------------------------------------------------------------------------------------ parquet folders

ROWS = 250
"""So few rows a part that there are several."""


def folder_of(path, frame: pd.DataFrame, by: str | None = None):
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
    found = engines.totals(path, qrels, MEASURES, rows_per_part=rows)
    pd.testing.assert_frame_equal(found.means(), wanted().means(), rtol=0, atol=EXACT)


def test_judgments_in_parquet_for_runs_in_memory(tmp_path, quiet):
    table, runs = collection()
    found = evaluate(runs, folder_of(tmp_path / 'qrels', table), MEASURES)
    check(found.select(systems=sorted(found.systems), queries=sorted(found.queries)))


@pytest.mark.parametrize('missing', ['drop', 'raise'])
def test_missing_queries_as_elsewhere(tmp_path, missing):
    table, runs = collection()
    folder_of(tmp_path / 'runs', runs)
    if missing == 'drop':
        found, memory = (
            evaluate(tmp_path / 'runs', table, 'P@5', missing=missing, rows_per_part=ROWS),
            evaluate(runs, table, 'P@5', missing=missing),
        )
        assert found.queries == tuple(sorted(memory.queries)) and not {'3', '5', '6'} & set(
            found.queries
        )
    else:
        with pytest.raises(ValueError, match='lack queries that are judged'):
            evaluate(tmp_path / 'runs', table, 'P@5', missing='raise', rows_per_part=ROWS)


def test_one_warning_says_what_parts_found(tmp_path):
    table, runs = collection()
    twice = pd.concat([table, table[:300]], ignore_index=True)
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


def test_one_warning_for_judgments_with_one_subtopic(tmp_path):
    table, runs = collection()
    once = table[table['layer'] == 0].drop_duplicates(['query_id', 'doc_id'])[
        ['query_id', 'doc_id', 'relevance']
    ]
    folder_of(tmp_path / 'runs', runs)
    with pytest.warns(
        DivMeasuresWarning, match=rf'{N} of {N} queries have one subtopic only: StRecall@5'
    ) as told:
        engines.totals(tmp_path / 'runs', once, 'StRecall@5 P@5', rows_per_part=ROWS)
    assert len(told) == 1


@pytest.mark.parametrize(
    'case, said',
    [
        ('no query column', "runs: no column 'query_id' .found doc_id, score, system"),
        ('no runs', 'no runs, or none with a judged query'),
        ('no judgments', 'the judgments are empty'),
        ('a run in memory', 'runs: expected a Dask or Spark DataFrame or a parquet folder'),
        ('a duplicate document', "system 'A': run: query '.*': duplicate document"),
    ],
)
def test_errors(tmp_path, case, said):
    table, runs = collection()
    if case == 'a run in memory':
        with pytest.raises(TypeError, match=said):
            engines.totals(runs, table, 'P@5')
        return
    frame = {
        'no query column': runs.rename(columns={'query_id': 'question'}),
        'no runs': runs[runs['query_id'] == 'unjudged'],
        'a duplicate document': pd.concat([runs[runs['system'] == 'A']] * 2),
    }.get(case, runs)
    folder_of(tmp_path / 'runs', frame)
    with pytest.raises(ValueError, match=said):
        evaluate(
            tmp_path / 'runs',
            table[:0] if case == 'no judgments' else table,
            'P@5',
            rows_per_part=ROWS,
        )


def test_a_part_has_at_least_a_row(tmp_path):
    with pytest.raises(ValueError, match='rows_per_part=0: expected a whole number of at least 1'):
        evaluate(
            folder_of(tmp_path / 'runs', collection()[1]), collection()[0], 'P@5', rows_per_part=0
        )


def test_engines_are_imported_when_used(tmp_path):
    runs, qrels = (
        {'query_id': ['1'], 'doc_id': ['a'], **last}
        for last in ({'score': [1.0]}, {'relevance': [1]})
    )
    (tmp_path / 'runs').mkdir()
    pd.DataFrame(runs).to_parquet(tmp_path / 'runs' / 'part-0.parquet')
    code = f"""if True:
        import sys
        import ir_divmeasures
        light = {{'dask', 'pyspark', 'distributed', 'pyarrow.dataset'}} & set(sys.modules)
        ir_divmeasures.evaluate({str(tmp_path / 'runs')!r}, {{'1': {{'a': 1}}}}, 'P@1')
        print(light, {{'dask', 'pyspark', 'distributed'}} & set(sys.modules))"""
    assert (
        subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout
        == 'set() set()\n'
    )
    assert qrels


# ---------------------------------------------------------------------------------------------------------- Dask


@pytest.fixture(scope='module', params=[2], ids='{} workers'.format)
def client(request):
    distributed = pytest.importorskip('distributed')
    with (
        distributed.LocalCluster(
            n_workers=request.param, threads_per_worker=1, dashboard_address=':0'
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize('judgments', ['Dask', 'in memory'])
def test_dask(client, quiet, judgments):
    dd = pytest.importorskip('dask.dataframe')
    table, runs = collection()
    qrels = dd.from_pandas(table, npartitions=3) if judgments == 'Dask' else table
    check(evaluate(dd.from_pandas(runs, npartitions=5), qrels, MEASURES))
    found = engines.totals(dd.from_pandas(runs, npartitions=2), qrels, MEASURES)
    pd.testing.assert_frame_equal(found.means(), wanted().means(), rtol=0, atol=EXACT)


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
    with pytest.raises(TypeError, match='runs are a Dask DataFrame, judgments parquet files'):
        evaluate(dd.from_pandas(runs, npartitions=2), folder_of(tmp_path / 'qrels', table), 'P@5')


# --------------------------------------------------------------------------------------------------------- Spark


@pytest.fixture(scope='module')
def spark():
    sql = pytest.importorskip('pyspark.sql')
    if shutil.which('java') is None:
        pytest.skip('no Java')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
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
    found = engines.totals(spark.createDataFrame(runs), table, MEASURES)
    pd.testing.assert_frame_equal(found.means(), wanted().means(), rtol=0, atol=EXACT)


# ------------------------------------------------------------------------------------------------ jobs of one machine


def test_judgments_are_coded_once_and_made_into_an_evaluator_once_a_worker(monkeypatch):
    judged = Judgments.of(collection()[0])
    assert judged.collection is judged.collection
    asked = measures(MEASURES)
    shared = Shared(judged, functools.partial(_evaluator, asked, True))
    monkeypatch.setattr(
        'ir_divmeasures.judgments.table.Collection', None
    )  # would fail if it were made again
    evaluator, queries = shared.load()
    assert shared.load()[0] is evaluator and queries == judged.query_ids
    assert evaluator._judgments is not judged
    assert not evaluator._judgments.collection.blocks[0].judgments.cells.value.flags.owndata


@pytest.mark.parametrize('backend', ['loky', 'threading'])
def test_jobs_give_the_same_scores(quiet, backend, workers):
    table, runs = collection()
    alone = evaluate(runs, table, MEASURES)
    with joblib.parallel_config(backend=backend):
        found = evaluate(runs, table, MEASURES, jobs=2)
    assert np.array_equal(found.values, alone.values) and found.systems == alone.systems


@pytest.mark.parametrize('rows', [ROWS, 10**6])
@pytest.mark.parametrize('totals', [False, True])
def test_systems_without_a_judged_query_are_named_in_one_warning(tmp_path, rows, totals):
    """In parts with judgments and in parts without; the scores of the others stay."""
    table, runs = collection()
    other = runs[runs['system'] == 'A'].assign(
        system='Z', query_id=lambda run: 'x' + run['query_id']
    )
    path = folder_of(tmp_path / 'runs', pd.concat([runs, other], ignore_index=True))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        found = (engines.totals if totals else evaluate)(path, table, 'P@5', rows_per_part=rows)
    about = [str(w.message) for w in caught if 'no scores' in str(w.message)]
    n = other['query_id'].nunique()
    assert len(about) == 1
    assert about[0].startswith(
        "1 of 3 systems has no scores, as no query of its run has judgments: 'Z' "
    )
    assert f"'Z' has {n} queries" in about[0]
    assert list(found.systems) == ['A', 'B']
