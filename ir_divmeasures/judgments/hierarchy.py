"""Intent hierarchies in the judgments: layers of superintents above the official intents, of subintents below them.

A hierarchy is rows: column ``layer`` (0 the official intents, −1 superintents, 1, 2, … subintents), ``subtopic_id`` the
node, ``parent`` the node above it ('' at the top), ``weight`` the node's share, ``similarity`` how alike its two most
unlike documents are, and ``clustering`` the similarity and cutoff that made it. Every layer contains every relevant
document.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import did_you_mean, warn
from ..lazy import pd
from .clustering import (
    HIERARCHY_COLUMNS,
    Group,
    Merges,
    Tree,
    build_trees,
    groups_of,
    merges_of,
    ordered,
    rows_below,
    weigh,
)
from .similarity import Similarity, Source, similarity_of
from .superintents import sum_weights
from .table import Judgments, base_layer, named_as, of_documents

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
        docs: where the texts are (see :func:`ir_divmeasures.judgments.texts.texts`). Not needed with a column
            ``document_similarity``, vectors or a matrix.
        similarity: prefer ``'static'`` (cosine of English word vectors, extra ``static``) or ``'tfidf'`` (cosine):
            their clusters agree far better with subtopics made by hand than those of ``'simhash'``, the paper's method
            and the default (docs/guide/hierarchies.md). Or vectors, compared by cosine: ``{doc_id: vector}``, a
            DataFrame with doc ids as index (or a column ``doc_id`` or ``docno``) and one column of vectors or a column
            for each number, ``ir_divmeasures.Vectors(array, ids)``, or an object whose ``encode(texts)`` or
            ``embed(texts)`` gives them (each text is encoded once); a matrix: a DataFrame with doc ids as index and
            columns, or ``ir_divmeasures.Matrix(array, ids)``; one of these for each query in a dict; a function of two
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
    return named_as(_build(*_prepared(**locals())), qrels)


class _Settings(NamedTuple):
    """How a hierarchy is built."""

    cutoff: float
    quantile: float | None
    weighting: str
    intent_weighting: str
    level: str
    raw: bool
    rel: float
    aspects: str

    def check(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(
                    f'{name}={value!r}: expected {" or ".join(map(repr, choices))}'
                    + did_you_mean(str(value), choices, list_known=False)
                )
        for name in ('cutoff', 'quantile'):
            value = getattr(self, name)
            if name == 'quantile' and value is None:
                continue
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not 0 <= value <= 1
            ):
                raise ValueError(f'{name}={value!r}: expected a number in [0, 1]')
        if self.aspects == 'listed' and self.level == 'topic':
            raise ValueError("aspects='listed' has no effect with level='topic'")
        if self.intent_weighting == 'given' and (self.raw or self.level == 'topic'):
            raise ValueError(
                f"intent_weighting='given' has no effect with {'raw=True' if self.raw else 'level=topic'}"
            )


def hierarchies_in_orders(
    qrels: Any, docs: Any, orders: int, rng: Any, **arguments: Any
) -> Iterator[pd.DataFrame]:
    """Yield the result of :func:`build_hierarchy`, and then its results for ``orders`` random orders of the documents'
    keys.

    Further arguments, errors and warnings are those of :func:`build_hierarchy`.
    """
    bound = inspect.signature(build_hierarchy).bind(qrels, docs, **arguments)
    bound.apply_defaults()
    prepared = _prepared(**bound.arguments)
    generator = np.random.default_rng(rng)
    yield _build(*prepared)
    for _ in range(orders):
        yield _build(*prepared, generator)


def _prepared(
    qrels: Any,
    docs: Any,
    similarity: Any,
    idf: Any,
    missing: str,
    scale: str,
    stopwords: Any,
    tokenizer: Any,
    **options: Any,
) -> tuple[pd.DataFrame, Similarity, _Settings]:
    """Checked arguments of :func:`build_hierarchy`: judgments, how alike their documents are, and how to build."""
    settings = _Settings(**options)
    settings.check()
    table = Judgments.of(qrels).frame()
    _check_flat(table, settings.intent_weighting)
    return (
        table,
        similarity_of(
            similarity, docs, table, settings.rel, scale, idf, stopwords, tokenizer, missing
        ),
        settings,
    )


def _build(
    table: pd.DataFrame,
    alike: Similarity,
    settings: _Settings,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    groups = _groups(table, alike, settings, rng)
    return _cut(table, alike.name, settings, groups, warns=rng is None)


def _official(table: pd.DataFrame, level: str) -> pd.DataFrame:
    rows = base_layer(table) if level == 'intent' else topic_rows(table)
    return rows.reset_index(drop=True)


def _groups(
    table: pd.DataFrame,
    alike: Similarity,
    settings: _Settings,
    rng: np.random.Generator | None = None,
) -> list[Group]:
    official = _official(table, settings.level)
    return groups_of(official, alike, settings.rel, settings.aspects, rng)


class Dendrograms:
    """The clusters of every intent's relevant documents, computed once, of which hierarchies are cut.

    Args:
        qrels, docs, arguments: as for :func:`build_hierarchy`.

    Attributes:
        groups: the relevant documents of each intent with their similarities.

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
        self._table, self._alike, self._settings = _prepared(**bound.arguments)
        self.groups = _groups(self._table, self._alike, self._settings)
        self._merges = [merges_of(group.similarity, group.keys) for group in self.groups]

    def cut(self, superintents: pd.DataFrame | None = None, **settings: Any) -> pd.DataFrame:
        """The hierarchy for other settings, without warnings about undivided intents.

        Args:
            superintents: the same judgments with superintents, which stay above the hierarchy.
            settings: ``cutoff``, ``weighting``, ``intent_weighting`` or ``raw``.
        """
        changed = self._settings._replace(**settings)
        changed.check()
        table = self._table if superintents is None else superintents
        return _cut(table, self._alike.name, changed, self.groups, self._merges, warns=False)

    def exchanged(self, rng: np.random.Generator) -> Dendrograms:
        """Clusters by similarities that documents exchanged at random with others relevant to the same intents."""
        rows = _official(self._table, self._settings.level)
        rows = rows[(rows['relevance'] >= self._settings.rel) & (rows['relevance'] > 0)]
        intents: dict[str, set[tuple[str, str]]] = {}
        for document, *intent in rows[['doc_id', 'query_id', 'subtopic_id']].itertuples(
            index=False
        ):
            intents.setdefault(document, set()).add(tuple(intent))
        alike: dict[frozenset[tuple[str, str]], list[str]] = {}
        for document, several in intents.items():
            alike.setdefault(frozenset(several), []).append(document)
        partner = {
            document: members[place]
            for members in alike.values()
            for document, place in zip(members, rng.permutation(len(members)))
        }

        def source_of(query: str) -> Source:
            source = self._alike.source_of(query)
            known = {d: source.places[o] for d, o in partner.items() if o in source.places}
            return source._replace(places=known)

        other = copy.copy(self)
        other._alike = Similarity(self._alike.name, functools.cache(source_of))
        other.groups = _groups(other._table, other._alike, other._settings)
        other._merges = [merges_of(group.similarity, group.keys) for group in other.groups]
        return other


