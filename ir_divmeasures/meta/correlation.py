"""Rank correlation: Kendall's τ, τ_AP and Spearman's ρ, as matrix products of the signs of pairs of systems."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import fraction, one_of, warn, whole
from ..evaluation.scores import scores_of
from ..progress import progress
from ..results import tidy
from .intervals import resample_queries, resampled_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..typing import RngLike, ScoresLike

Array = np.ndarray
CELLS, CACHE = 2_000_000, 60_000
"""Number of signs in a block of rankings, and in one that fits into the cache of a core."""


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's τ_b between the rankings by two vectors of scores.

    τ_b = (C − D) / √((n(n−1)/2 − T_x)(n(n−1)/2 − T_y)), with C and D the concordant and discordant pairs of systems
    and T the pairs that are tied.

    Args:
        x, y: scores (n,) of the same n ≥ 2 systems, the larger the better. They are rounded to 12 places.

    Returns:
        τ in [−1, 1]; 0 if all scores of x or of y are equal.

    Raises:
        ValueError: NaN or infinite scores, fewer than two systems, different numbers of systems.

    Reference: Kendall, Biometrika 1938, and 1945 for the ties.

    Examples:
        Three pairs, one of them the other way round.

        >>> kendall([3, 2, 1], [3, 1, 2])
        0.3333333333333333
    """
    return _correlate_two(x, y, 'kendall')


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's ρ between the rankings by two vectors of scores: the correlation of the ranks, with average ties.

    Arguments, result and errors are those of :func:`kendall`.

    Reference: Spearman, American Journal of Psychology 1904.

    Examples:
        >>> round(spearman([3, 2, 1], [3, 1, 2]), 12)
        0.5
    """
    return _correlate_two(x, y, 'spearman')


def tau_ap(x: ArrayLike, y: ArrayLike, *, ties: str = 'a', symmetric: bool = False) -> float:
    """AP correlation: like Kendall's τ, but exchanges near the top of the ranking weigh more.

    τ_AP = 2/(n−1) Σ_{i=2..n} C(i)/(i−1) − 1, C(i) = systems above rank i of y's ranking that x too puts above it.
    Without ties the treatments are the same but for symmetry.

    ``ties='a'`` (accuracy) is the mean over all orders of tied systems:
    2/(n−1) Σ_i [ C_i · mean_{k=0..t_i−1} 1/(p_i + k − 1)  +  (1/2t_i) Σ_{k=1..t_i−1} k/(p_i + k − 1) ] − 1, where p_i
    is the first rank of i's group of ties in y, t_i its size, and C_i counts systems above the group. The paper allows
    ties in y only; here ties in x are averaged too (such a pair counts ½ in C_i).

    ``ties='b'`` (agreement) leaves tied pairs out:
    2/(n−t_1) Σ_{i: p_i>1} C_i/(p_i − 1) − 1, pairs tied in x not concordant, and is the mean of both directions.

    Args:
        x: scores (n,) of the reference ranking, the larger the better.
        y: scores (n,) of the ranking that is compared with it.
        ties: ``'a'`` or ``'b'``.
        symmetric: the mean of τ_AP(x, y) and τ_AP(y, x); ``'b'`` is that in any case.

    Returns:
        τ_AP in [−1, 1]; 0 if all scores of x or of y are equal.

    Raises:
        ValueError: as for :func:`kendall`, or an unknown ``ties``.

    Reference: Yilmaz, Aslam, Robertson, SIGIR 2008, Eq. 3; Urbano, Marrero, ICTIR 2017, τ_AP,a and τ_AP,b; the
    symmetric form as in Dou et al., IRJ 2019, §5.2.

    Examples:
        The example in the description of Urbano's R package ircor, 0.7491182.

        >>> x = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
        >>> y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
        >>> round(tau_ap(x, y), 7)
        0.7491182
    """
    return _correlate_two(x, y, 'tau_ap', ties=ties, symmetric=symmetric)


def correlations(
    scores: ScoresLike,
    coefficient: str = 'kendall',
    *,
    n_resamples: int = 0,
    rng: RngLike = None,
    confidence_level: float = 0.95,
    **options: Any,
) -> pd.DataFrame:
    """Rank correlation of every two measures, over the systems' means.

    ``table.pivot(index='measure', columns='other', values='statistic')`` is the matrix.

    Args:
        scores: :class:`~ir_divmeasures.Scores`, an array (systems, queries, measures) or a DataFrame of scores.
        coefficient: ``'kendall'``, ``'tau_ap'`` or ``'spearman'``.
        n_resamples: number of resamples of the queries for the intervals, for example 1000; 0 gives no intervals. An
            interval is the value ± t_{Q−1} times its standard deviation over the resamples, cut to [−1, 1]. It covers
            the correlation to expect of as many such queries.
        rng: seed or generator as for ``numpy.random.default_rng``.
        confidence_level: confidence level of the intervals.
        options: those of :func:`tau_ap`, ``ties`` and ``symmetric``.

    Returns:
        A row for each two measures: ``measure`` (the reference)``, other, statistic, low, high``. A measure that ties
        all systems has correlation 0, also with itself.

    Raises:
        ValueError: fewer than two systems, NaN, an unknown coefficient.

    Examples:
        >>> from ir_divmeasures import Scores
        >>> scores = Scores([[[.1, .3]], [[.2, .1]], [[.3, .2]]], measures=['AP', 'RR'])
        >>> correlations(scores).pivot(index='measure', columns='other', values='statistic').round(3)
        other       AP     RR
        measure
        AP       1.000 -0.333
        RR      -0.333  1.000
    """
    table = scores_of(scores)
    one_of(coefficient, COEFFICIENTS, 'coefficient')
    correlate: Any = partial(correlate_rankings, coefficient=coefficient, **options)
    level, n = fraction(confidence_level, 'confidence_level'), len(table.queries)
    n_resamples = whole(n_resamples, 'n_resamples', 0)
    x = np.ascontiguousarray(table.values.transpose(2, 0, 1))
    means = x.mean(axis=2)
    value = correlate(means, means)
    constants = [m for m, row in zip(table.measures, means.round(12)) if np.ptp(row) == 0]
    if constants:
        warn(
            f'{len(constants)} of {len(means)} measures tie all systems, so that their correlations are 0: '
            f'{", ".join(constants[:3])}'
        )
    weights = resample_queries(n, n_resamples, np.random.default_rng(rng)) / n
    replicates = np.empty((n_resamples, *value.shape))
    block = max(1, CELLS // (len(x) * x.shape[1] ** 2))
    with progress(n_resamples, 'resamples') as bar:
        for start in range(0, n_resamples, block):
            means = (x @ weights[start : start + block].T).transpose(2, 0, 1)
            replicates[start : start + block] = correlate(means, means)
            bar.update(len(means))
    low, high = resampled_interval(value, replicates, n, level, (-1, 1))
    return tidy(
        measure=[[measure] for measure in table.measures],
        other=table.measures,
        statistic=value,
        low=low,
        high=high,
    )


COEFFICIENTS = ('kendall', 'tau_ap', 'spearman')
"""The rank correlations by name."""


def correlate_rankings(
    x: Array, y: Array, coefficient: str = 'kendall', ties: str = 'a', symmetric: bool = False
) -> Array:
    """Correlate every ranking of x with every one of y: (..., A, n) and (..., B, n) → (..., A, B).

    Scores are rounded to 12 places before they are ranked.
    """
    same, x = x is y, x.round(12)
    y = x if same else y.round(12)
    if coefficient == 'tau_ap':
        correlate = {'a': _tau_ap_a, 'b': _tau_ap_b}[one_of(ties, ('a', 'b'), 'ties')]
        tau = correlate(x, y)
        if symmetric or ties == 'b':
            back = tau if same else correlate(y, x)
            tau = (tau + back.swapaxes(-1, -2)) / 2
        return tau
    ranks_x = _count_lower(x)
    ranks_y = ranks_x if same else _count_lower(y)
    if coefficient == 'kendall':
        products = _concordance(ranks_x, ranks_y)
        norms = [ranks.sum(axis=-1, dtype=float) for ranks in (ranks_x, ranks_y)]  # untied pairs
    else:
        deviations_x, deviations_y = (
            ranks - _count_lower(-scores).astype(float)
            for ranks, scores in ((ranks_x, x), (ranks_y, y))
        )
        products = deviations_x @ deviations_y.swapaxes(-1, -2)
        norms = [np.square(ranks).sum(axis=-1) for ranks in (deviations_x, deviations_y)]
    return products / np.sqrt(np.maximum(norms[0][..., :, None] * norms[1][..., None, :], 1))


def _count_lower(scores: Array) -> Array:
    """The number of systems with a lower score than each, (..., n): ranks from below, the first of tied ones."""
    order = np.argsort(scores, axis=-1)
    ascending = np.take_along_axis(scores, order, axis=-1)
    places = np.zeros(scores.shape, dtype=np.int16)
    is_higher = ascending[..., 1:] > ascending[..., :-1]
    places[..., 1:] = np.where(is_higher, np.arange(1, scores.shape[-1]), 0)
    ranks = np.empty_like(places)
    np.put_along_axis(ranks, order, np.maximum.accumulate(places, axis=-1), axis=-1)
    return ranks


def _concordance(x: Array, y: Array, weight: Array | None = None) -> Array:
    """Σ sign_x sign_y w over the pairs of systems: (..., A, n) and (..., B, n) → (..., A, B).

    w is 1, or the smaller of the weights (n, ..., B) of the two systems. Blocks of pairs, which fit into the cache of a
    core, are multiplied.
    """
    same, (x, y) = x is y, (np.ascontiguousarray(np.moveaxis(each, -1, 0)) for each in (x, y))
    total: Any = 0
    step = max(1, CACHE // y.size)
    for start in range(0, len(x) - 1, step):
        rows = range(start, min(start + step, len(x) - 1))
        one = _pair_signs(x, rows)
        other = one if same else _pair_signs(y, rows)
        if weight is not None:
            lower = [np.minimum(weight[i], weight[i + 1 :]) for i in rows]
            one, other = one.astype(float), other * np.concatenate(lower)
        total += np.moveaxis(one, 0, -1) @ np.moveaxis(other, 0, -2)
    return total


def _pair_signs(scores: Array, rows: range) -> Array:
    """The signs of the pairs of the systems of some rows with all later ones, (n, ...) → (pairs, ...)."""
    flat, signs = scores.reshape(len(scores), -1), []
    for i in rows:
        is_above, is_below = flat[i] > flat[i + 1 :], flat[i] < flat[i + 1 :]
        signs.append(np.subtract(is_above.view(np.int8), is_below.view(np.int8)))
    return np.concatenate(signs, dtype=np.float32).reshape(-1, *scores.shape[1:])


def _tau_ap_a(x: Array, y: Array) -> Array:
    """τ_AP,a = Σ sign_x sign_y w / (n − 1) over pairs, w the mean of 1/(rank − 1) of the lower system of y's ranking.

    This is the formula of :func:`tau_ap`, as 2 C(i)/(i − 1) − 1 is the mean sign over the systems above rank i; the
    signs of tied pairs are 0 on average. Weights fall with the rank, so the lower system's is the smaller one.
    """
    n, n_below, n_above = y.shape[-1], _count_lower(y), _count_lower(-y)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    weight = (harmonic[n - 1 - n_below] - harmonic[n_above - 1]) / (n - n_above - n_below)
    weight[n_above == 0] = 2  # the first systems are never the lower ones
    return _concordance(x, y, np.moveaxis(weight, -1, 0)) / (n - 1)


def _tau_ap_b(x: Array, y: Array) -> Array:
    """One direction of τ_AP,b of every two rankings."""
    above_x, above_y = (
        (scores[..., :, None] > scores[..., None, :]).astype(float) for scores in (x, y)
    )
    n_above = above_y.sum(axis=-2)
    weight = above_y / np.maximum(n_above, 1)[..., None, :]
    flat_x, flat_y = (pairs.reshape(*pairs.shape[:-2], -1) for pairs in (above_x, weight))
    n_ranked = np.count_nonzero(n_above, axis=-1)[..., None, :]
    tau = 2 * (flat_x @ flat_y.swapaxes(-1, -2)) / np.maximum(n_ranked, 1) - 1
    return np.where((n_ranked > 0) & flat_x.any(axis=-1, keepdims=True), tau, 0.0)


def _correlate_two(x: ArrayLike, y: ArrayLike, coefficient: str, **options: Any) -> float:
    """The correlation of two rankings, whose scores are checked."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise ValueError(
            f'x has shape {x.shape} and y {y.shape}; expected scores of the same two or more systems'
        )
    for name, scores in (('x', x), ('y', y)):
        if bad := int((~np.isfinite(scores)).sum()):
            raise ValueError(f'{name}: {bad} of {scores.size} scores are not finite numbers')
    return float(correlate_rankings(x[None], y[None], coefficient, **options)[0, 0])
