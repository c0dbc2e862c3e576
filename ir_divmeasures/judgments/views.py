"""Show hierarchies as a table of nodes or a text tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import did_you_mean, without
from ..lazy import pd
from ..results import count
from .intents import intent_texts
from .table import Judgments
from .texts import ENGLISH, stop_list, texts, tokenizer_of

if TYPE_CHECKING:
    from ..typing import QrelsLike

KEY = ['query_id', 'layer', 'node']


@without(
    **dict.fromkeys(
        ('orders', 'run', 'measure', 'rng'),
        'to see what equal similarities decide, score hierarchies of a matrix with random differences of 1e-9',
    )
)
def describe_hierarchy(
    qrels: QrelsLike,
    docs: Any = None,
    n_terms: int = 5,
    missing: str = 'error',
    *,
    topics: Any = None,
    stopwords: Any = None,
    tokenizer: Any = None,
) -> pd.DataFrame:
    """The nodes of the hierarchies in judgments, one row each.

    Args:
        qrels: judgments with layers.
        docs: where the texts are; with them, each node has its top terms.
        n_terms: the number of top terms.
        missing: ``'error'`` or ``'skip'``, for documents without a text.
        topics: the texts of the official intents, as for :func:`~ir_divmeasures.judgments.cluster_intents`; by default the
            judgments' column ``text``, if ``with_intents`` has added it.
        stopwords: words that top terms leave out beside English ones.
        tokenizer: what makes terms of a text, as for :func:`~ir_divmeasures.build_hierarchy`.

    Returns:
        DataFrame ``query_id, layer, node, parent, documents`` (relevant ones), ``leaves``, ``weight, similarity,
        dummy`` (whether the node repeats its parent), ``clustering`` where it is known (the similarity and δ that made
        the node), ``text`` where it is known (that of an official intent), and ``terms`` with ``docs``: words of most
        documents of the node and of few others of the query, by df(node) · ln(N/df), without English stop words,
        numbers and single letters.

    Raises:
        ValueError: judgments without layers.

    Examples:
        >>> from ir_divmeasures import build_hierarchy
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> built = build_hierarchy(qrels, texts, similarity='tfidf')
        >>> describe_hierarchy(built, texts)[['node', 'documents', 'weight', 'dummy', 'terms']]
          node  documents  weight  dummy          terms
        0    1          2    0.50  False  game, windows
        1    2          1    0.50  False    land, rover
        2  1/1          1    0.25  False        windows
        3  1/2          1    0.25  False           game
        4  2/1          1    0.50   True    land, rover
    """
    table = Judgments.of(qrels).frame()
    if 'layer' not in table.columns:
        raise ValueError(
            "the judgments have no column 'layer', which build_hierarchy or with_superintents adds"
        )
    facts = {'parent': '', 'weight': np.nan, 'similarity': np.nan, 'clustering': ''}
    table = table.assign(**{c: facts[c] for c in facts if c not in table.columns})
    table = table[table['relevance'] > 0]
    by_node = table.groupby(['query_id', 'layer', 'subtopic_id'], sort=False)
    nodes = by_node[list(facts)].first().reset_index().rename(columns={'subtopic_id': 'node'})
    nodes.insert(4, 'documents', by_node.size().to_numpy())
    nodes.insert(5, 'leaves', _leaves(nodes))
    siblings = nodes.groupby(['query_id', 'layer', 'parent'])['node'].transform('size')
    nodes['dummy'] = (siblings == 1) & (nodes['parent'] != '') & (nodes['layer'] > 0)
    clustering = nodes.pop('clustering')
    if (clustering != '').any():
        nodes['clustering'] = clustering
    intents = table[table['layer'] == 0] if topics is None else intent_texts(topics)
    if 'text' in intents.columns and len(intents):
        text_of = intents.assign(layer=0, node=intents['subtopic_id'])
        text_of = text_of[[*KEY, 'text']].drop_duplicates(KEY, keep='last')
        nodes['text'] = nodes[KEY].merge(text_of, on=KEY, how='left')['text'].fillna('')
    if docs is not None:
        text_of = texts(docs, table['doc_id'].unique(), missing)
        split = tokenizer_of(tokenizer, ENGLISH | stop_list(stopwords))
        words_of = {
            doc: [w for w in dict.fromkeys(split(text)) if len(w) > 1 and not w.isdigit()]
            for doc, text in text_of.items()
        }
        nodes['terms'] = _top_terms(nodes, table, words_of, n_terms)
    return nodes


def _leaves(nodes: pd.DataFrame) -> list[int]:
    """Leaves below each node: the nodes of the query's deepest layer are 1 each."""
    deepest = nodes.groupby('query_id')['layer'].transform('max')
    parents = nodes.set_index(KEY)['parent'].to_dict()
    below: Counter[tuple[str, int, str]] = Counter()
    for query, layer, node in nodes[nodes['layer'] == deepest][KEY].itertuples(index=False):
        while (query, layer, node) in parents:
            below[query, layer, node] += 1
            layer, node = layer - 1, parents[query, layer, node]
    return [below[key] for key in parents]


