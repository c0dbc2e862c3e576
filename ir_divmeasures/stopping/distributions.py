"""Where a user stops reading: distributions over ranks (Carterette 2011). The seam of the user-model measures.

A distribution is *static*, P(k) of the rank alone, or *dynamic*, P of the relevant documents found so far and 0 at
other ranks. A new one is one line here, or :func:`register_stopping` at run time, and gives four measures.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TAILS = ('slim', 'medium', 'fat')


@dataclass(frozen=True)
class Stopping:
    """A stopping distribution.

    Attributes:
        name: what measures call it.
        P: ``P(k[, theta])`` of an array of ranks k ≥ 1; a dynamic one ``P(count, total[, theta])`` of the relevant
            documents found up to and with this one (≥ 1), and of all relevant documents.
        F: ``F(k[, theta])`` = Σ_{i≥k} P(i) of a static one, where it is known in closed form.
        dynamic: whether P depends on relevance.
        tail: ``'slim'``, ``'medium'``, ``'fat'`` or None: how studies group it.
    """
    name: str
    P: Callable[..., Any]
    F: Callable[..., Any] | None = None
    dynamic: bool = False
    tail: str | None = None

    @cached_property
    def takes_theta(self) -> bool:
        """Whether P has the parameter θ."""
        return 'theta' in inspect.signature(self.P).parameters

    def by_rank(self, n: int, theta: float = 0.5) -> tuple[Array, Array]:
        """P and F of a static distribution, each (n + 2,), place k for rank k up to n + 1; place 0 holds 0.

        Where F has no closed form it is 1 − Σ_{i<k} P(i).
        """
        k = np.arange(1.0, n + 2)
        P = _values(self.P, k, theta=theta)
        F = np.maximum(1 - (np.cumsum(P) - P), 0) if self.F is None else _values(self.F, k, theta=theta)
        return np.concatenate([[0.0], P]), np.concatenate([[0.0], F])

    def at_relevant(self, relevant: Array, total: Array, theta: float = 0.5) -> Array:
        """P of a dynamic distribution at every place of a ranking, 0 where it is not relevant.

        ``relevant`` (…, H, T) of 0/1 in rank order, ``total`` (…, T) relevant documents in all → (…, H, T).
        """
        total = np.broadcast_to(np.maximum(total, 1.0)[..., None, :], relevant.shape)
        count = np.maximum(np.cumsum(relevant, axis=-2), 1.0)
        # A ranking may hold more relevant documents than `total` says only by error; P is asked for count ≤ total.
        return relevant * _values(self.P, np.minimum(count, total), total, theta=theta)


def _values(function: Callable[..., Any], *arrays: Array, theta: float) -> Array:
    """What a function of arrays (and θ, if it has that parameter) gives, in the arrays' shape."""
    named = {'theta': theta} if 'theta' in inspect.signature(function).parameters else {}
    return np.broadcast_to(np.asarray(function(*arrays, **named), dtype=float), arrays[0].shape)


_registry: dict[str, Stopping] = {}
_built_in: set[str] = set()


def names() -> tuple[str, ...]:
    """The known distributions, those added at run time included."""
    return tuple(_registry)


def get(name: str) -> Stopping:
    """The distribution of a name.

    Raises:
        ValueError: no such distribution; lists the known ones.
    """
    if name not in _registry:
        raise ValueError(f'P={name!r}: no such stopping distribution; known: {", ".join(_registry)}')
    return _registry[name]


