"""Dou et al. (IRJ 2019): hierarchies of subintents and similarities of documents in place of intents made by hand."""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..data.hierarchy import Dendrograms
from ..data.intents import with_superintents
from ..data.judgments import relevant_rows
from ..data.qrels import topic_level
from ..data.similarity import with_similarity
from ..data.texts import read_texts
from ..estimates import Quantity
from ..evaluation.evaluate import evaluate
from ..evaluation.scores import Scores
from ..lazy import pd
from ..meta.correlation import tau_ap
from ..meta.resampling import resampling_pvalue
from ..meta.robustness import topic_weights
from ..meta.significance import discriminative_power
from .layout import cells_of
from .paper import Cells, Paper

CUTOFFS = [f'δ={n / 10:g}' for n in range(8)]
FLAT, HD = 'Dsharp_nDCG@20', 'HDsharp_nDCG@20'
SHUFFLES = 19
AT_ZERO = 'largest difference of scores at δ = 0 from the flat measure or SUP'


class Dou(Paper, key='dou-2019'):
    """The tables of §5.2 and §5.3."""

    further, depth = ('shuffled',), 20

    @functools.cached_property
    def documents(self) -> dict[str, str]:
        self.need('docs')
        return read_texts(self.docs, relevant_rows(self.qrels, 1)['doc_id'])

    @functools.cached_property
    def trees(self) -> dict[str, Dendrograms]:
        """The clusters by each similarity."""
        kinds = ('simhash', 'tfidf')
        trees = (Dendrograms(self.qrels, self.documents, similarity=kind) for kind in kinds)
        return dict(zip(('SimHash', 'TF-IDF'), trees))

    @functools.cached_property
    def upper(self) -> pd.DataFrame | None:
        """The judgments with superintents, None if there are none."""
        given = self.superintents
        return None if given is None else with_superintents(self.qrels, given)

    def scores(self, qrels: Any, names: Iterable[str]) -> Scores:
        """The scores by measures. The runs are checked once, by the official judgments."""
        if qrels is self.qrels:
            return evaluate(qrels, self.runs, list(names))
        return self.pool.over(qrels).scores(list(names))

    @functools.cached_property
    def scored(self) -> dict[tuple[str, str], np.ndarray]:
        """The scores of Tables 3 and 4, by row and column of Table 4."""
        known, cut = self.data['measures'], self.trees['SimHash'].cut
        kinds = dict.fromkeys(known, with_similarity(self.qrels, self.documents))
        kinds |= {'flat': self.qrels, 'nDCG': self.qrels}
        topics = Dendrograms(topic_level(self.qrels), self.documents, level='topic')
        kinds['TL'] = topics.cut()
        for weighting in ('WI', 'WD'):
            kinds[weighting] = cut(weighting=weighting)
            if self.upper is not None:
                kinds['SUP'] = self.upper
                kinds[f'SUP+{weighting}'] = cut(self.upper, weighting=weighting)
        scored: dict[tuple[str, str], np.ndarray] = {}
        for kind, qrels in kinds.items():
            measures = known.get(kind, self.data['layered'])
            found = self.scores(qrels, measures.values())
            scored |= {(row, kind): found[name] for row, name in measures.items()}
        return scored

    def power(
        self, scored: Mapping[Any, np.ndarray]
    ) -> tuple[dict[Any, Quantity], dict[Any, float]]:
        """Significantly different pairs by the paired bootstrap, and the difference needed.

        The error over topics is that of the count by the t test, which takes a hundredth of the time.
        """
        from scipy.special import stdtrit

        n, values, counts = len(self.topics), np.stack(list(scored.values()), axis=2), {}
        rng = self.rng(f'{self.key} power')
        found: Any = discriminative_power(values, 'bootstrap', correction=None, rng=rng)
        weights = topic_weights(self.topic_samples[1:], n).T
        critical = stdtrit(n - 1, 1 - 0.05 / 2) ** 2
        for m, key in enumerate(scored):
            z = np.subtract(*values[found.pairs.T, :, m])
            mean, square = z @ weights, np.square(z) @ weights
            again = np.square(mean) * (n - 1 + critical) > square * critical + 1e-16
            counts[key] = Quantity.resampled([found.counts[m], *again.sum(axis=0)], n, total=len(z))
        return counts, dict(zip(scored, found.delta.tolist()))

    def table3(self) -> Cells:
        names = {name: tuple(key) for name, key in self.parts['table3']['names'].items()}
        pairs = {
            cell[:3]: (names[cell.row], names[cell.column])
            for cell in cells_of(self.parts['table3'], {}).itertuples(index=False)
            if cell.paper and {names[cell.row], names[cell.column]} <= self.scored.keys()
        }
        for row in self.data['layered']:
            pairs['weightings', row, 'WI with WD'] = (row, 'WI'), (row, 'WD')
        sides = [np.array([self.scored[key] for key in side]) for side in zip(*pairs.values())]

        def statistic(topics: np.ndarray) -> Any:
            return tau_ap(*(side[:, :, topics].mean(axis=2) for side in sides), symmetric=True)

        return self.resampled(statistic, list(pairs), limit=1)

    def table4(self) -> Cells:
        counts, deltas = self.power(self.scored)
        found = counts | {(row, f'{kind} Δ'): delta for (row, kind), delta in deltas.items()}
        cells = cells_of(self.parts['table4'], {}).itertuples(index=False, name=None)
        return {cell[:3]: found[cell[1:3]] for cell in cells if cell[1:3] in found}

    def figure7(self) -> Cells:
        edges = np.arange(10) / 10
        counts = np.zeros((2, len(edges), len(self.topics)))
        for own, clusters in zip(counts, self.trees.values()):
            for group in clusters.groups:
                values = group.similarity[np.triu_indices(len(group.rows), 1)].round(9)
                own[:, self.topics.index(group.query)] += np.histogram(values, [*edges, 2])[0]

        def statistic(sample: np.ndarray) -> np.ndarray:
            several = counts[:, :, sample].sum(axis=2)
            return several / np.maximum(several.sum(axis=1, keepdims=True), 1)

        cells = [(f'from={edge:g}', name) for name in self.trees for edge in edges]
        return self.resampled(statistic, cells)

    def figure8(self) -> Cells:
        scored, apart, flat = {}, {}, self.scores(self.qrels, [FLAT])[FLAT]
        for curve, settings in self.parts['figure8']['curves'].items():
            upper = self.upper if curve == 'SUP+WI' else None
            if curve == 'SUP+WI' and upper is None:
                continue
            cut = self.trees['TF-IDF' if curve == 'TF-IDF' else 'SimHash'].cut
            for cutoff in CUTOFFS:
                built = cut(upper, cutoff=float(cutoff[2:]), **settings)
                scored[cutoff, curve] = self.scores(built, [HD])[HD]
            base = flat if upper is None else self.scores(upper, [HD])[HD]
            apart[AT_ZERO, curve] = float(np.abs(scored[CUTOFFS[0], curve] - base).max())
        return self.power(scored)[0] | apart

    def shuffled(self) -> Cells:
        """A control: documents that are relevant to the same intents exchange their similarities."""
        clusters, rng = self.trees['SimHash'], self.rng(f'{self.key} shuffled')
        several = [clusters, *(exchanged(clusters, rng) for _ in range(SHUFFLES))]
        scored = {n: self.scores(each.cut(), [HD])[HD] for n, each in enumerate(several)}
        own, *others = self.power(scored)[0].values()
        counts = [int(count.value) for count in others]
        hits = sum(count >= own.value for count in counts)
        chance = Quantity.mean([resampling_pvalue(hits, len(counts))] * 2)
        columns = {'WI': own, 'shuffled, least': min(counts), 'most': max(counts), 'p': chance}
        return {('D#-nDCG (HD)', column): cell for column, cell in columns.items()}


def exchanged(clusters: Dendrograms, rng: np.random.Generator) -> Dendrograms:
    """The same clusters, in which documents exchange their places at random with others relevant to the same intents."""
    documents, other = clusters.official['doc_id'].to_numpy(), copy.copy(clusters)
    intents, alike = defaultdict(set), defaultdict(list)
    for number, group in enumerate(clusters.groups):
        for document in documents[group.rows]:
            intents[document].add(number)
    for document in dict.fromkeys(relevant_rows(clusters.official, 1)['doc_id']):
        alike[frozenset(intents[document])].append(document)
    holder = {
        members[place]: document
        for members in alike.values()
        for document, place in zip(members, rng.permutation(len(members)))
    }
    other.groups = []
    for group in clusters.groups:
        row_of = dict(zip(documents[group.rows], group.rows))
        rows = np.array([row_of[holder[document]] for document in row_of])
        other.groups.append(group._replace(rows=rows))
    return other
