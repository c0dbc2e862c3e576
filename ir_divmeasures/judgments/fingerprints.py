"""64-bit fingerprints of documents, in a column ``fingerprint``.

A fingerprint shows how similar a document is to others, and does not contain its text. You can therefore share
judgments with fingerprints even if you cannot share the documents.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.kernels import fingerprint
from .table import Judgments, named_as
from .texts import Tokenizer, relevant_documents, terms, texts, tokenizer_of

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import QrelsLike


def simhash(texts: Iterable[str], tokenizer: Tokenizer = terms) -> np.ndarray:
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
    from scipy.sparse import csr_matrix

    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__  # a new term has the next number
    columns: list[int] = []
    ends = [0]
    for text in texts:
        columns.extend(map(vocabulary.__getitem__, tokenizer(text)))
        ends.append(len(columns))
    digests = b''.join(
        hashlib.md5(term.encode('utf-8', 'surrogatepass')).digest()[-8:] for term in vocabulary
    )
    bits = fingerprint.signs(np.frombuffer(digests, dtype='>u8').astype(np.uint64))
    votes = (
        csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(vocabulary)))
        @ bits
    )
    return np.packbits(votes > 0, axis=1).view('>u8')[:, 0].astype(np.uint64)


def with_fingerprints(
    qrels: QrelsLike,
    docs: Any,
    rel: float = 1,
    missing: str = 'error',
    stopwords: Any = None,
    tokenizer: Any = None,
) -> pd.DataFrame:
    """Judgments with SimHash fingerprints of the relevant documents in a column ``fingerprint``, 16 hexadecimal digits.

    Args:
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
        docs: where the texts are (see :func:`ir_divmeasures.judgments.texts.texts`). Only those of relevant documents
            are fetched.
        rel: the lowest grade that counts as relevant.
        missing: ``'error'``, or ``'skip'``: documents without text get no fingerprint, and one warning says which.
        stopwords: terms to leave out: ``'english'`` or words in lower case. Without them unrelated long texts are
            some .5 alike.
        tokenizer: a function of a text that gives a list of terms, in place of the default's words (and pairs of
            characters in scripts without spaces).

    Returns:
        The judgments, with an empty fingerprint for documents that are not relevant.

    Raises:
        ValueError: relevant documents that ``docs`` does not have; lists them.

    Examples:
        >>> qrels = {'q': {'d1': 1, 'd2': 0, 'd3': 2}}
        >>> with_fingerprints(qrels, {'d1': 'beagle dogs', 'd3': 'the Beagle 2 lander'})['fingerprint'].tolist()
        ['9221200290038120', '', '22017801c5158224']
    """
    table = Judgments.of(qrels).frame()
    text_of = texts(docs, relevant_documents(table, rel), missing)
    prints = simhash(text_of.values(), tokenizer_of(tokenizer, stopwords))
    printed = dict(zip(text_of, fingerprint.to_hex(prints)))
    return named_as(table.assign(fingerprint=table['doc_id'].map(printed).fillna('')), qrels)
