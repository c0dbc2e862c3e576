"""Checksums of files and tables, for the provenance of results."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..lazy import pa, pd
from ..results import count
from .run_columns import RUN_COLUMNS
from .runs import Run
from .text_columns import Texts


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def file_digest(path: str) -> str:
    with open(path, 'rb') as file:
        return digest(file.read())


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


def run_digest(run: Run) -> str:
    """The sha256 of a run's file, or of the columns of one in memory."""
    if run.path is not None and os.path.isfile(run.path):
        return file_digest(run.path)
    further = [name for name in RUN_COLUMNS if name in run.further]
    texts = (Texts.of(run.table[name].astype(str)) for name in further)
    return of_columns([run.query_id, run.doc_id, run.score, *texts])


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
    return f'{name}sha256 {digest(_written(table))}'


def _written(table: pd.DataFrame) -> bytes:
    """What pandas writes of a table of several columns. Arrow writes the same of whole numbers and of texts without commas
    and quotes, in a tenth of the time."""
    if all(column.dtype.kind == 'i' or column.dtype == 'str' for _, column in table.items()):
        from pyarrow.csv import WriteOptions, write_csv

        rows = io.BytesIO()
        with contextlib.suppress(pa.ArrowInvalid):
            options = WriteOptions(include_header=False, quoting_style='none')
            write_csv(pa.Table.from_pandas(table, preserve_index=False), rows, options)
            return table[:0].to_csv(index=False).encode() + rows.getvalue()
    return table.to_csv(index=False).encode('utf-8', 'surrogatepass')
