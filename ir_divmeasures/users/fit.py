"""Stopping distributions and continuation functions against clicks (Carterette 2011, §4.1)."""
from __future__ import annotations

import inspect
import itertools
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Range
from ..core.registry import parse
from ..errors import warn
from ..stopping import registries as stopping
from ..stopping.continuation import viewing
from ..stopping.distributions import Stopping
from .logs import Observations, observations, patterns

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

EDGE = 1e-9  # θ is sought from EDGE to 1 − EDGE
UNIT = Range(0, 1, '()')


def fit_stopping(clicks: Any, P: Iterable[str] | None = None, *, C: Iterable[str] = (),
                 reading: str | Iterable[str] | None = None, depth: int | None = None, relevance: Any = None,
                 n_resamples: int = 1000, confidence_level: float = 0.95, folds: int = 10,
                 rng: Any = None) -> pd.DataFrame:
    """How well stopping distributions and continuation functions fit observed stopping or click ranks.

    Log-likelihood Σ ln P(k) over the observed ranks; parameters by maximum likelihood; AIC = 2·parameters −
    2·log-likelihood; Kullback–Leibler divergence Σ_k p̂(k) log2(p̂(k)/P(k)) of P from the observed shares p̂; held-out
    log-likelihood, each part of the query sessions by the parameters fitted to the others. Confidence intervals are by
    bootstrap: query sessions (or the ranks of an array) are drawn anew and parameters are fitted anew. They are
    percentile intervals; for the divergence, which is larger in resamples than it should be, basic ones (2·KL −
    percentiles, at least 0).

    Args:
        clicks: stopping ranks as an array; a click table, a DataFrame with columns ``session``, ``query``, ``rank``
            and, for the last clicks, ``time`` (anything that can be ordered), or an iterator of parts of one; or a
            query log of ir_datasets: the dataset, its name (``'aol-ia'``, ``'tripclick/logs'``), or the records of
            ``qlogs_iter()``. Usual names of these columns are known (``session_id``, ``AnonID``, ``position``,
            ``ItemRank``, ``QueryTime``, …); rows without rank, or with 0 in a column ``clicked``, are no clicks. Items
            of a query log without a rank count from 1.
        P: names of distributions; by default all static ones, and with ``relevance`` the dynamic ones too. Every
            parameter is fitted unless its value is in the name: ``'Weibull(shape=0.7)'``. Those other than θ are sought
            above 0, or in the :class:`~ir_divmeasures.core.parameters.Range` that they are annotated with.
        C: names of continuation functions to fit too, with values of what is not to be fitted: ``'INSQ'``,
            ``'SET(k=20)'``. Without ``relevance`` only those of the rank alone. Every cost is 1.
        reading: what a log says of stopping ranks: ``'every'`` click is one; or the ``'last'`` click of each query
            session (session and query). By default both; an array is one reading, ``'every'``.
        depth: deepest rank that the log can hold: P is then taken among ranks 1..depth, and clicks beyond it are left
            out. By default there is none.
        relevance: grades of the ranking that was shown, ``{query: grades from rank 1}``, or ``{query: (grades, all
            grades judged)}`` as :func:`~ir_divmeasures.user_models.ranked_grades` gives. Then every P is taken among
            the relevant ranks of a query's ranking, where alone dynamic ones stop; clicks elsewhere are left out.
        n_resamples, confidence_level: of the bootstrap; ``n_resamples=0`` leaves the intervals out (NaN).
        folds: parts of the sessions for the held-out log-likelihood; 0 leaves it out (NaN).
        rng: seed or generator, as for ``numpy.random.default_rng``.

    Returns:
        DataFrame, one row per reading and distribution, best fit first: ``reading, P, theta, theta_low, theta_high``,
        the same for every other fitted parameter, ``log_likelihood, log_likelihood_low, log_likelihood_high, held_out,
        aic, kl, kl_low, kl_high, best, measure, n``. Functions of ``C`` are called ``C=INSQ``. ``best`` is the share of
        resamples in which this distribution is the most likely one; ``measure`` the fitted model as a measure, with
        parameters to six digits: ``CWL``, or ``UM`` of model 2 (of dynamic ones 4); n the number of observed ranks. A
        parameter is NaN where P lacks it.

    Raises:
        TypeError, ValueError: a rank that is no whole number of at least 1 (says which), no rank at all, a missing
            column, a dynamic distribution without relevance, a whole-number parameter without a value.

    Reference: Carterette, SIGIR 2011, §4.1 and Figure 2.

    Examples:
        Mean rank 2, so θ = 1/2 for RBP. KL from RR, where p̂ = 3/6, 1/6, 1/6, 1/6: (log2(12/6) + log2(20/6))/6.

        >>> fit = fit_stopping([1, 1, 2, 1, 3, 4], ['RBP', 'RR'], n_resamples=0)
        >>> fit[['reading', 'P', 'theta', 'kl', 'n']].round(3)
          reading    P  theta     kl  n
        0   every  RBP    0.5  0.208  6
        1   every   RR    NaN  0.456  6
        >>> fit_stopping([1, 2, 1, 4], ['RBP'], C=['RBP'], n_resamples=0)['measure'].tolist()  # θ = 1/2 = 1 − p
        ["UM(P='RBP')", 'CWL(p=0.5)']
    """
    import pandas as pd

    chosen = candidates(P, C, relevance is not None)
    if not chosen:
        raise ValueError('no distribution to fit')
    check_depth(depth)
    check_level(confidence_level)
    for name, value in (('n_resamples', n_resamples), ('folds', folds)):
        if value < 0 or value != int(value):
            raise ValueError(f'{name}={value!r}: expected a whole number of at least 0')
    generator = np.random.default_rng(rng)
    shown = None if relevance is None else _Shown.of(relevance)
    tables = []
    for one in observations(clicks, reading, None if shown is None else shown.queries):
        one = within(one, depth)
        if shown is not None:
            one = shown.relevant_only(one)
        table = _fit(chosen, _Cells.of(one, depth, shown), n_resamples, confidence_level, folds, generator)
        tables.append(table.assign(reading=one.reading, n=len(one.rank)))
    result = pd.concat(tables, ignore_index=True)
    return result[['reading', *(c for c in result.columns if c not in ('reading', 'n')), 'n']]


