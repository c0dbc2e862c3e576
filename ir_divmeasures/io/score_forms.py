"""Forms of files of scores, each declared once: how to tell it by its content, and how to read it.

To add a form, add a :class:`Form` to :data:`FORMS`. Forms are tried in their order. The content of a file is the object of
a JSON file, or a table: its index has the place of each row in words, and without a heading its columns have numbers.
"""

from __future__ import annotations

import csv
import functools
import glob
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

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


class Source(NamedTuple):
    """Where the content of a file is from.

    Attributes:
        path: the path of the file.
        measure: the measure that the user named, or None.
    """

    path: str
    measure: str | None

    @property
    def stem(self) -> str:
        """The name of the file without the endings of files of scores."""
        name = os.path.basename(self.path)
        while (parts := name.rpartition('.'))[0] and parts[2] in ENDINGS:
            name = parts[0]
        return name


class Form(NamedTuple):
    """A form of files of scores.

    Attributes:
        name: its name.
        shows: whether the content of a file has this form.
        read: the tidy table of a content.
    """

    name: str
    shows: Callable[[Any], bool]
    read: Callable[[Any, Source], pd.DataFrame]


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


def _are_measures(names: Iterable[Any]) -> bool:
    return all(is_measure_name(str(name)) for name in names)


# ------------------------------------------------------------------------------------------------------------- tables


def _heading(content: Any) -> list[str]:
    """The columns that a table names."""
    named = isinstance(content, pd.DataFrame) and not isinstance(content.columns, pd.RangeIndex)
    return list(content.columns) if named else []


def _has(*roles: str, without: str = '') -> Callable[[Any], bool]:
    def shows(content: Any) -> bool:
        known = roles_of(_heading(content))
        return set(roles) <= known.keys() and without not in known

    return shows


def _is_tidy(table: Any) -> bool:
    """A row is a score. Without a column of measures, there is no other column of numbers."""
    roles = roles_of(_heading(table))
    others = set(_heading(table)) - {'', *roles.values()}
    return _has(SYSTEM, QUERY, VALUE)(table) and (MEASURE in roles or not others)


