"""README.md with its table of measures."""

from __future__ import annotations

import re

from ir_divmeasures.explanation.catalogue import readme_catalogue

from .common import ROOT


def page() -> str:
    """README.md; its table of measures, the only generated part, is made from the measures."""
    text = (ROOT / 'README.md').read_text(encoding='utf-8')
    text_made, n_replaced = re.subn(
        r'^\| family \| measures \|\n(\|.*\n)*',
        lambda _: readme_catalogue() + '\n',
        text,
        flags=re.M,
    )
    if n_replaced != 1:
        raise ValueError(
            f'README.md: expected one table "| family | measures |", found {n_replaced}'
        )
    return text_made
