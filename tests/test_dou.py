"""The study of Dou et al. 2019: its hierarchies, counts and correlations are those of the package, its verdicts follow."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from ir_divmeasures import build_hierarchy, evaluate, meta, studies, with_superintents
from ir_divmeasures.judgments.hierarchy import Dendrograms
from ir_divmeasures.studies import dou
from ir_divmeasures.studies.quantities import NotTestableError

from .builders import over

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
def paper():
    return studies.paper('dou', RUNS, QRELS, docs=DOCS, superintents=SUPER)


def by_system(qrels, measure):
    found = evaluate(RUNS, qrels, measure)
    return found.values[:, np.argsort(found.queries), 0]


@over('similarity', ['simhash', 'tfidf'])
@over('settings', [{}, {'weighting': 'WD'}, {'raw': True}])
def test_hierarchies_of_one_dendrogram(similarity, settings):
    """They are those that are built anew, also below superintents and at topic level."""
    above = with_superintents(QRELS, SUPER)
    found = Dendrograms(QRELS, DOCS, similarity=similarity)
    for cutoff in (0, 0.3, 0.6):
        how = {'cutoff': cutoff, **settings}
        pd.testing.assert_frame_equal(
            found.cut(**how), build_hierarchy(QRELS, DOCS, similarity, **how)
        )
        pd.testing.assert_frame_equal(
            found.cut(above, **how), build_hierarchy(above, DOCS, similarity, **how)
        )
    with pytest.raises(ValueError, match='cutoff=2'):
        found.cut(cutoff=2)


def test_table_4_counts_pairs_by_the_bootstrap(paper):
    cells = paper['table4']
    kinds = {
        'WI': build_hierarchy(QRELS, DOCS),
        'SUP+WD': build_hierarchy(with_superintents(QRELS, SUPER), DOCS, weighting='WD'),
    }
    for kind, qrels in kinds.items():
        power = meta.discriminative_power(
            evaluate(RUNS, qrels, HD), 'bootstrap', correction=None, n_resamples=1000, rng=1
        )
        count = cells['with intents', 'D#-nDCG (HD)', kind]
        low, high = power.monte_carlo()[0]
        assert low <= count.value <= high and count.total == 6
    flat = cells['with intents', 'D#-nDCG (HD)', 'flat']
    assert flat.value == cells['with intents', 'D#-nDCG (LAD)', 'flat'].value
    assert cells['without intents', 'ERR-IA', 'flat'].value == cells['with intents', 'ERR-IA', 'flat'].value  # fmt: skip
    assert {key[2] for key in cells if key[0] == 'similarity'} == {
        *(scheme + delta for scheme in ('nDCG', *dou.SCHEMES) for delta in ('', ' Δ'))
    }


def test_the_error_of_a_count_is_that_of_t_tests_on_resampled_topics(paper):
    values = by_system(QRELS, 'ERR_IA@20')
    with np.errstate(all='ignore'):
        again = [
            sum(
                ttest_rel(values[a, sample], values[b, sample]).pvalue < 0.05
                for a in range(4)
                for b in range(a)
            )
            for sample in paper.work.resamples
        ]
    ((count, _),) = dou.power(paper.work, {('ERR-IA', 'flat'): values}).values()
    assert count.error == pytest.approx(np.std(again, ddof=1))


def test_table_3_is_tau_ap(paper):
    cells = paper['table3']
    similar = dou.with_similarity(QRELS, DOCS)
    wi = build_hierarchy(QRELS, DOCS)
    pairs = {
        ('flat and subintents', 'ERR-IA', 'HD#-nDCG WI'): (QRELS, 'ERR_IA@20', wi, HD),
        ('flat and subintents', 'D#-nDCG', 'LAD#-nDCG WI'): (QRELS, 'Dsharp_nDCG@20', wi, 'LADsharp_nDCG@20'),
        ('layer-aware', 'ERR-IA-LA SUP', 'D#-nDCG-LA WI'): (with_superintents(QRELS, SUPER), 'ERR_IA_LA@20', wi, 'Dsharp_nDCG_LA@20'),
        ('similarity', 'nDCG', 'nDCG NP'): (QRELS, 'nDCG@20', similar, "DS_nDCG(scheme='NP')@20"),
        ('weightings', 'Q-IA', 'WI with WD'): (wi, 'Q_IA_LA@20', build_hierarchy(QRELS, DOCS, weighting='WD'), 'Q_IA_LA@20'),
    }  # fmt: skip
    for cell, (one, first, other, second) in pairs.items():
        both = by_system(one, first).mean(axis=1), by_system(other, second).mean(axis=1)
        assert cells[cell].value == pytest.approx(meta.tau_ap(*both, symmetric=True)), cell
    assert len(cells) == 10 + 10 + 10 + 4 + 10


def test_table_8_by_hand():
    """D# ties the rankings. HD# has seven nodes, of which run 2 misses i2b."""
    log = [math.log2(rank + 1) for rank in range(1, 11)]

    def both(run, ideal, recall):
        dcg = sum(gain / log[rank] for rank, gain in zip((7, 8, 9), run))
        return (recall + dcg / sum(gain / log[rank] for rank, gain in enumerate(ideal))) / 2

    flat = both((2 / 3, 1 / 3, 1 / 3), (2 / 3, 1 / 3, 1 / 3, 1 / 3), 1)
    d1, d2, d3, d4 = (2 / 3 + 1 / 2) / 2, (1 / 3 + 1 / 6) / 2, 1 / 3, 1 / 3
    one, other = both((d1, d2, d3), (d1, d3, d4, d2), 1), both((d1, d3, d4), (d1, d3, d4, d2), 6 / 7)  # fmt: skip
    paper = studies.paper('dou', RUNS, QRELS)
    assert [float(text) for text in paper['table8'].values()] == pytest.approx([flat, one, flat, other], abs=1e-4)  # fmt: skip
    assert paper.claim('d23').verdict == 'agree'
    cells = {key: '0.5' for key in paper['table8']}
    paper.outcomes['table8'] = replace(paper.outcomes['table8'], cells=cells)
    assert paper.claim('d23').verdict == 'disagree'


