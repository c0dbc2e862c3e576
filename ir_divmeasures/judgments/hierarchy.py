"""Intent hierarchies in the judgments: layers of superintents above the official intents, of subintents below them.

A hierarchy is rows: column ``layer`` (0 the official intents, −1 superintents, 1, 2, … subintents), ``subtopic_id`` the
node, ``parent`` the node above it ('' at the top), ``weight`` the node's share, ``similarity`` how alike its two most
unlike documents are. Every layer holds every relevant document.
"""
from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import did_you_mean
from ..io import text as textfiles
from ..kernels import fingerprint
from .fingerprints import relevant_documents, report_absent, simhash, terms, texts
from .table import base_layer, read_qrels

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Similarity = Callable[[str, list[str]], Array]

_CHOICES = {'weighting': ('WI', 'WD'), 'intent_weighting': ('height', 'uniform', 'given'), 'level': ('intent', 'topic')}
_ADDED = ('layer', 'parent', 'weight', 'similarity')


class Node(NamedTuple):
    """A cluster: places of its documents, similarity of its merge, the clusters it is made of (none: a leaf)."""
    documents: NDArray[np.intp]
    similarity: float
    children: tuple[Node, ...] = ()
    height: int = 0
    leaves: int = 1


def build_hierarchy(qrels: Any, docs: Any = None, similarity: Any = 'simhash', cutoff: float = 0.3,
                    weighting: str = 'WI', intent_weighting: str = 'height', level: str = 'intent', raw: bool = False,
                    rel: float = 1, idf: Any = None, missing: str = 'error') -> pd.DataFrame:
    """Judgments with subintents: the relevant documents of each intent, clustered (Dou et al., IRJ 2019, §3).

    Complete linkage; then (1) a cluster with similarity ≥ ``cutoff`` becomes one leaf, (2) a cluster whose similarity
    lies in the same bin of width 0.1 as its parent's is dissolved into it, (3) leaves are repeated until all leaves of
    a query are equally deep, (4) a node's weight is divided among its children.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes. Superintents stay.
        docs: where the texts are (see :func:`ir_divmeasures.judgments.fingerprints.texts`). Not needed with a column
            ``fingerprint`` or a similarity matrix.
        similarity: ``'simhash'`` (1 − Hamming/64), ``'tfidf'`` (cosine, scikit-learn), a function of two lists of texts
            that gives a matrix, or a DataFrame with doc ids as index and columns (or ``{query_id: DataFrame}``).
            Symmetric, at most 1; below 0 counts as 0.
        cutoff: δ in [0, 1]; 0 gives the flat intents.
        weighting: ``'WI'``: children share by number of leaves; ``'WD'``: by the sum of their documents' global gains.
        intent_weighting: ``'height'``: an intent's share is its height over the sum of heights; ``'uniform'``;
            ``'given'``: the judgments' weights as they stand.
        level: ``'intent'``, or ``'topic'``: the topic-level relevant documents are clustered, the query is the root,
            and there is no layer 0; other judged documents stand on layer 1 with grade 0.
        raw: without step 2 and with uniform intent weights.
        rel: the lowest grade that counts as relevant; documents below it are in no subintent.
        idf: for ``'tfidf'``, a collection's ``{term: idf}`` or a DataFrame ``term, idf``; terms that it lacks have its
            largest value. By default the relevant documents are the collection.
        missing: ``'error'``, or ``'skip'``: a document without text is unlike all others, and one warning lists them.

    Returns:
        DataFrame with the judgments' columns and ``layer, parent, weight, similarity``. Nodes are named by their path:
        ``'3/2'`` is the second cluster of intent ``'3'``, larger ones first.

    Raises:
        ValueError: an unknown choice, subintents in the judgments, no text or fingerprint for a relevant document, a
            similarity that is not symmetric, not finite or above 1.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'1': 1}, 'd4': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'game defender', 'd3': 'play online', 'd4': 'land rover'}
        >>> built = build_hierarchy(qrels, texts, similarity='tfidf')
        >>> built[['layer', 'subtopic_id', 'doc_id', 'weight']].to_string(index=False).splitlines()[5:]
        ['     1         1/1     d1    0.25', '     1         1/1     d2    0.25', \
'     1         1/2     d3    0.25', '     1         2/1     d4    0.50']
    """
    import pandas as pd

    _check_choices(cutoff, weighting, intent_weighting, level, raw)
    table = read_qrels(qrels)
    if 'layer' in table.columns and (table['layer'] > 0).any():
        raise ValueError(f'the judgments have subintents already (layers '
                         f'{", ".join(map(str, sorted(table["layer"].unique())))}): build from layer 0')
    if intent_weighting == 'given' and 'weight' not in table.columns:
        raise ValueError("intent_weighting='given', but the judgments have no column 'weight'")
    attrs = table.attrs
    alike = _similarity(similarity, docs, table, rel, idf, missing)
    official = (base_layer(table) if level == 'intent' else _topic_rows(table)).reset_index(drop=True)
    trees = _trees(official, alike, cutoff, not raw, rel)
    _weigh(trees, official, 'uniform' if raw else intent_weighting)
    new = _rows_below(trees, official, weighting, rel, level)
    if level == 'topic':
        built = [_unmoved(official, new)]
    else:
        tops = pd.DataFrame([(tree.query, tree.intent, tree.weight, tree.root.similarity) for tree in trees],
                            columns=['query_id', 'subtopic_id', 'weight', 'similarity'])
        own = official.drop(columns=[c for c in ('weight', 'similarity') if c in official.columns])
        own = own.merge(tops, on=['query_id', 'subtopic_id'], how='left').fillna({'weight': 0.0})
        own = own.assign(layer=0, parent=official['parent'] if 'parent' in official.columns else '')
        above = table[table['layer'] < 0] if 'layer' in table.columns else table[:0]
        built = [_summed(above, own), own] if len(above) else [own]
    built.append(new)
    result = pd.concat(built, ignore_index=True)
    result = result[[c for c in result.columns if c not in _ADDED] + list(_ADDED)]
    result.attrs.update(attrs)
    return result


