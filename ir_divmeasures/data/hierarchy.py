"""Intent hierarchies in the judgments: layers of superintents above the official intents, of subintents below them.

A hierarchy is rows: column ``layer`` (0 the official intents, −1 superintents, 1, 2, … subintents), ``subtopic_id`` the
node, ``parent`` the node above it ('' at the top), ``weight`` the node's share, ``similarity`` how alike its two most
unlike documents are, and ``clustering`` the similarity and cutoff that made it. Every layer contains every relevant
document.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import check_number, one_of, warn
from ..lazy import pd
from ..progress import with_progress
from .clustering import Merges, Node, Places, cut, merges_of
from .columns import listing
from .intents import LAST, put_last, sum_weights
from .judgments import Judgments, base_layer, named_as, of_documents, relevant_rows
from .similarity import Array, compare_documents, find_similarities

if TYPE_CHECKING:
    from ..typing import QrelsLike


def build_hierarchy(
    qrels: QrelsLike,
    docs: Any = None,
    similarity: Any = None,
    cutoff: float = 0.3,
    weighting: str = 'WI',
    intent_weighting: str = 'height',
    level: str = 'intent',
    raw: bool = False,
    rel: float = 1,
    idf: Any = None,
    missing: str = 'error',
    *,
    aspects: str = 'relevant',
    scale: str = 'cosine',
    stopwords: Any = None,
    tokenizer: Any = None,
    quantile: float | None = None,
) -> pd.DataFrame:
    """Judgments with subintents: the relevant documents of each intent, clustered (Dou et al., IRJ 2019, §3).

    Complete linkage; then (1) a cluster with similarity ≥ ``cutoff`` becomes one leaf, (2) a cluster whose similarity
    lies in the same bin of width 0.1 as its parent's is dissolved into it, (3) leaves are repeated until all leaves of
    a query are equally deep, (4) a node's weight is divided among its children.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes. Superintents stay.
        docs: where the texts are (see :func:`ir_divmeasures.data.texts.read_texts`). Not needed with a column
            ``document_similarity``, vectors or a matrix.
        similarity: ``'simhash'``, the paper's method and the default, or ``'tfidf'`` (cosine), whose clusters agree far
            better with subtopics made by hand (docs/guide/hierarchies.md). Or vectors, compared by cosine: ``{doc_id: vector}``, a
            DataFrame with doc ids as index (or a column ``doc_id`` or ``docno``) and one column of vectors or a column
            for each number, or ``ir_divmeasures.data.Vectors(array, ids)``; a matrix: a DataFrame with doc ids as index and
            columns, or ``ir_divmeasures.data.Matrix(array, ids)``; one of these for each query in a dict; a function of two
            lists of texts that gives a matrix. A matrix is symmetric and at most 1, both to 0.001; below 0 counts as 0.
            By default the judgments' column ``document_similarity`` where there is one and ``docs`` is not given, else
            ``'simhash'``.
        cutoff: δ in [0, 1]; 0 gives the flat intents.
        weighting: how a node's children share its weight: ``'WI'`` by number of leaves; ``'WD'`` by the sum of their
            documents' global gains; ``'documents'`` by number of documents.
        intent_weighting: ``'height'``: an intent's share is its height over the sum of heights; ``'uniform'``;
            ``'given'``: the judgments' weights as they stand.
        level: ``'intent'``, or ``'topic'``: the topic-level relevant documents are clustered, the query is the root,
            and there is no layer 0; other judged documents stand on layer 1 with grade 0.
        raw: without step 2 and with uniform intent weights.
        rel: the lowest grade that counts as relevant; documents below it are in no subintent.
        idf: for ``'tfidf'``, a collection's ``{term: idf}`` or a DataFrame ``term, idf``; terms that it lacks have its
            largest value. By default the relevant documents are the collection.
        aspects: ``'relevant'``: intents without a relevant document have weight 0 and no subintents; ``'listed'``: a
            listed one is a leaf of height 1 with its share of the weights, for measures with ``aspects='listed'``.
        missing: ``'error'``, or ``'skip'``: a document without text is unlike all others, and one warning lists them.
        scale: of SimHash fingerprints, H their Hamming distance: ``'cosine'`` max(0, cos(π·H/64)), or ``'hamming'`` 1 − H/64.
        stopwords: terms that SimHash and TF-IDF leave out: ``'english'`` or words in lower case. They matter for long
            texts, of which unrelated ones are some .5 alike by them.
        tokenizer: a function of a text that gives a list of terms; by default words, and pairs of characters in scripts
            without spaces.
        quantile: δ as this quantile, in [0, 1], of the similarities of two documents relevant to the same intent, in
            place of ``cutoff``.

    Ties: similarities are rounded to 12 digits. At the largest similarity of two clusters, clusters that all have it
    with one another merge at once; else the two of the largest mean similarity, then of the smallest keys. A document's
    key is its fingerprint, vector or text, not its id; of a matrix, its row.

    Returns:
        DataFrame with the judgments' columns and ``layer, parent, weight, similarity, clustering``. Nodes are named by
        their path: ``'3/2'`` is the second cluster of intent ``'3'``, larger ones first.

    Raises:
        ValueError: an unknown choice, subintents in the judgments, no text for a relevant document, a
            similarity that is not symmetric, not finite or above 1, or a distance; a square array or table of which it
            cannot be told whether it is vectors or a matrix.

    Warns:
        DivMeasuresWarning: no intent is divided (says which similarities it saw, and the δ that would); equal
            similarities of a matrix or function that nothing but document ids tells apart.

    Reference: Dou, Yang, Li, Wen, Sakai, IRJ 2019, §3.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'1': 1}, 'd4': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'game defender', 'd3': 'play online', 'd4': 'land rover'}
        >>> built = build_hierarchy(qrels, texts, similarity='tfidf')
        >>> built[['layer', 'subtopic_id', 'doc_id', 'weight']].to_string(index=False).splitlines()[5:]
        ['     1         1/1     d1    0.25', '     1         1/1     d2    0.25', \
'     1         1/2     d3    0.25', '     1         2/1     d4    0.50']
    """
    how = scale, idf, stopwords, tokenizer, missing
    clusters = Dendrograms(qrels, docs, similarity, level, rel, aspects, *how)
    built = clusters.cut(None, cutoff, weighting, intent_weighting, raw, quantile, warns=True)
    return named_as(built, qrels)


class Group(NamedTuple):
    """An intent's relevant documents in the order of their keys.

    Attributes:
        query, intent: the intent.
        rows: the rows of its n documents in the table of the official intents.
        similarity: (n, n).
        merges: how they are clustered, for any cutoff.
    """

    query: str
    intent: str
    rows: Places
    similarity: Array
    merges: Merges


class Dendrograms:
    """The clusters of every intent's relevant documents, computed once, of which hierarchies are cut.

    Args:
        qrels, docs, similarity, level, rel, aspects, how: as for :func:`build_hierarchy`; ``how`` are its arguments
            about texts.

    Attributes:
        table: the judgments.
        official: the rows of the official intents.
        level: ``'intent'`` or ``'topic'``.
        name: what tables call the similarity.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'1': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'game defender', 'd3': 'play online'}
        >>> found = Dendrograms(qrels, texts, 'tfidf')
        >>> [found.cut(cutoff=cutoff)['layer'].max().item() for cutoff in (0, 0.3)]
        [0, 1]
    """

    def __init__(
        self,
        qrels: Any,
        docs: Any = None,
        similarity: Any = None,
        level: str = 'intent',
        rel: float = 1,
        aspects: str = 'relevant',
        *how: Any,
    ):
        one_of(level, ('intent', 'topic'), 'level')
        one_of(aspects, ('relevant', 'listed'), 'aspects')
        if aspects == 'listed' and level == 'topic':
            raise ValueError("aspects='listed' has no effect with level='topic'")
        self.table = Judgments.of(qrels).frame()
        if 'layer' in self.table.columns and (self.table['layer'] > 0).any():
            raise ValueError(
                f'the judgments have subintents already (layers '
                f'{", ".join(map(str, sorted(self.table["layer"].unique())))}): build from layer 0'
            )
        self.level, self.rel, self.aspects = level, rel, aspects
        self.official = self._official_rows(self.table)
        self._relevant = relevant_rows(self.official, rel)
        how = how or ('cosine', None, None, None, 'error')
        self.name, self._sources = find_similarities(self._relevant, docs, similarity, *how)

    def _official_rows(self, table: pd.DataFrame) -> pd.DataFrame:
        rows = topic_rows(table) if self.level == 'topic' else base_layer(table)
        return rows.reset_index(drop=True)

    @functools.cached_property
    def groups(self) -> list[Group]:
        """The relevant documents of every intent, in the judgments' own order.

        With ``aspects='listed'``, a listed intent without any has one of its rows, which is a leaf.
        """
        groups = {}
        queries = self._relevant.groupby('query_id', sort=False)
        for query, judged in with_progress(queries, 'query', 'clusters', queries.ngroups):
            ids, keys, matrix = compare_documents(query, judged, self._sources.get(query))
            place = judged['doc_id'].map({doc_id: place for place, doc_id in enumerate(ids)})
            for intent, of_intent in place.sort_values().groupby(judged['subtopic_id'], sort=False):
                chosen = of_intent.to_numpy()
                own = matrix[np.ix_(chosen, chosen)]
                rows = of_intent.index.to_numpy()
                groups[query, intent] = Group(
                    query, intent, rows, own, merges_of(own, keys[chosen])
                )
        if self.aspects == 'listed':
            listed = self.official[listing(self.official)]
            alone = np.ones((1, 1)), merges_of(np.ones((1, 1)), np.zeros(1, dtype=np.int64))
            for row, query, intent in listed[['query_id', 'subtopic_id']].itertuples():
                groups.setdefault((query, intent), Group(query, intent, np.array([row]), *alone))
        return sorted(groups.values(), key=lambda group: int(group.rows.min()))

    def cut(
        self,
        superintents: pd.DataFrame | None = None,
        cutoff: float = 0.3,
        weighting: str = 'WI',
        intent_weighting: str = 'height',
        raw: bool = False,
        quantile: float | None = None,
        warns: bool = False,
    ) -> pd.DataFrame:
        """The hierarchy for a cutoff and weights, as :func:`build_hierarchy` returns it.

        Args:
            superintents: the same judgments with superintents, which stay above the hierarchy.
            cutoff, weighting, intent_weighting, raw, quantile: as for :func:`build_hierarchy`.
            warns: whether to warn about undivided intents and arbitrary merges.
        """
        check_number('cutoff', cutoff)
        one_of(weighting, ('WI', 'WD', 'documents'), 'weighting')
        one_of(intent_weighting, ('height', 'uniform', 'given'), 'intent_weighting')
        is_given, of_topic = intent_weighting == 'given', self.level == 'topic'
        if is_given and (raw or of_topic):
            what = 'raw=True' if raw else 'level=topic'
            raise ValueError(f"intent_weighting='given' has no effect with {what}")
        if is_given and 'weight' not in self.official.columns:
            raise ValueError("intent_weighting='given', but the judgments have no column 'weight'")
        if quantile is not None:
            check_number('quantile', quantile)
            pairs = [each.similarity[np.triu_indices(len(each.rows), 1)] for each in self.groups]
            every = np.concatenate([*pairs, np.zeros(0)])
            cutoff = float(np.quantile(every, quantile)) if len(every) else 0.0
        table = self.table if superintents is None else superintents
        official = self._official_rows(table)
        roots = [cut(group.merges, cutoff, not raw) for group in self.groups]
        tops = pd.DataFrame(
            [
                (group.query, group.intent, root.similarity)
                for group, root in zip(self.groups, roots)
            ],
            columns=['query_id', 'subtopic_id', 'similarity'],
        )
        if is_given:
            tops['weight'] = [official['weight'].iloc[group.rows[0]] for group in self.groups]
        else:
            is_uniform = raw or intent_weighting == 'uniform'
            tops['weight'] = [1 if is_uniform else max(root.height, 1) for root in roots]
            tops['weight'] /= tops.groupby('query_id')['weight'].transform('sum')
        if warns:
            _warn(self.groups, roots, cutoff)
        trees = list(zip(self.groups, roots, tops['weight'].tolist()))
        below = self._rows_below(trees, official, weighting)
        below['clustering'] = f'{self.name}, cutoff {cutoff:g}'
        if of_topic:
            built = [_rows_outside(official, below), below]
        else:
            own = official.drop(columns=['weight', 'similarity'], errors='ignore')
            own = own.merge(tops, on=['query_id', 'subtopic_id'], how='left')
            own = own.fillna({'weight': 0.0}).assign(layer=0, parent=official.get('parent', ''))
            above = table[table['layer'] < 0] if 'layer' in table.columns else table[:0]
            built = [sum_weights(above, own), own, below] if len(above) else [own, below]
        return put_last(pd.concat(built, ignore_index=True).fillna({'clustering': ''}))

    def _rows_below(
        self, trees: list[tuple[Group, Node, float]], official: pd.DataFrame, weighting: str
    ) -> pd.DataFrame:
        """The rows of layers 1, 2, …: every leaf is repeated down to the deepest layer of its query."""
        depth: dict[str, int] = {}
        for group, root, _ in trees:
            least = depth.get(group.query, int(self.level == 'topic'))
            depth[group.query] = max(least, root.height)
        gains = global_gains(official, self.rel) if weighting == 'WD' else np.ones(len(official))
        nodes, rows = [], [np.zeros(0, dtype=np.intp)]
        for group, root, weight in trees:

            def part(node: Node, own: Any = gains[group.rows]) -> float:
                return float(node.leaves if weighting == 'WI' else own[node.documents].sum())

            for *facts, node in descend(group.intent, weight, root, depth[group.query], part):
                nodes.append((*facts, node.similarity))
                rows.append(group.rows[node.documents])
        names = ['layer', 'subtopic_id', 'parent', 'weight', 'similarity']
        facts = pd.DataFrame(nodes, columns=names)
        facts = facts.astype({'layer': np.int64, 'weight': float, 'similarity': float})
        facts = facts.loc[np.repeat(facts.index, [len(each) for each in rows[1:]])]
        below = official.iloc[np.concatenate(rows)].reset_index(drop=True)
        return below.assign(**facts.reset_index(drop=True))


def descend(
    name: str, weight: float, root: Node, depth: int, part: Callable[[Node], float]
) -> Iterator[tuple[int, str, str, float, Node]]:
    """Layer, name, parent's name, weight and cluster of the nodes of layers 1 to ``depth`` below a cluster.

    Args:
        name, weight, root: the cluster.
        depth: the deepest layer.
        part: children share the weight of their parent in proportion to this number.
    """
    front = [(name, weight, root)]
    for layer in range(1, depth + 1):
        parents, front = front, []
        for parent, weight, node in parents:
            children = node.children or (node,)
            parts = np.array([part(child) for child in children])
            if parts.sum() == 0:  # documents of intents of weight 0 only
                parts = np.ones(len(children))
            for number, (child, share) in enumerate(zip(children, parts / parts.sum()), 1):
                name = f'{parent}/{number}' if parent else str(number)
                yield layer, name, parent, weight * share, child
                front.append((name, weight * share, child))


def global_gains(official: pd.DataFrame, rel: float) -> Array:
    """GG(d) = Σ_t w_t g(d,t) of each row's document, with the weights given, else 1/|T|."""
    key = ['query_id', 'subtopic_id']
    served = pd.MultiIndex.from_frame(relevant_rows(official, rel)[key].drop_duplicates())
    weight = official.get('weight')
    if weight is None:
        n = pd.Series(served.get_level_values(0)).value_counts()
        weight = 1 / official['query_id'].map(n)
    is_served = pd.MultiIndex.from_frame(official[key]).isin(served)
    gain = (weight * official['relevance'].clip(lower=0)).where(is_served, 0.0)
    return gain.groupby([official['query_id'], official['doc_id']]).transform('sum').to_numpy()


