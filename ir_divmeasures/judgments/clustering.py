"""Clusters of documents from their similarities, the weights of clusters, and the rows of judgments for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.columns import listing
from ..lazy import pd
from ..results.progress import with_progress
from .similarity import DIGITS, Array, Similarity, grades_of

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
    of_intent = relevant.groupby(['query_id', 'subtopic_id'], sort=False).indices
    place = relevant.index.to_numpy()
    for (query, intent), index in with_progress(of_intent.items(), 'intent', 'similarities'):
        rows = place[index]
        ranks = np.array([keys[query, doc_id] for doc_id in documents[rows]], dtype=np.intp)
        order = np.lexsort((documents[rows].astype(str), ranks))
        rows = rows[order]
        similarity = alike.matrix(query, documents[rows].tolist())
        groups.append(Group(query, intent, rows, ranks[order], similarity))
    if aspects == 'listed':
        listed = official[listing(official)].groupby(['query_id', 'subtopic_id']).groups
        one = np.zeros(1, dtype=np.intp)
        groups += [
            Group(query, intent, one + rows[0], one, np.ones((1, 1)))
            for (query, intent), rows in listed.items()
            if (query, intent) not in of_intent
        ]
    return sorted(groups, key=lambda group: int(group.rows.min()))


def build_trees(
    groups: list[Group], cutoff: float, compress: bool, merges: list[Merges] | None = None
) -> tuple[list[Tree], set[str]]:
    """Cluster every intent's relevant documents. Also return the queries in which a doc_id decided a merge.

    Merges that are known, one for each group, are not computed again.
    """
    trees, arbitrary = [], set()
    known = merges or (merges_of(group.similarity, group.keys) for group in groups)
    for group, each in zip(with_progress(groups, 'intent', 'intents'), known):
        root = cut(each, cutoff, compress)
        trees.append(Tree(group.query, group.intent, group.rows, root))
        if each.arbitrary:
            arbitrary.add(group.query)
    return trees, arbitrary


class Merges(NamedTuple):
    """Complete-linkage clusters of an intent's documents, before any cutoff.

    Attributes:
        starts: the documents, those of one key and similarity 1 together.
        steps: the numbers of the clusters that merge, and their similarity. A new cluster has the next number.
        arbitrary: whether a merge was decided by nothing but the order in which documents of one key stand.
    """

    starts: list[NDArray[np.intp]]
    steps: list[tuple[list[int], float]]
    arbitrary: bool


def merges_of(similarity: Array, keys: NDArray[np.intp]) -> Merges:
    """Complete linkage of n documents in the order of their keys.

    Args:
        similarity: (n, n), symmetric, in [0, 1], rounded.
        keys: (n,) ascending.
    """
    starts = _leaves(similarity, keys)
    merging = _Merging(similarity, keys, starts)
    steps = list(merging)
    return Merges(starts, steps, merging.arbitrary)


def cut(merges: Merges, cutoff: float, compress: bool = True) -> Node:
    """The tree of merges, pruned at ``cutoff`` and compressed.

    Args:
        merges: the merges.
        cutoff: a cluster of at least this similarity becomes a leaf.
        compress: dissolve a cluster into its parent if the similarities of both are in one bin of width 0.1.
    """
    nodes = [Node(documents, 1.0) for documents in merges.starts]
    for slots, closeness in merges.steps:
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
    return nodes[-1]


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


class _Merging:
    """Complete linkage with ties: slots of the nodes that merge, and their similarity, merge by merge.

    At the largest similarity of two clusters, in the graph of the pairs that have it: a complete component merges at
    once; of any other, the pair of the largest mean similarity, then of the smallest keys.

    Attributes:
        arbitrary: whether two such pairs were equal in all of that.
    """

    def __init__(self, similarity: Array, keys: NDArray[np.intp], starts: list[NDArray[np.intp]]):
        n = len(starts)
        member = np.zeros((n, len(similarity)))
        for number, documents in enumerate(starts):
            member[number, documents] = 1
        first = [documents[0] for documents in starts]
        self.size = member.sum(axis=1)
        self.linked = similarity[np.ix_(first, first)]  # the smallest similarity of two clusters
        self.summed = member @ similarity @ member.T if n < len(similarity) else similarity.copy()
        for number, documents in enumerate(starts):
            if len(documents) > 1:
                nearest = similarity[documents].min(axis=0)
                self.linked[number] = [nearest[other].min() for other in starts]
                self.linked[:, number] = self.linked[number]
        np.fill_diagonal(self.linked, -1)
        self.node = np.arange(n)
        self.keys = [tuple(keys[documents].tolist()) for documents in starts]
        self.distinct = len(set(keys.tolist())) == n
        self.arbitrary = False
        self.best, self.mean = np.full(n, -1.0), np.zeros(n)
        self.partner = np.zeros(n, dtype=np.intp)
        self._find_best(self.node)

    def __iter__(self) -> Iterator[tuple[list[int], float]]:
        n = alive = n_nodes = len(self.node)
        while alive > 1:
            closest = self.best.max()
            members = self._next(closest)
            yield self.node[members].tolist(), float(closest)
            keep = int(members.min())
            self._merge(keep, members)
            self.node[keep], n_nodes, alive = n_nodes, n_nodes + 1, alive - len(members) + 1
            stale = np.isin(self.partner, members) & (self.best >= 0)
            stale[keep] = True
            self._find_best(np.arange(n)[stale])

    def _next(self, closest: float) -> NDArray[np.intp]:
        """Return the slots that merge next."""
        rows = np.flatnonzero(self.best == closest)
        mean = self.mean[rows]
        rows = rows[mean == mean.max()]
        a = int(rows[0])
        b = int(self.partner[a])
        if not self.distinct and len(rows) > 2:
            a, b = self._smallest(rows, closest, float(mean.max()))
        complete = self._complete(a, closest)
        return np.array([a, b]) if complete is None else complete

    def _smallest(self, rows: NDArray[np.intp], closest: float, mean: float) -> tuple[int, int]:
        """Of the pairs of slots with this similarity and mean, the one of the smallest keys."""
        candidates = []
        for i in rows.tolist():
            near = (self.linked[i] == closest) & (self._means(np.array([i]))[0] == mean)
            for j in np.flatnonzero(near).tolist():
                if i < j:
                    candidates.append((sorted((self.keys[i], self.keys[j])), i, j))
        pair, i, j = min(candidates, key=lambda candidate: candidate[0])
        if (
            sum(other == pair for other, *_ in candidates) > 1
            and self._complete(i, closest) is None
        ):
            self.arbitrary = True
        return i, j

    def _complete(self, slot: int, closest: float) -> NDArray[np.intp] | None:
        """The slots that have this similarity with a slot, and itself, if all of them have it with one another and with
        no other slot; else None."""
        near = self.linked[slot] == closest
        near[slot] = True
        members = np.flatnonzero(near)
        block = self.linked[members] == closest
        size = len(members) * (len(members) - 1)
        return members if block.sum() == size == block[:, members].sum() else None

    def _merge(self, keep: int, members: NDArray[np.intp]) -> None:
        removed = members[members != keep]
        linked, sums = self.linked[members].min(axis=0), self.summed[members].sum(axis=0)
        self.linked[keep], self.linked[:, keep] = linked, linked
        self.summed[keep], self.summed[:, keep] = sums, sums
        self.linked[removed], self.linked[:, removed], self.linked[keep, keep] = -1, -1, -1
        self.size[keep] = self.size[members].sum()
        self.best[removed] = -1
        if not self.distinct:
            self.keys[keep] = tuple(sorted(key for slot in members for key in self.keys[slot]))

    def _find_best(self, rows: NDArray[np.intp]) -> None:
        """For each of these slots the largest similarity with another, the largest mean at it, the first with it."""
        linked = self.linked[rows]
        best = linked.max(axis=1)
        means = self._means(rows)
        means[linked != best[:, None]] = -1
        self.best[rows], self.mean[rows] = best, means.max(axis=1)
        self.partner[rows] = means.argmax(axis=1)

    def _means(self, rows: NDArray[np.intp]) -> Array:
        """The mean similarity of the documents of these slots with those of every slot, (rows, slots)."""
        return np.round(self.summed[rows] / (self.size[rows, None] * self.size), DIGITS)


def _bin(similarity: float) -> int:
    """[0, 0.1) → 0, …, [0.9, 1] → 9."""
    return min(int(round(similarity * 10, 9)), 9)


# ------------------------------------------------------------------------------------------------ weights and rows


def weigh(trees: list[Tree], official: pd.DataFrame, intent_weighting: str) -> None:
    """Each intent's share of its query."""
    number, height = Counter[str](), Counter[str]()
    for tree in trees:
        number[tree.query] += 1
        height[tree.query] += max(tree.root.height, 1)
    for tree in trees:
        if intent_weighting == 'given':
            tree.weight = float(official['weight'].iloc[tree.rows[0]])
        elif intent_weighting == 'uniform':
            tree.weight = 1 / number[tree.query]
        else:
            tree.weight = max(tree.root.height, 1) / height[tree.query]


