"""PyTerrier: topics and judgments with their subtopics, and experiments whose systems are one another's pool.

PyTerrier's own readers lose subtopics (``pt.io.read_qrels``) or print a question when a query has several fields
(``get_topics``). The functions here give what ``pt.Experiment`` takes; :func:`Experiment` adds what the systems
compared know of one another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

# `import pyterrier` imports this module. The modules that it needs are imported in the functions.
from .errors import collecting, did_you_mean, warn

if TYPE_CHECKING:
    from .data.judgments import Judgments
    from .pools.groups import Groups
    from .pools.pool import Pool
    from .typing import QrelsLike

PYTERRIER_NAMES = {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}

EXECUTION = ('batch_size', 'verbose', 'validate', 'precompute_prefix', 'plan')
"""Arguments of ``pt.Experiment`` that say how pipelines run; the others say how results are evaluated."""


def get_qrels(dataset: Any, weights: Any = None) -> pd.DataFrame:
    """Judgments of a diversity collection for ``pt.Experiment``.

    Args:
        dataset: an ir_datasets id (with or without PyTerrier's ``irds:``) or dataset, a dataset of
            ``pt.get_dataset('irds:…')``, or a table of judgments, as ``build_hierarchy`` and the like give.
        weights: intent probabilities, as for :func:`ir_divmeasures.with_weights`.

    Returns:
        DataFrame ``qid, docno`` (str), ``label`` (int), ``subtopic_id`` (str), and ``weight`` if weights are given. The
        last row of a document has its highest grade, which ad-hoc measures of PyTerrier read.

    Raises:
        ValueError: an unknown dataset, or one without judgments.
        TypeError: not a dataset.

    Examples:
        >>> get_qrels('divmeasures/sample/diversity').head(2)
          qid  docno  label subtopic_id
        0   1  D0028      0           1
        1   1  D0382      0           1
    """
    from .data.judgments import Judgments
    from .data.qrels import read_qrels as read

    if isinstance(dataset, pd.DataFrame):
        return _for_pyterrier(Judgments.of(dataset).frame(), weights)
    source = _irds(dataset)
    if not source.has_qrels():
        raise ValueError(f'{dataset!r} has no judgments')
    return _for_pyterrier(read(source), weights)


def read_qrels(
    path: str | os.PathLike[str], format: str | None = None, weights: Any = None
) -> pd.DataFrame:
    """Read a file of judgments as ``pt.io.read_qrels`` does, keeping the subtopics.

    Args:
        path: a file in any form that :func:`ir_divmeasures.read_qrels` reads, plain or .gz.
        format: the form, found out if not given; see :func:`ir_divmeasures.read_qrels`.
        weights: intent probabilities, as for :func:`ir_divmeasures.with_weights`.

    Returns:
        DataFrame ``qid, docno, label, subtopic_id`` and the file's further columns, in the order of :func:`get_qrels`.

    Raises:
        FileNotFoundError: no such file.
        ValueError: an unreadable line; names file and line.

    Examples:
        >>> from ir_divmeasures import sample
        >>> read_qrels(sample.FOLDER / 'qrels.txt', weights=sample.INTENTS).head(2)
          qid  docno  label subtopic_id  weight
        0   1  D0028      0           1    0.42
        1   1  D0382      0           1    0.42
    """
    from .data.qrels import read_qrels as read

    if not os.path.exists(path):
        raise FileNotFoundError(f'{os.fspath(path)}: no such file (of a dataset: get_qrels)')
    return _for_pyterrier(read(path, format), weights)


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
    source = _irds(dataset)
    if not source.has_queries():
        raise ValueError(f'{dataset!r} has no queries')
    queries = list(source.queries_iter())
    topics = pd.DataFrame(queries, columns=source.queries_cls()._fields).rename(
        columns={'query_id': 'qid'}
    )
    topics['query'] = [query.default_text() for query in queries]
    return topics[['qid', 'query', *topics.columns.difference(['qid', 'query'], sort=False)]]


def _irds(dataset: Any) -> Any:
    """The ir_datasets dataset behind an id, a dataset of ir_datasets or one of PyTerrier."""
    if isinstance(dataset, str):
        from .data.sources import load_dataset

        return load_dataset(dataset)
    if hasattr(dataset, 'irds_ref'):
        return dataset.irds_ref()
    if not hasattr(dataset, 'has_qrels'):
        raise TypeError(
            f'expected an ir_datasets id or dataset, or a dataset of pt.get_dataset("irds:…"), found '
            f'{type(dataset).__name__}'
        )
    return dataset


def _for_pyterrier(qrels: pd.DataFrame, weights: Any) -> pd.DataFrame:
    """Judgments in PyTerrier's columns, in which the last row of each document has its highest grade.

    ``pt.Experiment`` without a measure of ours reads that row. In each query the other rows come first.
    """
    if weights is not None:
        from .data.intents import with_weights

        qrels = with_weights(qrels, weights)
    grades = qrels.groupby(['query_id', 'doc_id'], sort=False)['relevance']
    is_highest = qrels['relevance'] == grades.transform('max')
    rows = np.lexsort((is_highest, pd.factorize(qrels['query_id'])[0]))
    return qrels.iloc[rows].reset_index(drop=True).rename(columns=PYTERRIER_NAMES)


# ---------------------------------------------------------------------------- systems as one another's pool


def Experiment(
    retr_systems: Sequence[Any] | Mapping[str, Any],
    topics: Any,
    qrels: QrelsLike,
    eval_metrics: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    pool: Any = None,
    depth: int | None = 100,
    groups: Groups | None = None,
    **kwargs: Any,
) -> Any:
    """``pt.Experiment`` over systems that form a pool: measures of innovation beside any others.

    Each pipeline runs once. Its results and those of the other systems are the pool of
    :func:`~ir_divmeasures.with_rareness`; then ``pt.Experiment`` evaluates every system against judgments that know
    how many systems retrieve each document.

    Judgments that carry a pool already (:meth:`ir_divmeasures.pools.Pool.judgments`) are used as they are: every system is
    compared with that pool, with ``newcomer=True`` as a newcomer to it, and none with another one of the experiment.
    With ``pool=`` the systems and that pool take its place, and a warning says so.

    Args:
        retr_systems, topics, qrels, eval_metrics, names: as for ``pt.Experiment``. ``qrels`` may be in any form that
            :func:`~ir_divmeasures.read_qrels` takes.
        pool: further runs that belong to the pool and are not evaluated, in any form that
            :func:`~ir_divmeasures.read_runs` takes, or a :class:`~ir_divmeasures.pools.Pool` of this ``depth``.
        depth: a document counts as retrieved when it stands in a system's top ``depth``; None: anywhere.
        groups: each system's participant, as a dict by name, a function, or the path of a file of lines ``system
            group``; its systems then count once.
        **kwargs: every other argument of ``pt.Experiment``: ``perquery``, ``baseline``, ``correction``,
            ``batch_size``, ``plan``, … but ``save_dir``. ``pt.Experiment`` saves results, which may be systems here.

    Returns:
        What ``pt.Experiment`` returns.

    Raises:
        ValueError: as :func:`~ir_divmeasures.with_rareness` and ``pt.Experiment`` do; ``groups`` for judgments that
            carry a pool; ``save_dir``, or the response time ``mrt`` among the measures.

    Examples:
        >>> import ir_divmeasures
        >>> a = pd.DataFrame([['q', 'd1', 2.0], ['q', 'd2', 1.0]], columns=['qid', 'docno', 'score'])
        >>> topics = pd.DataFrame([['q', 'apple']], columns=['qid', 'query'])
        >>> qrels = pd.DataFrame([['q', 'd1', 1], ['q', 'd2', 1]], columns=['qid', 'docno', 'label'])
        >>> Experiment([a, a.head(1)], topics, qrels, ir_divmeasures.measures('P@2 P_Rareness@2'), ['A', 'B'])
          name  P_Rareness@2  P@2
        0    A          1.25  1.0
        1    B          0.50  0.5
    """
    from .data.columns import POOL
    from .data.judgments import Judgments

    if kwargs.get('save_dir') is not None or 'mrt' in eval_metrics:
        raise ValueError(
            'save_dir and mrt are about running systems: call pt.Experiment with them, and pass the results that it '
            'saves to this function as systems'
        )
    if isinstance(retr_systems, Mapping):
        names, retr_systems = list(retr_systems), list(retr_systems.values())
        baseline = kwargs.get('baseline')
        if isinstance(baseline, str):
            if baseline not in names:
                hint = did_you_mean(baseline, names)
                raise ValueError(f'baseline={baseline!r}: no such system{hint}')
            kwargs['baseline'] = names.index(baseline)
    names = list(map(str, retr_systems) if names is None else names)
    if len(names) != len(retr_systems):
        raise ValueError(f'{len(names)} names for {len(retr_systems)} systems')
    judgments = Judgments.of(qrels)
    has_pool = POOL[0] in judgments.names
    if has_pool and pool is not None:
        warn(
            'the judgments carry a pool, which is not used: pool= and the systems of the experiment take its place'
        )
    elif has_pool and groups is not None:
        raise ValueError('groups: the judgments carry a pool, whose groups have been counted')
    results = run_pipelines(retr_systems, names, topics, judgments, kwargs)
    table = judgments.frame()
    if pool is not None or not has_pool:
        with collecting([]):  # the evaluation below warns of each system
            table = form_pool(names, results, pool, depth, groups).judgments(judgments)
    if judgments.subtopic_column is None:
        table = table.drop(columns='subtopic_id')
    table = table.rename(columns=PYTERRIER_NAMES)
    options = {name: value for name, value in kwargs.items() if name not in EXECUTION}
    return pt.Experiment(results, topics, table, eval_metrics, names, validate='ignore', **options)


class Recorder(pt.Transformer):
    """Keeps the results that pass through it."""

    def __init__(self) -> None:
        self.frames: list[pd.DataFrame] = []

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.frames.append(inp)
        return inp

    def transform_outputs(self, input_columns: list[str]) -> list[str]:
        return input_columns


def run_pipelines(
    systems: Sequence[Any], names: list[str], topics: Any, judgments: Judgments, options: Any
) -> list[pd.DataFrame]:
    """The results of each system.

    ``pt.Experiment`` runs the pipelines, so that it batches, shares prefixes, validates and shows progress as usual.
    """
    recorders = {
        n: Recorder() for n, each in enumerate(systems) if isinstance(each, pt.Transformer)
    }
    if recorders:
        queries = judgments.table.drop_duplicates('query_id')[list(PYTERRIER_NAMES)]
        known = (*EXECUTION, 'filter_by_qrels', 'filter_by_topics')
        with collecting([]):  # the results are evaluated later
            pt.Experiment(
                [systems[n] >> recorder for n, recorder in recorders.items()],
                topics,
                queries.rename(columns=PYTERRIER_NAMES),
                ['num_ret'],
                [names[n] for n in recorders],
                **{name: options[name] for name in known if name in options},
            )
    return [
        pd.concat(recorders[n].frames, ignore_index=True) if n in recorders else system
        for n, system in enumerate(systems)
    ]


def form_pool(
    names: list[str], results: Any, pool: Any, depth: int | None, groups: Groups | None
) -> Pool:
    """The pool of the compared systems and of ``pool``, whose systems are groups of their own if a dict of groups does
    not name them. Duplicate names are numbered."""
    from .pools.groups import read_groups
    from .pools.pool import Pool

    distinct = [name if name not in names[:n] else f'{name} ({n})' for n, name in enumerate(names)]
    if isinstance(pool, Pool):
        return pool + Pool.from_runs(zip(distinct, results), depth, groups)
    groups = read_groups(groups)
    compared = Pool.from_runs(zip(distinct, results), depth, groups)
    if pool is None:
        return compared
    group = (lambda name: str(groups.get(name, name))) if isinstance(groups, Mapping) else groups
    return compared + Pool.from_runs(pool, depth, group)


__all__ = ['Experiment', 'get_qrels', 'get_topics', 'read_qrels']
