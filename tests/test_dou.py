"""The study of Dou et al. 2019: hierarchies of one dendrogram, and tables that are those of the package."""

import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import build_hierarchy, evaluate, meta, studies
from ir_divmeasures.data import with_superintents
from ir_divmeasures.data.hierarchy import Dendrograms

from .builders import expect_error, over, refused

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
HD = 'HDsharp_nDCG@20'


@pytest.fixture(scope='module')
def found():
    return studies.tables('dou', QRELS, RUNS, docs=DOCS, superintents=SUPER)


@over('similarity', ['simhash', 'tfidf'])
@over('settings', [{'cutoff': 0}, {}, {'weighting': 'WD'}, {'raw': True}])
def test_hierarchies_of_one_dendrogram(similarity, settings):
    """They are those that are built anew, also below superintents."""
    few = {q: QRELS[q] for q in ('q0', 'q1')}
    above = with_superintents(few, SUPER)
    found = Dendrograms(few, DOCS, similarity=similarity)
    how = {'cutoff': 0.4, **settings}
    for cut, qrels in ((found.cut(**how), few), (found.cut(above, **how), above)):
        pd.testing.assert_frame_equal(cut, build_hierarchy(qrels, DOCS, similarity, **how))
    refused('cutoff=2', found.cut, cutoff=2)


def yours(table):
    return table.set_index(['row', 'column'])['yours']


def test_table_4_counts_pairs_by_the_bootstrap(found):
    """One that the page has is that of a hierarchy that is built anew."""
    cells = yours(found['table4 with intents'])
    scores = evaluate(runs=RUNS, qrels=build_hierarchy(QRELS, DOCS), measures=HD)
    power = meta.discriminative_power(scores, 'bootstrap', None, rng=1)
    assert abs(cells['D#-nDCG (HD)', 'WI'] - power['significant'][0]) <= 1
    assert cells['D#-nDCG (HD)', 'WI Δ'] == pytest.approx(power['delta'][0], rel=0.5)
    assert {'SUP', 'SUP+WI', 'SUP+WD'} <= {column for _, column in cells.dropna().index}


def test_table_3_is_symmetric_tau_ap(found):
    flat, built = (
        evaluate(runs=RUNS, qrels=QRELS, measures='Dsharp_nDCG@20'),
        build_hierarchy(QRELS, DOCS),
    )
    means = [
        scores.values[:, :, 0].mean(axis=1)
        for scores in (flat, evaluate(runs=RUNS, qrels=built, measures=HD))
    ]
    tau = meta.tau_ap(*means, symmetric=True)
    assert yours(found['table3 flat and subintents'])['D#-nDCG', 'HD#-nDCG WI'] == pytest.approx(
        tau
    )


def test_figures_7_and_8(found):
    assert yours(found['figure7']).groupby('column').sum().tolist() == pytest.approx([1, 1])
    counts = yours(found['figure8'])
    assert (
        counts['δ=0', 'WI']
        == counts['δ=0', 'WD']
        == counts['δ=0', 'raw']
        == counts['δ=0', 'TF-IDF']
    )


def test_texts_are_needed():
    with expect_error('dou-2019: expected texts of documents'):
        studies.tables('dou', QRELS, RUNS, ['table4'])
