"""Checks of runs and judgments before and after they are scored: one list of checks, which every host runs.

A :class:`Check` is declared once, in :data:`CHECKS`: its name, the class of its warning, its stage, what it needs to
know, and a function that returns its message. :func:`ask` runs all checks of a stage. :data:`HOSTS` lists what each
host passes on, and therefore what it can know (:meth:`Check.reason_without`).
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import (
    DivMeasuresWarning,
    DocumentsWarning,
    EmptyRunWarning,
    EqualGradesWarning,
    FilesWarning,
    GradesWarning,
    IdsWarning,
    MembershipWarning,
    NoRelevantWarning,
    OrderWarning,
    QueriesWarning,
    RankColumnWarning,
    RepeatedRowsWarning,
    SameRankingWarning,
    ScoresWarning,
    SubtopicsWarning,
    TagsWarning,
    TiesWarning,
    TypesWarning,
    UnjudgedWarning,
    WeightsWarning,
    plain,
    warn,
)
from ..io import columns, runs
from ..io.coding import (
    TIES,
    check_ties,
    codes,
    encode,
    place_by_name,
    place_in_group,
    ranking_order,
    spread_over,
    starts,
)
from ..io.rows import Rows, Strings
from ..io.runs import RUN_COLUMNS, Run
from ..io.text import number
from ..judgments.arrays import LocatedRun
from ..judgments.table import Judgments, one_subtopic

if TYPE_CHECKING:
    import pandas as pd

    from ..typing import RunLike

Array = NDArray[Any]

EXAMPLES = 3
"""The number of queries that a message names."""

DEPTH = 10
"""The number of documents at the top of each ranking that are checked for judgments."""

FEW_JUDGED = 0.01
"""If a smaller share of the documents at the top that could be judged is judged, almost none is …"""

MANY_DOCUMENTS = 100
"""… provided that at least this number could be."""

LOW_DEPTH = 20
"""The depth k of judged@k, which is computed for queries with at least this number of judged documents."""

LOW_JUDGED = 0.5
"""A smaller share of judged documents is low."""

FEW_QUERIES = 3
"""The smallest number of queries for which the checks of missing and unjudged queries apply."""

FORM_COUNTS = 2
"""With fewer queries and no judged document retrieved, the check warns only if the ids have another form."""

WEIGHT_TOLERANCE = 0.02
"""The largest difference from 1 at which a sum of intent probabilities counts as 1, because files round them."""

WHOLE_GRADES = ('pytrec_eval', 'gdeval')
"""Providers of ir_measures that take whole grades only."""

OPPOSITE = -0.5
"""Ranks and scores with a rank correlation of at most this disagree largely."""

FEW_RISING = 0.3
"""Ranks are read if the last score of a query is above the first one in a larger share of the queries."""

EVIDENCE = 8
"""The smallest number of pairs of neighbours in the rankings from which scores are checked. Five documents have
four."""

PER_QUERY = 20
"""With fewer judged documents a query on average, equal grades are common: only what is relevant was collected."""

MANY_ALIKE = 10
"""Systems that retrieve fewer documents than these for judged queries may have one ranking by chance."""

FEWEST_RISING = 3
"""The smallest number of pairs of neighbours of a query for which rising scores are not chance."""

SAMPLED_QUERIES, SAMPLED_IDS, SAMPLED_ROWS = 20, 25, 25
"""The numbers of queries, ids and rows in a first check, which decides whether all are checked."""

IDS_CHANGED = 0.05
"""A smaller share of ids that match after a change is chance."""

TIED_QUERIES, TIED_MEAN = 0.01, 0.0001
"""Ties are reported if they change at least this share of the queries, and a mean by at least this much."""


# ------------------------------------------------------------------------------------------------ declarations

STAGES = ('judgments', 'run', 'scores', 'systems')
"""When checks are made: of judgments and measures, of each run, of its scores, and of all runs of a call."""

KNOWLEDGE = {
    'judgments': 'judgments',
    'run': 'ids and scores',
    'rows': 'the order of the rows',
    'rank': 'a rank column',
    'tag': 'run tags',
    'measures': 'measures',
    'systems': 'several systems in a call',
}
"""The kinds of knowledge that checks need, in words."""

HOSTS: dict[str, dict[str, str]] = {
    'evaluate': {},
    'Evaluator': {'systems': 'scores one run a call'},
    'ir_measures.calc': {
        'rank': 'namedtuples of ir_measures have no rank',
        'tag': 'namedtuples of ir_measures have no tag',
        'systems': 'scores one run a call',
    },
    'pt.Experiment': {
        'tag': 'frames of PyTerrier have no tag',
        'systems': 'evaluates one system after the other',
    },
    'command': {},
    'parquet': {'tag': 'the column names the systems'},
    'Dask': {'tag': 'the column names the systems'},
    'report': {},
    'Pool': {
        'judgments': 'a pool of runs has no judgments',
        'measures': 'a pool of runs has no measures',
    },
    'diagnose': {},
}
"""The knowledge that each host lacks, and why."""


@dataclass
class Facts:
    """The facts that checks use.

    Attributes:
        judgments: the judgments; None where there are none.
        own: measures of ours that are computed.
        in_single: measures that compare scores in 32 bits.
        run: the run, in its own scores.
        coded: the run laid over the judgments.
        about_missing: whether to warn about judged queries that are not in the run.
        values: the scores of the run by measure, each (queries of the judgments,); empty if they are not known.
        scored_alike: given numbers of judged queries and a rank, a function that scores runs on these queries by the
            measures that read this rank: by measure the values, (queries,); None where the order of tied documents was
            chosen.
        digests: a text for the rankings of each system (:func:`ranking_digest`).
    """

    judgments: Judgments | None = None
    own: Sequence[Any] = ()
    in_single: Sequence[Any] = ()
    run: Run | None = None
    coded: LocatedRun | None = None
    about_missing: bool = True
    values: Mapping[str, Array] = field(default_factory=dict)
    scored_alike: Callable[[Array, int], Callable[[Run], dict[str, Array]]] | None = None
    digests: Mapping[str, str] = field(default_factory=dict)

    @functools.cached_property
    def overlap(self) -> Overlap:
        """The queries and documents that the run and the judgments share."""
        assert self.judgments is not None and self.run is not None
        return overlap(self.judgments, self.run, self.coded)

    @functools.cached_property
    def ends(self) -> _Ends:
        """The scores at the ends of each stretch of rows of one query. Most runs pass some checks by these alone."""
        assert self.run is not None
        first, score = self.run.query_starts, self.run.score
        n = np.diff(first, append=len(score))
        return _Ends(n, score[first], score[first + n - 1])

    @functools.cached_property
    def neighbours(self) -> _Neighbours:
        """Each score compared with the one of the row before."""
        assert self.run is not None
        return _Neighbours.of(self.run.score, self.run.query_starts)

    @property
    def knows(self) -> set[str]:
        """Which of :data:`KNOWLEDGE` there are."""
        knowledge = (
            {'judgments'} if self.judgments is not None and self.judgments.query_ids else set()
        )
        knowledge |= {'measures'} if self.own or self.in_single else set()
        if self.run is not None:
            knowledge |= {'run', 'rows', *self.run.said} if len(self.run) else set()
        return knowledge | ({'systems'} if len(self.digests) > 1 else set())


Question = Callable[[Facts], 'str | None']


@dataclass(frozen=True)
class Check:
    """A check.

    Attributes:
        name: the subject of the check.
        warning: the class of the warning.
        stage: one of :data:`STAGES`.
        needs: which of :data:`KNOWLEDGE` it needs.
        message: a function of facts that returns the message, or None if nothing is questionable.
        every_part: whether the check must fail in every part, if judgments are checked in parts.
    """

    name: str
    warning: type[DivMeasuresWarning]
    stage: str
    needs: frozenset[str]
    message: Question
    every_part: bool = False

    def reason_without(self, host: str) -> str | None:
        """Return why a host cannot make the check, or None if it can."""
        return next((why for what, why in HOSTS[host].items() if what in self.needs), None)


CHECKS: list[Check] = []
"""All checks in the order in which they run: special ones before general ones."""

ELSEWHERE: dict[type[DivMeasuresWarning], str] = {
    FilesWarning: 'said where a folder of runs is read',
    MembershipWarning: 'said where a run meets judgments of a pool',
    RepeatedRowsWarning: 'said where judgments are read',
    TypesWarning: 'said where types are added to judgments',
}
"""Warnings that need no run."""


def _check(
    name: str, warning: type[DivMeasuresWarning], stage: str, *needs: str, every_part: bool = False
) -> Callable[[Question], Question]:
    def declare(message: Question) -> Question:
        CHECKS.append(Check(name, warning, stage, frozenset(needs), message, every_part))
        return message

    return declare


def ask(facts: Facts, stage: str) -> Iterator[tuple[str, type[DivMeasuresWarning]]]:
    """The messages of the checks of a stage, each with the class of its warning; one of a class, and none where one of
    a more special class was given."""
    knows, warned = facts.knows, set[type[DivMeasuresWarning]]()
    for check in CHECKS:
        if (
            check.stage == stage
            and check.needs <= knows
            and not any(issubclass(c, check.warning) for c in warned)
        ):
            message = check.message(facts)
            if message is not None:
                warned.add(check.warning)
                yield message, check.warning


def warn_of(facts: Facts, stage: str) -> None:
    """Give the warnings of the checks of a stage."""
    for message, category in ask(facts, stage):
        warn(message, category)


# ------------------------------------------------------------------------------------------------- of judgments


@_check('one subtopic', SubtopicsWarning, 'judgments', 'judgments', 'measures', every_part=True)
def _one_subtopic(facts: Facts) -> str | None:
    assert facts.judgments is not None
    return one_subtopic(facts.judgments, [own for own in facts.own if own.diversity])


@_check('no relevant document', NoRelevantWarning, 'judgments', 'judgments', every_part=True)
def _no_relevant(facts: Facts) -> str | None:
    grades = _grades(facts.judgments)
    if not grades.n or grades.highest > 0:
        return None
    flipped = (
        f'; the lowest grade is {grades.lowest:g}: is their sign flipped?'
        if grades.lowest < 0
        else ''
    )
    return (
        f'none of the {grades.n} judgments has a grade above 0, so that all scores are 0{flipped}'
    )


@_check('equal grades', EqualGradesWarning, 'judgments', 'judgments', every_part=True)
def _equal_grades(facts: Facts) -> str | None:
    assert facts.judgments is not None
    grades = _grades(facts.judgments)
    if grades.n < MANY_DOCUMENTS or grades.lowest != grades.highest or grades.lowest <= 0:
        return None
    collection = facts.judgments.collection
    n_documents, n = int(collection.documents_per_query.sum()), len(collection.query_ids)
    if n_documents < PER_QUERY * n:
        return None
    return (
        f'all {grades.n} judgments have the grade {grades.lowest:g}, so that all {n_documents} judged documents of '
        f'{n} queries are relevant. Were grades lost, or documents that are not relevant left out?'
    )


class _Grades(NamedTuple):
    """The grades of judged documents for official intents: their number, the lowest and the highest (0 of none)."""

    n: int
    lowest: float
    highest: float


def _grades(judgments: Judgments | None) -> _Grades:
    """Summarise the grades of judgments, once for all runs and evaluators."""
    assert judgments is not None
    if 'grades' not in judgments.kept:
        collection = judgments.collection
        is_counted = collection.of_documents()[collection.row_pair]
        if 'layer' in judgments.names:
            is_counted &= judgments.layers == collection.base
        grades = collection.relevance[is_counted]
        judgments.kept['grades'] = (
            _Grades(len(grades), float(grades.min()), float(grades.max()))
            if len(grades)
            else _Grades(0, 0.0, 0.0)
        )
    summary: _Grades = judgments.kept['grades']
    return summary


@_check('grades below what counts', GradesWarning, 'judgments', 'judgments', 'measures')
def _low_grades(facts: Facts) -> str | None:
    """No document has the lowest grade that a measure counts, but some have a lower one above 0."""
    grades = _grades(facts.judgments)
    highest = grades.highest
    too_high = sorted((str(own), own.rel) for own in facts.own if own.rel > highest > 0)
    if not too_high:
        return None
    name, rel = too_high[0]
    return (
        f'no document has a grade of at least {rel:g}, which {name}{" …" if len(too_high) > 1 else ""} counts as '
        f'relevant; the highest of {grades.n} grades is {highest:g}: all scores are 0'
    )


def weight_sums(judged: Judgments) -> pd.Series | None:
    """The sum of the weights of each query's judged intents; of queries that have a relevant document (intents without
    need no weight). None where the judgments have no weights."""
    if 'weight' not in judged.names:
        return None
    rows = judged.official
    rows = rows[rows['query_id'].isin(rows['query_id'][rows['relevance'] > 0].unique())]
    aspects = rows.drop_duplicates(columns.aspect_key(rows))
    return aspects.groupby('query_id', sort=False)['weight'].sum()


@_check('weights', WeightsWarning, 'judgments', 'judgments', 'measures')
def _weights(facts: Facts) -> str | None:
    """The weights of a query's intents do not sum to 1, and the value of a measure depends on it."""
    assert facts.judgments is not None
    names = sorted(str(own) for own in facts.own if own.diversity and not own.any_scale)
    sums = weight_sums(facts.judgments) if names else None
    if sums is None:
        return None
    off = sums[(sums - 1).abs() > WEIGHT_TOLERANCE]
    if not len(off):
        return None
    first = ', '.join(f'{query!r} {total:.4g}' for query, total in off.head(EXAMPLES).items())
    return (
        f'the weights of {len(off)} of {len(sums)} queries do not sum to 1 over the judged intents ({first}'
        f'{", …" if len(off) > EXAMPLES else ""}): {names[0]}{" …" if len(names) > 1 else ""} takes them as they '
        f'stand; with_weights(…, normalise=True) makes them sum to 1'
    )


