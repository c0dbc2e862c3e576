"""The least and the largest values over all completions of judgments: the arithmetic of :func:`ir_divmeasures.bounds`.

A completion gives each unjudged document of a ranking, and some documents outside it, a grade for any of the subtopics.
Each subtopic is completed on its own. Shapes: Q queries, T aspects, N ranks; R rows, which are queries or pairs of a
query and an aspect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels.sums import one_by_one
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import DivMeasure, ours

Mask = NDArray[np.bool_]
LEAST, LARGEST = -1.0, 1.0
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

    def repeated(self, n: int) -> Open:
        """The same for each of n aspects of every query."""
        return Open(self.grades, np.repeat(self.within, n, axis=0), np.repeat(self.outside, n))

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
    judged = r.judgments
    count = chosen.sum(axis=1, keepdims=True)
    placed = np.arange(int(count.max(initial=0))) < count
    ranks = np.full(placed.shape, np.inf)
    ranks[placed] = np.nonzero(chosen)[1] + 1.0
    has_grade = np.concatenate([placed, np.broadcast_to(outside, count.shape[:1])[:, None]], axis=1)
    added = has_grade[:, :, None] * np.broadcast_to(grade, judged.grade[:, 0].shape)[:, None, :]
    place = np.broadcast_to(judged.shape[1] + np.arange(placed.shape[1]), placed.shape)
    rank = np.concatenate([r.rank, ranks], axis=1)
    order = np.argsort(rank, axis=1, kind='stable')
    return Ranking(
        JudgmentArrays(
            np.concatenate([judged.grade, added], axis=1),
            judged.given_weight,
            judged.navigational,
            {},
            judged.aspect_columns,
            judged.named,
            judged.reading,
        ),
        np.take_along_axis(np.concatenate([r.document, place], axis=1), order, axis=1),
        np.take_along_axis(rank, order, axis=1),
        r.n,
        r.rel,
        run_columns=r.run_columns,
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
    if not measure.diversity:
        r = r.topic
        member = further = np.ones((len(r.n), 1), dtype=bool)
    else:
        member = members(measure, r.judgments, measure.rel)
        further = r.judgments.named & ~member
    relevant = free.relevant(measure.rel)
    further = further & ~member & bool(len(relevant))
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
    r = r if measure.diversity else r.topic
    aspects = r.judgments.shape[2]
    rows, each = r.by_aspect(measure.rel), free.repeated(aspects)
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
    nothing = r.judgments.regraded(0 * r.judgments.grade)
    rest = measure.on(Ranking(nothing, r.document, r.rank, r.n, r.rel, run_columns=r.run_columns))
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


def extreme_ratio(part: Array, whole: Array, weight: Array, sign: float) -> Array:
    """The least or the largest Σ_l weight_l · part_l(m_l) / Σ_l weight_l · whole_l(m_l), (R,), by Dinkelbach's method.

    Args:
        part, whole: (R, L, M), by the choice m of each l; NaN in ``part`` where there is no such choice.
        weight: (R, L), at least 0.
        sign: :data:`LEAST` or :data:`LARGEST`.
    """
    part = np.where(np.isnan(part), -sign * np.inf, part)
    value = np.full(len(part), 0.0 if sign > 0 else 2.0)
    for _ in range(ROUNDS):
        choice = np.argmax(sign * (part - value[:, None, None] * whole), axis=2)[..., None]
        top, bottom = (
            (weight * np.take_along_axis(x, choice, axis=2)[..., 0]).sum(axis=1)
            for x in (part, whole)
        )
        before = value
        value = np.where(bottom > 0, ratio(top, bottom), np.where(before < 2, before, 0))
        if np.allclose(before, value, rtol=1e-13, atol=0):
            break
    return value


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
    shape = len(judged), judged.shape[2]
    free, served = free.repeated(shape[1]), np.broadcast_to(served, shape).ravel()
    within, outside = free.within, free.outside
    gain, known = (
        x.transpose(0, 2, 1).reshape(shape[0] * shape[1], -1)
        for x in (by_rank(rank, hits, within.shape[1]), judged)
    )
    level, step = _levels(np.column_stack([known, np.broadcast_to(top, shape).ravel()]))
    reached = (gain[:, None, :] >= level[..., None]) & (step > 0)[..., None]
    n_judged = (known[:, None, :] >= level[..., None]).sum(axis=2)
    count = within.sum(axis=1)
    m = np.arange(int(count.max(initial=0)) + 1)
    ends = []
    for sign in (LEAST, LARGEST):
        order = np.where(within, sign * np.arange(within.shape[1]), np.inf)
        places = np.argsort(order, axis=1, kind='stable')[:, : len(m) - 1]
        further = outside if sign == LEAST else np.zeros_like(outside)
        parts = _parts(reached, places, sign, kind)
        part = np.where(m <= count[:, None, None], parts, np.nan)
        part[served & (further == 0) & (n_judged[:, 0] == 0) & (count > 0), 0, 0] = np.nan
        n = n_judged[..., None] + m + further[:, None, None]
        ends.append(extreme_ratio(part, _wholes(n, k, kind), step, sign))
    nothing = ~served & (known.max(axis=1, initial=0.0) <= 0)
    return np.where(nothing, 0.0, ends[0]).reshape(shape), ends[1].reshape(shape)


def _levels(gains: Array) -> tuple[Array, Array]:
    """The levels of the gains (R, D) of each row, and by how much they differ; (R, L) each."""
    gains = np.sort(gains, axis=1)
    is_new = gains > np.pad(gains, ((0, 0), (1, 0)))[:, :-1] * (1 + 1e-12)
    order = np.argsort(~is_new, axis=1, kind='stable')[
        :, : max(is_new.sum(axis=1).max(initial=0), 1)
    ]
    is_level = np.take_along_axis(is_new, order, axis=1)
    gains = np.take_along_axis(gains, order, axis=1)
    level = np.where(is_level, gains * (1 - 1e-12), 1.0)
    before = np.pad(level, ((0, 0), (1, 0)))[:, :-1]
    return level, np.where(is_level, gains - before, 0.0)


def _parts(reached: Mask, places: NDArray[np.intp], sign: float, kind: str) -> Array:
    """N_l with the documents at the first 0, 1, … of some places; (R, L, M)."""
    i = np.arange(1.0, reached.shape[2] + 1)
    each = {'dcg': 1 / np.log2(i + 1), 'ap': 1 / i, 'share': np.ones(len(i))}[kind]
    added = each[places][:, None, :]
    base = reached @ each
    if kind == 'ap':
        above = np.cumsum(reached, axis=2)
        base = (reached * above) @ each
        below = (reached * each)[..., ::-1].cumsum(axis=2)[..., ::-1] - reached * each
        at = np.broadcast_to(places[:, None, :], (*reached.shape[:2], places.shape[1]))
        pairs = np.take_along_axis(below, at, axis=2)
        pairs = pairs + added * np.take_along_axis(above, at, axis=2)
        order = np.arange(1, places.shape[1] + 1)
        added = pairs + (np.cumsum(added, axis=2) if sign < 0 else added * order)
    sums = np.cumsum(np.broadcast_to(added, (*base.shape, places.shape[1])), axis=2)
    return np.concatenate([base[..., None], base[..., None] + sums], axis=2)


def _wholes(n: Array, k: int | None, kind: str) -> Array:
    """D_l of n documents."""
    if kind != 'dcg':
        return n.astype(float)
    n = n if k is None else np.minimum(n, k)
    i = np.arange(1.0, int(n.max(initial=0)) + 1)
    result: Array = np.concatenate([[0.0], np.cumsum(1 / np.log2(i + 1))])[n]
    return result


def by_rank(rank: Array, x: Array, n: int) -> Array:
    """Values at the hits, (Q, H, T), by rank down to n; (Q, n, T)."""
    result = np.zeros((len(x), n, x.shape[2]))
    row, hit = np.nonzero(rank <= n)
    result[row, rank[row, hit].astype(np.intp) - 1] = x[row, hit]
    return result


__all__ = [
    'Open',
    'by_aspect',
    'filled',
    'jointly',
    'layered',
    'of_shares',
    'weighted',
]
