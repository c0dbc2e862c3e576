"""Letters that systems share if a test finds no significant difference between them."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..evaluation.scores import Scores
from ..meta.significance import discriminative_power

TESTS = {'tukey': 'Tukey HSD', 'tukey_randomised': 'randomised Tukey HSD'}
"""Tests whose p decreases as the difference of two means grows, so that groups are consecutive by mean."""


def significance_groups(scores: Scores, test: str, alpha: float) -> list[list[str]]:
    """Letters of each system for each measure, (systems, measures). Systems without a common letter differ
    significantly.

    Examples:
        >>> values = [[.1, .2, .3, .2], [.5, .6, .6, .7], [.1, .2, .3, .3]]
        >>> significance_groups(Scores(values), 'tukey', 0.05)
        [['b'], ['a'], ['b']]
    """
    power = discriminative_power(scores, test, alpha=alpha, rng=0)
    n = len(scores.systems)
    first, second = power.pairs.T
    letters = []
    for means, pvalues in zip(scores.values.mean(axis=1).T, power.pvalues):
        apart = np.zeros((n, n), dtype=bool)
        apart[first, second] = apart[second, first] = pvalues < alpha
        letters.append(_letters(means, apart))
    return [list(of_system) for of_system in zip(*letters)]


def _letters(means: NDArray[np.float64], apart: NDArray[np.bool_]) -> list[str]:
    """The letters of each system, (S,). Systems that are consecutive by mean and do not differ share a letter.

    Args:
        means: (S,) mean score of each system.
        apart: (S, S) whether two systems differ significantly.
    """
    order = np.argsort(-means, kind='stable')
    named: list[list[str]] = [[] for _ in means]
    reached = number = 0
    for start in range(len(order)):
        different = np.flatnonzero(apart[order[start], order[start:]])
        end = start + (int(different[0]) if len(different) else len(order) - start)
        if end > reached:  # otherwise the previous group contains this one
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
