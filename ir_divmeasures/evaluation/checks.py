"""Checks of judgments and runs: functions that return a message, or None.

Three check the judgments for some measures, and seven a run of a :class:`Call`. ``diagnose`` makes them too, and asks
further questions.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.arrays import Hits, Overlay
from ..data.ids import distinct, numbered, starts
from ..data.judgments import Judgments
from ..data.runs import Run
from ..errors import (
    DocumentsWarning,
    QueriesWarning,
    ScoresWarning,
)
from .adhoc import padded
from .ties import swap_ties

Array = NDArray[Any]

EXAMPLES = 3
"""The number of names in a message."""

DEPTH = 10
"""The number of documents at the top of each ranking that are checked."""

MANY = 100
"""With fewer documents or judgments, a share of them says little."""

FEW_QUERIES = 3
"""With fewer queries, missing ones are no surprise."""

FEW_JUDGED = 0.01
"""If a smaller share of the documents at the top that could be judged is judged, almost none is."""

CHANGED, SAMPLED = 0.05, 20
"""A smaller share of ids that match after a change is chance. Documents of so many queries are compared."""

DIRECTION = 3.0
"""The reversed run is better if its wins minus its losses are at least this number of standard deviations, which is the
square root of the number of queries that differ. No honest run of 330 comes near (our choice)."""

EVIDENCE = 8
"""The smallest number of pairs of neighbours in rankings with equal scores that are no chance."""

FULL, NEARLY_ALL, PER_QUERY = 0.8, 0.5, 20
"""Everything counts as relevant if this share of the cells (document, subtopic) is relevant, in this share of the
queries. Without subtopics, queries need this number of judged documents on average."""

TIED_MEAN, PROXY = 0.005, 0.05
"""Ties at the top matter if they move a mean by at least this much. Their queries are scored in another order if nDCG@10
moves by this share of it."""


class Call(NamedTuple):
    """A run that is scored.

    Attributes:
        judgments: the judgments.
        run: the run, in its own scores.
        coded: the run laid over the judgments.
        hits: the judged documents in the order of the run.
        n_matched: the number of queries that the run and the judgments share.
        score: a function that scores rankings by the measures that order documents of equal scores by doc_id; None
            where the user chose how to order ties.
        is_alone: whether a host scores this run alone. In calls of ``evaluate``, which has an argument ``ties``, it is
            False: ``evaluate`` counts the missing queries of all runs together.
        moved: the least move of a mean by ties of which the check tells.
        values: a function that gives the values of the run by measure, (queries,). It is needed with ``score``.
    """

    judgments: Judgments
    run: Run
    coded: Overlay
    hits: Hits
    n_matched: int
    score: Callable[[Hits], dict[Any, Array]] | None
    is_alone: bool
    moved: float = TIED_MEAN
    values: Callable[[], dict[Any, Array]] = dict


class Cells(NamedTuple):
    """The grades of judged documents for official intents.

    Attributes:
        grade: the grade of each row, (rows,).
        query: its query, (rows,).
        documents, subtopics: the numbers of judged documents and of subtopics of each query, (queries,).
    """

    grade: Array
    query: Array
    documents: Array
    subtopics: Array

    @classmethod
    def of(cls, judgments: Judgments) -> Cells:
        row, n = np.flatnonzero(judgments.is_official), len(judgments.query_ids)
        pair = judgments.row_pair[row]
        query, (code, names) = judgments.query_of_pair[pair], judgments.subtopic
        span = max(len(names), 1)
        aspects = numbered(query * span + code[row])[1]
        documents = judgments.query_of_pair[distinct(pair)]
        return cls(
            judgments.relevance[row],
            query,
            np.bincount(documents, minlength=n),
            np.bincount(aspects // span, minlength=n),
        )


def some(names: Iterable[Any], most: int = EXAMPLES) -> str:
    """The first names, quoted and shortened."""
    names = list(names)
    quoted = [repr(name if len(str(name)) <= 30 else f'{str(name)[:29]}…') for name in names[:most]]
    return ', '.join(quoted) + ', …' * (len(names) > most)


def first_of(names: Sequence[Any]) -> str:
    """The first name, and dots if there are more."""
    return f'{names[0]}{" …" * (len(names) > 1)}'


# ------------------------------------------------------------------------------------------------------ judgments


def low_grades(judgments: Judgments, own: Sequence[Any]) -> str | None:
    """No document has the lowest grade that a measure counts."""
    grades = Cells.of(judgments).grade
    if not len(grades):
        return None
    highest = grades.max()
    if highest <= 0:
        flipped = f'. The lowest is {grades.min():g}: is the sign flipped?' * bool(grades.min() < 0)
        return f'none of the {len(grades)} judgments has a grade above 0, so that all scores are 0{flipped}'
    too_high = sorted((str(each), each.rel) for each in own if each.rel > highest)
    if not too_high:
        return None
    return (
        f'the highest of {len(grades)} grades is {highest:g}, and {first_of([name for name, _ in too_high])} counts '
        f'grades of at least {too_high[0][1]:g} as relevant: all scores are 0. Set rel={highest:g} or lower'
    )


def all_relevant(judgments: Judgments, own: Sequence[Any]) -> str | None:
    """Nearly every judged document is relevant to every subtopic of its query."""
    grade, query, documents, subtopics = Cells.of(judgments)
    if len(grade) < MANY or grade.max() <= 0:
        return None
    counted = (grade > 0) & (grade >= min((each.rel for each in own), default=0))
    relevant = np.bincount(query[counted], minlength=len(documents))
    eligible = (documents > 1) & (subtopics > 1)
    if not eligible.any():
        eligible = documents > 1
        if documents.mean() < PER_QUERY:
            return None
    full = eligible & (relevant >= FULL * documents * subtopics)
    if full.sum() < NEARLY_ALL * eligible.sum():
        return None
    at = int(np.flatnonzero(full)[0])
    return (
        f'nearly all judged documents are relevant in {full.sum()} of {eligible.sum()} queries (query '
        f'{some([judgments.query_ids[at]])}: {relevant[at]} of {documents[at]} × {subtopics[at]} grades). Are grades '
        f'shifted or reversed, or does {grade.min():g} mean not relevant? rel= is the lowest grade that counts'
    )


def one_subtopic(judgments: Judgments, own: Sequence[Any]) -> str | None:
    """Every query has one subtopic. The coverage of nuggets is no measure of diversity."""
    column = judgments.subtopic_column
    names = sorted(
        str(each) for each in own if each.diversity and (column is None or each.NAME != 'Coverage')
    )
    if (
        not names
        or np.sum([each.n for each in judgments.layout.aspects.values()], axis=0).max() > 1
    ):
        return None
    n = len(judgments.query_ids)
    names_there = [name for name in judgments.names if name != 'subtopic_id']
    result = judgments.passed_over or f'found none (columns: {", ".join(names_there[:6])})'
    if column:
        result = f'found {column!r}, in which every query has one value'
    return (
        f'{n} of {n} queries have one subtopic only, so that {first_of(names)} cannot measure diversity. '
        f"Looked for a column 'subtopic_id', 'subtopic', 'aspect', 'intent' or 'iteration', {result}"
    )


OF_JUDGMENTS = (low_grades, all_relevant, one_subtopic)
"""The checks of judgments, special ones before general ones."""


# ----------------------------------------------------------------------------------------------- queries and ids


def _unquoted(name: str) -> str:
    from urllib.parse import unquote  # which imports modules that scoring does not need

    return unquote(name)


CHANGES: dict[str, Callable[[str], str]] = {
    'in lower case and Unicode form NFKC': lambda name: unicodedata.normalize(
        'NFKC', name
    ).casefold(),
    'as whole numbers': lambda name: re.sub(r'^0+(?=\d)|\.0+$', '', name),
    'without prefixes and suffixes': lambda name: re.sub(
        r'''^(b['"]|.*[/\\])|(\.[A-Za-z]\w{0,4}|#\d+|/)$|['"\s]|[\u00ad\u200b-\u200f\u2060\ufeff]''',
        '',
        name,
    ),
    'after URL decoding': _unquoted,
}
"""Ways in which ids of the same thing differ, in words, and how they become the same."""

Ids = Sequence[tuple[Any, str]]
"""Ids, each with what it is about: a query, or None."""


def match_ids(ids: Ids, targets: Ids) -> tuple[int, str] | None:
    """How many ids match targets after the change that matches most, and the change with an example, in words; None
    where hardly any do."""
    best: tuple[int, str] = 0, ''
    for words, change in CHANGES.items():
        changed = {(about, change(name)): name for about, name in targets}
        pairs = [(name, changed.get((about, change(name)))) for about, name in ids]
        matches = [pair for pair in pairs if pair[1] is not None]
        if len(matches) > best[0]:
            best = (
                len(matches),
                f'{words} (run: {some(matches[0][:1])}, judgments: {some(matches[0][1:])})',
            )
    return best if best[0] and best[0] >= CHANGED * len(ids) else None


def queries_in_common(call: Call) -> str | None:
    """Ids of queries match after a change, no query is in common, or most judged queries are missing."""
    names, unjudged = call.judgments.query_ids, call.coded.unjudged
    n_queries = call.n_matched + len(unjudged)
    missing = [names[query] for query in np.flatnonzero(call.hits.n == 0)]
    if unjudged and missing:
        sample = sorted(unjudged)[:1000]
        match = match_ids([(None, name) for name in sample], [(None, name) for name in missing])
        if match:
            return (
                f'{match[0]} of {len(sample)} queries of the run without judgments have some if their ids are compared '
                f'{match[1]}. They do not count: give both the same ids'
            )
    if not call.is_alone:
        return None
    if not len(call.run):
        return f'the run has no documents for {len(names)} judged queries: they score 0'
    if not call.n_matched:
        return (
            f'none of the {n_queries} queries of the run has judgments (run: {some(unjudged)}; judgments: '
            f'{some(missing)}). Do both belong to the same queries?'
        )
    if len(names) < FEW_QUERIES or 2 * len(missing) <= len(names):
        return None  # runs may have the queries of all years
    further = f', and {len(unjudged)} of its {n_queries} queries have no judgments' * bool(unjudged)
    return (
        f'{len(missing)} of {len(names)} judged queries are not in the run and score 0 ({some(missing)}){further}. '
        f'Leave them out of the judgments if the run was not meant to have them'
    )


KINDS = str.maketrans(string.digits + string.ascii_letters, '0' * 10 + 'a' * 26 + 'A' * 26)
"""Digits, small and capital letters as one character each."""


def _characters(name: str) -> frozenset[str]:
    """The kinds of characters of an id."""
    return frozenset(name.translate(KINDS))


def document_ids(call: Call) -> str | None:
    """Ids of unjudged documents at the top match after a change. Only a sample of queries is compared."""
    coded, n = call.coded, call.hits.n
    depths = np.arange(DEPTH)
    rows = coded.ordered.order[(starts(n)[:-1, None] + depths)[depths < n[:, None]]]
    rows = rows[coded.pair[rows] < 0]
    if not len(rows):
        return None
    cache = call.judgments.kept
    if 'characters' not in cache:
        cache['characters'] = set(map(_characters, call.judgments.some_documents))
    sample = coded.names.pick(rows[:: max(1, len(rows) // SAMPLED)][:SAMPLED])
    n_odd = sum(_characters(name) not in cache['characters'] for name in sample)
    if n_odd <= CHANGED * len(sample) and len(call.hits.pair):
        return None  # documents that nobody judged
    queries = distinct(coded.query[rows])
    if len(queries) > SAMPLED:
        queries = queries[np.linspace(0, len(queries) - 1, SAMPLED).astype(np.intp)]
        rows = rows[np.isin(coded.query[rows], queries)]
    query_of_row = call.judgments.query_of_row
    judged = np.flatnonzero(np.isin(query_of_row, queries))
    match = match_ids(
        list(zip(coded.query[rows].tolist(), coded.names.pick(rows))),
        list(zip(query_of_row[judged].tolist(), call.judgments.document_ids.pick(judged))),
    )
    return match and (
        f'{match[0]} of {len(rows)} unjudged documents in the top {DEPTH} of {len(queries)} queries are judged if their '
        f'ids are compared {match[1]}. Give both the same ids'
    )


def documents_in_common(call: Call) -> str | None:
    """Almost none of the documents at the top is judged."""
    hits = call.hits
    top = np.minimum(hits.n, DEPTH)
    possible = np.minimum(top, call.judgments.documents_per_query).sum()  # that could be judged
    n_judged = np.count_nonzero(hits.rank <= DEPTH)
    few = possible >= MANY and n_judged < FEW_JUDGED * possible
    if not call.n_matched or len(hits.pair) and not few:
        return None
    ids = call.judgments.some_documents
    names = call.coded.names.pick(np.flatnonzero(call.coded.pair < 0)[:MANY])
    if call.n_matched == 1 and not {*map(_characters, names)}.isdisjoint(map(_characters, ids)):
        return None  # the system found nothing
    return (
        f'{n_judged} of the {top.sum()} documents in the top {DEPTH} of {call.n_matched} judged queries are judged '
        f'(run: {some(names, 1)}; judgments: {some(ids, 1)}). Are their ids of one collection and form?'
    )


# --------------------------------------------------------------------------------------------------------- scores

DISCOUNTS = 1 / np.log2(np.arange(2, DEPTH + 2))
"""The discounts of nDCG at the first ranks."""


def _gains(judgments: Judgments, owner: Array, place: Array, pair: Array, n: int) -> Array:
    """The nDCG@10 of n rankings, (n,), from the ranking, the place (from 0) and the pair of each judged document."""
    cache = judgments.kept
    if 'shares' not in cache:  # what each pair adds at rank 1
        query = judgments.query_of_pair
        grade = np.maximum(np.nan_to_num(judgments.pair_grades), 0.0)
        best = np.sort(padded(query, len(judgments.query_ids), grade, 0.0))[:, ::-1][:, :DEPTH]
        ideal = best @ DISCOUNTS[: best.shape[1]]
        cache['shares'] = grade / np.where(ideal > 0, ideal, 1.0)[query]
    top = np.flatnonzero(place < DEPTH)
    return np.bincount(owner[top], cache['shares'][pair[top]] * DISCOUNTS[place[top]], n)


def direction(call: Call) -> str | None:
    """The run is better from its last document to its first."""
    hits, n = call.hits, len(call.hits.n)
    forwards = _gains(call.judgments, hits.query, hits.rank - 1, hits.pair, n)
    backwards = _gains(call.judgments, hits.query, hits.n[hits.query] - hits.rank, hits.pair, n)
    moves = backwards - forwards
    wins, losses = (int(np.count_nonzero(each > 1e-12)) for each in (moves, -moves))
    differ = wins + losses
    if not differ or wins - losses < DIRECTION * differ**0.5 or moves.sum() <= 0:
        return None
    return (
        f'the scores seem to be distances or ranks: from the last document to the first, nDCG@{DEPTH} is '
        f'{backwards.mean():.3f} instead of {forwards.mean():.3f}, and higher for {wins} of {differ} queries that '
        f'differ. If low scores are good, score the run with −score'
    )


def equal_scores(run: Run) -> str | None:
    """All scores of most queries are equal, or infinite."""
    if not len(run):
        return None
    score, first = run.score, run.query_id.starts
    n = np.diff(first, append=len(score))
    is_equal = np.maximum.reduceat(score, first) == np.minimum.reduceat(score, first)
    several = n > 1
    equal = is_equal & several
    if 2 * equal.sum() <= several.sum() or (n[equal] - 1).sum() < EVIDENCE:
        return None
    at = int(np.flatnonzero(equal)[0])
    query = run.query_id.pick(first[[at]])
    return (
        f'all scores are equal in {equal.sum()} of {several.sum()} queries with several documents ({some(query)}: '
        f'{score[first[at]]:g}), so that their documents are ordered by doc_id. Does another column have the scores?'
    )


def ties(call: Call) -> str | None:
    """The order of tied documents at the top moves a mean."""
    if call.score is None or not call.coded.ordered.tied.any():
        return None
    hits = swap_ties(call.coded, 2 * DEPTH)
    if hits is None:
        return None
    before, n, n_tied = call.hits, len(call.judgments.query_ids), len(hits.n)
    gains = _gains(call.judgments, before.query, before.rank - 1, before.pair, n)[hits.queries]
    swapped = _gains(call.judgments, hits.query, hits.rank - 1, hits.pair, n_tied)
    if np.abs(swapped - gains).sum() / n < PROXY * call.moved:
        return None
    values = call.values()
    moves = {m: float((v - values[m][hits.queries]).sum()) / n for m, v in call.score(hits).items()}
    measure = max(moves, key=lambda m: abs(moves[m]), default=None)
    if measure is None or abs(moves[measure]) < call.moved - 1e-12:
        return None
    remedy = 'ir_divmeasures.distinct_scores(run)' if call.is_alone else "ties='doc_id'"
    return (
        f'tied scores in {n_tied} of {n} queries move the mean of {measure} by up to {moves[measure]:+.4f}. Ties are '
        f'ordered by doc_id, descending. Use {remedy} to confirm this order and end this warning'
    )


OF_RUN: list[tuple[Callable[[Call], str | None], type[Warning]]] = [
    (queries_in_common, QueriesWarning),
    (document_ids, DocumentsWarning),
    (documents_in_common, DocumentsWarning),
    (lambda call: equal_scores(call.run), ScoresWarning),
    (direction, ScoresWarning),
    (ties, ScoresWarning),
]
"""The checks of runs and the classes of their warnings, special ones before general ones."""

OF_BATCHES = OF_RUN[:2]
"""The checks of a host's call with few queries. It may be a batch, and the other checks are about all queries."""
