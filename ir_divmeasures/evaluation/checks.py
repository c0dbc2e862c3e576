"""Checks of runs and judgments before and after they are scored: one list of checks, which every host runs.

A :class:`Check` is declared once, in :data:`CHECKS`: its name, the class of its warning, its stage, what it needs to
know, and a function that returns its message. :func:`ask` runs all checks of a stage. :data:`HOSTS` lists what each
host passes on, and therefore what it can know (:meth:`Check.reason_without`).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import (
    DivMeasuresWarning,
    DocumentsWarning,
    EmptyRunWarning,
    EqualGradesWarning,
    FewQueriesWarning,
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
    TopicLevelWarning,
    TypesWarning,
    UnjudgedWarning,
    WeightsWarning,
    warn,
)
from ..io import columns
from ..io.ordering import starts
from ..io.runs import Run
from ..io.text import number
from ..io.text_columns import Texts
from ..judgments.table import Judgments, one_subtopic
from ..lazy import pd
from .facts_of_runs import DEPTH, EXAMPLES, Facts, Neighbours
from .ties import last_rank, near_ties, queries_of_another_order, runs_by_order, tied_rows

Array = NDArray[Any]

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

OPPOSITE = -0.5
"""Ranks and scores with a rank correlation of at most this disagree largely."""

FEW_RISING = 0.3
"""Ranks are read if the last score of a query is above the first one in a larger share of the queries."""

EVIDENCE = 8
"""The smallest number of pairs of neighbours in the rankings from which scores are checked. Five documents have
four."""

PER_QUERY = 20
"""With fewer judged documents a query on average, equal grades are common: only what is relevant was collected."""


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
    'located': 'ranks of judged documents',
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
    FewQueriesWarning: 'said where systems are compared',
    FilesWarning: 'said where a folder of runs is read',
    MembershipWarning: 'said where a run meets judgments of a pool',
    RepeatedRowsWarning: 'said where judgments are read',
    TopicLevelWarning: 'said once where a host asks for ad-hoc measures',
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
        if check.stage == stage and check.needs <= knows:
            if any(issubclass(category, check.warning) for category in warned):
                continue
            message = check.message(facts)
            if message is not None:
                warned.add(check.warning)
                yield message, check.warning


def warn_of(facts: Facts, stage: str) -> None:
    """Give the warnings of the checks of a stage."""
    for message, category in ask(facts, stage):
        warn(message, category)


def _some(names: Sequence[Any], n: int | None = None) -> str:
    """The first names, quoted, of n in all."""
    n = len(names) if n is None else n
    return ', '.join(map(repr, names[:EXAMPLES])) + (', …' if n > EXAMPLES else '')


# ------------------------------------------------------------------------------------------------- of judgments


@_check('one subtopic', SubtopicsWarning, 'judgments', 'judgments', 'measures', every_part=True)
def _one_subtopic(facts: Facts) -> str | None:
    return one_subtopic(facts.judgments, [own for own in facts.own if own.diversity])


@_check('no relevant document', NoRelevantWarning, 'judgments', 'judgments', every_part=True)
def _no_relevant(facts: Facts) -> str | None:
    grades = facts.grades
    if not len(grades) or grades.max() > 0:
        return None
    lowest = grades.min()
    flipped = f'; the lowest grade is {lowest:g}: is their sign flipped?' if lowest < 0 else ''
    return f'none of the {len(grades)} judgments has a grade above 0, so that all scores are 0{flipped}'


@_check('equal grades', EqualGradesWarning, 'judgments', 'judgments', every_part=True)
def _equal_grades(facts: Facts) -> str | None:
    grades = facts.grades
    if len(grades) < MANY_DOCUMENTS or grades.min() != grades.max() or grades[0] <= 0:
        return None
    documents = facts.judgments.collection.documents_per_query
    if documents.mean() < PER_QUERY:
        return None
    return (
        f'all {len(grades)} judgments have the grade {grades[0]:g}, so that all {documents.sum()} judged documents of '
        f'{len(documents)} queries are relevant. Were grades lost, or documents that are not relevant left out?'
    )


@_check('grades below what counts', GradesWarning, 'judgments', 'judgments', 'measures')
def _low_grades(facts: Facts) -> str | None:
    """No document has the lowest grade that a measure counts, but some have a lower one above 0."""
    highest = facts.grades.max(initial=0.0)
    too_high = sorted((str(own), own.rel) for own in facts.own if own.rel > highest > 0)
    if not too_high:
        return None
    name, rel = too_high[0]
    return (
        f'no document has a grade of at least {rel:g}, which {name}{" …" if len(too_high) > 1 else ""} counts as '
        f'relevant; the highest of {len(facts.grades)} grades is {highest:g}: all scores are 0'
    )


@_check('weights', WeightsWarning, 'judgments', 'judgments', 'measures')
def _weights(facts: Facts) -> str | None:
    """The weights of a query's intents do not sum to 1, and the value of a measure depends on it. Intents of a query
    without a relevant document need no weight."""
    names = sorted(str(own) for own in facts.own if own.diversity and not own.any_scale)
    if not names or 'weight' not in facts.judgments.names:
        return None
    rows = facts.judgments.official
    rows = rows[rows['query_id'].isin(rows['query_id'][rows['relevance'] > 0].unique())]
    aspects = rows.drop_duplicates(columns.aspect_key(rows))
    sums = aspects.groupby('query_id', sort=False)['weight'].sum()
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


def _most(is_so: Array, of: Array, pairs: Array) -> bool:
    """Return whether most of some queries are so, and not by chance; (queries,) each, ``pairs`` of neighbours."""
    return bool(
        2 * np.count_nonzero(is_so) > np.count_nonzero(of) and pairs[is_so].sum() >= EVIDENCE
    )


@_check('rank column', RankColumnWarning, 'run', 'run', 'rank')
def _rank_column(facts: Facts) -> str | None:
    """Scores order documents against the run's own rank column."""
    run, pairs = facts.run, facts.neighbours
    first = run.query_id.starts
    rising = np.count_nonzero(run.score[first + pairs.n] > run.score[first])
    if rising <= FEW_RISING * np.count_nonzero(pairs.n) and _ranks_rise(run):
        return None
    ranks = _numbers(run.said['rank'])
    if ranks is None or not np.isfinite(ranks).all():
        return None
    query = run.query_id.codes()[0]
    correlation = _correlations(query, ranks, -run.score)
    is_opposite = correlation <= OPPOSITE
    n = np.count_nonzero(np.isfinite(correlation))
    if not _most(is_opposite, np.isfinite(correlation), np.bincount(query) - 1):
        return None
    row = int(np.flatnonzero(is_opposite[query])[0])
    return (
        f'the scores are against the rank column in {np.count_nonzero(is_opposite)} of {n} queries, exactly '
        f'opposite in {np.count_nonzero(correlation <= -1 + 1e-9)} (query {run.query_id.pick(np.array([row]))[0]!r}: '
        f'rank {ranks[row]:g} has the score {run.score[row]:g}). Documents are ranked by score. Are the scores '
        f'distances or ranks, of which the lowest is the best?'
    )


