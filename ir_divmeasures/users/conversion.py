"""Convert between the equivalent descriptions of a user: continuation C, stopping P = L, reach F = V, and weight W."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.stopping import registries as stopping
from ..core.stopping.continuation import Array, viewing
from .profile import UserModel

VIEWS = ('C', 'P', 'F', 'W')


def convert(values: Any, given: str, to: str, beyond: float = 0.0) -> Array:
    """Convert one view of a user to another, at ranks 1..n (the last axis).

    C(k) is the probability of going on from rank k; P(k) = L(k) that of stopping there; F(k) = V(k) that of reaching
    it; W(k) = F(k)/Σ F its share of attention. F(k) = Π_{i<k} C(i), P(k) = F(k)(1 − C(k)) = F(k) − F(k+1), and
    C(k) = F(k+1)/F(k), 0 where F(k) = 0.

    Args:
        values: (…, n) values of the view ``given``.
        given, to: ``'C'``, ``'P'`` (or ``'L'``), ``'F'`` (or ``'V'``), ``'W'``.
        beyond: F(n + 1), the share of users who go beyond rank n. It is used with F and W; P and C imply it.

    Raises:
        ValueError: another view, or values that do not fit the view. All values must be probabilities. P must not add
            up to more than 1, F must start at 1 and not increase, and W must add up to 1 and not increase.

    Examples:
        >>> convert([0.5, 0.5, 0.5], 'C', 'P'), convert([1, 1 / 2, 1 / 3], 'F', 'C', beyond=1 / 4).round(3)
        (array([0.5  , 0.25 , 0.125]), array([0.5  , 0.667, 0.75 ]))
    """
    same = {'L': 'P', 'V': 'F'}
    given, to = same.get(given, given), same.get(to, to)
    for name, view in (('given', given), ('to', to)):
        if view not in VIEWS:
            raise ValueError(f"{name}={view!r}: expected 'C', 'P' (or 'L'), 'F' (or 'V') or 'W'")
    x = np.asarray(values, dtype=float)
    if (
        not x.ndim
        or not x.shape[-1]
        or not ((x >= 0) & (x <= 1 + 1e-9)).all()
        or not 0 <= beyond <= 1
    ):
        raise ValueError(f'{given}: expected probabilities by rank, found {values!r}')
    if given == 'C':
        F = viewing(np.concatenate([x, x[..., -1:]], axis=-1))
    elif given == 'P':
        if (x.sum(axis=-1) > 1 + 1e-9).any():
            raise ValueError(
                f'P: the probabilities add up to {x.sum(axis=-1).max():g}, expected at most 1'
            )
        F = np.maximum(
            1 - np.concatenate([np.zeros_like(x[..., :1]), np.cumsum(x, axis=-1)], axis=-1), 0
        )
    else:
        if given == 'W' and not np.allclose(x.sum(axis=-1), 1, atol=1e-9):
            raise ValueError(f'W: adds up to {np.max(x.sum(axis=-1)):g}, expected 1')
        F = x / x[..., :1] if given == 'W' else x
        F = np.concatenate([F, np.full_like(F[..., :1], beyond)], axis=-1)
        if not np.allclose(F[..., 0], 1, atol=1e-9) or (np.diff(F, axis=-1) > 1e-9).any():
            raise ValueError(
                f'{given}: expected values that start at their highest and do not increase, to '
                f'beyond={beyond:g}, found {values!r}'
            )
    if to == 'F':
        return F[..., :-1]
    if to == 'P':
        return x.copy() if given == 'P' else F[..., :-1] - F[..., 1:]
    if to == 'W':
        return F[..., :-1] / F[..., :-1].sum(axis=-1, keepdims=True)
    if given == 'C':
        return x.copy()
    return np.divide(F[..., 1:], F[..., :-1], out=np.zeros(x.shape), where=F[..., :-1] > 0)


def continuation(
    C: str = 'RBP',
    *,
    gains: Any = None,
    costs: Any = None,
    depth: int | None = None,
    **parameters: Any,
) -> UserModel:
    """A continuation function on a ranking, as a stopping distribution.

    Args:
        C: the function's name; :func:`ir_divmeasures.register_continuation` adds further ones.
        gains: gains in [0, 1] of the ranking from rank 1. The gain of further ranks is 0.
        costs: costs from rank 1. The cost of further ranks is 1.
        depth: number of ranks. The default is the number of gains, or 1000 without gains.
        parameters: parameters of C.

    Returns:
        A :class:`UserModel` with P = L, F = V, C and W; ``beyond`` = V(n)C(n).

    Examples:
        >>> user = continuation('INST', gains=[0, 1, 0], T=1, depth=4)
        >>> user.C.round(4), user.F.round(4)  # (2/3)², (2/3)² after a gain of 1, (3/4)², (4/5)²
        (array([0.4444, 0.4444, 0.5625, 0.64  ]), array([1.    , 0.4444, 0.1975, 0.1111]))
    """
    known = stopping.declared(stopping.CONTINUATIONS[C])
    function = stopping.CONTINUATIONS[C]
    stopping.check_parameters(f'C={C!r}', known, parameters)
    given = {name: value for name, value in parameters.items() if value is not None}
    values = {**function.defaults, **{name: known[name].check(x) for name, x in given.items()}}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueError(f'C={C!r} needs {", ".join(missing)}')
    g = np.zeros(0) if gains is None else np.asarray(gains, dtype=float)
    n = (len(g) or 1000) if depth is None else depth
    if n < 1 or n != int(n):
        raise ValueError(f'depth={depth!r}: expected a whole number of at least 1')
    c = np.ones(0) if costs is None else np.asarray(costs, dtype=float)
    if not ((g >= 0) & (g <= 1)).all() or not ((c > 0) & (c < np.inf)).all():
        raise ValueError('expected gains in [0, 1] and costs above 0')
    g, c = np.append(g, np.zeros(n))[:n], np.append(c, np.ones(n))[:n]
    going = np.broadcast_to(function(g, c, **values), (n,))
    F = viewing(going)
    return UserModel(C, None, F * (1 - going), F, float(F[-1] * going[-1]), None, None, None)


def as_continuation(P: str, theta: float = 0.5) -> Callable[[Array, Array], Array]:
    """A stopping distribution as a continuation function, for ``register_continuation``.

    C(k) = F(k+1)/F(k), 0 where F(k) = 0. Users of a dynamic distribution stop at relevant documents only, those with
    gain: C(k) = 1 − P(c)/F(c) at the c-th of them, with F(c) = 1 − Σ_{j<c} P(j), and 1 elsewhere.

    Raises:
        ValueError: an unknown P, or one that depends on the number of all relevant documents (AP).

    Examples:
        >>> from ir_divmeasures import CWL, register_continuation, unregister_continuation
        >>> function = register_continuation('RRStops', as_continuation('RR'))
        >>> CWL(C='RRStops', depth=3, out='ED').calc_aggregate({'q': {'d': 1}}, {'q': {'d': 1.0}})  # 1 + 1/2 + 1/3
        1.8333333333333333
        >>> unregister_continuation('RRStops')
        >>> as_continuation('RRR')(np.array([0.0, 1, 0, 1]), np.ones(4)).round(4)  # 1/2 and 2/3 at the two with gain
        array([1.    , 0.5   , 1.    , 0.6667])
    """
    distribution = stopping.get(P)
    if not distribution.dynamic:

        def static(gains: Array, costs: Array) -> Array:
            F = distribution.by_rank(gains.shape[-1], theta)[1][1:]
            return np.divide(F[1:], F[:-1], out=np.zeros(len(F) - 1), where=F[:-1] > 0)

        return static

    def stops(relevant: int, total: int) -> Array:
        """P at the first so many relevant documents of a query that has ``total``."""
        return distribution.at_relevant(np.ones((relevant, 1)), np.array([float(total)]), theta)[
            :, 0
        ]

    if not np.array_equal(stops(3, 3), stops(3, 30)):
        raise ValueError(
            f'P={P!r} depends on the number of all relevant documents; a continuation function can depend '
            f'on those ranked so far only'
        )

    def dynamic(gains: Array, costs: Array) -> Array:
        probability = stops(gains.shape[-1], gains.shape[-1])
        rest = np.maximum(1 - (np.cumsum(probability) - probability), 0)
        goes_on = 1 - np.divide(probability, rest, out=np.ones(len(probability)), where=rest > 0)
        relevant = np.cumsum(gains > 0, axis=-1)
        return np.where(gains > 0, np.clip(goes_on, 0, 1)[np.maximum(relevant, 1) - 1], 1.0)

    return dynamic


def as_stopping(
    C: str, **parameters: Any
) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """A continuation function of the rank alone as P and F of a stopping distribution, for ``register_stopping``.

    Examples:
        >>> P, F = as_stopping('INSQ', T=1)
        >>> P(np.array([1.0, 2.0])).round(4)  # 1 − (2/3)², (2/3)² (1 − (3/4)²)
        array([0.5556, 0.1944])
    """
    rising, falling = np.linspace(0, 1, 50), np.linspace(1, 0, 50)
    first, second = (
        continuation(C, gains=g, costs=1 + g, **parameters).F for g in (rising, falling)
    )
    if not np.array_equal(first, second):
        raise ValueError(
            f'C={C!r} depends on gains or costs; a static stopping distribution on the rank alone'
        )

    def F(k: Array) -> Array:
        return continuation(C, depth=int(np.max(k, initial=1)) + 1, **parameters).F[
            np.asarray(k, dtype=np.intp) - 1
        ]

    def P(k: Array) -> Array:
        return F(k) - F(np.asarray(k) + 1)

    return P, F
