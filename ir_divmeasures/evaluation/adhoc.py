"""Ad-hoc measures of ir_measures, computed on the same aligned run as ours, with the values of the hosts.

``P R AP RR Rprec Success nDCG ERR RBP Judged`` with the parameters that ir_measures' providers take. The hosts order a
ranking in different ways, and so does this module (:data:`HOSTS`). The hosts compute every other measure, and raise the
errors for what they do not compute. Errors of a host in a value (docs/deviations.md) are not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures import Measure, providers
from numpy.typing import NDArray

from ..core.kernels.sums import one_by_one
from ..core.ranking import Array, ratio
from ..data.ids import place_in_group
from ..errors import plain
from ..hosts import others
from ..lazy import pd

if TYPE_CHECKING:
    from ..data.arrays import Hits
    from ..data.judgments import Judgments

WHOLE_GRADES = ('pytrec_eval', 'gdeval')
"""Providers of ir_measures that take whole grades only."""
GDEVAL_HIGHEST = 4
"""gdeval's scale of grades; it refuses higher ones."""
CWL_DEPTH = 1000
"""The number of ranks that cwl_eval reads."""


class View(NamedTuple):
    """Judged documents of a run for one measure: (Q, H) ranks (``inf`` pads) and grades, ranked as its host ranks.

    Attributes:
        rank: ranks from 1.
        grade: grades, or gains where the measure maps them; −1 where padded.
        n: (Q,) documents retrieved.
        judged: the grades of all judged documents of each judged query, highest first, (queries, D); −1 pads.
        results: what was computed from ``judged`` for all runs, (queries,), by key.
        queries: (Q,) the judged query of each ranking; None if each query has one.
    """

    rank: Array
    grade: Array
    n: Array
    judged: Array
    results: dict[Any, Array]
    queries: NDArray[np.intp] | None

    def hits(self, measure: Measure) -> Array:
        """1 where a document's grade is at least the measure's ``rel``; (Q, H)."""
        return (np.isfinite(self.rank) & (self.grade >= measure['rel'])).astype(float)

    def n_relevant(self, measure: Measure) -> Array:
        """Judged documents whose grade is at least ``rel``; (Q,)."""

        def count() -> Array:
            relevant = (self.judged >= measure['rel']) & (self.judged > -1)
            return relevant.sum(axis=1).astype(float)

        return self.keep_by_query(measure['rel'], count)

    def keep_by_query(self, key: Any, compute: Callable[[], Array]) -> Array:
        """What is computed from the judgments alone, (Q,), once for all runs."""
        if key not in self.results:
            self.results[key] = compute()
        return self.results[key] if self.queries is None else self.results[key][self.queries]

    def within(self, measure: Measure) -> NDArray[np.bool_]:
        """Which ranks are within the measure's cutoff; (Q, H)."""
        return np.isfinite(self.rank) & (self.rank <= _cutoff(measure))


def _cutoff(measure: Measure) -> float:
    return float(measure.params.get('cutoff') or np.inf)


def _p(m: Measure, v: View) -> Array:
    return (v.hits(m) * v.within(m)).sum(axis=1) / _cutoff(m)


def _r(m: Measure, v: View) -> Array:
    return ratio((v.hits(m) * v.within(m)).sum(axis=1), v.n_relevant(m))


def _ap(m: Measure, v: View) -> Array:
    hits = v.hits(m)
    precision = np.cumsum(hits, axis=1) / v.rank
    return ratio(one_by_one(hits * precision * v.within(m)), v.n_relevant(m))


def _rr(m: Measure, v: View) -> Array:
    return 1 / np.where((v.hits(m) > 0) & v.within(m), v.rank, np.inf).min(axis=1, initial=np.inf)


def _rprec(m: Measure, v: View) -> Array:
    relevant = v.n_relevant(m)
    return ratio((v.hits(m) * (v.rank <= relevant[:, None])).sum(axis=1), relevant)


def _success(m: Measure, v: View) -> Array:
    return (v.hits(m) * v.within(m)).any(axis=1).astype(float)