def _check_choices(cutoff: Any, weighting: str, intent_weighting: str, level: str, raw: bool) -> None:
    for name, value in (('weighting', weighting), ('intent_weighting', intent_weighting), ('level', level)):
        if value not in _CHOICES[name]:
            raise ValueError(f'{name}={value!r}: expected {" or ".join(map(repr, _CHOICES[name]))}'
                             + did_you_mean(str(value), _CHOICES[name]).split('; known')[0])
    if isinstance(cutoff, bool) or not isinstance(cutoff, (int, float)) or not 0 <= cutoff <= 1:
        raise ValueError(f'cutoff={cutoff!r}: expected a number in [0, 1]')
    if intent_weighting == 'given' and (raw or level == 'topic'):
        raise ValueError(f"intent_weighting='given' means nothing with {'raw=True' if raw else 'level=topic'}")


# ------------------------------------------------------------------------------------------------ clustering

class _Tree:
    """An intent's relevant documents: their rows by doc_id, their clusters, the intent's share of the query."""

    def __init__(self, query: str, intent: str, rows: NDArray[np.intp], root: Node):
        self.query, self.intent, self.rows, self.root = query, intent, rows, root
        self.weight = 0.0


def _trees(official: pd.DataFrame, alike: Similarity, cutoff: float, compress: bool, rel: float) -> list[_Tree]:
    from tqdm.auto import tqdm

    relevant = official[(official['relevance'] >= rel) & (official['relevance'] > 0)].sort_values('doc_id')
    groups = relevant.groupby(['query_id', 'subtopic_id'], sort=False).groups
    # in the judgments' own order
    ordered = sorted(((min(rows), query, intent, rows) for (query, intent), rows in groups.items()),
                     key=lambda item: item[0])
    documents = official['doc_id'].to_numpy(dtype=object)
    trees = []
    for _, query, intent, index in tqdm(ordered, desc='intents', disable=None):
        rows = np.asarray(index, dtype=np.intp)
        trees.append(_Tree(query, intent, rows, cluster(alike(query, documents[rows].tolist()), cutoff, compress)))
    return trees


