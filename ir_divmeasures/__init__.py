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
from .families import *  # noqa: F403

if _typing.TYPE_CHECKING:
    from . import axioms, meta, sample, studies, systems, terrier, user_models
    from . import typing as typing
    from .evaluation.bounds import Bounds, bounds
    from .evaluation.checks import distinct_scores
    from .evaluation.coverage import intents_found
    from .evaluation.curves import Curves
    from .evaluation.diagnose import Diagnosis, diagnose
    from .evaluation.evaluate import evaluate
    from .evaluation.joint import Joint, joint
    from .evaluation.judge_agreement import judge_agreement
    from .evaluation.judge_noise import resample_judges
    from .evaluation.scores import Scores
    from .evaluation.subtopic_quality import calibrate_cutoff, subtopic_agreement
    from .evaluation.support import aer, citation_support, f1
    from .explanation.explain import explain
    from .explanation.sensitivity import Sensitivity, sensitivity
    from .families import MAP_IA as MAP_IA
    from .families import I_rec as I_rec
    from .families import S_Recall as S_Recall
    from .families import α_DCG as α_DCG
    from .families import α_nDCG as α_nDCG
    from .io.budgets import with_lengths, within_budget
    from .io.runs import read_run, read_runs, write_run
    from .judgments.fingerprints import with_fingerprints
    from .judgments.hierarchy import build_hierarchy
    from .judgments.intents import (
        with_aspects_from,
        with_intents,
        with_subtopic_types,
        with_weights,
    )
    from .judgments.judges import aggregate_judges
    from .judgments.memberships import read_groups
    from .judgments.nuggets import read_answers, read_nuggets
    from .judgments.qrels import read_qrels, topic_level, write_qrels
    from .judgments.rag import Rag, read_rag
    from .judgments.repool import repool
    from .judgments.similarity import Matrix, Vectors, with_similarity
    from .judgments.superintents import cluster_intents, with_superintents
    from .judgments.views import describe_hierarchy, draw_hierarchy, hierarchy_tree
    from .pools.pool import Pool, with_rareness
    from .reporting import report
    from .user_models import (
        fit_stopping,
        plot_user_models,
        register_aggregation,
        register_continuation,
        register_effort,
        register_stopping,
        unregister_aggregation,
        unregister_continuation,
        unregister_effort,
        unregister_stopping,
        weighted_pairs,
    )

__version__ = '0.1.0'
__all__ = [
    'Bounds',
    'Curves',
    'Diagnosis',
    'DivMeasuresWarning',
    'Joint',
    'Matrix',
    'Pool',
    'Rag',
    'Scores',
    'Sensitivity',
    'Vectors',
    'aer',
    'aggregate_judges',
    'axioms',
    'bounds',
    'build_hierarchy',
    'calibrate_cutoff',
    'citation_support',
    'cluster_intents',
    'describe_hierarchy',
    'diagnose',
    'distinct_scores',
    'draw_hierarchy',
    'evaluate',
    'explain',
    'f1',
    'fit_stopping',
    'hierarchy_tree',
    'intents_found',
    'joint',
    'judge_agreement',
    'measure',
    'measures',
    'meta',
    'plot_user_models',
    'presets',
    'read_answers',
    'read_groups',
    'read_nuggets',
    'read_qrels',
    'read_rag',
    'read_run',
    'read_runs',
    'register_aggregation',
    'register_continuation',
    'register_effort',
    'register_stopping',
    'repool',
    'report',
    'resample_judges',
    'sample',
    'sensitivity',
    'studies',
    'subtopic_agreement',
    'systems',
    'terrier',
    'topic_level',
    'unregister_aggregation',
    'unregister_continuation',
    'unregister_effort',
    'unregister_measure',
    'unregister_stopping',
    'user_models',
    'weighted_pairs',
    'with_aspects_from',
    'with_fingerprints',
    'with_intents',
    'with_lengths',
    'with_rareness',
    'with_similarity',
    'with_subtopic_types',
    'with_superintents',
    'with_weights',
    'within_budget',
    'write_qrels',
    'write_run',
]
__all__ += _families.__all__

_MODULES = ('axioms', 'meta', 'sample', 'studies', 'systems', 'terrier', 'typing', 'user_models')
_HOMES = {
    'evaluation.bounds': ('Bounds', 'bounds'),
    'evaluation.checks': ('distinct_scores',),
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
    'explanation.explain': ('explain',),
    'explanation.sensitivity': ('Sensitivity', 'sensitivity'),
    'io.budgets': ('with_lengths', 'within_budget'),
    'io.runs': ('read_run', 'read_runs', 'write_run'),
    'judgments.fingerprints': ('with_fingerprints',),
    'judgments.hierarchy': ('build_hierarchy',),
    'judgments.intents': (
        'with_aspects_from',
        'with_intents',
        'with_subtopic_types',
        'with_weights',
    ),
    'judgments.judges': ('aggregate_judges',),
    'judgments.memberships': ('read_groups',),
    'judgments.nuggets': ('read_answers', 'read_nuggets'),
    'judgments.qrels': ('read_qrels', 'topic_level', 'write_qrels'),
    'judgments.rag': ('Rag', 'read_rag'),
    'judgments.repool': ('repool',),
    'judgments.similarity': ('Matrix', 'Vectors', 'with_similarity'),
    'judgments.superintents': ('cluster_intents', 'with_superintents'),
    'judgments.views': ('describe_hierarchy', 'draw_hierarchy', 'hierarchy_tree'),
    'pools.pool': ('Pool', 'with_rareness'),
    'reporting': ('report',),
    'user_models': (
        'fit_stopping',
        'plot_user_models',
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
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
_REMOVED = {
    'simulate_rare_common': 'call studies.rare_common.simulate_rare_common',
    'own_adhoc_measures': 'this package always computes the ad-hoc measures that it knows. For the values of a '
    "provider of ir_measures, call ir_measures.providers.registry['pytrec_eval'].calc(…), or evaluate --provider",
}


if not _typing.TYPE_CHECKING:  # with it, any misspelt name would be right for a type checker

    def __getattr__(name: str) -> _typing.Any:
        """What is imported when it is first used: ``import ir_divmeasures`` stays light. Further names of measures."""
        if name in _MODULES:
            return _importlib.import_module(f'.{name}', __name__)
        if name in _HOME_OF:
            globals()[name] = value = getattr(
                _importlib.import_module(f'.{_HOME_OF[name]}', __name__), name
            )
            return value
        if name in _registry.registry:
            return _registry.registry[name]
        if name in _REMOVED:
            raise AttributeError(f'{__name__}.{name} is gone: {_REMOVED[name]}')
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    return sorted(
        {*__all__, *_registry.registry, *(name for name in globals() if name.startswith('__'))}
    )


_plugin.patch_parsers()
_plugin.register_provider()
_plugin.register_sample()
