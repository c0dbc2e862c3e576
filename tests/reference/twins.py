"""Reference twins: each measure of MEASURES.md sections 1-4, read literally.

Plain Python, no arrays, no caching, no cleverness. Only tiny helpers are shared
(grade, J, gain value, relevance probability, aspects, weight, ranking), so that
an error in one measure does not hide in all. The greedy ideal ranking is
written three times, in three styles, on purpose.

Readings
--------
Where MEASURES.md leaves a choice, the most literal one is taken:

1.  No cutoff and an ideal ranking (alpha_nDCG, nERR_IA, nDCG_IA, D_nDCG, D_nERR,
    nNRBP): the whole ideal ranking, all judged documents. The ideal-ideal sum
    of alpha_DCG and ERR_IA instead uses k = run length after `judged_only`.
2.  With cutoff k the ideal is cut at k, even if the run is shorter than k; P_IA@k
    divides by k, even if the run is shorter; P_IA without cutoff by run length.
3.  `rel` decides J (hence T, c_t, StRecall, `binary` gains) and nothing else. A
    grade below `rel` but above 0 keeps its `linear` or `exp` gain and its r_t.
    Therefore Q_IA, D_Q, D_EBR, P+ call a document "relevant" when its gain (GG) is
    above 0, not when J = 1: C(i) and R count gains above 0.
4.  CubeTest's "g >= rel" is J = 1 (with rel=0, a grade of 0 adds and counts nothing).
5.  r_t is not clipped: a `max_rel` below the largest grade, or `raw` grades above
    1, give what the formula gives. `max_rel` is read by `exp` and `linear` only.
6.  gmax is taken over all rows of that query and aspect, whatever `rel` and
    `judged_only` are. The same holds for max GG (over all judged documents), R,
    R_t and ideal rankings: they do not depend on the run.
7.  CT compares sum r_t < saturation after rounding the sum to 12 decimals (six
    documents of r = 1/6 do saturate 1.0, which binary summation misses).
8.  A weight table that lacks an aspect of T is an error (KeyError).
9.  D_ERR, D_nERR, D_EBR, D_RBP, the DIN measures and PplusQ are "on GG" or on
    intent gains, so they take `gain='linear'` too, and DIN_Q takes `beta`.
10. DIN: a navigational intent pays at its first relevant document of the run (J = 1),
    and nothing before or after it; "the first relevant document" is Sakai (WWW 2012).
11. D_RBP and RBP_IA are not cut or normalised beyond what is printed.
12. P+: "highest grade retrieved" compares grades, not gains; the preferred rank is
    sought in the list cut at k; the mean is over documents with gain > 0 at ranks
    1..preferred, 0 if there are none.
13. CubeTest and ACubeTest with an empty ranking (m = 0) are 0, as ACT is said to be.
14. StRR with level <= 0 is 1 for any non-empty ranking of a query with aspects,
    and StRR@k looks no further than rank k.
15. A denominator of 0 gives 0 (as when all weights are 0).
16. Rows of every aspect, also those outside T, make a document judged.
17. EU, CT, alpha_DCG_IA and gNRBP use r_t for the size of the gain and J for c_t.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Query:
    """One query: a sorted ranking and its judgments; where a family needs them, fingerprints by document, the counts of
    a pool (S_d by document, S) and the groups that retrieve each document, numbered from 1, and the same query's
    judgments on the layer above."""

    ranking: tuple[str, ...]
    grades: dict[tuple[str, str], float]
    weights: dict[str, float] | None = None
    types: dict[str, str] = field(default_factory=dict)
    prints: dict[str, int] | None = None
    counted: tuple | None = None
    above: Query | None = None
    named: tuple[str, ...] = ()  # intents that no judged document was checked for
    reading: str = "relevant"
    importance: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, float] = field(default_factory=dict)
    iterations: dict[str, int] | None = None
    points: dict[str, float] | None = None
    part_of: dict[str, str] = field(default_factory=dict)
    finders: dict[str, set[int]] | None = None

    def read(self, reading: str) -> Query:
        """The same query, its aspects in a reading."""
        above = None if self.above is None else dataclasses.replace(self.above, reading=reading)
        return dataclasses.replace(self, reading=reading, above=above)


# ---------------------------------------------------------------- tiny helpers


def grade(q: Query, d: str, t: str) -> float:
    """g(d,t): missing = 0, negative = 0."""
    g = q.grades.get((d, t), 0)
    return g if g > 0 else 0


def J(q: Query, d: str, t: str, rel: float) -> int:
    """1 if g >= rel and g > 0."""
    g = grade(q, d, t)
    return 1 if g >= rel and g > 0 else 0


def judged(q: Query) -> list[str]:
    """Documents with at least one row, in ascending order of id."""
    return sorted({d for d, _ in q.grades})


def aspects(q: Query, rel: float) -> list[str]:
    """T: aspects with at least one document of J = 1; or all that are listed."""
    if q.reading == "listed":
        zero = all(g <= 0 for (_, t), g in q.grades.items() if t == "0")
        return sorted({t for _, t in q.grades if t != "0" or not zero} | set(q.named))
    return sorted({t for d, t in q.grades if J(q, d, t, rel) == 1})


def weight(q: Query, t: str, T: list[str]) -> float:
    """w(t): as given, or 1/|T|."""
    return 1 / len(T) if q.weights is None else q.weights[t]


def top(q: Query, cutoff: int | None, judged_only: bool) -> list[str]:
    """Ranking after `judged_only`, cut at `cutoff`."""
    docs = list(q.ranking)
    if judged_only:
        known = {d for d, _ in q.grades}
        docs = [d for d in docs if d in known]
    return docs if cutoff is None else docs[:cutoff]


def gain_of(q: Query, d: str, t: str, rel: float, gain: str) -> float:
    """Gain value of a grade: linear g, exp 2^g - 1, binary J."""
    g = grade(q, d, t)
    if gain == "linear":
        return g
    if gain == "exp":
        return 2**g - 1
    if gain == "binary":
        return J(q, d, t, rel)
    raise ValueError(f"unknown gain {gain!r}")


def gmax_of(q: Query, t: str, max_rel: float | None) -> float:
    """`max_rel`, or the largest grade judged for the query and the aspect."""
    if max_rel is not None:
        return max_rel
    return max((grade(q, d, a) for d, a in q.grades if a == t), default=0)


def prob(q: Query, d: str, t: str, rel: float, gain: str, max_rel: float | None) -> float:
    """r_t(d): exp (2^g - 1)/2^gmax, linear g/(gmax + 1), binary J, raw g."""
    g = grade(q, d, t)
    if gain == "binary":
        return J(q, d, t, rel)
    if gain == "raw":
        return g
    gmax = gmax_of(q, t, max_rel)
    if gmax == 0:
        return 0
    if gain == "exp":
        return (2**g - 1) / 2**gmax
    if gain == "linear":
        return g / (gmax + 1)
    raise ValueError(f"unknown gain {gain!r}")


# ------------------------------------------------------- 1. utility and cascade


def RBU(
    q,
    *,
    cutoff=None,
    rel=1,
    judged_only=False,
    p=0.8,
    e=0.03,
    gain="exp",
    max_rel=None,
    norm=False,
    effort="document",
    unit=100,
):
    """sum_i p^i (sum_t w_t r_t(d_i) prod_{j<i} (1 - r_t(d_j)) - e); 'aspect': - |T| e; 'length': - e length/unit."""
    if not 0 <= p <= 1 or e < 0:
        raise ValueError("p must lie in [0,1] and e must not be negative")
    if norm and p == 0:
        raise ValueError("norm=True needs p > 0")
    if effort not in ("document", "aspect", "length"):
        raise ValueError(f"unknown effort {effort!r}")
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    r = {(d, t): prob(q, d, t, rel, gain, max_rel) for d in docs for t in T}
    total = 0.0
    for i, d in enumerate(docs, start=1):
        inner = 0.0
        for t in T:
            unsatisfied = 1.0
            for earlier in docs[: i - 1]:
                unsatisfied *= 1 - r[earlier, t]
            inner += weight(q, t, T) * r[d, t] * unsatisfied
            if effort == "aspect":
                inner -= e
        if effort == "document":
            inner -= e
        if effort == "length":
            inner -= e * q.lengths[d] / unit
        total += p**i * inner
    return total * (1 - p) / p if norm else total


def iRBU(q, *, cutoff=None, rel=1, judged_only=False, p=0.99, gain="exp", max_rel=None):
    """sum_i p^i s(d_i) prod_{j<i} (1 - s(d_j)); s of the largest grade of a document over the subtopics."""
    grades = {(d, ""): max(grade(q, d, t) for x, t in q.grades if x == d) for d in judged(q)}
    topic = dataclasses.replace(q, grades=grades, weights=None)
    if not any(J(topic, d, "", rel) for d in judged(topic)):
        return 0.0
    total, left = 0.0, 1.0
    for i, d in enumerate(top(topic, cutoff, judged_only), start=1):
        s = prob(topic, d, "", rel, gain, max_rel)
        total += p**i * s * left
        left *= 1 - s
    return total


def EU(
    q, *, cutoff=None, rel=1, judged_only=False, alpha=0.5, e=0.05, base=2, gain="exp", max_rel=None
):
    """sum_i [sum_t w_t r_t(d_i) (1-alpha)^c_t(i) - e] / (1 + log_base i)."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for i, d in enumerate(docs, start=1):
        utility = -e
        for t in T:
            c = sum(J(q, x, t, rel) for x in docs[: i - 1])
            utility += weight(q, t, T) * prob(q, d, t, rel, gain, max_rel) * (1 - alpha) ** c
        total += utility / (1 + math.log(i) / math.log(base))
    return total


