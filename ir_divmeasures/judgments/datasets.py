"""ir_datasets ids."""

from __future__ import annotations

import os
from typing import Any

from ..errors import did_you_mean

PREFIX = 'irds:'
"""What PyTerrier puts before an ir_datasets id."""


def is_of_pyterrier(source: Any) -> bool:
    """Whether this is a dataset of ``pt.get_dataset('irds:…')``, or its name."""
    return (
        hasattr(type(source), 'irds_ref') or isinstance(source, str) and source.startswith(PREFIX)
    )


def is_dataset(name: str) -> bool:
    """Whether a text that is no path of a file may be an ir_datasets id."""
    return (
        '/' in name
        and not os.path.isabs(name)
        and not name.startswith(('/', '.'))
        and not name.endswith(('.gz', '.txt', '.tsv', '.qrels'))
    )


def load_dataset(name: str) -> Any:
    """The dataset of an id.

    Raises:
        ValueError: no such dataset; names the nearest.
    """
    import ir_datasets

    name = name.removeprefix(PREFIX)
    try:
        return ir_datasets.load(name)
    except KeyError:
        names = [str(key) for key in ir_datasets.registry]
        raise ValueError(
            f'{name!r} is neither a file nor an ir_datasets id'
            + (did_you_mean(name, names, list_known=False) if len(name) > 3 else '')
        ) from None
