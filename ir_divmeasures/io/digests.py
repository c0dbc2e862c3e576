"""Checksums of columns in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from .text_columns import Texts


def of_columns(columns: Iterable[Any]) -> str:
    """The sha256 of columns: of texts where each ends and their bytes, of numbers their bytes."""
    result = hashlib.sha256()
    for column in columns:
        if isinstance(column, Texts):
            texts = Texts(column.array)
            data, bounds = texts.array.buffers()[2], texts.bounds
            result.update((bounds - bounds[0]).astype('<i8').tobytes())
            if data is not None:
                result.update(memoryview(data)[bounds[0] : bounds[-1]])
        else:
            result.update(column.tobytes())
    return result.hexdigest()
