"""How alike documents are, from 0 to 1: by SimHash, TF-IDF, vectors, a matrix, a function, or the judgments' column.

Hierarchies and the measures of document similarity take the same similarities. A similarity also defines an order of a
query's documents that does not depend on their ids. Ties between equal similarities are therefore resolved by the
content of the documents, not by their names.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import fingerprint, packed
from ..errors import did_you_mean
from .fingerprints import simhash
from .table import Judgments, base_layer, named_as
from .texts import Tokenizer, relevant_documents, report_absent, texts, tokenizer_of

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import QrelsLike

Array = NDArray[np.float64]
Places = NDArray[np.intp]
DIGITS = 12
"""The number of digits to which similarities are rounded, so that rounding errors do not separate equal
similarities."""
KINDS = ('simhash', 'tfidf', 'static')
"""The similarities of texts that have names."""
EXPECTED = (
    "'simhash', 'tfidf', 'static', vectors ({doc_id: vector}, a DataFrame with doc ids as index, "
    "Vectors(array, ids), an object with encode() or embed()), a matrix (DataFrame with doc ids as index and "
    "columns, Matrix(array, ids)), one of these for each query in a dict, or a function of two lists of texts"
)


class Vectors:
    """Vectors of documents, which are compared by cosine.

    Attributes:
        array: (documents, dimensions), dense or a sparse matrix of SciPy.
        ids: the documents of the rows.

    Raises:
        ValueError: not a row for each document.

    Examples:
        >>> Vectors([[1, 0], [3, 4]], ['d1', 'd2'])
        Vectors(2 documents, 2 dimensions)
    """

    def __init__(self, array: Any, ids: Any):
        self.array = array if hasattr(array, 'tocsr') else np.asarray(array, dtype=float)
        self.ids = [str(each) for each in ids]
        if self.array.ndim != 2 or len(self.ids) != self.array.shape[0]:
            raise ValueError(
                f'similarity: an array {" × ".join(map(str, self.array.shape))} with {len(self.ids)} doc '
                f'ids, expected a row for each'
            )

    def __repr__(self) -> str:
        return f'Vectors({len(self.ids)} documents, {self.array.shape[1]} dimensions)'


class Matrix:
    """Similarities of documents: at most 1, symmetric but for rounding. Numbers below 0 count as 0.

    Attributes:
        array: (documents, documents).
        ids: the documents of the rows and columns.

    Raises:
        ValueError: not a row and a column for each document.

    Examples:
        >>> Matrix([[1, 0.6], [0.6, 1]], ['d1', 'd2'])
        Matrix(2 documents)
    """

    def __init__(self, array: Any, ids: Any):
        self.array = np.asarray(array, dtype=float)
        self.ids = [str(each) for each in ids]
        if self.array.shape != (len(self.ids), len(self.ids)):
            raise ValueError(
                f'similarity: an array {" × ".join(map(str, self.array.shape))} with {len(self.ids)} doc '
                f'ids, expected a row and a column for each'
            )

    def __repr__(self) -> str:
        return f'Matrix({len(self.ids)} documents)'


class Similarity:
    """Similarities of the relevant documents of each query.

    Args:
        places: the place of each document. A document without a place has similarity 0 to all others.
        compare: of n places: similarities (n, n).
        keys: a number for each place: documents of one key are the same to this similarity, and keys are ordered by
            what documents are. None: only similarities tell documents apart, and every document must have a place.

    Attributes:
        name: what tables call it.
    """

    name = ''

    def __init__(
        self,
        places: Mapping[Any, int],
        compare: Callable[[Places], Array],
        keys: NDArray[Any] | None,
    ):
        self._places, self._compare, self._keys = places, compare, keys

    @property
    def has_keys(self) -> bool:
        """Whether documents differ by more than their similarities, for example by their vectors."""
        return self._keys is not None

    def place(self, query: str, doc_ids: Sequence[str]) -> Places:
        """Return the places of documents, −1 for unknown documents."""
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
            ValueError: similarities that are not symmetric, not finite or above 1, or are distances.
        """
        place = self.place(query, doc_ids)
        known_rows = np.flatnonzero(place >= 0)
        if self._keys is None and len(known_rows) < len(place):
            absent = [doc_id for doc_id, at in zip(doc_ids, place) if at < 0]
            raise ValueError(
                f'similarity of query {query!r}: {len(absent)} relevant documents are not in the matrix: '
                f'{", ".join(map(repr, absent[:20]))}'
            )
        matrix = np.zeros((len(place), len(place)))
        if len(known_rows):
            matrix[np.ix_(known_rows, known_rows)] = _checked(
                query, [doc_ids[int(row)] for row in known_rows], self._compare(place[known_rows])
            )
        return matrix


