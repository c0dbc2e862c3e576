"""Runs from any source: one (:func:`read`, :func:`read_run`) or several by system (:func:`each`, :func:`read_runs`).

The order of a ranking is score descending, then doc_id descending (trec_eval's); a rank column is never read.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EmptyRunWarning, warn
from ..lazy import pd
from ..progress import progress
from . import forms
from . import frames as tables
from . import text as textfiles
from .columns import RUN_KEYS
from .frames import SYSTEM_COLUMNS
from .inputs import ONE_RUN, File, Source, named, opened
from .ordering import distinct
from .run_columns import READ, scores_of
from .text_columns import Texts, are_documents, as_frame, repeated_in_query

if TYPE_CHECKING:
    from ..typing import RunLike, RunsLike


@dataclass(frozen=True, eq=False)
class Run:
    """One run, and its file, so that a later error can name file and line.

    Attributes:
        query_id, doc_id: the query and the document of each row.
        score: the score of each row; (rows,).
        further: the columns ``rank`` and ``tag``, if the run has them. No score depends on them; checks compare the
            scores with them.
        path: the file, or None.
        lines: the lines of a file of lines.
    """

    query_id: Texts
    doc_id: Texts
    score: NDArray[np.float64]
    further: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None
    lines: textfiles.Lines | None = None

    def __len__(self) -> int:
        return len(self.score)

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The rows as a DataFrame."""
        return as_frame(dict(zip(RUN_KEYS, (self.query_id, self.doc_id, self.score))))

    def of_query(self, query_id: str) -> Run:
        """The rows of one query, without the file that they are from."""
        query, queries = self.query_id.codes()
        names = queries.array.to_pylist()
        return self.rows(query == (names.index(query_id) if query_id in names else -1))

    def rows(self, chosen: NDArray[np.bool_]) -> Run:
        """Some rows, without the file that they are from, and without ``rank`` and ``tag``."""
        rows = np.flatnonzero(chosen)
        return Run(self.query_id.take(rows), self.doc_id.take(rows), self.score[rows])

    def spread(self, name: str, n: int) -> list[tuple[str, str]]:
        """The texts of a further column in about n pairs of neighbouring rows of one query, spread over the run from its
        first rows to its last."""
        if len(self) < 2:
            return []
        rows, starts = (
            distinct(np.linspace(1, len(self) - 1, n).astype(np.intp)),
            self.query_id.starts,
        )
        rows = rows[np.searchsorted(starts, rows, 'right') == np.searchsorted(starts, rows)]
        column = self.further[name]
        before, after = (
            column.pick(each)
            if isinstance(column, Texts)
            else [str(value) for value in np.asarray(column)[each]]
            for each in (rows - 1, rows)
        )
        return list(zip(before, after))

    @functools.cached_property
    def query_ids(self) -> list[str]:
        """The queries of the run in order of first appearance."""
        return list(dict.fromkeys(self.query_id.pick(self.query_id.starts)))

    def check(self) -> Run:
        """Raise an error if a document is twice in a query, or is called ``'-'``; else return the run."""
        self.check_documents(repeated_in_query(self.query_id, self.doc_id))
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
        query, document = (each.pick(np.array([row]))[0] for each in (self.query_id, self.doc_id))
        if self.path is None:
            raise ValueError(f'run: query {query!r}: {problem} {document!r}')
        place = self.path if self.lines is None else self.lines.at(row)
        raise ValueError(f'{place}: {problem} {document!r} in query {query!r}')


