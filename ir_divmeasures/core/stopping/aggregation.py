"""Aggregations A(1..n) of the C/W/L/A framework: what a user takes away who stops at a rank. Arithmetic only.

A measure weighs A(i) by one of three views of the user (:mod:`~ir_divmeasures.core.stopping.continuation`): by L(i), the
probability that i is the last rank; by W(i), the share of attention that rank i gets; or by V(i), the probability of
reaching it. To add an aggregation, write one line in :data:`BUILT_IN`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ..parameters import Range
from .continuation import Array, RankFunction


@dataclass(frozen=True)
class Aggregation(RankFunction):
    """An aggregation: A(i), what a user takes away who stops at rank i.

    Attributes:
        view: what A(i) is weighed by, ``'L'``, ``'W'`` or ``'V'``.
    """

    view: str = 'L'

    KIND: ClassVar[str] = 'aggregation'
    LETTER: ClassVar[str] = 'A'


Peak = Annotated[
    float, Range(0, 1), 'the share of the best document. The last document has the rest'
]


def of_document(gains: Array, costs: Array) -> Array:
    return gains


def total(gains: Array, costs: Array) -> Array:
    return np.cumsum(gains, axis=-1)


def cost(gains: Array, costs: Array) -> Array:
    return costs


def total_cost(gains: Array, costs: Array) -> Array:
    return np.cumsum(costs, axis=-1)


def one(gains: Array, costs: Array) -> Array:
    return np.ones(gains.shape[-1])


def mean(gains: Array, costs: Array) -> Array:
    return total(gains, costs) / np.arange(1.0, gains.shape[-1] + 1)


def highest(gains: Array, costs: Array) -> Array:
    return np.maximum.accumulate(gains, axis=-1)


def reciprocal(gains: Array, costs: Array) -> Array:
    return 1 / np.arange(1.0, gains.shape[-1] + 1)


def peak_end(gains: Array, costs: Array, *, peak: Peak = 0.5) -> Array:
    return peak * highest(gains, costs) + (1 - peak) * gains


def satisfaction(gains: Array, costs: Array) -> Array:
    return np.asarray(1 - np.cumprod(1 - gains, axis=-1), dtype=float)


BUILT_IN = tuple(
    Aggregation(name, f, None, f in (cost, total_cost), depends_on, checked=True, view=view)
    for name, f, view, depends_on in (
        ('EU', of_document, 'W', ''),
        ('ETU', total, 'L', 'gains'),
        ('EC', cost, 'W', ''),
        ('ETC', total_cost, 'L', ''),
        ('ED', one, 'V', 'ranks'),
        ('MEAN', mean, 'L', ''),
        ('MAX', highest, 'L', 'gains'),
        ('LAST', of_document, 'L', 'gains'),
        ('RR', reciprocal, 'L', 'ranks'),
        ('PE', peak_end, 'L', 'gains'),
        ('SAT', satisfaction, 'L', 'gains'),
    )
)


def why_marked(user: str, aggregation: str, combination: str) -> str | None:
    """Why a user with an aggregation measures no ranking; None if they do.

    Args:
        user, aggregation: what each depends on, as :attr:`RankFunction.depends_on`. A stopping distribution depends on
            ``'ranks'`` if it is static, and on ``'gains'`` if it is dynamic.
        combination: the subject of the message, with its verb, as in "M3 with a static P depends".
    """
    if user == aggregation == 'ranks':
        return f'a constant: {combination} on no document'
    if user == aggregation == 'gains':
        return (
            f'blind to ranks: {combination} on which relevant documents stand in the top k, never on where '
            f'non-relevant ones stand'
        )
    return None
