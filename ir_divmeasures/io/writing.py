"""Files written whole or not at all."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], overwrite: bool, how: str = 'overwrite=True') -> Iterator[str]:
    """The path of a file to write, which is moved to ``path`` at the end: an interrupted call leaves no half of a file.

    Args:
        path: where the file is wanted.
        overwrite: replace what is there.
        how: what lets a file be replaced, for the message.

    Raises:
        FileExistsError: ``path`` exists and ``overwrite`` is False.
        FileNotFoundError: its folder does not exist.
    """
    path = os.fspath(path)
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f'{path} exists; {how} replaces it')
    folder, name = os.path.split(path)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(f'{folder}: no such folder')
    partial = os.path.join(folder, f'.{os.getpid()}.partial.{name}')  # the ending tells what to write
    try:
        yield partial
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


__all__ = ['replacing']
