"""Reference twins: each measure of MEASURES.md sections 1-4, read literally.

Plain Python, no arrays, no caching, no cleverness. Only tiny helpers are shared
(grade, J, gain value, global gain, relevance probability, aspects, weight, ranking; `Seen` asks
them of one query), so that an error in one measure does not hide in all. The greedy ideal ranking is
written three times, in three styles, on purpose.

Readings
--------
Where MEASURES.md leaves a choice, the most literal one is taken:

1.  No cutoff and an ideal ranking (alpha_nDCG, nERR_IA, nDCG_IA, D_nDCG,
    nNRBP): the whole ideal ranking, all judged documents. The ideal-ideal sum
    of alpha_DCG and ERR_IA instead uses k = run length after `judged_only`.
2.  With cutoff k the ideal is cut at k, even if the run is shorter than k; P_IA@k
    divides by k, even if the run is shorter; P_IA without cutoff by run length.
3.  `rel` decides J (hence T, c_t, StRecall, `binary` gains) and nothing else. A
    grade below `rel` but above 0 keeps its `linear` or `exp` gain and its r_t.
    Therefore Q_IA and D_Q call a document "relevant" when its gain (GG) is
    above 0, not when J = 1: C(i) and R count gains above 0.
4.  r_t is not clipped: a `max_rel` below the largest grade, or `raw` grades above
    1, give what the formula gives. `max_rel` is read by `exp` and `linear` only.
5.  gmax is taken over all rows of that query and aspect, whatever `rel` and
    `judged_only` are. The same holds for max GG (over all judged documents), R,
    R_t and ideal rankings: they do not depend on the run.
6.  CT compares sum r_t < saturation after rounding the sum to 12 decimals (six
    documents of r = 1/6 do saturate 1.0, which binary summation misses).
7.  A weight table that lacks an aspect of T is an error (KeyError).
8.  RBP_IA is not cut or normalised beyond what is printed.
9.  StRR with level <= 0 is 1 for any non-empty ranking of a query with aspects,
    and StRR@k looks no further than rank k.
10. A denominator of 0 gives 0 (as when all weights are 0).
11. Rows of every aspect, also those outside T, make a document judged.
12. EU, CT, alpha_DCG_IA and gNRBP use r_t for the size of the gain and J for c_t.
"""

import copy
import dataclasses
import functools
import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Query:
    """One query: a sorted ranking and its judgments; where a family needs them, fingerprints by document, the counts of
    a pool (S_d by document, S) and the groups that retrieve each document, numbered from 1, and the same query's
    judgments on the layer above."""

    ranking: tuple[str, ...]
    grades: dict[tuple[str, str], float]
    weights: dict[str, float] | None = None
    prints: dict[str, int] | None = None
    counted: tuple | None = None
    above: "Query | None" = None
    named: tuple[str, ...] = ()  # intents that no judged document was checked for
    reading: str = "relevant"
    importance: dict[str, str] = field(default_factory=dict)
    finders: dict[str, set[int]] | None = None

    def read(self, reading):
        """The same query, its aspects in a reading."""
        above = self.above and self.above.read(reading)
        return dataclasses.replace(self, reading=reading, above=above)


# ---------------------------------------------------------------- tiny helpers


def layers(q):
    """The query on each of its layers, the top one first."""
    return [*(layers(q.above) if q.above else []), q]


def grade(q, d, t):
    """g(d,t): missing = 0, negative = 0."""
    g = q.grades.get((d, t), 0)
    return g if g > 0 else 0


def J(q, d, t, rel):
    """1 if g >= rel and g > 0."""
    g = grade(q, d, t)
    return 1 if g >= rel and g > 0 else 0


def judged(q):
    """Documents with at least one row, in ascending order of id."""
    return sorted({d for d, _ in q.grades})


def aspects(q, rel):
    """T: aspects with at least one document of J = 1; or all that are listed."""
    if q.reading == "listed":
        zero = all(g <= 0 for (_, t), g in q.grades.items() if t == "0")
        return sorted({t for _, t in q.grades if t != "0" or not zero} | set(q.named))
    return sorted({t for d, t in q.grades if J(q, d, t, rel) == 1})


def weight(q, t, T):
    """w(t): as given, or 1/|T|."""
    return 1 / len(T) if q.weights is None else q.weights[t]


