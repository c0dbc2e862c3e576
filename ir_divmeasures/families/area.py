"""A measure over all budgets or all rounds, not at one of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Budget, Choice
from ..core.ranking import Array, Ranking, cutoff_free, ratio
from ..core.registry import BY_ASPECT, RISES, DivMeasure, measure, ours, parse
from ..core.terms import UNWEIGHTED, Parts, Terms, Value, value_of
from .intent_aware import Inner, at_cutoff, one_cutoff


def _by_length(params: dict[str, Any]) -> bool:
    return params['along'] == 'length' or params['along'] is None and params['budget'] is not None


def _columns(params: dict[str, Any]) -> tuple[str, ...]:
    return ('length',) if _by_length(params) else ('iteration',)


def _check(params: dict[str, Any]) -> None:
    inner = ours(parse(params['M'], complete=False))
    if inner is None or inner.wraps:
        raise ValueError(
            f"Area: M is {params['M']}, expected a measure of ir_divmeasures that is not made of another"
        )
    if _by_length(params):
        one_cutoff('Area', params)
        if not params['budget']:
            raise ValueError(
                "Area: along='length' needs a budget above 0, as in Area(M='Coverage',budget=2000)"
            )
    elif params['budget'] is not None:
        raise ValueError("Area: a budget goes with along='length' only")
    elif params['cutoff'] is None and 'cutoff' in inner.params:
        raise ValueError(
            f"Area: name the number of rounds, as in Area(M='{params['M']}',along='iteration')@3"
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
) -> Parts:
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
    whole = _whole(r, inner.rel)
    at, end = _lengths(whole, budget) if by_length else _iterations(whole, r.k)
    counts_rounds = 'iteration' in inner.run_columns and not by_length
    if counts_rounds:
        last = np.nan_to_num(at + 1).max(axis=1, initial=0.0, keepdims=True)
        rounds = np.arange(last.max(initial=0.0))
        at = np.where(rounds < last, rounds, np.nan)
    reaching = np.clip(np.nan_to_num(ratio(end - at, end)), 0.0, 1.0)
    if counts_rounds:
        return _mean(whole, _by_round(whole, inner, reaching))
    return _mean(whole, _by_depth(whole, inner, reaching, ratio(end, end)))


@cutoff_free
def _whole(r: Ranking, rel: float) -> Ranking:
    """The ranking without a cutoff as the wrapped measure, of this ``rel``, sees it."""
    return Ranking(
        r.judgments, r.document, r.rank, r.n, rel, None, r.judged_only, r.inner, r.run_columns
    )


Step = tuple[Array, Callable[[], Parts]]
"""The share of a step for each query, (Q,), and the wrapped measure on a part of the ranking."""


def _lengths(r: Ranking, budget: float) -> tuple[Array, Array]:
    """The length down to each document by rank (NaN pads), (Q, N), and the largest budget, (Q, 1)."""
    return np.cumsum(r.run_column('length'), axis=1), np.full((len(r.n), 1), budget)


def _iterations(r: Ranking, k: int | None) -> tuple[Array, Array]:
    """The number of rounds before each document by rank (NaN pads), (Q, N), and of all rounds, (Q, 1)."""
    iteration = r.run_columns.get('iteration', np.where(r.ranks <= r.n[:, None], r.ranks, np.nan))
    if np.any(iteration[:, 1:] < iteration[:, :-1]):
        raise ValueError(
            "iterations go back along a ranking; evaluate(…, along='iteration') orders by iteration"
        )
    last = np.nan_to_num(iteration).max(axis=1, initial=0.0, keepdims=True)
    return iteration - 1, last if k is None else np.full((len(r.n), 1), float(k))


def _by_round(r: Ranking, inner: DivMeasure, reaching: Array) -> list[Step]:
    """The steps of a measure that counts rounds; ``reaching`` is the share of rounds from each round on, (Q, rounds)."""
    shares = -np.diff(reaching, append=0.0, axis=1)
    return [
        (share, functools.partial(inner(cutoff=x).parts, r))
        for x, share in enumerate(shares.T, 1)
        if share.any()
    ]


def _by_depth(r: Ranking, inner: DivMeasure, reaching: Array, every: Array) -> list[Step]:
    """The steps of a measure on the first documents.

    Args:
        r: the whole ranking.
        inner: the wrapped measure.
        reaching: the share of budgets or rounds that reach each document by rank, (Q, N).
        every: 1 for queries that have budgets or rounds, else 0; (Q, 1).
    """
    r = r.down_to(np.count_nonzero(reaching, axis=1))
    if _reads_end(inner, r):
        rank = np.broadcast_to(np.arange(1.0, reaching.shape[1] + 1), reaching.shape)
    else:  # the value changes at hits only
        rank, reaching = r.rank, r.at_hits(reaching)
    shares = -np.diff(np.concatenate([every, reaching], axis=1), append=0.0, axis=1)
    below = np.concatenate([rank, np.full(every.shape, np.inf)], axis=1)
    depths = np.where(shares > 0, np.minimum(below - 1, r.n[:, None]), r.n[:, None])
    several = np.argsort(shares == 0, axis=1, kind='stable')
    several = several[:, : np.count_nonzero(shares, axis=1).max(initial=0)]
    return [
        (share, _after(r, inner, m.astype(np.intp)))
        for share, m in zip(
            np.take_along_axis(shares, several, axis=1).T,
            np.take_along_axis(depths, several, axis=1).T,
        )
    ]


def _reads_end(inner: DivMeasure, r: Ranking) -> bool:
    """Whether a measure reads the number of documents or further columns of the run, which change at every document."""
    try:
        value_of(inner.parts(r.endless))
    except AttributeError:
        return True
    return False


def _after(r: Ranking, inner: DivMeasure, m: NDArray[np.intp]) -> Callable[[], Parts]:
    """The wrapped measure on the first m documents."""
    return lambda: inner.parts(r.down_to(m))


def _mean(r: Ranking, steps: list[Step]) -> Parts:
    """Σ share · measure over the steps. If all steps are sums, the result is one sum over the hits."""
    value, effort = np.zeros(len(r.n)), np.zeros((len(r.n), 0))
    reason, last = '', r
    for share, parts in steps:
        for part in parts():
            value = value + share * part.value()
            if isinstance(part, Value) or part.layer is not None or part.part:
                reason = (
                    part.reason
                    if isinstance(part, Value)
                    else 'the measure inside has several parts'
                )
                continue
            last = part.ranking.cut(None)  # with the aspects that the measure inside reads
            if part.effort is not None:
                efforts = part.efforts() * share[:, None]
                effort = np.pad(effort, ((0, 0), (0, max(0, efforts.shape[1] - effort.shape[1]))))
                effort[:, : efforts.shape[1]] += efforts
    if reason:
        return (Value(value, reason),)

    def gain() -> Array:
        total = np.zeros((*last.rank.shape, last.judgments.shape[2]))
        for share, parts in steps:
            for part in parts():
                assert isinstance(part, Terms)
                contributions = part.contributions() * share[:, None, None]
                total[:, : contributions.shape[1]] += contributions
        return total

    return (
        Terms(
            last,
            gain,
            weight=UNWEIGHTED,
            effort=effort if effort.shape[1] else None,
            known=value,
        ),
    )
