"""Ad-hoc measures of ir_measures, computed on the same aligned run as ours, with the values of the hosts.

``P R AP RR Rprec Success nDCG ERR RBP Judged`` with the parameters that ir_measures' providers take. The hosts order a
ranking in different ways, and so does this module (:data:`HOSTS`). The hosts compute every other measure, and raise the
errors for what they do not compute. Errors of a host in a value (docs/deviations.md) are not repeated.

:func:`own_adhoc_measures` and arguments ``own_adhoc`` turn this off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure, providers
from numpy.typing import NDArray

from ..core.kernels.sums import one_by_one
from ..core.ranking import Array
from ..io.coding import place_in_group
from ..judgments.arrays import JudgedHits

if TYPE_CHECKING:
    from ..judgments.arrays import LocatedRun
    from ..judgments.table import Judgments

_default = {'own': True}

GDEVAL_HIGHEST = 4
"""gdeval's scale of grades; it refuses higher ones."""
CWL_DEPTH = 1000
"""The number of ranks that cwl_eval reads."""


def own_adhoc_measures(on: bool = True) -> bool:
    """Set whether this package computes ad-hoc measures by default, or ir_measures' providers do.

    Values are the same to rounding; the package's own are faster, and take fractional grades. The default is for calls
    through ``ir_measures`` and PyTerrier, which pass no arguments of ours; :func:`ir_divmeasures.evaluate` has an
    argument ``own_adhoc``.

    Args:
        on: True, the default, computes them in this package. Existing evaluators do not change.

    Returns:
        The previous setting.

    Examples:
        >>> own_adhoc_measures(False)
        True
        >>> own_adhoc_measures()
        False
    """
    before = computed_here()
    _default['own'] = bool(on)
    return before


def computed_here(own_adhoc: bool | None = None) -> bool:
    """What an argument ``own_adhoc`` means: None is the default that :func:`own_adhoc_measures` sets."""
    return _default['own'] if own_adhoc is None else own_adhoc


@dataclass(frozen=True)
class View:
    """Judged documents of a run for one measure: (Q, H) ranks (``inf`` pads) and grades, ranked as its host ranks.

    Attributes:
        rank: ranks from 1.
        grade: grades, or gains where the measure maps them; −1 where padded.
        n: (Q,) documents retrieved.
        judged: the grades of all judged documents of each query, highest first, (Q, D); −1 pads.
    """

    rank: Array
    grade: Array
    n: Array
    judged: Array

    def hits(self, measure: Measure) -> Array:
        """1 where a document's grade is at least the measure's ``rel``; (Q, H)."""
        return (np.isfinite(self.rank) & (self.grade >= measure['rel'])).astype(float)

    def n_relevant(self, measure: Measure) -> Array:
        """Judged documents whose grade is at least ``rel``; (Q,)."""
        return ((self.judged >= measure['rel']) & (self.judged > -1)).sum(axis=1).astype(float)

    def within(self, measure: Measure) -> NDArray[np.bool_]:
        """Which ranks are within the measure's cutoff; (Q, H)."""
        return np.isfinite(self.rank) & (self.rank <= _cutoff(measure))


def _cutoff(measure: Measure) -> float:
    k = measure['cutoff'] if 'cutoff' in measure.params else None
    return np.inf if k is None else float(k)


def _share(x: Array, of: Array) -> Array:
    return np.where(of > 0, x / np.where(of > 0, of, 1.0), 0.0)


def _p(m: Measure, v: View) -> Array:
    return (v.hits(m) * v.within(m)).sum(axis=1) / _cutoff(m)


def _r(m: Measure, v: View) -> Array:
    return _share((v.hits(m) * v.within(m)).sum(axis=1), v.n_relevant(m))


def _ap(m: Measure, v: View) -> Array:
    hits = v.hits(m)
    return _share(
        one_by_one(hits * np.cumsum(hits, axis=1) * v.within(m) / v.rank), v.n_relevant(m)
    )