def top(q, cutoff, judged_only):
    """Ranking after `judged_only`, cut at `cutoff`."""
    docs = list(q.ranking)
    if judged_only:
        known = {d for d, _ in q.grades}
        docs = [d for d in docs if d in known]
    return docs if cutoff is None else docs[:cutoff]


def gain_of(q, d, t, rel, gain):
    """Gain value of a grade: linear g, exp 2^g - 1, binary J."""
    g = grade(q, d, t)
    return {"linear": g, "exp": 2**g - 1, "binary": J(q, d, t, rel)}[gain]


def gmax_of(q, t, max_rel):
    """`max_rel`, or the largest grade judged for the query and the aspect."""
    if max_rel is not None:
        return max_rel
    return max((grade(q, d, a) for d, a in q.grades if a == t), default=0)


def prob(q, d, t, rel, gain, max_rel):
    """r_t(d): exp (2^g - 1)/2^gmax, linear g/(gmax + 1), binary J, raw g."""
    g = grade(q, d, t)
    if gain == "binary":
        return J(q, d, t, rel)
    if gain == "raw":
        return g
    gmax = gmax_of(q, t, max_rel)
    if gmax == 0:
        return 0
    return {"exp": (2**g - 1) / 2**gmax, "linear": g / (gmax + 1)}[gain]


# ------------------------------------------------------- what a twin sees


class Seen:
    """What a twin reads of a query: the tiny helpers, of one query, cutoff, ``rel`` and gain.

    Attributes:
        docs: the ranking after ``judged_only``, cut at the cutoff k.
        judged: documents with at least one row.
        T: the aspects.
    """

    def __init__(self, query, cutoff, rel, judged_only, gain, max_rel):
        self.query, self.k, self.rel, self.gain, self.max_rel = query, cutoff, rel, gain, max_rel
        self.docs = top(query, cutoff, judged_only)
        self.judged, self.T = judged(query), aspects(query, rel)

    def of(self, docs):
        """The same of another ranking."""
        other = copy.copy(self)
        other.docs = docs
        return other

    def J(self, d, t):
        return J(self.query, d, t, self.rel)

    def w(self, t):
        return weight(self.query, t, self.T)

    def g(self, d, t):
        return gain_of(self.query, d, t, self.rel, self.gain)

    def GG(self, d):
        return sum(self.w(t) * self.g(d, t) for t in self.T)

    def best_GG(self):
        """The global gains of the judged documents, largest first."""
        return sorted(map(self.GG, self.judged), reverse=True)

    def r(self, d, t):
        return prob(self.query, d, t, self.rel, self.gain, self.max_rel)


TWINS = {}


def twin(gain="binary", max_rel=None):
    """The function of a :class:`Seen` becomes the twin ``f(query, **parameters)`` of its name. ``gain`` and ``max_rel``
    are the defaults of these parameters."""

    def decorate(literal):
        @functools.wraps(literal)
        def of_query(
            q, *, cutoff=None, rel=1, judged_only=False, gain=gain, max_rel=max_rel, **own
        ):
            return literal(Seen(q, cutoff, rel, judged_only, gain, max_rel), **own)

        TWINS[literal.__name__] = of_query
        return literal

    return decorate


# ------------------------------------------------------- 1. utility and cascade


@twin("exp")
def RBU(s, p=0.8, e=0.03, norm=False, effort="document"):
    """sum_i p^i (sum_t w_t r_t(d_i) prod_{j<i} (1 - r_t(d_j)) - e); 'aspect': - |T| e."""
    r = {(d, t): s.r(d, t) for d in s.docs for t in s.T}
    total = 0.0
    for i, d in enumerate(s.docs, start=1):
        inner = sum(s.w(t) * r[d, t] * math.prod(1 - r[x, t] for x in s.docs[: i - 1]) for t in s.T)
        inner -= e * (len(s.T) if effort == "aspect" else 1)
        total += p**i * inner
    return total * (1 - p) / p if norm else total


