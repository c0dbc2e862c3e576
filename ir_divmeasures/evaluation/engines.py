"""Dask, Spark and parquet folders: runs and judgments are split by query, and a function is applied to each part.

An engine is imported when one of its tables is handed in, not before.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.stopping import registries as stopping
from ..io import coding
from ..io.frames import NAMES
from ..io.pairs import text_keys
from ..io.paths import is_log
from ..io.rows import Strings, call_arrow, values_of
from ..io.runs import COLUMNS, RUN_COLUMNS, SYSTEM_COLUMNS
from ..judgments.table import Judgments
from ..results.progress import progress
from . import partitions
from .adhoc import computed_here

ROWS = 1_000_000
"""The default for ``rows_per_part``: the approximate number of rows of runs or judgments in a part of a parquet
folder."""
BUCKET = 'ir_divmeasures_part'
"""The column with the part of each row, while the engine moves rows."""
BATCH = 1 << 17
"""The number of rows that are distributed to parts at a time."""
OPEN = 512
"""The largest number of parts, because their files are open at the same time. Beyond it, parts are larger."""

Task = Callable[[Any, Any], Any]
"""A function of the runs and the judgments of some queries."""


def engine_of(source: Any) -> str | None:
    """``'dask'``, ``'spark'`` or ``'parquet'``, or None for what is worked on in memory."""
    package = type(source).__module__.partition('.')[0]
    if package in ('dask', 'dask_expr') and hasattr(source, 'map_partitions'):
        return 'dask'
    if package == 'pyspark' and hasattr(source, 'groupBy'):
        return 'spark'
    if (
        type(source).__module__ == 'pyarrow._dataset'
        or isinstance(source, (str, os.PathLike))
        and is_log(source)
    ):
        return 'parquet'
    return None


def scored_parts(
    runs: Any,
    qrels: Any,
    measures: list[Any],
    jobs: int = 1,
    rows_per_part: int = ROWS,
    own_adhoc: bool | None = None,
    ties: str | None = None,
) -> list[Any]:
    """Scores of each part, as :func:`~ir_divmeasures.evaluation.partitions.score_partition` gives them."""
    return _collected(runs, qrels, measures, jobs, rows_per_part, own_adhoc, ties, totals=False)


def totals(
    runs: Any,
    qrels: Any,
    measures: Any,
    *,
    jobs: int = 1,
    rows_per_part: int = ROWS,
    own_adhoc: bool | None = None,
    ties: str | None = None,
) -> partitions.Totals:
    """Means over queries without the scores of each: for more queries than scores fit into memory.

    Args:
        runs: a Dask or Spark DataFrame, a parquet file or folder of any name, or a pyarrow dataset; columns
            ``query_id, doc_id, score`` (``qid, docno``), and one that names the system if there are several.
        qrels: the same, or judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures: as :func:`~ir_divmeasures.measures` takes them.
        jobs: the number of processes that work on a parquet folder. Dask and Spark have workers of their own.
        rows_per_part: about how many rows of runs or judgments a part of a parquet folder has. Fewer rows take less
            memory in each process.
        own_adhoc, ties: as for :func:`~ir_divmeasures.evaluate`.

    Returns:
        :class:`~ir_divmeasures.evaluation.partitions.Totals`; a query that a system lacks counts as 0.

    Raises:
        TypeError: runs and judgments of different engines, or runs of none.
        ValueError: as :func:`~ir_divmeasures.evaluate`; ``rows_per_part`` below 1.

    Examples:
        >>> import pandas as pd, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> pd.DataFrame({'query_id': ['q1', 'q2'], 'doc_id': ['d1', 'd2'], 'score': [1.0, 1.0]}).to_parquet(
        ...     folder / 'part-0.parquet')
        >>> totals(folder, {'q1': {'d1': 1}, 'q2': {'d1': 1}}, 'P@1').means()
        measure  P@1
        system
        run      0.5
    """
    from ..core.registry import measures as parse_all

    parsed = parse_all(measures)
    if not parsed:
        raise ValueError('no measures')
    total: partitions.Totals = partitions.add_up(
        _collected(runs, qrels, parsed, jobs, rows_per_part, own_adhoc, ties, totals=True)
    )
    if not total.systems:
        raise ValueError(
            'no run has any judged query' if total.n_queries else 'the judgments are empty'
        )
    return total


def _collected(
    runs: Any,
    qrels: Any,
    measures: list[Any],
    jobs: int,
    rows_per_part: int,
    own_adhoc: bool | None,
    ties: str | None,
    totals: bool,
) -> list[Any]:
    if ties is not None:
        coding.check_ties(ties)
    task = functools.partial(
        partitions.score_part,
        stopping.RunTime(),
        [str(m) for m in measures],
        totals,
        computed_here(own_adhoc),
        ties,
    )
    return partitions.collect(each_part(runs, qrels, task, jobs, rows_per_part), measures)


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
    if rows_per_part < 1:
        raise ValueError(f'rows_per_part={rows_per_part!r}: expected a whole number of at least 1')
    if isinstance(runs, (str, os.PathLike)):
        runs = _dataset(runs)
    engine, other = engine_of(runs), engine_of(qrels)
    if engine is None:
        raise TypeError(
            f'runs: expected a Dask or Spark DataFrame or a parquet folder, as the judgments are; found '
            f'{type(runs).__name__}'
        )
    if other not in (None, engine):
        raise TypeError(
            f'runs are {_SAID[engine]}, judgments {_SAID[str(other)]}: expected both of one engine, or '
            f'judgments in memory'
        )
    yield from _ENGINES[engine](
        runs, qrels if other else Judgments.of(qrels).table, task, jobs, rows_per_part
    )


def in_memory(source: Any) -> Any:
    """A table of an engine as a DataFrame, all else as it is."""
    engine = engine_of(source)
    if engine == 'parquet':
        return _dataset(source).to_table().to_pandas()
    return (
        source.compute() if engine == 'dask' else source.toPandas() if engine == 'spark' else source
    )


def _query_column(columns: Iterable[Any], what: str) -> str:
    names = list(columns)
    column = _first(NAMES['query_id'], names)
    if column is None:
        raise ValueError(f"{what}: no column 'query_id' (found {', '.join(map(str, names))})")
    return column


def _first(candidates: Iterable[str], names: list[Any]) -> str | None:
    return next((name for name in candidates if name in names), None)


def _hashed(frame: Any, what: str) -> NDArray[np.uint64]:
    """A number for each row that depends on the text of its query's id only."""
    import pandas as pd

    ids = coding.ids(frame, _query_column(frame.columns, what), what)
    return pd.util.hash_array(np.asarray(ids, dtype=object), categorize=True)


