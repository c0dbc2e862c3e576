"""Continuation functions C(1..n) of the C/W/L framework, and its aggregations A(1..n). Arithmetic only.

A user who looked at rank i goes on to rank i + 1 with probability C(i). The user then reaches rank i with probability
V(i) = Π_{j<i} C(j), and it is the last rank with probability L(i) = V(i)(1 − C(i)). L is a stopping distribution P, and
V is its F (Carterette 2011). A function is ``f(gains, costs, *, parameters)`` of arrays (…, n) by rank. It returns
(…, n), or (n,) where C depends on the rank alone. To add a function, write one line in
:data:`FUNCTIONS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..kernels import Array


@dataclass(frozen=True)
class RankFunction:
    """A function of the gains and costs by rank that has one value for each rank: a part of a C/W/L/A measure.

    Attributes:
        name: the name that measures know it by.
        f: ``f(gains, costs, *, parameters)`` of arrays (…, n), which returns (…, n) or (n,).
        units: the unit of costs in which the defaults are stated, None where the defaults work without costs.
        reads_costs: whether f depends on the costs.
        depends_on: ``'ranks'`` where f depends on the rank alone; ``'gains'`` where documents without gain change
            nothing (a continuation of 1, an aggregation of what was gained); ``''`` otherwise.
        checked: whether f takes many rankings at once, and its values need no check. Otherwise it takes one at a
            time, arrays (n,).
    """

    name: str
    f: Callable[..., Any]
    units: str | None = None
    reads_costs: bool = True
    depends_on: str = ''
    checked: bool = False

    KIND: ClassVar[str] = 'function'
    LETTER: ClassVar[str] = 'f'
    ADMITTED: ClassVar[tuple[float, float, str]] = (-np.inf, np.inf, 'a finite number')

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of each parameter, None where it has none."""
        arguments = list(inspect.signature(self.f).parameters.values())[2:]
        return {
            argument.name: None if argument.default is argument.empty else argument.default
            for argument in arguments
        }

    def __call__(self, gains: Array, costs: Array, **parameters: Any) -> Array:
        """The values at ranks 1..n of rankings with these gains and costs, (…, n) each: (…, n) or (n,).

        Raises:
            ValueError: a value is not admitted, or there is not one value for each rank.
        """
        if not self.checked:
            costs = np.broadcast_to(costs, gains.shape)
        with np.errstate(over='ignore', under='ignore'):
            if not self.checked and gains.ndim > 1:
                rows = [self(g, c, **parameters) for g, c in zip(gains, costs)]
                return np.array(rows).reshape(gains.shape)
            values = np.asarray(self.f(gains, costs, **parameters), dtype=float)
        if self.checked:
            return values
        if values.shape != gains.shape:
            raise ValueError(
                f'{self.KIND} {self.name!r}: expected one value for each rank, found values of shape '
                f'{values.shape} for gains of shape {gains.shape}'
            )
        low, high, words = self.ADMITTED
        invalid = np.flatnonzero(~(np.isfinite(values) & (values >= low) & (values <= high)))
        if len(invalid):
            i = invalid[0]
            raise ValueError(
                f'{self.KIND} {self.name!r}: {self.LETTER}({i + 1}) = {values[i]:g}, expected {words}'
            )
        return values


class Continuation(RankFunction):
    """A continuation function: C(i), the probability of going on from rank i to the next one."""

    KIND: ClassVar[str] = 'continuation'
    LETTER: ClassVar[str] = 'C'
    ADMITTED: ClassVar[tuple[float, float, str]] = (0.0, 1.0, 'a probability in [0, 1]')


def viewing(C: Array) -> Array:
    """V(i) = Π_{j<i} C(j), the probability of reaching rank i: (…, n) → (…, n), ranks along the last axis."""
    V = np.empty(C.shape)
    V[..., :1] = 1.0
    np.cumprod(C[..., :-1], axis=-1, out=V[..., 1:])
    return V


