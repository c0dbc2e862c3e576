"""Where warnings point."""

import inspect
import warnings

from ir_divmeasures import errors, evaluate
from ir_divmeasures.errors import DivMeasuresWarning

from .builders import recorded_warnings

QRELS = {'q1': {'a': 1, 'b': 1}, 'q2': {'a': 1, 'b': 0}}
RUNS = {'A': {'q1': {'a': 2.0, 'b': 1.0}}, 'B': {'q1': {'b': 1.0}}}


def test_a_warning_of_evaluate_names_the_line_of_the_user():
    with recorded_warnings() as caught:
        evaluate(QRELS, RUNS, 'P@2')
        line = inspect.currentframe().f_lineno - 1
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)]


def test_other_warnings_belong_to_the_program_of_the_user():
    """Filters of ``__main__`` see them, and Python shows each of them as often as it is given."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('ignore')
        warnings.filterwarnings('default', module='__main__')
        for _ in range(2):
            errors.warn('a message')
        errors.warn('another', RuntimeWarning)
    assert [(str(w.message), w.category) for w in caught] == [
        ('a message', DivMeasuresWarning),
        ('a message', DivMeasuresWarning),
        ('another', RuntimeWarning),
    ]


def test_a_message_of_the_greatest_length_is_whole():
    message = ('x' * errors.LENGTH, UserWarning)
    assert errors.shortened([message]) == [message]