# ---------------------------------------------------------------------------------------------------------- Dask


def _of_dask(runs: Any, qrels: Any, task: Task, jobs: int, rows_per_part: int) -> Iterator[Any]:
    import dask.base
    import dask.dataframe
    from dask.delayed import delayed

    from_pandas: Any = dask.dataframe.from_pandas
    if engine_of(qrels) is None:
        qrels = from_pandas(qrels, npartitions=runs.npartitions)
    n = max(runs.npartitions, qrels.npartitions)
    parts = []
    for frame, what in ((runs, 'runs'), (qrels, 'judgments')):
        _query_column(frame.columns, what)
        frame = frame.map_partitions(_with_bucket, what, meta=_with_bucket(frame._meta, what))
        parts.append(frame.shuffle(BUCKET, npartitions=n).to_delayed())
    tasks = [delayed(_without_bucket)(task, *pair) for pair in zip(*parts)]
    compute: Any = dask.base.compute
    yield from compute(*tasks)


def _with_bucket(frame: Any, what: str) -> Any:
    return frame.assign(**{BUCKET: _hashed(frame, what)})


def _without_bucket(task: Task, runs: Any, qrels: Any) -> Any:
    return task(*(part.drop(columns=BUCKET).reset_index(drop=True) for part in (runs, qrels)))


# --------------------------------------------------------------------------------------------------------- Spark


def _of_spark(runs: Any, qrels: Any, task: Task, jobs: int, rows_per_part: int) -> Iterator[Any]:
    from pyspark.sql import functions

    session = runs.sparkSession
    if engine_of(qrels) is None:
        qrels = session.createDataFrame(qrels)
    n = int(session.conf.get('spark.sql.shuffle.partitions'))
    grouped = []
    for frame, what in ((runs, 'runs'), (qrels, 'judgments')):
        query = functions.col(_query_column(frame.columns, what)).cast('string')
        bucket = functions.pmod(functions.xxhash64(query), functions.lit(n))
        grouped.append(frame.withColumn(BUCKET, bucket).groupBy(BUCKET))

    def pickled(left: Any, right: Any) -> Any:
        import pandas as pd

        return pd.DataFrame(
            {'result': [pickle.dumps(_without_bucket(task, left, right), protocol=5)]}
        )

    for row in (
        grouped[0].cogroup(grouped[1]).applyInPandas(pickled, 'result binary').toLocalIterator()
    ):
        yield pickle.loads(row['result'])


# ------------------------------------------------------------------------------------------------ parquet folders


