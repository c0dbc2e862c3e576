"""Forms of files of scores, each declared once: how to tell it by its content, and how to read it.

To add a form, add a :class:`Form` to :data:`FORMS`. Forms are tried in their order.
"""

from __future__ import annotations

import csv
import functools
import glob
import io
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np

from ..errors import FilesWarning, warn
from ..lazy import pd
from ..results import count
from . import text

ROLES = {
    'system': 'system run_id runid run run_name runtag tag name model model_name',
    'query_id': 'query_id qid query q_id topic topic_id request_id narrative_id task_name',
    'measure': 'measure metric measure_name',
    'value': 'value score',
    'judge': 'judge judge_id assessor rater',
    'bank': 'bank nugget_bank bank_id',
    'replicate': 'replicate repeat rating seed',
}
"""The names of columns by what they contain. Upper and lower case are the same, and the first name in a list wins."""
SYSTEM, QUERY, MEASURE, VALUE, *RATINGS = ROLES
MEANS = ('all', 'amean', 'gmean')
"""Queries that are means over the others."""
TOLERANCE = 6e-4
"""Means in files are rounded to four decimals at least. Larger differences are of other queries."""
ENDINGS = [
    'gz',
    'txt',
    'tsv',
    'csv',
    'json',
    'jsonl',
    'parquet',
    'eval',
    'ir_measures',
    'trec_eval',
    'pytrec_eval',
    'ndeval',
    'gdeval',
    'irmeasures-q',
    'irmeasures-qn',
]
NO_SCORES = re.compile(r'\.|model_meta\.json$|readme|license', re.IGNORECASE)
"""The beginnings of names of files that are not read in folders."""
TREC_EVAL = re.compile(
    r'(11pt_avg|G|P|Rndcg|Rprec|Rprec_mult|binG|bpref|gm_\w+|infAP|iprec_at_recall|map|map_cut|ndcg|ndcg_cut|'
    r'ndcg_rel|num_\w+|prefs_\w+|recall|recip_rank|relative_P|relstring|runid|set_\w+|success|utility)(_[\d.]+)?'
)
"""The names of trec_eval's measures."""
RUN = 'this looks like a run ({}), not scores: give judgments too'
ONLY_MEANS = 'means of a whole run, without queries: write the scores of each query (trec_eval -q, ir_measures -q)'
TASKS = 'The queries are tasks: intervals are about other such tasks.'
TWICE = (
    '{} of {} on {} is there twice; if the files are of several judges, say so (judges=True), or add a column judge, '
    'bank or replicate'
)

Rows = Iterable[tuple[Any, ...]]


def roles_of(names: Iterable[Any]) -> dict[str, Any]:
    """The column of a table for each role, of those that are there.

    Examples:
        >>> roles_of(['qid', 'Name', 'value', 'score'])
        {'system': 'Name', 'query_id': 'qid', 'value': 'value'}
    """
    folded = {str(name).strip().casefold(): name for name in names}
    return {
        role: next(folded[alias] for alias in aliases.split() if alias in folded)
        for role, aliases in ROLES.items()
        if folded.keys() & set(aliases.split())
    }


class Table:
    """The content of a file that has lines of fields, or records.

    Attributes:
        columns: the values of each column by its name; without a heading, the names are numbers from 0.
        places: the place of each row in words, or its line number.
        has_heading: whether the file names its columns.
        roles: names of columns by what they contain.
    """

    def __init__(
        self, columns: dict[Any, Sequence[Any]], places: Sequence[Any], has_heading: bool
    ) -> None:
        self.columns, self.places, self.has_heading = columns, places, has_heading
        self.roles = roles_of(columns) if has_heading else {}

    @functools.cached_property
    def query_field(self) -> int:
        """Which of the two fields before the value is the query, in a file without a heading."""
        second = len(self.columns) - 2
        names = [set(self.columns[place]) for place in (second - 1, second)]
        for are_measures in (
            ['all' not in of_field for of_field in names],
            [_are_measures(of_field) for of_field in names],
        ):
            if sum(are_measures) == 1:
                return second - 1 if are_measures[1] else second
        system = 'run_id ' * (second > 1)
        raise ValueError(
            f'which of columns {second} and {second + 1} is the query? No row "all" tells. Put a first line such as: '
            f'{system}query_id measure value'
        )


