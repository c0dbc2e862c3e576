"""The common parts of generated pages: their list, templates and pictures."""

from __future__ import annotations

import importlib
import pathlib
from dataclasses import dataclass
from typing import Any

import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / 'docs/images'
TEMPLATES = pathlib.Path(__file__).parent / 'pages'


@dataclass(frozen=True)
class Page:
    """A generated page.

    Attributes:
        path: the file that is written, from the root of the repository.
        module: the module of ``docs.generators`` whose function ``page`` makes its text or writes its picture.
    """

    path: str
    module: str

    @property
    def file(self) -> pathlib.Path:
        return ROOT / self.path

    def make(self) -> str | None:
        """Return the text of the page. Write a page that is a picture, and return None."""
        text = importlib.import_module(f'docs.generators.{self.module}').page()
        return None if text is None else text.rstrip() + '\n'

    def write(self) -> None:
        """Write what :meth:`make` returns."""
        text = self.make()
        if text is not None:
            self.file.write_text(text, encoding='utf-8')


PAGES = {
    'commands': Page('docs/reference/commands.md', 'commands'),
    'coverage': Page('docs/images/coverage.png', 'coverage'),
    'axioms': Page('docs/reference/axioms.md', 'axioms'),
}
"""All generated pages, by the name that ``python -m docs.generators NAME`` takes. The build of the site makes the pages of
the measures."""


def templated(name: str, /, **facts: Any) -> str:
    """The text of the template ``docs/generators/pages/<name>.jinja``.

    Args:
        name: the file without ``.jinja``.
        facts: the template's variables.

    Raises:
        jinja2.UndefinedError: the template names a variable that is not in ``facts``.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters['rows'] = rows
    return environment.get_template(f'{name}.jinja').render(facts)


def rows(frame: pd.DataFrame) -> str:
    """The rows of a Markdown table, without the index."""
    return '\n'.join(f'| {" | ".join(row)} |' for row in frame.itertuples(index=False))


def markdown(frame: pd.DataFrame) -> str:
    """A DataFrame of texts, without its index, as a Markdown table."""
    heading = f'| {" | ".join(frame.columns)} |\n|{" --- |" * len(frame.columns)}'
    return f'{heading}\n{rows(frame)}'


__all__ = ['IMAGES', 'PAGES', 'ROOT', 'Page', 'markdown', 'rows', 'templated']
