"""Clusters of documents from their similarities, the weights of clusters, and the rows of judgments for them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .columns import listing
from .judgments import relevant_rows
from ..lazy import pd
from ..progress import with_progress
from .similarity import DIGITS, Array, Places, Similarity, ranks_of

HIERARCHY_COLUMNS = ('layer', 'parent', 'weight', 'similarity', 'clustering')


class Node(NamedTuple):
    """A cluster: places of its documents, similarity of its merge, the clusters it is made of (none: a leaf)."""

    documents: Places
    similarity: float
    children: tuple[Node, ...] = ()
    height: int = 0
    leaves: int = 1


@dataclass(eq=False)
class Group:
    """An intent's relevant documents in the order of their keys: their rows, similarities and keys."""

    query: str
    intent: str
    rows: Places
    similarity: Array
    keys: Places

    @functools.cached_property
    def merges(self) -> Merges:
        """How they are clustered, for any cutoff."""
        return merges_of(self.similarity, self.keys)


Tree = tuple[Group, Node]
"""An intent's relevant documents, and the cluster of all of them."""


def groups_of(
    official: pd.DataFrame,
    alike: Similarity,
    rel: float,
    aspects: str = 'relevant',
) -> list[Group]:
    """The relevant documents of every intent, in the judgments' own order.

    Args:
        official: the rows of the official intents.
        alike: similarities.
        rel: the lowest grade that counts as relevant.
        aspects: ``'listed'``: a listed intent without any has one of its rows, which is a leaf.
    """
    relevant, groups = relevant_rows(official, rel), {}
    keys = pd.Series(0, relevant.index)
    for query, rows in relevant.groupby('query_id', sort=False):
        keys[rows.index] = alike.keys(query, rows)[rows['doc_id']].to_numpy()
    relevant = relevant.iloc[np.lexsort((relevant['doc_id'].to_numpy(dtype=str), keys))]
    doc_ids, key = relevant['doc_id'].to_numpy(dtype=object), keys[relevant.index].to_numpy()
    by_intent = relevant.groupby(['query_id', 'subtopic_id'], sort=False).indices.items()
    for (query, intent), index in with_progress(by_intent, 'intent', 'similarities'):
        similarity = alike.matrix(query, doc_ids[index].tolist())
        rows = relevant.index[index].to_numpy()
        groups[query, intent] = Group(query, intent, rows, similarity, key[index])
    if aspects == 'listed':
        one = np.zeros(1, dtype=np.intp)
        listed = official[listing(official)].drop_duplicates(['query_id', 'subtopic_id'])
        for row, query, intent in listed[['query_id', 'subtopic_id']].itertuples():
            alone = Group(query, intent, one + row, np.ones((1, 1)), one)
            groups.setdefault((query, intent), alone)
    return sorted(groups.values(), key=lambda group: int(group.rows.min()))


def trees_of(groups: list[Group], cutoff: float, compress: bool) -> list[Tree]:
    """Cluster every intent's relevant documents; ``cutoff`` and ``compress`` as for :func:`cut`."""
    return [
        (group, cut(group.merges, cutoff, compress))
        for group in with_progress(groups, 'intent', 'intents')
    ]


class Merges(NamedTuple):
    """Complete-linkage clusters of an intent's documents, before any cutoff.

    Attributes:
        documents: the documents of each cluster: first those of one key and similarity 1 together, then of the steps.
        steps: the numbers of the clusters that merge, and their similarity. A new cluster has the next number.
        arbitrary: whether a merge was decided by nothing but the order in which documents of one key stand.
    """

    documents: list[Places]
    steps: list[tuple[list[int], float]]
    arbitrary: bool


def merges_of(similarity: Array, keys: Places) -> Merges:
    """Complete linkage of n documents in the order of their keys, with a rule for ties.

    At the largest similarity of two clusters, in the graph of the pairs that have it: a complete component merges at
    once; of any other, the pair of the largest mean similarity, then of the smallest keys.

    Args:
        similarity: (n, n), symmetric, in [0, 1], rounded.
        keys: (n,) ascending.
    """
    starts = _leaves(similarity, keys)
    n, size = len(starts), np.array([float(len(documents)) for documents in starts])

    every, first = np.concatenate(starts), np.cumsum([0, *map(len, starts[:-1])])
    linked, summed = (
        reduce.reduceat(reduce.reduceat(similarity[np.ix_(every, every)], first), first, axis=1)
        for reduce in (np.minimum, np.add)
    )
    np.fill_diagonal(linked, -1)  # as for clusters that have become part of another
    cluster, keys_of = np.arange(n), [tuple(keys[documents].tolist()) for documents in starts]
    clusters = list(starts)
    steps: list[tuple[list[int], float]] = []
    is_arbitrary, is_ordered = False, len(np.unique(keys)) == n  # clusters by their first keys
    nearest = linked.max(axis=1, initial=-1)  # by cluster, so that no merge searches all pairs
    while (closest := nearest.max(initial=-1)) >= 0:
        rows = np.flatnonzero(nearest == closest)
        a, b = np.nonzero(linked[rows] == closest)
        a, b = rows[a][rows[a] < b], b[rows[a] < b]
        means = np.round(summed[a, b] / (size[a] * size[b]), DIGITS)
        a, b = a[means == means.max()], b[means == means.max()]
        rank = np.arange(n) if is_ordered or len(a) == 1 else ranks_of(keys_of)
        pair = np.minimum(rank[a], rank[b]) * n + np.maximum(rank[a], rank[b])
        first = pair.argmin()
        members = _component(linked, closest, a[first])
        if members is None:
            members = np.array([a[first], b[first]])
            is_arbitrary |= bool((pair == pair[first]).sum() > 1)
        merged = cluster[members].tolist()
        steps.append((merged, float(closest)))
        clusters.append(np.sort(np.concatenate([clusters[each] for each in merged])))
        keep, removed = members[0], members[1:]
        cluster[keep], size[keep] = len(clusters) - 1, size[members].sum()
        if not is_ordered:
            keys_of[keep] = tuple(sorted(key for each in members for key in keys_of[each]))
        changed = np.flatnonzero(linked[members].max(axis=0) == nearest)
        linked[keep] = linked[:, keep] = linked[members].min(axis=0)
        summed[keep] = summed[:, keep] = summed[members].sum(axis=0)
        linked[removed], linked[:, removed], linked[keep, keep] = -1, -1, -1
        changed = np.append(changed, members)
        nearest[changed] = linked[changed].max(axis=1)
    return Merges(clusters, steps, is_arbitrary)


