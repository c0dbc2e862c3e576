"""Türkmen, Lease & Kutlu, ECIR 2023: measures that reward relevant documents which other systems miss."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import meta
from ..meta.significance import pairwise_tukey
from ..pools.analysis import relevant_pairs
from ..pools.judged import JudgedPool
from ..pools.pool import Pool
from .paper import Cells, Paper, load, rule, sentence, table
from .quantities import NotTestableError, Part, Quantity, above, at_least, exact, near, share
from .workspace import Workspace

Array = np.ndarray
KEY = 'turkmen-2023'
SYSTEMS, EARLY = ('S_rare', 'S_common'), 'change after the first trials'


def settings() -> dict[str, Any]:
    """The paper's settings: ``k``, ``alphas``, ``trials``, ``fuzziness``, ``sizes``."""
    return dict(load(KEY)['settings'])


def rows() -> list[str]:
    """The measures of Tables 1 and 2: P and AP, each for three values of α."""
    return list(load(KEY)['parts']['table1']['rows'])


@dataclass(frozen=True)
class Topic:
    """Who retrieves the relevant documents of a topic.

    Attributes:
        docs: (N,) ids of the relevant documents.
        grade: (N,) their grades.
        rank: (S, N) rank of each in each system, 0 where it is not in the top k.
        has: (S, N) whether a system retrieves it.
        n: (N,) S_d, the number of systems that retrieve it.
    """

    docs: Array
    grade: Array
    rank: Array

    @property
    def has(self) -> Array:
        return self.rank > 0

    @property
    def n(self) -> Array:
        return self.has.sum(axis=0)


def judged(work: Workspace) -> JudgedPool:
    """The pool of the runs, down to the paper's cutoff."""
    return Pool.from_runs(work.runs, depth=settings()['k']).over(work.topic_qrels)


def topics(work: Workspace) -> list[Topic]:
    """The topics in the order of the workspace; documents by doc_id, descending. Some topics may have none."""
    pool = work.once(judged)
    pairs, collection = relevant_pairs(pool, 1), pool.collection
    query = np.array(collection.query_ids)[collection.query_of_pair[pairs]]
    first = np.unique(collection.row_pair, return_index=True)[1]
    table = pool.table.iloc[first[pairs]]
    docs, grade = table['doc_id'].to_numpy(), table['relevance'].to_numpy()
    return [
        Topic(docs[own], grade[own], pool.rank[:, pairs[own]])
        for own in (np.flatnonzero(query == topic)[::-1] for topic in work.topics)
    ]


def linear(work: Workspace) -> dict[str, tuple[Array, Array]]:
    """What both measures are linear in: (S, Q) scores for α = 0, and (Q, S, S) what a system shares with another.

    With X[s, d] = 1/k for P, and for AP the sum of 1/i over the hits i at or below d, divided by N_R, the base is
    Σ_d X, and the shared part is X Yᵀ, where Y says who retrieves d. The score among the systems T is
    (1 + α) base_s − (α/|T|) Σ_{u ∈ T} shared[s, u].
    """
    k, parts = settings()['k'], {'P': ([], []), 'AP': ([], [])}  # type: ignore[var-annotated]
    for topic in work.once(topics):
        order = np.where(topic.has, topic.rank, 1 << 30).argsort(axis=1, kind='stable')
        sorted_rank = np.take_along_axis(topic.rank, order, axis=1)
        inverse = np.where(sorted_rank > 0, 1 / np.maximum(sorted_rank, 1), 0.0)
        below = inverse[:, ::-1].cumsum(axis=1)[:, ::-1]
        at_hits = np.empty_like(below)
        np.put_along_axis(at_hits, order, below, axis=1)
        has = topic.has.astype(float)
        weights = {'P': has / k, 'AP': has * at_hits / max(len(topic.n), 1)}
        for name, x in weights.items():
            parts[name][0].append(x.sum(axis=1))
            parts[name][1].append(x @ has.T)
    return {name: (np.array(base).T, np.array(shared)) for name, (base, shared) in parts.items()}


def scores(work: Workspace, alphas: Any = None) -> dict[str, Array]:
    """(α, S, Q) scores of P and of AP."""
    values = np.asarray(settings()['alphas'] if alphas is None else alphas)[:, None, None]
    return {
        name: (1 + values) * base - values / len(base) * shared.sum(axis=2).T
        for name, (base, shared) in work.once(linear).items()
    }


def six(work: Workspace) -> Array:
    """(measures, S, Q) scores of the measures of :func:`rows`."""
    return np.concatenate(list(scores(work).values()))


# ------------------------------------------------------------------------------------------------- §3, synthetic data


