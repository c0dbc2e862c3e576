"""Ids as numbers and the order of rankings, against Python's own sorting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ir_divmeasures.io import coding
from ir_divmeasures.io.coding import (
    ORDERS,
    by_score,
    distinct,
    encode,
    first_repetition,
    ids,
    ranking_order,
)
from ir_divmeasures.io.rows import Strings

SPARSE = 10**12
"""Keys this far apart are sorted, smaller ones are looked up in an array."""


@pytest.mark.parametrize('factor', [1, SPARSE], ids=['dense', 'sparse'])
@pytest.mark.parametrize(
    'keys, repeated',
    [
        ([], None),
        ([0], None),
        ([2, 0, 1], None),
        ([2, 0, 2], 2),
        ([1, 1, 0, 0], 1),
        ([3, 1, 2, 1, 3], 3),
    ],
)
def test_first_repetition(keys, repeated, factor):
    assert first_repetition(np.array(keys, dtype=np.int64) * factor) == repeated


@pytest.mark.parametrize('factor', [1, SPARSE], ids=['dense', 'sparse'])
@pytest.mark.parametrize('keys', [[], [0], [5], [3, 0, 3, 1], [2, 2, 2], [0, 4, 1, 4, 0]])
def test_distinct(keys, factor):
    found, place = distinct(np.array(keys, dtype=np.int64) * factor)
    assert found.tolist() == sorted({key * factor for key in keys})
    assert place.tolist() == [sorted(set(keys)).index(key) for key in keys]


@pytest.mark.parametrize('size', [0, 7])
@pytest.mark.parametrize('beyond', [0, 1])
def test_both_ways_agree_at_the_span_where_they_change(size, beyond):
    """Up to 64 times as many places as keys, and a million, are looked up in an array."""
    keys = np.array(
        [1, *[64 * (size + 3) + 1_000_000 - 1 + beyond] * 2, *range(size)], dtype=np.int64
    )
    assert first_repetition(keys) == 2 and distinct(keys)[0].tolist() == sorted(set(keys.tolist()))


@pytest.mark.parametrize('names', [[], ['b'], ['b', 'b', 'a', 'b', 'c', 'c'], ['a', 'b', 'a', 'b']])
def test_ids_are_numbered_by_first_appearance(names):
    numbers, known = encode(pd.Series(names, dtype=object))
    first = list(dict.fromkeys(names))
    assert known.to_pylist() == first and numbers.tolist() == [first.index(name) for name in names]
    assert coding.codes(pd.Series(names, dtype=object)).tolist() == numbers.tolist()


def test_ids_as_strings():
    frame = pd.DataFrame(
        {
            'number': [1, 20],
            'text': pd.Series(['a', 'b'], dtype=object),
            'string': pd.Series(['a', 'b'], dtype='string'),
            'mixed': pd.Series(['a', 2], dtype=object),
            'lacking': pd.Series(['a', None], dtype=object),
        }
    ).set_axis([5, 9])
    for column in ('text', 'string'):
        pd.testing.assert_series_equal(ids(frame, column, 'run'), frame[column])
    for column, expected in (('number', ['1', '20']), ('mixed', ['a', '2'])):
        found = ids(frame, column, 'run')
        assert (
            found.tolist() == expected and found.index.tolist() == [5, 9] and found.dtype == object
        )
    with pytest.raises(ValueError, match='^run: row 1 has no lacking$'):
        ids(frame, 'lacking', 'run')
    with pytest.raises(ValueError, match='^run: row 0 has no string$'):
        ids(pd.DataFrame({'string': pd.Series([None, 'b', None], dtype='string')}), 'string', 'run')


def test_place_by_name():
    assert coding.place_by_name(pa.array(['b', 'a', 'd', 'c'])).tolist() == [1, 0, 3, 2]


def test_groups():
    counts = np.array([2, 0, 3])
    assert coding.starts(counts).tolist() == [0, 2, 2, 5]
    assert coding.place_in_group(np.array([0, 0, 2, 2, 2]), counts).tolist() == [0, 1, 0, 1, 2]
    assert coding.starts(np.array([], dtype=np.intp)).tolist() == [0]


def ordered(query, score, names, how):
    """The rows of a ranking, by Python's stable sorts."""
    if how == 'single':
        with np.errstate(over='ignore'):
            score = score.astype(np.float32)
    rows = list(range(len(query)))
    if how != 'rows':
        rows.sort(key=lambda i: names[i], reverse=how != 'ascending')
    return sorted(rows, key=lambda i: (query[i], -score[i]))


@pytest.mark.parametrize('how', ORDERS)
@pytest.mark.parametrize(
    'sizes', [(6, 5, 4), (1, 40, 0, 2), (0, 3)], ids=['alike', 'unlike', 'first empty']
)
@pytest.mark.parametrize('sort', [False, True], ids=['shuffled', 'query by query'])
def test_order_of_rankings(how, sizes, sort):
    rng = np.random.default_rng(sum(sizes))
    for scores in (
        [1.0],
        [1.0, 2.0],
        [1.0, 1.0 + 1e-9, 2.0, -np.inf],
        np.arange(60.0),
        [1e300, 2e300, 0.0],
    ):
        for _ in range(12):
            query = np.repeat(np.arange(len(sizes)), sizes)
            if not sort:
                query = rng.permutation(query)
            score = rng.choice(scores, len(query))
            names = [f'd{i}' for i in rng.permutation(len(query))]
            judged = rng.random(len(query)) < 0.4
            expected = ordered(query, score, names, how)
            found = ranking_order(
                query, score, Strings.of(pd.Series(names, dtype=object)), judged, how
            )
            rows = list(range(len(query))) if found is None else found.tolist()
            # Documents without judgments may change places with each other in a tie: no judged one changes its own.
            assert sorted(rows) == list(range(len(query)))
            assert [i if judged[i] else query[i] for i in rows] == [
                i if judged[i] else query[i] for i in expected
            ]


def test_rankings_in_order_are_not_sorted():
    names = Strings.of(pd.Series(['a', 'b', 'c'], dtype=object))
    query, tied = np.array([0, 0, 1]), np.array([1.0, 1.0, 3.0])
    every = np.ones(3, dtype=bool)
    assert ranking_order(query, np.array([2.0, 1.0, 3.0]), names, every) is None
    assert (
        ranking_order(query, tied, names, ~every) is None
    )  # the tie is among documents without judgments
    assert ranking_order(query, tied, names, np.array([False, False, True])) is None
    assert ranking_order(query, tied, names, every, 'rows') is None
    assert ranking_order(query, tied, names, every).tolist() == [1, 0, 2]
    assert ranking_order(query, tied, names, every, 'ascending').tolist() == [0, 1, 2]


@pytest.mark.parametrize('sizes', [(3, 3), (2, 3, 1), (1, 30, 1)])
def test_rows_by_score(sizes):
    rng = np.random.default_rng(4)
    query = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    for scores in (rng.random(len(query)), rng.choice([1.0, 2.0], len(query)).astype(np.float32)):
        stable = by_score(query, scores, stable=True)
        assert stable.tolist() == sorted(range(len(query)), key=lambda i: (query[i], -scores[i]))
        assert [(query[i], scores[i]) for i in by_score(query, scores)] == [
            (query[i], scores[i]) for i in stable
        ]
    assert by_score(np.array([], dtype=np.intp), np.array([])).tolist() == []
