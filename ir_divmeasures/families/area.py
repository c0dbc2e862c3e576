"""A measure over all budgets or all rounds, not at one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from ..core.parameters import Budget, Choice
from ..core.ranking import Array, Ranking, ratio
from ..core.registry import BY_ASPECT, RISES, DivMeasure, measure, ours, parse
from ..core.terms import Parts, Value, value_of
from .intent_aware import Inner, at_cutoff, one_cutoff
from .utility import iterations


def _by_length(params: dict[str, Any]) -> bool:
    return params['along'] == 'length' or params['along'] is None and params['budget'] is not None


def _columns(params: dict[str, Any]) -> tuple[str, ...]:
    return ('length',) if _by_length(params) else ('iteration',)


def _check(params: dict[str, Any]) -> None:
    inner = ours(parse(params['M'], complete=False))
    if inner is None or inner.wraps:
        raise ValueError(
            f"M is {params['M']}, expected a measure of ir_divmeasures that is not made of another"
        )
    if _by_length(params):
        one_cutoff(params)
        if not params['budget']:
            raise ValueError(
                "along='length' needs a budget above 0, as in Area(M='Coverage',budget=2000)"
            )
    elif params['budget'] is not None:
        raise ValueError("a budget goes with along='length' only")
    elif params['cutoff'] is None and 'cutoff' in inner.params:
        raise ValueError(
            f"name the number of rounds, as in Area(M='{params['M']}',along='iteration')@3"
        )


def _unjudged(measure: DivMeasure) -> str:
    inner = ours(measure.wrapped)
    assert inner is not None
    return (
        inner.unjudged
        if inner.unjudged in (RISES, BY_ASPECT)
        else f'it is a mean of values of {inner}, each with bounds of its own'
    )


@measure(
    family='subtopics',
    rel_means='none',
    wraps='M',
    run_columns=_columns,
    bounds=(None, None),
    pretty='Area under the Curve',
    check=_check,
    unjudged=_unjudged,
    any_scale=True,
    cite='Thakur2025',
)
def Area(
    r: Ranking,
    *,
    M: Inner = 'Coverage',
    budget: Budget = None,
    along: Annotated[
        str | None,
        Choice(('length', 'iteration')),
        "what the measure is computed along: the length that is read or the iteration. None: "
        "'length' if there is a budget, otherwise 'iteration'",
    ] = None,
) -> Value:
    r"""The area under a measure's curve over budgets: its expected value at a budget drawn uniformly from 0 to B.

    .. math::

        \mathrm{Area}(M) = \frac{1}{B} \sum_{m=0}^{n} (\min(L_{m+1}, B) - \min(L_m, B))\, M_m

    M_m is M on the first m documents, L_m their length, B the ``budget``; L_{n+1} is infinite. This is the integral of
    M over the budgets from 0 to B, divided by B. The run needs a column ``length``.

    Along iterations, the value at k is the mean of M after rounds 1..k; without k, after all rounds of the query. A
    query whose search stopped keeps its value. Where the run has no column ``iteration``, every document is a round. A
    measure that counts iterations has the round as its cutoff.

    Choices: M is a measure of this package; its cutoff, judgments and ideal ranking stay as they are at every x.

    Reference: ours, after Thakur et al., FreshStack, 2025 (Coverage).

    Examples:
        >>> from ir_divmeasures.rag import with_lengths
        >>> run = with_lengths({'q': {'d1': 2.0, 'd2': 1.0}}, {'d1': 50, 'd2': 100})
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> Area(M='Coverage', budget=200).calc_aggregate(qrels, run)  # (0·50 + 1/2·100 + 1·50)/200
        0.5
    """
    by_length = _by_length({'along': along, 'budget': budget})
    inner = ours(at_cutoff(M, r.k) if by_length else parse(M))
    assert inner is not None
    whole = replace(r, rel=inner.rel, k=None, _memos={})
    if by_length:
        end = np.full((len(r.n), 1), budget)
        return _by_depth(whole, inner, np.cumsum(r.run_column('length'), axis=1), end)
    _, iteration = iterations(whole)
    at, last = iteration - 1, np.nan_to_num(iteration).max(axis=1, initial=0.0, keepdims=True)
    end = last if r.k is None else np.full(last.shape, float(r.k))
    if 'iteration' not in inner.run_columns:
        return _by_depth(whole, inner, at, end)
    rounds = np.arange(np.minimum(last, end).max(initial=0.0))
    shares = -np.diff(_reaching(np.where(rounds < last, rounds, np.nan), end), append=0.0)
    return _mean(whole, lambda x: inner(cutoff=x).parts(whole), [*enumerate(shares.T, 1)])


def _reaching(at: Array, end: Array) -> Array:
    """The share of the budgets or rounds up to ``end``, (Q, 1), that go beyond ``at`` (NaN pads), (Q, N)."""
    return np.clip(np.nan_to_num(ratio(end - at, end)), 0.0, 1.0)


def _by_depth(r: Ranking, inner: DivMeasure, at: Array, end: Array) -> Value:
    """The mean of the wrapped measure on the first documents, which is computed where its value may change.

    Args:
        r: the whole ranking.
        inner: the wrapped measure.
        at: the length, or the number of rounds, before a budget or round reaches each document by rank (NaN pads), (Q, N).
        end: the largest budget, or the number of rounds; (Q, 1).
    """
    reaching = _reaching(at, end)
    r = r.down_to(np.count_nonzero(reaching, axis=1))
    if _reads_end(inner, r):
        rank = np.ones_like(reaching).cumsum(axis=1)
    else:  # the value changes at hits only
        rank, reaching = r.rank, r.at_hits(reaching)
    shares = -np.diff(np.concatenate([ratio(end, end), reaching], axis=1), append=0.0)
    below = np.concatenate([rank, np.full(end.shape, np.inf)], axis=1) - 1
    depths = np.where(shares > 0, np.minimum(below, r.n[:, None]), r.n[:, None]).astype(np.intp)
    order = np.argsort(shares == 0, axis=1, kind='stable')
    shares, depths = (np.take_along_axis(x, order, axis=1).T for x in (shares, depths))
    steps = [*zip(depths, shares[: np.count_nonzero(shares, axis=0).max(initial=0)])]
    return _mean(r, lambda m: inner.parts(r.down_to(m)), steps)


def _reads_end(inner: DivMeasure, r: Ranking) -> bool:
    """Whether a measure reads the number of documents or further columns of the run, which change at every document."""
    endless = replace(r, _memos={})
    del endless.n, endless.run_columns
    try:  # without them, a measure that reads them fails
        value_of(inner.parts(endless))
    except AttributeError:
        return True
    return False


def _mean(r: Ranking, parts_at: Callable[[Any], Parts], steps: list[tuple[Any, Array]]) -> Value:
    """Σ share · measure over the steps, each a place and its share, (Q,)."""
    values = np.zeros(len(r.n))
    for place, share in steps:
        for part in parts_at(place):
            values = values + share * part.value()
    return Value(values, 'it is a mean of values of the measure inside')
