"""Diversity, novelty, innovation and user-model measures for ir_measures and PyTerrier.

Importing this package registers its measures and its provider with ir_measures::

    >>> import ir_measures, ir_divmeasures
    >>> ir_measures.parse_measure('RBU(p=0.99,e=0.05)@20')
    RBU(p=0.99,e=0.05)@20

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

_MODULES = ('axioms', 'meta', 'sample', 'studies', 'systems', 'terrier', 'typing', 'user_models')
_HOMES: dict[str, tuple[str, ...]] = {
    'evaluation.bounds': ('Bounds', 'bounds'),
    'evaluation.coverage': ('intents_found',),
    'evaluation.curves': ('Curves',),
    'evaluation.diagnose': ('Diagnosis', 'diagnose'),
    'evaluation.evaluate': ('evaluate',),
    'evaluation.joint': ('Joint', 'joint'),
    'evaluation.judge_agreement': ('judge_agreement',),
    'evaluation.judge_noise': ('resample_judges',),
    'evaluation.scores': ('Scores',),
    'evaluation.subtopic_quality': ('calibrate_cutoff', 'subtopic_agreement'),
    'evaluation.support': ('aer', 'citation_support', 'f1'),
    'evaluation.ties': ('distinct_scores',),
    'explanation.explain': ('explain',),
    'explanation.sensitivity': ('Sensitivity', 'sensitivity'),
    'io.budgets': ('with_lengths', 'within_budget'),
    'io.runs': ('read_run', 'read_runs', 'write_run'),
    'judgments.hierarchy': ('build_hierarchy',),
    'judgments.intents': (
        'with_aspects_from',
        'with_intents',
        'with_subtopic_types',
        'with_weights',
    ),
    'judgments.judges': ('aggregate_judges',),
    'judgments.memberships': ('read_groups',),
    'judgments.nuggets': ('Rag', 'read_answers', 'read_nuggets', 'read_rag'),
    'judgments.qrels': ('read_qrels', 'topic_level', 'write_qrels'),
    'judgments.repool': ('repool',),
    'judgments.similarity': ('Matrix', 'Vectors', 'with_fingerprints', 'with_similarity'),
    'judgments.superintents': ('cluster_intents', 'with_superintents'),
    'judgments.views': ('describe_hierarchy', 'draw_hierarchy', 'hierarchy_tree'),
    'pools.pool': ('Pool', 'with_rareness'),
    'reporting': ('leaderboard',),
    'user_models': (
        'fit_stopping',
        'register_aggregation',
        'register_continuation',
        'register_effort',
        'register_stopping',
        'unregister_aggregation',
        'unregister_continuation',
        'unregister_effort',
        'unregister_stopping',
        'weighted_pairs',
    ),
}
"""The modules of the public names, which are imported when they are first used. ``python -m reference stubs`` writes
``__init__.pyi`` from this table."""
_REMOVED = {
    'simulate_rare_common': 'call studies.rare_common.simulate_rare_common',
    'plot_user_models': 'the guide to user models draws it in a few lines',
    'report': 'leaderboard(runs, qrels, measures).write(path) writes the page',
    'own_adhoc_measures': 'this package always computes the ad-hoc measures that it knows. For the values of a '
    "provider of ir_measures, call ir_measures.providers.registry['pytrec_eval'].calc(…), or evaluate --provider",
}
"""What was public before, and what to use in its place."""
_missing = _module_without(__name__, _REMOVED)
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
    return _missing(name)


def __dir__() -> list[str]:
    return sorted(
        {*__all__, *_registry.registry, *(name for name in globals() if name.startswith('__'))}
    )


_plugin.note_import()
_plugin.patch_parsers()
_plugin.register_provider()
_plugin.register_sample()
