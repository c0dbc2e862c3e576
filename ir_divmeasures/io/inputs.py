"""What users hand in: the kind of a source is decided here, once, and the sources of several systems get their names.

:func:`opened` tells the kind, which is a class below, and :func:`named` asks it for the systems. Objects of other packages
are recognized by their methods (``__arrow_c_stream__``, ``to_dict``, ``read``), so none of these packages is imported
here.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Number
from typing import Any

from ..lazy import pa, pd
from . import forms, text
from .columns import RUN_KEYS
from .files import run_files
from .frames import SYSTEM_COLUMNS, columns_of, to_pandas
from .run_columns import by_system
from .text_columns import as_frame

COMPRESSIONS = ('.gz', '.bz2', '.xz', '.zst')
ENDINGS = ('.run', '.csv', '.tsv', '.parquet', '.jsonl', '.json')
"""Endings of file names that are removed to get the name of a system."""

ONE_RUN = 'run'
"""The name of the system when one run stands alone and no file gives it a name."""

FORMS = (
    f'a folder, a pattern, a path or paths of run files, {{system: run}}, pairs (system, run), runs, a table '
    f'with one of the columns {", ".join(SYSTEM_COLUMNS)}, or one run'
)
"""The forms of several runs."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a user hands in, or one run of it. Each subclass is a kind. :func:`opened` returns an object of this class itself
    for what is of no known kind.

    Attributes:
        name: the system, if the source is one run.
        value: what was handed in.
    """

    name: str
    value: Any

    def in_memory(self) -> Any:
        """What was handed in, a table as a DataFrame."""
        return self.value

    def sources(self) -> Iterable[Source]:
        """The sources in a source of several runs."""
        return [self]

    def systems(self, format: str | None) -> Mapping[str, Any]:
        """What is to be read of each system; ``format`` is the form of files."""
        return {self.name: self.value}


class Nested(Source):
    """A dict ``{query: {document: value}}``."""


class Systems(Source):
    """Any other dict, such as ``{system: run}``."""

    def sources(self) -> Iterable[Source]:
        return [Source(str(name), run) for name, run in self.value.items()]


class Items(Source):
    """An iterable of pairs (system, run), of runs, or of the rows of one run."""

    def sources(self) -> Iterable[Source]:
        items = iter(self.value)
        for place, item in enumerate(items, 1):
            pair = isinstance(item, (tuple, list)) and len(item) == 2
            if pair and isinstance(item[0], (str, Integral)):
                yield Source(str(item[0]), item[1])
                continue
            named = isinstance(item, tuple) and set(RUN_KEYS) <= set(dir(item))
            if place == 1 and (named or type(item) is tuple and len(item) == 3):
                yield (NamedTuples if named else Items)(ONE_RUN, [item, *items])
                return
            one = opened(item, f'{ONE_RUN} {place}')
            if not isinstance(one, (File, Table, Nested, Systems)):
                raise TypeError(
                    f'runs: expected {FORMS}; found {type(item).__name__} at place {place}'
                )
            yield one


class NamedTuples(Source):
    """The rows of one run, or of several that a field names."""

    def systems(self, format: str | None) -> Mapping[str, Any]:
        columns = columns_of(self.value, RUN_KEYS, ONE_RUN)
        return by_system(as_frame(columns or {})) or {self.name: self.value}


class Table(Source):
    """A DataFrame, or what can become one: a table of Arrow, Polars, DuckDB, Ibis, DataFusion, …."""

    def in_memory(self) -> pd.DataFrame:
        table = self.value
        if hasattr(table, 'iloc'):
            return table
        if hasattr(table, 'collect_schema'):  # Polars' LazyFrame
            table = table.collect()
        return to_pandas(pa.table(table), type(table).__name__)

    def systems(self, format: str | None) -> Mapping[str, Any]:
        frame = self.in_memory()
        tables = by_system(frame)
        return {self.name: frame} if tables is None else tables


@dataclass(frozen=True, eq=False)
class File(Source):
    """An open file, or a path of files, which are read when their content is needed.

    Attributes:
        data: the content of an open file that was read.
    """

    data: bytes | None = None

    @property
    def path(self) -> str:
        """What messages call the file."""
        if isinstance(self.value, str):
            return self.value
        name = getattr(self.value, 'name', None)  # a pipe's is a number
        return name if isinstance(name, str) else f'<{type(self.value).__name__}>'

    def content(self) -> bytes:
        """What the file contains, decompressed."""
        if self.data is not None:
            return self.data
        if isinstance(self.value, str):
            return text.read_bytes(self.value)
        data = self.value.read()
        return text.decompressed(data.encode() if isinstance(data, str) else bytes(data), self.path)

    def sources(self) -> Iterable[Source]:
        """The files of a folder or a pattern."""
        return map(opened, run_files(self.value)) if isinstance(self.value, str) else [self]

    def systems(self, format: str | None) -> Mapping[str, Any]:
        """What is to be read of each system. A file of a path is read only if it may name systems."""
        if isinstance(self.value, str) and (
            format is not None or not forms.may_have_columns(self.value, SYSTEM_COLUMNS)
        ):
            return {self.name: self.value}
        file = File(self.name, self.value, self.content())
        if format is not None or forms.table_form(file.content()) is None:
            return {self.name: file}
        systems = forms.read_systems(file.content(), self.path)
        without_name = ('', _system_of(self.path))
        return {self.name if name in without_name else name: systems[name] for name in systems}


def opened(source: Any, name: str = ONE_RUN) -> Source:
    """A source by its kind. ``name`` is the system of one that has no name."""
    if isinstance(source, Source):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return File(_system_of(path), path)
    if isinstance(source, Mapping):
        return (Nested if _is_one(source) else Systems)(name, source)
    if isinstance(source, (list, tuple)):
        return Items(name, source)
    if hasattr(source, 'iloc'):
        return (Table if hasattr(source, 'columns') else Items)(name, source)
    if hasattr(source, 'collect_schema') or hasattr(source, '__arrow_c_stream__'):
        return Table(name, source)
    if hasattr(source, 'read'):
        own_name = getattr(source, 'name', None)
        return File(_system_of(own_name) if isinstance(own_name, str) else name, source)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        return Items(name, source)
    return Source(name, source)


def _is_one(source: Mapping[Any, Any]) -> bool:
    """Whether a dict is one run, ``{query: {doc: score}}``: what is two levels down is no run, but a score."""
    for docs in source.values():
        if not isinstance(docs, Mapping):
            return False
        for score in docs.values():
            return score is None or isinstance(score, (Number, str))
    return False


def _system_of(path: str) -> str:
    """The name of a system, from its file. Bytes that are not UTF-8 become ``\\xe9`` and so on, so that any output can
    contain the name."""
    name = (
        os.path.basename(path).encode('utf-8', 'surrogateescape').decode(errors='backslashreplace')
    )
    for ending in (*COMPRESSIONS, *ENDINGS):
        name = name.removesuffix(ending)
    return name


def named(source: Any, format: str | None = None) -> tuple[Iterator[tuple[str, Any]], int | None]:
    """Return each system's run by name, not read yet, and the number of runs (None if unknown).

    Arguments and errors are those of :func:`~ir_divmeasures.read_runs`. The names of an iterator are checked one by one,
    all others at once."""
    one = opened(source)
    if type(one) is Source:
        raise TypeError(f'runs: expected {FORMS}; found {type(source).__name__}')
    found = (pair for each in one.sources() for pair in each.systems(format).items())
    if isinstance(one, Items) and not isinstance(source, Collection):
        return _distinct(found), None
    pairs = list(_distinct(found))
    return iter(pairs), len(pairs)


def _distinct(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    sources: dict[str, str] = {}
    for place, (name, run) in enumerate(pairs, 1):
        path = run if isinstance(run, (str, os.PathLike)) else getattr(run, 'path', None)
        source = os.fspath(path) if path else f'run {place} ({type(run).__name__})'
        if name in sources:
            raise ValueError(
                f'two systems are named {name!r}: {sources[name]} and {source}. Rename one, or in Python pass a dict {{system: run}}'
            )
        sources[name] = source
        yield name, run
