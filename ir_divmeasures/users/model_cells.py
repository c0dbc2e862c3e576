"""The combinations of a utility model and a stopping distribution: their names, and those that measure no ranking."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..core.stopping import registries as stopping
from ..families.usermodel import PAPER, why_marked

if TYPE_CHECKING:
    import pandas as pd


def cells(P: Iterable[str] | None = None) -> pd.DataFrame:
    """Every utility model with every stopping distribution: its name, and whether it measures a ranking.

    Args:
        P: names of distributions. The default is all known ones.

    Returns:
        DataFrame ``model, P, name, measure, marked``: the paper's name (that of a measure here, or of ir_measures for
        RBP, ERR and AP), None if it has none; the measure as :func:`ir_divmeasures.measures` takes it; the reason why
        the cell is *marked*, None if it is not. A marked cell is a constant, or does not depend on the ranks of
        non-relevant documents, whatever the gain. Studies omit marked cells.

    Examples:
        >>> table = cells(['RR', 'AP'])
        >>> table[table['marked'].isna()][['model', 'P', 'name']]
           model   P   name
        0      1  RR    RRG
        2      2  RR  RRDCG
        5      3  AP    ARR
        6      4  RR    RAP
        7      4  AP     AP
    """
    import pandas as pd

    called = {cell: name for name, cell in PAPER.items()}
    rows = [
        (
            model,
            name,
            called.get((model, name)),
            f'UM(model={model},P={name!r})',
            why_marked({'model': model, 'P': name}),
        )
        for model in (1, 2, 3, 4)
        for name in (stopping.complete() if P is None else [P] if isinstance(P, str) else P)
    ]
    return pd.DataFrame(rows, columns=['model', 'P', 'name', 'measure', 'marked'], dtype=object)
