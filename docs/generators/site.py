"""The site's extension of Sphinx: makes the pages of measures, links names of measures to them, and folds details.

An inline literal such as ``RBU`` or ``RBU(p=0.99)@20`` becomes a link, in docstrings and guides alike. So does the name
of a public function. A bare name that is also a value of a parameter, such as ``DCG``, stays as it is.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import ir_divmeasures
from ir_divmeasures.core.parameters import Choice
from ir_divmeasures.core.registry import catalogue, registry

from . import measures

NAME = re.compile(r'(\w+)(\([^()]*\))?(@\w+)?')
LONG_TABLE = 12
"""Tables of studies with more rows are folded."""


@functools.cache
def parameter_values() -> set[str]:
    """All values that a parameter of a measure can be chosen from."""
    return {
        str(value)
        for measure in catalogue()
        for parameter in measure.SUPPORTED_PARAMS.values()
        if isinstance(parameter.admits, Choice)
        for value in parameter.admits.names
    }


def public_name(text: str) -> str | None:
    """The measure or public function that a literal names; None if it names none."""
    match = NAME.fullmatch(text.strip())
    known = {*registry, *ir_divmeasures.__all__}
    return match[1] if match and match[1] in known and text not in parameter_values() else None


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Link the literals that name a measure or a public function."""
    page = app.env.docname
    for literal in list(doctree.findall(nodes.literal)):
        name = public_name(literal.astext())
        in_link = isinstance(literal.parent, (nodes.reference, addnodes.pending_xref, nodes.title))
        if name is None or in_link or name in registry and page.endswith(f'/{registry[name].NAME}'):
            continue
        link = addnodes.pending_xref(
            '',
            refdomain='py',
            reftype='obj',
            reftarget=f'ir_divmeasures.{name}',
            refdoc=page,
            refexplicit=True,
            refwarn=False,
        )
        literal.replace_self(link)
        link += literal


def fold(parent: nodes.Element, first: int, last: int, summary: str) -> None:
    """Put the children from ``first`` to ``last`` into a block that readers open."""
    parent.insert(last + 1, nodes.raw('', '</details>', format='html'))
    opening = f'<details class="folded"><summary>{summary}</summary>'
    parent.insert(first, nodes.raw('', opening, format='html'))


def is_nested(entry: nodes.Element) -> bool:
    """Whether a description is inside another one, as a method is inside its class."""
    parent = entry.parent.parent
    while parent is not None and not isinstance(parent, addnodes.desc):
        parent = parent.parent
    return parent is not None


def fold_details(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Fold the API's entries after their first paragraph, and the long tables of studies."""
    if app.builder.format != 'html':
        return
    for entry in list(doctree.findall(addnodes.desc_content)) if page.startswith('api/') else []:
        summary = entry.first_child_matching_class(nodes.paragraph)
        if summary is not None and summary + 1 < len(entry) and not is_nested(entry):
            fold(entry, summary + 1, len(entry) - 1, 'Details')
    for table in list(doctree.findall(nodes.table)) if page.startswith('studies/') else []:
        rows = len(list(table.findall(nodes.row))) - 1
        if rows > LONG_TABLE:
            place = table.parent.index(table)
            fold(table.parent, place, place, f'Table of {rows} rows')


def write_pages(app: Sphinx) -> None:
    """Write docs/measures."""
    measures.write()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect('builder-inited', write_pages)
    app.connect('doctree-read', link_names)
    app.connect('doctree-resolved', fold_details)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
