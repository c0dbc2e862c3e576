"""Pages with one generated table: README.md with its measures, the RAG guide with its forms."""

from __future__ import annotations

import re

from ir_divmeasures.explanation.catalogue import readme_catalogue
from ir_divmeasures.io.json_forms import records_table

from .common import ROOT


def page() -> str:
    """README.md; its table of measures, the only generated part, is made from the measures."""
    return _with_table('README.md', '| family | measures |', readme_catalogue())


def rag() -> str:
    """The RAG guide; its table of forms is made from the records of the readers."""
    return _with_table('docs/guide/rag.md', '| written by | one record |', records_table())


def _with_table(path: str, head: str, table: str) -> str:
    """The text of a page, with another table in place of the one with this head."""
    text = (ROOT / path).read_text(encoding='utf-8')
    text_made, n_replaced = re.subn(
        rf'^{re.escape(head)}\n(\|.*\n)*', lambda _: table + '\n', text, flags=re.M
    )
    if n_replaced != 1:
        raise ValueError(f'{path}: expected one table "{head}", found {n_replaced}')
    return text_made
