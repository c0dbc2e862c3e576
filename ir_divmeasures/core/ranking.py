"""What a measure sees: judgments and rankings of a block of queries as arrays, without ids.

A hit is a retrieved document with a grade above 0. A ranking is represented by its hits and their ranks. All other
documents only affect the ranks of the hits and the number of retrieved documents. Shapes in this module: ``Q`` queries,
``D`` judged documents of a query with a grade above 0, ``H`` hits, ``T`` aspects.

Several measures read the same arrays. Judgments and rankings therefore keep what they compute, under a key that names
it: ``judgments.keep(('gain', kind, rel), compute)``. What a ranking keeps is shared by all its cutoffs, so that it must
not depend on the cutoff unless the key contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..lazy import cached_property
from .kernels import Array as Array
from .kernels import cascade, discount, gain, ideal, redundancy, sums

V = TypeVar('V')


class InnerMeasures(Protocol):
    """Computes measures of ir_measures for a measure that wraps them (``IA``, ``LA``)."""

    def each_aspect(self, measure: str, judged_only: bool) -> Array: ...

    def whole(self, measure: str, judged_only: bool) -> Array: ...

    def on_layer(self, layer: int) -> InnerMeasures: ...


class Keeper:
    """What keeps results that several measures read.

    Attributes:
        results: the results by key.
    """

    results: dict[tuple[Any, ...], Any]

    def keep(self, key: tuple[Any, ...], compute: Callable[[], V]) -> V:
        """The result of ``compute()``, which is computed once for a key."""
        if key not in self.results:
            self.results[key] = compute()
        value: V = self.results[key]
        return value


class JudgmentArrays(Keeper):
    """The judgments of a block of queries for one set of aspects, as arrays.

    The arrays have a row for each query. Queries with fewer documents or aspects than the largest query of the block
    are padded with grades of 0. Documents without a grade above 0 for any aspect have no place on the document axis.

    Attributes:
        grade: (Q, D, T) grades in the unit of the judgments, 0 where a document is unjudged or judged below 0. The
            documents of a query are sorted by doc_id, descending.
        given_weight: (Q, T) weights in the judgments, or None if the judgments have none.
        columns: further columns of the judgments that describe documents, by name; each (Q, D).
        aspect_columns: further columns of the judgments that describe aspects, by name; each (Q, T).
        named: (Q, T) of bool: whether the judgments list an aspect, with or without a relevant document.
        reading: which aspects make up T. With ``'relevant'`` these are the aspects with a relevant document, with
            ``'listed'`` all listed ones.
        layers: the hierarchy of intents whose base layer these judgments are: judgments of the same queries and documents
            by the number of the layer, top layer first. Layers of superintents are below 0, the official intents are layer
            0, and layers of subintents are above 0. Judgments on another layer, or without a hierarchy, have only
            themselves here.
        ideals: the results of :meth:`keep_ideal` by key.
    """

    def __init__(
        self,
        grade: Array,
        given_weight: Array | None = None,
        columns: dict[str, NDArray[Any]] | None = None,
        aspect_columns: dict[str, NDArray[Any]] | None = None,
        named: NDArray[np.bool_] | None = None,
        reading: str = 'relevant',
    ):
        self.grade, self.given_weight, self.reading = grade, given_weight, reading
        self.named: NDArray[np.bool_] = np.any(grade > 0, axis=1) if named is None else named
        self.columns, self.aspect_columns = columns or {}, aspect_columns or {}
        self.layers: dict[int, JudgmentArrays] = {0: self}
        self.results, self.ideals = {}, dict[tuple[Any, ...], Array]()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, 'results': {}, 'ideals': {}}

    def keep_ideal(self, key: tuple[Any, ...], compute: Callable[[], Array]) -> Array:
        """An ideal ranking, or its value, (Q, …), computed once for a key. :meth:`of_queries` takes its rows.

        Raises:
            ValueError: ``compute()`` returns another number of rows.
        """
        if key not in self.ideals:
            values = compute()
            if len(values) != len(self.grade):
                raise ValueError(f'{key}: {len(values)} rows, expected one for each query')
            self.ideals[key] = values
        return self.ideals[key]

    @property
    def shape(self) -> tuple[int, int, int]:
        """(Q, D, T), the numbers of queries, documents and aspects."""
        queries, documents, aspects = self.grade.shape
        return queries, documents, aspects

    # ---- relevance, aspects and weights --------------------------------------------------------------------

    def relevant(self, rel: float) -> Array:
        """J(d,t) as 0/1: grade ≥ rel and > 0; (Q, D, T)."""
        return self.keep(
            ('relevant', rel), lambda: ((self.grade >= rel) & (self.grade > 0)).astype(float)
        )

    def n_relevant(self, rel: float) -> Array:
        """R_t: documents relevant to each aspect; (Q, T)."""
        return self.keep(('n_relevant', rel), lambda: np.add.reduce(self.relevant(rel), axis=1))

    def aspects(self, rel: float) -> NDArray[np.bool_]:
        """Whether an aspect is in T, which has the aspects with a relevant document or all listed ones; (Q, T)."""
        return self.named if self.reading == 'listed' else self.n_relevant(rel) > 0

    def weight(self, rel: float) -> Array:
        """w(t): the weight in the judgments, or 1/|T| if they have no weights. It is 0 outside T; (Q, T)."""

        def compute() -> Array:
            aspects = self.aspects(rel)
            if self.given_weight is None:
                return sums.alike(aspects)
            return np.where(aspects, self.given_weight, 0.0)

        return self.keep(('weight', rel), compute)

    @cached_property
    def highest_grade(self) -> Array:
        """gmax: the highest grade of each aspect; (Q, T)."""
        highest: Array = self.grade.max(axis=1, initial=0.0)
        return highest

    # ---- gains and probabilities ---------------------------------------------------------------------------

    def probability(self, kind: str, max_rel: float | None, rel: float) -> Array:
        """r_t of the judged documents, 0 for aspects outside T; (Q, D, T).

        Raises:
            ValueError: a grade is above ``max_rel``, or above 1 with ``raw``, and gives no probability.
        """
        gmax = self.highest_grade
        highest = gmax.max(initial=0.0)
        if max_rel is not None and highest > max_rel and kind in ('exp', 'linear'):
            raise ValueError(f'max_rel={max_rel:g}, but a grade of {highest:g} was judged')
        if kind == 'raw' and highest > 1:
            raise ValueError(
                f"gain='raw' takes grades as probabilities, but a grade of {highest:g} was judged"
            )
        top = gmax[:, None, :] if max_rel is None else max_rel

        def compute() -> Array:
            grade = self.grade * self.aspects(rel)[:, None, :]
            return gain.relevance_probability(grade, self.relevant(rel), top, kind)

        return self.keep(('probability', kind, max_rel, rel), compute)

    def gain(self, kind: str | Mapping[float, float], rel: float) -> Array:
        """Gain values of the judged documents, 0 for aspects outside T; (Q, D, T)."""
        if kind == 'exp' and self.highest_grade.max(initial=0.0) > 1000:
            raise ValueError(
                f"gain='exp': a grade of {self.grade.max():g} was judged, too large for 2^g"
            )

        def compute() -> Array:
            values = gain.gain_value(self.grade, self.relevant(rel), kind)
            return values * self.aspects(rel)[:, None, :]

        return self.keep(('gain', kind, rel), compute)

    def n_gaining(self, kind: str | Mapping[float, float], rel: float) -> NDArray[np.intp]:
        """The number of documents with a gain above 0 for each aspect; (Q, T)."""
        return self.keep(
            ('n_gaining', kind, rel), lambda: np.count_nonzero(self.gain(kind, rel) > 0, axis=1)
        )

    def global_gain(self, kind: str, rel: float) -> Array:
        """GG(d) = Σ_t w_t gain(d,t) of the judged documents; (Q, D)."""
        return self.keep(
            ('global gain', kind, rel),
            lambda: sums.weighted(self.gain(kind, rel), self.weight(rel)),
        )

    # ---- ideal rankings ------------------------------------------------------------------------------------

    def ideal_global_gain(self, kind: str, rel: float) -> Array:
        """GG of the ideal list, largest first; (Q, D)."""
        return self.keep_ideal(
            ('global gain', kind, rel),
            lambda: ideal.sorted_gains(self.global_gain(kind, rel)),
        )

    def ideal_gain(self, kind: str, rel: float) -> Array:
        """Gains of each aspect's own ideal list; (Q, D, T)."""
        return self.keep_ideal(
            ('gain', kind, rel), lambda: ideal.sorted_gains(self.gain(kind, rel))
        )

    def greedy_gains(self, rel: float, alpha: float, depth: int) -> Array:
        """Σ_t w_t J(d,t)(1 − α)^c_t of the greedy ideal ranking (:func:`kernels.ideal.greedy_gains`); (Q, depth).

        The deepest of these rankings is kept, and begins like the others.
        """
        key, relevant = ('greedy', rel, alpha), self.relevant(rel)
        if key not in self.ideals or self.ideals[key].shape[1] < depth:
            gains = ideal.greedy_gains(relevant, relevant, self.weight(rel), alpha, 0.0, depth)
            self.ideals[key] = np.nan_to_num(gains)
        return self.ideals[key][:, :depth]

    # ---- the same judgments, seen in another way -----------------------------------------------------------

    @property
    def topic(self) -> JudgmentArrays:
        """The judgments at topic level: one aspect with the grades g(d) = max_t g(d,t)."""

        def compute() -> JudgmentArrays:
            highest = self.grade.max(axis=2, keepdims=True, initial=0.0)
            return JudgmentArrays(highest, columns=self.columns)

        return self.keep(('topic',), compute)

    @property
    def listed(self) -> JudgmentArrays:
        """The same judgments, where T contains every listed aspect on every layer of the hierarchy."""
        if self.reading == 'listed':
            return self
        return self.keep(
            ('listed',), lambda: self.on_each_layer(lambda each: each._but(reading='listed'))
        )

    @property
    def by_aspect(self) -> JudgmentArrays:
        """Judgments of Q · T queries, one for each query and aspect. The aspects of a query follow each other."""

        def compute() -> JudgmentArrays:
            n, depth, aspects = self.shape
            of_aspects = self.aspect_columns.items()
            return JudgmentArrays(
                self.grade.transpose(0, 2, 1).reshape(n * aspects, depth, 1),
                None,
                {name: np.repeat(values, aspects, axis=0) for name, values in self.columns.items()},
                {name: values.reshape(n * aspects, 1) for name, values in of_aspects},
                self.named.reshape(n * aspects, 1),
            )

        return self.keep(('by aspect',), compute)

    def on_each_layer(self, change: Callable[[JudgmentArrays], JudgmentArrays]) -> JudgmentArrays:
        """These judgments after a change, in a hierarchy whose layers are changed too."""
        base = change(self)
        base.layers = {
            number: base if judgments is self else change(judgments)
            for number, judgments in self.layers.items()
        }
        return base

    def of_queries(self, rows: NDArray[np.intp]) -> JudgmentArrays:
        """The judgments of the queries in some rows, which may repeat, with their ideal rankings."""

        def take(each: JudgmentArrays) -> JudgmentArrays:
            taken = JudgmentArrays(
                each.grade[rows],
                None if each.given_weight is None else each.given_weight[rows],
                {name: values[rows] for name, values in each.columns.items()},
                {name: values[rows] for name, values in each.aspect_columns.items()},
                each.named[rows],
                each.reading,
            )
            taken.ideals = {key: values[rows] for key, values in each.ideals.items()}
            return taken

        return self.on_each_layer(take)

    def with_columns(self, columns: dict[str, NDArray[Any]]) -> JudgmentArrays:
        """The same judgments with further columns of documents, each (Q, D), which replace those of the same name."""
        return self._but(columns={**self.columns, **columns})

    def _but(self, **attributes: Any) -> JudgmentArrays:
        """The same judgments on one layer, with other attributes."""
        names = ('grade', 'given_weight', 'columns', 'aspect_columns', 'named', 'reading')
        return JudgmentArrays(**{**{name: getattr(self, name) for name in names}, **attributes})


