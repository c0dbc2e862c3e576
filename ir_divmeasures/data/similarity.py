"""Similarities of documents in [0, 1]: by SimHash, TF-IDF, vectors, a matrix, a function, or the judgments' column.

Hierarchies and the measures of document similarity use the same similarities. Each kind compares documents, and has a
key for each, which orders documents by their content. Ties between equal similarities are therefore resolved by what
the documents are, not by their names.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import packed
from ..errors import one_of, short
from ..lazy import pd
from .judgments import Judgments, named_as
from .texts import Tokenizer, read_texts, report_absent, terms, tokenizer_without

if TYPE_CHECKING:
    from ..typing import QrelsLike

Array = NDArray[np.float64]
Keys = NDArray[np.int64]
"""Numbers that order documents."""
DIGITS = 12
"""Similarities are rounded to this number of digits, so that rounding errors do not separate equal ones."""
SLACK = 1e-3
"""The largest difference of similarities that comes from rounding, as in numbers of 16 or 32 bits."""
BITS = 64
_DISTANCES = np.arange(BITS + 1)
SCALES: dict[str, Array] = {
    'cosine': np.where(_DISTANCES < BITS / 2, np.cos(np.pi * _DISTANCES / BITS), 0.0),
    'hamming': 1 - _DISTANCES / BITS,
}
"""Similarities in [0, 1] for the Hamming distances H = 0..64 of fingerprints, (65,): max(0, cos(π·H/64)) and 1 − H/64.
H/64 estimates θ/π, where θ is the angle between two vectors of term counts (Charikar 2002)."""
EXPECTED = (
    "'simhash', 'tfidf', vectors ({doc_id: vector}, a DataFrame with doc ids as index, Vectors(array, ids)), a matrix "
    "(DataFrame with doc ids as index and columns, Matrix(array, ids)), or a function of two lists of texts"
)


class Vectors:
    """Vectors of documents, which are compared by cosine.

    Attributes:
        array: (documents, dimensions), dense or a sparse matrix of SciPy.
        ids: the documents of the rows.
        rows: the row of each document.

    Raises:
        ValueError: the array does not have one row of numbers for each document.

    Examples:
        >>> Vectors([[1, 0], [3, 4]], ['d1', 'd2'])
        Vectors(2 × 2)
    """

    def __init__(self, array: Any, ids: Iterable[Any]):
        self.array: Any = array.tocsr() if hasattr(array, 'tocsr') else numeric_array(array)
        self.ids = [str(doc_id) for doc_id in ids]
        self.rows = {doc_id: row for row, doc_id in enumerate(self.ids)}
        if self.array.ndim != 2 or len(self.ids) != self.array.shape[0]:
            raise ValueError(f'{self}: expected a row for each of {len(self.ids)} doc ids')

    def __repr__(self) -> str:
        return f'{type(self).__name__}({_times(self.array.shape)})'

    def compare(self, ids: list[str]) -> tuple[Array, Keys | None]:
        """The cosines of n documents, (n, n), and their keys."""
        vectors = self.array[[self.rows[doc_id] for doc_id in ids]]
        products = vectors @ vectors.T
        if isinstance(vectors, np.ndarray):
            length, keys = np.linalg.norm(vectors, axis=1), ranks_of(map(tuple, vectors.tolist()))
        else:
            products, length = products.toarray(), lengths_of(vectors)
            vectors.sort_indices()
            entries = list(zip((-vectors.indices).tolist(), vectors.data.tolist()))
            ends = itertools.pairwise(vectors.indptr.tolist())
            keys = ranks_of(tuple(entries[start:end]) for start, end in ends)
        length[length == 0] = 1.0
        return products / length / length[:, None], keys


class Matrix(Vectors):
    """Similarities of documents: at most 1, symmetric but for rounding. Numbers below 0 count as 0.

    Attributes:
        array: (documents, documents).
        ids: the documents of the rows and columns.
        rows: the row of each document.

    Raises:
        ValueError: the array does not have one row and one column for each document.

    Examples:
        >>> Matrix([[1, 0.6], [0.6, 1]], ['d1', 'd2'])
        Matrix(2 × 2)
    """

    def __init__(self, array: Any, ids: Iterable[Any]):
        super().__init__(array, ids)
        if self.array.shape[1] != len(self.ids):
            raise ValueError(f'{self}: expected a column for each of {len(self.ids)} doc ids')

    def compare(self, ids: list[str]) -> tuple[Array, None]:
        """The similarities of n documents, (n, n). Nothing else tells them apart."""
        rows = [self.rows[doc_id] for doc_id in ids]
        return self.array[np.ix_(rows, rows)], None


class Source:
    """Another kind of similarity: what is known of each document, and a function that compares documents by it."""

    def __init__(self, rows: Mapping[str, Any], function: Callable[[list[Any]], Any]):
        self.rows, self.function = rows, function

    def compare(self, ids: list[str]) -> tuple[Array, Keys]:
        """The similarities of n documents, (n, n), and their keys."""
        return self.function([self.rows[doc_id] for doc_id in ids])


def compare_documents(
    query: str, judged: pd.DataFrame, source: Vectors | Source | None
) -> tuple[list[str], Keys, Array]:
    """Compare the documents of rows of judgments.

    Documents of one key are the same to the similarity, and keys are ordered by what documents are, not by their ids.
    Where only similarities tell documents apart, the key comes from the sorted row of each document, refined by
    (similarity, key) of the others until stable, then from its grades.

    Returns:
        The ids of the n documents in the order of their keys; the keys, (n,), −1 of a document without vector or text;
        the similarities, symmetric, in [0, 1], rounded, (n, n). A document of key −1 has only zeros.

    Raises:
        ValueError: similarities that are not symmetric, not finite or above 1, or are distances.
    """
    ids = judged['doc_id'].unique()
    matrix, keys = np.zeros((len(ids), len(ids))), np.full(len(ids), -1)
    known = [place for place, doc_id in enumerate(ids) if source and doc_id in source.rows]
    if source and known:
        compared, ranks = source.compare(ids[known].tolist())
        compared = standardise(query, ids[known], compared)
        if ranks is None:
            by_document = judged.groupby('doc_id')['relevance']
            grades = [tuple(sorted(by_document.get_group(doc_id))) for doc_id in ids[known]]
            ranks = ranks_of(zip(refine_ranks(compared).tolist(), grades))
        matrix[np.ix_(known, known)], keys[known] = compared, ranks
    order = np.lexsort((ids.astype(str), keys))
    return ids[order].tolist(), keys[order], matrix[np.ix_(order, order)]


def standardise(query: str, doc_ids: Sequence[str], similarities: Any) -> Array:
    """Similarities of these documents, symmetric, in [0, 1] and rounded, from a user's matrix.

    Raises:
        ValueError: another shape; numbers that are not finite, not symmetric, above 1, or look like distances.
    """
    n, where = len(doc_ids), f'similarity of query {query!r}'
    matrix = numeric_array(similarities)
    if matrix.shape != (n, n):
        raise ValueError(f'{where}: expected a matrix {n} × {n}, found {_times(matrix.shape)}')
    unequal = np.abs(matrix - matrix.T).max()
    if not np.isfinite(matrix).all() or unequal > SLACK or matrix.max() > 1 + SLACK:
        raise ValueError(
            f'{where}: expected finite, symmetric numbers of at most 1, found '
            f'{matrix.min():g} to {matrix.max():g}, unequal by up to {unequal:g}'
        )
    row, other = divmod(int((matrix - np.diag(matrix)[:, None]).argmax()), n)
    own, highest = matrix[row, row], matrix[row, other]
    if highest > own + SLACK:
        raise ValueError(
            f'{where}: document {doc_ids[row]!r} is less similar to itself ({own:g}) than to {doc_ids[other]!r} '
            f'({highest:g}). Are these distances? Expected similarities'
        )
    return np.clip((matrix + matrix.T) / 2, 0.0, 1.0).round(DIGITS)


def numeric_array(values: Any) -> Array:
    """An array of numbers from an array, a DataFrame, or rows of numbers.

    Raises:
        ValueError: values that are no numbers, or rows of different lengths.
    """
    try:
        rows = values if hasattr(values, 'shape') else [np.asarray(row, float) for row in values]
        return np.asarray(rows, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f'similarity: expected numbers in rows of one length, found {short(values)}'
        ) from None


def _times(shape: tuple[int, ...]) -> str:
    return ' × '.join(map(str, shape))


def ranks_of(values: Iterable[Any]) -> Keys:
    """Ranks of values from 0, equal for equal ones."""
    values = list(values)
    ranks = {value: rank for rank, value in enumerate(sorted({*values}))}
    return np.array([ranks[value] for value in values], dtype=np.int64)


def refine_ranks(matrix: Array) -> Keys:
    """Ranks of the rows of a matrix by their sorted similarities and, repeatedly, by the ranks of the others."""
    n, n_ranks = len(matrix), 0
    code = np.unique(matrix, return_inverse=True)[1].reshape(n, n) * n
    ranks = np.zeros(n, dtype=np.int64)
    while n_ranks <= ranks.max():
        n_ranks = ranks.max() + 1
        rows = np.column_stack([ranks, np.sort(code + ranks, axis=1)])
        ranks = ranks_of(map(tuple, rows.tolist()))
    return ranks


# ----------------------------------------------------------------------------------------- columns of judgments


def with_similarity(
    qrels: QrelsLike,
    docs: Any = None,
    similarity: Any = 'simhash',
    *,
    scale: str = 'cosine',
    idf: Any = None,
    stopwords: Any = None,
    rel: float = 1,
    missing: str = 'error',
) -> pd.DataFrame:
    """Judgments with the similarities of each query's relevant documents in a column ``document_similarity``.

    The column is a text that files, ir_measures and ``pt.Experiment`` carry; the measures of document similarity and
    :func:`build_hierarchy` read it.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        docs, similarity, scale, idf, stopwords, missing: as for :func:`~ir_divmeasures.build_hierarchy`.
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
    judgments = Judgments.of(qrels)
    table, relevant = judgments.table, judgments.relevant_rows(rel)
    options = scale, idf, stopwords, missing
    _, sources = find_similarities(relevant, docs, similarity, *options)
    codes: dict[tuple[str, str], str] = {}
    for query, rows in relevant.groupby('query_id', sort=False):
        ids, keys, matrix = compare_documents(query, rows, sources.get(query))
        first = int((keys < 0).sum())  # those without a text have no code
        pairs = ((query, doc_id) for doc_id in ids[first:])
        codes.update(zip(pairs, packed.pack(matrix[first:, first:])))
    column = [codes.get(pair, '') for pair in zip(table['query_id'], table['doc_id'])]
    return named_as(table.assign(document_similarity=column), qrels)