@twin("exp")
def EU(s, alpha=0.5, e=0.05, base=2):
    """sum_i [sum_t w_t r_t(d_i) (1-alpha)^c_t(i) - e] / (1 + log_base i)."""
    total = 0.0
    for i, d in enumerate(s.docs, start=1):
        utility = -e
        for t in s.T:
            c = sum(s.J(x, t) for x in s.docs[: i - 1])
            utility += s.w(t) * s.r(d, t) * (1 - alpha) ** c
        total += utility / (1 + math.log(i) / math.log(base))
    return total


@twin("exp")
def CT(s, alpha=0.5, saturation=1.0):
    """sum_i 1/i sum_t w_t r_t(d_i) (1-alpha)^c_t(i) [sum_{j<i} r_t(d_j) < saturation]."""
    r = {(d, t): s.r(d, t) for d in s.docs for t in s.T}
    total = 0.0
    for i, d in enumerate(s.docs, start=1):
        for t in s.T:
            before = s.docs[: i - 1]
            c, had = sum(s.J(x, t) for x in before), sum(r[x, t] for x in before)
            if round(had, 12) < saturation:
                total += (1 / i) * s.w(t) * r[d, t] * (1 - alpha) ** c
    return total


@twin("exp")
def ACT(s, alpha=0.5, saturation=1.0):
    """Mean of CT@1..CT@m, m = min(k, n)."""
    m = len(s.docs)
    return sum(CT(s.of(s.docs[:r]), alpha, saturation) for r in range(1, m + 1)) / m if m else 0.0


@twin("binary")
def nDCU(s, alpha=0.5, e=0.05, base=2):
    """sum_i [sum_t w_t r_t(d_i) (1-alpha)^c_t(i) - e] / log_base(base+i-1), over the same on the greedy ideal."""

    def gained(d, before):
        return sum(s.w(t) * s.r(d, t) * (1 - alpha) ** sum(s.J(x, t) for x in before) for t in s.T)

    def utility(docs):
        return sum((gained(d, docs[:i]) - e) / math.log(base + i, base) for i, d in enumerate(docs))

    best, left = [], list(s.judged)
    while left and (s.k is None or len(best) < s.k):
        d = max(left, key=lambda d: (round(gained(d, best), 12), d))
        if round(gained(d, best), 12) <= e:
            break
        best.append(d)
        left.remove(d)
    divisor = utility(best)
    return utility(s.docs) / divisor if divisor else 0.0


def full_recall(s, never):
    """The documents down to the rank by which every aspect is covered, else all, or none with 'zero'."""
    seen = set()
    if all(s.J(d, t) == 0 for d in s.judged for t in s.T):
        return []
    for i, d in enumerate(s.docs, start=1):
        seen |= {t for t in s.T if s.J(d, t) == 1}
        if len(seen) == len(s.T):
            return s.docs[:i]
    return s.docs if never == "last" else []


@twin()
def P_at_Recall(s, modified=False, never="last"):
    """Relevant documents, or shares of new aspects, over the rank of full recall."""
    docs, seen, total = full_recall(s, never), set(), 0.0
    for d in docs:
        has = {t for t in s.T if s.J(d, t) == 1}
        if has:
            total += len(has - seen) / len(has) if modified else 1
        seen |= has
    return total / len(docs) if docs else 0.0


@twin()
def RR_at_Recall(s, never="last"):
    """1 over the rank of full recall."""
    docs = full_recall(s, never)
    return 1 / len(docs) if docs else 0.0


@twin("exp", max_rel=4)
def ERR_over_aspects(s, mean="arithmetic", over="found"):
    """Mean of ERR_t over the aspects found, or all."""
    values = []
    for t in s.T:
        left, err = 1.0, 0.0
        for i, d in enumerate(s.docs, start=1):
            err += left * s.r(d, t) / i
            left *= 1 - s.r(d, t)
        if over == "all" or any(s.J(d, t) for d in s.docs):
            values.append(err)
    if not values or (mean == "harmonic" and 0 in values):
        return 0.0
    return (
        sum(values) / len(values)
        if mean == "arithmetic"
        else len(values) / sum(1 / v for v in values)
    )


# --------------------------------------------------------- 2. the ndeval family


