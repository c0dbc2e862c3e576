"""Clusters of documents from their similarities, the weights of clusters, and the rows of judgments for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.columns import listing
from ..results.progress import with_progress
from .similarity import DIGITS, Array, Similarity, grades_of

if TYPE_CHECKING:
    import pandas as pd

HIERARCHY_COLUMNS = ('layer', 'parent', 'weight', 'similarity', 'clustering')


class Node(NamedTuple):
    """A cluster: places of its documents, similarity of its merge, the clusters it is made of (none: a leaf)."""

    documents: NDArray[np.intp]
    similarity: float
    children: tuple[Node, ...] = ()
    height: int = 0
    leaves: int = 1


class Tree:
    """An intent's relevant documents: their rows in the order of their keys, their clusters, the intent's share."""

    def __init__(self, query: str, intent: str, rows: NDArray[np.intp], root: Node):
        self.query, self.intent, self.rows, self.root = query, intent, rows, root
        self.weight = 0.0


class Group(NamedTuple):
    """An intent's relevant documents before they are clustered: rows and similarities in the order of their keys."""

    query: str
    intent: str
    rows: NDArray[np.intp]
    keys: NDArray[np.intp]
    similarity: Array


def groups_of(
    official: pd.DataFrame,
    alike: Similarity,
    rel: float,
    aspects: str = 'relevant',
    rng: np.random.Generator | None = None,
) -> list[Group]:
    """The relevant documents of every intent, in the judgments' own order.

    Args:
        official: the rows of the official intents.
        alike: similarities.
        rel: the lowest grade that counts as relevant.
        aspects: ``'listed'``: a listed intent without any has one of its rows, which is a leaf.
        rng: draws a random order of keys in place of their own.
    """
    relevant = official[(official['relevance'] >= rel) & (official['relevance'] > 0)]
    keys: dict[tuple[str, str], int] = {}
    for query, rows in relevant.groupby('query_id', sort=False):
        ids, grades = grades_of(rows)
        ranks = alike.keys(query, ids, grades)
        if rng is not None:
            ranks = rng.permutation(len(ids))[ranks]
        keys.update(zip(((query, doc_id) for doc_id in ids), ranks.tolist()))
    documents = official['doc_id'].to_numpy(dtype=object)
    groups = []
    of_intent = relevant.groupby(['query_id', 'subtopic_id'], sort=False).groups
    for (query, intent), index in with_progress(of_intent.items(), 'intent', 'similarities'):
        rows = np.asarray(index, dtype=np.intp)
        ranks = np.array([keys[query, doc_id] for doc_id in documents[rows]], dtype=np.intp)
        order = np.lexsort((documents[rows].astype(str), ranks))
        rows, ranks = rows[order], ranks[order]
        groups.append(
            Group(query, intent, rows, ranks, alike.matrix(query, documents[rows].tolist()))
        )
    if aspects == 'listed':
        listed = official[listing(official)].groupby(['query_id', 'subtopic_id']).groups
        groups += [
            Group(
                query,
                intent,
                np.asarray(rows[:1], dtype=np.intp),
                np.zeros(1, dtype=np.intp),
                np.ones((1, 1)),
            )
            for (query, intent), rows in listed.items()
            if (query, intent) not in of_intent
        ]
    return sorted(groups, key=lambda group: int(group.rows.min()))


def build_trees(groups: list[Group], cutoff: float, compress: bool) -> tuple[list[Tree], set[str]]:
    """Cluster every intent's relevant documents. Also return the queries in which a doc_id decided a merge."""
    trees, arbitrary = [], set()
    for group in with_progress(groups, 'intent', 'intents'):
        root, by_id = _cluster(group.similarity, group.keys, cutoff, compress)
        trees.append(Tree(group.query, group.intent, group.rows, root))
        if by_id:
            arbitrary.add(group.query)
    return trees, arbitrary


def cluster(similarity: Array, cutoff: float, compress: bool = True) -> Node:
    """Complete-linkage clusters of n documents in the order of their keys, pruned at ``cutoff``, compressed: the root.

    ``similarity`` (n, n), symmetric, in [0, 1], rounded.
    """
    return _cluster(similarity, np.arange(len(similarity)), cutoff, compress)[0]


