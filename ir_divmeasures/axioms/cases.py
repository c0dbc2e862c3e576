"""Batches of pairs of small rankings, and the counter-example that is shown when a constraint fails.

A case is one query with graded documents, aspect weights and two rankings of these documents. The first ranking should
score higher. Shapes: ``B`` cases, ``D`` documents, ``T`` aspects, ``L`` ranks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import Array, JudgmentArrays, Ranking
from ..lazy import pd
from ..results import Result
from ..tables import render

Places = NDArray[np.intp]

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
        contribution: whether grades stand for r ≪ 1. A counter-example must then remain one at a smaller scale.
    """

    pool: Array
    higher: Places
    lower: Places
    weight: Array
    narrow: NDArray[np.bool_]
    contribution: bool = False
    _rankings: dict[Any, Ranking] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.pool)

    def take(self, rows: Any) -> Cases:
        """Some of the cases."""
        return dataclasses.replace(
            self, **{name: getattr(self, name)[rows] for name in (*PADDING, 'weight', 'narrow')}
        )

    def scaled(self, factor: float) -> Cases:
        """The same with every grade multiplied."""
        return dataclasses.replace(self, pool=self.pool * factor)

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
        k: int | None,
        weighted: bool = True,
        columns: dict[str, Callable[[Array], NDArray[Any]]] | None = None,
        layered: bool = True,
    ) -> Ranking:
        """All 2 · B rankings, first those that should be higher, then the others, reduced to their hits.

        The functions in ``columns`` compute further columns of judgments from the grades (B, D', T). The hierarchy has
        two layers, the aspects and one superintent of all of them; there is none if not ``layered``. Measures that see
        the same rankings, at any cutoff, share them.
        """
        columns = columns or {}
        key = rel, weighted, layered, *sorted(columns)
        if key not in self._rankings:
            grade = np.tile(self.judged_grades(), (2, 1, 1))
            judgments = JudgmentArrays(
                grade,
                np.tile(self.weight, (2, 1)) if weighted else None,
                columns={name: column(grade) for name, column in columns.items()},
            )
            if layered:
                judgments.layers = {-1: judgments.topic, 0: judgments}
            side = np.concatenate([self.higher, self.lower])
            graded = np.tile(np.any(self.pool > 0, axis=2), (2, 1))
            hit = (side >= 0) & np.take_along_axis(graded, np.maximum(side, 0), axis=1)
            order = np.argsort(~hit, axis=1, kind='stable')[:, : hit.sum(axis=1).max(initial=0)]
            is_placed = np.take_along_axis(hit, order, axis=1)
            document = np.where(is_placed, np.take_along_axis(side, order, axis=1), 0)
            n = (side != END).sum(axis=1).astype(float)
            self._rankings[key] = Ranking(
                judgments,
                document,
                np.where(is_placed, order + 1.0, np.inf),
                n,
                rel,
            )
        return self._rankings[key].cut(k)

    def grades(self, side: Places, case: int) -> Array:
        """One ranking as grades by rank and aspect; (n, T)."""
        places = side[case][side[case] != END]
        return np.where((places >= 0)[:, None], self.pool[case][np.maximum(places, 0)], 0.0)

    def length(self) -> NDArray[np.intp]:
        """The number of documents in the longer ranking of each case; (B,)."""
        return np.maximum(*((side != END).sum(axis=1) for side in (self.higher, self.lower)))

    def smallest(self, rows: NDArray[np.intp]) -> int:
        """The case, among those in these rows, with the shortest rankings and then the fewest relevant documents."""
        cases = self.take(rows)
        relevant = (cases.pool > 0).sum(axis=(1, 2))
        kinds = np.array([len(np.unique(pool)) for pool in cases.pool])
        return int(rows[np.lexsort((kinds, relevant, cases.length()))[0]])


