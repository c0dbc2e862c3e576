"""The facts about judgments, measures and a run that the checks use."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.arrays import Hits, Overlay
from ..data.ids import numbered
from ..data.judgments import Judgments
from ..data.runs import Run
from ..lazy import cached_property
from .adhoc import padded

Array = NDArray[Any]

EXAMPLES = 3
"""The number of queries that a message names."""

DEPTH = 10
"""The number of documents at the top of each ranking that are checked for judgments."""

MANY_ALIKE = 10
"""Systems that retrieve fewer documents than these for judged queries may have one ranking by chance."""

MANY_DOCUMENTS = 100
"""With fewer documents or judgments, a share of them says little."""

FEW_QUERIES = 3
"""The smallest number of queries of which a share says something."""

ENOUGH_QUERIES, REVERSED_WINS, REVERSED_MEAN = 10, 0.8, 1.5
"""Judgments say that scores are the wrong way round if the reversed run has the higher nDCG@10 in at least this share of
the queries that differ, at least ten, and a mean that is at least so many times as high. Of 217 pairs of real runs and
judgments, no run comes near both, also cut at 10 or 20 documents (our choice)."""

UNKNOWN: Any = None
"""A fact that is not known. A check that needs it is not made."""


@dataclass
class Facts:
    """The facts that checks use.

    Attributes:
        judgments: the judgments.
        own: measures of ours that are computed.
        in_single: measures that compare scores in 32 bits.
        run: the run, in its own scores.
        coded: the run laid over the judgments, which is known if both are.
        about_missing: whether to warn about judged queries that are not in the run.
        scored_alike: a function that scores rankings by the measures that read a rank: the names of the measures, and
            values (measures, rankings); None where the order of tied documents was chosen.
        digests: a text for the rankings of each system (:attr:`ranking_digest`).
        lines: the number of warnings that were given at each stage.
    """

    judgments: Judgments = UNKNOWN
    own: Sequence[Any] = ()
    in_single: Sequence[Any] = ()
    run: Run = UNKNOWN
    coded: Overlay = UNKNOWN
    about_missing: bool = True
    scored_alike: Callable[[Hits, int], tuple[list[str], Array]] | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def knows(self) -> set[str]:
        """Which of :data:`~ir_divmeasures.evaluation.checks.KNOWLEDGE` there are."""
        there = {
            'judgments': self.judgments is not None and self.judgments.query_ids,
            'measures': self.own or self.in_single,
            'subtopics': any(own.diversity for own in self.own),
            'run': self.run,
            'systems': len(self.digests) > 1,
            'missing': True,
        }
        return {name for name, is_there in there.items() if is_there} | {
            *(self.run.further if self.run else ())
        }

    @property
    def grades(self) -> Array:
        """The grades of judged documents for official intents."""
        return self.cells.grade

    @property
    def cells(self) -> Cells:
        """The grades of judged documents for official intents, with what they are about."""
        kept = self.judgments.kept
        if 'cells' not in kept:
            kept['cells'] = Cells.of(self.judgments)
        cells: Cells = kept['cells']
        return cells

    @cached_property
    def subtopics(self) -> dict[str, list[str]]:
        """The subtopics of each query."""
        cells, subtopics = self.cells, self.judgments.subtopic[1].array.to_pylist()
        names: dict[str, list[str]] = {query: [] for query in self.judgments.query_ids}
        for query, subtopic in zip(
            cells.query_of_aspect.tolist(), cells.subtopic_of_aspect.tolist()
        ):
            names[self.judgments.query_ids[query]].append(subtopics[subtopic])
        return names

    @cached_property
    def neighbours(self) -> Neighbours:
        """Each score compared with the one of the row before."""
        return Neighbours.of(self.run.score, self.run.query_id.starts)

    @cached_property
    def evidence(self) -> Evidence:
        """What the judgments say of the direction of the scores."""
        kept, hits = self.judgments.kept, self.coded.located()
        if 'shares' not in kept:
            kept['shares'] = _shares(self.judgments)
        query, rank, share = hits.query, hits.rank, kept['shares'][hits.pair]
        forwards, backwards = (
            np.bincount(query[top], share[top] * DISCOUNTS[ranks[top]], len(hits.n))
            for ranks in (rank - 1, hits.n[query] - rank)
            for top in [ranks < DEPTH]
        )
        moves = backwards - forwards
        wins, losses = (int(np.count_nonzero(each > 1e-12)) for each in (moves, -moves))
        return Evidence(float(forwards.mean()), float(backwards.mean()), wins, wins + losses)

    @property
    def direction(self) -> int:
        """1 if judgments say that the highest score is the best, −1 if they say that the lowest is, 0 if neither."""
        if self.judgments is None or self.coded is None or self.evidence.differ < ENOUGH_QUERIES:
            return 0
        forwards, backwards, wins, differ = self.evidence
        if wins >= REVERSED_WINS * differ and backwards >= REVERSED_MEAN * forwards:
            return -1
        return int(2 * wins < differ and forwards > backwards)

    @cached_property
    def n_matched(self) -> int:
        """The number of queries that the run and the judgments share."""
        return int(np.count_nonzero(self.coded.located().n))

    @property
    def n_queries(self) -> int:
        """The number of queries of the run."""
        return self.n_matched + len(self.coded.unjudged)

    @cached_property
    def ranking_digest(self) -> str | None:
        """A text that systems share if they retrieve the same documents and rank judged ones alike, and others hardly
        ever do; None of a run with few documents, which systems may share by chance."""
        located = self.coded.located()
        if located.n.sum() < MANY_ALIKE:
            return None
        parts = located.pair, located.rank, located.n, self.coded.mark
        return ' '.join(f'{zlib.crc32(part.tobytes()):08x}' for part in parts)


class Evidence(NamedTuple):
    """nDCG@10 of a run and of the same run from the last document to the first.

    Attributes:
        forwards, backwards: the means over the judged queries.
        wins: number of queries in which the reversed run has the higher value.
        differ: number of queries in which the values differ.
    """

    forwards: float
    backwards: float
    wins: int
    differ: int


DISCOUNTS = 1 / np.log2(np.arange(2, DEPTH + 2))
"""The discounts of nDCG at the first ranks."""


def _shares(judgments: Judgments) -> Array:
    """What each judged document adds to the nDCG@10 of its query at rank 1, (pairs,)."""
    owner = judgments.query_of_pair
    grade = np.maximum(np.nan_to_num(judgments.pair_grades), 0.0)
    best = np.sort(padded(owner, len(judgments.query_ids), grade, 0.0))[:, ::-1][:, :DEPTH]
    ideal = best @ DISCOUNTS[: best.shape[1]]
    return np.asarray(grade / np.where(ideal > 0, ideal, 1.0)[owner])


class Cells(NamedTuple):
    """The rows of judgments that grade a document for an official intent.

    Attributes:
        row: places in the table, (rows,).
        pair: the pair of each row, as :class:`~ir_divmeasures.data.judgments.Judgments` numbers them, (rows,).
        aspect: the aspect of each row, (rows,).
        grade: the grade of each row, (rows,).
        query_of_aspect, subtopic_of_aspect: the numbers of an aspect's query and of its subtopic, (aspects,).
    """

    row: Array
    pair: Array
    aspect: Array
    grade: Array
    query_of_aspect: Array
    subtopic_of_aspect: Array

    @classmethod
    def of(cls, judgments: Judgments) -> Cells:
        row = np.flatnonzero(judgments.is_official)
        pair = judgments.row_pair[row]
        code, subtopics = judgments.subtopic
        span = max(len(subtopics), 1)
        key = judgments.query_of_pair[pair] * span + code[row]
        number, aspects = numbered(key)
        order = np.argsort(aspects)
        aspect, grade = np.argsort(order)[number], judgments.relevance[row]
        return cls(row, pair, aspect, grade, *np.divmod(aspects[order], span))


class Neighbours(NamedTuple):
    """Rows of a run compared with the row before, by stretches of rows that are of one query.

    Attributes:
        n: pairs of neighbours in each stretch, (stretches,).
        up, down: pairs in which the score rises, and falls, (stretches,).
    """

    n: Array
    up: Array
    down: Array

    @classmethod
    def of(cls, values: Array, first: Array) -> Neighbours:
        counts = []
        for is_so in (values[1:] > values[:-1], values[1:] < values[:-1]):
            rows = np.append(False, is_so)
            rows[first] = False  # no row of the same query before
            counts.append(np.add.reduceat(rows, first, dtype=np.intp))
        return cls(np.diff(first, append=len(values)) - 1, *counts)
