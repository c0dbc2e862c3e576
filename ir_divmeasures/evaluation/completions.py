"""The least and the largest values over all completions of judgments: the arithmetic of :func:`ir_divmeasures.bounds`.

A completion gives each unjudged document of a ranking, and some documents outside it, a grade for any of the subtopics.
Each subtopic is completed on its own. Shapes: Q queries, T aspects, N ranks; R rows, which are queries or pairs of a
query and an aspect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels.sums import one_by_one
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import DivMeasure, ours

Mask = NDArray[np.bool_]
LEAST, LARGEST = -1, 1
ROUNDS = 100
"""Dinkelbach's method converges faster than linearly; this many rounds are never needed."""


@dataclass(frozen=True)
class Open:
    """What may vary in a block of rankings.

    Attributes:
        grades: the grades that a document may have, ascending, all above 0; the last one is ``max_grade``.
        within: (Q, N) the unjudged documents by rank, down to the cutoff.
        outside: (Q,) whole numbers: the number of those below the cutoff, and of those outside the ranking.
    """

    grades: Array
    within: Mask
    outside: NDArray[np.intp]

    def relevant(self, rel: float) -> Array:
        """The grades that count as relevant."""
        return self.grades[self.grades >= rel]

    @property
    def last(self) -> tuple[Mask, Mask]:
        """One document that counts least: outside if there is one, (Q,), else the last of the ranking, (Q, N)."""
        outside = self.outside > 0
        below = np.cumsum(self.within[:, ::-1], axis=1)[:, ::-1]
        return self.within & (below == 1) & ~outside[:, None], outside


def filled(r: Ranking, chosen: Mask, grade: Any, outside: Any = False) -> Ranking:
    """The ranking in which the chosen documents (Q, N), and one outside the ranking (Q,), have a grade for each aspect.

    ``grade`` broadcasts to (Q, T).
    """
    judged, n = r.judgments, chosen.shape[1]
    has_grade = np.column_stack([chosen, np.broadcast_to(outside, len(chosen))])[:, :, None]
    added = has_grade * np.broadcast_to(grade, judged.shape[::2])[:, None, :]
    place = np.broadcast_to(judged.shape[1] + np.arange(n), chosen.shape)
    document = np.concatenate([r.document, place], axis=1)
    rank = np.concatenate([r.rank, np.where(chosen, np.arange(1.0, n + 1), np.inf)], axis=1)
    order = np.argsort(rank, axis=1, kind='stable')
    return replace(
        r,
        judgments=judged.regraded(np.concatenate([judged.grade, added], axis=1)),
        document=np.take_along_axis(document, order, axis=1),
        rank=np.take_along_axis(rank, order, axis=1),
        _memos={},
    )


def reads_listed(measure: DivMeasure) -> bool:
    """Whether a measure, or the one inside it, counts all listed aspects."""
    if measure.facts.aspects is not None:
        return bool(measure['aspects'] == 'listed')
    inner = ours(measure.wrapped)
    return inner is not None and reads_listed(inner)


def by_highest(measure: DivMeasure) -> bool:
    """Whether gains are shares of the highest grade of each aspect, here or in the measure inside."""
    params, inner = measure.all_params, ours(measure.wrapped)
    shares = params.get('max_rel', 0) is None and params.get('gain') in ('exp', 'linear')
    return shares or (inner is not None and by_highest(inner))


def members(measure: DivMeasure, judged: JudgmentArrays, rel: float) -> Mask:
    """The aspects that count in every completion; (Q, T)."""
    return judged.named if reads_listed(measure) else judged.n_relevant(rel) > 0


# ------------------------------------------------------------------------------------- values that rise with a grade


def jointly(measure: DivMeasure, r: Ranking, free: Open) -> tuple[Array, Array]:
    """The extremes of a measure that never falls as a grade rises while the aspects that count stay the same; (Q,) each.

    With j further aspects, the least value is that where one document, which counts least, serves them. Aspects without
    a relevant document are alike, so that only their number matters.
    """
    relevant = free.relevant(measure.rel)
    member = members(measure, r.judgments, measure.rel) | (not measure.diversity)
    further = r.judgments.named & ~member & bool(len(relevant))
    place, (last, outside) = np.cumsum(further, axis=1), free.last
    low, high = np.full((2, len(r.n)), measure.on(r))
    for j in range(int(further.sum(axis=1).max(initial=0)) + 1):
        more = further & (place <= j)
        least = measure.on(filled(r, last, more * relevant[:1].sum(), outside))
        most = measure.on(
            filled(r, free.within, (member | more) * free.grades[-1], free.outside > 0)
        )
        low, high = np.minimum(low, least), np.maximum(high, most)
    return low, high


