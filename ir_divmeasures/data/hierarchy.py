"""Intent hierarchies in the judgments: layers of superintents above the official intents, of subintents below them.

A hierarchy is rows: column ``layer`` (0 the official intents, −1 superintents, 1, 2, … subintents), ``subtopic_id`` the
node, ``parent`` the node above it ('' at the top), ``weight`` the node's share, ``similarity`` how alike its two most
unlike documents are, and ``clustering`` the similarity and cutoff that made it. Every layer contains every relevant
document.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import check_number, one_of, warn
from .judgments import Judgments, base_layer, named_as, of_documents
from ..lazy import pd
from .clustering import (
    HIERARCHY_COLUMNS,
    Tree,
    groups_of,
    intent_weights,
    ordered,
    rows_below,
    trees_of,
)
from .similarity import similarity_of
from .superintents import sum_weights

if TYPE_CHECKING:
    from ..typing import QrelsLike

_CHOICES = {
    'weighting': ('WI', 'WD', 'documents'),
    'intent_weighting': ('height', 'uniform', 'given'),
    'level': ('intent', 'topic'),
    'aspects': ('relevant', 'listed'),
}


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
        docs: where the texts are (see :func:`ir_divmeasures.data.texts.texts`). Not needed with a column
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
    return named_as(Dendrograms(**locals()).cut(warns=True), qrels)


def _settings(given: Mapping[str, Any]) -> SimpleNamespace:
    """The arguments of :func:`build_hierarchy` as attributes.

    Raises:
        ValueError: an unknown choice, a share outside [0, 1], or settings that have no effect together.
    """
    for name, choices in _CHOICES.items():
        one_of(given[name], choices, name)
    for name in ('cutoff', 'quantile'):
        if (name, given[name]) != ('quantile', None):
            check_number(name, given[name])
    if given['aspects'] == 'listed' and given['level'] == 'topic':
        raise ValueError("aspects='listed' has no effect with level='topic'")
    if given['intent_weighting'] == 'given' and (given['raw'] or given['level'] == 'topic'):
        raise ValueError(
            f"intent_weighting='given' has no effect with {'raw=True' if given['raw'] else 'level=topic'}"
        )
    return SimpleNamespace(**given)


class Dendrograms:
    """The clusters of every intent's relevant documents, computed once, of which hierarchies are cut.

    Args:
        qrels, docs, arguments: as for :func:`build_hierarchy`.

    Attributes:
        official: the rows of the official intents.
        groups: the relevant documents of each intent with their similarities. Their ``rows`` are places in ``official``.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'1': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'game defender', 'd3': 'play online'}
        >>> found = Dendrograms(qrels, texts, similarity='tfidf')
        >>> [found.cut(cutoff=cutoff)['layer'].max().item() for cutoff in (0, 0.3)]
        [0, 1]
    """

    def __init__(self, qrels: Any, docs: Any, **arguments: Any):
        bound = inspect.signature(build_hierarchy).bind(qrels, docs, **arguments)
        bound.apply_defaults()
        how = self._settings = _settings(bound.arguments)
        self._table = Judgments.of(qrels).frame()
        if 'layer' in self._table.columns and (self._table['layer'] > 0).any():
            raise ValueError(
                f'the judgments have subintents already (layers '
                f'{", ".join(map(str, sorted(self._table["layer"].unique())))}): build from layer 0'
            )
        if how.intent_weighting == 'given' and 'weight' not in self._table.columns:
            raise ValueError("intent_weighting='given', but the judgments have no column 'weight'")
        of_texts = (how.scale, how.idf, how.stopwords, how.tokenizer, how.missing)
        self._alike = similarity_of(how.similarity, docs, self._table, how.rel, *of_texts)
        self.official = self._official(self._table)
        self.groups = groups_of(self.official, self._alike, how.rel, how.aspects)

    def _official(self, table: pd.DataFrame) -> pd.DataFrame:
        rows = topic_rows(table) if self._settings.level == 'topic' else base_layer(table)
        return rows.reset_index(drop=True)

    def cut(
        self, superintents: pd.DataFrame | None = None, warns: bool = False, **settings: Any
    ) -> pd.DataFrame:
        """The hierarchy for other settings.

        Args:
            superintents: the same judgments with superintents, which stay above the hierarchy.
            warns: whether to warn about undivided intents and arbitrary merges.
            settings: ``cutoff``, ``weighting``, ``intent_weighting`` or ``raw``.
        """
        how = _settings({**vars(self._settings), **settings})
        table = self._table if superintents is None else superintents
        official = self._official(table)
        cutoff = how.cutoff if how.quantile is None else self._quantile(how.quantile)
        trees = trees_of(self.groups, cutoff, compress=not how.raw)
        if warns:
            _warn(trees, cutoff)
        weights = intent_weights(trees, official, 'uniform' if how.raw else how.intent_weighting)
        new = rows_below(trees, weights, official, how.weighting, how.rel, how.level)
        if how.level == 'topic':
            built = [_unmoved(official, new)]
        else:
            tops = pd.DataFrame(
                [
                    (group.query, group.intent, weight, root.similarity)
                    for (group, root), weight in zip(trees, weights)
                ],
                columns=['query_id', 'subtopic_id', 'weight', 'similarity'],
            )
            own = official.drop(columns=['weight', 'similarity'], errors='ignore')
            own = own.merge(tops, on=['query_id', 'subtopic_id'], how='left')
            own = own.fillna({'weight': 0.0}).assign(layer=0, parent=official.get('parent', ''))
            above = table[table['layer'] < 0] if 'layer' in table.columns else table[:0]
            built = [sum_weights(above, own), own] if len(above) else [own]
        built.append(new.assign(clustering=f'{self._alike.name}, cutoff {cutoff:g}'))
        return ordered(pd.concat(built, ignore_index=True).fillna({'clustering': ''}))

    def _quantile(self, quantile: float) -> float:
        """This quantile of the similarities of two documents of an intent."""
        pairs = [each.similarity[np.triu_indices(len(each.rows), 1)] for each in self.groups]
        every = np.concatenate([*pairs, np.zeros(0)])
        return float(np.quantile(every, quantile)) if len(every) else 0.0


def _warn(trees: list[Tree], cutoff: float) -> None:
    several = np.array([root.similarity for group, root in trees if len(group.rows) > 1])
    if cutoff > 0 and trees and not any(root.children for _, root in trees):
        if len(several):
            warn(
                f'no intent is divided: cutoff={cutoff:g}, but in the {len(several)} of {len(trees)} intents with '
                f'several relevant documents the two least alike have similarities from {several.min():.3g} to '
                f'{several.max():.3g}; a cutoff above {np.median(several):.3g} divides half of them'
            )
        else:
            warn(
                f'no intent is divided: each of the {len(trees)} intents has one relevant document'
            )
    arbitrary = {group.query for group, _ in trees if group.merges.arbitrary}
    if arbitrary:
        warn(
            f'{len(arbitrary)} of {len({group.query for group, _ in trees})} queries have documents that the similarity '
            f'does not tell apart: equal similarities were decided by doc_id (query {min(arbitrary)!r})'
        )


def topic_rows(table: pd.DataFrame) -> pd.DataFrame:
    """One row per query and document, of its highest grade, for the query as a whole."""
    official = of_documents(base_layer(table))
    highest = official.sort_values('relevance', ascending=False, kind='stable')
    highest = highest.drop_duplicates(['query_id', 'doc_id']).sort_index()
    return highest.drop(columns=list(HIERARCHY_COLUMNS), errors='ignore').assign(subtopic_id='')


def _unmoved(official: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Keep documents that are in no cluster as judged documents, which are not relevant to the first cluster."""
    first = new[(new['layer'] == 1) & (new['subtopic_id'] == '1')].drop_duplicates('query_id')
    pair = ['query_id', 'doc_id']
    clustered = pd.MultiIndex.from_frame(new[pair])
    rest = official[~pd.MultiIndex.from_frame(official[pair]).isin(clustered)]
    rest = rest.merge(first[['query_id', 'weight', 'similarity']], on='query_id', how='left')
    relevance = rest['relevance'].clip(upper=0)
    return rest.fillna({'weight': 0.0}).assign(
        relevance=relevance, layer=1, subtopic_id='1', parent=''
    )
