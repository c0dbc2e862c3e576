"""Fit stopping distributions and continuation functions to clicks (Carterette 2011, §4.1)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.parameters import Parameter, Range
from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..core.stopping.continuation import viewing
from ..errors import fraction, warn, whole, without
from ..lazy import pd
from ..meta.resampling import check_columns
from .profile import check_grades

Array = NDArray[np.float64]

EDGE = 1e-9  # parameters between two ends are sought from EDGE above the lower to EDGE below the upper one
ENDLESS = 30.0  # where the line on which parameters are sought ends
UNIT = Range(0, 1, '()')
STARTS = (-2.0, 0.0, 2.0)  # places of the line where a search begins
BETWEEN = (-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0)  # places of the line between its ends
ALIKE = 1e-3  # log-likelihoods that differ by less are those of models which no log tells apart


@without(
    reading="for the last click of each session and query, pass clicks.sort_values('time')"
    ".drop_duplicates(['session', 'query'], keep='last')",
    observed='pass the clicks at relevant documents',
    n_resamples='the column aic compares the models',
    folds='the column aic compares the models',
    rng='nothing is drawn at random',
)
def fit_stopping(
    clicks: Any,
    P: Iterable[str] | None = None,
    *,
    C: Iterable[str] = (),
    depth: int | None = None,
    relevance: Any = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Fit stopping distributions and continuation functions to observed stopping or click ranks, and compare them.

    Parameters are fitted by maximum likelihood. The statistics are the log-likelihood Σ ln P(k) over the observed
    ranks, AIC = 2·parameters − 2·log-likelihood, and the Kullback–Leibler divergence Σ_k p̂(k) log2(p̂(k)/P(k)) of P
    from the observed shares p̂.

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
        clicks: stopping ranks as an array, or a click table: a DataFrame with columns ``session``, ``query``, ``rank``.
            Rows without a rank are no clicks. Every click counts as a stopping rank. For the last click of each session
            and query, pass ``clicks.sort_values('time').drop_duplicates(['session', 'query'], keep='last')``.
        P: names of distributions. The default is all static ones, and with ``relevance`` the dynamic ones too. Every
            parameter is fitted unless its value is in the name, as in ``'Weibull(shape=0.7)'``. Values of parameters
            other than θ are sought above 0, or in the :class:`~ir_divmeasures.core.parameters.Range` of the parameter's
            annotation.
        C: names of continuation functions to fit as well, with the values of parameters that are not fitted:
            ``'INSQ'``, ``'SET(k=20)'``. Without ``relevance`` the functions must depend on the rank alone. The gain of
            a relevant document is 1, and each document costs 1.
        depth: the deepest rank that the log can contain. P is then conditional on ranks 1..depth, and clicks beyond it
            are ignored. The default is no such rank.
        relevance: grades of the ranking that users saw, ``{query: grades from rank 1}``, or ``{query: (grades, all
            grades judged)}`` as :func:`~ir_divmeasures.user_models.ranked_grades` returns them. Clicks of other
            queries are ignored.
        confidence_level: confidence level of the intervals.

    Returns:
        DataFrame, one row per distribution, best fit first: ``P, status, theta, theta_low, theta_high``, the same for
        every other fitted parameter, ``log_likelihood, aic, kl, measure, n``. Functions of ``C`` have names such as
        ``C=INSQ``. ``measure`` is the fitted model as a measure with parameters to six digits: ``CWL``, ``UM`` of
        model 2, or ``UM`` of model 4 for dynamic distributions. It is None unless the status is ``'fitted'``. ``n`` is
        the number of observed ranks. A parameter is NaN where P does not have it.

    Reference: Carterette, SIGIR 2011, §4.1 and Figure 2.

    Examples:
        The mean rank is 2, so θ = 1/2 for RBP. The observed shares are 3/6, 1/6, 1/6, 1/6, so the divergence of RR is
        (log2(12/6) + log2(20/6))/6.

        >>> fit_stopping([1, 1, 2, 1, 3, 4], ['RBP', 'RR'])[['P', 'status', 'theta', 'kl', 'n']].round(3)
             P  status  theta     kl  n
        0  RBP  fitted    0.5  0.208  6
        1   RR  fitted    NaN  0.456  6
        >>> fit_stopping([1, 2, 1, 4], ['RBP'], C=['RBP'])['measure'].tolist()  # θ = 1/2 = 1 − p
        ["UM(P='RBP')", 'CWL(p=0.5)']
    """
    fraction(confidence_level, 'confidence_level')
    if depth is not None:
        whole(depth, 'depth')
    log = _log(clicks, relevance, depth)
    if P is None:
        P = [name for name in stopping.names() if log.known or not stopping.base(name).dynamic]
    P, C = ([names] if isinstance(names, str) else names for names in (P, C))
    fits = [_distribution(name, log) for name in P] + [_continuation(name, log) for name in C]
    if not fits:
        raise ValueError('no distribution to fit')
    names = dict.fromkeys(['theta', *itertools.chain(*(fit.free for fit in fits))])
    rows = [fit.row(names, confidence_level) for fit in fits]
    frame = pd.DataFrame(rows)
    frame['measure'] = pd.Series([row['measure'] for row in rows], dtype=object)
    return frame.sort_values(
        'log_likelihood', ascending=False, kind='stable', ignore_index=True
    ).assign(n=len(log.place))


