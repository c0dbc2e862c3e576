"""Terms: measures of a user's own, measures declared from others."""

import numpy as np
import pytest

import ir_divmeasures
from ir_divmeasures import diagnose, evaluate, explain, measure, unregister_measure
from ir_divmeasures.core.kernels import discount
from ir_divmeasures.core.terms import Terms

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

QRELS = {'q': {'d1': {'1': 1}, 'd2': {'1': 1, '2': 1}}}
RUNS = {'mine': {'q': {'d1': 3.0, 'x': 2.0, 'd2': 1.0}}}


@pytest.fixture
def halves():
    @measure(family='mine', any_scale=True, cite='Amigo2018')
    def Halves(r, *, patience: float = 0.5):
        """Each rank counts a share of the one before it."""
        return Terms(r, r.relevant(), discount.geometric(r.rank, patience))

    yield Halves
    unregister_measure('Halves')


@pytest.mark.filterwarnings('error')
def test_a_measure_of_ones_own_has_what_ours_have(halves):
    """1/2 for aspect 1 at rank 1; 1/4 of each aspect at rank 3 of weight 1/2."""
    explained = explain(QRELS, RUNS, 'Halves@3', 'q')
    assert explained.table['contribution'].tolist()[0] == 0.5 and explained.says == ''
    assert explained.scores['mine'] == pytest.approx(0.75)
    mine = explained.table[explained.table['system'] == 'mine']
    assert mine['contribution'].sum() == pytest.approx(0.75)
    weighted = ir_divmeasures.with_weights(QRELS, {'q': {'1': 3.0, '2': 1.0}})
    evaluate(
        runs=RUNS, qrels=weighted, measures='Halves@3'
    )  # takes weights of any scale, as it says
    assert [each.key for each in halves.citation] == ['Amigo2018']


def test_weights_that_do_not_sum_to_one_are_said_of_a_measure_that_says_nothing():
    @measure
    def Plain(r):
        """The relevant documents."""
        return Terms(r, r.relevant(), np.ones(r.rank.shape))

    try:
        weighted = ir_divmeasures.with_weights(QRELS, {'q': {'1': 3.0, '2': 1.0}})
        assert 'Plain' in diagnose(weighted, RUNS, 'Plain@3').questions[0]
    finally:
        unregister_measure('Plain')
