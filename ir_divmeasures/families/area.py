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
from ..core.terms import UNWEIGHTED, Parts, Terms, Value
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
    if not by_length:
        return _mean(whole, _rounds(whole, inner, *_iterations(whole, r.k)))
    shares = _shares(whole, 0.0 if budget is None else budget)
    depths = np.flatnonzero((shares > 0).any(axis=0))
    n = r.n.astype(np.intp)
    return _mean(whole, [(shares[:, m], _after(whole, inner, np.minimum(m, n))) for m in depths])


@cutoff_free
def _whole(r: Ranking, rel: float) -> Ranking:
    """The ranking without a cutoff as the wrapped measure, of this ``rel``, sees it."""
    return Ranking(
        r.judgments, r.document, r.rank, r.n, rel, None, r.judged_only, r.inner, r.run_columns
    )


Step = tuple[Array, Callable[[], Parts]]
"""The share of a step for each query, (Q,), and the wrapped measure on a part of the ranking."""


def _shares(r: Ranking, budget: float) -> Array:
    """The share of the budgets from 0 to B at which the first m documents fit; (Q, M)."""
    n, length = r.n.astype(np.intp), r.run_column('length')
    lengths = np.cumsum(np.where(np.arange(length.shape[1]) < n[:, None], length, np.inf), axis=1)
    ends = np.concatenate([np.zeros((len(n), 1)), lengths, np.full((len(n), 1), np.inf)], axis=1)
    ends = ends[:, : 1 + np.count_nonzero((ends < budget).any(axis=0))]
    return np.diff(np.minimum(ends, budget), axis=-1) / budget


def _iterations(r: Ranking, k: int | None) -> tuple[Array, Array]:
    """The iteration of each document by rank (NaN pads), (Q, N), and the number of rounds, (Q,)."""
    iteration = r.run_columns.get('iteration', np.where(r.ranks <= r.n[:, None], r.ranks, np.nan))
    if np.any(iteration[:, 1:] < iteration[:, :-1]):
        raise ValueError(
            "iterations go back along a ranking; evaluate(…, along='iteration') orders by iteration"
        )
    last = np.nan_to_num(iteration).max(axis=1, initial=0.0)
    return iteration, last if k is None else np.full(len(r.n), float(k))


def _rounds(r: Ranking, inner: DivMeasure, iteration: Array, end: Array) -> list[Step]:
    """The share of each round, and the wrapped measure after it."""
    last = np.nan_to_num(iteration).max(axis=1, initial=0.0)
    steps: list[Step] = []
    for x in range(1, int(min(last.max(initial=0.0), end.max(initial=0.0))) + 1):
        # in the last round that changes anything, the rounds after it are counted too
        rounds = np.where(x < last, 1.0, np.maximum(end - x + 1, 1.0)) * (
            x <= np.minimum(last, end)
        )
        after = (
            functools.partial(inner(cutoff=x).parts, r)
            if 'iteration' in inner.run_columns
            else _after(r, inner, (iteration <= x).sum(axis=1))
        )
        steps.append((ratio(rounds, end), after))
    return steps


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
