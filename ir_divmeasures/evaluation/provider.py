"""The work of the ir_measures provider, and its evaluator.

The provider (:class:`ir_divmeasures_plugin.DivMeasuresProvider`) stands in ``ir_measures.DefaultPipeline`` before the
providers of ad-hoc measures. It computes our measures and ndeval's, and hands the others on with the judgments they are
defined for: one grade per document.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric, providers

from ir_divmeasures_plugin import DivMeasuresProvider, is_nested, others

from ..core.ranking import Array, Ranking
from ..core.registry import DivMeasure, ours, parse
from ..errors import TopicLevelWarning, warn
from ..io import columns, runs
from ..io import frames as tables
from ..io.ordering import check_ties
from ..judgments.arrays import LocatedRuns
from ..judgments.table import SUBTOPIC_COLUMNS, Judgments, relevant_rows
from ..lazy import pd
from . import checks as checks  # declares the checks of runs and judgments
from . import gate
from . import ties as ties_of
from .adhoc import AdHoc, check_whole_grades, of_provider
from .facts_of_runs import Facts
from .pooled import CarriedPool, counted_in, reads_pool

TOGETHER_CELLS = 10**6
"""The largest number of grades of judgments, one copy for each run, that are computed with at once."""

TOGETHER = 500
"""Number of measures that share what rankings remember. They remember what is computed for each of them."""


def qrel_inputs(measures: Iterable[Any]) -> list[str]:
    """The columns of judgments without which these measures cannot be computed."""
    names = [
        column for m in measures if (own := ours(m)) is not None for column in own.needed_columns
    ]
    return list(dict.fromkeys(['query_id', 'doc_id', 'relevance', *names]))


def lists_subtopics(qrels: Any) -> bool:
    """Whether judgments list several subtopics for a query, or have a form that only this package reads.

    Judgments are not checked here, because those without subtopics are the host's.
    """
    if isinstance(qrels, Mapping):
        return is_nested(qrels)
    if not tables.is_frame(qrels) and not isinstance(qrels, (list, tuple)):
        return True
    fields = getattr(qrels[0], '_fields', ()) if isinstance(qrels, (list, tuple)) and qrels else ()
    if 'query_id' in fields:  # a DataFrame of all rows takes as long as their evaluation
        kept = [name for name in ('query_id', 'layer', *SUBTOPIC_COLUMNS) if name in fields]
        qrels = pd.DataFrame(list(set(map(operator.attrgetter(*kept), qrels))), columns=kept)
    table = tables.renamed(pd.DataFrame(qrels), 'query_id')
    if 'layer' in table or 'query_id' not in table:
        return 'layer' in table
    columns_there = [name for name in SUBTOPIC_COLUMNS if name in table][:1]
    n_subtopics = table.groupby('query_id', observed=True)[columns_there].nunique()
    return bool((n_subtopics > 1).any(axis=None))


def evaluator(measures: Iterable[Any], qrels: Any, quiet: bool = False) -> Evaluator:
    """The evaluator of a call by ir_measures or PyTerrier. Says once that ad-hoc measures are of the topic level.

    Args:
        measures, qrels: as for :class:`Evaluator`.
        quiet: whether nothing is said about what is questionable.
    """
    made = Evaluator(measures, qrels, warn=not quiet, asks=not quiet)
    theirs = [str(m) for m in made.measures if ours(m) is None]
    told = quiet or not theirs or DivMeasuresProvider.said
    if not told and lists_subtopics(made.judgments.table):
        DivMeasuresProvider.said = True
        warn(
            f'{", ".join(theirs[:3])}{" …" if len(theirs) > 3 else ""} are computed from the highest grade of each '
            f'document over the subtopics, because ir_divmeasures was imported or a measure of it is in the call. '
            f'This is said once',
            TopicLevelWarning,
        )
    return made


class Evaluator(providers.Evaluator):
    """Scores runs for a set of measures and judgments; judgments are coded once.

    Args:
        measures: measure objects, or names.
        qrels: judgments in any form that ir_measures or :func:`ir_divmeasures.read_qrels` takes.
        warn: whether to warn about questionable judgments.
        about_missing: whether to warn if most judged queries are missing from a run.
        ties: how all measures order documents of equal scores, as for :func:`~ir_divmeasures.distinct_scores`; None
            leaves it to each of them, and warns where it matters.
        pool_systems: names of the pool's systems by what the column ``pool_ranks`` calls them, for messages.
        asks: whether to warn about questionable runs and scores.

    Attributes:
        judgments: the judgments.
        query_ids: the ids of their queries, in the order of all values.

    Raises:
        ValueError: judgments that cannot be used, or that lack a column which a measure needs.
    """

    def __init__(
        self,
        measures: Iterable[Any],
        qrels: Any,
        warn: bool = True,
        about_missing: bool = True,
        ties: str | None = None,
        pool_systems: Mapping[str, str] = MappingProxyType({}),
        asks: bool = True,
    ):
        if ties is not None:
            check_ties(ties)
        parsed_measures = sorted({parse(m) for m in measures}, key=str)
        self.judgments = judgments = Judgments.of(qrels)
        super().__init__(parsed_measures, judgments.query_ids)
        self.query_ids = judgments.query_ids
        self._own_of = {m: own for m in parsed_measures if (own := ours(m)) is not None}
        self._own = list(self._own_of.values())
        for own in self._own:
            _check_columns(own, judgments)
        self._views = views(self._own)
        theirs = [m for m in parsed_measures if m not in self._own_of]
        self._theirs = _Theirs(theirs, judgments, others())
        self._left = self._theirs.adhoc.rest
        of_pool = [own for own in self._own if reads_pool(own)]
        self._pool = CarriedPool(judgments, of_pool, pool_systems) if of_pool else None
        self._about_missing, self._ties, self._asks = about_missing, ties, asks
        # A pool, which carries ranks of the order that was taken, is none of another order.
        self._tell_ties: dict[Any, Any] = {
            m: own for m, own in self._own_of.items() if not reads_pool(own)
        }
        self._tell_ties |= {m: m for m in self._theirs.adhoc.ordered('single', 'descending')}
        self._in_single = self._theirs.adhoc.ordered('single')
        self._in_single += of_provider(self._left, others, 'pytrec_eval')
        self._lines: dict[str, int] = {}
        self._inner: dict[Any, list[_Theirs]] = {}
        self._alikes: dict[tuple[Any, ...], Evaluator] = {}
        if warn:
            gate.warn_of(self.facts(), 'judgments')
            _warn_if_marked(self._own)

    def __reduce__(self) -> tuple[Any, ...]:
        # other providers' evaluators cannot be pickled
        return type(self), (self.measures, self.judgments, False, True, self._ties)

    def facts(self, run: Any = None, coded: Any = None) -> Facts:
        """Return the facts about the judgments, the measures and a run for the checks."""
        return Facts(
            self.judgments,
            self._own,
            self._in_single,
            run,
            coded,
            self._about_missing,
            self._scored_alike if self._ties is None and self._tell_ties else None,
            lines=self._lines,
        )

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Per-query values of every measure, for every query of the judgments.

        Args:
            run: DataFrame (ir_measures or PyTerrier column names), path of a run file, dict of dicts, or iterable of
                namedtuples.

        Yields:
            ``Metric(query_id, measure, value)``. Providers of ir_measures leave out queries (``Accuracy``, where a run
            has no result).
        """
        for measure, values in self.arrays(run).items():
            for query_id, value in zip(self.query_ids, values.tolist()):
                if value == value or measure not in self._left:
                    yield Metric(query_id, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Means over the queries of the judgments; NaN, with a warning, where the judgments have none."""
        self._warn_if_no_queries()
        values = self.arrays(run)
        for measure in self._left:
            values[measure] = values[measure][~np.isnan(values[measure])]
        return {measure: aggregate(measure, values[measure]) for measure in self.measures}

    def calc(self, run: Any) -> Any:
        """Means, and values per query (see :meth:`calc_aggregate` and :meth:`iter_calc`)."""
        self._warn_if_no_queries()
        return super().calc(run)

    def _warn_if_no_queries(self) -> None:
        if not self.query_ids:
            warn('the judgments are empty: a mean over no queries is NaN')

    def arrays(self, run: Any) -> dict[Any, Array]:
        """The values of each measure, (queries,), in the order of the judgments' queries; NaN where a provider of
        ir_measures has none."""
        ((_, values),) = self.scored([runs.read(run)], np.nan)
        return values

    def scored(
        self,
        together: Sequence[runs.Run],
        absent: float = 0.0,
        about: Callable[[int], AbstractContextManager[Any]] = lambda place: nullcontext(),
    ) -> list[tuple[Facts, dict[Any, Array]]]:
        """Score runs together, and warn about what is questionable.

        Args:
            together: runs; several only if :attr:`most_runs` says so.
            absent: the value where a provider of ir_measures has none.
            about: the context in which something is said of the run at a place.

        Returns:
            For each run its facts, and the values of each measure, (queries,).
        """
        read = [run if self._ties is None else ties_of.untied(run, self._ties) for run in together]
        located = self.locate(*read)
        known = list(map(self.facts, together, located.each))
        for place, facts in enumerate(known):
            with about(place):
                if self._asks and self.query_ids and (len(facts.run) or facts.run.path is None):
                    gate.warn_of(facts, 'run')
                if self._pool is not None:
                    self._pool.check(facts.coded)
        values = self.values(located, absent)
        for place, facts in enumerate(known):
            with about(place):
                if self._asks and len(facts.run):
                    gate.warn_of(facts, 'scores')
        return [
            (facts, {measure: of_runs[place] for measure, of_runs in values.items()})
            for place, facts in enumerate(known)
        ]

    @functools.cached_property
    def most_runs(self) -> int:
        """The largest number of runs that are scored together."""
        blocks = self.judgments.collection.blocks if self._own else []
        cells = sum(np.prod(judgments.shape) for b in blocks for judgments in b.layers.values())
        return max(TOGETHER_CELLS // max(int(cells), 1), 1)

    def locate(self, *together: runs.Run) -> LocatedRuns:
        """Runs with the ids of the judgments."""
        return LocatedRuns(list(map(self.judgments.collection.read, together)))

    def values(self, located: LocatedRuns, absent: float = 0.0) -> dict[Any, Array]:
        """The values of each measure, (runs, queries), for runs that :meth:`locate` returned."""
        own = dict(zip(self._own_of, self._values(located)))
        return own | self._theirs.values(located, absent)

    def _scored_alike(self, located: LocatedRuns, rank: int) -> tuple[list[str], Array]:
        """The measures that read this rank and order tied documents by doc_id descending, and their values for runs,
        (measures, runs, queries)."""
        measures = tuple(m for m, own in self._tell_ties.items() if ties_of.last_rank(own) >= rank)
        if measures not in self._alikes:
            self._alikes[measures] = Evaluator(measures, self.judgments, warn=False, asks=False)
        values = self._alikes[measures].values(located)
        return list(map(str, values)), np.array(list(values.values()))

    def _values(self, located: LocatedRuns) -> list[Array]:
        """Values of our measures, in their order, each (runs, queries). Measures that look at the same part of a ranking
        share it. Greedy rankings are begun once if the deepest one comes first."""
        results = [np.zeros((located.n_runs, len(self.query_ids))) for _ in self._own]
        parts = zip(results, self._own, self._views)
        deepest_first = sorted(parts, key=lambda part: -(part[1].cutoff or np.inf))
        if not self._own:
            return results
        for block, aligned in zip(self.judgments.collection.blocks, located.aligned):
            queries, n = block.queries, located.n_runs
            if located.queries is None:
                judged = block.judgments.copies(n)
            else:
                rows = np.flatnonzero(np.isin(queries, located.queries))
                if not len(rows):
                    continue
                judged = block.judgments.of_queries(np.tile(rows, n))
                firsts = len(queries) * np.arange(n)
                aligned = aligned.of_queries((firsts[:, None] + rows).ravel())
                queries = queries[rows]
            if self._pool is not None:
                judged = counted_in(judged, aligned)
            inner = _InnerMeasures(self, located, queries, block.base)
            rankings: dict[tuple[Any, ...], Ranking] = {}
            for m, (values, own, view) in enumerate(deepest_first):
                if m % TOGETHER == 0:
                    rankings = {}
                if view not in rankings:
                    rankings[view] = aligned.ranking(judged, *view, inner)
                values[:, queries] = own.on(rankings[view]).reshape(len(values), -1)
        return results


def aggregate(measure: Any, values: Array) -> float:
    """What ir_measures makes of a measure's values, (queries,): for most measures their mean."""
    aggregator = measure.aggregator()
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())


