"""Agreement of two assignments of documents to subtopics: literal twins, arithmetic, chance, the best cutoff."""

import itertools
import math
import sys

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

import ir_divmeasures as dm
from ir_divmeasures.quality import calibrate_cutoff, subtopic_agreement

from .builders import expect_error, expect_warning, over, refused


def judged(sets):
    """Judgments of query q from the subtopics of each document."""
    return {'q': {d: dict.fromkeys(subtopics, 1) for d, subtopics in sets.items()}}


# -------------------------------------------------------------------------------------------------- literal twins


def literal_omega(a, b):
    """Collins & Dent 1988: pairs that are together equally often, less what is expected of the two margins."""
    pairs = list(itertools.combinations(sorted(a), 2))
    x = [len(a[d] & a[e]) for d, e in pairs]
    y = [len(b[d] & b[e]) for d, e in pairs]
    observed = sum(i == j for i, j in zip(x, y)) / len(pairs)
    expected = sum(x.count(j) * y.count(j) for j in set(x) | set(y)) / len(pairs) ** 2
    return 1.0 if math.isclose(expected, 1) else (observed - expected) / (1 - expected)


def literal_bcubed(a, b):
    """Amigó et al. 2009, §5: multiplicity precision and recall, averaged over the pairs of each document."""
    precision, recall = [], []
    for d in a:
        both = {e: min(len(a[d] & a[e]), len(b[d] & b[e])) for e in a}
        precision.append(np.mean([both[e] / len(a[d] & a[e]) for e in a if a[d] & a[e]]))
        recall.append(np.mean([both[e] / len(b[d] & b[e]) for e in a if b[d] & b[e]]))
    p, r = np.mean(precision), np.mean(recall)
    return p, r, 2 * p * r / (p + r)


def random_sets(rng, n, k, overlapping):
    return {
        f'd{i}': {
            f's{s}' for s in rng.choice(k, 1 + (overlapping and rng.random() < 0.4), replace=False)
        }
        for i in range(n)
    }


@pytest.mark.filterwarnings('ignore:.*queries have one subtopic')
@over('seed', range(10))
def test_twins(seed):
    rng = np.random.default_rng(seed)
    n, overlapping = int(rng.integers(2, 14)), bool(seed % 2)
    a, b = (random_sets(rng, n, int(rng.integers(2, 5)), overlapping) for _ in range(2))
    found = subtopic_agreement(judged(a), judged(b), n_resamples=3, rng=0).queries.iloc[0]
    assert found['omega'] == pytest.approx(literal_omega(a, b), abs=1e-12)
    assert (found['precision'], found['recall'], found['f1']) == pytest.approx(
        literal_bcubed(a, b), abs=1e-12
    )
    single = [d for d in a if len(a[d]) == len(b[d]) == 1]
    labels = [[min(of[d]) for d in single] for of in (a, b)]
    assert found['overlapping'] == n - len(single)
    if len(single) > 1:
        assert found['ami'] == pytest.approx(
            adjusted_mutual_info_score(labels[1], labels[0]), abs=1e-9
        )
    if not overlapping:
        assert found['omega'] == pytest.approx(adjusted_rand_score(labels[1], labels[0]), abs=1e-12)


def test_by_hand():
    """Of 6 pairs 2 are together in a, 3 in b, 1 in both: 3 agree; expected (2 · 3 + 4 · 3)/36 = 1/2."""
    a = {'d1': {'x'}, 'd2': {'x'}, 'd3': {'y'}, 'd4': {'y'}}
    b = {'d1': {'1'}, 'd2': {'1'}, 'd3': {'2'}, 'd4': {'1'}}
    found = subtopic_agreement(judged(a), judged(b), n_resamples=9, rng=0).queries.iloc[0]
    assert found['omega'] == pytest.approx(0)
    assert found['precision'] == pytest.approx((1 + 1 + 1 / 2 + 1 / 2) / 4)
    assert found['recall'] == pytest.approx((2 / 3 + 2 / 3 + 1 + 1 / 3) / 4)
    # the worked example of Amigó et al. 2009: two documents together twice in b, once in a
    a, b = {'d1': {'x'}, 'd2': {'x'}}, {'d1': {'1', '2'}, 'd2': {'1', '2'}}
    found = subtopic_agreement(judged(a), judged(b), n_resamples=9, rng=0).queries.iloc[0]
    assert (found['precision'], found['recall']) == (1, 1 / 2) and np.isnan(found['ami'])


