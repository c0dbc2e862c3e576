"""The arithmetic of ``kernels/``: numbers written out, and literal loops."""

from __future__ import annotations

import itertools
import math
from base64 import b64encode

import numpy as np
import pytest

from ir_divmeasures.core.kernels import (
    blended,
    cascade,
    discount,
    gain,
    ideal,
    packed,
    redundancy,
    sums,
)

from .builders import over

INF = math.inf


# ------------------------------------------------------------------------------------------ discounts and their sums


def test_discounts():
    rank = np.array([1.0, 2.0, 4.0, INF])
    assert discount.log_discount(rank[[0, 3]]).tolist() == [1.0, 0.0]
    assert discount.log_discount(np.array([3.0])).tolist() == [0.5]
    assert discount.shifted_log_discount(rank, 2) == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert discount.late_log_discount(rank, 2) == pytest.approx(
        [1, 1 / math.log2(3), 1 / math.log2(5), 0]
    )
    assert discount.late_log_discount(np.array([991.0]), 10) == pytest.approx([1 / 3])
    assert discount.reciprocal(rank).tolist() == [1, 0.5, 0.25, 0]
    assert discount.geometric(rank, 0.5).tolist() == [1, 0.5, 0.125, 0]
    assert discount.geometric(rank, 1.0).tolist() == [1, 1, 1, 0]
    assert discount.geometric(rank, 0.0).tolist() == [1, 0, 0, 0]


def test_sums_of_discounts():
    m = np.array([0, 1, 3, 2])
    assert discount.ranks_to(m).tolist() == [1, 2, 3] and discount.ranks_to(m).dtype == float
    assert discount.ranks_to(m[:0]).tolist() == []
    assert discount.sum_to(np.array([1.0, 10.0, 100.0]), m).tolist() == [0, 1, 111, 11]


@over('term', [discount.reciprocal, discount.log_discount])
def test_long_sums_are_those_of_single_terms(term):
    """Whole numbers around the place from which terms are integrated, far beyond it, several of them twice."""
    m = np.array([0, 5, 99_999, 100_000, 100_001, 100_002, 250_000, 1_000_000, 250_000])
    every = term(np.arange(1.0, 1_000_001))
    expected = [math.fsum(every[:each].tolist()) for each in m.tolist()]
    # One more or less of the smallest term is 1e-6 of the sum of 1/i: the tolerance is far below.
    assert discount.sum_smooth(term, m) == pytest.approx(expected, rel=1e-11)


def test_long_sums_of_reciprocals_are_harmonic_numbers():
    """H(m) = ln m + γ + 1/(2m) − 1/(12m²) + …"""
    for m in (10**7, 10**12):
        expected = math.log(m) + 0.57721566490153286 + 1 / (2 * m) - 1 / (12 * m * m)
        assert discount.sum_smooth(discount.reciprocal, np.array([m])) == pytest.approx(
            [expected], rel=1e-13
        )


def test_long_sums_of_a_steep_term():
    """Nothing above M, then e^{−(i − M)/500}: the slopes are 1/500 at M, and a twelfth of them counts."""
    M = discount.ONE_BY_ONE

    def term(i):
        return np.where(i < M - 1, 0.0, np.exp((M - i) / 500))

    m = np.array([M + 100, M + 3000])
    expected = [math.fsum(term(np.arange(1.0, each + 1)).tolist()) for each in m.tolist()]
    assert discount.sum_smooth(term, m) == pytest.approx(expected, rel=1e-10)


# ------------------------------------------------------------------------------------------------- gains, what is seen


def test_gains():
    grade, relevant = np.array([0.0, 1.0, 3.0]), np.array([0.0, 0.0, 1.0])
    assert gain.gain_value(grade, relevant, 'linear').tolist() == [0, 1, 3]
    assert gain.gain_value(grade, relevant, 'exp').tolist() == [0, 1, 7]
    assert gain.gain_value(grade, relevant, 'binary').tolist() == [0, 0, 1]
    assert gain.gain_value(grade, relevant, {3: 0.5, 0: 2}).tolist() == [2, 1, 0.5]
    assert gain.by_grade(np.array([1, 2]), {1: 2, 2: 5}).tolist() == [
        2,
        5,
    ]  # each grade is mapped once
    assert grade.tolist() == [0, 1, 3]


def test_probabilities_of_relevance():
    grade, relevant = np.array([[0.0, 1.0, 3.0]]), np.array([[0.0, 0.0, 1.0]])
    top = np.array([[3.0]])
    assert gain.relevance_probability(grade, relevant, top, 'exp').tolist() == [[0, 1 / 8, 7 / 8]]
    assert gain.relevance_probability(grade, relevant, top, 'linear').tolist() == [
        [0, 1 / 4, 3 / 4]
    ]
    assert gain.relevance_probability(grade, relevant, 4, 'linear').tolist() == [[0, 1 / 5, 3 / 5]]
    assert gain.relevance_probability(grade, relevant, top, 'binary').tolist() == [[0, 0, 1]]
    assert gain.relevance_probability(grade, relevant, top, 'raw').tolist() == [[0, 1, 3]]