def views(measures: list[DivMeasure]) -> list[tuple[float, bool, int | None]]:
    """For each measure its ``rel``, ``judged_only``, and the number of ranks that it needs, None for all.

    Measures of one rel and judged_only share what they compute, those with a cutoff as deep as the deepest.
    """
    deepest: dict[Any, int] = {}
    for own in measures:
        key = own.rel, own.judged_only
        deepest[key] = max(deepest.get(key, 0), own.cutoff or 0)
    return [
        (own.rel, own.judged_only, own.cutoff and deepest[own.rel, own.judged_only])
        for own in measures
    ]


class _Theirs:
    """Measures of ir_measures on judgments of one grade per document, computed here or by the hosts' providers.

    Args:
        measures: the measures.
        judgments: the judgments.
        chain: the providers of those that are not computed here.
        grades: as for :class:`AdHoc`.

    Raises:
        ValueError: a grade that a provider does not take.
    """

    def __init__(
        self, measures: list[Any], judgments: Judgments, chain: list[Any], grades: Any = None
    ):
        self.adhoc = AdHoc(measures, judgments, grades)
        self.evaluators: list[Any] = []
        if self.adhoc.rest:
            # Grades below 0 stay: what they mean to a measure of ir_measures (to Bpref) is not for us to say, and a
            # score must not depend on whether a document of some other query has a second subtopic.
            whole = grades is None
            rows = judgments.by_document if whole else judgments.collection.as_judgments(grades)
            check_whole_grades(self.adhoc.rest, rows, others)
            # pytrec_eval's provider would let one of a call's measures inherit another's judged_only or gains.
            groups: dict[str, list[Any]] = {}
            for m in self.adhoc.rest:
                _check_supported(m, chain)
                key = repr([str(m.params.get(name)) for name in ('judged_only', 'gains')])
                groups.setdefault(key, []).append(m)
            provider = providers.FallbackProvider(chain)
            self.evaluators = [provider.evaluator(group, rows) for group in groups.values()]

    def values(self, located: LocatedRuns, absent: float = 0.0) -> dict[Any, Array]:
        """The values of each measure, (runs, queries); ``absent`` where a provider has none."""
        query_ids = self.adhoc.judged.query_ids
        shape = located.n_runs, len(query_ids)
        values = {m: each.reshape(shape) for m, each in self.adhoc.scores(located)}
        values |= {m: np.full(shape, absent) for m in self.adhoc.rest}
        place = {query_id: q for q, query_id in enumerate(query_ids)}
        for evaluator in self.evaluators:
            for run, by_query in enumerate(located.by_query):
                for metric in evaluator.iter_calc(by_query):
                    values[metric.measure][run, place[metric.query_id]] = metric.value
        return values