class _ByQuery(Similarity):
    """One similarity for each query."""

    def __init__(self, each: Callable[[str, Sequence[str]], Similarity], of_vectors: bool = False):
        self._each, self._of_vectors = each, of_vectors

    @property
    def has_keys(self) -> bool:
        return self._of_vectors

    def place(self, query: str, doc_ids: Sequence[str]) -> Places:
        return self._each(query, doc_ids).place(query, doc_ids)

    def keys(self, query: str, doc_ids: Sequence[str], grades: Sequence[Any]) -> NDArray[np.intp]:
        return self._each(query, doc_ids).keys(query, doc_ids, grades)

    def matrix(self, query: str, doc_ids: Sequence[str]) -> Array:
        return self._each(query, doc_ids).matrix(query, doc_ids)


def with_similarity(
    qrels: QrelsLike,
    docs: Any = None,
    similarity: Any = 'simhash',
    *,
    scale: str = 'cosine',
    idf: Any = None,
    stopwords: Any = None,
    tokenizer: Any = None,
    rel: float = 1,
    missing: str = 'error',
) -> pd.DataFrame:
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
        places = alike.place(query, ids)
        keys = alike.keys(query, ids, grades)
        order = [int(i) for i in np.lexsort((np.array(ids, dtype=str), keys)) if places[i] >= 0]
        ids = [ids[i] for i in order]
        written.update(zip(((query, d) for d in ids), packed.pack(alike.matrix(query, ids))))
    column = [written.get(pair, '') for pair in zip(table['query_id'], table['doc_id'])]
    return named_as(table.assign(document_similarity=column), qrels)


def similarity_of(
    kind: Any,
    docs: Any,
    table: pd.DataFrame,
    rel: float,
    scale: str = 'cosine',
    idf: Any = None,
    stopwords: Any = None,
    tokenizer: Any = None,
    missing: str = 'error',
) -> Similarity:
    """Return the similarity that a user's argument names, with its name.

    Raises:
        TypeError, ValueError: not a similarity, no text or vector of a relevant document.
    """
    alike = _similarity_of(kind, docs, table, rel, scale, idf, stopwords, tokenizer, missing)
    if kind is None:
        kind = 'document_similarity' if isinstance(alike, _ByQuery) else 'simhash'
    if isinstance(kind, str):
        alike.name = 'simhash (hamming)' if kind == 'simhash' and scale == 'hamming' else kind
    elif hasattr(kind, 'encode') or hasattr(kind, 'embed'):
        alike.name = type(kind).__name__
    elif callable(kind):
        alike.name = str(getattr(kind, '__name__', type(kind).__name__))
    else:
        alike.name = 'given vectors' if alike.has_keys else 'given matrix'
    return alike


