"""Reference twins: the measures of MEASURES.md section 7, read literally, one query at a time.

``grades`` maps documents to topic-level grades, ``ranking`` lists retrieved documents, ``pool`` maps a system to its
ranking. ``counted`` is the (S_d by document, S) of a pool.
"""
from __future__ import annotations

import math

from .similarity import topic_grade
from .twins import Query


def ranking_of(scored: dict[str, float]) -> list[str]:
    """Documents by score, ties by id, both descending."""
    return sorted(scored, key=lambda d: (scored[d], d), reverse=True)


def count(documents, pool, depth=100, groups=None):
    """S_d and S: groups with a ranking that has d in its top depth."""
    groups = groups or {system: system for system in pool}
    s_d = {}
    for d in documents:
        finders = set()
        for system, ranking in pool.items():
            if d in (ranking if depth is None else ranking[:depth]):
                finders.add(groups[system])
        s_d[d] = len(finders)
    return s_d, len({groups[system] for system in pool})


def relevant(grades, d, rel):
    return 1 if grades.get(d, 0) >= rel and grades.get(d, 0) > 0 else 0


def n_relevant(grades, rel):
    return sum(relevant(grades, d, rel) for d in grades)


def top(ranking, grades, cutoff, judged_only):
    kept = [d for d in ranking if d in grades] if judged_only else ranking
    return kept if cutoff is None else kept[:cutoff]


def weight(alpha, grades, rel):
    if alpha != 'auto':
        return alpha
    return 1 / n_relevant(grades, rel) if n_relevant(grades, rel) else 0


def value(d, grades, counted, alpha, norm, rel):
    """One document's J (1 + αR), or J ((1 − α) + αR')."""
    if not relevant(grades, d, rel):
        return 0
    s_d, s = counted
    alpha = weight(alpha, grades, rel)
    if norm:
        return (1 - alpha) + alpha * (1 - (max(s_d[d], 1) - 1) / (s - 1))
    return 1 + alpha * (1 - s_d[d] / s)


def P_Rareness(ranking, grades, counted, *, cutoff=None, alpha=1.0, norm=False, rel=1, judged_only=False):
    docs = top(ranking, grades, cutoff, judged_only)
    k = len(docs) if cutoff is None else cutoff
    return sum(value(d, grades, counted, alpha, norm, rel) for d in docs) / k if k else 0


def AP_Rareness(ranking, grades, counted, *, cutoff=None, alpha=1.0, norm=False, rel=1, judged_only=False):
    docs = top(ranking, grades, cutoff, judged_only)
    total = 0
    for i, d in enumerate(docs, 1):
        if relevant(grades, d, rel):
            total += P_Rareness(docs, grades, counted, cutoff=i, alpha=alpha, norm=norm, rel=rel)
    return total / n_relevant(grades, rel) if n_relevant(grades, rel) else 0


def nDCG_Rareness(ranking, grades, counted, *, cutoff=None, alpha=1.0, gain='linear', rel=1, judged_only=False):
    if n_relevant(grades, rel) == 0:
        return 0
    s_d, s = counted

    def worth(d):
        g = max(grades.get(d, 0), 0)
        size = {'linear': g, 'exp': 2 ** g - 1, 'binary': relevant(grades, d, rel)}[gain]
        return size * (1 + weight(alpha, grades, rel) * (1 - s_d[d] / s)) if size else 0

    def dcg(worths):
        return sum(w / math.log2(i + 1) for i, w in enumerate(worths, 1))

    ideal = sorted((worth(d) for d in grades), reverse=True)
    return dcg([worth(d) for d in top(ranking, grades, cutoff, judged_only)]) / dcg(ideal[:cutoff])


def RBP_Rareness(ranking, grades, counted, *, cutoff=None, p=0.8, alpha=1.0, norm=False, rel=1, judged_only=False):
    docs = top(ranking, grades, cutoff, judged_only)
    return (1 - p) * sum(p ** (i - 1) * value(d, grades, counted, alpha, norm, rel) for i, d in enumerate(docs, 1))


# ------------------------------------------------------------------------------ by name, on a query with counts

def by_query(twin):
    def of(q, **params):
        return twin(q.ranking, {d: topic_grade(q, d) for d, _ in q.grades}, q.counted, **params)
    return of


TWINS = {twin.__name__: by_query(twin) for twin in (P_Rareness, AP_Rareness, nDCG_Rareness, RBP_Rareness)}

# S_d: d1 3, d2 2, d3 1, d4 0 of S = 3: R = 0, 1/3, 2/3, 1; relevant at ranks 1, 3, 4, and d4.
EXAMPLE = Query(('d1', 'x', 'd2', 'd3'), {('d1', 't'): 2, ('d2', 't'): 1, ('d3', 't'): 1, ('d4', 't'): 1,
                                          ('x', 't'): 0},
                counted=({'d1': 3, 'd2': 2, 'd3': 1, 'd4': 0, 'x': 2}, 3))
CASES = [
    ('P_Rareness', EXAMPLE, dict(cutoff=4), (1 + 4/3 + 5/3) / 4),
    ('P_Rareness', EXAMPLE, dict(cutoff=4, norm=True), (0 + 1/2 + 1) / 4),
    ('P_Rareness', EXAMPLE, dict(cutoff=4, alpha='auto'), (1 + (1 + 1/12) + (1 + 2/12)) / 4),
    ('AP_Rareness', EXAMPLE, {}, (1 + (1 + 4/3) / 3 + (1 + 4/3 + 5/3) / 4) / 4),
    ('RBP_Rareness', EXAMPLE, dict(p=0.5), 0.5 * (1 + 0.25 * 4/3 + 0.125 * 5/3)),
    # gains 2 · 1, 4/3, 5/3 and, for d4, 1 · (1 + 1); the ideal has 2, 2, 5/3, 4/3
    ('nDCG_Rareness', EXAMPLE, dict(cutoff=3), (2 + 4/3 / 2) / (2 + 2 / math.log2(3) + 5/3 / 2)),
]
