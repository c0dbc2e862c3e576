"""The cascade model: users read down a ranking and stop when a document satisfies them."""

from __future__ import annotations

import numpy as np

from . import Array


def unsatisfied(probability: Array) -> Array:
    """Π_{j<i} (1 − r_j): the probability that no hit above hit i satisfied the user.

    ``probability`` (…, H, T) of r_j in [0, 1], the probability that hit j satisfies → (…, H, T) in [0, 1]; the product
    runs along the hit axis −2, and is 1 at the first hit.
    """
    result = np.ones_like(probability)
    result[..., 1:, :] = np.cumprod(1 - probability[..., :-1, :], axis=-2)
    return result
