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
from ..core.registry import ANY, DivMeasure, ours
from ..families.rareness import rarity_of
from ..results.progress import progress
from .judged import JudgedPool, Rows, pairs_of

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Draws = NDArray[np.bool_]
OUTER = 'outer'
"""Bounds that no grades exceed, but that may not be attained."""


@dataclass(frozen=True)
class Open:
    """The top k of one ranking of a query, as a measure sees it, and the query's unjudged documents.

    Attributes:
        measure: the measure.
        n_systems: S.
        n_retrieved: (k,) S_d of the documents by rank.
        grade: (k,) their grades, 0 where unjudged.
        relevant: (k,) 1 where the document is relevant, else 0.
        unjudged: (k,) whether the document is unjudged and may be relevant.
        place: (k,) for such documents the place in ``others_n``, else −1.
        others_n: (U,) S_d of all unjudged documents of the query, those of the ranking among them.
        known_n: (R,) S_d of all judged documents with a grade above 0.
        known_grade: (R,) their grades.
        highest: the highest grade of the query, or 0 where it is not relevant.
    """

    measure: DivMeasure
    n_systems: int
    n_retrieved: Array
    grade: Array
    relevant: Array
    unjudged: NDArray[np.bool_]
    place: NDArray[np.intp]
    others_n: Array
    known_n: Array
    known_grade: Array
    highest: float

    def rareness(self, n_retrieved: Array) -> Array:
        """R of documents with these S_d, in the form that the measure takes."""
        norm = self.measure.all_params.get('norm', False)
        return rarity_of(
            n_retrieved,
            np.full(n_retrieved.shape, float(self.n_systems)),
            self.measure['rarity'] or ("R'" if norm else 'R'),
        )

    def worth(self, n_retrieved: Array) -> Array:
        """W of documents with these S_d."""
        alpha = self.measure.all_params.get('alpha', 1.0)
        base = 1 - alpha if self.measure.all_params.get('norm', False) else 1
        return base + alpha * self.rareness(n_retrieved)

    def gain(self, grade: Array) -> Array:
        """The gain of each grade by a measure with a parameter ``gain``."""
        relevant = ((grade >= self.measure.rel) & (grade > 0)).astype(np.float64)
        return np.asarray(gains.gain_value(grade, relevant, self.measure['gain']), dtype=np.float64)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(U,) which unjudged documents of the query are in the top k."""
        return np.isin(np.arange(len(self.others_n)), self.place)

    @property
    def known_relevant(self) -> NDArray[np.bool_]:
        """(R,) which judged documents are relevant."""
        return self.known_grade >= self.measure.rel

    def drawn(self, draws: Draws) -> Array:
        """(draws, k) 1 where the document is relevant, judged or drawn."""
        relevant = np.tile(self.relevant, (len(draws), 1))
        relevant[:, self.unjudged] = draws[:, self.place[self.unjudged]]
        return relevant


class Bound(NamedTuple):
    """How the bounds of a measure are computed.

    Attributes:
        grades: ``'any'`` for exact bounds, or ``'outer'``.
        ends: the function of a ranking and its score → the least and the largest value.
        values: the function of a ranking, draws (draws, U), true where a document of the query is relevant, and a dict
            to share results among the rankings of a query → (draws,) values. None where the expected value is exact.
        parts: the function of a ranking → (k,) what each unjudged document adds if it is relevant, for sums of
            independent parts; None for other measures.
    """

    grades: str
    ends: Callable[[Open, float], tuple[Any, Any]]
    values: Callable[[Open, Draws, dict[Any, Any]], Array] | None = None
    parts: Callable[[Open], Array] | None = None


# ------------------------------------------------------------------------------------------ sums of what is found


def _precision_parts(r: Open) -> Array:
    return r.worth(r.n_retrieved) / max(r.measure.cutoff or len(r.relevant), 1)


def _rbp_parts(r: Open) -> Array:
    p = r.measure['p']
    return (1 - p) * p ** np.arange(len(r.relevant), dtype=float) * r.worth(r.n_retrieved)


def _unique_parts(r: Open) -> Array:
    return (r.n_retrieved == 1) * 1.0


def _sum(parts: Callable[[Open], Array]) -> Bound:
    """The bounds of a sum over documents: none or all of the unjudged ones are relevant."""

    def ends(r: Open, score: float) -> tuple[float, float]:
        return score, score + float(parts(r)[r.unjudged].sum())

    return Bound(ANY, ends, parts=parts)


# ------------------------------------------------------------------------------------------------------- ratios


def _unique_recall_ends(r: Open, score: float) -> tuple[Array, Array]:
    own, every = _unique_counts(r)
    alone = r.others_n == 1
    inside, outside = (alone & r.inside).sum(), (alone & ~r.inside).sum()
    return _shares(own, every + outside), _shares(own + inside, every + inside)


def _unique_counts(r: Open) -> tuple[int, int]:
    """Judged unique finds: of the top k, and of all systems."""
    own = (r.n_retrieved == 1) & (r.relevant > 0)
    return int(own.sum()), int(((r.known_n == 1) & r.known_relevant).sum())


def _unique_recall(r: Open, draws: Draws, cache: dict[Any, Any]) -> Array:
    own, every = _unique_counts(r)
    alone = r.others_n == 1
    return _shares(
        own + draws[:, alone & r.inside].sum(axis=1), every + draws[:, alone].sum(axis=1)
    )


def _rareness_ends(r: Open, score: float) -> tuple[float, float]:
    rare, relevant = r.rareness(r.n_retrieved), r.relevant > 0
    candidates = np.sort(rare[r.unjudged])
    counts = relevant.sum() + np.arange(len(candidates) + 1)
    least, largest = (
        _shares(rare[relevant].sum() + np.concatenate([[0.0], np.cumsum(values)]), counts)
        for values in (candidates, candidates[::-1])
    )
    return least.min(), largest.max()


def _rareness(r: Open, draws: Draws, cache: dict[Any, Any]) -> Array:
    relevant = r.drawn(draws)
    return _shares(relevant @ r.rareness(r.n_retrieved), relevant.sum(axis=1))


# --------------------------------------------------------------------------------------------- AP with rareness


def _average_precision_ends(r: Open, score: float) -> tuple[float, float]:
    """With m unjudged documents of the top k relevant, the r-th of them by rank gets the r-th least or largest worth;
    which ranks they take is chosen by a dynamic program. N_R + m divides, for the least value with all others."""
    worth = r.worth(r.n_retrieved)
    candidates = np.sort(worth[r.unjudged])
    n_relevant = r.known_relevant.sum() + np.arange(len(candidates) + 1)
    least = _shares(_cumulated(r, worth, candidates, -1), n_relevant + (~r.inside).sum())
    largest = _shares(_cumulated(r, worth, candidates[::-1], 1), n_relevant)
    return least.min(), largest.max()


def _cumulated(r: Open, worth: Array, values: Array, sign: int) -> Array:
    """The least (sign −1) or largest (1) Σ_i J_i/i Σ_{j ≤ i} J_j W_j for each number m of relevant unjudged documents,
    (m + 1,), where W of the r-th of them is ``values[r]``."""
    added = np.concatenate([[0.0], np.cumsum(values)])
    total = np.full(len(added), -np.inf)  # by m, of the ranks so far; times the sign
    total[0] = 0.0
    judged_sum = 0.0
    for i in range(len(worth)):
        if r.relevant[i]:
            judged_sum += worth[i]
            total = total + sign * (judged_sum + added) / (i + 1)
        elif r.unjudged[i]:
            best = total[:-1] + sign * (judged_sum + added[1:]) / (i + 1)
            total[1:] = np.maximum(total[1:], best)
    result: Array = sign * total
    return result


def _average_precision(r: Open, draws: Draws, cache: dict[Any, Any]) -> Array:
    relevant = r.drawn(draws)
    ranks = np.arange(1, relevant.shape[1] + 1)
    precision = np.cumsum(relevant * r.worth(r.n_retrieved), axis=1) / ranks
    return _shares((relevant * precision).sum(axis=1), r.known_relevant.sum() + draws.sum(axis=1))


# ------------------------------------------------------------------------------------------- nDCG with rareness


def _ndcg_ends(r: Open, score: float) -> tuple[Any, Any]:
    """The m largest worths at the first m unjudged places, over the ideal with the m least; the m least at the last m
    places, over the ideal with the m largest and all others."""
    gains, judged_gains, highest = _ndcg_gains(r)
    discount = log_discount(np.arange(1.0, len(gains) + 1))
    base = float((gains * discount).sum())
    places = discount[r.unjudged]
    worth = highest * r.worth(r.others_n)
    own, all_gains = np.sort(worth[r.inside]), np.concatenate([judged_gains, worth[~r.inside]])
    least, largest = [], []
    for m in range(len(own) + 1):
        most, few = own[len(own) - m :], own[:m]
        largest.append(
            _shares(
                base + (most[::-1] * places[:m]).sum(),
                _ideal(r, np.concatenate([judged_gains, few])),
            )
        )
        least.append(
            _shares(
                base + (few * places[len(places) - m :]).sum(),
                _ideal(r, np.concatenate([all_gains, most])),
            )
        )
    return min(least), min(max(largest), 1.0)


def _ndcg_gains(r: Open) -> tuple[Array, Array, float]:
    """Gains of the judged documents by rank, of all judged documents, and of the highest grade."""
    return (
        r.gain(r.grade) * r.worth(r.n_retrieved),
        r.gain(r.known_grade) * r.worth(r.known_n),
        float(r.gain(np.array([r.highest]))[0]),
    )


def _ideal(r: Open, gains: Array) -> Any:
    """DCG of the largest gains down to the cutoff, along the last axis."""
    return _dcg(-np.sort(-gains, axis=-1)[..., : r.measure.cutoff])


def _dcg(values: Array) -> Any:
    return values @ log_discount(np.arange(1.0, values.shape[-1] + 1))


def _ndcg(r: Open, draws: Draws, cache: dict[Any, Any]) -> Array:
    gains, judged_gains, highest = _ndcg_gains(r)
    gain = np.tile(gains, (len(draws), 1))
    more = draws * (highest * r.worth(r.others_n))
    gain[:, r.unjudged] = more[:, r.place[r.unjudged]]
    if r.measure not in cache:  # the ideal is that of the query
        judged = np.tile(judged_gains, (len(draws), 1))
        cache[r.measure] = _ideal(r, np.concatenate([judged, more], axis=1))
    return _shares(_dcg(gain), cache[r.measure])


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


def refusal(measure: Any) -> str:
    """Why a measure, one of this package or of ir_measures, has no bounds with a pool; '' if it has."""
    own_measure = ours(measure)
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
        judged_pool: the pool with judgments, in which the scored systems are members.
        rows: what the pool's systems retrieve.
    """

    def __init__(self, judged_pool: JudgedPool, rows: Rows):
        self.judged_pool = judged_pool
        self.n_systems = len(judged_pool.group_names)
        query, pair = pairs_of(rows, judged_pool.collection)
        order = np.lexsort((rows.rank, rows.system, query))
        order = order[query[order] >= 0]
        self._query, self._pair, self._system = query[order], pair[order], rows.system[order]
        # the unjudged (query, document) pairs of the pool, and S_d of each
        self._doc_ids, self._span = rows.doc_ids, max(len(rows.doc_ids), 1)
        unjudged = np.flatnonzero(self._pair < 0)
        key = self._query[unjudged] * self._span + rows.document[order[unjudged]]
        self._open_key, place = np.unique(key, return_inverse=True)
        self._place = np.full(len(order), -1, dtype=np.intp)
        self._place[unjudged] = place
        number = {name: g for g, name in enumerate(judged_pool.group_names)}
        group = np.array([number[name] for name in judged_pool.groups], dtype=np.intp)
        finders = np.unique(place * self.n_systems + group[self._system[unjudged]])
        self._open_n = np.bincount(finders // self.n_systems, minlength=len(self._open_key)).astype(
            float
        )
        self._known_n = judged_pool.counts()[0].astype(float)
        self._grade = np.maximum(np.nan_to_num(judged_pool.judged.pair_grades), 0.0)

    def documents(self, query: int) -> list[str]:
        """The unjudged documents of a query, (U,), in the order of ``Open.others_n``."""
        keys = self._open_key[self._open_key // self._span == query]
        return list(self._doc_ids.take(keys % self._span).to_pylist())

    def of_query(
        self, query: int, systems: list[int], measures: list[DivMeasure]
    ) -> Iterator[tuple[int, int, float, Open]]:
        """The rankings of some systems for one query, as each measure sees them.

        Yields:
            The places of the system and the measure, the share of the top k that is judged, and the ranking.
        """
        first, last = np.searchsorted(self._open_key, np.array([query, query + 1]) * self._span)
        judged = np.flatnonzero(self.judged_pool.collection.query_of_pair() == query)
        judged = judged[self._grade[judged] > 0]
        start, end = np.searchsorted(self._query, [query, query + 1])
        ends = start + np.searchsorted(
            self._system[start:end], np.arange(len(self.judged_pool.systems) + 1)
        )
        for s, system in enumerate(systems):
            for m, measure in enumerate(measures):
                highest = float(self._grade[judged].max(initial=0.0))
                highest = highest if highest >= measure.rel else 0.0
                others_n = self._open_n[first:last] if highest > 0 else np.zeros(0)
                top = slice(ends[system], ends[system + 1])
                pair, place = (each[top][: measure.cutoff] for each in (self._pair, self._place))
                is_open = pair < 0
                unjudged = is_open & (highest > 0)
                place = np.where(unjudged, place - first, -1)
                n_retrieved = np.where(is_open, 1.0, self._known_n[pair])
                n_retrieved[unjudged] = others_n[place[unjudged]]
                grade = np.where(is_open, 0.0, self._grade[pair])
                yield (
                    s,
                    m,
                    1 - float(is_open.mean()) if len(pair) else 0.0,
                    Open(
                        measure,
                        self.n_systems,
                        n_retrieved,
                        grade,
                        ((grade >= measure.rel) & (grade > 0)).astype(np.float64),
                        unjudged,
                        place,
                        others_n,
                        self._known_n[judged],
                        self._grade[judged],
                        highest,
                    ),
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

    query_ids = rankings.judged_pool.collection.query_ids
    members = [rankings.judged_pool.systems.index(name) for name in systems]
    columns = ['judged', 'score', 'lower', 'upper']
    if relevance is not None:
        columns += ['expected', 'expected_error']
    sampled = any(BOUNDS[measure.NAME].values is not None for measure in measures)
    values = np.zeros((len(systems), len(measures), len(query_ids), len(columns)))
    with progress(len(query_ids), 'queries') as bar:
        for q, query in enumerate(query_ids):
            chance = draws = None
            if relevance is not None:
                chance = probabilities(relevance, query, rankings.documents(q))
                if sampled:
                    draws = rng.random((n_samples, len(chance))) < chance
            cache: dict[Any, Any] = {}
            for s, m, judged, r in rankings.of_query(q, members, measures):
                score = float(scores[s, q, m])
                low, high = BOUNDS[r.measure.NAME].ends(r, score)
                values[s, m, q, :4] = judged, score, min(low, score), max(high, score)
                if chance is not None:
                    values[s, m, q, 4:] = _expected(r, score, chance, draws, cache)
            bar.update()
    frames = [
        pd.DataFrame(
            {
                'system': name,
                'query_id': np.array(query_ids, dtype=object),
                'measure': str(measure),
                **dict(zip(columns, values[s, m].T)),
                'grades': BOUNDS[measure.NAME].grades,
            }
        )
        for s, name in enumerate(systems)
        for m, measure in enumerate(measures)
    ]
    return pd.concat(frames, ignore_index=True)


def _expected(
    r: Open, score: float, chance: Array, draws: Draws | None, cache: dict[Any, Any]
) -> tuple[float, float]:
    """The expected value, and its standard error."""
    bound = BOUNDS[r.measure.NAME]
    if not len(r.others_n):
        return score, 0.0
    if bound.parts is not None:
        added = bound.parts(r)[r.unjudged] * chance[r.place[r.unjudged]]
        return score + float(added.sum()), 0.0
    assert bound.values is not None and draws is not None
    values = bound.values(r, draws, cache)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


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
