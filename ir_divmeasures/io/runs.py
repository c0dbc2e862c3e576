"""Runs from any source as one tidy table: ``query_id, doc_id, score``.

The order of a ranking is score descending, then doc_id descending (trec_eval's); a rank column is never read.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import did_you_mean, plain, warn
from . import text as textfiles
from .coding import codes, first_repetition, ids

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
    frame = _read_file(path)
    del frame.attrs['path']
    repeated = duplicate_row(frame)
    if repeated is not None:
        row = frame.iloc[repeated]
        line = textfiles.line_of(textfiles.read_bytes(path), repeated)
        raise ValueError(f'{path}, line {line}: document {row.doc_id!r} stands twice in query {row.query_id!r}')
    return frame


def _read_file(path: str) -> pd.DataFrame:
    data = textfiles.read_bytes(path)
    frame = textfiles.frame(textfiles.split_columns(data, path, TREC_FIELDS, list(COLUMNS), numeric=('score',)))
    frame.attrs['path'] = path
    if not len(frame):
        warn(f'{path}: a run without documents')
    return frame


def read_runs(source: Any) -> Iterator[tuple[str, pd.DataFrame]]:
    """Read many TREC run files one after the other; the next file is read while you work on the last one.

    Args:
        source: a folder (all its files but hidden ones), a glob pattern, or an iterable of paths.

    Yields:
        ``(name, run)``: the file's name without ``.gz`` and ``.run``, and the run as :func:`read_run` gives it, but
        that a document retrieved twice is found when the run is evaluated. In order of names for a folder or pattern,
        else as given.

    Raises:
        FileNotFoundError: no such folder or file, or nothing matches the pattern.
        ValueError: two files of one name, or an unreadable file (see :func:`read_run`).

    Examples:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in ('b.run', 'a.run'):
        ...     with open(os.path.join(folder, name), 'w') as file:
        ...         _ = file.write('1 Q0 d1 1 2.5 tag\\n')
        >>> [(name, len(run)) for name, run in read_runs(folder)]
        [('a', 1), ('b', 1)]
    """
    for name, get in loaded_ahead(run_paths(source), _read_file):
        yield name, get()


def loaded_ahead(sources: Mapping[str, Any], load: Callable[[Any], pd.DataFrame],
                 ) -> Iterator[tuple[str, Callable[[], pd.DataFrame]]]:
    """``(name, get)`` of each source: ``get()`` is ``load(source)``, or raises what that raised.

    The next source is loaded by a thread while you work on the last one.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as reader:
        waiting: tuple[str, Any] | None = None
        for name, source in sources.items():
            following = name, reader.submit(load, source)
            if waiting is not None:
                yield waiting[0], waiting[1].result
            waiting = following
        if waiting is not None:
            yield waiting[0], waiting[1].result


def run_paths(source: Any) -> dict[str, str]:
    """Run files by name: of a folder, a glob pattern or an iterable of paths (see :func:`read_runs`)."""
    import glob

    if isinstance(source, (str, os.PathLike)):
        pattern = os.fspath(source)
        if os.path.isdir(pattern):
            found = sorted(entry.path for entry in os.scandir(pattern)
                           if entry.is_file() and not entry.name.startswith('.'))
        else:
            found = sorted(glob.glob(pattern)) or ([pattern] if os.path.isfile(pattern) else [])
        if not found:
            raise FileNotFoundError(f'{pattern}: no run files there')
    else:
        found = [os.fspath(path) for path in source]
    named: dict[str, str] = {}
    for path in found:
        name = os.path.basename(path).removesuffix('.gz').removesuffix('.run')
        if name in named:
            raise ValueError(f'two run files are named {name!r}: {named[name]} and {path}')
        named[name] = path
    return named


def duplicate_row(frame: pd.DataFrame) -> int | None:
    """The first row that repeats an earlier (query, document), or None."""
    if not len(frame):
        return None
    query, document = codes(frame['query_id']), codes(frame['doc_id'])
    return first_repetition(query.astype(np.int64) * (int(document.max()) + 1) + document)


def check_file(frame: pd.DataFrame) -> None:
    """A run as :func:`read_runs` gives it: no document stands twice in a query of its file.

    Raises:
        ValueError: one does; names file and line.
    """
    if 'path' in frame.attrs and duplicate_row(frame) is not None:
        read_run(frame.attrs['path'])


