"""Means from an LLM's judgments on all queries and human ones on some: numbers of ppi_py, arithmetic, errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ir_divmeasures import Scores, meta
from ir_divmeasures.results.estimates import bounded

from .builders import expect_warning, over, refused

Y = np.array([0.2, 0.5, 0.1, 0.9, 0.4, 0.6, 0.3, 0.8, 0.7, 0.5])
F = np.array([0.3, 0.4, 0.2, 0.8, 0.6, 0.5, 0.3, 0.9, 0.6, 0.7])
G = np.array([0.5, 0.1, 0.9, 0.4, 0.3, 0.7, 0.6, 0.2, 0.8, 0.5, 0.35, 0.65, 0.45, 0.55, 0.25])


def human(y):
    return Scores(y[None], ('system1',), tuple(str(q + 1) for q in range(len(y))))


def powered(y, f=F, g=G, **options):
    return (
        meta.prediction_powered(np.concatenate([f, g])[None], human(y), **options)
        .to_frame()
        .iloc[0]
    )


# ppi-python 0.2.3 (which needs numba, and so is in no extra):
#   from ppi_py import ppi_mean_pointestimate; ppi_mean_pointestimate(Y, F, G, lam=lam)
@over(
    'y, weight, value',
    [
        (Y, 'fitted', 0.47373253),
        (Y, 1, 0.45333333),
        (Y, 0.5, 0.47666667),
        (Y, 0, 0.5),
        (1 - F, 'fitted', 0.47),
        (3 * F, 'fitted', 1.54333333),
    ],
)  # λ is cut to 0 and to 1
def test_point_estimates_of_ppi_py(y, weight, value):
    assert powered(y, weight=weight)['mean'] == pytest.approx(value, abs=1e-8)


def literal(y, f, g):
    """PPI++ as it is printed, number by number: the estimate and λ."""
    n, N = len(y), len(g)
    covariance = sum((a - np.mean(y)) * (b - np.mean(f)) for a, b in zip(y, f)) / n
    both = [*f, *g]
    variance = sum((b - np.mean(both)) ** 2 for b in both) / (n + N - 1)
    share = min(max(covariance / ((1 + n / N) * variance), 0), 1)
    return share * np.mean(g) + sum(a - share * b for a, b in zip(y, f)) / n, share


def test_interval_by_leaving_out_each_query():
    row, (value, share) = powered(Y), literal(Y, F, G)
    without = [literal(np.delete(Y, q), np.delete(F, q), G)[0] for q in range(10)]
    se2 = 9 / 10 * sum((x - np.mean(without)) ** 2 for x in without) + share**2 * G.var(ddof=1) / 15
    _, low, high, _ = bounded(value, se2**0.5, 10)
    assert (row['mean'], row['weight']) == pytest.approx((value, share))
    assert (row['low'], row['high']) == pytest.approx((low, high))
    assert (row['human'], row['llm'], row['bias'], row['n'], row['queries']) == pytest.approx(
        (Y.mean(), np.concatenate([F, G]).mean(), 0.03, 10, 25)
    )
    high90 = bounded(value, se2**0.5, 10, confidence_level=0.9).high
    assert powered(Y, confidence_level=0.9)['high'] == pytest.approx(high90)
    # scores above 1 by an unknown measure: no range is known, and the interval is that of t
    far, half = powered(2 * Y + 1, 2 * F + 1, 2 * G + 1), stats.t.ppf(0.975, 9) * 2 * se2**0.5
    assert (far['low'], far['high']) == pytest.approx((2 * value + 1 - half, 2 * value + 1 + half))


def test_all_queries_labelled_is_the_human_mean_with_its_interval():
    row = powered(Y, g=G[:0])
    _, low, high, _ = bounded(0.5, Y.std(ddof=1) / 10**0.5, 10)
    assert (row['mean'], row['low'], row['high'], row['weight']) == pytest.approx(
        (0.5, low, high, 0)
    )


def test_the_sentence_compares_widths():
    result = meta.prediction_powered(np.concatenate([F, G])[None], human(Y))
    row, alone = powered(Y), powered(Y, g=G[:0])
    assert result.narrower == pytest.approx(
        (row['high'] - row['low']) / (alone['high'] - alone['low'])
    )
    assert f'{result.narrower:.2f} times as wide as those by the 10 human' in ' '.join(
        str(result).split()
    )


def test_differences_are_estimated_from_differences():
    rng = np.random.default_rng(0)
    llm = Scores(
        rng.random((3, 30, 2)), ('a', 'b', 'c'), tuple(f'q{i}' for i in range(30)), ('M', 'N')
    )
    labelled = llm.queries[5:17]
    people = Scores(rng.random((3, 12, 2)), llm.systems, labelled, llm.measures)
    # names decide, not places
    shuffled = people.select(systems=('c', 'a', 'b'), queries=labelled[::-1], measures=('N', 'M'))
    frame = (
        meta.prediction_powered(llm, shuffled, baseline='b', correction=None)
        .to_frame()
        .set_index(['measure', 'system'])
    )
    others = [q for q in llm.queries if q not in labelled]
    for measure, system in (('M', 'a'), ('N', 'c')):
        (y, f, g) = (
            source.select(systems=(system, 'b'), queries=part)[measure]
            for source, part in ((people, labelled), (llm, labelled), (llm, others))
        )
        alone = powered(y[0] - y[1], f[0] - f[1], g[0] - g[1])
        row = frame.loc[(measure, system)]
        assert row[['difference', 'difference_low', 'difference_high']].tolist() == pytest.approx(
            alone[['mean', 'low', 'high']].tolist()
        )
        t = alone['mean'] / (alone['high'] - alone['mean']) * stats.t.ppf(0.975, 11)
        assert row['pvalue'] == pytest.approx(2 * stats.t.sf(abs(t), 11))
    assert frame.loc[('M', 'b')][['difference', 'pvalue']].isna().all()
    corrected = (
        meta.prediction_powered(llm, people, baseline='b')
        .to_frame()
        .set_index(['measure', 'system'])['pvalue']
    )
    for measure in ('M', 'N'):
        plain = sorted(frame.loc[measure]['pvalue'].dropna())
        assert sorted(corrected.loc[measure].dropna()) == pytest.approx(
            [min(2 * plain[0], 1), min(max(2 * plain[0], plain[1]), 1)]
        )


@over(
    'people, options, says',
    [
        (Scores([[0.1, 0.2]], ('system1',), ('99', '1')), {}, "query '99' is not among the 25"),
        (
            Scores([[0.1, 0.2]], ('other',), ('1', '2')),
            {},
            'same systems; other, system1 in one of',
        ),
        (human(Y[:1]), {}, '1 query, expected at least two'),
        (human(Y), {'weight': 2}, 'weight=2'),
        (human(Y), {'weight': 'none'}, "weight='none'"),
        (human(Y), {'baseline': 'system9'}, "no system 'system9'"),
        (human(Y), {'correction': 'tukey'}, 'correction='),
        (human(Y), {'confidence_level': 95}, 'confidence_level=95'),
    ],
)
def test_what_is_wrong_is_said(people, options, says):
    refused(says, meta.prediction_powered, np.concatenate([F, G])[None], people, **options)


def test_few_human_queries_are_a_warning():
    with expect_warning('rest on 9 human-labelled queries only'):
        powered(Y[:9], F[:9])


def test_scores_in_tables():
    value = np.concatenate([F, G])
    frame = pd.DataFrame({'system': 'a', 'query_id': np.arange(25), 'measure': 'M', 'value': value})
    found = meta.prediction_powered(frame, frame.head(10).assign(value=Y)).to_frame()
    assert found['mean'].item() == pytest.approx(0.47373253, abs=1e-8)
