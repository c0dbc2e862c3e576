"""A slow, literal reading of build_hierarchy (MEASURES.md section 5): naive clustering, then step by step."""

from __future__ import annotations

from itertools import combinations


class Node:
    def __init__(self, docs, sim, children=()):
        self.docs, self.sim, self.children = frozenset(docs), sim, list(children)


def tree(sim: dict[frozenset, float], docs: list[str], cutoff: float, raw: bool = False) -> Node:
    """Agglomerate, prune, compress."""
    clusters = [Node([d], 1.0) for d in docs]
    while len(clusters) > 1:
        def linkage(pair):
            return min(sim[frozenset((x, y))] for x in pair[0].docs for y in pair[1].docs)

        a, b = max(combinations(clusters, 2), key=linkage)
        merged = Node(a.docs | b.docs, linkage((a, b)), [a, b])
        clusters = [c for c in clusters if c is not a and c is not b] + [merged]
    root = clusters[0]
    prune(root, cutoff)
    while not raw and compress_once(root):
        pass
    return root


def prune(node: Node, cutoff: float) -> None:
    if node.sim >= cutoff:
        node.children = []
    for child in node.children:
        prune(child, cutoff)


def bin_of(s: float) -> int:
    for b in range(9):
        if s < (b + 1) / 10:
            return b
    return 9


def compress_once(node: Node) -> bool:
    for child in node.children:
        if child.children and bin_of(child.sim) == bin_of(node.sim):
            node.children.remove(child)
            node.children += child.children
            return True
    return any(compress_once(child) for child in node.children)


def height(node: Node) -> int:
    return 1 + max(map(height, node.children)) if node.children else 0


def leaves(node: Node) -> list[Node]:
    return [leaf for child in node.children for leaf in leaves(child)] or [node]


def layer(node: Node, depth: int, share: float, size) -> list[tuple[frozenset, float]]:
    """(documents, weight) of the nodes `depth` levels below, leaves repeated."""
    if depth == 0:
        return [(node.docs, share)]
    if not node.children:
        return layer(node, depth - 1, share, size)
    total = sum(size(child) for child in node.children)
    return [each for child in node.children for each in layer(child, depth - 1, share * size(child) / total, size)]
