"""Runs and judgments of Dask, Spark and parquet folders, scored part by part.

An engine moves all rows of a query to one part, and :func:`score_part` scores each part: frames in, frame out. An
engine is imported when one of its tables is handed in.
"""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures as parse_all
from ..errors import DivMeasuresWarning, Message, QueriesWarning, warn, whole
from ..io.files import is_log
from ..io.frames import NAMES, no_column
from ..io.inputs import named
from ..judgments.table import Judgments
from ..lazy import pd
from ..progress import progress, with_progress
from . import gate
from .facts_of_runs import Facts
from .processes import count_workers
from .provider import Evaluator
from .scoring import System, collecting, score_runs

ROWS = 1_000_000
"""The default for ``rows_per_part``: the approximate number of rows of runs or judgments in a part of a parquet
folder."""
PART = 'ir_divmeasures_part'
"""The column with the number of the part of each row, while rows are moved."""
MOST_PARTS = 512
"""The largest number of parts, because their files are open at the same time. Beyond it, parts are larger."""

Task = Callable[[Any, Any], Any]
"""A function of the runs and the judgments of some queries."""


def score_part(runs: Any, qrels: Any, measures: Any, *, ties: str | None = None) -> pd.DataFrame:
    """Score one part: runs and judgments with all rows of some queries.

    A query has the scores that it has among all others, to the last bit.

    Args:
        runs: a table with all rows of these queries, of one system or several (see :func:`~ir_divmeasures.read_runs`).
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures: as :func:`~ir_divmeasures.measures` takes them.
        ties: as for :func:`~ir_divmeasures.evaluate`.

    Returns:
        DataFrame ``query_id, system`` and a column for each measure: a row for each system and judged query that it
        has, and a row without system and scores for a judged query that no system has. ``attrs`` has what the results
        of all parts need together: ``n_queries`` (judged queries), ``systems`` (each with a digest of its rankings) and
        ``messages`` (text and class of each warning).

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.evaluate`; layers of judgments without layer 0: which layer is
            the official one cannot be seen in a part.

    Examples:
        >>> qrels = {'q1': {'d1': {'1': 1}, 'd2': {'2': 1}}, 'q2': {'d1': {'1': 1}}}
        >>> score_part({'q1': {'d1': 1.0}}, qrels, 'StRecall@2')
          query_id system  StRecall@2
        0       q1    run         0.5
        1       q2    NaN         NaN
    """
    messages: list[Message] = []
    scored: list[System] = []
    with collecting(messages):
        judgments, parsed = Judgments.of(qrels), parse_all(measures)
        pairs = [*named(runs)[0]]
        if judgments.query_ids:
            if 0 not in {*judgments.table.get('layer', (0,))}:
                raise ValueError(
                    'judgments: no row of layer 0 in this part: which layer is the official one?'
                )
            evaluator = Evaluator(parsed, judgments, about_missing=False, ties=ties)
            scored = [*score_runs(pairs, evaluator, parsed)]
    columns, queries = ['query_id', 'system', *map(str, parsed)], pd.Series(judgments.query_ids)
    frames = []
    digests: dict[str, str | None] = dict.fromkeys(name for name, _ in pairs)
    for each in scored:
        rows = pd.DataFrame(each.values, columns=columns[2:])
        frames.append(rows.assign(query_id=queries, system=each.name)[each.present])
        digests[each.name] = each.digest
        messages += [(f'system {each.name!r}: {text}', kind) for text, kind in each.messages]
    met = {query for frame in frames for query in frame['query_id']}
    frames.append(pd.DataFrame({'query_id': queries[~queries.isin(met)]}))
    part = pd.concat(frames, ignore_index=True).reindex(columns=columns)
    part.attrs = {'n_queries': len(queries), 'systems': digests, 'messages': messages}
    return part