def CT(
    q, *, cutoff=None, rel=1, judged_only=False, alpha=0.5, saturation=1.0, gain="exp", max_rel=None
):
    """sum_i 1/i sum_t w_t r_t(d_i) (1-alpha)^c_t(i) [sum_{j<i} r_t(d_j) < saturation]."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    r = {(d, t): prob(q, d, t, rel, gain, max_rel) for d in docs for t in T}
    total = 0.0
    for i, d in enumerate(docs, start=1):
        for t in T:
            c = 0
            had = 0.0
            for x in docs[: i - 1]:
                c += J(q, x, t, rel)
                had += r[x, t]
            f = 1 if round(had, 12) < saturation else 0
            total += (1 / i) * weight(q, t, T) * r[d, t] * (1 - alpha) ** c * f
    return total


def ACT(
    q, *, cutoff=None, rel=1, judged_only=False, alpha=0.5, saturation=1.0, gain="exp", max_rel=None
):
    """Mean of CT@1..CT@m, m = min(k, n)."""
    m = len(top(q, cutoff, judged_only))
    if m == 0:
        return 0.0
    return (
        sum(
            CT(
                q,
                cutoff=r,
                rel=rel,
                judged_only=judged_only,
                alpha=alpha,
                saturation=saturation,
                gain=gain,
                max_rel=max_rel,
            )
            for r in range(1, m + 1)
        )
        / m
    )


def nDCU(
    q,
    *,
    cutoff=None,
    rel=1,
    judged_only=False,
    alpha=0.5,
    e=0.05,
    base=2,
    gain="binary",
    max_rel=None,
):
    """sum_i [sum_t w_t r_t(d_i) (1-alpha)^c_t(i) - e] / log_base(base+i-1), over the same on the greedy ideal."""
    T = aspects(q, rel)

    def gained(d, before):
        return sum(
            weight(q, t, T)
            * prob(q, d, t, rel, gain, max_rel)
            * (1 - alpha) ** sum(J(q, x, t, rel) for x in before)
            for t in T
        )

    def utility(docs):
        return sum((gained(d, docs[:i]) - e) / math.log(base + i, base) for i, d in enumerate(docs))

    best, left = [], judged(q)
    while left and (cutoff is None or len(best) < cutoff):
        d = max(left, key=lambda d: (round(gained(d, best), 12), d))
        if round(gained(d, best), 12) <= e:
            break
        best.append(d)
        left.remove(d)
    divisor = utility(best)
    return utility(top(q, cutoff, judged_only)) / divisor if divisor else 0.0


def by_iteration(q, cutoff, judged_only):
    """(document, iteration) of iterations 1..cutoff, and the last iteration; without iterations every rank is one."""
    docs = top(q, None, judged_only)
    pairs = [
        (d, i if q.iterations is None else q.iterations[d]) for i, d in enumerate(docs, start=1)
    ]
    last = pairs[-1][1] if pairs else 0
    return [p for p in pairs if cutoff is None or p[1] <= cutoff], last if cutoff is None else min(
        cutoff, last
    )


def height_of_cube(q, docs, rel, gamma, max_height):
    """sum_t w_t h_t / H; while h_t < H a relevant document adds min(gamma^(c_t+1) g, H - h_t)."""
    T = aspects(q, rel)
    value = 0.0
    for t in T:
        height = 0.0
        additions = 0
        for d in docs:
            if J(q, d, t, rel) == 1 and height < max_height:
                height += min(gamma ** (additions + 1) * grade(q, d, t), max_height - height)
                additions += 1
        value += weight(q, t, T) * height / max_height
    return value


def CubeTest(q, *, cutoff=None, rel=1, judged_only=False, gamma=0.5, max_height=5):
    """The height reached by iterations 1..k over min(k, last iteration)."""
    pairs, last = by_iteration(q, cutoff, judged_only)
    return height_of_cube(q, [d for d, _ in pairs], rel, gamma, max_height) / last if last else 0.0


def ACubeTest(q, *, cutoff=None, rel=1, judged_only=False, gamma=0.5, max_height=5):
    """Mean over the documents of iterations 1..k of the height reached over the document's iteration."""
    pairs, _ = by_iteration(q, cutoff, judged_only)
    values = [
        height_of_cube(q, [d for d, _ in pairs[: i + 1]], rel, gamma, max_height) / iteration
        for i, (_, iteration) in enumerate(pairs)
    ]
    return sum(values) / len(values) if values else 0.0


