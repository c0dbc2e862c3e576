"""Forms of files of runs and of judgments, each declared once: its fields, how it is recognised, how it is read and written.

To add a form of lines of fields, add a :class:`Form` to :data:`RUNS` or :data:`JUDGMENTS`. One of another shape states
``parse``.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import gzip
import io
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import did_you_mean
from ..lazy import pa, pd
from ..results.tables import missing
from . import metadata, text
from .columns import KEYS, RUN_KEYS, is_text, may_be_empty
from .files import check_target, replacing
from .frames import IDS, NAMES, TEXTS, to_pandas
from .run_columns import EXACT, by_system, in_order
from .text import Lines, Shape
from .text_columns import REPEATED, Texts, as_frame

NOT_READ = ('Q0', 'passage_id', 'feedback')
"""Fields of lines that are not read."""
SAMPLE = 200
"""The number of lines that are used to recognise the form of a file."""
PASSAGES = ('sum', 'log', 'max')
"""Ways to combine the ratings of the passages of a document."""


class Options(NamedTuple):
    """How a file is read.

    Attributes:
        named: whether the user named the form.
        passages: one of :data:`PASSAGES`.
    """

    named: bool = False
    passages: str = 'sum'


def _columns(lines: Lines, options: Options) -> dict[str, Any]:
    return lines.columns | {name: lines.numbers(name) for name in lines.shape.numeric}


class Form(NamedTuple):
    """A form of files.

    Attributes:
        name: what ``format=`` calls it.
        fields: the fields of a line, as columns of the table.
        numeric: which of them are numbers.
        shows: whether some lines look like this form.
        tabs_only: fields are separated by tabs, not by other white space.
        quoted: quotation marks around fields are removed.
        prepare: changes the content before it is split.
        finish: the columns of the lines, by name.
        parse: reads the whole file in place of all this: a table whose columns have names, or a nested dict.
        writes: whether :func:`write` writes it.
    """

    name: str
    fields: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    shows: Callable[[tuple[str, ...]], bool] = lambda lines: False
    tabs_only: bool = False
    quoted: bool = False
    prepare: Callable[[bytes], bytes] = lambda data: data
    finish: Callable[[Lines, Options], Mapping[str, Any]] = _columns
    parse: Callable[[bytes, str], Any] | None = None
    writes: bool = False


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a file, or of a source in memory.

    Attributes:
        columns: the columns by name, or what ``parse`` of the form gives.
        form: the name of the form.
        lines: the lines of fields that they are from; None if the form has ``parse``.
        path: the file.
        header: the comment lines at the top of a run's file, or the metadata of a DataFrame.
        doubtful: whether the file may be any text with two words a line.
        revision: the revision of the model that made a run, if the file names it.
    """

    columns: Any
    form: str = ''
    lines: Lines | None = None
    path: str | None = None
    header: bytes | Mapping[str, Any] = b''
    doubtful: bool = False
    revision: str = ''


# --------------------------------------------------------------------------------------------------- lines of runs


def _all(pattern: str) -> Callable[[tuple[str, ...]], bool]:
    """Whether all lines match a pattern."""
    expression = re.compile(pattern, re.ASCII)
    return lambda lines: all(expression.fullmatch(line.strip()) for line in lines)


def _exact(lines: Lines, options: Options) -> Mapping[str, Any]:
    """A run of TREC. Scores that floats do not tell apart are read as whole numbers."""
    columns = _columns(lines, options)
    size = np.abs(columns['score'])
    if size.max(initial=0) >= EXACT and np.any(size[size >= EXACT] < np.inf):
        texts = lines.texts('score').array.to_pylist()
        whole = re.compile('[+-]?[0-9]{1,300}')
        exact = [int(text) if whole.fullmatch(text) else float(text) for text in texts]
        columns['score'] = in_order(np.array(exact, dtype=object))
    return columns


def _with_feedback(data: bytes) -> bytes:
    """Lines of TREC Dynamic Domain with their last field, which may be absent."""
    lines = data.splitlines()
    return b'\n'.join(line + b' NULL' if len(line.split()) == 5 else line for line in lines)


def _places(table: pd.DataFrame) -> pd.Series:
    """Scores that fall from row to row in each query, down to 1."""
    by_query = table.groupby('query_id', sort=False)['doc_id']
    return (by_query.transform('size') - by_query.cumcount()).astype(float)


