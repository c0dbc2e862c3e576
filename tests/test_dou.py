"""The study of Dou et al. 2019: its hierarchies, counts and correlations are those of the package, its verdicts follow."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from ir_divmeasures import build_hierarchy, evaluate, meta, studies
from ir_divmeasures.data import with_superintents
from ir_divmeasures.data.hierarchy import Dendrograms
from ir_divmeasures.studies import dou
from ir_divmeasures.studies.paper import Paper
from ir_divmeasures.studies.rules import NotTestableError

from .builders import expect_error, over, refused
from .test_papers import moved

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
SCHEMES = ('RA', 'RP', 'NA', 'NP')


@pytest.fixture(scope='module', autouse=True)
def less():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dou, 'CUTOFFS', ['δ=0', 'δ=0.4', 'δ=0.5'])
        patch.setattr(Paper, 'n_resamples', 25)
        yield


@pytest.fixture(scope='module')
def paper():
    return studies.paper('dou', QRELS, RUNS, docs=DOCS, superintents=SUPER)


def by_system(qrels, measure):
    found = evaluate(qrels, RUNS, measure)
    return found.values[:, np.argsort(found.queries), 0]


def monte_carlo(qrels):
    """The ends of the number of pairs that HD#-nDCG separates, with other trials."""
    scores = evaluate(qrels, RUNS, HD)
    power = meta.discriminative_power(scores, 'bootstrap', correction=None, n_resamples=1000, rng=1)
    return power.monte_carlo()[0]


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


def test_tables_4_and_figure_8_count_pairs_by_the_bootstrap(paper):
    """Figure 8 begins with the flat measure."""
    counts, curves = paper['table4'], paper['figure8']
    above = with_superintents(QRELS, SUPER)
    for count, qrels in (
        (counts['with intents', 'D#-nDCG (HD)', 'WI'], build_hierarchy(QRELS, DOCS)),
        (counts['with intents', 'D#-nDCG (HD)', 'SUP+WD'], build_hierarchy(above, DOCS, weighting='WD')),
        (curves['δ=0.4', 'TF-IDF'], build_hierarchy(QRELS, DOCS, 'tfidf', cutoff=0.4)),
    ):  # fmt: skip
        low, high = monte_carlo(qrels)
        assert low <= count.value <= high and count.total == 6
    scores = {('nDCG', 'nDCG'): paper.scored['nDCG', 'nDCG']}
    assert list(paper.power(scores)[1].values()) == [counts['similarity', 'nDCG', 'nDCG Δ']]
    flat = counts['with intents', 'D#-nDCG (HD)', 'flat'].value
    assert flat == counts['with intents', 'D#-nDCG (LAD)', 'flat'].value
    assert {key[2] for key in counts if key[0] == 'similarity'} == {
        *(scheme + delta for scheme in ('nDCG', *SCHEMES) for delta in ('', ' Δ'))
    }
    assert {curves['δ=0', curve].value for curve in ('WI', 'WD', 'raw', 'TF-IDF')} == {flat}
    assert paper.claim('d01').verdict == 'agree'


def test_the_error_of_a_count_is_that_of_t_tests_on_resampled_topics(paper):
    values = by_system(QRELS, 'ERR_IA@20')
    first, second = np.triu_indices(4, 1)
    with np.errstate(all='ignore'):
        again = [
            (ttest_rel(values[first][:, q], values[second][:, q], axis=1).pvalue < 0.05).sum()
            for q in paper.topic_samples[1:]
        ]
    (count,) = paper.power({('ERR-IA', 'flat'): values})[0].values()
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
    paper = studies.paper('dou', QRELS, RUNS)
    cells = paper['table8']
    found = [float(cells[key]) for key in sorted(cells, key=lambda key: key[1])]
    assert found == pytest.approx([flat, flat, one, other], abs=1e-4)
    assert paper.claim('d23').verdict == 'agree'


def test_figure_7_counts_pairs_of_one_intent():
    """The command hands over texts as a table."""
    texts = {'a': 'x y', 'b': 'x y', 'c': 'z', 'd': 'x y'}
    table = pd.DataFrame({'doc_id': list(texts), 'text': list(texts.values())})
    qrels = {'q': {'a': {'1': 1}, 'b': {'1': 1}, 'c': {'1': 1}, 'd': {'2': 1}}}
    for docs in (texts, table):
        cells = studies.paper('dou', qrels, {'s': {'q': {'a': 1.0}}}, docs=docs).figure7()
        assert cells['from=0.9', 'TF-IDF'].value == pytest.approx(1 / 3)
        assert cells['from=0', 'TF-IDF'].value == pytest.approx(2 / 3)
        shares = [cell.value for (_, name), cell in cells.items() if name == 'SimHash']
        assert sum(shares) == pytest.approx(1)


