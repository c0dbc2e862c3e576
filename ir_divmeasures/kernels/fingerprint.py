"""64-bit fingerprints (SimHash) and how alike they are: 1 − Hamming distance/64.

With a fingerprint's bits as a vector x of ±1, two fingerprints have similarity (64 + x·y)/128.
"""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Fingerprints = NDArray[np.uint64]
BITS = 64


def from_hex(texts: Iterable[str]) -> Fingerprints:
    """Fingerprints from 16 hexadecimal digits each; an empty text gives 0."""
    return np.array([int(text or '0', 16) for text in texts], dtype=np.uint64)


def to_hex(fingerprints: Fingerprints) -> list[str]:
    """16 hexadecimal digits for each fingerprint."""
    return [f'{value:016x}' for value in fingerprints.tolist()]


def signs(fingerprints: Fingerprints) -> Array:
    """Bits as ±1: (…) → (…, 64)."""
    raw = np.ascontiguousarray(fingerprints.astype('>u8'))[..., None].view(np.uint8)
    return np.unpackbits(raw, axis=-1).astype(float) * 2 - 1


def similarity(x: Array, y: Array) -> Array:
    """1 − Hamming/64 of fingerprints given as ±1, pair by pair: (…, 64) → (…)."""
    return (BITS + np.einsum('...b,...b->...', x, y)) / (2 * BITS)


def similarity_matrix(fingerprints: Fingerprints) -> Array:
    """1 − Hamming/64 of all pairs: (D,) → (D, D)."""
    x = signs(fingerprints)
    return (BITS + x @ x.T) / (2 * BITS)
