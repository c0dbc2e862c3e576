"""Files that a user names: paths, folders and patterns, and their content, decompressed."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from ..errors import FilesWarning, did_you_mean, short, warn
from ..lazy import pa

# ----------------------------------------------------------------------------------------------------------------- names


def is_path(value: Any) -> bool:
    """Whether a value is a path."""
    return isinstance(value, (str, os.PathLike))


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
    if os.path.isdir(path):
        entries = [entry for entry in os.scandir(path) if entry.is_file()]
        paths = [entry.path for entry in entries if not entry.name.startswith('.')]
    else:
        paths = glob.glob(path)
        if not paths and not any(sign in path for sign in '*?['):
            raise no_such_file(path)
    if not paths:
        raise FileNotFoundError(f'{path}: no run files there')
    return sorted(paths)


def no_such_file(path: str) -> FileNotFoundError:
    """The error that there is no file of this name, with one of a like name in its folder."""
    folder, near = os.path.dirname(path) or '.', ''
    if os.path.isdir(folder):
        near = did_you_mean(os.path.basename(path), os.listdir(folder), list_known=False)
    if path == '-':
        near = '; the standard input is /dev/stdin'
    return FileNotFoundError(f'{path}: no such file{near}')


NO_RUNS = (
    r'(?i)^(readme|licen[cs]e|changelog|makefile)\b|'
    r'(~|\.(bak|old|orig|swp|tmp|part|md|rst|html?|pdf))$'
)
"""Patterns of files in a folder of runs that are not runs."""

TABLES = ('aggregated.csv', 'perquery.csv')
"""The names of the tables of ``pt.Experiment``, which users save beside the runs that it writes."""


def run_files(path: str) -> list[str]:
    """The run files of a folder or pattern by name, or a path itself."""
    if os.path.isfile(path):
        return [path]
    paths = [each for each in files(path) if os.path.basename(each) not in TABLES]
    skipped = [name for each in paths if re.search(NO_RUNS, name := os.path.basename(each))]
    names = f'{", ".join(map(repr, skipped[:5]))}{", …" if len(skipped) > 5 else ""}'
    if len(skipped) == len(paths):
        raise FileNotFoundError(f'{path}: no run files there (skipped: {names})')
    if skipped:
        warn(
            f'{path}: {len(skipped)} of {len(paths)} files are skipped, as their names are not those of runs: {names}. '
            f'To read one, pass its path',
            FilesWarning,
        )
    return [each for each in paths if os.path.basename(each) not in skipped]


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder as Dask, Spark and Arrow write them: ``part….parquet``, or below ``column=value``.

    Other parquet files are a run or judgments each.
    """
    folder = glob.escape(os.fspath(path))
    return os.path.isdir(path) and bool(
        glob.glob(os.path.join(folder, 'part*.parquet'))
        or any(map(is_log, glob.iglob(os.path.join(folder, '*=*'))))
    )


def paths_of(source: Any) -> list[str]:
    """The files of a path, folder, pattern, or several of them."""
    if is_path(source):
        return files(os.fspath(source))
    is_several = isinstance(source, Iterable) and not isinstance(source, Mapping)
    listed: list[Any] = list(source) if is_several else []
    if not listed or not all(map(is_path, listed)):
        raise TypeError(
            f'expected a path, a folder, a pattern or several of them, found {short(source)}'
        )
    return [path for each in listed for path in files(os.fspath(each))]


# --------------------------------------------------------------------------------------------------------------- content

COMPRESSED = (
    ('gzip', b'\x1f\x8b', 'gzip'),
    ('bzip2', b'BZh', 'bz2'),
    ('xz', b'\xfd7zXZ\x00', ''),
    ('zstandard', b'\x28\xb5\x2f\xfd', 'zstd'),
)
"""Compression formats: name, first bytes, and what pyarrow calls them; Python opens xz."""

SIP, BLOCK = 1 << 15, 1 << 19
"""The number of bytes that tell the form of a file, and of those that are read at once."""

SMALL, MOST_INFLATED = 1 << 24, 250
"""Files that inflate to more than this size, and to more than so many times their own, are refused. Runs and judgments
grow about 4 to 40 times, and files that are made to fill the memory 1,000 to 10,000 times."""

OTHERS = (
    ('a pointer of Git LFS; `git lfs pull` fetches the file itself', rb'version https://git-lfs'),
    ('a zip archive; unpack it', rb'PK\x03\x04'),
    ('UTF-16 text; convert it to UTF-8', rb'\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]'),
    ('a page of HTML', rb'(?i)\s*<(!doctype )?html\b'),
)
"""Kinds of files that are neither runs nor judgments: what they are, and a pattern of how they begin."""


def check_inflated(inflated: int, size: int, path: str, name: str) -> None:
    """Raise an error that names both sizes if a file inflates to far more bytes than it has."""
    if inflated >= max(SMALL, MOST_INFLATED * size):
        raise ValueError(
            f'{path}: {inflated} bytes are inflated from {size} bytes of this {name} file; lines of '
            f'runs or judgments grow by less than {MOST_INFLATED} times. If they are right, inflate '
            f'the file first'
        )


def read_blocks(
    source: str | os.PathLike[str] | IO[Any], path: str, size: int = BLOCK
) -> Iterator[bytes]:
    """The content of a file in blocks, decompressed and without a byte order mark.

    Args:
        source: the path of a file or pipe, or an open file.
        path: what messages call the file.
        size: the size of the blocks.

    Raises:
        FileNotFoundError, IsADirectoryError: no file.
        ValueError: an incomplete file, or one that inflates far too much.
    """
    with contextlib.ExitStack() as stack:
        file: Any = source
        if is_path(source):
            try:
                file = stack.enter_context(open(file, 'rb'))
            except IsADirectoryError:
                raise IsADirectoryError(f'{path}: a folder, expected a file') from None
            except FileNotFoundError:
                raise no_such_file(path) from None
        if file is source or not file.seekable():
            data = file.read()
            file = io.BytesIO(data.encode() if isinstance(data, str) else bytes(data))
        stream, begins, inflated = file, file.read(8), 0
        file.seek(0)
        name, codec = next(
            (name, codec)
            for name, begin, codec in (*COMPRESSED, ('', b'', ''))
            if begins.startswith(begin)
        )
        if name == 'xz':
            import lzma  # which some builds of Python lack

            stream = stack.enter_context(lzma.open(file))
        elif name:
            stream = stack.enter_context(pa.CompressedInputStream(pa.PythonFile(file, 'r'), codec))
        while True:
            try:
                block = stream.read(size)
            except Exception as error:  # each library has its own
                if not name:
                    raise
                raise ValueError(f'{path}: not a complete {name} file ({error})') from None
            if not block:
                return
            if not inflated:
                block = block.removeprefix(b'\xef\xbb\xbf')
            inflated += len(block)
            if name:
                check_inflated(inflated, file.tell(), path, name)
            yield block


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file or pipe. Its first bytes tell whether it is compressed (gzip, bzip2, xz, zstandard)."""
    path = os.fspath(path)
    return b''.join(read_blocks(path, path))


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """The content of a YAML file of this package."""
    import yaml

    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)  # ten times faster, where it is built
    with open(path, encoding='utf-8') as file:
        return yaml.load(file, Loader=loader)
