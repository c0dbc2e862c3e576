"""Outputs of reference programs, recorded on real data: the RBU authors' program, NTCIREVAL 190111. Those of ndeval are in
tests/test_cli.py.

The numbers are in ../shared (see its README for the commands that made them), not here.
"""

import ir_measures
import pandas as pd
import pytest

from ir_divmeasures import measures, read_run, with_weights
from ir_divmeasures.core.registry import parse

from .builders import expect_warning, judgment_table


def test_rbu_program_on_every_topic(shared, web_track):
    recorded = pd.read_csv(
        shared / 'data/rbu/bert_cw12_reinfo-2014.tsv', sep='\t', dtype={'query_id': str}
    )
    run = read_run(shared / 'data/runs/clueweb12/bert_cw12_reinfo.run.gz')
    asked = measures('RBU(p=0.8,e=0.03,norm=True)@100 RBU(p=0.99,e=0.05,norm=True)@100')
    result = ir_measures.iter_calc(asked, web_track(2014).qrels_iter(), run)
    ours = {(m.query_id, m.measure): m.value for m in result}
    assert len(recorded) == 50
    for column, measure in zip(('p0.8_e0.03', 'p0.99_e0.05'), asked):
        for query, value in zip(recorded['query_id'], recorded[column]):
            assert ours[query, measure] == pytest.approx(value, abs=0.5e-4 + 1e-9), (query, column)


OF_NTCIREVAL = [
    ('Dnev', 'I-rec'),
    ('Dnev', 'MSnDCG'),
    ('Dnev', 'Q'),
    ('Dnev', 'D#-nDCG'),
    ('Dnev', 'D#-Q'),
    ('nevIA', 'IA-MSnDCG'),
    ('nevIA', 'IA-Q'),
    ('nevIA', 'IA-ERR'),
    ('nevIA', 'IA-RBP'),
]
"""Tables and columns of NTCIREVAL; the names of the columns are understood as measures."""


def ntcir_judgments(path):
    """The judgments of a file with lines ``query intent document L<grade>``; 0 is no intent."""
    rows = [line.split() for line in path.read_text().splitlines()]
    return judgment_table([(q, d, int(level[1:]), t) for q, t, d, level in rows if t != '0'])


@pytest.mark.filterwarnings(
    'ignore:the weights of 1 of 3 queries do not sum to 1'
)  # two intents of 0002 unjudged
def test_ntcireval_on_every_topic(shared):
    folder = shared / 'data/ntcireval'
    weights = pd.read_csv(
        folder / 'Dtest.Iprob', sep=' ', names=['query_id', 'subtopic_id', 'weight'], dtype=str
    ).astype({'weight': float})
    with expect_warning('2 of 10 weighed subtopics'):
        qrels = with_weights(ntcir_judgments(folder / 'Dtest.Dqrels'), weights)
    run = read_run(folder / 'TRECRUN')
    recorded = pd.read_csv(folder / 'expected-l10.tsv', sep='\t', dtype={'topic': str})
    columns = list(zip(recorded['table'], recorded['measure'].str.partition('@')[0]))
    rows = [
        (row, parse(row.measure))
        for row, column in zip(recorded.itertuples(), columns)
        if column in OF_NTCIREVAL
    ]
    assert len(rows) == 3 * len(OF_NTCIREVAL)
    result = ir_measures.iter_calc([asked for _, asked in rows], qrels, run)
    ours = {(m.query_id, m.measure): m.value for m in result}
    for row, asked in rows:
        assert ours[row.topic, asked] == pytest.approx(row.value, abs=2e-4), row
