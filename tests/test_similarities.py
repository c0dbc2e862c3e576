"""Similarities of documents in every form that users have, and those that could be mistaken for another one."""

import numpy as np
import pandas as pd

from ir_divmeasures import build_hierarchy, with_similarity
from ir_divmeasures.core.kernels import packed
from ir_divmeasures.data import Matrix, Vectors
from ir_divmeasures.evaluation.provider import Evaluator
from tests.reference import similarity as twins

from .builders import expect_error, over, quietly, refused

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
        pd.DataFrame(ARRAY, index=IDS, columns=['x', 'y']),
        pd.DataFrame({'docno': IDS, 'doc_vec': list(ARRAY)}),
        pd.DataFrame({'doc_id': IDS, 'x': ARRAY[:, 0], 'y': ARRAY[:, 1]}),
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
    ):
        np.testing.assert_allclose(similarities(given, qrels, ids), COSINES, atol=1e-12)
    refused('can be vectors or a matrix', build_hierarchy, qrels, similarity=pd.DataFrame(ALIKE))
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
            r"document 'd1' is less similar to itself \(0\) than to 'd3' \(0.8\). Are these",
        ),
        (Matrix(np.where(ALIKE == 0.2, np.nan, ALIKE), IDS), 'expected finite'),
        (
            pd.DataFrame(ALIKE, index=IDS, columns=['d1', 'd2', 'x']),
            '2 of 3 documents are among the 3 columns of the table',
        ),
        (
            pd.DataFrame({'docno': IDS, 'a': list(ARRAY), 'b': list(ARRAY)}),
            "several columns of vectors \\('a', 'b'\\)",
        ),
        (
            Vectors(ARRAY[:2], IDS[:2]),
            "1 of 3 relevant documents are not in similarity: 'd3'; missing='skip'",
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
        (lambda: Vectors(ARRAY, ['d1']), r'Vectors\(3 × 2\): expected a row for each of 1 doc ids'),
        (lambda: Matrix(ARRAY, IDS), r'Matrix\(3 × 2\): expected a column for each of 3'),
    ):
        refused(message, make)
    with expect_error(r'Vectors\(array, ids\).*; found tuple', TypeError):
        build_hierarchy(QRELS, similarity=(ARRAY, IDS))


@over('idf', [None, {'a': 1.5, 'b': 0.25, 'c': 2.0}])
def test_tfidf_is_the_literal_twin(idf):
    rng = np.random.default_rng(3)
    texts = {d: ' '.join(rng.choice(list('abcdefgh'), 9)) for d in IDS}
    expected = twins.tfidf(list(texts.values()), idf)
    for given in (idf, pd.Series(idf)) if idf else (None,):
        found = similarities('tfidf', docs=texts, idf=given)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_every_relevant_document_needs_similarities():
    """Of grade 2 all have them, of grade 1 one has none."""
    with quietly():
        judged = with_similarity({'q': {'d1': 2, 'd2': 1}}, {'d1': 'a'}, missing='skip')
    Evaluator(['DocSim(rel=2)@5'], judged)
    with expect_error("DocSim@5: 1 relevant documents have no document_similarity: 'd2'"):
        Evaluator(['DocSim(rel=2)@5', 'DocSim@5'], judged)
