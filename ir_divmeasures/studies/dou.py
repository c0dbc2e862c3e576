"""Dou et al. (IRJ 2019): hierarchies of subintents and similarities of documents in place of intents made by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from .contrasts import contrasts, named
from .paper import Paper, load, rule, sentence, table
from .quantities import Part, Quantity, above, exact, near, share, short
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

Cells = dict[tuple[str, ...], Any]
Scored = dict[tuple[str, str], np.ndarray]
"""Scores (systems, topics) by the name of a measure and of a hierarchy."""


def documents(work: Workspace) -> dict[str, str]:
    return texts(work.need('docs'), relevant_rows(work.qrels, 1)['doc_id'])


def simhash(work: Workspace) -> Dendrograms:
    return Dendrograms(work.qrels, work.once(documents))


def tfidf(work: Workspace) -> Dendrograms:
    return Dendrograms(work.qrels, work.once(documents), similarity='tfidf')


def superintents(work: Workspace) -> pd.DataFrame:
    return with_superintents(work.qrels, work.need('superintents'))


def tops(work: Workspace) -> dict[str, pd.DataFrame]:
    """The first 20 documents of each ranking, which are all that the measures read."""
    columns, ascending = ['query_id', 'score', 'doc_id'], [True, False, False]
    return {
        system: run.sort_values(columns, ascending=ascending).groupby('query_id').head(20)
        for system, run in work.runs.items()
    }


def evaluated(work: Workspace, kinds: Mapping[str, Any], measures: Mapping[str, str]) -> Scored:
    """The scores of measures with judgments of several kinds, which are scored as further queries of one table."""

    def all_kinds(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        parts = [
            frame.assign(query_id=f'{kind} ' + frame['query_id']) for kind, frame in frames.items()
        ]
        return pd.concat(parts, ignore_index=True)

    runs = {name: all_kinds(dict.fromkeys(kinds, run)) for name, run in work.once(tops).items()}
    found = evaluate(runs, all_kinds(kinds), list(measures.values()))
    place = {query: n for n, query in enumerate(found.queries)}
    return {
        (name, kind): found.values[:, [place[f'{kind} {topic}'] for topic in work.topics], n]
        for kind in kinds
        for n, name in enumerate(measures)
    }


def scores(work: Workspace) -> Scored:
    """The scores of Tables 3 and 4."""
    trees, docs = work.once(simhash), work.once(documents)
    kinds = {'WI': trees.cut(), 'WD': trees.cut(weighting='WD')}
    if 'superintents' in work.further:
        above_them = work.once(superintents)
        kinds['SUP'] = above_them
        kinds['SUP+WI'] = trees.cut(above_them)
        kinds['SUP+WD'] = trees.cut(above_them, weighting='WD')
    kinds['TL'] = Dendrograms(topic_level(work.qrels), docs, level='topic').cut()
    found = evaluated(work, {'flat': work.qrels}, FLAT | {'nDCG': 'nDCG@20'})
    for kind, qrels in kinds.items():
        found |= evaluated(work, {kind: qrels}, LAYERED)
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
    names = [' '.join(key) for key in scored]
    rng = work.rng(f'{KEY} power')
    found = discriminative_power(
        Scores(values, work.systems, work.topics, names), 'bootstrap', correction=None, n_resamples=B, rng=rng
    )  # fmt: skip
    weights, critical = topic_weights(work.resamples, n).T, stdtrit(n - 1, 1 - 0.05 / 2) ** 2
    first, second = found.pairs.T
    counts = {}
    for m, key in enumerate(scored):
        z = values[first, :, m] - values[second, :, m]
        mean, square = z @ weights, np.square(z) @ weights
        spread = np.maximum(square - np.square(mean), 0) / (n - 1)
        again = (np.square(mean) > critical * spread + 1e-18).sum(axis=0)
        count = Quantity.resampled(int(found.counts[m]), again, n, len(found.pairs))
        counts[key] = count, float(np.asarray(found.delta)[m])
    return counts


@table(KEY, 'table3')
def table3(work: Workspace) -> Cells:
    scored = work.once(scores)
    pairs: dict[tuple[str, ...], tuple[tuple[str, str], tuple[str, str]]] = {}
    for block, part in load(KEY)['parts']['table3']['blocks'].items():
        for row, line in zip(part['rows'], part['cells']):
            for column, number in zip(part['columns'], line):
                both = _scored_name(row), _scored_name(column)
                if number is not None and set(both) <= scored.keys():
                    pairs[block, row, column] = both
    for name in LAYERED:
        pairs['weightings', name, 'WI with WD'] = (name, 'WI'), (name, 'WD')

    def statistic(topics: np.ndarray) -> Any:
        means = {key: values[:, topics].mean(axis=1) for key, values in scored.items()}
        one, other = (np.array([means[both[side]] for both in pairs.values()]) for side in (0, 1))
        return tau_ap(one, other, symmetric=True)

    return work.resampled(statistic, list(pairs), limit=1)


def _scored_name(text: str) -> tuple[str, str]:
    """The key of the scores that Table 3 calls, for example, ``HD#-nDCG WI``."""
    measure, _, kind = text.partition(' ')
    form = next((form for form in ('LAD', 'HD') if measure.startswith(form)), '')
    form = 'LA' if measure.endswith('-LA') else form
    name = measure.removeprefix(form[:-1]).removesuffix('-LA')
    return f'{name} ({form})' if form and name[:2] == 'D#' else name, kind or 'flat'