def find_similarities(
    relevant: pd.DataFrame,
    docs: Any,
    similarity: Any,
    scale: str = 'cosine',
    idf: Any = None,
    stopwords: Any = None,
    missing: str = 'error',
) -> tuple[str, Mapping[str, Vectors | Source]]:
    """The name of the similarity of some documents, and where each query has it.

    Args:
        relevant: the rows of judgments with a relevant document.
        docs, similarity, scale, idf, stopwords, missing: as for :func:`~ir_divmeasures.build_hierarchy`.

    Raises:
        TypeError, ValueError: not a similarity, no text or vector of a relevant document.
    """
    one_of(scale, SCALES, 'scale')
    if similarity is None and docs is None and 'document_similarity' in relevant.columns:
        return 'document_similarity', _read_column(relevant, missing)
    similarity = 'simhash' if similarity is None else similarity
    if isinstance(similarity, str):
        name = one_of(similarity, ('simhash', 'tfidf'), 'similarity')
    elif callable(similarity):
        name = str(getattr(similarity, '__name__', type(similarity).__name__))
    else:
        vectors, ids = parse_vectors(similarity), relevant['doc_id'].unique()
        absent = [doc_id for doc_id in ids if doc_id not in vectors.rows]
        report_absent(absent, len(ids), 'relevant documents are not in similarity', missing)
        return type(vectors).__name__, dict.fromkeys(relevant['query_id'], vectors)
    if docs is None:
        raise ValueError(f'similarity by {name} needs texts: give docs')
    text_of = read_texts(docs, relevant['doc_id'], missing)
    split = tokenizer_without(stopwords)
    source: Vectors | Source
    if similarity == 'simhash':
        name = 'simhash (hamming)' if scale == 'hamming' else name
        prints = dict(zip(text_of, simhash(text_of.values(), split).tolist()))
        source = Source(prints, lambda prints: (alike_prints(prints, scale), ranks_of(prints)))
    elif similarity == 'tfidf':
        source = Vectors(tfidf([*text_of.values()], idf, split), text_of)
    else:
        source = Source(text_of, lambda texts: (similarity(texts, texts), ranks_of(texts)))
    return name, dict.fromkeys(relevant['query_id'], source)


