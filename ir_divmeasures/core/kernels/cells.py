"""Arrays that are mostly zeros, by the cells that are not: relevant documents and aspects of queries."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_CELLS = 2**28
"""Number of cells of the largest array that is filled (2 GB)."""


@dataclass(frozen=True)
class Cells:
    """The cells above 0 of an array (Q, D, T). All other cells are 0.

    Attributes:
        shape: Q queries, D documents, T aspects.
        place: (n,) place of each cell in the array as one line, ascending.
        value: (n,) value of each cell, above 0.
    """

    shape: tuple[int, int, int]
    place: NDArray[np.intp]
    value: Array

    @classmethod
    def of(cls, array: Array) -> Cells:
        """The cells above 0 of a filled array (Q, D, T).

        Examples:
            >>> Cells.of(np.array([[[0.0, 2.0], [1.0, 0.0]]])).place
            array([1, 2])
        """
        queries, documents, aspects = array.shape
        place = np.flatnonzero(array > 0)
        return cls((queries, documents, aspects), place, array.reshape(-1)[place])

    @classmethod
    def at(cls, shape: tuple[int, int, int], place: NDArray[np.intp], value: Array) -> Cells:
        """Cells in any order. Cells of value 0 are omitted; of several at one place, the last counts."""
        order = np.argsort(place, kind='stable')
        place, value = place[order], value[order]
        kept = np.append(place[1:] != place[:-1], np.ones(min(len(place), 1), dtype=bool)) & (
            value > 0
        )
        return cls(shape, place[kept], value[kept])

    def where(self, kept: NDArray[np.bool_]) -> Cells:
        """Some of the cells, (n,) of bool."""
        return Cells(self.shape, self.place[kept], self.value[kept])

    def copies(self, n: int) -> Cells:
        """The cells of n copies of the queries, one copy after the other; (n · Q, D, T)."""
        queries, documents, aspects = self.shape
        offset = np.arange(n)[:, None] * (queries * documents * aspects)
        return Cells(
            (n * queries, documents, aspects), (offset + self.place).ravel(), np.tile(self.value, n)
        )

    def filled(self) -> Array:
        """The array; (Q, D, T).

        Raises:
            ValueError: it has more than :data:`MOST_CELLS` cells.
        """
        queries, documents, aspects = self.shape
        if queries * documents * aspects > MOST_CELLS:
            raise ValueError(
                f'a query with {documents} relevant documents and {aspects} subtopics has '
                f'{documents * aspects} grades, expected at most {MOST_CELLS}'
            )
        array = np.zeros(self.shape)
        array.reshape(-1)[self.place] = self.value
        return array

    @functools.cached_property
    def aspect(self) -> NDArray[np.intp]:
        """(n,) place of each cell's aspect in an array (Q, T) as one line."""
        _, documents, aspects = self.shape
        aspect: NDArray[np.intp] = (
            self.place + (self.document // max(documents, 1) - self.document) * aspects
        )
        return aspect

    @functools.cached_property
    def document(self) -> NDArray[np.intp]:
        """(n,) place of each cell's document in an array (Q, D) as one line; ascending."""
        document: NDArray[np.intp] = self.place // max(self.shape[2], 1)
        return document

    @functools.cached_property
    def starts(self) -> NDArray[np.intp]:
        """(Q · D + 1,) where the cells of each document begin, and where those of the last one end."""
        queries, documents, _ = self.shape
        return np.concatenate(
            [[0], np.cumsum(np.bincount(self.document, minlength=queries * documents))]
        )

    def per_aspect(self) -> Array:
        """(Q, T) number of cells of each aspect."""
        queries, _, aspects = self.shape
        return (
            np.bincount(self.aspect, minlength=queries * aspects)
            .astype(float)
            .reshape(queries, aspects)
        )

    def of_documents(
        self, documents: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The numbers of the cells of some documents, document by document, and how many each document has.

        ``documents`` (m,) places in an array (Q, D) as one line → (cells of all of them,) and (m,).
        """
        begin = self.starts[documents]
        counts = self.starts[documents + 1] - begin
        return ranges(begin, counts), counts

    def by_document(self) -> Cells:
        """max_t of each document, as an array of one aspect."""
        queries, documents, _ = self.shape
        first = np.flatnonzero(np.diff(self.document, prepend=-1))
        highest = np.maximum.reduceat(self.value, first) if len(first) else self.value
        return Cells((queries, documents, 1), self.document[first], highest)


def ranges(begin: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Whole numbers from each of some beginnings on, so many of each, one range after the other.

    Examples:
        >>> ranges(np.array([5, 0, 9]), np.array([2, 0, 3]))
        array([ 5,  6,  9, 10, 11])
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(begin - ends + counts, counts) + np.arange(total)
