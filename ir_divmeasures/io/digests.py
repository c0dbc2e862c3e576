"""Checksums of files and tables, for the provenance of results."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..lazy import pd
from ..results import count
from .runs import read_run


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def file_digest(path: str) -> str:
    with open(path, 'rb') as file:
        return digest(file.read())


def run_digest(run: Any) -> str:
    """The sha256 of a run's file, or of pandas' hashes of the rows of one in memory."""
    path = getattr(run, 'path', None) or run
    if isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
        return file_digest(os.fspath(path))
    return digest(pd.util.hash_pandas_object(read_run(run), index=False).to_numpy().tobytes())


def together(digests: Mapping[str, str], noun: str) -> str:
    """The sha256 of the sorted lines ``NAME SHA256``."""
    lines = sorted(f'{name} {digest}\n' for name, digest in digests.items())
    return f'{count(len(lines), noun)}, sha256 {digest("".join(lines).encode("utf-8", "surrogatepass"))}'


def of_files(paths: Iterable[str]) -> str:
    return together({os.path.basename(path): file_digest(path) for path in paths}, 'file')


def of_table(source: Any, table: Any) -> str:
    """The name and the sha256 of a table's file, or the sha256 of the table that was read from another source."""
    if isinstance(source, (str, os.PathLike)) and os.path.isfile(source):
        return f'{os.path.basename(source)}, sha256 {file_digest(os.fspath(source))}'
    name = f'{source}, ' if isinstance(source, str) else ''
    written = table.to_csv(index=False).encode('utf-8', 'surrogatepass')
    return f'{name}sha256 {digest(written)}'
