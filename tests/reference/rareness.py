"""Reference twins: the measures of MEASURES.md section 7, read literally, one query at a time.

``grades`` maps documents to topic-level grades, ``ranking`` lists retrieved documents, ``pool`` maps a system to its
ranking. ``counted`` is the (S_d by document, S) of a pool with the system that is scored, ``finders`` the set of groups
that retrieve each document, with that of the system.
"""

import math

from .similarity import topic_grade
from .twins import Query


def ranking_of(scored):
    """Documents by score, ties by id, both descending."""
    return sorted(scored, key=lambda d: (scored[d], d), reverse=True)


def relevant(grades, d, rel):
    return 1 if grades.get(d, 0) >= rel and grades.get(d, 0) > 0 else 0


def n_relevant(grades, rel):
    return sum(relevant(grades, d, rel) for d in grades)


def top(ranking, grades, cutoff, judged_only):
    kept = [d for d in ranking if d in grades] if judged_only else ranking
    return kept if cutoff is None else kept[:cutoff]


def weight(grades, rel, alpha=1.0):
    found = n_relevant(grades, rel)
    if alpha == 'auto':
        return 1 / found if found else 0
    return alpha


def rareness(d, counted, rarity):
    """What the system could have found but nobody did counts as S_d = 1; a pool of one knows no rarity."""
    s_d, s = max(counted[0][d], 1), counted[1]
    if s == 1:
        return 0
    return {
        'R': 1 - s_d / s,
        "R'": 1 - (s_d - 1) / (s - 1),
    }[rarity]


def value(d, grades, counted, rel, norm=False, rarity=None, **form):
    """One document's J (1 + αR), or J ((1 − α) + αR')."""
    if not relevant(grades, d, rel):
        return 0
    alpha = weight(grades, rel, **form)
    if norm:
        return (1 - alpha) + alpha * rareness(d, counted, rarity or "R'")
    return 1 + alpha * rareness(d, counted, rarity or 'R')


def P_Rareness(ranking, grades, counted, *, cutoff=None, rel=1, judged_only=False, **form):
    docs = top(ranking, grades, cutoff, judged_only)
    k = len(docs) if cutoff is None else cutoff
    return sum(value(d, grades, counted, rel, **form) for d in docs) / k if k else 0


def AP_Rareness(ranking, grades, counted, *, cutoff=None, rel=1, judged_only=False, **form):
    docs = top(ranking, grades, cutoff, judged_only)
    total = 0
    for i, d in enumerate(docs, 1):
        if relevant(grades, d, rel):
            total += P_Rareness(docs, grades, counted, cutoff=i, rel=rel, **form)
    return total / n_relevant(grades, rel) if n_relevant(grades, rel) else 0


def nDCG_Rareness(
    ranking,
    grades,
    counted,
    *,
    cutoff=None,
    gain='linear',
    rarity=None,
    rel=1,
    judged_only=False,
    **form,
):
    if n_relevant(grades, rel) == 0:
        return 0

    def worth(d):
        g = max(grades.get(d, 0), 0)
        size = {'linear': g, 'exp': 2**g - 1, 'binary': relevant(grades, d, rel)}[gain]
        if not size:
            return 0
        return size * (1 + weight(grades, rel, **form) * rareness(d, counted, rarity or 'R'))

    def dcg(worths):
        return sum(w / math.log2(i + 1) for i, w in enumerate(worths, 1))

    ideal = sorted((worth(d) for d in grades), reverse=True)
    return dcg([worth(d) for d in top(ranking, grades, cutoff, judged_only)]) / dcg(ideal[:cutoff])


def RBP_Rareness(ranking, grades, counted, *, cutoff=None, p=0.8, rel=1, judged_only=False, **form):
    docs = top(ranking, grades, cutoff, judged_only)
    return (1 - p) * sum(
        p ** (i - 1) * value(d, grades, counted, rel, **form) for i, d in enumerate(docs, 1)
    )


