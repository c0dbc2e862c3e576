"""Fit stopping distributions and continuation functions to clicks (Carterette 2011, §4.1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Range
from ..results.progress import with_progress
from .candidates import (
    EDGE,
    ENDLESS,
    UNIT,
    UNKNOWN,
    Candidate,
    Rankings,
    candidates,
    from_line,
    rankings_seen,
)
from .logs import Observations, check_level, observations, patterns

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import RngLike

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

BETWEEN = (-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0)  # places of the line between its ends
ALIKE = 1e-3  # log-likelihoods that differ by less are those of models which no log tells apart


def fit_stopping(
    clicks: Any,
    P: Iterable[str] | None = None,
    *,
    C: Iterable[str] = (),
    reading: str | Iterable[str] | None = None,
    depth: int | None = None,
    relevance: Any = None,
    gain: Any = 'binary',
    max_rel: float | None = None,
    costs: Any = None,
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
            and, for the last clicks, ``time`` (anything that can be ordered). Usual names of these columns are known
            (``session_id``, ``AnonID``, ``position``, ``ItemRank``, ``QueryTime``, …). Rows without a rank, or with 0
            in a column ``clicked``, are no clicks.
        P: names of distributions. The default is all static ones, and with ``relevance`` the dynamic ones too. Every
            parameter is fitted unless its value is in the name, as in ``'Weibull(shape=0.7)'``. Values of parameters
            other than θ are sought above 0, or in the :class:`~ir_divmeasures.core.parameters.Range` of the parameter's
            annotation.
        C: names of continuation functions to fit as well, with the values of parameters that are not fitted:
            ``'INSQ'``, ``'SET(k=20)'``. Without ``relevance`` the functions must depend on the rank alone.
        reading: which clicks of a log are stopping ranks: ``'every'`` click, or the ``'last'`` click of each query
            session (session and query). The default is both. An array has one reading, ``'every'``.
        depth: the deepest rank that the log can contain. P is then conditional on ranks 1..depth, and clicks beyond it
            are ignored. The default is no such rank.
        relevance: grades of the ranking that users saw, ``{query: grades from rank 1}``, or ``{query: (grades, all
            grades judged)}`` as :func:`~ir_divmeasures.user_models.ranked_grades` returns them. Clicks of other
            queries are ignored.
        gain, max_rel: what functions C see as the gain of a grade, as for ``CWL``. Gains are in [0, 1].
        costs: costs of the documents that users saw, ``{query: costs from rank 1}``, for functions C that read them. It
            needs ``relevance``, with grades of 0 where they are not known. The default is 1 for each document. The last
            cost of a query is that of all deeper ranks.
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
    import pandas as pd

    models = candidates(P, C, relevance is not None)
    check_level(confidence_level)
    for name, value in (('n_resamples', n_resamples), ('folds', folds)):
        if value < 0 or value != int(value):
            raise ValueError(f'{name}={value!r}: expected a whole number of at least 0')
    if observed not in ('all', 'relevant'):
        raise ValueError(f"observed={observed!r}: expected 'all' or 'relevant'")
    if relevance is None and (costs is not None or observed == 'relevant'):
        raise ValueError(
            f'{"costs=" if costs is not None else "observed="} needs relevance=, the grades of the '
            f'rankings that users saw'
        )
    generator = np.random.default_rng(rng)
    rankings = UNKNOWN if relevance is None else rankings_seen(relevance, gain, max_rel, costs)
    tables = []
    for log in observations(clicks, reading, rankings.queries, depth):
        if observed == 'relevant':
            log = rankings.relevant_only(log)
        cells = _Cells.from_log(log, depth, rankings, observed == 'relevant')
        table = _fit(models, cells, n_resamples, confidence_level, folds, generator)
        tables.append(table.assign(reading=log.reading, n=len(log.rank)))
    result = pd.concat(tables, ignore_index=True)
    return result[['reading', *(c for c in result.columns if c not in ('reading', 'n')), 'n']]


# ------------------------------------------------------------------------------------------------ observations


class _Cells(NamedTuple):
    """The distinct observations, or cells: pairs of query and rank.

    Attributes:
        rank: (cells,) rank of each cell.
        query: (cells,) query of each cell, an index into the rankings.
        owner: (n,) query session of each observation.
        place: (n,) cell of each observation.
        conditional: whether P is conditional on the ranks that can be observed.
        observable: (Q, n) 1 at the ranks that can be observed, else 0.
        rankings: the rankings that users saw, two ranks deeper, because some continuation functions end at the last
            rank or the one before.
    """

    rank: Codes
    query: Codes
    owner: Codes
    place: Codes
    conditional: bool
    observable: Array
    rankings: Rankings

    @classmethod
    def from_log(
        cls, log: Observations, depth: int | None, rankings: Rankings, only_relevant: bool
    ) -> _Cells:
        """The cells of observations. The arguments are those of :func:`fit_stopping`."""
        n = max(int(log.rank.max()), depth or 0, rankings.relevant.shape[1])
        pair, place = np.unique(log.query * n + log.rank - 1, return_inverse=True)
        rankings = rankings.at_least(n + 2)
        relevant = rankings.relevant[:, : depth or n]
        observable = relevant if only_relevant else np.ones_like(relevant)
        conditional = only_relevant or depth is not None
        rank, query = pair % n + 1, pair // n
        return cls(rank, query, log.owner, place, conditional, observable, rankings)

    def log_p(self, model: Candidate, values: dict[str, float]) -> Array:
        """ln P of every cell, (cells,). All are −∞ if P with these values of its parameters is no distribution."""
        n = self.observable.shape[1]
        with np.errstate(all='ignore'):
            by_rank = model.by_rank(values, self.rankings)[..., :n] * self.observable
            if not (by_rank >= -1e-12).all() or not (by_rank.sum(axis=1) <= 1 + 1e-6).all():
                return np.full(len(self.rank), -np.inf)
            P = by_rank[self.query, self.rank - 1]
            whole = by_rank.sum(axis=1)[self.query] if self.conditional else 1.0
            return np.where(P > 0, np.log(P) - np.log(whole), -np.inf)

    def likelihood(self, model: Candidate, values: dict[str, float], count: Array) -> float:
        """The log-likelihood of a model for so many observations of each cell, (cells,)."""
        return float(count[count > 0] @ self.log_p(model, values)[count > 0])

    def saturated(self, count: Array) -> float:
        """Σ ln p̂ over the observations, where p̂ are the observed shares of each query; ``count`` is (cells,)."""
        nonzero = count > 0
        of_query = np.bincount(self.query, weights=count)[self.query]
        return float(count[nonzero] @ np.log(count[nonzero] / of_query[nonzero]))


# ------------------------------------------------------------------------------------------------ statistics


def _fit(
    models: list[Candidate],
    cells: _Cells,
    n_resamples: int,
    confidence_level: float,
    folds: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Fit every candidate to the cells, with errors of the parameters over the sessions.

    Returns:
        One row per candidate, the most likely first, with the columns of :func:`fit_stopping` except ``reading`` and
        ``n``.
    """
    import pandas as pd
    from scipy.stats import t

    distinct, times = patterns(cells.owner, cells.place, len(cells.rank))
    count = distinct.T @ times.astype(float)
    fitted = [_estimate(model, cells, count) for model in models]
    winners = np.full(len(models), 0.0 if n_resamples else np.nan)
    for _ in with_progress(range(n_resamples), 'resample', 'resamples'):
        sample = distinct.T @ rng.multinomial(times.sum(), times / times.sum()).astype(float)
        # The search begins at the parameters that fit all observations.
        likelihoods = [
            -np.inf
            if one.status == 'impossible'
            else _maximise(model, cells, sample, one.values)[1]
            for model, one in zip(models, fitted)
        ]
        winners[int(np.argmax(likelihoods))] += 1 / n_resamples
    n_sessions, saturated = int(times.sum()), cells.saturated(count)
    quantile = (
        float(t.ppf((1 + confidence_level) / 2, n_sessions - 1)) if n_sessions > 1 else np.nan
    )
    held_out = _held_out(models, cells, count, folds, rng)
    names = dict.fromkeys(['theta', *itertools.chain(*(model.free for model in models))])
    rows = []
    for model, one, winner, out in zip(models, fitted, winners, held_out):
        columns: dict[str, Any] = {'P': model.name, 'status': one.status}
        errors = _errors(model, one, cells, distinct, times)
        for name in names:
            columns[name] = one.estimates.get(name, np.nan)
            for end, sign in (('low', -1), ('high', 1)):
                columns[f'{name}_{end}'] = np.nan
                if name in errors:
                    where = model.free[name]
                    place = _scale(one.values[name], where) + sign * quantile * errors[name]
                    columns[f'{name}_{end}'] = _unscale(place, where)
        columns |= {
            'log_likelihood': one.likelihood,
            'held_out': out,
            'aic': 2 * len(model.free) - 2 * one.likelihood,
            'kl': max(saturated - one.likelihood, 0.0) / count.sum() / np.log(2),
            'best_share': winner,
        }
        rows.append(columns)
    frame = pd.DataFrame(rows)
    frame['measure'] = pd.Series(
        [
            model.measure(one.values) if one.status == 'fitted' else None
            for model, one in zip(models, fitted)
        ],
        dtype=object,
    )
    return frame.sort_values('log_likelihood', ascending=False, kind='stable')


