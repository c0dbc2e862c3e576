"""Carterette (SIGIR 2011): measures of four user models when judgments, topics or pools change."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data.qrels import topic_level
from ..estimates import Quantity
from ..evaluation.scores import Scores
from ..lazy import pd
from ..meta.robustness import pair_signs, tau_of_signs, topic_weights
from ..pools.repool import repool
from .layout import grid
from .paper import Cells, Paper
from .rules import NotTestableError

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50)
HIGH = 2
"""The grade of a strict assessor, and of pages."""
# Samples of the topics, for each page, and of each resample of the topics; for pages, all topics and 40 resamples.
TRIALS, PAGE_TRIALS, SHARED, PAGE_SAMPLES = 100, 20, 20, 41


def signs(scored: Scores, topics: np.ndarray) -> np.ndarray:
    """Which system of each pair is ahead, (measures, pairs, samples), on samples of topics, (samples, size)."""
    values = scored.values.transpose(2, 0, 1)
    return pair_signs(values @ topic_weights(topics, values.shape[2]).T)


class Carterette(Paper, key='carterette-2011'):
    """The three studies of §4.2, and that of named pages."""

    further = ('pages',)

    @classmethod
    def measures(cls) -> dict[tuple[str, str], str]:
        """The measure of each distribution and model that together compare rankings."""
        cells = grid(**cls.data['exact']['table1'])
        return {cell: measure for cell, measure in cells.items() if measure is not None}

    def scores(self, qrels: pd.DataFrame) -> Scores:
        """The scores of all measures by judgments of whole topics."""
        names = self.measures()
        for cell in map(tuple, self.data['normalised']):
            names[cell] = f'{names[cell][:-1]},norm=True)'
        return self.pool.over(qrels).scores(list(names.values()))

    @functools.cached_property
    def whole(self) -> Scores:
        """The scores by all judgments."""
        return self.scores(self.topic_qrels)

    def quantities(self, name: str, row: Sequence[str], taus: np.ndarray) -> Cells:
        """Mean τ of the measures to which the names of a column apply: a distribution, several of them, a model.

        ``taus`` are (1 + resamples, measures), on all topics and on each resample; ``row`` are the names before the column.
        """
        cells, groups = {}, self.data['groups']
        for column in self.data['columns'][name]:
            names = ', '.join(column).split(', ')
            several = [
                all(each in cell or cell[0] in groups.get(each, ()) for each in names)
                for cell in self.measures()
            ]
            numbers = taus[:, several].mean(axis=1)
            cells[(*row, *column)] = Quantity.resampled(numbers, len(self.topics), limit=1)
        return cells

    def against(self, name: str, rows: Mapping[Any, Sequence[pd.DataFrame]]) -> Cells:
        """τ between the rankings of systems by the judgments and by others, the mean over the others of a row."""
        cells: Cells = {}
        ahead = signs(self.whole, self.topic_samples)
        for row, others in rows.items():
            orders = (signs(self.scores(each), self.topic_samples) for each in others)
            taus = [tau_of_signs(ahead, order) for order in orders]
            cells |= self.quantities(name, row, np.mean(taus, axis=0).T)
        return cells

    def samples(
        self, name: str, several: list[Scores], trials: int, resamples: np.ndarray
    ) -> Cells:
        """τ between rankings on all topics and on samples of 5, 10, … of them, the mean of several scores.

        Each has its trials on all topics; on resamples of the topics they share some.
        """
        self.need(systems=2, topics=6)
        rng, sizes = self.rng(f'{self.key} {name}'), range(5, len(self.topics), 5)
        taus, n_samples = [], trials
        for topics in resamples:
            of_scores = []
            for scored in several:
                drawn = rng.permuted(np.tile(topics, (n_samples, 1)), axis=1)
                ahead = signs(scored, topics[None])
                orders = (signs(scored, drawn[:, :size]) for size in sizes)
                of_scores.append([tau_of_signs(ahead, order).mean(axis=1) for order in orders])
            taus.append(np.mean(of_scores, axis=0))
            n_samples = -(-SHARED // len(several))
        cells: Cells = {}
        for size, of_size in zip(sizes, np.swapaxes(taus, 0, 1)):
            cells |= self.quantities(name, [f'N={size}'], of_size)
        return cells

    def table2(self) -> Cells:
        """Without further assessors, those are simulated, and one who is strict has a block of the table."""
        others: list[pd.DataFrame] = []
        blocks: dict[tuple[str, ...], list[pd.DataFrame]] = {(): others}
        for n, assessor in enumerate(self.assessors, 1):
            qrels = topic_level(assessor)
            if missing := len(set(self.topics) - set(qrels['query_id'])):
                raise ValueError(f'assessor {n} has no judgments of {missing} topics; expected all')
            others.append(qrels[qrels['query_id'].isin(self.topics)])
        qrels, grade = self.topic_qrels, self.topic_qrels['relevance'].to_numpy()
        if not others:
            draws = self.rng(f'{self.key} table2').random((2 * self.n_seeds, len(grade)))
            chance = self.parts['table2']['chance']
            relevant = draws < np.where(grade >= 1, chance['kept'], chance['added'])
            others += [qrels.assign(relevance=each * 1) for each in relevant]
            if (grade >= HIGH).any():
                blocks['a strict assessor',] = [qrels.assign(relevance=(grade >= HIGH) * 1)]
        return self.against('table2', blocks)

    def figure3(self) -> Cells:
        return self.samples('figure3', [self.whole], TRIALS, self.topic_samples)

    def figure4(self) -> Cells:
        deepest = self.judged.rank.max(initial=1)
        depths = [depth for depth in DEPTHS if depth == 1 or depth < deepest]
        pools = repool(self.topic_qrels, self.runs, depths)
        return self.against('figure4', {(f'depth={n}',): [pool] for n, pool in pools.items()})

    def pages(self) -> Cells:
        """One document of a high grade a topic is relevant, drawn in proportion to Σ 1/rank over the systems."""
        qrels, rng, several = self.topic_qrels, self.rng(f'{self.key} pages'), []
        rank = self.judged.rank[:, self.judged.judged.row_pair]
        rate = pd.Series((1 / np.where(rank > 0, rank, np.inf)).sum(axis=0))
        rate = rate[(rate > 0) & (qrels['relevance'] >= HIGH)]
        if rate.empty:
            raise NotTestableError(f'needs retrieved documents of grade {HIGH}')
        for _ in range(self.n_seeds):
            arrival = pd.Series(rng.exponential(size=len(qrels)))[rate.index] / rate
            first = arrival.groupby(qrels['query_id']).idxmin()
            several.append(self.scores(qrels.assign(relevance=qrels.index.isin(first) * 1)))
        resamples = self.topic_samples[:PAGE_SAMPLES]
        return self.samples('samples for pages', several, PAGE_TRIALS, resamples)