def tidy(run: Any) -> pd.DataFrame:
    """A run in any form that ir_measures or PyTerrier uses → ``query_id, doc_id, score``.

    DataFrame (ir_measures or PyTerrier column names), path, nested dict ``{query: {doc: score}}``, or iterable of
    namedtuples. Documents retrieved twice are found when the run is aligned.

    Raises:
        TypeError: not a run.
        ValueError: a missing column, a missing id, or a score that is not a number; names query and document.
    """
    import pandas as pd

    if isinstance(run, (str, os.PathLike)):
        return _read_file(os.fspath(run))
    if isinstance(run, dict):
        for query, docs in run.items():
            if not isinstance(docs, dict):
                raise TypeError(f'run: query {query!r}: expected a dict of documents, found {docs!r}')
        pairs = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
        frame = pd.DataFrame(pairs, columns=list(COLUMNS))
    elif isinstance(run, pd.DataFrame):
        frame = run
        if not all(column in frame.columns for column in COLUMNS):
            frame = frame.rename(columns={old: new for old, new in ALIASES.items() if new not in frame.columns})
        for column in COLUMNS:
            if column not in frame.columns:
                raise ValueError(f'run: no column {column!r} (found {", ".join(map(str, run.columns))})'
                                 + did_you_mean(column, map(str, run.columns), list_known=False))
        frame = frame[list(COLUMNS)]
    elif hasattr(run, '__iter__'):
        rows: list[Any] = list(run)
        if rows and not all(hasattr(rows[0], column) for column in COLUMNS):
            raise TypeError(f'run: expected namedtuples with fields {", ".join(COLUMNS)}, found {rows[0]!r}')
        frame = pd.DataFrame([(r.query_id, r.doc_id, r.score) for r in rows], columns=list(COLUMNS))
    else:
        raise TypeError(f'run: expected a DataFrame, a path, a dict of dicts or an iterable of namedtuples, found '
                        f'{type(run).__name__}')
    return frame.assign(query_id=ids(frame, 'query_id', 'run'), doc_id=ids(frame, 'doc_id', 'run'),
                        score=scores(frame))


def scores(frame: pd.DataFrame) -> np.ndarray:
    """The score column as float64; NaN and text are errors that name query and document."""
    try:
        values = frame['score'].to_numpy(dtype=float)
    except (TypeError, ValueError):
        values = np.array([_score(value) for value in frame['score']])
    if np.isnan(values).any():
        row = frame.iloc[int(np.flatnonzero(np.isnan(values))[0])]
        raise ValueError(f'run: query {row.query_id!r}, document {row.doc_id!r}: score is {plain(row.score)!r}, '
                         f'expected a number')
    return values


def _score(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float('nan')


def iter_runs(source: Any) -> Iterator[tuple[str, pd.DataFrame]]:
    """The runs of several systems, from files or in memory, one at a time.

    Args:
        source: a folder, a glob pattern or a path (see :func:`read_runs`); a dict ``{system: run}``; or an iterable of
            pairs ``(system, run)`` or of paths. A run is whatever :func:`tidy` takes.

    Yields:
        ``(system, run)``, the run as ``query_id, doc_id, score``. Progress is shown on a terminal.

    Raises:
        FileNotFoundError: no such folder or file, or nothing matches the pattern.
        TypeError: not runs.
        ValueError: two runs of one system, or a run that :func:`tidy` does not take; names the system or file.

    Examples:
        >>> [(system, len(run)) for system, run in iter_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}})]
        [('A', 2)]
    """
    import pandas as pd
    from tqdm import tqdm

    named: Any
    total: int | None
    if isinstance(source, (str, os.PathLike)):
        paths = list(run_paths(source).values())
        named, total = read_runs(paths), len(paths)
    elif isinstance(source, pd.DataFrame) or not hasattr(source, '__iter__'):
        raise TypeError(f'runs: expected a folder, a pattern, a dict of runs, or an iterable of pairs (system, run) or '
                        f'of paths, found {type(source).__name__}')
    else:
        named = source.items() if isinstance(source, dict) else map(_named_run, source)
        total = len(source) if hasattr(source, '__len__') else None
    seen: set[str] = set()
    for system, run in tqdm(named, desc='runs', unit='run', total=total, disable=None):
        name = str(system)
        if name in seen:
            raise ValueError(f'two runs of system {name!r}')
        seen.add(name)
        try:
            frame = tidy(run)
        except (TypeError, ValueError, AttributeError) as error:
            kind = ValueError if isinstance(error, ValueError) else TypeError
            raise kind(f'system {name!r}: {error}') from None
        yield name, frame


def _named_run(item: Any) -> tuple[str, Any]:
    if isinstance(item, (str, os.PathLike)):
        return next(iter(run_paths([item]).items()))
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
        return item
    raise TypeError(f'runs: expected pairs (system, run) or paths, found {type(item).__name__}')
