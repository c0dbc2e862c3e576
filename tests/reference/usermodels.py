"""Literal twin of the user-model measures: rank by rank, one number at a time, no closed form."""
from __future__ import annotations

import math

from .similarity import topic_grade
from .twins import Query, aspects, grade, judged, top, weight


def gain_value(grade: float, rel: float, kind: str) -> float:
    if kind == 'linear':
        return grade
    if kind == 'exp':
        return 2 ** grade - 1
    return 1.0 if grade >= rel and grade > 0 else 0.0


def rbp(k: int, theta: float) -> float:
    return theta * (1 - theta) ** (k - 1)


def dcg(k: int, theta: float) -> float:
    return 1 / math.log2(k + 1) - 1 / math.log2(k + 2)


def rr(k: int, theta: float) -> float:
    return 1 / (k * (k + 1))


def err(R_k: int, R: int, theta: float) -> float:
    return theta * (1 - theta) ** (R_k - 1)


def ap(R_k: int, R: int, theta: float) -> float:
    return 1 / R


def rrr(R_k: int, R: int, theta: float) -> float:
    return 1 / (R_k * (R_k + 1))


STATIC = {'RBP': rbp, 'DCG': dcg, 'RR': rr}
DYNAMIC = {'ERR': err, 'AP': ap, 'RRR': rrr}
STOPPING = (*STATIC, *DYNAMIC)


def stopping(P: str, k: int, J: list[int], R: int, theta: float) -> float:
    """P(k), k from 1; a dynamic P is 0 where the document is not relevant."""
    if P in STATIC:
        return STATIC[P](k, theta)
    return DYNAMIC[P](sum(J[:k]), R, theta) if J[k - 1] else 0.0


def viewing_after(P: str, n: int, theta: float) -> float:
    """F(n + 1): the mass of a static distribution beyond n, 0 for a dynamic one."""
    return 1 - sum(STATIC[P](k, theta) for k in range(1, n + 1)) if P in STATIC else 0.0


def unnormalised(grades: list[float], judged: list[float], model: int, P: str, theta: float, gain: str, rel: float,
                 k: int | None, alpha: float = 0.0) -> float:
    """`grades` of the ranking from rank 1, `judged` all grades of the query (or aspect)."""
    R = sum(1 for g in judged if g >= rel and g > 0)
    n = len(grades) if k is None else min(k, len(grades))
    J = [1 if g >= rel and g > 0 else 0 for g in grades]
    total = cumulated = 0.0
    for i in range(1, n + 1):
        g = gain_value(grades[i - 1], rel, gain) if R else 0.0
        g *= (1 - alpha) ** sum(J[:i - 1])
        cumulated += g
        p = stopping(P, i, J, R, theta)
        total += {1: g, 2: cumulated, 3: 1 / i, 4: cumulated / i}[model] * p
    if model == 2:
        total += cumulated * viewing_after(P, n, theta)
    return total


def user_model(grades: list[float], judged: list[float], *, model: int, P: str, theta: float = 0.5,
               gain: str = 'binary', rel: float = 1, k: int | None = None, norm: bool = False) -> float:
    value = unnormalised(grades, judged, model, P, theta, gain, rel, k)
    if not norm:
        return value
    R = sum(1 for g in judged if g >= rel and g > 0)
    length = max(R, len(grades))
    ideal = sorted(judged, reverse=True) + [0.0] * length
    best = unnormalised(ideal[:length], judged, model, P, theta, gain, rel, k)
    return value / best if best else 0.0


# -------------------------------------------------------------------------------------------- by name, on a query

def UM(q, *, model=2, P='DCG', theta=0.5, gain='binary', norm=False, cutoff=None, rel=1, judged_only=False):
    graded = {d: topic_grade(q, d) for d, _ in q.grades}
    return user_model([graded.get(d, 0) for d in top(q, None, judged_only)], list(graded.values()), model=model, P=P,
                      theta=theta, gain=gain, rel=rel, k=cutoff, norm=norm)


