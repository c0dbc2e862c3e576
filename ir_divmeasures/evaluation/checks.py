"""What is questionable about a run and judgments that are scored together, found while they are scored."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import (
    DocumentsWarning,
    EmptyRunWarning,
    GradesWarning,
    OrderWarning,
    QueriesWarning,
    WeightsWarning,
    plain,
    warn,
)
from ..io import columns
from ..io.coding import by_score, codes, encode
from ..io.rows import Strings
from ..judgments.arrays import LocatedRun
from ..judgments.table import Judgments

if TYPE_CHECKING:
    import pandas as pd

    from ..io.runs import Run

DEPTH = 10
"""So many documents of each ranking are looked at: are they judged?"""

FEW_JUDGED = 0.01
"""A smaller share of the documents that could be judged, at the top of the rankings, is almost none …"""

EXAMPLES = 3
"""So many queries are named."""

MANY_DOCUMENTS = 100
"""… if at least so many could be."""

FEW_QUERIES = 3
"""Of fewer queries than these, some that are missing or unjudged are not most of them."""

FORM_COUNTS = 2
"""Of fewer queries than these, without a judged document retrieved, it is said only if the ids are of another form."""

WEIGHT_TOLERANCE = 0.02
"""Files round intent probabilities: sums that differ from 1 by no more are taken for 1."""

WHOLE_GRADES = ('pytrec_eval', 'gdeval')
"""Providers of ir_measures that take whole grades only."""


class Overlap(NamedTuple):
    """What a run and judgments have in common.

    Attributes:
        judged_queries: of the judgments.
        run_queries: of the run.
        matched: queries that both have.
        looked_at: documents in the top ``DEPTH`` of the matched queries.
        judged: how many of these have a judgment for their query.
        possible: how many could have one: a query may have fewer judged documents than were looked at.
        anywhere: retrieved documents at any rank that have a judgment.
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


def overlap(judged: Judgments, names: list[str], coded: LocatedRun | None) -> Overlap:
    """What a run has in common with judgments.

    Args:
        judged: the judgments.
        names: the queries of the run.
        coded: the run with its ids coded; None where it is known that enough documents are judged.
    """
    known, has = judged.query_set, set(names)
    missing = list(itertools.islice((query for query in judged.query_ids if query not in has), EXAMPLES))
    unjudged = list(itertools.islice((query for query in names if query not in known), EXAMPLES))
    located = None if coded is None else coded.located()
    if located is None:
        return Overlap(len(known), len(names), len(known & has), 0, 0, 0, 1, missing, unjudged)
    top = np.minimum(located.n, DEPTH)
    possible = np.minimum(top, np.bincount(judged.collection.query_of_pair(), minlength=len(top)))
    return Overlap(len(known), len(names), len(known & has), int(top.sum()),
                   int(np.count_nonzero(located.rank <= DEPTH)), int(possible.sum()), len(located.pair), missing,
                   unjudged)


def questions(found: Overlap, same_form: Callable[[], bool], about_missing: bool = True,
              ) -> list[tuple[str, type[Warning]]]:
    """What is to be asked about an overlap, in words, each with the class of its warning.

    Args:
        found: the overlap.
        same_form: whether the ids of the documents look alike in run and judgments.
        about_missing: say when judged queries are not in the run.
    """
    if not found.judged_queries or not found.matched:  # said elsewhere
        return []
    asked: list[tuple[str, type[Warning]]] = []
    missing, unjudged = found.judged_queries - found.matched, found.run_queries - found.matched
    told = []
    if about_missing and found.judged_queries >= FEW_QUERIES and 2 * missing > found.judged_queries:
        told.append(f'{missing} of the {found.judged_queries} judged queries are not in the run '
                    f'({_list(found.missing, missing)}), and count as queries without results')
    if found.run_queries >= FEW_QUERIES and 2 * unjudged > found.run_queries:
        told.append(f'{unjudged} of the {found.run_queries} queries of the run have no judgments '
                    f'({_list(found.unjudged, unjudged)}), and do not count')
    if told:
        asked.append(('; '.join(told), QueriesWarning))
    none = not found.anywhere and (found.matched >= FORM_COUNTS or not same_form())
    if none or found.possible >= MANY_DOCUMENTS and found.judged < FEW_JUDGED * found.possible:
        asked.append((f'{found.judged} of the {found.looked_at} documents in the top {DEPTH} of {found.matched} judged '
                      f'queries {"is" if found.judged == 1 else "are"} judged', DocumentsWarning))
    return asked


def _list(examples: list[str], of: int) -> str:
    return ', '.join(map(repr, examples)) + (', …' if of > len(examples) else '')


