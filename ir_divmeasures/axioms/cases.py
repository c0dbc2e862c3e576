"""Batches of pairs of small rankings.

A case is one query with graded documents, aspect weights and two rankings of these documents. The first ranking should
score higher. Shapes: ``B`` cases, ``D`` documents, ``T`` aspects, ``L`` ranks.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array, JudgmentArrays, Ranking

Places = NDArray[np.intp]

SMALL = 1e-3
"""The grade that stands for r ≪ 1."""
NOTHING, END = -1, -2
"""Values in rankings: ``NOTHING`` is a document that is relevant to no aspect, ``END`` is no document."""


@dataclass(frozen=True)
class Cases:
    """A batch of pairs of rankings.

    Attributes:
        pool: (B, D, T) grades of the documents. Cases with fewer documents are padded with grades of 0.
        higher, lower: (B, L) the two rankings as indices into ``pool``, or ``NOTHING`` or ``END``.
        weight: (B, T) weights of the aspects.
        narrow: (B,) whether the case belongs to the constraint's narrower reading too.
        small: (B,) whether grades stand for r ≪ 1. A counter-example must then remain one at a smaller scale.
    """

    pool: Array
    higher: Places
    lower: Places
    weight: Array
    narrow: NDArray[np.bool_]
    small: NDArray[np.bool_]
    _rankings: dict[Any, Ranking] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.pool)

    def take(self, rows: Any, factor: float = 1) -> Cases:
        """Some of the cases, with every grade multiplied by a factor."""
        pool, *others = (getattr(self, name)[rows] for name in PADDING)
        return Cases(pool * factor, *others)

    def judged_grades(self) -> Array:
        """Grades of every judged document of each query, (B, D', T): the pool, and documents that balance the aspects.

        Constraints compare rankings of one query, so normalisation should not matter (Amigó et al. 2018, footnote 5).
        It would matter if aspects had different ideal rankings. Each document is therefore judged together with its
        images under rotation of the aspects, so that every aspect has the same number of relevant documents
        (footnote 4). A query without relevant documents gets one that is relevant to every aspect and is not retrieved.
        """
        aspects = self.pool.shape[2]
        parts = [np.roll(self.pool, shift, axis=2) for shift in range(aspects)]
        empty = ~np.any(self.pool > 0, axis=(1, 2))
        if empty.any():
            parts.append(np.broadcast_to(empty[:, None, None] * SMALL, (len(self), 1, aspects)))
        return np.concatenate(parts, axis=1)

    def ranking(
        self,
        rel: float,
        weighted: bool,
        layered: bool,
        columns: Mapping[str, Callable[[Array], Any]],
    ) -> Ranking:
        """All 2 · B rankings, first those that should be higher, then the others, reduced to their hits.

        The functions in ``columns`` compute further columns of judgments from the grades (B, D', T). The hierarchy has
        two layers, the aspects and one superintent of all of them; there is none if not ``layered``. Measures that see
        the same rankings, at any cutoff, share them.
        """
        key = rel, weighted, layered, *sorted(columns)
        if key not in self._rankings:
            grade = np.tile(self.judged_grades(), (2, 1, 1))
            weight = np.tile(self.weight, (2, 1)) if weighted else None
            named = {name: column(grade) for name, column in columns.items()}
            judgments = JudgmentArrays(grade, weight, columns=named)
            if layered:
                judgments.layers = {-1: judgments.topic, 0: judgments}
            side = np.concatenate([self.higher, self.lower])
            graded = np.tile(np.any(self.pool > 0, axis=2), (2, 1))
            hit = (side >= 0) & np.take_along_axis(graded, np.maximum(side, 0), axis=1)
            order = np.argsort(~hit, axis=1, kind='stable')[:, : hit.sum(axis=1).max(initial=0)]
            placed = np.take_along_axis(hit, order, axis=1)
            document = np.where(placed, np.take_along_axis(side, order, axis=1), 0)
            n = (side != END).sum(axis=1).astype(float)
            rank = np.where(placed, order + 1.0, np.inf)
            self._rankings[key] = Ranking(judgments, document, rank, n, rel)
        return self._rankings[key]

    def length(self) -> NDArray[np.intp]:
        """The number of documents in the longer ranking of each case; (B,)."""
        return np.maximum((self.higher != END).sum(axis=1), (self.lower != END).sum(axis=1))

    def smallest(self, rows: NDArray[np.intp]) -> int:
        """The case, among those in these rows, with the shortest rankings and then the fewest relevant documents."""
        relevant = (self.pool[rows] > 0).sum(axis=(1, 2))
        return int(rows[np.lexsort((relevant, self.length()[rows]))[0]])

    def text(self, row: int, scores: Array, swap: int = 1) -> str:
        """The two rankings of a case side by side, with their scores; equal ranks that follow each other are one row.

        With ``swap=-1``, as in CloseTh, the second one should be higher.
        """
        sides = [self._grades(row, side[row]) for side in (self.higher, self.lower)][::swap]
        lines = [('rank', 'should be higher', 'should be lower')]
        ranked = enumerate(itertools.zip_longest(*sides, fillvalue=''), 1)
        for (higher, lower), group in itertools.groupby(ranked, key=lambda ranked: ranked[1]):
            first, *_, last = [rank for rank, _ in group] * 2
            lines.append((str(first) if first == last else f'{first}-{last}', higher, lower))
        first_score, second_score = (f'{score:.10g}' for score in scores[::swap])
        lines.append(('score', first_score, second_score))
        widths = [max(map(len, column)) + 2 for column in zip(*lines)]
        table = '\n'.join(
            ''.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines
        )
        weights = ', '.join(f't{t} {w:g}' for t, w in enumerate(self.weight[row], 1))
        return f'weights {weights}\n{table}' if ',' in weights else table

    def _grades(self, row: int, side: Places) -> list[str]:
        """The grades of each rank of a ranking, with the aspects if there are several."""
        pool = np.vstack([self.pool[row], np.zeros(self.pool.shape[2])])  # NOTHING is the last one
        kinds, kind = np.unique(pool[side[side != END]], axis=0, return_inverse=True)
        if pool.shape[1] == 1:
            texts = [f'{grade:g}' for (grade,) in kinds]
        else:
            texts = [
                ' '.join(f't{t}:{g:g}' for t, g in enumerate(grades, 1) if g) or '0'
                for grades in kinds
            ]
        return [texts[k] for k in kind.ravel()]


PADDING = {'pool': 0.0, 'higher': END, 'lower': END, 'weight': 0, 'narrow': False, 'small': False}
"""What fills the arrays of cases with fewer documents or shorter rankings than others."""


def concatenated(group: Sequence[Cases]) -> Cases:
    """Batches with the same number of aspects as one. Shorter rankings are padded with ``END``."""
    arrays: list[Any] = []
    for name, filler in PADDING.items():
        parts = [getattr(batch, name) for batch in group]
        shape = np.max([part.shape[1:] for part in parts], axis=0)
        array = np.full((sum(map(len, parts)), *shape), filler, np.result_type(*parts))
        first = 0
        for part in parts:
            place = (slice(first, first + len(part)), *map(slice, part.shape[1:]))
            array[place] = part
            first += len(part)
        arrays.append(array)
    return Cases(*arrays)