def test_what_is_missing_is_named():
    bare = studies.paper('dou', QRELS, RUNS)
    with expect_error('needs --docs', NotTestableError):
        bare['table3']
    assert bare.claim('d08')[-3:-1] == ('table4: needs --docs', 'not testable')
    without = studies.paper('dou', QRELS, RUNS, docs=DOCS)
    assert not any('SUP' in name for key in without['table4'] for name in key)
    assert ('δ=0.4', 'SUP+WI') not in without['figure8']
    for claim in ('d03', 'd05', 'd09', 'd10'):
        assert without.claim(claim).yours == 'needs --superintents', claim
    for claim in ('d02', 'd04', 'd06', 'd07', 'd08', 'd11', 'd12', 'd13', 'd14', 'd15', 'd16'):
        found = without.claim(claim)
        assert found.verdict != 'not testable' or 'largest possible' in found.yours, found


def test_claims_follow_the_counts(paper):
    """Counts that are moved decide the claims about them."""

    def verdicts(flat, wi, both, tl):
        values = {'flat': flat, 'SUP': 1, 'WI': wi, 'WD': wi, 'SUP+WI': both, 'SUP+WD': 0, 'TL': tl}
        values |= {'nDCG': 2} | dict.fromkeys(SCHEMES, wi)
        cells = {key[1:]: cell for key, cell in paper['table4'].items()}
        study = moved(paper, 'table4', lambda *key: values.get(key[1], 0) - cells[key].value)
        return [study.claim(claim).verdict for claim in ('d08', 'd09', 'd10', 'd11', 'd12', 'd13')]

    assert verdicts(2, 3, 4, 1) == ['agree'] * 6
    no = 'disagree'
    assert verdicts(2, 1, 1, 3) == [no, 'agree', no, no, no, 'agree']
    assert verdicts(6, 0, 9, 6)[:4] == [no, no, 'agree', 'not testable']


def test_curves_of_figure_8_have_their_settings(paper, monkeypatch):
    seen, cut = set(), Dendrograms.cut
    monkeypatch.setattr(
        Dendrograms,
        'cut',
        lambda trees, upper=None, **how: (
            seen.add((upper is None, *sorted(how.items()))) or cut(trees, upper, **how)
        ),
    )
    paper.figure8()
    for cutoff in dou.CUTOFFS:
        base = ('cutoff', float(cutoff[2:]))
        assert {each for each in seen if base in each} == {
            (True, base),
            (True, base, ('weighting', 'WD')),
            (True, base, ('raw', True)),
            (False, base),
        }


def test_exchanged_similarities_stay_among_documents_of_the_same_intents():
    """d alone is relevant to intent 2. It keeps its vector, and a, b and c have theirs in six orders."""
    vectors = {'a': [1, 0], 'b': [1, 0.1], 'c': [0, 1], 'd': [1, 2]}
    qrels = {'q': {'a': {'1': 1}, 'b': {'1': 1}, 'c': {'1': 1}, 'd': {'1': 1, '2': 1}}}
    found, rng = Dendrograms(qrels, None, similarity=vectors), np.random.default_rng(0)

    def to_d(trees):
        group = trees.groups[0]
        return tuple(group.similarity[np.ix_(*[np.argsort(group.rows)] * 2)][3].round(6))

    orders = {to_d(dou.exchanged(found, rng)) for _ in range(60)}
    assert len(orders) == 6 and {tuple(sorted(each)) for each in orders} == {
        tuple(sorted(to_d(found)))
    }
    assert {order[3] for order in orders} == {1}


def test_exchanged_clusters_are_those_of_the_exchanged_similarities():
    """Some documents have the same vector, and some are relevant to both intents."""
    rng = np.random.default_rng(1)
    vectors = {f'd{n}': [*map(float, rng.integers(0, 3, 3) + [1, 0, 0])] for n in range(24)}
    qrels = {
        q: {d: {'1': 1} | ({'2': 2} if n % 3 else {}) for n, d in enumerate(vectors)} for q in 'pq'
    }
    found = Dendrograms(qrels, None, similarity=vectors)
    ids = found.cut(cutoff=0)['doc_id'].to_numpy()
    moved_once, keys = False, ['query_id', 'layer', 'subtopic_id', 'doc_id']
    for _ in range(5):
        other = dou.exchanged(found, rng)
        moved = {
            query: {
                ids[mine]: vectors[ids[theirs]]
                for before, after in zip(found.groups, other.groups)
                if before.query == query
                for mine, theirs in zip(after.rows, before.rows)
            }
            for query in qrels
        }
        for cutoff in (0.5, 0.9, 1):
            built, cut = (
                each.drop(columns='clustering').sort_values(keys, ignore_index=True)
                for each in (
                    build_hierarchy(qrels, similarity=moved, cutoff=cutoff),
                    other.cut(cutoff=cutoff),
                )
            )
            pd.testing.assert_frame_equal(cut, built)
            before = found.cut(cutoff=cutoff).drop(columns='clustering')
            moved_once |= not cut.equals(before.sort_values(keys, ignore_index=True))
    assert moved_once


def test_the_control_is_no_table_of_the_page(paper):
    row = dict(zip(('WI', 'least', 'most', 'p'), paper['shuffled'].values()))
    assert 0 <= row['least'] <= row['most'] <= 6 and 0.05 <= row['p'].value <= 1
    counts = paper['table4']
    assert row['WI'].value == pytest.approx(
        counts['with intents', 'D#-nDCG (HD)', 'WI'].value, abs=1
    )
    assert 'shuffled' not in paper.parts