def cluster(similarity: Array, cutoff: float, compress: bool = True) -> Node:
    """Complete-linkage clusters of n documents, pruned at ``cutoff`` and compressed: the root.

    ``similarity`` (n, n), symmetric, in [0, 1].
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    n = len(similarity)
    nodes = [Node(np.array([document]), 1.0) for document in range(n)]
    if n == 1:
        return nodes[0]
    merges = linkage(squareform(1 - similarity, checks=False), method='complete')
    for a, b, closeness in zip(merges[:, 0].astype(int), merges[:, 1].astype(int), np.round(1 - merges[:, 2], 12)):
        documents = np.sort(np.concatenate([nodes[a].documents, nodes[b].documents]))
        children: list[Node] = []
        if closeness < cutoff:  # else pruned: a leaf
            for child in (nodes[a], nodes[b]):
                dissolved = compress and child.children and _bin(child.similarity) == _bin(closeness)
                children.extend(child.children if dissolved else (child,))
            children.sort(key=lambda child: (-len(child.documents), child.documents[0]))
        nodes.append(Node(documents, float(closeness), tuple(children),
                          1 + max(child.height for child in children) if children else 0,
                          sum(child.leaves for child in children) or 1))
    return nodes[-1]


def _bin(similarity: float) -> int:
    """[0, 0.1) → 0, …, [0.9, 1] → 9."""
    return min(int(round(similarity * 10, 9)), 9)


# ------------------------------------------------------------------------------------------------ weights and rows

def _weigh(trees: list[_Tree], official: pd.DataFrame, intent_weighting: str) -> None:
    """Each intent's share of its query."""
    of_query: dict[str, list[_Tree]] = {}
    for tree in trees:
        of_query.setdefault(tree.query, []).append(tree)
    for siblings in of_query.values():
        total = sum(max(tree.root.height, 1) for tree in siblings)
        for tree in siblings:
            if intent_weighting == 'given':
                tree.weight = float(official['weight'].iloc[tree.rows[0]])
            elif intent_weighting == 'uniform':
                tree.weight = 1 / len(siblings)
            else:
                tree.weight = max(tree.root.height, 1) / total


def _rows_below(trees: list[_Tree], official: pd.DataFrame, weighting: str, rel: float, level: str) -> pd.DataFrame:
    """The rows of layers 1, 2, …: every leaf is repeated down to the deepest layer of its query."""
    gains = _global_gains(official, rel) if weighting == 'WD' else None
    depth: dict[str, int] = {}
    for tree in trees:
        depth[tree.query] = max(depth.get(tree.query, int(level == 'topic')), tree.root.height)
    nodes = [(tree, *node) for tree in trees
             for node in _descend(tree, depth[tree.query], None if gains is None else gains[tree.rows])]
    sizes = [len(node.documents) for *_, node in nodes]
    rows = np.concatenate([tree.rows[node.documents] for tree, *_, node in nodes] or [np.zeros(0, dtype=np.intp)])
    below = official.iloc[rows].drop(columns=[c for c in _ADDED if c in official.columns]).reset_index(drop=True)

    def column(values: list[Any], dtype: Any) -> NDArray[Any]:
        return np.repeat(np.array(values, dtype=dtype), sizes)

    return below.assign(subtopic_id=column([name for _, _, name, *_ in nodes], object),
                        layer=column([layer for _, layer, *_ in nodes], np.int64),
                        parent=column([parent for _, _, _, parent, _, _ in nodes], object),
                        weight=column([weight for *_, weight, _ in nodes], float),
                        similarity=column([node.similarity for *_, node in nodes], float))


def _descend(tree: _Tree, depth: int, gains: Array | None) -> Iterator[tuple[int, str, str, float, Node]]:
    """Layer, name, parent's name, weight and cluster of the nodes of layers 1 to ``depth``."""
    front = [(tree.intent, tree.weight, tree.root)]
    for layer in range(1, depth + 1):
        above, front = front, []
        for parent, weight, node in above:
            children = node.children or (node,)
            parts = np.array([child.leaves if gains is None else gains[child.documents].sum() for child in children],
                             dtype=float)
            if parts.sum() == 0:  # documents of intents of weight 0 only
                parts = np.ones(len(children))
            for number, (child, part) in enumerate(zip(children, parts / parts.sum()), 1):
                name = f'{parent}/{number}' if parent else str(number)
                yield layer, name, parent, weight * part, child
                front.append((name, weight * part, child))


def _global_gains(official: pd.DataFrame, rel: float) -> Array:
    """GG(d) = Σ_t w_t g(d,t) of each row's document, with the weights given, else 1/|T|."""
    import pandas as pd

    grade = official['relevance'].clip(lower=0).to_numpy(dtype=float)
    counted = official.assign(relevant=(grade >= rel) & (grade > 0))
    aspect = counted.groupby(['query_id', 'subtopic_id'])['relevant'].transform('any')  # in T
    if 'weight' in official.columns:
        weight = official['weight'].fillna(0.0)
    else:
        weight = 1 / official['query_id'].map(official[aspect].groupby('query_id')['subtopic_id'].nunique())
    gain = pd.Series(np.where(aspect, weight * grade, 0.0))
    return gain.groupby([official['query_id'], official['doc_id']]).transform('sum').to_numpy()


