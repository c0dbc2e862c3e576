"""The study of Dou et al. 2019: hierarchies of one dendrogram, and tables that are those of the package."""

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import build_hierarchy, evaluate, meta, studies
from ir_divmeasures.data import with_superintents
from ir_divmeasures.data.hierarchy import Dendrograms
from ir_divmeasures.studies import dou
from tests.reference import hierarchy as twins
from tests.reference import layered, similarity
from tests.reference.meta import tau_ap_a
from tests.reference.twins import Query

from .builders import QUICK, expect_error, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data

WORDS = [f'w{n}' for n in range(40)]


def world(systems=4, topics=6):
    rng = np.random.default_rng(5)
    docs, qrels, runs = {}, {}, {f's{s}': {} for s in range(systems)}
    for q in range(topics):
        names = [f'q{q}d{d}' for d in range(14)]
        docs |= {name: ' '.join(rng.choice(WORDS[:12], 9)) for name in names}
        qrels[f'q{q}'] = {
            name: {str(t): int(rng.integers(0, 3)) for t in rng.choice(3, 2, replace=False)}
            for name in names[:10]
        }
        for s in range(systems):
            worth = {d: sum(qrels[f'q{q}'].get(d, {}).values()) for d in names}
            runs[f's{s}'][f'q{q}'] = {d: w + (1 + 2 * s) * rng.random() for d, w in worth.items()}
    return runs, qrels, docs


RUNS, QRELS, DOCS = world()
SUPER = {q: {'0': 'a', '1': 'a', '2': 'b'} for q in QRELS}


@pytest.fixture(scope='module', params=[True, pytest.param(False, marks=pytest.mark.slow)])
def study(request):
    """The quick form has one row of the measures on layers."""
    found = studies.study('dou')(QRELS, RUNS, docs=DOCS, superintents=SUPER)
    if request.param:
        some = ('D#-nDCG (LA)', 'D#-nDCG (HD)')
        found.data = {
            key: {row: name for row, name in value.items() if row in some}
            if key in ('flat', 'layered')
            else value
            for key, value in found.data.items()
        }
    return found


@over(
    'similarity, settings',
    [
        ('simhash', {'weighting': 'WD'}),
        ('simhash', {'cutoff': 0}),
        ('tfidf', {'raw': True}),
        ('simhash', {}),
    ],
    every=4,
)
def test_hierarchies_of_one_dendrogram(similarity, settings):
    """They are those that are built anew, also below superintents."""
    few = {q: QRELS[q] for q in ('q0', 'q1')}
    above = with_superintents(few, SUPER)
    how = {'cutoff': 0.4, **settings}
    alone, built = (build_hierarchy(qrels, DOCS, similarity, **how) for qrels in (few, above))
    found = Dendrograms(above, DOCS, similarity=similarity)
    found.cut(0.2)
    pd.testing.assert_frame_equal(found.cut(**how), built)
    refused('cutoff=2', found.cut, cutoff=2)
    found = Dendrograms(few, DOCS, similarity=similarity)
    pd.testing.assert_frame_equal(found.cut(**how), alone)
    names = built.columns.difference(['parent'])
    below = built.loc[built['layer'] >= 0, names].reset_index(drop=True)
    pd.testing.assert_frame_equal(below, alone[names])


def yours(study, name):
    return study.tables([name])[name].set_index(['row', 'column'])['yours']


def test_table_4_counts_pairs_by_the_bootstrap(study):
    """One that the page has is that of a hierarchy that is built anew."""
    cells = yours(study, 'table4 with intents')
    scores = evaluate(runs=RUNS, qrels=build_hierarchy(QRELS, DOCS), measures='HDsharp_nDCG@20')
    power = meta.discriminative_power(scores, 'bootstrap', None, rng=1)
    assert abs(cells['D#-nDCG (HD)', 'WI'] - power['significant'][0]) <= 1
    assert cells['D#-nDCG (HD)', 'WI Δ'] == pytest.approx(power['delta'][0], rel=0.5)
    assert {'SUP', 'SUP+WI', 'SUP+WD'} <= {column for _, column in cells.dropna().index}


def mean_scores(similarity, **settings):
    """HD♯-nDCG@20 of each system, the mean over topics, from texts to values by the literal twins."""
    values = {system: [] for system in RUNS}
    for query, judged in QRELS.items():
        grades = {(d, t): g for d, row in judged.items() for t, g in row.items()}
        layers = twins.hierarchy(grades, similarity, prints.get, **settings)
        for system, run in RUNS.items():
            ranking = tuple(sorted(run[query], key=run[query].get, reverse=True))
            whole = None
            for nodes in layers.values():
                whole = Query(
                    ranking,
                    {
                        (d, f'{place}'): judged[d].get(t, max(judged[d].values()))
                        for place, (t, docs, _) in enumerate(nodes)
                        for d in docs
                    },
                    {f'{place}': weight for place, (_, _, weight) in enumerate(nodes)},
                    above=whole,
                )
            values[system].append(layered.TWINS['HDsharp_nDCG'](whole, cutoff=20))
    return [sum(each) / len(each) for each in values.values()]


prints = {d: similarity.simhash(text) for d, text in DOCS.items()}


def alike(x, y):
    return round(similarity.sim(prints[x], prints[y]), 12)


@over('column, settings', [('WI', {}), ('WD', {'weighting': 'WD'}), ('TL', {'level': 'topic'})])
def test_hierarchies_of_texts_and_their_tau_are_the_literal_twins(study, column, settings):
    scores = study.table_scores
    place = scores.measures.index(f'D#-nDCG (HD)|{column}')
    means = mean_scores(alike, **settings)
    assert scores.values[:, :, place].mean(axis=1) == pytest.approx(means, abs=1e-12)
    if column == 'WI':
        flat = evaluate(QRELS, RUNS, 'Dsharp_nDCG@20').values[:, :, 0].mean(axis=1).round(12)
        hd = np.round(means, 12)
        tau = (tau_ap_a(flat, hd) + tau_ap_a(hd, flat)) / 2
        cell = yours(study, 'table3 flat and subintents')['D#-nDCG', 'HD#-nDCG WI']
        assert cell == pytest.approx(tau)


@QUICK
def test_figures_7_and_8(study, monkeypatch, quick):
    """Without a cutoff of similarity every curve of figure 8 has the pairs of D♯-nDCG. The quick form draws one curve."""
    if quick:
        monkeypatch.setattr(dou, 'CURVES', {'raw': dou.CURVES['raw']})
    assert yours(study, 'figure7').groupby('column').sum().tolist() == pytest.approx([1, 1])
    counts = yours(study, 'figure8').unstack()
    flat = meta.discriminative_power(
        evaluate(QRELS, RUNS, 'Dsharp_nDCG@20'), 'bootstrap', None, rng=study.rng('dou-2019 power')
    )
    curves = counts.columns.drop('SUP+WI', errors='ignore')
    assert (counts.loc['δ=0', curves] == flat['significant'][0]).all() and len(counts) == 8


def test_texts_are_needed():
    with expect_error('dou-2019: expected texts of documents'):
        studies.tables('dou', QRELS, RUNS, ['table4'])
