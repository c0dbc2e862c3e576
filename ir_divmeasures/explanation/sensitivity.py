"""How much a result depends on the parameters of a measure: scores over a grid of settings."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array
from ..core.registry import ours, parse
from ..errors import DivMeasuresWarning, did_you_mean, fraction, plain, whole, without
from ..evaluation.evaluate import evaluate, score
from ..evaluation.scores import Scores
from ..io.inputs import named
from ..judgments.table import Judgments
from ..lazy import pd
from ..meta.correlation import COEFFICIENTS
from ..meta.resampling import bootstrap_weights
from ..results import Result, count
from ..results.estimates import mean_over_queries
from ..results.plotting import axes as axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..typing import MeasureLike, QrelsLike, RngLike, RunsLike

LARGEST = 2**31
"""The largest ``values``, in bytes."""
TIED = 1e-9
"""Means that differ by less than this share of the largest one are equal."""


class Sensitivity(Result):
    """Scores of systems over a grid of settings of a measure; see :func:`sensitivity`. A setting has S values in all.

    Attributes:
        measure: its name, with its fixed parameters.
        axes: the values of each parameter, in the order of the axes of ``values``.
        default: the setting with which others are compared, a value of each parameter.
        systems, queries: their names.
        values: ``(systems, queries, *axes)`` scores.
        affine: the axes in which scores are affine, a + b·x.
        weights: (resamples, queries) the share of each query in resamples of the queries, the same at every setting.
        confidence_level: of intervals.
    """

    measure: str
    axes: Mapping[str, tuple[Any, ...]]
    default: Mapping[str, Any]
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Array
    affine: tuple[str, ...]
    weights: Array
    confidence_level: float

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each axis."""
        return tuple(len(values) for values in self.axes.values())

    def _settings(self) -> pd.DataFrame:
        """A row for each setting, a column for each parameter, the last one changing fastest."""
        return pd.DataFrame(list(itertools.product(*self.axes.values())), columns=list(self.axes))

    def _flat(self) -> Array:
        """(systems, queries, S)."""
        return self.values.reshape(len(self.systems), len(self.queries), -1)

    def _means(self) -> Array:
        """(S, systems)."""
        return self._flat().mean(axis=1).T

    def means(self) -> pd.DataFrame:
        """Means over the queries: a row for each setting, its parameters as the index, and a column for each system."""
        index = pd.MultiIndex.from_frame(self._settings())
        columns = pd.Index(self.systems, name='system')
        return pd.DataFrame(self._means(), index, columns)

    def _best(self) -> NDArray[np.bool_]:
        """(S, systems): whether a system has the largest mean, or ties with it."""
        means = self._means()
        return np.asarray(means >= means.max(axis=1, keepdims=True) - _equal(means)[:, None])

    def _headline(self) -> str:
        grid = ' × '.join(
            count(len(x), f'value of {name}', f'values of {name}') for name, x in self.axes.items()
        )
        return (
            f'Sensitivity of {self.measure} to {grid}: {count(len(self.systems), "system")} on '
            f'{count(len(self.queries), "query", "queries")}'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self._with_best(), 'to_frame()'

    def _notes(self) -> list[str]:
        further = 'to_frame() also has how often each is best in resamples, and correlations with the default.'
        return [further] * (len(self.systems) > 1)

    def _with_best(self) -> pd.DataFrame:
        """The settings with the system that is best at each."""
        return self._settings().assign(
            best=[
                ' = '.join(name for name, is_best in zip(self.systems, row) if is_best)
                for row in self._best()
            ]
        )

    def to_frame(self) -> pd.DataFrame:
        """A row for each setting: its parameters; ``best``, the system with the largest mean (ties are joined by " =
        "); ``won``, the share of resamples of the queries in which it, or one of those tied, is best; and ``kendall``,
        ``tau_ap`` and ``rbo`` between the systems' rankings by this setting and by the default.

        With one system there is no ranking, and only the parameters and ``best`` are given.
        """
        frame = self._with_best()
        return frame.assign(won=self._won(), **self._agreements()) if self.systems[1:] else frame

    def _won(self) -> Array:
        """(S,): the share of resamples in which one of the best systems is best."""
        won = []
        for best, scores in zip(self._best(), np.moveaxis(self._flat(), -1, 0)):
            means = self.weights @ scores.T
            largest = means[:, best].max(axis=1)
            won.append((largest >= means.max(axis=1) - _equal(means)).mean())
        return np.array(won)

    def _agreements(self) -> dict[str, Array]:
        """Each coefficient between the ranking by every setting and that by the default, (S,)."""
        means = self._means()
        settings = list(itertools.product(*self.axes.values()))
        default = means[settings.index(tuple(self.default[name] for name in self.axes))]
        return {
            name: np.atleast_1d(coefficient(default, means))
            for name, coefficient in COEFFICIENTS.items()
        }

    def pair(self, a: str, b: str) -> pd.DataFrame:
        """The difference of two systems at every setting.

        Args:
            a, b: names of systems.

        Returns:
            A row for each setting: its parameters, ``difference`` of the means (a − b), the ends ``low`` and ``high``
            of its t interval over the queries (NaN if there is only one), ``sign`` (1, 0 or −1), and ``stable``,
            whether the interval excludes 0. Where scores are affine in a parameter x, column
            ``border_x`` has the value of x, on the grid or not, at which both systems are equal, NaN if there is none.

        Raises:
            ValueError: an unknown system.
        """
        for name in (a, b):
            if name not in self.systems:
                raise ValueError(f'no system {name!r}{did_you_mean(name, self.systems)}')
        first, second = (self._flat()[self.systems.index(name)] for name in (a, b))
        difference, low, high, _ = mean_over_queries((first - second).T, self.confidence_level)
        sign = np.where(np.abs(difference) <= _equal(self._means()), 0, np.sign(difference))
        return self._settings().assign(
            difference=difference,
            low=low,
            high=high,
            sign=sign.astype(int),
            stable=(low > 0) | (high < 0),
            **{f'border_{name}': self._border(name, difference) for name in self.affine},
        )

    def _border(self, name: str, difference: Array) -> Array:
        """(S,): where the line through the differences along an affine axis is 0."""
        axis, x = list(self.axes).index(name), np.asarray(self.axes[name], dtype=float)
        d = difference.reshape(self.shape)
        first, last = d.take([0], axis), d.take([-1], axis)
        slope = (last - first) / (x[-1] - x[0])
        most = np.abs(d).max(axis=axis, keepdims=True)
        slope = np.where(np.abs(slope) * np.ptp(x) <= TIED * most, np.nan, slope)
        return np.broadcast_to(x[0] - first / slope, d.shape).ravel()

    def expected(self, prior: Mapping[str, Any] = MappingProxyType({})) -> Scores:
        """The scores that are expected of a prior on the settings: Σ_s π(s) · score(s).

        Args:
            prior: weights of the values of axes, which are independent: a mapping of values to weights, or a
                distribution of scipy.stats, which weighs a value by the probability between the midpoints to its
                neighbours. The values of other axes weigh the same. Weights are normalised.

        Raises:
            ValueError: an unknown axis or value, other weights, or weights that do not add up to more than 0.
        """
        _check_names(prior, self.axes, 'prior')
        expected = self.values
        for name, values in reversed(list(self.axes.items())):
            expected = expected @ _weights(prior.get(name, dict.fromkeys(values, 1)), name, values)
        return Scores(expected, self.systems, self.queries, (f'expected {self.measure}',))

    def plot(self, show: str | tuple[str, str] = 'best', ax: Axes | None = None) -> Axes:
        """Draw the grid, with the default marked.

        Args:
            show: ``'best'``, which system is best; ``'kendall'``, ``'tau_ap'`` or ``'rbo'`` to the default's ranking;
                or two systems, the difference of their means. Of two axes it is a map; for a pair with the line where
                both are equal, and hatched where the sign is stable. Of one axis it is lines, for ``'best'`` of the means
                of all systems.
            ax: matplotlib axes to draw on. By default a new figure is made.

        Raises:
            ValueError: more than two axes with several values, an unknown ``show``.
        """
        varied = [name for name, values in self.axes.items() if len(values) > 1]
        if not 1 <= len(varied) <= 2:
            raise ValueError(
                f'a picture needs one or two axes with several values, found {len(varied)} '
                f'({", ".join(varied)})'
            )
        if isinstance(show, str) and show not in ('best', *COEFFICIENTS):
            raise ValueError(
                f"show={show!r}: expected 'best', {', '.join(map(repr, COEFFICIENTS))}, or two systems"
            )
        ax = axes_of(ax)
        places, default = [], []
        for name, axis in zip(reversed(varied), (ax.xaxis, ax.yaxis)):
            values = self.axes[name]
            are_numbers = all(map(_is_number, values))
            places.append(np.array(values if are_numbers else range(len(values)), dtype=float))
            default.append(places[-1][values.index(self.default[name])])
            axis.set_label_text(name)
            if not are_numbers:
                axis.set_ticks(places[-1], map(str, values))
        if len(varied) == 1:
            shown = self._lines(show)
            ax.plot(places[0], shown, label=list(shown))
            ax.axvline(default[0], color='0.5', linestyle=':')
            ax.set_ylabel(self.measure)
            ax.legend(fontsize='small')
        else:
            self._plot_map(show, ax, *places)
            ax.plot(*default, marker='o', color='black', markerfacecolor='white')
        return ax

    def _lines(self, show: str | tuple[str, str]) -> pd.DataFrame:
        """What a picture shows: a row for each setting, a column for each line."""
        if show == 'best':
            return self.means()
        if isinstance(show, str):
            return pd.DataFrame({f'{show} to the ranking by the default': self._agreements()[show]})
        return pd.DataFrame({f'{show[0]} − {show[1]}': self.pair(*show)['difference']})

    def _plot_map(self, show: str | tuple[str, str], ax: Any, x: Array, y: Array) -> None:
        shown = self._lines(show)
        title, values, shape = shown.columns[0], shown.to_numpy()[:, 0], (len(y), len(x))
        style: dict[str, Any] = {'vmax': 1}
        if show == 'best':
            values, winners = pd.factorize(self._with_best()['best'])
            title = 'best system'
            style = {'cmap': 'tab20', 'vmin': 0, 'vmax': 19}
        elif not isinstance(show, str):
            most = float(np.abs(values).max()) or 1.0
            style = {'cmap': 'RdBu', 'vmin': -most, 'vmax': most}
            stable = self.pair(*show)['stable'].to_numpy(dtype=float)
            if values.min() < 0 < values.max():
                ax.contour(x, y, values.reshape(shape), levels=[0], colors='black')
            if stable.any():
                stable = stable.reshape(shape)
                ax.contourf(x, y, stable, levels=[0.5, 1.5], colors='none', hatches=['//'])
        mesh = ax.pcolormesh(x, y, values.reshape(shape), shading='nearest', zorder=0, **style)
        bar = ax.figure.colorbar(mesh, ax=ax)
        if show == 'best':
            bar.ax.set_ylim(-0.5, len(winners) - 0.5)
            bar.set_ticks(range(len(winners)), labels=winners)
        ax.set(title=f'{title}, {self.measure}')


def _equal(means: Array) -> Array:
    """The largest difference of means that are equal, from the means (…, systems)."""
    return np.asarray(TIED * np.abs(means).max(axis=-1))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _check_names(setting: Mapping[str, Any], axes: Iterable[str], argument: str) -> None:
    """Raise unless an argument has axes of the grid only."""
    for name in setting:
        if name not in axes:
            raise ValueError(f'{argument}: no axis {name!r}{did_you_mean(name, axes)}')


def _weights(prior: Any, name: str, values: tuple[Any, ...]) -> Array:
    """The weights of the values of one axis, of sum 1; see :meth:`Sensitivity.expected`."""
    if isinstance(prior, Mapping):
        for value in prior:
            if value not in values:
                raise ValueError(f'prior of {name}: {value!r} is not among its values')
        weights = np.array([float(prior.get(value, 0.0)) for value in values])
    elif hasattr(prior, 'cdf'):
        x, order = np.unique(np.asarray(values, dtype=float), return_inverse=True)
        edges = [-np.inf, *(x[1:] + x[:-1]) / 2, np.inf]
        weights = np.diff(prior.cdf(edges))[order]
    else:
        raise ValueError(
            f'prior of {name}: expected a distribution of scipy.stats or weights of values, found {prior!r}'
        )
    if not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ValueError(f'prior of {name}: expected weights of at least 0 that add up to more')
    return np.asarray(weights / weights.sum())


# ------------------------------------------------------------------------------------------------------- the grid


@without(prior='hand it to expected(prior) of the result')
def sensitivity(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: MeasureLike,
    *,
    default: Mapping[str, Any] | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    jobs: int = 1,
    **axes: Iterable[Any],
) -> Sensitivity:
    """Score systems by a measure at every setting of a grid of its parameters.

    The result says which system is best where, how far each setting agrees with the default, and in which regions the
    order of two systems is stable. What does not depend on the parameters is computed once.

    Args:
        runs: several runs, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measure: a measure, or its name, with its fixed parameters.
        default: the setting that others are compared with, parameter → value. Of a parameter that it lacks it is the
            measure's own value; of numbers, the nearest one on the grid.
        n_resamples: number of resamples of the queries, from which ``won`` is computed.
        confidence_level: of intervals.
        rng: seed or generator for the resamples, as for ``np.random.default_rng``.
        jobs: number of processes (needs joblib); −1 takes all cores.
        axes: values of parameters of the measure, ``p=[0.8, 0.9, 0.99]``; at least one axis.

    Returns:
        :class:`Sensitivity`.

    Raises:
        ValueError: no axis, one that the measure has no parameter for, an invalid setting (names it), a parameter
            without a default, or more than 2 GiB of values. And what :func:`ir_divmeasures.evaluate` raises.

    Examples:
        With e = 0.1 the third document of b costs more than it gives, p·p·p·(1/2·1/2 − e) of p = 0.8 being positive.

        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}, 'd3': {'1': 1}}}
        >>> runs = {'a': {'q': {'d1': 2.0, 'd2': 1.0}}, 'b': {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}}}
        >>> found = sensitivity(runs, qrels, 'RBU@20', p=[0.8], e=[0, 0.1, 0.2], n_resamples=10, rng=0)
        >>> found.to_frame()[['p', 'e', 'best', 'kendall']]
             p    e best  kendall
        0  0.8  0.0    b      1.0
        1  0.8  0.1    b      1.0
        2  0.8  0.2    a     -1.0
        >>> found.pair('a', 'b')['border_e'].round(3).tolist()  # e = w r (1 − r) = 1/2 · 1/2 · 1/2
        [0.125, 0.125, 0.125]
    """
    whole(n_resamples, 'n_resamples')
    fraction(confidence_level, 'confidence_level')
    base = parse(measure)
    base = ours(base) or base
    grid = _checked_axes(base, axes)
    default = default or {}
    setting = {
        name: _default_of(base, name, values, default.get(name, base[name]))
        for name, values in grid.items()
    }
    _check_names(default, grid, 'default')
    runs = dict(named(runs)[0])
    judgments = Judgments.of(qrels)
    n_settings = math.prod(map(len, grid.values()))
    size = len(runs) * len(judgments.query_ids) * n_settings * 8
    if size > LARGEST:
        raise ValueError(
            f'{len(runs)} systems × {len(judgments.query_ids)} queries × {n_settings:,} settings take '
            f'{size / 2**30:.1f} GiB, expected at most {LARGEST // 2**30} GiB; use fewer values'
        )
    first = evaluate(runs, judgments, [base(**setting)])  # warns; has the names of the queries
    affine = tuple(name for name in getattr(base, 'affine', ()) if len(grid.get(name, ())) > 1)
    return Sensitivity(
        str(base),
        grid,
        setting,
        first.systems,
        first.queries,
        _values(runs, judgments, base, grid, affine[:1], jobs),
        affine,
        bootstrap_weights(len(first.queries), n_resamples, np.random.default_rng(rng)),
        confidence_level,
    )


def _checked_axes(base: Any, axes: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The values of each axis as the measure takes them."""
    if not axes:
        raise ValueError(
            f'{base}: no axis; give the values of at least one parameter, as in p=[0.8, 0.9]'
        )
    values_by_axis = {}
    for name, values in axes.items():
        if name not in base.SUPPORTED_PARAMS:
            raise ValueError(
                f'{base}: no parameter {name!r}{did_you_mean(name, base.SUPPORTED_PARAMS)}'
            )
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise TypeError(f'{name}={values!r}: expected several values of the parameter')
        check = getattr(base.SUPPORTED_PARAMS[name], 'check', lambda value: value)
        checked = tuple(check(plain(value)) for value in values)
        if not checked or len(set(checked)) < len(checked):
            raise ValueError(f'{name}: {"a value is given twice" if checked else "no values"}')
        values_by_axis[name] = checked
    return values_by_axis


def _default_of(base: Any, name: str, values: tuple[Any, ...], default: Any) -> Any:
    """The value of an axis in the default setting; of numbers, the nearest one on the grid."""
    if default in values:
        return default
    if all(map(_is_number, (default, *values))):
        return min(values, key=lambda each: abs(each - default))
    lacking = (
        f'the default {name}={default!r}, with which settings are compared, is not among the values'
    )
    if type(default) is object:  # what ir_measures puts in the place of a value
        lacking = f'no default {name} to compare the values with'
    raise ValueError(
        f'{base}: {lacking}; name one of them with the measure, as in {base(**{name: values[0]})}'
    )


def _values(
    runs: Mapping[str, Any],
    judgments: Judgments,
    base: Any,
    grid: Mapping[str, tuple[Any, ...]],
    affine: tuple[str, ...],
    jobs: int,
) -> Array:
    """(systems, queries, *axes) scores.

    Of an affine axis only the ends are computed. The scores between them are on the line through both.
    """
    computed = {**grid, **{name: (min(grid[name]), max(grid[name])) for name in affine}}
    variants = []
    for setting in itertools.product(*computed.values()):
        settings = dict(zip(computed, setting))
        try:
            variants.append(base(**settings))
        except (TypeError, ValueError) as error:
            names = ', '.join(f'{name}={value!r}' for name, value in settings.items())
            raise ValueError(f'setting {names}: {error}') from None
    with warnings.catch_warnings():  # sensitivity has warned about the default setting
        warnings.simplefilter('ignore', DivMeasuresWarning)
        scored = score(runs.items(), len(runs), variants, judgments, jobs, quiet=True)
        values = np.stack([system.values for system in scored])
    values = values.reshape(*values.shape[:2], *map(len, computed.values()))
    for name in affine:
        axis, (lowest, highest) = 2 + list(grid).index(name), computed[name]
        low, high = np.moveaxis(values, axis, 0)[..., None]
        share = (np.array(grid[name], dtype=float) - lowest) / (highest - lowest)
        values = np.moveaxis(low * (1 - share) + high * share, -1, axis)
    return values