def _component(linked: Array, closest: float, place: np.intp) -> Places | None:
    """A cluster and those as close to it, if all of them and no others are as close to one another; else None."""
    members = np.flatnonzero((linked[place] == closest) | (np.arange(len(linked)) == place))
    near = linked[members] == closest
    n_edges = len(members) * (len(members) - 1)
    return members if near.sum() == n_edges == near[:, members].sum() else None


def _leaves(similarity: Array, keys: Places) -> list[Places]:
    """Documents, those of one key and similarity 1 together."""
    leaves: list[Places] = []
    for same in np.split(np.arange(len(keys)), np.flatnonzero(np.diff(keys)) + 1):
        one = np.eye(len(same), dtype=bool)
        if len(same) > 1:
            alike = one | (similarity[np.ix_(same, same)] == 1)
            one = np.unique(alike, axis=0)[::-1] if np.array_equal(alike @ alike, alike) else one
        leaves.extend(same[row] for row in one)
    return sorted(leaves, key=lambda leaf: int(leaf[0]))


def cut(merges: Merges, cutoff: float, compress: bool = True) -> Node:
    """The tree of merges, pruned at ``cutoff`` and compressed.

    Args:
        merges: the merges.
        cutoff: a cluster of at least this similarity becomes a leaf.
        compress: dissolve a cluster into its parent if the similarities of both are in one bin of width 0.1.
    """
    n = len(merges.documents) - len(merges.steps)
    nodes = [Node(documents, 1.0) for documents in merges.documents[:n]]
    for documents, (slots, closeness) in zip(merges.documents[n:], merges.steps):
        if closeness >= cutoff:  # pruned: a leaf
            nodes.append(Node(documents, closeness))
            continue
        children: list[Node] = []
        for child in (nodes[slot] for slot in slots):
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


# ------------------------------------------------------------------------------------------------ weights and rows


def intent_weights(trees: list[Tree], official: pd.DataFrame, kind: str) -> list[float]:
    """Each intent's share of its query; ``kind`` as ``intent_weighting`` of ``build_hierarchy``."""
    if kind == 'given':
        return [float(official['weight'].iloc[group.rows[0]]) for group, _ in trees]
    parts = pd.DataFrame(
        [(group.query, max(root.height, 1) if kind == 'height' else 1) for group, root in trees],
        columns=['query_id', 'part'],
    )
    shares = parts['part'] / parts.groupby('query_id')['part'].transform('sum')
    return [float(share) for share in shares]


def rows_below(
    trees: list[Tree],
    weights: list[float],
    official: pd.DataFrame,
    weighting: str,
    rel: float,
    level: str,
) -> pd.DataFrame:
    """The rows of layers 1, 2, …: every leaf is repeated down to the deepest layer of its query."""
    gains = _global_gains(official, rel) if weighting == 'WD' else np.ones(len(official))
    depth: dict[str, int] = {}
    for group, root in trees:
        depth[group.query] = max(depth.get(group.query, int(level == 'topic')), root.height)
    nodes, rows = [], []
    for (group, root), weight in zip(trees, weights):
        own_gains = None if weighting == 'WI' else gains[group.rows]
        top = group.intent, weight, root
        for *facts, node in _descend(top, depth[group.query], own_gains):
            nodes.append((*facts, node.similarity))
            rows.append(group.rows[node.documents])
    names = ['layer', 'subtopic_id', 'parent', 'weight', 'similarity']
    facts = pd.DataFrame(nodes, columns=names)
    facts = facts.astype({'layer': np.int64, 'weight': float, 'similarity': float})
    facts = facts.loc[np.repeat(facts.index, [len(each) for each in rows])]
    below = official.iloc[np.concatenate([*rows, np.zeros(0, dtype=np.intp)])]
    return below.reset_index(drop=True).assign(**facts.reset_index(drop=True))


def _descend(
    top: tuple[str, float, Node], depth: int, gains: Array | None
) -> Iterator[tuple[int, str, str, float, Node]]:
    """Layer, name, parent's name, weight and cluster of the nodes of layers 1 to ``depth`` below a node, which is given
    by its name, weight and cluster."""
    front = [top]
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
    counts = official.index.isin(relevant_rows(official, rel).index)
    aspect = pd.Series(counts).groupby([official['query_id'], official['subtopic_id']])
    aspect = aspect.transform('any')
    weight = official.get('weight')
    if weight is None:
        n_aspects = official[aspect].groupby('query_id')['subtopic_id'].nunique()
        weight = 1 / official['query_id'].map(n_aspects)
    gain = (weight * official['relevance'].clip(lower=0)).where(aspect, 0.0)
    return gain.groupby([official['query_id'], official['doc_id']]).transform('sum').to_numpy()


def ordered(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns of hierarchies last."""
    last = [c for c in HIERARCHY_COLUMNS if c in table.columns]
    return table[[*table.columns.difference(last, sort=False), *last]]
