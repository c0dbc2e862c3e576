"""How alike documents are, from 0 to 1: by SimHash, TF-IDF, vectors, a matrix, a function, or the judgments' column.

Hierarchies and the measures of document similarity take the same similarities. A similarity also defines an order of a
query's documents that does not depend on their ids. Ties between equal similarities are therefore resolved by the
content of the documents, not by their names.
"""

from __future__ import annotations

import functools
import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import packed
from ..errors import did_you_mean, one_of
from .judgments import Judgments, named_as, relevant_rows, require_fields
from ..lazy import pd
from .texts import (
    Tokenizer,
    report_absent,
    terms,
    texts,
    tokenizer_of,
)

if TYPE_CHECKING:
    from ..typing import QrelsLike

Array = NDArray[np.float64]
Places = NDArray[np.intp]
"""Numbers of documents, rows or clusters."""
DIGITS = 12
"""The number of digits to which similarities are rounded, so that rounding errors do not separate equal
similarities."""
BITS = 64
_DISTANCES = np.arange(BITS + 1)
SCALES: dict[str, Array] = {
    'cosine': np.where(_DISTANCES < BITS / 2, np.cos(np.pi * _DISTANCES / BITS), 0.0),
    'hamming': 1 - _DISTANCES / BITS,
}
"""Similarities in [0, 1] for the Hamming distances H = 0..64 of fingerprints, (65,): max(0, cos(π·H/64)) and 1 − H/64.
H/64 estimates θ/π, where θ is the angle between two vectors of term counts (Charikar 2002)."""
KINDS = ('simhash', 'tfidf')
"""The similarities of texts that have names."""
EXPECTED = (
    "'simhash', 'tfidf', vectors ({doc_id: vector}, a DataFrame with doc ids as index, Vectors(array, ids)), a matrix "
    "(DataFrame with doc ids as index and columns, Matrix(array, ids)), one of these for each query in a dict, or a "
    "function of two lists of texts"
)


class Vectors:
    """Vectors of documents, which are compared by cosine.

    Attributes:
        array: (documents, dimensions), dense or a sparse matrix of SciPy.
        ids: the documents of the rows.
        places: the row of each document.

    Raises:
        ValueError: not a row for each document.

    Examples:
        >>> Vectors([[1, 0], [3, 4]], ['d1', 'd2'])
        Vectors(2 documents, 2 dimensions)
    """

    def __init__(self, array: Any, ids: Any):
        self.array = array if hasattr(array, 'tocsr') else np.asarray(array, dtype=float)
        self.ids = [str(each) for each in ids]
        self.places = {doc_id: place for place, doc_id in enumerate(self.ids)}
        shape, n = self.array.shape, len(self.ids)
        is_matrix = isinstance(self, Matrix)
        if shape != (n, n) if is_matrix else len(shape) != 2 or shape[0] != n:
            raise ValueError(
                f'similarity: an array {_times(shape)} with {n} doc ids, expected '
                f'{"a row and a column" if is_matrix else "a row"} for each'
            )

    def __repr__(self) -> str:
        return f'Vectors({len(self.ids)} documents, {self.array.shape[1]} dimensions)'

    def source(self) -> Source:
        return _of_vectors(self.places, self.array)


class Matrix(Vectors):
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

    def __repr__(self) -> str:
        return f'Matrix({len(self.ids)} documents)'

    def source(self) -> Source:
        return Source(self.places, lambda at: self.array[np.ix_(at, at)], None)


def _times(shape: tuple[int, ...]) -> str:
    return ' × '.join(map(str, shape))


class Source(NamedTuple):
    """Similarities of documents.

    Attributes:
        places: the place of each document. A document without a place has similarity 0 to all others.
        compare: of n places: similarities (n, n).
        keys: a number for each place: documents of one key are the same to this similarity, and keys are ordered by
            what documents are. None: only similarities tell documents apart, and every document must have a place.
    """

    places: Mapping[Any, int]
    compare: Callable[[Places], Any]
    keys: NDArray[Any] | None


