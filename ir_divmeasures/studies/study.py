"""What a study returns: tables with the sentences around them, printed as Markdown."""
from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import DivMeasuresWarning, did_you_mean
from ..results import Result

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Part(Result):
    """A table of a study.

    Attributes:
        name: what ``study[name]`` calls it.
        heading: of its section.
        table: the numbers.
        text: what stands before the table.
        note: what stands after it.
        digits: to which numbers are printed.
    """
    name: str
    heading: str
    table: pd.DataFrame
    text: str = ''
    note: str = ''
    digits: int = 4

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def __str__(self) -> str:
        return '\n\n'.join(filter(None, (f'### {self.heading}', self.text, markdown(self.table, self.digits),
                                         self.note)))


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """A repeated study: its tables by name; printing it gives them as Markdown, with what to read beside them.

    Attributes:
        title: what was studied, on what.
        text: how, and in what that differs from the paper.
        parts: the tables.
        page: what printing gives, where that is more than title, text and tables.
    """
    title: str
    text: str
    parts: tuple[Part, ...]
    page: str = ''

    def __getitem__(self, name: str) -> pd.DataFrame:
        for part in self.parts:
            if part.name == name:
                return part.table
        names = [part.name for part in self.parts]
        raise KeyError(f'no table {name!r} (found {", ".join(names)}){did_you_mean(name, names, list_known=False)}')

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def to_frame(self) -> pd.DataFrame:
        """The first table."""
        return self.parts[0].table

    def __str__(self) -> str:
        return self.page or '\n\n'.join([f'## {self.title}', self.text, *map(str, self.parts)])


def markdown(frame: pd.DataFrame, digits: int = 3) -> str:
    """A DataFrame without its index as a Markdown table; an empty cell for what is missing."""
    import pandas as pd

    def text(value: object) -> str:
        if isinstance(value, float):
            return '' if pd.isna(value) else f'{value:.{digits}f}'.replace('-inf', '−∞')
        return '' if value is None else str(value)
    rows = [[text(value) for value in row] for row in frame.itertuples(index=False)]
    lines = ['| ' + ' | '.join(map(str, frame.columns)) + ' |', '|' + ' --- |' * len(frame.columns)]
    return '\n'.join([*lines, *('| ' + ' | '.join(row) + ' |' for row in rows)])


@contextlib.contextmanager
def noted() -> Iterator[list[str]]:
    """Collect the warnings of many comparisons, each once, as a Markdown list to print with the tables."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', DivMeasuresWarning)
        yield notes
    for one in caught:
        if not issubclass(one.category, DivMeasuresWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif (note := f'* {one.message}') not in notes:
            notes.append(note)


__all__ = ['Part', 'Study', 'markdown', 'noted']
