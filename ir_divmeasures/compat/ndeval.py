"""A stand-in for ndeval 4.5 of the TREC Web Track: the same CSV from the same files.

``ndeval.c`` reads judgments and a run, and prints 21 columns for each topic and their means. This module computes them
with measures of this package, on judgments as that program reads them: a grade above 0 is 1, every other grade is 0,
and weights are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..core.ranking import Array, Ranking
from ..core.terms import Terms
from ..families.intent_aware import AP_IA, P_IA
from ..families.novelty import NRBP, alpha_DCG, alpha_nDCG, err_ia, nerr_ia, nNRBP
from ..families.subtopic import StRecall
from ..io import text
from ..io.runs import read
from ..judgments.arrays import Collection
from ..judgments.datasets import is_dataset
from ..judgments.table import Judgments

DEPTHS = (5, 10, 20)
FIELDS = ['query_id', 'Q0', 'doc_id', 'rank', 'score', 'tag']

Column = Callable[[Ranking, float, float], Terms]


def _by_depth(name: str, function: Column) -> dict[str, Column]:
    """The columns ``name@5``, ``name@10`` and ``name@20`` of a function of rankings."""
    return {
        f'{name}@{k}': lambda r, alpha, beta, k=k: function(r.cut(k), alpha, beta) for k in DEPTHS
    }  # type: ignore


COLUMNS: dict[str, Column] = {
    **_by_depth('ERR-IA', lambda r, alpha, beta: err_ia(r, alpha)),
    **_by_depth('nERR-IA', lambda r, alpha, beta: nerr_ia(r, alpha)),
    **_by_depth('alpha-DCG', lambda r, alpha, beta: alpha_DCG.compute(r, alpha=alpha)),
    **_by_depth('alpha-nDCG', lambda r, alpha, beta: alpha_nDCG.compute(r, alpha=alpha)),
    'NRBP': lambda r, alpha, beta: NRBP.compute(r, alpha=alpha, beta=beta),
    'nNRBP': lambda r, alpha, beta: nNRBP.compute(r, alpha=alpha, beta=beta),
    'MAP-IA': lambda r, alpha, beta: AP_IA.compute(r),
    **_by_depth('P-IA', lambda r, alpha, beta: P_IA.compute(r)),
    **_by_depth('strec', lambda r, alpha, beta: StRecall.compute(r)),
}
"""ndeval's columns in its order, as functions of rankings, α and β."""


@dataclass(frozen=True)
class Scored:
    """A run with its scores by ndeval's columns.

    Attributes:
        name: the run's name.
        topics: its topics, ascending.
        values: (topics, columns) scores.
        judged: number of its topics that have judgments.
    """

    name: str
    topics: list[int]
    values: Array
    judged: int


def ndeval(
    qrels: str | os.PathLike[str],
    run: str | os.PathLike[str],
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    traditional: bool = False,
    complete: bool = False,
    depth: int | None = None,
    baseline: str | os.PathLike[str] | None = None,
    risk_alpha: float = 0.0,
) -> str:
    """The CSV that ndeval 4.5 prints for these files.

    Args:
        qrels: judgments, lines ``topic subtopic docno grade``, or an ir_datasets id. Grades
            below 0, which ndeval refuses, count as 0.
        run: a run, lines ``topic Q0 docno rank score runid``; a topic may have a prefix (``wt09-1``).
        alpha: redundancy intolerance of ERR-IA, alpha-DCG, NRBP and their normalised forms (``-alpha``).
        beta: patience of NRBP (``-beta``).
        traditional: whether to sort by score and docno, both descending, instead of by the field rank
            (``-traditional``).
        complete: whether to average over all topics of the judgments, instead of those of the run (``-c``).
        depth: deepest rank of the run that is read (``-M``).
        baseline: a second run. The CSV then contains the differences to it, multiplied by 1 + ``risk_alpha`` where they
            are below 0 (``-baseline``, ``-riskAlpha``).

    Returns:
        The CSV with header, a line per topic of the run and the line ``amean``, six decimals. Unlike ndeval, which
        divides by 0, a topic without a relevant document scores 0 by nNRBP.

    Raises:
        ValueError: a line has another form, or a rank or document is repeated. The message names file and line.

    Reference: ndeval.c 4.5 of the TREC 2014 Web Track.

    Examples:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / 'qrels').write_text('1 1 a 1\\n1 2 b 1\\n')
        >>> _ = (folder / 'run').write_text('1 Q0 a 1 2.5 mine\\n1 Q0 x 2 1.5 mine\\n')
        >>> ndeval(folder / 'qrels', folder / 'run').splitlines()[1][:15]  # 1 / (2 (1 + 0.25 + 1/12 + 1/32 + 1/80))
        'mine,1,0.363086'
    """
    for name, setting in (('alpha', alpha), ('beta', beta)):
        if not 0 <= setting <= 1:
            raise ValueError(f'{name}={setting!r}: expected a number in [0, 1]')
    if risk_alpha < 0:
        raise ValueError(f'risk_alpha={risk_alpha!r}: expected a number of at least 0')
    if depth is not None and depth < 1:
        raise ValueError(f'depth={depth!r}: expected a whole number of at least 1')
    collection = _judgments(os.fspath(qrels))
    scored_run = _scored(collection, os.fspath(run), alpha, beta, traditional, depth)
    base = (
        None
        if baseline is None
        else _scored(collection, os.fspath(baseline), alpha, beta, traditional, depth)
    )
    topics, values, averaged = scored_run.topics, scored_run.values, scored_run.judged
    name = scored_run.name
    if base is not None:
        name = f'{scored_run.name} (rel to. {base.name}; rs=1+a; a={risk_alpha:g})'
        if complete:
            topics = sorted({*scored_run.topics, *base.topics})
        difference = _values_of_topics(scored_run, topics) - _values_of_topics(base, topics)
        values = np.where(difference >= 0, difference, (risk_alpha + 1) * difference)
        averaged = max(averaged, len(topics))
    if complete:
        averaged = max(len(collection.query_ids), len(topics) if base is not None else 0)
    lines = [','.join(['runid', 'topic', *COLUMNS])]
    lines += [
        ','.join([name, str(topic), *(f'{setting:.6f}' for setting in row)])
        for topic, row in zip(topics, values.tolist())
    ]
    with np.errstate(invalid='ignore', divide='ignore'):
        means = np.divide(values.sum(axis=0), averaged)
    return (
        '\n'.join(
            [*lines, ','.join([name, 'amean', *(f'{setting:.6f}' for setting in means.tolist())])]
        )
        + '\n'
    )


