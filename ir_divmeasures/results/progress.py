"""Bars that show how far long work is."""
from __future__ import annotations

import contextlib
import sys
import types
from typing import Any


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
    if sys.stderr is None or not sys.stderr.isatty():  # where tqdm, which takes long to import, would show nothing
        return contextlib.nullcontext(types.SimpleNamespace(update=lambda n=1: None))
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, desc=desc, leave=False)


__all__ = ['progress']