# ---------------------------------------------------------------------------------------------- of a run's scores


class _Ends(NamedTuple):
    """The ends of each stretch of rows that are of one query, (stretches,) each.

    Attributes:
        n: rows in the stretch.
        first, last: the scores of its first and its last row.
    """

    n: Array
    first: Array
    last: Array


class _Neighbours(NamedTuple):
    """Rows of a run compared with the row before, by stretches of rows that are of one query.

    Attributes:
        n: pairs of neighbours in each stretch, (stretches,).
        up, down: pairs in which the score rises, and falls, (stretches,).
    """

    n: Array
    up: Array
    down: Array

    @classmethod
    def of(cls, values: Array, first: Array) -> _Neighbours:
        inside = np.ones(len(values), dtype=bool)
        inside[first] = False  # no row of the same query before
        up, down = inside.copy(), inside
        up[1:] &= values[1:] > values[:-1]
        down[1:] &= values[1:] < values[:-1]
        return cls(
            np.diff(first, append=len(values)) - 1,
            np.add.reduceat(up, first, dtype=np.intp),
            np.add.reduceat(down, first, dtype=np.intp),
        )


def _most(is_so: Array, neighbours: _Neighbours) -> bool:
    """Return whether this is true for most queries with several documents, and not by chance."""
    several = neighbours.n > 0
    most = 2 * np.count_nonzero(is_so & several) > np.count_nonzero(several)
    return bool(most and neighbours.n[is_so].sum() >= EVIDENCE)


