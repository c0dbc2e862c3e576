"""Intent hierarchies in the judgments: layers of superintents above the official intents, of subintents below them.

A hierarchy is rows: column ``layer`` (0 the official intents, −1 superintents, 1, 2, … subintents), ``subtopic_id`` the
node, ``parent`` the node above it ('' at the top), ``weight`` the node's share, ``similarity`` how alike its two most
unlike documents are, and ``clustering`` the similarity and cutoff that made it. Every layer contains every relevant
document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import check_number, one_of, warn
from ..lazy import cached_property, pd
from ..progress import with_progress
from .clustering import Merges, Node, Places, cut, merges_of
from .columns import layers_of
from .intents import INTENT, highest_rows, served, sum_weights, weights_of
from .judgments import Judgments, are_relevant, named_as
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
    hierarchy = clusters.cut(cutoff, weighting, intent_weighting, raw, quantile, warns=True)
    return named_as(hierarchy, qrels)


class Group(NamedTuple):
    """An intent's relevant documents in the order of their keys.

    Attributes:
        query, intent: the intent.
        rows: the rows of its n documents in the table of the official intents.
        pairs: the similarities of two of them, (n (n − 1) / 2,).
        merges: how they are clustered, for any cutoff.
    """

    query: str
    intent: str
    rows: Places
    pairs: Array
    merges: Merges


class Dendrograms:
    """The clusters of every intent's relevant documents, computed once, of which hierarchies are cut.

    Args:
        qrels, docs, similarity, level, rel, aspects, scale, idf, stopwords, missing: as for :func:`build_hierarchy`.

    Attributes:
        official: the rows of the official intents, or one of each document if the query is clustered as a whole.
        above: the rows of superintents.
        lists: which rows of ``official`` list their intent.
        relevant: the rows of relevant documents.
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
        *options: Any,
    ):
        one_of(level, ('intent', 'topic'), 'level')
        one_of(aspects, ('relevant', 'listed'), 'aspects')
        self.of_topic, self.rel, self.aspects = level == 'topic', rel, aspects
        if self.of_topic and aspects == 'listed':
            raise ValueError("aspects='listed' has no effect with level='topic'")
        judgments = Judgments.of(qrels)
        if (judgments.layer > 0).any():
            raise ValueError(
                f'the judgments have subintents already ({layers_of(judgments.table)}): build from layer 0'
            )
        is_official = judgments.layer == judgments.base
        self.lists, self.above = judgments.lists[is_official], judgments.table[~is_official]
        official = topic_rows(judgments) if self.of_topic else judgments.official
        self.official = official.reset_index(drop=True)
        self.relevant = self.official[are_relevant(self.official, rel)]
        self.name, self.sources = find_similarities(self.relevant, docs, similarity, *options)

    @cached_property
    def groups(self) -> list[Group]:
        """The relevant documents of every intent, in the judgments' own order.

        With ``aspects='listed'``, a listed intent without any has one of its rows, which is a leaf.
        """
        groups = {}
        queries = self.relevant.groupby('query_id', sort=False)
        for query, judged in with_progress(queries, 'query', 'clusters', queries.ngroups):
            ids, keys, matrix = compare_documents(query, judged, self.sources.get(query))
            place = judged['doc_id'].map(ids.index).sort_values()
            for intent, places in place.groupby(judged['subtopic_id'], sort=False):
                chosen, rows = places.to_numpy(), places.index.to_numpy()
                own = matrix[np.ix_(chosen, chosen)]
                pairs, merges = own[np.triu_indices(len(own), 1)], merges_of(own, keys[chosen])
                groups[query, intent] = Group(query, intent, rows, pairs, merges)
        if self.aspects == 'listed':
            alone = np.zeros(0), merges_of(np.ones((1, 1)), np.zeros(1, dtype=np.int64))
            for row, query, intent in self.official.loc[self.lists, INTENT].itertuples():
                groups.setdefault((query, intent), Group(query, intent, np.array([row]), *alone))
        return sorted(groups.values(), key=lambda group: int(group.rows.min()))

    def cut(
        self,
        cutoff: float = 0.3,
        weighting: str = 'WI',
        intent_weighting: str = 'height',
        raw: bool = False,
        quantile: float | None = None,
        warns: bool = False,
    ) -> pd.DataFrame:
        """The hierarchy for a cutoff and weights, as :func:`build_hierarchy` returns it.

        Args:
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
            pairs = np.concatenate([np.zeros(0), *(each.pairs for each in self.groups)])
            cutoff = float(np.quantile(pairs, quantile)) if len(pairs) else 0.0
        official = self.official
        roots = [cut(group.merges, cutoff, not raw) for group in self.groups]
        if warns:
            _warn(self.groups, roots, cutoff)
        tops = pd.DataFrame([group[:2] for group in self.groups], columns=INTENT)
        tops['similarity'] = [root.similarity for root in roots]
        height = pd.Series([root.height for root in roots], dtype=int)
        share = height.clip(1, 1 if raw or intent_weighting == 'uniform' else None)
        tops['weight'] = share / share.groupby(tops['query_id']).transform('sum')
        if is_given:
            first = [group.rows[0] for group in self.groups]
            tops['weight'] = official['weight'].to_numpy()[first]
        depth = height.groupby(tops['query_id']).transform('max').clip(lower=int(self.of_topic))
        gains = global_gains(official, self.rel) if weighting == 'WD' else np.ones(len(official))
        nodes = [
            (*facts, node.similarity, row)
            for group, root, weight, deepest in zip(self.groups, roots, tops['weight'], depth)
            for *facts, node in descend(
                (group.intent, weight, root),
                deepest,
                None if weighting == 'WI' else gains[group.rows],
            )
            for row in group.rows[node.documents]
        ]
        types = {'layer': int, 'subtopic_id': str, 'parent': str, 'weight': float}
        types |= {'similarity': float, 'row': int}
        facts = pd.DataFrame(nodes, columns=[*types]).astype(types)
        below = official.iloc[facts.pop('row')]
        below = below.assign(**facts.set_axis(below.index))
        below['clustering'] = f'{self.name}, cutoff {cutoff:g}'
        if self.of_topic:
            layers = [_rows_outside(official, below), below]
        else:
            own = official.drop(columns=['weight', 'similarity'], errors='ignore')
            own = own.merge(tops, on=INTENT, how='left').fillna({'weight': 0.0})
            own = own.assign(layer=0, parent=official.get('parent', ''))
            layers = [own, below]
            if len(self.above):
                layers.insert(0, sum_weights(self.above, own))
        return pd.concat(layers, ignore_index=True).fillna({'clustering': ''})


def descend(
    top: tuple[str, float, Node], depth: int, gains: Array | None
) -> Iterator[tuple[int, str, str, float, Node]]:
    """Layer, name, parent's name, weight and cluster of the nodes of layers 1 to ``depth`` below a cluster.

    Args:
        top: the name, the weight and the cluster.
        depth: the deepest layer.
        gains: children share the weight of their parent by the sums of the gains of their documents; None: by their
            numbers of leaves.
    """
    front = [top]
    for layer in range(1, depth + 1):
        parents, front = front, []
        for parent, weight, node in parents:
            children = node.children or (node,)
            sizes = np.array(
                [
                    child.leaves if gains is None else gains[child.documents].sum()
                    for child in children
                ],
                dtype=float,
            )
            if sizes.sum() == 0:  # documents of intents of weight 0 only
                sizes[:] = 1
            for number, (child, share) in enumerate(zip(children, sizes / sizes.sum()), 1):
                name = f'{parent}/{number}' if parent else str(number)
                yield layer, name, parent, weight * share, child
                front.append((name, weight * share, child))


def global_gains(official: pd.DataFrame, rel: float) -> Array:
    """GG(d) = Σ_t w_t g(d,t) of each row's document, with the weights given, else 1/|T|."""
    relevant = are_relevant(official, rel)
    gain = weights_of(official, relevant) * official['relevance'].clip(lower=0)
    documents = [official['query_id'], official['doc_id']]
    return (
        gain.where(served(official, relevant), 0.0).groupby(documents).transform('sum').to_numpy()
    )


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


def topic_rows(judgments: Judgments) -> pd.DataFrame:
    """One row per query and document, of its highest grade, for the query as a whole."""
    rows = highest_rows(judgments.table[judgments.judged_rows], ['query_id', 'doc_id'])
    rows = rows.drop(columns=['weight', 'similarity', 'clustering'], errors='ignore')
    return rows.assign(subtopic_id='')


def _rows_outside(official: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """Rows of the documents that are in no cluster: judged, but not relevant to the first cluster."""
    first = below[below['subtopic_id'] == '1'].drop_duplicates('query_id')
    rest = official[~official.index.isin(below.index)]
    rest = rest.merge(first[['query_id', 'weight', 'similarity']], on='query_id', how='left')
    grade = rest['relevance'].clip(upper=0)
    return rest.fillna({'weight': 0.0}).assign(relevance=grade, layer=1, subtopic_id='1', parent='')