class Similarity(NamedTuple):
    """Similarities of the relevant documents of each query.

    Attributes:
        name: what tables call it.
        source_of: the similarities for a query.
    """

    name: str
    source_of: Callable[[str], Source]

    def place(self, query: str, doc_ids: Sequence[str]) -> Places:
        """Return the places of documents, −1 for unknown documents."""
        places = self.source_of(query).places
        return np.array([places.get(doc_id, -1) for doc_id in doc_ids], dtype=np.intp)

    def keys(self, query: str, rows: pd.DataFrame) -> pd.Series:
        """Ranks of the documents of rows of judgments by their keys, from 0, equal for documents of one key.

        Where only similarities tell documents apart: by sorted row, refined by (similarity, key) of the others until
        stable, then by grades.
        """
        doc_ids = rows['doc_id'].unique().tolist()
        keys = self.source_of(query).keys
        if keys is None:
            by_document = rows.groupby('doc_id', sort=False)['relevance']
            grades = [tuple(sorted(of_document)) for _, of_document in by_document]
            ranks = _refined(self.matrix(query, doc_ids), grades)
        else:
            place = self.place(query, doc_ids)
            ranks = _dense(np.where(place >= 0, keys[place], -1))
        return pd.Series(ranks, index=doc_ids)

    def matrix(self, query: str, doc_ids: Sequence[str]) -> Array:
        """Similarities of documents, symmetric, in [0, 1], rounded; (n, n).

        Raises:
            ValueError: similarities that are not symmetric, not finite or above 1, or are distances.
        """
        source, place = self.source_of(query), self.place(query, doc_ids)
        rows = np.flatnonzero(place >= 0)
        if source.keys is None and len(rows) < len(place):
            absent = [doc_id for doc_id, at in zip(doc_ids, place) if at < 0]
            raise ValueError(
                f'similarity of query {query!r}: {len(absent)} relevant documents are not in the matrix: '
                f'{", ".join(map(repr, absent[:20]))}'
            )
        matrix = np.zeros((len(place), len(place)))
        if len(rows):
            known = [doc_ids[int(row)] for row in rows]
            matrix[np.ix_(rows, rows)] = _checked(query, known, source.compare(place[rows]))
        return matrix


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
        keys = alike.keys(query, rows)
        keys = keys[alike.place(query, keys.index) >= 0]
        ids = keys.index[np.lexsort((keys.index.to_numpy(dtype=str), keys))].tolist()
        written.update(zip(((query, d) for d in ids), packed.pack(alike.matrix(query, ids))))
    column = [written.get(pair, '') for pair in zip(table['query_id'], table['doc_id'])]
    return named_as(table.assign(document_similarity=column), qrels)


def with_fingerprints(
    qrels: QrelsLike,
    docs: Any,
    rel: float = 1,
    missing: str = 'error',
    stopwords: Any = None,
    tokenizer: Any = None,
) -> pd.DataFrame:
    """Judgments with the similarities of SimHash fingerprints: :func:`with_similarity` with ``'simhash'``.

    Args:
        qrels, docs, rel, missing, stopwords, tokenizer: as for :func:`with_similarity`.

    Returns:
        As :func:`with_similarity`.

    Examples:
        >>> table = with_fingerprints({'q': {'d1': 1, 'd2': 0}}, {'d1': 'beagle dogs'})
        >>> table['document_similarity'].tolist()
        ['AAAAAAAA8D8=', '']
    """
    return with_similarity(
        qrels, docs, rel=rel, missing=missing, stopwords=stopwords, tokenizer=tokenizer
    )


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
    one_of(scale, SCALES, 'scale')
    split = tokenizer_of(tokenizer, stopwords)
    if kind is None and docs is None and 'document_similarity' in table.columns:
        return _by_column(table, rel, missing)
    kind = 'simhash' if kind is None else kind
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(
                f'similarity={kind!r}: expected {EXPECTED}'
                + did_you_mean(kind, KINDS, list_known=False)
            )
        name = kind
    elif callable(kind):
        name = str(getattr(kind, '__name__', type(kind).__name__))
    else:
        return _given(kind, table, rel, missing)
    if docs is None:
        raise ValueError(f'similarity by {name} needs texts: give docs')
    text_of = texts(docs, relevant_rows(table, rel)['doc_id'], missing)
    places = {doc_id: place for place, doc_id in enumerate(text_of)}
    if kind == 'simhash':
        prints = simhash(text_of.values(), split)
        name = 'simhash (hamming)' if scale == 'hamming' else name
        source = Source(places, lambda at: alike_prints(prints[at], scale), _dense(prints))
    elif kind == 'tfidf':
        source = _of_vectors(places, _tfidf(text_of, idf, split))
    else:
        source = _by_function(kind, places, list(text_of.values()))
    return Similarity(name, lambda query: source)


