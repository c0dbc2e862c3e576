"""Groups of systems: participants of a campaign, whose systems count once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from ..data.files import read_blocks
from ..data.lines import Shape, read_lines
from ..errors import did_you_mean

Groups = Mapping[str, str] | Callable[[str], str] | str | os.PathLike[str]
"""The group of each system: a dict by name, a function of the name, or the path of a file of lines ``system group``."""


def read_groups(groups: Groups | None) -> Mapping[str, str] | Callable[[str], str] | None:
    """Groups as a dict or a function; None stays None.

    Raises:
        FileNotFoundError: no such file.
        TypeError: not one of the forms of :data:`Groups`.
        ValueError: a line of a file that has not two fields; names file and line.
    """
    if groups is None or isinstance(groups, Mapping) or callable(groups):
        return groups
    if not isinstance(groups, (str, os.PathLike)):
        raise TypeError(
            f'groups: expected a dict, a function of names or the path of a file, found '
            f'{type(groups).__name__}'
        )
    path = os.fspath(groups)
    lines = read_lines(read_blocks(path, path), path, Shape(('system', 'group')))
    system, group = (column.array.to_pylist() for column in lines.columns.values())
    return dict(zip(system, group))


def group_of(system: str, groups: Mapping[str, str] | Callable[[str], str] | None) -> str:
    """The group of a system; without groups, each system is a group of its own.

    Raises:
        ValueError: a dict without that system.
    """
    if groups is None:
        return system
    if not isinstance(groups, Mapping):
        return str(groups(system))
    if system in groups:
        return str(groups[system])
    near = did_you_mean(system, groups, list_known=False)
    raise ValueError(f'groups does not name the group of system {system!r}{near}')
