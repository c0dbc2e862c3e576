"""Files of runs and of judgments: how their form is recognised, and how they are read and written.

A file has lines of TREC, or it names its columns: a table under a header, parquet or JSON.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import gzip
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import did_you_mean
from ..lazy import pa, pd
from ..tables import missing
from . import text
from .columns import KEYS, RUN_KEYS, is_text, may_be_empty
from .files import check_target, replacing
from .frames import IDS, NAMES, TEXTS, to_pandas
from .run_columns import EXACT, by_system, in_order
from .text import Lines, Shape
from .text_columns import Texts

FORMATS = ('trec', 'tsv', 'csv', 'parquet', 'json')
"""The forms of files, as ``format=`` calls them."""


class Kind(NamedTuple):
    """What a file contains.

    Attributes:
        fields: the fields of a line of TREC.
        number: the field that is a number.
        keys: the columns of every table of this kind.
    """

    fields: tuple[str, ...]
    number: str
    keys: tuple[str, ...]


RUNS = Kind(('query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag'), 'score', RUN_KEYS)
JUDGMENTS = Kind(('query_id', 'subtopic_id', 'doc_id', 'relevance'), 'relevance', KEYS)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a file, or of a source in memory.

    Attributes:
        columns: the columns by name, or what a file that names its columns contains.
        lines: the lines of TREC that they are from, or None.
        path: the file.
    """

    columns: Any
    lines: Lines | None = None
    path: str | None = None


# ------------------------------------------------------------------------------------- tables that name their columns


def _with_header(data: bytes, path: str, delimiter: str) -> pd.DataFrame:
    """A table under a header."""
    header, columns, lines = text.split_table(data, path, delimiter)
    table: dict[str, Any] = {}
    for name in header:
        values = columns[name]
        needed = name in (*NAMES['relevance'], *NAMES['score'])
        if needed or is_text(name) is False:
            for line, written in zip(lines, values):
                if (needed or not _is_empty(written)) and text.number(written) is None:
                    raise ValueError(
                        f'{path}, line {line}: {name} is {written!r}, expected a number'
                    )
        table[name] = list(values) if is_text(name) or name in TEXTS else _typed(values)
    return pd.DataFrame(table)


def _typed(texts: Iterable[str]) -> Any:
    """A column of a file as whole numbers, else numbers (NaN where empty), else text."""
    if any(text.number(value) is None and not _is_empty(value) for value in texts):
        return list(texts)
    try:
        return [int(value) for value in texts]
    except ValueError:
        return [float('nan') if _is_empty(value) else float(value) for value in texts]


def _is_empty(written: str) -> bool:
    """Whether a field of a file has no value."""
    return written.strip().lower() in ('', 'nan')


def _parquet(data: bytes, path: str) -> pd.DataFrame:
    from pyarrow import parquet

    try:
        return to_pandas(parquet.ParquetFile(pa.BufferReader(data)).read(), path)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f'{path}: not a complete parquet file ({error})') from None


def _json(data: bytes, path: str) -> Any:
    """A nested dict, or a table of records: a list of them, or one a line."""
    records = list(text.records(data, path, object_pairs_hook=text.without_repetition))
    if len(records) == 1 and any(isinstance(value, dict) for value in records[0][1].values()):
        return records[0][1]
    for place, record in records:
        if record.keys() != records[0][1].keys():
            raise ValueError(
                f'{place}: expected the names {", ".join(records[0][1])}, found {", ".join(record)}'
            )
    table = pd.DataFrame([record for _, record in records])
    for name in ('relevance', 'score'):
        written = next((each for each in NAMES[name] if each in table.columns), '')
        for place, record in records if written else ():
            value = record[written]
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ValueError(f'{place}: {written} is {value!r}, expected a number')
    return table


# ------------------------------------------------------------------------------------------------------------ reading


def check_form(name: str | None) -> None:
    """Raise an error that lists the forms of files unless a form is one of them, or None."""
    if name is not None and name not in FORMATS:
        raise ValueError(
            f'format={name!r}: expected one of {", ".join(FORMATS)}'
            + did_you_mean(name, FORMATS, list_known=False)
        )


def table_form(data: bytes) -> str | None:
    """The form of a file that names its columns, by its first bytes or line; None for any other file."""
    if data.startswith(b'PAR1'):
        return 'parquet'
    if re.match(rb'\s*(\{|\[\s*[\]{])', data):
        return 'json'
    line = next(iter(text.first_lines(data, 1)), '').strip()
    for form, delimiter in (('tsv', '\t'), ('csv', ',')):
        header = {name.strip().strip('"') for name in line.split(delimiter)}
        if len(header) > 1 and header & IDS:
            return form
    return None


def may_have_columns(path: str, names: Iterable[str]) -> bool:
    """Whether a file names its columns, and perhaps one of these; no other part of it is read than its beginning."""
    if not os.path.isfile(path):  # a pipe is read once
        return False
    beginning = text.opening(path)
    form = table_form(beginning)
    if form == 'parquet' and path.endswith('.parquet'):
        from pyarrow import parquet

        with contextlib.suppress(ValueError, OSError):  # the error of a broken file is raised later
            return not {*parquet.read_schema(path).names}.isdisjoint(names)
    if form in ('csv', 'tsv'):
        return not {*re.findall(r'\w+', text.first_lines(beginning, 1)[0])}.isdisjoint(names)
    return form is not None


