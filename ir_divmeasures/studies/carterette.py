"""Carterette (SIGIR 2011): measures of four user models when judgments, topics or pools change."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from ..core.stopping.registries import get
from ..evaluation.scores import Scores
from ..judgments.qrels import topic_level
from ..judgments.repool import repool
from ..lazy import pd
from ..meta.robustness import pair_signs, tau_of_signs, topic_weights
from ..pools.pool import Pool
from ..users.profile import cells as combinations
from .contrasts import named
from .declarations import Cells, Choice, load, rule, sentence, spec, table
from .paper import Paper
from .quantities import NotTestableError, Part, above, exact, short, span
from .workspace import Workspace

KEY = 'carterette-2011'
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50)
# What simulated assessors do; the grade of a strict one, and of pages.
KEPT, ADDED, HIGH = 0.65, 0.25, 2
# Samples of the topics, for each page, and of each resample of the topics; resamples for pages.
TRIALS, PAGE_TRIALS, SHARED, PAGE_RESAMPLES = 100, 20, 20, 40

Array = np.ndarray
Study = Callable[[Array], Array]
"""A function of topics that returns τ, (measures, levels)."""


@functools.cache
def measures() -> dict[tuple[str, str], str]:
    """The measure of each distribution and model that together compare rankings."""
    return {
        (P, f'M{row.model}'): row.measure
        for P in spec(KEY, 'table1')['rows']
        for row in combinations(P[2:]).itertuples()
        if row.marked is None
    }


def members(names: Iterable[str]) -> list[int]:
    """Numbers of the measures to which all names apply: of a distribution, of several distributions, of a model."""
    groups = load(KEY)['groups']
    return [
        n
        for n, cell in enumerate(measures())
        if all(name in cell or cell[0] in groups.get(name, ()) for name in names)
    ]


def pool(work: Workspace) -> Pool:
    return Pool.from_runs(work.runs, depth=None)


def scores(work: Workspace, qrels: pd.DataFrame) -> Scores:
    """The scores of all measures by judgments of whole topics."""
    names = measures() | {
        cell: f'{measures()[cell][:-1]},norm=True)' for cell in map(tuple, load(KEY)['normalised'])
    }
    return work.once(pool).over(qrels).scores(list(names.values()))


def full(work: Workspace) -> Scores:
    """The scores by all judgments."""
    return scores(work, work.topic_qrels)


def quantities(
    work: Workspace,
    name: str,
    rows: Iterable[tuple[str, ...]],
    study: Study,
    resamples: int | None = None,
) -> Cells:
    """Mean τ of the measures to which the names of a column apply, with the error of the study repeated on resamples."""
    columns = load(KEY)['columns'][name]
    places = [members(', '.join(names).split(', ')) for names in columns]

    def means(topics: Array) -> Array:
        taus = study(topics)
        return np.array([taus[of].mean(axis=0) for of in places]).T

    cells = [(*row, *names) for row, names in itertools.product(rows, columns)]
    return work.resampled(means, cells, limit=1, resamples=resamples)


def signs(scored: Scores, topics: Array) -> Array:
    """Which system of each pair is ahead, (measures, pairs, samples), on samples of topics, (samples, size)."""
    values = scored.values.transpose(2, 0, 1)
    return pair_signs(values @ topic_weights(topics, values.shape[2]).T)


def against(work: Workspace, levels: Iterable[Iterable[pd.DataFrame]]) -> Study:
    """τ between the rankings of systems by the judgments and by others, the mean over those of a level."""
    scored = [[scores(work, other) for other in others] for others in levels]

    def study(topics: Array) -> Array:
        ahead = signs(work.once(full), topics[None])
        taus = (
            [tau_of_signs(ahead, signs(each, topics[None])) for each in several]
            for several in scored
        )
        return np.array([np.hstack(several).mean(axis=1) for several in taus]).T

    return study


def samples(
    work: Workspace,
    name: str,
    several: Sequence[Scores],
    trials: int,
    resamples: int | None = None,
) -> Cells:
    """τ between rankings on all topics and on samples of 5, 10, … of them, the mean of several scores.

    Each has its trials on all topics; on resamples of the topics they share some.
    """
    work.enough(2, 6)
    rng, sizes = work.rng(f'{KEY} {name}'), range(5, len(work.topics), 5)

    def study(topics: Array) -> Array:
        is_resample = len(set(topics)) < len(topics)
        n_samples = -(-SHARED // len(several)) if is_resample else trials
        taus = []
        for scored in several:
            drawn = rng.permuted(np.tile(topics, (n_samples, 1)), axis=1)
            ahead = signs(scored, topics[None])
            orders = (signs(scored, drawn[:, :size]) for size in sizes)
            taus.append([tau_of_signs(ahead, order).mean(axis=1) for order in orders])
        return np.mean(taus, axis=0).T

    return quantities(work, name, zip(f'N={size}' for size in sizes), study, resamples)


def assessors(work: Workspace) -> Iterator[pd.DataFrame]:
    """The judgments of further assessors."""
    for n, other in enumerate(work.further.get('assessors', ()), 1):
        qrels = topic_level(other)
        if missing := len(set(work.topics) - set(qrels['query_id'])):
            raise ValueError(f'assessor {n} has no judgments of {missing} topics; expected all')
        yield qrels[qrels['query_id'].isin(work.topics)]


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    return measures()


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    """Without further assessors, those are simulated, and one who is strict has a block of the table."""
    blocks: dict[tuple[str, ...], list[pd.DataFrame]] = {(): list(assessors(work))}
    qrels, grade = work.topic_qrels, work.topic_qrels['relevance'].to_numpy()
    if not blocks[()]:
        draws = work.rng(f'{KEY} table2').random((2 * work.n_seeds, len(grade)))
        relevant = draws < np.where(grade >= 1, KEPT, ADDED)
        blocks[()] = [qrels.assign(relevance=each * 1) for each in relevant]
        if (grade >= HIGH).any():
            blocks['a strict assessor',] = [qrels.assign(relevance=(grade >= HIGH) * 1)]
    return quantities(work, 'table2', blocks, against(work, blocks.values()))


@table(KEY, 'figure1')
def figure1(work: Workspace) -> Cells:
    both = {P: get(P[2:]).by_rank(100) for P in load(KEY)['groups']['static']}
    return {
        (f'k={k}', f'{letter}{P[1:]}'): float(both[P][n][k])
        for k in (1, 2, 3, 5, 10, 20, 50, 100)
        for n, letter in enumerate('PF')
        for P in both
    }


@table(KEY, 'figure3')
def figure3(work: Workspace) -> Cells:
    return samples(work, 'figure3', [work.once(full)], TRIALS)


@table(KEY, 'figure4')
def figure4(work: Workspace) -> Cells:
    deepest = work.once(pool).over(work.topic_qrels).rank.max(initial=1)
    depths = [depth for depth in DEPTHS if depth == 1 or depth < deepest]
    pools = repool(work.topic_qrels, work.runs, depths)
    rows = zip(f'depth={depth}' for depth in pools)
    return quantities(work, 'figure4', rows, against(work, zip(pools.values())))


@table(KEY, 'pages')
def pages(work: Workspace) -> Cells:
    """One document of a high grade a topic is relevant, drawn in proportion to Σ 1/rank over the systems."""
    qrels, rng, several = work.topic_qrels, work.rng(f'{KEY} pages'), []
    rank = work.once(pool).over(qrels).rank
    rate = pd.Series((1 / np.where(rank > 0, rank, np.inf)).sum(axis=0))
    rate = rate[(rate > 0) & (qrels['relevance'] >= HIGH)]
    if rate.empty:
        raise NotTestableError(f'needs retrieved documents of grade {HIGH}')
    for _ in range(work.n_seeds):
        arrival = pd.Series(rng.exponential(size=len(qrels)))[rate.index] / rate
        first = arrival.groupby(qrels['query_id']).idxmin()
        several.append(scores(work, qrels.assign(relevance=qrels.index.isin(first) * 1)))
    return samples(work, 'samples for pages', several, PAGE_TRIALS, PAGE_RESAMPLES)


# --------------------------------------------------------------------------------------------------------------- rules


@rule(KEY, 'c18')
def tails_between(paper: Paper) -> Iterator[Part]:
    topics, assessors = (
        named(paper[name], 'fat') - named(paper[name], 'slim') for name in ('figure3', 'table2')
    )
    yield above(assessors, topics, 'fat − slim: ')


@rule(KEY, 'c33')
def smallest(paper: Paper) -> Iterator[Part]:
    taus = [tau for name in ('table2', 'figure3', 'figure4') for tau in paper[name].values()]
    tau = min(taus, key=lambda tau: tau.value)
    yield Part('at least', f'smallest τ {tau} {span(tau.interval())}', tau.interval)


@rule(KEY, 'c01')
def negligible(paper: Paper) -> Iterator[Part]:
    for n in (10**3, 10**6):
        left = 1 / np.log2(n + 2)
        yield exact(left < 0.01, f'{short(left)} at n = {n}')


@rule(KEY, 'c02')
def fatter(paper: Paper) -> Iterator[Part]:
    P = {f'P_{name}': get(name).by_rank(1000)[0][[10, 100, 1000]] for name in ('DCG', 'RR', 'RBP')}
    for one, other in itertools.pairwise(P):
        ratio = P[one] / P[other]
        told = ', '.join(f'{value:.2g}' for value in ratio)
        yield exact(ratio[0] > 1 and (np.diff(ratio) > 0).all(), f'{one}/{other}: {told}')


@rule(KEY, 'c03')
def largest(paper: Paper) -> Iterator[Part]:
    """A ranking of six documents, with a topic for each three of them that may be relevant."""
    topics = map(''.join, itertools.combinations('abcdef', 3))
    qrels = {topic: dict.fromkeys(topic, 1) for topic in topics}
    run = dict.fromkeys(qrels, dict(zip('abcdef', range(6, 0, -1))))
    best = dict(zip(measures(), full(Workspace({'s': run}, qrels)).values.max(axis=(0, 1))))
    for cell in map(tuple, load(KEY)['normalised']):
        yield exact(abs(best[cell] - 1) < 1e-12, f'{" ".join(cell)} {short(best[cell])}')


@rule(KEY, 'c04')
def cut(paper: Paper) -> Iterator[Part]:
    relevant = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
    R = relevant.cumsum()
    for name in load(KEY)['groups']['static']:
        P, F = get(name[2:]).by_rank(len(relevant))
        apart = abs(relevant @ F[1:-1] - R @ P[1:-1] - R[-1] * F[-1])
        yield exact(apart < 1e-12, f'{name}: difference {apart:.0e}')


@rule(KEY, 'c05')
def mixture(paper: Paper) -> Iterator[Part]:
    """The mean over θ of a geometric distribution, ∫ θ (1 − θ)^(k−1) dθ, is a beta function."""
    from scipy.special import beta

    P, F = get('RR').by_rank(100)
    for k in (1, 10, 100):
        apart = max(abs(beta(2, k) - P[k]), abs(1 - P[:k].sum() - 1 / k), abs(F[k] - 1 / k))
        yield exact(apart < 1e-12, f'k = {k}: difference {apart:.0e}')


@rule(KEY, 'c30')
def preferences(paper: Paper) -> Iterator[Part]:
    """The ranking 1, 0 with a uniform P: above rank 2, one document is preferred to the one there, above rank 1 none."""
    for name, gains in (('M4', [1, 1 / 2]), ('M2', [1, 1])):
        model, process = sum(gains) / 2, (0 + 1) / 2
        yield exact(model == process, f'{name} {short(model)}, expectation {short(process)}')


@rule(KEY, 'c31')
def proportional(paper: Paper) -> Iterator[Part]:
    """The share of concordant pairs by τ, each pair with the probability of stopping at its lower document."""
    share = np.arange(4) / 3
    tau = 2 * share - 1
    told = ', '.join(f'{short(one)} at τ {short(other)}' for one, other in zip(share, tau))
    yield exact(np.ptp(share / tau) < 1e-9, told)


# ----------------------------------------------------------------------------------------------------------- sentences


@sentence(
    KEY,
    'table2',
    'Each τ is a mean over {others} further sets of judgments.',
    'Each τ is a mean over {simulated} simulated assessors. They keep a relevant judgment with probability {kept} '
    'and make a relevant one of another with probability {added}.',
)
def sides(paper: Paper) -> Choice:
    others, simulated = len(paper.work.further.get('assessors', ())), 2 * paper.work.n_seeds
    numbers = {'others': others, 'simulated': simulated, 'kept': KEPT, 'added': ADDED}
    return [others > 0, others == 0], numbers


def extremes(paper: Paper, name: str) -> Choice:
    """The models of the highest and of the lowest mean."""
    models = spec(KEY, 'table1')['columns']
    ordered = sorted(models, key=lambda model: -named(paper[name], model).value)
    found, stated = [ordered[0], ordered[-1]], spec(KEY, name)['extremes']
    texts = {'found': ' and '.join(found), 'stated': ' and '.join(stated)}
    return [found == stated, found != stated], texts


for _name in ('figure3', 'figure4'):
    sentence(
        KEY,
        _name,
        'The order of the first and the last model is that of the paper: {found}.',
        'The first and the last model are {found}; in the paper they are {stated}.',
    )(functools.partial(extremes, name=_name))