def test_figure_7_counts_pairs_of_one_intent():
    texts = {'a': 'x y', 'b': 'x y', 'c': 'z', 'd': 'x y'}
    qrels = {'q': {'a': {'1': 1}, 'b': {'1': 1}, 'c': {'1': 1}, 'd': {'2': 1}}}
    work = studies.paper('dou', {'s': {'q': {'a': 1.0}}}, qrels, docs=texts).work
    cells = dou.figure7(work)
    assert cells['from=0.9', 'TF-IDF'].value == pytest.approx(1 / 3)
    assert cells['from=0', 'TF-IDF'].value == pytest.approx(2 / 3)
    assert sum(cells[row, name].value for row, name in cells if name == 'SimHash') == pytest.approx(
        1
    )


def test_figure_8_begins_with_the_flat_measure(paper):
    cells = paper['figure8']
    flat = paper['table4']['with intents', 'D#-nDCG (HD)', 'flat']
    assert {cells['δ=0', curve].value for curve in ('WI', 'WD', 'raw', 'TF-IDF')} == {flat.value}
    assert paper.claim('d01').verdict == 'agree'
    built = build_hierarchy(QRELS, DOCS, 'tfidf', cutoff=0.4)
    power = meta.discriminative_power(
        evaluate(RUNS, built, HD), 'bootstrap', correction=None, rng=3
    )
    low, high = power.monte_carlo()[0]
    assert low <= cells['δ=0.4', 'TF-IDF'].value <= high


def test_the_sentence_follows_figure_8(paper):
    outcome = paper.outcomes.get('figure8') or (paper['figure8'], paper.outcomes['figure8'])[1]
    moved = studies.paper('dou', RUNS, QRELS, docs=DOCS)
    for at_half, words in (
        (99, 'most pairs at δ=0.5 (99 of 6; the flat measure 1)'),
        (0, 'At no δ'),
    ):
        counts = {cutoff: 1 for cutoff in dou.CUTOFFS} | {'δ=0.5': at_half}
        cells = {
            key: replace(cell, value=counts[key[0]])
            for key, cell in outcome.cells.items()
            if key[0] in counts
        }
        moved.outcomes['figure8'] = replace(outcome, cells=cells)
        assert words in moved.sentences('figure8')[0]


