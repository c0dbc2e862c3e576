"""PyTerrier: topics and judgments with their subtopics, in PyTerrier's column names.

PyTerrier's own readers lose subtopics (``pt.io.read_qrels``) or print a question when a query has several fields
(``get_topics``). The functions here give what ``pt.Experiment`` takes.
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import judgments
from .enrich.weights import with_subtopic_types, with_weights

if TYPE_CHECKING:
    import pandas as pd

PYTERRIER_NAMES = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}


def get_qrels(dataset: Any, weights: Any = None) -> pd.DataFrame:
    """Judgments of a diversity collection for ``pt.Experiment``.

    Args:
        dataset: an ir_datasets id (with or without PyTerrier's ``irds:``) or dataset, or a dataset of
            ``pt.get_dataset('irds:…')``.
        weights: intent probabilities, as for :func:`ir_divmeasures.with_weights`.

    Returns:
        DataFrame ``qid, docno`` (str), ``label`` (int), ``subtopic_id`` (str); ``subtopic_type`` (``inf``/``nav``)
        where the dataset's queries say it, ``weight`` where weights are given.

    Raises:
        ValueError: an unknown dataset, or one without judgments.
        TypeError: not a dataset.

    Examples:
        >>> get_qrels('divmeasures/sample/diversity').head(2)
          qid  docno  label subtopic_id subtopic_type
        0   1  D0006      2           1           inf
        1   1  D0012      3           1           inf
    """
    source = _irds(dataset)
    if not source.has_qrels():
        raise ValueError(f'{dataset!r} has no judgments')
    qrels = judgments.read_qrels(source)
    if source.has_queries() and 'subtopics' in source.queries_cls()._fields:
        qrels = with_subtopic_types(qrels, source)
    return _for_pyterrier(qrels, weights)


def read_qrels(path: str | os.PathLike[str], format: str | None = None, weights: Any = None) -> pd.DataFrame:
    """Read a file of judgments as ``pt.io.read_qrels`` does, keeping the subtopics.

    Args:
        path: a file in any form that :func:`ir_divmeasures.read_qrels` reads, plain or .gz.
        format: the form, found out if not given; see :func:`ir_divmeasures.read_qrels`.
        weights: intent probabilities, as for :func:`ir_divmeasures.with_weights`.

    Returns:
        DataFrame ``qid, docno, label, subtopic_id`` and the file's further columns.

    Raises:
        FileNotFoundError: no such file.
        ValueError: an unreadable line; names file and line.

    Examples:
        >>> from ir_divmeasures import sample
        >>> read_qrels(sample.FOLDER / 'qrels.txt', weights=sample.INTENTS).head(2)
          qid  docno  label subtopic_id  weight subtopic_type
        0   1  D0006      2           1    0.42           inf
        1   1  D0012      3           1    0.42           inf
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f'{os.fspath(path)}: no such file (of a dataset: get_qrels)')
    return _for_pyterrier(judgments.read_qrels(path, format), weights)


def get_topics(dataset: Any) -> pd.DataFrame:
    """Topics of a collection for ``pt.Experiment``, with everything that is known about a query.

    Args:
        dataset: as for :func:`get_qrels`.

    Returns:
        DataFrame ``qid``, ``query`` (the text that is searched for) and the queries' further fields; ``subtopics`` is
        a tuple of ``(number, text, type)``.

    Raises:
        ValueError: an unknown dataset, or one without queries.
        TypeError: not a dataset.

    Examples:
        >>> get_topics('divmeasures/sample')[['qid', 'query', 'type']].head(2)
          qid    query       type
        0   1   jaguar  ambiguous
        1   2  mercury  ambiguous
    """
    import pandas as pd

    source = _irds(dataset)
    if not source.has_queries():
        raise ValueError(f'{dataset!r} has no queries')
    queries = list(source.queries_iter())
    topics = pd.DataFrame(queries, columns=source.queries_cls()._fields).rename(columns={'query_id': 'qid'})
    topics['query'] = [query.default_text() for query in queries]
    return topics[['qid', 'query', *topics.columns.difference(['qid', 'query'], sort=False)]]


def _irds(dataset: Any) -> Any:
    """The ir_datasets dataset behind an id, a dataset of ir_datasets or one of PyTerrier."""
    if isinstance(dataset, str):
        return judgments._load_dataset(dataset.removeprefix('irds:'))
    if hasattr(dataset, 'irds_ref'):
        return dataset.irds_ref()
    if not hasattr(dataset, 'has_qrels'):
        raise TypeError(f'expected an ir_datasets id or dataset, or a dataset of pt.get_dataset("irds:…"), found '
                        f'{type(dataset).__name__}')
    return dataset


def _for_pyterrier(qrels: pd.DataFrame, weights: Any) -> pd.DataFrame:
    if weights is not None:
        qrels = with_weights(qrels, weights)
    return qrels.rename(columns=PYTERRIER_NAMES)


__all__ = ['get_qrels', 'get_topics', 'read_qrels']
