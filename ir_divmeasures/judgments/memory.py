"""A memory of the judgments of the latest few DataFrames, so that they are not checked and coded again for every run.

Hosts hand over the same judgments for every run, each time as another DataFrame. A DataFrame is therefore recognised by
its content, which is compared in full with a copy that nobody else can write to (:func:`copied`). Arrow's texts, which
nobody can change in place, are not copied, and not compared with themselves. A change in place is noticed however it
was made: through the DataFrame, through the array of a column, or through the user's own array that a column shares.
Columns whose content cannot be compared exactly and quickly, such as those of lists, are a reason not to remember the
DataFrame.

Judgments are forgotten when the memory of the user's numbers is freed, or when judgments of :data:`MOST` other
DataFrames have been remembered since.
"""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

MOST = 4
"""The largest number of DataFrames whose judgments are remembered."""

_memory: OrderedDict[int, tuple[pd.DataFrame, Any]] = OrderedDict()
"""The copy of each remembered DataFrame and the value that is remembered for it, the latest last."""


def is_frame(source: Any) -> TypeGuard[pd.DataFrame]:
    """Whether a source is a DataFrame of pandas whose columns have different names."""
    if not (hasattr(source, 'iloc') and hasattr(source, 'columns')):
        return False
    import pandas as pd

    return isinstance(source, pd.DataFrame) and source.columns.is_unique