def _topic_rows(table: pd.DataFrame) -> pd.DataFrame:
    """One row per query and document, of its highest grade, for the query as a whole."""
    official = base_layer(table)
    highest = official.sort_values('relevance', ascending=False, kind='stable')
    highest = highest.drop_duplicates(['query_id', 'doc_id']).sort_index()
    highest = highest.drop(columns=[c for c in _ADDED if c in highest.columns]).assign(subtopic_id='')
    return highest.assign(subtopic_type='inf') if 'subtopic_type' in highest.columns else highest


def _unmoved(official: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Documents that are in no cluster stay judged: as not relevant to the first one."""
    first = new.loc[(new['layer'] == 1) & (new['subtopic_id'] == '1'), ['query_id', 'weight', 'similarity']]
    clustered = set(zip(new['query_id'], new['doc_id']))
    rest = official[[pair not in clustered for pair in zip(official['query_id'], official['doc_id'])]]
    rest = rest.merge(first.drop_duplicates('query_id'), on='query_id', how='left').fillna({'weight': 0.0})
    return rest.assign(relevance=rest['relevance'].clip(upper=0), layer=1, subtopic_id='1', parent='')


# ------------------------------------------------------------------------------------------------ similarities

def _similarity(kind: Any, docs: Any, table: pd.DataFrame, rel: float, idf: Any, missing: str) -> Similarity:
    """A function of a query and documents that gives their similarities, in [0, 1]."""
    import pandas as pd

    if isinstance(kind, (pd.DataFrame, dict)):
        return _by_matrix(kind)
    if not (callable(kind) or kind in ('simhash', 'tfidf')):
        raise ValueError(f"similarity={kind!r}: expected 'simhash', 'tfidf', a function of two lists of texts, or a "
                         f'DataFrame with doc ids as index and columns')
    wanted = relevant_documents(table, rel)
    if kind == 'simhash':
        return _by_fingerprint(table, docs, wanted, missing)
    if docs is None:
        raise ValueError(f'similarity={kind!r} needs texts: give docs')
    found = texts(docs, wanted, missing)
    return _by_cosine(found, idf) if kind == 'tfidf' else _by_function(kind, found)


def _checked(query: str, matrix: Array, n: int) -> Array:
    if matrix.shape != (n, n):
        raise ValueError(f'similarity of query {query!r}: expected a matrix {n} × {n}, found '
                         f'{" × ".join(map(str, matrix.shape))}')
    unequal = np.abs(matrix - matrix.T).max()
    if not np.isfinite(matrix).all() or unequal > 1e-6 or matrix.max() > 1 + 1e-6:
        raise ValueError(f'similarity of query {query!r}: expected finite, symmetric numbers of at most 1, found '
                         f'{matrix.min():g} to {matrix.max():g}, unequal by up to {unequal:g}')
    return np.clip((matrix + matrix.T) / 2, 0.0, 1.0)


def _among(known: dict[str, int], compare: Callable[[NDArray[np.intp]], Array]) -> Similarity:
    """Similarities of documents that have a place; one without is unlike all others."""
    def similarity(query: str, doc_ids: list[str]) -> Array:
        places = np.array([known.get(doc_id, -1) for doc_id in doc_ids])
        here = np.flatnonzero(places >= 0)
        matrix = np.zeros((len(doc_ids), len(doc_ids)))
        if len(here):
            matrix[np.ix_(here, here)] = _checked(query, compare(places[here]), len(here))
        return matrix
    return similarity


def _by_fingerprint(table: pd.DataFrame, docs: Any, wanted: list[str], missing: str) -> Similarity:
    if docs is not None:
        found = texts(docs, wanted, missing)
        prints, known = simhash(found.values()), {doc_id: place for place, doc_id in enumerate(found)}
    elif 'fingerprint' in table.columns:
        printed = table.loc[table['fingerprint'] != ''].drop_duplicates(['query_id', 'doc_id'])
        known = {doc_id: place for place, doc_id in enumerate(printed['doc_id'])}
        prints = fingerprint.from_hex(printed['fingerprint'])
        absent = [doc_id for doc_id in wanted if doc_id not in known]
        report_absent(absent, f'{len(absent)} of {len(wanted)} relevant documents have no fingerprint', missing)
    else:
        raise ValueError("similarity='simhash' needs docs, or judgments with a column 'fingerprint', which "
                         'with_fingerprints adds')
    return _among(known, lambda places: fingerprint.similarity_matrix(prints[places]))


def _by_cosine(found: dict[str, str], idf: Any) -> Similarity:
    import pandas as pd

    try:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
        from sklearn.preprocessing import normalize
    except ImportError:
        raise ImportError("similarity='tfidf' needs scikit-learn: pip install scikit-learn") from None
    vectorizer = CountVectorizer(analyzer=terms)
    counts = vectorizer.fit_transform(found.values())
    if idf is None:
        rows = TfidfTransformer().fit_transform(counts)
    else:
        if isinstance(idf, pd.DataFrame):
            lacking = [c for c in ('term', 'idf') if c not in idf.columns]
            if lacking:
                raise ValueError(f'idf: no column {lacking[0]!r} (found {", ".join(map(str, idf.columns))})')
            idf = dict(zip(idf['term'], idf['idf']))
        known = {str(term): float(value) for term, value in dict(idf).items()}
        highest = max(known.values())
        rows = normalize(counts.multiply([known.get(term, highest) for term in vectorizer.get_feature_names_out()]))
    rows = rows.tocsr()
    return _among({doc_id: place for place, doc_id in enumerate(found)},
                  lambda places: (rows[places] @ rows[places].T).toarray())


def _by_function(function: Callable[[list[str], list[str]], Any], found: dict[str, str]) -> Similarity:
    values = list(found.values())

    def compare(places: NDArray[np.intp]) -> Array:
        chosen = [values[place] for place in places]
        result = function(chosen, chosen)
        try:
            return np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            n = len(chosen)
            raise ValueError(f'similarity: the function returned {type(result).__name__}, expected a matrix of '
                             f'numbers, {n} × {n}') from None

    return _among({doc_id: place for place, doc_id in enumerate(found)}, compare)


def _by_matrix(given: Any) -> Similarity:
    def similarity(query: str, doc_ids: list[str]) -> Array:
        matrix = given.get(query) if isinstance(given, dict) else given
        if matrix is None:
            raise ValueError(f'similarity: no matrix for query {query!r}')
        absent = [d for d in doc_ids if d not in matrix.index or d not in matrix.columns]
        if absent:
            raise ValueError(f'similarity of query {query!r}: {len(absent)} relevant documents are not in the matrix: '
                             f'{", ".join(map(repr, absent[:20]))}')
        return _checked(query, matrix.loc[doc_ids, doc_ids].to_numpy(dtype=float), len(doc_ids))
    return similarity


# ------------------------------------------------------------------------------------------------ superintents

def with_superintents(qrels: Any, parents: Any, rel: float = 1) -> pd.DataFrame:
    """Judgments with superintents on layer −1, above the official intents (Wang et al., SIGIR 2016).

    A superintent's weight is the sum of its intents' weights, a document's grade for it the highest of its intents'.
    An intent without a superintent is repeated under its own name. Subintents, built before or after, stay.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        parents: a DataFrame ``query_id, subtopic_id, superintent``, a dict ``{query: {subtopic: superintent}}``, or a
            path to a file of such lines, parted by tabs.
        rel: the lowest grade that counts as relevant; without weights, the intents with a relevant document share
            alike.

    Raises:
        ValueError: layer −1 is there already, several superintents of an intent, a superintent named like an intent
            that has none, or a table that names no intent of the judgments.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'3': 1}}}
        >>> table = with_superintents(qrels, {'q': {'1': 'a', '2': 'a'}})
        >>> table.loc[table['layer'] == -1, ['subtopic_id', 'doc_id', 'weight']].values.tolist()
        [['a', 'd1', 0.6666666666666666], ['a', 'd2', 0.6666666666666666], ['3', 'd3', 0.3333333333333333]]
    """
    import pandas as pd

    table = read_qrels(qrels)
    attrs = table.attrs
    if 'layer' not in table.columns:
        table = table.assign(layer=0, parent='', similarity=np.nan)
    if (table['layer'] < 0).any() or not (table['layer'] == 0).any():
        raise ValueError(f'superintents are layer -1, above layer 0, but the judgments have layers '
                         f'{", ".join(map(str, sorted(table["layer"].unique())))}')
    for column, default in (('parent', ''), ('similarity', np.nan)):
        if column not in table.columns:
            table[column] = default
    keys = ['query_id', 'subtopic_id']
    own = table[table['layer'] == 0].drop(columns='parent')
    if 'weight' not in own.columns:
        relevant = own[(own['relevance'] >= rel) & (own['relevance'] > 0)][keys].drop_duplicates()
        n = relevant.groupby('query_id')['subtopic_id'].transform('size')
        own = own.merge(relevant.assign(weight=1 / n), on=keys, how='left').fillna({'weight': 0.0})
    known = _parent_table(parents)
    own = own.merge(known.rename(columns={'superintent': 'parent'}), on=keys, how='left')
    if len(own) and own['parent'].isna().all():
        raise ValueError(f'no intent of the judgments is among the {len(known)} rows of superintents, as '
                         f'{known.iloc[0].tolist() if len(known) else "none"}')
    alone = own['parent'].isna()
    clash = own[alone].merge(known, left_on=keys, right_on=['query_id', 'superintent'])
    if len(clash):
        raise ValueError(f'query {clash.query_id.iloc[0]!r}: {clash.superintent.iloc[0]!r} is a superintent and an '
                         f'intent without one')
    own['parent'] = own['parent'].where(~alone, own['subtopic_id'])
    above = own.sort_values('relevance', ascending=False, kind='stable')
    above = above.drop_duplicates(['query_id', 'parent', 'doc_id']).sort_index()
    above = above.assign(subtopic_id=above['parent'], parent='', layer=-1, similarity=np.nan)
    if 'subtopic_type' in own.columns:  # navigational where all its intents are
        types = own.groupby(['query_id', 'parent'])['subtopic_type'].max()  # 'inf' < 'nav'
        some = own.groupby(['query_id', 'parent'])['subtopic_type'].min()
        types = types.where(some == 'nav', 'inf').rename('subtopic_type').reset_index()
        above = above.drop(columns='subtopic_type').merge(types.rename(columns={'parent': 'subtopic_id'}), on=keys)
    result = pd.concat([_summed(above, own), own, table[table['layer'] > 0]], ignore_index=True)
    result = result[[c for c in result.columns if c not in _ADDED] + list(_ADDED)]
    result.attrs.update(attrs)
    return result


def _summed(above: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The rows of superintents, with the sums of their intents' weights."""
    intents = own.drop_duplicates(['query_id', 'subtopic_id'])
    total = intents.groupby(['query_id', 'parent'], as_index=False)['weight'].sum()
    above = above.drop(columns=[c for c in ('weight',) if c in above.columns])
    return above.merge(total.rename(columns={'parent': 'subtopic_id'}), on=['query_id', 'subtopic_id'], how='left')


