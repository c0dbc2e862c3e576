"""Reference twins of MEASURES.md section 6 and of SimHash, read literally."""

from __future__ import annotations

import hashlib
import re

from .twins import Query, grade, top


def simhash(text: str) -> int:
    """Bit b is 1 where the terms with bit b outnumber the others."""
    votes = [0] * 64
    for term in re.findall(r"\w+", text.lower()):
        value = int.from_bytes(hashlib.md5(term.encode()).digest()[-8:], "big")
        for b in range(64):
            votes[b] += 1 if value >> b & 1 else -1
    return sum(1 << b for b in range(64) if votes[b] > 0)


def sim(a: int, b: int) -> float:
    """1 - Hamming/64."""
    return 1 - bin(a ^ b).count("1") / 64


def topic_grade(q: Query, d: str) -> float:
    return max((grade(q, d, t) for x, t in q.grades if x == d), default=0)


def DocSim(q: Query, prints: dict[str, int], *, cutoff: int, rel=1, judged_only=False, scheme="RA") -> float:
    """sum_pairs w I I sim / sum_pairs w."""
    docs = top(q, cutoff, judged_only)

    def relevant(i: int) -> bool:
        return i <= len(docs) and topic_grade(q, docs[i - 1]) >= rel and topic_grade(q, docs[i - 1]) > 0

    if scheme[1] == "A":
        pairs = [(i, j) for i in range(1, cutoff + 1) for j in range(i + 1, cutoff + 1)]
    else:
        found = [i for i in range(1, cutoff + 1) if relevant(i)]
        pairs = list(zip(found, found[1:]))
    above, below = 0.0, 0.0
    for i, j in pairs:
        w = (cutoff - (i + j) / 2) / cutoff if scheme[0] == "R" else 1.0
        below += w
        if relevant(i) and relevant(j):
            above += w * sim(prints[docs[i - 1]], prints[docs[j - 1]])
    return above / below if below > 0 else 0.0
