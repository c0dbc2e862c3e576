"""The arithmetic of ``kernels/``: numbers written out."""

import math
from base64 import b64encode

import numpy as np
import pytest

from ir_divmeasures.core.kernels import discount, packed

from .builders import over


def test_padding_has_no_weight():
    """Its rank is infinite. What discounts are worth at other ranks is tested by the twins of the measures."""
    rank = np.array([math.inf])
    found = [discount.log_discount(rank), discount.reciprocal(rank)]
    found += [discount.geometric(rank, p) for p in (0.0, 0.5, 1.0)]
    found += [discount.shifted_log_discount(rank, 2), discount.late_log_discount(rank, 2)]
    assert np.ravel(found).tolist() == [0.0] * 7


# ----------------------------------------------------------------------------------------------- sums of discounts


@over('term', [discount.reciprocal, discount.log_discount])
def test_long_sums_are_those_of_single_terms(term):
    """Whole numbers around the place from which terms are integrated, far beyond it, several of them twice."""
    m = np.array([0, 5, 99_999, 100_000, 100_001, 100_002, 150_000, 300_000, 150_000])
    every = term(np.arange(1.0, 300_001))
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


# ------------------------------------------------------------------------------------------------------- similarities


def test_documents_without_similarities():
    texts = packed.pack(np.array([[1, 0.5, 0.25], [0.5, 1, 0.75], [0.25, 0.75, 1]]))
    some = np.array([texts[2], '', texts[0], None], dtype=object)
    assert packed.unpack(some).tolist() == [[1, 0, 0.25, 0], [0] * 4, [0.25, 0, 1, 0], [0] * 4]


@over(
    'text, right',
    [
        ('', True),
        ('AAAAAAAAAAA=', True),
        ('?', False),
        *(
            (b64encode(np.array(values, dtype='<f8').tobytes()).decode(), right)
            for values, right in (
                ([0.0, 1.0], True),
                ([0.5], True),
                ([0.5, 1.5], False),
                ([math.nan], False),
            )
        ),
    ],
)
def test_what_is_packed(text, right):
    assert packed.is_packed(text) is right