def _normalised_dcg(m: Measure, v: View, gain: Callable[[Array], Array]) -> Array:
    def ideal() -> Array:
        place = np.arange(1, v.judged.shape[1] + 1)
        gains = gain(np.maximum(v.judged, 0)) / np.log2(place + 1) * (place <= _cutoff(m))
        return one_by_one(gains)

    dcg = gain(np.maximum(v.grade, 0)) / np.log2(v.rank + 1) * v.within(m)
    return ratio(one_by_one(dcg), v.keep_by_query(m, ideal))


def _ndcg(m: Measure, v: View) -> Array:
    return _normalised_dcg(m, v, lambda grade: grade)


def _rbp(m: Measure, v: View) -> Array:
    discount = float(m['p']) ** np.arange(CWL_DEPTH)
    relevant = (np.maximum(v.grade, 0) >= m['rel']) & (v.rank <= CWL_DEPTH)
    at = np.minimum(v.rank, CWL_DEPTH).astype(np.intp) - 1
    return one_by_one(relevant * discount[at]) / discount.sum()


def _judged(m: Measure, v: View) -> Array:
    return ratio(v.within(m).sum(axis=1).astype(float), np.minimum(v.n, _cutoff(m)))


def printed(values: Array) -> Array:
    """As gdeval prints them: five decimals."""
    return np.array([float(f'{value:.5f}') for value in values.tolist()])


def _ndcg_gdeval(m: Measure, v: View) -> Array:
    return printed(_normalised_dcg(m, v, lambda grade: 2**grade - 1))


def _err(m: Measure, v: View) -> Array:
    r = (2 ** np.maximum(v.grade, 0) - 1) / 2**GDEVAL_HIGHEST * v.within(m)
    before = np.cumprod(np.insert(1 - r, 0, 1.0, axis=1), axis=1)[:, :-1]
    return printed(one_by_one(r * before / v.rank))


TREC_EVAL: dict[str, Callable[[Measure, View], Array]] = {
    'P': _p,
    'R': _r,
    'AP': _ap,
    'RR': _rr,
    'Rprec': _rprec,
    'Success': _success,
    'nDCG': _ndcg,
}
HOSTS: list[tuple[str, str, dict[str, Callable[[Measure, View], Array]]]] = [
    ('pytrec_eval', 'single', TREC_EVAL),
    ('cwl_eval', 'rows', {'RBP': _rbp}),
    ('judged', 'ascending', {'Judged': _judged}),
    ('msmarco', 'ascending', {'RR': _rr}),
    ('gdeval', 'descending', {'nDCG': _ndcg_gdeval, 'ERR': _err}),
]
"""ir_measures' provider, how it orders equal scores (:data:`~ir_divmeasures.data.ids.ORDERS`), what it computes."""


class KnownMeasure(NamedTuple):
    """A measure that is computed here: how, and in which order of the ranking."""

    measure: Measure
    compute: Callable[[Measure, View], Array]
    order: str


def _known_measure(measure: Measure, in_scale: bool) -> KnownMeasure | None:
    """How a measure is computed here; None for what is left to the providers.

    Args:
        measure: a measure of ir_measures.
        in_scale: whether gdeval takes the grades.
    """
    name, params = str(measure.NAME), measure.params
    k, rel = params.get('cutoff'), params.get('rel', 1)
    gains = (params.get('gains') or {}).items()
    if (
        type(measure).__module__.partition('.')[0] != 'ir_measures'
        or not (k is None or isinstance(k, int) and k >= 1)
        or not all(isinstance(x, int) for pair in gains for x in pair)
    ):
        return None
    for host, order, functions in HOSTS:
        if name in functions and providers.registry[host].supports(measure):
            takes_rel = rel >= (host == 'pytrec_eval')  # it refuses rel=0
            takes = takes_rel and (in_scale or host != 'gdeval')
            return KnownMeasure(measure, functions[name], order) if takes else None
    return None


