"""The range of a measure's scores, and intervals of means that stay inside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.registry import ABOUT_1, ours, parse
from ..estimates import Estimate, bounded
from ..results import count

SHARES = frozenset(
    [
        'AP',
        'Accuracy',
        'Bpref',
        'Compat',
        'ERR',
        'IPrec',
        'Judged',
        'NERR8',
        'NERR9',
        'NERR10',
        'NERR11',
        'P',
        'R',
        'RBP',
        'RR',
        'Rprec',
        'SetAP',
        'SetF',
        'SetP',
        'SetR',
        'Success',
        'infAP',
        'nDCG',
    ]
)
"""The measures of ir_measures whose scores are between 0 and 1, apart from those that this package computes."""


class Range(NamedTuple):
    """The range of a measure's scores.

    Attributes:
        bounds: the lowest and the highest possible score; None where there is none.
        note: what readers should know about it, or an empty text.
    """

    bounds: tuple[float | None, float | None]
    note: str = ''


def range_of(name: str, values: Any) -> Range:
    """The range in which the scores of a measure are read for intervals of their mean.

    Measures declare their bounds. A measure that divides by a greedy ideal is read as at most 1, and larger values are
    counted. Scores of unknown measures, and scores outside of what their measure declares, such as percentages, are
    read as shares of 1 if they all are between 0 and 1. Otherwise they have no range.

    Args:
        name: the name of the measure.
        values: its scores.

    Examples:
        >>> range_of('P@5', [0.2, 0.4]), range_of('own', [0.2, 0.4])
        (Range(bounds=(0, 1), note=''), Range(bounds=(0, 1), note='own: read as shares of 1'))
        >>> range_of('alpha_nDCG@20', [0.2, 1.01])
        Range(bounds=(0, 1), note='alpha_nDCG@20: 1 score above 1 clipped')
    """
    lowest, highest = np.min(values), np.max(values)
    declared, greedy = _declared(name)
    if declared is not None:
        low, high = declared
        inside = (low is None or lowest >= low - 1e-9) and (high is None or highest <= high + 1e-9)
        n_above = int((np.asarray(values) > 1 + 1e-9).sum())
        if greedy and n_above:
            return Range((low, 1), f'{name}: {count(n_above, "score")} above 1 clipped')
        if inside:
            return Range((low, 1) if greedy else declared)
    if lowest >= 0 and highest <= 1:
        return Range((0, 1), f'{name}: read as shares of 1')
    return Range((None, None), f'{name}: t interval, as the range of its scores is not known')


def _declared(name: str) -> tuple[tuple[float | None, float | None] | None, bool]:
    """The bounds of a measure, None if it is unknown, and whether its scores exceed 1 only by a greedy ideal."""
    try:
        measure = parse(name, complete=False)
    except ValueError:
        return None, False
    own = ours(measure)
    if own is None:
        return ((0, 1), False) if measure.NAME in SHARES else (None, False)
    if own.wraps and own.bounds == (None, None):  # a mean of values of the wrapped measure
        return _declared(str(own.wrapped))
    low, high = own.bounds
    return (low, None if high == ABOUT_1 else high), high == ABOUT_1


def means(values: Any, name: str, confidence_level: float = 0.95) -> tuple[Estimate, str]:
    """Means over the last axis with intervals inside the range of a measure, and what to say about the range.

    Values outside are clipped. If a bound is None, the interval is that of Student's t, cut at the other one
    (:func:`ir_divmeasures.estimates.bounded`).

    Args:
        values: (..., Q) scores.
        name: the measure.
        confidence_level: confidence level of the intervals.

    Examples:
        >>> estimate, _ = means(np.zeros(25), 'P@5')
        >>> round(estimate.high, 4)
        0.0947
    """
    (low, high), note = range_of(name, values)
    values = np.asarray(values, dtype=float)
    values = np.clip(values, -np.inf if low is None else low, np.inf if high is None else high)
    n = values.shape[-1]
    error = values.std(axis=-1, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(values.shape[:-1])
    if low is None or high is None:  # equal values do not tell how far others are from them
        error = np.where(error < 1e-14, np.nan, error)
    return bounded(values.mean(axis=-1), error, n, (low, high), confidence_level), note
