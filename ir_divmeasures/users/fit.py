"""Fit stopping distributions and continuation functions to clicks (Carterette 2011, §4.1)."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Parameter, Range, parameter
from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..core.stopping.continuation import viewing
from ..lazy import pd
from ..meta.resampling import fraction, whole
from ..results.progress import with_progress
from .logs import kept, observations, sessions
from .profile import check_grades

if TYPE_CHECKING:
    from ..typing import RngLike

Array = NDArray[np.float64]

EDGE = 1e-9  # θ is sought from EDGE to 1 − EDGE
ENDLESS = 30.0  # where the line on which other parameters are sought ends
UNIT = Range(0, 1, '()')
BETWEEN = (-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0)  # places of the line between its ends
ALIKE = 1e-3  # log-likelihoods that differ by less are those of models which no log tells apart


def fit_stopping(
    clicks: Any,
    P: Iterable[str] | None = None,
    *,
    C: Iterable[str] = (),
    reading: str | None = None,
    depth: int | None = None,
    relevance: Any = None,
    observed: str = 'all',
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    folds: int = 10,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Fit stopping distributions and continuation functions to observed stopping or click ranks, and compare them.

    Parameters are fitted by maximum likelihood. The statistics are the log-likelihood Σ ln P(k) over the observed
    ranks, AIC = 2·parameters − 2·log-likelihood, the Kullback–Leibler divergence Σ_k p̂(k) log2(p̂(k)/P(k)) of P from
    the observed shares p̂, and the held-out log-likelihood. The held-out log-likelihood scores each part of the query
    sessions by the parameters that are fitted to the other parts.

    All models have the same support: the ranks from 1 on, or ranks 1..depth with ``depth``. A user may stop below the
    end of a ranking, where documents have no gain and the cost of the last one.

    Confidence intervals of parameters are estimate ± t · standard error. The standard error is that of the jackknife
    over query sessions (over the ranks of an array), and t has one degree of freedom less than there are sessions. The
    estimate without a session is one Newton step away from the estimate of all sessions. θ is on its own scale. Other
    parameters are on the scale on which they are searched: logarithmic above a lower end of their range, log-odds
    between two ends.

    The column ``status`` says what the data tell about a model:

    * ``'fitted'``: the estimates are inside their ranges.
    * ``'edge'``: a parameter is at an end of its range, which is given (it may be infinite) without an interval.
    * ``'free'``: the 95 % likelihood set of a parameter is its whole range. The data do not tell it, and it is NaN.
    * ``'impossible'``: the model excludes an observation. Its log-likelihood is −∞ and its parameters are NaN.

    Args:
        clicks: stopping ranks as an array, or a click table: a DataFrame with columns ``session``, ``query``, ``rank``
            and, for the last clicks, ``time`` (anything that can be ordered). Rows without a rank are no clicks.
        P: names of distributions. The default is all static ones, and with ``relevance`` the dynamic ones too. Every
            parameter is fitted unless its value is in the name, as in ``'Weibull(shape=0.7)'``. Values of parameters
            other than θ are sought above 0, or in the :class:`~ir_divmeasures.core.parameters.Range` of the parameter's
            annotation.
        C: names of continuation functions to fit as well, with the values of parameters that are not fitted:
            ``'INSQ'``, ``'SET(k=20)'``. Without ``relevance`` the functions must depend on the rank alone. The gain of
            a relevant document is 1, and each document costs 1.
        reading: which clicks of a log are stopping ranks: ``'every'`` click, or the ``'last'`` click of each query
            session (session and query). The default is both. An array has one reading, ``'every'``.
        depth: the deepest rank that the log can contain. P is then conditional on ranks 1..depth, and clicks beyond it
            are ignored. The default is no such rank.
        relevance: grades of the ranking that users saw, ``{query: grades from rank 1}``, or ``{query: (grades, all
            grades judged)}`` as :func:`~ir_divmeasures.user_models.ranked_grades` returns them. Clicks of other
            queries are ignored.
        observed: ``'all'`` clicks count. With ``'relevant'``, only clicks at relevant ranks count, and every model is
            conditional on the relevant ranks of the query's ranking.
        n_resamples: number of bootstrap resamples of query sessions for ``best_share``. With 0 it is NaN.
        confidence_level: confidence level of the intervals.
        folds: number of parts of the sessions for the held-out log-likelihood. With 0 it is NaN.
        rng: seed or generator, as for ``numpy.random.default_rng``.

    Returns:
        DataFrame, one row per reading and distribution, best fit first: ``reading, P, status, theta, theta_low,
        theta_high``, the same for every other fitted parameter, ``log_likelihood, held_out, aic, kl, best_share,
        measure, n``. Functions of ``C`` have names such as ``C=INSQ``. ``best_share`` is the share of resamples in
        which this distribution is the most likely one; it is no probability that the model is right. ``measure`` is the
        fitted model as a measure with parameters to six digits: ``CWL``, ``UM`` of model 2, or ``UM`` of model 4 for
        dynamic distributions. It is None unless the status is ``'fitted'``. ``n`` is the number of observed ranks. A
        parameter is NaN where P does not have it.

    Reference: Carterette, SIGIR 2011, §4.1 and Figure 2.

    Examples:
        The mean rank is 2, so θ = 1/2 for RBP. The observed shares are 3/6, 1/6, 1/6, 1/6, so the divergence of RR is
        (log2(12/6) + log2(20/6))/6.

        >>> fit = fit_stopping([1, 1, 2, 1, 3, 4], ['RBP', 'RR'], n_resamples=0)
        >>> fit[['reading', 'P', 'status', 'theta', 'kl', 'n']].round(3)
          reading    P  status  theta     kl  n
        0   every  RBP  fitted    0.5  0.208  6
        1   every   RR  fitted    NaN  0.456  6
        >>> fit_stopping([1, 2, 1, 4], ['RBP'], C=['RBP'], n_resamples=0)['measure'].tolist()  # θ = 1/2 = 1 − p
        ["UM(P='RBP')", 'CWL(p=0.5)']
    """
    fraction(confidence_level, 'confidence_level')
    whole(n_resamples, 'n_resamples', 0)
    whole(folds, 'folds', 0)
    if observed not in ('all', 'relevant'):
        raise ValueError(f"observed={observed!r}: expected 'all' or 'relevant'")
    only_relevant, queries = observed == 'relevant', None
    relevant, total = np.zeros((1, 1)), np.zeros(1)
    if relevance is not None:
        relevant, total = _relevant(relevance)
        queries = list(relevance)
    elif only_relevant:
        raise ValueError('observed= needs relevance=, the grades of the rankings that users saw')
    if P is None:
        P = [name for name in stopping.names() if queries or not stopping.base(name).dynamic]
    P, C = ([names] if isinstance(names, str) else names for names in (P, C))
    models = [_distribution(name, queries is not None) for name in P]
    models += [_continuation(name, queries is not None) for name in C]
    if not models:
        raise ValueError('no distribution to fit')
    generator = np.random.default_rng(rng)
    tables = []
    for name, log in observations(clicks, reading, queries, depth).items():
        n = max(int(log['rank'].max()), relevant.shape[1])
        # some functions C end at the last ranks, so rankings are two ranks deeper than the clicks
        shown = np.pad(relevant, ((0, 0), (0, max(n, depth or 0) + 2 - relevant.shape[1])))
        if only_relevant:
            is_relevant = shown[log['query'], log['rank'] - 1] > 0
            log = kept(log, is_relevant, name, 'not at relevant documents')
        n = depth or n
        observable = shown[:, :n] if only_relevant else np.ones((len(shown), n))
        conditional = only_relevant or depth is not None
        fits = [model(shown, total, observable, conditional) for model in models]
        table = _table(fits, log, n_resamples, confidence_level, folds, generator)
        tables.append(table.assign(n=len(log)))
        tables[-1].insert(0, 'reading', name)
    return pd.concat(tables, ignore_index=True)


