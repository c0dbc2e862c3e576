"""Intent hierarchies in the judgments: layers of superintents above the official intents, of subintents below them.

A hierarchy is rows: column ``layer`` (0 the official intents, −1 superintents, 1, 2, … subintents), ``subtopic_id`` the
node, ``parent`` the node above it ('' at the top), ``weight`` the node's share, ``similarity`` how alike its two most
unlike documents are, and ``clustering`` the similarity and cutoff that made it. Every layer contains every relevant
document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import check_number, one_of, warn
from ..lazy import cached_property, pd
from ..progress import with_progress
from .clustering import Merges, Node, Places, cut, merges_of
from .columns import listing
from .intents import INTENT, highest_rows, missing_from, sum_weights
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
            columns, or ``ir_divmeasures.data.Matrix(array, ids)``; or a function of two lists of texts that gives a matrix.
            A matrix is symmetric and at most 1, both to 0.001; below 0 counts as 0.
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
            texts, of which unrelated ones are some .5 alike by them. Terms are words in lower case, and pairs of
            characters in scripts without spaces.
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
    options = scale, idf, stopwords, missing
    clusters = Dendrograms(qrels, docs, similarity, level, rel, aspects, *options)
    hierarchy = clusters.cut(None, cutoff, weighting, intent_weighting, raw, quantile, warns=True)
    return named_as(hierarchy, qrels)


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
        qrels, docs, similarity, level, rel, aspects, scale, idf, stopwords, missing: as for :func:`build_hierarchy`.

    Attributes:
        table: the judgments.
        official: the rows of the official intents.
        relevant: those of relevant documents.
        name: what tables call the similarity.
        sources: the similarity of each query.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'1': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'game defender', 'd3': 'play online'}
        >>> clusters = Dendrograms(qrels, texts, 'tfidf')
        >>> [clusters.cut(cutoff=cutoff)['layer'].max().item() for cutoff in (0, 0.3)]
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
        scale: str = 'cosine',
        idf: Any = None,
        stopwords: Any = None,
        missing: str = 'error',
    ):
        one_of(level, ('intent', 'topic'), 'level')
        one_of(aspects, ('relevant', 'listed'), 'aspects')
        self.of_topic, self.rel, self.aspects = level == 'topic', rel, aspects
        if self.of_topic and aspects == 'listed':
            raise ValueError("aspects='listed' has no effect with level='topic'")
        self.table = Judgments.of(qrels).frame()
        if 'layer' in self.table.columns and (self.table['layer'] > 0).any():
            raise ValueError(
                f'the judgments have subintents already (layers '
                f'{", ".join(map(str, sorted(self.table["layer"].unique())))}): build from layer 0'
            )
        self.official = self._official_rows(self.table)
        self.relevant = relevant_rows(self.official, rel)
        self.name, self.sources = find_similarities(
            self.relevant, docs, similarity, scale, idf, stopwords, missing
        )

    def _official_rows(self, table: pd.DataFrame) -> pd.DataFrame:
        return (topic_rows if self.of_topic else base_layer)(table).reset_index(drop=True)

    @cached_property
    def groups(self) -> list[Group]:
        """The relevant documents of every intent, in the judgments' own order.

        With ``aspects='listed'``, a listed intent without any has one of its rows, which is a leaf.
        """
        groups = {}
        queries = self.relevant.groupby('query_id', sort=False)
        for query, judged in with_progress(queries, 'query', 'clusters', queries.ngroups):
            ids, keys, matrix = compare_documents(query, judged, self.sources.get(query))
            place = judged['doc_id'].map({doc_id: place for place, doc_id in enumerate(ids)})
            by_intent = place.sort_values().groupby(judged['subtopic_id'], sort=False)
            for intent, places in by_intent:
                chosen, rows = places.to_numpy(), places.index.to_numpy()
                own = matrix[np.ix_(chosen, chosen)]
                groups[query, intent] = Group(
                    query, intent, rows, own, merges_of(own, keys[chosen])
                )
        if self.aspects == 'listed':
            one = np.ones((1, 1))
            alone = one, merges_of(one, np.zeros(1, dtype=np.int64))
            listed = self.official.loc[listing(self.official), INTENT]
            for row, query, intent in listed.itertuples():
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
        is_given = intent_weighting == 'given'
        if is_given and raw:
            raise ValueError("intent_weighting='given' has no effect with raw=True")
        if is_given and 'weight' not in self.official.columns:
            raise ValueError("intent_weighting='given' needs a column 'weight' and level='intent'")
        if quantile is not None:
            check_number('quantile', quantile)
            pairs = [each.similarity[np.triu_indices(len(each.rows), 1)] for each in self.groups]
            every = np.concatenate([*pairs, np.zeros(0)])
            cutoff = float(np.quantile(every, quantile)) if len(every) else 0.0
        table = self.table if superintents is None else superintents
        official = self._official_rows(table)
        roots = [cut(group.merges, cutoff, not raw) for group in self.groups]
        tops = pd.DataFrame(
            [(each.query, each.intent, root.similarity) for each, root in zip(self.groups, roots)],
            columns=[*INTENT, 'similarity'],
        )
        if is_given:
            tops['weight'] = [official['weight'].iloc[group.rows[0]] for group in self.groups]
        else:
            is_uniform = raw or intent_weighting == 'uniform'
            tops['weight'] = [1 if is_uniform else max(root.height, 1) for root in roots]
            tops['weight'] /= tops.groupby('query_id')['weight'].transform('sum')
        if warns:
            _warn(self.groups, roots, cutoff)
        below = self._rows_below(roots, tops['weight'], official, weighting)
        below['clustering'] = f'{self.name}, cutoff {cutoff:g}'
        if self.of_topic:
            layers = [_rows_outside(official, below), below]
        else:
            own = official.drop(columns=['weight', 'similarity'], errors='ignore')
            own = own.merge(tops, on=INTENT, how='left').fillna({'weight': 0.0})
            own = own.assign(layer=0, parent=official.get('parent', ''))
            above = table[table['layer'] < 0] if 'layer' in table.columns else table[:0]
            layers = [sum_weights(above, own), own, below] if len(above) else [own, below]
        return pd.concat(layers, ignore_index=True).fillna({'clustering': ''})

    def _rows_below(
        self, roots: list[Node], weights: Iterable[float], official: pd.DataFrame, weighting: str
    ) -> pd.DataFrame:
        """The rows of layers 1, 2, …: every leaf is repeated down to the deepest layer of its query."""
        depth: dict[str, int] = {}
        for group, root in zip(self.groups, roots):
            depth[group.query] = max(depth.get(group.query, int(self.of_topic)), root.height)
        gains = global_gains(official, self.rel) if weighting == 'WD' else np.ones(len(official))
        nodes, rows = [], [np.zeros(0, dtype=np.intp)]
        for group, root, weight in zip(self.groups, roots, weights):
            own = None if weighting == 'WI' else gains[group.rows]
            for *facts, node in descend(group.intent, weight, root, depth[group.query], own):
                nodes.append((*facts, node.similarity))
                rows.append(group.rows[node.documents])
        names = ['layer', 'subtopic_id', 'parent', 'weight', 'similarity']
        facts = pd.DataFrame(nodes, columns=names)
        facts = facts.astype({'layer': np.int64, 'weight': float, 'similarity': float})
        facts = facts.loc[np.repeat(facts.index, [len(each) for each in rows[1:]])]
        below = official.iloc[np.concatenate(rows)].reset_index(drop=True)
        return below.assign(**facts.reset_index(drop=True))


def descend(
    name: str, weight: float, root: Node, depth: int, gains: Array | None
) -> Iterator[tuple[int, str, str, float, Node]]:
    """Layer, name, parent's name, weight and cluster of the nodes of layers 1 to ``depth`` below a cluster.

    Args:
        name, weight, root: the cluster.
        depth: the deepest layer.
        gains: children share the weight of their parent by the sums of the gains of their documents; None: by their
            numbers of leaves.
    """
    front = [(name, weight, root)]
    for layer in range(1, depth + 1):
        parents, front = front, []
        for parent, weight, node in parents:
            children = node.children or (node,)
            shares = np.array(
                [
                    float(child.leaves if gains is None else gains[child.documents].sum())
                    for child in children
                ]
            )
            if shares.sum() == 0:  # documents of intents of weight 0 only
                shares = np.ones(len(children))
            for number, (child, share) in enumerate(zip(children, shares / shares.sum()), 1):
                name = f'{parent}/{number}' if parent else str(number)
                yield layer, name, parent, weight * share, child
                front.append((name, weight * share, child))


def global_gains(official: pd.DataFrame, rel: float) -> Array:
    """GG(d) = Σ_t w_t g(d,t) of each row's document, with the weights given, else 1/|T|."""
    served = relevant_rows(official, rel)[INTENT].drop_duplicates()
    weight = official.get('weight')
    if weight is None:
        weight = 1 / official['query_id'].map(served['query_id'].value_counts())
    intents = pd.MultiIndex.from_frame(official[INTENT])
    is_served = intents.isin(pd.MultiIndex.from_frame(served))
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
    rows = highest_rows(of_documents(base_layer(table)), ['query_id', 'doc_id'])
    return rows.drop(columns=['weight', 'similarity', 'clustering'], errors='ignore').assign(
        subtopic_id=''
    )


def _rows_outside(official: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """Rows of the documents that are in no cluster: judged, but not relevant to the first cluster."""
    is_first = (below['layer'] == 1) & (below['subtopic_id'] == '1')
    facts = below[is_first].drop_duplicates('query_id')[['query_id', 'weight', 'similarity']]
    rest = missing_from(official, below, ['query_id', 'doc_id'])
    rest = rest.merge(facts, on='query_id', how='left').fillna({'weight': 0.0})
    grade = rest['relevance'].clip(upper=0)
    return rest.assign(relevance=grade, layer=1, subtopic_id='1', parent='')
