"""Superintents in the judgments: layer −1, above the official intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import warn
from ..lazy import pd
from .clustering import groups_of, leaves_of, ordered, trees_of
from .intents import counted_rows, intent_table, intent_texts
from .similarity import similarity_of
from .table import Judgments, named_as
from .texts import Tokenizer, tokenizer_of

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
        parents: a DataFrame ``query_id`` (or ``qid``), ``subtopic_id``, ``superintent`` (or ``parent``), as
            :func:`cluster_intents` gives; a dict ``{query: {subtopic: superintent}}``; a path to a file of such
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
    if 'subtopic_type' in own.columns:  # navigational where all its intents are: 'inf' < 'nav'
        types = own.groupby(['query_id', 'parent'])['subtopic_type'].min()
        types = types.where(types == 'nav', 'inf').rename_axis(keys).reset_index()
        above = above.drop(columns='subtopic_type').merge(types, on=keys)
    built = [sum_weights(above, own), own, table[table['layer'] > 0]]
    return named_as(ordered(pd.concat(built, ignore_index=True)), qrels)


def sum_weights(above: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The rows of superintents, with the sums of their intents' weights."""
    keys = ['query_id', 'subtopic_id']
    total = own.drop_duplicates(keys).groupby(['query_id', 'parent'])['weight'].sum()
    total = total.rename_axis(keys).reset_index()
    return above.drop(columns='weight', errors='ignore').merge(total, on=keys, how='left')


def cluster_intents(
    topics: Any,
    similarity: Any = 'tfidf',
    cutoff: float = 0.1,
    *,
    idf: Any = None,
    stopwords: Any = 'english',
    tokenizer: Any = None,
    scale: str = 'cosine',
) -> pd.DataFrame:
    """Propose superintents: cluster the intents of each query by their texts.

    Complete linkage, by the rules of :func:`~ir_divmeasures.build_hierarchy`: clusters with similarity ≥ ``cutoff`` are
    superintents. Terms that do not tell a query's intents apart, those of the query and those that all its intents
    have, are left out of SimHash and TF-IDF.

    Args:
        topics: an ir_datasets or PyTerrier dataset or id whose queries have subtopics; a DataFrame of queries with a
            column ``subtopics``, or of intents with ``query_id`` or ``qid``, ``subtopic_id`` and ``text``; a dict
            ``{query: {subtopic: text}}``.
        similarity: ``'tfidf'``, ``'simhash'``, ``'static'``, an object with ``encode`` or ``embed``, or a function of
            two lists of texts.
        cutoff: the lowest similarity of two intents of one superintent, in (0, 1].
        idf, stopwords, tokenizer, scale: as for :func:`~ir_divmeasures.build_hierarchy`.

    Returns:
        DataFrame ``query_id, subtopic_id, superintent`` for :func:`with_superintents`. Check and correct it first. A
        superintent is named by its intents, as ``'2+3'``; intents that are alone have none.

    Raises:
        ValueError: a cutoff that is not in (0, 1], no intent texts.

    Warns:
        DivMeasuresWarning: no two intents are alike enough.

    Examples:
        >>> topics = {'q': {'1': 'buy a Jaguar car', '2': 'repair of a Jaguar car', '3': 'habitat of the jaguar cat'}}
        >>> cluster_intents(topics)
          query_id subtopic_id superintent
        0        q           1         1+2
        1        q           2         1+2
    """
    if not 0 < cutoff <= 1:
        raise ValueError(f'cutoff={cutoff!r}: expected a number in (0, 1]')
    intents = intent_texts(topics)
    text_of = {str(place): text for place, text in enumerate(intents['text'])}
    if isinstance(similarity, str) and similarity in ('simhash', 'tfidf'):
        text_of = _distinctive(intents, tokenizer_of(tokenizer, stopwords))
        tokenizer = str.split
    rows = pd.DataFrame(
        {'query_id': intents['query_id'], 'doc_id': list(text_of), 'relevance': 1}
    ).assign(subtopic_id='')
    alike = similarity_of(similarity, text_of, rows, 1, scale, idf, None, tokenizer)
    trees = trees_of(groups_of(rows, alike, 1), cutoff, compress=False)
    superintents = {}
    for group, root in trees:
        for leaf in leaves_of(root):
            if len(leaf.documents) > 1:
                places = np.sort(group.rows[leaf.documents])
                name = '+'.join(intents['subtopic_id'].iloc[places])
                superintents.update(dict.fromkeys(places.tolist(), name))
    if not superintents:
        highest = max((root.similarity for group, root in trees if len(group.rows) > 1), default=0)
        warn(
            f'no two intents of a query have a similarity of at least cutoff={cutoff:g} '
            f'({len(intents)} intents of {len(trees)} '
            f'queries; the least alike of a query have up to {highest:.3g})'
        )
    found = intents.iloc[sorted(superintents)][NAMES[:2]].reset_index(drop=True)
    return found.assign(superintent=[superintents[place] for place in sorted(superintents)])


def _distinctive(intents: pd.DataFrame, split: Tokenizer) -> dict[str, str]:
    """Texts by place, without the terms of the query and those that all its intents have."""
    texts = {}
    for _, rows in intents.groupby('query_id', sort=False):
        terms_of = [split(text) for text in rows['text']]
        common = set(split(rows['query'].iloc[0]))
        if len(terms_of) > 1:
            common |= set.intersection(*map(set, terms_of))
        for place, terms in zip(rows.index, terms_of):
            kept = [term.replace(' ', '_') for term in terms if term not in common]
            texts[place] = ' '.join(kept)
    return {str(place): texts[place] for place in intents.index}


def _parent_table(source: Any) -> pd.DataFrame:
    table = intent_table(source, 'superintent', tabs_only=True)[NAMES].astype(str).drop_duplicates()
    twice = table[table.duplicated(NAMES[:2])]
    if len(twice):
        raise ValueError(
            f'query {twice.query_id.iloc[0]!r}, subtopic {twice.subtopic_id.iloc[0]!r} has several '
            f'superintents'
        )
    return table