@table(KEY, 'table4')
def table4(work: Workspace) -> Cells:
    cells: Cells = {}
    counts = power(work, work.once(scores))
    for block, part in load(KEY)['parts']['table4']['blocks'].items():
        for row in part['rows']:
            for kind in part['columns'][::2]:
                plain = kind in ('flat', 'nDCG')
                key = (row.split(' (')[0], 'flat') if plain else (row, kind)
                if key in counts:
                    cells[block, row, kind], cells[block, row, f'{kind} Δ'] = counts[key]
    return cells


@table(KEY, 'table8')
def table8(work: Workspace) -> Cells:
    spec = load(KEY)['parts']['table8']
    seen: dict[str, tuple[list[str], list[str]]] = {}
    for cell in sum(spec['cells'], []):
        name, intents, *below = cell.replace('{', '').replace('}', '').split()
        seen[name] = intents.split(','), below[0].split(',') if below else []
    rows = [(d, 0, t, '') for d, (intents, _) in seen.items() for t in intents]
    below = {t[:2] for _, leaves in seen.values() for t in leaves}
    for d, (intents, leaves) in seen.items():
        rows += [(d, 1, leaf, leaf[:2]) for leaf in leaves]
        rows += [(d, 1, f'{t}a', t) for t in intents if t not in below]
    qrels = pd.DataFrame(rows, columns=['doc_id', 'layer', 'subtopic_id', 'parent'])
    nodes = qrels.groupby(['layer', 'parent'])['subtopic_id'].transform('nunique')
    tops = qrels.loc[qrels['layer'] == 0, 'subtopic_id'].nunique()
    weight = np.where(qrels['layer'] == 0, 1 / tops, 1 / tops / nodes)
    qrels = qrels.assign(query_id='110', relevance=1, weight=weight)
    official = qrels[qrels['layer'] == 0].drop(columns=['layer', 'parent'])
    cells: Cells = {}
    for run, line in zip(spec['rows'], spec['cells']):
        ranked = [f'none {rank}' for rank in range(1, 8)] + [cell.split()[0] for cell in line]
        retrieved = {run: {'110': {d: -float(rank) for rank, d in enumerate(ranked)}}}
        for name, judged, measure in (
            ('D#-nDCG', official, 'Dsharp_nDCG@10'),
            ('HD#-nDCG', qrels, 'HDsharp_nDCG@10'),
        ):
            cells[run, name] = short(evaluate(retrieved, judged, measure).values[0, 0, 0])
    return cells


@table(KEY, 'figure7')
def figure7(work: Workspace) -> Cells:
    edges, place = np.arange(10) / 10, {topic: n for n, topic in enumerate(work.topics)}
    shares: Cells = {}
    for name, trees in (('SimHash', simhash), ('TF-IDF', tfidf)):
        counts = np.zeros((len(edges), len(place)))
        for group in work.once(trees).groups:
            values = group.similarity[np.triu_indices(len(group.rows), 1)].round(9)
            at = np.searchsorted(edges, values, 'right') - 1
            counts[:, place[group.query]] += np.bincount(at, minlength=len(edges))

        def statistic(topics: np.ndarray, counts: np.ndarray = counts) -> np.ndarray:
            return counts[:, topics].sum(axis=1) / max(counts[:, topics].sum(), 1)

        shares |= work.resampled(statistic, [(f'from={edge:g}', name) for edge in edges])
    return shares


@table(KEY, 'figure8')
def figure8(work: Workspace) -> Cells:
    trees = {curve: work.once(tfidf if curve == 'TF-IDF' else simhash) for curve in CURVES}
    (flat,) = evaluated(work, {'flat': work.qrels}, {'HD': FLAT['D#-nDCG']}).values()
    built = {
        (cutoff, curve): trees[curve].cut(cutoff=float(cutoff[2:]), **settings)
        for curve, settings in CURVES.items()
        for cutoff in CUTOFFS
        if curve != 'SUP+WI'
    }
    bases = dict.fromkeys((curve for _, curve in built), flat)
    scored = hd(work, built)
    if 'superintents' in work.further:
        above_them = work.once(superintents)
        (bases['SUP+WI'],) = evaluated(work, {'SUP': above_them}, HD).values()
        scored |= hd(
            work,
            {
                (each, 'SUP+WI'): work.once(simhash).cut(above_them, cutoff=float(each[2:]))
                for each in CUTOFFS
            },
        )
    apart: Cells = {
        (AT_ZERO, curve): float(np.abs(scored[CUTOFFS[0], curve] - base).max())
        for curve, base in bases.items()
    }
    counts: Cells = {key: count for key, (count, _) in power(work, scored).items()}
    return counts | apart