def _similarity_of(
    kind: Any,
    docs: Any,
    table: pd.DataFrame,
    rel: float,
    scale: str,
    idf: Any,
    stopwords: Any,
    tokenizer: Any,
    missing: str,
) -> Similarity:
    if scale not in fingerprint.SCALES:
        raise ValueError(
            f"scale={scale!r}: expected 'cosine' or 'hamming'"
            + did_you_mean(str(scale), fingerprint.SCALES, list_known=False)
        )
    split = tokenizer_of(tokenizer, stopwords)
    if kind is None:
        kind = 'column' if docs is None and 'document_similarity' in table.columns else 'simhash'
    doc_ids = relevant_documents(table, rel)
    if isinstance(kind, str):
        if kind not in (*KINDS, 'column'):
            raise ValueError(
                f'similarity={kind!r}: expected {EXPECTED}'
                + did_you_mean(kind, KINDS, list_known=False)
            )
        if kind == 'column':
            return _by_column(table)
        if kind == 'simhash' and docs is None:
            return _by_fingerprint(table, doc_ids, scale, missing)
        text_of = _texts(kind, docs, doc_ids, missing)
        places = {doc_id: place for place, doc_id in enumerate(text_of)}
        if kind == 'simhash':
            return _of_prints(places, simhash(text_of.values(), split), scale)
        if kind == 'static':
            return _by_encoder(static_model(), text_of)
        return _of_vectors(places, _tfidf(text_of, idf, split))
    if hasattr(kind, 'encode') or hasattr(kind, 'embed'):
        return _by_encoder(kind, _texts(type(kind).__name__, docs, doc_ids, missing))
    if callable(kind):
        return _by_function(kind, _texts('a function', docs, doc_ids, missing))
    source = _vectors_or_matrix(kind)
    if source is None:
        if not isinstance(kind, Mapping) or not kind:
            raise TypeError(f'similarity: expected {EXPECTED}; found {type(kind).__name__}')
        if _is_of_a_query(next(iter(kind.values()))):
            return _of_each_query(kind, table, rel, missing)
        source = Vectors(_stacked(list(kind.values())), list(kind))
    if isinstance(source, Matrix):
        return _of_matrix(source)
    places = {doc_id: place for place, doc_id in enumerate(source.ids)}
    absent = [doc_id for doc_id in doc_ids if doc_id not in places]
    report_absent(
        absent, f'{len(absent)} of {len(doc_ids)} relevant documents have no vector', missing
    )
    return _of_vectors(places, source.array)


def _is_of_a_query(value: Any) -> bool:
    """Whether a value of a dict is vectors or a matrix of a query, not the vector of a document."""
    import pandas as pd

    return (
        isinstance(value, (Vectors, Matrix, pd.DataFrame, Mapping))
        or isinstance(value, tuple)
        and len(value) == 2
        and np.ndim(value[0]) == 2
    )


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


def _texts(kind: str, docs: Any, doc_ids: list[str], missing: str) -> dict[str, str]:
    if docs is None:
        raise ValueError(f'similarity by {kind} needs texts: give docs')
    return texts(docs, doc_ids, missing)


def _of_prints(places: Mapping[Any, int], prints: NDArray[np.uint64], scale: str) -> Similarity:
    return Similarity(
        places, lambda at: fingerprint.similarity_matrix(prints[at], scale), _dense(prints)
    )


def _by_fingerprint(
    table: pd.DataFrame, doc_ids: list[str], scale: str, missing: str
) -> Similarity:
    if 'fingerprint' not in table.columns:
        raise ValueError(
            "similarity='simhash' needs docs, or judgments with a column 'fingerprint', which "
            'with_fingerprints adds'
        )
    printed = table.loc[table['fingerprint'] != ''].drop_duplicates('doc_id')
    places = {doc_id: place for place, doc_id in enumerate(printed['doc_id'])}
    absent = [doc_id for doc_id in doc_ids if doc_id not in places]
    report_absent(
        absent, f'{len(absent)} of {len(doc_ids)} relevant documents have no fingerprint', missing
    )
    return _of_prints(places, fingerprint.from_hex(printed['fingerprint']), scale)


def _by_column(table: pd.DataFrame) -> Similarity:
    """As :func:`with_similarity` wrote them: a document's number among those of its query is its key."""
    said = table.loc[
        table['document_similarity'] != '', ['query_id', 'doc_id', 'document_similarity']
    ]
    of_query = {
        query: dict(zip(rows['doc_id'], rows['document_similarity']))
        for query, rows in said.groupby('query_id', sort=False)
    }

    def each(query: str, doc_ids: Sequence[str]) -> Similarity:
        codes_by_document = of_query.get(query, {})
        absent = [d for d in doc_ids if d not in codes_by_document]
        report_absent(
            absent,
            f'query {query!r}: {len(absent)} of {len(doc_ids)} relevant documents have no '
            f'document_similarity',
            'error',
        )
        values = np.array([codes_by_document[d] for d in doc_ids], dtype=object)
        return Similarity(
            {d: i for i, d in enumerate(doc_ids)},
            lambda at: packed.unpack(values[at]),
            packed.Packed(values).number,
        )

    return _ByQuery(each)


