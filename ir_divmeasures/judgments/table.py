"""Judgments from any source as one tidy table: ``query_id, doc_id, relevance, subtopic_id`` and further columns.

Everything a measure needs to know about a query's documents rides in this table. A row says: for this query, this
document has this grade for this aspect. Further columns: ``weight`` (intent probability), ``subtopic_type``
(``inf``/``nav``), and what the functions of :mod:`ir_divmeasures.judgments` add.
"""
from __future__ import annotations

import gzip
import os
import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DivMeasuresWarning, did_you_mean, plain
from ..io import text as textfiles
from ..io.coding import arrow, codes, distinct, first_repetition, ids

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ('query_id', 'doc_id', 'relevance', 'subtopic_id')
ALIASES = {'qid': 'query_id', 'docno': 'doc_id', 'label': 'relevance'}
SUBTOPIC_COLUMNS = ('subtopic_id', 'iteration')
FORMATS = ('trec', 'evall', 'ntcir', 'dd', 'tsv')
TYPES = ('inf', 'nav')

_FIELDS = {
    'trec': ['query_id', 'subtopic_id', 'doc_id', 'relevance'],
    'ntcir': ['query_id', 'subtopic_id', 'doc_id', 'relevance'],
    'evall': ['query_id', 'doc_id', 'relevance', 'subtopic_id', 'weight'],
    'dd': ['query_id', 'subtopic_id', 'doc_id', 'passage_id', 'relevance'],
}


