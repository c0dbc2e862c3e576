"""How alike documents are, from 0 to 1: by SimHash, TF-IDF, vectors, a matrix, a function, or the judgments' column.

Hierarchies and the measures of document similarity take the same similarities. A similarity also puts a query's
documents into an order that their ids have no part in, so that equal similarities are told apart by what documents
are, not by what they are called.
"""
from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import did_you_mean
from ..kernels import fingerprint, packed
from .fingerprints import simhash
from .table import Judgments, base_layer, named_as
from .texts import Tokenizer, relevant_documents, report_absent, texts, tokenizer_of

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Places = NDArray[np.intp]
DIGITS = 12
"""Similarities are rounded to so many digits: equal ones are equal however they were computed."""
EXPECTED = ("'simhash', 'tfidf', vectors ({doc_id: vector}, a DataFrame with doc ids as index, (array, doc ids), an "
            "object with encode()), a matrix (DataFrame with doc ids as index and columns, (array, doc ids), by query "
            "too) or a function of two lists of texts")


class Similarity:
    """Similarities of the relevant documents of each query.

    Args:
        places: where each document stands; one that is not there is unlike all others.
        compare: of n places: similarities (n, n).
        keys: a number for each place: documents of one key are the same to this similarity, and keys are ordered by
            what documents are. None: only similarities tell documents apart, and every document must have a place.
    """

    def __init__(self, places: Mapping[Any, int], compare: Callable[[Places], Array], keys: NDArray[Any] | None):
        self._places, self._compare, self._keys = places, compare, keys

    def place(self, query: str, doc_ids: Sequence[str]) -> Places:
        """Where documents stand, −1 where unknown."""
        return np.array([self._places.get(doc_id, -1) for doc_id in doc_ids], dtype=np.intp)

    def keys(self, query: str, doc_ids: Sequence[str], grades: Sequence[Any]) -> NDArray[np.intp]:
        """Ranks of the documents by their keys, from 0, equal for documents of one key; (n,).

        Where only similarities tell documents apart: by sorted row, refined by (similarity, key) of the others until
        stable, then by grades.
        """
        if self._keys is not None:
            place = self.place(query, doc_ids)
            return _dense(np.where(place >= 0, self._keys[place], -1))
        return _refined(self.matrix(query, doc_ids), grades)

    def matrix(self, query: str, doc_ids: Sequence[str]) -> Array:
        """Similarities of documents, symmetric, in [0, 1], rounded; (n, n).

        Raises:
            ValueError: similarities that are not symmetric, not finite or above 1.
        """
        place = self.place(query, doc_ids)
        known_rows = np.flatnonzero(place >= 0)
        if self._keys is None and len(known_rows) < len(place):
            absent = [doc_id for doc_id, at in zip(doc_ids, place) if at < 0]
            raise ValueError(f'similarity of query {query!r}: {len(absent)} relevant documents are not in the matrix: '
                             f'{", ".join(map(repr, absent[:20]))}')
        matrix = np.zeros((len(place), len(place)))
        if len(known_rows):
            matrix[np.ix_(known_rows, known_rows)] = _checked(query, self._compare(place[known_rows]), len(known_rows))
        return matrix


class _ByQuery(Similarity):
    """One similarity a query."""

    def __init__(self, each: Callable[[str, Sequence[str]], Similarity]):
        self._each = each

    def keys(self, query: str, doc_ids: Sequence[str], grades: Sequence[Any]) -> NDArray[np.intp]:
        return self._each(query, doc_ids).keys(query, doc_ids, grades)

    def matrix(self, query: str, doc_ids: Sequence[str]) -> Array:
        return self._each(query, doc_ids).matrix(query, doc_ids)


