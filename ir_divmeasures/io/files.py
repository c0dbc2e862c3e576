"""Files that a user names: a path, a folder or a pattern; and files written whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

LONGEST_NAME = 40
"""Characters of a file's name that its partial file's name ends with: names of files have at most 255 bytes."""


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
        raise no_such_file(path)
    if not paths:
        raise FileNotFoundError(f'{path}: no run files there')
    return sorted(paths)


def no_such_file(path: str) -> FileNotFoundError:
    """The error that there is no file of this name, with one of a like name in its folder."""
    from ..errors import did_you_mean  # of no use where a file is only written

    folder = os.path.dirname(path) or '.'
    near = (
        did_you_mean(os.path.basename(path), os.listdir(folder), list_known=False)
        if os.path.isdir(folder)
        else ''
    )
    if path == '-':
        near = '; the standard input is /dev/stdin'
    return FileNotFoundError(f'{path}: no such file{near}')


NO_RUNS = r'(?i)^(readme|licen[cs]e|changelog|makefile)\b|(~|\.(bak|old|orig|swp|tmp|part|md|rst|html?|pdf))$'
"""Patterns of files in a folder of runs that are not runs."""


def run_files(path: str) -> list[str]:
    """The run files of a folder or pattern by name, or a path itself."""
    from ..errors import FilesWarning, warn  # of no use where a file is only written

    paths = files(path)
    if paths == [path]:
        return paths
    skipped = [
        os.path.basename(each) for each in paths if re.search(NO_RUNS, os.path.basename(each))
    ]
    paths = [each for each in paths if os.path.basename(each) not in skipped]
    named = f'{", ".join(map(repr, skipped[:5]))}{", …" if len(skipped) > 5 else ""}'
    if not paths:
        raise FileNotFoundError(
            f'{path}: no run files there' + (f' (skipped: {named})' if skipped else '')
        )
    if skipped:
        warn(
            f'{path}: {len(skipped)} of {len(skipped) + len(paths)} files are skipped, as their names are not those '
            f'of runs: {named}. To read one, pass its path',
            FilesWarning,
        )
    return paths


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder as Dask, Spark and Arrow write them: ``part….parquet``, or below ``column=value``.

    Other parquet files are a run or judgments each.
    """
    folder = glob.escape(os.fspath(path))
    return os.path.isdir(path) and bool(
        glob.glob(os.path.join(folder, 'part*.parquet'))
        or any(map(is_log, glob.iglob(os.path.join(folder, '*=*'))))
    )


def paths_of(source: Any, files: Callable[[str], list[str]] = files) -> list[str]:
    """The files of a path, folder, pattern, or several of them; ``files`` gives those of each."""
    if isinstance(source, (str, os.PathLike)):
        return files(os.fspath(source))
    several = isinstance(source, Iterable) and not isinstance(source, Mapping)
    listed: list[Any] = (list(source) if several else []) or [None]
    if not all(isinstance(each, (str, os.PathLike)) for each in listed):
        raise TypeError(
            f'expected a path, a folder, a pattern or several of them, found {source!r:.80}'
        )
    return [path for each in listed for path in files(os.fspath(each))]


def check_target(
    path: str | os.PathLike[str], overwrite: bool, permission: str = 'overwrite=True'
) -> int | None:
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
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(f'{path}: a folder, expected a file')
    if mode is not None and stat.S_ISREG(mode) and not overwrite:
        raise FileExistsError(f'{path} exists; {permission} replaces it')
    return mode


@contextlib.contextmanager
def replacing(
    path: str | os.PathLike[str], overwrite: bool, permission: str = 'overwrite=True'
) -> Iterator[str]:
    """The path of a file to write, which takes the place of ``path`` at the end: whole, or not at all.

    The content is written to a new file in the same folder, which no other thread or process writes. At the end it is
    flushed to the disk and moved to ``path``. If something stops the call before that, such as a full disk, ``path``
    does not change. A process that is killed leaves a hidden file ``.….partial.…``.

    A file that is replaced keeps its mode, and a symbolic link stays one: the file that it leads to is replaced. A pipe
    or device is written in place.

    Args:
        path: where the file is wanted.
        overwrite: replace what is there. Without it, a file that another process creates meanwhile stays, too.
        permission: what lets a file be replaced, for the message.

    Raises:
        FileExistsError: ``path`` exists and ``overwrite`` is False.
        FileNotFoundError: its folder does not exist.
        IsADirectoryError: ``path`` is a folder.
        OSError: the file cannot be written; names ``path``.
    """
    path = os.fspath(path)
    mode = check_target(path, overwrite, permission)
    target = os.path.realpath(path)  # of a symbolic link, what it leads to
    if mode is not None and not stat.S_ISREG(mode):
        yield path
        return
    import secrets  # and with it, OpenSSL: for a name that nobody else guesses

    folder, name = os.path.split(target)
    # The ending of a name tells writers what to write.
    partial = os.path.join(folder, f'.{secrets.token_hex(8)}.partial.{name[-LONGEST_NAME:]}')
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        if mode is not None:
            # Only those who may read the old file may read the new one.
            os.chmod(partial, stat.S_IMODE(mode) | stat.S_IRUSR | stat.S_IWUSR)
        yield partial
        _flush(partial)
        if mode is not None:
            os.chmod(partial, stat.S_IMODE(mode))
        if overwrite:
            os.replace(partial, target)
        else:
            try:
                _move_to_free_name(partial, target)
            except FileExistsError:
                raise FileExistsError(f'{path} exists; {permission} replaces it') from None
        _flush_folder(folder)
    except (
        OSError
    ) as error:  # errors name the file that was asked for: of a full disk, Python names none
        if error.errno is not None and error.filename in (None, partial):
            error.filename, error.filename2 = path, None
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(partial)


def _mode(path: str) -> int | None:
    """Kind and permissions of what a path leads to; None where nothing is there."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _move_to_free_name(partial: str, target: str) -> None:
    """Move a file to a name that must be free, in one step.

    Raises:
        FileExistsError: the name is taken.
    """
    if os.name == 'nt':
        os.rename(partial, target)  # an error if the name is taken
        return
    try:
        os.link(partial, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: an empty file takes the name first
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(partial, target)


def _flush(path: str) -> None:
    """Wait until a file's content is on the disk."""
    file = os.open(path, os.O_RDWR)  # Windows flushes only what may be written
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _flush_folder(folder: str) -> None:
    """Wait until the names in a folder are on the disk, where the system can: not on Windows, nor on all networks."""
    if os.name == 'nt':
        return
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """The content of a YAML file of this package."""
    import yaml

    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)  # ten times faster, where it is built
    with open(path, encoding='utf-8') as file:
        return yaml.load(file, Loader=loader)