def read_qrels(source: Any, format: str | None = None, intents: Any = None, passages: str = 'sum') -> pd.DataFrame:
    """Read diversity judgments from any source into one tidy table.

    Args:
        source: an ir_datasets id or dataset; a path (plain or .gz); a DataFrame with ir_measures or PyTerrier column
            names; an iterable of namedtuples with ``subtopic_id`` or ``iteration``; a nested dict
            ``{query: {doc: grade}}`` or ``{query: {doc: {subtopic: grade}}}``.
        format: the form of a file, found out if not given: ``'trec'`` (``query subtopic doc grade``), ``'evall'`` (5
            tab-separated columns ``query doc grade aspect weight``, quoted or not), ``'ntcir'`` (``query intent doc
            L2``), ``'dd'`` (TREC Dynamic Domain passages, 5 columns ``query subtopic doc passage rating``), ``'tsv'``
            (what :func:`write_qrels` writes: a header names the columns).
        intents: intent probabilities and types, as for :func:`with_weights`: with NTCIR the Iprob or DINprob file.
        passages: how ratings of a document's passages for a subtopic become one grade: ``'sum'`` or ``'max'``
            (``'dd'`` only).

    Returns:
        DataFrame ``query_id, doc_id`` (str), ``relevance`` (int, or float where a grade is fractional),
        ``subtopic_id`` (str), and ``weight``, ``subtopic_type``, … where known. Grades stand as judged; measures count
        those below 0 as 0. ``subtopic_id`` wins over ``iteration``; a source with neither has the one subtopic '0'.

    Raises:
        FileNotFoundError, TypeError: no such file; not judgments.
        ValueError: an unreadable line, a grade that is not a number, a missing column, two different grades of one
            document for one subtopic; names file and line, or query, document and subtopic.

    Examples:
        >>> read_qrels({'q1': {'d1': {'1': 2, '2': 0}, 'd2': {'2': 1}}})
          query_id doc_id  relevance subtopic_id
        0       q1     d1          2           1
        1       q1     d1          0           2
        2       q1     d2          1           2
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f'format={format!r}: expected one of {", ".join(FORMATS)}{did_you_mean(format, FORMATS)}')
    if passages not in ('sum', 'max'):
        raise ValueError(f"passages={passages!r}: expected 'sum' or 'max'")
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if format is None and not os.path.exists(path) and _is_dataset(path):
            table = tidy(_load_dataset(path))
        else:
            table = tidy(_read_file(path, format, passages), name=path)
    else:
        table = tidy(source)
    if intents is not None:
        from .intents import with_weights
        table = with_weights(table, intents)
    return table


def tidy(source: Any, name: str = 'judgments') -> pd.DataFrame:
    """Judgments in any form but a file → the tidy table, checked. ``attrs['subtopic_column']`` says where the
    subtopics were found."""
    import pandas as pd

    if hasattr(source, 'has_qrels'):
        if not source.has_qrels():
            raise ValueError(f'{source!r} has no judgments')
        source = source.qrels_iter()
    if isinstance(source, pd.DataFrame):
        table = source.rename(columns={old: new for old, new in ALIASES.items()
                                       if old in source.columns and new not in source.columns})
    elif isinstance(source, dict):
        table = pd.DataFrame(_rows_of_dict(source), columns=list(COLUMNS))
        if not any(isinstance(grade, dict) for docs in source.values() for grade in docs.values()):
            table = table.drop(columns='subtopic_id')
    elif hasattr(source, '__iter__') and not isinstance(source, (str, bytes)):
        table = _from_namedtuples(source)
    else:
        raise TypeError(f'{name}: expected an ir_datasets id or dataset, a path, a DataFrame, a nested dict or an '
                        f'iterable of namedtuples, found {type(source).__name__}')
    column = next((c for c in SUBTOPIC_COLUMNS if c in table.columns), None)
    for needed in COLUMNS[:3]:
        if needed not in table.columns:
            raise ValueError(f'{name}: no column {needed!r} (found {", ".join(map(str, table.columns))})')
    subtopic = table[column] if column else '0'
    further = [c for c in table.columns if c not in COLUMNS and c not in SUBTOPIC_COLUMNS]
    table = table[list(COLUMNS[:3])].assign(subtopic_id=subtopic, **{c: table[c] for c in further})
    for key in ('query_id', 'doc_id', 'subtopic_id'):
        table[key] = ids(table, key, name)
    table['relevance'] = _grades(table, name)
    if 'layer' in table.columns:
        table['layer'] = _layers(table, name)
    if 'fingerprint' in table.columns:
        table['fingerprint'] = _fingerprints(table, name)
    table = _without_repetitions(table.reset_index(drop=True), name)
    _check_aspect_columns(table, name)
    _check_pool_columns(table, name)
    table.attrs['subtopic_column'] = column
    return table


def topic_level(qrels: Any) -> pd.DataFrame:
    """One row per query and document: g(d) = max over its subtopics of the grade, below 0 counted as 0.

    This is what ad-hoc measures (P, AP, nDCG, …) see of diversity judgments (Amigó et al. 2018, §6.2). Of several
    layers the official one counts.

    Args:
        qrels: judgments in any form that :func:`read_qrels` takes.

    Returns:
        DataFrame ``query_id, doc_id, relevance``, in order of first appearance.

    Examples:
        >>> topic_level({'q1': {'d1': {'1': 2, '2': 3}, 'd2': {'2': -2}}})
          query_id doc_id  relevance
        0       q1     d1          3
        1       q1     d2          0
    """
    table = base_layer(read_qrels(qrels))
    table = table[['query_id', 'doc_id']].assign(relevance=table['relevance'].clip(lower=0))
    return table.groupby(['query_id', 'doc_id'], sort=False, as_index=False)['relevance'].max()


def base_layer(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the official intents: layer 0, or the smallest layer where there is no 0."""
    if 'layer' not in table.columns:
        return table
    layers = table['layer'].unique()
    return table[table['layer'] == (0 if 0 in layers else min(layers))]