def _warn(groups: list[Group], roots: list[Node], cutoff: float) -> None:
    several = [root.similarity for group, root in zip(groups, roots) if len(group.rows) > 1]
    if cutoff > 0 and roots and not any(root.children for root in roots):
        warn(
            f'no intent is divided: cutoff={cutoff:g}, but in the {len(several)} of {len(roots)} intents with '
            f'several relevant documents the two least alike have similarities from {min(several):.3g} to '
            f'{max(several):.3g}; a cutoff above {np.median(several):.3g} divides half of them'
            if several
            else f'no intent is divided: each of the {len(roots)} intents has one relevant document'
        )
    arbitrary = {group.query for group in groups if group.merges.arbitrary}
    if arbitrary:
        warn(
            f'{len(arbitrary)} of {len({group.query for group in groups})} queries have documents that the similarity '
            f'does not tell apart: equal similarities were decided by doc_id (query {min(arbitrary)!r})'
        )


def topic_rows(table: pd.DataFrame) -> pd.DataFrame:
    """One row per query and document, of its highest grade, for the query as a whole."""
    official = of_documents(base_layer(table))
    highest = official.sort_values('relevance', ascending=False, kind='stable')
    highest = highest.drop_duplicates(['query_id', 'doc_id']).sort_index()
    return highest.drop(columns=list(LAST), errors='ignore').assign(subtopic_id='')


def _rows_outside(official: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """Rows of the documents that are in no cluster: judged, but not relevant to the first cluster."""
    first = below[(below['layer'] == 1) & (below['subtopic_id'] == '1')].drop_duplicates('query_id')
    pair = ['query_id', 'doc_id']
    clustered = pd.MultiIndex.from_frame(below[pair])
    rest = official[~pd.MultiIndex.from_frame(official[pair]).isin(clustered)]
    rest = rest.merge(first[['query_id', 'weight', 'similarity']], on='query_id', how='left')
    grade = rest['relevance'].clip(upper=0)
    return rest.fillna({'weight': 0.0}).assign(relevance=grade, layer=1, subtopic_id='1', parent='')
