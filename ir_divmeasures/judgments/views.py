"""Show hierarchies as a table of nodes, a text tree or a picture."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import did_you_mean
from ..lazy import pd
from ..results import count
from .hierarchy import Dendrograms
from .intents import intent_texts
from .table import Judgments
from .texts import ENGLISH, stop_list, texts, tokenizer_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import MeasureLike, QrelsLike, RngLike, RunLike

ADDRESSES = frozenset(
    ['com', 'edu', 'gov', 'htm', 'html', 'http', 'https', 'index', 'net', 'org', 'php', 'www']
)
"""Words of addresses, which labels of nodes omit."""


def describe_hierarchy(
    qrels: QrelsLike,
    docs: Any = None,
    n_terms: int = 5,
    missing: str = 'error',
    orders: int = 0,
    run: RunLike | None = None,
    measure: MeasureLike = 'HD_nDCG@20',
    rng: RngLike = None,
    *,
    topics: Any = None,
    stopwords: Any = None,
    tokenizer: Any = None,
    **settings: Any,
) -> pd.DataFrame:
    """The nodes of the hierarchies in judgments, one row each.

    Args:
        qrels: judgments with layers.
        docs: where the texts are; with them, each node has its top terms.
        n_terms: the number of top terms.
        missing: ``'error'`` or ``'skip'``, for documents without a text.
        orders: with a number above 0, the result shows how much scores depend on the order of equal similarities. The
            hierarchy is then built from ``qrels``, which must have no subintents, in its own order and in this number
            of random orders.
        run: with ``orders``, the run that is scored.
        measure: with ``orders``, the measure.
        rng: with ``orders``, seed or generator as for ``numpy.random.default_rng``.
        topics: the texts of the official intents, as for :func:`~ir_divmeasures.judgments.cluster_intents`; by default the
            judgments' column ``text``, if ``with_intents`` has added it.
        stopwords: words that top terms leave out beside English ones.
        tokenizer: what makes terms of a text, as for :func:`~ir_divmeasures.build_hierarchy`.
        settings: with ``orders``, further arguments of :func:`~ir_divmeasures.build_hierarchy`.

    Returns:
        With ``orders``, DataFrame ``query_id, score, lowest, highest, range``, a row for each query. Else DataFrame
        ``query_id, layer, node, parent, documents`` (relevant ones), ``leaves``, ``weight, similarity,
        dummy`` (whether the node repeats its parent), ``clustering`` where it is known (the similarity and δ that made
        the node), ``text`` where it is known (that of an official intent), and ``terms`` with ``docs``: words and pairs
        of words of most documents of the node and of few others of the query, by df(node) · ln(N/df), without English
        stop words, numbers and words of addresses.

    Raises:
        ValueError: judgments without layers; ``orders`` without a run.
        TypeError: settings without ``orders``.

    Examples:
        >>> from ir_divmeasures import build_hierarchy
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> built = build_hierarchy(qrels, texts, similarity='tfidf')
        >>> describe_hierarchy(built, texts)[['node', 'documents', 'weight', 'dummy', 'terms']]
          node  documents  weight  dummy          terms
        0    1          2    0.50  False  windows, game
        1    2          1    0.50  False     land rover
        2  1/1          1    0.25  False        windows
        3  1/2          1    0.25  False           game
        4  2/1          1    0.50   True     land rover
    """
    if orders:
        settings |= {'stopwords': stopwords, 'tokenizer': tokenizer, 'missing': missing}
        own, generator = Dendrograms(qrels, docs, **settings), np.random.default_rng(rng)
        trees = itertools.chain([own], (own.reordered(generator) for _ in range(orders)))
        return _ranges((tree.cut(warns=tree is own) for tree in trees), run, measure)
    if settings:
        raise TypeError(f'describe_hierarchy: {", ".join(settings)} have no effect without orders')
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
    intents = table[table['layer'] == 0] if 'text' in table.columns else None
    if topics is not None:
        intents = intent_texts(topics)
    if intents is not None and len(intents):
        text_of_intent = intents.set_index(['query_id', 'subtopic_id'])['text'].to_dict()
        keys = zip(nodes['query_id'], nodes['node'])
        texts_of_nodes = pd.Series([text_of_intent.get(key, '') for key in keys])
        nodes['text'] = texts_of_nodes.where(nodes['layer'] == 0, '')
    if docs is not None:
        text_of = texts(docs, table['doc_id'].unique(), missing)
        split = tokenizer_of(tokenizer, ENGLISH | stop_list(stopwords))
        terms_of = {doc: _terms_of(split(text)) for doc, text in text_of.items()}
        nodes['terms'] = _top_terms(nodes, table, terms_of, n_terms)
    return nodes


def _ranges(hierarchies: Iterator[pd.DataFrame], run: Any, measure: Any) -> pd.DataFrame:
    """Each query's score with the first hierarchy, and the lowest and highest score with all of them."""
    import ir_measures

    from ..core.registry import parse

    if run is None:
        raise ValueError('orders needs a run to score: give run')
    one_measure = parse(measure)
    scores = pd.DataFrame(
        {score.query_id: score.value for score in ir_measures.iter_calc([one_measure], built, run)}
        for built in hierarchies
    )
    low, high = scores.min(), scores.max()
    columns = {'score': scores.iloc[0], 'lowest': low, 'highest': high, 'range': high - low}
    return pd.DataFrame(columns).rename_axis('query_id').reset_index()