def hd(work: Workspace, built: Mapping[tuple[str, str], pd.DataFrame]) -> Scored:
    """HD#-nDCG for several hierarchies by cutoff and curve."""
    found = evaluated(work, {' '.join(key): qrels for key, qrels in built.items()}, HD)
    return dict(zip(built, found.values()))


@table(KEY, 'shuffled')
def shuffled(work: Workspace) -> Cells:
    """A control: documents that are relevant to the same intents exchange their similarities."""
    trees, rng = work.once(simhash), work.rng(f'{KEY} shuffled')
    again = {f'shuffle {n}': trees.exchanged(rng).cut() for n in range(SHUFFLES)}
    found = evaluated(work, {'WI': trees.cut()} | again, HD)
    counts = {kind: count for (_, kind), (count, _) in power(work, found).items()}
    values = [counts[kind].value for kind in again]
    row = {'WI': counts['WI'], 'shuffled, least': int(min(values)), 'most': int(max(values))}
    row['p'] = float(chance_pvalue(counts['WI'].value, values))
    return {('D#-nDCG (HD)', column): cell for column, cell in row.items()}


# --------------------------------------------------------------------------------------------------------------- rules

rule(KEY, *(f'd{n:02}' for n in (*range(2, 10), 11, 12, 14, 15)))(contrasts)


@rule(KEY, 'd01')
def flat_at_zero(paper: Paper) -> Iterator[Part]:
    apart = {key[1]: cell for key, cell in paper['figure8'].items() if key[0] == AT_ZERO}
    worst = max(apart.values())
    yield exact(worst < 1e-12, f'largest difference of scores {worst:.0e} ({", ".join(apart)})')


@rule(KEY, 'd10')
def both_together(paper: Paper) -> Iterator[Part]:
    cells = paper['table4']
    paper.work.need('superintents')
    counts = {
        row: {kind: cells['with intents', row, kind].value for kind in ('flat', 'SUP', 'WI', 'WD', 'SUP+WI', 'SUP+WD')}
        for row in LAYERED
    }  # fmt: skip
    wins = [max(each, key=each.__getitem__)[:4] == 'SUP+' for each in counts.values()]
    yield share(sum(wins), len(wins), 'measures: ')


@rule(KEY, 'd13')
def like_hierarchies(paper: Paper) -> Iterator[Part]:
    cells = paper['table4']
    hierarchy = cells['with intents', 'D#-nDCG (HD)', 'WI']
    for scheme in SCHEMES:
        count = cells['similarity', 'nDCG', scheme]
        part = near(count * (1 / count.total), hierarchy * (1 / count.total))
        yield replace(part, yours=f'{scheme} {count}, HD#-nDCG WI {hierarchy}')


@rule(KEY, 'd16')
def best_cutoffs(paper: Paper) -> Iterator[Part]:
    cells = paper['figure8']
    for cutoff, curve in (
        ('δ=0.3', 'WI'),
        ('δ=0.3', 'WD'),
        ('δ=0.5', 'SUP+WI'),
        ('δ=0.5', 'TF-IDF'),
    ):
        if (cutoff, curve) in cells:
            others = named(cells, curve, [each for each in CUTOFFS if each != cutoff])
            yield above(named(cells, curve, [cutoff]), others, f'{curve} at {cutoff}: ')


@rule(KEY, 'd23')
def preferred(paper: Paper) -> Iterator[Part]:
    cells = paper['table8']
    for name, wanted in (('D#-nDCG', 0), ('HD#-nDCG', 1)):
        one, other = (value for (_, column), value in cells.items() if column == name)
        yield exact(np.sign(float(one) - float(other)) == wanted, f'{name} {one} and {other}')


@sentence(
    KEY,
    'figure8',
    (lambda f: f['most'] > f['flat'], 'WI separates most pairs at {at} ({most:g} of {total}; the flat measure {flat:g}).'),
    (lambda f: f['most'] <= f['flat'], 'At no δ does WI separate more pairs than the flat measure ({flat:g} of {total}).'),
)  # fmt: skip
def peak(paper: Paper) -> Mapping[str, Any]:
    cells = paper['figure8']
    at = max(CUTOFFS, key=lambda cutoff: cells[cutoff, 'WI'].value)
    flat, most = cells[CUTOFFS[0], 'WI'], cells[at, 'WI']
    return {'at': at, 'most': most.value, 'flat': flat.value, 'total': flat.total}
