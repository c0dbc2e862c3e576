"""Stopping distributions over ranks (Carterette 2011, §3). This module contains arithmetic only.

P of a *static* distribution depends on the rank alone. P of a *dynamic* distribution depends on the number of relevant
documents so far, and is 0 at ranks without a relevant document. To add a distribution, write one line in
:data:`BUILT_IN`, or call :func:`~ir_divmeasures.user_models.register_stopping` at run time. Each one gives four measures.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from ..kernels import Array

NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class Stopping:
    """A stopping distribution.

    Attributes:
        name: the name that measures know it by.
        P: ``P(k, …)`` of an array of ranks k ≥ 1. P of a dynamic distribution is ``P(count, total, …)`` of the number
            of relevant documents up to and including this one (≥ 1), and of the number of all relevant documents.
            Parameters follow: ``theta``, which measures know by this name, and any others.
        F: ``F(k, …)`` = Σ_{i≥k} P(i) of a static distribution, where it is known in closed form.
        dynamic: whether P depends on relevance.
        tail: ``'slim'``, ``'medium'``, ``'fat'`` or None, the group of the distribution in studies.
        reciprocal: ``reciprocal([theta])`` = Σ_{k≥1} P(k)/k of a static distribution, where it is known.
    """

    name: str
    P: Callable[..., Any]
    F: Callable[..., Any] | None = None
    dynamic: bool = False
    tail: str | None = None
    reciprocal: Callable[..., float] | None = None

    @property
    def takes_theta(self) -> bool:
        """Whether P has the parameter θ."""
        return 'theta' in _arguments(self.P)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Parameters other than θ with their defaults, None where there is none."""
        arguments = list(inspect.signature(self.P).parameters.values())[2 if self.dynamic else 1 :]
        return {
            argument.name: None if argument.default is argument.empty else argument.default
            for argument in arguments
            if argument.name != 'theta' and argument.kind is not argument.VAR_POSITIONAL
        }

    def bound(self, name: str, values: dict[str, float]) -> Stopping:
        """The distribution under this name, with these values of its parameters other than θ."""

        def fix(function: Callable[..., Any]) -> Callable[..., Any]:
            known = _arguments(function)
            return partial(function, **{key: x for key, x in values.items() if key in known})

        return replace(
            self,
            name=name,
            P=fix(self.P),
            F=None if self.F is None else fix(self.F),
            reciprocal=None,
        )

    def by_rank(
        self, n: int, theta: float = 0.5, values: Mapping[str, float] = NONE
    ) -> tuple[Array, Array]:
        """P and F of a static distribution, (n + 2,) each. Element k is for rank k up to n + 1, element 0 is 0.

        Where F has no closed form it is 1 − Σ_{i<k} P(i). ``values`` are those of other parameters.
        """
        k = np.arange(1.0, n + 2)
        P = _values(self.P, {**values, 'theta': theta}, k)
        if self.F is None:
            F = np.maximum(1 - (np.cumsum(P) - P), 0)
        else:
            F = _values(self.F, {**values, 'theta': theta}, k)
        return np.concatenate([[0.0], P]), np.concatenate([[0.0], F])

    def mean_reciprocal(self, theta: float = 0.5) -> float:
        """Σ_{k≥1} P(k)/k of a static distribution.

        Where it is not known in closed form, ranks 1 to 2^20 are added up. The rest is a geometric series: each span
        of ranks from 2^j to 2^(j+1) is assumed to have the same ratio to the span before. That is exact for powers of
        k.
        """
        if self.reciprocal is not None:
            return self.reciprocal(theta) if self.takes_theta else self.reciprocal()
        return _mean_reciprocal(self, theta)

    def at_relevant(
        self, relevant: Array, total: Array, theta: float = 0.5, values: Mapping[str, float] = NONE
    ) -> Array:
        """P of a dynamic distribution at every hit of a ranking, 0 where the hit is not relevant.

        Args:
            relevant: (…, H, T) of 0/1 in rank order.
            total: (…, T) number of all relevant documents.
            theta: θ, if the distribution has that parameter.
            values: values of other parameters.

        Returns:
            (…, H, T) probabilities.
        """
        total = np.broadcast_to(np.maximum(total, 1.0)[..., None, :], relevant.shape)
        count = np.maximum(np.cumsum(relevant, axis=-2), 1.0)
        # P is defined for count ≤ total only. A ranking has more relevant documents than `total` only by error.
        return relevant * _values(
            self.P,
            {**values, 'theta': theta},
            np.minimum(count, total),
            total,
        )