def copied(frame: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame of the same columns that shares no memory with it; its rows are numbered from 0."""
    import pandas as pd

    columns: dict[Any, Any] = {}
    for name in frame.columns:
        column = frame[name]
        array = _copied(column.array)
        columns[name] = (
            pd.Series(array, dtype=object, copy=False)
            if column.dtype == object
            else array.to_numpy()
            if isinstance(column.dtype, np.dtype)
            else array
        )
    return pd.DataFrame(columns, columns=frame.columns, copy=False)


def find(frame: pd.DataFrame) -> Any:
    """The value that is remembered for a DataFrame of this content, or None."""
    for key, (copy, value) in reversed(list(_memory.items())):
        if (
            list(copy.columns) == list(frame.columns)
            and len(copy) == len(frame)
            and all(_same(copy[name].array, frame[name].array) for name in frame.columns)
        ):
            if key in _memory:  # its DataFrame may have been freed since the loop began
                _memory.move_to_end(key)
            return value
    return None


def hold(frame: pd.DataFrame, copy: pd.DataFrame, value: Any) -> None:
    """Remember a value for a DataFrame, if changes in the DataFrame can be noticed.

    Args:
        frame: the DataFrame. The value is forgotten when the memory of its first column of numbers is freed.
        copy: what :func:`copied` returned for it.
        value: the value, which must not share memory with the DataFrame.
    """
    anchor = _anchor(frame)
    if anchor is None or not all(_is_comparable(copy[name].array) for name in copy.columns):
        return
    key = id(anchor)
    if key not in _memory:
        weakref.finalize(anchor, _memory.pop, key, None).atexit = False
    _memory[key] = copy, value
    _memory.move_to_end(key)
    while len(_memory) > MOST:
        _memory.popitem(last=False)


def _anchor(frame: pd.DataFrame) -> NDArray[Any] | None:
    """The array that owns the memory of the first column of numbers: it lives as long as the user's DataFrame."""
    for name in frame.columns:
        array = getattr(frame[name].array, '_ndarray', None)
        if array is not None and array.dtype.kind in 'iuf':
            while isinstance(array.base, np.ndarray):
                array = array.base
            return array  # type: ignore[no-any-return]
    return None


# -------------------------------------------------------------------------------------------------- arrays of pandas


def _copied(array: Any) -> Any:
    """An array of pandas in memory of its own, or in Arrow's memory of texts, which nobody can change in place.
    ``copy()`` is not enough: Arrow's numbers, which can be in the user's memory, and categories are shared."""
    import pandas as pd

    if _has_arrow_texts(array):
        return array.copy()
    if isinstance(array, pd.Categorical):
        categories = pd.Index(_copied(array.categories.array), dtype=array.categories.dtype)
        return pd.Categorical.from_codes(
            array.codes.copy(), dtype=pd.CategoricalDtype(categories, array.ordered)
        )
    return array.take(np.arange(len(array)))


def _has_arrow_texts(array: Any) -> bool:
    """Whether an array of pandas is one of Arrow's strings."""
    import pyarrow as pa

    return hasattr(array, '_pa_array') and (
        pa.types.is_string(array._pa_array.type) or pa.types.is_large_string(array._pa_array.type)
    )


@functools.cache
def _constant_types() -> frozenset[type]:
    """Types of the values in columns of objects that can be replaced, but not changed."""
    import pandas as pd

    numbers = (
        np.dtype(code).type for code in '?' + np.typecodes['AllInteger'] + np.typecodes['AllFloat']
    )
    return frozenset(
        {str, bytes, int, float, bool, type(None), type(pd.NA), type(pd.NaT), np.str_, *numbers}
    )


def _is_comparable(array: Any) -> bool:
    """Whether :func:`_same` can compare an array of pandas with others exactly."""
    import pandas as pd

    if isinstance(array, pd.Categorical):
        return _is_comparable(array.categories.array)
    if hasattr(array, '_pa_array'):
        import pyarrow as pa

        kind = array._pa_array.type  # to Arrow, 0.0 equals -0.0, and NaN differs from itself
        return _has_arrow_texts(array) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    values = _values(array)
    if values is None or values.dtype != object:
        return values is not None and values.dtype.kind in 'biufmM' and values.dtype.itemsize <= 8
    return _constant_types().issuperset(map(type, values))


def _same(copy: Any, array: Any) -> bool:
    """Whether an array of pandas has the content of a comparable copy, value by value and type by type."""
    import pandas as pd

    if type(copy) is not type(array):
        return False
    if isinstance(copy, pd.Categorical):
        return (
            copy.ordered == array.ordered
            and np.array_equal(copy.codes, array.codes)
            and _same(copy.categories.array, array.categories.array)
        )
    if copy.dtype != array.dtype:
        return False
    if hasattr(copy, '_pa_array'):
        return (
            copy._pa_array is array._pa_array
            and _has_arrow_texts(copy)
            or bool(copy._pa_array.equals(array._pa_array))
        )
    if hasattr(copy, '_mask') and not np.array_equal(copy._mask, array._mask):
        return False
    values, other_values = _values(copy), _values(array)
    assert values is not None and other_values is not None
    return (
        _same_objects(values, other_values)
        if values.dtype == object
        else _same_bits(values, other_values)
    )


def _values(array: Any) -> NDArray[Any] | None:
    """The values of an array of pandas as they are in memory, where a single NumPy array contains them."""
    values = getattr(array, '_ndarray', None)
    return getattr(array, '_data', None) if values is None and hasattr(array, '_mask') else values


def _same_bits(values: NDArray[Any], other_values: NDArray[Any]) -> bool:
    """Whether two arrays of one type have the same bits: 0.0 differs from -0.0, and NaN equals NaN."""
    bits = f'u{values.dtype.itemsize}'
    return np.array_equal(values.view(bits), other_values.view(bits))


def _same_objects(values: NDArray[Any], other_values: NDArray[Any]) -> bool:
    """Whether two arrays refer to the same constant objects (``tobytes`` gives their addresses), or to equal texts.

    Equal values other than texts can be different ids: ``1 == 1.0 == True``.
    """
    return (
        values.tobytes() == other_values.tobytes()
        or {*map(type, values)} == {*map(type, other_values)} == {str}
        and values.tolist() == other_values.tolist()
    )


__all__ = ['MOST', 'copied', 'find', 'hold', 'is_frame']
