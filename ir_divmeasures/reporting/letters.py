"""Which systems a test does not tell apart, as letters."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..evaluation.scores import Scores
from ..meta.significance import discriminative_power

TESTS = {'tukey': 'Tukey HSD', 'tukey_randomised': 'randomised Tukey HSD'}
"""Tests whose p falls as the difference of two means grows, so that groups are runs of neighbours by mean."""


def significance_groups(scores: Scores, test: str, alpha: float) -> list[list[str]]:
    """Letters of each system for each measure, (systems, measures): no letter in common, significantly different.

    Examples:
        >>> values = [[.1, .2, .3, .2], [.5, .6, .6, .7], [.1, .2, .3, .3]]
        >>> significance_groups(Scores(values), 'tukey', 0.05)
        [['b'], ['a'], ['b']]
    """
    found = discriminative_power(scores, test, alpha=alpha, rng=0)
    n = len(scores.systems)
    first, second = found.pairs.T
    letters = []
    for means, pvalues in zip(scores.values.mean(axis=1).T, found.pvalues):
        apart = np.zeros((n, n), dtype=bool)
        apart[first, second] = apart[second, first] = pvalues < alpha
        letters.append(_letters(means, apart))
    return [list(of_system) for of_system in zip(*letters)]


def _letters(means: NDArray[np.float64], apart: NDArray[np.bool_]) -> list[str]:
    """The letters of each system; neighbours by mean that are not apart share one."""
    order = np.argsort(-means, kind='stable')
    named: list[list[str]] = [[] for _ in means]
    reached = number = 0
    for start in range(len(order)):
        different = np.flatnonzero(apart[order[start], order[start:]])
        end = start + (int(different[0]) if len(different) else len(order) - start)
        if end > reached:  # else the group lies within the one before
            reached, number = end, number + 1
            for system in order[start:end]:
                named[system].append(_letter(number))
    return [names[0] if len(names) == 1 else
            ''.join(names) if len(names) <= 3 and all(len(name) == 1 for name in names) else
            f'{names[0]}–{names[-1]}' for names in named]


def _letter(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    text = ''
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord('a') + rest) + text
    return text


__all__ = ['TESTS', 'significance_groups']