@dataclass(frozen=True)
class Source:
    """A file and its content.

    Attributes:
        path: its path.
        content: a table, or the object of a JSON file.
        measure: the measure that the user named, or None.
    """

    path: str
    content: Any
    measure: str | None

    @property
    def stem(self) -> str:
        """The name of the file without the endings of files of scores."""
        name = os.path.basename(self.path)
        while (parts := name.rpartition('.'))[0] and parts[2] in ENDINGS:
            name = parts[0]
        return name


@dataclass(frozen=True)
class Form:
    """A form of files of scores.

    Attributes:
        name: its name.
        says: what such a file has, in words.
        shows: whether the content of a file has this form.
        read: the columns of a tidy table, and the place of each row in the file.
    """

    name: str
    says: str
    shows: Callable[[Any], bool]
    read: Callable[[Source], tuple[dict[str, Any], Sequence[Any]]]


@functools.cache
def is_measure_name(name: str) -> bool:
    """Whether a text is the name of a measure: of ir_measures, of trec_eval, or letters with a cutoff.

    Examples:
        >>> [is_measure_name(name) for name in ('RBU@20', 'P_10', 'NDCG@10', 'q1', '301')]
        [True, True, True, False, False]
    """
    if TREC_EVAL.fullmatch(name) or re.fullmatch(r'[^\W\d][\w-]*@\d+', name):
        return True
    if not name[:1].isalpha():
        return False
    try:
        ir_measures.parse_measure(name)
    except (NameError, ValueError, SyntaxError, TypeError):
        return False
    return True


# ------------------------------------------------------------------------------------------------------------- tables


def _has(*roles: str, without: str = '') -> Callable[[Any], bool]:
    return lambda table: (
        isinstance(table, Table) and set(roles) <= set(table.roles) and without not in table.roles
    )


