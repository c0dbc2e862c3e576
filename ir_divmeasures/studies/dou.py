"""Dou et al. (IRJ 2019): hierarchies of subintents and similarities of documents in place of intents made by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores
from ..judgments.hierarchy import Dendrograms
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
from .declarations import rule, sentence, spec, table
from .paper import Paper
from .quantities import Part, Quantity, above, exact, share, short
from .workspace import Workspace

KEY = 'dou-2019'
FLAT = {
    'I-rec': 'StRecall@20',
    'α-nDCG': 'alpha_nDCG@20',
    'ERR-IA': 'ERR_IA@20',
    'Q-IA': 'Q_IA@20',
    'D#-nDCG': 'Dsharp_nDCG@20',
    'D#-Q': 'Dsharp_Q@20',
}
LAYERED = {
    'I-rec': 'I_rec_LA@20',
    'α-nDCG': 'alpha_nDCG_LA@20',
    'ERR-IA': 'ERR_IA_LA@20',
    'Q-IA': 'Q_IA_LA@20',
    'D#-nDCG (LA)': 'Dsharp_nDCG_LA@20',
    'D#-Q (LA)': 'Dsharp_Q_LA@20',
    'D#-nDCG (HD)': 'HDsharp_nDCG@20',
    'D#-Q (HD)': 'HDsharp_Q@20',
    'D#-nDCG (LAD)': 'LADsharp_nDCG@20',
    'D#-Q (LAD)': 'LADsharp_Q@20',
}
HD = {'HD': LAYERED['D#-nDCG (HD)']}
SCHEMES = ('RA', 'RP', 'NA', 'NP')
CUTOFFS = [f'δ={n / 10:g}' for n in range(8)]
CURVES: dict[str, dict[str, Any]] = {
    'WI': {},
    'WD': {'weighting': 'WD'},
    'raw': {'raw': True},
    'TF-IDF': {},
    'SUP+WI': {},
}
B, SHUFFLES = 1000, 19
AT_ZERO = 'largest difference of scores at δ = 0 from the flat measure or SUP'

Cells = dict[Any, Any]
Scored = dict[tuple[str, str], np.ndarray]
"""Scores (systems, topics) by the name of a measure and of the judgments."""


def documents(work: Workspace) -> dict[str, str]:
    return texts(work.need('docs'), relevant_rows(work.qrels, 1)['doc_id'])


def simhash(work: Workspace) -> Dendrograms:
    return Dendrograms(work.qrels, work.once(documents))


def tfidf(work: Workspace) -> Dendrograms:
    return Dendrograms(work.qrels, work.once(documents), similarity='tfidf')


def superintents(work: Workspace) -> pd.DataFrame | None:
    """The judgments with superintents, None if there are none."""
    above_them = work.further.get('superintents')
    return None if above_them is None else with_superintents(work.qrels, above_them)


def tops(work: Workspace) -> dict[str, pd.DataFrame]:
    """The first 20 documents of each ranking, which are all that the measures read."""
    columns, ascending = ['query_id', 'score', 'doc_id'], [True, False, False]
    return {
        system: run.sort_values(columns, ascending=ascending).groupby('query_id').head(20)
        for system, run in work.runs.items()
    }


def evaluated(work: Workspace, kinds: Mapping[str, Any], measures: Mapping[str, str]) -> Scored:
    """The scores of measures with judgments of several kinds."""
    scored: Scored = {}
    for kind, qrels in kinds.items():
        found = evaluate(work.once(tops), qrels, list(measures.values()))
        values = found.values[:, [found.queries.index(topic) for topic in work.topics]]
        scored |= {(name, kind): values[:, :, n] for n, name in enumerate(measures)}
    return scored


def scores(work: Workspace) -> Scored:
    """The scores of Tables 3 and 4."""
    trees, docs, above_them = work.once(simhash), work.once(documents), work.once(superintents)
    kinds = {'WI': trees.cut(), 'WD': trees.cut(weighting='WD')}
    if above_them is not None:
        kinds['SUP'] = above_them
        kinds['SUP+WI'] = trees.cut(above_them)
        kinds['SUP+WD'] = trees.cut(above_them, weighting='WD')
    kinds['TL'] = Dendrograms(topic_level(work.qrels), docs, level='topic').cut()
    found = evaluated(work, {'flat': work.qrels}, FLAT | {'nDCG': 'nDCG@20'})
    found |= evaluated(work, kinds, LAYERED)
    similar = with_similarity(work.qrels, docs)
    for scheme in SCHEMES:
        found |= evaluated(work, {scheme: similar}, {'nDCG': f'DS_nDCG(scheme={scheme!r})@20'})
    return found


def power(work: Workspace, scored: Scored) -> dict[tuple[str, str], tuple[Quantity, float]]:
    """Significantly different pairs by the paired bootstrap, and the difference needed.

    The error over topics is that of the count by the t test, which takes a hundredth of the time.
    """
    from scipy.special import stdtrit

    n, values = len(work.topics), np.stack(list(scored.values()), axis=2)
    everything = Scores(values, work.systems, work.topics, [' '.join(key) for key in scored])
    rng = work.rng(f'{KEY} power')
    found = discriminative_power(everything, 'bootstrap', correction=None, n_resamples=B, rng=rng)
    weights, critical = topic_weights(work.resamples, n).T, stdtrit(n - 1, 1 - 0.05 / 2) ** 2
    first, second = found.pairs.T
    delta: Any = found.delta
    counts = {}
    for m, key in enumerate(scored):
        z = values[first, :, m] - values[second, :, m]
        mean, square = z @ weights, np.square(z) @ weights
        spread = np.maximum(square - np.square(mean), 0) / (n - 1)
        again = (np.square(mean) > critical * spread + 1e-18).sum(axis=0)
        count = Quantity.resampled(found.counts[m], again, n, len(found.pairs))
        counts[key] = count, float(delta[m])
    return counts


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    scored, pairs = work.once(scores), {}
    for block, part in spec(KEY, 'table3')['blocks'].items():
        for row, line in zip(part['rows'], part['cells']):
            for column, number in zip(part['columns'], line):
                both = scored_name(row), scored_name(column)
                if number is not None and scored.keys() >= set(both):
                    pairs[block, row, column] = both
    for name in LAYERED:
        pairs['weightings', name, 'WI with WD'] = (name, 'WI'), (name, 'WD')

    def statistic(topics: np.ndarray) -> Any:
        means = {key: values[:, topics].mean(axis=1) for key, values in scored.items()}
        one, other = ([means[key] for key in side] for side in zip(*pairs.values()))
        return tau_ap(np.array(one), np.array(other), symmetric=True)

    return work.resampled(statistic, list(pairs), limit=1)


def scored_name(text: str) -> tuple[str, str]:
    """The key of the scores that Table 3 calls, for example, ``HD#-nDCG WI``."""
    measure, _, kind = text.partition(' ')
    forms = {'HD#-nDCG': 'HD', 'LAD#-nDCG': 'LAD', 'D#-nDCG-LA': 'LA'}
    name = f'D#-nDCG ({forms[measure]})' if measure in forms else measure.removesuffix('-LA')
    return name, kind or 'flat'


