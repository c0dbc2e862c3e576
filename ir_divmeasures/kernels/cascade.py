"""Users who stop when they are satisfied."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def unsatisfied(probability: Array) -> Array:
    """Π_{j<i} (1 − r_j) along the hit axis −2: the probability that nothing above hit i satisfied the user."""
    result = np.ones_like(probability)
    result[..., 1:, :] = np.cumprod(1 - probability[..., :-1, :], axis=-2)
    return result
