"""What unjudged documents leave open in scores by measures of innovation: :meth:`ir_divmeasures.pools.Pool.bounds`.

The unjudged documents of a query are known by id, with S_d: the pool or the scored run retrieves them. Each may turn
out to be relevant, with the query's highest grade, or not. A relevant document changes more than its own gain: the
number of relevant documents, the ideal ranking, and the number of unique finds.

All functions on one ranking see the :class:`Open` of a query. Let W be its worth 1 + αR (or the form in [0, 1]).
"""

from __future__ import annotations

import functools
import itertools
import numbers
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.kernels import gain as gains
from ..core.kernels.discount import log_discount
from ..core.ranking import Array, ratio
from ..core.registry import EXACT, OUTER, DivMeasure, ours
from ..families.rareness import rarity_of
from ..io import frames as tables
from ..io.text_columns import as_frame
from ..judgments.table import require_fields
from ..lazy import pd
from ..results.progress import progress
from .judged import JudgedPool
from .retrieved import Rows, pairs_of


class Query(NamedTuple):
    """What a pool retrieves for a query.

    Attributes:
        n_systems: S of the pool.
        system: (rows,) the place of the system of each retrieved document, ascending; documents by rank.
        n_retrieved: (rows,) S_d.
        grade: (rows,) the grade, NaN where unjudged.
        place: (rows,) the place in ``documents``, −1 where judged.
        documents: (U,) the numbers of the unjudged documents, ascending.
        others_n: (U,) their S_d.
        known_n, known_grade: (R,) S_d and grade of the judged documents with a grade above 0.
        shared: results that rankings share, by measure.
    """

    n_systems: int
    system: NDArray[np.int32]
    n_retrieved: NDArray[np.intp]
    grade: Array
    place: NDArray[np.intp]
    documents: NDArray[np.int32]
    others_n: NDArray[np.intp]
    known_n: NDArray[np.intp]
    known_grade: Array
    shared: dict[DivMeasure, Array]


class Open:
    """The top k of one ranking of a query, as a measure sees it, and the query's unjudged documents.

    Functions take *choices*, (choices, U): 1 where an unjudged document of the query is relevant, else 0.

    Attributes:
        query: the query.
        measure: the measure.
        score: its score.
        rarity, worth: (S + 1,) R and W of a document by its S_d.
        n_retrieved: (k,) S_d of the documents by rank.
        judged: the share of the documents that are judged.
        grade: (k,) their grades, 0 where unjudged.
        place: (k,) for unjudged documents that may be relevant the place in ``others_n``, else −1.
        others_n: (U,) S_d of all unjudged documents of the query, those of the ranking among them.
        highest: the highest grade of the query, or 0 where it is not relevant.
        unjudged: (k,) whether a document is unjudged and may be relevant.
        inside: (U,) which unjudged documents of the query are in the top k.
        relevant: (k,) 1 where a judged document is relevant, else 0.
        n_relevant: the number of relevant judged documents of the query.
    """

    def __init__(self, query: Query, system: int, measure: DivMeasure, score: float):
        self.query, self.measure, self.score = query, measure, score
        self.rarity = _rarity(measure, query.n_systems)
        alpha, norm = (measure.all_params.get(name) for name in ('alpha', 'norm'))
        alpha = 1.0 if alpha is None else alpha
        self.worth: Array = (1 - alpha if norm else 1) + alpha * self.rarity
        first, last = np.searchsorted(query.system, [system, system + 1])
        top = slice(first, min(last, first + (measure.cutoff or last)))
        grade, self.place = query.grade[top], query.place[top]
        self.n_retrieved: NDArray[np.intp] = query.n_retrieved[top]
        self.judged = np.isfinite(grade).mean() if len(grade) else 0.0
        self.grade, self.others_n = np.nan_to_num(grade), query.others_n
        self.highest = float(query.known_grade.max(initial=0.0))
        if self.highest == 0 or self.highest < measure.rel:  # no unjudged document can be relevant
            self.highest, self.others_n = 0.0, self.others_n[:0]
            self.place = np.full_like(self.place, -1)
        self.unjudged = self.place >= 0
        self.inside: NDArray[np.bool_] = np.isin(np.arange(len(self.others_n)), self.place)
        self.relevant = ((self.grade >= measure.rel) & (self.grade > 0)).astype(float)
        self.n_relevant = int((query.known_grade >= measure.rel).sum())

    def by_rank(self, values: Array) -> Array:
        """(choices, k) the values (choices, U) of unjudged documents at their ranks, 0 elsewhere."""
        placed = np.zeros((len(values), len(self.place)))
        placed[:, self.unjudged] = values[:, self.place[self.unjudged]]
        return placed

    def gain(self, grade: Array) -> Array:
        """The gain of each grade by a measure with a parameter ``gain``."""
        relevant = ((grade >= self.measure.rel) & (grade > 0)).astype(float)
        return np.asarray(gains.gain_value(grade, relevant, self.measure['gain']), dtype=float)