def _read_column(relevant: pd.DataFrame, missing: str) -> dict[str, Source]:
    """The similarities that :func:`with_similarity` wrote. The number of a document in its query is its key."""
    relevant = relevant.drop_duplicates(['query_id', 'doc_id'])
    is_absent = relevant['document_similarity'] == ''
    absent = relevant.loc[is_absent, 'doc_id'].tolist()
    report_absent(absent, len(relevant), 'relevant documents have no document_similarity', missing)
    return {
        query: Source(dict(zip(rows['doc_id'], rows['document_similarity'])), _unpack)
        for query, rows in relevant[~is_absent].groupby('query_id', sort=False)
    }


def _unpack(codes: list[str]) -> tuple[Array, Keys]:
    """The similarities and the numbers of documents of one query."""
    texts = np.array(codes, dtype=object)
    return packed.unpack(texts), packed.Packed(texts).number


def parse_vectors(source: Any) -> Vectors:
    """Vectors or a matrix from a DataFrame or a dict.

    Raises:
        TypeError: something else.
        ValueError: several columns of vectors; a table that can be vectors or a matrix, because some of its ids are
            columns, or its ids and its columns are numbers.
    """
    if isinstance(source, Vectors):
        return source
    if isinstance(source, Mapping) and source:
        return Vectors([*source.values()], source)
    if not isinstance(source, pd.DataFrame):
        raise TypeError(f'similarity: expected {EXPECTED}; found {type(source).__name__}')
    key = next((name for name in ('doc_id', 'docno') if name in source.columns), None)
    frame = source.set_index(key) if key else source
    ids, columns = frame.index.map(str), frame.columns.map(str)
    is_vector = frame.head(1).map(lambda cell: isinstance(cell, (np.ndarray, list, tuple))).any()
    vectors = frame.columns[is_vector].tolist()
    if len(vectors) > 1:
        names = ', '.join(map(repr, vectors))
        raise ValueError(f'similarity: several columns of vectors ({names}). Drop all but one')
    if vectors:
        return Vectors(frame[vectors[0]].tolist(), ids)
    n_both, has_names = len({*ids} & {*columns}), list(frame.columns) != list(range(len(columns)))
    if not n_both or not has_names and len(columns) != len(ids):
        return Vectors(frame, ids)
    if has_names and n_both == len(ids) == len(columns):
        return Matrix(frame.iloc[:, columns.get_indexer(ids)], ids)
    raise ValueError(
        f'similarity: {n_both} of {len(ids)} documents are among the {len(columns)} columns of the table, so that it can '
        f'be vectors or a matrix. Pass ir_divmeasures.data.Vectors(array, ids) or ir_divmeasures.data.Matrix(array, ids)'
    )


