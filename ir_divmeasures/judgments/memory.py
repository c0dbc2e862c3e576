"""Judgments found again for the DataFrame they were made from, while that is unchanged and alive.

Hosts hand the same judgments over again for every run, each time as another DataFrame that shares its columns with the
user's. What is remembered is found by content. It is forgotten when the user's numbers are gone from memory, or when
:data:`MOST` other judgments have come since.
"""
from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 4
"""Judgments of so many DataFrames are remembered at most."""


class _Held:
    """What a DataFrame held: its texts (shared with it) and a copy of its numbers."""

    def __init__(self, frame: Any):
        self.names = list(frame.columns)
        self.columns = [_content(frame[name]) for name in self.names]

    def is_content_of(self, frame: Any) -> bool:
        return self.names == list(frame.columns) and (not self.columns or len(self.columns[0]) == len(frame)) \
            and all(_same(held, frame[name]) for held, name in zip(self.columns, self.names))


_known: OrderedDict[int, tuple[_Held, Any]] = OrderedDict()


def can_hold(source: Any) -> bool:
    """Whether judgments of this source can be found again: a DataFrame of distinct columns, one of numbers."""
    if not (hasattr(source, 'iloc') and hasattr(source, 'columns')):
        return False
    return source.columns.is_unique and _anchor(source) is not None


def find(frame: Any) -> Any:
    """What was held for a DataFrame of this content, or None."""
    for key in reversed(_known):
        held, value = _known[key]
        if held.is_content_of(frame):
            _known.move_to_end(key)
            return value
    return None


def hold(frame: Any, value: Any) -> None:
    """Remember a value for a DataFrame; the value must not share the DataFrame's numbers."""
    anchor = _anchor(frame)
    key = id(anchor)
    _known[key] = _Held(frame), value
    weakref.finalize(anchor, _known.pop, key, None).atexit = False
    while len(_known) > MOST:
        _known.popitem(last=False)


def _anchor(frame: Any) -> NDArray[Any] | None:
    """The array that owns the memory of the first column of numbers: it lives as long as the user's DataFrame."""
    for name in frame.columns:
        array = frame[name]._values if hasattr(frame[name], '_values') else None
        if isinstance(array, np.ndarray) and array.dtype.kind in 'iuf':
            while isinstance(array.base, np.ndarray):
                array = array.base
            return array
    return None


def _content(column: Any) -> Any:
    values = column._values
    if isinstance(values, np.ndarray) and values.dtype.kind != 'O':
        return values.copy()
    return column.copy(deep=not _copy_on_write())


def _copy_on_write() -> bool:
    """Whether writing to a DataFrame leaves what shares its memory alone: then shared memory is unchanged memory."""
    import pandas as pd

    return int(pd.__version__.partition('.')[0]) >= 3


def _same(held: Any, column: Any) -> bool:
    values = column._values
    if isinstance(held, np.ndarray):
        return isinstance(values, np.ndarray) and held.dtype == values.dtype \
            and np.array_equal(held, values, equal_nan=held.dtype.kind == 'f')
    before = held._values
    if type(before) is not type(values) or before.dtype != values.dtype:
        return False
    if _copy_on_write():
        arrow = getattr(before, '_pa_array', None)
        if arrow is not None and arrow is values._pa_array:
            return True
        if isinstance(before, np.ndarray) and before.__array_interface__['data'] == values.__array_interface__['data'] \
                and before.strides == values.strides:
            return True
    return bool(held.reset_index(drop=True).equals(column.reset_index(drop=True)))


__all__ = ['MOST', 'can_hold', 'find', 'hold']