def with_similarity(qrels: Any, docs: Any = None, similarity: Any = 'simhash', *, scale: str = 'cosine',
                    idf: Any = None, stopwords: Any = None, tokenizer: Any = None, rel: float = 1,
                    missing: str = 'error') -> pd.DataFrame:
    """Judgments with the similarities of each query's relevant documents in a column ``document_similarity``.

    The column is a text that files, ir_measures and ``pt.Experiment`` carry; the measures of document similarity and
    :func:`build_hierarchy` read it.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        docs, similarity, scale, idf, stopwords, tokenizer, missing: as for :func:`~ir_divmeasures.build_hierarchy`.
        rel: the lowest grade that counts as relevant.

    Returns:
        The judgments; the column is empty for documents that are not relevant.

    Raises:
        ValueError: as :func:`~ir_divmeasures.build_hierarchy`.

    Examples:
        >>> import ir_measures
        >>> from ir_divmeasures import DocSim
        >>> vectors = {'d1': [1, 0], 'd2': [3, 4]}  # of cosine 3/5
        >>> qrels = with_similarity({'q': {'d1': 1, 'd2': 1}}, similarity=vectors)
        >>> ir_measures.calc_aggregate([DocSim(scheme='NP')@2], qrels, {'q': {'d1': 2.0, 'd2': 1.0}})
        {DocSim(scheme='NP')@2: 0.6}
    """
    table = Judgments.of(qrels).frame()
    alike = similarity_of(similarity, docs, table, rel, scale, idf, stopwords, tokenizer, missing)
    written: dict[tuple[str, str], str] = {}
    for query, rows in relevant_rows(table, rel).groupby('query_id', sort=False):
        ids, grades = grades_of(rows)
        known = alike.place(query, ids) if not isinstance(alike, _ByQuery) else np.zeros(len(ids))
        keys = alike.keys(query, ids, grades)
        order = [int(i) for i in np.lexsort((np.array(ids, dtype=str), keys)) if known[i] >= 0]
        ids = [ids[i] for i in order]
        written.update(zip(((query, d) for d in ids), packed.pack(alike.matrix(query, ids))))
    column = [written.get(pair, '') for pair in zip(table['query_id'], table['doc_id'])]
    return named_as(table.assign(document_similarity=column), qrels)


def similarity_of(kind: Any, docs: Any, table: pd.DataFrame, rel: float, scale: str = 'cosine', idf: Any = None,
                  stopwords: Any = None, tokenizer: Any = None, missing: str = 'error') -> Similarity:
    """The similarity that a user means.

    Raises:
        TypeError, ValueError: not a similarity, no text or vector of a relevant document.
    """
    if scale not in fingerprint.SCALES:
        raise ValueError(f"scale={scale!r}: expected 'cosine' or 'hamming'"
                         + did_you_mean(str(scale), fingerprint.SCALES, list_known=False))
    split = tokenizer_of(tokenizer, stopwords)
    if kind is None:
        kind = 'column' if docs is None and 'document_similarity' in table.columns else 'simhash'
    wanted = relevant_documents(table, rel)
    if isinstance(kind, str):
        if kind not in ('simhash', 'tfidf', 'column'):
            raise ValueError(f'similarity={kind!r}: expected {EXPECTED}'
                             + did_you_mean(kind, ('simhash', 'tfidf'), list_known=False))
        if kind == 'column':
            return _by_column(table)
        if kind == 'simhash' and docs is None:
            return _by_fingerprint(table, wanted, scale, missing)
        text_of = _texts(kind, docs, wanted, missing)
        places = {doc_id: place for place, doc_id in enumerate(text_of)}
        if kind == 'simhash':
            return _of_prints(places, simhash(text_of.values(), split), scale)
        return _of_vectors(places, _tfidf(text_of, idf, split))
    if hasattr(kind, 'encode'):
        return _by_encoder(kind, _texts(type(kind).__name__, docs, wanted, missing))
    if callable(kind):
        return _by_function(kind, _texts('a function', docs, wanted, missing))
    matrix_source = _ids_and_array(kind)
    if matrix_source is None:
        if not isinstance(kind, Mapping) or not kind:
            raise TypeError(f'similarity: expected {EXPECTED}; found {type(kind).__name__}')
        first = next(iter(kind.values()))
        if _ids_and_array(first) is not None:
            return _by_matrices(kind)
        matrix_source = [str(doc_id) for doc_id in kind], _stacked(list(kind.values())), False
    ids, array, square = matrix_source
    if square:
        return _of_matrix(ids, array)
    places = {doc_id: place for place, doc_id in enumerate(ids)}
    absent = [doc_id for doc_id in wanted if doc_id not in places]
    report_absent(absent, f'{len(absent)} of {len(wanted)} relevant documents have no vector', missing)
    return _of_vectors(places, array)