def totals(
    runs: Any,
    qrels: Any,
    measures: Any,
    *,
    jobs: int = 1,
    rows_per_part: int = ROWS,
    ties: str | None = None,
) -> pd.DataFrame:
    """Means over queries without the scores of each: for more queries than scores fit into memory.

    Args:
        runs: a Dask or Spark DataFrame, a parquet file or folder of any name, or a pyarrow dataset; columns
            ``query_id, doc_id, score`` (``qid, docno``), and one that names the system if there are several.
        qrels: the same, or judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures: as :func:`~ir_divmeasures.measures` takes them.
        jobs: the number of processes that work on a parquet folder. Dask and Spark have workers of their own.
        rows_per_part: about how many rows of runs or judgments a part of a parquet folder has. Fewer rows take less
            memory in each process.
        ties: as for :func:`~ir_divmeasures.evaluate`.

    Returns:
        DataFrame ``system, measure, n_queries`` (judged), ``count`` (judged queries that the system has), ``mean``
        (a query that a system lacks counts as 0), ``std`` (n − 1).

    Raises:
        TypeError: runs and judgments of different engines, or runs of none.
        ValueError: as :func:`~ir_divmeasures.evaluate`; ``rows_per_part`` below 1.

    Examples:
        >>> import pandas as pd, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> pd.DataFrame({'query_id': ['q1', 'q2'], 'doc_id': ['d1', 'd2'], 'score': [1.0, 1.0]}).to_parquet(
        ...     folder / 'part-0.parquet')
        >>> totals(folder, {'q1': {'d1': 1}, 'q2': {'d1': 1}}, 'P@1')[['system', 'measure', 'n_queries', 'mean']]
          system measure  n_queries  mean
        0    run     P@1          2   0.5
    """
    parsed = parse_all(measures)
    parts = scored_parts(runs, qrels, parsed, jobs, rows_per_part, ties, _sums)
    n, sums = sum(part.attrs['n_queries'] for part in parts), pd.concat(parts)
    if not len(sums):
        raise ValueError('no run has any judged query' if n else 'the judgments are empty')
    by_system = sums.groupby(level=0).sum()
    axes = {'system': by_system.index, 'measure': [str(m) for m in parsed]}
    table = pd.MultiIndex.from_product(axes.values(), names=axes).to_frame(index=False)
    count, total, squares = (by_system[name].to_numpy().ravel() for name in SUMS)
    variance = np.maximum(squares - total**2 / n, 0) / (n - 1 or np.nan)
    return table.assign(n_queries=n, count=count, mean=total / n, std=variance**0.5)


def each_part(
    runs: Any, qrels: Any, task: Task, jobs: int = 1, rows_per_part: int = ROWS
) -> Iterator[Any]:
    """Apply a function to each part: DataFrames (for parquet, Arrow tables) with all rows of some queries.

    Args:
        runs, qrels, jobs, rows_per_part: as for :func:`totals`.
        task: the function, and its result; workers must be able to import it, and pickle what it gives.

    Raises:
        TypeError: runs and judgments of different engines, or runs of none.
        ValueError: ``rows_per_part`` below 1.
    """
    whole(rows_per_part, 'rows_per_part')
    runs = _dataset(runs)
    engine, other = engine_of(runs), engine_of(qrels)
    if engine is None or other not in (None, engine):
        raise TypeError(
            f'runs are {ENGINES[engine]}, judgments {ENGINES[other]}: expected runs of an engine, '
            f'and judgments in memory or of the same engine'
        )
    judgments = qrels if other else Judgments.of(qrels).table
    if engine == 'parquet':
        return _of_parquet(runs, judgments, task, jobs, rows_per_part)
    return (_of_dask if engine == 'dask' else _of_spark)(runs, judgments, task)


ENGINES = {
    'dask': 'a Dask DataFrame',
    'spark': 'a Spark DataFrame',
    'parquet': 'parquet files',
    None: 'in memory',
}
"""What a table of each engine is called in messages."""


def engine_of(source: Any) -> str | None:
    """``'dask'``, ``'spark'`` or ``'parquet'``, or None for what is worked on in memory."""
    package = type(source).__module__.partition('.')[0]
    if package in ('dask', 'dask_expr') and hasattr(source, 'map_partitions'):
        return 'dask'
    if package == 'pyspark' and hasattr(source, 'groupBy'):
        return 'spark'
    is_path = isinstance(source, (str, os.PathLike))
    if type(source).__module__ == 'pyarrow._dataset' or is_path and is_log(source):
        return 'parquet'
    return None


def in_memory(source: Any) -> Any:
    """A table of an engine as a DataFrame; all else, and one of Spark, as it is, which readers of judgments convert."""
    engine = engine_of(source)
    if engine == 'parquet':
        return _dataset(source).to_table().to_pandas()
    return source.compute() if engine == 'dask' else source