def _ranks_rise(run: Run) -> bool:
    """Whether the ranks of some rows, spread over the run, are not below that of the row before, of the same query."""
    pairs = run.spread('rank', SAMPLED_ROWS)
    numbers = [[number(text) for text in pair] for pair in pairs]
    return bool(pairs) and all(a is not None and b is not None and a <= b for a, b in numbers)


def _numbers(column: Any) -> Array | None:
    """A column as numbers; None where it has anything else."""
    try:
        return column.numbers() if isinstance(column, Texts) else np.asarray(column, dtype=float)
    except (TypeError, ValueError):  # ArrowInvalid is a ValueError
        return None


def _correlations(query: Array, x: Array, y: Array) -> Array:
    """Spearman's correlation of two columns in each query, ties by the place of their first; NaN where one of them is
    constant."""
    places = pd.DataFrame({'x': x, 'y': y}).groupby(query).rank(method='min')
    apart = places - places.groupby(query).transform('mean')
    products = apart.assign(xy=apart['x'] * apart['y'], x=apart['x'] ** 2, y=apart['y'] ** 2)
    sums = products.groupby(query).sum()
    with np.errstate(divide='ignore', invalid='ignore'):
        return (sums['xy'] / np.sqrt(sums['x'] * sums['y'])).to_numpy()