def _of_parquet(runs: Any, qrels: Any, task: Task, jobs: int, rows_per_part: int) -> Iterator[Any]:
    import tempfile

    import pyarrow as pa
    import pyarrow.dataset as ds

    both = [
        _dataset(runs),
        _dataset(qrels)
        if engine_of(qrels)
        else ds.dataset(pa.Table.from_pandas(qrels, preserve_index=False)),
    ]
    names = both[0].schema.names
    run_names = {
        _first(each, names) for each in (*(NAMES[name] for name in COLUMNS), SYSTEM_COLUMNS)
    }
    run_columns = [
        name for name in names if name in run_names or name in RUN_COLUMNS or name == 'rank'
    ]
    columns_by_part = [run_columns, both[1].schema.names]
    rows = max(each.count_rows() for each in both)
    n = min(-(-rows // rows_per_part), OPEN)
    if n == 1:
        yield task(*(each.to_table(columns=names) for each, names in zip(both, columns_by_part)))
        return
    with tempfile.TemporaryDirectory(prefix='ir_divmeasures-') as folder:
        paths = [
            [os.path.join(folder, f'{what}-{i}') for i in range(n)]
            for what in ('runs', 'judgments')
        ]
        for each, columns, what, files in zip(both, columns_by_part, ('runs', 'judgments'), paths):
            _spill(each, columns, what, files)
        yield from _in_order(functools.partial(_read_part, task), list(zip(*paths)), jobs)


def _keys(ids: Any, column: str, what: str) -> NDArray[np.uint64]:
    """A number for each row that depends on the text of its query's id only."""
    import pyarrow as pa

    if ids.null_count or not (pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type)):
        ids = Strings.of(coding.ids({column: ids.to_pandas()}, column, what)).array
    stretches = call_arrow('run_end_encode', ids)
    return np.repeat(
        text_keys(Strings.of(stretches.values)), np.diff(values_of(stretches.run_ends), prepend=0)
    )


def _spill(source: Any, columns: list[str], what: str, paths: list[str]) -> None:
    """Write the rows of a dataset to as many files, all rows of a query to one of them."""
    import pyarrow as pa

    query = _query_column(columns, what)
    schema = pa.schema([source.schema.field(name) for name in columns])
    with (
        contextlib.ExitStack() as stack,
        progress(source.count_rows(), 'row', f'dividing {what}') as bar,
    ):
        files = [stack.enter_context(pa.ipc.new_stream(path, schema)) for path in paths]
        for batch in source.to_batches(
            columns=columns, batch_size=BATCH, batch_readahead=1, fragment_readahead=1
        ):
            bucket = (_keys(batch.column(query), query, what) % len(paths)).astype(
                np.uint16
            )  # sorted fastest
            order = np.argsort(bucket, kind='stable')
            ends = np.cumsum(np.bincount(bucket, minlength=len(paths)))
            ordered = batch.take(pa.array(order))
            for file, start, end in zip(files, [0, *ends], ends):
                if end > start:
                    file.write_batch(ordered.slice(start, end - start))
            bar.update(len(batch))


def _read_part(task: Task, paths: tuple[str, str]) -> Any:
    import pyarrow as pa

    tables = []
    for path in paths:
        with pa.memory_map(path) as file:
            tables.append(pa.ipc.open_stream(file).read_all())
        with contextlib.suppress(
            PermissionError
        ):  # of Windows, where the folder is removed in the end
            os.remove(path)
    return task(*tables)


def _in_order(function: Callable[[Any], Any], items: list[Any], jobs: int) -> Iterator[Any]:
    """Apply a function to each item in several processes, in order, with progress on a terminal."""
    with progress(len(items), 'part', 'parts') as bar:
        if jobs == 1:
            for item in items:
                yield function(item)
                bar.update()
            return
        import joblib

        from .sharing import count_workers

        remaining, at_once = iter(items), 4 * count_workers(jobs)
        while batch := list(itertools.islice(remaining, at_once)):
            yield from joblib.Parallel(n_jobs=jobs, batch_size=1)(
                joblib.delayed(function)(item) for item in batch
            )
            bar.update(len(batch))


def _dataset(source: Any) -> Any:
    if not isinstance(source, (str, os.PathLike)):
        return source
    import pyarrow.dataset as ds

    return ds.dataset(os.fspath(source), format='parquet', partitioning='hive')


_ENGINES = {'dask': _of_dask, 'spark': _of_spark, 'parquet': _of_parquet}
_SAID = {'dask': 'a Dask DataFrame', 'spark': 'a Spark DataFrame', 'parquet': 'parquet files'}

__all__ = ['ROWS', 'each_part', 'totals']