@_check('rank column', RankColumnWarning, 'run', 'run', 'rank')
def _rank_column(facts: Facts) -> str | None:
    """Scores order documents against the run's own rank column."""
    run = facts.run
    assert run is not None
    ends = facts.ends
    rising = np.count_nonzero(ends.last > ends.first)
    if rising <= FEW_RISING * np.count_nonzero(ends.n > 1) and _ranks_rise(run):
        return None
    ranks = _numbers(run.said['rank'])
    if ranks is None or not np.isfinite(ranks).all():
        return None
    query = codes(run.query_id)
    n = np.bincount(query)
    correlation = _correlations(query, ranks, -run.score, len(n))
    opposite, n_defined = correlation <= OPPOSITE, int(np.count_nonzero(np.isfinite(correlation)))
    if 2 * np.count_nonzero(opposite) <= n_defined or (n - 1)[opposite].sum() < EVIDENCE:
        return None
    exactly = int(np.count_nonzero(correlation <= -1 + 1e-9))
    row = int(np.flatnonzero(opposite[query])[0])
    return (
        f'the scores are against the rank column in {np.count_nonzero(opposite)} of {n_defined} queries, exactly '
        f'opposite in {exactly} (query {run.query_id.pick(np.array([row]))[0]!r}: rank {ranks[row]:g} has the '
        f'score {run.score[row]:g}). Documents are ranked by score. Are the scores distances or ranks, of which '
        f'the lowest is the best?'
    )


def _ranks_rise(run: Run) -> bool:
    """Whether the ranks of some rows, spread over the run, are not below that of the row before, of the same query."""
    pairs = run.spread('rank', SAMPLED_ROWS)
    numbers = [[number(text) for text in pair] for pair in pairs]
    return bool(pairs) and all(a is not None and b is not None and a <= b for a, b in numbers)


def _numbers(column: Any) -> Array | None:
    """A column as numbers; None where it has anything else."""
    try:
        numbers: Array = (
            column.numbers() if isinstance(column, Strings) else np.asarray(column, dtype=float)
        )
    except (TypeError, ValueError):  # ArrowInvalid is a ValueError
        return None
    return numbers