def write_qrels(qrels: Any, path: str | os.PathLike[str], format: str | None = None, overwrite: bool = False) -> None:
    """Write judgments to a file that :func:`read_qrels` reads back.

    Args:
        qrels: judgments in any form that :func:`read_qrels` takes.
        path: the file; ``.gz`` compresses.
        format: ``'trec'`` (``query subtopic doc grade``), ``'evall'`` (needs ``weight``) or ``'tsv'`` (all columns
            under a header). By default ``'trec'`` when the table has no further columns, else ``'tsv'``.
        overwrite: replace an existing file.

    Raises:
        FileExistsError: the file exists and ``overwrite`` is False.
        ValueError: the format cannot hold the table's columns.

    Examples:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), 'qrels.txt')
        >>> write_qrels({'q1': {'d1': {'1': 2}}}, path)
        >>> path.read_text()
        'q1 1 d1 2\\n'
    """
    import pandas as pd

    table, path = read_qrels(qrels), os.fspath(path)
    further = [c for c in table.columns if c not in COLUMNS]
    if format is None:
        format = 'tsv' if further else 'trec'
    if format not in ('trec', 'evall', 'tsv'):
        raise ValueError(f"format={format!r}: expected 'trec', 'evall' or 'tsv'")
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f'{path} exists; overwrite=True replaces it')
    if format == 'tsv':
        columns, header, sep = [*COLUMNS, *further], True, '\t'
    else:
        columns, header, sep = _FIELDS[format], False, '\t' if format == 'evall' else ' '
        lost = [c for c in further if c not in columns]
        missing = [c for c in columns if c not in table.columns]
        if lost or missing:
            raise ValueError(f'format {format!r} ' + (f'would lose the columns {", ".join(lost)}' if lost else
                                                      f'needs the columns {", ".join(missing)}') + "; 'tsv' holds all")
    parts = r'[\t\n\r]' + ('' if format == 'tsv' else '|"' if format == 'evall' else r'|[ \v\f]')
    for column in (c for c in columns if not pd.api.types.is_numeric_dtype(table[c])):
        text = table[column].astype(str)
        further_parts = ('|^#' if column == 'query_id' else '') + ('' if column in MAY_BE_EMPTY else '|^$')
        bad = text.str.contains(parts + further_parts, regex=True)
        if bad.any():
            raise ValueError(f'{column} {text[bad].iloc[0]!r} cannot be written in format {format!r}: it is empty, or '
                             f'holds white space, a quotation mark or a # that would be read as something else')
    # Written beside and moved into place: an interrupted call leaves no half of a file.
    data = table.to_csv(sep=sep, columns=columns, header=header, index=False, quoting=3, lineterminator='\n').encode()
    partial = f'{path}.{os.getpid()}.partial'
    try:
        with open(partial, 'wb') as file:
            file.write(gzip.compress(data, mtime=0) if path.endswith('.gz') else data)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def warn_if_one_subtopic(table: pd.DataFrame, subtopics: list[list[str]], measures: Iterable[Any]) -> None:
    """One warning when measures of diversity meet judgments in which every query has one subtopic.

    Args:
        table: the judgments.
        subtopics: the subtopic ids of each query.
        measures: the measures of diversity that were asked for.
    """
    names = sorted(str(m) for m in measures)
    n = len(subtopics)
    if not names or n == 0 or any(len(ids) > 1 for ids in subtopics):
        return
    if n == 1 and table.attrs.get('subtopic_column'):
        return  # a batch of one query says nothing about the collection
    column = table.attrs.get('subtopic_column')
    found = (f'found {column!r}, in which every query has one value' if column else
             f'found neither (columns: {", ".join(c for c in table.columns if c != "subtopic_id")})')
    warnings.warn(f'{n} of {n} queries have one subtopic only: {", ".join(names[:3])}'
                  f'{" …" if len(names) > 3 else ""} cannot tell anything about diversity. Looked for a column '
                  f"'subtopic_id' or 'iteration', {found}.", DivMeasuresWarning, stacklevel=2)


# --------------------------------------------------------------------------------------------------- sources

def _is_dataset(name: str) -> bool:
    if os.sep in name and not name.startswith(os.sep) and not name.startswith('.'):
        return not name.endswith(('.gz', '.txt', '.tsv', '.qrels'))
    return False


def _load_dataset(name: str) -> Any:
    import ir_datasets

    try:
        return ir_datasets.load(name)
    except KeyError:
        known = [str(key) for key in ir_datasets.registry]
        raise ValueError(f'{name!r} is neither a file nor an ir_datasets id'
                         + (did_you_mean(name, known, list_known=False) if len(name) > 3 else '')) from None


def _read_file(path: str, format: str | None, passages: str) -> pd.DataFrame:
    data = textfiles.read_bytes(path)
    if textfiles.line_of(data, 0) == 0:
        raise ValueError(f'{path}: holds no judgments')
    format = format or _guess_format(data, path)
    if format == 'tsv':
        return _read_tsv(data, path)
    fields = _FIELDS[format]
    if format == 'evall':
        data = data.replace(b'"', b'')
    keep = [f for f in fields if f != 'passage_id']
    numeric = () if format == 'ntcir' else ('relevance', 'weight')
    table = textfiles.split_columns(data, path, fields, keep, numeric, tabs_only=format == 'evall')
    frame = textfiles.frame(table)
    if format == 'ntcir':
        frame['relevance'] = _ntcir_grades(table['relevance'], path, data)
    if format == 'dd':
        keys = ['query_id', 'subtopic_id', 'doc_id']
        frame = frame.groupby(keys, sort=False, as_index=False)['relevance'].agg(passages)
    return _name_conflicting_lines(frame, path, data) if format in ('trec', 'ntcir', 'evall') else frame


