"""The common parts of generated pages: their list, the folder of the data, templates and pictures."""

from __future__ import annotations

import importlib
import os
import pathlib
from dataclasses import dataclass
from typing import Any

import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get('IR_DIVMEASURES_SHARED', ROOT.parent / 'shared'))
IMAGES = ROOT / 'docs/images'
TEMPLATES = pathlib.Path(__file__).parent / 'pages'


@dataclass(frozen=True)
class Page:
    """A generated page.

    Attributes:
        path: the file that is written, from the root of the repository.
        module: the module of ``reference`` whose function ``page`` makes its text (and its pictures).
        reads_data: whether ``page`` takes the folder of the data.
        function: the name of that function, if it is another one.
    """

    path: str
    module: str
    reads_data: bool = False
    function: str = 'page'

    @property
    def file(self) -> pathlib.Path:
        return ROOT / self.path

    def make(self, data: pathlib.Path = SHARED) -> str | None:
        """Return the text of the page, and write its pictures. Return None for a page that is a picture."""
        page = getattr(importlib.import_module(f'reference.{self.module}'), self.function)
        text = page(data) if self.reads_data else page()
        return None if text is None else text.rstrip() + '\n'

    def write(self, data: pathlib.Path = SHARED) -> None:
        """Write what :meth:`make` returns."""
        text = self.make(data)
        if text is not None:
            self.file.write_text(text, encoding='utf-8')


PAGES = {
    'commands': Page('docs/reference/commands.md', 'tables', function='commands'),
    'rag': Page('docs/reference/rag-forms.md', 'tables', function='rag'),
    'coverage': Page('docs/images/coverage.png', 'coverage'),
    'continuation': Page('docs/images/continuation.png', 'continuation'),
    'stubs': Page('ir_divmeasures/families/__init__.pyi', 'stubs'),
    'names': Page('ir_divmeasures/__init__.pyi', 'stubs', function='package'),
    'judgments': Page('ir_divmeasures/judgments/__init__.pyi', 'stubs', function='judgments'),
    'corruptions': Page('docs/reference/corruptions.md', 'corruptions'),
    'axioms': Page('docs/reference/axioms.md', 'axioms'),
    'exact': Page('ir_divmeasures/studies/papers/exact.yaml', 'exact'),
}
"""All generated pages, by the name that ``python -m reference NAME`` takes."""


def render(folder: pathlib.Path, name: str, /, **facts: Any) -> str:
    """The text of a template of Markdown.

    Templates have the filters ``markdown`` (a DataFrame as a table) and ``rows`` (its rows without the heading), both
    with the number of digits.

    Args:
        folder: where the templates are.
        name: the file without ``.md.jinja``.
        facts: the template's variables.

    Raises:
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
    return environment.get_template(f'{name}.md.jinja').render(facts)


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


def templated(name: str, /, **facts: Any) -> str:
    """The text of the template ``reference/pages/<name>.md.jinja``; ``facts`` are its variables."""
    return render(TEMPLATES, name, **facts)


def picture(axes: Any, name: str, dpi: int = 70) -> str:
    """Write matplotlib axes or a figure to docs/images/; the path as a page in docs/reference/ links it."""
    import matplotlib

    IMAGES.mkdir(exist_ok=True)
    figure = getattr(axes, 'figure', axes)
    with matplotlib.rc_context({'svg.hashsalt': name, 'svg.fonttype': 'none'}):
        figure.savefig(
            IMAGES / name, metadata={'Date': None} if name.endswith('.svg') else None, dpi=dpi
        )
    return f'../images/{name}'


__all__ = ['IMAGES', 'PAGES', 'ROOT', 'SHARED', 'Page', 'markdown', 'picture', 'rows', 'templated']
