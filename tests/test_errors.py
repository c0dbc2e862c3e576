"""Warnings point at the user's line, however deep they arise."""

import inspect
import warnings

import numpy as np

from ir_divmeasures import Scores, errors, evaluate, meta
from ir_divmeasures.errors import DivMeasuresWarning
from ir_divmeasures.pools import repool

from .builders import over, recorded_warnings

QRELS = {'q1': {'a': 1, 'b': 1}, 'q2': {'a': 1, 'b': 0}}
RUNS = {'A': {'q1': {'a': 2.0, 'b': 1.0}}, 'B': {'q1': {'b': 1.0}}}


TIED = Scores(np.ones((3, 4, 3)), tuple('ABC'), tuple('1234'), ('P@1', 'P@2', 'P@3'))

CASES = {
    'evaluate': lambda: evaluate(QRELS, RUNS, 'P@2'),
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