def within(log: Observations, depth: int | None) -> Observations:
    """Observations down to a depth; one warning says how many lie beyond."""
    if depth is None or log.rank.max() <= depth:
        return log
    beyond = log.rank > depth
    warn(f'{int(beyond.sum())} of {len(beyond)} clicks ({log.reading}) are beyond depth={depth} and left out')
    if beyond.all():
        raise ValueError(f'no click down to depth={depth}')
    return log.keep(~beyond)


def check_depth(depth: int | None) -> None:
    if depth is not None and (depth < 1 or depth != int(depth)):
        raise ValueError(f'depth={depth!r}: expected a whole number of at least 1')


def check_level(confidence_level: float) -> None:
    if not 0 < confidence_level < 1:
        raise ValueError(f'confidence_level={confidence_level!r}: expected a number in (0, 1)')


# ---------------------------------------------------------------------------------------- what can be fitted

@dataclass(frozen=True)
class Candidate:
    """A distribution with parameters to fit.

    Attributes:
        name: what the table calls it.
        free: the parameters to fit, and where.
        starts: their defaults, None where there is none.
        by_rank: ``(values, n, relevance or None) → P`` at ranks 1..n, (n,) or (Q, n).
        measure: the fitted model by name.
    """
    name: str
    free: dict[str, Range]
    starts: dict[str, float | None]
    by_rank: Callable[[dict[str, float], int, _Shown | None], Array]
    measure: Callable[[dict[str, float]], str]


def candidates(P: Iterable[str] | None, C: Iterable[str], relevance: bool) -> list[Candidate]:
    """What is to be fitted.

    Raises:
        ValueError: an unknown name, or what needs relevance without it.
    """
    names = [P] if isinstance(P, str) else list(P) if P is not None else [
        name for name in stopping.names() if relevance or not stopping.base(name).dynamic]
    return [*(_distribution(name, relevance) for name in names),
            *(_continuation(name, relevance) for name in ([C] if isinstance(C, str) else C))]


def _distribution(text: str, relevance: bool) -> Candidate:
    name, given = stopping.split(text)
    made = stopping.base(text)
    if made.dynamic and not relevance:
        raise ValueError(f'P={text!r} depends on relevance; a click log can be compared with static distributions, '
                         f'unless relevance= says what was shown')
    fixed = dict(given)
    if fixed:
        stopping.check_parameters(made, fixed)
    hints = typing.get_type_hints(made.P, include_extras=True) if inspect.isfunction(made.P) else {}
    free = {'theta': UNIT} if made.takes_theta else {}
    for each in made.parameters:
        if each not in fixed:
            free[each] = _range(hints.get(each), f'P={name!r}', each)
    starts = {each: made.parameters.get(each) for each in free}

    def bound(values: dict[str, float]) -> dict[str, float]:
        return {**fixed, **{each: value for each, value in values.items() if each != 'theta'}}

    def by_rank(values: dict[str, float], n: int, shown: _Shown | None) -> Array:
        model: Stopping = made.bound(name, bound(values)) if made.parameters else made
        theta = values.get('theta', 0.5)
        if not made.dynamic:
            return model.by_rank(n, theta)[0][1:-1]
        assert shown is not None
        return model.at_relevant(shown.relevant.T, shown.total, theta).T

    def measure(values: dict[str, float]) -> str:
        theta = {'theta': _six(values['theta'])} if 'theta' in values else {}
        others = {each: _six(value) for each, value in bound(values).items()}
        return str(parse('UM')(model=4 if made.dynamic else 2, P=stopping.bound_name(name, others), **theta))

    return Candidate(text, free, starts, by_rank, measure)


