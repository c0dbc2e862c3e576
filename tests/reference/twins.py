"""Reference twins: each measure of MEASURES.md sections 1-4, read literally.

Plain Python, no arrays, no caching, no cleverness. Only tiny helpers are shared
(grade, J, gain value, global gain, relevance probability, aspects, weight, ranking; `Seen` asks
them of one query), so that an error in one measure does not hide in all. The greedy ideal ranking is
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
    types: dict[str, str] = field(default_factory=dict)
    prints: dict[str, int] | None = None
    counted: tuple | None = None
    above: "Query | None" = None
    named: tuple[str, ...] = ()  # intents that no judged document was checked for
    reading: str = "relevant"
    importance: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, float] = field(default_factory=dict)
    iterations: dict[str, int] | None = None
    points: dict[str, float] | None = None
    part_of: dict[str, str] = field(default_factory=dict)
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
def RBU(s, p=0.8, e=0.03, norm=False, effort="document", unit=100):
    """sum_i p^i (sum_t w_t r_t(d_i) prod_{j<i} (1 - r_t(d_j)) - e); 'aspect': - |T| e; 'length': - e length/unit."""
    r = {(d, t): s.r(d, t) for d in s.docs for t in s.T}
    total = 0.0
    for i, d in enumerate(s.docs, start=1):
        inner = sum(s.w(t) * r[d, t] * math.prod(1 - r[x, t] for x in s.docs[: i - 1]) for t in s.T)
        if effort == "document":
            inner -= e
        elif effort == "aspect":
            inner -= e * len(s.T)
        else:
            inner -= e * s.query.lengths[d] / unit
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


def affordable(s, budget):
    """The documents before the first one that does not fit the budget."""
    kept = []
    spent = 0.0
    for d in s.docs:
        if budget is not None and spent + s.query.lengths[d] > budget:
            break
        spent += s.query.lengths.get(d, 0)
        kept.append(d)
    return kept


def credit(s, docs, t, partial):
    """1 or partial by steps, or min(1, g/max_rel), of the best grade; gmax is that of the judgments."""
    best = max((grade(s.query, d, t) for d in docs), default=0)
    if s.gain == "linear":
        top_grade = gmax_of(s.query, t, s.max_rel)
        return min(1, best / top_grade) if top_grade else 0
    return (1 if best >= s.rel else partial) if best > 0 else 0


@twin("steps")
def Coverage(s, partial=0.0, importance="all", weights="given", budget=None, parts="each"):
    """sum_t w_t credit_t / sum_t max(w_t, 0); a nugget of several parts may count once, with its least credit."""
    q, docs = s.query, affordable(s, budget)
    nuggets = {}
    for t in s.T:
        if importance != "all" and q.importance.get(t) != importance:
            continue
        w = {
            "given": 1 if q.weights is None else q.weights[t],
            "uniform": 1,
            "importance": {"vital": 1, "okay": 1 / 2}.get(q.importance.get(t, ""), 0),
            "points": (q.points or {}).get(t, 0),
        }[weights]
        name = "part of " + q.part_of[t] if parts == "all" and q.part_of.get(t) else "nugget " + t
        nuggets.setdefault(name, []).append((w, credit(s, docs, t, partial)))
    got, there = 0.0, 0.0
    for members in nuggets.values():
        w = sum(w for w, _ in members) if weights == "given" else members[0][0]
        there += max(w, 0)
        got += w * min(c for _, c in members)
    return got / there if there else 0.0


@twin("steps")
def Density(s, per=100.0, partial=0.0):
    """per * sum_t credit_t / length; a document of unknown length has length 1."""
    length = sum(s.query.lengths.get(d, 1) for d in s.docs)
    said = sum(credit(s, s.docs, t, partial) for t in s.T)
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


@twin()
def StRecall(s, budget=None):
    """Aspects covered by the top k / number of aspects in T."""
    if not s.T:
        return 0.0
    docs = affordable(s, budget)
    return len([t for t in s.T if any(s.J(d, t) for d in docs)]) / len(s.T)


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


@twin("linear")
def D_ERR(s):
    """sum_i R_i/i prod_{j<i} (1 - R_j), R = GG/(max GG + 1)."""
    GG = {d: sum(s.w(t) * s.g(d, t) for t in s.T) for d in {*s.judged, *s.docs}}
    highest = max((GG[d] for d in s.judged), default=0)
    value = 0.0
    for i, d in enumerate(s.docs, start=1):
        reach = math.prod(1 - GG[x] / (highest + 1) for x in s.docs[: i - 1])
        value += GG[d] / (highest + 1) * reach / i
    return value


@twin("linear")
def D_nERR(s):
    """D_ERR over the D_ERR of the ideal list, both at k."""
    run, ideal = [s.GG(d) for d in s.docs], s.best_GG()
    highest = max(ideal, default=0)

    def err(gains):
        left, value = 1.0, 0.0
        for i, g in enumerate(gains, start=1):
            value += left * (g / (highest + 1)) / i
            left -= left * (g / (highest + 1))
        return value

    return err(run) / err(ideal[: s.k]) if err(ideal[: s.k]) > 0 else 0.0


@twin("linear")
def D_EBR(s, beta=1.0):
    """sum_i BR(i) R_i prod_{j<i} (1 - R_j), BR(i) = (C + beta cg)/(i + beta cg*), R = GG/(max GG + 1)."""

    def GG(d):
        return math.fsum(s.w(t) * s.g(d, t) for t in s.T)

    ideal = sorted((GG(d) for d in s.judged), reverse=True)
    if not ideal:
        return 0.0
    value, reach, C, cg, cg_ideal = 0.0, 1.0, 0, 0.0, 0.0
    for i, d in enumerate(s.docs, start=1):
        g = GG(d)
        C += 1 if g > 0 else 0
        cg += g
        cg_ideal += ideal[i - 1] if i <= len(ideal) else 0
        R = g / (ideal[0] + 1)
        value += (C + beta * cg) / (i + beta * cg_ideal) * R * reach
        reach *= 1 - R
    return value


@twin("linear")
def D_RBP(s, p=0.99):
    """(1-p) sum_i p^(i-1) GG(d_i)/max GG."""
    highest = max(map(s.GG, s.judged), default=0)
    if highest == 0:
        return 0.0
    return (1 - p) * sum(p ** (i - 1) * s.GG(d) / highest for i, d in enumerate(s.docs, start=1))


@twin("linear")
def DIN_nDCG(s):
    """D_nDCG, but a navigational intent adds its gain only at its first relevant document."""
    done = set()
    dcg = 0.0
    for i, d in enumerate(s.docs, start=1):
        gg = 0.0
        for t in s.T:
            if s.query.types.get(t, "inf") == "nav":
                if t in done or not s.J(d, t):
                    continue
                done.add(t)
            gg += s.w(t) * s.g(d, t)
        dcg += gg / math.log2(i + 1)
    idcg = sum(x / math.log2(i + 1) for i, x in enumerate(s.best_GG()[: s.k], start=1))
    return dcg / idcg if idcg > 0 else 0.0


@twin("linear")
def DIN_Q(s, beta=1.0):
    """D_Q, but a navigational intent adds its gain only at its first relevant document."""
    run = []
    for i, d in enumerate(s.docs):
        x = 0.0
        for t in s.T:
            first = s.J(d, t) and not any(s.J(y, t) for y in s.docs[:i])
            if first or s.query.types.get(t, "inf") != "nav":
                x += s.w(t) * s.g(d, t)
        run.append(x)
    plain = s.best_GG()
    R = sum(x > 0 for x in plain)
    size = R if s.k is None else min(s.k, R)
    if size == 0:
        return 0.0
    value, C, cg = 0.0, 0, 0.0
    for i, x in enumerate(run, start=1):
        cg += x
        if x > 0:
            C += 1
            value += (C + beta * cg) / (i + beta * sum(plain[:i]))
    return value / size


@twin("linear")
def PplusQ(s, beta=1.0):
    """sum_t w_t (P+ if navigational, Q if informational), on the intent's gains.

    P+ = mean of BR(i) over documents with gain > 0 at ranks 1..r_p, r_p the first rank of
    the highest grade retrieved in the top k; Q as in Q_IA.
    """
    total = 0.0
    for t in s.T:
        gains = [s.g(d, t) for d in s.docs]
        ideal = sorted((s.g(d, t) for d in s.judged), reverse=True)

        def BR(i, gains=gains, ideal=ideal):
            C = sum(1 for g in gains[:i] if g > 0)
            return (C + beta * sum(gains[:i])) / (i + beta * sum(ideal[:i]))

        found = [i for i in range(1, len(s.docs) + 1) if gains[i - 1] > 0]
        if not found:
            continue
        if s.query.types.get(t, "inf") == "nav":
            grades = [grade(s.query, d, t) for d in s.docs]
            preferred = grades.index(max(grades)) + 1
            above = [i for i in found if i <= preferred]
            value = sum(BR(i) for i in above) / len(above) if above else 0.0
        else:
            R = sum(1 for g in ideal if g > 0)
            value = sum(BR(i) for i in found) / (R if s.k is None else min(s.k, R))
        total += s.w(t) * value
    return total


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
        total += weight(q, t, T) * TWINS[{"nDCG": "nDCG_IA"}.get(M, M)](
            alone, judged_only=judged_only, **at
        )
    return total


TWINS |= {each.__name__: each for each in (IA, Area, iRBU, CubeTest, ACubeTest)}
TWINS["I_rec"] = TWINS["S_Recall"] = TWINS["StRecall"]
TWINS["PplusQsharp"] = sharp("PplusQ")
for name in ("D_nDCG", "D_Q", "D_ERR", "D_nERR", "D_EBR", "D_RBP", "DIN_nDCG", "DIN_Q"):
    TWINS[name.replace("_", "sharp_")] = sharp(name)


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
