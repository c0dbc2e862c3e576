"""Building intent hierarchies: the paper's figures, invariants, a slow twin, sources of texts, round trips, errors."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest

from ir_divmeasures import (
    build_hierarchy,
    evaluate,
    measures,
    read_qrels,
    with_intents,
    with_similarity,
    with_superintents,
    with_weights,
    write_qrels,
)
from ir_divmeasures.data import Matrix
from ir_divmeasures.data.clustering import cut, merges_of
from tests.reference import hierarchy as twin

from .builders import expect_error, expect_warning, judgment_table, over, refused

pytestmark = pytest.mark.filterwarnings(
    'ignore::ir_divmeasures.DivMeasuresWarning'
)  # small, made-up data


def matrix(docs, merges):
    """Similarities of documents from merges (similarity, group, group, …), deepest first: an ultrametric."""
    table = pd.DataFrame(np.eye(len(docs)), index=docs, columns=docs)
    for similarity, *groups in merges:
        for one, other in itertools.combinations(groups, 2):
            for x, y in itertools.product(one, other):
                table.loc[x, y] = table.loc[y, x] = similarity
    return table


def qrels_of(intents, grade=1):
    return judgment_table([('q', d, grade, t) for t, docs in intents.items() for d in docs])


def layer(built, number):
    """The nodes of a layer: their documents, one after the other → weight."""
    rows = built[(built['layer'] == number) & (built['relevance'] > 0)]
    nodes = rows.groupby(['query_id', 'subtopic_id'])
    return {''.join(sorted(group['doc_id'])): group['weight'].iloc[0] for _, group in nodes}


def test_figure_4():
    """Dou et al. 2019, Fig. 4 and §3.3.

    d1 and d2 have similarity 0.33 and become one leaf at δ = 0.3; node e lies in node d's bin [0, 0.1) and is removed,
    so that the root has three children; d9 stands a level above the other leaves and gets a dummy. (The paper's text
    gives these facts; the other similarities are ours.)
    """
    similar = matrix(
        [*'123456789'],
        [
            (0.33, '1', '2'),
            (0.40, '4', '5', '6'),
            (0.35, '7', '8'),
            (0.18, '12', '3'),
            (0.12, '456', '78'),
            (0.07, '123', '9'),  # node e
            (0.02, '1239', '45678'),  # node d, the root
        ],
    )
    qrels = qrels_of({'5': '123456789'})
    built = build_hierarchy(qrels, similarity=similar)
    assert sorted(built['layer'].unique()) == [0, 1, 2]
    assert layer(built, 0) == {'123456789': 1.0}
    assert layer(built, 1) == pytest.approx({'123': 2 / 5, '9': 1 / 5, '45678': 2 / 5})
    assert layer(built, 2) == pytest.approx(dict.fromkeys(('12', '3', '456', '78', '9'), 1 / 5))
    similarity = built.groupby('subtopic_id')['similarity'].first()
    assert similarity['5'] == 0.02 and similarity['5/2/1'] == 0.33
    dummy = built.loc[built['subtopic_id'] == '5/3/1', ['layer', 'doc_id']]
    assert dummy.values.tolist() == [[2, '9']]  # the green node
    raw = build_hierarchy(qrels, similarity=similar, raw=True)
    assert {*layer(raw, 1)} == {'1239', '45678'}


def test_figure_5():
    """Dou et al. 2019, Fig. 5 and §3.4.

    Three leaves, of which node a has two: 2/3 and 1/3 each with WI; with WD the global gains of node a sum to 37, of
    all to 54, so that node a has 37/54 = 0.69.
    """
    gains = {'1': 12, '2': 8, '3': 17, '4': 17}
    qrels = qrels_of({'1': gains}).assign(relevance=lambda t: t['doc_id'].map(gains))
    similar = matrix([*gains], [(0.5, '1', '2'), (0.2, '12', '3'), (0.05, '123', '4')])
    wi = build_hierarchy(qrels, similarity=similar)
    assert layer(wi, 1) == pytest.approx({'123': 2 / 3, '4': 1 / 3})
    assert layer(wi, 2) == pytest.approx({'12': 1 / 3, '3': 1 / 3, '4': 1 / 3})
    wd = build_hierarchy(qrels, similarity=similar, weighting='WD')
    assert layer(wd, 1)['123'] == pytest.approx(37 / 54) == pytest.approx(0.69, abs=0.005)
    assert layer(wd, 2) == pytest.approx({'12': 20 / 54, '3': 17 / 54, '4': 17 / 54})


def test_figure_6():
    """Dou et al. 2019, Fig. 6 and §3.5.

    Intent 1 has depth two, intent 2 depth one and a single subintent. Uniform weights give that subintent 0.5 (6b),
    weights by height 2/3 and 1/3 (6c).
    """
    similar = matrix([*'abcxy'], [(0.2, 'a', 'b'), (0.05, 'ab', 'c'), (0.6, 'x', 'y')])
    qrels = with_weights(qrels_of({'1': 'abc', '2': 'xy'}), {'q': {'1': 0.7, '2': 0.3}})
    for kind, (one, two) in {
        'uniform': (0.5, 0.5),
        'height': (2 / 3, 1 / 3),
        'given': (0.7, 0.3),
    }.items():
        built = build_hierarchy(qrels, similarity=similar, intent_weighting=kind)
        assert layer(built, 0) == pytest.approx({'abc': one, 'xy': two})
        assert layer(built, 1)['xy'] == pytest.approx(two)
        thirds = dict.fromkeys('abc', one / 3)
        assert layer(built, 2) == pytest.approx({**thirds, 'xy': two})


def random_judgments(rng, queries=3):
    rows = []
    for q in range(queries):
        docs = [f'd{q}{i:02}' for i in range(int(rng.integers(2, 16)))]
        for t in range(int(rng.integers(1, 4))):
            chosen = rng.choice(docs, size=int(rng.integers(1, len(docs) + 1)), replace=False)
            rows += [(f'q{q}', d, int(rng.integers(-1, 4)), str(t)) for d in chosen]
    return judgment_table(rows)


def random_matrix(rng, docs):
    half = np.triu(rng.uniform(0, 1, (len(docs), len(docs))) ** rng.uniform(0.2, 2), 1)
    return pd.DataFrame(half + half.T + np.eye(len(docs)), index=docs, columns=docs)


@over('seed', range(4))
def test_against_the_slow_twin(seed):
    """WI, WD and the raw hierarchy, of intents and of whole topics."""
    rng = np.random.default_rng(seed)
    qrels = random_judgments(rng)
    similar = random_matrix(rng, sorted(qrels['doc_id'].unique())).round(12)
    settings = {
        'cutoff': (0.3, 0.5, 0.8, 1.0)[seed % 4],
        'weighting': ('WI', 'WD')[seed % 2],
        'raw': seed % 3 == 0,
        'rel': 1 + seed % 2,
        'level': ('intent', 'topic')[seed // 3 % 2],
    }
    built = build_hierarchy(qrels, similarity=similar, **settings)
    if settings['level'] == 'topic':  # documents below rel stay judged, and are relevant to no node
        assert not built['relevance'].between(0, settings['rel'], inclusive='neither').any()
        assert {*built['doc_id']} == {*qrels['doc_id']}
    for query, rows in qrels.groupby('query_id'):
        grades = {(d, t): g for _, d, g, t in rows.itertuples(index=False)}
        expected = twin.hierarchy(grades, lambda x, y: similar.at[x, y], str, **settings)
        for layer, nodes in expected.items():
            here = built[(built['query_id'] == query) & (built['layer'] == layer)]
            if settings['level'] == 'topic' or not nodes:
                here = here[here['relevance'] >= settings['rel']]
            if layer > 0:
                found = here.groupby('subtopic_id')
                found = [({*part['doc_id']}, part['weight'].iloc[0]) for _, part in found]
                assert sorted((sorted(docs), round(w, 9)) for docs, w in found) == sorted(
                    (sorted(docs), round(w, 9)) for _, docs, w in nodes
                )
            else:
                weight = here.drop_duplicates('subtopic_id').set_index('subtopic_id')['weight']
                assert weight[weight > 0].to_dict() == pytest.approx({t: w for t, _, w in nodes})
        assert built.loc[built['query_id'] == query, 'layer'].max() == max(expected)


def test_a_cutoff_of_0_gives_the_flat_intents():
    rng = np.random.default_rng(3)
    qrels = random_judgments(rng, queries=4)
    similar = random_matrix(rng, sorted(qrels['doc_id'].unique())) - 0.5  # below 0 counts as 0
    built = build_hierarchy(qrels, similarity=similar.clip(upper=1), cutoff=0)
    assert set(built['layer']) == {0}
    pd.testing.assert_frame_equal(built[qrels.columns], qrels, check_dtype=False)


TEXTS = {
    'd1': 'windows defender questions answers',
    'd2': 'windows defender answers and questions',
    'd3': 'windows defender download',
    'd4': 'defender arcade game',
    'd5': 'play the defender game online',
}
QRELS = {
    '20': {
        'd1': {'5': 1},
        'd2': {'5': 2},
        'd3': {'5': 1, '2': 0},
        'd4': {'2': 1},
        'd5': {'2': 1},
        'd6': {'2': -2},
    }
}
PARENTS = {'20': {'5': 'software'}}


def test_topic_level_without_intents():
    """The second measure of Dou et al. 2019, on ad-hoc judgments; non-relevant documents stay judged."""
    adhoc = {'20': {'d1': 1, 'd2': 1, 'd3': 1, 'd4': 2, 'd6': 0}, '21': {'d1': 0}, '22': {'d5': 1}}
    built = build_hierarchy(adhoc, TEXTS, similarity='tfidf', level='topic', cutoff=0.5)
    assert set(built['layer']) == {1, 2}
    run = {'20': {'d6': 3.0, 'd4': 2.0, 'x': 1.0}, '21': {'d1': 1.0}, '22': {'d5': 1.0}}
    asked = 'N_rec@2 N_rec(judged_only=True)@2 P@1'
    found = evaluate(built, run, asked).values[0]
    assert found.tolist() == [[2 / 5, 2 / 5, 0], [0, 0, 0], [1, 1, 1]]


def test_similarities_and_other_columns_ride_along(tmp_path):
    """A hierarchy of written similarities is that of the texts, also after a file."""
    table = pd.DataFrame({'query_id': ['20'], 'subtopic_id': ['5'], 'importance': ['vital']})
    known = with_intents(QRELS, table)
    for kind in ('simhash', 'tfidf'):
        qrels = with_similarity(known, TEXTS, kind)
        write_qrels(qrels, tmp_path / kind)
        direct = build_hierarchy(known, TEXTS, kind, cutoff=0.7).drop(columns='clustering')
        for source in (qrels, read_qrels(tmp_path / kind)):
            built = build_hierarchy(source, cutoff=0.7)
            is_5 = built['subtopic_id'].str.startswith('5')
            assert (built.loc[is_5, 'importance'] == 'vital').all()
            assert built.loc[built['doc_id'] == 'd1', 'document_similarity'].nunique() == 1
            pd.testing.assert_frame_equal(built[direct.columns], direct, check_exact=True)


def test_similarity_by_a_function():
    def jaccard(a, b):
        return [
            [len({*x.split()} & {*y.split()}) / len({*x.split()} | {*y.split()}) for y in b]
            for x in a
        ]

    built = build_hierarchy(QRELS, TEXTS, similarity=jaccard, cutoff=0.5)
    assert layer(built, 1).keys() >= {'d1d2', 'd3'}
    for bad, said in (
        (lambda a, b: np.ones((1, 2)), "similarity of query '20'.*1 × 2"),
        (lambda a, b: 'alike', "expected numbers in rows of one length, found 'alike'"),
    ):
        refused(said, build_hierarchy, QRELS, TEXTS, similarity=bad)


def test_missing_texts():
    """A document without text or similarity is an error, or a leaf of its own."""
    some = {d: t for d, t in TEXTS.items() if d != 'd2'}
    printed = with_similarity(QRELS, TEXTS)
    printed.loc[printed['doc_id'] == 'd2', 'document_similarity'] = ''
    for given, said in (
        ((QRELS, some), "1 of 5 documents have no text in dict: 'd2'"),
        ((printed,), "1 of 5 relevant documents have no document_similarity: 'd2'"),
        (
            (QRELS, None, Matrix(np.full((4, 4), 0.5), some)),
            "1 of 5 relevant documents are not in similarity: 'd2'",
        ),
    ):
        refused(said, build_hierarchy, *given)
        with expect_warning(f'{said}; they are left out'):
            built = build_hierarchy(*given, missing='skip', cutoff=0.1)
        assert 'd2' in layer(built, 1)


def test_errors():
    built = build_hierarchy(QRELS, TEXTS, similarity='tfidf', cutoff=0.5)
    two = pd.DataFrame(
        [('20', '5', 'a'), ('20', '5', 'b')], columns=['query_id', 'subtopic_id', 'superintent']
    )
    above = with_superintents(QRELS, PARENTS)
    for call, said in (
        (lambda: build_hierarchy(QRELS, TEXTS, cutoff=1.5), r'cutoff=1.5: expected a number in'),
        (lambda: build_hierarchy(QRELS, TEXTS, weighting='wi'), "'wi': .*did you mean 'WI'"),
        (
            lambda: build_hierarchy(QRELS, TEXTS, intent_weighting='given'),
            "needs a column 'weight'",
        ),
        (
            lambda: build_hierarchy(QRELS, TEXTS, intent_weighting='given', raw=True),
            'has no effect with raw=True',
        ),
        (lambda: build_hierarchy(QRELS), 'similarity by simhash needs texts: give docs'),
        (lambda: build_hierarchy(built, TEXTS), r'subintents already \(layers 0, 1\)'),
        (lambda: with_superintents(above, PARENTS), 'above layer 0, but .* layers -1, 0'),
        (lambda: with_superintents(QRELS, {'20': {'7': 'a'}}), 'is among the 1 rows'),
        (lambda: with_superintents(QRELS, {'20': {'5': '2'}}), "'2' is a superintent and an int"),
        (lambda: with_superintents(QRELS, two), "subtopic '5' has several values of superintent"),
    ):
        refused(said, call)


# ------------------------------------------------------------------------------------- ties, renaming, similarities


@over(
    'settings, level',
    [
        ({'scale': 'hamming', 'cutoff': 0.7, 'weighting': 'WD'}, 'intent'),
        ({'similarity': 'tfidf', 'raw': True, 'weighting': 'documents', 'cutoff': 0.6}, 'topic'),
        ({'similarity': 'vectors', 'quantile': 0.5}, 'intent'),
    ],
)
def test_renaming_documents_changes_no_score(settings, level):
    rng = np.random.default_rng(5)
    qrels = random_judgments(rng)
    docs = sorted(qrels['doc_id'].unique())
    texts = {d: ' '.join(rng.choice(list('abcdefgh'), 6)) for d in docs}  # many equal similarities
    vectors = {d: rng.integers(0, 3, 4).astype(float) for d in docs}
    run = {
        q: dict(zip(rows['doc_id'], rng.permutation(len(rows)).astype(float)))
        for q, rows in qrels.groupby('query_id')
    }
    asked = measures(
        'N_rec@5 HD_nDCG@5 HD_Q@5 HDsharp_nDCG@5 HDsharp_Q@5 LADsharp_nDCG@5 LADsharp_Q@5 I_rec_LA@5 '
        "ERR_IA_LA@5 Q_IA_LA@5 D_nDCG_LA@5 D_Q_LA@5 Dsharp_nDCG_LA@5 LA(M='RBU')@5"
    )

    def scores(names):
        options = dict(settings)
        if options.get('similarity') == 'vectors':
            options['similarity'] = {names[d]: vector for d, vector in vectors.items()}
        built = build_hierarchy(
            qrels.assign(doc_id=qrels['doc_id'].map(names)).sort_values('doc_id'),
            {names[d]: text for d, text in texts.items()},
            level=level,
            **options,
        )
        renamed = {q: {names[d]: score for d, score in docs.items()} for q, docs in run.items()}
        table = evaluate(built, renamed, asked).to_frame()
        return table.set_index(['query_id', 'measure'])['value'].to_dict()

    own = scores({d: d for d in docs})
    assert any(0 < value < 1 for value in own.values())
    assert scores(dict(zip(docs, rng.permutation(docs)))) == pytest.approx(own, abs=1e-12)


@over('raw', [False, True])
@over('seed', range(20))
def test_ties_against_the_literal_rule(seed, raw):
    """Similarities of few values; the order of keys is the order of the documents."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 13))
    half = np.triu(rng.choice([0, 0.2, 0.35, 0.5, 0.7], (n, n)), 1)
    similar = half + half.T + np.eye(n)

    def shape(node):
        return tuple(sorted(map(int, node.documents))), sorted(map(shape, node.children))

    def expected(node):
        return tuple(sorted(node.docs)), sorted(map(expected, node.children))

    root = cut(merges_of(similar, np.arange(n)), 0.6, not raw)
    assert shape(root) == expected(twin.tree(range(n), lambda x, y: similar[x, y], 0.6, raw))


