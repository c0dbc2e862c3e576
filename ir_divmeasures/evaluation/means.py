"""Tables of systems by measures that can also be written as the table of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from ..core.names import label
from ..tables import paper_table

NO_NAMES: Mapping[str, str] = MappingProxyType({})


class PaperTable(pd.DataFrame):  # type: ignore[misc]  # pandas has no types here
    """A DataFrame with the methods ``to_latex`` (for booktabs), ``to_markdown`` and ``to_html`` of a paper's table.

    Names are escaped, and measures are named as papers name them. The methods take ``places=4``, the number of decimals,
    and ``names={}``, new names of systems and measures by their old ones.
    """

    @property
    def _constructor(self) -> type[PaperTable]:
        return type(self)

    def to_paper(self, form: str, places: int = 4, names: Mapping[str, str] = NO_NAMES) -> str:
        """The table as ``'latex'``, ``'markdown'``, ``'html'`` or ``'table'`` (plain text)."""
        raise NotImplementedError

    def to_latex(self, places: int = 4, names: Mapping[str, str] = NO_NAMES) -> str:
        """The table for LaTeX with booktabs."""
        return self.to_paper('latex', places, names)

    def to_markdown(self, places: int = 4, names: Mapping[str, str] = NO_NAMES) -> str:
        """The table in Markdown."""
        return self.to_paper('markdown', places, names)

    def to_html(self, places: int = 4, names: Mapping[str, str] = NO_NAMES) -> str:
        """The table in HTML."""
        return self.to_paper('html', places, names)


class Means(PaperTable):
    """Means of systems (rows) by measures (columns). All values that round to the best of a measure are bold."""

    def to_paper(self, form: str, places: int = 4, names: Mapping[str, str] = NO_NAMES) -> str:
        heads = [names.get(str(m)) or label(str(m)) for m in self.columns]
        systems = [names.get(str(s), str(s)) for s in self.index]
        rows = list(zip(systems, self.to_numpy().tolist()))
        return paper_table(['system', *heads], rows, form, places)