def _ranks(gains: Array) -> Array:
    return np.arange(1.0, gains.shape[-1] + 1)


def _before(x: Array) -> Array:
    """The cumulated value at the rank before, 0 at rank 1."""
    return np.concatenate([np.zeros_like(x[..., :1]), x[..., :-1]], axis=-1)


def _cut(C: Any, gains: Array, k: int) -> Array:
    """C(i) if i < k else 0."""
    return np.where(_ranks(gains) < k, C, 0.0)


def _odds(b: float, x: Any) -> Any:
    """b e^x, which may overflow to infinity. The result is 0 for b = 0, even where e^x overflows."""
    return b * np.exp(x) if b else np.zeros_like(np.asarray(x, dtype=float))


def average_precision(gains: Array, costs: Array) -> Array:
    left = np.cumsum((gains / _ranks(gains))[..., ::-1], axis=-1)[..., ::-1]
    C = np.zeros(left.shape)
    np.divide(left[..., 1:], left[..., :-1], out=C[..., :-1], where=left[..., 1:] > 0)
    return C


def search_economic(gains: Array, costs: Array, *, beta: float = 0.5, k: int = 10) -> Array:
    # ((i+2)^β − (i+1)^β)/((i+1)^β − i^β), divided by (i+1)^β above and below
    i = _ranks(gains)
    return _cut(
        np.expm1(beta * np.log1p(1 / (i + 1))) / -np.expm1(beta * np.log(i / (i + 1))), gains, k
    )


def bejeweled_dynamic(
    gains: Array,
    costs: Array,
    *,
    T: float = 1.0,
    K: float = 10.0,
    hb: float = 1.0,
    gain_med: float = 0.5,
) -> Array:
    goal = np.empty(gains.shape)
    goal[..., :1] = T
    goal[..., 1:] = hb * (gains - gain_med)[..., :-1]
    # Nobody reaches the ranks after the first 0, so that what follows is of no consequence.
    return (
        (np.cumsum(gains, axis=-1) < np.cumsum(goal, axis=-1)) & (np.cumsum(costs, axis=-1) < K)
    ).astype(float)


def foraging_goal(gains: Array, costs: Array, T: float, b1: float, R1: float) -> Array:
    return 1 - 1 / (1 + _odds(b1, (T - np.cumsum(gains, axis=-1)) * R1))


def foraging_rate(gains: Array, costs: Array, A: float, b2: float, R2: float) -> Array:
    return 1 / (1 + _odds(b2, (A - np.cumsum(gains, axis=-1) / np.cumsum(costs, axis=-1)) * R2))


def time_biased(gains: Array, costs: Array, *, halflife: float = 224.0) -> Array:
    C = np.exp2(-costs / halflife)
    C[..., -1] = 0
    return C


def u_measure(gains: Array, costs: Array, *, L: float = 1000.0) -> Array:
    read = np.cumsum(costs, axis=-1)
    left = L - _before(read)
    C = np.zeros(read.shape)
    np.divide(np.maximum(L - read, 0), left, out=C, where=left > 0)
    C[..., -2:] = 0
    return C


def _going_on(to: Array) -> Array:
    """((to − 1)/to)²."""
    return ((to - 1) / to) ** 2


def relevant_seen(gains: Array) -> Array:
    """R_i, the number of ranks with gain in the top i."""
    return np.cumsum(gains > 0, axis=-1)


