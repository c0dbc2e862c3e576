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
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import hosts as _hosts

# isort: split
from . import families as _families
from . import presets, user_models
from .core import registry as _registry
from .core.registry import measure, measures, unregister_measure
from .errors import DivMeasuresWarning
from .errors import warn as _warn
from .evaluation.adhoc import own_adhoc_measures
from .evaluation.checks import distinct_scores
from .evaluation.coverage import intents_found
from .evaluation.diagnose import Diagnosis, diagnose
from .evaluation.evaluate import evaluate
from .evaluation.judge_noise import resample_judges
from .evaluation.provider import DivMeasuresProvider as _DivMeasuresProvider
from .evaluation.scores import Scores
from .families import *  # noqa: F403
from .hosts import ir_measures as _host
from .io.budgets import with_lengths, within_budget
from .io.runs import read_run, read_runs
from .judgments.fingerprints import with_fingerprints
from .judgments.hierarchy import build_hierarchy
from .judgments.intents import with_aspects_from, with_intents, with_subtopic_types, with_weights
from .judgments.judges import aggregate_judges
from .judgments.nuggets import read_answers, read_nuggets
from .judgments.qrels import read_qrels, topic_level, write_qrels
from .judgments.repool import repool
from .judgments.similarity import with_similarity
from .judgments.superintents import cluster_intents, with_superintents
from .judgments.views import describe_hierarchy, draw_hierarchy, hierarchy_tree
from .pools.pool import Pool, with_rareness
from .user_models import (
    fit_stopping,
    plot_user_models,
    register_continuation,
    register_effort,
    register_stopping,
    unregister_continuation,
    unregister_effort,
    unregister_stopping,
    weighted_pairs,
)

if _TYPE_CHECKING:
    from . import axioms, meta, studies, systems, terrier
    from .evaluation.bounds import Bounds, bounds
    from .explanation.explain import explain
    from .pools.analysis import simulate_rare_common
    from .reporting import report

__version__ = '0.1.0'
__all__ = ['Bounds', 'Diagnosis', 'DivMeasuresWarning', 'Pool', 'Scores', 'aggregate_judges', 'axioms', 'bounds',
           'build_hierarchy', 'cluster_intents', 'describe_hierarchy', 'diagnose', 'distinct_scores', 'draw_hierarchy',
           'evaluate', 'explain', 'fit_stopping', 'hierarchy_tree', 'intents_found', 'measure', 'measures', 'meta',
           'own_adhoc_measures', 'plot_user_models', 'presets', 'read_answers', 'read_nuggets', 'read_qrels',
           'read_run', 'read_runs', 'register_continuation', 'register_effort', 'register_stopping', 'repool', 'report',
           'resample_judges', 'sample', 'simulate_rare_common', 'studies', 'systems', 'terrier', 'topic_level',
           'unregister_continuation', 'unregister_effort', 'unregister_measure', 'unregister_stopping', 'user_models',
           'weighted_pairs', 'with_aspects_from', 'with_fingerprints', 'with_intents', 'with_lengths', 'with_rareness',
           'with_similarity', 'with_subtopic_types', 'with_superintents', 'with_weights', 'within_budget',
           'write_qrels']
__all__ += _families.__all__

_LAZY = ('axioms', 'meta', 'studies', 'systems', 'terrier')
_LAZY_FUNCTIONS = {'Bounds': '.evaluation.bounds', 'bounds': '.evaluation.bounds',
                   'explain': '.explanation.explain', 'report': '.reporting', 'simulate_rare_common': '.pools.analysis'}


def __getattr__(name: str) -> _Any:
    """What is imported when it is first used: ``import ir_divmeasures`` stays light. Further names of measures."""
    if name in _LAZY:
        return _importlib.import_module(f'.{name}', __name__)
    if name in _LAZY_FUNCTIONS:
        return getattr(_importlib.import_module(_LAZY_FUNCTIONS[name], __name__), name)
    if name in _registry.registry:
        return _registry.registry[name]
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    return sorted({*__all__, *_registry.registry, *(name for name in globals() if name.startswith('__'))})


_host.understand(_registry.parse_all)
_host.put(_DivMeasuresProvider())  # type: ignore[no-untyped-call]
try:
    _hosts.check_ir_datasets()
    from . import sample
    sample.register()
except OSError as error:  # importing ir_datasets makes its home folder
    _warn(f'ir_datasets cannot be used, nor the sample collection: {error} (IR_DATASETS_HOME names '
          f'another home folder)')
