"""How results are printed, and small helpers for tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .lazy import pd
from .tables import screen


class Result:
    """A table that is printed as its headline and at most one screen; notebooks show the table of ``to_frame()``."""

    def to_frame(self) -> pd.DataFrame:
        """The whole table."""
        raise NotImplementedError

    def _headline(self) -> str:
        """What the result is, in one line."""
        raise NotImplementedError

    def _printed(self) -> tuple[pd.DataFrame, str]:
        """The table that is printed, and the expression that returns the whole of it."""
        return self.to_frame(), 'to_frame()'

    def _notes(self) -> Iterable[str]:
        """Sentences that are printed below the table."""
        return ()

    def __repr__(self) -> str:
        frame, whole = self._printed()
        return screen(self._headline(), frame, self._notes(), whole)

    def _repr_html_(self) -> str:
        return str(self.to_frame()._repr_html_())


def count(n: int, one: str, several: str = '') -> str:
    """A number with its noun.

    Examples:
        >>> count(1, 'query', 'queries'), count(2000, 'query', 'queries'), count(3, 'system')
        ('1 query', '2,000 queries', '3 systems')
    """
    return f'{n:,} {one if n == 1 else several or one + "s"}'


def tidy(**columns: Any) -> pd.DataFrame:
    """A table of columns that are broadcast together as arrays, the last axis fastest. Names are lists or tuples.

    Examples:
        >>> tidy(measure=[['AP'], ['RR']], system=('a', 'b'), mean=np.array([[0.1, 0.2], [0.3, 0.4]]))
          measure system  mean
        0      AP      a   0.1
        1      AP      b   0.2
        2      RR      a   0.3
        3      RR      b   0.4
    """
    arrays = [
        np.array(column, dtype=object) if isinstance(column, (list, tuple)) else column
        for column in columns.values()
    ]
    broadcast = zip(columns, np.broadcast_arrays(*arrays))
    return pd.DataFrame({name: values.ravel() for name, values in broadcast}).infer_objects()
