"""Runs from any source: one (:func:`read`, :func:`read_run`) or several by system (:func:`named`, :func:`read_runs`).

The order of a ranking is score descending, then doc_id descending (trec_eval's). Only a table without scores is read by
its ranks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FilesWarning, naming, short, warn
from ..lazy import cached_property, pd
from ..progress import progress
from . import forms
from .columns import RUN_KEYS, check_valid, numbers
from .files import is_path, read_blocks, run_files
from .forms import SYSTEM_COLUMNS, is_frame, is_table, pandas_frame
from .ids import Texts, are_documents, as_frame, find_duplicate, order_ranking
from .lines import Lines

if TYPE_CHECKING:
    from ..typing import RunLike, RunsLike

ENDINGS = (
    '.gz',
    '.bz2',
    '.xz',
    '.zst',
    '.run',
    '.res',
    '.csv',
    '.tsv',
    '.parquet',
    '.jsonl',
    '.json',
)
"""Endings of file names that are removed, in this order, to get the name of a system."""

ONE_RUN = 'run'
"""The name of the system when one run stands alone and no file gives it a name."""

SEVERAL = (
    f'a folder, a pattern, a path or paths of run files, {{system: run}}, pairs (system, run), runs, a table '
    f'with one of the columns {", ".join(SYSTEM_COLUMNS)}, or one run'
)
"""The forms of several runs."""

MOST_SYSTEMS = 1000
"""A column with more values names something else, such as the titles of documents."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run, and its file, so that a later error can name file and line.

    Attributes:
        query_id, doc_id: the query and the document of each row.
        score: the score of each row; (rows,).
        path: the file, or None.
        lines: the lines that the rows are from, or None.
    """

    query_id: Texts
    doc_id: Texts
    score: NDArray[np.float64]
    path: str | None = None
    lines: Lines | None = None

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a DataFrame."""
        return as_frame(dict(zip(RUN_KEYS, (self.query_id, self.doc_id, self.score))))

    def rows(self, chosen: NDArray[np.bool_]) -> Run:
        """Some rows, without the file that they are from."""
        rows = np.flatnonzero(chosen)
        return Run(self.query_id.take(rows), self.doc_id.take(rows), self.score[rows])

    def of_query(self, query_id: str) -> Run:
        """The rows of one query, without the file that they are from."""
        return self.rows(self.table['query_id'].to_numpy() == query_id)

    def place(self, row: int) -> str:
        """The file and the line of a row, for messages."""
        return self.lines.place(row) if self.lines else self.path or 'run'

    def check(self) -> Run:
        """Raise an error if a document is twice in a query, or is called ``'-'``; else return the run."""
        self.check_documents(find_duplicate(self.query_id, self.doc_id))
        return self

    def check_documents(self, duplicate: int | None) -> None:
        """Raise if a row repeats an earlier one, or is of the document ``'-'``, which stands for none in judgments.

        Args:
            duplicate: the row that repeats an earlier one, or None.

        Raises:
            ValueError: names file and line, or query and document.
        """
        row, problem = duplicate, 'duplicate document'
        if row is None:
            documents = are_documents(self.doc_id)
            if documents.all():
                return
            row, problem = int(np.argmin(documents)), 'no document can be called'
        query, document = (
            short(each.pick(np.array([row]))[0]) for each in (self.query_id, self.doc_id)
        )
        if self.path is None:
            raise ValueError(f'run: query {query}: {problem} {document}')
        raise ValueError(f'{self.place(row)}: {problem} {document} in query {query}')


# --------------------------------------------------------------------------------------------------------------- one run


