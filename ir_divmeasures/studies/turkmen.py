"""Türkmen, Lease & Kutlu (ECIR 2023): measures that reward relevant documents which other systems miss."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from .. import meta
from ..meta.significance import pairwise_tukey
from ..pools.judged import JudgedPool
from .paper import Cells, Choice, Paper
from .rules import NotTestableError, Quantity

Array = np.ndarray


class Topic(NamedTuple):
    """The N relevant documents of a topic.

    Attributes:
        docs, grade: (N,) their ids, descending, and grades.
        rank: (S, N) rank of each in each system, 0 where it is not in the top k.
        n: (N,) S_d, the number of systems that retrieve it.
    """

    docs: Array
    grade: Array
    rank: Array
    n: Array


def simulated_ranks(topic: Topic, alpha: float, k: int, is_common: bool) -> Array:
    """The rank of a simulated system among the real ones with D = 0, 1, … relevant documents.

    S_common has the D most common documents, S_rare has D documents that no real system retrieves. Each is the only
    one that is added to the S systems.
    """
    has, n_systems = topic.rank > 0, len(topic.rank) + 1
    documents = (-topic.n).argsort(kind='stable')[:k]
    overlap = np.pad((has[:, documents] * is_common).cumsum(axis=1), ((0, 0), (1, 0)))
    rarity = np.append(0, (1 - (topic.n[documents] * is_common + 1) / n_systems).cumsum())
    hits = has.sum(axis=1)
    real = (hits + alpha * (hits - has @ topic.n / n_systems))[:, None]
    real = real - alpha * overlap / n_systems
    return 1 + (real > np.arange(len(rarity)) + alpha * rarity + 1e-12 * k).sum(axis=0)


class Turkmen(Paper, key='turkmen-2023'):
    """The synthetic data of §3 and the tables of §4."""

    further, depth = ('firsts', 'plain', 'grades'), 100

    @functools.cached_property
    def judged(self) -> JudgedPool:
        return self.pool.over(self.topic_qrels)

    @functools.cached_property
    def relevant(self) -> list[Topic]:
        """The relevant documents of the topics. Some may have none."""
        query, docs, grade = (self.topic_qrels[name].to_numpy() for name in self.topic_qrels)
        found = []
        for topic in self.topics:
            own = np.flatnonzero((query == topic) & (grade >= 1))[::-1]
            rank = self.judged.rank[:, own]
            found.append(Topic(docs[own], grade[own], rank, (rank > 0).sum(axis=0)))
        return found

    @functools.cached_property
    def linear(self) -> dict[str, tuple[Array, Array]]:
        """What both measures are linear in: (S, Q) scores for α = 0, and (Q, S, S) what a system shares with another.

        With X[s, d] = 1/k for P, and for AP the sum of 1/i over the hits i at or below d, divided by N_R, the base is
        Σ_d X, and the shared part is X Yᵀ, where Y says who retrieves d. The score among the systems T is
        (1 + α) base_s − (α/|T|) Σ_{u ∈ T} shared[s, u].
        """
        k, base, shared = self.depth, defaultdict(list), defaultdict(list)
        for topic in self.relevant:
            has = (topic.rank > 0).astype(float)
            inverse = np.zeros((len(has), k + 1))
            np.put_along_axis(inverse, topic.rank, has / np.maximum(topic.rank, 1), axis=1)
            below = inverse[:, ::-1].cumsum(axis=1)[:, ::-1]
            at_hits = np.take_along_axis(below, topic.rank, axis=1)
            for name, x in {'P': has / k, 'AP': has * at_hits / max(len(topic.n), 1)}.items():
                base[name].append(x.sum(axis=1))
                shared[name].append(x @ has.T)
        return {name: (np.array(base[name]).T, np.array(shared[name])) for name in base}

    def scores(self, alphas: Any) -> dict[str, Array]:
        """(α, S, Q) scores of P and of AP."""
        values = np.asarray(alphas)[:, None, None]
        return {
            name: (1 + values) * base - values / len(base) * shared.sum(axis=2).T
            for name, (base, shared) in self.linear.items()
        }

    def six(self) -> Array:
        """(measures, S, Q) scores of the rows of Tables 1 and 2: P and AP, each for three values of α."""
        return np.concatenate(list(self.scores(self.data['settings']['alphas']).values()))

    # --------------------------------------------------------------------------------------------- §3, synthetic data

    @functools.cached_property
    def simulated(self) -> dict[str, list[Array]]:
        """The ranks by the columns of Figure 1, for each topic with a relevant document."""
        known, topics = self.data['settings'], [each for each in self.relevant if len(each.n)]
        return {
            f'{system}, α={alpha:g}': [
                simulated_ranks(topic, alpha, self.depth, system == 'S_common') for topic in topics
            ]
            for system in ('S_rare', 'S_common')
            for alpha in known['alphas']
        }

    @functools.cached_property
    def first_ranks(self) -> dict[str, Array]:
        """The smallest D with rank 1 by column, for the topics in which every one gets there."""
        firsts = [
            [(ranks == 1).argmax() for ranks in of_topic]
            for of_topic in zip(*self.simulated.values())
            if all(1 in ranks for ranks in of_topic)
        ]
        if not firsts:
            raise NotTestableError('in no topic do the simulated systems get to rank 1')
        return dict(zip(self.simulated, np.transpose(firsts)))

    def figure1(self) -> Cells:
        """The first rank as a mean over topics, and the ranks on the topic with the median number of relevant documents."""
        first, ranks = self.first_ranks, self.simulated
        cells: dict[Any, Any] = {('first rank', name): Quantity.mean(first[name]) for name in first}
        lengths = [len(each) for each in next(iter(ranks.values()))]
        shown = int(np.argsort(lengths, kind='stable')[len(lengths) // 2])
        for size in np.unique(np.linspace(0, lengths[shown] - 1, 11).astype(int)):
            cells |= {(f'D={size}', name): int(each[shown][size]) for name, each in ranks.items()}
        return cells

    def firsts(self) -> Cells:
        """The smallest D with rank 1 by topic, and how far it is for α = 1 from that for α = 0."""
        first = self.first_ranks
        cells: dict[Any, Any] = {
            (f'topic {n}', name): int(D) for name, each in first.items() for n, D in enumerate(each)
        }
        for system in ('S_rare', 'S_common'):
            change = np.abs(first[f'{system}, α=1'] - first[f'{system}, α=0'])
            cells['mean change', system] = Quantity.mean(change)
        return cells

    # -------------------------------------------------------------------------------------------------- §4, real data

    def figure2(self) -> Cells:
        """τ and τ_AP between the rankings for α and for α = 0."""
        alphas = np.arange(11) / 10
        scores = self.scores(alphas)
        coefficients: dict[str, Any] = {
            'τ': meta.kendall,
            'τ_AP': functools.partial(meta.tau_ap, ties='b'),
        }

        def correlations(sample: Array) -> Any:
            means = [each[:, :, sample].mean(axis=2).round(12) for each in scores.values()]
            pairs = [(np.broadcast_to(each[0], each.shape), each) for each in means]
            return [coefficient(*pair) for coefficient in coefficients.values() for pair in pairs]

        columns = [f'{coefficient}, {name}' for coefficient in coefficients for name in scores]
        names = [(f'α={alpha:g}', column) for column in columns for alpha in alphas]
        return self.resampled(correlations, names, limit=1)

    def table1(self) -> Cells:
        """Pairs that Tukey's test separates on two systems at a time, as in the authors' program."""
        values, levels = self.six(), (0.95, 0.99)
        pairs = np.column_stack(np.triu_indices(values.shape[1], 1))

        def counts(sample: Array) -> Any:
            pvalues, _ = pairwise_tukey(values[:, :, sample], pairs)
            return [(pvalues < 1 - level).sum(axis=1) for level in levels]

        rows = self.parts['table1']['rows']
        names = [(row, f'yours {level:.0%}') for level in levels for row in rows]
        return self.resampled(counts, names, total=len(pairs))

    def table2(self) -> Cells:
        """Stability, also of P and AP times the constant that gives them the mean of the measure with α = 1."""
        known, rows = self.data['settings'], self.parts['table2']['rows']
        scores = self.scores(known['alphas'])
        scaled = [
            own[0] * (own[-1].mean() / own[0].mean() if own[0].any() else 1)
            for own in scores.values()
        ]
        values = np.concatenate([*scores.values(), scaled])
        names = [*rows, *(f'{name} times a constant' for name in rows[:: len(known['alphas'])])]
        result = meta.stability(
            values.transpose(1, 2, 0),
            fuzziness=known['fuzziness'],
            n_trials=known['trials'],
            n_resamples=self.n_resamples,
            rng=self.rng(f'{self.key} table2'),
        )
        early = np.arange(known['trials']) < known['early']
        weights = early / early.sum() - 1 / len(early)
        cells = {}
        for m, name in enumerate(names):
            value, replicates, trials = (
                each[..., m] for each in (result.values, result.replicates, result.trials)
            )
            cells[name, 'yours'] = Quantity.resampled(value, replicates, len(self.topics))
            change = weights * (trials - trials.mean())
            cells[name, 'change after the first trials'] = Quantity(
                change.sum(), change, len(early) - 1
            )
        return cells

    def choose_table2(self) -> Choice:
        """Whether the gain of α = 1, and of the constants that give the same mean, is above 0."""
        stability = [cell.value for (_, name), cell in self['table2'].items() if name == 'yours']
        plain, one, times = (
            np.mean(stability[rows]) for rows in (slice(0, 6, 3), slice(2, 6, 3), slice(6, 8))
        )
        gained, scaled = round(one - plain, 12), round(times - plain, 12)
        true = [gained <= 0, 0 < gained <= scaled, 0 < scaled < gained, scaled <= 0 < gained]
        known = self.data['settings']
        return true, {'alpha': known['alphas'][-1], 'gained': gained, 'scaled': scaled, **known}

    def table3(self) -> Cells:
        """τ between the order of N systems on their own and in the whole pool. Intervals are of the trials."""
        rng, known = self.rng(f'{self.key} table3'), self.data['settings']
        cells = {}
        alpha, n_systems = known['alphas'][-1], len(self.systems)
        for size in (size for size in known['sizes'] if size < n_systems):
            everyone = np.tile(np.arange(n_systems), (known['trials'], 1))
            drawn = rng.permuted(everyone, axis=1)[:, :size]
            for row, (base, shared) in zip(self.parts['table3']['rows'], self.linear.values()):
                own, common = base.mean(axis=1), shared.mean(axis=0)
                whole = (1 + alpha) * own - alpha / n_systems * common.sum(axis=1)
                overlap = sum(common[drawn, member[:, None]] for member in drawn.T)
                alone = (1 + alpha) * own[drawn] - alpha / size * overlap
                tau = meta.kendall(whole[drawn].round(12), alone.round(12))
                cells[row, f'N={size}'] = Quantity.mean(tau)
        return cells

    def table4(self) -> Cells:
        """Five retrieved relevant documents, from the rarest to the most common one, of the topic whose R differ most."""
        several = zip(self.topics, self.relevant)
        name, topic = max(several, key=lambda each: len(np.unique(each[1].n)))
        order = topic.n.argsort(kind='stable')[(topic.n == 0).sum() :]
        chosen = order[np.unique(np.linspace(0, len(order) - 1, 5).round().astype(int))]
        rarity = 1 - topic.n / len(self.systems)
        return {(f'{topic.docs[d]} (topic {name})', 'R'): float(rarity[d]) for d in chosen}

    def grades(self) -> Cells:
        """Mean R of the relevant documents of the lowest and of higher grades, that a system retrieves."""
        rarities = []
        for topic in self.relevant:
            retrieved = topic.n > 0
            grade, rarity = topic.grade[retrieved], 1 - topic.n[retrieved] / len(topic.rank)
            if len(np.unique(grade)) > 1:
                lowest = grade == grade.min()
                rarities.append((rarity[lowest].mean(), rarity[~lowest].mean()))
        if len(rarities) < 5:
            raise NotTestableError(f'{len(rarities)} topics have relevant documents of two grades')
        low, high = map(Quantity.mean, zip(*rarities))
        return {('R', 'lowest grade'): low, ('R', 'higher grades'): high}

    def plain(self) -> Cells:
        """How far the measures with α = 0 are from P and AP, at most."""
        k = self.depth
        measures = {name: f'{name}@{k} {name}_Rareness(alpha=0)@{k}' for name in ('P', 'AP')}
        return {
            ('largest difference', name): float(
                np.ptp(self.judged.scores(both).values, axis=2).max()
            )
            for name, both in measures.items()
        }