def _top_terms(
    nodes: pd.DataFrame, table: pd.DataFrame, words_of: dict[str, list[str]], n: int
) -> list[str]:
    """The label of each node: the words of the highest df(node) · ln(N/df), equal ones as the texts have them.

    ``words_of`` has the distinct words of each document.
    """

    def counted(docs: Iterable[str]) -> Counter[str]:
        """In how many of some documents each word is."""
        return Counter(word for doc in docs for word in words_of.get(doc, ()))

    of_query = table.groupby('query_id')['doc_id'].unique()
    df = of_query.map(counted)
    members = table.groupby(['query_id', 'layer', 'subtopic_id'])['doc_id'].unique()
    labels = []
    for key in nodes[KEY].itertuples(index=False, name=None):
        inside = counted(members[key])
        score = {
            word: n_docs * np.log(len(of_query[key[0]]) / df[key[0]][word])
            for word, n_docs in inside.items()
        }
        distinctive = sorted(filter(score.get, score), key=score.__getitem__, reverse=True)
        labels.append(', '.join(distinctive[:n]))
    return labels


def hierarchy_tree(
    qrels: QrelsLike,
    query_id: str,
    docs: Any = None,
    n_terms: int = 5,
    *,
    topics: Any = None,
    stopwords: Any = None,
    tokenizer: Any = None,
) -> str:
    """One query's hierarchy as a text tree: sizes, weights, similarities, the similarity and δ that made it, top terms
    when texts are given, and what the official intents are about when topics are.

    Nodes that only repeat their parent are left out.

    Args:
        qrels: judgments with layers.
        query_id: the query.
        docs: where the texts are.
        n_terms: how many terms to show.
        topics, stopwords, tokenizer: as for :func:`describe_hierarchy`.

    Raises:
        ValueError: no such query, or judgments without layers.

    Examples:
        >>> from ir_divmeasures import build_hierarchy
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> print(hierarchy_tree(build_hierarchy(qrels, texts, similarity='tfidf'), 'q', texts))
        q (clustered by tfidf, cutoff 0.3)
        ├─ 1: 2 documents, weight 0.500, similarity 0.26 [game, windows]
        │  ├─ 1/1: 1 document, weight 0.250 [windows]
        │  └─ 1/2: 1 document, weight 0.250 [game]
        └─ 2: 1 document, weight 0.500 [land, rover]
    """
    table = Judgments.of(qrels).frame()
    rows = table[table['query_id'] == str(query_id)]
    if not len(rows):
        known = table['query_id'].unique()[:1000]
        raise ValueError(f'no query {query_id!r}' + did_you_mean(str(query_id), known))
    labels = {'topics': topics, 'stopwords': stopwords, 'tokenizer': tokenizer}
    nodes = describe_hierarchy(rows, docs, n_terms, **labels)
    if not len(nodes):
        raise ValueError(f'query {query_id!r} has no relevant document')
    method = next(filter(None, nodes['clustering']), '') if 'clustering' in nodes else ''
    lines = [str(query_id) + f' (clustered by {method})' * bool(method)]
    shown = nodes[~nodes['dummy']]

    def show(layer: int, parent: str, indent: str) -> None:
        siblings = shown[(shown['layer'] == layer) & (shown['parent'] == parent)]
        for number, node in enumerate(siblings.itertuples(index=False), 1):
            last = number == len(siblings)
            line = (
                f'{indent}{"└─" if last else "├─"} {node.node}: '
                f'{count(node.documents, "document")}, weight {node.weight:.3f}'
            )
            if node.documents > 1 and not np.isnan(node.similarity):
                line += f', similarity {node.similarity:.2f}'
            if getattr(node, 'terms', ''):
                line += f' [{node.terms}]'
            if getattr(node, 'text', ''):
                line += f' {node.text}'
            lines.append(line)
            show(layer + 1, node.node, indent + ('   ' if last else '│  '))

    show(nodes['layer'].min(), '', '')
    return '\n'.join(lines)