@twin()
def alpha_DCG(s, alpha=0.5):
    """sum_i G(i)/log2(i+1) / (sum_T w * sum_{i=1..k} (1-alpha)^(i-1)/log2(i+1))."""
    dcg = 0.0
    for i, d in enumerate(s.docs, start=1):
        for t in s.T:
            c = sum(s.J(x, t) for x in s.docs[: i - 1])
            dcg += s.w(t) * s.J(d, t) * (1 - alpha) ** c / math.log2(i + 1)
    k = len(s.docs) if s.k is None else s.k
    best = sum((1 - alpha) ** (i - 1) / math.log2(i + 1) for i in range(1, k + 1))
    best *= sum(s.w(t) for t in s.T)
    return dcg / best if best > 0 else 0.0


@twin()
def alpha_nDCG(s, alpha=0.5):
    """sum_i G(i)/log2(i+1) over the same on the greedy ideal (largest G, ties to larger id)."""

    def dcg(docs):
        seen = {t: 0 for t in s.T}
        total = 0.0
        for i, d in enumerate(docs, start=1):
            G = 0.0
            for t in s.T:
                if s.J(d, t) == 1:
                    G += s.w(t) * (1 - alpha) ** seen[t]
            for t in s.T:
                seen[t] += s.J(d, t)
            total += G / math.log2(i + 1)
        return total

    # style 1: counters kept along the way
    pool = list(s.judged)
    length = len(pool) if s.k is None else min(s.k, len(pool))
    counts = {t: 0 for t in s.T}
    ideal = []
    while len(ideal) < length:
        best_doc, best_key = None, None
        for d in pool:
            G = sum(s.w(t) * s.J(d, t) * (1 - alpha) ** counts[t] for t in s.T)
            key = (round(G, 12), d)
            if best_key is None or key > best_key:
                best_doc, best_key = d, key
        ideal.append(best_doc)
        pool.remove(best_doc)
        for t in s.T:
            counts[t] += s.J(best_doc, t)

    denominator = dcg(ideal)
    return dcg(s.docs) / denominator if denominator > 0 else 0.0


@twin()
def ERR_IA(s):
    """alpha = 0.5: sum_i G(i)/i / (sum_T w * sum_{i=1..k} 0.5^(i-1)/i)."""
    err = 0.0
    for t in s.T:
        times = 0
        for i, d in enumerate(s.docs, start=1):
            if s.J(d, t) == 1:
                err += s.w(t) * 0.5**times / i
                times += 1
    k = len(s.docs) if s.k is None else s.k
    ideal_ideal = sum(s.w(t) for t in s.T) * sum(0.5 ** (i - 1) / i for i in range(1, k + 1))
    return err / ideal_ideal if ideal_ideal > 0 else 0.0


@twin()
def nERR_IA(s):
    """sum_i G(i)/i (alpha = 0.5) over the same on the greedy ideal."""

    def G(d, before):
        return sum(s.w(t) * 0.5 ** sum(s.J(x, t) for x in before) for t in s.T if s.J(d, t) == 1)

    def err(docs):
        return sum(G(d, docs[: i - 1]) / i for i, d in enumerate(docs, start=1))

    # style 2: sort the remaining documents at each step, the counts taken from the list
    remaining = list(s.judged)
    ideal = []
    steps = len(remaining) if s.k is None else s.k
    for _ in range(steps):
        if not remaining:
            break
        worth = {t: s.w(t) * 0.5 ** sum(s.J(x, t) for x in ideal) for t in s.T}
        scored = [(round(sum(worth[t] for t in s.T if s.J(d, t) == 1), 12), d) for d in remaining]
        scored.sort(reverse=True)
        ideal.append(scored[0][1])
        remaining = [d for _, d in scored[1:]]

    bottom = err(ideal)
    return err(s.docs) / bottom if bottom > 0 else 0.0


@twin()
def NRBP(s, alpha=0.5, beta=0.5):
    """(1 - (1-alpha) beta) sum_i beta^(i-1) G(i), whole ranking."""
    total = 0.0
    c = dict.fromkeys(s.T, 0)
    for i, d in enumerate(s.docs, start=1):
        G = sum(s.w(t) * s.J(d, t) * (1 - alpha) ** c[t] for t in s.T)
        total += beta ** (i - 1) * G
        c = {t: c[t] + s.J(d, t) for t in s.T}
    return (1 - (1 - alpha) * beta) * total