def full_recall(q, cutoff, rel, judged_only, never):
    """The documents down to the rank by which every aspect is covered, else all, or none with 'zero'."""
    T, docs, seen = aspects(q, rel), top(q, cutoff, judged_only), set()
    if all(J(q, d, t, rel) == 0 for d in judged(q) for t in T):
        return []
    for i, d in enumerate(docs, start=1):
        seen |= {t for t in T if J(q, d, t, rel) == 1}
        if len(seen) == len(T):
            return docs[:i]
    return docs if never == "last" else []


def P_at_Recall(q, *, cutoff=None, rel=1, judged_only=False, modified=False, never="last"):
    """Relevant documents, or shares of new aspects, over the rank of full recall."""
    docs, T, seen, total = (
        full_recall(q, cutoff, rel, judged_only, never),
        aspects(q, rel),
        set(),
        0.0,
    )
    for d in docs:
        has = {t for t in T if J(q, d, t, rel) == 1}
        if has:
            total += len(has - seen) / len(has) if modified else 1
        seen |= has
    return total / len(docs) if docs else 0.0


def RR_at_Recall(q, *, cutoff=None, rel=1, judged_only=False, never="last"):
    """1 over the rank of full recall."""
    docs = full_recall(q, cutoff, rel, judged_only, never)
    return 1 / len(docs) if docs else 0.0


def ERR_over_aspects(
    q,
    *,
    cutoff=None,
    rel=1,
    judged_only=False,
    mean="arithmetic",
    over="found",
    gain="exp",
    max_rel=4,
):
    """Mean of ERR_t over the aspects found, or all."""
    docs, values = top(q, cutoff, judged_only), []
    for t in aspects(q, rel):
        left, err = 1.0, 0.0
        for i, d in enumerate(docs, start=1):
            r = prob(q, d, t, rel, gain, max_rel)
            err += left * r / i
            left *= 1 - r
        if over == "all" or any(J(q, d, t, rel) for d in docs):
            values.append(err)
    if not values or (mean == "harmonic" and 0 in values):
        return 0.0
    return (
        sum(values) / len(values)
        if mean == "arithmetic"
        else len(values) / sum(1 / v for v in values)
    )


# --------------------------------------------------------- 2. the ndeval family


def alpha_DCG(q, *, cutoff=None, rel=1, judged_only=False, alpha=0.5):
    """sum_i G(i)/log2(i+1) / (sum_T w * sum_{i=1..k} (1-alpha)^(i-1)/log2(i+1))."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    dcg = 0.0
    for i, d in enumerate(docs, start=1):
        for t in T:
            c = sum(J(q, x, t, rel) for x in docs[: i - 1])
            dcg += weight(q, t, T) * J(q, d, t, rel) * (1 - alpha) ** c / math.log2(i + 1)
    k = len(docs) if cutoff is None else cutoff
    best = sum((1 - alpha) ** (i - 1) / math.log2(i + 1) for i in range(1, k + 1))
    best *= sum(weight(q, t, T) for t in T)
    return dcg / best if best > 0 else 0.0


def alpha_nDCG(q, *, cutoff=None, rel=1, judged_only=False, alpha=0.5):
    """sum_i G(i)/log2(i+1) over the same on the greedy ideal (largest G, ties to larger id)."""
    T = aspects(q, rel)

    def dcg(docs):
        seen = {t: 0 for t in T}
        total = 0.0
        for i, d in enumerate(docs, start=1):
            G = 0.0
            for t in T:
                if J(q, d, t, rel) == 1:
                    G += weight(q, t, T) * (1 - alpha) ** seen[t]
            for t in T:
                seen[t] += J(q, d, t, rel)
            total += G / math.log2(i + 1)
        return total

    # style 1: counters kept along the way
    pool = judged(q)
    length = len(pool) if cutoff is None else min(cutoff, len(pool))
    counts = {t: 0 for t in T}
    ideal = []
    while len(ideal) < length:
        best_doc, best_key = None, None
        for d in pool:
            G = sum(weight(q, t, T) * J(q, d, t, rel) * (1 - alpha) ** counts[t] for t in T)
            key = (round(G, 12), d)
            if best_key is None or key > best_key:
                best_doc, best_key = d, key
        ideal.append(best_doc)
        pool.remove(best_doc)
        for t in T:
            counts[t] += J(q, best_doc, t, rel)

    denominator = dcg(ideal)
    return dcg(top(q, cutoff, judged_only)) / denominator if denominator > 0 else 0.0


def ERR_IA(q, *, cutoff=None, rel=1, judged_only=False):
    """alpha = 0.5: sum_i G(i)/i / (sum_T w * sum_{i=1..k} 0.5^(i-1)/i)."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    err = 0.0
    for t in T:
        times = 0
        for i, d in enumerate(docs, start=1):
            if J(q, d, t, rel) == 1:
                err += weight(q, t, T) * 0.5**times / i
                times += 1
    if cutoff is None:
        k = len(docs)
    else:
        k = cutoff
    ideal_ideal = sum(weight(q, t, T) for t in T) * sum(0.5 ** (i - 1) / i for i in range(1, k + 1))
    return err / ideal_ideal if ideal_ideal > 0 else 0.0


def nERR_IA(q, *, cutoff=None, rel=1, judged_only=False):
    """sum_i G(i)/i (alpha = 0.5) over the same on the greedy ideal."""
    T = aspects(q, rel)

    def G(d, before):
        return sum(
            weight(q, t, T) * 0.5 ** sum(J(q, x, t, rel) for x in before)
            for t in T
            if J(q, d, t, rel) == 1
        )

    def err(docs):
        return sum(G(d, docs[: i - 1]) / i for i, d in enumerate(docs, start=1))

    # style 2: sort the remaining documents at each step, the counts taken from the list
    remaining = judged(q)
    ideal = []
    steps = len(remaining) if cutoff is None else cutoff
    for _ in range(steps):
        if not remaining:
            break
        worth = {t: weight(q, t, T) * 0.5 ** sum(J(q, x, t, rel) for x in ideal) for t in T}
        scored = [
            (round(sum(worth[t] for t in T if J(q, d, t, rel) == 1), 12), d) for d in remaining
        ]
        scored.sort(reverse=True)
        ideal.append(scored[0][1])
        remaining = [d for _, d in scored[1:]]

    bottom = err(ideal)
    return err(top(q, cutoff, judged_only)) / bottom if bottom > 0 else 0.0


