"""Türkmen, Lease & Kutlu, ECIR 2023: measures that reward relevant documents which other systems miss."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import meta
from ..meta.significance import pairwise_tukey
from ..pools.judged import JudgedPool
from ..pools.pool import Pool
from .declarations import Cells, load, rule, sentence, spec, table
from .paper import Paper
from .quantities import NotTestableError, Part, Quantity, above, exact, share
from .workspace import Workspace

Array = np.ndarray
KEY = 'turkmen-2023'


def settings() -> Any:
    """The paper's settings: ``k``, ``alphas``, ``trials``, ``early``, ``fuzziness``, ``sizes``."""
    return load(KEY)['settings']


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


def judged(work: Workspace) -> JudgedPool:
    """The pool of the runs, down to the paper's cutoff."""
    return Pool.from_runs(work.runs, depth=settings()['k']).over(work.topic_qrels)


def topics(work: Workspace) -> list[Topic]:
    """The topics in the order of the workspace. Some may have no relevant documents."""
    query, docs, grade = (work.topic_qrels[name].to_numpy() for name in work.topic_qrels)
    found = []
    for topic in work.topics:
        own = np.flatnonzero((query == topic) & (grade >= 1))[::-1]
        rank = work.once(judged).rank[:, own]
        found.append(Topic(docs[own], grade[own], rank, (rank > 0).sum(axis=0)))
    return found


def linear(work: Workspace) -> dict[str, tuple[Array, Array]]:
    """What both measures are linear in: (S, Q) scores for α = 0, and (Q, S, S) what a system shares with another.

    With X[s, d] = 1/k for P, and for AP the sum of 1/i over the hits i at or below d, divided by N_R, the base is
    Σ_d X, and the shared part is X Yᵀ, where Y says who retrieves d. The score among the systems T is
    (1 + α) base_s − (α/|T|) Σ_{u ∈ T} shared[s, u].
    """
    k, base, shared = settings()['k'], defaultdict(list), defaultdict(list)
    for topic in work.once(topics):
        has = (topic.rank > 0).astype(float)
        inverse = np.zeros((len(has), k + 1))
        np.put_along_axis(inverse, topic.rank, has / np.maximum(topic.rank, 1), axis=1)
        below = inverse[:, ::-1].cumsum(axis=1)[:, ::-1]
        at_hits = np.take_along_axis(below, topic.rank, axis=1)
        for name, x in {'P': has / k, 'AP': has * at_hits / max(len(topic.n), 1)}.items():
            base[name].append(x.sum(axis=1))
            shared[name].append(x @ has.T)
    return {name: (np.array(base[name]).T, np.array(shared[name])) for name in base}


def scores(work: Workspace, alphas: Any) -> dict[str, Array]:
    """(α, S, Q) scores of P and of AP."""
    values = np.asarray(alphas)[:, None, None]
    return {
        name: (1 + values) * base - values / len(base) * shared.sum(axis=2).T
        for name, (base, shared) in work.once(linear).items()
    }


def six(work: Workspace) -> Array:
    """(measures, S, Q) scores of the rows of Tables 1 and 2: P and AP, each for three values of α."""
    return np.concatenate(list(scores(work, settings()['alphas']).values()))


# ------------------------------------------------------------------------------------------------- §3, synthetic data


def simulated_ranks(topic: Topic, alpha: float, k: int) -> dict[str, Array]:
    """The rank of S_rare and of S_common among the real systems with D = 0, 1, … relevant documents.

    S_rare has D documents that no real system retrieves, S_common the D most common ones. Each is the only one that
    is added to the S systems.
    """
    has, n, n_systems = topic.rank > 0, topic.n, len(topic.rank) + 1
    common = (-n).argsort(kind='stable')[:k]
    size = np.arange(len(common) + 1)
    hits = has.sum(axis=1)
    real = (hits + alpha * (hits - has @ n / n_systems))[:, None]
    overlap = np.pad(has[:, common].cumsum(axis=1), ((0, 0), (1, 0)))
    worth = np.append(0, (1 - (n[common] + 1) / n_systems).cumsum())
    rare = size * (1 + alpha * (1 - 1 / n_systems))
    among = real - alpha * overlap / n_systems
    return {
        'S_rare': 1 + (real > rare + 1e-12 * k).sum(axis=0),
        'S_common': 1 + (among > size + alpha * worth + 1e-12 * k).sum(axis=0),
    }


def lines(work: Workspace) -> dict[str, list[Array]]:
    """The ranks by the columns of Figure 1, for each topic with a relevant document."""
    found = defaultdict(list)
    for alpha in settings()['alphas']:
        for topic in work.once(topics):
            if len(topic.n):
                for system, ranks in simulated_ranks(topic, alpha, settings()['k']).items():
                    found[f'{system}, α={alpha:g}'].append(ranks)
    return {name: found[name] for name in spec(KEY, 'figure1')['columns']}


