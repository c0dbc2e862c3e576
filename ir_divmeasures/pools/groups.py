"""Groups of systems: participants of a campaign, whose systems count once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from ..data.files import read_blocks
from ..data.lines import Shape, read_lines
from ..errors import did_you_mean

Groups = Mapping[str, str] | Callable[[str], str] | str | os.PathLike[str]
"""The group of each system: a dict by name, a function of the name, or the path of a file of lines ``system group``."""


def read_teams(groups: Groups | None) -> Mapping[str, str] | Callable[[str], str] | None:
    """Groups as a dict or a function; None stays None.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a line of a file that has not two fields; names file and line.
    """
    if not isinstance(groups, (str, os.PathLike)):
        return groups
    path = os.fspath(groups)
    lines = read_lines(read_blocks(path, path), path, Shape(('system', 'group')))
    system, group = (column.array.to_pylist() for column in lines.columns.values())
    return dict(zip(system, group))


def group_of(system: str, groups: Groups | None) -> str:
    """The group of a system.

    Raises:
        TypeError: neither a dict nor a function.
        ValueError: a dict without that system.
    """
    groups = read_teams(groups)
    if groups is None:
        return system
    if callable(groups):
        return str(groups(system))
    if not isinstance(groups, Mapping):
        raise TypeError(
            f'groups: expected a dict, a function of names or the path of a file, found '
            f'{type(groups).__name__}'
        )
    if system in groups:
        return str(groups[system])
    raise ValueError(
        f'groups does not name the group of system {system!r}'
        + did_you_mean(system, groups, list_known=False)
    )