def read_run(path: RunLike, format: str | None = None) -> pd.DataFrame:
    """Read a run from a file, or from an object of another package.

    Lines of a TREC run are ``query_id Q0 doc_id rank score tag``, separated by spaces or tabs. Empty lines, comments
    (``#``) and CRLF are fine. A line that begins with ``#`` and has all its fields is no comment: ``#metoo`` is a query
    id. The ``rank`` field of a line is never read: rankings are by score descending, ties by doc_id descending.

    Args:
        path: a file or an open one: a TREC run, a .csv or .tsv with a header, .parquet, .json (nested, or records) or
            .jsonl, plain or compressed (gzip, bzip2, xz, zstandard); a Polars, Arrow or DuckDB table; tuples (query,
            document, score); ``{query: [document, …]}`` in the order of the rankings; or any other form of one run that
            ir_measures or PyTerrier uses. A table without scores is read by its column ``rank``: low ranks are good.
        format: the form of a file, recognized if you do not give it: ``'trec'``, ``'tsv'``, ``'csv'``, ``'parquet'`` or
            ``'json'``.

    Returns:
        DataFrame ``query_id`` (str), ``doc_id`` (str), ``score`` (float), in the order of the file.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a line with another number of fields, a score that is not a number (NaN included), a duplicate
            document in a query; names file and line.

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
    return read(path, format).check().table


def read(run: Any, format: str | None = None) -> Run:
    """One run in any form that ir_measures or PyTerrier uses.

    DataFrame (ir_measures or PyTerrier column names), path of a file, nested dict ``{query: {doc: score}}``, or
    iterable of namedtuples. Duplicate documents are found by :meth:`Run.check`, or when the run is aligned.

    Args:
        run: the run.
        format: the form of files, as for :func:`read_run`.
    """
    if isinstance(run, Run):
        return run
    if not is_path(run) and not hasattr(run, 'read'):
        return _of_table(run)
    path = path_of(run)
    systems = read_systems(run, format)
    if len(systems) > 1:
        raise ValueError(
            f'{path}: has runs of {len(systems)} systems ({", ".join(list(systems)[:5])}); '
            f'read_runs reads them'
        )
    (one,) = systems.values()
    if not len(one):
        warn(f'{path}: a run without documents', FilesWarning)
    return one


def path_of(source: Any) -> str:
    """What messages call a file: its path, or the name of an open file."""
    if is_path(source):
        return os.fspath(source)
    name = getattr(source, 'name', None)  # a pipe's is a number
    return name if isinstance(name, str) else f'<{type(source).__name__}>'


def read_systems(source: Any, format: str | None = None) -> dict[str, Run]:
    """The run of each system that a file names, or one of the system ''. ``source`` is a path or an open file."""
    path = path_of(source)
    with naming(path):
        rows = forms.read(read_blocks(source, path), path, forms.RUNS, format)
        if not isinstance(rows, Lines):
            systems = (_split(rows) if is_frame(rows) else None) or {'': rows}
            return {system: _of_table(run, path) for system, run in systems.items()}
        query, document, score = rows.columns.values()
        return {'': Run(query, document, score, path, rows)}


def _of_table(table: Any, path: str | None = None) -> Run:
    """The run of a source in memory, or of a file that names its columns. Its values are checked."""
    columns = forms.columns_of(table, forms.RUNS, 'run')
    query, document = (forms.ids(columns, name, 'run') for name in RUN_KEYS[:2])
    score = numbers(columns['score'])
    check_valid(~np.isnan(score), columns, 'score', 'a number', *RUN_KEYS[:2])
    return Run(query, document, score, path)


def write_run(
    run: Any,
    path: str | os.PathLike[str],
    *,
    tag: str = ONE_RUN,
    format: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write a run to a file that :func:`read_run` reads back.

    Each query's documents are written in the order of the ranking, with ranks from 1.

    Args:
        run: one run in any form that :func:`read_run` takes.
        path: the file; ``.gz`` compresses.
        tag: the last field of each line.
        format: ``'trec'`` (``query_id Q0 doc_id rank score tag``), the default, or ``'tsv'`` (``query_id doc_id score``
            under a header).
        overwrite: replace an existing file.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        TypeError: not a run.
        ValueError: an id or tag that the format cannot hold.

    Examples:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), 'my.run')
        >>> write_run({'q1': {'d1': 0.5, 'd2': 1.5}}, path, tag='bm25')
        >>> print(path.read_text(), end='')
        q1 Q0 d2 1 1.5 bm25
        q1 Q0 d1 2 0.5 bm25
    """
    one = read(run).check()
    query = one.query_id.codes()[0]
    table = one.table.iloc[order_ranking(query, one.score, one.doc_id)].assign(Q0='Q0', tag=tag)
    table['rank'] = table.groupby('query_id', sort=False).cumcount() + 1
    forms.write(table, path, forms.RUNS, format, (), overwrite)


# ---------------------------------------------------------------------------------------------------------- several runs