def rows_below(
    trees: list[Tree], official: pd.DataFrame, weighting: str, rel: float, level: str
) -> pd.DataFrame:
    """The rows of layers 1, 2, …: every leaf is repeated down to the deepest layer of its query."""

    gains = None
    if weighting != 'WI':
        gains = _global_gains(official, rel) if weighting == 'WD' else np.ones(len(official))
    depth: dict[str, int] = {}
    for tree in trees:
        depth[tree.query] = max(depth.get(tree.query, int(level == 'topic')), tree.root.height)
    nodes, rows = [], []
    for tree in trees:
        own_gains = None if gains is None else gains[tree.rows]
        for *facts, node in _descend(tree, depth[tree.query], own_gains):
            nodes.append((*facts, node.similarity))
            rows.append(tree.rows[node.documents])
    below = official.iloc[np.concatenate([*rows, np.zeros(0, dtype=np.intp)])].reset_index(
        drop=True
    )
    names = ['layer', 'subtopic_id', 'parent', 'weight', 'similarity']
    facts = pd.DataFrame(nodes, columns=names).astype(
        {"layer": np.int64, "weight": float, "similarity": float}
    )
    facts = facts.iloc[np.repeat(np.arange(len(rows)), [len(each) for each in rows])]
    below = below.drop(columns=list(HIERARCHY_COLUMNS), errors='ignore')
    return below.assign(**{name: facts[name].to_numpy() for name in names})


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
                    float(child.leaves if gains is None else gains[child.documents].sum())
                    for child in children
                ]
            )
            if parts.sum() == 0:  # documents of intents of weight 0 only
                parts = np.ones(len(children))
            for number, (child, part) in enumerate(zip(children, parts / parts.sum()), 1):
                name = f'{parent}/{number}' if parent else str(number)
                yield layer, name, parent, weight * part, child
                front.append((name, weight * part, child))


def _global_gains(official: pd.DataFrame, rel: float) -> Array:
    """GG(d) = Σ_t w_t g(d,t) of each row's document, with the weights given, else 1/|T|."""

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