def _of_vectors(places: Mapping[Any, int], rows: Any) -> Similarity:
    """Cosines of vectors, dense or sparse."""
    sparse = hasattr(rows, 'tocsr')
    rows = rows.tocsr() if sparse else np.asarray(rows, dtype=float)
    if not np.isfinite(rows.data if sparse else rows).all():
        raise ValueError('similarity: a vector has numbers that are not finite')
    length = (
        np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        if sparse
        else np.linalg.norm(rows, axis=1)
    )
    length = np.where(length == 0, 1.0, length)

    def compare(at: Places) -> Array:
        x = rows[at]
        products = (x @ x.T).toarray() if sparse else x @ x.T
        cosines = products / length[at] / length[at, None]
        return np.asarray((cosines + cosines.T) / 2)

    return Similarity(places, compare, _sparse_keys(rows) if sparse else _dense_keys(rows))


def _tfidf(text_of: dict[str, str], idf: Any, split: Tokenizer) -> Any:
    """Sparse TF-IDF vectors of texts, of length 1 with the idf of the texts: ln((1 + n)/(1 + df)) + 1."""
    import pandas as pd
    from scipy.sparse import csr_matrix

    terms_of = [split(text) for text in text_of.values()]
    vocabulary = sorted({term for terms in terms_of for term in terms})
    number = {term: place for place, term in enumerate(vocabulary)}
    row = np.repeat(np.arange(len(terms_of)), [len(terms) for terms in terms_of])
    column = np.array([number[term] for terms in terms_of for term in terms], dtype=np.intp)
    counts = csr_matrix((np.ones(len(row)), (row, column)), shape=(len(terms_of), len(vocabulary)))
    if idf is None:
        df = np.bincount(counts.indices, minlength=len(vocabulary))
        vectors = counts.multiply(np.log((1 + len(terms_of)) / (1 + df)) + 1).tocsr()
        length = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        vectors.data /= np.repeat(length, np.diff(vectors.indptr))
        return vectors
    if isinstance(idf, pd.DataFrame):
        missing_columns = [c for c in ('term', 'idf') if c not in idf.columns]
        if missing_columns:
            raise ValueError(
                f'idf: no column {missing_columns[0]!r} (found {", ".join(map(str, idf.columns))})'
            )
        idf = dict(zip(idf['term'], idf['idf']))
    idf_by_term = {str(term): float(value) for term, value in dict(idf).items()}
    highest = max(idf_by_term.values())
    return counts.multiply([idf_by_term.get(term, highest) for term in vocabulary])


def static_model() -> Any:
    """The word vectors that the package wordllama ships, without asking the network.

    Raises:
        ImportError: wordllama is not installed; says how to install it.
    """
    try:
        import wordllama
    except ImportError as error:
        raise ImportError(
            f"similarity='static' needs wordllama ({error}): pip install 'ir_divmeasures[static]'"
        ) from None
    return wordllama.WordLlama.load(
        cache_dir=pathlib.Path(wordllama.__file__).parent, disable_download=True
    )


def _by_encoder(model: Any, text_of: dict[str, str]) -> Similarity:
    """Vectors that an object's ``encode(texts)`` or ``embed(texts)`` gives; each text is encoded once."""
    once, name = (
        list(dict.fromkeys(text_of.values())),
        'encode' if hasattr(model, 'encode') else 'embed',
    )
    encoded = getattr(model, name)(once) if once else np.zeros((0, 1))
    vectors = np.asarray(encoded if hasattr(encoded, '__array__') else list(encoded), dtype=float)
    if vectors.ndim != 2 or len(vectors) != len(once):
        raise ValueError(
            f'similarity: {name}() of {len(once)} texts gave an array '
            f'{" × ".join(map(str, vectors.shape))}, expected one vector a text'
        )
    place = {text: i for i, text in enumerate(once)}
    return _of_vectors({doc_id: place[text] for doc_id, text in text_of.items()}, vectors)


