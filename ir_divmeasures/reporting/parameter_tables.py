"""The section about the parameters of measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..explanation.sensitivity import Sensitivity, sensitivity
from ..judgments.table import Judgments
from ..lazy import pd
from .sections import Section, table_of


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


def sensitivity_section(results: Sequence[Sensitivity]) -> Section:
    """For each measure the system that is best at each setting, and how far settings agree with the default."""
    tables = []
    for result in results:
        frame = result.to_frame()
        grid = ' × '.join(f'{len(values)} {name}' for name, values in result.axes.items())
        default = ', '.join(f'{name}={_value_text(x)}' for name, x in result.default.items())
        tables.append(
            table_of(
                _winners(result, frame),
                f'{result.measure}: the best system over {grid}',
                f'Share: of the {len(frame):,} settings. The further columns are the values of the parameters at which the '
                f'system is best, from the least to the largest. Default: {default}.',
            )
        )
        if 'kendall' in frame:
            tables.append(
                table_of(
                    _agreement(result, frame),
                    f'{result.measure}: agreement with the default',
                    'Kendall’s τ between the rankings of the systems at a setting and at the default: '
                    'mean and least over the settings with this value.',
                )
            )
    return Section('parameters', 'What the parameters decide', tables)


def _winners(result: Sensitivity, frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each system, or tied systems, that is best somewhere: settings, share, values of the parameters."""

    rows = []
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
        return _value_text(low) if low == high else f'{_value_text(low)} to {_value_text(high)}'
    return ', '.join(map(str, present))


def _value_text(value: Any) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)


def _agreement(result: Sensitivity, frame: pd.DataFrame) -> pd.DataFrame:
    """For each value of each parameter: the mean and the least τ to the default."""

    rows = []
    for name, values in result.axes.items():
        agreed = frame.groupby(name, sort=False)['kendall']
        by_value = agreed.agg(mean='mean', least='min').loc[list(values)].reset_index(names='value')
        by_value['value'] = [_value_text(value) for value in values]
        rows.append(by_value.assign(parameter=name))
    return pd.concat(rows)[['parameter', 'value', 'mean', 'least']]


__all__ = ['sensitivities', 'sensitivity_section']