def NRBP(q, *, rel=1, judged_only=False, alpha=0.5, beta=0.5):
    """(1 - (1-alpha) beta) sum_i beta^(i-1) G(i), whole ranking."""
    T = aspects(q, rel)
    docs = top(q, None, judged_only)
    total = 0.0
    c = dict.fromkeys(T, 0)
    for i, d in enumerate(docs, start=1):
        G = sum(weight(q, t, T) * J(q, d, t, rel) * (1 - alpha) ** c[t] for t in T)
        total += beta ** (i - 1) * G
        c = {t: c[t] + J(q, d, t, rel) for t in T}
    return (1 - (1 - alpha) * beta) * total


def nNRBP(q, *, rel=1, judged_only=False, alpha=0.5, beta=0.5):
    """NRBP over NRBP of the greedy ranking of all judged documents."""
    T = aspects(q, rel)

    # style 3: one aspect's next worth shrinks by (1 - alpha) at each relevant document
    worth = {t: float(weight(q, t, T)) for t in T}
    waiting = set(judged(q))
    ideal = []
    while waiting:
        chosen = max(
            waiting, key=lambda d: (round(sum(worth[t] * J(q, d, t, rel) for t in T), 12), d)
        )
        waiting.discard(chosen)
        ideal.append(chosen)
        for t in T:
            if J(q, chosen, t, rel) == 1:
                worth[t] *= 1 - alpha

    ideal_query = Query(tuple(ideal), q.grades, q.weights, q.types)
    bottom = NRBP(ideal_query, rel=rel, alpha=alpha, beta=beta)
    actual = NRBP(q, rel=rel, judged_only=judged_only, alpha=alpha, beta=beta)
    return actual / bottom if bottom > 0 else 0.0


def affordable(q: Query, docs: list[str], budget: float | None) -> list[str]:
    """The documents before the first one that does not fit the budget."""
    kept: list[str] = []
    spent = 0.0
    for d in docs:
        if budget is not None and spent + q.lengths[d] > budget:
            break
        spent += q.lengths.get(d, 0)
        kept.append(d)
    return kept


def credit(q, docs, t, rel, partial, gain, max_rel):
    """1 or partial by steps, or min(1, g/max_rel), of the best grade; gmax is that of the judgments."""
    best = max((grade(q, d, t) for d in docs), default=0)
    if gain == "linear":
        top_grade = (
            max((grade(q, d, t) for d in judged(q)), default=0) if max_rel is None else max_rel
        )
        return min(1, best / top_grade) if top_grade else 0
    return (1 if best >= rel else partial) if best > 0 else 0


def Coverage(
    q,
    *,
    cutoff=None,
    rel=1,
    judged_only=False,
    partial=0.0,
    importance="all",
    weights="given",
    budget=None,
    gain="steps",
    max_rel=None,
    parts="each",
):
    """sum_t w_t credit_t / sum_t max(w_t, 0); a nugget of several parts may count once, with its least credit."""
    docs = affordable(q, top(q, cutoff, judged_only), budget)
    nuggets: dict[str, list[tuple[float, float]]] = {}
    for t in aspects(q, rel):
        if importance != "all" and q.importance.get(t) != importance:
            continue
        w = {
            "given": 1 if q.weights is None else q.weights[t],
            "uniform": 1,
            "importance": {"vital": 1, "okay": 1 / 2}.get(q.importance.get(t, ""), 0),
            "points": (q.points or {}).get(t, 0),
        }[weights]
        name = "part of " + q.part_of[t] if parts == "all" and q.part_of.get(t) else "nugget " + t
        nuggets.setdefault(name, []).append((w, credit(q, docs, t, rel, partial, gain, max_rel)))
    got, there = 0.0, 0.0
    for members in nuggets.values():
        w = sum(w for w, _ in members) if weights == "given" else members[0][0]
        there += max(w, 0)
        got += w * min(c for _, c in members)
    return got / there if there else 0.0


def Density(
    q, *, cutoff=None, rel=1, judged_only=False, per=100.0, partial=0.0, gain="steps", max_rel=None
):
    """per * sum_t credit_t / length; a document of unknown length has length 1."""
    docs = top(q, cutoff, judged_only)
    length = sum(q.lengths.get(d, 1) for d in docs)
    said = sum(credit(q, docs, t, rel, partial, gain, max_rel) for t in aspects(q, rel))
    return per * said / length if length else 0.0


def Area(q, *, cutoff=None, rel=1, judged_only=False, M="Coverage", budget=None, along=None):
    """The mean of M over the budgets from 0 to B, piece by piece, or over the rounds."""
    docs = top(q, None, judged_only)

    def inner(seen, **at):
        read = dataclasses.replace(q, ranking=tuple(seen)).read(
            "listed" if M == "Coverage" else "relevant"
        )
        return TWINS[M](read, **at)

    if along == "length" or along is None and budget is not None:
        total, spent, at = 0.0, 0.0, {} if cutoff is None else {"cutoff": cutoff}
        for m in range(len(docs) + 1):
            end = spent + q.lengths.get(docs[m], 1) if m < len(docs) else math.inf
            width = min(end, budget) - min(spent, budget)
            if width > 0:
                total += width * inner(docs[:m], **at)
            spent = end
        return total / budget
    iteration = {
        d: i if q.iterations is None else q.iterations[d] for i, d in enumerate(docs, start=1)
    }
    rounds = max(iteration.values(), default=0) if cutoff is None else cutoff
    total = 0.0
    for x in range(1, rounds + 1):
        total += (
            inner(docs, cutoff=x)
            if M == "CubeTest"
            else inner([d for d in docs if iteration[d] <= x])
        )
    return total / rounds if rounds else 0.0


def StRecall(q, *, cutoff=None, rel=1, judged_only=False, budget=None):
    """Aspects covered by the top k / number of aspects in T."""
    T = aspects(q, rel)
    if not T:
        return 0.0
    docs = affordable(q, top(q, cutoff, judged_only), budget)
    return len([t for t in T if any(J(q, d, t, rel) for d in docs)]) / len(T)


def alpha_DCG_IA(q, *, cutoff=None, rel=1, judged_only=False, alpha=0.5, gain="exp", max_rel=None):
    """sum_i sum_t w_t r_t(d_i) (1-alpha)^c_t(i) / log2(i+1)."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        c = 0
        for i, d in enumerate(docs, start=1):
            r = prob(q, d, t, rel, gain, max_rel)
            total += weight(q, t, T) * r * (1 - alpha) ** c / math.log2(i + 1)
            c += J(q, d, t, rel)
    return total


def gNRBP(q, *, cutoff=None, rel=1, judged_only=False, p=0.8, alpha=0.5, gain="exp", max_rel=None):
    """sum_i p^(i-1) sum_t w_t r_t(d_i) (1-alpha)^c_t(i)."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for i in range(1, len(docs) + 1):
        for t in T:
            c = sum(J(q, docs[j - 1], t, rel) for j in range(1, i))
            r = prob(q, docs[i - 1], t, rel, gain, max_rel)
            total += p ** (i - 1) * weight(q, t, T) * r * (1 - alpha) ** c
    return total


