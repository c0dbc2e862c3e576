"""Files of scores as one tidy table: a row for each system, query and measure.

A file is a tidy table, lines that ``ir_measures -q`` and ``trec_eval -q`` print, or a table of one measure with a row for
each query and a column for each system, or the other way round.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.names import parse
from ..errors import FilesWarning, naming, short, warn
from ..lazy import pd
from ..results import count
from .columns import or_nan
from .files import paths_of, read_bytes
from .forms import read_parquet, split_table
from .lines import Shape, first_line, number, read_lines

ROLES = {
    'system': ('system', 'run_id', 'run', 'name', 'model'),
    'query_id': ('query_id', 'qid', 'query', 'topic'),
    'measure': ('measure', 'metric'),
    'value': ('value', 'score'),
}
"""The names of columns by what they contain. Upper and lower case are the same, and the first name in a list wins."""
SYSTEM, QUERY, MEASURE, VALUE = ROLES
MEANS = ('all', 'mean', 'average', 'overall', 'amean', 'gmean')
"""Rows that are means over the queries."""
ENDINGS = r'(\.(gz|bz2|xz|zst|txt|tsv|csv|parquet|eval|ir_measures|trec_eval|irmeasures-qn?))+$'
"""Endings of file names that are no part of the name of a system or measure."""
TREC_EVAL = (
    r'(11pt_avg|G|P|Rndcg|Rprec|Rprec_mult|binG|bpref|gm_\w+|infAP|iprec_at_recall|map|map_cut|ndcg|ndcg_cut|'
    r'ndcg_rel|num_\w+|prefs_\w+|recall|recip_rank|relative_P|relstring|runid|set_\w+|success|utility)(_[\d.]+)?'
)
"""The names of trec_eval's measures."""
FORMS = (
    'system, query_id, measure and value; lines of "ir_measures -q" or "trec_eval -q"; or a row for each query '
    'and a column for each system, or the other way round'
)
ONLY_MEANS = 'a table of means; expected the scores of each query (trec_eval -q, ir_measures -q)'
TWICE = '{} of {} on {} is there twice'


def roles_of(names: Iterable[Any]) -> dict[str, Any]:
    """The column of a table for each role, of those that are there.

    Examples:
        >>> roles_of(['qid', 'Name', 'value', 'score'])
        {'system': 'Name', 'query_id': 'qid', 'value': 'value'}
    """
    folded = {str(name).strip().casefold(): name for name in names}
    present = {role: [folded[each] for each in ROLES[role] if each in folded] for role in ROLES}
    return {role: columns[0] for role, columns in present.items() if columns}


@functools.cache
def is_measure_name(name: str) -> bool:
    """Whether a text is the name of a measure: of ir_measures, of trec_eval, or letters with a cutoff.

    ``pt.Experiment`` with a baseline appends ``' +'``, ``' -'`` or ``' p-value'``.

    Examples:
        >>> [is_measure_name(name) for name in ('RBU@20', 'P_10', 'NDCG@10', 'AP p-value', 'q1', '301')]
        [True, True, True, True, False, False]
    """
    name = re.sub(r' ([+-]|p-value( corrected)?|reject)$', '', name)
    if re.fullmatch(TREC_EVAL, name) or re.fullmatch(r'[^\W\d][\w-]*@\d+', name):
        return True
    try:
        return name[:1].isalpha() and bool(parse(name))
    except (NameError, ValueError, SyntaxError, TypeError):
        return False


def read(source: Any, measure: str | None = None) -> pd.DataFrame:
    """The tidy table of files of scores: ``system, query_id, measure, value``.

    Args:
        source: a path, a pattern, a folder, or several of them.
        measure: the measure of a table with a column for each system. The default is the name of the file.

    Raises:
        FileNotFoundError: nothing is there.
        ValueError: no scores; names the file, and the line where there is one.
    """
    parts = []
    for path in paths_of(source):
        with naming(path):
            parts.append(_scores(path, measure))
    return pd.concat(parts, ignore_index=True)


