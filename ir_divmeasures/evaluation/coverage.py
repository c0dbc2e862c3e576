"""The intents (nuggets, sub-questions) that the documents of several runs cover, with their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import check_whole
from ..io import columns
from ..io import runs as several
from ..judgments.table import Judgments
from ..lazy import pd

if TYPE_CHECKING:
    from ..typing import QrelsLike, RunsLike

FACTS = ('text', 'importance', 'weight')


def intents_found(
    runs: RunsLike, qrels: QrelsLike, *, cutoff: int | None = None, rel: float = 1
) -> pd.DataFrame:
    """Return, for every listed intent, how many judged documents serve it and which systems retrieve one of them.

    A document serves an intent if its grade is above 0 and at least ``rel``, as in
    :class:`~ir_divmeasures.Coverage`, which is the mean of the column ``found`` of one system over a query's intents.

    Args:
        runs: several runs, in any form that :func:`~ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes, or what
            :func:`~ir_divmeasures.read_nuggets` gives.
        cutoff: how many documents of each ranking count; all by default.
        rel: the lowest grade that serves an intent.

    Returns:
        DataFrame with a row for each intent: ``query_id, subtopic_id``, its text, importance and weight where the
        judgments have them, ``documents`` (that serve it), ``systems`` (that found one of them), and a column of
        booleans for each system.

    Raises:
        TypeError, ValueError: as :func:`~ir_divmeasures.evaluate`; a cutoff below 1.

    Examples:
        >>> import pandas as pd
        >>> from ir_divmeasures import with_intents
        >>> table = pd.DataFrame([('q', '1', 'Who?'), ('q', '2', 'When?'), ('q', '3', 'Why?')],
        ...                      columns=['query_id', 'subtopic_id', 'text'])
        >>> qrels = with_intents({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, table)
        >>> intents_found({'A': {'q': {'d1': 2.0}}, 'B': {'q': {'d1': 2.0, 'd2': 1.0}}}, qrels)
          query_id subtopic_id   text  documents  systems      A      B
        0        q           1   Who?          1        2   True   True
        1        q           2  When?          1        1  False   True
        2        q           3   Why?          0        0  False  False
    """
    if cutoff is not None:
        check_whole('cutoff', cutoff)
    table = Judgments.of(qrels).table
    key = columns.aspect_key(table)
    listed = table[columns.listing(table)].drop_duplicates(key)
    rows = listed[[*key, *(fact for fact in FACTS if fact in table.columns)]].reset_index(drop=True)
    serving_rows = table.loc[
        (table['relevance'] > 0) & (table['relevance'] >= rel), [*key, 'doc_id']
    ]
    rows = rows.merge(
        serving_rows.groupby(key).size().rename('documents').reset_index(), on=key, how='left'
    )
    rows['documents'] = rows['documents'].fillna(0).astype(int)
    retrieved = {}
    for name, run in several.each(runs):
        ranked = run.check().table.sort_values(['score', 'doc_id'], ascending=False, kind='stable')
        if cutoff is not None:
            ranked = ranked.groupby('query_id', sort=False).head(cutoff)
        hits = serving_rows.merge(ranked[['query_id', 'doc_id']], on=['query_id', 'doc_id'])[
            key
        ].drop_duplicates()
        retrieved[name] = (
            rows[key].merge(hits, on=key, how='left', indicator='hit')['hit'].eq('both').to_numpy()
        )
    if not retrieved:
        raise ValueError('no runs')
    return rows.assign(
        systems=sum(values.astype(int) for values in retrieved.values()), **retrieved
    )


__all__ = ['intents_found']
