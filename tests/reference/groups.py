"""Reference twins: group fairness, proportionality and sessions, read literally."""

import math

from .twins import J, Query, aspects, grade, judged, layers, prob, top, weight


def members(q, d, T):
    """m_t(d) = g(d,t) / sum_T g over grades above 0; alike for a document without any."""
    total = sum(grade(q, d, t) for t in T)
    return [grade(q, d, t) / total if total > 0 else 1 / len(T) for t in T]


def in_order(T):
    """Groups in the order of their ids, 2 before 10."""
    return sorted(T, key=lambda t: (len(t), t))


def target(q, T):
    """Weights over their sum; None where all are 0."""
    total = sum(weight(q, t, T) for t in T)
    return [weight(q, t, T) / total for t in T] if total > 0 else None


def divergence(kind, A, B):
    """JSD to base 2; NMD; RNOD."""
    C = len(A)
    if C == 1:
        return 0.0
    if kind == "JSD":
        M = [(a + b) / 2 for a, b in zip(A, B)]

        def kl(P):
            return sum(x * math.log2(x / m) for x, m in zip(P, M) if x > 0)

        return (kl(A) + kl(B)) / 2
    if kind == "NMD":
        return sum(abs(sum(A[: c + 1]) - sum(B[: c + 1])) for c in range(C)) / (C - 1)
    counted = [c for c in range(C) if B[c] > 0]
    far = [sum(abs(c - j) * (A[j] - B[j]) ** 2 for j in range(C)) for c in counted]
    return math.sqrt(sum(far) / len(counted) / (C - 1))


def topic(q):
    """One aspect, of the highest grade of each document."""
    return Query(
        q.ranking, {(d, "0"): max(grade(q, d, t) for e, t in q.grades if e == d) for d in judged(q)}
    )


def satisfied(q, docs, rel, gain, max_rel):
    """s(d): the probability of relevance of the topic-level grade, 0 below rel."""
    of = topic(q)
    return [prob(of, d, "0", rel, gain, max_rel) if J(of, d, "0", rel) else 0.0 for d in docs]


def GF_of(s, q, docs, rel, kind):
    """sum_i s_i prod_{j<i} (1 - s_j) (1 - D(A_i, D*))."""
    T = in_order(aspects(q, rel))
    value, unsatisfied = 0.0, 1.0
    if not T or target(q, T) is None:
        return 0.0
    for i in range(1, len(docs) + 1):
        rows = [members(q, d, T) for d in docs[:i]]
        A = [sum(row[c] for row in rows) / i for c in range(len(T))]
        value += s[i - 1] * unsatisfied * (1 - divergence(kind, A, target(q, T)))
        unsatisfied *= 1 - s[i - 1]
    return value


def GF(q, *, cutoff=None, rel=1, judged_only=False, divergence="JSD", gain="exp", max_rel=None):
    docs = top(q, cutoff, judged_only)
    return GF_of(satisfied(q, docs, rel, gain, max_rel), q, docs, rel, divergence)


def GFR(
    q,
    *,
    cutoff=None,
    rel=1,
    judged_only=False,
    relevance="ERR",
    p=0.99,
    divergence="JSD",
    gain="exp",
    max_rel=None,
):
    """The mean of ERR or iRBU and of one GF for each layer that the query has."""
    docs = top(q, cutoff, judged_only)
    s = satisfied(q, docs, rel, gain, max_rel)
    relevant, unsatisfied = 0.0, 1.0
    for i, x in enumerate(s, start=1):
        relevant += (1 / i if relevance == "ERR" else p**i) * x * unsatisfied
        unsatisfied *= 1 - x
    sets = [each for each in layers(q) if aspects(each, rel)]
    kinds = divergence.split(",") if "," in divergence else [divergence] * len(sets)
    return (relevant + sum(GF_of(s, each, docs, rel, kind) for each, kind in zip(sets, kinds))) / (
        1 + len(sets)
    )


def CPR(q, *, cutoff, rel=1, judged_only=False):
    """1/k sum_i (1 - DP@i/IDP@i), rank by rank; documents that are not there are relevant to nothing."""
    docs = top(q, cutoff, judged_only)
    T = aspects(q, rel)
    if not T or not docs or target(q, T) is None:
        return 0.0
    w, value = dict(zip(T, target(q, T))), 0.0
    for i in range(1, cutoff + 1):
        s = {t: sum(J(q, d, t, rel) for d in docs[:i]) for t in T}
        n = i - sum(any(J(q, d, t, rel) for t in T) for d in docs[:i])
        dp = sum((i * w[t] - s[t]) ** 2 for t in T if i * w[t] >= s[t]) + n * n / 2
        value += 1 - dp / (sum((i * w[t]) ** 2 for t in T) + i * i / 2)
    return value / cutoff


