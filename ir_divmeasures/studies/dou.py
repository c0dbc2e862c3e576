"""Dou et al. (IRJ 2019): hierarchies of subintents and similarities of documents in place of intents made by hand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..evaluation.evaluate import evaluate
from ..judgments.hierarchy import Dendrograms, build_hierarchy
from ..judgments.qrels import topic_level
from ..judgments.similarity import with_similarity
from ..judgments.superintents import with_superintents
from ..judgments.texts import relevant_rows, texts
from ..lazy import pd
from ..meta.correlation import tau_ap
from ..meta.resampling import chance_pvalue
from ..meta.robustness import topic_weights
from ..meta.significance import discriminative_power
from .contrasts import named
from .declarations import Cells, Choice, load, rule, sentence, spec, table
from .paper import Paper
from .quantities import Part, Quantity, above, exact, share, short
from .workspace import Workspace

KEY = 'dou-2019'
CUTOFFS = [f'δ={n / 10:g}' for n in range(8)]
FLAT, HD = 'Dsharp_nDCG@20', 'HDsharp_nDCG@20'
SHUFFLES = 19
AT_ZERO = 'largest difference of scores at δ = 0 from the flat measure or SUP'

Array = np.ndarray


def documents(work: Workspace) -> dict[str, str]:
    return texts(work.need('docs'), relevant_rows(work.qrels, 1)['doc_id'])


def trees(work: Workspace) -> dict[str, Dendrograms]:
    """The clusters by each similarity."""
    docs, kinds = work.once(documents), {'SimHash': 'simhash', 'TF-IDF': 'tfidf'}
    return {name: Dendrograms(work.qrels, docs, similarity=kinds[name]) for name in kinds}


def superintents(work: Workspace) -> pd.DataFrame | None:
    """The judgments with superintents, None if there are none."""
    above_them = work.further.get('superintents')
    return None if above_them is None else with_superintents(work.qrels, above_them)


def measured(work: Workspace, qrels: Any, *names: str) -> list[Array]:
    """The scores by each measure, (systems, topics)."""
    found = evaluate(work.runs, qrels, list(names))
    values = dict(zip(dict.fromkeys(names), found.values[:, np.argsort(found.queries)].T))
    return [values[name].T for name in names]


def scores(work: Workspace) -> dict[tuple[str, str], Array]:
    """The scores of Tables 3 and 4, by row and column of Table 4."""
    simhash, above_them = work.once(trees)['SimHash'], work.once(superintents)
    docs, known = work.once(documents), load(KEY)['measures']
    similar = with_similarity(work.qrels, docs)
    kinds = dict.fromkeys(known, similar) | {'flat': work.qrels, 'nDCG': work.qrels}
    for weighting in ('WI', 'WD'):
        kinds[weighting] = simhash.cut(weighting=weighting)
        if above_them is not None:
            kinds['SUP'] = above_them
            kinds[f'SUP+{weighting}'] = simhash.cut(above_them, weighting=weighting)
    kinds['TL'] = Dendrograms(topic_level(work.qrels), docs, level='topic').cut()
    scored: dict[tuple[str, str], Array] = {}
    for kind, qrels in kinds.items():
        measures = known.get(kind, load(KEY)['layered'])
        found = measured(work, qrels, *measures.values())
        scored |= {(row, kind): values for row, values in zip(measures, found)}
    return scored


def power(work: Workspace, scored: Mapping[Any, Array]) -> dict[Any, tuple[Quantity, float]]:
    """Significantly different pairs by the paired bootstrap, and the difference needed.

    The error over topics is that of the count by the t test, which takes a hundredth of the time.
    """
    from scipy.special import stdtrit

    n, values = len(work.topics), np.stack(list(scored.values()), axis=2)
    rng = work.rng(f'{KEY} power')
    found: Any = discriminative_power(values, 'bootstrap', correction=None, rng=rng)
    weights, critical = topic_weights(work.resamples, n).T, stdtrit(n - 1, 1 - 0.05 / 2) ** 2
    counts = {}
    for m, key in enumerate(scored):
        z = np.subtract(*values[found.pairs.T, :, m])
        mean, square = z @ weights, np.square(z) @ weights
        again = (np.square(mean) * (n - 1 + critical) > square * critical + 1e-16).sum(axis=0)
        count = Quantity.resampled(found.counts[m], again, n, len(z))
        counts[key] = count, float(found.delta[m])
    return counts


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    scored, part, pairs = work.once(scores), spec(KEY, 'table3'), {}
    names = {name: tuple(key) for name, key in part['names'].items()}
    for block, each in part['blocks'].items():
        for row, line in zip(each['rows'], each['cells']):
            for column, number in zip(each['columns'], line):
                if number is not None and {names[row], names[column]} <= scored.keys():
                    pairs[block, row, column] = names[row], names[column]
    for row in load(KEY)['layered']:
        pairs['weightings', row, 'WI with WD'] = (row, 'WI'), (row, 'WD')
    sides = [np.array([scored[key] for key in side]) for side in zip(*pairs.values())]

    def statistic(topics: Array) -> Any:
        return tau_ap(*(side[:, :, topics].mean(axis=2) for side in sides), symmetric=True)

    return work.resampled(statistic, list(pairs), limit=1)


@table(KEY, 'table4')
def table4(work: Workspace) -> Cells:
    cells: dict[Any, Any] = {}
    counts = power(work, work.once(scores))
    for block, part in spec(KEY, 'table4')['blocks'].items():
        for row, kind in itertools.product(part['rows'], part['columns'][::2]):
            if (row, kind) in counts:
                cells[block, row, kind], cells[block, row, f'{kind} Δ'] = counts[row, kind]
    return cells


@table(KEY, 'table8')
def table8(work: Workspace) -> Cells:
    part = spec(KEY, 'table8')
    ranked = ([*'1234567', *(cell[:2] for cell in line)] for line in part['cells'])
    runs = {
        row: {'110': dict(zip(ids, range(10, 0, -1)))} for row, ids in zip(part['rows'], ranked)
    }
    qrels = {'110': part['judged']}
    built = build_hierarchy(qrels, similarity=part['vectors'])
    return {
        (row, name): short(value)
        for name, judged, measure in (
            ('D#-nDCG', qrels, 'Dsharp_nDCG@10'),
            ('HD#-nDCG', built, 'HDsharp_nDCG@10'),
        )
        for row, value in zip(runs, evaluate(runs, judged, measure).values[:, 0, 0])
    }


@table(KEY, 'figure7')
def figure7(work: Workspace) -> Cells:
    edges, names = np.arange(10) / 10, work.once(trees)
    counts = np.zeros((len(names), len(edges), len(work.topics)))
    for own, name in zip(counts, names):
        for group in names[name].groups:
            values = group.similarity[np.triu_indices(len(group.rows), 1)].round(9)
            own[:, work.topics.index(group.query)] += np.histogram(values, [*edges, 2])[0]

    def statistic(topics: Array) -> Array:
        several = counts[:, :, topics].sum(axis=2)
        return several / np.maximum(several.sum(axis=1, keepdims=True), 1)

    cells = [(f'from={edge:g}', name) for name, edge in itertools.product(names, edges)]
    return work.resampled(statistic, cells)


@table(KEY, 'figure8')
def figure8(work: Workspace) -> Cells:
    above_them, scored, apart = work.once(superintents), {}, {}
    (flat,) = measured(work, work.qrels, FLAT)
    for curve, settings in spec(KEY, 'figure8')['curves'].items():
        base, top = flat, None
        if curve == 'SUP+WI':
            if above_them is None:
                continue
            (base,), top = measured(work, above_them, HD), above_them
        clusters = work.once(trees)['TF-IDF' if curve == 'TF-IDF' else 'SimHash']
        for cutoff in CUTOFFS:
            built = clusters.cut(top, cutoff=float(cutoff[2:]), **settings)
            (scored[cutoff, curve],) = measured(work, built, HD)
        apart[AT_ZERO, curve] = float(np.abs(scored[CUTOFFS[0], curve] - base).max())
    return {key: count for key, (count, _) in power(work, scored).items()} | apart


@table(KEY, 'shuffled')
def shuffled(work: Workspace) -> Cells:
    """A control: documents that are relevant to the same intents exchange their similarities."""
    clusters, rng = work.once(trees)['SimHash'], work.rng(f'{KEY} shuffled')
    several = [clusters, *(clusters.exchanged(rng) for _ in range(SHUFFLES))]
    scored = {n: measured(work, each.cut(), HD)[0] for n, each in enumerate(several)}
    own, *others = (count for count, _ in power(work, scored).values())
    counts = [count.value for count in others]
    chance = float(chance_pvalue(own.value, counts))
    columns = {
        'WI': own,
        'shuffled, least': int(min(counts)),
        'most': int(max(counts)),
        'p': chance,
    }
    return {('D#-nDCG (HD)', column): cell for column, cell in columns.items()}


# --------------------------------------------------------------------------------------------------------------- rules


@rule(KEY, 'd01')
def flat_at_zero(paper: Paper) -> Iterator[Part]:
    apart = {curve: cell for (row, curve), cell in paper['figure8'].items() if row == AT_ZERO}
    worst = max(apart.values())
    yield exact(worst < 1e-12, f'largest difference of scores {worst:.0e} ({", ".join(apart)})')


@rule(KEY, 'd10')
def both_together(paper: Paper) -> Iterator[Part]:
    paper.work.need('superintents')
    block = 'with intents'
    part, cells = spec(KEY, 'table4')['blocks'][block], paper['table4']
    best = [
        max(part['columns'][::2], key=lambda kind: cells[block, row, kind].value)
        for row in part['rows']
    ]
    yield share(sum(kind.startswith('SUP+') for kind in best), len(best), 'measures: ')


@rule(KEY, 'd16')
def best_cutoffs(paper: Paper) -> Iterator[Part]:
    cells = paper['figure8']
    for curve, cutoff in spec(KEY, 'figure8')['best'].items():
        if (cutoff, curve) in cells:
            others = named(cells, curve, [each for each in CUTOFFS if each != cutoff])
            yield above(cells[cutoff, curve], others, f'{curve} at {cutoff}: ')


@rule(KEY, 'd23')
def preferred(paper: Paper) -> Iterator[Part]:
    cells = paper['table8']
    for name, wanted in (('D#-nDCG', 0), ('HD#-nDCG', 1)):
        one, other = (value for (_, column), value in cells.items() if column == name)
        yield exact(np.sign(float(one) - float(other)) == wanted, f'{name} {one} and {other}')


@sentence(
    KEY,
    'figure8',
    'WI separates most pairs at {at} ({most} of {total}; the flat measure {flat}).',
    'At no δ does WI separate more pairs than the flat measure ({flat} of {total}).',
)
def peak(paper: Paper) -> Choice:
    counts = {cutoff: paper['figure8'][cutoff, 'WI'] for cutoff in CUTOFFS}
    at = max(CUTOFFS, key=lambda cutoff: counts[cutoff].value)
    most, flat = counts[at], counts[CUTOFFS[0]]
    numbers = {'at': at, 'most': most, 'flat': flat, 'total': flat.total}
    return [most.value > flat.value, most.value <= flat.value], numbers