class _Fitted(NamedTuple):
    """A fitted model.

    Attributes:
        values: the parameters at which the search ended.
        estimates: the reported value of each: the value, the end of the range that it is at, or NaN.
        likelihood: the log-likelihood.
        status: ``'fitted'``, ``'edge'``, ``'free'`` or ``'impossible'``.
    """

    values: dict[str, float]
    estimates: dict[str, float]
    likelihood: float
    status: str


def _errors(
    model: Candidate, one: _Fitted, cells: _Cells, distinct: Any, times: Codes
) -> dict[str, float]:
    """Standard errors of the parameters inside their ranges by the jackknife over sessions, on the scale of ``_scale``.

    Leaving out a session with log-likelihood l moves the estimate by (∇²L − ∇²l)⁻¹ ∇l to first order, where L is the
    log-likelihood of all sessions: one Newton step. Derivatives are central differences.

    Args:
        model, one: the candidate, fitted.
        cells: the distinct observations.
        distinct: (patterns, cells) number of observations of each cell in each distinct session, sparse.
        times: (patterns,) number of sessions of each pattern.
    """
    inside = {
        name: where for name, where in model.free.items() if one.estimates[name] == one.values[name]
    }
    if not inside:
        return {}
    u = np.array([_scale(one.values[name], where) for name, where in inside.items()])
    step = np.array(
        [1e-3 * min(x, 1 - x) if where == UNIT else 1e-3 for x, where in zip(u, inside.values())]
    )

    def log_p(move: Array) -> Array:
        """ln P of the cells where the parameters are moved by so many steps."""
        moved = {
            name: _unscale(float(x), where)
            for (name, where), x in zip(inside.items(), u + step * move)
        }
        return cells.log_p(model, {**one.values, **moved})

    axes, k = np.eye(len(u)), len(u)
    first = np.array([log_p(a) - log_p(-a) for a in axes]) / 2
    second = [
        log_p(a + b) - log_p(a - b) - log_p(b - a) + log_p(-a - b) for a in axes for b in axes
    ]
    slope = distinct @ first.T  # (patterns, parameters), of one step
    curve = (distinct @ (np.array(second) / 4).T).reshape(-1, k, k)
    left = np.tensordot(times, curve, axes=1) - curve
    try:
        change = np.linalg.solve(left, slope[..., None])[..., 0] * step
    except np.linalg.LinAlgError:  # without one of the sessions, the data do not tell a parameter
        return dict.fromkeys(inside, np.nan)
    n = times.sum()
    variance = (n - 1) / n * (times @ np.square(change - times @ change / n))
    return dict(zip(inside, np.sqrt(variance)))