def _by_iterations(lines: Lines, options: Options) -> Mapping[str, Any]:
    """A run of TREC Dynamic Domain: iteration, score descending, then the file's order make the ranking."""
    columns = _columns(lines, options)
    iteration, on_topic = columns['iteration'], columns.pop('on_topic')
    for name, values, valid, expected in (
        (
            'iteration',
            iteration,
            (iteration >= 0) & (iteration == np.floor(iteration)) & (iteration < np.inf),
            'a whole number of at least 0',
        ),
        ('on_topic', on_topic, np.isin(on_topic, (0, 1)), '0 or 1'),
    ):
        for row in np.flatnonzero(~valid)[:1]:
            raise ValueError(f'{lines.at(row)}: {name} is {values[row]:g}, expected {expected}')
    table = as_frame({**columns, 'iteration': iteration.astype(np.int64) + 1})
    ordered = table.sort_values(['iteration', 'score'], ascending=[True, False], kind='stable')
    again = ordered.groupby(['query_id', 'doc_id'], sort=False).cumcount()
    suffix = again.map(lambda n: REPEATED + str(n) * (n > 1) if n else '').astype(str)
    return dict(table.assign(score=_places(ordered), doc_id=table['doc_id'] + suffix))


def _by_places(lines: Lines, options: Options) -> Mapping[str, Any]:
    """A run of EvALL: the file's order is the ranking."""
    return {**lines.columns, 'score': _places(as_frame(lines.columns))}


def _by_ranks(lines: Lines, options: Options) -> Mapping[str, Any]:
    """A run of MS MARCO. Unless the form is named, the ranks of each query must be distinct and begin with 1."""
    table = as_frame(_columns(lines, options))
    rank = table['rank']
    first = rank.groupby(table['query_id']).transform('min')
    if not options.named and ((first != 1).any() or table.duplicated(['query_id', 'rank']).any()):
        raise ValueError(
            f"{lines.path}: three columns, the last of which are no ranks from 1. read_runs takes them as ranks as the "
            f"format 'msmarco'; scores need a header (query_id doc_id score)"
        )
    return {**table[['query_id', 'doc_id']], 'score': rank.max() + 1 - rank}


# ---------------------------------------------------------------------------------------------- lines of judgments


@functools.lru_cache(maxsize=1)
def _split(lines: tuple[str, ...]) -> list[list[str]]:
    return [line.split('\t') if line.count('\t') >= 4 else text.fields(line) for line in lines]


def _is_ntcir(lines: tuple[str, ...]) -> bool:
    return bool(re.fullmatch(r'\s*(\S+\s+){3}L\d+\s*', lines[0], re.ASCII))


def _is_dd(lines: tuple[str, ...]) -> bool:
    """Subtopics that begin with the name of their query, as DD16-1.3 of DD16-1. Without that, the fields may also be a
    document, its grade and something else."""
    return all(
        len(row) == 5 and row[1].startswith(f'{row[0]}.') and text.number(row[4]) is not None
        for row in _split(lines)
    )


def _is_evall(lines: tuple[str, ...]) -> bool:
    """Five quoted fields: others may also be a subtopic, a document, its grade and something else."""
    first = _split(lines)[0]
    return len(first) == 5 and first[0].startswith('"')


def _level(grade: str) -> float | None:
    return float(grade[1:]) if re.fullmatch('L[0-9]{1,3}', grade) else None


def _levels(lines: Lines, options: Options) -> Mapping[str, Any]:
    grades = lines.numbers('relevance', _level, 'L0, L1, … L999', 'grade')
    return {**lines.columns, 'relevance': grades}


def _of_passages(lines: Lines, options: Options) -> Mapping[str, Any]:
    """One grade for a document and subtopic from its passages' ratings: 0 counts as 1, negative ones are left out."""
    table = as_frame(_columns(lines, options))
    keys = [name for name in table.columns if name != 'relevance']
    table = table[table['relevance'] >= 0]
    table = table.assign(relevance=table['relevance'].where(table['relevance'] != 0, 1.0))
    if options.passages == 'log':  # the j-th best rating over log2(j + 1)
        best = table.sort_values('relevance', ascending=False, kind='stable')
        place = best.groupby(keys, sort=False).cumcount()
        table = table.assign(relevance=best['relevance'] / np.log2(place + 2))
    grades = table.groupby(keys, sort=False, as_index=False)['relevance']
    return dict(grades.agg('max' if options.passages == 'max' else 'sum'))


# ------------------------------------------------------------------------------------- tables that name their columns


def _with_header(data: bytes, path: str, delimiter: str, texts: Collection[str]) -> pd.DataFrame:
    """A table under a header; ``texts`` are columns whose values are texts, whatever they look like."""
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
        table[name] = list(values) if is_text(name) or name in texts else _typed(values)
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


