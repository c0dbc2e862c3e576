"""Literal twin of the user-model measures: rank by rank, one number at a time, no closed form."""

import math

from .similarity import topic_grade
from .twins import Query, aspects, grade, judged, top, weight


def gain_value(grade, rel, kind):
    if not (grade >= rel and grade > 0):
        return 0.0
    if isinstance(kind, dict):
        return kind.get(grade, grade)
    return {'linear': grade, 'exp': 2**grade - 1, 'binary': 1.0}[kind]


def rbp(k, theta, base):
    return theta * (1 - theta) ** (k - 1)


def dcg(k, theta, base):
    return 1 / math.log(k + base - 1, base) - 1 / math.log(k + base, base)


def rr(k, theta, base):
    return 1 / (k * (k + 1))


def err(R_k, R, theta):
    return theta * (1 - theta) ** (R_k - 1)


def ap(R_k, R, theta):
    return 1 / R


def rrr(R_k, R, theta):
    return 1 / (R_k * (R_k + 1))


def fit(ranks, P):
    """The best θ in steps of .001, Σ ln P(k) and Σ p log2(p/P(k)) of the observed shares p (§4.1)."""

    def likelihood(theta):
        return sum(math.log(STATIC[P](k, theta, 2)) for k in ranks)

    theta = max((n / 1000 for n in range(1, 1000)), key=likelihood) if P == 'RBP' else None
    shares = {k: ranks.count(k) / len(ranks) for k in ranks}
    divergence = sum(p * math.log2(p / STATIC[P](k, theta, 2)) for k, p in shares.items())
    return theta, likelihood(theta), divergence


STATIC = {'RBP': rbp, 'DCG': dcg, 'RR': rr}
DYNAMIC = {'ERR': err, 'AP': ap, 'RRR': rrr}
STOPPING = (*STATIC, *DYNAMIC)
EFFORTS = {'1/k': lambda k: 1 / k, 'k': lambda k: k}
WITHOUT_END = {
    'RBP': lambda theta: -theta * math.log(theta) / (1 - theta),
    'RR': lambda theta: math.pi**2 / 6 - 1,
    'DCG': lambda theta: 0.491337431986215,
}
"""Σ P(k)/k over all ranks; DCG's for base 2."""


def stopping(P, k, grades, J, R, theta, base):
    """P(k), k from 1; a dynamic P is 0 where the document is not relevant."""
    if P in STATIC:
        return STATIC[P](k, theta, base)
    if not J[k - 1]:
        return 0.0
    if isinstance(theta, dict):
        return theta[grades[k - 1]] * math.prod(
            1 - theta[g] for g, j in zip(grades[: k - 1], J) if j
        )
    return DYNAMIC[P](sum(J[:k]), R, theta)


def redundancy_factor(j, alpha, redundancy):
    """What the j-th relevant document of an aspect still counts."""
    if redundancy == 'DCG':
        return 1 / math.log2(j + 1)
    if redundancy == 'RR':
        return 1 / j
    return (1 - (alpha or 0.0)) ** (j - 1)


def unnormalised(
    grades,
    judged,
    model=2,
    P='DCG',
    theta=0.5,
    gain='binary',
    rel=1,
    k=None,
    alpha=None,
    redundancy=None,
    base=2.0,
    effort='1/k',
):
    """`grades` of the ranking from rank 1, `judged` all grades of the query (or aspect)."""
    R = sum(1 for g in judged if g >= rel and g > 0)
    n = len(grades) if k is None else min(k, len(grades))
    J = [1 if g >= rel and g > 0 else 0 for g in grades]
    f = EFFORTS[effort]
    total = cumulated = stopped = effort_so_far = 0.0
    for i in range(1, n + 1):
        g = gain_value(grades[i - 1], rel, gain) * (
            redundancy_factor(sum(J[:i]), alpha, redundancy) if J[i - 1] else 0
        )
        cumulated += g
        p = stopping(P, i, grades, J, R, theta, base)
        stopped, effort_so_far = stopped + p, effort_so_far + f(i) * p
        total += {1: g, 2: cumulated, 3: f(i), 4: cumulated * f(i)}[model] * p
    if model == 2:
        total += cumulated * (1 - stopped)
    if model in (3, 4) and P in STATIC and n:
        unfilled = (
            WITHOUT_END[P](theta) - effort_so_far
            if k is None
            else sum(f(i) * STATIC[P](i, theta, base) for i in range(n + 1, k + 1))
        )
        total += unfilled * (1 if model == 3 else cumulated)
    return total


