"""Files of scores as one tidy table: a row for each system, query and measure.

A file is a tidy table, lines that ``ir_measures -q`` and ``trec_eval -q`` print, or a table of one measure with a row for
each query and a column for each system.
"""

from __future__ import annotations

import functools
import io
import os
import re
from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np

from ..errors import FilesWarning, warn
from ..lazy import pd
from ..results import count
from . import text
from .files import paths_of
from .forms import naming

ROLES = {
    'system': ('system', 'run_id', 'run', 'name'),
    'query_id': ('query_id', 'qid', 'query', 'topic'),
    'measure': ('measure', 'metric'),
    'value': ('value', 'score'),
}
"""The names of columns by what they contain. Upper and lower case are the same, and the first name in a list wins."""
SYSTEM, QUERY, MEASURE, VALUE = ROLES
MEANS = ('all', 'mean', 'average', 'overall', 'amean', 'gmean')
"""Rows that are means over the queries."""
ENDINGS = (
    'gz',
    'bz2',
    'xz',
    'zst',
    'txt',
    'tsv',
    'csv',
    'parquet',
    'eval',
    'ir_measures',
    'trec_eval',
    'irmeasures-q',
    'irmeasures-qn',
)
TREC_EVAL = (
    r'(11pt_avg|G|P|Rndcg|Rprec|Rprec_mult|binG|bpref|gm_\w+|infAP|iprec_at_recall|map|map_cut|ndcg|ndcg_cut|'
    r'ndcg_rel|num_\w+|prefs_\w+|recall|recip_rank|relative_P|relstring|runid|set_\w+|success|utility)(_[\d.]+)?'
)
"""The names of trec_eval's measures."""
FORMS = (
    'columns system, query_id, measure and value; lines of "ir_measures -q" or "trec_eval -q"; or a row for each query '
    'and a column for each system'
)


TWICE = '{} of {} on {} is there twice'


def roles_of(names: Iterable[Any]) -> dict[str, Any]:
    """The column of a table for each role, of those that are there.

    Examples:
        >>> roles_of(['qid', 'Name', 'value', 'score'])
        {'system': 'Name', 'query_id': 'qid', 'value': 'value'}
    """
    folded = {str(name).strip().casefold(): name for name in names}
    return {
        role: next(folded[alias] for alias in aliases if alias in folded)
        for role, aliases in ROLES.items()
        if folded.keys() & {*aliases}
    }


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
    data = text.read_bytes(path)
    lines = [] if data.startswith(b'PAR1') else text.first_lines(data, 1)
    if not data.startswith(b'PAR1') and not lines:
        raise ValueError('empty file')
    fields = lines[0].split() if lines else []
    has_heading = len(fields) != 3 or text.number(fields[2]) is None and 'all' not in fields
    name = os.path.basename(path)
    while (parts := name.rpartition('.'))[0] and parts[2] in ENDINGS:
        name = parts[0]
    table = _tidy(_table(data, path), measure or name) if has_heading else _lines(data, path)
    table = table if SYSTEM in table else table.assign(**{SYSTEM: name})
    written = table[VALUE]
    table = table.astype(str).assign(**{VALUE: written.map(_number).astype(float)})
    is_mean = table[QUERY].str.casefold().isin(MEANS)
    bad = np.flatnonzero(table[VALUE].isna() & ~is_mean)
    if len(bad):
        row = table.iloc[bad[0]]
        raise ValueError(
            f'{row.name}: {row[MEASURE]} of {row[SYSTEM]} on {row[QUERY]} is {written.iloc[bad[0]]!r}, expected a '
            f'number ({len(bad)} of {len(table)} values are not)'
        )
    if is_mean.all():
        raise ValueError(
            'no scores of queries; write the scores of each query (trec_eval -q, ir_measures -q)'
        )
    if has_heading and is_mean.any():
        named = ', '.join(dict.fromkeys(table.loc[is_mean, QUERY]))
        warn(f'{path}: {count(int(is_mean.sum()), "mean")} ({named}) left out', FilesWarning)
    return table.loc[~is_mean, [SYSTEM, QUERY, MEASURE, VALUE]]


def _table(data: bytes, path: str) -> pd.DataFrame:
    """A table under a heading. Its index has the place of each row in words."""
    if data.startswith(b'PAR1'):
        frame = pd.read_parquet(io.BytesIO(data))
        frame = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
        places = [f'{path}, row {n}' for n in range(1, len(frame) + 1)]
        return frame.astype(object).set_axis(places).rename(columns=str)
    delimiter = ',' if ',' in text.first_lines(data, 1)[0] else '\t'
    heading, columns, numbers = text.split_table(data, path, delimiter, quoted=True)
    places = [f'{path}, line {n}' for n in numbers]
    return pd.DataFrame(columns, places, heading, dtype=object)


def _tidy(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The scores of a table whose columns have names.

    Args:
        measure: the measure of a table with a column for each system.

    Raises:
        ValueError: columns of other things, such as means by measure.
    """
    heading, roles = list(table.columns), roles_of(table.columns)
    if {QUERY, MEASURE, VALUE} <= {*roles}:
        return table[[*roles.values()]].set_axis([*roles], axis=1)
    others = [name for name in heading if name not in ('', 'index', *roles.values())]
    if len(heading) < 2 or MEASURE in roles or others and all(map(is_measure_name, others)):
        raise ValueError(f'found the columns {", ".join(heading)}, expected {FORMS}')
    queries = [*range(1, len(table) + 1)]
    if heading[0] in ('', 'index', roles.get(QUERY)):
        queries = table.pop(heading[0]).tolist()
    parts = [
        pd.DataFrame({SYSTEM: name, QUERY: queries, MEASURE: measure, VALUE: values})
        for name, values in table.items()
    ]
    scores = pd.concat(parts) if parts else pd.DataFrame(columns=[*ROLES])
    return scores[scores[VALUE].notna() & scores[VALUE].ne('')]


def _lines(data: bytes, path: str) -> pd.DataFrame:
    """The scores of lines of a query, a measure and a value, or of a measure, a query and a value.

    Raises:
        ValueError: another number of fields, or lines of which it is not clear which field is the query.
    """
    columns = text.split_columns(data, path, ('first', 'second', 'value'))
    first, second, values = (column.array.to_pylist() for column in columns.values())
    shape = text.Shape(('first', 'second', 'value'))
    numbers = [number for number, _ in text.content(data, shape)]
    names = [{*first}, {*second}]
    for is_measure in (
        ['all' not in each for each in names],
        [all(map(is_measure_name, each)) for each in names],
    ):
        if sum(is_measure) == 1:
            order = [MEASURE, QUERY] if is_measure[0] else [QUERY, MEASURE]
            places = [f'{path}, line {number}' for number in numbers]
            return pd.DataFrame(dict(zip([*order, VALUE], (first, second, values))), places)
    raise ValueError(
        'which of columns 1 and 2 is the query? No row "all" tells. Put a first line such as: query_id,measure,value'
    )


def _number(value: Any) -> float:
    """A value as a number; NaN of what is no finite number."""
    if isinstance(value, str):
        value = text.number(value)
    number = float(value) if isinstance(value, (int, float, np.number)) else np.nan
    return number if np.isfinite(number) else np.nan
