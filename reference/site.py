"""The site's extension of Sphinx: makes the pages of the measures, and links names of measures to them.

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


@functools.cache
def values() -> set[str]:
    """All values that a parameter of a measure can be chosen from."""
    return {
        str(value)
        for made in catalogue()
        for known in made.SUPPORTED_PARAMS.values()
        if isinstance(known.admits, Choice)
        for value in known.admits.listed
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


def make_pages(app: Sphinx) -> None:
    measures.write()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect('builder-inited', make_pages)
    app.connect('doctree-read', link_names)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
