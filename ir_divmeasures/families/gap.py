"""Graded average precision: average precision for users who differ in the lowest grade that they call relevant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..core.kernels import sums
from ..core.parameters import ByGrade, PerGrade, Range
from ..core.ranking import Array, JudgmentArrays, Ranking, ratio
from ..core.registry import measure
from ..core.terms import Terms

Thresholds = Annotated[
    ByGrade | None,
    PerGrade(Range(0, math.inf)),
    'g_j, the share of users for whom j is the lowest relevant grade. The shares need not sum'
    ' to 1. None: all grades from rel up have the same share',
]


def worth(judgments: JudgmentArrays, rel: float, g: Mapping[float, float] | None) -> Array:
    """G of the judged documents; (Q, D)."""
    grade, relevant = judgments.grade[..., 0], judgments.relevant(rel)[..., 0]
    if g is None:
        return (grade - (rel if rel > 0 else 1) + 1) * relevant
    shares = [(lowest, share) for lowest, share in g.items() if lowest >= rel]
    return sum((share * (grade >= lowest) for lowest, share in shares), np.zeros(grade.shape)) * (
        relevant
    )


def _someone(params: dict[str, Any]) -> None:
    if params['g'] is not None and not any(params['g'].values()):
        raise ValueError(f"g={params['g']!r}: expected a share above 0 for some grade")


@measure(
    family='user models',
    rel_means='gain',
    diversity=False,
    pretty='Graded Average Precision',
    check=_someone,
    cite=('Robertson2010', 'Carterette2011'),
)
def GAP(r: Ranking, *, g: Thresholds = None) -> Terms:
    r"""Graded average precision: average precision expected over users who draw the line at different grades.

    .. math::

        \mathrm{GAP}@k = \frac{\sum_{n \leq k} \frac{1}{n} \sum_{m \leq n} G(\min(i_m, i_n))}{\sum_{\text{judged } d}
        G(i_d)}

    i_n the grade at rank n, :math:`G(i) = \sum_{\mathrm{rel} \leq j \leq i} g_j`, 0 for a document that is not
    relevant; g_j the share of users to whom j is the lowest relevant grade. By default g is uniform over the grades
    from ``rel``: G(i) = i − rel + 1. On binary grades it is AP.

    Choices: the denominator counts all judged documents at every k. The ratio of expectations, not the expectation of
    the ratio: E[numerator of AP] / E[R].

    Reference: Robertson, Kanoulas & Yilmaz, SIGIR 2010; Carterette, SIGIR 2011, §5.

    Examples:
        Grades 2, 0, 1 retrieved, another 2 missed: (2/1 + (1 + 1)/3) / (2 + 1 + 2).

        >>> qrels = {'q': {'d1': 2, 'd2': 0, 'd3': 1, 'd4': 2}}
        >>> GAP.calc_aggregate(qrels, {'q': {'d1': 3.0, 'd2': 2.0, 'd3': 1.0}})
        0.5333333333333333
    """
    r = r.topic
    every = worth(r.judgments, r.rel, g)
    hits = r.of_hits(every)
    cumulated = np.zeros(hits.shape)  # Σ_{m ≤ n} G(min(i_m, i_n))
    for level in np.unique(every[every > 0]):
        # min(G, G') where G' is this level and lower than G, or G is it and not higher than G'
        at_level = hits == level
        cumulated += level * np.where(
            hits > level, np.cumsum(at_level, axis=1), at_level * np.cumsum(hits >= level, axis=1)
        )
    return Terms(
        r,
        hits[..., None],
        ratio(cumulated, hits) / r.rank,
        divisor=sums.one_by_one(every),
    )
