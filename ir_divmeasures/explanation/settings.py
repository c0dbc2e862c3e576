"""What the settings of a measure's parameters decide: tables of the results of :func:`ir_divmeasures.sensitivity`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..judgments.table import Judgments
from ..lazy import pd
from .sensitivity import Sensitivity, sensitivity


def winners(result: Sensitivity) -> pd.DataFrame:
    """A row for each system, or tied systems, that is best somewhere: settings, share, values of the parameters."""

    frame, rows = result.to_frame(), []
    for best, of_best in frame.groupby('best', sort=False):
        extents = {name: _extent(of_best[name], axis) for name, axis in result.axes.items()}
        share = round(len(of_best) / len(frame), 3)
        rows.append({'best': best, 'settings': len(of_best), 'share': share, **extents})
    return pd.DataFrame(rows).sort_values('settings', ascending=False, kind='stable')


def _extent(values: Iterable[Any], axis: Sequence[Any]) -> str:
    """Return the range of some values of an axis, or the values if they are not numbers."""
    known = set(values)
    present = [value for value in axis if value in known]
    if all(isinstance(value, (int, float)) for value in axis):
        low, high = min(present), max(present)
        return value_text(low) if low == high else f'{value_text(low)} to {value_text(high)}'
    return ', '.join(map(str, present))


def value_text(value: Any) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)


def agreement(result: Sensitivity) -> pd.DataFrame:
    """For each value of each parameter: the mean and the least τ to the default."""

    frame, rows = result.to_frame(), []
    for name, values in result.axes.items():
        agreed = frame.groupby(name, sort=False)['kendall']
        by_value = agreed.agg(mean='mean', least='min').loc[list(values)].reset_index(names='value')
        by_value['value'] = [value_text(value) for value in values]
        rows.append(by_value.assign(parameter=name))
    return pd.concat(rows)[['parameter', 'value', 'mean', 'least']]


def sensitivities(source: Any, runs: Any, judgments: Judgments, rng: int = 0) -> list[Sensitivity]:
    """The results that ``sensitivity=`` of the leaderboard names.

    Args:
        source: one or several results of :func:`ir_divmeasures.sensitivity`, or ``{measure: {parameter: values}}``.
        runs: the runs by name.
        judgments: the judgments.
        rng: seed for all random draws.

    Raises:
        TypeError: something else.
    """
    if isinstance(source, Sensitivity):
        return [source]
    if isinstance(source, Mapping) and all(isinstance(axes, Mapping) for axes in source.values()):
        return [
            sensitivity(runs, judgments, measure, rng=rng, **axes)
            for measure, axes in source.items()
        ]
    several = isinstance(source, Iterable) and not isinstance(source, (str, Mapping))
    listed = list(source) if several else []
    if not listed or not all(isinstance(each, Sensitivity) for each in listed):
        raise TypeError(
            "sensitivity: expected {measure: {parameter: values}}, as in {'RBU@20': {'p': [0.8, 0.9]}}, or "
            f'what ir_divmeasures.sensitivity returns, found {source!r:.80}'
        )
    return listed