# ------------------------------------------------------------------------------------------------ results of parts


def _score(measures: list[str], ties: str | None, runs: Any, qrels: Any) -> pd.DataFrame:
    """A worker's task. Measures travel as names."""
    return score_part(runs, qrels, measures, ties=ties)


SUMS = ('count', 'sum', 'squares')


def _sums(*given: Any) -> pd.DataFrame:
    """Count, sum and sum of squares of a part's scores by each measure, a row for each system."""
    part = _score(*given)
    scores = part.dropna(subset='system').set_index('system').drop(columns='query_id')
    scores = scores.astype(float)
    sums = pd.concat([scores**0, scores, scores**2], axis=1, keys=SUMS).groupby(level=0).sum()
    sums.attrs = part.attrs
    return sums


def scored_parts(
    runs: Any,
    qrels: Any,
    measures: list[Any],
    jobs: int,
    rows_per_part: int,
    ties: str | None,
    task: Callable[..., pd.DataFrame] = _score,
) -> list[pd.DataFrame]:
    """The results of all parts, after the warnings."""
    task = functools.partial(task, [str(m) for m in measures], ties)
    parts = [*each_part(runs, qrels, task, jobs, rows_per_part)]
    _warn_once(parts)
    return parts


def gather(
    parts: Iterable[pd.DataFrame],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], list[str], list[str]]:
    """The results of :func:`score_part` for several parts as arrays.

    Returns:
        Values (systems, queries, measures), 0 where a system lacks a query; which are there, (systems, queries);
        systems and queries in the order of their ids.

    Raises:
        ValueError: a query in two parts.
    """
    scores = pd.concat([part.assign(part=place) for place, part in enumerate(parts)])
    divided = scores.groupby('query_id')['part'].nunique() > 1
    if divided.any():
        query = divided.idxmax()
        raise ValueError(f'query {query!r} is in two parts: each must have all rows of its queries')
    by_system = scores.dropna(subset='system').set_index(['system', 'query_id'])
    axes = sorted(by_system.index.unique('system')), sorted(scores['query_id'].unique())
    every = pd.MultiIndex.from_product(axes)
    present = every.isin(by_system.index).reshape(*map(len, axes))
    values = by_system.drop(columns='part').reindex(every, fill_value=0.0).to_numpy(dtype=float)
    return values.reshape(*present.shape, values.shape[1]), present, *axes


def _warn_once(parts: list[pd.DataFrame]) -> None:
    """One warning of each kind for all parts, one of systems that are alike, and one of systems without scores."""
    texts_of: dict[type[DivMeasuresWarning], list[str]] = {}
    systems: dict[str, str] = {}
    for place, part in enumerate(parts):
        for text, category in dict.fromkeys(part.attrs['messages']):
            texts_of.setdefault(category, []).append(text)
        for system, digest in part.attrs['systems'].items():
            systems[system] = systems.get(system, '') + (f'{place} {digest} ' if digest else '')
    gate.warn_of(Facts(digests={name: text for name, text in systems.items() if text}), 'systems')
    n_judged = sum(part.attrs['n_queries'] > 0 for part in parts)
    in_every_part = {check.warning for check in gate.CHECKS if check.every_part}
    for category, texts in texts_of.items():
        if category not in in_every_part or len(texts) >= n_judged:
            warn(
                f'{texts[0]} (in one of {len(parts)} parts of the queries; {len(texts)} such messages in all)',
                category,
            )
    unmatched = sorted(set(systems).difference(*(part.reset_index()['system'] for part in parts)))
    if unmatched and len(unmatched) < len(systems):
        warn(
            f'{len(unmatched)} of {len(systems)} systems have no scores, because no query of their runs has judgments: '
            f'{gate.some(unmatched)}',
            QueriesWarning,
        )


# -------------------------------------------------------------------------------------------------------- engines


def _query_column(names: Iterable[Any], what: str) -> str:
    names = list(names)
    known = [name for name in NAMES['query_id'] if name in names]
    if not known:
        raise no_column(what, 'query_id', names)
    return known[0]


