"""Türkmen, Lease & Kutlu (ECIR 2023): measures that reward relevant documents which other systems miss."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import meta
from ..estimates import Quantity
from ..lazy import pd
from ..meta.significance import pairwise_tukey
from .paper import Cells, Paper
from .rules import NotTestableError


def simulated_ranks(retrieved: np.ndarray, alphas: list[float], k: int) -> pd.DataFrame:
    """The ranks of simulated systems among the real ones with D = 0, 1, … relevant documents, as columns of Figure 1.

    S_common has the D most common documents, S_rare has D documents that no real system retrieves. Each is the only
    one that is added to the S systems; ``retrieved``, (S, N), is which of them retrieves which relevant document.
    """
    n_retrieved, n_systems = retrieved.sum(axis=0), len(retrieved) + 1
    most_common = (-n_retrieved).argsort(kind='stable')[:k]
    ranks = {}
    for system, has_common in {'S_rare': False, 'S_common': True}.items():
        shared = np.insert(retrieved[:, most_common] * has_common, 0, 0, axis=1)
        for alpha in alphas:
            gains = 1 + alpha * (1 - (shared.sum(axis=0) + 1) / n_systems)
            gains[0] = 0
            alone = retrieved @ (1 + alpha * (1 - n_retrieved / n_systems))
            real = alone[:, None] - alpha * shared.cumsum(axis=1) / n_systems
            above = real > gains.cumsum() + 1e-12 * k
            ranks[f'{system}, α={alpha:g}'] = 1 + above.sum(axis=0)
    return pd.DataFrame(ranks)


class Turkmen(Paper, key='turkmen-2023'):
    """The synthetic data of §3 and the tables of §4."""

    further, depth = ('firsts', 'plain', 'grades'), 100

    @functools.cached_property
    def relevant(self) -> pd.DataFrame:
        """The relevant documents of each topic, descending, with S_d and R. The index is that of pairs in the pool."""
        n, n_systems = self.judged.counts()
        table = self.topic_qrels.set_axis(self.judged.judged.row_pair)
        table = table.assign(n_retrieved=pd.Series(n), R=1 - pd.Series(n) / n_systems)
        return table[table['relevance'] >= 1][::-1]

    def scores(self, alphas: Any) -> np.ndarray:
        """(measures, α, S, Q) scores of P and of AP."""
        names = [f'{name}_Rareness(alpha={a})@{self.depth}' for name in ('P', 'AP') for a in alphas]
        values = self.judged.scores(names).values
        return np.moveaxis(values, 2, 0).reshape(2, len(alphas), *values.shape[:2])

    @functools.cached_property
    def shared(self) -> np.ndarray:
        """(measures, S, S) mean over topics of what a system shares with another, by P and by AP.

        With X[s, d] = 1/k for P, and for AP the sum of 1/i over the hits i at or below d, divided by N_R, it is X Yᵀ,
        where Y says who retrieves d. The score of s among the systems T is
        (1 + α) shared[s, s] − (α/|T|) Σ_{u ∈ T} shared[s, u].
        """
        rank = self.judged.rank[:, self.relevant.index]
        query = self.judged.judged.query_of_pair[self.relevant.index]
        system, has = np.arange(len(rank))[:, None], (rank > 0).astype(float)
        below = np.zeros((len(rank), len(self.topics), self.depth + 1))
        below[system, query, rank] = has / np.maximum(rank, 1)
        below = below[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        by_ap = has * below[system, query, rank] / np.bincount(query)[query]
        return np.array([has / self.depth, by_ap]) @ has.T / len(self.topics)

    @functools.cached_property
    def simulated(self) -> list[pd.DataFrame]:
        """The ranks of the simulated systems, for each topic with a relevant document."""
        alphas, retrieved = self.data['settings']['alphas'], self.judged.retrieved
        several = self.relevant.groupby('query_id').groups.values()
        return [simulated_ranks(retrieved[:, pairs], alphas, self.depth) for pairs in several]

    @functools.cached_property
    def first_ranks(self) -> pd.DataFrame:
        """The smallest D with rank 1 by column, for the topics in which every one gets there."""
        firsts = [(ranks == 1).idxmax() for ranks in self.simulated if (ranks == 1).any().all()]
        if not firsts:
            raise NotTestableError('in no topic do the simulated systems get to rank 1')
        return pd.DataFrame(firsts, index=range(len(firsts)))

    def figure1(self) -> Cells:
        """The first rank as a mean over topics, and the ranks on the topic with the median number of relevant documents."""
        firsts = self.first_ranks
        cells: Cells = {('first rank', name): Quantity.mean(D) for name, D in firsts.items()}
        for name, D in firsts.items():
            apart = np.abs(D - firsts[f'{name.partition(",")[0]}, α=0'])
            cells['distance', name] = Quantity.mean(apart)
        shown = sorted(self.simulated, key=len)[len(self.simulated) // 2]
        chosen = shown.loc[np.unique(np.linspace(0, len(shown) - 1, 11).astype(int))]
        return cells | {(f'D={size}', name): rank for (size, name), rank in chosen.stack().items()}

    def firsts(self) -> Cells:
        """The smallest D with rank 1 by topic."""
        return {(f'topic {n}', name): D for (n, name), D in self.first_ranks.stack().items()}

    def figure2(self) -> Cells:
        """τ and τ_AP between the rankings for α and for α = 0."""
        alphas = np.arange(11) / 10
        scores = self.scores(alphas)

        def correlations(sample: np.ndarray) -> Any:
            means = scores[..., sample].mean(axis=3).round(12)
            plain = means[:, :1]
            return meta.kendall(plain, means), meta.tau_ap(plain, means, ties='b')

        columns = ('τ, P', 'τ, AP', 'τ_AP, P', 'τ_AP, AP')
        names = [(f'α={alpha:g}', column) for column in columns for alpha in alphas]
        return self.resampled(correlations, names, limit=1)

    def table1(self) -> Cells:
        """Pairs that Tukey's test separates on two systems at a time, as in the authors' program."""
        values = np.concatenate(self.scores(self.data['settings']['alphas']))
        levels, pairs = (0.95, 0.99), np.column_stack(np.triu_indices(values.shape[1], 1))

        def counts(sample: np.ndarray) -> Any:
            pvalues, _ = pairwise_tukey(values[:, :, sample], pairs)
            return [(pvalues < 1 - level).sum(axis=1) for level in levels]

        rows = self.parts['table1']['rows']
        names = [(row, f'yours {level:.0%}') for level in levels for row in rows]
        return self.resampled(counts, names, total=len(pairs))

    def table2(self) -> Cells:
        """Stability, also of P and AP times the constant that gives them the mean of the measure with α = 1."""
        known, rows = self.data['settings'], self.parts['table2']['rows']
        scores = self.scores(known['alphas'])
        plain, *_, rare = scores.mean(axis=(2, 3)).T
        scaled = scores[:, 0] * (rare / np.maximum(plain, 1e-300))[:, None, None]
        names = [*rows, *(f'{name} times a constant' for name in rows[:: len(known['alphas'])])]
        result = meta.stability(
            np.concatenate([*scores, scaled]).transpose(1, 2, 0),
            fuzziness=known['fuzziness'],
            n_trials=known['trials'],
            n_resamples=self.n_resamples,
            rng=self.rng(f'{self.key} table2'),
        )
        early = np.arange(known['trials']) < known['early']
        weights = early / early.sum() - 1 / len(early)
        changes = weights * (result.trials - result.trials.mean(axis=0)).T
        cells = {}
        stable = np.vstack([result.values, result.replicates]).T
        for name, numbers, change in zip(names, stable, changes):
            cells[name, 'yours'] = Quantity.resampled(numbers, len(self.topics))
            settled = Quantity(change.sum(), change, len(early) - 1)
            cells[name, 'change after the first trials'] = settled
        return cells

    def table3(self) -> Cells:
        """τ between the order of N systems on their own and in the whole pool. Intervals are of the trials."""
        rng, known = self.rng(f'{self.key} table3'), self.data['settings']
        alpha, everyone = known['alphas'][-1], np.arange(len(self.systems))
        cells = {}
        for size in (size for size in known['sizes'] if size < len(everyone)):
            drawn = rng.permuted(np.tile(everyone, (known['trials'], 1)), axis=1)[:, :size]
            for row, shared in zip(self.parts['table3']['rows'], self.shared):
                own = (1 + alpha) * shared.diagonal()
                whole = own - alpha * shared.mean(axis=1)
                alone = own[drawn] - alpha * shared[drawn[:, :, None], drawn[:, None]].mean(axis=2)
                tau = meta.kendall(whole[drawn].round(12), alone.round(12))
                cells[row, f'N={size}'] = Quantity.mean(tau)
        return cells

    def table4(self) -> Cells:
        """Five retrieved relevant documents, from the rarest to the most common one, of the topic whose R differ most."""
        topic = self.relevant.groupby('query_id')['R'].nunique().idxmax()
        several = self.relevant[(self.relevant['query_id'] == topic) & (self.relevant['R'] < 1)]
        several = several.sort_values('R', ascending=False, kind='stable')
        chosen = np.unique(np.linspace(0, len(several) - 1, 5).round().astype(int))
        known = several.iloc[chosen].set_index('doc_id')['R']
        return {(f'{document} (topic {topic})', 'R'): R for document, R in known.items()}

    def grades(self) -> Cells:
        """Mean R of the relevant documents of the lowest and of higher grades, that a system retrieves."""
        retrieved = self.relevant[self.relevant['R'] < 1]
        lowest = retrieved.groupby('query_id')['relevance'].transform('min')
        kinds = np.array(['lowest grade', 'higher grades'])
        kind = kinds[(retrieved['relevance'] > lowest) * 1]
        means = retrieved.groupby(['query_id', kind])['R'].mean().unstack().dropna()
        if len(means) < 5 or len(means.columns) < 2:
            raise NotTestableError(f'{len(means)} topics have relevant documents of two grades')
        return {('R', kind): Quantity.mean(means[kind]) for kind in kinds.tolist()}

    def plain(self) -> Cells:
        """How far the measures with α = 0 are from P and AP, at most."""
        plain = self.judged.scores([f'P@{self.depth}', f'AP@{self.depth}']).values
        apart = np.abs(self.scores([0])[:, 0] - np.moveaxis(plain, 2, 0)).max(axis=(1, 2)).tolist()
        return {('largest difference', 'P'): apart[0], ('largest difference', 'AP'): apart[1]}