def _cluster(
    similarity: Array, keys: NDArray[np.intp], cutoff: float, compress: bool
) -> tuple[Node, bool]:
    """The root, and whether a merge was decided by nothing but the order in which documents of one key stand."""
    starts = _leaves(similarity, keys)
    nodes = [Node(documents, 1.0) for documents in starts]
    if len(nodes) == 1:
        return nodes[0], False
    untied = _merges_without_ties(similarity, starts)
    merging = _Merging(similarity, keys, starts) if untied is None else None
    for slots, closeness in untied or merging or ():
        merged = [nodes[slot] for slot in slots]
        children: list[Node] = []
        if closeness < cutoff:  # else pruned: a leaf
            for child in merged:
                dissolves = (
                    compress and child.children and _bin(child.similarity) == _bin(closeness)
                )
                children.extend(child.children if dissolves else (child,))
            children.sort(key=lambda child: (-len(child.documents), child.documents[0]))
        nodes.append(
            Node(
                np.sort(np.concatenate([each.documents for each in merged])),
                closeness,
                tuple(children),
                1 + max(child.height for child in children) if children else 0,
                sum(child.leaves for child in children) or 1,
            )
        )
    return nodes[-1], merging is not None and merging.arbitrary


def leaves_of(node: Node) -> list[Node]:
    """The leaves below a node, or the node itself."""
    return [leaf for child in node.children for leaf in leaves_of(child)] or [node]


