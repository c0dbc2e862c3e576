"""Stopping distributions: the probability P(k) that a user stops at rank k (Carterette, SIGIR 2011).

P of a *static* distribution depends on the rank alone. P of a *dynamic* one depends on the number of relevant documents
so far, and is 0 at ranks without a relevant document. F(k) = Σ_{i≥k} P(i).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..core.kernels import Array
from ..core.parameters import ByGrade


class Static(NamedTuple):
    """A static distribution: P(k, θ), F(k, θ) = Σ_{i≥k} P(i) and Σ_{k≥1} P(k)/k."""

    P: Callable[[Array, Any], Array]
    F: Callable[[Array, Any], Array]
    reciprocal: Callable[[Any], float]


def dcg(base: float = 2.0) -> Static:
    """DCG's distribution for a base b > 1 of its logarithm: F(k) = 1/log_b(k + b − 1), P(k) = F(k) − F(k + 1)."""

    def F(k: Any, theta: Any = None) -> Any:
        return np.log2(base) / np.log2(k + (base - 1))

    def P(k: Any, theta: Any = None) -> Any:
        return F(k) - F(k + 1)

    return Static(P, F, lambda theta: _dcg_reciprocal(base))


@lru_cache(maxsize=1000)
def _dcg_reciprocal(base: float) -> float:
    """Σ P(k)/k: ranks to 2^16 are added up, the rest is the integral over u = ln k, Σ P(k)/k ≈ ∫ P(e^u) du."""
    k = np.arange(1.0, 2**16 + 1)
    node, weight = np.polynomial.legendre.leggauss(64)
    low, high = np.log(k[-1] + 0.5), np.log(1e18)
    u = low + (high - low) * (node + 1) / 2
    x = np.exp(u) + (base - 1)
    stops = np.log1p(1 / x) * np.log(base) / (np.log(x) * np.log(x + 1))  # P without cancellation
    return float((dcg(base).P(k, None) / k).sum() + (high - low) / 2 * (weight @ stops))


STATIC: dict[str, Static] = {
    'RBP': Static(
        lambda k, theta: theta * (1 - theta) ** (k - 1),
        lambda k, theta: (1 - theta) ** (k - 1),
        lambda theta: -theta * float(np.log(theta)) / (1 - theta),
    ),
    'DCG': dcg(),
    'RR': Static(
        lambda k, theta: 1 / (k * (k + 1)),
        lambda k, theta: 1 / k,
        lambda theta: np.pi**2 / 6 - 1,
    ),
}
DYNAMIC: dict[str, Callable[[Array, Array, Any], Array]] = {
    'ERR': lambda count, total, theta: theta * (1 - theta) ** (count - 1),
    'AP': lambda count, total, theta: 1 / total,
    'RRR': lambda count, total, theta: 1 / (count * (count + 1)),
}
"""P of the number of relevant documents down to a relevant one, and of that of all relevant documents."""
TAILS = {'RBP': 'slim', 'DCG': 'fat', 'RR': 'medium', 'ERR': 'slim', 'AP': 'fat', 'RRR': 'medium'}


RECIPROCAL = '1/k'


def effort_of(effort: str, k: Array) -> Array:
    """f(k) of ranks k ≥ 1, in their shape."""
    return 1 / k if effort == RECIPROCAL else k


class Stops(NamedTuple):
    """A stopping distribution with its parameters."""

    P: str
    theta: float | ByGrade = 0.5
    base: float = 2.0

    @property
    def is_dynamic(self) -> bool:
        """Whether P depends on relevance."""
        return self.P in DYNAMIC

    def _static(self) -> Static:
        return dcg(self.base) if self.P == 'DCG' else STATIC[self.P]

    def by_rank(self, n: int) -> tuple[Array, Array]:
        """P and F of a static distribution, (n + 2,) each: place k for rank k up to n + 1, and 0 at place 0."""
        k = np.arange(1.0, n + 2)
        P, F, _ = self._static()
        return np.append(0.0, P(k, self.theta)), np.append(0.0, F(k, self.theta))

    def mean_reciprocal(self) -> float:
        """Σ_{k≥1} P(k)/k of a static distribution."""
        return self._static().reciprocal(self.theta)

    def at_relevant(self, relevant: Array, total: Array) -> Array:
        """P of a dynamic distribution at the hits, 0 where they are not relevant: (…, H, T) of 0/1 → (…, H, T).

        Args:
            relevant: whether each hit is relevant.
            total: (…, T) the number of all relevant documents.
        """
        total = np.broadcast_to(np.maximum(total, 1.0)[..., None, :], relevant.shape)
        count = np.maximum(np.cumsum(relevant, axis=-2), 1.0)
        # P is defined for count ≤ total only. A ranking has more relevant documents than `total` only by error.
        return relevant * DYNAMIC[self.P](np.minimum(count, total), total, self.theta)