def relevant_rows(table: pd.DataFrame, rel: float) -> pd.DataFrame:
    """Rows of the official intents with a relevant document."""
    official = base_layer(table)
    return official[(official['relevance'] >= rel) & (official['relevance'] > 0)]


def grades_of(rows: pd.DataFrame) -> tuple[list[str], list[tuple[float, ...]]]:
    """The documents of one query's rows, and each one's grades, ascending."""
    grades: dict[str, list[float]] = {}
    for doc_id, grade in zip(rows['doc_id'].tolist(), rows['relevance'].tolist()):
        grades.setdefault(doc_id, []).append(grade)
    return list(grades), [tuple(sorted(each)) for each in grades.values()]


# ------------------------------------------------------------------------------------------------ the kinds

def _texts(kind: str, docs: Any, wanted: list[str], missing: str) -> dict[str, str]:
    if docs is None:
        raise ValueError(f'similarity by {kind} needs texts: give docs')
    return texts(docs, wanted, missing)


def _of_prints(places: Mapping[Any, int], prints: NDArray[np.uint64], scale: str) -> Similarity:
    return Similarity(places, lambda at: fingerprint.similarity_matrix(prints[at], scale), _dense(prints))


def _by_fingerprint(table: pd.DataFrame, wanted: list[str], scale: str, missing: str) -> Similarity:
    if 'fingerprint' not in table.columns:
        raise ValueError("similarity='simhash' needs docs, or judgments with a column 'fingerprint', which "
                         'with_fingerprints adds')
    printed = table.loc[table['fingerprint'] != ''].drop_duplicates('doc_id')
    places = {doc_id: place for place, doc_id in enumerate(printed['doc_id'])}
    absent = [doc_id for doc_id in wanted if doc_id not in places]
    report_absent(absent, f'{len(absent)} of {len(wanted)} relevant documents have no fingerprint', missing)
    return _of_prints(places, fingerprint.from_hex(printed['fingerprint']), scale)


def _by_column(table: pd.DataFrame) -> Similarity:
    """As :func:`with_similarity` wrote them: a document's number among those of its query is its key."""
    said = table.loc[table['document_similarity'] != '', ['query_id', 'doc_id', 'document_similarity']]
    of_query = {query: dict(zip(rows['doc_id'], rows['document_similarity']))
                for query, rows in said.groupby('query_id', sort=False)}

    def each(query: str, doc_ids: Sequence[str]) -> Similarity:
        known = of_query.get(query, {})
        absent = [d for d in doc_ids if d not in known]
        report_absent(absent, f'query {query!r}: {len(absent)} of {len(doc_ids)} relevant documents have no '
                              f'document_similarity', 'error')
        held = np.array([known[d] for d in doc_ids], dtype=object)
        return Similarity({d: i for i, d in enumerate(doc_ids)}, lambda at: packed.unpack(held[at]),
                          packed.Packed(held).number)
    return _ByQuery(each)


def _of_vectors(places: Mapping[Any, int], rows: Any) -> Similarity:
    """Cosines of vectors, dense or sparse."""
    sparse = hasattr(rows, 'tocsr')
    rows = rows.tocsr() if sparse else np.asarray(rows, dtype=float)
    if not np.isfinite(rows.data if sparse else rows).all():
        raise ValueError('similarity: a vector has numbers that are not finite')
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()) if sparse else np.linalg.norm(rows, axis=1)
    length = np.where(length == 0, 1.0, length)

    def compare(at: Places) -> Array:
        x = rows[at]
        products = (x @ x.T).toarray() if sparse else x @ x.T
        cosines = products / length[at] / length[at, None]
        return np.asarray((cosines + cosines.T) / 2)
    return Similarity(places, compare, _sparse_keys(rows) if sparse else _dense_keys(rows))