Values = Callable[[Open, Array], Array]
"""The values (choices,) of a ranking for choices (choices, U)."""


class Bound(NamedTuple):
    """How the bounds of a measure are computed.

    Attributes:
        values: the values for choices.
        ends: a function of the ranking; the bounds are the least and the largest value that it returns.
        kind: ``'exact'`` or ``'outer'``.
        is_sum: whether each document adds a value of its own, so that the expected value is exact.
    """

    values: Values
    ends: Callable[[Open], Array]
    kind: str = EXACT
    is_sum: bool = False


def _exact(values: Values, choices: Callable[[Open], Any], is_sum: bool = False) -> Bound:
    """The bounds of a measure whose extremes are among its values for some choices."""
    return Bound(values, lambda r: values(r, choices(r)), is_sum=is_sum)


# ------------------------------------------------------------------------------------------ sums of what is found


def _sum(parts: Callable[[Open], Array]) -> Bound:
    """The bounds of a sum over ranks, given what each rank adds, (k,): none or all documents are relevant."""

    def values(r: Open, choices: Array) -> Array:
        return r.score + r.by_rank(choices) @ parts(r)

    return _exact(values, lambda r: np.repeat([[0.0], [1.0]], len(r.others_n), axis=1), is_sum=True)


def _precision_parts(r: Open) -> Array:
    return r.worth[r.n_retrieved] / max(r.measure.cutoff or len(r.place), 1)


def _rbp_parts(r: Open) -> Array:
    p = r.measure['p']
    return (1 - p) * p ** np.arange(len(r.place), dtype=float) * r.worth[r.n_retrieved]


# ------------------------------------------------------------------------------------------------------- ratios


def _unique_recall(r: Open, choices: Array) -> Array:
    own = ((r.n_retrieved == 1) & (r.relevant > 0)).sum()
    every = ((r.query.known_n == 1) & (r.query.known_grade >= r.measure.rel)).sum()
    alone = r.others_n == 1
    return ratio(
        own + choices[:, alone & r.inside].sum(axis=1), every + choices[:, alone].sum(axis=1)
    )


def _rareness(r: Open, choices: Array) -> Array:
    relevant = r.relevant + r.by_rank(choices)
    return ratio(relevant @ r.rarity[r.n_retrieved], relevant.sum(axis=1))


def _rareness_choices(r: Open) -> Array:
    """The m least rare and the m rarest of the unjudged documents in the top k, for each m."""
    places = r.place[r.unjudged]
    place = np.argsort(np.argsort(r.rarity[r.others_n[places]]))
    m = np.arange(len(place) + 1)[:, None]
    choices = np.zeros((2 * len(m), len(r.others_n)))
    choices[:, places] = np.concatenate([place < m, place >= len(place) - m])
    return choices


# --------------------------------------------------------------------------------------------- AP with rareness


def _average_precision(r: Open, choices: Array) -> Array:
    relevant = r.relevant + r.by_rank(choices)
    ranks = np.arange(1, relevant.shape[1] + 1)
    precision = np.cumsum(relevant * r.worth[r.n_retrieved], axis=1) / ranks
    return ratio((relevant * precision).sum(axis=1), r.n_relevant + choices.sum(axis=1))


def _average_precision_ends(r: Open) -> Array:
    """With m unjudged documents of the top k relevant, the r-th of them by rank gets the r-th least or largest worth;
    which ranks they take is chosen by a dynamic program. N_R + m divides, for the least value with all others.

    The program computes Σ_i J_i/i Σ_{j ≤ i} J_j W_j for each m. Its first row is the least values times −1, and its
    second row the largest values.
    """
    worth = r.worth[r.n_retrieved]
    candidates = np.sort(worth[r.unjudged])
    added = np.zeros((2, len(candidates) + 1))
    np.cumsum([candidates, candidates[::-1]], axis=1, out=added[:, 1:])
    sign = np.array([[-1.0], [1.0]])
    total = np.full(added.shape, -np.inf)
    total[:, 0] = 0.0
    judged_sum = 0.0
    for i in range(len(worth)):
        if r.relevant[i]:
            judged_sum += worth[i]
            total = total + sign * (judged_sum + added) / (i + 1)
        elif r.unjudged[i]:
            best = total[:, :-1] + sign * (judged_sum + added[:, 1:]) / (i + 1)
            total[:, 1:] = np.maximum(total[:, 1:], best)
    more = np.array([[(~r.inside).sum()], [0]]) + np.arange(0.0, added.shape[1])
    return ratio(sign * total, r.n_relevant + more)


# ------------------------------------------------------------------------------------------- nDCG with rareness


