"""Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018: Rank-Biased Utility and metric unanimity."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import meta
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores, join
from ..judgments.qrels import read_qrels, topic_level
from ..judgments.table import Judgments, of_documents
from ..lazy import pd
from ..meta.unanimity import Unanimity
from ..pools.judged import JudgedPool
from .paper import Cells, Choice, Paper
from .rules import NotTestableError, Quantity, sides

OFFICIAL, RANDOM, SHORT = 'official', 'cut at random', 'cut below 50'
EFFORTLESS = 'RBU e=0'


def simulated(
    pool: JudgedPool, longest: int | None, rng: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """The judgments, ranks and lengths of the scenarios of §6.3.

    A grade g becomes a number drawn from (0, g), weights are drawn from (0, 1) and divided by their sum, and each
    ranking is cut at a length drawn from 0, …, n, or from 0, …, ``longest``.
    """
    table, query = pool.table, pool.collection.query_of_pair[pool.collection.row_pair]
    document = -pd.factorize(table['doc_id'], sort=True)[0]
    names = [f'{len(name):9}{name}' for name in table['subtopic_id']]
    aspect = pd.factorize(np.array(names), sort=True)[0]
    n, grade = pool.n.copy(), table['relevance'].to_numpy(dtype=float, copy=True)
    weight = np.zeros(len(grade))
    for number, length in enumerate(n.T):
        rows = np.flatnonzero(query == number)
        relevant = rows[grade[rows] > 0]
        documents, row = np.unique(document[relevant], return_inverse=True)
        aspects, column = np.unique(aspect[relevant], return_inverse=True)
        weights = np.zeros(len(table))
        weights[aspects] = 1 - rng.random(len(aspects))
        weight[rows] = weights[aspect[rows]] / max(weights.sum(), 1e-300)
        most = length if longest is None else np.full_like(length, longest)
        length[:] = np.minimum(length, rng.integers(0, most, endpoint=True))
        grade[relevant] *= (1 - rng.random((len(documents), len(aspects))))[row, column]
    rank = np.where(pool.rank <= n[:, pool.collection.query_of_pair], pool.rank, 0)
    return table.assign(relevance=grade, weight=weight), rank, n


def together(pool: JudgedPool, drawn: Iterable[tuple[Any, ...]]) -> JudgedPool:
    """Up to ten simulations of a pool as one, so that their topics are scored at once."""
    tables, ranks, n = zip(*drawn)
    named = [
        table.assign(query_id=f'{seed} ' + table['query_id']) for seed, table in enumerate(tables)
    ]
    judgments = Judgments.of(pd.concat(named, ignore_index=True))
    return JudgedPool(judgments, pool.systems, pool.groups, None, np.hstack(ranks), np.hstack(n))


def best(result: Unanimity, names: Iterable[str]) -> Quantity:
    """The highest MU of several variants; the jackknife chooses anew without each topic."""
    places = [result.measures.index(name) for name in names]
    without = result.without[:, places]
    if not np.isfinite(without).all():
        raise NotTestableError('a variant contradicts every unanimous improvement')
    place = max(places, key=lambda each: result.values[each])
    n, limit = len(without), float(result.ceiling[place])
    spread = without.max(axis=1) * (n - 1) / math.sqrt(n)
    return Quantity.resampled(result.values[place], spread, n, limit=limit)


class Amigo(Paper, key='amigo-2018'):
    """The tables of §6, and what they say about measures that reward the unanimous decisions of others."""

    further = ('variants',)

    @classmethod
    def settings(cls) -> list[dict[str, float]]:
        """All combinations of the parameters of measures."""
        known = cls.parts['table2']['parameters']
        return [dict(zip(known, values)) for values in itertools.product(*known.values())]

    @classmethod
    def measures(cls, kind: str) -> dict[str, str]:
        """Our measures by ``family|variant``, of ``'intents'`` or ``'topics'``."""
        return {
            f'{family}|{variant}'.format_map(each): measure.format_map(each)
            for family, variant, measure in cls.parts['table2'][kind]
            for each in cls.settings()
        }

    @functools.cached_property
    def judged(self) -> JudgedPool:
        """The runs and the judgments of official intents."""
        official = of_documents(Judgments.of(self.qrels).official)
        return self.pool.over(official.reset_index(drop=True))

    def scores(self, pool: JudgedPool) -> np.ndarray:
        """(S, Q, measures) by the measures of intents, then by those of topics."""
        whole = Judgments.of(topic_level(pool.table))
        topics = JudgedPool(whole, pool.systems, pool.groups, None, pool.rank, pool.n)
        return np.dstack(
            [
                own.scores(list(self.measures(kind).values())).values
                for kind, own in {'intents': pool, 'topics': topics}.items()
            ]
        )

    @functools.cached_property
    def scored(self) -> dict[str, list[np.ndarray]]:
        """The scores in each simulation of each scenario."""
        scored = {OFFICIAL: [self.scores(self.judged)]}
        for scenario, longest in self.parts['table2']['longest'].items():
            rngs = (self.rng(f'{self.key} {scenario} {seed}') for seed in range(self.n_seeds))
            pool = together(self.judged, (simulated(self.judged, longest, rng) for rng in rngs))
            scored[scenario] = np.split(self.scores(pool), self.n_seeds, axis=1)
        return scored

    def unanimity(self, scenario: str, without: str = EFFORTLESS) -> Unanimity:
        """MU of all variants but those of a family, the mean over the simulations; names are ``family|variant``."""
        names = [*self.measures('intents'), *self.measures('topics')]
        kept = [name for name in names if not name.startswith(f'{without}|')]
        several = (Scores(values, measures=names)[kept] for values in self.scored[scenario])
        return Unanimity.averaged(list(map(meta.unanimity, several)))

    @functools.cached_property
    def unanimities(self) -> dict[str, Unanimity]:
        return {scenario: self.unanimity(scenario) for scenario in self.scored}

    def table2(self) -> Cells:
        """MU of the best variant of each family, or of the one at a cutoff."""
        cells: dict[tuple[str, str], Quantity] = {}
        for scenario, result in [*self.unanimities.items(), (SHORT, self.unanimity(SHORT, 'RBU'))]:
            for row in self.parts['table2']['rows']:
                family, _, k = row.partition('@')
                starts = f'{row}|', f'{family}@k|@{k}|'
                names = [name for name in result.measures if f'{name}|'.startswith(starts)]
                if names and (row, scenario) not in cells:
                    cells[row, scenario] = best(result, names)
        return cells

    def variants(self) -> Cells:
        """MU of every variant, with cutoffs up to the first that no ranking exceeds."""
        cutoffs, longest = self.parts['table2']['parameters']['k'], self.judged.n.max()
        deeper = [f'|@{k}' for less, k in itertools.pairwise(cutoffs) if less >= longest]
        return {
            (name, scenario): best(result, [name])
            for scenario, result in self.unanimities.items()
            for name in result.measures
            if name.partition(',')[0][name.find('|') :] not in deeper
        }

    def table3(self) -> Cells:
        """MU of the best variant of each row among official measures; a column is a set of them.

        By passage judgments, the cube tests add up a document's passages.
        """
        cells: dict[tuple[str, str], Quantity] = {}
        passages, readings = self.passages, {'': self.qrels}
        if passages is not None:
            for name, kind in {'CubeTest': 'sum', '': 'max'}.items():
                qrels = read_qrels(passages, format='dd', passages=kind)
                readings[name] = qrels[qrels['query_id'].isin(self.topics)]
        for column, rows in self.parts['table3']['sets'].items():
            if column.startswith('DD') != (passages is not None):
                continue
            names = {
                row: [name.format_map(each) for name in several for each in self.settings()]
                for row, several in rows.items()
            }
            left, parts = list(dict.fromkeys(itertools.chain(*names.values()))), []
            for kind, qrels in sorted(readings.items(), reverse=True):
                own = [name for name in left if kind in name]
                parts.append(Scores(evaluate(self.runs, qrels, own).values, measures=own))
                left = [name for name in left if name not in own]
            result = meta.unanimity(join(*parts))
            cells |= {(row, column): best(result, each) for row, each in names.items()}
        return cells

    def choose_table2(self) -> Choice:
        ((_, rbu, others),) = sides(self, self.stated['a18']['rule'][0])
        ((name, other),) = others.items()
        lead = rbu['RBU'] - other
        low, high = lead.interval()
        return 0 if low > 0 else 1 if high < 0 else 2, {'lead': lead.value, 'name': name}