def check_run(judged: Judgments, run: Run, coded: LocatedRun | None, about_missing: bool) -> None:
    """Warn if a run and judgments have hardly anything in common.

    Args:
        judged: the judgments, of at least one query.
        run: the run.
        coded: the run with its ids coded, if that was done; else a few documents are looked up first.
        about_missing: say when judged queries are not in the run.
    """
    if not len(run):
        warn(f'the run has no documents: its {len(judged.query_ids)} judged queries count as queries without results',
             EmptyRunWarning)
        return
    names = encode(run.query_id)[1].to_pylist() if coded is None else coded.query_ids
    if coded is None and not _some_judged(judged, run):
        coded = judged.collection.read(run)
    found = overlap(judged, names, coded)
    if not found.matched:
        warn(f'none of the {len(names)} queries of the run has judgments (run: {_list(found.unjudged, len(names))}; '
             f'judgments: {_list(found.missing, found.judged_queries)})', QueriesWarning)
        return
    for message, category in questions(found, lambda: ids_look_alike(judged, run), about_missing):
        if category is DocumentsWarning:
            message += (f' (run: {_an_id(run, judged)!r}, …; judgments: {judged.table["doc_id"].iloc[0]!r}, …): are '
                        f'their ids of one form?')
        warn(message, category)


def ids_look_alike(judged: Judgments, run: Run) -> bool:
    """Whether a document of a run has an id of the same kinds of characters as a judged one, of the first hundred."""
    theirs, ours = run.doc_id.array[:100].to_pylist(), judged.table['doc_id'].iloc[:100]
    return not {_kinds(name) for name in theirs}.isdisjoint(map(_kinds, ours))


def _kinds(name: str) -> frozenset[str]:
    return frozenset('0' if c.isdigit() else 'a' if c.islower() else 'A' if c.isupper() else c for c in name)


def _an_id(run: Run, judged: Judgments) -> str:
    """A document that no query judges, retrieved for a judged query, or the first one."""
    of_judged = [document for query, document in zip(run.query_id.array.to_pylist(), run.doc_id.array.to_pylist())
                 if query in judged.query_set]
    return next((document for document in of_judged if document not in judged.document_set), of_judged[0])


def _some_judged(judged: Judgments, run: Run) -> bool:
    """Whether one of the first documents of a run, of queries that are judged, has a judgment."""
    first = zip(run.query_id.array[:5000].to_pylist(), run.doc_id.array[:5000].to_pylist())
    documents = [document for query, document in first if query in judged.query_set][:200]
    return sum(document in judged.document_set for document in documents) >= 1 + len(documents) // 50


# ------------------------------------------------------------------------------------------- order in 32 bits

def near_ties(run: LocatedRun) -> bool:
    """Whether a query of a run has different scores that are one in 32 bits."""
    query, score = run.query, run.score
    same = query[1:] == query[:-1]
    if not np.all((query[1:] > query[:-1]) | same & (score[1:] <= score[:-1])):
        order = by_score(query, score)
        query, score = query[order], score[order]
        same = query[1:] == query[:-1]
    with np.errstate(over='ignore'):
        single = score.astype(np.float32)
    return bool(np.any(same & (score[1:] != score[:-1]) & (single[1:] == single[:-1])))


def queries_of_another_order(run: LocatedRun, depth: float = np.inf) -> list[str]:
    """The queries in which a judged document has another rank where scores are compared in 32 bits, one of the two
    ranks being at most ``depth``."""
    if not near_ties(run):
        return []
    exact, single = run.located(), run.located('single')
    rank = np.zeros((2, run.collection.n_pairs), dtype=np.intp)
    rank[0, exact.pair], rank[1, single.pair] = exact.rank, single.rank
    unlike = np.unique(run.collection.query_of_pair()[(rank[0] != rank[1]) & (rank.min(axis=0) <= depth)])
    return [run.collection.query_ids[number] for number in unlike]


def _looked_at(measure: Any) -> float:
    """The last rank that a measure looks at."""
    params = measure.params
    if params.get('judged_only') or 'iteration' in getattr(measure, 'run_columns', ()):
        return np.inf  # it counts other things than ranks
    cutoff = getattr(measure, 'cutoff', None) if hasattr(measure, 'run_columns') else params.get('cutoff')
    return np.inf if cutoff is None else float(cutoff)


def check_order(run: LocatedRun, own: Sequence[Any], others: Sequence[Any]) -> None:
    """Warn if measures that compare scores in 64 bits and ones that do in 32 see a run in different orders, down to the
    rank to which both look."""
    if not own or not others:
        return
    unlike = queries_of_another_order(run, min(max(map(_looked_at, own)), max(map(_looked_at, others))))
    if unlike:
        warn(f'{len(unlike)} of {len(run.collection.query_ids)} queries ({_list(unlike[:EXAMPLES], len(unlike))}) are '
             f'ordered differently by {own[0]}, which compares scores in 64 bits, and by {others[0]}, in 32: different '
             f'scores are a tie there. ir_divmeasures.distinct_scores(run) gives scores that all measures order alike',
             OrderWarning)