def _leaves(similarity: Array, keys: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Documents, those of one key and similarity 1 together."""
    leaves: list[NDArray[np.intp]] = []
    for same in np.split(np.arange(len(keys)), np.flatnonzero(np.diff(keys)) + 1):
        if len(same) > 1:
            one = similarity[np.ix_(same, same)] == 1
            np.fill_diagonal(one, True)
            if np.array_equal(one @ one, one):  # alike is transitive
                leaves.extend(same[row] for row in np.unique(one, axis=0)[::-1])
                continue
        leaves.extend(same[:, None])
    return sorted(leaves, key=lambda leaf: int(leaf[0]))


def _merges_without_ties(
    similarity: Array,
    starts: list[NDArray[np.intp]],
) -> list[tuple[list[int], float]] | None:
    """The merges where all similarities above 0 differ; what is left at 0 merges at once. None where some are equal."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    n = len(starts)
    if n < len(similarity):
        return None
    pairs = np.sort(similarity[np.triu_indices(n, 1)])
    pairs = pairs[pairs > 0]
    if np.any(pairs[1:] == pairs[:-1]):
        return None
    merges, left = [], dict.fromkeys(range(n))
    linked = linkage(squareform(1 - similarity, checks=False), 'complete')
    for number, (a, b, distance, _) in enumerate(linked.tolist()):
        closeness = round(1 - distance, DIGITS)
        if closeness <= 0:
            break
        merges.append(([int(a), int(b)], closeness))
        del left[int(a)], left[int(b)]
        left[n + number] = None
    if len(left) > 1:
        merges.append((list(left), 0.0))
    return merges


class _Merging:
    """Complete linkage with ties: slots of the nodes that merge, and their similarity, merge by merge.

    At the largest similarity of two clusters, in the graph of the pairs that have it: a complete component merges at
    once; of any other, the pair of the largest mean similarity, then of the smallest keys.

    Attributes:
        arbitrary: whether two such pairs were equal in all of that.
    """

    def __init__(self, similarity: Array, keys: NDArray[np.intp], starts: list[NDArray[np.intp]]):
        member = np.zeros((len(starts), len(similarity)))
        for number, documents in enumerate(starts):
            member[number, documents] = 1
        first = np.array([documents[0] for documents in starts])
        self.size = member.sum(axis=1)
        self.linked = similarity[
            np.ix_(first, first)
        ].copy()  # the smallest similarity of two clusters
        self.summed = (
            member @ similarity @ member.T if len(starts) < len(similarity) else similarity.copy()
        )
        for number, documents in enumerate(starts):
            if len(documents) > 1:
                self.linked[number] = np.minimum.reduceat(
                    similarity[documents][:, np.concatenate(starts)].min(axis=0),
                    np.cumsum([0, *map(len, starts)])[:-1],
                )
                self.linked[:, number] = self.linked[number]
        np.fill_diagonal(self.linked, -1)
        self.node = np.arange(len(starts))
        self.keys = [tuple(keys[documents].tolist()) for documents in starts]
        self.distinct = len(set(keys.tolist())) == len(starts)
        self.arbitrary = False
        self.best, self.mean = np.full(len(starts), -1.0), np.zeros(len(starts))
        self.partner = np.zeros(len(starts), dtype=np.intp)
        self._find_best(np.arange(len(starts)))

    def __iter__(self) -> Iterator[tuple[list[int], float]]:
        n = len(self.node)
        alive, n_nodes = n, n
        while alive > 1:
            closest = self.best.max()
            members = self._next(closest)
            yield self.node[members].tolist(), float(closest)
            keep = int(members.min())
            removed = members[members != keep]
            self._merge(keep, members, removed)
            self.node[keep], n_nodes, alive = n_nodes, n_nodes + 1, alive - len(removed)
            changed = np.zeros(n, dtype=bool)
            changed[members] = True
            stale = changed[self.partner] & (self.best >= 0)
            stale[keep] = True
            if 2 * alive < len(self.node) and alive > 1:
                slots = np.flatnonzero(self.size > 0)
                self._compact(slots)
                stale = stale[slots]
                self.partner = (np.cumsum(np.isin(np.arange(n), slots)) - 1)[self.partner]
                n = len(slots)
            self._find_best(np.flatnonzero(stale))

    def _next(self, closest: float) -> NDArray[np.intp]:
        """Return the slots that merge next."""
        rows = np.flatnonzero(self.best == closest)
        mean = self.mean[rows]
        rows = rows[mean == mean.max()]
        a = int(rows[0])
        b = int(self.partner[a])
        if not self.distinct and len(rows) > 2:
            a, b = self._smallest(rows, closest, float(mean.max()))
        near = self.linked[a] == closest
        count = int(near.sum())
        if count > 1 and count == int((self.linked[b] == closest).sum()):
            near[a] = True
            members = np.flatnonzero(near)
            block = self.linked[members] == closest
            if block.sum() == count * (count + 1) and block[:, members].sum() == count * (
                count + 1
            ):
                return members
        return np.array([a, b])

    def _smallest(self, rows: NDArray[np.intp], closest: float, mean: float) -> tuple[int, int]:
        """Of the pairs of slots with this similarity and mean, the one of the smallest keys."""
        candidates = []
        for i in rows.tolist():
            means = np.round(self.summed[i] / (self.size[i] * np.maximum(self.size, 1)), DIGITS)
            for j in np.flatnonzero((self.linked[i] == closest) & (means == mean)).tolist():
                if i < j:
                    one, other = sorted((self.keys[i], self.keys[j]))
                    candidates.append(((one, other), i, j))
        first = min(candidates, key=lambda pair: pair[0])
        if sum(pair[0] == first[0] for pair in candidates) > 1 and not self._complete(
            first[1], closest
        ):
            self.arbitrary = True
        return first[1], first[2]

    def _complete(self, slot: int, closest: float) -> bool:
        members = np.flatnonzero(
            (self.linked[slot] == closest) | (np.arange(len(self.linked)) == slot)
        )
        block = self.linked[members] == closest
        size = len(members) * (len(members) - 1)
        return bool(block.sum() == size and block[:, members].sum() == size)

    def _merge(self, keep: int, members: NDArray[np.intp], removed: NDArray[np.intp]) -> None:
        linked, sums = self.linked[members].min(axis=0), self.summed[members].sum(axis=0)
        self.linked[keep], self.linked[:, keep] = linked, linked
        self.summed[keep], self.summed[:, keep] = sums, sums
        self.linked[removed], self.linked[:, removed], self.linked[keep, keep] = -1, -1, -1
        self.size[keep] = self.size[members].sum()
        self.size[removed] = 0
        self.best[removed] = -1
        if not self.distinct:
            self.keys[keep] = tuple(
                sorted(key for slot in members.tolist() for key in self.keys[slot])
            )

    def _find_best(self, rows: NDArray[np.intp]) -> None:
        """For each of these slots the largest similarity with another, the largest mean at it, the first with it."""
        linked = self.linked[rows]
        best = linked.max(axis=1)
        means = np.round(
            self.summed[rows] / (self.size[rows, None] * np.maximum(self.size, 1)), DIGITS
        )
        means[linked != best[:, None]] = -1
        partner = means.argmax(axis=1)
        self.best[rows], self.partner[rows] = best, partner
        self.mean[rows] = means[np.arange(len(rows)), partner]

    def _compact(self, slots: NDArray[np.intp]) -> None:
        """Remove the slots of clusters that have merged into others."""
        grid = np.ix_(slots, slots)
        self.linked, self.summed, self.size, self.node = (
            self.linked[grid].copy(),
            self.summed[grid].copy(),
            self.size[slots],
            self.node[slots],
        )
        self.best, self.mean, self.partner = self.best[slots], self.mean[slots], self.partner[slots]
        self.keys = [self.keys[slot] for slot in slots.tolist()]


def _bin(similarity: float) -> int:
    """[0, 0.1) → 0, …, [0.9, 1] → 9."""
    return min(int(round(similarity * 10, 9)), 9)


# ------------------------------------------------------------------------------------------------ weights and rows


def weigh(trees: list[Tree], official: pd.DataFrame, intent_weighting: str) -> None:
    """Each intent's share of its query."""
    of_query: dict[str, list[Tree]] = {}
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


def rows_below(
    trees: list[Tree], official: pd.DataFrame, weighting: str, rel: float, level: str
) -> pd.DataFrame:
    """The rows of layers 1, 2, …: every leaf is repeated down to the deepest layer of its query."""
    gains = (
        _global_gains(official, rel)
        if weighting == 'WD'
        else np.ones(len(official))
        if weighting == 'documents'
        else None
    )
    depth: dict[str, int] = {}
    for tree in trees:
        depth[tree.query] = max(depth.get(tree.query, int(level == 'topic')), tree.root.height)
    nodes = [
        (tree, *node)
        for tree in trees
        for node in _descend(tree, depth[tree.query], None if gains is None else gains[tree.rows])
    ]
    sizes = [len(node.documents) for *_, node in nodes]
    rows = np.concatenate(
        [tree.rows[node.documents] for tree, *_, node in nodes] or [np.zeros(0, dtype=np.intp)]
    )
    below = (
        official.iloc[rows]
        .drop(columns=list(HIERARCHY_COLUMNS), errors='ignore')
        .reset_index(drop=True)
    )

    def column(values: list[Any], dtype: Any) -> NDArray[Any]:
        return np.repeat(np.array(values, dtype=dtype), sizes)

    return below.assign(
        subtopic_id=column([name for _, _, name, *_ in nodes], object),
        layer=column([layer for _, layer, *_ in nodes], np.int64),
        parent=column([parent for _, _, _, parent, _, _ in nodes], object),
        weight=column([weight for *_, weight, _ in nodes], float),
        similarity=column([node.similarity for *_, node in nodes], float),
    )


def _descend(
    tree: Tree, depth: int, gains: Array | None
) -> Iterator[tuple[int, str, str, float, Node]]:
    """Layer, name, parent's name, weight and cluster of the nodes of layers 1 to ``depth``."""
    front = [(tree.intent, tree.weight, tree.root)]
    for layer in range(1, depth + 1):
        above, front = front, []
        for parent, weight, node in above:
            children = node.children or (node,)
            parts = np.array(
                [
                    child.leaves if gains is None else gains[child.documents].sum()
                    for child in children
                ],
                dtype=float,
            )
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
        weight = 1 / official['query_id'].map(
            official[aspect].groupby('query_id')['subtopic_id'].nunique()
        )
    gain = pd.Series(np.where(aspect, weight * grade, 0.0))
    return gain.groupby([official['query_id'], official['doc_id']]).transform('sum').to_numpy()


def ordered(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns of hierarchies last."""
    return table[
        [c for c in table.columns if c not in HIERARCHY_COLUMNS]
        + [c for c in HIERARCHY_COLUMNS if c in table.columns]
    ]