def _relevant(relevance: Any) -> tuple[Array, Array]:
    """Relevance by query and rank, (Q, n), and the number of all relevant documents, (Q,)."""
    if not isinstance(relevance, Mapping) or not relevance:
        raise TypeError('relevance: expected {query: grades from rank 1}')
    rows, totals = [], []
    for query, grades in relevance.items():
        pair = isinstance(grades, tuple) and len(grades) == 2 and np.ndim(grades[0]) == 1
        row, judged = (
            check_grades(each, f'relevance of query {query!r}') > 0
            for each in (grades if pair else (grades, grades))
        )
        if judged.sum() < row.sum():
            raise ValueError(
                f'relevance: query {query!r} has {judged.sum()} relevant documents judged, but '
                f'{row.sum()} in its ranking'
            )
        rows.append(row)
        totals.append(float(judged.sum()))
    n = max(1, *map(len, rows))
    return np.array([np.pad(row, (0, n - len(row))) for row in rows], float), np.array(totals)


# ------------------------------------------------------------------------------------------------ one model


class _Estimate(NamedTuple):
    """A fitted model.

    Attributes:
        values: the parameters at which the search ended.
        shown: the reported value of each: the value, the end of the range that it is at, or NaN.
        likelihood: the log-likelihood.
        status: ``'fitted'``, ``'edge'``, ``'free'`` or ``'impossible'``.
    """

    values: dict[str, float]
    shown: dict[str, float]
    likelihood: float
    status: str


