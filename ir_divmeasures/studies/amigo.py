"""Amigó, Spina & Carrillo-de-Albornoz, SIGIR 2018: constraints, Rank-Biased Utility and metric unanimity."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import axioms, meta
from ..axioms.subjects import rows
from ..data.qrels import topic_level
from ..evaluation.scores import Scores
from ..lazy import pd
from ..pools.pool import Pool
from .study import Cells, Study

OFFICIAL, RANDOM, SHORT = 'official', 'cut at random', 'cut below 50'


class Amigo(Study, key='amigo-2018'):
    """The tables of §4 and §6."""

    def settings(self, *texts: str) -> list[tuple[str, ...]]:
        """The texts with each combination of the values of the parameters that they name, once."""
        known = self.data['parameters']
        grid = [dict(zip(known, values)) for values in itertools.product(*known.values())]
        return [*dict.fromkeys(tuple(text.format_map(values) for text in texts) for values in grid)]

    def variants(self, kind: str) -> dict[str, str]:
        """Measures of ``'intents'`` or ``'topics'`` by ``family|variant``. Ad-hoc measures are measures of one intent."""
        families = self.data[kind].items()
        return {name: measure for each in families for name, measure in self.settings(*each)}

    def table1(self) -> Cells:
        """The symbols of rankings that are read whole, and those of measures that are cut at 10 where they differ."""
        whole, cut = axioms.table(), axioms.table(rows(10), longest=8, deepest=64)
        for row, symbols in whole.iterrows():
            for column in self.paper_table('table1')['columns']:
                symbol, short = symbols[column], cut.loc[row, column]
                differs = row.endswith('@k') and column == 'DeepTh' and short != symbol
                yield row, column, f'{symbol}, @10 {short}' if differs else symbol

    def example(self) -> Cells:
        """MU of the three measures of the example."""
        systems = np.array(self.data['example'])
        for n, value in enumerate(meta.unanimity(systems[:, None])['statistic'], 1):
            yield 'MU', f'm{n}', value

    def simulate(self, longest: int | None, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        """Judgments and runs of a simulation of §6.3.

        A grade g becomes a number drawn from (0, g), weights are drawn from (0, 1) and divided by their sum, and each
        ranking is cut at a length drawn from 0, …, n, or from 0, …, ``longest``.
        """
        n = np.array(
            [
                run.groupby('query_id').size().reindex(self.topics, fill_value=0)
                for run in self.rankings.values()
            ]
        )
        judged, lengths = [], {}
        for topic, of_topic in zip(self.topics, n.T):
            table, relevant, document, aspect = self.coded_topics[topic]
            n_documents, n_aspects = (codes.max(initial=-1) + 1 for codes in (document, aspect))
            weights = 1 - rng.random(n_aspects)
            weight = np.append(weights / max(weights.sum(), 1e-300), 0)[aspect]
            most = of_topic if longest is None else np.full_like(of_topic, longest)
            lengths[topic] = np.minimum(of_topic, rng.integers(0, most, endpoint=True))
            drawn = 1 - rng.random((n_documents, n_aspects))
            grade = table['relevance'].to_numpy(dtype=float, copy=True)
            grade[relevant] *= drawn[n_documents - 1 - document, aspect[relevant]]
            judged.append(table.assign(relevance=grade, weight=weight))
        runs = {}
        for place, (name, run) in enumerate(self.rankings.items()):
            most = run['query_id'].map({topic: lengths[topic][place] for topic in self.topics})
            runs[name] = run[run['rank'] < most]
        return pd.concat(judged), runs

    @functools.cached_property
    def coded_topics(self) -> dict[str, tuple[Any, ...]]:
        """The judgments of each topic, which of them are relevant, and the places of documents and aspects.

        Documents are those of relevant judgments, (relevant,). The place of an aspect without a relevant document is -1.
        """
        topics = {}
        for topic, table in self.qrels.groupby('query_id'):
            relevant = table['relevance'].to_numpy() > 0
            document, _ = pd.factorize(table.loc[relevant, 'doc_id'], sort=True)
            names = table['subtopic_id'].str.rjust(9)
            aspects = pd.Index(names[relevant].unique()).sort_values()
            topics[topic] = table, relevant, document, aspects.get_indexer(names)
        return topics

    @functools.cached_property
    def rankings(self) -> dict[str, pd.DataFrame]:
        """The runs with ranks from 0, in order; ties by doc_id, descending."""
        rankings = {}
        for name, run in self.runs.items():
            order = run.sort_values(['query_id', 'score', 'doc_id'], ascending=[True, False, False])
            rankings[name] = order.assign(rank=order.groupby('query_id').cumcount())
        return rankings

    @functools.cached_property
    def values_by_scenario(self) -> dict[str, list[np.ndarray]]:
        """(S, Q, measures) scores in each simulation of each scenario, which are scored at once."""
        values = {OFFICIAL: [self.values(self.pool, self.qrels)]}
        for scenario, longest in {RANDOM: None, SHORT: 50}.items():
            judged, runs = [], {name: list[pd.DataFrame]() for name in self.runs}
            for seed in range(10):
                qrels, cut = self.simulate(longest, self.rng(f'amigo-2018 {scenario} {seed}'))
                judged.append(qrels.assign(query_id=f'{seed} ' + qrels['query_id']))
                for name, run in cut.items():
                    runs[name].append(run.assign(query_id=f'{seed} ' + run['query_id']))
            whole = {name: pd.concat(several) for name, several in runs.items()}
            pool = Pool.from_runs(whole, self.depth)
            values[scenario] = np.split(self.values(pool, pd.concat(judged)), 10, axis=1)
        return values

    def values(self, pool: Pool, qrels: Any) -> np.ndarray:
        """(S, Q, measures) by the measures of intents, then by those of topics."""
        by_intents = pool.over(qrels).scores([*self.variants('intents').values()])
        by_topics = pool.over(topic_level(qrels)).scores([*self.variants('topics').values()])
        return np.dstack([by_intents.values, by_topics.values])

    def unanimity(self, scenario: str, *without: str) -> pd.DataFrame:
        """MU of all variants but those of some families; the mean over the simulations."""
        names = [*self.variants('intents'), *self.variants('topics')]
        kept = [name.partition('|')[0] not in without for name in names]
        measures = tuple(itertools.compress(names, kept))
        several = [
            meta.unanimity(Scores(values[:, :, kept], measures=measures))
            for values in self.values_by_scenario[scenario]
        ]
        return (
            pd.concat(several).groupby('measure', sort=False)[['statistic', 'low', 'high']].mean()
        )

    def families(
        self, scenario: str, column: str, *without: str, rows: Iterable[str] = ()
    ) -> Cells:
        """MU of the best variant of each family, or of the one at a cutoff."""
        table = self.unanimity(scenario, *without)
        for row in rows or self.paper_table('table2')['cells']:
            family, _, k = row.partition('@')
            starts = f'{row}|', f'{family}@k|@{k}|'
            if names := [name for name in table.index if name.startswith(starts)]:
                yield row, column, *best(table, names)

    def table2(self) -> Cells:
        for scenario in self.values_by_scenario:
            yield from self.families(scenario, scenario, 'RBU e=0', 'EU e=0')
        yield from self.families(SHORT, SHORT, 'RBU', 'EU e=0', rows=['RBU e=0'])
        yield from self.families(RANDOM, RANDOM, 'RBU e=0', 'EU', rows=['EU e=0'])

    def table3(self) -> Cells:
        """MU of the best variant of each row among official measures; a column is a set of them."""
        for column, of_column in self.data['sets'].items():
            if column.startswith('DD') != ('Dynamic Domain' in self.name):
                continue
            names = {
                row: [name for text in several for (name,) in self.settings(text)]
                for row, several in of_column.items()
            }
            table = meta.unanimity(self.scores(self.qrels, itertools.chain(*names.values())))
            for row, several in names.items():
                yield row, column, *best(table.set_index('measure'), several)


def best(table: pd.DataFrame, names: list[str]) -> list[float]:
    """MU of the best of these variants, and its interval."""
    return table.loc[names].sort_values('statistic')[['statistic', 'low', 'high']].iloc[-1].tolist()