def _tfidf(text_of: dict[str, str], idf: Any, split: Tokenizer) -> Any:
    import pandas as pd

    try:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    except ImportError:
        raise ImportError("similarity='tfidf' needs scikit-learn: pip install scikit-learn") from None
    vectorizer = CountVectorizer(analyzer=split)
    counts = vectorizer.fit_transform(text_of.values())
    if idf is None:
        return TfidfTransformer().fit_transform(counts)
    if isinstance(idf, pd.DataFrame):
        lacking = [c for c in ('term', 'idf') if c not in idf.columns]
        if lacking:
            raise ValueError(f'idf: no column {lacking[0]!r} (found {", ".join(map(str, idf.columns))})')
        idf = dict(zip(idf['term'], idf['idf']))
    known = {str(term): float(value) for term, value in dict(idf).items()}
    highest = max(known.values())
    return counts.multiply([known.get(term, highest) for term in vectorizer.get_feature_names_out()])


def _by_encoder(model: Any, text_of: dict[str, str]) -> Similarity:
    """Vectors that an object's ``encode(texts)`` gives; each text is encoded once."""
    once = list(dict.fromkeys(text_of.values()))
    vectors = np.asarray(model.encode(once), dtype=float) if once else np.zeros((0, 1))
    if vectors.ndim != 2 or len(vectors) != len(once):
        raise ValueError(f'similarity: encode() of {len(once)} texts gave an array '
                         f'{" × ".join(map(str, vectors.shape))}, expected one vector a text')
    place = {text: i for i, text in enumerate(once)}
    return _of_vectors({doc_id: place[text] for doc_id, text in text_of.items()}, vectors)


def _by_function(function: Callable[[list[str], list[str]], Any], text_of: dict[str, str]) -> Similarity:
    values = list(text_of.values())

    def compare(places: Places) -> Array:
        chosen = [values[place] for place in places]
        result = function(chosen, chosen)
        try:
            return np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            n = len(chosen)
            raise ValueError(f'similarity: the function returned {type(result).__name__}, expected a matrix of '
                             f'numbers, {n} × {n}') from None
    return Similarity({doc_id: place for place, doc_id in enumerate(text_of)}, compare, _ranks(values))


def _ids_and_array(source: Any) -> tuple[list[str], Any, bool] | None:
    """Doc ids, numbers, and whether these are a matrix of similarities; None for what is neither vectors nor matrix."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        column = next((c for c in ('doc_id', 'docno') if c in source.columns), None)
        frame = source.set_index(column) if column else source
        ids = [str(each) for each in frame.index]
        if frame.shape[1] == 1 and frame.dtypes.iloc[0].kind == 'O':
            return ids, _stacked(frame.iloc[:, 0].tolist()), False
        square = {str(c) for c in frame.columns} >= set(ids) or (
            len(ids) > 1 and len(set(ids) & {str(c) for c in frame.columns}) > 0)
        if square:
            columns = [str(c) for c in frame.columns]
            both = [each for each in ids if each in set(columns)]
            frame = frame.set_axis(ids, axis=0).set_axis(columns, axis=1).loc[both, both]
            return both, frame.to_numpy(dtype=float), True
        return ids, frame.to_numpy(dtype=float), False
    if isinstance(source, tuple) and len(source) == 2:
        array, ids = source
        array = array if hasattr(array, 'tocsr') else np.asarray(array, dtype=float)
        ids = [str(each) for each in ids]
        if array.ndim != 2 or len(ids) != array.shape[0]:
            raise ValueError(f'similarity: an array {" × ".join(map(str, array.shape))} with {len(ids)} doc ids, '
                             f'expected a row for each')
        square = array.shape[0] == array.shape[1] and not hasattr(array, 'tocsr') and np.allclose(array, array.T)
        return ids, array, bool(square)
    return None


def _stacked(vectors: list[Any]) -> Array:
    try:
        array = np.array([np.asarray(vector, dtype=float) for vector in vectors])
    except (TypeError, ValueError):
        raise ValueError('similarity: expected vectors of numbers of one length') from None
    if array.ndim != 2:
        raise ValueError(f'similarity: expected a vector for each document, found arrays of '
                         f'{array.ndim - 1} dimensions')
    return array


def _of_matrix(ids: list[str], array: Array) -> Similarity:
    return Similarity({doc_id: place for place, doc_id in enumerate(ids)}, lambda at: array[np.ix_(at, at)], None)


def _by_matrices(matrices: Mapping[Any, Any]) -> Similarity:
    """A matrix for each query."""
    known: dict[str, Similarity] = {}

    def each(query: str, doc_ids: Sequence[str]) -> Similarity:
        if query not in known:
            if query not in matrices:
                raise ValueError(f'similarity: no matrix for query {query!r}')
            ids_and_array = _ids_and_array(matrices[query])
            if ids_and_array is None:
                raise TypeError(f'similarity of query {query!r}: expected a matrix, found '
                                f'{type(matrices[query]).__name__}')
            known[query] = _of_matrix(ids_and_array[0], ids_and_array[1])
        return known[query]
    return _ByQuery(each)


def _checked(query: str, matrix: Array, n: int) -> Array:
    if matrix.shape != (n, n):
        raise ValueError(f'similarity of query {query!r}: expected a matrix {n} × {n}, found '
                         f'{" × ".join(map(str, matrix.shape))}')
    unequal = np.abs(matrix - matrix.T).max()
    if not np.isfinite(matrix).all() or unequal > 1e-6 or matrix.max() > 1 + 1e-6:
        raise ValueError(f'similarity of query {query!r}: expected finite, symmetric numbers of at most 1, found '
                         f'{matrix.min():g} to {matrix.max():g}, unequal by up to {unequal:g}')
    return np.clip((matrix + matrix.T) / 2, 0.0, 1.0).round(DIGITS)


# ------------------------------------------------------------------------------------------------ keys

def _dense(values: NDArray[Any]) -> NDArray[np.intp]:
    """Ranks from 0, equal for equal values."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _ranks(values: Sequence[Hashable]) -> NDArray[np.intp]:
    place = {value: rank for rank, value in enumerate(sorted(set(values)))}  # type: ignore[type-var]
    return np.array([place[value] for value in values], dtype=np.intp)


