"""Dou et al. (IRJ 2019): hierarchies of subintents and similarities of documents in place of intents made by hand."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..evaluation.evaluate import evaluate
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
from .layout import cells_of
from .paper import Cells, Choice, Paper
from .rules import Quantity

CUTOFFS = [f'δ={n / 10:g}' for n in range(8)]
FLAT, HD = 'Dsharp_nDCG@20', 'HDsharp_nDCG@20'
SHUFFLES = 19
AT_ZERO = 'largest difference of scores at δ = 0 from the flat measure or SUP'

Array = np.ndarray


class Dou(Paper, key='dou-2019'):
    """The tables of §5.2 and §5.3."""

    further, depth = ('shuffled',), 20

    @functools.cached_property
    def documents(self) -> dict[str, str]:
        return texts(self.need('docs'), relevant_rows(self.qrels, 1)['doc_id'])

    @functools.cached_property
    def trees(self) -> dict[str, Dendrograms]:
        """The clusters by each similarity."""
        kinds = {'SimHash': 'simhash', 'TF-IDF': 'tfidf'}
        return {
            name: Dendrograms(self.qrels, self.documents, similarity=kind)
            for name, kind in kinds.items()
        }

    @functools.cached_property
    def upper(self) -> pd.DataFrame | None:
        """The judgments with superintents, None if there are none."""
        given = self.superintents
        return None if given is None else with_superintents(self.qrels, given)

    def scores(self, qrels: Any, *names: str) -> list[Array]:
        """The scores by each measure, (systems, topics). The runs are checked once, by the official judgments."""
        if qrels is self.qrels:
            found = evaluate(self.runs, qrels, list(names))
        else:
            found = self.pool.over(qrels).scores(list(names))
        systems = [found.systems.index(name) for name in self.systems]
        values = found.values[systems][:, np.argsort(found.queries)]
        measures = list(dict.fromkeys(names))
        return [values[:, :, measures.index(name)] for name in names]

    @functools.cached_property
    def scored(self) -> dict[tuple[str, str], Array]:
        """The scores of Tables 3 and 4, by row and column of Table 4."""
        clusters, upper, known = self.trees['SimHash'], self.upper, self.data['measures']
        similar = with_similarity(self.qrels, self.documents)
        kinds = dict.fromkeys(known, similar) | {'flat': self.qrels, 'nDCG': self.qrels}
        for weighting in ('WI', 'WD'):
            kinds[weighting] = clusters.cut(weighting=weighting)
            if upper is not None:
                kinds |= {
                    'SUP': upper,
                    f'SUP+{weighting}': clusters.cut(upper, weighting=weighting),
                }
        topics = topic_level(self.qrels)
        kinds['TL'] = Dendrograms(topics, self.documents, level='topic').cut()
        scored: dict[tuple[str, str], Array] = {}
        for kind, qrels in kinds.items():
            measures = known.get(kind, self.data['layered'])
            found = self.scores(qrels, *measures.values())
            scored |= {(row, kind): values for row, values in zip(measures, found)}
        return scored

    def power(self, scored: Mapping[Any, Array]) -> dict[Any, tuple[Quantity, float]]:
        """Significantly different pairs by the paired bootstrap, and the difference needed.

        The error over topics is that of the count by the t test, which takes a hundredth of the time.
        """
        from scipy.special import stdtrit

        n, values = len(self.topics), np.stack(list(scored.values()), axis=2)
        rng = self.rng(f'{self.key} power')
        found: Any = discriminative_power(values, 'bootstrap', correction=None, rng=rng)
        weights, critical = topic_weights(self.resamples, n).T, stdtrit(n - 1, 1 - 0.05 / 2) ** 2
        counts = {}
        for m, key in enumerate(scored):
            z = np.subtract(*values[found.pairs.T, :, m])
            mean, square = z @ weights, np.square(z) @ weights
            again = np.square(mean) * (n - 1 + critical) > square * critical + 1e-16
            count = Quantity.resampled(found.counts[m], again.sum(axis=0), n, len(z))
            counts[key] = count, float(found.delta[m])
        return counts

    def table3(self) -> Cells:
        scored, part = self.scored, self.parts['table3']
        names = {name: tuple(key) for name, key in part['names'].items()}
        pairs = {
            cell[:3]: (names[cell.row], names[cell.column])
            for cell in cells_of(part, {})
            if cell.paper and {names[cell.row], names[cell.column]} <= scored.keys()
        }
        for row in self.data['layered']:
            pairs['weightings', row, 'WI with WD'] = (row, 'WI'), (row, 'WD')
        sides = [np.array([scored[key] for key in side]) for side in zip(*pairs.values())]

        def statistic(topics: Array) -> Any:
            return tau_ap(*(side[:, :, topics].mean(axis=2) for side in sides), symmetric=True)

        return self.resampled(statistic, list(pairs), limit=1)

    def table4(self) -> Cells:
        counts, cells = self.power(self.scored), {}
        for cell in cells_of(self.parts['table4'], {}):
            kind = cell.column.removesuffix(' Δ')
            if (cell.row, kind) in counts:
                count, delta = counts[cell.row, kind]
                cells[cell[:3]] = count if kind == cell.column else delta
        return cells

    def figure7(self) -> Cells:
        edges, names = np.arange(10) / 10, self.trees
        counts = np.zeros((len(names), len(edges), len(self.topics)))
        for own, name in zip(counts, names):
            for group in names[name].groups:
                values = group.similarity[np.triu_indices(len(group.rows), 1)].round(9)
                own[:, self.topics.index(group.query)] += np.histogram(values, [*edges, 2])[0]

        def statistic(topics: Array) -> Array:
            several = counts[:, :, topics].sum(axis=2)
            return several / np.maximum(several.sum(axis=1, keepdims=True), 1)

        cells = [(f'from={edge:g}', name) for name, edge in itertools.product(names, edges)]
        return self.resampled(statistic, cells)

    def figure8(self) -> Cells:
        scored, apart = {}, {}
        for curve, settings in self.parts['figure8']['curves'].items():
            top = self.upper if curve == 'SUP+WI' else None
            if curve == 'SUP+WI' and top is None:
                continue
            (base,) = self.scores(self.qrels, FLAT) if top is None else self.scores(top, HD)
            clusters = self.trees['TF-IDF' if curve == 'TF-IDF' else 'SimHash']
            for cutoff in CUTOFFS:
                built = clusters.cut(top, cutoff=float(cutoff[2:]), **settings)
                (scored[cutoff, curve],) = self.scores(built, HD)
            apart[AT_ZERO, curve] = float(np.abs(scored[CUTOFFS[0], curve] - base).max())
        return {key: count for key, (count, _) in self.power(scored).items()} | apart

    def shuffled(self) -> Cells:
        """A control: documents that are relevant to the same intents exchange their similarities."""
        clusters, rng = self.trees['SimHash'], self.rng(f'{self.key} shuffled')
        several = [clusters, *(clusters.exchanged(rng) for _ in range(SHUFFLES))]
        scored = {n: self.scores(each.cut(), HD)[0] for n, each in enumerate(several)}
        own, *others = (count for count, _ in self.power(scored).values())
        counts = [count.value for count in others]
        columns = {
            'WI': own,
            'shuffled, least': int(min(counts)),
            'most': int(max(counts)),
            'p': float(chance_pvalue(own.value, counts)),
        }
        return {('D#-nDCG (HD)', column): cell for column, cell in columns.items()}

    def choose_figure8(self) -> Choice:
        counts = {cutoff: self['figure8'][cutoff, 'WI'] for cutoff in CUTOFFS}
        at = max(CUTOFFS, key=lambda cutoff: counts[cutoff].value)
        most, flat = counts[at], counts[CUTOFFS[0]]
        numbers = {'at': at, 'most': most, 'flat': flat, 'total': flat.total}
        return int(most.value <= flat.value), numbers
