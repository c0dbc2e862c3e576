"""The smallest and largest scores that unjudged documents allow: ``bounds``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.ranking import JUDGED, Array, JudgmentArrays, Ranking
from ..core.registry import ANY, EXTREME, DivMeasure, ours
from ..core.registry import measures as parse_all
from ..errors import warn
from ..io import runs as several
from ..judgments.table import Judgments
from ..lazy import pd
from ..results import Result, count
from ..results.progress import progress
from .adhoc import AdHoc, View
from .processes import in_processes
from .provider import Evaluator

if TYPE_CHECKING:
    from ..judgments.arrays import LocatedRun
    from ..typing import MeasuresLike, QrelsLike, RunsLike


@dataclass(frozen=True, eq=False, repr=False)
class Bounds(Result):
    """The result of :func:`bounds` and :meth:`ir_divmeasures.Pool.bounds`.

    Attributes:
        table: a row for each system, query and measure; see these functions.
        refused: measures that have no bounds, each with the reason.
    """

    table: pd.DataFrame
    refused: dict[str, str]

    def _headline(self) -> str:
        table = self.table
        return (
            f'Bounds of the mean scores of {count(table["system"].nunique(), "system")} on '
            f'{count(table["query_id"].nunique(), "query", "queries")} if unjudged documents were judged'
        )

    def _printed(self) -> tuple[pd.DataFrame, str]:
        return self.means(), 'means()'

    def _notes(self) -> list[str]:
        return [f'{measure} has no bounds: {reason}' for measure, reason in self.refused.items()]

    def to_frame(self) -> pd.DataFrame:
        """The table."""
        return self.table

    def means(self) -> pd.DataFrame:
        """Means over the queries, a row for each system and measure. The mean of bounds is the bound of the mean.

        ``expected_error`` (:meth:`ir_divmeasures.Pool.bounds`) is the standard error of the mean.
        """
        table = self.table.drop(columns='query_id')
        by = table.groupby(['system', 'measure', 'grades'], sort=False)
        means = by.mean()
        if 'expected_error' in table.columns:  # queries are independent
            means['expected_error'] = by['expected_error'].agg(
                lambda errors: np.hypot.reduce(errors) / len(errors)
            )
        return means.reset_index()[list(table.columns)]


# ------------------------------------------------------------------------------------- which measures have bounds

AD_HOC = {
    **dict.fromkeys(('P', 'RR', 'Success', 'RBP', 'ERR', 'R', 'AP', 'Rprec'), ANY),
    'nDCG': EXTREME,
}
"""The same of ir_measures' measures."""
NORMALISED = ('R', 'AP', 'Rprec')
"""Measures among these whose value may fall with a further relevant document. They use binary relevance."""


def grades_of(measure: Any) -> str:
    """Return the grades of unjudged documents for which a measure has bounds, :data:`ANY` or :data:`EXTREME`, or the
    reason why it has none.

    Examples:
        >>> import ir_measures
        >>> from ir_divmeasures import RBU, alpha_nDCG, NumUnique
        >>> grades_of(RBU @ 20), grades_of(alpha_nDCG @ 20), grades_of(ir_measures.P @ 5)
        ('any', 'extreme', 'any')
        >>> grades_of(NumUnique @ 20)
        'the pool does not say which systems retrieved an unjudged document'
    """
    own = ours(measure)
    if own is not None:
        return own.unjudged
    if measure.params.get('judged_only'):
        return 'judged_only=True leaves unjudged documents out of the ranking'
    if measure.params.get('gains'):
        return 'gains that are given one by one'
    return AD_HOC.get(
        measure.NAME, f'of the measures of ir_measures {", ".join(AD_HOC)} have bounds'
    )


# ------------------------------------------------------------------------------------------ filling in judgments


