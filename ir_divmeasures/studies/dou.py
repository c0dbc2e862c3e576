"""Dou et al. (IRJ 2019): hierarchies of subintents and similarities of documents in place of intents made by hand."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import meta
from ..data.hierarchy import Dendrograms
from ..data.intents import with_superintents
from ..data.judgments import Judgments
from ..data.qrels import topic_level
from ..data.similarity import with_similarity
from ..data.texts import read_texts
from ..evaluation.scores import Scores
from ..lazy import pd
from .study import Cells, Study, cells_of

SCHEMES = ('RA', 'RP', 'NA', 'NP')
CURVES: dict[str, dict[str, Any]] = {
    'WI': {},
    'WD': {'weighting': 'WD'},
    'raw': {'raw': True},
    'TF-IDF': {},
    'SUP+WI': {},
}


class Dou(Study, key='dou-2019'):
    """The tables of §5.2 and §5.3."""

    depth = 20

    @functools.cached_property
    def documents(self) -> dict[str, str]:
        """The texts of the relevant documents."""
        if self.docs is None:
            raise ValueError(
                'dou-2019: expected texts of documents, found none; pass docs= (--docs)'
            )
        return read_texts(self.docs, Judgments.of(self.qrels).relevant_rows(1)['doc_id'])

    @functools.cached_property
    def trees(self) -> dict[str, Dendrograms]:
        """The clusters by each similarity, below the superintents if there are some."""
        kinds = {'SimHash': 'simhash', 'TF-IDF': 'tfidf'}
        qrels = self.qrels if self.upper is None else self.upper
        return {
            name: Dendrograms(qrels, self.documents, similarity=kind)
            for name, kind in kinds.items()
        }

    @functools.cached_property
    def upper(self) -> pd.DataFrame | None:
        """The judgments with superintents, None if there are none."""
        return (
            None if self.superintents is None else with_superintents(self.qrels, self.superintents)
        )

    @functools.cached_property
    def table_scores(self) -> Scores:
        """The scores of Tables 3 and 4; the name of a measure is ``row|column`` of Table 4."""
        alike = with_similarity(self.qrels, self.documents)
        kinds = [('nDCG', self.qrels, {'nDCG': 'nDCG'}), ('flat', self.qrels, self.data['flat'])]
        kinds += [(scheme, alike, {'nDCG': f'DS_nDCG(scheme={scheme!r})'}) for scheme in SCHEMES]
        topics = Dendrograms(topic_level(self.qrels), self.documents, level='topic')
        kinds += [('TL', topics.cut(), self.data['layered'])]
        for weighting in ('WI', 'WD'):
            built = self.trees['SimHash'].cut(weighting=weighting)
            kinds += [(weighting, built[built['layer'] >= 0], self.data['layered'])]
            if self.upper is not None:
                kinds += [(f'SUP+{weighting}', built, self.data['layered'])]
        if self.upper is not None:
            kinds += [('SUP', self.upper, self.data['layered'])]
        values = {
            f'{row}|{kind}': self.scores(qrels, [f'{measure}@20'])[f'{measure}@20']
            for kind, qrels, rows in kinds
            for row, measure in rows.items()
        }
        return self.named_scores(values)

    def named_scores(self, values: Mapping[str, np.ndarray]) -> Scores:
        """Scores (S, Q) by name as one table."""
        return Scores(
            np.dstack([*values.values()]), tuple(self.runs), tuple(self.topics), tuple(values)
        )

    def power(self, scores: Scores) -> dict[str, tuple[int, float]]:
        """Significantly different pairs by the paired bootstrap, and the difference needed, by measure."""
        table = meta.discriminative_power(scores, 'bootstrap', None, rng=self.rng('dou-2019 power'))
        return dict(
            zip(table['measure'], zip(table['significant'].tolist(), table['delta'].tolist()))
        )

    @functools.cached_property
    def correlations(self) -> dict[tuple[str, str], list[float]]:
        """Symmetric τ_AP with its interval, by pairs of measures."""
        rng = self.rng('topics')
        table = meta.correlations(
            self.table_scores, 'tau_ap', symmetric=True, n_resamples=100, rng=rng
        )
        values = table[['statistic', 'low', 'high']].to_numpy().tolist()
        return dict(zip(zip(table['measure'], table['other']), values))

    def table3(self, block: str) -> Cells:
        if block == 'weightings':
            pairs = {
                (row, 'WI with WD'): (f'{row}|WI', f'{row}|WD') for row in self.data['layered']
            }
        else:
            cells = [cell[:2] for cell in cells_of(self.paper_table(f'table3 {block}'))]
            pairs = {cell: (self.place(cell[0]), self.place(cell[1])) for cell in cells}
        for cell, pair in pairs.items():
            if pair in self.correlations:
                yield *cell, *self.correlations[pair]

    def place(self, name: str) -> str:
        """The measure of a row or column of Table 3: ``'HD#-nDCG WI'`` is ``'D#-nDCG (HD)|WI'``."""
        measure, _, kind = name.partition(' ')
        return f'{self.data["names"].get(measure, measure)}|{kind or ("nDCG" if measure == "nDCG" else "flat")}'

    @functools.cached_property
    def power_by_measure(self) -> dict[str, tuple[int, float]]:
        """The power of the measures of Table 4."""
        return self.power(self.table_scores)

    def table4(self, block: str) -> Cells:
        paper = self.paper_table(f'table4 {block}')
        for row in paper['cells']:
            for column in paper['columns']:
                kind, _, is_delta = column.partition(' ')
                measure = self.place(row) if block == 'similarity' else f'{row}|{kind}'
                if measure in self.power_by_measure:
                    yield row, column, self.power_by_measure[measure][bool(is_delta)]
        yield 'all pairs', paper['columns'][0], len(self.runs) * (len(self.runs) - 1) // 2

    def figure7(self) -> Cells:
        """The share of similarities in bins of .1; the last one is from .9 to 1."""
        edges = np.arange(10) / 10
        for name, clusters in self.trees.items():
            values = [group.pairs.round(9) for group in clusters.groups]
            counts, _ = np.histogram(np.concatenate(values), [*edges, 2])
            for edge, share in zip(edges, counts / max(counts.sum(), 1)):
                yield f'from {edge:g}', name, float(share)

    def figure8(self) -> Cells:
        """Significantly different pairs by D♯-nDCG on hierarchies (HD), for each δ."""
        values = {}
        for curve, settings in CURVES.items():
            lowest = -1 if curve == 'SUP+WI' else 0
            if lowest == 0 or self.upper is not None:
                cut = self.trees['TF-IDF' if curve == 'TF-IDF' else 'SimHash'].cut
                for delta in np.arange(8) / 10:
                    built = cut(cutoff=float(delta), **settings)
                    built = built[built['layer'] >= lowest]
                    values[f'δ={delta:g}|{curve}'] = self.scores(built, ['HDsharp_nDCG@20'])[
                        'HDsharp_nDCG@20'
                    ]
        for name, (count, _) in self.power(self.named_scores(values)).items():
            yield *name.split('|'), count