def placed(q, cutoff, judged_only):
    """Document, iteration, rank in the iteration."""
    out = []
    for d in top(q, None, judged_only):
        m = q.iterations[d]
        if cutoff is None or m <= cutoff:
            out.append((d, m, 1 + sum(other == m for _, other, _ in out)))
    return out


def sesDCG(q, *, cutoff=None, rel=1, judged_only=False, b=2.0, bq=4.0):
    T = aspects(q, rel)
    return sum(
        sum(grade(q, d, t) for t in T) / (1 + math.log(m, bq)) / (1 + math.log(i, b))
        for d, m, i in placed(q, cutoff, judged_only)
    )


def nsDCG(q, *, cutoff, rel=1, judged_only=False, b=2.0, bq=4.0, per_iteration=5):
    """The ideal: every place of k iterations, whichever document is best for it."""
    places = sorted(
        (
            1 / (1 + math.log(m, bq)) / (1 + math.log(i, b))
            for m in range(1, cutoff + 1)
            for i in range(1, per_iteration + 1)
        ),
        reverse=True,
    )
    T = aspects(q, rel)
    gains = sorted((sum(grade(q, d, t) for t in T) for d in judged(q)), reverse=True)
    ideal = sum(g * x for g, x in zip(gains, places))
    mine = sesDCG(q, cutoff=cutoff, rel=rel, judged_only=judged_only, b=b, bq=bq)
    return mine / ideal if ideal > 0 else 0.0


def sRBP(q, *, cutoff=None, rel=1, judged_only=False, p=0.86, b=0.64, gain="binary", max_rel=None):
    if b * p == 1:
        return 0.0
    of = topic(q)
    highest = max_rel or max((grade(of, d, "0") for d in judged(of)), default=0)
    any_relevant = any(J(of, d, "0", rel) for d in judged(of))
    value = 0.0
    for d, m, n in placed(q, cutoff, judged_only):
        x = (
            J(of, d, "0", rel)
            if gain == "binary"
            else grade(of, d, "0") / highest
            if any_relevant and highest
            else 0.0
        )
        value += ((p - b * p) / (1 - b * p)) ** (m - 1) * (b * p) ** (n - 1) * x
    return (1 - p) * value


TWINS = {"GF": GF, "GFR": GFR, "CPR": CPR, "sesDCG": sesDCG, "nsDCG": nsDCG, "sRBP": sRBP}

# Three groups of targets 1/2, 1/4, 1/4; d1 of group 1, d2 half of 2 and half of 3, grades 1 and 2 of at most 2:
# s = 1/4, 3/4. A at rank 1 is (1, 0, 0), at rank 2 (x nowhere judged) (2/3, 1/6, 1/6), at rank 3 (5/9, 5/18, 1/6)...
GROUPS = Query(
    ("d1", "x", "d2"),
    {("d1", "1"): 1, ("d2", "2"): 2, ("d2", "3"): 2, ("d3", "3"): 0},
    {"1": 1 / 2, "2": 1 / 4, "3": 1 / 4},
)
# Distances at rank 1, A = (1, 0, 0): cumulated differences 1/2, 1/4, 0.
NMD_1 = (1 / 2 + 1 / 4) / 2
# Σ_j |c − j| δ_j² with δ = (1/2, −1/4, −1/4): c = 1: 1/16 + 2/16; c = 2: 1/4 + 1/16; c = 3: 2/4 + 1/16.
RNOD_1 = math.sqrt((3 / 16 + 5 / 16 + 9 / 16) / 3 / 2)
# M = (3/4, 1/8, 1/8): (1 log(4/3) + 1/2 log(2/3) + 2 · 1/4 log 2)/2
JSD_1 = (math.log2(4 / 3) + 1 / 2 * math.log2(2 / 3) + 1 / 2) / 2
# At rank 3: ((1 + 1/3)/3, (1/3 + 1/2)/3, (1/3 + 1/2)/3) = (4/9, 5/18, 5/18); cumulated differences 1/18, 1/36.
NMD_3 = (1 / 18 + 1 / 36) / 2
# Two sets of groups: above, d1 is of a and d2 of b, targets 1/2 each; at rank 3 A is ((1 + 1/2)/3, the same) = D*.
TWO_SETS = Query(
    GROUPS.ranking,
    GROUPS.grades,
    GROUPS.weights,
    above=Query(
        GROUPS.ranking, {("d1", "a"): 1, ("d2", "b"): 2, ("d3", "b"): 0}, {"a": 1 / 2, "b": 1 / 2}
    ),
)
# A session: x, d1 | (nothing) | d2, x2
SESSION = Query(
    ("x", "d1", "d2", "x2"),
    {("d1", "1"): 1, ("d2", "1"): 2, ("d2", "2"): 1, ("d3", "2"): 1},
    iterations={"x": 1, "d1": 1, "d2": 3, "x2": 3},
)