def _rankings(data: bytes, path: str) -> Any:
    from . import json_forms  # when it is needed

    return json_forms.rankings(data, path)


def _nuggets(data: bytes, path: str) -> pd.DataFrame:
    from . import json_forms

    return json_forms.parse(data, path)


# ------------------------------------------------------------------------------------------------------- all forms


def _tables(keys: tuple[str, ...], texts: Collection[str] = TEXTS) -> tuple[Form, ...]:
    """The forms of files that name their columns; ``texts`` as for :func:`_with_header`."""
    return (
        Form(
            'tsv',
            keys,
            tabs_only=True,
            parse=lambda data, path: _with_header(data, path, '\t', texts),
            writes=True,
        ),
        Form('csv', keys, parse=lambda data, path: _with_header(data, path, ',', texts)),
        Form('parquet', keys, parse=_parquet),
        Form('json', keys, parse=_json),
    )


def _by_name(*forms: Form) -> dict[str, Form]:
    return {form.name: form for form in forms}


RUNS = _by_name(
    Form(
        'trec',
        ('query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag'),
        ('score',),
        finish=_exact,
        writes=True,
    ),
    Form(
        'dd',
        ('query_id', 'iteration', 'doc_id', 'score', 'on_topic', 'feedback'),
        ('iteration', 'score', 'on_topic'),
        _all(r'\S+\s+\d+\s+\S+\s+[-+.\d]\S*\s+[01](\s+(NULL|[^\s|]+:-?\d+(\|[^\s|]+:-?\d+)*))?'),
        prepare=_with_feedback,
        finish=_by_iterations,
    ),
    Form('evall', ('query_id', 'doc_id'), shows=_all(r'\S+\s+\S+'), quoted=True, finish=_by_places),
    Form(
        'msmarco',
        ('query_id', 'doc_id', 'rank'),
        ('rank',),
        _all(r'\S+\s+\S+\s+[1-9]\d*'),
        finish=_by_ranks,
    ),
    *_tables(RUN_KEYS, TEXTS - {'iteration'}),
    Form('rankings', parse=_rankings),
)
"""Every form of runs by name; a file that looks like none of the others is ``'trec'``."""

JUDGMENTS = _by_name(
    Form('trec', ('query_id', 'subtopic_id', 'doc_id', 'relevance'), ('relevance',), writes=True),
    Form(
        'evall',
        ('query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight'),
        ('relevance', 'weight'),
        _is_evall,
        tabs_only=True,
        quoted=True,
        writes=True,
    ),
    Form(
        'ntcir',
        ('query_id', 'subtopic_id', 'doc_id', 'relevance'),
        shows=_is_ntcir,
        finish=_levels,
    ),
    Form(
        'dd',
        ('query_id', 'subtopic_id', 'doc_id', 'passage_id', 'relevance'),
        ('relevance',),
        _is_dd,
        finish=_of_passages,
    ),
    *_tables(KEYS),
    Form('nuggets', parse=_nuggets),
)
"""Every form of judgments by name; a file that looks like none of the others is ``'trec'``."""


