"""The picture of docs/guide/continuation.md: how users read one ranking, and what they take away at each rank.

python -m reference continuation   # writes docs/images/continuation.png
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ir_divmeasures.core.stopping.continuation import viewing
from ir_divmeasures.core.stopping.registries import AGGREGATIONS, CONTINUATIONS

from .common import picture

GAINS = np.array([0, 0.5, 0, 0, 0.75, 0.25, 0, 0, 0.5, 0])
READS = {
    'P': {'k': 5},
    'RBP': {'p': 0.8},
    'NDCG': {'k': 10},
    'INST': {'T': 1.0},
    'ERR': {'theta': 1.0},
    'RRR': {},
}
TAKES = {'MEAN': {}, 'MAX': {}, 'LAST': {}, 'RR': {}, 'PE': {'peak': 0.5}, 'SAT': {}}


def page() -> None:
    """docs/images/continuation.png."""
    rank, costs = np.arange(1, len(GAINS) + 1), np.ones(len(GAINS))
    figure = Figure(figsize=(10, 5), layout='constrained')
    (gains_left, gains_right), (left, right) = figure.subplots(
        2, 2, sharex=True, height_ratios=[1, 5]
    )
    for ax in (gains_left, gains_right):
        ax.bar(rank, GAINS, color='0.6')
        ax.set(ylim=(0, 1), yticks=[0, 1], ylabel='gain')
    for i, (name, parameters) in enumerate(READS.items()):
        viewed = np.broadcast_to(
            viewing(CONTINUATIONS[name](GAINS, costs, **parameters)), rank.shape
        )
        left.plot(rank, viewed, 'os^Dv<'[i] + '-', markersize=4, label=_labelled(name, parameters))
    for i, (name, parameters) in enumerate(TAKES.items()):
        gains = np.broadcast_to(AGGREGATIONS[name](GAINS, costs, **parameters), rank.shape)
        right.plot(rank, gains, 'os^Dv<'[i] + '-', markersize=4, label=_labelled(name, parameters))
    gains_left.set_title('C: how users read')
    gains_right.set_title('A: what users take away')
    left.set(
        xlabel='rank',
        ylabel='probability V(i) of reaching the rank',
        xticks=rank,
        ylim=(-0.03, 1.03),
    )
    right.set(xlabel='rank', ylabel='A(i), for users who stop at the rank', ylim=(-0.03, 1.03))
    for ax in (left, right):
        ax.legend(
            fontsize='small',
            frameon=False,
            ncols=3,
            loc='upper center',
            bbox_to_anchor=(0.5, -0.14),
        )
    for ax in figure.axes:
        ax.spines[['top', 'right']].set_visible(False)
    picture(figure, 'continuation.png', dpi=110)


def _labelled(name: str, parameters: dict[str, float]) -> str:
    settings = ', '.join(f'{key}={value:g}' for key, value in parameters.items())
    return f'{name}, {settings}' if settings else name