def _given(kind: Any, table: pd.DataFrame, rel: float, missing: str) -> Similarity:
    """Vectors or a matrix, of all queries or by query.

    Raises:
        TypeError, ValueError: something else; a query or relevant document without vectors.
    """

    relevant = relevant_rows(table, rel)[['query_id', 'doc_id']].drop_duplicates()
    first = next(iter(kind.values()), None) if isinstance(kind, Mapping) else None
    if isinstance(first, (Vectors, pd.DataFrame, Mapping)):
        given = {str(query): each for query, each in kind.items()}
        sources = {}
        for query in relevant['query_id'].unique():
            if query not in given:
                raise ValueError(f'similarity: no vectors or matrix for query {query!r}')
            sources[query] = _vectors(given[query]).source()
    else:
        sources = dict.fromkeys(table['query_id'], _vectors(kind).source())
        relevant = relevant.drop_duplicates('doc_id')
    is_matrix = any(source.keys is None for source in sources.values())
    pairs = [] if is_matrix else relevant.to_numpy()  # a matrix reports them itself
    absent = [doc_id for query, doc_id in pairs if doc_id not in sources[query].places]
    report_absent(absent, len(relevant), 'relevant documents have no vector', missing)
    return Similarity(f'given {"matrix" if is_matrix else "vectors"}', sources.__getitem__)


def _by_column(table: pd.DataFrame, rel: float, missing: str) -> Similarity:
    """As :func:`with_similarity` wrote them: a document's number among those of its query is its key."""
    relevant = relevant_rows(table, rel).drop_duplicates(['query_id', 'doc_id'])
    absent = relevant.loc[relevant['document_similarity'] == '', 'doc_id'].tolist()
    report_absent(absent, len(relevant), 'relevant documents have no document_similarity', missing)

    def source_of(query: str) -> Source:
        rows = relevant[relevant['query_id'] == query]
        codes = rows['document_similarity'].to_numpy(dtype=object)
        places = {doc_id: place for place, doc_id in enumerate(rows['doc_id'])}
        return Source(places, lambda at: packed.unpack(codes[at]), packed.Packed(codes).number)

    return Similarity('document_similarity', functools.cache(source_of))


def simhash(texts: Iterable[str], tokenizer: Tokenizer = terms) -> NDArray[np.uint64]:
    """SimHash fingerprints (Charikar 2002): the more terms two texts share, the more bits.

    Bit b is 1 where the terms whose hash has bit b are, by count, more than half of the text. A term's hash is the last
    8 bytes of its MD5 digest, so fingerprints are the same everywhere, and those of the PyPI package ``simhash`` on
    term counts.

    Args:
        texts: n texts. One without terms has the fingerprint 0.
        tokenizer: makes a list of terms of a text.

    Returns:
        (n,) array of uint64.

    Examples:
        >>> [f'{value:016x}' for value in simhash(['Beagle: dogs', 'dogs beagle', ''])]
        ['9221200290038120', '9221200290038120', '0000000000000000']
    """
    vocabulary, counts = _counts(texts, tokenizer)
    digests = [
        hashlib.md5(term.encode('utf-8', 'surrogatepass'), usedforsecurity=False).digest()[-8:]
        for term in vocabulary
    ]
    hashes = np.frombuffer(b''.join(digests), dtype='>u8')
    votes = counts @ _signs(hashes)
    return np.packbits(votes > 0, axis=1).view('>u8')[:, 0].astype(np.uint64)


