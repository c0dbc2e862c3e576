"""The site's extension of Sphinx: makes the pages of the measures, links names of measures to them, and folds details.

An inline literal such as ``RBU`` or ``RBU(p=0.99)@20`` becomes a link wherever it stands, in docstrings and guides
alike. So does the name of a public function. A bare name that is also a value of a parameter, as ``DCG`` is a stopping
distribution, stays as it is.
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

WRITTEN = re.compile(r'(\w+)(\([^()]*\))?(@\w+)?')
LONG = 12
"""Tables of studies with more rows are folded."""


@functools.cache
def values() -> set[str]:
    """All values that a parameter of a measure can be chosen from."""
    return {
        str(value)
        for made in catalogue()
        for known in made.SUPPORTED_PARAMS.values()
        if isinstance(known.admits, Choice)
        for value in known.admits.names
    }


def meant(text: str) -> str | None:
    """The public name that a literal stands for; None if it is none."""
    written = WRITTEN.fullmatch(text.strip())
    if written is None or written[1] not in {*registry, *ir_divmeasures.__all__}:
        return None
    return None if text in values() else written[1]


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Make links of the literals that name a measure or a public function."""
    page = app.env.docname
    for literal in list(doctree.findall(nodes.literal)):
        name = meant(literal.astext())
        inside = isinstance(literal.parent, (nodes.reference, addnodes.pending_xref, nodes.title))
        if name is None or inside or name in registry and page == f'measures/{registry[name].NAME}':
            continue
        found = addnodes.pending_xref(
            '',
            refdomain='py',
            reftype='obj',
            reftarget=f'ir_divmeasures.{name}',
            refdoc=page,
            refexplicit=True,
            refwarn=False,
        )
        literal.replace_self(found)
        found += literal


def fold(parent: nodes.Element, first: int, last: int, summary: str) -> None:
    """Put the children from ``first`` to ``last`` into a block that readers open."""
    parent.insert(last + 1, nodes.raw('', '</details>', format='html'))
    opening = f'<details class="folded"><summary>{summary}</summary>'
    parent.insert(first, nodes.raw('', opening, format='html'))


def fold_details(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Keep pages short: in the API, fold all but the summary of a function or class; in studies, the long tables."""
    if app.builder.format != 'html':
        return
    if page.startswith('api/'):
        for entry in list(doctree.findall(addnodes.desc_content)):
            outer = entry.parent.parent
            while outer is not None and not isinstance(outer, addnodes.desc):
                outer = outer.parent
            rest = entry.first_child_matching_class(nodes.paragraph)
            if outer is None and rest is not None and rest + 1 < len(entry):
                fold(entry, rest + 1, len(entry) - 1, 'Details')
    if page.startswith('studies/'):
        for table in list(doctree.findall(nodes.table)):
            section, rows = table.parent, len(list(table.findall(nodes.row))) - 1
            if rows > LONG and section[0].astext() != 'Claims':
                place = section.index(table)
                fold(section, place, place, f'Table of {rows} rows')


def make_pages(app: Sphinx) -> None:
    measures.write()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect('builder-inited', make_pages)
    app.connect('doctree-read', link_names)
    app.connect('doctree-resolved', fold_details)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
