"""Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018: Rank-Biased Utility and metric unanimity."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import meta
from ..data.judgments import Judgments, of_documents
from ..data.qrels import topic_level
from ..estimates import Quantity
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores
from ..lazy import pd
from ..meta.unanimity import Unanimity
from ..pools.judged import JudgedPool
from .paper import Cells, Paper
from .rules import NotTestableError

OFFICIAL, RANDOM, SHORT = 'official', 'cut at random', 'cut below 50'
EFFORTLESS = ('RBU e=0', 'EU e=0')


def simulated(pool: JudgedPool, longest: int | None, rngs: Iterable[Any]) -> JudgedPool:
    """Up to ten simulations of a scenario of §6.3 as one pool, so that their topics are scored at once.

    A grade g becomes a number drawn from (0, g), weights are drawn from (0, 1) and divided by their sum, and each
    ranking is cut at a length drawn from 0, …, n, or from 0, …, ``longest``.
    """
    table, query_of_pair = pool.table, pool.judged.query_of_pair
    query = query_of_pair[pool.judged.row_pair]
    document = -pd.factorize(table['doc_id'], sort=True)[0]
    names = [f'{len(name):9}{name}' for name in table['subtopic_id']]
    aspect = pd.factorize(np.array(names), sort=True)[0]
    tables, ranks, lengths = [], [], []
    for seed, rng in enumerate(rngs):
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
        named = f'{seed} ' + table['query_id']
        tables.append(table.assign(query_id=named, relevance=grade, weight=weight))
        ranks.append(np.where(pool.rank <= n[:, query_of_pair], pool.rank, 0))
        lengths.append(n)
    drawn = Judgments.of(pd.concat(tables, ignore_index=True))
    return JudgedPool(drawn, pool.systems, pool.groups, None, np.hstack(ranks), np.hstack(lengths))


def best(result: Unanimity, names: Iterable[str]) -> Quantity:
    """The highest MU of several variants; the jackknife chooses anew without each topic."""
    places = [result.measures.index(name) for name in names]
    without = result.without[:, places]
    if not np.isfinite(without).all():
        raise NotTestableError('a variant contradicts every unanimous improvement')
    place = max(places, key=lambda each: result.values[each])
    n, limit = len(without), float(result.ceiling[place])
    spread = without.max(axis=1) * (n - 1) / math.sqrt(n)
    return Quantity.resampled([result.values[place], *spread], n, limit=limit)


class Amigo(Paper, key='amigo-2018'):
    """The tables of §6, and what they say about measures that reward the unanimous decisions of others."""

    further = ('variants', 'effortless')

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
        by_intents = pool.scores([*self.measures('intents').values()])
        by_topics = topics.scores([*self.measures('topics').values()])
        return np.dstack([by_intents.values, by_topics.values])

    @functools.cached_property
    def scored(self) -> dict[str, list[np.ndarray]]:
        """The scores in each simulation of each scenario."""
        scored = {OFFICIAL: [self.scores(self.judged)]}
        for scenario, longest in self.parts['table2']['longest'].items():
            rngs = (self.rng(f'{self.key} {scenario} {seed}') for seed in range(self.n_seeds))
            values = self.scores(simulated(self.judged, longest, rngs))
            scored[scenario] = np.split(values, self.n_seeds, axis=1)
        return scored

    def unanimity(self, scenario: str, without: Sequence[str] = EFFORTLESS) -> Unanimity:
        """MU of all variants but those of some families, the mean over the simulations; names are ``family|variant``."""
        names = [*self.measures('intents'), *self.measures('topics')]
        kept = [name for name in names if name.partition('|')[0] not in without]
        several = (Scores(values, measures=names)[kept] for values in self.scored[scenario])
        return Unanimity.averaged(list(map(meta.unanimity, several)))

    @functools.cached_property
    def unanimities(self) -> dict[str, Unanimity]:
        return {scenario: self.unanimity(scenario) for scenario in self.scored}

    def families(self, scenario: str, result: Unanimity) -> Cells:
        """MU of the best variant of each family, or of the one at a cutoff."""
        cells: Cells = {}
        for row in [*self.parts['table2']['rows'], 'EU e=0']:
            family, _, k = row.partition('@')
            starts = f'{row}|', f'{family}@k|@{k}|'
            if names := [name for name in result.measures if f'{name}|'.startswith(starts)]:
                cells[row, scenario] = best(result, names)
        return cells

    def table2(self) -> Cells:
        cells = self.families(SHORT, self.unanimity(SHORT, ('RBU', 'EU e=0')))
        for scenario, result in self.unanimities.items():
            cells |= self.families(scenario, result)
        return cells

    def effortless(self) -> Cells:
        """A column of Table 2 with an EU that charges no effort in place of EU."""
        return self.families(RANDOM, self.unanimity(RANDOM, ('RBU e=0', 'EU')))

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

        The columns of Dynamic Domain are for data of that name, the others for all other data.
        """
        cells: dict[tuple[str, str], Quantity] = {}
        for column, rows in self.parts['table3']['sets'].items():
            if column.startswith('DD') != ('Dynamic Domain' in self.name):
                continue
            names = {
                row: [name.format_map(each) for name in several for each in self.settings()]
                for row, several in rows.items()
            }
            own = [*dict.fromkeys(itertools.chain(*names.values()))]
            scores = Scores(evaluate(self.qrels, self.runs, own).values, measures=own)
            result = meta.unanimity(scores)
            cells |= {(row, column): best(result, each) for row, each in names.items()}
        return cells
