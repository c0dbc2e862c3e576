"""Effort functions f(k) of the user models M3 and M4: the weight of stopping at rank k, 1/k by default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .name_registry import NameRegistry

Array = NDArray[np.float64]

_efforts: NameRegistry[Callable[..., Any]] = NameRegistry(
    'effort', 'effort', {'1/k': lambda k: 1 / k, 'k': lambda k: k}
)
names = _efforts.names


def values(name: str, k: Array) -> Array:
    """The effort f(k) of a name at an array of ranks k ≥ 1 of any shape. The result has the shape of k."""
    return np.broadcast_to(np.asarray(_efforts[name](k), dtype=float), k.shape)


def register_effort(name: str, f: Callable[..., Any], *, overwrite: bool = False) -> None:
    """Add an effort function under a name that ``UM`` and ``UM_IA`` take as ``effort``, for M3 and M4.

    A measure with a static P and such an effort needs a cutoff, because its sum over all ranks is not known.

    Args:
        name: a Python identifier.
        f: ``f(k)`` of an array of ranks k ≥ 1. Its values must be positive and must not increase with the rank.
        overwrite: replace an effort of that name, if it was added at run time.

    Raises:
        TypeError: f cannot be called with an array of ranks.
        ValueError: the name is taken or no identifier; f is not positive, or increases (checked at ranks 1 to 1000).

    Examples:
        >>> register_effort('root', lambda k: k ** -0.5)
        >>> from ir_divmeasures import measures
        >>> measures("UM(model=4,P='AP',effort='root')")
        [UM(model=4,P='AP',effort='root')]
        >>> unregister_effort('root')
    """
    _efforts.check_new_name(name, overwrite)
    k = np.arange(1.0, 1001)
    try:
        value = np.broadcast_to(np.asarray(f(k), dtype=float), k.shape)
    except (TypeError, ValueError) as error:
        raise TypeError(f'effort {name!r}: expected f(k) of an array of ranks: {error}') from None
    bad = np.flatnonzero(~(value > 0) | ~np.isfinite(value))
    if len(bad):
        raise ValueError(
            f'effort {name!r}: f({bad[0] + 1}) = {value[bad[0]]:g}, expected a positive number'
        )
    rises = np.flatnonzero(np.diff(value) > 0)
    if len(rises):
        i = int(rises[0])
        raise ValueError(
            f'effort {name!r}: f({i + 1}) = {value[i]:g}, but f({i + 2}) = {value[i + 1]:g}; expected a '
            f'function that does not increase'
        )
    _efforts.entries[name] = f


def unregister_effort(name: str) -> None:
    """Remove an effort that was added at run time.

    Args:
        name: the name that it was registered under.

    Raises:
        ValueError: no such effort, or one that the package defines.

    Examples:
        >>> register_effort('flat', lambda k: 1.0)
        >>> unregister_effort('flat')
        >>> names()
        ('1/k', 'k')
    """
    _efforts.remove(name)