def _leaves(nodes: pd.DataFrame) -> list[int]:
    """Leaves below each node: the nodes of the query's deepest layer are 1 each."""
    below: Counter[tuple[str, int, str]] = Counter()
    deepest = nodes.groupby('query_id')['layer'].transform('max')
    ordered = nodes.assign(is_leaf=nodes['layer'] == deepest)
    for node in ordered.sort_values('layer', ascending=False, kind='stable').itertuples():
        key = node.query_id, node.layer, node.node
        below[key] += int(node.is_leaf)
        below[node.query_id, node.layer - 1, node.parent] += below[key]
    return [below[key] for key in zip(nodes['query_id'], nodes['layer'], nodes['node'])]


def _top_terms(
    nodes: pd.DataFrame,
    table: pd.DataFrame,
    terms_of: dict[str, dict[tuple[str, ...], int]],
    n: int,
) -> list[str]:
    """The label of each node: the terms of the highest df(node) · ln(N/df), equal ones by their place in the texts.

    A term is a word, or two neighbouring words that both tell the node from others. A word that a chosen term contains
    is not repeated. ``terms_of`` has the first place of each term of a document.
    """
    of_query = table.groupby('query_id')['doc_id'].unique()
    df = {
        query: Counter(term for doc in docs for term in terms_of.get(doc, ()))
        for query, docs in of_query.items()
    }
    members = table.groupby(['query_id', 'layer', 'subtopic_id'])['doc_id'].unique()
    labels = []
    for key in nodes[['query_id', 'layer', 'node']].itertuples(index=False, name=None):
        docs = [terms_of.get(doc, {}) for doc in members[key]]
        inside, places = Counter(term for doc in docs for term in doc), Counter[tuple[str, ...]]()
        for doc in docs:
            places.update(doc)
        score = {
            term: round(n_docs * np.log(len(of_query[key[0]]) / df[key[0]][term]), 9)
            for term, n_docs in inside.items()
        }
        distinctive = [term for term in score if all(score[word,] > 0 for word in term)]
        distinctive.sort(key=lambda t: (-score[t], -len(t), places[t] / inside[t], t))
        best: list[tuple[str, ...]] = []
        for term in distinctive:
            if len(best) < n and not any(set(term) & set(label) for label in best):
                best.append(term)
        labels.append(', '.join(' '.join(term) for term in best))
    return labels


