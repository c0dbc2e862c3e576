"""The judgments of the last few DataFrames, so that they are not checked and coded again for every run.

Hosts hand over the same judgments for every run, each time as another DataFrame. A DataFrame is therefore recognised by
its content, which pandas compares in full with a copy, so that no change in place is missed. One that has columns of
anything but numbers of NumPy and texts is not remembered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lazy import pd

MOST = 4
"""The largest number of DataFrames whose judgments are remembered."""

_memory: list[tuple[pd.DataFrame, Any]] = []
"""Each remembered DataFrame and the value that is remembered for it, the latest last."""


def find(table: pd.DataFrame) -> Any:
    """The value that is remembered for a DataFrame like this one, or None."""
    for place, (known, value) in enumerate(_memory):
        if known.equals(table):
            _memory.append(_memory.pop(place))
            return value
    return None


def hold(table: pd.DataFrame, value: Any) -> None:
    """Remember a value for a DataFrame that nobody changes."""
    if all(_is_own(column) for _, column in table.items()):
        _memory.append((table, value))
        del _memory[:-MOST]


def _is_own(column: pd.Series) -> bool:
    """Whether a column of a copy shares nothing that can change with the one that was copied."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == 'O':
        return bool(pd.api.types.infer_dtype(column) == 'string')
    is_number = isinstance(column.dtype, np.dtype) and column.dtype.kind in 'biuf'
    return is_number or isinstance(column.dtype, pd.StringDtype)