@dataclass
class _Fit:
    """A distribution with parameters to fit, and the rankings that users saw.

    Counts, (Q · n,), are numbers of observations by query and rank.

    Attributes:
        name: the name in the resulting table.
        free: the range of each parameter to fit.
        starts: the default of each parameter to fit, None where it has none.
        P: ``(values, relevant, total) → P`` at the ranks of the rankings, (n,) or (Q, n).
        measure: ``(values) →`` the name of the measure of the fitted model.
        relevant: (Q, ≥ n + 2) 1 at ranks of relevant documents, else 0.
        total: (Q,) number of all relevant documents.
        observable: (Q, n) 1 at the ranks that can be observed, else 0.
        conditional: whether P is conditional on the ranks that can be observed.
    """

    name: str
    free: dict[str, Range]
    starts: Mapping[str, Any]
    P: Callable[[dict[str, Any], Array, Array], Array]
    measure: Callable[[dict[str, Any]], str]
    relevant: Array
    total: Array
    observable: Array
    conditional: bool

    def log_p(self, values: dict[str, Any]) -> Array:
        """ln P by query and rank, (Q · n,). All are −∞ if P with these values of its parameters is no distribution."""
        with np.errstate(all='ignore'):
            P = self.P(values, self.relevant, self.total)[..., : self.observable.shape[1]]
            P = P * self.observable
            total = P.sum(axis=1, keepdims=True)
            if not (P >= -1e-12).all() or not (total <= 1 + 1e-6).all():
                return np.full(P.size, -np.inf)
            log_total = np.log(total) if self.conditional else 0.0
            return np.where(P > 0, np.log(P) - log_total, -np.inf).ravel()

    def likelihood(self, values: dict[str, Any], count: Array) -> float:
        """The log-likelihood of the model for such counts."""
        return float(count[count > 0] @ self.log_p(values)[count > 0])

    def maximise(
        self,
        count: Array,
        near: Mapping[str, float] | None = None,
        fixed: Mapping[str, float] = MappingProxyType({}),
        tolerance: float = 1e-9,
    ) -> tuple[dict[str, float], float]:
        """The parameters that make the counts most likely, and their log-likelihood.

        Args:
            count: the counts.
            near: parameters at which the search starts. By default it starts at several points.
            fixed: parameters that keep these values.
            tolerance: the error of the log-likelihood at which the search ends, for parameters other than θ alone.
        """
        from scipy.optimize import minimize, minimize_scalar

        free = {name: where for name, where in self.free.items() if name not in fixed}

        def values_at(u: Iterable[float]) -> dict[str, float]:
            places = zip(free.items(), u)
            return {**fixed, **{name: _from_line(float(x), where) for (name, where), x in places}}

        def loss(u: Array) -> float:
            value = -self.likelihood(values_at(u), count)
            return value if np.isfinite(value) else 1e300

        def climb(start: Any, tolerance: float) -> Any:
            # scipy's own first simplex is 5 % of the start, that is, a point where a start is all but 0
            simplex = np.vstack([start, start + 0.25 * np.eye(len(start))])
            options = {'initial_simplex': simplex, 'xatol': 100 * tolerance, 'fatol': tolerance}
            options['maxiter'] = 400 * len(start)
            return minimize(loss, start, method='Nelder-Mead', options=options)

        values = dict(fixed)
        if list(free.values()) == [UNIT]:
            (name,) = free
            values[name] = float(
                minimize_scalar(
                    lambda theta: -self.likelihood({**fixed, name: theta}, count),
                    bounds=(EDGE, 1 - EDGE),
                    method='bounded',
                    options={'xatol': 1e-8},
                ).x
            )
        elif free:
            if near is not None:
                start = np.array([_to_line(near[name], where) for name, where in free.items()])
            else:  # a rough search from each of three starts, a precise one from the best of their ends
                places = [
                    [-2.0, 0.0, 2.0]
                    if self.starts[name] is None
                    else [_to_line(self.starts[name], where), -2.0, 1.0]
                    for name, where in free.items()
                ]
                starts = sorted(map(np.array, itertools.product(*places)), key=loss)[:3]
                start = min((climb(each, ALIKE) for each in starts), key=lambda end: end.fun).x
            values = values_at(climb(start, tolerance).x)
        return values, self.likelihood(values, count)

    def estimate(self, count: Array) -> _Estimate:
        """The most likely parameters, and what the data tell about each of them."""
        from scipy.stats import chi2

        values, likelihood = self.maximise(count)
        if not np.isfinite(likelihood):
            return _Estimate(values, dict.fromkeys(self.free, np.nan), -np.inf, 'impossible')
        shown, least = dict(values), likelihood - float(chi2.ppf(0.95, 1)) / 2
        for name, where in self.free.items():
            # the largest log-likelihoods with the parameter at places of the line, from end to end
            profile = (
                self.maximise(count, values, {name: _from_line(u, where)}, ALIKE / 10)[1]
                for u in (-ENDLESS, ENDLESS, *BETWEEN)
            )
            ends = next(profile), next(profile)
            if min(ends) >= least and min(profile) >= least:
                shown[name] = np.nan
            elif max(ends) >= likelihood - ALIKE:
                shown[name] = (where.low, where.high)[int(np.argmax(ends))]
        status = 'fitted' if shown == values else 'edge'
        return _Estimate(
            values, shown, likelihood, 'free' if np.isnan([*shown.values()]).any() else status
        )

    def intervals(
        self, one: _Estimate, distinct: Any, times: Any, confidence_level: float
    ) -> dict[str, tuple[float, float]]:
        """Intervals of the parameters inside their ranges: estimate ± t · error of the jackknife over sessions.

        Leaving out a session with log-likelihood l moves the estimate by (∇²L − ∇²l)⁻¹ ∇l to first order, where L is
        the log-likelihood of all sessions: one Newton step. Derivatives are central differences.

        Args:
            one: the fitted model.
            distinct: (patterns, Q · n) number of observations in each distinct session, sparse.
            times: (patterns,) number of sessions of each pattern.
            confidence_level: that of the intervals.
        """
        from scipy.stats import t

        names = [name for name in self.free if one.shown[name] == one.values[name]]
        k, n = len(names), int(times.sum())
        if not names or n < 2:
            return {}
        # θ is on its own scale, other parameters are on the line on which they are sought.
        theta = np.array([self.free[name] == UNIT for name in names])
        lines = [_to_line(one.values[name], self.free[name]) for name in names]
        u = np.where(theta, [one.values[name] for name in names], lines)
        step = np.where(theta, 1e-3 * np.minimum(u, 1 - u), 1e-3)

        def values_at(u: Array) -> dict[str, float]:
            return {
                name: float(np.clip(x, 0.0, 1.0)) if own else _from_line(x, self.free[name])
                for name, own, x in zip(names, theta, u)
            }

        def log_p(move: Array) -> Array:
            """ln P where the parameters are moved by so many steps."""
            return self.log_p({**one.values, **values_at(u + step * move)})

        axes = np.eye(k)
        with np.errstate(invalid='ignore'):  # ranks that nobody observed, where P = 0
            first = np.array([log_p(a) - log_p(-a) for a in axes]) / 2
            second = [
                log_p(a + b) - log_p(a - b) - log_p(b - a) + log_p(-a - b)
                for a in axes
                for b in axes
            ]
        slope = distinct @ first.T  # (patterns, parameters), of one step
        curve = (distinct @ (np.array(second) / 4).T).reshape(-1, k, k)
        left = np.tensordot(times, curve, axes=1) - curve
        try:
            change = np.linalg.solve(left, slope[..., None])[..., 0] * step
        except (
            np.linalg.LinAlgError
        ):  # without one of the sessions, the data do not tell a parameter
            return {}
        variance = (n - 1) / n * (times @ np.square(change - times @ change / n))
        half = float(t.ppf((1 + confidence_level) / 2, n - 1)) * np.sqrt(variance)
        low, high = values_at(u - half), values_at(u + half)
        return {name: (low[name], high[name]) for name in names}


