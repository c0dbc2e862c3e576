"""The class of the registries in this folder: objects of one kind by name, the package's own and those of users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from ...errors import did_you_mean, short

Entry = TypeVar('Entry')


class NameRegistry(Generic[Entry]):
    """Objects of one kind by name.

    Attributes:
        kind: what messages call an object, for example ``'stopping distribution'``.
        parameter: the parameter of measures that takes a name, for example ``'P'``.
        built_in: the package's own objects by name. Users can neither replace nor remove them.
        entries: all objects by name, the package's own first.
    """

    def __init__(self, kind: str, parameter: str, built_in: Mapping[str, Entry]):
        self.kind, self.parameter = kind, parameter
        self.built_in = dict(built_in)
        self.entries = dict(built_in)

    def names(self) -> tuple[str, ...]:
        """All names, those added at run time included."""
        return tuple(self.entries)

    def __getitem__(self, name: Any) -> Entry:
        """The object of a name.

        Raises:
            ValueError: no object has this name. The message suggests a similar name or lists all of them.
        """
        if not isinstance(name, str) or name not in self.entries:
            raise ValueError(
                f'{self.parameter}={short(name)}: no such {self.kind}'
                + (did_you_mean(name, self.entries) if isinstance(name, str) else '')
            )
        return self.entries[name]

    def check_new_name(self, name: Any, overwrite: bool) -> None:
        """Check that an object can be added under this name.

        Raises:
            ValueError: the name is no Python identifier, is one of the package's own, or exists and ``overwrite`` is
                False.
        """
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f'{self.kind} {name!r}: expected a name that is a Python identifier')
        if name in self.built_in:
            raise ValueError(
                f"{self.kind} {name!r} is one of the package's own; choose another name"
            )
        if name in self.entries and not overwrite:
            raise ValueError(f'{self.kind} {name!r} exists; overwrite=True replaces it')

    def added(self) -> dict[str, Entry]:
        """The objects that were added at run time, by name."""
        return {name: entry for name, entry in self.entries.items() if name not in self.built_in}

    def remove(self, name: str) -> None:
        """Remove an object that was added at run time.

        Raises:
            ValueError: no object has this name, or the package defines it.
        """
        self[name]  # raises if there is no such object
        if name in self.built_in:
            raise ValueError(f"{self.kind} {name!r} is one of the package's own")
        del self.entries[name]
