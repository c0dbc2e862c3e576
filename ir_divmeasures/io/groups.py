"""Groups of systems: participants of a campaign, whose systems count once."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import did_you_mean

Groups = Mapping[str, str] | Callable[[str], str]
"""The group of each system, by name."""


def group_of(system: str, groups: Groups | None) -> str:
    """The group of a system.

    Raises:
        TypeError: neither a dict nor a function.
        ValueError: a dict without that system.
    """
    if groups is None:
        return system
    if callable(groups):
        return str(groups(system))
    if not isinstance(groups, Mapping):
        raise TypeError(f'groups: expected a dict or a function of names, found {type(groups).__name__}')
    if system in groups:
        return str(groups[system])
    raise ValueError(f'groups does not name the group of system {system!r}'
                     + did_you_mean(system, groups, list_known=False))


__all__ = ['Groups', 'group_of']