def read_runs(source: RunsLike, format: str | None = None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Read the runs of several systems one after the other.

    Every function of this package that takes several runs takes these forms:

    * files (in any form of :func:`read_run`): a folder, a glob pattern, a path, or an iterable of paths. A system is
      named after its file, without ``.gz``, ``.run``, ``.parquet`` and their like. In order of names for a folder or
      pattern; of these, hidden files are skipped, and with a warning such as ``README``, ``*.md``, ``*.bak``, ``*~``;
    * ``{system: run}``, or an iterable of pairs ``(system, run)``, a generator too. A run is a path, a DataFrame
      (column names of ir_measures or PyTerrier), a dict ``{query: {doc: score}}``, an iterable of namedtuples, or any
      other form of :func:`read_run`;
    * an iterable of DataFrames or dicts, which are named ``run 1``, ``run 2``, …;
    * a table of several systems, as a DataFrame, a file that names its columns (.csv, .parquet, .jsonl, …) or any other
      form: the first of the columns ``system``, ``run``, ``tag``, ``model``, ``name`` and ``run_id`` that is constant
      within a ranking, leaves no document twice in one and has at most 1,000 values names the system of each row;
    * one run alone (DataFrame, dict or namedtuples), which is named ``run``.

    Args:
        source: the runs, in any of these forms. A generator is not advanced before its next run is needed.
        format: the form of files, as for :func:`read_run`.

    Yields:
        ``(system, run)``, the run as :func:`read_run` gives it.

    Raises:
        FileNotFoundError: no such folder or file, or nothing matches the pattern.
        TypeError: none of these forms.
        ValueError: two systems of one name, or an unreadable run (see :func:`read_run`); names system and file.

    Examples:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in ('b.run', 'a.run'):
        ...     with open(os.path.join(folder, name), 'w') as file:
        ...         _ = file.write('1 Q0 d1 1 2.5 tag\\n')
        >>> [(name, len(run)) for name, run in read_runs(folder)]
        [('a', 1), ('b', 1)]
        >>> [(name, len(run)) for name, run in read_runs({'A': {'q': {'d1': 2.0, 'd2': 1.0}}})]
        [('A', 2)]
    """
    for name, one in named(source, format)[0]:
        with naming(f'system {name!r}'):
            run = read(one, format).check()
        yield name, run.table


def each(source: Any) -> Iterator[tuple[str, Run]]:
    """Yield the runs of :func:`read_runs`, without a check for duplicate documents, and show progress on a terminal."""
    pairs, total = named(source)
    with progress(total, 'run', 'runs') as bar:
        for name, one in pairs:
            with naming(f'system {name!r}'):
                run = read(one)
            yield name, run
            bar.update()


def named(source: Any, format: str | None = None) -> tuple[Iterator[tuple[str, Any]], int | None]:
    """Return each system's run by name, and the number of runs (None if unknown).

    Runs are what :func:`read` takes. Files are not read yet, unless they may contain several systems. Arguments and
    errors are those of :func:`~ir_divmeasures.read_runs`. The names of an iterator are checked one by one, all others at
    once.
    """
    pairs = _distinct(_named(source, format))
    if isinstance(source, Iterator):
        return pairs, None
    listed = list(pairs)
    return iter(listed), len(listed)


def _named(source: Any, format: str | None, name: str = ONE_RUN) -> Iterator[tuple[str, Any]]:
    """The runs of any source with the names of their systems; ``name`` is that of a run that has none."""
    if is_path(source):
        for path in run_files(os.fspath(source)):
            yield from _of_file(path, format, name)
    elif hasattr(source, 'read'):
        yield from _of_file(source, format, name)
    elif is_table(source):
        frame = pandas_frame(source)
        systems = _split(frame)
        yield from ({name: frame} if systems is None else systems).items()
    elif isinstance(source, Mapping):
        if _is_one(source):
            yield name, source
        else:
            yield from ((str(system), run) for system, run in source.items())
    elif isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        yield from _of_items(iter(source), format)
    else:
        raise TypeError(f'runs: expected {SEVERAL}; found {type(source).__name__}')


def _of_file(source: Any, format: str | None, name: str) -> Iterator[tuple[str, Any]]:
    """The run of a path, which is not read, or the runs of an open file or a table with the names of systems."""
    path = path_of(source)
    if not path.startswith('<'):
        # Any output can contain the name: of bytes that are not UTF-8, ``\\xe9`` and so on.
        raw = os.path.basename(path).encode('utf-8', 'surrogateescape')
        name = raw.decode(errors='backslashreplace')
        for ending in ENDINGS:
            name = name.removesuffix(ending)
    if is_path(source) and (format or not forms.may_have_columns(path, SYSTEM_COLUMNS)):
        yield name, path
        return
    for system, run in read_systems(source, format).items():
        yield system or name, run


def _of_items(items: Iterator[Any], format: str | None) -> Iterator[tuple[str, Any]]:
    """The runs of an iterable of pairs (system, run), of runs, or of the rows of one run."""
    for place, item in enumerate(items, 1):
        if (
            isinstance(item, (tuple, list))
            and len(item) == 2
            and isinstance(item[0], (str, Integral))
        ):
            yield str(item[0]), item[1]
            continue
        fields = {*getattr(item, '_fields', ())}
        is_row = isinstance(item, tuple) and (len(item) == 3 or fields >= {*RUN_KEYS})
        if place == 1 and is_row:
            rows: Any = [item, *items]
            if not fields.isdisjoint(SYSTEM_COLUMNS):
                yield from _named(pd.DataFrame(rows), format)
            else:
                yield ONE_RUN, rows
            return
        name = f'{ONE_RUN} {place}'
        if is_path(item):
            yield from _of_file(item, format, name)
        elif hasattr(item, 'read') or is_table(item) or isinstance(item, Mapping):
            yield from _named(item, format, name)
        else:
            raise TypeError(
                f'runs: expected {SEVERAL}; found {type(item).__name__} at place {place}'
            )


def _is_one(source: Mapping[Any, Any]) -> bool:
    """Whether a dict is one run, ``{query: {doc: score}}`` or ``{query: [doc, …]}``: what is two levels down is no run,
    but a score or an id."""
    for documents in source.values():
        if not isinstance(documents, (Mapping, list)):
            return False
        values = documents.values() if isinstance(documents, Mapping) else documents
        for value in values:
            return value is None or isinstance(value, (Number, str))
    return False


def _distinct(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Pairs of names and runs. A name that is there twice is an error."""
    sources: dict[str, str] = {}
    for place, (name, run) in enumerate(pairs, 1):
        path = run if is_path(run) else getattr(run, 'path', None)
        source = os.fspath(path) if path else f'run {place} ({type(run).__name__})'
        if name in sources:
            raise ValueError(
                f'two systems are named {name!r}: {sources[name]} and {source}. Rename one, or in Python pass a dict {{system: run}}'
            )
        sources[name] = source
        yield name, run


# ------------------------------------------------------------------------------------------------ a table of several runs


def _split(frame: pd.DataFrame) -> dict[str, Any] | None:
    """The rows of each system of a table, by the first of its columns that names systems (see
    :func:`_names_systems`); None if none does.

    Raises:
        ValueError: a row has no value in this column.
    """
    forms.check_columns(frame.columns, 'runs', forms.RUNS.read)
    table = frame.rename(columns=forms.new_names(frame.columns, RUN_KEYS))
    if not {*RUN_KEYS} <= {*table.columns}:
        return None
    for column in (each for each in SYSTEM_COLUMNS if each in table.columns):
        if not len(table):
            return {}
        systems = _texts(table[column])
        if systems.any() and _names_systems(table, systems):
            return split(frame, column)
    return None


def _texts(column: pd.Series) -> pd.Series:
    return column.astype(object).fillna('').astype(str)


def split(frame: pd.DataFrame, column: str) -> dict[str, Any]:
    """The rows of each system of a table, whose name is in a column.

    Raises:
        ValueError: a row has no value in this column.
    """
    systems = _texts(frame[column])
    for row in np.flatnonzero(systems == '')[:1]:
        raise ValueError(f'runs: row {row} has no {column}')
    groups = frame.groupby(systems.to_numpy(), sort=False)
    return {name: run.reset_index(drop=True) for name, run in groups}


def _names_systems(table: pd.DataFrame, systems: pd.Series) -> bool:
    """Whether a column names the systems of a table of runs, which then has a ranking for each query and value.

    It does if it is constant, or if no document is in one of these rankings twice and it is constant within each
    ranking of the table. If the table has a document twice for a query, it has several rankings for it. Otherwise, a
    ranking is recognized from the rows: its rows follow each other, and more rows have the value of the row before them than
    another value at no higher a score. A title or a kind of document changes within a ranking.
    """
    if (n := systems.nunique()) == 1 or n > MOST_SYSTEMS:
        return n == 1
    rows = table[[*RUN_KEYS[:2]]].astype(str).assign(system=systems)
    if rows.duplicated(RUN_KEYS[:2]).any():
        return not rows.duplicated().any()
    ordered = rows[['query_id', 'system']].sort_values('query_id', kind='stable')
    if (ordered != ordered.shift()).any(axis=1).sum() > len(ordered.drop_duplicates()):
        return False
    rows = rows.assign(score=numbers(table['score']))
    before = rows.shift()
    same = rows['query_id'] == before['query_id']
    changes = same & (rows['system'] != before['system'])
    rises = rows['score'] > before['score']
    return bool((changes & ~rises).sum() <= (same & ~changes).sum())
