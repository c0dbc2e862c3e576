"""What a measure returns: the terms of its sum, or values with a reason why they are no sum.

A measure is a sum over the hits i of a ranking and the aspects t of its query::

    score = share · scale / divisor · ( Σ_i Σ_t weight · gain · redundancy · discount  −  Σ_i effort )

The function of a measure states these factors as a :class:`Terms`. The score, its explanation and its pictures follow
from them. A measure that is no such sum returns a :class:`Value`. A measure of several parts returns a tuple of both
kinds, and its score is the sum of the parts.

A factor is an array, or a function without arguments that returns the array when an explanation needs it. If there is a
faster way to the score, the measure also states ``known``, and a test checks that the scores are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels import discount as discounts
from .kernels import sums
from .ranking import Array, Ranking, ratio

Reals = NDArray[np.floating[Any]]
Factor = Reals | Callable[[], Reals]


UNWEIGHTED = np.ones((1, 1))
"""The weight of all aspects in a measure that ignores the weights of the judgments."""


class NotASumError(ValueError):
    """A measure is no sum of terms, at least with these parameters. The message states the reason."""


@dataclass(frozen=True, kw_only=True)
class _Part:
    """What sums and values have in common: they can be a part of another measure.

    Attributes:
        share: a number or (Q,): the share of this part in the measure.
        part: the name of the part; '' if the measure has only one.
        layer: the layer of the hierarchy to which the aspects belong; None for the official intents.
    """

    share: Any = 1.0
    part: str = ''
    layer: int | None = None

    def as_part(self, share: Any, part: str = '', layer: int | None = None) -> Any:
        """This as a part of another measure, with a share of it. The name of the part precedes its own name."""
        return replace(
            self,
            share=self.share * share,
            part=' '.join(filter(None, (part, self.part))),
            layer=self.layer if layer is None else layer,
        )


@dataclass(frozen=True)
class Terms(_Part):
    """One sum of terms: a measure, or one part of it. Q queries, H hits, T aspects, N ranks.

    Attributes:
        ranking: the rankings whose hits are summed, cut at the cutoff. Hits beyond the cutoff do not count.
        gain: (Q, H, T) the gain of each hit for each aspect.
        discount: (Q, H) or (Q, H, T) the factor by which the rank reduces the gain; None for 1.
        redundancy: (Q, H, T) or (Q, H, 1) the factor by which earlier documents reduce the gain; None for 1.
        weight: (Q, T) the weight of each aspect, or (1, 1) for all; None for the weights of the judgments.
        scale: a number or (Q,): constant factors.
        divisor: (Q,), or (Q, T) if each aspect has its own: the normaliser. Where it is 0, the value is 0. None for 1.
        effort: (N,) or (Q, N) by rank: the cost of looking at a document; None for no cost.
        share, part, layer: as in :class:`_Part`.
        known: (Q,) the value without ``share``, if there is a faster way to compute it.
    """

    ranking: Ranking
    gain: Factor
    discount: Factor | None = None
    redundancy: Factor | None = None
    weight: Reals | None = None
    scale: Any = 1.0
    divisor: Any = None
    effort: Array | None = None
    known: Array | None = None

    @property
    def weights(self) -> Array:
        """``weight``, or the weights of the judgments; (Q, T) or (1, 1)."""
        return self.ranking.weight if self.weight is None else np.asarray(self.weight, dtype=float)

    def value(self) -> Array:
        """The sum; (Q,)."""
        return _times(self._sum() if self.known is None else self.known, self.share)

    def _sum(self) -> Array:
        """scale / divisor · (Σ_i Σ_t … − Σ_i effort); (Q,)."""
        r, gain = self.ranking, array(self.gain)
        if self.redundancy is not None:
            gain = gain * array(self.redundancy)
        discount = np.ones(r.rank.shape) if self.discount is None else array(self.discount)
        if discount.ndim == 3:
            by_aspect = r.total(gain * discount)
        else:
            by_aspect = sums.chosen(gain, np.where(r.within, discount, 0.0))
        if np.ndim(self.divisor) == 2:
            by_aspect = ratio(by_aspect, self.divisor)
        total = sums.weighted(by_aspect, self.weights)
        if self.effort is not None:
            of_all = self.effort.ndim == 1
            total -= (
                discounts.sum_to(self.effort, r.depth) if of_all else r.total_by_rank(self.effort)
            )
        if self.divisor is not None and np.ndim(self.divisor) < 2:
            total = ratio(total, np.asarray(self.divisor))
        return _times(total, self.scale)

    # ---- for explanations ----------------------------------------------------------------------------------

    def factor(self, name: str) -> Array:
        """``'weight'``, ``'gain'``, ``'redundancy'`` or ``'discount'`` of each hit and aspect; (Q, H, T)."""
        gain = array(self.gain)
        if name == 'gain':
            return gain * self.ranking.within[..., None]
        if name == 'weight':
            return np.broadcast_to(self.weights[:, None, :], gain.shape)
        factor = self.redundancy if name == 'redundancy' else self.discount
        values = np.ones(gain.shape) if factor is None else array(factor)
        values = np.broadcast_to(values if values.ndim == 3 else values[..., None], gain.shape)
        if name == 'redundancy':
            return values
        return np.where(self.ranking.within[..., None], values, 0.0)

    def scales(self) -> Array:
        """share · scale / divisor; (Q, T), or (Q, 1) if it is the same for all aspects."""
        factors = np.broadcast_to(np.multiply(self.share, self.scale), len(self.ranking.n))[:, None]
        if self.divisor is None:
            return factors
        divisor = np.asarray(self.divisor, dtype=float)
        return ratio(factors, divisor if divisor.ndim == 2 else divisor[..., None])

    def contributions(self) -> Array:
        """The contribution of each hit and aspect to the score, without effort; (Q, H, T)."""
        return (
            self.factor('weight')
            * self.factor('gain')
            * self.factor('redundancy')
            * self.factor('discount')
            * self.scales()[:, None, :]
        )

    def efforts(self) -> Array:
        """The amount by which the effort at each rank lowers the score; (Q, N). N is 0 without effort."""
        if self.effort is None:
            return np.zeros((len(self.ranking.n), 0))
        looked_at = np.arange(self.effort.shape[-1]) < self.ranking.depth[:, None]
        return np.where(looked_at, self.effort, 0.0) * self.scales()


@dataclass(frozen=True)
class Value(_Part):
    """The values of a measure, or of a part of one, that is no sum of terms.

    Attributes:
        values: (Q,) one value for each query.
        reason: why they are no sum, as in "it is the reciprocal of a rank".
        share, part, layer: as in :class:`_Part`.
    """

    values: Reals
    reason: str

    def value(self) -> Array:
        """The values times their share; (Q,)."""
        return _times(array(self.values), self.share)


Part = Terms | Value
Parts = tuple[Part, ...]


def as_parts(result: Any) -> Parts:
    """The parts of a result of a measure's function. An array is the value of a measure that states no terms."""
    if isinstance(result, (Terms, Value)):
        return (result,)
    return (
        result
        if isinstance(result, tuple)
        else (Value(result, 'its function returns values, not terms'),)
    )


