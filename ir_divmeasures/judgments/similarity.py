"""How alike documents are, from 0 to 1: by texts, fingerprints, a function or a matrix."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import fingerprint
from .fingerprints import simhash
from .texts import relevant_documents, report_absent, terms, texts

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Similarity = Callable[[str, list[str]], Array]
"""Of a query and the ids of n documents: their similarities, (n, n), symmetric, in [0, 1]."""


def similarity_of(kind: Any, docs: Any, table: pd.DataFrame, rel: float, idf: Any, missing: str) -> Similarity:
    """A function of a query and documents that gives their similarities, in [0, 1]."""
    import pandas as pd

    if isinstance(kind, (pd.DataFrame, dict)):
        return _by_matrix(kind)
    if not (callable(kind) or kind in ('simhash', 'tfidf')):
        raise ValueError(f"similarity={kind!r}: expected 'simhash', 'tfidf', a function of two lists of texts, or a "
                         f'DataFrame with doc ids as index and columns')
    wanted = relevant_documents(table, rel)
    if kind == 'simhash':
        return _by_fingerprint(table, docs, wanted, missing)
    if docs is None:
        raise ValueError(f'similarity={kind!r} needs texts: give docs')
    found = texts(docs, wanted, missing)
    return _by_cosine(found, idf) if kind == 'tfidf' else _by_function(kind, found)


def _checked(query: str, matrix: Array, n: int) -> Array:
    if matrix.shape != (n, n):
        raise ValueError(f'similarity of query {query!r}: expected a matrix {n} × {n}, found '
                         f'{" × ".join(map(str, matrix.shape))}')
    unequal = np.abs(matrix - matrix.T).max()
    if not np.isfinite(matrix).all() or unequal > 1e-6 or matrix.max() > 1 + 1e-6:
        raise ValueError(f'similarity of query {query!r}: expected finite, symmetric numbers of at most 1, found '
                         f'{matrix.min():g} to {matrix.max():g}, unequal by up to {unequal:g}')
    return np.clip((matrix + matrix.T) / 2, 0.0, 1.0)


def _among(known: dict[str, int], compare: Callable[[NDArray[np.intp]], Array]) -> Similarity:
    """Similarities of documents that have a place; one without is unlike all others."""
    def similarity(query: str, doc_ids: list[str]) -> Array:
        places = np.array([known.get(doc_id, -1) for doc_id in doc_ids])
        here = np.flatnonzero(places >= 0)
        matrix = np.zeros((len(doc_ids), len(doc_ids)))
        if len(here):
            matrix[np.ix_(here, here)] = _checked(query, compare(places[here]), len(here))
        return matrix
    return similarity


def _by_fingerprint(table: pd.DataFrame, docs: Any, wanted: list[str], missing: str) -> Similarity:
    if docs is not None:
        found = texts(docs, wanted, missing)
        prints, known = simhash(found.values()), {doc_id: place for place, doc_id in enumerate(found)}
    elif 'fingerprint' in table.columns:
        printed = table.loc[table['fingerprint'] != ''].drop_duplicates(['query_id', 'doc_id'])
        known = {doc_id: place for place, doc_id in enumerate(printed['doc_id'])}
        prints = fingerprint.from_hex(printed['fingerprint'])
        absent = [doc_id for doc_id in wanted if doc_id not in known]
        report_absent(absent, f'{len(absent)} of {len(wanted)} relevant documents have no fingerprint', missing)
    else:
        raise ValueError("similarity='simhash' needs docs, or judgments with a column 'fingerprint', which "
                         'with_fingerprints adds')
    return _among(known, lambda places: fingerprint.similarity_matrix(prints[places]))


def _by_cosine(found: dict[str, str], idf: Any) -> Similarity:
    import pandas as pd

    try:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
        from sklearn.preprocessing import normalize
    except ImportError:
        raise ImportError("similarity='tfidf' needs scikit-learn: pip install scikit-learn") from None
    vectorizer = CountVectorizer(analyzer=terms)
    counts = vectorizer.fit_transform(found.values())
    if idf is None:
        rows = TfidfTransformer().fit_transform(counts)
    else:
        if isinstance(idf, pd.DataFrame):
            lacking = [c for c in ('term', 'idf') if c not in idf.columns]
            if lacking:
                raise ValueError(f'idf: no column {lacking[0]!r} (found {", ".join(map(str, idf.columns))})')
            idf = dict(zip(idf['term'], idf['idf']))
        known = {str(term): float(value) for term, value in dict(idf).items()}
        highest = max(known.values())
        rows = normalize(counts.multiply([known.get(term, highest) for term in vectorizer.get_feature_names_out()]))
    rows = rows.tocsr()
    return _among({doc_id: place for place, doc_id in enumerate(found)},
                  lambda places: (rows[places] @ rows[places].T).toarray())


def _by_function(function: Callable[[list[str], list[str]], Any], found: dict[str, str]) -> Similarity:
    values = list(found.values())

    def compare(places: NDArray[np.intp]) -> Array:
        chosen = [values[place] for place in places]
        result = function(chosen, chosen)
        try:
            return np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            n = len(chosen)
            raise ValueError(f'similarity: the function returned {type(result).__name__}, expected a matrix of '
                             f'numbers, {n} × {n}') from None

    return _among({doc_id: place for place, doc_id in enumerate(found)}, compare)


def _by_matrix(given: Any) -> Similarity:
    def similarity(query: str, doc_ids: list[str]) -> Array:
        matrix = given.get(query) if isinstance(given, dict) else given
        if matrix is None:
            raise ValueError(f'similarity: no matrix for query {query!r}')
        absent = [d for d in doc_ids if d not in matrix.index or d not in matrix.columns]
        if absent:
            raise ValueError(f'similarity of query {query!r}: {len(absent)} relevant documents are not in the matrix: '
                             f'{", ".join(map(repr, absent[:20]))}')
        return _checked(query, matrix.loc[doc_ids, doc_ids].to_numpy(dtype=float), len(doc_ids))
    return similarity