def _estimate(model: Candidate, cells: _Cells, count: Array) -> _Fitted:
    """The most likely parameters, and what the data tell about each of them."""
    from scipy.stats import chi2

    values, likelihood = _maximise(model, cells, count)
    if not np.isfinite(likelihood):
        return _Fitted(values, dict.fromkeys(model.free, np.nan), -np.inf, 'impossible')
    estimates, least = dict(values), likelihood - float(chi2.ppf(0.95, 1)) / 2

    def profile(name: str, u: float) -> float:
        """The largest log-likelihood with a parameter at a place of the line."""
        fixed = {name: from_line(u, model.free[name])}
        others = {other: where for other, where in model.free.items() if other != name}
        part = replace(model, free=others, by_rank=lambda v, r: model.by_rank({**v, **fixed}, r))
        near = {other: values[other] for other in others} or None
        return _maximise(part, cells, count, near, ALIKE / 10)[1]

    for name, where in model.free.items():
        ends = [profile(name, u) for u in (-ENDLESS, ENDLESS)]
        if min(ends) >= least and all(profile(name, u) >= least for u in BETWEEN):
            estimates[name] = np.nan
        elif max(ends) >= likelihood - ALIKE:
            estimates[name] = (where.low, where.high)[int(np.argmax(ends))]
    if any(np.isnan(value) for value in estimates.values()):
        return _Fitted(values, estimates, likelihood, 'free')
    return _Fitted(values, estimates, likelihood, 'fitted' if estimates == values else 'edge')


