"""The result of a study: tables and named numbers, which a template turns into Markdown."""

from __future__ import annotations

import contextlib
import pathlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import DivMeasuresWarning, did_you_mean
from ..lazy import pd
from ..results import Result, count

PAGES = pathlib.Path(__file__).parent / 'pages'
"""The templates of the printed studies, one file ``<name>.md.jinja`` for each."""


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """A repeated study: tables by name, and the numbers and names that its text needs.

    :meth:`to_markdown` returns the study as a page.

    Attributes:
        name: the study's template is ``pages/<name>.md.jinja``.
        tables: the tables by name, in the order in which they are printed; iteration goes over the names.
        facts: what the template prints besides the tables, by name.
    """

    name: str
    tables: Mapping[str, pd.DataFrame]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name in self.tables:
            return self.tables[name]
        raise KeyError(
            f'no table {name!r} (found {", ".join(self)}){did_you_mean(name, self, list_known=False)}'
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def _headline(self) -> str:
        return (
            f'Study {self.name!r} with {count(len(self.tables), "table")}: {", ".join(self.tables)}'
        )

    def _notes(self) -> list[str]:
        return [
            f'The table shown is {next(iter(self.tables))!r}. to_markdown() returns the whole study as text.'
        ]

    def to_markdown(self) -> str:
        """The study as a page of Markdown, made from its template."""
        return render(PAGES, self.name, tables=self.tables, **self.facts).rstrip()

    def to_frame(self) -> pd.DataFrame:
        """The first table."""
        return next(iter(self.tables.values()))


def render(folder: pathlib.Path, name: str, /, **facts: Any) -> str:
    """The text of a template of Markdown.

    Templates have the filters ``markdown`` (a DataFrame as a table) and ``rows`` (its rows without the heading), both
    with the number of digits, and ``expect(condition, sentence)`` for sentences that hold for some numbers only.

    Args:
        folder: where the templates are.
        name: the file without ``.md.jinja``.
        facts: the template's variables.

    Raises:
        ValueError: a sentence of the template does not hold.
        jinja2.UndefinedError: the template names a variable that is not in ``facts``.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {'markdown': markdown, 'rows': rows}
    return environment.get_template(f'{name}.md.jinja').render(facts, expect=expect)


def expect(condition: bool, sentence: str) -> str:
    """Return an empty text if the condition of a sentence holds.

    Raises:
        ValueError: it does not hold.
    """
    if not condition:
        raise ValueError(
            f'the text says "{sentence}", but the numbers do not: rewrite the template'
        )
    return ''


def rows(frame: pd.DataFrame, digits: int = 3) -> str:
    """The rows of a Markdown table, without the index; an empty cell for what is missing."""

    def text(value: object) -> str:
        if isinstance(value, float):
            return '' if pd.isna(value) else f'{value:.{digits}f}'.replace('-inf', '−∞')
        return '' if value is None else str(value)

    return '\n'.join(
        '| ' + ' | '.join(map(text, row)) + ' |' for row in frame.itertuples(index=False)
    )


def markdown(frame: pd.DataFrame, digits: int = 3) -> str:
    """A DataFrame without its index as a Markdown table."""
    head = ['| ' + ' | '.join(map(str, frame.columns)) + ' |', '|' + ' --- |' * len(frame.columns)]
    return '\n'.join([*head, rows(frame, digits)] if len(frame) else head)


@contextlib.contextmanager
def noted() -> Iterator[list[str]]:
    """Collect the warnings of many comparisons, each once, to print them with the tables."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter('always', DivMeasuresWarning)
        yield notes
    for one in records:
        if not issubclass(one.category, DivMeasuresWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif str(one.message) not in notes:
            notes.append(str(one.message))


__all__ = ['Study', 'expect', 'markdown', 'noted', 'render', 'rows']