def _dense_keys(rows: Array) -> NDArray[np.intp]:
    """Ranks of vectors in lexicographic order."""
    return _by_head(rows[:, :4], lambda i: rows[i].tolist())


def _sparse_keys(rows: Any) -> NDArray[np.intp]:
    """The same of sparse rows without negative numbers: by (−column, value) of their entries."""
    rows.sort_indices()
    n, start, sizes = rows.shape[0], rows.indptr[:-1], np.diff(rows.indptr)
    head = np.full((n, 8), -np.inf)
    for entry in range(4):
        have = np.flatnonzero(sizes > entry)
        at = start[have] + entry
        head[have, 2 * entry], head[have, 2 * entry + 1] = -rows.indices[at].astype(float), rows.data[at]

    def full(i: int) -> list[tuple[float, float]]:
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        return list(zip((-rows.indices[at]).tolist(), rows.data[at].tolist()))
    return _by_head(head, full)


def _by_head(head: Array, full: Callable[[int], Any]) -> NDArray[np.intp]:
    """Ranks by the first numbers of each row, and where these are equal by all."""
    n = len(head)
    if n == 0:
        return np.zeros(0, dtype=np.intp)
    order = np.lexsort(head.T[::-1])
    new = np.r_[True, np.any(head[order[1:]] != head[order[:-1]], axis=1)]
    bounds = [*np.flatnonzero(new).tolist(), n]
    for low, high in zip(bounds[:-1], bounds[1:]):
        if high - low > 1:
            tied = sorted(((full(int(i)), int(i)) for i in order[low:high]), key=lambda pair: pair[0])
            order[low:high] = [i for _, i in tied]
            new[low + 1:high] = [one[0] != other[0] for one, other in zip(tied[1:], tied)]
    ranks = np.empty(n, dtype=np.intp)
    ranks[order] = np.cumsum(new) - 1
    return ranks


def _refined(matrix: Array, grades: Sequence[Any]) -> NDArray[np.intp]:
    n = len(matrix)
    code = _dense(matrix.ravel()).reshape(n, n) * n
    color = np.zeros(n, dtype=np.intp)
    classes = 0
    while classes < color.max(initial=0) + 1 < n or classes == 0:
        classes = int(color.max(initial=0)) + 1
        seen = np.sort(code + color, axis=1)
        color = np.unique(np.column_stack([color, seen]), axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)
    return _ranks([(int(c), g) for c, g in zip(color, grades)])
