"""Carterette (SIGIR 2011): measures of four user models when judgments, topics or pools change."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..evaluation.scores import Scores
from ..judgments.qrels import topic_level
from ..judgments.repool import repool
from ..lazy import pd
from ..meta.robustness import pair_signs, tau_of_signs, topic_weights
from .layout import grid
from .paper import Cells, Choice, Paper
from .rules import NotTestableError, Quantity, sides

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50)
# What simulated assessors do; the grade of a strict one, and of pages.
KEPT, ADDED, HIGH = 0.65, 0.25, 2
# Samples of the topics, for each page, and of each resample of the topics; for pages, all topics and 40 resamples.
TRIALS, PAGE_TRIALS, SHARED, PAGE_SAMPLES = 100, 20, 20, 41

Array = np.ndarray


def signs(scored: Scores, topics: Array) -> Array:
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

    def quantities(self, name: str, row: Sequence[str], taus: Array) -> Cells:
        """Mean τ of the measures to which the names of a column apply: a distribution, several of them, a model.

        Args:
            name: of the columns.
            row: the names before that of the column.
            taus: (1 + resamples, measures) τ on all topics, and on each resample.
        """
        cells, groups, measures = {}, self.data['groups'], self.measures()
        for column in self.data['columns'][name]:
            names = ', '.join(column).split(', ')
            several = [
                all(each in cell or cell[0] in groups.get(each, ()) for each in names)
                for cell in measures
            ]
            tau, *replicates = taus[:, several].mean(axis=1)
            quantity = Quantity.resampled(tau, replicates, len(self.topics), limit=1)
            cells[(*row, *column)] = quantity
        return cells

    def against(self, name: str, rows: Mapping[Any, Iterable[pd.DataFrame]]) -> Cells:
        """τ between the rankings of systems by the judgments and by others, the mean over the others of a row."""
        cells: Cells = {}
        samples = self.topic_samples
        ahead = signs(self.whole, samples)
        for row, others in rows.items():
            taus = [tau_of_signs(ahead, signs(self.scores(each), samples)) for each in others]
            cells |= self.quantities(name, row, np.mean(taus, axis=0).T)
        return cells

    def samples(
        self, name: str, several: Sequence[Scores], trials: int, most: int | None = None
    ) -> Cells:
        """τ between rankings on all topics and on samples of 5, 10, … of them, the mean of several scores.

        Each has its trials on all topics; on resamples of the topics they share some.
        """
        self.enough(2, 6)
        rng, sizes = self.rng(f'{self.key} {name}'), range(5, len(self.topics), 5)
        taus, n_samples = [], trials
        for topics in self.topic_samples[:most]:
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

    def others(self) -> Iterator[pd.DataFrame]:
        """The judgments of further assessors."""
        for n, other in enumerate(self.assessors, 1):
            qrels = topic_level(other)
            if missing := len(set(self.topics) - set(qrels['query_id'])):
                raise ValueError(f'assessor {n} has no judgments of {missing} topics; expected all')
            yield qrels[qrels['query_id'].isin(self.topics)]

    def table2(self) -> Cells:
        """Without further assessors, those are simulated, and one who is strict has a block of the table."""
        blocks: dict[tuple[str, ...], list[pd.DataFrame]] = {(): list(self.others())}
        qrels, grade = self.topic_qrels, self.topic_qrels['relevance'].to_numpy()
        if not blocks[()]:
            draws = self.rng(f'{self.key} table2').random((2 * self.n_seeds, len(grade)))
            relevant = draws < np.where(grade >= 1, KEPT, ADDED)
            blocks[()] = [qrels.assign(relevance=each * 1) for each in relevant]
            if (grade >= HIGH).any():
                blocks['a strict assessor',] = [qrels.assign(relevance=(grade >= HIGH) * 1)]
        return self.against('table2', blocks)

    def figure3(self) -> Cells:
        return self.samples('figure3', [self.whole], TRIALS)

    def figure4(self) -> Cells:
        deepest = self.pool.over(self.topic_qrels).rank.max(initial=1)
        depths = [depth for depth in DEPTHS if depth == 1 or depth < deepest]
        pools = repool(self.topic_qrels, self.runs, depths)
        rows = {(f'depth={depth}',): [qrels] for depth, qrels in pools.items()}
        return self.against('figure4', rows)

    def pages(self) -> Cells:
        """One document of a high grade a topic is relevant, drawn in proportion to Σ 1/rank over the systems."""
        qrels, rng, several = self.topic_qrels, self.rng(f'{self.key} pages'), []
        rank = self.pool.over(qrels).rank
        rate = pd.Series((1 / np.where(rank > 0, rank, np.inf)).sum(axis=0))
        rate = rate[(rate > 0) & (qrels['relevance'] >= HIGH)]
        if rate.empty:
            raise NotTestableError(f'needs retrieved documents of grade {HIGH}')
        for _ in range(self.n_seeds):
            arrival = pd.Series(rng.exponential(size=len(qrels)))[rate.index] / rate
            first = arrival.groupby(qrels['query_id']).idxmin()
            several.append(self.scores(qrels.assign(relevance=qrels.index.isin(first) * 1)))
        return self.samples('samples for pages', several, PAGE_TRIALS, PAGE_SAMPLES)

    def choose_table2(self) -> Choice:
        others, simulated = len(self.assessors), 2 * self.n_seeds
        numbers = {'others': others, 'simulated': simulated, 'kept': KEPT, 'added': ADDED}
        return int(not others), numbers

    def extremes(self, name: str) -> Choice:
        """The models of the highest and of the lowest mean."""
        ((_, models, _),) = sides(self, {'in': name, 'A': self.parts['table1']['columns']})
        first, *_, last = sorted(models, key=lambda model: -models[model].value)
        texts = {'found': f'{first} and {last}', 'stated': self.parts[name]['extremes']}
        return int(texts['found'] != texts['stated']), texts

    choose_figure3 = functools.partialmethod(extremes, 'figure3')
    choose_figure4 = functools.partialmethod(extremes, 'figure4')
