"""ir_measures and PyTerrier: measures are in the registry of ir_measures and names of modules of both.

Parsers, the provider and the names before this package is imported: :mod:`ir_divmeasures_plugin`. Registration is
idempotent. Importing the package a second time replaces what the first import registered.
"""

from __future__ import annotations

import sys
from typing import Any

import ir_measures

from ir_divmeasures_plugin import NAMESPACES, NDEVAL, is_a_measure_of_ours, is_ndevals

from ..errors import warn


def registry() -> dict[str, Any]:
    """ir_measures' measures by name, with ours."""
    return ir_measures.measures.registry


def register_name(name: str, measure: Any) -> None:
    """Register a measure under a name, here and in PyTerrier.

    ndeval's measures keep their objects and get our class, wherever they have been imported to. Whatever else has the
    name keeps it, with a warning.
    """
    existing = registry().get(name)
    if existing is not None and (
        is_ndevals(existing) or name in NDEVAL and is_a_measure_of_ours(existing)
    ):
        _replace_in_place(existing, measure)
    elif existing is not None and not is_a_measure_of_ours(existing):
        warn(
            f'ir_measures has a measure {name} of its own; ours is ir_divmeasures.measures({name!r})'
        )
        return
    else:
        registry()[name] = measure
    measure = registry()[name]
    for module in modules():
        existing = vars(module).get(name, measure)
        if existing is measure or is_a_measure_of_ours(existing):
            setattr(module, name, measure)
        else:
            warn(
                f'{module.__name__} has a {name} of its own ({type(existing).__name__}); our measure is '
                f'ir_divmeasures.measures({name!r})'
            )


def unregister_name(name: str) -> None:
    """Remove a name of ours from both hosts."""
    registry().pop(name, None)
    for module in modules():
        if is_a_measure_of_ours(vars(module).get(name)):
            delattr(module, name)


def modules() -> list[Any]:
    """The modules of the hosts in which measures are names, those that are imported."""
    return [sys.modules[name] for name in NAMESPACES if name in sys.modules]


def _replace_in_place(existing: Any, measure: Any) -> None:
    """Give an object of ir_measures our class and attributes, so that modules that imported it before have our
    measure."""
    if existing is not measure:
        existing.__class__ = type(measure)
        existing.__dict__.clear()
        existing.__dict__.update(measure.__dict__)


__all__ = [
    'is_a_measure_of_ours',
    'is_ndevals',
    'modules',
    'register_name',
    'registry',
    'unregister_name',
]
