"""The base class of results, which print briefly, convert by ``to_frame()`` and show as tables in notebooks."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Result:
    """Base of a result, a dataclass declared with ``frozen=True, eq=False, repr=False``; it defines ``to_frame()``."""

    def to_frame(self) -> pd.DataFrame:
        """The result as a table."""
        raise NotImplementedError(f'{type(self).__name__}.to_frame')

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return f'{type(self).__name__}({", ".join(f"{f.name}={brief(getattr(self, f.name))}" for f in fields)})'

    def _repr_html_(self) -> str:
        return str(self.to_frame()._repr_html_())


def brief(value: Any) -> str:
    """A value in a few characters. Arrays, tables and long sequences are replaced by their size.

    Examples:
        >>> brief(('AP', 'RR')), brief([0] * 50), brief({'a': 1})
        ("('AP', 'RR')", '<list of 50>', '<dict of 1>')
    """
    if isinstance(value, Result):
        return f'<{type(value).__name__}>'
    if hasattr(value, 'shape'):
        return f'<{type(value).__name__} of {" × ".join(map(str, value.shape))}>' if value.shape else repr(value)
    text = '' if isinstance(value, Mapping) else repr(value)
    if isinstance(value, (Mapping, list, tuple, set, frozenset)) and not 0 < len(text) <= 60:
        return f'<{type(value).__name__} of {len(value)}>'
    return text if len(text) <= 60 else f'{text[:59]}…'


__all__ = ['Result', 'brief']
