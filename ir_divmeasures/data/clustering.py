"""Complete-linkage clusters of documents from their similarities, and the trees that a cutoff makes of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .similarity import DIGITS, Array, Keys, ranks_of

Places = NDArray[np.intp]
"""Places of documents or clusters in a list."""


class Merges(NamedTuple):
    """Complete-linkage clusters of n documents, before any cutoff.

    Attributes:
        clusters: the documents of each cluster, its similarity, and the numbers of the clusters that it was merged from:
            first one cluster for each document, then one for each merge.
        arbitrary: whether a merge was decided by nothing but the order in which documents of one key stand.
    """

    clusters: list[tuple[Places, float, list[int]]]
    arbitrary: bool


def merges_of(similarity: Array, keys: Keys) -> Merges:
    """Complete linkage of n documents in the order of their keys, with a rule for ties.

    At the largest similarity of two clusters, in the graph of the pairs that have it: a complete component merges at
    once; of any other, the pair of the largest mean similarity, then of the smallest keys.

    Args:
        similarity: (n, n), symmetric, in [0, 1], rounded.
        keys: (n,) ascending.
    """
    n = len(keys)
    linked, summed, size = similarity.copy(), similarity.copy(), np.ones(n)
    np.fill_diagonal(linked, -1)  # as for clusters that have become part of another
    clusters: list[tuple[Places, float, list[int]]]
    clusters, number = [(np.array([place]), 1.0, []) for place in range(n)], np.arange(n)
    keys_of = [(key,) for key in keys.tolist()]
    nearest = linked.max(axis=1, initial=-1)  # by cluster, so that no merge searches all pairs

    def merge(members: Places, closeness: float) -> None:
        parts = number[members].tolist()
        documents = np.sort(np.concatenate([clusters[part][0] for part in parts]))
        keep, removed = members[0], members[1:]
        number[keep], size[keep] = len(clusters), len(documents)
        clusters.append((documents, closeness, parts))
        keys_of[keep] = tuple(keys[documents].tolist())
        changed = np.flatnonzero(linked[members].max(axis=0) == nearest)
        linked[keep] = linked[:, keep] = linked[members].min(axis=0)
        summed[keep] = summed[:, keep] = summed[members].sum(axis=0)
        linked[removed], linked[:, removed], linked[keep, keep] = -1, -1, -1
        changed = np.append(changed, members)
        nearest[changed] = linked[changed].max(axis=1)

    by_key = np.split(np.arange(n), np.flatnonzero(np.diff(keys)) + 1)
    for same in by_key:  # documents that are the same come together first
        if len(same) > 1 and (similarity[np.ix_(same, same)] == 1).all():
            merge(same, 1.0)
    is_arbitrary = False
    while (closest := nearest.max(initial=-1)) >= 0:
        rows = np.flatnonzero(nearest == closest)
        a, b = np.nonzero(linked[rows] == closest)
        a, b = rows[a][rows[a] < b], b[rows[a] < b]
        means = np.round(summed[a, b] / (size[a] * size[b]), DIGITS)
        a, b = a[means == means.max()], b[means == means.max()]
        rank = ranks_of(keys_of) if len(by_key) < n and len(a) > 1 else np.arange(n)
        pair = np.minimum(rank[a], rank[b]) * n + np.maximum(rank[a], rank[b])
        first = pair.argmin()
        members = np.flatnonzero((linked[a[first]] == closest) | (np.arange(n) == a[first]))
        near, n_edges = linked[members] == closest, len(members) * (len(members) - 1)
        if not near.sum() == n_edges == near[:, members].sum():
            members = np.array([a[first], b[first]])
            is_arbitrary |= bool((pair == pair[first]).sum() > 1)
        merge(members, float(closest))
    return Merges(clusters, is_arbitrary)


class Node(NamedTuple):
    """A cluster in a tree.

    Attributes:
        documents: places of its documents.
        similarity: that of its merge.
        children: the clusters it is made of; none for a leaf.
        height: steps to its deepest leaf.
        leaves: number of its leaves.
    """

    documents: Places
    similarity: float
    children: tuple[Node, ...] = ()
    height: int = 0
    leaves: int = 1


def cut(merges: Merges, cutoff: float, compress: bool = True) -> Node:
    """The tree of merges, pruned at ``cutoff`` and compressed.

    Args:
        merges: the merges.
        cutoff: a cluster of at least this similarity becomes a leaf.
        compress: dissolve a cluster into its parent if the similarities of both are in one bin of width 0.1.
    """
    nodes: list[Node] = []
    for documents, closeness, parts in merges.clusters:
        if not parts or closeness >= cutoff:
            nodes.append(Node(documents, closeness))  # a leaf
            continue
        children: list[Node] = []
        for child in (nodes[part] for part in parts):
            dissolves = compress and child.children and _bin(child.similarity) == _bin(closeness)
            children.extend(child.children if dissolves else (child,))
        children.sort(key=lambda child: (-len(child.documents), child.documents[0]))
        height = 1 + max(child.height for child in children)
        leaves = sum(child.leaves for child in children)
        nodes.append(Node(documents, closeness, tuple(children), height, leaves))
    return nodes[-1]


def _bin(similarity: float) -> int:
    """[0, 0.1) → 0, …, [0.9, 1] → 9."""
    return min(int(round(similarity * 10, 9)), 9)