_COSTS = ('BPM', 'BPMD', 'IFTRate', 'IFTGoalRate', 'TBG', 'UMeasure')
_STATIC = ('P', 'RBP', 'NPV', 'NDCG', 'SET', 'INSQ')
_AT_GAINS = ('RR', 'ERR', 'RRR')
_UNITS = {'TBG': 'seconds', 'UMeasure': 'characters'}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    'P': lambda gains, costs, k=10: _cut(1.0, gains, k),
    'RR': lambda gains, costs: np.cumsum(gains, axis=-1) == 0,
    'AP': average_precision,
    'RBP': lambda gains, costs, p=0.8: np.full(gains.shape[-1], p),
    'NPV': lambda gains, costs, rate=0.1: np.full(gains.shape[-1], 1 / (1 + rate)),
    'NDCG': lambda gains, costs, k: _cut(
        np.log(_ranks(gains) + 1) / np.log(_ranks(gains) + 2), gains, k
    ),
    'SET': search_economic,
    'INSQ': lambda gains, costs, T=1.0: _going_on(_ranks(gains) + 2 * T),
    'INST': lambda gains, costs, T=1.0: _going_on(
        _ranks(gains) + 2 * T - np.cumsum(gains, axis=-1)
    ),
    'BPM': lambda gains, costs, T=1.0, K=10.0: (
        (np.cumsum(gains, axis=-1) < T) & (np.cumsum(costs, axis=-1) < K)
    ),
    'BPMD': bejeweled_dynamic,
    'IFTGoal': foraging_goal,
    'IFTRate': foraging_rate,
    'IFTGoalRate': lambda gains, costs, T, b1, R1, A, b2, R2: (
        foraging_goal(gains, costs, T, b1, R1) * foraging_rate(gains, costs, A, b2, R2)
    ),
    'TBG': time_biased,
    'UMeasure': u_measure,
    'NERR8': lambda gains, costs, k: _cut(1 - gains, gains, k),
    'NERR9': lambda gains, costs, k: (
        (1 - gains) * _cut(_ranks(gains) / (_ranks(gains) + 1), gains, k)
    ),
    'NERR10': lambda gains, costs, p=0.9: p * (1 - gains),
    'NERR11': lambda gains, costs, T=1.0: (1 - gains) * _going_on(_ranks(gains) + 2 * T),
    'ERR': lambda gains, costs, theta=1.0: 1 - theta * gains,
    'RRR': lambda gains, costs: (_before(relevant_seen(gains)) + 1) / (relevant_seen(gains) + 1),
}
BUILT_IN = tuple(
    Continuation(
        name,
        f,
        _UNITS.get(name),
        name in _COSTS,
        'ranks' if name in _STATIC else 'gains' if name in _AT_GAINS else '',
        checked=True,
    )
    for name, f in FUNCTIONS.items()
)


# ----------------------------------------------------------------------------------------------------- aggregations


class Aggregation(RankFunction):
    """An aggregation: A(i), what a user takes away who stops at rank i."""

    KIND: ClassVar[str] = 'aggregation'
    LETTER: ClassVar[str] = 'A'


def highest(gains: Array) -> Array:
    return np.maximum.accumulate(gains, axis=-1)


AGGREGATIONS = tuple(
    Aggregation(name, f, None, name in ('EC', 'ETC'), depends_on, checked=True)
    for name, depends_on, f in (
        ('EU', '', lambda gains, costs: gains),
        ('ETU', 'gains', lambda gains, costs: np.cumsum(gains, axis=-1)),
        ('EC', '', lambda gains, costs: costs),
        ('ETC', '', lambda gains, costs: np.cumsum(costs, axis=-1)),
        ('ED', 'ranks', lambda gains, costs: np.ones(gains.shape[-1])),
        ('MEAN', '', lambda gains, costs: np.cumsum(gains, axis=-1) / _ranks(gains)),
        ('MAX', 'gains', lambda gains, costs: highest(gains)),
        ('LAST', 'gains', lambda gains, costs: gains),
        ('RR', 'ranks', lambda gains, costs: 1 / _ranks(gains)),
        (
            'PE',
            'gains',
            lambda gains, costs, peak=0.5: peak * highest(gains) + (1 - peak) * gains,
        ),
        ('SAT', 'gains', lambda gains, costs: 1 - np.cumprod(1 - gains, axis=-1)),
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
