"""Checks of runs: of their scores, of what they share with the judgments, and of the order of their documents.

Each check is a function of :class:`~ir_divmeasures.evaluation.facts_of_runs.Facts` that returns its message, or None. The
checks of judgments, in :mod:`~ir_divmeasures.evaluation.meaning`, come before them.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.ids import Texts, distinct, starts
from ..data.lines import number
from ..data.runs import Run
from ..errors import (
    DocumentsWarning,
    EmptyRunWarning,
    IdsWarning,
    OrderWarning,
    QueriesWarning,
    RankColumnWarning,
    SameRankingWarning,
    ScoresWarning,
    TiesWarning,
    UnjudgedWarning,
)
from . import meaning as meaning  # its checks come first
from .facts_of_runs import DEPTH, FEW_QUERIES, MANY_DOCUMENTS, Facts, Neighbours
from .gate import check, some
from .ties import in_each_order, last_rank, near_ties, queries_of_another_order, tied_rows

Array = NDArray[Any]

FEW_JUDGED = 0.01
"""If a smaller share of the documents at the top that could be judged is judged, almost none is."""

LOW_DEPTH = 20
"""The depth k of judged@k, which is computed for queries with at least this number of judged documents."""

LOW_JUDGED = 0.5
"""A smaller share of judged documents is low."""

REVERSE = 'If low scores are good, score the run with −score'
"""What to do about scores of which the lowest is the best."""

FORM_COUNTS = 2
"""With fewer queries and no judged document retrieved, the check warns only if the ids have another form."""

OPPOSITE = -0.5
"""Ranks and scores with a rank correlation of at most this disagree largely."""

FEW_RISING = 0.3
"""Ranks are read if the last score of a query is above the first one in a larger share of the queries."""

EVIDENCE = 8
"""The smallest number of pairs of neighbours in the rankings from which scores are checked. Five documents have
four."""

FEWEST_RISING = 3
"""The smallest number of pairs of neighbours of a query for which rising scores are not chance."""

SAMPLED_QUERIES, SAMPLED_IDS, SAMPLED_ROWS = 20, 25, 25
"""The numbers of queries, ids and rows in a first check, which decides whether all are checked."""

IDS_CHANGED = 0.05
"""A smaller share of ids that match after a change is chance."""

TIED_QUERIES, TIED_MEAN = 0.01, 0.0001
"""Ties are reported if they change at least this share of the queries, and a mean by at least this much."""


# ---------------------------------------------------------------------------------------------- of a run's scores


def _most(is_so: Array, of: Array, pairs: Array) -> bool:
    """Return whether most of some queries are so, and not by chance; (queries,) each, ``pairs`` of neighbours."""
    return bool(
        2 * np.count_nonzero(is_so) > np.count_nonzero(of) and pairs[is_so].sum() >= EVIDENCE
    )


@check('rank column', RankColumnWarning, 'run', 'run', 'rank')
def _rank_column(facts: Facts) -> str | None:
    """Scores order documents against the run's own rank column, and judgments do not say that they are right."""
    if facts.direction > 0:
        return None
    run, pairs = facts.run, facts.neighbours
    first = run.query_id.starts
    rising = np.count_nonzero(run.score[first + pairs.n] > run.score[first])
    if rising <= FEW_RISING * np.count_nonzero(pairs.n) and _ranks_rise(run):
        return None
    ranks, query = _numbers(run.further['rank']), run.query_id.codes()[0]
    if ranks is None or not np.isfinite(ranks).all():
        return None
    correlation = _correlations(query, ranks, -run.score)
    is_opposite = correlation <= OPPOSITE
    n = np.count_nonzero(np.isfinite(correlation))
    if not _most(is_opposite, np.isfinite(correlation), np.bincount(query) - 1):
        return None
    row = int(np.flatnonzero(is_opposite[query])[0])
    return (
        f'the scores are against the rank column in {np.count_nonzero(is_opposite)} of {n} queries, exactly '
        f'opposite in {np.count_nonzero(correlation <= -1 + 1e-9)} (query {run.query_id.pick(np.array([row]))[0]!r}: '
        f'rank {ranks[row]:g} has the score {run.score[row]:g}). {REVERSE}'
    )


def _ranks_rise(run: Run) -> bool:
    """Whether the ranks of some rows, spread over the run, are not below that of the row before, of the same query."""
    pairs = run.spread('rank', SAMPLED_ROWS)
    numbers = [[number(text) for text in pair] for pair in pairs]
    return bool(pairs) and all(a is not None and b is not None and a <= b for a, b in numbers)


