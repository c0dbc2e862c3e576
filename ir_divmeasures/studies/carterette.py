"""Carterette (SIGIR 2011): measures of four user models when judgments, topics or pools change."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.stopping.registries import get
from ..judgments.qrels import topic_level
from ..meta.robustness import pair_signs, tau_of_signs, topic_weights
from ..pools.pool import Pool
from ..users.profile import cells as combinations
from .contrasts import named
from .declarations import load, rule, sentence, spec, table
from .paper import Paper
from .quantities import NotTestableError, Part, above, exact, short, span
from .workspace import Workspace

KEY = 'carterette-2011'
STATIC, DYNAMIC = ('P_RBP', 'P_DCG', 'P_RR'), ('P_ERR', 'P_AP', 'P_RRR')
MEASURES = [
    *itertools.product(STATIC, ('M1', 'M2', 'M4')),
    *itertools.product(DYNAMIC, ('M3', 'M4')),
]
COLUMNS = ('M1', 'M2', 'M3', 'M4', 'slim', 'medium', 'fat')
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50)
KEPT, ADDED, HIGH = 0.65, 0.25, 2  # simulated assessors; the grade of a strict one, and of pages
TRIALS, FEWER, PAGE_TRIALS = 100, 20, 20  # on the topics, on each resample of them, for each page
PAGE_RESAMPLES = 40

Cells = dict[Any, Any]
Study = Callable[[np.ndarray], np.ndarray]
"""A function of topics that returns τ, (measures, levels)."""


class Index(NamedTuple):
    """The judged documents that systems retrieve, by system, topic and rank. H of them, P judged pairs.

    Attributes:
        row: (H,) system · number of topics + topic.
        rank, pair: (H,) rank from 1, and number of the pair of topic and document.
        topic, grade: (P,) of each pair.
        others: (P,) grades by each further assessor.
        shape: numbers of systems and topics.
    """

    row: np.ndarray
    rank: np.ndarray
    pair: np.ndarray
    topic: np.ndarray
    grade: np.ndarray
    others: Sequence[np.ndarray]
    shape: tuple[int, int]


def index(work: Workspace) -> Index:
    """Read the rankings once, for all judgments."""
    pairs, key = work.topic_qrels, ['query_id', 'doc_id']
    others = [topic_level(each) for each in work.further.get('assessors', ())]
    for n, other in enumerate(others, 1):
        if missing := len(set(work.topics) - set(other['query_id'])):
            raise ValueError(f'assessor {n} has no judgments of {missing} topics; expected all')
        other = other[other['query_id'].isin(work.topics)].rename(columns={'relevance': str(n)})
        pairs = pairs.merge(other, 'outer', key).fillna(0)
    pool = Pool.from_runs(work.runs, depth=None).over(pairs[[*key, 'relevance']])
    system, pair = np.nonzero(pool.rank)
    rank, topic = pool.rank[system, pair], pool.collection.query_of_pair
    row = system * len(work.topics) + topic[pair]
    order = np.lexsort((rank, row))
    grade, *grades = (pairs[name].to_numpy() for name in pairs.columns[2:])
    return Index(row[order], rank[order], pair[order], topic, grade, grades, pool.n.shape)


def scores(found: Index, relevant: np.ndarray) -> np.ndarray:
    """The scores of all measures, (measures, systems, topics), by judgments that are 0 or 1 for each pair."""
    systems, topics = found.shape
    hits = relevant[found.pair]
    row, rank = found.row[hits], found.rank[hits]
    number = np.arange(len(row)) - np.searchsorted(row, row) + 1  # R_k
    total = np.bincount(found.topic[relevant], minlength=topics)
    ranks = np.arange(1, max(rank.max(initial=1), total.max()) + 1)
    tables: dict[tuple[str, str], np.ndarray] = {}
    for name in STATIC:
        P, F = (values[1:-1] for values in get(name[2:]).by_rank(len(ranks)))
        # M4: a relevant document counts for all who stop at its rank or below
        below = get(name[2:]).mean_reciprocal() - np.cumsum(P / ranks) + P / ranks
        tables |= {(name, 'M1'): P, (name, 'M2'): F, (name, 'M4'): below}
    weights = {cell: by_rank[rank - 1] for cell, by_rank in tables.items()}
    stops = {
        'P_ERR': tables['P_RBP', 'M1'][number - 1],
        'P_RRR': tables['P_RR', 'M1'][number - 1],
        'P_AP': 1 / np.maximum(total, 1)[row % topics],
    }
    for name, stop in stops.items():
        weights |= {(name, 'M3'): stop / rank, (name, 'M4'): stop * number / rank}
    values = np.array([np.bincount(row, weights[cell], systems * topics) for cell in MEASURES])
    values = values.reshape(-1, systems, topics)
    best = {(name, 'M2'): tables[name, 'M2'].cumsum() for name in STATIC}
    best['P_AP', 'M3'] = (1 / ranks).cumsum() / ranks
    for cell, greatest in best.items():  # of a perfect ranking, by its number of documents
        values[MEASURES.index(cell)] /= np.where(total > 0, greatest[total - 1], 1)
    return values


def full(work: Workspace) -> np.ndarray:
    """The scores by all judgments."""
    found = work.once(index)
    return scores(found, found.grade >= 1)


def against(work: Workspace, others: Sequence[np.ndarray]) -> Study:
    """τ between rankings by all judgments and by each of others, which are 0 or 1 for each pair."""
    scored = [scores(work.once(index), each) for each in others]

    def study(topics: np.ndarray) -> np.ndarray:
        weights = topic_weights(topics[None], len(work.topics))[0]
        ahead, *signs = (pair_signs(each @ weights) for each in (work.once(full), *scored))
        return np.stack([tau_of_signs(ahead, each) for each in signs], 1)

    return study


def samples(work: Workspace, several: Sequence[np.ndarray], trials: int, name: str) -> Study:
    """τ between rankings on all topics and on samples of 5, 10, … of them; trials are shared by the scores."""
    n, rng = len(work.topics), work.rng(f'{KEY} {name}')

    def study(topics: np.ndarray) -> np.ndarray:
        here = trials if len(set(topics)) == n else min(trials, FEWER)
        taus = []
        for scored in several:
            ahead = pair_signs(scored @ topic_weights(topics[None], n).T)
            order = rng.permuted(np.tile(topics, (-(-here // len(several)), 1)), axis=1)
            signs = (
                pair_signs(scored @ topic_weights(order[:, :size], n).T) for size in range(5, n, 5)
            )
            taus.append([tau_of_signs(ahead, each).mean(axis=1) for each in signs])
        return np.mean(taus, axis=0).T

    return study


def sizes(work: Workspace) -> list[str]:
    """The names of the sizes of :func:`samples`."""
    return [f'N={size}' for size in range(5, len(work.topics), 5)]


def groups() -> dict[str, list[int]]:
    """Numbers of the measures of each distribution, kind, tail and model."""
    kinds: dict[str, Sequence[str]] = {P: [P] for P in (*STATIC, *DYNAMIC)}
    kinds |= load(KEY)['groups']['tail'] | load(KEY)['groups']['kind'] | {'mean': [*kinds]}
    found = {
        kind: [n for n, (P, _) in enumerate(MEASURES) if P in names]
        for kind, names in kinds.items()
    }
    for name in COLUMNS[:4]:
        found[name] = [n for n, (_, model) in enumerate(MEASURES) if model == name]
    found['M3, fat'] = [n for n in found['M3'] if n in found['fat']]
    found['M3, slim or medium'] = [n for n in found['M3'] if n not in found['fat']]
    return found


def quantities(
    work: Workspace,
    levels: Sequence[str],
    study: Study,
    names: Mapping[Any, Sequence[int]],
    resamples: int | None = None,
) -> Cells:
    """Mean τ of groups of measures by level, with the error of the study repeated on resamples of the topics."""

    def means(topics: np.ndarray) -> np.ndarray:
        taus = study(topics)
        return np.array([taus[of].mean(axis=0) for of in names.values()]).T

    keys = list(itertools.product(levels, names))
    return work.resampled(means, keys, limit=1, resamples=resamples)


def columns(*further: str) -> dict[str, list[int]]:
    return {name: groups()[name] for name in (*COLUMNS, *further)}


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    known = combinations([P[2:] for P in (*STATIC, *DYNAMIC)])
    known = known[known['marked'].isna()]
    return {(f'P_{row.P}', f'M{row.model}'): row.measure for row in known.itertuples()}


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    found, members = work.once(index), groups()
    relevant = found.grade >= 1
    others = [grade >= 1 for grade in found.others]
    if not others:
        draws = work.rng(f'{KEY} table2').random((2 * work.n_seeds, len(relevant)))
        others = [np.where(relevant, draw < KEPT, draw < ADDED) for draw in draws]
    names: dict[tuple[str, str], list[int]] = {cell: [n] for n, cell in enumerate(MEASURES)}
    for name, places in members.items():
        if 'M3, ' not in name:
            names[('mean', name) if name in COLUMNS[:4] else (name, 'mean')] = places
    for model in ('M3', 'M4'):
        names['mean without P_AP', model] = [n for n in members[model] if n not in members['P_AP']]
    taus = against(work, others)
    main = quantities(work, [''], lambda topics: taus(topics).mean(axis=1, keepdims=True), names)
    cells: Cells = {cell: main['', cell] for cell in names}
    if not found.others and (found.grade >= HIGH).any():
        strict = quantities(work, [''], against(work, [found.grade >= HIGH]), names)
        cells |= {('a strict assessor', *cell): strict['', cell] for cell in names}
    return cells


@table(KEY, 'figure1')
def figure1(work: Workspace) -> Cells:
    both = {P: dict(zip('PF', get(P[2:]).by_rank(100))) for P in STATIC}
    return {
        (f'k={k}', f'{letter}{P[1:]}'): float(both[P][letter][k])
        for k in (1, 2, 3, 5, 10, 20, 50, 100)
        for letter in 'PF'
        for P in STATIC
    }


@table(KEY, 'figure3')
def figure3(work: Workspace) -> Cells:
    study = samples(work, [work.once(full)], TRIALS, 'figure3')
    return quantities(work, sizes(work), study, columns('M3, slim or medium', 'M3, fat'))


@table(KEY, 'figure4')
def figure4(work: Workspace) -> Cells:
    found = work.once(index)
    first = np.full(len(found.grade), np.inf)
    np.minimum.at(first, found.pair, found.rank)
    depths = [depth for depth in DEPTHS if depth == 1 or depth < found.rank.max(initial=1)]
    study = against(work, [(found.grade >= 1) & (first <= depth) for depth in depths])
    return quantities(work, [f'depth={depth}' for depth in depths], study, columns('mean'))


@table(KEY, 'pages')
def pages(work: Workspace) -> Cells:
    """One document of a high grade a topic is relevant, drawn in proportion to Σ 1/rank over the systems."""
    found, rng, several = work.once(index), work.rng(f'{KEY} pages'), []
    chance = np.bincount(found.pair, 1 / found.rank, len(found.grade)) * (found.grade >= HIGH)
    if not chance.any():
        raise NotTestableError(f'needs retrieved documents of grade {HIGH}')
    for _ in range(work.n_seeds):
        # the first exponential arrival at the rates of the chances
        arrival = rng.exponential(size=len(chance)) / np.where(chance > 0, chance, np.nan)
        order = np.lexsort((arrival, found.topic))
        first = order[np.searchsorted(found.topic[order], np.arange(found.shape[1]))]
        sought = np.zeros(len(chance), dtype=bool)
        sought[first[chance[first] > 0]] = True
        several.append(scores(found, sought))
    study = samples(work, several, PAGE_TRIALS * len(several), 'samples for pages')
    return quantities(work, sizes(work), study, columns(), PAGE_RESAMPLES)


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
    P = {name: get(name[2:]).by_rank(1000)[0][[10, 100, 1000]] for name in STATIC}
    for one, other in (('P_DCG', 'P_RR'), ('P_RR', 'P_RBP')):
        ratio = P[one] / P[other]
        told = ', '.join(f'{value:.2g}' for value in ratio)
        yield exact(ratio[0] > 1 and (np.diff(ratio) > 0).all(), f'{one}/{other}: {told}')


@rule(KEY, 'c03')
def largest(paper: Paper) -> Iterator[Part]:
    """All rankings of six documents of which three are relevant, each the ranking of one system."""
    pair = np.array(list(itertools.permutations(range(6))))
    row, column = np.indices(pair.shape)
    none = np.zeros(6, dtype=int)
    found = Index(row.ravel(), column.ravel() + 1, pair.ravel(), none, none, (), (len(pair), 1))
    values = dict(zip(MEASURES, scores(found, np.arange(6) < 3).max(axis=(1, 2))))
    for cell in (*((P, 'M2') for P in STATIC), ('P_AP', 'M3')):
        yield exact(abs(values[cell] - 1) < 1e-12, f'{" ".join(cell)} {short(values[cell])}')


@rule(KEY, 'c04')
def cut(paper: Paper) -> Iterator[Part]:
    relevant = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
    R = relevant.cumsum()
    for name in STATIC:
        P, F = get(name[2:]).by_rank(len(relevant))
        apart = abs(relevant @ F[1:-1] - R @ P[1:-1] - R[-1] * F[-1])
        yield exact(apart < 1e-12, f'{name}: difference {apart:.0e}')


@rule(KEY, 'c05')
def mixture(paper: Paper) -> Iterator[Part]:
    from scipy.special import beta

    P, F = get('RR').by_rank(100)
    for k in (1, 10, 100):
        mean = beta(2, k)  # ∫ θ (1 − θ)^(k−1) dθ
        apart = max(abs(mean - P[k]), abs(1 - P[:k].sum() - 1 / k), abs(F[k] - 1 / k))
        yield exact(apart < 1e-12, f'k = {k}: difference {apart:.0e}')


@rule(KEY, 'c30')
def preferences(paper: Paper) -> Iterator[Part]:
    """The ranking 1, 0 with a uniform P: above rank 2, one document is preferred to the one there, above rank 1 none."""
    R, preferred = np.array([1, 1]), np.array([0, 1])
    for name, model in (('M4', (R / [1, 2]).mean()), ('M2', R.mean())):
        process = preferred.mean()
        yield exact(model == process, f'{name} {short(model)}, expectation {short(process)}')


@rule(KEY, 'c31')
def proportional(paper: Paper) -> Iterator[Part]:
    """The number of concordant pairs by τ, each pair with the probability of stopping at its lower document."""
    points = {2 * concordant / 3 - 1: concordant / 3 for concordant in range(4)}
    told = ', '.join(f'{short(points[tau])} at τ {short(tau)}' for tau in points)
    yield exact(np.ptp([count / tau for tau, count in points.items()]) < 1e-9, told)


# ----------------------------------------------------------------------------------------------------------- sentences


@sentence(
    KEY,
    'table2',
    'Each τ is a mean over {others} further sets of judgments.',
    'Each τ is a mean over {simulated} simulated assessors. They keep a relevant judgment with probability {kept} '
    'and make a relevant one of another with probability {added}.',
)
def assessors(paper: Paper) -> tuple[list[bool], dict[str, Any]]:
    others, simulated = len(paper.work.once(index).others), 2 * paper.work.n_seeds
    numbers = {'others': others, 'simulated': simulated, 'kept': KEPT, 'added': ADDED}
    return [others > 0, others == 0], numbers


def extremes(paper: Paper, name: str) -> tuple[list[bool], dict[str, Any]]:
    """The models of the highest and of the lowest mean."""
    order = sorted(COLUMNS[:4], key=lambda model: -named(paper[name], model).value)
    found, stated = [order[0], order[-1]], spec(KEY, name)['extremes']
    texts = {'found': ' and '.join(found), 'stated': ' and '.join(stated)}
    return [found == stated, found != stated], texts


for _name in ('figure3', 'figure4'):
    sentence(
        KEY,
        _name,
        'The order of the first and the last model is that of the paper: {found}.',
        'The first and the last model are {found}; in the paper they are {stated}.',
    )(functools.partial(extremes, name=_name))