def _continuation(text: str, relevance: bool) -> Candidate:
    name, given = stopping.split(text)
    made, known = stopping.get_continuation(name), stopping.parameters_of_continuation(name)
    for each, _ in given:
        if each not in known:
            raise ValueError(f'C={name!r}: unknown parameter {each!r}; known: {", ".join(known) or "none"}')
    fixed = {each: known[each].check(value) for each, value in given}
    fixed |= {each: made.defaults[each] for each in known if each not in fixed and known[each].dtype is not float
              and made.defaults[each] is not None}
    free = {}
    for each, parameter in known.items():
        if each not in fixed:
            if parameter.dtype is not float:
                raise ValueError(f'C={text!r}: {each} is a whole number and not fitted; give it, as in '
                                 f"C='{name}({each}=10)'")
            free[each] = parameter.admits or Range()
    starts = {each: made.defaults[each] for each in free}

    def by_rank(values: dict[str, float], n: int, shown: _Shown | None) -> Array:
        gains = np.zeros(n) if shown is None else shown.relevant
        C = made(gains, np.ones(n), **fixed, **values)
        return viewing(C) * (1 - C)

    def measure(values: dict[str, float]) -> str:
        return str(parse('CWL')(C=name, **fixed, **{each: _six(value) for each, value in values.items()}))

    if not relevance:
        trial = {each: _middle(where) if starts[each] is None else starts[each] for each, where in free.items()}
        one, other = (made(gains, np.ones(20), **fixed, **trial) for gains in (np.zeros(20), np.linspace(0, 1, 20)))
        if not np.array_equal(one, other):
            raise ValueError(f'C={text!r} depends on gains; without relevance= only functions of the rank can be '
                             f'fitted')
    return Candidate(f'C={text}', free, starts, by_rank, measure)


def _range(annotation: Any, whose: str, name: str) -> Range:
    """Where a parameter of a registered distribution is sought."""
    if annotation is None:
        return Range(0, open='(')
    base, *rest = typing.get_args(annotation) or (annotation,)
    if base is not float:
        raise ValueError(f'{whose}: {name} is no real number and not fitted; give it in the name of the distribution')
    return next((each for each in rest if isinstance(each, Range)), Range(0, open='('))


# ------------------------------------------------------------------------------------------------ observations

@dataclass(frozen=True)
class _Shown:
    """Rankings that were shown: (Q, n) relevance of their documents, (Q,) relevant documents in all."""
    queries: list[Any]
    relevant: Array
    total: Array

    @classmethod
    def of(cls, relevance: Any) -> _Shown:
        if not isinstance(relevance, Mapping) or not relevance:
            raise TypeError('relevance: expected {query: grades from rank 1}')
        grades = [value if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1 else (value, value)
                  for value in relevance.values()]
        try:
            shown, judged = ([np.asarray(pair[i], dtype=float).ravel() > 0 for pair in grades] for i in (0, 1))
        except (TypeError, ValueError):
            raise TypeError('relevance: expected {query: grades from rank 1}, found something else than '
                            'numbers') from None
        relevant = np.zeros((len(shown), max(max(map(len, shown)), 1)))
        for row, one in zip(relevant, shown):
            row[:len(one)] = one
        total = np.array([float(one.sum()) for one in judged])
        if (total < relevant.sum(axis=1)).any():
            at = int(np.argmax(total < relevant.sum(axis=1)))
            raise ValueError(f'relevance: query {list(relevance)[at]!r} has {total[at]:g} relevant documents judged, '
                             f'but {relevant[at].sum():g} in its ranking')
        return cls(list(relevance), relevant, total)

    def relevant_only(self, log: Observations) -> Observations:
        assert log.query is not None
        inside = log.rank <= self.relevant.shape[1]
        at = inside & (self.relevant[log.query, np.where(inside, log.rank, 1) - 1] > 0)
        if not at.all():
            warn(f'{int((~at).sum())} of {len(at)} clicks ({log.reading}) are not at relevant documents and left out')
        if not at.any():
            raise ValueError('no click is at a relevant document')
        return log.keep(at)


