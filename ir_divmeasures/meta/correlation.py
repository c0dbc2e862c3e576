"""Correlation between two rankings of the same systems, with ties: Kendall's τ and τ_AP.

Scores define the rankings: the larger, the better. Leading axes are a batch: ``(..., n)`` and ``(..., n)`` give one
value for each pair of rankings. Resampling uses such batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import did_you_mean, one_of, warn

Array = np.ndarray
_CELLS = 1_000_000  # of a block's (rankings, n, n) arrays


def kendall(x: Any, y: Any) -> Any:
    """Kendall's τ_b between the rankings by two vectors of scores.

    τ_b = (C − D) / √((n(n−1)/2 − T_x)(n(n−1)/2 − T_y)), with C and D the concordant and discordant pairs of systems
    and T the pairs that are tied.

    Args:
        x, y: scores (..., n) of the same n ≥ 2 systems, the larger the better; leading axes broadcast.

    Returns:
        τ in [−1, 1]; a float, or an array of the leading shape. If all scores of x or of y are equal, 0 and one
        warning.

    Raises:
        ValueError: NaN or infinite scores, fewer than two systems, different numbers of systems.

    Reference: Kendall, Biometrika 1938, and 1945 for the ties.

    Examples:
        Three pairs, one of them the other way round.

        >>> kendall([3, 2, 1], [3, 1, 2])
        0.3333333333333333
    """
    return _batched(_kendall, x, y, 'kendall')


def tau_ap(x: Any, y: Any, *, ties: str = 'a', symmetric: bool = False) -> Any:
    """AP correlation: like Kendall's τ, but exchanges near the top of the ranking weigh more.

    τ_AP = 2/(n−1) Σ_{i=2..n} C(i)/(i−1) − 1, C(i) = systems above rank i of y's ranking that x too puts above it.
    Without ties the treatments are the same but for symmetry.

    ``ties='a'`` (accuracy) is the mean over all orders of tied systems:
    2/(n−1) Σ_i [ C_i · mean_{k=0..t_i−1} 1/(p_i + k − 1)  +  (1/2t_i) Σ_{k=1..t_i−1} k/(p_i + k − 1) ] − 1, where p_i
    is the first rank of i's group of ties in y, t_i its size, and C_i counts systems above the group. Choice: the paper
    allows ties in y only; here ties in x are averaged too (such a pair counts ½ in C_i).

    ``ties='b'`` (agreement) leaves tied pairs out:
    2/(n−t_1) Σ_{i: p_i>1} C_i/(p_i − 1) − 1, pairs tied in x not concordant, and is the mean of both directions.

    Args:
        x: scores (..., n) of the reference ranking, the larger the better.
        y: scores (..., n) of the ranking that is compared with it.
        ties: ``'a'`` or ``'b'``.
        symmetric: the mean of τ_AP(x, y) and τ_AP(y, x); ``'b'`` is that in any case.

    Returns:
        τ_AP in [−1, 1]; a float, or an array of the leading shape. If all scores of x or of y are equal, 0 and one
        warning.

    Raises:
        ValueError: NaN or infinite scores, fewer than two systems, different numbers of systems, an unknown ``ties``.

    Reference: Yilmaz, Aslam, Robertson, SIGIR 2008, Eq. 3; Urbano, Marrero, ICTIR 2017, τ_AP,a and τ_AP,b; the
    symmetric form as in Dou et al., IRJ 2019, §5.2.

    Examples:
        The example in the description of Urbano's R package ircor, 0.7491182.

        >>> x = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
        >>> y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
        >>> round(tau_ap(x, y), 7)
        0.7491182
    """
    one_of(ties, ('a', 'b'), 'ties')
    one_way = _tau_ap_a if ties == 'a' else _tau_ap_b
    if symmetric or ties == 'b':
        return _batched(lambda a, b: (one_way(a, b) + one_way(b, a)) / 2, x, y, 'tau_ap')
    return _batched(one_way, x, y, 'tau_ap')


COEFFICIENTS: dict[str, Callable[..., Any]] = {'kendall': kendall, 'tau_ap': tau_ap}
"""The coefficients by the name under which other functions of this package take them."""


# ------------------------------------------------------------------------------------------------ statistics


def _sign(scores: Array) -> Array:
    """1 where system i scores above system j, −1 below, 0 tied: (B, n) → (B, n, n)."""
    return np.sign(scores[:, :, None] - scores[:, None, :])


def _kendall(x: Array, y: Array) -> Array:
    above_x, above_y = _above(x), _above(y)
    balance = _both(above_x, above_y) - _both(above_x, _above(-y))  # of pairs in one order
    pairs = np.sqrt(_both(above_x, above_x) * 1.0 * _both(above_y, above_y))
    return balance / np.maximum(pairs, 1)  # 0/1 for constant scores


def _above(scores: Array) -> Array:
    """Whether system i scores above system j: (B, n) → (B, n²)."""
    return (scores[:, :, None] > scores[:, None, :]).reshape(len(scores), -1)


def _both(one: Array, other: Array) -> Array:
    return np.count_nonzero(one & other, axis=1)


def _groups(y: Array) -> tuple[Array, Array, Array]:
    """The ties of rankings by scores y (B, n).

    Returns:
        Whether system j is ranked above system i, (B, n, n), the first rank of each system's group of ties, (B, n), and
        the size of the group, (B, n).
    """
    sign = _sign(y)
    above = sign < 0
    return above, 1 + above.sum(axis=2), (sign == 0).sum(axis=2)


def _tau_ap_a(x: Array, y: Array) -> Array:
    n = x.shape[1]
    above, p, t = _groups(y)
    concordant = (above * (1 - _sign(x)) / 2).sum(axis=2)
    # harmonic[m + 1] = H(m), and the mean of 1/(rank − 1) over the orders of the group
    harmonic = np.concatenate([[0.0, 0.0], np.cumsum(1 / np.arange(1, n + 1))])
    over_orders = (harmonic[p + t - 1] - harmonic[p - 1]) / t
    within = ((t - 1) - (p - 1) * (harmonic[p + t - 1] - harmonic[p])) / (2 * t)
    return 2 / (n - 1) * (concordant * over_orders + within).sum(axis=1) - 1


def _tau_ap_b(x: Array, y: Array) -> Array:
    above, p, _ = _groups(y)
    concordant = (above & (_sign(x) < 0)).sum(axis=2)
    pivots = (p > 1).sum(axis=1)
    share = (concordant / np.maximum(p - 1, 1)).sum(axis=1)
    return np.where(pivots > 0, 2 * share / np.maximum(pivots, 1) - 1, 0.0)


# ---------------------------------------------------------------------------------------- input validation


def _batched(statistic: Callable[[Array, Array], Array], x: Any, y: Any, name: str) -> Any:
    """Check x and y, and compute a statistic of their rankings in blocks.

    Args:
        statistic: a function of scores (B, n) and (B, n) that returns (B,).
        x, y: scores (..., n), whose leading axes broadcast.
        name: name of the statistic in the warning about constant scores, whose value becomes 0.

    Returns:
        An array of the leading shape, or a float.
    """
    x, y = _scores(x, 'x'), _scores(y, 'y')
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(
            f'x ranks {x.shape[-1]} systems and y {y.shape[-1]}; expected the same systems in both'
        )
    n = x.shape[-1]
    if n < 2:
        raise ValueError(f'{n} system, expected at least two')
    try:
        x, y = np.broadcast_arrays(x, y)
    except ValueError:
        raise ValueError(
            f'x has shape {x.shape} and y {y.shape}, whose leading axes do not fit together'
        ) from None
    shape = x.shape[:-1]
    x, y = x.reshape(-1, n), y.reshape(-1, n)
    constant = (x == x[:, :1]).all(axis=1) | (y == y[:, :1]).all(axis=1)
    if constant.any():
        warn(
            f'Correlations ({name}) of {constant.sum()} of {len(constant)} pairs of rankings are set to 0 because '
            f'all systems of one ranking are tied'
        )
    block = max(1, _CELLS // n**2)
    values = np.empty(len(x))
    for start in range(0, len(x), block):
        values[start : start + block] = statistic(
            x[start : start + block], y[start : start + block]
        )
    values[constant] = 0.0
    return values.reshape(shape) if shape else float(values[0])


def _scores(scores: Any, name: str) -> Array:
    scores = np.asarray(scores, dtype=float)
    if scores.ndim == 0:
        raise ValueError(f'{name} is a single number, expected one score per system')
    bad = np.argwhere(~np.isfinite(scores))
    if len(bad):
        raise ValueError(
            f'{name}{bad[0].tolist()} is {scores[tuple(bad[0])]}, expected a number '
            f'({len(bad)} of {scores.size} scores are not)'
        )
    return scores


def place_of(name: str, names: Sequence[str], what: str) -> int:
    """The index of a name of a measure or system.

    Raises:
        ValueError: the name is unknown. The message suggests a similar one.
    """
    if name not in names:
        raise ValueError(f'no {what} {name!r}{did_you_mean(name, names)}')
    return names.index(name)


def warn_of_measures(selected: Array, measures: Sequence[str], sentence: str) -> None:
    """Warn once of the selected measures, (measures,) Booleans. Their number replaces ``{}`` in the sentence."""
    names = [measure for measure, is_selected in zip(measures, selected) if is_selected]
    if names:
        number = f'{len(names)} of {len(measures)} measures'
        warn(f'{sentence.format(number)}: {", ".join(names[:3])}')


def matched(
    other: Any, table: Any, what: str, axes: Sequence[str] = ('systems', 'measures')
) -> Any:
    """Scores with the systems and measures of a table of scores, or other axes, in its order.

    Raises:
        ValueError: they are of others. The message begins with ``what``.
    """
    for axis in axes:
        different = sorted(set(getattr(other, axis)) ^ set(getattr(table, axis)))
        if different:
            raise ValueError(
                f'{what}: expected scores of the same {axis}; {", ".join(different[:5])} in one of the two only'
            )
    return other.select(**{axis: getattr(table, axis) for axis in axes})