def filled(
    r: Ranking, chosen: NDArray[np.bool_], completed: dict[bytes, JudgmentArrays] | None = None
) -> Ranking:
    """The ranking in which the chosen documents have the highest grade for each aspect of T.

    Args:
        r: of the reading of aspects that is meant.
        chosen: (Q, N) unjudged documents, by rank.
        completed: the last two completed judgments of this ranking. They, and the ideal rankings, depend only on the
            number of chosen documents.
    """
    judged, completed = r.judgments, {} if completed is None else completed
    is_placed, ranks = _places(chosen)
    key = is_placed.sum(axis=1).tobytes()
    if key not in completed:
        for oldest in list(completed)[:-1]:
            del completed[oldest]
        grade = np.concatenate(
            [judged.grade, is_placed[:, :, None] * _highest(judged, r.rel)[:, None, :]], axis=1
        )
        completed[key] = JudgmentArrays(
            grade,
            judged.given_weight,
            judged.navigational,
            {},
            judged.aspect_columns,
            judged.named,
            judged.reading,
        )
    completed[key] = more = completed.pop(key)  # the most recent one is last
    place = np.broadcast_to(judged.shape[1] + np.arange(is_placed.shape[1]), is_placed.shape)
    rank = np.concatenate([r.rank, ranks], axis=1)
    order = np.argsort(rank, axis=1, kind='stable')
    document = np.take_along_axis(np.concatenate([r.document, place], axis=1), order, axis=1)
    return Ranking(
        more,
        document,
        np.take_along_axis(rank, order, axis=1),
        r.n,
        r.rel,
        None,
        False,
        None,
        r.run_columns,
    )


def _places(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Array]:
    """(Q, M): which of M places the chosen ranks (Q, N) of each query take, and these ranks, ``inf`` elsewhere."""
    count = chosen.sum(axis=1, keepdims=True)
    is_placed: NDArray[np.bool_] = np.arange(int(count.max(initial=0))) < count
    at = np.full(is_placed.shape, np.inf)
    at[is_placed] = np.nonzero(chosen)[1] + 1.0
    return is_placed, at


def _highest(judged: JudgmentArrays, rel: float) -> Array:
    """The highest grade judged for each aspect of T, and of a listed one without a relevant document the query's."""
    top = judged.highest_grade()
    if judged.reading == 'listed':
        top = np.where((top >= rel) & (top > 0), top, top.max(axis=1, keepdims=True, initial=0.0))
    return np.where(judged.aspects(rel), top, 0.0)