def _ndcg(r: Open, choices: Array) -> Array:
    more = choices * (_highest_gain(r) * r.worth[r.others_n])
    gain = r.gain(r.grade) * r.worth[r.n_retrieved] + r.by_rank(more)
    if r.measure not in r.query.shared:  # the ideal is that of the query
        r.query.shared[r.measure] = _ideal(r, more)
    return ratio(_dcg(gain), r.query.shared[r.measure])


def _ndcg_ends(r: Open) -> Array:
    """For each m, the m largest worths at the first m unjudged places, over the ideal with the m least; and the m least
    at the last m places, over the ideal with the m largest and all others."""
    gain = _highest_gain(r) * r.worth[r.others_n]
    own, others = np.sort(gain[r.inside]), gain[~r.inside]
    place = np.arange(len(own))
    m = np.arange(len(own) + 1)[:, None]
    is_chosen = place < m
    few, few_descending = own * is_chosen, own[m - 1 - place] * is_chosen
    most = own[::-1] * is_chosen
    discount = log_discount(np.arange(1.0, len(r.place) + 1))
    base = float(r.gain(r.grade) * r.worth[r.n_retrieved] @ discount)
    places = discount[r.unjudged]
    all_others = np.tile(others, (len(m), 1))
    largest = ratio(base + most @ places, _ideal(r, few))
    least = ratio(
        base + few_descending @ places[::-1], _ideal(r, np.concatenate([all_others, most], axis=1))
    )
    return np.append(least, min(largest.max(), 1.0))


def _highest_gain(r: Open) -> float:
    return float(r.gain(np.array([r.highest]))[0])


def _ideal(r: Open, more: Array) -> Array:
    """(choices,) DCG of the largest gains down to the cutoff: of judged documents and of others, (choices, …)."""
    judged = np.tile(r.gain(r.query.known_grade) * r.worth[r.query.known_n], (len(more), 1))
    gain = np.concatenate([judged, more], axis=1)
    return _dcg(-np.sort(-gain, axis=1)[:, : r.measure.cutoff])


def _dcg(values: Array) -> Array:
    result: Array = values @ log_discount(np.arange(1.0, values.shape[1] + 1))
    return result


BOUNDS: dict[str, Bound] = {
    'P_Rareness': _sum(_precision_parts),
    'RBP_Rareness': _sum(_rbp_parts),
    'NumUnique': _sum(lambda r: (r.n_retrieved == 1) * 1.0),
    'UniqueRecall': _exact(_unique_recall, lambda r: np.stack([~r.inside, r.inside]) * 1.0),
    'Rareness': _exact(_rareness, _rareness_choices),
    'AP_Rareness': Bound(_average_precision, _average_precision_ends, OUTER),
    'nDCG_Rareness': Bound(_ndcg, _ndcg_ends, OUTER),
}
"""How the bounds of each measure are computed, by name."""


def refusal(measure: Any) -> str:
    """Why a measure, one of this package or of ir_measures, has no bounds with a pool; '' if it has."""
    own_measure = ours(measure)
    if own_measure is None or own_measure.NAME not in BOUNDS:
        return 'only of ' + ', '.join(BOUNDS) + ' does a pool bound the scores'
    params = own_measure.all_params
    reasons = {
        'judged_only=True leaves unjudged documents out of the ranking': own_measure.judged_only,
        'which intents an unjudged document serves is not known': params.get('of') == 'intent',
        'alpha depends on the number of relevant documents': params.get('alpha') == 'auto'
        or params.get('mu') is not None,
        'gains that are given one by one': not isinstance(params.get('gain', ''), str),
    }
    return next((reason for reason, holds in reasons.items() if holds), '')


# --------------------------------------------------------------------------------------- rankings of a pool


