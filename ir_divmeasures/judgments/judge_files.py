"""Judgments of several judges, a file each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .qrels import read_qrels

if TYPE_CHECKING:
    import pandas as pd


def read_judges(paths: Sequence[str]) -> pd.DataFrame:
    """Judgments of files, one judge each: a column ``judge`` numbers the files from 1 where they name no judges.

    Args:
        paths: files in any form that :func:`~ir_divmeasures.read_qrels` reads. A single file stays as it is.
    """
    import pandas as pd

    tables = [read_qrels(path) for path in paths]
    return (
        tables[0]
        if len(tables) == 1
        else pd.concat(
            [
                table if 'judge' in table.columns else table.assign(judge=str(i))
                for i, table in enumerate(tables, 1)
            ],
            ignore_index=True,
        )
    )


__all__ = ['read_judges']