def _of(
    values: Callable[[NDArray[np.bool_]], Array],
    unjudged: NDArray[np.bool_],
    k: int | None,
    grades: str,
) -> Array:
    """(3, Q): the score, the least and the largest value.

    Of :data:`ANY` grade these are the values with none, and with all of the unjudged documents down to rank k relevant
    to all aspects. Of :data:`EXTREME` grades they are among those of the first m and of the last m down to rank k, with
    none and with all of those below. Where an ideal ranking is cut at k, the largest needs none of those below, and the
    least all of them.

    Args:
        values: the measure's values, (Q,), if the chosen unjudged documents (Q, N) are relevant to all aspects.
        unjudged: (Q, N) by rank.
        k: the cutoff, or None.
        grades: one of these.
    """
    below = unjudged & (np.arange(unjudged.shape[1]) >= (np.inf if k is None else k))
    within = unjudged & ~below
    score = values(within & False)
    if grades == ANY:
        other = values(within)
        return np.stack([score, np.minimum(score, other), np.maximum(score, other)])
    first, count = np.cumsum(within, axis=1), within.sum(axis=1, keepdims=True)
    low = high = score
    enough, place = _enough(values, within, below, k), np.cumsum(below, axis=1)
    counted = bool(
        below.any() and np.isinf(enough).any()
    )  # by the normaliser: however many there are

    def with_below(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return chosen | below & (place <= enough - chosen.sum(axis=1, keepdims=True))

    for m in range(int(count.max(initial=0)) + 1):
        top, last = within & (first <= m), within & (first > count - m)
        fillings = [top, with_below(last)]
        if counted:
            fillings += [with_below(top), last]
        for chosen in fillings:
            value = values(chosen)
            low, high = np.minimum(low, value), np.maximum(high, value)
    return np.stack([score, low, high])


def _enough(
    values: Callable[[NDArray[np.bool_]], Array],
    within: NDArray[np.bool_],
    below: NDArray[np.bool_],
    k: int | None,
) -> Array:
    """(Q, 1): from how many relevant unjudged documents on further ones below rank k do not change a value.

    Documents below the cutoff matter to a normaliser only, which depends on their number and rises with it. If it is
    the same for the k first as for all of them, beside all above, it is the same for every number in between: as where
    an ideal ranking is cut at k. Where it is not, as where the number of relevant documents counts, all are needed.
    """
    total = within.sum(axis=1) + (0 if k is None else k)
    if k is None or not (within.sum(axis=1) + below.sum(axis=1) > total).any():
        return np.full((len(within), 1), np.inf)
    same = values(within | below & (np.cumsum(below, axis=1) <= k)) == values(within | below)
    return np.where(same, total, np.inf)[:, None]


def _judged(unjudged: NDArray[np.bool_], n: NDArray[Any], k: int | None) -> Array:
    """judged@k: the share of the documents down to rank k that are judged; 0 where none is retrieved."""
    retrieved = n if k is None else np.minimum(n, k)
    return np.where(retrieved > 0, 1 - unjudged[:, :k].sum(axis=1) / np.maximum(retrieved, 1), 0.0)


# ------------------------------------------------------------------------------------------------------- bounds


def bounds(runs: RunsLike, qrels: QrelsLike, measures: MeasuresLike, *, jobs: int = 1) -> Bounds:
    """The least and the largest value that each score could have if unjudged documents were judged.

    Every unjudged document of the ranking, below the cutoff too, is taken to be either relevant to no aspect or as
    relevant as any, of the highest grade judged for the aspect, to all aspects of T; with u of them there are 2^u
    judgments. T, the highest grades and weights stay as judged; ideal rankings and numbers of relevant documents are
    those of the judgments so completed. With ``aspects='listed'`` an aspect without a relevant document may get the
    highest grade of the query. Bounds are exact: some of these judgments give them.

    - Measures that never fall as a grade rises: the least value is the score, the largest that with all unjudged
      documents relevant. These are also the extremes over all judgments with grades in between, for each aspect on its
      own (``grades`` is ``'any'``). Of rank-biased precision the difference is the residual of Moffat and Zobel (TOIS
      2008).
    - ``CWL`` where how far users go depends on what they find: exactly the extremes over all 2^u judgments, by dynamic
      programming (``'extreme'``). Filling none or all gives neither in general: a user who finds more may stop earlier.
    - Others, which an ideal ranking or the number of relevant documents normalises, or in which a document takes from
      later ones (``'extreme'``): with m unjudged documents relevant, the value is largest for the first m and least for
      the last m, since moving a document that is relevant to all aspects up, to the place of one that is relevant to
      none, lowers none of these measures. Those below the cutoff matter to the normaliser only, which rises with each
      of them. So the extremes are among the first m and last m above the cutoff, with none or all of those below. (Of
      ``P_at_Recall``, ranks below full recall do not count: how many documents are relevant above the first of them
      is all that matters.) Intermediate grades, or grades for some aspects only, could give values outside of these
      bounds; not of ``R AP Rprec`` (``'any'``), to which a document is relevant or not.

    Measures for which neither holds are left out with a warning that says why.

    Args:
        runs: several runs, or one, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments in any form that :func:`ir_divmeasures.read_qrels` takes.
        measures: as :func:`ir_divmeasures.measures` takes them; of ir_measures' ``P RR Success RBP ERR R AP Rprec
            nDCG``, on topic-level grades.
        jobs: the number of processes (needs joblib); −1 takes all cores. Measures without a cutoff whose bounds are of
            ``'extreme'`` grades are evaluated twice for each unjudged document.

    Returns:
        :class:`Bounds`; ``to_frame()`` has ``system, query_id, measure, judged, score, lower, upper, grades``;
        ``judged`` is judged@k, k being the measure's cutoff, or of the whole run. Judged queries that a run lacks have
        score 0.

    Raises:
        ValueError: no measure has bounds; says why. And what :func:`ir_divmeasures.evaluate` raises.

    Examples:
        >>> qrels = {'q': {'d1': {'1': 1}, 'd2': {'2': 1}}}
        >>> found = bounds({'a': {'q': {'d1': 3.0, 'x': 2.0, 'd2': 1.0}}}, qrels, 'StRecall@2 P_IA@3 alpha_nDCG@2')
        >>> found.table[['measure', 'judged', 'score', 'lower', 'upper', 'grades']].round(3)
                measure  judged  score  lower  upper   grades
        0    StRecall@2   0.500  0.500  0.500  1.000      any
        1        P_IA@3   0.667  0.333  0.333  0.667      any
        2  alpha_nDCG@2   0.500  0.613  0.613  0.841  extreme
    """
    requested = parse_all(measures)
    if not requested:
        raise ValueError('no measures')
    grades_by_name = {str(measure): grades_of(measure) for measure in requested}
    refused = {
        name: reason for name, reason in grades_by_name.items() if reason not in (ANY, EXTREME)
    }
    judged = Judgments.of(qrels)
    if not judged.query_ids:
        raise ValueError('the judgments are empty: no query to score')
    bounded = [measure for measure in requested if str(measure) not in refused]
    Evaluator(bounded, judged, about_missing=False)  # checks that the judgments can be used
    for measure in AdHoc([measure for measure in bounded if ours(measure) is None], judged).rest:
        refused[str(measure)] = 'ir_measures computes it on its own with these grades or parameters'
    bounded = [measure for measure in bounded if str(measure) not in refused]
    report_refused(refused, len(requested))
    pairs, total = several.named(runs)
    score = functools.partial(
        _of_runs, [(measure, grades_by_name[str(measure)]) for measure in bounded], judged
    )
    frames = []
    with progress(total, 'run', 'runs') as bar:
        for system, values in (
            score(pairs) if jobs == 1 else in_processes(pairs, total, score, jobs)
        ):
            for measure, (share, *rest) in zip(bounded, values):
                columns = dict(zip(('score', 'lower', 'upper'), rest))
                frames.append(
                    pd.DataFrame(
                        {
                            'system': system,
                            'query_id': np.array(judged.query_ids, dtype=object),
                            'measure': str(measure),
                            'judged': share,
                            **columns,
                            'grades': grades_by_name[str(measure)],
                        }
                    )
                )
            bar.update()
    if not frames:
        raise ValueError('no runs')
    return Bounds(pd.concat(frames, ignore_index=True), refused)


def report_refused(refused: dict[str, str], n_measures: int) -> None:
    """Warn of the measures that have no bounds and why, by name.

    Raises:
        ValueError: none of the ``n_measures`` measures has bounds.
    """
    if not n_measures:
        raise ValueError('no measures')
    reasons = '; '.join(f'{name}: {reason}' for name, reason in list(refused.items())[:5])
    more = f'; and {len(refused) - 5} more' if len(refused) > 5 else ''
    if len(refused) == n_measures:
        raise ValueError(f'no bounds: {reasons}{more}')
    if refused:
        warn(
            f'{len(refused)} of {n_measures} measures have no bounds and are omitted ({reasons}{more})'
        )


def _of_runs(
    measures: list[tuple[Any, str]],
    judged: Judgments,
    pairs: Iterable[tuple[str, Any]],
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Of each run (measures, 4, queries): judged@k, score, least and largest value."""
    own = [
        (i, own_measure, grades)
        for i, (one, grades) in enumerate(measures)
        if (own_measure := ours(one)) is not None
    ]
    others = [(i, grades) for i, (one, grades) in enumerate(measures) if ours(one) is None]
    adhoc = AdHoc([measures[i][0] for i, _ in others], judged)
    for system, run in several.loaded(pairs):
        with several.of_system(system):
            table = run.check().table
            values = np.zeros((len(measures), 4, len(judged.query_ids)))
            columns = {
                JUDGED: 'bounds',
                **{
                    name: own_measure
                    for _, own_measure, _ in own
                    for name in own_measure.run_columns
                },
            }
            located = judged.collection.read(table, columns)
            for block, aligned in zip(
                judged.collection.blocks, judged.collection.align(located.located())
            ):
                for i, own_measure, grades in own:
                    r = aligned.ranking(block.judgments, own_measure.rel, False)
                    values[i][:, block.queries] = _of_block(own_measure, grades, r)
            for known_measure, (i, grades) in zip(adhoc.known, others):
                search = EXTREME if known_measure.measure.NAME in NORMALISED else grades
                values[i] = _of_host(known_measure, search, adhoc, located)
        yield system, values


def _of_block(measure: DivMeasure, grades: str, r: Ranking) -> Array:
    """(4, Q)."""
    read = r if measure.facts.aspects is None else r.reading(measure['aspects'])
    unjudged = r.run_column(JUDGED) == 0
    k = None if 'iteration' in measure.run_columns else measure.cutoff  # a cutoff of iterations
    judged = _judged(unjudged, r.n, k)
    within = unjudged & (np.arange(unjudged.shape[1]) < (np.inf if k is None else k))
    own_extremes = measure.extremes(read, filled(read, within))
    if own_extremes is not None:
        return np.stack([judged, measure.on(read), *own_extremes])
    completed: dict[bytes, JudgmentArrays] = {}
    return np.stack(
        [
            judged,
            *_of(lambda chosen: measure.on(filled(read, chosen, completed)), unjudged, k, grades),
        ]
    )


def _of_host(host_measure: Any, grades: str, adhoc: AdHoc, run: LocatedRun) -> Array:
    """(4, Q), of a measure of ir_measures, with the documents in its host's order."""
    own_measure, located = host_measure.measure, run.located(host_measure.order)
    view, k = (
        adhoc.view(located, host_measure.order),
        own_measure.params.get('cutoff'),
    )
    n = located.n
    is_placed = np.arange(int(n.max(initial=0))) < n[:, None]
    unjudged = is_placed.copy()
    unjudged[is_placed] = located.columns[JUDGED][0] == 0
    highest = np.maximum(view.judged.max(axis=1, initial=0.0), 0.0)[:, None]

    def values(chosen: NDArray[np.bool_]) -> Array:
        with np.errstate(divide='ignore', invalid='ignore'):
            return np.where(
                n > 0,
                host_measure.compute(own_measure, _with(view, chosen, highest)),
                own_measure.DEFAULT,
            )

    return np.stack([_judged(unjudged, n, k), *_of(values, unjudged & (highest > 0), k, grades)])


def _with(view: View, chosen: NDArray[np.bool_], highest: Array) -> View:
    """What a host sees if the chosen documents have the highest grade of the query, (Q, 1)."""
    is_placed, ranks = _places(chosen)
    grade = np.where(is_placed, highest, -1.0)
    rank = np.concatenate([view.rank, ranks], axis=1)
    order = np.argsort(rank, axis=1, kind='stable')
    return View(
        np.take_along_axis(rank, order, axis=1),
        np.take_along_axis(np.concatenate([view.grade, grade], axis=1), order, axis=1),
        view.n,
        -np.sort(-np.concatenate([view.judged, grade], axis=1), axis=1),
    )


__all__ = ['Bounds', 'bounds']