def simulated_ranks(topic: Topic, alpha: float, k: int) -> dict[str, Array]:
    """The rank of S_rare and of S_common among the real systems with D = 0, 1, … relevant documents.

    S_rare has D documents that no real system retrieves, S_common the D most common ones. Each is the only one that
    is added to the S systems.
    """
    has, n, n_systems = topic.has, topic.n, len(topic.rank) + 1
    common = (-n).argsort(kind='stable')[:k]
    size = np.arange(len(common) + 1)
    hits = has.sum(axis=1)
    real = (hits + alpha * (hits - has @ n / n_systems))[:, None] + np.zeros(len(size))
    overlap = np.pad(has[:, common].cumsum(axis=1), ((0, 0), (1, 0)))
    worth = np.append(0, (1 - (n[common] + 1) / n_systems).cumsum())
    own = size * (1 + alpha * (1 - 1 / n_systems)), size + alpha * worth
    others = real, real - alpha * overlap / n_systems
    return {
        system: 1 + (other > mine + 1e-12 * k).sum(axis=0)
        for system, mine, other in zip(SYSTEMS, own, others)
    }


def lines(work: Workspace) -> dict[tuple[str, float], list[Array]]:
    """The ranks by system and α, for each topic with a relevant document."""
    known = [topic for topic in work.once(topics) if len(topic.n)]
    found: dict[tuple[str, float], list[Array]] = {}
    for alpha in settings()['alphas']:
        for topic in known:
            for system, ranks in simulated_ranks(topic, alpha, settings()['k']).items():
                found.setdefault((system, alpha), []).append(ranks)
    return found


def first_ranks(work: Workspace) -> dict[tuple[str, float], Array]:
    """The smallest D with rank 1 by system and α, for the topics in which every one gets there."""
    ranks = work.once(lines)
    reached = np.array([[bool((one == 1).any()) for one in each] for each in ranks.values()])
    if not reached.size or not reached.all(axis=0).any():
        raise NotTestableError('in no topic do the simulated systems get to rank 1')
    kept = np.flatnonzero(reached.all(axis=0))
    return {
        key: np.array([int((each[topic] == 1).argmax()) for topic in kept])
        for key, each in ranks.items()
    }


def _line(system: str, alpha: float) -> str:
    return f'{system}, α={alpha:g}'