def _numbers(column: Any) -> Array | None:
    """A column as numbers, NaN for a text that writes none; None where it has anything else."""
    if isinstance(column, Texts):
        column = [number(text) for text in column.array.to_pylist()]
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return None


def _correlations(query: Array, x: Array, y: Array) -> Array:
    """Spearman's correlation of two columns in each query, ties by the place of their first; NaN where one of them is
    constant."""
    x, y = _places(query, x), _places(query, y)
    with np.errstate(divide='ignore', invalid='ignore'):
        correlations: Array = np.bincount(query, x * y) / np.sqrt(
            np.bincount(query, x**2) * np.bincount(query, y**2)
        )
    return correlations


def _places(query: Array, values: Array) -> Array:
    """The place of each value among those of its query, less the mean of these places; ties by the place of their first."""
    order = np.lexsort((values, query))
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (np.diff(query[order]) != 0) | (values[order[1:]] != values[order[:-1]])
    places = np.empty(len(order))
    places[order] = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
    return places - (np.bincount(query, places) / np.bincount(query))[query]


@check('scores that rank nothing', ScoresWarning, 'run', 'run')
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


@check('direction of scores', ScoresWarning, 'run', 'run', 'judgments')
def _direction(facts: Facts) -> str | None:
    """Judgments say that the run is better from its last document to its first."""
    if facts.direction >= 0:
        return None
    evidence = facts.evidence
    return (
        f'the scores seem to be distances or ranks: from the last document to the first, nDCG@{DEPTH} is '
        f'{evidence.backwards:.3f}, not {evidence.forwards:.3f}, and higher for {evidence.wins} of the '
        f'{evidence.differ} queries that differ. {REVERSE}'
    )


@check('scores that rise', ScoresWarning, 'run', 'run')
def _rising_scores(facts: Facts) -> str | None:
    """Scores rise from row to row, as ranks and distances do. Judgments, or a rank column that agrees with the scores,
    may say that they are none."""
    if facts.direction > 0:
        return None
    run, pairs = facts.run, facts.neighbours
    long = pairs.n >= FEWEST_RISING
    rising = long & (pairs.down == 0) & (pairs.up > 0)
    if not _most(rising, long, pairs.n):
        return None
    ranks = _numbers(run.further.get('rank'))
    if ranks is not None and ranks.ndim:
        of_ranks = Neighbours.of(ranks, run.query_id.starts)
        if of_ranks.down.sum() > of_ranks.up.sum():
            return None
    at = int(run.query_id.starts[np.flatnonzero(rising)[0]])
    return (
        f'scores rise along the rows, as ranks and distances do, in {np.count_nonzero(rising)} of '
        f'{np.count_nonzero(long)} queries with several documents ({run.query_id.pick(np.array([at]))[0]!r}: '
        f'{run.score[at]:g}, {run.score[at + 1]:g}, …). {REVERSE}'
    )


# ---------------------------------------------------------------------------------------- a run and its judgments


@check('no documents', EmptyRunWarning, 'run', 'judgments', 'missing')
def _no_documents(facts: Facts) -> str | None:
    if facts.run is None or len(facts.run) or not facts.about_missing:
        return None
    return (
        f'the run has no documents: its {len(facts.judgments.query_ids)} judged queries count as queries without '
        f'results'
    )


def _unquoted(text: str) -> str:
    from urllib.parse import unquote  # which imports modules that scoring does not need

    return unquote(text)


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
    'without a slash at the end': lambda text: text.rstrip('/'),
    'without the number of a passage': lambda text: re.sub(r'#[0-9]+$', '', text),
    "without b'…'": lambda text: re.sub(r'^b([\'"])(.*)\1$', r'\2', text),
    'without invisible characters': lambda text: re.sub(
        '[\u00ad\u200b-\u200f\u2060\ufeff]', '', text
    ),
    'with URL-encoded characters decoded': _unquoted,
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


@check('ids of queries', IdsWarning, 'run', 'run', 'judgments')
def _ids_of_queries(facts: Facts) -> str | None:
    judged = facts.judgments.query_set
    if facts.n_matched in (facts.n_queries, len(judged)):
        return None
    retrieved = set(facts.run.query_ids)
    ids = [(None, name) for name in sorted(retrieved - judged)[:1000]]
    match = _matching_change(ids, [(None, name) for name in sorted(judged - retrieved)])
    return match and (
        f'{match[0]} of {len(ids)} queries of the run that have no judgments have some if ids are {match[1]}. '
        f'They do not count'
    )


