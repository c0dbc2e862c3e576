"""The base class of results: they print as a headline and a small table, and convert by ``to_frame()``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from .tables import screen

if TYPE_CHECKING:
    import pandas as pd


class Result:
    """Base of a result, a dataclass declared with ``frozen=True, eq=False, repr=False``.

    A class of results defines ``to_frame()`` and ``_headline()``. In a terminal it is printed as its headline and a
    table of at most one screen; in notebooks it is shown as the table of ``to_frame()``.
    """

    _notes_source: ClassVar[str] = ''
    """The public attribute that has all notes, for the line that says how many do not fit."""

    def to_frame(self) -> pd.DataFrame:
        """The result as a table."""
        raise NotImplementedError(f'{type(self).__name__}.to_frame')

    def _headline(self) -> str:
        """What the result is, in one line."""
        raise NotImplementedError(f'{type(self).__name__}._headline')

    def _printed(self) -> tuple[pd.DataFrame, str]:
        """The table that is printed, and the expression that returns the whole of it."""
        return self.to_frame(), 'to_frame()'

    def _notes(self) -> Iterable[str]:
        """Sentences that are printed below the table."""
        return ()

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


__all__ = ['Result', 'count']
