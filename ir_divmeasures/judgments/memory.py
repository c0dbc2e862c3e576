"""The judgments of the last few DataFrames, so that they are not checked and coded again for every run.

Hosts hand over the same judgments for every run, each time as another DataFrame. A DataFrame is therefore recognised by
its content, which pandas compares in full with a copy, so that no change in place is missed. One with objects other than
texts is not remembered, because they can change, too.
"""

from __future__ import annotations

from typing import Any

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
    objects = [column for _, column in table.items() if column.dtype == object]
    if all(pd.api.types.infer_dtype(column) == 'string' for column in objects):
        _memory.append((table, value))
        del _memory[:-MOST]
