"""Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

Importing this package registers its measures and its provider with ir_measures::

    >>> import ir_measures, ir_divmeasures
    >>> ir_measures.parse_measure('RBU(p=0.99,e=0.05)@20')
    RBU(p=0.99,e=0.05)@20

Most users need :func:`evaluate`, :func:`compare`, :func:`explain`, :func:`leaderboard`, :func:`measures`, and functions that
read judgments and runs. Names for research are in the modules ``axioms``, ``data``, ``meta``, ``pools``, ``studies``
and ``user_models``.

Every measure is a name of this package too::

    >>> from ir_divmeasures import RBU
    >>> RBU(p=0.99, e=0.05) @ 20
    RBU(p=0.99,e=0.05)@20
"""

from __future__ import annotations

import importlib as _importlib
import types as _types
import typing as _typing
import warnings as _warnings

_failure: Exception | None = None
try:
    from . import families as _families
    from . import hosts as _hosts
    from . import presets
    from .core import registry as _registry
    from .core.registry import measure, measures, unregister_measure
    from .errors import DivMeasuresWarning

    _hosts.register()
except Exception as _error:
    # PyTerrier imports this package when it is imported, and must not fail with it.
    _failure, _families = _error, _types.ModuleType('families')
    _families.__all__ = []
    _warnings.warn(f'ir_divmeasures cannot be used: {_error}', stacklevel=2)

__version__ = '0.1.0'

_HOMES: dict[str, str] = {
    'cli.page': 'leaderboard',
    'evaluation.diagnose': 'diagnose',
    'evaluation.catalogue': 'cite',
    'evaluation.evaluate': 'evaluate',
    'evaluation.scores': 'Scores',
    'evaluation.ties': 'distinct_scores',
    'evaluation.explain': 'explain',
    'data.runs': 'read_run read_runs write_run',
    'data.hierarchy': 'build_hierarchy',
    'data.intents': 'with_intents with_superintents with_weights',
    'data.nuggets': 'read_nuggets',
    'data.qrels': 'read_qrels topic_level write_qrels',
    'data.similarity': 'with_similarity',
    'meta.significance': 'compare',
    'pools.pool': 'with_rareness',
    '': 'axioms data meta pools sample studies terrier typing user_models',
}
"""The public names by the module that defines them, which is imported when one of them is first used; modules
themselves under ``''``."""
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

globals().update({name: getattr(_families, name) for name in _families.__all__})
__all__ = [  # noqa: PLE0604 (names all the same)
    'DivMeasuresWarning',
    'measure',
    'measures',
    'presets',
    'unregister_measure',
    *(name for name in _MODULE_OF if name != 'typing'),
    *_families.__all__,
]


def __getattr__(name: str) -> _typing.Any:
    """What is imported when it is first used, and further names of measures."""
    if _failure is not None:
        raise ImportError(f'ir_divmeasures cannot be used: {_failure}') from _failure
    if name in _MODULE_OF:
        module = _MODULE_OF[name]
        home = _importlib.import_module(f'.{module or name}', __name__)
        globals()[name] = getattr(home, name) if module else home
        return globals()[name]
    if name in _registry.registry:
        return _registry.registry[name]
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    return sorted(
        {*__all__, *_registry.registry, *(name for name in globals() if name.startswith('__'))}
    )
