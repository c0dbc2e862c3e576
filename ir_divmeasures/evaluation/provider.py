"""The work of the ir_measures provider, and its evaluator.

:mod:`ir_divmeasures.hosts` decides which calls of the hosts come here. The evaluator computes our measures and ndeval's, and
hands the others on with the judgments they are defined for: one grade per document.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures import Metric, providers

from ..core.ranking import Array, Ranking
from ..core.registry import DivMeasure, ours, parse
from ..data import columns, runs
from ..data.arrays import Hits, Overlay
from ..data.judgments import Judgments
from ..errors import LINES, DivMeasuresWarning, JudgmentsWarning, Message, show, warn
from ..hosts import NAME, others
from . import checks
from .adhoc import AdHoc, check_whole_grades
from .pooled import CarriedPool, count_in, reads_pool
from .ties import untied


def has_highest_grades_last(judgments: Judgments) -> bool:
    """Whether the last row of each document has its highest grade.

    The hosts read the last row of a document, so ad-hoc measures then have the same values there as here.
    """
    last = np.full(judgments.n_pairs, -np.inf)
    highest = last.copy()
    last[judgments.row_pair] = judgments.relevance
    np.fmax.at(highest, judgments.row_pair, judgments.relevance)
    return bool((last == highest)[judgments.of_documents].all())


class Evaluator(providers.Evaluator):
    """Scores runs for a set of measures and judgments; judgments are coded once.

    Args:
        measures: measure objects, or names.
        qrels: judgments in any form that ir_measures or :func:`ir_divmeasures.read_qrels` takes.
        ties: how all measures order documents of equal scores, as for :func:`~ir_divmeasures.distinct_scores`; None
            leaves it to each of them, and warns where it matters.

    Attributes:
        judgments: the judgments.
        query_ids: the ids of their queries, in the order of all values.

    Raises:
        ValueError: judgments that cannot be used, or that lack a column which a measure needs.
    """

    def __init__(self, measures: Iterable[Any], qrels: Any, ties: str | None = None):
        distinct = list(dict.fromkeys(parse(m) for m in measures))
        self.judgments, self._ties = Judgments.of(qrels), ties
        super().__init__(distinct, self.judgments.query_ids)
        self.query_ids = self.judgments.query_ids
        self.own = {m: own for m in distinct if (own := ours(m)) is not None}
        _check_columns(self.own.values(), self.judgments)
        of_pool, deepest = list[DivMeasure](), dict[Any, int]()
        for own in self.own.values():
            of_pool += [own] if reads_pool(own) else []
            key = own.rel, own.judged_only
            deepest[key] = max(deepest.get(key, 0), own.cutoff or 0)
        # Measures of one rel and judged_only share what they compute, those with a cutoff as deep as the deepest. Those
        # with the deepest cutoff come first, so that greedy rankings are begun once.
        plan = [
            Planned(m, own, (*key, deepest[key] if own.cutoff else np.inf))
            for m, own in self.own.items()
            for key in [(own.rel, own.judged_only)]
        ]
        self._plan = sorted(plan, key=lambda each: -(each.own.cutoff or np.inf))
        theirs = [m for m in distinct if m not in self.own]
        self._theirs = HostMeasures(theirs, self.judgments, others()) if theirs else None
        self._pool = CarriedPool(self.judgments, of_pool) if of_pool else None
        self._inner: dict[Any, list[HostMeasures]] = {}
        self._is_first = True

    def __reduce__(self) -> tuple[Any, ...]:
        # other providers' evaluators cannot be pickled
        return type(self), (self.measures, self.judgments, self._ties)

    # ---- what is questionable --------------------------------------------------------------------------------

    def messages(self) -> list[Message]:
        """What is questionable about the judgments and the measures. The checks are made once for the same measures."""
        own, messages = list(self.own.values()), list[Message]()
        checked, text = self.judgments.kept.get('checks', (None, None))
        if checked != own and self.query_ids:
            texts = (check(self.judgments, own) for check in checks.OF_JUDGMENTS)
            text = next(filter(None, texts), None)
            self.judgments.kept['checks'] = own, text
        if text:
            messages.append((text, JudgmentsWarning))
        marked = [f'{each}: {reason}' for each in own if (reason := each.marked)]
        if marked:
            more = f'; and {len(marked) - 5} more' if len(marked) > 5 else ''
            text = f'{len(marked)} of {len(own)} measures do not measure a ranking ({"; ".join(marked[:5])}{more})'
            messages.append((text, DivMeasuresWarning))
        return messages

    def questions(
        self,
        run: runs.Run,
        overlay: Overlay,
        values: dict[Any, Array] | None = None,
        is_alone: bool = True,
        moved: float = checks.TIED_MEAN,
    ) -> list[Message]:
        """What is questionable about a run, at most one message of a class; the last arguments are those of
        :class:`~ir_divmeasures.evaluation.checks.Call`. Without ``values``, those that are needed are computed."""
        if not self.query_ids or not len(run) and run.path is not None:  # its reader warns
            return []
        hits = overlay.located()

        def values_alike() -> dict[Any, Array]:
            # With near ties, measures that compare scores in 32 bits have values of another order.
            if values is None or overlay.located('single') is not hits:
                return self._score_alike(hits)
            return values

        call = checks.Call(
            self.judgments,
            run,
            overlay,
            hits,
            int(np.count_nonzero(hits.n)),
            self._score_alike if self._ties is None else None,
            is_alone,
            moved,
            values_alike,
        )
        texts: dict[type[Warning], str] = {}
        for check, category in (
            checks.OF_BATCHES if is_alone and self._may_be_batch else checks.OF_RUN
        ):
            if category not in texts and (text := check(call)):
                texts[category] = text
        return [(text, category) for category, text in texts.items()]

    @property
    def _may_be_batch(self) -> bool:
        """Whether a host's call has so few queries that it may be a batch."""
        return len(self.query_ids) < checks.FEW_QUERIES

    def _tell(self, run: runs.Run, overlay: Overlay, values: dict[Any, Array]) -> None:
        """Warn the users of a host, which calls for one run after the other."""
        messages = self.messages() if self._is_first else []
        if self._may_be_batch:
            messages = [each for each in messages if each[1] is not JudgmentsWarning]
        theirs = sorted(str(m) for m in self.measures if m not in self.own)
        if self._is_first and self.own and theirs and not has_highest_grades_last(self.judgments):
            note = (
                f'Ad-hoc measures ({", ".join(theirs[:3])}{", …" * (len(theirs) > 3)}) use the highest grade of each document, '
                f'because a diversity measure is in the call. In a call of their own they use its last row. Judgments of '
                f'pt.divmeasures.get_qrels or pt.divmeasures.read_qrels give the same values in both'
            )
            messages.append((note, JudgmentsWarning))
        self._is_first = False
        messages += self.questions(run, overlay, values)
        if 'pyterrier' in sys.modules:
            # pt.Experiment makes equal judgments, measures and an evaluator for each system. The first warning of a class
            # speaks for all of them.
            measures, classes = self.judgments.kept.get('warnings', (None, set[Any]()))
            if measures != self.measures:
                classes = set()
                self.judgments.kept['warnings'] = self.measures, classes
            messages = [each for each in messages if each[1] not in classes]
            messages = messages[: LINES - len(classes)]
            classes.update(category for _, category in messages)
        show(messages)

    # ---- what ir_measures calls ------------------------------------------------------------------------------

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
                if value == value:
                    yield Metric(query_id, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Means over the queries of the judgments; NaN, with a warning, where the judgments have none."""
        self._warn_if_no_queries()
        values = self.arrays(run)
        return {m: aggregate(m, values[m][~np.isnan(values[m])]) for m in self.measures}

    def calc(self, run: Any) -> Any:
        """Means, and values per query (see :meth:`calc_aggregate` and :meth:`iter_calc`)."""
        self._warn_if_no_queries()
        return super().calc(run)

    def _warn_if_no_queries(self) -> None:
        if not self.query_ids:
            warn('the judgments are empty: a mean over no queries is NaN')

    # ---- values of a run -------------------------------------------------------------------------------------

    def arrays(self, run: Any) -> dict[Any, Array]:
        """The values of each measure, (queries,), in the order of the judgments' queries; NaN where a provider of
        ir_measures has none."""
        run = runs.read(run)
        overlay, values = self.score(run, np.nan)
        self._tell(run, overlay, values)
        return values

    def score(self, run: runs.Run, absent: float = 0.0) -> tuple[Overlay, dict[Any, Array]]:
        """Score a run.

        Args:
            run: the run.
            absent: the value where a provider of ir_measures has none.

        Returns:
            The run laid over the judgments, and the values of each measure, (queries,).
        """
        ordered = run if self._ties is None else untied(run, self._ties)
        overlay = self.judgments.align(ordered)
        if self._pool is not None:
            self._pool.check(overlay.located())
        return overlay, self.values(overlay, absent)

    def values(self, overlay: Overlay, absent: float = 0.0) -> dict[Any, Array]:
        """The values of each measure, (queries,), for a run that is laid over the judgments."""
        values = self._values(self._plan, overlay.located(), overlay)
        if self._theirs is not None:
            values |= self._theirs.values(overlay, absent)
        return values

    def _values(
        self, plan: list[Planned], hits: Hits, overlay: Overlay | None = None
    ) -> dict[Any, Array]:
        """The values of our measures, (rankings,). Measures that look at the same part of a ranking share it.

        Args:
            plan: the measures.
            hits: the rankings.
            overlay: the run, which wrapped measures need.
        """
        values = [np.zeros(len(hits.n)) for _ in plan]
        for number in range(len(self.judgments.blocks) if plan else 0):
            laid, judged = hits.laid[number], hits.judged(number)
            if self._pool is not None:
                judged = count_in(judged, laid)
            inner = None
            if any(each.own.wraps for each in plan):
                inner = _InnerMeasures(self, overlay or hits, laid.rankings, self.judgments.base)
            rankings: dict[Any, Ranking] = {}
            for each, of_each in zip(plan, values):
                if each.part not in rankings:
                    rankings[each.part] = hits.ranking(number, judged, *each.part, inner)
                of_each[laid.rankings] = each.own.on(rankings[each.part])
        return {each.measure: of_each for each, of_each in zip(plan, values)}

    def _score_alike(self, hits: Hits) -> dict[Any, Array]:
        """The values of rankings without ties, (rankings,), by the measures that order tied documents by doc_id descending.

        A pool contains ranks of the order that was taken, and providers of ir_measures need a run.
        """
        plan = [
            each
            for each in self._plan
            if not reads_pool(each.own)
            and not (each.own.wraps and _needs_run(each.own, self.judgments))
        ]
        values = self._values(plan, hits)
        if self._theirs is not None:
            adhoc = self._theirs.adhoc
            known = [each for each in adhoc.known if each.order in ('single', 'descending')]
            values |= adhoc.scores(hits.located, [each.measure for each in known])
        return values


def aggregate(measure: Any, values: Array) -> float:
    """What ir_measures makes of a measure's values, (queries,): for most measures their mean."""
    aggregator = measure.aggregator()
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())