def StRR(q, *, cutoff=None, rel=1, judged_only=False, level=1.0):
    """1/min{i : StRecall@i >= level}, 0 if never."""
    T = aspects(q, rel)
    if not T:
        return 0.0
    docs = top(q, cutoff, judged_only)
    for i in range(1, len(docs) + 1):
        covered = sum(1 for t in T if sum(J(q, d, t, rel) for d in docs[:i]) > 0)
        if covered / len(T) >= level:
            return 1 / i
    return 0.0


# -------------------------------------------------------------- 3. intent-aware


def P_IA(q, *, cutoff=None, rel=1, judged_only=False):
    """sum_t w_t (1/k) sum_{i<=k} J_i."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    k = len(docs) if cutoff is None else cutoff
    if k == 0:
        return 0.0
    return sum(weight(q, t, T) * sum(J(q, d, t, rel) for d in docs) / k for t in T)


def AP_IA(q, *, rel=1, judged_only=False):
    """sum_t w_t (1/R_t) sum_i J_i prec(i)."""
    T = aspects(q, rel)
    docs = top(q, None, judged_only)
    total = 0.0
    for t in T:
        R = sum(J(q, d, t, rel) for d in judged(q))
        hits = 0
        ap = 0.0
        for i, d in enumerate(docs, start=1):
            hits += J(q, d, t, rel)
            ap += J(q, d, t, rel) * hits / i
        total += weight(q, t, T) * ap / R if R else 0
    return total


def RR_IA(q, *, cutoff=None, rel=1, judged_only=False):
    """sum_t w_t / first relevant rank."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        ranks = [i for i, d in enumerate(docs, start=1) if J(q, d, t, rel) == 1]
        if ranks:
            total += weight(q, t, T) / min(ranks)
    return total


def DCG_IA(q, *, cutoff=None, rel=1, judged_only=False, gain="linear"):
    """sum_t w_t sum_i gain_i / log2(i+1)."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    return sum(
        weight(q, t, T) * gain_of(q, d, t, rel, gain) / math.log2(i + 1)
        for t in T
        for i, d in enumerate(docs, start=1)
    )


def nDCG_IA(q, *, cutoff=None, rel=1, judged_only=False, gain="linear"):
    """sum_t w_t DCG_t@k / DCG_t@k of the aspect's own ideal."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        gains = [gain_of(q, d, t, rel, gain) for d in docs]
        ideal = sorted((gain_of(q, d, t, rel, gain) for d in judged(q)), reverse=True)
        ideal = ideal[:cutoff]
        dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains))
        idcg = sum(g / math.log2(i + 2) for i, g in enumerate(ideal))
        if idcg > 0:
            total += weight(q, t, T) * dcg / idcg
    return total


def RBP_IA(q, *, cutoff=None, rel=1, judged_only=False, p=0.8, gain="binary", max_rel=None):
    """sum_t w_t (1-p) sum_i p^(i-1) x_i, x = J or g/gmax."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        for i, d in enumerate(docs, start=1):
            if gain == "binary":
                x = J(q, d, t, rel)
            elif gain == "linear":
                gmax = gmax_of(q, t, max_rel)
                x = grade(q, d, t) / gmax if gmax > 0 else 0
            else:
                raise ValueError(f"unknown gain {gain!r}")
            total += weight(q, t, T) * (1 - p) * p ** (i - 1) * x
    return total


def gERR_IA(q, *, cutoff=None, rel=1, judged_only=False, gain="exp", max_rel=None):
    """sum_t w_t sum_i (1/i) r(d_i) prod_{j<i} (1 - r(d_j))."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        going_on = 1.0
        err = 0.0
        for i, d in enumerate(docs, start=1):
            r = prob(q, d, t, rel, gain, max_rel)
            err += r * going_on / i
            going_on *= 1 - r
        total += weight(q, t, T) * err
    return total


def Q_IA(q, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear"):
    """sum_t w_t 1/min(k,R) sum_{i: gain>0} (C(i) + beta cg(i)) / (i + beta cg*(i))."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        ideal = sorted((gain_of(q, d, t, rel, gain) for d in judged(q)), reverse=True)
        R = sum(1 for g in ideal if g > 0)
        n_best = R if cutoff is None else min(cutoff, R)
        C = 0
        cg = 0.0
        value = 0.0
        for i, d in enumerate(docs, start=1):
            g = gain_of(q, d, t, rel, gain)
            if g > 0:
                C += 1
                cg += g
                value += (C + beta * cg) / (i + beta * sum(ideal[:i]))
        if n_best > 0:
            total += weight(q, t, T) * value / n_best
    return total


# ------------------------------------------------------- 4. D- and D#-measures


def D_nDCG(q, *, cutoff=None, rel=1, judged_only=False, gain="linear"):
    """sum_i GG(d_i)/log2(i+1) over the same on the judged documents by GG, at k."""
    T = aspects(q, rel)

    def GG(d):
        return sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)

    ideal = sorted(judged(q), key=GG, reverse=True)
    if cutoff is not None:
        ideal = ideal[:cutoff]
    docs = top(q, cutoff, judged_only)
    dcg = sum(GG(d) / math.log2(i + 1) for i, d in enumerate(docs, start=1))
    idcg = sum(GG(d) / math.log2(i + 1) for i, d in enumerate(ideal, start=1))
    return dcg / idcg if idcg > 0 else 0.0


def D_Q(q, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear"):
    """1/min(k,R) sum_{i: GG>0} (C(i) + beta cg(i)) / (i + beta cg*(i))."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    run = [sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T) for d in docs]
    best = [sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T) for d in judged(q)]
    best.sort(reverse=True)
    R = len([x for x in best if x > 0])
    value = 0.0
    for i in range(1, len(run) + 1):
        if run[i - 1] > 0:
            C = len([x for x in run[:i] if x > 0])
            value += (C + beta * sum(run[:i])) / (i + beta * sum(best[:i]))
    size = R if cutoff is None else min(cutoff, R)
    return value / size if size > 0 else 0.0


def D_ERR(q, *, cutoff=None, rel=1, judged_only=False, gain="linear"):
    """sum_i R_i/i prod_{j<i} (1 - R_j), R = GG/(max GG + 1)."""
    T = aspects(q, rel)
    GG = {}
    for d in set(judged(q)) | set(q.ranking):
        GG[d] = sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)
    highest = max(GG[d] for d in judged(q)) if q.grades else 0
    docs = top(q, cutoff, judged_only)
    value = 0.0
    for i, d in enumerate(docs, start=1):
        reach = 1.0
        for x in docs[: i - 1]:
            reach *= 1 - GG[x] / (highest + 1)
        value += GG[d] / (highest + 1) * reach / i
    return value


