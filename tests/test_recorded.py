"""Outputs of reference programs, recorded on real data: ndeval 4.5, the RBU authors' program, NTCIREVAL 190111.

The numbers are in ../shared (see its README for the commands that made them), not here.
"""

import csv

import ir_measures
import pandas as pd
import pytest

from ir_divmeasures import measures, read_run, with_weights
from ir_divmeasures.core.names import TABLE
from ir_divmeasures.core.registry import parse

from .builders import expect_warning, judgment_table, over


def of_ndeval(column, **params):
    """The measure that is understood by the name of ndeval's column, with ndeval's parameters."""
    made = parse(column)
    return made(**{name: x for name, x in params.items() if name in made.SUPPORTED_PARAMS})


@over(
    'file, year, run, alpha, beta',
    [
        ('indri-baseline-2011', 2011, 'indri-baseline-2011', 0.5, 0.5),
        ('indri-baseline-2012', 2012, 'indri-baseline-2012', 0.5, 0.5),
        ('indri-ql-cata-filtered-2012', 2012, 'indri-ql-cata-filtered-2012', 0.5, 0.5),
        ('indri-baseline-2011-alpha0.25-beta0.8', 2011, 'indri-baseline-2011', 0.25, 0.8),
    ],
)
def test_ndeval_on_every_topic(shared, web_qrels, file, year, run, alpha, beta):
    with open(shared / 'data/ndeval' / f'{file}.csv') as lines:
        rows = [row for row in csv.DictReader(lines) if row['topic'] != 'amean']
    # ndeval's -alpha reaches ERR-IA and nERR-IA too; by their ir_measures names these have no alpha, but 0.5.
    columns = [
        c for c in rows[0] if c not in ('runid', 'topic') and not (alpha != 0.5 and 'ERR' in c)
    ]
    assert {c.partition('@')[0] for c in columns} <= set(TABLE['ndeval']) and len(columns) > 10
    names = {c: of_ndeval(c, alpha=alpha, beta=beta) for c in columns}
    result = ir_measures.iter_calc(
        list(names.values()),
        web_qrels(year),
        read_run(shared / 'data/runs/clueweb09' / f'{run}.run.gz'),
    )
    ours = {(m.query_id, m.measure): m.value for m in result}
    off = [
        (row['topic'], c, float(row[c]), ours[row['topic'], names[c]])
        for row in rows
        for c in columns
        if abs(float(row[c]) - ours[row['topic'], names[c]]) > 0.5e-6 + 1e-9
    ]
    assert len(rows) >= 48 and not off, off[:5]


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