def mixture(*components: tuple[Any, Any, str]) -> Parts:
    """Σ share · measure: the parts of one measure from several triples of a share, a result and a name."""
    return tuple(
        each.as_part(share, name) for share, result, name in components for each in as_parts(result)
    )


def value_of(parts: Iterable[Part]) -> Array:
    """The score, which is the sum of its parts; (Q,)."""
    total, *others = (each.value() for each in parts)
    for value in others:
        total = total + value
    return total


def weighted_by_aspect(r: Ranking, parts: Parts) -> Parts:
    """Σ_t w_t · measure_t, from the parts of a measure on ``r.by_aspect(…)``, where each aspect is a query."""
    return tuple(_weighted_by_aspect(r, each) for each in parts)


def _weighted_by_aspect(r: Ranking, part: Part) -> Part:
    queries, aspects = r.weight.shape
    value = r.weighted(part.value().reshape(queries, aspects))
    if isinstance(part, Value):
        return Value(value, part.reason, part=part.part)

    def factor(name: str) -> Array:
        return np.moveaxis(part.factor(name)[..., 0].reshape(queries, aspects, -1), 1, 2)

    weight = r.weight * (part.weights * part.scales()).reshape(queries, aspects)
    effort = (
        None
        if part.effort is None
        else np.einsum('qt,qtn->qn', r.weight, part.efforts().reshape(queries, aspects, -1))
    )
    return Terms(
        r,
        lambda: factor('gain'),
        lambda: factor('discount'),
        lambda: factor('redundancy'),
        weight,
        effort=effort,
        part=part.part,
        known=value,
    )


def array(factor: Factor) -> Array:
    """The array of a factor, which is an array or a function that returns it."""
    return np.asarray(factor() if callable(factor) else factor, dtype=float)


def _times(total: Array, factor: Any) -> Array:
    return total if isinstance(factor, float) and factor == 1.0 else total * factor
