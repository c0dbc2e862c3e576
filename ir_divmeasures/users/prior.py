"""Users who differ in θ: priors on θ, mixtures of stopping distributions, and the distribution of scores over users."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..errors import whole
from ..evaluation.evaluate import evaluate
from ..results import Result, count, tidy
from ..typing import MeasureLike, QrelsLike, RunsLike

Array = NDArray[np.float64]


def users(prior: Any = 'uniform', nodes: int = 64) -> tuple[Array, Array]:
    """Values of θ and their weights, which give averages over a prior.

    Args:
        prior: ``'uniform'`` on (0, 1); a frozen distribution of scipy.stats; a mapping of values to weights; or values
            of equal weight, such as a sample.
        nodes: number of Gauss–Legendre nodes on the quantiles of the first two kinds of prior. The average is exact for
            polynomials of degree 2·nodes − 1 in the quantile.

    Returns:
        Values (N,), and weights (N,) that sum to 1.

    Examples:
        >>> theta, weight = users(nodes=2)  # 1/2 ± 1/√12
        >>> theta.round(4), weight
        (array([0.2113, 0.7887]), array([0.5, 0.5]))
    """
    whole(nodes, 'nodes')
    if prior == 'uniform' if isinstance(prior, str) else hasattr(prior, 'ppf'):
        position, weights = np.polynomial.legendre.leggauss(nodes)
        quantiles = (position + 1) / 2
        values = quantiles if isinstance(prior, str) else np.asarray(prior.ppf(quantiles), float)
        return values, weights / weights.sum()
    try:
        values = np.asarray(list(prior) if isinstance(prior, Mapping) else prior, float).ravel()
    except (TypeError, ValueError):
        raise TypeError(
            f"prior={prior!r}: expected 'uniform', a distribution of scipy.stats, values, or weights of "
            f'values'
        ) from None
    if not len(values):
        raise ValueError('prior: no values')
    weights = np.array([*prior.values()], float) if isinstance(prior, Mapping) else values * 0 + 1
    if not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ValueError(f'prior={prior!r}: expected weights of at least 0 that add up to more')
    return values, weights / weights.sum()


def mix_stopping(
    P: str, prior: Any = 'uniform', *, nodes: int = 200
) -> tuple[Callable[..., Array], Any]:
    """P and F averaged over users whose θ follows a prior, for ``register_stopping``.

    M1 to M4 are linear in P, so a measure with the mixture equals the mean of the measure over users.

    Args:
        P: a distribution with θ.
        prior, nodes: as for :func:`users`.

    Returns:
        The functions ``P, F`` of a static distribution. F of a dynamic distribution is None.

    Reference: Carterette, SIGIR 2011, §3.4.

    Examples:
        The uniform prior makes RBP's geometric users P_RR, 1/(k(k+1)).

        >>> P, F = mix_stopping('RBP')
        >>> P(np.array([1.0, 2.0, 3.0])).round(6), F(np.array([10.0])).round(6)
        (array([0.5     , 0.166667, 0.083333]), array([0.1]))
    """
    distribution = stopping.get(P)
    if not distribution.takes_theta:
        raise ValueError(f'P={P!r} has no parameter theta')
    thetas, weights = users(prior, nodes)
    outside = thetas[~((thetas > 0) & (thetas < 1))]
    if len(outside):
        raise ValueError(f'prior: theta={outside[0]:g}, expected numbers in (0, 1)')

    def average(function: Callable[..., Any], *arrays: Array) -> Array:
        """The weighted mean of a function of arrays and θ over the values of θ."""
        values = [np.broadcast_to(function(*arrays, theta=t), arrays[0].shape) for t in thetas]
        return np.sum([w * value for w, value in zip(weights, values)], axis=0)

    if distribution.dynamic:
        return (lambda count, total: average(distribution.P, count, total)), None
    F = distribution.F
    return (lambda k: average(distribution.P, k)), F and (lambda k: average(F, k))


def scores_over_users(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: MeasureLike,
    prior: Any = 'uniform',
    *,
    parameter: str = 'theta',
    nodes: int = 64,
    missing: str = 'zero',
    jobs: int = 1,
) -> Result:
    """How scores are distributed over users whose θ, or another parameter of the measure, follows a prior.

    Args:
        runs, qrels, missing, jobs: as for :func:`ir_divmeasures.evaluate`.
        measure: one measure with the parameter, as :func:`ir_divmeasures.measures` takes it.
        prior, nodes: as for :func:`users`.
        parameter: the parameter that differs between users. Values of whole-number parameters are not rounded.

    Returns:
        :class:`~ir_divmeasures.results.Result`, a row for each system and query: ``system, query, mean, sd, q05, q25,
        q50, q75, q95``. A quantile is the lowest score that at least that share of the users does not exceed.

    Facts:
        users, weights: (N,) values of the parameter and their shares.
        values: (systems, queries, N) scores.

    Raises:
        ValueError: the measure does not have the parameter, or does not take a value of it.

    Examples:
        RBTR is the sum of F(k) = (1 − θ)^(k−1); its mean over the uniform prior is RRDCG's 1 + 1/2.

        >>> scores = scores_over_users({'a': {'q': {'x': 2.0, 'y': 1.0}}}, {'q': {'x': 1, 'y': 1}}, 'RBTR')
        >>> scores.to_frame()[['mean', 'q50']].round(2)
           mean   q50
        0   1.5  1.49
    """
    base = parse(measure)
    if parameter not in base.SUPPORTED_PARAMS:
        raise ValueError(f'{base}: no parameter {parameter!r}')
    values, weights = users(prior, nodes)
    dtype = base.SUPPORTED_PARAMS[parameter].dtype
    variants = [
        base(**{parameter: dtype(value) if float(value) == dtype(value) else float(value)})
        for value in values
    ]
    different = {str(each): each for each in variants}
    scores = evaluate(runs, qrels, list(different.values()), missing=missing, jobs=jobs)
    place = {name: i for i, name in enumerate(different)}
    by_user = np.asarray(scores.values)[:, :, [place[str(each)] for each in variants]]
    mean = by_user @ weights
    sd = np.sqrt(np.maximum((by_user - mean[..., None]) ** 2 @ weights, 0))
    order = np.argsort(by_user, axis=-1, kind='stable')
    ascending, share = np.take_along_axis(by_user, order, -1), np.cumsum(weights[order], axis=-1)
    columns = {'mean': mean, 'sd': sd}
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        at = np.minimum((share < q - 1e-12).sum(axis=-1, keepdims=True), len(values) - 1)
        columns[f'q{100 * q:02.0f}'] = np.take_along_axis(ascending, at, -1)[..., 0]
    return Result(
        tidy(system=[[name] for name in scores.systems], query=scores.queries, **columns),
        f'{base} of {count(len(scores.systems), "system")} on '
        f'{count(len(scores.queries), "query", "queries")} over {count(len(values), "user")} with different '
        f'{parameter}',
        users=values,
        weights=weights,
        values=by_user,
    )
