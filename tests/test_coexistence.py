"""Installing this package changes no number of the hosts; importing it, or naming a measure of it, does, and says so."""

import json

from benchmarks import coexistence

from .builders import QUICK, over
from .fresh import printed

PLUGIN = 'import pyterrier, ir_divmeasures_plugin; ir_divmeasures_plugin.terrier(); import pandas'
CODE = '''
import json, sys, warnings, ir_measures, pandas as pd
from ir_measures import ERR, P, nDCG
judged = pd.DataFrame([('1', 'd1', 1, '1'), ('1', 'd1', 0, '2'), ('1', 'd2', 1, '2')],
                      columns=['query_id', 'doc_id', 'relevance', 'subtopic_id'])
run = {'1': {'d1': 2.0, 'd3': 1.0}}
def said(*measures, qrels=judged):
    """P@1, and the number of warnings that ad-hoc measures are ours. d1 is relevant to one of two subtopics, and the
    hosts take its last row."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        found = ir_measures.calc_aggregate([P @ 1, *measures], qrels, run)
    return found[P @ 1], sum(each.category.__name__ == 'JudgmentsWarning' for each in caught)
'''


def outcomes_of_forks():
    """The outcomes on inputs without faults, in processes that other tests have started where there are such."""
    return {
        state: json.loads(
            printed(
                f'{"import ir_divmeasures" * (state == "imported")}\n'
                'from benchmarks.coexistence import print_outcomes\n'
                f'print_outcomes({state != "imported"}, True)',
                first=coexistence.WITHOUT if state == 'without' else PLUGIN,
            ).splitlines()[-1]
        )
        for state in coexistence.STATES
    }


@QUICK
def test_installing_changes_no_outcome_and_importing_none_without_subtopics(quick):
    found = outcomes_of_forks() if quick else coexistence.outcomes()
    compared = coexistence.differences(found)
    assert not any(compared.values()), compared
    values = {told[0] for told in found['without'].values()}
    assert len(values) > (20 if quick else 300)
    assert quick or len(found['without']) > 700 and len(found['imported']) > 300
    assert quick or sum('Error' in each for each in values) > 3


@over(
    'then, loads, numbers',
    [
        ('', False, (0.0, 0)),
        ('import ir_datasets', True, (0.0, 0)),
        ('from pyterrier.measures import *', True, (0.0, 0)),
        ('ir_measures.parse_measure("RBU@20")', True, (0.0, 0)),
        ('said(ir_measures.RBU)', True, (0.0, 0)),  # an earlier call
        ('import ir_divmeasures', True, (1.0, 1)),
        ('import ir_datasets; import ir_divmeasures', True, (1.0, 1)),
        ('ir_measures.RBU; (lambda: __import__("ir_divmeasures"))()', True, (1.0, 1)),
        ('ir_measures.RBU; from ir_divmeasures import RBU', True, (1.0, 1)),
        ('import pyterrier as pt; pt.divmeasures.get_qrels', True, (1.0, 1)),
    ],
)
def test_ad_hoc_measures_are_ours_after_an_import_by_the_user(then, loads, numbers):
    code = f'{CODE}\n{then}\nprint([said(), "ir_divmeasures" in sys.modules, said()[1]])'
    assert printed(code, first=PLUGIN) == str([numbers, loads, 0])


def test_a_measure_of_ours_in_the_call():
    """The call itself is on the topic level, and says so once; the next one is the host's again."""
    code = f'{CODE}\nRBU = ir_measures.RBU\nprint([said(RBU), said(RBU), said()])'
    assert printed(code, first=PLUGIN) == '[(1.0, 1), (1.0, 0), (0.0, 0)]'


@over('form', ['judged', 'list(rows)', 'iter(list(rows))', '{"1": {"d1": {"1": 1, "2": 0}}}'])
def test_forms_of_judgments_with_subtopics(form):
    code = f'{CODE}\nimport ir_divmeasures\nrows = (ir_measures.Qrel(q, d, g, s) for q, d, g, s in judged.to_numpy())'
    assert printed(f'{code}\nprint(said(qrels={form}))', first=PLUGIN) == '(1.0, 1)'


@over('id, perl', [('q1', True), ('1', False)])
def test_what_gdeval_cannot_compute_is_ours(id, perl):
    """(2 − 1)/2⁴ at rank 1."""
    code = f'''
import shutil, warnings, ir_measures
{'' if perl else 'shutil.which = lambda name: None'}
print(ir_measures.ERR(cutoff=5).calc_aggregate({{'{id}': {{'d': 1}}}}, {{'{id}': {{'d': 1.0}}}}))'''
    assert printed(code, first=PLUGIN) == '0.0625'


def test_a_query_on_which_trec_eval_ends_the_process():
    code = '''
import ir_measures
from ir_measures import P
for qrels in ({'1': {'d': -2}}, [ir_measures.Qrel('1', 'd', -2)]):
    print((P @ 1).calc_aggregate(qrels, {'1': {'d': 1.0}}))'''
    assert printed(code, first=PLUGIN).split() == ['0.0', '0.0']