def _name_conflicting_lines(frame: pd.DataFrame, path: str, data: bytes) -> pd.DataFrame:
    keys = ['query_id', 'doc_id', 'subtopic_id']
    twice = frame.duplicated(keys)
    if twice.any() and frame.drop_duplicates([*keys, 'relevance']).duplicated(keys).any():
        row = int(np.flatnonzero(frame.drop_duplicates([*keys, 'relevance']).duplicated(keys))[0])
        row = int(frame.drop_duplicates([*keys, 'relevance']).index[row])
        found = frame.iloc[row]
        raise ValueError(f'{path}, line {textfiles.line_of(data, row)}: query {found.query_id!r}, document '
                         f'{found.doc_id!r}, subtopic {found.subtopic_id!r} has grade {found.relevance:g} here and '
                         f'another above')
    return frame


def _guess_format(data: bytes, path: str) -> str:
    line = data.splitlines()[textfiles.line_of(data, 0) - 1]
    text = line.decode('utf-8', 'replace')
    if text.startswith('query_id\t'):
        return 'tsv'
    fields = text.split('\t') if text.count('\t') >= 4 else [f.decode('utf-8', 'replace') for f in line.split()]
    if len(fields) == 5:
        third, fifth = fields[2].strip('"'), fields[4].strip('"')
        if fields[0].startswith('"') or (_is_number(third) and '.' in fifth):
            return 'evall'
        if not _is_number(third):
            return 'dd'
        raise ValueError(f"{path}: 5 columns, which may be EvALL's or TREC Dynamic Domain's; give format='evall' or "
                         f"format='dd'")
    if len(fields) == 4 and fields[3][:1] == 'L' and fields[3][1:].isdigit():
        return 'ntcir'
    return 'trec'


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _ntcir_grades(column: Any, path: str, data: bytes) -> np.ndarray:
    texts = column.to_pylist()
    for row, text in enumerate(texts):
        if text[:1] != 'L' or not text[1:].isdigit():
            raise ValueError(f'{path}, line {textfiles.line_of(data, row)}: grade is {text!r}, expected L0, L1, …')
    return np.array([int(text[1:]) for text in texts], dtype=float)


def _read_tsv(data: bytes, path: str) -> pd.DataFrame:
    import pandas as pd

    rows: list[list[str]] = []
    numbers = []
    for number, raw in enumerate(data.splitlines(), 1):
        if not raw.strip() or raw.startswith(b'#'):
            continue
        try:
            fields = raw.decode('utf-8').split('\t')
        except UnicodeDecodeError as error:
            raise ValueError(f'{path}, line {number}: not UTF-8 text ({error})') from None
        if rows and len(fields) != len(rows[0]):
            raise ValueError(f'{path}, line {number}: expected {len(rows[0])} fields ({" ".join(rows[0])}), found '
                             f'{len(fields)}: {raw.decode("utf-8")[:120]!r}')
        rows.append(fields)
        numbers.append(number)
    texts = dict(zip(rows[0], zip(*rows[1:]))) if len(rows) > 1 else {name: () for name in rows[0]}
    for number, grade in zip(numbers[1:], texts.get('relevance', ())):
        if not _is_number(grade):
            raise ValueError(f'{path}, line {number}: relevance is {grade!r}, expected a number')
    return pd.DataFrame({name: _typed(column) if name not in TEXT_COLUMNS else list(column)
                         for name, column in texts.items()})


TEXT_COLUMNS = ('query_id', 'doc_id', 'subtopic_id', 'subtopic_type', 'fingerprint', 'parent')
MAY_BE_EMPTY = ('fingerprint', 'parent')


def _typed(texts: tuple[str, ...]) -> Any:
    """A column of a file as whole numbers, else numbers (NaN where empty), else text."""
    for convert in (int, lambda text: float(text) if text else float('nan')):
        try:
            return [convert(text) for text in texts]
        except ValueError:
            continue
    return list(texts)


def _rows_of_dict(source: dict[Any, Any]) -> list[tuple[Any, Any, Any, Any]]:
    rows: list[tuple[Any, Any, Any, Any]] = []
    for query, docs in source.items():
        if not isinstance(docs, dict):
            raise TypeError(f'judgments: query {query!r}: expected a dict of documents, found {docs!r}')
        for doc, grade in docs.items():
            if isinstance(grade, dict):
                rows.extend((query, doc, g, subtopic) for subtopic, g in grade.items())
            else:
                rows.append((query, doc, grade, '0'))
    return rows