# ------------------------------------------------------------------------------------------------ observations


@dataclass(frozen=True)
class _Log:
    """Observed stopping ranks, and the rankings that users saw.

    Attributes:
        session: (observations,) query session of each, from 0.
        place: (observations,) query · n + rank − 1, the query from 0.
        seen, count: (places,) the places that were observed, and how often.
        n: the deepest rank of the support that the observations are compared on.
        relevant: (Q, ≥ n + 2) 1 at ranks of relevant documents, else 0. Some functions C end at the last ranks, so the
            rankings are two ranks deeper than the observations.
        total: (Q,) number of all relevant documents.
        known: whether relevance is known.
        bounded: whether P is conditional on ranks 1 to n.
    """

    session: NDArray[np.intp]
    place: NDArray[np.intp]
    seen: NDArray[np.intp]
    count: NDArray[np.intp]
    n: int
    relevant: Array
    total: Array
    known: bool
    bounded: bool


def _log(clicks: Any, relevance: Any, depth: int | None) -> _Log:
    """The observations of :func:`fit_stopping`.

    Raises:
        TypeError, ValueError: no table with the columns and no ranks; a rank that is no whole number of at least 1; no
            rank at all; another ``relevance``.
    """
    relevant, total = (np.zeros((1, 0)), np.zeros(1)) if relevance is None else _rankings(relevance)
    if isinstance(clicks, pd.DataFrame):
        check_columns(clicks, ('session', 'query', 'rank'), 'click log')
        table = clicks.dropna(subset='rank', ignore_index=True)
    elif relevance is not None:
        raise ValueError('relevance= needs a click log with columns session, query, rank')
    else:
        table = pd.DataFrame({'rank': np.asarray(clicks).ravel(), 'query': 0})
        table['session'] = table.index
    try:
        rank = table['rank'].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            'click ranks: expected whole numbers from 1, or a DataFrame with columns session, query, '
            f'rank; found {clicks!r:.100}'
        ) from None
    bad = np.flatnonzero(~((rank >= 1) & (rank == np.floor(rank)) & np.isfinite(rank)))
    if len(bad):
        raise ValueError(
            f'click ranks: row {bad[0]} is {rank[bad[0]]:g}, expected a whole number of at least 1 '
            f'({len(bad)} of {len(rank)} are not)'
        )
    query = np.zeros(len(rank), np.intp)
    if relevance is not None:
        query = pd.Index([*map(str, relevance)]).get_indexer(table['query'].astype(str))
    known = query >= 0
    kept = known & (rank <= (depth or np.inf))
    lost = known.sum() - kept.sum()
    if not kept.any():
        raise ValueError('no click ranks' + (f' down to depth={depth}' if lost else ''))
    if lost:
        warn(f'{lost} of {known.sum()} clicks are ignored because they are beyond depth={depth}')
    session = table[kept].groupby(['session', 'query'], sort=False, dropna=False).ngroup()
    rank, query = rank[kept].astype(np.intp), query[kept]
    width = max(int(rank.max()), relevant.shape[1])
    n = depth or width
    relevant = np.pad(relevant, ((0, 0), (0, max(width, n) + 2 - relevant.shape[1])))
    place = query * n + rank - 1
    return _Log(
        session.to_numpy(),
        place,
        *np.unique(place, return_counts=True),
        n,
        relevant,
        total,
        relevance is not None,
        depth is not None,
    )