class AdHoc:
    """Ad-hoc measures on judgments of one grade per document (topic level).

    Args:
        measures: measures of ir_measures; :attr:`rest` are those that are left to its providers.
        judged: the judgments.
        grades: of each judged pair of their collection, NaN where it does not count; by default those of the topic
            level.
    """

    def __init__(self, measures: Sequence[Measure], judged: Judgments, grades: Array | None = None):
        self.judged = judged
        self.grades = np.zeros(0)
        if measures:
            self.grades = judged.pair_grades if grades is None else grades
        finite = self.grades[np.isfinite(self.grades)]
        in_scale = bool(((finite <= GDEVAL_HIGHEST) & (finite == np.floor(finite))).all())
        pairs = [(measure, _known_measure(measure, in_scale)) for measure in measures]
        self.known = [known for _, known in pairs if known is not None]
        self.rest = [measure for measure, known in pairs if known is None]
        self._ideals: dict[Any, tuple[Array, dict[Any, Array]]] = {}

    def scores(
        self, located: Callable[[str], Hits], measures: Sequence[Measure] | None = None
    ) -> dict[Measure, Array]:
        """The values of each measure, (rankings,), or of some of them.

        Args:
            located: a function that gives the judged documents of the rankings in an order.
            measures: those of the measures that are computed here; None for all.
        """
        views: dict[Any, View] = {}
        values = {}
        for measure, compute, order in self.known:
            if measures is not None and measure not in measures:
                continue
            gains = tuple((measure.params.get('gains') or {}).items())
            key = order, measure.params.get('judged_only', False), gains
            if key not in views:
                hits = located(order)
                views[key] = self.view(hits.judged_only if key[1] else hits, *key[1:])
            with np.errstate(divide='ignore', invalid='ignore'):
                values[measure] = compute(measure, views[key])
        return values

    def view(self, hits: Hits, judged_only: bool, gains: tuple[tuple[int, int], ...] = ()) -> View:
        """The judged documents of rankings with grades, or with the gains of grades.

        Documents count if they are judged for an official intent; with ``judged_only`` if they have any row, as for our
        measures.
        """
        grades = self.grades.copy() if gains else self.grades
        for mapped, gain in gains:
            grades[self.grades == mapped] = gain
        owner, rank, grade = hits.query, hits.rank, grades[hits.pair]
        if judged_only:
            grade = np.where(np.isfinite(grade), grade, -1.0)
        elif not np.isfinite(grade).all():
            counts = np.isfinite(grade)
            owner, rank, grade = owner[counts], rank[counts], grade[counts]
        n = len(hits.n)
        ranks, values = padded(owner, n, rank, np.inf), padded(owner, n, grade, -1.0)
        if gains not in self._ideals:
            owner = self.judged.query_of_pair
            known = np.isfinite(grades) & (grades >= 0)
            judged = padded(owner[known], len(self.judged.query_ids), grades[known], -1.0)
            self._ideals[gains] = np.sort(judged)[:, ::-1], {}  # the highest grade first
        return View(ranks, values, hits.n.astype(float), *self._ideals[gains], hits.queries)


def padded(owner: NDArray[np.intp], n_queries: int, values: NDArray[Any], nothing: float) -> Array:
    """(Q, H): the values of each query in their order, then ``nothing``."""
    counts = np.bincount(owner, minlength=n_queries)
    table = np.full((n_queries, int(counts.max(initial=0))), nothing)
    table[owner, place_in_group(owner, counts)] = values
    return table


def check_whole_grades(measures: Iterable[Any], rows: pd.DataFrame) -> None:
    """Raise if a measure of a provider that takes whole grades only meets a fractional one.

    Raises:
        ValueError: names measure, query, document and grade.
    """
    fractional = np.flatnonzero(rows['relevance'] % 1 != 0)
    if not len(fractional):
        return
    row = rows.iloc[int(fractional[0])]
    for measure in measures:
        # A provider is imported when it is asked whether it is available: ranx and its dependencies take seconds.
        names = (p.NAME for p in others() if p.supports(measure) and p.is_available())
        if next(names, None) not in WHOLE_GRADES:
            continue
        raise ValueError(
            f'{measure}: query {row.query_id!r}, document {row.doc_id!r} has the grade '
            f'{plain(row.relevance)!r}; ir_measures\' provider of this measure takes whole grades only '
            f'({len(fractional)} of {len(rows)} are not)'
        )