class _Cells(NamedTuple):
    """The distinct observations: ranks, or pairs of query and rank.

    ``owner`` and ``place`` say which query session made which observation.
    """
    rank: Codes
    query: Codes | None
    owner: Codes
    place: Codes
    depth: int | None
    shown: _Shown | None

    @classmethod
    def of(cls, log: Observations, depth: int | None, shown: _Shown | None) -> _Cells:
        if shown is None:
            rank, place = np.unique(log.rank, return_inverse=True)
            return cls(rank, None, log.owner, place, depth, None)
        assert log.query is not None
        n = shown.relevant.shape[1]
        pair, place = np.unique(log.query * n + log.rank - 1, return_inverse=True)
        return cls(pair % n + 1, pair // n, log.owner, place, depth, shown)

    @property
    def width(self) -> int:
        return len(self.rank)

    def log_p(self, model: Candidate, values: dict[str, float]) -> Array:
        """ln P at every cell; −∞ all over where the values make no distribution."""
        with np.errstate(all='ignore'):
            if self.shown is None:
                at = model.by_rank(values, int(self.depth or self.rank[-1]), None)
                P, whole = at[self.rank - 1], at.sum() if self.depth is not None else 1.0
            else:
                at = (model.by_rank(values, self.shown.relevant.shape[1], self.shown) * self.shown.relevant)[
                    :, :self.depth]
                P, whole = at[self.query, self.rank - 1], at.sum(axis=1)[self.query]
            if not (at >= -1e-12).all() or not (at.sum(axis=-1) <= 1 + 1e-6).all():
                return np.full(self.width, -np.inf)
            return np.where(P > 0, np.log(P) - np.log(whole), -np.inf)

    def saturated(self, count: Array) -> float:
        """Σ ln p̂ over the observations, p̂ the observed shares (of each query)."""
        of = np.zeros(self.width, dtype=np.intp) if self.query is None else self.query
        seen = count > 0
        return float(count[seen] @ np.log(count[seen] / np.bincount(of, weights=count)[of][seen]))


# ------------------------------------------------------------------------------------------------ statistics

def _fit(chosen: list[Candidate], cells: _Cells, n_resamples: int, confidence_level: float, folds: int,
         rng: np.random.Generator) -> pd.DataFrame:
    import pandas as pd
    from tqdm import tqdm

    distinct, times = patterns(cells.owner, cells.place, cells.width)
    count = distinct.T @ times.astype(float)
    fitted = [_maximise(model, cells, count) for model in chosen]
    names = list(dict.fromkeys(['theta', *itertools.chain(*(model.free for model in chosen))]))
    own = {(i, name) for i, model in enumerate(chosen) for name in model.free}

    def row(drawn: Array, warm: bool) -> list[list[float]]:
        saturated, n = cells.saturated(drawn), drawn.sum()
        made = fitted
        if warm:
            made = [_maximise(model, cells, drawn, values) for model, (values, _) in zip(chosen, fitted)]
        return [[*(values.get(name, np.nan) for name in names), likelihood,
                 max(saturated - likelihood, 0.0) / n / np.log(2)] for values, likelihood in made]

    estimates = np.array(row(count, False))
    resampled = np.full((n_resamples, *estimates.shape), np.nan)
    for b in tqdm(range(n_resamples), desc='bootstrap', disable=None, leave=False):
        resampled[b] = row(distinct.T @ rng.multinomial(times.sum(), times / times.sum()).astype(float), True)
    ends = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    low, high = np.quantile(resampled, ends, axis=0, method='inverted_cdf') if n_resamples \
        else np.full((2, *estimates.shape), np.nan)
    winners = np.bincount(resampled[:, :, -2].argmax(axis=1), minlength=len(chosen)) / n_resamples if n_resamples \
        else np.full(len(chosen), np.nan)
    held_out = _held_out(chosen, cells, count, folds, rng)
    rows = []
    for i, model in enumerate(chosen):
        values, likelihood = fitted[i]
        found: dict[str, Any] = {'P': model.name}
        for j, name in enumerate(names):
            ends_of = (low[i, j], high[i, j]) if (i, name) in own else (np.nan, np.nan)
            found |= {name: estimates[i, j], f'{name}_low': ends_of[0], f'{name}_high': ends_of[1]}
        kl = estimates[i, -1]
        found |= {'log_likelihood': likelihood, 'log_likelihood_low': low[i, -2], 'log_likelihood_high': high[i, -2],
                  'held_out': held_out[i], 'aic': 2 * len(model.free) - 2 * likelihood, 'kl': kl,
                  'kl_low': max(2 * kl - high[i, -1], 0) if np.isfinite(kl) else kl,
                  'kl_high': 2 * kl - low[i, -1] if np.isfinite(kl) else kl, 'best': winners[i],
                  'measure': model.measure(values)}
        rows.append(found)
    return pd.DataFrame(rows).sort_values('log_likelihood', ascending=False, kind='stable')


def _held_out(chosen: list[Candidate], cells: _Cells, count: Array, folds: int, rng: np.random.Generator) -> Array:
    """Log-likelihood of each part of the sessions by what is fitted to the others."""
    owners = int(cells.owner.max()) + 1
    folds = min(folds, owners)
    if folds < 2:
        return np.full(len(chosen), np.nan)
    part = rng.permutation(owners) % folds
    total = np.zeros(len(chosen))
    for fold in range(folds):
        out = np.bincount(cells.place[part[cells.owner] == fold], minlength=cells.width).astype(float)
        for i, model in enumerate(chosen):
            values, _ = _maximise(model, cells, count - out)
            total[i] += _likelihood(cells.log_p(model, values), out)
    return total


def _likelihood(log: Array, count: Array) -> float:
    return float(count[count > 0] @ log[count > 0])


def _maximise(model: Candidate, cells: _Cells, count: Array,
              near: dict[str, float] | None = None) -> tuple[dict[str, float], float]:
    """The parameters that make these observations most likely, and the log-likelihood.

    Args:
        near: where to look; by default at several places.
    """
    from scipy.optimize import minimize, minimize_scalar

    def likelihood(values: dict[str, float]) -> float:
        return _likelihood(cells.log_p(model, values), count)

    if not model.free:
        return {}, likelihood({})
    if list(model.free.values()) == [UNIT]:
        name, = model.free
        at = float(minimize_scalar(lambda t: -likelihood({name: t}), bounds=(EDGE, 1 - EDGE), method='bounded',
                                   options={'xatol': 1e-8}).x)
        return {name: at}, likelihood({name: at})
    ranges = list(model.free.values())

    def values_at(u: Array) -> dict[str, float]:
        return {name: _from_line(float(x), where) for (name, where), x in zip(model.free.items(), u)}

    def loss(u: Array) -> float:
        found = -likelihood(values_at(u))
        return found if np.isfinite(found) else 1e300

    if near is not None:
        starts = [[_to_line(near[name], where) for name, where in model.free.items()]]
    else:
        starts = [list(each) for each in itertools.product(*(
            [-2.0, 0.0, 2.0] if model.starts[name] is None else [_to_line(model.starts[name], where), -2.0, 1.0]
            for name, where in model.free.items()))]
        starts = sorted(starts, key=lambda u: loss(np.array(u)))[:3]
    best = min((minimize(loss, np.array(start), method='Nelder-Mead',
                         options={'xatol': 1e-7, 'fatol': 1e-9, 'maxiter': 400 * len(ranges)}) for start in starts),
               key=lambda each: each.fun)
    values = values_at(best.x)
    return values, likelihood(values)


def _from_line(u: float, where: Range) -> float:
    """A number of the line as one of the range: logistic, exponential or itself; never on an end."""
    if np.isfinite(where.low) and np.isfinite(where.high):
        share = 1 / (1 + np.exp(-np.clip(u, -30, 30)))
        return float(np.clip(where.low + (where.high - where.low) * share, where.low + EDGE, where.high - EDGE))
    if np.isfinite(where.low):
        return float(where.low + np.exp(np.clip(u, -30, 30)))
    return u if not np.isfinite(where.high) else float(where.high - np.exp(np.clip(u, -30, 30)))


def _to_line(value: Any, where: Range) -> float:
    if np.isfinite(where.low) and np.isfinite(where.high):
        share = np.clip((value - where.low) / (where.high - where.low), 1e-12, 1 - 1e-12)
        return float(np.log(share / (1 - share)))
    if np.isfinite(where.low):
        return float(np.log(max(value - where.low, 1e-12)))
    return float(value) if not np.isfinite(where.high) else float(np.log(max(where.high - value, 1e-12)))


def _middle(where: Range) -> float:
    return _from_line(0.0, where)


def _six(value: float) -> float:
    """A number to six digits."""
    return float(f'{value:.6g}')