@_check('scores that rank nothing', ScoresWarning, 'run', 'run')
def _no_scores(facts: Facts) -> str | None:
    """All scores of a query are equal, or infinite."""
    run, pairs = facts.run, facts.neighbours
    several = pairs.n > 0
    equal = several & (pairs.up == 0) & (pairs.down == 0)
    if not _most(equal, several, pairs.n):
        return None
    infinite = np.isinf(run.score[run.query_id.starts]) & equal
    description = 'infinite' if _most(infinite, several, pairs.n) else 'equal'
    return (
        f'the scores rank nothing: all scores are {description} in {np.count_nonzero(equal)} of '
        f'{np.count_nonzero(several)} queries with several documents ({run.query_ids[0]!r}: {run.score[0]:g}). '
        'Their documents are ordered by doc_id'
    )


@_check('scores that rise', ScoresWarning, 'run', 'run', 'rows')
def _rising_scores(facts: Facts) -> str | None:
    """Scores rise from row to row, as ranks and distances do. A rank column that agrees with the scores says that they
    are none."""
    run, pairs = facts.run, facts.neighbours
    long = pairs.n >= FEWEST_RISING
    rising = long & (pairs.down == 0) & (pairs.up > 0)
    if not _most(rising, long, pairs.n):
        return None
    ranks = _numbers(run.said.get('rank'))
    if ranks is not None and ranks.ndim:
        of_ranks = Neighbours.of(ranks, run.query_id.starts)
        if of_ranks.down.sum() > of_ranks.up.sum():
            return None
    at = int(run.query_id.starts[np.flatnonzero(rising)[0]])
    return (
        f'scores rise along the rows, as ranks and distances do, in {np.count_nonzero(rising)} of '
        f'{np.count_nonzero(long)} queries with several documents ({run.query_id.pick(np.array([at]))[0]!r}: '
        f'{run.score[at]:g}, {run.score[at + 1]:g}, …), so that the last row is ranked first. If low scores are good, '
        f'score the run with −score'
    )


@_check('judged documents at the end', ScoresWarning, 'run', 'run', 'judgments', 'located')
def _judged_at_the_end(facts: Facts) -> str | None:
    """Documents at the end of the rankings are judged far more often than those at the top, which were pooled."""
    pair, rank, n, _ = facts.coded.located()
    long = n >= 2 * DEPTH
    owner = facts.coded.collection.query_of_pair[pair]
    top = np.count_nonzero(long[owner] & (rank <= DEPTH))
    end = np.count_nonzero(long[owner] & (rank > n[owner] - DEPTH))
    looked_at = DEPTH * np.count_nonzero(long)
    if looked_at < MANY_DOCUMENTS or end - top < 0.2 * looked_at or end < 2 * top:
        return None
    return (
        f'of the first {DEPTH} documents of {looked_at // DEPTH} queries, {top} of {looked_at} are judged, of the '
        f'last {DEPTH} {end}: the rankings may be the wrong way round. Are the scores distances or ranks?'
    )


@_check('run tags', TagsWarning, 'run', 'run', 'tag')
def _tags(facts: Facts) -> str | None:
    run = facts.run
    if len({tag for pair in run.spread('tag', SAMPLED_ROWS) for tag in pair}) == 1:
        return None  # concatenated runs differ in their first and last rows
    names = Texts.of(run.said['tag']).codes()[1].array.to_pylist()
    if len(names) == 1:
        return None
    return (
        f'one run has {len(names)} run tags ({_some(names)}), and is scored as one system. '
        f'Are they several runs in one file?'
    )


# ---------------------------------------------------------------------------------------- a run and its judgments


