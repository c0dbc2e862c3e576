"""Users who differ in θ: priors on θ, mixtures of stopping distributions, and the distribution of scores over users."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import parse
from ..core.stopping import registries as stopping
from ..evaluation.evaluate import evaluate
from ..lazy import pd
from ..meta.resampling import whole
from ..results import Result, count
from ..results.plotting import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


@dataclass(frozen=True, eq=False, repr=False)
class UserScores(Result):
    """Scores of systems for users who differ in one parameter.

    Attributes:
        measure, parameter: the measure, and the parameter that differs between users.
        systems, queries: their names.
        users, weights: (N,) values of the parameter and their shares.
        values: (systems, queries, N) scores.
    """

    measure: str
    parameter: str
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    users: Array
    weights: Array
    values: Array

    @property
    def mean(self) -> Array:
        """(systems, queries) mean over users."""
        return self.values @ self.weights

    @property
    def sd(self) -> Array:
        """(systems, queries) standard deviation over users."""
        return np.sqrt(np.maximum((self.values - self.mean[..., None]) ** 2 @ self.weights, 0))

    def quantile(self, q: float) -> Array:
        """(systems, queries) lowest score that at least a share q of the users does not exceed."""
        if not 0 <= q <= 1:
            raise ValueError(f'q={q!r}: expected a number in [0, 1]')
        order = np.argsort(self.values, axis=-1, kind='stable')
        share = np.cumsum(self.weights[order], axis=-1)
        at = np.minimum((share < q - 1e-12).sum(axis=-1), len(self.users) - 1)
        return np.take_along_axis(np.take_along_axis(self.values, order, -1), at[..., None], -1)[
            ..., 0
        ]

    def _headline(self) -> str:
        return (
            f'{self.measure} of {count(len(self.systems), "system")} on '
            f'{count(len(self.queries), "query", "queries")} over {count(len(self.users), "user")} with different '
            f'{self.parameter}'
        )

    def to_frame(self) -> pd.DataFrame:
        """``system, query, mean, sd, q05, q25, q50, q75, q95``."""

        index = pd.MultiIndex.from_product([self.systems, self.queries], names=['system', 'query'])
        columns = {
            'mean': self.mean,
            'sd': self.sd,
            **{f'q{100 * q:02.0f}': self.quantile(q) for q in (0.05, 0.25, 0.5, 0.75, 0.95)},
        }
        return pd.DataFrame(
            {name: x.ravel() for name, x in columns.items()}, index=index
        ).reset_index()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of users whose mean score over the queries is at most x, a line for each system."""
        ax = axes(ax)
        for name, of_system in zip(self.systems, self.values.mean(axis=1)):
            order = np.argsort(of_system, kind='stable')
            ax.step(of_system[order], np.cumsum(self.weights[order]), where='post', label=name)
        ax.set(xlabel=self.measure, ylabel='share of users', ylim=(0, 1.02))
        ax.legend(fontsize='small')
        return ax


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
) -> UserScores:
    """How scores are distributed over users whose θ, or another parameter of the measure, follows a prior.

    Args:
        runs, qrels, missing, jobs: as for :func:`ir_divmeasures.evaluate`.
        measure: one measure with the parameter, as :func:`ir_divmeasures.measures` takes it.
        prior, nodes: as for :func:`users`.
        parameter: the parameter that differs between users. Values of whole-number parameters are not rounded.

    Raises:
        ValueError: the measure does not have the parameter, or does not take a value of it.

    Examples:
        RBTR is the sum of F(k) = (1 − θ)^(k−1); its mean over the uniform prior is RRDCG's 1 + 1/2.

        >>> scores = scores_over_users({'a': {'q': {'x': 2.0, 'y': 1.0}}}, {'q': {'x': 1, 'y': 1}}, 'RBTR')
        >>> scores.mean.round(9), scores.quantile(0.5).round(2)
        (array([[1.5]]), array([[1.49]]))
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
    names = list(dict.fromkeys(map(str, variants)))
    scores = evaluate(
        runs, qrels, list({str(m): m for m in variants}.values()), missing=missing, jobs=jobs
    )
    places = [names.index(str(m)) for m in variants]
    return UserScores(
        str(base),
        parameter,
        tuple(scores.systems),
        tuple(scores.queries),
        values,
        weights,
        np.asarray(scores.values)[:, :, places],
    )
