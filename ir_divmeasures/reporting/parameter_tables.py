"""The section about the parameters of measures."""

from __future__ import annotations

from collections.abc import Sequence

from ..explanation.sensitivity import Sensitivity
from ..explanation.settings import agreement, value_text, winners
from .sections import Section, table_of


def sensitivity_section(results: Sequence[Sensitivity]) -> Section:
    """For each measure the system that is best at each setting, and how far settings agree with the default."""
    tables = []
    for result in results:
        frame = result.to_frame()
        grid = ' × '.join(f'{len(values)} {name}' for name, values in result.axes.items())
        default = ', '.join(f'{name}={value_text(x)}' for name, x in result.default.items())
        tables.append(
            table_of(
                winners(result),
                f'{result.measure}: the best system over {grid}',
                f'Share: of the {len(frame):,} settings. The further columns are the values of the parameters at which the '
                f'system is best, from the least to the largest. Default: {default}.',
            )
        )
        if 'kendall' in frame:
            tables.append(
                table_of(
                    agreement(result),
                    f'{result.measure}: agreement with the default',
                    'Kendall’s τ between the rankings of the systems at a setting and at the default: '
                    'mean and least over the settings with this value.',
                )
            )
    return Section('parameters', 'What the parameters decide', tables)
