"""A slow, literal reading of build_hierarchy (MEASURES.md section 5): naive clustering, then step by step."""

from itertools import combinations


class Node:
    def __init__(self, docs, sim, children=()):
        self.docs, self.sim, self.children = frozenset(docs), sim, list(children)


def tree(docs, sim, cutoff, raw=False):
    """Agglomerate by complete linkage with the rule of ties, prune, compress.

    `docs` stand in the order of their keys; `sim` is a function of two documents.
    """
    order = {d: place for place, d in enumerate(docs)}
    clusters = [Node([d], 1.0) for d in docs]
    while len(clusters) > 1:

        def linkage(a, b):
            return min(sim(x, y) for x in a.docs for y in b.docs)

        def mean(a, b):
            return round(
                sum(sim(x, y) for x in a.docs for y in b.docs) / len(a.docs) / len(b.docs), 12
            )

        def keys(pair):
            return sorted(sorted(order[d] for d in c.docs) for c in pair)

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
                chosen = min(inside, key=lambda pair: (-mean(*pair), keys(pair)))
            clusters = [c for c in clusters if c not in chosen]
            clusters.append(Node(frozenset().union(*(c.docs for c in chosen)), s, chosen))
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


def nodes(node, depth, share, size):
    """(documents, weight) of the nodes `depth` levels below, leaves repeated."""
    if depth == 0:
        return [(node.docs, share)]
    if not node.children:
        return nodes(node, depth - 1, share, size)
    total = sum(size(child) for child in node.children)
    return [
        each
        for child in node.children
        for each in nodes(child, depth - 1, share * size(child) / total, size)
    ]


def hierarchy(grades, sim, key, cutoff=0.3, weighting='WI', raw=False, rel=1, level='intent'):
    """{layer: [(intent, documents, weight)]} of one query (Dou et al. 2019, §3).

    `grades` is {(document, intent): grade}. At the topic level (§3.1) the query is the only intent, and there is no
    layer 0. WI (§3.4.1): a node's weight by its leaves; WD (§3.4.2): by the global gains of its documents. The intents
    share the whole by their heights (§3.5), or alike in the raw hierarchy.
    """
    if level == 'topic':
        docs = {d for d, _ in grades}
        grades = {(d, ''): max(g for (x, _), g in grades.items() if x == d) for d in docs}
    served = {}
    for (d, t), g in grades.items():
        if g >= rel and g > 0:
            served.setdefault(t, []).append(d)
    trees = {t: tree(sorted(docs, key=key), sim, cutoff, raw) for t, docs in served.items()}
    share = {t: 1 if raw else max(1, height(root)) for t, root in trees.items()}
    depth = max(map(height, trees.values()), default=0)

    def gain(d):
        return sum(max(g, 0) for (x, t), g in grades.items() if x == d and t in trees) / len(trees)

    def size(node):
        return len(leaves(node)) if weighting == 'WI' else sum(gain(d) for d in node.docs)

    layers = range(1, max(depth, 1) + 1) if level == 'topic' else range(depth + 1)
    return {
        layer: [
            (t, docs, weight)
            for t, root in trees.items()
            for docs, weight in nodes(root, layer, share[t] / sum(share.values()), size)
        ]
        for layer in layers
    }