def _correlations(query: Array, x: Array, y: Array, n: int) -> Array:
    """Spearman's correlation of two columns in each of n queries, ties by place; NaN where one of them is constant."""

    def places(values: Array) -> Array:
        order = np.lexsort((values, query))
        counts = np.bincount(query, minlength=n)
        place = np.empty(len(values))
        # Equal values share the place of the first of them.
        ordered, group = values[order], query[order]
        at = np.arange(len(values))
        new = np.concatenate([[True], (group[1:] != group[:-1]) | (ordered[1:] != ordered[:-1])])
        place[order] = (np.maximum.accumulate(np.where(new, at, 0)) - starts(counts)[group]).astype(
            float
        )
        return place

    def centred(values: Array) -> Array:
        counts = np.maximum(np.bincount(query, minlength=n), 1)
        return values - (np.bincount(query, values, minlength=n) / counts)[query]

    a, b = centred(places(x)), centred(places(y))
    spread = np.sqrt(
        np.bincount(query, a * a, minlength=n) * np.bincount(query, b * b, minlength=n)
    )
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.where(spread > 0, np.bincount(query, a * b, minlength=n) / spread, np.nan)


@_check('scores that rank nothing', ScoresWarning, 'run', 'run')
def _no_scores(facts: Facts) -> str | None:
    """All scores of a query are equal, or infinite."""
    run = facts.run
    assert run is not None
    ends = facts.ends
    if 2 * np.count_nonzero((ends.first == ends.last) & (ends.n > 1)) <= np.count_nonzero(
        ends.n > 1
    ):
        return None
    first, pairs = run.query_starts, facts.neighbours
    equal = (pairs.up == 0) & (pairs.down == 0)
    if not _most(equal, pairs):
        return None
    infinite = np.isinf(run.score[first]) & equal
    several = np.count_nonzero(pairs.n > 0)
    description = (
        'infinite' if 2 * np.count_nonzero(infinite & (pairs.n > 0)) > several else 'equal'
    )
    return (
        f'the scores rank nothing: all scores are {description} in {np.count_nonzero(equal & (pairs.n > 0))} of '
        f'{several} queries with several documents ({run.stretch_queries[0]!r}: {run.score[0]:g}). Their documents '
        'are ordered by doc_id'
    )


@_check('scores that rise', ScoresWarning, 'run', 'run', 'rows')
def _rising_scores(facts: Facts) -> str | None:
    """Scores rise from row to row, as ranks and distances do. A rank column that agrees with the scores says that they
    are none."""
    run = facts.run
    assert run is not None
    ends = facts.ends
    long = ends.n > FEWEST_RISING
    if 2 * np.count_nonzero((ends.first < ends.last) & long) <= np.count_nonzero(long):
        return None
    first, pairs = run.query_starts, facts.neighbours
    rising = long & (pairs.down == 0) & (pairs.up > 0)
    if 2 * np.count_nonzero(rising) <= np.count_nonzero(long) or pairs.n[rising].sum() < EVIDENCE:
        return None
    ranks = _numbers(run.said['rank']) if 'rank' in run.said else None
    if ranks is not None:
        of_ranks = _Neighbours.of(ranks, first)
        if of_ranks.down.sum() > of_ranks.up.sum():
            return None
    place = np.arange(len(run)) - np.repeat(first, np.diff(first, append=len(run)))
    ranked = bool(np.all((run.score == place + 1) | (run.score == place)))
    several = np.count_nonzero(long)
    what = (
        'scores are 1, 2, 3, … along the rows, as ranks are,'
        if ranked
        else 'scores rise along the rows, as distances do,'
    )
    at = int(first[np.flatnonzero(rising)[0]])
    return (
        f'{what} in {np.count_nonzero(rising)} of {several} queries with several documents '
        f'({run.query_id.pick(np.array([at]))[0]!r}: {run.score[at]:g}, {run.score[at + 1]:g}, …), so that the '
        f'last row is ranked first. If low scores are good, score the run with −score'
    )


@_check('judged documents at the end', ScoresWarning, 'run', 'run', 'judgments')
def _judged_at_the_end(facts: Facts) -> str | None:
    """Documents at the end of the rankings are judged far more often than those at the top, which were pooled."""
    if facts.coded is None:
        return None
    located = facts.coded.located()
    long = located.n >= 2 * DEPTH
    owner = facts.coded.collection.query_of_pair()[located.pair]
    top = int(np.count_nonzero(long[owner] & (located.rank <= DEPTH)))
    end = int(np.count_nonzero(long[owner] & (located.rank > located.n[owner] - DEPTH)))
    looked_at = DEPTH * int(np.count_nonzero(long))
    if looked_at < MANY_DOCUMENTS or end - top < 0.2 * looked_at or end < 2 * top:
        return None
    return (
        f'of the first {DEPTH} documents of {looked_at // DEPTH} queries, {top} of {looked_at} are judged, of the '
        f'last {DEPTH} {end}: the rankings may be the wrong way round. Are the scores distances or ranks?'
    )


@_check('run tags', TagsWarning, 'run', 'run', 'tag')
def _tags(facts: Facts) -> str | None:
    run = facts.run
    assert run is not None
    if len({tag for pair in run.spread('tag', SAMPLED_ROWS) for tag in pair}) == 1:
        return None  # concatenated runs differ in their first and last rows
    names = encode(run.said['tag'])[1].to_pylist()
    if len(names) == 1:
        return None
    return (
        f'one run has {len(names)} run tags ({_list(names[:EXAMPLES], len(names))}), and is scored as one system. '
        f'Are they several runs in one file?'
    )


# ---------------------------------------------------------------------------------------- a run and its judgments


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


