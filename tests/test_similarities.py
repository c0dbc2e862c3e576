"""Similarities of documents in every form that users have, and those that could be mistaken for another one."""

import builtins
import pathlib
import sys
import types

import numpy as np
import pandas as pd

import ir_divmeasures as dm
from ir_divmeasures import build_hierarchy, with_similarity
from ir_divmeasures.core.kernels import packed
from ir_divmeasures.judgments import Matrix, Vectors

from .builders import expect_error, over, refused

IDS = ['d1', 'd2', 'd3']
QRELS = {'q': {d: {'1': 1} for d in IDS}}
ALIKE = np.array([[1, 0.6, 0.2], [0.6, 1, 0.3], [0.2, 0.3, 1]])
ARRAY = np.array([[1.0, 0], [3, 4], [0, 2]])
COSINES = np.array([[1, 0.6, 0], [0.6, 1, 0.8], [0, 0.8, 1]])


def similarities(kind, qrels=QRELS, ids=IDS, **settings):
    """The similarities of the documents, in the order of ``ids``."""
    table = with_similarity(qrels, similarity=kind, **settings).set_index('doc_id').loc[ids]
    return packed.unpack(table['document_similarity'].to_numpy(dtype=object))


@over(
    'given',
    [
        Vectors(ARRAY, IDS),
        Vectors([[1.0, 0, 0], [0.6, 0.8, 0], [0, 1, 0]], IDS),  # square
        dict(zip(IDS, ARRAY.tolist())),
        pd.DataFrame(ARRAY, index=IDS),
        pd.DataFrame(ARRAY, index=IDS, columns=['x', 'y']),
        pd.DataFrame({'docno': IDS, 'doc_vec': list(ARRAY)}),
        pd.DataFrame({'docno': IDS, 'text': 'a b c', 'doc_vec': list(ARRAY)}),
        pd.DataFrame({'doc_id': IDS, 'x': ARRAY[:, 0], 'y': ARRAY[:, 1]}),
        {'q': dict(zip(IDS, ARRAY))},
        {'q': Vectors(ARRAY, IDS)},
    ],
)
def test_vectors(given):
    np.testing.assert_allclose(similarities(given), COSINES, atol=1e-12)


@over(
    'given',
    [
        Matrix(ALIKE, IDS),
        pd.DataFrame(ALIKE, index=IDS, columns=IDS),
        pd.DataFrame(ALIKE, index=IDS, columns=IDS)[['d3', 'd1', 'd2']],
        {'q': Matrix(ALIKE, IDS)},
        {'q': pd.DataFrame(ALIKE, index=IDS, columns=IDS)},
    ],
)
def test_matrices(given):
    np.testing.assert_allclose(similarities(given), ALIKE, atol=1e-12)


def test_numeric_ids():
    qrels = {1: {0: {'1': 1}, 1: {'1': 1}, 2: {'1': 1}}}
    ids = ['0', '1', '2']
    for given in (
        dict(enumerate(ARRAY)),
        pd.DataFrame(ARRAY),
        {1: dict(enumerate(ARRAY))},
    ):
        np.testing.assert_allclose(similarities(given, qrels, ids), COSINES, atol=1e-12)
    with expect_error(
        r'3 columns without names, 0 to 2, .* pass ir_divmeasures.judgments.Vectors.* or ir_'
    ):
        build_hierarchy(qrels, similarity=pd.DataFrame(ALIKE))
    np.testing.assert_allclose(similarities(Matrix(ALIKE, range(3)), qrels, ids), ALIKE, atol=1e-12)


@over(
    'given, message',
    [
        (
            Matrix(ALIKE + np.triu(np.full((3, 3), 0.01), 1), IDS),
            "similarity of query 'q': .* unequal by up to 0.01",
        ),
        (
            Matrix(1 - ALIKE, IDS),
            r"document 'd1' is less similar to itself \(0\) than to 'd3' \(0.8\); are these",
        ),
        (Matrix(ALIKE * 2, IDS), 'numbers of at most 1, found 0.4 to 2'),
        (Matrix(np.where(ALIKE == 0.2, np.nan, ALIKE), IDS), 'expected finite'),
        (
            pd.DataFrame(ALIKE, index=IDS, columns=['d1', 'd2', 'x']),
            r"2 of 3 documents of the table are among its 3 "
            r"columns \(only a row or a column: 'd3', 'x'\)",
        ),
        (
            pd.DataFrame({'docno': IDS, 'a': list(ARRAY), 'b': list(ARRAY)}),
            "several columns of vectors \\('a', 'b'\\)",
        ),
        (
            pd.DataFrame({'docno': IDS, 'text': ['a', 'b', 'c']}),
            r'expected columns of numbers, or one .* \(found text\)',
        ),
        ({'p': Matrix(ALIKE, IDS)}, "no vectors or matrix for query 'q'"),
        ({'q': Matrix(ALIKE[:2, :2], IDS[:2])}, "1 relevant documents are not in the matrix: 'd3'"),
        (
            {'q': Vectors(ARRAY[:2], IDS[:2])},
            r"1 of 3 relevant documents have no vector: 'd3'; missing='skip'",
        ),
    ],
)
def test_what_cannot_be_told_apart_is_an_error(given, message):
    refused(message, build_hierarchy, QRELS, similarity=given)


def test_rounding_errors_are_no_asymmetry():
    rounded = ALIKE + np.triu(np.full((3, 3), 1e-4), 1)
    np.testing.assert_allclose(similarities(Matrix(rounded, IDS)), ALIKE, atol=2e-4)