def test_texts_of_a_table():
    """The command hands over a file of texts as a table."""
    table = pd.DataFrame({'doc_id': list(DOCS), 'text': list(DOCS.values())})
    one, other = (studies.paper('dou', RUNS, QRELS, docs=docs)['figure7'] for docs in (table, DOCS))
    assert {key: cell.value for key, cell in one.items()} == {
        key: cell.value for key, cell in other.items()
    }


def test_what_is_missing_is_named():
    bare = studies.paper('dou', RUNS, QRELS)
    with pytest.raises(NotTestableError, match='needs --docs'):
        bare['table3']
    assert (bare.claim('d08').verdict, 'needs --docs' in bare.claim('d08').yours) == (
        'not testable',
        True,
    )
    without = studies.paper('dou', RUNS, QRELS, docs=DOCS)
    assert not any('SUP' in name for key in without['table4'] for name in key)
    assert ('δ=0.3', 'SUP+WI') not in without['figure8']
    for claim in ('d03', 'd05', 'd09', 'd10'):
        assert without.claim(claim).yours == 'needs --superintents', claim
    for claim in ('d02', 'd04', 'd06', 'd07', 'd08', 'd11', 'd12', 'd13', 'd14', 'd15', 'd16'):
        found = without.claim(claim)
        assert found.verdict != 'not testable' or 'largest possible' in found.yours, found


def test_claims_follow_the_counts(paper):
    """Counts without error that are moved by one decide the claims about them."""
    moved = studies.paper('dou', RUNS, QRELS, docs=DOCS, superintents=SUPER)
    outcome = (paper['table4'], paper.outcomes['table4'])[1]

    def verdicts(flat, wi, both, tl):
        values = {'flat': flat, 'SUP': 1, 'WI': wi, 'WD': wi, 'SUP+WI': both, 'SUP+WD': 0, 'TL': tl}
        values |= {'nDCG': 2} | dict.fromkeys(dou.SCHEMES, wi)
        cells = {
            key: replace(cell, value=values[key[2]], deviations=cell.deviations * 0)
            for key, cell in outcome.cells.items()
            if key[2] in values
        }
        moved.outcomes['table4'] = replace(outcome, cells=cells)
        return [moved.claim(claim).verdict for claim in ('d08', 'd09', 'd10', 'd11', 'd12', 'd13')]

    assert verdicts(2, 3, 4, 1) == ['agree', 'agree', 'agree', 'agree', 'agree', 'agree']
    assert verdicts(2, 1, 1, 3) == [
        'disagree',
        'agree',
        'disagree',
        'disagree',
        'disagree',
        'agree',
    ]
    assert verdicts(6, 0, 9, 6)[:4] == ['disagree', 'disagree', 'agree', 'not testable']


def test_exchanged_similarities_stay_among_documents_of_the_same_intents():
    """d alone is relevant to intent 2. It keeps its vector, and a, b and c have theirs in six orders."""
    vectors = {'a': [1, 0], 'b': [1, 0.1], 'c': [0, 1], 'd': [1, 2]}
    qrels = {'q': {'a': {'1': 1}, 'b': {'1': 1}, 'c': {'1': 1}, 'd': {'1': 1, '2': 1}}}
    found, rng = Dendrograms(qrels, None, similarity=vectors), np.random.default_rng(0)

    def to_d(trees):
        group = trees.groups[0]
        return tuple(group.similarity[np.ix_(*[np.argsort(group.rows)] * 2)][3].round(6))

    orders = {to_d(found.exchanged(rng)) for _ in range(60)}
    assert len(orders) == 6 and {tuple(sorted(order)) for order in orders} == {
        tuple(sorted(to_d(found)))
    }
    assert {order[3] for order in orders} == {1}


def test_the_control_is_no_table_of_the_page(paper):
    cells = paper['shuffled']
    low, high = (cells['D#-nDCG (HD)', name] for name in ('shuffled, least', 'most'))
    assert 0 <= low <= high <= 6 and 0.05 <= cells['D#-nDCG (HD)', 'p'] <= 1
    assert cells['D#-nDCG (HD)', 'WI'].value == pytest.approx(
        paper['table4']['with intents', 'D#-nDCG (HD)', 'WI'].value, abs=1
    )
