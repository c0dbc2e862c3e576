"""Literal twin of the C/W/L measures: one ranking, rank by rank, each continuation function as it is printed."""

import itertools
import math

from .similarity import topic_grade
from .twins import Query, judged, top

E = math.e


def exp(x):
    try:
        return E**x
    except OverflowError:
        return math.inf


def odds(b, x):
    return b * exp(x) if b else 0.0


def cumulated(x):
    """x_1, x_1 + x_2, …, one after the other: ``sum`` of Python 3.12 and later corrects rounding, which BPM's limits
    show."""
    return list(itertools.accumulate(x))


def continuation(C, i, g, c, gains, costs, at_or_below, p):
    """C(i), i from 1; g and c by rank from index 0, ``gains`` and ``costs`` cumulated.

    ``at_or_below`` is Σ_{j≥i} g_j/j by rank, with a 0 at its end.
    """
    n = len(g)
    cg, cc = gains[i - 1], costs[i - 1]
    if C in ('P', 'NDCG', 'SET', 'NERR8', 'NERR9') and i >= p['k']:
        return 0.0
    if C == 'P':
        return 1.0
    if C == 'RR':
        return 1.0 if cg == 0 else 0.0
    if C == 'AP':
        return at_or_below[i] / at_or_below[i - 1] if at_or_below[i] > 0 else 0.0
    if C == 'RBP':
        return p['p']
    if C == 'NPV':
        return 1 / (1 + p['rate'])
    if C == 'NDCG':
        return math.log(i + 1) / math.log(i + 2)
    if C == 'SET':
        b = p['beta']
        return ((i + 2) ** b - (i + 1) ** b) / ((i + 1) ** b - i**b)
    if C == 'INSQ':
        return ((i + 2 * p['T'] - 1) / (i + 2 * p['T'])) ** 2
    if C == 'INST':
        return ((i + 2 * p['T'] - cg - 1) / (i + 2 * p['T'] - cg)) ** 2
    if C == 'BPM':
        return 1.0 if cg < p['T'] and cc < p['K'] else 0.0
    if C == 'BPMD':
        T = p['T']
        for j in range(1, i + 1):
            if gains[j - 1] >= T or costs[j - 1] >= p['K']:
                return 0.0
            T += p['hb'] * (g[j - 1] - p['gain_med'])
        return 1.0
    goal = 1 - 1 / (1 + odds(p['b1'], (p['T'] - cg) * p['R1'])) if 'b1' in p else 1.0
    rate = 1 / (1 + odds(p['b2'], (p['A'] - cg / cc) * p['R2'])) if 'b2' in p else 1.0
    if C.startswith('IFT'):
        return goal * rate
    if C == 'TBG':
        return 2 ** (-c[i - 1] / p['halflife']) if i < n else 0.0
    if C == 'UMeasure':
        before = cc - c[i - 1]
        return max(0, p['L'] - cc) / (p['L'] - before) if before < p['L'] and i < n - 1 else 0.0
    if C == 'NERR8':
        return 1 - g[i - 1]
    if C == 'NERR9':
        return (1 - g[i - 1]) * i / (i + 1)
    if C == 'NERR10':
        return p['p'] * (1 - g[i - 1])
    if C == 'NERR11':
        return (1 - g[i - 1]) * ((i + 2 * p['T'] - 1) / (i + 2 * p['T'])) ** 2
    if C == 'ERR':
        return 1 - p['theta'] * g[i - 1]
    if C == 'RRR':
        seen = sum(x > 0 for x in g[:i])
        return (sum(x > 0 for x in g[: i - 1]) + 1) / (seen + 1)
    raise KeyError(C)


def aggregation(out, i, g, gains, peak):
    """A(i), i from 1."""
    best = max(g[:i])
    unsatisfied = 1.0
    for x in g[:i]:
        unsatisfied *= 1 - x
    return {
        'MEAN': gains[i - 1] / i,
        'MAX': best,
        'LAST': g[i - 1],
        'RR': 1 / i,
        'PE': peak * best + (1 - peak) * g[i - 1],
        'SAT': 1 - unsatisfied,
    }[out]


DEFAULTS = {
    'P': {'k': 10},
    'RBP': {'p': 0.8},
    'NPV': {'rate': 0.1},
    'SET': {'beta': 0.5, 'k': 10},
    'INSQ': {'T': 1},
    'INST': {'T': 1},
    'BPM': {'T': 1, 'K': 10},
    'BPMD': {'T': 1, 'K': 10, 'hb': 1, 'gain_med': 0.5},
    'TBG': {'halflife': 224},
    'UMeasure': {'L': 1000},
    'NERR10': {'p': 0.9},
    'NERR11': {'T': 1},
    'ERR': {'theta': 1},
}


def output(out, C, g, c, p):
    n = len(g)
    V = [1.0]
    gains, costs = cumulated(g), cumulated(c)
    at_or_below = cumulated([0.0, *(g[j - 1] / j for j in range(n, 0, -1))])[::-1]
    going = [continuation(C, i, g, c, gains, costs, at_or_below, p) for i in range(1, n + 1)]
    for i in range(1, n):
        V.append(V[-1] * going[i - 1])
    viewed = sum(V)
    W = [v / viewed for v in V]
    L = [V[i] * (1 - going[i]) for i in range(n)]
    if out == 'ED':
        return 1 / W[0]
    if out in ('EU', 'EC'):
        return sum(w * x for w, x in zip(W, g if out == 'EU' else c))
    if out in ('ETU', 'ETC'):
        return sum(L[i] * (gains if out == 'ETU' else costs)[i] for i in range(n))
    return sum(L[i] * aggregation(out, i + 1, g, gains, p.get('peak', 0.5)) for i in range(n))