@twin()
def nNRBP(s, alpha=0.5, beta=0.5):
    """NRBP over NRBP of the greedy ranking of all judged documents."""
    # style 3: one aspect's next worth shrinks by (1 - alpha) at each relevant document
    worth = {t: float(s.w(t)) for t in s.T}
    waiting = set(s.judged)
    ideal = []
    while waiting:
        chosen = max(waiting, key=lambda d: (round(sum(worth[t] * s.J(d, t) for t in s.T), 12), d))
        waiting.discard(chosen)
        ideal.append(chosen)
        for t in s.T:
            if s.J(chosen, t) == 1:
                worth[t] *= 1 - alpha

    bottom = NRBP(s.of(ideal), alpha, beta)
    return NRBP(s, alpha, beta) / bottom if bottom > 0 else 0.0


def credit(s, docs, t, partial):
    """1 or partial by steps, or min(1, g/max_rel), of the best grade; gmax is that of the judgments."""
    best = max((grade(s.query, d, t) for d in docs), default=0)
    if s.gain == "linear":
        top_grade = gmax_of(s.query, t, s.max_rel)
        return min(1, best / top_grade) if top_grade else 0
    return (1 if best >= s.rel else partial) if best > 0 else 0


@twin("steps")
def Coverage(s, partial=0.0, importance="all", weights="given"):
    """sum_t w_t credit_t / sum_t w_t."""
    q, got, there = s.query, 0.0, 0.0
    for t in s.T:
        if importance != "all" and q.importance.get(t) != importance:
            continue
        w = {
            "given": 1 if q.weights is None else q.weights[t],
            "uniform": 1,
            "importance": {"vital": 1, "okay": 1 / 2}.get(q.importance.get(t, ""), 0),
        }[weights]
        there += w
        got += w * credit(s, s.docs, t, partial)
    return got / there if there else 0.0


@twin()
def StRecall(s):
    """Aspects covered by the top k / number of aspects in T."""
    if not s.T:
        return 0.0
    return len([t for t in s.T if any(s.J(d, t) for d in s.docs)]) / len(s.T)


@twin("exp")
def alpha_DCG_IA(s, alpha=0.5):
    """sum_i sum_t w_t r_t(d_i) (1-alpha)^c_t(i) / log2(i+1)."""
    total = 0.0
    for t in s.T:
        c = 0
        for i, d in enumerate(s.docs, start=1):
            total += s.w(t) * s.r(d, t) * (1 - alpha) ** c / math.log2(i + 1)
            c += s.J(d, t)
    return total


@twin("exp")
def gNRBP(s, p=0.8, alpha=0.5):
    """sum_i p^(i-1) sum_t w_t r_t(d_i) (1-alpha)^c_t(i)."""
    total = 0.0
    for i, d in enumerate(s.docs, start=1):
        for t in s.T:
            c = sum(s.J(x, t) for x in s.docs[: i - 1])
            total += p ** (i - 1) * s.w(t) * s.r(d, t) * (1 - alpha) ** c
    return total


@twin()
def StRR(s, level=1.0):
    """1/min{i : StRecall@i >= level}, 0 if never."""
    for i in range(1, len(s.docs) + 1):
        covered = sum(1 for t in s.T if sum(s.J(d, t) for d in s.docs[:i]) > 0)
        if s.T and covered / len(s.T) >= level:
            return 1 / i
    return 0.0


# -------------------------------------------------------------- 3. intent-aware


@twin()
def P_IA(s):
    """sum_t w_t (1/k) sum_{i<=k} J_i."""
    k = len(s.docs) if s.k is None else s.k
    if k == 0:
        return 0.0
    return sum(s.w(t) * sum(s.J(d, t) for d in s.docs) / k for t in s.T)


@twin()
def AP_IA(s):
    """sum_t w_t (1/R_t) sum_i J_i prec(i)."""
    total = 0.0
    for t in s.T:
        R = sum(s.J(d, t) for d in s.judged)
        hits = 0
        ap = 0.0
        for i, d in enumerate(s.docs, start=1):
            hits += s.J(d, t)
            ap += s.J(d, t) * hits / i
        total += s.w(t) * ap / R if R else 0
    return total


@twin()
def RR_IA(s):
    """sum_t w_t / first relevant rank."""
    total = 0.0
    for t in s.T:
        ranks = [i for i, d in enumerate(s.docs, start=1) if s.J(d, t) == 1]
        if ranks:
            total += s.w(t) / min(ranks)
    return total