# ------------------------------------------------------------------------------------------------ models


def _sought(
    model: str, known: Mapping[str, Parameter], given: Iterable[tuple[str, float]], every: Range
) -> tuple[dict[str, Any], dict[str, Range]]:
    """The parameters of a model whose values are fixed, and the ranges of those to fit.

    Args:
        model: the model in messages, as in ``C='NDCG'``.
        known: all its parameters.
        given: the values in its name.
        every: the range of a parameter that states none.
    """
    stopping.check_parameters(model, known, dict(given))
    fixed = {name: known[name].check(value) for name, value in given}
    for name, each in known.items():
        if name not in fixed and each.dtype is not float:
            if each.default is None:
                raise ValueError(
                    f'{model}: {name} is a whole number and not fitted; give it in the name, as in '
                    f'{name}=10'
                )
            fixed[name] = each.default
    return fixed, {name: known[name].admits or every for name in known if name not in fixed}


def _distribution(text: str, relevance: bool) -> Callable[..., _Fit]:
    """``_Fit(…)`` but for the rankings, of a stopping distribution's name, in which the values of some parameters may be set."""
    name, given = stopping.split(text)
    distribution = stopping.base(text)
    if distribution.dynamic and not relevance:
        raise ValueError(
            f'P={text!r} depends on relevance; without relevance=, the grades of the rankings that users '
            f'saw, only static distributions can be fitted'
        )
    is_function = inspect.isfunction(distribution.P)
    hints = typing.get_type_hints(distribution.P, include_extras=True) if is_function else {}
    starts = dict(distribution.parameters)
    known = {key: parameter(key, hints.get(key, float), start) for key, start in starts.items()}
    fixed, free = _sought(f'P={name!r}', known, given, Range(0, open='('))
    if distribution.takes_theta:
        free, starts['theta'] = {'theta': UNIT, **free}, None

    def by_rank(values: dict[str, Any], relevant: Array, total: Array) -> Array:
        theta, settings = values.get('theta', 0.5), {**fixed, **values}
        if not distribution.dynamic:
            return distribution.by_rank(relevant.shape[1], theta, settings)[0][1:-1]
        return distribution.at_relevant(relevant.T, total, theta, settings).T

    def measure(values: dict[str, Any]) -> str:
        values = {**fixed, **values}
        theta = {'theta': values.pop('theta')} if 'theta' in values else {}
        model = 4 if distribution.dynamic else 2
        return str(parse('UM')(model=model, P=stopping.bound_name(name, values), **theta))

    return functools.partial(_Fit, text, free, starts, by_rank, measure)