def test_shapes_and_types():
    for make, message in (
        (lambda: Vectors(ARRAY, ['d1']), 'an array 3 × 2 with 1 doc ids, expected a row for each'),
        (lambda: Matrix(ARRAY, IDS), 'an array 3 × 2 with 3 doc ids, expected a row and a column'),
    ):
        refused(message, make)
    with expect_error('similarity: expected .* found int', TypeError):
        build_hierarchy(
            {'p': QRELS['q'], 'q': QRELS['q']}, similarity={'p': Matrix(ALIKE, IDS), 'q': 3}
        )
    with expect_error(r'Vectors\(array, ids\).*; found tuple', TypeError):
        build_hierarchy(QRELS, similarity=(ARRAY, IDS))


@over('name', ['encode', 'embed'])
@over('form', [np.asarray, list, iter])
def test_encoders(name, form):
    """fastembed's ``embed`` gives an iterator of vectors."""
    numbers = {'a': ARRAY[0], 'b': ARRAY[1], 'c': ARRAY[2]}
    model = types.SimpleNamespace(**{name: lambda texts: form([numbers[text] for text in texts])})
    np.testing.assert_allclose(similarities(model, docs=dict(zip(IDS, 'abc'))), COSINES, atol=1e-12)


def test_static_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'wordllama', None)
    with expect_error(
        r"similarity='static' needs wordllama .*: pip install '\.\[static\]'", ImportError
    ):
        build_hierarchy(QRELS, dict.fromkeys(IDS, 'text'), similarity='static')


def test_static_asks_no_network(monkeypatch):
    """The model is loaded from the package's own folder, with downloads off."""
    seen = {}

    class WordLlama:
        @staticmethod
        def load(**settings):
            seen.update(settings)
            return types.SimpleNamespace(embed=lambda texts: [ARRAY[int(text)] for text in texts])

    module = types.ModuleType('wordllama')
    module.__file__, module.WordLlama = '/somewhere/wordllama/__init__.py', WordLlama
    monkeypatch.setitem(sys.modules, 'wordllama', module)
    np.testing.assert_allclose(
        similarities('static', docs=dict(zip(IDS, '012'))), COSINES, atol=1e-12
    )
    assert seen == {'cache_dir': pathlib.Path('/somewhere/wordllama'), 'disable_download': True}


def test_tfidf_is_scikit_learns_without_it(monkeypatch):
    from sklearn.feature_extraction.text import TfidfVectorizer

    rng = np.random.default_rng(3)
    texts = {d: ' '.join(rng.choice(list('abcdefgh'), 9)) for d in IDS}
    vectors = TfidfVectorizer(token_pattern=r'\w+').fit_transform(texts.values())
    real_import = builtins.__import__

    def without_sklearn(name, *args, **kwargs):
        if name.startswith('sklearn'):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', without_sklearn)
    np.testing.assert_allclose(
        similarities('tfidf', docs=texts), (vectors @ vectors.T).toarray(), atol=1e-12
    )


def test_the_tree_says_what_made_it(tmp_path):
    texts = {'d1': 'land rover', 'd2': 'rover land', 'd3': 'windows defender'}
    for kind, settings, name in (
        ('tfidf', {'cutoff': 0.2}, 'tfidf, cutoff 0.2'),
        (None, {'cutoff': 0.5}, 'simhash, cutoff 0.5'),
        (None, {'scale': 'hamming', 'cutoff': 0.9}, 'simhash (hamming), cutoff 0.9'),
        (Matrix(ALIKE, IDS), {}, 'given matrix, cutoff 0.3'),
        ({'q': dict(zip(IDS, ARRAY)), 'p': 3}, {'cutoff': 0.7}, 'given vectors, cutoff 0.7'),
    ):
        built = build_hierarchy(QRELS, texts, similarity=kind, **settings)
        dm.write_qrels(built, tmp_path / 'built.tsv', overwrite=True)
        for table in (built, dm.read_qrels(tmp_path / 'built.tsv')):
            nodes = dm.judgments.describe_hierarchy(table)
            assert set(nodes.loc[nodes['layer'] > 0, 'clustering']) == {name}
            assert (
                dm.judgments.hierarchy_tree(table, 'q').splitlines()[0]
                == f'q (clustered by {name})'
            )
    by_hand = dm.judgments.with_superintents(
        {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}, {'q': {'1': 'a', '2': 'a'}}
    )
    assert 'clustering' not in dm.judgments.describe_hierarchy(
        by_hand
    ) and dm.judgments.hierarchy_tree(by_hand, 'q').startswith('q\n')


def test_labels_are_words_of_the_node_in_the_order_of_the_text():
    """Numbers and single letters are no labels."""
    qrels = {'q': {f'd{i}': {'1': 1} for i in range(4)}}
    texts = {
        'd0': 'Land Rover defender parts www.landy.com 1990',
        'd1': 'Land Rover defender dealers of the UK',
        'd2': 'Windows defender security update',
        'd3': 'Windows defender security for x 11',
    }
    built = build_hierarchy(qrels, texts, similarity='tfidf', cutoff=0.2)
    labels = dm.judgments.describe_hierarchy(built, texts, n_terms=3).set_index('node')['terms']
    assert labels[['1/1', '1/2']].tolist() == [
        'windows, security, update',
        'land, rover, dealers',
    ]
    every = dm.judgments.describe_hierarchy(built, texts, n_terms=20)['terms']
    assert not {'1990', '11', 'x'} & {word for label in every for word in label.split(', ')}