def _held_out(
    models: list[Candidate], cells: _Cells, count: Array, folds: int, rng: np.random.Generator
) -> Array:
    """The held-out log-likelihood of each candidate, (candidates,): each part of the sessions is scored by the
    parameters that are fitted to the other parts. ``count`` (cells,) is the number of observations of each cell."""
    owners = int(cells.owner.max()) + 1
    folds = min(folds, owners)
    if folds < 2:
        return np.full(len(models), np.nan)
    part = rng.permutation(owners) % folds
    total = np.zeros(len(models))
    for fold in range(folds):
        places = cells.place[part[cells.owner] == fold]
        out = np.bincount(places, minlength=len(count)).astype(float)
        for i, model in enumerate(models):
            values, _ = _maximise(model, cells, count - out)
            total[i] += cells.likelihood(model, values, out)
    return total


def _maximise(
    model: Candidate,
    cells: _Cells,
    count: Array,
    near: dict[str, float] | None = None,
    tolerance: float = 1e-9,
) -> tuple[dict[str, float], float]:
    """The parameters that make the observations most likely, and their log-likelihood.

    Args:
        model: the candidate.
        cells: the distinct observations.
        count: (cells,) number of observations of each cell.
        near: parameters at which the search starts. By default it starts at several points.
        tolerance: the error of the log-likelihood at which the search ends, for parameters other than θ alone.
    """
    from scipy.optimize import minimize, minimize_scalar

    if not model.free:
        return {}, cells.likelihood(model, {}, count)
    if list(model.free.values()) == [UNIT]:
        (name,) = model.free
        best = minimize_scalar(
            lambda t: -cells.likelihood(model, {name: t}, count),
            bounds=(EDGE, 1 - EDGE),
            method='bounded',
            options={'xatol': 1e-8},
        )
        values = {name: float(best.x)}
        return values, cells.likelihood(model, values, count)

    def values_at(u: Array) -> dict[str, float]:
        return {name: from_line(float(x), where) for (name, where), x in zip(model.free.items(), u)}

    def loss(u: Array) -> float:
        value = -cells.likelihood(model, values_at(u), count)
        return value if np.isfinite(value) else 1e300

    def climb(start: Any, tolerance: float) -> Any:
        # scipy's own first simplex is 5 % of the start, that is, a point where a start is all but 0
        return minimize(
            loss,
            start,
            method='Nelder-Mead',
            options={
                'initial_simplex': np.vstack([start, start + 0.25 * np.eye(len(start))]),
                'xatol': 100 * tolerance,
                'fatol': tolerance,
                'maxiter': 400 * len(start),
            },
        )

    if near is not None:
        start = np.array([_to_line(near[name], where) for name, where in model.free.items()])
    else:  # a rough search from each of three starts, and a precise one from the best of their ends
        places = [
            [-2.0, 0.0, 2.0]
            if model.starts[name] is None
            else [_to_line(model.starts[name], where), -2.0, 1.0]
            for name, where in model.free.items()
        ]
        starts = sorted(map(np.array, itertools.product(*places)), key=loss)[:3]
        start = min((climb(each, ALIKE) for each in starts), key=lambda result: result.fun).x
    values = values_at(climb(start, tolerance).x)
    return values, cells.likelihood(model, values, count)


def _to_line(value: Any, where: Range) -> float:
    """Map a number of a range to the real line, the inverse of :func:`from_line`."""
    if np.isfinite(where.low) and np.isfinite(where.high):
        share = np.clip((value - where.low) / (where.high - where.low), 1e-12, 1 - 1e-12)
        return float(np.log(share / (1 - share)))
    if np.isfinite(where.low):
        return float(np.log(max(value - where.low, 1e-12)))
    if np.isfinite(where.high):
        return float(np.log(max(where.high - value, 1e-12)))
    return float(value)


def _scale(value: float, where: Range) -> float:
    """A parameter on the scale of its interval: θ itself, others on the line on which they are sought."""
    return value if where == UNIT else _to_line(value, where)


def _unscale(value: float, where: Range) -> float:
    """The inverse of :func:`_scale`; θ stays within its range."""
    return float(np.clip(value, 0.0, 1.0)) if where == UNIT else from_line(value, where)