def user_model(grades, judged, *, norm=False, rel=1, **settings):
    value = unnormalised(grades, judged, rel=rel, **settings)
    if not norm:
        return value
    ideal = sorted((g for g in judged if g >= rel and g > 0), reverse=True)
    best = unnormalised(ideal, judged, rel=rel, **settings)
    return value / best if best else 0.0


# -------------------------------------------------------------------------------------------- by name, on a query


def UM(q, *, cutoff=None, rel=1, judged_only=False, **settings):
    graded = {d: topic_grade(q, d) for d, _ in q.grades}
    ranked = [graded.get(d, 0) for d in top(q, None, judged_only)]
    return user_model(ranked, list(graded.values()), k=cutoff, rel=rel, **settings)


def UM_IA(q, *, cutoff=None, rel=1, judged_only=False, **settings):
    T, docs = aspects(q, rel), top(q, None, judged_only)
    total = 0.0
    for t in T:
        graded = [[grade(q, d, t) for d in those] for those in (docs, judged(q))]
        total += weight(q, t, T) * user_model(*graded, k=cutoff, rel=rel, **settings)
    return total


def GAP(q, *, g=None, cutoff=None, rel=1, judged_only=False):
    """Pair by pair, after Robertson, Kanoulas and Yilmaz."""

    def G(i):
        if not (i >= rel and i > 0):
            return 0.0
        return i - (rel or 1) + 1 if g is None else sum(v for j, v in g.items() if rel <= j <= i)

    graded = {d: topic_grade(q, d) for d, _ in q.grades}
    ranked = [graded.get(d, 0) for d in top(q, cutoff, judged_only)]
    worth = sum(G(i) for i in graded.values())
    found = sum(
        sum(G(min(i, ranked[n])) for i in ranked[: n + 1]) / (n + 1) for n in range(len(ranked))
    )
    return found / worth if worth else 0.0


def named(model, P, gain='binary'):
    return lambda q, **params: UM(q, model=model, P=P, **{'gain': gain, **params})


TWINS = {
    'UM': UM,
    'UM_IA': UM_IA,
    'GAP': GAP,
    'CDG': named(1, 'DCG'),
    'RRG': named(1, 'RR'),
    'RBTR': named(2, 'RBP'),
    'DCG': named(2, 'DCG', 'linear'),
    'RRDCG': named(2, 'RR'),
    'ARR': named(3, 'AP'),
    'RRR': named(3, 'RRR'),
    'RBAP': named(4, 'RBP'),
    'DAG': named(4, 'DCG'),
    'EPR': named(4, 'ERR'),
    'RAP': named(4, 'RR'),
    'RRAP': named(4, 'RRR'),
}

