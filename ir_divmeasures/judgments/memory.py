"""The judgments of the last few DataFrames, so that they are not checked and coded again for every run.

Hosts hand over the same judgments for every run, each time as another DataFrame. A DataFrame is therefore recognised by
its content, which is compared in full with a copy, so that no change in place is missed. One that has columns of
anything but numbers of NumPy and texts is not remembered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lazy import pa, pd

MOST = 4
"""The largest number of DataFrames whose judgments are remembered."""

_memory: list[tuple[list[Any], Any]] = []
"""The content of each remembered DataFrame and the value that is remembered for it, the latest last."""


def content(frame: pd.DataFrame) -> list[Any] | None:
    """Return the content of a DataFrame, not copied, to be compared with others; None if it cannot be remembered."""
    columns = {name: _content(column) for name, column in frame.items()}
    if len(columns) < frame.shape[1] or any(each is None for each in columns.values()):
        return None
    return [[*columns], *columns.values()]


def _content(column: pd.Series) -> Any:
    if isinstance(column.dtype, pd.StringDtype):
        return pa.array(column, from_pandas=True)
    is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in 'biufO'
    return column.to_numpy() if is_plain else None


def _are_texts(values: list[Any]) -> bool:
    return {*map(type, values)} <= {str}


def _is_same(one: Any, other: Any) -> bool:
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return type(one) is type(other) and bool(one == other)
    if one.dtype != other.dtype or one.tobytes() == other.tobytes():  # of objects, addresses
        return one.dtype == other.dtype
    return one.dtype == object and one.tolist() == other.tolist()


def find(known: list[Any] | None) -> Any:
    """The value that is remembered for a :func:`content`, or None."""
    for place, (other, value) in enumerate(_memory):
        if known and len(known) == len(other) and all(map(_is_same, known, other)):
            _memory.append(_memory.pop(place))
            return value
    return None


def hold(known: list[Any] | None, value: Any) -> None:
    """Remember a value for a :func:`content` that does not change."""
    arrays = [each for each in known or () if isinstance(each, np.ndarray)]
    objects = [each.tolist() for each in arrays if each.dtype == object]
    if known and all(map(_are_texts, objects)):
        _memory.append((known, value))
        del _memory[:-MOST]