class _InnerMeasures:
    """Runs measures of ir_measures, on one layer, for some runs and one block of queries."""

    def __init__(self, evaluator: Evaluator, located: LocatedRuns, queries: Any, layer: int):
        self.evaluator, self.located, self.queries, self.layer = evaluator, located, queries, layer
        self.judgments, self.collection = evaluator.judgments, evaluator.judgments.collection

    def on_layer(self, layer: int) -> _InnerMeasures:
        return _InnerMeasures(self.evaluator, self.located, self.queries, layer)

    def _value(
        self, name: str, grades: Callable[[], list[Array]], judged_only: bool, by_aspect: bool
    ) -> Array:
        """A measure on each of some judgments of one grade per document; (runs · queries, judgments)."""
        measure, known = parse(name), self.evaluator._inner
        key = self.layer, measure, by_aspect
        if key not in known:
            pipeline = ir_measures.DefaultPipeline.providers
            chain = [p for p in pipeline if p.NAME != DivMeasuresProvider.NAME]
            known[key] = [_Theirs([measure], self.judgments, chain, each) for each in grades()]
        located = self.located.judged_only if judged_only else self.located
        values = np.zeros((located.n_runs, len(self.queries), len(known[key])))
        for number, theirs in enumerate(known[key]):
            values[..., number] = theirs.values(located)[measure][:, self.queries]
        return values.reshape(-1, len(known[key]))

    def whole(self, measure: str, judged_only: bool) -> Array:
        return self._value(
            measure, lambda: [self.judgments.grades_of_layer(self.layer)], judged_only, False
        )[:, 0]

    def each_aspect(self, measure: str, judged_only: bool) -> Array:
        return self._value(
            measure, lambda: self.collection.grades_by_aspect(self.layer), judged_only, True
        )


