"""Türkmen, Lease & Kutlu (ECIR 2023): measures that reward relevant documents which other systems miss."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import meta
from ..evaluation.scores import Scores
from ..lazy import pd
from .study import Cells, Study

ALPHAS, FUZZINESS = (0, 0.5, 1), 0.05
ROWS = [
    f'{name}{rest}'
    for name in ('P@100', 'AP')
    for rest in ('', '_Rareness, α=.5', '_Rareness, α=1')
]


def simulate_ranks(retrieved: np.ndarray, k: int) -> pd.DataFrame:
    """The ranks of simulated systems among the real ones with D = 0, 1, … relevant documents, as columns of Figure 1.

    S_common has the D most common documents, S_rare has D documents that no real system retrieves. Each is the only
    one that is added to the S systems; ``retrieved``, (S, N), is which of them retrieves which relevant document.
    """
    n_retrieved, n_systems = retrieved.sum(axis=0), len(retrieved) + 1
    most_common = (-n_retrieved).argsort(kind='stable')[:k]
    ranks = {}
    for system, has_common in {'S_rare': False, 'S_common': True}.items():
        shared = np.insert(retrieved[:, most_common] * has_common, 0, 0, axis=1)
        for alpha in ALPHAS:
            gains = 1 + alpha * (1 - (shared.sum(axis=0) + 1) / n_systems)
            gains[0] = 0
            alone = retrieved @ (1 + alpha * (1 - n_retrieved / n_systems))
            real = alone[:, None] - alpha * shared.cumsum(axis=1) / n_systems
            ranks[f'{system}, α={alpha:g}'] = 1 + (real > gains.cumsum() + 1e-12 * k).sum(axis=0)
    return pd.DataFrame(ranks)


class Turkmen(Study, key='turkmen-2023'):
    """The synthetic data of §3 and the tables of §4."""

    depth = 100

    @functools.cached_property
    def relevant(self) -> pd.DataFrame:
        """The relevant documents of each topic, descending, with R. The index is that of pairs in the pool."""
        n, n_systems = self.judged.counts()
        table = self.topic_qrels.set_axis(self.judged.judged.row_pair)
        return table.assign(R=1 - pd.Series(n) / n_systems)[table['relevance'] >= 1][::-1]

    def rareness(self, measure: str, alphas: Any) -> Scores:
        """The scores by P_Rareness or AP_Rareness, one for each α."""
        names = [f'{measure}_Rareness(alpha={alpha})@{self.depth}' for alpha in alphas]
        return self.judged.scores(names)

    @functools.cached_property
    def values(self) -> np.ndarray:
        """(S, Q, 6) scores by the measures of the rows of tables."""
        return np.dstack([self.rareness(measure, ALPHAS).values for measure in ('P', 'AP')])

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
        below = np.zeros((len(rank), len(self.topics), 101))
        below[system, query, rank] = has / np.maximum(rank, 1)
        below = below[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        by_ap = has * below[system, query, rank] / np.bincount(query)[query]
        return np.array([has / 100, by_ap]) @ has.T / len(self.topics)

    def figure1(self) -> Cells:
        """The first rank as a mean over topics, and the ranks on the topic with the median number of relevant documents."""
        topics = self.relevant.groupby('query_id').groups.values()
        several = [simulate_ranks(self.judged.retrieved[:, pairs], 100) for pairs in topics]
        firsts = pd.DataFrame(
            [(ranks == 1).idxmax() for ranks in several if (ranks == 1).any().all()]
        )
        for column in firsts.columns:
            yield 'first rank', column, float(firsts[column].mean())
        shown = sorted(several, key=len)[len(several) // 2]
        for size in np.unique(np.linspace(0, len(shown) - 1, 11).astype(int)):
            yield from ((f'D={size}', column, int(shown.loc[size, column])) for column in shown)

    def figure2(self) -> Cells:
        """τ and τ_AP between the rankings for α and for α = 0."""
        for label, coefficient, options in (
            ('τ', 'kendall', {}),
            ('τ_AP', 'tau_ap', dict[str, Any](ties='b')),
        ):
            for measure in ('P', 'AP'):
                scores = self.rareness(measure, np.arange(11) / 10)
                rng = self.rng('figure2')
                table = meta.correlations(scores, coefficient, n_resamples=100, rng=rng, **options)
                first = table[table['measure'] == table['measure'].iloc[0]]
                for n, (value, *ends) in enumerate(
                    first[['statistic', 'low', 'high']].to_numpy().tolist()
                ):
                    yield f'α={n / 10:g}', f'{label}, {measure}', value, *ends

    def table1(self) -> Cells:
        """Significantly different pairs by the test of the authors' program, and by the one that the paper names."""
        for level, alpha in ('95%', 0.05), ('99%', 0.01):
            for test, method in ('unpaired t', 'unpaired'), ('Tukey HSD', 'tukey'):
                power = meta.discriminative_power(self.values, method, None, alpha=alpha)
                for row, count in zip(ROWS, power['significant'].tolist()):
                    yield row, f'{test}, {level}', count
                yield 'all pairs', f'{test}, {level}', int(power['pairs'].iloc[0])

    def table2(self) -> Cells:
        """Stability, also of P and AP times the constant that gives them the mean of the measure with α = 1."""
        plain, rare = (self.values[:, :, each].mean(axis=(0, 1)) for each in ([0, 3], [2, 5]))
        scaled = self.values[:, :, [0, 3]] * (rare / np.maximum(plain, 1e-300))
        names = [*ROWS, 'P@100 times a constant', 'AP times a constant']
        for column, trials, resamples in ('1,000 trials', 1000, 100), ('100 trials', 100, 0):
            stable = meta.stability(
                np.dstack([self.values, scaled]),
                n_trials=trials,
                fuzziness=FUZZINESS,
                n_resamples=resamples,
                rng=self.rng('turkmen-2023 table2'),
            )
            for name, *value in zip(
                names, *(stable[each].tolist() for each in ('statistic', 'low', 'high'))
            ):
                yield name, column, *value

    def table3(self) -> Cells:
        """τ between the order of N systems on their own and among all, for α = 1 (Algorithm 1)."""

        def means(pool: np.ndarray) -> np.ndarray:
            shared = self.shared[:, pool][:, :, pool]
            return (2 * shared.diagonal(axis1=1, axis2=2) - shared.mean(axis=2)).T.round(12)

        n = len(self.runs)
        sizes = [2**j for j in range(1, 7) if 2**j < n]
        table = meta.system_count(means, n, sizes, rng=self.rng('turkmen-2023 table3'))
        rows = [ROWS[2]] * len(sizes) + [ROWS[5]] * len(sizes)
        for row, size, value in zip(rows, sizes * 2, table['statistic'].tolist()):
            yield row, f'N={size}', value

    def table4(self) -> Cells:
        """Five retrieved relevant documents, from the rarest to the most common one, of the topic whose R differ most."""
        topic = self.relevant.groupby('query_id')['R'].nunique().idxmax()
        several = self.relevant[(self.relevant['query_id'] == topic) & (self.relevant['R'] < 1)]
        several = several.sort_values('R', ascending=False, kind='stable')
        chosen = np.unique(np.linspace(0, len(several) - 1, 5).round().astype(int))
        for document, rareness in several.iloc[chosen].set_index('doc_id')['R'].items():
            yield f'{document} (topic {topic})', 'R', rareness

    def grades(self) -> Cells:
        """Mean R of the relevant documents of the lowest and of higher grades that a system retrieves, by topic."""
        retrieved = self.relevant[self.relevant['R'] < 1]
        lowest = retrieved.groupby('query_id')['relevance'].transform('min')
        kind = np.where(retrieved['relevance'] > lowest, 'higher grades', 'lowest grade')
        means = retrieved.groupby(['query_id', kind])['R'].mean().unstack().dropna()
        for name in ('lowest grade', 'higher grades') if len(means.columns) == 2 else ():
            yield name, 'R', float(means[name].mean())