def _parent_table(source: Any) -> pd.DataFrame:
    import pandas as pd

    names = ['query_id', 'subtopic_id', 'superintent']
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        data = textfiles.read_bytes(path)
        if data.startswith(b'query_id\t'):
            data = b'#' + data
        table = textfiles.frame(textfiles.split_columns(data, path, names, names, tabs_only=True))
    elif isinstance(source, dict):
        table = pd.DataFrame([(q, s, p) for q, row in source.items() for s, p in row.items()], columns=names)
    elif isinstance(source, pd.DataFrame):
        for name in names:
            if name not in source.columns:
                raise ValueError(f'superintents: no column {name!r} (found {", ".join(map(str, source.columns))})')
        table = source[names]
    else:
        raise TypeError(f'superintents: expected a DataFrame, a path or a dict, found {type(source).__name__}')
    table = pd.DataFrame({name: table[name].map(str) for name in names}).drop_duplicates()
    twice = table[table.duplicated(names[:2])]
    if len(twice):
        raise ValueError(f'query {twice.query_id.iloc[0]!r}, subtopic {twice.subtopic_id.iloc[0]!r} has several '
                         f'superintents')
    return table


# ------------------------------------------------------------------------------------------------ looking at them

def describe_hierarchy(qrels: Any, docs: Any = None, n_terms: int = 5, missing: str = 'error') -> pd.DataFrame:
    """The nodes of the hierarchies in judgments, one row each.

    Args:
        qrels: judgments with layers.
        docs: where the texts are; with them, each node has its top terms.
        n_terms: how many.
        missing: ``'error'`` or ``'skip'``, for documents without a text.

    Returns:
        DataFrame ``query_id, layer, node, parent, documents`` (relevant ones), ``leaves``, ``weight, similarity,
        dummy`` (whether the node repeats its parent), and ``terms``: those of most documents of the node and of few
        others of the query, by df(node) · ln(N/df).

    Raises:
        ValueError: judgments without layers.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> built = build_hierarchy(qrels, texts, similarity='tfidf')
        >>> describe_hierarchy(built, texts)[['node', 'documents', 'weight', 'dummy', 'terms']]
          node  documents  weight  dummy         terms
        0    1          2    0.50  False  game windows
        1    2          1    0.50  False    land rover
        2  1/1          1    0.25  False          game
        3  1/2          1    0.25  False       windows
        4  2/1          1    0.50   True    land rover
    """
    table = read_qrels(qrels)
    if 'layer' not in table.columns:
        raise ValueError("the judgments have no column 'layer', which build_hierarchy or with_superintents adds")
    for column, default in (('parent', ''), ('weight', np.nan), ('similarity', np.nan)):
        if column not in table.columns:
            table[column] = default
    table = table[table['relevance'] > 0]
    keys = ['query_id', 'layer', 'subtopic_id']
    nodes = table.groupby(keys, sort=False).agg(
        parent=('parent', 'first'), documents=('doc_id', 'size'), weight=('weight', 'first'),
        similarity=('similarity', 'first')).reset_index().rename(columns={'subtopic_id': 'node'})
    nodes.insert(5, 'leaves', _leaves(nodes))
    siblings = nodes.groupby(['query_id', 'layer', 'parent'])['node'].transform('size')
    nodes['dummy'] = (siblings == 1) & (nodes['parent'] != '') & (nodes['layer'] > 0)
    if docs is not None:
        found = texts(docs, table['doc_id'].unique(), missing)
        nodes['terms'] = _top_terms(nodes, table, found, n_terms)
    return nodes


