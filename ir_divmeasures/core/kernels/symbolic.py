"""Scores as expressions: what measures are for a ranking in symbols, for proofs.

Each function takes a ranking in symbols (:class:`ir_divmeasures.axioms.symbols.SymbolicRanking`) and returns an
expression of its grades, weights and parameters. Which documents are relevant to which aspects is known; grades are
numbers in (0, 1]. Normalisers are positive symbols, because constraints compare rankings of one query.
"""

from __future__ import annotations

import math
from typing import Any


def log2(i: int) -> float:
    """1/log2(i + 1)."""
    return 1 / math.log2(i + 1)


def shifted_log2(i: int) -> float:
    """1/(1 + log2 i)."""
    return 1 / (1 + math.log2(i))


def _by_aspect(x: Any, value: Any) -> Any:
    """Σ_t w_t value(t)."""
    return sum(x.w(t) * value(t) for t in x.aspects)


def _first(x: Any, t: int) -> int:
    """The rank of the first document relevant to an aspect, 0 if there is none."""
    return next((i for i in x.ranks if x.J(i, t)), 0)


def precision(x: Any) -> Any:
    return _by_aspect(x, lambda t: sum(x.J(i, t) for i in x.ranks) / x.normaliser)


def reciprocal_rank(x: Any) -> Any:
    return _by_aspect(x, lambda t: x.number(1, _first(x, t)) if _first(x, t) else 0)


def average_precision(x: Any) -> Any:
    return _by_aspect(
        x, lambda t: sum(x.number(x.c(i, t) + 1, i) for i in x.ranks if x.J(i, t)) / x.normaliser
    )


def discounted_gain(x: Any) -> Any:
    return _by_aspect(
        x, lambda t: sum(x.r(i, t) * x.discount(i, log2) for i in x.ranks) / x.normaliser
    )


def expected_reciprocal_rank(x: Any) -> Any:
    return _by_aspect(
        x, lambda t: sum(x.number(1, i) * x.r(i, t) * x.unsatisfied(i, t) for i in x.ranks)
    )


def rank_biased_precision(x: Any) -> Any:
    p = x.parameter('p')
    return _by_aspect(x, lambda t: sum(x.power(p, i - 1) * x.r(i, t) for i in x.ranks) * (1 - p))


def subtopic_recall(x: Any) -> Any:
    return x.number(sum(_first(x, t) > 0 for t in x.aspects), len(x.aspects))


def subtopic_reciprocal_rank(x: Any) -> Any:
    first = [_first(x, t) for t in x.aspects]
    return x.number(1, max(first)) if all(first) else 0


def novelty_rank_biased(x: Any) -> Any:
    p, factor = x.parameter('p'), 1 - x.parameter('alpha')
    return _by_aspect(
        x,
        lambda t: sum(x.power(p, i - 1) * x.r(i, t) * x.power(factor, x.c(i, t)) for i in x.ranks),
    )


def novel_discounted_gain(x: Any) -> Any:
    factor = 1 - x.parameter('alpha')
    return _by_aspect(
        x,
        lambda t: sum(
            x.discount(i, log2) * x.r(i, t) * x.power(factor, x.c(i, t)) for i in x.ranks
        ),
    )


def recall_and_gain(x: Any) -> Any:
    gamma = x.parameter('gamma')
    return gamma * subtopic_recall(x) + (1 - gamma) * discounted_gain(x)


def _novel(x: Any, i: int, factor: Any, t: int) -> Any:
    """r_t (1 − α)^c_t of the document at rank i."""
    return x.r(i, t) * x.power(factor, x.c(i, t))


def _at(x: Any, i: int, value: Any) -> Any:
    """Σ_t w_t value(i, t)."""
    return sum(x.w(t) * value(i, t) for t in x.aspects)


def expected_utility(x: Any) -> Any:
    factor, e = 1 - x.parameter('alpha'), x.parameter('e')
    return sum(
        x.discount(i, shifted_log2) * (_at(x, i, lambda i, t: _novel(x, i, factor, t)) - e)
        for i in x.ranks
    )


def cube_test(x: Any) -> Any:
    factor = 1 - x.parameter('alpha')

    def filled(i: int, t: int) -> Any:
        return _novel(x, i, factor, t) * x.if_below(sum(x.r(j, t) for j in range(1, i)), 1)

    return sum(x.number(1, i) * _at(x, i, filled) for i in x.ranks)


def rank_biased_utility(x: Any) -> Any:
    p, e = x.parameter('p'), x.parameter('e')
    return sum(
        x.power(p, i) * (_at(x, i, lambda i, t: x.r(i, t) * x.unsatisfied(i, t)) - e)
        for i in x.ranks
    )
