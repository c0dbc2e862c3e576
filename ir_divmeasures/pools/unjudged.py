"""What unjudged documents leave open in scores by measures of innovation: :meth:`ir_divmeasures.Pool.bounds`.

The unjudged documents of a query are known by id, with S_d: the pool or the scored run retrieves them. Each may turn
out to be relevant, with the query's highest grade, or not. A relevant document changes more than its own gain: the
number of relevant documents, the ideal ranking, and the number of unique finds.

All functions on one ranking see the :class:`Open` of a query. Let W be its worth 1 + αR (or the form in [0, 1]).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import gain as gains
from ..core.kernels.discount import log_discount
from ..core.registry import ANY, DivMeasure
from ..families import rareness
from ..results.progress import progress

if TYPE_CHECKING:
    import pandas as pd

    from .pool import Pool

Array = NDArray[np.float64]
OUTER = 'outer'
"""Bounds that no grades exceed, but that may not be attained."""


@dataclass(frozen=True)
class Open:
    """One ranking of a query, and its unjudged documents.

    Attributes:
        n: number of retrieved documents, down to the depth.
        open: (n,) whether the document at each rank is unjudged.
        unjudged: (n,) the same, but false where no document of the query can be relevant.
        relevant: (n,) 1 where the document at each rank is relevant, else 0.
        n_retrieved: (n,) S_d of the documents by rank.
        grade: (n,) their grades, 0 where unjudged.
        place: (n,) for unjudged documents the place in ``others_n``, else −1.
        others_n: (U,) S_d of all unjudged documents of the query, those of the ranking among them.
        known_n: (R,) S_d of all judged documents with a grade above 0.
        known_grade: (R,) their grades.
        n_systems: S.
        rel: the lowest relevant grade.
        highest: the highest grade of the query, or 0 where it is below ``rel``.
    """

    n: int
    open: NDArray[np.bool_]
    unjudged: NDArray[np.bool_]
    relevant: Array
    n_retrieved: Array
    grade: Array
    place: NDArray[np.intp]
    others_n: Array
    known_n: Array
    known_grade: Array
    n_systems: int
    rel: float
    highest: float

    def worth(self, measure: DivMeasure, n_retrieved: Array) -> Array:
        """W of documents with these S_d."""
        norm = measure.all_params.get('norm', False)
        rare = rareness.rarity_of(
            n_retrieved,
            np.full(n_retrieved.shape, float(self.n_systems)),
            measure['rarity'] or ("R'" if norm else 'R'),
        )
        alpha = measure.all_params.get('alpha', 1.0)
        return (1 - alpha if norm else 1) + alpha * rare

    def within(self, k: int | None) -> slice:
        """The ranks down to the cutoff."""
        return slice(None) if k is None else slice(min(k, self.n))

    def outside(self, k: int | None) -> NDArray[np.bool_]:
        """(U,) which unjudged documents of the query are not in the top k."""
        place = self.place[self.within(k)]
        is_outside = np.ones(len(self.others_n), dtype=bool)
        is_outside[place[place >= 0]] = False
        return is_outside

    @property
    def n_relevant(self) -> int:
        """N_R of the judgments."""
        return int((self.known_grade >= self.rel).sum())


class Bound(NamedTuple):
    """How the bounds of a measure are computed.

    Attributes:
        grades: ``'any'`` for exact bounds, or ``'outer'``.
        ends: the function of a measure, a ranking and its score → the least and the largest value.
        values: the function of a measure, a ranking, draws (draws, U), true where a document of the query is relevant,
            and a dict to share results among the rankings of a query → (draws,) values. None where the expected value
            is exact.
        parts: the function of a measure and a ranking → (n,) what each unjudged document adds if it is relevant, for
            sums of independent parts; None for other measures.
    """

    grades: str
    ends: Callable[[DivMeasure, Open, float], tuple[float, float]]
    values: Callable[[DivMeasure, Open, NDArray[np.bool_], dict[Any, Any]], Array] | None = None
    parts: Callable[[DivMeasure, Open], Array] | None = None


# ------------------------------------------------------------------------------------------ sums of what is found


def _precision_parts(measure: DivMeasure, r: Open) -> Array:
    top = r.within(measure.cutoff)
    return r.worth(measure, r.n_retrieved[top]) / max(measure.cutoff or r.n, 1)


def _rbp_parts(measure: DivMeasure, r: Open) -> Array:
    top = r.within(measure.cutoff)
    worth = r.worth(measure, r.n_retrieved[top])
    return (1 - measure['p']) * measure['p'] ** np.arange(len(worth), dtype=float) * worth


def _unique_parts(measure: DivMeasure, r: Open) -> Array:
    return (r.n_retrieved[r.within(measure.cutoff)] == 1) * 1.0


def _sum(parts: Callable[[DivMeasure, Open], Array]) -> Bound:
    """The bounds of a sum over documents: none or all of the unjudged ones are relevant."""

    def ends(measure: DivMeasure, r: Open, score: float) -> tuple[float, float]:
        return score, score + float(parts(measure, r)[r.unjudged[r.within(measure.cutoff)]].sum())

    return Bound(ANY, ends, parts=parts)


# ------------------------------------------------------------------------------------------------------- ratios


def _unique_recall_ends(measure: DivMeasure, r: Open, score: float) -> tuple[float, float]:
    own, every, own_open, others_open = _unique_counts(measure, r)
    return _share(own, every + others_open), _share(own + own_open, every + own_open)


def _unique_counts(measure: DivMeasure, r: Open) -> tuple[int, int, int, int]:
    """Unique finds: of the top k, of all systems; unjudged documents that would be: in the top k, elsewhere."""
    top = r.within(measure.cutoff)
    alone = r.n_retrieved[top] == 1
    return (
        int((alone & (r.relevant[top] > 0)).sum()),
        int(((r.known_n == 1) & (r.known_grade >= r.rel)).sum()),
        int((alone & r.unjudged[top]).sum()),
        int(((r.others_n == 1) & r.outside(measure.cutoff)).sum()),
    )


def _unique_recall(
    measure: DivMeasure, r: Open, draws: NDArray[np.bool_], cache: dict[Any, Any]
) -> Array:
    own, every, *_ = _unique_counts(measure, r)
    alone, inside = r.others_n == 1, ~r.outside(measure.cutoff)
    return _shares(own + draws[:, alone & inside].sum(axis=1), every + draws[:, alone].sum(axis=1))


def _rareness_ends(measure: DivMeasure, r: Open, score: float) -> tuple[float, float]:
    rare, n_relevant, candidates = _rareness_of(measure, r)
    counts = n_relevant + np.arange(len(candidates) + 1)
    sums = [
        rare + np.concatenate([[0.0], np.cumsum(values)])
        for values in (candidates, candidates[::-1])
    ]
    least, largest = (_shares(total, counts) for total in sums)
    return float(least.min()), float(largest.max())


def _rareness_of(measure: DivMeasure, r: Open) -> tuple[float, int, Array]:
    """Σ R and number of the relevant documents of the top k, and R of its unjudged ones, ascending."""
    top = r.within(measure.cutoff)
    rare = rareness.rarity_of(
        r.n_retrieved[top],
        np.full(len(r.n_retrieved[top]), float(r.n_systems)),
        measure['rarity'] or 'R',
    )
    relevant = r.relevant[top] > 0
    return float(rare[relevant].sum()), int(relevant.sum()), np.sort(rare[r.unjudged[top]])


def _rareness(
    measure: DivMeasure, r: Open, draws: NDArray[np.bool_], cache: dict[Any, Any]
) -> Array:
    top = r.within(measure.cutoff)
    rare = rareness.rarity_of(
        r.n_retrieved[top],
        np.full(len(r.n_retrieved[top]), float(r.n_systems)),
        measure['rarity'] or 'R',
    )
    relevant = _drawn_by_rank(r, draws, top)
    return _shares(relevant @ rare, relevant.sum(axis=1))


def _drawn_by_rank(r: Open, draws: NDArray[np.bool_], top: slice) -> Array:
    """(draws, ranks) 1 where the document is relevant, judged or drawn."""
    place, relevant = r.place[top], np.tile(r.relevant[top], (len(draws), 1))
    relevant[:, place >= 0] = draws[:, place[place >= 0]]
    return relevant


# --------------------------------------------------------------------------------------------- AP with rareness


def _average_precision_ends(measure: DivMeasure, r: Open, score: float) -> tuple[float, float]:
    """With m unjudged documents of the top k relevant, the r-th of them by rank gets the r-th least or largest worth;
    which ranks they take is chosen by a dynamic program. N_R + m divides, for the least value with all others."""
    top = r.within(measure.cutoff)
    worth, unjudged = r.worth(measure, r.n_retrieved[top]), r.unjudged[top]
    others = int(r.outside(measure.cutoff).sum())
    candidates = np.sort(worth[unjudged])
    m = np.arange(len(candidates) + 1)
    least = _shares(
        _cumulated(r.relevant[top], worth, unjudged, candidates, -1), r.n_relevant + m + others
    )
    largest = _shares(
        _cumulated(r.relevant[top], worth, unjudged, candidates[::-1], 1), r.n_relevant + m
    )
    return float(least.min()), float(largest.max())


def _cumulated(
    relevant: Array, worth: Array, unjudged: NDArray[np.bool_], values: Array, sign: int
) -> Array:
    """The least (sign −1) or largest (1) Σ_i J_i/i Σ_{j ≤ i} J_j W_j for each number m of relevant unjudged documents,
    (m + 1,), where W of the r-th of them is ``values[r]``."""
    added = np.concatenate([[0.0], np.cumsum(values)])
    total = np.full(len(added), -np.inf)  # by m, of the ranks so far; times the sign
    total[0] = 0.0
    judged_sum = 0.0
    for i in range(len(relevant)):
        if relevant[i]:
            judged_sum += worth[i]
            total = total + sign * (judged_sum + added) / (i + 1)
        elif unjudged[i]:
            best = np.full(len(total), -np.inf)
            best[1:] = total[:-1] + sign * (judged_sum + added[1:]) / (i + 1)
            total = np.maximum(total, best)
    result: Array = sign * total
    return result


def _average_precision(
    measure: DivMeasure, r: Open, draws: NDArray[np.bool_], cache: dict[Any, Any]
) -> Array:
    top = r.within(measure.cutoff)
    relevant = _drawn_by_rank(r, draws, top)
    precision = np.cumsum(relevant * r.worth(measure, r.n_retrieved[top]), axis=1) / np.arange(
        1, relevant.shape[1] + 1
    )
    return _shares((relevant * precision).sum(axis=1), r.n_relevant + draws.sum(axis=1))


# ------------------------------------------------------------------------------------------- nDCG with rareness


def _gain(measure: DivMeasure, r: Open, grade: Array) -> Array:
    relevant = ((grade >= r.rel) & (grade > 0)).astype(np.float64)
    return np.asarray(gains.gain_value(grade, relevant, measure['gain']), dtype=np.float64)


def _ndcg_ends(measure: DivMeasure, r: Open, score: float) -> tuple[float, float]:
    """The m largest worths at the first m unjudged places, over the ideal with the m least; the m least at the last m
    places, over the ideal with the m largest and all others."""
    gains, judged_gains, highest = _ndcg_of(measure, r)
    discount = log_discount(np.arange(1.0, len(gains) + 1))
    base = float((gains * discount).sum())
    places = discount[r.unjudged[r.within(measure.cutoff)]]
    own = np.sort(highest * r.worth(measure, r.others_n[~r.outside(measure.cutoff)]))
    others = highest * r.worth(measure, r.others_n[r.outside(measure.cutoff)])
    judged_gains, all_gains = (
        _best(measure, judged_gains),
        _best(measure, np.concatenate([judged_gains, others])),
    )
    least, largest = [], []
    for m in range(len(own) + 1):
        most, few = own[len(own) - m :], own[:m]
        largest.append(
            _share(
                base + float((most[::-1] * places[:m]).sum()),
                _dcg(_best(measure, np.concatenate([judged_gains, few]))),
            )
        )
        least.append(
            _share(
                base + float((few * places[len(places) - m :]).sum()),
                _dcg(_best(measure, np.concatenate([all_gains, most]))),
            )
        )
    return min(least), min(max(largest), 1.0)


def _ndcg_of(measure: DivMeasure, r: Open) -> tuple[Array, Array, float]:
    """Gains of the judged documents by rank down to the cutoff, of all judged documents, and of the highest grade."""
    top = r.within(measure.cutoff)
    return (
        _gain(measure, r, r.grade[top]) * r.worth(measure, r.n_retrieved[top]),
        _gain(measure, r, r.known_grade) * r.worth(measure, r.known_n),
        float(_gain(measure, r, np.array([r.highest]))[0]),
    )


def _best(measure: DivMeasure, values: Array) -> Array:
    """The largest values down to the cutoff, along the last axis."""
    return -np.sort(-values, axis=-1)[..., : measure.cutoff]


def _dcg(values: Array) -> Any:
    return values @ log_discount(np.arange(1.0, values.shape[-1] + 1))


def _ndcg(measure: DivMeasure, r: Open, draws: NDArray[np.bool_], cache: dict[Any, Any]) -> Array:
    gains, judged_gains, highest = _ndcg_of(measure, r)
    gain = np.tile(gains, (len(draws), 1))
    place = r.place[r.within(measure.cutoff)]
    more = draws * (highest * r.worth(measure, r.others_n))
    gain[:, place >= 0] = more[:, place[place >= 0]]
    if measure not in cache:  # the ideal is that of the query
        cache[measure] = _dcg(
            _best(measure, np.concatenate([np.tile(judged_gains, (len(draws), 1)), more], axis=1))
        )
    return _shares(_dcg(gain), cache[measure])


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _shares(part: Any, whole: Any) -> Array:
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=float), np.asarray(whole, dtype=float))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


BOUNDS: dict[str, Bound] = {
    'P_Rareness': _sum(_precision_parts),
    'RBP_Rareness': _sum(_rbp_parts),
    'NumUnique': _sum(_unique_parts),
    'UniqueRecall': Bound(ANY, _unique_recall_ends, _unique_recall),
    'Rareness': Bound(ANY, _rareness_ends, _rareness),
    'AP_Rareness': Bound(OUTER, _average_precision_ends, _average_precision),
    'nDCG_Rareness': Bound(OUTER, _ndcg_ends, _ndcg),
}
"""How the bounds of each measure are computed, by name."""


def refusal(measure: Any, own_measure: DivMeasure | None) -> str:
    """Why a measure has no bounds with a pool; '' if it has.

    Args:
        measure: the measure as it was given.
        own_measure: the measure of this package that it is; None for one of ir_measures.
    """
    if own_measure is None or own_measure.NAME not in BOUNDS:
        return 'only of ' + ', '.join(BOUNDS) + ' does a pool bound the scores'
    if own_measure.judged_only:
        return 'judged_only=True leaves unjudged documents out of the ranking'
    params = own_measure.all_params
    if params.get('of') == 'intent':
        return 'which intents an unjudged document serves is not known'
    if params.get('alpha') == 'auto' or params.get('mu') is not None:
        return 'alpha depends on the number of relevant documents'
    if not isinstance(params.get('gain', ''), str):
        return 'gains that are given one by one'
    return ''


# --------------------------------------------------------------------------------------- rankings of a pool


class Rankings:
    """The rankings of a pool over judgments, with their unjudged documents.

    Args:
        pool: the pool, in which the scored systems are members.
        qrels: judgments in any form that :func:`~ir_divmeasures.read_qrels` takes.
    """

    def __init__(self, pool: Pool, qrels: Any):
        self.judged_pool = judged_pool = pool.over(qrels)
        self.n_systems = len(judged_pool.group_names)
        collection, rows = judged_pool.collection, pool.rows
        self.query_ids = collection.query_ids
        query, document = collection.numbers_of(rows.query_ids, rows.doc_ids)
        judged_rows = np.flatnonzero(query[rows.query] >= 0)
        self._query, self._doc_ids = query[rows.query[judged_rows]], rows.doc_ids
        self._system, self._rank, self._name = (
            column[judged_rows].astype(np.int64)
            for column in (rows.system, rows.rank, rows.document)
        )
        code = document[rows.document[judged_rows]]
        self._pair = np.full(len(judged_rows), -1, dtype=np.intp)
        coded = np.flatnonzero(code >= 0)
        pair, is_judged = collection.pair_of(self._query[coded], code[coded])
        self._pair[coded[is_judged]] = pair[is_judged]
        group = np.array(
            [judged_pool.group_names.index(name) for name in judged_pool.groups], dtype=np.intp
        )
        # unjudged (query, document) of the pool, and S_d of each
        self._open = np.flatnonzero(self._pair < 0)
        span = max(len(rows.doc_ids), 1)
        key = self._query[self._open] * span + self._name[self._open]
        self._open_key, self._open_place = np.unique(key, return_inverse=True)
        self._open_place = self._open_place.reshape(-1)
        finders = np.unique(self._open_place * self.n_systems + group[self._system[self._open]])
        self._open_n = np.bincount(finders // self.n_systems, minlength=len(self._open_key)).astype(
            float
        )
        self._open_query, self._span = self._open_key // span, span
        self._order = np.lexsort((self._rank, self._system, self._query))
        self._place_of_row = np.full(len(judged_rows), -1, dtype=np.intp)
        self._place_of_row[self._open] = self._open_place
        self._known_n = judged_pool.counts()[0].astype(float)
        grades = np.nan_to_num(judged_pool.judged.pair_grades)
        self._grade = np.maximum(grades, 0.0)
        self._owner = collection.query_of_pair()

    def documents(self, query: int) -> list[str]:
        """The unjudged documents of a query, (U,), in the order of ``Open.others_n``."""
        first, last = np.searchsorted(self._open_query, [query, query + 1])
        return list(self._doc_ids.take(self._open_key[first:last] % self._span).to_pylist())

    def of_query(self, query: int, rel: float) -> Iterator[Open]:
        """The rankings of all systems for one query, in the order of the pool's systems."""
        ends = np.searchsorted(self._query[self._order], [query, query + 1])
        rows = self._order[ends[0] : ends[1]]
        bounds = np.searchsorted(self._system[rows], np.arange(len(self.judged_pool.systems) + 1))
        first, last = np.searchsorted(self._open_query, [query, query + 1])
        start, stop = np.searchsorted(self._owner, [query, query + 1])
        grade = self._grade[start:stop]
        highest = float(grade.max(initial=0.0))
        if highest < rel:
            highest = 0.0
        others = self._open_n[first:last] if highest > 0 else np.zeros(0)
        for begin, end in zip(bounds[:-1], bounds[1:]):
            rows_of_system = rows[begin:end]
            pair = self._pair[rows_of_system]
            graded = np.where(pair >= 0, self._grade[pair], 0.0)
            unjudged = (pair < 0) & (highest > 0)
            at = np.where(unjudged, self._place_of_row[rows_of_system] - first, -1)
            n_retrieved = np.where(pair >= 0, self._known_n[pair], 1.0)
            if highest > 0:
                n_retrieved = np.where(
                    unjudged, self._open_n[self._place_of_row[rows_of_system]], n_retrieved
                )
            positive = grade > 0
            relevant = ((graded >= rel) & (graded > 0)).astype(np.float64)
            yield Open(
                len(rows_of_system),
                pair < 0,
                unjudged,
                relevant,
                n_retrieved,
                graded,
                at,
                others,
                self._known_n[start:stop][positive],
                grade[positive],
                self.n_systems,
                rel,
                highest,
            )


