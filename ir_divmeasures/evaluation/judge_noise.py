"""The effect of disagreement between judges on scores and on comparisons of systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures as parse_all
from ..errors import fraction, one_of, whole, without
from ..io import runs as several
from ..judgments.judges import HOW, SeveralJudgments
from ..judgments.table import Judgments
from ..lazy import pd
from ..results import Result, count
from ..results.estimates import mean_over_queries
from ..results.progress import with_progress
from .joint import first_documents
from .provider import Evaluator
from .ranges import means
from .scoring import score_runs

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RngLike, RunsLike

Array = NDArray[np.float64]

ROWS = 200_000
"""About how many rows of judgments and runs are scored at once."""

OVER = ('queries', 'judges', 'again')
"""The sources of uncertainty that an interval of :class:`JudgeNoise` can cover."""


@without(jobs='replicates are scored together, in one process')
def resample_judges(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasuresLike,
    *,
    n_resamples: int = 1000,
    rng: RngLike = None,
    reference: str = 'mean',
) -> JudgeNoise:
    """Estimate the effect of the noise of judges on scores and on comparisons of systems.

    Each replicate takes one whole record of one of its judges for each query and document, at random. A *record* is
    what one judge says about a document in one go. The mean over replicates is the expected score under one judge.

    Args:
        runs: several runs, in any form that :func:`ir_divmeasures.read_runs` takes.
        qrels: judgments of several judges, as for :func:`aggregate_judges`.
        measures: as :func:`ir_divmeasures.measures` takes them.
        n_resamples: number of replicates.
        rng: seed or generator, as for ``numpy.random.default_rng``.
        reference: how the judges are made one for the scores in the column ``reference``, as ``how`` of
            :func:`aggregate_judges`. Measures that are left to trec_eval's library (``Bpref``) take no fractional
            grades, which ``'mean'`` may give.

    Returns:
        :class:`JudgeNoise`.

    Raises:
        TypeError, ValueError: as :func:`aggregate_judges` and :func:`ir_divmeasures.evaluate`; no document has
            several judgments; n_resamples below 1.

    Examples:
        >>> import pandas as pd
        >>> rows = [('q', 'd1', 1, '1', 'a'), ('q', 'd1', 0, '1', 'b'), ('q', 'd2', 1, '1', 'a')]
        >>> table = pd.DataFrame(rows, columns=['query_id', 'doc_id', 'relevance', 'subtopic_id', 'judge'])
        >>> runs = {'A': {'q': {'d1': 2.0}}, 'B': {'q': {'d2': 1.0}}}
        >>> noise = resample_judges(runs, table, 'StRecall@1', n_resamples=200, rng=1)
        >>> noise.to_frame()[['system', 'mean', 'again_low', 'again_high', 'reference', 'rated_again']].round(1)
          system  mean  again_low  again_high  reference  rated_again
        0      A   0.5       -1.2         2.2        0.0          1.0
        1      B   1.0        NaN         NaN        1.0          0.0
    """
    parsed_measures = parse_all(measures)
    if not parsed_measures:
        raise ValueError('no measures')
    whole(n_resamples, 'n_resamples')
    records = SeveralJudgments(qrels)
    if not (records.n_records > 1).any():
        raise ValueError(
            f'qrels: none of {len(records.n_records)} documents was judged more than once'
        )
    systems = {name: run.check() for name, run in several.each(runs)}
    if not systems:
        raise ValueError('no runs')
    table = records.aggregated(one_of(reference, HOW, 'reference'))
    queries = Judgments.of(records.intents).query_ids
    evaluator = Evaluator(parsed_measures, Judgments.of(table), warn=False, about_missing=False)
    order = [evaluator.query_ids.index(query) for query in queries]
    scored = score_runs(systems.items(), evaluator, parsed_measures)
    means = np.stack([system.values for system in scored])[:, order].mean(axis=1)
    choices = np.random.default_rng(rng).random((n_resamples, len(records.n_records)))
    replicates = _replicates(records, systems, parsed_measures, evaluator.query_ids, choices)
    replicates = replicates.take(order, axis=2)
    cutoffs = [float(measure.params.get('cutoff') or np.inf) for measure in parsed_measures]
    depth = max(cutoffs)
    shown = [_shown(records, run) for run in systems.values()]

    def noise(*places: int) -> list[float]:
        """For each measure, the mean of (n − 1)/n over the judged documents that any of some systems shows down to its
        cutoff, where n is the number of records. A draw among n records has in expectation this share of the variance
        of one rating."""
        both = pd.concat([shown[place] for place in places])
        shares = [(1 - 1 / both['n_records'][both['rank'] <= k]).dropna() for k in cutoffs]
        return [float(share.to_numpy().mean()) if len(share) else 0.0 for share in shares]

    pairs = np.column_stack(np.triu_indices(len(systems), 1))
    in_replicates, in_reference = (
        np.sign((of_systems[..., pairs[:, 0], :] - of_systems[..., pairs[:, 1], :]).round(12))
        for of_systems in (replicates.mean(axis=2), means)
    )
    at_top = [table['n_records'][table['rank'] <= depth] for table in shown]
    return JudgeNoise(
        tuple(map(str, parsed_measures)),
        tuple(systems),
        tuple(queries),
        means,
        replicates,
        pairs,
        (in_replicates == in_reference).mean(axis=0),
        np.array([(n_records > 1).sum() / max(len(n_records), 1) for n_records in at_top]),
        np.array([noise(place) for place in range(len(systems))]),
        np.array([noise(*pair) for pair in pairs]).reshape(len(pairs), len(cutoffs)),
        None if depth == np.inf else int(depth),
    )


def _replicates(
    records: SeveralJudgments,
    systems: Mapping[str, several.Run],
    measures: list[Any],
    queries: list[str],
    choices: Array,
) -> Array:
    """Scores of the systems by replicates of the judgments.

    Several replicates are scored at once: each is further queries of one collection. Documents are located once; only
    grades change.

    Args:
        records: the judgments of several judges.
        systems: runs by name.
        measures: the measures.
        queries: the judged queries.
        choices: (replicates, documents) numbers in [0, 1) that choose a record of each document.

    Returns:
        (replicates, systems, queries, measures), 0 where a system lacks a query.
    """
    tables = [run.table for run in systems.values()]
    tables = [table[table['query_id'].isin(set(queries))] for table in tables]
    n_rows = len(records.cells) + sum(map(len, tables))
    n = min(max(ROWS // n_rows, 1), len(choices))

    def repeated(table: pd.DataFrame) -> pd.DataFrame:
        """The rows for each of the replicates that are scored at once."""
        copies = [table.assign(query_id=f'{i} ' + table['query_id']) for i in range(n)]
        return pd.concat(copies, ignore_index=True)

    # The runs are the same in each replicate, so that nothing more is asked about them.
    quiet: dict[str, Any] = {'warn': False, 'about_missing': False}
    judgments = Judgments.of(repeated(records.cells))
    evaluator = Evaluator(measures, judgments, **quiet)
    runs = [several.read(repeated(table)) for table in tables]
    located = [evaluator.locate(run) for run in runs]
    scores = []
    for start in with_progress(range(0, len(choices), n), 'step', 'replicates'):
        rows, grades = records.draw_grades(choices[start : start + n])
        relevance = judgments.collection.relevance.reshape(n, -1).copy()
        relevance[: len(grades), rows] = grades
        graded = judgments.regraded(relevance.ravel())
        evaluator = Evaluator(measures, graded, asks=False, **quiet)
        of_systems = [evaluator.values(run) for run in located]
        values = np.array([[of[measure][0] for measure in measures] for of in of_systems])
        values = values.reshape(*values.shape[:2], n, -1).transpose(2, 0, 3, 1)
        scores.append(values[: len(grades)])
    present = np.array([pd.Index(queries).isin(table['query_id']) for table in tables])
    return np.where(present[..., None], np.concatenate(scores), 0.0)


def _shown(records: SeveralJudgments, run: several.Run) -> pd.DataFrame:
    """What a run shows for judged queries, query by query in the order of the ranking: the ``rank`` of each document, and
    ``n_records``, also of those whose rating no judge knows; NaN for documents without records."""
    queries = pd.concat([records.pairs['query_id'], records.intents['query_id']]).unique()
    place = pd.Index(queries).get_indexer(run.table['query_id'])
    table = first_documents(run.table.assign(place=place)[place >= 0], None)
    table = table.sort_values('place', kind='stable')
    table['rank'] = table.groupby('place').cumcount() + 1
    return table.merge(records.pairs, how='left', on=['query_id', 'doc_id'])


class JudgeNoise(Result):
    """What :func:`resample_judges` returns.

    Three things are uncertain, and each has its interval (:meth:`interval`). The formulas use V, the variance over the
    replicates of a system's mean over queries, and e, ``noise``: V/e is the variance of rating all documents afresh.
    They assume that ratings of different documents are independent, and that documents rated more than once are as
    noisy as the others. Repeated ratings show how much a judge varies, not whether the judge is right.

    Attributes:
        measures, systems, queries: names.
        reference: (systems, measures) mean over queries where the judges are made one, by default by the mean grade.
        replicates: (replicates, systems, queries, measures) scores, each replicate with one judge a document.
        pairs: (P, 2) places of the systems of each pair.
        agreement: (P, measures) share of replicates in which the pair's difference has the sign of that of
            ``reference``. It is no probability.
        rated_again: (systems,) share of the documents retrieved (down to ``depth``) that were judged more than once.
        noise: (systems, measures) e, the mean of (n − 1)/n over the judged documents that the system shows down to the
            measure's cutoff, of which each has n records.
        pair_noise: (P, measures) the same over the documents that either system of a pair shows.
        depth: the largest cutoff of the measures; None if one has none.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    reference: Array
    replicates: Array
    pairs: NDArray[np.intp]
    agreement: Array
    rated_again: Array
    noise: Array
    pair_noise: Array
    depth: int | None

    @property
    def means(self) -> Array:
        """(systems, measures): the mean over queries and replicates, which is the expected score under one judge."""
        return self.replicates.mean(axis=(0, 2))

    @property
    def differences(self) -> Array:
        """(P, measures): the differences of ``means``, first system minus second."""
        return self.means[self.pairs[:, 0]] - self.means[self.pairs[:, 1]]

    def interval(self, confidence_level: float = 0.95, of: str = 'queries') -> Array:
        """(systems, measures, 2): the ends of the intervals of :attr:`means`.

        Args:
            confidence_level: confidence level.
            of: ``'queries'``: the mean over all queries that could have been asked, with one judge. The interval is
                that of the queries' means, which contain the noise of the ratings, between the bounds of the measure.
                ``'judges'``: these queries, with the mean over all judges, ± z √(V(1/e − 1)). ``'again'``: the score
                that these queries get when all documents are rated afresh once, ± z √(V(2/e − 1)). The last two are
                NaN where none of the documents was rated more than once (e = 0), or with one replicate.

        Raises:
            ValueError: a confidence level outside (0, 1), or an unknown ``of``.
        """
        ends = self._interval(self.replicates, self.noise, confidence_level, of)
        if of == 'queries':
            for m, measure in enumerate(self.measures):
                values = self.replicates[..., m]
                estimate, _ = means(values.mean(axis=0), measure, confidence_level, values)
                ends[:, m] = np.column_stack([estimate.low, estimate.high])
        return ends

    def difference_interval(self, confidence_level: float = 0.95, of: str = 'queries') -> Array:
        """(P, measures, 2): the ends of the intervals of :attr:`differences`, as for :meth:`interval`."""
        first, second = self.pairs.T
        return self._interval(
            self.replicates[:, first] - self.replicates[:, second],
            self.pair_noise,
            confidence_level,
            of,
        )

    @staticmethod
    def _interval(values: Array, noise: Array, confidence_level: float, of: str) -> Array:
        """Intervals of values (replicates, X, queries, measures), of which ``noise`` is (X, measures)."""
        from scipy.special import ndtri

        fraction(confidence_level, 'confidence_level')
        one_of(of, OVER, 'of')
        if of == 'queries':
            estimate = mean_over_queries(values.mean(axis=0).swapaxes(1, 2), confidence_level)
            return np.stack([estimate.low, estimate.high], axis=-1)
        mean, V = values.mean(axis=(0, 2)), np.full(noise.shape, np.nan)
        if len(values) > 1:
            V = values.mean(axis=2).var(axis=0, ddof=1)
        with np.errstate(divide='ignore', invalid='ignore'):
            half = ndtri((1 + confidence_level) / 2) * np.sqrt(
                V * ((1 if of == 'judges' else 2) / noise - 1)
            )
        half = np.where(noise > 0, half, np.nan)
        return np.stack([mean - half, mean + half], axis=-1)

    def _headline(self) -> str:
        return (
            f'Scores of {count(len(self.systems), "system")} on '
            f'{count(len(self.queries), "query", "queries")} over {count(len(self.replicates), "draw")} of '
            f'judges: means with 95 % intervals over queries, each alone'
        )

    def _notes(self) -> list[str]:
        return [
            'low, high: over queries. again_low, again_high: if all documents were rated once more.'
        ]

    def to_frame(self) -> pd.DataFrame:
        """A row for each measure and system.

        ``measure, system, mean, low, high`` (over queries), ``again_low, again_high`` (a fresh round of ratings),
        ``reference, rated_again``; 95 % intervals.
        """
        again = np.broadcast_to(self.rated_again[:, None], self.reference.shape)
        return self._rows(
            {'system': self.systems},
            {'mean': self.means},
            self.interval,
            {'reference': self.reference, 'rated_again': again},
        )

    def pairs_frame(self) -> pd.DataFrame:
        """A row for each measure and pair of systems.

        ``measure, system, other, difference, low, high`` (over queries), ``again_low, again_high`` (a fresh round of
        ratings), ``reference`` (the difference where the judges are made one), ``agreement``; 95 % intervals.
        """
        first, second = self.pairs.T
        names = np.array(self.systems, dtype=object)
        reference = self.reference[first] - self.reference[second]
        return self._rows(
            {'system': names[first], 'other': names[second]},
            {'difference': self.differences},
            self.difference_interval,
            {'reference': reference, 'agreement': self.agreement},
        )

    def _rows(
        self,
        names: Mapping[str, Any],
        estimate: Mapping[str, Array],
        interval: Callable[..., Array],
        further: Mapping[str, Array],
    ) -> pd.DataFrame:
        """A row for each measure and item; names are (items,), estimates and further columns (items, measures)."""
        low, high = np.moveaxis(interval(), -1, 0)
        again_low, again_high = np.moveaxis(interval(of='again'), -1, 0)
        ends = {'low': low, 'high': high, 'again_low': again_low, 'again_high': again_high}
        columns = {**estimate, **ends, **further}
        parts = [
            {'measure': measure, **names, **{name: each[:, m] for name, each in columns.items()}}
            for m, measure in enumerate(self.measures)
        ]
        return pd.concat(map(pd.DataFrame, parts), ignore_index=True)
