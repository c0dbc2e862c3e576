"""Bars that show how far long work is."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterable, Iterator, Sized
from typing import Any, TypeVar

T = TypeVar('T')


def progress(total: int | None, unit: str, desc: str = '') -> Any:
    """A tqdm bar on a terminal, which disappears when the work is done; nothing elsewhere.

    Args:
        total: the number of units; None if it is not known.
        unit: what is counted, as in ``'run'``.
        desc: what the bar is called.

    Returns:
        A context manager of an object with the method ``update(n=1)``.

    Examples:
        >>> with progress(2, 'run') as bar:
        ...     bar.update()
    """
    if (
        sys.stderr is None or not sys.stderr.isatty()
    ):  # where tqdm, which takes long to import, would show nothing
        return contextlib.nullcontext(types.SimpleNamespace(update=lambda n=1: None))
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, desc=desc, leave=False)


def with_progress(
    items: Iterable[T], unit: str, desc: str = '', total: int | None = None
) -> Iterator[T]:
    """Yield the items and count them in a bar of :func:`progress`; ``total`` is their number, if they do not know it.

    Examples:
        >>> list(with_progress(['a', 'b'], 'run'))
        ['a', 'b']
    """
    with progress(len(items) if isinstance(items, Sized) else total, unit, desc) as bar:
        for item in items:
            yield item
            bar.update()
