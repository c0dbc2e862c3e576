"""Reference twins of MEASURES.md section 5: each layer read on its own with the twins of sections 1-4.

A hierarchy is a list of `Query`, top layer first, which share the ranking and the judged documents.
"""

from __future__ import annotations

import math

from .twins import TWINS, Query, aspects, gain_of, judged, top, weight


def layer_weights(layers: list[Query], rel: float, given: list[float] | None) -> list[float]:
    """v_l: 1/H, or the given ones in order; only over layers with a relevant document, of sum 1."""
    v = []
    used = 0
    for q in layers:
        if aspects(q, rel):
            v.append(1.0 if given is None else given[used])
            used += 1
        else:
            v.append(0.0)
    return [x / sum(v) for x in v] if sum(v) > 0 else v


def LA(base: str, layers: list[Query], *, rel=1, given=None, **params) -> float:
    """sum_l v_l M@k on layer l."""
    v = layer_weights(layers, rel, given)
    return sum(x * TWINS[base](q, rel=rel, **params) for x, q in zip(v, layers))


def N_rec(layers: list[Query], *, cutoff=None, rel=1, judged_only=False) -> float:
    """Nodes covered by the top k over all nodes with a relevant document."""
    nodes, covered = 0, 0
    for q in layers:
        docs = top(q, cutoff, judged_only)
        for t in aspects(q, rel):
            nodes += 1
            covered += any(gain_of(q, d, t, rel, "binary") for d in docs)
    return covered / nodes if nodes else 0.0


def HGG(layers: list[Query], d: str, rel: float, gain: str, given) -> float:
    """sum_l v_l sum_t w_t gain(d,t)."""
    total = 0.0
    for x, q in zip(layer_weights(layers, rel, given), layers):
        T = aspects(q, rel)
        total += x * sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)
    return total


def HD_nDCG(layers, *, cutoff=None, rel=1, judged_only=False, gain="linear", given=None) -> float:
    """sum_i HGG(d_i)/log2(i+1) over the same on the judged documents by HGG, at k."""
    docs = top(layers[0], cutoff, judged_only)
    best = sorted((HGG(layers, d, rel, gain, given) for d in judged(layers[0])), reverse=True)[:cutoff]
    ideal = sum(g / math.log2(i + 1) for i, g in enumerate(best, start=1))
    dcg = sum(HGG(layers, d, rel, gain, given) / math.log2(i + 1) for i, d in enumerate(docs, start=1))
    return dcg / ideal if ideal > 0 else 0.0


def HD_Q(layers, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear", given=None) -> float:
    """1/min(k,R) sum_{i: HGG>0} (C(i) + beta cg(i)) / (i + beta cg*(i))."""
    run = [HGG(layers, d, rel, gain, given) for d in top(layers[0], cutoff, judged_only)]
    best = sorted((HGG(layers, d, rel, gain, given) for d in judged(layers[0])), reverse=True)
    R = sum(x > 0 for x in best)
    size = R if cutoff is None else min(cutoff, R)
    value = 0.0
    for i in range(1, len(run) + 1):
        if run[i - 1] > 0:
            value += (sum(x > 0 for x in run[:i]) + beta * sum(run[:i])) / (i + beta * sum(best[:i]))
    return value / size if size else 0.0


def sharp(value: float, layers, gamma: float, **where) -> float:
    """gamma N_rec + (1-gamma) value."""
    return gamma * N_rec(layers, **where) + (1 - gamma) * value
