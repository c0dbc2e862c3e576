"""Helpers of the functions that sample: checks of arguments, replicates of queries, intervals, a progress bar."""
from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def whole(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number from ``least`` to ``most``, or ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least \
            or (most is not None and value > most):
        raise ValueError(f'{name}={value!r}, expected a whole number from {least}'
                         + (f' to {most}' if most is not None else ' up'))
    return int(value)


def fraction(value: Any, name: str) -> float:
    """A number between 0 and 1, both excluded, or ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < 1:
        raise ValueError(f'{name}={value!r}, expected a number in (0, 1)')
    return float(value)


def bootstrap_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Array:
    """The share of each of n queries in bootstrap resamples, (resamples, n). Rows sum to 1."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples) / n


def percentiles(replicates: Array, confidence_level: float) -> Array:
    """Percentile intervals of replicates (resamples, ...), which may be infinite: (..., 2)."""
    tail = (1 - confidence_level) / 2
    ends = np.quantile(np.clip(replicates, -_ENDLESS, _ENDLESS), [tail, 1 - tail], axis=0)
    far = np.abs(ends) > np.sqrt(_ENDLESS)  # infinite, or interpolated with an infinite value
    return np.moveaxis(np.where(far, np.copysign(np.inf, ends), ends), 0, -1)


_ENDLESS = 1e300


def normal_interval(trials: Array, confidence_level: float) -> Array:
    """The ends of mean ± z · standard error of trials (trials, ...): (..., 2)."""
    from scipy.stats import norm

    mean = trials.mean(axis=0)
    if len(trials) < 2:
        return np.stack([np.full_like(mean, -np.inf), np.full_like(mean, np.inf)], axis=-1)
    error = norm.ppf((1 + confidence_level) / 2) * trials.std(axis=0, ddof=1) / np.sqrt(len(trials))
    return np.stack([mean - error, mean + error], axis=-1)


def t_interval(values: Array, confidence_level: float) -> Array:
    """The ends of mean ± t_{n−1} · s/√n of values (..., n): (2, ...)."""
    from scipy.stats import t

    n = values.shape[-1]
    mean = values.mean(axis=-1)
    half = t.ppf((1 + confidence_level) / 2, n - 1) * values.std(axis=-1, ddof=1) / np.sqrt(n)
    return np.stack([mean - half, mean + half])


def progress(total: int, unit: str) -> Any:
    """A tqdm bar that shows on a terminal only."""
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, disable=None, leave=False)
