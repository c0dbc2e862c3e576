"""Convert between the equivalent descriptions of a user: continuation C, stopping P = L, reach F = V, and weight W."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.stopping import registries as stopping
from ..core.stopping.continuation import Array, viewing
from ..meta.resampling import whole
from .profile import UserModel

DOWN = 'do not increase, down to beyond='
VIEWS = {
    'C': 'probabilities by rank',
    'P': 'probabilities by rank that add up to at most 1',
    'F': f'probabilities by rank that start at 1 and {DOWN}',
    'W': f'probabilities by rank that add up to 1 and {DOWN}',
}


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
    fits = x.size > 0 and x.ndim > 0 and ((x >= 0) & (x <= 1 + 1e-9)).all() and 0 <= beyond <= 1
    if fits:
        F = _reaching(x, given, beyond)
        fits = (F >= -1e-9).all() and np.allclose(F[..., 0], 1, atol=1e-9)
        fits = fits and (np.diff(F, axis=-1) <= 1e-9).all()
        fits = fits and (given != 'W' or np.allclose(x.sum(axis=-1), 1, atol=1e-9))
    if not fits:
        raise ValueError(f'{given}: expected {VIEWS[given]}, found {values!r}')
    if to == given:
        return x.copy()
    F = np.maximum(F, 0)
    if to == 'F':
        return F[..., :-1]
    if to == 'P':
        return F[..., :-1] - F[..., 1:]
    if to == 'W':
        return F[..., :-1] / F[..., :-1].sum(axis=-1, keepdims=True)
    return np.divide(F[..., 1:], F[..., :-1], out=np.zeros(x.shape), where=F[..., :-1] > 0)


def _reaching(x: Array, given: str, beyond: float) -> Array:
    """F at ranks 1 to n + 1 from values of a view, (…, n) → (…, n + 1)."""
    first = x[..., :1]
    if given == 'C':
        return viewing(np.concatenate([x, first], axis=-1))
    if given == 'P':
        return 1 - np.cumsum(np.concatenate([first * 0, x], axis=-1), axis=-1)
    with np.errstate(invalid='ignore', divide='ignore'):  # W that starts at 0 is an error
        F = x / first if given == 'W' else x
    return np.concatenate([F, np.full_like(first, beyond)], axis=-1)


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
        C: the function's name; :func:`ir_divmeasures.user_models.register_continuation` adds further ones.
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
    function = stopping.CONTINUATIONS[C]
    known = stopping.declared(function)
    stopping.check_parameters(f'C={C!r}', known, parameters)
    given = {name: known[name].check(x) for name, x in parameters.items() if x is not None}
    values = {**function.defaults, **given}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueError(f'C={C!r} needs {", ".join(missing)}')
    g = np.zeros(0) if gains is None else np.asarray(gains, dtype=float)
    n = whole((len(g) or 1000) if depth is None else depth, 'depth')
    c = np.ones(0) if costs is None else np.asarray(costs, dtype=float)
    if not ((g >= 0) & (g <= 1)).all() or not ((c > 0) & (c < np.inf)).all():
        raise ValueError('expected gains in [0, 1] and costs above 0')
    g, c = np.append(g, np.zeros(n))[:n], np.append(c, np.ones(n))[:n]
    going = np.broadcast_to(function(g, c, **values), (n,))
    F = viewing(going)
    return UserModel(C, None, F * (1 - going), F, float(F[-1] * going[-1]))