def register_stopping(name: str, P: Callable[..., Any], F: Callable[..., Any] | None = None, *, dynamic: bool = False,
                      tail: str | None = None, overwrite: bool = False) -> Stopping:
    """Add a stopping distribution under a name that ``UM``, ``UM_IA`` and :mod:`~ir_divmeasures.user_models` know.

    It is known to this process. Worker processes (joblib's) know it if a module that they import registers it.

    Args:
        name: a Python identifier.
        P: static: ``P(k)`` or ``P(k, theta)``, the probability of stopping at each of an array of ranks k ≥ 1.
            Dynamic: ``P(count, total)`` or ``P(count, total, theta)``, the probability of stopping at a relevant
            document, given how many were found up to and with it and how many there are; 0 elsewhere.
        F: static only: Σ_{i≥k} P(i) in closed form, with the same parameters; else 1 − Σ_{i<k} P(i) is used.
        dynamic: P depends on relevance.
        tail: ``'slim'``, ``'medium'`` or ``'fat'``, by which robustness studies group distributions.
        overwrite: replace a distribution of that name, if it was added at run time.

    Raises:
        TypeError: P or F cannot be called with the arguments above.
        ValueError: the name is taken or no identifier; P gives a negative or undefined probability, or more than 1 in
            all; F does not fit P (checked at ranks 1 to 1000, for up to 100 relevant documents, θ = 0.1, 0.5, 0.9).

    Examples:
        Zipf's law, Σ 1/k² = π²/6:

        >>> zipf = register_stopping('Zipf', lambda k: 6 / (np.pi * k) ** 2, tail='medium', overwrite=True)
        >>> from ir_divmeasures import measures
        >>> measures("UM(model=1,P='Zipf')@10")
        [UM(model=1,P='Zipf')@10]
        >>> unregister_stopping('Zipf')
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f'stopping distribution {name!r}: expected a name that is a Python identifier')
    if name in _built_in:
        raise ValueError(f"stopping distribution {name!r} is one of the package's own; choose another name")
    if name in _registry and not overwrite:
        raise ValueError(f'stopping distribution {name!r} exists; overwrite=True replaces it')
    if tail is not None and tail not in TAILS:
        raise ValueError(f'tail={tail!r}: expected {" or ".join(map(repr, TAILS))} or None')
    if dynamic and F is not None:
        raise ValueError(f'stopping distribution {name!r}: F of a dynamic distribution follows from the ranking')
    made = Stopping(name, P, F, dynamic, tail)
    for theta in (0.1, 0.5, 0.9):
        _check_dynamic(made, theta) if dynamic else _check_static(made, theta)
    _registry[name] = made
    return made


def unregister_stopping(name: str) -> None:
    """Forget a distribution that was added at run time.

    Args:
        name: what it was registered as.

    Raises:
        ValueError: no such distribution, or one that the package defines.

    Examples:
        >>> _ = register_stopping('first', lambda k: (k == 1) * 1.0)
        >>> unregister_stopping('first')
        >>> 'first' in names()
        False
    """
    if get(name).name in _built_in:
        raise ValueError(f"stopping distribution {name!r} is one of the package's own")
    del _registry[name]


def _check_static(made: Stopping, theta: float) -> None:
    try:
        P, F = made.by_rank(1000, theta)
    except TypeError as error:
        raise TypeError(f'stopping distribution {made.name!r}: expected P(k) or P(k, theta) (and F likewise): '
                        f'{error}') from None
    _check_probabilities(made.name, P[1:], lambda at: f'rank {at + 1}')
    off = np.abs(F[1:-1] - F[2:] - P[1:-1])
    if made.F is not None and not (off <= 1e-9).all():
        k = int(np.argmax(~(off <= 1e-9))) + 1
        raise ValueError(f'stopping distribution {made.name!r}: F({k}) − F({k + 1}) = {F[k] - F[k + 1]:g}, but '
                         f'P({k}) = {P[k]:g}')


def _check_dynamic(made: Stopping, theta: float) -> None:
    for total in (1, 2, 3, 10, 100):
        try:
            P = made.at_relevant(np.ones((total, 1)), np.array([float(total)]), theta)[:, 0]
        except TypeError as error:
            raise TypeError(f'stopping distribution {made.name!r}: expected P(count, total) or '
                            f'P(count, total, theta): {error}') from None
        _check_probabilities(made.name, P, lambda at, of=total: f'relevant document {at + 1} of {of}')  # type: ignore[misc]


def _check_probabilities(name: str, P: Array, place: Callable[[int], str]) -> None:
    bad = np.flatnonzero(~(P >= 0) | ~np.isfinite(P))
    if len(bad):
        raise ValueError(f'stopping distribution {name!r}: probability {P[bad[0]]:g} at {place(int(bad[0]))}')
    if P.sum() > 1 + 1e-9:
        raise ValueError(f'stopping distribution {name!r}: the probabilities up to {place(len(P) - 1)} add up to '
                         f'{P.sum():g}, expected at most 1')


# ---- the six of Carterette 2011, §3: static ones of rank k, dynamic ones of count = R_k and total = R ------------

register_stopping('RBP', lambda k, theta: theta * (1 - theta) ** (k - 1), lambda k, theta: (1 - theta) ** (k - 1),
                  tail='slim')
register_stopping('DCG', lambda k: 1 / np.log2(k + 1) - 1 / np.log2(k + 2), lambda k: 1 / np.log2(k + 1), tail='fat')
register_stopping('RR', lambda k: 1 / (k * (k + 1)), lambda k: 1 / k, tail='medium')
register_stopping('ERR', lambda count, total, theta: theta * (1 - theta) ** (count - 1), dynamic=True, tail='slim')
register_stopping('AP', lambda count, total: 1 / total, dynamic=True, tail='fat')
register_stopping('RRR', lambda count, total: 1 / (count * (count + 1)), dynamic=True, tail='medium')

_built_in.update(_registry)
