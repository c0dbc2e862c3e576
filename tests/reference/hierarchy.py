"""A slow, literal reading of build_hierarchy (MEASURES.md section 5): naive clustering, then step by step."""

from itertools import combinations


class Node:
    def __init__(self, docs, sim, children=()):
        self.docs, self.sim, self.children = frozenset(docs), sim, list(children)


def tree(sim, docs, cutoff, raw=False):
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


def prune(node, cutoff):
    if node.sim >= cutoff:
        node.children = []
    for child in node.children:
        prune(child, cutoff)


def bin_of(s):
    for b in range(9):
        if s < (b + 1) / 10:
            return b
    return 9


def compress_once(node):
    for child in node.children:
        if child.children and bin_of(child.sim) == bin_of(node.sim):
            node.children.remove(child)
            node.children += child.children
            return True
    return any(compress_once(child) for child in node.children)


def height(node):
    return 1 + max(map(height, node.children)) if node.children else 0


def leaves(node):
    return [leaf for child in node.children for leaf in leaves(child)] or [node]


def layer(node, depth, share, size):
    """(documents, weight) of the nodes `depth` levels below, leaves repeated."""
    if depth == 0:
        return [(node.docs, share)]
    if not node.children:
        return layer(node, depth - 1, share, size)
    total = sum(size(child) for child in node.children)
    return [
        each
        for child in node.children
        for each in layer(child, depth - 1, share * size(child) / total, size)
    ]


# ------------------------------------------------------------------------------------------------ equal similarities


def tree_with_ties(sim, cutoff, raw=False):
    """The same with the rule of ties, documents 0, 1, ... in the order of their keys."""
    clusters = [Node([d], 1.0) for d in range(len(sim))]
    while len(clusters) > 1:

        def linkage(a, b):
            return min(sim[x][y] for x in a.docs for y in b.docs)

        def mean(a, b):
            return round(
                sum(sim[x][y] for x in a.docs for y in b.docs) / len(a.docs) / len(b.docs), 12
            )

        s = max(linkage(a, b) for a, b in combinations(clusters, 2))
        edges = [(a, b) for a, b in combinations(clusters, 2) if linkage(a, b) == s]
        components = []
        for a, b in edges:
            touched = [c for c in components if a in c or b in c]
            joined = [x for c in touched for x in c]
            joined += [x for x in (a, b) if x not in joined]
            components = [c for c in components if c not in touched] + [joined]
        for component in components:
            inside = [(a, b) for a, b in edges if a in component]
            if len(inside) == len(component) * (len(component) - 1) // 2:
                chosen = component
            else:
                chosen = min(
                    inside, key=lambda pair: (-mean(*pair), sorted(sorted(c.docs) for c in pair))
                )
            clusters = [c for c in clusters if c not in chosen]
            clusters.append(Node(frozenset().union(*(c.docs for c in chosen)), s, chosen))
    root = clusters[0]
    prune(root, cutoff)
    while not raw and compress_once(root):
        pass
    return root