@check('ids of documents', IdsWarning, 'run', 'run', 'judgments')
def _ids_of_documents(facts: Facts) -> str | None:
    """A sample of queries, of those in which documents of the top are unjudged."""
    coded, located = facts.coded, facts.coded.located()
    depths = np.arange(DEPTH)
    rows = (starts(located.n)[:-1, None] + depths)[depths < located.n[:, None]]
    rows = coded.ordered.order[rows]
    rows = rows[coded.pair[rows] < 0]
    queries = distinct(coded.query[rows])
    if not len(queries):
        return None
    if len(queries) > SAMPLED_QUERIES:
        spread = np.linspace(0, len(queries) - 1, SAMPLED_QUERIES)
        queries = queries[spread.astype(np.intp)]
        rows = rows[np.isin(coded.query[rows], queries)]
    kept = facts.judgments.kept
    if 'kinds' not in kept:
        kept['kinds'] = set(map(_kinds, facts.judgments.some_documents))
    sampled = coded.names.pick(rows[:: max(1, len(rows) // SAMPLED_IDS)])
    n_odd = sum(_kinds(name) not in kept['kinds'] for name in sampled)
    if n_odd < IDS_CHANGED * len(sampled) and len(located.pair):
        return None  # documents that nobody judged
    ids = list(zip(coded.query[rows].tolist(), coded.names.pick(rows)))
    owner_of_row = coded.judgments.query_of_pair[coded.judgments.row_pair]
    rows = np.flatnonzero(np.isin(owner_of_row, queries))
    judged = facts.judgments.document_ids.pick(rows)
    match = _matching_change(ids, list(zip(owner_of_row[rows].tolist(), judged)))
    return match and (
        f'{match[0]} of {len(ids)} unjudged documents in the top {DEPTH} of {len(queries)} queries are judged if ids '
        f'are {match[1]}'
    )


@check('queries in common', QueriesWarning, 'run', 'run', 'judgments', 'missing')
def _queries(facts: Facts) -> str | None:
    n, unjudged, names = facts.coded.located().n, facts.coded.unjudged, facts.judgments.query_ids
    missing = [names[query] for query in np.flatnonzero(n == 0)]
    if not facts.n_matched:
        if not facts.about_missing:
            return None
        return (
            f'none of the {facts.n_queries} queries of the run has judgments (run: {some(unjudged)}; '
            f'judgments: {some(missing)})'
        )
    if len(n) < FEW_QUERIES or 2 * len(missing) <= len(n):  # runs may have the queries of all years
        return None
    clauses = []
    if facts.about_missing:
        clauses.append(
            f'{len(missing)} of the {len(n)} judged queries are not in the run '
            f'({some(missing)}), and count as queries without results'
        )
    if 2 * len(unjudged) >= facts.n_queries:
        clauses.append(
            f'{len(unjudged)} of the {facts.n_queries} queries of the run have no judgments '
            f'({some(unjudged)}), and do not count'
        )
    return '; '.join(clauses) or None


@check('documents in common', DocumentsWarning, 'run', 'run', 'judgments')
def _documents(facts: Facts) -> str | None:
    judgments, located = facts.judgments, facts.coded.located()
    top = np.minimum(located.n, DEPTH)
    possible = np.minimum(top, judgments.pairs_per_query).sum()  # that could be judged
    n_judged = np.count_nonzero(located.rank <= DEPTH)
    few = possible >= MANY_DOCUMENTS and n_judged < FEW_JUDGED * possible
    if not facts.n_matched or len(located.pair) and not few:
        return None
    judged_ids = judgments.document_ids.array[:100].to_pylist()
    if facts.n_matched < FORM_COUNTS:
        run_ids = facts.run.doc_id.array[:100].to_pylist()
        if not set(map(_kinds, run_ids)).isdisjoint(map(_kinds, judged_ids)):
            return None
    rows = zip(facts.run.query_id.array.to_pylist(), facts.run.doc_id.array.to_pylist())
    retrieved = [document for query, document in rows if query in judgments.query_set]
    unjudged = (name for name in retrieved if name not in judgments.document_set)
    return (
        f'{n_judged} of the {top.sum()} documents in the top {DEPTH} of {facts.n_matched} judged '
        f'queries {"is" if n_judged == 1 else "are"} judged (run: {next(unjudged, retrieved[0])!r}, …; '
        f'judgments: {judged_ids[0]!r}, …): are their ids of one form?'
    )


@check('judged@k', UnjudgedWarning, 'run', 'run', 'judgments')
def _low_judged(facts: Facts) -> str | None:
    """Most documents at the top are unjudged, in queries with many judged documents. Of sparse judgments, such as one
    document a query, this says nothing."""
    located, collection = facts.coded.located(), facts.coded.judgments
    deep = (collection.documents_per_query >= LOW_DEPTH) & (located.n > 0)
    looked_at = int(np.minimum(located.n[deep], LOW_DEPTH).sum())
    judged = np.count_nonzero(deep[located.query[located.rank <= LOW_DEPTH]])
    if looked_at < MANY_DOCUMENTS or judged >= LOW_JUDGED * looked_at:
        return None
    positive = ' (only relevant documents are listed)' if facts.grades.min() > 0 else ''
    return (
        f'{looked_at - judged} of the {looked_at} documents in the top {LOW_DEPTH} of {np.count_nonzero(deep)} '
        f'queries are not judged, and count as not relevant: judged@{LOW_DEPTH} is {judged / looked_at:.0%}'
        f'{positive}. judged_only=True leaves them out'
    )


@functools.lru_cache(4096)
def _kinds(name: str) -> frozenset[str]:
    """The kinds of characters of an id."""
    return frozenset(
        '0' if c.isdigit() else 'a' if c.islower() else 'A' if c.isupper() else c for c in set(name)
    )


# --------------------------------------------------------------------------------------------- order and ties


@check('order in 32 bits', OrderWarning, 'run', 'run', 'judgments', 'measures')
def _order(facts: Facts) -> str | None:
    """Measures that compare scores in 64 bits and ones that do in 32 see a run in different orders, down to the rank
    to which both look."""
    own, others = facts.own, facts.in_single
    if not own or not others or not near_ties(facts.coded):
        return None
    depth = min(max(map(last_rank, own)), max(map(last_rank, others)))
    unlike = queries_of_another_order(facts.coded, depth)
    if not unlike:
        return None
    return (
        f'{len(unlike)} of {len(facts.judgments.query_ids)} queries ({some(unlike)}) are '
        f'ordered differently by {own[0]}, which compares scores in 64 bits, and by {others[0]}, in 32. '
        f'distinct_scores(run) gives scores that all measures order alike'
    )


@check('ties', TiesWarning, 'scores', 'run', 'judgments', 'measures')
def _ties(facts: Facts) -> str | None:
    """Warn if the order of tied documents changes a mean."""
    run, n = facts.coded, len(facts.judgments.query_ids)
    if facts.scored_alike is None or not run.ordered.tied.any():
        return None
    tied = tied_rows(run, max(map(last_rank, (*facts.own, *facts.in_single))))
    if len(tied.queries) < TIED_QUERIES * n:
        return None
    names, values = facts.scored_alike(in_each_order(run, tied), tied.rank)
    if not names:
        return None  # other providers compute all measures that read these ranks
    values = values.reshape(len(names), -1, len(tied.queries))
    moves = values - values[:, :1]  # (measures, orders, queries)
    is_changed = (np.abs(moves) > 1e-12).any(axis=(0, 1))
    means = moves.sum(axis=2) / n
    m = int(np.abs(means).max(axis=1).argmax())
    low, high = means[m].min(), means[m].max()
    if np.count_nonzero(is_changed) < TIED_QUERIES * n or max(-low, high) < TIED_MEAN:
        return None
    queries = [facts.judgments.query_ids[q] for q in tied.queries[is_changed]]
    return (
        f'tied scores matter in {len(queries)} of {n} queries ({some(queries)}). Ties are ordered by doc_id '
        f'descending; in other orders the mean of {names[m]} moves by {low:+.4f} to {high:+.4f} '
        f'({means[m, 1]:+.4f} by doc_id ascending, as by pyndeval). '
        f"evaluate(…, ties='doc_id') keeps this order without a warning"
    )


# -------------------------------------------------------------------------------------------- of several systems


@check('same rankings', SameRankingWarning, 'systems', 'systems')
def _same_rankings(facts: Facts) -> str | None:
    systems_of: dict[str, list[str]] = {}
    for system, digest in facts.digests.items():
        systems_of.setdefault(digest, []).append(system)
    same = [systems for systems in systems_of.values() if len(systems) > 1]
    if not same:
        return None
    more = f'; and {len(same) - 1} more group{"s" * (len(same) > 2)}' if len(same) > 1 else ''
    return (
        f'{sum(map(len, same))} of {len(facts.digests)} systems have the rankings of another one '
        f'({some(same[0])}{more}). '
        f'Are they one system?'
    )