def test_what_was_seen_before():
    """Three hits, two aspects: 1 0, 1 1, 0 1."""
    x = np.array([[[1.0, 0], [1, 1], [0, 1]]])
    assert redundancy.before(x).tolist() == [[[0, 0], [1, 0], [2, 1]]]
    assert redundancy.count_before(x).tolist() == [[[0, 0], [1, 0], [2, 1]]]
    assert redundancy.first_of_aspect(x).tolist() == [[[1, 0], [0, 1], [0, 0]]]
    assert redundancy.redundancy(np.array([0.0, 1, 2, 3]), 0.5).tolist() == [1, 0.5, 0.25, 0.125]
    assert redundancy.redundancy(np.array([0, 2]), 1.0).tolist() == [1, 0]
    assert redundancy.redundancy(np.zeros((0, 2)), 0.5).shape == (0, 2)
    p = np.array([[[0.5, 0], [0.25, 1], [1, 1]]])
    assert cascade.unsatisfied(p).tolist() == [[[1, 1], [0.5, 1], [0.375, 0]]]


def test_blended_ratio():
    """Ideal gains 3, 1; hits of gain 1 at rank 2 and 3 at rank 5; β = 2."""
    cumulated = blended.cumulated_ideal(np.array([[1.0, 3.0]]))
    assert cumulated.tolist() == [[0, 3, 4]]
    # rank 2: (1 + 2·1)/(2 + 2·4); rank 5: (2 + 2·4)/(5 + 2·4), the ideal list having ended; padding: 0
    expected = [3 / 10, 10 / 13, 0]
    hits, rank = np.array([[1.0, 3.0, 0.0]]), np.array([[2.0, 5.0, INF]])
    assert blended.blended_ratio(hits, rank, cumulated, 2).tolist() == [expected]
    # Aspect by aspect: the same aspect, and one of which only the second hit has a gain, of 0.5, the ideal's only one.
    both = np.stack([hits, np.array([[0.0, 0.5, 0.0]])], axis=2)
    two = blended.cumulated_ideal(np.array([[[1.0, 0.0], [3.0, 0.5]]]))
    assert two.tolist() == [[[0, 0], [3, 0.5], [4, 0.5]]]
    second = [0, (1 + 2 * 0.5) / (5 + 2 * 0.5), 0]
    assert blended.blended_ratio(both, rank, two, 2).tolist() == [
        [list(pair) for pair in zip(expected, second)]
    ]
    first = blended.blended_ratio(np.array([[3.0]]), np.array([[1.0]]), cumulated, 1)
    assert first.tolist() == [[(1 + 3) / (1 + 3)]]
    assert blended.cumulated_ideal(np.zeros((2, 0))).tolist() == [[0], [0]]
    assert blended.cumulated_ideal(np.zeros((2, 0, 3))).shape == (2, 1, 3)


# ----------------------------------------------------------------------------------------------------- ideal rankings


def greedy(value, relevant, weight, alpha, least, depth):
    """The greedy ideal ranking of a query, document by document; ties by place."""
    left, fresh, gains = list(range(len(value))), np.array(weight), [np.nan] * depth
    for i in range(min(depth, len(value))):
        best = max(left, key=lambda d: (round(float((value[d] * fresh).sum()), 9), -d))
        if (value[best] * fresh).sum() <= least + 1e-12:
            break
        gains[i] = (value[best] * fresh).sum()
        left.remove(best)
        fresh = np.where(relevant[best] > 0, fresh * (1 - alpha), fresh)
    return gains


@over('weighted, graded', [(False, False), (True, False), (True, True)])
@over('shape', [(1, 1, 1), (3, 6, 2), (2, 7, 11), (2, 6, 40)])
def test_greedy_ideal_rankings(shape, weighted, graded):
    queries, documents, aspects = shape
    rng = np.random.default_rng(sum(shape) + weighted)
    for alpha, density in ((0.0, 0.2), (0.3, 0.6), (1.0, 0.6)):
        value = (rng.random(shape) < density) * rng.choice([1.0, 0.3] if graded else [1.0], shape)
        relevant = (value >= 1).astype(float)
        weight = rng.choice([0.0, 0.1, 0.25, 0.7] if weighted else [0.25], (queries, aspects))
        for depth, least in itertools.product((0, 1, 4, documents + 3), (-1.0, 0.0, 0.15)):
            found = ideal.greedy_gains(value, relevant, weight, alpha, least, depth)
            alone = ideal.greedy_gains(value[:1], relevant[:1], weight[:1], alpha, least, depth)
            np.testing.assert_array_equal(alone, found[:1])
            of_query = zip(value, relevant, weight)
            expected = [greedy(*each, alpha, least, depth) for each in of_query]
            np.testing.assert_allclose(found, np.reshape(expected, (queries, depth)), atol=1e-12)