def read_run(path: RunLike, format: str | None = None) -> pd.DataFrame:
    """Read a run from a file, or from an object of another package.

    Lines of a TREC run are ``query_id Q0 doc_id rank score tag``, separated by spaces or tabs. Empty lines, comments
    (``#``) and CRLF are fine. A line that begins with ``#`` and has all its fields is no comment: ``#metoo`` is a query
    id. The ``rank`` field is never read: rankings are by score descending, ties by doc_id descending.

    Args:
        path: a file or an open one: a TREC run, a .csv or .tsv with a header, .parquet, .json (nested, or records) or
            .jsonl, plain or compressed (gzip, bzip2, xz, zstandard); a Polars, Arrow or DuckDB table; tuples (query,
            document, score); or any other form of one run that ir_measures or PyTerrier uses.
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
    return _warn_if_empty(_load(path, format)).check().table


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
    table = _load(run).check().table
    table = table.assign(place=pd.factorize(table['query_id'])[0], Q0='Q0', tag=tag).sort_values(
        ['place', 'score', 'doc_id'], ascending=[True, False, False], kind='stable'
    )
    table['rank'] = table.groupby('place').cumcount() + 1
    forms.write(table, path, forms.RUNS, format, (), overwrite)


def read(run: Any) -> Run:
    """One run in any form that ir_measures or PyTerrier uses.

    DataFrame (ir_measures or PyTerrier column names), path of a file, nested dict ``{query: {doc: score}}``, or
    iterable of namedtuples. Duplicate documents are found by :meth:`Run.check`, or when the run is aligned.
    """
    return run if isinstance(run, Run) else _warn_if_empty(_load(run))


def _warn_if_empty(run: Run) -> Run:
    if run.path is not None and not len(run):
        warn(f'{run.path}: a run without documents', EmptyRunWarning)
    return run


def _load(run: Any, format: str | None = None) -> Run:
    """Do what :func:`read` does, without warnings. ``format`` is the form of files."""
    if isinstance(run, Run):
        return run
    return _of_rows(run if isinstance(run, forms.Rows) else _rows(opened(run), format))


def _rows(source: Source, format: str | None) -> forms.Rows:
    """The rows of a source with one run."""
    if not isinstance(source, File):
        return forms.Rows(source.in_memory())
    systems = forms.read_systems(source.content(), source.path, format)
    if len(systems) > 1:
        raise ValueError(
            f'{source.path}: has runs of {len(systems)} systems ({", ".join(list(systems)[:5])}); '
            f'read_runs reads them'
        )
    return next(iter(systems.values()))


def _of_rows(rows: forms.Rows) -> Run:
    """The run of some rows, whose values are checked."""
    with forms.naming(rows.path):
        columns = rows.columns if rows.lines else _columns(rows.columns)
        further = {'rank': columns['rank']} if 'rank' in columns else {}
        tag = next((name for name in SYSTEM_COLUMNS if name in columns and name != 'name'), None)
        if tag is not None:
            further['tag'] = columns[tag]
        query, document = (Texts.of(tables.ids(columns, name, 'run')) for name in RUN_KEYS[:2])
        return Run(query, document, scores_of(columns), further, rows.path, rows.lines)


def _columns(run: Any) -> dict[str, Any]:
    """The columns of a run in memory, or of one that a file with names of columns has."""
    if isinstance(run, Mapping):
        wrong = [query for query, docs in run.items() if not isinstance(docs, Mapping)]
        if wrong:
            raise TypeError(
                f'run: query {wrong[0]!r}: expected a dict of documents, found {run[wrong[0]]!r}'
            )
    elif not tables.is_frame(run) and hasattr(run, '__iter__'):
        run = list(run)
    elif not tables.is_frame(run):
        raise TypeError(
            f'run: expected a DataFrame, a path, a dict of dicts or an iterable of namedtuples, found '
            f'{type(run).__name__}'
        )
    if isinstance(run, list) and all(type(row) is tuple and len(row) == 3 for row in run):
        return tables.of_rows(run, *RUN_KEYS)
    columns = tables.columns_of(run, RUN_KEYS, 'run', READ)
    lacking = [name for name in RUN_KEYS if name not in (columns or ())]
    if lacking and isinstance(run, list):
        raise TypeError(
            f'run: expected namedtuples with fields {", ".join(RUN_KEYS)}, found {run[0]!r}'
        )
    if lacking:
        raise tables.no_column('run', lacking[0], run.columns)
    return columns or {}


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
    for name, run in loaded(named(source, format)[0], lambda one: _load(one, format).check()):
        yield name, run.table


def each(source: Any) -> Iterator[tuple[str, Run]]:
    """Yield the runs of :func:`read_runs`, without a check for duplicate documents, and show progress on a terminal."""
    pairs, total = named(source)
    with progress(total, 'run', 'runs') as bar:
        for pair in loaded(pairs):
            yield pair
            bar.update()


def loaded(
    pairs: Iterable[tuple[str, Any]], load: Callable[[Any], Run] = _load
) -> Iterator[tuple[str, Run]]:
    """Load runs one at a time. Errors name the system."""
    for name, source in pairs:
        with of_system(name):
            run = _warn_if_empty(load(source))
        yield name, run


@contextlib.contextmanager
def of_system(name: str) -> Iterator[None]:
    """Errors about a run name its system."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f'system {name!r}: {error}') from None
