"""What can be fitted to clicks: stopping distributions and continuation functions, on the rankings that users saw."""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels.gain import gain_value
from ..core.parameters import Range
from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..core.stopping.continuation import viewing
from ..errors import warn
from .logs import Observations

Array = NDArray[np.float64]

EDGE = 1e-9  # θ is sought from EDGE to 1 − EDGE
ENDLESS = 30.0  # where the line on which other parameters are sought ends
UNIT = Range(0, 1, '()')


@dataclass(frozen=True)
class Candidate:
    """A distribution with parameters to fit.

    Attributes:
        name: the name in the resulting table.
        free: the range of each parameter to fit.
        starts: the default of each parameter to fit, None where it has none.
        by_rank: ``(values, rankings) → P`` at the ranks of the rankings, (n,) or (Q, n).
        measure: ``(values) →`` the name of the measure of the fitted model.
    """

    name: str
    free: dict[str, Range]
    starts: dict[str, float | None]
    by_rank: Callable[[dict[str, float], Rankings], Array]
    measure: Callable[[dict[str, float]], str]


def candidates(P: Iterable[str] | None, C: Iterable[str], relevance: bool) -> list[Candidate]:
    """The distributions and continuation functions to fit; all distributions that can be fitted where P is None."""
    if P is None:
        P = [name for name in stopping.names() if relevance or not stopping.base(name).dynamic]
    found = [_distribution(name, relevance) for name in ([P] if isinstance(P, str) else P)]
    found += [_continuation(name, relevance) for name in ([C] if isinstance(C, str) else C)]
    if not found:
        raise ValueError('no distribution to fit')
    return found


def _distribution(text: str, relevance: bool) -> Candidate:
    """The candidate of a stopping distribution's name, in which the values of some parameters may be set."""
    name, settings = stopping.split(text)
    distribution = stopping.base(text)
    if distribution.dynamic and not relevance:
        raise ValueError(
            f'P={text!r} depends on relevance; without relevance=, the grades of the rankings that users '
            f'saw, only static distributions can be fitted'
        )
    fixed = dict(settings)
    if fixed:
        stopping.check_parameters(distribution, fixed)
    hints = (
        typing.get_type_hints(distribution.P, include_extras=True)
        if inspect.isfunction(distribution.P)
        else {}
    )
    free = {'theta': UNIT} if distribution.takes_theta else {}
    for parameter in distribution.parameters:
        if parameter not in fixed:
            base, *rest = typing.get_args(hints.get(parameter)) or (hints.get(parameter, float),)
            if base is not float:
                raise ValueError(
                    f'P={name!r}: {parameter} is no real number and not fitted; give it in the name of '
                    f'the distribution'
                )
            free[parameter] = next(
                (item for item in rest if isinstance(item, Range)), Range(0, open='(')
            )

    def by_rank(values: dict[str, float], rankings: Rankings) -> Array:
        theta, settings = values.get('theta', 0.5), {**fixed, **values}
        if not distribution.dynamic:
            return distribution.by_rank(rankings.relevant.shape[1], theta, settings)[0][1:-1]
        return distribution.at_relevant(rankings.relevant.T, rankings.total, theta, settings).T

    def measure(values: dict[str, float]) -> str:
        six = _six({**fixed, **values})
        theta = {'theta': six.pop('theta')} if 'theta' in six else {}
        model = 4 if distribution.dynamic else 2
        return str(parse('UM')(model=model, P=stopping.bound_name(name, six), **theta))

    starts = {parameter: distribution.parameters.get(parameter) for parameter in free}
    return Candidate(text, free, starts, by_rank, measure)


def _continuation(text: str, relevance: bool) -> Candidate:
    """The candidate of a continuation function's name, in which the values of some parameters may be set.

    Whole-number parameters keep their defaults.
    """
    name, settings = stopping.split(text)
    function, known = stopping.get_continuation(name), stopping.parameters_of_continuation(name)
    fixed, free = {}, {}
    for key, value in settings:
        if key not in known:
            raise ValueError(
                f'C={name!r}: unknown parameter {key!r}; known: {", ".join(known) or "none"}'
            )
        fixed[key] = known[key].check(value)
    for key, parameter in known.items():
        if key in fixed:
            continue
        if parameter.dtype is float:
            free[key] = parameter.admits or Range()
        elif function.defaults[key] is not None:
            fixed[key] = function.defaults[key]
        else:
            raise ValueError(
                f'C={text!r}: {key} is a whole number and not fitted; give it, as in '
                f"C='{name}({key}=10)'"
            )
    starts = {key: function.defaults[key] for key in free}

    def by_rank(values: dict[str, float], rankings: Rankings) -> Array:
        C = function(rankings.gains, rankings.costs, **fixed, **values)
        return viewing(C) * (1 - C)

    def measure(values: dict[str, float]) -> str:
        return str(parse('CWL')(C=name, **fixed, **_six(values)))

    if not relevance:
        trial = {
            key: from_line(0.0, where) if starts[key] is None else starts[key]
            for key, where in free.items()
        }
        without_gains, with_gains = (
            function(gains, np.ones(20), **fixed, **trial)
            for gains in (np.zeros(20), np.linspace(0, 1, 20))
        )
        if not np.array_equal(without_gains, with_gains):
            raise ValueError(
                f'C={text!r} depends on gains; without relevance= only functions of the rank can be '
                f'fitted'
            )
    return Candidate(f'C={text}', free, starts, by_rank, measure)


def _six(values: dict[str, float]) -> dict[str, float]:
    """Parameters to six digits."""
    return {name: float(f'{value:.6g}') for name, value in values.items()}


