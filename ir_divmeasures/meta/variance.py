"""Means over queries, judges and nugget banks that are all samples: intervals, and the source of their variance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evaluation.ranges import means, range_of
from ..evaluation.scores import COLUMNS, Scores, as_scores
from ..results import Result, count, tidy
from ..results.estimates import Estimate, bounded, student
from .correlation import matched, place_of
from .resampling import by_measure

if TYPE_CHECKING:
    from ..typing import ScoresLike

Array = np.ndarray


def sources(
    scores: Mapping[Any, ScoresLike] | ScoresLike,
    facets: Sequence[str] = ('judge', 'bank'),
    *,
    confidence_level: float = 0.95,
) -> Sources:
    """Means with intervals over queries and over judges, banks of nuggets, or other samples, and shares of variance.

    The scores y of a system have facets, the queries and those named, of sizes n_f, with product N. MS_A is the mean
    square of the interaction of the facets A. The variance of the mean is V = Σ_A (−1)^(|A|+1) MS_A/N over all
    non-empty A, at least the largest MS_f/N. Its degrees of freedom are V²/Σ_f [(MS_f/N)²/(n_f − 1)], at least 1
    (Satterthwaite). For two facets, V = (MS_q + MS_j − MS_qj)/N.

    Judges or banks that are made anew for each query are no facets. Average their scores by query, and use an interval
    over queries.

    Args:
        scores: scores of the same systems, queries and measures for all combinations of labels:
            ``{('judge1', 'bank1'): scores, …}``, or ``{'judge1': scores, …}`` with one facet. Or
            :class:`~ir_divmeasures.Scores` with ratings; replicates of a rating are averaged.
        facets: names of the facets besides the queries, in the order of the labels. Of ratings, those that have
            several labels are taken.
        confidence_level: confidence level of the intervals.

    Returns:
        :class:`Sources`.

    Raises:
        ValueError: a facet with one label, a combination of labels without scores, or scores of other systems, queries
            or measures; the message names the combination.

    Reference: Searle, Casella, McCulloch, *Variance Components*, 1992; Satterthwaite, Biometrics Bulletin 1946.

    Examples:
        >>> result = sources({'j1': [[.5, .2, .9]], 'j2': [[.7, .3, .8]]}, ['judge'])
        >>> result.to_frame()[['mean', 'low', 'high', 'df', 'queries', 'judge', 'rest']].round(3)
            mean    low   high     df  queries  judge   rest
        0  0.567  0.259  0.823  1.995    0.936    0.0  0.064
    """
    from scipy.special import stdtrit

    if not isinstance(scores, Mapping):
        scores, facets = _cells(as_scores(scores, systems=1), facets)
    cells = {key if isinstance(key, tuple) else (key,): table for key, table in scores.items()}
    for key in cells:
        if len(key) != len(facets):
            raise ValueError(
                f'{key!r}: expected {count(len(facets), "label")}, {", ".join(facets)}'
            )
    labels = [list(dict.fromkeys(of_facet)) for of_facet in zip(*cells)]
    for name, of_facet in zip(facets, labels):
        if len(of_facet) < 2:
            raise ValueError(f'facet {name!r} has one label, {of_facet}, expected at least two')
    grid = list(itertools.product(*labels))
    first = as_scores(cells[next(iter(cells))], systems=1)
    values = []
    for key in grid:
        if key not in cells:
            raise ValueError(
                f'no scores of {key!r}: expected scores for all combinations of labels'
            )
        table = as_scores(cells[key], systems=1)
        values.append(matched(table, first, repr(key), ['systems', 'queries', 'measures']).values)
    sizes = [len(first.queries), *map(len, labels)]
    y = np.moveaxis(np.array(values), 2, 0).reshape(*sizes, *values[0].shape[::2])
    V, df, shares = _variance(y)
    factor = stdtrit(df, (1 + confidence_level) / 2)
    factor /= stdtrit(sizes[0] - 1, (1 + confidence_level) / 2)
    of_measures = list(np.moveaxis(y, -1, 0))  # (queries, …, systems) each
    by_query = [each.mean(axis=tuple(range(1, each.ndim - 1))).T for each in of_measures]
    mean, errors = np.array([each.mean(axis=1) for each in by_query]), (np.sqrt(V) * factor).T
    ranges = [range_of(name, each) for name, each in zip(first.measures, of_measures)]
    estimate, notes = by_measure(
        (bounded(value, error, sizes[0], bounds, confidence_level), note)
        for value, error, (bounds, note) in zip(mean, errors, ranges)
    )
    alone, _ = by_measure(
        means(each, name, confidence_level, scored)
        for each, name, scored in zip(by_query, first.measures, of_measures)
    )
    frame = tidy(
        measure=[[measure] for measure in first.measures],
        system=first.systems,
        mean=mean,
        low=estimate.low,
        high=estimate.high,
        df=df.T,
        query_low=alone.low,
        query_high=alone.high,
        **dict(zip(('queries', *facets), shares.swapaxes(1, 2))),
        rest=np.maximum(1 - shares.sum(axis=0), 0).T,
    )
    counts = [count(sizes[0], 'query', 'queries'), *map(count, sizes[1:], facets)]
    return Sources(
        frame,
        f'Means over {" × ".join(counts)}, all of them samples: {100 * confidence_level:g} % intervals of each mean '
        f'alone, and shares of its variance',
        ['query_low and query_high are the interval over queries alone.', *notes],
        facets=('queries', *facets),
        systems=first.systems,
        measures=first.measures,
        values=y,
        confidence_level=confidence_level,
    )


def _cells(scores: Scores, facets: Sequence[str]) -> tuple[dict[Any, Scores], list[str]]:
    """The ratings of scores by their labels, and the facets that have several labels."""
    ratings = scores.to_frame() if scores.ratings is None else scores.ratings
    several = [name for name in facets if name in ratings and ratings[name].nunique() > 1]
    if not several:
        raise ValueError(
            f'scores: expected several ratings of each score, which {" or ".join(facets)} tells apart'
        )
    return {
        labels: Scores.from_frame(part[[*COLUMNS, *(set(part.columns) & {'replicate'})]])
        for labels, part in ratings.groupby(several, sort=False)
    }, several


class Sources(Result):
    """The result of :func:`sources`: a row for each measure and system: ``measure, system, mean, low, high``, ``df``, the
    degrees of freedom, ``query_low, query_high``, the interval over queries alone, and the share of the variance of the
    mean by each facet and the ``rest``.

    Attributes:
        facets: names, ``queries`` first.
        systems, measures: names.
        values: (queries, …, systems, measures) the scores, an axis for each facet.
        confidence_level: confidence level of the intervals.
    """

    def difference(self, one: str, other: str) -> Estimate:
        """The mean of one system minus that of another for each measure, (measures,), ± t √V of the differences."""
        a, b = (place_of(name, self.systems, 'system') for name in (one, other))
        y = self.values[..., [a], :] - self.values[..., [b], :]
        V, df, _ = _variance(y)
        mean = y.mean(axis=tuple(range(len(self.facets))))
        return student(mean[0], np.sqrt(V[0]), df[0], self.confidence_level)

    def variances(self) -> Array:
        """The variance V of each mean, (systems, measures)."""
        return _variance(self.values)[0]


def _variance(y: Array) -> tuple[Array, Array, Array]:
    """V, its degrees of freedom, and the shares of the facets, (facets, …), of values (queries, …, systems, measures)."""
    axes, sizes = tuple(range(y.ndim - 2)), np.array(y.shape[:-2])
    V, components, mains = 0.0, np.zeros((len(axes), *y.shape[-2:])), []
    for size in range(1, len(axes) + 1):
        for A in itertools.combinations(axes, size):
            effect = y.mean(axis=tuple(set(axes) - set(A)), keepdims=True)
            for axis in A:
                effect = effect - effect.mean(axis=axis, keepdims=True)
            n_A = sizes[list(A)]
            ms = np.square(effect).sum(axis=axes) / n_A.prod() / (n_A - 1).prod()  # MS_A/N
            V = V + (-1) ** (size + 1) * ms
            components[list(A)] += (-1) ** (size + 1) * ms
            mains += [ms] * (size == 1)
    V = np.maximum(V, np.max(mains, axis=0))
    with np.errstate(invalid='ignore', divide='ignore'):
        df = V**2 / (np.square(mains) / (sizes - 1)[:, None, None]).sum(axis=0)
        return V, np.maximum(df, 1), np.maximum(components, 0) / V


WORDS = {'queries': 'queries', 'judge': 'judges', 'bank': 'nugget banks'}


def split(scores: Scores) -> tuple[Sources | None, dict[str, float], str]:
    """The shares of the variance of the means of rated scores, averaged over systems and measures.

    Returns:
        What :func:`sources` returns, None if there are not several judges or banks; the shares of queries, judges, nugget
        banks, repeated ratings and interactions; and, without shares, why there are none.
    """
    ratings = scores.ratings
    if ratings is None:
        return None, {}, ''
    cell = [name for name in ratings if name not in ('replicate', 'value')]
    again = ratings.groupby(cell)['value'].agg(['var', 'size']).dropna()
    try:
        result = sources(scores)
    except ValueError:
        several = 'judge' in ratings and ratings['judge'].nunique() > 1
        alone = f'judge: cannot be told from one {"judge" if len(again) else "rating"}'
        return None, {}, 'not every judge rated everything' if several else alone
    frame = result.to_frame()
    shares = {WORDS[name]: float(frame[name].mean()) for name in result.facets}
    rest, mean_variance = float(frame['rest'].mean()), float(result.variances().mean())
    if len(again) and mean_variance:
        n_cells = len(scores.queries) * np.prod(
            [ratings[name].nunique() for name in result.facets[1:]]
        )
        of_ratings = float((again['var'] / again['size']).mean()) / n_cells
        shares['ratings'] = min(rest, of_ratings / mean_variance)
        rest -= shares['ratings']
    return result, {**shares, 'their interactions': max(rest, 0.0)}, ''
