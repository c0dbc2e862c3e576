"""Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

Importing this package registers its measures and its provider with ir_measures::

    >>> import ir_measures, ir_divmeasures
    >>> ir_measures.parse_measure('RBU(p=0.99,e=0.05)@20')
    RBU(p=0.99,e=0.05)@20

Most users need :func:`evaluate`, :func:`compare`, :func:`explain`, :func:`leaderboard`, :func:`measures`, and functions that
read judgments and runs. Names for research are in the modules ``axioms``, ``judgments``, ``meta``, ``pools``, ``quality``,
``rag``,
``studies`` and ``user_models``.

Every measure is a name of this package too::

    >>> from ir_divmeasures import RBU
    >>> RBU(p=0.99, e=0.05) @ 20
    RBU(p=0.99,e=0.05)@20
"""

import importlib as _importlib
import typing as _typing

from . import hosts as _hosts  # noqa: F401 (first: it says which part of a host is missing)

# isort: split
import ir_divmeasures_plugin as _plugin

from . import families as _families
from . import presets
from .core import registry as _registry
from .core.registry import measure, measures, unregister_measure
from .errors import DivMeasuresWarning
from .errors import module_without as _module_without

__version__ = '0.1.0'

_MODULES = (
    'axioms',
    'judgments',
    'meta',
    'pools',
    'quality',
    'rag',
    'sample',
    'studies',
    'systems',
    'terrier',
    'typing',
    'user_models',
)
_HOMES: dict[str, tuple[str, ...]] = {
    'evaluation.bounds': ('bounds',),
    'evaluation.diagnose': ('diagnose',),
    'evaluation.evaluate': ('evaluate',),
    'evaluation.scores': ('Scores',),
    'evaluation.ties': ('distinct_scores',),
    'explanation.explain': ('explain',),
    'explanation.sensitivity': ('sensitivity',),
    'io.runs': ('read_run', 'read_runs', 'write_run'),
    'judgments.hierarchy': ('build_hierarchy',),
    'judgments.intents': ('with_intents', 'with_subtopic_types', 'with_weights'),
    'judgments.nuggets': ('read_answers', 'read_nuggets', 'read_rag'),
    'judgments.qrels': ('read_qrels', 'topic_level', 'write_qrels'),
    'judgments.similarity': ('with_similarity',),
    'meta.comparison': ('compare',),
    'pools.pool': ('with_rareness',),
    'reporting': ('leaderboard',),
}
"""The modules of the public names that most users need, which are imported when they are first used. Other names are in
the modules of :data:`_MODULES`. ``python -m reference names`` writes ``__init__.pyi`` from this table."""
_REMOVED = {
    'Bounds': 'it is ir_divmeasures.evaluation.bounds.Bounds',
    'Curves': 'it is ir_divmeasures.evaluation.curves.Curves',
    'Diagnosis': 'it is ir_divmeasures.evaluation.diagnose.Diagnosis',
    'Joint': 'it is ir_divmeasures.evaluation.joint.Joint',
    'Sensitivity': 'it is ir_divmeasures.explanation.sensitivity.Sensitivity',
    'simulate_rare_common': "studies.paper('turkmen-2023', runs, qrels)['figure1'] has the simulation",
    'plot_user_models': 'the guide to user models draws it in a few lines',
    'report': 'leaderboard(runs, qrels, measures).write(path) writes the page',
    'own_adhoc_measures': 'this package always computes the ad-hoc measures that it knows. For the values of a '
    "provider of ir_measures, call ir_measures.providers.registry['pytrec_eval'].calc(…), or evaluate --provider",
}
"""What was public before, and what to use in its place."""
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

globals().update({name: getattr(_families, name) for name in _families.__all__})
__all__ = [  # noqa: PLE0604 (names all the same)
    'DivMeasuresWarning',
    'measure',
    'measures',
    'presets',
    'unregister_measure',
    *(name for name in _MODULES if name != 'typing'),
    *_MODULE_OF,
    *_families.__all__,
]


def __getattr__(name: str) -> _typing.Any:
    """What is imported when it is first used, and further names of measures."""
    if name in _MODULES:
        return _importlib.import_module(f'.{name}', __name__)
    if name in _MODULE_OF:
        module = _importlib.import_module(f'.{_MODULE_OF[name]}', __name__)
        globals()[name] = getattr(module, name)
        return globals()[name]
    if name in _registry.registry:
        return _registry.registry[name]
    return _missing_name(name)


def _missing_name(name: str) -> _typing.NoReturn:
    """Raise for a name that is not here; the message says where a name that was here is now."""
    research = (
        () if name.startswith('_') else ('judgments', 'pools', 'quality', 'rag', 'user_models')
    )
    for module in research:
        if name in _importlib.import_module(f'.{module}', __name__).__all__:
            _module_without(__name__, {name: f'import it from {__name__}.{module}'})(name)
    _module_without(__name__, _REMOVED)(name)


def __dir__() -> list[str]:
    return sorted(
        {*__all__, *_registry.registry, *(name for name in globals() if name.startswith('__'))}
    )


_plugin.note_import()
_plugin.patch_parsers()
_plugin.register_provider()
_plugin.register_sample()
