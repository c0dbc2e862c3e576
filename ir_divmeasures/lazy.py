"""Packages that are imported when one of their attributes is first read, so that importing this package stays light,
and the command that installs those of an extra."""

from __future__ import annotations

import importlib
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
else:

    class _Lazy(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module(self.__name__), name)

    pa = _Lazy('pyarrow')
    pd = _Lazy('pandas')

INSTALL = "pip install '.[{}]' (in the folder of the checkout)"
"""The command that installs an extra. It is that of a checkout until the package is on an index; RELEASING.md says what
a release changes here."""

__all__ = ['INSTALL', 'pa', 'pd']