@_check('no documents', EmptyRunWarning, 'run', 'judgments')
def _no_documents(facts: Facts) -> str | None:
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

Ids = Sequence[tuple[Any, str]]
"""Ids, each with what it is about: a query, or None."""


def _matching_change(ids: Ids, targets: Ids) -> tuple[int, str] | None:
    """How many ids match targets after the change that matches most, and the change with an example, in words; None
    where hardly any do."""
    best: tuple[int, str] = 0, ''
    for words, change in CHANGES.items():
        changed = {(about, change(name)): name for about, name in targets}
        pairs = [(name, changed.get((about, change(name)))) for about, name in ids]
        matches = [pair for pair in pairs if pair[1] is not None]
        if len(matches) > best[0]:
            name, target = matches[0]
            best = len(matches), f'compared {words} (run: {name!r}, judgments: {target!r})'
    return best if best[0] and best[0] >= IDS_CHANGED * len(ids) else None


@_check('ids of queries', IdsWarning, 'run', 'run', 'judgments')
def _ids_of_queries(facts: Facts) -> str | None:
    overlap = facts.overlap
    if overlap.matched in (overlap.run_queries, overlap.judged_queries):
        return None
    judged, retrieved = facts.judgments.query_set, set(facts.run.query_ids)
    ids = [(None, name) for name in sorted(retrieved - judged)[:1000]]
    match = _matching_change(ids, [(None, name) for name in sorted(judged - retrieved)])
    return match and (
        f'{match[0]} of {len(ids)} queries of the run that have no judgments have some if ids are {match[1]}. '
        f'They do not count'
    )


def _spread_over(n: int, most: int) -> Array:
    """At most so many places out of n, evenly spread from the first to the last, ascending."""
    places = np.linspace(0, max(n - 1, 0), most).astype(np.intp)
    return places[np.diff(places, prepend=-1) > 0]


