"""Letters that systems share if a test finds no significant difference between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..evaluation.scores import Scores
from ..meta.significance import discriminative_power

TESTS = {
    't': "paired t-test with Holm's correction",
    'max_t': 'sign flips, step-down (max_t)',
    'tukey': 'Tukey HSD',
    'tukey_randomised': 'randomised Tukey HSD',
    'tukey_oneway': 'one-way Tukey HSD',
    'wilcoxon': "Wilcoxon's signed-rank test with Holm's correction",
    'bootstrap': "paired bootstrap test with Holm's correction",
    'tukey_pairwise': "Tukey HSD of each pair with Holm's correction",
}
"""Tests by name, and what each is in words. All pairs of systems are corrected for: by the test itself
(:data:`~ir_divmeasures.meta.significance.FAMILYWISE`) or by Holm's method."""


def significance_groups(
    scores: Scores, test: str, alpha: float, n_resamples: int | None = None
) -> list[list[str]]:
    """Letters of each system for each measure, (systems, measures). Systems without a common letter differ
    significantly, and systems with a common letter do not.

    Args:
        scores: the systems' scores.
        test: a key of :data:`TESTS`.
        alpha: level of significance.
        n_resamples: number of resamples of a test that samples, see
            :func:`ir_divmeasures.meta.discriminative_power`.

    Examples:
        >>> values = [[.1, .2, .3, .2], [.5, .6, .6, .7], [.1, .2, .3, .3]]
        >>> significance_groups(Scores(values), 'tukey', 0.05)
        [['b'], ['a'], ['b']]
    """
    power = discriminative_power(
        scores,
        test,
        alpha=alpha,
        n_resamples=n_resamples,
        rng=0,
    )
    n = len(scores.systems)
    first, second = power.pairs.T
    letters = []
    for means, pvalues in zip(scores.values.mean(axis=1).T, power.pvalues):
        apart = np.zeros((n, n), dtype=bool)
        apart[first, second] = apart[second, first] = pvalues < alpha
        letters.append(_letters(means, apart))
    return [list(of_system) for of_system in zip(*letters)]


def _letters(means: NDArray[np.float64], apart: NDArray[np.bool_]) -> list[str]:
    """The letters of each system, (S,): a letter for each largest set of systems of which no two differ.

    Insert and absorb (Piepho, Journal of Computational and Graphical Statistics 2004): begin with one set of all
    systems. For every two that differ, replace each set that contains both by the set without the one and the set
    without the other, and drop sets that others contain. Letters go by the best system of a set, then by its next ones.
    Two systems share a letter exactly if they do not differ, whether or not p follows the difference of the means.

    Args:
        means: (S,) mean score of each system.
        apart: (S, S) whether two systems differ significantly.
    """
    order = np.argsort(-means, kind='stable')
    place = np.empty(len(order), dtype=int)  # of each system in the order
    place[order] = np.arange(len(order))
    groups = [frozenset(range(len(order)))]
    for one, other in sorted(
        tuple(sorted((place[i], place[j]))) for i, j in np.argwhere(np.triu(apart))
    ):
        both = [group for group in groups if one in group and other in group]
        others = [group for group in groups if not (one in group and other in group)]
        for group in {smaller for large in both for smaller in (large - {one}, large - {other})}:
            if not any(group <= larger for larger in others):
                others = [smaller for smaller in others if not smaller <= group] + [group]
        groups = others
    named: list[list[int]] = [[] for _ in order]
    for number, group in enumerate(sorted(groups, key=sorted), start=1):
        for at in group:
            named[order[at]].append(number)
    return [_spelled(numbers) for numbers in named]


def _spelled(numbers: list[int]) -> str:
    """``abc`` for up to three single letters, ``a–f`` for more consecutive ones, otherwise ``a, c–f, aa``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    if len(numbers) <= 3 and numbers[-1] <= 26:
        return ''.join(map(_letter, numbers))
    return ', '.join(
        _letter(run[0]) if len(run) == 1 else f'{_letter(run[0])}–{_letter(run[-1])}'
        for run in runs
    )


def _letter(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    text = ''
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord('a') + rest) + text
    return text


__all__ = ['TESTS', 'significance_groups']