def overlap(judged: Judgments, run: Run, coded: LocatedRun | None) -> Overlap:
    """Find the queries and documents that a run and judgments share.

    Args:
        judged: the judgments.
        run: the run.
        coded: the run with its ids coded; None where it is known that enough documents are judged.
    """
    n, number = len(judged.query_ids), judged.collection.stretch_numbers(run)
    has = np.zeros(max(n, int(number.max(initial=-1)) + 1), dtype=bool)
    has[number] = True
    n_matched, n_run = int(np.count_nonzero(has[:n])), int(np.count_nonzero(has))
    missing = [judged.query_ids[q] for q in np.flatnonzero(~has[:n])[:EXAMPLES]]
    unjudged = [
        run.stretch_names[int(np.argmax(number == q))].as_py()
        for q in range(n, n + min(n_run - n_matched, EXAMPLES))
    ]
    located = None if coded is None else coded.located()
    if located is None:
        return Overlap(n, n_run, n_matched, 0, 0, 0, 1, missing, unjudged)
    top = np.minimum(located.n, DEPTH)
    possible = np.minimum(top, np.bincount(judged.collection.query_of_pair(), minlength=len(top)))
    return Overlap(
        n,
        n_run,
        n_matched,
        int(top.sum()),
        int(np.count_nonzero(located.rank <= DEPTH)),
        int(possible.sum()),
        len(located.pair),
        missing,
        unjudged,
    )


@_check('no documents', EmptyRunWarning, 'run', 'judgments')
def _no_documents(facts: Facts) -> str | None:
    assert facts.judgments is not None
    if facts.run is None or len(facts.run):
        return None
    return (
        f'the run has no documents: its {len(facts.judgments.query_ids)} judged queries count as queries without '
        f'results'
    )


CHANGES: dict[str, Callable[[str], str]] = {
    'without white space around them': str.strip,
    'in lower case': str.casefold,
    'in Unicode form NFC': lambda text: unicodedata.normalize('NFC', text),
    'without a file suffix': lambda text: re.sub(r'\.[A-Za-z][A-Za-z0-9]{0,4}$', '', text),
    'as whole numbers': lambda text: (
        re.sub(r'^0+(?=[0-9])|\.0+$', '', text) if re.fullmatch(r'[0-9]+(\.0+)?', text) else text
    ),
    'without quotation marks': lambda text: text.strip('"\''),
    'without folders': lambda text: re.split(r'[/\\]', text)[-1],
}
"""Ways in which the ids of a run and of judgments of the same thing differ, in words, and how they become the same."""


def matching_change(
    ids: Sequence[tuple[str, str]], targets: Sequence[tuple[str, str]]
) -> tuple[str, int, str, str] | None:
    """The change of ids after which most of some ids match others.

    Args:
        ids: pairs of what the id is about (a query) and the id.
        targets: such pairs that they are to match.

    Returns:
        The change in words, how many ids match after it, and the first id of them with what it matches; None where
        hardly any do.
    """
    best: tuple[str, int, str, str] | None = None
    for words, change in CHANGES.items():
        changed = {(about, change(name)): name for about, name in targets}
        matches = [
            (name, changed[key]) for about, name in ids if (key := (about, change(name))) in changed
        ]
        if matches and (best is None or len(matches) > best[1]):
            best = (words, len(matches), *matches[0])
    return None if best is None or best[1] < IDS_CHANGED * len(ids) else best


@_check('ids of queries', IdsWarning, 'run', 'run', 'judgments')
def _ids_of_queries(facts: Facts) -> str | None:
    assert facts.judgments is not None and facts.run is not None
    common = facts.overlap
    if common.matched in (common.run_queries, common.judged_queries):
        return None
    judged_ids, run_ids = facts.judgments.query_set, set(facts.run.query_ids)
    run_only, judged_only = run_ids - judged_ids, judged_ids - run_ids
    some = [('', name) for name in sorted(run_only)[:1000]]
    match = matching_change(some, [('', name) for name in sorted(judged_only)])
    if match is None:
        return None
    words, n, name, target = match
    return (
        f'{n} of {len(some)} queries of the run that have no judgments have some if ids are compared {words} (run: '
        f'{name!r}, judgments: {target!r}). They do not count'
    )


