"""Means of systems from scores by an LLM's judgments on all queries and by human ones on some (prediction-powered)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import fraction, one_of, warn
from ..evaluation.ranges import means, range_of
from ..evaluation.scores import Scores, as_scores
from ..results import Result, count, tidy
from ..results.estimates import Estimate, bounded, jackknife_error, mean_over_queries, student
from .correlation import matched, place_of
from .resampling import by_measure
from .significance import CORRECTIONS, corrected, tested

if TYPE_CHECKING:
    from ..typing import ScoresLike

Array = np.ndarray

FEW = 10
"""With fewer human-labelled queries than this there is a warning."""


def prediction_powered(
    scores: ScoresLike,
    human: Any,
    *,
    baseline: str | None = None,
    correction: str | None = 'holm',
    weight: str | float = 'fitted',
    confidence_level: float = 0.95,
) -> Result:
    r"""Mean scores of systems from an LLM's judgments on all queries and human judgments on some of them.

    Let y be a system's scores by the human judgments on n queries, f its scores by the LLM's judgments on the same
    queries, and g those on the N other queries. The estimate is

    .. math::

        \hat\mu = \lambda \bar g + \overline{y - \lambda f}, \quad
        \lambda = \frac{\mathrm{cov}(y, f)}{(1 + n/N)\,\mathrm{var}(f, g)}, \text{ at least 0 and at most 1}

    The error of the LLM is thus measured on the n queries and removed from the mean, so the estimate is unbiased up to
    the fitting of λ, however wrong the LLM is. An LLM that says nothing about y gets λ = 0, which is the mean of the
    human scores alone.

    Its variance se² is the jackknife variance over the n queries, with λ fitted again without each of them, plus
    λ² var(g)/N. The interval of a mean stays between the bounds of the measure
    (:func:`ir_divmeasures.results.estimates.bounded` with se and n), that of a difference is ± t_{n−1} · se.

    The human-labelled queries must be drawn at random from all queries. Each of them must be judged by humans in full,
    for all systems.

    Args:
        scores: scores of the systems on all queries by the LLM's judgments: a :class:`~ir_divmeasures.Scores`, an
            array, or a DataFrame of scores.
        human: scores of the same systems by the same measures on n of these queries, by the human judgments.
        baseline: a system to compare the others with. The difference is estimated from the differences of the scores
            on each query, with its own λ.
        correction: correction of the p-values for the number of compared systems, measure by measure: ``'holm'``,
            ``'bonferroni'``, ``'bh'`` or None.
        weight: ``'fitted'`` is λ as above. A number in [0, 1] is λ itself: 0 uses the human scores alone, and 1 is
            prediction-powered inference without a fitted λ.
        confidence_level: of the intervals.

    Returns:
        :class:`~ir_divmeasures.results.Result`, one row per measure and system: ``measure, system, mean, low, high,
        human`` (mean of y), ``llm`` (mean of f and g), ``bias`` (mean of f − y), ``weight`` (λ), ``n, queries``
        (n + N), and with a baseline ``difference, difference_low, difference_high, pvalue``, which are NaN for the
        baseline itself. A sentence says how wide the intervals are compared with those by the human judgments alone.

    Facts:
        narrower: median of the widths of the intervals of the means, divided by those by the human judgments alone.

    Raises:
        ValueError: other systems or measures in ``human``, a query that ``scores`` lacks, fewer than two
            human-labelled queries, or an unknown baseline, correction or weight.

    Reference: Angelopoulos, Duchi, Zrnic, *PPI++: Efficient Prediction-Powered Inference*, 2023, §6.1 (the estimate);
    the interval differs from theirs, which holds for large n only.

    Examples:
        The LLM's scores are 0.1 too high on every query. Since n = N, λ is about 1/2.

        >>> rng = np.random.default_rng(0)
        >>> llm = rng.random((1, 20))
        >>> from ir_divmeasures import Scores
        >>> human = Scores(llm[:, :10] - 0.1, ['system1'], list(map(str, range(1, 11))))
        >>> prediction_powered(llm, human).to_frame()[['mean', 'human', 'llm', 'bias', 'weight', 'n']].round(3).values.tolist()
        [[0.415, 0.451, 0.512, 0.1, 0.466, 10.0]]
    """
    from scipy.special import stdtrit

    fraction(confidence_level, 'confidence_level')
    if correction is not None:
        one_of(correction, CORRECTIONS, 'correction')
    if weight != 'fitted' and (isinstance(weight, (str, bool)) or not 0 <= weight <= 1):
        raise ValueError(f"weight={weight!r}: expected 'fitted' or a number from 0 to 1")
    table, y, f, g = _aligned(scores, human)
    n = y.shape[-1]
    place = None if baseline is None else place_of(baseline, table.systems, 'system')
    estimate, shares = _estimate(y, f, g, weight, confidence_level)
    error = (estimate.high - estimate.low) / 2 / stdtrit(n - 1, (1 + confidence_level) / 2)
    ranges = [range_of(name, of_measure) for name, of_measure in zip(table.measures, y)]
    of_means, notes = by_measure(
        (bounded(value, its_error, n, bounds, confidence_level), note)
        for value, its_error, (bounds, note) in zip(estimate.value, error, ranges)
    )
    alone, _ = by_measure(map(means, y, table.measures, [confidence_level] * len(y)))
    with np.errstate(invalid='ignore', divide='ignore'):
        widths = (of_means.high - of_means.low) / (alone.high - alone.low)
    frame = tidy(
        measure=[[measure] for measure in table.measures],
        system=table.systems,
        mean=estimate.value,
        low=of_means.low,
        high=of_means.high,
        human=y.mean(axis=2),
        llm=np.concatenate([f, g], axis=2).mean(axis=2),
        bias=(f - y).mean(axis=2),
        weight=shares,
        n=n,
        queries=len(table.queries),
    )
    test = ''
    if place is not None:
        others = [s for s in range(len(table.systems)) if s != place]
        columns = np.full((4, *shares.shape), np.nan)
        y, f, g = (each[:, others] - each[:, [place]] for each in (y, f, g))
        difference, _ = _estimate(y, f, g, weight, confidence_level)
        pvalue = corrected(difference.pvalue, correction if others else None, 'measure')
        columns[:, :, others] = [*difference[:3], pvalue]
        frame[['difference', 'difference_low', 'difference_high', 'pvalue']] = columns.reshape(
            4, -1
        ).T
        said = tested('t', correction, 'measure', len(others), len(table.measures))
        test = f'; differences to {baseline}, {said}'
    narrower, level = float(np.nanmedian(widths)), f'{100 * confidence_level:g} %'
    return Result(
        frame,
        f'Means by human judgments of {count(len(table.queries), "query", "queries")}, of which humans judged {n} and '
        f'an LLM all, with {level} intervals of each mean alone{test}',
        [
            f"With the LLM's judgments the intervals are {narrower:.2f} times as wide as those by the {n} "
            f'human-labelled queries alone.',
            *notes,
        ],
        narrower=narrower,
    )


def _aligned(scores: Any, human: Any) -> tuple[Scores, Array, Array, Array]:
    """The scores by the LLM, and y, f and g, which are (measures, systems, queries)."""
    table, labelled = as_scores(scores, systems=1), as_scores(human, systems=1)
    y = matched(labelled, table, 'human').values.transpose(2, 0, 1)
    unknown = [query for query in labelled.queries if query not in set(table.queries)]
    if unknown:
        raise ValueError(
            f'human: query {unknown[0]!r} is not among the {len(table.queries)} queries of the scores '
            f'({len(unknown)} of {len(labelled.queries)} are not)'
        )
    n = len(labelled.queries)
    if n < 2:
        raise ValueError(f'human: {n} query, expected at least two')
    if n < FEW:
        warn(f'the intervals rest on {n} human-labelled queries only; {FEW} or more are better')
    is_human = np.isin(table.queries, labelled.queries)
    f = table.select(queries=labelled.queries).values.transpose(2, 0, 1)
    g = table.values[:, ~is_human].transpose(2, 0, 1)
    return table, y, f, g


def pairs_by_both(
    scores: ScoresLike, human: ScoresLike, confidence_level: float = 0.95
) -> tuple[Array, Estimate]:
    """All pairs of systems, (P, 2), and their corrected differences, (measures, P), each with its own λ."""
    table, *by_both = _aligned(scores, human)
    pairs = np.column_stack(np.triu_indices(len(table.systems), 1))
    y, f, g = (each[:, pairs[:, 0]] - each[:, pairs[:, 1]] for each in by_both)
    return pairs, _estimate(y, f, g, 'fitted', confidence_level)[0]


def _estimate(
    y: Array, f: Array, g: Array, weight: str | float, confidence_level: float
) -> tuple[Estimate, Array]:
    """The estimates from scores (…, n), (…, n) and (…, N), and λ."""
    n, N = y.shape[-1], g.shape[-1]
    if not N:  # the mean of the human scores, whose λ changes nothing
        return mean_over_queries(y, confidence_level), np.zeros(y.shape[:-1])

    def fitted(y: Array, f: Array) -> tuple[Array, Array]:
        """The estimate and λ from scores (…, m)."""
        m = y.shape[-1]
        if weight != 'fitted':
            share: Array = np.full(y.shape[:-1], float(weight))
        else:
            variance = (1 + m / N) * np.concatenate([f, g], axis=-1).var(axis=-1, ddof=1)
            apart = (each - each.mean(axis=-1, keepdims=True) for each in (y, f))
            covariance = np.prod(list(apart), axis=0).mean(axis=-1)
            share = np.divide(covariance, variance, out=np.zeros_like(variance), where=variance > 0)
            share = share.clip(0, 1)
        return share * g.mean(axis=-1) + y.mean(axis=-1) - share * f.mean(axis=-1), share

    value, share = fitted(y, f)
    rest = [np.delete(np.arange(n), q) for q in range(n)]
    without = [fitted(y[..., places], f[..., places])[0] for places in rest]
    variance = jackknife_error(without) ** 2 + (
        share**2 * g.var(axis=-1, ddof=1) / N if N > 1 else 0.0
    )
    return student(value, np.sqrt(variance), n - 1, confidence_level), share
