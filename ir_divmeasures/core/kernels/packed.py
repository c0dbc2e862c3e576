"""Store the similarities of a query's documents as one text per document, and read them pair by pair.

Documents are numbered 0, 1, …. The text of document p contains its similarities with documents 0, …, p as base64 of
little-endian 64-bit numbers. The length of a text therefore gives the number of its document, and any documents can be
omitted.
"""

from __future__ import annotations

from base64 import b64decode, b64encode

import numpy as np
from numpy.typing import NDArray

from . import Array


def pack(matrix: Array) -> list[str]:
    """D texts of a symmetric matrix (D, D) of similarities; text p contains s(p, 0), …, s(p, p)."""
    return [
        b64encode(row[: p + 1].astype('<f8').tobytes()).decode('ascii')
        for p, row in enumerate(matrix)
    ]


def is_packed(text: str) -> bool:
    """Whether a text is empty, or contains whole 64-bit numbers that are all in [0, 1]."""
    if not text:
        return True
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        return False
    if len(raw) % 8:
        return False
    values = np.frombuffer(raw, dtype='<f8')
    return bool(np.all((values >= 0) & (values <= 1)))


class Packed:
    """The similarities in an array of texts.

    Args:
        texts: texts of any shape. Values other than non-empty texts are documents without similarities.

    Attributes:
        number: number p of each document, −1 without similarities; in the shape of the texts.
        start: index in ``values`` of the first similarity of each document; in the shape of the texts.
        values: all similarities in [0, 1], (n + 1,); the last one is 0, for pairs without similarity.
    """

    def __init__(self, texts: NDArray[np.object_]):
        raw = [
            b64decode(text) if isinstance(text, str) and text else b''
            for text in texts.ravel().tolist()
        ]
        lengths = np.array([len(data) // 8 for data in raw], dtype=np.intp)
        self.number = (lengths - 1).reshape(texts.shape)
        self.start = (np.cumsum(lengths) - lengths).reshape(texts.shape)
        self.values = np.append(np.frombuffer(b''.join(raw), dtype='<f8'), 0.0)

    def similarity(self, x: NDArray[np.intp], y: NDArray[np.intp]) -> Array:
        """s(x_i, y_i) in [0, 1] of pairs of documents of one query, element by element; 0 if one has no similarities.

        ``x`` and ``y`` are flat indices of the array of texts, in one shape, which is the shape of the result.
        """
        number, start = self.number.ravel(), self.start.ravel()
        first, second = number[x], number[y]
        index = np.where(first >= second, start[x] + second, start[y] + first)
        return self.values[np.where((first >= 0) & (second >= 0), index, len(self.values) - 1)]


def unpack(texts: NDArray[np.object_]) -> Array:
    """The symmetric matrix (D, D) of similarities in [0, 1] from the texts (D,) of one query's documents."""
    packed = Packed(texts)
    places = np.arange(len(texts))
    x, y = np.meshgrid(places, places, indexing='ij')
    return packed.similarity(x, y)
