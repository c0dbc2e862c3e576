"""Agreement of judges: numbers of other programs, arithmetic, errors."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from ir_divmeasures.quality import judge_agreement

from .builders import over, refused

COLUMNS = ['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge']


def ratings_of_three(rng):
    """Up to three judges a document, who differ by at most two grades; documents of one judge are no cells."""
    rows = []
    for q in range(6):
        for d in range(5):
            true = rng.integers(0, 4)
            for judge in 'abc'[: 1 + (q + d) % 3]:
                rows.append(
                    (f'q{q}', f'd{d}', int(np.clip(true + rng.integers(-1, 2), 0, 4)), '1', judge)
                )
    return rows


ROWS = ratings_of_three(np.random.default_rng(11))
TABLE = pd.DataFrame(ROWS, columns=COLUMNS)


# nltk 3.10.4 on the cells of ROWS that several judges rated, items (query, doc):
#   AnnotationTask([(judge, (query, doc), grade), …], binary_distance).alpha(), and with interval_distance
@over('scale, value', [('nominal', 0.2500000000000001), ('interval', 0.6486615678776291)])
def test_alpha(scale, value):
    (row,) = judge_agreement(TABLE, 'alpha', scale).to_dict('records')
    assert row['value'] == pytest.approx(value, abs=1e-12)
    n_cells = sum(n > 1 for n in Counter((q, d) for q, d, *_ in ROWS).values())
    assert (row['judge'], row['other'], row['cells'], row['queries']) == (None, None, n_cells, 6)


@over('weights', [None, 'linear', 'quadratic'])
def test_kappa(weights):
    frame = judge_agreement(TABLE, 'kappa', weights=weights)
    assert frame[['judge', 'other']].to_numpy().tolist() == [['a', 'b'], ['a', 'c'], ['b', 'c']]
    # all grades from 0 to 4 occur between each two judges, so that places and grades differ alike
    grades = TABLE.pivot(index=['query_id', 'doc_id'], columns='judge', values='relevance')
    for row in frame.itertuples():
        both = grades[[row.judge, row.other]].dropna().to_numpy().T
        assert row.value == pytest.approx(cohen_kappa_score(*both, weights=weights), abs=1e-12)


@over('options', [{'scale': 'interval'}, {'coefficient': 'kappa', 'weights': 'quadratic'}])
def test_interval_leaves_out_each_query(options):
    whole = judge_agreement(TABLE, **options).iloc[0]
    without = [
        judge_agreement(TABLE[TABLE['query_id'] != f'q{q}'], **options)['value'][0]
        for q in range(6)
    ]
    se = math.sqrt(5 / 6 * sum((x - np.mean(without)) ** 2 for x in without))
    half = stats.t.ppf(0.975, 5) * se
    assert (whole['low'], whole['high']) == pytest.approx(
        (whole['value'] - half, whole['value'] + half)
    )
    wide = judge_agreement(TABLE, **options, confidence_level=0.99).iloc[0]
    assert wide['high'] - whole['value'] == pytest.approx(stats.t.ppf(0.995, 5) * se)


def test_cells_are_of_a_query_document_and_intent():
    """The same document for two intents and two queries: four cells. The unknown rating makes no cell."""
    rows = [
        ('q1', 'd', 1, '1', 'a'),
        ('q1', 'd', 1, '1', 'b'),
        ('q1', 'd', 0, '2', 'a'),
        ('q1', 'd', 0, '2', 'b'),
        ('q2', 'd', 1, '1', 'a'),
        ('q2', 'd', 0, '1', 'b'),
        ('q2', 'd', 1, '3', 'a'),
        ('q2', 'd', 0, '3', 'b'),
        ('q2', 'e', 1, '1', 'a'),
        ('q2', 'e', -1, '1', 'b'),
        ('q3', 'd', 1, '1', 'a'),
    ]
    (row,) = judge_agreement(pd.DataFrame(rows, columns=COLUMNS)).to_dict('records')
    assert (row['cells'], row['queries']) == (4, 2)
    assert row['value'] == pytest.approx(
        1 - (1 / 2) / (2 * 4 * 4 / (8 * 7))
    )  # four ones and four zeros


def test_agreement_of_one_grade_is_no_number():
    rows = [('q1', 'd', 2, '1', 'a'), ('q1', 'd', 2, '1', 'b')]
    row = judge_agreement(pd.DataFrame(rows, columns=COLUMNS)).iloc[0]
    assert row[['value', 'low', 'high']].isna().all()
    # without q2 only one grade is left: its part in the interval is unknown
    rows += [('q2', 'd', 2, '1', 'a'), ('q2', 'd', 1, '1', 'b')]
    row = judge_agreement(pd.DataFrame(rows, columns=COLUMNS), 'kappa').iloc[0]
    assert row['value'] == 0 and row[['low', 'high']].isna().all()


def test_judges_by_name():
    both = {'a': {'q': {'d1': 1, 'd2': 0}}, 'b': {'q': {'d1': 1, 'd2': 1}}}
    assert judge_agreement(both, 'kappa')[['judge', 'other', 'value']].to_numpy().tolist() == [
        ['a', 'b', 0.0]
    ]


@over(
    'options, says',
    [
        ({'coefficient': 'alfa'}, "coefficient='alfa': expected one of 'alpha', 'kappa'"),
        ({'scale': 'ratio'}, 'scale='),
        ({'weights': 'linear'}, "weights='linear' need coefficient='kappa'"),
        (
            {'coefficient': 'kappa', 'scale': 'interval'},
            "scale='interval' needs coefficient='alpha'",
        ),
        ({'coefficient': 'kappa', 'weights': 'cubic'}, "weights='cubic'"),
        ({'confidence_level': 1}, 'confidence_level=1'),
    ],
)
def test_what_is_wrong_is_said(options, says):
    refused(says, judge_agreement, TABLE, **options)
    refused('none of 10 ratings', judge_agreement, TABLE[TABLE['judge'] == 'c'])