def _tidy(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    table: Table = source.content
    columns = {role: table.columns[name] for role, name in table.roles.items()}
    defaults = {SYSTEM: source.stem, MEASURE: source.measure or 'score'}
    n = len(table.places)
    return {**{role: [name] * n for role, name in defaults.items()}, **columns}, table.places


def _is_tidy(table: Any) -> bool:
    """A row is a score. Without a column of measures, there is no other column of numbers."""
    others = [
        name
        for name in (table.columns if isinstance(table, Table) else ())
        if name != '' and name not in table.roles.values()
    ]
    return _has(SYSTEM, QUERY, VALUE)(table) and (MEASURE in table.roles or not others)


def _melted(
    table: Table, first: str, ids: Sequence[Any], second: str, names: Sequence[Any], **further: Any
) -> tuple[dict[str, Any], Sequence[Any]]:
    """Rows of a table whose columns ``names`` are what ``second`` says. Empty cells are missing scores."""
    n = len(ids)
    values = [value for name in names for value in table.columns[name]]
    present = [i for i, value in enumerate(values) if not _is_empty(value)]
    columns = {
        first: list(ids) * len(names),
        second: [name for name in names for _ in range(n)],
        VALUE: values,
        **{role: list(column) * len(names) for role, column in further.items()},
    }
    places = list(table.places) * len(names)
    return {role: [column[i] for i in present] for role, column in columns.items()}, [
        places[i] for i in present
    ]


def _columns_of_measures(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    table: Table = source.content
    roles = {role: name for role, name in table.roles.items() if role != VALUE}
    names = [name for name in table.columns if name not in ('', *roles.values())]
    further = {role: table.columns[name] for role, name in roles.items() if role != SYSTEM}
    return _melted(table, SYSTEM, table.columns[roles[SYSTEM]], MEASURE, names, **further)


def _first_column(table: Any, role: str) -> bool:
    """Whether the first of named columns has a role, and the table is no tidy one."""
    return (
        isinstance(table, Table)
        and table.has_heading
        and str(next(iter(table.columns))).casefold() in ROLES[role].split()
    )


def _of_queries(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    table: Table = source.content
    first, *others = table.columns
    named = _first_column(table, QUERY) or first in ('', 'index')
    ids = table.columns[first] if named else range(1, len(table.places) + 1)
    columns, places = _melted(table, QUERY, ids, SYSTEM, others if named else [first, *others])
    return {**columns, MEASURE: [source.measure or source.stem] * len(places)}, places


def _of_systems(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    table: Table = source.content
    first, *others = table.columns
    columns, places = _melted(table, SYSTEM, table.columns[first], QUERY, others)
    return {**columns, MEASURE: [source.measure or source.stem] * len(places)}, places


def _is_lines(n: int, query: int) -> Callable[[Any], bool]:
    return lambda table: (
        isinstance(table, Table)
        and not table.has_heading
        and len(table.columns) == n
        and table.query_field == query
    )


def _lines(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    table: Table = source.content
    *systems, one, other, value = table.columns.values()
    query, measure = (one, other) if table.query_field == len(systems) else (other, one)
    system = systems[0] if systems else [source.stem] * len(value)
    return {SYSTEM: system, QUERY: query, MEASURE: measure, VALUE: value}, table.places


# ------------------------------------------------------------------------------------------------------- JSON objects


def _rows(rows: Rows, source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    """Columns of (system, query, measure, value)."""
    columns = list(zip(*rows)) or [()] * 4
    return dict(zip((SYSTEM, QUERY, MEASURE, VALUE), columns)), [source.path] * len(columns[0])


def _is_own(data: Any) -> bool:
    return isinstance(data, dict) and str(data.get('format')).startswith(
        'ir_divmeasures.leaderboard/'
    )


def _own(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    data = source.content
    return _rows(
        (
            (system['name'], query['id'], measure, value)
            for measure, of_measure in zip(data['measures'], data['values'])
            for system, of_system in zip(data['systems'], of_measure)
            for query, value in zip(data['queries'], of_system)
        ),
        source,
    )


def _is_mteb(data: Any) -> bool:
    return isinstance(data, dict) and bool({'task_name', 'mteb_dataset_name'} & data.keys())


def _mteb(source: Source) -> tuple[dict[str, Any], Sequence[Any]]:
    data, measure = source.content, source.measure or 'main_score'
    task = data.get('task_name') or data['mteb_dataset_name']
    splits = data.get('scores')
    if splits is None:
        splits = {
            name: scores
            for name, scores in data.items()
            if isinstance(scores, dict) and name != 'scores'
        }
    if len(splits) != 1:
        raise ValueError(f'expected one split, found {", ".join(splits) or "none"}')
    ((_, subsets),) = splits.items()
    if isinstance(subsets, dict):  # files before MTEB 1.11
        by_subset = [each for each in subsets.values() if isinstance(each, dict)]
        subsets = by_subset or [subsets]
    for subset in subsets:
        if measure not in subset:
            known = next((name for name in subset if name.startswith('ndcg_at_')), 'ndcg_at_10')
            raise ValueError(f'no {measure}: name a measure of the file, such as measure={known!r}')
    value = float(np.mean([subset[measure] for subset in subsets]))
    return _rows([(_mteb_system(source.path), task, measure, value)], source)


def _mteb_system(path: str) -> str:
    """The model of a file of MTEB: a folder ``org__name``, or what model_meta.json beside the file says."""
    folder = os.path.dirname(os.path.abspath(path))
    for part in reversed(folder.split(os.sep)):
        if '__' in part.strip('_'):
            return part.replace('__', '/', 1)
    beside = os.path.join(folder, 'model_meta.json')
    if not os.path.isfile(beside):
        raise ValueError('no folder org__name and no model_meta.json names the model')
    _, meta = next(text.records(text.read_bytes(beside), beside))
    return str(meta['name'])


def _depth(data: Any) -> int:
    """The number of levels of a dict of dicts."""
    return (
        1 + max(map(_depth, data.values()), default=0)
        if isinstance(data, dict) and not _is_own(data) and not _is_mteb(data)
        else 0
    )


def _are_measures(names: Iterable[Any]) -> bool:
    return all(is_measure_name(str(name)) for name in names)


def _is_by_query(data: Any) -> bool:
    if _depth(data) != 2 or not all(isinstance(each, dict) for each in data.values()):
        return False
    names = {frozenset(each) for each in data.values()}
    return (
        len(names) == 1 and _are_measures(next(iter(names))) and not all(map(is_measure_name, data))
    )


def _is_by_measure(data: Any) -> bool:
    return (
        _depth(data) == 2
        and _are_measures(data)
        and not any(is_measure_name(str(query)) for each in data.values() for query in each)
    )


def _by_query(data: Any, system: str) -> Iterator[tuple[Any, ...]]:
    return (
        (system, query, measure, value)
        for query, scores in data.items()
        for measure, value in scores.items()
    )


FORMS = (
    Form('own', "what `leaderboard` writes as .json, whose format begins so", _is_own, _own),
    Form('mteb', 'a task of MTEB: task_name or mteb_dataset_name', _is_mteb, _mteb),
    Form(
        'nested',
        '{system: {query: {measure: value}}}',
        lambda data: _depth(data) == 3 and all(map(_is_by_query, data.values())),
        lambda source: _rows(
            (row for system, data in source.content.items() for row in _by_query(data, system)),
            source,
        ),
    ),
    Form(
        'pytrec_eval',
        '{query: {measure: value}}, the same measures for all queries',
        _is_by_query,
        lambda source: _rows(_by_query(source.content, source.stem), source),
    ),
    Form(
        'ranx',
        '{measure: {query: value}}',
        _is_by_measure,
        lambda source: _rows(
            (
                (source.stem, query, measure, value)
                for measure, scores in source.content.items()
                for query, value in scores.items()
            ),
            source,
        ),
    ),
    Form('tidy', 'columns of systems, queries, values, and mostly measures', _is_tidy, _tidy),
    Form(
        'run',
        'columns or records of queries, measures and values of one run',
        _has(QUERY, MEASURE, VALUE, without=SYSTEM),
        _tidy,
    ),
    Form(
        'measures',
        'columns of systems and queries, and a column for each measure',
        _has(SYSTEM, QUERY, without=MEASURE),
        _columns_of_measures,
    ),
    Form(
        'systems',
        'a row for each system, a column for each query',
        lambda table: _first_column(table, SYSTEM) and MEASURE not in table.roles,
        _of_systems,
    ),
    Form(
        'queries',
        'a row for each query, a column for each system',
        lambda table: isinstance(table, Table) and table.has_heading and MEASURE not in table.roles,
        _of_queries,
    ),
    Form('tira', 'lines `system query measure value`', _is_lines(4, 1), _lines),
    Form('tot', 'lines `system measure query value`', _is_lines(4, 2), _lines),
    Form('ir_measures', 'lines `query measure value`', _is_lines(3, 0), _lines),
    Form('trec_eval', 'lines `measure query value`', _is_lines(3, 1), _lines),
)
"""All forms, in the order in which they are tried."""

# ------------------------------------------------------------------------------------------------------------- reading


def paths_of(source: Any) -> list[str]:
    """The files of paths, patterns and folders, which are read with their subfolders; sorted by name within each.

    Raises:
        FileNotFoundError: nothing is there.
        TypeError: no paths.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isfile(path):
            return [path]
        if not os.path.isdir(path):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise text.no_such_file(path)
            return [each for name in found for each in paths_of(name)]
        paths = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith('.'))
            paths += [
                os.path.join(folder, name) for name in sorted(names) if not NO_SCORES.match(name)
            ]
        if not paths:
            raise FileNotFoundError(f'{path}: no files of scores there')
        return paths
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        listed = list(source)
        if listed and all(isinstance(each, (str, os.PathLike)) for each in listed):
            return list(dict.fromkeys(path for each in listed for path in paths_of(each)))
    raise TypeError(
        f'scores: expected a path, a pattern, a folder or several of them, found {source!r:.80}'
    )


def read(source: Any, measure: str | None = None, judges: bool = False) -> pd.DataFrame:
    """The tidy table of files of scores: ``system, query_id, measure, value``, and columns of ratings if there are any.

    Args:
        source: a path, a pattern, a folder, or several of them.
        measure: what scores without a measure are, or the field of MTEB's files to read.
        judges: each file has the scores of one judge, whose name is that of the file without its endings.

    Raises:
        FileNotFoundError: nothing is there.
        ValueError: no scores; names the file, and the line where there is one.
    """
    parts, forms = [], set[str]()
    for path in paths_of(source):
        data = text.read_bytes(path)
        try:
            file = Source(path, _content(data, path), measure)
            form = recognise(file.content)
            columns, places = form.read(file)
        except ValueError as error:
            said = str(error)
            raise ValueError(said if said.startswith(path) else f'{path}: {said}') from None
        forms.add(form.name)
        part = _scores(pd.DataFrame(columns), places, path)
        if judges and RATINGS[0] not in part:
            part[RATINGS[0]] = file.stem
        parts.append(part)
    if 'mteb' in forms:
        warn(TASKS)
    table = pd.concat(parts, ignore_index=True)
    ratings = [name for name in RATINGS if name in table]
    return table[[SYSTEM, QUERY, MEASURE, VALUE, *ratings]].fillna(dict.fromkeys(ratings, ''))


def recognise(content: Any) -> Form:
    """The form of the content of a file.

    Raises:
        ValueError: no form of scores; says what the content looks like.
    """
    if isinstance(content, Table) and not content.has_heading:
        n = len(content.columns)
        if n == 6:
            raise ValueError(RUN.format('6 columns'))
        if n == 2:
            raise ValueError(ONLY_MEANS)
        if n not in (3, 4):
            raise ValueError(
                f'expected 3 columns (query measure value) or 4 (system query measure value), found {n}'
            )
    elif isinstance(content, Table):
        is_log = list(content.columns)[:2] == ['epoch', 'steps']  # sentence-transformers
        if is_log or MEASURE in content.roles and QUERY not in content.roles:
            raise ValueError(ONLY_MEANS)
    for form in FORMS:
        if form.shows(content):
            return form
    if isinstance(content, Table):
        raise ValueError(
            f'expected columns of systems, queries, measures and values, found {", ".join(map(str, content.columns))}'
        )
    inner = [name for each in content.values() if isinstance(each, dict) for name in each]
    if _depth(content) < 2 or {'metrics', 'model_names'} <= content.keys() or _are_measures(inner):
        raise ValueError(ONLY_MEANS)
    raise ValueError(RUN.format('{query: {document: score}}'))


def _content(data: bytes, path: str) -> Any:
    """The table or the JSON object of a file.

    Raises:
        ValueError: an empty file, or lines with different numbers of fields.
    """
    if data.startswith(b'PAR1'):
        frame = pd.read_parquet(io.BytesIO(data))
        if not isinstance(frame.index, pd.RangeIndex):
            frame = frame.reset_index()
        places = [f'{path}, row {n}' for n in range(1, len(frame) + 1)]
        columns = {str(name): column.tolist() for name, column in frame.items()}
        return Table(columns, places, has_heading=True)
    if not data.strip():
        raise ValueError('empty file')
    if data.lstrip()[:1] in (b'{', b'['):
        records = list(text.records(data, path))
        if len(records) == 1 and not _has(QUERY, MEASURE, VALUE)(_of_records(records)):
            return records[0][1]
        return _of_records(records)
    return _of_lines(data, path)


def _of_records(records: list[tuple[str, dict[str, Any]]]) -> Table:
    names = dict.fromkeys(name for _, record in records for name in record)
    columns: dict[Any, Sequence[Any]] = {
        name: [record.get(name) for _, record in records] for name in names
    }
    return Table(columns, [place for place, _ in records], has_heading=True)


def _of_lines(data: bytes, path: str) -> Table:
    written = text.decoded(data, path)
    first = written.lstrip('\r\n').partition('\n')[0]
    separator = next((each for each in ',\t' if each in first), None)
    if separator is None:
        lines = enumerate(written.split('\n'), 1)
        rows = [(n, text.fields(line)) for n, line in lines if line.strip()]
    else:
        reader = csv.reader(io.StringIO(written, newline=''), delimiter=separator)
        try:
            rows = [(reader.line_num, row) for row in reader if any(row)]
        except csv.Error as error:
            raise ValueError(f'{path}, line {reader.line_num}: {error}') from None
    heading = [name.strip() for name in rows[0][1]]
    n = len(heading)
    for line, row in rows:
        if len(row) != n:
            raise ValueError(f'{path}, line {line}: {len(row)} columns, {n} in the lines before')
    aliases = {'', *ROLES[SYSTEM].split(), *ROLES[QUERY].split()}
    has_heading = separator == ',' or (
        not any(text.number(name) is not None for name in heading)
        and 'all' not in heading
        and bool(aliases & {name.casefold() for name in heading})
    )
    if has_heading:
        twice = [name for i, name in enumerate(heading) if name in heading[:i]]
        if twice:
            raise ValueError(
                f'{path}, line {rows[0][0]}: the heading has the column {twice[0]!r} twice'
            )
        first_row = rows[0][1]
        rows = [(line, row) for line, row in rows if row != first_row]
    else:
        rows = [(line, [field.strip() for field in row]) for line, row in rows]
    fields = list(zip(*(row for _, row in rows))) or [()] * n
    names = heading if has_heading else range(n)
    return Table(dict(zip(names, fields)), [line for line, _ in rows], has_heading)


# -------------------------------------------------------------------------------------------------------------- values


def _is_empty(value: Any) -> bool:
    return value is None or value == '' or isinstance(value, float) and math.isnan(value)


def _number(value: Any) -> float:
    """A value as a number: True and False are 1 and 0, and what is no finite number is NaN."""
    if isinstance(value, str):
        word = value.casefold()
        known = {'true': 1.0, 'false': 0.0}.get(word, text.number(word))
        value = math.nan if known is None else known
    number = float(value) if isinstance(value, (int, float, np.number, np.bool_)) else math.nan
    return number if math.isfinite(number) else math.nan


def _scores(table: pd.DataFrame, places: Sequence[Any], path: str) -> pd.DataFrame:
    """The scores of a file, without means over queries and measures that are no numbers.

    Raises:
        ValueError: a value that is no number, or only means.
    """
    names = [name for name in table if name != VALUE]
    table[names] = table[names].astype(str)
    written = table[VALUE].tolist()
    table[VALUE] = [_number(value) for value in written]
    is_mean = table[QUERY].isin(MEANS).to_numpy()
    if is_mean.all():
        raise ValueError(f'{path}: {ONLY_MEANS}' if len(table) else f'{path}: no scores')
    is_number = table[VALUE].notna()
    numeric = is_number.groupby(table[MEASURE]).transform('any')
    bad = np.flatnonzero(numeric & ~is_number & ~is_mean)
    if len(bad):
        row, place = table.iloc[bad[0]], places[bad[0]]
        where = place if isinstance(place, str) else f'{path}, line {place}'
        raise ValueError(
            f'{where}: {row[MEASURE]} of {row[SYSTEM]} on {row[QUERY]} is {written[bad[0]]!r}, expected a number '
            f'({len(bad)} of {len(table)} values are not)'
        )
    table = table[is_number]
    means, scores = table[is_mean[is_number]], table[~is_mean[is_number]]
    if not len(scores):
        raise ValueError(f'{path}: no scores')
    _check_means(means[means[QUERY] != 'gmean'], scores, path)
    return scores


def _check_means(means: pd.DataFrame, scores: pd.DataFrame, path: str) -> None:
    """Warn of means in a file that are not those of its queries."""
    key = [SYSTEM, MEASURE]
    found = scores.groupby(key)[VALUE].agg(['mean', 'size']).reset_index()
    both = means[~means[MEASURE].str.match('num|gm_', case=False)].merge(found, on=key)
    odd = both[(both[VALUE] - both['mean']).abs() > TOLERANCE]
    if len(odd):
        row = odd.iloc[0]
        more = f' (and {len(odd) - 1} more)' if len(odd) > 1 else ''
        warn(
            f'{path}: its mean of {row[MEASURE]} for {row[SYSTEM]} is {row[VALUE]:.4f}, of its '
            f'{count(row["size"], "query", "queries")} {row["mean"]:.4f}{more}',
            FilesWarning,
        )


__all__ = [
    'FORMS',
    'RATINGS',
    'ROLES',
    'TASKS',
    'TWICE',
    'Form',
    'is_measure_name',
    'paths_of',
    'read',
    'roles_of',
]