def UM_IA(q, *, model=2, P='DCG', theta=0.5, alpha=None, gain='binary', cutoff=None, rel=1, judged_only=False):
    T, docs = aspects(q, rel), top(q, None, judged_only)
    return sum(weight(q, t, T) * unnormalised([grade(q, d, t) for d in docs], [grade(q, d, t) for d in judged(q)],
                                              model, P, theta, gain, rel, cutoff, alpha or 0.0) for t in T)


def named(model, P):
    return lambda q, **params: UM(q, model=model, P=P, **params)


TWINS = {'UM': UM, 'UM_IA': UM_IA,
         'CDG': named(1, 'DCG'), 'RRG': named(1, 'RR'), 'RBTR': named(2, 'RBP'), 'DCG': named(2, 'DCG'),
         'RRDCG': named(2, 'RR'), 'ARR': named(3, 'AP'), 'RRR': named(3, 'RRR'), 'RBAP': named(4, 'RBP'),
         'DAG': named(4, 'DCG'), 'EPR': named(4, 'ERR'), 'RAP': named(4, 'RR'), 'RRAP': named(4, 'RRR')}

# Ranking 0 1 0 1, one further relevant document not retrieved: R = 3, CG = 0 1 1 2, R_k = 1 at rank 2, 2 at rank 4.
EXAMPLE = Query(('m', 'a', 'n', 'b'), {('a', 't'): 1, ('b', 't'): 1, ('c', 't'): 1})
INTENTS = Query(('a', 'b'), {('a', '1'): 1, ('a', '2'): 1, ('b', '1'): 1})
L3, L5, L6 = math.log2(3), math.log2(5), math.log2(6)
CASES = [
    ('CDG', EXAMPLE, {}, (1/L3 - 1/2) + (1/L5 - 1/L6)), ('RRG', EXAMPLE, {}, 1/(2 * 3) + 1/(4 * 5)),
    ('RBTR', EXAMPLE, {}, 0.5 + 0.125), ('RBTR', EXAMPLE, dict(theta=0.2), 0.8 + 0.8**3),
    ('DCG', EXAMPLE, {}, 1/L3 + 1/L5), ('DCG', EXAMPLE, dict(norm=True, cutoff=2), (1/L3) / (1 + 1/L3)),
    ('RRDCG', EXAMPLE, {}, 1/2 + 1/4), ('ARR', EXAMPLE, {}, (1/2 + 1/4) / 3),
    ('ARR', EXAMPLE, dict(norm=True), (1/2 + 1/4) / (1 + 1/2 + 1/3)),
    ('RRR', EXAMPLE, {}, 1/2 / (1 * 2) + 1/4 / (2 * 3)),
    ('RBAP', EXAMPLE, {}, 1/2 * 0.25 + 1/3 * 0.125 + 2/4 * 0.0625),
    ('DAG', EXAMPLE, dict(cutoff=3), 1/2 * (1/L3 - 1/2) + 1/3 * (1/2 - 1/L5)),
    ('EPR', EXAMPLE, {}, 1/2 * 0.5 + 2/4 * 0.25),
    ('RAP', EXAMPLE, {}, 1/2 / (2 * 3) + 1/3 / (3 * 4) + 2/4 / (4 * 5)),
    ('RRAP', EXAMPLE, {}, 1/2 / (1 * 2) + 2/4 / (2 * 3)),
    ('UM', EXAMPLE, dict(model=4, P='AP'), (1/2 + 2/4) / 3),
    ('UM', EXAMPLE, dict(model=2, P='ERR'), 1 * 0.5 + 2 * 0.25),
    # intent 1 gains 1 + 0.5/2 (F_RR = 1, 1/2; the second document is redundant), intent 2 gains 1
    ('UM_IA', INTENTS, dict(P='RR', alpha=0.5), (1.25 + 1) / 2),
]
