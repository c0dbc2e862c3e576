"""Runs from any source as one tidy table: ``query_id, doc_id, score``.

The order of a ranking is score descending, then doc_id descending (trec_eval's); a rank column is never read.
"""
from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import textfiles
from .errors import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ('query_id', 'doc_id', 'score')
ALIASES = {'qid': 'query_id', 'docno': 'doc_id'}
TREC_FIELDS = ['query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag']


def read_run(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a TREC run file, plain or .gz.

    Lines are ``query_id Q0 doc_id rank score tag``, parted by blanks or tabs; empty lines, ``#`` comments and CRLF
    are fine. The ``rank`` field is never read: rankings are by score descending, ties by doc_id descending.

    Args:
        path: the file.

    Returns:
        DataFrame ``query_id`` (str), ``doc_id`` (str), ``score`` (float), in the order of the file.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a line without six fields, a score that is not a number (NaN included), a document twice in a
            query; names file and line.

    Examples:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'my.run')
        >>> with open(path, 'w') as file:
        ...     _ = file.write('1 Q0 d1 1 2.5 tag\\n1 Q0 d2 2 1.5 tag\\n')
        >>> read_run(path)
          query_id doc_id  score
        0        1     d1    2.5
        1        1     d2    1.5
    """
    path = os.fspath(path)
    data = textfiles.read_bytes(path)
    table = textfiles.split_columns(data, path, TREC_FIELDS, list(COLUMNS))
    score = textfiles.numbers(table['score'], 'score', path, data)
    frame = textfiles.frame(table.select(['query_id', 'doc_id']))
    frame['score'] = score
    repeated = duplicate_row(frame)
    if repeated is not None:
        row = frame.iloc[repeated]
        raise ValueError(f'{path}, line {textfiles.line_of(data, repeated)}: document {row.doc_id!r} stands twice in '
                         f'query {row.query_id!r}')
    return frame


def duplicate_row(frame: pd.DataFrame) -> int | None:
    """The first row that repeats an earlier (query, document), or None."""
    if not len(frame):
        return None
    query, document = codes(frame['query_id']), codes(frame['doc_id'])
    return first_repetition(query.astype(np.int64) * (int(document.max()) + 1) + document)


def first_repetition(keys: np.ndarray) -> int | None:
    """The place of the first key that stands at an earlier place too, or None."""
    span = int(keys.max()) + 1 if len(keys) else 0
    if span <= 64 * len(keys) + 1_000_000:
        seen = np.zeros(span, dtype=bool)
        seen[keys] = True
        if np.count_nonzero(seen) == len(keys):
            return None
    elif len(np.unique(keys)) == len(keys):
        return None
    _, first = np.unique(keys, return_index=True)
    return int(np.setdiff1d(np.arange(len(keys)), first)[0])


def arrow(column: Any) -> Any:
    """A column of ids as one pyarrow string array."""
    import pyarrow as pa

    array = pa.array(column, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.type != pa.string():
        array = array.cast(pa.string())
    return array


def codes(column: Any) -> np.ndarray:
    """Whole numbers that stand for the distinct values of a column of ids, by first appearance."""
    return arrow(column).dictionary_encode().indices.to_numpy()


def tidy(run: Any) -> pd.DataFrame:
    """A run in any form that ir_measures or PyTerrier uses → ``query_id, doc_id, score``.

    DataFrame (ir_measures or PyTerrier column names), path, nested dict ``{query: {doc: score}}``, or iterable of
    namedtuples. Documents retrieved twice are found when the run is aligned.

    Raises:
        TypeError: not a run.
        ValueError: a missing column, or a score that is not a number; names query and document.
    """
    import pandas as pd

    if isinstance(run, (str, os.PathLike)):
        return read_run(run)
    if isinstance(run, dict):
        pairs = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
        frame = pd.DataFrame(pairs, columns=list(COLUMNS))
    elif isinstance(run, pd.DataFrame):
        frame = run
        if not all(column in frame.columns for column in COLUMNS):
            frame = frame.rename(columns={old: new for old, new in ALIASES.items() if new not in frame.columns})
        for column in COLUMNS:
            if column not in frame.columns:
                raise ValueError(f'run: no column {column!r} (found {", ".join(map(str, run.columns))})'
                                 + did_you_mean(column, map(str, run.columns)).replace('; known: ', '; not among: '))
        frame = frame[list(COLUMNS)]
    elif hasattr(run, '__iter__'):
        rows: list[Any] = list(run)
        if rows and not all(hasattr(rows[0], column) for column in COLUMNS):
            raise TypeError(f'run: expected namedtuples with fields {", ".join(COLUMNS)}, found {rows[0]!r}')
        frame = pd.DataFrame([(r.query_id, r.doc_id, r.score) for r in rows], columns=list(COLUMNS))
    else:
        raise TypeError(f'run: expected a DataFrame, a path, a dict of dicts or an iterable of namedtuples, found '
                        f'{type(run).__name__}')
    return frame.assign(score=scores(frame))


def scores(frame: pd.DataFrame) -> np.ndarray:
    """The score column as float64; NaN and text are errors that name query and document."""
    try:
        values = frame['score'].to_numpy(dtype=float)
    except (TypeError, ValueError):
        values = np.array([_score(value) for value in frame['score']])
    if np.isnan(values).any():
        row = frame.iloc[int(np.flatnonzero(np.isnan(values))[0])]
        raise ValueError(f'run: query {row.query_id!r}, document {row.doc_id!r}: score is {row.score!r}, expected a '
                         f'number')
    return values


def _score(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float('nan')


# ------------------------------------------------------------------------------------------------ many runs

ENDINGS = ('.gz', '.run', '.txt', '.res', '.trec', '.tsv')
"""Left off a file's name when it names a system."""