@table(KEY, 'table4')
def table4(work: Workspace) -> Cells:
    cells: Cells = {}
    counts = power(work, work.once(scores))
    for block, part in spec(KEY, 'table4')['blocks'].items():
        for row in part['rows']:
            for kind in part['columns'][::2]:
                plain = kind in ('flat', 'nDCG')
                key = (row.split(' (')[0], 'flat') if plain else (row, kind)
                if key in counts:
                    cells[block, row, kind], cells[block, row, f'{kind} Δ'] = counts[key]
    return cells


@table(KEY, 'table8')
def table8(work: Workspace) -> Cells:
    """An intent without subintents is extended by one."""
    part = spec(KEY, 'table8')
    rows = []
    for cell in dict.fromkeys(sum(part['cells'], [])):
        name, intents, *leaves = re.findall(r'[\w,]+', cell)
        below = leaves[0] if leaves else re.sub(r'(i\d)', r'\1a', intents)
        rows += [(name, 0, intent, '') for intent in intents.split(',')]
        rows += [(name, 1, leaf, leaf[:2]) for leaf in below.split(',')]
    qrels = pd.DataFrame(rows, columns=['doc_id', 'layer', 'subtopic_id', 'parent'])
    among = qrels.groupby('parent')['subtopic_id'].transform('nunique')
    tops = np.where(qrels['layer'] == 0, 1, among[0])
    qrels = qrels.assign(query_id='110', relevance=1, weight=1 / among / tops)
    official = qrels[qrels['layer'] == 0].drop(columns=['layer', 'parent'])
    ranks = {f'none {rank}': -float(rank) for rank in range(1, 8)}
    runs = {
        run: {'110': ranks | {cell.split()[0]: -8.0 - n for n, cell in enumerate(line)}}
        for run, line in zip(part['rows'], part['cells'])
    }
    both = {'D#-nDCG': (official, 'Dsharp_nDCG@10'), 'HD#-nDCG': (qrels, 'HDsharp_nDCG@10')}
    return {
        (run, name): short(value)
        for name, (judged, measure) in both.items()
        for run, value in zip(runs, evaluate(runs, judged, measure).values[:, 0, 0])
    }


