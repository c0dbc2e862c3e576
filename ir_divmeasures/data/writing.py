"""Files are written whole or not at all. This module imports nothing of this package."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator


def check_target(path: str | os.PathLike[str], overwrite: bool) -> int | None:
    """Return the kind and permissions of what is at a path where a file is wanted; None where nothing is there.

    A pipe or device, such as ``/dev/stdout``, is written in place, so that it needs no permission.

    Raises:
        FileExistsError: a file is there and ``overwrite`` is False.
        FileNotFoundError: its folder does not exist.
        IsADirectoryError: a folder is there.
    """
    path = os.fspath(path)
    for folder in filter(None, (os.path.dirname(path), os.path.dirname(os.path.realpath(path)))):
        if not os.path.isdir(folder):
            raise FileNotFoundError(f'{folder}: no such folder')
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f'{path}: a folder, expected a file')
    if stat.S_ISREG(mode) and not overwrite:
        raise file_exists(path)
    return mode


def file_exists(path: str) -> FileExistsError:
    """The error that a file must not be replaced."""
    return FileExistsError(f'{path} exists; overwrite=True (--force) replaces it')


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], overwrite: bool) -> Iterator[str]:
    """The path of a file to write, which takes the place of ``path`` at the end: whole, or not at all.

    The content is written to a new file in the same folder, which no other thread or process writes. At the end it is
    flushed to the disk and moved to ``path``. If something stops the call before that, such as a full disk, ``path``
    does not change. A process that is killed leaves a hidden file ``.….partial.…``.

    A file that is replaced keeps its mode, and a symbolic link stays one: the file that it leads to is replaced. A pipe
    or device is written in place.

    Args:
        path: where the file is wanted.
        overwrite: replace what is there. Without it, a file that was created meanwhile stays, too.

    Raises:
        FileExistsError: ``path`` exists and ``overwrite`` is False.
        FileNotFoundError: its folder does not exist.
        IsADirectoryError: ``path`` is a folder.
        OSError: the file cannot be written; names ``path``.
    """
    path = os.fspath(path)
    mode = check_target(path, overwrite)
    target = os.path.realpath(path)  # of a symbolic link, what it leads to
    if mode is not None and not stat.S_ISREG(mode):
        yield path
        return
    import secrets  # and with it, OpenSSL: for a name that nobody else guesses

    folder, name = os.path.split(target)
    # The ending of a name tells writers what to write. Names of files have at most 255 bytes.
    partial = os.path.join(folder, f'.{secrets.token_hex(8)}.partial.{name[-40:]}')
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        if mode is not None:
            # Only those who may read the old file may read the new one.
            os.chmod(partial, stat.S_IMODE(mode) | stat.S_IRUSR | stat.S_IWUSR)
        yield partial
        with open(partial, 'rb+') as file:
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(partial, stat.S_IMODE(mode))
        try:
            (os.replace if overwrite else os.link)(partial, target)
        except FileExistsError:
            raise file_exists(path) from None
        except OSError:
            if overwrite:
                raise
            check_target(path, overwrite)  # on a file system without links
            os.replace(partial, target)
    except OSError as error:  # name the file that was asked for: of a full disk, Python names none
        if error.errno is not None and error.filename in (None, partial):
            error.filename, error.filename2 = path, None
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(partial)