def _counts(texts: Iterable[str], tokenizer: Tokenizer) -> tuple[list[str], Any]:
    """The terms of n texts, sorted, and how often each text has each, a sparse matrix (n, terms)."""
    from scipy.sparse import csr_matrix

    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__  # a new term has the next number
    columns: list[int] = []
    ends = [0]
    for text in texts:
        columns.extend(map(vocabulary.__getitem__, tokenizer(text)))
        ends.append(len(columns))
    names = sorted(vocabulary)
    place = np.argsort([vocabulary[term] for term in names])
    counts = csr_matrix(
        (np.ones(len(columns)), place[columns], ends), shape=(len(ends) - 1, len(names))
    )
    counts.sum_duplicates()
    return names, counts


def _signs(prints: NDArray[Any]) -> Array:
    """Bits of fingerprints, +1 for a set bit and −1 else: (n,) → (n, 64)."""
    raw = prints.astype('>u8')[:, None].view(np.uint8)
    return np.unpackbits(raw, axis=1).astype(np.float64) * 2 - 1


def alike_prints(prints: NDArray[np.uint64], scale: str = 'cosine') -> Array:
    """Similarities of all pairs of fingerprints by one of :data:`SCALES`: (n,) → (n, n)."""
    x = _signs(prints)  # H = (64 − x·y)/2
    return SCALES[scale][((BITS - x @ x.T) / 2).astype(np.intp)]


def _of_vectors(places: Mapping[Any, int], rows: Any) -> Source:
    """Cosines of vectors, dense or sparse."""
    from scipy.sparse import csr_matrix, issparse

    rows = csr_matrix(rows) if issparse(rows) else np.asarray(rows, dtype=float)
    if not np.isfinite(rows.data if issparse(rows) else rows).all():
        raise ValueError('similarity: a vector has numbers that are not finite')
    length = _lengths(rows)
    length[length == 0] = 1.0

    def compare(at: Places) -> Any:
        products = rows[at] @ rows[at].T
        products = products.toarray() if issparse(products) else products
        return products / length[at] / length[at, None]

    if not issparse(rows):
        return Source(places, compare, _dense(rows))
    rows.sort_indices()
    entries = np.column_stack([-rows.indices.astype(float), rows.data]).ravel().tolist()
    bounds = (2 * rows.indptr).tolist()
    return Source(
        places, compare, ranks_of([tuple(entries[a:b]) for a, b in zip(bounds, bounds[1:])])
    )


def _lengths(rows: Any) -> Array:
    if hasattr(rows, 'multiply'):
        return np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return np.asarray(np.linalg.norm(rows, axis=1))


def _tfidf(text_of: dict[str, str], idf: Any, split: Tokenizer) -> Any:
    """Sparse TF-IDF vectors of texts, of length 1 with the idf of the texts: ln((1 + n)/(1 + df)) + 1."""

    vocabulary, counts = _counts(text_of.values(), split)
    if idf is None:
        df = np.bincount(counts.indices, minlength=len(vocabulary))
        vectors = counts.multiply(np.log((1 + len(text_of)) / (1 + df)) + 1).tocsr()
        vectors.data /= np.repeat(_lengths(vectors), np.diff(vectors.indptr))
        return vectors
    if isinstance(idf, pd.DataFrame):
        require_fields(idf, ('term', 'idf'), 'idf')
        idf = dict(zip(idf['term'], idf['idf']))
    idf_by_term = {str(term): float(value) for term, value in dict(idf).items()}
    highest = max(idf_by_term.values())
    return counts.multiply([idf_by_term.get(term, highest) for term in vocabulary])


def _by_function(
    function: Callable[[list[str], list[str]], Any], places: Mapping[str, int], values: list[str]
) -> Source:
    def compare(at: Places) -> Array:
        selection = [values[place] for place in at]
        result = function(selection, selection)
        try:
            return np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            n = len(selection)
            raise ValueError(
                f'similarity: the function returned {type(result).__name__}, expected a matrix of '
                f'numbers, {n} × {n}'
            ) from None

    return Source(places, compare, ranks_of(values))