CASES = [
    ("GF", GROUPS, dict(cutoff=2, max_rel=2), 1 / 4 * (1 - JSD_1)),
    ("GF", GROUPS, dict(cutoff=2, max_rel=2, divergence="RNOD"), 1 / 4 * (1 - RNOD_1)),
    ("GF", GROUPS, dict(divergence="NMD"), 1 / 4 * (1 - NMD_1) + 3 / 4 * 3 / 4 * (1 - NMD_3)),
    (
        "GF",
        GROUPS,
        dict(divergence="NMD", rel=2),
        3 / 4 * (1 - NMD_3),
    ),  # d1 does not satisfy, and is of group 1 still
    ("GFR", GROUPS, dict(cutoff=1), (1 / 4 + 1 / 4 * (1 - JSD_1)) / 2),
    (
        "GFR",
        GROUPS,
        dict(relevance="iRBU", p=0.5, divergence="NMD"),
        (1 / 2 * 1 / 4 + 1 / 8 * 3 / 4 * 3 / 4 + 1 / 4 * (1 - NMD_1) + 9 / 16 * (1 - NMD_3)) / 2,
    ),
    # NMD above is 1/2 at rank 1, and 0 at rank 3
    (
        "GFR",
        TWO_SETS,
        dict(divergence="NMD"),
        (
            1 / 4
            + 9 / 16 / 3
            + 1 / 4 * (1 - 1 / 2)
            + 9 / 16
            + 1 / 4 * (1 - NMD_1)
            + 9 / 16 * (1 - NMD_3)
        )
        / 3,
    ),
    (
        "GFR",
        TWO_SETS,
        dict(cutoff=1, divergence="NMD,JSD"),
        (1 / 4 + 1 / 4 * (1 - 1 / 2) + 1 / 4 * (1 - JSD_1)) / 3,
    ),
    # v = i (1/2, 1/4, 1/4); rank 1, s = (1, 0, 0): DP = 2/16, IDP = 3/8 + 1/2; rank 2, the same s, n = 1: v_1 = s_1:
    # 2 · 1/4 + 1/2 of 3/2 + 2; rank 3, s = (1, 1, 1): (1/2)² + 1/2 of 27/8 + 9/2; rank 4, n = 2: 1 + 2 of 6 + 8.
    (
        "CPR",
        GROUPS,
        dict(cutoff=4),
        (4 - 1 / 8 / (7 / 8) - 1 / (7 / 2) - 3 / 4 / (63 / 8) - 3 / 14) / 4,
    ),
    ("CPR", GROUPS, dict(cutoff=3), (3 - 1 / 8 / (7 / 8) - 1 / (7 / 2) - 3 / 4 / (63 / 8)) / 3),
    ("sesDCG", SESSION, dict(), 1 / 2 + 3 / (1 + math.log(3, 4))),
    ("sesDCG", SESSION, dict(cutoff=2, b=3), 1 / (1 + math.log(2, 3))),
    # places of two iterations of two: 1, 2/3, 1/2, 1/3; documents 3, 1, 1
    ("nsDCG", SESSION, dict(cutoff=2, per_iteration=2), 1 / 2 / (3 + 2 / 3 + 1 / 2)),
    # bp = 1/4, (p − bp)/(1 − bp) = 1/3
    ("sRBP", SESSION, dict(p=0.5, b=0.5), 1 / 2 * (1 / 4 + 1 / 9)),
    ("sRBP", SESSION, dict(p=0.5, b=0.5, gain="linear", cutoff=2), 1 / 2 * 1 / 4 * 1 / 2),
    (
        "sRBP",
        SESSION,
        dict(p=0.5, b=1, max_rel=4, gain="linear"),
        1 / 2 * 1 / 2 * 1 / 4,
    ),  # never another iteration
]