def Rareness(ranking, grades, counted, *, cutoff=None, rarity=None, rel=1, judged_only=False):
    found = [d for d in top(ranking, grades, cutoff, judged_only) if relevant(grades, d, rel)]
    return sum(rareness(d, counted, rarity or 'R') for d in found) / len(found) if found else 0


def NumUnique(ranking, grades, counted, *, cutoff=None, rel=1, judged_only=False):
    docs = top(ranking, grades, cutoff, judged_only)
    return sum(relevant(grades, d, rel) and counted[0][d] == 1 for d in docs)


def UniqueRecall(ranking, grades, counted, *, rel=1, **form):
    everyones = NumUnique(list(grades), grades, counted, rel=rel)
    return NumUnique(ranking, grades, counted, rel=rel, **form) / everyones if everyones else 0


# ---------------------------------------------------------------------------------------------------- of intents


def serving(q, t, rel):
    """The groups that retrieve a document which serves t."""
    every = set()
    for (d, intent), grade in q.grades.items():
        if intent == t and grade >= rel and grade > 0:
            every |= finders_of(q, d)
    return every


def finders_of(q, d):
    """The groups that retrieve d, the scored one among them."""
    adds = len(q.counted) > 2 and q.counted[2] and d in q.ranking
    return set(q.finders.get(d, ())) | ({'scored'} if adds else set())


def intents_found(q, cutoff, rel, judged_only):
    judged = {d for d, _ in q.grades}
    docs = top(list(q.ranking), judged, cutoff, judged_only)
    return {t for (d, t), grade in q.grades.items() if d in docs and grade >= rel and grade > 0}


def rareness_of_intent(q, t, rarity, rel):
    return rareness(t, ({t: len(serving(q, t, rel))}, q.counted[1]), rarity)


def rareness_of_intents(q, cutoff=None, rarity=None, rel=1, judged_only=False):
    found = intents_found(q, cutoff, rel, judged_only)
    return (
        sum(rareness_of_intent(q, t, rarity or 'R', rel) for t in found) / len(found)
        if found
        else 0
    )


def num_unique_intents(q, cutoff=None, rel=1, judged_only=False):
    return sum(len(serving(q, t, rel)) == 1 for t in intents_found(q, cutoff, rel, judged_only))


def unique_recall_of_intents(q, rel=1, **form):
    everyones = sum(len(serving(q, t, rel)) == 1 for t in {t for _, t in q.grades})
    return num_unique_intents(q, rel=rel, **form) / everyones if everyones else 0


# ------------------------------------------------------------------------------ by name, on a query with counts


def by_query(twin, of_intents=None):
    """``q.counted`` is (S_d, S) with the system, or (S_d without it, S with it, what it adds where it retrieves d)."""

    def of(q, **params):
        if of_intents is not None and params.pop('of', 'document') == 'intent':
            return of_intents(q, **params)
        s_d, s, *adds = q.counted
        if adds:
            s_d = {d: n + adds[0] * (d in q.ranking) for d, n in s_d.items()}
        return twin(q.ranking, {d: topic_grade(q, d) for d, _ in q.grades}, (s_d, s), **params)

    return of


TWINS = {
    twin.__name__: by_query(twin) for twin in (P_Rareness, AP_Rareness, nDCG_Rareness, RBP_Rareness)
}
TWINS |= {
    'Rareness': by_query(Rareness, rareness_of_intents),
    'NumUnique': by_query(NumUnique, num_unique_intents),
    'UniqueRecall': by_query(UniqueRecall, unique_recall_of_intents),
}