def _vectors(given: Any) -> Vectors:
    """Vectors or a matrix.

    Raises:
        TypeError: something else.
        ValueError: a table of which it cannot be told which of them it is.
    """
    if isinstance(given, pd.DataFrame):
        return _of_frame(given)
    if isinstance(given, Mapping) and given:
        return Vectors(_stacked(list(given.values())), list(given))
    if not isinstance(given, Vectors):
        raise TypeError(f'similarity: expected {EXPECTED}; found {type(given).__name__}')
    return given


def _of_frame(frame: pd.DataFrame) -> Vectors:
    """A table with a column of vectors or a column for each number of the vectors, or a square matrix.

    Raises:
        ValueError: several columns of vectors; ids that are some of the columns only; a square of unnamed columns whose
            ids are numbers, too.
    """
    named = next((c for c in ('doc_id', 'docno') if c in frame.columns), None)
    frame = frame.set_index(named) if named else frame
    ids, columns, n = [str(each) for each in frame.index], frame.columns.map(str), len(frame)
    is_array = frame.head(1).map(lambda cell: isinstance(cell, (np.ndarray, list, tuple))).any()
    arrays = frame.columns[is_array].tolist()
    if len(arrays) > 1:
        raise ValueError(
            f'similarity: several columns of vectors ({", ".join(map(repr, arrays))}), expected one; drop '
            f'the others'
        )
    if arrays:
        return Vectors(_stacked(frame[arrays[0]].tolist()), ids)
    try:
        numbers = frame.to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f'similarity: expected columns of numbers, or one column of vectors (found '
            f'{", ".join(columns[:5])})'
        ) from None
    unnamed = list(frame.columns) == list(range(len(columns)))
    both, other = set(ids) & set(columns), sorted(set(ids) ^ set(columns))
    if not both or unnamed and len(columns) != n:
        return Vectors(numbers, ids)
    if unnamed:
        raise ValueError(
            f'similarity: {n} columns without names, 0 to {n - 1}, and documents with such ids can be vectors or a '
            f'matrix of similarities; pass ir_divmeasures.data.Vectors(array, ids) or '
            f'ir_divmeasures.data.Matrix(array, ids)'
        )
    if other:
        raise ValueError(
            f'similarity: {len(both)} of {n} documents of the table are among its {len(columns)} columns '
            f'(only a row or a column: {", ".join(map(repr, other[:5]))}); expected all of them, for a '
            f'matrix, or none, for vectors'
        )
    return Matrix(numbers[:, columns.get_indexer(ids)], ids)


def _stacked(vectors: list[Any]) -> Array:
    try:
        array = np.array([np.asarray(vector, dtype=float) for vector in vectors])
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 2:
        raise ValueError('similarity: expected vectors of numbers of one length')
    return array


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
            f'similarity of query {query!r}: expected a matrix {n} × {n}, found {_times(matrix.shape)}'
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


def _dense(values: NDArray[Any]) -> Places:
    """Ranks of numbers or rows from 0, equal for equal ones."""
    return np.unique(values, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)


def ranks_of(values: Sequence[Hashable]) -> Places:
    place = {value: rank for rank, value in enumerate(sorted(set(values)))}  # type: ignore[type-var]
    return np.array([place[value] for value in values], dtype=np.intp)


def _refined(matrix: Array, grades: Sequence[Any]) -> Places:
    n = len(matrix)
    code = np.unique(matrix, return_inverse=True)[1].reshape(n, n) * n
    color = np.zeros(n, dtype=np.intp)
    classes = 0
    while classes < color.max(initial=0) + 1 < n or classes == 0:
        classes = int(color.max(initial=0)) + 1
        color = _dense(np.column_stack([color, np.sort(code + color, axis=1)]))
    return ranks_of(list(zip(color.tolist(), grades)))