def table_of(
    judged_pool: JudgedPool,
    rows: Rows,
    systems: list[str],
    scores: Array,
    measures: list[DivMeasure],
    chance: Callable[[str, list[str]], Array] | None,
    n_samples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The bounds of some systems, a row for each system, measure and query.

    Args:
        judged_pool: the pool with judgments, in which the systems are members.
        rows: what the pool's systems retrieve.
        systems: the systems.
        scores: (systems, queries, measures).
        measures: measures of :data:`BOUNDS`.
        chance: what :func:`chances` returns, or None for bounds alone.
        n_samples: number of draws.
        rng: generator of the draws.
    """
    queries = _queries(judged_pool, rows)
    query_ids = judged_pool.collection.query_ids
    chosen: list[Array] = []
    draws: list[Array] = []
    for query_id, query in zip(query_ids, queries):
        if chance is not None:
            documents = rows.doc_ids.take(query.documents).to_pylist()
            chosen.append(chance(query_id, documents)[None])
            draws.append((rng.random((n_samples, len(documents))) < chosen[-1]).astype(float))
    table = []
    with progress(len(systems) * len(measures), 'systems and measures') as bar:
        for (s, name), (m, measure) in itertools.product(enumerate(systems), enumerate(measures)):
            bound, place = BOUNDS[measure.NAME], judged_pool.systems.index(name)
            for q, query in enumerate(queries):
                r = Open(query, place, measure, float(scores[s, q, m]))
                ends = np.append(bound.ends(r), r.score)
                expected, error = r.score, 0.0
                if chosen and len(r.others_n):
                    values = bound.values(r, chosen[q] if bound.is_sum else draws[q])
                    expected = values.mean()
                    error = 0.0 if bound.is_sum else values.std(ddof=1) / np.sqrt(n_samples)
                said = name, query_ids[q], str(measure), r.judged, r.score, ends.min(), ends.max()
                table.append((*said, expected, error, bound.kind))
            bar.update()
    columns = 'system query_id measure judged score lower upper expected expected_error kind'
    frame = pd.DataFrame(table, columns=columns.split())
    return frame if chosen else frame.drop(columns=['expected', 'expected_error'])


def _queries(judged_pool: JudgedPool, rows: Rows) -> list[Query]:
    """What the pool retrieves for each query of the judgments."""
    collection, (known_n, n_systems) = judged_pool.collection, judged_pool.counts()
    grades = np.maximum(np.nan_to_num(judged_pool.judged.pair_grades), 0.0)
    query, pair = pairs_of(rows, collection)
    group = np.unique(judged_pool.groups, return_inverse=True)[1][rows.system]
    names = 'query', 'system', 'rank', 'document', 'pair', 'group'
    columns = query, rows.system, rows.rank, rows.document, pair, group
    table = pd.DataFrame(dict(zip(names, columns)))
    table['n_retrieved'] = table.groupby(['query', 'document'])['group'].transform('nunique')
    by_query = dict(list(table.sort_values(['query', 'system', 'rank']).groupby('query')))
    queries = []
    for q in range(len(collection.query_ids)):
        own = by_query.get(q, table[:0])
        others = own[own['pair'] < 0].drop_duplicates('document').sort_values('document')
        place = np.searchsorted(others['document'], own['document'])
        known = np.flatnonzero((collection.query_of_pair == q) & (grades > 0))
        queries.append(
            Query(
                n_systems,
                own['system'].to_numpy(),
                own['n_retrieved'].to_numpy(),
                np.where(own['pair'] < 0, np.nan, grades[own['pair']]),
                np.where(own['pair'] < 0, place, -1),
                others['document'].to_numpy(),
                others['n_retrieved'].to_numpy(),
                known_n[known],
                grades[known],
                {},
            )
        )
    return queries


@functools.lru_cache(maxsize=100)
def _rarity(measure: DivMeasure, n_systems: int) -> Array:
    """(S + 1,) R of a document by its S_d, in the form that the measure takes."""
    params = measure.all_params
    form = params.get('rarity') or ("R'" if params.get('norm', False) else 'R')
    n_retrieved = np.arange(n_systems + 1.0)
    return rarity_of(n_retrieved, np.full(len(n_retrieved), float(n_systems)), form)


def chances(relevance: Any) -> Callable[[str, list[str]], Array]:
    """The function that gives the probability of relevance of each unjudged document of a query, (U,).

    Args:
        relevance: a number, a nested dict or a table, as :meth:`ir_divmeasures.pools.Pool.bounds` takes them.

    Raises:
        TypeError: neither a number, nor a nested dict, nor a table.
        ValueError: a table without one of the columns ``query_id``, ``doc_id`` and ``probability``; and from the
            function, a probability that is not in [0, 1], with the query and the document.
    """
    columns = 'query_id', 'doc_id', 'probability'
    default = 0.0
    if isinstance(relevance, numbers.Real):
        default, table = float(relevance), pd.DataFrame(columns=columns)
    elif isinstance(relevance, Mapping):
        table = as_frame(tables.columns_of(relevance, columns, 'relevance') or {})
    elif hasattr(relevance, 'columns'):
        table = tables.renamed(relevance, 'query_id', 'doc_id')
    else:
        raise TypeError(
            f'relevance: expected a number, {{query: {{document: probability}}}} or a table, found '
            f'{type(relevance).__name__}'
        )
    require_fields(table, columns, 'relevance')
    pairs = zip(table['query_id'].astype(str), table['doc_id'].astype(str))
    known = dict(zip(pairs, table['probability']))

    def chance(query: str, documents: list[str]) -> Array:
        values = np.array([float(known.get((query, doc_id), default)) for doc_id in documents])
        bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
        if len(bad):
            raise ValueError(
                f'relevance of query {query!r}, document {documents[bad[0]]!r} is '
                f'{values[bad[0]]:g}, expected a probability in [0, 1]'
            )
        return values

    return chance
