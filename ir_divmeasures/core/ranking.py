"""What a measure sees: judgments and rankings of a block of queries as arrays, without ids.

A hit is a retrieved document with a grade above 0. A ranking is represented by its hits and their ranks. All other
documents only affect the ranks of the hits and the number of retrieved documents. Shapes in this module: ``Q`` queries,
``D`` judged documents of a query with a grade above 0, ``H`` hits, ``T`` aspects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .kernels import Array as Array
from .kernels import cascade, discount, gain, ideal, redundancy, sums
from .memo import Memo, at_every_cutoff
from .memo import cutoff_free as cutoff_free
from .memo import memo as memo


class InnerMeasures(Protocol):
    """Computes measures of ir_measures for a measure that wraps them (``IA``, ``LA``)."""

    def each_aspect(self, measure: str, judged_only: bool) -> Array: ...

    def whole(self, measure: str, judged_only: bool) -> Array: ...

    def on_layer(self, layer: int) -> InnerMeasures: ...


ARRAYS = ('grade', 'given_weight', 'columns', 'aspect_columns', 'named')
"""The attributes of judgments that are arrays by query, or arrays by name."""


class JudgmentArrays:
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
        once: the judgments some of whose queries these are (:meth:`of_queries`), or None.
    """

    once: JudgmentArrays | None = None

    def __init__(
        self,
        grade: Array,
        given_weight: Array | None = None,
        columns: dict[str, NDArray[Any]] | None = None,
        aspect_columns: dict[str, NDArray[Any]] | None = None,
        named: NDArray[np.bool_] | None = None,
        reading: str = 'relevant',
    ):
        self.grade = grade
        self.given_weight, self.reading = given_weight, reading
        self.named: NDArray[np.bool_] = np.any(self.grade > 0, axis=1) if named is None else named
        self.columns = columns or {}
        self.aspect_columns = aspect_columns or {}
        self.layers: dict[int, JudgmentArrays] = {0: self}
        self._memo: dict[Any, Any] = Memo()

    @property
    def shape(self) -> tuple[int, int, int]:
        """(Q, D, T), the numbers of queries, documents and aspects."""
        queries, documents, aspects = self.grade.shape
        return queries, documents, aspects

    @memo
    def relevant(self, rel: float) -> Array:
        """J(d,t) as 0/1: grade ≥ rel and > 0; (Q, D, T)."""
        return ((self.grade >= rel) & (self.grade > 0)).astype(float)

    @memo
    def n_relevant(self, rel: float) -> Array:
        """R_t: documents relevant to each aspect; (Q, T)."""
        return np.add.reduce(self.relevant(rel), axis=1)

    @memo
    def aspects(self, rel: float) -> NDArray[np.bool_]:
        """Whether an aspect is in T, which has the aspects with a relevant document or all listed ones; (Q, T)."""
        return self.named if self.reading == 'listed' else self.n_relevant(rel) > 0

    @memo
    def weight(self, rel: float) -> Array:
        """w(t): the weight in the judgments, or 1/|T| if they have no weights. It is 0 outside T; (Q, T)."""
        aspects = self.aspects(rel)
        if self.given_weight is not None:
            return np.where(aspects, self.given_weight, 0.0)
        return sums.alike(aspects)

    @memo
    def highest_grade(self) -> Array:
        """gmax: the highest grade of each aspect; (Q, T)."""
        return self.grade.max(axis=1, initial=0.0)

    @memo
    def probability(self, kind: str, max_rel: float | None, rel: float) -> Array:
        """r_t of the judged documents, 0 for aspects outside T; (Q, D, T).

        Raises:
            ValueError: a grade is above ``max_rel``, or above 1 with ``raw``, and gives no probability.
        """
        gmax = self.highest_grade()
        if max_rel is not None and gmax.max(initial=0.0) > max_rel and kind in ('exp', 'linear'):
            raise ValueError(f'max_rel={max_rel:g}, but a grade of {gmax.max():g} was judged')
        if kind == 'raw' and gmax.max(initial=0.0) > 1:
            raise ValueError(
                f"gain='raw' takes grades as probabilities, but a grade of {gmax.max():g} was judged"
            )
        top = gmax[:, None, :] if max_rel is None else max_rel
        grade = self.grade * self.aspects(rel)[:, None, :]
        return gain.relevance_probability(grade, self.relevant(rel), top, kind)

    @memo
    def gain(self, kind: str | Mapping[float, float], rel: float) -> Array:
        """Gain values of the judged documents, 0 for aspects outside T; (Q, D, T)."""
        if kind == 'exp' and self.grade.max(initial=0.0) > 1000:
            raise ValueError(
                f"gain='exp': a grade of {self.grade.max():g} was judged, too large for 2^g"
            )
        return gain.gain_value(self.grade, self.relevant(rel), kind) * self.aspects(rel)[:, None, :]

    @memo
    def n_gaining(self, kind: str | Mapping[float, float], rel: float) -> NDArray[np.intp]:
        """The number of documents with a gain above 0 for each aspect; (Q, T)."""
        return np.count_nonzero(self.gain(kind, rel) > 0, axis=1)

    @memo
    def global_gain(self, kind: str, rel: float) -> Array:
        """GG(d) = Σ_t w_t gain(d,t) of the judged documents; (Q, D)."""
        return sums.weighted(self.gain(kind, rel), self.weight(rel))

    @memo
    def ideal_global_gain(self, kind: str, rel: float) -> Array:
        """GG of the ideal list, largest first; (Q, D)."""
        return ideal.sorted_gains(self.global_gain(kind, rel))

    @memo
    def ideal_gain(self, kind: str, rel: float) -> Array:
        """Gains of each aspect's own ideal list; (Q, D, T)."""
        return ideal.sorted_gains(self.gain(kind, rel))

    def greedy_gains(self, rel: float, alpha: float, depth: int) -> Array:
        """Σ_t w_t J(d,t)(1 − α)^c_t of the greedy ideal ranking (:func:`kernels.ideal.greedy_gains`); (Q, depth).

        The deepest of these rankings is remembered, and begins like the others.
        """
        key, relevant = ('greedy', rel, alpha), self.relevant(rel)
        if key not in self._memo or self._memo[key].shape[1] < depth:
            gains = ideal.greedy_gains(relevant, relevant, self.weight(rel), alpha, 0.0, depth)
            self._memo[key] = np.nan_to_num(gains)
        return np.asarray(self._memo[key][:, :depth])

    @property
    @memo
    def listed(self) -> JudgmentArrays:
        """The same judgments, where T contains every listed aspect on every layer of the hierarchy."""
        if self.reading == 'listed':
            return self
        return self.on_each_layer(lambda each: each._but(reading='listed'))

    def on_each_layer(self, change: Callable[[JudgmentArrays], JudgmentArrays]) -> JudgmentArrays:
        """These judgments after a change, in a hierarchy whose layers are changed too."""
        base = change(self)
        base.layers = {
            number: base if judgments is self else change(judgments)
            for number, judgments in self.layers.items()
        }
        return base

    def copies(self, n: int) -> JudgmentArrays:
        """The judgments of n copies of the queries, one after the other, of n runs. The last ones are remembered."""
        if n == 1:
            return self
        copies = self._memo.get('copies')
        if copies is None or copies.shape[0] != n * self.shape[0]:
            rows = np.tile(np.arange(self.shape[0]), n)
            copies = self._memo['copies'] = self.of_queries(rows)
        return copies

    def of_queries(self, rows: NDArray[np.intp]) -> JudgmentArrays:
        """The judgments of the queries in some rows, which may repeat."""
        return self.on_each_layer(lambda each: _OfQueries(each, rows))

    def _but(self, **attributes: Any) -> JudgmentArrays:
        """The same judgments on one layer, with other attributes."""
        kept = {name: getattr(self, name) for name in (*ARRAYS, 'reading')}
        return JudgmentArrays(**{**kept, **attributes})

    @property
    @memo
    def by_aspect(self) -> JudgmentArrays:
        """Judgments of Q · T queries, one for each query and aspect. The aspects of a query follow each other."""
        n, depth, aspects = self.shape
        return JudgmentArrays(
            self.grade.transpose(0, 2, 1).reshape(n * aspects, depth, 1),
            None,
            {name: np.repeat(values, aspects, axis=0) for name, values in self.columns.items()},
            {name: values.reshape(n * aspects, 1) for name, values in self.aspect_columns.items()},
            self.named.reshape(n * aspects, 1),
        )

    def with_columns(self, columns: dict[str, NDArray[Any]]) -> JudgmentArrays:
        """The same judgments with further columns of documents, each (Q, D), which replace those of the same name."""
        return self._but(columns={**self.columns, **columns})

    @property
    @memo
    def topic(self) -> JudgmentArrays:
        """The judgments at topic level: one aspect with the grades g(d) = max_t g(d,t)."""
        return JudgmentArrays(
            self.grade.max(axis=2, keepdims=True, initial=0.0), columns=self.columns
        )


