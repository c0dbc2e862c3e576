"""The effect of disagreement between judges on scores and on comparisons of systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures as parse_all
from ..io import runs as several
from ..judgments.arrays import BLOCK_CELLS, Collection, LocatedRun
from ..judgments.judges import HOW, SeveralJudgments, one_of
from ..judgments.table import Judgments
from ..lazy import pd
from ..results import Result, count
from ..results.estimates import mean_over_queries
from ..results.progress import progress
from .provider import Evaluator
from .scoring import score_runs

if TYPE_CHECKING:
    from ..typing import MeasuresLike, QrelsLike, RngLike, RunsLike

Array = NDArray[np.float64]

OVER = ('queries', 'judges', 'again')
"""The sources of uncertainty that an interval of :class:`JudgeNoise` can cover."""


def resample_judges(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasuresLike,
    *,
    n_resamples: int = 1000,
    rng: RngLike = None,
    reference: str = 'mean',
    jobs: int = 1,
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
        jobs: number of worker processes (needs joblib). Use −1 for one process per core. Results do not depend on it.

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
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int) or n_resamples < 1:
        raise ValueError(f'n_resamples={n_resamples!r}: expected a whole number of at least 1')
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
    scored = score_runs(systems.items(), evaluator, parsed_measures, queries)
    means = np.stack([system.values.mean(axis=0) for system in scored])
    choices = np.random.default_rng(rng).random((n_resamples, len(records.n_records)))
    scorer = _Scorer(records, systems, parsed_measures, queries)
    replicates = np.stack(list(_replicates(scorer, choices, jobs)))
    cutoffs: list[int | None] = [measure.params.get('cutoff') for measure in parsed_measures]
    displays = _shown(records, systems.values())
    depth = None if None in cutoffs else max(filter(None, cutoffs))
    pairs = np.column_stack(np.triu_indices(len(systems), 1))
    in_replicates, in_reference = (
        _signs(of_systems[..., pairs[:, 0], :] - of_systems[..., pairs[:, 1], :])
        for of_systems in (replicates.mean(axis=2), means)
    )
    pair_noise = [[displays[i].noise(k, displays[j]) for k in cutoffs] for i, j in pairs]
    return JudgeNoise(
        tuple(map(str, parsed_measures)),
        tuple(systems),
        tuple(queries),
        means,
        replicates,
        pairs,
        (in_replicates == in_reference).mean(axis=0),
        np.array([each.rated_again(depth) for each in displays]),
        np.array([[each.noise(k) for k in cutoffs] for each in displays]),
        np.array(pair_noise).reshape(len(pairs), len(cutoffs)),
        depth,
    )


def _signs(differences: Array) -> Array:
    return np.where(np.abs(differences) <= 1e-12, 0.0, np.sign(differences))


class _Scorer:
    """Scores the systems by replicates of the judgments. Documents are located once; only grades change.

    Args:
        records: the judgments of several judges.
        systems: runs by name.
        measures: the measures.
        queries: the queries, in the order of the scores.
    """

    def __init__(
        self,
        records: SeveralJudgments,
        systems: dict[str, several.Run],
        measures: list[Any],
        queries: list[str],
    ):
        self.records, self.systems, self.measures = records, systems, measures
        self.judgments = Judgments.of(records.cells)
        evaluator = Evaluator(measures, self.judgments, warn=False, about_missing=False)
        self.located = {name: evaluator.locate(run) for name, run in systems.items()}
        self.row = {query: q for q, query in enumerate(queries)}
        self.present = np.array(
            [[query in of_run for query in queries] for of_run in map(_query_set, systems.values())]
        )

    def values(self, choices: Array) -> Iterator[Array]:
        """Yield (systems, queries, measures) by each replicate; 0 where a system lacks a query."""
        at_once = max(BLOCK_CELLS // len(self.judgments.table), 1)
        for start in range(0, len(choices), at_once):
            rows, grades = self.records.draw_grades(choices[start : start + at_once])
            for of_replicate in grades:
                yield self._scores(rows, of_replicate)

    def _scores(self, rows: NDArray[np.intp], grades: Array) -> Array:
        """The scores by the judgments in which some rows have these grades."""
        relevance = self.judgments.collection.relevance.copy()
        relevance[rows] = grades
        judgments = self.judgments.regraded(relevance)
        evaluator = Evaluator(self.measures, judgments, warn=False, about_missing=False)
        evaluator.asks = False  # the runs are the same in each replicate
        column = {str(measure): m for m, measure in enumerate(self.measures)}
        place = [self.row[query] for query in evaluator.query_ids]
        values = np.zeros((*self.present.shape, len(column)))
        for of_system, (name, run) in zip(values, self.systems.items()):
            scores, others = evaluator.scored(run, self.located[name], run)
            for measure, of_queries in scores:
                of_system[place, column[str(measure)]] = of_queries
            for metric in others:
                of_system[self.row[metric.query_id], column[str(metric.measure)]] = metric.value
        values[~self.present] = 0.0
        return values


def _query_set(run: several.Run) -> set[str]:
    return set(run.query_ids)


def _replicates(scorer: _Scorer, choices: Array, jobs: int) -> Iterator[Array]:
    """Scores by each replicate; ``choices`` is (replicates, documents)."""
    with progress(len(choices), 'replicate', 'replicates') as bar:
        if jobs == 1:
            for replicate in scorer.values(choices):
                yield replicate
                bar.update()
            return
        import joblib

        from .processes import count_workers

        parts = np.array_split(choices, min(len(choices), 8 * count_workers(jobs)))
        tasks = (joblib.delayed(_part)(scorer, part) for part in parts)
        for replicates in joblib.Parallel(n_jobs=jobs, return_as='generator')(tasks):
            yield from replicates
            bar.update(len(replicates))


def _part(scorer: _Scorer, choices: Array) -> list[Array]:
    return [*scorer.values(choices)]


class _Shown:
    """How often the documents were rated that a run shows for judged queries.

    Args:
        run: the run, located in judgments of all documents that have records.
        n_records: (pairs,) how many records each document has, 0 for one without.

    Attributes:
        n: (queries,) number of documents that the run shows.
        rank, n_records: (documents,) of those with records: the rank, and how many records there are.
    """

    def __init__(self, run: LocatedRun, n_records: NDArray[np.intp]):
        pair, self.rank, self.n, _ = run.located()
        self.n_records = n_records[pair]

    def down_to(self, depth: int | None) -> NDArray[np.intp]:
        """The numbers of records of the documents down to a rank that have any."""
        return self.n_records if depth is None else self.n_records[self.rank <= depth]

    def rated_again(self, depth: int | None) -> float:
        """The share of the documents down to a rank that have several records; 0 where there is none."""
        shown = (self.n if depth is None else np.minimum(self.n, depth)).sum()
        return float((self.down_to(depth) > 1).sum() / shown) if shown else 0.0

    def noise(self, depth: int | None, other: _Shown | None = None) -> float:
        """The mean of (n − 1)/n over the judged documents down to a rank, where n is the number of records.

        A draw among n records has in expectation this share of the variance of one rating. With another run, the
        documents that either shows count.
        """
        shown = [self] if other is None else [self, other]
        n = np.concatenate([each.down_to(depth) for each in shown])
        return float(((n - 1) / n).mean()) if len(n) else 0.0


def _shown(records: SeveralJudgments, systems: Iterable[several.Run]) -> list[_Shown]:
    """What each system shows, of all documents with records, also of those whose rating no judge knows."""
    listed = records.intents[['query_id', 'doc_id', 'subtopic_id', 'relevance']]
    documents = records.pairs.assign(subtopic_id='0', relevance=1)
    table = pd.concat([documents[listed.columns], listed], ignore_index=True)
    collection = Collection(table)
    n_records = np.zeros(collection.n_pairs, dtype=np.intp)
    n_records[collection.row_pair[: len(documents)]] = documents['n_records']
    return [_Shown(collection.read(run), n_records) for run in systems]


@dataclass(frozen=True, eq=False, repr=False)
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
                mean ± t · standard error of the queries' means, which contains the noise of the ratings. ``'judges'``:
                these queries, with the mean over all judges, ± z √(V(1/e − 1)). ``'again'``: the score that these
                queries get when all documents are rated afresh once, ± z √(V(2/e − 1)). The last two are NaN where
                none of the documents was rated more than once (e = 0), or with one replicate.

        Raises:
            ValueError: a confidence level outside (0, 1), or an unknown ``of``.
        """
        return self._interval(self.replicates, self.noise, confidence_level, of)

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

        if not 0 < confidence_level < 1:
            raise ValueError(f'confidence_level={confidence_level!r}: expected a number in (0, 1)')
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
            f'judges, with 95 % intervals'
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
        return self._table(
            {'system': self.systems},
            mean=self.means,
            **_ends(self.interval),
            reference=self.reference,
            rated_again=np.broadcast_to(self.rated_again[:, None], self.reference.shape),
        )

    def pairs_frame(self) -> pd.DataFrame:
        """A row for each measure and pair of systems.

        ``measure, system, other, difference, low, high`` (over queries), ``again_low, again_high`` (a fresh round of
        ratings), ``reference`` (the difference where the judges are made one), ``agreement``; 95 % intervals.
        """
        first, second = self.pairs.T
        names = np.array(self.systems, dtype=object)
        return self._table(
            {'system': names[first], 'other': names[second]},
            difference=self.differences,
            **_ends(self.difference_interval),
            reference=self.reference[first] - self.reference[second],
            agreement=self.agreement,
        )

    def _table(self, names: Mapping[str, Any], **columns: Array) -> pd.DataFrame:
        """A row for each measure and item; names are (items,), columns (items, measures)."""
        n = len(self.measures)
        n_items = len(next(iter(names.values())))
        return pd.DataFrame(
            {
                'measure': np.repeat(np.array(self.measures, dtype=object), n_items),
                **{name: np.tile(np.array(of, dtype=object), n) for name, of in names.items()},
                **{name: values.T.ravel() for name, values in columns.items()},
            }
        )


def _ends(interval: Callable[..., Array]) -> dict[str, Array]:
    """The ends of intervals over queries, and of a fresh round of ratings, (items, measures) each."""
    (low, high), (again_low, again_high) = (
        np.moveaxis(interval(of=of), -1, 0) for of in ('queries', 'again')
    )
    return {'low': low, 'high': high, 'again_low': again_low, 'again_high': again_high}


__all__ = ['JudgeNoise', 'resample_judges']