def _rr(m: Measure, v: View) -> Array:
    return 1 / np.where((v.hits(m) > 0) & v.within(m), v.rank, np.inf).min(axis=1, initial=np.inf)


def _rprec(m: Measure, v: View) -> Array:
    relevant = v.n_relevant(m)
    return _share((v.hits(m) * (v.rank <= relevant[:, None])).sum(axis=1), relevant)


def _success(m: Measure, v: View) -> Array:
    return (v.hits(m) * v.within(m)).any(axis=1).astype(float)


def _ndcg(m: Measure, v: View) -> Array:
    place = np.arange(1, v.judged.shape[1] + 1)
    ideal = one_by_one(np.maximum(v.judged, 0) / np.log2(place + 1) * (place <= _cutoff(m)))
    return _share(one_by_one(np.maximum(v.grade, 0) / np.log2(v.rank + 1) * v.within(m)), ideal)


def _rbp(m: Measure, v: View) -> Array:
    p, ranks = m['p'], np.arange(CWL_DEPTH)
    relevant = (
        np.isfinite(v.rank) & (np.maximum(v.grade, 0) >= m['rel']) & (v.rank <= CWL_DEPTH)
    ).astype(float)
    return (
        one_by_one(relevant * float(p) ** (np.minimum(v.rank, CWL_DEPTH) - 1))
        / (float(p) ** ranks).sum()
    )


def _judged(m: Measure, v: View) -> Array:
    return _share(v.within(m).sum(axis=1).astype(float), np.minimum(v.n, _cutoff(m)))


def _printed(values: Array) -> Array:
    """As gdeval prints them: five decimals."""
    return np.array([float(f'{value:.5f}') for value in values.tolist()])


def _ndcg_gdeval(m: Measure, v: View) -> Array:
    place = np.arange(1, v.judged.shape[1] + 1)
    ideal = one_by_one(
        (2 ** np.maximum(v.judged, 0) - 1) / np.log2(place + 1) * (place <= _cutoff(m))
    )
    gain = (2 ** np.maximum(v.grade, 0) - 1) / np.log2(v.rank + 1)
    return _printed(_share(one_by_one(gain * v.within(m)), ideal))


def _err(m: Measure, v: View) -> Array:
    r = (2 ** np.maximum(v.grade, 0) - 1) / 2**GDEVAL_HIGHEST * v.within(m)
    on = np.cumprod(1 - r, axis=1)
    before = np.concatenate([np.ones((len(r), 1)), on[:, :-1]], axis=1) if r.shape[1] else on
    return _printed(one_by_one(r * before / v.rank))


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
"""ir_measures' provider, how it orders equal scores (:data:`~ir_divmeasures.io.coding.ORDERS`), what it computes."""


@dataclass(frozen=True)
class _OwnMeasure:
    """A measure that is computed here: how, in which order of the ranking."""

    measure: Measure
    compute: Callable[[Measure, View], Array]
    host: str
    order: str


def _own_measure(measure: Measure, highest: float, whole: bool) -> _OwnMeasure | None:
    if type(measure).__module__.partition('.')[0] != 'ir_measures':
        return None
    name = str(measure.NAME)
    candidates = [
        (host, order, functions[name])
        for host, order, functions in HOSTS
        if name in functions and providers.registry[host].supports(measure)
    ]
    if not candidates:
        return None
    host, order, compute = candidates[0]
    if host == 'gdeval' and (highest > GDEVAL_HIGHEST or not whole):
        return None  # gdeval says so
    k, rel = measure.params.get('cutoff'), measure.params.get('rel', 1)
    if (k is not None and not (isinstance(k, int) and k >= 1)) or not rel >= (
        host == 'pytrec_eval'
    ):
        return None  # pytrec_eval refuses rel=0
    gains = measure.params.get('gains')
    if gains is not None and not all(isinstance(x, int) for pair in gains.items() for x in pair):
        return None
    return _OwnMeasure(measure, compute, host, order)