def _leaves(nodes: pd.DataFrame) -> list[int]:
    """Leaves below each node: the nodes of the query's deepest layer are 1 each."""
    below: Counter[tuple[str, int, str]] = Counter()
    deepest = nodes.groupby('query_id')['layer'].transform('max')
    rows = list(zip(nodes['query_id'], nodes['layer'], nodes['node'], nodes['parent'], nodes['layer'] == deepest))
    for query, layer, node, parent, lowest in sorted(rows, key=lambda row: -row[1]):
        below[query, layer, node] += int(lowest)
        below[query, layer - 1, parent] += below[query, layer, node]
    return [below[query, layer, node] for query, layer, node, _, _ in rows]


def _top_terms(nodes: pd.DataFrame, table: pd.DataFrame, found: dict[str, str], n: int) -> list[str]:
    words = {doc_id: set(terms(text)) for doc_id, text in found.items()}
    of_query = table.groupby('query_id')['doc_id'].unique()
    collection = {query: (len(docs), Counter(word for doc in docs for word in words.get(doc, ())))
                  for query, docs in of_query.items()}
    members = table.groupby(['query_id', 'layer', 'subtopic_id'])['doc_id'].unique()
    result = []
    for query, layer, node in zip(nodes['query_id'], nodes['layer'], nodes['node']):
        size, df = collection[query]
        inside = Counter(word for doc in members[query, layer, node] for word in words.get(doc, ()))
        score = {word: count * np.log(size / df[word]) for word, count in inside.items()}
        best = sorted((word for word in score if score[word] > 0 and len(word) > 1), key=lambda w: (-score[w], w))
        result.append(' '.join(best[:n]))
    return result