def _of_dask(runs: Any, qrels: Any, task: Task) -> Iterator[Any]:
    import dask.base
    import dask.dataframe
    from dask.delayed import delayed

    of_pandas: Any = dask.dataframe.from_pandas
    compute: Any = dask.base.compute
    if engine_of(qrels) is None:
        qrels = of_pandas(qrels, npartitions=runs.npartitions)
    n = max(runs.npartitions, qrels.npartitions)
    divided = []
    for frame, what in ((runs, 'runs'), (qrels, 'judgments')):
        query = frame[_query_column(frame.columns, what)].astype(str)
        divided.append(frame.shuffle(query, npartitions=n).to_delayed())
    yield from compute(*map(delayed(task), *divided))


def _of_spark(runs: Any, qrels: Any, task: Task) -> Iterator[Any]:
    from pyspark.sql import functions

    session = runs.sparkSession
    if engine_of(qrels) is None:
        qrels = session.createDataFrame(qrels)
    n = int(session.conf.get('spark.sql.shuffle.partitions'))
    grouped = []
    for frame, what in ((runs, 'runs'), (qrels, 'judgments')):
        query = functions.col(_query_column(frame.columns, what)).cast('string')
        number = functions.pmod(functions.xxhash64(query), functions.lit(n))
        grouped.append(frame.groupBy(number.alias(PART)))
    pickled = functools.partial(_pickled, task)
    results = grouped[0].cogroup(grouped[1]).applyInPandas(pickled, 'result binary')
    for row in results.toLocalIterator():
        yield pickle.loads(row['result'])


def _pickled(task: Task, runs: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({'result': [pickle.dumps(task(runs, qrels))]})


def _of_parquet(runs: Any, qrels: Any, task: Task, jobs: int, rows_per_part: int) -> Iterator[Any]:
    import tempfile

    import joblib
    import pyarrow as pa
    import pyarrow.dataset as ds

    if engine_of(qrels) is None:
        qrels = ds.dataset(pa.Table.from_pandas(qrels, preserve_index=False))
    both = runs, _dataset(qrels)
    n = min(-(-max(each.count_rows() for each in both) // rows_per_part), MOST_PARTS)
    if n <= 1:
        yield task(*(each.to_table() for each in both))
        return
    with tempfile.TemporaryDirectory(prefix='ir_divmeasures-') as folder:
        divided = [_divide(*each, n, folder) for each in zip(both, ('runs', 'judgments'))]
        results = joblib.Parallel(n_jobs=count_workers(jobs), batch_size=1, return_as='generator')(
            joblib.delayed(_of_files)(task, divided, place) for place in range(n)
        )
        with progress(n, 'part', 'parts') as bar:
            for result in results:
                yield result
                bar.update()


def _divide(source: Any, what: str, n: int, folder: str) -> Any:
    """Write the rows of a dataset to n folders, all rows of a query to one of them, in their order. Return a dataset of
    these folders."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    query, path = _query_column(source.schema.names, what), os.path.join(folder, what)
    schema = source.schema.append(pa.field(PART, pa.int32()))

    def numbered() -> Iterator[Any]:
        batches = source.to_batches(batch_readahead=1, fragment_readahead=1)
        for batch in with_progress(batches, 'batch', f'dividing {what}'):
            coded = batch.column(query).cast(pa.string()).fill_null('').dictionary_encode()
            hashes = pd.util.hash_array(coded.dictionary.to_numpy(zero_copy_only=False))
            numbers = hashes[coded.indices.to_numpy()] % n
            yield batch.append_column(PART, pa.array(numbers.astype(np.int32)))

    os.mkdir(path)
    plain = ds.ParquetFileFormat().make_write_options(compression='none', use_dictionary=False)
    form = {'schema': schema, 'format': 'parquet', 'partitioning': [PART]}
    # One thread writes, so that rows keep their order.
    ds.write_dataset(numbered(), path, file_options=plain, use_threads=False, **form)
    return ds.dataset(path, **form)


def _of_files(task: Task, divided: list[Any], place: int) -> Any:
    import pyarrow.dataset as ds

    rows = (source.to_table(filter=ds.field(PART) == place) for source in divided)
    return task(*(each.drop_columns([PART]) for each in rows))


def _dataset(source: Any) -> Any:
    """A path as a dataset, all else as it is."""
    if not isinstance(source, (str, os.PathLike)):
        return source
    import pyarrow.dataset as ds

    return ds.dataset(os.fspath(source), format='parquet', partitioning='hive')


__all__ = ['ROWS', 'each_part', 'gather', 'score_part', 'totals']