def test_layers_and_documents_that_one_side_lacks():
    qrels = {
        q: {'d1': {'1': 1}, 'd2': {'1': 1}, 'd3': {'2': 1}, 'd4': {'2': 0}} for q in ('q', 'p')
    }
    texts = {'d1': 'land rover', 'd2': 'rover land', 'd3': 'windows', 'd4': 'none'}
    built = dm.build_hierarchy(qrels, texts, similarity='tfidf', level='topic')
    for layer in (1, 'deepest'):
        found = subtopic_agreement(built, qrels, layer=layer, n_resamples=9, rng=0)
        assert found.to_frame()['mean'].tolist() == [1] * 5 and found.queries[
            'documents'
        ].tolist() == [
            3,
            3,
        ]
    with expect_error(r"a: no layer 'flat' \(found 1, or 'deepest'\)"):
        subtopic_agreement(built, qrels, layer='flat')
    with expect_warning('1 of 2 queries are omitted: fewer than two'):
        subtopic_agreement({'q': qrels['q'], 'p': {'d1': {'1': 1}}}, qrels, n_resamples=9)
    with expect_error(r'no query with two documents that are relevant in both \(1 queries of a, 2'):
        subtopic_agreement({'x': qrels['q']}, qrels)
    with expect_error('n_resamples=True: expected a whole number of at least 1'):
        subtopic_agreement(qrels, qrels, n_resamples=True)


def test_scikit_learn_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sklearn.metrics.cluster', None)
    with expect_error(
        r"subtopic_agreement needs scikit-learn: pip install '\.\[text\]'", ImportError
    ):
        subtopic_agreement({'q': {'d': 1}}, {'q': {'d': 1}})


def test_the_cutoff_that_agrees_best():
    """Similarities .8 within subtopics and .1 between them: every δ in (.1, .8] finds the subtopics."""
    documents = ['a1', 'a2', 'b1', 'b2']
    within = np.array(
        [[1, 0.8, 0.1, 0.1], [0.8, 1, 0.1, 0.1], [0.1, 0.1, 1, 0.8], [0.1, 0.1, 0.8, 1]]
    )
    qrels = {q: {d: {d[0]: 1} for d in documents} for q in ('q1', 'q2', 'q3')}
    alike = {q: dm.judgments.Matrix(within, documents) for q in ('q1', 'q2', 'q3')}
    found = calibrate_cutoff(qrels, similarity=alike, cutoffs=[0, 0.05, 0.5, 0.8, 0.9])
    # together as one: omega 0; apart: 0; the two subtopics: 1
    assert found.to_frame()['omega'].tolist() == pytest.approx([0, 0, 1, 1, 0])
    assert (found.best, found.omega, found.held_out) == (0.5, 1, 1)
    alike['q3'] = dm.judgments.Matrix(
        within**0.25, documents
    )  # .946 within, .562 between: only .9 is right
    found = calibrate_cutoff(qrels, similarity=alike, cutoffs=[0.5, 0.9])
    assert found.to_frame()['omega'].tolist() == pytest.approx([2 / 3, 1 / 3]) and found.best == 0.5
    # for q1 and q2 both δ are equally good on the others, and the smaller one is taken; for q3 it is .5, which is wrong
    assert found.held_out == pytest.approx((1 + 1 + 0) / 3)
    for cutoffs, message in (([], r'cutoffs=\[\]: expected numbers'), ([2], r'cutoffs=\[2.0\]')):
        refused(message, calibrate_cutoff, qrels, similarity=alike, cutoffs=cutoffs)
    with expect_error('1 queries with two relevant documents, expected at least two'):
        calibrate_cutoff({'q1': qrels['q1']}, similarity=alike)


def test_ambient(shared):
    """ARI and AMI of the definition's simulation: TF-IDF .325/.450; omega of the best δ held out .323."""
    import gzip

    folder = shared / 'data/ambient'
    with gzip.open(folder / 'results.txt.gz', 'rt', encoding='utf-8', errors='replace') as file:
        rows = [line.rstrip('\n').split('\t') for line in file][1:]
    docs = {row[0]: ' '.join(row[2:]) for row in rows}
    qrels = dm.read_qrels(folder / 'qrels.diversity')
    built = dm.build_hierarchy(qrels, docs, 'tfidf', 0.2, level='topic')
    found = (
        subtopic_agreement(built, qrels, layer='deepest', n_resamples=20, rng=0)
        .to_frame()
        .set_index('figure')
    )
    assert found.loc['omega', 'mean'] == pytest.approx(0.323, abs=0.004)
    assert found.loc['ami', 'mean'] == pytest.approx(0.450, abs=0.004)
    assert abs(found.loc['omega', 'chance']) < 0.01 < found.loc['omega', 'low']