def test_a_square_that_only_ids_tell_apart():
    """AB = BC = CD = DA: either pair of opposite sides may merge."""
    ids = list('abcd')
    square = pd.DataFrame(np.eye(4), index=ids, columns=ids)
    for one, other in ('ab', 'bc', 'cd', 'da'):
        square.loc[one, other] = square.loc[other, one] = 0.5
    with expect_warning('1 of 1 queries have documents that the similarity does not'):
        built = build_hierarchy(qrels_of({'1': ids}), similarity=square)
    assert layer(built, 1).keys() == {'ab', 'cd'}
    graded = qrels_of({'1': ids[:3]}).assign(
        relevance=[2, 1, 1]
    )  # a—b—c: the grade of a tells it from c
    build_hierarchy(graded, similarity=square.loc[ids[:3], ids[:3]])


def test_the_default_call_divides_intents():
    name = 'divmeasures/sample/diversity'
    qrels = read_qrels(name)
    qrels = qrels[qrels['query_id'].astype(int) <= 10]
    assert build_hierarchy(qrels, name)['layer'].max() >= 1
    with expect_warning(r'no intent is divided: cutoff=0.3, .* from .* divides half of them'):
        build_hierarchy(qrels, name, scale='hamming')
    with expect_warning('each of the 2 intents has one relevant document'):
        build_hierarchy({'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, TEXTS)


def test_quantile_and_weighting_by_documents():
    similar = matrix([*'abcd'], [(0.5, 'a', 'b'), (0.4, 'ab', 'c'), (0.1, 'abc', 'd')])
    qrels = qrels_of({'1': 'abcd'})
    # pairs: .5, .4, .4, .1, .1, .1; their median is .25
    pd.testing.assert_frame_equal(
        build_hierarchy(qrels, similarity=similar, quantile=0.5),
        build_hierarchy(qrels, similarity=similar, cutoff=0.25),
    )
    built = build_hierarchy(qrels, similarity=similar, weighting='documents')
    assert layer(built, 1) == pytest.approx({'abc': 3 / 4, 'd': 1 / 4})


def test_stop_words_and_terms():
    qrels = {'q': {'d1': {'1': 1}, 'd2': {'1': 1}}}
    texts = {'d1': 'the land of the rover', 'd2': 'the song of the beagle'}
    alike = [
        with_similarity_of(qrels, texts, stopwords=words)
        for words in (None, 'english', ['the', 'of'])
    ]
    assert alike[0] > 0 and alike[1] == alike[2] == 0
    chinese = {'d1': '北京大学', 'd2': '北京大雨'}  # 北京 京大 大学, 北京 京大 大雨
    assert with_similarity_of(qrels, chinese, idf={'北京': 1.0}) == pytest.approx(2 / 3)
    with expect_error("stopwords='the': expected 'english'", TypeError):
        with_similarity_of(qrels, texts, stopwords='the')


def with_similarity_of(qrels, texts, **settings):
    run = {'q': {'d1': 2.0, 'd2': 1.0}}
    asked = measures("DocSim(scheme='NP')@2")
    return ir_measures.calc_aggregate(
        asked, with_similarity(qrels, texts, 'tfidf', **settings), run
    )[asked[0]]


def test_a_block_of_queries_without_a_layer_that_others_have(monkeypatch):
    """Many queries are scored in several blocks, and a layer may have no intent in one of them."""
    low = {f'a{n}': {'d': {'1': 1}} for n in range(3)}
    high = {f'b{n}': {f'd{d}': {'1': 1} for d in range(2)} for n in range(3)}
    texts = {'d': 'x', 'd0': 'x y', 'd1': 'z'}
    run = {query: dict.fromkeys(docs, 1.0) for query, docs in (low | high).items()}
    asked = ['HDsharp_nDCG@5', 'I_rec_LA@5', 'alpha_nDCG_LA@5']

    def scored():
        built = build_hierarchy(low | high, texts, similarity='tfidf')
        return evaluate(built, run, asked).values

    together = scored()
    monkeypatch.setattr('ir_divmeasures.data.arrays.BLOCK_CELLS', 1)
    assert np.array_equal(scored(), together)