def D_nERR(q, *, cutoff=None, rel=1, judged_only=False, gain="linear"):
    """D_ERR over the D_ERR of the ideal list, both at k."""
    T = aspects(q, rel)
    run = [
        sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)
        for d in top(q, cutoff, judged_only)
    ]
    ideal = [sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T) for d in judged(q)]
    ideal.sort(reverse=True)
    if not ideal or ideal[0] == 0:
        return 0.0
    highest = ideal[0]
    if cutoff is not None:
        ideal = ideal[:cutoff]

    def err(gains):
        left, value = 1.0, 0.0
        for i, g in enumerate(gains, start=1):
            value += left * (g / (highest + 1)) / i
            left -= left * (g / (highest + 1))
        return value

    return err(run) / err(ideal) if err(ideal) > 0 else 0.0


def D_EBR(q, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear"):
    """sum_i BR(i) R_i prod_{j<i} (1 - R_j), BR(i) = (C + beta cg)/(i + beta cg*), R = GG/(max GG + 1)."""
    T = aspects(q, rel)

    def GG(d):
        return math.fsum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)

    ideal = sorted((GG(d) for d in judged(q)), reverse=True)
    if not ideal:
        return 0.0
    value, reach, C, cg, cg_ideal = 0.0, 1.0, 0, 0.0, 0.0
    for i, d in enumerate(top(q, cutoff, judged_only), start=1):
        g = GG(d)
        C += 1 if g > 0 else 0
        cg += g
        cg_ideal += ideal[i - 1] if i <= len(ideal) else 0
        R = g / (ideal[0] + 1)
        value += (C + beta * cg) / (i + beta * cg_ideal) * R * reach
        reach *= 1 - R
    return value


def D_RBP(q, *, cutoff=None, rel=1, judged_only=False, p=0.99, gain="linear"):
    """(1-p) sum_i p^(i-1) GG(d_i)/max GG."""
    T = aspects(q, rel)
    if not T:
        return 0.0

    def GG(d):
        return sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T)

    highest = max(GG(d) for d in judged(q))
    if highest == 0:
        return 0.0
    docs = top(q, cutoff, judged_only)
    return (1 - p) * sum(p ** (i - 1) * GG(d) / highest for i, d in enumerate(docs, start=1))


def _sharp(base: Callable, doc: str) -> Callable:
    """gamma StRecall@k + (1-gamma) base@k."""

    def twin(q, *, cutoff=None, rel=1, judged_only=False, gamma=0.5, **params):
        recall = StRecall(q, cutoff=cutoff, rel=rel, judged_only=judged_only)
        value = base(q, cutoff=cutoff, rel=rel, judged_only=judged_only, **params)
        return gamma * recall + (1 - gamma) * value

    twin.__doc__ = doc
    return twin


Dsharp_nDCG = _sharp(D_nDCG, "gamma StRecall@k + (1-gamma) D_nDCG@k.")
Dsharp_Q = _sharp(D_Q, "gamma StRecall@k + (1-gamma) D_Q@k.")
Dsharp_ERR = _sharp(D_ERR, "gamma StRecall@k + (1-gamma) D_ERR@k.")
Dsharp_nERR = _sharp(D_nERR, "gamma StRecall@k + (1-gamma) D_nERR@k.")
Dsharp_EBR = _sharp(D_EBR, "gamma StRecall@k + (1-gamma) D_EBR@k.")
Dsharp_RBP = _sharp(D_RBP, "gamma StRecall@k + (1-gamma) D_RBP@k.")


def DIN_nDCG(q, *, cutoff=None, rel=1, judged_only=False, gain="linear"):
    """D_nDCG, but a navigational intent adds its gain only at its first relevant document."""
    T = aspects(q, rel)
    done = set()
    dcg = 0.0
    for i, d in enumerate(top(q, cutoff, judged_only), start=1):
        gg = 0.0
        for t in T:
            if q.types.get(t, "inf") == "nav":
                if t in done or not J(q, d, t, rel):
                    continue
                done.add(t)
            gg += weight(q, t, T) * gain_of(q, d, t, rel, gain)
        dcg += gg / math.log2(i + 1)
    ideal = sorted(
        (sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T) for d in judged(q)),
        reverse=True,
    )[:cutoff]
    idcg = sum(x / math.log2(i + 1) for i, x in enumerate(ideal, start=1))
    return dcg / idcg if idcg > 0 else 0.0