def _values_of_topics(scored: Scored, topics: list[int]) -> Array:
    """The scores of these topics, (topics, columns); 0 for topics that the run lacks."""
    rows = dict(zip(scored.topics, scored.values))
    return np.array([rows.get(topic, np.zeros(len(COLUMNS))) for topic in topics]).reshape(
        -1, len(COLUMNS)
    )


def _judgments(path: str) -> Collection:
    """The judgments of a file, or of an ir_datasets id, as ndeval reads them: grades are 0 or 1, and the
    highest of repeated rows counts."""
    fields = ['query_id', 'subtopic_id', 'doc_id', 'relevance']
    if not os.path.exists(path) and is_dataset(path):
        data, table = b'', Judgments.of(path).table[fields].copy()
    else:
        data = text.read_bytes(path)
        table = text.frame(text.split_columns(data, path, fields, fields, numeric=('relevance',)))
    if not len(table):
        raise ValueError(f'{path}: contains no judgments')
    table['query_id'] = _topics(table['query_id'], path, data)
    table['relevance'] = (table['relevance'] > 0).astype(int)
    table = table.groupby(['query_id', 'subtopic_id', 'doc_id'], sort=False, as_index=False)[
        'relevance'
    ].max()
    return Collection(table)


def _scored(
    collection: Collection,
    path: str,
    alpha: float,
    beta: float,
    traditional: bool,
    depth: int | None,
) -> Scored:
    """Read a run file and score its topics by ndeval's columns. The arguments are those of :func:`ndeval`."""
    import pandas as pd

    data = text.read_bytes(path)
    names = ['query_id', 'doc_id', 'rank', 'score', 'tag']
    numeric = ('score',) if traditional else ('rank', 'score')
    table = text.frame(text.split_columns(data, path, FIELDS, names, numeric=numeric))
    if not len(table):
        raise ValueError(f'{path}: a run without documents')
    table['query_id'] = _topics(table['query_id'], path, data)
    name = str(table['tag'].iloc[0])
    if not traditional:
        twice = table.duplicated(['query_id', 'rank']).to_numpy()
        if twice.any():
            row = int(np.flatnonzero(twice)[0])
            row_repeated = table.iloc[row]
            raise ValueError(
                f'{path}, line {text.line_of(data, row)}: rank {row_repeated["rank"]:g} is repeated for '
                f'topic {row_repeated.query_id}; traditional=True sorts by score'
            )
        table['score'] = -table['rank']
    run = replace(read(table[['query_id', 'doc_id', 'score']]), path=path, data=data)
    topics = sorted(map(int, pd.unique(table['query_id'])))
    with run.naming_line():
        located = collection.read(run).located()
    values = np.zeros((len(collection.query_ids), len(COLUMNS)))
    for block, aligned in zip(collection.blocks, collection.align(located)):
        r = aligned.ranking(block.judgments, 1, False)
        if depth is not None:
            r = r.down_to(np.minimum(r.n, depth).astype(np.intp))
        values[block.queries] = np.column_stack(
            [column(r, alpha, beta).value() for column in COLUMNS.values()]
        )
    place = {int(query): i for i, query in enumerate(collection.query_ids)}
    rows = np.array(
        [values[place[topic]] if topic in place else np.zeros(len(COLUMNS)) for topic in topics]
    )
    return Scored(name, topics, rows, sum(topic in place for topic in topics))


def _topics(ids: object, path: str, data: bytes) -> list[str]:
    """Topic numbers as texts. A prefix that ends in ``-`` is removed."""
    topic_by_name: dict[str, str] = {}
    for row, name in enumerate(ids):  # type: ignore[var-annotated, arg-type]
        if name not in topic_by_name:
            digits = name if name[:1].isdigit() else name.partition('-')[2]
            if not (digits.isascii() and digits.isdigit()):
                line = f', line {text.line_of(data, row)}' if data else ''
                raise ValueError(
                    f'{path}{line}: topic is {name!r}, expected a number, or a name, "-" and a number'
                )
            topic_by_name[name] = str(int(digits))
    return [topic_by_name[name] for name in ids]  # type: ignore[attr-defined]


__all__ = ['COLUMNS', 'ndeval']