def _exact_scores(lines: Lines, scores: Any) -> Any:
    """The scores of a run. Scores that floats do not tell apart are read as whole numbers."""
    size = np.abs(scores)
    if size.max(initial=0) >= EXACT and np.any(size[size >= EXACT] < np.inf):
        texts = lines.texts('score').array.to_pylist()
        whole = re.compile('[+-]?[0-9]{1,300}')
        exact = [int(text) if whole.fullmatch(text) else float(text) for text in texts]
        return in_order(np.array(exact, dtype=object))
    return scores


def read(data: bytes, path: str, kind: Kind, name: str | None = None) -> Rows:
    """The rows of a file in the form named, or recognised from its content.

    Args:
        kind: :data:`RUNS` or :data:`JUDGMENTS`.

    Raises:
        ValueError: an unreadable line; names the file and the line.
    """
    text.check_kind(data, path)
    if kind is JUDGMENTS and not text.first_lines(data, 1):
        raise ValueError(f'{path}: holds no judgments')
    name = name or table_form(data) or 'trec'
    if name in ('tsv', 'csv'):
        return Rows(_with_header(data, path, '\t' if name == 'tsv' else ','), path=path)
    if name != 'trec':
        return Rows((_parquet if name == 'parquet' else _json)(data, path), path=path)
    shape = Shape(kind.fields, (kind.number,))
    lines = Lines.read(data, path, shape, [field for field in kind.fields if field != 'Q0'])
    columns = lines.columns | {kind.number: lines.numbers(kind.number)}
    if kind is RUNS:
        columns['score'] = _exact_scores(lines, columns['score'])
    return Rows(columns, lines, path)


def read_systems(data: bytes, path: str, name: str | None = None) -> dict[str, Rows]:
    """The rows of each system that the file of a run names; '' stands for one without a name.

    Args:
        name: the name of the form; None to recognise it.

    Raises:
        TypeError, ValueError: as :func:`read`.
    """
    check_form(name)
    with naming(path):
        rows = read(data, path, RUNS, name)
        systems = by_system(rows.columns) or {'': rows.columns}
        return {
            system: dataclasses.replace(rows, columns=columns)
            for system, columns in systems.items()
        }


@contextlib.contextmanager
def naming(path: str | None) -> Iterator[None]:
    """Errors about a file name it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if path is None or str(error).startswith(path):
            raise
        raise ValueError(f'{path}: {error}') from None


# ------------------------------------------------------------------------------------------------------------ writing


def write(
    table: Mapping[str, Any],
    path: str | os.PathLike[str],
    kind: Kind,
    name: str | None,
    further: Sequence[str],
    overwrite: bool,
) -> None:
    """Write a run or judgments as lines of fields, compressed where the name ends with ``.gz``.

    Args:
        table: the columns by name: :class:`Texts`, arrays, or those of a DataFrame.
        path: the file.
        kind: :data:`RUNS` or :data:`JUDGMENTS`.
        name: ``'trec'`` or ``'tsv'``; by default ``'trec'`` where there are no further columns, else ``'tsv'``.
        further: the columns to write that not all tables have.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: the form cannot hold the table's columns or values.
    """
    name = name or ('tsv' if further else 'trec')
    if name not in ('trec', 'tsv'):
        raise ValueError(f"format={name!r}: expected one of 'trec', 'tsv'")
    with_header = name == 'tsv'
    if further and not with_header:
        raise ValueError(
            f"format 'trec' would lose the columns {', '.join(further)}; 'tsv' holds all"
        )
    check_target(path, overwrite)
    values = {
        name: column.array.to_pylist()
        if isinstance(column := table[name], Texts)
        else column.tolist()
        for name in ([*kind.keys, *further] if with_header else kind.fields)
    }
    for column, of_column in values.items():
        wrong = (
            r'[\t\n\r]' if with_header else r'[ \t\n\r\v\f]',
            *['^#?$'] * (not may_be_empty(column)),
        )
        is_wrong = re.compile('|'.join(wrong)).search
        bad = next(filter(is_wrong, dict.fromkeys(map(str, of_column))), None)
        if bad is not None:
            raise ValueError(
                f'{column} {bad!r} cannot be written in format {name!r}: it is empty, or holds white space '
                f'or a # that would be read as something else'
            )
    lines = io.StringIO(newline='')
    writer = csv.writer(
        lines,
        delimiter='\t' if with_header else ' ',
        quoting=csv.QUOTE_NONE,
        quotechar=None,
        lineterminator='\n',
    )
    if with_header:
        writer.writerow(values)
    filled = ([None if missing(value) else value for value in each] for each in values.values())
    writer.writerows(zip(*filled))
    data = lines.getvalue().encode()
    with replacing(path, overwrite) as partial, open(partial, 'wb') as file:
        file.write(gzip.compress(data, mtime=0) if os.fspath(path).endswith('.gz') else data)
