"""The site: ``sphinx-build -W docs build/site``."""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Any

import ir_divmeasures

sys.path.insert(
    0, str(pathlib.Path(__file__).parents[1])
)  # docs.generators.site, which makes the pages of measures

project = 'ir_divmeasures'
author = 'the authors of ir_divmeasures'
version = release = ir_divmeasures.__version__
# MathJax comes with the last one: the site shows formulas without a network.
extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'sphinx.ext.napoleon',
    'sphinx_copybutton',
    'sphinx_design',
    'sphinx.ext.mathjax',
    'sphinx-mathjax-offline',
    'docs.generators.site',
]
exclude_patterns = ['images', 'static', 'generators']

smartquotes = False  # quotation marks in text are often code
html_theme = 'furo'
html_title = 'ir_divmeasures'
html_show_copyright = False
html_use_index = html_domain_indices = False  # the search finds their entries
html_static_path = ['static']
html_css_files = ['site.css']
html_js_files = ['tables.js']
html_search_scorer = str(
    pathlib.Path(__file__).with_name('scorer.js')
)  # Sphinx reads it from the current folder

# Markdown; `#heading` links as GitHub makes them.
myst_heading_anchors = 4
myst_enable_extensions = ['dollarmath', 'fieldlist', 'colon_fence']
myst_fence_as_directive = ['math']  # ```math, as GitHub sets it too

# Docstrings: Google style with Sphinx' roles.
autodoc_typehints = 'none'  # the signature has them, the text the meaning
autodoc_member_order = 'bysource'
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [('Facts', 'params_style')]

copybutton_prompt_text = r'>>> |\.\.\. |\$ '
copybutton_prompt_is_regexp = True


def keep_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """|x| is an absolute value or a size in our docstrings, not a substitution of reStructuredText."""
    example = False
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith('>>>'))
        if not example:
            lines[i] = re.sub(r'(?<!\\)\|', r'\\|', line)


def skip_fields(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples, which the section "Attributes" of the docstring describes."""
    return True if type(member).__name__ == '_tuplegetter' else None


def setup(app: Any) -> None:
    app.connect('autodoc-process-docstring', keep_bars, priority=400)
    app.connect('autodoc-skip-member', skip_fields)
