"""Superintents in the judgments: layer −1, above the official intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .judgments import Judgments, named_as
from ..lazy import pd
from .clustering import ordered
from .intents import counted_rows, intent_table

if TYPE_CHECKING:
    from ..typing import QrelsLike

NAMES = ['query_id', 'subtopic_id', 'superintent']


def with_superintents(
    qrels: QrelsLike, parents: Any, rel: float = 1, aspects: str = 'relevant'
) -> pd.DataFrame:
    """Judgments with superintents on layer −1, above the official intents (Wang et al., SIGIR 2016).

    A superintent's weight is the sum of its intents' weights, a document's grade for it the highest of its intents'.
    An intent without a superintent is repeated under its own name. Subintents, built before or after, stay.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        parents: a DataFrame ``query_id`` (or ``qid``), ``subtopic_id``, ``superintent`` (or ``parent``); a
            dict ``{query: {subtopic: superintent}}``; a path to a file of such
            lines, separated by tabs.
        rel: the lowest grade that counts as relevant; without weights, the intents with a relevant document share
            alike.
        aspects: ``'listed'``: without weights, all listed intents share alike.

    Raises:
        ValueError: layer −1 is there already, several superintents of an intent, a superintent named like an intent
            that has none, or a table that names no intent of the judgments.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'3': 1}}}
        >>> table = with_superintents(qrels, {'q': {'1': 'a', '2': 'a'}})
        >>> table.loc[table['layer'] == -1, ['subtopic_id', 'doc_id', 'weight']].values.tolist()
        [['a', 'd1', 0.6666666666666666], ['a', 'd2', 0.6666666666666666], ['3', 'd3', 0.3333333333333333]]
    """
    table = Judgments.of(qrels).frame()
    if 'layer' not in table.columns:
        table = table.assign(layer=0)
    if (table['layer'] < 0).any() or not (table['layer'] == 0).any():
        raise ValueError(
            f'superintents are layer -1, above layer 0, but the judgments have layers '
            f'{", ".join(map(str, sorted(table["layer"].unique())))}'
        )
    for column, default in (('parent', ''), ('similarity', np.nan)):
        if column not in table.columns:
            table[column] = default
    keys = ['query_id', 'subtopic_id']
    own = table[table['layer'] == 0].drop(columns='parent')
    if 'weight' not in own.columns:
        relevant = own.loc[counted_rows(own, aspects, rel), keys].drop_duplicates()
        n = relevant.groupby('query_id')['subtopic_id'].transform('size')
        own = own.merge(relevant.assign(weight=1 / n), on=keys, how='left').fillna({'weight': 0.0})
    parent_rows = _parent_table(parents)
    own = own.merge(parent_rows.rename(columns={'superintent': 'parent'}), on=keys, how='left')
    if len(own) and own['parent'].isna().all():
        raise ValueError(
            f'no intent of the judgments is among the {len(parent_rows)} rows of superintents, as '
            f'{parent_rows.iloc[0].tolist() if len(parent_rows) else "none"}'
        )
    alone = own['parent'].isna()
    clash = own[alone].merge(parent_rows, left_on=keys, right_on=['query_id', 'superintent'])
    if len(clash):
        raise ValueError(
            f'query {clash.query_id.iloc[0]!r}: {clash.superintent.iloc[0]!r} is a superintent and an '
            f'intent without one'
        )
    own['parent'] = own['parent'].where(~alone, own['subtopic_id'])
    above = own.sort_values('relevance', ascending=False, kind='stable')
    above = above.drop_duplicates(['query_id', 'parent', 'doc_id']).sort_index()
    above = above.assign(subtopic_id=above['parent'], parent='', layer=-1, similarity=np.nan)
    built = [sum_weights(above, own), own, table[table['layer'] > 0]]
    return named_as(ordered(pd.concat(built, ignore_index=True)), qrels)


def sum_weights(above: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The rows of superintents, with the sums of their intents' weights."""
    keys = ['query_id', 'subtopic_id']
    total = own.drop_duplicates(keys).groupby(['query_id', 'parent'])['weight'].sum()
    total = total.rename_axis(keys).reset_index()
    return above.drop(columns='weight', errors='ignore').merge(total, on=keys, how='left')


def _parent_table(source: Any) -> pd.DataFrame:
    table = intent_table(source, 'superintent', tabs_only=True)[NAMES].astype(str).drop_duplicates()
    twice = table[table.duplicated(NAMES[:2])]
    if len(twice):
        raise ValueError(
            f'query {twice.query_id.iloc[0]!r}, subtopic {twice.subtopic_id.iloc[0]!r} has several '
            f'superintents'
        )
    return table