def _by_function(
    function: Callable[[list[str], list[str]], Any], text_of: dict[str, str]
) -> Similarity:
    values = list(text_of.values())

    def compare(places: Places) -> Array:
        selection = [values[place] for place in places]
        result = function(selection, selection)
        try:
            return np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            n = len(selection)
            raise ValueError(
                f'similarity: the function returned {type(result).__name__}, expected a matrix of '
                f'numbers, {n} × {n}'
            ) from None

    return Similarity(
        {doc_id: place for place, doc_id in enumerate(text_of)}, compare, _ranks(values)
    )


def _vectors_or_matrix(source: Any) -> Vectors | Matrix | None:
    """Recognize vectors or a matrix. Return None for anything else.

    Raises:
        ValueError: a table or pair of which this cannot be told, or whose shapes do not fit.
    """
    import pandas as pd

    if isinstance(source, (Vectors, Matrix)):
        return source
    if isinstance(source, pd.DataFrame):
        return _of_frame(source)
    if isinstance(source, tuple) and len(source) == 2:
        vectors = Vectors(*source)
        n, m = vectors.array.shape
        if n == m and n > 1:
            raise ValueError(
                f'similarity: an array {n} × {n} with {n} doc ids can be vectors or a matrix of '
                f'similarities; pass ir_divmeasures.Vectors(array, ids) or '
                f'ir_divmeasures.Matrix(array, ids)'
            )
        return vectors
    return None


def _of_frame(frame: pd.DataFrame) -> Vectors | Matrix:
    """A table with a column of vectors or a column for each number of the vectors, or a square matrix.

    Raises:
        ValueError: several columns of vectors; ids that are some of the columns only; a square of unnamed columns whose
            ids are numbers, too.
    """
    named = next((c for c in ('doc_id', 'docno') if c in frame.columns), None)
    frame = frame.set_index(named) if named else frame
    ids = [str(each) for each in frame.index]
    arrays = [
        c
        for c in frame.columns
        if len(frame)
        and frame[c].dtype == object
        and isinstance(frame[c].iloc[0], (np.ndarray, list, tuple))
    ]
    if len(arrays) > 1:
        raise ValueError(
            f'similarity: several columns of vectors ({", ".join(map(repr, arrays))}), expected one; drop '
            f'the others'
        )
    if arrays:
        return Vectors(_stacked(frame[arrays[0]].tolist()), ids)
    columns, n = [str(c) for c in frame.columns], len(frame)
    unnamed = list(frame.columns) == list(range(len(columns)))
    if not set(ids) & set(columns) or unnamed and len(columns) != n:
        return Vectors(_numeric(frame), ids)
    if unnamed:
        raise ValueError(
            f'similarity: {n} columns without names, 0 to {n - 1}, and documents with such ids can be '
            f'vectors or a matrix of similarities; pass ir_divmeasures.Vectors(array, ids) or '
            f'ir_divmeasures.Matrix(array, ids)'
        )
    if set(ids) != set(columns):
        both, other = set(ids) & set(columns), sorted(set(ids) ^ set(columns))
        raise ValueError(
            f'similarity: {len(both)} of {n} documents of the table are among its {len(columns)} columns '
            f'(only a row or a column: {", ".join(map(repr, other[:5]))}); expected all of them, for a '
            f'matrix, or none, for vectors'
        )
    frame = frame.set_axis(ids, axis=0).set_axis(columns, axis=1)
    return Matrix(_numeric(frame.loc[:, ids]), ids)


def _numeric(frame: pd.DataFrame) -> Array:
    try:
        return frame.to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f'similarity: expected columns of numbers, or one column of vectors (found '
            f'{", ".join(map(str, frame.columns[:5]))})'
        ) from None


def _stacked(vectors: list[Any]) -> Array:
    try:
        array = np.array([np.asarray(vector, dtype=float) for vector in vectors])
    except (TypeError, ValueError):
        raise ValueError('similarity: expected vectors of numbers of one length') from None
    if array.ndim != 2:
        raise ValueError(
            f'similarity: expected a vector for each document, found arrays of '
            f'{array.ndim - 1} dimensions'
        )
    return array