class Planned(NamedTuple):
    """A measure that is computed here.

    Attributes:
        measure: what was asked for.
        own: our measure.
        part: its ``rel``, ``judged_only``, and the number of ranks that it needs, infinity for all.
    """

    measure: Any
    own: DivMeasure
    part: tuple[float, bool, float]


class HostMeasures:
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
            rows = judgments.graded(judgments.pair_grades if grades is None else grades)
            check_whole_grades(self.adhoc.rest, rows)
            # pytrec_eval's provider would let one of a call's measures inherit another's judged_only or gains.
            groups: dict[str, list[Any]] = {}
            for m in self.adhoc.rest:
                _check_supported(m, chain)
                key = repr([str(m.params.get(name)) for name in ('judged_only', 'gains')])
                groups.setdefault(key, []).append(m)
            provider = providers.FallbackProvider(chain)
            self.evaluators = [provider.evaluator(group, rows) for group in groups.values()]

    def values(self, run: Overlay | Hits, absent: float = 0.0) -> dict[Any, Array]:
        """The values of each measure, (queries,); ``absent`` where a provider has none. Providers need an overlay."""
        query_ids = self.adhoc.judged.query_ids
        values = self.adhoc.scores(run.located)
        values |= {m: np.full(len(query_ids), absent) for m in self.adhoc.rest}
        if self.evaluators and isinstance(run, Overlay):
            place = {query_id: q for q, query_id in enumerate(query_ids)}
            for evaluator in self.evaluators:
                for metric in evaluator.iter_calc(run.nested):
                    values[metric.measure][place[metric.query_id]] = metric.value
        return values