def _from_namedtuples(source: Iterable[Any]) -> pd.DataFrame:
    import pandas as pd

    rows = list(source)
    if not rows:
        return pd.DataFrame({c: pd.Series(dtype=float if c == 'relevance' else object) for c in COLUMNS})
    fields = getattr(rows[0], '_fields', None)
    if fields is None:
        if all(isinstance(row, str) and len(row) == 1 for row in rows):  # ir_measures hands a text on as its letters
            raise TypeError(f'judgments: found the text {"".join(rows)!r}; ir_measures takes neither paths nor '
                            f'ir_datasets ids, give ir_divmeasures.read_qrels({"".join(rows)!r})')
        raise TypeError(f'judgments: expected namedtuples, found {rows[0]!r}')
    return pd.DataFrame.from_records(rows, columns=list(fields))


# --------------------------------------------------------------------------------------------------- checks

def _grades(table: pd.DataFrame, name: str) -> np.ndarray:
    import pandas as pd

    values = table['relevance']
    try:
        if isinstance(values.dtype, pd.StringDtype) \
                or values.dtype == object and any(isinstance(v, str) for v in values):
            raise ValueError
        grades = values.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        grades = np.array([float('nan') if isinstance(v, str) else _or_nan(v) for v in values])
    bad = np.flatnonzero(~np.isfinite(grades))
    if len(bad):
        row = table.iloc[int(bad[0])]
        raise ValueError(f'{name}: query {row.query_id!r}, document {row.doc_id!r}, subtopic {row.subtopic_id!r}: '
                         f'grade is {plain(row.relevance)!r}, expected a number')
    whole = np.all(grades == np.floor(grades)) and np.all(np.abs(grades) < 2**53)
    return grades.astype(np.int64) if whole else grades


def _layers(table: pd.DataFrame, name: str) -> np.ndarray:
    if table['layer'].dtype.kind in 'iu':
        return table['layer'].to_numpy(dtype=np.int64)
    layers = np.array([_or_nan(value) for value in table['layer']], dtype=float)
    bad = np.flatnonzero(~(np.isfinite(layers) & (layers == np.floor(layers))))
    if len(bad):
        row = table.iloc[int(bad[0])]
        raise ValueError(f'{name}: query {row.query_id!r}, document {row.doc_id!r}, subtopic {row.subtopic_id!r}: '
                         f'layer is {row.layer}, expected a whole number')
    return layers.astype(np.int64)


def _fingerprints(table: pd.DataFrame, name: str) -> Any:
    values = table['fingerprint'].fillna('')
    for value in values.unique():
        if not (isinstance(value, str) and (value == '' or re.fullmatch('[0-9a-f]{16}', value))):
            row = table[values == value].iloc[0]
            raise ValueError(f'{name}: query {row.query_id!r}, document {row.doc_id!r}: fingerprint is {value!r}, '
                             f'expected 16 hexadecimal digits or nothing')
    if len(table):
        printed, query, document = codes(values), codes(table['query_id']), codes(table['doc_id'])
        pairs, pair = distinct(query.astype(np.int64) * (int(document.max()) + 1) + document)
        one_of_pair = np.zeros(len(pairs), dtype=printed.dtype)
        one_of_pair[pair] = printed
        unlike = np.flatnonzero(one_of_pair[pair] != printed)
        if len(unlike):
            row = table.iloc[int(unlike[0])]
            raise ValueError(f'{name}: query {row.query_id!r}, document {row.doc_id!r} has several fingerprints, one '
                             f'of them {row.fingerprint!r}')
    return values