# S_d: d1 3, d2 2, d3 1, d4 0 of S = 3: R = 0, 1/3, 2/3, 2/3; relevant at ranks 1, 3, 4, and d4.
GRADES = {('d1', 't'): 2, ('d2', 't'): 1, ('d3', 't'): 1, ('d4', 't'): 1, ('x', 't'): 0}
EXAMPLE = Query(
    ('d1', 'x', 'd2', 'd3'),
    GRADES,
    counted=({'d1': 3, 'd2': 2, 'd3': 1, 'd4': 0, 'x': 2}, 3),
    finders={'d1': {1, 2, 3}, 'd2': {1, 2}, 'd3': {1}, 'x': {1, 3}},
)  # group 1 is the system that is scored
# The same system as a newcomer to the other two.
NEWCOMER = Query(
    ('d1', 'x', 'd2', 'd3'),
    GRADES,
    counted=({'d1': 2, 'd2': 1, 'd3': 0, 'd4': 0, 'x': 1}, 3, 1),
    finders={'d1': {2, 3}, 'd2': {2}, 'x': {3}},
)
CASES = [
    (name, query, params, wanted)
    for query in (EXAMPLE, NEWCOMER)
    for name, params, wanted in [
        ('P_Rareness', dict(cutoff=4), (1 + 4 / 3 + 5 / 3) / 4),
        ('P_Rareness', dict(cutoff=4, norm=True), (0 + 1 / 2 + 1) / 4),
        ('P_Rareness', dict(cutoff=4, norm=True, rarity='R'), (0 + 1 / 3 + 2 / 3) / 4),
        ('P_Rareness', dict(cutoff=4, rarity="R'"), (1 + 3 / 2 + 2) / 4),
        ('P_Rareness', dict(cutoff=4, alpha='auto'), (1 + (1 + 1 / 12) + (1 + 2 / 12)) / 4),
        ('AP_Rareness', {}, (1 + (1 + 4 / 3) / 3 + (1 + 4 / 3 + 5 / 3) / 4) / 4),
        ('RBP_Rareness', dict(p=0.5), 0.5 * (1 + 0.25 * 4 / 3 + 0.125 * 5 / 3)),
        # gains 2 · 1, 4/3, 5/3 and, for d4, 1 · (1 + 2/3); the ideal has 2, 5/3, 5/3
        ('nDCG_Rareness', dict(cutoff=3), (2 + 4 / 3 / 2) / (2 + 5 / 3 / math.log2(3) + 5 / 3 / 2)),
        ('Rareness', dict(cutoff=3), (0 + 1 / 3) / 2),
        ('Rareness', dict(rarity="R'"), (0 + 1 / 2 + 1) / 3),
        ('NumUnique', {}, 1),
        ('NumUnique', dict(cutoff=3), 0),
        ('UniqueRecall', {}, 1),  # d3; d4 is nobody's find
    ]
]
# Nuggets: a is served by d1 and d2 (all three systems), b by d3 (this one alone), c by d2 and d3 (two), e by d4 (none);
# f is listed. S_t = 3, 1, 2, 0 of S = 3: R_t = 0, 2/3, 1/3, 2/3; R'_t = 0, 1, 1/2, 1.
NUGGETS = {
    ('d1', 'a'): 2,
    ('d2', 'a'): 1,
    ('d3', 'b'): 1,
    ('d2', 'c'): 3,
    ('d3', 'c'): 1,
    ('d4', 'e'): 1,
    ('x', 'b'): 0,
}
CASES += [
    (name, query, params, wanted)
    for example in (EXAMPLE, NEWCOMER)
    for query in [
        Query(
            example.ranking, NUGGETS, counted=example.counted, finders=example.finders, named=('f',)
        )
    ]
    for name, params, wanted in [
        ('NumUnique', dict(of='intent'), 1),
        ('NumUnique', dict(of='intent', cutoff=3), 0),
        ('UniqueRecall', dict(of='intent'), 1),  # b; e is nobody's find
        ('Rareness', dict(of='intent'), (0 + 2 / 3 + 1 / 3) / 3),
        ('Rareness', dict(of='intent', cutoff=3, rarity="R'"), (0 + 1 / 2) / 2),
    ]
]
