"""Files that a user names: a path, a folder or a pattern."""

from __future__ import annotations

import glob
import os

from . import text as textfiles


def files(path: str) -> list[str]:
    """Return the files of a path, of a folder (without hidden ones) or of a pattern, sorted by name.

    Raises:
        FileNotFoundError: nothing is there.
        ValueError: a folder with the parts of one table.
    """
    if os.path.isfile(path):
        return [path]
    if is_log(path):
        raise ValueError(
            f'{path}: the parts of one table, as Dask, Spark and Arrow write them; expected a file for '
            f'each run. In Python, evaluate(…) takes such a folder. If each part is a run, pass the paths '
            f'of the parts'
        )
    paths = (
        [
            entry.path
            for entry in os.scandir(path)
            if entry.is_file() and not entry.name.startswith('.')
        ]
        if os.path.isdir(path)
        else glob.glob(path)
    )
    if not paths and not os.path.isdir(path) and not any(sign in path for sign in '*?['):
        raise textfiles.no_such_file(path)
    if not paths:
        raise FileNotFoundError(f'{path}: no run files there')
    return sorted(paths)


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder as Dask, Spark and Arrow write them: ``part….parquet``, or below ``column=value``.

    Other parquet files are a run or judgments each.
    """
    folder = glob.escape(os.fspath(path))
    return os.path.isdir(path) and bool(
        glob.glob(os.path.join(folder, 'part*.parquet'))
        or any(map(is_log, glob.iglob(os.path.join(folder, '*=*'))))
    )


__all__ = ['files', 'is_log']
