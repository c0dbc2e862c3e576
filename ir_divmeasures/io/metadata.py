"""Metadata of a run in the form of ir_metadata: YAML in comment lines at the top of the run's file.

    # ir_metadata.start
    # actor:
    #   team: Our team
    # ir_metadata.end

Dates stay texts, so that what is read consists of texts, numbers, lists and dicts.
"""

from __future__ import annotations

import functools
import os
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import FilesWarning, warn
from . import text as textfiles

KEY = 'ir_metadata'
"""The key of the metadata in ``attrs`` of a DataFrame."""
START, END = 'ir_metadata.start', 'ir_metadata.end'
"""The lines around the metadata, after the ``#``."""
FARTHEST = 1 << 16
"""The number of bytes at the top of a file in which metadata must begin."""
TIMESTAMP = 'tag:yaml.org,2002:timestamp'


def top(data: bytes) -> bytes:
    """The comment lines at the top of a file down to ``# ir_metadata.end``; none if they have no metadata."""
    if not data.startswith(b'#') or data.find(START.encode(), 0, FARTHEST) < 0:
        return b''
    end = 0
    while data.startswith(b'#', end):
        start, end = end, (data.find(b'\n', end) + 1) or len(data)
        if data[start:end].strip(b'# \t\r\n') == END.encode():
            break
    return data[:end]


def header(data: bytes) -> str | None:
    """The YAML text between the lines ``# ir_metadata.start`` and ``# ir_metadata.end`` at the top of a file; None
    without the first of these lines.

    Raises:
        ValueError: the last one is missing, or the text is not UTF-8.
    """
    lines = [line[1:] for line in top(data).splitlines()]
    marks = [line.strip().decode('utf-8', 'replace') for line in lines]
    if START not in marks:
        return None
    if marks[-1] != END:
        raise ValueError(f'the comments have a line "# {START}", but no line "# {END}" after it')
    return textwrap.dedent(b'\n'.join(lines[marks.index(START) + 1 : -1]).decode('utf-8'))


def of_run_file(data: bytes, path: str) -> dict[str, Any]:
    """The metadata at the top of a run file; empty without any. Metadata that cannot be read is ignored, with a
    warning, since the run below it can be."""
    try:
        written = header(data)
        return {} if written is None else parse(written)
    except ValueError as error:
        warn(f'{path}: the metadata of the run is ignored: {error}', FilesWarning)
        return {}


def parse(written: str) -> dict[str, Any]:
    """The metadata that a YAML text writes.

    Raises:
        ValueError: not YAML, or no mapping, or with aliases.
    """
    import yaml

    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(written, _loader())):
            raise ValueError(
                'aliases (*name) are not read, since they can stand for any number of values'
            )
        metadata = yaml.load(written, Loader=_loader())
    except yaml.YAMLError as error:
        raise ValueError(f'not YAML ({" ".join(str(error).split())})') from None
    except RecursionError:
        raise ValueError('not YAML (nested too deep)') from None
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise ValueError(
            f'expected a mapping of names such as "actor" and "platform", found {type(metadata).__name__}'
        )
    return metadata


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The metadata of a YAML file, as tirex-tracker writes it: plain or compressed, with or without the lines
    ``ir_metadata.start`` and ``ir_metadata.end``; or those at the top of a run file.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not metadata; names the file.
    """
    path = os.fspath(path)
    data = textfiles.read_bytes(path)
    try:
        written = header(data)
        if written is None:
            lines = textfiles.decoded(data, path).splitlines()
            written = '\n'.join(line for line in lines if line not in (START, END))
        return parse(written)
    except ValueError as error:
        raise ValueError(f'{path}: {error}') from None


def comments(metadata: Mapping[str, Any]) -> str:
    """The comment lines that write metadata at the top of a run file; '' of none.

    Raises:
        ValueError: a value that YAML cannot write, such as an array.

    Examples:
        >>> print(comments({'actor': {'team': 'Our team'}}), end='')
        # ir_metadata.start
        # actor:
        #   team: Our team
        # ir_metadata.end
    """
    import yaml

    if not metadata:
        return ''
    for readable in (
        True,
        False,
    ):  # some line breaks of Unicode are read back only if they are escaped
        try:
            written = yaml.dump(
                dict(metadata), None, _dumper(), sort_keys=False, allow_unicode=readable, width=1000
            )
        except (yaml.YAMLError, RecursionError) as error:
            raise ValueError(
                f'metadata: YAML cannot write a value of it ({" ".join(str(error).split())}); expected '
                f'texts, numbers, lists and dicts'
            ) from None
        text = ''.join(
            f'# {line}'.rstrip(' ') + '\n'
            for line in [START, *written.rstrip('\n').split('\n'), END]
        )
        if _read_back(text) == metadata:
            break
    return text


def _read_back(text: str) -> dict[str, Any] | None:
    """The metadata of comment lines; None if they cannot be read."""
    try:
        return parse(header(text.encode()) or '')
    except ValueError:
        return None


@functools.cache
def _loader() -> Any:
    """PyYAML's safe loader, which leaves dates as they are written."""
    import yaml

    class Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):  # type: ignore[misc]
        pass

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != TIMESTAMP]
        for first, resolvers in Loader.yaml_implicit_resolvers.items()
    }
    return Loader


@functools.cache
def _dumper() -> Any:
    """PyYAML's safe dumper, which repeats a value that occurs several times."""
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    return Dumper


ABOUT = {
    'Team': (('actor', 'team'), ('actor', 'name')),
    'Method': (('method', 'name'), ('method', 'retrieval'), ('method', 'description')),
    'Collection': (('data', 'test collection', 'name'), ('data', 'test collection', 'ir_datasets')),
    'Implementation': (
        ('implementation', 'source', 'repository'),
        ('implementation', 'executable', 'cmd'),
    ),
    'Processor': (('platform', 'hardware', 'cpu', 'model'),),
    'Memory': (('platform', 'hardware', 'ram'),),
    'Graphics': (('platform', 'hardware', 'gpu', 'model'), ('platform', 'hardware', 'gpu')),
    'Run time': (('resources', 'runtime', 'wallclock'),),
}
"""What is shown of ir_metadata: each heading with the fields of which the first that is there counts."""


def metadata_table(metadata: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """What runs say of themselves: the headings, and a row for each system with metadata. Empty columns are omitted.

    Examples:
        >>> metadata_table({'a': {'actor': {'team': 'A'}, 'platform': {'hardware': {'ram': '64 GB'}}}, 'b': {}})
        (['Team', 'Memory'], [['a', 'A', '64 GB']])
    """
    rows = {
        system: [_first_value(fields, paths) for paths in ABOUT.values()]
        for system, fields in metadata.items()
        if fields
    }
    filled = [place for place in range(len(ABOUT)) if any(row[place] for row in rows.values())]
    return (
        [list(ABOUT)[place] for place in filled],
        [[system, *(row[place] for place in filled)] for system, row in rows.items()],
    )


def _first_value(fields: Any, paths: Iterable[tuple[str, ...]]) -> str:
    """The first of several fields that has a value, as a short text."""
    for path in paths:
        value = fields
        for key in path:  # test_collection stands for "test collection"
            known = value if isinstance(value, Mapping) else {}
            value = known.get(key, known.get(key.replace(' ', '_')))
        parts = [
            part.get('name', '') if isinstance(part, Mapping) else part
            for part in (value if isinstance(value, list) else [value])
        ]
        text = ', '.join(str(part) for part in parts[:20] if part not in (None, ''))
        if text:
            return text
    return ''
