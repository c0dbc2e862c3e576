"""Read, write and reduce judgments: ``read_qrels``, ``write_qrels``, ``topic_level``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..lazy import pd
from . import forms
from .columns import KEYS
from .intents import with_weights
from .judgments import Judgments, remember

if TYPE_CHECKING:
    from ..typing import QrelsLike


def read_qrels(source: QrelsLike, format: str | None = None, intents: Any = None) -> pd.DataFrame:
    """Read diversity judgments from any source into one tidy table.

    Args:
        source: an ir_datasets id or dataset; a file or an open one, plain or compressed (gzip, bzip2, xz, zstandard); a
            DataFrame with the column names of ir_measures or PyTerrier, or ``query``, ``document``, ``grade`` and
            ``subtopic``, ``aspect`` or ``intent``; a Polars, Arrow or DuckDB table; an iterable of
            namedtuples with ``subtopic_id`` or ``iteration``; a nested dict ``{query: {doc: grade}}`` or ``{query: {doc:
            {subtopic: grade}}}``, or with subtopics outside where it can be told; a list of files or ids, whose queries
            must differ.
        format: the form of a file, recognized if you do not give it: ``'trec'`` (``query subtopic doc grade``),
            ``'tsv'`` (what :func:`write_qrels` writes: a header names the columns), ``'csv'``, ``'parquet'`` or
            ``'json'`` (a nested object, records, or a record a line).
        intents: intent probabilities, as for :func:`with_weights`.

    Returns:
        DataFrame ``query_id, doc_id`` (str), ``relevance`` (int, or float where a grade is fractional),
        ``subtopic_id`` (str), and further columns such as ``weight``. Grades are not changed; measures count
        grades below 0 as 0. ``subtopic_id`` wins over ``iteration``; a source without a column of subtopics, or with
        ``Q0`` or rounds of judging (TREC-COVID's 4.5) there, has the one subtopic '0'.

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
    judgments = Judgments.of(source, format)
    if intents is not None:
        return with_weights(judgments, intents)
    remember(judgments.table, judgments)  # found again by the user's copy
    return judgments.frame()


def topic_level(qrels: QrelsLike) -> pd.DataFrame:
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
    judgments = Judgments.of(qrels)
    table = judgments.table.loc[judgments.judged_rows, ['query_id', 'doc_id', 'relevance']]
    table = table.assign(relevance=table['relevance'].clip(lower=0))
    return table.groupby(['query_id', 'doc_id'], sort=False, as_index=False)['relevance'].max()


def write_qrels(
    qrels: QrelsLike,
    path: str | os.PathLike[str],
    format: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write judgments to a file that :func:`read_qrels` reads back.

    Args:
        qrels: judgments in any form that :func:`read_qrels` takes.
        path: the file; ``.gz`` compresses.
        format: ``'trec'`` (``query subtopic doc grade``) or ``'tsv'`` (all columns under a header). By default ``'trec'`` when the table has no further columns, else ``'tsv'``.
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
    columns = Judgments.of(qrels).columns
    further = [column for column in columns if column not in KEYS]
    forms.write(columns, path, forms.JUDGMENTS, format, further, overwrite)