@_check('ids of documents', IdsWarning, 'run', 'run', 'judgments')
def _ids_of_documents(facts: Facts) -> str | None:
    if facts.coded is None:
        return None
    coded, located = facts.coded, facts.coded.located()
    collection = coded.collection
    judged_at_top = np.bincount(
        collection.query_of_pair()[located.pair[located.rank <= DEPTH]], minlength=len(located.n)
    )
    short_of_hits = np.flatnonzero(judged_at_top < np.minimum(located.n, DEPTH))
    if not len(short_of_hits):
        return None
    queries = short_of_hits[spread_over(len(short_of_hits), SAMPLED_QUERIES)]
    order, begin = coded.ordered.order, starts(located.n)
    rows = np.concatenate(
        [np.arange(begin[q], min(begin[q] + DEPTH, begin[q + 1])) for q in queries]
    )
    rows = rows if order is None else order[rows]
    rows = rows[coded.pair[rows] < 0]
    names, owners = coded.names.pick(rows), coded.query[rows].tolist()
    kinds = _kinds_of_judged(facts.judgments)
    some = names[:: max(1, len(names) // SAMPLED_IDS)]
    odd = sum(_kinds(name) not in kinds for name in some)
    if odd < max(1, IDS_CHANGED * len(some)) and len(located.pair) > 0:
        return None
    targets = _judged_of(facts.judgments, queries)
    match = matching_change([(str(q), name) for q, name in zip(owners, names)], targets)
    if match is None:
        return None
    words, n, name, judged = match
    return (
        f'{n} of {len(names)} unjudged documents in the top {DEPTH} of {len(queries)} queries are judged if ids '
        f'are compared {words} (run: {name!r}, judgments: {judged!r})'
    )


def _kinds_of_judged(judgments: Judgments | None) -> set[frozenset[str]]:
    """The kinds of characters of some judged ids."""
    assert judgments is not None
    if 'kinds of characters' not in judgments.kept:
        names = judgments.document_ids
        rows = spread_over(len(names), 4 * SAMPLED_IDS)
        judgments.kept['kinds of characters'] = (
            {_kinds(name) for name in names.pick(rows)} if len(names) else set()
        )
    kinds: set[frozenset[str]] = judgments.kept['kinds of characters']
    return kinds


def _judged_of(judgments: Judgments | None, queries: Array) -> list[tuple[str, str]]:
    """The judged documents of some queries: number of the query, and id."""
    assert judgments is not None
    collection = judgments.collection
    owner = collection.query_of_pair()[collection.row_pair]
    rows = np.flatnonzero(np.isin(owner, queries))
    return list(zip(map(str, owner[rows].tolist()), judgments.document_ids.pick(rows)))


@_check('queries in common', QueriesWarning, 'run', 'run', 'judgments')
def _queries(facts: Facts) -> str | None:
    common = facts.overlap
    if not common.matched:
        return (
            f'none of the {common.run_queries} queries of the run has judgments (run: '
            f'{_list(common.unjudged, common.run_queries)}; judgments: '
            f'{_list(common.missing, common.judged_queries)})'
        )
    missing, unjudged = common.judged_queries - common.matched, common.run_queries - common.matched
    clauses = []
    if (
        facts.about_missing
        and common.judged_queries >= FEW_QUERIES
        and 2 * missing > common.judged_queries
    ):
        clauses.append(
            f'{missing} of the {common.judged_queries} judged queries are not in the run '
            f'({_list(common.missing, missing)}), and count as queries without results'
        )
    if common.run_queries >= FEW_QUERIES and 2 * unjudged >= common.run_queries:
        clauses.append(
            f'{unjudged} of the {common.run_queries} queries of the run have no judgments '
            f'({_list(common.unjudged, unjudged)}), and do not count'
        )
    return '; '.join(clauses) or None


@_check('documents in common', DocumentsWarning, 'run', 'run', 'judgments')
def _documents(facts: Facts) -> str | None:
    assert facts.judgments is not None and facts.run is not None
    common = facts.overlap
    if not common.matched:
        return None
    none = not common.anywhere and (
        common.matched >= FORM_COUNTS or not ids_look_alike(facts.judgments, facts.run)
    )
    if not none and not (
        common.possible >= MANY_DOCUMENTS and common.judged < FEW_JUDGED * common.possible
    ):
        return None
    return (
        f'{common.judged} of the {common.looked_at} documents in the top {DEPTH} of {common.matched} judged '
        f'queries {"is" if common.judged == 1 else "are"} judged (run: {_an_id(facts.run, facts.judgments)!r}, …; '
        f'judgments: {facts.judgments.document_ids.pick(np.arange(1))[0]!r}, …): are their ids of one form?'
    )


@_check('judged@k', UnjudgedWarning, 'run', 'run', 'judgments')
def _low_judged(facts: Facts) -> str | None:
    """Most documents at the top are unjudged, in queries with many judged documents. Of sparse judgments, such as one
    document a query, this says nothing."""
    if facts.coded is None:
        return None
    located, collection = facts.coded.located(), facts.coded.collection
    owner = collection.query_of_pair()
    deep = (collection.documents_per_query >= LOW_DEPTH) & (located.n > 0)
    looked_at = int(np.minimum(located.n[deep], LOW_DEPTH).sum())
    if looked_at < MANY_DOCUMENTS:
        return None
    judged = int(np.count_nonzero(deep[owner[located.pair[located.rank <= LOW_DEPTH]]]))
    if judged >= LOW_JUDGED * looked_at:
        return None
    positive = (
        ' (the judgments list relevant documents only, so that others may have been judged)'
        if _grades(facts.judgments).lowest > 0
        else ''
    )
    return (
        f'{looked_at - judged} of the {looked_at} documents in the top {LOW_DEPTH} of {np.count_nonzero(deep)} '
        f'queries are not judged, and count as not relevant: judged@{LOW_DEPTH} is {judged / looked_at:.0%}'
        f'{positive}. Measures with judged_only=True leave them out; bounds() says what they leave open'
    )


def _list(examples: list[str], of: int) -> str:
    return ', '.join(map(repr, examples)) + (', …' if of > len(examples) else '')


def ids_look_alike(judged: Judgments, run: Run) -> bool:
    """Whether a document of a run has an id of the same kinds of characters as a judged one, of the first hundred."""
    run_ids = run.doc_id.pick(np.arange(min(len(run), 100)))
    judged_ids = judged.document_ids.pick(np.arange(min(len(judged.document_ids), 100)))
    return not {_kinds(name) for name in run_ids}.isdisjoint(map(_kinds, judged_ids))


def _kinds(name: str) -> frozenset[str]:
    """The kinds of characters of an id."""
    return frozenset(map(_kind, set(name)))


@functools.lru_cache(maxsize=1024)
def _kind(c: str) -> str:
    return '0' if c.isdigit() else 'a' if c.islower() else 'A' if c.isupper() else c


def _an_id(run: Run, judged: Judgments) -> str:
    """A document that no query judges, retrieved for a judged query, or the first one."""
    of_judged = [
        document
        for query, document in zip(run.query_id.array.to_pylist(), run.doc_id.array.to_pylist())
        if query in judged.query_set
    ]
    return next(
        (document for document in of_judged if document not in judged.document_set), of_judged[0]
    )


def some_judged(judged: Judgments, run: Run) -> bool:
    """Whether half of the first documents of a run, of queries that are judged, have a judgment."""
    first = zip(run.query_id.array[:5000].to_pylist(), run.doc_id.array[:5000].to_pylist())
    documents = [document for query, document in first if query in judged.query_set][:200]
    return sum(document in judged.document_set for document in documents) >= 1 + len(documents) // 2


# ------------------------------------------------------------------------------------------- order in 32 bits


def near_ties(run: LocatedRun) -> bool:
    """Whether a query of a run has different scores that are one in 32 bits."""
    _, query, score, _ = run.ordered
    with np.errstate(over='ignore'):
        single = score.astype(np.float32)
    return bool(
        np.any((query[1:] == query[:-1]) & (score[1:] != score[:-1]) & (single[1:] == single[:-1]))
    )


def queries_of_another_order(run: LocatedRun, depth: float = np.inf) -> list[str]:
    """The queries in which a judged document has another rank where scores are compared in 32 bits, one of the two
    ranks being at most ``depth``."""
    if not near_ties(run):
        return []
    exact, single = run.located(), run.located('single')
    rank = np.zeros((2, run.collection.n_pairs), dtype=np.intp)
    rank[0, exact.pair], rank[1, single.pair] = exact.rank, single.rank
    unlike = np.unique(
        run.collection.query_of_pair()[(rank[0] != rank[1]) & (rank.min(axis=0) <= depth)]
    )
    return [run.collection.query_ids[number] for number in unlike]


def last_rank(measure: Any) -> float:
    """Return the last rank that a measure reads, infinity for one without a cutoff of ranks."""
    params = measure.params
    if params.get('judged_only') or 'iteration' in getattr(measure, 'run_columns', ()):
        return np.inf  # the cutoff does not count ranks
    cutoff = (
        getattr(measure, 'cutoff', None)
        if hasattr(measure, 'run_columns')
        else params.get('cutoff')
    )
    return np.inf if cutoff is None else float(cutoff)


@_check('order in 32 bits', OrderWarning, 'run', 'run', 'judgments', 'measures')
def _order(facts: Facts) -> str | None:
    """Measures that compare scores in 64 bits and ones that do in 32 see a run in different orders, down to the rank
    to which both look."""
    run, own, others = facts.coded, facts.own, facts.in_single
    if run is None or not own or not others:
        return None
    unlike = queries_of_another_order(
        run, min(max(map(last_rank, own)), max(map(last_rank, others)))
    )
    if not unlike:
        return None
    return (
        f'{len(unlike)} of {len(run.collection.query_ids)} queries ({_list(unlike[:EXAMPLES], len(unlike))}) are '
        f'ordered differently by {own[0]}, which compares scores in 64 bits, and by {others[0]}, in 32: different '
        f'scores are a tie there. ir_divmeasures.distinct_scores(run) gives scores that all measures order alike'
    )


# --------------------------------------------------------------------------------------------------------- ties


class TiedRows(NamedTuple):
    """The rows of the queries in which a relevant document has the score of another one, in the order of the ranking.

    Attributes:
        queries: numbers of these queries, (queries,).
        rows: the rows of the run, (rows,).
        places: among them the places of those that are tied with a relevant document, (tied,).
        group: a number for each tie, ascending, (tied,).
        rank: the smallest rank of them; 0 if there are none.
    """

    queries: Array
    rows: Array
    places: Array
    group: Array
    rank: int


def tied_rows(run: LocatedRun, depth: float) -> TiedRows:
    """The rows of the queries in which a relevant document is tied at a rank of at most ``depth``."""
    order, query, _, tied = run.ordered
    rows = np.arange(len(query)) if order is None else order
    with_former = np.concatenate([[False], tied])
    members = np.flatnonzero(with_former | np.concatenate([tied, [False]]))
    group = np.cumsum(~with_former[members]) - 1
    relevant = run.collection.has_relevant_grade(run.pair[rows[members]])
    n = int(group[-1]) + 1 if len(group) else 0
    first = members[~with_former[members]]
    rank = first - starts(run.located().n)[query[first]] + 1
    matters = (np.bincount(group, relevant, minlength=n) > 0) & (rank <= depth)
    members, group = members[matters[group]], group[matters[group]]
    is_tied = np.zeros(len(run.collection.query_ids), dtype=bool)
    is_tied[query[members]] = True
    kept = np.flatnonzero(is_tied[query])
    return TiedRows(
        np.flatnonzero(is_tied),
        rows[kept],
        np.searchsorted(kept, members),
        group,
        int(rank[matters].min()) if len(members) else 0,
    )


@_check('ties', TiesWarning, 'scores', 'run', 'judgments', 'measures')
def _ties(facts: Facts) -> str | None:
    """Warn if the order of tied documents changes a mean."""
    run = facts.coded
    if run is None or facts.scored_alike is None or not run.ordered.tied.any():
        return None
    n = len(run.collection.query_ids)
    tied = tied_rows(run, max(map(last_rank, (*facts.own, *facts.in_single))))
    if len(tied.queries) < TIED_QUERIES * n:
        return None
    score = functools.cache(facts.scored_alike(tied.queries, tied.rank))
    runs_by_order = _orders(run, tied)
    descending = runs_by_order['descending']
    others = {
        order: score(again) for order, again in runs_by_order.items() if again is not descending
    }
    if not others['ascending']:
        return None  # other providers compute all measures that read these ranks
    # The run's own scores are those of descending doc_ids, unless they depend on ties without a relevant document too,
    # or on ties in 32 bits.
    known = {} if run.columns or facts.in_single and near_ties(run) else facts.values
    current = (
        {name: known[name][tied.queries] for name in others['ascending']}
        if known
        else score(descending)
    )
    moves = {
        name: {order: other[name] - current[name] for order, other in others.items()}
        for name in current
    }
    changed = np.any(
        [np.abs(move) > 1e-12 for of in moves.values() for move in of.values()], axis=0
    )
    means = {
        name: {order: float(move.sum()) / n for order, move in of.items()}
        for name, of in moves.items()
    }
    name = max(means, key=lambda name: max(map(abs, means[name].values())))
    low, high = min(0.0, *means[name].values()), max(0.0, *means[name].values())
    if np.count_nonzero(changed) < TIED_QUERIES * n or max(-low, high) < TIED_MEAN:
        return None
    names = [run.collection.query_ids[number] for number in tied.queries[changed]]
    return (
        f'tied scores matter in {len(names)} of {n} queries ({_list(names[:EXAMPLES], len(names))}). Documents of '
        f'equal scores are ordered by doc_id descending, as by ndeval and trec_eval; in other orders the mean of '
        f'{name} moves by {low:+.4f} to {high:+.4f} ({means[name]["ascending"]:+.4f} by doc_id ascending, as by '
        f"pyndeval). evaluate(…, ties='doc_id') keeps this order and is silent; 'doc_id_ascending' and 'rows' are "
        f'the others'
    )


def _orders(run: LocatedRun, tied: TiedRows) -> dict[str, Run]:
    """The queries with tied documents as runs without ties: in the order that is taken, by doc_id ascending, and with
    the highest and the lowest grades of each tie first. Orders that are the same are one run."""
    collection = run.collection
    rows, query = tied.rows, run.query[tied.rows]
    of_ties = rows[tied.places]
    pair = run.pair[of_ties]
    grade = np.where(pair >= 0, np.append(collection.total_grades, 0.0)[pair], 0.0)
    place = place_by_name(run.names.take(of_ties))
    n = np.bincount(query, minlength=len(collection.query_ids))
    score = (n[query] - place_in_group(query, n)).astype(float)
    names = Strings(collection.query_names.take(query))
    runs: dict[str, Run] = {}
    runs_by_key: dict[bytes, Run] = {}
    for order, keys in (
        ('descending', (-place,)),
        ('ascending', (place,)),
        ('best', (-place, -grade)),
        ('worst', (place, grade)),
    ):
        ordered = rows.copy()
        ordered[tied.places] = of_ties[np.lexsort((*keys, tied.group))]
        if ordered.tobytes() not in runs_by_key:
            further = {
                name: values[ordered] for name, values in run.columns.items() if name in RUN_COLUMNS
            }
            runs_by_key[ordered.tobytes()] = Run(
                Rows(
                    {
                        'query_id': names,
                        'doc_id': Strings(run.names.take(ordered)),
                        'score': score,
                        **further,
                    }
                ),
                distinct=True,
            )
        runs[order] = runs_by_key[ordered.tobytes()]
    return runs


def distinct_scores(run: RunLike, ties: str = 'doc_id') -> pd.DataFrame:
    """A run in the same order, whose scores are so far apart that all tools order it alike.

    The documents of a query get the scores n, n − 1, …, 1, without ties, which 32 bits hold exactly. trec_eval up to
    9.0.8 and pytrec_eval compare scores in 32 bits, ndeval and this package in 64: near-equal scores tie in one and not
    in the other.

    Args:
        run: a run in any form that :func:`~ir_divmeasures.read_run` takes.
        ties: which of some documents of one score comes first: ``'doc_id'`` the larger doc_id (as for ndeval and
            trec_eval, so that no diversity score changes), ``'doc_id_ascending'`` the smaller one (as for pyndeval,
            which computes diversity measures for ir_measures where this package is not installed), ``'rows'`` the one
            that the run names first.

    Returns:
        DataFrame ``query_id, doc_id, score``, rows as in the run.

    Raises:
        TypeError, ValueError: not a run, a duplicate document, or another word for ``ties``.

    Examples:
        >>> distinct_scores({'q': {'d1': 0.30000001, 'd2': 0.3, 'd3': 0.30000001}})
          query_id doc_id  score
        0        q     d1    2.0
        1        q     d2    1.0
        2        q     d3    3.0
    """
    check_ties(ties)
    return untied(runs.read(run).check(), ties).table


def untied(run: Run, ties: str) -> Run:
    """A run with distinct scores, given how to order documents of equal scores."""
    query = codes(run.query_id)
    order = ranking_order(query, run.score, run.doc_id, np.ones(len(run), dtype=bool), TIES[ties])
    order = np.arange(len(run)) if order is None else order
    n = np.bincount(query)
    scores = np.empty(len(run))
    scores[order] = n[query[order]] - place_in_group(query[order], n)
    return Run(run.table.assign(score=scores), run.path, run.data, run.distinct, run.said)


# -------------------------------------------------------------------------------------------- of several systems


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


@_check('same rankings', SameRankingWarning, 'systems', 'systems')
def _same_rankings(facts: Facts) -> str | None:
    systems_of: dict[str, list[str]] = {}
    for system, digest in facts.digests.items():
        systems_of.setdefault(digest, []).append(system)
    same = [systems for systems in systems_of.values() if len(systems) > 1]
    if not same:
        return None
    alike = ', '.join(same[0][:EXAMPLES]) + (', …' if len(same[0]) > EXAMPLES else '')
    return (
        f'{sum(map(len, same))} of {len(facts.digests)} systems have the rankings of another one ({alike}'
        f'{f"; and {len(same) - 1} more group" + "s" * (len(same) > 2) if len(same) > 1 else ""}). '
        f'Are they one system?'
    )


# ------------------------------------------------------------------------------------ providers of other measures


def of_provider(
    measures: Iterable[Any], providers: Callable[[], Sequence[Any]], *names: str
) -> list[Any]:
    """The measures that are computed by one of these providers of ir_measures, the first one that can."""
    # A provider is imported when it is asked whether it is available: ranx and its dependencies take seconds.
    first = [
        (m, next((p.NAME for p in providers() if p.supports(m) and p.is_available()), None))
        for m in measures
    ]
    return [m for m, name in first if name in names]


def check_whole_grades(
    measures: Iterable[Any], rows: pd.DataFrame, providers: Callable[[], Sequence[Any]]
) -> None:
    """Raise if a measure of a provider that takes whole grades only meets a fractional one.

    Raises:
        ValueError: names measure, query, document and grade.
    """
    if rows['relevance'].dtype.kind != 'f':
        return
    fractional = np.flatnonzero(
        rows['relevance'].to_numpy() != np.floor(rows['relevance'].to_numpy())
    )
    if not len(fractional):
        return
    for measure in of_provider(measures, providers, *WHOLE_GRADES):
        row = rows.iloc[int(fractional[0])]
        raise ValueError(
            f'{measure}: query {row.query_id!r}, document {row.doc_id!r} has the grade '
            f'{plain(row.relevance)!r}; ir_measures\' provider of this measure takes whole grades only '
            f'({len(fractional)} of {len(rows)} are not)'
        )


__all__ = [
    'CHECKS',
    'ELSEWHERE',
    'HOSTS',
    'STAGES',
    'Check',
    'Facts',
    'Overlap',
    'ask',
    'check_whole_grades',
    'distinct_scores',
    'last_rank',
    'near_ties',
    'of_provider',
    'overlap',
    'queries_of_another_order',
    'ranking_digest',
    'untied',
    'warn_of',
    'weight_sums',
]