# ------------------------------------------------------------------------------------------ SimHash and TF-IDF


def simhash(texts: Iterable[str], split: Tokenizer = terms) -> NDArray[np.uint64]:
    """SimHash fingerprints (Charikar 2002): the more terms two texts share, the more bits.

    Bit b is 1 where the terms whose hash has bit b are, by count, more than half of the text. A term's hash is the last
    8 bytes of its MD5 digest, so fingerprints are the same everywhere, and those of the PyPI package ``simhash`` on
    term counts.

    Args:
        texts: n texts. One without terms has the fingerprint 0.
        split: makes a list of terms of a text.

    Returns:
        (n,) array of uint64.

    Examples:
        >>> [f'{value:016x}' for value in simhash(['Beagle: dogs', 'dogs beagle', ''])]
        ['9221200290038120', '9221200290038120', '0000000000000000']
    """
    vocabulary, counts = count_terms(texts, split)
    encoded = (term.encode('utf-8', 'surrogatepass') for term in vocabulary)
    digests = [hashlib.md5(term, usedforsecurity=False).digest()[-8:] for term in encoded]
    votes = counts @ _signs(np.frombuffer(b''.join(digests), dtype='>u8'))
    return np.packbits(votes > 0, axis=1).view('>u8')[:, 0].astype(np.uint64)