@twin("linear")
def DCG_IA(s):
    """sum_t w_t sum_i gain_i / log2(i+1)."""
    return sum(
        s.w(t) * s.g(d, t) / math.log2(i + 1) for t in s.T for i, d in enumerate(s.docs, start=1)
    )


@twin("linear")
def nDCG_IA(s):
    """sum_t w_t DCG_t@k / DCG_t@k of the aspect's own ideal."""
    total = 0.0
    for t in s.T:
        gains = [s.g(d, t) for d in s.docs]
        ideal = sorted((s.g(d, t) for d in s.judged), reverse=True)[: s.k]
        dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains))
        idcg = sum(g / math.log2(i + 2) for i, g in enumerate(ideal))
        if idcg > 0:
            total += s.w(t) * dcg / idcg
    return total


@twin("binary")
def RBP_IA(s, p=0.8):
    """sum_t w_t (1-p) sum_i p^(i-1) x_i, x = J or g/gmax."""
    total = 0.0
    for t in s.T:
        gmax = 1 if s.gain == "binary" else gmax_of(s.query, t, s.max_rel)
        for i, d in enumerate(s.docs, start=1):
            x = s.g(d, t) / gmax if gmax > 0 else 0
            total += s.w(t) * (1 - p) * p ** (i - 1) * x
    return total


@twin("exp")
def gERR_IA(s):
    """sum_t w_t sum_i (1/i) r(d_i) prod_{j<i} (1 - r(d_j))."""
    total = 0.0
    for t in s.T:
        going_on = 1.0
        err = 0.0
        for i, d in enumerate(s.docs, start=1):
            err += s.r(d, t) * going_on / i
            going_on *= 1 - s.r(d, t)
        total += s.w(t) * err
    return total


@twin("linear")
def Q_IA(s, beta=1.0):
    """sum_t w_t 1/min(k,R) sum_{i: gain>0} (C(i) + beta cg(i)) / (i + beta cg*(i))."""
    total = 0.0
    for t in s.T:
        ideal = sorted((s.g(d, t) for d in s.judged), reverse=True)
        R = sum(1 for g in ideal if g > 0)
        n_best = R if s.k is None else min(s.k, R)
        C = 0
        cg = 0.0
        value = 0.0
        for i, d in enumerate(s.docs, start=1):
            g = s.g(d, t)
            if g > 0:
                C += 1
                cg += g
                value += (C + beta * cg) / (i + beta * sum(ideal[:i]))
        if n_best > 0:
            total += s.w(t) * value / n_best
    return total


# ------------------------------------------------------- 4. D- and D#-measures


@twin("linear")
def D_nDCG(s):
    """sum_i GG(d_i)/log2(i+1) over the same on the judged documents by GG, at k."""
    dcg = sum(s.GG(d) / math.log2(i + 1) for i, d in enumerate(s.docs, start=1))
    idcg = sum(g / math.log2(i + 1) for i, g in enumerate(s.best_GG()[: s.k], start=1))
    return dcg / idcg if idcg > 0 else 0.0


@twin("linear")
def D_Q(s, beta=1.0):
    """1/min(k,R) sum_{i: GG>0} (C(i) + beta cg(i)) / (i + beta cg*(i))."""
    run, best = [s.GG(d) for d in s.docs], s.best_GG()
    R = len([x for x in best if x > 0])
    value = 0.0
    for i in range(1, len(run) + 1):
        if run[i - 1] > 0:
            C = len([x for x in run[:i] if x > 0])
            value += (C + beta * sum(run[:i])) / (i + beta * sum(best[:i]))
    size = R if s.k is None else min(s.k, R)
    return value / size if size > 0 else 0.0


def sharp(base):
    """gamma StRecall@k + (1-gamma) base@k."""

    def of_query(q, *, cutoff=None, rel=1, judged_only=False, gamma=0.5, **own):
        at = {"cutoff": cutoff, "rel": rel, "judged_only": judged_only}
        return gamma * TWINS["StRecall"](q, **at) + (1 - gamma) * TWINS[base](q, **at, **own)

    return of_query