def _or_nan(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float('nan')


def _without_repetitions(table: pd.DataFrame, name: str) -> pd.DataFrame:
    keys = [*(c for c in ('query_id', 'layer') if c in table.columns), 'doc_id', 'subtopic_id']
    combined = np.zeros(len(table), dtype=np.int64)
    for key in keys:
        code = codes(table[key]) if key != 'layer' else np.unique(table[key].to_numpy(), return_inverse=True)[1]
        combined = combined * (int(code.max(initial=0)) + 1) + code
    if not len(table) or first_repetition(combined) is None:
        return table
    different = table.drop_duplicates([*keys, 'relevance']).duplicated(keys)
    if different.any():
        row = table.loc[different.index[int(np.flatnonzero(different)[0])]]
        hint = '' if 'subtopic_id' in table.columns and table['subtopic_id'].nunique() > 1 else \
            ' (no column of subtopics was found: did a reader drop it? read_qrels keeps it)'
        raise ValueError(f'{name}: query {row.query_id!r}, document {row.doc_id!r}, subtopic {row.subtopic_id!r} has '
                         f'several grades, one of them {row.relevance}{hint}')
    once = table.drop_duplicates(keys).reset_index(drop=True)
    warnings.warn(f'{name}: {len(table) - len(once)} of {len(table)} rows repeat another one and are left out',
                  DivMeasuresWarning, stacklevel=4)
    return once


def _check_aspect_columns(table: pd.DataFrame, name: str) -> None:
    """Columns that belong to an aspect must say one thing of it; weights are numbers ≥ 0, types inf or nav."""
    aspect = ['query_id', *(c for c in ('layer',) if c in table.columns), 'subtopic_id']
    if 'weight' in table.columns:
        table['weight'] = table['weight'].to_numpy(dtype=float, na_value=np.nan)
        none = table[table['weight'].isna() & (table['relevance'] > 0)]
        if len(none):
            raise ValueError(f'{name}: query {none.query_id.iloc[0]!r}, subtopic {none.subtopic_id.iloc[0]!r}: has '
                             f'relevant documents but no weight')
        bad = table[~(table['weight'].between(0, np.inf, inclusive='left')) & table['weight'].notna()]
        if len(bad):
            raise ValueError(f'{name}: query {bad.query_id.iloc[0]!r}, subtopic {bad.subtopic_id.iloc[0]!r}: weight '
                             f'is {plain(bad.weight.iloc[0])!r}, expected a number of at least 0')
    if 'subtopic_type' in table.columns:
        bad = table[~table['subtopic_type'].isin(TYPES)]
        if len(bad):
            raise ValueError(f'{name}: query {bad.query_id.iloc[0]!r}, subtopic {bad.subtopic_id.iloc[0]!r}: '
                             f"subtopic_type is {bad.subtopic_type.iloc[0]!r}, expected 'inf' or 'nav'")
    for column in ('weight', 'subtopic_type'):
        if column in table.columns:
            said = table[[*aspect, column]].drop_duplicates()
            twice = said[said.duplicated(aspect)]
            if len(twice):
                raise ValueError(f'{name}: query {twice.query_id.iloc[0]!r}, subtopic {twice.subtopic_id.iloc[0]!r} '
                                 f'has several values of {column}, one of them {plain(twice[column].iloc[0])!r}')


def _check_pool_columns(table: pd.DataFrame, name: str) -> None:
    """``n_retrieved`` and ``n_systems`` are numbers, 0 ≤ n_retrieved ≤ n_systems, and one of each for a document."""
    present = [c for c in ('n_retrieved', 'n_systems') if c in table.columns]
    if not present or not len(table):
        return
    counts = {}
    for column in present:
        try:
            counts[column] = table[column].to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            counts[column] = np.array([_or_nan(v) for v in table[column]])
        if table[column].dtype.kind not in 'iuf':
            table[column] = counts[column]
    found, systems = counts.get('n_retrieved', np.zeros(1)), counts.get('n_systems', np.full(1, np.inf))
    bad = np.flatnonzero(np.broadcast_to(~((found >= 0) & (found <= systems) & (systems >= 1)), len(table)))
    if len(bad):
        row = table.iloc[int(bad[0])]
        raise ValueError(f'{name}: query {row.query_id!r}, document {row.doc_id!r}: '
                         + ', '.join(f'{c} is {row[c]!r}' for c in present)
                         + '; expected numbers, 0 ≤ n_retrieved ≤ n_systems, n_systems at least 1')
    said = table[['query_id', 'doc_id', *present]]
    if said.duplicated(['query_id', 'doc_id']).any():
        said = said.drop_duplicates()
        twice = said[said.duplicated(['query_id', 'doc_id'])]
        if len(twice):
            raise ValueError(f'{name}: query {twice.query_id.iloc[0]!r}, document {twice.doc_id.iloc[0]!r} has several '
                             f'values of {" or ".join(present)}')


__all__ = ['read_qrels', 'topic_level', 'write_qrels', 'arrow']
