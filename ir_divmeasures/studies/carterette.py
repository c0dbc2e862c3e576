"""Carterette (SIGIR 2011): measures of four user models when judgments, topics or pools change."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.stopping.registries import get
from ..judgments.qrels import topic_level
from ..judgments.table import Judgments
from ..lazy import pd
from ..meta.robustness import pair_signs, tau_of_signs, topic_weights
from ..users.profile import cells as combinations
from .contrasts import contrasts, named
from .paper import Paper, load, rule, sentence, table
from .quantities import (
    NotTestableError,
    Part,
    Quantity,
    above,
    at_least,
    exact,
    short,
)
from .workspace import Workspace

KEY = 'carterette-2011'
STATIC, DYNAMIC = ('P_RBP', 'P_DCG', 'P_RR'), ('P_ERR', 'P_AP', 'P_RRR')
MEASURES = [(P, model) for P in STATIC for model in ('M1', 'M2', 'M4')]
MEASURES += [(P, model) for P in DYNAMIC for model in ('M3', 'M4')]
THETA = 0.5
DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 50)
KEPT, ADDED, HIGH = 0.65, 0.25, 2  # simulated assessors; the grade of a strict one, and of pages
TRIALS, FEWER, PAGE_TRIALS = 100, 20, 20  # on the topics, on each resample of them, for each page

Cells = dict[tuple[str, ...], Any]
Study = Callable[[np.ndarray, int], np.ndarray]
"""A function of topics and a number of trials that returns τ, (measures, levels)."""


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
    others: list[np.ndarray]
    shape: tuple[int, int]


def index(work: Workspace) -> Index:
    """Read the rankings once, for all judgments."""
    names = ['query_id', 'doc_id', 'relevance']
    others = [topic_level(each)[names] for each in work.further.get('assessors', ())]
    pairs = pd.concat([work.topic_qrels[names], *(each.assign(relevance=0) for each in others)])
    pairs = pairs[pairs['query_id'].isin(work.topics)].drop_duplicates(names[:2])
    judgments = Judgments.of(pairs.sort_values('query_id', kind='stable'))
    collection, found = judgments.collection, []
    for system, run in enumerate(work.runs.values()):
        hits = collection.read(run).located()
        row = system * len(work.topics) + collection.query_of_pair[hits.pair]
        found.append(np.array([row, hits.rank, hits.pair], dtype=np.intp))
    grades = []
    for other in others:
        pair, known = collection.pair_of(*collection.numbers_of(other['query_id'], other['doc_id']))
        grades.append(np.zeros(len(pairs)))
        grades[-1][pair[known]] = other['relevance'].to_numpy()[known]
    row, rank, pair = np.concatenate(found, axis=1)
    shape = len(work.runs), len(work.topics)
    return Index(row, rank, pair, collection.query_of_pair, judgments.pair_grades, grades, shape)


def scores(found: Index, relevant: np.ndarray) -> np.ndarray:
    """The scores of all measures, (measures, systems, topics), by judgments that are 0 or 1 for each pair."""
    systems, topics = found.shape
    hits = relevant[found.pair]
    row, rank = found.row[hits], found.rank[hits]
    number = np.arange(len(row)) - np.searchsorted(row, row) + 1  # R_k
    total = np.bincount(found.topic[relevant], minlength=topics)
    deepest = int(max(rank.max(initial=1), total.max()))
    ranks = np.arange(1, deepest + 1)
    P, F = ({P: get(P[2:]).by_rank(deepest, THETA)[which][1:] for P in STATIC} for which in (0, 1))
    stops = {
        'P_ERR': P['P_RBP'][number - 1],
        'P_RRR': P['P_RR'][number - 1],
        'P_AP': 1 / np.maximum(total, 1)[row % topics],
    }
    values = np.empty((len(MEASURES), systems * topics))
    for place, (name, model) in enumerate(MEASURES):
        best = None
        if name in stops:
            weight = stops[name] * (number if model == 'M4' else 1) / rank
            if (name, model) == ('P_AP', 'M3'):
                best = 1 / ranks / np.maximum(total, 1)[:, None]
        else:
            of_rank = {'M1': P[name][:-1], 'M2': F[name][:-1]}.get(model)
            if (
                of_rank is None
            ):  # M4: what is found at a rank counts for all who stop there or below
                above_rank = np.cumsum(P[name][:-1] / ranks) - P[name][:-1] / ranks
                of_rank = get(name[2:]).mean_reciprocal(THETA) - above_rank
            weight = of_rank[rank - 1]
            best = of_rank if model == 'M2' else None
        values[place] = np.bincount(row, weight, systems * topics)
        if best is not None:
            greatest = (best * (ranks <= total[:, None])).sum(axis=1)
            values[place] /= np.tile(np.where(total > 0, greatest, 1), systems)
    return values.reshape(-1, systems, topics)


def full(work: Workspace) -> np.ndarray:
    """The scores by all judgments."""
    found = work.once(index)
    return scores(found, found.grade >= 1)


def grouped(
    work: Workspace, study: Study, groups: Mapping[Any, Iterable[int]], trials: int = 1
) -> dict[Any, list[Quantity]]:
    """Mean τ of groups of measures by level, with the errors of the study repeated on resamples of the topics."""
    n = len(work.topics)
    values = study(np.arange(n), trials)
    again = np.array([study(sample, min(trials, FEWER)) for sample in work.resamples])
    return {
        group: [
            Quantity.resampled(values[members, level].mean(), again[:, members, level].mean(1), n)
            for level in range(values.shape[1])
        ]
        for group, members in ((group, list(members)) for group, members in groups.items())
    }


def against(work: Workspace, others: Sequence[np.ndarray], together: bool = False) -> Study:
    """τ between rankings by all judgments and by others; ``together``: the mean over the others, as one level."""
    scored = [scores(work.once(index), each) for each in others]

    def study(topics: np.ndarray, trials: int) -> np.ndarray:
        weights = topic_weights(topics[None], len(work.topics))[0]
        ahead = pair_signs(work.once(full) @ weights)
        taus = np.stack(
            [tau_of_signs(ahead, pair_signs(each @ weights)) for each in scored], axis=1
        )
        return taus.mean(axis=1, keepdims=True) if together else taus

    return study


def samples(work: Workspace, several: Sequence[np.ndarray], name: str) -> tuple[list[str], Study]:
    """Names of the sizes, and τ between rankings on all topics and on samples; trials are shared by the scores."""
    n, rng = len(work.topics), work.rng(f'{KEY} {name}')
    sizes = range(5, n, 5)

    def study(topics: np.ndarray, trials: int) -> np.ndarray:
        each = -(-trials // len(several))
        taus = np.empty((len(several), len(MEASURES), len(sizes)))
        everything = topic_weights(topics[None], n)[0]
        for place, scored in enumerate(several):
            ahead = pair_signs(scored @ everything)[..., None]
            order = rng.permuted(np.tile(topics, (each, 1)), axis=1)
            for level, size in enumerate(sizes):
                signs = pair_signs(scored @ topic_weights(order[:, :size], n).T)
                taus[place, :, level] = tau_of_signs(ahead, signs).mean(axis=1)
        return taus.mean(axis=0)

    return [f'N={size}' for size in sizes], study


def groups_of_measures() -> dict[str, list[int]]:
    """Numbers of the measures of each model, distribution, tail and kind."""
    groups: dict[str, list[int]] = {}
    kinds = {P: [name for part in load(KEY)['groups'].values() for name, Ps in part.items() if P in Ps]
             for P in (*STATIC, *DYNAMIC)}  # fmt: skip
    for place, (P, model) in enumerate(MEASURES):
        third = ['M3, fat' if P == 'P_AP' else 'M3, slim or medium'] * (model == 'M3')
        for name in (model, P, *kinds[P], 'mean', *third):
            groups.setdefault(name, []).append(place)
    return groups


def by_level(
    work: Workspace, levels: Sequence[str], study: Study, names: Sequence[str], trials: int = 1
) -> Cells:
    """A table of levels and groups of measures."""
    groups = groups_of_measures()
    means = grouped(work, study, {name: groups[name] for name in names}, trials)
    return {(level, name): means[name][n] for n, level in enumerate(levels) for name in names}


COLUMNS = ('M1', 'M2', 'M3', 'M4', 'slim', 'medium', 'fat')


@table(KEY, 'table1')
def table1(work: Workspace) -> Cells:
    known = combinations([P[2:] for P in (*STATIC, *DYNAMIC)])
    known = known[known['marked'].isna()]
    return {(f'P_{row.P}', f'M{row.model}'): row.measure for row in known.itertuples()}


@table(KEY, 'table2')
def table2(work: Workspace) -> Cells:
    found, groups = work.once(index), groups_of_measures()
    relevant = found.grade >= 1
    others = [grade >= 1 for grade in found.others]
    if not others:
        draws = work.rng(f'{KEY} table2').random((2 * work.n_seeds, len(relevant)))
        others = [np.where(relevant, draw < KEPT, draw < ADDED) for draw in draws]
    members: dict[tuple[str, ...], list[int]] = {
        cell: [place] for place, cell in enumerate(MEASURES)
    }
    for name, places in groups.items():
        members[('mean', name) if name[:1] == 'M' else (name, 'mean')] = places
    for model in ('M3', 'M4'):
        members['mean without P_AP', model] = [
            place for place in groups[model] if MEASURES[place][0] != 'P_AP'
        ]
    members = {cell: places for cell, places in members.items() if cell[1][:3] != 'M3,'}
    cells: Cells = {}
    if (found.grade >= HIGH).any() and not found.others:
        strict = grouped(work, against(work, [found.grade >= HIGH]), members)
        cells = {('a strict assessor', *cell): tau for cell, (tau,) in strict.items()}
    main = grouped(work, against(work, others, together=True), members)
    return {cell: tau for cell, (tau,) in main.items()} | cells


@table(KEY, 'figure1')
def figure1(work: Workspace) -> Cells:
    ranks = (1, 2, 3, 5, 10, 20, 50, 100)
    both = {P: get(P[2:]).by_rank(ranks[-1], THETA) for P in STATIC}
    return {
        (f'k={k}', f'{letter}{P[1:]}'): float(both[P][which][k])
        for k in ranks
        for which, letter in enumerate('PF')
        for P in STATIC
    }


@table(KEY, 'figure3')
def figure3(work: Workspace) -> Cells:
    columns = (*COLUMNS, 'M3, slim or medium', 'M3, fat')
    return by_level(work, *samples(work, [work.once(full)], 'figure3'), columns, TRIALS)


@table(KEY, 'figure4')
def figure4(work: Workspace) -> Cells:
    found = work.once(index)
    first = np.full(len(found.grade), np.inf)
    np.minimum.at(first, found.pair, found.rank)
    depths = [depth for depth in DEPTHS if depth == 1 or depth < found.rank.max(initial=1)]
    study = against(work, [(found.grade >= 1) & (first <= depth) for depth in depths])
    return by_level(work, [f'depth={depth}' for depth in depths], study, (*COLUMNS, 'mean'))


@table(KEY, 'pages')
def pages(work: Workspace) -> Cells:
    """One document of a high grade a topic is relevant, drawn in proportion to Σ 1/rank over the systems."""
    found, rng = work.once(index), work.rng(f'{KEY} pages')
    high = found.grade >= HIGH
    if not high.any():
        raise NotTestableError(f'needs documents of grade {HIGH}')
    chance = np.bincount(found.pair, 1 / found.rank, len(high)) * high
    several = []
    for _ in range(work.n_seeds):
        # the largest of log(chance) + Gumbel is a draw in proportion to the chances
        key = np.where(chance > 0, np.log(np.maximum(chance, 1e-300)), -np.inf)
        order = np.lexsort((key + rng.gumbel(size=len(key)), found.topic))
        last = order[np.searchsorted(found.topic[order], np.arange(found.shape[1]), 'right') - 1]
        sought = np.zeros(len(high), dtype=bool)
        sought[last[chance[last] > 0]] = True
        several.append(scores(found, sought))
    trials = PAGE_TRIALS * len(several)
    return by_level(work, *samples(work, several, 'pages trials'), COLUMNS, trials)


# --------------------------------------------------------------------------------------------------------------- rules


rule(KEY, *(f'c{n:02}' for n in (*range(7, 18), *range(19, 30))))(contrasts)


@rule(KEY, 'c18')
def tails_between(paper: Paper) -> Iterator[Part]:
    topics, assessors = (
        named(cells, 'fat', rows) - named(cells, 'slim', rows)
        for cells, rows in (
            (paper[name], list(dict.fromkeys(key[0] for key in paper[name])))
            for name in ('figure3', 'table2')
        )
    )
    yield above(assessors, topics, 'fat − slim: ')


@rule(KEY, 'c33')
def smallest(paper: Paper) -> Iterator[Part]:
    taus = [tau for name in ('table2', 'figure3', 'figure4') for tau in paper[name].values()]
    yield at_least(min(taus, key=lambda tau: tau.value), 'smallest τ ')


@rule(KEY, 'c01')
def negligible(paper: Paper) -> Iterator[Part]:
    left = {n: 1 / np.log2(n + 2) for n in (10**3, 10**6)}
    told = ', '.join(f'{value:.4f} at n = {n}' for n, value in left.items())
    yield exact(max(left.values()) < 0.01, told)


@rule(KEY, 'c02')
def fatter(paper: Paper) -> Iterator[Part]:
    at = [10, 100, 1000]
    P = {name: get(name[2:]).by_rank(at[-1], THETA)[0][at] for name in STATIC}
    for one, other in (('P_DCG', 'P_RR'), ('P_RR', 'P_RBP')):
        ratio = P[one] / P[other]
        told = ', '.join(f'{value:.4g}' for value in ratio)
        yield exact(ratio[0] > 1 and (np.diff(ratio) > 0).all(), f'{one}/{other}: {told}')


@rule(KEY, 'c03')
def largest(paper: Paper) -> Iterator[Part]:
    """All rankings of six documents of which three are relevant, each the ranking of one system."""
    orders = np.array(list(itertools.permutations(range(6))))
    row = np.repeat(np.arange(len(orders)), 6)
    rank, zeros = np.tile(np.arange(1, 7), len(orders)), np.zeros(6, dtype=int)
    found = Index(row, rank, orders.ravel(), zeros, zeros, [], (len(orders), 1))
    values = scores(found, np.arange(6) < 3).max(axis=(1, 2))
    normalised = [n for n, cell in enumerate(MEASURES) if cell[1] == 'M2' or cell == ('P_AP', 'M3')]
    told = f'{short(values[normalised].min())} to {short(values[normalised].max())}'
    yield exact(np.allclose(values[normalised], 1, atol=1e-12), f'{len(orders)} rankings: {told}')


@rule(KEY, 'c04')
def cut(paper: Paper) -> Iterator[Part]:
    relevant, worst = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1]), 0.0
    for name in STATIC:
        P, F = get(name[2:]).by_rank(len(relevant), THETA)
        R = relevant.cumsum()
        both = (relevant * F[1:-1]).sum(), (R * P[1:-1]).sum() + R[-1] * F[-1]
        worst = max(worst, abs(both[0] - both[1]))
    yield exact(worst < 1e-12, f'largest difference {worst:.0e}')


@rule(KEY, 'c05')
def mixture(paper: Paper) -> Iterator[Part]:
    from scipy.integrate import quad

    P, F = get('RR').by_rank(100)
    at = (1, 10, 100)
    means = [quad(lambda t, k=k: t * (1 - t) ** (k - 1), 0, 1)[0] for k in at]
    apart = max(abs(mean - P[k]) for mean, k in zip(means, at))
    tails = np.abs(1 - np.append(0, P[1:-1].cumsum()) - F[1:]).max()
    yield exact(max(apart, tails) < 1e-12, f'largest difference {max(apart, tails):.0e}')


@rule(KEY, 'c30')
def preferences(paper: Paper) -> Iterator[Part]:
    """The ranking 1, 0 with a uniform P: pairs of a document above the stopping rank that is preferred to the one at it."""
    relevant = np.array([1, 0])
    preferred = np.array([relevant[:k] > relevant[k] for k in range(2)], dtype=object)
    ones = np.mean([part.mean() if len(part) else 0 for part in preferred])
    every = np.mean([part.sum() for part in preferred])
    R = relevant.cumsum()
    for name, model, process in (
        ('M4', (R / [1, 2]).mean(), ones),
        ('M2', R.mean(), every),
    ):
        yield exact(model == process, f'{name} {short(model)}, expectation {short(process)}')


@rule(KEY, 'c31')
def proportional(paper: Paper) -> Iterator[Part]:
    pairs = list(itertools.combinations(range(3), 2))
    points = set()
    for order in itertools.permutations(range(3)):
        concordant = sum(order[i] < order[j] for i, j in pairs)
        points.add((2 * concordant / len(pairs) - 1, concordant / 3))
    told = ', '.join(f'{short(count)} at τ {short(tau)}' for tau, count in sorted(points))
    yield exact(len({round(count / tau, 9) for tau, count in points if tau}) == 1, told)


# ----------------------------------------------------------------------------------------------------------- sentences


@sentence(
    KEY,
    'table2',
    (lambda f: f['others'], 'Each τ is a mean over {others} further sets of judgments.'),
    (
        lambda f: not f['others'],
        'Each τ is a mean over {simulated} simulated assessors. They keep a relevant judgment with probability {kept} '
        'and make a relevant one of another with probability {added}.',
    ),
)
def assessors(paper: Paper) -> Mapping[str, Any]:
    others, simulated = len(paper.work.once(index).others), 2 * paper.work.n_seeds
    return {'others': others, 'simulated': simulated, 'kept': KEPT, 'added': ADDED}


def extremes(paper: Paper, identifier: str, best: str, worst: str) -> Mapping[str, Any]:
    """The models of the highest and the lowest mean, with those that the paper names."""
    cells = paper[identifier]
    rows = list(dict.fromkeys(key[0] for key in cells))
    order = sorted((named(cells, model, rows).value, model) for model in ('M1', 'M2', 'M3', 'M4'))
    (low, last), *_, (high, first) = order
    facts = {'best': first, 'worst': last, 'high': short(high), 'low': short(low)}
    return facts | {'named': (best, worst), 'texts': f'{best} and {worst}'}


for _identifier, *_named in (('figure3', 'M2', 'M3'), ('figure4', 'M1', 'M2')):
    sentence(
        KEY,
        _identifier,
        (
            lambda f: (f['best'], f['worst']) == f['named'],
            'As in the paper, {best} has the highest mean τ of the models ({high}) and {worst} the lowest ({low}).',
        ),
        (
            lambda f: (f['best'], f['worst']) != f['named'],
            '{best} has the highest mean τ of the models ({high}) and {worst} the lowest ({low}). The paper names {texts}.',
        ),
    )(lambda paper, args=(_identifier, *_named): extremes(paper, *args))
