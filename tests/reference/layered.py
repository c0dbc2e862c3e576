"""Reference twins of MEASURES.md section 5: each layer read on its own with the twins of sections 1-4.

A hierarchy is a list of `Query`, top layer first, which share the ranking and the judged documents.
"""

import math
from dataclasses import replace

from .twins import TWINS as FLAT
from .twins import Query, aspects, gain_of, judged, layers, top, weight


def layer_weights(layers, rel, given):
    """v_l: 1/H over the layers with a relevant document; or the given ones over their sum, as typed: a layer with
    an intent keeps its weight, also where no document is relevant ('none' stands for no intent)."""
    if given is None:
        v = [1.0 if aspects(q, rel) else 0.0 for q in layers]
    else:
        typed = iter(given)
        v = [next(typed) if {t for _, t in q.grades} - {'none'} else 0.0 for q in layers]
    return [x / sum(v) for x in v] if sum(v) > 0 else v


def LA(base, layers, *, rel=1, given=None, **params):
    """sum_l v_l M@k on layer l."""
    v = layer_weights(layers, rel, given)
    return sum(x * FLAT[base](q, rel=rel, **params) for x, q in zip(v, layers))


def N_rec(layers, *, cutoff=None, rel=1, judged_only=False):
    """Nodes covered by the top k over all nodes with a relevant document."""
    nodes, covered = 0, 0
    for q in layers:
        docs = top(q, cutoff, judged_only)
        for t in aspects(q, rel):
            nodes += 1
            covered += any(gain_of(q, d, t, rel, "binary") for d in docs)
    return covered / nodes if nodes else 0.0


def HGG(layers, d, rel, gain, given):
    """sum_l v_l sum_t w_t gain(d,t)."""
    total = 0.0
    for x, q in zip(layer_weights(layers, rel, given), layers):
        T = aspects(q, rel)
        total += x * sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)
    return total


def HD_nDCG(layers, *, cutoff=None, rel=1, judged_only=False, gain="linear", given=None):
    """sum_i HGG(d_i)/log2(i+1) over the same on the judged documents by HGG, at k."""
    docs = top(layers[0], cutoff, judged_only)
    best = sorted((HGG(layers, d, rel, gain, given) for d in judged(layers[0])), reverse=True)[
        :cutoff
    ]
    ideal = sum(g / math.log2(i + 1) for i, g in enumerate(best, start=1))
    dcg = sum(
        HGG(layers, d, rel, gain, given) / math.log2(i + 1) for i, d in enumerate(docs, start=1)
    )
    return dcg / ideal if ideal > 0 else 0.0


