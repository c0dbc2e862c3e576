"""Carterette (SIGIR 2011): measures of four user models when judgments, topics or pools change."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import meta
from ..data.qrels import topic_level
from ..evaluation.scores import Scores
from ..lazy import pd
from ..pools.repool import repool
from .study import Cells, Study

MODELS = {
    'P_RBP': (1, 2, 4),
    'P_DCG': (1, 2, 4),
    'P_RR': (1, 2, 4),
    'P_ERR': (3, 4),
    'P_AP': (3, 4),
    'P_RRR': (3, 4),
}
"""The models that a stopping distribution goes with."""
NORMALISED = {('P_RBP', 2), ('P_DCG', 2), ('P_RR', 2), ('P_AP', 3)}
TAILS = {
    'P_RBP': 'slim',
    'P_ERR': 'slim',
    'P_RR': 'medium',
    'P_RRR': 'medium',
    'P_DCG': 'fat',
    'P_AP': 'fat',
}
STATIC = ('P_RBP', 'P_DCG', 'P_RR')
KEEP, ADD, ASSESSORS = 0.65, 0.25, 10
"""How likely a simulated assessor keeps a relevant judgment, and makes a relevant one of another; their number."""
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50)


def measures() -> dict[str, tuple[str, int]]:
    """The fifteen measures, each with its distribution and model."""
    return {
        f'UM(model={model},P={row[2:]!r}{",norm=True" * ((row, model) in NORMALISED)})': (
            row,
            model,
        )
        for row, models in MODELS.items()
        for model in models
    }


def groups(measure: str) -> Iterator[str]:
    """The columns of Figures 3 and 4 to which a measure belongs."""
    row, model = measures()[measure]
    yield f'M{model}'
    yield TAILS[row]
    yield 'mean'
    if model == 3 and TAILS[row] != 'fat':
        yield 'M3, slim or medium'


def by_group(table: pd.DataFrame, label: str) -> Cells:
    """Mean τ by level of a study, and by group of measures."""
    table = table.assign(group=[list(groups(measure)) for measure in table['measure']]).explode(
        'group'
    )
    level = table.columns[1]
    for (of_level, group), tau in table.groupby([level, 'group'])['statistic'].mean().items():
        yield f'{label}={of_level}', group, tau


class Carterette(Study, key='carterette-2011'):
    """Table 1, the distributions, and the three studies of §4.2."""

    def topic_scores(self, qrels: Any) -> Scores:
        """The scores of all measures by judgments of whole topics."""
        return self.scores(qrels, measures())

    @functools.cached_property
    def whole(self) -> Scores:
        """The scores by all judgments."""
        return self.topic_scores(self.topic_qrels)

    def table1(self) -> Cells:
        for row, models in MODELS.items():
            for model in models:
                yield row, f'M{model}', f'UM(model={model},P={row[2:]!r})'

    def figure1(self) -> Cells:
        """F is the share of users who see rank k: θ = .5, 1/log2(k + 1), 1/k."""
        for k in (1, 2, 3, 5, 10, 20, 50, 100):
            reached: dict[str, Callable[[int], float]] = {
                'RBP': lambda k: 0.5 ** (k - 1),
                'DCG': lambda k: 1 / np.log2(k + 1),
                'RR': lambda k: 1 / k,
            }
            for name, share in reached.items():
                yield f'k={k}', f'P_{name}', float(share(k) - share(k + 1))
                yield f'k={k}', f'F_{name}', float(share(k))

    def others(self) -> Iterator[Any]:
        """The judgments of other assessors: those that were given, or simulated ones."""
        for n, assessor in enumerate(self.assessors, 1):
            qrels = topic_level(assessor)
            if lacking := len(set(self.topics) - set(qrels['query_id'])):
                raise ValueError(
                    f'assessor {n} has no judgments of {lacking} topics; expected judgments of all {len(self.topics)}'
                )
            yield qrels[qrels['query_id'].isin(self.topics)]
        if not self.assessors:
            chance = np.where(self.topic_qrels['relevance'] >= 1, KEEP, ADD)
            for draw in self.rng('carterette-2011 table2').random((ASSESSORS, len(chance))):
                yield self.topic_qrels.assign(relevance=(draw < chance) * 1)

    def table2(self) -> Cells:
        """τ by distribution and model, the mean over assessors, with means of rows, columns and groups."""
        others = {str(n): self.topic_scores(qrels) for n, qrels in enumerate(self.others())}
        table = meta.assessor_robustness(self.whole, others, n_resamples=0)
        tau = table.groupby('measure', sort=False)['statistic'].mean()
        row, model = zip(*(measures()[name] for name in tau.index))
        cells = pd.DataFrame({'row': row, 'model': [f'M{m}' for m in model], 'tau': tau.to_numpy()})
        for distribution, of_row in cells.groupby('row', sort=False):
            yield from ((distribution, cell.model, cell.tau) for cell in of_row.itertuples())
            yield distribution, 'mean', float(of_row['tau'].mean())
        tails = cells.groupby(cells['row'].map(TAILS))
        kinds = cells.groupby(np.where(cells['row'].isin(STATIC), 'static', 'dynamic'))
        for groups in tails, kinds:
            for group, value in groups['tau'].mean().sort_index(ascending=False).items():
                yield group, 'mean', value
        for name, part in ('mean', cells), ('mean without P_AP', cells[cells['row'] != 'P_AP']):
            yield from (
                (name, m, value) for m, value in part.groupby('model')['tau'].mean().items()
            )
            yield name, 'mean', float(part['tau'].mean())

    def figure3(self) -> Cells:
        """τ between rankings on N topics and on all."""
        sizes, rng = range(5, len(self.topics), 5), self.rng('carterette-2011 figure3')
        yield from by_group(meta.topic_robustness(self.whole, sizes, n_resamples=0, rng=rng), 'N')

    def figure4(self) -> Cells:
        """τ between rankings by judgments of shallower pools and by all."""
        deepest = self.judged.rank.max(initial=1)
        depths = [depth for depth in DEPTHS if depth == 1 or depth < deepest]
        pools = repool(self.topic_qrels, self.runs, depths)
        shallower = {depth: self.topic_scores(qrels) for depth, qrels in pools.items()}
        yield from by_group(meta.pool_robustness(self.whole, shallower, n_resamples=0), 'depth')