def check_form(name: str | None, known: Iterable[str], option: str = 'format') -> None:
    """Raise an error that lists what is known unless an option is known, or None."""
    if name is not None and name not in known:
        raise ValueError(
            f'{option}={name!r}: expected one of {", ".join(known)}'
            + did_you_mean(name, known, list_known=False)
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


def recognise(data: bytes, path: str, forms: Mapping[str, Form]) -> Form:
    """The form of a file, by its content.

    Raises:
        ValueError: judgments of five columns that no form shows.
    """
    name = table_form(data)
    if name == 'json':
        from . import json_forms

        name = next((each for each in json_forms.shown_by(data, path) if each in forms), name)
    lines = () if name else tuple(text.first_lines(data, SAMPLE))
    shown = [form.name for form in forms.values() if lines and form.shows(lines)]
    if forms is JUDGMENTS and not shown and lines and len(_split(lines)[0]) == 5:
        raise ValueError(
            f"{path}: 5 columns, which may be EvALL's (query doc grade aspect weight), TREC Dynamic "
            f"Domain's (query subtopic doc passage rating) or others; give format='evall' or format='dd', "
            f"or leave out the column that does not belong to judgments (query subtopic doc grade)"
        )
    return forms[name or (*shown, 'trec')[0]]


def read(
    data: bytes,
    path: str,
    forms: Mapping[str, Form],
    name: str | None = None,
    passages: str = 'sum',
) -> Rows:
    """The rows of a file in the form named, or recognised from its content.

    Args:
        forms: :data:`RUNS` or :data:`JUDGMENTS`.
        passages: one of :data:`PASSAGES`.

    Raises:
        ValueError: a form that cannot be told, an unreadable line; names the file and the line.
    """
    text.check_kind(data, path)
    if forms is JUDGMENTS and not text.first_lines(data, 1):
        raise ValueError(f'{path}: holds no judgments')
    form = forms[name] if name else recognise(data, path, forms)
    if form.parse is not None:
        return Rows(form.parse(data, path), form.name, path=path)
    data = form.prepare(data)
    tabs_only = form.tabs_only or form.name == 'evall' and b'\t' in data
    shape = Shape(form.fields, form.numeric, tabs_only, form.quoted)
    keep = [field for field in form.fields if field not in NOT_READ]
    lines = Lines.read(data, path, shape, keep)
    return Rows(form.finish(lines, Options(name is not None, passages)), form.name, lines, path)


def read_systems(data: bytes, path: str, name: str | None = None) -> dict[str, Rows]:
    """The rows of each system that the file of a run names; '' stands for one without a name.

    Args:
        name: the name of the form; None to recognise it.

    Raises:
        TypeError, ValueError: as :func:`read`.
    """
    check_form(name, [form.name for form in RUNS.values() if form.parse is None])
    with naming(path):
        rows = dataclasses.replace(read(data, path, RUNS, name), header=metadata.top(data))
        if rows.form == 'evall' and name is None and b'\t' not in data:
            rows = dataclasses.replace(rows, doubtful=True)
        systems = rows.columns if rows.form == 'rankings' else by_system(rows.columns)
        return {
            system: dataclasses.replace(
                rows, columns=columns, revision=getattr(columns, 'attrs', {}).get('revision', '')
            )
            for system, columns in (systems or {'': rows.columns}).items()
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


def write(
    table: Mapping[str, Any],
    path: str | os.PathLike[str],
    forms: Mapping[str, Form],
    name: str | None,
    further: Sequence[str],
    overwrite: bool,
    top: str = '',
) -> None:
    """Write a run or judgments as lines of fields, compressed where the name ends with ``.gz``.

    Args:
        table: the columns by name: :class:`Texts`, arrays, or those of a DataFrame.
        path: the file.
        forms: :data:`RUNS` or :data:`JUDGMENTS`.
        name: the name of the form; by default ``'trec'`` where there are no further columns, else ``'tsv'``.
        further: the columns to write that not all tables have.
        top: comment lines before all others.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: the form cannot hold the table's columns or values.
    """
    form = forms.get(name or ('tsv' if further else 'trec'))
    if form is None or not form.writes:
        writable = ', '.join(repr(each.name) for each in forms.values() if each.writes)
        raise ValueError(f'format={name!r}: expected one of {writable}')
    header = form.parse is not None
    columns = [*form.fields, *further] if header else list(form.fields)
    for lacking, verb in (
        ([each for each in further if each not in columns], 'would lose'),
        ([each for each in columns if each not in table], 'needs'),
    ):
        if lacking:
            raise ValueError(
                f"format {form.name!r} {verb} the columns {', '.join(lacking)}; 'tsv' holds all"
            )
    check_target(path, overwrite)
    separator = '\t' if form.tabs_only else ' '
    values = {
        name: of_name.array.to_pylist()
        if isinstance(of_name := table[name], Texts)
        else of_name.tolist()
        for name in columns
    }
    for name in columns:
        wrong = (
            r'[\t\n\r]' if form.tabs_only else r'[ \t\n\r\v\f]',
            *['"'] * form.quoted,
            *['^#?$'] * (not may_be_empty(name)),
        )
        is_wrong = re.compile('|'.join(wrong)).search
        bad = next(filter(is_wrong, dict.fromkeys(map(str, values[name]))), None)
        if bad is not None:
            raise ValueError(
                f'{name} {bad!r} cannot be written in format {form.name!r}: it is empty, or holds white '
                f'space, a quotation mark or a # that would be read as something else'
            )
    lines = io.StringIO(newline='')
    writer = csv.writer(
        lines, delimiter=separator, quoting=csv.QUOTE_NONE, quotechar=None, lineterminator='\n'
    )
    if header:
        writer.writerow(columns)
    filled = ([None if missing(value) else value for value in each] for each in values.values())
    writer.writerows(zip(*filled))
    data = (top + lines.getvalue()).encode()
    with replacing(path, overwrite) as partial, open(partial, 'wb') as file:
        file.write(gzip.compress(data, mtime=0) if os.fspath(path).endswith('.gz') else data)
