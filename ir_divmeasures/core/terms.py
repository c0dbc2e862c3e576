"""What a measure returns: the terms of its sum, or its values.

A measure is a sum over the hits i of a ranking and the aspects t of its query::

    score = scale / divisor · ( Σ_i Σ_t weight · gain · redundancy · discount  −  Σ_i effort )

The function of a measure states these factors as a :class:`Terms`, from which the score and its explanation follow. A
measure that is no such sum returns its values, (Q,). A measure of several parts returns a tuple of terms and values, and
its score is their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .kernels import sums
from .ranking import Array, Ranking, ratio

UNWEIGHTED = np.ones((1, 1))
"""The weight of all aspects in a measure that ignores the weights of the judgments."""


@dataclass(frozen=True)
class Terms:
    """One sum of terms: a measure, or one part of it. Q queries, H hits, T aspects, N ranks.

    Attributes:
        ranking: the rankings whose hits are summed, cut at the cutoff. Hits beyond the cutoff do not count.
        gain: (Q, H, T) the gain of each hit for each aspect.
        discount: (Q, H) or (Q, H, T) the factor by which the rank reduces the gain; None for 1.
        redundancy: (Q, H, T) or (Q, H, 1) the factor by which earlier documents reduce the gain; None for 1.
        weight: (Q, T) the weight of each aspect, or (1, 1) for all; None for the weights of the judgments.
        divisor: (Q,), or (Q, T) if each aspect has its own: the normaliser. Where it is 0, the value is 0. None for 1.
        effort: (N,) or (Q, N) by rank: the cost of looking at a document; None for no cost.
        scale: a number or (Q,): constant factors, and the share of this part in the measure.
        part: the name of the part; '' if the measure has only one.
        layer: the layer of the hierarchy to which the aspects belong; None for the official intents.
    """

    ranking: Ranking
    gain: Array
    discount: Array | None = None
    redundancy: Array | None = None
    weight: Array | None = None
    divisor: Any = None
    effort: Array | None = None
    scale: Any = 1.0
    part: str = ''
    layer: int | None = None

    @property
    def weights(self) -> Array:
        """``weight``, or the weights of the judgments; (Q, T) or (1, 1)."""
        return self.ranking.weight if self.weight is None else np.asarray(self.weight, dtype=float)

    def value(self) -> Array:
        """The sum; (Q,)."""
        r, gain, discount = self.ranking, self.gain, self.discount
        if self.redundancy is not None:
            gain = gain * self.redundancy
        if discount is None or discount.ndim == 3:
            by_aspect = r.total(gain if discount is None else gain * discount)
        else:
            by_aspect = sums.chosen(gain, np.where(r.within, discount, 0.0))
        if np.ndim(self.divisor) == 2:
            by_aspect = ratio(by_aspect, self.divisor)
        total = sums.weighted(by_aspect, self.weights)
        if self.effort is not None:
            total = total - r.total_by_rank(self.effort)
        if np.ndim(self.divisor) == 1:
            total = ratio(total, self.divisor)
        return total * self.scale

    def factors(self) -> dict[str, Array]:
        """``weight``, ``gain``, ``redundancy``, ``discount`` and ``scale`` (scale / divisor) of each hit and aspect, and
        their product, the ``contribution`` to the score; each (Q, H, T), 0 beyond the cutoff."""
        r, shape = self.ranking, self.gain.shape
        factors = {
            'weight': self.weights[:, None, :],
            'gain': self.gain * r.within[..., None],
            'redundancy': self.redundancy,
            'discount': self.discount,
            'scale': self._scales()[:, None, :],
        }
        arrays = {}
        for name, factor in factors.items():
            values = np.ones(1) if factor is None else factor
            arrays[name] = np.broadcast_to(values[..., None] if values.ndim == 2 else values, shape)
        return {**arrays, 'contribution': np.prod([*arrays.values()], axis=0)}

    def efforts(self) -> Array:
        """The amount by which the effort at each rank lowers the score; (Q, N). N is 0 without effort."""
        if self.effort is None:
            return np.zeros((len(self.ranking.n), 0))
        is_read = np.arange(self.effort.shape[-1]) < self.ranking.depth[:, None]
        return np.where(is_read, self.effort, 0.0) * self._scales()

    def _scales(self) -> Array:
        """scale / divisor; (Q, T), or (Q, 1) if it is the same for all aspects."""
        scale = np.broadcast_to(self.scale, len(self.ranking.n))[:, None]
        if self.divisor is None:
            return scale
        divisor = np.asarray(self.divisor, dtype=float)
        return ratio(scale, divisor if divisor.ndim == 2 else divisor[:, None])


Part = Terms | Array
Parts = tuple[Part, ...]
"""What the function of a measure returns, as a tuple."""


def scaled(result: Any, share: Any, part: str = '', layer: int | None = None) -> Parts:
    """The parts of a measure as parts of another one, with a share of it, a number or (Q,), and a name."""
    return tuple(
        replace(
            each,
            scale=each.scale * share,
            part=f'{part} {each.part}'.strip(),
            layer=each.layer if layer is None else layer,
        )
        if isinstance(each, Terms)
        else each * share
        for each in (result if isinstance(result, tuple) else (result,))
    )


def weighted_by_aspect(r: Ranking, parts: Parts) -> Parts:
    """Σ_t w_t · measure_t, from the parts of a measure on ``r.by_aspect(…)``, where each aspect is a query."""
    shape = r.weight.shape

    def of_hits(factor: Array | None) -> Array | None:
        """(Q · T, H[, 1]) → (Q, H, T)"""
        return None if factor is None else np.moveaxis(factor.reshape(*shape, -1), 1, 2)

    def weighted(each: Part) -> Part:
        if not isinstance(each, Terms):
            return r.weighted(np.reshape(each, shape))
        weight = r.weight * np.broadcast_to(each.weights[:, 0] * each.scale, r.weight.size).reshape(
            shape
        )
        efforts = each.efforts().reshape(*shape, -1)
        return Terms(
            r,
            np.moveaxis(each.gain.reshape(*shape, -1), 1, 2),
            of_hits(each.discount),
            of_hits(each.redundancy),
            weight,
            None if each.divisor is None else np.reshape(each.divisor, shape),
            None if each.effort is None else np.einsum('qt,qtn->qn', r.weight, efforts),
            part=each.part,
        )

    return tuple(map(weighted, parts))
