"""Files of scores of other programs as one tidy table: a row for each system, query and measure.

The columns of a table are told by their names (:data:`ROLES`). Lines without a heading, and dicts of dicts, have queries
and measures in either order, which the names of measures tell.
"""

from __future__ import annotations

import csv
import functools
import glob
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import ir_measures
import numpy as np

from ..errors import FilesWarning, warn
from ..lazy import pd
from ..results import count
from . import files, text

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
NO_SCORES = r'(?i)\.|model_meta\.json$|readme|license'
"""The beginnings of names of files that are not read in folders."""
TREC_EVAL = (
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
        notes: what to warn of, to which readers of files add.
    """

    path: str
    measure: str | None
    notes: set[str]

    @property
    def stem(self) -> str:
        """The name of the file without the endings of files of scores."""
        name = os.path.basename(self.path)
        while (parts := name.rpartition('.'))[0] and parts[2] in ENDINGS:
            name = parts[0]
        return name


@functools.cache
def is_measure_name(name: str) -> bool:
    """Whether a text is the name of a measure: of ir_measures, of trec_eval, or letters with a cutoff.

    Examples:
        >>> [is_measure_name(name) for name in ('RBU@20', 'P_10', 'NDCG@10', 'q1', '301')]
        [True, True, True, False, False]
    """
    if re.fullmatch(TREC_EVAL, name) or re.fullmatch(r'[^\W\d][\w-]*@\d+', name):
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


def _is(name: str, role: str) -> bool:
    return name.casefold() in ROLES[role].split()


def _tidy(table: pd.DataFrame, source: Source) -> pd.DataFrame:
    """The scores of a table whose columns have names, by :data:`ROLES`.

    A row is a score; or there is a column for each measure, query or system.

    Raises:
        ValueError: means without queries, or no columns of scores.
    """
    heading, roles = list(table.columns), roles_of(table.columns)
    others = [name for name in heading if name not in ('', *roles.values())]
    first, stem = heading[0], source.measure or source.stem
    if heading[:2] == ['epoch', 'steps'] or MEASURE in roles and QUERY not in roles:
        raise ValueError(ONLY_MEANS)  # the former of sentence-transformers
    if {QUERY, VALUE} <= {*roles} and (MEASURE in roles or SYSTEM in roles and not others):
        known = table[[*roles.values()]].set_axis([*roles], axis=1)
        defaults = {SYSTEM: source.stem, MEASURE: source.measure or 'score'}
        return known.assign(**{role: defaults[role] for role in {*defaults} - {*roles}})
    if MEASURE in roles:
        raise ValueError(
            f'expected columns of systems, queries, measures and values, found {", ".join(heading)}'
        )
    if {SYSTEM, QUERY} <= {*roles}:
        roles.pop(VALUE, None)
        ids = table[[*roles.values()]].set_axis([*roles], axis=1)
        return _melted(ids, table.drop(columns=[*roles.values(), ''], errors='ignore'), MEASURE)
    if _is(first, SYSTEM):
        ids = table[first].to_frame(SYSTEM)
        return _melted(ids, table.iloc[:, 1:], QUERY).assign(**{MEASURE: stem})
    ids = pd.DataFrame({QUERY: range(1, len(table) + 1)}, table.index, dtype=object)
    if _is(first, QUERY) or first in ('', 'index'):
        ids, table = table[first].to_frame(QUERY), table.drop(columns=first)
    return _melted(ids, table, SYSTEM).assign(**{MEASURE: stem})


def _melted(ids: pd.DataFrame, values: pd.DataFrame, names: str) -> pd.DataFrame:
    """A row for each value, of which the heading is what ``names`` says. Empty cells are missing scores."""
    parts = [ids.assign(**{names: name, VALUE: values[name]}) for name in values]
    table = pd.concat(parts) if parts else ids.iloc[:0].assign(**{names: '', VALUE: ''})
    return table[table[VALUE].notna() & table[VALUE].ne('')]


def _with_heading(table: pd.DataFrame) -> pd.DataFrame:
    """A table without a heading, in which a row is a score, with names of its columns.

    Raises:
        ValueError: another number of columns, or ones of which it is not clear which is the query.
    """
    n = table.shape[1]
    if n == 6:
        raise ValueError(RUN.format('6 columns'))
    if n == 2:
        raise ValueError(ONLY_MEANS)
    if n not in (3, 4):
        raise ValueError(
            f'expected 3 columns (query measure value) or 4 (system query measure value), found {n}'
        )
    names = [set(table[place]) for place in (n - 3, n - 2)]
    for are_measures in (['all' not in each for each in names], [*map(_are_measures, names)]):
        if sum(are_measures) == 1:
            order = [MEASURE, QUERY] if are_measures[0] else [QUERY, MEASURE]
            return table.set_axis([*[SYSTEM][: n - 3], *order, VALUE], axis=1)
    system = 'run_id ' * (n > 3)
    raise ValueError(
        f'which of columns {n - 2} and {n - 1} is the query? No row "all" tells. Put a first line such as: '
        f'{system}query_id measure value'
    )


# ------------------------------------------------------------------------------------------------------- JSON objects


def _rows_of(data: Mapping[str, Any], source: Source) -> pd.DataFrame:
    """The scores of a JSON object: what ``leaderboard`` writes as .json, a task of MTEB, or dicts of dicts by queries and
    measures, in either order, and perhaps by systems before them.

    Raises:
        ValueError: means, or documents in place of measures.
    """
    if str(data.get('format')).startswith('ir_divmeasures.leaderboard/'):
        rows = [
            (system['name'], query['id'], measure, value)
            for measure, of_measure in zip(data['measures'], data['values'])
            for system, of_system in zip(data['systems'], of_measure)
            for query, value in zip(data['queries'], of_system)
        ]
        return pd.DataFrame(rows, columns=[SYSTEM, QUERY, MEASURE, VALUE], dtype=object)
    if {'task_name', 'mteb_dataset_name'} & data.keys():
        return _of_mteb(data, source)
    rows = [*_paths(data)]
    lengths = {*map(len, rows)}
    if max(lengths, default=0) < 3 or 'model_names' in data:
        raise ValueError(ONLY_MEANS)
    queries, measures = ({row[place] for row in rows if len(row) > 2} for place in (-3, -2))
    if _are_measures(measures) and (
        _are_measures(queries) or lengths == {3} and len(rows) != len(queries) * len(measures)
    ):
        raise ValueError(ONLY_MEANS)  # such as BEIR's, of which each measure has its cutoffs
    if len(lengths) > 1 or not _are_measures(measures) and not _are_measures(queries):
        raise ValueError(RUN.format('{query: {document: score}}'))
    return _with_heading(pd.DataFrame(rows, dtype=object))


def _paths(data: Any) -> Iterator[tuple[Any, ...]]:
    """The names that lead to each value of a dict of dicts, and the value."""
    for name, inner in data.items():
        for path in _paths(inner) if isinstance(inner, dict) else ((inner,),):
            yield name, *path


def _of_mteb(data: Mapping[str, Any], source: Source) -> pd.DataFrame:
    source.notes.add(TASKS)
    measure = source.measure or 'main_score'
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
    row = {
        SYSTEM: _mteb_system(source.path),
        QUERY: data.get('task_name') or data['mteb_dataset_name'],
        MEASURE: measure,
        VALUE: float(np.mean([subset[measure] for subset in subsets])),
    }
    return pd.DataFrame([row], dtype=object)


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


# ------------------------------------------------------------------------------------------------------------- reading


def paths_of(source: Any) -> list[str]:
    """The files of paths, patterns and folders, which are read with their subfolders; sorted by name within each.

    Raises:
        FileNotFoundError: nothing is there.
        TypeError: no paths.
    """
    return list(dict.fromkeys(files.paths_of(source, _files)))


def _files(path: str) -> list[str]:
    """The files of a path, a pattern or a folder."""
    if os.path.isfile(path):
        return [path]
    if not os.path.isdir(path):
        found = sorted(glob.glob(path, recursive=True))
        if not found:
            raise files.no_such_file(path)
        return [each for name in found for each in _files(name)]
    paths = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith('.'))
        paths += [
            os.path.join(folder, name) for name in sorted(names) if not re.match(NO_SCORES, name)
        ]
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
    parts, notes = [], set[str]()
    for path in paths_of(source):
        file = Source(path, measure, notes)
        try:
            part = _scores(_tidy(_content(text.read_bytes(path), file), file), path)
        except ValueError as error:
            said = str(error)
            raise ValueError(said if said.startswith(path) else f'{path}: {said}') from None
        if judges and RATINGS[0] not in part:
            part[RATINGS[0]] = file.stem
        parts.append(part)
    for note in notes:
        warn(note)
    table = pd.concat(parts, ignore_index=True)
    ratings = [name for name in RATINGS if name in table]
    return table[[SYSTEM, QUERY, MEASURE, VALUE, *ratings]].fillna(dict.fromkeys(ratings, ''))


def _content(data: bytes, source: Source) -> pd.DataFrame:
    """The table of a file, whose columns have names. Its index has the place of each row in words.

    Raises:
        ValueError: an empty file, lines with different numbers of fields, or no scores.
    """
    path = source.path
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
    if len(table) > 1 or {QUERY, MEASURE, VALUE} <= {*roles_of(table.columns)}:
        return table
    rows = _rows_of(records[0], source)
    return rows.set_axis([path] * len(rows))


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
        fields = [[field.strip() for field in row] for row in rows.values()]
        return _with_heading(pd.DataFrame(fields, [f'{path}, line {line}' for line in rows]))
    if (twice := text.first_twice(heading)) is not None:
        raise ValueError(f'{path}, line {number}: the heading has the column {twice!r} twice')
    rows = {line: row for line, row in rows.items() if row != first_row}
    places = [f'{path}, line {line}' for line in rows]
    return pd.DataFrame([*rows.values()], places, heading, dtype=object)


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
