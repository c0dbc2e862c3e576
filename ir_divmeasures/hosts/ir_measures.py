"""ir_measures: measures are in its registry and names of the package; its parsers understand ours; its pipeline has the
provider.

All of it can be done again, as when this package is imported a second time: what an earlier import left is replaced.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import ir_measures

from ..errors import warn
from . import pyterrier

NDEVAL = ('ERR_IA', 'nERR_IA', 'alpha_DCG', 'α_DCG', 'alpha_nDCG', 'α_nDCG', 'NRBP', 'nNRBP', 'AP_IA', 'MAP_IA',
          'P_IA', 'StRecall')
"""ndeval's measures under the names that ir_measures gives them; we compute these too."""

Parse = Callable[[str], list[Any]]
"""Measures from one name; ValueError or TypeError where it is none."""


# -------------------------------------------------------------------------------------------------------- names

def registry() -> dict[str, Any]:
    """ir_measures' measures by name, with ours."""
    return ir_measures.measures.registry


def is_a_measure_of_ours(made: Any) -> bool:
    """Whether a measure was made by ``@measure``, also by that of an earlier import of this package."""
    return any((base.__module__, base.__qualname__) == ('ir_divmeasures.core.registry', 'DivMeasure')
               for base in type(made).__mro__)


def is_ndevals(made: Any) -> bool:
    """Whether a measure is one of ndeval's in ir_measures' own class."""
    return type(made).__module__ == 'ir_measures.measures.diversity' and made.NAME in NDEVAL


def publish(name: str, made: Any) -> None:
    """Register a measure under a name, here and in PyTerrier.

    ndeval's measures keep their objects and get our class, wherever they have been imported to. Whatever else has the
    name keeps it, with a warning.
    """
    present = registry().get(name)
    if present is not None and (is_ndevals(present) or name in NDEVAL and is_a_measure_of_ours(present)):
        _take_over(present, made)
    elif present is not None and not is_a_measure_of_ours(present):
        warn(f'ir_measures has a measure {name} of its own; ours is ir_divmeasures.measures({name!r})')
        return
    else:
        registry()[name] = made
    made = registry()[name]
    for module in modules():
        present = getattr(module, name, made)
        if present is made or is_a_measure_of_ours(present):
            setattr(module, name, made)
        else:
            warn(f'{module.__name__} has a {name} of its own ({type(present).__name__}); our measure is '
                 f'ir_divmeasures.measures({name!r})')


def withdraw(name: str) -> None:
    """Take a name of ours out of both hosts."""
    registry().pop(name, None)
    for module in modules():
        if is_a_measure_of_ours(getattr(module, name, None)):
            delattr(module, name)


def modules() -> list[Any]:
    """The modules of the hosts in which measures are names."""
    return [ir_measures, ir_measures.measures, *pyterrier.modules()]


def _take_over(present: Any, made: Any) -> None:
    if present is not made:
        present.__class__ = type(made)
        present.__dict__.clear()
        present.__dict__.update(made.__dict__)


# ------------------------------------------------------------------------------------------------------ parsing

def understand(parse: Parse) -> None:
    """Let ``ir_measures.parse_measure`` and ``parse_trec_measure`` ask ``parse`` where they do not understand a name.

    They answer as before what they can answer. PyTerrier asks ``parse_trec_measure`` in ``pt.Experiment``,
    ``pt.Evaluate``, ``pt.GridSearch`` and ``pt.KFoldGridSearch``.
    """
    for name, one in (('parse_measure', True), ('parse_trec_measure', False)):
        present = getattr(ir_measures.util, name)
        theirs = getattr(present, '_without_ir_divmeasures', present)
        made = _with_fallback(theirs, parse, one)
        for module in (ir_measures, ir_measures.util):
            if getattr(module, name) is present:
                setattr(module, name, made)


def _with_fallback(theirs: Callable[[Any], Any], parse: Parse, one: bool) -> Callable[[Any], Any]:
    @functools.wraps(theirs)
    def understood(measure: Any) -> Any:
        try:
            return theirs(measure)
        except (ValueError, NameError, SyntaxError, TypeError, RecursionError, MemoryError,
                AttributeError):  # Python 3.14 has no ast.Num, which ir_measures 0.4.3 uses
            if not isinstance(measure, str):
                raise
        found = parse(measure)
        if one and len(found) > 1:
            raise ValueError(f'{measure!r} names {len(found)} measures')
        return found[0] if one else found

    understood._without_ir_divmeasures = theirs  # type: ignore[attr-defined]
    return understood


# ----------------------------------------------------------------------------------------------------- provider

def put(provider: Any) -> None:
    """Put the provider into ir_measures' registry, and into its default pipeline before all but measures defined at run
    time; in place of one of that name."""
    from ir_measures import providers

    providers.register(provider)  # type: ignore[no-untyped-call]
    chain = ir_measures.DefaultPipeline.providers
    names = [each.NAME for each in chain]
    if provider.NAME in names:
        chain[names.index(provider.NAME)] = provider
    else:
        chain.insert(names.index('runtime') + 1 if 'runtime' in names else 0, provider)
