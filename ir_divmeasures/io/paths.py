"""Files that a user names: a path, a folder or a pattern."""
from __future__ import annotations

import glob
import os

from . import text as textfiles


def files(path: str) -> list[str]:
    """Return the files of a path, of a folder (without hidden ones) or of a pattern, sorted by name.

    Raises:
        FileNotFoundError: nothing is there.
    """
    if os.path.isfile(path):
        return [path]
    paths = [entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith('.')] \
        if os.path.isdir(path) else glob.glob(path)
    if not paths and not os.path.isdir(path) and not any(sign in path for sign in '*?['):
        raise textfiles.no_such_file(path)
    if not paths:
        raise FileNotFoundError(f'{path}: no run files there')
    return sorted(paths)


__all__ = ['files']