def _cut(
    table: pd.DataFrame,
    name: str,
    settings: _Settings,
    groups: list[Group],
    merges: list[Merges] | None = None,
    warns: bool = True,
) -> pd.DataFrame:
    """The judgments with the hierarchy of these groups, whose similarity has a name."""
    by_intent, raw = settings.level == 'intent', settings.raw
    official = _official(table, settings.level)
    cutoff = settings.cutoff if settings.quantile is None else _quantile(groups, settings.quantile)
    trees, arbitrary = build_trees(groups, cutoff, not raw, merges)
    if warns:
        _warn(trees, arbitrary, cutoff)
    weigh(trees, official, 'uniform' if raw else settings.intent_weighting)
    new = rows_below(trees, official, settings.weighting, settings.rel, settings.level)
    if not by_intent:
        built = [_unmoved(official, new)]
    else:
        tops = pd.DataFrame(
            [(tree.query, tree.intent, tree.weight, tree.root.similarity) for tree in trees],
            columns=['query_id', 'subtopic_id', 'weight', 'similarity'],
        )
        own = official.drop(columns=['weight', 'similarity'], errors='ignore')
        own = own.merge(tops, on=['query_id', 'subtopic_id'], how='left').fillna({'weight': 0.0})
        own = own.assign(layer=0, parent=official['parent'] if 'parent' in official.columns else '')
        above = table[table['layer'] < 0] if 'layer' in table.columns else table[:0]
        built = [sum_weights(above, own), own] if len(above) else [own]
    built.append(new.assign(clustering=f'{name}, cutoff {cutoff:g}'))
    return ordered(pd.concat(built, ignore_index=True).fillna({'clustering': ''}))


def _check_flat(table: pd.DataFrame, intent_weighting: str) -> None:
    if 'layer' in table.columns and (table['layer'] > 0).any():
        raise ValueError(
            f'the judgments have subintents already (layers '
            f'{", ".join(map(str, sorted(table["layer"].unique())))}): build from layer 0'
        )
    if intent_weighting == 'given' and 'weight' not in table.columns:
        raise ValueError("intent_weighting='given', but the judgments have no column 'weight'")


def _quantile(groups: list[Group], quantile: float) -> float:
    pairs = [group.similarity[np.triu_indices(len(group.rows), 1)] for group in groups]
    every = np.concatenate(pairs) if pairs else np.zeros(0)
    return float(np.quantile(every, quantile)) if len(every) else 0.0


def _warn(trees: list[Tree], arbitrary: set[str], cutoff: float) -> None:
    several = np.array([tree.root.similarity for tree in trees if len(tree.root.documents) > 1])
    if cutoff > 0 and trees and not any(tree.root.children for tree in trees):
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
    if arbitrary:
        warn(
            f'{len(arbitrary)} of {len({tree.query for tree in trees})} queries have documents that the similarity '
            f'does not tell apart: equal similarities were decided by doc_id (query {min(arbitrary)!r})'
        )


def topic_rows(table: pd.DataFrame) -> pd.DataFrame:
    """One row per query and document, of its highest grade, for the query as a whole."""
    official = of_documents(base_layer(table))
    highest = official.sort_values('relevance', ascending=False, kind='stable')
    highest = highest.drop_duplicates(['query_id', 'doc_id']).sort_index()
    highest = highest.drop(columns=list(HIERARCHY_COLUMNS), errors='ignore').assign(subtopic_id='')
    return highest.assign(subtopic_type='inf') if 'subtopic_type' in highest.columns else highest


def _unmoved(official: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Keep documents that are in no cluster as judged documents, which are not relevant to the first cluster."""
    first = new.loc[
        (new['layer'] == 1) & (new['subtopic_id'] == '1'), ['query_id', 'weight', 'similarity']
    ]
    clustered = set(zip(new['query_id'], new['doc_id']))
    rest = official[
        [pair not in clustered for pair in zip(official['query_id'], official['doc_id'])]
    ]
    rest = rest.merge(first.drop_duplicates('query_id'), on='query_id', how='left').fillna(
        {'weight': 0.0}
    )
    return rest.assign(
        relevance=rest['relevance'].clip(upper=0), layer=1, subtopic_id='1', parent=''
    )