def first_ranks(work: Workspace) -> dict[str, Array]:
    """The smallest D with rank 1 by column, for the topics in which every one gets there."""
    several = [list(each) for each in zip(*work.once(lines).values())]
    firsts = [
        [(one == 1).argmax() for one in each] for each in several if all(1 in one for one in each)
    ]
    if not firsts:
        raise NotTestableError('in no topic do the simulated systems get to rank 1')
    return dict(zip(work.once(lines), np.transpose(firsts)))


@table(KEY, 'figure1')
def figure1(work: Workspace) -> Cells:
    """The first rank as a mean over topics, and the ranks on the topic with the median number of relevant documents."""
    first, ranks = work.once(first_ranks), work.once(lines)
    cells: dict[Any, Any] = {('first rank', name): Quantity.mean(first[name]) for name in first}
    lengths = [len(each) for each in next(iter(ranks.values()))]
    shown = int(np.argsort(lengths, kind='stable')[len(lengths) // 2])
    for size in np.unique(np.linspace(0, lengths[shown] - 1, 11).astype(int)):
        cells |= {(f'D={size}', name): int(each[shown][size]) for name, each in ranks.items()}
    return cells


@rule(KEY, 't05', 't06', 't07')
def simulated(paper: Paper, claim: str) -> Iterator[Part]:
    rare, common = np.split(np.array(list(paper.work.once(first_ranks).values())), 2)
    if claim == 't05':
        means = ', '.join(f'{each.mean():.3f}' for each in rare)
        yield share(int((rare[-1] < rare[0]).sum()), len(rare[0]), f'{means}; fewer in ')
    elif claim == 't06':
        equal = rare[0] == common[0]
        yield exact(equal.all(), f'equal in {equal.sum()} of {len(equal)} topics')
    else:
        one, other = (Quantity.mean(np.abs(each[-1] - each[0])) for each in (rare, common))
        yield above(one, other)


# ------------------------------------------------------------------------------------------------- §4, real data


@table(KEY, 'figure2')
def figure2(work: Workspace) -> Cells:
    """τ and τ_AP between the rankings for α and for α = 0."""
    alphas = np.arange(11) / 10
    all_scores = scores(work, alphas)
    coefficients: dict[str, Any] = {
        'τ': meta.kendall,
        'τ_AP': functools.partial(meta.tau_ap, ties='b'),
    }

    def correlations(sample: Array) -> Any:
        means = [each[:, :, sample].mean(axis=2).round(12) for each in all_scores.values()]
        pairs = [(np.broadcast_to(each[0], each.shape), each) for each in means]
        return [coefficient(*pair) for coefficient in coefficients.values() for pair in pairs]

    columns = [f'{coefficient}, {name}' for coefficient in coefficients for name in all_scores]
    names = [(f'α={alpha:g}', column) for column in columns for alpha in alphas]
    return work.resampled(correlations, names, limit=1)


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    """Pairs that Tukey's test separates on two systems at a time, as in the authors' program."""
    values, levels = six(work), (0.95, 0.99)
    pairs = np.column_stack(np.triu_indices(values.shape[1], 1))

    def counts(sample: Array) -> Any:
        pvalues, _ = pairwise_tukey(values[:, :, sample], pairs)
        return [(pvalues < 1 - level).sum(axis=1) for level in levels]

    names = [(row, f'yours {level:.0%}') for level in levels for row in spec(KEY, 'table1')['rows']]
    return work.resampled(counts, names, total=len(pairs))


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    """Stability, also of P and AP times the constant that gives them the mean of the measure with α = 1."""
    values, known, names = six(work), settings(), list(spec(KEY, 'table2')['rows'])
    for plain, one in ((0, 2), (3, 5)):
        ratio = values[one].mean() / values[plain].mean() if values[plain].any() else 1
        values = np.append(values, values[plain : plain + 1] * ratio, axis=0)
        names.append(f'{names[plain]} times a constant')
    result = meta.stability(
        values.transpose(1, 2, 0),
        fuzziness=known['fuzziness'],
        n_trials=known['trials'],
        n_resamples=work.n_resamples,
        rng=work.rng(f'{KEY} table2'),
    )
    early = np.arange(known['trials']) < known['early']
    change = (early / early.sum() - 1 / len(early))[:, None] * (
        result.trials - result.trials.mean(axis=0)
    )
    cells = {}
    for name, value, replicates, each in zip(names, result.values, result.replicates.T, change.T):
        cells[name, 'yours'] = Quantity.resampled(value, replicates, len(work.topics))
        cells[name, 'change after the first trials'] = Quantity(each.sum(), each, len(early) - 1)
    return cells


CONSTANT = 'P and AP times a constant, which order all systems as P and AP do, gain '


@sentence(
    KEY,
    'table2',
    'The measures with α = {alpha} gain no stability on average ({gained:.3f}).',
    CONSTANT
    + 'at least as much stability as the measures with α = {alpha} ({scaled:.3f} and {gained:.3f} on '
    'average): the gain is one of scale, because the program counts differences above {fuzziness} only.',
    CONSTANT
    + '{scaled:.3f} on average, and the measures with α = {alpha} gain {gained:.3f}: a part of the gain is '
    'one of scale.',
    CONSTANT + 'no stability on average, and the measures with α = {alpha} gain {gained:.3f}.',
)
def scale(paper: Paper) -> tuple[list[bool], dict[str, Any]]:
    stability = [cell.value for (_, name), cell in paper['table2'].items() if name == 'yours']
    chosen = slice(0, 6, 3), slice(2, 6, 3), slice(6, 8)
    plain, one, times = (np.mean(stability[each]) for each in chosen)
    known, gained, scaled = settings(), round(one - plain, 12), round(times - plain, 12)
    true = [gained <= 0, 0 < gained <= scaled, 0 < scaled < gained, scaled <= 0 < gained]
    return true, {'alpha': known['alphas'][-1], 'gained': gained, 'scaled': scaled, **known}


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    """τ between the order of N systems on their own and in the whole pool. Intervals are of the trials."""
    rng, known = work.rng(f'{KEY} table3'), settings()
    cells = {}
    alpha, n_systems = known['alphas'][-1], len(work.systems)
    for size in (size for size in known['sizes'] if size < n_systems):
        drawn = rng.permuted(np.tile(np.arange(n_systems), (known['trials'], 1)), axis=1)[:, :size]
        for row, (base, shared) in zip(spec(KEY, 'table3')['rows'], work.once(linear).values()):
            own, common = base.mean(axis=1), shared.mean(axis=0)
            whole = (1 + alpha) * own - alpha / n_systems * common.sum(axis=1)
            overlap = sum(common[drawn, member[:, None]] for member in drawn.T)
            alone = (1 + alpha) * own[drawn] - alpha / size * overlap
            tau = meta.kendall(whole[drawn].round(12), alone.round(12))
            cells[row, f'N={size}'] = Quantity.mean(tau)
    return cells


@table(KEY, 'table4')
def table4(work: Workspace) -> Cells:
    """Five retrieved relevant documents, from the rarest to the most common one, of the topic whose R differ most."""
    several = zip(work.topics, work.once(topics))
    name, topic = max(several, key=lambda each: len(np.unique(each[1].n)))
    order = topic.n.argsort(kind='stable')[(topic.n == 0).sum() :]
    chosen = order[np.unique(np.linspace(0, len(order) - 1, 5).round().astype(int))]
    rarity = 1 - topic.n / len(work.systems)
    return {(f'{topic.docs[d]} (topic {name})', 'R'): float(rarity[d]) for d in chosen}


@rule(KEY, 't16')
def less_relevant(paper: Paper) -> Iterator[Part]:
    rarities = []
    for topic in paper.work.once(topics):
        retrieved = topic.n > 0
        grade, rarity = topic.grade[retrieved], 1 - topic.n[retrieved] / len(topic.rank)
        if len(np.unique(grade)) > 1:
            lowest = grade == grade.min()
            rarities.append((rarity[lowest].mean(), rarity[~lowest].mean()))
    if len(rarities) < 5:
        raise NotTestableError(f'{len(rarities)} topics have relevant documents of two grades')
    yield above(*map(Quantity.mean, zip(*rarities)))


# ------------------------------------------------------------------------------------------------- definitions


@functools.cache
def scores_of_one_finder() -> list[Array]:
    """Numbers of systems, of which one retrieves a document, and what it scores by P@1_Rareness and P' with R'."""
    sizes, qrels = np.arange(2, 20), {'q': {'d0': 1, 'd1': 1}}
    pools = (
        Pool.from_runs({f's{s}': {'q': {f'd{s}': 1.0}} for s in range(size)}).over(qrels)
        for size in sizes
    )
    names = ['P_Rareness(alpha=1)@1', 'P_Rareness(alpha=1,norm=True,rarity="R\'")@1']
    return [sizes, *np.transpose([pool.scores(names).values[0, 0] for pool in pools])]


@rule(KEY, 't01', 't02', 't04', 't17', 't18')
def definitions(paper: Paper, claim: str) -> Iterator[Part]:
    sizes, plain, norm = scores_of_one_finder()
    bound = 1 - 1 / sizes
    alone = f"R' is {norm[2]:g} where one of {sizes[2]} systems retrieves the document"
    stated = {
        't01': (np.allclose(plain - 1, bound), f'at most {plain[-1] - 1:.4f}, {sizes[-1]} systems'),
        't02': (
            np.allclose(plain, 2 * bound),
            f'{plain[0]:g} with two systems, not {2 * bound[0]:g}',
        ),
        't04': (plain.max() < 2, f'at most {plain.max():.4f} with {sizes[-1]} systems'),
        't17': (norm[2] < norm.max(), alone),
        't18': (norm.max() <= 1, f"at most {norm.max():g} with R'"),
    }
    yield exact(*stated[claim])


@rule(KEY, 't03')
def plain_forms(paper: Paper) -> Iterator[Part]:
    k = settings()['k']
    names = [f'{name}{form}@{k}' for form in ('', '_Rareness(alpha=0)') for name in ('P', 'AP')]
    plain, own = np.split(paper.work.once(judged).scores(names).values, 2, axis=2)
    difference = np.abs(plain - own).max()
    yield exact(difference < 1e-12, f'largest difference of scores {difference:.1g}')
