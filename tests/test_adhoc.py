"""Ad-hoc measures computed on the aligned run have the values of the hosts that compute them."""

import shutil

import ir_measures
import pandas as pd
import pytest
from ir_measures import ERR, Judged, P, nDCG

from ir_divmeasures import evaluate, measures
from ir_divmeasures.data.judgments import Judgments
from ir_divmeasures.evaluation.adhoc import AdHoc
from ir_divmeasures.evaluation.provider import Evaluator

from .builders import over
from .test_differential import ADHOC as MEASURES
from .test_differential import by_document

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

GDEVAL = measures("nDCG(dcg='exp-log2')@1 nDCG(dcg='exp-log2')@5 ERR@1 ERR@10")


def computed(asked, qrels, run):
    return {(m.query_id, str(m.measure)): m.value for m in Evaluator(asked, qrels).iter_calc(run)}


def collection(seed):
    """Random judgments of documents and a run, as in test_differential; gdeval takes numbers as ids of queries."""
    qrels, run = (
        table.assign(query_id=table['query_id'].str[1:]) for table in by_document(seed, 6)
    )
    return qrels, run


def test_measures_that_are_computed_here():
    judged = Judgments.of(collection(0)[0])
    assert not AdHoc([*MEASURES, *GDEVAL], judged).rest


@pytest.mark.skipif(shutil.which('perl') is None, reason='gdeval is a Perl program')
@over('seed', range(3))
def test_values_of_gdeval(seed, monkeypatch):
    """The other hosts are in test_differential."""
    qrels, run = collection(seed)
    ours = computed(GDEVAL, qrels, run)
    with monkeypatch.context() as patch:
        patch.setattr('ir_divmeasures.evaluation.adhoc.HOSTS', [])
        assert ours == computed(GDEVAL, qrels, run)


@over(
    'measure',
    [
        P(rel=0) @ 5,
        nDCG(gains={1: 0.5}) @ 5,
        ir_measures.Bpref,
        ir_measures.NumRet,
        ir_measures.SetF,
    ],
)
def test_what_is_left_to_the_hosts(measure):
    assert AdHoc([measure], Judgments.of(collection(1)[0])).rest == [measure]


def test_grades_that_gdeval_refuses_are_left_to_it():
    high = Judgments.of({'q': {'d': 5}})
    assert AdHoc([ERR @ 5, nDCG @ 5], high).rest == [ERR @ 5]


def test_grades_below_zero_and_layers():
    """Judged and judged_only count them, unlike judged_only of trec_eval; of several layers the official one counts."""
    qrels = pd.DataFrame(
        [('q', 'a', -1, 0), ('q', 'b', 1, 0), ('q', 'c', 1, 1)],
        columns=['query_id', 'doc_id', 'relevance', 'layer'],
    )
    found = computed(
        [Judged @ 3, P(judged_only=True) @ 1, P @ 2], qrels, {'q': {'a': 3.0, 'c': 2.5, 'b': 2.0}}
    )
    assert found == {
        ('q', 'Judged@3'): 2 / 3,
        ('q', 'P(judged_only=True)@1'): 0.0,
        ('q', 'P@2'): 0.0,
    }
    # In IA, a is judged not relevant: Bpref of b is 1 − 1/1, and would be 1 if a were unjudged.
    found = computed(
        ["IA(M='Bpref')", "IA(M='P@2')"], qrels[:2].assign(layer=1), {'q': {'a': 2.0, 'b': 1.0}}
    )
    assert [*found.values()] == [0.0, 0.5]


def test_judged_means_has_a_row():
    """A document graded below 0 is judged, and not relevant, for ad-hoc and for intent-aware measures alike."""
    qrels = {'q': {'spam': {'1': -2}, 'a': {'1': 1}, 'b': {'1': 0}, 'c': {'1': 1}}}
    run = {'q': {'x': 9.0, 'spam': 8.0, 'a': 7.0, 'y': 6.0, 'b': 5.0, 'c': 4.0}}
    for k in range(1, 5):
        alone, aware = evaluate(
            qrels, run, f'P(judged_only=True)@{k} P_IA(judged_only=True)@{k}'
        ).values[0, 0]
        assert alone == aware == [0, 1 / 2, 1 / 3, 2 / 4][k - 1]


def test_scores_that_are_equal_in_32_bits_tie():
    """Below the top too, as in trec_eval, which orders ties by document id, descending."""
    run = {'q': {'x': 9.0, 'a': 1 + 1e-12, 'b': 1.0}}
    assert evaluate({'q': {'b': 1}}, run, 'RR').values.item() == 1 / 2