def table_of(
    rankings: Rankings,
    systems: list[str],
    measures: list[DivMeasure],
    scores: Array,
    relevance: Any,
    n_samples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The bounds of some systems, a row for each system, measure and query.

    Args:
        rankings: the pool over judgments.
        systems: members of the pool.
        measures: measures of :data:`BOUNDS`.
        scores: (systems, queries, measures).
        relevance: what :func:`relevance_of` returns, or None for bounds alone.
        n_samples: number of draws.
        rng: generator of the draws.
    """
    import pandas as pd

    place_by_member = {
        rankings.judged_pool.systems.index(name): place for place, name in enumerate(systems)
    }
    columns = ['judged', 'score', 'lower', 'upper', 'expected', 'expected_error'][
        : None if relevance is not None else 4
    ]
    values = np.zeros((len(systems), len(measures), len(rankings.query_ids), len(columns)))
    with progress(len(rankings.query_ids), 'queries') as bar:
        for q, query in enumerate(rankings.query_ids):
            documents = rankings.documents(q)
            chance = None if relevance is None else probabilities(relevance, query, documents)
            draws = (
                None
                if chance is None or all(BOUNDS[m.NAME].values is None for m in measures)
                else rng.random((n_samples, len(documents))) < chance
            )
            cache: dict[Any, Any] = {}
            for rel in {measure.rel for measure in measures}:
                for s, r in enumerate(rankings.of_query(q, rel)):
                    for m, measure in enumerate(measures):
                        if s in place_by_member and measure.rel == rel:
                            place = place_by_member[s]
                            values[place, m, q] = _row(
                                measure, r, float(scores[place, q, m]), chance, draws, cache
                            )
            bar.update()
    frames = [
        pd.DataFrame(
            {
                'system': name,
                'query_id': np.array(rankings.query_ids, dtype=object),
                'measure': str(measure),
                **dict(zip(columns, values[s, m].T)),
                'grades': BOUNDS[measure.NAME].grades,
            }
        )
        for s, name in enumerate(systems)
        for m, measure in enumerate(measures)
    ]
    return pd.concat(frames, ignore_index=True)


def _row(
    measure: DivMeasure,
    r: Open,
    score: float,
    chance: Array | None,
    draws: NDArray[np.bool_] | None,
    cache: dict[Any, Any],
) -> list[float]:
    """judged@k, score, least and largest value, and with probabilities the expected value and its standard error."""
    bound, top = BOUNDS[measure.NAME], r.within(measure.cutoff)
    judged = 1 - float(r.open[top].mean()) if len(r.open[top]) else 0.0
    low, high = bound.ends(measure, r, score)
    row = [judged, score, min(low, score), max(high, score)]
    if chance is None:
        return row
    if not len(r.others_n):
        return [*row, score, 0.0]
    if bound.parts is not None:
        own = r.place[top] >= 0
        return [
            *row,
            score + float((bound.parts(measure, r)[own] * chance[r.place[top][own]]).sum()),
            0.0,
        ]
    assert bound.values is not None and draws is not None
    values = bound.values(measure, r, draws, cache)
    return [*row, float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))]


def probabilities(relevance: Any, query: str, documents: list[str]) -> Array:
    """The probability of relevance of each document of a query, (U,): a number, one of a nested dict, or 0.

    Raises:
        ValueError: not in [0, 1]; names query and document.
    """
    values = (
        np.full(len(documents), float(relevance))
        if not isinstance(relevance, Mapping)
        else np.array([float(relevance.get(query, {}).get(doc_id, 0.0)) for doc_id in documents])
    )
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(bad):
        raise ValueError(
            f'relevance of query {query!r}, document {documents[bad[0]]!r} is {values[bad[0]]:g}, '
            f'expected a probability in [0, 1]'
        )
    return values


def relevance_of(relevance: Any) -> Any:
    """A number as it is, and other probabilities as ``{query: {document: probability}}``.

    Raises:
        TypeError: neither a number, nor a nested dict, nor a table.
        ValueError: a table without one of the columns ``query_id``, ``doc_id`` and ``probability``.
    """
    if isinstance(relevance, (int, float, np.number)) and not isinstance(relevance, bool):
        return float(relevance)
    if isinstance(relevance, Mapping):
        return {
            str(query): {str(doc_id): value for doc_id, value in documents.items()}
            for query, documents in relevance.items()
        }
    if not hasattr(relevance, 'columns'):
        raise TypeError(
            f'relevance: expected a number, {{query: {{document: probability}}}} or a table, found '
            f'{type(relevance).__name__}'
        )
    names = {'qid': 'query_id', 'docno': 'doc_id'}
    table: pd.DataFrame = relevance.rename(
        columns={old: new for old, new in names.items() if new not in relevance}
    )
    absent = [name for name in ('query_id', 'doc_id', 'probability') if name not in table.columns]
    if absent:
        raise ValueError(
            f'relevance: no column {absent[0]!r} (found {", ".join(map(str, table.columns))})'
        )
    nested: dict[str, dict[str, float]] = {}
    for query, doc_id, value in zip(table['query_id'], table['doc_id'], table['probability']):
        nested.setdefault(str(query), {})[str(doc_id)] = float(value)
    return nested


__all__ = ['BOUNDS', 'OUTER', 'Bound', 'Open', 'Rankings', 'refusal', 'relevance_of', 'table_of']