def by_aspect(measure: DivMeasure, r: Ranking, free: Open) -> tuple[Array, Array]:
    """The extremes of Σ_t w_t M_t, of values M_t that never fall as a grade rises if the highest grade is given."""
    aspects = r.judgments.shape[2]
    rows = r.by_aspect(measure.rel)
    within, further = np.repeat(free.within, aspects, axis=0), np.repeat(free.outside, aspects)
    each = Open(free.grades, within, further)
    relevant = free.relevant(measure.rel)
    grades = relevant if by_highest(measure) and len(relevant) else free.grades[-1:]
    last, outside = each.last
    fillings = [
        *((last, g, outside) for g in [*relevant[:1], *grades]),
        *((each.within, g, outside) for g in grades),
    ]
    member = members(measure, r.judgments, measure.rel)
    values = [measure.on(filled(rows, *filling)).reshape(member.shape) for filling in fillings]
    if member.any():
        values.append(np.where(member, measure.on(rows).reshape(member.shape), values[0]))
    possible = (outside | each.within.any(axis=1)).reshape(member.shape) & bool(len(relevant))
    rest = measure.on(replace(r, judgments=r.judgments.regraded(0 * r.judgments.grade), _memos={}))
    return weighted(measure, r, np.min(values, axis=0), np.max(values, axis=0), possible, rest)


def of_shares(measure: DivMeasure, r: Ranking, free: Open) -> tuple[Array, Array]:
    """The extremes of Σ_i c_i GG_i / max GG with c_i ≥ 0; (Q,) each.

    The value rises with the gain of an unjudged document up to the highest gain of the judged ones. Above it, the gains
    of all others are smaller shares. The largest value is that where all unjudged documents have the grades of the best
    judged one, the least that where one, which counts least, has the highest grade for each aspect.
    """
    judged, (last, outside) = r.judgments, free.last
    gain = judged.global_gain(measure['gain'], measure.rel)
    best = judged.grade[np.arange(len(gain)), gain.argmax(axis=1)]
    top = judged.named * free.grades[-1:].sum()
    most = np.where(gain.max(axis=1, keepdims=True) > 0, best, top)
    low = measure.on(filled(r, last, top, outside))
    return low, measure.on(filled(r, free.within, most))


def weighted(
    measure: DivMeasure, r: Ranking, low: Array, high: Array, possible: Mask, rest: Array
) -> tuple[Array, Array]:
    """The extremes of rest + Σ_t w_t (M_t − rest) over the values of each aspect and the aspects that count; (Q,) each.

    Args:
        low, high: (Q, T) the extremes of M_t if t counts.
        possible: (Q, T) whether some completion has a relevant document for t.
        rest: (Q,) the value where nothing is relevant.
    """
    given = r.judgments.given_weight
    member = members(measure, r.judgments, measure.rel)
    named = r.judgments.named | (not measure.diversity)  # the topic as a whole
    further = named & ~member & possible
    weight = np.ones(member.shape) if given is None else given
    ends = []
    for sign, values in ((LEAST, low), (LARGEST, high)):
        gain = np.where(member | further, sign * weight * (values - rest[:, None]), 0.0)
        if given is not None and not measure.any_scale:
            total = one_by_one(gain * member) + one_by_one(np.maximum(gain, 0.0) * further)
        else:  # a mean: further aspects by value, the best first
            order = np.argsort(np.where(further, -sign * values, np.inf), axis=1)
            gains, weights = (
                np.column_stack(
                    [one_by_one(x * member), np.take_along_axis(x * further, order, axis=1)]
                ).cumsum(axis=1)
                for x in (gain, weight)
            )
            total = ratio(gains, weights).max(axis=1)
        ends.append(rest + sign * total)
    return ends[0], ends[1]


# -------------------------------------------------------------------------------------------------- ratios of sums