def iter_runs(source: Any) -> Iterator[tuple[str, pd.DataFrame]]:
    """The runs of several systems, one in memory at a time.

    Args:
        source: a folder (every file in it but hidden ones), a glob pattern, a path, a dict ``{system: run}``, or an
            iterable of pairs ``(system, run)`` or of paths. A run is whatever :func:`tidy` takes. Files name their
            system: ``bm25.run.gz`` is ``bm25``.

    Yields:
        ``(system, run)``, the run as ``query_id, doc_id, score``. Progress is shown on a terminal.

    Raises:
        FileNotFoundError: no file at the path or pattern.
        TypeError: not runs.
        ValueError: two runs of one system, or a run that :func:`tidy` does not take; names the system.
    """
    from tqdm import tqdm

    named = _named_runs(source)
    seen: set[str] = set()
    for number, (system, run) in enumerate(tqdm(named, desc='runs', unit='run', disable=None), 1):
        if system in seen:
            raise ValueError(f'run {number}: a run of system {system!r} was given before')
        seen.add(system)
        try:
            yield system, tidy(run)
        except (TypeError, ValueError, AttributeError) as error:
            kind = ValueError if isinstance(error, ValueError) else TypeError
            raise kind(f'system {system!r}: {error}') from None


def system_name(path: str | os.PathLike[str]) -> str:
    """The system that a run file is of: the file's name without the endings of run files.

    Examples:
        >>> system_name('runs/bm25.v2.run.gz')
        'bm25.v2'
    """
    name = os.path.basename(os.fspath(path))
    while name.endswith(ENDINGS) and '.' in name[1:]:
        name = name.rpartition('.')[0]
    return name


def _named_runs(source: Any) -> Any:
    import pandas as pd

    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isdir(path):
            files = [entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith('.')]
        elif os.path.isfile(path):
            files = [path]
        else:
            files = glob.glob(path, recursive=True)
            if not files:
                raise FileNotFoundError(f'{path}: no folder, no file, and no file matches it as a pattern')
        return [(system_name(file), file) for file in sorted(files)]
    if isinstance(source, dict):
        return [(str(system), run) for system, run in source.items()]
    if isinstance(source, pd.DataFrame) or not hasattr(source, '__iter__'):
        raise TypeError(f'runs: expected a folder, a pattern, a dict of runs, or an iterable of pairs (system, run) or '
                        f'of paths, found {type(source).__name__}')
    return (_named_run(item) for item in source)


def _named_run(item: Any) -> tuple[str, Any]:
    if isinstance(item, (str, os.PathLike)):
        return system_name(item), item
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
        return item
    raise TypeError(f'runs: expected pairs (system, run) or paths, found {type(item).__name__}')