def hierarchy_tree(qrels: Any, query_id: str, docs: Any = None, n_terms: int = 5) -> str:
    """One query's hierarchy as a text tree: sizes, weights, similarities, and top terms when texts are given.

    Nodes that only repeat their parent are left out.

    Args:
        qrels: judgments with layers.
        query_id: the query.
        docs: where the texts are.
        n_terms: how many terms to show.

    Raises:
        ValueError: no such query, or judgments without layers.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> print(hierarchy_tree(build_hierarchy(qrels, texts, similarity='tfidf'), 'q', texts))
        q
        ├─ 1: 2 documents, weight 0.500, similarity 0.26 [game windows]
        │  ├─ 1/1: 1 document, weight 0.250 [game]
        │  └─ 1/2: 1 document, weight 0.250 [windows]
        └─ 2: 1 document, weight 0.500 [land rover]
    """
    nodes = _nodes_of(qrels, query_id, docs, n_terms)
    children: dict[tuple[int, str], list[Any]] = {}
    for node in nodes[~nodes['dummy']].itertuples(index=False):
        children.setdefault((node.layer, node.parent), []).append(node)
    lines = [str(query_id)]

    def show(siblings: list[Any], indent: str) -> None:
        for node in siblings:
            last = node is siblings[-1]
            similarity = f', similarity {node.similarity:.2f}' if node.documents > 1 and node.similarity == \
                node.similarity else ''
            found = f' [{node.terms}]' if getattr(node, 'terms', '') else ''
            lines.append(f'{indent}{"└─" if last else "├─"} {node.node}: {node.documents} '
                         f'document{"s" * (node.documents != 1)}, weight {node.weight:.3f}{similarity}{found}')
            show(children.get((node.layer + 1, node.node), []), indent + ('   ' if last else '│  '))

    show(children[nodes['layer'].min(), ''], '')
    return '\n'.join(lines)