def _rankings(relevance: Any) -> tuple[Array, Array]:
    """Relevance by query and rank, (Q, n), and the number of all relevant documents, (Q,)."""
    if not isinstance(relevance, Mapping) or not relevance:
        raise TypeError('relevance: expected {query: grades from rank 1}')
    rows, totals = [], []
    for query, grades in relevance.items():
        is_pair = isinstance(grades, tuple) and len(grades) == 2 and np.ndim(grades[0]) == 1
        row, judged = (
            check_grades(each, f'relevance of query {query!r}') > 0
            for each in (grades if is_pair else (grades, grades))
        )
        if judged.sum() < row.sum():
            raise ValueError(
                f'relevance: query {query!r} has {judged.sum()} relevant documents judged, but '
                f'{row.sum()} in its ranking'
            )
        rows.append(row)
        totals.append(float(judged.sum()))
    n = max(map(len, rows))
    return np.array([np.pad(row, (0, n - len(row))) for row in rows], float), np.array(totals)


# ------------------------------------------------------------------------------------------------ one model


@dataclass(frozen=True)
class _Fit:
    """A model with parameters to fit, and the observations.

    Attributes:
        name: the name in the resulting table.
        free: the range of each parameter to fit.
        P: ``(values, relevant, total) → P`` at the ranks of the rankings, (ranks,) or (Q, ranks).
        measure: ``(values) →`` the name of the measure of the fitted model.
        log: the observations.
    """

    name: str
    free: dict[str, Range]
    P: Callable[[Mapping[str, float], Array, Array], Array]
    measure: Callable[[dict[str, float]], str]
    log: _Log

    def log_p(self, values: Mapping[str, float]) -> Array:
        """ln P by query and rank, (Q · n,). All are −∞ if P with these values of its parameters is no distribution."""
        log = self.log
        with np.errstate(all='ignore'):
            P = self.P(values, log.relevant, log.total)[..., : log.n]
            P = np.broadcast_to(P, (len(log.relevant), log.n))
            total = P.sum(axis=1, keepdims=True)
            if not (P >= -1e-12).all() or not (total <= 1 + 1e-6).all():
                return np.full(P.size, -np.inf)
            log_total = np.log(total) if log.bounded else 0.0
            return np.where(P > 0, np.log(P) - log_total, -np.inf).ravel()

    def likelihood(self, values: Mapping[str, float]) -> float:
        """The log-likelihood of the observations."""
        return float(self.log.count @ self.log_p(values)[self.log.seen])

    def climb(
        self, start: Mapping[str, float], tolerance: float, **fixed: float
    ) -> dict[str, float]:
        """The parameters near these values that make the observations most likely, to this error of the log-likelihood."""
        from scipy.optimize import minimize

        free = {name: where for name, where in self.free.items() if name not in fixed}
        if not free:
            return fixed

        def values_at(u: Array) -> dict[str, float]:
            places = zip(free.items(), u)
            return fixed | {name: _from_line(float(x), where) for (name, where), x in places}

        first = np.array([_to_line(start[name], where) for name, where in free.items()])
        # scipy's own first simplex is 5 % of the start, that is, a point where a start is all but 0
        simplex = np.vstack([first, first + 0.25 * np.eye(len(first))])
        options = {'initial_simplex': simplex, 'xatol': 100 * tolerance, 'fatol': tolerance}
        found = minimize(
            lambda u: min(-self.likelihood(values_at(u)), 1e300),
            first,
            method='Nelder-Mead',
            options={**options, 'maxiter': 400 * len(first)},
        )
        return values_at(found.x)

    def row(self, names: Iterable[str], confidence_level: float) -> dict[str, Any]:
        """The row of :func:`fit_stopping`, with the columns of these parameters."""
        from scipy.stats import chi2

        # a rough search from the three best of some starts, a precise one from the best of their ends
        grid = itertools.product(
            *([_from_line(u, where) for u in STARTS] for where in self.free.values())
        )
        starts = [dict(zip(self.free, each)) for each in grid]
        starts = sorted(starts, key=self.likelihood, reverse=True)[:3]
        values = max((self.climb(start, ALIKE) for start in starts), key=self.likelihood)
        values = self.climb(values, 1e-9)
        likelihood = self.likelihood(values)
        estimates, status = dict(values), 'fitted'
        if not np.isfinite(likelihood):
            estimates, status = {}, 'impossible'
        for name, where in self.free.items() if estimates else ():
            # the largest log-likelihoods with the parameter at places of the line, from end to end
            profile = (
                self.likelihood(self.climb(values, ALIKE / 10, **{name: _from_line(u, where)}))
                for u in (-ENDLESS, ENDLESS, *BETWEEN)
            )
            ends, least = (next(profile), next(profile)), likelihood - float(chi2.ppf(0.95, 1)) / 2
            if min(ends) >= least and min(profile) >= least:
                estimates[name], status = np.nan, 'free'
            elif max(ends) >= likelihood - ALIKE:
                estimates[name] = (where.low, where.high)[int(np.argmax(ends))]
                status = 'edge' if status == 'fitted' else status
        inside = [name for name in estimates if estimates[name] == values[name]]
        bounds = self.intervals(values, inside, confidence_level)
        row: dict[str, Any] = {'P': self.name, 'status': status}
        for name in names:
            row[name] = estimates.get(name, np.nan)
            row[f'{name}_low'], row[f'{name}_high'] = bounds.get(name, (np.nan, np.nan))
        of_query = np.bincount(self.log.seen // self.log.n, self.log.count)
        shares = self.log.count / of_query[self.log.seen // self.log.n]
        saturated = float(self.log.count @ np.log(shares))
        return row | {
            'log_likelihood': likelihood,
            'aic': 2 * len(self.free) - 2 * likelihood,
            'kl': max(saturated - likelihood, 0.0) / len(self.log.place) / np.log(2),
            'measure': self.measure({name: float(f'{x:.6g}') for name, x in values.items()})
            if status == 'fitted'
            else None,
        }

    def intervals(
        self, values: Mapping[str, float], names: list[str], confidence_level: float
    ) -> dict[str, tuple[float, float]]:
        """Intervals of some fitted parameters: estimate ± t · error of the jackknife over sessions.

        Leaving out a session with log-likelihood l moves the estimate by (∇²L − ∇²l)⁻¹ ∇l to first order, where L is
        the log-likelihood of all sessions: one Newton step. Derivatives are central differences. There are no intervals
        where the data without one of the sessions do not tell a parameter.
        """
        from scipy.stats import t

        k, n = len(names), int(self.log.session.max()) + 1
        if not names or n < 2:
            return {}
        # θ is on its own scale, other parameters are on the line on which they are sought.
        theta = np.array([self.free[name] == UNIT for name in names])
        lines = [_to_line(values[name], self.free[name]) for name in names]
        u = np.where(theta, [values[name] for name in names], lines)
        step = np.where(theta, 1e-3 * np.minimum(u, 1 - u), 1e-3)

        def values_at(u: Array) -> dict[str, float]:
            return {
                name: float(np.clip(x, 0.0, 1.0)) if own else _from_line(x, self.free[name])
                for name, own, x in zip(names, theta, u)
            }

        def log_p(move: Array) -> Array:
            """ln P of each observation where the parameters are moved by so many steps."""
            return self.log_p({**values, **values_at(u + step * move)})[self.log.place]

        axes = np.eye(k)
        pairs = list(itertools.product(axes, axes))
        first = [(log_p(a) - log_p(-a)) / 2 for a in axes]
        second = [
            (log_p(a + b) - log_p(a - b) - log_p(b - a) + log_p(-a - b)) / 4 for a, b in pairs
        ]
        by_session = [np.bincount(self.log.session, each) for each in (*first, *second)]
        slope, curve = np.array(by_session[:k]).T, np.array(by_session[k:]).T.reshape(-1, k, k)
        try:
            change = np.linalg.solve(curve.sum(axis=0) - curve, slope[..., None])[..., 0] * step
        except np.linalg.LinAlgError:
            return {}
        variance = (n - 1) * change.var(axis=0)
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


def _distribution(text: str, log: _Log) -> _Fit:
    """A stopping distribution's name, in which the values of some parameters may be set, as a model to fit."""
    name, given = stopping.split(text)
    distribution = stopping.base(text)
    if distribution.dynamic and not log.known:
        raise ValueError(
            f'P={text!r} depends on relevance; without relevance=, the grades of the rankings that users '
            f'saw, only static distributions can be fitted'
        )
    known = stopping.declared(distribution)
    fixed, free = _sought(f'P={name!r}', known, given, Range(0, open='('))
    if distribution.takes_theta:
        free = {'theta': UNIT, **free}

    def by_rank(values: Mapping[str, float], relevant: Array, total: Array) -> Array:
        theta, settings = values.get('theta', 0.5), {**fixed, **values}
        if not distribution.dynamic:
            return distribution.by_rank(relevant.shape[1], theta, settings)[0][1:-1]
        return distribution.at_relevant(relevant.T, total, theta, settings).T

    def measure(values: dict[str, float]) -> str:
        values = {**fixed, **values}
        theta = {'theta': values.pop('theta')} if 'theta' in values else {}
        model = 4 if distribution.dynamic else 2
        return str(parse('UM')(model=model, P=stopping.bound_name(name, values), **theta))

    return _Fit(text, free, by_rank, measure, log)


def _continuation(text: str, log: _Log) -> _Fit:
    """A continuation function's name, in which the values of some parameters may be set, as a model to fit."""
    name, given = stopping.split(text)
    function = stopping.CONTINUATIONS[name]
    fixed, free = _sought(f'C={name!r}', stopping.declared(function), given, Range())

    def by_rank(values: Mapping[str, float], relevant: Array, total: Array) -> Array:
        C = function(relevant, np.ones_like(relevant), **fixed, **values)
        return viewing(C) * (1 - C)

    if not log.known:
        trial = {key: _from_line(0.0, where) for key, where in free.items()}
        gains = np.zeros(20), np.linspace(0, 1, 20)
        if np.ptp([by_rank(trial, each, log.total) for each in gains], axis=0).any():
            raise ValueError(
                f'C={text!r} depends on gains; without relevance= only functions of the rank can be '
                f'fitted'
            )
    return _Fit(
        f'C={text}',
        free,
        by_rank,
        lambda values: str(parse('CWL')(C=name, **fixed, **values)),
        log,
    )


def _to_line(value: float, where: Range) -> float:
    """Map a number of a range to the real line, the inverse of :func:`_from_line`."""
    if not np.isfinite(where.low):
        return value
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
