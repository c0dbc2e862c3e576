"""Literal twin of the user-model measures: rank by rank, one number at a time, no closed form."""
from __future__ import annotations

import math


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
