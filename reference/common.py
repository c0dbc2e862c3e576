"""The common parts of generated pages: their list, the folder of the data, templates and pictures."""

from __future__ import annotations

import importlib
import os
import pathlib
from dataclasses import dataclass
from typing import Any

from ir_divmeasures.studies.study import render

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get('IR_DIVMEASURES_SHARED', ROOT.parent / 'shared'))
IMAGES = ROOT / 'docs/images'
TEMPLATES = pathlib.Path(__file__).parent / 'pages'


@dataclass(frozen=True)
class Page:
    """A generated page.

    Attributes:
        path: the file that is written, from the root of the repository.
        module: the module of ``studies`` whose function ``page`` makes its text (and its pictures).
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
        page = getattr(importlib.import_module(f'studies.{self.module}'), self.function)
        text = page(data) if self.reads_data else page()
        return None if text is None else text.rstrip() + '\n'

    def write(self, data: pathlib.Path = SHARED) -> None:
        """Write what :meth:`make` returns."""
        text = self.make(data)
        if text is not None:
            self.file.write_text(text, encoding='utf-8')


PAGES = {
    'readme': Page('README.md', 'readme'),
    'rag': Page('docs/guide/rag.md', 'readme', function='rag'),
    'coverage': Page('docs/images/coverage.png', 'coverage'),
    'continuation': Page('docs/images/continuation.png', 'continuation'),
    'stubs': Page('ir_divmeasures/families/__init__.pyi', 'stubs'),
    'names': Page('ir_divmeasures/__init__.pyi', 'stubs', function='package'),
    'corruptions': Page('docs/reference/corruptions.md', 'corruptions'),
    'axioms': Page('docs/studies/axioms.md', 'axioms'),
    'hierarchies': Page('docs/studies/hierarchies.md', 'hierarchies', reads_data=True),
    'innovation': Page('docs/studies/innovation.md', 'innovation', reads_data=True),
    'nuggets': Page('docs/studies/nuggets.md', 'nuggets', reads_data=True),
    'proportionality': Page('docs/studies/proportionality.md', 'proportionality', reads_data=True),
    'unanimity': Page('docs/studies/unanimity.md', 'unanimity', reads_data=True),
    'user-models': Page('docs/studies/user-models.md', 'user_models', reads_data=True),
}
"""All generated pages, by the name that ``python -m studies NAME`` takes."""


def templated(name: str, /, **facts: Any) -> str:
    """The text of the template ``studies/pages/<name>.md.jinja``; ``facts`` are its variables."""
    return render(TEMPLATES, name, **facts)


def picture(axes: Any, name: str, dpi: int = 70) -> str:
    """Write matplotlib axes or a figure to docs/images/; the path as a page in docs/studies/ links it."""
    import matplotlib

    IMAGES.mkdir(exist_ok=True)
    figure = getattr(axes, 'figure', axes)
    with matplotlib.rc_context({'svg.hashsalt': name, 'svg.fonttype': 'none'}):
        figure.savefig(
            IMAGES / name, metadata={'Date': None} if name.endswith('.svg') else None, dpi=dpi
        )
    return f'../images/{name}'


__all__ = ['IMAGES', 'PAGES', 'ROOT', 'SHARED', 'Page', 'picture', 'templated']