def _continuation(text: str, relevance: bool) -> Callable[..., _Fit]:
    """``_Fit(…)`` but for the rankings, of a continuation function's name, in which the values of some parameters may be set."""
    name, given = stopping.split(text)
    function = stopping.CONTINUATIONS[name]
    fixed, free = _sought(f'C={name!r}', stopping.declared(function), given, Range())

    def by_rank(values: dict[str, Any], relevant: Array, total: Array) -> Array:
        C = function(relevant, np.ones_like(relevant), **fixed, **values)
        return viewing(C) * (1 - C)

    if not relevance:
        starts = {key: function.defaults[key] for key in free}
        trial = {
            key: _from_line(0.0, free[key]) if start is None else start
            for key, start in starts.items()
        }
        gains = np.array([np.zeros(20), np.linspace(0, 1, 20)])
        without, with_gains = (function(g, np.ones(20), **fixed, **trial) for g in gains)
        if not np.array_equal(without, with_gains):
            raise ValueError(
                f'C={text!r} depends on gains; without relevance= only functions of the rank can be '
                f'fitted'
            )
    return functools.partial(
        _Fit,
        f'C={text}',
        free,
        function.defaults,
        by_rank,
        lambda values: str(parse('CWL')(C=name, **fixed, **values)),
    )


