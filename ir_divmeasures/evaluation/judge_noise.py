"""What disagreement of judges does to scores and to comparisons of systems."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures as parse_all
from ..io import runs as several
from ..judgments.judges import HOW, SeveralJudgments, one_of
from ..judgments.table import Judgments
from ..results import Result
from .partitions import score_runs
from .provider import Evaluator

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


def resample_judges(judgments: Any, runs: Any, measures: str | Iterable[Any], *, n_resamples: int = 1000,
                    rng: Any = None, reference: str = 'mean', jobs: int = 1) -> JudgeNoise:
    """What measures and comparisons of systems would be with other judgments of the same documents.

    Each replicate takes for each query and document one whole record of one of its judges, at random.

    Args:
        judgments: as for :func:`aggregate_judges`.
        runs: several runs, in any form that :func:`ir_divmeasures.read_runs` takes.
        measures: as :func:`ir_divmeasures.measures` takes them.
        n_resamples: replicates.
        rng: seed or generator as for ``numpy.random.default_rng``.
        reference: how judges are made one for the scores that replicates are compared to, as ``how`` of
            :func:`aggregate_judges`. Measures that are left to trec_eval's library (``Bpref``) take no fractional
            grades, which ``'mean'`` may give.
        jobs: so many processes (needs joblib); −1 takes all cores. Results do not depend on it.

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
        >>> noise = resample_judges(table, runs, 'StRecall@1', n_resamples=200, rng=1)
        >>> noise.to_frame()[['system', 'mean', 'low', 'high', 'rated_again']]
          system  mean  low  high  rated_again
        0      A   0.0  0.0   1.0          1.0
        1      B   1.0  1.0   1.0          0.0
    """
    parsed_measures = parse_all(measures)
    if not parsed_measures:
        raise ValueError('no measures')
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int) or n_resamples < 1:
        raise ValueError(f'n_resamples={n_resamples!r}: expected a whole number of at least 1')
    records = SeveralJudgments(judgments)
    if not (records.n_records > 1).any():
        raise ValueError(f'judgments: none of {len(records.n_records)} documents was judged more than once')
    read = {name: run.check() for name, run in several.each(runs)}
    if not read:
        raise ValueError('no runs')
    table = records.aggregated(one_of(reference, HOW, 'reference'))
    queries = Judgments.of(records.intents).query_ids
    means = _means(table, read, parsed_measures, queries)
    generator = np.random.default_rng(rng)
    choices = generator.random((n_resamples, len(records.n_records)))
    replicates = np.stack(list(_each(records, choices, read, parsed_measures, queries, jobs)))
    cutoffs: list[int | None] = [measure.params.get('cutoff') for measure in parsed_measures]
    depth = None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
    first, second = np.triu_indices(len(read), 1)
    signs = _signs(replicates[:, first] - replicates[:, second])
    return JudgeNoise(tuple(str(measure) for measure in parsed_measures), tuple(read), means, replicates,
                      np.column_stack([first, second]),
                      (signs == _signs(means[first] - means[second])).mean(axis=0),
                      np.array([_rated_again(records, run.table, depth) for run in read.values()]), depth)


def _signs(differences: Array) -> Array:
    return np.where(np.abs(differences) <= 1e-12, 0.0, np.sign(differences))


def _each(records: SeveralJudgments, choices: Array, runs: dict[str, Any], measures: list[Any], queries: list[str],
          jobs: int) -> Iterable[Array]:
    from tqdm import tqdm

    with tqdm(total=len(choices), desc='replicates', unit='replicate', disable=None) as bar:
        if jobs == 1:
            for choice in choices:
                yield _means(records.drawn(choice), runs, measures, queries)
                bar.update()
            return
        import joblib

        parts = np.array_split(choices, min(len(choices), 8 * joblib.effective_n_jobs(jobs)))
        tasks = (joblib.delayed(_part)(records, part, runs, measures, queries) for part in parts)
        for replicates in joblib.Parallel(n_jobs=jobs, return_as='generator')(tasks):
            yield from replicates
            bar.update(len(replicates))


def _part(records: SeveralJudgments, choices: Array, runs: dict[str, Any], measures: list[Any],
          queries: list[str]) -> list[Array]:
    return [_means(records.drawn(choice), runs, measures, queries) for choice in choices]


def _means(table: pd.DataFrame, runs: dict[str, Any], measures: list[Any], queries: list[str]) -> Array:
    """(systems, measures): means over all queries; a query that a run lacks scores 0."""
    evaluator = Evaluator(measures, Judgments.of(table), about_missing=False)
    return np.stack([values.mean(axis=0) for _, values, *_ in
                     score_runs(runs.items(), evaluator, measures, queries)])


def _rated_again(records: SeveralJudgments, run: pd.DataFrame, depth: int | None) -> float:
    """The share of a run's documents for judged queries, down to a depth, that have several records."""
    retrieved = run[run['query_id'].isin(set(records.intents['query_id']))]
    if depth is not None:
        retrieved = retrieved.sort_values(['score', 'doc_id'], ascending=False)
        retrieved = retrieved.groupby('query_id', sort=False).head(depth)
    if not len(retrieved):
        return 0.0
    known = retrieved[['query_id', 'doc_id']].merge(records.pairs, on=['query_id', 'doc_id'], how='left')
    return float((known['n_records'] > 1).mean())


@dataclass(frozen=True, eq=False, repr=False)
class JudgeNoise(Result):
    """What :func:`resample_judges` finds.

    Attributes:
        measures, systems: names.
        means: (systems, measures) mean over queries under the reference, by default the mean of the judges' grades.
        replicates: (replicates, systems, measures) means over queries, each replicate with one judge a document.
        pairs: (P, 2) places of the systems of each pair.
        same_sign: (P, measures) share of replicates in which the pair's difference has the sign of ``means``.
        rated_again: (systems,) share of the documents retrieved (down to ``depth``) that were judged more than once.
        depth: the largest cutoff of the measures; None if one has none.
    """
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    means: Array
    replicates: Array
    pairs: NDArray[np.intp]
    same_sign: Array
    rated_again: Array
    depth: int | None

    def interval(self, confidence_level: float = 0.95) -> Array:
        """(systems, measures, 2): percentiles of the replicates' means; 2.5 and 97.5 by default."""
        if not 0 < confidence_level < 1:
            raise ValueError(f'confidence_level={confidence_level!r}: expected a number in (0, 1)')
        tail = (1 - confidence_level) / 2
        return np.stack([np.quantile(self.replicates, q, axis=0) for q in (tail, 1 - tail)], axis=-1)

    def to_frame(self) -> pd.DataFrame:
        """A row for each measure and system: mean, 2.5 and 97.5 percentiles, share of documents judged again."""
        import pandas as pd

        low, high = np.moveaxis(self.interval(), -1, 0)
        return pd.DataFrame([(measure, system, self.means[s, m], low[s, m], high[s, m], self.rated_again[s])
                             for m, measure in enumerate(self.measures) for s, system in enumerate(self.systems)],
                            columns=['measure', 'system', 'mean', 'low', 'high', 'rated_again'])

    def pairs_frame(self) -> pd.DataFrame:
        """A row for each measure and pair of systems: difference, and how many replicates have its sign."""
        import pandas as pd

        return pd.DataFrame([(measure, self.systems[i], self.systems[j], self.means[i, m] - self.means[j, m],
                              self.same_sign[p, m])
                             for m, measure in enumerate(self.measures) for p, (i, j) in enumerate(self.pairs)],
                            columns=['measure', 'system', 'other', 'difference', 'same_sign'])


__all__ = ['JudgeNoise', 'resample_judges']
