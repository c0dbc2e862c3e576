"""Measures that are sums over ranks and aspects: weight · gain · redundancy · discount · scale, less effort.

:data:`SUMS` says of each such measure what its terms are, in the words of its formula; a law test compares their sum
with the measure's value on random rankings. :data:`OTHERS` says why the rest are no sums.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.ranking import Array, Ranking, ratio
from ..core.registry import DivMeasure, ours
from ..families import rareness as rare
from ..families import usermodel as um
from ..families.dmeasures import _n_gaining, _stop
from ..families.gap import worth
from ..families.intent_aware import at_cutoff
from ..families.interactive import _full_recall
from ..families.novelty import _greedy, _ideal_ideal, _ranks
from ..families.utility import _ideal_utility, _iterations
from ..kernels import blended, cascade, discount
from ..kernels import redundancy as novelty
from ..kernels.ideal import DECIMALS


@dataclass(frozen=True)
class Terms:
    """One sum: Σ_i Σ_t weight · gain · redundancy · discount · scale − Σ_i effort.

    Attributes:
        gain: (Q, H, T).
        discount: (Q, H) or (Q, H, T).
        redundancy: (Q, H, T); what earlier documents leave of the gain.
        weight: (Q, T).
        scale: (Q,): normaliser and constant factors.
        effort: (Q, N) by rank, subtracted; empty: none.
        part: what it is a part of the score as; '' where the measure has one.
        layer: the layer of the hierarchy whose aspects these are; None: the official intents.
    """
    gain: Array
    discount: Array
    redundancy: Array
    weight: Array
    scale: Array
    effort: Array
    part: str = ''
    layer: int | None = None

    def contributions(self) -> Array:
        """(Q, H, T); effort left out."""
        every: Array = self.weight[:, None, :] * self.gain * self.redundancy * self.by_aspect(self.discount) \
            * self.scale[:, None, None]
        return every

    def by_aspect(self, x: Array) -> Array:
        """(Q, H) or (Q, H, 1) as (Q, H, T)."""
        return np.broadcast_to(x if x.ndim == 3 else x[..., None], self.gain.shape)


Sums = Callable[..., list[Terms]]
"""From a ranking (cut, of the measure's reading of aspects) and the measure's parameters to its sums."""


def of_hits(r: Ranking, gain: Any, discounts: Any, *, redundancy: Any = None, weight: Any = None, scale: Any = 1.0,
            effort: Array | None = None, part: str = '') -> Terms:
    """Terms of the hits within the cutoff."""
    counted = gain * r.within[..., None]
    return Terms(counted, np.where(r.within if discounts.ndim == 2 else r.within[..., None], discounts, 0.0),
                 np.ones(gain.shape) if redundancy is None else redundancy, r.weight if weight is None else weight,
                 np.broadcast_to(np.asarray(scale, dtype=float), r.n.shape),
                 np.zeros((len(r.n), 0)) if effort is None else effort, part)


Discounted = Callable[..., tuple[Array, Any]]
"""From a ranking and gains to the discounts of the hits, and the scale."""


def inverse(x: Array) -> Array:
    """1/x, 0 where x is 0."""
    return ratio(np.ones_like(x), x)


def one(r: Ranking) -> Array:
    """1 for every aspect: measures in which weights play no part, or are in the gain."""
    return np.ones(r.weight.shape)


def effort_to(r: Ranking, by_rank: Array) -> Array:
    """What costs by rank, (N,) or (Q, N), of the documents looked at; (Q, N)."""
    return np.where(np.arange(by_rank.shape[-1]) < r.depth[:, None], by_rank, 0.0)


def ranks(r: Ranking) -> Array:
    """1, 2, … as far as any run is looked at; (N,)."""
    return discount.ranks_to(r.depth)


# -------------------------------------------------------------------------------------------------- utility, novelty

def rbu(r: Ranking, p: float, e: float, gain: str, max_rel: float | None, norm: bool, effort: str,
        unit: float) -> list[Terms]:
    probability = r.probability(gain, max_rel)
    scale = (1 - p) / p if norm else 1.0
    cost = e * p * discount.geometric(ranks(r), p) * scale
    if effort == 'length':
        costs = effort_to(r, cost * np.nan_to_num(r.run_column('length')[:, :len(cost)]) / unit)
    else:
        costs = effort_to(r, cost) * (r.n_aspects[:, None] if effort == 'aspect' else 1.0)
    return [of_hits(r, probability, p * discount.geometric(r.rank, p), redundancy=cascade.unsatisfied(probability),
                    scale=scale, effort=costs)]


def eu(r: Ranking, alpha: float, e: float, base: float, gain: str, max_rel: float | None) -> list[Terms]:
    return [of_hits(r, r.probability(gain, max_rel), discount.shifted_log_discount(r.rank, base),
                    redundancy=r.redundancy(alpha),
                    effort=effort_to(r, e * discount.shifted_log_discount(ranks(r), base)))]


def cube(average: bool) -> Sums:
    def sums(r: Ranking, alpha: float, saturation: float, gain: str, max_rel: float | None) -> list[Terms]:
        probability = r.probability(gain, max_rel)
        hungry = np.round(novelty.before(probability), DECIMALS) < saturation
        m = np.maximum(r.depth, 1)[:, None]
        counted = np.where(r.within, m - np.where(r.within, r.rank, 0) + 1, 0) / m if average else 1.0
        return [of_hits(r, probability, discount.reciprocal(r.rank) * counted,
                        redundancy=r.redundancy(alpha) * hungry)]
    return sums


def _filled(r: Ranking, gamma: float, max_height: float) -> Array:
    """What each hit adds to h_t / H; (Q, H, T)."""
    added = np.power(gamma, r.count_before() + 1) * r.of_hits(r.judged.grade) * r.relevant()
    return np.diff(np.minimum(np.cumsum(added, axis=1), max_height), axis=1, prepend=0.0) / max_height


def cube_test(r: Ranking, gamma: float, max_height: float) -> list[Terms]:
    last = np.nan_to_num(r.run_columns.get('iteration', r.depth[:, None])).max(axis=1, initial=0.0)
    seen, _ = _iterations(r)
    return [of_hits(seen, _filled(seen, gamma, max_height), np.ones(seen.rank.shape),
                    scale=1 / np.maximum(last if r.k is None else np.minimum(r.k, last), 1))]


def average_cube_test(r: Ranking, gamma: float, max_height: float) -> list[Terms]:
    r, iteration = _iterations(r)
    per_iteration = np.where(np.arange(iteration.shape[1]) < r.depth[:, None], np.nan_to_num(1 / iteration), 0.0)
    still = np.cumsum(per_iteration[:, ::-1], axis=1)[:, ::-1]
    return [of_hits(r, _filled(r, gamma, max_height), r.at_hits(still), scale=1 / np.maximum(r.depth, 1))]


def ndcu(r: Ranking, alpha: float, e: float, base: float, gain: str, max_rel: float | None) -> list[Terms]:
    scale = inverse(_ideal_utility(r.judged, alpha, e, base, gain, max_rel, r.rel, r.k))
    return [of_hits(r, r.probability(gain, max_rel), discount.late_log_discount(r.rank, base),
                    redundancy=r.redundancy(alpha), scale=scale,
                    effort=effort_to(r, e * discount.late_log_discount(ranks(r), base)) * scale[:, None])]


def novel(discounts: Callable[[Array], Array], greedy: bool) -> Sums:
    """Σ G(i) discount(i) over that of the greedy ideal ranking, or of one that no collection could beat."""
    def sums(r: Ranking, alpha: float = 0.5) -> list[Terms]:
        scale = inverse(_greedy(r, discounts(_ranks(r)), alpha) if greedy else _ideal_ideal(r, discounts, alpha))
        return [of_hits(r, r.relevant(), discounts(r.rank), redundancy=r.redundancy(alpha), scale=scale)]
    return sums


def nrbp(normalised: bool) -> Sums:
    def sums(r: Ranking, alpha: float, beta: float) -> list[Terms]:
        scale = inverse(_greedy(r, discount.geometric(_ranks(r), beta), alpha)) if normalised \
            else 1 - (1 - alpha) * beta
        return [of_hits(r, r.relevant(), discount.geometric(r.rank, beta), redundancy=r.redundancy(alpha),
                        scale=scale)]
    return sums


def graded(discounts: Callable[..., Array]) -> Sums:
    """Σ w r(d)(1 − α)^c discount(i)."""
    def sums(r: Ranking, alpha: float, gain: str, max_rel: float | None, **params: float) -> list[Terms]:
        return [of_hits(r, r.probability(gain, max_rel), discounts(r.rank, *params.values()),
                        redundancy=r.redundancy(alpha))]
    return sums


# ------------------------------------------------------------------------------------------ subtopics, intent-aware

def recall(r: Ranking, part: str = '', budget: float | None = None) -> list[Terms]:
    r = r.within_budget(budget)
    first = novelty.first_of_aspect(r.relevant())
    return [of_hits(r, r.relevant(), np.ones(r.rank.shape), redundancy=(first > 0) * 1.0, weight=one(r),
                    scale=inverse(r.n_aspects), part=part)]


def coverage(r: Ranking, partial: float, importance: str, weights: str, budget: float | None) -> list[Terms]:
    r = r.within_budget(budget)
    grade = r.of_hits(r.judged.grade)
    credit = np.where(grade > 0, np.where(grade >= r.rel, 1.0, partial), 0.0)
    best = np.maximum.accumulate(credit, axis=1)
    new = np.diff(best, axis=1, prepend=0.0)
    weight = r.judged.aspects(r.rel) * 1.0
    if weights == 'given' and r.judged.given_weight is not None:
        weight = weight * r.judged.given_weight
    if importance != 'all':
        weight = weight * (r.judged.aspect_columns['importance'] == importance)
    return [of_hits(r, credit, np.ones(r.rank.shape), redundancy=ratio(new, credit), weight=weight,
                    scale=inverse(weight.sum(axis=1)))]


def p_ia(r: Ranking) -> list[Terms]:
    return [of_hits(r, r.relevant(), np.ones(r.rank.shape), scale=1 / np.maximum(r.length, 1))]


def ap_ia(r: Ranking) -> list[Terms]:
    precision = (r.count_before() + 1) / r.rank[..., None]
    return [of_hits(r, r.relevant(), precision, weight=r.weight * inverse(r.n_relevant))]


def rr_ia(r: Ranking) -> list[Terms]:
    return [of_hits(r, r.relevant(), discount.reciprocal(r.rank),
                    redundancy=(novelty.first_of_aspect(r.relevant()) > 0) * 1.0)]


def dcg_ia(r: Ranking, gain: str) -> list[Terms]:
    return [of_hits(r, r.gain(gain), r.log_discount())]


def ndcg_ia(r: Ranking, gain: str) -> list[Terms]:
    ideal = r.judged.ideal_gain(gain, r.rel)[:, :r.k]
    best = np.einsum('qdt,d->qt', ideal, discount.log_discount(np.arange(1.0, ideal.shape[1] + 1)))
    return [of_hits(r, r.gain(gain), r.log_discount(), weight=r.weight * inverse(best))]


def rbp_ia(r: Ranking, p: float, gain: str, max_rel: float | None) -> list[Terms]:
    top = r.judged.highest_grade() if max_rel is None else np.full_like(r.weight, max_rel)
    x = r.relevant() if gain == 'binary' else r.gain('linear') * inverse(top)[:, None, :]
    return [of_hits(r, x, discount.geometric(r.rank, p), scale=1 - p)]


def gerr_ia(r: Ranking, gain: str, max_rel: float | None) -> list[Terms]:
    probability = r.probability(gain, max_rel)
    return [of_hits(r, probability, discount.reciprocal(r.rank), redundancy=cascade.unsatisfied(probability))]


def q_ia(r: Ranking, beta: float, gain: str) -> list[Terms]:
    gains = r.gain(gain)
    ratios = blended.blended_ratio(gains, r.rank, r.judged.cumulated_ideal_by_aspect(gain, r.rel), beta)
    return [of_hits(r, (gains > 0) * 1.0, ratios, weight=r.weight * inverse(_q_divisor(r, gain)))]


def _q_divisor(r: Ranking, gain: str) -> Array:
    found = (r.judged.gain(gain, r.rel) > 0).sum(axis=1).astype(float)
    return found if r.k is None else np.minimum(found, r.k)


def p_plus_q(r: Ranking, beta: float, gain: str) -> list[Terms]:
    gains = r.gain(gain)
    ratios = blended.blended_ratio(gains, r.rank, r.judged.cumulated_ideal_by_aspect(gain, r.rel), beta)
    counted = (gains > 0) & r.within[..., None]
    grades = np.where(counted, r.of_hits(r.judged.grade), 0.0)
    highest = counted & (grades == grades.max(axis=1, initial=0.0, keepdims=True))
    preferred = np.where(highest, r.rank[..., None], np.inf).min(axis=1, initial=np.inf, keepdims=True)
    above = counted & (r.rank[..., None] <= preferred)
    navigational = r.judged.navigational
    divisor = np.where(navigational, above.sum(axis=1), _q_divisor(r, gain))
    return [of_hits(r, np.where(navigational[:, None, :], above, gains > 0) * 1.0, ratios,
                    weight=r.weight * inverse(divisor.astype(float)))]


# ---------------------------------------------------------------------------------------------------- D-measures

def global_gains(discounts: Discounted, gains: Callable[[Ranking, str], Array] | None = None) -> Sums:
    """Σ_i GG(d_i) discount(i): weight · gain(d, t) is the aspect's share of GG."""
    def sums(r: Ranking, gain: str, **params: float) -> list[Terms]:
        by_aspect = r.gain(gain) if gains is None else gains(r, gain)
        discounted, scale = discounts(r, gain, r.weighted(by_aspect), **params)
        return [of_hits(r, by_aspect, discounted, scale=scale)]
    return sums


def _ndcg(r: Ranking, gain: str, found: Array) -> tuple[Array, Array]:
    ideal = r.judged.ideal_global_gain(gain, r.rel)[:, :r.k]
    return r.log_discount(), inverse(ideal @ discount.log_discount(np.arange(1.0, ideal.shape[1] + 1)))


def _q(r: Ranking, gain: str, found: Array, beta: float) -> tuple[Array, Array]:
    """The blended ratio over GG, since the sum counts documents, not gains."""
    ratios = blended.blended_ratio(found, r.rank, r.judged.cumulated_ideal(gain, r.rel), beta)
    n = _n_gaining(r, gain).astype(float)
    return ratio(ratios * (found > 0), found), inverse(n if r.k is None else np.minimum(n, r.k))


def _reach(r: Ranking, gain: str, found: Array) -> Array:
    """Π_{j<i}(1 − R_j)/(max GG + 1)."""
    stop = _stop(found, r, gain)
    return ratio(stop, found) * cascade.unsatisfied(stop[..., None])[..., 0]


def _err(r: Ranking, gain: str, found: Array) -> tuple[Array, Array]:
    return _reach(r, gain, found) * discount.reciprocal(r.rank), np.ones(len(r.n))


def _nerr(r: Ranking, gain: str, found: Array) -> tuple[Array, Array]:
    stop = _stop(r.judged.ideal_global_gain(gain, r.rel), r, gain)
    ideal = (stop * cascade.unsatisfied(stop[..., None])[..., 0])[:, :r.k]
    return _err(r, gain, found)[0], inverse(ideal @ discount.reciprocal(np.arange(1.0, ideal.shape[1] + 1)))


def _ebr(r: Ranking, gain: str, found: Array, beta: float) -> tuple[Array, Array]:
    ratios = blended.blended_ratio(found, r.rank, r.judged.cumulated_ideal(gain, r.rel), beta)
    return ratios * _reach(r, gain, found), np.ones(len(r.n))


def _rbp(r: Ranking, gain: str, found: Array, p: float) -> tuple[Array, Array]:
    top = r.judged.global_gain(gain, r.rel).max(axis=1, initial=0.0)
    return discount.geometric(r.rank, p), (1 - p) * inverse(top)


def _once_if_navigational(r: Ranking, gain: str) -> Array:
    gains = r.gain(gain)
    return gains * np.where(r.judged.navigational[:, None, :],
                            novelty.first_of_aspect((gains > 0).astype(float)), 1.0)


def sharp(value: Sums, of: Callable[..., list[Terms]] = recall, *, rest: str) -> Sums:
    """γ · recall + (1 − γ) · value, whose part is called ``rest``."""
    def sums(r: Ranking, gamma: float, **params: Any) -> list[Terms]:
        return scaled(of(r, 'recall'), gamma) + scaled(value(r, **params), 1 - gamma, rest)
    return sums


def scaled(terms: Iterable[Terms], factor: Array | float, part: str = '', layer: int | None = None) -> list[Terms]:
    """Sums times a factor, (Q,) or a number; a name is put before theirs."""
    return [replace(t, scale=t.scale * factor, effort=t.effort * np.reshape(factor, (-1, 1)),
                    part=' '.join(filter(None, (part, t.part))),
                    layer=t.layer if layer is None else layer) for t in terms]


# ------------------------------------------------------------------------------------------------- intent hierarchies

def layered(value: Sums) -> Sums:
    """Σ_l v_l · value on layer l."""
    def sums(r: Ranking, layer_weights: str | None, **params: Any) -> list[Terms]:
        weight = r.judged.layers.weight(layer_weights, r.rel)
        return [t for number, layer, v in zip(r.judged.layers.numbers, r.layers, weight.T)
                for t in scaled(value(layer, **params), v, f'layer {number}', number)]
    return sums


def node_recall(r: Ranking, part: str = '') -> list[Terms]:
    every = np.sum([layer.n_aspects for layer in r.layers], axis=0)
    return [replace(recall(layer)[0], scale=inverse(every), part=' '.join(filter(None, (part, f'layer {number}'))),
                    layer=number)
            for number, layer in zip(r.judged.layers.numbers, r.layers)]


def hierarchical(form: str) -> Sums:
    """Measures of HGG = Σ_l v_l GG_l: a part for each layer."""
    def sums(r: Ranking, gain: str, layer_weights: str | None, beta: float = 1.0) -> list[Terms]:
        layers = r.judged.layers
        every = layers.global_gain(layer_weights, gain, r.rel)
        found = r.of_hits(every)
        if form == 'nDCG':
            ideal = layers.ideal_global_gain(layer_weights, gain, r.rel)[:, :r.k]
            discounted = r.log_discount()
            scale = inverse(ideal @ discount.log_discount(np.arange(1.0, ideal.shape[1] + 1)))
        else:
            ratios = blended.blended_ratio(found, r.rank, layers.cumulated_ideal(layer_weights, gain, r.rel), beta)
            discounted, n = ratio(ratios * (found > 0), found), (every > 0).sum(axis=1).astype(float)
            scale = inverse(n if r.k is None else np.minimum(n, r.k))
        weight = layers.weight(layer_weights, r.rel)
        return [replace(of_hits(layer, layer.gain(gain), discounted, scale=scale * v, part=f'layer {number}'),
                        layer=number) for number, layer, v in zip(layers.numbers, r.layers, weight.T)]
    return sums


# ---------------------------------------------------------------------------------------- measures inside measures

def inside(r: Ranking, M: str) -> DivMeasure | None:
    """The measure M of ours whose sums are known, at the ranking's cutoff; None if it is not."""
    made = ours(at_cutoff(M, r.k))
    return made if made is not None and made.NAME in SUMS else None


def intent_aware(r: Ranking, M: str) -> list[Terms]:
    inner = inside(r, M)
    if inner is None:
        raise NotASumError(f'{M} of each aspect is not a sum that can be taken apart')
    n, aspects = r.weight.shape
    found = []
    for t in sums_of(inner, r.by_aspect(inner.rel)):
        gain, redundancy, discounted = (
            np.moveaxis(x[..., 0].reshape(n, aspects, -1), 1, 2)
            for x in (t.gain, t.redundancy, t.by_aspect(t.discount)))
        weight = r.weight * (t.weight[:, 0] * t.scale).reshape(n, aspects)
        effort = np.einsum('qt,qtn->qn', r.weight, t.effort.reshape(n, aspects, -1)) if t.effort.size \
            else np.zeros((n, 0))
        found.append(Terms(gain, discounted, redundancy, weight, np.ones(n), effort, t.part))
    return found


def layer_aware(r: Ranking, M: str, layer_weights: str | None) -> list[Terms]:
    inner = inside(r, M)
    if inner is None:
        raise NotASumError(f'{M} of a layer is not a sum that can be taken apart')
    return layered(lambda layer: sums_of(inner, layer))(r, layer_weights)


def half_similar(value: Sums) -> Sums:
    """½ M: the part of a measure with document similarity that can be shown."""
    def sums(r: Ranking, scheme: str, pairs: str, scale: str, **params: Any) -> list[Terms]:
        return scaled(value(r.topic, **params), 0.5)
    return sums


# ---------------------------------------------------------------------------------------------- interactive search

def precision_at_recall(r: Ranking, modified: bool, never: str) -> list[Terms]:
    """A document's credit is shared by its aspects, or with ``modified`` by those that are new."""
    stop = _full_recall(r, never)
    relevant = r.relevant()
    aspects = relevant.sum(axis=2, keepdims=True)
    new = novelty.first_of_aspect(relevant) if modified else np.ones(relevant.shape)
    return [of_hits(r, ratio(relevant, np.broadcast_to(aspects, relevant.shape)), (r.rank <= stop[:, None]) * 1.0,
                    redundancy=new, weight=one(r), scale=1 / stop)]


def err_over_aspects(r: Ranking, mean: str, over: str, gain: str, max_rel: float | None) -> list[Terms]:
    if mean != 'arithmetic':
        raise NotASumError('a harmonic mean over aspects')
    probability = r.probability(gain, max_rel)
    counted = (r.covered() if over == 'found' else r.judged.aspects(r.rel) * 1.0) > 0
    return [of_hits(r, probability, discount.reciprocal(r.rank), redundancy=cascade.unsatisfied(probability),
                    weight=counted * 1.0, scale=inverse(counted.sum(axis=1).astype(float)))]


# ----------------------------------------------------------------------------------------------------- innovation

def with_rareness(discounts: Discounted) -> Sums:
    """Σ J gain(d) factor(d) discount(i); the factor 1 + αR is part of the gain."""
    def sums(r: Ranking, alpha: float | str, rarity: str | None, mu: float | None, norm: bool = False,
             gain: str | None = None, **params: float) -> list[Terms]:
        r = r.topic
        gains = r.judged.relevant(r.rel)[..., 0] if gain is None else r.judged.gain(gain, r.rel)[..., 0]
        worth = gains * rare.factor(r.judged, r.rel, alpha, norm, rarity, mu)
        discounted, scale = discounts(r, worth, **params)
        return [of_hits(r, r.of_hits(worth)[..., None], discounted, weight=one(r), scale=scale)]
    return sums


def _rare_p(r: Ranking, worth: Array) -> tuple[Array, Any]:
    return np.ones(r.rank.shape), 1 / np.maximum(r.length, 1)


def _rare_ap(r: Ranking, worth: Array) -> tuple[Array, Any]:
    """J(d_i) P_Rareness@i over the gain, since the sum counts documents."""
    found = r.of_hits(worth)
    return ratio(np.cumsum(found, axis=1) / r.rank, found), inverse(r.n_relevant[:, 0])


def _rare_ndcg(r: Ranking, worth: Array) -> tuple[Array, Any]:
    ideal = -np.sort(-worth, axis=1)[:, :r.k]
    return r.log_discount(), inverse(ideal @ discount.log_discount(np.arange(1.0, ideal.shape[1] + 1)))


def _rare_rbp(r: Ranking, worth: Array, p: float) -> tuple[Array, Any]:
    return discount.geometric(r.rank, p), 1 - p


def mean_rareness(r: Ranking, rarity: str | None) -> list[Terms]:
    r = r.topic
    relevant = r.relevant()
    gain = relevant * r.of_hits(rare.rareness(r.judged, rarity or 'R'))[..., None]
    return [of_hits(r, gain, np.ones(r.rank.shape), weight=one(r), scale=inverse(r.total(relevant[..., 0])))]


def unique_finds(share: bool) -> Sums:
    def sums(r: Ranking) -> list[Terms]:
        r = r.topic
        found = rare.unique(r.judged, r.rel)
        return [of_hits(r, r.of_hits(found)[..., None], np.ones(r.rank.shape), weight=one(r),
                        scale=inverse(found.sum(axis=1)) if share else 1.0)]
    return sums


# ---------------------------------------------------------------------------------------------------- user models

def user_model(r: Ranking, model: int, stops: Any, gain: Any, norm: bool, effort: str = um.RECIPROCAL,
               redundancy: Any = None) -> list[Terms]:
    """M1, M2 and M4 as Σ g_i · D(i), M3 with a dynamic P as Σ J_i f(i) P(i).

    D(i) is P(i) in M1, F(i) in M2, Σ_{k≥i} f(k) P(k) in M4; of a dynamic P sums run over the hits.
    """
    dynamic = stops.distribution.dynamic
    shape, within = r.relevant().shape, r.within[..., None]

    def after(x: Array) -> Array:
        """Σ_{k≥i} within the cutoff."""
        counted = np.broadcast_to(x * within, shape)
        return np.cumsum(counted[:, ::-1], axis=1)[:, ::-1]
    if model == 3 and not dynamic:
        raise NotASumError('M3 with a static P depends on no document')
    g = r.relevant() if model == 3 else r.of_hits(um.gain_of(r.judged, r.rel, gain))
    if model == 3:
        at = um.stopping_at(r, stops) * um.effort_at(r, effort)
    elif model == 1:
        at = um.stopping_at(r, stops)
    elif dynamic:
        stopped = um.stopping_at(r, stops)
        at = after(stopped) + np.maximum(1 - r.total(stopped), 0)[:, None, :] if model == 2 \
            else after(stopped * um.effort_at(r, effort))
    elif model == 2:
        at = um._gather(r, um.by_rank(r, stops)[1])
    else:
        at = um.total_effort(r, stops, effort) - um.effort_before(r, stops, effort)
    weight = r.weight
    if norm:
        best = um.expected(um.perfect(r.by_aspect(r.rel)).cut(r.k), model, stops, gain, effort, redundancy)
        weight = weight * inverse(best.reshape(weight.shape))
    left = None if redundancy is None else um.still_counts(r, redundancy)
    return [of_hits(r, g, np.broadcast_to(at, shape), redundancy=left, weight=weight)]


def _um(r: Ranking, model: int, P: str, theta: Any, gain: Any, norm: bool, base: float, effort: str) -> list[Terms]:
    return user_model(r.topic, model, um.Stops(P, theta, base), gain, norm, effort)


def _um_ia(r: Ranking, model: int, P: str, theta: Any, alpha: float | None, redundancy: str | None, gain: Any,
           norm: bool, base: float, effort: str) -> list[Terms]:
    repeats = None if alpha is None and redundancy is None else um.Redundancy(redundancy or 'RBP', alpha)
    return user_model(r, model, um.Stops(P, theta, base), gain, norm, effort, repeats)


def _named(name: str) -> Sums:
    def sums(r: Ranking, norm: bool, gain: Any = 'binary', **stops: Any) -> list[Terms]:
        model, P = um.MODELS[name]
        return user_model(r.topic, model, um.Stops(P, **stops), gain, norm)
    return sums


def gap(r: Ranking, g: Any) -> list[Terms]:
    r = r.topic
    every = worth(r.judged, r.rel, g)
    found = r.of_hits(every)
    both = np.minimum(found[:, :, None], found[:, None, :])  # (Q, n, m)
    cumulated = np.einsum('qnm,nm->qn', both, np.tri(found.shape[1]))
    return [of_hits(r, found[..., None], ratio(cumulated, found) / r.rank, weight=one(r),
                    scale=inverse(every.sum(axis=1)))]


class NotASumError(ValueError):
    """Parameters with which a measure is no sum; says why."""


_D_nDCG, _D_Q, _D_ERR = global_gains(_ndcg), global_gains(_q), global_gains(_err)
_D_nERR, _D_EBR, _D_RBP = global_gains(_nerr), global_gains(_ebr), global_gains(_rbp)
_DIN_nDCG, _DIN_Q = (global_gains(each, _once_if_navigational) for each in (_ndcg, _q))
_alpha_nDCG, _ERR_IA = novel(discount.log_discount, True), novel(discount.reciprocal, False)

SUMS: dict[str, Sums] = {
    'RBU': rbu, 'EU': eu, 'CT': cube(False), 'ACT': cube(True), 'CubeTest': cube_test, 'ACubeTest': average_cube_test,
    'nDCU': ndcu, 'P_at_Recall': precision_at_recall, 'ERR_over_aspects': err_over_aspects,
    'alpha_DCG': novel(discount.log_discount, False), 'alpha_nDCG': _alpha_nDCG, 'ERR_IA': _ERR_IA,
    'nERR_IA': novel(discount.reciprocal, True), 'NRBP': nrbp(False), 'nNRBP': nrbp(True),
    'alpha_DCG_IA': graded(discount.log_discount), 'gNRBP': graded(discount.geometric), 'StRecall': lambda r,
    budget: recall(r, budget=budget), 'Coverage': coverage, 'P_IA': p_ia, 'AP_IA': ap_ia, 'RR_IA': rr_ia,
    'DCG_IA': dcg_ia, 'nDCG_IA': ndcg_ia, 'RBP_IA': rbp_ia, 'gERR_IA': gerr_ia, 'Q_IA': q_ia, 'IA': intent_aware,
    'D_nDCG': _D_nDCG, 'D_Q': _D_Q, 'Dsharp_nDCG': sharp(_D_nDCG, rest='D_nDCG'), 'Dsharp_Q': sharp(_D_Q, rest='D_Q'),
    'D_ERR': _D_ERR, 'D_nERR': _D_nERR, 'D_EBR': _D_EBR, 'D_RBP': _D_RBP, 'Dsharp_ERR': sharp(_D_ERR, rest='D_ERR'),
    'Dsharp_nERR': sharp(_D_nERR, rest='D_nERR'), 'Dsharp_EBR': sharp(_D_EBR, rest='D_EBR'),
    'Dsharp_RBP': sharp(_D_RBP, rest='D_RBP'), 'DIN_nDCG': _DIN_nDCG,
    'DINsharp_nDCG': sharp(_DIN_nDCG, rest='DIN_nDCG'), 'DIN_Q': _DIN_Q, 'DINsharp_Q': sharp(_DIN_Q, rest='DIN_Q'),
    'PplusQ': p_plus_q, 'PplusQsharp': sharp(p_plus_q, rest='PplusQ'), 'I_rec_LA': layered(recall),
    'alpha_nDCG_LA': layered(_alpha_nDCG), 'ERR_IA_LA': layered(_ERR_IA), 'Q_IA_LA': layered(q_ia),
    'D_nDCG_LA': layered(_D_nDCG), 'D_Q_LA': layered(_D_Q), 'Dsharp_nDCG_LA': layered(sharp(_D_nDCG, rest='D_nDCG')),
    'Dsharp_Q_LA': layered(sharp(_D_Q, rest='D_Q')), 'LA': layer_aware, 'N_rec': node_recall,
    'HD_nDCG': hierarchical('nDCG'), 'HD_Q': hierarchical('Q'),
    'HDsharp_nDCG': sharp(hierarchical('nDCG'), node_recall, rest='HD_nDCG'),
    'HDsharp_Q': sharp(hierarchical('Q'), node_recall, rest='HD_Q'),
    'LADsharp_nDCG': sharp(layered(_D_nDCG), node_recall, rest='D_nDCG'),
    'LADsharp_Q': sharp(layered(_D_Q), node_recall, rest='D_Q'), 'P_Rareness': with_rareness(_rare_p),
    'AP_Rareness': with_rareness(_rare_ap), 'nDCG_Rareness': with_rareness(_rare_ndcg),
    'RBP_Rareness': with_rareness(_rare_rbp), 'Rareness': mean_rareness, 'NumUnique': unique_finds(False),
    'UniqueRecall': unique_finds(True), 'UM': _um, 'UM_IA': _um_ia, **{name: _named(name) for name in um.MODELS},
    'GAP': gap,
}
"""The sums of a measure by its name."""

PARTIAL: dict[str, tuple[Sums, str]] = {
    'DS_nDCG': (half_similar(_D_nDCG), '½ nDCG is shown; the rest is ½ (1 − S), S how alike the documents are'),
    'DS_Q': (half_similar(_D_Q), '½ Q is shown; the rest is ½ (1 − S), S how alike the documents are'),
    'DS_ERR': (half_similar(gerr_ia), '½ ERR is shown; the rest is ½ (1 − S), S how alike the documents are'),
}
"""Measures of which a part is a sum, and what the rest is."""

OTHERS: dict[str, str] = {
    'StRR': 'it is one over the rank at which enough subtopics are covered, not a sum',
    'RR_at_Recall': 'it is one over the rank by which all aspects are covered, not a sum',
    'CWL': 'which ranks a user reaches may depend on everything above, and costs and gains belong together',
    'DocSim': 'it is a mean over pairs of documents, not a sum over ranks',
}
"""Why other measures are not taken apart."""


def sums_of(made: DivMeasure, r: Ranking) -> list[Terms]:
    """The sums of a measure on rankings that are seen with its ``rel`` and ``judged_only``.

    Raises:
        NotASumError: with these parameters it is none.
    """
    r = r if made.cutoff is None else r.cut(made.cutoff)
    r = r if made.reads is None else r.reading(made['aspects'])
    known = SUMS.get(made.NAME) or PARTIAL.get(made.NAME, (None, ''))[0]
    if known is None:
        raise NotASumError(OTHERS.get(made.NAME, 'its terms are not known'))
    return known(r, **{name: made[name] for name in made.own_params})


__all__ = ['OTHERS', 'PARTIAL', 'SUMS', 'NotASumError', 'Terms', 'sums_of']