def draw_hierarchy(qrels: Any, query_id: str, docs: Any = None, n_terms: int = 3, ax: Any = None) -> Any:
    """One query's hierarchy as an icicle: a column per layer, a box per node, as high as its weight.

    Boxes name the node, its number of documents and its weight, with texts also its top terms; the darker, the more
    alike its documents are. Nodes that only repeat their parent are dashed.

    Args:
        qrels: judgments with layers.
        query_id: the query.
        docs: where the texts are.
        n_terms: how many terms to show.
        ax: matplotlib axes to draw on; by default a new figure's.

    Returns:
        The matplotlib axes; ``ax.figure.savefig(path)`` writes the picture.

    Raises:
        ImportError: no matplotlib.
        ValueError: no such query, or judgments without layers.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}}}
        >>> texts = {'d1': 'defender game', 'd2': 'windows defender', 'd3': 'land rover defender'}
        >>> ax = draw_hierarchy(build_hierarchy(qrels, texts, similarity='tfidf'), 'q', texts)
        >>> len(ax.patches)  # two intents, three nodes below
        5
    """
    from ..plotting import axes

    nodes = _nodes_of(qrels, query_id, docs, n_terms)
    layers = sorted(nodes['layer'].unique())
    deepest = int((nodes['layer'] == layers[-1]).sum())
    ax = axes(ax, size=(3 * len(layers) + 1, min(max(3, 0.35 * deepest), 40)))
    from matplotlib.patches import Rectangle

    total = nodes.loc[nodes['layer'] == layers[0], 'weight'].sum() or 1.0
    free = {(layers[0] - 1, ''): 0.0}  # where a node's next child begins
    for node in nodes.sort_values('layer', kind='stable').fillna({'similarity': 0.0}).itertuples(index=False):
        left, top, height = layers.index(node.layer), free[node.layer - 1, node.parent], node.weight / total
        free[node.layer, node.node], free[node.layer - 1, node.parent] = top, top + height
        shade = 0.95 - 0.5 * node.similarity
        ax.add_patch(Rectangle((left, top), 1, height, facecolor=(shade, shade, 1.0), edgecolor='black', linewidth=0.6,
                               linestyle='--' if node.dummy else '-'))
        if height * deepest > 0.3:
            found = f'\n{node.terms}' if getattr(node, 'terms', '') and height * deepest > 0.9 else ''
            ax.text(left + 0.5, top + height / 2, f'{node.node} ({node.documents}, {node.weight:.2f}){found}',
                    ha='center', va='center', fontsize=7, clip_on=True)
    ax.set(xlim=(0, len(layers)), ylim=(1, 0), ylabel='weight', title=f'query {query_id}')
    ax.set_xticks([column + 0.5 for column in range(len(layers))], [f'layer {layer}' for layer in layers])
    return ax


def _nodes_of(qrels: Any, query_id: str, docs: Any, n_terms: int) -> pd.DataFrame:
    table = read_qrels(qrels)
    here = table[table['query_id'] == str(query_id)]
    if not len(here):
        raise ValueError(f'no query {query_id!r}' + did_you_mean(str(query_id), table['query_id'].unique()[:1000]))
    nodes = describe_hierarchy(here, docs, n_terms)
    if not len(nodes):
        raise ValueError(f'query {query_id!r} has no relevant document')
    return nodes
