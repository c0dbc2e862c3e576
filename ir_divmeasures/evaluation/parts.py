"""Many systems, and data that is larger than memory: one function scores some systems on some queries.

With ``jobs`` several processes score systems. Dask, Spark and parquet folders are scored in parts of the queries. An
engine moves all rows of a query to one part, and is imported when one of its tables is passed.
"""

from __future__ import annotations

import functools
import itertools
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data import runs as several
from ..data.files import is_log
from ..data.forms import NAMES, SYSTEM_COLUMNS, first_twice, no_column, pandas_frame
from ..data.judgments import Judgments
from ..errors import JudgmentsWarning, Message, collecting, naming, warn
from ..lazy import pd
from ..progress import progress, with_progress
from .checks import EXAMPLES
from .provider import Evaluator
from .scores import some

AT_ONCE = 16
"""The number of runs that a worker gets, if it is not known how many there are."""
ROWS = 1_000_000
"""The default for ``rows_per_part``: the approximate number of rows of runs or judgments in a part of a parquet
folder."""
PART = 'ir_divmeasures_part'
"""The column with the number of the part of each row, while rows are moved."""
MOST_PARTS = 512
"""The largest number of parts, because their files are open at the same time. Beyond it, parts are larger."""


class System(NamedTuple):
    """A system that was scored.

    Attributes:
        name: its name.
        values: its scores, (queries, measures), 0 on queries that it lacks.
        present: which queries it has, (queries,).
        messages: the warnings about it.
        unjudged: the first queries of its run without judgments.
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    messages: list[Message]
    unjudged: list[str]


def warn_about(kind: str, names: Sequence[str], messages: Sequence[list[Message]]) -> None:
    """Give one warning of each class for all systems, or parts, that it applies to."""
    of: dict[type[Warning], dict[str, str]] = {}
    for name, own_messages in zip(names, messages):
        for message, category in own_messages:
            of.setdefault(category, {}).setdefault(name, message)
    for category, entries in of.items():
        name, message = next(iter(entries.items()))
        several = f'{len(entries)} of {len(names)} {kind}s ({some(list(entries), 2)}); the first: '
        warn((several if len(entries) > 1 else f'{kind} {name!r}: ') + message, category)


def score_system(evaluator: Evaluator, name: str, source: Any) -> System:
    """Score a run by the measures of an evaluator, in their order. Errors name the system."""
    messages: list[Message] = []
    with naming(f'system {name!r}'), collecting(messages):
        run = several.read(source)
        overlay, values = evaluator.score(run)
        messages += evaluator.questions(run, overlay, values, is_alone=False)
    table = np.column_stack([values[measure] for measure in evaluator.measures])
    return System(name, table, overlay.located().n > 0, messages, list(overlay.unjudged[:EXAMPLES]))


def score_systems(
    evaluator: Evaluator, pairs: Iterable[tuple[str, Any]], total: int | None, n_workers: int
) -> Iterator[System]:
    """Score runs by name, the number of which may be known, in one process or several."""
    if n_workers == 1:
        for name, source in pairs:
            yield score_system(evaluator, name, source)
        return
    import joblib

    size = AT_ONCE if total is None else -(-total // n_workers)
    sendable = (_sendable(*pair) for pair in pairs)
    tasks = (
        joblib.delayed(_score_share)(evaluator, share)
        for share in iter(lambda: list(itertools.islice(sendable, size)), [])
    )
    for systems in joblib.Parallel(n_jobs=n_workers, return_as='generator')(tasks):
        yield from systems


def _score_share(evaluator: Evaluator, share: list[tuple[str, Any]]) -> list[System]:
    return [score_system(evaluator, *pair) for pair in share]


def _sendable(name: str, run: Any) -> tuple[str, Any]:
    """A run in a form that another process can read: an absolute path, or a run that was read."""
    if isinstance(run, (str, os.PathLike)):
        return name, os.path.abspath(run)  # a worker that is reused has its old working folder
    with naming(f'system {name!r}'):
        return name, several.read(run)


class Part(NamedTuple):
    """The scores of a part: the judged queries, the systems, and the warnings about the judgments and the files."""

    queries: list[str]
    systems: list[System]
    messages: list[Message]


Task = Callable[[Any, Any], Part]
"""A function of the runs and the judgments of some queries."""


def score_part(measures: list[str], ties: str | None, runs: Any, qrels: Any) -> Part:
    """Score one part: runs and judgments with all rows of some queries.

    A query has the scores that it has among all others, to the last bit.

    Args:
        measures: names of measures, which can be sent to other processes.
        ties: as for :func:`~ir_divmeasures.evaluate`.
        runs: a table with all rows of these queries. Its first column that may name systems, if it has one, names them.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.evaluate`; layers of judgments without layer 0: which layer is
            the official one cannot be seen in a part.
    """
    messages: list[Message] = []
    with collecting(messages):
        judgments, pairs = Judgments.of(qrels), _systems(runs).items()
        if not judgments.query_ids:
            nothing = np.zeros((0, len(measures))), np.zeros(0, dtype=bool)
            return Part([], [System(name, *nothing, [], []) for name, _ in pairs], messages)
        if 0 not in judgments.layer:
            raise ValueError(
                'judgments: no row of layer 0 in this part: which layer is the official one?'
            )
        evaluator = Evaluator(measures, judgments, ties)
        messages += evaluator.messages()
        systems = [score_system(evaluator, *pair) for pair in pairs]
    return Part(judgments.query_ids, systems, messages)


def _systems(runs: Any) -> dict[str, Any]:
    """The run of each system of a part. The first column that may name systems does so, because rows of a few queries
    do not tell.

    Raises:
        ValueError: a row has no value in this column, or it has too many values.
    """
    table = pandas_frame(runs)
    columns = [column for column in SYSTEM_COLUMNS if column in table.columns]
    if not columns:
        return {several.ONE_RUN: table}
    systems = several.split(table, columns[0])
    if len(systems) > several.MOST_SYSTEMS:
        raise ValueError(
            f'runs: {columns[0]} has {len(systems)} values in a part, expected the names of at most {several.MOST_SYSTEMS} '
            f'systems. Leave the column out if it names something else'
        )
    return systems


def score_parts(
    runs: Any, qrels: Any, measures: list[Any], n_workers: int, rows_per_part: int, ties: str | None
) -> tuple[list[str], list[System]]:
    """Score all parts, and give one warning of each kind about the judgments.

    Args:
        runs: a Dask or Spark DataFrame, a parquet file or folder of any name, or a pyarrow dataset; columns
            ``query_id, doc_id, score`` (``qid, docno``), and, if there are several systems, ``system`` (or ``run``, ``tag``, …).
        qrels: the same, or judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        measures, rows_per_part, ties: as for :func:`~ir_divmeasures.evaluate`.
        n_workers: the number of processes for parquet.

    Returns:
        The judged queries and the systems, both in the order of their ids.

    Raises:
        TypeError: runs and judgments of different engines.
        ValueError: as :func:`~ir_divmeasures.evaluate`; a query in two parts.
    """
    runs = _dataset(runs)
    engine, other = engine_of(runs), engine_of(qrels)
    if other not in (None, engine):
        raise TypeError(
            f'runs are {ENGINES[engine]}, judgments {ENGINES[other]}: expected judgments in memory or of the same engine'
        )
    task = functools.partial(score_part, [str(m) for m in measures], ties)
    judgments = qrels if other else Judgments.of(qrels).table
    if engine == 'parquet':
        parts = [*_of_parquet(runs, judgments, task, n_workers, rows_per_part)]
    else:
        parts = [*(_of_dask if engine == 'dask' else _of_spark)(runs, judgments, task)]
    # What is questionable about all judgments is so in each part.
    in_all = all(
        any(category is JudgmentsWarning for _, category in part.messages)
        for part in parts
        if part.queries
    )
    warn_about(
        'part',
        [str(number) for number in range(1, len(parts) + 1)],
        [[m for m in part.messages if in_all or m[1] is not JudgmentsWarning] for part in parts],
    )
    return join(parts, len(measures))


def join(parts: list[Part], n_measures: int) -> tuple[list[str], list[System]]:
    """The scores of the queries of all parts, as :func:`score_parts` returns them.

    Raises:
        ValueError: a query in two parts.
    """
    queries = sorted(query for part in parts for query in part.queries)
    if (query := first_twice(queries)) is not None:
        raise ValueError(f'query {query!r} is in two parts: each must have all rows of its queries')
    place, n = {query: number for number, query in enumerate(queries)}, len(queries)
    systems = {
        name: System(name, np.zeros((n, n_measures)), np.zeros(n, dtype=bool), [], [])
        for name in sorted({each.name for part in parts for each in part.systems})
    }
    for part in parts:
        rows = [place[query] for query in part.queries]
        for each in part.systems:
            system = systems[each.name]
            system.values[rows], system.present[rows] = each.values, each.present
            system.messages.extend(each.messages)
            system.unjudged.extend(each.unjudged)
    return queries, list(systems.values())


# -------------------------------------------------------------------------------------------------------- engines


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


def in_memory(source: Any, engine: str) -> Any:
    """A table of an engine as a DataFrame, but one of Spark as it is, which readers of judgments convert."""
    if engine == 'parquet':
        return _dataset(source).to_table().to_pandas()
    return source.compute() if engine == 'dask' else source


def _query_column(names: Iterable[Any], what: str) -> str:
    names = list(names)
    known = [name for name in NAMES['query_id'] if name in names]
    if not known:
        raise no_column(what, 'query_id', names)
    return known[0]


def _of_dask(runs: Any, qrels: Any, task: Task) -> Iterator[Part]:
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


def _of_spark(runs: Any, qrels: Any, task: Task) -> Iterator[Part]:
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

    def pickled(runs: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({'result': [pickle.dumps(task(runs, qrels))]})

    results = grouped[0].cogroup(grouped[1]).applyInPandas(pickled, 'result binary')
    for row in results.toLocalIterator():
        yield pickle.loads(row['result'])


def _of_parquet(
    runs: Any, qrels: Any, task: Task, n_workers: int, rows_per_part: int
) -> Iterator[Part]:
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
        results = joblib.Parallel(n_jobs=n_workers, batch_size=1, return_as='generator')(
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


def _of_files(task: Task, divided: list[Any], place: int) -> Part:
    import pyarrow.dataset as ds

    rows = (source.to_table(filter=ds.field(PART) == place) for source in divided)
    return task(*(each.drop_columns([PART]) for each in rows))


def _dataset(source: Any) -> Any:
    """A path as a dataset, all else as it is."""
    if not isinstance(source, (str, os.PathLike)):
        return source
    import pyarrow.dataset as ds

    return ds.dataset(os.fspath(source), format='parquet', partitioning='hive')