def DIN_Q(q, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear"):
    """D_Q, but a navigational intent adds its gain only at its first relevant document."""
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    run = []
    for i, d in enumerate(docs):
        x = 0.0
        for t in T:
            first = J(q, d, t, rel) and not any(J(q, y, t, rel) for y in docs[:i])
            if first or q.types.get(t, "inf") != "nav":
                x += weight(q, t, T) * gain_of(q, d, t, rel, gain)
        run.append(x)
    plain = sorted(
        (sum(weight(q, t, T) * gain_of(q, d, t, rel, gain) for t in T) for d in judged(q)),
        reverse=True,
    )
    R = sum(x > 0 for x in plain)
    size = R if cutoff is None else min(cutoff, R)
    if size == 0:
        return 0.0
    value, C, cg = 0.0, 0, 0.0
    for i, x in enumerate(run, start=1):
        cg += x
        if x > 0:
            C += 1
            value += (C + beta * cg) / (i + beta * sum(plain[:i]))
    return value / size


DINsharp_nDCG = _sharp(DIN_nDCG, "gamma StRecall@k + (1-gamma) DIN_nDCG@k.")
DINsharp_Q = _sharp(DIN_Q, "gamma StRecall@k + (1-gamma) DIN_Q@k.")


def PplusQ(q, *, cutoff=None, rel=1, judged_only=False, beta=1.0, gain="linear"):
    """sum_t w_t (P+ if navigational, Q if informational), on the intent's gains.

    P+ = mean of BR(i) over documents with gain > 0 at ranks 1..r_p, r_p the first rank of
    the highest grade retrieved in the top k; Q as in Q_IA.
    """
    T = aspects(q, rel)
    docs = top(q, cutoff, judged_only)
    total = 0.0
    for t in T:
        gains = [gain_of(q, d, t, rel, gain) for d in docs]
        ideal = sorted((gain_of(q, d, t, rel, gain) for d in judged(q)), reverse=True)

        def BR(i, gains=gains, ideal=ideal):
            C = sum(1 for g in gains[:i] if g > 0)
            return (C + beta * sum(gains[:i])) / (i + beta * sum(ideal[:i]))

        found = [i for i in range(1, len(docs) + 1) if gains[i - 1] > 0]
        if not found:
            continue
        if q.types.get(t, "inf") == "nav":
            grades = [grade(q, d, t) for d in docs]
            preferred = grades.index(max(grades)) + 1
            above = [i for i in found if i <= preferred]
            value = sum(BR(i) for i in above) / len(above) if above else 0.0
        else:
            R = sum(1 for g in ideal if g > 0)
            value = sum(BR(i) for i in found) / (R if cutoff is None else min(cutoff, R))
        total += weight(q, t, T) * value
    return total


PplusQsharp = _sharp(PplusQ, "gamma StRecall@k + (1-gamma) PplusQ@k.")


def IA(q, *, cutoff=None, rel=1, judged_only=False, M="nDCG"):
    """sum_t w_t M_t, M on the grades of aspect t only; documents judged for another aspect have grade 0."""
    T = aspects(q, rel)
    total = 0.0
    for t in T:
        alone = Query(q.ranking, {(d, "t"): grade(q, d, t) for d in judged(q)})
        at = {} if cutoff is None else {"cutoff": cutoff}
        total += weight(q, t, T) * TWINS[{"nDCG": "nDCG_IA"}.get(M, M)](
            alone, judged_only=judged_only, **at
        )
    return total


TWINS: dict[str, Callable] = {
    "IA": IA,
    "Coverage": Coverage,
    "Density": Density,
    "Area": Area,
    "RBU": RBU,
    "iRBU": iRBU,
    "EU": EU,
    "CT": CT,
    "ACT": ACT,
    "CubeTest": CubeTest,
    "ACubeTest": ACubeTest,
    "nDCU": nDCU,
    "P_at_Recall": P_at_Recall,
    "RR_at_Recall": RR_at_Recall,
    "ERR_over_aspects": ERR_over_aspects,
    "alpha_DCG": alpha_DCG,
    "alpha_nDCG": alpha_nDCG,
    "ERR_IA": ERR_IA,
    "nERR_IA": nERR_IA,
    "NRBP": NRBP,
    "nNRBP": nNRBP,
    "AP_IA": AP_IA,
    "P_IA": P_IA,
    "StRecall": StRecall,
    "I_rec": StRecall,
    "S_Recall": StRecall,
    "alpha_DCG_IA": alpha_DCG_IA,
    "gNRBP": gNRBP,
    "StRR": StRR,
    "RR_IA": RR_IA,
    "DCG_IA": DCG_IA,
    "nDCG_IA": nDCG_IA,
    "RBP_IA": RBP_IA,
    "gERR_IA": gERR_IA,
    "Q_IA": Q_IA,
    "D_nDCG": D_nDCG,
    "D_Q": D_Q,
    "Dsharp_nDCG": Dsharp_nDCG,
    "Dsharp_Q": Dsharp_Q,
    "D_ERR": D_ERR,
    "D_nERR": D_nERR,
    "D_EBR": D_EBR,
    "D_RBP": D_RBP,
    "Dsharp_ERR": Dsharp_ERR,
    "Dsharp_nERR": Dsharp_nERR,
    "Dsharp_EBR": Dsharp_EBR,
    "Dsharp_RBP": Dsharp_RBP,
    "DIN_nDCG": DIN_nDCG,
    "DINsharp_nDCG": DINsharp_nDCG,
    "DIN_Q": DIN_Q,
    "DINsharp_Q": DINsharp_Q,
    "PplusQ": PplusQ,
    "PplusQsharp": PplusQsharp,
}


# Four listed nuggets: a vital, answered (3); b vital, half answered (1); c okay, answered late; d okay, unserved.
NUGGETS = Query(
    ("d1", "x", "d2"),
    {("d1", "a"): 3, ("d1", "b"): 1, ("d2", "c"): 3, ("d2", "a"): 2},
    None,
    named=("d",),
    importance={"a": "vital", "b": "vital", "c": "okay", "d": "okay"},
    lengths={"d1": 10, "x": 5, "d2": 20},
)
L3 = math.log2(3)
RUBRIC = Query(
    ("A",),
    {("A", "1"): 2, ("A", "2"): 2, ("A", "3"): 0, ("B", "1"): 2, ("B", "2"): 0, ("B", "3"): 1},
    points={"1": 5, "2": -3, "3": 2},
)
GROUPS = Query(
    ("d1", "d2"),
    {("d1", "1.1"): 1, ("d2", "1.2"): 1, ("d1", "2"): 1},
    {"1.1": 0.25, "1.2": 0.25, "2": 0.5},
    part_of={"1.1": "1", "1.2": "1"},
)
SEARCH = dataclasses.replace(NUGGETS, named=(), iterations={"d1": 1, "x": 1, "d2": 3})
CASES = [
    ("Coverage", NUGGETS, dict(rel=3, cutoff=2), 1 / 4),
    ("Coverage", NUGGETS, dict(rel=3), 2 / 4),
    ("Coverage", NUGGETS, dict(rel=3, aspects="relevant"), 2 / 2),
    ("Coverage", NUGGETS, dict(rel=3, cutoff=1, partial=0.5), 1.5 / 4),
    ("Coverage", NUGGETS, dict(rel=3, importance="vital", partial=0.5), 1.5 / 2),
    ("Coverage", NUGGETS, dict(rel=3, importance="okay"), 1 / 2),
    ("Coverage", NUGGETS, dict(budget=34), 2 / 4),
    ("Coverage", NUGGETS, dict(budget=35), 3 / 4),
    ("Coverage", NUGGETS, dict(budget=35, cutoff=2), 2 / 4),
    ("Coverage", NUGGETS, dict(budget=9), 0),
    ("Coverage", NUGGETS, dict(budget=30, judged_only=True), 3 / 4),
    (
        "Coverage",
        dataclasses.replace(NUGGETS, weights={"a": 3, "b": 2, "c": 2, "d": 1}),
        dict(rel=3, cutoff=1),
        3 / 8,
    ),
    (
        "Coverage",
        dataclasses.replace(NUGGETS, weights={"a": 3, "b": 2, "c": 2, "d": 1}),
        dict(rel=3, cutoff=1, weights="uniform"),
        1 / 4,
    ),
    # points 5, -3 and 2: A of the rubric has the first two, B the first and half of the third
    ("Coverage", RUBRIC, dict(rel=2, partial=0.5, weights="points"), (5 - 3) / 7),
    (
        "Coverage",
        dataclasses.replace(RUBRIC, ranking=("B",)),
        dict(rel=2, partial=0.5, weights="points"),
        (5 + 1) / 7,
    ),
    (
        "Coverage",
        dataclasses.replace(RUBRIC, points={"1": -1, "2": -3, "3": 0}),
        dict(weights="points"),
        0,
    ),
    (
        "Coverage",
        NUGGETS,
        dict(rel=3, weights="importance", partial=0.5),
        (1 + 0.5 + 0.5) / (1 + 1 + 0.5 + 0.5),
    ),
    ("Coverage", NUGGETS, dict(gain="linear", max_rel=2), (1 + 0.5 + 1 + 0) / 4),
    ("Coverage", NUGGETS, dict(gain="linear", max_rel=6, cutoff=1), (3 / 6 + 1 / 6) / 4),
    # nugget 1 is 1.1 and 1.2: half of the weight; d1 holds 1.1 and 2, d2 the other part
    ("Coverage", GROUPS, dict(cutoff=1), 0.25 + 0.5),
    ("Coverage", GROUPS, dict(cutoff=1, parts="all"), 0.5),
    ("Coverage", GROUPS, dict(parts="all"), 1),
    ("Coverage", GROUPS, dict(cutoff=1, weights="uniform"), 2 / 3),
    ("Coverage", GROUPS, dict(cutoff=1, weights="uniform", parts="all"), 1 / 2),
    ("Density", NUGGETS, dict(rel=3, cutoff=1), 100 * 1 / 10),
    ("Density", NUGGETS, dict(cutoff=2), 100 * 2 / 15),
    ("Density", NUGGETS, dict(rel=3, partial=0.5, per=1), 2.5 / 35),
    ("Density", NUGGETS, dict(gain="linear", max_rel=2, judged_only=True), 100 * 2.5 / 30),
    # 10 of 40 without a document, 2/4 from 10 to 35 (x adds nothing at 15), 3/4 from 35 to 40
    ("Area", NUGGETS, dict(budget=40), (25 * 2 / 4 + 5 * 3 / 4) / 40),
    ("Area", NUGGETS, dict(budget=10), 0),
    ("Area", NUGGETS, dict(budget=20, cutoff=1), 10 * (2 / 4) / 20),
    ("Area", NUGGETS, dict(), (2 / 4 + 2 / 4 + 3 / 4) / 3),
    ("Area", NUGGETS, dict(cutoff=5), (2 / 4 + 2 / 4 + 3 * 3 / 4) / 5),
    ("Area", SEARCH, dict(cutoff=2), 2 / 3),
    ("Area", SEARCH, dict(cutoff=4), (2 / 3 + 2 / 3 + 1 + 1) / 4),
    ("Area", SEARCH, dict(cutoff=2, M="CubeTest"), (2 / 3 / 5 + 2 / 3 / 5 / 2) / 2),
    ("StRecall", NUGGETS, dict(budget=34), 2 / 3),
    ("StRecall", NUGGETS, dict(budget=34, aspects="listed"), 2 / 4),
    # r: a 7/8 then 3/8 of what is left; b 1/2; c 7/8 at rank 3; e·length/unit = .1 · (10, 5, 20)/10
    (
        "RBU",
        NUGGETS,
        dict(p=0.5, e=0.1, effort="length", unit=10),
        0.5 * ((7 / 8 + 1 / 2) / 3 - 0.1) + 0.25 * -0.05 + 0.125 * ((3 / 8 / 8 + 7 / 8) / 3 - 0.2),
    ),
    ("RBU", NUGGETS, dict(p=0.5, e=0, aspects="listed", cutoff=1), 0.5 * (7 / 8 + 1 / 2) / 4),
    (
        "RBU",
        NUGGETS,
        dict(p=0.5, e=0.1, aspects="listed", effort="aspect", cutoff=1),
        0.5 * ((7 / 8 + 1 / 2) / 4 - 0.4),
    ),
    ("ERR_IA", NUGGETS, dict(aspects="listed", cutoff=1), 2 / 4),
    ("alpha_DCG", NUGGETS, dict(aspects="listed", cutoff=1), 2 / 4),
    # No iteration 2: it takes time. h_a = 1.5 after d1, +.25 · 2 after d2; h_b = .5; h_c = 1.5 after d2.
    ("CubeTest", SEARCH, {}, (2 + 0.5 + 1.5) / 3 / 5 / 3),
    ("CubeTest", SEARCH, dict(cutoff=2), 2 / 3 / 5 / 2),
    ("CubeTest", SEARCH, dict(cutoff=1), 2 / 3 / 5),
    ("CubeTest", SEARCH, dict(cutoff=9), 4 / 3 / 5 / 3),
    ("ACubeTest", SEARCH, {}, (2 / 3 / 5 + 2 / 3 / 5 + 4 / 3 / 5 / 3) / 3),
    ("ACubeTest", SEARCH, dict(cutoff=2), 2 / 3 / 5),
    ("ACubeTest", SEARCH, dict(judged_only=True), (2 / 3 / 5 + 4 / 3 / 5 / 3) / 2),
    ("P_at_Recall", NUGGETS, {}, 2 / 3),
    ("P_at_Recall", NUGGETS, dict(aspects="relevant", cutoff=2), 1 / 2),
    ("P_at_Recall", NUGGETS, dict(never="zero"), 0),
    ("P_at_Recall", NUGGETS, dict(modified=True), (1 + 1 / 2) / 3),
    ("P_at_Recall", NUGGETS, dict(never="zero", aspects="relevant"), 2 / 3),
    ("RR_at_Recall", NUGGETS, dict(cutoff=2), 1 / 2),
    ("RR_at_Recall", NUGGETS, dict(never="zero"), 0),
    ("RR_at_Recall", NUGGETS, dict(never="zero", aspects="relevant"), 1 / 3),
    # ERR: a 7/16 + 9/16 · 3/16 / 3, b 1/16, c 7/16 / 3
    ("ERR_over_aspects", NUGGETS, dict(cutoff=1), (7 / 16 + 1 / 16) / 2),
    ("ERR_over_aspects", NUGGETS, {}, (7 / 16 + 9 / 256 + 1 / 16 + 7 / 48) / 3),
    (
        "ERR_over_aspects",
        NUGGETS,
        dict(over="all", aspects="listed"),
        (7 / 16 + 9 / 256 + 1 / 16 + 7 / 48) / 4,
    ),
    ("ERR_over_aspects", NUGGETS, dict(cutoff=1, mean="harmonic"), 2 / (16 / 7 + 16)),
    ("ERR_over_aspects", NUGGETS, dict(cutoff=1, mean="harmonic", over="all"), 0),
    ("ERR_over_aspects", NUGGETS, dict(gain="binary"), (1 + 1 + 1 / 3) / 3),
    # gains .5 · (1, 1.5, 0, .5) as G above with α .5; ideal d1 (2/3), then d2 (1/3 + 1/6), nothing more
    (
        "nDCU",
        NUGGETS,
        {},
        (2 / 3 - 0.05 - 0.05 / L3 + (0.5 - 0.05) / 2) / (2 / 3 - 0.05 + (0.5 - 0.05) / L3),
    ),
    ("nDCU", NUGGETS, dict(e=0.5, cutoff=1), 1),
    ("nDCU", NUGGETS, dict(e=0.5), (1 / 6 - 0.5 / L3 + 0) / (1 / 6)),
    ("nDCU", NUGGETS, dict(e=0.7), 0),
    ("nDCU", NUGGETS, dict(cutoff=2, e=0, base=10), 2 / 3 / (2 / 3 + 0.5 / math.log10(11))),
    (
        "nDCU",
        dataclasses.replace(NUGGETS, weights={"a": 1, "b": 1, "c": 1, "d": 1}),
        dict(alpha=1, e=0.1),
        (1.9 - 0.1 / L3 + 0.9 / 2) / (1.9 + 0.9 / L3),
    ),
]