def extreme_ratio(part: Array, whole: Array, weight: Array, sign: int) -> float:
    """The least or the largest Σ_l weight_l · part_l(m_l) / Σ_l weight_l · whole_l(m_l), by Dinkelbach's method.

    Args:
        part, whole: (L, M), by the choice m of each l.
        weight: (L,), at least 0.
        sign: :data:`LEAST` or :data:`LARGEST`.
    """
    value = 0.0 if sign == LARGEST else 2.0
    rows = np.arange(len(part))
    for _ in range(ROUNDS):
        choice = np.argmax(sign * (part - value * whole), axis=1)
        top, bottom = weight @ part[rows, choice], weight @ whole[rows, choice]
        before = value
        value = top / bottom if bottom > 0 else 0.0 if value == 2 else value
        if abs(before - value) <= 1e-13 * abs(value):
            break
    return float(value)


def layered(
    rank: Array,
    hits: Array,
    judged: Array,
    top: Any,
    free: Open,
    k: int | None,
    kind: str,
    served: Any = False,
) -> tuple[Array, Array]:
    """The extremes of Σ_l Δ_l N_l / Σ_l Δ_l D_l for each query and aspect; (Q, T) each.

    The sums are over the levels l of a gain, which differ by Δ_l. N_l and D_l see who gains at least l. Each level
    chooses which documents reach it: the largest value needs the first m, the least value the last m and all documents
    outside.

    Args:
        rank: (Q, H) the ranks of the hits.
        hits, judged: (Q, H, T) and (Q, D, T) the gains of the hits, and of all judged documents.
        top: the largest gain that a document can have; broadcasts to (Q, T).
        free: what may vary.
        k: the cutoff, or None.
        kind: N_l of ``'dcg'`` is the sum of discounts; of ``'ap'``, that of precisions; of ``'share'``, the number of
            documents. D_l is the sum of discounts of the ideal list, or the number of documents.
        served: whether some document has a gain in each completion; broadcasts to (Q, T).
    """
    shape, n = (len(judged), judged.shape[2]), free.within.shape[1]
    top, served = np.broadcast_to(top, shape), np.broadcast_to(served, shape)
    i = np.arange(1.0, n + 1)
    each = {'dcg': 1 / np.log2(i + 1), 'ap': 1 / i, 'share': np.ones(n)}[kind]
    ends = np.zeros((2, *shape))
    for q, t in np.ndindex(shape):
        known = judged[q, :, t]
        gain, seen = np.zeros(n), rank[q] <= n
        gain[rank[q, seen].astype(np.intp) - 1] = hits[q, seen, t]
        level = np.unique([*known[known > 0], top[q, t]])
        reached, n_judged = gain >= level[:, None], (known >= level[:, None]).sum(axis=1)
        places = np.flatnonzero(free.within[q])
        nothing = not served[q, t] and known.max(initial=0.0) <= 0
        for end, sign in enumerate((LEAST, LARGEST)):
            further = free.outside[q] if sign == LEAST else 0
            part = _parts(reached, places[::sign], sign, each, kind)
            m = n_judged[:, None] + np.arange(len(places) + 1) + further
            if served[q, t] and not further and not n_judged[0] and len(places):
                part[0, 0] = -sign * np.inf  # some document has a gain
            if sign == LARGEST or not nothing:
                step = np.diff(level, prepend=0.0)
                ends[end, q, t] = extreme_ratio(part, _wholes(m, k, kind), step, sign)
    return ends[0], ends[1]


def _parts(reached: Mask, places: NDArray[np.intp], sign: int, each: Array, kind: str) -> Array:
    """N_l with the documents at the first 0, 1, … of some places; (L, M)."""
    base, added = reached @ each, np.broadcast_to(each[places], (len(reached), len(places)))
    if kind == 'ap':  # precision at each relevant document: those above it, and it itself
        above = np.cumsum(reached, axis=1)
        base = (reached * above) @ each
        below = (reached * each)[:, ::-1].cumsum(axis=1)[:, ::-1] - reached * each
        chosen_above = np.arange(1, len(places) + 1)
        chosen = added.cumsum(axis=1) if sign == LEAST else added * chosen_above
        added = below[:, places] + added * above[:, places] + chosen
    return np.column_stack([base, base[:, None] + added.cumsum(axis=1)])


def _wholes(n: NDArray[np.intp], k: int | None, kind: str) -> Array:
    """D_l of n documents."""
    if kind != 'dcg':
        return n.astype(float)
    i = np.arange(1.0, int(n.max(initial=0)) + 1)
    discounts = np.append(0.0, np.cumsum(1 / np.log2(i + 1)))
    return np.asarray(discounts[n if k is None else np.minimum(n, k)])