def _signs(prints: NDArray[Any]) -> Array:
    """Bits of fingerprints, +1 for a set bit and −1 else: (n,) → (n, 64)."""
    raw = prints.astype('>u8')[:, None].view(np.uint8)
    return np.unpackbits(raw, axis=1).astype(np.float64) * 2 - 1


def alike_prints(prints: Any, scale: str = 'cosine') -> Array:
    """Similarities of all pairs of fingerprints by one of :data:`SCALES`: (n,) → (n, n)."""
    x = _signs(np.array(prints, dtype=np.uint64))  # H = (64 − x·y)/2
    return SCALES[scale][((BITS - x @ x.T) / 2).astype(np.intp)]


def tfidf(texts: Sequence[str], idf: Any = None, split: Tokenizer = terms) -> Any:
    """Sparse TF-IDF vectors of n texts, (n, terms).

    Args:
        texts: the texts.
        idf: ``{term: idf}`` or a Series; other terms have its largest value. By default ln((1 + n)/(1 + df)) + 1 over
            the texts, and vectors of length 1.
        split: makes a list of terms of a text.
    """
    vocabulary, counts = count_terms(texts, split)
    if idf is not None:
        known = {str(term): float(value) for term, value in idf.items()}
        highest = max(known.values())
        return counts.multiply([known.get(term, highest) for term in vocabulary])
    df = np.bincount(counts.indices, minlength=len(vocabulary))
    vectors = counts.multiply(np.log((1 + len(texts)) / (1 + df)) + 1).tocsr()
    vectors.data /= np.repeat(lengths_of(vectors), np.diff(vectors.indptr))
    return vectors


def lengths_of(vectors: Any) -> Array:
    """The lengths of sparse vectors."""
    return np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())


def count_terms(texts: Iterable[str], split: Tokenizer) -> tuple[list[str], Any]:
    """The terms of n texts, sorted, and how often each text has each, a sparse matrix (n, terms)."""
    from scipy.sparse import csr_matrix

    lists = [split(text) for text in texts]
    words = np.array([term for each in lists for term in each], dtype=object)
    columns, vocabulary = pd.factorize(words, sort=True)
    ends, shape = np.cumsum([0, *map(len, lists)]), (len(lists), len(vocabulary))
    counts = csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)
    counts.sum_duplicates()
    return list(vocabulary), counts
