"""Warnings point at the user's line, however deep they arise; errors about what was removed name what replaces it."""

import inspect
import warnings

import numpy as np

import ir_divmeasures
from ir_divmeasures import (
    Scores,
    axioms,
    errors,
    evaluate,
    judgments,
    meta,
    read_nuggets,
    sensitivity,
    user_models,
)
from ir_divmeasures.errors import DivMeasuresWarning
from ir_divmeasures.pools import analysis, repool

from .builders import over, recorded_warnings, refused

QRELS = {'q1': {'a': 1, 'b': 1}, 'q2': {'a': 1, 'b': 0}}
RUNS = {'A': {'q1': {'a': 2.0, 'b': 1.0}}, 'B': {'q1': {'b': 1.0}}}


TIED = Scores(np.ones((3, 4, 3)), tuple('ABC'), tuple('1234'), ('P@1', 'P@2', 'P@3'))

CASES = {
    'evaluate': lambda: evaluate(RUNS, QRELS, 'P@2'),
    'repool': lambda: repool(QRELS, RUNS, [1]),
    'meta.correlations': lambda: meta.correlations(TIED),
    'meta.discriminative_power': lambda: meta.discriminative_power(TIED, 't'),
}


@over('call', CASES.values())
def test_a_warning_names_the_line_of_the_user(call):
    with recorded_warnings() as caught:
        call()
    ours = [w for w in caught if issubclass(w.category, DivMeasuresWarning)]
    assert ours
    assert {(w.filename, w.lineno) for w in ours} == {(__file__, call.__code__.co_firstlineno)}


def test_warn_obeys_the_filters_of_the_users_module():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('ignore')
        warnings.filterwarnings('once', module=__name__)
        for _ in range(3):
            errors.warn('a message')
        errors.warn('another', RuntimeWarning)
    here = inspect.currentframe().f_lineno
    assert [(str(w.message), w.category) for w in caught] == [
        ('a message', DivMeasuresWarning),
        ('another', RuntimeWarning),
    ]
    assert all(w.filename == __file__ and w.lineno < here for w in caught)


REMOVED_NAMES = {
    ir_divmeasures: {'own_adhoc_measures': 'pytrec_eval', 'report': 'leaderboard'},
    axioms: {'prove': r'proofs\(\).*reference/proofs.py'},
    judgments: {'draw_hierarchy': 'the guide'},
    meta: {'Correlations': r'returns an ir_divmeasures\.results\.Result', 'simulate': 'recipes.md'},
    analysis: {'plot_rareness_by_query': 'draw the rareness of relevant_documents'},
    user_models: dict.fromkeys(
        ['plot_fit', 'as_continuation', 'as_stopping', 'observed_stopping', 'UserScores'], ''
    ),
}
REMOVED_PARAMETERS = {
    user_models.fit_stopping: ['reading', 'observed', 'n_resamples', 'folds', 'rng'],
    judgments.describe_hierarchy: ['orders'],
    read_nuggets: ['format'],
    sensitivity: ['prior'],
}


@over('module, name', [(m, name) for m, names in REMOVED_NAMES.items() for name in names])
def test_removed_names_say_what_replaces_them(module, name):
    said = f'{module.__name__} has no {name} any more; .*{REMOVED_NAMES[module][name]}'
    refused(said, getattr, module, name, error=ImportError)
    refused('no attribute', getattr, module, 'never', error=AttributeError)


@over('function, name', [(f, name) for f, names in REMOVED_PARAMETERS.items() for name in names])
def test_removed_parameters_say_what_replaces_them(function, name):
    said = f'{function.__name__} has no parameter {name} any more; '
    refused(said, function, error=TypeError, **{name: 1})
