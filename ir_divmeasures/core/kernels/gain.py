"""Convert grades to gains and to probabilities of relevance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from . import Array


def by_grade(grade: Array, values: Mapping[float, float]) -> Array:
    """values[g] for each grade g in the mapping, else g itself. Any shape; the result has the unit of the values."""
    result = grade.astype(float)
    for key, value in values.items():
        result[grade == key] = value
    return result


def gain_value(grade: Array, relevant: Array, kind: str | Mapping[float, float]) -> Array:
    """Gains of grades g: ``linear`` g, ``exp`` 2^g − 1, ``binary`` 1 where relevant else 0, or values of a mapping.

    Args:
        grade: grades of any shape.
        relevant: 1 where a document is relevant, else 0, in the same shape.
        kind: ``'linear'``, ``'exp'``, ``'binary'``, or a mapping of grades to gains (see :func:`by_grade`).

    Returns:
        Gains in the same shape.
    """
    if isinstance(kind, Mapping):
        return by_grade(grade, kind)
    if kind == 'linear':
        return grade
    if kind == 'exp':
        return np.exp2(grade) - 1
    return relevant


def relevance_probability(grade: Array, relevant: Array, gmax: Array | float, kind: str) -> Array:
    """Probabilities of relevance r(d) of grades g.

    ``exp`` is (2^g − 1)/2^gmax (Chapelle et al. 2009), ``linear`` is g/(gmax + 1) (NTCIREVAL), ``binary`` is 1 where
    relevant else 0, and ``raw`` is g itself.

    Args:
        grade: grades of any shape, at most ``gmax``.
        relevant: 1 where a document is relevant, else 0, in the same shape.
        gmax: the highest possible grade, in a shape that broadcasts to that of the grades.
        kind: ``'exp'``, ``'linear'``, ``'binary'`` or ``'raw'``.

    Returns:
        Probabilities in the shape of the grades, in [0, 1] (for ``raw`` if the grades are).
    """
    if kind == 'exp':
        return np.exp2(grade - gmax) - np.exp2(
            -gmax
        )  # the quotient would overflow at a grade of 1024
    if kind == 'linear':
        return grade / (np.asarray(gmax) + 1)
    if kind == 'binary':
        return relevant
    return grade