class _InnerMeasures:
    """Runs measures of ir_measures, on one layer, for a run, or rankings without ties, and one block."""

    def __init__(self, evaluator: Evaluator, run: Overlay | Hits, rankings: Any, layer: int):
        self.evaluator, self.run, self.rankings, self.layer = evaluator, run, rankings, layer
        self.judgments = evaluator.judgments

    def on_layer(self, layer: int) -> _InnerMeasures:
        return _InnerMeasures(self.evaluator, self.run, self.rankings, layer)

    def _values(
        self, name: str, grades: Callable[[], list[Array]], judged_only: bool, by_aspect: bool
    ) -> Array:
        """A measure on each of some judgments of one grade per document; (rankings, judgments)."""
        measure, known = parse(name), self.evaluator._inner
        key = self.layer, measure, by_aspect
        if key not in known:
            pipeline = ir_measures.DefaultPipeline.providers
            chain = [p for p in pipeline if p.NAME != NAME]
            known[key] = [HostMeasures([measure], self.judgments, chain, each) for each in grades()]
        run = self.run.judged_only if judged_only else self.run
        values = np.zeros((len(self.rankings), len(known[key])))
        for number, theirs in enumerate(known[key]):
            values[:, number] = theirs.values(run)[measure][self.rankings]
        return values

    def whole(self, measure: str, judged_only: bool) -> Array:
        grades = self.judgments.grades_of_layer
        return self._values(measure, lambda: [grades(self.layer)], judged_only, False)[:, 0]

    def each_aspect(self, measure: str, judged_only: bool) -> Array:
        grades = self.judgments.grades_by_aspect
        return self._values(measure, lambda: grades(self.layer), judged_only, True)