def _scores(path: str, measure: str | None) -> pd.DataFrame:
    """The scores of a file, without means.

    Raises:
        ValueError: no scores, or a value that is no number.
    """
    data, name = read_bytes(path), re.sub(ENDINGS, '', os.path.basename(path))
    line, unit, has_heading = first_line(data), 'line', True
    fields = line.split()
    if data.startswith(b'PAR1'):
        table, unit = read_parquet(data, path), 'row'
        table = table if isinstance(table.index, pd.RangeIndex) else table.reset_index()
        table = table.astype(object).set_axis(range(1, len(table) + 1)).rename(columns=str)
    elif len(fields) == 3 and ('all' in fields or number(fields[2]) is not None):
        table, has_heading = _lines(data, path), False
    else:
        table = split_table(data, path, ',' if ',' in line else '\t', quoted=True)
    if has_heading:
        table = _tidy(table, measure or name)
    table = table if SYSTEM in table else table.assign(**{SYSTEM: name})
    values = np.array([or_nan(value) for value in table[VALUE]])
    names = table[[SYSTEM, QUERY, MEASURE]].astype(str)
    is_mean = names[QUERY].str.strip().str.casefold().isin(MEANS)
    for place in np.flatnonzero(~np.isfinite(values) & ~is_mean)[:1]:
        row = table.iloc[place]
        raise ValueError(
            f'{path}, {unit} {row.name}: {row[MEASURE]} of {row[SYSTEM]} on {row[QUERY]} is {short(row[VALUE])}, expected a number'
        )
    if is_mean.all():
        raise ValueError(ONLY_MEANS)
    if has_heading and is_mean.any():
        left_out = ', '.join(dict.fromkeys(names.loc[is_mean, QUERY]))
        warn(f'{path}: {count(int(is_mean.sum()), "mean")} ({left_out}) left out', FilesWarning)
    return names.assign(**{VALUE: values})[~is_mean]


def _tidy(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The scores of a table whose columns have names and whose index has the lines.

    Args:
        measure: the measure of a table with a column for each system.

    Raises:
        ValueError: a table of means, or of other things.
    """
    heading, roles = list(table.columns), roles_of(table.columns)
    if {QUERY, MEASURE, VALUE} <= {*roles}:
        return table[[*roles.values()]].set_axis([*roles], axis=1)
    of_columns, of_rows = SYSTEM, QUERY
    if heading[0] == roles.get(SYSTEM):
        of_columns, of_rows = QUERY, SYSTEM
    has_names = heading[0] in ('', 'index', roles.get(of_rows))
    rows = table.pop(heading[0]).tolist() if has_names else [*range(1, len(table) + 1)]
    for names in ([each for each in table if each not in roles.values()], map(str, rows)):
        names = list(names)
        if names and all(map(is_measure_name, names)):
            raise ValueError(f'found the columns {", ".join(heading)}: {ONLY_MEANS}')
    if len(heading) < 2 or MEASURE in roles:
        raise ValueError(f'found the columns {", ".join(heading)}, expected columns {FORMS}')
    parts = [
        pd.DataFrame({of_rows: rows, of_columns: name, MEASURE: measure, VALUE: values})
        for name, values in table.items()
    ]
    scores = pd.concat(parts) if parts else pd.DataFrame(columns=[*ROLES])
    return scores[scores[VALUE].notna() & scores[VALUE].ne('')]


def _lines(data: bytes, path: str) -> pd.DataFrame:
    """The scores of lines of a query, a measure and a value, or of a measure, a query and a value.

    Raises:
        ValueError: another number of fields, or lines of which it is not clear which field is the query.
    """
    lines = read_lines([data], path, Shape(('first', 'second', 'value')))
    first, second, values = (column.array.to_pylist() for column in lines.columns.values())
    names = [{*first}, {*second}]
    for is_measure in (
        ['all' not in each for each in names],
        [all(map(is_measure_name, each)) for each in names],
    ):
        if sum(is_measure) == 1:
            order = [MEASURE, QUERY] if is_measure[0] else [QUERY, MEASURE]
            numbers = np.delete(np.arange(len(values) + len(lines.skipped)), lines.skipped - 1) + 1
            return pd.DataFrame(dict(zip([*order, VALUE], (first, second, values))), numbers)
    raise ValueError(
        'which of columns 1 and 2 is the query? No row "all" tells. Put a first line such as: query_id,measure,value'
    )