@table(KEY, 'figure1')
def figure1(work: Workspace) -> Cells:
    """The first rank as a mean over topics, and the ranks on the topic with the median number of relevant documents."""
    cells: dict[tuple[str, ...], Any] = {
        ('first rank', _line(*key)): Quantity.mean(each)
        for key, each in work.once(first_ranks).items()
    }
    ranks = work.once(lines)
    lengths = [len(each) for each in ranks[SYSTEMS[0], 0]]
    shown = int(np.argsort(lengths, kind='stable')[len(lengths) // 2])
    for size in np.unique(np.linspace(0, lengths[shown] - 1, 11).astype(int)):
        for key, each in ranks.items():
            cells[f'D={size}', _line(*key)] = int(each[shown][size])
    return cells


@rule(KEY, 't05', 't06', 't07')
def simulated(paper: Paper, claim: str) -> Iterator[Part]:
    first = paper.work.once(first_ranks)
    rare, common = ([first[system, alpha] for alpha in settings()['alphas']] for system in SYSTEMS)
    if claim == 't05':
        means = ', '.join(f'{each.mean():.3f}' for each in rare)
        yield share(int((rare[-1] < rare[0]).sum()), len(rare[0]), f'{means}; fewer in ')
    elif claim == 't06':
        equal = rare[0] == common[0]
        yield exact(equal.all(), f'equal in {equal.sum()} of {len(equal)} topics')
    else:
        moved = [Quantity.mean(np.abs(each[-1] - each[0])) for each in (rare, common)]
        yield above(moved[0], moved[1])


# ------------------------------------------------------------------------------------------------- §4, real data


@table(KEY, 'figure2')
def figure2(work: Workspace) -> Cells:
    """τ and τ_AP between the rankings for α and for α = 0."""
    alphas = np.arange(0, 11) / 10
    all_scores = scores(work, alphas)
    coefficients: dict[str, Callable[..., Any]] = {
        'τ': meta.kendall,
        'τ_AP': functools.partial(meta.tau_ap, ties='b'),
    }

    def correlations(sample: Array) -> Array:
        means = {
            name: each[:, :, sample].mean(axis=2).round(12) for name, each in all_scores.items()
        }
        plain = {name: np.broadcast_to(each[0], each.shape) for name, each in means.items()}
        return np.array(
            [f(plain[name], means[name]) for f in coefficients.values() for name in means]
        )

    names = [
        (f'α={alpha:g}', f'{coefficient}, {name}')
        for coefficient in coefficients
        for name in all_scores
        for alpha in alphas
    ]
    return work.resampled(correlations, names, limit=1)


@rule(KEY, 't08', 't09', 't10')
def curves(paper: Paper, claim: str) -> Iterator[Part]:
    cells = paper['figure2']
    if claim == 't09':
        yield above(cells['α=1', 'τ, AP'], cells['α=1', 'τ, P'])
        return
    for name in ('P', 'AP'):
        if claim == 't08':
            yield above(cells['α=0.1', f'τ, {name}'], cells['α=1', f'τ, {name}'], f'{name}: ')
            continue
        for row in ('α=0.5', 'α=1'):
            yield near(cells[row, f'τ_AP, {name}'], cells[row, f'τ, {name}'], f'{name}, {row}: ')


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    """Pairs that Tukey's test separates on two systems at a time, as in the authors' program."""
    values, levels = six(work), (0.95, 0.99)
    pairs = np.column_stack(np.triu_indices(values.shape[1], 1))

    def counts(sample: Array) -> Array:
        pvalues, _ = pairwise_tukey(values[:, :, sample], pairs)
        return np.array([(pvalues < 1 - level).sum(axis=1) for level in levels])

    names = [(row, f'yours {level:.0%}') for level in levels for row in rows()]
    return work.resampled(counts, names, total=len(pairs))


@rule(KEY, 't11', 't12')
def separated(paper: Paper, claim: str) -> Iterator[Part]:
    cells = paper['table1']
    for level in ('95%', '99%'):
        for start in (0, 3):
            plain, half, one = (cells[row, f'yours {level}'] for row in rows()[start : start + 3])
            name = f'{rows()[start]}, {level}'
            if claim == 't12':
                yield above(one, half, f'{name}: ')
            else:
                yield above(half, plain, f'{name}, α=.5: ')
                yield above(one, plain, f'{name}, α=1: ')


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    """Stability, also of P and AP times the constant that gives them the mean of the measure with α = 1."""
    values, known, names = six(work), settings(), rows()
    means = values.mean(axis=(1, 2))
    ratios = [means[m + 2] / means[m] if means[m] else 1.0 for m in (0, 3)]
    scaled = [values[m] * ratio for m, ratio in zip((0, 3), ratios)]
    names += [f'{names[m]} times a constant' for m in (0, 3)]
    result = meta.stability(
        np.stack([*values, *scaled], axis=2),
        fuzziness=known['fuzziness'],
        n_trials=known['trials'],
        n_resamples=work.n_resamples,
        rng=work.rng(f'{KEY} table2'),
    )
    cells: dict[tuple[str, ...], Any] = {}
    for m, name in enumerate(names):
        replicates, trials = result.replicates[:, m], result.trials[:, m]
        cells[name, 'yours'] = Quantity.resampled(result.values[m], replicates, len(work.topics))
        early = np.arange(len(trials)) < known['early']
        weight = early / early.sum() - 1 / len(trials)
        change = weight * (trials - trials.mean())
        cells[name, EARLY] = Quantity(change.sum(), change, len(trials) - 1)
    return cells


@rule(KEY, 't13', 't14')
def stable(paper: Paper, claim: str) -> Iterator[Part]:
    cells = paper['table2']
    for m, row in enumerate(rows()):
        if claim == 't14':
            change = cells[row, EARLY]
            yield near(change, change * 0, f'{row}: ')
        elif m % 3:
            yield above(cells[row, 'yours'], cells[rows()[m - m % 3], 'yours'], f'{row}: ')


CONSTANT = 'P and AP times a constant, which order all systems as P and AP do, gain '


@sentence(
    KEY,
    'table2',
    (
        lambda f: f['gained'] <= 0,
        'The measures with α = {alpha} gain no stability on average ({gained:.3f}).',
    ),
    (
        lambda f: 0 < f['gained'] <= f['scaled'],
        CONSTANT
        + 'at least as much stability as the measures with α = {alpha} ({scaled:.3f} and {gained:.3f} on '
        'average): the gain is one of scale, because the program counts differences above {fuzziness} only.',
    ),
    (
        lambda f: 0 < f['scaled'] < f['gained'],
        CONSTANT
        + '{scaled:.3f} on average, and the measures with α = {alpha} gain {gained:.3f}: a part of the gain is '
        'one of scale.',
    ),
    (
        lambda f: f['scaled'] <= 0 < f['gained'],
        CONSTANT + 'no stability on average, and the measures with α = {alpha} gain {gained:.3f}.',
    ),
)
def scale(paper: Paper) -> Mapping[str, Any]:
    names, known = rows(), settings()
    stability = {
        row: value.value for (row, column), value in paper['table2'].items() if column == 'yours'
    }
    plain, one, scaled = (
        sum(stability[row] for row in each) / 2
        for each in (names[::3], names[2::3], [f'{row} times a constant' for row in names[::3]])
    )
    gains = {'gained': one - plain, 'scaled': scaled - plain}
    return {'alpha': known['alphas'][-1], 'fuzziness': known['fuzziness'], **gains}


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    """τ between the order of N systems on their own and in the whole pool. Intervals are of the trials."""
    rng, known = work.rng(f'{KEY} table3'), settings()
    cells: dict[tuple[str, ...], Any] = {}
    alpha, n_systems = known['alphas'][-1], len(work.systems)
    parts = [
        (base.mean(axis=1), shared.mean(axis=0)) for base, shared in work.once(linear).values()
    ]
    for size in (size for size in known['sizes'] if size < n_systems):
        drawn = rng.permuted(np.tile(np.arange(n_systems), (known['trials'], 1)), axis=1)[:, :size]
        for row, (base, shared) in zip(load(KEY)['parts']['table3']['rows'], parts):
            whole = (1 + alpha) * base - alpha / n_systems * shared.sum(axis=1)
            overlap = sum(shared[drawn, member[:, None]] for member in drawn.T)
            alone = (1 + alpha) * base[drawn] - alpha / size * overlap
            tau = meta.kendall(whole[drawn].round(12), alone.round(12))
            cells[row, f'N={size}'] = Quantity.mean(tau)
    return cells


@rule(KEY, 't15')
def t15(paper: Paper) -> Iterator[Part]:
    for (row, size), tau in paper['table3'].items():
        yield at_least(tau, f'{row}, {size}: ')


@table(KEY, 'table4')
def table4(work: Workspace) -> Cells:
    """Five retrieved relevant documents, from the rarest to the most common one, of the topic whose R differ most."""
    known = work.once(topics)
    number = max(range(len(known)), key=lambda t: len(np.unique(known[t].n)))
    n = known[number].n
    order = np.flatnonzero(n)[np.argsort(n[n > 0], kind='stable')]
    chosen = order[np.unique(np.linspace(0, len(order) - 1, 5).round().astype(int))]
    rarity = 1 - n / len(work.systems)
    return {
        (f'{known[number].docs[place]} (topic {work.topics[number]})', 'R'): float(rarity[place])
        for place in chosen
    }


@rule(KEY, 't16')
def t16(paper: Paper) -> Iterator[Part]:
    low, high, n_systems = [], [], len(paper.work.systems)
    for topic in paper.work.once(topics):
        found = topic.n > 0
        lowest = topic.grade == topic.grade[found].min(initial=1 << 30)
        if (found & lowest).any() and (found & ~lowest).any():
            low.append(1 - topic.n[found & lowest].mean() / n_systems)
            high.append(1 - topic.n[found & ~lowest].mean() / n_systems)
    if len(low) < 5:
        raise NotTestableError(f'{len(low)} topics have relevant documents of two grades')
    yield above(Quantity.mean(low), Quantity.mean(high))


# ------------------------------------------------------------------------------------------------- definitions


def largest(n_systems: int, rarity: str = 'alpha=1') -> float:
    """P@1_Rareness of a system whose relevant document no other system retrieves, as the package computes it."""
    runs = {f's{s}': {'q': {f'd{s}': 1.0}} for s in range(n_systems)}
    pool = Pool.from_runs(runs).over({'q': dict.fromkeys(('d0', 'd1'), 1)})
    return float(pool.scores([f'P_Rareness({rarity})@1']).values[0, 0, 0])


@rule(KEY, 't01', 't02', 't04', 't17', 't18')
def definitions(paper: Paper, claim: str) -> Iterator[Part]:
    sizes = np.arange(2, 20)
    plain = np.array([largest(int(size)) for size in sizes])
    norm = np.array([largest(int(size), "alpha=1,norm=True,rarity=\"R'\"") for size in sizes])
    bound = 2 * (sizes - 1) / sizes
    alone = f"R' is {norm[2]:g} where one of {sizes[2]} systems retrieves the document"
    right, yours = {
        't01': (
            np.allclose(plain - 1, bound / 2),
            f'at most {plain[-1] - 1:.4f}, {sizes[-1]} systems',
        ),
        't02': (np.allclose(plain, bound), f'{plain[0]:g} with two systems, not {bound[0]:g}'),
        't04': (plain.max() < 2, f'at most {plain.max():.4f} with {sizes[-1]} systems'),
        't17': (norm[2] < norm.max(), alone),
        't18': (norm.max() <= 1, f"at most {norm.max():g} with R'"),
    }[claim]
    yield exact(right, yours)


@rule(KEY, 't03')
def t03(paper: Paper) -> Iterator[Part]:
    pool, k = paper.work.once(judged), settings()['k']
    names = [f'{name}{form}@{k}' for form in ('', '_Rareness(alpha=0)') for name in ('P', 'AP')]
    plain, own = np.split(pool.scores(names).values, 2, axis=2)
    difference = float(np.abs(plain - own).max())
    yield exact(difference < 1e-12, f'largest difference of scores {difference:.1g}')