def _check_columns(measures: Iterable[DivMeasure], judgments: Judgments) -> None:
    """Raise if the judgments lack a column that a measure needs, or relevant documents a value of it."""
    checked = set[tuple[str, float]]()
    for own in measures:
        columns.require_columns(own, own.needed_columns, judgments.names)
        for name in own.needed_columns:
            if columns.COLUMNS[name].needed_for_relevant and (name, own.rel) not in checked:
                columns.check_documents_have(own, name, judgments.relevant_rows(own.rel))
                checked.add((name, own.rel))


def _needs_run(own: DivMeasure, judgments: Judgments) -> bool:
    """Whether a provider of ir_measures computes the measure that a measure wraps, or refuses to."""
    inner = own.wrapped if own.cutoff is None else own.wrapped @ own.cutoff
    try:
        return bool(AdHoc([inner], judgments).rest)
    except (AssertionError, ValueError):  # without a parameter that it needs
        return True


def _check_supported(measure: Any, chain: list[Any]) -> None:
    """Raise if no provider can compute a measure of ir_measures, and say which parameter it lacks.

    Raises:
        ValueError: names the parameter.
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
            raise ValueError(f'{measure} needs the parameter {" and ".join(lacking)}')
    raise ValueError(
        f'{measure}: no provider of ir_measures that is installed can compute it with these parameters'
    )
