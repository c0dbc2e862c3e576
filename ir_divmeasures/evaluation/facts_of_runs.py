"""The facts about judgments, measures and a run that the checks use."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.runs import Run
from ..judgments.arrays import LocatedRun
from ..judgments.table import Judgments

Array = NDArray[Any]

EXAMPLES = 3
"""The number of queries that a message names."""

DEPTH = 10
"""The number of documents at the top of each ranking that are checked for judgments."""

MANY_ALIKE = 10
"""Systems that retrieve fewer documents than these for judged queries may have one ranking by chance."""

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
        coded: the run laid over the judgments; unknown too where it is known that enough documents are judged.
        about_missing: whether to warn about judged queries that are not in the run.
        values: the scores of the run by measure, each (queries of the judgments,); empty if they are not known.
        scored_alike: given numbers of judged queries and a rank, a function that scores runs on these queries by the
            measures that read this rank: by measure the values, (queries,); None where the order of tied documents was
            chosen.
        digests: a text for the rankings of each system (:func:`ranking_digest`).
    """

    judgments: Judgments = UNKNOWN
    own: Sequence[Any] = ()
    in_single: Sequence[Any] = ()
    run: Run = UNKNOWN
    coded: LocatedRun = UNKNOWN
    about_missing: bool = True
    values: Mapping[str, Array] = field(default_factory=dict)
    scored_alike: Callable[[Array, int], Callable[[Run], dict[str, Array]]] | None = None
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def knows(self) -> set[str]:
        """Which of :data:`~ir_divmeasures.evaluation.checks.KNOWLEDGE` there are."""
        there = {
            'judgments': self.judgments is not None and self.judgments.query_ids,
            'measures': self.own or self.in_single,
            'run': self.run,
            'rows': self.run,
            'located': self.coded,
            'systems': len(self.digests) > 1,
        }
        return {name for name, is_there in there.items() if is_there} | {
            *(self.run.said if self.run else ())
        }

    @property
    def grades(self) -> Array:
        """The grades of judged documents for official intents."""
        return self.judgments.official_grades

    @functools.cached_property
    def neighbours(self) -> Neighbours:
        """Each score compared with the one of the row before."""
        return Neighbours.of(self.run.score, self.run.query_id.starts)

    @functools.cached_property
    def overlap(self) -> Overlap:
        """The queries and documents that the run and the judgments share."""
        judgments, run = self.judgments, self.run
        n, number = len(judgments.query_ids), judgments.collection.query_codes(run)
        is_retrieved = np.zeros(max(n, int(number.max(initial=-1)) + 1), dtype=bool)
        is_retrieved[number] = True
        missing = [judgments.query_ids[q] for q in np.flatnonzero(~is_retrieved[:n])[:EXAMPLES]]
        first = [int(np.argmax(number == q)) for q in range(n, len(is_retrieved))[:EXAMPLES]]
        counts = 0, 0, 0, 1
        if self.coded is not None:
            located = self.coded.located()
            top = np.minimum(located.n, DEPTH)
            owner = judgments.collection.query_of_pair
            possible = np.minimum(top, np.bincount(owner, minlength=len(top))).sum()
            judged = np.count_nonzero(located.rank <= DEPTH)
            counts = int(top.sum()), int(judged), int(possible), len(located.pair)
        return Overlap(
            n,
            int(is_retrieved.sum()),
            int(is_retrieved[:n].sum()),
            *counts,
            missing,
            run.query_id.pick(np.array(first, dtype=np.intp)),
        )


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


class Overlap(NamedTuple):
    """The queries and documents that a run and judgments share.

    Attributes:
        judged_queries: number of queries of the judgments.
        run_queries: number of queries of the run.
        matched: number of queries that both have.
        looked_at: number of documents in the top ``DEPTH`` of the matched queries.
        judged: number of these documents that have a judgment for their query.
        possible: the largest number that could have one, as a query may have fewer judged documents.
        anywhere: number of retrieved documents at any rank that have a judgment.
        missing: the first judged queries that the run lacks.
        unjudged: the first queries of the run without judgments.
    """

    judged_queries: int
    run_queries: int
    matched: int
    looked_at: int
    judged: int
    possible: int
    anywhere: int
    missing: list[str]
    unjudged: list[str]


def ranking_digest(run: LocatedRun) -> str | None:
    """A text that systems share if they retrieve the same documents and rank judged ones alike, and others hardly
    ever do; None of a run with few documents, which systems may share by chance."""
    located = run.located()
    if located.n.sum() < MANY_ALIKE:
        return None
    digest = hashlib.blake2b(digest_size=16)
    for part in (located.pair, located.rank, located.n, np.array([run.mark])):
        digest.update(part.astype(np.int64).tobytes())
    return digest.hexdigest()


__all__ = ['DEPTH', 'EXAMPLES', 'MANY_ALIKE', 'Facts', 'Neighbours', 'Overlap', 'ranking_digest']