@table(KEY, 'figure7')
def figure7(work: Workspace) -> Cells:
    edges = np.arange(10) / 10
    shares: Cells = {}
    for name, trees in (('SimHash', simhash), ('TF-IDF', tfidf)):
        counts = np.zeros((len(edges), len(work.topics)))
        for group in work.once(trees).groups:
            values = group.similarity[np.triu_indices(len(group.rows), 1)].round(9)
            at = np.searchsorted(edges, values, 'right') - 1
            counts[:, work.topics.index(group.query)] += np.bincount(at, minlength=len(edges))

        def statistic(topics: np.ndarray, counts: np.ndarray = counts) -> np.ndarray:
            return counts[:, topics].sum(axis=1) / max(counts[:, topics].sum(), 1)

        shares |= work.resampled(statistic, [(f'from={edge:g}', name) for edge in edges])
    return shares


@table(KEY, 'figure8')
def figure8(work: Workspace) -> Cells:
    above_them = work.once(superintents)
    bases = dict.fromkeys(CURVES, evaluated(work, {'': work.qrels}, {'': FLAT['D#-nDCG']})['', ''])
    if above_them is None:
        del bases['SUP+WI']
    else:
        (bases['SUP+WI'],) = evaluated(work, {'SUP': above_them}, HD).values()
    scored: Scored = {}
    for curve in bases:
        trees = work.once(tfidf if curve == 'TF-IDF' else simhash)
        top = above_them if curve == 'SUP+WI' else None
        for cutoff in CUTOFFS:
            built = trees.cut(top, cutoff=float(cutoff[2:]), **CURVES[curve])
            (scored[cutoff, curve],) = evaluated(work, {cutoff: built}, HD).values()
    apart: Cells = {
        (AT_ZERO, curve): float(np.abs(scored[CUTOFFS[0], curve] - base).max())
        for curve, base in bases.items()
    }
    return {key: count for key, (count, _) in power(work, scored).items()} | apart


@table(KEY, 'shuffled')
def shuffled(work: Workspace) -> Cells:
    """A control: documents that are relevant to the same intents exchange their similarities."""
    trees, rng = work.once(simhash), work.rng(f'{KEY} shuffled')
    again = {f'shuffle {n}': trees.exchanged(rng).cut() for n in range(SHUFFLES)}
    found = power(work, evaluated(work, {'WI': trees.cut()} | again, HD))
    own, *values = (count for count, _ in found.values())
    counts = [count.value for count in values]
    row = {'WI': own, 'shuffled, least': int(min(counts)), 'most': int(max(counts))}
    row['p'] = float(chance_pvalue(own.value, counts))
    return {('D#-nDCG (HD)', column): cell for column, cell in row.items()}


# --------------------------------------------------------------------------------------------------------------- rules


@rule(KEY, 'd01')
def flat_at_zero(paper: Paper) -> Iterator[Part]:
    apart = {curve: cell for (row, curve), cell in paper['figure8'].items() if row == AT_ZERO}
    worst = max(apart.values())
    yield exact(worst < 1e-12, f'largest difference of scores {worst:.0e} ({", ".join(apart)})')


@rule(KEY, 'd10')
def both_together(paper: Paper) -> Iterator[Part]:
    paper.work.need('superintents')
    counts: dict[str, dict[str, float]] = {}
    for (block, row, kind), cell in paper['table4'].items():
        if block == 'with intents' and isinstance(cell, Quantity):
            counts.setdefault(row, {})[kind] = cell.value
    wins = [max(each, key=each.__getitem__)[:4] == 'SUP+' for each in counts.values()]
    yield share(sum(wins), len(wins), 'measures: ')


@rule(KEY, 'd16')
def best_cutoffs(paper: Paper) -> Iterator[Part]:
    cells = paper['figure8']
    for curve, cutoff in {
        'WI': 'δ=0.3',
        'WD': 'δ=0.3',
        'SUP+WI': 'δ=0.5',
        'TF-IDF': 'δ=0.5',
    }.items():
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
def peak(paper: Paper) -> tuple[list[bool], dict[str, Any]]:
    counts = {cutoff: paper['figure8'][cutoff, 'WI'] for cutoff in CUTOFFS}
    at = max(CUTOFFS, key=lambda cutoff: counts[cutoff].value)
    most, flat = counts[at], counts[CUTOFFS[0]]
    numbers = {'at': at, 'most': most, 'flat': flat, 'total': flat.total}
    return [most.value > flat.value, most.value <= flat.value], numbers