# ------------------------------------------------------------------------------------------------ statistics


def _table(
    fits: list[_Fit],
    log: pd.DataFrame,
    n_resamples: int,
    confidence_level: float,
    folds: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Fit every model to the observations: the columns of :func:`fit_stopping`, the most likely model first."""
    shape = fits[0].observable.shape
    place = (log['query'] * shape[1] + log['rank'] - 1).to_numpy()
    owner = np.unique(log['owner'], return_inverse=True)[1]
    distinct, times = sessions(owner, place, shape[0] * shape[1])
    count = distinct.T @ times.astype(float)
    estimates = [fit.estimate(count) for fit in fits]
    best_share = np.full(len(fits), 0.0 if n_resamples else np.nan)
    for _ in with_progress(range(n_resamples), 'resample', 'resamples'):
        sample = distinct.T @ rng.multinomial(times.sum(), times / times.sum()).astype(float)
        # The search begins at the parameters that fit all observations.
        likelihoods = [
            -np.inf if one.status == 'impossible' else fit.maximise(sample, one.values)[1]
            for fit, one in zip(fits, estimates)
        ]
        best_share[int(np.argmax(likelihoods))] += 1 / n_resamples
    folds = min(folds, int(owner.max()) + 1)
    held_out = np.full(len(fits), 0.0 if folds > 1 else np.nan)
    part = rng.permutation(int(owner.max()) + 1) % max(folds, 1)
    for fold in range(folds if folds > 1 else 0):
        out = np.bincount(place[part[owner] == fold], minlength=len(count)).astype(float)
        held_out += [fit.likelihood(fit.maximise(count - out)[0], out) for fit in fits]
    by_query = count.reshape(shape)
    shares = (by_query / np.maximum(by_query.sum(axis=1, keepdims=True), 1)).ravel()
    saturated = count[count > 0] @ np.log(shares[count > 0])
    rows = []
    for fit, one, share, out in zip(fits, estimates, best_share, held_out):
        row: dict[str, Any] = {'P': fit.name, 'status': one.status}
        ends = fit.intervals(one, distinct, times, confidence_level)
        for name in dict.fromkeys(['theta', *itertools.chain(*(each.free for each in fits))]):
            row[name] = one.shown.get(name, np.nan)
            row[f'{name}_low'], row[f'{name}_high'] = ends.get(name, (np.nan, np.nan))
        six_digits = {name: float(f'{value:.6g}') for name, value in one.values.items()}
        row |= {
            'log_likelihood': one.likelihood,
            'held_out': out,
            'aic': 2 * len(fit.free) - 2 * one.likelihood,
            'kl': max(saturated - one.likelihood, 0.0) / len(log) / np.log(2),
            'best_share': share,
            'measure': fit.measure(six_digits) if one.status == 'fitted' else None,
        }
        rows.append(row)
    frame = pd.DataFrame(rows)
    frame['measure'] = pd.Series([row['measure'] for row in rows], dtype=object)
    return frame.sort_values('log_likelihood', ascending=False, kind='stable')


def _to_line(value: Any, where: Range) -> float:
    """Map a number of a range to the real line, the inverse of :func:`_from_line`."""
    if not np.isfinite(where.low):
        return float(value)
    if not np.isfinite(where.high):
        return math.log(max(value - where.low, 1e-12))
    share = np.clip((value - where.low) / (where.high - where.low), 1e-12, 1 - 1e-12)
    return float(np.log(share / (1 - share)))


def _from_line(u: float, where: Range) -> float:
    """Map a real number into a range, whose ends are never reached: logistic, exponential or identity."""
    bounded = min(max(u, -ENDLESS), ENDLESS)
    if not np.isfinite(where.low):
        return u
    if not np.isfinite(where.high):
        return where.low + math.exp(bounded)
    value = where.low + (where.high - where.low) / (1 + math.exp(-bounded))
    return min(max(value, where.low + EDGE), where.high - EDGE)
