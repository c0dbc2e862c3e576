"""The least and the largest value of a C/W/L/A measure over the gains of some documents. Arithmetic only.

Each of u documents of a ranking has gain 0 or h. C(i) and A(i) depend on these documents above rank i only by the
number m of them with gain h, and V(i) is a product of C above i. So the value from rank i on is J(i, m) = opt_x t(i, m,
x) + C(i, m, x) · J(i+1, m + x), where x says whether the document at rank i has gain h, and t is what rank i gives.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .continuation import Array

Values = Callable[[Array], Array]
"""A function of gains by rank (…, n) that has a value for each rank (…, n)."""
ROUNDS = 100
"""Dinkelbach's method converges faster than linearly; this many rounds are never needed."""


def extremes(
    least: Array, most: Array, goes_on: Values, takes: Values, view: str
) -> tuple[float, float]:
    """The least and the largest Σ A over what ``view`` says: L, W or V.

    Args:
        least, most: (n,) gains by rank where none and where all of the documents whose gain is not known have the gain
            h.
        goes_on, takes: C and A of the gains by rank. At a rank they depend on the number of documents above with gain
            h, not on which these are.
        view: ``'L'``: Σ V (1 − C) A; ``'V'``: Σ V A; ``'W'``: Σ V A/Σ V, by Dinkelbach's method: the largest Σ V (A −
            x) is 0 at the largest ratio x.
    """
    C, A, is_open = _states(least, most, goes_on, takes)
    x = np.zeros(2)
    if view != 'W':
        (high, low), _ = _program(C, (1 - C) * A if view == 'L' else A, is_open, x)
        return float(low), float(high)
    for _ in range(ROUNDS):
        rest, reached = _program(C, A, is_open, x)
        before, x = x, x + rest / reached
        if np.allclose(before, x, rtol=1e-14, atol=0):
            break
    return float(x[1]), float(x[0])


def _states(
    least: Array, most: Array, goes_on: Values, takes: Values
) -> tuple[Array, Array, Array]:
    """C and A by x, rank, and number m of documents above with gain h, (2, n, u + 1) each; which ranks are open, (n,).

    The state (i, m, 0) is that of rank i where the first m open documents have gain h. The state (i, m, 1) is that
    where all open ones from some place on do, of which m stand above i.
    """
    is_open = least != most
    places = np.flatnonzero(is_open)
    n, u = len(is_open), len(places)
    order = np.cumsum(is_open) - is_open  # open documents above each rank
    number = np.arange(u + 1)
    first = np.where(is_open & (order < number[:, None]), most, least)
    last = np.where(is_open & (order >= number[:-1, None]), most, least)
    C, A = np.zeros((2, 2, n, u + 1))
    for by_state, values in ((C, goes_on), (A, takes)):
        by_state[0] = values(first).T
        if u:
            filled = values(last)  # (u, n), by the first open document that has gain h
            # of the open documents with m above them: the place of the first
            start = order[places][:, None] - number
            rows, m = np.nonzero(start >= 0)
            by_state[1, places[rows], m] = filled[start[rows, m], places[rows]]
    return C, A, is_open


def _program(C: Array, terms: Array, is_open: Array, x: Array) -> tuple[Array, Array]:
    """The largest and the least Σ V (terms − x), and Σ V of the choices that give them; (2,) each.

    Args:
        C, terms: (2, n, u + 1), by x, rank and m.
        x: (2,), for the largest and for the least.
    """
    x, states = x[:, None], C.shape[2]
    value, reached = np.zeros((2, states)), np.zeros((2, states))
    sign = np.array([[1.0], [-1.0]])
    for i in range(C.shape[1] - 1, -1, -1):
        stay, seen = terms[0, i] - x + C[0, i] * value, 1 + C[0, i] * reached
        if is_open[i]:
            fill, filled = (
                terms[1, i, :-1] - x + C[1, i, :-1] * value[:, 1:],
                1 + C[1, i, :-1] * reached[:, 1:],
            )
            better = sign * (fill - stay[:, :-1]) > 0
            np.copyto(stay[:, :-1], fill, where=better)
            np.copyto(seen[:, :-1], filled, where=better)
        value, reached = stay, seen
    return value[:, 0], reached[:, 0]