def distinct_scores(run: Any, ties: str = 'doc_id') -> pd.DataFrame:
    """A run in the same order, whose scores are so far apart that all tools order it alike.

    The documents of a query get the scores n, n − 1, …, 1, without ties, which 32 bits hold exactly. trec_eval up to
    9.0.8 and pytrec_eval compare scores in 32 bits, ndeval and this package in 64: near-equal scores tie in one and not
    in the other.

    Args:
        run: a run in any form that :func:`~ir_divmeasures.read_run` takes.
        ties: which of some documents of one score comes first: ``'doc_id'`` the larger doc_id (trec_eval's order, so
            that no diversity score changes), ``'rows'`` the one that the run names first.

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
    from ..io import runs

    if ties not in ('doc_id', 'rows'):
        raise ValueError(f"ties={ties!r}: expected 'doc_id' or 'rows'")
    table = runs.read(run).check().table
    query, score = codes(table['query_id']), table['score'].to_numpy(dtype=float)
    n = len(table)
    last = np.arange(n)
    if ties == 'doc_id':
        names = table['doc_id'].to_numpy(dtype=object)
        last = np.empty(n, dtype=np.intp)
        from pyarrow import compute as pc
        last[pc.array_sort_indices(Strings.of(names).array, order='descending').to_numpy()] = np.arange(n)
    order = np.lexsort((last, -score, query))
    counts = np.bincount(query[order], minlength=int(query.max(initial=-1)) + 1)
    place = np.arange(n) - np.concatenate([[0], np.cumsum(counts)])[query[order]]
    scores = np.empty(n)
    scores[order] = counts[query[order]] - place
    return table.assign(score=scores)


# --------------------------------------------------------------------------------------------------- judgments

def weight_sums(judged: Judgments) -> pd.Series | None:
    """The sum of the weights of each query's judged intents; of queries that have a relevant document (intents without
    need no weight). None where the judgments have no weights."""
    rows = judged.official
    if 'weight' not in rows.columns:
        return None
    rows = rows[rows['query_id'].isin(rows['query_id'][rows['relevance'] > 0])]
    aspects = rows.drop_duplicates(columns.aspect_key(rows))
    return aspects.groupby('query_id', sort=False)['weight'].sum()


def check_grades(judged: Judgments, measures: Iterable[tuple[str, float]]) -> None:
    """Warn if no document has the lowest grade that a measure counts, but some have a lower one above 0.

    Args:
        judged: the judgments.
        measures: each measure's name, and that lowest grade.
    """
    counted = list(measures)
    highest = float(judged.official['relevance'].max()) if counted and len(judged.official) else 0.0
    too_high = sorted((name, rel) for name, rel in counted if rel > highest > 0)
    if too_high:
        name, rel = too_high[0]
        warn(f'no document has a grade of at least {rel:g}, which {name}{" …" if len(too_high) > 1 else ""} counts as '
             f'relevant; the highest of {len(judged.official)} grades is {highest:g}: all scores are 0', GradesWarning)


def check_weights(judged: Judgments, measures: Iterable[Any]) -> None:
    """Warn if the weights of a query's intents do not sum to 1 and a measure is asked for whose value depends on it."""
    names = sorted(str(measure) for measure in measures if not measure.any_scale)
    sums = weight_sums(judged) if names else None
    if sums is None:
        return
    off = sums[(sums - 1).abs() > WEIGHT_TOLERANCE]
    if len(off):
        told = ', '.join(f'{query!r} {total:.4g}' for query, total in off.head(EXAMPLES).items())
        warn(f'the weights of {len(off)} of {len(sums)} queries do not sum to 1 over the judged intents ({told}'
             f'{", …" if len(off) > EXAMPLES else ""}): {names[0]}{" …" if len(names) > 1 else ""} takes them as they '
             f'stand; with_weights(…, normalise=True) makes them sum to 1', WeightsWarning)


def of_provider(measures: Iterable[Any], providers: Callable[[], Sequence[Any]], *names: str) -> list[Any]:
    """The measures that are computed by one of these providers of ir_measures, the first of all that can."""
    # A provider is imported when it is asked whether it is available: ranx and its dependencies take seconds.
    first = [(m, next((p.NAME for p in providers() if p.supports(m) and p.is_available()), None)) for m in measures]
    return [m for m, name in first if name in names]


def check_whole_grades(measures: Iterable[Any], rows: pd.DataFrame, providers: Callable[[], Sequence[Any]]) -> None:
    """Raise if a measure of a provider that takes whole grades only meets a fractional one.

    Raises:
        ValueError: names measure, query, document and grade.
    """
    if rows['relevance'].dtype.kind != 'f':
        return
    fractional = np.flatnonzero(rows['relevance'].to_numpy() != np.floor(rows['relevance'].to_numpy()))
    if not len(fractional):
        return
    for measure in of_provider(measures, providers, *WHOLE_GRADES):
        row = rows.iloc[int(fractional[0])]
        raise ValueError(f'{measure}: query {row.query_id!r}, document {row.doc_id!r} has the grade '
                         f'{plain(row.relevance)!r}; ir_measures\' provider of this measure takes whole grades only '
                         f'({len(fractional)} of {len(rows)} are not)')


__all__ = ['Overlap', 'check_grades', 'check_order', 'check_run', 'check_weights', 'check_whole_grades',
           'distinct_scores', 'ids_look_alike', 'near_ties', 'of_provider', 'overlap', 'queries_of_another_order',
           'questions', 'weight_sums']