class Ranking(Keeper):
    """A block of rankings, one for each query, as a measure sees them for one ``rel`` and one cutoff.

    The rankings contain hits only, which are retrieved documents with a grade above 0. Rankings with fewer than H hits
    are padded with hits of rank ``inf``. The methods return values at the hits, (Q, H) or (Q, H, T), and values of
    queries and aspects, (Q,) and (Q, T).

    Attributes:
        judgments: the judgments of the same queries, of retrieved and other documents.
        document: (Q, H) index of each hit on the document axis of ``judgments``.
        rank: (Q, H) ranks of the hits from 1, ascending; ``inf`` for padding.
        n: (Q,) the number of retrieved documents.
        rel: the lowest grade that counts as relevant.
        k: the cutoff, or None for the whole run.
        judged_only: whether ranks are counted over judged documents only.
        inner: computes the measures of ir_measures that a measure wraps, or None.
    """

    def __init__(
        self,
        judgments: JudgmentArrays,
        document: NDArray[np.intp],
        rank: Array,
        n: Array,
        rel: float = 1,
        k: int | None = None,
        judged_only: bool = False,
        inner: InnerMeasures | None = None,
    ):
        self.judgments, self.document, self.rank, self.n = judgments, document, rank, n
        self.rel, self.k, self.judged_only, self.inner = rel, k, judged_only, inner
        self.results: dict[tuple[Any, ...], Any] = {}

    # ---- the same rankings, seen in another way ------------------------------------------------------------

    def cut(self, k: int | None) -> Ranking:
        """The same rankings at cutoff k."""
        if k == self.k:
            return self
        judgments, document, rank, n = self.judgments, self.document, self.rank, self.n
        other = Ranking(judgments, document, rank, n, self.rel, k, self.judged_only, self.inner)
        other.results = self.results
        return other

    def rejudge(self, judgments: JudgmentArrays, inner: InnerMeasures | None) -> Ranking:
        """The whole rankings with other judgments of the same documents."""
        document, rank, n = self.document, self.rank, self.n
        return Ranking(judgments, document, rank, n, self.rel, None, self.judged_only, inner)

    @property
    def topic(self) -> Ranking:
        """The same rankings at topic level, with one aspect of weight 1."""
        topic = self.keep(('topic',), lambda: self.rejudge(self.judgments.topic, self.inner))
        return topic.cut(self.k)

    @property
    def listed(self) -> Ranking:
        """The rankings where T has all aspects that the judgments list."""
        if self.judgments.reading == 'listed':
            return self
        listed = self.keep(('listed',), lambda: self.rejudge(self.judgments.listed, self.inner))
        return listed.cut(self.k)

    @property
    def layers(self) -> list[Ranking]:
        """The same rankings on each layer of the hierarchy, top layer first."""

        def on_layer(number: int) -> Ranking:
            judgments = self.judgments.layers[number]
            if judgments is self.judgments:
                return self

            def compute() -> Ranking:
                inner = None if self.inner is None else self.inner.on_layer(number)
                return self.rejudge(judgments, inner)

            return self.keep(('layer', number), compute).cut(self.k)

        return [on_layer(number) for number in self.judgments.layers]

    def by_aspect(self, rel: float) -> Ranking:
        """Rankings of Q · T queries, one for each query and aspect. The aspects of a query follow each other."""

        def compute() -> Ranking:
            aspects = self.judgments.shape[2]
            return Ranking(
                self.judgments.by_aspect,
                np.repeat(self.document, aspects, axis=0),
                np.repeat(self.rank, aspects, axis=0),
                np.repeat(self.n, aspects),
                rel,
                judged_only=self.judged_only,
            )

        return self.keep(('by aspect', rel), compute).cut(self.k)

    # ---- retrieved documents -------------------------------------------------------------------------------

    @property
    def ranks(self) -> Array:
        """The ranks 1, 2, … down to the deepest of all rankings within the cutoff; (N,)."""
        return np.arange(1, self.depth.max(initial=0) + 1, dtype=float)

    @property
    def depth(self) -> NDArray[np.intp]:
        """m = min(k, n): the number of documents that the user looks at; (Q,)."""
        return np.minimum(self.n, np.inf if self.k is None else self.k).astype(np.intp)

    @property
    def length(self) -> NDArray[np.intp]:
        """k, or the run's length where there is no cutoff; (Q,)."""
        return (self.n if self.k is None else np.full(len(self.rank), self.k)).astype(np.intp)

    def capped(self, count: NDArray[Any]) -> Array:
        """min(k, count), or the count where there is no cutoff, in the shape of the count."""
        return (count if self.k is None else np.minimum(count, self.k)).astype(float)

    @property
    def within(self) -> NDArray[np.bool_]:
        """Whether a hit is within the cutoff; (Q, H)."""
        return np.isfinite(self.rank) if self.k is None else self.rank <= self.k

    def total(self, x: Array) -> Array:
        """Σ over the hits within the cutoff: (Q, H) → (Q,), (Q, H, T) → (Q, T)."""
        return sums.chosen(x, self.within.astype(float))

    def total_by_rank(self, by_rank: Array) -> Array:
        """Σ of an array by rank, (N,) or (Q, N), over the retrieved documents within the cutoff; (Q,)."""
        if by_rank.ndim == 1:
            return np.append(0.0, np.cumsum(by_rank))[self.depth]
        is_read = np.arange(by_rank.shape[1]) < self.depth[:, None]
        return sums.one_by_one(np.where(is_read, by_rank, 0.0))

    # ---- the hits ------------------------------------------------------------------------------------------

    def of_hits(self, x: NDArray[Any]) -> NDArray[Any]:
        """The values at the hits, (Q, H[, T]), of an array by judged document, (Q, D[, T]); 0 for padding."""
        place = np.arange(len(self.rank))[:, None] * x.shape[1] + self.document
        if not place.size:
            return np.zeros((*place.shape, *x.shape[2:]), dtype=x.dtype)
        values = x.reshape(-1, *x.shape[2:]).take(place, axis=0)
        values[np.isinf(self.rank)] = 0
        return values

    def relevant(self) -> Array:
        """J(d_i,t) of the hits, 1 where relevant, else 0; (Q, H, T)."""
        return self.keep(('relevant',), lambda: self.of_hits(self.judgments.relevant(self.rel)))

    @property
    def weight(self) -> Array:
        """w(t), the weights of the aspects, 0 outside T; (Q, T)."""
        return self.judgments.weight(self.rel)

    @property
    def n_aspects(self) -> Array:
        """|T|, the number of aspects; (Q,)."""
        return self.judgments.aspects(self.rel).sum(axis=1).astype(float)

    @property
    def n_relevant(self) -> Array:
        """R_t: judged documents relevant to each aspect; (Q, T)."""
        return self.judgments.n_relevant(self.rel)

    def weighted(self, x: Array) -> Array:
        """Σ_t w_t x_t over the last axis: (Q, T) → (Q,), (Q, H, T) → (Q, H)."""
        return sums.weighted(x, self.weight)

    def gain(self, kind: str) -> Array:
        """Gains of the hits; (Q, H, T)."""
        return self.keep(('gain', kind), lambda: self.of_hits(self.judgments.gain(kind, self.rel)))

    def global_gain(self, kind: str) -> Array:
        """GG, the global gains of the hits; (Q, H)."""
        return self.of_hits(self.judgments.global_gain(kind, self.rel))

    def probability(self, kind: str, max_rel: float | None) -> Array:
        """r_t, the probabilities of relevance of the hits; (Q, H, T).

        Raises:
            ValueError: as :meth:`JudgmentArrays.probability`.
        """
        return self.keep(
            ('probability', kind, max_rel),
            lambda: self.of_hits(self.judgments.probability(kind, max_rel, self.rel)),
        )

    def unsatisfied(self, kind: str, max_rel: float | None) -> Array:
        """Π_{j<i} (1 − r_t(d_j)), the probability that no hit above satisfied the user; (Q, H, T)."""
        return self.keep(
            ('unsatisfied', kind, max_rel),
            lambda: cascade.unsatisfied(self.probability(kind, max_rel)),
        )

    # ---- redundancy ----------------------------------------------------------------------------------------

    def count_before(self) -> Array:
        """c_t(i), the number of hits at better ranks that are relevant to the aspect; (Q, H, T)."""
        return self.keep(('count before',), lambda: redundancy.before(self.relevant()))

    def first_of_aspect(self) -> Array:
        """1 where a hit is the first relevant one of an aspect, else 0; (Q, H, T)."""
        return self.keep(('first of aspect',), lambda: self.relevant() * (self.count_before() == 0))

    def redundancy(self, alpha: float) -> Array:
        """(1 − α)^c_t(i); (Q, H, T)."""
        return self.keep(
            ('redundancy', alpha), lambda: redundancy.redundancy(self.count_before(), alpha)
        )

    def novel_gain(self, alpha: float) -> Array:
        """G(i) = Σ_t w_t J(d_i,t)(1 − α)^c_t(i); (Q, H)."""
        return self.weighted(self.relevant() * self.redundancy(alpha))

    def covered(self) -> Array:
        """1 where an aspect has a relevant document within the cutoff, else 0; (Q, T)."""
        return (self.total(self.relevant()) > 0).astype(float)

    # ---- discounts -----------------------------------------------------------------------------------------

    def log_discount(self) -> Array:
        """1/log2(i + 1) at the hits; (Q, H)."""
        return self.keep(('log discount',), lambda: discount.log_discount(self.rank))

    def geometric(self, p: float) -> Array:
        """p^(i − 1) at the hits; (Q, H)."""
        return self.keep(('geometric', p), lambda: discount.geometric(self.rank, p))


def ratio(numerator: Array, denominator: Array) -> Array:
    """numerator/denominator, or 0 where the denominator is 0 because there is nothing to find."""
    return np.where(denominator == 0, 0.0, numerator / np.where(denominator == 0, 1.0, denominator))
