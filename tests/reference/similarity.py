"""Reference twins of MEASURES.md section 6 and of SimHash, read literally."""

import collections
import hashlib
import math
import re

from .twins import TWINS as FLAT
from .twins import Query, grade, top


def simhash(text):
    """Bit b is 1 where the terms with bit b outnumber the others."""
    votes = [0] * 64
    for term in re.findall(r"\w+", text.lower()):
        value = int.from_bytes(hashlib.md5(term.encode()).digest()[-8:], "big")
        for b in range(64):
            votes[b] += 1 if value >> b & 1 else -1
    return sum(1 << b for b in range(64) if votes[b] > 0)


def sim(a, b, scale="cosine"):
    """max(0, cos(pi Hamming/64)), or 1 - Hamming/64."""
    share = bin(a ^ b).count("1") / 64
    return math.cos(math.pi * share) * (share < 0.5) if scale == "cosine" else 1 - share


def tfidf(texts, idf=None):
    """The cosines of all pairs of texts, a list of lists (Salton and McGill 1986).

    A term weighs its count times idf: ln((1 + n)/(1 + df)) + 1 over the n texts, or a table's, in which unknown terms
    have the largest value.
    """
    counts = [collections.Counter(re.findall(r"\w+", text.lower())) for text in texts]

    def weight(term):
        if idf is not None:
            return idf.get(term, max(idf.values()))
        df = sum(term in each for each in counts)
        return math.log((1 + len(texts)) / (1 + df)) + 1

    def product(a, b):
        return sum(a[term] * b[term] * weight(term) ** 2 for term in a)

    return [
        [product(a, b) / math.sqrt(product(a, a) * product(b, b)) for b in counts] for a in counts
    ]


def topic_grade(q, d):
    return max((grade(q, d, t) for x, t in q.grades if x == d), default=0)


def DocSim(
    q, prints, *, cutoff, rel=1, judged_only=False, scheme="RA", pairs="ranks", scale="cosine"
):
    """sum_pairs w I I sim / sum_pairs w."""
    docs = top(q, cutoff, judged_only)

    def relevant(i):
        return (
            i <= len(docs)
            and topic_grade(q, docs[i - 1]) >= rel
            and topic_grade(q, docs[i - 1]) > 0
        )

    found = [i for i in range(1, cutoff + 1) if relevant(i)]
    if scheme[1] == "P":
        looked_at = list(zip(found, found[1:]))
    elif pairs == "relevant":
        looked_at = [(i, j) for i in found for j in found if i < j]
    else:
        looked_at = [(i, j) for i in range(1, cutoff + 1) for j in range(i + 1, cutoff + 1)]
    above, below = 0.0, 0.0
    for i, j in looked_at:
        w = (cutoff - (i + j) / 2) / cutoff if scheme[0] == "R" else 1.0
        below += w
        if relevant(i) and relevant(j):
            above += w * sim(prints[docs[i - 1]], prints[docs[j - 1]], scale)
    return above / below if below > 0 else 0.0


# ----------------------------------------------------------------------------------- by name, on a query with prints


def diverse(base):
    """(M + 1 - S)/2, M on topic-level grades."""

    def twin(
        q, *, cutoff, rel=1, judged_only=False, scheme="RA", pairs="ranks", scale="cosine", **params
    ):
        if not top(q, cutoff, judged_only):
            return 0.0
        where = {"cutoff": cutoff, "rel": rel, "judged_only": judged_only}
        topic = Query(q.ranking, {(d, "t"): topic_grade(q, d) for d, _ in q.grades})
        return (
            FLAT[base](topic, **where, **params)
            + 1
            - DocSim(q, q.prints, scheme=scheme, pairs=pairs, scale=scale, **where)
        ) / 2

    return twin


TWINS = {
    "DocSim": lambda q, **params: DocSim(q, q.prints, **params),
    "DS_nDCG": diverse("nDCG_IA"),
    "DS_Q": diverse("Q_IA"),
    "DS_ERR": diverse("gERR_IA"),
}

# Ranks 1, 2, 4 are relevant: sim(1,2) = 1, sim(1,4) = sim(2,4) = 0; w = (4 - mean rank)/4.
ZERO, ONES = 0, 2**64 - 1
EXAMPLE = Query(
    ("a", "b", "n", "c"),
    {("a", "t"): 1, ("b", "t"): 1, ("n", "t"): 0, ("c", "t"): 1},
    prints={"a": ZERO, "b": ZERO, "n": ZERO, "c": ONES},
)
CASES = [
    ("DocSim", EXAMPLE, dict(cutoff=4), (4 - 1.5) / (2.5 + 2 + 1.5 + 1.5 + 1 + 0.5)),
    ("DocSim", EXAMPLE, dict(cutoff=4, scheme="RP"), (4 - 1.5) / ((4 - 1.5) + (4 - 3))),
    ("DocSim", EXAMPLE, dict(cutoff=4, scheme="NA"), 1 / 6),
    ("DocSim", EXAMPLE, dict(cutoff=4, scheme="NP"), 1 / 2),
    ("DocSim", EXAMPLE, dict(cutoff=4, scheme="NA", pairs="relevant"), 1 / 3),
    ("DocSim", EXAMPLE, dict(cutoff=4, pairs="relevant"), 2.5 / (2.5 + 1.5 + 1)),
    (
        "DS_nDCG",
        EXAMPLE,
        dict(cutoff=3, scheme="NP"),
        ((1 + 1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2) + 1 - 1) / 2,
    ),
    ("DS_Q", EXAMPLE, dict(cutoff=2, scheme="NA"), (1 + 1 - 1) / 2),
    ("DS_ERR", EXAMPLE, dict(cutoff=1), (1 / 2 + 1 - 0) / 2),
]