@_check('ids of documents', IdsWarning, 'run', 'run', 'judgments', 'located')
def _ids_of_documents(facts: Facts) -> str | None:
    """A sample of queries, of those in which documents of the top are unjudged."""
    coded, located = facts.coded, facts.coded.located()
    owner = coded.collection.query_of_pair
    at_top = located.pair[located.rank <= DEPTH]
    judged_at_top = np.bincount(owner[at_top], minlength=len(located.n))
    queries = np.flatnonzero(judged_at_top < np.minimum(located.n, DEPTH))
    if not len(queries):
        return None
    queries = queries[_spread_over(len(queries), SAMPLED_QUERIES)]
    ends = starts(located.n)
    rows = np.concatenate([np.arange(*ends[q : q + 2])[:DEPTH] for q in queries])
    rows = coded.ordered.order[rows]
    rows = rows[coded.pair[rows] < 0]
    ids = list(zip(coded.query[rows].tolist(), coded.names.pick(rows)))
    judged = facts.judgments.document_ids
    kinds = set(map(_kinds, facts.judgments.some_documents))
    some = ids[:: max(1, len(ids) // SAMPLED_IDS)]
    n_odd = sum(_kinds(name) not in kinds for _, name in some)
    if n_odd < max(1, IDS_CHANGED * len(some)) and len(located.pair):
        return None  # documents that nobody judged
    owner_of_row = owner[coded.collection.row_pair]
    rows = np.flatnonzero(np.isin(owner_of_row, queries))
    match = _matching_change(ids, list(zip(owner_of_row[rows].tolist(), judged.pick(rows))))
    return match and (
        f'{match[0]} of {len(ids)} unjudged documents in the top {DEPTH} of {len(queries)} queries are judged if ids '
        f'are {match[1]}'
    )


@_check('queries in common', QueriesWarning, 'run', 'run', 'judgments')
def _queries(facts: Facts) -> str | None:
    overlap = facts.overlap
    n_run, n_judged = overlap.run_queries, overlap.judged_queries
    if not overlap.matched:
        return (
            f'none of the {n_run} queries of the run has judgments (run: {_some(overlap.unjudged, n_run)}; '
            f'judgments: {_some(overlap.missing, n_judged)})'
        )
    missing, unjudged = n_judged - overlap.matched, n_run - overlap.matched
    clauses = []
    if facts.about_missing and n_judged >= FEW_QUERIES and 2 * missing > n_judged:
        clauses.append(
            f'{missing} of the {n_judged} judged queries are not in the run '
            f'({_some(overlap.missing, missing)}), and count as queries without results'
        )
    if n_run >= FEW_QUERIES and 2 * unjudged >= n_run:
        clauses.append(
            f'{unjudged} of the {n_run} queries of the run have no judgments '
            f'({_some(overlap.unjudged, unjudged)}), and do not count'
        )
    return '; '.join(clauses) or None


@_check('documents in common', DocumentsWarning, 'run', 'run', 'judgments')
def _documents(facts: Facts) -> str | None:
    overlap, judgments = facts.overlap, facts.judgments
    judged_ids = judgments.document_ids.pick(np.arange(min(len(judgments.document_ids), 100)))
    few = overlap.possible >= MANY_DOCUMENTS and overlap.judged < FEW_JUDGED * overlap.possible
    if not overlap.matched or overlap.anywhere and not few:
        return None
    if not few and overlap.matched < FORM_COUNTS:
        run_ids = facts.run.doc_id.pick(np.arange(min(len(facts.run), 100)))
        if not set(map(_kinds, run_ids)).isdisjoint(map(_kinds, judged_ids)):
            return None
    retrieved = _of_judged_queries(judgments, facts.run)
    unjudged = (name for name in retrieved if name not in judgments.document_set)
    return (
        f'{overlap.judged} of the {overlap.looked_at} documents in the top {DEPTH} of {overlap.matched} judged '
        f'queries {"is" if overlap.judged == 1 else "are"} judged (run: {next(unjudged, retrieved[0])!r}, …; '
        f'judgments: {judged_ids[0]!r}, …): are their ids of one form?'
    )


@_check('judged@k', UnjudgedWarning, 'run', 'run', 'judgments', 'located')
def _low_judged(facts: Facts) -> str | None:
    """Most documents at the top are unjudged, in queries with many judged documents. Of sparse judgments, such as one
    document a query, this says nothing."""
    located, collection = facts.coded.located(), facts.coded.collection
    deep = (collection.documents_per_query >= LOW_DEPTH) & (located.n > 0)
    looked_at = int(np.minimum(located.n[deep], LOW_DEPTH).sum())
    owner = collection.query_of_pair[located.pair[located.rank <= LOW_DEPTH]]
    judged = np.count_nonzero(deep[owner])
    if looked_at < MANY_DOCUMENTS or judged >= LOW_JUDGED * looked_at:
        return None
    positive = (
        ' (the judgments list relevant documents only, so that others may have been judged)'
        if facts.grades.min() > 0
        else ''
    )
    return (
        f'{looked_at - judged} of the {looked_at} documents in the top {LOW_DEPTH} of {np.count_nonzero(deep)} '
        f'queries are not judged, and count as not relevant: judged@{LOW_DEPTH} is {judged / looked_at:.0%}'
        f'{positive}. Measures with judged_only=True leave them out; bounds() says what they leave open'
    )


@functools.lru_cache(4096)
def _kinds(name: str) -> frozenset[str]:
    """The kinds of characters of an id."""
    return frozenset(
        '0' if c.isdigit() else 'a' if c.islower() else 'A' if c.isupper() else c for c in set(name)
    )


def _of_judged_queries(judgments: Judgments, run: Run, n: int | None = None) -> list[str]:
    """The documents of the first n rows of a run, of queries that are judged."""
    rows = zip(run.query_id.array[:n].to_pylist(), run.doc_id.array[:n].to_pylist())
    return [document for query, document in rows if query in judgments.query_set]


def some_judged(judgments: Judgments, run: Run) -> bool:
    """Whether half of the first documents of a run, of queries that are judged, have a judgment."""
    documents = _of_judged_queries(judgments, run, 5000)[:200]
    n_judged = sum(document in judgments.document_set for document in documents)
    return n_judged >= 1 + len(documents) // 2


# --------------------------------------------------------------------------------------------- order and ties


@_check('order in 32 bits', OrderWarning, 'run', 'run', 'judgments', 'measures', 'located')
def _order(facts: Facts) -> str | None:
    """Measures that compare scores in 64 bits and ones that do in 32 see a run in different orders, down to the rank
    to which both look."""
    own, others = facts.own, facts.in_single
    if not own or not others:
        return None
    depth = min(max(map(last_rank, own)), max(map(last_rank, others)))
    unlike = queries_of_another_order(facts.coded, depth)
    if not unlike:
        return None
    return (
        f'{len(unlike)} of {len(facts.judgments.query_ids)} queries ({_some(unlike)}) are '
        f'ordered differently by {own[0]}, which compares scores in 64 bits, and by {others[0]}, in 32: different '
        f'scores are a tie there. ir_divmeasures.distinct_scores(run) gives scores that all measures order alike'
    )


@_check('ties', TiesWarning, 'scores', 'run', 'judgments', 'measures', 'located')
def _ties(facts: Facts) -> str | None:
    """Warn if the order of tied documents changes a mean."""
    run, n = facts.coded, len(facts.judgments.query_ids)
    if facts.scored_alike is None or not run.ordered.tied.any():
        return None
    tied = tied_rows(run, max(map(last_rank, (*facts.own, *facts.in_single))))
    if len(tied.queries) < TIED_QUERIES * n:
        return None
    score = functools.cache(facts.scored_alike(tied.queries, tied.rank))
    runs = runs_by_order(run, tied)
    descending = runs['descending']
    others = {order: score(again) for order, again in runs.items() if again is not descending}
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
    names, orders = list(current), list(others)
    # (orders, measures, queries)
    moves = np.array([[of[name] - current[name] for name in names] for of in others.values()])
    is_changed = (np.abs(moves) > 1e-12).any(axis=(0, 1))
    means = moves.sum(axis=2) / n
    m = int(np.abs(means).max(axis=0).argmax())
    low, high = means[:, m].min(initial=0.0), means[:, m].max(initial=0.0)
    if np.count_nonzero(is_changed) < TIED_QUERIES * n or max(-low, high) < TIED_MEAN:
        return None
    queries = [facts.judgments.query_ids[q] for q in tied.queries[is_changed]]
    return (
        f'tied scores matter in {len(queries)} of {n} queries ({_some(queries)}). Documents of '
        f'equal scores are ordered by doc_id descending, as by ndeval and trec_eval; in other orders the mean of '
        f'{names[m]} moves by {low:+.4f} to {high:+.4f} ({means[orders.index("ascending"), m]:+.4f} by doc_id '
        f"ascending, as by pyndeval). evaluate(…, ties='doc_id') keeps this order and is silent; 'doc_id_ascending' and "
        f"'rows' are the others"
    )


# -------------------------------------------------------------------------------------------- of several systems


@_check('same rankings', SameRankingWarning, 'systems', 'systems')
def _same_rankings(facts: Facts) -> str | None:
    systems_of: dict[str, list[str]] = {}
    for system, digest in facts.digests.items():
        systems_of.setdefault(digest, []).append(system)
    same = [systems for systems in systems_of.values() if len(systems) > 1]
    if not same:
        return None
    alike = ', '.join(same[0][:EXAMPLES]) + (', …' if len(same[0]) > EXAMPLES else '')
    more = f'; and {len(same) - 1} more group{"s" * (len(same) > 2)}' if len(same) > 1 else ''
    return (
        f'{sum(map(len, same))} of {len(facts.digests)} systems have the rankings of another one ({alike}{more}). '
        f'Are they one system?'
    )


__all__ = [
    'CHECKS',
    'ELSEWHERE',
    'HOSTS',
    'STAGES',
    'Check',
    'Facts',
    'ask',
    'some_judged',
    'warn_of',
]
