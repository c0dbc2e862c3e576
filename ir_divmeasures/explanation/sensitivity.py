"""How much a result depends on the parameters of a measure: scores over a grid of settings."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array, Ranking
from ..core.registry import DivMeasure, ours, parse
from ..core.terms import value_of
from ..errors import did_you_mean
from ..evaluation.evaluate import evaluate, in_processes
from ..evaluation.provider import Evaluator
from ..evaluation.scores import Scores
from ..io import runs as several
from ..judgments.table import Judgments
from ..meta.correlation import COEFFICIENTS
from ..meta.resampling import bootstrap_weights, fraction, whole
from ..results import Result, count
from ..results.estimates import Estimate, mean_over_queries
from ..results.plotting import axes as axes_of
from ..results.progress import progress

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ..typing import MeasureLike, QrelsLike, RngLike, RunsLike

LARGEST = 2**31
"""The largest ``values``, in bytes."""
CELLS = 2_000_000
"""Settings are worked on in blocks of at most about so many numbers."""
REMEMBERED = 200
"""A ranking forgets what it remembers after so many settings, since much of that depends on the setting."""
TIED = 1e-9
"""Means that differ by less than this share of the largest one are equal."""


@dataclass(frozen=True, eq=False, repr=False)
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
        prior: what :meth:`expected` takes if it is not told otherwise.
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
    prior: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each axis."""
        return tuple(len(values) for values in self.axes.values())

    def _settings(self) -> pd.DataFrame:
        """A row for each setting, a column for each parameter, the last one changing fastest."""
        import pandas as pd

        return pd.DataFrame(list(itertools.product(*self.axes.values())), columns=list(self.axes))

    def _flat(self) -> Array:
        """(systems, queries, S)."""
        return self.values.reshape(len(self.systems), len(self.queries), -1)

    def _means(self) -> Array:
        """(S, systems)."""
        return self._flat().mean(axis=1).T

    def means(self) -> pd.DataFrame:
        """Means over the queries: a row for each setting, its parameters as the index, and a column for each system."""
        import pandas as pd

        return pd.DataFrame(
            self._means(),
            columns=list(self.systems),
            index=pd.MultiIndex.from_frame(self._settings()),
        ).rename_axis(columns='system')

    def _best(self) -> NDArray[np.bool_]:
        """(S, systems): whether a system has the largest mean, or ties with it."""
        means = self._means()
        equal = TIED * np.abs(means).max(axis=1, keepdims=True)
        return np.asarray(means >= means.max(axis=1, keepdims=True) - equal)

    def _headline(self) -> str:
        grid = ' × '.join(
            count(len(values), f'value of {name}', f'values of {name}')
            for name, values in self.axes.items()
        )
        return (
            f'Sensitivity of {self.measure} to {grid}: {count(len(self.systems), "system")} on '
            f'{count(len(self.queries), "query", "queries")}'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self._with_best(), 'to_frame()'

    def _notes(self) -> list[str]:
        return (
            [
                'to_frame() also has how often each is best in resamples, and correlations with the default.'
            ]
            if len(self.systems) > 1
            else []
        )

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
        if len(self.systems) > 1:
            frame['won'] = self._won(self._best())
            for name, values in self._agreements().items():
                frame[name] = values
        return frame

    def _won(self, best: NDArray[np.bool_]) -> Array:
        """(S,): the share of resamples in which one of the best systems is best."""
        flat, won = self._flat(), np.zeros(len(best))
        step = max(CELLS // (len(self.weights) * len(self.systems)), 1)
        for start in range(0, len(best), step):
            part = slice(start, start + step)
            means = np.tensordot(
                self.weights, flat[:, :, part], axes=(1, 1)
            )  # (resamples, systems, settings)
            top = means.max(axis=1)
            of_best = np.where(best[part].T, means, -np.inf).max(axis=1)
            won[part] = (of_best >= top - TIED * np.abs(means).max(axis=1)).mean(axis=0)
        return won

    def _agreements(self) -> dict[str, Array]:
        """Each coefficient between the ranking by every setting and that by the default, (S,)."""
        means, place = self._means(), self._default_place()
        return {
            name: np.atleast_1d(coefficient(means[place], means))
            for name, coefficient in COEFFICIENTS.items()
        }

    def _default_place(self) -> int:
        places = [list(values).index(self.default[name]) for name, values in self.axes.items()]
        return int(np.ravel_multi_index(places, self.shape))

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
        estimate = self._difference(a, b)
        difference, frame = estimate.value, self._settings()
        equal = TIED * np.abs(self._means()).max(axis=1)
        frame['difference'], frame['low'], frame['high'] = difference, estimate.low, estimate.high
        frame['sign'] = np.where(np.abs(difference) <= equal, 0, np.sign(difference)).astype(int)
        frame['stable'] = (estimate.low > 0) | (estimate.high < 0)
        for name in self.affine:
            frame[f'border_{name}'] = self._border(name, difference)
        return frame

    def _difference(self, a: str, b: str) -> Estimate:
        """Differences of the means at every setting, with their t intervals over the queries; (S,) each."""
        for name in (a, b):
            if name not in self.systems:
                raise ValueError(f'no system {name!r}{did_you_mean(name, self.systems)}')
        flat = self._flat()
        return mean_over_queries(
            (flat[self.systems.index(a)] - flat[self.systems.index(b)]).T, self.confidence_level
        )

    def _border(self, name: str, difference: Array) -> Array:
        """(S,): where the line through the differences along an affine axis is 0."""
        axis, x = list(self.axes).index(name), np.asarray(self.axes[name], dtype=float)
        d = np.moveaxis(difference.reshape(self.shape), axis, -1)
        slope = (d[..., -1] - d[..., 0]) / (x[-1] - x[0])
        flat = np.abs(slope) * np.ptp(x) <= TIED * np.abs(d).max(axis=-1)
        border = np.where(flat, np.nan, x[0] - d[..., 0] / np.where(flat, 1.0, slope))
        return np.moveaxis(np.broadcast_to(border[..., None], d.shape), -1, axis).ravel()

    def expected(self, prior: Any = None) -> Scores:
        """The scores that are expected of a prior on the settings: Σ_s π(s) · score(s).

        Args:
            prior: a mapping of an axis to weights of its values, the axes independent: a distribution of scipy.stats,
                which weighs a value by the probability between the midpoints to its neighbours; a mapping of values to
                weights; a sample, of which each number counts for the nearest value; or ``'uniform'``, which axes
                without an entry are. Or an array of weights in the shape of the grid. None is the ``prior`` that
                :func:`sensitivity` was given, and without one all settings weigh the same. Weights are normalised.

        Raises:
            ValueError: an unknown axis, weights that do not fit or do not add up to more than 0.
        """
        weight = prior_weights(self.prior if prior is None else prior, self.axes)
        return Scores(
            np.einsum('sqg,g->sq', self._flat(), weight.ravel()),
            self.systems,
            self.queries,
            (f'expected {self.measure}',),
        )

    def plot(self, show: str | tuple[str, str] = 'best', ax: Axes | None = None) -> Axes:
        """Draw the grid, with the default marked.

        Args:
            show: ``'best'``, which system is best; ``'kendall'``, ``'tau_ap'`` or ``'rbo'`` to the default's ranking;
                or two systems, the difference of their means. Of two axes it is a map; for a pair with the line where
                both are equal, and hatched where the sign is stable. Of one axis it is lines, with bands of confidence
                for means and differences.
            ax: matplotlib axes to draw on. By default a new figure is made.

        Raises:
            ValueError: more than two axes with several values, an unknown ``show``.
        """
        several = [name for name, values in self.axes.items() if len(values) > 1]
        if not 1 <= len(several) <= 2:
            raise ValueError(
                f'a picture needs one or two axes with several values, found {len(several)} '
                f'({", ".join(several)})'
            )
        if isinstance(show, str) and show not in ('best', *COEFFICIENTS):
            raise ValueError(
                f"show={show!r}: expected 'best', {', '.join(map(repr, COEFFICIENTS))}, or two systems"
            )
        ax = axes_of(ax)
        (self._plot_lines if len(several) == 1 else self._plot_map)(several, show, ax)
        return ax

    def _plot_lines(self, several: Sequence[str], show: str | tuple[str, str], ax: Any) -> None:
        x, ticks = _places(self.axes[several[0]])
        if show == 'best':
            for name, flat in zip(self.systems, self._flat()):
                mean = mean_over_queries(flat.T, self.confidence_level)
                (line,) = ax.plot(x, mean.value, label=name)
                ax.fill_between(
                    x, mean.low, mean.high, color=line.get_color(), alpha=0.15, linewidth=0
                )
            label = f'mean {self.measure}'
        elif isinstance(show, str):
            ax.plot(x, self._agreements()[show])
            label = f'{show} to the default'
        else:
            estimate = self._difference(*show)
            ax.plot(x, estimate.value, label=f'{show[0]} − {show[1]}')
            ax.fill_between(x, estimate.low, estimate.high, alpha=0.2, linewidth=0)
            ax.axhline(0, color='0.5', linewidth=0.8)
            label = f'difference in {self.measure}'
        ax.axvline(
            x[list(self.axes[several[0]]).index(self.default[several[0]])],
            color='0.5',
            linestyle=':',
        )
        ax.set(xlabel=several[0], ylabel=label)
        if ticks:
            ax.set_xticks(x, ticks)
        if show == 'best' or not isinstance(show, str):
            ax.legend(fontsize='small')

    def _plot_map(self, several: Sequence[str], show: str | tuple[str, str], ax: Any) -> None:
        (y, y_ticks), (x, x_ticks) = (_places(self.axes[name]) for name in several)
        size = len(y), len(x)
        if show == 'best':
            from matplotlib import colormaps
            from matplotlib.patches import Patch

            best = self.to_frame()['best'].to_numpy()
            winners = list(dict.fromkeys(best))
            code = np.array([winners.index(name) for name in best], dtype=float).reshape(size)
            colours = colormaps['tab20'].resampled(max(len(winners), 2))
            ax.pcolormesh(
                x,
                y,
                code,
                shading='nearest',
                cmap=colours,
                vmin=-0.5,
                vmax=max(len(winners), 2) - 0.5,
            )
            ax.legend(
                handles=[Patch(color=colours(i), label=name) for i, name in enumerate(winners)],
                fontsize='small',
            )
            title = f'best system by {self.measure}'
        elif isinstance(show, str):
            mesh = ax.pcolormesh(
                x, y, self._agreements()[show].reshape(size), shading='nearest', vmax=1
            )
            ax.figure.colorbar(mesh, ax=ax)
            title = f'{show} to the ranking by the default, {self.measure}'
        else:
            frame = self.pair(*show)
            difference = frame['difference'].to_numpy().reshape(size)
            most = float(np.abs(difference).max()) or 1.0
            mesh = ax.pcolormesh(
                x, y, difference, shading='nearest', cmap='RdBu', vmin=-most, vmax=most
            )
            ax.figure.colorbar(mesh, ax=ax)
            if difference.min() < 0 < difference.max():
                ax.contour(x, y, difference, levels=[0], colors='black')
            stable = frame['stable'].to_numpy().reshape(size).astype(float)
            if stable.any():
                ax.contourf(x, y, stable, levels=[0.5, 1.5], colors='none', hatches=['//'])
            title = f'{show[0]} − {show[1]}, {self.measure}; hatched: stable'
        point = [
            place[list(self.axes[name]).index(self.default[name])]
            for place, name in zip((x, y), several[::-1])
        ]
        ax.plot(*point, marker='o', color='black', markerfacecolor='white')
        ax.set(xlabel=several[1], ylabel=several[0], title=title)
        if x_ticks:
            ax.set_xticks(x, x_ticks)
        if y_ticks:
            ax.set_yticks(y, y_ticks)


def _places(values: Sequence[Any]) -> tuple[Array, list[str]]:
    """Where values of a parameter stand on an axis, and their labels if they are no numbers."""
    if all(_is_number(value) for value in values):
        return np.asarray(values, dtype=float), []
    return np.arange(len(values), dtype=float), [str(value) for value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


# ------------------------------------------------------------------------------------------------------- priors


def prior_weights(prior: Any, axes: Mapping[str, tuple[Any, ...]]) -> Array:
    """The weights of the settings of a grid, of sum 1, in its shape; see :meth:`Sensitivity.expected`."""
    shape = tuple(len(values) for values in axes.values())
    if prior is not None and not isinstance(prior, Mapping):
        weight = np.asarray(prior, dtype=float)
        if weight.shape != shape:
            raise ValueError(
                f'prior: weights of shape {weight.shape}, expected one for each setting, {shape}'
            )
    else:
        for name in prior or {}:
            if name not in axes:
                raise ValueError(f'prior: no axis {name!r}{did_you_mean(name, axes)}')
        weight = functools.reduce(
            np.multiply.outer,
            [
                _weights_on_axis((prior or {}).get(name, 'uniform'), name, values)
                for name, values in axes.items()
            ],
        )
    if not (weight >= 0).all() or not 0 < weight.sum() < np.inf:
        raise ValueError('prior: expected weights of at least 0 that add up to more')
    return np.asarray(weight / weight.sum(), dtype=float)


def _weights_on_axis(prior: Any, name: str, values: tuple[Any, ...]) -> Array:
    """The weights of the values of one axis."""
    if isinstance(prior, str):
        if prior != 'uniform':
            raise ValueError(
                f"prior of {name}: expected 'uniform', a distribution of scipy.stats, a sample, or "
                f'weights of values, found {prior!r}'
            )
        return np.ones(len(values))
    if isinstance(prior, Mapping):
        for value in prior:
            if value not in values:
                raise ValueError(f'prior of {name}: {value!r} is not among its values')
        return np.array([float(prior.get(value, 0.0)) for value in values])
    x = np.asarray(values, dtype=float)
    order = np.argsort(x)
    midpoints = (x[order][1:] + x[order][:-1]) / 2
    weight = np.zeros(len(x))
    if hasattr(prior, 'cdf'):
        weight[order] = np.diff(np.concatenate([[0.0], prior.cdf(midpoints), [1.0]]))
    else:
        weight[order] = np.bincount(
            np.searchsorted(midpoints, np.asarray(prior, dtype=float).ravel()), minlength=len(x)
        )
    return weight


# ------------------------------------------------------------------------------------------------------- the grid


def sensitivity(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: MeasureLike,
    *,
    default: Mapping[str, Any] | None = None,
    prior: Any = None,
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
        prior: for :meth:`Sensitivity.expected`.
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
    variants = _variants(base, grid)
    setting = {
        name: _default_of(base, name, values, (default or {})) for name, values in grid.items()
    }
    for name in default or {}:
        if name not in grid:
            raise ValueError(f'default: no axis {name!r}{did_you_mean(name, grid)}')
    prior_weights(prior, grid)
    pairs = list(several.named(runs)[0])
    runs = dict(pairs)
    judgments = Judgments.of(qrels)
    size = len(pairs) * len(judgments.query_ids) * len(variants) * 8
    if size > LARGEST:
        raise ValueError(
            f'{len(pairs)} systems × {len(judgments.query_ids)} queries × {len(variants):,} settings take '
            f'{size / 2**30:.1f} GiB, expected at most {LARGEST // 2**30} GiB; use fewer values'
        )
    first = evaluate(
        runs, judgments, [base(**setting)]
    )  # warns, and says which queries and systems there are
    shape = tuple(len(values) for values in grid.values())
    if isinstance(base, DivMeasure):
        values = _values(pairs, judgments, base, grid, variants, jobs)
    else:
        scores = evaluate(runs, judgments, list(dict.fromkeys(variants)), jobs=jobs)
        values = np.stack([scores[str(each)] for each in variants], axis=-1)
    draws = bootstrap_weights(len(first.queries), n_resamples, np.random.default_rng(rng))
    affine = tuple(name for name in getattr(base, 'affine', ()) if len(grid.get(name, ())) > 1)
    return Sensitivity(
        str(base),
        grid,
        setting,
        first.systems,
        first.queries,
        values.reshape(*values.shape[:2], *shape),
        affine,
        draws,
        confidence_level,
        prior,
    )


def _checked_axes(base: Any, axes: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The values of each axis as the measure takes them."""
    if not axes:
        raise ValueError(
            f'{base}: no axis; give the values of at least one parameter, as in p=[0.8, 0.9]'
        )
    values_by_axis = {}
    for name, values in axes.items():
        info = base.SUPPORTED_PARAMS.get(name)
        if info is None:
            raise ValueError(
                f'{base}: no parameter {name!r}{did_you_mean(name, base.SUPPORTED_PARAMS)}'
            )
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise TypeError(f'{name}={values!r}: expected several values of the parameter')
        plain = [value.item() if isinstance(value, np.generic) else value for value in values]
        if hasattr(info, 'check'):
            plain = [info.check(value) for value in plain]
        if not plain or len(set(plain)) < len(plain):
            raise ValueError(f'{name}: {"no values" if not plain else "a value is given twice"}')
        values_by_axis[name] = tuple(plain)
    return values_by_axis


def _variants(base: Any, grid: Mapping[str, tuple[Any, ...]]) -> list[Any]:
    """The measure at each setting, the last axis changing fastest.

    Raises:
        ValueError: an invalid setting; names it.
    """
    variants = []
    for setting in itertools.product(*grid.values()):
        settings = dict(zip(grid, setting))
        try:
            variants.append(base(**settings))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f'setting {", ".join(f"{name}={value!r}" for name, value in settings.items())}: '
                f'{error}'
            ) from None
    return variants


def _default_of(base: Any, name: str, values: tuple[Any, ...], default: Mapping[str, Any]) -> Any:
    """The value of an axis in the default setting."""
    value = default[name] if name in default else base[name]
    if value is None and None not in values:
        raise ValueError(
            f'{base}: {name} has no default to compare with; name one with the measure, as in '
            f'{base(**{name: values[0]})}'
        )
    if value in values:
        return value
    if not _is_number(value) or not all(_is_number(each) for each in values):
        raise ValueError(
            f'{base}: the default {name}={value!r}, with which settings are compared, is not among the '
            f'values; name one of them with the measure, as in {base(**{name: values[0]})}'
        )
    return min(values, key=lambda each: abs(each - value))


def _values(
    pairs: list[tuple[str, Any]],
    judgments: Judgments,
    base: DivMeasure,
    grid: Mapping[str, tuple[Any, ...]],
    variants: list[DivMeasure],
    jobs: int,
) -> Array:
    """(systems, queries, S)."""
    score = functools.partial(_of_runs, _groups(base, grid, variants))
    blocks = []
    with progress(len(pairs), 'run', 'runs') as bar:
        scores_by_run = (
            score(judgments, pairs)
            if jobs == 1
            else in_processes(iter(pairs), len(pairs), judgments, _itself, score, jobs)
        )
        for values in scores_by_run:
            blocks.append(values)
            bar.update()
    return np.stack(blocks)


def _itself(judgments: Judgments) -> Judgments:
    return judgments


@dataclass(frozen=True)
class _Group:
    """Settings that see the same ranking and differ in real numbers only.

    Attributes:
        places: (G,) their places among all settings.
        computed: the measure at the settings that are computed, C of them.
        settings: (C,) arrays of their real numbers, by parameter.
        below, above: (G,) places among the computed ones of two settings between which a setting's values are linear.
        share: (G, 1) how far it is from the first to the second.
    """

    places: NDArray[np.intp]
    computed: list[DivMeasure]
    settings: dict[str, Array]
    below: NDArray[np.intp]
    above: NDArray[np.intp]
    share: Array

    @classmethod
    def of(
        cls,
        places: NDArray[np.intp],
        variants: list[DivMeasure],
        real: tuple[str, ...],
        affine: tuple[str, ...],
    ) -> _Group:
        """The group of these settings, of which only two values of the first affine parameter are computed."""
        x = np.array(
            [[each.params.get(name, each[name]) for name in real] for each in variants], dtype=float
        ).reshape(len(variants), -1)
        every = np.arange(len(variants))
        computed, below, above, share = every, every, every, np.zeros((len(variants), 1))
        axis = next(
            (real.index(name) for name in affine if len(np.unique(x[:, real.index(name)])) > 2),
            None,
        )
        if axis is not None:
            ends = x[:, axis].min(), x[:, axis].max()
            _, key = np.unique(np.delete(x, axis, axis=1), axis=0, return_inverse=True)
            key, n = key.ravel(), int(key.max()) + 1
            computed = np.zeros(2 * n, dtype=np.intp)
            for start, end in zip((0, n), ends):
                rows = np.flatnonzero(x[:, axis] == end)
                computed[start + key[rows]] = rows
            below, above, share = (
                key,
                n + key,
                ((x[:, axis] - ends[0]) / (ends[1] - ends[0]))[:, None],
            )
        return cls(
            places,
            [variants[i] for i in computed],
            {name: x[computed, i] for i, name in enumerate(real)},
            below,
            above,
            share,
        )


def _groups(
    base: DivMeasure, grid: Mapping[str, tuple[Any, ...]], variants: list[DivMeasure]
) -> list[_Group]:
    """The groups of a grid's settings."""
    real = tuple(
        name
        for name, values in grid.items()
        if name in base.own_params
        and base.SUPPORTED_PARAMS[name].dtype is float
        and all(_is_number(value) for value in values)
    )
    places = np.arange(len(variants)).reshape([len(values) for values in grid.values()])
    last = [axis for axis, name in enumerate(grid) if name in real]
    rest = [axis for axis in range(len(grid)) if axis not in last]
    size = math.prod(places.shape[axis] for axis in last)
    affine = tuple(name for name in real if name in base.affine)
    return [
        _Group.of(row, [variants[i] for i in row], real, affine)
        for row in places.transpose(*rest, *last).reshape(-1, size)
    ]


def _of_runs(
    groups: list[_Group], judgments: Judgments, pairs: Iterable[tuple[str, Any]]
) -> Iterator[Array]:
    """(queries, S) of each run."""
    by_name = {str(group.computed[0]): group for group in groups}
    evaluator = Evaluator(
        [group.computed[0] for group in groups], judgments, warn=False, about_missing=False
    )
    in_order = [by_name[str(own)] for own in evaluator.own]
    at_once: dict[int, bool] = {}
    for system, run in several.ahead(iter(pairs)):
        with several.of_system(system):
            table = several.read(run)
            assert evaluator._collection is not None
            coded_run = evaluator._collection.read(table, evaluator._columns)
            values = np.zeros(
                (len(judgments.query_ids), sum(len(group.places) for group in groups))
            )
            for place, queries, ranking in evaluator.rankings(table, coded_run):
                group = in_order[place]
                ends = _computed(group, ranking, at_once, place)
                between = ends[group.below] * (1 - group.share) + ends[group.above] * group.share
                values[np.ix_(queries, group.places)] = between.T
        yield values


def _computed(group: _Group, ranking: Ranking, at_once: dict[int, bool], place: int) -> Array:
    """(C, Q): the values at the settings of a group that are computed.

    All at once where the measure's function takes arrays of settings: that is tried with the first ranking, on which
    some settings are computed singly too.
    """
    measures = group.computed
    if group.settings and len(measures) > 1 and at_once.get(place, True):
        values = _together(group, ranking)
        if place not in at_once:
            sample = np.unique(np.linspace(0, len(measures) - 1, 7).astype(int))
            at_once[place] = values is not None and np.allclose(
                values[sample],
                np.stack([measures[i].on(ranking) for i in sample]),
                rtol=1e-9,
                atol=1e-12,
            )
        if values is not None and at_once[place]:
            return values
    blocks = []
    for start in range(0, len(measures), REMEMBERED):
        fresh = ranking.anew()
        blocks += [each.on(fresh) for each in measures[start : start + REMEMBERED]]
    return np.stack(blocks)


def _together(group: _Group, ranking: Ranking) -> Array | None:
    """As :func:`_computed`, in blocks of settings; None where the measure's function does not take them."""
    measure, cut = group.computed[0], ranking.cut(group.computed[0].cutoff)
    step = max(CELLS // max(cut.rank.size * ranking.judgments.grade.shape[2], 1), 1)
    values = np.empty((len(group.computed), len(ranking.n)))
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        try:
            block = value_of(
                measure.parts(
                    ranking,
                    **{name: x[part, None, None, None] for name, x in group.settings.items()},
                )
            )
        except Exception:  # a function that is not written for arrays may raise anything here
            return None
        if block.shape not in ((len(values[part]), len(ranking.n)), (len(ranking.n),)):
            return None
        values[part] = block
    return values if np.isfinite(values).all() else None


__all__ = ['Sensitivity', 'sensitivity']