class _OfQueries(JudgmentArrays):
    """The judgments of some queries of others, which may repeat. What functions of judgments return by query is computed
    once, and arrays are copied when they are first read."""

    once: JudgmentArrays

    def __init__(self, once: JudgmentArrays, rows: NDArray[np.intp]):
        self.once, self.rows, self.reading = once, rows, once.reading
        self.layers, self._memo = {0: self}, Memo()

    def __getattr__(self, name: str) -> Any:
        if name not in ARRAYS:
            raise AttributeError(name)
        self.__dict__[name] = self.copied(getattr(self.once, name))
        return self.__dict__[name]

    def copied(self, x: Any) -> Any:
        """Arrays by query, judgments or None, for these queries."""
        if isinstance(x, JudgmentArrays):
            parts = np.arange(x.shape[0] // max(self.once.shape[0], 1))  # several if by aspect
            return x.of_queries((self.rows[:, None] * len(parts) + parts).ravel())
        if isinstance(x, dict):
            return {name: self.copied(column) for name, column in x.items()}
        return x if x is None else x.take(self.rows, axis=0)

    @property
    def shape(self) -> tuple[int, int, int]:
        _, documents, aspects = self.once.shape
        return len(self.rows), documents, aspects


@dataclass(eq=False, repr=False)
class Ranking:
    """A block of rankings, one for each query, as a measure sees them for one ``rel`` and one cutoff.

    The rankings contain hits only, which are retrieved documents with a grade above 0. Rankings with fewer than H hits
    are padded with hits of rank ``inf``. The methods return values at the hits, (Q, H) or (Q, H, T), and values of
    queries and aspects, (Q,) and (Q, T).

    Attributes:
        judgments: the judgments of the same queries, of retrieved and other documents.
        document: (Q, H) index of each hit on the document axis of ``judgments``.
        rank: (Q, H) ranks of the hits from 1, ascending; ``inf`` for padding.
        n: (Q,) the number of retrieved documents.
        k: the cutoff, or None for the whole run.
        rel: the lowest grade that counts as relevant.
        judged_only: whether ranks are counted over judged documents only.
        inner: computes the measures of ir_measures that a measure wraps, or None.
        _memos: the results that are remembered for the same rankings, by cutoff.
    """

    judgments: JudgmentArrays
    document: NDArray[np.intp]
    rank: Array
    n: Array
    rel: float = 1
    k: int | None = None
    judged_only: bool = False
    inner: InnerMeasures | None = None
    _memos: dict[Any, dict[Any, Any]] = field(default_factory=dict)

    @property
    def _memo(self) -> dict[Any, Any]:
        """The results that are remembered at this cutoff."""
        return self._memos.setdefault(self.k, {})

    def cut(self, k: int | None) -> Ranking:
        """The same rankings at cutoff k. They share the remembered results that do not depend on the cutoff."""
        return self._but(k=k)

    def _but(self, **attributes: Any) -> Ranking:
        """The same rankings with other attributes."""
        other = object.__new__(Ranking)
        other.__dict__.update(self.__dict__, **attributes)
        return other

    @property
    def whole_run(self) -> Ranking:
        """The same rankings without a readable cutoff, as :func:`cutoff_free` functions get them."""
        other = object.__new__(_WholeRun)
        other.__dict__.update(self.__dict__, k=None)
        return other

    @property
    @at_every_cutoff
    def topic(self) -> Ranking:
        """The same rankings at topic level, with one aspect of weight 1."""
        return self._of(self.judgments.topic, self.inner)

    def reading(self, aspects: str) -> Ranking:
        """The rankings where T has the aspects with a relevant document (``'relevant'``) or all ``'listed'`` ones."""
        return self if aspects == self.judgments.reading else self._listed()

    @at_every_cutoff
    def _listed(self) -> Ranking:
        return self._of(self.judgments.listed, self.inner)

    @property
    def layers(self) -> list[Ranking]:
        """The same rankings on each layer of the hierarchy, top layer first."""
        return [self if layer is None else layer.cut(self.k) for layer in self._layers()]

    @cutoff_free
    def _layers(self) -> list[Ranking | None]:
        return [
            None
            if judgments is self.judgments
            else self._of(judgments, None if self.inner is None else self.inner.on_layer(number))
            for number, judgments in self.judgments.layers.items()
        ]

    def _of(self, judgments: JudgmentArrays, inner: InnerMeasures | None) -> Ranking:
        return self._but(judgments=judgments, inner=inner, k=None, _memos={})

    @at_every_cutoff
    def by_aspect(self, rel: float) -> Ranking:
        """Rankings of Q · T queries, one for each query and aspect. The aspects of a query follow each other."""
        aspects = self.judgments.shape[2]
        return self._but(
            judgments=self.judgments.by_aspect,
            document=np.repeat(self.document, aspects, axis=0),
            rank=np.repeat(self.rank, aspects, axis=0),
            n=np.repeat(self.n, aspects),
            rel=rel,
            k=None,
            inner=None,
            _memos={},
        )

    # ---- retrieved documents -------------------------------------------------------------------------------

    @property
    def ranks(self) -> Array:
        """The ranks 1, 2, … down to the deepest of all rankings within the cutoff; (N,)."""
        return discount.ranks_to(np.minimum(self.n, np.inf if self.k is None else self.k))

    @property
    def depth(self) -> NDArray[np.intp]:
        """m = min(k, n): the number of documents that the user looks at; (Q,)."""
        return self.capped(self.n).astype(np.intp)

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
        """Σ of an array by rank over the retrieved documents within the cutoff: (Q, N) → (Q,)."""
        return sums.one_by_one(
            np.where(np.arange(by_rank.shape[1]) < self.depth[:, None], by_rank, 0.0)
        )

    # ---- grades of the hits -------------------------------------------------------------------------------

    def _read(self, function: Callable[..., NDArray[Any]], *arguments: Any) -> NDArray[Any]:
        """The values at the hits of a function of judgments. It is called on those that are no copies."""
        judgments = self.judgments
        if isinstance(judgments, _OfQueries):
            return self.of_hits(function(judgments.once, *arguments), judgments.rows)
        return self.of_hits(function(judgments, *arguments))

    def of_hits(self, x: NDArray[Any], rows: NDArray[np.intp] | None = None) -> NDArray[Any]:
        """The values at the hits, (Q, H[, T]), of an array by judged document, (Q, D[, T]); 0 for padding.

        Args:
            x: the array.
            rows: (Q,) the row of the array for each query, if they are not the same.
        """
        rows = np.arange(len(self.rank)) if rows is None else rows
        row = rows[:, None] * x.shape[1] + self.document
        if not row.size:
            return np.zeros((*row.shape, *x.shape[2:]), dtype=x.dtype)
        values = x.reshape(-1, *x.shape[2:]).take(row, axis=0)
        values[np.isinf(self.rank)] = 0
        return values

    @cutoff_free
    def relevant(self) -> Array:
        """J(d_i,t) of the hits, 1 where relevant, else 0; (Q, H, T)."""
        return self._read(JudgmentArrays.relevant, self.rel)

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

    @cutoff_free
    def gain(self, kind: str) -> Array:
        """Gains of the hits; (Q, H, T)."""
        return self._read(JudgmentArrays.gain, kind, self.rel)

    @cutoff_free
    def global_gain(self, kind: str) -> Array:
        """GG, the global gains of the hits; (Q, H)."""
        return self._read(JudgmentArrays.global_gain, kind, self.rel)

    @cutoff_free
    def probability(self, kind: str, max_rel: float | None) -> Array:
        """r_t, the probabilities of relevance of the hits; (Q, H, T).

        Raises:
            ValueError: as :meth:`JudgmentArrays.probability`.
        """
        return self._read(JudgmentArrays.probability, kind, max_rel, self.rel)

    @cutoff_free
    def unsatisfied(self, kind: str, max_rel: float | None) -> Array:
        """Π_{j<i} (1 − r_t(d_j)), the probability that no hit above satisfied the user; (Q, H, T)."""
        return cascade.unsatisfied(self.probability(kind, max_rel))

    # ---- redundancy --------------------------------------------------------------------------------------

    @cutoff_free
    def count_before(self) -> Array:
        """c_t(i), the number of hits at better ranks that are relevant to the aspect; (Q, H, T)."""
        return redundancy.before(self.relevant())

    @cutoff_free
    def first_of_aspect(self) -> Array:
        """1 where a hit is the first relevant one of an aspect, else 0; (Q, H, T)."""
        return self.relevant() * (self.count_before() == 0)

    @cutoff_free
    def redundancy(self, alpha: float) -> Array:
        """(1 − α)^c_t(i); (Q, H, T)."""
        return redundancy.redundancy(self.count_before(), alpha)

    @cutoff_free
    def novel_gain(self, alpha: float) -> Array:
        """G(i) = Σ_t w_t J(d_i,t)(1 − α)^c_t(i); (Q, H)."""
        return self.weighted(self.relevant() * self.redundancy(alpha))

    def covered(self) -> Array:
        """1 where an aspect has a relevant document within the cutoff, else 0; (Q, T)."""
        return (self.total(self.relevant()) > 0).astype(float)

    # ---- discounts ----------------------------------------------------------------------------------------

    @cutoff_free
    def log_discount(self) -> Array:
        """1/log2(i + 1) at the hits; (Q, H)."""
        return discount.log_discount(self.rank)

    @cutoff_free
    def geometric(self, p: float) -> Array:
        """p^(i − 1) at the hits; (Q, H)."""
        by_rank = np.append(0.0, discount.geometric(discount.ranks_to(self.n), p))
        return by_rank[np.where(np.isfinite(self.rank), self.rank, 0).astype(np.intp)]


class _WholeRun(Ranking):
    """A ranking whose cutoff cannot be read."""

    @property
    def _memo(self) -> dict[Any, Any]:
        return self._memos.setdefault('all cutoffs', {})

    @property
    def whole_run(self) -> Ranking:
        return self

    @property
    def k(self) -> int | None:  # type: ignore[override]
        raise RuntimeError(
            'a function that is @cutoff_free reads the cutoff (r.k, r.within, r.total, r.depth, …); '
            'use @memo'
        )


def ratio(numerator: Array, denominator: Array) -> Array:
    """numerator/denominator, or 0 where the denominator is 0 because there is nothing to find."""
    return np.where(denominator == 0, 0.0, numerator / np.where(denominator == 0, 1.0, denominator))