def CWL(
    q,
    *,
    C='RBP',
    out='EU',
    residual=False,
    gain='binary',
    max_rel=None,
    depth=1000,
    max_cost=1.0,
    min_cost=1.0,
    cutoff=None,
    rel=1,
    judged_only=False,
    costs=None,
    **parameters,
):
    """``costs``: of documents by name, those that the run states."""
    docs, known = top(q, None, judged_only), set(judged(q))
    if not docs:
        return 0.0
    docs = docs[:cutoff][:depth]
    grades = {d: topic_grade(q, d) for d in known}
    top_grade = max_rel if max_rel is not None else max(grades.values(), default=0)
    p = {**DEFAULTS.get(C, {}), **parameters}
    if cutoff is not None:
        p.update({name: cutoff for name in ('k', 'K') if name not in parameters})

    def gain_of(d):
        if not (grades[d] >= rel and grades[d] > 0):
            return 0.0
        return {
            'binary': 1.0,
            'linear': min(1.0, grades[d] / top_grade),
            'exp': 2.0 ** grades[d] - 1,
        }[gain]

    def value(unknown_gain, unknown_cost):
        g = [gain_of(d) if d in known else unknown_gain for d in docs] + [unknown_gain] * (
            depth - len(docs)
        )
        c = [(costs or {}).get(d, unknown_cost) for d in docs] + [unknown_cost] * (
            depth - len(docs)
        )
        return output(out, C, g, c, p)

    worst = value(0.0, max_cost)
    return value(1.0, min_cost) - worst if residual else worst


TWINS = {'CWL': CWL}

# Ranking 0 1 ? 1 (the third document is not judged), depth 4. RBP with p = 1/2: V = 1, 1/2, 1/4, 1/8, of sum 15/8.
FOUR = Query(('m', 'a', 'n', 'b'), {('m', 't'): 0, ('a', 't'): 1, ('b', 't'): 1})
HALF = dict(p=0.5, depth=4)
CASES = [
    ('CWL', FOUR, HALF, (1 / 2 + 1 / 8) / (15 / 8)),
    ('CWL', FOUR, dict(out='ED', **HALF), 15 / 8),
    (
        'CWL',
        FOUR,
        dict(out='ETU', **HALF),
        1 / 4 + 1 / 8 + 2 / 16,
    ),  # L = 1/2, 1/4, 1/8, 1/16; cg = 0, 1, 1, 2
    ('CWL', FOUR, dict(out='EC', max_cost=3, **HALF), 3),
    ('CWL', FOUR, dict(out='ETC', **HALF), 1 / 2 + 2 / 4 + 3 / 8 + 4 / 16),
    (
        'CWL',
        FOUR,
        dict(residual=True, **HALF),
        (1 / 4) / (15 / 8),
    ),  # the third document could be relevant
    ('CWL', FOUR, dict(residual=True, cutoff=2, **HALF), (1 / 4 + 1 / 8) / (15 / 8)),
    ('CWL', FOUR, dict(C='P', cutoff=2), 1 / 2),
    ('CWL', FOUR, dict(C='P', k=4), 2 / 4),
    ('CWL', FOUR, dict(C='RR'), 1 / 2),
    ('CWL', FOUR, dict(C='RR', out='ED'), 2),
    (
        'CWL',
        FOUR,
        dict(C='AP'),
        (1 + 1 / 3) / (1 + 1 + 1 / 3 + 1 / 3),
    ),  # C = 1, (1/4)/(1/2 + 1/4), 1, 0
    ('CWL', FOUR, dict(C='NDCG', k=3), (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2)),
    ('CWL', FOUR, dict(C='INSQ', depth=2), (4 / 9) / (1 + 4 / 9)),  # C(1) = (2/3)²
    (
        'CWL',
        FOUR,
        dict(C='INST', depth=3),
        (4 / 9) / (1 + 4 / 9 + 4 / 9 * 4 / 9),
    ),  # C(2) = (2/3)² after a gain of 1
    ('CWL', FOUR, dict(C='NERR9', k=4), 1 / 2 / (1 + 1 / 2)),
    # L = 1/2, 1/4, 1/8, 1/16; cg = 0, 1, 1, 2; the best 0, 1, 1, 1; the last 0, 1, 0, 1
    ('CWL', FOUR, dict(out='MEAN', **HALF), 1 / 4 / 2 + 1 / 8 / 3 + 2 / 16 / 4),
    ('CWL', FOUR, dict(out='MAX', **HALF), 1 / 4 + 1 / 8 + 1 / 16),
    ('CWL', FOUR, dict(out='SAT', **HALF), 1 / 4 + 1 / 8 + 1 / 16),
    ('CWL', FOUR, dict(out='LAST', **HALF), 1 / 4 + 1 / 16),
    ('CWL', FOUR, dict(out='PE', peak=0.25, **HALF), 1 / 4 + 1 / 16 + 1 / 4 * 1 / 8),
    ('CWL', FOUR, dict(out='RR', **HALF), 1 / 2 + 1 / 8 + 1 / 24 + 1 / 64),
    ('CWL', FOUR, dict(C='ERR', out='RR', depth=4), 1 / 2),  # stops at rank 2
    ('CWL', FOUR, dict(C='ERR', theta=0.5, out='RR', depth=4), 1 / 2 / 2 + 1 / 4 / 4),
    (
        'CWL',
        FOUR,
        dict(C='RRR', out='RR', depth=4),
        1 / 2 / 2 + (1 / 2 - 1 / 3) / 4,
    ),  # 1/(R(R + 1)) at the R-th
    ('CWL', FOUR, dict(C='BPM', K=3), 1 / 2),
    ('CWL', FOUR, dict(C='BPM', T=2, K=3), 1 / 3),
]
