"""64-bit fingerprints (SimHash), and their similarity by Hamming distance.

If x and y are the bits of two fingerprints as vectors of ±1, their Hamming distance is H = (64 − x·y)/2. The share of
unequal bits H/64 estimates θ/π, where θ is the angle between two vectors of term counts (Charikar 2002). The scale
``cosine`` is the cosine of that angle.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Fingerprints = NDArray[np.uint64]
BITS = 64
_DISTANCES = np.arange(BITS + 1)
SCALES: dict[str, Array] = {
    'cosine': np.where(_DISTANCES < BITS / 2, np.cos(np.pi * _DISTANCES / BITS), 0.0),
    'hamming': 1 - _DISTANCES / BITS,
}
"""Similarities in [0, 1] for the Hamming distances H = 0..64, (65,): max(0, cos(π·H/64)) and 1 − H/64."""


def from_hex(texts: Iterable[str]) -> Fingerprints:
    """Fingerprints (n,) from n texts of 16 hexadecimal digits each. An empty text gives 0."""
    return np.array([int(text or '0', 16) for text in texts], dtype=np.uint64)


def to_hex(fingerprints: Fingerprints) -> list[str]:
    """n texts of 16 hexadecimal digits for fingerprints (n,), the inverse of :func:`from_hex`."""
    return [f'{value:016x}' for value in fingerprints.tolist()]


def signs(fingerprints: Fingerprints) -> Array:
    """Bits of fingerprints as numbers, +1 for a set bit and −1 else: (…) → (…, 64)."""
    raw = np.ascontiguousarray(fingerprints.astype('>u8'))[..., None].view(np.uint8)
    return np.unpackbits(raw, axis=-1).astype(float) * 2 - 1


def similarity(x: Array, y: Array, scale: str = 'cosine') -> Array:
    """Similarities s(H(x, y)) of bits as :func:`signs`, element by element: (…, 64), (…, 64) → (…) in [0, 1]."""
    return _scaled(np.einsum('...b,...b->...', x, y), scale)


def similarity_matrix(fingerprints: Fingerprints, scale: str = 'cosine') -> Array:
    """Similarities s(H(x_i, x_j)) of all pairs of fingerprints: (D,) → (D, D) in [0, 1]."""
    x = signs(fingerprints)
    return _scaled(x @ x.T, scale)


def _scaled(products: Array, scale: str) -> Array:
    """s(H) with H = (64 − x·y)/2, from products x·y of any shape: the value of a scale in :data:`SCALES`."""
    return SCALES[scale][((BITS - products) / 2).astype(np.intp)]