def IA(q, *, cutoff=None, rel=1, judged_only=False, M="nDCG"):
    """sum_t w_t M_t, M on the grades of aspect t only; documents judged for another aspect have grade 0."""
    T = aspects(q, rel)
    total = 0.0
    for t in T:
        alone = Query(q.ranking, {(d, "t"): grade(q, d, t) for d in judged(q)})
        at = {} if cutoff is None else {"cutoff": cutoff}
        total += weight(q, t, T) * TWINS[f"{M}_IA" if M in ("nDCG", "AP") else M](
            alone, judged_only=judged_only, **at
        )
    return total


TWINS["IA"] = IA
TWINS["I_rec"] = TWINS["S_Recall"] = TWINS["StRecall"]
TWINS |= {"Dsharp_nDCG": sharp("D_nDCG"), "Dsharp_Q": sharp("D_Q")}


# Four listed nuggets: a vital, answered (3); b vital, half answered (1); c okay, answered late; d okay, unserved.
NUGGETS = Query(
    ("d1", "x", "d2"),
    {("d1", "a"): 3, ("d1", "b"): 1, ("d2", "c"): 3, ("d2", "a"): 2},
    None,
    named=("d",),
    importance={"a": "vital", "b": "vital", "c": "okay", "d": "okay"},
)
L3 = math.log2(3)
CASES = [
    ("Coverage", NUGGETS, dict(rel=3, aspects="relevant"), 2 / 2),
    ("Coverage", NUGGETS, dict(rel=3, cutoff=1, partial=0.5), 1.5 / 4),
    ("Coverage", NUGGETS, dict(rel=3, importance="vital", partial=0.5), 1.5 / 2),
    (
        "Coverage",
        dataclasses.replace(NUGGETS, weights={"a": 3, "b": 2, "c": 2, "d": 1}),
        dict(rel=3, cutoff=1),
        3 / 8,
    ),
    (
        "Coverage",
        NUGGETS,
        dict(rel=3, weights="importance", partial=0.5),
        (1 + 0.5 + 0.5) / (1 + 1 + 0.5 + 0.5),
    ),
    ("Coverage", NUGGETS, dict(gain="linear", max_rel=2), (1 + 0.5 + 1 + 0) / 4),
    ("RBU", NUGGETS, dict(p=0.5, e=0, aspects="listed", cutoff=1), 0.5 * (7 / 8 + 1 / 2) / 4),
    (
        "RBU",
        NUGGETS,
        dict(p=0.5, e=0.1, aspects="listed", effort="aspect", cutoff=1),
        0.5 * ((7 / 8 + 1 / 2) / 4 - 0.4),
    ),
    ("P_at_Recall", NUGGETS, {}, 2 / 3),
    ("P_at_Recall", NUGGETS, dict(never="zero"), 0),
    ("P_at_Recall", NUGGETS, dict(modified=True), (1 + 1 / 2) / 3),
    ("RR_at_Recall", NUGGETS, dict(cutoff=2), 1 / 2),
    # ERR: a 7/16 + 9/16 · 3/16 / 3, b 1/16, c 7/16 / 3
    ("ERR_over_aspects", NUGGETS, {}, (7 / 16 + 9 / 256 + 1 / 16 + 7 / 48) / 3),
    (
        "ERR_over_aspects",
        NUGGETS,
        dict(over="all", aspects="listed"),
        (7 / 16 + 9 / 256 + 1 / 16 + 7 / 48) / 4,
    ),
    ("ERR_over_aspects", NUGGETS, dict(cutoff=1, mean="harmonic"), 2 / (16 / 7 + 16)),
    ("ERR_over_aspects", NUGGETS, dict(cutoff=1, mean="harmonic", over="all"), 0),
    # gains .5 · (1, 1.5, 0, .5) as G above with α .5; ideal d1 (2/3), then d2 (1/3 + 1/6), nothing more
    (
        "nDCU",
        NUGGETS,
        {},
        (2 / 3 - 0.05 - 0.05 / L3 + (0.5 - 0.05) / 2) / (2 / 3 - 0.05 + (0.5 - 0.05) / L3),
    ),
    ("nDCU", NUGGETS, dict(e=0.5), (1 / 6 - 0.5 / L3 + 0) / (1 / 6)),
    ("nDCU", NUGGETS, dict(cutoff=2, e=0, base=10), 2 / 3 / (2 / 3 + 0.5 / math.log10(11))),
]