SMALL = 1e-3
"""The grade that stands for r ≪ 1."""
PADDING = {'pool': 0.0, 'higher': END, 'lower': END}
"""What fills the second axis of arrays of cases with fewer documents or shorter rankings than others."""


def merged(batches: Iterable[Cases]) -> list[Cases]:
    """Batches in the same order, where those with the same ranking length and number of aspects are concatenated."""
    groups: dict[tuple[int, int, bool], list[Cases]] = {}
    for batch in filter(len, batches):
        key = batch.lower.shape[1], batch.pool.shape[2], batch.contribution
        groups.setdefault(key, []).append(batch)
    return [concatenated(group) for group in groups.values()]


def concatenated(group: Sequence[Cases]) -> Cases:
    """Batches with the same number of aspects as one. Shorter rankings are padded with ``END``."""
    arrays: dict[str, Any] = {}
    for name in (*PADDING, 'weight', 'narrow'):
        parts = [getattr(batch, name) for batch in group]
        shape = [*map(max, zip(*(part.shape for part in parts)))]
        shape[0] = end = sum(map(len, parts))
        arrays[name] = np.full(shape, PADDING.get(name, 0), parts[0].dtype)
        for part in reversed(parts):
            arrays[name][end - len(part) : end][tuple(map(slice, part.shape))] = part
            end -= len(part)
    return dataclasses.replace(group[0], **arrays)


class Counterexample(Result):
    """Two rankings that a measure orders against a constraint.

    Attributes:
        constraint: its short name.
        measure: the label of the measure.
        scores: the measure's scores of the ranking that should score higher, and of the other.
        note: a remark on the counter-example.
        case: the single case, with the judgments and both rankings.
    """

    constraint: str
    measure: str
    scores: tuple[float, float]
    note: str
    case: Cases

    @property
    def length(self) -> int:
        """Documents in the longer of the two rankings."""
        return int(self.case.length()[0])

    def _lines(self) -> list[str]:
        """What fails, and the weights if there are several aspects."""
        failure = f'{self.constraint} fails for {self.measure}'
        weight = self.case.weight[0]
        weights = ', '.join(f't{t + 1} {w:g}' for t, w in enumerate(weight))
        return [
            f'{failure} ({self.note})' if self.note else failure,
            *[f'weights {weights}'] * (len(weight) > 1),
        ]

    def _headline(self) -> str:
        return '; '.join(self._lines())

    def _notes(self) -> list[str]:
        return ['Scores: ' + ' and '.join(f'{score:.10g}' for score in self.scores) + '.']

    def to_frame(self) -> pd.DataFrame:
        """One row per rank: the grades of the ranking that should score higher, and of the other."""
        sides = {'should be higher': self.case.higher, 'should be lower': self.case.lower}
        frame = pd.DataFrame(
            {name: pd.Series(_column(self.case.grades(side, 0))) for name, side in sides.items()}
        )
        return frame.fillna('').set_axis(range(1, len(frame) + 1)).rename_axis('rank')

    def text(self) -> str:
        """The two rankings side by side with their scores. Equal ranks that follow each other are one row."""
        frame = self.to_frame()
        differs = (frame != frame.shift()).any(axis=1)
        first = frame.index[differs]
        last = [*(first[1:] - 1), len(frame)]
        rows = frame[differs].set_axis(
            [f'{i}' if i == j else f'{i}-{j}' for i, j in zip(first, last)]
        )
        rows.loc['score'] = [f'{score:.10g}' for score in self.scores]
        table = render(rows.rename_axis('rank').reset_index())
        failure, *weights = self._lines()
        return '\n'.join([failure, *(f'  {line}' for line in (*weights, *table.splitlines()))])


def _column(grades: Array) -> list[str]:
    if grades.shape[1] == 1:
        return [f'{g:g}' for g in grades[:, 0]]
    return [' '.join(f't{t + 1}:{g:g}' for t, g in enumerate(row) if g) or '0' for row in grades]
