"""Results print as a headline and a small table, and convert by ``to_frame()``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .lazy import pd
from .tables import screen

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: bool):
        """What type checkers read (PEP 681)."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True, eq_default=False)
class Result:
    """A table with a headline, notes and facts.

    In a terminal it is printed as its headline and a table of at most one screen; in notebooks it is shown as the
    table of ``to_frame()``. The docstring of the function that returns it names its facts, which are attributes.

    Results with methods of their own are subclasses. One with annotated attributes is a frozen dataclass, which defines
    ``to_frame()`` and ``_headline()``, and perhaps ``_notes()`` and ``_printed()``.

    Args:
        table: what ``to_frame()`` returns, or a function that makes it when it is first needed.
        headline: what the result is, in one line.
        notes: sentences that are printed below the table.
        facts: further attributes by name.

    Examples:
        >>> import pandas as pd
        >>> result = Result(pd.DataFrame({'n': [3, 5]}), 'Two numbers', total=8)
        >>> result
        Two numbers
        n
        3
        5
        >>> result.total
        8
    """

    _notes_source: ClassVar[str] = ''
    """The public attribute that has all notes, for the line that says how many do not fit."""
    _made: pd.DataFrame | Callable[[], pd.DataFrame]
    _title: str
    _below: tuple[str, ...] = ()

    def __init__(
        self,
        table: pd.DataFrame | Callable[[], pd.DataFrame],
        headline: str,
        notes: Iterable[str] = (),
        **facts: Any,
    ) -> None:
        vars(self).update(facts, _made=table, _title=headline, _below=tuple(notes))

    def __init_subclass__(cls) -> None:
        if inspect.get_annotations(cls):
            dataclass(frozen=True, eq=False, repr=False)(cls)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f'cannot assign to field {name!r}')

    def __getstate__(self) -> dict[str, Any]:
        """Make the table before the result is copied or pickled: the function that makes it may be local."""
        state = dict(vars(self))
        if callable(state.get('_made')):
            state['_made'] = self._table
        return state

    @functools.cached_property
    def _table(self) -> pd.DataFrame:
        return self._made() if callable(self._made) else self._made

    def to_frame(self) -> pd.DataFrame:
        """The result as a table."""
        return self._table.copy()

    def _headline(self) -> str:
        """What the result is, in one line."""
        return self._title

    def _printed(self) -> tuple[pd.DataFrame, str]:
        """The table that is printed, and the expression that returns the whole of it."""
        return self.to_frame(), 'to_frame()'

    def _notes(self) -> Iterable[str]:
        """Sentences that are printed below the table."""
        return list(self._below)

    def __str__(self) -> str:
        frame, whole = self._printed()
        return screen(self._headline(), frame, self._notes(), whole, self._notes_source)

    __repr__ = __str__

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