def _check_columns(own: DivMeasure, judgments: Judgments) -> None:
    """Raise if the judgments lack a column that a measure needs, or relevant documents a value of it."""
    columns.require_columns(own, own.needed_columns, judgments.names)
    for name in own.needed_columns:
        if columns.COLUMNS[name].needed_for_relevant:
            columns.check_documents_have(own, name, relevant_rows(judgments.table, own.rel))


def _warn_if_marked(measures: list[DivMeasure]) -> None:
    """One warning that names the measures which measure no ranking."""
    marked = [f'{own}: {own.marked}' for own in measures if own.marked]
    if marked:
        more = f'; and {len(marked) - 5} more' if len(marked) > 5 else ''
        warn(
            f'{len(marked)} of {len(measures)} measures do not measure a ranking ({"; ".join(marked[:5])}{more})'
        )


def _check_supported(measure: Any, chain: list[Any]) -> None:
    """Raise if no provider can compute a measure of ir_measures, and say which parameter it lacks.

    Raises:
        ValueError: names the parameter, and what to type.
    """
    if any(p.supports(measure) and p.is_available() for p in chain):
        return
    for pattern in itertools.chain.from_iterable(p.SUPPORTED_MEASURES for p in chain):
        lacking = [
            name
            for name, value in pattern.params.items()
            if getattr(value, 'required', False) and name not in measure.params
        ]
        if pattern.NAME == measure.NAME and lacking:
            example = measure(
                **{name: {'cutoff': 10, 'max_rel': 3}.get(name, 1) for name in lacking}
            )
            raise ValueError(
                f'{measure} needs the parameter{"s" * (len(lacking) > 1)} {" and ".join(lacking)}, for '
                f'example {example}'
            )
    raise ValueError(
        f'{measure}: no provider of ir_measures that is installed can compute it with these parameters'
    )