def _tidy(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    roles = roles_of(table.columns)
    known = table[[*roles.values()]].set_axis([*roles], axis=1)
    return known.assign(
        **{
            role: name
            for role, name in {SYSTEM: source.stem, MEASURE: source.measure or 'score'}.items()
            if role not in roles
        }
    )


def _melted(ids: pd.DataFrame, values: pd.DataFrame, names: str) -> pd.DataFrame:
    """A row for each value, of which the heading is what ``names`` says. Empty cells are missing scores."""
    parts = [ids.assign(**{names: name, VALUE: values[name]}) for name in values]
    table = pd.concat(parts) if parts else ids.iloc[:0].assign(**{names: '', VALUE: ''})
    return table[table[VALUE].notna() & table[VALUE].ne('')]


def _columns_of_measures(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    roles = {role: name for role, name in roles_of(table.columns).items() if role != VALUE}
    ids = table[[*roles.values()]].set_axis([*roles], axis=1)
    return _melted(ids, table.drop(columns=[*roles.values(), ''], errors='ignore'), MEASURE)


def _begins_with(role: str) -> Callable[[Any], bool]:
    """Whether the first column has a role, and there are no measures."""
    return lambda table: (
        bool(heading := _heading(table))
        and heading[0].casefold() in ROLES[role].split()
        and _has(without=MEASURE)(table)
    )


def _of_queries(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    first = table.columns[0]
    if _begins_with(QUERY)(table) or first in ('', 'index'):
        ids, table = table[first], table.drop(columns=first)
    else:
        ids = pd.Series(range(1, len(table) + 1), table.index, dtype=object)
    return _melted(ids.to_frame(QUERY), table, SYSTEM).assign(
        **{MEASURE: source.measure or source.stem}
    )


def _of_systems(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    ids = table.iloc[:, 0].to_frame(SYSTEM)
    return _melted(ids, table.iloc[:, 1:], QUERY).assign(**{MEASURE: source.measure or source.stem})


def _query_field(table: pd.DataFrame) -> int:
    """Which of the two fields before the value is the query, in a table without a heading."""
    second = table.shape[1] - 2
    names = [set(table[place]) for place in (second - 1, second)]
    for are_measures in (['all' not in each for each in names], [*map(_are_measures, names)]):
        if sum(are_measures) == 1:
            return second - are_measures[1]
    system = 'run_id ' * (second > 1)
    raise ValueError(
        f'which of columns {second} and {second + 1} is the query? No row "all" tells. Put a first line such as: '
        f'{system}query_id measure value'
    )


def _is_lines(n: int, query: int) -> Callable[[Any], bool]:
    return lambda table: (
        isinstance(table, pd.DataFrame)
        and not _heading(table)
        and table.shape[1] == n
        and _query_field(table) == query
    )


def _lines(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    n, query = table.shape[1], _query_field(table)
    names = (
        [SYSTEM] * (n - 3)
        + [QUERY, MEASURE] * (query == n - 3)
        + [MEASURE, QUERY] * (query > n - 3)
    )
    return _tidy(table.set_axis([*names, VALUE], axis=1), source)


# ------------------------------------------------------------------------------------------------------- JSON objects


def _rows(rows: Iterable[tuple[Any, ...]], source: Source) -> pd.DataFrame:
    """The table of (system, query, measure, value)."""
    table = pd.DataFrame(rows, columns=[SYSTEM, QUERY, MEASURE, VALUE], dtype=object)
    return table.set_axis([source.path] * len(table))


def _is_own(data: Any) -> bool:
    return isinstance(data, dict) and str(data.get('format')).startswith(
        'ir_divmeasures.leaderboard/'
    )


def _own(data: Any, source: Source) -> pd.DataFrame:
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


def _mteb(data: Any, source: Source) -> pd.DataFrame:
    measure = source.measure or 'main_score'
    task = data.get('task_name') or data['mteb_dataset_name']
    splits = data.get('scores')
    if splits is None:
        splits = {name: scores for name, scores in data.items() if isinstance(scores, dict)}
    if len(splits) != 1:
        raise ValueError(f'expected one split, found {", ".join(splits) or "none"}')
    (subsets,) = splits.values()
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
    nested = isinstance(data, dict) and not _is_own(data) and not _is_mteb(data)
    return 1 + max(map(_depth, data.values()), default=0) if nested else 0


def _is_by_query(data: Any) -> bool:
    if _depth(data) != 2 or not all(isinstance(each, dict) for each in data.values()):
        return False
    names, *others = {frozenset(each) for each in data.values()}
    return not others and _are_measures(names) and not _are_measures(data)


def _is_by_measure(data: Any) -> bool:
    return (
        _depth(data) == 2
        and _are_measures(data)
        and not any(is_measure_name(str(query)) for each in data.values() for query in each)
    )


def _nested(data: Any, source: Source) -> pd.DataFrame:
    return _rows(
        (
            (system, query, measure, value)
            for system, by_query in data.items()
            for query, scores in by_query.items()
            for measure, value in scores.items()
        ),
        source,
    )


def _by_measure(data: Any, source: Source) -> pd.DataFrame:
    rows = (
        (source.stem, q, measure, value) for measure in data for q, value in data[measure].items()
    )
    return _rows(rows, source)


FORMS = (
    # what `leaderboard` writes as .json, whose format begins so
    Form('own', _is_own, _own),
    # a task of MTEB: task_name or mteb_dataset_name
    Form('mteb', _is_mteb, _mteb),
    # {system: {query: {measure: value}}}
    Form(
        'nested', lambda data: _depth(data) == 3 and all(map(_is_by_query, data.values())), _nested
    ),
    # {query: {measure: value}}, the same measures for all queries
    Form('pytrec_eval', _is_by_query, lambda data, source: _nested({source.stem: data}, source)),
    # {measure: {query: value}}
    Form('ranx', _is_by_measure, _by_measure),
    # columns of systems, queries, values, and mostly measures
    Form('tidy', _is_tidy, _tidy),
    # columns or records of queries, measures and values of one run
    Form('run', _has(QUERY, MEASURE, VALUE, without=SYSTEM), _tidy),
    # columns of systems and queries, and a column for each measure
    Form('measures', _has(SYSTEM, QUERY, without=MEASURE), _columns_of_measures),
    # a row for each system, a column for each query
    Form('systems', _begins_with(SYSTEM), _of_systems),
    # a row for each query, a column for each system
    Form(
        'queries', lambda table: bool(_heading(table)) and _has(without=MEASURE)(table), _of_queries
    ),
    # lines `system query measure value`
    Form('tira', _is_lines(4, 1), _lines),
    # lines `system measure query value`
    Form('tot', _is_lines(4, 2), _lines),
    # lines `query measure value`
    Form('ir_measures', _is_lines(3, 0), _lines),
    # lines `measure query value`
    Form('trec_eval', _is_lines(3, 1), _lines),
)
"""All forms, in the order in which they are tried."""

# ------------------------------------------------------------------------------------------------------------- reading


def paths_of(source: Any) -> list[str]:
    """The files of paths, patterns and folders, which are read with their subfolders; sorted by name within each.

    Raises:
        FileNotFoundError: nothing is there.
        TypeError: no paths.
    """
    if not isinstance(source, (str, os.PathLike)):
        several = isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping))
        listed = list(source) if several else []
        if not listed or not all(isinstance(each, (str, os.PathLike)) for each in listed):
            raise TypeError(
                f'scores: expected a path, a pattern, a folder or several of them, found {source!r:.80}'
            )
        return list(dict.fromkeys(path for each in listed for path in paths_of(each)))
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
        paths += [os.path.join(folder, name) for name in sorted(names) if not NO_SCORES.match(name)]
    if not paths:
        raise FileNotFoundError(f'{path}: no files of scores there')
    return paths


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
        file = Source(path, measure)
        try:
            content = _content(text.read_bytes(path), path)
            form = recognise(content)
            part = _scores(form.read(content, file), path)
        except ValueError as error:
            said = str(error)
            raise ValueError(said if said.startswith(path) else f'{path}: {said}') from None
        forms.add(form.name)
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
    is_table, heading = isinstance(content, pd.DataFrame), _heading(content)
    n = content.shape[1] if is_table and not heading else 0
    if n == 6:
        raise ValueError(RUN.format('6 columns'))
    is_log = heading[:2] == ['epoch', 'steps']  # sentence-transformers
    if n == 2 or is_log or _has(MEASURE, without=QUERY)(content):
        raise ValueError(ONLY_MEANS)
    if n not in (0, 3, 4):
        raise ValueError(
            f'expected 3 columns (query measure value) or 4 (system query measure value), found {n}'
        )
    for form in FORMS:
        if form.shows(content):
            return form
    if is_table:
        raise ValueError(
            f'expected columns of systems, queries, measures and values, found {", ".join(heading)}'
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
        return frame.astype(object).set_axis(places).rename(columns=str)
    if not data.strip():
        raise ValueError('empty file')
    if data.lstrip()[:1] not in (b'{', b'['):
        return _of_lines(data, path)
    places, records = zip(*text.records(data, path))
    table = pd.DataFrame(records, places, dtype=object)
    return table if len(table) > 1 or _has(QUERY, MEASURE, VALUE)(table) else records[0]


def _of_lines(data: bytes, path: str) -> pd.DataFrame:
    """The table of lines whose fields are separated by commas, tabs or blanks."""
    written = text.decoded(data, path)
    first = written.lstrip('\r\n').partition('\n')[0]
    separator = next((each for each in ',\t' if each in first), None)
    if separator is None:
        lines = enumerate(written.split('\n'), 1)
        rows = {n: text.fields(line) for n, line in lines if line.strip()}
    else:
        reader = csv.reader(io.StringIO(written, newline=''), delimiter=separator)
        try:
            rows = dict((reader.line_num, row) for row in reader if any(row))
        except csv.Error as error:
            raise ValueError(f'{path}, line {reader.line_num}: {error}') from None
    number, first_row = next(iter(rows.items()))
    heading = [name.strip() for name in first_row]
    for line, row in rows.items():
        if len(row) != len(heading):
            raise ValueError(
                f'{path}, line {line}: {len(row)} columns, {len(heading)} in the lines before'
            )
    aliases = {'', *ROLES[SYSTEM].split(), *ROLES[QUERY].split()}
    has_heading = separator == ',' or (
        not any(text.number(name) is not None for name in heading)
        and 'all' not in heading
        and bool(aliases & {name.casefold() for name in heading})
    )
    if not has_heading:
        rows = {line: [field.strip() for field in row] for line, row in rows.items()}
    elif (twice := text.first_twice(heading)) is not None:
        raise ValueError(f'{path}, line {number}: the heading has the column {twice!r} twice')
    else:
        rows = {line: row for line, row in rows.items() if row != first_row}
    places = [f'{path}, line {line}' for line in rows]
    columns = heading if has_heading else range(len(heading))
    return pd.DataFrame([*rows.values()], places, columns, dtype=object)


# -------------------------------------------------------------------------------------------------------------- values


def _number(value: Any) -> float:
    """A value as a number: True and False are 1 and 0, and what is no finite number is NaN."""
    if isinstance(value, str):
        value = {'true': 1, 'false': 0}.get(value.casefold(), text.number(value))
    number = float(value) if isinstance(value, (int, float, np.number, np.bool_)) else np.nan
    return number if np.isfinite(number) else np.nan


def _scores(table: pd.DataFrame, path: str) -> pd.DataFrame:
    """The scores of a file, without means over queries and measures that are no numbers.

    Raises:
        ValueError: a value that is no number, or only means.
    """
    written = table[VALUE]
    table = table.astype(str).assign(**{VALUE: written.map(_number).astype(float)})
    is_mean, is_number = table[QUERY].isin(MEANS), table[VALUE].notna()
    if len(table) and is_mean.all():
        raise ValueError(ONLY_MEANS)
    numeric = is_number.groupby(table[MEASURE].to_numpy()).transform('any')
    bad = np.flatnonzero(numeric & ~is_number & ~is_mean)
    if len(bad):
        row = table.iloc[bad[0]]
        raise ValueError(
            f'{row.name}: {row[MEASURE]} of {row[SYSTEM]} on {row[QUERY]} is {written.iloc[bad[0]]!r}, expected a '
            f'number ({len(bad)} of {len(table)} values are not)'
        )
    means, scores = table[is_number & is_mean], table[is_number & ~is_mean]
    if not len(scores):
        raise ValueError('no scores')
    _check_means(means[means[QUERY] != 'gmean'], scores, path)
    return scores.copy()


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