@dataclass(frozen=True)
class Rankings:
    """Rankings that users saw.

    Attributes:
        queries: (Q,) the query of each ranking; None where they are not known.
        relevant: (Q, n) 1 at ranks of relevant documents, else 0.
        total: (Q,) number of all relevant documents.
        gains: (Q, n) gain at each rank, in [0, 1].
        costs: (Q, n) cost of the document at each rank.
    """

    queries: list[Any] | None
    relevant: Array
    total: Array
    gains: Array
    costs: Array

    def at_least(self, n: int) -> Rankings:
        """The same with at least n ranks: no document is relevant below a ranking, and each has the last cost."""

        def deeper(values: Array, mode: Any = 'constant') -> Array:
            return np.pad(values, ((0, 0), (0, max(n - values.shape[1], 0))), mode)

        return replace(
            self,
            relevant=deeper(self.relevant),
            gains=deeper(self.gains),
            costs=deeper(self.costs, 'edge'),
        )

    def relevant_only(self, log: Observations) -> Observations:
        """The observations at ranks of relevant documents, with one warning if there are others."""
        deeper = self.at_least(int(log.rank.max()))
        relevant = deeper.relevant[log.query, log.rank - 1] > 0
        if not relevant.any():
            raise ValueError('no click is at a relevant document')
        if not relevant.all():
            warn(
                f'{int((~relevant).sum())} of {len(relevant)} clicks ({log.reading}) are ignored because they are not '
                f'at relevant documents'
            )
        return log.keep(relevant)


UNKNOWN = Rankings(None, np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), np.ones((1, 1)))
"""The ranking of all users where relevance is not known."""


def rankings_seen(relevance: Any, gain: Any, max_rel: float | None, costs: Any) -> Rankings:
    """The rankings of ``{query: grades}`` or ``{query: (grades, all grades judged)}``, checked.

    ``gain``, ``max_rel`` and ``costs`` are as for :func:`fit_stopping`. Gains are those of ``CWL``.
    """
    if not isinstance(relevance, Mapping) or not relevance:
        raise TypeError('relevance: expected {query: grades from rank 1}')
    pairs = [
        value
        if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1
        else (value, value)
        for value in relevance.values()
    ]
    grades, judged = (
        np.maximum(_by_rank([pair[i] for pair in pairs], 'relevance', 'grades'), 0.0)
        for i in (0, 1)
    )
    relevant = (grades > 0).astype(float)
    total = (judged > 0).sum(axis=1).astype(float)
    if (total < relevant.sum(axis=1)).any():
        row = int(np.argmax(total < relevant.sum(axis=1)))
        raise ValueError(
            f'relevance: query {list(relevance)[row]!r} has {total[row]:g} relevant documents judged, '
            f'but {relevant[row].sum():g} in its ranking'
        )
    measure = parse('CWL')(gain=gain, **({} if max_rel is None else {'max_rel': max_rel}))
    if measure['gain'] == 'linear':
        top = judged.max(axis=1, keepdims=True) if max_rel is None else np.float64(max_rel)
        gains = np.minimum(grades / np.where(top > 0, top, 1.0), 1.0)
    else:
        gains = gain_value(grades, relevant, measure['gain']) * relevant
        if gains.max() > 1:
            raise ValueError(
                f'gain={gain!r} gives a gain of {gains.max():g}, expected gains in [0, 1] (linear ones '
                f'are divided by max_rel)'
            )
    found = Rankings(list(relevance), relevant, total, gains, np.ones((len(total), 1)))
    if costs is not None:
        if not isinstance(costs, Mapping) or set(map(str, costs)) != set(map(str, relevance)):
            raise ValueError(
                'costs: expected {query: costs from rank 1} for the queries of relevance'
            )
        by_query = {str(query): values for query, values in costs.items()}
        rows = [by_query[str(query)] for query in relevance]
        found = replace(found, costs=_by_rank(rows, 'costs', 'costs', goes_on=True))
        if not (found.costs > 0).all():
            raise ValueError(f'costs: expected numbers above 0, found {found.costs.min():g}')
    return found.at_least(found.costs.shape[1])


def _by_rank(rows: list[Any], name: str, contents: str, goes_on: bool = False) -> Array:
    """Numbers by rank, (Q, n), from a list for each query.

    Args:
        rows: the numbers of each query.
        name, contents: the name of the argument and what it contains, for messages.
        goes_on: whether shorter lists go on with their last number, not with 0.
    """
    try:
        lists = [np.asarray(row, dtype=float).ravel() for row in rows]
    except (TypeError, ValueError):
        raise TypeError(
            f'{name}: expected {{query: {contents} from rank 1}}, found something else than numbers'
        ) from None
    empty = not all(map(len, lists))
    if not all(np.isfinite(each).all() for each in lists) or (goes_on and empty):
        raise ValueError(
            f'{name}: expected {{query: {contents} from rank 1}}, found a query with '
            f'{f"no {contents}" if empty else "NaN or infinity"}'
        )
    numbers = np.zeros((len(lists), max(max(map(len, lists)), 1)))
    for row, each in zip(numbers, lists):
        row[: len(each)] = each
        row[len(each) :] = each[-1] if goes_on else 0.0
    return numbers


def from_line(u: float, where: Range) -> float:
    """Map a real number into a range, whose ends are never reached: logistic, exponential or identity."""
    bounded = min(max(u, -ENDLESS), ENDLESS)
    if np.isfinite(where.low) and np.isfinite(where.high):
        value = where.low + (where.high - where.low) / (1 + math.exp(-bounded))
        return min(max(value, where.low + EDGE), where.high - EDGE)
    if np.isfinite(where.low):
        return where.low + math.exp(bounded)
    return u if not np.isfinite(where.high) else where.high - math.exp(bounded)