class AdHoc:
    """Ad-hoc measures on judgments of one grade per document (topic level).

    Args:
        measures: measures of ir_measures; :attr:`rest` are those that are left to its providers.
        judged: the judgments.
        grades: of each judged pair of their collection, NaN where it does not count; by default those of the topic
            level.
        own_adhoc: False leaves all measures to the providers; None is :func:`own_adhoc_measures`' default.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        judged: Judgments,
        grades: Array | None = None,
        own_adhoc: bool | None = None,
    ):
        self.judged = judged
        own_adhoc = computed_here(own_adhoc)
        self.grades = (
            grades
            if grades is not None
            else judged.pair_grades
            if measures and own_adhoc
            else np.zeros(0)
        )
        finite = self.grades[np.isfinite(self.grades)]
        highest, whole = finite.max(initial=0.0), bool((finite == np.floor(finite)).all())
        own_measures = [_own_measure(m, highest, whole) if own_adhoc else None for m in measures]
        self.known = [own_measure for own_measure in own_measures if own_measure is not None]
        self.rest = [m for m, own_measure in zip(measures, own_measures) if own_measure is None]
        self._ideals: dict[Any, Array] = {}

    def by_document_descending(self) -> list[Measure]:
        """Those that order equal scores by doc_id descending."""
        return [known.measure for known in self.known if known.order in ('single', 'descending')]

    def in_single(self) -> list[Measure]:
        """Those that compare scores in 32 bits."""
        return [known.measure for known in self.known if known.order == 'single']

    def scores(self, run: LocatedRun | JudgedHits) -> list[tuple[Measure, Array]]:
        """Each measure with its values, (queries,); of a :class:`Located` in its order, whatever that of the host."""
        views: dict[Any, View] = {}
        results = []
        for known in self.known:
            m = known.measure
            gains = m.params.get('gains')
            gain_key = None if gains is None else tuple(sorted(gains.items()))
            key = known.order, m.params.get('judged_only', False), gain_key
            if key not in views:
                views[key] = self._view(run, *key)
            with np.errstate(divide='ignore', invalid='ignore'):
                values = known.compute(m, views[key])
            results.append((m, values))
        return results

    def _view(
        self, run: LocatedRun | JudgedHits, order: str, judged_only: bool, gains: Any
    ) -> View:
        pair, rank, n, _ = run if isinstance(run, JudgedHits) else run.located(order)
        grades = self._map_grades(gains)
        grade = grades[pair]
        kept = np.isfinite(grade)  # judged for an official intent
        if judged_only:
            kept &= grade >= 0
        pair, rank, grade = pair[kept], rank[kept], grade[kept]
        owner = self.judged.collection.query_of_pair()[pair]
        counts = np.bincount(owner, minlength=len(n))
        column = place_in_group(owner, counts)
        shape = len(n), int(counts.max(initial=0))
        ranks, values = np.full(shape, np.inf), np.full(shape, -1.0)
        ranks[owner, column] = column + 1 if judged_only else rank
        values[owner, column] = grade
        if gains not in self._ideals:
            self._ideals[gains] = self._highest_first(grades)
        return View(ranks, values, n.astype(float), self._ideals[gains])

    def _map_grades(self, gains: Any) -> Array:
        if gains is None:
            return self.grades
        gain_array = self.grades.copy()
        for grade, gain in gains:
            gain_array[self.grades == grade] = gain
        return gain_array

    def _highest_first(self, grades: Array) -> Array:
        """(Q, D): the grades of at least 0 of each query, highest first, −1 where padded."""
        owner = self.judged.collection.query_of_pair()
        kept = np.isfinite(grades) & (grades >= 0)
        owner, grades = owner[kept], grades[kept]
        counts = np.bincount(owner, minlength=len(self.judged.query_ids))
        padded = np.full((len(counts), int(counts.max(initial=0))), 1.0)
        padded[owner, place_in_group(owner, counts)] = -grades
        padded.sort(axis=1)
        return -padded


__all__ = ['AdHoc', 'own_adhoc_measures']