def HD_Q(layers, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear", given=None):
    """1/min(k,R) sum_{i: HGG>0} (C(i) + beta cg(i)) / (i + beta cg*(i))."""
    run = [HGG(layers, d, rel, gain, given) for d in top(layers[0], cutoff, judged_only)]
    best = sorted((HGG(layers, d, rel, gain, given) for d in judged(layers[0])), reverse=True)
    R = sum(x > 0 for x in best)
    size = R if cutoff is None else min(cutoff, R)
    value = 0.0
    for i in range(1, len(run) + 1):
        if run[i - 1] > 0:
            value += (sum(x > 0 for x in run[:i]) + beta * sum(run[:i])) / (
                i + beta * sum(best[:i])
            )
    return value / size if size else 0.0


def sharp(value, layers, gamma, **where):
    """gamma N_rec + (1-gamma) value."""
    return gamma * N_rec(layers, **where) + (1 - gamma) * value


# ------------------------------------------------------------------- by name, on a query and the layer above it

LA_OF = {
    "I_rec_LA": "StRecall",
    "alpha_nDCG_LA": "alpha_nDCG",
    "ERR_IA_LA": "ERR_IA",
    "Q_IA_LA": "Q_IA",
    "D_nDCG_LA": "D_nDCG",
    "D_Q_LA": "D_Q",
    "Dsharp_nDCG_LA": "Dsharp_nDCG",
    "Dsharp_Q_LA": "Dsharp_Q",
}


def numbers(layer_weights):
    return None if layer_weights is None else [float(x) for x in layer_weights.split(",")]


def layer_aware(base):
    return lambda q, *, layer_weights=None, **params: LA(
        base, layers(q), given=numbers(layer_weights), **params
    )


def hierarchical(base):
    return lambda q, *, layer_weights=None, **params: base(
        layers(q), given=numbers(layer_weights), **params
    )


def with_nodes(value):
    """gamma N_rec + (1 - gamma) of a measure above."""

    def twin(q, *, gamma=0.5, cutoff=None, rel=1, judged_only=False, **params):
        where = {"cutoff": cutoff, "rel": rel, "judged_only": judged_only}
        return sharp(value(q, **where, **params), layers(q), gamma, **where)

    return twin


TWINS = {
    **{name: layer_aware(base) for name, base in LA_OF.items()},
    "LA": lambda q, *, M="alpha_nDCG", **params: layer_aware(M)(q, **params),
    "N_rec": lambda q, **params: N_rec(layers(q), **params),
    "HD_nDCG": hierarchical(HD_nDCG),
    "HD_Q": hierarchical(HD_Q),
    "HDsharp_nDCG": with_nodes(hierarchical(HD_nDCG)),
    "HDsharp_Q": with_nodes(hierarchical(HD_Q)),
    "LADsharp_nDCG": with_nodes(layer_aware("D_nDCG")),
    "LADsharp_Q": with_nodes(layer_aware("D_Q")),
}

# Intents 1, 2 (below a) and 3 (below b), w = 1/3 each; a 2/3, b 1/3. GG on the layer above: 2/3 for d1, d2, d3; below:
# 1/3, 1/3, 2/3; HGG: 1/2, 1/2, 2/3.
RANKING = ("d1", "d2", "x")
EXAMPLE = Query(
    RANKING,
    {("d1", "1"): 1, ("d2", "2"): 1, ("d3", "3"): 2},
    {"1": 1 / 3, "2": 1 / 3, "3": 1 / 3},
    above=Query(
        RANKING, {("d1", "a"): 1, ("d2", "a"): 1, ("d3", "b"): 2}, {"a": 2 / 3, "b": 1 / 3}
    ),
)
EMPTY_TOP = replace(EXAMPLE, above=Query(RANKING, {("d1", "a"): 0}))
L3 = math.log2(3)

CASES = [
    ("I_rec_LA", EXAMPLE, dict(cutoff=2), (1 / 2 + 2 / 3) / 2),
    ("I_rec_LA", EXAMPLE, dict(cutoff=2, layer_weights="3,1"), (3 * 1 / 2 + 2 / 3) / 4),
    ("LA", EXAMPLE, dict(cutoff=2, M="StRecall"), (1 / 2 + 2 / 3) / 2),
    ("I_rec_LA", EMPTY_TOP, dict(cutoff=2, layer_weights="3,1"), (3 * 0 + 2 / 3) / 4),
    ("I_rec_LA", EMPTY_TOP, dict(cutoff=2), 2 / 3),
    ("HD_Q", EMPTY_TOP, dict(cutoff=1, layer_weights="1,1"), (1 + 1 / 6) / (1 + 1 / 3)),
    # the greedy ideal above: a document of a, then one of b; ours: a twice
    (
        "alpha_nDCG_LA",
        EXAMPLE,
        dict(cutoff=2),
        ((2 / 3 + 2 / 3 * 1 / 2 / L3) / (2 / 3 + 1 / 3 / L3) + 1) / 2,
    ),
    ("ERR_IA_LA", EXAMPLE, dict(cutoff=1), (2 / 3 + 1 / 3) / 2),
    ("Q_IA_LA", EXAMPLE, dict(cutoff=1), (2 / 3 + 1 / 3) / 2),
    ("D_nDCG_LA", EXAMPLE, dict(cutoff=1), (1 + 1 / 2) / 2),
    ("D_Q_LA", EXAMPLE, dict(cutoff=1), (1 + (1 + 1 / 3) / (1 + 2 / 3)) / 2),
    ("Dsharp_nDCG_LA", EXAMPLE, dict(cutoff=1), ((1 / 2 + 1) / 2 + (1 / 3 + 1 / 2) / 2) / 2),
    ("Dsharp_Q_LA", EXAMPLE, dict(cutoff=1), ((1 / 2 + 1) / 2 + (1 / 3 + 4 / 5) / 2) / 2),
    ("N_rec", EXAMPLE, dict(cutoff=2), 3 / 5),
    ("HD_nDCG", EXAMPLE, dict(cutoff=2), (1 / 2 + 1 / 2 / L3) / (2 / 3 + 1 / 2 / L3)),
    ("HD_Q", EXAMPLE, dict(cutoff=1), (1 + 1 / 2) / (1 + 2 / 3)),
    ("HDsharp_nDCG", EXAMPLE, dict(cutoff=1, gamma=0.25), 0.25 * 2 / 5 + 0.75 * (1 / 2) / (2 / 3)),
    ("HDsharp_Q", EXAMPLE, dict(cutoff=1), (2 / 5 + 9 / 10) / 2),
    ("LADsharp_nDCG", EXAMPLE, dict(cutoff=1), (2 / 5 + 3 / 4) / 2),
    ("LADsharp_Q", EXAMPLE, dict(cutoff=1), (2 / 5 + (1 + 4 / 5) / 2) / 2),
]
