"""Packages that are imported when one of their attributes is first read, so that importing this package stays light,
the command that installs those of an extra, and
properties that are computed once."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """``functools.cached_property`` of Python 3.12, without the lock that it has before.

        A process that is forked while another thread holds that lock waits for it forever.
        """

        def __init__(self, function: Callable[[Any], Any]):
            self.function, self.name, self.__doc__ = function, function.__name__, function.__doc__

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value


if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
else:

    class _Lazy(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            self.__dict__[name] = getattr(importlib.import_module(self.__name__), name)
            return self.__dict__[name]

    pa = _Lazy('pyarrow')
    pd = _Lazy('pandas')


def names_from(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], list[str]]:
    """The ``__getattr__`` and the ``__all__`` of a package whose names are imported when they are first used.

    Args:
        package: the package.
        homes: the names by the module of the package that defines them.

    Returns:
        The function, which raises AttributeError for any other name, and all names in alphabetical order.
    """
    module_of = {name: module for module, names in homes.items() for name in names}

    def imported(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        return getattr(importlib.import_module(f'{package}.{module_of[name]}'), name)

    return imported, sorted(module_of)


INSTALL = "pip install '.[{}]' (in the folder of the checkout)"
"""The command that installs an extra. It is that of a checkout until the package is on an index."""

__all__ = ['INSTALL', 'cached_property', 'names_from', 'pa', 'pd']