def test_greedy_rankings_of_nothing():
    for shape in ((2, 0, 3), (2, 3, 0), (0, 3, 3), (1, 2, 2)):
        nothing, weight = np.zeros(shape), np.full((shape[0], shape[2]), 0.5)
        found = ideal.greedy_gains(nothing, nothing, weight, 0.5, 0.0, 3)
        assert found.shape == (shape[0], 3) and np.isnan(found).all()


def test_equal_gains_tie_by_place():
    """w = 1/2 each, α = 1/2: aspects {a}, {a, b}, {b}, {b, c}. First the second document (its gain ties with the
    fourth's), then the fourth."""
    relevant = np.array([[[1.0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1]]])
    found = ideal.greedy_gains(relevant, relevant, np.full((1, 3), 0.5), 0.5, 0.0, 4)
    assert found.tolist() == [[1, 0.75, 0.25, 0.125]]
    assert ideal.sorted_gains(np.array([[1.0, 3, 2]])).tolist() == [[3, 2, 1]]
    assert ideal.sorted_gains(np.array([[[1.0, 5], [3, 4]]])).tolist() == [[[3, 5], [1, 4]]]


# ------------------------------------------------------------------------------------------------------- similarities


def test_packed_similarities():
    matrix = np.array([[1, 0.5, 0.25], [0.5, 1, 0.75], [0.25, 0.75, 1]])
    texts = packed.pack(matrix)
    assert [len(text) for text in texts] == [12, 24, 32]  # base64 of 8, 16 and 24 bytes
    assert packed.unpack(np.array(texts, dtype=object)).tolist() == matrix.tolist()
    # The second document is not there, a further one has no similarities.
    some = np.array([[texts[2], '', texts[0], None]], dtype=object)
    assert packed.unpack(some[0]).tolist() == [[1, 0, 0.25, 0], [0] * 4, [0.25, 0, 1, 0], [0] * 4]
    places = packed.Packed(some)
    assert places.number.tolist() == [[2, -1, 0, -1]]
    assert places.similarity(np.array([2, 0, 1]), np.array([0, 0, 0])).tolist() == [0.25, 1, 0]


@over(
    'text, right',
    [
        ('', True),
        ('AAAAAAAAAAA=', True),
        ('AAAA', False),
        ('?', False),
        ('AAAAAAAAAAA', False),
        *(
            (b64encode(np.array(values, dtype='<f8').tobytes()).decode(), right)
            for values, right in (
                ([0.0, 1.0], True),
                ([0.5], True),
                ([0.5, 1.5], False),
                ([-0.5, 0.5], False),
                ([math.nan], False),
            )
        ),
    ],
)
def test_what_is_packed(text, right):
    assert packed.is_packed(text) is right


# --------------------------------------------------------------------------------------------------------------- sums


def added(values):
    total = 0.0
    for value in values:
        total += value
    return total


@over(
    'shape',
    [
        (1, 300),
        (3, 300),
        (1, 0),
        (2, 0),
        (0, 4),
        (1, 300, 1),
        (2, 300, 1),
        (1, 300, 4),
        (2, 0, 3),
        (2, 300, 3),
    ],
)
def test_sums_are_added_term_by_term(shape):
    """To the last bit: the sum of 300 terms in another order is another number."""
    rng = np.random.default_rng(sum(shape))
    x, which = rng.random(shape), (rng.random(shape[:2]) < 0.5)
    weight = rng.random((shape[0], shape[1]))
    moved = np.moveaxis(x, 1, -1)
    rows = math.prod(moved.shape[:-1])
    expected = np.array([added(row) for row in moved.reshape(rows, shape[1])]).reshape(
        moved.shape[:-1]
    )
    assert (
        np.array_equal(sums.one_by_one(x), expected)
        and sums.one_by_one(x).shape == moved.shape[:-1]
    )
    marked = np.moveaxis(x * which.reshape(*shape[:2], *[1] * (len(shape) - 2)), 1, -1)
    expected = np.array([added(row) for row in marked.reshape(rows, shape[1])]).reshape(
        moved.shape[:-1]
    )
    for each in (which, which.astype(float)):
        assert np.array_equal(sums.chosen(x, each), expected)
    if len(shape) == 2:
        expected = np.array([added(row) for row in x * weight]).reshape(shape[:1])
        assert np.array_equal(sums.weighted(x, weight), expected)


@over('aspects', [0, 1, 2, 9])
def test_sums_over_aspects(aspects):
    rng = np.random.default_rng(aspects)
    x, weight = rng.random((2, 5, aspects)), rng.random((2, aspects))
    expected = [[added(a * w for a, w in zip(hit, weight[q])) for hit in x[q]] for q in range(2)]
    assert sums.weighted(x, weight).tolist() == expected