@lru_cache(maxsize=10_000)
def _arguments(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the arguments of a function."""
    return frozenset(inspect.signature(function).parameters)


def _values(function: Callable[..., Any], values: Mapping[str, Any], *arrays: Array) -> Array:
    """The values of a function of arrays and of those parameters in ``values`` that it has, in the arrays' shape."""
    known = _arguments(function)
    parameters = {name: value for name, value in values.items() if name in known}
    results = np.asarray(function(*arrays, **parameters), dtype=float)
    if results.shape == arrays[0].shape:
        return results
    return np.broadcast_to(results, np.broadcast_shapes(arrays[0].shape, results.shape))


@lru_cache(maxsize=1000)
def _mean_reciprocal(distribution: Stopping, theta: float) -> float:
    """Σ_{k≥1} P(k)/k as :meth:`Stopping.mean_reciprocal` describes it, by addition."""
    k = np.arange(1.0, 2**20 + 1)
    terms = _values(distribution.P, {'theta': theta}, k) / k
    last, before = float(terms[2**19 :].sum()), float(terms[2**18 : 2**19].sum())
    ratio = last / before if before else 0.0
    return float(terms.sum()) + (last * ratio / (1 - ratio) if ratio < 1 else 0.0)


@lru_cache(maxsize=1000)
def dcg(base: float = 2.0) -> Stopping:
    """DCG's distribution for a base b > 1 of its logarithm: F(k) = 1/log_b(k + b − 1), P(k) = F(k) − F(k + 1)."""

    def F(k: Any) -> Any:
        return np.log2(base) / np.log2(k + (base - 1))

    def P(k: Any) -> Any:
        return F(k) - F(k + 1)

    def reciprocal() -> float:
        """Σ P(k)/k: ranks to 2^16 are added up, the rest is the integral over u = ln k, Σ P(k)/k ≈ ∫ P(e^u) du."""
        k = np.arange(1.0, 2**16 + 1)
        node, weight = np.polynomial.legendre.leggauss(64)
        low, high = np.log(k[-1] + 0.5), np.log(1e18)
        u = low + (high - low) * (node + 1) / 2
        x = np.exp(u) + (base - 1)
        stops = (
            np.log1p(1 / x) * np.log(base) / (np.log(x) * np.log(x + 1))
        )  # P without cancellation
        return float((P(k) / k).sum() + (high - low) / 2 * (weight @ stops))

    return Stopping('DCG', P, F, tail='fat', reciprocal=lru_cache(maxsize=1)(reciprocal))


# Static distributions are functions of the rank k, dynamic ones of count = R_k and total = R.
BUILT_IN = (
    Stopping(
        'RBP',
        lambda k, theta: theta * (1 - theta) ** (k - 1),
        lambda k, theta: (1 - theta) ** (k - 1),
        tail='slim',
        reciprocal=lambda theta: -theta * float(np.log(theta)) / (1 - theta),
    ),
    dcg(),
    Stopping(
        'RR',
        lambda k: 1 / (k * (k + 1)),
        lambda k: 1 / k,
        tail='medium',
        reciprocal=lambda: np.pi**2 / 6 - 1,
    ),
    Stopping(
        'ERR',
        lambda count, total, theta: theta * (1 - theta) ** (count - 1),
        dynamic=True,
        tail='slim',
    ),
    Stopping('AP', lambda count, total: 1 / total, dynamic=True, tail='fat'),
    Stopping('RRR', lambda count, total: 1 / (count * (count + 1)), dynamic=True, tail='medium'),
)