# Ranking 0 1 0 1, one further relevant document not retrieved: R = 3, CG = 0 1 1 2, R_k = 1 at rank 2, 2 at rank 4.
EXAMPLE = Query(('m', 'a', 'n', 'b'), {('a', 't'): 1, ('b', 't'): 1, ('c', 't'): 1})
INTENTS = Query(('a', 'b'), {('a', '1'): 1, ('a', '2'): 1, ('b', '1'): 1})
MISSED = Query(('a',), {('a', '1'): 1, ('a', '2'): 1, ('b', '1'): 1})
GRADED = Query(('a', 'n', 'b'), {('a', 't'): 2, ('n', 't'): 0, ('b', 't'): 1, ('c', 't'): 2})
L3, L5, L6 = math.log2(3), math.log2(5), math.log2(6)
CASES = [
    ('CDG', EXAMPLE, {}, (1 / L3 - 1 / 2) + (1 / L5 - 1 / L6)),
    ('RRG', EXAMPLE, {}, 1 / (2 * 3) + 1 / (4 * 5)),
    ('RBTR', EXAMPLE, dict(theta=0.2), 0.8 + 0.8**3),
    ('DCG', EXAMPLE, dict(norm=True, cutoff=2), (1 / L3) / (1 + 1 / L3)),
    ('RRDCG', EXAMPLE, {}, 1 / 2 + 1 / 4),
    ('ARR', EXAMPLE, dict(norm=True), (1 / 2 + 1 / 4) / (1 + 1 / 2 + 1 / 3)),
    ('RRR', EXAMPLE, {}, 1 / 2 / (1 * 2) + 1 / 4 / (2 * 3)),
    # two relevant documents down to rank 4, and below every further rank of the cutoff: 2/5 and 2/6
    (
        'RBAP',
        EXAMPLE,
        dict(cutoff=6),
        1 / 2 * 0.25 + 1 / 3 * 0.125 + 2 / 4 * 0.0625 + 2 / 5 * 0.5**5 + 2 / 6 * 0.5**6,
    ),
    # Σ P(k)/k = ln 2 for θ = 1/2, less 1/2 for rank 1, at which nothing is found, and 1/8 + 1/24 for ranks 2 and 3
    (
        'RBAP',
        EXAMPLE,
        {},
        1 / 2 * 0.25 + 1 / 3 * 0.125 + 2 * (math.log(2) - 1 / 2 - 1 / 8 - 1 / 24),
    ),
    ('DAG', EXAMPLE, dict(cutoff=3), 1 / 2 * (1 / L3 - 1 / 2) + 1 / 3 * (1 / 2 - 1 / L5)),
    ('EPR', EXAMPLE, {}, 1 / 2 * 0.5 + 2 / 4 * 0.25),
    (
        'RAP',
        EXAMPLE,
        {},
        1 / 2 / (2 * 3) + 1 / 3 / (3 * 4) + 2 * (math.pi**2 / 6 - 1 - 1 / 2 - 1 / 12 - 1 / 36),
    ),
    ('RRAP', EXAMPLE, {}, 1 / 2 / (1 * 2) + 2 / 4 / (2 * 3)),
    # half of the users stop at rank 2, a quarter at rank 4, a quarter finds nothing more and keeps both
    ('UM', EXAMPLE, dict(model=2, P='ERR'), 1 * 0.5 + 2 * 0.25 + 2 * 0.25),
    ('UM', EXAMPLE, dict(model=3, P='RR', cutoff=3), 1 / 2 + 1 / 6 / 2 + 1 / 12 / 3),
    ('UM', EXAMPLE, dict(model=3, P='RR', cutoff=3, effort='k'), 1 / 2 + 2 * 1 / 6 + 3 * 1 / 12),
    ('UM', EXAMPLE, dict(model=3, P='AP', effort='k'), (2 + 4) / 3),
    ('UM', EXAMPLE, dict(P='DCG', base=3), 1 / math.log(4, 3) + 1 / math.log(6, 3)),
    ('UM', GRADED, dict(gain={1: 0.3, 2: 1}, P='RR'), 1 + 0.3 / 3),
    ('UM', GRADED, dict(model=3, P='ERR', theta={1: 0.3, 2: 0.6}), 0.6 + 0.4 * 0.3 / 3),
    # the gains 2 and 4 of grades 1 and 2 would be 2, 4; the perfect ranking has 4, 4, 2
    (
        'UM',
        GRADED,
        dict(gain={1: 2, 2: 4}, P='RR', norm=True, cutoff=3),
        (4 + 2 / 3) / (4 + 4 / 2 + 2 / 3),
    ),
    ('GAP', GRADED, {}, (2 + 2 / 3) / 5),
    ('GAP', GRADED, dict(g={1: 0.25, 2: 0.75}), (1 + (0.25 + 0.25) / 3) / 2.25),
    ('GAP', GRADED, dict(rel=2), 1 / 2),
    # intent 1 gains 1 + 0.5/2 (F_RR = 1, 1/2; the second document is redundant), intent 2 gains 1
    ('UM_IA', INTENTS, dict(P='RR', alpha=0.5), (1.25 + 1) / 2),
    ('UM_IA', INTENTS, dict(P='RR', redundancy='DCG'), (1 + 1 / L3 / 2 + 1) / 2),
    ('UM_IA', INTENTS, dict(P='RR', redundancy='RR', cutoff=1, norm=True), 1),
    # of intent 2 rank 1 is all there is; of intent 1 the second document, at rank 2, is missed
    ('UM_IA', MISSED, dict(P='RR', norm=True), (1 / 1.5 + 1) / 2),
]