def _of_matrix(matrix: Matrix) -> Similarity:
    return Similarity(
        {doc_id: place for place, doc_id in enumerate(matrix.ids)},
        lambda at: matrix.array[np.ix_(at, at)],
        None,
    )


def _of_each_query(
    sources: Mapping[Any, Any], table: pd.DataFrame, rel: float, missing: str
) -> Similarity:
    """Vectors or a matrix for each query.

    Raises:
        TypeError, ValueError: as :func:`_vectors_or_matrix`; a query or relevant document without vectors.
    """
    similarities: dict[str, Similarity] = {}
    absent: list[str] = []
    by_query = {str(query): source for query, source in sources.items()}
    relevant = relevant_rows(table, rel).drop_duplicates(['query_id', 'doc_id'])
    for query, rows in relevant.groupby('query_id', sort=False):
        if query not in by_query:
            raise ValueError(f'similarity: no vectors or matrix for query {query!r}')
        source = by_query[query]
        read = _vectors_or_matrix(source)
        if read is None and isinstance(source, Mapping) and source:
            read = Vectors(_stacked(list(source.values())), list(source))
        if read is None:
            raise TypeError(
                f'similarity of query {query!r}: expected vectors or a matrix, found '
                f'{type(source).__name__}'
            )
        if isinstance(read, Matrix):
            similarities[query] = _of_matrix(read)
            continue
        places = {doc_id: place for place, doc_id in enumerate(read.ids)}
        absent += [doc_id for doc_id in rows['doc_id'] if doc_id not in places]
        similarities[query] = _of_vectors(places, read.array)
    report_absent(
        absent, f'{len(absent)} of {len(relevant)} relevant documents have no vector', missing
    )
    return _ByQuery(
        lambda query, doc_ids: similarities[query],
        all(each.has_keys for each in similarities.values()),
    )


SLACK = 1e-3
"""Differences of similarities that come from rounding, as in numbers of 16 or 32 bits."""


def _checked(query: str, doc_ids: Sequence[str], matrix: Array) -> Array:
    """Similarities of these documents, symmetric, in [0, 1] and rounded, from a user's matrix.

    Raises:
        ValueError: another shape; numbers that are not finite, not symmetric, above 1, or look like distances.
    """
    n = len(doc_ids)
    if matrix.shape != (n, n):
        raise ValueError(
            f'similarity of query {query!r}: expected a matrix {n} × {n}, found '
            f'{" × ".join(map(str, matrix.shape))}'
        )
    unequal = np.abs(matrix - matrix.T).max()
    if not np.isfinite(matrix).all() or unequal > SLACK or matrix.max() > 1 + SLACK:
        raise ValueError(
            f'similarity of query {query!r}: expected finite, symmetric numbers of at most 1, found '
            f'{matrix.min():g} to {matrix.max():g}, unequal by up to {unequal:g}'
        )
    row = int(np.argmax(matrix.max(axis=1) - np.diag(matrix)))
    nearest = int(np.argmax(matrix[row]))
    if matrix[row, nearest] > matrix[row, row] + SLACK:
        raise ValueError(
            f'similarity of query {query!r}: document {doc_ids[row]!r} is less similar to itself '
            f'({matrix[row, row]:g}) than to {doc_ids[nearest]!r} ({matrix[row, nearest]:g}); are these '
            f'distances? expected similarities'
        )
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
        head[have, 2 * entry], head[have, 2 * entry + 1] = (
            -rows.indices[at].astype(float),
            rows.data[at],
        )

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
            tied = sorted(
                ((full(int(i)), int(i)) for i in order[low:high]), key=lambda pair: pair[0]
            )
            order[low:high] = [i for _, i in tied]
            new[low + 1 : high] = [one[0] != other[0] for one, other in zip(tied[1:], tied)]
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
        signature = np.sort(code + color, axis=1)
        color = (
            np.unique(np.column_stack([color, signature]), axis=0, return_inverse=True)[1]
            .reshape(-1)
            .astype(np.intp)
        )
    return _ranks([(int(c), g) for c, g in zip(color, grades)])