def _terms_of(words: list[str]) -> dict[tuple[str, ...], int]:
    """The words of a text and the pairs of neighbours, each with its first place. Single letters, numbers and words of
    addresses do not count."""
    counted_words = [
        word if len(word) > 1 and not word.isdigit() and word not in ADDRESSES else ''
        for word in words
    ]
    first: dict[tuple[str, ...], int] = {}
    for place, word in enumerate(counted_words):
        if word:
            first.setdefault((word,), place)
            if place and counted_words[place - 1] and counted_words[place - 1] != word:
                first.setdefault((counted_words[place - 1], word), place - 1)
    return first


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
        ├─ 1: 2 documents, weight 0.500, similarity 0.26 [windows, game]
        │  ├─ 1/1: 1 document, weight 0.250 [windows]
        │  └─ 1/2: 1 document, weight 0.250 [game]
        └─ 2: 1 document, weight 0.500 [land rover]
    """
    nodes = _nodes_of(
        qrels, query_id, docs, n_terms, topics=topics, stopwords=stopwords, tokenizer=tokenizer
    )
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


def draw_hierarchy(
    qrels: QrelsLike,
    query_id: str,
    docs: Any = None,
    n_terms: int = 3,
    ax: Axes | None = None,
    *,
    topics: Any = None,
    stopwords: Any = None,
    tokenizer: Any = None,
) -> Axes:
    """One query's hierarchy as a tree of boxes: a column per layer, a row per leaf.

    Boxes name the node, its number of documents and its weight, with topics and texts also what it is about; the
    darker, the more alike its documents are. Nodes that only repeat their parent are dashed and empty. The figure grows
    with the number of leaves, so that each has room for its text.

    Args:
        qrels: judgments with layers.
        query_id: the query.
        docs: where the texts are.
        n_terms: how many terms to show.
        ax: matplotlib axes to draw on; by default a new figure's.
        topics, stopwords, tokenizer: as for :func:`describe_hierarchy`.

    Returns:
        The matplotlib axes; ``ax.figure.savefig(path)`` writes the picture.

    Raises:
        ImportError: no matplotlib.
        ValueError: no such query, or judgments without layers.

    Examples:
        >>> from ir_divmeasures import build_hierarchy
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> ax = draw_hierarchy(build_hierarchy(qrels, texts, similarity='tfidf'), 'q', texts)
        >>> len(ax.patches)  # two intents, three nodes below
        5
    """
    from ..results.plotting import axes

    nodes = _nodes_of(
        qrels, query_id, docs, n_terms, topics=topics, stopwords=stopwords, tokenizer=tokenizer
    )
    layers = sorted(nodes['layer'].unique())
    n_leaves = int((nodes['layer'] == layers[-1]).sum())
    ax = axes(ax, size=(_COLUMN * len(layers) + 0.3, _ROW * n_leaves + 0.7))
    from matplotlib.patches import Rectangle

    free = {(layers[0] - 1, ''): 0}  # the row where a node's next child begins
    nodes = nodes.sort_values('layer', kind='stable').fillna({'similarity': 0.0})
    for node in nodes.itertuples(index=False):
        left, top = layers.index(node.layer), free[node.layer - 1, node.parent]
        free[node.layer, node.node], free[node.layer - 1, node.parent] = top, top + node.leaves
        shade = 0.97 - 0.4 * node.similarity
        style: dict[str, Any] = {
            'facecolor': (shade, shade, 1.0),
            'edgecolor': 'black',
            'linewidth': 0.6,
        }
        line = '--' if node.dummy else '-'
        ax.add_patch(Rectangle((left, top), 1, node.leaves, linestyle=line, **style))
        if not node.dummy:
            about = getattr(node, 'text', '') or getattr(node, 'terms', '')
            name = f'{node.node} ({node.documents}, {node.weight:.2f})'
            lines = [
                shorten(name, _CHARACTERS, placeholder='…'),
                *wrap(about, _CHARACTERS, max_lines=max(2 * node.leaves - 1, 1), placeholder=' …'),
            ]
            font: dict[str, Any] = {'fontsize': _POINTS, 'linespacing': 1.1, 'clip_on': True}
            ax.text(left + 0.02, top + node.leaves / 2, '\n'.join(lines), va='center', **font)
    ax.set(xlim=(0, len(layers)), ylim=(n_leaves, 0), yticks=[], title=f'query {query_id}')
    ax.set_xticks(np.arange(len(layers)) + 0.5, [f'layer {layer}' for layer in layers])
    return ax


_COLUMN, _ROW = 2.6, 0.27
"""Inches of a layer and of a leaf."""
_POINTS, _CHARACTERS = 7, 42
"""The letters of a picture, and how many of them a column holds."""


def _nodes_of(qrels: Any, query_id: str, docs: Any, n_terms: int, **labels: Any) -> pd.DataFrame:
    table = Judgments.of(qrels).frame()
    rows = table[table['query_id'] == str(query_id)]
    if not len(rows):
        raise ValueError(
            f'no query {query_id!r}'
            + did_you_mean(str(query_id), table['query_id'].unique()[:1000])
        )
    nodes = describe_hierarchy(rows, docs, n_terms, **labels)
    if not len(nodes):
        raise ValueError(f'query {query_id!r} has no relevant document')
    return nodes
